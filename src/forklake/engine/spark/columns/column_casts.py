"""Casts in Spark's own expressions, where they are exact (docs/spec/casts.md).

No expression here depends on a setting of the session: what may fail is tried, and a failure is raised as
an error of ours.
"""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from typing import Final

from pyspark.sql import Column
from pyspark.sql import functions as F  # noqa: N812
from pyspark.sql.types import (
    ArrayType,
    BinaryType,
    BooleanType,
    ByteType,
    DataType,
    DateType,
    DecimalType,
    DoubleType,
    FloatType,
    IntegerType,
    LongType,
    MapType,
    NullType,
    ShortType,
    StringType,
    StructType,
    TimestampNTZType,
    TimestampType,
    VariantType,
)

from forklake.engine.spark.columns.spark_types import spark_type
from forklake.files.casting.moments import INFINITE_MOMENT
from forklake.model import types
from forklake.model.field import Field
from forklake.model.names import fold
from forklake.model.types import Type

Cast = Callable[[Column], Column]
"""Makes the expression of a value's cast from the expression of the value."""

_INTEGERS: Final[dict[type[DataType], tuple[str, int]]] = {
    ByteType: ("INT8", 8),
    ShortType: ("INT16", 16),
    IntegerType: ("INT32", 32),
    LongType: ("INT64", 64),
}
_ROUNDED_TO_MICROS: Final[dict[Type, int]] = {types.TIMESTAMP_MS: 1_000, types.TIMESTAMP_S: 1_000_000}
_MICROS_PER_DAY: Final = 86_400_000_000
_LAST_DAY: Final = ((1 << 63) - 1) // _MICROS_PER_DAY


def identity(value: Column) -> Column:
    """Return the value: it already is what the column holds."""
    return value


def native_cast(source: DataType, field: Field, path: str) -> Cast | None:
    """Return the cast from a Spark type to a column; `identity` if none is needed.

    None: Spark's expressions cannot do it, or not exactly as DuckDB does.

    Args:
        source: The type of the values.
        field: The column, or a part of one.
        path: Its name in messages, with the names above it.
    """
    if isinstance(source, NullType):
        return lambda value: value.cast(spark_type(field))
    match field.type:
        case types.Struct():
            return _to_struct(source, field, path)
        case types.List():
            return _to_list(source, field, path)
        case types.Map():
            return _to_map(source, field, path)
        case types.Boolean():
            return _to_boolean(source)
        case types.Integer():
            return _to_integer(source, field, field.type, path)
        case types.Float():
            return _to_float(source, field)
        case types.Varchar() | types.Json():
            return _to_text(source, field)
        case types.Date():
            return _to_date(source)
        case types.TIMESTAMP | types.TIMESTAMP_S | types.TIMESTAMP_MS | types.TIMESTAMPTZ:
            return _to_timestamp(source, field, path)
    shown = spark_type(field)
    if isinstance(shown, DecimalType):
        return _to_decimal(source, shown, path)
    if isinstance(shown, BinaryType | VariantType) and type(source) is type(shown):
        return identity
    return None


def fail_where(value: Column, failed: Column, *message: str | Column) -> Column:
    """Return the value, or fail with a message where the condition is true."""
    parts = [F.lit(part) if isinstance(part, str) else part for part in message]
    return F.when(failed, F.raise_error(F.concat(*parts))).otherwise(value)


def _to_integer(source: DataType, field: Field, kind: types.Integer, path: str) -> Cast | None:
    low, high = kind.low, kind.high
    shown = spark_type(field)
    if type(source) in _INTEGERS:
        name, bits = _INTEGERS[type(source)]
        first, last = -(1 << bits - 1), (1 << bits - 1) - 1
        if low <= first and last <= high:
            return identity if source == shown else lambda value: value.cast(shown)
        # Bounds that the source's type cannot hold are left to it: a literal beyond it would widen the comparison.
        return lambda value: fail_where(
            value.cast(shown) if isinstance(shown, DecimalType) else value.try_cast(shown),
            ~value.between(max(low, first), min(high, last)),
            f"Type {name} with value ",
            value.cast("string"),
            f" can't be cast because the value is out of range for the destination type {kind.name.upper()}",
            f' (column "{path}")',
        )
    if isinstance(source, BooleanType):
        return lambda value: value.cast("int").cast(shown)
    if isinstance(source, DecimalType):
        return lambda value: _whole_to_integer(value if source.scale == 0 else F.round(value, 0), field, kind, path)
    return None


