"""A user's Arrow tables conformed to a table's columns (docs/spec/casts.md)."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime

import pyarrow as pa

from forklake.errors import InvalidInputError
from forklake.files.arrow.schema import arrow_schema
from forklake.files.casting.casts import cast
from forklake.files.incoming.column_names import column_positions
from forklake.files.incoming.defaults import default_array
from forklake.files.incoming.frames import frame_of
from forklake.model.field import Field

__all__ = ["conform", "frame_of"]


def conform(table: pa.Table, target_fields: Sequence[Field], table_name: str, *, by_name: bool) -> pa.Table:
    """Return rows with the columns, types and field ids that a table's files have.

    Columns that need no change are not copied. Every value is checked; nothing is cut or rounded that DuckDB's
    ``INSERT`` would not cut or round.

    Args:
        table: A user's rows, see `frame_of`.
        target_fields: The columns of the target, in order.
        table_name: The target's name, for messages.
        by_name: Whether columns are matched by name, so that some can be left out; else by position.

    Raises:
        InvalidInputError: A column is unknown, occurs twice, or is one too many; a value does not fit its
            column, or is NULL where that is not allowed; with DuckDB's message.
    """
    schema = arrow_schema(target_fields)
    sources = column_positions(table.column_names, target_fields, table_name, by_name=by_name)
    now = datetime.now(UTC)
    columns = []
    for field, number, written in zip(target_fields, sources, schema, strict=True):
        if number is None:
            column = pa.chunked_array([default_array(field, table.num_rows, table_name, now)], written.type)
        else:
            chunks = [cast(field, chunk, table_name) for chunk in table.column(number).chunks]
            column = pa.chunked_array(chunks, written.type)
        if not field.nulls_allowed and column.null_count:
            raise InvalidInputError(f"NOT NULL constraint failed: {table_name}.{field.name}")
        columns.append(column)
    return pa.table(columns, schema=schema)
