"""The order of rows within files of sorted tables."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pyarrow as pa

from forklake.files.arrow import compute as pc
from forklake.model import types
from forklake.model.definitions import SortKey
from forklake.model.field import Field, plain_column


def plain_columns(keys: Sequence[SortKey], names: Sequence[str]) -> list[str] | None:
    """Return the columns that a table is sorted by; None if a key is more."""
    fields = [Field(None, name, types.NULL) for name in names]
    found = [plain_column(key.expression, fields) for key in keys]
    return None if None in found else [field.name for field in found if field is not None]


def sort_rows(table: pa.Table, keys: Sequence[SortKey]) -> pa.Table:
    """Return rows sorted as in DuckDB: NaN is the largest, NULLs as the key says.

    Rows that are equal in all keys keep their order. If a key is no column, or of a type without an order in
    Arrow, the rows are returned as they are.
    """
    names = plain_columns(keys, table.column_names)
    if not names:
        return table
    columns: dict[str, Any] = {}
    order: list[tuple[str, str]] = []
    for number, (name, key) in enumerate(zip(names, keys, strict=True)):
        values = table[name]
        if isinstance(values.type, pa.BaseExtensionType):
            values = pc.cast(values, values.type.storage_type)
        direction = "ascending" if key.direction == "ASC" else "descending"
        columns[f"null{number}"] = pc.is_null(values)
        order.append((f"null{number}", "descending" if key.null_order == "NULLS_FIRST" else "ascending"))
        if pa.types.is_floating(values.type):
            columns[f"nan{number}"] = pc.is_nan(values)
            order.append((f"nan{number}", direction))
        columns[f"value{number}"] = values
        order.append((f"value{number}", direction))
    try:
        indices = pc.sort_indices(pa.table(columns), sort_keys=order)
    except (pa.ArrowNotImplementedError, pa.ArrowTypeError):
        return table
    return table.take(indices)
