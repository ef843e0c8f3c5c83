"""Expressions that were understood: what Spark computes, of which type it is, and what it says about columns."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Final

from forklake.files.type_names import sql_name as nested_name
from forklake.model.field import Field
from forklake.model.predicate import All, Any, Anything, Nothing, Predicate
from forklake.model.types import SQL_NAMES, sql_name

NULL: Final = "null"
"""The type of a NULL that nothing has given a type."""

INTEGERS: Final = frozenset(name for name in SQL_NAMES if name.startswith(("int", "uint")))
FLOATS: Final = frozenset({"float32", "float64"})
TEXTS: Final = frozenset({"varchar", "json"})
NAIVE: Final = frozenset({"timestamp", "timestamp_s", "timestamp_ms"})
"""Timestamps that Spark has as timestamp_ntz."""
MOMENTS: Final = NAIVE | {"date", "timestamptz"}
_ANYTHING: Final = Anything()


@dataclass(frozen=True, slots=True)
class Bound:
    """An expression over columns.

    Attributes:
        sql: What Spark computes; always usable as an operand.
        type: DuckLake's name of the type, or `NULL`.
        field: The column, or field of structs, that it is; only a column of a table has an id. Every list, struct and
            map has one, for the types that are nested in it: see `shape_of` and `shaped`.
        literal: The text of the constant that it is, as DuckLake writes values of the type.
        is_untyped: Whether it is a quoted constant, which takes the type of what it meets.
        strict_in: Expressions of which one is NULL wherever this is, and never elsewhere; None if only itself is known
            to be so.
        wide: The same number as a decimal of Spark with more digits, not checked to fit the type: all that sums need.
        span: Of an interval: its months, days and microseconds, as whole numbers of Spark.
        when_true: Holds for all rows for which this, a condition, is true.
        when_false: The same for false; NULL is neither.
    """

    sql: str
    type: str
    field: Field | None = None
    literal: str | None = None
    is_untyped: bool = False
    strict_in: tuple[str, ...] | None = None
    wide: str | None = None
    span: tuple[str, str, str] | None = None
    when_true: Predicate = _ANYTHING
    when_false: Predicate = _ANYTHING


def shape_of(value: Bound) -> Field:
    """Return the type of a value with all that is nested in it, as a field that is no column."""
    return Field(None, "", value.type, () if value.field is None else _without_ids(value.field.children))


def seen_from_inside(value: Bound) -> Bound:
    """Return what a query inside another one sees of the rows around it: the value.

    What is said of it says nothing about the rows that the inner query reads, whose columns may have the same ids.
    """
    field = None if value.field is None else _without_ids((value.field,))[0]
    return replace(value, field=field, when_true=_ANYTHING, when_false=_ANYTHING)


def _without_ids(fields: Iterable[Field]) -> tuple[Field, ...]:
    return tuple(replace(one, column_id=None, children=_without_ids(one.children)) for one in fields)


def shaped(sql: str, shape: Field | str, literal: str | None = None) -> Bound:
    """Return an expression of a type, given by its name or, if it is nested, as a field.

    It is no column, and nothing in it is part of one, whatever the shape was taken from.
    """
    if isinstance(shape, str):
        return Bound(sql, shape, literal=literal)
    field = Field(None, "", shape.type, _without_ids(shape.children)) if shape.children else None
    return Bound(sql, shape.type, field, literal)


def scalar(column_type: str, name: str = "") -> Field:
    """Return a type that is not nested as a field."""
    return Field(None, name, column_type)


def list_of(element: Field | str) -> Field:
    """Return the type of lists."""
    inner = scalar(element) if isinstance(element, str) else element
    return Field(None, "", "list", (Field(None, "element", inner.type, inner.children),))


def struct_of(fields: Sequence[tuple[str, Field]]) -> Field:
    """Return the type of structs with such fields."""
    return Field(None, "", "struct", tuple(Field(None, name, inner.type, inner.children) for name, inner in fields))


def map_of(key: Field, item: Field) -> Field:
    """Return the type of maps."""
    parts = (Field(None, "key", key.type, key.children), Field(None, "value", item.type, item.children))
    return Field(None, "", "map", parts)


def type_name(column_type: str | Field) -> str:
    """Return what DuckDB calls a type.

    >>> type_name("int32"), type_name("decimal(4,2)"), type_name(list_of("int32"))
    ('INTEGER', 'DECIMAL(4,2)', 'INTEGER[]')
    """
    if isinstance(column_type, Field):
        return nested_name(_with_quoted_nulls(column_type)) if column_type.children else type_name(column_type.type)
    return '"NULL"' if column_type == NULL else sql_name(column_type)


def _with_quoted_nulls(field: Field) -> Field:
    """Return a type in which that of NULL is called what DuckDB calls it."""
    children = tuple(map(_with_quoted_nulls, field.children))
    return replace(field, type='"null"' if field.type == NULL else field.type, children=children)


def is_decimal(column_type: str) -> bool:
    """Return whether a type is a decimal."""
    return column_type.startswith("decimal(")


def decimal_size(column_type: str) -> tuple[int, int]:
    """Return the digits of a decimal, all and after the point; of an integer those that hold all its values.

    >>> decimal_size("decimal(4,2)"), decimal_size("int64")
    ((4, 2), (19, 0))
    """
    if is_decimal(column_type):
        precision, scale = column_type[8:-1].split(",")
        return int(precision), int(scale)
    return min(len(str(2 ** (int(column_type.lstrip("uint")) - column_type.startswith("i")))), 38), 0


def is_numeric(column_type: str) -> bool:
    """Return whether a type is one of numbers."""
    return column_type in INTEGERS or column_type in FLOATS or is_decimal(column_type)


def both(parts: Iterable[Predicate]) -> Predicate:
    """Return what holds if all parts hold."""
    said = [part for part in parts if not isinstance(part, Anything)]
    if any(isinstance(part, Nothing) for part in said):
        return Nothing()
    flat = [inner for part in said for inner in (part.parts if isinstance(part, All) else (part,))]
    return Anything() if not flat else flat[0] if len(flat) == 1 else All(tuple(flat))


def either(parts: Iterable[Predicate]) -> Predicate:
    """Return what holds if one of the parts holds."""
    said = [part for part in parts if not isinstance(part, Nothing)]
    if any(isinstance(part, Anything) for part in said):
        return Anything()
    flat = [inner for part in said for inner in (part.parts if isinstance(part, Any) else (part,))]
    return Nothing() if not flat else flat[0] if len(flat) == 1 else Any(tuple(flat))
