"""Where the files of a new catalog go."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from forklake.model.ids import CatalogId, SnapshotId


@dataclass(frozen=True, slots=True)
class Placement:
    """The place of new catalogs: each gets a directory of its own right below ``prefix``.

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
    """A fork to be made: its name, its uuid and the directory proposed for it."""

    name: str
    uuid: str
    directory: str


class ForkOutcome(StrEnum):
    """What became of a fork; only ``FORKED`` wrote something."""

    FORKED = "forked"
    MISSING = "missing"
    DROPPED = "dropped"
    NO_SNAPSHOT = "no_snapshot"
    OVERLAP = "overlap"


@dataclass(frozen=True, slots=True)
class ForkResult:
    """The outcome, and the forks that were made, in the order asked for."""

    outcome: ForkOutcome
    pin: SnapshotId | None = None
    catalogs: Sequence[CatalogId] = ()
    snapshots: Sequence[SnapshotId] = ()


@dataclass(frozen=True, slots=True)
class MadeCatalog:
    """A catalog that was asked for: its id, and whether the call made it."""

    catalog_id: CatalogId
    created: bool
