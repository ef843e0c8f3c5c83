"""Which metadata rows a lake needs, found by brute force: every row that some retained snapshot of some catalog shows.

So are the rows that a pin showed whose first snapshot is retained, and the newest counters of each table.

It knows nothing of how garbage is judged. It looks at each version of each catalog, one by one, with plain loops.
"""

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from forklake import Lake
from forklake.metastore.queries.due import due_catalogs
from forklake.metastore.schema.description import Visibility
from forklake.metastore.written_tables import SCHEMA_VERSIONS, TABLE_STATS, TABLES, MetadataTable
from forklake.model.ids import INFINITY, CatalogId
from forklake.ops.lakes.runtime import Runtime
from forklake.ops.maintenance.collect import collect

Row = dict[str, Any]
Key = tuple[Any, ...]
Found = dict[str, set[Key]]
"""Rows by table, each by its key; those of versioned rows by owner and uid."""

_INTERVALS = [table for table in TABLES if table.visibility is Visibility.INTERVAL]
_LATEST = [table for table in TABLES if table.visibility is Visibility.LATEST]
_FOLLOWING = [table for table in TABLES if table.visibility is Visibility.FOLLOWS]


def _rows(lake: Lake, name: str, columns: list[str]) -> list[Row]:
    found = lake._runtime.store.query(f"SELECT {', '.join(columns)} FROM forklake.{name}")
    return [dict(zip(columns, values, strict=True)) for values in found]


def _columns(table: MetadataTable[Any]) -> list[str]:
    names = [column.name for column in table.described.stored_columns]
    return [name for name in names if name not in ("document", "encryption_key")]


def _key(table: MetadataTable[Any], row: Row) -> Key:
    if table.visibility is Visibility.INTERVAL:
        return row["catalog_id"], row["row_uid"]
    return row["catalog_id"], *(row[name] for name in table.described.key)


@dataclass
class Rows:
    """All metadata rows of a lake, as they are stored."""

    of: dict[str, list[Row]]
    snapshots: dict[int, list[int]]
    epochs: dict[int, dict[tuple[int, int], list[tuple[int, int]]]]
    tombstones: dict[int, dict[int, int]]
    refreshes: dict[int, list[int]]
    heads: set[int] = field(default_factory=set)

    @classmethod
    def read(cls, lake: Lake) -> "Rows":
        snapshots: dict[int, list[int]] = defaultdict(list)
        for row in _rows(lake, "ducklake_snapshot", ["catalog_id", "snapshot_id"]):
            snapshots[row["catalog_id"]].append(row["snapshot_id"])
        epochs: dict[int, dict[tuple[int, int], list[tuple[int, int]]]] = defaultdict(lambda: defaultdict(list))
        found = _rows(lake, "ducklake_segment", ["catalog_id", "depth", "owner_id", "upto", "since", "until"])
        for row in sorted(found, key=lambda row: row["depth"]):
            epochs[row["catalog_id"]][row["since"], row["until"]].append((row["owner_id"], row["upto"]))
        refreshes: dict[int, list[int]] = defaultdict(list)
        for row in _rows(lake, "ducklake_merge", ["catalog_id", "begin_snapshot", "kind"]):
            if row["kind"] == "refresh":
                refreshes[row["catalog_id"]].append(row["begin_snapshot"])
        tombstones: dict[int, dict[int, int]] = defaultdict(dict)
        for row in _rows(lake, "ducklake_tombstone", ["catalog_id", "row_uid", "snapshot_id"]):
            tombstones[row["catalog_id"]][row["row_uid"]] = row["snapshot_id"]
        heads = {row["catalog_id"] for row in _rows(lake, "ducklake_head", ["catalog_id"])}
        return cls(
            {table.name: _rows(lake, table.name, _columns(table)) for table in TABLES},
            snapshots,
            epochs,
            tombstones,
            refreshes,
            heads,
        )

    @property
    def stored(self) -> Found:
        """Every row that there is."""
        found = {table.name: {_key(table, row) for row in self.of[table.name]} for table in TABLES}
        found["ducklake_tombstone"] = {(catalog, uid) for catalog, of in self.tombstones.items() for uid in of}
        return found

    def chain(self, catalog: int, snapshot: int) -> list[tuple[int, int]]:
        """The catalog and its ancestors, each with its bound."""
        of = [links for (since, until), links in self.epochs[catalog].items() if since <= snapshot < until]
        return [(catalog, snapshot), *(link for links in of for link in links)]

    def versions(self) -> Iterator[tuple[int, int]]:
        for catalog in self.heads:
            for snapshot in self.snapshots[catalog]:
                yield catalog, snapshot

    def needed(self) -> Found:
        """Every row that a version shows, is read with, or needs to hide another."""
        found: Found = defaultdict(set)
        for catalog, snapshot in self.versions():
            _Version(self, self.chain(catalog, snapshot)).add_to(found)
        for catalog in self.heads:
            for (since, _), links in self.epochs[catalog].items():
                if since in self.snapshots[catalog]:
                    _Version(self, links).add_pinned_to(found)
        found[TABLE_STATS.name] |= self._counters()
        for table in _FOLLOWING:
            assert table.follows is not None
            parent, key = table.follows
            kept = {
                (row["catalog_id"], row[key]) for row in self.of[parent.name] if _key(parent, row) in found[parent.name]
            }
            found[table.name] = {
                _key(table, row) for row in self.of[table.name] if (row["catalog_id"], row[key]) in kept
            }
        found["ducklake_tombstone"] = self._needed_tombstones(found)
        return {table: found[table] for table in (*(table.name for table in TABLES), "ducklake_tombstone")}

    def _counters(self) -> set[Key]:
        """The newest totals of each catalog and table: counters never go back, also of a table that is dropped."""
        newest: dict[tuple[int, int], Row] = {}
        for row in self.of[TABLE_STATS.name]:
            of_table = row["catalog_id"], row["table_id"]
            if row["catalog_id"] in self.heads and (
                of_table not in newest or row["begin_snapshot"] > newest[of_table]["begin_snapshot"]
            ):
                newest[of_table] = row
        return {_key(TABLE_STATS, row) for row in newest.values()}

    def _needed_tombstones(self, found: Found) -> set[Key]:
        hidden = {row["row_uid"]: row for table in _INTERVALS for row in self.of[table.name]
                  if _key(table, row) in found[table.name]}  # fmt: skip
        needed = set()
        chains = [
            dict([(viewer, until - 1), *links])
            for viewer in self.heads
            for (_, until), links in self.epochs[viewer].items()
        ]
        for chain in chains:
            for catalog, upto in chain.items():
                for uid, snapshot in self.tombstones[catalog].items():
                    row = hidden.get(uid)
                    if row is not None and snapshot <= upto:
                        bound = chain.get(row["catalog_id"], -1)
                        if row["begin_snapshot"] <= bound < row["end_snapshot"]:
                            needed.add((catalog, uid))
        return needed


