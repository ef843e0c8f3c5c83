"""The clauses of a merge, as callers write them and in Spark SQL."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, Literal

from forklake.model.field import Field
from forklake.model.lazy_dataclass import dataclass

Side = Literal["matched", "not matched", "not matched by source"]
MergeOperation = Literal["update", "delete", "insert"]

TARGET: Final = "target"
SOURCE: Final = "source"
"""What the table and the source are called in conditions of a merge, by callers and in Spark."""


@dataclass(frozen=True, slots=True)
class MergeUpdate:
    """Update the row of the table.

    Attributes:
        set: Expressions by column; None sets every column that the source also has to the source's value.
        when: An additional condition on the rows.
    """

    set: Mapping[str, Any] | None = None
    when: Any = None


@dataclass(frozen=True, slots=True)
class MergeDelete:
    """Delete the row of the table; ``when`` is an additional condition on the rows."""

    when: Any = None


@dataclass(frozen=True, slots=True)
class MergeInsert:
    """Insert a row.

    Attributes:
        values: Expressions by column; None takes every column that the source also has. Others get their
            defaults.
        when: An additional condition on the rows.
    """

    values: Mapping[str, Any] | None = None
    when: Any = None


@dataclass(frozen=True, slots=True)
class Clause:
    """One action of a merge: its rows, its condition and its values, in Spark SQL."""

    side: Side
    operation: MergeOperation
    condition: str | None
    values: tuple[tuple[str, str], ...] = ()
    """Columns of the table and what they become."""


@dataclass(frozen=True, slots=True)
class Merge:
    """A merge in Spark SQL over the structs ``target`` and ``source``.

    The first clause that applies to a row wins. ``source`` are the columns of the source. ``keys`` are pairs of
    column names, of the table and of the source, whose values are equal where rows match.
    """

    on: str
    clauses: tuple[Clause, ...]
    source: tuple[Field, ...]
    keys: tuple[tuple[str, str], ...] = ()

    @property
    def texts(self) -> tuple[str, ...]:
        """All expressions of the merge."""
        conditions = [clause.condition for clause in self.clauses if clause.condition is not None]
        return (self.on, *conditions, *(text for clause in self.clauses for _, text in clause.values))
