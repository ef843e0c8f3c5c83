"""Collects catalogs: removes dead rows, and schedules their files.

docs/spec/garbage.md has the rule.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field
from datetime import datetime
from typing import Any, Final

from forklake.catalog.paths import join, part_below
from forklake.catalog.places import catalog_directories
from forklake.metastore import garbage
from forklake.metastore.checks.versioned_rows import forget_dead_tombstones
from forklake.metastore.garbage import Owners
from forklake.metastore.queries import due, heads
from forklake.metastore.queries.dead_rows import (
    DyingFile,
    delete_followers,
    delete_rows,
    followers_of,
    last_rows,
    schedule_files,
    table_levels,
)
from forklake.metastore.queries.merges import refreshed_ones
from forklake.metastore.queries.option_rows import forget_options_of_missing
from forklake.metastore.store import Session, Store, Values
from forklake.metastore.written_tables import (
    COLUMN,
    COLUMN_TAG,
    DATA_FILE,
    DELETE_FILE,
    INLINED_DELETE,
    INLINED_ROW,
    MACRO,
    PARTITION_INFO,
    SCHEMA,
    SCHEMA_VERSIONS,
    SORT_INFO,
    TABLE,
    TABLE_COLUMN_STATS,
    TABLE_STATS,
    TAG,
    VIEW,
    VIEW_COLUMN_TAG,
    MetadataTable,
)
from forklake.model.ids import CatalogId, RowUid
from forklake.model.lazy_dataclass import dataclass

_INTERVALS: Final[tuple[MetadataTable[Any], ...]] = (
    DELETE_FILE,
    DATA_FILE,
    INLINED_DELETE,
    INLINED_ROW,
    # From here on rows stay that rows of the tables above need.
    COLUMN,
    COLUMN_TAG,
    PARTITION_INFO,
    SORT_INFO,
    TAG,
    VIEW,
    VIEW_COLUMN_TAG,
    MACRO,
    TABLE,
    SCHEMA,
)
"""The tables of versioned rows, in the order in which they are judged."""

_SETS: Final[tuple[MetadataTable[Any], ...]] = (TABLE_STATS, TABLE_COLUMN_STATS, SCHEMA_VERSIONS)
_BATCH: Final = 5_000
"""Rows that are removed in one transaction, during which nobody can fork the catalog."""


@dataclass
class Collected:
    """What a collection removed, and the files that it scheduled."""

    row_count: int = 0
    files: list[DyingFile] = field(default_factory=list)


def collect(store: Store, lake_path: str | None, catalogs: Sequence[CatalogId]) -> Collected:
    """Remove the dead rows of catalogs, and schedule their files for deletion.

    The catalogs may be live, dropped or purged. Their locks are held for one batch of rows at a time. If it is
    interrupted, they stay due, and the next collection goes on.
    """
    ids = sorted(set(catalogs))
    if not ids:
        return Collected()
    collection = _Collection(lake_path, ids, due.due_times(store, ids))
    is_done = False
    while not is_done:
        with store.writing() as session:
            # Granted by a statement of their own: the next one sees what those did who had the locks before.
            session.lock_all_alone(ids)
            is_done = collection.go_on(session)
            store.step("collect: before the end of a batch")
        store.step("collect: batch done")
    return collection.collected


class _Collection:
    """A collection that goes on from transaction to transaction."""

    def __init__(self, lake_path: str | None, ids: Sequence[CatalogId], since: Mapping[CatalogId, datetime]) -> None:
        self.collected = Collected()
        self._lake_path = lake_path
        self._ids = ids
        self._since = since
        self._left = list(_INTERVALS)
        self._after = RowUid(-1)
        self._writers: set[CatalogId] = set()
        self._keeps_some = False
        self._kept_tables: set[int] = set()

    def go_on(self, session: Session) -> bool:
        """Remove one batch; return whether it was the last."""
        self._writers.clear()
        is_done = self._remove_batch(session)
        if self._writers:
            # Those that are collected here have their columns and partitionings judged after this.
            due.mark_ancestors_due(session, self._writers, but=self._ids)
        if is_done and not self._keeps_some:
            due.forget_due(session, self._since)
        return is_done

    def _remove_batch(self, session: Session) -> bool:
        owners = Owners(self._ids, have_heads=len(heads.catalogs_with_heads(session, self._ids)) == len(self._ids))
        room = _BATCH
        while self._left:
            table = self._left[0]
            found = garbage.dead_rows(session, table, owners, _columns(table), after=self._after, limit=room)
            self._remove(session, table, self._removable(session, table, found))
            room -= len(found)
            if room == 0:
                self._after = RowUid(found[-1][1])
                return False
            self._left.pop(0)
            self._after = RowUid(-1)
        self._finish(session, owners)
        return True

    def _removable(self, session: Session, table: MetadataTable[Any], found: list[Values]) -> list[Values]:
        """Return the rows that nobody needs to find files.

        Tables and schemas tell where files lie that other catalogs have not scheduled yet.
        """
        if not found or table not in (TABLE, SCHEMA):
            return found
        (column,) = _columns(table)
        last = last_rows(session, table, column, [(row[1], row[2]) for row in found])
        # Of those that are due again, files may have died after they were judged. Asked for after the rows above:
        # whoever made these die has noted it.
        now = due.due_times(session, self._ids)
        judged = [one for one in self._ids if now.get(one) == self._since.get(one)]
        if table is TABLE:
            self._kept_tables |= (needed := due.tables_of_due_files(session, last, judged))
        else:
            needed = due.schemas_of_due_tables(session, last, self._kept_tables, judged)
        self._keeps_some = self._keeps_some or bool(needed)
        return [row for row in found if row[2] not in needed]

    def _remove(self, session: Session, table: MetadataTable[Any], rows: list[Values]) -> None:
        if table in (DATA_FILE, DELETE_FILE) and rows:
            files = self._own_files(session, rows)
            schedule_files(session, files, session.now())
            self.collected.files += files
        by_owner: dict[CatalogId, list[Values]] = {}
        for row in rows:
            by_owner.setdefault(row[0], []).append(row)
        if table in (DATA_FILE, INLINED_ROW):
            self._writers |= by_owner.keys()
        keys = _keys(table)
        for owner, of_owner in by_owner.items():
            delete_rows(session, table, owner, [row[1] for row in of_owner])
            ids = {
                key: sorted({row[2 + place] for row in of_owner if row[2 + place] is not None})
                for place, key in enumerate(keys)
            }
            delete_followers(session, table, owner, ids)
        self.collected.row_count += len(rows)

    def _own_files(self, session: Session, rows: list[Values]) -> list[DyingFile]:
        """Return the files that lie in the directory of the catalog whose rows they were."""
        levels = table_levels(session, {row[-4] for row in rows})
        directories = catalog_directories(session, self._lake_path, {row[0] for row in rows})
        files = []
        for row in rows:
            owner, (table, path, is_relative, size) = row[0], row[-4:]
            directory = directories[owner]
            # Of a file whose table nobody knows any more, only a search for orphans can tell the place.
            if is_relative and table in levels:
                path = join((directory, False), *levels[table], (path, True))
            if part_below(directory, path) is not None:
                files.append(DyingFile(owner, row[2], path, size))
        return files

    def _finish(self, session: Session, owners: Owners) -> None:
        for table in _SETS:
            sets = garbage.dead_sets(session, table, owners)
            garbage.forget_sets(session, table, sets)
            self.collected.row_count += len(sets)
        garbage.forget_unread_tombstones(session, self._ids)
        for catalog in refreshed_ones(session, self._ids):
            # What they hid by an earlier chain may be there for others.
            forget_dead_tombstones(session, catalog)
        forget_options_of_missing(session, self._ids)


def _columns(table: MetadataTable[Any]) -> tuple[str, ...]:
    """Return what is read of dead rows.

    That is their ids, the ids that others follow, and of files where they are.
    """
    if table is DATA_FILE:
        return (*_keys(table), "table_id", "path", "path_is_relative", "file_size_bytes")
    if table is DELETE_FILE:
        return ("delete_file_id", "table_id", "path", "path_is_relative", "file_size_bytes")
    if table in (TABLE, SCHEMA):
        return ("table_id" if table is TABLE else "schema_id",)
    return _keys(table)


def _keys(table: MetadataTable[Any]) -> tuple[str, ...]:
    """Return the columns that join other rows to those of a table."""
    return tuple(dict.fromkeys(follower.follows[1] for follower in followers_of(table) if follower.follows))
