"""ORDER BY, LIMIT and OFFSET."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal
from typing import Final

from sqlglot import exp

from forklake.errors import InvalidInputError, NotFoundError
from forklake.model import types
from forklake.model.lazy_dataclass import dataclass
from forklake.model.names import fold
from forklake.sql.expressions.coercion import cast
from forklake.sql.expressions.expression import ExpressionBinder
from forklake.sql.expressions.literals import text_literal
from forklake.sql.expressions.render import render
from forklake.sql.expressions.spark_idioms import refusal
from forklake.sql.query.constants import python_value
from forklake.sql.query.environment import Environment
from forklake.sql.query.macro_calls import expand_macros
from forklake.sql.query.scope import Scope
from forklake.sql.query.site import QuerySite

_MOST_ROWS: Final = 2**62
"""The largest number of rows that DuckDB takes in LIMIT and OFFSET."""


@dataclass(frozen=True, slots=True)
class OrderKey:
    """A key of ORDER BY: a column of the result by its position, or an expression."""

    place: int | None
    node: exp.Expr | None
    ending: str


def order_keys(order: exp.Expr | None, columns: Sequence[str]) -> list[OrderKey]:
    """Return the keys of ORDER BY; result columns take precedence over table columns.

    Raises:
        InvalidInputError: A position is not one of the result.
    """
    keys: list[OrderKey] = []
    for one in () if order is None else order.expressions:
        if one.args.get("with_fill"):
            raise InvalidInputError(f"WITH FILL is not supported: {render(one)}")
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
    """Return the result column, from zero, that a number refers to.

    The number is a key of ORDER BY or GROUP BY. Return None for other keys.

    Raises:
        InvalidInputError: There is no such column.
    """
    if not isinstance(node, exp.Literal) or node.is_string or not str(node.this).isdecimal():
        return None
    place = int(node.this)
    if not 1 <= place <= count:
        raise InvalidInputError(f"Binder Error: {clause} term out of range - should be between 1 and {count}")
    return place - 1


@dataclass(frozen=True, slots=True)
class Limit:
    """How many rows to skip, and how many to return after that.

    Attributes:
        test: The condition on the ``number`` of a row, from one, if a count is known only when the query runs.
    """

    count: int | None = None
    offset: int = 0
    percent: float | None = None
    test: str | None = None


def bind_limit(node: exp.Expr, environment: Environment) -> Limit:
    """Bind LIMIT and OFFSET.

    Raises:
        InvalidInputError: They use columns, are no numbers, or are negative.
    """
    limit, offset = node.args.get("limit"), node.args.get("offset")
    skipped = 0 if offset is None else _count(offset.expression, environment, "OFFSET") or 0
    if limit is None:
        return _limit(None, skipped)
    if limit.args.get("expressions"):
        raise InvalidInputError(f"LIMIT BY is not supported: {render(limit)}")
    options = limit.args.get("limit_options")
    given = limit.args["count"] if isinstance(limit, exp.Fetch) else limit.expression
    if given is None and options is None:
        raise InvalidInputError("Parser Error: FETCH has no number of rows: write FETCH FIRST 3 ROWS ONLY.")
    given = given or exp.Literal.number(1)
    if options is not None and options.args.get("with_ties"):
        raise InvalidInputError("WITH TIES is not supported.")
    if isinstance(given, exp.Var):
        return _limit(None, skipped)
    if options is not None and options.args.get("percent"):
        share = python_value(given, environment.names)
        if not isinstance(share, int | float | Decimal) or not 0 <= share <= 100:
            raise InvalidInputError("Out of Range Error: Limit percent out of range, should be between 0% and 100%")
        if isinstance(skipped, str):
            raise InvalidInputError("An OFFSET that is no constant is not supported beside a percentage.")
        return Limit(None, skipped, float(share))
    return _limit(_count(given, environment, "LIMIT"), skipped)


def _limit(count: int | str | None, skipped: int | str) -> Limit:
    if not isinstance(count, str) and not isinstance(skipped, str):
        return Limit(count, skipped)
    first = f"coalesce({skipped}, 0)"
    last = "" if count is None else f" AND coalesce(number <= {first} + {count}, TRUE)"
    return Limit(test=f"number > {first}{last}")


def _count(node: exp.Expr, environment: Environment, clause: str) -> int | str | None:
    """Return a number of rows, or the SQL that computes it when the query runs."""
    try:
        value = python_value(node, environment.names)
    except InvalidInputError:
        return _count_sql(node, environment, clause)
    if value is None:
        return None
    try:
        count = int(value)
    except (TypeError, ValueError, OverflowError) as error:
        raise InvalidInputError(f"Binder Error: {clause} must be a number: {render(node)}") from error
    if count < 0:
        raise InvalidInputError(f"Binder Error: {clause} cannot be negative")
    if count > _MOST_ROWS:
        raise InvalidInputError(f"Binder Error: Max value for {clause} is {_MOST_ROWS}: {render(node)}")
    return count


def _count_sql(node: exp.Expr, environment: Environment, clause: str) -> str:
    scope = Scope(environment.reading)
    try:
        bound = ExpressionBinder(QuerySite(environment, scope, clause)).bind(
            expand_macros(node, environment.names.macro)
        )
    except NotFoundError as error:
        raise InvalidInputError(f"Binder Error: Cannot use columns in LIMIT/OFFSET: {render(node)}") from error
    count = cast(bound, types.INT64).sql
    return f"if({count} < 0, {refusal(text_literal(f'Out of Range Error: {clause} cannot be negative'))}, {count})"
