"""Casts as DuckDB does them: of constants at once, of others by expressions that mean the same in any session."""

from __future__ import annotations

import math
from dataclasses import replace
from decimal import Decimal, InvalidOperation
from typing import Final

from forklake.errors import InvalidInputError
from forklake.files.texts import format_value, parse_value
from forklake.files.type_names import physical_name
from forklake.model.field import Field
from forklake.sql import nested_casts
from forklake.sql.bound import (
    FLOATS,
    INTEGERS,
    NAIVE,
    NULL,
    TEXTS,
    Bound,
    decimal_size,
    is_decimal,
    is_numeric,
    scalar,
    shape_of,
    shaped,
    type_name,
)
from forklake.sql.literals import converted, quoted, spark_literal, spark_type
from forklake.sql.phrases import once, refusal, unless_null
from forklake.sql.text_casts import from_text, to_text

EPOCH: Final = "TIMESTAMP_NTZ '1970-01-01 00:00:00'"
_DAYS: Final = NAIVE | {"date"}
_MOST_FLOAT: Final = 3.4028235677973362e38
"""What is greater than this is greater than all floats of 32 bits, also when it is rounded to one."""


def constant(shape: str | Field, text: str) -> Bound:
    """Return a constant, given the text of its value."""
    return shaped(spark_literal(shape, text), shape, text)


def untyped(text: str) -> Bound:
    """Return a quoted constant."""
    return Bound(quoted(text), "varchar", literal=text, is_untyped=True)


def cast(value: Bound, target: str | Field, *, is_lenient: bool = False) -> Bound:
    """Return a value as one of another type, which is a name or, if it is nested, a field.

    A row whose value is none of that type fails the query, or has NULL if the cast is lenient.

    Raises:
        InvalidInputError: A constant is no value of that type, or values cannot be cast to it.
    """
    shape = scalar(target) if isinstance(target, str) else target
    if value.type == shape.type and (not shape.children or _same(shape_of(value), shape)):
        return replace(value, is_untyped=False)
    if value.type == NULL:
        return shaped(f"CAST({value.sql} AS {spark_type(shape)})", shape)
    if value.literal is not None:
        found = _cast_constant(value, shape)
        if found is not None:
            return found
    sql = _cast_sql(value, shape, is_lenient=is_lenient)
    if sql is None:
        raise InvalidInputError(
            f"Conversion Error: Unimplemented type for cast ({type_name(shape_of(value))} -> {type_name(shape)})"
        )
    return shaped(sql, shape)


def _same(one: Field, other: Field) -> bool:
    """Return whether two types are one; the names of the parts of lists and maps are nobody's choice."""
    if one.type != other.type or len(one.children) != len(other.children):
        return False
    pairs = list(zip(one.children, other.children, strict=True))
    if one.type == "struct" and any(child.name != wanted.name for child, wanted in pairs):
        return False
    return all(_same(child, wanted) for child, wanted in pairs)


# ---- constants -------------------------------------------------------------------------------------------------------


def _cast_constant(value: Bound, shape: Field) -> Bound | None:
    text, target, source = value.literal, shape.type, value.type
    assert text is not None
    if source in TEXTS:
        return constant(shape, converted(text, shape))
    if target == "varchar":
        found = text if source not in FLOATS else format_value(scalar(source), float(text))
        return Bound(quoted(found), "varchar", literal=found)
    if is_numeric(source) and is_numeric(target):
        return _cast_number(value, target)
    if source in _DAYS and target in _DAYS | {"timestamptz", "timestamp_ns"}:
        return constant(target, converted(text, target))
    if source == "boolean" and is_numeric(target):
        return _cast_number(Bound("", "int32", literal="1" if text == "true" else "0"), target)
    if target == "boolean" and is_numeric(source):
        return constant("boolean", str(Decimal(text) != 0).lower())
    if shape.children and source == shape.type:
        return _cast_nested_constant(value, shape)
    return None


