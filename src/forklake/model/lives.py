"""The lives of catalogs: lifetimes, quotas, labels and tags, as values."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from datetime import datetime
from typing import Final, Literal

from forklake.model.ids import CatalogId, SnapshotId
from forklake.model.lazy_dataclass import dataclass

Counted = Literal["bytes", "files", "forks", "depth", "columns", "words", "tags"]
"""What a quota limits; the last three are the same for every quota."""

MAX_COLUMNS: Final = 4_096
"""How many columns, nested ones counted, a table of a catalog with a quota has at most."""
MAX_WORDS: Final = 4_096
"""How many bytes the author, message and extra information of a commit, or the message of a tag, have there at most."""
MAX_TAGS: Final = 1_000
"""How many tags of snapshots there are at most."""


@dataclass(frozen=True, slots=True)
class NewLifetime:
    """A lifetime as a caller asks for it; the clock of the database says when it ends.

    Attributes:
        seconds: How long the catalog lives; None if ``until`` says it.
        until: When it ends.
        renew_seconds: Each commit moves the end to at least so long after it; None: commits do not.
        purge_after_seconds: So long after it was dropped it may be purged; None: never of itself.
    """

    seconds: float | None = None
    until: datetime | None = None
    renew_seconds: int | None = None
    purge_after_seconds: int | None = None


@dataclass(frozen=True, slots=True)
class Lifetime:
    """When a catalog ends of itself.

    Attributes:
        expires_at: From then on it refuses commits and forks, and the next reap drops it.
        renew_seconds: Each commit moves the end to at least so long after it; None: commits do not.
        purge_after_seconds: So long after it was dropped it may be purged; None: never of itself.
    """

    expires_at: datetime
    renew_seconds: int | None = None
    purge_after_seconds: int | None = None


@dataclass(frozen=True, slots=True)
class Terms:
    """What a new catalog gets beside its content."""

    author: str | None = None
    labels: Mapping[str, str] = field(default_factory=dict)
    lifetime: NewLifetime | None = None


@dataclass(frozen=True, slots=True)
class Quota:
    """What a catalog may hold; None is any number.

    Attributes:
        max_bytes: The bytes of its own live files, definitions and inlined rows.
        max_files: The number of its own live data and delete files.
        max_forks: The number of its live forks.
        max_depth: The levels of forks below it.
        subtree: Whether its forks, and theirs, count with it.
    """

    max_bytes: int | None = None
    max_files: int | None = None
    max_forks: int | None = None
    max_depth: int | None = None
    subtree: bool = False


@dataclass(frozen=True, slots=True)
class Usage:
    """How much of a quota is used; of the catalog, or of it and its forks."""

    byte_count: int
    file_count: int
    fork_count: int
    depth: int


@dataclass(frozen=True, slots=True)
class QuotaUsage:
    """A quota, and how much of it is used."""

    quota: Quota
    used: Usage


@dataclass(frozen=True, slots=True)
class Excess:
    """What every quota refuses.

    Attributes:
        counted: What is limited.
        limit: How much there may be.
        wanted: How much there would be.
    """

    counted: Counted
    limit: int
    wanted: int


@dataclass(frozen=True, slots=True)
class QuotaRefusal:
    """Why a quota refuses something.

    Attributes:
        catalog_id: The catalog that has the quota.
        counted: What is limited.
        limit: How much there may be.
        wanted: How much there would be; of forks, at least.
    """

    catalog_id: CatalogId
    counted: Counted
    limit: int
    wanted: int


@dataclass(frozen=True, slots=True)
class Tag:
    """A name of a snapshot.

    Attributes:
        name: The name, as it was given.
        snapshot_id: The snapshot.
        catalog_id: The catalog whose snapshot it is: the one asked for, or an ancestor.
        created_at: When it was set.
        keep_until: From then on it does not keep the snapshot from expiry; None: it always does.
        message: Why it was set.
    """

    name: str
    snapshot_id: SnapshotId
    catalog_id: CatalogId
    created_at: datetime
    keep_until: datetime | None = None
    message: str | None = None


@dataclass(frozen=True, slots=True)
class SparedSnapshot:
    """A snapshot that an expiry left, and why."""

    snapshot_id: SnapshotId
    reason: str


@dataclass(frozen=True, slots=True)
class EndedCatalog:
    """A catalog that was dropped or purged together with others."""

    catalog_id: CatalogId
    name: str


@dataclass(frozen=True, slots=True)
class PurgedCatalog:
    """What a purge gave up, and what others keep of it.

    Attributes:
        catalog_id: The catalog.
        name: The name that it had at last.
        file_count: How many of its files were scheduled for deletion; clean-up deletes them after the grace period,
            unless a copy names one.
        byte_count: The bytes of these files.
        held_by: Forks, live or dropped, that began with rows of the catalog which are still there: the first
            `MOST_HOLDERS` by id. Those rows and their files go when the last of these forks has given them up, too.
            Copies and severed forks have rows of their own, and are not listed.
    """

    catalog_id: CatalogId
    name: str
    file_count: int = 0
    byte_count: int = 0
    held_by: tuple[EndedCatalog, ...] = ()


MOST_HOLDERS: Final = 1000
"""How many forks are listed that hold rows of a purged catalog."""


@dataclass(frozen=True, slots=True)
class LeftCatalog:
    """A catalog that was to be dropped with others and was left, and why."""

    catalog_id: CatalogId
    name: str
    reason: str


@dataclass(frozen=True, slots=True)
class Reaped:
    """What a reap did, or would do.

    Attributes:
        dropped: Catalogs past their lifetimes.
        purged: Catalogs that were dropped long enough ago.
        dry_run: Whether nothing was done.
    """

    dropped: tuple[EndedCatalog, ...] = ()
    purged: tuple[EndedCatalog, ...] = ()
    dry_run: bool = False


@dataclass(frozen=True, slots=True)
class DroppedTogether:
    """What `Lake.drop_catalogs` did, or would do.

    Attributes:
        dropped: The catalogs that were dropped.
        left: Those that were chosen and left, because somebody used them meanwhile.
        dry_run: Whether nothing was done.
    """

    dropped: tuple[EndedCatalog, ...] = ()
    left: tuple[LeftCatalog, ...] = ()
    dry_run: bool = False
