"""Making files that were written part of a table, and ending files."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from forklake.catalog.fields import table_fields
from forklake.catalog.transaction import Staging
from forklake.model import change
from forklake.model.definitions import NewDataFile, NewDeleteFile
from forklake.model.ids import DataFileId, DeleteFileId
from forklake.model.name_mapping import name_mapping
from forklake.model.rows import TableRow
from forklake.ops.register_files import register_files


def append_files(staging: Staging, table: TableRow, files: Sequence[NewDataFile]) -> None:
    """Make data files that were written part of a table.

    The columns of a file have field ids and the names of the table's columns, or a mapping says what they are.

    Raises:
        InvalidPathError: A path does not lie below the table's directory.
        InvalidInputError: Partition values do not fit the table's partitioning.
    """
    named = name_mapping(table_fields(staging.draft, table.table_id)) if staging.may_alter_later else None
    register_files(
        staging, table.table_id, [file if file.mapping is not None else replace(file, mapping=named) for file in files]
    )


def delete_rows(staging: Staging, table: TableRow, delete_files: Sequence[NewDeleteFile]) -> None:
    """Make delete files that were written count; each holds all deleted positions of its data file.

    Raises:
        NotFoundError: A data file is not part of the table.
    """
    numbered = tuple((DeleteFileId(staging.new_file()), file) for file in delete_files)
    staging.stage(change.DeleteRows(table.table_id, numbered))


def remove_files(staging: Staging, table: TableRow, data_file_ids: Sequence[int]) -> None:
    """End data files, with their delete files: none of their rows is part of the table any more.

    Raises:
        NotFoundError: A data file is not part of the table.
    """
    staging.stage(change.RemoveFiles(table.table_id, tuple(DataFileId(file) for file in data_file_ids)))
