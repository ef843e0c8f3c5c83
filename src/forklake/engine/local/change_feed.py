"""The change feed of a table, read in this process.

It has the same rows as the change feed of Spark, and needs no shuffle.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from forklake.engine.local.file_rows import Rows, Selection, file_rows, inlined_rows
from forklake.engine.local.scan_tasks import Piece, piece_rows, tasks
from forklake.files.deletes import read_deletes
from forklake.model.change_scan import ChangePlan, NewDeletes
from forklake.model.ids import SnapshotId
from forklake.model.scan import ScanFile

_Keys = set[tuple[int, int]]


@dataclass(frozen=True, slots=True)
class Span:
    """A range of snapshots up to ``last``, with or without ``first``."""

    first: SnapshotId
    last: SnapshotId
    with_first: bool

    def covers(self, snapshots: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Return which snapshots are in the range."""
        after = snapshots >= int(self.first) if self.with_first else snapshots > int(self.first)
        return after & (snapshots <= int(self.last))


@dataclass(frozen=True, slots=True)
class Insertions:
    """Rows that were inserted."""

    pieces: tuple[Piece, ...]
    span: Span


@dataclass(frozen=True, slots=True)
class Changes:
    """All changes of a range of snapshots.

    One task reads them all: an update is recognized by both of its rows.
    """

    plan: ChangePlan
    span: Span


FeedTask = Insertions | Changes


def has_changes(plan: ChangePlan, span: Span, *, deletions: bool) -> bool:
    """Return whether a plan may contain changes of a range of snapshots."""
    begun = [file.snapshot_id for file in plan.inserted.files]
    begun += [snapshot for rows in plan.inserted.inlined for _, snapshot, _ in rows.rows]
    return bool(span.covers(np.array(begun, np.int64)).any()) or (deletions and _has_deletions(plan, span))


def feed_tasks(plan: ChangePlan, span: Span, *, deletions: bool) -> list[FeedTask]:
    """Return what each task reads to find the changes of a range of snapshots.

    Without ``deletions`` these are only the insertions.
    """
    if deletions and _has_deletions(plan, span):
        return [Changes(plan, span)]
    return [Insertions(pieces, span) for pieces in tasks(plan.inserted.files, plan.inserted.inlined)]


def feed_rows(task: FeedTask, selection: Selection) -> Iterator[tuple[Rows, pa.Array]]:
    """Yield the changed rows of a task, with the type of each change.

    A type is ``insert``, ``delete``, ``update_preimage`` or ``update_postimage``. The snapshot of a row is the
    one that changed it.
    """
    if isinstance(task, Insertions):
        for rows in _insertions(task, selection):
            yield rows, pa.repeat("insert", len(rows))
        return
    added = task.plan.inserted
    pieces = tuple(piece for of_task in tasks(added.files, added.inlined) for piece in of_task)
    inserted = Insertions(pieces, task.span)
    bare = replace(selection, wanted=())
    updated = _keys(_insertions(inserted, bare)) & _keys(_deletions(task, bare))
    for rows in _insertions(inserted, selection):
        yield rows, _change_types(rows, updated, "insert", "update_postimage")
    for rows in _deletions(task, selection):
        yield rows, _change_types(rows, updated, "delete", "update_preimage")


def _has_deletions(plan: ChangePlan, span: Span) -> bool:
    ends = [*plan.ended_files.values(), *plan.ended_rows.values(), *(one.snapshot_id for one in plan.deletes)]
    ends += [at for _, _, at in plan.inlined_deletes]
    return bool(span.covers(np.array(ends, np.int64)).any())


def _insertions(task: Insertions, selection: Selection) -> Iterator[Rows]:
    for rows in piece_rows(task.pieces, selection):
        yield rows.where(task.span.covers(np.asarray(rows.snapshots)))


def _deletions(task: Changes, selection: Selection) -> Iterator[Rows]:
    """Yield the deleted rows, each with the snapshot that deleted it."""
    for rows in _ended_rows(task.plan, selection):
        yield rows.where(task.span.covers(np.asarray(rows.snapshots)))


def _ended_rows(plan: ChangePlan, selection: Selection) -> Iterator[Rows]:
    for file in plan.ended.files:
        for rows in file_rows(file, selection):
            yield _with_snapshots(rows, np.full(len(rows), int(plan.ended_files[file.path])))
    for kept in plan.ended.inlined:
        if kept.rows:
            ends = [plan.ended_rows[row_id, begun] for row_id, begun, _ in kept.rows]
            yield _with_snapshots(inlined_rows(kept, selection), np.array(ends, np.int64))
    for file in plan.deleted_from.files:
        yield from _deletions_from(file, plan, selection)


def _deletions_from(file: ScanFile, plan: ChangePlan, selection: Selection) -> Iterator[Rows]:
    """Yield the deleted rows of a file that still has others."""
    places, ends = _places(file, plan.deletes, plan.inlined_deletes)
    for rows in file_rows(file, selection):
        begin, end = np.searchsorted(places, [rows.positions[0], rows.positions[-1] + 1]) if len(rows) else (0, 0)
        if begin == end:
            continue
        is_deleted = np.isin(rows.positions, places[begin:end], assume_unique=True)
        yield _with_snapshots(rows.where(is_deleted), ends[begin:end])


def _places(
    file: ScanFile, deletes: Sequence[NewDeletes], inlined: Sequence[tuple[str, int, SnapshotId]]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the deleted positions of a file, in order, and the snapshot of each."""
    found: dict[int, int] = {position: int(at) for path, position, at in inlined if path == file.path}
    for one in deletes:
        if one.data_file_id == file.data_file_id:
            positions = read_deletes(one.after)
            if one.before is not None:
                positions = np.setdiff1d(positions, read_deletes(one.before), assume_unique=True)
            found.update(dict.fromkeys(positions.tolist(), int(one.snapshot_id)))
    places = np.array(sorted(found), np.int64)
    return places, np.array([found[position] for position in places.tolist()], np.int64)


def _with_snapshots(rows: Rows, snapshots: NDArray[np.int64]) -> Rows:
    return replace(rows, snapshots=pa.array(snapshots, pa.int64()))


def _keys(parts: Iterator[Rows]) -> _Keys:
    return {key for rows in parts for key in zip(rows.snapshots.to_pylist(), rows.row_ids.to_pylist(), strict=True)}


def _change_types(rows: Rows, updated: _Keys, alone: str, paired: str) -> pa.Array:
    if not updated:
        return pa.repeat(alone, len(rows))
    keys = zip(rows.snapshots.to_pylist(), rows.row_ids.to_pylist(), strict=True)
    return pa.array([paired if key in updated else alone for key in keys], pa.string())
