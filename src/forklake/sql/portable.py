"""Texts that are stored in a catalog and mean the same under every name that it is attached by."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from typing import Literal

from sqlglot import exp

from forklake.model.names import fold
from forklake.model.quoting import quote_name
from forklake.sql.parse import parse_expression, parse_query

Kind = Literal["scalar", "table"]


def portable(text: str, alias: str, kind: Kind = "table", macros: Collection[str] = ()) -> str:
    """Return the text of a query, or of an expression, without the name that its own catalog is attached by.

    A fork, and whoever attaches the catalog under another name, finds its own tables and macros by it. All else stays
    as it was written.

    Args:
        text: The text.
        alias: What the catalog is attached as.
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
            # What is named by catalog and table alone is in its schema main.
            schema = "main." if name.is_object and len(name.parts) == 2 else ""
            edits.append((name.starts[0], name.starts[1], schema))
    return _edited(text, edits)


@dataclass(frozen=True, slots=True)
class Home:
    """Where a text is stored: names without a catalog in it are meant there.

    Attributes:
        alias: What the catalog is attached as.
        schema: The schema that the text's own object is in.
        schemas: All schemas of the catalog, in lower case.
        macros: All macros of the catalog, in lower case.
    """

    alias: str
    schema: str
    schemas: Collection[str]
    macros: Collection[str]


def at_home(text: str, home: Home, kind: Kind) -> str:
    """Return the text of a query or an expression with the names of its own catalog written out.

    It can then stand in a statement of another catalog. Tables of WITH, functions that are no macros of the catalog,
    and what is named with another catalog stay as they are.
    """
    edits = []
    for name in _names(text, kind):
        first, start = fold(name.parts[0]), name.starts[0]
        if not name.is_object or len(name.parts) > 2 or name.is_called_on_value(home.macros):
            continue
        if len(name.parts) == 2:
            if first in home.schemas:
                edits.append((start, start, f"{quote_name(home.alias)}."))
        elif not name.is_function or first in home.macros:
            edits.append((start, start, f"{quote_name(home.alias)}.{quote_name(home.schema)}."))
    return _edited(text, edits)


@dataclass(frozen=True, slots=True)
class _Name:
    """The name of a table, a macro or a column in a text, and where its parts begin."""

    parts: tuple[str, ...]
    starts: tuple[int, ...]
    is_object: bool = True
    is_function: bool = False

    @property
    def least(self) -> int:
        """How many parts say nothing of a catalog: a table and its column, or an object alone."""
        return 1 if self.is_object else 2

    def is_called_on_value(self, macros: Collection[str]) -> bool:
        """Return whether it is a function in an expression, as in ``name.lower()``, and no macro of a catalog."""
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
    """Return a function in an expression with the schema and catalog that stand before it."""
    above = call.parent
    if not isinstance(above, exp.Dot) or above.expression is not call:
        return [call]
    before = [one for one in above.this.walk(bfs=False) if isinstance(one, exp.Identifier)]
    return [*before, call] if not above.this.find(exp.Func, exp.Paren, exp.Literal) else []


def _name(parts: list[exp.Expr], *, is_object: bool = True) -> _Name | None:
    """Return a name; None for what is none, such as a function that is called on a value."""
    if not parts or not all(isinstance(one, exp.Identifier | exp.Anonymous) and "start" in one.meta for one in parts):
        return None
    is_function = isinstance(parts[-1], exp.Anonymous)
    texts = tuple(one.name for one in parts)
    return _Name(texts, tuple(one.meta["start"] for one in parts), is_object, is_function)


def _edited(text: str, edits: list[tuple[int, int, str]]) -> str:
    """Return a text in which pieces, each from a place up to another, are replaced."""
    for start, end, new in sorted(set(edits), reverse=True):
        text = text[:start] + new + text[end:]
    return text
