"""Rows that are kept in the metadata as text, in the columns and types that files hold."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

import numpy as np
import pyarrow as pa

from forklake.files.casts import cast
from forklake.files.nesting import assembled, lengths_of, parts_of
from forklake.files.schema import arrow_schema, arrow_type
from forklake.files.texts import parse_values, to_array
from forklake.files.values import stored_array
from forklake.model.field import Field
from forklake.model.scan import ScanRows

_NESTED: Final = frozenset({"struct", "list", "map"})


def stored_rows(rows: ScanRows, fields: Sequence[Field], table: str) -> pa.Table:
    """Return inlined rows with the columns that a table has now.

    Columns are matched by id at every depth; what a row is too old for is what such rows show. Nothing is checked that
    was allowed when the rows were written.

    Raises:
        InvalidInputError: A text means no value of its column.
    """
    held = {
        field: to_array(field, [values.get(field.column_id) for _, _, values in rows.rows])
        for field in rows.fields
        if field.column_id is not None
    }
    columns = [_column(field, held, len(rows.rows), table) for field in fields]
    return pa.table(columns, schema=arrow_schema(fields))


def _column(field: Field, held: Mapping[Field, pa.Array], count: int, table: str) -> pa.Array:
    for found, values in held.items():
        if found.column_id is not None and found.column_id == field.column_id:
            return _value(field, found, values, table)
    older = None if field.initial_default is None else parse_values(field, [field.initial_default])[0]
    return stored_array(field, [older] * count)


def _value(field: Field, held: Field, values: pa.Array, table: str) -> pa.Array:
    if field.type not in _NESTED or field.type != held.type:
        return cast(field, values, table)
    is_null = np.asarray(values.is_null())
    parts = parts_of(values)
    if field.type == "struct":
        inner = dict(zip(held.children, parts, strict=True))
        made = [_column(child, inner, len(values), table) for child in field.children]
        return assembled(arrow_type(field), made, None, is_null)
    pairs = zip(field.children, held.children, parts, strict=True)
    made = [_value(child, below, part, table) for child, below, part in pairs]
    return assembled(arrow_type(field), made, lengths_of(values), is_null)
