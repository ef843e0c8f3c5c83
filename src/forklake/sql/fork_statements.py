"""Statements about forks and catalogs, as values."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from typing import Any

from forklake.model.fork_merge import Code, Strategy
from forklake.model.lazy_dataclass import dataclass
from forklake.sql.catalog_statements import CatalogStatement, CopyDatabase, ExportDatabase, ImportDatabase


@dataclass(frozen=True, slots=True)
class MergeTerms:
    """[STRATEGY ...] [KEYS (table (column, ...), ...)] [CODE take | refuse].

    Attributes:
        strategy: Who decides conflicts, in all tables or by table.
        keys: By table, the columns by which rows are told apart that both sides inserted.
        code: What is done with stored texts that are bound when they are used.
    """

    strategy: Strategy | Mapping[str, Strategy] = "fail"
    keys: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    code: Code = "take"


@dataclass(frozen=True, slots=True)
class CreateFork:
    """CREATE FORK [IF NOT EXISTS] name [FROM parent] [AT version] [(options)].

    Attributes:
        name: The name of the fork.
        parent: The catalog to fork; None is the one in use.
        at: The version of the parent.
        options: What else ``ducklake_fork_catalog`` takes; values as in ``Attach``.
        is_lenient: Whether a fork that is there is left as it is.
    """

    name: str
    parent: str | None = None
    at: int | str | None = None
    options: Mapping[str, Any] = field(default_factory=dict)
    is_lenient: bool = False


@dataclass(frozen=True, slots=True)
class MergeFork:
    """MERGE FORK source INTO target [AT version], and its terms."""

    source: str
    target: str
    at: int | str | None = None
    terms: MergeTerms = MergeTerms()


@dataclass(frozen=True, slots=True)
class RefreshFork:
    """REFRESH FORK name, and its terms."""

    name: str
    terms: MergeTerms = MergeTerms()


ForkStatement = CreateFork | MergeFork | RefreshFork | CatalogStatement | CopyDatabase | ExportDatabase | ImportDatabase
"""A statement about forks or catalogs."""
