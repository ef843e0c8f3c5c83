"""Changes of what has names, in words for people."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final

from forklake.catalog import lookup
from forklake.catalog.titles import format_title
from forklake.metastore.written_tables import COLUMN, MACRO, TABLE, VIEW, MetadataTable
from forklake.model import change as changes
from forklake.model.change import Change
from forklake.model.definitions import PartitionField
from forklake.ops.merging.sides import Side

_TABLES: Final[Mapping[str, MetadataTable[Any]]] = {"table": TABLE, "view": VIEW, "macro": MACRO}


def in_words(made: Iterable[Change], before: Side, after: Side) -> tuple[tuple[str, ...], ...]:
    """Return what each change does, in lines; none for changes of rows."""
    words = _Words((after, before))
    return tuple(tuple(words.of(change)) for change in made)


class _Words:
    """Knows the names of things, as the first of some sides that has them names them."""

    def __init__(self, sides: Sequence[Side]) -> None:
        self._sides = sides
        self._schemas: dict[int, str] = {}
        for side in reversed(sides):
            self._schemas |= {row.schema_id: row.schema_name for row in lookup.schemas(side)}

    def of(self, change: Change) -> Iterator[str]:
        match change:
            case changes.CreateSchema(name=name):
                yield f"{format_title('schema', name)} created"
            case changes.DropSchema(schema_id=schema_id):
                yield f"{format_title('schema', self._schemas[schema_id])} dropped"
            case changes.CreateTable() | changes.CreateView() | changes.CreateMacro():
                kind = type(change).__name__.removeprefix("Create").lower()
                yield f"{format_title(kind, self._schemas[change.schema_id], change.name)} created"
            case changes.DropTable(table_id=number):
                yield f"{self._title('table', number)} dropped"
            case changes.DropView(view_id=number):
                yield f"{self._title('view', number)} dropped"
            case changes.DropMacro(macro_id=number):
                yield f"{self._title('macro', number)} dropped"
            case changes.RenameTable(table_id=number, name=name):
                yield f'{self._title("table", number, was=True)} renamed to "{name}"'
            case changes.RenameView(view_id=number, name=name):
                yield f'{self._title("view", number, was=True)} renamed to "{name}"'
            case changes.SetTag(object_id=number, key=key, value=value):
                kind = "table" if self._find("table", number) else "view"
                yield f"{self._title(kind, number)}: {_tag(key, value)}"
            case changes.SetViewColumnTag(view_id=number, column_name=name, key=key, value=value):
                yield f'{self._title("view", number)}: column "{name}": {_tag(key, value)}'
            case _:
                yield from self._of_table(change)

    def _of_table(self, change: Change) -> Iterator[str]:
        match change:
            case changes.AddColumn(column=column):
                what = f'column "{column.name}" added'
            case changes.DropColumn(column_id=number):
                what = f"{self._column(change.table_id, number)} dropped"
            case changes.RenameColumn(column_id=number, name=name):
                what = f'{self._column(change.table_id, number, was=True)} renamed to "{name}"'
            case changes.ChangeColumnType(column_id=number, type=kind):
                what = f"{self._column(change.table_id, number)} has the type {kind}"
            case changes.SetDefault(column_id=number, default=default):
                what = self._column(change.table_id, number) + (
                    " has no default" if default is None else f" has the default {default}"
                )
            case changes.SetNullsAllowed(column_id=number, allowed=allowed):
                what = f"{self._column(change.table_id, number)} {'may' if allowed else 'may not'} be NULL"
            case changes.SetPartitioning(fields=fields):
                keys = ", ".join(map(_key, fields))
                what = f"partitioned by {keys}" if keys else "not partitioned"
            case changes.SetSorting(keys=sorting):
                keys = ", ".join(f"{key.expression} {key.direction}" for key in sorting)
                what = f"sorted by {keys}" if keys else "not sorted"
            case changes.SetColumnTag(column_id=number, key=key, value=value):
                what = f"{self._column(change.table_id, number)}: {_tag(key, value)}"
            case _:
                return
        yield f"{self._title('table', change.table_id)}: {what}"

    def _column(self, table: int, column: int, *, was: bool = False) -> str:
        for side in reversed(self._sides) if was else self._sides:
            for row in side.rows(COLUMN, {"table_id": table}):
                if row.column_id == column:
                    return f'column "{row.column_name}"'
        return f"column {column}"

    def _title(self, kind: str, number: int, *, was: bool = False) -> str:
        found = self._find(kind, number, was=was)
        if found is None:
            return f"{kind} {number}"
        return format_title(kind, self._schemas[found[0]], found[1])

    def _find(self, kind: str, number: int, *, was: bool = False) -> tuple[int, str] | None:
        """Return the schema and the name of a table, view or macro."""
        for side in reversed(self._sides) if was else self._sides:
            for row in side.rows(_TABLES[kind], {f"{kind}_id": number}):
                return row.schema_id, getattr(row, f"{kind}_name")
        return None


def _key(field: PartitionField) -> str:
    return field.column if field.transform == "identity" else f"{field.transform}({field.column})"


def _tag(key: str, value: str | None) -> str:
    title = "comment" if key == "comment" else f'tag "{key}"'
    return f"{title} {'removed' if value is None else 'set'}"
