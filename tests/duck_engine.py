"""A second engine, for tests: rows come from PyArrow, and DuckDB computes what is asked of them.

It shows that an engine fits below the seam without a change above it. It changes no rows in place.
"""

from __future__ import annotations

import functools
import os
from collections.abc import Collection, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Any, Literal, NoReturn

import duckdb
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import sqlglot

from forklake.engine.changed_rows import ChangedRows, Inlining
from forklake.engine.engine import Engine, Kind
from forklake.engine.local.merge_files import merge_files
from forklake.engine.local.row_differences import read_differences
from forklake.errors import EngineError, InvalidInputError, NotFoundError
from forklake.files.access.keys import decrypting
from forklake.files.arrow.schema import arrow_schema
from forklake.files.arrow.type_names import table_columns
from forklake.files.arrow.values import stored_array
from forklake.files.casting.python_values import from_python
from forklake.files.foreign.adopt_files import Adoption, adopt_files
from forklake.files.incoming.conform import conform
from forklake.files.incoming.inlined_rows import stored_rows
from forklake.files.parquet.deletes import read_deletes, write_delete_file
from forklake.files.parquet.parquet_writer import write_files
from forklake.files.parquet.rewrite_file import Rewriting
from forklake.model.change_scan import ChangePlan
from forklake.model.definitions import ColumnDefinition, NewDataFile
from forklake.model.field import Field
from forklake.model.file_merge import FileMerge
from forklake.model.merge import Merge
from forklake.model.names import fold
from forklake.model.scan import ScanFile, ScanPlan, SharedPlan
from forklake.model.table_read import TableRead
from forklake.model.write import WriteTarget


@dataclass(frozen=True)
class DuckFrame:
    """Rows of this engine."""

    rows: pa.Table
    reads: frozenset[TableRead] = frozenset()