def _cast_number(value: Bound, target: str) -> Bound | None:
    text = value.literal
    assert text is not None
    if target in FLOATS:
        number = float(text)
        if target == "float32" and _MOST_FLOAT < abs(number) < math.inf:
            raise _beyond(value, target)
        return constant(target, repr(number))
    if value.type not in FLOATS:
        return constant(target, _out_of_range(value, target, text))
    try:
        digits = Decimal(text)
        whole = f"{digits:.0f}" if target in INTEGERS else f"{digits:f}"
    except (InvalidOperation, ValueError):
        whole = text
    if not Decimal(text).is_finite():
        whole = "x"  # no digits: it is out of range
    return constant(target, _out_of_range(value, target, whole))


def _out_of_range(value: Bound, target: str, text: str) -> str:
    try:
        return converted(text, target)
    except InvalidInputError as error:
        if is_decimal(target):
            raise InvalidInputError(
                f"Conversion Error: Could not cast value {value.literal} to {type_name(target)}"
            ) from error
        raise _beyond(value, target) from error


def _beyond(value: Bound, target: str) -> InvalidInputError:
    assert value.literal is not None
    text = value.literal if value.type not in FLOATS else format_value(scalar(value.type), float(value.literal))
    return InvalidInputError(
        f"Conversion Error: Type {physical_name(value.type)} with value {text} can't be cast because the value is out"
        f" of range for the destination type {physical_name(target)}"
    )


def _cast_nested_constant(value: Bound, shape: Field) -> Bound | None:
    """Return a nested constant with each of its parts cast; None if that needs more than their text."""
    source = shape_of(value)
    assert value.literal is not None
    try:
        found = nested_casts.constant_parts(source, shape, parse_value(source, value.literal))
    except ValueError:
        return None
    text = format_value(shape, found)
    return constant(shape, text)


# ---- other values ----------------------------------------------------------------------------------------------------


def _cast_sql(value: Bound, shape: Field, *, is_lenient: bool) -> str | None:
    """Return the cast of something that is no constant; None if Spark cannot do it as DuckDB does."""
    source, target, sql = value.type, shape.type, value.sql
    if source in ("list", "struct", "map"):
        return _cast_nested(value, shape, is_lenient=is_lenient)
    if target == "json":
        return (
            nested_casts.to_json(value, cast) if source != "varchar" else from_text(value, shape, is_lenient=is_lenient)
        )
    if target == "varchar":
        return to_text(value)
    if source in TEXTS:
        return from_text(value, shape, is_lenient=is_lenient)
    if is_numeric(source) and is_numeric(target):
        return _number_sql(value, target, is_lenient=is_lenient)
    if source == "boolean" and is_numeric(target):
        return f"CAST(CAST({sql} AS INT) AS {spark_type(target)})"
    if target == "boolean" and is_numeric(source):
        return f"({sql} <> 0)"
    return _cast_time(value, target)


def _cast_nested(value: Bound, shape: Field, *, is_lenient: bool) -> str | None:
    def inner(part: Bound, target: Field | str) -> Bound:
        return cast(part, target, is_lenient=is_lenient)

    if shape.type == "varchar":
        return nested_casts.to_text(value, inner)
    if shape.type == "json":
        return nested_casts.to_json(value, inner)
    return nested_casts.cast_parts(value, shape, inner)


def _number_sql(value: Bound, target: str, *, is_lenient: bool) -> str:
    source, kind = value.type, spark_type(target)
    if target == "float32" and source == "float64":
        return _narrowed(value, is_lenient=is_lenient)
    if target in FLOATS or _fits(source, target):
        return f"CAST({value.sql} AS {kind})"

    def attempt(sql: str) -> str:
        scale = decimal_size(target)[1]
        rounded = sql if source in INTEGERS else f"round({sql}, {scale})"
        if source in FLOATS and target in INTEGERS:
            rounded = f"rint({sql})"
        if source in FLOATS and scale:
            # As many digits as the float is written with, so that what it seems to be is what is rounded.
            rounded = f"round(try_cast(CAST({sql} AS STRING) AS DECIMAL(38,{min(scale + 6, 37)})), {scale})"
        found = f"try_cast({rounded} AS {kind})"
        if source in FLOATS and target in ("int64", "int32", "int16", "int8"):
            found = f"CASE WHEN isnan({sql}) THEN NULL ELSE {found} END"
        if target.startswith("uint"):
            found = f"CASE WHEN {rounded} >= 0{_upper_bound(rounded, target)} THEN {found} END"
        if is_lenient:
            return found
        if is_decimal(target):
            return unless_null(
                sql,
                found,
                quoted("Conversion Error: Could not cast value "),
                f"CAST({sql} AS STRING)",
                quoted(f" to {type_name(target)}"),
            )
        return unless_null(
            sql,
            found,
            quoted(f"Conversion Error: Type {physical_name(source)} with value "),
            f"CAST({sql} AS STRING)",
            quoted(
                " can't be cast because the value is out of range for the destination type " + physical_name(target)
            ),
        )

    return once(value.sql, attempt)


