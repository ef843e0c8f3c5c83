"""Text of sqlglot trees, for messages and names of columns.

Trees may contain the nodes that are defined here.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar, Final

from sqlglot import exp
from sqlglot.dialects.duckdb import DuckDB
from sqlglot.generators.duckdb import DuckDBGenerator

from forklake.errors import ConfigError
from forklake.sql.expressions.bound import Bound
from forklake.sql.statements import Describe, Show

_DIALECT: Final = DuckDB()


class ShowNode(exp.Expression):
    """A node for SHOW or DESCRIBE in place of a table."""

    arg_types: ClassVar[dict[str, bool]] = {"statement": True}

    @property
    def statement(self) -> Show | Describe:
        """The statement."""
        found: Show | Describe = self.args["statement"]
        return found


def _check_sqlglot() -> None:
    """Check that classes of sqlglot can be extended; compiled ones cannot.

    Raises:
        ConfigError: They cannot; no SQL can be read.
    """
    try:
        ShowNode()
    except TypeError as error:
        raise ConfigError(
            f'SQL cannot be read: sqlglot is compiled here, by the package "sqlglotc" ({error}). Nothing was done.',
            hint="Run `pip uninstall sqlglotc`, or install forklake into an environment without it.",
        ) from error


_check_sqlglot()


class BoundNode(exp.Expression):
    """A node for an expression that is bound already."""

    arg_types: ClassVar[dict[str, bool]] = {"bound": True}

    @property
    def bound(self) -> Bound:
        """The bound expression."""
        found: Bound = self.args["bound"]
        return found

    @property
    def display_name(self) -> str:
        """Its name in messages."""
        return (self.bound.field.name if self.bound.field is not None else self.bound.literal) or "?"


class _Generator(DuckDBGenerator):
    """sqlglot's generator for DuckDB, with our own nodes.

    A subclass, so that other users of sqlglot in the process are not affected.
    """

    TRANSFORMS: ClassVar[dict[type[exp.Expr], Callable[..., str]]] = {
        **DuckDBGenerator.TRANSFORMS,
        ShowNode: lambda _, node: type(node.statement).__name__.upper(),
        BoundNode: lambda _, node: node.display_name,
        # sqlglot writes no SQL for a map of nothing within a cast.
        exp.ToMap: lambda self, node: f"MAP {self.sql(node, 'this') if node.this.expressions else '{}'}",
    }


def render(node: exp.Expr, *, copy: bool = True, **options: Any) -> str:
    """Return the text of a tree, as DuckDB would write it.

    Without a copy the tree is used up. Options are those of sqlglot's generators.
    """
    return _Generator(dialect=_DIALECT, **options).generate(node, copy=copy)