class DuckEngine:
    """An engine without Spark, which notes what it was asked for."""

    def __init__(self) -> None:
        self.asked: list[str] = []

    # ---- frames ------------------------------------------------------------------------------------------------------

    def is_frame(self, value: object) -> bool:
        return isinstance(value, DuckFrame)

    def expression(self, value: object) -> None:
        return None

    def check_frame(self, frame: DuckFrame) -> DuckFrame:
        return frame

    def note_reads(self, frame: DuckFrame, reads: Collection[TableRead]) -> DuckFrame:
        return DuckFrame(frame.rows, frame.reads | frozenset(reads))

    def noted_reads(self, frame: DuckFrame) -> frozenset[TableRead]:
        return frame.reads

    def columns(self, frame: DuckFrame) -> tuple[ColumnDefinition, ...]:
        return table_columns(frame.rows.schema)

    def schema(self, fields: tuple[Field, ...]) -> pa.Schema:
        return arrow_schema(fields)

    def rows_frame(self, fields: Sequence[Field], rows: Sequence[Sequence[Any]]) -> DuckFrame:
        columns = list(zip(*rows, strict=True)) if rows else [()] * len(fields)
        arrays = [
            stored_array(field, from_python(field.type, values)) for field, values in zip(fields, columns, strict=True)
        ]
        return DuckFrame(pa.table(arrays, [field.name for field in fields]))

    def select(self, frame: DuckFrame, names: Sequence[str]) -> DuckFrame:
        return DuckFrame(frame.rows.select(list(names)))

    def rename_columns(self, frame: DuckFrame, names: Sequence[str]) -> DuckFrame:
        return DuckFrame(frame.rows.rename_columns(list(names)))

    def limit_rows(self, frame: DuckFrame, limit: int | None) -> DuckFrame:
        return DuckFrame(frame.rows.slice(0, limit))

    def typed_frame(self, rows: DuckFrame | pa.Table, fields: tuple[Field, ...]) -> DuckFrame:
        return DuckFrame(rows) if isinstance(rows, pa.Table) else rows

    def collect(
        self, frame: DuckFrame, *, limit: int | None = None, paths: Sequence[str] = (), what: str = "the query"
    ) -> pa.Table:
        self.asked.append("collect")
        return frame.rows.slice(0, limit)

    def sort(self, rows: pa.Table, target: WriteTarget) -> pa.Table:
        keys = (
            f"{_duckdb(one.expression)} {one.direction} {one.null_order.replace('_', ' ')}" for one in target.sort_keys
        )
        numbered = rows.append_column("position", pa.array(range(rows.num_rows)))
        found = _run(f"SELECT position FROM given ORDER BY {', '.join(keys)}, position", {"given": DuckFrame(numbered)})
        return rows.take(found["position"])

    def collect_given(self, frame: DuckFrame, limit: int, table: str) -> pa.Table:
        return frame.rows.slice(0, limit)

    # ---- reading -----------------------------------------------------------------------------------------------------

    def scan(
        self,
        plan: ScanPlan,
        columns: Sequence[str] | None = None,
        condition: str | None = None,
        *,
        keep_order: bool = False,
        is_limited: bool = False,
    ) -> DuckFrame:
        self.asked.append("scan")
        known = {fold(field.name): field.name for field in plan.fields}
        names = list(known.values()) if columns is None else [known.get(fold(name), name) for name in columns]
        for name in names:
            if fold(name) not in known:
                raise NotFoundError(f'Table "{plan.table}" does not have a column with name "{name}"')
        parts = [_kept(file, _read(file).select(list(known.values()))) for file in plan.files]
        parts += [stored_rows(part, plan.fields, plan.table) for part in plan.inlined]
        rows = pa.concat_tables(parts) if parts else arrow_schema(plan.fields).empty_table()
        if condition is not None:
            rows = _run(f"SELECT * FROM t WHERE {_duckdb(condition)}", {"t": DuckFrame(rows)})
        return DuckFrame(rows.select(names))

    def scan_shared(self, plans: Sequence[tuple[SharedPlan, str | None]], columns: Sequence[str]) -> DuckFrame:
        _refuse("tables of many catalogs")

    def count(self, plan: ScanPlan, condition: str | None) -> int:
        return int(self.scan(plan, None, condition).rows.num_rows)

    def extreme_value(self, plan: ScanPlan, column: str, which: Literal["min", "max"]) -> pa.ChunkedArray:
        return _run(f'SELECT {which}("{column}") FROM t', {"t": self.scan(plan, [column])}).column(0)

    def changes(self, plan: ChangePlan, kind: Kind) -> DuckFrame:
        _refuse("the change feed")

    def differences(self, before: ScanPlan, after: ScanPlan) -> DuckFrame:
        self.asked.append("differences")
        return DuckFrame(read_differences(before, after))

    def query(
        self,
        sql: str,
        frames: Mapping[str, DuckFrame],
        plans: Collection[ScanPlan] | None = None,
        *,
        limit: int | None = None,
        offset: int = 0,
    ) -> DuckFrame:
        self.asked.append("query")
        return DuckFrame(_run(_duckdb(sql), frames).slice(offset, limit))

    def explain(self, frame: DuckFrame, plans: Sequence[ScanPlan]) -> str:
        return f"DuckDB, {len(plans)} tables"

    # ---- writing -----------------------------------------------------------------------------------------------------

    def write(self, rows: DuckFrame | pa.Table, target: WriteTarget, *, by_name: bool = True) -> list[NewDataFile]:
        self.asked.append("write")
        if isinstance(rows, DuckFrame):
            rows = conform(rows.rows, target.fields, target.table, by_name=by_name)
        return write_files(rows.to_batches(), target, arrow_schema(target.fields)) if rows.num_rows else []

    def adopt(self, paths: Sequence[str], adoption: Adoption) -> list[NewDataFile]:
        self.asked.append("adopt")
        return adopt_files(paths, adoption)

    def rewrite(self, old: Sequence[Rewriting], target: WriteTarget) -> list[NewDataFile]:
        _refuse("writing files again")

    def merge_files(self, merges: Sequence[FileMerge], target: WriteTarget) -> list[list[NewDataFile]]:
        self.asked.append("merge files")
        return [merge_files(merge, target) for merge in merges]

    def delete(self, plan: ScanPlan, condition: str, target: WriteTarget, inlining: Inlining) -> ChangedRows:
        self.asked.append("delete")
        whole, made, count = [], [], 0
        for file in plan.files:
            rows = pq.read_table(file.path).append_column("__at__", pa.array(range(file.record_count)))
            found = _run(f"SELECT __at__ FROM t WHERE {_duckdb(condition)}", {"t": DuckFrame(_kept(file, rows))})
            places = found.column(0).to_numpy()
            count += found.num_rows
            if np.union1d(_deleted(file), places).size == file.record_count:
                whole.append(file.data_file_id)
            elif found.num_rows:
                # What is deleted in the metadata stays there.
                gone = np.union1d(_deleted_in_file(file), places)
                made.append(write_delete_file(target.directory, file.data_file_id, file.path, gone))
        if plan.inlined:
            _refuse("deleting inlined rows")
        return ChangedRows(tuple(whole), tuple(made), (), (), (), None, count, 0)

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
        _refuse("updates")

    def change_found(
        self,
        plan: ScanPlan,
        found: DuckFrame,
        target: WriteTarget,
        inlining: Inlining,
        *,
        is_update: bool,
        keeps_ids: bool,
    ) -> ChangedRows:
        _refuse("changes of rows that a query found")

    def merge_source(self, rows: pa.Table, fields: tuple[Field, ...]) -> DuckFrame:
        return DuckFrame(rows)

    def frame_source(self, frame: DuckFrame) -> DuckFrame:
        return frame

    def measure_source(
        self, frame: DuckFrame, names: Sequence[str], table: str
    ) -> AbstractContextManager[tuple[DuckFrame, pa.Table, bool]]:
        _refuse("merges")

    def merge(
        self,
        plan: ScanPlan,
        source: DuckFrame,
        merge: Merge,
        target: WriteTarget,
        inlining: Inlining,
        *,
        keeps_ids: bool,
    ) -> ChangedRows:
        _refuse("merges")

    # ---- sessions and failures ---------------------------------------------------------------------------------------

    def for_session(self) -> Engine:
        return self

    def losses(self) -> int:
        return 0

    def loss(self, error: Exception, since: int) -> EngineError | None:
        return None


