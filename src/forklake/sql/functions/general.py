"""Functions of values of any type."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Final

from sqlglot import exp

from forklake.errors import InvalidInputError
from forklake.model import types
from forklake.sql.expressions.bound import Bound
from forklake.sql.expressions.casts import cast, constant
from forklake.sql.expressions.coercion import unify
from forklake.sql.expressions.comparisons import comparison
from forklake.sql.expressions.render import render
from forklake.sql.functions.signature import ALL, THIS, TWO, Function, Nodes


def _of_any(name: str) -> Function:
    def function(values: Sequence[Bound], node: exp.Expr) -> Bound:
        same = unify(values)
        kind = same[0].type
        is_ordered = kind.facts.is_ordered and not isinstance(kind, types.Interval | types.Map)
        if not is_ordered and name != "coalesce":
            raise InvalidInputError(f"Values of type {kind.sql_name} have no order here: {render(node)}")
        if not same[1:]:
            return replace(same[0], literal=None)
        return Bound(f"{name}({', '.join(value.sql for value in same)})", same[0].type)

    return function


def _nullif(values: Sequence[Bound], node: exp.Expr) -> Bound:
    first = cast(values[0], types.VARCHAR) if values[0].is_untyped and values[1].is_untyped else values[0]
    test = comparison(first, "=", values[1])
    return Bound(f"(CASE WHEN {test.sql} THEN NULL ELSE {first.sql} END)", first.type)


def _type(values: Sequence[Bound], node: exp.Expr) -> Bound:
    return constant(types.VARCHAR, values[0].type.sql_name)


def _lower_type(values: Sequence[Bound], node: exp.Expr) -> Bound:
    return constant(types.VARCHAR, values[0].type.sql_name.lower())


def _failure(values: Sequence[Bound], node: exp.Expr) -> Bound:
    message = f"concat('Invalid Input Error: ', {cast(values[0], types.VARCHAR).sql})"
    return Bound(f"raise_error({message})", types.NULL)


def _uuid(values: Sequence[Bound], node: exp.Expr) -> Bound:
    return Bound("uuid()", types.UUID)


def _uuid_of_time(values: Sequence[Bound], node: exp.Expr) -> Bound:
    millis = "lower(lpad(hex(unix_millis(current_timestamp())), 12, '0'))"
    return Bound(f"concat(substr({millis}, 1, 8), '-', substr({millis}, 9, 4), '-7', substr(uuid(), 16))", types.UUID)


def _uuid_version(values: Sequence[Bound], node: exp.Expr) -> Bound:
    value = cast(values[0], types.UUID).sql
    return Bound(f"CAST(conv(substr({value}, 15, 1), 16, 10) AS BIGINT)", types.UINT32)


def _uuid_time(values: Sequence[Bound], node: exp.Expr) -> Bound:
    value, version = cast(values[0], types.UUID).sql, _uuid_version(values, node).sql
    millis = f"CAST(conv(concat(substr({value}, 1, 8), substr({value}, 10, 4)), 16, 10) AS BIGINT)"
    refusal = f"raise_error(concat('Invalid Input Error: Given UUID is with version ', {version}, ', not version 7.'))"
    return Bound(f"if({version} <> 7, {refusal}, timestamp_millis({millis}))", types.TIMESTAMPTZ)


def _if(values: Sequence[Bound], node: exp.Expr) -> Bound:
    test, *results = values
    same = unify([*results, *([Bound("NULL", types.NULL)] if len(results) == 1 else [])])
    return Bound(f"if({cast(test, types.BOOLEAN).sql}, {same[0].sql}, {same[1].sql})", same[0].type)


def _constant_or_null(values: Sequence[Bound], node: exp.Expr) -> Bound:
    value, *others = values
    present = " AND ".join(f"{other.sql} IS NOT NULL" for other in others)
    return Bound(f"if({present}, {value.sql}, NULL)", value.type)


def _attempt(values: Sequence[Bound], node: exp.Expr) -> Bound:
    raise InvalidInputError(f'The function "try" is not supported: {render(node)}', hint="TRY_CAST gives NULL instead.")


def _refusing_function(name: str) -> Function:
    def function(values: Sequence[Bound], node: exp.Expr) -> Bound:
        raise InvalidInputError(f'The function "{name}" is not supported: engines do not agree on what it gives.')

    return function


_COALESCE: Final = _of_any("coalesce")
_GREATEST: Final = _of_any("greatest")
_LEAST: Final = _of_any("least")

NODES: Final[Nodes] = {
    exp.Coalesce: (_COALESCE, ALL),
    exp.Greatest: (_GREATEST, (*ALL, "ignore_nulls")),
    exp.Least: (_LEAST, (*ALL, "ignore_nulls")),
    exp.Nullif: (_nullif, TWO),
    exp.Typeof: (_type, THIS),
    exp.Uuid: (_uuid, ()),
    exp.Try: (_attempt, THIS),
}
NAMED: Final[Mapping[str, Function]] = {
    "coalesce": _COALESCE,
    "ifnull": _COALESCE,
    "greatest": _GREATEST,
    "least": _LEAST,
    "nullif": _nullif,
    "typeof": _type,
    "pg_typeof": _lower_type,
    "if": _if,
    "error": _failure,
    "uuid": _uuid,
    "uuidv7": _uuid_of_time,
    "uuid_extract_version": _uuid_version,
    "uuid_extract_timestamp": _uuid_time,
    "constant_or_null": _constant_or_null,
    **{name: _refusing_function(name) for name in ("hash", "setseed", "md5_number")},
}
