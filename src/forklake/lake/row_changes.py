"""Row changes of a table handle: delete, update and merge."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from forklake.catalog.fields import table_fields
from forklake.catalog.transaction import Staging
from forklake.lake.engine_columns import Condition, plain_clauses, plain_expression, plain_values
from forklake.lake.table_queries import find_changed, find_merged
from forklake.model.field import Field
from forklake.model.records import Commit
from forklake.model.rows import TableRow
from forklake.ops.rows import append as appending
from forklake.ops.rows import change_table as changing
from forklake.sql import statements
from forklake.sql.parameters import Values
from forklake.sql.rows.row_statements import bind_delete, bind_merge_with, bind_update
from forklake.sql.rows.row_texts import (
    MergeClauses,
    delete_statement,
    merge_statement,
    update_statement,
)

if TYPE_CHECKING:
    from forklake.lake.table import Table

__all__ = ["MergeClauses", "delete", "merge", "update"]


def delete(table: Table, where: Condition | None, parameters: Values | None) -> Commit:
    """Delete the rows of a condition, or all rows."""
    runtime = table._reader._runtime
    statement = delete_statement(plain_expression(runtime.engine, where), parameters)

    def change(staging: Staging, row: TableRow, fields: Sequence[Field]) -> int:
        chosen = bind_delete(statement, row.table_name, fields)
        if chosen is None:
            return changing.truncate(staging, runtime, row)
        here = find_changed(table, staging, row, statement)
        if here is not None:
            return changing.change_found_rows(
                staging, runtime, row, here.plan, here.rows, is_update=False, how=here.how
            )
        return changing.delete_where(staging, runtime, row, chosen)

    return _change(table, change)


def update(table: Table, assignments: Mapping[str, Any], where: Condition | None, parameters: Values | None) -> Commit:
    """Update rows."""
    runtime = table._reader._runtime
    engine = runtime.engine
    statement = update_statement(plain_values(engine, assignments), plain_expression(engine, where), parameters)

    def change(staging: Staging, row: TableRow, fields: Sequence[Field]) -> int:
        bound = bind_update(statement, row.table_name, fields)
        here = find_changed(table, staging, row, statement)
        if here is not None:
            return changing.change_found_rows(staging, runtime, row, here.plan, here.rows, is_update=True, how=here.how)
        return changing.update_where(staging, runtime, row, bound.values, bound.condition)

    return _change(table, change)


def merge(
    table: Table, source: Any, on: Condition | Sequence[str], clauses: MergeClauses, parameters: Values | None
) -> Commit:
    """Merge the rows of a source into a table."""
    engine = table._reader._runtime.engine
    matches = on if isinstance(on, list | tuple) else plain_expression(engine, on)
    said_of_rows = MergeClauses(
        plain_clauses(engine, clauses.matched),
        plain_clauses(engine, clauses.not_matched),
        plain_clauses(engine, clauses.not_matched_by_source),
    )
    return _merge(
        table, source, lambda fields, given: merge_statement(matches, said_of_rows, fields, given, parameters)
    )


def _merge(
    table: Table, source: Any, statement: Callable[[Sequence[Field], Sequence[Field]], statements.Merge]
) -> Commit:
    runtime = table._reader._runtime
    rows = appending.rereadable_rows(runtime.engine, source)
    given = appending.frame_fields(runtime.engine, rows)

    def change(staging: Staging, row: TableRow, fields: Sequence[Field]) -> int:
        said = statement(fields, given)
        merge = bind_merge_with(given, said, row.table_name, fields)
        here = find_merged(table, staging, row, said, merge, rows) if isinstance(rows, pa.Table) else None
        if here is not None:
            found, changed = here
            return changing.merge_found_rows(
                staging,
                runtime,
                row,
                changed.plan,
                changed.rows,
                found.operations,
                may_repeat=found.may_repeat,
                how=changed.how,
            )
        return changing.merge(staging, runtime, row, rows, merge)

    return _change(table, change)


def _change(table: Table, change: Callable[[Staging, TableRow, Sequence[Field]], int]) -> Commit:
    """Run a change of rows in a transaction, and return its commit.

    After a conflict it runs again on the new head.
    """

    def verb(staging: Staging) -> int:
        row = table._find_row(staging.draft)
        return change(staging, row, table_fields(staging.draft, table.table_id))

    return table._reader._commit(verb)
