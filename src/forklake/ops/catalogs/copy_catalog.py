"""Forks by copy: the new catalog has its own metadata and shares only the files."""

from __future__ import annotations

from forklake.catalog import limits, versions
from forklake.catalog.knowledge import Node, knowledge
from forklake.catalog.moments import Moment
from forklake.catalog.names import check_new_catalog
from forklake.errors import SnapshotNotFoundError
from forklake.metastore import limits as stored_limits
from forklake.metastore import new_catalogs, procedures
from forklake.metastore.queries.merges import write_contained
from forklake.metastore.store import Session
from forklake.model.ids import THE_LAKE, CatalogId, SnapshotId
from forklake.model.lives import Terms
from forklake.model.placement import Placement
from forklake.model.version import Version
from forklake.ops.catalogs.catalog_terms import NO_TERMS
from forklake.ops.catalogs.create_catalog import overlap_error, place_new, refuse_taken_name
from forklake.ops.catalogs.write_out import write_out
from forklake.ops.lakes.runtime import Runtime


def copy_catalog(
    runtime: Runtime,
    parent: CatalogId,
    name: str,
    *,
    at: Moment | None = None,
    data_path: str | None = None,
    terms: Terms = NO_TERMS,
) -> CatalogId:
    """Copy a catalog's metadata at a moment into a new catalog.

    The new catalog has no ancestry and no earlier history. The cost grows with what the catalog shows. Data files
    are shared and named by absolute path.

    Raises:
        AlreadyExistsError: A live catalog has the name.
        SnapshotNotFoundError: The catalog has no such snapshot.
        NotFoundError: The catalog was dropped, or is past its lifetime.
        QuotaError: Its quota allows no more forks.
    """
    store, lake_path = runtime.store, runtime.lake_path
    check_new_catalog(name)
    new, placement = place_new(lake_path, name, data_path)
    assert lake_path is not None
    head = versions.head_by_id(store, parent)
    source = head.version if at is None else versions.version_of(store, head.version, at)
    store.step("copy: planned")
    with refuse_taken_name(store, name), store.writing() as session:
        _lock(session, placement, source)
        # Found again under the locks: nobody can expire it any more.
        still_there = versions.head_by_id(session, parent).version
        if still_there.segments != source.segments:
            raise SnapshotNotFoundError(
                f"No snapshot found at version {source.snapshot_id}",
                hint=f"The catalog was severed meanwhile; '{name}' was not made. Try again.",
            )
        source = still_there if at is None else versions.version_at(session, still_there, source.snapshot_id)
        _check_allowed(session, parent, name, placement)
        catalog = CatalogId(session.take_ids("ducklake_catalog_id_seq", 1)[0])
        snapshot = SnapshotId(session.take_ids("ducklake_snapshot_id_seq", 1)[0])
        made_at = max(session.now(), source.snapshot_time)
        new_catalogs.write_catalog(session, catalog, snapshot, made_at, new, placement, (parent, source.snapshot_id))
        procedures.write_snapshot(session, catalog, snapshot, made_at, source.schema_version, source.snapshot_id)
        message = f'Copy of "{head.name}" at snapshot {source.snapshot_id}'
        procedures.write_changes(session, catalog, snapshot, "", terms.author, message)
        new_catalogs.copy_options(session, parent, source, catalog)
        write_out(session, lake_path, source, catalog, snapshot)
        stored_limits.write_terms(session, catalog, terms)
        owner = versions.owner_of(session, source)
        write_contained(session, catalog, snapshot, knowledge(session, Node(owner, source.snapshot_id)))
        store.step("copy: before the end")
    return catalog


def _lock(session: Session, placement: Placement, source: Version) -> None:
    """Keep what is copied, and the place of the copy, from being given away."""
    if placement.data_path is None:
        session.lock_shared(THE_LAKE)
    else:
        session.lock_alone(THE_LAKE)
    for owner in sorted(source.owners):
        session.lock_shared(owner)


def _check_allowed(session: Session, parent: CatalogId, name: str, placement: Placement) -> None:
    """Refuse a name or a place that is taken.

    Refuse also what the lifetime or the quota of the catalog does not allow.
    """
    new_catalogs.check_name_is_free(session, name)
    if new_catalogs.overlaps(session, placement):
        raise overlap_error(name, placement)
    if stored_limits.is_lapsed(session, parent):
        raise limits.lapsed_error(session, parent, f"'{name}' was not made")
    refusal = stored_limits.find_excess_of_forks(session, parent, (), 1)
    if refusal is not None:
        raise limits.quota_error(session, refusal, f"'{name}' was not made")
