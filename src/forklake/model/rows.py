"""The rows of the metadata tables as values; fields have DuckLake's column names.

A row that was read carries its ``origin``; a new row has none. Ids in a new row that are not known before the
commit are negative (local ids: -1 is the first new one, -2 the second).
"""

from __future__ import annotations

from dataclasses import field, replace
from typing import Self

from forklake.model.ids import (
    CatalogId,
    ColumnId,
    DataFileId,
    DeleteFileId,
    MacroId,
    MappingId,
    PartitionId,
    RowUid,
    SchemaId,
    SnapshotId,
    SortId,
    TableId,
    ViewId,
)
from forklake.model.lazy_dataclass import dataclass
from forklake.model.types import Type
from forklake.model.types.read import is_nested, stored_type


@dataclass(frozen=True, slots=True)
class Origin:
    """Where a row was read from.

    It has the uid of the row, its owner, the snapshot as of which its file is read, and the snapshot that began
    it.
    """

    row_uid: RowUid
    owner: CatalogId
    bound: SnapshotId
    begun: SnapshotId


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """The common base of all rows."""

    origin: Origin | None = field(default=None, compare=False)

    @property
    def uid(self) -> RowUid:
        """The uid of a row that was read."""
        assert self.origin is not None
        return self.origin.row_uid

    def owned_by(self, owner: CatalogId) -> Self:
        """Return a row that was read as if another catalog had written it."""
        assert self.origin is not None
        return replace(self, origin=replace(self.origin, owner=owner))


@dataclass(frozen=True, slots=True, kw_only=True)
class SchemaRow(Row):
    """A schema: a namespace of tables, views and macros."""

    schema_id: SchemaId
    schema_uuid: str
    schema_name: str
    path: str
    path_is_relative: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class TableRow(Row):
    """A table. Its path never changes, even if the table is renamed."""

    table_id: TableId
    table_uuid: str
    schema_id: SchemaId
    table_name: str
    path: str
    path_is_relative: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class ColumnRow(Row):
    """A column, or a nested field of the column ``parent_column``."""

    column_id: ColumnId
    table_id: TableId
    column_order: int
    column_name: str
    column_type: str
    initial_default: str | None
    default_value: str | None
    nulls_allowed: bool
    parent_column: ColumnId | None
    default_value_type: str | None
    default_value_dialect: str | None
    trusted: bool | None = None

    @property
    def is_nested(self) -> bool:
        """Whether it is a struct, a list or a map; its parts have rows of their own."""
        return is_nested(self.column_type)

    @property
    def type(self) -> Type:
        """The type of a column that is not nested."""
        return stored_type(self.column_type)


@dataclass(frozen=True, slots=True, kw_only=True)
class DataFileRow(Row):
    """A Parquet file with rows of a table."""

    data_file_id: DataFileId
    table_id: TableId
    file_order: int | None = None
    path: str
    path_is_relative: bool
    file_format: str = "parquet"
    record_count: int
    file_size_bytes: int
    footer_size: int | None = None
    row_id_start: int | None = None
    partition_id: PartitionId | None = None
    encryption_key: str | None = None
    mapping_id: MappingId | None = None
    partial_max: SnapshotId | None = None
    read_upto: SnapshotId | None = None
    numbering_id: CatalogId | None = None
    origin_snapshot_id: SnapshotId | None = None
    columns_known: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class DeleteFileRow(Row):
    """The deleted positions of one data file.

    At most one delete file is live for a data file.
    """

    delete_file_id: DeleteFileId
    table_id: TableId
    data_file_id: DataFileId
    path: str
    path_is_relative: bool
    format: str = "parquet"
    delete_count: int
    file_size_bytes: int
    footer_size: int | None = None
    encryption_key: str | None = None
    partial_max: SnapshotId | None = None
    read_upto: SnapshotId | None = None
    numbering_id: CatalogId | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class FileColumnStatsRow(Row):
    """Statistics of one column in one data file.

    ``value_count`` counts the values that are not NULL.
    """

    data_file_id: DataFileId
    table_id: TableId
    column_id: ColumnId
    column_size_bytes: int | None = None
    value_count: int | None = None
    null_count: int | None = None
    min_value: str | None = None
    max_value: str | None = None
    contains_nan: bool | None = None
    extra_stats: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class TableStatsRow(Row):
    """Totals of a table; ``record_count`` includes deleted rows until their file ends."""

    table_id: TableId
    record_count: int
    next_row_id: int
    file_size_bytes: int
    next_column_id: int


