"""Catalog functions about the snapshots of a catalog."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from forklake.catalog import versions
from forklake.errors import InvalidInputError
from forklake.lake import Transaction
from forklake.model import types
from forklake.model.change_log import ChangeKind, LoggedChange, parse
from forklake.model.field import Field
from forklake.model.keywords import identifier
from forklake.model.records import Snapshot
from forklake.model.types.shapes import list_of, map_of
from forklake.session.functions.arguments import VARCHAR, Signature
from forklake.session.functions.function import Call, CatalogFunction
from forklake.session.names.known_rows import Rows, column

SNAPSHOT_COLUMNS: Final = (
    column("snapshot_id", types.INT64),
    column("snapshot_time", types.TIMESTAMPTZ),
    column("schema_version", types.INT64),
    column("changes", map_of(types.VARCHAR, list_of(types.VARCHAR))),
    column("author", types.VARCHAR),
    column("commit_message", types.VARCHAR),
    column("commit_extra_info", types.VARCHAR),
)
SUCCESS: Final = (column("Success", types.BOOLEAN),)

_KEYS: Final = {
    ChangeKind.CREATED_SCHEMA: "schemas_created",
    ChangeKind.DROPPED_SCHEMA: "schemas_dropped",
    ChangeKind.CREATED_TABLE: "tables_created",
    ChangeKind.CREATED_VIEW: "views_created",
    ChangeKind.CREATED_SCALAR_MACRO: "scalar_macros_created",
    ChangeKind.CREATED_TABLE_MACRO: "table_macros_created",
    ChangeKind.DROPPED_TABLE: "tables_dropped",
    ChangeKind.ALTERED_TABLE: "tables_altered",
    ChangeKind.INSERTED_INTO_TABLE: "tables_inserted_into",
    ChangeKind.DELETED_FROM_TABLE: "tables_deleted_from",
    ChangeKind.DROPPED_VIEW: "views_dropped",
    ChangeKind.DROPPED_SCALAR_MACRO: "scalar_macros_dropped",
    ChangeKind.DROPPED_TABLE_MACRO: "table_macros_dropped",
    ChangeKind.ALTERED_VIEW: "views_altered",
    ChangeKind.INLINED_INSERT: "inlined_insert",
    ChangeKind.INLINED_DELETE: "inlined_delete",
    ChangeKind.INLINE_FLUSH: "flushed_inlined",
    ChangeKind.MERGE_ADJACENT: "merge_adjacent",
    ChangeKind.REWRITE_DELETE: "rewrite_delete",
}
"""The keys of the map of changes, in DuckLake's order."""


def snapshot_rows(snapshots: Sequence[Snapshot]) -> Rows:
    """Return snapshots as rows, in the form of DuckLake."""
    return Rows(
        SNAPSHOT_COLUMNS,
        [
            (
                snapshot.snapshot_id,
                snapshot.snapshot_time,
                snapshot.schema_version,
                _changes(snapshot.changes_made),
                snapshot.author,
                snapshot.commit_message,
                snapshot.commit_extra_info,
            )
            for snapshot in snapshots
        ],
    )


def _changes(changes_made: str) -> dict[str, list[str]]:
    logged = parse(changes_made)
    found: dict[str, list[str]] = {}
    for kind, key in _KEYS.items():
        of_kind = [change for change in logged if change.kind is kind]
        ids = sorted({change.object_id for change in of_kind if change.object_id is not None})
        values = [str(object_id) for object_id in ids] or list(
            dict.fromkeys(_object_name(change) for change in of_kind)
        )
        if values:
            found[key] = values
    return found


def _object_name(change: LoggedChange) -> str:
    schema = change.schema_name or ""
    return schema if change.name is None else f"{identifier(schema)}.{identifier(change.name)}"


def _snapshots(call: Call) -> Rows:
    return snapshot_rows(versions.snapshots(call.store, call.committed_state().version))


def _one_id(value: Any) -> Rows:
    columns: tuple[Field, ...] = (column("id", types.UINT64),)
    return Rows(columns, [(value,)])


def _set_commit_message(call: Call) -> Rows:
    call.check_writable("ducklake_set_commit_message")
    texts = call.policy.lasting.signature(call.text("author"), call.text("commit_message"), call.text("extra_info"))
    reader = call.attachment.reader
    if not call.attachment.is_in_transaction or not isinstance(reader, Transaction):
        raise InvalidInputError(
            "TransactionContext Error: a commit message is that of a transaction, and no transaction is active; nothing"
            " was set.",
            hint="Say BEGIN before it, and COMMIT after the changes.",
        )
    reader.set_commit_message(*texts)
    return Rows(SUCCESS, [])


FUNCTIONS: Final = (
    CatalogFunction("snapshots", (Signature(),), _snapshots),
    CatalogFunction(
        "current_snapshot",
        (Signature(),),
        lambda call: _one_id(call.committed_state().version.snapshot_id),
        scalar="id",
    ),
    CatalogFunction(
        "last_committed_snapshot", (Signature(),), lambda call: _one_id(call.attachment.last_committed), scalar="id"
    ),
    CatalogFunction(
        "set_commit_message",
        (Signature({"author": VARCHAR, "commit_message": VARCHAR}, named={"extra_info": VARCHAR}),),
        _set_commit_message,
        acts=SUCCESS,
    ),
)
