"""What a check of a lake finds: docs/spec/fsck.md as values."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from typing import Final, Literal

from forklake.model.ids import CatalogId
from forklake.model.lazy_dataclass import dataclass

Severity = Literal["error", "warning", "note"]

SEVERITIES: Final[tuple[Severity, ...]] = ("error", "warning", "note")
"""Worst first."""

FINDINGS: Final[Mapping[str, Severity]] = {
    "unknown-catalog": "error",
    "unknown-owner": "warning",
    "catalog-twice": "error",
    "directory-twice": "error",
    "head-missing": "error",
    "head-snapshot": "error",
    "head-behind": "error",
    "head-state": "error",
    "lineage-gap": "error",
    "changes-missing": "warning",
    "chain-gap": "error",
    "chain-owner": "error",
    "chain-pin": "error",
    "chain-parent": "error",
    "chain-short": "error",
    "chain-epoch": "error",
    "merge-source": "error",
    "merge-snapshot": "error",
    "merge-open": "error",
    "origin-later": "error",
    "column-id-next": "error",
    "row-interval": "error",
    "row-twice": "error",
    "delete-file-twice": "error",
    "name-twice": "error",
    "table-missing": "error",
    "schema-missing": "error",
    "columns-missing": "error",
    "data-file-missing": "error",
    "follower-missing": "error",
    "follower-lost": "warning",
    "tombstone-dead": "warning",
    "statistics-missing": "error",
    "statistics-rows": "error",
    "statistics-bytes": "note",
    "row-id-range": "error",
    "row-id-next": "error",
    "row-ids-overlap": "error",
    "path-escapes": "error",
    "option-invalid": "warning",
    "lease-late": "note",
    "catalog-due": "note",
    "own-totals": "warning",
    "tag-lost": "warning",
    "scheduled-named": "note",
    "scheduled-elsewhere": "warning",
    "file-missing": "error",
    "file-size": "error",
    "dead-file-missing": "note",
    "file-orphaned": "warning",
    "files-foreign": "note",
    "directory-unread": "error",
    "file-damaged": "error",
    "file-rows": "error",
    "file-statistics": "error",
    "file-deletes": "error",
    "file-lineage": "error",
    "file-types": "error",
}
"""Every finding by its code, with how bad it is."""

REPAIRABLE: Final = frozenset({"tombstone-dead", "follower-lost", "unknown-owner", "own-totals", "tag-lost"})
"""What a repair mends."""


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that is not as it must be.

    Attributes:
        code: The rule that is broken, as docs/spec/fsck.md lists it.
        severity: ``error``, ``warning`` or ``note``.
        catalog_id: The catalog that it was found in.
        catalog_name: The name that the catalog has, or had at last; None if it is not known.
        message: What is wrong.
        path: The file that it is about, if any.
    """

    code: str
    severity: Severity
    catalog_id: CatalogId
    catalog_name: str | None
    message: str
    path: str | None = None


@dataclass(frozen=True, slots=True)
class LakeCheck:
    """What a check of a lake found, and what it repaired.

    Attributes:
        findings: What was found, worst first; of each code the first 1,000.
        counts: How many there are of each code.
        catalog_count: How many catalogs were checked.
        file_count: How many files were looked at.
        repaired: How many rows a repair deleted or set right, or would, by the code of the finding.
        dry_run: Whether nothing was repaired.
    """

    findings: tuple[Finding, ...] = ()
    counts: Mapping[str, int] = field(default_factory=dict)
    catalog_count: int = 0
    file_count: int = 0
    repaired: Mapping[str, int] = field(default_factory=dict)
    dry_run: bool = False

    @property
    def severity(self) -> Severity | None:
        """The worst of what was found; None if nothing was."""
        found = {FINDINGS[code] for code in self.counts}
        return next((severity for severity in SEVERITIES if severity in found), None)

    @property
    def is_sound(self) -> bool:
        """Whether nothing was found, or notes only."""
        return self.severity in (None, "note")
