"""Statements about the session: attachments, variables and secrets."""

from __future__ import annotations

from dataclasses import replace

from forklake.errors import InvalidInputError
from forklake.model.names import fold
from forklake.session.names.attach import attach
from forklake.session.names.name_resolution import SessionNames
from forklake.session.results.result import Result
from forklake.session.state import SessionState
from forklake.session.statements import queries, show
from forklake.sql import statements
from forklake.sql.simple_queries import compute_options


def run_attach(state: SessionState, statement: statements.Attach) -> None:
    """Run ATTACH."""
    if statement.alias is not None and statement.if_not_exists and state.attachments.find(statement.alias) is not None:
        return
    statement = replace(statement, options=compute_options(statement.options, SessionNames(state)))
    attach(statement, state.attachments, state.secrets, state.setup, state.policy)


def create_secret(state: SessionState, statement: statements.CreateSecret) -> None:
    """Run CREATE SECRET."""
    state.secrets.create(replace(statement, options=compute_options(statement.options, SessionNames(state))))


def detach(state: SessionState, statement: statements.Detach) -> None:
    """Run DETACH."""
    found = state.attachments.find(statement.alias)
    if found is None and statement.if_exists:
        return
    if state.current is not None and state.current[0] is found and found.catalog.inspect.is_live:
        raise InvalidInputError(
            f'Binder Error: Cannot detach database "{statement.alias}" because it is the default'
            " database. Select a different database using `USE` to allow detaching this database"
        )
    if found is not None and state.work.is_explicit and state.work.has_changes(found):
        raise InvalidInputError(f'Database "{statement.alias}" has changes that are not committed; it stays attached.')
    state.attachments.remove(statement.alias)


def set_variable(state: SessionState, statement: statements.SetVariable) -> None:
    """Run SET VARIABLE."""
    state.settings.variables[fold(statement.name)] = queries.single_value(state, statement.value)


def run_pragma(state: SessionState, statement: statements.Pragma) -> Result | None:
    """Run PRAGMA."""
    if fold(statement.name) in ("enable_verification", "disable_verification", "verify_parallelism", "threads"):
        return None
    return show.pragma(state, statement)
