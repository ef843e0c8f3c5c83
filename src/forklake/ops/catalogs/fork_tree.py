"""The tree of forks, cut to a readable size."""

from __future__ import annotations

from dataclasses import field
from typing import Final

from forklake.errors import InvalidInputError
from forklake.metastore import visibility
from forklake.metastore.queries import catalogs, census, merges
from forklake.metastore.queries.catalogs import ListedCatalog
from forklake.metastore.queries.lifetimes import lifetimes_of
from forklake.metastore.store import Session, Store
from forklake.model.ids import CatalogId, SnapshotId
from forklake.model.lazy_dataclass import dataclass
from forklake.model.overview import MOST_AHEAD, ForkNode, ForkTree

MAX_DEPTH: Final = 200
MAX_NODES: Final = 10_000


def fork_tree(
    store: Store, root: CatalogId | None = None, *, depth: int = 100, width: int = 5, limit: int = 100
) -> ForkTree:
    """Return the tree of forks below a catalog, or of all catalogs.

    It grows level by level, the oldest forks of each parent first. ``depth`` is how many levels below the first,
    ``width`` how many forks of each catalog (and how many roots), ``limit`` how many catalogs in all. The cost
    grows with what is returned and, by little, with the number of forks that are only counted. A dropped catalog
    is included if live ones descend from it.

    Raises:
        InvalidInputError: A number makes no sense.
    """
    for what, number, least, most in (
        ("depth", depth, 0, MAX_DEPTH),
        ("width", width, 1, MAX_NODES),
        ("limit", limit, 1, MAX_NODES),
    ):
        if isinstance(number, bool) or not isinstance(number, int) or not least <= number <= most:
            raise InvalidInputError(f"The {what} of a tree must be between {least} and {most}, not {number!r}.")
    with store.reading() as session:
        dropped: dict[CatalogId | None, list[_Draft]] = {}
        for parent in census.dropped_parents(session):
            dropped.setdefault(parent.parent_id, []).append(
                _Draft(parent.catalog_id, parent.name, parent.parent_id, parent.parent_snapshot_id, parent.snapshot_id)
            )
        if root is None:
            level = _forks(session, None, dropped, min(width, limit))
            count = census.root_count(session) + len(dropped.get(None, ()))
        else:
            found = catalogs.catalog_by_id(session, root)
            level = [] if found is None else [_draft(found)]
            count = len(level)
        shown = _grow(session, level, dropped, depth, width, limit)
        return ForkTree(count, _finish(session, shown, len(level)))


@dataclass(slots=True)
class _Draft:
    catalog_id: CatalogId
    name: str
    parent_id: CatalogId | None
    parent_snapshot_id: SnapshotId | None
    snapshot_id: SnapshotId | None
    is_live: bool = False
    fork_count: int = 0
    forks: list[CatalogId] = field(default_factory=list)


def _grow(
    session: Session,
    level: list[_Draft],
    dropped: dict[CatalogId | None, list[_Draft]],
    depth: int,
    width: int,
    limit: int,
) -> list[_Draft]:
    """Return the catalogs of all levels, parents before their forks."""
    shown = list(level)
    while level:
        counts = census.fork_counts(session, [node.catalog_id for node in level])
        below: list[_Draft] = []
        for node in level:
            node.fork_count = counts.get(node.catalog_id, 0) + len(dropped.get(node.catalog_id, ()))
            room = min(width, limit - len(shown) - len(below))
            if depth and room > 0 and node.fork_count:
                forks = _forks(session, node.catalog_id, dropped, room)
                node.forks = [fork.catalog_id for fork in forks]
                below += forks
        shown += below
        level, depth = below, depth - 1
    return shown


def _forks(
    session: Session, parent: CatalogId | None, dropped: dict[CatalogId | None, list[_Draft]], width: int
) -> list[_Draft]:
    live = [_draft(fork) for fork in catalogs.forks_of(session, parent, width)]
    return sorted([*live, *dropped.get(parent, ())], key=lambda node: node.catalog_id)[:width]


def _draft(found: ListedCatalog) -> _Draft:
    return _Draft(
        found.catalog_id, found.name, found.parent_id, found.parent_snapshot_id, found.snapshot_id, is_live=True
    )


def _finish(session: Session, shown: list[_Draft], first: int) -> tuple[ForkNode, ...]:
    ids = [node.catalog_id for node in shown]
    births, times = census.creation_times(session, ids), census.head_times(session, ids)
    files, inheriting = visibility.own_files(session, ids), census.inheriting_catalogs(session, ids)
    lives, distances = lifetimes_of(session, ids), merges.distances(session, ids, MOST_AHEAD)
    made: dict[CatalogId, ForkNode] = {}
    for node in reversed(shown):
        file_count, byte_count = files.get(node.catalog_id, (0, 0))
        ahead, behind = distances.get(node.catalog_id, (None, None))
        made[node.catalog_id] = ForkNode(
            catalog_id=node.catalog_id,
            name=node.name,
            parent_id=node.parent_id,
            parent_snapshot_id=node.parent_snapshot_id,
            kind="root" if node.parent_id is None else "fork" if node.catalog_id in inheriting else "copy",
            is_live=node.is_live,
            snapshot_id=node.snapshot_id,
            snapshot_time=times.get(node.catalog_id),
            created_at=births[node.catalog_id],
            own_file_count=file_count,
            own_byte_count=byte_count,
            fork_count=node.fork_count,
            forks=tuple(made[fork] for fork in node.forks),
            expires_at=lives[node.catalog_id].expires_at if node.catalog_id in lives else None,
            ahead=ahead,
            behind=behind,
        )
    return tuple(made[catalog] for catalog in ids[:first])
