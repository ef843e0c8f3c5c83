"""Changes of rows that Spark has analysed, run as changes of a lake.

An expression of Catalyst names columns by numbers. The scan of the target is given the numbers of Spark's own, so that
conditions and values are used as they are.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from forklake.catalog.transaction import Staging
from forklake.engine.spark.change.kept_rows import materialize
from forklake.engine.spark.driver.failures import guard_table
from forklake.engine.spark.write.conform import conform
from forklake.engine.spark.write.partition_tokens import with_tokens
from forklake.errors import InvalidInputError
from forklake.model.rows import TableRow
from forklake.model.scan import OWN_PLACES
from forklake.ops.rows import append as appending
from forklake.ops.rows.change_table import change_found_rows, delete_all, truncate
from forklake.ops.rows.read_table import plan_table
from forklake.ops.rows.write_target import writing
from forklake.spark_catalog.attached import Attached
from forklake.spark_catalog.catalyst_merge import merge
from forklake.spark_catalog.trees import Trees, row_of

Verb = Callable[[Staging, TableRow], int]

_LOGICAL: Final = "org.apache.spark.sql.catalyst.plans.logical."


def change_verb(attached: Attached, plan: Any) -> Verb:
    """Return what a plan does to the rows of its table.

    Raises:
        InvalidInputError: It is a change that tables of a lake do not know.
    """
    kind = plan.getClass().getName().removeprefix(_LOGICAL)
    trees = Trees(attached)
    match kind:
        case "DeleteFromTable":
            return lambda staging, row: _delete(trees, staging, row, plan)
        case "UpdateTable":
            return lambda staging, row: _update(trees, staging, row, plan)
        case "MergeIntoTable":
            return lambda staging, row: merge(trees, staging, row, plan)
        case "OverwriteByExpression":
            return lambda staging, row: _replace_where(trees, staging, row, plan)
        case "OverwritePartitionsDynamic":
            return lambda staging, row: _replace_partitions(trees, staging, row, plan)
    raise InvalidInputError(f"{kind} is no change that a table of a lake knows; nothing was changed.")


def is_overwrite(plan: Any) -> bool:
    """Return whether a plan gives new rows for old ones."""
    return bool(plan.getClass().getSimpleName().startswith("Overwrite"))


def _delete(trees: Trees, staging: Staging, row: TableRow, change: Any) -> int:
    if trees.is_true(change.condition()):
        return truncate(staging, trees.runtime, row)
    plan = plan_table(trees.runtime, staging.draft, row, None)
    change = trees.with_reads(change)
    scan = trees.scan(plan, change.table())
    found = trees.frame(trees.filter(change.condition(), scan)).select(*OWN_PLACES)
    return change_found_rows(staging, trees.runtime, row, plan, found, is_update=False)


def _update(trees: Trees, staging: Staging, row: TableRow, change: Any) -> int:
    plan = plan_table(trees.runtime, staging.draft, row, None)
    change = trees.with_reads(change)
    scan = trees.scan(plan, change.table())
    condition = change.condition()
    rows = trees.filter(condition.get(), scan) if condition.isDefined() else scan
    columns = trees.columns(scan)
    values = row_of(trees, trees.assignments(change.assignments(), columns), plan.fields, columns)
    places = [columns[name] for name in OWN_PLACES]
    found = trees.frame(trees.project([*places, *values], rows))
    return change_found_rows(staging, trees.runtime, row, plan, found, is_update=True)


def _replace_where(trees: Trees, staging: Staging, row: TableRow, change: Any) -> int:
    plan = plan_table(trees.runtime, staging.draft, row, None)
    rows = trees.frame(trees.with_reads(change.analyzedQuery().get()))
    scan = trees.scan(plan, change.table())
    found = trees.frame(trees.filter(change.deleteExpr(), scan)).select(*OWN_PLACES)
    gone = change_found_rows(staging, trees.runtime, row, plan, found, is_update=False)
    return gone + appending.append(staging, trees.runtime, row, rows, by_name=False)


def _replace_partitions(trees: Trees, staging: Staging, row: TableRow, change: Any) -> int:
    """Replace the partitions that the new rows belong to; without keys, all rows."""
    target = writing(trees.runtime, staging.draft, row, may_alter_later=staging.may_alter_later).target
    plan = plan_table(trees.runtime, staging.draft, row, None)
    given = conform(trees.frame(trees.with_reads(change.query())), target.fields, row.table_name, by_name=False)
    if not target.partition_keys:
        delete_all(staging, row)
        return appending.append(staging, trees.runtime, row, given, by_name=False)
    # Rows that are not computed the same way twice could go into partitions that were not emptied.
    with guard_table(row.table_name), materialize(given, keep=True) as kept:
        marked, tokens = with_tokens(kept, target)
        names = [field.name for field in target.fields]
        old, _ = with_tokens(trees.runtime.engine.scan(plan, [*OWN_PLACES, *names]), target)
        found = old.join(marked.select(*tokens).distinct(), tokens, "left_semi").select(*OWN_PLACES)
        gone = change_found_rows(staging, trees.runtime, row, plan, found, is_update=False)
        return gone + appending.append(staging, trees.runtime, row, kept, by_name=False)
