"""WITH RECURSIVE: a query that is repeated over the rows of its last step."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from sqlglot import exp

from forklake.errors import InvalidInputError
from forklake.model import types
from forklake.model.field import Field
from forklake.model.names import fold
from forklake.model.types.shapes import shape_of
from forklake.sql.expressions.bound import Bound
from forklake.sql.expressions.coercion import cast
from forklake.sql.expressions.literals import spark_type
from forklake.sql.query.environment import CommonTable, LastRows
from forklake.sql.relation import BoundQuery

_MOST_STEPS: Final = 10_000
"""The most steps of a recursive query, whatever the settings of the Spark session."""


def with_names(bound: BoundQuery, names: Sequence[str], table: str) -> BoundQuery:
    """Rename the leading columns of a query.

    Raises:
        InvalidInputError: There are more names than columns.
    """
    if len(names) > len(bound.columns):
        raise InvalidInputError(
            f'Binder Error: table "{table}" has {len(bound.columns)} columns available but {len(names)} columns'
            " specified"
        )
    given = [replace(column, name=name) for column, name in zip(bound.columns, names, strict=False)]
    return replace(bound, columns=(*given, *bound.columns[len(names) :]))


def bind_recursive(common: CommonTable) -> BoundQuery:
    """Bind a recursive query; its first part decides the types of its columns.

    Raises:
        InvalidInputError: It is no UNION ALL of a first part and a step, or these do not fit together.
    """
    union, environment = common.query, common.environment
    if not isinstance(union, exp.Union):
        raise InvalidInputError(
            f'Binder Error: the recursive query "{common.name}" must be a beginning and a step with UNION between them.'
        )
    if union.args.get("distinct") or union.args.get("by_name"):
        raise InvalidInputError(
            f'A recursive query with UNION is not supported: "{common.name}".', hint="UNION ALL is; DISTINCT after it."
        )
    if any(union.args.get(name) for name in ("order", "limit", "offset")):
        raise InvalidInputError("Parser Error: LIMIT, OFFSET and ORDER BY in a recursive query are not allowed")
    begin = with_names(environment.bind(union.this, environment), common.column_names, common.name)
    columns = tuple(Field(None, one.name, types.INT32 if one.type == types.NULL else one.type) for one in begin.columns)
    name = environment.reading.alias()
    shown = ", ".join(f"c{place}" for place in range(len(columns)))
    last = LastRows(common.name, BoundQuery(f"SELECT {shown} FROM {name}", columns))
    inside = replace(environment, common={**environment.common, fold(common.name): last})
    step = inside.bind(union.expression, inside)
    if len(step.columns) != len(columns):
        raise InvalidInputError(
            "Binder Error: Set operations can only apply to expressions with the same number of result columns"
        )
    parts = [_cast_columns(query, columns, environment.reading.alias()) for query in (begin, step)]
    head = f"WITH RECURSIVE {name}({shown}) MAX RECURSION LEVEL {_MOST_STEPS} AS ({parts[0]} UNION ALL {parts[1]})"
    return BoundQuery(f"{head} SELECT {shown} FROM {name}", columns)


def _cast_columns(query: BoundQuery, columns: Sequence[Field], alias: str) -> str:
    """Return a query whose columns have exactly these types."""
    values = []
    for place, (given, wanted) in enumerate(zip(query.columns, columns, strict=True)):
        value = cast(Bound(f"{alias}.c{place}", shape_of(given.type)), wanted.type)
        values.append(f"CAST({value.sql} AS {spark_type(wanted.type)}) AS c{place}")
    return f"SELECT {', '.join(values)} FROM ({query.nested_sql}) AS {alias}"
