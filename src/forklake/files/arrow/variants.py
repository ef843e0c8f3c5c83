"""Variants in Parquet files, read and written by DuckDB, which shreds them.

In Arrow they have their plain encoding.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any, Final

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq

from forklake.duck.databases import closed_cursor, file_database
from forklake.files.access import storage
from forklake.files.arrow.geometry_arrays import holds_geometry
from forklake.files.arrow.schema import VARIANT_TYPE
from forklake.files.arrow.variant_arrays import plain_variants
from forklake.files.arrow.variant_depth import check_depth
from forklake.files.parquet.footer import FIELD_ID_KEY, damage_error
from forklake.model.interruption import end_in_time, interruptible
from forklake.model.quoting import as_pattern, quote_name, quote_text
from forklake.model.write import WriteOptions


def read_variants(path: str, names: Sequence[str]) -> Mapping[str, pa.ChunkedArray]:
    """Return variant columns of a file, whole, in the order of its rows.

    Raises:
        DataFileError: The file cannot be read.
        InvalidInputError: A variant is nested too deeply.
    """
    shown = ", ".join(f"variant_to_parquet_variant({quote_name(name)})" for name in names)
    with _local_copy(path) as found, closing(file_database().cursor()) as cursor, interruptible(cursor.interrupt):
        _check_unshredded(found, path, names)
        # The order of rows is kept, without a column of their numbers: the file may have one of its name.
        query = f"SELECT {shown} FROM read_parquet(?, hive_partitioning = false)"
        try:
            table = cursor.execute(query, [as_pattern(str(found))]).to_arrow_table()
        except duckdb.Error as error:
            raise damage_error(path, None, error) from error
    return {
        name: pa.chunked_array([plain_variants(chunk) for chunk in column.chunks], VARIANT_TYPE)
        for name, column in zip(names, table.columns, strict=True)
    }


def _check_unshredded(place: str, path: str, names: Sequence[str]) -> None:
    """Refuse variants of which a part that is not shredded is nested too deeply.

    Shredded parts are columns, of which PyArrow opens no file with more than a hundred in each other.
    """
    begins = tuple(f"{name}." for name in names)
    try:
        parquet = pq.ParquetFile(place)
        leaves = [parquet.schema.column(number).path for number in range(len(parquet.schema))]
        values = [leaf for leaf in leaves if leaf.startswith(begins) and leaf.endswith(".value")]
        for batch in parquet.iter_batches(_BATCH_ROWS, columns=values):
            end_in_time()
            left: list[pa.Array] = list(batch.columns)
            while left:
                one = left.pop()
                if pa.types.is_struct(one.type):
                    left += one.flatten()
                elif pa.types.is_list(one.type):
                    left.append(one.flatten())
                else:
                    check_depth(one)
    except (pa.ArrowException, OSError) as error:
        raise damage_error(path, None, error) from error


_BATCH_ROWS: Final = 2**14


class VariantWriter:
    """Writes a file with variant columns.

    It has what is used of PyArrow's writer. It holds the rows until it is closed.
    """

    def __init__(
        self,
        sink: Any,
        schema: pa.Schema,
        footer: list[pq.FileMetaData],
        options: WriteOptions,
        geoparquet_version: str | None = None,
    ) -> None:
        """Take the rows of a file.

        Args:
            sink: Where the file goes.
            schema: Its columns.
            footer: Takes what is known of the file when it is written.
            options: How it is written.
            geoparquet_version: How geometries are stored, in DuckDB's words; None is its default.
        """
        self.is_open = True
        self._sink, self._schema, self._footer, self._options = sink, schema, footer, options
        self._geoparquet_version = geoparquet_version
        self._tables: list[pa.Table] = []

    def write_table(self, table: pa.Table, row_group_size: int) -> None:
        """Take the rows of a row group."""
        self._tables.append(table)

    def close(self) -> None:
        """Write all rows into the file."""
        if not self.is_open:
            return
        self.is_open = False
        with (
            tempfile.TemporaryDirectory(prefix="forklake-") as directory,
            closing(file_database().cursor()) as cursor,
            interruptible(cursor.interrupt),
        ):
            path = str(Path(directory) / "variants.parquet")
            cursor.register("given", pa.concat_tables(self._tables).replace_schema_metadata().__arrow_c_stream__())
            shown = ", ".join(_column(field) for field in self._schema)
            options = ", ".join(self._copy_options())
            cursor.execute(f"COPY (SELECT {shown} FROM given) TO {quote_text(path)} ({options})")
            self._footer.append(pq.read_metadata(path))
            with open(path, "rb") as written:
                self._sink.upload(written)

    def _copy_options(self) -> Iterator[str]:
        yield "FORMAT parquet"
        ids = ", ".join(f"{quote_name(field.name)}: {text}" for field in self._schema if (text := _field_ids(field)))
        if ids:
            yield f"FIELD_IDS {{{ids}}}"
        yield f"COMPRESSION {self._options.parquet_compression}"
        if self._options.parquet_compression == "zstd" and self._options.parquet_compression_level is not None:
            yield f"COMPRESSION_LEVEL {self._options.parquet_compression_level}"
        if self._geoparquet_version is not None:
            yield f"GEOPARQUET_VERSION {quote_text(self._geoparquet_version)}"
        yield f"ROW_GROUP_SIZE {max(1, *(table.num_rows for table in self._tables))}"


def is_for_duckdb(schema: pa.Schema) -> bool:
    """Return whether rows have a column whose type in files only DuckDB writes."""
    return VARIANT_TYPE in schema.types or any(map(holds_geometry, schema))


def variant_of(column: str) -> str:
    """Return the variant in DuckDB's SQL whose plain encoding a column holds."""
    return f"variant_bytes_to_variant({column}.metadata || {column}.value)"


