"""The metadata tables that a commit writes, each with the class of its rows."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from operator import attrgetter
from typing import Any, Final, Generic, TypeVar

from forklake.metastore.schema import catalog_tables, file_tables, object_tables
from forklake.metastore.schema import sections as described
from forklake.metastore.schema.description import Table, Visibility
from forklake.model import rows
from forklake.model.lazy_dataclass import dataclass
from forklake.model.rows import Row

R = TypeVar("R", bound=Row)
R_co = TypeVar("R_co", bound=Row, covariant=True)

BEGIN: Final = "begin_snapshot"
END: Final = "end_snapshot"

OBJECT_IDS: Final = frozenset(
    column.name for table in described.TABLES for column in table.columns if column.kind == "object"
)
"""Columns whose negative values stand for ids of the object sequence."""

FILE_IDS: Final = frozenset(
    column.name for table in described.TABLES for column in table.columns if column.kind == "file"
)
"""Columns whose negative values stand for ids of the file sequence."""


@dataclass(frozen=True, eq=False)
class MetadataTable(Generic[R_co]):
    """One metadata table whose rows belong to catalogs, with the class of its rows.

    Attributes:
        described: The description of the table.
        row: The class of its rows, with the columns of a row as fields.
        follows: The interval table whose rows these belong to, and the column that joins them beside the owner.
    """

    described: Table
    row: type[R_co]
    follows: tuple[MetadataTable[Any], str] | None = None

    @cached_property
    def name(self) -> str:
        """The name of the table."""
        return self.described.name

    @cached_property
    def visibility(self) -> Visibility:
        """How a catalog sees its rows."""
        return self.described.visibility

    @cached_property
    def scope(self) -> str | None:
        """The column with the table that a row belongs to.

        None puts its tombstones into scope 0.
        """
        return self.described.scope

    @cached_property
    def columns(self) -> tuple[str, ...]:
        """The columns of a row as a value: without owner, uid and interval."""
        return tuple(column.name for column in self.described.row_columns)

    @cached_property
    def values(self) -> Callable[[Row], tuple[Any, ...]]:
        """Returns the values of a row, in the order of its columns."""
        return attrgetter(*self.columns)

    @cached_property
    def flags(self) -> tuple[int, ...]:
        """The positions of boolean columns, which SQLite returns as numbers."""
        return tuple(place for place, column in enumerate(self.described.row_columns) if column.kind == "flag")

    @cached_property
    def uuids(self) -> tuple[str, ...]:
        """The columns with uuids, which DuckDB returns as values of its own type."""
        return tuple(column.name for column in self.described.row_columns if column.kind == "uuid")

    def decode(self, values: Sequence[Any]) -> dict[str, Any]:
        """Return the values of one result row by column name."""
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


def _following(described: Table, row: type[R], parent: MetadataTable[Any]) -> MetadataTable[R]:
    assert described.follows is not None
    assert described.follows[0] is parent.described
    return MetadataTable(described, row, (parent, described.follows[1]))


SCHEMA: Final = MetadataTable(object_tables.SCHEMA, rows.SchemaRow)
TABLE: Final = MetadataTable(object_tables.TABLE, rows.TableRow)
VIEW: Final = MetadataTable(object_tables.VIEW, rows.ViewRow)
MACRO: Final = MetadataTable(object_tables.MACRO, rows.MacroRow)
COLUMN: Final = MetadataTable(object_tables.COLUMN, rows.ColumnRow)
TAG: Final = MetadataTable(object_tables.TAG, rows.TagRow)
COLUMN_TAG: Final = MetadataTable(object_tables.COLUMN_TAG, rows.ColumnTagRow)
VIEW_COLUMN_TAG: Final = MetadataTable(object_tables.VIEW_COLUMN_TAG, rows.ViewColumnTagRow)
PARTITION_INFO: Final = MetadataTable(object_tables.PARTITION_INFO, rows.PartitionInfoRow)
SORT_INFO: Final = MetadataTable(object_tables.SORT_INFO, rows.SortInfoRow)
DATA_FILE: Final = MetadataTable(file_tables.DATA_FILE, rows.DataFileRow)
DELETE_FILE: Final = MetadataTable(file_tables.DELETE_FILE, rows.DeleteFileRow)
INLINED_ROW: Final = MetadataTable(file_tables.INLINED_ROW, rows.InlinedRow)
INLINED_DELETE: Final = MetadataTable(file_tables.INLINED_DELETE, rows.InlinedDeleteRow)
FILE_COLUMN_STATS: Final = _following(file_tables.FILE_COLUMN_STATS, rows.FileColumnStatsRow, DATA_FILE)
FILE_VARIANT_STATS: Final = _following(file_tables.FILE_VARIANT_STATS, rows.FileVariantStatsRow, DATA_FILE)
FILE_PARTITION_VALUE: Final = _following(file_tables.FILE_PARTITION_VALUE, rows.FilePartitionValueRow, DATA_FILE)
COLUMN_MAPPING: Final = _following(file_tables.COLUMN_MAPPING, rows.ColumnMappingRow, DATA_FILE)
NAME_MAPPING: Final = _following(file_tables.NAME_MAPPING, rows.NameMappingRow, DATA_FILE)
MACRO_IMPL: Final = _following(object_tables.MACRO_IMPL, rows.MacroImplRow, MACRO)
MACRO_PARAMETERS: Final = _following(object_tables.MACRO_PARAMETERS, rows.MacroParameterRow, MACRO)
PARTITION_COLUMN: Final = _following(object_tables.PARTITION_COLUMN, rows.PartitionColumnRow, PARTITION_INFO)
SORT_EXPRESSION: Final = _following(object_tables.SORT_EXPRESSION, rows.SortExpressionRow, SORT_INFO)
TABLE_STATS: Final = MetadataTable(file_tables.TABLE_STATS, rows.TableStatsRow)
TABLE_COLUMN_STATS: Final = MetadataTable(file_tables.TABLE_COLUMN_STATS, rows.TableColumnStatsRow)
SCHEMA_VERSIONS: Final = MetadataTable(catalog_tables.SCHEMA_VERSIONS, rows.SchemaVersionRow)
MERGE: Final = MetadataTable(catalog_tables.MERGE, rows.MergeRow)

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
"""What a catalog holds."""

IDENTITIES: Final[dict[MetadataTable[Any], tuple[str, ...]]] = {
    SCHEMA: ("schema_id",),
    TABLE: ("table_id",),
    VIEW: ("view_id",),
    MACRO: ("macro_id",),
    COLUMN: ("table_id", "column_id"),
    TAG: ("object_id", "key"),
    COLUMN_TAG: ("table_id", "column_id", "key"),
    VIEW_COLUMN_TAG: ("view_id", "column_name", "key"),
    PARTITION_INFO: ("table_id",),
    SORT_INFO: ("table_id",),
    DATA_FILE: ("table_id", "data_file_id"),
    DELETE_FILE: ("table_id", "data_file_id"),
    INLINED_ROW: ("table_id", "row_id"),
    INLINED_DELETE: ("table_id", "data_file_id", "row_id"),
}
"""The columns that say which thing a row is: a version shows at most one row of each, in every interval table."""

_WRITTEN: Final = (*TABLES, MERGE)
BY_NAME: Final = {table.name: table for table in _WRITTEN}
BY_ROW: Final = {table.row: table for table in _WRITTEN}
