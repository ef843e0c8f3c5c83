"""Functions of numbers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Final

from sqlglot import exp

from forklake.model import types
from forklake.sql.expressions.arithmetic import arithmetic, bits, negate_sql
from forklake.sql.expressions.bound import MOMENTS, Bound, decimal_size
from forklake.sql.expressions.casts import cast
from forklake.sql.expressions.infinities import is_infinite
from forklake.sql.expressions.literals import spark_type, text_literal
from forklake.sql.expressions.spark_idioms import once
from forklake.sql.functions.signature import THIS, TWO, Function, Nodes, double, of_doubles, whole, wrong_type
from forklake.sql.functions.wide_digits import wide_digits


def _failing(pattern: str, fails: str, complaint: str) -> Function:
    """Return a function that fails where DuckDB's does.

    Spark's own gives NaN or NULL there.
    """

    def function(values: Sequence[Bound], node: exp.Expr) -> Bound:
        refused = f"raise_error({text_literal(f'Out of Range Error: {complaint}')})"
        body = once(
            double(values[0], node),
            lambda sql: f"(CASE WHEN NOT isnan({sql}) AND {sql} {fails} THEN {refused} ELSE {pattern.format(sql)} END)",
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
    present = " AND ".join(f"{double(part, node)} IS NOT NULL" for part in (base, value))
    by_one = f"WHEN {double(base, node)} = 1 THEN raise_error('Out of Range Error: divison by zero in based logarithm')"
    return Bound(f"(CASE WHEN NOT ({present}) THEN NULL {by_one} ELSE {one} / {other} END)", types.FLOAT64)


def _absolute(values: Sequence[Bound], node: exp.Expr) -> Bound:
    (value,) = values
    if value.is_untyped:
        value = cast(value, types.FLOAT64)
    if value.type == types.NULL:
        return cast(value, types.INT64)
    if isinstance(value.type, types.Integer) and not value.type.is_signed:
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
    if isinstance(value.type, types.Float):
        return Bound(f"abs({value.sql})", value.type)
    return Bound(
        once(value.sql, lambda sql: f"if({sql} < 0, {negate_sql(replace(value, sql=sql))}, {sql})"), value.type
    )


def _to_whole(name: str) -> Function:
    def function(values: Sequence[Bound], node: exp.Expr) -> Bound:
        (value,) = values
        if isinstance(value.type, types.Decimal):
            kind = types.Decimal(decimal_size(value.type)[0], 0)
            return Bound(f"CAST({name}({value.sql}) AS {kind.sql_name})", kind)

        # Spark's result is an integer; floats that are too large for one are integral already.
        def body(sql: str) -> str:
            return (
                f"(CASE WHEN abs({sql}) < 4503599627370496D THEN {_signed_zero(f'{name}({sql})', sql)} ELSE {sql} END)"
            )

        found = Bound(once(double(value, node), body), types.FLOAT64)
        return cast(found, types.FLOAT32) if value.type == types.FLOAT32 else found

    return function


def _signed_zero(rounded: str, source: str) -> str:
    """Return a rounded float; what is rounded to zero keeps its sign."""
    return f"if({rounded} = 0, {source} * 0D, CAST({rounded} AS DOUBLE))"


_ROUNDED: Final[Mapping[types.Type, types.Type]] = {
    **dict.fromkeys((types.UINT8, types.UINT16, types.UINT32), types.INT64),
    types.UINT64: types.INT128,
    types.UINT128: types.FLOAT64,
}
"""What DuckDB makes of unsigned integers before it rounds them."""


def _round(values: Sequence[Bound], node: exp.Expr) -> Bound:
    value = cast(values[0], types.FLOAT64) if values[0].is_untyped else values[0]
    places = values[1] if len(values) > 1 else None
    digits = None if places is None else places.literal
    if isinstance(value.type, types.Decimal) and (places is None or digits is not None):
        precision, scale = decimal_size(value.type)
        kept = max(min(int(digits or 0), scale), 0)
        kind = types.Decimal(precision, kept)
        return Bound(f"CAST(round({value.sql}, {digits or 0}) AS {kind.sql_name})", kind)
    value = cast(value, _ROUNDED.get(value.type, value.type))
    if isinstance(value.type, types.Integer):
        if places is None or (digits is not None and int(digits) >= 0):
            return value
        if digits is None:
            return Bound(_round_integer(value.sql, whole(places, node), spark_type(value.type)), value.type)
        return Bound(f"CAST(round({value.sql}, {digits}) AS {spark_type(value.type)})", value.type)
    if value.type != types.NULL and not isinstance(value.type, types.Number):
        raise wrong_type(value, node)
    width = types.FLOAT32 if value.type == types.FLOAT32 else types.FLOAT64
    source = cast(value, types.FLOAT64).sql
    if places is None:
        return cast(Bound(once(source, lambda sql: _signed_zero(f"round({sql}, 0)", sql)), types.FLOAT64), width)
    return cast(Bound(_round_float(source, whole(places, node)), types.FLOAT64), width)


def _round_integer(source: str, places: str, kind: str) -> str:
    """Round an integer to as many digits as each row says."""

    def body(sql: str, places: str) -> str:
        whole, half = f"CAST({sql} AS DECIMAL(38,0))", f"{5 * 10**37 - 1}BD"
        step = f"CAST(concat('1', repeat('0', - {places})) AS DECIMAL(38,0))"
        rest = f"({whole} % {step})"
        up = f"CASE WHEN {rest} * 2 >= {step} THEN {step} WHEN {rest} * 2 <= - {step} THEN - {step} ELSE 0BD END"
        is_none = f"{places} < -38 OR ({places} = -38 AND {whole} BETWEEN -{half} AND {half})"
        rounded = f"CAST({whole} - {rest} + {up} AS {kind})"
        return f"(CASE WHEN {places} >= 0 THEN {sql} WHEN {is_none} THEN CAST(0 AS {kind}) ELSE {rounded} END)"

    return once(source, lambda sql: once(places, lambda count: body(sql, count)))


def _round_float(source: str, places: str) -> str:
    """Round a float as DuckDB does: scale it, round it, scale it back."""
    factor = f"power(10D, abs(CAST({places} AS BIGINT)))"

    def body(sql: str) -> str:
        up = f"{_signed_zero(f'round({sql} * {factor}, 0)', sql)} / {factor}"
        down = f"{_signed_zero(f'round({sql} / {factor}, 0)', sql)} * {factor}"
        chosen = f"if({places} < 0, {down}, {up})"
        otherwise = f"if({places} < 0, 0D, {sql})"
        is_none = f"isnan({chosen}) OR abs({chosen}) = CAST('Infinity' AS DOUBLE)"
        return f"(CASE WHEN {is_none} THEN {otherwise} ELSE {chosen} END)"

    return once(source, body)


def _truncate(values: Sequence[Bound], node: exp.Expr) -> Bound:
    value = values[0]
    if len(values) > 1:
        return _truncate_to(value, values[1], node)
    if isinstance(value.type, types.Integer):
        return value
    if isinstance(value.type, types.Decimal):
        kind = types.Decimal(decimal_size(value.type)[0], 0)
        body = once(value.sql, lambda sql: f"CAST(if({sql} < 0, ceil({sql}), floor({sql})) AS {kind.sql_name})")
        return Bound(body, kind)
    down, up = _to_whole("floor")(values, node), _to_whole("ceil")(values, node)
    return Bound(f"if({double(value, node)} < 0, {up.sql}, {down.sql})", down.type)


_DECIMAL_EXPONENTS: Final = 308
"""The largest power of ten that is a float."""


def _truncate_to(value: Bound, places: Bound, node: exp.Expr) -> Bound:
    """Return a number cut to digits after the point.

    Negative digits are before the point.
    """
    if places.literal is None or not isinstance(places.type, types.Integer):
        raise wrong_type(places, node)
    digits = int(places.literal)
    if isinstance(value.type, types.Integer):
        step = 10 ** min(-digits, 40)
        if digits >= 0:
            return value
        whole = f"CAST({value.sql} AS DECIMAL(38,0))"
        cut = f"({whole} - {whole} % {step}BD)" if step < 10**38 else f"({whole} * 0BD)"
        return Bound(f"CAST({cut} AS {spark_type(value.type)})", value.type)
    if isinstance(value.type, types.Decimal):
        precision, scale = decimal_size(value.type)
        kind = types.Decimal(precision, max(min(digits, scale), 0))
        kept = max(min(digits, scale), -precision)
        cut = once(value.sql, lambda sql: f"if({sql} < 0, ceil({sql}, {kept}), floor({sql}, {kept}))")
        return Bound(f"CAST({cut} AS {kind.sql_name})", kind)
    if digits < -_DECIMAL_EXPONENTS:
        return value  # as in DuckDB, where the step is infinite
    moved, back = ("*", "/") if digits >= 0 else ("/", "*")
    step = f"1e{min(abs(digits), _DECIMAL_EXPONENTS)}D"

    def body(sql: str) -> str:
        cut = _truncate([Bound(f"({sql} {moved} {step})", types.FLOAT64)], node).sql
        return f"if(abs({sql} {moved} {step}) = CAST('Infinity' AS DOUBLE), {sql}, {cut} {back} {step})"

    found = Bound(once(double(value, node), body), types.FLOAT64)
    return cast(found, types.FLOAT32) if value.type == types.FLOAT32 else found


def _sign(values: Sequence[Bound], node: exp.Expr) -> Bound:
    (value,) = values
    if not isinstance(value.type, types.Number) and value.type != types.NULL:
        raise wrong_type(value, node)
    is_float = isinstance(value.type, types.Float)

    def body(sql: str) -> str:
        of_nan = f"WHEN isnan({sql}) THEN 0Y " if is_float else ""
        return f"(CASE {of_nan}WHEN {sql} > 0 THEN 1Y WHEN {sql} < 0 THEN -1Y WHEN {sql} = 0 THEN 0Y END)"

    return Bound(once(value.sql, body), types.INT8)


def _float_remainder(values: Sequence[Bound], node: exp.Expr) -> Bound:
    """Return the remainder with the sign of the divisor; NaN by zero."""
    kinds = {value.type for value in values}
    kind = types.FLOAT32 if types.FLOAT32 in kinds and types.FLOAT64 not in kinds else types.FLOAT64

    def fit(sql: str) -> str:
        # Each step is rounded as DuckDB rounds it.
        return sql if kind == types.FLOAT64 else f"CAST(CAST({sql} AS FLOAT) AS DOUBLE)"

    one, other = (fit(double(value, node)) for value in values)
    quotient = _to_whole("floor")([Bound(fit(f"({one} / nullif({other}, 0D))"), types.FLOAT64)], node).sql
    absent = f"{one} IS NULL OR {other} IS NULL"
    rest = f"{one} - {fit(f'({other} * {quotient})')}"
    by_zero = f"WHEN {other} = 0 THEN CAST('NaN' AS DOUBLE)"
    return cast(Bound(f"(CASE WHEN {absent} THEN NULL {by_zero} ELSE {rest} END)", types.FLOAT64), kind)


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


_EUCLID: Final = {types.INT64: 93, types.INT128: 185}
"""How many steps Euclid's algorithm takes at most."""


