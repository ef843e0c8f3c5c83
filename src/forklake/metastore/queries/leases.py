"""Queries on leases: writers that may have written files which no row names yet."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

from forklake.metastore.queries.option_rows import IN_SCOPE, scope_params
from forklake.metastore.source import Question
from forklake.metastore.store import Session, Store
from forklake.model.ids import CatalogId


def write(store: Store, catalog: CatalogId, lease_id: str) -> None:
    """Write a lease that begins now; one of that id stays as it is."""
    store.execute(
        "INSERT INTO forklake.ducklake_lease (catalog_id, lease_id, begin_time, end_time)"
        f" VALUES (:c, :lease, {store.dialect.now}, {store.dialect.later})"
        " ON CONFLICT (catalog_id, lease_id) DO NOTHING",
        c=catalog,
        lease=lease_id,
        **_times(store),
    )


def ask_for(store: Store, catalog: CatalogId, lease_id: str, schema_id: int, table_id: int) -> Question[bool]:
    """Write a lease, and tell whether it is there.

    It is not written where an option of a table may let rows go into the metadata. It does no harm if this runs twice.
    An embedded store is not asked it: its questions write nothing.
    """
    return Question(
        "INSERT INTO forklake.ducklake_lease (catalog_id, lease_id, begin_time, end_time)"
        f" SELECT :c, :lease, {store.dialect.now}, {store.dialect.later} WHERE NOT EXISTS"
        " (SELECT 1 FROM forklake.ducklake_metadata"
        f" WHERE key = 'data_inlining_row_limit' AND value <> '0' AND {IN_SCOPE})"
        " ON CONFLICT (catalog_id, lease_id) DO UPDATE SET lease_id = excluded.lease_id RETURNING 1",
        scope_params(catalog, schema_id, table_id) | {"lease": lease_id} | _times(store),
        bool,
    )


def renew(store: Store, catalog: CatalogId, lease_id: str) -> bool:
    """Let the time of a lease begin anew; return False if it is gone."""
    return bool(
        store.execute(
            f"UPDATE forklake.ducklake_lease SET end_time = {store.dialect.later}"
            " WHERE catalog_id = :c AND lease_id = :lease",
            c=catalog,
            lease=lease_id,
            **_times(store),
        )
    )


def _times(store: Store) -> dict[str, Any]:
    """Return what a dialect may ask for to tell the time."""
    now, seconds = store.settings.clock.now(), store.settings.lease_seconds
    return {"now": now, "later": now + timedelta(seconds=seconds), "seconds": seconds}


def exists(session: Session, catalog: CatalogId, lease_id: str) -> bool:
    """Return whether a lease is there, whether or not it has run out."""
    return bool(
        session.query(
            "SELECT 1 FROM forklake.ducklake_lease WHERE catalog_id = :c AND lease_id = :lease",
            c=catalog,
            lease=lease_id,
        )
    )


def delete(source: Session | Store, catalog: CatalogId, lease_id: str) -> None:
    """Delete a lease; nothing happens if it is gone."""
    source.execute(
        "DELETE FROM forklake.ducklake_lease WHERE catalog_id = :c AND lease_id = :lease", c=catalog, lease=lease_id
    )


def delete_run_out(session: Session, catalog: CatalogId, begun_before: datetime | None) -> int:
    """Delete the leases of a catalog that have run out; return how many.

    Only those that began before a time, if one is given.
    """
    begun = "" if begun_before is None else " AND begin_time < :begun"
    return session.execute(
        f"DELETE FROM forklake.ducklake_lease WHERE catalog_id = :c AND end_time <= :now{begun}",
        c=catalog,
        now=session.now(),
        begun=begun_before,
    )


def catalogs_with_run_out(session: Session) -> set[CatalogId]:
    """Return the catalogs with leases that have run out."""
    found = session.query(
        "SELECT DISTINCT catalog_id FROM forklake.ducklake_lease WHERE end_time <= :now", now=session.now()
    )
    return {CatalogId(catalog) for (catalog,) in found}


def count_running(session: Session, catalog: CatalogId | None) -> int:
    """Return how many leases of a catalog, or of all, have not run out."""
    of = "" if catalog is None else " AND catalog_id = :c"
    found = session.query(
        f"SELECT count(*) FROM forklake.ducklake_lease WHERE end_time > :now{of}", now=session.now(), c=catalog
    )
    return int(found[0][0])
