"""What a commit may do to the content of a catalog."""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from itertools import count
from typing import Final

from forklake import Catalog, ColumnDefinition, SortKey, Transaction
from tests.property.clashes import RELATIONS, Touch
from tests.property.content import (
    FIXED_PARTS,
    TYPES,
    UNKNOWN,
    Bounds,
    Column,
    Deletes,
    File,
    NameMap,
    RefusedError,
    Schema,
    State,
    Table,
    first_row_id,
)

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
    or_replace: bool = False


@dataclass(frozen=True, slots=True)
class DropTable:
    key: int


@dataclass(frozen=True, slots=True)
class RenameTable:
    key: int
    name: str


FORK_COLUMNS: Final = 2**20
"""From here on, a lake numbers the columns that are added in catalogs that are no roots: no two share an id."""
_BLOCKS: Final = count(FORK_COLUMNS, 64)


@dataclass(frozen=True, slots=True)
class AddColumn:
    table: int
    column: ColumnDefinition
    parent: int | None
    fork_id: int = field(default_factory=lambda: next(_BLOCKS), compare=False, repr=False)
    """The id of the column if it is added in a fork, as the truth counts; the store has other ids, but as many."""


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
    partition_values: tuple[str | None, ...] = ()
    mapping: NameMap | None = None
    names: frozenset[tuple[str, int]] = frozenset()
    """Of all columns at the time, with their ids, as a mapping calls them."""


@dataclass(frozen=True, slots=True)
class Append:
    table: int
    files: tuple[NewFile, ...]
    names: Mapping[int, str]
    """The columns that are named by statistics and mappings."""


@dataclass(frozen=True, slots=True)
class DeleteRows:
    """Delete files by the key of their data file."""

    table: int
    files: Mapping[int, Deletes]


@dataclass(frozen=True, slots=True)
class RemoveFiles:
    table: int
    files: tuple[int, ...]


class OtherChange(ABC):
    """A change that knows itself what it does to the truth, and how it is made through the public API."""

    @abstractmethod
    def lay_over(self, draft: "Draft") -> None:
        """Do it to the truth, or raise RefusedError."""

    def steps(self, state: State) -> "tuple[OtherChange, ...]":
        """The changes that it is when it is made; when they are planned again they stay these."""
        return (self,)

    @abstractmethod
    def execute(self, target: Catalog | Transaction, state: State) -> None:
        """Do it to the store, of which `state` is what the target shows."""


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
    | OtherChange
)


# -- application -------------------------------------------------------------------------------------------------------


