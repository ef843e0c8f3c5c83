"""What a table handle does to rows that are there: delete, update, merge."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from forklake.catalog import lookup
from forklake.catalog.fields import table_fields
from forklake.catalog.transaction import Staging
from forklake.errors import InvalidInputError
from forklake.model.field import Field
from forklake.model.merge import MergeDelete, MergeInsert, MergeUpdate
from forklake.model.rows import TableRow
from forklake.ops import append as appending
from forklake.ops import change_table as changing
from forklake.sql.condition import condition
from forklake.sql.merge import MergeClauses, bind_assignments, bind_merge, matching_keys

if TYPE_CHECKING:
    from forklake.lake.table import Table


def truncate(table: Table) -> None:
    """Delete all rows."""
    table._reader._run(lambda staging: changing.delete_all(staging, lookup.table_by_id(staging.draft, table.table_id)))


def delete(table: Table, where: str) -> int:
    """Delete rows."""
    runtime = table._reader._runtime
    return _change(
        table,
        lambda staging, row, fields: changing.delete_where(
            staging, runtime, row, condition(where, row.table_name, fields)
        ),
    )


def update(table: Table, assignments: Mapping[str, str], where: str | None) -> int:
    """Update rows."""
    runtime = table._reader._runtime

    def change(staging: Staging, row: TableRow, fields: Sequence[Field]) -> int:
        values = bind_assignments(assignments, row.table_name, fields)
        chosen = None if where is None else condition(where, row.table_name, fields)
        return changing.update_where(staging, runtime, row, values, chosen)

    return _change(table, change)


def merge(table: Table, source: Any, on: str, clauses: MergeClauses) -> int:
    """Merge the rows of a source into a table."""
    runtime = table._reader._runtime
    if not clauses.is_any:
        raise InvalidInputError("A merge needs something to do: matched, not_matched or not_matched_by_source.")
    rows = appending.held(source)
    given = appending.frame_fields(rows)

    def change(staging: Staging, row: TableRow, fields: Sequence[Field]) -> int:
        return changing.merge(staging, runtime, row, rows, bind_merge(on, clauses, fields, given))

    return _change(table, change)


def upsert(table: Table, source: Any, on: Sequence[str]) -> int:
    """Update the rows of a table that a source has the keys of, and insert the others of the source."""
    names = [field.name for field in table_fields(table._content(), table.table_id)]
    keys = matching_keys(on, table.name, names)
    return merge(table, source, keys, MergeClauses((MergeUpdate(),), (MergeInsert(),)))


def _change(table: Table, change: Callable[[Staging, TableRow, Sequence[Field]], int]) -> int:
    """Run a change in a transaction, again on the new head if it met a conflict, and return how many rows changed."""

    def verb(staging: Staging) -> int:
        row = lookup.table_by_id(staging.draft, table.table_id)
        return change(staging, row, table_fields(staging.draft, table.table_id))

    return table._reader._run(verb) or 0


__all__ = ["MergeClauses", "MergeDelete", "delete", "merge", "truncate", "update", "upsert"]
