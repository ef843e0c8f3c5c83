"""Advice on what to do about an error, as values.

Python, SQL and the command line each put a hint into their own words.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime

from forklake.model.lazy_dataclass import dataclass


@dataclass(frozen=True, slots=True)
class ListCatalogs:
    """List the catalogs of the lake.

    It may be limited to names with a prefix, and to the state at an earlier moment.
    """

    prefix: str = ""
    at: int | datetime | None = None


@dataclass(frozen=True, slots=True)
class ListSnapshots:
    """List the versions of the catalog."""


@dataclass(frozen=True, slots=True)
class ListTags:
    """List the tags of the catalog."""


@dataclass(frozen=True, slots=True)
class UndropCatalog:
    """Bring a dropped catalog back."""

    catalog_id: int


@dataclass(frozen=True, slots=True)
class RenewCatalog:
    """Give a catalog more time to live, before it is dropped."""

    name: str


@dataclass(frozen=True, slots=True)
class NameById:
    """Choose one of several dropped catalogs by its id."""

    catalog_id: int


@dataclass(frozen=True, slots=True)
class AllowExisting:
    """Accept the existing fork of that name."""


@dataclass(frozen=True, slots=True)
class ForkAgain:
    """Fork again, and accept a fork that the first attempt has made after all."""


@dataclass(frozen=True, slots=True)
class SetDataPath:
    """Set the data path of the lake, once."""


@dataclass(frozen=True, slots=True)
class GiveMessage:
    """Give the commit a message."""


@dataclass(frozen=True, slots=True)
class CommitAgain:
    """Commit again under the same key, if the caller can name one."""

    commit_key: str


@dataclass(frozen=True, slots=True)
class ChooseSide:
    """Let one side of a merge decide conflicts."""


@dataclass(frozen=True, slots=True)
class LookAtDropped:
    """Look at a table that was dropped, as it was.

    Attributes:
        schema_name: The schema that it was in.
        name: The name that it had.
        story: Which snapshot dropped it, in a sentence.
        snapshot_id: The newest snapshot that shows it, unless none is retained.
    """

    schema_name: str
    name: str
    story: str
    snapshot_id: int | None


@dataclass(frozen=True, slots=True)
class UpgradeLake:
    """Bring the metadata of the lake to the version of this release."""


@dataclass(frozen=True, slots=True)
class ImportCatalog:
    """Make a catalog of a plain DuckLake database.

    The URL has no password; the schema is that of its tables, if it is named.
    """

    url: str
    metadata_schema: str | None = None


Hint = (
    ListCatalogs
    | ListSnapshots
    | ListTags
    | UndropCatalog
    | RenewCatalog
    | NameById
    | AllowExisting
    | ForkAgain
    | SetDataPath
    | GiveMessage
    | CommitAgain
    | ChooseSide
    | LookAtDropped
    | UpgradeLake
    | ImportCatalog
)
Teller = Callable[[Hint], str]
"""Says a hint in the words of one edge."""
