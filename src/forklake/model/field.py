"""Columns as a reader and a writer of files know them: by id, name and type, with what is nested in them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final

from forklake.model.ids import ColumnId
from forklake.model.names import fold

STORED_AS: Final = {
    "json": "varchar",
    "int128": "decimal(38,0)",
    "uint128": "decimal(38,0)",
    "interval": "varchar",
    "timetz": "varchar",
}
"""Types that our files hold as another type; all others are held as what they are."""


@dataclass(frozen=True, slots=True)
class Field:
    """A column of a table or of a file; ``children`` are fields of a struct, a list's element, a map's key and value.

    Attributes:
        column_id: The id in the table; None for a column of a file that the table does not have.
        type: DuckLake's name of the type. For a column of a file: of the type that the file holds it as.
        initial_default: What rows have that are older than the column, as text.
    """

    column_id: ColumnId | None
    name: str
    type: str
    children: tuple[Field, ...] = ()
    nulls_allowed: bool = True
    default: str | None = None
    default_is_expression: bool = False
    initial_default: str | None = None


def leaves(fields: Iterable[Field], above: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], Field]]:
    """Yield what holds values, each with the names that lead to it: the only fields with statistics."""
    for field in fields:
        path = (*above, field.name)
        if field.children:
            yield from leaves(field.children, path)
        else:
            yield path, field


def plain_column(expression: str, fields: Iterable[Field]) -> Field | None:
    """Return the column that an expression is, quoted or not, if it is nothing else: it is meant in every dialect.

    >>> plain_column('"My col"', [Field(ColumnId(1), "my col", "int32")]).name
    'my col'
    """
    text = expression.strip()
    if len(text) > 1 and text[0] == text[-1] == '"':
        text = text[1:-1].replace('""', '"')
    return next((field for field in fields if fold(field.name) == fold(text)), None)


def has_unnumbered_parts(fields: Iterable[Field]) -> bool:
    """Return whether there is a list or map among the fields, at any depth: Spark gives what is in them no field id."""
    return any(field.type in ("list", "map") or has_unnumbered_parts(field.children) for field in fields)
