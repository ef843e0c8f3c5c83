"""Queries for what handles ask of one table; this process computes small ones."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import pyarrow as pa

from forklake.catalog.scan_plan import plan_scan
from forklake.catalog.state import Content
from forklake.errors import ForklakeError
from forklake.model.field import Field
from forklake.model.names import fold
from forklake.model.rows import TableRow
from forklake.model.scan import ScanPlan
from forklake.ops.change_table import is_changed_here
from forklake.ops.engine_rule import rule_of
from forklake.session.local_queries import ComputedRows, PlannedQuery, find_here, plan_locally
from forklake.session.result_content import FrameRows, RowSource
from forklake.session.scan_plans import table_relation
from forklake.sql import statements
from forklake.sql.given_names import GivenNames
from forklake.sql.made_queries import count_query, rows_query
from forklake.sql.query.bind import bind_query
from forklake.sql.relation import BoundQuery, Relation
from forklake.sql.rows.joined_rows import bind_found

if TYPE_CHECKING:
    from sqlglot import exp

    from forklake.lake.table import Table


def find_changed(
    table: Table, content: Content, row: TableRow, statement: statements.Update | statements.Delete
) -> tuple[ScanPlan, pa.Table] | None:
    """Return the rows that a verb changes, and the scan that found them.

    None: Spark finds them.

    Raises:
        InvalidInputError: A value cannot be computed.
        EngineError: Spark is needed, and not used.
    """
    runtime, relation = table._reader._runtime, table_relation(table, content, row)
    rule = rule_of(runtime.setup)
    if not is_changed_here(runtime, content, row):
        rule.check_spark("Spark sorts the table")
        return None
    named = replace(statement, table=(row.table_name,))
    try:
        found = bind_found(named, row.table_name, relation.columns, _names(relation))
    except ForklakeError as error:
        rule.check_spark(str(error))
        return None
    return find_here(rule, found, _plans(table, content, row, found.query))


def chosen_rows(
    table: Table,
    content: Content,
    row: TableRow,
    columns: Sequence[Field],
    where: exp.Expr,
    by_engine: Callable[[], FrameRows],
) -> RowSource:
    """Return columns of the rows of a condition, in their order; nothing is read yet.

    Raises:
        EngineError: Spark is needed, and not used.
    """
    rule = rule_of(table._reader._runtime.setup)

    def by_spark(reason: str) -> FrameRows:
        rule.check_spark(reason)
        return by_engine()

    planned = _plan(table, content, row, rows_query(row.table_name, [field.name for field in columns], where))
    return by_spark(planned) if isinstance(planned, str) else ComputedRows(planned, by_spark)


def count_rows(table: Table, content: Content, row: TableRow, where: exp.Expr) -> int | None:
    """Return how many rows a condition holds for; None: Spark counts them.

    Raises:
        InvalidInputError: A value cannot be computed.
        EngineError: Spark is needed, and not used.
    """
    planned = _plan(table, content, row, count_query(row.table_name, where))
    found = planned if isinstance(planned, str) else planned.compute()
    if isinstance(found, str):
        rule_of(table._reader._runtime.setup).check_spark(found)
        return None
    return int(found.column(0)[0].as_py())


def _plan(table: Table, content: Content, row: TableRow, query: exp.Select) -> PlannedQuery | str:
    try:
        bound = bind_query(query, _names(table_relation(table, content, row)))
    except ForklakeError as error:
        return str(error)
    return plan_locally(rule_of(table._reader._runtime.setup), bound, _plans(table, content, row, bound))


def _names(relation: Relation) -> GivenNames:
    return GivenNames({fold(relation.name): relation})


def _plans(table: Table, content: Content, row: TableRow, bound: BoundQuery) -> dict[str, ScanPlan]:
    """Return the plans of all scans of a table, in the content that the verb sees."""
    runtime = table._reader._runtime
    return {
        name: plan_scan(runtime.store, runtime.lake_path, content, row, scan.predicate)
        for name, scan in bound.scans.items()
    }
