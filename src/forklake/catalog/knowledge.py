"""Knowledge: which snapshots of which catalogs a version contains.

It tells what two versions have in common. Histories of catalogs are linear, so the newest snapshot contained of each
catalog says which ones are: all up to it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime

from forklake.errors import MergeBaseError
from forklake.metastore.queries import catalogs, heads, merges
from forklake.metastore.store import Session, Store
from forklake.model.ids import CatalogId, SnapshotId
from forklake.model.lazy_dataclass import dataclass
from forklake.model.version import Segment, Version

Knowledge = Mapping[CatalogId, SnapshotId]


@dataclass(frozen=True, slots=True)
class Node:
    """One snapshot of one catalog."""

    catalog_id: CatalogId
    snapshot_id: SnapshotId


def knowledge(source: Store | Session, node: Node) -> Knowledge:
    """Return the newest snapshot of each catalog that a snapshot contains.

    It contains itself. The catalog may be dropped or purged since.
    """
    return knowledge_of(source, [node])[0]


def knowledge_of(source: Store | Session, nodes: Sequence[Node]) -> Sequence[Knowledge]:
    """Return the knowledge of some snapshots, in one statement."""
    return merges.contained_snapshots(source, [(node.catalog_id, node.snapshot_id) for node in nodes])


@dataclass(frozen=True, slots=True)
class Base:
    """A newest snapshot that two versions both contain.

    Attributes:
        node: The snapshot.
        contained: What it contains itself.
        version: The version that it is read as.
    """

    node: Node
    contained: Knowledge
    version: Version


def readable_bases(source: Store | Session, mine: Knowledge, theirs: Knowledge, names: tuple[str, str]) -> list[Base]:
    """Return the newest snapshots that two versions both contain, usually one.

    Those that another of them contains are left out. Each can be read.

    Raises:
        MergeBaseError: They have none, or one is expired and nobody is pinned there.
    """
    common = [Node(catalog, min(mine[catalog], theirs[catalog])) for catalog in mine.keys() & theirs.keys()]
    if not common:
        raise strangers_error(names)
    found: list[Base] = []
    # A snapshot contains only older ones.
    common.sort(key=lambda node: node.snapshot_id, reverse=True)
    for node, contained in zip(common, knowledge_of(source, common), strict=True):
        if not any(base.contained.get(node.catalog_id, -1) >= node.snapshot_id for base in found):
            found.append(Base(node, contained, readable_version(source, node, names)))
    return found


def strangers_error(names: tuple[str, str]) -> MergeBaseError:
    """Return the error for catalogs of different trees.

    Their roots number rows and columns alike, so the ids of one mean nothing in the other.
    """
    return MergeBaseError(
        f'"{names[0]}" and "{names[1]}" have no snapshot in common; nothing was done.',
        hint="Copy what you need with INSERT ... SELECT.",
    )


def readable_version(source: Store | Session, node: Node, names: tuple[str, str]) -> Version:
    """Return a snapshot as a version that can be read.

    ``names`` are those of the catalogs that are compared, for the message.

    Raises:
        MergeBaseError: It is expired and nobody is pinned there.
    """
    own = heads.version_of(source, node.catalog_id, node.snapshot_id)
    if own is not None:
        return own
    chain = merges.pinned_chain(source, node.catalog_id, node.snapshot_id)
    if chain is None:
        name = catalogs.last_name(source, node.catalog_id) or f"catalog {node.catalog_id}"
        raise MergeBaseError(
            f'"{names[0]}" and "{names[1]}" cannot be compared: snapshot {node.snapshot_id} of "{name}", the newest'
            " that both contain, is expired.",
            hint="Merge by hand with INSERT ... SELECT, or reset one to the other.",
        )
    return pinned_version(node, chain)


def pinned_version(node: Node, chain: Sequence[Segment]) -> Version:
    """Return an expired snapshot as a version.

    It is read by the chain that a pinned catalog has.
    """
    return Version(node.catalog_id, node.snapshot_id, 0, datetime.min.replace(tzinfo=UTC), tuple(chain), is_root=False)
