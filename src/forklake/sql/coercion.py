"""How values of different types meet: DuckDB's rules, said to Spark with explicit casts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from decimal import Decimal
from typing import Final

from forklake.errors import InvalidInputError
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
    type_name,
)
from forklake.sql.literals import converted, quoted, spark_literal, spark_type

_EPOCH: Final = "TIMESTAMP_NTZ '1970-01-01 00:00:00'"
_TIMES: Final = NAIVE | {"date", "timestamptz"}
_INTEGER_RANK: Final = ("int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64", "int128", "uint128")


def constant(column_type: str, text: str) -> Bound:
    """Return a constant, given the text of its value."""
    return Bound(spark_literal(column_type, text), column_type, literal=text)


def untyped(text: str) -> Bound:
    """Return a quoted constant."""
    return Bound(quoted(text), "varchar", literal=text, is_untyped=True)


def common_type(first: Bound, second: Bound) -> str:
    """Return the type as which two values are compared.

    Raises:
        InvalidInputError: DuckDB does not compare them, or Spark cannot as DuckDB does.
    """
    one, other = first.type, second.type
    if other in (one, NULL) or (second.is_untyped and not first.is_untyped):
        return one
    if one == NULL or first.is_untyped:
        return other
    if is_numeric(one) and is_numeric(other):
        return _common_number(one, other)
    types = {one, other}
    if types <= _TIMES:
        return "timestamptz" if "timestamptz" in types else "timestamp"
    if types <= TEXTS:
        return "varchar"
    if "boolean" in types and len(types & INTEGERS) == 1:
        return (types & INTEGERS).pop()
    if types & TEXTS and types & INTEGERS:
        return (types & INTEGERS).pop()
    if types & TEXTS and (types <= _TIMES | TEXTS):
        return (types - TEXTS).pop()
    raise InvalidInputError(
        f"Binder Error: Cannot compare values of type {type_name(one)} and type {type_name(other)}"
        " - an explicit cast is required"
    )


def _common_number(one: str, other: str) -> str:
    types = {one, other}
    if types & FLOATS:
        return "float64" if "float64" in types else "float32"
    if types <= INTEGERS:
        return max(types, key=_INTEGER_RANK.index) if len({kind.startswith("u") for kind in types}) == 1 else "int128"
    (precision, scale), (more, finer) = decimal_size(one), decimal_size(other)
    scale_of_both = max(scale, finer)
    return f"decimal({min(max(precision - scale, more - finer) + scale_of_both, 38)},{scale_of_both})"


def compared(first: Bound, second: Bound) -> tuple[Bound, Bound]:
    """Return two values in a form that Spark compares as DuckDB does."""
    target = common_type(first, second)
    exact = target in INTEGERS or is_decimal(target)
    if exact and _exceeds(first, second):
        return _in_parts(first), _in_parts(second)
    both = []
    for value in (first, second):
        if value.is_untyped or value.type == NULL or not (exact and (value.type in INTEGERS or is_decimal(value.type))):
            both.append(cast(value, target))
        else:
            # Spark compares exact numbers exactly as long as one type can hold both.
            both.append(value)
    return both[0], both[1]


def _exceeds(first: Bound, second: Bound) -> bool:
    """Return whether no decimal holds the values of two exact types: Spark would round them before it compares."""
    if NULL in (first.type, second.type) or first.is_untyped or second.is_untyped or first.type == second.type:
        return False
    (precision, scale), (more, finer) = decimal_size(first.type), decimal_size(second.type)
    return max(precision - scale, more - finer) + max(scale, finer) > 38


def _in_parts(value: Bound) -> Bound:
    """Return an exact number as its whole part and the rest, which compare as it does."""
    whole, rest = f"CAST(floor({value.sql}) AS DECIMAL(38,0))", f"CAST(pmod({value.sql}, 1) AS DECIMAL(38,37))"
    return replace(value, sql=f"if({value.sql} IS NULL, NULL, struct({whole}, {rest}))")


def unified(values: Sequence[Bound]) -> list[Bound]:
    """Return values as ones of the type that all of them have in common."""
    target = values[0]
    for value in values[1:]:
        target = Bound("", common_type(target, value), is_untyped=target.is_untyped and value.is_untyped)
    return [cast(value, target.type) for value in values]


def cast(value: Bound, target: str, *, is_lenient: bool = False) -> Bound:
    """Return a value as one of another type.

    A row whose value is none of that type fails the query, or has NULL if the cast is lenient.

    Raises:
        InvalidInputError: A constant is no value of that type, or values cannot be cast to it.
    """
    if value.type == target:
        return replace(value, is_untyped=False)
    if value.type == NULL:
        return Bound(f"CAST(NULL AS {spark_type(target)})", target)
    if value.literal is not None:
        found = _cast_constant(value, target)
        if found is not None:
            return found
    sql = _cast_sql(value, target, is_lenient=is_lenient)
    if sql is None:
        raise InvalidInputError(
            f"A cast from {type_name(value.type)} to {type_name(target)} is not supported in a condition."
        )
    return Bound(sql, target)


def _cast_constant(value: Bound, target: str) -> Bound | None:
    text = value.literal
    assert text is not None
    if value.type in TEXTS:
        return constant(target, converted(text, target))
    if is_numeric(value.type) and is_numeric(target):
        if target in FLOATS:
            return constant(target, repr(float(text)))
        if value.type in FLOATS:
            return None
        return constant(target, converted(text, target))
    if value.type in NAIVE | {"date"} and target in NAIVE | {"timestamptz", "timestamp_ns", "date"}:
        return constant(target, converted(text, target))
    if target == "varchar" and (value.type in INTEGERS or is_decimal(value.type) or value.type in ("boolean", "uuid")):
        return Bound(quoted(text), "varchar", literal=text)
    if value.type == "boolean" and target in INTEGERS:
        return constant(target, "1" if text == "true" else "0")
    return constant("boolean", str(Decimal(text) != 0).lower()) if _is_flag(value, target) else None


def _is_flag(value: Bound, target: str) -> bool:
    return target == "boolean" and value.type in INTEGERS


def _cast_sql(value: Bound, target: str, *, is_lenient: bool) -> str | None:
    """Return the cast of something that is no constant; None if Spark cannot do it as DuckDB does."""
    source, sql, kind = value.type, value.sql, spark_type(target)
    if is_numeric(source) and is_numeric(target):
        if target in FLOATS or _fits(source, target):
            return f"CAST({sql} AS {kind})"
        rounded = f"rint({sql})" if source in FLOATS else f"round({sql}, {decimal_size(target)[1]})"
        return _checked(sql if source in INTEGERS else rounded, value, target, is_lenient=is_lenient)
    if source == "boolean" and is_numeric(target):
        return f"CAST(CAST({sql} AS INT) AS {kind})"
    if target == "boolean" and source in INTEGERS:
        return f"({sql} <> 0)"
    if source in TEXTS and (is_numeric(target) or target in ("boolean", "date")):
        return _checked(f"trim({sql})", value, target, is_lenient=is_lenient)
    if target in TEXTS:
        if source in TEXTS or source in ("uuid", "time", "timetz", "timestamp_ns", "interval"):
            return sql
        is_same = source in INTEGERS or is_decimal(source) or source in NAIVE or source in ("boolean", "date")
        return f"CAST({sql} AS STRING)" if is_same else None
    return _cast_time(value, target)


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
    if source == "timestamptz" and target in NAIVE | {"date"}:
        local = naive(value)
        return local if target in NAIVE else f"CAST({local} AS DATE)"
    if source in NAIVE | {"date"} and target in NAIVE:
        return f"CAST({sql} AS TIMESTAMP_NTZ)"
    if source in NAIVE and target == "date":
        return f"CAST({sql} AS DATE)"
    if source in NAIVE | {"date"} and target == "timestamptz":
        # Text with a zone means the same in every session; Spark's difference of timestamps does not.
        return f"CAST(concat(CAST(CAST({sql} AS TIMESTAMP_NTZ) AS STRING), 'Z') AS TIMESTAMP_LTZ)"
    return None


def naive(value: Bound) -> str:
    """Return a date or timestamp as Spark's timestamp without a zone; one with a zone as it is at UTC."""
    if value.type == "timestamptz":
        return f"({_EPOCH} + unix_micros({value.sql}) * INTERVAL '0.000001' SECOND)"
    return value.sql if value.type in NAIVE else f"CAST({value.sql} AS TIMESTAMP_NTZ)"


def _checked(sql: str, value: Bound, target: str, *, is_lenient: bool) -> str:
    """Return a cast that fails the query where it has no result, in ANSI mode and not; a lenient one gives NULL."""
    attempt = f"try_cast({sql} AS {spark_type(target)})"
    if is_lenient:
        return attempt
    complaint = f"Conversion Error: Could not convert a value of type {type_name(value.type)} to {type_name(target)}"
    return f"coalesce({attempt}, CASE WHEN {value.sql} IS NOT NULL THEN raise_error({quoted(complaint)}) END)"
