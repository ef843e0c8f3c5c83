"""Names of what snapshots changed, as it was called at that time."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from forklake.metastore.lineage_history import Named, rows_then
from forklake.metastore.source import Source
from forklake.metastore.written_tables import MACRO, SCHEMA, TABLE, VIEW, MetadataTable
from forklake.model.change_log import ChangeKind, LoggedChange, parse
from forklake.model.ids import CatalogId, SnapshotId
from forklake.model.lazy_dataclass import dataclass
from forklake.model.records import Snapshot

_KINDS: Final[tuple[tuple[frozenset[ChangeKind], MetadataTable[Any], str], ...]] = (
    (frozenset({ChangeKind.DROPPED_SCHEMA}), SCHEMA, "schema"),
    (frozenset({ChangeKind.DROPPED_VIEW, ChangeKind.ALTERED_VIEW}), VIEW, "view"),
    (frozenset({ChangeKind.DROPPED_SCALAR_MACRO, ChangeKind.DROPPED_TABLE_MACRO}), MACRO, "macro"),
)


@dataclass(frozen=True, slots=True)
class NamedChange:
    """A change of the log, with the names that its object had then.

    Attributes:
        kind: The keyword of the log.
        object_id: The id of the object; None for what was created.
        schema_name: Its schema; None for a schema, and for an object of which nothing is known any more.
        name: Its name; None if nothing is known of it any more.
    """

    kind: ChangeKind
    object_id: int | None
    schema_name: str | None
    name: str | None


def named_changes(source: Source, snapshots: Sequence[Snapshot]) -> dict[int, tuple[NamedChange, ...] | None]:
    """Return what each snapshot did, by its id, with the names of that time.

    The number of statements does not depend on the number of snapshots. None stands for a log that another program
    wrote in words of its own.
    """
    logged = {one.snapshot_id: _parse(one.changes_made) for one in snapshots}
    wanted = {
        Named(CatalogId(one.catalog_id), SnapshotId(one.snapshot_id), change.object_id): _table_of(change)
        for one in snapshots
        for change in logged[one.snapshot_id] or ()
        if change.object_id is not None
    }
    names = _names(source, wanted)

    def name_change(snapshot: Snapshot, change: LoggedChange) -> NamedChange:
        if change.object_id is None:
            created = (None, change.schema_name) if change.name is None else (change.schema_name, change.name)
            return NamedChange(change.kind, None, *created)
        key = Named(CatalogId(snapshot.catalog_id), SnapshotId(snapshot.snapshot_id), change.object_id)
        return NamedChange(change.kind, change.object_id, *names.get(key, (None, None)))

    return {
        one.snapshot_id: None
        if (changes := logged[one.snapshot_id]) is None
        else tuple(name_change(one, change) for change in changes)
        for one in snapshots
    }


def _parse(changes_made: str | None) -> tuple[LoggedChange, ...] | None:
    try:
        return parse(changes_made)
    except ValueError:
        return None


def _table_of(change: LoggedChange) -> tuple[MetadataTable[Any], str]:
    return next(((table, noun) for kinds, table, noun in _KINDS if change.kind in kinds), (TABLE, "table"))


def _names(source: Source, wanted: dict[Named, tuple[MetadataTable[Any], str]]) -> dict[Named, tuple[str | None, str]]:
    """Return the schema and the name of each object that is known."""
    rows: dict[Named, tuple[int, str]] = {}
    found: dict[Named, tuple[str | None, str]] = {}
    for table, noun in dict.fromkeys(wanted.values()):
        asked = [one for one, of in wanted.items() if of == (table, noun)]
        for one, row in rows_then(source, table, f"{noun}_id", asked).items():
            name = getattr(row, f"{noun}_name")
            if noun == "schema":
                found[one] = (None, name)
            else:
                rows[one] = (row.schema_id, name)
    within = {one: Named(one.catalog_id, one.snapshot_id, schema) for one, (schema, _) in rows.items()}
    schemas = rows_then(source, SCHEMA, "schema_id", dict.fromkeys(within.values()))
    for one, (_, name) in rows.items():
        schema = schemas.get(within[one])
        found[one] = (None if schema is None else schema.schema_name, name)
    return found
