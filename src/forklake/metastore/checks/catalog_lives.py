"""Checks of the totals of catalogs' files, and of tags."""

from __future__ import annotations

from typing import Final

from forklake.metastore.checks.check import Check, has_head, span_of
from forklake.metastore.limits import OWN_BYTES, OWN_FILES, count_own
from forklake.metastore.store import Session
from forklake.model.ids import CatalogId

_LOST: Final = (
    "NOT EXISTS (SELECT 1 FROM forklake.ducklake_snapshot s"
    " WHERE s.catalog_id = {0}.catalog_id AND s.snapshot_id = {0}.snapshot_id)"
)

CHECKS: Final = (
    Check(
        "own-totals",
        "SELECT h.catalog_id, h.own_files, h.own_bytes, h.files, h.bytes FROM (SELECT catalog_id, own_files, own_bytes,"
        f" {OWN_FILES} AS files, {OWN_BYTES} AS bytes FROM forklake.ducklake_head"
        " WHERE catalog_id >= :first AND catalog_id <= :last) h"
        " WHERE h.own_files <> h.files OR h.own_bytes <> h.bytes",
        "The head counts {} own files of {} bytes, and there are {} of {} bytes; quotas go by the head.",
    ),
    Check(
        "tag-lost",
        f"SELECT r.catalog_id, r.tag_name, r.snapshot_id FROM forklake.ducklake_snapshot_tag r WHERE {span_of('r')}"
        f" AND {has_head('r')} AND {_LOST.format('r')}",
        'The tag "{}" names snapshot {}, which the catalog does not have.',
    ),
)


def count_again(session: Session, catalog: CatalogId) -> int:
    """Count the own files of a catalog anew; return how many heads were wrong."""
    # The head is taken first: a commit in flight is waited for, and then counted.
    session.execute("UPDATE forklake.ducklake_head SET live = live WHERE catalog_id = :c", c=catalog)
    return count_own(session, catalog)


def forget_lost_tags(session: Session, catalog: CatalogId) -> int:
    """Delete the tags of a catalog that name none of its snapshots; return how many."""
    table = "forklake.ducklake_snapshot_tag"
    return session.execute(f"DELETE FROM {table} WHERE catalog_id = :c AND {_LOST.format(table)}", c=catalog)
