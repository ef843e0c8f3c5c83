"""Plans read by the reader of ``spark.read.format("forklake")``, which casts as scans do and needs no Spark."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from forklake.engine.local.file_rows import Rows, Selection, file_rows, inlined_rows
from forklake.files.casting.texts import to_texts
from forklake.files.parquet.deletes import read_deletes
from forklake.files.parquet.footer import read_footer
from forklake.model import types
from forklake.model.change_scan import ChangePlan
from forklake.model.field import Field
from forklake.model.ids import DataFileId
from forklake.model.scan import ROW_ID_COLUMN, ScanPlan
from forklake.model.types import Type


def shown_rows(plan: ScanPlan) -> Iterator[dict[str, Any]]:
    """Yield the rows of a plan as values of Python, each with its id."""
    for rows in _parts(plan):
        columns = {field.name: column.to_pylist() for field, column in zip(plan.fields, rows.columns, strict=True)}
        columns[ROW_ID_COLUMN] = rows.row_ids.to_pylist()
        yield from (dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True))


def text_rows(plan: ScanPlan) -> list[tuple[str | None, ...]]:
    """Return the rows of a plan as texts, which say exactly what the values are."""
    found: list[tuple[str | None, ...]] = []
    for rows in _parts(plan):
        columns = [to_texts(field.type, column) for field, column in zip(plan.fields, rows.columns, strict=True)]
        found += zip(*columns, strict=True)
    return found


def _parts(plan: ScanPlan) -> Iterator[Rows]:
    selection = Selection(plan.table, plan.fields, plan.fields)
    for file in plan.files:
        if file.fields is not None:
            # Spark believes what the plan says that files hold; this reader looks at what they do hold.
            held = _types(read_footer(file.path, file.encryption_key).fields)
            wrong = {path: kind for path, kind in _types(file.fields).items() if held.get(path) != kind}
            assert not wrong, f"{file.path} has {held}, not {wrong}"
        yield from file_rows(file, selection)
    for rows in plan.inlined:
        yield inlined_rows(rows, selection)


def _types(fields: Sequence[Field], above: str = "") -> dict[str, Type]:
    """Return the types of columns that hold values, by their names; Spark stores seconds and millis as micros."""
    found: dict[str, Type] = {}
    for number, field in enumerate(fields):
        path = f"{above}{number if above.endswith('/') else field.name}"
        if field.children:
            found |= _types(
                field.children, f"{path}/" if isinstance(field.type, types.List | types.Map) else f"{path}."
            )
        else:
            found[path] = types.TIMESTAMP if field.type in (types.TIMESTAMP_S, types.TIMESTAMP_MS) else field.type
    return found


def changed_rows(plan: ChangePlan) -> tuple[list[tuple[str | None, ...]], list[tuple[str | None, ...]]]:
    """Return the rows that a plan of changes tells to be inserted and deleted, as texts; updated ones in both."""
    (part,) = plan.plain
    assert not plan.merged
    inserted = text_rows(part.inserted)
    deleted = text_rows(part.ended.scan)
    gone: dict[DataFileId, set[int]] = {}
    for number, position, _ in part.inlined_deletes:
        gone.setdefault(number, set()).add(position)
    for one in part.deletes:
        before = set() if one.before is None else set(read_deletes(one.before).tolist())
        gone.setdefault(one.data_file_id, set()).update(set(read_deletes(one.after).tolist()) - before)
    selection = Selection(plan.table, plan.fields, plan.fields)
    for file in part.deleted_from.files:
        for rows in file_rows(replace(file, deletes=None, inlined_deletes=()), selection):
            chosen = rows.where(np.isin(rows.positions, list(gone.get(file.data_file_id, ()))))
            columns = [
                to_texts(field.type, column) for field, column in zip(selection.fields, chosen.columns, strict=True)
            ]
            deleted += zip(*columns, strict=True)
    return inserted, deleted