class _Version:
    """What a chain of catalogs shows."""

    def __init__(self, rows: Rows, bounds: list[tuple[int, int]]) -> None:
        self._rows = rows
        self._bounds = bounds
        self._bound = dict(bounds)
        self._since = {
            owner: max((at for at in rows.refreshes[owner] if at <= bound), default=-1) for owner, bound in bounds
        }
        self._hidden: dict[int, int] = {}
        for owner, bound in bounds:
            for uid, at in rows.tombstones[owner].items():
                if at <= bound:
                    self._hidden[uid] = min(max(at, self._since[owner]), self._hidden.get(uid, INFINITY))

    def _ever(self, table: MetadataTable[Any]) -> Iterator[tuple[Row, int]]:
        """Rows that the lineage ever showed, and where each ended for it."""
        for row in self._rows.of[table.name]:
            bound = self._bound.get(row["catalog_id"])
            if (
                bound is not None
                and row["begin_snapshot"] <= bound
                and row["end_snapshot"] > self._since[row["catalog_id"]]
            ):
                own_end = row["end_snapshot"] if row["end_snapshot"] <= bound else INFINITY
                yield row, min(own_end, self._hidden.get(row["row_uid"], INFINITY))

    def add_to(self, found: Found) -> None:
        shown = {table.name: [row for row, end in self._ever(table) if end == INFINITY] for table in _INTERVALS}
        for table in _INTERVALS:
            found[table.name] |= {_key(table, row) for row in shown[table.name]}
        tables = {row["table_id"] for row in shown["ducklake_table"]}
        for table in _LATEST:
            for table_id in tables:
                found[table.name] |= self._latest(table, table_id)
        found[SCHEMA_VERSIONS.name] |= {
            _key(SCHEMA_VERSIONS, row)
            for row in self._rows.of[SCHEMA_VERSIONS.name]
            if row["table_id"] in tables and row["begin_snapshot"] <= self._bound.get(row["catalog_id"], -1)
        }
        self._add_what_files_need(shown, found)

    def add_pinned_to(self, found: Found) -> None:
        """Add the rows alone: statistics are not compared by merges."""
        shown = {table.name: [row for row, end in self._ever(table) if end == INFINITY] for table in _INTERVALS}
        for table in _INTERVALS:
            found[table.name] |= {_key(table, row) for row in shown[table.name]}
        self._add_what_files_need(shown, found)

    def _latest(self, table: MetadataTable[Any], table_id: int) -> set[Key]:
        for owner, bound in self._bounds:
            begun = [
                row
                for row in self._rows.of[table.name]
                if row["catalog_id"] == owner and row["table_id"] == table_id and row["begin_snapshot"] <= bound
            ]
            newest = max((row["begin_snapshot"] for row in begun), default=None)
            if newest is not None:
                return {_key(table, row) for row in begun if row["begin_snapshot"] == newest}
        return set()

    def _add_what_files_need(self, shown: dict[str, list[Row]], found: Found) -> None:
        """Columns of the time at which files and inlined rows began, and the partitioning of files."""
        files, inlined = shown["ducklake_data_file"], shown["ducklake_inlined_row"]
        begins = {(row["table_id"], row["begin_snapshot"]) for row in [*files, *inlined]}
        for row, end in self._ever(next(table for table in _INTERVALS if table.name == "ducklake_column")):
            if any(table == row["table_id"] and row["begin_snapshot"] <= at < end for table, at in begins):
                found["ducklake_column"].add((row["catalog_id"], row["row_uid"]))
        partitions = {row["partition_id"] for row in files}
        for row, _ in self._ever(next(table for table in _INTERVALS if table.name == "ducklake_partition_info")):
            if row["partition_id"] in partitions:
                found["ducklake_partition_info"].add((row["catalog_id"], row["row_uid"]))


def collect_together(runtime: Runtime) -> None:
    """Collect all catalogs that are due together, and those that became due by it, until none is."""
    known: list[CatalogId] = []
    while (found := due_catalogs(runtime.store, None, 1000)) and found != known:
        collect(runtime.store, runtime.lake_path, found)
        known = found


def difference(one: Found, other: Found) -> dict[str, list[Key]]:
    """Return the rows of one that the other lacks."""
    return {name: sorted(keys - other[name], key=repr) for name, keys in one.items() if keys - other[name]}