def _divisor(values: Sequence[Bound], node: exp.Expr) -> Bound:
    """Return the greatest common divisor, by Euclid's algorithm."""
    kind = _divisible(values)
    spark_kind = spark_type(kind)
    one, other = (cast(value, kind).sql for value in values)
    start = f"named_struct('a', CAST({one} AS {spark_kind}), 'b', CAST({other} AS {spark_kind}))"
    rest = f"CAST(t.a % nullif(t.b, 0) AS {spark_kind})"
    step = f"if(t.b = 0, t, named_struct('a', t.b, 'b', {rest}))"
    positive = "t -> if(t.a < 0, 0 - t.a, t.a)"
    return Bound(f"aggregate(sequence(1, {_EUCLID[kind]}), {start}, (t, i) -> {step}, {positive})", kind)


def _divisible(values: Sequence[Bound]) -> types.Integer:
    """Return the type in which integers have a common divisor."""
    is_wide = any(isinstance(value.type, types.Integer) and value.type.is_wide for value in values)
    return types.INT128 if is_wide else types.INT64


def _multiple(values: Sequence[Bound], node: exp.Expr) -> Bound:
    kind = _divisible(values)
    one, other = (cast(value, kind) for value in values)
    found = _absolute([arithmetic(arithmetic(one, "//", _divisor(values, node)), "*", other)], node)
    zero = cast(Bound("0", types.INT32, literal="0"), kind)
    is_zero = f"{one.sql} = 0 AND {other.sql} IS NOT NULL OR {other.sql} = 0 AND {one.sql} IS NOT NULL"
    return Bound(f"(CASE WHEN {is_zero} THEN {zero.sql} ELSE {found.sql} END)", kind)


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