@dataclass(frozen=True, slots=True, kw_only=True)
class TableColumnStatsRow(Row):
    """Statistics of a column over all files; bounds are never narrowed."""

    table_id: TableId
    column_id: ColumnId
    contains_null: bool | None = None
    contains_nan: bool | None = None
    min_value: str | None = None
    max_value: str | None = None
    extra_stats: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class SchemaVersionRow(Row):
    """The schema version at which a table got its current columns."""

    schema_version: int
    table_id: TableId


@dataclass(frozen=True, slots=True, kw_only=True)
class MergeRow(Row):
    """What a catalog contains of another one, from a snapshot on."""

    source_id: CatalogId
    source_snapshot_id: SnapshotId
    kind: str
    may_return: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class ViewRow(Row):
    """A view: a query under a name."""

    view_id: ViewId
    view_uuid: str
    schema_id: SchemaId
    view_name: str
    dialect: str
    sql: str
    column_aliases: str | None
    trusted: bool | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class MacroRow(Row):
    """A macro; its implementations are rows of their own."""

    schema_id: SchemaId
    macro_id: MacroId
    macro_name: str


@dataclass(frozen=True, slots=True, kw_only=True)
class MacroImplRow(Row):
    """One implementation of a macro; ``type`` is ``scalar`` or ``table``."""

    macro_id: MacroId
    impl_id: int
    dialect: str
    sql: str
    type: str
    trusted: bool | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class MacroParameterRow(Row):
    """One parameter of one implementation of a macro."""

    macro_id: MacroId
    impl_id: int
    column_id: int
    parameter_name: str
    parameter_type: str | None
    default_value: str | None
    default_value_type: str | None
    trusted: bool | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class TagRow(Row):
    """A tag of a table or view; the key ``comment`` is its comment."""

    object_id: int
    key: str
    value: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class ColumnTagRow(Row):
    """A tag of a column."""

    table_id: TableId
    column_id: ColumnId
    key: str
    value: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class ViewColumnTagRow(Row):
    """A tag of a column of a view; such a column has a name but no id."""

    view_id: ViewId
    column_name: str
    key: str
    value: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class PartitionInfoRow(Row):
    """How new files of a table are partitioned."""

    partition_id: PartitionId
    table_id: TableId


@dataclass(frozen=True, slots=True, kw_only=True)
class PartitionColumnRow(Row):
    """One key of a partitioning."""

    partition_id: PartitionId
    table_id: TableId
    partition_key_index: int
    column_id: ColumnId
    transform: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SortInfoRow(Row):
    """How new files of a table are sorted."""

    sort_id: SortId
    table_id: TableId


@dataclass(frozen=True, slots=True, kw_only=True)
class SortExpressionRow(Row):
    """One key of a sort order."""

    sort_id: SortId
    table_id: TableId
    sort_key_index: int
    expression: str
    dialect: str
    sort_direction: str
    null_order: str
    trusted: bool | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class FileVariantStatsRow(Row):
    """Statistics of one shredded path of a variant column in one data file."""

    data_file_id: DataFileId
    table_id: TableId
    column_id: ColumnId
    variant_path: str
    shredded_type: str | None = None
    column_size_bytes: int | None = None
    value_count: int | None = None
    null_count: int | None = None
    min_value: str | None = None
    max_value: str | None = None
    contains_nan: bool | None = None
    extra_stats: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class FilePartitionValueRow(Row):
    """The value of one partition key, the same for all rows of a data file."""

    data_file_id: DataFileId
    table_id: TableId
    partition_key_index: int
    partition_value: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class ColumnMappingRow(Row):
    """How the columns of files without field ids are found."""

    mapping_id: MappingId
    table_id: TableId
    type: str


@dataclass(frozen=True, slots=True, kw_only=True)
class NameMappingRow(Row):
    """One column of a mapping by name."""

    mapping_id: MappingId
    column_id: int
    source_name: str
    target_field_id: ColumnId
    parent_column: int | None
    is_partition: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class InlinedRow(Row):
    """An inlined row of a table; ``document`` has its values by column id, as text."""

    table_id: TableId
    row_id: int
    schema_version: int
    document: str
    origin_snapshot_id: SnapshotId | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class InlinedDeleteRow(Row):
    """An inlined delete: a deleted row of a data file, by position."""

    table_id: TableId
    data_file_id: DataFileId
    row_id: int
