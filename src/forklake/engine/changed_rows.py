"""What an engine reports about rows that it changed."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

from forklake.model import types
from forklake.model.definitions import NewDataFile, NewDeleteFile
from forklake.model.field import Field
from forklake.model.ids import DataFileId
from forklake.model.lazy_dataclass import dataclass
from forklake.model.scan import ROW_ID_COLUMN, ROW_ID_FIELD_ID

if TYPE_CHECKING:
    import pyarrow as pa


@dataclass(frozen=True, slots=True)
class Inlining:
    """How many rows of one change may go into the metadata instead of files.

    Deletes and new rows each have a limit.
    """

    deletes: int
    rows: int


NO_INLINING: Final = Inlining(0, 0)

ROW_ID_FIELD: Final = Field(ROW_ID_FIELD_ID, ROW_ID_COLUMN, types.INT64)
"""The column of files with updated rows that holds the ids they had."""

TWICE: Final = (
    "The same row was updated multiple times - this is not (yet) supported in DuckLake."
    " Eliminate duplicate matches prior to running the UPDATE"
)
"""What is said of a row that would be updated twice."""


def without_ids(file: NewDataFile) -> NewDataFile:
    """Return a file without statistics of row ids, which are no column of the table."""
    stats = {name: given for name, given in file.column_stats.items() if name != ROW_ID_COLUMN}
    return replace(file, column_stats=stats)


@dataclass(frozen=True, slots=True)
class ChangedRows:
    """Files written for changed rows, and the fate of files with the old ones.

    Attributes:
        whole_files: Data files of which no row is left.
        delete_files: Delete files for other data files, earlier deletions included.
        positions: Deleted rows of other data files that are recorded in the metadata.
        inlined: Ids of deleted rows that the metadata held.
        data_files: New rows, and updated ones, which carry the ids they had.
        rows: New rows if they are few enough for the metadata: the columns of the table, then the ids that
            updated rows keep.
        deleted_count: How many rows are deleted, updated ones included.
        inserted_count: How many rows are new.
    """

    whole_files: tuple[DataFileId, ...]
    delete_files: tuple[NewDeleteFile, ...]
    positions: tuple[tuple[DataFileId, int], ...]
    inlined: tuple[int, ...]
    data_files: tuple[NewDataFile, ...]
    rows: pa.Table | None
    deleted_count: int
    inserted_count: int
