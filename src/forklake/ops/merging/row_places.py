"""Reads where rows are, with their ids and versions.

Those count that the sides may have otherwise than each other.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from forklake.catalog.holdings import Held, files_of, version_of
from forklake.catalog.scan_plan import ScanPlanner
from forklake.engine.local.file_rows import Selection, deleted_positions, file_rows, rows_at
from forklake.engine.statement_limits import charge
from forklake.model.ids import DataFileId
from forklake.model.lazy_dataclass import dataclass
from forklake.model.rows import TableRow
from forklake.model.scan import ScanFile, ScanPlan
from forklake.ops.merging.row_choice import INLINED, Numbers, PlacedRows, unite
from forklake.ops.merging.sides import Side, Sides

_Part = tuple[int, Numbers, Numbers, Numbers]


@dataclass(frozen=True, slots=True)
class SidePlaces:
    """Where sides have rows.

    Attributes:
        places: The live rows of each side. Those that all sides have at one place are left out.
        open: The positions of files that all sides have, at which one of them has no live row; all sides have a live
            row at each other position. Of a file that is not named here, all live rows are among the places.
    """

    places: Sequence[PlacedRows]
    open: Mapping[DataFileId, Numbers]


def read_places(sides: Sides, held: Sequence[tuple[Side, TableRow | None, Held]]) -> SidePlaces:
    """Read the ids and versions of live rows that sides may have otherwise.

    A row is at one place on a side. So one that all have at the same place is the same for all, and nothing is read
    of it: of files that all have, only the rows at positions that one of them deleted.

    Args:
        sides: The sides, for what they are read by.
        held: Each side, the table as it has it, and its files and inlined rows; no table, no rows.
    """
    scans = [_scan(sides, *one) for one in held]
    parts: list[list[_Part]] = [[] if table is None else _inlined_places(of_side) for _, table, of_side in held]
    positions: dict[DataFileId, Numbers] = {}
    for file, scanned in scans[0].items() if len(scans) > 1 else ():
        found = [scan.get(file) for scan in scans]
        if all(one is not None and scanned.has_rows_of(one) for one in found):
            name = next(table.table_name for _, table, _ in held if table is not None)
            positions[file] = _read_open([one for one in found if one is not None], name, parts)
    for scan, of_side, (_, table, _) in zip(scans, parts, held, strict=True):
        for file, scanned in scan.items():
            if file not in positions and table is not None:
                of_side.extend(_read_all(scanned, table))
    return SidePlaces([PlacedRows.of(of_side) for of_side in parts], positions)


def _scan(sides: Sides, side: Side, table: TableRow | None, held: Held) -> dict[DataFileId, ScanFile]:
    files = list(held.files.values())
    if table is None or not files:
        return {}
    planner = ScanPlanner(sides.session, sides.lake_path, side, table, by_origin=True)
    return {file.data_file_id: file for file in planner.plan_rows(files_of(files), []).files}


def _inlined_places(held: Held) -> list[_Part]:
    if not held.rows:
        return []
    ids = np.array(sorted(held.rows), np.int64)
    versions = np.array([version_of(held.rows[row_id]) for row_id in ids.tolist()], np.int64)
    return [(INLINED, ids, versions, ids)]


def _read_open(found: Sequence[ScanFile], table: str, parts: Sequence[list[_Part]]) -> Numbers:
    """Add the rows of a file that not all sides have to the parts.

    The positions of these rows are returned. ``found`` has the file with the deletes of each side.
    """
    gone: list[Numbers] = []
    known: dict[object, Numbers] = {}
    for one in found:
        deletes = one.deletes, one.inlined_deletes
        if deletes not in known:
            charge(ScanPlan(table, (), (one,)))
            known[deletes] = deleted_positions(one)
        gone.append(known[deletes])
    rows = rows_at(found[0], unite(*known.values()), table)
    row_ids, versions, positions = _numbers(rows.row_ids), _numbers(rows.snapshots), rows.positions
    for of_side, deleted in zip(parts, gone, strict=True):
        is_live = ~np.isin(positions, deleted, assume_unique=True)
        if is_live.any():
            of_side.append((found[0].data_file_id, row_ids[is_live], versions[is_live], positions[is_live]))
    return positions


def _read_all(scanned: ScanFile, table: TableRow) -> list[_Part]:
    return [
        (scanned.data_file_id, _numbers(rows.row_ids), _numbers(rows.snapshots), rows.positions)
        for rows in file_rows(scanned, Selection(table.table_name, (), ()))
    ]


def _numbers(values: object) -> Numbers:
    return np.asarray(values, np.int64)
