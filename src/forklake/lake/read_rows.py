"""Rows of a table as a `Result`.

This process reads them if they are few, else Spark does.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING

from forklake import lake, sql
from forklake.catalog.fields import table_fields
from forklake.catalog.names import column_names
from forklake.catalog.shared_plan import SharedScan
from forklake.engine.local import row_differences, shared_scan
from forklake.lake import engine_columns
from forklake.model.difference import DiffScan
from forklake.model.predicate import Condition
from forklake.model.scan import first_rows
from forklake.ops.lakes.runtime import Runtime
from forklake.ops.rows import read_table as reading
from forklake.ops.rows.read_across import holder_field, read_across, shared_columns
from forklake.session.results.result import Result
from forklake.session.results.result_content import FrameRows, LocalRows, RowSource, RowsReadHere

if TYPE_CHECKING:
    from forklake.lake.table import Table
    from forklake.sql.parameters import Values


def read_differences(runtime: Runtime, plan: DiffScan) -> Result:
    """Return the rows that differ between two scans; only metadata is read yet.

    Raises:
        DataFileError: A footer that is needed to plan cannot be read.
    """

    def by_engine() -> FrameRows:
        paths = tuple(dict.fromkeys(file.path for side in plan.plans for file in side.files))
        frame = runtime.engine.differences(plan.before, plan.after)
        return FrameRows(runtime.engine, frame, paths, f'table "{plan.after.table}"')

    if all(reading.is_read_locally(side, side.fields, runtime.settings) for side in plan.plans):
        read = partial(row_differences.read_differences, plan.before, plan.after)
        return Result.of_source(plan.fields, RowsReadHere(read, by_engine))
    return Result.of_source(plan.fields, by_engine())


def read_shared(runtime: Runtime, found: SharedScan, columns: Sequence[str] | None) -> Result:
    """Return the rows of a table in several catalogs.

    The name of the catalog comes first. Only metadata is read yet.

    Raises:
        NotFoundError: There is no such column.
        InvalidInputError: A column has different types.
    """
    fields = shared_columns(found, columns)
    plans = [plan for plan, _ in found.plans]
    paths = tuple(file.path for plan in plans for file in plan.plan.files)

    def by_engine() -> FrameRows:
        frame = read_across(runtime, found, fields)
        return FrameRows(runtime.engine, frame, paths, f'table "{plans[0].plan.table}"')

    has_condition = any(
        condition is not None and (plan.plan.files or plan.plan.inlined) for plan, condition in found.plans
    )
    settings = runtime.settings
    shown = (holder_field(), *fields)
    if has_condition or not shared_scan.is_shared_small(
        plans, fields, settings.local_read_bytes, settings.local_read_rows
    ):
        return Result.of_source(shown, by_engine())
    return Result.of_source(shown, RowsReadHere(partial(shared_scan.read_shared, plans, fields), by_engine))


def read_rows(
    table: Table,
    columns: Sequence[str] | None,
    where: engine_columns.Condition | None,
    parameters: Values | None,
    limit: int | None = None,
) -> Result:
    """Return rows of a table in the order of its files; only metadata is read yet.

    Within a file, rows keep their order, too.

    Args:
        table: The table.
        columns: The columns, as `Table.dataframe` takes them.
        where: A condition.
        parameters: Values for the condition's ``?`` and ``$name``.
        limit: The largest number of rows.

    Raises:
        NotFoundError: There is no such column, or the table was dropped.
        InvalidInputError: The condition cannot be understood.
        DataFileError: A footer that is needed to plan cannot be read.
    """
    chosen = None if columns is None else column_names(columns)
    runtime, content = table._reader._runtime, table._content()
    row = table._find_row(content)
    condition: Condition | None = None
    tree = None
    if where is not None or parameters is not None:
        tree = sql.rows.row_texts.read_where(engine_columns.plain_expression(runtime.engine, where), parameters)
    if tree is not None:
        condition = sql.rows.row_statements.bind_condition(tree, row.table_name, table_fields(content, row.table_id))
    plan = reading.plan_table(runtime, content, row, condition)
    if condition is None and limit is not None:
        plan = first_rows(plan, limit)
    fields = reading.shown_fields(plan, chosen)

    def by_engine() -> FrameRows:
        text = None if condition is None else condition.spark_sql
        frame = runtime.engine.scan(plan, chosen, text, keep_order=True, is_limited=limit is not None)
        return FrameRows(runtime.engine, frame, tuple(file.path for file in plan.files), f'table "{plan.table}"')

    source: RowSource
    has_rows = bool(plan.files or plan.inlined)
    if (tree is None or not has_rows) and reading.is_read_locally(plan, fields, runtime.settings, limit):
        source = LocalRows(plan, fields, by_engine)
    elif tree is None:
        source = by_engine()
    else:
        source = lake.table_queries.chosen_rows(table, content, row, fields, tree, by_engine)
    found = Result.of_source(fields, source)
    return found if limit is None else found.head(limit)
