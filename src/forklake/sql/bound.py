"""Expressions that were understood: what Spark computes, of which type it is, and what it says about columns."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

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
_ANYTHING: Final = Anything()


@dataclass(frozen=True, slots=True)
class Bound:
    """An expression over columns.

    Attributes:
        sql: What Spark computes; always usable as an operand.
        type: DuckLake's name of the type, or `NULL`.
        field: The column, or field of structs, that it is.
        literal: The text of the constant that it is, as DuckLake writes values of the type.
        is_untyped: Whether it is a quoted constant, which takes the type of what it meets.
        when_true: Holds for all rows for which this, a condition, is true.
        when_false: The same for false; NULL is neither.
    """

    sql: str
    type: str
    field: Field | None = None
    literal: str | None = None
    is_untyped: bool = False
    when_true: Predicate = _ANYTHING
    when_false: Predicate = _ANYTHING


def type_name(column_type: str) -> str:
    """Return what DuckDB calls a type.

    >>> type_name("int32"), type_name("decimal(4,2)")
    ('INTEGER', 'DECIMAL(4,2)')
    """
    return '"NULL"' if column_type == NULL else sql_name(column_type)


def is_decimal(column_type: str) -> bool:
    """Return whether a type is a decimal."""
    return column_type.startswith("decimal(")


def decimal_size(column_type: str) -> tuple[int, int]:
    """Return the digits of a decimal, all and after the point; of an integer those that hold all its values.

    >>> decimal_size("decimal(4,2)"), decimal_size("int64")
    ((4, 2), (20, 0))
    """
    if is_decimal(column_type):
        precision, scale = column_type[8:-1].split(",")
        return int(precision), int(scale)
    return (38, 0) if column_type in ("int128", "uint128") else (20, 0)


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
