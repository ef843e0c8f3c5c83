"""Infinite dates and timestamps in Spark SQL.

Spark has none. As in DuckDB's files, its last one and the one as far before 1970 stand for them: they compare and sort
as infinite ones do, and whatever computes with moments asks for them first.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from forklake.model import types
from forklake.model.types import Type
from forklake.sql.expressions.bound import MOMENTS, Bound
from forklake.sql.expressions.literals import INFINITIES, infinite_literal
from forklake.sql.expressions.spark_idioms import once


def may_be_infinite(value: Bound) -> bool:
    """Return whether a value is a moment, and not a constant that is finite."""
    is_finite = value.literal is not None and value.literal not in INFINITIES
    return (value.type in MOMENTS or value.type == types.TIMESTAMP_NS) and not is_finite


def is_infinite(value: Bound) -> str:
    """Return the condition that a moment is infinite, as Spark SQL."""
    return f"{value.sql} IN ({', '.join(infinite_literal(value.type, text) for text in INFINITIES)})"


def unless_infinite(value: Bound, body: Callable[[Bound], str], infinite: str = "NULL") -> str:
    """Return what a function makes of a moment, and something else for infinite ones.

    The function takes the moment as an expression that is short.
    """
    if not may_be_infinite(value):
        return body(value)

    def guard(sql: str) -> str:
        one = replace(value, sql=sql)
        return f"(CASE WHEN {is_infinite(one)} THEN {infinite} ELSE {body(one)} END)"

    return once(value.sql, guard)


def finite(value: Bound) -> Bound:
    """Return a moment that is NULL where it is infinite."""
    return replace(value, sql=unless_infinite(value, lambda one: one.sql)) if may_be_infinite(value) else value


def keep_infinite(value: Bound, kind: Type, body: Callable[[Bound], str]) -> str:
    """Return what a function makes of a moment.

    Infinite ones stay what they are, in the type of the result.
    """
    if not may_be_infinite(value):
        return body(value)

    def guard(sql: str) -> str:
        cases = [
            f"WHEN {sql} = {infinite_literal(value.type, text)} THEN {infinite_literal(kind, text)}"
            for text in INFINITIES
        ]
        return f"(CASE {' '.join(cases)} ELSE {body(replace(value, sql=sql))} END)"

    return once(value.sql, guard)
