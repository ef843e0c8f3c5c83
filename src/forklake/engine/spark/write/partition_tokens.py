"""What tells the partitions of rows apart while Spark writes them: one short safe text per partition key.

A token is not the value of the key. Values may be long, empty or hold any character, and directories are named by what
is written here; so a token holds digits and letters only. Rows with the same token have the same value of the key,
which is taken from the file that they are in.
"""

from __future__ import annotations

import re
from typing import Final

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F  # noqa: N812

from forklake.engine.spark.columns.arrow_columns import partition_value
from forklake.engine.spark.columns.column_casts import micros_without_zone, without_zone
from forklake.engine.spark.columns.projection import quoted
from forklake.model.field import Field
from forklake.model.names import fold
from forklake.model.write import PartitionKey, WriteTarget

_NAME: Final = "__forklake_partition_{}__"
_LONGEST_PLAIN: Final = 100
_NULL: Final = "n"
_BUCKET: Final = re.compile(r"bucket\((\d+)\)")
_HASHES_TO_ZERO: Final = -1_693_959_553
"""Spark's `hash` begins with 42, and each value's hash is what the next one begins with: after this number it begins
with 0, as Iceberg's and DuckLake's buckets do."""

_HOUR_MICROS: Final = 3_600_000_000
_WITHOUT_ZONE: Final = ("timestamp", "timestamp_s", "timestamp_ms")
_MICROS_PER_TICK: Final = {"timestamp": 1, "timestamptz": 1, "timestamp_ms": 1_000, "timestamp_s": 1_000_000}
_HELD_AS_TEXT: Final = ("varchar", "json", "uuid", "time", "timetz", "interval", "timestamp_ns")


def with_tokens(rows: DataFrame, target: WriteTarget) -> tuple[DataFrame, list[str]]:
    """Return the rows with a token column for each partition key, and the names of these columns.

    A row's token is never NULL: the key's NULL has one of its own.
    """
    fields = {fold(field.name): field for field in target.fields}
    tokens = {
        _NAME.format(position): _token(key, fields[fold(key.column)])
        for position, key in enumerate(target.partition_keys)
    }
    return (rows.withColumns(tokens) if tokens else rows), list(tokens)


def _token(key: PartitionKey, field: Field) -> Column:
    value = F.col(quoted(field.name))
    told = _told_apart_by(key, field, value)
    if told is None:
        told = partition_value(key.transform, field)(value)
    token = F.when(F.octet_length(told) <= _LONGEST_PLAIN, F.concat(F.lit("v"), F.hex(told))).otherwise(
        F.concat(F.lit("h"), F.sha2(told.cast("binary"), 256))
    )
    return F.coalesce(token, F.lit(_NULL))


def _told_apart_by(key: PartitionKey, field: Field, value: Column) -> Column | None:
    """Return text or bytes that are equal only if the key's values are; None if Spark's expressions cannot say it."""
    if key.transform == "identity":
        return _identity(field, value)
    if bucket := _BUCKET.fullmatch(key.transform):
        number = _hashed_as(field, value)
        if number is None:
            return None
        hashed = F.hash(F.lit(_HASHES_TO_ZERO), number).bitwiseAND(F.lit(0x7FFFFFFF))
        return F.when(value.isNotNull(), (hashed % F.lit(int(bucket[1]))).cast("string"))
    part = _part(key.transform, field, value)
    return None if part is None else part.cast("string")


def _identity(field: Field, value: Column) -> Column:
    if field.type in ("blob", "geometry", *_HELD_AS_TEXT):
        return value
    # As text, a moment would depend on the zone of the session, and twice a year not be the only one.
    if field.type == "timestamptz":
        value = F.unix_micros(value)
    elif field.type in _WITHOUT_ZONE:
        value = micros_without_zone(value)
    elif field.type.startswith("float"):
        value = F.when(value == 0, F.lit(0)).otherwise(value)  # -0.0 is equal to 0.0, so they share a partition
    return value.cast("string")


def _hashed_as(field: Field, value: Column) -> Column | None:
    """Return the number of 64 bits that stands for a value in its hash; None if it is hashed in another way."""
    if field.type in ("boolean", "int8", "int16", "int32", "int64"):
        return value.cast("bigint")
    if field.type == "date":
        return F.unix_date(value).cast("bigint")
    if field.type not in _MICROS_PER_TICK:
        return None
    micros = F.unix_micros(value) if field.type == "timestamptz" else micros_without_zone(value)
    ticks = _MICROS_PER_TICK[field.type]
    return micros if ticks == 1 else F.call_function("div", micros, F.lit(ticks).cast("bigint"))


def _part(transform: str, field: Field, value: Column) -> Column | None:
    """Return a part of a date or a moment, the latter in UTC."""
    if field.type == "date":
        moment = value
        hour: Column = F.when(value.isNotNull(), F.lit(0))
        epoch_hour = F.unix_date(value).cast("bigint") * 24
    elif field.type == "timestamptz" or field.type in _WITHOUT_ZONE:
        has_zone = field.type == "timestamptz"
        micros = F.unix_micros(value) if has_zone else micros_without_zone(value)
        moment = without_zone(micros) if has_zone else value
        hour = F.hour(moment)
        epoch_hour = F.call_function("div", micros - F.pmod(micros, F.lit(_HOUR_MICROS)), F.lit(_HOUR_MICROS))
    else:
        return None
    match transform:
        case "year":
            return F.year(moment)
        case "month":
            return F.month(moment)
        case "day":
            return F.dayofmonth(moment)
        case "hour":
            return hour
        case "epoch_year":
            return F.year(moment) - 1970
        case "epoch_month":
            return (F.year(moment) - 1970) * 12 + F.month(moment) - 1
        case "epoch_day":
            return F.unix_date(moment.cast("date"))
        case "epoch_hour":
            return epoch_hour
    return None
