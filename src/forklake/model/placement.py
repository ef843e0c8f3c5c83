"""The directories of new catalogs."""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum

from forklake.model.ids import CatalogId, SnapshotId
from forklake.model.lazy_dataclass import dataclass
from forklake.model.lives import QuotaRefusal


@dataclass(frozen=True, slots=True)
class Placement:
    """Where new catalogs go: each gets a directory of its own right below ``prefix``.

    Attributes:
        data_path: The catalog's own base path, or None for the lake's.
        prefix: What is put before each directory to give the stored path.
        is_relative: Whether the stored path is below the lake's base path.
        above: Folded stored paths that contain the new directories; no catalog may be there.
        is_root: The catalog lies at ``prefix`` itself and is the only one there.
    """

    data_path: str | None
    prefix: str
    is_relative: bool
    above: Sequence[str]
    is_root: bool = False


@dataclass(frozen=True, slots=True)
class NewFork:
    """A fork to make: its name, its uuid and its proposed directory."""

    name: str
    uuid: str
    directory: str


class ForkOutcome(StrEnum):
    """The outcome of a fork; only ``FORKED`` wrote something."""

    FORKED = "forked"
    MISSING = "missing"
    DROPPED = "dropped"
    NO_SNAPSHOT = "no_snapshot"
    OVERLAP = "overlap"
    LAPSED = "lapsed"
    OVER_QUOTA = "over_quota"


@dataclass(frozen=True, slots=True)
class ForkResult:
    """The outcome of a fork, and the new forks in the order of the request."""

    outcome: ForkOutcome
    pin: SnapshotId | None = None
    catalogs: Sequence[CatalogId] = ()
    snapshots: Sequence[SnapshotId] = ()
    refusal: QuotaRefusal | None = None


@dataclass(frozen=True, slots=True)
class MadeCatalog:
    """A requested catalog: its id, and whether the call made it."""

    catalog_id: CatalogId
    created: bool
