"""The rows that differ between two scans, read in this process.

They are the same as Spark's.
"""

from __future__ import annotations

from typing import Final

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from forklake.engine.local.file_rows import Selection
from forklake.engine.local.scan_tasks import piece_rows, tasks
from forklake.engine.statement_limits import charge
from forklake.files.arrow.schema import display_type
from forklake.model.scan import ScanPlan

CHANGE: Final = "change_type"
ROW_ID: Final = "rowid"

_Numbers = NDArray[np.int64]


def read_differences(before: ScanPlan, after: ScanPlan) -> pa.Table:
    """Return rows as `forklake.engine.engine.Engine.differences` describes.

    They come in the order of their ids, the old form of a row before the new one.

    Raises:
        DataFileError: A file is missing, damaged, or cannot be decrypted.
    """
    charge(before, after)
    was, now = _read(before), _read(after)
    keep_was, is_old = _compare(was, now)
    keep_now, is_new = _compare(now, was)
    parts = (
        _name_changes(
            was[2].filter(pa.array(keep_was)), was[0][keep_was], is_old[keep_was], "delete", "update_preimage"
        ),
        _name_changes(
            now[2].filter(pa.array(keep_now)), now[0][keep_now], is_new[keep_now], "insert", "update_postimage"
        ),
    )
    found = pa.concat_tables(parts)
    order = np.argsort(np.concatenate([was[0][keep_was], now[0][keep_now]]), kind="stable")
    names = [CHANGE, ROW_ID, *(field.name for field in after.fields)]
    return found.take(pa.array(order)).rename_columns(names)


def _read(plan: ScanPlan) -> tuple[_Numbers, _Numbers, pa.Table]:
    """Return the ids, the snapshots and the columns of the rows of a plan."""
    selection = Selection(plan.table, plan.fields, plan.fields)
    schema = pa.schema([pa.field(f"c{place}", display_type(field)) for place, field in enumerate(plan.fields)])
    batches, ids, snapshots = [], [np.empty(0, np.int64)], [np.empty(0, np.int64)]
    for pieces in tasks(plan.files, plan.inlined):
        for rows in piece_rows(pieces, selection):
            batches.append(pa.record_batch(list(rows.columns), schema=schema))
            ids.append(np.asarray(rows.row_ids, np.int64))
            snapshots.append(np.asarray(rows.snapshots, np.int64))
    return np.concatenate(ids), np.concatenate(snapshots), pa.Table.from_batches(batches, schema)


def _compare(
    mine: tuple[_Numbers, _Numbers, pa.Table], other: tuple[_Numbers, _Numbers, pa.Table]
) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Return which rows differ, and which the other scan has, too."""
    order = np.argsort(other[0], kind="stable")
    ids, snapshots = other[0][order], other[1][order]
    if not ids.size:
        return np.ones(mine[0].size, np.bool_), np.zeros(mine[0].size, np.bool_)
    at = np.minimum(np.searchsorted(ids, mine[0]), ids.size - 1)
    is_there = ids[at] == mine[0]
    return ~(is_there & (snapshots[at] == mine[1])), is_there


def _name_changes(rows: pa.Table, ids: _Numbers, is_there: NDArray[np.bool_], alone: str, paired: str) -> pa.Table:
    kinds = pa.array(np.where(is_there, paired, alone).tolist(), pa.string())
    return rows.add_column(0, "_id", pa.array(ids)).add_column(0, "_kind", kinds)