def _column(field: pa.Field) -> str:
    name = quote_name(field.name)
    return f"{variant_of(name)} AS {name}" if field.type == VARIANT_TYPE else name


def _field_ids(field: pa.Field) -> str | None:
    """Return the ids of a field, and of those within it, as DuckDB takes them."""
    own = (field.metadata or {}).get(FIELD_ID_KEY)
    if own is None:
        return None
    kind = field.type
    inner: list[pa.Field] = []
    if pa.types.is_struct(kind) and kind != VARIANT_TYPE:
        inner = list(kind)
    elif pa.types.is_map(kind):
        inner = [kind.key_field.with_name("key"), kind.item_field.with_name("value")]
    elif pa.types.is_list(kind):
        inner = [kind.value_field.with_name("element")]
    parts = [f"{quote_name(part.name)}: {text}" for part in inner if (text := _field_ids(part))]
    return f"{{__duckdb_field_id: {own.decode()}, {', '.join(parts)}}}" if parts else own.decode()


def python_variants(pairs: Sequence[tuple[bytes, bytes] | None]) -> list[Any]:
    """Return variants, each given as its value and its metadata, as Python values.

    Raises:
        InvalidInputError: One is nested too deeply.
    """
    check_depth(pa.array([None if pair is None else pair[0] for pair in pairs], pa.binary()))
    encoded = pa.table({"v": pa.array([None if pair is None else pair[1] + pair[0] for pair in pairs], pa.binary())})
    with closed_cursor() as cursor:
        cursor.register("given", encoded.__arrow_c_stream__())
        return [value for (value,) in cursor.execute("SELECT variant_bytes_to_variant(v) FROM given").fetchall()]


@contextmanager
def _local_copy(path: str) -> Iterator[str]:
    """Return the path of a file that DuckDB can open: itself, or a copy."""
    if storage.is_local(path):
        yield storage.local_path(path)
        return
    with tempfile.TemporaryDirectory(prefix="forklake-") as directory, storage.open_input(path) as opened:
        copy = str(Path(directory) / "variants.parquet")
        opened.download(copy)
        yield copy