def _narrowed(value: Bound, *, is_lenient: bool) -> str:
    """Return a float with half the bits; one that is finite does not become infinite."""

    def body(sql: str) -> str:
        parts = (f"Conversion Error: Type {physical_name('float64')} with value ", to_text(Bound(sql, "float64")))
        ending = f" can't be cast because the value is out of range for the destination type {physical_name('float32')}"
        failed = "NULL" if is_lenient else refusal(quoted(parts[0] or ""), parts[1] or "", quoted(ending))
        infinite = "CAST('Infinity' AS DOUBLE)"
        beyond = f"abs({sql}) > CAST('{_MOST_FLOAT!r}' AS DOUBLE) AND abs({sql}) < {infinite}"
        return f"(CASE WHEN {beyond} THEN {failed} ELSE CAST({sql} AS FLOAT) END)"

    return once(value.sql, body)


def _upper_bound(sql: str, target: str) -> str:
    """Return the bound that Spark's type for a type without sign, which is larger, does not have."""
    return "" if target == "uint128" else f" AND {sql} <= {2 ** int(target[4:]) - 1}BD"


def _fits(source: str, target: str) -> bool:
    """Return whether all exact numbers of one type are numbers of another."""
    if source in FLOATS:
        return False
    if is_decimal(target):
        (precision, scale), (more, finer) = decimal_size(source), decimal_size(target)
        return more - finer >= precision - scale and finer >= scale
    if source not in INTEGERS:
        return False
    bits, more_bits = (int(one.lstrip("uint")) for one in (source, target))
    return bits <= more_bits if source[0] == target[0] else source[0] == "u" and bits < more_bits


def _cast_time(value: Bound, target: str) -> str | None:
    source, sql = value.type, value.sql
    if source == "timestamp_ns" and target in _DAYS | {"timestamptz"}:
        inner = Bound(f"CAST({sql} AS TIMESTAMP_NTZ)", "timestamp")
        return inner.sql if target == "timestamp" else cast(inner, target).sql
    if source == "timestamptz" and target in _DAYS | {"timestamp_ns"}:
        return cast(Bound(naive(value), "timestamp"), target).sql
    if source not in _DAYS:
        return None
    local = naive(value)
    match target:
        case "date":
            return f"CAST({sql} AS DATE)"
        case "timestamp":
            return local
        case "timestamp_s" | "timestamp_ms":
            return _rounded(local, target)
        case "timestamp_ns":
            return f"CAST({local} AS STRING)"
        case "time":
            return f"substring(CAST({local} AS STRING), 12)" if source != "date" else None
        case "timestamptz":
            # Text with a zone means the same in every session; Spark's difference of timestamps does not.
            return f"CAST(concat(CAST({local} AS STRING), 'Z') AS TIMESTAMP_LTZ)"
    return None


def _rounded(local: str, target: str) -> str:
    half, unit = ("0.5", "1") if target == "timestamp_s" else ("0.0005", "0.001")

    def body(sql: str) -> str:
        shifted = f"({sql} + INTERVAL '{half}' SECOND)"
        return f"({shifted} - make_dt_interval(0, 0, 0, extract(SECOND FROM {shifted}) % {unit}BD))"

    return once(local, body)


def naive(value: Bound) -> str:
    """Return a date or timestamp as Spark's timestamp without a zone; one with a zone as it is at UTC."""
    if value.type == "timestamptz":
        return f"({EPOCH} + unix_micros({value.sql}) * INTERVAL '0.000001' SECOND)"
    return value.sql if value.type in NAIVE else f"CAST({value.sql} AS TIMESTAMP_NTZ)"
