"""Checks of rows that belong to others: followers, mappings, leases, marks."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from forklake.metastore.checks.ancestry import FORGETTABLE
from forklake.metastore.checks.check import Check, Span, span_of
from forklake.metastore.source import Source
from forklake.metastore.store import Session
from forklake.metastore.written_tables import (
    COLUMN_MAPPING,
    DATA_FILE,
    DELETE_FILE,
    MACRO,
    MACRO_IMPL,
    NAME_MAPPING,
    PARTITION_COLUMN,
    PARTITION_INFO,
    SCHEMA,
    SORT_EXPRESSION,
    SORT_INFO,
    TABLE,
    TABLES,
)
from forklake.model.ids import CatalogId

_FOLLOWERS: Final = tuple(table for table in TABLES if table.follows is not None)
_NOT_DUE: Final = "NOT EXISTS (SELECT 1 FROM forklake.ducklake_due d WHERE d.catalog_id = x.catalog_id)"


def _follower_checks() -> Iterator[Check]:
    for table in _FOLLOWERS:
        assert table.follows is not None
        parent, key = table.follows
        yield Check(
            "follower-lost",
            f"SELECT x.catalog_id, x.{key} FROM (SELECT x.catalog_id, x.{key} FROM forklake.{table.name} x"
            f" WHERE {span_of('x')} EXCEPT SELECT r.catalog_id, r.{key} FROM forklake.{parent.name} r"
            f" WHERE {span_of('r')}) x WHERE {_NOT_DUE}",
            f"Rows of {table.name} belong to {key} {{}}, of which {parent.name} has no row.",
        )
    for parent, follower, key in (
        (DATA_FILE, COLUMN_MAPPING, "mapping_id"),
        (COLUMN_MAPPING, NAME_MAPPING, "mapping_id"),
        (MACRO, MACRO_IMPL, "macro_id"),
        (PARTITION_INFO, PARTITION_COLUMN, "partition_id"),
        (SORT_INFO, SORT_EXPRESSION, "sort_id"),
    ):
        yield Check(
            "follower-missing",
            f"SELECT r.catalog_id, r.{key} FROM (SELECT DISTINCT r.catalog_id, r.{key} FROM forklake.{parent.name} r"
            f" WHERE {span_of('r')} AND r.{key} IS NOT NULL) r WHERE NOT EXISTS (SELECT 1"
            f" FROM forklake.{follower.name} x WHERE x.catalog_id = r.catalog_id AND x.{key} = r.{key})",
            f"{parent.name} has rows with {key} {{}}, which {follower.name} lacks.",
        )


def _path_checks() -> Iterator[Check]:
    for table in (DATA_FILE, DELETE_FILE, TABLE, SCHEMA):
        yield Check(
            "path-escapes",
            f"SELECT r.catalog_id, r.path FROM forklake.{table.name} r WHERE {span_of('r')} AND r.path_is_relative"
            " AND (substr(r.path, 1, 1) = '/' OR replace('/' || r.path || '/', '/../', '') <> '/' || r.path || '/')",
            f'The path "{{}}" of {table.name} is to be relative, and leads out of the catalog\'s directory.',
        )


CHECKS: Final = (
    *_follower_checks(),
    *_path_checks(),
    Check(
        "catalog-due",
        f"SELECT x.catalog_id, x.due_time FROM forklake.ducklake_due x WHERE {span_of('x')}",
        "Some of its rows may be dead, since {}; clean-up removes them.",
    ),
)


def late_leases(session: Session, span: Span, limit: int) -> list[tuple[CatalogId, str]]:
    """Return leases that have run out, each by its catalog and its id."""
    found = session.query(
        f"SELECT x.catalog_id, x.lease_id FROM forklake.ducklake_lease x WHERE {span_of('x')} AND x.end_time <= :now"
        f" LIMIT {int(limit)}",
        first=span.first,
        last=span.last,
        now=session.now(),
    )
    return [(CatalogId(catalog), str(lease)) for catalog, lease in found]


def options(source: Source, span: Span) -> list[tuple[CatalogId, str, str]]:
    """Return the options of some catalogs: catalog, key, value, each combination once."""
    found = source.query(
        "SELECT DISTINCT x.catalog_id, x.key, x.value FROM forklake.ducklake_metadata x"
        f" WHERE {span_of('x')} ORDER BY x.catalog_id, x.key",
        first=span.first,
        last=span.last,
    )
    return [(CatalogId(catalog), str(key), str(value)) for catalog, key, value in found]


def forget_lost_followers(session: Session, catalog: CatalogId) -> int:
    """Delete the rows of a catalog that belong to no row; return how many.

    The caller holds the lock of the catalog.
    """
    count = 0
    for table in _FOLLOWERS:
        assert table.follows is not None
        parent, key = table.follows
        count += session.execute(
            f"DELETE FROM forklake.{table.name} WHERE catalog_id = :c AND NOT EXISTS (SELECT 1"
            f" FROM forklake.{parent.name} r WHERE r.catalog_id = :c AND r.{key} = forklake.{table.name}.{key})"
            " AND NOT EXISTS (SELECT 1 FROM forklake.ducklake_due d WHERE d.catalog_id = :c)",
            c=catalog,
        )
    return count


def forget_unknown_owner(session: Session, catalog: CatalogId) -> int:
    """Delete leases and marks of a catalog that is not in the list; return how many."""
    return sum(
        session.execute(
            f"DELETE FROM forklake.{name} WHERE catalog_id = :c"
            " AND NOT EXISTS (SELECT 1 FROM forklake.ducklake_catalog k WHERE k.catalog_id = :c)",
            c=catalog,
        )
        for name in FORGETTABLE
    )


def catalog_page(source: Source, after: CatalogId, limit: int) -> list[CatalogId]:
    """Return a page of all catalogs that ever were, by id, after one."""
    found = source.query(
        "SELECT DISTINCT k.catalog_id FROM forklake.ducklake_catalog k WHERE k.catalog_id > :after"
        f" ORDER BY k.catalog_id LIMIT {int(limit)}",
        after=after,
    )
    return [CatalogId(catalog) for (catalog,) in found]
