"""Maintenance of a lake: what it has to do, and what it did."""

from __future__ import annotations

from dataclasses import field

from forklake.model.clean_up import CleanUp
from forklake.model.ids import CatalogId
from forklake.model.lazy_dataclass import dataclass
from forklake.model.lives import Reaped
from forklake.model.records import CheckpointStep


@dataclass(frozen=True, slots=True)
class MaintenanceNeeds:
    """What maintenance has to do now.

    Attributes:
        flush: The catalogs that keep many rows in the metadata.
        expire: Those with snapshots that the option ``expire_older_than`` lets expire.
        merge: Those with many small files.
        rewrite: Those with files of which nearly all rows are deleted.
        lapsed_count: How many catalogs are past their lifetimes.
        due_count: How many catalogs may hold metadata rows that nothing needs.
        scheduled_count: How many files wait for deletion.
        waited_count: How many of these have waited long enough.
    """

    flush: frozenset[CatalogId] = frozenset()
    expire: frozenset[CatalogId] = frozenset()
    merge: frozenset[CatalogId] = frozenset()
    rewrite: frozenset[CatalogId] = frozenset()
    lapsed_count: int = 0
    due_count: int = 0
    scheduled_count: int = 0
    waited_count: int = 0

    @property
    def counts(self) -> dict[str, int]:
        """How many catalogs, or for ``cleanup`` files, each verb would act on."""
        return {
            "reap": self.lapsed_count,
            "flush": len(self.flush),
            "expire": len(self.expire),
            "compact": len(self.merge),
            "rewrite": len(self.rewrite),
            "cleanup": self.waited_count,
        }

    @property
    def catalogs(self) -> frozenset[CatalogId]:
        """All catalogs that hold work."""
        return self.flush | self.expire | self.merge | self.rewrite


@dataclass(frozen=True, slots=True)
class CatalogBytes:
    """The bytes of files that a catalog keeps, over all its retained snapshots.

    Attributes:
        own: Those of files that it wrote.
        alone: Of these, what no fork of it sees.
        inherited: Those of files of its ancestors that it shows now.
        freed: What would be given back if it were dropped and purged: what it sees alone, and what of its ancestors'
            files is kept for it alone.
    """

    own: int
    alone: int
    inherited: int
    freed: int

    @property
    def in_forks(self) -> int:
        """What forks see of its own files."""
        return self.own - self.alone


@dataclass(frozen=True, slots=True)
class MaintainedCatalog:
    """A catalog that was maintained: what was done, and what failed.

    Attributes:
        catalog_id: Its id.
        name: Its name.
        steps: Each step that was done, with how many rows, snapshots or files it dealt with.
        failure: What failed, as a sentence; None if nothing did.
    """

    catalog_id: CatalogId
    name: str
    steps: tuple[CheckpointStep, ...]
    failure: str | None = None


@dataclass(frozen=True, slots=True)
class LakeMaintained:
    """What maintenance of a lake did.

    Attributes:
        catalogs: The catalogs that were maintained, in the order of their visits.
        left: How many were not reached in the time that was given.
        cleaned: What the clean-up of files deleted.
        reaped: The catalogs that were dropped past their lifetimes, and those that were purged.
        dry_run: Whether nothing was done, and all of this would be.
    """

    catalogs: tuple[MaintainedCatalog, ...]
    left: int
    cleaned: CleanUp
    reaped: Reaped = field(default_factory=Reaped)
    dry_run: bool = False
