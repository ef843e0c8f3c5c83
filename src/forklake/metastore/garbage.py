"""Garbage: which metadata rows no catalog sees any more.

This is the second half of `visibility`, and the only other module that reads ``begin_snapshot``: that one says
what a version shows, this one which rows no version shows. docs/spec/garbage.md states the rule; this module is
that page as SQL.

Each function judges one class of rows in one statement, so that retained snapshots, pins, tombstones and rows
are all of one moment. A row that is dead stays dead, so what is found may be deleted by later statements.
Subqueries are scalar (``min``, or ``LIMIT 1``): no planner turns these into a join of all rows with all pins.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Final

from forklake.metastore.schema.description import Visibility
from forklake.metastore.source import Source
from forklake.metastore.store import Session, Values
from forklake.metastore.written_tables import (
    BEGIN,
    COLUMN,
    DATA_FILE,
    DELETE_FILE,
    END,
    INLINED_ROW,
    PARTITION_INFO,
    SCHEMA_VERSIONS,
    TABLE_STATS,
    MetadataTable,
)
from forklake.model.ids import INFINITY, CatalogId, RowUid, SnapshotId, TableId
from forklake.model.lazy_dataclass import dataclass


@dataclass(frozen=True, slots=True)
class Owners:
    """Catalogs whose rows are judged together.

    Attributes:
        ids: The catalogs.
        have_heads: Whether each is live or dropped, so that it retains its head, which shows every live row.
            If they are purged, nothing but their forks shows their rows.
    """

    ids: Sequence[CatalogId]
    have_heads: bool

    @property
    def condition(self) -> str:
        """The condition that a row ``r`` is one of theirs."""
        # An index answers in its own order for one owner, not for a list.
        return "r.catalog_id = :owner" if len(self.ids) == 1 else "r.catalog_id IN (:owners...)"

    @property
    def params(self) -> dict[str, Any]:
        """The parameters of the condition."""
        return {"owner": self.ids[0], "owners": list(self.ids), "never": INFINITY}


# The oldest snapshot of the owner, or the lowest pin on it, at or above the beginning of a row.
_FIRST_OWN: Final = (
    "coalesce((SELECT min(s.snapshot_id) FROM forklake.ducklake_snapshot s"
    f" WHERE s.catalog_id = r.catalog_id AND s.snapshot_id >= r.{BEGIN}), :never)"
)
_FIRST_PIN: Final = (
    "coalesce((SELECT min(p.upto) FROM forklake.ducklake_segment p"
    f" WHERE p.owner_id = r.catalog_id AND p.upto >= r.{BEGIN}), :never)"
)
# The epochs p of catalogs that inherit a row, each with its oldest snapshot. While an epoch has segments, one of its
# snapshots is retained.
_PINS: Final = f"forklake.ducklake_segment p WHERE p.owner_id = r.catalog_id AND p.upto >= r.{BEGIN}"
_OLDEST: Final = (
    "(SELECT min(o.snapshot_id) FROM forklake.ducklake_snapshot o WHERE o.catalog_id = p.catalog_id"
    " AND o.snapshot_id >= p.since AND o.snapshot_id < p.until)"
)


def dead_rows(
    source: Source,
    table: MetadataTable[Any],
    owners: Owners,
    columns: Sequence[str],
    *,
    after: RowUid,
    limit: int,
) -> list[Values]:
    """Return rows of an interval table that no catalog sees, by their uids, after one.

    Each is its owner, its uid and the columns that are asked for.
    """
    assert table.visibility is Visibility.INTERVAL
    wanted = "".join(f", r.{name}" for name in columns)
    # A row that its owner has not ended is shown by the owner's head.
    ended = f" AND r.{END} < :never" if owners.have_heads else ""
    return source.query(
        f"SELECT r.catalog_id, r.row_uid{wanted} FROM forklake.{table.name} r"
        f" WHERE {owners.condition} AND r.row_uid > :after{ended}"
        f" AND {_FIRST_OWN} >= r.{END}{_is_unused(table)}"
        f" AND CASE WHEN {_FIRST_PIN} >= r.{END} THEN 1 WHEN {_is_pinned(table)} IS NULL THEN 1 ELSE 0 END = 1"
        f" ORDER BY r.row_uid LIMIT {int(limit)}",
        **owners.params,
        after=after,
    )


def _is_pinned(table: MetadataTable[Any]) -> str:
    """Return the query for one pin that still needs a row.

    Its catalog sees the row at its oldest snapshot, or reads files with it.
    """
    scope = "0" if table.scope is None else f"r.{table.scope}"
    sees = _unhidden("r", scope)
    for used in _uses(table) if table is COLUMN else ():
        sees += f" OR {_own_use(table, used)} IS NOT NULL OR {_inherited_use(table, used)} IS NOT NULL"
    return f"(SELECT 1 FROM {_PINS} AND p.upto < r.{END} AND ({sees}) LIMIT 1)"


def _unhidden(row: str, scope: str) -> str:
    """Return the condition that no tombstone hides an inherited row.

    It is asked for the catalog of a pin, at the oldest snapshot of the epoch. While that is the first one, what the
    pin showed stays, whatever the catalog itself has hidden.
    """
    hides = f"z.scope_id = {scope} AND z.row_uid = {row}.row_uid"
    return (
        f"((SELECT z.snapshot_id FROM forklake.ducklake_tombstone z WHERE z.catalog_id = p.catalog_id AND {hides}"
        f" AND p.since < {_OLDEST} AND z.snapshot_id <= {_OLDEST}) IS NULL"
        " AND (SELECT z.snapshot_id FROM forklake.ducklake_segment n JOIN forklake.ducklake_tombstone z"
        f" ON z.catalog_id = n.owner_id AND {hides} AND z.snapshot_id <= n.upto"
        " WHERE n.catalog_id = p.catalog_id AND n.since = p.since AND n.depth < p.depth LIMIT 1) IS NULL)"
    )


def _own_use(table: MetadataTable[Any], used: MetadataTable[Any]) -> str:
    """Return the query for what the catalog of a pin wrote itself before it hid a row.

    What it wrote in another epoch was not read with the row.
    """
    return (
        f"(SELECT 1 FROM forklake.{used.name} f WHERE f.catalog_id = p.catalog_id AND {_use(table)}"
        f" AND f.{BEGIN} >= p.since AND f.{BEGIN} < p.until"
        f" AND f.{BEGIN} < (SELECT z.snapshot_id FROM forklake.ducklake_tombstone z WHERE z.catalog_id = p.catalog_id"
        " AND z.scope_id = r.table_id AND z.row_uid = r.row_uid) LIMIT 1)"
    )


def _inherited_use(table: MetadataTable[Any], used: MetadataTable[Any]) -> str:
    """Return the query for what catalogs between a pin and the owner wrote.

    It counts if it was written before the row was hidden, and the catalog of the pin sees it.
    """
    return (
        f"(SELECT 1 FROM forklake.ducklake_segment b JOIN forklake.{used.name} f ON f.catalog_id = b.owner_id"
        f" AND {_use(table)} AND f.{BEGIN} <= b.upto AND f.{END} > b.upto"
        " WHERE b.catalog_id = p.catalog_id AND b.since = p.since AND b.depth < p.depth"
        " AND (SELECT z.snapshot_id FROM forklake.ducklake_segment k JOIN forklake.ducklake_tombstone z"
        " ON z.catalog_id = k.owner_id AND z.scope_id = r.table_id AND z.row_uid = r.row_uid"
        f" AND z.snapshot_id <= k.upto AND z.snapshot_id <= f.{BEGIN}"
        " WHERE k.catalog_id = p.catalog_id AND k.since = p.since AND k.depth < p.depth LIMIT 1) IS NULL"
        f" AND {_unhidden('f', 'f.table_id')} LIMIT 1)"
    )


def _is_unused(table: MetadataTable[Any]) -> str:
    """Return the condition that nothing of the owner is read with a row.

    Of a partitioning: no file that a snapshot shows which knows the row, nor one that a catalog with a pin has. A file
    that replaces others keeps their partitioning, however long ago that ended. But what ended before a refresh, no
    later version reads.
    """
    while_there = ""
    if table is COLUMN:
        while_there = f" AND f.{BEGIN} >= r.{BEGIN} AND f.{BEGIN} < r.{END}"
    elif table is PARTITION_INFO:
        while_there = f" AND {_snapshot_with_file()} IS NOT NULL"
    unused = "".join(
        f" AND (SELECT 1 FROM forklake.{used.name} f WHERE f.catalog_id = r.catalog_id AND {_use(table)}{while_there}"
        " LIMIT 1) IS NULL"
        for used in _uses(table)
    )
    return f"{unused} AND {_partitioned_file()} IS NULL" if table is PARTITION_INFO else unused


def _snapshot_with_file() -> str:
    """Return the query for a snapshot of the owner that shows a file.

    It is one since a partitioning began, which reads the file with it.
    """
    return (
        "(SELECT 1 FROM forklake.ducklake_snapshot s WHERE s.catalog_id = r.catalog_id"
        f" AND s.snapshot_id >= r.{BEGIN} AND s.snapshot_id >= f.{BEGIN} AND s.snapshot_id < f.{END}"
        f" AND {_refresh_up_to('s.snapshot_id')} IS NULL LIMIT 1)"
    )


def _partitioned_file() -> str:
    """Return the query for a file of a partitioning.

    A catalog with a pin wrote it, or sees it of the owner or of those between.
    """
    files = f"forklake.{DATA_FILE.name} f"
    own = (
        f"(SELECT 1 FROM {files} WHERE f.catalog_id = p.catalog_id AND {_use(PARTITION_INFO)}"
        f" AND f.{BEGIN} >= p.since AND f.{BEGIN} < p.until LIMIT 1)"
    )
    inherited = (
        f"(SELECT 1 FROM forklake.ducklake_segment b JOIN {files} ON f.catalog_id = b.owner_id"
        f" AND {_use(PARTITION_INFO)} AND f.{BEGIN} <= b.upto AND f.{END} > b.upto"
        " WHERE b.catalog_id = p.catalog_id AND b.since = p.since AND b.depth <= p.depth"
        f" AND {_unhidden('f', 'f.table_id')} LIMIT 1)"
    )
    return (
        f"(SELECT 1 FROM {_PINS} AND {_refresh_up_to('p.upto')} IS NULL"
        f" AND ({own} IS NOT NULL OR {inherited} IS NOT NULL) LIMIT 1)"
    )


def _refresh_up_to(snapshot: str) -> str:
    """Return the query for a refresh of the owner, since a row ended.

    It is one up to a snapshot.
    """
    return (
        "(SELECT 1 FROM forklake.ducklake_merge e WHERE e.catalog_id = r.catalog_id AND e.kind = 'refresh'"
        f" AND e.{BEGIN} >= r.{END} AND e.{BEGIN} <= {snapshot} LIMIT 1)"
    )


def _uses(table: MetadataTable[Any]) -> tuple[MetadataTable[Any], ...]:
    """Return the tables whose rows are read with rows of this one.

    That is so even if these have ended.
    """
    if table is COLUMN:
        return DATA_FILE, INLINED_ROW
    return (DATA_FILE,) if table is PARTITION_INFO else ()


def _use(table: MetadataTable[Any]) -> str:
    of_partition = " AND f.partition_id = r.partition_id" if table is PARTITION_INFO else ""
    return f"f.table_id = r.table_id{of_partition}"


def dead_sets(source: Source, table: MetadataTable[Any], owners: Owners) -> list[tuple[CatalogId, TableId, SnapshotId]]:
    """Return the statistics, or schema versions, of tables that no catalog reads.

    They are named by owner, table and beginning. Statistics end where the next ones of the same owner and table
    begin. The newest totals that a catalog has written of a table are kept until it is purged, for counters never go
    back. Schema versions are kept as long as the table is there.
    """
    assert table.visibility is Visibility.LATEST or table is SCHEMA_VERSIONS
    end, nearer, sees = ":never", "", _comes_to_see_table
    if table.visibility is Visibility.LATEST:
        sees = sees_table  # a table that comes back has statistics of its own
        end = (
            f"coalesce((SELECT min(x.{BEGIN}) FROM forklake.{table.name} x WHERE x.catalog_id = r.catalog_id"
            f" AND x.table_id = r.table_id AND x.{BEGIN} > r.{BEGIN}), :never)"
        )
        nearer = (
            f" AND (SELECT min(x.{BEGIN}) FROM forklake.{table.name} x WHERE x.catalog_id = p.catalog_id"
            f" AND x.table_id = r.table_id AND x.{BEGIN} <= {_OLDEST}) IS NULL"
            f" AND (SELECT min(x.{BEGIN}) FROM forklake.ducklake_segment n JOIN forklake.{table.name} x"
            f" ON x.catalog_id = n.owner_id AND x.table_id = r.table_id AND x.{BEGIN} <= n.upto"
            " WHERE n.catalog_id = p.catalog_id AND n.since = p.since AND n.depth < p.depth) IS NULL"
        )
    has_head = "(SELECT 1 FROM forklake.ducklake_head h WHERE h.catalog_id = r.catalog_id) IS NOT NULL"
    counts = f" WHEN r.ends = :never AND {has_head} THEN 0" if table is TABLE_STATS else ""
    pinned = f"(SELECT 1 FROM {_PINS} AND p.upto < r.ends{nearer} AND {sees('p.catalog_id', _OLDEST)} LIMIT 1)"
    found = source.query(
        f"SELECT r.catalog_id, r.table_id, r.{BEGIN} FROM"
        f" (SELECT DISTINCT r.catalog_id, r.table_id, r.{BEGIN}, {end} AS ends FROM forklake.{table.name} r"
        f" WHERE {owners.condition}) r"
        f" WHERE CASE{counts} WHEN {_FIRST_OWN} >= r.ends THEN 1"
        f" WHEN {sees('r.catalog_id', _FIRST_OWN)} THEN 0 ELSE 1 END = 1"
        f" AND CASE WHEN {_FIRST_PIN} >= r.ends THEN 1 WHEN {pinned} IS NULL THEN 1 ELSE 0 END = 1",
        **owners.params,
    )
    return [(CatalogId(owner), TableId(of), SnapshotId(begun)) for owner, of, begun in found]


def sees_table(catalog: str, snapshot: str) -> str:
    """Return the condition that a catalog shows the table of a row ``r``.

    Both are expressions; the snapshot is one of the catalog's own.
    """
    own = (
        f"(SELECT 1 FROM forklake.ducklake_table t WHERE t.catalog_id = {catalog} AND t.table_id = r.table_id"
        f" AND t.{BEGIN} <= {snapshot} AND t.{END} > {snapshot} LIMIT 1)"
    )
    inherited = (
        "(SELECT 1 FROM forklake.ducklake_segment m JOIN forklake.ducklake_table t ON t.catalog_id = m.owner_id"
        f" AND t.table_id = r.table_id AND t.{BEGIN} <= m.upto AND t.{END} > m.upto WHERE m.catalog_id = {catalog}"
        f" AND m.since <= {snapshot} AND m.until > {snapshot}"
        " AND NOT EXISTS (SELECT 1 FROM forklake.ducklake_tombstone z WHERE z.catalog_id = m.catalog_id"
        f" AND z.scope_id = 0 AND z.row_uid = t.row_uid AND z.snapshot_id <= {snapshot})"
        " AND NOT EXISTS (SELECT 1 FROM forklake.ducklake_segment n JOIN forklake.ducklake_tombstone z"
        " ON z.catalog_id = n.owner_id AND z.scope_id = 0 AND z.row_uid = t.row_uid AND z.snapshot_id <= n.upto"
        " WHERE n.catalog_id = m.catalog_id AND n.since = m.since AND n.depth < m.depth) LIMIT 1)"
    )
    return f"({own} IS NOT NULL OR {inherited} IS NOT NULL)"


def _comes_to_see_table(catalog: str, snapshot: str) -> str:
    """Return the condition that a catalog shows or will show the table of a row.

    The row is ``r``; what counts is the snapshot and those after it. A table that is gone comes back by a merge, a
    refresh or a reset alone.
    """
    later = (
        f"(SELECT min(l.snapshot_id) FROM forklake.ducklake_snapshot l WHERE l.catalog_id = {catalog}"
        " AND l.snapshot_id >= g.begin_snapshot)"
    )
    returned = (
        f"(SELECT 1 FROM forklake.ducklake_merge g WHERE g.catalog_id = {catalog} AND g.begin_snapshot > {snapshot}"
        f" AND {sees_table(catalog, later)} LIMIT 1)"
    )
    return f"({sees_table(catalog, snapshot)} OR {returned} IS NOT NULL)"


def file_bytes(source: Source, catalog: CatalogId) -> tuple[int, int, int]:
    """Return the bytes of files that a catalog keeps.

    They are those of its own files; of these, what no fork of it sees; and those of files of its ancestors that
    nothing but this catalog keeps. Files of all retained snapshots count, delete files too. A fork counts as seeing
    what it inherited, even if it has hidden it since.
    """
    pinned = f"(SELECT 1 FROM {_PINS} AND p.upto < r.{END} AND p.catalog_id <> :c LIMIT 1) IS NULL"
    own, alone, kept = 0, 0, 0
    for table in (DATA_FILE, DELETE_FILE):
        # A file that began again by a refresh has two rows.
        ((every, unseen),) = source.query(
            "SELECT coalesce(sum(x.size), 0), coalesce(sum(x.size * x.is_alone), 0)"
            f" FROM (SELECT max(r.file_size_bytes) AS size, min(CASE WHEN {pinned} THEN 1 ELSE 0 END) AS is_alone"
            f" FROM forklake.{table.name} r WHERE r.catalog_id = :c GROUP BY r.{table.columns[0]}) x",
            c=catalog,
        )
        ((inherited,),) = source.query(
            "SELECT coalesce(sum(r.file_size_bytes), 0) FROM (SELECT DISTINCT r.catalog_id, r.row_uid,"
            f" r.file_size_bytes, r.{BEGIN}, r.{END} FROM forklake.ducklake_segment g"
            f" JOIN forklake.{table.name} r ON r.catalog_id = g.owner_id AND r.{BEGIN} <= g.upto AND r.{END} > g.upto"
            f" WHERE g.catalog_id = :c) r WHERE {_FIRST_OWN} >= r.{END} AND {pinned}",
            c=catalog,
            never=INFINITY,
        )
        own, alone, kept = own + int(every), alone + int(unseen), kept + int(inherited)
    return own, alone, kept


def lake_bytes(source: Source) -> tuple[int, int, int, int, int]:
    """Return how many files rows of all catalogs name, and their bytes.

    They are followed by the bytes that heads of live catalogs show, those that a fork sees beside the owner, and those
    of dropped catalogs that no fork sees. Each row is one look into the index of the pins.
    """
    pinned = f"(SELECT 1 FROM {_PINS} AND p.upto < r.{END} LIMIT 1)"
    totals = [0, 0, 0, 0, 0]
    for table in (DATA_FILE, DELETE_FILE):
        (found,) = source.query(
            "SELECT count(*), sum(x.size), sum(CASE WHEN x.is_live AND x.ends = :never THEN x.size ELSE 0 END),"
            " sum(CASE WHEN x.pinned IS NULL THEN 0 ELSE x.size END),"
            " sum(CASE WHEN x.is_live OR x.is_live IS NULL OR x.pinned IS NOT NULL THEN 0 ELSE x.size END)"
            f" FROM (SELECT r.file_size_bytes AS size, r.{END} AS ends, h.live AS is_live, {pinned} AS pinned"
            f" FROM forklake.{table.name} r LEFT JOIN forklake.ducklake_head h ON h.catalog_id = r.catalog_id) x",
            never=INFINITY,
        )
        totals = [total + int(more or 0) for total, more in zip(totals, found, strict=True)]
    return totals[0], totals[1], totals[2], totals[3], totals[4]


def forget_sets(
    session: Session, table: MetadataTable[Any], sets: Sequence[tuple[CatalogId, TableId, SnapshotId]]
) -> None:
    """Delete statistics or schema versions, named as `dead_sets` names them."""
    by_table: dict[tuple[CatalogId, TableId], list[SnapshotId]] = {}
    for owner, of, begun in sets:
        by_table.setdefault((owner, of), []).append(begun)
    for (owner, of), begins in by_table.items():
        session.execute(
            f"DELETE FROM forklake.{table.name} WHERE catalog_id = :c AND table_id = :t AND {BEGIN} IN (:begins...)",
            c=owner,
            t=of,
            begins=begins,
        )


def forget_unread_tombstones(session: Session, catalogs: Sequence[CatalogId]) -> None:
    """Delete the tombstones of catalogs that nobody reads.

    No chain contains them together with the row that they hide. A catalog's own chains contain both, until it is
    severed or purged. After that, those of its forks do that were made before it: they have the ancestors that it had.
    """
    found = session.query(
        "SELECT DISTINCT z.catalog_id FROM forklake.ducklake_tombstone z WHERE z.catalog_id IN (:ids...)"
        " AND NOT EXISTS (SELECT 1 FROM forklake.ducklake_segment g WHERE g.catalog_id = z.catalog_id)",
        ids=list(catalogs),
    )
    for (catalog,) in found:
        session.execute(
            "DELETE FROM forklake.ducklake_tombstone WHERE catalog_id = :c"
            " AND snapshot_id > coalesce((SELECT max(v.upto) FROM forklake.ducklake_segment v WHERE v.owner_id = :c"
            " AND EXISTS (SELECT 1 FROM forklake.ducklake_segment w WHERE w.catalog_id = v.catalog_id"
            " AND w.since = v.since AND w.depth > v.depth)), -1)",
            c=catalog,
        )


@dataclass(frozen=True, slots=True)
class FileView:
    """A row of a file, and a catalog that sees it.

    It does at some of its own retained snapshots.

    Attributes:
        table: The metadata table of the row.
        owner: The catalog that wrote the row.
        file_id: The id of the data file or delete file.
        table_id: The table that it belongs to.
        path: Its path as the row has it.
        begin: The snapshot at which the row begins.
        end: The snapshot at which it ends; infinity if it is live.
        catalog: The catalog that sees it; None if no catalog does.
        first: The first of this catalog's snapshots that shows it.
        last: The last one.
    """

    table: str
    owner: CatalogId
    file_id: int
    table_id: TableId
    path: str
    begin: SnapshotId
    end: SnapshotId
    catalog: CatalogId | None = None
    first: SnapshotId | None = None
    last: SnapshotId | None = None


def file_views(
    source: Source,
    table: MetadataTable[Any],
    id_column: str,
    condition: str,
    params: dict[str, Any],
    limit: int,
) -> list[FileView]:
    """Return who sees the rows of files ``r`` for which a condition holds.

    At most so many catalogs are returned for each row.
    """
    found = source.query(
        f"SELECT r.row_uid, r.catalog_id, r.{id_column}, r.table_id, r.path, r.{BEGIN}, r.{END}"
        f" FROM forklake.{table.name} r WHERE {condition} ORDER BY r.catalog_id, r.row_uid",
        **params,
    )
    views = []
    for uid, *facts in found:
        row = FileView(table.name, *facts)
        seen = _viewers(source, row, RowUid(uid), limit)
        views += [replace(row, catalog=catalog, first=first, last=last) for catalog, first, last in seen] or [row]
    return views


def _viewers(source: Source, row: FileView, uid: RowUid, limit: int) -> list[tuple[CatalogId, SnapshotId, SnapshotId]]:
    """Return the catalogs that see a row, each from its first to its last snapshot.

    The owner comes first.
    """
    hides = "z.scope_id = :table_id AND z.row_uid = :uid"
    found = source.query(
        "SELECT 0, s.catalog_id, min(s.snapshot_id), max(s.snapshot_id) FROM forklake.ducklake_snapshot s"
        " WHERE s.catalog_id = :owner AND s.snapshot_id >= :begin AND s.snapshot_id < :end GROUP BY s.catalog_id"
        " UNION ALL SELECT 1, v.catalog_id, v.first_snapshot, v.last_snapshot FROM (SELECT p.catalog_id,"
        f" {_OLDEST} AS first_snapshot,"
        " (SELECT max(s.snapshot_id) FROM forklake.ducklake_snapshot s WHERE s.catalog_id = p.catalog_id"
        " AND s.snapshot_id >= p.since AND s.snapshot_id < p.until"
        " AND s.snapshot_id < coalesce((SELECT z.snapshot_id FROM forklake.ducklake_tombstone z"
        f" WHERE z.catalog_id = p.catalog_id AND {hides}), :never)) AS last_snapshot"
        " FROM forklake.ducklake_segment p WHERE p.owner_id = :owner AND p.upto >= :begin AND p.upto < :end"
        " AND (SELECT min(z.snapshot_id) FROM forklake.ducklake_segment n JOIN forklake.ducklake_tombstone z"
        f" ON z.catalog_id = n.owner_id AND {hides} AND z.snapshot_id <= n.upto"
        " WHERE n.catalog_id = p.catalog_id AND n.since = p.since AND n.depth < p.depth) IS NULL) v"
        " WHERE v.last_snapshot IS NOT NULL"
        f" ORDER BY 1, 2 LIMIT {int(limit)}",
        owner=row.owner,
        begin=row.begin,
        end=row.end,
        uid=uid,
        table_id=row.table_id,
        never=INFINITY,
    )
    return [(CatalogId(catalog), SnapshotId(first), SnapshotId(last)) for _, catalog, first, last in found]
