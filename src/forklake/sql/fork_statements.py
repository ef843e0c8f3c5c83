"""Statements about forks and catalogs, as values."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field

from forklake.model.fork_merge import Strategy
from forklake.model.lazy_dataclass import dataclass
from forklake.sql.catalog_statements import CatalogStatement, CopyDatabase, ExportDatabase, ImportDatabase


@dataclass(frozen=True, slots=True)
class MergeTerms:
    """[STRATEGY strategy | strategy FOR table, ...] [KEYS (table (column, ...), ...)].

    Attributes:
        strategy: Who decides conflicts, in all tables or by table.
        keys: By table, the columns by which rows are told apart that both sides inserted.
    """

    strategy: Strategy | Mapping[str, Strategy] = "fail"
    keys: Mapping[str, tuple[str, ...]] = field(default_factory=dict)


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


ForkStatement = MergeFork | RefreshFork | CatalogStatement | CopyDatabase | ExportDatabase | ImportDatabase
"""A statement about forks or catalogs."""
