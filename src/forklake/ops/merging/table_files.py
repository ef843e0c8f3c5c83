"""The files and inlined rows that a merge concerns, as each side has them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

from forklake.catalog.holdings import Held
from forklake.metastore.differences import read_otherwise, uids_of_files
from forklake.metastore.written_tables import DATA_FILE, DELETE_FILE, INLINED_DELETE, INLINED_ROW, MetadataTable
from forklake.model.ids import DataFileId, RowUid, TableId
from forklake.model.lazy_dataclass import dataclass
from forklake.model.rows import InlinedRow
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
    changed = sides.changed_by(side, (*_OF_FILES, INLINED_ROW), tables) if tables else {}
    for kind, rows in changed.items():
        for row in rows:
            if kind is INLINED_ROW:
                row_ids.setdefault(row.table_id, set()).add(row.row_id)
            else:
                files.setdefault(row.table_id, set()).add(row.data_file_id)
    for base in sides.bases if tables else ():
        for table, file in read_otherwise(sides.session, base.version, side.version, sides.imported_catalogs, tables):
            files.setdefault(table, set()).add(file)
    return {
        table: Touched(frozenset(files.get(table, ())), frozenset(row_ids.get(table, ())))
        for table in {*files, *row_ids}
    }


def holdings_of(sides: Sequence[Side], table_id: TableId, what: Touched) -> list[Held]:
    """Return what each of some sides has of some files and inlined rows of a table."""
    return [of_side[table_id] for of_side in holdings_by_table(sides, {table_id: what})]


def holdings_by_table(sides: Sequence[Side], touched: Mapping[TableId, Touched]) -> list[dict[TableId, Held]]:
    """Return what each of some sides has of some files and inlined rows of tables.

    There is one query for the files of all sides, and for each side one for each kind of row that it has, however many
    tables there are.
    """
    files = {file for what in touched.values() for file in what.files}
    uids = uids_of_files(sides[0].store, [side.version for side in sides], _OF_FILES, files)
    return [_holdings(side, of_side, touched) for side, of_side in zip(sides, uids, strict=True)]


def _holdings(
    side: Side, uids: Mapping[MetadataTable[Any], Sequence[RowUid]], touched: Mapping[TableId, Touched]
) -> dict[TableId, Held]:
    data, deletes, positions = (_by_table(side.rows_by_uids(kind, uids[kind])) for kind in _OF_FILES)
    inlined = _by_table(_inlined_rows(side, touched))
    return {
        table: Held.of(
            side.version,
            data.get(table, ()),
            deletes.get(table, ()),
            positions.get(table, ()),
            [row for row in inlined.get(table, ()) if row.row_id in what.row_ids],
        )
        for table, what in touched.items()
    }


def _inlined_rows(side: Side, touched: Mapping[TableId, Touched]) -> list[InlinedRow]:
    tables = sorted(table for table, what in touched.items() if what.row_ids)
    row_ids = sorted({row_id for what in touched.values() for row_id in what.row_ids})
    return side.rows(INLINED_ROW, {"table_id": tables, "row_id": row_ids}) if tables else []


def _by_table(rows: Iterable[Any]) -> dict[TableId, list[Any]]:
    found: dict[TableId, list[Any]] = {}
    for row in rows:
        found.setdefault(row.table_id, []).append(row)
    return found


def is_as_base(bases: Iterable[Held], side: Held, what: Touched) -> bool:
    """Return whether a side has files and inlined rows exactly as all bases have them."""
    return all(side.file_value(file) == base.file_value(file) for base in bases for file in what.files) and all(
        side.row_value(row_id) == base.row_value(row_id) for base in bases for row_id in what.row_ids
    )