@dataclass(slots=True)
class Draft:
    """Changes of one catalog laid over a state; a change that is refused leaves no trace."""

    state: State
    catalog: int
    is_root: bool
    home: str
    changes: list[Change] = field(default_factory=list)
    touches: list[Touch] = field(default_factory=list)
    may_alter_later: bool = False
    """Whether it is a transaction's, whose files say what their columns are called."""
    _new: set[int] = field(default_factory=set)

    def apply(self, change: Change) -> None:
        """Lay one more change over the state, or raise RefusedError."""
        match change:
            case CreateSchema():
                self._create_schema(change)
            case DropSchema():
                self._drop_schema(change)
            case CreateTable(or_replace=True):
                self._replace_table(change)
                return
            case CreateTable():
                self._create_table(change)
            case DropTable():
                self.drop_table(change.key)
            case RenameTable():
                self._rename_table(change)
            case AddColumn() | DropColumn() | RenameColumn():
                self._alter(change)
            case OtherChange():
                self._apply_other(change)
                return
            case _:
                self._write(change)
        self.changes.append(change)

    def _apply_other(self, change: OtherChange) -> None:
        before = replace(self, changes=list(self.changes), touches=list(self.touches), _new=set(self._new))
        try:
            for step in change.steps(self.state):
                step.lay_over(self)
                self.changes.append(step)
        except RefusedError:
            self.state, self.changes, self.touches = before.state, before.changes, before.touches
            self._new = before._new
            raise

    def replayed(self, state: State) -> "Draft | None":
        """The same changes on another state, or None if one of them makes no sense there."""
        again = Draft(state, self.catalog, self.is_root, self.home, may_alter_later=self.may_alter_later)
        try:
            for change in self.changes:
                again.apply(change)
        except RefusedError:
            return None
        return again

    def put(self, key: int, table: Table) -> None:
        self.state = replace(self.state, tables={**self.state.tables, key: table})

    def table(self, key: int) -> Table:
        if key not in self.state.tables:
            raise RefusedError("missing")
        return self.state.tables[key]

    def _create_schema(self, change: CreateSchema) -> None:
        if change.name.lower() in (schema.name.lower() for schema in self.state.schemas.values()):
            raise RefusedError("exists")
        schema = Schema(change.name, f"{change.name}/")
        self.state = replace(self.state, schemas={**self.state.schemas, change.key: schema})
        self.created("created schema", change.key, change.name)

    def _drop_schema(self, change: DropSchema) -> None:
        if change.key not in self.state.schemas:
            raise RefusedError("missing")
        tables = [key for key, table in self.state.tables.items() if table.schema == change.key]
        views = [key for key, view in self.state.views.items() if view.schema == change.key]
        macros = [key for key, macro in self.state.macros.items() if macro.schema == change.key]
        if (tables or views or macros) and not change.cascade:
            raise RefusedError("invalid")
        for key in tables:
            self.drop_table(key)
        for key in views:
            self.drop_view(key)
        for key in macros:
            self.drop_macro(key)
        schemas = {key: schema for key, schema in self.state.schemas.items() if key != change.key}
        self.state = replace(self.state, schemas=schemas)
        self.forget(change.key, "dropped schema")

    def _create_table(self, change: CreateTable) -> None:
        if change.schema not in self.state.schemas:
            raise RefusedError("missing")
        if self.state.is_taken(change.schema, change.name):
            raise RefusedError("exists")
        _check_new_names(change.columns)
        columns: list[Column] = []
        for column in change.columns:
            columns += _rows_of(column, len(columns) + 1, None)
        first = first_row_id(self.catalog, is_root=self.is_root)
        home = f"{change.name}/"
        table = Table(change.schema, change.name, home, tuple(columns), len(columns) + 1, first, self.catalog)
        self.put(change.key, table)
        self.created("created table", change.key, change.name, change.schema)

    def drop_table(self, key: int) -> None:
        self.table(key)
        self.state = replace(self.state, tables={k: table for k, table in self.state.tables.items() if k != key})
        self.forget(key, "dropped table")

    def _replace_table(self, change: CreateTable) -> None:
        """Two changes, of the table that has the name now: it stays that one when they are planned again."""
        _check_new_names(change.columns)
        if (found := self.state.table_named(change.schema, change.name)) is not None:
            self.apply(DropTable(found))
        elif self.state.view_named(change.schema, change.name) is not None:
            raise RefusedError("invalid")
        self.apply(replace(change, or_replace=False))

    def drop_view(self, key: int) -> None:
        self.state = replace(self.state, views={k: view for k, view in self.state.views.items() if k != key})
        self.forget(key, "dropped view")

    def drop_macro(self, key: int) -> None:
        self.state = replace(self.state, macros={k: macro for k, macro in self.state.macros.items() if k != key})
        self.forget(key, "dropped macro")

    def created(self, kind: str, key: int, name: str, schema: int | None = None) -> None:
        self._new.add(key)
        self.touches.append(Touch(kind, key, name, schema))

    def forget(self, key: int, kind: str) -> None:
        """What was done to a thing before it was dropped concerns nobody, nor does a thing that nobody saw."""
        self.touches = [touch for touch in self.touches if touch.key != key]
        if key not in self._new:
            self.touches.append(Touch(kind, key))

    def _rename_table(self, change: RenameTable) -> None:
        table = self.table(change.key)
        if self.state.is_taken(table.schema, change.name, besides=change.key):
            raise RefusedError("exists")
        self.put(change.key, replace(table, name=change.name))
        self.altered(change.key)
        self.renamed(change.key, change.name)

    def renamed(self, key: int, name: str) -> None:
        """What is made and renamed in one transaction is made under its last name."""
        self.touches = [
            replace(touch, name=name) if touch.key == key and touch.kind in RELATIONS else touch
            for touch in self.touches
        ]

    def altered(self, key: int, kind: str = "altered") -> None:
        """A thing that nobody saw was not altered either."""
        if key not in self._new:
            self.touches.append(Touch(kind, key))

    def _alter(self, change: AddColumn | DropColumn | RenameColumn) -> None:
        table = self.table(change.table)
        match change:
            case AddColumn():
                inside = table.column(change.parent)
                if inside is not None and inside.type != "struct":
                    raise RefusedError("invalid")
                _check_column_name(table, change.parent, change.column.name)
                table = self.counted(table)
                first = table.next_column if self.is_root else change.fork_id
                added = _rows_of(change.column, first, change.parent, is_added=True)
                after = table.next_column + (len(added) if self.is_root else 0)
                bounds = dict(table.bounds)
                if change.parent is None and change.column.default is not None and table.rows:
                    bounds[first] = (False, int(change.column.default), int(change.column.default))
                table = replace(table, columns=(*table.columns, *added), next_column=after, bounds=bounds)
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
                keys = table.sort_by if column.parent is not None else _following(table, column.name, change.name)
                table = replace(table, columns=renamed, sort_by=keys)
        self.put(change.table, table)
        self.altered(change.table)

    def counted(self, table: Table) -> Table:
        """An inherited table that is written to counts new rows in the range of the catalog that writes."""
        if table.counted_by == self.catalog:
            return table
        first = first_row_id(self.catalog, is_root=self.is_root)
        return replace(table, counted_by=self.catalog, next_row=first)

    def _write(self, change: Append | DeleteRows | RemoveFiles) -> None:
        table = self.counted(self.table(change.table))
        match change:
            case Append():
                check_names(table, change.names)
                for new in change.files:
                    table = self._appended(table, new)
                self.touches.append(Touch("inserted", change.table))
            case DeleteRows():
                for file_key, deletes in change.files.items():
                    file = file_of(table, file_key)
                    before = 0 if file.deletes is None else file.deletes.count
                    if not before < deletes.count < file.rows:
                        raise RefusedError("invalid")
                    placed = replace(deletes, path=self._place(table, deletes.path))
                    files = tuple(replace(f, deletes=placed) if f is file else f for f in table.files)
                    table = replace(table, files=files)
                self.touches.append(Touch("deleted", change.table, files=frozenset(change.files)))
            case RemoveFiles():
                for file_key in change.files:
                    file = file_of(table, file_key)
                    table = replace(table, files=tuple(f for f in table.files if f is not file))
                self.touches.append(Touch("deleted", change.table, files=frozenset(change.files)))
        self.put(change.table, table)

    def _place(self, table: Table, path: str) -> str:
        return f"{self.home}{self.state.schemas[table.schema].home}{table.home}{path}"

    def _appended(self, table: Table, new: NewFile) -> Table:
        if len(new.partition_values) != len(table.partition_by):
            raise RefusedError("invalid")
        place = self._place(table, new.path)
        file = File(
            new.key,
            place,
            new.rows,
            new.size,
            table.next_row,
            self.catalog,
            new.bounds,
            partition_values=new.partition_values,
            mapping=new.mapping,
            names=new.names if self.may_alter_later and new.mapping is None else None,
        )
        bounds = widened(table, new.bounds)
        return replace(table, files=(*table.files, file), next_row=table.next_row + new.rows, bounds=bounds)


