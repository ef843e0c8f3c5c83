"""Differences: which rows only one of two versions shows.

A part of `visibility`, and like it a page of SQL: docs/spec/merge.md states the rule. What came and went between the
two versions is never read, and neither is what both show: for each owner, only rows that begin or end between its two
bounds, or are hidden between them, can differ.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import field
from typing import Any, Final

from forklake.metastore.schema.description import Visibility
from forklake.metastore.source import Source
from forklake.metastore.visibility import Chain, chain_params, visible, with_chain
from forklake.metastore.written_tables import BEGIN, DATA_FILE, DELETE_FILE, END, TABLE_STATS, MetadataTable, R
from forklake.model.ids import CatalogId, DataFileId, RowUid, SnapshotId, TableId
from forklake.model.lazy_dataclass import dataclass

_NOT_THERE: Final = SnapshotId(-1)
_BATCH: Final = 10_000
_STEPS: Final = 8
"""The owners that one statement asks for. SQLite allows 500 parts of a statement, DuckDB takes its time for many."""


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
    found = candidates(source, one, other, [table], tables)[table]
    mine, theirs = (
        visible_by_uids(source, chain, table, of) for chain, of in ((one, found.first), (other, found.second))
    )
    return without_shared(mine, theirs)


def without_shared(mine: Sequence[R], theirs: Sequence[R]) -> tuple[list[R], list[R]]:
    """Return two lists of rows without those that are in both."""
    shared = {row.uid for row in mine} & {row.uid for row in theirs}
    return [row for row in mine if row.uid not in shared], [row for row in theirs if row.uid not in shared]


def visible_by_uids(source: Source, chain: Chain, table: MetadataTable[R], uids: Collection[RowUid]) -> list[R]:
    """Return those rows of an interval table with some uids that a version shows."""
    wanted = sorted(uids)
    found: list[R] = []
    for begin in range(0, len(wanted), _BATCH):
        found += visible(source, chain, table, {"row_uid": wanted[begin : begin + _BATCH]})
    return found


@dataclass(frozen=True, slots=True)
class Candidates:
    """The uids of rows that only one of two versions may show.

    The first set is of those that the first version may show. Rows of other metadata tables that were hidden are among
    them.
    """

    first: set[RowUid] = field(default_factory=set)
    second: set[RowUid] = field(default_factory=set)


def candidates(
    source: Source,
    one: Chain,
    other: Chain,
    kinds: Sequence[MetadataTable[Any]],
    tables: Sequence[TableId] | None = None,
) -> dict[MetadataTable[Any], Candidates]:
    """Return which rows of interval tables only one of two versions may show.

    What begins between the bounds of its owner is shown by the version with the higher bound at most, what ends there
    by the other. What is hidden between them may be shown by either. There is one statement for each few owners whose
    bounds differ.
    """
    assert all(kind.visibility is Visibility.INTERVAL for kind in kinds)
    found = {kind: Candidates() for kind in kinds}
    if tables is not None and not tables:
        kinds = [kind for kind in kinds if kind.scope is None]

    def ask(place: int) -> list[str]:
        changed = [text for number, kind in enumerate(kinds) for text in _ask_rows(number, kind, place, tables)]
        return changed + _ask_tombstones(kinds, place, tables)

    params: dict[str, Any] = {} if tables is None else {"of": list(tables)}
    for step, number, what, uid in _ask_steps(source, one, other, ask, **params):
        if what == _HIDDEN:
            of = [kind for kind in kinds if (kind.scope is not None) == bool(number)]
        else:
            of = [kinds[number]]
        # What began there is not in the version with the lower bound, and what ended there not in the other.
        for kind in of:
            if what != (_BEGUN if step.is_first_lower else _ENDED):
                found[kind].first.add(RowUid(uid))
            if what != (_ENDED if step.is_first_lower else _BEGUN):
                found[kind].second.add(RowUid(uid))
    return found


_BEGUN, _ENDED, _HIDDEN = range(3)


def _ask_rows(number: int, kind: MetadataTable[Any], place: int, tables: Sequence[TableId] | None) -> tuple[str, str]:
    rows = f"r.row_uid FROM forklake.{kind.name} r WHERE r.catalog_id = :owner{place}"
    if tables is not None and kind.scope is not None:
        rows += f" AND r.{kind.scope} IN (:of...)"
    return (
        f"SELECT {place}, {number}, {_BEGUN}, {rows}"
        f" AND r.{END} > :high{place} AND r.{BEGIN} > :low{place} AND r.{BEGIN} <= :high{place}",
        f"SELECT {place}, {number}, {_ENDED}, {rows}"
        f" AND r.{END} > :low{place} AND r.{END} <= :high{place} AND r.{BEGIN} <= :low{place}",
    )


def _ask_tombstones(kinds: Sequence[MetadataTable[Any]], place: int, tables: Sequence[TableId] | None) -> list[str]:
    rows = (
        f"{_HIDDEN}, z.row_uid FROM forklake.ducklake_tombstone z WHERE z.catalog_id = :owner{place}"
        f" AND z.snapshot_id > :low{place} AND z.snapshot_id <= :high{place}"
    )
    scoped = "> 0" if tables is None else "IN (:of...)"
    asked = [f"SELECT {place}, 0, {rows} AND z.scope_id = 0"] if any(kind.scope is None for kind in kinds) else []
    if any(kind.scope is not None for kind in kinds):
        asked.append(f"SELECT {place}, 1, {rows} AND z.scope_id {scoped}")
    return asked


def may_differ(source: Source, one: Chain, other: Chain, tables: Sequence[MetadataTable[Any]]) -> list[bool]:
    """Return of which interval tables two versions may show different rows.

    There is one statement for each few owners whose bounds differ. Where it says no, `shown_by_one` finds nothing.
    """
    hidden = len(tables)  # a tombstone of a row that belongs to no table of the lake; then one of a row that does

    def ask(place: int) -> list[str]:
        asked = [
            f"SELECT {place}, {number} WHERE EXISTS (SELECT 1 FROM forklake.{table.name} r"
            f" WHERE r.catalog_id = :owner{place}"
            f" AND r.{END} > :high{place} AND r.{BEGIN} > :low{place} AND r.{BEGIN} <= :high{place})"
            f" OR EXISTS (SELECT 1 FROM forklake.{table.name} r WHERE r.catalog_id = :owner{place}"
            f" AND r.{END} > :low{place} AND r.{END} <= :high{place} AND r.{BEGIN} <= :low{place})"
            for number, table in enumerate(tables)
        ]
        return asked + [
            f"SELECT {place}, {hidden + more} WHERE EXISTS (SELECT 1 FROM forklake.ducklake_tombstone z"
            f" WHERE z.catalog_id = :owner{place} AND z.snapshot_id > :low{place} AND z.snapshot_id <= :high{place}"
            f" AND z.scope_id {which})"
            for more, which in enumerate(("= 0", "> 0"))
        ]

    found = {int(number) for _, number in _ask_steps(source, one, other, ask)}
    return [
        number in found or hidden in found or (table.scope is not None and hidden + 1 in found)
        for number, table in enumerate(tables)
    ]


def may_show(source: Source, chain: Chain, tables: Sequence[MetadataTable[Any]]) -> list[bool]:
    """Return of which interval tables a version may show rows, in one statement."""
    asked = [
        f"SELECT {number} WHERE EXISTS (SELECT 1 FROM chain c CROSS JOIN forklake.{table.name} r"
        f" WHERE r.catalog_id = c.owner_id AND r.{BEGIN} <= c.bound AND r.{END} > c.bound)"
        for number, table in enumerate(tables)
    ]
    rows = source.query(f"{with_chain(source)} {' UNION ALL '.join(asked)}", **chain_params(chain))
    found = {int(number) for (number,) in rows}
    return [number in found for number in range(len(tables))]


def uids_of_files(
    source: Source, chains: Sequence[Chain], kinds: Sequence[MetadataTable[Any]], files: Collection[DataFileId]
) -> list[dict[MetadataTable[Any], list[RowUid]]]:
    """Return the uids of rows of some data files that versions may show.

    They come for each version and metadata table. The metadata tables are interval tables that name data files. They
    are asked in one statement, by the ids of the files, however many files and versions there are.
    """
    found: list[dict[MetadataTable[Any], list[RowUid]]] = [{kind: [] for kind in kinds} for _ in chains]
    if not files:
        return found
    unpack = source.dialect.unpack
    # The order of the joins is that of the indexes, and columns beside those of the index are left out: else SQLite
    # would not choose that of files, and read all rows of the owners.
    asked = [
        f"SELECT {number}, r.row_uid, r.catalog_id FROM wanted w CROSS JOIN owners o"
        f" CROSS JOIN forklake.{kind.name} r WHERE r.catalog_id = o.owner_id AND r.data_file_id = w.file_id"
        for number, kind in enumerate(kinds)
    ]
    rows = source.query(
        f"WITH wanted(file_id) AS ({unpack({'files': 'bigint'})}), owners(owner_id) AS ({unpack({'owners': 'bigint'})})"
        f" {' UNION ALL '.join(asked)}",
        files=sorted(files),
        owners=sorted({owner for chain in chains for owner in chain.owners}),
    )
    of_chains = list(zip(found, (set(chain.owners) for chain in chains), strict=True))
    for number, uid, owner in rows:
        for of_chain, owners in of_chains:
            if owner in owners:
                of_chain[kinds[number]].append(RowUid(uid))
    return found


def changed_tables(source: Source, one: Chain, other: Chain, imported: Collection[CatalogId]) -> set[TableId]:
    """Return the tables of which either version may hold what the other does not.

    Every commit that changes rows or files of a table writes statistics of it. ``imported`` has the owners that
    `imported_owners` found.
    """

    def ask(place: int) -> list[str]:
        between = f":low{place} AND {{0}} <= :high{place}"
        return [
            f"SELECT DISTINCT {place}, table_id FROM forklake.{TABLE_STATS.name}"
            f" WHERE catalog_id = :owner{place} AND {BEGIN} > {between.format(BEGIN)}",
            f"SELECT DISTINCT {place}, scope_id FROM forklake.ducklake_tombstone"
            f" WHERE catalog_id = :owner{place} AND snapshot_id > {between.format('snapshot_id')} AND scope_id > 0",
        ]

    found = {TableId(table) for _, table in _ask_steps(source, one, other, ask)}
    return found | {table for table, _ in read_otherwise(source, one, other, imported)}


def imported_owners(source: Source, owners: Collection[CatalogId]) -> set[CatalogId]:
    """Return those of some catalogs that were imported."""
    found = source.query(
        "SELECT DISTINCT catalog_id FROM forklake.ducklake_numbering WHERE catalog_id IN (:owners...)",
        owners=sorted(owners),
    )
    return {CatalogId(catalog) for (catalog,) in found}


def read_otherwise(
    source: Source,
    one: Chain,
    other: Chain,
    imported: Collection[CatalogId],
    tables: Sequence[TableId] | None = None,
) -> set[tuple[TableId, DataFileId]]:
    """Return data files that both versions may show, of which one shows fewer rows.

    Only files that were merged before an import hold rows that are younger than themselves, so only owners are asked
    that were ``imported``.
    """
    found: set[tuple[TableId, DataFileId]] = set()
    if tables is not None and not tables:
        return found
    of_tables, params = ("", {}) if tables is None else (" AND r.table_id IN (:of...)", {"of": list(tables)})
    for step in _between(one, other):
        for name in (DATA_FILE.name, DELETE_FILE.name) if step.owner in imported else ():
            rows = source.query(
                f"SELECT r.table_id, r.data_file_id FROM forklake.{name} r WHERE r.catalog_id = :owner{of_tables}"
                f" AND r.partial_max > :low AND r.{BEGIN} <= :low AND r.{END} > :high",
                owner=step.owner,
                low=step.low,
                high=step.high,
                **params,
            )
            found |= {(TableId(table), DataFileId(file)) for table, file in rows}
    return found


@dataclass(frozen=True, slots=True)
class _Step:
    """An owner whose bounds differ, with the lower and the higher one.

    It says whether the first version has the lower one.
    """

    owner: CatalogId
    low: SnapshotId
    high: SnapshotId
    is_first_lower: bool


def _between(one: Chain, other: Chain) -> Iterator[_Step]:
    """Yield the owners whose bounds differ."""
    bounds = [dict(zip(chain.owners, chain.bounds, strict=True)) for chain in (one, other)]
    for owner in dict.fromkeys((*one.owners, *other.owners)):
        first, second = (bound.get(owner, _NOT_THERE) for bound in bounds)
        if first != second:
            yield _Step(owner, min(first, second), max(first, second), first < second)


def _ask_steps(
    source: Source, one: Chain, other: Chain, ask: Callable[[int], Sequence[str]], **params: Any
) -> Iterator[tuple[Any, ...]]:
    """Yield what is found for the owners whose bounds differ.

    Each time it is the step, and then the values.

    Args:
        source: The database.
        one: The chain of a version.
        other: The chain of another one.
        ask: Returns the queries for one place. Each returns the place first, and has the parameters owner, low and
            high with the place at the end of their names.
        params: Further parameters.
    """
    between = list(_between(one, other))
    for begin in range(0, len(between), _STEPS):
        steps = between[begin : begin + _STEPS]
        asked = [text for place in range(len(steps)) for text in ask(place)]
        given = {
            f"{name}{place}": value
            for place, step in enumerate(steps)
            for name, value in (("owner", step.owner), ("low", step.low), ("high", step.high))
        }
        for place, *values in source.query(" UNION ALL ".join(asked), **given, **params) if asked else ():
            yield steps[place], *values
