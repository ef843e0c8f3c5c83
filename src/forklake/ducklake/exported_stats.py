"""Table statistics in an exported database, where DuckLake relies on them.

DuckLake trusts the bounds of a column: it skips a scan that they exclude, and answers ``min`` and ``max``
from them if as many rows were ever inserted as there are now. Statistics that an import brought are written
unchanged if the table has not changed since. All others are computed from the statistics of the files and
from the inlined rows. They are wide where something is not known, and never claim to be exact. Of a column that had
another type within the exported history there are none: DuckLake then goes by the statistics of files alone.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

from forklake.ducklake.lineage_rows import DatedRow, LineageRows
from forklake.metastore import written_tables as metadata
from forklake.model import types
from forklake.model.ids import ColumnId, DataFileId, SnapshotId, TableId
from forklake.model.lazy_dataclass import dataclass
from forklake.model.promotions import as_float32
from forklake.model.rows import ColumnRow, DataFileRow, FileColumnStatsRow, TableStatsRow
from forklake.model.types import Type
from forklake.model.types.order import order_key

_CHANGING: Final = (metadata.DATA_FILE, metadata.DELETE_FILE, metadata.INLINED_ROW, metadata.INLINED_DELETE)

_WIDEST: Final[Mapping[Type, tuple[str, str | None]]] = {
    **dict.fromkeys((types.FLOAT32, types.FLOAT64), ("-inf", "inf")),
    **dict.fromkeys((types.VARCHAR, types.JSON, types.BLOB), ("", None)),
    **dict.fromkeys((types.DATE, types.TIMESTAMP, types.TIMESTAMPTZ), ("-infinity", "infinity")),
    types.TIME: ("00:00:00", "24:00:00"),
    types.UUID: ("00000000-0000-0000-0000-000000000000", "ffffffff-ffff-ffff-ffff-ffffffffffff"),
    types.BOOLEAN: ("false", "true"),
}
"""The lowest and the highest value of each type, for columns whose bounds are not known. Without any bound DuckLake
would take all values for NULL; with the lower one alone, DuckDB finds no rows above it for most numbers and times.
Texts have no highest value, and need none."""

_UNORDERED: Final[frozenset[Type]] = frozenset({types.BOOLEAN, types.BLOB})
"""Types whose texts differ between files and inlined rows, or do not sort as their values."""


@dataclass(frozen=True, slots=True)
class _Part:
    """The statistics of a column in one file, or in the inlined rows.

    ``is_known`` is False if the bounds are unknown.
    """

    contains_null: bool | None
    contains_nan: bool | None = None
    min_value: str | None = None
    max_value: str | None = None
    has_values: bool = True
    is_known: bool = True


_UNKNOWN: Final = _Part(None, is_known=False)


class ExportedStatistics:
    """Statistics of the tables of a version."""

    def __init__(self, lineage: LineageRows, *, history: bool) -> None:
        self._lineage = lineage
        self._changes: dict[TableId, SnapshotId] = {}
        self._rows: dict[str, dict[TableId, list[DatedRow]]] = {}
        for table in _CHANGING:
            of_tables = self._rows.setdefault(table.name, {})
            for dated in lineage.of(table):
                of = dated.row.table_id
                newest = dated.begin if dated.is_visible else dated.end
                self._changes[of] = max(newest, self._changes.get(of, newest))
                if dated.is_visible:
                    of_tables.setdefault(of, []).append(dated)
        self._first: dict[tuple[TableId, ColumnId], SnapshotId] = {}
        kinds: dict[tuple[TableId, ColumnId], set[Type]] = {}
        for dated in lineage.of(metadata.COLUMN):
            key = (dated.row.table_id, dated.row.column_id)
            self._first[key] = min(dated.begin, self._first.get(key, dated.begin))
            kinds.setdefault(key, set()).add(dated.row.type)
        # DuckLake reads the bounds of now as the type that the column had at the snapshot it is attached at.
        self._retyped = {key for key, had in kinds.items() if len(had) > 1} if history else set()
        self._promoted = {key for key, had in kinds.items() if {types.FLOAT32, types.FLOAT64} <= had}

    def of_tables(self) -> list[Mapping[str, Any]]:
        """Return the rows of ``ducklake_table_stats``."""
        found: list[Mapping[str, Any]] = []
        for table in self._lineage.visible(metadata.TABLE):
            (stats,) = self._lineage.latest(metadata.TABLE_STATS, table.table_id)
            found.append(
                {
                    "table_id": table.table_id,
                    "record_count": stats.record_count
                    if self._is_as_imported(stats)
                    else self._ever_inserted_count(stats.table_id),
                    "next_row_id": stats.next_row_id,
                    "file_size_bytes": stats.file_size_bytes,
                }
            )
        return found

    def of_columns(self) -> list[Mapping[str, Any]]:
        """Return the rows of ``ducklake_table_column_stats``."""
        found: list[Mapping[str, Any]] = []
        for table in self._lineage.visible(metadata.TABLE):
            (stats,) = self._lineage.latest(metadata.TABLE_STATS, table.table_id)
            if self._is_as_imported(stats):
                kept = self._lineage.latest(metadata.TABLE_COLUMN_STATS, table.table_id)
                found += [{name: getattr(row, name) for name in _COLUMNS} for row in kept]
            else:
                found += self._compute(table.table_id)
        return found

    def of_file(self, row: FileColumnStatsRow) -> FileColumnStatsRow:
        """Return a row of ``ducklake_file_column_stats`` for the column's current type.

        A 32-bit float has other digits as a 64-bit float, and DuckDB compares the values it reads with the old texts.
        """
        if (row.table_id, row.column_id) not in self._promoted:
            return row
        return replace(row, min_value=_outer(row.min_value, min), max_value=_outer(row.max_value, max))

    def _is_as_imported(self, stats: TableStatsRow) -> bool:
        """Return whether the statistics are DuckLake's own and still hold.

        They hold if the table has not changed since they were written.
        """
        assert stats.origin is not None
        numbering = self._lineage.numberings.get(stats.origin.owner)
        if numbering is None or self._changes.get(stats.table_id, SnapshotId(-1)) > numbering.last[0]:
            return False
        kept = self._lineage.latest(metadata.TABLE_COLUMN_STATS, stats.table_id)
        return bool(kept) or stats.table_id not in self._changes

    def _visible(self, name: str, table: TableId) -> list[DatedRow]:
        return self._rows[name].get(table, [])

    def _ever_inserted_count(self, table: TableId) -> int:
        """Return a number of rows ever inserted that makes bounds count as not exact.

        It is above the number of rows that there are now.
        """
        rows: int = sum(dated.row.record_count for dated in self._visible(metadata.DATA_FILE.name, table))
        rows += len(self._visible(metadata.INLINED_ROW.name, table))
        deletes = (metadata.DELETE_FILE, metadata.INLINED_DELETE)
        return rows if any(self._visible(of.name, table) for of in deletes) or not rows else rows + 1

    def _compute(self, table: TableId) -> Iterable[Mapping[str, Any]]:
        files = self._visible(metadata.DATA_FILE.name, table)
        rows = [json.loads(dated.row.document) for dated in self._visible(metadata.INLINED_ROW.name, table)]
        by_file: dict[tuple[DataFileId, ColumnId], FileColumnStatsRow] = {
            (row.data_file_id, row.column_id): self.of_file(row)
            for row in self._lineage.following(metadata.FILE_COLUMN_STATS, [dated.row for dated in files])
        }
        for column in self._lineage.columns_at(table, self._lineage.version.snapshot_id):
            if column.is_nested or (table, column.column_id) in self._retyped:
                continue
            parts = [self._of_file(column, dated, by_file) for dated in files]
            if rows:
                inlined = _of_inlined(column, rows)
                if (table, column.column_id) in self._promoted:
                    low, high = _outer(inlined.min_value, min), _outer(inlined.max_value, max)
                    inlined = replace(inlined, min_value=low, max_value=high)
                parts.append(inlined)
            if parts:
                yield _merge_parts(column, parts)

    def _of_file(
        self, column: ColumnRow, dated: DatedRow, by_file: Mapping[tuple[DataFileId, ColumnId], FileColumnStatsRow]
    ) -> _Part:
        file: DataFileRow = dated.row
        found = by_file.get((file.data_file_id, column.column_id))
        if found is None:
            if self._first[column.table_id, column.column_id] <= dated.begin:
                return _UNKNOWN
            # The column is younger than the file, so it has its default in all rows.
            default = column.initial_default
            if default is None:
                return _Part(contains_null=True, contains_nan=False, has_values=False)
            return _Part(False, None, default, default, is_known=order_key(column.type, default) is not None)
        has_values = found.value_count is None or found.value_count > 0
        return _Part(
            contains_null=None if found.null_count is None else found.null_count > 0,
            contains_nan=found.contains_nan,
            min_value=found.min_value,
            max_value=found.max_value,
            has_values=has_values,
            is_known=not has_values or (found.min_value is not None and found.max_value is not None),
        )


def _outer(text: str | None, outer: Callable[[float, float], float]) -> str | None:
    """Return a bound that holds for a value as a 32-bit and as a 64-bit float."""
    if text is None:
        return None
    try:
        value = float(text)
        return repr(outer(value, as_float32(value)))
    except (ValueError, OverflowError):
        return text


_COLUMNS: Final = ("table_id", "column_id", "contains_null", "contains_nan", "min_value", "max_value", "extra_stats")


def _of_inlined(column: ColumnRow, rows: Sequence[Mapping[str, str | None]]) -> _Part:
    if column.parent_column is not None:
        return _UNKNOWN
    values = [row.get(str(column.column_id), column.initial_default) for row in rows]
    there = [value for value in values if value is not None]
    has_nan = isinstance(column.type, types.Float) and any(value.lower() == "nan" for value in there)
    keys = [order_key(column.type, value) for value in there]
    if has_nan or None in keys:
        return _Part(len(there) < len(values), has_nan or None, is_known=False)
    ordered = sorted(there, key=lambda value: order_key(column.type, value))
    return _Part(
        contains_null=len(there) < len(values),
        contains_nan=False if isinstance(column.type, types.Float) else None,
        min_value=ordered[0] if ordered else None,
        max_value=ordered[-1] if ordered else None,
        has_values=bool(ordered),
    )


def _merge_parts(column: ColumnRow, parts: Sequence[_Part]) -> Mapping[str, Any]:
    bounds = [part for part in parts if part.has_values or not part.is_known]
    keys = [
        order_key(column.type, text) for part in bounds for text in (part.min_value, part.max_value) if text is not None
    ]
    is_known = all(part.is_known for part in bounds) and None not in keys and column.type not in _UNORDERED
    lowest: str | None = None
    highest: str | None = None
    if bounds and is_known:
        lowest = min((part.min_value or "" for part in bounds), key=lambda text: order_key(column.type, text))
        highest = max((part.max_value or "" for part in bounds), key=lambda text: order_key(column.type, text))
    elif bounds:
        lowest, highest = _widest(column.type)
    return {
        "table_id": column.table_id,
        "column_id": column.column_id,
        "contains_null": _any(part.contains_null for part in parts),
        "contains_nan": _any(part.contains_nan for part in parts),
        "min_value": lowest,
        "max_value": highest,
        "extra_stats": None,
    }


def _any(flags: Iterable[bool | None]) -> bool | None:
    found = list(flags)
    return True if any(found) else None if None in found else False


def _widest(kind: Type) -> tuple[str | None, str | None]:
    match kind:
        case types.Decimal(precision, scale):
            highest = ("9" * (precision - scale) or "0") + (f".{'9' * scale}" if scale else "")
            return f"-{highest}", highest
        case types.Integer(bits, is_signed):
            return (str(-(2 ** (bits - 1))), str(2 ** (bits - 1) - 1)) if is_signed else ("0", str(2**bits - 1))
    return _WIDEST.get(kind, (None, None))