def _whole_to_integer(whole: Column, field: Field, kind: types.Integer, path: str) -> Column:
    return fail_where(
        whole.try_cast(spark_type(field)),
        ~whole.between(F.lit(Decimal(kind.least_shown)), F.lit(Decimal(kind.most_shown))),
        "Failed to cast decimal value ",
        whole.cast("string"),
        f' to type {kind.name.upper()} (column "{path}")',
    )


def _to_decimal(source: DataType, shown: DecimalType, path: str) -> Cast | None:
    name = f"DECIMAL({shown.precision},{shown.scale})"
    before_point = shown.precision - shown.scale
    if isinstance(source, BooleanType):
        inner = _to_decimal(IntegerType(), shown, path)
        return None if inner is None else lambda value: inner(value.cast("int"))
    if type(source) in _INTEGERS:
        _, bits = _INTEGERS[type(source)]
        if before_point >= len(str(1 << bits - 1)):
            return lambda value: value.cast(shown)
        return lambda value: fail_where(
            value.try_cast(shown),
            value.isNotNull() & value.try_cast(shown).isNull(),
            "Could not cast value ",
            value.cast("string"),
            f' to {name} (column "{path}")',
        )
    if not isinstance(source, DecimalType):
        return None
    if source == shown:
        return identity
    if before_point >= source.precision - source.scale and shown.scale >= source.scale:
        return lambda value: value.cast(shown)
    return lambda value: fail_where(
        value.try_cast(shown),
        value.isNotNull() & value.try_cast(shown).isNull(),
        'Casting value "',
        value.cast("string"),
        f'" to type {name} failed: value is out of range! (column "{path}")',
    )


def _to_boolean(source: DataType) -> Cast | None:
    if isinstance(source, BooleanType):
        return identity
    if type(source) in _INTEGERS or isinstance(source, DecimalType | FloatType | DoubleType):
        return lambda value: value != F.lit(0)
    return None


def _to_float(source: DataType, field: Field) -> Cast | None:
    shown = spark_type(field)
    if source == shown:
        return identity
    if isinstance(source, BooleanType):
        return lambda value: value.cast("int").cast(shown)
    if type(source) in _INTEGERS or isinstance(source, FloatType):
        return lambda value: value.cast(shown)
    if isinstance(source, DecimalType):
        return lambda value: value.cast("double").cast(shown)
    return None


def _to_text(source: DataType, field: Field) -> Cast | None:
    if isinstance(source, StringType):
        return identity if field.type == types.VARCHAR else None
    if type(source) in _INTEGERS or isinstance(source, BooleanType):
        return lambda value: value.cast("string")
    return None


def _to_date(source: DataType) -> Cast | None:
    if isinstance(source, DateType):
        return identity
    if isinstance(source, TimestampNTZType):
        return lambda value: value.cast("date")
    if isinstance(source, TimestampType):
        return lambda value: without_zone(F.unix_micros(value)).cast("date")
    return None


def _to_timestamp(source: DataType, field: Field, path: str) -> Cast | None:
    has_zone = field.type == types.TIMESTAMPTZ
    unit = _ROUNDED_TO_MICROS.get(field.type)
    made = F.timestamp_micros if has_zone else without_zone
    if isinstance(source, DateType):
        return lambda value: made(_midnight(value, path))
    if isinstance(source, TimestampType):
        micros: Cast = F.unix_micros
        if has_zone:
            return identity
    elif isinstance(source, TimestampNTZType):
        micros = micros_without_zone
        if not has_zone and unit is None:
            return identity
    else:
        return None
    return lambda value: made(micros(value) if unit is None else _to_unit(micros(value), unit))


