"""Statements about forks and catalogs, as values."""

from __future__ import annotations

from dataclasses import dataclass

from forklake.model.fork_merge import Strategy
from forklake.sql.catalog_statements import CatalogStatement


@dataclass(frozen=True, slots=True)
class MergeFork:
    """MERGE FORK source INTO target [AT version] [STRATEGY strategy]."""

    source: str
    target: str
    at: int | str | None = None
    strategy: Strategy = "fail"


@dataclass(frozen=True, slots=True)
class RefreshFork:
    """REFRESH FORK name [STRATEGY strategy]."""

    name: str
    strategy: Strategy = "fail"


ForkStatement = MergeFork | RefreshFork | CatalogStatement
"""A statement about forks or catalogs."""
