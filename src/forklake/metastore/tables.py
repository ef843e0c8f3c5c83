"""The metadata tables as the program knows them: columns, visibility class, the column of their scope."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from enum import Enum, auto
from functools import cached_property
from typing import Any, Final, Generic, TypeVar

from forklake.model import rows
from forklake.model.rows import Row

R = TypeVar("R", bound=Row)

BEGIN: Final = "begin_snapshot"
END: Final = "end_snapshot"

OBJECT_IDS: Final = frozenset({"schema_id", "table_id", "view_id", "macro_id", "partition_id", "sort_id", "object_id"})
"""Columns whose negative values stand for ids of the object sequence."""

FILE_IDS: Final = frozenset({"data_file_id", "delete_file_id", "mapping_id"})
"""Columns whose negative values stand for ids of the file sequence."""


class Visibility(Enum):
    """How a catalog sees the rows of a table; docs/spec/metadata.md has the rules."""

    INTERVAL = auto()
    LATEST = auto()
    FOLLOWS = auto()
    LINEAGE = auto()


@dataclass(frozen=True, eq=False)
class MetadataTable(Generic[R]):
    """One metadata table whose rows belong to catalogs."""

    name: str
    row: type[R]
    visibility: Visibility
    scope: str | None = None
    """The column that holds the table of a row; None puts its tombstones into scope 0."""

    @cached_property
    def columns(self) -> tuple[str, ...]:
        """The columns that a row carries: without owner, uid and interval."""
        return tuple(column.name for column in fields(self.row) if column.name != "origin")

    @cached_property
    def flags(self) -> tuple[int, ...]:
        """The positions of boolean columns, which SQLite returns as numbers."""
        return tuple(
            place
            for place, column in enumerate(column for column in fields(self.row) if column.name != "origin")
            if str(column.type).startswith("bool")
        )

    def decode(self, values: Sequence[Any]) -> dict[str, Any]:
        """Name the values of one result row."""
        named = dict(zip(self.columns, values, strict=True))
        for place in self.flags:
            value = values[place]
            named[self.columns[place]] = None if value is None else bool(value)
        return named

    def scope_of(self, row: R) -> int:
        """Return the scope in which a tombstone for the row is kept."""
        return 0 if self.scope is None else int(getattr(row, self.scope))


SCHEMA: Final = MetadataTable("ducklake_schema", rows.SchemaRow, Visibility.INTERVAL)
TABLE: Final = MetadataTable("ducklake_table", rows.TableRow, Visibility.INTERVAL)
COLUMN: Final = MetadataTable("ducklake_column", rows.ColumnRow, Visibility.INTERVAL, "table_id")
DATA_FILE: Final = MetadataTable("ducklake_data_file", rows.DataFileRow, Visibility.INTERVAL, "table_id")
DELETE_FILE: Final = MetadataTable("ducklake_delete_file", rows.DeleteFileRow, Visibility.INTERVAL, "table_id")
FILE_COLUMN_STATS: Final = MetadataTable("ducklake_file_column_stats", rows.FileColumnStatsRow, Visibility.FOLLOWS)
TABLE_STATS: Final = MetadataTable("ducklake_table_stats", rows.TableStatsRow, Visibility.LATEST)
TABLE_COLUMN_STATS: Final = MetadataTable("ducklake_table_column_stats", rows.TableColumnStatsRow, Visibility.LATEST)
SCHEMA_VERSIONS: Final = MetadataTable("ducklake_schema_versions", rows.SchemaVersionRow, Visibility.LINEAGE)

TABLES: Final[tuple[MetadataTable[Any], ...]] = (
    SCHEMA,
    TABLE,
    COLUMN,
    DATA_FILE,
    DELETE_FILE,
    FILE_COLUMN_STATS,
    TABLE_STATS,
    TABLE_COLUMN_STATS,
    SCHEMA_VERSIONS,
)
BY_NAME: Final = {table.name: table for table in TABLES}
BY_ROW: Final = {table.row: table for table in TABLES}
