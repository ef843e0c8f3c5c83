"""Overviews: the tree of forks, the size and growth of a lake, a table's history."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import field
from datetime import datetime
from typing import Final, Literal

from forklake.model import html
from forklake.model.ids import CatalogId, SnapshotId
from forklake.model.lazy_dataclass import dataclass
from forklake.model.records import Snapshot
from forklake.model.upkeep import MaintenanceNeeds

MOST_AHEAD: Final = 10_000
"""How far a fork is counted to be ahead of its parent, or behind it."""
_INDENT: Final = "\u2003"
"""A space that HTML keeps."""


@dataclass(frozen=True, slots=True)
class ForkNode:
    """One catalog in the tree of forks.

    Attributes:
        snapshot_id: Its head; None if it was purged.
        snapshot_time: When its head was committed.
        kind: ``root``; ``fork``, which inherits; or ``copy``, which was copied or severed and stands alone.
        is_live: False for a dropped catalog, which is shown only where live forks descend from it.
        own_file_count: Live data files that it added itself.
        own_byte_count: The size of these files.
        fork_count: How many forks it has, of which ``forks`` are the first.
        expires_at: When its lifetime ends; None if it has none.
        ahead: How many snapshots it has made that its parent does not contain, expired ones too; its first one does not
            count. `MOST_AHEAD` stands for that many or more. None if it has no parent, or that was purged.
        behind: How many snapshots its parent has made that it does not contain, likewise.
    """

    catalog_id: CatalogId
    name: str
    parent_id: CatalogId | None
    parent_snapshot_id: SnapshotId | None
    kind: Literal["root", "fork", "copy"]
    is_live: bool
    snapshot_id: SnapshotId | None
    snapshot_time: datetime | None
    created_at: datetime
    own_file_count: int
    own_byte_count: int
    fork_count: int
    forks: tuple[ForkNode, ...] = ()
    expires_at: datetime | None = None
    ahead: int | None = None
    behind: int | None = None


@dataclass(frozen=True, slots=True)
class SnapshotEdge:
    """What a snapshot contains of another catalog from then on.

    Attributes:
        catalog_id: The catalog of the snapshot.
        snapshot_id: The snapshot.
        kind: ``fork``, if it is the first of a fork; ``merge``, ``refresh`` or ``reset``.
        source_id: The other catalog.
        source_snapshot_id: Its newest snapshot that is contained.
    """

    catalog_id: CatalogId
    snapshot_id: SnapshotId
    kind: str
    source_id: CatalogId
    source_snapshot_id: SnapshotId


@dataclass(frozen=True, slots=True)
class SnapshotGraph:
    """Snapshots of several catalogs, oldest first, and what connects them."""

    snapshots: tuple[Snapshot, ...]
    edges: tuple[SnapshotEdge, ...]


@dataclass(frozen=True, slots=True)
class ForkTree:
    """The tree of forks, or a part of it: ``roots`` are the first of ``root_count``."""

    root_count: int
    roots: tuple[ForkNode, ...]

    def _repr_html_(self) -> str:
        rows = [row for root in self.roots for row in _tree_rows(root, "")]
        hidden = self.root_count - len(self.roots)
        more = f"And {hidden:,} more that have no parent." if hidden else None
        return html.sheet(["catalog", "id", "head", "forks", "files", "bytes", "created"], rows, more)


def _tree_rows(node: ForkNode, indent: str) -> Iterator[tuple[object, ...]]:
    mark = "" if node.is_live else " (dropped)"
    yield (
        f"{indent}{node.name}{mark}",
        node.catalog_id,
        "purged" if node.snapshot_id is None else node.snapshot_id,
        node.fork_count,
        node.own_file_count,
        node.own_byte_count,
        node.created_at,
    )
    for fork in node.forks:
        yield from _tree_rows(fork, indent + _INDENT)
    if node.forks and node.fork_count > len(node.forks):
        yield (f"{indent}{_INDENT}... and {node.fork_count - len(node.forks):,} more",)


@dataclass(frozen=True, slots=True)
class TableSize:
    """The row count and the size of one metadata table.

    Rows are counted or, in a large PostgreSQL table, estimated. The bytes include those of its indexes. They are
    None where the database does not report them.
    """

    name: str
    row_count: int
    is_estimate: bool
    byte_count: int | None


@dataclass(frozen=True, slots=True)
class Growth:
    """How many things were made in one period, which begins at ``start``."""

    start: datetime
    catalogs_made: int
    snapshots_made: int


@dataclass(frozen=True, slots=True)
class LakeStats:
    """What a lake holds, how it grew lately, and what maintenance has to do.

    The newest period comes last and is not over yet. Bytes of files are of all that rows name, data files and delete
    files; a file that several catalogs name, because one is a copy, counts for each.

    Attributes:
        byte_count: The size of the metadata.
        file_count: How many files rows name.
        file_byte_count: Their bytes.
        live_byte_count: Of these, what the newest snapshots of live catalogs show; the rest is kept for older ones,
            for forks and for dropped catalogs.
        shared_byte_count: What a fork sees beside the catalog that wrote it.
        freed_byte_count: What would be given back if the dropped catalogs were purged: files of theirs that no fork
            sees.
        needs: What each verb of maintenance would act on now.
    """

    catalog_count: int
    root_count: int
    fork_count: int
    dropped_count: int
    purged_count: int
    snapshot_count: int
    byte_count: int
    tables: tuple[TableSize, ...]
    growth: tuple[Growth, ...]
    file_count: int = 0
    file_byte_count: int = 0
    live_byte_count: int = 0
    shared_byte_count: int = 0
    freed_byte_count: int = 0
    needs: MaintenanceNeeds = field(default_factory=MaintenanceNeeds)

    def _repr_html_(self) -> str:
        return (
            html.facts(
                [
                    ("Catalogs", self.catalog_count),
                    ("Roots", self.root_count),
                    ("Forks", self.fork_count),
                    ("Dropped", self.dropped_count),
                    ("Purged", self.purged_count),
                    ("Snapshots", self.snapshot_count),
                    ("Bytes of metadata", self.byte_count),
                    ("Files", self.file_count),
                    ("Bytes of files", self.file_byte_count),
                    ("of them live", self.live_byte_count),
                    ("of them seen by forks", self.shared_byte_count),
                    ("of them free after a purge", self.freed_byte_count),
                ]
            )
            + html.sheet(
                ["metadata table", "rows", "bytes"], [(one.name, one.row_count, one.byte_count) for one in self.tables]
            )
            + html.sheet(
                ["from", "catalogs made", "snapshots made"],
                [(one.start, one.catalogs_made, one.snapshots_made) for one in self.growth],
            )
            + html.sheet(["maintenance", "would act on"], list(self.needs.counts.items()))
        )


@dataclass(frozen=True, slots=True)
class Ping:
    """The answer of a lake that works.

    Attributes:
        product: The metadata database: ``sqlite``, ``duckdb`` or ``postgresql``.
        version: The version of its metadata.
        milliseconds: How long the answer took.
    """

    product: str
    version: int
    milliseconds: float


@dataclass(frozen=True, slots=True)
class Relocation:
    """A lake, or a catalog, with another place for its files.

    Attributes:
        old_path: The lake's data path, or the catalog's directory, before.
        data_path: The same afterwards.
        row_counts: How many rows of each metadata table name something below the old path by absolute path, and
            name it below the new one now.
        is_done: Whether this call changed it.
    """

    old_path: str
    data_path: str
    row_counts: Mapping[str, int]
    is_done: bool


@dataclass(frozen=True, slots=True)
class TableChange:
    """A snapshot that changed a table, and its entries in the change log."""

    snapshot: Snapshot
    changes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class StoredDefinition:
    """A text that is stored in a catalog and means something when it is used.

    Attributes:
        catalog: The catalog that stored it.
        kind: ``view``, ``macro``, ``default`` or ``sort key``.
        name: The view or macro, or the table or column, with its schema.
        text: The text.
    """

    catalog: str
    kind: str
    name: str
    text: str


@dataclass(frozen=True, slots=True)
class Upgrade:
    """An upgrade of the metadata of a lake.

    Attributes:
        found_version: The version that the lake had.
        version: The version of this release.
        statements: What was run, or would be, in one transaction; nothing if the lake was up to date.
        is_done: Whether this call upgraded the lake.
        definitions: Views, macros, defaults and sort keys that were stored when nothing said who stored them. Unless
            the upgrade trusts them, they reach nothing but their own catalog from now on.
        trusts_definitions: Whether it trusts them.
    """

    found_version: int
    version: int
    statements: tuple[str, ...]
    is_done: bool
    definitions: tuple[StoredDefinition, ...] = ()
    trusts_definitions: bool = False
