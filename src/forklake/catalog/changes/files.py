"""Registers data files and delete files, ends data files, and updates statistics."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from forklake.catalog import lookup
from forklake.catalog.changes import mappings
from forklake.catalog.changes.adopted import check_not_there
from forklake.catalog.changes.alteration import own_stats
from forklake.catalog.combined_stats import storable_bound, widen_stats
from forklake.catalog.draft import Draft
from forklake.catalog.names import check_value
from forklake.catalog.paths import check_adopted_path, check_file_path
from forklake.catalog.state import live_data_files
from forklake.catalog.table_files import is_cut
from forklake.catalog.titles import table_title
from forklake.errors import InvalidInputError, NotFoundError
from forklake.metastore.written_tables import (
    DELETE_FILE,
    FILE_COLUMN_STATS,
    FILE_PARTITION_VALUE,
    FILE_VARIANT_STATS,
    INLINED_DELETE,
    PARTITION_COLUMN,
    PARTITION_INFO,
    TABLE_COLUMN_STATS,
    TABLE_STATS,
)
from forklake.model import types
from forklake.model.change import AppendFiles, DeleteRows, RemoveFiles, RewriteFiles
from forklake.model.change_log import ChangeKind, LoggedChange
from forklake.model.definitions import ColumnStats, NameMapping, NewDataFile, NewDeleteFile, VariantStats
from forklake.model.ids import ColumnId, DataFileId, DeleteFileId, MappingId, PartitionId, SnapshotId, TableId
from forklake.model.names import fold
from forklake.model.rows import (
    ColumnRow,
    DataFileRow,
    DeleteFileRow,
    FileColumnStatsRow,
    FilePartitionValueRow,
    FileVariantStatsRow,
    PartitionColumnRow,
    PartitionInfoRow,
    TableRow,
)


def append(draft: Draft, change: AppendFiles) -> None:
    """Register data files; their rows get the next row ids of the table."""
    if not change.files:
        return
    table = lookup.table_by_id(draft, change.table_id)
    stats = own_stats(draft, change.table_id)
    leaves = leaves_of(lookup.columns(draft, change.table_id))
    merged = lookup.column_stats(draft, change.table_id)
    partitioning = draft.rows(PARTITION_INFO, {"table_id": change.table_id})
    keys = draft.following(PARTITION_COLUMN, partitioning)
    check_not_there(draft, table, [file.path for _, file in change.files if file.is_adopted])
    for mapping_id, mapping in change.mappings:
        mappings.insert(draft, table, mapping_id, mapping)
    used = {id(file.mapping): file.mapping for _, file in change.files}
    for known_mapping in {mapping for mapping in used.values() if isinstance(mapping, int)}:
        mappings.adopt(draft, table, known_mapping)
    new_mappings = mappings.by_definition(change.mappings)
    mapping_ids = {
        key: new_mappings[mapping] if isinstance(mapping, NameMapping) else mapping for key, mapping in used.items()
    }
    given: dict[ColumnId, list[ColumnStats | None]] = {leaf.column_id: [] for leaf in leaves.values()}
    was_empty = stats.record_count == 0
    row_count = byte_count = 0
    for file_id, file in change.files:
        row = file_row(
            change.table_id,
            file_id,
            file,
            _partition_id(partitioning),
            row_id_start=stats.next_row_id + row_count,
            mapping_id=mapping_ids[id(file.mapping)],
        )
        draft.insert(row)
        known = _insert_facts(draft, table, row, file, keys, leaves)
        for column_id, of_column in given.items():
            of_column.append(known.get(column_id))
        row_count += file.record_count
        byte_count += file.file_size_bytes
    stats = replace(
        stats,
        record_count=stats.record_count + row_count,
        next_row_id=stats.next_row_id + row_count,
        file_size_bytes=stats.file_size_bytes + byte_count,
        origin=None,
    )
    for leaf in leaves.values():
        column_id = leaf.column_id
        merged[column_id] = widen_stats(leaf, merged.get(column_id), given[column_id], was_empty=was_empty)
    if max(stats.next_row_id, stats.file_size_bytes) >= 2**63:
        raise InvalidInputError(
            f'Table "{table.table_name}" cannot hold so much: its rows and bytes are counted in 64 bits;'
            " nothing was registered."
        )
    draft.write_latest(TABLE_STATS, change.table_id, [stats])
    draft.write_latest(TABLE_COLUMN_STATS, change.table_id, list(merged.values()))
    draft.log.append(
        LoggedChange(ChangeKind.INSERTED_INTO_TABLE, object_id=change.table_id, unmatched=change.unmatched)
    )


def rewrite(draft: Draft, change: RewriteFiles) -> None:
    """Replace files that this transaction added; their deleted rows stay deleted."""
    table = lookup.table_by_id(draft, change.table_id)
    stats = own_stats(draft, change.table_id)
    leaves = leaves_of(lookup.columns(draft, change.table_id))
    partitioning = draft.rows(PARTITION_INFO, {"table_id": change.table_id})
    keys = draft.following(PARTITION_COLUMN, partitioning)
    old_rows = data_files(draft, change.table_id, [file_id for file_id, _ in change.files])
    for mapping_id, mapping in change.mappings:
        mappings.insert(draft, table, mapping_id, mapping)
    new_mappings = mappings.by_definition(change.mappings)
    for followers in (FILE_COLUMN_STATS, FILE_PARTITION_VALUE, FILE_VARIANT_STATS):
        draft.forget(followers, "data_file_id", set(old_rows))
    restated: list[tuple[DataFileRow, DataFileRow]] = []
    for file_id, file in change.files:
        old = old_rows[file_id]
        if old.origin is not None or old.record_count != file.record_count:
            raise InvalidInputError(
                f'File "{file.path}" cannot take the place of data file {file_id}: only files of this transaction are'
                " rewritten, row by row; nothing was changed."
            )
        is_partitioned = bool(file.partition_values)
        new = file_row(
            change.table_id,
            file_id,
            file,
            _partition_id(partitioning) if is_partitioned else None,
            row_id_start=old.row_id_start,
            mapping_id=new_mappings[file.mapping] if isinstance(file.mapping, NameMapping) else file.mapping,
        )
        restated.append((old, new))
        _insert_facts(draft, table, new, file, keys if is_partitioned else [], leaves)
        total = stats.file_size_bytes + file.file_size_bytes - old.file_size_bytes
        stats = replace(stats, file_size_bytes=total, origin=None)
    draft.restate(restated)
    mappings.forget_unused(draft, table.table_id, {old.mapping_id for old in old_rows.values()})
    draft.write_latest(TABLE_STATS, change.table_id, [stats])


def insert_written(
    draft: Draft,
    table: TableRow,
    files: Sequence[tuple[DataFileId, NewDataFile]],
    row_id_start: int,
    partial_max: SnapshotId,
) -> None:
    """Register data files whose rows carry their ids and snapshots.

    The totals of the table stay as they are.
    """
    leaves = leaves_of(lookup.columns(draft, table.table_id))
    partitioning = draft.rows(PARTITION_INFO, {"table_id": table.table_id})
    keys = draft.following(PARTITION_COLUMN, partitioning)
    for file_id, file in files:
        row = file_row(
            table.table_id, file_id, file, _partition_id(partitioning), row_id_start, partial_max=partial_max
        )
        draft.insert(row)
        _insert_facts(draft, table, row, file, keys, leaves)


def _partition_id(partitioning: Sequence[PartitionInfoRow]) -> PartitionId | None:
    return partitioning[0].partition_id if partitioning else None


def file_row(
    table_id: TableId,
    file_id: DataFileId,
    file: NewDataFile,
    partition_id: PartitionId | None,
    row_id_start: int | None = None,
    mapping_id: MappingId | None = None,
    partial_max: SnapshotId | None = None,
) -> DataFileRow:
    """Return the row of a new data file."""
    _check_counts(file.path, file.record_count, file.file_size_bytes)
    return DataFileRow(
        data_file_id=file_id,
        table_id=table_id,
        path=check_adopted_path(file.path) if file.is_adopted else check_file_path(file.path),
        path_is_relative=not file.is_adopted,
        record_count=file.record_count,
        file_size_bytes=file.file_size_bytes,
        footer_size=file.footer_size,
        row_id_start=row_id_start,
        partition_id=partition_id,
        encryption_key=check_value("encryption key", file.encryption_key),
        mapping_id=mapping_id,
        partial_max=partial_max,
        columns_known=file.columns_known,
    )


def _insert_facts(
    draft: Draft,
    table: TableRow,
    row: DataFileRow,
    file: NewDataFile,
    keys: list[PartitionColumnRow],
    leaves: Mapping[str, ColumnRow],
) -> dict[ColumnId, ColumnStats]:
    """Add the facts of a file of the table's current partitioning, as `insert_facts`."""
    _check_partition_values(table, keys, file)
    return insert_facts(draft, table, row, file, leaves)


