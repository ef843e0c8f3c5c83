"""Conditions and values that callers give for rows.

They are SQL texts, plain values, or expressions of the engine, such as a Column of Spark.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar

from forklake.model.merge import MergeDelete, MergeInsert, MergeUpdate

if TYPE_CHECKING:
    from forklake.engine.engine import Engine

Condition: TypeAlias = Any
"""Which rows are meant: SQL text as DuckDB writes it, or an expression of the engine; with Spark, a Column."""

ClauseT = TypeVar("ClauseT", MergeUpdate | MergeDelete, MergeInsert)


def plain_expression(engine: Engine, given: Any) -> Any:
    """Return an expression of the engine as a plain one, and all else as it is.

    Raises:
        InvalidInputError: The expression says something that has no plain form.
    """
    if given is None or isinstance(given, str):
        return given
    found = engine.expression(given)
    return given if found is None else found


def plain_values(engine: Engine, given: Any) -> Any:
    """Return new values of columns, each as `plain_expression` returns it.

    What is no mapping is returned as it is; whoever reads it refuses it.
    """
    if not isinstance(given, Mapping):
        return given
    return {name: plain_expression(engine, value) for name, value in given.items()}


def plain_clauses(engine: Engine, clauses: Sequence[ClauseT]) -> Sequence[ClauseT]:
    """Return the clauses of a merge with plain values and conditions.

    Each is as `plain_expression` returns it.

    What is no list of clauses is returned as it is; whoever reads it refuses it.
    """
    if not isinstance(clauses, tuple | list):
        return clauses
    return [_plain_clause(engine, clause) for clause in clauses]


def _plain_clause(engine: Engine, clause: Any) -> Any:
    match clause:
        case MergeUpdate(new, when):
            return replace(clause, set=plain_values(engine, new), when=plain_expression(engine, when))
        case MergeInsert(new, when):
            return replace(clause, values=plain_values(engine, new), when=plain_expression(engine, when))
        case MergeDelete(when):
            return replace(clause, when=plain_expression(engine, when))
    return clause
