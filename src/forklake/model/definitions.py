"""What callers hand in: columns to make, files to register."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from forklake.model.ids import DataFileId


@dataclass(frozen=True, slots=True)
class ColumnDefinition:
    """A column to make. ``children`` are the fields of a struct, the element of a list, key and value of a map."""

    name: str
    type: str
    nulls_allowed: bool = True
    default: str | None = None
    children: tuple[ColumnDefinition, ...] = ()


@dataclass(frozen=True, slots=True)
class ColumnStats:
    """What is known of one column of one file; ``value_count`` counts what is not NULL, bounds are text."""

    value_count: int | None = None
    null_count: int | None = None
    min_value: str | None = None
    max_value: str | None = None
    contains_nan: bool | None = None
    column_size_bytes: int | None = None
    extra_stats: str | None = None


@dataclass(frozen=True, slots=True)
class NewDataFile:
    """A data file that was written and is to become part of a table.

    Attributes:
        path: Where it is, below the table's directory.
        column_stats: Statistics by the name of the column; nested fields by their names with dots between.
    """

    path: str
    record_count: int
    file_size_bytes: int
    footer_size: int | None = None
    column_stats: Mapping[str, ColumnStats] = field(default_factory=dict)
    encryption_key: str | None = None


@dataclass(frozen=True, slots=True)
class NewDeleteFile:
    """A delete file that was written: all deleted positions of one data file, earlier ones included."""

    data_file_id: DataFileId
    path: str
    delete_count: int
    file_size_bytes: int
    footer_size: int | None = None
    encryption_key: str | None = None
