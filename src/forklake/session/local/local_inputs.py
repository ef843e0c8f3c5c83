"""What queries in this process read: tables, rows in memory, feeds and diffs."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import replace
from typing import Any, Final, Protocol

import pyarrow as pa

from forklake.config import Settings
from forklake.engine.local import change_feed, row_differences
from forklake.engine.local.read_size import are_small
from forklake.engine.local.whole_scan import read_plan
from forklake.files.arrow.schema import arrow_type
from forklake.files.arrow.values import stored_array, values_of
from forklake.files.arrow.wide_integers import duckdb_array, is_wide
from forklake.files.casting.casts import cast
from forklake.files.casting.python_values import from_python
from forklake.lake import Table
from forklake.lake.internals import change_plan_of
from forklake.model import types
from forklake.model.field import Field
from forklake.model.lazy_dataclass import dataclass
from forklake.model.names import fold
from forklake.model.scan import ScanPlan
from forklake.ops.rows.read_table import shown_fields
from forklake.ops.rows.write_target import WriteQuestions
from forklake.session.local.foreign_rows import ForeignRows
from forklake.session.names.frames import CallerFrame
from forklake.session.names.known_rows import Changes, Differences, FileScan, Rows
from forklake.session.names.scan_plans import scan_plan
from forklake.sql.local.same_types import is_handed_over
from forklake.sql.relation import Scan

_NO_COLUMN: Final = "~"
"""The only column of a table of which no column is needed: DuckDB has no table without one."""


class QueryInput(Protocol):
    """Rows that a query reads."""

    @property
    def scans(self) -> Sequence[tuple[ScanPlan, Sequence[Field]]]:
        """The scans of files and inlined rows, each with the columns that are read."""

    def read(self) -> pa.Table:
        """Return the rows, in the types that DuckDB knows."""


@dataclass(frozen=True, slots=True)
class TableInput:
    """A table of the lake as a query reads it: the plan of its scan, and the columns."""

    plan: ScanPlan
    columns: tuple[Field, ...]

    @property
    def scans(self) -> Sequence[tuple[ScanPlan, Sequence[Field]]]:
        """The one scan."""
        return [(self.plan, self.columns)]

    def read(self) -> pa.Table:
        """Return the rows, in the types that DuckDB knows."""
        return _name_columns(self.columns, read_plan(self.plan, self.columns))


@dataclass(frozen=True, slots=True)
class RowsInput:
    """Rows in memory as a query reads them."""

    columns: tuple[Field, ...]
    rows: Sequence[Sequence[Any]]

    @property
    def scans(self) -> Sequence[tuple[ScanPlan, Sequence[Field]]]:
        """None."""
        return ()

    def read(self) -> pa.Table:
        """Return the rows, in the types that DuckDB knows."""
        if not self.columns:
            return pa.table({_NO_COLUMN: pa.nulls(len(self.rows), pa.int8())})
        columns = list(zip(*self.rows, strict=True)) if self.rows else [()] * len(self.columns)
        arrays = [
            duckdb_array(bare_field(field), stored_array(bare_field(field), from_python(field.type, values)))
            for field, values in zip(self.columns, columns, strict=True)
        ]
        return pa.table(arrays, names=[field.name for field in self.columns])


@dataclass(frozen=True, slots=True)
class FrameInput:
    """Rows that a caller handed over in memory, as a query reads them."""

    columns: tuple[Field, ...]
    rows: pa.Table

    @property
    def scans(self) -> Sequence[tuple[ScanPlan, Sequence[Field]]]:
        """None."""
        return ()

    def read(self) -> pa.Table:
        """Return the rows, in the types that DuckDB knows."""
        return _name_columns(self.columns, self.rows)


@dataclass(frozen=True, slots=True)
class ChangesInput:
    """Rows that changed, from several scans at once.

    Attributes:
        columns: The columns that the query reads.
        scans: What is read.
        read_all: Reads the rows; their columns have the names that the query knows.
    """

    columns: tuple[Field, ...]
    scans: Sequence[tuple[ScanPlan, Sequence[Field]]]
    read_all: Callable[[], pa.Table]

    def read(self) -> pa.Table:
        """Return the rows, in the types that DuckDB knows."""
        found = self.read_all()
        places = {fold(name): place for place, name in enumerate(found.column_names)}
        return _name_columns(
            self.columns, found.select([places[fold(field.name)] for field in self.columns]), found.num_rows
        )


def are_small_inputs(settings: Settings, inputs: Collection[QueryInput], made: int = 0) -> bool:
    """Return whether all that a query reads, and the rows that it makes, are few."""
    given = [one.rows for one in inputs if isinstance(one, FrameInput)]
    plans = [plan for one in inputs for plan, _ in one.scans]
    byte_count, row_count = sum(one.nbytes for one in given), made + sum(one.num_rows for one in given)
    return are_small(plans, settings.local_read_bytes - byte_count, settings.local_read_rows - row_count)


def query_input(
    scan: Scan, names: Sequence[str], plans: dict[str, ScanPlan], asked: WriteQuestions | None = None
) -> QueryInput | str:
    """Return what a scan of a query reads, or the reason why Spark reads it.

    Args:
        scan: The scan.
        names: Its names in the query.
        plans: The plans of tables, by name; those that are made are added.
        asked: What the first plan that is made takes along.
    """
    source = scan.relation.source
    known = {fold(one.name): one for one in (*scan.relation.columns, *scan.relation.virtual)}
    fields = tuple(known[fold(name)] for name in scan.columns)
    for field in fields:
        if not is_handed_over(field.type):
            return f'column "{field.name}" has type {field.type.sql_name}'
    match source:
        case Rows():
            return RowsInput(fields, source.project(scan.columns).rows)
        case CallerFrame(rows=pa.Table()) | ForeignRows():
            rows = source.read() if isinstance(source, ForeignRows) else source.rows
            places = {fold(field.name): place for place, field in enumerate(source.columns)}
            return FrameInput(fields, rows.select([places[fold(field.name)] for field in fields]))
        case Changes() | Differences():
            if len(known) < len(scan.relation.columns) + len(scan.relation.virtual):
                return "a column has the name of one that tells of changes"
            return _changes(source, fields)
        case FileScan():
            return TableInput(source.plan, shown_fields(source.plan, scan.columns))
        case Table():
            (name, *others) = names
            plan = plans.get(name) or scan_plan(scan, asked)
            if not others:
                plans[name] = plan
            return TableInput(plan, shown_fields(plan, scan.columns))
    return f'"{scan.relation.name}" is read by Spark'


def _changes(source: Changes | Differences, fields: tuple[Field, ...]) -> ChangesInput:
    if isinstance(source, Differences):
        before, after = source.plan.plans
        scans = [(plan, plan.fields) for plan in (before, after)]
        return ChangesInput(fields, scans, lambda: row_differences.read_differences(before, after))
    plan, kind = change_plan_of(source.table, source.start, source.end), source.kind
    scans = [(one, plan.fields) for one in plan.scans]
    return ChangesInput(fields, scans, lambda: change_feed.read_changes(plan, kind))


# ---- columns ---------------------------------------------------------------------------------------------------------


def _name_columns(fields: Sequence[Field], rows: pa.Table, count: int | None = None) -> pa.Table:
    """Return columns under their names, in the types that DuckDB knows."""
    if not fields:
        return pa.table({_NO_COLUMN: pa.nulls(rows.num_rows if count is None else count, pa.int8())})
    arrays = [_store(field, column) for field, column in zip(fields, rows.columns, strict=True)]
    return pa.table(arrays, names=[field.name for field in fields])


def _store(field: Field, column: pa.ChunkedArray) -> pa.ChunkedArray | pa.Array:
    """Return a column in the type that DuckDB knows by the column's name."""
    wanted = arrow_type(bare_field(field))
    if is_wide(field):
        held = column.combine_chunks()
        return duckdb_array(field, held if held.type == wanted else cast(bare_field(field), held, "the query"))
    if column.type == wanted:
        return column
    if field.type == types.UUID or field.children:
        return stored_array(bare_field(field), values_of(column.combine_chunks()))
    return column.cast(wanted)


def bare_field(field: Field) -> Field:
    """Return a column without ids, which mean nothing to DuckDB."""
    return replace(field.with_children(tuple(map(bare_field, field.children))), column_id=None)
