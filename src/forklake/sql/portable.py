"""Stored texts of a catalog, independent of the name it is attached by."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from typing import Literal

from sqlglot import exp

from forklake.model.lazy_dataclass import dataclass
from forklake.model.names import fold
from forklake.model.quoting import quote_name
from forklake.sql.parse import parse_expression, parse_query

Kind = Literal["scalar", "table"]


def make_portable(text: str, alias: str, kind: Kind = "table", macros: Collection[str] = ()) -> str:
    """Remove the name that its own catalog is attached by from a stored text.

    Forks and sessions that attach the catalog under another name then find their own tables and macros. The rest
    of the text stays as written.

    Args:
        text: The text of a query, or of an expression.
        alias: The name that the catalog is attached by.
        kind: ``scalar`` for an expression.
        macros: The catalog's macros, in lower case; other functions after a dot are called on a value.

    Raises:
        InvalidInputError: The text is no query, or no expression.
    """
    edits = []
    for name in _names(text, kind):
        if name.is_called_on_value(macros):
            continue
        if len(name.parts) > name.least and fold(name.parts[0]) == fold(alias):
            # A name of only catalog and table means the schema main.
            schema = "main." if name.is_object and len(name.parts) == 2 else ""
            edits.append((name.starts[0], name.starts[1], schema))
    return _apply_edits(text, edits)


def named_objects(text: str, kind: Kind) -> set[str]:
    """Return the names of tables, views and functions in a stored text.

    They are in lower case, without catalogs and schemas.
    """
    return {fold(name.parts[-1]) for name in _names(text, kind) if name.is_object}


@dataclass(frozen=True, slots=True)
class Home:
    """The place where a text is stored, which completes unqualified names in it.

    Attributes:
        alias: The name that the catalog is attached by.
        schemas: All schemas of the catalog, in lower case.
        macros: All macros of the catalog, in lower case.
        relation_schema: Returns the schema of a table or view that the text names without one.
        macro_schema: Returns the same of a macro; None for a function that is no macro of the catalog.
    """

    alias: str
    schemas: Collection[str]
    macros: Collection[str]
    relation_schema: Callable[[str], str]
    macro_schema: Callable[[str], str | None]


def qualify_names(text: str, home: Home, kind: Kind) -> str:
    """Qualify the names of its own catalog in a stored text.

    The text can then be part of a statement of another catalog. Tables of WITH, functions that are no macros of
    the catalog, and names with another catalog stay as they are.
    """
    edits = []
    for name in _names(text, kind):
        first, start = fold(name.parts[0]), name.starts[0]
        if not name.is_object or len(name.parts) > 2 or name.is_called_on_value(home.macros):
            continue
        if len(name.parts) == 2:
            if first in home.schemas:
                edits.append((start, start, f"{quote_name(home.alias)}."))
            continue
        schema = home.macro_schema(first) if name.is_function else home.relation_schema(first)
        if schema is not None:
            edits.append((start, start, f"{quote_name(home.alias)}.{quote_name(schema)}."))
    return _apply_edits(text, edits)


@dataclass(frozen=True, slots=True)
class _Name:
    """The name of a table, macro or column in a text, and where its parts begin."""

    parts: tuple[str, ...]
    starts: tuple[int, ...]
    is_object: bool = True
    is_function: bool = False

    @property
    def least(self) -> int:
        """How many parts of a name never include a catalog.

        It is two for a column with its table, and one for an object.
        """
        return 1 if self.is_object else 2

    def is_called_on_value(self, macros: Collection[str]) -> bool:
        """Return whether it is a function called on a value, as in ``name.lower()``.

        A macro of the catalog is not.
        """
        return self.is_function and len(self.parts) > 1 and fold(self.parts[-1]) not in macros


def _names(text: str, kind: Kind) -> Iterator[_Name]:
    tree = parse_query(text) if kind == "table" else parse_expression(text)
    common = {fold(one.alias) for one in tree.find_all(exp.CTE)}
    aliases = {fold(one.name) for one in tree.find_all(exp.TableAlias)}
    for node in tree.walk():
        found: _Name | None = None
        if isinstance(node, exp.Table):
            found = _name(node.parts)
        elif isinstance(node, exp.Column) and fold(node.parts[0].name) not in aliases:
            found = _name(node.parts, is_object=False)
        elif isinstance(node, exp.Anonymous) and not isinstance(node.parent, exp.Table):
            found = _name(_before(node))
        if found is not None and not (found.is_object and len(found.parts) == 1 and fold(found.parts[0]) in common):
            yield found


def _before(call: exp.Anonymous) -> list[exp.Expr]:
    """Return the parts of a function's name, with schema and catalog before it."""
    above = call.parent
    if not isinstance(above, exp.Dot) or above.expression is not call:
        return [call]
    before = [one for one in above.this.walk(bfs=False) if isinstance(one, exp.Identifier)]
    return [*before, call] if not above.this.find(exp.Func, exp.Paren, exp.Literal) else []


def _name(parts: list[exp.Expr], *, is_object: bool = True) -> _Name | None:
    """Return a name, or None for other nodes.

    A function that is called on a value has no such name.
    """
    if not parts or not all(isinstance(one, exp.Identifier | exp.Anonymous) and "start" in one.meta for one in parts):
        return None
    is_function = isinstance(parts[-1], exp.Anonymous)
    texts = tuple(one.name for one in parts)
    return _Name(texts, tuple(one.meta["start"] for one in parts), is_object, is_function)


def _apply_edits(text: str, edits: list[tuple[int, int, str]]) -> str:
    """Replace pieces of a text, each given by its start and end."""
    for start, end, new in sorted(set(edits), reverse=True):
        text = text[:start] + new + text[end:]
    return text
