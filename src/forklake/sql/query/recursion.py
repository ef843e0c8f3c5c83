"""WITH RECURSIVE: a query that is repeated over the rows of its last step."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Final

from sqlglot import exp

from forklake.errors import InvalidInputError
from forklake.model import types
from forklake.model.field import Field
from forklake.model.names import fold
from forklake.model.types.shapes import shape_of
from forklake.sql.expressions.bound import Bound
from forklake.sql.expressions.coercion import cast
from forklake.sql.expressions.literals import spark_type
from forklake.sql.query.environment import CommonTable, Environment, LastRows, Reading, whole_query
from forklake.sql.relation import BoundQuery

_MOST_STEPS: Final = 10_000
"""The most steps of a recursive query with UNION, which this process counts."""
_MOST_SPARK_STEPS: Final = 5_000
"""The most steps of a recursive query with UNION ALL, whatever the settings of the Spark session.

Spark plans the union of all steps at the end. Twice as many end a Java process that has a gigabyte.
"""
_MOST_ROWS: Final = 1_000_000
"""The most rows of a recursive query with UNION, which this process holds."""


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
    if union.args.get("by_name"):
        raise InvalidInputError(f'A recursive query with UNION BY NAME is not supported: "{common.name}".')
    if any(union.args.get(name) for name in ("order", "limit", "offset")):
        raise InvalidInputError("Parser Error: LIMIT, OFFSET and ORDER BY in a recursive query are not allowed")
    begin = with_names(environment.bind(union.this, environment), common.column_names, common.name)
    columns = tuple(Field(None, one.name, types.INT32 if one.type == types.NULL else one.type) for one in begin.columns)
    if union.args.get("distinct"):
        return _reachable_rows(common, columns)
    name = environment.reading.alias()
    shown = ", ".join(f"c{place}" for place in range(len(columns)))
    last = LastRows(common.name, BoundQuery(f"SELECT {shown} FROM {name}", columns), common.names)
    inside = replace(environment, common={**environment.common, fold(common.name): last})
    step = inside.bind(union.expression, inside)
    # Spark's planner drops a step that shows all as it is, and then goes round without a job: no step says the same.
    parts = [
        f"SELECT {shown}, {number} AS step FROM ({_cast_columns(query, columns, environment.reading.alias())})"
        for number, query in enumerate((begin, step))
    ]
    head = f"WITH RECURSIVE {name}({shown}, step) MAX RECURSION LEVEL {_MOST_SPARK_STEPS}"
    return BoundQuery(f"{head} AS ({parts[0]} UNION ALL {parts[1]}) SELECT {shown} FROM {name}", columns)


def _reachable_rows(common: CommonTable, columns: tuple[Field, ...]) -> BoundQuery:
    """Return the rows of a recursive query with UNION: those that no step before gave.

    Spark has no such recursion. The steps run now, one after the other, over the new rows of the last one.
    """
    union, environment = common.query, common.environment
    found: dict[str, tuple[Any, ...]] = {}
    last: list[tuple[Any, ...]] = []
    for number in range(_MOST_STEPS + 1):
        reading = Reading()
        inside = replace(environment, reading=reading)
        if number:
            rows = LastRows(common.name, _known_rows(last, columns, inside), common.names)
            inside = replace(inside, common={**environment.common, fold(common.name): rows})
        step = inside.bind(union.expression if number else union.this, inside)
        query = BoundQuery(_cast_columns(step, columns, reading.alias()), columns)
        new = {repr(row): row for row in environment.names.computed_rows(whole_query(query, reading))}
        last = [row for key, row in new.items() if key not in found]
        found.update({repr(row): row for row in last})
        if len(found) > _MOST_ROWS:
            break
        if not last:
            return _known_rows(list(found.values()), columns, environment)
    raise InvalidInputError(
        f'The recursive query "{common.name}" has more than {_MOST_STEPS} steps or {_MOST_ROWS} rows; it was stopped.'
    )


def _known_rows(rows: list[tuple[Any, ...]], columns: tuple[Field, ...], environment: Environment) -> BoundQuery:
    plain = tuple(replace(column, name=f"c{place}") for place, column in enumerate(columns))
    scan = environment.reading.scan(environment.names.known_relation(plain, rows))
    for column in plain:
        environment.reading.need(scan, column.name)
    return BoundQuery(f"SELECT {', '.join(column.name for column in plain)} FROM {scan}", columns)


def _cast_columns(query: BoundQuery, columns: Sequence[Field], alias: str) -> str:
    """Return a query whose columns have exactly these types."""
    if len(query.columns) != len(columns):
        raise InvalidInputError(
            "Binder Error: Set operations can only apply to expressions with the same number of result columns"
        )
    values = []
    for place, (given, wanted) in enumerate(zip(query.columns, columns, strict=True)):
        value = cast(Bound(f"{alias}.c{place}", shape_of(given.type)), wanted.type)
        values.append(f"CAST({value.sql} AS {spark_type(wanted.type)}) AS c{place}")
    return f"SELECT {', '.join(values)} FROM ({query.nested_sql}) AS {alias}"
