"""Queries that this process computes with DuckDB, over what their scans read."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

import pyarrow as pa

from forklake.config import Settings
from forklake.engine import local
from forklake.engine.engine import Frame
from forklake.engine.local.exactness import is_exact
from forklake.engine.local.read_size import are_small
from forklake.engine.local.whole_scan import read_plan
from forklake.errors import InvalidInputError
from forklake.files.python_values import from_python
from forklake.files.schema import arrow_type, display_type
from forklake.files.values import stored_array, values_of
from forklake.lake import Table
from forklake.model import types
from forklake.model.field import Field
from forklake.model.names import fold
from forklake.model.scan import ScanPlan
from forklake.ops.engine_rule import EngineRule
from forklake.ops.read_table import shown_fields
from forklake.session.frames import CallerFrame
from forklake.session.known_rows import Rows
from forklake.session.result_content import FrameRows
from forklake.session.scan_plans import scan_plan
from forklake.sql.local.duckdb_text import LocalQuery, local_query
from forklake.sql.local.same_values import is_handed_over
from forklake.sql.relation import BoundQuery, Scan
from forklake.sql.rows.joined_rows import FoundRows
from forklake.sql.rows.merged_rows import FoundMerge

_NO_COLUMN: Final = "~"
"""The only column of a table of which no column is needed: DuckDB has no table without one."""


@dataclass(frozen=True, slots=True)
class TableInput:
    """A table of the lake as a query reads it: the plan of its scan, and the columns."""

    plan: ScanPlan
    columns: tuple[Field, ...]

    def read(self) -> pa.Table:
        """Return the rows, in the types that DuckDB knows."""
        found = read_plan(self.plan, self.columns)
        if not self.columns:
            return pa.table({_NO_COLUMN: pa.nulls(found.num_rows, pa.int8())})
        arrays = [_store(field, column) for field, column in zip(self.columns, found.columns, strict=True)]
        return pa.table(arrays, names=[field.name for field in self.columns])


@dataclass(frozen=True, slots=True)
class RowsInput:
    """Rows in memory as a query reads them."""

    columns: tuple[Field, ...]
    rows: Sequence[Sequence[Any]]

    def read(self) -> pa.Table:
        """Return the rows, in the types that DuckDB knows."""
        if not self.columns:
            return pa.table({_NO_COLUMN: pa.nulls(len(self.rows), pa.int8())})
        columns = list(zip(*self.rows, strict=True)) if self.rows else [()] * len(self.columns)
        arrays = [
            stored_array(_bare(field), from_python(field.type, values))
            for field, values in zip(self.columns, columns, strict=True)
        ]
        return pa.table(arrays, names=[field.name for field in self.columns])


@dataclass(frozen=True, slots=True)
class FrameInput:
    """Rows that a caller handed over in memory, as a query reads them."""

    columns: tuple[Field, ...]
    rows: pa.Table

    def read(self) -> pa.Table:
        """Return the rows, in the types that DuckDB knows."""
        if not self.columns:
            return pa.table({_NO_COLUMN: pa.nulls(self.rows.num_rows, pa.int8())})
        arrays = [_store(field, column) for field, column in zip(self.columns, self.rows.columns, strict=True)]
        return pa.table(arrays, names=[field.name for field in self.columns])


_Input = TableInput | RowsInput | FrameInput


@dataclass(frozen=True, slots=True)
class PlannedQuery:
    """A query that this process computes.

    Attributes:
        query: The query.
        inputs: What it reads, by the names of its tables.
        columns: The columns of the result.
    """

    query: LocalQuery
    inputs: Mapping[str, _Input]
    columns: tuple[Field, ...]

    @property
    def plans(self) -> list[ScanPlan]:
        """The scans of tables."""
        return [one.plan for one in self.inputs.values() if isinstance(one, TableInput)]

    def plan_of(self, scan: str) -> ScanPlan:
        """Return the plan for a scan of the bound query."""
        name = next(name for name, scans in self.query.names.items() if scan in scans)
        found = self.inputs[name]
        assert isinstance(found, TableInput)
        return found.plan

    def compute(self) -> pa.Table | str:
        """Return the rows, or the reason why Spark has to compute them.

        Raises:
            InvalidInputError: A value cannot be computed.
            DataFileError: A file is missing, damaged, or cannot be decrypted.
            LimitError: The statement reads too much, or its time is over.
        """
        try:
            tables = {name: one.read() for name, one in self.inputs.items()}
        except InvalidInputError as error:
            # A value that cannot be shown: the engine has the last word on it.
            return str(error)
        kinds = [field.type.sql_name for field in self.columns]
        found = local.duckdb_rows.compute_rows(self.query.text, tables, kinds)
        return found if isinstance(found, str) else _show(self.columns, found)


@dataclass(frozen=True, slots=True)
class ComputedRows:
    """The rows of a query that this process computes, or else the engine.

    Attributes:
        planned: The query.
        by_engine: Gives the same rows, computed by the engine, for a reason.
    """

    planned: PlannedQuery
    by_engine: Callable[[str], FrameRows]

    def collect(self, limit: int | None) -> pa.Table:
        """Compute the rows."""
        found = self.planned.compute()
        return self.by_engine(found).collect(limit) if isinstance(found, str) else found.slice(0, limit)

    def frame(self, names: Sequence[str], limit: int | None) -> Frame:
        """Return the same rows as a frame, computed by the engine."""
        return self.by_engine("a DataFrame is asked for").frame(names, limit)

    def python_variants(self, pairs: Sequence[tuple[bytes, bytes] | None]) -> list[Any]:
        """Return variants as values of Python."""
        return self.by_engine("it has variants").python_variants(pairs)


def find_here(
    rule: EngineRule, found: FoundRows | FoundMerge, plans: dict[str, ScanPlan]
) -> tuple[ScanPlan, pa.Table] | None:
    """Return the rows that a statement changes, and the scan that found them.

    None: Spark finds them.

    Args:
        rule: Which engine runs what.
        found: The statement.
        plans: The plans of scans, by name, where they were made already.

    Raises:
        InvalidInputError: A value cannot be computed.
        EngineError: Spark is needed, and not used.
    """
    planned = plan_locally(rule, found.query, plans)
    rows = planned if isinstance(planned, str) else planned.compute()
    if isinstance(planned, str) or isinstance(rows, str):
        rule.check_spark(str(rows))
        return None
    return planned.plan_of(found.scan), rows


def plan_locally(rule: EngineRule, bound: BoundQuery, plans: dict[str, ScanPlan]) -> PlannedQuery | str:
    """Plan a query for this process; return the reason if Spark computes it.

    Args:
        rule: Which engine runs what.
        bound: The query.
        plans: The plans of its scans, by name; those that are made are added.
    """
    if rule.choice == "spark":
        return "the engine is 'spark'"
    if not rule.setup.is_spark:
        return "another engine was given"
    query = local_query(bound)
    if isinstance(query, str):
        return query
    inputs: dict[str, _Input] = {}
    for name, scan in query.scans.items():
        found = _input(scan, query.names[name], plans)
        if isinstance(found, str):
            return found
        inputs[name] = found
    tables = [one for one in inputs.values() if isinstance(one, TableInput)]
    if rule.choice == "auto" and not _are_small(rule.setup.settings, inputs.values()):
        return "it reads more than this process does"
    if not all(is_exact(one.plan, one.columns) for one in tables):
        return "files hold columns as other types"
    return PlannedQuery(query, inputs, bound.columns)


def _are_small(settings: Settings, inputs: Collection[_Input]) -> bool:
    given = [one.rows for one in inputs if isinstance(one, FrameInput)]
    plans = [one.plan for one in inputs if isinstance(one, TableInput)]
    byte_count, row_count = (sum(counts) for counts in ((one.nbytes for one in given), (one.num_rows for one in given)))
    return are_small(plans, settings.local_read_bytes - byte_count, settings.local_read_rows - row_count)


def _input(scan: Scan, names: Sequence[str], plans: dict[str, ScanPlan]) -> _Input | str:
    source = scan.relation.source
    known = {fold(one.name): one for one in (*scan.relation.columns, *scan.relation.virtual)}
    fields = tuple(known[fold(name)] for name in scan.columns)
    for field in fields:
        if not is_handed_over(field.type):
            return f'column "{field.name}" has type {field.type.sql_name}'
    if isinstance(source, Rows):
        places = {fold(field.name): place for place, field in enumerate(source.columns)}
        chosen = [places[fold(field.name)] for field in fields]
        return RowsInput(fields, [tuple(row[place] for place in chosen) for row in source.rows])
    if isinstance(source, CallerFrame) and isinstance(source.rows, pa.Table):
        places = {fold(field.name): place for place, field in enumerate(source.columns)}
        return FrameInput(fields, source.rows.select([places[fold(field.name)] for field in fields]))
    if not isinstance(source, Table):
        return f'"{scan.relation.name}" is read by Spark'
    (name, *others) = names
    plan = plans.get(name) or scan_plan(scan)
    if not others:
        plans[name] = plan
    return TableInput(plan, shown_fields(plan, scan.columns))


def _store(field: Field, column: pa.ChunkedArray) -> pa.ChunkedArray | pa.Array:
    """Return a column in the type that DuckDB knows by the column's name."""
    wanted = arrow_type(_bare(field))
    if column.type == wanted:
        return column
    if field.type == types.UUID or field.children:
        return stored_array(_bare(field), values_of(column.combine_chunks()))
    return column.cast(wanted)


def _bare(field: Field) -> Field:
    """Return a column without ids, which mean nothing to DuckDB."""
    return replace(field.with_children(tuple(map(_bare, field.children))), column_id=None)


def _show(columns: Sequence[Field], found: pa.Table) -> pa.Table | str:
    """Return rows in the types that readers see; the reason if a value does not fit."""
    arrays = []
    for field, column in zip(columns, found.columns, strict=True):
        try:
            column.validate(full=field.type == types.INT128)  # DuckDB's have 39 digits
            arrays.append(column.cast(display_type(_bare(field))))
        except (pa.ArrowInvalid, pa.ArrowNotImplementedError) as error:
            return f'column "{field.name}" does not fit: {error}'
    return pa.table(arrays, names=[f"c{place}" for place in range(len(columns))])
