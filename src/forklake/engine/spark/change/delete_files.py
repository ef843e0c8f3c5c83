"""Deleted rows of data files, as delete files or as positions in the metadata.

Tasks write the delete files. Positions go into the metadata if there are few.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict
from typing import Final
from uuid import uuid4

import numpy as np
import pyarrow as pa
from pyspark.sql import DataFrame

from forklake.engine.changed_rows import TWICE
from forklake.engine.spark.driver.progress import progress
from forklake.errors import ForklakeError, InvalidInputError
from forklake.files import storage
from forklake.files.deletes import read_deletes, write_delete_file
from forklake.model.definitions import NewDeleteFile
from forklake.model.ids import DataFileId
from forklake.model.lazy_dataclass import dataclass
from forklake.model.scan import OWN_FILE, OWN_POSITION, ScanFile, ScanPlan
from forklake.model.write import WriteTarget

FILE: Final = OWN_FILE
POSITION: Final = OWN_POSITION

_PLACE: Final = f"{FILE} bigint, {POSITION} bigint"
_RESULT: Final = "data_file bigint, deleted bigint, delete_file string, positions array<bigint>"


@dataclass(frozen=True, slots=True)
class DeletedPlaces:
    """What becomes of the data files with deleted rows.

    Attributes:
        whole_files: Data files of which no row is left.
        delete_files: Delete files for other data files, earlier deletions included.
        positions: Deleted rows of other data files that are recorded in the metadata.
        count: How many rows are deleted.
    """

    whole_files: tuple[DataFileId, ...] = ()
    delete_files: tuple[NewDeleteFile, ...] = ()
    positions: tuple[tuple[DataFileId, int], ...] = ()
    count: int = 0


def write_delete_files(
    places: DataFrame, plan: ScanPlan, target: WriteTarget, *, inlining_row_limit: int = 0, may_repeat: bool = False
) -> DeletedPlaces:
    """Write delete files for the data files with deleted rows.

    Positions stay on the executors: one task writes the delete file of one data file. Only positions that may
    be few enough for the metadata come to the driver.

    Args:
        places: The rows to delete: `FILE` and `POSITION`.
        plan: What was scanned to find them.
        target: The table.
        inlining_row_limit: Up to so many deleted rows, of files that keep others, are not written to files.
        may_repeat: Whether a row may occur twice, as it is only deleted.

    Raises:
        InvalidInputError: A row occurs twice and may not; nothing is left behind.
    """
    mark = f"ducklake-{uuid4()}"
    storage.make_directory(target.directory)
    files = {file.data_file_id: file for file in plan.files}
    try:
        with progress(places.sparkSession, f'Deleting from "{target.table}"'):
            found = _run(places, _Task(files, target, mark, inlining_row_limit, may_repeat))
            few = [one for one in found if one.positions is not None]
            if sum(one.deleted for one in found if not one.is_whole) > inlining_row_limit and few:
                # Each file has few of them, but all of them together are too many.
                again = _run(_frame(places, few), _Task(files, target, mark, 0, may_repeat))
                found, few = [one for one in found if one.positions is None] + again, []
    except BaseException:
        with suppress(ForklakeError):
            storage.delete(path for path in storage.list_files(target.directory) if mark in path)
        raise
    return DeletedPlaces(
        whole_files=tuple(one.data_file_id for one in found if one.is_whole),
        delete_files=tuple(NewDeleteFile(**json.loads(one.delete_file)) for one in found if one.delete_file),
        positions=tuple((one.data_file_id, position) for one in few for position in sorted(one.positions or ())),
        count=sum(one.deleted for one in found),
    )


@dataclass(frozen=True, slots=True)
class _FileDeletes:
    """What a task did for one data file."""

    data_file_id: DataFileId
    deleted: int
    delete_file: str | None
    positions: Sequence[int] | None

    @property
    def is_whole(self) -> bool:
        return self.delete_file is None and self.positions is None


def _run(places: DataFrame, task: _Task) -> list[_FileDeletes]:
    found = places.groupBy(FILE).applyInArrow(task.function(), _RESULT).collect()
    return [_FileDeletes(*row) for row in found]


def _frame(places: DataFrame, few: Sequence[_FileDeletes]) -> DataFrame:
    rows = [(one.data_file_id, position) for one in few for position in one.positions or ()]
    files, positions = zip(*rows, strict=True)
    table = pa.table({FILE: pa.array(files, pa.int64()), POSITION: pa.array(positions, pa.int64())})
    return places.sparkSession.createDataFrame(table, _PLACE)


@dataclass(frozen=True, slots=True)
class _Task:
    """Writes the delete file of one data file; runs on the executors.

    It is given the places of the rows to delete.
    """

    files: Mapping[DataFileId, ScanFile]
    target: WriteTarget
    mark: str
    inlining_row_limit: int
    may_repeat: bool

    def function(self) -> Callable[[pa.Table], pa.Table]:
        # Of a method, Spark would count the object among the arguments.
        def delete(places: pa.Table) -> pa.Table:
            return self._delete(places)

        return delete

    def _delete(self, places: pa.Table) -> pa.Table:
        file = self.files[places.column(FILE)[0].as_py()]
        positions = np.unique(places.column(POSITION).to_numpy())
        count = positions.size
        if count < places.num_rows and not self.may_repeat:
            raise InvalidInputError(TWICE)
        earlier = np.array([], np.int64) if file.deletes is None else read_deletes(file.deletes)
        delete_file = few = None
        # What the metadata deletes may be in the delete file as well, if another wrote it.
        gone = np.unique(np.concatenate([earlier, positions, np.asarray(file.inlined_deletes, np.int64)])).size
        if gone < file.record_count:
            if count <= self.inlining_row_limit:
                few = positions.tolist()
            else:
                delete_file = self._write(file, np.union1d(earlier, positions))
        return pa.table(
            {
                "data_file": pa.array([file.data_file_id], pa.int64()),
                "deleted": pa.array([count], pa.int64()),
                "delete_file": pa.array([delete_file], pa.string()),
                "positions": pa.array([few], pa.list_(pa.int64())),
            }
        )

    def _write(self, file: ScanFile, positions: np.ndarray[tuple[int], np.dtype[np.int64]]) -> str:
        made = write_delete_file(
            self.target.directory,
            file.data_file_id,
            file.path,
            positions,
            is_encrypted=self.target.is_encrypted,
            name=f"{self.mark}-{uuid4().hex[:12]}-delete.parquet",
        )
        return json.dumps(asdict(made))
