"""Sort keys that give Spark DuckDB's order: NULL last, at every depth."""

from __future__ import annotations

from forklake.errors import InvalidInputError
from forklake.model import types
from forklake.model.types.shapes import entries_of
from forklake.sql.expressions.bound import Bound
from forklake.sql.expressions.intervals import length_of
from forklake.sql.expressions.nested_casts import part
from forklake.sql.expressions.spark_idioms import once, variable


def sort_key(value: Bound) -> str:
    """Return the expression to sort a value by; it is NULL where the value is.

    Raises:
        InvalidInputError: Such values have no order.
    """
    if not value.type.facts.is_comparable:
        raise InvalidInputError(f"Ordering by values of type {value.type.sql_name} is not supported.")
    match value.type:
        case types.INTERVAL:
            return length_of(value)
        case types.List(element):
            name = variable()
            return f"transform({value.sql}, {name} -> {_null_last_key(Bound(name, element.type))})"
        case types.Map(key, item):
            return sort_key(Bound(f"map_entries({value.sql})", entries_of(key.type, item.type)))
        case types.Struct():
            return once(value.sql, lambda sql: _fields(Bound(sql, value.type)))
    return value.sql


def _fields(value: Bound) -> str:
    parts = [_null_last_key(part(value, place)) for place in range(len(value.type.children))]
    return f"if({value.sql} IS NULL, NULL, struct({', '.join(parts)}))"


def _null_last_key(value: Bound) -> str:
    """Return the key of a nested part, after a flag that puts NULL last.

    Within lists and structs Spark sorts NULL first.
    """
    return once(value.sql, lambda sql: f"struct({sql} IS NULL, {sort_key(Bound(sql, value.type))})")
