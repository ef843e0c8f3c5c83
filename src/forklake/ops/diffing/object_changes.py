"""What has names, and differs between two sides, as changes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, Final

from forklake.catalog import describe, lookup
from forklake.catalog.stored_defaults import default_of
from forklake.metastore.differences import shown_by_one
from forklake.model.aliases import parse_aliases
from forklake.model.change import (
    AddColumn,
    Change,
    ChangeColumnType,
    CreateMacro,
    CreateSchema,
    CreateTable,
    CreateView,
    DropColumn,
    DropMacro,
    DropSchema,
    DropTable,
    DropView,
    RenameColumn,
    RenameTable,
    RenameView,
    SetColumnTag,
    SetDefault,
    SetNullsAllowed,
    SetPartitioning,
    SetSorting,
    SetTag,
    SetViewColumnTag,
)
from forklake.model.definitions import ColumnDefinition
from forklake.model.ids import ColumnId, PartitionId, SortId, TableId
from forklake.model.rows import (
    ColumnRow,
    ColumnTagRow,
    MacroRow,
    PartitionInfoRow,
    Row,
    SchemaRow,
    SortInfoRow,
    TableRow,
    TagRow,
    ViewColumnTagRow,
    ViewRow,
)
from forklake.ops.merging.sides import Side, Sides, by_key
from forklake.ops.merging.things import (
    COLUMN_TAGS,
    COLUMNS,
    MACROS,
    PARTITIONING,
    SCHEMAS,
    SORTING,
    TABLES,
    TAGS,
    VIEW_COLUMN_TAGS,
    VIEWS,
    Key,
    Kind,
    Thing,
    things,
)

_Pair = tuple[Thing | None, Thing | None]
_NO_ID: Final = -1


class ObjectDiff:
    """Compares the named things of two sides: the base of `Sides`, and its source."""

    def __init__(self, sides: Sides) -> None:
        self._sides = sides
        self._before, self._after = sides.bases[0], sides.source
        self._found: dict[Kind, dict[Key, _Pair]] = {}
        self.tables = self._pairs(TABLES)

    @property
    def new_tables(self) -> set[TableId]:
        """The tables that only the second side has."""
        return {TableId(key[0]) for key, (before, _) in self.tables.items() if before is None}

    @property
    def old_tables(self) -> set[TableId]:
        """The tables that only the first side has."""
        return {TableId(key[0]) for key, (_, after) in self.tables.items() if after is None}

    def first_changes(self) -> Iterator[Change]:
        """Yield what comes before the rows: schemas, tables and their columns and layouts."""
        schemas, views, macros = self._pairs(SCHEMAS), self._pairs(VIEWS), self._pairs(MACROS)
        yield from _each(schemas, made=_create_schema)
        yield from _each(views, gone=lambda row: [DropView(row.view_id)])
        yield from _each(macros, gone=lambda row: [DropMacro(row.macro_id)], changed=_drop_macro)
        yield from _each(self.tables, gone=lambda row: [DropTable(row.table_id)])
        yield from _each(self.tables, changed=_rename_table, made=self._create_table)
        yield from self._column_changes()
        yield from self._layout_changes(PARTITIONING, self._partitioning)
        yield from self._layout_changes(SORTING, self._sorting)

    def last_changes(self) -> Iterator[Change]:
        """Yield what comes after the rows: views, macros and tags, and schemas that go."""
        yield from _each(self._pairs(VIEWS), made=_create_view, changed=_change_view)
        yield from _each(self._pairs(MACROS), made=self._create_macro, changed=lambda _, row: self._create_macro(row))
        yield from self._tag_changes()
        yield from _each(self._pairs(SCHEMAS), gone=lambda row: [DropSchema(row.schema_id)])

    def _pairs(self, kind: Kind) -> dict[Key, _Pair]:
        """Return the things of a kind that the sides have otherwise, by key."""
        if kind not in self._found:
            self._found[kind] = self._compare(kind)
        return self._found[kind]

    def _compare(self, kind: Kind) -> dict[Key, _Pair]:
        rows = shown_by_one(self._sides.session, self._before.version, self._after.version, kind.table)
        keys = set(by_key([*rows[0], *rows[1]], kind.key))
        if not keys:
            return {}
        where = {kind.key[0]: sorted({key[0] for key in keys})}
        before, after = things(self._before, kind, where), things(self._after, kind, where)
        return {
            key: (before.get(key), after.get(key))
            for key in sorted(keys)
            if _value(before.get(key)) != _value(after.get(key))
        }

    def _create_table(self, row: TableRow) -> list[Change]:
        columns = definitions(lookup.columns(self._after, row.table_id), None)
        return [CreateTable(row.table_id, row.table_uuid, row.schema_id, row.table_name, columns)]

    def _create_macro(self, row: MacroRow) -> list[Change]:
        told = describe.macro(self._after, row, "")
        return [CreateMacro(row.macro_id, row.schema_id, row.macro_name, told.implementations)]

    def _column_changes(self) -> Iterator[Change]:
        whole = self.new_tables | self.old_tables
        pairs = {key: pair for key, pair in self._pairs(COLUMNS).items() if key[0] not in whole}
        for (table_id, column_id), (before, after) in pairs.items():
            row: Any = (after or before or _nothing()).row
            beside = pairs.get((table_id, row.parent_column))
            if before is None:
                if beside is None or beside[0] is not None:
                    yield self._add_column(row)
            elif after is None:
                if beside is None or beside[1] is not None:
                    yield DropColumn(table_id, column_id)
            else:
                old: Any = before.row
                yield from _alter_column(old, row)

    def _add_column(self, row: ColumnRow) -> AddColumn:
        rows = lookup.columns(self._after, row.table_id)
        ids = tuple(_ids(rows, row))
        return AddColumn(row.table_id, _definition(rows, row), row.parent_column, ids)

    def _layout_changes(self, kind: Kind, change: Callable[[TableId, Any], Change]) -> Iterator[Change]:
        for (table_id,), (_, after) in self._pairs(kind).items():
            if table_id not in self.old_tables:
                yield change(table_id, None if after is None else after.row)

    def _partitioning(self, table_id: TableId, row: PartitionInfoRow | None) -> Change:
        number = PartitionId(_NO_ID) if row is None else row.partition_id
        return SetPartitioning(table_id, number, describe.partitioning(self._after, table_id) if row else ())

    def _sorting(self, table_id: TableId, row: SortInfoRow | None) -> Change:
        number = SortId(_NO_ID) if row is None else row.sort_id
        return SetSorting(table_id, number, describe.sorting(self._after, table_id) if row else ())

    def _tag_changes(self) -> Iterator[Change]:
        gone = {*self.old_tables, *(key[0] for key, (_, after) in self._pairs(VIEWS).items() if after is None)}
        columns = {key for key, (_, after) in self._pairs(COLUMNS).items() if after is None}
        for kind in (TAGS, COLUMN_TAGS, VIEW_COLUMN_TAGS):
            for key, (before, after) in self._pairs(kind).items():
                if key[0] not in gone and key[:2] not in columns:
                    yield _set_tag((after or before or _nothing()).row, is_there=after is not None)


def definitions(rows: Sequence[ColumnRow], parent: ColumnId | None) -> tuple[ColumnDefinition, ...]:
    """Return columns, or the fields of a column, as they would be created."""
    return tuple(_definition(rows, row) for row in rows if row.parent_column == parent)


def schema_names(sides: Iterable[Side]) -> dict[int, str]:
    """Return the names of schemas; those of the first sides count."""
    found: dict[int, str] = {}
    for side in sides:
        for row in lookup.schemas(side):
            found.setdefault(row.schema_id, row.schema_name)
    return found


def _each(
    pairs: dict[Key, _Pair],
    *,
    made: Callable[[Any], Iterable[Change]] = lambda _: (),
    gone: Callable[[Any], Iterable[Change]] = lambda _: (),
    changed: Callable[[Any, Any], Iterable[Change]] = lambda *_: (),
) -> Iterator[Change]:
    for before, after in pairs.values():
        if before is not None and after is not None:
            yield from changed(before.row, after.row)
        elif after is not None:
            yield from made(after.row)
        elif before is not None:
            yield from gone(before.row)


def _create_schema(row: SchemaRow) -> list[Change]:
    return [CreateSchema(row.schema_id, row.schema_uuid, row.schema_name)]


def _rename_table(_: TableRow, row: TableRow) -> list[Change]:
    return [RenameTable(row.table_id, row.table_name)]


def _drop_macro(_: MacroRow, row: MacroRow) -> list[Change]:
    return [DropMacro(row.macro_id)]


def _create_view(row: ViewRow) -> list[Change]:
    aliases = parse_aliases(row.column_aliases)
    facts = (row.view_uuid, row.schema_id, row.view_name, row.sql, row.dialect)
    return [CreateView(row.view_id, *facts, aliases, trusted=row.trusted is True)]


def _change_view(before: ViewRow, after: ViewRow) -> list[Change]:
    if (before.sql, before.dialect, before.column_aliases) == (after.sql, after.dialect, after.column_aliases):
        return [RenameView(after.view_id, after.view_name)]
    return [DropView(after.view_id), *_create_view(after)]


def _alter_column(before: ColumnRow, after: ColumnRow) -> Iterator[Change]:
    table, column = after.table_id, after.column_id
    if before.column_name != after.column_name:
        yield RenameColumn(table, column, after.column_name)
    if before.column_type != after.column_type:
        yield ChangeColumnType(table, column, after.column_type)
    if (before.default_value, before.default_value_type) != (after.default_value, after.default_value_type):
        default, is_expression = default_of(after)
        yield SetDefault(table, column, default, is_expression=is_expression, trusted=after.trusted is True)
    if before.nulls_allowed != after.nulls_allowed:
        yield SetNullsAllowed(table, column, after.nulls_allowed)


def _set_tag(row: Row, *, is_there: bool) -> Change:
    match row:
        case TagRow():
            return SetTag(row.object_id, row.key, row.value if is_there else None)
        case ColumnTagRow():
            return SetColumnTag(row.table_id, row.column_id, row.key, row.value if is_there else None)
    assert isinstance(row, ViewColumnTagRow)
    return SetViewColumnTag(row.view_id, row.column_name, row.key, row.value if is_there else None)


def _definition(rows: Sequence[ColumnRow], row: ColumnRow) -> ColumnDefinition:
    return ColumnDefinition(
        row.column_name,
        row.column_type,
        row.nulls_allowed,
        *default_of(row),
        definitions(rows, row.column_id),
    )


def _ids(rows: Sequence[ColumnRow], row: ColumnRow) -> Iterator[ColumnId]:
    yield row.column_id
    for below in rows:
        if below.parent_column == row.column_id:
            yield from _ids(rows, below)


def _value(thing: Thing | None) -> object:
    return None if thing is None else thing.value


def _nothing() -> Thing:
    raise AssertionError("one of two sides has what differs")
