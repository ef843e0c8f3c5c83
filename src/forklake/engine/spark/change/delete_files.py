"""Deleted rows of data files, as delete files or as positions in the metadata.

The driver or tasks write the delete files. Positions go into the metadata if there are few.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import asdict, replace
from typing import Final
from uuid import uuid4

import numpy as np
import pyarrow as pa
from pyspark.sql import DataFrame
from pyspark.sql import functions as F  # noqa: N812

from forklake.engine.changed_rows import TWICE
from forklake.engine.spark.change.kept_rows import FILE, POSITION, KeptRows, split_places
from forklake.engine.spark.driver.progress import progress
from forklake.engine.spark.driver.python_workers import group_in_python
from forklake.errors import ForklakeError, InvalidInputError
from forklake.files.access import storage
from forklake.files.access.keyring import current_keyring
from forklake.files.access.threads import FileThreads
from forklake.files.parquet.deletes import read_deletes, write_delete_file
from forklake.files.parquet.puffin import Positions
from forklake.model.definitions import NewDeleteFile
from forklake.model.ids import DataFileId
from forklake.model.lazy_dataclass import dataclass
from forklake.model.scan import ScanFile, ScanPlan
from forklake.model.write import WriteTarget

_WRITERS: Final = 8
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


@dataclass(frozen=True, slots=True)
class Deletion:
    """Rows to delete.

    Attributes:
        kept: The rows.
        plan: What was scanned to find them.
        target: The table.
        inlining_row_limit: Up to so many deleted rows, of files that keep others, are not written to files.
        may_repeat: Whether a row may occur twice, as it is only deleted.
    """

    kept: KeptRows
    plan: ScanPlan
    target: WriteTarget
    inlining_row_limit: int = 0
    may_repeat: bool = False


@contextmanager
def deleting(deletion: Deletion, *, beside: bool) -> Iterator[Callable[[], DeletedPlaces]]:
    """Provide what becomes of data files with deleted rows.

    The delete files are deleted again if the block fails.
    If the driver knows the places of the rows, it writes the delete files, and with ``beside`` it does so while the
    block runs. If not, the places stay on the executors: one task writes the delete file of one data file, and only
    positions that may be few enough for the metadata come to the driver.

    Raises:
        InvalidInputError: A row occurs twice and may not; the block was not run.
    """
    if not beside or deletion.kept.told is None:
        with progress(deletion.kept.frame.sparkSession, f'Deleting from "{deletion.target.table}"'):
            gone = _write_delete_files(deletion, None if deletion.kept.told is None else deletion.kept.places())
        with _deleted_on_failure(deletion, lambda: gone):
            yield lambda: gone
        return
    places = deletion.kept.places()
    if not deletion.may_repeat and bool((places[1:] == places[:-1]).any()):
        raise InvalidInputError(TWICE)
    with FileThreads(1) as thread:
        result = thread.submit(_write_delete_files, deletion, places).result
        with _deleted_on_failure(deletion, result):
            yield result


@contextmanager
def _deleted_on_failure(deletion: Deletion, result: Callable[[], DeletedPlaces]) -> Iterator[None]:
    try:
        yield
    except BaseException:
        with suppress(Exception):  # what fails while it writes leaves nothing
            storage.delete(deletion.target.directory + file.path for file in result().delete_files)
        raise


def _write_delete_files(deletion: Deletion, places: Positions | None) -> DeletedPlaces:
    """Write delete files for places that the driver knows, or the executors."""
    plan, target = deletion.plan, deletion.target
    if not plan.files:
        return DeletedPlaces()
    mark = f"ducklake-{uuid4()}"
    storage.make_directory(target.directory)
    files = {file.data_file_id: file for file in plan.files}
    task = _Task(files, target, mark, deletion.inlining_row_limit, deletion.may_repeat)
    try:
        found = _run(deletion.kept.frame, task) if places is None else _run_here(task, split_places(places))
        few = [one for one in found if one.positions is not None]
        if sum(one.deleted for one in found if not one.is_whole) > deletion.inlining_row_limit and few:
            # Each file has few of them, but all of them together are too many.
            of_files = [(one.data_file_id, np.asarray(one.positions, np.int64)) for one in few]
            again = _run_here(replace(task, inlining_row_limit=0), of_files)
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


def _run(rows: DataFrame, task: _Task) -> list[_FileDeletes]:
    places = rows.where(F.col(FILE).isNotNull()).select(FILE, POSITION)
    found = group_in_python(places, FILE, task.function(), _RESULT).collect()
    return [_FileDeletes(*row) for row in found]


def _run_here(task: _Task, places: Sequence[tuple[DataFileId, Positions]]) -> list[_FileDeletes]:
    with FileThreads(min(_WRITERS, max(1, len(places)))) as writers:
        return list(writers.map(lambda of_file: task.delete(*of_file), places))


@dataclass(frozen=True, slots=True)
class _Task:
    """Writes the delete file of one data file, in the driver or on the executors."""

    files: Mapping[DataFileId, ScanFile]
    target: WriteTarget
    mark: str
    inlining_row_limit: int
    may_repeat: bool

    def function(self) -> Callable[[pa.Table], pa.Table]:
        keyring = current_keyring()

        # Of a method, Spark would count the object among the arguments.
        def delete(places: pa.Table) -> pa.Table:
            with keyring.use():
                done = self.delete(DataFileId(places.column(FILE)[0].as_py()), places.column(POSITION).to_numpy())
            return pa.table(
                {
                    "data_file": pa.array([done.data_file_id], pa.int64()),
                    "deleted": pa.array([done.deleted], pa.int64()),
                    "delete_file": pa.array([done.delete_file], pa.string()),
                    "positions": pa.array([done.positions], pa.list_(pa.int64())),
                }
            )

        return delete

    def delete(self, data_file_id: DataFileId, given: Positions) -> _FileDeletes:
        """Delete rows of a file, by their positions in any order."""
        file = self.files[data_file_id]
        positions = np.unique(given)
        count = int(positions.size)
        if count < given.size and not self.may_repeat:
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
        return _FileDeletes(data_file_id, count, delete_file, few)

    def _write(self, file: ScanFile, positions: Positions) -> str:
        made = write_delete_file(
            self.target.directory,
            file.data_file_id,
            file.path,
            positions,
            is_encrypted=self.target.is_encrypted,
            as_vector=self.target.options.write_deletion_vectors,
            name=f"{self.mark}-{uuid4().hex[:12]}-delete",
        )
        return json.dumps(asdict(made))
