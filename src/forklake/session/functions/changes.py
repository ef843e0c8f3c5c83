"""Catalog functions that read the change feed of a table."""

from __future__ import annotations

from datetime import datetime
from functools import partial
from typing import Final, Literal

from forklake.catalog import lookup, versions
from forklake.catalog.fields import table_fields
from forklake.catalog.moments import TagName
from forklake.catalog.state import CatalogState
from forklake.errors import InvalidInputError, NotFoundError
from forklake.lake import Catalog
from forklake.lake.internals import runtime_of
from forklake.lake.table import Table
from forklake.model import types
from forklake.ops.rows.table_changes import check_order
from forklake.session.functions.arguments import MOMENT, VARCHAR, Signature
from forklake.session.functions.function import Call, CatalogFunction, named_table
from forklake.session.names.existence import object_exists
from forklake.session.names.known_rows import Changes, column

Kind = Literal["all", "insertions", "deletions"]

_LINEAGE: Final = (column("snapshot_id", types.INT64), column("rowid", types.INT64))
_CHANGE_TYPE: Final = column("change_type", types.VARCHAR)

_BOUNDS: Final = {"start_snapshot": MOMENT, "end_snapshot": MOMENT}
_SIGNATURES: Final = (
    Signature({"schema_name": VARCHAR, "table_name": VARCHAR, **_BOUNDS}),
    Signature({"table_name": VARCHAR, **_BOUNDS}),
)


def _changes(kind: Kind, call: Call) -> Changes:
    start, end = _read_bound(call, "start_snapshot"), _read_bound(call, "end_snapshot")
    schema = call.schema_name
    if "schema_name" in call.arguments:
        schema = call.required_text("schema_name", "Schema")
    name = call.required_text("table_name", "Table")
    seen = call.committed_state().version
    last = versions.version_of(call.store, seen, end)
    check_order(versions.first_snapshot(call.store, seen, start), last.snapshot_id)
    state = CatalogState(call.store, last)
    try:
        row = named_table(state, name, schema, call.attachment)
    except NotFoundError as error:
        if object_exists("view", state, schema or call.attachment.schema, name):
            raise InvalidInputError(
                f'Binder Error: "{name}" is a View, not a table. Data change feed functions only support tables.'
            ) from error
        at = f"timestamp {end}" if isinstance(end, datetime) else f"version {end}"
        raise NotFoundError(f"{error.message.removesuffix('!')} at {at}!", hint=error.advice) from error
    past = Catalog(runtime_of(call.attachment.reader), call.attachment.catalog.catalog_id, state)
    table = Table(past, row, lookup.schema_by_id(state, row.schema_id).schema_name)
    fields = table_fields(state, row.table_id)
    if kind == "all":
        return Changes(table, start, end, kind, (*_LINEAGE, _CHANGE_TYPE, *fields))
    return Changes(table, start, end, kind, fields, _LINEAGE)


def _read_bound(call: Call, name: str) -> int | datetime:
    value = call.arguments.get(name)
    if value is None:
        raise InvalidInputError("Binder Error: Snapshot identifier cannot be NULL")
    if isinstance(value, TagName):
        return versions.version_at_tag(call.store, call.committed_state().version, value).snapshot_id
    assert isinstance(value, int | datetime)
    return value


FUNCTIONS: Final = (
    CatalogFunction("table_changes", _SIGNATURES, partial(_changes, "all")),
    CatalogFunction("table_insertions", _SIGNATURES, partial(_changes, "insertions")),
    CatalogFunction("table_deletions", _SIGNATURES, partial(_changes, "deletions")),
)
