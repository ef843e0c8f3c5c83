"""Conversion of values in files to values that users see.

No setting of the session changes these expressions.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from pyspark.sql import Column
from pyspark.sql import functions as F  # noqa: N812  (the name that all of Spark's users know it by)
from pyspark.sql.types import (
    BooleanType,
    ByteType,
    DataType,
    DateType,
    DecimalType,
    DoubleType,
    FloatType,
    IntegerType,
    LongType,
    ShortType,
    StringType,
    TimestampNTZType,
    TimestampType,
)

from forklake.engine.spark.columns.column_casts import micros_without_zone, round_moment
from forklake.engine.spark.columns.spark_types import read_type, spark_type
from forklake.errors import InvalidInputError
from forklake.model import types
from forklake.model.field import Field
from forklake.model.promotions import is_rounded
from forklake.model.types import Type

_DIGITS: Final[dict[type[DataType], int]] = {ByteType: 3, ShortType: 5, IntegerType: 10, LongType: 19}
_MICROS: Final = 1_000_000
_NANOS: Final = 1_000_000_000
_DAY_SECONDS: Final = 86_400
_INFINITY: Final = 2**63 - 1
_NANOSECOND_EDGES: Final = ("1677-09-21 00:12:43.145225", "2262-04-11 23:47:16.854775")
"""The first and the last microsecond that nanoseconds in 64 bits reach."""
_MAX_WHOLE: Final = 1e38  # the nearest double is below 10 ** 38, the first number with 39 digits


def is_shown_as_held(field: Field, physical: Field) -> bool:
    """Return whether a column without parts needs no conversion at all."""
    if physical.type in _TEXTS or physical.type == types.VARIANT or is_rounded(physical.type, field.type):
        return False
    return read_type(physical) == spark_type(field)


def convert(field: Field, physical: Field, value: Column) -> Column:
    """Return the value of a column without parts as the table shows it.

    Args:
        field: The column of the table.
        physical: The same column as the file holds it.
        value: What the Parquet reader returns for it.

    Raises:
        InvalidInputError: The file holds a type that cannot become the table's.
    """
    if is_shown_as_held(field, physical):
        return value
    held, shown = read_type(physical), spark_type(field)
    if is_rounded(physical.type, field.type):
        is_nanos = physical.type == types.TIMESTAMP_NS
        return round_moment(_quotient(value, 1000) if is_nanos else micros_without_zone(value), field.type)
    if physical.type == types.TIMETZ and field.type == types.TIME:
        return _time(value)  # writers that know no other time claim that it is in UTC
    if physical.type in _TEXTS and isinstance(shown, StringType):
        return _TEXTS[physical.type](value)
    if physical.type == types.FLOAT64 and field.type in (types.INT128, types.UINT128):
        return _whole_number(field, value)  # that is how DuckDB stores them
    if physical.type == types.VARCHAR and field.type in (types.INT128, types.UINT128):
        return _short_integer(field, value)
    if physical.type == types.VARIANT and field.type == types.VARIANT:
        return F.when(~F.is_variant_null(value), value)  # DuckDB writes NULL as a variant that is null
    if _is_wider(held, shown):
        return value.cast(shown)
    if isinstance(held, DateType | TimestampNTZType) and isinstance(
        shown, TimestampNTZType | TimestampType | StringType
    ):
        return _promoted_moment(field, value.cast(TimestampNTZType()))
    if isinstance(shown, FloatType):
        return _nearest_float(field, value)
    if physical.type in _TEXTS or not (_is_number(held) and _is_number(shown)):
        raise InvalidInputError(
            f'Column "{field.name}" is of type {field.type}, and a file holds it as {physical.type}, which cannot be'
            " read as that."
        )
    tried = value.try_cast(shown)
    return _fail_unless(field, value, tried, value.isNull() | (tried == value))


def _promoted_moment(field: Field, value: Column) -> Column:
    """Return a timestamp without zone as a value of another timestamp type."""
    text = value.cast("string")
    match field.type:
        case types.TIMESTAMPTZ:
            return F.concat(text, F.lit("Z")).cast(TimestampType())  # a text with a zone means the same everywhere
        case types.TIMESTAMP_NS:
            first, last = (F.lit(edge).cast(TimestampNTZType()) for edge in _NANOSECOND_EDGES)
            return _fail_unless(field, value, text, value.isNull() | value.between(first, last))
    return value


def _nearest_float(field: Field, value: Column) -> Column:
    nearest = value.cast(FloatType())
    is_finite = F.abs(nearest) < F.lit(float("inf"))
    return _fail_unless(field, value, nearest, value.isNull() | is_finite | (nearest == value) | F.isnan(nearest))


def _fail_unless(field: Field, value: Column, result: Column, is_right: Column) -> Column:
    """Return the result, or fail: a value that does not fit never becomes NULL."""
    message = F.concat(
        F.lit("Conversion Error: Value "),
        value.cast("string"),
        F.lit(f' of column "{field.name}" does not fit into {spark_type(field).simpleString()}, nothing was read.'),
    )
    return F.when(is_right, result).otherwise(F.raise_error(message))


def _is_number(kind: DataType) -> bool:
    return type(kind) in _DIGITS or isinstance(kind, DecimalType | FloatType | DoubleType)


def _is_wider(held: DataType, shown: DataType) -> bool:
    """Return whether every value of one type has an equal in the other."""
    if isinstance(held, BooleanType):
        return _is_number(shown)
    if isinstance(shown, DoubleType):
        return _is_number(held)  # or the nearest, as promotions have it
    if type(held) in _DIGITS:
        if isinstance(shown, DecimalType):
            return shown.precision - shown.scale >= _DIGITS[type(held)]
        return _DIGITS.get(type(shown), 0) > _DIGITS[type(held)]
    if isinstance(held, DecimalType) and isinstance(shown, DecimalType):
        return shown.scale >= held.scale and shown.precision - shown.scale >= held.precision - held.scale
    return type(held) in (ByteType, ShortType) and isinstance(shown, FloatType)


def _short_integer(field: Field, value: Column) -> Column:
    """Return an integer of 128 bits that a file holds as text."""
    message = F.concat(
        F.lit("Out of Range Error: Value "),
        value,
        F.lit(f' of column "{field.name}" has more than the 38 digits that Spark holds; nothing was done.'),
    )
    found = value.try_cast(spark_type(field))
    return F.when(value.isNull() | found.isNotNull(), found).otherwise(F.raise_error(message))


def _whole_number(field: Field, value: Column) -> Column:
    """Return the exact value of a double as a whole number.

    Spark's own cast uses the shortest decimal text.
    """
    size = F.abs(value)
    high = (size / F.lit(2.0**64)).try_cast("bigint")
    rest = size - high.cast("double") * F.lit(2.0**64)
    middle = (rest / F.lit(2.0**32)).try_cast("bigint")
    low = (rest - middle.cast("double") * F.lit(2.0**32)).try_cast("bigint")
    shift = F.lit(2**32).cast("decimal(10,0)")
    whole = high.cast("decimal(20,0)")
    for part in (middle, low):
        whole = (whole * shift).cast("decimal(38,0)")
        whole = (whole + part.cast("decimal(20,0)")).cast("decimal(38,0)")
    fits = (size <= F.lit(_MAX_WHOLE)) & (size % F.lit(1.0) == 0)
    # Spark's minus sign keeps 34 digits.
    below = (F.lit(0).cast("decimal(38,0)") - whole).cast("decimal(38,0)")
    return _fail_unless(field, value, F.when(value < 0, below).otherwise(whole), value.isNull() | fits)


# ---- texts ---------------------------------------------------------------------------------------------------------


def _quotient(number: Column, divisor: int) -> Column:
    return F.call_function("div", number, F.lit(divisor).cast("bigint"))


def _pad(number: Column, width: int) -> Column:
    return F.lpad(number.cast("string"), width, "0")


def _fraction(part: Column, digits: int) -> Column:
    shown = F.concat(F.lit("."), F.rtrim(_pad(part, digits), F.lit("0")))
    return F.when(part == 0, F.lit("")).otherwise(shown)


def _clock(total: Column, per_second: int, *, hours_digits: int = 2) -> Column:
    """Return a time of day or a duration as DuckDB writes it.

    Zeros at the end of a fraction are left out.
    """
    seconds = _quotient(total, per_second)
    hours = _quotient(seconds, 3600)
    written = hours.cast("string") if hours_digits == 0 else _pad(hours, hours_digits)
    return F.concat(
        written,
        F.lit(":"),
        _pad(_quotient(seconds, 60) % 60, 2),
        F.lit(":"),
        _pad(seconds % 60, 2),
        _fraction(total % per_second, len(str(per_second)) - 1),
    )


def _uuid(value: Column) -> Column:
    pieces = [F.hex(F.substring(value, start, length)) for start, length in ((1, 4), (5, 2), (7, 2), (9, 2), (11, 6))]
    return F.lower(F.concat(*[part for piece in pieces for part in (F.lit("-"), piece)][1:]))


def _time(value: Column) -> Column:
    return _clock(value, _MICROS)


def _time_with_zone(value: Column) -> Column:
    """Return a time with its offset: files hold such times in UTC."""
    return F.concat(_clock(value, _MICROS), F.lit("+00"))


def _nanoseconds(value: Column) -> Column:
    day_nanos = _DAY_SECONDS * _NANOS
    behind = F.pmod(value, F.lit(day_nanos).cast("bigint"))
    days = _quotient(value, day_nanos) - F.when(value % day_nanos < 0, 1).otherwise(0)
    day = F.date_from_unix_date(days.cast("int")).cast("string")
    return (
        F.when(value == _INFINITY, F.lit("infinity"))
        .when(value == -_INFINITY, F.lit("-infinity"))
        .otherwise(F.concat(day, F.lit(" "), _clock(behind, _NANOS)))
    )


def _interval(value: Column) -> Column:
    """Return an interval as DuckDB writes it.

    Files hold months, days and milliseconds, each in four bytes.
    """
    months, days, millis = (_little_endian(value, start) for start in (1, 5, 9))
    counted = F.concat_ws(
        " ",
        _quantity(_quotient(months, 12), "year"),
        _quantity(months % 12, "month"),
        _quantity(days, "day"),
        F.when((millis != 0) | ((months == 0) & (days == 0)), _duration(millis)),
    )
    return F.when(value.isNotNull(), counted)


def _duration(millis: Column) -> Column:
    short = _clock(millis, 1000)
    return F.when(millis < 360_000_000, short).otherwise(_clock(millis, 1000, hours_digits=0))


def _quantity(number: Column, unit: str) -> Column:
    """Return a number with its unit; NULL for zero."""
    text = F.concat(number.cast("string"), F.when(number == 1, F.lit(f" {unit}")).otherwise(F.lit(f" {unit}s")))
    return F.when(number != 0, text)


def _little_endian(value: Column, start: int) -> Column:
    digits = F.concat(*[F.hex(F.substring(value, start + place, 1)) for place in (3, 2, 1, 0)])
    return F.conv(digits, 16, 10).cast("bigint")


_TEXTS: Final[dict[Type, Callable[[Column], Column]]] = {
    types.UUID: _uuid,
    types.TIME: _time,
    types.TIMETZ: _time_with_zone,
    types.TIMESTAMP_NS: _nanoseconds,
    types.INTERVAL: _interval,
}
