"""Rows of many files written into few, by Spark."""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Final
from uuid import uuid4

import pyarrow as pa
from pyspark.sql import SparkSession

from forklake.engine.local.merge_files import merge_files as merge_here
from forklake.engine.local.merge_files import merge_target, merges_here
from forklake.engine.local.scan_tasks import PART_BYTES
from forklake.engine.spark.driver.failures import guard_scan, guard_table
from forklake.engine.spark.driver.progress import progress
from forklake.engine.spark.driver.python_workers import map_in_python
from forklake.engine.spark.driver.shared_path import check_shared
from forklake.engine.spark.read.scan import scan
from forklake.engine.spark.write.write_rows import move_into_place, write
from forklake.files.access import storage
from forklake.model.definitions import NewDataFile
from forklake.model.file_merge import CARRIED_LINEAGE, FileMerge
from forklake.model.scan import ROW_ID_COLUMN, SNAPSHOT_ID_COLUMN
from forklake.model.write import WriteTarget

_REPORT: Final = pa.schema([("number", pa.int64()), ("files", pa.binary())])


def merge_files(spark: SparkSession, merges: Sequence[FileMerge], target: WriteTarget) -> list[list[NewDataFile]]:
    """Write the rows of each merge into new files; return these in the same order.

    One job does all that tasks can do one by one, with PyArrow; all else is a job of its own. If anything fails, no
    new file is left behind, as far as the storage allows.

    Raises:
        InvalidInputError: A value does not fit its column.
        DataFileError: A file cannot be read or written.
        EngineError: A job failed.
    """
    done: dict[int, list[NewDataFile]] = {}
    in_tasks = [number for number, merge in enumerate(merges) if merges_here(merge, target)]
    try:
        if in_tasks:
            done.update(zip(in_tasks, _merge_in_tasks(spark, [merges[at] for at in in_tasks], target), strict=True))
        for number, merge in enumerate(merges):
            if number not in done:
                done[number] = _merge_natively(spark, merge, target)
    except BaseException:
        storage.delete(target.directory + file.path for files in done.values() for file in files)
        raise
    return [done[number] for number in range(len(merges))]


def _merge_natively(spark: SparkSession, merge: FileMerge, target: WriteTarget) -> list[NewDataFile]:
    with guard_scan(merge.plan):
        rows = scan(spark, merge.plan, lineage={"rowid": ROW_ID_COLUMN, "snapshot_id": SNAPSHOT_ID_COLUMN})
        plain = merge_target(merge, target)
        files = write(rows, replace(plain, fields=(*target.fields, *CARRIED_LINEAGE)))
    return [replace(file, path=merge.directory + file.path) for file in files]


def _merge_in_tasks(spark: SparkSession, merges: Sequence[FileMerge], target: WriteTarget) -> list[list[NewDataFile]]:
    directory = f"{target.directory}write-{uuid4()}/"
    order, task_count = spread_merges([merge.byte_count for merge in merges])
    try:
        with guard_table(target.table), progress(spark, f'Merging "{target.table}"'):
            check_shared(spark, target.directory)
            storage.make_directory(directory)
            numbers = spark.range(0, len(merges), 1, task_count)
            task = _task([merges[number] for number in order], target, directory)
            reports = map_in_python(numbers, task, "number long, files binary").collect()
        found: dict[int, list[NewDataFile]] = {order[report.number]: pickle.loads(report.files) for report in reports}
        written = [(file, merge.directory) for number, merge in enumerate(merges) for file in found[number]]
        moved = iter(move_into_place([file for file, _ in written], target, directory, [at for _, at in written]))
    except BaseException:
        storage.delete_directory(directory)
        raise
    return [[next(moved) for _ in found[number]] for number in range(len(merges))]


def spread_merges(byte_counts: Sequence[int]) -> tuple[list[int], int]:
    """Return in which order merges are divided among tasks, and how many tasks.

    Small ones share a task. Tasks take parts of the order that are equally long, and each has large and small ones.

    >>> spread_merges([10, 2**30, 20, 2**30])
    ([1, 3, 2, 0], 4)
    >>> spread_merges([1, 2, 3])
    ([2, 1, 0], 1)
    """
    largest_first = sorted(range(len(byte_counts)), key=lambda number: -byte_counts[number])
    task_count = min(len(byte_counts), max(1, -(-sum(byte_counts) // PART_BYTES)))
    return [at for first in range(task_count) for at in largest_first[first::task_count]], task_count


def _task(
    merges: Sequence[FileMerge], target: WriteTarget, directory: str
) -> Callable[[Iterable[pa.RecordBatch]], Iterator[pa.RecordBatch]]:
    below = directory.removeprefix(target.directory)
    # An attempt that Spark stopped may still run when the write is over: it must not make the directory again.
    private = replace(target, is_private=True)

    def merge(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            numbers = batch.column(0).to_pylist()
            made = [merge_here(replace(merges[number], directory=below), private) for number in numbers]
            files = pa.array([pickle.dumps(of_merge) for of_merge in made], pa.binary())
            yield pa.record_batch([pa.array(numbers, pa.int64()), files], schema=_REPORT)

    return merge
