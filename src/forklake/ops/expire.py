"""Expiring snapshots of a catalog."""

from __future__ import annotations

from collections.abc import Sequence

from forklake.catalog import versions
from forklake.catalog.moments import Time, read_time
from forklake.errors import InvalidInputError, SnapshotNotFoundError
from forklake.metastore.queries.snapshots import forget_snapshots, own_snapshots
from forklake.metastore.store import Store
from forklake.model.ids import CatalogId, SnapshotId


def expire_snapshots(
    store: Store,
    catalog: CatalogId,
    *,
    snapshot_ids: Sequence[int] | None = None,
    older_than: Time | None = None,
) -> list[SnapshotId]:
    """Forget snapshots of the catalog's own, and return which; never the newest, and none of its ancestors'.

    Forks keep what they see: their own snapshots stay, and the rows these show are pinned.

    Raises:
        SnapshotNotFoundError: A snapshot is not one of the catalog's own, or is expired already.
        InvalidInputError: Not exactly one of the two choices was made, or the newest snapshot was named.
    """
    if (snapshot_ids is None) == (older_than is None):
        raise InvalidInputError(
            "ducklake_expire_snapshots: cannot specify both 'versions' and 'older_than', nor neither"
        )
    limit = None if older_than is None else read_time(older_than)
    with store.writing() as session:
        session.lock_alone(catalog)
        head = versions.head_by_id(session, catalog).version.snapshot_id
        found = own_snapshots(session, catalog)
        if limit is not None:
            # A commit may have moved the head since it was read: what is newer is never chosen.
            chosen = [snapshot for snapshot, time in found if snapshot < head and time < limit]
        else:
            own = {snapshot for snapshot, _ in found}
            chosen = [SnapshotId(snapshot) for snapshot in sorted(set(snapshot_ids or ()))]
            for snapshot in chosen:
                if snapshot not in own:
                    raise SnapshotNotFoundError(
                        f"No snapshot found at version {snapshot} among the catalog's own; nothing was expired."
                    )
                if snapshot >= head:
                    raise InvalidInputError(f"Snapshot {snapshot} is the newest of the catalog and cannot be expired.")
        forget_snapshots(session, catalog, chosen)
        return chosen
