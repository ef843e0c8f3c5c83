"""SHOW CATALOGS, CREATE CATALOG and DROP CATALOG, as calls of catalog functions."""

from __future__ import annotations

from forklake.errors import InvalidInputError
from forklake.session import queries
from forklake.session.result import Result
from forklake.session.state import SessionState
from forklake.sql.catalog_statements import CatalogStatement, catalog_query
from forklake.sql.statements import Query


def run_catalog_statement(state: SessionState, statement: CatalogStatement) -> Result | None:
    """Run a statement about the catalogs of the lake in use.

    The lake is that of the catalog in use, else that of any attached one.

    Raises:
        InvalidInputError: Nothing is attached.
    """
    seen = next(iter(state.session_attachments()), None)
    if seen is None:
        raise InvalidInputError("No catalog of a lake is attached; nothing was done.", hint="ATTACH one first.")
    result = queries.query(state, Query(catalog_query(statement, seen.alias), is_call=True))
    return result if statement.verb == "show" else None
