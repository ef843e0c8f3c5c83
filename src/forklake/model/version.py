"""A catalog at a snapshot, and the chain of catalogs whose rows it sees."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime

from forklake.model.ids import CatalogId, SnapshotId


@dataclass(frozen=True, slots=True)
class Segment:
    """One step of a chain: rows of an owner up to and including a snapshot."""

    owner: CatalogId
    upto: SnapshotId


@dataclass(frozen=True, slots=True)
class Version:
    """One catalog at one snapshot of its lineage.

    ``segments`` starts with the catalog itself and continues with its ancestors, nearest first. The content of a
    version never changes, whatever is committed, forked, renamed or dropped later.
    """

    catalog_id: CatalogId
    snapshot_id: SnapshotId
    schema_version: int
    snapshot_time: datetime
    segments: tuple[Segment, ...]
    is_root: bool

    @property
    def owners(self) -> tuple[CatalogId, ...]:
        """The catalogs of the chain, nearest first."""
        return tuple(segment.owner for segment in self.segments)

    @property
    def bounds(self) -> tuple[SnapshotId, ...]:
        """The snapshot up to which the rows and files of each catalog of the chain count."""
        return tuple(min(self.snapshot_id, segment.upto) for segment in self.segments)

    def at(self, snapshot: SnapshotId, schema_version: int, time: datetime) -> Version:
        """Return the same catalog at another snapshot of its lineage."""
        return replace(self, snapshot_id=snapshot, schema_version=schema_version, snapshot_time=time)


@dataclass(frozen=True, slots=True)
class Head:
    """A live catalog as it is now."""

    name: str
    version: Version
    requires_message: bool
