"""Conditions on metadata rows: what columns must be, in SQL and in memory."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from forklake.metastore.written_tables import MetadataTable, R
from forklake.model.lazy_dataclass import dataclass
from forklake.model.names import fold

Where = Mapping[str, Any]
"""Columns and what they must be: a value, a list of values, or a name that is compared folded."""


@dataclass(frozen=True, slots=True)
class FoldedName:
    """A name to compare with a column regardless of case; the text is already folded."""

    text: str


def filter_text(where: Where, of: str = "r") -> str:
    """Return the condition on rows ``r``, as the end of a WHERE clause.

    Rows may have another name. `filter_params` has its values.
    """
    return "".join(
        f" AND {f'fold({of}.{name})' if isinstance(value, FoldedName) else f'{of}.{name}'} {_comparison(name, value)}"
        for name, value in where.items()
    )


def filter_params(where: Where) -> dict[str, Any]:
    """Return the parameters of a statement with the text of a filter or of a scope."""
    return {f"w_{column}": value.text if isinstance(value, FoldedName) else value for column, value in where.items()}


def tombstone_scope(table: MetadataTable[Any], where: Where) -> str:
    """Return the condition on tombstones ``z`` that may hide rows of a filter."""
    if table.scope is None:
        return " AND z.scope_id = 0"
    if table.scope not in where:
        return ""
    return f" AND z.scope_id {_comparison(table.scope, where[table.scope])}"


def _comparison(column: str, value: Any) -> str:
    return f"IN (:w_{column}...)" if isinstance(value, list) else f"= :w_{column}"


def matching(rows: Iterable[R], where: Where) -> list[R]:
    """Return the rows that fulfil a filter, as the database judges it.

    Each row takes one look, however many values the filter lists.
    """
    wanted = [(column, frozenset(value) if isinstance(value, list) else value) for column, value in where.items()]
    return [row for row in rows if all(_fulfils(getattr(row, column), value) for column, value in wanted)]


def _fulfils(actual: Any, value: Any) -> bool:
    match value:
        case FoldedName(text):
            return fold(actual) == text
        case frozenset():
            return actual in value
        case _:
            return bool(actual == value)
