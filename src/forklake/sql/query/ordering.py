"""ORDER BY and LIMIT: in which order rows come, and how many."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sqlglot import exp

from forklake.errors import InvalidInputError
from forklake.model.names import fold
from forklake.sql.bound import Bound
from forklake.sql.intervals import length_of
from forklake.sql.query.constants import python_value
from forklake.sql.relation import Names


@dataclass(frozen=True, slots=True)
class OrderKey:
    """What rows are ordered by: a column of the result by its place, or an expression."""

    place: int | None
    node: exp.Expr | None
    ending: str


def order_keys(order: exp.Expr | None, columns: Sequence[str]) -> list[OrderKey]:
    """Return what ORDER BY says; names of the result come before those of tables.

    Raises:
        InvalidInputError: A position is none of the result's.
    """
    keys: list[OrderKey] = []
    for one in () if order is None else order.expressions:
        node = one.this.unnest()
        direction = "DESC" if one.args.get("desc") else "ASC"
        ending = f"{direction} NULLS {'FIRST' if one.args.get('nulls_first') else 'LAST'}"
        if isinstance(node, exp.Var | exp.Column) and _says_all(node):
            keys += [OrderKey(place, None, ending) for place in range(len(columns))]
            continue
        place = position(node, len(columns), "ORDER")
        if place is None and isinstance(node, exp.Column) and len(node.parts) == 1:
            place = next((at for at, name in enumerate(columns) if fold(name) == fold(node.name)), None)
        keys.append(OrderKey(place, node if place is None else None, ending))
    return keys


def _says_all(node: exp.Expr) -> bool:
    return isinstance(node, exp.Var) and node.name.upper() == "ALL"


def position(node: exp.Expr, count: int, clause: str) -> int | None:
    """Return the column, counted from zero, that a number in ORDER BY or GROUP BY stands for.

    Raises:
        InvalidInputError: There is no such column.
    """
    if not isinstance(node, exp.Literal) or node.is_string or not str(node.this).isdecimal():
        return None
    place = int(node.this)
    if not 1 <= place <= count:
        raise InvalidInputError(f"Binder Error: {clause} term out of range - should be between 1 and {count}")
    return place - 1


def ordered(column_type: str, sql: str) -> str:
    """Return what values of a type are ordered by.

    Raises:
        InvalidInputError: Spark cannot order them.
    """
    if column_type in ("map", "variant", "geometry"):
        raise InvalidInputError(f"Ordering by values of type {column_type.upper()} is not supported.")
    return length_of(Bound(sql, "interval")) if column_type == "interval" else sql


@dataclass(frozen=True, slots=True)
class Limit:
    """How many rows are left out, and how many are taken then."""

    count: int | None = None
    offset: int = 0
    percent: float | None = None


def bind_limit(node: exp.Expr, names: Names) -> Limit:
    """Return what LIMIT and OFFSET say.

    Raises:
        InvalidInputError: They are no constants, or negative.
    """
    limit, offset = node.args.get("limit"), node.args.get("offset")
    skipped = 0 if offset is None else _count(offset.expression, names, "OFFSET") or 0
    if limit is None:
        return Limit(None, skipped)
    given = limit.args["count"] if isinstance(limit, exp.Fetch) else limit.expression
    options = limit.args.get("limit_options")
    if options is not None and options.args.get("with_ties"):
        raise InvalidInputError("WITH TIES is not supported.")
    if isinstance(given, exp.Var):
        return Limit(None, skipped)
    if options is not None and options.args.get("percent"):
        share = python_value(given, names)
        if not 0 <= share <= 100:
            raise InvalidInputError("Out of Range Error: Limit percent out of range, should be between 0% and 100%")
        return Limit(None, skipped, float(share))
    return Limit(_count(given, names, "LIMIT"), skipped)


def _count(node: exp.Expr, names: Names, clause: str) -> int | None:
    value = python_value(node, names)
    if value is None:
        return None
    try:
        count = int(value)
    except (TypeError, ValueError) as error:
        raise InvalidInputError(f"Binder Error: {clause} must be a number: {node.sql('duckdb')}") from error
    if count < 0:
        raise InvalidInputError(f"Binder Error: {clause} cannot be negative")
    return count
