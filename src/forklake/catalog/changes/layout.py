"""The layout of a table's files: partitioning and sort order."""

from __future__ import annotations

from dataclasses import replace

from forklake.catalog import lookup
from forklake.catalog.changes.alteration import log_altered
from forklake.catalog.draft import Draft
from forklake.catalog.names import check_text
from forklake.catalog.partition_transforms import read_transform
from forklake.errors import InvalidInputError
from forklake.metastore.written_tables import (
    DATA_FILE,
    FILE_PARTITION_VALUE,
    PARTITION_COLUMN,
    PARTITION_INFO,
    SORT_INFO,
)
from forklake.model.change import SetPartitioning, SetSorting
from forklake.model.ids import ColumnId, TableId
from forklake.model.rows import (
    PartitionColumnRow,
    PartitionInfoRow,
    SortExpressionRow,
    SortInfoRow,
    TableRow,
)


def set_partitioning(draft: Draft, change: SetPartitioning) -> None:
    """Partition future files; existing files keep their partitioning.

    Setting the current partitioning again changes nothing: it stays the same one.
    """
    table = lookup.table_by_id(draft, change.table_id)
    keys = _partition_keys(draft, change, table)
    before = draft.rows(PARTITION_INFO, {"table_id": change.table_id})
    if keys == [key for old in before for key in _kept_keys(draft, old)]:
        return
    for old in before:
        draft.end(old)
        _release_files(draft, old)
        draft.forget_followers("partition_id", old.partition_id)
    if keys:
        draft.insert(PartitionInfoRow(partition_id=change.partition_id, table_id=change.table_id))
    for index, (column_id, transform) in enumerate(keys):
        draft.insert(
            PartitionColumnRow(
                partition_id=change.partition_id,
                table_id=change.table_id,
                partition_key_index=index,
                column_id=column_id,
                transform=transform,
            )
        )
    log_altered(draft, table, reshapes=True)


def _partition_keys(draft: Draft, change: SetPartitioning, table: TableRow) -> list[tuple[ColumnId, str]]:
    """Check the keys of a partitioning; return their columns and transforms."""
    keys: list[tuple[ColumnId, str]] = []
    for field in change.fields:
        column = lookup.column(draft, table, field.column)
        transform = read_transform(field.transform)
        if column.parent_column is not None or column.is_nested:
            raise InvalidInputError("Partitioning is only supported on top-level columns")
        if not transform.accepts(column.type):
            by = f"by {transform}" if transform.is_part else "by"
            raise InvalidInputError(
                f'Column "{field.column}" of type {column.column_type} cannot be partitioned {by}; nothing was changed.'
            )
        if (column.column_id, str(transform)) in keys:
            raise InvalidInputError(f'Column "{field.column}" is twice a key of the partitioning; nothing was changed.')
        keys.append((column.column_id, str(transform)))
    return keys


def _kept_keys(draft: Draft, partitioning: PartitionInfoRow) -> list[tuple[ColumnId, str]]:
    rows = draft.following(PARTITION_COLUMN, [partitioning])
    return [(row.column_id, row.transform) for row in sorted(rows, key=lambda row: row.partition_key_index)]


def _release_files(draft: Draft, partitioning: PartitionInfoRow) -> None:
    """Detach files from a partitioning that the transaction made and ended again.

    Such a partitioning is never committed.
    """
    if partitioning.partition_id >= 0:
        return
    of_partitioning = {"table_id": partitioning.table_id, "partition_id": partitioning.partition_id}
    for file in draft.rows(DATA_FILE, of_partitioning):
        draft.end(file, *draft.following(FILE_PARTITION_VALUE, [file]))
        draft.insert(replace(file, partition_id=None))


def set_sorting(draft: Draft, change: SetSorting) -> None:
    """Sort future files.

    The catalog has a new schema version, so that whoever keeps what it read asks again. The table has none: what its
    files hold stays the same.
    """
    table = lookup.table_by_id(draft, change.table_id)
    before = draft.rows(SORT_INFO, {"table_id": change.table_id})
    if not change.keys and not before:
        return
    for old in before:
        draft.end(old)
        draft.forget_followers("sort_id", old.sort_id)
    if change.keys:
        draft.insert(SortInfoRow(sort_id=change.sort_id, table_id=change.table_id))
    for index, key in enumerate(change.keys):
        check_text("expression of a sort key", key.expression)
        check_text("dialect of a sort key", key.dialect)
        if not key.expression.strip():
            raise InvalidInputError("A sort key must have an expression; nothing was changed.")
        if key.direction not in ("ASC", "DESC") or key.null_order not in ("NULLS_FIRST", "NULLS_LAST"):
            raise InvalidInputError(
                f"A sort key is ASC or DESC, with NULLS_FIRST or NULLS_LAST, not {key.direction} {key.null_order}."
            )
        draft.insert(
            SortExpressionRow(
                sort_id=change.sort_id,
                table_id=change.table_id,
                sort_key_index=index,
                expression=key.expression,
                dialect=key.dialect,
                sort_direction=key.direction,
                null_order=key.null_order,
                trusted=key.trusted or None,
            )
        )
    log_altered(draft, table)


def check_not_a_key(draft: Draft, table_id: TableId, column_id: ColumnId, name: str) -> None:
    """Refuse to drop a column that files are partitioned by.

    Raises:
        InvalidInputError: The column is such a key.
    """
    partitioned = draft.following(PARTITION_COLUMN, draft.rows(PARTITION_INFO, {"table_id": table_id}))
    if any(key.column_id == column_id for key in partitioned):
        raise InvalidInputError(
            f'Cannot drop column "{name}" - the table is partitioned by this column.'
            " Reset or change the partitioning on this table in order to drop this column"
        )
