"""Histories: which rows a lineage ever showed, and when.

A part of `visibility`. A refresh gives a catalog other ancestors, from one of its snapshots on.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import groupby
from typing import Any, Final

from forklake.metastore.row_filter import Where
from forklake.metastore.shared_visibility import Crowd, Dated
from forklake.metastore.source import Source
from forklake.metastore.visibility import BareChain, Chain, chain_params, with_chain
from forklake.metastore.written_tables import BEGIN, DATA_FILE, DELETE_FILE, END, MetadataTable, R
from forklake.model.ids import INFINITY, CatalogId, SnapshotId, TableId
from forklake.model.lazy_dataclass import dataclass
from forklake.model.version import FIRST, Version


def history(source: Source, chain: Chain, table: MetadataTable[R], where: Where | None = None) -> list[Dated[R]]:
    """Return all rows of an interval table that the lineage ever showed.

    `Crowd.history` says when they begin and end.
    """
    return Crowd(source, [chain]).history(table, where or {})[0]


@dataclass(frozen=True, slots=True)
class Epoch:
    """The time during which a catalog has one chain of ancestors, up to a version.

    Attributes:
        since: Its first snapshot; 0 if snapshots of ancestors are versions of the catalog, too.
        until: The first snapshot after it.
        chain: The catalog and its ancestors then.
    """

    since: SnapshotId
    until: SnapshotId
    chain: Chain


def epochs(source: Source, version: Version) -> list[Epoch]:
    """Return the epochs of a catalog up to a version, oldest first.

    Those of which no snapshot is left are not among them.
    """
    found = source.query(
        "SELECT g.since, g.until, g.owner_id, g.upto, g.versions_from FROM forklake.ducklake_segment g"
        " WHERE g.catalog_id = :c AND g.until <= :s ORDER BY g.since, g.depth",
        c=version.catalog_id,
        s=version.snapshot_id,
    )
    made = []
    for (since, until), rows in groupby(found, key=lambda row: row[:2]):
        _, _, owners, bounds, firsts = zip(*rows, strict=True)
        chain = BareChain([version.catalog_id, *owners], [until - 1, *bounds])
        made.append(Epoch(FIRST if min(firsts) < INFINITY else SnapshotId(since), SnapshotId(until), chain))
    own = [segment.versions_from for segment in version.segments[1:]]
    is_first = not made and min(own, default=FIRST) < INFINITY
    return [*made, Epoch(FIRST if is_first else version.since, INFINITY, version)]


def lineage_history(
    source: Source, version: Version, table: MetadataTable[R], where: Where | None = None
) -> list[Dated[R]]:
    """Return what `history` returns, for all epochs of a catalog.

    A row that came with a refresh begins there, one that went with it ends there, and one that stayed goes on.
    """
    found = epochs(source, version)
    if len(found) == 1 and found[0].since == FIRST:
        return history(source, version, table, where)
    made: list[Dated[R]] = []
    ending: dict[tuple[Any, ...], Dated[R]] = {}
    for epoch in found:
        of_epoch = []
        for row, begin, end in history(source, epoch.chain, table, where):
            shown, gone = max(begin, epoch.since), min(end, epoch.until)
            before = ending.pop(_identity(table, row), None) if shown == epoch.since and shown < gone else None
            if shown < gone:
                of_epoch.append((row, shown if before is None else before[1], gone))
        made += ending.values()
        made += [dated for dated in of_epoch if dated[2] < epoch.until]
        ending = {_identity(table, dated[0]): dated for dated in of_epoch if dated[2] == epoch.until}
    return [*made, *ending.values()]


def _identity(table: MetadataTable[Any], row: Any) -> tuple[Any, ...]:
    """Return what a row shares with one that takes its place at a refresh."""
    if table not in (DATA_FILE, DELETE_FILE):
        names = [name for name in table.columns if name not in _OF_STORAGE]
        return tuple(getattr(row, name) for name in names)
    assert row.origin is not None
    bound = row.origin.bound if row.read_upto is None else min(row.origin.bound, row.read_upto)
    is_cut = row.partial_max is not None and row.partial_max > bound
    return getattr(row, table.columns[0]), bound if is_cut else None


_OF_STORAGE: Final = frozenset({"origin_snapshot_id", "schema_version"})


def lineage_schema_versions(source: Source, version: Version) -> list[tuple[SnapshotId, int, TableId]]:
    """Return the schema versions of all tables in the lineage.

    Each is (snapshot since which it holds, schema version, table).
    """
    found: list[tuple[SnapshotId, int, TableId]] = []
    for epoch in epochs(source, version):
        known = {table: number for _, number, table in found}
        came: dict[TableId, int] = {}
        for owner, begin, number, table in _schema_versions(source, epoch.chain):
            if begin > epoch.since:
                found.append((begin, number, table))
            elif number > known.get(table, -1) and (owner != version.catalog_id or begin == epoch.since):
                came[table] = max(number, came.get(table, number))
        found += [(epoch.since, number, table) for table, number in sorted(came.items())]
    return sorted(found, key=lambda one: one[0])


def _schema_versions(source: Source, chain: Chain) -> list[tuple[CatalogId, SnapshotId, int, TableId]]:
    found = source.query(
        f"{with_chain(source)} SELECT r.catalog_id, r.{BEGIN}, r.schema_version, r.table_id FROM chain c"
        " CROSS JOIN forklake.ducklake_schema_versions r"
        f" WHERE r.catalog_id = c.owner_id AND r.{BEGIN} <= c.bound ORDER BY r.{BEGIN}, r.table_id",
        **chain_params(chain),
    )
    return [(owner, begin, number, table) for owner, begin, number, table in found]


def whole_chain(source: Source, version: Version) -> Chain:
    """Return all that a catalog ever inherited from, up to a version.

    Each owner comes with its last bound.
    """
    bounds: dict[CatalogId, SnapshotId] = {}
    for epoch in reversed(epochs(source, version)):
        for owner, bound in zip(epoch.chain.owners, epoch.chain.bounds, strict=True):
            bounds.setdefault(owner, bound)
    return BareChain(list(bounds), list(bounds.values()))


@dataclass(frozen=True, slots=True)
class Named:
    """An object that a snapshot of a catalog changed."""

    catalog_id: CatalogId
    snapshot_id: SnapshotId
    object_id: int


def rows_then(source: Source, table: MetadataTable[R], key: str, wanted: Iterable[Named]) -> dict[Named, R]:
    """Return the row of each object at a snapshot of its catalog, or just before.

    The newer of the two counts; a dropped object has only the older one. ``key`` is the column with the ids of objects.
    The catalogs may be dropped. Objects whose rows were collected are left out.
    """
    asked = list(wanted)
    if not asked:
        return {}
    unpacked = source.dialect.unpack(dict.fromkeys(("catalogs", "snapshots", "objects"), "bigint"))
    columns = ", ".join(f"r.{name}" for name in table.columns)
    found = source.query(
        f"WITH wanted(catalog_id, snapshot_id, object_id) AS ({unpacked}),"
        " reach(catalog_id, snapshot_id, object_id, owner_id, bound, since, depth) AS ("
        " SELECT w.*, w.catalog_id, w.snapshot_id, w.snapshot_id, 0 FROM wanted w"
        " UNION ALL SELECT w.*, g.owner_id, g.upto, g.since, g.depth"
        " FROM wanted w JOIN forklake.ducklake_segment g ON g.catalog_id = w.catalog_id"
        # A refresh ends an epoch and begins the next; what it took away was shown in the one that it ended.
        " AND g.since <= w.snapshot_id AND g.until >= w.snapshot_id)"
        f" SELECT c.catalog_id, c.snapshot_id, c.object_id, {columns} FROM reach c CROSS JOIN forklake.{table.name} r"
        f" WHERE r.catalog_id = c.owner_id AND r.{key} = c.object_id"
        f" AND r.{BEGIN} <= c.bound AND (r.{END} > c.bound OR c.depth = 0 AND r.{END} = c.bound)"
        f" ORDER BY c.since, c.depth DESC, r.{BEGIN}",
        catalogs=[one.catalog_id for one in asked],
        snapshots=[one.snapshot_id for one in asked],
        objects=[one.object_id for one in asked],
    )
    return {Named(*values[:3]): table.row(**table.decode(values[3:])) for values in found}
