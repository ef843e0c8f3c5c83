"""An engine for histories of many small changes: rows are found by DuckDB and changed by PyArrow, in this process."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pyarrow as pa

from forklake.engine.changed_rows import ChangedRows, Inlining
from forklake.engine.engine import Kind
from forklake.engine.local.change_feed import Span, feed_rows, feed_tasks
from forklake.engine.local.file_rows import Rows, Selection, deleted_positions, file_rows, inlined_rows
from forklake.engine.local.whole_scan import read_plan
from forklake.files.arrow.schema import arrow_schema
from forklake.files.incoming.conform import conform
from forklake.files.parquet.deletes import read_deletes, write_delete_file
from forklake.model.change_scan import ChangePlan
from forklake.model.ids import DataFileId
from forklake.model.scan import ROW_ID_COLUMN, ScanFile, ScanPlan
from forklake.model.write import WriteTarget
from tests.duck_engine import DuckEngine, DuckFrame, _duckdb, _run
from tests.rows.arrow_hands import updated_rows

AT = "__at__"


class RowEngine(DuckEngine):
    """The engine of the tests, with deletes and updates."""

    def scan(
        self,
        plan: ScanPlan,
        columns: Sequence[str] | None = None,
        condition: str | None = None,
        *,
        keep_order: bool = False,
        is_limited: bool = False,
    ) -> DuckFrame:
        """Read rows that a reset shows under other names and types than those they were written with, too."""
        rows = read_plan(plan, plan.fields).rename_columns([field.name for field in plan.fields])
        if condition is not None:
            rows = _run(f"SELECT * FROM t WHERE {_duckdb(condition)}", {"t": DuckFrame(rows)})
        return DuckFrame(rows if columns is None else rows.select(list(columns)))

    def changes(self, plan: ChangePlan, kind: Kind) -> DuckFrame:
        selection = Selection(plan.table, plan.fields, plan.fields)
        span = Span(plan.first, plan.last, with_first=True)
        names = ["snapshot_id", "rowid", "change_type", *(field.name for field in plan.fields)]
        schema = pa.schema(
            [(names[0], pa.int64()), (names[1], pa.int64()), (names[2], pa.string()), *arrow_schema(plan.fields)]
        )
        parts = [schema.empty_table()]
        for task in feed_tasks(plan, span, deletions=kind != "insertions"):
            for rows, types in feed_rows(task, selection):
                parts.append(pa.table([rows.snapshots, rows.row_ids, types, *rows.columns], names).cast(schema))
        return DuckFrame(pa.concat_tables(parts))

    def delete(self, plan: ScanPlan, condition: str, target: WriteTarget, inlining: Inlining) -> ChangedRows:
        return _Change(plan, condition, target, inlining).changed([])

    def update(
        self,
        plan: ScanPlan,
        condition: str | None,
        values: Sequence[tuple[str, str]],
        target: WriteTarget,
        inlining: Inlining,
        *,
        keeps_ids: bool,
    ) -> ChangedRows:
        return _Change(plan, condition or "true", target, inlining).changed(values)


class _Change:
    def __init__(self, plan: ScanPlan, condition: str, target: WriteTarget, inlining: Inlining) -> None:
        self._plan, self._condition, self._target, self._inlining = plan, condition, target, inlining
        self._selection = Selection(plan.table, plan.fields, plan.fields)

    def changed(self, values: Sequence[tuple[str, str]]) -> ChangedRows:
        found: list[tuple[ScanFile | None, pa.Table]] = []
        for file in self._plan.files:
            found += [(file, self._found(rows)) for rows in file_rows(file, self._selection)]
        found += [(None, self._found(inlined_rows(rows, self._selection))) for rows in self._plan.inlined]
        gone: dict[DataFileId, list[int]] = {}
        for of, rows in found:
            if of is not None and rows.num_rows:
                gone.setdefault(of.data_file_id, []).extend(rows.column(AT).to_pylist())
        held = [row_id for of, rows in found if of is None for row_id in rows.column(ROW_ID_COLUMN).to_pylist()]
        count = sum(rows.num_rows for _, rows in found)
        new = pa.concat_tables([rows for _, rows in found]) if values and count else None
        inline, files = (None, []) if new is None else self._write(new, values)
        whole, made, positions = self._deletes(gone)
        return ChangedRows(whole, made, positions, tuple(held), tuple(files), inline, count, 0)

    def _found(self, rows: Rows) -> pa.Table:
        columns = {field.name: column for field, column in zip(self._plan.fields, rows.columns, strict=True)}
        every = pa.table({**columns, ROW_ID_COLUMN: rows.row_ids, AT: pa.array(rows.positions)})
        return _run(f"SELECT * FROM t WHERE {_duckdb(self._condition)}", {"t": DuckFrame(every)})

    def _deletes(self, gone: dict[DataFileId, list[int]]) -> tuple[Any, Any, Any]:
        whole, made, positions = [], [], []
        is_few = sum(map(len, gone.values())) <= self._inlining.deletes
        for file in self._plan.files:
            places = gone.get(file.data_file_id)
            if not places:
                continue
            if np.union1d(deleted_positions(file), places).size == file.record_count:
                whole.append(file.data_file_id)
            elif is_few:
                positions += [(file.data_file_id, place) for place in places]
            else:
                before = np.empty(0, np.int64) if file.deletes is None else read_deletes(file.deletes)
                every = np.union1d(before, places)
                made.append(write_delete_file(self._target.directory, file.data_file_id, file.path, every))
        return tuple(whole), tuple(made), tuple(positions)

    def _write(self, rows: pa.Table, values: Sequence[tuple[str, str]]) -> tuple[pa.Table | None, list[Any]]:
        changes = {name.lower(): _duckdb(text) for name, text in values}
        columns = ", ".join(
            f"({changes[field.name.lower()]}) AS {field.name}" if field.name.lower() in changes else field.name
            for field in self._target.fields
        )
        after = _run(f"SELECT {columns}, {ROW_ID_COLUMN} FROM t", {"t": DuckFrame(rows)})
        row_ids = after.column(ROW_ID_COLUMN).to_pylist()
        if after.num_rows > self._inlining.rows:
            return None, updated_rows(self._target, after.drop_columns([ROW_ID_COLUMN]).to_pylist(), row_ids)
        fitted = conform(after.drop_columns([ROW_ID_COLUMN]), self._target.fields, self._target.table, by_name=True)
        return fitted.append_column(ROW_ID_COLUMN, pa.array(row_ids, pa.int64())), []
