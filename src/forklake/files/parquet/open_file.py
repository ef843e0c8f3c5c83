"""A data file being written: row groups, statistics, its key."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from typing import Any, Final

import pyarrow as pa
import pyarrow.parquet as pq

from forklake import files
from forklake.errors import InvalidInputError
from forklake.files.access import storage
from forklake.files.access.keys import WRITER_OPTIONS, encrypting, new_key
from forklake.files.arrow.schema import VARIANT_TYPE
from forklake.files.arrow.wide_integers import narrow_schema
from forklake.files.parquet.footer import TRAILER_SIZE
from forklake.files.parquet.geometry_extents import gather_extents
from forklake.files.parquet.row_order import sort_rows
from forklake.files.parquet.statistics import column_stats, count_nans
from forklake.files.parquet.variant_stats import variant_column_stats, variant_stats
from forklake.model.definitions import NameMapping, NewDataFile
from forklake.model.field import Field
from forklake.model.geometry_stats import GeometryStats
from forklake.model.scan import ROW_ID_COLUMN, SNAPSHOT_ID_COLUMN
from forklake.model.write import LEAST_CUT_BYTES, WriteTarget

_COMPRESSIONS: Final = {"uncompressed": "none", "lz4_raw": "lz4"}
_DECIMALS_AS_INTEGERS: Final = "store_decimal_as_integer"
"""As DuckDB stores decimals. Older releases of PyArrow cannot; readers take either form."""


def table_columns(fields: Sequence[Field]) -> list[Field]:
    """Return the columns without row lineage, which is only in files."""
    return [field for field in fields if field.name not in (ROW_ID_COLUMN, SNAPSHOT_ID_COLUMN)]


class OpenFile:
    """A data file that takes rows of one partition, and writes them group by group."""

    def __init__(
        self,
        target: WriteTarget,
        schema: pa.Schema,
        path: str,
        partition_values: Sequence[str | None],
        text_columns: frozenset[str] = frozenset(),
    ) -> None:
        """Open a new file.

        Args:
            target: The table.
            schema: The columns of the file.
            path: Its path below the table's directory.
            partition_values: The values that all its rows share.
            text_columns: The columns whose integers of 128 bits are written as text.
        """
        self.path = path
        self.text_columns = text_columns
        self._target = target
        self._schema = schema
        self._held = narrow_schema(schema, text_columns)
        self._partition_values = tuple(partition_values)
        self._key = new_key() if target.is_encrypted else None
        self._buffered: list[pa.RecordBatch] = []
        self._buffered_rows = 0
        self._buffered_bytes = 0
        self._held_bytes = 0  # by a writer that writes when it is closed
        self._nan_counts: dict[str, int] = {}
        self._extents: dict[str, GeometryStats] = {}
        self._variant_nulls = {field.name: 0 for field in schema if field.type == VARIANT_TYPE}
        self._columns = [field for field in table_columns(target.fields) if field.name in schema.names]
        self._footer: list[pq.FileMetaData] = []
        self._sink = storage.open_output(
            target.directory + self.path, within=target.directory if target.is_private else None
        )
        try:
            with storage.explain_errors(self.path, "written"):
                self._writer = self._open_writer()
        except BaseException:
            self._sink.close()
            raise

    def _open_writer(self) -> pq.ParquetWriter | files.variants.VariantWriter:
        if VARIANT_TYPE in self._schema.types:
            if self._key is not None:
                raise InvalidInputError(
                    f'Rows of table "{self._target.table}" cannot be written: it is encrypted and has a variant.'
                )
            return files.variants.VariantWriter(self._sink, self._held, self._footer, self._target.options)
        return pq.ParquetWriter(self._sink, self._held, metadata_collector=self._footer, **self._options())

    def write(self, batch: pa.RecordBatch) -> int:
        """Take rows until they fill a row group; return how many were taken.

        A full row group is written.
        """
        group_rows = self._group_rows(batch)
        part = batch.slice(0, group_rows - self._buffered_rows)
        count_nans(part, self._columns, self._nan_counts)
        gather_extents(part, self._columns, self._extents)
        for name in self._variant_nulls:
            self._variant_nulls[name] += part.column(name).null_count
        self._buffered.append(part)
        self._buffered_rows += part.num_rows
        self._buffered_bytes += part.nbytes
        limit = self._target.options.parquet_row_group_size_bytes
        if self._buffered_rows >= group_rows or (limit and self._buffered_bytes >= limit):
            self._write_group()
        return int(part.num_rows)

    @property
    def is_full(self) -> bool:
        """Whether the file has reached the target size; the next rows go into another."""
        written = max(self._sink.tell(), self._held_bytes)
        return not self._buffered and written >= self._target.options.target_file_size

    @property
    def waiting_bytes(self) -> int:
        """How many bytes of rows are in memory, and not in the file yet."""
        return self._buffered_bytes + self._held_bytes

    def close(self, mapping: NameMapping | None) -> NewDataFile:
        """Write the rest, and return the file as the metadata records it."""
        if self._buffered:
            self._write_group()
        with storage.explain_errors(self._target.directory + self.path, "written"):
            self._writer.close()
            self._sink.close()
        byte_count, footer_size = _sizes(self._target.directory + self.path)
        metadata = self._footer[0]
        shredded = variant_stats(metadata, self._columns)
        known = column_stats(metadata, self._columns, nan_counts=self._nan_counts, extents=self._extents)
        known |= {
            name: variant_column_stats(metadata, name, nulls, shredded) for name, nulls in self._variant_nulls.items()
        }
        return NewDataFile(
            path=self.path,
            record_count=metadata.num_rows,
            file_size_bytes=byte_count,
            footer_size=footer_size,
            column_stats=self._target.kept_stats(known),
            variant_stats=shredded if self._target.options.write_bounds else (),
            partition_values=self._partition_values,
            mapping=mapping,
            encryption_key=self._key,
            columns_known=not self.text_columns,
        )

    def abandon(self) -> None:
        """Close the file in any state; the caller deletes what is left of it."""
        with suppress(Exception):
            self._writer.close()
        self._writer.is_open = False  # else it tries again when it is collected
        with suppress(Exception):
            self._sink.close()

    def _group_rows(self, batch: pa.RecordBatch) -> int:
        """Return the most rows of a row group.

        A small file needs no large group, but none is tiny.
        """
        options = self._target.options
        row_bytes = self._target.bytes_per_row or batch.nbytes / batch.num_rows
        enough = int(max(options.target_file_size, LEAST_CUT_BYTES) / max(row_bytes, 1))
        return max(1, self._buffered_rows + 1, min(options.parquet_row_group_size, enough))

    def _write_group(self) -> None:
        table = pa.Table.from_batches(self._buffered, self._schema)
        if self._target.options.sort_on_insert and self._target.sort_keys:
            table = sort_rows(table, self._target.sort_keys)
        with storage.explain_errors(self._target.directory + self.path, "written"):
            self._writer.write_table(table.cast(self._held), row_group_size=max(1, table.num_rows))
        if self._variant_nulls:
            self._held_bytes += table.nbytes
        self._buffered, self._buffered_rows, self._buffered_bytes = [], 0, 0

    def _options(self) -> dict[str, Any]:
        options = self._target.options
        compression = _COMPRESSIONS.get(options.parquet_compression, options.parquet_compression)
        found: dict[str, Any] = {
            "compression": compression,
            "version": "2.6",  # what older versions cannot hold would be stored as another type
            "data_page_version": "1.0" if options.parquet_version == 1 or self._key else "2.0",
            "store_schema": False,
            **encrypting(self._key),
        }
        if _DECIMALS_AS_INTEGERS in WRITER_OPTIONS:
            found[_DECIMALS_AS_INTEGERS] = True
        if options.parquet_compression_level is not None and compression in ("gzip", "zstd", "brotli"):
            found["compression_level"] = options.parquet_compression_level
        return found


def _sizes(path: str) -> tuple[int, int]:
    with storage.open_input(path) as file, storage.explain_errors(path, "read"):
        byte_count = file.size()
        return byte_count, int.from_bytes(file.read_at(TRAILER_SIZE, byte_count - TRAILER_SIZE)[:4], "little")
