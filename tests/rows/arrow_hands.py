"""Operations on rows done without Spark: plans are read with PyArrow, and what changes is written by this process."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from random import Random
from typing import Any

import pyarrow as pa

from forklake import Catalog, Table, Transaction
from forklake.catalog import lookup, versions
from forklake.catalog.change_plan import plan_changes
from forklake.catalog.fields import table_fields
from forklake.catalog.scan_plan import count_rows, plan_scan
from forklake.catalog.state import CatalogState
from forklake.files.access import storage
from forklake.files.arrow.schema import arrow_schema
from forklake.files.incoming.conform import conform, frame_of
from forklake.files.parquet.deletes import read_deletes, write_delete_file
from forklake.files.parquet.parquet_writer import write_files
from forklake.model import types
from forklake.model.definitions import NewDataFile
from forklake.model.field import Field
from forklake.model.ids import ColumnId, SnapshotId
from forklake.model.rows import TableRow
from forklake.model.scan import ROW_ID_COLUMN, ScanFile, ScanPlan
from forklake.model.write import WriteTarget
from forklake.ops.rows.register_files import register_files
from forklake.ops.rows.write_target import writing
from forklake.sql.rows.row_texts import condition
from tests.rows.conditions import Condition
from tests.rows.model import Shown, TableModel
from tests.rows.operations import Append, Delete, Merge, RowOperation
from tests.rows.reference_reader import ReadRow, read_changes, read_plan

TABLE = "t"
ROW_ID_FIELD = Field(ColumnId(2147483540), ROW_ID_COLUMN, types.INT64)


class ArrowHands:
    """Reads and changes tables with PyArrow alone."""

    forms: Sequence[str] = ("rows", "pandas", "arrow")

    def __init__(self, seed: int, on_step: Callable[[str], None] = lambda step: None) -> None:
        """Make hands.

        Args:
            seed: Says which deletes go into files, and which into the metadata.
            on_step: Told of each step of a change.
        """
        self._rng = Random(seed)
        self._on_step = on_step
        self._read_last: tuple[Table, ScanPlan] | None = None
        """The table that was read last, and its plan: it is counted next."""

    def change(self, target: Catalog | Transaction, state: TableModel, operation: RowOperation) -> None:
        """Do an operation on rows."""
        if isinstance(operation, Append):
            target.table(TABLE).append(handed_over(operation.rows, operation.form))
            return
        if isinstance(operation, Delete) and operation.where is None:
            target.table(TABLE).delete()
            return
        with _transaction(target) as transaction:
            table = transaction.table(TABLE)
            plan = planned(table, getattr(operation, "where", None))
            rows = list(read_plan(plan))
            decision = operation.decide({number: row.values for number, row in enumerate(rows)})
            gone = [rows[number] for number in (*decision.gone, *decision.updated)]
            how = _target(transaction, table)
            self._delete(transaction, how, gone)
            if decision.updated:
                ids = [rows[number].row_id for number in decision.updated]
                files = updated_rows(how, list(decision.updated.values()), ids)
                self._on_step("change: updated rows written")
                _register(transaction, how, files)
                self._on_step("change: updated rows registered")
            if decision.inserted and isinstance(operation, Merge):
                _register(transaction, how, _new_rows(how, decision.inserted), unmatched=True)
            elif decision.inserted:
                table.append(list(decision.inserted))

    def read(self, readings: Sequence[Any]) -> Iterator[tuple[list[str], list[tuple[int, int | None, Shown]]]]:
        """Return for each reading the names of the columns, and the rows."""
        for reading in readings:
            plan = planned(reading.table, reading.where)
            self._read_last = None if reading.where else (reading.table, plan)
            rows = [
                (_shown_id(plan, row.row_id), row.snapshot_id or None, row.values)
                for row in read_plan(plan)
                if reading.where is None or reading.where.holds(row.values)
            ]
            yield [field.name for field in plan.fields], rows

    def count(self, table: Table) -> int | None:
        """Return how many rows there are, if metadata tells."""
        is_known = self._read_last is not None and self._read_last[0] is table
        return count_rows(self._read_last[1] if self._read_last and is_known else planned(table, None))

    def feed(self, table: Table, first: int, last: int) -> list[tuple[int, int, str, Shown]]:
        """Return the changes between two snapshots."""
        runtime = table._reader._runtime
        version = versions.version_at(runtime.store, table._content().version, last)
        view = CatalogState(runtime.store, version)
        row = lookup.table_by_id(view, table.table_id)
        return read_changes(plan_changes(runtime.store, runtime.lake_path, view, row, SnapshotId(first)))

    def _delete(self, transaction: Transaction, how: WriteTarget, gone: Sequence[ReadRow]) -> None:
        by_file: dict[int, tuple[ScanFile, list[int]]] = {}
        for row in gone:
            if row.file is not None:
                by_file.setdefault(row.file.data_file_id, (row.file, []))[1].append(row.position)
        for file, positions in by_file.values():
            earlier = [] if file.deletes is None else read_deletes(file.deletes).tolist()
            if len(earlier) + len(file.inlined_deletes) + len(positions) == file.record_count:
                transaction.table(TABLE).storage.remove_files([file.data_file_id])
            elif self._rng.random() < 0.3 and file.data_file_id > 0:
                transaction.table(TABLE).storage.inline_deletes({file.data_file_id: positions})
            else:
                storage.make_directory(how.directory)
                made = write_delete_file(
                    how.directory,
                    file.data_file_id,
                    file.path,
                    [*earlier, *positions],
                    is_encrypted=how.is_encrypted,
                )
                _remove_if_undone(transaction, [how.directory + made.path])
                self._on_step("change: delete file written")
                transaction.table(TABLE).storage.delete_rows([made])
                self._on_step("change: delete file registered")
        inlined = sorted(row.row_id for row in gone if row.file is None)
        if inlined:
            transaction.table(TABLE).storage.delete_inlined(inlined)


def planned(table: Table, where: Condition | None) -> ScanPlan:
    """Return what a scan reads of a table as its handle shows it."""
    content, runtime = table._content(), table._reader._runtime
    row = lookup.table_by_id(content, table.table_id)
    predicate = (
        None if where is None else condition(where.sql(), row.table_name, table_fields(content, row.table_id)).predicate
    )
    return plan_scan(runtime.store, runtime.lake_path, content, row, predicate)


def handed_over(rows: Sequence[Shown], form: str) -> Any:
    """Return rows in one of the forms that callers have them in."""
    if form == "pandas":
        import pandas as pd  # noqa: PLC0415 - other forms do without

        frame = pd.DataFrame([dict(row) for row in rows])
        # In a column of floats pandas means NaN, and so does the lake.
        floats = {name: object for row in rows for name, value in row.items() if isinstance(value, float)}
        return pd.DataFrame([dict(row) for row in rows], dtype=object).astype(
            {name: kind for name, kind in frame.dtypes.items() if name not in floats}
        )
    if form == "arrow":
        return pa.Table.from_pylist([dict(row) for row in rows])
    return list(rows)


def updated_rows(how: WriteTarget, rows: Sequence[Mapping[str, Any]], row_ids: Sequence[int]) -> list[NewDataFile]:
    """Write rows that keep their ids."""
    fields = (*how.fields, ROW_ID_FIELD)
    frame = conform(frame_of(list(rows), how.fields), how.fields, how.table, by_name=True)
    with_ids = frame.append_column(arrow_schema([ROW_ID_FIELD])[0], pa.array(row_ids, pa.int64()))
    storage.make_directory(how.directory)
    files = write_files(with_ids.to_batches(), replace(how, fields=fields), arrow_schema(fields))
    return [
        replace(file, column_stats={name: it for name, it in file.column_stats.items() if name != ROW_ID_COLUMN})
        for file in files
    ]


def _new_rows(how: WriteTarget, rows: Sequence[Mapping[str, Any]]) -> list[NewDataFile]:
    frame = conform(frame_of(list(rows), how.fields), how.fields, how.table, by_name=True)
    storage.make_directory(how.directory)
    return write_files(frame.to_batches(), how, arrow_schema(how.fields))


def _register(transaction: Transaction, how: WriteTarget, files: list[NewDataFile], *, unmatched: bool = False) -> None:
    _remove_if_undone(transaction, [how.directory + file.path for file in files])
    table = transaction.table(TABLE).table_id
    transaction._run(lambda staging: register_files(staging, table, files, unmatched=unmatched))


def _remove_if_undone(transaction: Transaction, paths: Sequence[str]) -> None:
    def remove() -> None:
        storage.delete(paths)

    transaction._open().on_undo(remove)


def _target(transaction: Transaction, table: Table) -> WriteTarget:
    staging = transaction._open()
    staging.take_lease()
    row: TableRow = lookup.table_by_id(staging.draft, table.table_id)
    return writing(transaction._runtime, staging.draft, row, may_alter_later=staging.may_alter_later).target


@contextmanager
def _transaction(target: Catalog | Transaction) -> Iterator[Transaction]:
    if isinstance(target, Transaction):
        yield target
        return
    with target.transaction() as transaction:
        yield transaction


def _shown_id(plan: ScanPlan, row_id: int) -> int:
    """Return the id of a row as readers see it; that of one that is not committed begins far off."""
    staged = plan.staged
    return 10**18 + row_id - staged.first if staged is not None and staged.first <= row_id < staged.end else row_id
