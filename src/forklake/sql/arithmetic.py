"""Arithmetic as DuckDB does it, said to Spark so that its settings do not matter."""

from __future__ import annotations

from typing import Final

from forklake.errors import InvalidInputError
from forklake.files.intervals import Interval, parse_interval
from forklake.sql.bound import FLOATS, INTEGERS, NAIVE, NULL, Bound, decimal_size, is_decimal, is_numeric, type_name
from forklake.sql.coercion import cast, constant, naive
from forklake.sql.literals import quoted

_INFINITY: Final = "CAST('Infinity' AS DOUBLE)"
_DAYS: Final = frozenset({"date", "timestamptz"}) | NAIVE
_SMALL: Final = frozenset({"int8", "int16", "int32", "int64", "uint8", "uint16", "uint32"})
"""Integers that Spark has as integers."""
_SMALLER: Final = _SMALL - {"int64", "uint32"}
"""Integers whose sums and products have 64 bits at most, so that nothing overflows and nothing slow is needed."""


def arithmetic(first: Bound, operator: str, second: Bound) -> Bound:
    """Return the result of ``+``, ``-``, ``*``, ``/``, ``//`` or ``%``.

    Integers are added and multiplied as decimals: what overflows in DuckDB, and wraps around in Spark, is right here.

    Raises:
        InvalidInputError: There is no such operation on such values.
    """
    first, second = _number(first, second), _number(second, first)
    if NULL in (first.type, second.type):
        other = second.type if first.type == NULL else first.type
        return Bound("CAST(NULL AS DOUBLE)", "float64" if other == NULL or not is_numeric(other) else other)
    found = None
    if is_numeric(first.type) and is_numeric(second.type):
        found = _numbers(first, operator, second)
    elif operator in ("+", "-"):
        found = _moments(first, operator, second)
    if found is None:
        raise InvalidInputError(
            "Binder Error: No function matches the given name and argument types"
            f" '{operator}({type_name(first.type)}, {type_name(second.type)})'."
            " You might need to add explicit type casts."
        )
    return found


def _number(value: Bound, beside: Bound) -> Bound:
    """Give a quoted constant the type of the number beside it."""
    return cast(value, beside.type) if value.is_untyped and is_numeric(beside.type) else value


def _numbers(first: Bound, operator: str, second: Bound) -> Bound:
    types = {first.type, second.type}
    if operator == "/" or (operator == "//" and not types <= INTEGERS):
        return _quotient(first, second, "float32" if types == {"float32"} else "float64")
    if operator == "//":
        return _integer_quotient(first, second)
    if types & FLOATS:
        kind = "float64" if "float64" in types else "float32"
        one, other = cast(first, kind).sql, cast(second, kind).sql
        return Bound(
            f"({one} % nullif({other}, CAST(0 AS DOUBLE)))" if operator == "%" else f"({one} {operator} {other})", kind
        )
    if types <= _SMALL and operator == "%":
        return Bound(f"({_whole(first)} % nullif({_whole(second)}, 0L))", "int64")
    if types <= _SMALLER or (operator != "*" and types <= _SMALLER | {"uint32"}):
        return Bound(f"({_whole(first)} {operator} {_whole(second)})", "int64")
    one, other = _exact(first), _exact(second)
    kind = _exact_type(first.type, operator, second.type)
    if operator == "%":
        return Bound(f"({one} % nullif({other}, 0))", kind)
    _check_scale(first, operator, second)
    result = f"({one} {operator} {other})"
    if _may_overflow(first, operator, second):
        # Spark fails or gives NULL, as the session is set.
        both = f"{one} IS NOT NULL AND {other} IS NOT NULL"
        refusal = f"raise_error({quoted('Out of Range Error: Overflow in a calculation with exact numbers.')})"
        result = f"coalesce({result}, CASE WHEN {both} THEN {refusal} END)"
    return Bound(result, kind)


def _may_overflow(first: Bound, operator: str, second: Bound) -> bool:
    """Return whether exact numbers of these types may have a result of more than 38 digits."""
    (precision, scale), (more, finer) = _digits(first), _digits(second)
    if operator == "*":
        return precision + more > 38
    return max(precision - scale, more - finer) + max(scale, finer) + 1 > 38


