"""Predicates on columns that statistics and partition values can answer.

A predicate keeps the rows for which it is true. A condition that has no such form is `Anything`, which prunes
nothing; so a condition always implies the predicate that was made from it.
"""

from __future__ import annotations

from typing import Literal

from forklake.model.ids import ColumnId
from forklake.model.lazy_dataclass import dataclass
from forklake.model.types import Type

Operator = Literal["=", "<>", "<", "<=", ">", ">="]


@dataclass(frozen=True, slots=True)
class Comparison:
    """A comparison of a column, or of a field of structs, with a value.

    The value is text, in the form in which DuckLake writes values of that type.
    """

    column_id: ColumnId
    type: Type
    operator: Operator
    value: str


@dataclass(frozen=True, slots=True)
class OneOf:
    """A column is one of some values."""

    column_id: ColumnId
    type: Type
    values: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class IsNull:
    """A column is NULL, or is not."""

    column_id: ColumnId
    is_null: bool


@dataclass(frozen=True, slots=True)
class AllOf:
    """All of these hold."""

    parts: tuple[Predicate, ...]


@dataclass(frozen=True, slots=True)
class AnyOf:
    """At least one of these holds."""

    parts: tuple[Predicate, ...]


@dataclass(frozen=True, slots=True)
class Anything:
    """Nothing is known: every row may satisfy it."""


@dataclass(frozen=True, slots=True)
class Nothing:
    """No row satisfies it."""


Predicate = Comparison | OneOf | IsNull | AllOf | AnyOf | Anything | Nothing


@dataclass(frozen=True, slots=True)
class Condition:
    """A bound condition: a predicate that prunes files, and a filter in Spark SQL.

    ``spark_sql`` names columns as the table has them, quoted, and means the same whatever the session's time
    zone, ANSI mode or case sensitivity.
    """

    predicate: Predicate
    spark_sql: str
