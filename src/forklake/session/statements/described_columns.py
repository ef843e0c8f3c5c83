"""The columns of a table or query, as DESCRIBE and PRAGMA table_info tell them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from forklake.errors import InvalidInputError
from forklake.lake import Table
from forklake.model import types
from forklake.model.field import Field
from forklake.model.quoting import quote_text
from forklake.session.names.known_rows import Rows, column
from forklake.sql import statements
from forklake.sql.expressions.columns import find
from forklake.sql.parse import parse_query
from forklake.sql.query.bind import bind_query
from forklake.sql.relation import BoundQuery, Names

_DESCRIBED: Final = tuple(
    column(name, types.VARCHAR) for name in ("column_name", "column_type", "null", "key", "default", "extra")
)
_INFO: Final = (
    column("cid", types.INT32),
    column("name", types.VARCHAR),
    column("type", types.VARCHAR),
    column("notnull", types.BOOLEAN),
    column("dflt_value", types.VARCHAR),
    column("pk", types.BOOLEAN),
)


def describe_rows(names: Names, statement: statements.Describe) -> Rows:
    """Return the rows of a DESCRIBE."""
    bound = bind_query(statement.query, names)
    table = _described_table(bound)
    rows: list[tuple[Any, ...]] = []
    for field in bound.columns:
        known = None if table is None else find(table, field.name)
        null = "YES" if known is None or known.nulls_allowed else "NO"
        default = None if known is None else _default(known)
        rows.append((field.name, field.type.sql_name, null, None, default, None))
    return Rows(_DESCRIBED, rows)


def _described_table(bound: BoundQuery) -> tuple[Field, ...] | None:
    """Return the columns of the table if a query only selects columns of one table."""
    sources = [scan.relation for scan in bound.scans.values()]
    is_table = bound.projection is not None and len(sources) == 1 and isinstance(sources[0].source, Table)
    return sources[0].columns if is_table else None


def _default(field: Field) -> str | None:
    if field.default is None or field.default_is_expression:
        return field.default
    return quote_text(field.default)


def table_info(names: Names, arguments: Sequence[Any]) -> Rows:
    """Return the rows of PRAGMA table_info.

    Raises:
        InvalidInputError: The arguments are not the name of a table.
    """
    if len(arguments) != 1 or not isinstance(arguments[0], str):
        raise InvalidInputError("Binder Error: PRAGMA table_info needs the name of a table: PRAGMA table_info('t')")
    rows = describe_rows(names, statements.Describe(parse_query(f"FROM {arguments[0]}"))).rows
    return Rows(_INFO, [(place, *row[:2], row[2] == "NO", row[4], False) for place, row in enumerate(rows)])
