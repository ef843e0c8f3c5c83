"""MERGE INTO as Spark has analysed it, run as one change of a lake's table."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from typing import Any, Final

from pyspark.sql import DataFrame
from pyspark.sql import functions as F  # noqa: N812

from forklake.catalog.transaction import Staging
from forklake.engine.changed_rows import ChangedRows, Inlining
from forklake.engine.spark.change.change_rows import NewValues, change_rows
from forklake.engine.spark.change.kept_rows import ROW_ID, KeptRows
from forklake.engine.spark.write.conform import conform
from forklake.errors import InvalidInputError
from forklake.model.field import Field
from forklake.model.lazy_dataclass import dataclass
from forklake.model.names import fold
from forklake.model.rows import TableRow
from forklake.model.scan import OWN_PLACES, ROW_ID_COLUMN, ScanPlan
from forklake.model.write import WriteTarget
from forklake.ops.rows.change_table import change_by
from forklake.spark_catalog.trees import Trees

_CLAUSE: Final = "_ducklake_forklake_clause"
_IN_TARGET: Final = "_ducklake_forklake_in_target"
_IN_SOURCE: Final = "_ducklake_forklake_in_source"
_VALUE: Final = "_ducklake_forklake_value_{}"
_JOINS: Final = {
    (False, False): "inner",
    (True, False): "right_outer",
    (False, True): "left_outer",
    (True, True): "full_outer",
}
"""How target and source are joined, by whether rows of the source, and of the target, count if they match nothing."""


@dataclass(frozen=True, slots=True)
class _Clause:
    """One WHEN of a merge.

    ``values`` has what columns become, by their names folded: all of them in an update, those that are given in an
    insert.
    """

    number: int
    applies: Any
    operation: str
    values: dict[str, Any]


def merge(trees: Trees, staging: Staging, row: TableRow, plan: Any) -> int:
    """Run a merge; return how many rows it touched.

    Raises:
        InvalidInputError: A row would be changed twice, or the merge would change the columns of the table.
    """
    if plan.withSchemaEvolution():
        raise InvalidInputError(
            "MERGE WITH SCHEMA EVOLUTION is not supported; nothing was changed.",
            hint="Add the columns with ALTER TABLE first.",
        )

    def change(scan: ScanPlan, target: WriteTarget, inlining: Inlining, keeps_ids: bool) -> ChangedRows:
        rows, clauses = _match(trees, scan, trees.with_reads(plan))
        matched = [clause.operation for clause in clauses if clause.number < plan.matchedActions().size()]
        return change_rows(
            rows,
            scan,
            target,
            updated=_new_values(clauses, "update", scan.fields, row.table_name),
            inserted=_new_values(clauses, "insert", scan.fields, row.table_name),
            inlining=inlining,
            may_repeat=all(operation == "delete" for operation in matched),
            keeps_ids=keeps_ids,
        )

    return change_by(staging, trees.runtime, row, change)


def _match(trees: Trees, scan: ScanPlan, plan: Any) -> tuple[DataFrame, list[_Clause]]:
    """Return the rows that change, with the clause that applies and all that it sets."""
    found = trees.scan(scan, plan.targetTable())
    target, source = _mark(trees, found, _IN_TARGET), _mark(trees, plan.sourceTable(), _IN_SOURCE)
    sides = bool(plan.notMatchedActions().size()), bool(plan.notMatchedBySourceActions().size())
    joined = trees.join(target, source, _JOINS[sides], plan.mergeCondition())
    clauses = _clauses(trees, plan, trees.columns(found), trees.columns(joined))
    numbered = [(clause.applies, trees.number(clause.number)) for clause in clauses]
    first = trees.case(numbered, trees.null_like(trees.number(0)))
    columns = trees.columns(found)
    values = [_value(trees, clauses, place, field, columns) for place, field in enumerate(scan.fields)]
    places = [columns[name] for name in OWN_PLACES]
    # The number comes first and is named, so that it is computed once for all values.
    chosen = trees.project([*trees.items(joined.output()), trees.alias(first, _CLAUSE)], joined)
    number = trees.columns(chosen)[_CLAUSE]
    taken = trees.filter(trees.expressions.IsNotNull(number), chosen)
    rows = trees.project([*places, number, *(make(number) for make in values)], taken)
    return trees.frame(rows), clauses


def _mark(trees: Trees, plan: Any, name: str) -> Any:
    return trees.project(
        [*trees.items(plan.output()), trees.alias(trees.expressions.Literal.TrueLiteral(), name)], plan
    )


def _clauses(trees: Trees, plan: Any, columns: dict[str, Any], joined: dict[str, Any]) -> list[_Clause]:
    in_target, in_source = joined[_IN_TARGET], joined[_IN_SOURCE]
    here, there = trees.expressions.IsNotNull(in_target), trees.expressions.IsNotNull(in_source)
    not_here, not_there = trees.expressions.IsNull(in_target), trees.expressions.IsNull(in_source)
    sides = [
        (plan.matchedActions(), trees.both(here, there)),
        (plan.notMatchedActions(), trees.both(not_here, there)),
        (plan.notMatchedBySourceActions(), trees.both(here, not_there)),
    ]
    found: list[_Clause] = []
    for actions, side in sides:
        for action in trees.items(actions):
            condition = action.condition()
            applies = trees.both(side, trees.holds(condition.get())) if condition.isDefined() else side
            operation = action.getClass().getSimpleName().removesuffix("Action").lower()
            found.append(_Clause(len(found), applies, operation, _values(trees, action, operation, columns)))
    return found


def _values(trees: Trees, action: Any, operation: str, columns: dict[str, Any]) -> dict[str, Any]:
    match operation:
        case "delete":
            return {}
        case "insert":
            return trees.assignments(action.assignments(), {})
        case "update":
            return columns | trees.assignments(action.assignments(), columns)
    raise InvalidInputError(f"A merge cannot {operation}; nothing was changed.")


def _value(trees: Trees, clauses: Sequence[_Clause], place: int, field: Field, columns: dict[str, Any]) -> Any:
    """Return the function from the number of the clause to what a column becomes."""
    name = fold(field.name)

    def make(number: Any) -> Any:
        branches = [
            (trees.expressions.EqualTo(number, trees.number(clause.number)), clause.values[name])
            for clause in clauses
            if name in clause.values
        ]
        nothing = trees.null_like(columns[name])
        return trees.alias(trees.case(branches, nothing) if branches else nothing, _VALUE.format(place))

    return make


def _new_values(clauses: Sequence[_Clause], operation: str, fields: Sequence[Field], table: str) -> NewValues | None:
    """Return the function from rows that change to updated or inserted ones."""
    wanted = [clause for clause in clauses if clause.operation == operation]
    if not wanted:
        return None

    def values(kept: KeptRows) -> DataFrame:
        return reduce(DataFrame.union, [_rows_of(kept.frame, clause, fields, table) for clause in wanted])

    return values


def _rows_of(rows: DataFrame, clause: _Clause, fields: Sequence[Field], table: str) -> DataFrame:
    ours = rows.where(F.col(_CLAUSE) == clause.number)
    named = [
        F.col(_VALUE.format(place)).alias(field.name)
        for place, field in enumerate(fields)
        if fold(field.name) in clause.values
    ]
    if clause.operation == "insert":
        return conform(ours.select(*named), fields, table, by_name=True)  # what is left out gets its default
    return ours.select(*named, F.col(ROW_ID).alias(ROW_ID_COLUMN))
