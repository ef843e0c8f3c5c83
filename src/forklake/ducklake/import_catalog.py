"""Imports a plain DuckLake database, with its history, as a new catalog.

Its files stay where they are.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence

from forklake.catalog import paths
from forklake.catalog.names import check_new_catalog
from forklake.config import Settings
from forklake.ducklake.imported_rows import ImportedRows
from forklake.ducklake.plain_history import (
    PlainHistory,
    column_ids,
    file_ids,
    file_paths,
    highest_row_id,
    object_ids,
    read_history,
    snapshot_ids,
)
from forklake.errors import ConflictError, InvalidInputError
from forklake.metastore import limits, new_catalogs, procedures
from forklake.metastore.plain.reader import open_plain
from forklake.metastore.queries.catalogs import catalogs_at
from forklake.metastore.queries.due import mark_due
from forklake.metastore.queries.option_rows import write_options
from forklake.metastore.schema.catalog_tables import COLUMN_IDS
from forklake.metastore.store import Session
from forklake.metastore.written_tables import TABLES
from forklake.model.ids import ROW_ID_SHIFT, THE_LAKE, CatalogId, SnapshotId
from forklake.model.names import fold
from forklake.model.numbering import Numbering
from forklake.model.placement import NewFork, Placement
from forklake.model.progress import Progress, ignore_progress
from forklake.ops.catalogs.create_catalog import overlap_error, place_new, refuse_taken_name
from forklake.ops.lakes.runtime import Runtime
from forklake.ops.lakes.scoped_options import effective_options
from forklake.ops.maintenance.files_to_delete import doomed_files

_MOST_SKIPPED = 1_000_000
_BATCH = 1000


def check_importable(name: str, url: str, metadata_schema: str | None = None) -> None:
    """Refuse an import that cannot be, before there is a lake for it.

    Raises:
        InvalidNameError: No catalog can have the name.
        ConfigError: The URL names no database, or a file that does not exist.
        MetastoreVersionError: The database holds no DuckLake catalog, or one of another version.
    """
    check_new_catalog(name)
    with open_plain(url, Settings(), metadata_schema):
        pass


def import_catalog(
    runtime: Runtime,
    name: str,
    url: str,
    *,
    data_path: str | None = None,
    source_data_path: str | None = None,
    metadata_schema: str | None = None,
    progress: Progress = ignore_progress,
) -> CatalogId:
    """Import a plain DuckLake database as a new catalog; return its id.

    It may be of version 0.3 to 1.0. All or nothing. Files are named where they are, by absolute path; they are
    never copied, and never deleted: a catalog owns only files below its own directory. The cost grows with the
    metadata, which is read whole.

    Raises:
        AlreadyExistsError: A live catalog has the name.
        MetastoreVersionError: The database holds no DuckLake catalog, or one of another version.
        InvalidInputError: It holds something that cannot be kept.
    """
    store, lake_path = runtime.store, runtime.lake_path
    check_new_catalog(name)
    new, placement = place_new(lake_path, name, data_path)
    assert lake_path is not None
    with open_plain(url, store.settings, metadata_schema) as source:
        history = read_history(source, source_data_path, progress)
    with refuse_taken_name(store, name), store.writing() as session:
        catalog = _write(session, lake_path, history, new, placement, progress)
    if effective_options(store, catalog).get("encrypted") == "true":
        store.keep_private()
    return catalog


def _write(
    session: Session,
    lake_path: str,
    history: PlainHistory,
    new: NewFork,
    placement: Placement,
    progress: Progress,
) -> CatalogId:
    if placement.data_path is None:
        session.lock_shared(THE_LAKE)
    else:
        session.lock_alone(THE_LAKE)
    _check_free(session, new.name, placement)
    _lock_places(session, lake_path, history)
    catalog = _catalog_id(session, history)
    _take_column_ids(session, history)
    numbers = snapshot_ids(history)
    snapshots = _map_ids(numbers, session.take_ids("ducklake_snapshot_id_seq", len(numbers)))
    snapshot_of = {number: SnapshotId(snapshot) for number, snapshot in snapshots.items()}
    objects = object_ids(history)
    files = file_ids(history)
    rows = ImportedRows(
        history,
        catalog,
        snapshot_of,
        _map_ids(objects, session.take_ids("ducklake_object_id_seq", len(objects))),
        dict(zip(files, sorted(session.take_ids("ducklake_file_id_seq", len(files))), strict=True)),
    )
    new_catalogs.write_catalog(session, catalog, snapshot_of[numbers[0]], session.now(), new, placement)
    procedures.write_numbering(session, catalog, Numbering.of((snapshot_of[number], number) for number in numbers))
    newest = _write_snapshots(session, catalog, history, rows, snapshot_of)
    procedures.move_head(session, catalog, newest)
    write_options(session, catalog, rows.options())
    for place, table in enumerate(TABLES):
        progress("Writing", place, len(TABLES))
        procedures.insert_history(session, table, rows.of(table), catalog)
    limits.count_own(session, catalog)
    progress("Writing", len(TABLES), len(TABLES))
    # Of snapshots that had expired before, rows may have come that none of the others shows.
    mark_due(session, [catalog])
    return catalog


def _check_free(session: Session, name: str, placement: Placement) -> None:
    new_catalogs.check_name_is_free(session, name)
    if new_catalogs.overlaps(session, placement):
        raise overlap_error(name, placement)


def _map_ids(own: Sequence[int], taken: Sequence[int]) -> dict[int, int]:
    return dict(zip(own, sorted(taken), strict=True))


def _catalog_id(session: Session, history: PlainHistory) -> CatalogId:
    """Take a catalog id above all ranges of row ids that the rows use.

    So no fork ever gets one of those ranges.
    """
    catalog = session.take_ids("ducklake_catalog_id_seq", 1)[0]
    used = highest_row_id(history) >> ROW_ID_SHIFT
    if 0 < used >= catalog:
        if used - catalog > _MOST_SKIPPED:
            raise InvalidInputError(
                f'The row ids of "{history.location}" reach {highest_row_id(history)}, into ranges that this lake gives'
                " to forks. Nothing was imported."
            )
        catalog = max(session.take_ids("ducklake_catalog_id_seq", used - catalog + 1))
    return CatalogId(catalog)


def _take_column_ids(session: Session, history: PlainHistory) -> None:
    """Take the column ids of forks that the tables use, and all below them.

    So no fork ever gives one of them to another column.
    """
    used = max((number for numbers in column_ids(history).values() for number in numbers), default=0)
    if used < COLUMN_IDS.first:
        return
    (taken,) = session.take_ids(COLUMN_IDS.name, 1)
    if used - taken > _MOST_SKIPPED:
        raise InvalidInputError(
            f'The column ids of "{history.location}" reach {used}, into the range that this lake gives to columns of'
            " forks. Nothing was imported."
        )
    if taken < used:
        session.take_ids(COLUMN_IDS.name, used - taken)


def _write_snapshots(
    session: Session,
    catalog: CatalogId,
    history: PlainHistory,
    rows: ImportedRows,
    snapshot_of: Mapping[int, SnapshotId],
) -> SnapshotId:
    """Write the snapshots of the history; return the newest."""
    said = {row["snapshot_id"]: row for row in history["ducklake_snapshot_changes"]}
    ordered = sorted(history["ducklake_snapshot"], key=lambda row: int(row["snapshot_id"]))
    time = ordered[0]["snapshot_time"]
    snapshots, changes = [], []
    for row in ordered:
        number = row["snapshot_id"]
        # Times never run backwards along a lineage.
        time = max(time, row["snapshot_time"])
        snapshots.append((snapshot_of[number], time, row["schema_version"]))
        by = said.get(number, {})
        info = (by.get("author"), by.get("commit_message"), by.get("commit_extra_info"))
        changes.append((snapshot_of[number], rows.changes_made(number), *info))
    procedures.insert_snapshots(session, catalog, snapshots, changes)
    return snapshots[-1][0]


def _lock_places(session: Session, lake_path: str, history: PlainHistory) -> None:
    """Keep the directories that hold the files from being cleaned up meanwhile.

    This locks the catalogs that own them.

    Raises:
        ConflictError: A file is about to be deleted.
    """
    files = sorted(set(file_paths(history).values()))
    directories = {os.path.dirname(file) for file in files}
    places = sorted({fold(place) for name in directories for place in paths.stored_ancestors(lake_path, name)})
    holders: set[CatalogId] = set()
    for start in range(0, len(places), _BATCH):
        holders |= catalogs_at(session, places[start : start + _BATCH])
    for catalog in sorted(holders):
        session.lock_shared(catalog)
    if not holders:
        return
    doomed = doomed_files(session, lake_path, holders, files)
    if doomed:
        raise ConflictError(
            f'The file "{doomed[0]}" of "{history.location}" is about to be deleted by the catalog it belongs to.'
            " Nothing was imported."
        )
