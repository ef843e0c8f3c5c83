"""What a commit may do to the content of a catalog, and when two commits stand in each other's way."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Literal

from forklake import ColumnDefinition

TYPES = {"BIGINT": "int64", "Decimal(10, 2)": "decimal(10,2)", "struct": "struct", "list": "list", "map": "map"}
FIXED_PARTS = ("list", "map")

Refusal = Literal["exists", "missing", "invalid"]
Bounds = tuple[bool | None, int | None, int | None]
"""Whether a column has a NULL, its least and its greatest value; None is unknown."""
UNKNOWN: Bounds = (None, None, None)


class RefusedError(Exception):
    """The change makes no sense on this content."""

    def __init__(self, refusal: Refusal) -> None:
        super().__init__(refusal)
        self.refusal: Refusal = refusal


# -- content -----------------------------------------------------------------------------------------------------------


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


@dataclass(frozen=True, slots=True)
class Deletes:
    """The delete file of a data file."""

    key: int
    path: str
    count: int
    size: int


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

    @property
    def rows(self) -> int:
        """Gross: rows that a delete file hides still count."""
        return sum(file.rows for file in self.files)

    def column(self, column_id: int | None) -> Column | None:
        return next((column for column in self.columns if column.column_id == column_id), None)


@dataclass(frozen=True, slots=True)
class State:
    """The content of a catalog at a snapshot."""

    schema_version: int
    schemas: Mapping[int, Schema]
    tables: Mapping[int, Table]

    def inside(self, schema: int) -> dict[int, Table]:
        return {key: table for key, table in self.tables.items() if table.schema == schema}


# -- changes -----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class CreateSchema:
    key: int
    name: str


@dataclass(frozen=True, slots=True)
class DropSchema:
    key: int
    cascade: bool


@dataclass(frozen=True, slots=True)
class CreateTable:
    key: int
    schema: int
    name: str
    columns: tuple[ColumnDefinition, ...]


@dataclass(frozen=True, slots=True)
class DropTable:
    key: int


@dataclass(frozen=True, slots=True)
class RenameTable:
    key: int
    name: str


@dataclass(frozen=True, slots=True)
class AddColumn:
    table: int
    column: ColumnDefinition
    parent: int | None


@dataclass(frozen=True, slots=True)
class DropColumn:
    table: int
    column: int


@dataclass(frozen=True, slots=True)
class RenameColumn:
    table: int
    column: int
    name: str


@dataclass(frozen=True, slots=True)
class NewFile:
    key: int
    path: str
    rows: int
    size: int
    bounds: Mapping[int, Bounds]


@dataclass(frozen=True, slots=True)
class Append:
    table: int
    files: tuple[NewFile, ...]


@dataclass(frozen=True, slots=True)
class DeleteRows:
    """Delete files by the key of their data file."""

    table: int
    files: Mapping[int, Deletes]


@dataclass(frozen=True, slots=True)
class RemoveFiles:
    table: int
    files: tuple[int, ...]


Change = (
    CreateSchema
    | DropSchema
    | CreateTable
    | DropTable
    | RenameTable
    | AddColumn
    | DropColumn
    | RenameColumn
    | Append
    | DeleteRows
    | RemoveFiles
)


# -- conflicts ---------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Touch:
    """What others have to know of a change: of which kind it is, and of what."""

    kind: str
    key: int
    name: str = ""
    schema: int | None = None
    files: frozenset[int] = frozenset()


# Ours cannot follow theirs on the same table or schema.
_CLASHES = {
    ("dropped table", "dropped table"),
    ("dropped schema", "dropped schema"),
    ("altered", "dropped table"),
    ("altered", "altered"),
    ("inserted", "dropped table"),
    ("inserted", "altered"),
    ("inserted", "deleted"),
    ("deleted", "dropped table"),
    ("deleted", "altered"),
    ("deleted", "inserted"),
}


def clash(ours: Touch, theirs: Touch) -> bool:
    """Whether our change cannot follow theirs."""
    match ours.kind, theirs.kind:
        case "created schema", "created schema":
            return ours.name.lower() == theirs.name.lower()
        case "created table", "created table":
            return (ours.schema, ours.name.lower()) == (theirs.schema, theirs.name.lower())
        case "created table", "dropped schema":
            return ours.schema == theirs.key
        case "dropped schema", "created table":
            return ours.key == theirs.schema
        case "deleted", "deleted":
            return ours.key == theirs.key and bool(ours.files & theirs.files)
    return (ours.kind, theirs.kind) in _CLASHES and ours.key == theirs.key


# -- application -------------------------------------------------------------------------------------------------------


def first_row_id(catalog: int, *, is_root: bool) -> int:
    return 0 if is_root else catalog * 2**36


@dataclass(slots=True)
class Draft:
    """Changes of one catalog laid over a state; a change that is refused leaves no trace."""

    state: State
    catalog: int
    is_root: bool
    home: str
    changes: list[Change] = field(default_factory=list)
    touches: list[Touch] = field(default_factory=list)
    _new: set[int] = field(default_factory=set)

    def apply(self, change: Change) -> None:
        """Lay one more change over the state, or raise RefusedError."""
        match change:
            case CreateSchema():
                self._create_schema(change)
            case DropSchema():
                self._drop_schema(change)
            case CreateTable():
                self._create_table(change)
            case DropTable():
                self._drop_table(change.key)
            case RenameTable():
                self._rename_table(change)
            case AddColumn() | DropColumn() | RenameColumn():
                self._alter(change)
            case _:
                self._write(change)
        self.changes.append(change)

    def replayed(self, state: State) -> "Draft | None":
        """The same changes on another state, or None if one of them makes no sense there."""
        again = Draft(state, self.catalog, self.is_root, self.home)
        try:
            for change in self.changes:
                again.apply(change)
        except RefusedError:
            return None
        return again

    def _put(self, key: int, table: Table) -> None:
        self.state = replace(self.state, tables={**self.state.tables, key: table})

    def _table(self, key: int) -> Table:
        if key not in self.state.tables:
            raise RefusedError("missing")
        return self.state.tables[key]

    def _is_taken(self, schema: int, name: str, besides: int | None = None) -> bool:
        return any(t.name.lower() == name.lower() for k, t in self.state.inside(schema).items() if k != besides)

    def _create_schema(self, change: CreateSchema) -> None:
        if change.name.lower() in (schema.name.lower() for schema in self.state.schemas.values()):
            raise RefusedError("exists")
        schema = Schema(change.name, f"{change.name}/")
        self.state = replace(self.state, schemas={**self.state.schemas, change.key: schema})
        self._new.add(change.key)
        self.touches.append(Touch("created schema", change.key, change.name))

    def _drop_schema(self, change: DropSchema) -> None:
        if change.key not in self.state.schemas:
            raise RefusedError("missing")
        held = self.state.inside(change.key)
        if held and not change.cascade:
            raise RefusedError("invalid")
        for table in held:
            self._drop_table(table)
        schemas = {key: schema for key, schema in self.state.schemas.items() if key != change.key}
        self.state = replace(self.state, schemas=schemas)
        self._forget(change.key, "dropped schema")

    def _create_table(self, change: CreateTable) -> None:
        if change.schema not in self.state.schemas:
            raise RefusedError("missing")
        if self._is_taken(change.schema, change.name):
            raise RefusedError("exists")
        columns: list[Column] = []
        for column in change.columns:
            columns += _rows_of(column, len(columns) + 1, None)
        first = first_row_id(self.catalog, is_root=self.is_root)
        home = f"{change.name}/"
        table = Table(change.schema, change.name, home, tuple(columns), len(columns) + 1, first, self.catalog)
        self._put(change.key, table)
        self._new.add(change.key)
        self.touches.append(Touch("created table", change.key, change.name, change.schema))

    def _drop_table(self, key: int) -> None:
        self._table(key)
        self.state = replace(self.state, tables={k: table for k, table in self.state.tables.items() if k != key})
        self._forget(key, "dropped table")

    def _forget(self, key: int, kind: str) -> None:
        """What was done to a thing before it was dropped concerns nobody, nor does a thing that nobody saw."""
        self.touches = [touch for touch in self.touches if touch.key != key]
        if key not in self._new:
            self.touches.append(Touch(kind, key))

    def _rename_table(self, change: RenameTable) -> None:
        table = self._table(change.key)
        if self._is_taken(table.schema, change.name, besides=change.key):
            raise RefusedError("exists")
        self._put(change.key, replace(table, name=change.name))
        self._altered(change.key)
        self.touches = [
            replace(touch, name=change.name) if (touch.kind, touch.key) == ("created table", change.key) else touch
            for touch in self.touches
        ]

    def _altered(self, key: int) -> None:
        if key not in self._new:
            self.touches.append(Touch("altered", key))

    def _alter(self, change: AddColumn | DropColumn | RenameColumn) -> None:
        table = self._table(change.table)
        match change:
            case AddColumn():
                inside = table.column(change.parent)
                if inside is not None and inside.type != "struct":
                    raise RefusedError("invalid")
                _check_column_name(table, change.parent, change.column.name)
                table = self._counted(table)
                added = _rows_of(change.column, table.next_column, change.parent)
                columns = (*table.columns, *added)
                table = replace(table, columns=columns, next_column=table.next_column + len(added))
            case DropColumn():
                table = replace(table, columns=_without(table, change.column))
            case RenameColumn():
                column = table.column(change.column)
                if column is None:
                    raise RefusedError("missing")
                _check_column_name(table, column.parent, change.name, besides=change.column)
                if (parent := table.column(column.parent)) is not None and parent.type in FIXED_PARTS:
                    raise RefusedError("invalid")
                renamed = tuple(replace(c, name=change.name) if c is column else c for c in table.columns)
                table = replace(table, columns=renamed)
        self._put(change.table, table)
        self._altered(change.table)

    def _counted(self, table: Table) -> Table:
        """An inherited table that is written to counts new rows in the range of the catalog that writes."""
        if table.counted_by == self.catalog:
            return table
        first = first_row_id(self.catalog, is_root=self.is_root)
        return replace(table, counted_by=self.catalog, next_row=first)

    def _write(self, change: Append | DeleteRows | RemoveFiles) -> None:
        table = self._counted(self._table(change.table))
        match change:
            case Append():
                for new in change.files:
                    table = self._appended(table, new)
                self.touches.append(Touch("inserted", change.table))
            case DeleteRows():
                for file_key, deletes in change.files.items():
                    file = _file(table, file_key)
                    before = 0 if file.deletes is None else file.deletes.count
                    if not before < deletes.count < file.rows:
                        raise RefusedError("invalid")
                    placed = replace(deletes, path=self._place(table, deletes.path))
                    files = tuple(replace(f, deletes=placed) if f is file else f for f in table.files)
                    table = replace(table, files=files)
                self.touches.append(Touch("deleted", change.table, files=frozenset(change.files)))
            case RemoveFiles():
                for file_key in change.files:
                    file = _file(table, file_key)
                    table = replace(table, files=tuple(f for f in table.files if f is not file))
                self.touches.append(Touch("deleted", change.table, files=frozenset(change.files)))
        self._put(change.table, table)

    def _place(self, table: Table, path: str) -> str:
        return f"{self.home}{self.state.schemas[table.schema].home}{table.home}{path}"

    def _appended(self, table: Table, new: NewFile) -> Table:
        bounds = dict(table.bounds)
        for column in table.columns:
            if column.parent is None:
                key = column.column_id
                bounds[key] = _widened(bounds.get(key), new.bounds.get(key), is_first=table.rows == 0)
        place = self._place(table, new.path)
        file = File(new.key, place, new.rows, new.size, table.next_row, self.catalog, new.bounds)
        return replace(table, files=(*table.files, file), next_row=table.next_row + new.rows, bounds=bounds)


def _rows_of(definition: ColumnDefinition, column_id: int, parent: int | None) -> list[Column]:
    rows = [Column(column_id, definition.name, TYPES[definition.type], parent)]
    for child in definition.children:
        rows += _rows_of(child, column_id + len(rows), column_id)
    return rows


def _check_column_name(table: Table, parent: int | None, name: str, besides: int | None = None) -> None:
    for other in table.columns:
        if other.parent == parent and other.column_id != besides and other.name.lower() == name.lower():
            raise RefusedError("exists")


def _without(table: Table, column_id: int) -> tuple[Column, ...]:
    column = table.column(column_id)
    if column is None:
        raise RefusedError("missing")
    parent = table.column(column.parent)
    is_last = sum(other.parent == column.parent for other in table.columns) == 1
    if is_last or (parent is not None and parent.type in FIXED_PARTS):
        raise RefusedError("invalid")
    gone = {column_id}
    for other in table.columns:
        if other.parent in gone:
            gone.add(other.column_id)
    return tuple(other for other in table.columns if other.column_id not in gone)


def _file(table: Table, key: int) -> File:
    found = next((file for file in table.files if file.key == key), None)
    if found is None:
        raise RefusedError("missing")
    return found


def _widened(old: Bounds | None, given: Bounds | None, *, is_first: bool) -> Bounds:
    """What is known of a column when a file is added: bounds only widen, and what one side does not know is unknown."""
    if given is None:
        return UNKNOWN
    if is_first:
        return given
    if old is None:  # the rows before have no value in this column
        return (given[0] or None, None, None)
    has_null = True if old[0] or given[0] else (None if None in (old[0], given[0]) else False)
    low = None if old[1] is None or given[1] is None else min(old[1], given[1])
    high = None if old[2] is None or given[2] is None else max(old[2], given[2])
    return (has_null, low, high)
