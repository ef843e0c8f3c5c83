"""Operations on rows done through the public API, on Spark, with as few jobs as can be."""

import json
from collections.abc import Sequence
from dataclasses import replace
from functools import reduce
from typing import Any

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F  # noqa: N812

from forklake import Catalog, MergeDelete, MergeInsert, MergeUpdate, Table, Transaction
from forklake.model.scan import ScanPlan
from tests.rows.arrow_hands import TABLE, handed_over, planned
from tests.rows.driver import FoundRow, Reading
from tests.rows.model import ColumnModel, Shown, TableModel
from tests.rows.operations import Append, Delete, Merge, Overwrite, RowOperation, Update

_TYPES = {
    "int16": "smallint",
    "int32": "int",
    "int64": "bigint",
    "float32": "float",
    "float64": "double",
    "varchar": "string",
    "date": "date",
}


class SparkHands:
    """Reads and changes tables as users do."""

    forms: Sequence[str] = ("rows", "pandas", "arrow", "spark", "spark")

    def __init__(self, spark: SparkSession) -> None:
        self._spark = spark

    def change(self, target: Catalog | Transaction, state: TableModel, operation: RowOperation) -> None:
        """Do an operation on rows; the number that it returns is that of the rows."""
        table = target.table(TABLE)
        decision = operation.decide(state.shown())
        match operation:
            case Append(rows, form):
                table.append(self._frame(state, rows, form))
            case Delete(None):
                table.delete()
            case Delete(where):
                assert where is not None
                assert table.delete(where.sql()).row_count == len(decision.gone)
            case Overwrite(rows, where, form):
                table.overwrite(self._frame(state, rows, form), None if where is None else where.sql())
            case Update(assigned, where):
                new = {one.column: one.sql() for one in assigned}
                assert table.update(new, None if where is None else where.sql()).row_count == len(decision.updated)
            case Merge():
                changed = len(decision.gone) + len(decision.updated) + len(decision.inserted)
                assert self._merge(table, state, operation) == changed

    def read(self, readings: Sequence[Reading]) -> list[tuple[list[str], list[FoundRow]]]:
        """Return for each reading the names of the columns, and the rows; readings of one plan are read once."""
        plans = [comparable(planned(reading.table, None)) for reading in readings]
        places = [
            number if reading.where is not None else plans.index(plan)
            for number, (reading, plan) in enumerate(zip(readings, plans, strict=True))
        ]
        chosen = sorted(set(places))
        found: dict[int, list[FoundRow]] = {number: [] for number in chosen}
        frames = [self._numbered(number, readings[number], plans[number]) for number in chosen]
        for number, row_id, snapshot, text in reduce(DataFrame.union, frames).collect():
            found[number].append((row_id, snapshot, json.loads(text)))
        return [([field.name for field in plans[place].fields], found[place]) for place in places]

    def count(self, table: Table) -> int | None:
        """Return how many rows there are."""
        return table.count()

    def feed(self, table: Table, first: int, last: int) -> list[tuple[int, int, str, Shown]]:
        """Return the changes between two snapshots."""
        frame = table.changes(first, last)
        values = [F.col(f"`{name}`") for name in frame.columns[3:]]
        rows = frame.select("snapshot_id", "rowid", "change_type", _as_json(values)).collect()
        return [(snapshot, row_id, kind, json.loads(text)) for snapshot, row_id, kind, text in rows]

    def _numbered(self, number: int, reading: Reading, plan: ScanPlan) -> DataFrame:
        names = [field.name for field in plan.fields]
        where = None if reading.where is None else reading.where.sql()
        frame = reading.table.dataframe([*names, "rowid", "snapshot_id"], where)
        return frame.select(F.lit(number), "rowid", "snapshot_id", _as_json([F.col(f"`{name}`") for name in names]))

    def _frame(self, state: TableModel, rows: Sequence[Shown], form: str) -> Any:
        if form != "spark" or not rows:
            return handed_over(rows, form)
        columns = [column for column in state.columns if column.name in rows[0]]
        schema = ", ".join(f"`{column.name}` {_type(column)}" for column in columns)
        values = [tuple(row[column.name] for column in columns) for row in rows]
        return self._spark.createDataFrame(values, schema)

    def _merge(self, table: Table, state: TableModel, merge: Merge) -> int:
        source = self._frame(state, merge.source, "spark" if len(merge.source) % 2 else "rows")
        if merge == Merge(merge.source):
            return table.merge(source, ["k"]).row_count
        delete = [] if merge.delete_when is None else [MergeDelete(merge.delete_when.sql("target."))]
        return table.merge(
            source,
            "target.k = source.k",
            matched=[*delete, MergeUpdate()],
            not_matched=[MergeInsert()] if merge.insert else [],
            not_matched_by_source=[] if merge.by_source is None else [MergeDelete(merge.by_source.sql("target."))],
        ).row_count


def _as_json(columns: Sequence[Any]) -> Any:
    return F.to_json(F.struct(*columns), {"ignoreNullFields": "false"})


def _type(column: ColumnModel) -> str:
    if column.type == "struct":
        return f"struct<{', '.join(f'`{child.name}`: {_type(child)}' for child in column.children)}>"
    if column.type == "list":
        return f"array<{_type(column.children[0])}>"
    return _TYPES[column.type]


def comparable(plan: ScanPlan) -> ScanPlan:
    """Return a plan without what does not matter to who reads it."""
    files = tuple(
        replace(
            file,
            read_upto=file.read_upto if file.is_cut else file.snapshot_id or file.read_upto,
            deletes=None
            if file.deletes is None
            else replace(
                file.deletes,
                read_upto=file.deletes.read_upto if file.deletes.is_cut else file.snapshot_id or file.read_upto,
            ),
        )
        for file in plan.files
    )
    return replace(plan, files=files, place=None)
