"""Spark's own Parquet writer: the fast way, for types that Spark has."""

from __future__ import annotations

from typing import Any, Final

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F  # noqa: N812
from pyspark.sql.types import ArrayType, DataType, MapType, StructField, StructType

from forklake.engine.spark.columns.spark_types import spark_type
from forklake.engine.spark.driver.isolate import isolate
from forklake.engine.spark.driver.time_limit import watch_jobs
from forklake.engine.spark.write.file_layout import lay_out, layout_settings
from forklake.engine.spark.write.local_output import prepare_output
from forklake.engine.spark.write.partition_tokens import with_tokens
from forklake.model import types
from forklake.model.field import Field, leaves
from forklake.model.quoting import quote_spark_name
from forklake.model.types import Type
from forklake.model.write import LEAST_CUT_BYTES, WriteOptions, WriteTarget

_SETTINGS: Final = {
    "spark.sql.optimizer.plannedWrite.enabled": "true",
    "spark.sql.parquet.datetimeRebaseModeInWrite": "CORRECTED",
    "spark.sql.parquet.fieldId.write.enabled": "true",
    "spark.sql.parquet.int96RebaseModeInWrite": "CORRECTED",
    "spark.sql.parquet.outputTimestampType": "TIMESTAMP_MICROS",
    "spark.sql.parquet.writeLegacyFormat": "false",
}
"""What decides how Parquet is written and cannot be given for one write alone."""

_FIELD_ID: Final = "parquet.field.id"
_CODECS: Final = {"lz4": "lz4_raw"}
_GZIP_LEVELS: Final = (
    "NO_COMPRESSION",
    "BEST_SPEED",
    "TWO",
    "THREE",
    "FOUR",
    "FIVE",
    "SIX",
    "SEVEN",
    "EIGHT",
    "BEST_COMPRESSION",
)
_WIDTHS: Final[dict[Type, int]] = {
    types.BOOLEAN: 1,
    types.INT8: 1,
    types.INT16: 2,
    types.INT32: 4,
    types.FLOAT32: 4,
    types.DATE: 4,
    types.VARCHAR: 16,
    types.BLOB: 64,
}
_OTHER_WIDTH: Final = 8


def write_native(rows: DataFrame, target: WriteTarget, directory: str) -> None:
    """Write conformed rows into Parquet files below a directory that must be new.

    The rows are as `conform` returns them. Every column and every field of a struct has its field id. Nothing
    depends on the settings of the rows' session. Files without rows may be among the files.
    """
    with isolate(rows, layout_settings(rows.sparkSession) | _SETTINGS) as frame:
        watch_jobs(frame.sparkSession)
        tokened, tokens = with_tokens(frame, target)
        arranged = lay_out(tokened, target, tokens)
        numbered = arranged.select(*(_numbered_column(field) for field in target.fields), *tokens)
        prepared = prepare_output(rows.sparkSession, directory)
        writer = numbered.write.options(**_options(target), **(prepared or {}))
        writer = writer.mode("error" if prepared is None else "append")
        (writer.partitionBy(*tokens) if tokens else writer).parquet(directory)


def _options(target: WriteTarget) -> dict[str, Any]:
    options = target.options
    codec = _CODECS.get(options.parquet_compression, options.parquet_compression)
    chosen: dict[str, Any] = {
        "compression": codec,
        "mapreduce.fileoutputcommitter.marksuccessfuljobs": "false",
        "mapreduce.output.basename": "ducklake",
        "maxRecordsPerFile": _rows_per_file(target),
        "parquet.block.row.count.limit": options.parquet_row_group_size,
        "parquet.column.statistics.enabled": "true",
        "parquet.statistics.truncate.length": 2**31 - 1,
        "parquet.writer.version": f"v{options.parquet_version}",
    }
    if options.parquet_row_group_size_bytes is not None:
        chosen["parquet.block.size"] = options.parquet_row_group_size_bytes
    return chosen | _level(options, codec)


def _level(options: WriteOptions, codec: str) -> dict[str, Any]:
    level = options.parquet_compression_level
    if level is None:
        return {}
    if codec == "zstd":
        return {"parquet.compression.codec.zstd.level": level}
    if codec == "gzip":
        return {"zlib.compress.level": _GZIP_LEVELS[min(max(level, 0), 9)]}
    return {}


def _rows_per_file(target: WriteTarget) -> int:
    """Return how many rows make a file of the target size.

    It is estimated from the bytes per row so far, else from the types. There is a row group at least, as far as
    that is no more than what is never cut.
    """
    row_bytes = target.bytes_per_row
    if not row_bytes:
        row_bytes = sum(_WIDTHS.get(field.type, _OTHER_WIDTH) for _, field in leaves(target.fields))
    row_bytes = max(row_bytes, 1e-3)
    group = min(target.options.parquet_row_group_size, int(LEAST_CUT_BYTES / row_bytes))
    return max(1, group, int(target.options.target_file_size / row_bytes))


def _numbered_column(field: Field) -> Column:
    """Return a column with field ids.

    Its own id is metadata; those of its fields are part of its type.
    """
    value = F.col(quote_spark_name(field.name))
    if field.children:
        value = value.cast(_numbered_type(field))
    return value.alias(field.name, metadata=_metadata(field))


def _numbered_type(field: Field) -> DataType:
    match field.type:
        case types.Struct():
            return StructType([_numbered_field(child) for child in field.children])
        case types.List():
            return ArrayType(_numbered_type(field.children[0]))
        case types.Map():
            key, value = field.children
            return MapType(_numbered_type(key), _numbered_type(value))
    return spark_type(field)


def _numbered_field(field: Field) -> StructField:
    return StructField(field.name, _numbered_type(field), metadata=_metadata(field))


def _metadata(field: Field) -> dict[str, int]:
    return {} if field.column_id is None else {_FIELD_ID: int(field.column_id)}
