"""The catalog function that compares two versions."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from forklake.catalog.state import CatalogState
from forklake.errors import InvalidInputError
from forklake.lake import Catalog, Diff
from forklake.lake.internals import runtime_of, version_of
from forklake.model import types
from forklake.model.names import fold
from forklake.session.functions.arguments import BOOLEAN, MOMENT, VARCHAR, Signature
from forklake.session.functions.function import Call, CatalogFunction
from forklake.session.names.attachment import Attachment
from forklake.session.names.known_rows import Differences, Rows, column

_COLUMNS: Final = (
    column("kind", types.VARCHAR),
    column("what", types.VARCHAR),
    column("schema_name", types.VARCHAR),
    column("table_name", types.VARCHAR),
    column("files_added", types.INT64),
    column("files_removed", types.INT64),
    column("files_changed", types.INT64),
    column("rows_inserted", types.INT64),
    column("rows_deleted", types.INT64),
    column("rows_updated", types.INT64),
)
"""A row for each change of what has a name, and for each table in which something differs."""


def _diff(call: Call) -> Rows | Differences:
    other, arguments = call.text("other"), call.arguments
    moments = {key: arguments[key] for key in ("at", "since") if arguments.get(key) is not None}
    if other is None and "since" not in moments:
        call.policy.check_parent(call.attachment.lake, call.attachment.catalog)
    diff = _visible_catalog(call.attachment).diff(
        None if other is None else _other(call, other), since_base=bool(arguments.get("since_base")), **moments
    )
    table = call.text("table_name")
    if table is None:
        if arguments.get("schema_name") is not None:
            raise InvalidInputError("Binder Error: schema_name says where a table is, and table_name names none.")
        return Rows(_COLUMNS, list(_rows(diff, counts=bool(arguments.get("count_rows")))))
    if arguments.get("count_rows") is not None:
        raise InvalidInputError("Binder Error: count_rows is of all tables, and table_name asks for the rows of one.")
    schema = call.text("schema_name") or call.schema_name
    return Differences(diff.scan(table, schema=schema))


def _visible_catalog(attached: Attachment) -> Catalog:
    """Return a catalog as the session's transaction sees it, without its changes."""
    reader = attached.reader
    state = CatalogState(runtime_of(reader).store, version_of(reader))
    return Catalog(runtime_of(reader), attached.catalog.catalog_id, state)


def _other(call: Call, name: str) -> Catalog:
    """Return a catalog by its alias, or by its name in the lake.

    Raises:
        NotFoundError: There is none.
    """
    found = next((one for one in call.attachments if fold(one.alias) == fold(name)), None)
    return call.policy.catalog(call.attachment.lake, name) if found is None else _visible_catalog(found)


def _rows(diff: Diff, *, counts: bool) -> Iterator[tuple[Any, ...]]:
    for words in diff.words:
        yield "change", words, None, None, *(None,) * 6
    for one in diff.tables:
        what = "created" if one.is_new else "dropped" if one.is_dropped else "changed"
        rows = diff.count_rows(one.table, schema=one.schema) if counts else one.rows
        number = (None, None, None) if rows is None else (rows.inserted, rows.deleted, rows.updated)
        yield "table", what, one.schema, one.table, one.files_added, one.files_removed, one.files_changed, *number


_NAMED: Final = {
    "at": MOMENT,
    "since": MOMENT,
    "since_base": BOOLEAN,
    "table_name": VARCHAR,
    "schema_name": VARCHAR,
    "count_rows": BOOLEAN,
}

FUNCTIONS: Final = (
    CatalogFunction("diff", (Signature({"other": VARCHAR}, named=_NAMED), Signature(named=_NAMED)), _diff),
)
