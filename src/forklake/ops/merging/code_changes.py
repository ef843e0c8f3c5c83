"""Which texts that are bound later a merge brings.

They are those of views, macros, defaults and sort keys.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any

from forklake.model.fork_merge import CodeChange
from forklake.model.rows import ColumnRow, MacroImplRow, MacroParameterRow, MacroRow, SortExpressionRow, ViewRow
from forklake.ops.merging.plan import Planned
from forklake.ops.merging.things import COLUMNS, MACROS, SORTING, VIEWS, Edit, ObjectMerge, Thing


def code_changes(planned: Planned) -> tuple[CodeChange, ...]:
    """Return the changes of texts that are bound when they are used.

    Defaults that are values, sort keys that are names of columns, and what goes with its table are none.
    """
    objects = ObjectMerge(planned.sides, planned.chooser)
    found = _join_replacements(_of_object(objects, edit) for edit in planned.edits if edit.kind in (VIEWS, MACROS))
    for table in planned.tables:
        if table.row is None:
            continue
        place = objects.schema_name(table.row.schema_id), table.row.table_name
        for edit in table.edits:
            found += _of_table(place, edit)
    return tuple(found)


def _join_replacements(changes: Iterable[CodeChange]) -> list[CodeChange]:
    """Return changes, with what goes and what takes its name as one."""
    found: dict[tuple[str, str, str], CodeChange] = {}
    for one in changes:
        name = one.kind, one.schema, one.name
        known = found.get(name)
        if known is not None and (known.after is None) != (one.after is None):
            gone, come = (known, one) if known.after is None else (one, known)
            found[name] = replace(come, before=gone.before)
        else:
            found[name] = one
    return list(found.values())


def _of_object(objects: ObjectMerge, edit: Edit) -> CodeChange:
    row: Any = (edit.after or edit.before or _nothing()).row
    assert isinstance(row, ViewRow | MacroRow)
    is_view = isinstance(row, ViewRow)
    name = row.view_name if isinstance(row, ViewRow) else row.macro_name
    kind = "view" if is_view else "macro"
    return CodeChange(kind, objects.schema_name(row.schema_id), name, None, *_states(edit))


def _of_table(place: tuple[str, str], edit: Edit) -> Iterator[CodeChange]:
    before, after, trusted = _states(edit)
    if edit.kind is COLUMNS and before != after:
        row: Any = (edit.after or edit.before or _nothing()).row
        yield CodeChange("default", *place, row.column_name, before, after, trusted)
    elif edit.kind is SORTING and before != after and not (_is_plain(before) and _is_plain(after)):
        yield CodeChange("sort key", *place, None, before, after, trusted)


def _states(edit: Edit) -> tuple[str | None, str | None, bool]:
    """Return the text before, the text after, and whether the latter is trusted."""
    after = _text(edit.after)
    return _text(edit.before), after, after is not None and edit.after is not None and _is_trusted(edit.after)


def _text(thing: Thing | None) -> str | None:
    match None if thing is None else thing.row:
        case ViewRow(sql=text):
            return text
        case ColumnRow(default_value=text, default_value_type="expression"):
            return text
        case ColumnRow() | None:
            return None
    assert thing is not None
    if thing.kind is MACROS:
        return ", ".join(_overloads(thing))
    keys = sorted(
        (one for one in thing.followers if isinstance(one, SortExpressionRow)), key=lambda one: one.sort_key_index
    )
    return ", ".join(key.expression for key in keys)


def _overloads(thing: Thing) -> Iterator[str]:
    parameters = sorted(
        (one for one in thing.followers if isinstance(one, MacroParameterRow)), key=lambda one: one.column_id
    )
    bodies = sorted((one for one in thing.followers if isinstance(one, MacroImplRow)), key=lambda one: one.impl_id)
    for body in bodies:
        given = [
            one.parameter_name + ("" if one.default_value is None else f" := {one.default_value}")
            for one in parameters
            if one.impl_id == body.impl_id
        ]
        yield f"({', '.join(given)}) AS {'TABLE ' if body.type == 'table' else ''}{body.sql}"


def _is_trusted(thing: Thing) -> bool:
    rows = thing.followers if thing.kind in (MACROS, SORTING) else (thing.row,)
    return all(getattr(row, "trusted", None) is True for row in rows)


def _is_plain(text: str | None) -> bool:
    return text is None or all(part.strip().strip('"').isidentifier() for part in text.split(","))


def _nothing() -> Thing:
    raise AssertionError("an edit has what was before or what is after")
