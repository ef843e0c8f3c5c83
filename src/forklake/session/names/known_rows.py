"""Relations that are not tables: rows in memory, change feeds, diffs and files.

Most catalog functions and all metadata tables give rows in memory, which are known without a job.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from datetime import datetime
from typing import TYPE_CHECKING, Any, Final, Literal

from forklake.lake.table import Table
from forklake.model import types
from forklake.model.difference import DiffScan
from forklake.model.field import Field
from forklake.model.lazy_dataclass import dataclass
from forklake.model.names import fold
from forklake.model.scan import ScanPlan
from forklake.model.types import Type
from forklake.model.types.shapes import list_of, map_of

if TYPE_CHECKING:
    from forklake.engine.engine import Frame

_LISTED_TYPES: Final[dict[str, Type]] = {
    "": types.VARCHAR,
    "bool": types.BOOLEAN,
    "int": types.INT32,
    "long": types.INT64,
    "list": list_of(types.VARCHAR),
    "longs": list_of(types.INT64),
    "map": map_of(types.VARCHAR, types.VARCHAR),
}


@dataclass(frozen=True, slots=True)
class Rows:
    """A relation in memory; its values are Python's, as a result shows them."""

    columns: tuple[Field, ...]
    rows: list[tuple[Any, ...]]

    def project(self, names: Iterable[str]) -> Rows:
        """Return some of the columns, which are there, in the order of their names."""
        places = {fold(field.name): place for place, field in enumerate(self.columns)}
        chosen = [places[fold(name)] for name in names]
        shown = [tuple(row[place] for place in chosen) for row in self.rows]
        return Rows(tuple(self.columns[place] for place in chosen), shown)


@dataclass(frozen=True, slots=True)
class Changes:
    """The change feed of a table, which takes a job to read.

    See `Table.changes` for what it shows.

    Attributes:
        table: The table as it is at the end.
        start: The first snapshot whose changes count, or a time.
        end: The last one, or a time.
        kind: Which changes.
        columns: The columns of ``*``.
        virtual: The other columns, which a query must name to see them.
    """

    table: Table
    start: int | datetime
    end: int | datetime
    kind: Literal["all", "insertions", "deletions"]
    columns: tuple[Field, ...]
    virtual: tuple[Field, ...] = ()


@dataclass(frozen=True, slots=True)
class Differences:
    """The rows of a table that differ between two versions, which take a job to read."""

    plan: DiffScan

    @property
    def columns(self) -> tuple[Field, ...]:
        """The columns of ``*``."""
        return self.plan.fields


@dataclass(frozen=True, slots=True)
class FileScan:
    """Rows of Parquet files that belong to no table, as a scan.

    This process reads it, or the engine.
    """

    plan: ScanPlan

    @property
    def columns(self) -> tuple[Field, ...]:
        """The columns of ``*``."""
        return self.plan.fields


@dataclass(frozen=True, slots=True)
class Files:
    """Rows of a table in many catalogs, and what makes a frame of the engine of them."""

    columns: tuple[Field, ...]
    read: Callable[[], Frame]


def column(name: str, kind: Type) -> Field:
    """Return a column of a result."""
    return Field(None, name, kind)


def listed_columns(text: str) -> tuple[Field, ...]:
    """Return the columns that a text lists, such as ``"name internal:bool"``.

    The type follows a colon; without one it is VARCHAR.
    """
    parts = [word.partition(":") for word in text.split()]
    return tuple(column(name, _LISTED_TYPES[kind]) for name, _, kind in parts)
