"""Queries on the files that rows name, to find those that no row does.

A row of any time counts, whether or not a snapshot still shows it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime
from typing import Final

from forklake.metastore.source import Source
from forklake.metastore.visibility import BEGUN_SINCE
from forklake.model.ids import INFINITY, CatalogId, PartitionId, SnapshotId, TableId
from forklake.model.lazy_dataclass import dataclass

_PAGE: Final = 50_000
_FILES: Final = ("ducklake_data_file", "ducklake_delete_file")
_PLACED: Final = ("ducklake_table", "ducklake_schema")

Level = tuple[str, bool]
"""A part of a path, and whether it is relative to the part before."""


def own_files(source: Source, catalog: CatalogId) -> Iterator[list[tuple[TableId, str]]]:
    """Yield the table and path of a catalog's own files with relative paths, in pages."""
    for name in _FILES:
        after, size = -1, _PAGE
        while size == _PAGE:
            found = source.query(
                f"SELECT row_uid, table_id, path FROM forklake.{name} WHERE catalog_id = :c AND row_uid > :after"
                f" AND path_is_relative ORDER BY row_uid LIMIT {_PAGE}",
                c=catalog,
                after=after,
            )
            yield [(TableId(table), str(path)) for _, table, path in found]
            size = len(found)
            after = found[-1][0] if found else after


def partitionings_of_files(source: Source, catalog: CatalogId) -> set[PartitionId]:
    """Return the partitionings that a catalog's own data files were written for."""
    found = source.query(
        "SELECT DISTINCT partition_id FROM forklake.ducklake_data_file WHERE catalog_id = :c"
        " AND partition_id IS NOT NULL",
        c=catalog,
    )
    return {PartitionId(partition) for (partition,) in found}


def table_places(
    source: Source, catalog: CatalogId, tables: Iterable[TableId]
) -> dict[TableId, set[tuple[Level, Level]]]:
    """Return the paths of the schema and the table, for each table.

    The tables are those of a catalog or its ancestors, which are told by the catalog row: it stays when a catalog is
    purged. Tables that nobody knows any more are left out.
    """
    found = source.query(
        "WITH RECURSIVE up(catalog_id) AS (SELECT CAST(:c AS bigint) UNION SELECT k.parent_catalog_id FROM up"
        " JOIN forklake.ducklake_catalog k ON k.catalog_id = up.catalog_id WHERE k.parent_catalog_id IS NOT NULL)"
        " SELECT DISTINCT t.table_id, s.path, s.path_is_relative, t.path, t.path_is_relative"
        " FROM forklake.ducklake_table t JOIN forklake.ducklake_schema s ON s.schema_id = t.schema_id"
        " WHERE t.catalog_id IN (SELECT catalog_id FROM up) AND s.catalog_id IN (SELECT catalog_id FROM up)"
        " AND t.table_id IN (:tables...)",
        c=catalog,
        tables=sorted(tables),
    )
    places: dict[TableId, set[tuple[Level, Level]]] = {}
    for table, schema_path, schema_is_relative, path, is_relative in found:
        place = (str(schema_path), bool(schema_is_relative)), (str(path), bool(is_relative))
        places.setdefault(TableId(table), set()).add(place)
    return places


def newest_snapshot(source: Source, catalog: CatalogId) -> SnapshotId:
    """Return the newest snapshot of a catalog.

    It is infinity for a purged one, which gets no rows any more.
    """
    found = source.query("SELECT snapshot_id FROM forklake.ducklake_head WHERE catalog_id = :c", c=catalog)
    return SnapshotId(found[0][0]) if found else INFINITY


@dataclass(frozen=True, slots=True)
class Claims:
    """What speaks against the deletion of files below a catalog's directory.

    Attributes:
        named: Those of the paths that a row of any catalog names by its absolute path, or that are scheduled.
        added: The relative paths of own files that were added since a snapshot.
        newest: The newest snapshot, up to which ``added`` is complete.
        leased_since: The beginning of the oldest lease.
        places: Absolute paths of tables and schemas of any catalog.
        catalogs: The stored paths of catalogs whose directories lie below this one's.
    """

    named: frozenset[str]
    added: frozenset[str]
    newest: SnapshotId | None
    leased_since: datetime | None
    places: frozenset[str]
    catalogs: frozenset[str]


def claims(
    source: Source,
    catalog: CatalogId,
    stored_path: str,
    paths: Sequence[str],
    since: SnapshotId,
    leased_after: datetime | None,
) -> Claims:
    """Return what speaks against the deletion of files, all from one statement.

    So a writer that ends its lease by its commit is seen with the one or with the rows of the other.

    Args:
        source: The database.
        catalog: The catalog.
        stored_path: Its directory, in its stored form.
        paths: The files, by absolute path.
        since: The snapshot since which own rows are asked for.
        leased_after: Leases that have run out by then do not count; None: all that are there do.
    """
    found = source.query(
        _claims_statement(is_at_base=not stored_path, counts_all_leases=leased_after is None),
        c=catalog,
        paths=list(paths),
        since=since,
        now=leased_after,
        first=stored_path,
        last=stored_path.rstrip("/") + "0",
    )
    told = {kind: frozenset(str(path) for told, path, _ in found if told == kind) for kind, _, _ in found}
    begun = next(time for kind, _, time in found if kind == "lease")
    newest = next(iter(told.get("newest", ())), None)
    return Claims(
        named=told.get("named", frozenset()),
        added=told.get("added", frozenset()),
        newest=None if newest is None else SnapshotId(int(newest)),
        leased_since=None if begun is None else source.time(begun),
        places=told.get("place", frozenset()),
        catalogs=told.get("catalog", frozenset()),
    )


def _claims_statement(*, is_at_base: bool, counts_all_leases: bool) -> str:
    running = "" if counts_all_leases else " AND end_time > :now"
    below = "path_is_relative" if is_at_base else "fold(path) >= fold(:first) AND fold(path) < fold(:last)"
    return " UNION ALL ".join(
        (
            f"SELECT 'lease', '', min(begin_time) FROM forklake.ducklake_lease WHERE catalog_id = :c{running}",
            *(
                f"SELECT 'named', path, NULL FROM forklake.{name} WHERE NOT path_is_relative AND path IN (:paths...)"
                for name in _FILES
            ),
            "SELECT 'named', path, NULL FROM forklake.ducklake_files_scheduled_for_deletion"
            " WHERE catalog_id = :c AND path IN (:paths...)",
            *(
                f"SELECT 'added', path, NULL FROM forklake.{name} WHERE catalog_id = :c AND path_is_relative"
                f" AND {BEGUN_SINCE}"
                " AND :since < (SELECT snapshot_id FROM forklake.ducklake_head WHERE catalog_id = :c)"
                for name in _FILES
            ),
            "SELECT 'newest', CAST(snapshot_id AS varchar), NULL FROM forklake.ducklake_head WHERE catalog_id = :c",
            *(f"SELECT 'place', path, NULL FROM forklake.{name} WHERE NOT path_is_relative" for name in _PLACED),
            f"SELECT 'catalog', path, NULL FROM forklake.ducklake_catalog WHERE catalog_id <> :c AND {below}",
        )
    )
