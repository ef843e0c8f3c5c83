"""A catalog at a snapshot, and the chain of catalogs whose rows it sees."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime
from typing import Final

from forklake.model.ids import CatalogId, SnapshotId
from forklake.model.lazy_dataclass import dataclass

FIRST: Final = SnapshotId(0)


@dataclass(frozen=True, slots=True)
class Segment:
    """One step of a chain: rows of an owner up to and including a snapshot.

    The owner's snapshots from ``versions_from`` on, up to that one, are versions of the catalog too.
    """

    owner: CatalogId
    upto: SnapshotId
    versions_from: SnapshotId = FIRST


@dataclass(frozen=True, slots=True)
class Version:
    """One catalog at one snapshot of its lineage.

    ``segments`` starts with the catalog itself and continues with its ancestors, nearest first. The content of a
    version never changes, whatever is committed, forked, refreshed, renamed or dropped later.

    A refresh begins an epoch, with other segments. ``since`` is the first snapshot of the version's epoch, and
    ``earlier`` has the segments of the first epoch, if that is another one: they say which of the ancestors' snapshots
    are versions of the catalog.
    """

    catalog_id: CatalogId
    snapshot_id: SnapshotId
    schema_version: int
    snapshot_time: datetime
    segments: tuple[Segment, ...]
    is_root: bool
    since: SnapshotId = FIRST
    earlier: tuple[Segment, ...] = ()

    @property
    def owners(self) -> tuple[CatalogId, ...]:
        """The catalogs of the chain, nearest first."""
        return tuple(segment.owner for segment in self.segments)

    @property
    def bounds(self) -> tuple[SnapshotId, ...]:
        """The snapshot up to which the rows and files of each catalog of the chain count."""
        return tuple(min(self.snapshot_id, segment.upto) for segment in self.segments)

    @property
    def lineage(self) -> tuple[Segment, ...]:
        """The segments whose snapshots are versions of the catalog."""
        return (*self.segments, *self.earlier)

    def at(self, snapshot: SnapshotId, schema_version: int, time: datetime) -> Version:
        """Return the same catalog at another snapshot of its epoch.

        In the first epoch those are the snapshots of its ancestors, too.
        """
        return replace(self, snapshot_id=snapshot, schema_version=schema_version, snapshot_time=time)


@dataclass(frozen=True, slots=True)
class Head:
    """A live catalog as it is now, and the one that it was forked from.

    ``files_wait`` says whether files of the catalog wait for deletion.
    """

    name: str
    version: Version
    requires_message: bool
    expires_at: datetime | None = None
    parent: CatalogId | None = None
    files_wait: bool = True
