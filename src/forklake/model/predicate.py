"""Conditions on columns, in the form that statistics and partition values can answer.

A condition keeps the rows for which it is true. Whatever cannot be said in this form is `Anything`, which prunes
nothing; so a predicate here is always implied by the condition that it was made from.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from forklake.model.ids import ColumnId
from forklake.model.types import Type

Operator = Literal["=", "<>", "<", "<=", ">", ">="]


@dataclass(frozen=True, slots=True)
class Comparison:
    """A column, or a field of structs, compared with a value: its text as DuckLake writes values of that type."""

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
class All:
    """All of these hold."""

    parts: tuple[Predicate, ...]


@dataclass(frozen=True, slots=True)
class Any:
    """At least one of these holds."""

    parts: tuple[Predicate, ...]


@dataclass(frozen=True, slots=True)
class Anything:
    """Nothing is known: every row may fulfil it."""


@dataclass(frozen=True, slots=True)
class Nothing:
    """No row fulfils it."""


Predicate = Comparison | OneOf | IsNull | All | Any | Anything | Nothing


@dataclass(frozen=True, slots=True)
class Condition:
    """A condition that was understood: what prunes files, and what Spark filters rows by.

    ``spark_sql`` names columns as the table has them, quoted, and means the same whatever the session's time zone,
    ANSI mode or case sensitivity.
    """

    predicate: Predicate
    spark_sql: str