def _refuse(what: str) -> NoReturn:
    raise EngineError(f"The engine of the tests does not have {what}; nothing was done.")


def _deleted(file: ScanFile) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    return np.union1d(_deleted_in_file(file), np.asarray(file.inlined_deletes, np.int64))


def _deleted_in_file(file: ScanFile) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    return np.empty(0, np.int64) if file.deletes is None else read_deletes(file.deletes)


def _read(file: ScanFile) -> pa.Table:
    return pq.ParquetFile(file.path, decryption_properties=decrypting(file.path, file.encryption_key)).read()


def _kept(file: ScanFile, rows: pa.Table) -> pa.Table:
    """Return the rows of a file that are not deleted."""
    return rows.take(pa.array(np.setdiff1d(np.arange(file.record_count), _deleted(file))))


def _duckdb(text: str) -> str:
    """Return Spark SQL in DuckDB's words."""
    return sqlglot.transpile(text, read="spark", write="duckdb")[0]


def _run(sql: str, frames: Mapping[str, DuckFrame]) -> pa.Table:
    with _database(os.getpid()).cursor() as database:
        for name, frame in frames.items():
            database.register(name, frame.rows)
        try:
            return database.sql(sql).to_arrow_table()
        except duckdb.Error as error:
            raise InvalidInputError(f"{error}") from error


@functools.cache
def _database(process: int) -> duckdb.DuckDBPyConnection:
    """Return the database of a process: to open one takes longer than most queries."""
    return duckdb.connect()
