"""Partition transforms in Spark's own expressions, without Python.

Rows are laid out by them. `forklake.files.arrow.array_transforms` computes what they cannot do, batch by batch.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from pyspark.sql import Column
from pyspark.sql import functions as F  # noqa: N812

from forklake.engine.spark.columns.column_casts import micros_without_zone, without_zone
from forklake.model import types
from forklake.model.field import Field
from forklake.model.lazy_dataclass import dataclass
from forklake.model.murmur3 import WITHOUT_SIGN
from forklake.model.transforms import Function, Transform
from forklake.model.types import Type

_HASHES_TO_ZERO: Final = -1_693_959_553
"""Spark's `hash` begins with 42, and each value's hash is what the next one begins with: after this number it begins
with 0, as Iceberg's and DuckLake's buckets do."""

_HOUR_MICROS: Final = 3_600_000_000
_MICROS_PER_TICK: Final[dict[Type, int]] = {
    types.TIMESTAMP: 1,
    types.TIMESTAMPTZ: 1,
    types.TIMESTAMP_MS: 1_000,
    types.TIMESTAMP_S: 1_000_000,
}


def partition_token(transform: Transform, field: Field, value: Column) -> Column | None:
    """Return text or bytes that are equal only if the partition values are equal.

    None: Spark's expressions cannot compute them. For date parts and buckets it is the text of the partition
    value itself.
    """
    if transform.is_identity:
        return _identity(field, value)
    if transform.bucket_count is not None:
        number = _hash_input(field, value)
        if number is None:
            return None
        hashed = F.hash(F.lit(_HASHES_TO_ZERO), number).bitwiseAND(F.lit(WITHOUT_SIGN))
        return F.when(value.isNotNull(), (hashed % F.lit(transform.bucket_count)).cast("string"))
    moment = _moment(field, value)
    return None if moment is None else _PARTS[transform.function](moment).cast("string")


def _identity(field: Field, value: Column) -> Column:
    if field.type.shown_as in (types.BLOB, types.VARCHAR):
        return value
    # As text, a moment would depend on the zone of the session, and twice a year not be the only one.
    if field.type == types.TIMESTAMPTZ:
        value = F.unix_micros(value)
    elif field.type.shown_as == types.TIMESTAMP:
        value = micros_without_zone(value)
    elif isinstance(field.type, types.Float):
        value = F.when(value == 0, F.lit(0)).otherwise(value)  # -0.0 is equal to 0.0, so they share a partition
    return value.cast("string")


def _hash_input(field: Field, value: Column) -> Column | None:
    """Return the 64-bit number that is hashed for a value.

    None: the value is hashed in another way.
    """
    if field.type == types.BOOLEAN or (isinstance(field.type, types.Integer) and field.type.is_native):
        return value.cast("bigint")
    if field.type == types.DATE:
        return F.unix_date(value).cast("bigint")
    if field.type not in _MICROS_PER_TICK:
        return None
    micros = F.unix_micros(value) if field.type == types.TIMESTAMPTZ else micros_without_zone(value)
    ticks = _MICROS_PER_TICK[field.type]
    return micros if ticks == 1 else F.call_function("div", micros, F.lit(ticks).cast("bigint"))


@dataclass(frozen=True, slots=True)
class _Moment:
    """A date or timestamp in UTC: without zone, its hour, and its hour since 1970."""

    date: Column
    hour: Column
    epoch_hour: Column


def _moment(field: Field, value: Column) -> _Moment | None:
    """Return dates or timestamps of a column; None if Spark has another type."""
    if field.type == types.DATE:
        return _Moment(value, F.when(value.isNotNull(), F.lit(0)), F.unix_date(value).cast("bigint") * 24)
    if field.type == types.TIMESTAMPTZ:
        micros = F.unix_micros(value)
        value = without_zone(micros)
    elif field.type.shown_as == types.TIMESTAMP:
        micros = micros_without_zone(value)
    else:
        return None
    hours = F.call_function("div", micros - F.pmod(micros, F.lit(_HOUR_MICROS)), F.lit(_HOUR_MICROS))
    return _Moment(value, F.hour(value), hours)


_PARTS: Final[dict[Function, Callable[[_Moment], Column]]] = {
    Function.YEAR: lambda moment: F.year(moment.date),
    Function.MONTH: lambda moment: F.month(moment.date),
    Function.DAY: lambda moment: F.dayofmonth(moment.date),
    Function.HOUR: lambda moment: moment.hour,
    Function.EPOCH_YEAR: lambda moment: F.year(moment.date) - 1970,
    Function.EPOCH_MONTH: lambda moment: (F.year(moment.date) - 1970) * 12 + F.month(moment.date) - 1,
    Function.EPOCH_DAY: lambda moment: F.unix_date(moment.date.cast("date")),
    Function.EPOCH_HOUR: lambda moment: moment.epoch_hour,
}
