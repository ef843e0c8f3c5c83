"""Trees shown as text: in messages, and as names of columns. Nodes of our own can be among them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar, Final

from sqlglot import exp
from sqlglot.dialects.duckdb import DuckDB
from sqlglot.generators.duckdb import DuckDBGenerator

from forklake.sql.expressions.bound import Bound
from forklake.sql.statements import Describe, Show

_DIALECT: Final = DuckDB()


class Asked(exp.Expression):
    """SHOW or DESCRIBE in the place of a table: what is asked."""

    arg_types: ClassVar[dict[str, bool]] = {"statement": True}

    @property
    def statement(self) -> Show | Describe:
        """The statement that it would be by itself."""
        found: Show | Describe = self.args["statement"]
        return found


class Resolved(exp.Expression):
    """A place in a tree that is understood already; it stands for what was bound."""

    arg_types: ClassVar[dict[str, bool]] = {"bound": True}

    @property
    def bound(self) -> Bound:
        """What it stands for."""
        found: Bound = self.args["bound"]
        return found

    @property
    def shown(self) -> str:
        """What messages call it."""
        return (self.bound.field.name if self.bound.field is not None else self.bound.literal) or "?"


class _Generator(DuckDBGenerator):
    """Writes DuckDB's words. A class of its own: other users of the library in the process are left alone."""

    TRANSFORMS: ClassVar[dict[type[exp.Expr], Callable[..., str]]] = {
        **DuckDBGenerator.TRANSFORMS,
        Asked: lambda _, node: type(node.statement).__name__.upper(),
        Resolved: lambda _, node: node.shown,
    }


def shown(node: exp.Expr, **options: Any) -> str:
    """Return a tree as DuckDB would write it; options are those of sqlglot's generators."""
    return _Generator(dialect=_DIALECT, **options).generate(node)
