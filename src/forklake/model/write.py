"""The instructions for a writer of data files."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Final

from forklake.model.definitions import ColumnStats, SortKey
from forklake.model.field import Field
from forklake.model.lazy_dataclass import dataclass
from forklake.model.transforms import IDENTITY, Transform

LEAST_CUT_BYTES: Final = 2**20
"""Fewer bytes than this are never cut, however small files are to be: a file has a row group at least."""


@dataclass(frozen=True, slots=True)
class WriteOptions:
    """How files are written; the defaults are those of the options of the same name."""

    target_file_size: int = 512_000_000
    parquet_compression: str = "snappy"
    parquet_compression_level: int | None = None
    parquet_version: int = 2
    parquet_row_group_size: int = 122_880
    parquet_row_group_size_bytes: int | None = None
    per_thread_output: bool = False
    hive_file_pattern: bool = True
    sort_on_insert: bool = True
    write_bounds: bool = True
    write_deletion_vectors: bool = False


@dataclass(frozen=True, slots=True)
class PartitionKey:
    """One key of a partitioning: a top-level column and a transform."""

    column: str
    transform: Transform = IDENTITY


@dataclass(frozen=True, slots=True)
class WriteTarget:
    """Where rows of a table are written to, and how.

    Attributes:
        table: The table's name, for messages.
        directory: The table's directory below the writing catalog's own, ending in a slash; files go there.
        fields: The columns of the table, in order.
        bytes_per_row: The average size of a row in the table's files so far; None if there are none.
        is_encrypted: Whether each file gets a key of its own.
        needs_mapping: Whether files must carry a name mapping even if all their columns have field ids.
        is_private: Whether the directory is that of one write, made by it: if it is gone, the write is over.
        file_count: How many files there are to be, whatever their size; None: as many as their size asks for.
    """

    table: str
    directory: str
    fields: tuple[Field, ...]
    partition_keys: tuple[PartitionKey, ...] = ()
    sort_keys: tuple[SortKey, ...] = ()
    options: WriteOptions = WriteOptions()
    bytes_per_row: float | None = None
    is_encrypted: bool = False
    needs_mapping: bool = False
    is_private: bool = False
    file_count: int | None = None

    def kept_stats(self, found: Mapping[str, ColumnStats]) -> Mapping[str, ColumnStats]:
        """Return of the statistics of a file those that the metadata keeps."""
        if self.options.write_bounds:
            return found
        return {name: replace(stats, min_value=None, max_value=None, extra_stats=None) for name, stats in found.items()}