def _rows_of(
    definition: ColumnDefinition, column_id: int, parent: int | None, *, is_added: bool = False
) -> list[Column]:
    column = Column(
        column_id,
        definition.name,
        TYPES[definition.type],
        parent,
        nulls_allowed=definition.nulls_allowed,
        default=definition.default,
        for_older_rows=definition.default if is_added else None,
    )
    rows = [column]
    for child in definition.children:
        rows += _rows_of(child, column_id + len(rows), column_id, is_added=is_added)
    return rows


def _check_new_names(columns: tuple[ColumnDefinition, ...]) -> None:
    if len({column.name.lower() for column in columns}) != len(columns):
        raise RefusedError("exists")


def _check_column_name(table: Table, parent: int | None, name: str, besides: int | None = None) -> None:
    for other in table.columns:
        if other.parent == parent and other.column_id != besides and other.name.lower() == name.lower():
            raise RefusedError("exists")


def _following(table: Table, old: str, new: str) -> tuple[SortKey, ...]:
    """Return the sort keys after a rename: those that are the column are called as it is."""
    return tuple(
        replace(key, expression=f'"{new}"')
        if key.dialect == "duckdb" and key.expression.strip('"').lower() == old.lower()
        else key
        for key in table.sort_by
    )


def _without(table: Table, column_id: int) -> tuple[Column, ...]:
    column = table.column(column_id)
    if column is None:
        raise RefusedError("missing")
    parent = table.column(column.parent)
    is_last = sum(other.parent == column.parent for other in table.columns) == 1
    words = {word.strip('"').lower() for key in table.sort_by for word in key.expression.split()}
    is_sorted_by = column.parent is None and column.name.lower() in words
    is_key = column_id in (key for key, _ in table.partition_by) or is_sorted_by
    if is_last or is_key or (parent is not None and parent.type in FIXED_PARTS):
        raise RefusedError("invalid")
    gone = {column_id}
    for other in table.columns:
        if other.parent in gone:
            gone.add(other.column_id)
    return tuple(other for other in table.columns if other.column_id not in gone)


def check_names(table: Table, names: Mapping[int, str]) -> None:
    """A change that names columns makes no sense where they are gone, or have other names."""
    if any(table.dotted(column) != name for column, name in names.items()):
        raise RefusedError("missing")


def file_of(table: Table, key: int) -> File:
    found = next((file for file in table.files if file.key == key), None)
    if found is None:
        raise RefusedError("missing")
    return found


def widened(table: Table, given: Mapping[int, Bounds], only_null: frozenset[int] = frozenset()) -> dict[int, Bounds]:
    """What is known of the columns of a table when rows are added; columns of NULLs only leave the others' bounds."""
    bounds = dict(table.bounds)
    for column in table.columns:
        if column.parent is None:
            key = column.column_id
            old = bounds.get(key)
            bounds[key] = _widened(old, given.get(key), is_first=table.rows == 0)
            if key in only_null and old is not None and table.rows:
                bounds[key] = (True, *old[1:])
    return bounds


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
