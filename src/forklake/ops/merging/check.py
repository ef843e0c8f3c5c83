"""Checks that the result of a merge is a catalog.

Where it is not, no strategy helps.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from forklake.catalog import describe, lookup
from forklake.catalog.draft import Draft
from forklake.catalog.fields import table_fields
from forklake.metastore.written_tables import (
    DATA_FILE,
    FILE_COLUMN_STATS,
    INLINED_ROW,
    MACRO,
    PARTITION_COLUMN,
    SCHEMA,
    TABLE,
    VIEW,
)
from forklake.model.fork_merge import Deed, MergeConflict
from forklake.model.ids import ColumnId
from forklake.model.names import fold
from forklake.model.promotions import can_become
from forklake.model.rows import ColumnRow, DataFileRow, InlinedRow
from forklake.ops.lakes.runtime import Runtime
from forklake.ops.merging.plan import Planned, TableEdit
from forklake.ops.merging.sides import Sides
from forklake.ops.merging.table_files import touches_of
from forklake.ops.merging.things import SCHEMAS, SORTING, TABLES
from forklake.ops.objects.sort_keys import columns_of_key


def check_result(draft: Draft, planned: Planned, runtime: Runtime) -> None:
    """Keep a conflict for each thing that does not fit into the draft."""
    _check_schemas(draft, planned)
    _check_names(draft, planned)
    for table in planned.tables:
        if table.row is not None:
            if table.edits:
                _check_columns(draft, planned, table)
                _check_sorting(draft, planned, table, runtime)
            _check_types(draft, planned, table)
            _check_nulls(draft, planned, table)


def _check_schemas(draft: Draft, planned: Planned) -> None:
    there = {row.schema_id for row in draft.rows(SCHEMA)}
    gone = [edit.before.row for edit in planned.edits if edit.kind is SCHEMAS and edit.after is None and edit.before]
    missing = {row.schema_id for row in (table.row for table in planned.tables) if row is not None} - there
    sides = planned.sides
    # A schema that is gone on one side, and in which something is there in the result.
    lost = {*missing, *(getattr(row, "schema_id", -1) for row in gone)} - there
    if not lost:
        return
    titles: dict[int, str] = {row.schema_id: row.schema_name for side in sides.all for row in side.rows(SCHEMA)}
    for schema_id in lost:
        for kind, name in ((TABLE, "table_name"), (VIEW, "view_name"), (MACRO, "macro_name")):
            for row in draft.rows(kind, {"schema_id": schema_id}):
                is_ours = row.origin is not None
                planned.chooser.refuse(
                    MergeConflict(
                        "dropped",
                        titles.get(schema_id, str(schema_id)),
                        getattr(row, name),
                        None,
                        "kept" if is_ours else "dropped",
                        "dropped" if is_ours else "added",
                    )
                )


def _check_names(draft: Draft, planned: Planned) -> None:
    schemas = draft.rows(SCHEMA)
    for name in _twice(row.schema_name for row in schemas):
        planned.chooser.refuse(MergeConflict("name", name, None, name, "added", "added"))
    # Only where something comes, or gets another name or schema, can a name be there twice.
    edits = [*planned.edits, *(edit for table in planned.tables for edit in table.edits if edit.kind is TABLES)]
    changed: set[Any] = {
        getattr(edit.after.row, "schema_id", None)
        for edit in edits
        if edit.after is not None and edit.kind is not SCHEMAS
    }
    titles = {row.schema_id: row.schema_name for row in schemas}
    for schema_id in changed & titles.keys():
        of_schema = {"schema_id": schema_id}
        relations = [row.table_name for row in draft.rows(TABLE, of_schema)]
        relations += [row.view_name for row in draft.rows(VIEW, of_schema)]
        for names in (relations, [row.macro_name for row in draft.rows(MACRO, of_schema)]):
            for name in _twice(names):
                planned.chooser.refuse(MergeConflict("name", titles[schema_id], name, name, "added", "added"))


def _check_columns(draft: Draft, planned: Planned, table: TableEdit) -> None:
    assert table.row is not None
    place = (_schema_name(draft, table), table.row.table_name)
    columns = lookup.columns(draft, table.table_id)
    if not any(row.parent_column is None for row in columns):
        planned.chooser.refuse(MergeConflict("no_column", *place, None, "dropped", "dropped"))
    by_parent: dict[int | None, list[str]] = {}
    for row in columns:
        by_parent.setdefault(row.parent_column, []).append(row.column_name)
    for row in columns:
        if row.is_nested and row.column_id not in by_parent:
            planned.chooser.refuse(MergeConflict("no_column", *place, row.column_name, "dropped", "dropped"))
    for names in by_parent.values():
        for name in _twice(names):
            planned.chooser.refuse(MergeConflict("name", *place, name, "added", "added"))
    there = {row.column_id for row in columns}
    keys = [
        key.column_id
        for partitioning in draft.rows(PARTITION_COLUMN.follows[0], {"table_id": table.table_id})  # type: ignore[index]
        for key in draft.following(PARTITION_COLUMN, [partitioning])
    ]
    if not there.issuperset(keys):
        planned.chooser.refuse(MergeConflict("column", *place, "a key of the partitioning", "changed", "changed"))


def _check_sorting(draft: Draft, planned: Planned, table: TableEdit, runtime: Runtime) -> None:
    """Check that sort keys name the same columns as on the side that they come from.

    They are texts, so the other side may have renamed or dropped what they name.
    """
    assert table.row is not None
    keys = describe.sorting(draft, table.table_id)
    if not keys:
        return
    is_theirs = any(edit.kind is SORTING and edit.after is not None for edit in table.edits)
    side = planned.sides.source if is_theirs else planned.sides.target
    names = {row.column_id: row.column_name for row in lookup.columns(draft, table.table_id)}
    place, fields = (_schema_name(draft, table), table.row.table_name), table_fields(side, table.table_id)
    named = frozenset[ColumnId]().union(*(columns_of_key(runtime, key, table.row.table_name, fields) for key in keys))
    for column in lookup.columns(side, table.table_id):
        after = names.get(column.column_id)
        is_same = after is not None and fold(after) == fold(column.column_name)
        if is_same or column.column_id not in named:
            continue
        other: Deed = "dropped" if after is None else "changed"
        deeds: tuple[Deed, Deed] = (other, "changed") if is_theirs else ("changed", other)
        planned.chooser.refuse(MergeConflict("column", *place, column.column_name, *deeds))


def _check_types(draft: Draft, planned: Planned, table: TableEdit) -> None:
    """Check that columns can hold what both sides wrote.

    One may have widened a type, and another one was chosen.
    """
    assert table.row is not None
    if table.is_new:
        return
    result = {row.column_id: row for row in lookup.columns(draft, table.table_id)}
    for side in planned.sides.both:
        narrowed = [
            result[row.column_id]
            for row in lookup.columns(side, table.table_id)
            if row.column_id in result and not _holds(result[row.column_id], row)
        ]
        if narrowed and touches_of(planned.sides, side, [table.table_id]):
            place = (_schema_name(draft, table), table.row.table_name)
            for column in narrowed:
                conflict = MergeConflict("column", *place, column.column_name, "changed", "changed", attribute="type")
                planned.chooser.refuse(conflict)


def _holds(wide: ColumnRow, narrow: ColumnRow) -> bool:
    if wide.column_type == narrow.column_type or wide.is_nested or narrow.is_nested:
        return wide.column_type == narrow.column_type
    return can_become(narrow.type, wide.type)


def _check_nulls(draft: Draft, planned: Planned, table: TableEdit) -> None:
    """Check that columns which may not be NULL are not so in any row.

    A side that forbids it has seen to its own rows. The other one may have written NULL, or lack the column.
    """
    assert table.row is not None
    strict = [row for row in lookup.columns(draft, table.table_id) if not row.nulls_allowed]
    if not strict:
        return
    sides, place = planned.sides, (_schema_name(draft, table), table.row.table_name)
    for side in sides.both:
        allowed = {row.column_id: row.nulls_allowed for row in lookup.columns(side, table.table_id)}
        doubted = [row for row in strict if allowed.get(row.column_id, row.parent_column is None)]
        if not doubted:
            continue
        files, inlined = _rows_that_come(table) if side is sides.source else _rows_that_stay(draft, sides, table)
        stats = side.following(FILE_COLUMN_STATS, files)
        deeds: tuple[Deed, Deed] = ("changed", "added") if side is sides.source else ("added", "changed")
        for column in doubted:
            told = [row for row in stats if row.column_id == column.column_id]
            is_known = len(told) == len(files) and all(row.null_count == 0 for row in told)
            has_default = column.column_id not in allowed and column.initial_default is not None
            if (files and not is_known and not has_default) or any(_is_null(row, column) for row in inlined):
                planned.chooser.refuse(MergeConflict("not_null", *place, column.column_name, *deeds))


def _rows_that_come(table: TableEdit) -> tuple[list[DataFileRow], list[InlinedRow]]:
    """Return the files and inlined rows of the source that the target gets."""
    rows = table.rows
    return ([], []) if rows is None else ([file.row for file in rows.begun], rows.begun_rows)


def _rows_that_stay(draft: Draft, sides: Sides, table: TableEdit) -> tuple[list[DataFileRow], list[InlinedRow]]:
    """Return the files and inlined rows of the result that only the target has."""
    touched = None if table.is_new else touches_of(sides, sides.target, [table.table_id]).get(table.table_id)
    if touched is None:
        return [], []
    of_files = {"table_id": table.table_id, "data_file_id": sorted(touched.files)}
    others = {row.data_file_id for side in (*sides.bases, sides.source) for row in side.rows(DATA_FILE, of_files)}
    files = [row for row in draft.rows(DATA_FILE, of_files) if row.origin is not None]
    inlined = draft.rows(INLINED_ROW, {"table_id": table.table_id, "row_id": sorted(touched.row_ids)})
    return (
        [row for row in files if row.data_file_id not in others],
        [row for row in inlined if row.origin is not None],
    )


def _is_null(row: InlinedRow, column: ColumnRow) -> bool:
    if column.parent_column is not None:
        return f'"{column.column_id}": null' in row.document
    return json.loads(row.document).get(str(column.column_id), column.initial_default) is None


def _schema_name(draft: Draft, table: TableEdit) -> str:
    assert table.row is not None
    found = draft.rows(SCHEMA, {"schema_id": table.row.schema_id})
    return found[0].schema_name if found else str(table.row.schema_id)


def _twice(names: Iterable[str]) -> list[str]:
    """Return the names that occur more than once, whatever their case."""
    seen: dict[str, list[str]] = {}
    for name in names:
        seen.setdefault(fold(name), []).append(name)
    return [same[0] for same in seen.values() if len(same) > 1]
