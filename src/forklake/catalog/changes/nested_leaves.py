"""The values that are nested in texts of inlined rows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from forklake.files.casting.nested_text import split_list, split_pairs, unquote
from forklake.model import types
from forklake.model.ids import ColumnId
from forklake.model.names import fold
from forklake.model.rows import ColumnRow

Parts = Mapping[ColumnId, Sequence[ColumnRow]]
"""What is nested in a column, by its id."""


def leaf_values(column: ColumnRow, texts: Sequence[str | None], parts: Parts) -> dict[ColumnId, list[str | None]]:
    """Return the values of a column, or of the leaves that are nested in it.

    A struct that is NULL has NULL in its fields; a list or map that is NULL has no elements.

    Raises:
        ValueError: A text is none of the column's type.
    """
    if not column.is_nested:
        return {column.column_id: list(texts)}
    children = parts[column.column_id]
    inner: list[list[str | None]] = [[] for _ in children]
    for text in texts:
        for values, found in zip(inner, _split(column, children, text), strict=True):
            values.extend(found)
    return {
        leaf: values
        for child, given in zip(children, inner, strict=True)
        for leaf, values in leaf_values(child, given, parts).items()
    }


def _split(column: ColumnRow, children: Sequence[ColumnRow], text: str | None) -> list[list[str | None]]:
    """Return what one value has of each part."""
    if column.column_type == "struct":
        pairs = {} if text is None else {fold(unquote(name)): value for name, value in split_pairs(text, ":")}
        return [[_value(child, pairs.get(fold(child.column_name)))] for child in children]
    if text is None:
        return [[] for _ in children]
    if column.column_type == "map":
        items = split_pairs(text, "=")
        return [[_value(child, item[place]) for item in items] for place, child in enumerate(children)]
    return [[_value(children[0], raw) for raw in split_list(text)]]


def _value(column: ColumnRow, raw: str | None) -> str | None:
    if raw is None or raw == "NULL":
        return None
    # JSON within a nested value is never quoted.
    return raw if column.is_nested or column.type == types.JSON else unquote(raw)