def _check_scale(first: Bound, operator: str, second: Bound) -> None:
    """Refuse a calculation that Spark would round: decimal places beyond the sixth give way to digits before them."""
    (precision, scale), (more, finer) = _digits(first), _digits(second)
    if operator == "*":
        digits, places = precision + more + 1, scale + finer
    else:
        places = max(scale, finer)
        digits = max(precision - scale, more - finer) + places + 1
    if digits > 38 and max(38 - (digits - places), min(places, 6)) < places:
        raise InvalidInputError(
            f"Out of Range Error: {type_name(first.type)} {operator} {type_name(second.type)} may need more than 38"
            " digits.",
            hint="Cast one of them to DOUBLE, or to a decimal with fewer digits.",
        )


def _digits(value: Bound) -> tuple[int, int]:
    return (20, 0) if value.type in _SMALL else decimal_size(value.type)


def _whole(value: Bound) -> str:
    """Return an integer as Spark's of 64 bits."""
    return f"{value.literal}L" if value.literal is not None else f"CAST({value.sql} AS BIGINT)"


def _exact(value: Bound) -> str:
    """Return an exact number as one of Spark's decimals."""
    if is_decimal(value.type) or value.type not in _SMALL:
        return value.sql
    return f"{value.literal}BD" if value.literal is not None else f"CAST({value.sql} AS DECIMAL(20,0))"


def _exact_type(one: str, operator: str, other: str) -> str:
    if {one, other} <= INTEGERS:
        return "int128"
    (precision, scale), (more, finer) = decimal_size(one), decimal_size(other)
    if operator == "*":
        return f"decimal({min(precision + more + 1, 38)},{min(scale + finer, 38)})"
    return f"decimal({min(max(precision - scale, more - finer) + max(scale, finer) + 1, 38)},{max(scale, finer)})"


def _quotient(first: Bound, second: Bound, kind: str) -> Bound:
    one, other = cast(first, kind).sql, cast(second, kind).sql
    if second.literal is not None and float(second.literal) != 0:
        return Bound(f"({one} / {other})", kind)
    # Spark gives NULL or fails where the divisor is zero; DuckDB gives what IEEE 754 says.
    by_zero = f"{one} * {_INFINITY}" if kind == "float64" else f"CAST({one} * {_INFINITY} AS FLOAT)"
    division = f"{one} / {other}" if kind == "float64" else f"CAST({one} / {other} AS FLOAT)"
    return Bound(f"(CASE WHEN {other} = 0 THEN {by_zero} ELSE {division} END)", kind)


def _integer_quotient(first: Bound, second: Bound) -> Bound:
    if {first.type, second.type} <= _SMALL:
        return Bound(f"(CAST({first.sql} AS BIGINT) div nullif(CAST({second.sql} AS BIGINT), 0L))", "int64")
    one, other = _exact(first), f"nullif({_exact(second)}, 0)"
    return Bound(f"({one} div {other})", "int64")


def negated(value: Bound) -> Bound:
    """Return a number, or an interval, with the other sign."""
    if value.literal is not None and (value.type in INTEGERS or is_decimal(value.type) or value.type in FLOATS):
        text = value.literal.removeprefix("-") if value.literal.startswith("-") else f"-{value.literal}"
        return constant(value.type, text)
    if value.type == "interval" and value.literal is not None:
        return constant("interval", str(_turned(parse_interval(value.literal))))
    if value.type in FLOATS:
        return Bound(f"(- {value.sql})", value.type)
    return arithmetic(constant("int32", "0"), "-", value)


# ---- dates and timestamps --------------------------------------------------------------------------------------------


def _moments(first: Bound, operator: str, second: Bound) -> Bound | None:
    if operator == "+" and second.type in _DAYS and first.type not in _DAYS:
        first, second = second, first
    if first.type not in _DAYS:
        return None
    if first.type == "date" and second.type in INTEGERS:
        name = "date_add" if operator == "+" else "date_sub"
        return Bound(f"{name}({first.sql}, {cast(second, 'int32').sql})", "date")
    if first.type == second.type == "date" and operator == "-":
        return Bound(f"CAST(datediff({first.sql}, {second.sql}) AS BIGINT)", "int64")
    if second.type != "interval" or second.literal is None:
        return None
    span = parse_interval(second.literal)
    shifted = Bound(f"({naive(first)} + {_spark_interval(_turned(span) if operator == '-' else span)})", "timestamp")
    return cast(shifted, "timestamptz") if first.type == "timestamptz" else shifted


def _turned(span: Interval) -> Interval:
    return Interval(-span.months, -span.days, -span.micros)


def _spark_interval(span: Interval) -> str:
    seconds, micros = divmod(abs(span.micros), 10**6)
    sign = "-" if span.micros < 0 else ""
    return f"make_interval(0, {span.months}, 0, {span.days}, 0, 0, {sign}{seconds}.{micros:06d}BD)"