def insert_facts(
    draft: Draft, table: TableRow, row: DataFileRow, file: NewDataFile, leaves: Mapping[str, ColumnRow]
) -> dict[ColumnId, ColumnStats]:
    """Add the partition values and statistics of a file.

    Return the statistics by column.
    """
    for index, value in enumerate(file.partition_values):
        check_value("partition value", value)
        draft.insert(
            FilePartitionValueRow(
                data_file_id=row.data_file_id,
                table_id=table.table_id,
                partition_key_index=index,
                partition_value=value,
            )
        )
    known = _by_column(file, leaves, table.table_name)
    kept = known
    if any(given.extra_stats is not None for given in known.values()):
        # What the totals of a table say of variants in one text, a file has for each path.
        variants = {column.column_id for column in leaves.values() if column.type == types.VARIANT}
        kept = {
            column: replace(given, extra_stats=None) if column in variants else given for column, given in known.items()
        }
    draft.insert(*(_file_stats(row.data_file_id, table.table_id, column, given) for column, given in kept.items()))
    draft.insert(*(_variant_stats(row.data_file_id, leaves, table, given) for given in file.variant_stats))
    return known


def _check_partition_values(table: TableRow, keys: list[PartitionColumnRow], file: NewDataFile) -> None:
    if len(file.partition_values) != len(keys):
        raise InvalidInputError(
            f'File "{file.path}" contains an invalid partition value for the table configuration: table'
            f' "{table.table_name}" has {len(keys)} partition keys, the file {len(file.partition_values)} values.'
        )


