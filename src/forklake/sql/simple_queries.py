"""Queries for single values and whole tables, and values of options."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from sqlglot import exp

from forklake.sql.query.bind import bind_query
from forklake.sql.query.constants import python_value
from forklake.sql.relation import BoundQuery, Names


def bind_value(node: exp.Expr, names: Names) -> BoundQuery:
    """Bind a query for the value of an expression.

    The expression uses no columns, except in subqueries.
    """
    return bind_query(exp.Select(expressions=[node.copy()]), names)


def all_of(parts: tuple[str, ...]) -> exp.Select:
    """Return the query for all rows of a table, given the parts of its name."""
    return exp.select("*").from_(named_table(parts))


def rows_query(table: str, columns: Sequence[str], where: exp.Expr) -> exp.Select:
    """Return the query for columns of the rows for which a condition holds."""
    shown = [exp.column(name, table=table, quoted=True) for name in columns]
    return exp.select(*shown).from_(named_table((table,))).where(where.copy())


def count_query(table: str, where: exp.Expr) -> exp.Select:
    """Return the query for the number of rows for which a condition holds."""
    return exp.select(exp.Count(this=exp.Star())).from_(named_table((table,))).where(where.copy())


def named_table(parts: tuple[str, ...], alias: str | None = None) -> exp.Table:
    """Return the node of a table in FROM."""
    name, schema, catalog = (*(exp.to_identifier(part, quoted=True) for part in reversed(parts)), None, None)[:3]
    made = exp.Table(this=name, db=schema, catalog=catalog)
    if alias is not None:
        made.set("alias", exp.TableAlias(this=exp.to_identifier(alias, quoted=True)))
    return made


def compute_options(options: Mapping[str, Any], names: Names) -> dict[str, Any]:
    """Return the options of a statement, with their expressions evaluated.

    Raises:
        InvalidInputError: An expression is not constant.
    """
    return {
        name: python_value(value, names) if isinstance(value, exp.Expr) else value for name, value in options.items()
    }
