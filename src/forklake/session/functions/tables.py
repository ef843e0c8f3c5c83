"""Catalog functions about the tables of a catalog and their files."""

from __future__ import annotations

import base64
from typing import Any, Final
from uuid import UUID

from forklake.catalog import lookup, versions
from forklake.catalog.moments import TagName
from forklake.catalog.places import Places
from forklake.catalog.state import CatalogState
from forklake.catalog.table_files import table_files
from forklake.errors import InvalidInputError
from forklake.lake.internals import content_of, run, runtime_of
from forklake.metastore import visibility
from forklake.metastore.written_tables import DATA_FILE, DELETE_FILE, TABLE
from forklake.model import types
from forklake.model.rows import DataFileRow, DeleteFileRow
from forklake.model.types.shapes import list_of
from forklake.ops.objects.former_tables import former_table
from forklake.ops.objects.table_history import named_table_history
from forklake.ops.rows.add_data_files import add_data_files, file_patterns
from forklake.session.functions.arguments import BIGINT, BOOLEAN, TEXTS, TIMESTAMPTZ, VARCHAR, Signature
from forklake.session.functions.function import Call, CatalogFunction, named_table, table_place
from forklake.session.names.existence import missing_object_error, object_exists
from forklake.session.names.known_rows import Rows, column

_TABLE_INFO: Final = (
    column("table_name", types.VARCHAR),
    column("schema_id", types.INT64),
    column("table_id", types.INT64),
    column("table_uuid", types.UUID),
    column("file_count", types.INT64),
    column("file_size_bytes", types.INT64),
    column("delete_file_count", types.INT64),
    column("delete_file_size_bytes", types.INT64),
)
_LIST_FILES: Final = tuple(
    column(f"{kind}_{name}" if name else kind, column_type)
    for kind in ("data_file", "delete_file")
    for name, column_type in (
        ("", types.VARCHAR),
        ("size_bytes", types.UINT64),
        ("footer_size", types.UINT64),
        ("encryption_key", types.BLOB),
    )
)
_ADDED: Final = (column("filename", types.VARCHAR),)
_TABLE_HISTORY: Final = (
    column("snapshot_id", types.INT64),
    column("snapshot_time", types.TIMESTAMPTZ),
    column("catalog_id", types.INT64),
    column("changes", list_of(types.VARCHAR)),
    column("author", types.VARCHAR),
    column("commit_message", types.VARCHAR),
)


def _table_info(call: Call) -> Rows:
    state = call.committed_state()
    name, schema = call.text("table_name"), call.text("schema") or call.schema_name
    if name is None:
        tables = sorted(state.rows(TABLE), key=lambda row: row.table_id)
    else:
        tables = [named_table(state, name, schema, call.attachment)]
    data, deletes = (visibility.file_totals(call.store, state.version, table) for table in (DATA_FILE, DELETE_FILE))
    versions.check_retained(call.store, state.version)
    return Rows(
        _TABLE_INFO,
        [
            (
                row.table_name,
                row.schema_id,
                row.table_id,
                UUID(row.table_uuid),
                *data.get(row.table_id, (0, 0)),
                *deletes.get(row.table_id, (0, 0)),
            )
            for row in tables
        ],
    )


def _list_files(call: Call) -> Rows:
    state = _requested_state(call)
    name = call.required_text("table_name", "Table")
    table = named_table(state, name, call.text("schema") or call.schema_name, call.attachment)
    files = table_files(state, table.table_id)
    places = Places(call.store, call.lake_path, state, table, (*files.data, *files.deletes.values()))
    return Rows(
        _LIST_FILES,
        [(*_file(places, row), *_file(places, files.deletes.get(row.data_file_id))) for row in files.data],
    )


def _table_history(call: Call) -> Rows:
    state, name = call.committed_state(), call.required_text("table_name", "Table")
    place = table_place(state, name, call.text("schema") or call.schema_name, call.attachment.schema)
    if not object_exists("table", state, *place) and former_table(call.store, state.version, *place) is None:
        raise missing_object_error("table", state, call.attachment, *place)
    return Rows(
        _TABLE_HISTORY,
        [
            (
                found.snapshot.snapshot_id,
                found.snapshot.snapshot_time,
                found.snapshot.catalog_id,
                list(found.changes),
                found.snapshot.author,
                found.snapshot.commit_message,
            )
            for found in named_table_history(call.store, state, *place)
        ],
    )


def _add_data_files(call: Call) -> Rows:
    name = call.text("table_name")
    if name is None:
        raise InvalidInputError("Table name cannot be NULL")
    files = call.arguments.get("files")
    if files is None:
        raise InvalidInputError("File list cannot be NULL")
    patterns = file_patterns(files)
    call.policy.check_files(patterns)
    writer = call.attachment.writer("CALL")
    schema = call.text("schema") or call.schema_name
    table = named_table(content_of(writer), name, schema, call.attachment)
    runtime, flags = runtime_of(writer), call.arguments
    hive = flags.get("hive_partitioning")
    added = run(
        writer,
        lambda staging: add_data_files(
            staging,
            runtime,
            lookup.table_by_id(staging.draft, table.table_id),
            patterns,
            allow_missing=bool(flags.get("allow_missing")),
            ignore_extra_columns=bool(flags.get("ignore_extra_columns")),
            hive_partitioning=hive,
        ),
    )
    return Rows(_ADDED, [(path,) for path in (() if added is None else added.paths)])


def _requested_state(call: Call) -> CatalogState:
    """Return the committed catalog, at the snapshot, time or tag of the call."""
    state = call.committed_state()
    version, time = call.arguments.get("snapshot_version"), call.arguments.get("snapshot_time")
    tag = call.text("tag")
    if sum(given is not None for given in (version, time, tag)) > 1:
        raise InvalidInputError("Either snapshot_version OR snapshot_time must be specified - not both")
    if tag is not None:
        return CatalogState(call.store, versions.version_at_tag(call.store, state.version, TagName(tag)))
    if version is not None:
        return CatalogState(call.store, versions.version_at(call.store, state.version, version))
    return (
        state if time is None else CatalogState(call.store, versions.version_at_time(call.store, state.version, time))
    )


def _file(places: Places, row: DataFileRow | DeleteFileRow | None) -> tuple[Any, ...]:
    if row is None:
        return (None, None, None, None)
    key = None if row.encryption_key is None else base64.b64decode(row.encryption_key)
    return places.path(row), row.file_size_bytes, row.footer_size, key


_ADDING: Final = {
    "schema": VARCHAR,
    **dict.fromkeys(("allow_missing", "ignore_extra_columns", "hive_partitioning"), BOOLEAN),
}

FUNCTIONS: Final = (
    CatalogFunction(
        "add_data_files",
        tuple(Signature({"table_name": VARCHAR, "files": kind}, named=_ADDING) for kind in (VARCHAR, TEXTS)),
        _add_data_files,
        acts=_ADDED,
    ),
    CatalogFunction("table_info", (Signature(optional={"table_name": VARCHAR, "schema": VARCHAR}),), _table_info),
    CatalogFunction(
        "list_files",
        (
            Signature(
                {"table_name": VARCHAR},
                named={"schema": VARCHAR, "snapshot_version": BIGINT, "snapshot_time": TIMESTAMPTZ, "tag": VARCHAR},
            ),
        ),
        _list_files,
    ),
    CatalogFunction("table_history", (Signature({"table_name": VARCHAR}, named={"schema": VARCHAR}),), _table_history),
)
