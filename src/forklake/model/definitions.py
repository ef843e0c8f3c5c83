"""Definitions that callers hand in: columns to create, files to register."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import field
from typing import Literal

from forklake.model.ids import DataFileId, MappingId
from forklake.model.lazy_dataclass import dataclass


@dataclass(frozen=True, slots=True)
class ColumnDefinition:
    """A column to create, with what is nested in it.

    ``children`` are the fields of a struct, the element of a list, or the key and value of a map.
    """

    name: str
    type: str
    nulls_allowed: bool = True
    default: str | None = None
    default_is_expression: bool = False
    children: tuple[ColumnDefinition, ...] = ()
    trusted: bool = field(default=True, kw_only=True, compare=False, repr=False)
    """Whether a default that is an expression runs with the reach of whoever inserts rows."""

    @property
    def field_count(self) -> int:
        """How many columns and nested fields it is, itself included."""
        return 1 + sum(child.field_count for child in self.children)


@dataclass(frozen=True, slots=True)
class ColumnStats:
    """Statistics of one column of one file.

    ``value_count`` counts the values that are not NULL; bounds are text.
    """

    value_count: int | None = None
    null_count: int | None = None
    min_value: str | None = None
    max_value: str | None = None
    contains_nan: bool | None = None
    column_size_bytes: int | None = None
    extra_stats: str | None = None


@dataclass(frozen=True, slots=True)
class VariantStats:
    """Statistics of one shredded path of a variant column of one file."""

    column: str
    variant_path: str
    shredded_type: str | None = None
    stats: ColumnStats = ColumnStats()


@dataclass(frozen=True, slots=True)
class MappedColumn:
    """A column of a file without field ids, and the matching column of the table."""

    source_name: str
    target: str
    is_partition: bool = False
    children: tuple[MappedColumn, ...] = ()


@dataclass(frozen=True, slots=True)
class NameMapping:
    """How the columns of a file are found by their names."""

    columns: tuple[MappedColumn, ...]


@dataclass(frozen=True, slots=True)
class NewDataFile:
    """A written data file that is to become part of a table.

    Attributes:
        path: Where it is: below the table's directory, or anywhere if it is adopted.
        partition_values: One for each key of the table's partitioning, as text.
        mapping: How its columns are found if it has no field ids: a new mapping, or the id of a mapping that
            another file of the table uses.
        column_stats: Statistics by the name of the column; nested fields by their names with dots between.
    """

    path: str
    record_count: int
    file_size_bytes: int
    footer_size: int | None = None
    column_stats: Mapping[str, ColumnStats] = field(default_factory=dict)
    variant_stats: tuple[VariantStats, ...] = ()
    partition_values: tuple[str | None, ...] = ()
    mapping: NameMapping | MappingId | None = None
    encryption_key: str | None = None
    is_adopted: bool = False
    """Whether others wrote it; its path is absolute then."""
    columns_known: bool = True
    """Whether it holds columns as files of its table do; else its footer tells."""


@dataclass(frozen=True, slots=True)
class NewDeleteFile:
    """A written delete file with all deleted positions of one data file.

    Positions that were deleted earlier are included.
    """

    data_file_id: DataFileId
    path: str
    delete_count: int
    file_size_bytes: int
    footer_size: int | None = None
    encryption_key: str | None = None
    format: str = "parquet"


@dataclass(frozen=True, slots=True)
class MacroParameter:
    """A parameter of a macro; one with a default may be omitted.

    Attributes:
        default_type: The type of a default that is a value, as DuckLake stores it; without one, and without a type of
            the parameter, numbers and truth values are taken for what they look like, and all else for text.
    """

    name: str
    type: str | None = None
    default: str | None = None
    default_is_expression: bool = False
    default_type: str | None = field(default=None, repr=False)


@dataclass(frozen=True, slots=True)
class MacroImplementation:
    """One overload of a macro: an expression (``scalar``) or a query (``table``)."""

    sql: str
    parameters: tuple[MacroParameter, ...] = ()
    type: Literal["scalar", "table"] = "scalar"
    dialect: str = "duckdb"
    trusted: bool = field(default=True, kw_only=True, compare=False, repr=False)
    """Whether it runs with the reach of whoever calls it; else it reaches its own catalog only."""


FindMacro = Callable[[tuple[str, ...]], Sequence[MacroImplementation]]
"""Returns the overloads of a macro by the parts of its name; none if there is no such macro."""


@dataclass(frozen=True, slots=True)
class PartitionField:
    """One key of a partitioning.

    ``transform`` is ``identity``, ``year``, ``month``, ``day``, ``hour``, one of these with ``epoch_`` before it, or
    ``bucket(N)``.
    """

    column: str
    transform: str = "identity"


@dataclass(frozen=True, slots=True)
class SortKey:
    """One key of a sort order: an expression over the columns."""

    expression: str
    direction: Literal["ASC", "DESC"] = "ASC"
    null_order: Literal["NULLS_FIRST", "NULLS_LAST"] = "NULLS_LAST"
    dialect: str = "duckdb"
    trusted: bool = field(default=True, kw_only=True, compare=False, repr=False)
    """Whether it runs with the reach of whoever writes rows; else macros do not take names of built-in functions."""
