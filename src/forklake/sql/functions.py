"""The functions that a condition may call: of which types they are, and how Spark says the same."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Final

from sqlglot import exp

from forklake.errors import InvalidInputError
from forklake.model.predicate import Anything
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
from forklake.sql.coercion import cast, naive, unified
from forklake.sql.comparisons import comparison, prefixed
from forklake.sql.literals import quoted

Function = Callable[[Sequence[Bound], exp.Expr], Bound]

_NOW: Final = Bound("now()", "timestamptz")
_MOMENTS: Final = NAIVE | {"date", "timestamptz"}


# ---- text ------------------------------------------------------------------------------------------------------------


def _text(value: Bound, node: exp.Expr) -> str:
    if value.type not in TEXTS and value.type != NULL:
        raise _wrong_type(value, node)
    return cast(value, "varchar").sql


def _of_text(pattern: str, result: str = "varchar") -> Function:
    """Return a function of text alone; the pattern has ``{0}``, ``{1}`` for its arguments."""
    return lambda values, node: Bound(pattern.format(*(_text(value, node) for value in values)), result)


def _count(value: Bound, node: exp.Expr, least: int) -> int:
    """Return a whole number that is a constant."""
    if value.literal is None or value.type not in INTEGERS or int(value.literal) < least:
        raise InvalidInputError(f"A count in a condition must be a constant of at least {least}: {node.sql('duckdb')}")
    return int(value.literal)


def _substring(values: Sequence[Bound], node: exp.Expr) -> Bound:
    counts = [_count(values[1], node, 1), *(_count(value, node, 0) for value in values[2:])]
    return Bound(f"substring({', '.join((_text(values[0], node), *map(str, counts)))})", "varchar")


def _end(name: str) -> Function:
    return lambda values, node: Bound(f"{name}({_text(values[0], node)}, {_count(values[1], node, 0)})", "varchar")


def _trim(values: Sequence[Bound], node: exp.Expr) -> Bound:
    side = node.args.get("position") or "BOTH"
    letters = quoted(" ") if len(values) == 1 else _text(values[1], node)
    return Bound(f"trim({side} {letters} FROM {_text(values[0], node)})", "varchar")


def _concat(values: Sequence[Bound], node: exp.Expr) -> Bound:
    texts = [f"coalesce({cast(value, 'varchar').sql}, '')" for value in values]
    return Bound(f"concat({', '.join(texts)})", "varchar")


def _starts_with(values: Sequence[Bound], node: exp.Expr) -> Bound:
    prefix = values[1].literal
    said = Anything() if prefix is None else prefixed(values[0], prefix)
    return Bound(f"startswith({_text(values[0], node)}, {_text(values[1], node)})", "boolean", when_true=said)


def _full_match(values: Sequence[Bound], node: exp.Expr) -> Bound:
    if values[1].literal is None:
        raise InvalidInputError(f"A pattern in a condition must be a constant: {node.sql('duckdb')}")
    pattern = quoted(rf"\A(?:{values[1].literal})\z")
    return Bound(f"({_text(values[0], node)} RLIKE {pattern})", "boolean")


# ---- numbers ---------------------------------------------------------------------------------------------------------


def _double(value: Bound, node: exp.Expr) -> str:
    if not is_numeric(value.type) and value.type != NULL:
        raise _wrong_type(value, node)
    return cast(value, "float64").sql


def _of_doubles(pattern: str, result: str = "float64") -> Function:
    return lambda values, node: Bound(pattern.format(*(_double(value, node) for value in values)), result)


def _failing(name: str, fails: str, complaint: str) -> Function:
    """Return a function that fails the query where DuckDB's does and Spark's gives NaN or NULL."""

    def function(values: Sequence[Bound], node: exp.Expr) -> Bound:
        value = _double(values[0], node)
        refusal = f"WHEN {value} {fails} THEN raise_error({quoted(f'Out of Range Error: {complaint}')})"
        return Bound(f"(CASE {refusal} ELSE {name}({value}) END)", "float64")

    return function


def _absolute(values: Sequence[Bound], node: exp.Expr) -> Bound:
    (value,) = values
    if not is_numeric(value.type):
        raise _wrong_type(value, node)
    if value.type in INTEGERS:
        # The smallest integer of each type has no positive one.
        return Bound(f"abs(CAST({value.sql} AS DECIMAL(38,0)))", "int128")
    return Bound(f"abs({value.sql})", value.type)


def _to_whole(name: str) -> Function:
    def function(values: Sequence[Bound], node: exp.Expr) -> Bound:
        (value,) = values
        if is_decimal(value.type):
            precision, scale = decimal_size(value.type)
            return Bound(f"{name}({value.sql})", f"decimal({min(precision - scale + 1, 38)},0)")
        double = _double(value, node)
        # Spark's result is an integer; floats that are too large for one are whole already.
        whole = f"CASE WHEN abs({double}) < 4503599627370496D THEN CAST({name}({double}) AS DOUBLE) ELSE {double} END"
        return Bound(f"({whole})", "float64")

    return function


def _round(values: Sequence[Bound], node: exp.Expr) -> Bound:
    value = values[0]
    digits = _count(values[1], node, 0) if len(values) > 1 else 0
    if is_decimal(value.type):
        precision, scale = decimal_size(value.type)
        kept = min(digits, scale)
        return Bound(f"round({value.sql}, {kept})", f"decimal({min(precision - scale + kept + 1, 38)},{kept})")
    if value.type in INTEGERS:
        return value
    if value.type in FLOATS and digits == 0:
        return Bound(f"round({value.sql}, 0)", value.type)
    raise InvalidInputError(
        f"Rounding a value of type {type_name(value.type)} to digits is not supported in a condition, for engines"
        f" do not agree on it: {node.sql('duckdb')}",
        hint="Cast it to a DECIMAL.",
    )


# ---- any type --------------------------------------------------------------------------------------------------------


def _of_any(name: str) -> Function:
    def function(values: Sequence[Bound], node: exp.Expr) -> Bound:
        same = unified(values)
        return Bound(f"{name}({', '.join(value.sql for value in same)})", same[0].type) if same[1:] else same[0]

    return function


def _nullif(values: Sequence[Bound], node: exp.Expr) -> Bound:
    test = comparison(values[0], "=", values[1])
    return Bound(f"(CASE WHEN {test.sql} THEN NULL ELSE {values[0].sql} END)", values[0].type)


def _list_contains(values: Sequence[Bound], node: exp.Expr) -> Bound:
    field = values[0].field
    if values[0].type != "list" or field is None or values[1].type == NULL:
        raise _wrong_type(values[0], node)
    member = cast(values[1], field.children[0].type)
    found = f"coalesce(array_contains({values[0].sql}, {member.sql}), FALSE)"
    return Bound(f"(CASE WHEN {values[0].sql} IS NOT NULL AND {member.sql} IS NOT NULL THEN {found} END)", "boolean")


# ---- dates and timestamps --------------------------------------------------------------------------------------------

_PARTS: Final = {
    "year": "year({0})",
    "quarter": "quarter({0})",
    "month": "month({0})",
    "week": "weekofyear({0})",
    "day": "day({0})",
    "dayofmonth": "day({0})",
    "dow": "(dayofweek({0}) - 1)",
    "dayofweek": "(dayofweek({0}) - 1)",
    "weekday": "(dayofweek({0}) - 1)",
    "isodow": "(weekday({0}) + 1)",
    "doy": "dayofyear({0})",
    "dayofyear": "dayofyear({0})",
    "hour": "hour({0})",
    "minute": "minute({0})",
    "second": "second({0})",
}
_DATE_UNITS: Final = {"year": "YEAR", "quarter": "QUARTER", "month": "MONTH", "week": "WEEK"}
_TIME_UNITS: Final = {
    "hour": "hour({0}), 0, 0",
    "minute": "hour({0}), minute({0}), 0",
    "second": "hour({0}), minute({0}), second({0})",
}


def _moment(value: Bound, node: exp.Expr) -> str:
    if value.type not in _MOMENTS:
        raise _wrong_type(value, node)
    return naive(value)


def _part(name: str) -> Function:
    return lambda values, node: Bound(f"CAST({_PARTS[name].format(_moment(values[0], node))} AS BIGINT)", "int64")


def _named_part(name: str, value: Bound, node: exp.Expr) -> Bound:
    if name.lower() not in _PARTS:
        raise InvalidInputError(f'The date part "{name}" is not supported in a condition: {node.sql("duckdb")}')
    return _part(name.lower())([value], node)


def _extract(values: Sequence[Bound], node: exp.Expr) -> Bound:
    return _named_part(node.this.name, values[0], node)


def _date_part(values: Sequence[Bound], node: exp.Expr) -> Bound:
    if len(values) != 2 or values[0].literal is None:
        raise InvalidInputError(f"date_part needs a part, as a constant, and a value: {node.sql('duckdb')}")
    return _named_part(values[0].literal, values[1], node)


def _truncated(values: Sequence[Bound], node: exp.Expr) -> Bound:
    unit, value = node.args["unit"].name.lower(), values[0]
    moment = _moment(value, node)
    day = f"CAST({moment} AS DATE)"
    if unit in _DATE_UNITS:
        sql = f"CAST(trunc({day}, '{_DATE_UNITS[unit]}') AS TIMESTAMP_NTZ)"
    elif unit == "day":
        sql = f"CAST({day} AS TIMESTAMP_NTZ)"
    elif unit in _TIME_UNITS:
        sql = f"(CAST({day} AS TIMESTAMP_NTZ) + make_interval(0, 0, 0, 0, {_TIME_UNITS[unit].format(moment)}))"
    else:
        raise InvalidInputError(f'The unit "{unit}" is not supported in a condition: {node.sql("duckdb")}')
    found = Bound(sql, "timestamp")
    return cast(found, "timestamptz") if value.type == "timestamptz" else found


def _date_difference(values: Sequence[Bound], node: exp.Expr) -> Bound:
    unit = node.args["unit"].name.lower() if node.args.get("unit") is not None else ""
    later, earlier = (_moment(value, node) for value in values)
    match unit:
        case "day":
            sql = f"datediff(CAST({later} AS DATE), CAST({earlier} AS DATE))"
        case "month":
            sql = f"((year({later}) - year({earlier})) * 12 + month({later}) - month({earlier}))"
        case "year":
            sql = f"(year({later}) - year({earlier}))"
        case _:
            raise InvalidInputError(f'The unit "{unit}" is not supported in a condition: {node.sql("duckdb")}')
    return Bound(f"CAST({sql} AS BIGINT)", "int64")


def _wrong_type(value: Bound, node: exp.Expr) -> InvalidInputError:
    return InvalidInputError(
        f"Binder Error: No function matches the given argument types: {node.sql('duckdb')} with a value of type"
        f" {type_name(value.type)}. You might need to add explicit type casts."
    )


_THIS: Final = ("this",)
_TWO: Final = ("this", "expression")
_ALL: Final = ("this", "expressions")

FUNCTIONS: Final[Mapping[type[exp.Expr], tuple[Function, Sequence[str]]]] = {
    exp.Lower: (_of_text("lower({0})"), _THIS),
    exp.Upper: (_of_text("upper({0})"), _THIS),
    exp.Length: (_of_text("CAST(length({0}) AS BIGINT)", "int64"), _THIS),
    exp.Reverse: (_of_text("reverse({0})"), _THIS),
    exp.MD5: (_of_text("md5({0})"), _THIS),
    exp.Replace: (_of_text("replace({0}, {1}, {2})"), ("this", "expression", "replacement")),
    exp.StrPosition: (_of_text("CAST(instr({0}, {1}) AS BIGINT)", "int64"), ("this", "substr")),
    exp.Substring: (_substring, ("this", "start", "length")),
    exp.Left: (_end("left"), _TWO),
    exp.Right: (_end("right"), _TWO),
    exp.Trim: (_trim, ("this", "expression", "position")),
    exp.Concat: (_concat, ("expressions", "coalesce")),
    exp.StartsWith: (_starts_with, _TWO),
    exp.EndsWith: (_of_text("endswith({0}, {1})", "boolean"), _TWO),
    exp.Contains: (_of_text("contains({0}, {1})", "boolean"), _TWO),
    exp.RegexpLike: (_of_text("({0} RLIKE {1})", "boolean"), _TWO),
    exp.RegexpFullMatch: (_full_match, _TWO),
    exp.Abs: (_absolute, _THIS),
    exp.Floor: (_to_whole("floor"), _THIS),
    exp.Ceil: (_to_whole("ceil"), _THIS),
    exp.Round: (_round, ("this", "decimals")),
    exp.Pow: (_of_doubles("power({0}, {1})"), _TWO),
    exp.Exp: (_of_doubles("exp({0})"), _THIS),
    exp.Sqrt: (_failing("sqrt", "< 0", "cannot take square root of a negative number"), _THIS),
    exp.Ln: (_failing("ln", "<= 0", "cannot take logarithm of zero or a negative number"), _THIS),
    exp.IsNan: (_of_doubles("({0} = CAST('NaN' AS DOUBLE))", "boolean"), _THIS),
    exp.Coalesce: (_of_any("coalesce"), _ALL),
    exp.Greatest: (_of_any("greatest"), (*_ALL, "ignore_nulls")),
    exp.Least: (_of_any("least"), (*_ALL, "ignore_nulls")),
    exp.Nullif: (_nullif, _TWO),
    exp.ArrayContains: (_list_contains, _TWO),
    exp.Year: (_part("year"), _THIS),
    exp.Quarter: (_part("quarter"), _THIS),
    exp.Month: (_part("month"), _THIS),
    exp.Week: (_part("week"), _THIS),
    exp.WeekOfYear: (_part("week"), _THIS),
    exp.Day: (_part("day"), _THIS),
    exp.DayOfMonth: (_part("day"), _THIS),
    exp.DayOfWeek: (_part("dow"), _THIS),
    exp.DayOfWeekIso: (_part("isodow"), _THIS),
    exp.DayOfYear: (_part("doy"), _THIS),
    exp.Hour: (_part("hour"), _THIS),
    exp.Minute: (_part("minute"), _THIS),
    exp.Second: (_part("second"), _THIS),
    exp.Extract: (_extract, ("expression", "this")),
    exp.TimestampTrunc: (_truncated, ("this", "unit")),
    exp.DateTrunc: (_truncated, ("this", "unit")),
    exp.DateDiff: (_date_difference, (*_TWO, "unit", "date_part_boundary")),
    exp.CurrentTimestamp: (lambda values, node: _NOW, ()),
    exp.CurrentDate: (lambda values, node: cast(_NOW, "date"), ()),
}
"""By node of the parser: what it means, and which parts of the node that takes, arguments first."""

NAMED: Final[Mapping[str, Function]] = {
    "now": lambda values, node: _NOW,
    "today": lambda values, node: cast(_NOW, "date"),
    "date_part": _date_part,
    "datepart": _date_part,
    "prefix": _starts_with,
    "suffix": _of_text("endswith({0}, {1})", "boolean"),
    "strlen": _of_text("CAST(octet_length({0}) AS BIGINT)", "int64"),
    "instr": _of_text("CAST(instr({0}, {1}) AS BIGINT)", "int64"),
}
"""By name, for those that the parser has no node for."""
