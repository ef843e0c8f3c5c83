"""Replaces data files of a table by files with the same rows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from forklake.catalog import lookup
from forklake.catalog.changes.alteration import own_stats
from forklake.catalog.changes.files import data_files, file_row, insert_facts
from forklake.catalog.draft import Draft
from forklake.catalog.titles import table_title
from forklake.errors import InvalidInputError
from forklake.metastore.written_tables import DELETE_FILE, INLINED_DELETE, TABLE_STATS
from forklake.model.change import CompactFiles, SourceFile
from forklake.model.change_log import LoggedChange
from forklake.model.ids import DataFileId
from forklake.model.names import fold
from forklake.model.rows import ColumnRow, DeleteFileRow, InlinedDeleteRow, TableRow


def compact(draft: Draft, change: CompactFiles) -> None:
    """End the sources with their deletes, and begin the new files.

    The table may have been altered since the files were written. Their columns are those of the base.

    Raises:
        NotFoundError: A source is no longer live.
        InvalidInputError: Rows of a source were deleted that the new files hold.
    """
    if not change.sources:
        return
    table = lookup.table_by_id(draft, change.table_id)
    ids = [source.data_file_id for source in change.sources]
    sources = data_files(draft, change.table_id, ids)
    of_sources = {"table_id": change.table_id, "data_file_id": ids}
    deletes = draft.rows(DELETE_FILE, of_sources)
    positions = draft.rows(INLINED_DELETE, of_sources)
    _check_deletes(draft, change, deletes, positions)
    draft.end(*sources.values(), *deletes, *positions)
    _begin_files(draft, table, change)
    added = [merged.file for merged in change.files]
    stats = own_stats(draft, change.table_id)
    stats = replace(
        stats,
        record_count=stats.record_count
        + sum(file.record_count for file in added)
        - sum(row.record_count for row in sources.values()),
        file_size_bytes=stats.file_size_bytes
        + sum(file.file_size_bytes for file in added)
        - sum(row.file_size_bytes for row in sources.values()),
        origin=None,
    )
    draft.write_latest(TABLE_STATS, change.table_id, [stats])
    draft.log.append(LoggedChange(change.kind, object_id=change.table_id))


def _check_deletes(
    draft: Draft, change: CompactFiles, deletes: Sequence[DeleteFileRow], positions: Sequence[InlinedDeleteRow]
) -> None:
    by_file = {row.data_file_id: row.delete_file_id for row in deletes}
    places: dict[DataFileId, set[int]] = {}
    for row in positions:
        places.setdefault(row.data_file_id, set()).add(row.row_id)
    for source in change.sources:
        file = source.data_file_id
        if SourceFile(file, by_file.get(file), frozenset(places.get(file, ()))) != source:
            raise InvalidInputError(
                f"Rows of data file {file} were deleted from {table_title(draft, change.table_id)} since it was read;"
                " nothing was compacted."
            )


def _begin_files(draft: Draft, table: TableRow, change: CompactFiles) -> None:
    leaves = _base_leaves(draft, change)
    for merged in change.files:
        kept = {name: given for name, given in merged.file.column_stats.items() if fold(name) in leaves}
        variants = tuple(given for given in merged.file.variant_stats if fold(given.column) in leaves)
        file = replace(merged.file, column_stats=kept, variant_stats=variants)
        row = file_row(
            change.table_id,
            merged.data_file_id,
            file,
            merged.partition_id,
            merged.row_id_start,
            partial_max=change.base,
        )
        draft.insert(row)
        insert_facts(draft, table, row, file, leaves)


def _base_leaves(draft: Draft, change: CompactFiles) -> Mapping[str, ColumnRow]:
    """Return the columns that hold values, by the names that the files have for them.

    Columns that were dropped since are left out.
    """
    now = {row.column_id: row for row in lookup.columns(draft, change.table_id)}
    return {name: now[column] for name, column in change.columns if column in now}
