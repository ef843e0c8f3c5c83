"""What a user can do about an error, as values: Python, SQL and the command line each say it in their own words."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True, slots=True)
class ListCatalogs:
    """List the catalogs of the lake: those whose names begin so, and as they were then."""

    prefix: str = ""
    at: int | datetime | None = None


@dataclass(frozen=True, slots=True)
class ListSnapshots:
    """List the versions of the catalog."""


@dataclass(frozen=True, slots=True)
class UndropCatalog:
    """Bring a dropped catalog back."""

    catalog_id: int


@dataclass(frozen=True, slots=True)
class NameById:
    """Say by its id which of several dropped catalogs is meant."""

    catalog_id: int


@dataclass(frozen=True, slots=True)
class AllowExisting:
    """Take the fork that has the name already."""


@dataclass(frozen=True, slots=True)
class ForkAgain:
    """Fork again in such a way that a fork that was made after all is found."""


@dataclass(frozen=True, slots=True)
class SetDataPath:
    """Say, once, where the files of the lake go."""


@dataclass(frozen=True, slots=True)
class GiveMessage:
    """Give the commit a message."""


@dataclass(frozen=True, slots=True)
class CommitAgain:
    """Commit again under the same key, if the caller can name one."""

    commit_key: str


Hint = (
    ListCatalogs
    | ListSnapshots
    | UndropCatalog
    | NameById
    | AllowExisting
    | ForkAgain
    | SetDataPath
    | GiveMessage
    | CommitAgain
)
Teller = Callable[[Hint], str]
"""Says a hint in the words of one edge."""
