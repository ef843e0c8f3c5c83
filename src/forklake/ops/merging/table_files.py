"""The files and inlined rows that a merge concerns, as each side has them."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from forklake.catalog.holdings import Held
from forklake.metastore.differences import read_otherwise, visible_of_files
from forklake.metastore.written_tables import DATA_FILE, DELETE_FILE, INLINED_DELETE, INLINED_ROW, MetadataTable
from forklake.model.ids import DataFileId, TableId
from forklake.ops.merging.sides import Side, Sides

_OF_FILES: Final[tuple[MetadataTable[Any], ...]] = (DATA_FILE, DELETE_FILE, INLINED_DELETE)


@dataclass(frozen=True, slots=True)
class Touched:
    """The files and inlined rows of a table that one side has otherwise than a base."""

    files: frozenset[DataFileId] = frozenset()
    row_ids: frozenset[int] = frozenset()

    def __or__(self, other: Touched) -> Touched:
        return Touched(self.files | other.files, self.row_ids | other.row_ids)

    def __bool__(self) -> bool:
        return bool(self.files or self.row_ids)


def touches_of(sides: Sides, side: Side, tables: Sequence[TableId]) -> dict[TableId, Touched]:
    """Return the files and inlined rows that a side has otherwise than a base."""
    files: dict[TableId, set[DataFileId]] = {}
    row_ids: dict[TableId, set[int]] = {}
    for kind in _OF_FILES:
        for row in sides.changed_by(side, kind, tables):
            files.setdefault(row.table_id, set()).add(row.data_file_id)
    for base in sides.bases:
        for table, file in read_otherwise(sides.session, base.version, side.version, tables):
            files.setdefault(table, set()).add(file)
    for inlined in sides.changed_by(side, INLINED_ROW, tables):
        row_ids.setdefault(inlined.table_id, set()).add(inlined.row_id)
    return {
        table: Touched(frozenset(files.get(table, ())), frozenset(row_ids.get(table, ())))
        for table in {*files, *row_ids}
    }


def holdings_of(side: Side, table_id: TableId, what: Touched) -> Held:
    """Return what a side has of some files and inlined rows of a table."""
    return holdings_by_table(side, {table_id: what})[table_id]


def holdings_by_table(side: Side, touched: Mapping[TableId, Touched]) -> dict[TableId, Held]:
    """Return what a side has of some files and inlined rows of tables.

    The files of all tables are read with one query for each kind of row, however many tables there are.
    """
    files = {file for what in touched.values() for file in what.files}
    data, deletes, positions = (_rows_by_table(side, kind, files) for kind in _OF_FILES)
    return {
        table: Held.of(
            side.version,
            data.get(table, ()),
            deletes.get(table, ()),
            positions.get(table, ()),
            side.rows(INLINED_ROW, {"table_id": table, "row_id": sorted(what.row_ids)}) if what.row_ids else (),
        )
        for table, what in touched.items()
    }


def _rows_by_table(side: Side, kind: MetadataTable[Any], files: Collection[DataFileId]) -> dict[TableId, list[Any]]:
    found: dict[TableId, list[Any]] = {}
    for row in visible_of_files(side.store, side.version, kind, files) if files else ():
        found.setdefault(row.table_id, []).append(row)
    return found


def is_as_base(bases: Iterable[Held], side: Held, what: Touched) -> bool:
    """Return whether a side has files and inlined rows exactly as all bases have them."""
    return all(side.file_value(file) == base.file_value(file) for base in bases for file in what.files) and all(
        side.row_value(row_id) == base.row_value(row_id) for base in bases for row_id in what.row_ids
    )
