"""Snapshots of several catalogs, and how they hang together.

Forks, merges, refreshes and resets lead from one catalog to another.
"""

from __future__ import annotations

from forklake.catalog import versions
from forklake.catalog.knowledge import Node, knowledge
from forklake.metastore.queries import merges, snapshots
from forklake.metastore.visibility import BareChain
from forklake.model.ids import CatalogId, SnapshotId
from forklake.model.overview import SnapshotGraph
from forklake.model.version import Version
from forklake.ops.lakes.runtime import Runtime


def snapshot_graph(
    runtime: Runtime, version: Version | None = None, *, after: SnapshotId | None = None, limit: int | None = None
) -> SnapshotGraph:
    """Return the snapshots that a version contains, and how they hang together.

    The oldest comes first. Those that came by a merge are among them. Without a version they are those of all
    catalogs. Expired ones are left out. ``after`` and ``limit`` choose some of them.
    """
    shown = versions.lake_snapshots(runtime.store, after, limit) if version is None else []
    with runtime.store.reading() as session:
        if version is not None:
            known = knowledge(session, Node(versions.owner_of(session, version), version.snapshot_id))
            every = snapshots.snapshots_upto(session, BareChain(list(known), list(known.values())))
            shown = [one for one in every if after is None or one.snapshot_id > after][:limit]
        catalogs = sorted({CatalogId(one.catalog_id) for one in shown})
        edges = merges.graph_edges(session, catalogs) if shown else []
    within = {one.snapshot_id for one in shown}
    return SnapshotGraph(tuple(shown), tuple(edge for edge in edges if edge.snapshot_id in within))
