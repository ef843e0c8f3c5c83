"""Findings as they are gathered: counted all, kept so many of each code."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Final

from forklake.metastore.queries.catalogs import last_names
from forklake.metastore.store import Store
from forklake.model.findings import FINDINGS, SEVERITIES, Finding
from forklake.model.ids import CatalogId

KEPT: Final = 1_000
"""So many findings of one code are kept; the rest is counted."""


class Findings:
    """The findings of a check so far."""

    def __init__(self) -> None:
        self.counts: Counter[str] = Counter()
        self.catalogs: dict[str, set[CatalogId]] = {}
        self._kept: list[tuple[str, CatalogId, str, str | None]] = []

    def add(self, code: str, catalog: CatalogId, message: str, path: str | None = None) -> None:
        """Count a finding, and keep it if there are not many of its code."""
        assert code in FINDINGS, code
        self.counts[code] += 1
        if self.counts[code] <= KEPT:
            self._kept.append((code, catalog, message, path))
            self.catalogs.setdefault(code, set()).add(catalog)

    def listing(self, store: Store) -> Sequence[Finding]:
        """Return those that were kept, worst first, with the names of their catalogs."""
        known = last_names(store, {catalog for _, catalog, _, _ in self._kept}) if self._kept else {}
        found = [
            Finding(code, FINDINGS[code], catalog, known[catalog][0] if catalog in known else None, message, path)
            for code, catalog, message, path in self._kept
        ]
        codes = list(FINDINGS)
        return sorted(found, key=lambda one: (SEVERITIES.index(one.severity), codes.index(one.code), one.catalog_id))
