"""Casts and parts of variants, which only this process computes.

Spark's variants have no widths of integers and other casts, so a query with such an expression has no meaning there: it
fails, and says why.
"""

from __future__ import annotations

from typing import Final

from forklake.model.types import Type
from forklake.sql.expressions.bound import Bound
from forklake.sql.expressions.literals import spark_type, text_literal
from forklake.sql.expressions.spark_idioms import refusal

_REFUSED: Final = refusal(
    text_literal(
        "Not implemented Error: DuckDB computes with values of type VARIANT in this process; Spark, which this"
        " statement needs, does not. EXPLAIN tells why it needs Spark."
    )
)


def computed_here(kind: Type) -> Bound:
    """Return a value that only this process computes."""
    return Bound(f"CAST({_REFUSED} AS {spark_type(kind)})", kind)


def is_computed_here(value: Bound) -> bool:
    """Return whether only this process computes a value."""
    return _REFUSED in value.sql
