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
R_co = TypeVar("R_co", bound=Row, covariant=True)

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
class MetadataTable(Generic[R_co]):
    """One metadata table whose rows belong to catalogs."""

    name: str
    row: type[R_co]
    visibility: Visibility
    scope: str | None = None
    """The column that holds the table of a row; None puts its tombstones into scope 0."""
    follows: tuple[MetadataTable[Any], str] | None = None
    """The interval table whose rows these belong to, and the column that joins them beside the owner."""

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

    @cached_property
    def uuids(self) -> tuple[str, ...]:
        """The columns with uuids, which DuckDB returns as values of a type of their own."""
        return tuple(name for name in self.columns if name.endswith("_uuid"))

    def decode(self, values: Sequence[Any]) -> dict[str, Any]:
        """Name the values of one result row."""
        named = dict(zip(self.columns, values, strict=True))
        for place in self.flags:
            value = values[place]
            named[self.columns[place]] = None if value is None else bool(value)
        for column in self.uuids:
            named[column] = str(named[column])
        return named

    def scope_of(self, row: Row) -> int:
        """Return the scope in which a tombstone for the row is kept."""
        return 0 if self.scope is None else int(getattr(row, self.scope))


_INTERVAL, _LATEST, _FOLLOWS, _LINEAGE = Visibility.INTERVAL, Visibility.LATEST, Visibility.FOLLOWS, Visibility.LINEAGE

SCHEMA: Final = MetadataTable("ducklake_schema", rows.SchemaRow, _INTERVAL)
TABLE: Final = MetadataTable("ducklake_table", rows.TableRow, _INTERVAL)
VIEW: Final = MetadataTable("ducklake_view", rows.ViewRow, _INTERVAL)
MACRO: Final = MetadataTable("ducklake_macro", rows.MacroRow, _INTERVAL)
COLUMN: Final = MetadataTable("ducklake_column", rows.ColumnRow, _INTERVAL, "table_id")
TAG: Final = MetadataTable("ducklake_tag", rows.TagRow, _INTERVAL)
COLUMN_TAG: Final = MetadataTable("ducklake_column_tag", rows.ColumnTagRow, _INTERVAL, "table_id")
VIEW_COLUMN_TAG: Final = MetadataTable("ducklake_view_column_tag", rows.ViewColumnTagRow, _INTERVAL)
PARTITION_INFO: Final = MetadataTable("ducklake_partition_info", rows.PartitionInfoRow, _INTERVAL, "table_id")
SORT_INFO: Final = MetadataTable("ducklake_sort_info", rows.SortInfoRow, _INTERVAL, "table_id")
DATA_FILE: Final = MetadataTable("ducklake_data_file", rows.DataFileRow, _INTERVAL, "table_id")
DELETE_FILE: Final = MetadataTable("ducklake_delete_file", rows.DeleteFileRow, _INTERVAL, "table_id")
INLINED_ROW: Final = MetadataTable("ducklake_inlined_row", rows.InlinedRow, _INTERVAL, "table_id")
INLINED_DELETE: Final = MetadataTable("ducklake_inlined_delete", rows.InlinedDeleteRow, _INTERVAL, "table_id")

_OF_FILE, _OF_MAPPING, _OF_MACRO = (DATA_FILE, "data_file_id"), (DATA_FILE, "mapping_id"), (MACRO, "macro_id")
_OF_PARTITION, _OF_SORT = (PARTITION_INFO, "partition_id"), (SORT_INFO, "sort_id")

FILE_COLUMN_STATS: Final = MetadataTable(
    "ducklake_file_column_stats", rows.FileColumnStatsRow, _FOLLOWS, follows=_OF_FILE
)
FILE_VARIANT_STATS: Final = MetadataTable(
    "ducklake_file_variant_stats", rows.FileVariantStatsRow, _FOLLOWS, follows=_OF_FILE
)
FILE_PARTITION_VALUE: Final = MetadataTable(
    "ducklake_file_partition_value", rows.FilePartitionValueRow, _FOLLOWS, follows=_OF_FILE
)
COLUMN_MAPPING: Final = MetadataTable("ducklake_column_mapping", rows.ColumnMappingRow, _FOLLOWS, follows=_OF_MAPPING)
NAME_MAPPING: Final = MetadataTable("ducklake_name_mapping", rows.NameMappingRow, _FOLLOWS, follows=_OF_MAPPING)
MACRO_IMPL: Final = MetadataTable("ducklake_macro_impl", rows.MacroImplRow, _FOLLOWS, follows=_OF_MACRO)
MACRO_PARAMETERS: Final = MetadataTable(
    "ducklake_macro_parameters", rows.MacroParameterRow, _FOLLOWS, follows=_OF_MACRO
)
PARTITION_COLUMN: Final = MetadataTable(
    "ducklake_partition_column", rows.PartitionColumnRow, _FOLLOWS, follows=_OF_PARTITION
)
SORT_EXPRESSION: Final = MetadataTable("ducklake_sort_expression", rows.SortExpressionRow, _FOLLOWS, follows=_OF_SORT)

TABLE_STATS: Final = MetadataTable("ducklake_table_stats", rows.TableStatsRow, _LATEST)
TABLE_COLUMN_STATS: Final = MetadataTable("ducklake_table_column_stats", rows.TableColumnStatsRow, _LATEST)
SCHEMA_VERSIONS: Final = MetadataTable("ducklake_schema_versions", rows.SchemaVersionRow, _LINEAGE)

TABLES: Final[tuple[MetadataTable[Any], ...]] = (
    SCHEMA,
    TABLE,
    VIEW,
    MACRO,
    COLUMN,
    TAG,
    COLUMN_TAG,
    VIEW_COLUMN_TAG,
    PARTITION_INFO,
    SORT_INFO,
    DATA_FILE,
    DELETE_FILE,
    INLINED_ROW,
    INLINED_DELETE,
    FILE_COLUMN_STATS,
    FILE_VARIANT_STATS,
    FILE_PARTITION_VALUE,
    COLUMN_MAPPING,
    NAME_MAPPING,
    MACRO_IMPL,
    MACRO_PARAMETERS,
    PARTITION_COLUMN,
    SORT_EXPRESSION,
    TABLE_STATS,
    TABLE_COLUMN_STATS,
    SCHEMA_VERSIONS,
)
BY_NAME: Final = {table.name: table for table in TABLES}
BY_ROW: Final = {table.row: table for table in TABLES}
