"""VALUES: rows of expressions."""

from __future__ import annotations

from collections.abc import Sequence

from sqlglot import exp

from forklake.errors import InvalidInputError
from forklake.model import types
from forklake.model.field import Field
from forklake.model.types import Type
from forklake.sql.expressions.bound import Bound, is_null
from forklake.sql.expressions.coercion import cast, unify
from forklake.sql.expressions.expression import ExpressionBinder
from forklake.sql.expressions.literals import spark_type
from forklake.sql.query.environment import Environment
from forklake.sql.query.macro_calls import expand_macros
from forklake.sql.query.scope import Scope
from forklake.sql.query.site import QuerySite
from forklake.sql.relation import BoundQuery


def bind_values(node: exp.Values, environment: Environment) -> BoundQuery:
    """Bind the rows of VALUES; the values of a column take one type.

    Raises:
        InvalidInputError: Rows have different numbers of values, or the values of a column have no common type.
    """
    scope = Scope(environment.reading, outer=environment.outer)
    binder = ExpressionBinder(QuerySite(environment, scope, "VALUES"))
    given = (row.expressions if isinstance(row, exp.Tuple) else [row] for row in node.expressions)
    rows = [[binder.bind(expand_macros(one, environment.names.macro)) for one in row] for row in given]
    if len({len(row) for row in rows}) > 1:
        raise InvalidInputError("Parser Error: VALUES lists must all be the same length")
    if environment.expected is not None and environment.expected[0] is node:
        wanted = environment.expected[1]
        rows = [[cast(value, field.type) for value, field in zip(row, wanted, strict=False)] for row in rows]
    for column in zip(*rows, strict=True):
        environment.reading.note_mixture([one for one in column if one.type != types.NULL])
    columns = [unify(column) if len(column) > 1 else column for column in zip(*rows, strict=True)]
    same = list(zip(*columns, strict=True))
    return bound_rows(same, tuple(result_field(f"col{place}", column[0]) for place, column in enumerate(columns)))


def bound_rows(rows: Sequence[Sequence[Bound]], fields: tuple[Field, ...]) -> BoundQuery:
    """Return rows as a query; the values already have their column's type."""
    return BoundQuery(_sql(rows), fields, constants=constant_rows(rows))


def result_field(name: str, bound: Bound) -> Field:
    """Return a column of the result, with the id of the table column that it is."""
    if bound.field is None:
        return Field(None, name, bound.type)
    return Field(bound.field.column_id, name, bound.field.type)


def constant_rows(rows: Sequence[Sequence[Bound]]) -> tuple[tuple[str | None, ...], ...] | None:
    """Return rows as texts, or None if a value is not constant."""
    for row in rows:
        if any(value.literal is None and not is_null(value) for value in row):
            return None
    return tuple(tuple(None if is_null(value) else value.literal for value in row) for row in rows)


def column_sql(value: Bound) -> str:
    """Return a value as a result column, with exactly the Spark type of its type."""
    if value.literal is not None and isinstance(value.type, types.Number) and not _is_exact(value.type):
        return f"CAST({value.sql} AS {spark_type(value.type)})"
    return value.sql


def _is_exact(kind: Type) -> bool:
    """Return whether a literal has exactly the Spark type of its type."""
    return kind == types.INT32 or isinstance(kind, types.Float)


def _sql(rows: Sequence[Sequence[Bound]]) -> str:
    if len(rows) == 1:
        return f"SELECT {', '.join(f'{column_sql(value)} AS c{place}' for place, value in enumerate(rows[0]))}"
    # A list of structs, for Spark's VALUES spreads a lone struct into columns and takes constants only.
    structs = []
    for row in rows:
        parts = [f"'c{place}', {column_sql(value)}" for place, value in enumerate(row)]
        structs.append(f"named_struct({', '.join(parts)})")
    return f"SELECT inline(array({', '.join(structs)}))"
