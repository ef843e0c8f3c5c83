"""Bound expressions: Spark SQL with a type and predicates on columns."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Final

from forklake.model import types
from forklake.model.field import Field
from forklake.model.lazy_dataclass import dataclass
from forklake.model.predicate import AllOf, AnyOf, Anything, Nothing, Predicate
from forklake.model.types import Type

TEXTS: Final[frozenset[Type]] = frozenset({types.VARCHAR, types.JSON})
NAIVE: Final[frozenset[Type]] = frozenset(kind for kind in types.FACTS if kind.shown_as == types.TIMESTAMP)
"""Timestamps that Spark has as timestamp_ntz."""
MOMENTS: Final = NAIVE | {types.DATE, types.TIMESTAMPTZ}
_ANYTHING: Final = Anything()


@dataclass(frozen=True, slots=True)
class Bound:
    """An expression over columns.

    Attributes:
        sql: The Spark SQL; always usable as an operand.
        type: Its type as a shape (`forklake.model.types.shapes`), without ids of columns.
        field: The column or struct field that the expression is; only a column of a table has an id.
        literal: The text of the constant that the expression is, as DuckLake writes values of the type.
        is_untyped: Whether it is a quoted constant, which takes the type of the value beside it.
        keeps_type: Whether it is a constant that was cast or computed, which keeps its type beside other numbers.
        clock: Of a constant instant: the text of the time without zone that it is beside values without zone.
        strict_in: Expressions of which one is NULL exactly where this one is; None if no others are known.
        wide: The same number as a Spark decimal with more digits, not checked to fit the type; enough for sums.
        span: Of an interval: its months, days and microseconds, as integers in Spark SQL.
        when_true: Holds for all rows for which this, a condition, is true.
        when_false: The same for false; NULL is neither.
    """

    sql: str
    type: Type
    field: Field | None = None
    literal: str | None = None
    is_untyped: bool = False
    keeps_type: bool = False
    clock: str | None = None
    strict_in: tuple[str, ...] | None = None
    wide: str | None = None
    span: tuple[str, str, str] | None = None
    when_true: Predicate = _ANYTHING
    when_false: Predicate = _ANYTHING


def outer_value(value: Bound) -> Bound:
    """Return a value of an outer query for use in a subquery.

    Its column ids and predicates are removed: they say nothing about the rows that the subquery reads, whose
    columns may have the same ids.
    """
    field = None if value.field is None else Field(None, value.field.name, value.type)
    return replace(value, field=field, when_true=_ANYTHING, when_false=_ANYTHING)


def is_null(value: Bound) -> bool:
    """Return whether a value is the constant NULL, of any type."""
    return value.literal is None and (value.sql == "NULL" or value.sql.startswith("CAST(NULL AS "))


def decimal_size(kind: Type) -> tuple[int, int]:
    """Return the precision and scale of a decimal.

    For an integer, those of the smallest decimal that holds all its values.

    >>> decimal_size(types.Decimal(4, 2)), decimal_size(types.INT64)
    ((4, 2), (19, 0))
    """
    match kind:
        case types.Decimal(precision, scale):
            return precision, scale
        case types.Integer():
            return kind.digits, 0
    raise TypeError(f"{kind} has no digits")


def both(parts: Iterable[Predicate]) -> Predicate:
    """Return a predicate that holds where all parts hold."""
    said = [part for part in parts if not isinstance(part, Anything)]
    if any(isinstance(part, Nothing) for part in said):
        return Nothing()
    flat = [inner for part in said for inner in (part.parts if isinstance(part, AllOf) else (part,))]
    return Anything() if not flat else flat[0] if len(flat) == 1 else AllOf(tuple(flat))


def either(parts: Iterable[Predicate]) -> Predicate:
    """Return a predicate that holds where at least one part holds."""
    said = [part for part in parts if not isinstance(part, Nothing)]
    if any(isinstance(part, Anything) for part in said):
        return Anything()
    flat = [inner for part in said for inner in (part.parts if isinstance(part, AnyOf) else (part,))]
    return Nothing() if not flat else flat[0] if len(flat) == 1 else AnyOf(tuple(flat))
