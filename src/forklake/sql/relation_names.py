"""Names of queries about given relations, and nothing else."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NoReturn

from forklake.errors import NotFoundError
from forklake.model.field import Field
from forklake.model.lazy_dataclass import dataclass
from forklake.model.names import fold
from forklake.sql.relation import At, BoundQuery, Relation, StoredMacro
from forklake.sql.statements import Describe, Show


@dataclass(frozen=True, slots=True)
class GivenNames:
    """Relations by their names in lower case.

    There are no functions, macros, variables and settings.
    """

    relations: Mapping[str, Relation]

    def relation(self, parts: tuple[str, ...], at: At | None) -> Relation:
        """Return the relation of a name."""
        found = self.relations.get(fold(parts[-1])) if len(parts) == 1 and at is None else None
        if found is None:
            _refuse("table", ".".join(parts))
        return found

    def function(self, parts: tuple[str, ...], arguments: Sequence[Any], named: Mapping[str, Any]) -> None:
        """Find no function."""

    def scalar(self, parts: tuple[str, ...], arguments: Sequence[Any], named: Mapping[str, Any]) -> Any:
        """Find no function."""
        return NotImplemented

    def show_relation(self, statement: Show | Describe) -> Relation:
        """Refuse what only a session shows."""
        _refuse("table", type(statement).__name__)

    def computed_rows(self, bound: BoundQuery) -> list[tuple[Any, ...]]:
        """Refuse a query that depends on the rows of another."""
        _refuse("query", "of a query")

    def known_relation(self, columns: tuple[Field, ...], rows: list[tuple[Any, ...]]) -> Relation:
        """Refuse a query that depends on the rows of another."""
        _refuse("query", "of a query")

    def macro(self, parts: tuple[str, ...]) -> Sequence[StoredMacro]:
        """Find no macro."""
        return ()

    def variable(self, name: str) -> Any:
        """Find no variable."""
        return None

    def setting(self, name: str) -> Any:
        """Find no setting."""
        _refuse("setting", name)


def _refuse(kind: str, name: str) -> NoReturn:
    raise NotFoundError(f"Catalog Error: There is no {kind} {name} here; nothing was read.")
