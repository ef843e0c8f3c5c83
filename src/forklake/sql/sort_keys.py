"""What Spark orders by in place of a value, so that it comes where DuckDB has it: NULL last, at every depth."""

from __future__ import annotations

from typing import Final

from forklake.errors import InvalidInputError
from forklake.sql.bound import Bound, list_of, shape_of, shaped, struct_of, type_name
from forklake.sql.intervals import length_of
from forklake.sql.nested_casts import part
from forklake.sql.phrases import once, variable

NESTED: Final = frozenset({"list", "struct", "map"})
_UNORDERED: Final = frozenset({"variant", "geometry"})


def sort_key(value: Bound) -> str:
    """Return what a value is ordered by; NULL where the value is.

    Raises:
        InvalidInputError: Such values have no order here.
    """
    if value.type in _UNORDERED:
        raise InvalidInputError(f"Ordering by values of type {type_name(value.type)} is not supported.")
    match value.type:
        case "interval":
            return length_of(value)
        case "list":
            name = variable()
            return f"transform({value.sql}, {name} -> {_marked(shaped(name, shape_of(value).children[0]))})"
        case "map":
            key, item = shape_of(value).children
            entries = list_of(struct_of([("key", key), ("value", item)]))
            return sort_key(shaped(f"map_entries({value.sql})", entries))
        case "struct":
            return once(value.sql, lambda sql: _fields(shaped(sql, shape_of(value))))
    return value.sql


def _fields(value: Bound) -> str:
    parts = [_marked(part(value, place)) for place in range(len(shape_of(value).children))]
    return f"if({value.sql} IS NULL, NULL, struct({', '.join(parts)}))"


def _marked(value: Bound) -> str:
    """Return the key of a part, after a mark: within lists and structs Spark has NULL first."""
    return once(value.sql, lambda sql: f"struct({sql} IS NULL, {sort_key(shaped(sql, shape_of(value)))})")
