"""The prepared statements of a session."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from forklake.errors import InvalidInputError, NotFoundError
from forklake.model.names import fold
from forklake.session.names.existence import hint
from forklake.session.statements.queries import single_value
from forklake.sql.parameters import checked_parameters
from forklake.sql.parse import parse
from forklake.sql.prepared import Deallocate, Execute, Prepare
from forklake.sql.statements import Statement

if TYPE_CHECKING:
    from forklake.session.state import SessionState


def prepare(state: SessionState, statement: Prepare) -> None:
    """Remember a statement under a name, in place of another of that name."""
    state.prepared[fold(statement.name)] = statement


def filled_statement(state: SessionState, statement: Execute) -> Statement:
    """Return a prepared statement with the values of its parameters.

    Raises:
        NotFoundError: There is none of that name.
        InvalidInputError: A value is missing, or no parameter uses it.
    """
    found = state.prepared.get(fold(statement.name))
    if found is None:
        known = [one.name for one in state.prepared.values()]
        raise NotFoundError(
            f'Binder Error: Prepared statement "{statement.name}" does not exist' + hint(statement.name, known)
        )
    values = [single_value(state, value) for value in statement.values]
    given: Any = dict(zip(statement.names, values, strict=True)) if statement.names else values
    with checked_parameters(given) as parameters:
        (filled,) = (parameters.fill(one) for one in parse(found.text))
    if isinstance(filled, Execute | Prepare):
        raise InvalidInputError("A prepared statement cannot prepare or execute another; nothing was done.")
    return filled


def deallocate(state: SessionState, statement: Deallocate) -> None:
    """Forget a prepared statement; as in DuckDB, it need not exist."""
    state.prepared.pop(fold(statement.name), None)
