"""Differences: which rows only one of two versions shows.

A part of `visibility`, and like it a page of SQL: docs/spec/merge.md states the rule. What came and went between the
two versions is never read, and neither is what both show: for each owner, only rows that begin or end between its two
bounds, or are hidden between them, can differ.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any, Final

from forklake.metastore.schema.description import Visibility
from forklake.metastore.visibility import Chain, Source, chain_params, visible, with_chain
from forklake.metastore.written_tables import BEGIN, DATA_FILE, DELETE_FILE, END, TABLE_STATS, MetadataTable, R
from forklake.model.ids import CatalogId, DataFileId, RowUid, SnapshotId, TableId

_NOT_THERE: Final = SnapshotId(-1)
_BATCH: Final = 10_000


def shown_by_one(
    source: Source, one: Chain, other: Chain, table: MetadataTable[R], tables: Sequence[TableId] | None = None
) -> tuple[list[R], list[R]]:
    """Return the rows of an interval table that only one of two versions shows.

    First come those of the first version, then those of the other.

    Args:
        source: The database, at one state.
        one: The chain of the first version.
        other: The chain of the other.
        table: The metadata table.
        tables: Only rows of these tables of the lake are asked for.
    """
    assert table.visibility is Visibility.INTERVAL
    uids = sorted(_candidates(source, one, other, table, tables))
    first: list[R] = []
    second: list[R] = []
    for begin in range(0, len(uids), _BATCH):
        where: dict[str, Any] = {"row_uid": uids[begin : begin + _BATCH]}
        mine, theirs = visible(source, one, table, where), visible(source, other, table, where)
        shared = {row.uid for row in mine} & {row.uid for row in theirs}
        first += [row for row in mine if row.uid not in shared]
        second += [row for row in theirs if row.uid not in shared]
    return first, second


def may_differ(source: Source, one: Chain, other: Chain, tables: Sequence[MetadataTable[Any]]) -> list[bool]:
    """Return of which interval tables two versions may show different rows.

    It costs one statement for each owner whose bounds differ. Where it says no, `shown_by_one` finds nothing.
    """
    found: set[int] = set()
    hidden = len(tables)  # a tombstone of a row that belongs to no table of the lake; then one of a row that does
    for owner, low, high in _between(one, other):
        asked = [
            f"SELECT {number} WHERE EXISTS (SELECT 1 FROM forklake.{table.name} r WHERE r.catalog_id = :owner"
            f" AND r.{END} > :high AND r.{BEGIN} > :low AND r.{BEGIN} <= :high)"
            f" OR EXISTS (SELECT 1 FROM forklake.{table.name} r WHERE r.catalog_id = :owner"
            f" AND r.{END} > :low AND r.{END} <= :high AND r.{BEGIN} <= :low)"
            for number, table in enumerate(tables)
        ]
        asked += [
            f"SELECT {hidden + more} WHERE EXISTS (SELECT 1 FROM forklake.ducklake_tombstone z"
            f" WHERE z.catalog_id = :owner AND z.snapshot_id > :low AND z.snapshot_id <= :high AND z.scope_id {which})"
            for more, which in enumerate(("= 0", "> 0"))
        ]
        found |= {int(number) for (number,) in source.query(" UNION ALL ".join(asked), owner=owner, low=low, high=high)}
    return [
        number in found or hidden in found or (table.scope is not None and hidden + 1 in found)
        for number, table in enumerate(tables)
    ]


def visible_of_files(source: Source, chain: Chain, table: MetadataTable[R], files: Collection[DataFileId]) -> list[R]:
    """Return the visible rows of some data files, in a table that names them.

    They are found by the ids of the files, however many files there are.
    """
    wanted = source.dialect.unpack({"files": "bigint"})
    found = source.query(
        # The order of the joins is that of the indexes; a list of ids alone would not make SQLite choose that of files.
        f"{with_chain(source)}, wanted(file_id) AS ({wanted}) SELECT r.row_uid FROM wanted w CROSS JOIN chain c"
        f" CROSS JOIN forklake.{table.name} r WHERE r.catalog_id = c.owner_id AND r.data_file_id = w.file_id",
        **chain_params(chain),
        files=sorted(files),
    )
    uids = sorted(uid for (uid,) in found)
    rows: list[R] = []
    for begin in range(0, len(uids), _BATCH):
        rows += visible(source, chain, table, {"row_uid": uids[begin : begin + _BATCH]})
    return rows


def changed_tables(source: Source, one: Chain, other: Chain) -> set[TableId]:
    """Return the tables of which either version may hold what the other does not.

    Every commit that changes rows or files of a table writes statistics of it.
    """
    found: set[TableId] = set()
    for owner, low, high in _between(one, other):
        rows = source.query(
            f"SELECT DISTINCT table_id FROM forklake.{TABLE_STATS.name}"
            f" WHERE catalog_id = :owner AND {BEGIN} > :low AND {BEGIN} <= :high",
            owner=owner,
            low=low,
            high=high,
        )
        found |= {TableId(table) for (table,) in rows}
        hidden = source.query(
            "SELECT DISTINCT scope_id FROM forklake.ducklake_tombstone"
            " WHERE catalog_id = :owner AND snapshot_id > :low AND snapshot_id <= :high AND scope_id > 0",
            owner=owner,
            low=low,
            high=high,
        )
        found |= {TableId(table) for (table,) in hidden}
    return found | {table for table, _ in read_otherwise(source, one, other)}


def read_otherwise(
    source: Source, one: Chain, other: Chain, tables: Sequence[TableId] | None = None
) -> set[tuple[TableId, DataFileId]]:
    """Return data files that both versions may show, of which one shows fewer rows.

    Only files that were merged before an import hold rows that are younger than themselves.
    """
    between = list(_between(one, other))
    found: set[tuple[TableId, DataFileId]] = set()
    if not between or (tables is not None and not tables):
        return found
    imported = source.query(
        "SELECT DISTINCT catalog_id FROM forklake.ducklake_numbering WHERE catalog_id IN (:owners...)",
        owners=[owner for owner, _, _ in between],
    )
    numbered = {CatalogId(catalog) for (catalog,) in imported}
    of_tables, params = ("", {}) if tables is None else (" AND r.table_id IN (:of...)", {"of": list(tables)})
    for owner, low, high in between:
        for name in (DATA_FILE.name, DELETE_FILE.name) if owner in numbered else ():
            rows = source.query(
                f"SELECT r.table_id, r.data_file_id FROM forklake.{name} r WHERE r.catalog_id = :owner{of_tables}"
                f" AND r.partial_max > :low AND r.{BEGIN} <= :low AND r.{END} > :high",
                owner=owner,
                low=low,
                high=high,
                **params,
            )
            found |= {(TableId(table), DataFileId(file)) for table, file in rows}
    return found


def _between(one: Chain, other: Chain) -> Iterator[tuple[CatalogId, SnapshotId, SnapshotId]]:
    """Yield each owner whose bounds differ, with the lower and the higher one."""
    bounds: list[Mapping[CatalogId, SnapshotId]] = [
        dict(zip(chain.owners, chain.bounds, strict=True)) for chain in (one, other)
    ]
    for owner in dict.fromkeys((*one.owners, *other.owners)):
        low, high = sorted(bound.get(owner, _NOT_THERE) for bound in bounds)
        if low != high:
            yield owner, low, high


def _candidates(
    source: Source, one: Chain, other: Chain, table: MetadataTable[Any], tables: Sequence[TableId] | None
) -> set[RowUid]:
    """Return the uids of rows that may differ.

    Among them are rows of other metadata tables that were hidden.
    """
    of_tables, of_scopes, params = "", "", {}
    if tables is not None and table.scope is not None:
        if not tables:
            return set()
        of_tables, of_scopes, params = (
            f" AND r.{table.scope} IN (:of...)",
            " AND z.scope_id IN (:of...)",
            {"of": list(tables)},
        )
    elif table.scope is None:
        of_scopes = " AND z.scope_id = 0"
    found: set[RowUid] = set()
    for owner, low, high in _between(one, other):
        rows = source.query(
            f"SELECT r.row_uid FROM forklake.{table.name} r WHERE r.catalog_id = :owner{of_tables}"
            f" AND r.{END} > :high AND r.{BEGIN} > :low AND r.{BEGIN} <= :high"
            f" UNION SELECT r.row_uid FROM forklake.{table.name} r WHERE r.catalog_id = :owner{of_tables}"
            f" AND r.{END} > :low AND r.{END} <= :high AND r.{BEGIN} <= :low"
            " UNION SELECT z.row_uid FROM forklake.ducklake_tombstone z WHERE z.catalog_id = :owner"
            f" AND z.snapshot_id > :low AND z.snapshot_id <= :high{of_scopes}",
            owner=owner,
            low=low,
            high=high,
            **params,
        )
        found |= {RowUid(uid) for (uid,) in rows}
    return found
