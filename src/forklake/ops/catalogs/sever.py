"""Severs a fork from its ancestors."""

from __future__ import annotations

import logging
from typing import Final

from forklake.catalog import limits, versions
from forklake.errors import CommitContentionError
from forklake.metastore import limits as stored_limits
from forklake.metastore import procedures
from forklake.metastore.queries import heads
from forklake.metastore.queries.due import mark_due
from forklake.metastore.queries.merges import remember_chains
from forklake.metastore.queries.snapshots import forget_snapshots_before
from forklake.model.ids import CatalogId, SnapshotId
from forklake.ops.catalogs.write_out import write_out
from forklake.ops.lakes.runtime import Runtime
from forklake.ops.maintenance.collect import collect

_LOG: Final = logging.getLogger("forklake.maintenance")


def sever(runtime: Runtime, catalog: CatalogId) -> SnapshotId | None:
    """Write what a fork inherits as its own rows; return the new snapshot.

    The result is None if it inherits nothing. The content stays the same and becomes the only version: the same
    transaction removes the ancestry and the catalog's older snapshots, with their tags. Forks of the catalog keep what
    they see. Files stay where they are.

    Raises:
        NotFoundError: The catalog was dropped.
        CatalogLapsedError: It is past its lifetime.
        QuotaError: A quota does not allow so many files of its own.
        CommitContentionError: Others committed to the catalog on every attempt.
    """
    store, lake_path = runtime.store, runtime.lake_path
    assert lake_path is not None  # no catalog is made without one
    settings = store.settings
    for wait in (0.0, *settings.retry.waits(settings.clock)):
        settings.clock.sleep(wait)
        with store.writing() as session:
            for owner in sorted(versions.head_by_id(session, catalog).version.owners):
                if owner == catalog:
                    session.lock_alone(owner)
                else:
                    session.lock_shared(owner)
            head = versions.head_by_id(session, catalog)
            before = head.version
            if len(before.segments) == 1:
                return None
            snapshot = SnapshotId(session.take_ids("ducklake_snapshot_id_seq", 1)[0])
            if not heads.swap_head(session, catalog, before.snapshot_id, snapshot):
                continue
            if stored_limits.is_lapsed(session, catalog):
                raise limits.head_lapsed_error(head, "it was not severed")
            made_at = max(session.now(), before.snapshot_time)
            procedures.write_snapshot(session, catalog, snapshot, made_at, before.schema_version, before.snapshot_id)
            procedures.write_changes(session, catalog, snapshot, "", message="Severed from its ancestors")
            write_out(session, lake_path, before, catalog, snapshot)
            refusal = stored_limits.find_excess(session, catalog)
            if refusal is not None:
                raise limits.quota_error(session, refusal, "The catalog was not severed")
            mark_due(session, {catalog, *heads.ancestors(session, [catalog])})
            remember_chains(session, [catalog])
            heads.forget_ancestry(session, catalog)
            forget_snapshots_before(session, catalog, snapshot)
            store.step("sever: before the end")
        store.step("sever: written out")
        collect(store, lake_path, [catalog])
        _LOG.info("Catalog %d: severed at snapshot %d", catalog, snapshot)
        return snapshot
    raise CommitContentionError(
        f"The catalog with id {catalog} was not severed: others committed to it on every attempt.", hint="Try again."
    )
