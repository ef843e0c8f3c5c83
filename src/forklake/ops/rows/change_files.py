"""Adds written files to a table, and ends files."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from forklake.catalog.fields import table_fields
from forklake.catalog.places import table_directory
from forklake.catalog.table_files import table_files
from forklake.catalog.transaction import Staging
from forklake.errors import InvalidInputError, InvalidPathError
from forklake.model import change
from forklake.model.definitions import NewDataFile, NewDeleteFile
from forklake.model.ids import DataFileId, DeleteFileId
from forklake.model.name_mapping import name_mapping
from forklake.model.rows import TableRow
from forklake.ops.lakes.runtime import Runtime
from forklake.ops.maintenance.files_to_delete import doomed_files
from forklake.ops.rows.register_files import register_files


def append_files(staging: Staging, runtime: Runtime, table: TableRow, files: Sequence[NewDataFile]) -> int:
    """Add written data files to a table; return how many rows they hold.

    The columns of a file have field ids and the names of the table's columns, or a mapping says which they are.

    Raises:
        InvalidPathError: A path does not lie below the table's directory.
        InvalidInputError: Partition values do not fit the table's partitioning, or a file waits for deletion.
    """
    for file in files:
        if file.is_adopted:
            raise InvalidPathError(
                f'File "{file.path}" was written by others; nothing was registered.',
                hint="Say table.storage.add_files(path).",
            )
    if staging.may_alter_later:
        named = name_mapping(table_fields(staging.draft, table.table_id))
        files = [file if file.mapping is not None else replace(file, mapping=named) for file in files]
    register_files(staging, table.table_id, files)
    _check_not_doomed(staging, runtime, table, files)
    return sum(file.record_count for file in files)


def delete_rows(staging: Staging, runtime: Runtime, table: TableRow, delete_files: Sequence[NewDeleteFile]) -> int:
    """Register written delete files; return how many more rows are deleted.

    Each holds all deleted positions of its data file.

    Raises:
        NotFoundError: A data file is not part of the table.
        InvalidInputError: A file waits for deletion.
    """
    before = _live_rows(staging, table)
    numbered = tuple((DeleteFileId(staging.new_file()), file) for file in delete_files)
    staging.stage(change.DeleteRows(table.table_id, numbered))
    _check_not_doomed(staging, runtime, table, delete_files)
    return before - _live_rows(staging, table)


def remove_files(staging: Staging, table: TableRow, data_file_ids: Sequence[int]) -> int:
    """End data files with their delete files; return how many rows that removes.

    Raises:
        NotFoundError: A data file is not part of the table.
    """
    before = _live_rows(staging, table)
    staging.stage(change.RemoveFiles(table.table_id, tuple(DataFileId(file) for file in data_file_ids)))
    return before - _live_rows(staging, table)


def _check_not_doomed(
    staging: Staging, runtime: Runtime, table: TableRow, files: Sequence[NewDataFile | NewDeleteFile]
) -> None:
    """Refuse names of files that clean-up may be about to delete.

    If the head was read for this change alone, it has told whether any file waits. It is asked here, not under the
    lock of the commit, which stays one call: a new name can be scheduled by nobody.
    """
    if not staging.files_wait:
        return
    catalog = staging.draft.version.catalog_id
    directory = table_directory(runtime.store, runtime.lake_path, staging.draft, table)
    doomed = doomed_files(runtime.store, runtime.lake_path, [catalog], [directory + file.path for file in files])
    if doomed:
        raise InvalidInputError(
            f'File "{doomed[0]}" was not added: no table needs the file of that name any more, and it waits for'
            " deletion.",
            hint="Write it again, under a name that no file of the table had.",
        )


def _live_rows(staging: Staging, table: TableRow) -> int:
    """Return how many rows of a table's files are not deleted."""
    files = table_files(staging.draft, table.table_id)
    deleted = sum(file.delete_count for file in files.deletes.values())
    return sum(file.record_count for file in files.data) - deleted - sum(map(len, files.inlined_deletes.values()))
