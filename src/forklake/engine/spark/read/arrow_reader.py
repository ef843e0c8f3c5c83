"""PyArrow's reader in Spark tasks, for files that Spark itself cannot read."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Final

import pyarrow as pa
import pyarrow.parquet as pq
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.pandas.types import to_arrow_type
from pyspark.sql.types import LongType, StringType, StructField, StructType

from forklake.engine.spark.driver.python_workers import map_in_python
from forklake.files.access import storage
from forklake.files.access.keys import decrypting
from forklake.files.parquet.footer import damage_error
from forklake.model.scan import ScanFile

PATH_COLUMN: Final = "_ducklake_forklake_path"
POSITION_COLUMN: Final = "_ducklake_forklake_position"
_KEY_COLUMN: Final = "_ducklake_forklake_encryption_key"
_BATCH_ROWS: Final = 65_536


def read_with_arrow(spark: SparkSession, table: str, files: Sequence[ScanFile], schema: StructType) -> DataFrame:
    """Return the rows of some files, each with its file's path and its position.

    Columns that a file lacks are NULL. A file that cannot be read fails the job, with an error that names file
    and table.
    """
    todo = pa.table(
        [pa.array([file.path for file in files]), pa.array([file.encryption_key for file in files], pa.string())],
        names=[PATH_COLUMN, _KEY_COLUMN],
    )
    own = [StructField(PATH_COLUMN, StringType()), StructField(POSITION_COLUMN, LongType())]
    return map_in_python(spark.createDataFrame(todo), _reader(table, schema), StructType([*schema.fields, *own]))


def _reader(table: str, schema: StructType) -> Callable[[Iterator[pa.RecordBatch]], Iterator[pa.RecordBatch]]:
    wanted = pa.schema([pa.field(field.name, to_arrow_type(field.dataType, timezone="UTC")) for field in schema.fields])

    def read(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            for path, key in zip(batch.column(0).to_pylist(), batch.column(1).to_pylist(), strict=True):
                with storage.naming_table(path, table):
                    yield from _rows(path, key, wanted)

    return read


def _rows(path: str, key: str | None, wanted: pa.Schema) -> Iterator[pa.RecordBatch]:
    properties = decrypting(path, key)
    with storage.open_input(path) as file:
        try:
            parquet = pq.ParquetFile(file, decryption_properties=properties)
            held = [name for name in parquet.schema_arrow.names if name in wanted.names]
            first = 0
            for batch in parquet.iter_batches(_BATCH_ROWS, columns=held):
                yield _reshape(batch, path, first, wanted)
                first += batch.num_rows
        except (OSError, ValueError, pa.ArrowException) as error:
            raise damage_error(path, key, error) from error


def _reshape(batch: pa.RecordBatch, path: str, first: int, wanted: pa.Schema) -> pa.RecordBatch:
    """Return a batch with just the wanted columns, in the types of Spark's reader."""
    count = batch.num_rows
    columns = [
        _cast(batch.column(field.name), field.type) if field.name in batch.schema.names else pa.nulls(count, field.type)
        for field in wanted
    ]
    paths = pa.repeat(pa.scalar(path, pa.string()), count)
    positions = pa.array(range(first, first + count), pa.int64())
    return pa.record_batch([*columns, paths, positions], [*wanted.names, PATH_COLUMN, POSITION_COLUMN])


def _cast(column: pa.Array, target: pa.DataType) -> pa.Array:
    """Cast a column; digits that Spark lacks, such as nanoseconds, are cut off."""
    return column.cast(_in_micros(column.type), safe=False).cast(target, safe=False)


def _in_micros(kind: pa.DataType) -> pa.DataType:
    """Return the type with all times of day in microseconds, at every depth.

    Spark reads times as numbers, which would keep their unit.
    """
    if pa.types.is_time(kind):
        return pa.time64("us")
    if pa.types.is_struct(kind):
        return pa.struct([field.with_type(_in_micros(field.type)) for field in kind])
    if pa.types.is_map(kind):
        key, item = kind.key_field, kind.item_field
        return pa.map_(key.with_type(_in_micros(key.type)), item.with_type(_in_micros(item.type)))
    if pa.types.is_list(kind):
        return pa.list_(kind.value_field.with_type(_in_micros(kind.value_type)))
    return kind
