"""Queries on leases: writers that may have written files which no row names yet."""

from __future__ import annotations

from datetime import datetime, timedelta

from forklake.metastore.store import Session
from forklake.model.ids import CatalogId


def write(session: Session, catalog: CatalogId, lease_id: str, seconds: float) -> None:
    """Write a lease that begins now; one of that id stays as it is."""
    now = session.now()
    session.execute(
        "INSERT INTO forklake.ducklake_lease (catalog_id, lease_id, begin_time, end_time)"
        " VALUES (:c, :lease, :now, :end) ON CONFLICT (catalog_id, lease_id) DO NOTHING",
        c=catalog,
        lease=lease_id,
        now=now,
        end=now + timedelta(seconds=seconds),
    )


def renew(session: Session, catalog: CatalogId, lease_id: str, seconds: float) -> bool:
    """Let a lease end so long after now; return False if it is gone."""
    end = session.now() + timedelta(seconds=seconds)
    return bool(
        session.execute(
            "UPDATE forklake.ducklake_lease SET end_time = :end WHERE catalog_id = :c AND lease_id = :lease",
            c=catalog,
            lease=lease_id,
            end=end,
        )
    )


def exists(session: Session, catalog: CatalogId, lease_id: str) -> bool:
    """Return whether a lease is there, whether or not it has run out."""
    return bool(
        session.query(
            "SELECT 1 FROM forklake.ducklake_lease WHERE catalog_id = :c AND lease_id = :lease",
            c=catalog,
            lease=lease_id,
        )
    )


def delete(session: Session, catalog: CatalogId, lease_id: str) -> None:
    """Delete a lease; nothing happens if it is gone."""
    session.execute(
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
