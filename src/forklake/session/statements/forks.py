"""CREATE FORK, MERGE FORK and REFRESH FORK: they stand for catalog functions.

EXPLAIN of one of the latter two is its dry run.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from forklake.errors import InvalidInputError
from forklake.session.functions import call
from forklake.session.functions.lives import TERMS
from forklake.session.names.known_rows import Rows
from forklake.session.names.name_resolution import SessionNames
from forklake.session.results.result import Result
from forklake.session.state import SessionState
from forklake.sql.fork_statements import CreateFork, MergeFork, MergeTerms, RefreshFork
from forklake.sql.simple_queries import compute_options

_OPTIONS: Final = ("data_path", *TERMS)


def create_fork(state: SessionState, statement: CreateFork) -> None:
    """Run CREATE FORK, as a call of ``ducklake_fork_catalog``.

    Raises:
        InvalidInputError: No parent is named and no catalog is in use, or there is no such option.
    """
    current = state.current
    if statement.parent is None and current is None:
        raise InvalidInputError("No catalog is in use; nothing was forked.", hint="Say CREATE FORK name FROM parent.")
    parent = statement.parent or (current[0].alias if current is not None else "")
    options = compute_options(statement.options, SessionNames(state))
    unknown = next((name for name in options if name not in _OPTIONS), None)
    if unknown is not None:
        raise InvalidInputError(
            f'CREATE FORK has no option "{unknown}"; nothing was forked.', hint=f"Options: {', '.join(_OPTIONS)}."
        )
    at = {} if statement.at is None else {"at": statement.at}
    _call(state, "fork_catalog", [parent, statement.name], options | at | {"if_not_exists": statement.is_lenient})


def merge_fork(state: SessionState, statement: MergeFork, *, dry_run: bool = False) -> Result:
    """Run MERGE FORK; the result is that of ``ducklake_merge_catalog``."""
    at = {} if statement.at is None else {"at": statement.at}
    named = {**at, **_arguments(statement.terms, dry_run=dry_run)}
    return _call(state, "merge_catalog", [statement.target, statement.source], named)


def refresh_fork(state: SessionState, statement: RefreshFork, *, dry_run: bool = False) -> Result:
    """Run REFRESH FORK; the result is that of ``ducklake_refresh_catalog``."""
    return _call(state, "refresh_catalog", [statement.name], _arguments(statement.terms, dry_run=dry_run))


def explain_fork(state: SessionState, statement: MergeFork | RefreshFork) -> Result:
    """Return what one of the statements would do, as its dry run tells it."""
    if isinstance(statement, MergeFork):
        return merge_fork(state, statement, dry_run=True)
    return refresh_fork(state, statement, dry_run=True)


def _arguments(terms: MergeTerms, *, dry_run: bool) -> dict[str, Any]:
    keys = {"keys": terms.keys} if terms.keys else {}
    return {"strategy": terms.strategy, "code": terms.code, "dry_run": dry_run, **keys}


def _call(state: SessionState, name: str, arguments: list[str], named: Mapping[str, Any]) -> Result:
    """Call a function for an attached catalog, or else one of the lake in use."""
    state.policy.check_catalog_function(name)
    attachments = state.attachments_with(arguments[0], state.find_catalog)
    rows = call(name, attachments, arguments, named, state.policy)
    assert isinstance(rows, Rows)
    return Result.of_rows(rows.columns, rows.rows, state.setup.engine)
