"""Changes rows in a transaction: stages what the engine wrote as metadata changes."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final

import pyarrow as pa

from forklake.catalog.fields import table_fields
from forklake.catalog.scan_plan import ScanPlanner, plan_scan
from forklake.catalog.table_files import table_files
from forklake.catalog.transaction import Staging
from forklake.engine.changed_rows import ChangedRows, Inlining
from forklake.engine.engine import Frame, MergeSource
from forklake.engine.local.change_rows import change_found, merge_found
from forklake.files.access import storage
from forklake.files.incoming.conform import conform
from forklake.metastore.written_tables import INLINED_ROW
from forklake.model.change import DeleteInlined, DeleteRows, InlineDeletes, RemoveFiles
from forklake.model.ids import DeleteFileId
from forklake.model.lazy_dataclass import dataclass
from forklake.model.merge import Merge, MergeOperation
from forklake.model.predicate import Condition, Predicate
from forklake.model.rows import TableRow
from forklake.model.scan import ROW_ID_COLUMN, ScanPlan
from forklake.ops.lakes.runtime import Runtime
from forklake.ops.rows.append import inline, is_inlinable, sorts_on_driver
from forklake.ops.rows.frame_base import check_frame_base
from forklake.ops.rows.merge_predicate import match_predicate, pruning_keys
from forklake.ops.rows.read_table import count_rows
from forklake.ops.rows.register_files import register_files
from forklake.ops.rows.write_target import WriteQuestions, Writing

if TYPE_CHECKING:
    from forklake.model.write import WriteTarget


_LARGE_ROWS: Final = 100_000
"""Of a table from this size on, it is worth looking at a whole source before: files may be left out, and rows need not
be moved to find those that match a small one. Bytes would not tell: files may be compressed a hundredfold."""

_MANY_FILES: Final = 10
"""And of one with so many files, however small they are: each of them costs a request or several to be opened."""


@dataclass(frozen=True, slots=True)
class FoundChange:
    """Rows that a statement changes, as this process found them.

    Attributes:
        plan: The scan that found them.
        rows: The rows, as `change_found_rows` or `merge_found_rows` take them.
        how: How rows of the table are written.
    """

    plan: ScanPlan
    rows: pa.Table
    how: Writing


def truncate(staging: Staging, runtime: Runtime, table: TableRow) -> int:
    """Delete all rows that the transaction sees; return their number.

    Metadata gives the number, but for files of which it does not know enough; these are read and counted.
    """
    count = count_rows(runtime, plan_scan(runtime.store, runtime.lake_path, staging.draft, table))
    delete_all(staging, table)
    return count


def delete_all(staging: Staging, table: TableRow) -> None:
    """Delete all rows that the transaction sees: files end, and nothing is read."""
    files = tuple(file.data_file_id for file in table_files(staging.draft, table.table_id).data)
    inlined = tuple(row.row_id for row in staging.draft.rows(INLINED_ROW, {"table_id": table.table_id}))
    staging.stage(RemoveFiles(table.table_id, files))
    staging.stage(DeleteInlined(table.table_id, inlined))


def delete_where(staging: Staging, runtime: Runtime, table: TableRow, condition: Condition) -> int:
    """Delete the rows that satisfy a condition; return their number.

    Files that have no rows left end. If the transaction is not committed, the delete files are removed again.

    Raises:
        EngineError: A Spark job failed; nothing was changed.
    """
    plan, how = plan_change(staging, runtime, table, condition.predicate)
    if not plan.files and not plan.inlined:
        return 0
    staging.take_lease()
    changed = runtime.engine.delete(plan, condition.spark_sql, how.target, _inlining(how))
    stage_changes(staging, table, how.target, changed)
    return changed.deleted_count


def update_where(
    staging: Staging,
    runtime: Runtime,
    table: TableRow,
    values: Sequence[tuple[str, str]],
    condition: Condition | None,
) -> int:
    """Update the rows that satisfy a condition; return their number.

    Rows keep their row ids.

    Args:
        staging: The transaction. If it is not committed, the files that were written are removed again.
        runtime: The open lake.
        table: The table.
        values: Columns and what they become, in Spark SQL over the row as it was.
        condition: Which rows; all if there is none.

    Raises:
        InvalidInputError: A new value does not fit its column; nothing was changed.
        EngineError: A Spark job failed; nothing was changed.
    """
    predicate = None if condition is None else condition.predicate
    plan, how = plan_change(staging, runtime, table, predicate)
    if not plan.files and not plan.inlined:
        return 0
    text = None if condition is None else condition.spark_sql
    staging.take_lease()
    changed = runtime.engine.update(plan, text, values, how.target, _inlining(how), keeps_ids=not _is_new(table))
    stage_changes(staging, table, how.target, changed)
    return changed.deleted_count


def merge(staging: Staging, runtime: Runtime, table: TableRow, source: Frame | pa.Table, merge: Merge) -> int:
    """Merge a source into a table as the clauses say; return the number of rows.

    Rows count if they were inserted, updated or deleted.

    Raises:
        InvalidInputError: A row is changed twice, or a new value does not fit its column; nothing was changed.
        EngineError: A Spark job failed; nothing was changed.
    """
    how = WriteQuestions(staging, runtime, table).writing()
    with _plan_merge(staging, runtime, table, source, merge) as (plan, rows):
        staging.take_lease()
        changed = runtime.engine.merge(plan, rows, merge, how.target, _inlining(how), keeps_ids=not _is_new(table))
    stage_changes(staging, table, how.target, changed)
    check_frame_base(staging, runtime, table.table_id, source)
    return changed.deleted_count + changed.inserted_count


def change_found_rows(
    staging: Staging,
    runtime: Runtime,
    table: TableRow,
    plan: ScanPlan,
    found: Frame | pa.Table,
    *,
    is_update: bool,
    how: Writing | None = None,
) -> int:
    """Update or delete rows that were already found; return their number.

    Args:
        staging: The transaction. If it is not committed, the files that were written are removed again.
        runtime: The open lake.
        table: The table.
        plan: The scan that found the rows.
        found: The positions of the rows, in the columns `OWN_PLACES`, and for an update the new value of each
            column of the table. A row to delete may occur several times. Rows in memory are changed by this process.
        is_update: Whether they are updated.
        how: How rows of the table are written, if `plan_change` has told.

    Raises:
        InvalidInputError: A row is updated twice, or a new value does not fit its column; nothing was changed.
        EngineError: A Spark job failed; nothing was changed.
    """
    if not plan.files and not plan.inlined:
        return 0
    how = how or WriteQuestions(staging, runtime, table).writing()
    keeps_ids = not _is_new(table)
    if isinstance(found, pa.Table):
        changed = change_found(
            plan, found, how.target, _inlining(how), staging.take_lease, is_update=is_update, keeps_ids=keeps_ids
        )
    else:
        staging.take_lease()
        changed = runtime.engine.change_found(
            plan, found, how.target, _inlining(how), is_update=is_update, keeps_ids=keeps_ids
        )
    stage_changes(staging, table, how.target, changed)
    check_frame_base(staging, runtime, table.table_id, found)
    return changed.deleted_count


def merge_found_rows(
    staging: Staging,
    runtime: Runtime,
    table: TableRow,
    plan: ScanPlan,
    found: pa.Table,
    operations: Sequence[MergeOperation],
    *,
    may_repeat: bool,
    how: Writing,
) -> int:
    """Change the rows that a merge found in this process; return their number.

    ``plan`` and ``how`` are from `plan_change`, ``found`` and ``operations`` as for
    `forklake.engine.local.change_rows.merge_found`.

    Raises:
        InvalidInputError: A row is changed twice, or a new value does not fit its column; nothing was changed.
    """
    changed = merge_found(
        plan,
        found,
        operations,
        how.target,
        _inlining(how),
        staging.take_lease,
        may_repeat=may_repeat,
        keeps_ids=not _is_new(table),
    )
    stage_changes(staging, table, how.target, changed)
    return changed.deleted_count + changed.inserted_count


def change_by(
    staging: Staging,
    runtime: Runtime,
    table: TableRow,
    change: Callable[[ScanPlan, WriteTarget, Inlining, bool], ChangedRows],
) -> int:
    """Change rows in a way that the caller knows; return how many were touched.

    Args:
        staging: The transaction. If it is not committed, the files that were written are removed again.
        runtime: The open lake.
        table: The table.
        change: Writes what has changed. It gets a plan of all rows, the table, how many rows the metadata takes, and
            whether updated rows keep their ids.

    Raises:
        InvalidInputError: A row is changed twice, or a new value does not fit its column; nothing was changed.
        EngineError: A Spark job failed; nothing was changed.
    """
    plan, how = plan_change(staging, runtime, table, None)
    staging.take_lease()
    changed = change(plan, how.target, _inlining(how), not _is_new(table))
    stage_changes(staging, table, how.target, changed)
    return changed.deleted_count + changed.inserted_count


def plan_change(
    staging: Staging, runtime: Runtime, table: TableRow, predicate: Predicate | None
) -> tuple[ScanPlan, Writing]:
    """Plan the scan that finds rows to change, and how rows are written.

    All of it is read in one round trip, in which a server gives the lease as well. What a change of the rows looks up
    of files is kept for it.
    """
    planner = ScanPlanner(runtime.store, runtime.lake_path, staging.draft, table)
    asked = WriteQuestions(staging, runtime, table)
    found = asked.read_with(planner, predicate)
    staging.draft.keep_files(found)
    return planner.plan_read(found, predicate), asked.writing()


def is_changed_here(how: Writing) -> bool:
    """Return whether this process may write the changed rows of a table.

    It may not if only the engine can sort them.
    """
    return how.on_driver and sorts_on_driver(how.target)


def _is_new(table: TableRow) -> bool:
    """Return whether the transaction made the table.

    Then the ids of its rows were never visible, and its columns may still be renamed. Files with row ids have no
    mapping that would keep the names in them, and the history of the columns does not say what came first.
    """
    return table.origin is None


@contextmanager
def _plan_merge(
    staging: Staging, runtime: Runtime, table: TableRow, source: Frame | pa.Table, merge: Merge
) -> Iterator[tuple[ScanPlan, MergeSource]]:
    """Yield the scan plan of a merge, and its source.

    The plan leaves out files that no row of the source can match.
    """
    target, given = table_fields(staging.draft, table.table_id), merge.source

    def plan(predicate: Predicate | None) -> ScanPlan:
        return plan_scan(runtime.store, runtime.lake_path, staging.draft, table, predicate)

    if isinstance(source, pa.Table):
        rows = conform(source, given, "source", by_name=False)
        yield plan(match_predicate(merge, rows, given, target)), runtime.engine.merge_source(rows, given)
        return
    source = runtime.engine.rename_columns(source, [field.name for field in given])
    keys = {name for _, name in pruning_keys(merge, given, target)}
    of_keys = tuple(field for field in given if field.name in keys)
    whole = plan(None)
    if sum(file.record_count for file in whole.files) < _LARGE_ROWS and len(whole.files) < _MANY_FILES:
        yield whole, runtime.engine.frame_source(source)
        return
    names = [field.name for field in of_keys]
    with runtime.engine.measure_source(source, names, table.table_name) as (kept, found, is_range):
        if not keys:
            yield whole, kept
            return
        rows = conform(found, of_keys, "source", by_name=False)
        yield plan(match_predicate(merge, rows, given, target, is_range=is_range)), kept


def stage_changes(staging: Staging, table: TableRow, target: WriteTarget, changed: ChangedRows) -> None:
    """Stage what was written for changed rows.

    New rows are here only because nothing matched them.
    """
    unmatched = changed.inserted_count > 0
    names = [file.path for file in changed.delete_files] + [file.path for file in changed.data_files]
    paths = [target.directory + name for name in names]
    if paths:
        staging.on_undo(lambda: storage.delete(paths))
    numbered = tuple((DeleteFileId(staging.new_file()), file) for file in changed.delete_files)
    staging.stage(DeleteRows(table.table_id, numbered))
    staging.stage(RemoveFiles(table.table_id, changed.whole_files))
    staging.stage(InlineDeletes(table.table_id, changed.positions))
    staging.stage(DeleteInlined(table.table_id, changed.inlined))
    if changed.data_files:
        register_files(staging, table.table_id, changed.data_files, unmatched=unmatched)
    if changed.rows is not None:
        values = changed.rows.drop_columns([ROW_ID_COLUMN])
        rows = conform(values, target.fields, table.table_name, by_name=False)
        row_ids = changed.rows.column(ROW_ID_COLUMN).to_pylist()
        inline(staging, table, target.fields, rows, row_ids, unmatched=unmatched)


def _inlining(how: Writing) -> Inlining:
    limit = how.inlining_row_limit
    return Inlining(deletes=limit, rows=limit if is_inlinable(how.target.fields) else 0)
