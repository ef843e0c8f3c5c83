"""What a merge does to what has names, in words for people."""

from __future__ import annotations

from collections.abc import Iterator

from forklake.catalog.titles import format_title
from forklake.model.rows import ColumnRow, MacroRow, Row, SchemaRow, TableRow, ViewRow
from forklake.ops.merging.plan import Planned, TableEdit
from forklake.ops.merging.things import COLUMN_TAGS, COLUMNS, PARTITIONING, TABLES, Edit, ObjectMerge


def in_words(planned: Planned) -> tuple[str, ...]:
    """Return what a merge does, one line each; changes of rows are left out."""
    objects = ObjectMerge(planned.sides, planned.chooser)
    lines = [line for edit in planned.edits for line in _of_object(objects, edit)]
    lines += [line for table in planned.tables for line in _of_table(objects, table)]
    return tuple(dict.fromkeys(lines))


def _of_object(objects: ObjectMerge, edit: Edit) -> Iterator[str]:
    row = _row(edit)
    if edit.kind.conflict == "tag":
        tagged = objects.object_of_tag(row)
        if tagged is not row:
            yield f"{_title(objects, tagged)}: {_tag(row)} {_verb(edit)}"
        return
    yield f"{_title(objects, row)} {_verb(edit)}"


def _of_table(objects: ObjectMerge, table: TableEdit) -> Iterator[str]:
    made = next((edit for edit in table.edits if edit.kind is TABLES), None)
    if made is not None:
        before, after = (None if thing is None else thing.row for thing in (made.before, made.after))
        if isinstance(before, TableRow) and isinstance(after, TableRow):
            yield f"{_title(objects, before)} renamed to {_title(objects, after).removeprefix('table ')}"
        else:
            yield f"{_title(objects, _row(made))} {_verb(made)}"
            return
    if table.row is None:
        return
    title = _title(objects, table.row)
    for edit in table.edits:
        row = _row(edit)
        if edit.kind is COLUMNS and isinstance(row, ColumnRow):
            yield f'{title}: column "{row.column_name}" {_verb(edit, "added")}'
        elif edit.kind is COLUMN_TAGS:
            yield f"{title}: {_tag(row)} of a column {_verb(edit)}"
        elif edit.kind is not TABLES:
            yield f"{title}: {'partitioning' if edit.kind is PARTITIONING else 'sorting'} changed"


def _row(edit: Edit) -> Row:
    thing = edit.after or edit.before
    assert thing is not None
    return thing.row


def _verb(edit: Edit, made: str = "created") -> str:
    return made if edit.before is None else "dropped" if edit.after is None else "changed"


def _tag(row: Row) -> str:
    key = getattr(row, "key", "")
    return "comment" if key == "comment" else f'tag "{key}"'


def _title(objects: ObjectMerge, row: Row) -> str:
    match row:
        case SchemaRow(schema_name=name):
            return format_title("schema", name)
        case TableRow(schema_id=schema_id, table_name=name):
            return format_title("table", objects.schema_name(schema_id), name)
        case ViewRow(schema_id=schema_id, view_name=name):
            return format_title("view", objects.schema_name(schema_id), name)
        case MacroRow(schema_id=schema_id, macro_name=name):
            return format_title("macro", objects.schema_name(schema_id), name)
    raise AssertionError(f"{type(row).__name__} has no name.")