def micros_without_zone(value: Column) -> Column:
    """Return the microseconds since 1970 of a timestamp without zone, taken as UTC.

    It is computed from the parts of the timestamp: Spark's difference of timestamps goes through the session's
    zone, which skips an hour a year.
    """
    days = F.unix_date(value.cast("date")).cast("bigint")
    minutes = F.hour(value).cast("bigint") * F.lit(60) + F.minute(value)
    seconds = F.date_part(F.lit("SECOND"), value)
    of_day = minutes * F.lit(60_000_000).cast("bigint") + (seconds * F.lit(1_000_000)).cast("bigint")
    # Counted from the end of a day before 1970: the beginning of the first one is out of range.
    is_before = days < 0
    rest = F.when(is_before, of_day - F.lit(_MICROS_PER_DAY)).otherwise(of_day)
    return F.when(is_before, days + 1).otherwise(days) * F.lit(_MICROS_PER_DAY) + rest


def without_zone(micros: Column) -> Column:
    """Return the timestamp without zone that is so many microseconds after 1970."""
    return F.timestamp_add("MICROSECOND", micros, _epoch())


def _epoch() -> Column:
    return F.expr("TIMESTAMP_NTZ '1970-01-01 00:00:00'")


def round_moment(micros: Column, target: Type) -> Column:
    """Return microseconds since 1970 as the nearest timestamp of a type.

    Infinity stays what it is.
    """
    unit = _ROUNDED_TO_MICROS.get(target)
    if unit is None:
        return without_zone(micros)
    is_infinite = micros.isin(INFINITE_MOMENT, -INFINITE_MOMENT)
    return without_zone(F.when(is_infinite, micros).otherwise(_to_unit(micros, unit)))


def _to_unit(micros: Column, unit: int) -> Column:
    """Round half away from zero to a multiple of a unit.

    The remainder is computed first, so that nothing near the ends of the range overflows.
    """
    rest = micros % F.lit(unit)
    step = F.when(rest >= unit // 2, F.lit(unit)).when(rest <= -(unit // 2), F.lit(-unit)).otherwise(F.lit(0))
    return micros - rest + step


def _midnight(day: Column, path: str) -> Column:
    days = F.unix_date(day).cast("bigint")
    return fail_where(
        days * F.lit(_MICROS_PER_DAY),
        ~days.between(-_LAST_DAY, _LAST_DAY),
        "Type INT32 with value ",
        F.ltrim(day.cast("string"), F.lit("+")),
        f' can\'t be cast to the destination type INT64 (column "{path}")',
    )


def _to_struct(source: DataType, field: Field, path: str) -> Cast | None:
    if not isinstance(source, StructType):
        return None
    given = {fold(name): position for position, name in enumerate(source.names)}
    if len({name.lower() for name in source.names}) < len(source.names):
        return None  # Spark could not tell these fields apart in every session
    parts: list[tuple[Field, str | None, Cast]] = []
    for child in field.children:
        position = given.get(fold(child.name))
        found = None if position is None else source.fields[position]
        cast = native_cast(NullType() if found is None else found.dataType, child, f"{path}.{child.name}")
        if cast is None:
            return None
        parts.append((child, found.name if found else None, cast))
    if source.names == [name for _, name, _ in parts] == [child.name for child, _, _ in parts] and all(
        cast is identity for _, _, cast in parts
    ):
        return identity
    return lambda value: F.when(
        value.isNotNull(),
        F.struct(
            *(
                cast(F.lit(None) if name is None else value.getField(name)).alias(child.name)
                for child, name, cast in parts
            )
        ),
    )


def _to_list(source: DataType, field: Field, path: str) -> Cast | None:
    if not isinstance(source, ArrayType):
        return None
    element = native_cast(source.elementType, field.children[0], f"{path}.element")
    if element is None or element is identity:
        return element
    return lambda value: F.transform(value, element)


def _to_map(source: DataType, field: Field, path: str) -> Cast | None:
    if not isinstance(source, MapType):
        return None
    key = native_cast(source.keyType, field.children[0], f"{path}.key")
    value_part = native_cast(source.valueType, field.children[1], f"{path}.value")
    if key is not identity or value_part is None:
        return None  # keys that change may become equal
    if value_part is identity:
        return identity
    return lambda value: F.transform_values(value, lambda _, part: value_part(part))
