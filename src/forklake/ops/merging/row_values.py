"""Values of rows that sides of a merge have: of keys, and of conflicts for people."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

import numpy as np
import pyarrow as pa

from forklake.catalog.fields import table_fields
from forklake.catalog.holdings import Held, files_of
from forklake.catalog.scan_plan import ScanPlanner
from forklake.engine.local.file_rows import Selection
from forklake.engine.local.scan_tasks import piece_rows, tasks
from forklake.files.arrow.schema import display_type
from forklake.files.arrow.values import values_of
from forklake.files.casting.python_values import to_python
from forklake.metastore.written_tables import TABLE
from forklake.model.field import Field
from forklake.model.ids import DataFileId
from forklake.model.lazy_dataclass import dataclass
from forklake.model.names import fold
from forklake.model.rows import TableRow
from forklake.ops.merging.row_choice import Numbers, PlacedRows
from forklake.ops.merging.sides import Side, Sides

ROW_ID: Final = "row_id"
"""The column of row ids, beside those with values."""

Row = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class TwoRows:
    """A row that both sides changed.

    Attributes:
        key: Its key, by column.
        ours: What the target has where they differ; None if it has no such row.
        theirs: What the source has there.
    """

    key: Row
    ours: Row | None
    theirs: Row | None


def read_columns(
    sides: Sides,
    side: Side,
    table: TableRow,
    held: Held,
    columns: tuple[tuple[Field, ...], tuple[Field, ...]],
    row_ids: Numbers,
) -> pa.Table:
    """Read some columns of some rows, as the target has the columns.

    Args:
        sides: The sides, for what they are read by.
        side: The side that has the rows.
        table: The table.
        held: Its files and inlined rows in which the rows may be.
        columns: All columns of the target, and those to read. They come as ``key0``, ``key1`` ...
        row_ids: The ids of the rows.
    """
    (own,) = side.rows(TABLE, {"table_id": table.table_id})
    planner = ScanPlanner(sides.session, sides.lake_path, side, own, by_origin=True)
    plan = planner.plan_rows(files_of(held.files.values()), list(held.rows.values()))
    fields, wanted = columns
    selection = Selection(table.table_name, fields, wanted)
    schema = pa.schema(
        [
            pa.field(ROW_ID, pa.int64()),
            *(pa.field(f"key{place}", display_type(field)) for place, field in enumerate(wanted)),
        ]
    )
    batches = []
    for pieces in tasks(plan.files, plan.inlined):
        for rows in piece_rows(pieces, selection):
            chosen = rows.where(np.isin(np.asarray(rows.row_ids, np.int64), row_ids))
            batches.append(pa.record_batch([chosen.row_ids, *chosen.columns], schema=schema))
    return pa.Table.from_batches(batches, schema)


class ConflictingRows:
    """Reads the rows of conflicts, for people.

    Only files that hold one of them are read.

    Args:
        sides: The sides of the merge.
        table: The table.
        keys: The columns of its key.
        held: The files and inlined rows of a base, of the source and of the target.
        places: Where their rows are.
    """

    def __init__(
        self,
        sides: Sides,
        table: TableRow,
        keys: Sequence[str],
        held: tuple[Held, Held, Held],
        places: tuple[PlacedRows, PlacedRows, PlacedRows],
    ) -> None:
        self._sides, self._table = sides, table
        self._held, self._places = held, places
        self._fields = table_fields(sides.target, table.table_id)
        known = {field.column_id for field in table_fields(sides.source, table.table_id)}
        self._wanted = tuple(field for field in self._fields if field.column_id in known)
        folded = {fold(name) for name in keys}
        self._keys = tuple(field.name for field in self._wanted if fold(field.name) in folded)
        self._has_key = bool(keys) and len(self._keys) == len(folded)

    def read(self, pairs: Sequence[tuple[int, int]]) -> list[TwoRows | None]:
        """Return rows by their ids in the source and in the target.

        None for those that are not known.
        """
        if not self._has_key or not pairs:
            return [None] * len(pairs)
        theirs_ids, ours_ids = (np.unique(np.asarray(ids, np.int64)) for ids in zip(*pairs, strict=True))
        base_side = self._sides.bases[0]
        before = self._rows(0, base_side, np.intersect1d(theirs_ids, ours_ids))
        theirs, ours = self._rows(1, self._sides.source, theirs_ids), self._rows(2, self._sides.target, ours_ids)
        return [
            self._compare(before.get(one) if one == other else None, theirs.get(one), ours.get(other))
            for one, other in pairs
        ]

    def _compare(self, before: Row | None, theirs: Row | None, ours: Row | None) -> TwoRows | None:
        row = next((row for row in (before, ours, theirs) if row is not None), None)
        if row is None:
            return None
        one, other = (theirs, ours) if theirs is not None and ours is not None else (before, theirs or ours)
        differing = [
            field.name
            for field in self._wanted
            if field.name not in self._keys or (before is not None)
            if one is None or other is None or one[field.name] != other[field.name]
        ]
        return TwoRows(
            {name: row[name] for name in self._keys},
            *(None if values is None else {name: values[name] for name in differing} for values in (ours, theirs)),
        )

    def _rows(self, place: int, side: Side, row_ids: Numbers) -> dict[int, Row]:
        placed = self._places[place].only(row_ids)
        files = {DataFileId(file) for file in np.unique(placed.files).tolist()}
        held = self._held[place]
        chosen = Held(
            {file: one for file, one in held.files.items() if file in files},
            {row_id: one for row_id, one in held.rows.items() if row_id in set(row_ids.tolist())},
        )
        if not chosen.files and not chosen.rows:
            return {}
        read = read_columns(self._sides, side, self._table, chosen, (self._fields, self._wanted), row_ids)
        columns = [
            to_python(field.type, values_of(read.column(f"key{number}").combine_chunks()))
            for number, field in enumerate(self._wanted)
        ]
        names = [field.name for field in self._wanted]
        return {
            row_id: dict(zip(names, values, strict=True))
            for row_id, *values in zip(read.column(ROW_ID).to_pylist(), *columns, strict=True)
        }
