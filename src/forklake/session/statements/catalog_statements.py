"""SHOW CATALOGS, CREATE CATALOG and DROP CATALOG, as calls of catalog functions."""

from __future__ import annotations

from forklake.errors import InvalidInputError
from forklake.session.results.result import Result
from forklake.session.state import SessionState
from forklake.session.statements import queries
from forklake.sql.catalog_statements import CatalogStatement, catalog_query
from forklake.sql.statements import Query


def run_catalog_statement(state: SessionState, statement: CatalogStatement) -> Result | None:
    """Run a statement about the catalogs of the lake in use.

    The lake is that of the catalog in use, else that of any attached one, else that of the session.

    Raises:
        InvalidInputError: Nothing is attached, and the session has no lake, or one without catalogs.
    """
    alias = _alias_in_lake(state)
    if alias is None:
        raise InvalidInputError("No catalog of a lake is attached; nothing was done.", hint="ATTACH one first.")
    result = queries.query(state, Query(catalog_query(statement, alias), is_call=True))
    return result if statement.verb == "show" else None


def _alias_in_lake(state: SessionState) -> str | None:
    """Return a name by which catalog functions find the lake; None if there is none."""
    seen = next(iter(state.session_attachments()), None)
    if seen is not None:
        return seen.alias
    home = state.attachments.home
    known = [] if home is None or state.policy.is_confined else home.catalogs(limit=1)
    return known[0].name if known else None
