"""Queries for what handles ask of one table; this process computes small ones."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, TypeVar

import pyarrow as pa

from forklake.catalog.scan_plan import plan_scan
from forklake.catalog.state import Content
from forklake.errors import ForklakeError
from forklake.model.field import Field
from forklake.model.merge import SOURCE, TARGET, Merge
from forklake.model.names import fold
from forklake.model.predicate import Predicate
from forklake.model.rows import TableRow
from forklake.model.scan import ScanPlan
from forklake.ops.lakes.engine_rule import EngineRule, rule_of
from forklake.ops.rows.change_table import FoundChange, is_changed_here, plan_change
from forklake.ops.rows.merge_predicate import match_predicate
from forklake.session.local.local_queries import ComputedRows, PlannedQuery, find_here, plan_locally
from forklake.session.names.frames import read_frame
from forklake.session.names.scan_plans import table_relation
from forklake.session.results.result_content import FrameRows, RowSource
from forklake.sql import statements
from forklake.sql.query.bind import bind_query
from forklake.sql.relation import BoundQuery, Relation
from forklake.sql.relation_names import GivenNames
from forklake.sql.rows.joined_rows import FoundRows, bind_found
from forklake.sql.rows.merged_rows import FoundMerge, bind_found_merge
from forklake.sql.simple_queries import count_query, rows_query

if TYPE_CHECKING:
    from sqlglot import exp

    from forklake.catalog.transaction import Staging
    from forklake.lake.table import Table

Found = TypeVar("Found", FoundRows, FoundMerge)


def find_changed(
    table: Table, staging: Staging, row: TableRow, statement: statements.Update | statements.Delete
) -> FoundChange | None:
    """Return the rows that a verb changes; None: Spark finds them.

    Raises:
        InvalidInputError: A value cannot be computed.
        EngineError: Spark is needed, and not used.
    """
    relation = table_relation(table, staging.draft, row)
    named = replace(statement, table=(row.table_name,))
    found = _bind(table, lambda: bind_found(named, row.table_name, relation.columns, _names(relation)))
    return None if found is None else _find(table, staging, row, found, found.query.scans[found.scan].predicate)


def find_merged(
    table: Table, staging: Staging, row: TableRow, statement: statements.Merge, merge: Merge, rows: pa.Table
) -> tuple[FoundMerge, FoundChange] | None:
    """Return what a merge with rows in memory changes; None: Spark finds it.

    Args:
        table: The table.
        staging: The transaction of the verb.
        row: The table in it.
        statement: The merge.
        merge: The same, as it was bound.
        rows: The source, as its columns are named in the statement.

    Raises:
        InvalidInputError: A value cannot be computed.
        EngineError: Spark is needed, and not used.
    """
    relation = table_relation(table, staging.draft, row)
    given = read_frame(table._reader._runtime.engine, rows)
    names = GivenNames({TARGET: relation, SOURCE: Relation(SOURCE, given.columns, given)})
    found = _bind(table, lambda: bind_found_merge(statement, row.table_name, relation.columns, names, given.columns))
    if found is None:
        return None
    keys = given.rows.rename_columns([field.name for field in merge.source])
    changed = _find(table, staging, row, found, match_predicate(merge, keys, merge.source, relation.columns))
    return None if changed is None else (found, changed)


def _find(
    table: Table, staging: Staging, row: TableRow, found: FoundRows | FoundMerge, predicate: Predicate | None
) -> FoundChange | None:
    """Return the rows that a query finds in a table.

    None: Spark finds or writes them.
    """
    plan, how = plan_change(staging, table._reader._runtime, row, predicate)
    if not is_changed_here(how):
        _rule(table).check_spark("Spark sorts the table")
        return None
    located = find_here(_rule(table), found, {found.scan: plan})
    return None if located is None else FoundChange(plan, located[1], how)


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
    rule = _rule(table)

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
        _rule(table).check_spark(found)
        return None
    return int(found.column(0)[0].as_py())


def _plan(table: Table, content: Content, row: TableRow, query: exp.Select) -> PlannedQuery | str:
    try:
        bound = bind_query(query, _names(table_relation(table, content, row)))
    except ForklakeError as error:
        return str(error)
    return plan_locally(_rule(table), bound, _plans(table, content, row, bound))


def _bind(table: Table, bind: Callable[[], Found]) -> Found | None:
    """Return a change of rows as a query; None if Spark finds the rows.

    The change was bound for Spark already, so it is not at fault if no query says it.
    """
    try:
        return bind()
    except ForklakeError as error:
        _rule(table).check_spark(f"{error.message} is left to Spark")
        return None


def _rule(table: Table) -> EngineRule:
    return rule_of(table._reader._runtime.setup)


def _names(relation: Relation) -> GivenNames:
    return GivenNames({fold(relation.name): relation})


def _plans(table: Table, content: Content, row: TableRow, bound: BoundQuery) -> dict[str, ScanPlan]:
    """Return the plans of all scans of a table, in the content that the verb sees."""
    runtime = table._reader._runtime
    return {
        name: plan_scan(runtime.store, runtime.lake_path, content, row, scan.predicate)
        for name, scan in bound.scans.items()
    }