def _variant_stats(
    file_id: DataFileId, leaves: Mapping[str, ColumnRow], table: TableRow, given: VariantStats
) -> FileVariantStatsRow:
    column = leaves.get(fold(given.column))
    if column is None or column.type != types.VARIANT:
        raise NotFoundError(f'Table "{table.table_name}" does not have a variant column with name "{given.column}"')
    stats = given.stats
    check_value("path in a variant", given.variant_path)
    check_value("type in a variant", given.shredded_type)
    return FileVariantStatsRow(
        data_file_id=file_id,
        table_id=table.table_id,
        column_id=column.column_id,
        variant_path=given.variant_path,
        shredded_type=given.shredded_type,
        column_size_bytes=stats.column_size_bytes,
        value_count=stats.value_count,
        null_count=stats.null_count,
        min_value=storable_bound(stats.min_value),
        max_value=storable_bound(stats.max_value),
        contains_nan=stats.contains_nan,
        extra_stats=check_value("extra statistics", stats.extra_stats),
    )


def delete_rows(draft: Draft, change: DeleteRows) -> None:
    """Register delete files; at most one is live for each data file."""
    if not change.files:
        return
    lookup.table_by_id(draft, change.table_id)
    check_not_flushed(draft, (file.data_file_id for _, file in change.files))
    insert_deletes(draft, change.table_id, change.files)
    _touch_stats(draft, change.table_id)


def insert_deletes(
    draft: Draft,
    table_id: TableId,
    files: Sequence[tuple[DeleteFileId, NewDeleteFile]],
    partial_max: SnapshotId | None = None,
) -> None:
    """Register delete files, each in place of the previous one, and log the change.

    ``partial_max`` is a snapshot up to which all of their rows were deleted, if each row tells its own.
    """
    ids = [file.data_file_id for _, file in files]
    deleted_from = data_files(draft, table_id, ids)
    for delete_file_id, file in files:
        _check_counts(file.path, file.delete_count, file.file_size_bytes)
        before = draft.rows(DELETE_FILE, {"table_id": table_id, "data_file_id": file.data_file_id})
        rows_in_file = deleted_from[file.data_file_id].record_count
        # Of one that is cut, only some of its deletions count here.
        at_least = max((row.delete_count for row in before if not is_cut(row, draft.version)), default=0)
        if not at_least < file.delete_count < rows_in_file:
            raise InvalidInputError(
                f'Delete file "{file.path}" deletes {file.delete_count} of {rows_in_file} rows of data file'
                f" {file.data_file_id}: it must delete more than the one before it, and not all; nothing was deleted.",
                hint="A delete file holds the earlier deletions too. Remove a data file of which no row is left.",
            )
        draft.end(*before)
        draft.insert(
            DeleteFileRow(
                delete_file_id=delete_file_id,
                table_id=table_id,
                data_file_id=file.data_file_id,
                path=check_file_path(file.path),
                path_is_relative=True,
                format=file.format,
                delete_count=file.delete_count,
                file_size_bytes=file.file_size_bytes,
                footer_size=file.footer_size,
                encryption_key=check_value("encryption key", file.encryption_key),
                partial_max=partial_max,
            )
        )
    _log_deleted(draft, table_id, ids)


def remove(draft: Draft, change: RemoveFiles) -> None:
    """End data files and their delete files."""
    if not change.files:
        return
    lookup.table_by_id(draft, change.table_id)
    check_not_flushed(draft, change.files)
    end_files(draft, change.table_id, change.files)


