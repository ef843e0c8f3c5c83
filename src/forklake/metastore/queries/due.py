"""Queries on catalogs that are due: some of their rows may be dead."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime

from forklake.metastore.source import Source
from forklake.metastore.store import Session
from forklake.metastore.written_tables import DATA_FILE, DELETE_FILE, TABLE
from forklake.model.ids import CatalogId


def mark_due(session: Session, catalogs: Iterable[CatalogId]) -> None:
    """Note that rows of catalogs may have died.

    Whoever makes them die calls this in the same transaction.
    """
    session.execute(
        "INSERT INTO forklake.ducklake_due (catalog_id, due_time)"
        f" WITH u(catalog_id) AS ({session.dialect.unpack({'ids': 'bigint'})})"
        " SELECT u.catalog_id, :now FROM u WHERE u.catalog_id >= 0 ORDER BY u.catalog_id"
        " ON CONFLICT (catalog_id) DO UPDATE SET due_time = excluded.due_time",
        ids=sorted(set(catalogs)),
        now=session.now(),
    )


def mark_ancestors_due(session: Session, writers: Iterable[CatalogId], but: Iterable[CatalogId]) -> None:
    """Note that rows of ancestors may have died, for what some catalogs wrote is gone.

    Columns and partitionings of an ancestor stay for files and inlined rows that are read with them. Those of a writer
    are read through its own chains, and through those of its forks, which outlast it.

    Args:
        session: The transaction in which files and inlined rows went.
        writers: The catalogs that wrote them.
        but: Ancestors that need no note.
    """
    # Nothing lies beyond a root, which may have any number of forks.
    found = session.query(
        "SELECT g.owner_id FROM forklake.ducklake_segment g WHERE g.catalog_id IN (:ids...)"
        " UNION SELECT g.owner_id FROM forklake.ducklake_segment w JOIN forklake.ducklake_segment g"
        " ON g.catalog_id = w.catalog_id AND g.since = w.since AND g.depth > w.depth WHERE w.owner_id IN"
        " (SELECT c.catalog_id FROM forklake.ducklake_catalog c WHERE c.catalog_id IN (:ids...)"
        " AND c.parent_catalog_id IS NOT NULL)",
        ids=sorted(set(writers)),
    )
    mark_due(session, {CatalogId(owner) for (owner,) in found}.difference(but))


def due_times(source: Source, catalogs: Sequence[CatalogId]) -> dict[CatalogId, datetime]:
    """Return since when each of some catalogs is due; those that are not are left out."""
    found = source.query(
        "SELECT catalog_id, due_time FROM forklake.ducklake_due WHERE catalog_id IN (:ids...)", ids=list(catalogs)
    )
    return {CatalogId(catalog): source.time(time) for catalog, time in found}


def due_catalogs(source: Source, after: CatalogId | None, limit: int) -> list[CatalogId]:
    """Return a page of the catalogs that are due.

    Forks come before their ancestors, which have lower ids.
    """
    found = source.query(
        "SELECT catalog_id FROM forklake.ducklake_due WHERE catalog_id < :after"
        f" ORDER BY catalog_id DESC LIMIT {int(limit)}",
        after=2**63 - 1 if after is None else after,
    )
    return [CatalogId(catalog) for (catalog,) in found]


def forget_due(session: Session, since: Mapping[CatalogId, datetime]) -> None:
    """Note that catalogs were collected which were due since some time.

    Those stay due of which more rows died meanwhile.
    """
    for time in sorted(set(since.values())):
        session.execute(
            "DELETE FROM forklake.ducklake_due WHERE catalog_id IN (:ids...) AND due_time = :time",
            ids=[catalog for catalog, of in since.items() if of == time],
            time=time,
        )


def tables_of_due_files(source: Source, tables: Iterable[int], but: Sequence[CatalogId]) -> set[int]:
    """Return the tables of which other due catalogs have files.

    The paths of those files are still to be found.
    """
    wanted = sorted(set(tables))
    found = [
        row
        for files in (DATA_FILE, DELETE_FILE)
        for row in source.query(
            f"SELECT DISTINCT f.table_id FROM forklake.ducklake_due d JOIN forklake.{files.name} f"
            " ON f.catalog_id = d.catalog_id AND f.table_id IN (:tables...) WHERE NOT (d.catalog_id IN (:but...))",
            tables=wanted,
            but=list(but),
        )
    ]
    return {int(table) for (table,) in found}


def schemas_of_due_tables(
    source: Source, schemas: Iterable[int], kept: Iterable[int], but: Sequence[CatalogId]
) -> set[int]:
    """Return the schemas in which tables are that tell where files lie.

    Those are tables of which rows were kept for that, and tables of other due catalogs.
    """
    wanted = sorted(set(schemas))
    found = source.query(
        f"SELECT t.schema_id FROM forklake.{TABLE.name} t WHERE t.table_id IN (:kept...)"
        " AND t.schema_id IN (:schemas...) UNION SELECT t.schema_id FROM forklake.ducklake_due d"
        f" JOIN forklake.{TABLE.name} t ON t.catalog_id = d.catalog_id AND t.schema_id IN (:schemas...)"
        " WHERE NOT (d.catalog_id IN (:but...))",
        kept=sorted(set(kept)),
        schemas=wanted,
        but=list(but),
    )
    return {int(schema) for (schema,) in found}
