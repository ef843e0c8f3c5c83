"""A commit as data: what one compare-and-swap writes, and its outcome."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from enum import StrEnum

from forklake.model.ids import CatalogId, RowUid, SnapshotId
from forklake.model.lazy_dataclass import dataclass
from forklake.model.lives import Excess, QuotaRefusal
from forklake.model.records import CommitInfo
from forklake.model.rows import Row
from forklake.model.version import Segment


@dataclass(frozen=True, slots=True)
class Tombstone:
    """An inherited row that has ended for the catalog."""

    scope_id: int
    row_uid: RowUid


@dataclass(frozen=True, slots=True)
class CommitRequest:
    """Everything that a store needs to commit.

    The store decides only whether the head is still ``expected``, whether the writer's lease is still there, if it has
    one, and whether the lifetime and the quotas of the catalog allow it. The commit ends the lease.

    ``own_files`` and ``own_bytes`` say by how much the commit changes the number of the catalog's own live data and
    delete files, and the bytes of these and of its own live definitions and inlined rows. ``beyond`` is what
    every quota refuses in it, whatever its limits are.

    If there is an ``epoch``, it is the chain of ancestors that the catalog sees from the new snapshot on.
    """

    catalog_id: CatalogId
    expected: SnapshotId
    entries: Sequence[tuple[str, str | int]]
    info: CommitInfo
    commit_key: str
    schema_version: int
    new_objects: int
    new_files: int
    rows: Mapping[str, Sequence[Row]]
    ends: Mapping[str, Sequence[RowUid]]
    tombstones: Sequence[Tombstone]
    own_files: int
    own_bytes: int
    beyond: Excess | None = None
    lease_id: str | None = None
    epoch: Sequence[Segment] = ()


class Outcome(StrEnum):
    """The outcome of an attempt; only ``COMMITTED`` wrote something."""

    COMMITTED = "committed"
    KNOWN = "known"
    MOVED = "moved"
    DROPPED = "dropped"
    MISSING = "missing"
    UNLEASED = "unleased"
    LAPSED = "lapsed"
    OVER_QUOTA = "over_quota"


@dataclass(frozen=True, slots=True)
class CommitResult:
    """The outcome of a commit, and the ids that replace its local ids.

    The first id replaces -1, the second -2, and so on.
    """

    outcome: Outcome
    snapshot_id: SnapshotId | None = None
    snapshot_time: datetime | None = None
    objects: Sequence[int] = ()
    files: Sequence[int] = ()
    refusal: QuotaRefusal | None = None
