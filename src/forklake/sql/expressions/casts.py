"""DuckDB's casts: constants at once, other values in Spark SQL.

The SQL means the same whatever the settings of the Spark session.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from decimal import Decimal
from typing import Final

import pyarrow as pa

from forklake.errors import InvalidInputError
from forklake.files.arrow.schema import arrow_type
from forklake.files.arrow.type_names import physical_name
from forklake.files.casting.casts import cast as cast_array
from forklake.files.casting.texts import format_value, parse_value, to_texts
from forklake.model import types
from forklake.model.field import Field
from forklake.model.types import Type
from forklake.model.types.shapes import shape_of
from forklake.sql.expressions import nested_casts
from forklake.sql.expressions.bound import NAIVE, TEXTS, Bound, decimal_size
from forklake.sql.expressions.infinities import keep_infinite, may_be_infinite, unless_infinite
from forklake.sql.expressions.literals import ducklake_text, spark_literal, spark_type, text_literal
from forklake.sql.expressions.moment_texts import (
    DAYS_OF_TIMESTAMPS,
    EPOCH,
    FIRST_OF_NANOS,
    LAST_OF_NANOS,
    moment_text,
    round_timestamp,
)
from forklake.sql.expressions.spark_idioms import SHORT_OF_DIGITS, once, refusal, unless_null, variable
from forklake.sql.expressions.text_casts import from_text, to_text
from forklake.sql.expressions.variants import computed_here

_DAYS: Final = NAIVE | {types.DATE}
_WITHOUT_ZONE: Final = _DAYS | {types.TIMESTAMP_NS, types.TIME}
_TWO_TO_63: Final = "9.223372036854775808E18D"
_TWO_TO_64: Final = "1.8446744073709551616E19D"
_NO_INFINITE_TIME: Final = (
    "Invalid Input Error: Type INT64 with value infinity can't be cast to the destination type INT64"
)
_MOST_FLOAT: Final = 3.4028235677973362e38
"""A greater number rounds to none of the finite 32 bit floats."""


def constant(kind: Type, text: str) -> Bound:
    """Return a constant of a type, given the text of its value."""
    return Bound(spark_literal(kind, text), shape_of(kind), literal=text)


def untyped_constant(text: str) -> Bound:
    """Return a quoted constant, which takes the type of the value beside it."""
    return Bound(text_literal(text), types.VARCHAR, literal=text, is_untyped=True)


def clock_constant(instant: datetime) -> Bound:
    """Return a constant instant that has a clock.

    Beside values without time zone it is what a clock in its zone shows.
    """
    utc = ducklake_text(instant.astimezone(UTC).isoformat(" "), types.TIMESTAMPTZ)
    clock = ducklake_text(instant.replace(tzinfo=None).isoformat(" "), types.TIMESTAMP)
    return replace(constant(types.TIMESTAMPTZ, utc), clock=clock)


def take_clock(value: Bound, other: Bound) -> Bound:
    """Return an instant that has a clock as the value beside it needs it.

    Beside a value without time zone it is the time of its clock. Other values are returned as they are.
    """
    has_no_zone = other.type in _WITHOUT_ZONE and other.type != types.TIME
    return cast(value, types.TIMESTAMP) if value.clock is not None and has_no_zone else value


def cast(value: Bound, target: Type, *, is_lenient: bool = False) -> Bound:
    """Cast a value to a type.

    A value that does not fit the type fails the query, or becomes NULL if the cast is lenient.

    Raises:
        InvalidInputError: A constant is no value of that type, or there is no such cast.
    """
    target = shape_of(target)
    if value.type == target:
        return replace(value, is_untyped=False) if value.is_untyped else value
    if value.clock is not None and target in _WITHOUT_ZONE:
        return cast(constant(types.TIMESTAMP, value.clock), target, is_lenient=is_lenient)
    if value.type == types.NULL:
        return Bound(f"CAST({value.sql} AS {spark_type(target)})", target)
    if types.VARIANT in (value.type, target):
        return computed_here(target)
    if value.type == types.JSON and isinstance(target, types.Number | types.Boolean):
        if value.literal == "null":
            return cast(Bound("NULL", types.NULL), target)
        value = replace(value, sql=f"nullif({value.sql}, 'null')")
    if value.literal is not None:
        found = _cast_constant(value, target)
        if found is not None:
            return found
    sql = _cast_sql(value, target, is_lenient=is_lenient)
    if sql is None:
        raise InvalidInputError(
            f"Conversion Error: Unimplemented type for cast ({value.type.sql_name} -> {target.sql_name})"
        )
    return Bound(sql, target)


# ---- constants -------------------------------------------------------------------------------------------------------


def _cast_constant(value: Bound, target: Type) -> Bound | None:
    text, source = value.literal, value.type
    assert text is not None
    if source in TEXTS:
        return constant(target, ducklake_text(text, target))
    if target == types.VARCHAR:
        found = text if not isinstance(source, types.Float) else format_value(source, float(text))
        return Bound(text_literal(found), types.VARCHAR, literal=found)
    match source, target:
        case types.Number(), types.Number():
            return _cast_number(value, target)
        case types.Boolean(), types.Number():
            return _cast_number(Bound("", types.INT32, literal="1" if text == "true" else "0"), target)
        case types.Number(), types.Boolean():
            return constant(types.BOOLEAN, str(Decimal(text) != 0).lower())
        case types.Date() | types.Timestamp(), types.Date() | types.Timestamp() if source in _DAYS:
            return constant(target, ducklake_text(text, target))
        case types.Nested(), types.Nested() if source.name == target.name:
            return _cast_nested_constant(value, target)
    return None


def _cast_number(value: Bound, target: Type) -> Bound:
    assert value.literal is not None
    if isinstance(value.type, types.Float) or isinstance(target, types.Float):
        return constant(target, _cast_float(value, target))
    return constant(target, _out_of_range(value, target, value.literal))


def _cast_float(value: Bound, target: Type) -> str:
    """Cast a constant number from or to a float, by the rules for arrays."""
    assert value.literal is not None
    source = Field(None, "", value.type if isinstance(value.type, types.Float) else types.FLOAT64)
    number = pa.array([parse_value(source.type, value.literal)], arrow_type(source))
    try:
        found = cast_array(Field(None, "", target), number, "")
    except InvalidInputError as error:
        words = str(error).removesuffix(' (column "")')
        raise InvalidInputError(f"Conversion Error: {words}") from error
    return to_texts(target, found)[0] or ""


def _out_of_range(value: Bound, target: Type, text: str) -> str:
    try:
        return ducklake_text(text, target)
    except InvalidInputError as error:
        if isinstance(target, types.Decimal):
            raise InvalidInputError(
                f"Conversion Error: Could not cast value {value.literal} to {target.sql_name}"
            ) from error
        raise _beyond(value, target) from error


def _beyond(value: Bound, target: Type) -> InvalidInputError:
    return InvalidInputError(
        f"Conversion Error: Type {physical_name(value.type)} with value {value.literal} can't be cast because the value"
        f" is out of range for the destination type {physical_name(target)}"
    )


def _cast_nested_constant(value: Bound, target: Type) -> Bound | None:
    """Cast each part of a nested constant.

    Return None where the text of a part is not enough for that.
    """
    assert value.literal is not None
    try:
        found = nested_casts.constant_parts(value.type, target, parse_value(value.type, value.literal))
    except ValueError:
        return None
    return constant(target, format_value(target, found))


# ---- other values ----------------------------------------------------------------------------------------------------


def _cast_sql(value: Bound, target: Type, *, is_lenient: bool) -> str | None:
    """Return the cast of a value that is no constant.

    Return None if Spark cannot cast it as DuckDB does.
    """
    source, sql = value.type, value.sql
    if isinstance(source, types.Nested):
        return _cast_nested(value, target, is_lenient=is_lenient)
    if target == types.JSON and source != types.VARCHAR:
        return nested_casts.to_json(value, cast)
    if target == types.VARCHAR:
        return to_text(value)
    if source in TEXTS:
        return from_text(value, target, is_lenient=is_lenient)
    match source, target:
        case types.Number(), types.Number():
            return _number_sql(value, target, is_lenient=is_lenient)
        case types.Boolean(), types.Number():
            return _number_sql(Bound(f"CAST({sql} AS INT)", types.INT32), target, is_lenient=is_lenient)
        case types.Number(), types.Boolean():
            return f"({sql} <> 0)"
        case types.UUID, types.BLOB:
            return f"unhex(replace({sql}, '-', ''))"
    return _cast_time(value, target, is_lenient=is_lenient)


def _cast_nested(value: Bound, target: Type, *, is_lenient: bool) -> str | None:
    def inner(part: Bound, kind: Type) -> Bound:
        return cast(part, kind, is_lenient=is_lenient)

    if target == types.VARCHAR:
        return nested_casts.to_text(value, inner)
    if target == types.JSON:
        return nested_casts.to_json(value, inner)
    return nested_casts.cast_parts(value, target, inner)


def _number_sql(value: Bound, target: Type, *, is_lenient: bool) -> str:
    source, kind = value.type, spark_type(target)
    if target == types.FLOAT32 and source == types.FLOAT64:
        return _narrow_float(value, is_lenient=is_lenient)
    if isinstance(target, types.Float) or _fits(source, target):
        return f"CAST({value.sql} AS {kind})"

    def attempt(sql: str) -> str:
        scale = decimal_size(target)[1]
        whole = sql if isinstance(source, types.Integer) else f"round({sql}, {scale})"
        if isinstance(source, types.Float):
            whole = f"rint({sql})" if isinstance(target, types.Integer) else _scale_float(sql, source, scale)
        found = f"try_cast({whole} AS {kind})"
        if isinstance(source, types.Float) and isinstance(target, types.Integer) and target.bits <= 64:
            found = _whole_float(whole, target)
        if isinstance(target, types.Integer) and not target.is_signed:
            least = sql if isinstance(source, types.Float) else whole  # DuckDB has no -0.4 in a type without sign
            found = f"CASE WHEN {least} >= 0{_upper_bound(whole, target)} THEN {found} END"
        if is_lenient:
            return found
        if isinstance(target, types.Decimal):
            return unless_null(
                sql,
                found,
                text_literal("Conversion Error: Could not cast value "),
                f"CAST({sql} AS STRING)",
                text_literal(f" to {target.sql_name}"),
            )
        return unless_null(
            sql,
            found,
            text_literal(f"Conversion Error: Type {physical_name(source)} with value "),
            f"CAST({sql} AS STRING)",
            text_literal(
                " can't be cast because the value is out of range for the destination type "
                + physical_name(target)
                + (SHORT_OF_DIGITS if isinstance(target, types.Integer) and target.bits == 128 else "")
            ),
        )

    return once(value.sql, attempt)


def _whole_float(whole: str, target: types.Integer) -> str:
    """Return a float without fraction as an integer of at most 64 bits.

    It is NULL where it is beyond. Spark's cast to BIGINT makes the greatest integer of 2^63, and its cast to a decimal
    takes the shortest digits of a float for its value.
    """
    kind = spark_type(target)
    if target.high < 1 << 63:
        return f"CASE WHEN {whole} < {_TWO_TO_63} THEN try_cast({whole} AS {kind}) END"
    lower = f"CAST(try_cast({whole} AS BIGINT) AS {kind})"
    upper = f"CAST(try_cast({whole} - {_TWO_TO_63} AS BIGINT) + {1 << 63}BD AS {kind})"
    return f"CASE WHEN {whole} < {_TWO_TO_63} THEN {lower} WHEN {whole} < {_TWO_TO_64} THEN {upper} END"


def _scale_float(sql: str, source: Type, scale: int) -> str:
    """Return the text of a float with ``scale`` digits behind the point.

    It is rounded in floating point, as DuckDB does.
    """
    name = variable()
    away = f"({name} - {name} % 1D + if(abs({name} % 1D) >= 0.5D, signum({name}), 0D))"
    away = f"CAST({away} AS FLOAT)" if source == types.FLOAT32 else away
    digits = f"CAST(try_cast(CAST({away} AS DOUBLE) AS DECIMAL(38,0)) AS STRING)"
    return f"transform(array(CAST({sql} AS DOUBLE) * 1e{scale}D), {name} -> concat({digits}, 'E-{scale}'))[0]"


def _narrow_float(value: Bound, *, is_lenient: bool) -> str:
    """Cast a 64 bit float to 32 bits; a finite one does not become infinite."""

    def body(sql: str) -> str:
        parts = (
            f"Conversion Error: Type {physical_name(types.FLOAT64)} with value ",
            to_text(Bound(sql, types.FLOAT64)),
        )
        ending = (
            f" can't be cast because the value is out of range for the destination type {physical_name(types.FLOAT32)}"
        )
        failed = "NULL" if is_lenient else refusal(text_literal(parts[0] or ""), parts[1] or "", text_literal(ending))
        infinite = "CAST('Infinity' AS DOUBLE)"
        beyond = f"abs({sql}) > CAST('{_MOST_FLOAT!r}' AS DOUBLE) AND abs({sql}) < {infinite}"
        return f"(CASE WHEN {beyond} THEN {failed} ELSE CAST({sql} AS FLOAT) END)"

    return once(value.sql, body)


def _upper_bound(sql: str, target: types.Integer) -> str:
    """Return the check of the upper bound of an unsigned type.

    Spark holds its values in a larger type.
    """
    return "" if target == types.UINT128 else f" AND {sql} <= {target.high}BD"


def _fits(source: Type, target: Type) -> bool:
    """Return whether every number of one exact type is a number of another."""
    match source, target:
        case types.Integer() | types.Decimal(), types.Decimal(more, finer):
            precision, scale = decimal_size(source)
            return more - finer >= precision - scale and finer >= scale
        case types.Integer(), types.Integer():
            return target.holds(source)
    return False


def _cast_time(value: Bound, target: Type, *, is_lenient: bool) -> str | None:
    found = _cast_finite(value, target, is_lenient=is_lenient)
    if found is None or not may_be_infinite(value):
        return found

    def body(one: Bound) -> str:
        return _cast_finite(one, target, is_lenient=is_lenient) or found

    if isinstance(target, types.Time):
        return unless_infinite(value, body, "NULL" if is_lenient else refusal(text_literal(_NO_INFINITE_TIME)))
    return keep_infinite(value, target, body)


def cast_finite(value: Bound, target: Type) -> str:
    """Return the SQL of a timestamp that is not infinite as another type."""
    return value.sql if value.type == target else _cast_finite(value, target, is_lenient=False) or value.sql


def _cast_finite(value: Bound, target: Type, *, is_lenient: bool) -> str | None:
    source, sql = value.type, value.sql
    if source in {types.TIMESTAMP_S, types.TIMESTAMP_MS, types.TIMESTAMP_NS} and target == types.TIMETZ:
        return None  # as in DuckDB
    if target == types.TIMETZ and isinstance(source, types.Time | types.Timestamp):
        return f"concat({sql if source == types.TIME else _time_text(naive(value))}, '+00')"
    if source == types.TIMETZ and target == types.TIME:
        return f"regexp_replace({sql}, '[+-].*$', '')"
    if source == types.TIMESTAMP_NS and target in _DAYS | {types.TIMESTAMPTZ, types.TIME}:
        inner = Bound(naive(value), types.TIMESTAMP)
        return inner.sql if target == types.TIMESTAMP else cast(inner, target).sql
    if source == types.TIMESTAMPTZ and target in _DAYS | {types.TIMESTAMP_NS}:
        return cast(Bound(naive(value), types.TIMESTAMP), target, is_lenient=is_lenient).sql
    if source not in _DAYS:
        return None
    if target == types.DATE:
        return f"CAST({sql} AS DATE)"
    local = naive(value) if source != types.DATE else once(sql, lambda day: _midnight(day, is_lenient=is_lenient))
    match target:
        case types.TIMESTAMP:
            return local
        case types.TIMESTAMP_S | types.TIMESTAMP_MS:
            return once(local, lambda sql: _to_unit(sql, target, is_lenient=is_lenient))
        case types.TIMESTAMP_NS:
            return once(local, lambda sql: _to_nanos(sql, is_lenient=is_lenient))
        case types.TIME:
            return _time_text(local) if source != types.DATE else None
        case types.TIMESTAMPTZ:
            # Text with a zone means the same in every session; Spark's difference of timestamps does not.
            return f"CAST(concat(CAST({local} AS STRING), 'Z') AS TIMESTAMP_LTZ)"
    return None


def _time_text(local: str) -> str:
    return f"substring_index(CAST({local} AS STRING), ' ', -1)"


def _from_nanos(sql: str) -> str:
    """Cut a TIMESTAMP_NS to microseconds, toward 1970 as DuckDB does.

    Spark has it as text.
    """
    cut = f"CAST({sql} AS TIMESTAMP_NTZ)"
    is_raised = f"{cut} < {EPOCH} AND {sql} RLIKE '[.][0-9]{{7,}}$'"
    return f"({cut} + if({is_raised}, INTERVAL '0.000001' SECOND, INTERVAL '0' SECOND))"


def cut_nanos(sql: str) -> str:
    """Return the microsecond in which a TIMESTAMP_NS lies, as a timestamp."""
    return f"CAST(substring({sql}, 1, 26) AS TIMESTAMP_NTZ)"


def _midnight(day: str, *, is_lenient: bool) -> str:
    """Return the timestamp at which a day begins.

    Timestamps have fewer years than dates: beyond them it is NULL, or refused.
    """
    found = f"CASE WHEN {day} {DAYS_OF_TIMESTAMPS} THEN CAST({day} AS TIMESTAMP_NTZ) END"
    if is_lenient:
        return found
    return unless_null(
        day,
        found,
        text_literal("Conversion Error: Type DATE with value "),
        moment_text(day),
        text_literal(" can't be cast to the destination type TIMESTAMP"),
    )


def _to_unit(local: str, target: Type, *, is_lenient: bool) -> str:
    found, unit = round_timestamp(local, target), "S" if target == types.TIMESTAMP_S else "MS"
    if is_lenient:
        return found
    message = f"Conversion Error: Could not convert Timestamp(US) to Timestamp({unit})"
    return unless_null(local, found, text_literal(message))


def _to_nanos(local: str, *, is_lenient: bool) -> str:
    found = f"CASE WHEN {local} BETWEEN {FIRST_OF_NANOS} AND {LAST_OF_NANOS} THEN CAST({local} AS STRING) END"
    if is_lenient:
        return found
    return unless_null(local, found, text_literal("Conversion Error: Could not convert Timestamp(US) to Timestamp(NS)"))


def naive(value: Bound) -> str:
    """Return a date or timestamp as Spark's timestamp without time zone.

    A timestamp with time zone is converted to UTC.
    """
    if value.type == types.TIMESTAMPTZ:
        return f"({EPOCH} + unix_micros({value.sql}) * INTERVAL '0.000001' SECOND)"
    if value.type == types.TIMESTAMP_NS:
        return once(value.sql, _from_nanos)
    return value.sql if value.type in NAIVE else f"CAST({value.sql} AS TIMESTAMP_NTZ)"