def _finite(pattern: str, before: str) -> Function:
    """Return a function that tests for finite numbers, dates and timestamps."""
    of_numbers = _is(pattern)

    def function(values: Sequence[Bound], node: exp.Expr) -> Bound:
        if values[0].type in MOMENTS:
            return Bound(f"({before}{is_infinite(values[0])})", types.BOOLEAN)
        return of_numbers(values, node)

    return function


def _even(values: Sequence[Bound], node: exp.Expr) -> Bound:
    def body(sql: str) -> str:
        away = f"if({sql} < 0, floor({sql}), ceil({sql}))"
        rounded = _signed_zero(f"({away} + if({away} % 2 = 0, 0, if({sql} < 0, -1, 1)))", sql)
        # Floats beyond this are even already.
        return f"if(abs({sql}) < 9007199254740992D, {rounded}, {sql})"

    return Bound(once(double(values[0], node), body), types.FLOAT64)


def _bit_count(values: Sequence[Bound], node: exp.Expr) -> Bound:
    value = cast(values[0], types.INT64) if values[0].is_untyped or values[0].type == types.NULL else values[0]
    if isinstance(value.type, types.Integer) and value.type.is_wide:
        ones = once(value.sql, lambda sql: f"length(replace({wide_digits(sql, 'bin', 2)}, '0', ''))")
        return Bound(f"CAST(if({ones} = 128, -128, {ones}) AS TINYINT)", types.INT8)  # DuckDB's type is as narrow
    # Spark counts the bits of 64 bit integers; negative numbers of smaller types have fewer.
    bits = value.type.bits if value.type in (types.INT8, types.INT16, types.INT32) else None
    whole = cast(value, types.INT64).sql
    return Bound(f"CAST(bit_count({whole if bits is None else f'({whole} & {2**bits - 1}L)'}) AS TINYINT)", types.INT8)


