"""Writes a catalog's inherited rows as its own, for copies and severing."""

from __future__ import annotations

from dataclasses import replace

from forklake.catalog import lookup
from forklake.catalog.paths import join
from forklake.catalog.places import catalog_directories, owner_of
from forklake.catalog.state import CatalogState
from forklake.metastore import limits, procedures, visibility
from forklake.metastore.queries.known_files import partitionings_of_files
from forklake.metastore.schema.description import Visibility
from forklake.metastore.store import Session
from forklake.metastore.written_tables import (
    INLINED_ROW,
    PARTITION_COLUMN,
    PARTITION_INFO,
    SCHEMA_VERSIONS,
    TABLE_COLUMN_STATS,
    TABLE_STATS,
    TABLES,
    MetadataTable,
    R,
)
from forklake.model.ids import INFINITY, CatalogId, SnapshotId, TableId, first_row_id
from forklake.model.rows import InlinedRow, SchemaVersionRow, TableStatsRow
from forklake.model.version import Version
from forklake.ops.rows.restate_rows import restated_rows


def write_out(session: Session, lake_path: str, source: Version, target: CatalogId, snapshot: SnapshotId) -> None:
    """Copy what ``source`` shows of other catalogs to the target as its own rows.

    The rows begin at the snapshot and keep their ids; files are named by absolute path and stay where they
    are. Inlined rows begin there with the columns of ``source``, the target's own included: columns that
    they were written with are not copied. The caller holds the lock of every owner in the chain.
    """
    state = CatalogState(session, source)
    places = _places(state, session, lake_path)
    for table in TABLES:
        if table.visibility is Visibility.INTERVAL and table is not INLINED_ROW:
            visibility.copy_interval_rows(session, source, table, (target, snapshot), places)
        elif table.visibility is Visibility.FOLLOWS:
            visibility.copy_following_rows(session, source, table, target)
    _write_partitionings(state, session, target, snapshot)
    for row in lookup.tables(state):
        _write_stats(state, session, TABLE_STATS, row.table_id, target, snapshot)
        _write_stats(state, session, TABLE_COLUMN_STATS, row.table_id, target, snapshot)
    shown = {row.table_id for row in lookup.tables(state)}
    newest = visibility.schema_versions(session, source)
    inlined: dict[TableId, list[InlinedRow]] = {}
    for one in state.rows(INLINED_ROW):
        inlined.setdefault(one.table_id, []).append(one)
    for table_id, rows in inlined.items():
        own = [one.origin.row_uid for one in rows if one.origin is not None and one.origin.owner == target]
        procedures.end_own_rows(session, target, INLINED_ROW.name, own, snapshot)
        version = newest.get(table_id, source.schema_version)
        restated = restated_rows(session, state, lookup.table_by_id(state, table_id), rows, version)
        procedures.insert_rows(session, INLINED_ROW, restated, target, snapshot)
    procedures.insert_rows(
        session,
        SCHEMA_VERSIONS,
        [SchemaVersionRow(table_id=table, schema_version=newest[table]) for table in sorted(shown & newest.keys())],
        target,
        snapshot,
    )
    limits.count_own(session, target)


def _write_partitionings(state: CatalogState, session: Session, target: CatalogId, snapshot: SnapshotId) -> None:
    """Write the past partitionings that files of the target still have.

    They begin and end at the snapshot, so no version shows them.
    """
    used = partitionings_of_files(session, target)
    history = state.history(PARTITION_INFO) if used else []
    there = {row.partition_id for row, _, end in history if end == INFINITY or owner_of(row, target) == target}
    # One that a reset or a refresh brought back has several rows.
    past = list({row.partition_id: row for row, _, _ in history if row.partition_id in used - there}.values())
    procedures.insert_history(session, PARTITION_INFO, [(row, snapshot, snapshot) for row in past], target)
    procedures.insert_rows(session, PARTITION_COLUMN, state.following(PARTITION_COLUMN, past), target, snapshot)


def _write_stats(
    state: CatalogState,
    session: Session,
    table: MetadataTable[R],
    table_id: TableId,
    target: CatalogId,
    snapshot: SnapshotId,
) -> None:
    rows = state.latest(table, table_id)
    if rows and rows[0].origin is not None and rows[0].origin.owner == target:
        return
    # A copy numbers new rows from its own range, as every catalog that is no root.
    rows = [
        replace(row, next_row_id=first_row_id(target, is_root=False)) if isinstance(row, TableStatsRow) else row
        for row in rows
    ]
    procedures.insert_rows(session, table, rows, target, snapshot)


def _places(state: CatalogState, session: Session, lake_path: str) -> dict[str, list[object]]:
    """Return the directories of the owners, and of the tables below them."""
    found = catalog_directories(session, lake_path, set(state.version.owners))
    schemas = {row.schema_id: row for row in lookup.schemas(state)}
    tables = lookup.tables(state)
    absolute = [not (row.path_is_relative and schemas[row.schema_id].path_is_relative) for row in tables]
    return {
        "roots": [found[owner] for owner in state.version.owners],
        "table_ids": [row.table_id for row in tables],
        "table_paths": [join((schemas[row.schema_id].path, True), (row.path, row.path_is_relative)) for row in tables],
        "table_absolute": [int(value) for value in absolute],
    }
