"""Rows that a change has found, kept until its files are written."""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import field
from typing import Any, Final, cast

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray
from py4j.protocol import Py4JError
from pyspark import StorageLevel
from pyspark.sql import DataFrame
from pyspark.sql import functions as F  # noqa: N812

from forklake.engine.spark.driver.failures import SPARK_ERRORS
from forklake.engine.spark.driver.progress import progress
from forklake.engine.spark.driver.session import is_remote
from forklake.engine.spark.read.collect import arrow_rows
from forklake.engine.spark.read.primed_files import is_deterministic
from forklake.files.arrow.arrays import numbers_of
from forklake.model.ids import DataFileId
from forklake.model.lazy_dataclass import dataclass
from forklake.model.scan import OWN_FILE, OWN_POSITION, OWN_ROW_ID, ScanFile, ScanPlan

FILE: Final = OWN_FILE
POSITION: Final = OWN_POSITION
ROW_ID: Final = OWN_ROW_ID

NUMBER: Final = "_ducklake_forklake_number"
"""The column with the numbers of the rows of a small source, from 0 on."""

_PLACE: Final = "_ducklake_forklake_place"
_POSITION_BITS: Final = 31
_MOST_FILE_ID: Final = 2**32
_MOST_ROWS: Final = 2**24
_MOST_FILES: Final = 500
_MOST_BYTES: Final = 2**29
"""So many bytes of kept rows are at most 2^24 rows: each takes 32 bytes and more."""


@dataclass(frozen=True, slots=True)
class KeptRows:
    """Rows that change.

    Attributes:
        frame: The rows.
        told: Where they are, in the memory of the driver, if they are few. The methods read it.
    """

    frame: DataFrame
    told: pa.Table | None = field(default=None, repr=False)

    def places(self) -> NDArray[np.int64]:
        """Return where rows of data files are, in order; `split_places` reads the result."""
        assert self.told is not None
        return np.sort(numbers_of(self.told.column(_PLACE).drop_null()))

    def inlined_ids(self) -> list[int]:
        """Return the ids of rows that the metadata holds."""
        if self.told is None:
            is_inlined = F.col(FILE).isNull() & F.col(ROW_ID).isNotNull()
            return [row[0] for row in self.frame.where(is_inlined).select(ROW_ID).collect()]
        is_inlined = self.told.column(_PLACE).is_null()
        found: list[int] = self.told.column(ROW_ID).filter(is_inlined).drop_null().to_pylist()
        return found

    def numbers(self) -> NDArray[np.int64]:
        """Return the numbers of the source rows that were matched."""
        told = self.told if self.told is not None else arrow_rows(self.frame.select(NUMBER).distinct())
        return numbers_of(told.column(NUMBER).drop_null())


def split_places(places: NDArray[np.int64]) -> list[tuple[DataFileId, NDArray[np.int64]]]:
    """Return each data file of some places, with the positions in it, in order."""
    files = places >> _POSITION_BITS
    ends = np.flatnonzero(np.diff(files)) + 1
    firsts = [0, *ends.tolist()] if places.size else []
    positions = np.split(places & ((1 << _POSITION_BITS) - 1), ends)
    return [(DataFileId(int(files[first])), part) for first, part in zip(firsts, positions, strict=False)]


@contextmanager
def keep_rows(
    rows: DataFrame, plan: ScanPlan, *, keep: bool, may_repeat: bool = False, is_scan: bool = False
) -> Iterator[KeptRows]:
    """Provide rows that change, with their places in the driver if they are few.

    Args:
        rows: The rows, with the columns of `OWN_PLACES`.
        plan: What was scanned to find them.
        keep: Whether more is asked of them than their places.
        may_repeat: Whether a row may occur any number of times.
        is_scan: Whether they are rows of the plan, each once, so that there are no more of them than in its files.
    """
    is_packable = len(plan.files) <= _MOST_FILES and all(_is_packable(file) for file in plan.files)
    are_in_few = is_packable and sum(file.record_count for file in plan.files) <= _MOST_ROWS
    # The job that tells where the rows are keeps them, too. What it loses, Spark finds again before the job ends.
    at_once = are_in_few and (_is_deterministic(rows) if keep and is_scan else not keep and not may_repeat)
    with materialize(rows, keep=keep, at_first_use=at_once) as kept:
        are_few = at_once or (is_packable and keep and _stored_bytes(kept) <= _MOST_BYTES)
        yield KeptRows(kept, _tell(kept, plan) if are_few else None)


@contextmanager
def materialize(rows: DataFrame, *, keep: bool, at_first_use: bool = False) -> Iterator[DataFrame]:
    """Provide rows that are computed once, however often they are used.

    They are kept in memory as far as possible. They are never computed again, not even if an executor is lost:
    a condition that is not deterministic would then write other rows than were deleted. The job fails with
    `LostRowsError` instead. Only those of a client of Spark Connect, which are cached, are computed again.

    With ``at_first_use``, the first job that uses all of them computes them. Until it has ended, Spark may compute some
    twice.
    """
    if not keep:
        yield rows
    elif is_remote(rows.sparkSession):
        kept = rows.persist(StorageLevel.MEMORY_AND_DISK)  # what is checkpointed, other sessions of a client do not see
        try:
            yield kept
        finally:
            with suppress(*SPARK_ERRORS):
                kept.unpersist()
    else:
        kept = rows.localCheckpoint(eager=not at_first_use, storageLevel=StorageLevel.MEMORY_AND_DISK)
        try:
            yield kept
        finally:
            with suppress(*SPARK_ERRORS):  # what is lost with Java takes no room
                # Not by the RDD itself, which would warn that it cannot be computed again.
                _context(kept).unpersistRDD(_rdd_id(kept), False)


def _context(kept: DataFrame) -> Any:
    return cast("Any", kept.sparkSession).sparkContext._jsc.sc()


def _rdd_id(kept: DataFrame) -> int:
    return cast("int", cast("Any", kept)._jdf.logicalPlan().rdd().id())


def _is_deterministic(rows: DataFrame) -> bool:
    """Return whether Spark knows that rows are the same each time they are computed."""
    if is_remote(rows.sparkSession):
        return False
    with suppress(Py4JError):
        return is_deterministic(rows)
    return False


def _stored_bytes(kept: DataFrame) -> float:
    """Return how many bytes kept rows take, in memory and on disk, on all executors."""
    if is_remote(kept.sparkSession):
        return math.inf
    rdd_id = _rdd_id(kept)
    found = [info for info in _context(kept).getRDDStorageInfo() if info.id() == rdd_id]
    return sum(int(info.memSize()) + int(info.diskSize()) for info in found)


def _is_packable(file: ScanFile) -> bool:
    return -_MOST_FILE_ID < file.data_file_id < _MOST_FILE_ID and file.record_count < 1 << _POSITION_BITS


def _tell(kept: DataFrame, plan: ScanPlan) -> pa.Table:
    """Return the places of rows, the ids of those that may be inlined, and numbers."""
    place = (F.shiftleft(FILE, _POSITION_BITS) + F.col(POSITION)).alias(_PLACE)
    others = [name for name, is_needed in ((ROW_ID, bool(plan.inlined)), (NUMBER, True)) if is_needed]
    with progress(kept.sparkSession, f'Finding rows of "{plan.table}"'):
        return arrow_rows(kept.select(place, *(name for name in others if name in kept.columns)))