def end_files(draft: Draft, table_id: TableId, files: Sequence[DataFileId]) -> None:
    """End data files with everything that belongs to them, and log the change.

    The totals of the table are reduced accordingly.
    """
    stats = own_stats(draft, table_id)
    ended = data_files(draft, table_id, files).values()
    for file in ended:
        of_file = {"table_id": table_id, "data_file_id": file.data_file_id}
        draft.end(file, *draft.rows(DELETE_FILE, of_file), *draft.rows(INLINED_DELETE, of_file))
        draft.forget_followers("data_file_id", file.data_file_id)
        stats = replace(
            stats,
            record_count=stats.record_count - file.record_count,
            file_size_bytes=stats.file_size_bytes - file.file_size_bytes,
            origin=None,
        )
    mappings.forget_unused(draft, table_id, {file.mapping_id for file in ended if file.origin is None})
    draft.write_latest(TABLE_STATS, table_id, [replace(stats, origin=None)])
    _log_deleted(draft, table_id, files)


def check_not_flushed(draft: Draft, files: Iterable[DataFileId]) -> None:
    """Refuse to delete rows of files that this transaction flushed inlined data into.

    The change feed could not tell which rows were deleted.

    Raises:
        InvalidInputError: The transaction has flushed into one of them.
    """
    if not draft.flushed.isdisjoint(files):
        raise InvalidInputError(
            "Rows cannot be deleted or updated in the transaction that flushed the inlined data which they are part of;"
            " nothing was changed.",
            hint="Commit the flush first.",
        )


def _touch_stats(draft: Draft, table_id: TableId) -> None:
    draft.write_latest(TABLE_STATS, table_id, [replace(own_stats(draft, table_id), origin=None)])


def _log_deleted(draft: Draft, table_id: TableId, files: Sequence[DataFileId]) -> None:
    draft.log.append(
        LoggedChange(
            ChangeKind.DELETED_FROM_TABLE, object_id=table_id, data_files=frozenset(int(file) for file in files)
        )
    )


def data_files(draft: Draft, table_id: TableId, ids: Sequence[DataFileId]) -> dict[DataFileId, DataFileRow]:
    """Return live data files of a table by id, in the order of the ids.

    Raises:
        InvalidInputError: One is named twice.
        NotFoundError: One is not live.
    """
    if len(set(ids)) != len(ids):
        raise InvalidInputError(f"A data file is named twice in one change: {list(ids)}; nothing was changed.")
    found = {row.data_file_id: row for row in live_data_files(draft, table_id, ids)}
    for file_id in ids:
        if file_id not in found:
            raise NotFoundError(f'Data file with index "{file_id}" does not exist in {table_title(draft, table_id)}!')
    return {file_id: found[file_id] for file_id in ids}


def _check_counts(path: str, count: int, byte_count: int) -> None:
    for value in (count, byte_count):
        if not isinstance(value, int) or isinstance(value, bool) or value < 0:
            raise InvalidInputError(f'File "{path}" was not registered: {value!r} is no count of rows or bytes.')


def leaves_of(rows: list[ColumnRow]) -> dict[str, ColumnRow]:
    """Return the columns that hold values, by their folded and dotted names.

    Only these columns have statistics.
    """
    paths: dict[ColumnId | None, str] = {None: ""}
    leaves = {}
    for row in rows:  # parents come before what is nested in them
        path = paths[row.parent_column] + fold(row.column_name)
        if row.is_nested:
            paths[row.column_id] = f"{path}."
        else:
            leaves[path] = row
    return leaves


def _by_column(file: NewDataFile, columns: Mapping[str, ColumnRow], table_name: str) -> dict[ColumnId, ColumnStats]:
    known = {}
    for name, given in file.column_stats.items():
        column = columns.get(name) or columns.get(fold(name))
        if column is None:
            raise NotFoundError(
                f'Column "{name}" exists in file "{file.path}" but was not found in table "{table_name}"'
            )
        known[column.column_id] = given
    return known


def _file_stats(file_id: DataFileId, table_id: TableId, column_id: ColumnId, given: ColumnStats) -> FileColumnStatsRow:
    return FileColumnStatsRow(
        data_file_id=file_id,
        table_id=table_id,
        column_id=column_id,
        column_size_bytes=given.column_size_bytes,
        value_count=given.value_count,
        null_count=given.null_count,
        min_value=storable_bound(given.min_value),
        max_value=storable_bound(given.max_value),
        contains_nan=given.contains_nan,
        extra_stats=check_value("extra statistics", given.extra_stats),
    )
