"""What an engine tells of rows that it changed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from forklake.model.definitions import NewDataFile, NewDeleteFile
from forklake.model.ids import DataFileId

if TYPE_CHECKING:
    import pyarrow as pa


@dataclass(frozen=True, slots=True)
class Inlining:
    """How many rows the metadata takes: at most so many deletes of one change, and at most so many new rows."""

    deletes: int
    rows: int


NO_INLINING: Final = Inlining(0, 0)


@dataclass(frozen=True, slots=True)
class ChangedRows:
    """What was written for changed rows, and what becomes of the files that hold the old ones.

    Attributes:
        whole_files: Data files of which no row is left.
        delete_files: What is deleted of others, earlier deletions included.
        positions: What is deleted of others and goes into the metadata.
        inlined: Ids of rows in the metadata that go.
        data_files: New rows, and updated ones, which carry the ids they had.
        rows: New rows if they are few enough for the metadata: the columns of the table, then the ids that updated
            ones keep.
        deleted_count: How many rows go, updated ones included.
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
