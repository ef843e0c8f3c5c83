"""The content of a catalog as the truth holds it: plain values, nothing shared and nothing numbered by the store."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Literal

from forklake import MacroImplementation, SortKey

TYPES = {
    "SMALLINT": "int16",
    "INTEGER": "int32",
    "BIGINT": "int64",
    "Decimal(10, 2)": "decimal(10,2)",
    "struct": "struct",
    "list": "list",
    "map": "map",
}
INTEGERS = ("int16", "int32", "int64")
NESTED = ("struct", "list", "map")
FIXED_PARTS = ("list", "map")

NOWHERE = "nowhere"
Keys = Iterator[int]
"""Numbers for what the truth knows, none of them twice."""

Refusal = Literal["exists", "missing", "invalid"]
Bounds = tuple[bool | None, int | None, int | None]
"""Whether a column has a NULL, its least and its greatest value; None is unknown."""
UNKNOWN: Bounds = (None, None, None)


class RefusedError(Exception):
    """The change makes no sense on this content."""

    def __init__(self, refusal: Refusal) -> None:
        super().__init__(refusal)
        self.refusal: Refusal = refusal


@dataclass(frozen=True, slots=True)
class Schema:
    name: str
    home: str


@dataclass(frozen=True, slots=True)
class Column:
    column_id: int
    name: str
    type: str
    parent: int | None
    nulls_allowed: bool = True
    default: str | None = None
    default_is_expression: bool = False
    for_older_rows: str | None = None
    """What rows that are older than the column have in it."""
    tags: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Deletes:
    """The delete file of a data file."""

    key: int
    path: str
    count: int
    size: int


@dataclass(frozen=True, slots=True)
class NameMap:
    """How the columns of files without field ids are found: pairs of a name in the file and a column id."""

    key: int
    columns: tuple[tuple[str, int], ...]


@dataclass(frozen=True, slots=True)
class File:
    key: int
    path: str
    rows: int
    size: int
    first_row: int
    owner: int
    bounds: Mapping[int, Bounds]
    deletes: Deletes | None = None
    deleted: frozenset[int] = frozenset()
    """Positions whose deletion is kept in the metadata."""
    partition_values: tuple[str | None, ...] = ()
    mapping: NameMap | None = None
    names: frozenset[tuple[str, int]] | None = None
    """What its columns were called when it was given to a transaction, without a mapping of its own."""


@dataclass(frozen=True, slots=True)
class Table:
    schema: int
    name: str
    home: str
    columns: tuple[Column, ...]
    next_column: int
    next_row: int
    counted_by: int
    files: tuple[File, ...] = ()
    bounds: Mapping[int, Bounds] = field(default_factory=dict)
    tags: Mapping[str, str] = field(default_factory=dict)
    partition_by: tuple[tuple[int, str], ...] = ()
    """Column ids and transforms."""
    sort_by: tuple[SortKey, ...] = ()
    inlined: Mapping[int, Mapping[int, str | None]] = field(default_factory=dict)
    """Of each row that is kept in the metadata, by its row id, the values by column id."""

    @property
    def rows(self) -> int:
        """Gross: rows of files that are hidden by deletes still count."""
        return sum(file.rows for file in self.files) + len(self.inlined)

    def column(self, column_id: int | None) -> Column | None:
        return next((column for column in self.columns if column.column_id == column_id), None)

    def dotted(self, column_id: int) -> str:
        """The name of a column, or of a field with the names of what it is in."""
        column = self.column(column_id)
        if column is None:
            return NOWHERE
        return column.name if column.parent is None else f"{self.dotted(column.parent)}.{column.name}"


@dataclass(frozen=True, slots=True)
class View:
    schema: int
    name: str
    sql: str
    aliases: tuple[str, ...]
    tags: Mapping[str, str] = field(default_factory=dict)
    column_tags: Mapping[tuple[str, str], str] = field(default_factory=dict)
    """By the name of the column and the key."""


@dataclass(frozen=True, slots=True)
class Macro:
    schema: int
    name: str
    overloads: tuple[MacroImplementation, ...]


@dataclass(frozen=True, slots=True)
class State:
    """The content of a catalog at a snapshot."""

    schema_version: int
    schemas: Mapping[int, Schema]
    tables: Mapping[int, Table]
    views: Mapping[int, View] = field(default_factory=dict)
    macros: Mapping[int, Macro] = field(default_factory=dict)

    def schema_name(self, key: int) -> str:
        return self.schemas[key].name if key in self.schemas else NOWHERE

    def table_named(self, schema: int, name: str) -> int | None:
        return _named(self.tables, schema, name)

    def view_named(self, schema: int, name: str) -> int | None:
        return _named(self.views, schema, name)

    def macro_named(self, schema: int, name: str) -> int | None:
        return _named(self.macros, schema, name)

    def is_taken(self, schema: int, name: str, besides: int | None = None) -> bool:
        """Whether a table or view has the name, which they share."""
        return not {self.table_named(schema, name), self.view_named(schema, name)} <= {None, besides}


def _named(
    things: Mapping[int, Table] | Mapping[int, View] | Mapping[int, Macro], schema: int, name: str
) -> int | None:
    found = (k for k, thing in things.items() if (thing.schema, thing.name.lower()) == (schema, name.lower()))
    return next(found, None)


def first_row_id(catalog: int, *, is_root: bool) -> int:
    return 0 if is_root else catalog * 2**36
