"""DuckDB's arithmetic in Spark SQL that no setting of the session changes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Final

from forklake.errors import InvalidInputError
from forklake.files.arrow.type_names import physical_name
from forklake.model import types
from forklake.model.types import Type
from forklake.sql.expressions.bound import NAIVE, Bound, decimal_size
from forklake.sql.expressions.coercion import cast, common_integer, constant
from forklake.sql.expressions.intervals import negate_interval
from forklake.sql.expressions.literals import decimal_literal, ducklake_text, spark_type, text_literal
from forklake.sql.expressions.nested import exact
from forklake.sql.expressions.spark_idioms import SHORT_OF_DIGITS, once, refusal
from forklake.sql.expressions.time_arithmetic import time_arithmetic

_INFINITY: Final = "CAST('Infinity' AS DOUBLE)"
"""Integer types that Spark has, too."""
_TRIED: Final = {"+": "try_add", "-": "try_subtract", "*": "try_multiply"}
_NAMES: Final = {"+": "addition", "-": "subtraction", "*": "multiplication"}
_EXACT_DIGITS: Final = 34
"""Spark changes the sign of decimals up to this many digits without rounding."""
_SHORT: Final = 80
"""Operands up to this length are shown in messages."""


def _of_variants(value: Bound, other: Bound) -> Bound:
    """Return an operand, which is no variant.

    A variant is taken for a value of the other's type, beside another variant for a BIGINT.
    """
    if value.type != types.VARIANT:
        return value
    return cast(value, types.INT64 if other.type in (types.VARIANT, types.NULL) else other.type)


def _type_beside_null(first: Type, operator: str, second: Type) -> Type:
    """Return the type of a calculation with NULL."""
    other = second if first == types.NULL else first
    if other == types.NULL:
        return types.INT64
    if isinstance(other, types.Decimal) and operator in "+-*%":
        return types.NULL
    if isinstance(other, types.Number):
        is_divided = operator == "/" or (operator == "//" and isinstance(other, types.Decimal))
        return types.FLOAT64 if is_divided else other
    if isinstance(other, types.Interval) or (isinstance(other, types.Time) and operator in "+-"):
        return other
    if operator in "+-" and isinstance(other, types.Date | types.Timestamp):
        if operator == "-" and first == types.NULL:
            return types.INT64 if other == types.DATE else types.INTERVAL
        return types.TIMESTAMP if other in NAIVE else other
    return types.FLOAT64


def arithmetic(first: Bound, operator: str, second: Bound) -> Bound:
    """Return the result of ``+``, ``-``, ``*``, ``/``, ``//`` or ``%``.

    An overflow fails the query, as in DuckDB, whatever Spark's settings are.

    Raises:
        InvalidInputError: There is no such operation on such values.
    """
    if types.VARIANT in (first.type, second.type):
        first, second = _of_variants(first, second), _of_variants(second, first)
    first, second = _number(first, second), _number(second, first)
    if types.NULL in (first.type, second.type):
        return cast(Bound("NULL", types.NULL), _type_beside_null(first.type, operator, second.type))
    found = None
    if isinstance(first.type, types.Number) and isinstance(second.type, types.Number):
        found = _numbers(first, operator, second)
    else:
        found = time_arithmetic(first, operator, second)
    if found is None:
        raise InvalidInputError(
            "Binder Error: No function matches the given name and argument types"
            f" '{operator}({first.type.sql_name}, {second.type.sql_name})'."
            " You might need to add explicit type casts."
        )
    return found


def _number(value: Bound, beside: Bound) -> Bound:
    """Cast a quoted constant to the type of the number beside it."""
    return cast(value, beside.type) if value.is_untyped and isinstance(beside.type, types.Number) else value


def _numbers(first: Bound, operator: str, second: Bound) -> Bound:
    pair = (first.type, second.type)
    are_integers = all(isinstance(kind, types.Integer) for kind in pair)
    kind = types.FLOAT32 if types.FLOAT32 in pair and types.FLOAT64 not in pair else types.FLOAT64
    is_mixed = are_integers and types.UINT128 in pair and common_integer(first, second) != types.UINT128
    if operator == "/" or (operator == "//" and (is_mixed or not are_integers)):
        return _quotient(first, second, kind, is_null_by_zero=operator == "//")
    has_float = any(isinstance(kind, types.Float) for kind in pair)
    if has_float or is_mixed:
        one, other = cast(first, kind).sql, cast(second, kind).sql
        if operator == "%":
            remainder = f"try_mod({one}, {other})"
            nan = f"if({other} = 0 AND {one} IS NOT NULL, CAST('NaN' AS {spark_type(kind)}), {remainder})"
            return Bound(nan if second.literal is None or float(second.literal) == 0 else remainder, kind)
        return Bound(f"({one} {operator} {other})", kind, strict_in=_leaves(first, second))
    if are_integers:
        return _integers(first, operator, second)
    if operator == "%" and _exceeds_decimals(first, second):
        return Bound(f"try_mod({cast(first, types.FLOAT64).sql}, {cast(second, types.FLOAT64).sql})", types.FLOAT64)
    return _decimals(first, operator, second)


def _exceeds_decimals(first: Bound, second: Bound) -> bool:
    """Return whether no decimal holds the values of two exact types.

    DuckDB takes floats for their remainder.
    """
    (precision, scale), (more, finer) = decimal_size(first.type), decimal_size(second.type)
    return max(precision - scale, more - finer) + max(scale, finer) > 38


# ---- integers --------------------------------------------------------------------------------------------------------


def _integers(first: Bound, operator: str, second: Bound) -> Bound:
    kind = _integer_kind(first, second)
    if first.literal is not None and second.literal is not None and operator in _TRIED:
        folded = _fold_constants(int(first.literal), operator, int(second.literal), kind)
        if folded is not None:
            return folded
    one, other = (exact(cast(value, kind)) for value in (first, second))
    spark_kind = spark_type(kind)
    if operator in ("//", "%"):
        divisor = other if second.literal not in (None, "0") else f"nullif({other}, {exact(constant(kind, '0'))})"
        leaves = _leaves(first, second) if divisor == other else None
        if operator == "//" and kind.is_wide:
            return Bound(_divide_wide(one, divisor, spark_kind), kind, strict_in=leaves)
        sign = "div" if operator == "//" else "%"
        return Bound(f"CAST({one} {sign} {divisor} AS {spark_kind})", kind, strict_in=leaves)
    leaves = _leaves(first, second)
    message = _complaint(operator, physical_name(kind), one, other, f"!{SHORT_OF_DIGITS}" if kind.bits == 128 else "!")
    if kind.is_native or kind == types.INT128:
        tried = f"{_TRIED[operator]}({one}, {other})"
        attempt = tried if kind.is_native else f"try_cast({tried} AS {spark_kind})"
    else:
        # Spark's types for these are larger than the types themselves.
        wide = "DECIMAL(20,0)" if kind in (types.UINT32, types.UINT64) else "BIGINT"
        raw = (
            f"{_TRIED[operator]}({one}, {other})"
            if kind == types.UINT128
            else f"(CAST({one} AS {wide}) {operator} CAST({other} AS {wide}))"
        )
        attempt = once(
            raw, lambda sql: f"CASE WHEN {sql} BETWEEN 0 AND {kind.most_shown}BD THEN CAST({sql} AS {spark_kind}) END"
        )
    return Bound(_or_fails(attempt, leaves, message), kind, strict_in=leaves)


def _divide_wide(one: str, other: str, spark_kind: str) -> str:
    """Return the integral quotient of two Spark decimals.

    ``div`` gives 64 bits, and ``/`` has no more than 32 digits before the point: a longer quotient, whose divisor is
    short, is made of two.
    """

    def exactly(value: str, divisor: str) -> str:
        return f"CAST(({value} - {value} % {divisor}) / {divisor} AS DECIMAL(38,0))"

    def body(value: str) -> str:
        high = exactly(value, "1000000000000BD")
        rest = f"CAST({high} % {other} * 1000000000000BD + {value} % 1000000000000BD AS DECIMAL(38,0))"
        long = f"CAST({exactly(high, other)} * 1000000000000BD + {exactly(rest, other)} AS DECIMAL(38,0))"
        # Spark's abs rounds to 34 digits.
        is_short = f"{value} BETWEEN -{'9' * 32}BD AND {'9' * 32}BD OR {other} NOT BETWEEN -999999BD AND 999999BD"
        return f"CAST(CASE WHEN {is_short} THEN {exactly(value, other)} ELSE {long} END AS {spark_kind})"

    return once(one, body)


def _fold_constants(one: int, operator: str, other: int, kind: Type) -> Bound | None:
    """Return the result of an operation on two constants, as a constant of its type.

    None if it overflows, which fails a query only where a row needs it.
    """
    result = {"+": one + other, "-": one - other, "*": one * other}[operator]
    try:
        return replace(constant(kind, ducklake_text(str(result), kind)), keeps_type=True)
    except InvalidInputError:
        return None


def _integer_kind(first: Bound, second: Bound) -> types.Integer:
    """Return the result type of an operation on two integers.

    Signed and unsigned integers of which neither type holds the other give 64 bits.
    """
    kind = common_integer(first, second)
    if kind in (first.type, second.type) or kind in (types.INT64, types.INT128):
        return kind
    return types.INT64


def _or_fails(attempt: str, leaves: tuple[str, ...], message: tuple[str, ...]) -> str:
    """Return an attempt that fails the query where it overflows.

    An attempt is NULL where it overflows or where one of the leaves is NULL; only the first case fails.
    """
    failed = refusal(*message)
    if not leaves:
        return f"coalesce({attempt}, {failed})"
    present = " AND ".join(f"{leaf} IS NOT NULL" for leaf in leaves)
    return f"coalesce({attempt}, CASE WHEN {present} THEN {failed} END)"


def _leaves(*values: Bound) -> tuple[str, ...]:
    """Return the expressions that decide whether a calculation with values is NULL."""
    found: dict[str, None] = {}
    for value in values:
        if value.literal is None:
            found.update(dict.fromkeys((value.sql,) if value.strict_in is None else value.strict_in))
    return tuple(found)


def _complaint(operator: str, name: str, one: str, other: str, ending: str = "!") -> tuple[str, ...]:
    begin = f"Out of Range Error: Overflow in {_NAMES[operator]} of {name}"
    if max(len(one), len(other)) > _SHORT:
        return (text_literal(f"{begin}{ending}"),)
    values = (f"CAST({one} AS STRING)", text_literal(f" {operator} "), f"CAST({other} AS STRING)")
    return (text_literal(f"{begin} ("), *values, text_literal(f"){ending}"))


# ---- decimals --------------------------------------------------------------------------------------------------------


def _decimals(first: Bound, operator: str, second: Bound) -> Bound:
    (precision, scale), (more, finer) = decimal_size(first.type), decimal_size(second.type)
    one, other = _decimal_operand(first), _decimal_operand(second)
    leaves = _leaves(first, second)
    if operator == "%":
        both = max(scale, finer)
        kind = types.Decimal(min(max(precision - scale, more - finer) + both, 38), both)
        divisor = other if second.literal is not None and float(second.literal) != 0 else f"nullif({other}, 0)"
        return Bound(f"CAST({one} % {divisor} AS {kind.sql_name})", kind)
    if operator == "*":
        places, digits = scale + finer, precision + more
        if places > 38:
            raise InvalidInputError(
                f"Out of Range Error: Needed scale {places} to accurately represent the multiplication result, but this"
                " is out of range of the DECIMAL type. Max scale is 38; could not perform an accurate multiplication."
                " Either add a cast to DOUBLE, or add an explicit cast to a decimal with a lower scale."
            )
    else:
        places = max(scale, finer)
        digits = max(precision - scale, more - finer) + places + 1
    kept = digits
    if digits > 18 and max(precision, more) <= 18 and places < 18:
        kept = 18
    kept = min(kept, 38)
    kind = types.Decimal(kept, places)
    if _would_round(operator, (precision, scale), (more, finer), places):
        one, other = _narrow(first, one), _narrow(second, other)
    result = f"{_TRIED[operator]}({one}, {other})" if digits > 38 else f"({one} {operator} {other})"
    if kept == digits:
        return Bound(f"CAST({result} AS {kind.sql_name})", kind, strict_in=leaves)
    ending = ". You might want to add an explicit cast to a bigger decimal."
    message = (text_literal(f"Out of Range Error: Overflow in {_NAMES[operator]} of DECIMAL({kept}){ending}"),)
    checked = _or_fails(f"try_cast({result} AS {kind.sql_name})", leaves, message)
    return Bound(checked, kind, strict_in=leaves, wide=result if digits <= 38 else None)


def _decimal_operand(value: Bound) -> str:
    """Return an exact number as a Spark decimal.

    A constant keeps the digits that it has.
    """
    if value.literal is not None:
        return decimal_literal(value.literal)
    if not isinstance(value.type, types.Integer) or value.type.is_wide:
        return value.sql
    return f"CAST({value.sql} AS DECIMAL({value.type.digits},0))"


def _would_round(operator: str, one: tuple[int, int], other: tuple[int, int], places: int) -> bool:
    """Return whether Spark would drop decimal places to keep leading digits."""
    (precision, scale), (more, finer) = one, other
    digits = precision + more + 1 if operator == "*" else max(precision - scale, more - finer) + places + 1
    return digits > 38 and max(38 - (digits - places), min(places, 6)) < places


def _narrow(value: Bound, sql: str) -> str:
    """Return an operand with few enough digits for Spark to multiply exactly.

    A value with more digits fails the query.
    """
    precision, scale = decimal_size(value.type)
    if value.literal is not None or precision <= 18:
        return sql
    digits = max(18, scale + 6)
    message = (text_literal(f"Out of Range Error: {value.type.sql_name} has too many digits for this calculation."),)
    return _or_fails(f"try_cast({sql} AS DECIMAL({digits},{scale}))", _leaves(value), message)


# ---- division, signs, bits -------------------------------------------------------------------------------------------


def _quotient(first: Bound, second: Bound, kind: types.Float, *, is_null_by_zero: bool) -> Bound:
    one, other = cast(first, kind).sql, cast(second, kind).sql

    def divide(dividend: str, divisor: str) -> str:
        sql = f"{dividend} / {divisor}"
        return sql if kind == types.FLOAT64 else f"CAST({sql} AS FLOAT)"

    if second.literal is not None and float(second.literal) != 0:
        return Bound(f"({divide(one, other)})", kind, strict_in=_leaves(first, second))
    # Spark gives NULL or fails where the divisor is zero; DuckDB follows IEEE 754.

    def body(sql: str) -> str:
        infinity = f"if(startswith(CAST({sql} AS STRING), '-'), -{_INFINITY}, {_INFINITY})"
        by_zero = "NULL" if is_null_by_zero else f"CAST({one} * {infinity} AS {spark_type(kind)})"
        return f"(CASE WHEN {sql} = 0 THEN {by_zero} ELSE {divide(one, sql)} END)"

    return Bound(once(other, body), kind, strict_in=None if is_null_by_zero else _leaves(first, second))


def negate(value: Bound) -> Bound:
    """Return a number or an interval with the opposite sign.

    As in DuckDB, unsigned integers begin again at the largest.
    """
    if isinstance(value.type, types.Integer) and not value.type.is_signed and value.type != types.UINT128:
        return _wrap_around(value, value.type)
    if value.literal is not None and isinstance(value.type, types.Number):
        # Only a float keeps the sign of zero.
        is_bare = value.literal.startswith("-") or (
            not isinstance(value.type, types.Float) and not value.literal.strip("0.")
        )
        text = value.literal.removeprefix("-") if is_bare else f"-{value.literal}"
        return constant(_checked_type(text, value.type), text)
    if value.type == types.INTERVAL:
        return negate_interval(value)
    if value.type == types.NULL:
        return cast(value, types.INT64)
    if isinstance(value.type, (types.Float, types.Decimal)):
        return Bound(negate_sql(value), value.type, strict_in=_leaves(value))
    # Beside another variant, a variant is a BIGINT; so it is by itself.
    zero = types.INT64 if value.type == types.VARIANT else types.INT32
    return arithmetic(constant(zero, "0"), "-", value)


def _wrap_around(value: Bound, kind: types.Integer) -> Bound:
    """Return what an unsigned integer lacks to the first number beyond its type."""
    if value.literal is not None:
        return constant(kind, str(-int(value.literal) % (kind.high + 1)))
    rest = f"CAST({kind.high + 1}BD - {value.sql} AS {spark_type(kind)})"
    return Bound(f"if({value.sql} = 0, {value.sql}, {rest})", kind, strict_in=_leaves(value))


def negate_sql(value: Bound) -> str:
    """Return a number that is no integer of Spark, or HUGEINT, with the opposite sign.

    Spark rounds to 34 digits when it changes the sign of a decimal.
    """
    if isinstance(value.type, types.Float) or decimal_size(value.type)[0] <= _EXACT_DIGITS:
        return f"(- {value.sql})"

    def body(sql: str) -> str:
        text = f"CAST({sql} AS STRING)"
        changed = f"if({sql} < 0, substring({text}, 2), concat('-', {text}))"
        return f"CAST({changed} AS {spark_type(value.type)})"

    return once(value.sql, body)


def _checked_type(text: str, kind: Type) -> Type:
    try:
        ducklake_text(text, kind)
    except InvalidInputError as error:
        raise InvalidInputError("Out of Range Error: Overflow in negation of numeric value!") from error
    return kind


def bits(symbol: str) -> Callable[[Bound, Bound], Bound]:
    """Return a function for ``&``, ``|``, ``xor``, ``<<`` or ``>>`` of integers."""

    def calculate(first: Bound, second: Bound) -> Bound:
        pair = [
            cast(value, types.INT64) if value.is_untyped or value.type == types.NULL else value
            for value in (first, second)
        ]
        are_long = symbol in _BY_HALVES and all(value.type == types.UINT64 for value in pair)
        if not are_long and not all(isinstance(one.type, types.Integer) and not one.type.is_wide for one in pair):
            raise InvalidInputError(
                f"Binder Error: No function matches the given name and argument types '{symbol}"
                f"({first.type.sql_name}, {second.type.sql_name})'."
            )
        kind = _integer_kind(*pair)
        one, other = (exact(cast(value, kind)) for value in pair)
        if are_long:
            return _by_halves(one, _BY_HALVES[symbol], other)
        if symbol in ("<<", ">>"):
            return _shift(one, symbol, other, kind)
        return Bound(f"({one} {_BY_HALVES[symbol]} {other})", kind)

    return calculate


_BY_HALVES: Final = {"&": "&", "|": "|", "xor": "^"}
"""Operations on bits that leave each at its place, as Spark writes them."""


def _by_halves(one: str, sign: str, other: str) -> Bound:
    """Return an operation on the bits of two UBIGINTs, in halves of 32 bits.

    They are decimals in Spark.
    """
    half = f"{2**32}BD"
    high = f"({one} div {half} {sign} {other} div {half})"
    low = f"(CAST({one} % {half} AS BIGINT) {sign} CAST({other} % {half} AS BIGINT))"
    return Bound(f"CAST({high} * {half} + {low} AS DECIMAL(20,0))", types.UINT64)


def _shift(one: str, symbol: str, other: str, kind: types.Integer) -> Bound:
    spark_kind = spark_type(kind)
    name = "shiftright" if symbol == ">>" else "shiftleft"
    shifted = f"CAST({name}(CAST({one} AS BIGINT), CAST({other} AS INT)) AS {spark_kind})"
    within = f"{other} BETWEEN 0 AND {kind.bits - 1}"
    if symbol == ">>":
        rest = f"WHEN {one} IS NOT NULL AND {other} IS NOT NULL THEN CAST(0 AS {spark_kind})"
        return Bound(f"(CASE WHEN {within} THEN {shifted} {rest} END)", kind)
    values = (f"CAST({one} AS STRING)", text_literal(" << "), f"CAST({other} AS STRING)")
    complaint = refusal(text_literal("Out of Range Error: Overflow in left shift ("), *values, text_literal(")"))
    room = kind.bits - kind.is_signed
    fits = f"{one} >= 0 AND {within} AND {one} < CAST(power(2, {room} - {other}) AS DECIMAL(20,0))"
    absent = f"{one} IS NULL OR {other} IS NULL"
    zero = f"WHEN {one} = 0 AND {other} >= 0 THEN CAST(0 AS {spark_kind})"
    return Bound(f"(CASE WHEN {absent} THEN NULL {zero} WHEN {fits} THEN {shifted} ELSE {complaint} END)", kind)
