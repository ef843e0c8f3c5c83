"""What a merge does with rows, in the words of its caller and in Spark's."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, Literal

from forklake.model.field import Field

Side = Literal["matched", "not matched", "not matched by source"]
Deed = Literal["update", "delete", "insert"]

TARGET: Final = "target"
SOURCE: Final = "source"
"""What the table and the source are called in conditions of a merge, by callers and in Spark."""


@dataclass(frozen=True, slots=True)
class MergeUpdate:
    """Update the row of the table.

    Attributes:
        set: Expressions by column; None sets every column that the source has too, to the source's value.
        when: Only rows for which this holds too.
    """

    set: Mapping[str, Any] | None = None
    when: Any = None


@dataclass(frozen=True, slots=True)
class MergeDelete:
    """Delete the row of the table; ``when``: only rows for which this holds too."""

    when: Any = None


@dataclass(frozen=True, slots=True)
class MergeInsert:
    """Insert a row.

    Attributes:
        values: Expressions by column; None takes every column that the source has too. Others have their defaults.
        when: Only rows for which this holds too.
    """

    values: Mapping[str, Any] | None = None
    when: Any = None


@dataclass(frozen=True, slots=True)
class Clause:
    """One thing that a merge does: to which rows, under which condition, with which values; all in Spark SQL."""

    side: Side
    deed: Deed
    condition: str | None
    values: tuple[tuple[str, str], ...] = ()
    """Columns of the table and what they become."""


@dataclass(frozen=True, slots=True)
class Merge:
    """A merge: how rows are matched, in Spark SQL over the structs ``target`` and ``source``; the first clause wins.

    ``source`` are the columns of the source; ``keys`` are columns of the table that equal columns of the source where
    rows match, both by their names.
    """

    on: str
    clauses: tuple[Clause, ...]
    source: tuple[Field, ...]
    keys: tuple[tuple[str, str], ...] = ()
