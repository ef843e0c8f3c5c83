"""The change feed of a table, read in this process.

It has the same rows as the change feed of Spark, and needs no shuffle.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from forklake.engine.engine import Kind
from forklake.engine.local.file_rows import Rows, Selection, file_rows, inlined_rows
from forklake.engine.local.scan_tasks import Piece, piece_rows, tasks
from forklake.engine.statement_limits import charge
from forklake.files.arrow.schema import display_type
from forklake.files.parquet.deletes import read_deletes
from forklake.model.change_scan import ChangePlan, DatedScan, NetChanges, NewDeletes, PlainChanges
from forklake.model.ids import DataFileId, SnapshotId
from forklake.model.lazy_dataclass import dataclass
from forklake.model.scan import ScanFile

_Keys = set[tuple[int, int]]
_Versions = set[tuple[int, int, int]]


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

    def covers_any(self, snapshots: Sequence[SnapshotId]) -> bool:
        """Return whether one of some snapshots is in the range."""
        return bool(self.covers(np.array(snapshots, np.int64)).any())

    def within(self, part: PlainChanges) -> Span:
        """Return the part of the range that a part of a plan tells of."""
        is_later = part.first > self.first
        last = min(self.last, part.last)
        return Span(part.first, last, with_first=True) if is_later else replace(self, last=last)


@dataclass(frozen=True, slots=True)
class Insertions:
    """Rows that were inserted."""

    pieces: tuple[Piece, ...]
    span: Span


@dataclass(frozen=True, slots=True)
class MergedInsertions:
    """Rows that merges brought."""

    net: NetChanges
    span: Span


@dataclass(frozen=True, slots=True)
class Changes:
    """All changes of a range of snapshots.

    One task reads them all: an update is recognized by both of its rows.
    """

    plan: ChangePlan
    span: Span


FeedTask = Insertions | MergedInsertions | Changes


def has_changes(plan: ChangePlan, span: Span, *, deletions: bool) -> bool:
    """Return whether a plan may contain changes of a range of snapshots."""
    begun: list[SnapshotId | None] = [snapshot for net in plan.merged for snapshot in net.after.snapshots]
    for part in plan.plain:
        begun += [file.snapshot_id for file in part.inserted.files]
        begun += [snapshot for rows in part.inserted.inlined for _, snapshot, _ in rows.rows]
    known = [snapshot for snapshot in begun if snapshot is not None]
    return span.covers_any(known) or (deletions and _has_deletions(plan, span))


def feed_tasks(plan: ChangePlan, span: Span, *, deletions: bool) -> list[FeedTask]:
    """Return what each task reads to find the changes of a range of snapshots.

    Without ``deletions`` these are only the insertions.
    """
    if deletions and _has_deletions(plan, span):
        return [Changes(plan, span)]
    return _insertion_tasks(plan, span)


def _insertion_tasks(plan: ChangePlan, span: Span) -> list[FeedTask]:
    plain: list[FeedTask] = [
        Insertions(pieces, span.within(part))
        for part in plan.plain
        for pieces in tasks(part.inserted.files, part.inserted.inlined)
    ]
    return plain + [MergedInsertions(net, span) for net in plan.merged if span.covers_any(net.after.snapshots)]


def feed_rows(task: FeedTask, selection: Selection) -> Iterator[tuple[Rows, pa.Array]]:
    """Yield the changed rows of a task, with the type of each change.

    A type is ``insert``, ``delete``, ``update_preimage`` or ``update_postimage``. The snapshot of a row is the
    one that changed it.
    """
    if not isinstance(task, Changes):
        for rows in _insertions(task, selection):
            yield rows, pa.repeat("insert", len(rows))
        return
    inserted = _insertion_tasks(task.plan, task.span)
    bare = replace(selection, wanted=())
    updated = _keys(_all_insertions(inserted, bare)) & _keys(_deletions(task, bare))
    for rows in _all_insertions(inserted, selection):
        yield rows, _change_types(rows, updated, "insert", "update_postimage")
    for rows in _deletions(task, selection):
        yield rows, _change_types(rows, updated, "delete", "update_preimage")


def read_changes(plan: ChangePlan, kind: Kind) -> pa.Table:
    """Return all changes of a plan.

    They are as `forklake.engine.engine.Engine.changes` describes.

    Raises:
        DataFileError: A file is missing, damaged, or cannot be decrypted.
    """
    charge(*plan.scans)
    selection = Selection(plan.table, plan.fields, plan.fields)
    span = Span(plan.first, plan.last, with_first=True)
    whole = Changes(plan, span)
    found: Iterator[tuple[Rows, pa.Array | None]]
    match kind:
        case "insertions":
            found = ((rows, None) for rows in _all_insertions(_insertion_tasks(plan, span), selection))
        case "deletions":
            found = ((rows, None) for rows in _deletions(whole, selection))
        case "all":
            found = feed_rows(whole, selection)
    marks = [("snapshot_id", pa.int64()), ("rowid", pa.int64())]
    marks += [("change_type", pa.string())] if kind == "all" else []
    schema = pa.schema([*marks, *((field.name, display_type(field)) for field in plan.fields)])
    batches = []
    for rows, kinds in found:
        told = [rows.snapshots, rows.row_ids, *([] if kinds is None else [kinds])]
        batches.append(pa.record_batch([*told, *rows.columns], schema=schema))
    return pa.Table.from_batches(batches, schema)


def _has_deletions(plan: ChangePlan, span: Span) -> bool:
    ends = [snapshot for net in plan.merged for snapshot in net.before.snapshots]
    for part in plan.plain:
        ends += [*part.ended.snapshots, *(one.snapshot_id for one in part.deletes)]
        ends += [at for _, _, at in part.inlined_deletes]
    return span.covers_any(ends)


def _all_insertions(found: Sequence[FeedTask], selection: Selection) -> Iterator[Rows]:
    for task in found:
        yield from _insertions(task, selection)


def _insertions(task: FeedTask, selection: Selection) -> Iterator[Rows]:
    assert not isinstance(task, Changes)
    if isinstance(task, MergedInsertions):
        found = _net_rows(task.net.after, task.net.before, selection)
    else:
        found = piece_rows(task.pieces, selection)
    for rows in found:
        yield rows.where(task.span.covers(np.asarray(rows.snapshots)))


def _deletions(task: Changes, selection: Selection) -> Iterator[Rows]:
    """Yield the deleted rows, each with the snapshot that deleted it."""
    for rows in _ended_rows(task.plan, selection):
        yield rows.where(task.span.covers(np.asarray(rows.snapshots)))


def _ended_rows(plan: ChangePlan, selection: Selection) -> Iterator[Rows]:
    for part in plan.plain:
        for rows, told in _dated_rows(part.ended, selection):
            yield _with_snapshots(rows, told)
        for file in part.deleted_from.files:
            yield from _deletions_from(file, part, selection)
    for net in plan.merged:
        yield from _net_rows(net.before, net.after, selection)


def _dated_rows(dated: DatedScan, selection: Selection) -> Iterator[tuple[Rows, NDArray[np.int64]]]:
    """Yield rows, with the snapshot that each is told at."""
    for file, snapshot in zip(dated.scan.files, dated.files, strict=True):
        for rows in file_rows(file, selection):
            yield rows, np.full(len(rows), int(snapshot))
    for kept in dated.scan.inlined:
        if kept.rows:
            told = [dated.rows[row_id, begun] for row_id, begun, _ in kept.rows if begun is not None]
            yield inlined_rows(kept, selection), np.array(told, np.int64)


def _net_rows(side: DatedScan, other: DatedScan, selection: Selection) -> Iterator[Rows]:
    """Yield the rows of one side of merges that the other side lacks.

    A row in another version is another row. Each comes with the snapshot of the merge.
    """
    same: _Versions = set()
    for rows, told in _dated_rows(other, replace(selection, wanted=())):
        same |= set(_versions(rows, told))
    for rows, told in _dated_rows(side, selection):
        keep = np.array([version not in same for version in _versions(rows, told)], np.bool_)
        yield _with_snapshots(rows.where(keep), told[keep])


def _versions(rows: Rows, told: NDArray[np.int64]) -> Iterator[tuple[int, int, int]]:
    return zip(told.tolist(), rows.row_ids.to_pylist(), rows.snapshots.to_pylist(), strict=True)


def _deletions_from(file: ScanFile, plan: PlainChanges, selection: Selection) -> Iterator[Rows]:
    """Yield the deleted rows of a file that still has others."""
    places, ends = _places(file, plan.deletes, plan.inlined_deletes)
    for rows in file_rows(file, selection):
        begin, end = np.searchsorted(places, [rows.positions[0], rows.positions[-1] + 1]) if len(rows) else (0, 0)
        if begin == end:
            continue
        is_deleted = np.isin(rows.positions, places[begin:end], assume_unique=True)
        yield _with_snapshots(rows.where(is_deleted), ends[begin:end])


def _places(
    file: ScanFile, deletes: Sequence[NewDeletes], inlined: Sequence[tuple[DataFileId, int, SnapshotId]]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the deleted positions of a file, in order, and their snapshots.

    These are the first that deleted each.
    """
    found: dict[int, int] = {position: int(at) for of, position, at in inlined if of == file.data_file_id}
    for one in deletes:
        if one.data_file_id == file.data_file_id:
            positions = read_deletes(one.after)
            if one.before is not None:
                positions = np.setdiff1d(positions, read_deletes(one.before), assume_unique=True)
            for position in positions.tolist():
                found[position] = min(int(one.snapshot_id), found.get(position, int(one.snapshot_id)))
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
