"""Visibility: which rows a catalog sees.

Its other half is `garbage`: which rows nobody sees. `followers` are rows without an interval of their own. A test lists
the few other modules that may read ``begin_snapshot``. A version is a chain of (owner, bound) pairs, nearest owner
first. docs/spec/metadata.md states the rule for each class of tables; this module is that page as SQL.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, Protocol

from forklake.metastore.row_filter import Where, filter_params, filter_text, tombstone_scope
from forklake.metastore.schema.description import Visibility
from forklake.metastore.source import Question, Source, ask
from forklake.metastore.store import Session, Values
from forklake.metastore.written_tables import (
    BEGIN,
    DATA_FILE,
    DELETE_FILE,
    END,
    INLINED_DELETE,
    INLINED_ROW,
    MetadataTable,
    R,
)
from forklake.model.ids import INFINITY, CatalogId, DataFileId, RowUid, SnapshotId, TableId
from forklake.model.lazy_dataclass import dataclass
from forklake.model.rows import Origin
from forklake.model.version import Version

BEGUN_SINCE = f"{BEGIN} > :since"
"""The condition that an own row was written after a snapshot of its catalog, whatever became of it."""


class Chain(Protocol):
    """A chain: the owners, nearest first, and the bound of each.

    Rows of an owner count up to its bound, a snapshot.
    """

    @property
    def owners(self) -> Sequence[CatalogId]: ...

    @property
    def bounds(self) -> Sequence[SnapshotId]: ...


@dataclass(frozen=True, slots=True)
class BareChain:
    """A chain by itself, for callers that have no version yet."""

    owners: Sequence[CatalogId]
    bounds: Sequence[SnapshotId]


def visible(source: Source, chain: Chain, table: MetadataTable[R], where: Where | None = None) -> list[R]:
    """Return the visible rows of an interval table, see `visible_rows`."""
    return ask(source, visible_rows(source, chain, table, where or {}))


def visible_rows(source: Source, chain: Chain, table: MetadataTable[R], where: Where) -> Question[list[R]]:
    """Ask for the visible rows of an interval table.

    A row is visible if it has begun and not ended at the bound of its owner, and no tombstone hides it. Rows are
    in the order of the chain, then of writing.
    """
    assert table.visibility is Visibility.INTERVAL
    columns = ", ".join(f"r.{name}" for name in table.columns)
    return Question(
        f"{with_chain(source)} SELECT r.row_uid, c.owner_id, c.bound, r.{BEGIN}, {columns}"
        f" FROM chain c CROSS JOIN forklake.{table.name} r"
        f" WHERE r.catalog_id = c.owner_id AND {SHOWN}{filter_text(where)}{unhidden(chain, table, where)}"
        " ORDER BY c.depth DESC, r.row_uid",
        {**chain_params(chain), **filter_params(where)},
        lambda found: [table.row(origin=Origin(*values[:4]), **table.decode(values[4:])) for values in found],
    )


def unhidden(chain: Chain, table: MetadataTable[Any], where: Where) -> str:
    """Return the condition that no tombstone of the chain hides a row of a filter."""
    if len(chain.owners) == 1:
        return ""
    return (
        " AND r.row_uid NOT IN (SELECT z.row_uid FROM chain n CROSS JOIN forklake.ducklake_tombstone z"
        f" WHERE z.catalog_id = n.owner_id{tombstone_scope(table, where)} AND z.snapshot_id <= n.bound)"
    )


def latest(source: Source, chain: Chain, table: MetadataTable[R], table_id: TableId) -> list[R]:
    """Return the newest set of statistics of a table, see `latest_rows`."""
    return ask(source, latest_rows(source, chain, table, table_id))


def latest_rows(source: Source, chain: Chain, table: MetadataTable[R], table_id: TableId) -> Question[list[R]]:
    """Ask for the newest set of statistics of a table.

    It is from the nearest owner that wrote any.
    """
    assert table.visibility is Visibility.LATEST
    columns = ", ".join(f"r.{name}" for name in table.columns)
    return Question(
        f"{with_chain(source)} SELECT c.depth, c.owner_id, c.bound, r.{BEGIN}, {columns}"
        f" FROM chain c CROSS JOIN forklake.{table.name} r"
        f" WHERE r.catalog_id = c.owner_id AND r.table_id = :table_id AND r.{BEGIN} ="
        f" (SELECT max(b.{BEGIN}) FROM forklake.{table.name} b"
        f" WHERE b.catalog_id = c.owner_id AND b.table_id = :table_id AND b.{BEGIN} <= c.bound)"
        " ORDER BY c.depth",
        {**chain_params(chain), "table_id": table_id},
        lambda found: [
            table.row(origin=Origin(RowUid(-1), *values[1:4]), **table.decode(values[4:]))
            for values in found
            if values[0] == found[0][0]
        ],
    )


def all_latest(
    source: Source, chain: Chain, table: MetadataTable[R], tables: Sequence[TableId] | None = None
) -> list[R]:
    """Return the newest statistics of some tables, or of all tables of the lineage.

    Each set is from the nearest owner that wrote any.
    """
    assert table.visibility is Visibility.LATEST
    columns = ", ".join(f"r.{name}" for name in table.columns)
    wanted, of, table_id = "", "", "r.table_id"
    if tables is not None:
        # What the newest set is asked for, not for each that there ever was.
        wanted = f", wanted(table_id) AS ({source.dialect.unpack({'of': 'bigint'})})"
        of, table_id = " CROSS JOIN wanted w", "w.table_id"
    found = source.query(
        f"{with_chain(source)}{wanted} SELECT c.depth, c.owner_id, c.bound, r.{BEGIN}, {columns}"
        f" FROM chain c{of} CROSS JOIN forklake.{table.name} r"
        f" WHERE r.catalog_id = c.owner_id AND r.table_id = {table_id} AND r.{BEGIN} ="
        f" (SELECT max(b.{BEGIN}) FROM forklake.{table.name} b"
        f" WHERE b.catalog_id = c.owner_id AND b.table_id = {table_id} AND b.{BEGIN} <= c.bound)"
        f" ORDER BY {', '.join(f'r.{name}' for name in table.columns[:2])}",
        **chain_params(chain),
        **({} if tables is None else {"of": list(tables)}),
    )
    nearest: dict[int, int] = {}
    for depth, *_, table_id in (values[:5] for values in found):
        nearest[table_id] = min(depth, nearest.get(table_id, depth))
    return [
        table.row(origin=Origin(RowUid(-1), *values[1:4]), **table.decode(values[4:]))
        for values in found
        if values[0] == nearest[values[4]]
    ]


def file_totals(source: Source, chain: Chain, table: MetadataTable[Any]) -> dict[TableId, tuple[int, int]]:
    """Return the number and bytes of visible files of one kind, by table."""
    hidden = f" AND {_UNHIDDEN}" if len(chain.owners) > 1 else ""
    found = source.query(
        f"{with_chain(source)} SELECT r.table_id, count(*), sum(r.file_size_bytes)"
        f" FROM chain c CROSS JOIN forklake.{table.name} r"
        f" WHERE r.catalog_id = c.owner_id AND {SHOWN}{hidden} GROUP BY r.table_id",
        **chain_params(chain),
    )
    return {TableId(of): (int(count), int(size)) for of, count, size in found}


def highest_ids(
    source: Source, chain: Chain, columns: Sequence[tuple[MetadataTable[Any], str]]
) -> list[tuple[SnapshotId, int]]:
    """Return the highest id in some columns for each snapshot at which rows begin.

    The rows are those of the lineage.
    """
    parts = " UNION ALL ".join(
        f"SELECT r.{BEGIN} AS begun, max(r.{column}) AS highest FROM chain c CROSS JOIN forklake.{table.name} r"
        f" WHERE r.catalog_id = c.owner_id AND r.{BEGIN} <= c.bound GROUP BY r.{BEGIN}"
        for table, column in columns
    )
    found = source.query(
        f"{with_chain(source)} SELECT x.begun, max(x.highest) FROM ({parts}) x WHERE x.highest IS NOT NULL"
        " GROUP BY x.begun ORDER BY x.begun",
        **chain_params(chain),
    )
    return [(SnapshotId(begun), int(highest)) for begun, highest in found]


def touched_files(source: Source, version: Version, since: SnapshotId) -> dict[TableId, set[DataFileId]]:
    """Return the data files that the catalog's commits after ``since`` touched.

    A commit touches a file when it ends the file or deletes rows of it. Rows begun, rows ended and inherited rows
    hidden all count: a first delete file ends nothing, and ending an inherited row only writes a tombstone.
    """
    found = source.query(
        f"SELECT table_id, data_file_id FROM forklake.{DELETE_FILE.name} WHERE catalog_id = :c AND {BEGIN} > :since"
        f" UNION SELECT table_id, data_file_id FROM forklake.{DELETE_FILE.name}"
        f" WHERE catalog_id = :c AND {END} > :since AND {END} <= :head"
        f" UNION SELECT table_id, data_file_id FROM forklake.{INLINED_DELETE.name}"
        f" WHERE catalog_id = :c AND {BEGIN} > :since"
        f" UNION SELECT table_id, data_file_id FROM forklake.{DATA_FILE.name}"
        f" WHERE catalog_id = :c AND {END} > :since AND {END} <= :head",
        c=version.catalog_id,
        since=since,
        head=version.snapshot_id,
    )
    for table in (DATA_FILE, DELETE_FILE) if len(version.segments) > 1 else ():
        found += source.query(
            f"{with_chain(source)} SELECT r.table_id, r.data_file_id FROM forklake.ducklake_tombstone z"
            f" CROSS JOIN chain c CROSS JOIN forklake.{table.name} r"
            " WHERE z.catalog_id = :c AND z.snapshot_id > :since AND z.scope_id <> 0"
            " AND r.catalog_id = c.owner_id AND r.row_uid = z.row_uid",
            **chain_params(version),
            c=version.catalog_id,
            since=since,
        )
    touched: dict[TableId, set[DataFileId]] = {}
    for table_id, file_id in found:
        touched.setdefault(TableId(table_id), set()).add(DataFileId(file_id))
    return touched


def start_snapshots(source: Source, chain: Chain, table: MetadataTable[Any], where: Where) -> set[SnapshotId]:
    """Return the snapshots of a chain at which rows of an interval table begin.

    Ended and hidden rows count too.
    """
    found = source.query(
        f"{with_chain(source)} SELECT DISTINCT r.{BEGIN} FROM chain c CROSS JOIN forklake.{table.name} r"
        f" WHERE r.catalog_id = c.owner_id AND r.{BEGIN} <= c.bound{filter_text(where)}",
        **chain_params(chain),
        **filter_params(where),
    )
    return {SnapshotId(snapshot) for (snapshot,) in found}


def start_snapshots_by_table(
    source: Source, chain: Chain, table: MetadataTable[Any]
) -> list[tuple[TableId, SnapshotId]]:
    """Return the tables and snapshots for which rows of an interval table begin.

    The rows are those of the lineage; hidden ones count too.
    """
    found = source.query(
        f"{with_chain(source)} SELECT DISTINCT r.table_id, r.{BEGIN} FROM chain c CROSS JOIN forklake.{table.name} r"
        f" WHERE r.catalog_id = c.owner_id AND r.{BEGIN} <= c.bound ORDER BY r.table_id, r.{BEGIN}",
        **chain_params(chain),
    )
    return [(TableId(of), SnapshotId(begun)) for of, begun in found]


def schema_versions(source: Source, chain: Chain) -> dict[TableId, int]:
    """Return the newest schema version of each table in the lineage."""
    found = source.query(
        f"{with_chain(source)} SELECT r.table_id, max(r.schema_version) FROM chain c"
        " CROSS JOIN forklake.ducklake_schema_versions r"
        f" WHERE r.catalog_id = c.owner_id AND r.{BEGIN} <= c.bound GROUP BY r.table_id",
        **chain_params(chain),
    )
    return {TableId(table_id): int(version) for table_id, version in found}


def own_files(source: Source, catalogs: Sequence[CatalogId]) -> dict[CatalogId, tuple[int, int]]:
    """Return the number and bytes of each catalog's own live data files.

    Files count if the catalog has a row of its own for them, copied rows too.
    """
    found = source.query(
        f"SELECT r.catalog_id, count(*), sum(r.file_size_bytes) FROM forklake.{DATA_FILE.name} r"
        f" WHERE r.catalog_id IN (:ids...) AND r.{END} = :live GROUP BY r.catalog_id",
        ids=list(catalogs),
        live=INFINITY,
    )
    return {CatalogId(catalog): (int(count), int(size)) for catalog, count, size in found}


def holders(source: Source, owner: CatalogId, limit: int) -> list[tuple[CatalogId, str]]:
    """Return catalogs that inherit rows of another one, with their last names.

    The files or inlined rows are still there. The catalogs are live or dropped, the first by id.
    """
    held = " OR ".join(
        f"EXISTS (SELECT 1 FROM forklake.{table.name} r WHERE r.catalog_id = g.owner_id"
        f" AND r.{BEGIN} <= g.upto AND r.{END} > g.upto)"
        for table in (DATA_FILE, INLINED_ROW)
    )
    found = source.query(
        "SELECT DISTINCT k.catalog_id, k.catalog_name FROM forklake.ducklake_segment g"
        " JOIN forklake.ducklake_head h ON h.catalog_id = g.catalog_id"
        " JOIN forklake.ducklake_catalog k ON k.catalog_id = g.catalog_id"
        f" WHERE g.owner_id = :owner AND ({held}) AND k.end_snapshot = (SELECT max(l.end_snapshot)"
        " FROM forklake.ducklake_catalog l WHERE l.catalog_id = k.catalog_id)"
        f" ORDER BY k.catalog_id LIMIT {int(limit)}",
        owner=owner,
    )
    return [(CatalogId(catalog), str(name)) for catalog, name in found]


def copy_interval_rows(
    session: Session,
    chain: Chain,
    table: MetadataTable[Any],
    target: tuple[CatalogId, SnapshotId],
    places: Mapping[str, Any],
) -> None:
    """Copy the inherited rows of a chain to the target; they begin at its snapshot.

    Paths become absolute: ``places`` has the directory of each owner (``roots``, beside the chain's
    owners) and of each table below it (``table_ids``, ``table_paths``, ``table_absolute``). A row of a merged
    file keeps the bound it was read with.
    """
    changed, joined, extra = {}, "", ""
    if "path" in table.columns and table.scope:
        changed = {
            "path": "CASE WHEN NOT r.path_is_relative THEN r.path WHEN d.is_absolute = 1 THEN d.path || r.path"
            " ELSE o.path || d.path || r.path END",
            "path_is_relative": "CAST(0 AS boolean)" if session.dialect.name != "sqlite" else "0",
            "read_upto": "CASE WHEN r.partial_max > c.bound THEN CASE WHEN r.read_upto < c.bound THEN r.read_upto"
            " ELSE c.bound END ELSE r.read_upto END",
        }
        unpack = session.dialect.unpack
        extra = (
            f", o(owner_id, path) AS ({unpack({'owners': 'bigint', 'roots': 'varchar'})}),"
            " d(table_id, path, is_absolute) AS"
            f" ({unpack({'table_ids': 'bigint', 'table_paths': 'varchar', 'table_absolute': 'bigint'})})"
        )
        joined = " JOIN o ON o.owner_id = c.owner_id JOIN d ON d.table_id = r.table_id"
    if "origin_snapshot_id" in table.columns:
        changed["origin_snapshot_id"] = f"coalesce(r.origin_snapshot_id, r.{BEGIN})"
    columns = ", ".join(table.columns)
    values = ", ".join(changed.get(name, f"r.{name}") for name in table.columns)
    written = session.execute(
        f"INSERT INTO forklake.{table.name} (catalog_id, {BEGIN}, row_uid, {columns})"
        f" {with_chain(session)}{extra} SELECT :target, :snapshot, {session.dialect.row_uid}, {values}"
        f" FROM chain c CROSS JOIN forklake.{table.name} r{joined}"
        f" WHERE r.catalog_id = c.owner_id AND {SHOWN} AND c.owner_id <> :target AND {_UNHIDDEN}",
        **chain_params(chain),
        **places,
        target=target[0],
        snapshot=target[1],
    )
    session.advance_row_uids(written)


def copy_following_rows(session: Session, chain: Chain, table: MetadataTable[Any], target: CatalogId) -> None:
    """Copy the rows that follow inherited rows to the target, unless it has them."""
    assert table.follows is not None
    parent, key = table.follows
    session.execute(
        f"INSERT INTO forklake.{table.name} (catalog_id, {', '.join(table.columns)}) {with_chain(session)}"
        f" SELECT DISTINCT :target, {', '.join(f'x.{name}' for name in table.columns)}"
        f" FROM chain c CROSS JOIN forklake.{parent.name} r"
        f" JOIN forklake.{table.name} x ON x.catalog_id = r.catalog_id AND x.{key} = r.{key}"
        f" WHERE r.catalog_id = c.owner_id AND {SHOWN} AND c.owner_id <> :target AND {_UNHIDDEN}"
        f" AND NOT EXISTS (SELECT 1 FROM forklake.{table.name} y WHERE y.catalog_id = :target AND y.{key} = x.{key})",
        **chain_params(chain),
        target=target,
    )


def catalog_rows(source: Source, at: SnapshotId | datetime | None, condition: str, **params: Any) -> list[Values]:
    """Return catalogs now, or at a snapshot or a time, with their newest own snapshot.

    The columns are catalog_id, catalog_name, catalog_uuid, parent_catalog_id, parent_snapshot_id, snapshot_id,
    begin_time, path, path_is_relative, begin_snapshot, end_snapshot. ``condition`` continues the WHERE clause after
    AND. The parent's snapshot is that of the last refresh, or the one at which the catalog was forked; of the past,
    always the latter.
    """
    own = "h.snapshot_id"
    pin = (
        "coalesce((SELECT g.upto FROM forklake.ducklake_segment g WHERE g.catalog_id = k.catalog_id AND g.depth = 1"
        " AND g.until = :live), k.parent_snapshot_id)"
    )
    shown = f"k.{END} = :live"
    source_rows = "forklake.ducklake_catalog k JOIN forklake.ducklake_head h ON h.catalog_id = k.catalog_id"
    if at is not None:
        moment = "s.snapshot_time <= :at" if isinstance(at, datetime) else "s.snapshot_id <= :at"
        shown = (
            "k.begin_time <= :at AND (k.end_time IS NULL OR k.end_time > :at)"
            if isinstance(at, datetime)
            else f"k.{BEGIN} <= :at AND k.{END} > :at"
        )
        before = f"FROM forklake.ducklake_snapshot s WHERE s.catalog_id = k.catalog_id AND {moment}"
        own, pin = f"(SELECT max(s.snapshot_id) {before})", "k.parent_snapshot_id"
        shown += f" AND EXISTS (SELECT 1 {before})"
        source_rows = "forklake.ducklake_catalog k"
    return source.query(
        f"SELECT k.catalog_id, k.catalog_name, k.catalog_uuid, k.parent_catalog_id, {pin}, {own},"
        f" k.begin_time, k.path, k.path_is_relative, k.{BEGIN}, k.{END} FROM {source_rows}"
        f" WHERE {shown} AND {condition}",
        at=at,
        live=INFINITY,
        **params,
    )


BEGUN = f"r.{BEGIN} <= c.bound"
"""The condition that a row was written by the bound of its owner."""
SHOWN = f"{BEGUN} AND r.{END} > c.bound"
"""The condition that it was, and had not ended."""
_UNHIDDEN = (
    "r.row_uid NOT IN (SELECT z.row_uid FROM chain n CROSS JOIN forklake.ducklake_tombstone z"
    " WHERE z.catalog_id = n.owner_id AND z.snapshot_id <= n.bound)"
)


def with_chain(source: Source) -> str:
    """Return the start of a statement on a chain.

    The chain is a common table expression with rows (depth, owner_id, bound).
    `chain_params` has the values.
    """
    return f"WITH chain(depth, owner_id, bound) AS ({source.dialect.chain})"


def chain_params(chain: Chain) -> dict[str, Any]:
    """Return the parameters of a statement that starts with `with_chain`."""
    return {
        "depths": list(range(len(chain.owners))),
        "owners": list(chain.owners),
        "bounds": list(chain.bounds),
    }
