"""Conditions and values in DuckDB's words, given as text: what prunes files, and the same for Spark."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sqlglot import exp

from forklake.errors import InvalidInputError
from forklake.model.field import Field
from forklake.model.predicate import Condition
from forklake.sql.bound import NULL, Bound, type_name
from forklake.sql.columns import TableSite
from forklake.sql.expression import ExpressionBinder
from forklake.sql.parse import parse_expression
from forklake.sql.sort_keys import sort_key


def condition(text: str, table: str, fields: Sequence[Field]) -> Condition:
    """Return a condition on the rows of a table.

    It may name the columns, with or without the table before them, fields of structs, and the lineage of rows.

    Raises:
        InvalidInputError: It cannot be read, is no condition, or says what cannot be said of one row.
        NotFoundError: There is no such column.
    """
    binder, tree = ExpressionBinder(TableSite(table, fields)), _parse(text)
    try:
        found = binder.bind(tree)
        if found.type not in ("boolean", NULL) and not found.is_untyped:
            # DuckDB takes a number for a condition. Whoever passes a column's name would delete nearly all rows.
            raise InvalidInputError(f"A condition is true or false, not of type {type_name(found.type)}: {text}")
        bound = binder.condition(tree)
    except RecursionError as error:
        raise InvalidInputError("The condition is nested too deeply; it was not read.") from error
    return Condition(bound.when_true, bound.sql)


def value_expression(text: str, table: str, fields: Sequence[Field]) -> str:
    """Return an expression over the columns of a table as Spark SQL.

    Raises:
        InvalidInputError: It cannot be read, or says what cannot be said of one row.
        NotFoundError: There is no such column.
    """
    return _bound(text, table, fields).sql


def sort_expression(text: str, table: str, fields: Sequence[Field]) -> str:
    """Return what the rows of a table are sorted by, in Spark SQL: values come in DuckDB's order.

    Raises:
        InvalidInputError: It cannot be read, says what cannot be said of one row, or has no order.
        NotFoundError: There is no such column.
    """
    return sort_key(_bound(text, table, fields))


def _bound(text: str, table: str, fields: Sequence[Field]) -> Bound:
    tree = _parse(text, "value")
    try:
        return ExpressionBinder(TableSite(table, fields)).bind(tree)
    except RecursionError as error:
        raise InvalidInputError("The expression is nested too deeply; it was not read.") from error


def equal_columns(text: str) -> list[tuple[tuple[str, ...], tuple[str, ...]]]:
    """Return the pairs of columns that are equal wherever a condition is true, as the names that lead to each.

    Raises:
        InvalidInputError: It cannot be read.
    """
    found = []
    waiting = [_parse(text)]
    while waiting:
        node = waiting.pop().unnest()
        if isinstance(node, exp.And):
            waiting += [node.right, node.left]
        elif isinstance(node, exp.EQ):
            first, second = node.left.unnest(), node.right.unnest()
            if isinstance(first, exp.Column) and isinstance(second, exp.Column):
                found.append((tuple(part.name for part in first.parts), tuple(part.name for part in second.parts)))
    return found


def _parse(text: Any, what: str = "condition") -> exp.Expr:
    if not isinstance(text, str):
        given = "None" if text is None else f"of type {type(text).__name__}"
        raise InvalidInputError(
            f"A {what} is SQL text, not {given}; nothing was done.",
            hint='Write it as text: delete("id = 4"), update({"price": "price * 2"}).',
        )
    return parse_expression(text)
