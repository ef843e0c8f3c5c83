"""Adds rows to a table: inlined, written on the driver, or written by Spark."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import pyarrow as pa

from forklake.catalog.names import is_storable
from forklake.catalog.transaction import Staging
from forklake.engine.engine import Engine, Frame
from forklake.files.access import storage
from forklake.files.arrow.schema import arrow_schema
from forklake.files.casting.texts import to_texts
from forklake.files.incoming.conform import conform, frame_of
from forklake.files.parquet.parquet_writer import write_files
from forklake.files.parquet.row_order import sort_rows
from forklake.model.change import InsertInlined
from forklake.model.definitions import ColumnDefinition, NewDataFile
from forklake.model.field import Field, has_variants, plain_column
from forklake.model.ids import ColumnId
from forklake.model.inlined_names import is_own_name
from forklake.model.rows import TableRow
from forklake.model.types.read import field_of
from forklake.model.write import WriteTarget
from forklake.ops.lakes.runtime import Runtime, leaves_large_to_engine
from forklake.ops.rows.frame_columns import schema_columns
from forklake.ops.rows.register_files import register_files
from forklake.ops.rows.write_target import WriteQuestions, Writing

_DRIVER_BYTES: Final = 64 * 2**20
"""Rows in memory beyond this are handed to Spark, which writes them in parallel."""


def append(
    staging: Staging,
    runtime: Runtime,
    table: TableRow,
    frame: Frame | pa.Table,
    *,
    by_name: bool = True,
    asked: WriteQuestions | None = None,
) -> int:
    """Add the rows of a frame to a table in a transaction; return their number.

    Args:
        staging: The transaction. If it is not committed, the files that were written are removed again.
        runtime: The open lake.
        table: The table as the transaction sees it.
        frame: A frame of the engine or an Arrow table, as `rereadable_rows` returns it.
        by_name: Match columns by their names, or else by their positions.
        asked: What is asked before, if a read of the statement may have taken it along.

    Raises:
        InvalidInputError: The columns or values do not fit the table; nothing was written.
        EngineError: A Spark job failed; nothing was written.
    """
    how = (asked or WriteQuestions(staging, runtime, table)).writing()
    rows = frame if isinstance(frame, pa.Table) else _few_rows(runtime.engine, frame, how)
    if rows is not None:
        rows = conform(rows, how.target.fields, table.table_name, by_name=by_name)
        may_inline = rows.num_rows <= how.inlining_row_limit and is_inlinable(how.target.fields)
        if may_inline and _are_storable(how.target.fields, rows):
            inline(staging, table, how.target.fields, _sort(runtime.engine, rows, how.target))
            return int(rows.num_rows)
    staging.take_lease()
    files = _write_files(runtime, how, frame, rows, by_name=by_name)
    paths = [how.target.directory + file.path for file in files]
    staging.on_undo(lambda: storage.delete(paths))
    runtime.settings.on_step("append: files written")
    register_files(staging, table.table_id, files)
    runtime.settings.on_step("append: files registered")
    return sum(file.record_count for file in files)


def rereadable_rows(engine: Engine, frame: Any, fields: Sequence[Field] = ()) -> Frame | pa.Table:
    """Return rows that can be read many times.

    A frame of the engine is returned as it is, everything else as an Arrow table.

    Raises:
        InvalidInputError: It is no frame.
        EngineError: Its rows can no longer be computed.
    """
    return engine.check_frame(frame) if engine.is_frame(frame) else frame_of(frame, fields)


def frame_columns(engine: Engine, rows: Frame | pa.Table) -> tuple[ColumnDefinition, ...]:
    """Return the columns that a table needs to hold a frame.

    The frame is one that `rereadable_rows` returned.

    Raises:
        InvalidInputError: A column has a type that no column of a table can have.
    """
    return schema_columns(engine, rows.schema if isinstance(rows, pa.Table) else rows)


def frame_fields(engine: Engine, rows: Frame | pa.Table) -> tuple[Field, ...]:
    """Return the columns of a frame as fields that belong to no table."""
    return tuple(field_of(column) for column in frame_columns(engine, rows))


def _few_rows(engine: Engine, frame: Frame, how: Writing) -> pa.Table | None:
    """Return the rows of a frame if they are few enough to be inlined."""
    if how.inlining_row_limit == 0 or not is_inlinable(how.target.fields):
        return None
    rows = engine.collect_given(frame, how.inlining_row_limit + 1, how.target.table)
    return rows if rows.num_rows <= how.inlining_row_limit else None


def _write_files(
    runtime: Runtime, how: Writing, frame: Frame | pa.Table, rows: pa.Table | None, *, by_name: bool
) -> list[NewDataFile]:
    is_for_engine = rows is not None and rows.nbytes > _DRIVER_BYTES and leaves_large_to_engine(runtime.settings)
    is_for_here = not is_for_engine or has_variants(how.target.fields)
    if rows is not None and is_for_here and how.on_driver and sorts_on_driver(how.target):
        return write_files(rows.to_batches(), how.target, arrow_schema(how.target.fields)) if rows.num_rows else []
    return runtime.engine.write(rows if isinstance(frame, pa.Table) else frame, how.target, by_name=by_name)


def _sort(engine: Engine, rows: pa.Table, target: WriteTarget) -> pa.Table:
    """Return a few rows in the order of their table.

    Rows that are equal in all keys keep their order.
    """
    keys = target.sort_keys if target.options.sort_on_insert else ()
    if not keys or rows.num_rows <= 1:
        return rows
    columns = [plain_column(key.expression, target.fields) for key in keys]
    if all(column is not None and not column.children for column in columns):
        return sort_rows(rows, keys)
    return engine.sort(rows, target)


def sorts_on_driver(target: WriteTarget) -> bool:
    """Return whether the driver can sort the rows.

    It can if there is nothing to sort, or only columns; expressions need Spark.
    """
    return not target.options.sort_on_insert or all(
        plain_column(key.expression, target.fields) is not None for key in target.sort_keys
    )


def is_inlinable(fields: Sequence[Field]) -> bool:
    """Return whether the metadata can hold rows of these columns."""
    if any(is_own_name(field.name) for field in fields):
        return False
    return all(_is_kept_as_text(field) for field in fields)


def _is_kept_as_text(field: Field) -> bool:
    return field.type.facts.is_kept_as_text and all(_is_kept_as_text(child) for child in field.children)


def _are_storable(fields: Sequence[Field], rows: pa.Table) -> bool:
    """Return whether every database can store the values as text: some refuse NUL."""
    return all(text is None or is_storable(text) for column in _texts(fields, rows) for text in column)


def _texts(fields: Sequence[Field], rows: pa.Table) -> list[list[str | None]]:
    return [to_texts(field.type, column.combine_chunks()) for field, column in zip(fields, rows.columns, strict=True)]


def inline(
    staging: Staging,
    table: TableRow,
    fields: Sequence[Field],
    rows: pa.Table,
    row_ids: Sequence[int | None] = (),
    *,
    unmatched: bool = False,
) -> None:
    """Add rows, as `conform` returns them, to a table as inlined rows.

    The other arguments are as in `InsertInlined`.
    """
    columns = _texts(fields, rows)
    ids = [ColumnId(field.column_id or 0) for field in fields]
    staging.stage(
        InsertInlined(
            table.table_id,
            tuple(tuple(zip(ids, values, strict=True)) for values in zip(*columns, strict=True)),
            tuple(row_ids),
            unmatched,
        )
    )
