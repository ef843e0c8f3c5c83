"""Row reads and appends of a table handle.

They are apart from the handle because they import heavy modules.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Literal

from forklake.catalog.fields import table_fields
from forklake.catalog.moments import Moment
from forklake.catalog.names import column_name, column_names
from forklake.catalog.transaction import Staging
from forklake.errors import InvalidInputError
from forklake.lake import table_queries
from forklake.lake.engine_columns import Condition, plain_expression
from forklake.lake.internals import change_plan_of, reads_of
from forklake.lake.runner import Runner
from forklake.model import predicate
from forklake.model.records import Commit, PrunedFiles, ScanSummary
from forklake.model.scan import ScanPlan
from forklake.ops.objects.add_missing_columns import add_missing_columns
from forklake.ops.objects.arrange_files import PartitionKeys
from forklake.ops.objects.define_table import NewTable
from forklake.ops.objects.sort_keys import SortKeys
from forklake.ops.rows import append as appending
from forklake.ops.rows import overwrite as overwriting
from forklake.ops.rows import read_table as reading
from forklake.ops.rows.create_table_as import create_table_as
from forklake.sql.parameters import Values
from forklake.sql.rows.row_statements import bind_condition
from forklake.sql.rows.row_texts import read_where
from forklake.sql.statements import Delete

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import DataFrame
    from pyspark.sql.types import StructType

    from forklake.engine.engine import Engine, Frame, Kind
    from forklake.lake.table import Table
    from forklake.model.field import Field


def schema(table: Table) -> StructType:
    """Return the columns as a Spark schema."""
    schema: StructType = table._reader._runtime.engine.schema(table_fields(table._content(), table.table_id))
    return schema


def dataframe(
    table: Table,
    columns: str | Sequence[str] | None,
    where: Condition | None,
    parameters: Values | None,
    limit: int | None = None,
) -> DataFrame:
    """Return rows as a Spark DataFrame."""
    if limit is not None and (isinstance(limit, bool) or not isinstance(limit, int) or limit < 0):
        raise InvalidInputError(f"A limit is a number of rows, not {limit!r}; nothing was read.")
    chosen = None if columns is None else column_names([columns] if isinstance(columns, str) else columns)
    plan, parsed = _plan_scan(table, where, parameters)
    engine, text = table._reader._runtime.engine, None if parsed is None else parsed.spark_sql
    rows = engine.note_reads(engine.scan(plan, chosen, text, is_limited=limit is not None), reads_of([(table, plan)]))
    frame: DataFrame = engine.limit_rows(rows, limit)
    return frame


def plan(table: Table, where: Condition | None, parameters: Values | None) -> ScanSummary:
    """Return what a scan reads and prunes."""
    planned, _ = _plan_scan(table, where, parameters)
    return ScanSummary(
        file_count=len(planned.files),
        file_size_bytes=sum(file.file_size_bytes for file in planned.files),
        record_count=sum(file.record_count for file in planned.files),
        delete_file_count=sum(file.deletes is not None for file in planned.files),
        inlined_row_count=sum(len(rows.rows) for rows in planned.inlined),
        pruned=tuple(PrunedFiles(reason, *pruned) for reason, pruned in sorted(planned.pruned.items())),
        paths=tuple(file.path for file in planned.files),
    )


def count(table: Table, where: Condition | None, parameters: Values | None) -> int:
    """Return how many rows there are."""
    runtime, content = table._reader._runtime, table._content()
    tree = read_where(plain_expression(runtime.engine, where), parameters)
    row = table._find_row(content)
    if tree is None:
        return reading.count_rows(runtime, reading.plan_table(runtime, content, row, None))
    parsed = bind_condition(tree, row.table_name, table_fields(content, row.table_id))
    known = table_queries.count_rows(table, content, row, tree)
    if known is not None:
        return known
    return runtime.engine.count(reading.plan_table(runtime, content, row, parsed), parsed.spark_sql)


def find_bound(table: Table, column: str, which: Literal["min", "max"]) -> Any:
    """Return the smallest or largest value of a column."""
    runtime = table._reader._runtime
    content = table._content()
    row = table._find_row(content)
    name = column_name(column)
    return reading.column_bound(runtime, content, row, name, which)


def changes(table: Table, start: Moment, end: Moment | None, kind: Kind) -> DataFrame:
    """Return the change feed of a table."""
    frame: DataFrame = table._reader._runtime.engine.changes(change_plan_of(table, start, end), kind)
    return frame


class _GivenRows:
    """Rows that a caller handed over, for a verb that may run several times.

    They are read once, for a source may not be read again.
    """

    def __init__(self, engine: Engine, frame: Any) -> None:
        self._engine = engine
        self._frame = frame
        self._rows: Frame | pa.Table | None = None

    def rows(self, fields: Sequence[Field]) -> Frame | pa.Table:
        """Return the rows for a table that has these columns when it is asked first."""
        if self._rows is None:
            self._rows = appending.rereadable_rows(self._engine, self._frame, fields)
        return self._rows


def append(table: Table, frame: Any, *, by_name: bool, merge_schema: bool) -> Commit:
    """Add rows."""
    runtime = table._reader._runtime
    if merge_schema and not by_name:
        raise InvalidInputError("A schema is merged by the names of columns, not by position; nothing was added.")
    given = _GivenRows(runtime.engine, frame)

    def verb(staging: Staging) -> int:
        row = table._find_row(staging.draft)
        rows = given.rows(table_fields(staging.draft, table.table_id))
        if merge_schema:
            add_missing_columns(staging, row, appending.frame_columns(runtime.engine, rows))
        return appending.append(staging, runtime, row, rows, by_name=by_name)

    return table._reader._commit(verb)


def overwrite(table: Table, frame: Any, where: Condition | None, parameters: Values | None, *, by_name: bool) -> Commit:
    """Replace rows."""
    runtime = table._reader._runtime
    tree = read_where(plain_expression(runtime.engine, where), parameters)
    given = _GivenRows(runtime.engine, frame)

    def verb(staging: Staging) -> int:
        row = table._find_row(staging.draft)
        fields = table_fields(staging.draft, table.table_id)
        rows = given.rows(fields)
        if tree is None:
            return overwriting.overwrite(staging, runtime, row, rows, None, by_name=by_name)
        parsed = bind_condition(tree, row.table_name, fields)
        found = table_queries.find_changed(table, staging, row, Delete((), None, where=tree))
        return overwriting.overwrite(staging, runtime, row, rows, parsed, by_name=by_name, found=found)

    return table._reader._commit(verb)


def table_maker(
    runner: Runner,
    name: str,
    frame: Any,
    schema_name: str,
    partition_by: PartitionKeys,
    sort_by: SortKeys,
    if_not_exists: bool,
    or_replace: bool,
) -> Callable[[Staging], tuple[int | None, int]]:
    """Return a verb that creates a table with the columns and the rows of a frame."""
    runtime = runner._runtime
    rows = appending.rereadable_rows(runtime.engine, frame)
    columns = appending.frame_columns(runtime.engine, rows)
    new = NewTable(name, columns, schema_name, partition_by, sort_by, if_not_exists, or_replace)
    return lambda staging: create_table_as(staging, runtime, new, rows)


def _plan_scan(
    table: Table, where: Condition | None, parameters: Values | None
) -> tuple[ScanPlan, predicate.Condition | None]:
    runtime = table._reader._runtime
    tree = read_where(plain_expression(runtime.engine, where), parameters)
    content = table._content()
    row = table._find_row(content)
    parsed = None if tree is None else bind_condition(tree, row.table_name, table_fields(content, row.table_id))
    return reading.plan_table(runtime, content, row, parsed), parsed