_SQRT: Final = _failing("sqrt({0})", "< 0", "cannot take square root of a negative number")
_PLAIN: Final = {
    **{name: of_doubles(f"{name}({{0}})") for name in ("sin", "cos", "tan", "atan", "sinh", "cosh", "tanh")},
    **{name: of_doubles(f"{name}({{0}})") for name in ("asinh", "degrees", "radians", "exp", "cbrt", "cot")},
    "asin": _failing("asin({0})", "NOT BETWEEN -1 AND 1", "ASIN is undefined outside [-1,1]"),
    "acos": _failing("acos({0})", "NOT BETWEEN -1 AND 1", "ACOS is undefined outside [-1,1]"),
    "acosh": of_doubles("acosh({0})"),
    "atanh": _failing(
        # DuckDB's is infinite, never minus infinite, at both ends.
        "if(abs({0}) = 1, CAST('Infinity' AS DOUBLE), atanh({0}))",
        "NOT BETWEEN -1 AND 1",
        "ATANH is undefined outside [-1,1]",
    ),
    "atan2": of_doubles(
        # Spark takes -0.0 for 0.0.
        "(if(startswith(CAST({0} AS STRING), '-'), -1D, 1D)"
        " * atan2(abs({0}), if({1} = 0 AND startswith(CAST({1} AS STRING), '-'), -1e-300D, {1})))"
    ),
}
_NAN: Final = _is("({0} = CAST('NaN' AS DOUBLE))")
_INFINITE: Final = _finite("(abs({0}) = CAST('Infinity' AS DOUBLE))", "")
_POWER: Final = of_doubles(
    # Java has NaN for one to the power of NaN or Infinity.
    "(CASE WHEN {0} = 1 AND {1} IS NOT NULL OR {0} = -1 AND abs({1}) = CAST('Infinity' AS DOUBLE) THEN 1D"
    " ELSE power({0}, {1}) END)"
)

NODES: Final[Nodes] = {
    exp.Abs: (_absolute, THIS),
    exp.Floor: (_to_whole("floor"), THIS),
    exp.Ceil: (_to_whole("ceil"), THIS),
    exp.Round: (_round, ("this", "decimals")),
    exp.Trunc: (_truncate, ("this", "decimals")),
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
    "ceil": _to_whole("ceil"),
    "round": _round,
    "trunc": _truncate,
    "sign": _sign,
    "pow": _POWER,
    "sqrt": _SQRT,
    "ln": _logarithm("ln"),
    "log": _log,
    "log2": _logarithm("log2"),
    "log10": _logarithm("log10"),
    "isnan": _NAN,
    "isinf": _INFINITE,
    "isfinite": _finite("(NOT isnan({0}) AND abs({0}) <> CAST('Infinity' AS DOUBLE))", "NOT "),
    "pi": lambda values, node: Bound("pi()", types.FLOAT64),
    "random": lambda values, node: Bound("rand()", types.FLOAT64),
    "mod": _remainder,
    "fmod": _float_remainder,
    "add": _operator("+"),
    "subtract": _operator("-"),
    "multiply": _operator("*"),
    "divide": _operator("//"),
    "xor": _bits("xor"),
    "gcd": _divisor,
    "lcm": _multiple,
    "factorial": _factorial,
    "even": _even,
    "bit_count": _bit_count,
}
