"""Columns as files and engines know them: by id, name and type."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from forklake.model.ids import ColumnId
from forklake.model.lazy_dataclass import dataclass
from forklake.model.names import fold
from forklake.model.types.kinds import List, Map, Nested, Type, Variant


@dataclass(frozen=True, slots=True)
class Field:
    """A column of a table or of a file, or a field of a nested type.

    Attributes:
        column_id: The id in the table; None for a column of a file that the table does not have.
        type: For a column of a file: the type that the file holds it as.
        initial_default: What rows have that are older than the column, as text.
    """

    column_id: ColumnId | None
    name: str
    type: Type
    nulls_allowed: bool = True
    default: str | None = None
    default_is_expression: bool = False
    initial_default: str | None = None

    @property
    def children(self) -> tuple[Field, ...]:
        """What is nested in it: the fields of its type."""
        return self.type.children

    def with_children(self, children: tuple[Field, ...]) -> Field:
        """Return the field with other fields nested in it, as many as its type has."""
        return replace(self, type=self.type.with_children(children)) if isinstance(self.type, Nested) else self


def leaves(fields: Iterable[Field], above: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], Field]]:
    """Yield the fields without nested fields, each with the names that lead to it.

    Only these have statistics.
    """
    for field in fields:
        path = (*above, field.name)
        if field.children:
            yield from leaves(field.children, path)
        else:
            yield path, field


def plain_column(expression: str, fields: Iterable[Field]) -> Field | None:
    """Return the column that an expression names; None if it is anything else.

    The name may be quoted. It means the same in every dialect.

    >>> from forklake.model.types import INT32
    >>> plain_column('"My col"', [Field(ColumnId(1), "my col", INT32)]).name
    'my col'
    """
    text = expression.strip()
    if len(text) > 1 and text[0] == text[-1] == '"':
        text = text[1:-1].replace('""', '"')
    return next((field for field in fields if fold(field.name) == fold(text)), None)


def has_variants(fields: Iterable[Field]) -> bool:
    """Return whether there is a variant among the fields, at any depth."""
    return any(isinstance(field.type, Variant) or has_variants(field.children) for field in fields)


def has_unnumbered_parts(fields: Iterable[Field]) -> bool:
    """Return whether there is a list or map among the fields, at any depth.

    Spark gives their parts no field ids.
    """
    return any(isinstance(field.type, List | Map) or has_unnumbered_parts(field.children) for field in fields)
