"""One check of the metadata: a query for what breaks a rule."""

from __future__ import annotations

from typing import Any

from forklake.metastore.source import Source
from forklake.metastore.store import Values
from forklake.model.ids import INFINITY, CatalogId
from forklake.model.lazy_dataclass import dataclass


@dataclass(frozen=True, slots=True)
class Span:
    """Catalogs that are checked together: those from one id to another."""

    first: CatalogId
    last: CatalogId


@dataclass(frozen=True, slots=True)
class Check:
    """A query for what breaks a rule, and how that is told.

    Attributes:
        code: The finding, as docs/spec/fsck.md lists it.
        statement: The query, for the catalogs from ``:first`` to ``:last``. Its first column is the catalog.
        message: What is wrong, with a place for each of the other columns.
    """

    code: str
    statement: str
    message: str

    def run(self, source: Source, span: Span, limit: int) -> list[tuple[CatalogId, str]]:
        """Return in which catalogs the rule is broken, and how, up to a limit."""
        found = source.query(
            f"{self.statement} LIMIT {int(limit)}", first=span.first, last=span.last, **_parameters(self.statement)
        )
        return [(CatalogId(row[0]), self._tell(row)) for row in found]

    def _tell(self, row: Values) -> str:
        return self.message.format(*row[1:])


def span_of(alias: str) -> str:
    """Return the condition that a row is one of a catalog that is checked."""
    return f"{alias}.catalog_id >= :first AND {alias}.catalog_id <= :last"


def has_head(alias: str) -> str:
    """Return the condition that the catalog of a row is live or dropped, not purged."""
    return f"EXISTS (SELECT 1 FROM forklake.ducklake_head y WHERE y.catalog_id = {alias}.catalog_id)"


def _parameters(statement: str) -> dict[str, Any]:
    return {"never": INFINITY} if ":never" in statement else {}
