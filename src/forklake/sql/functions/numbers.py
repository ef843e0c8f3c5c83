"""Functions of numbers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from sqlglot import exp

from forklake.model import types
from forklake.sql.expressions.arithmetic import arithmetic, bits
from forklake.sql.expressions.bound import MOMENTS, Bound, decimal_size
from forklake.sql.expressions.casts import cast
from forklake.sql.expressions.literals import spark_type, text_literal
from forklake.sql.expressions.phrases import once
from forklake.sql.functions.signature import THIS, TWO, Function, Nodes, double, of_doubles, whole, wrong_type


def _failing(name: str, fails: str, complaint: str) -> Function:
    """Return a function that fails where DuckDB's does.

    Spark's own gives NaN or NULL there.
    """

    def function(values: Sequence[Bound], node: exp.Expr) -> Bound:
        refused = f"raise_error({text_literal(f'Out of Range Error: {complaint}')})"
        body = once(
            double(values[0], node), lambda sql: f"(CASE WHEN {sql} {fails} THEN {refused} ELSE {name}({sql}) END)"
        )
        return Bound(body, types.FLOAT64)

    return function


_ZERO: Final = "cannot take logarithm of zero"
_NEGATIVE: Final = "cannot take logarithm of a negative number"


def _logarithm(name: str) -> Function:
    def function(values: Sequence[Bound], node: exp.Expr) -> Bound:
        def body(sql: str) -> str:
            zero, negative = (text_literal(f"Out of Range Error: {one}") for one in (_ZERO, _NEGATIVE))
            refused = f"WHEN {sql} = 0 THEN raise_error({zero}) WHEN {sql} < 0 THEN raise_error({negative})"
            return f"(CASE {refused} ELSE {name}({sql}) END)"

        return Bound(once(double(values[0], node), body), types.FLOAT64)

    return function


def _log(values: Sequence[Bound], node: exp.Expr) -> Bound:
    if len(values) == 1:
        return _logarithm("log10")(values, node)
    base, value = values
    if base.literal in ("2", "10"):
        return _logarithm(f"log{base.literal}")([value], node)
    one, other = (_logarithm("ln")([part], node).sql for part in (value, base))
    return Bound(f"({one} / {other})", types.FLOAT64)


def _absolute(values: Sequence[Bound], node: exp.Expr) -> Bound:
    (value,) = values
    if value.is_untyped:
        value = cast(value, types.FLOAT64)
    if value.type == types.NULL or (isinstance(value.type, types.Integer) and not value.type.is_signed):
        return value
    if not isinstance(value.type, types.Number):
        raise wrong_type(value, node)
    if isinstance(value.type, types.Integer) and value.type.bits < 128:
        lowest = value.type.low

        # The smallest integer of a type has no positive counterpart.
        def body(sql: str) -> str:
            message = f"concat('Overflow on abs(', CAST({sql} AS STRING), ')')"
            least = f"{sql} = {lowest}BD"
            return (
                f"(CASE WHEN {least} THEN raise_error(concat('Out of Range Error: ', {message})) ELSE abs({sql}) END)"
            )

        return Bound(once(value.sql, body), value.type)
    return Bound(f"abs({value.sql})", value.type)


def _to_whole(name: str) -> Function:
    def function(values: Sequence[Bound], node: exp.Expr) -> Bound:
        (value,) = values
        if isinstance(value.type, types.Decimal):
            kind = types.Decimal(decimal_size(value.type)[0], 0)
            return Bound(f"CAST({name}({value.sql}) AS {kind.sql_name})", kind)

        # Spark's result is an integer; floats that are too large for one are integral already.
        def body(sql: str) -> str:
            return f"(CASE WHEN abs({sql}) < 4503599627370496D THEN CAST({name}({sql}) AS DOUBLE) ELSE {sql} END)"

        found = Bound(once(double(value, node), body), types.FLOAT64)
        return cast(found, types.FLOAT32) if value.type == types.FLOAT32 else found

    return function


def _round(values: Sequence[Bound], node: exp.Expr) -> Bound:
    value = cast(values[0], types.FLOAT64) if values[0].is_untyped else values[0]
    places = values[1] if len(values) > 1 else None
    digits = None if places is None else places.literal
    if isinstance(value.type, types.Decimal) and (places is None or digits is not None):
        precision, scale = decimal_size(value.type)
        kept = max(min(int(digits or 0), scale), 0)
        kind = types.Decimal(precision, kept)
        return Bound(f"CAST(round({value.sql}, {digits or 0}) AS {kind.sql_name})", kind)
    if isinstance(value.type, types.Integer):
        if digits is None or int(digits) >= 0:
            return value
        return Bound(f"CAST(round({value.sql}, {digits}) AS {spark_type(value.type)})", value.type)
    if value.type != types.NULL and not isinstance(value.type, types.Number):
        raise wrong_type(value, node)
    width = types.FLOAT32 if value.type == types.FLOAT32 else types.FLOAT64
    source = cast(value, types.FLOAT64).sql
    if places is None:
        return cast(Bound(f"round({source}, 0)", types.FLOAT64), width)
    return cast(Bound(_round_float(source, whole(places, node)), types.FLOAT64), width)


def _round_float(source: str, places: str) -> str:
    """Round a float as DuckDB does: scale it, round it, scale it back."""
    factor = f"power(10D, abs({places}))"

    def body(sql: str) -> str:
        up = f"round({sql} * {factor}, 0) / {factor}"
        down = f"round({sql} / {factor}, 0) * {factor}"
        chosen = f"if({places} < 0, {down}, {up})"
        return f"(CASE WHEN isnan({chosen}) OR abs({chosen}) = CAST('Infinity' AS DOUBLE) THEN {sql} ELSE {chosen} END)"

    return once(source, body)


def _truncate(values: Sequence[Bound], node: exp.Expr) -> Bound:
    value = values[0]
    if isinstance(value.type, types.Integer):
        return value
    if isinstance(value.type, types.Decimal):
        kind = types.Decimal(decimal_size(value.type)[0], 0)
        body = once(value.sql, lambda sql: f"CAST(if({sql} < 0, ceil({sql}), floor({sql})) AS {kind.sql_name})")
        return Bound(body, kind)
    down, up = _to_whole("floor")(values, node).sql, _to_whole("ceil")(values, node).sql
    return Bound(f"if({double(value, node)} < 0, {up}, {down})", types.FLOAT64)


def _sign(values: Sequence[Bound], node: exp.Expr) -> Bound:
    (value,) = values
    if not isinstance(value.type, types.Number) and value.type != types.NULL:
        raise wrong_type(value, node)
    cases = once(
        value.sql,
        lambda sql: (
            f"(CASE WHEN isnan({sql}) THEN 0Y WHEN {sql} > 0 THEN 1Y WHEN {sql} < 0 THEN -1Y"
            f" WHEN {sql} = 0 THEN 0Y END)"
        ),
    )
    return Bound(
        cases if isinstance(value.type, types.Float) else cases.replace(f"WHEN isnan({value.sql}) THEN 0Y ", ""),
        types.INT8,
    )


def _remainder(values: Sequence[Bound], node: exp.Expr) -> Bound:
    return arithmetic(values[0], "%", values[1])


def _operator(symbol: str) -> Function:
    return lambda values, node: arithmetic(values[0], symbol, values[1])


def _bits(symbol: str) -> Function:
    return lambda values, node: bits(symbol)(values[0], values[1])


def _bit_not(values: Sequence[Bound], node: exp.Expr) -> Bound:
    (value,) = values
    if not isinstance(value.type, types.Integer) or not value.type.is_native:
        raise wrong_type(value, node)
    return Bound(f"(~ {value.sql})", value.type)


def _divisor(values: Sequence[Bound], node: exp.Expr) -> Bound:
    """Return the greatest common divisor, by Euclid's algorithm.

    Numbers of 64 bits need less than a hundred steps.
    """
    one, other = (cast(value, types.INT64).sql for value in values)
    start = f"named_struct('a', abs({one}), 'b', abs({other}))"
    step = "if(t.b = 0, t, named_struct('a', t.b, 'b', t.a % nullif(t.b, 0L)))"
    return Bound(f"aggregate(sequence(1, 93), {start}, (t, i) -> {step}, t -> t.a)", types.INT64)


def _multiple(values: Sequence[Bound], node: exp.Expr) -> Bound:
    one, other = (cast(value, types.INT64).sql for value in values)
    divisor = _divisor(values, node).sql
    return Bound(f"if({one} = 0 OR {other} = 0, 0L, abs({one} div nullif({divisor}, 0L) * {other}))", types.INT64)


def _factorial(values: Sequence[Bound], node: exp.Expr) -> Bound:
    number = whole(values[0], node)
    product = f"aggregate(sequence(1, greatest({number}, 1)), CAST(1 AS DECIMAL(38,0)),"
    made = f"{product} (t, i) -> CAST(t * i AS DECIMAL(38,0)))"
    large = f"raise_error({text_literal('Out of Range Error: Value out of range')})"
    negative = f"raise_error({text_literal('Out of Range Error: factorial of a negative number is undefined')})"
    cases = f"WHEN {number} > {_LARGEST_FACTORIAL} THEN {large} WHEN {number} < 0 THEN {negative}"
    return Bound(f"(CASE {cases} WHEN {number} IS NOT NULL THEN {made} END)", types.INT128)


_LARGEST_FACTORIAL: Final = 33


def _is(pattern: str) -> Function:
    return lambda values, node: Bound(once(double(values[0], node), pattern.format), types.BOOLEAN)


def _finite(pattern: str) -> Function:
    """Return a function that tests for finite numbers, dates and timestamps.

    Dates and timestamps are always finite.
    """
    of_numbers = _is(pattern)

    def function(values: Sequence[Bound], node: exp.Expr) -> Bound:
        if values[0].type in MOMENTS:
            return Bound(f"if({values[0].sql} IS NULL, NULL, TRUE)", types.BOOLEAN)
        return of_numbers(values, node)

    return function


def _even(values: Sequence[Bound], node: exp.Expr) -> Bound:
    def body(sql: str) -> str:
        away = f"if({sql} < 0, floor({sql}), ceil({sql}))"
        rounded = f"CAST({away} + if({away} % 2 = 0, 0, if({sql} < 0, -1, 1)) AS DOUBLE)"
        return f"if(isnan({sql}), {sql}, {rounded})"

    return Bound(once(double(values[0], node), body), types.FLOAT64)


def _bit_count(values: Sequence[Bound], node: exp.Expr) -> Bound:
    value = cast(values[0], types.INT64) if values[0].is_untyped or values[0].type == types.NULL else values[0]
    # Spark counts the bits of 64 bit integers; negative numbers of smaller types have fewer.
    bits = value.type.bits if value.type in (types.INT8, types.INT16, types.INT32) else None
    whole = cast(value, types.INT64).sql
    return Bound(f"CAST(bit_count({whole if bits is None else f'({whole} & {2**bits - 1}L)'}) AS TINYINT)", types.INT8)


_SQRT: Final = _failing("sqrt", "< 0", "cannot take square root of a negative number")
_PLAIN: Final = {
    **{name: of_doubles(f"{name}({{0}})") for name in ("sin", "cos", "tan", "atan", "sinh", "cosh", "tanh")},
    **{name: of_doubles(f"{name}({{0}})") for name in ("asinh", "degrees", "radians", "exp", "cbrt", "cot")},
    "asin": _failing("asin", "NOT BETWEEN -1 AND 1", "ASIN is undefined outside [-1,1]"),
    "acos": _failing("acos", "NOT BETWEEN -1 AND 1", "ACOS is undefined outside [-1,1]"),
    "acosh": of_doubles("acosh({0})"),
    "atanh": of_doubles("atanh({0})"),
    "atan2": of_doubles("atan2({0}, {1})"),
}
_NAN: Final = _is("({0} = CAST('NaN' AS DOUBLE))")
_INFINITE: Final = _is("(abs({0}) = CAST('Infinity' AS DOUBLE))")
_POWER: Final = of_doubles("power({0}, {1})")

NODES: Final[Nodes] = {
    exp.Abs: (_absolute, THIS),
    exp.Floor: (_to_whole("floor"), THIS),
    exp.Ceil: (_to_whole("ceil"), THIS),
    exp.Round: (_round, ("this", "decimals")),
    exp.Trunc: (_truncate, THIS),
    exp.Sign: (_sign, THIS),
    exp.Pow: (_POWER, TWO),
    exp.Exp: (_PLAIN["exp"], THIS),
    exp.Sqrt: (_SQRT, THIS),
    exp.Cbrt: (_PLAIN["cbrt"], THIS),
    exp.Ln: (_logarithm("ln"), THIS),
    exp.Log: (_log, TWO),
    exp.IsNan: (_NAN, THIS),
    exp.IsInf: (_INFINITE, THIS),
    exp.Pi: (lambda values, node: Bound("pi()", types.FLOAT64), ()),
    exp.Rand: (lambda values, node: Bound("rand()", types.FLOAT64), ()),
    exp.BitwiseAnd: (_bits("&"), TWO),
    exp.BitwiseOr: (_bits("|"), TWO),
    exp.BitwiseXor: (_bits("xor"), TWO),
    exp.BitwiseLeftShift: (_bits("<<"), TWO),
    exp.BitwiseRightShift: (_bits(">>"), TWO),
    exp.BitwiseNot: (_bit_not, THIS),
    exp.Factorial: (_factorial, THIS),
    **{
        kind: (_PLAIN[name], THIS)
        for kind, name in {
            exp.Sin: "sin",
            exp.Cos: "cos",
            exp.Tan: "tan",
            exp.Asin: "asin",
            exp.Acos: "acos",
            exp.Atan: "atan",
            exp.Cot: "cot",
            exp.Sinh: "sinh",
            exp.Cosh: "cosh",
            exp.Tanh: "tanh",
            exp.Asinh: "asinh",
            exp.Acosh: "acosh",
            exp.Atanh: "atanh",
            exp.Degrees: "degrees",
            exp.Radians: "radians",
        }.items()
    },
    exp.Atan2: (_PLAIN["atan2"], TWO),
}
NAMED: Final[Mapping[str, Function]] = {
    **_PLAIN,
    "abs": _absolute,
    "floor": _to_whole("floor"),
    **dict.fromkeys(("ceil", "ceiling"), _to_whole("ceil")),
    "round": _round,
    "trunc": _truncate,
    "sign": _sign,
    **dict.fromkeys(("pow", "power"), _POWER),
    "sqrt": _SQRT,
    "ln": _logarithm("ln"),
    "log": _log,
    "log2": _logarithm("log2"),
    "log10": _logarithm("log10"),
    "isnan": _NAN,
    "isinf": _INFINITE,
    "isfinite": _finite("(NOT isnan({0}) AND abs({0}) <> CAST('Infinity' AS DOUBLE))"),
    "pi": lambda values, node: Bound("pi()", types.FLOAT64),
    "random": lambda values, node: Bound("rand()", types.FLOAT64),
    "mod": _remainder,
    "fmod": of_doubles("({0} - floor({0} / nullif({1}, 0D)) * {1})"),
    "add": _operator("+"),
    "subtract": _operator("-"),
    "multiply": _operator("*"),
    "divide": _operator("//"),
    "xor": _bits("xor"),
    **dict.fromkeys(("gcd", "greatest_common_divisor"), _divisor),
    **dict.fromkeys(("lcm", "least_common_multiple"), _multiple),
    "factorial": _factorial,
    "even": _even,
    "bit_count": _bit_count,
}
