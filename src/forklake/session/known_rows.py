"""Rows that are known without a job: what most catalog functions and all metadata tables give."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any, Literal

from forklake.lake.table import Table
from forklake.model.field import Field
from forklake.model.types import Type

if TYPE_CHECKING:
    from forklake.engine.engine import Frame


@dataclass(frozen=True, slots=True)
class Rows:
    """A relation in memory; values are Python's, as a result shows them."""

    columns: tuple[Field, ...]
    rows: list[tuple[Any, ...]]


@dataclass(frozen=True, slots=True)
class Changes:
    """How the rows of a table changed, which takes a job to tell: see `Table.changes` and its sisters.

    Attributes:
        table: The table as it is at the end.
        start: The first snapshot whose changes count, or a time.
        end: The last one, or a time.
        kind: Which changes.
        columns: What ``*`` shows, of what the job gives.
        virtual: What else it gives.
    """

    table: Table
    start: int | datetime
    end: int | datetime
    kind: Literal["all", "insertions", "deletions"]
    columns: tuple[Field, ...]
    virtual: tuple[Field, ...] = ()


@dataclass(frozen=True, slots=True)
class Files:
    """Rows of files that belong to no table: a frame of the engine, and what its columns are."""

    columns: tuple[Field, ...]
    frame: Frame


def column(name: str, kind: Type) -> Field:
    """Return a column of a result."""
    return Field(None, name, kind)
