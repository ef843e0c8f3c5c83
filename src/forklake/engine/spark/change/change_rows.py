"""Deletes, updates and inserts of one change, written together.

Deleted rows go into delete files, new ones into data files.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import reduce
from typing import Final

import pyarrow as pa
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F  # noqa: N812

from forklake.engine.changed_rows import NO_INLINING, ROW_ID_FIELD, TWICE, ChangedRows, Inlining, without_ids
from forklake.engine.spark.change.delete_files import Deletion, deleting
from forklake.engine.spark.change.kept_rows import ROW_ID, KeptRows, keep_rows
from forklake.engine.spark.driver.failures import guard_scan, retry_lost_rows
from forklake.engine.spark.read.collect import arrow_rows
from forklake.engine.spark.read.scan import is_mentioned, mentioned_lineage, scan
from forklake.engine.spark.write.conform import conform
from forklake.engine.spark.write.write_rows import write
from forklake.errors import InvalidInputError
from forklake.files.access import storage
from forklake.model.definitions import NewDataFile
from forklake.model.field import Field
from forklake.model.quoting import quote_spark_name
from forklake.model.scan import PLACE_LINEAGE, ROW_ID_COLUMN, ScanPlan
from forklake.model.write import WriteTarget

_STAR: Final = re.compile(r"(?:^|[(,.])\s*\*")
"""All columns, in Spark SQL: a star that multiplies nothing."""

NewValues = Callable[[KeptRows], DataFrame | None]
"""Turns the rows that change into frames of new values; None if it is known that there are none."""


def find_rows(
    spark: SparkSession,
    plan: ScanPlan,
    condition: str | None,
    *,
    columns: Sequence[str] = (),
    naming: Sequence[str] = (),
) -> DataFrame:
    """Return where the rows of a plan that satisfy a condition are, with some columns.

    The lineage that expressions are ``naming`` comes too. The rows may be used once in a query.
    """
    lineage = {**PLACE_LINEAGE, **mentioned_lineage(plan, " ".join(naming))}
    return scan(spark, plan, columns=columns, condition=condition, lineage=lineage, is_filtered=True)


def values_of(fields: Sequence[Field], values: Sequence[tuple[str, str]]) -> list[str]:
    """Return the columns that updated rows are made of.

    They are those that keep their values, and those that new values may name. ``values`` are as for `new_values`.
    """
    new = {name for name, _ in values}
    text = " ".join(value for _, value in values)
    names_all = _STAR.search(text) is not None
    return [field.name for field in fields if names_all or field.name not in new or is_mentioned(field.name, text)]


@retry_lost_rows
def change_rows(
    rows: DataFrame,
    plan: ScanPlan,
    target: WriteTarget,
    *,
    updated: NewValues | None = None,
    inserted: NewValues | None = None,
    inlining: Inlining = NO_INLINING,
    may_repeat: bool = False,
    is_scan: bool = False,
    keeps_ids: bool = True,
) -> ChangedRows:
    """Write the files of a change; the driver sees inlined rows, and few places.

    Args:
        rows: The rows that change, found again if an executor loses any; `OWN_PLACES` is NULL in inserted ones.
        plan: What was scanned to find the rows.
        target: The table.
        updated: Gives the new values of updated rows, in the table's order, then their row ids.
        inserted: Gives the values of inserted rows.
        inlining: How many rows the metadata takes instead of files.
        may_repeat: Whether a row may occur twice, as it is only deleted.
        is_scan: Whether the rows are those of the plan, each at most once.
        keeps_ids: Whether updated rows keep their ids.

    Raises:
        InvalidInputError: A row is changed twice, or a new value does not fit its column.
        EngineError: A job failed. Nothing is left behind either way.
    """
    written: list[str] = []
    few: pa.Table | None = None
    files, new = list[NewDataFile](), list[NewDataFile]()
    writes = bool(updated or inserted)
    try:
        with guard_scan(plan), keep_rows(rows, plan, keep=writes, may_repeat=may_repeat, is_scan=is_scan) as kept:
            inlined = _inlined_ids(kept, plan, may_repeat=may_repeat)
            with deleting(Deletion(kept, plan, target, inlining.deletes, may_repeat), beside=writes) as deleted:
                old_rows, new_rows = updated and updated(kept), inserted and inserted(kept)
                few = _few_rows(target, old_rows, new_rows, inlining.rows)
                if old_rows is not None and few is None:
                    files += _write_updates(old_rows, target, keeps_ids=keeps_ids)
                    written += [target.directory + file.path for file in files]
                if new_rows is not None and few is None:
                    new += write(new_rows, target, by_name=False)
                    written += [target.directory + file.path for file in new]
                gone = deleted()
                written += [target.directory + file.path for file in gone.delete_files]
    except BaseException:
        storage.delete(written)
        raise
    return ChangedRows(
        whole_files=gone.whole_files,
        delete_files=gone.delete_files,
        positions=gone.positions,
        inlined=inlined,
        data_files=(*files, *new),
        rows=few,
        deleted_count=gone.count + len(inlined),
        inserted_count=_count_new(new, few),
    )


def _count_new(files: Sequence[NewDataFile], few: pa.Table | None) -> int:
    return sum(file.record_count for file in files) + (0 if few is None else few.column(ROW_ID_COLUMN).null_count)


def _write_updates(rows: DataFrame, target: WriteTarget, *, keeps_ids: bool) -> list[NewDataFile]:
    if not keeps_ids:
        return write(rows.drop(ROW_ID_COLUMN), target, by_name=False)
    # In a file with a name mapping, DuckDB does not find the ids.
    with_ids = replace(target, fields=(*target.fields, ROW_ID_FIELD), needs_mapping=False)
    return [without_ids(file) for file in write(rows, with_ids, by_name=False)]


def new_values(fields: Sequence[Field], values: Sequence[tuple[str, str]]) -> NewValues:
    """Return the function that updates rows.

    ``values`` has columns and their new values, in Spark SQL over the row before the update.
    """
    new = dict(values)

    def update(kept: KeptRows) -> DataFrame:
        columns = [
            F.expr(new[field.name]).alias(field.name) if field.name in new else F.col(quote_spark_name(field.name))
            for field in fields
        ]
        return kept.frame.select(*columns, F.col(ROW_ID).alias(ROW_ID_COLUMN))

    return update


def _inlined_ids(kept: KeptRows, plan: ScanPlan, *, may_repeat: bool) -> tuple[int, ...]:
    """Return the ids of inlined rows to delete.

    They fit into memory, as all inlined rows of a table do.
    """
    if not plan.inlined:
        return ()
    ids = kept.inlined_ids()
    if len(set(ids)) < len(ids) and not may_repeat:
        raise InvalidInputError(TWICE)
    return tuple(sorted(set(ids)))


def _few_rows(
    target: WriteTarget, updated: DataFrame | None, inserted: DataFrame | None, limit: int
) -> pa.Table | None:
    """Return the new rows, with the ids of updated ones, if the metadata takes them.

    None: there are too many.
    """
    frames = [] if updated is None else [updated]
    if inserted is not None:
        frames.append(inserted.withColumn(ROW_ID_COLUMN, F.lit(None).cast("bigint")))
    if limit == 0 or not frames:
        return None
    with_ids = (*target.fields, ROW_ID_FIELD)
    conformed = [conform(frame, with_ids, target.table, by_name=False) for frame in frames]
    few = arrow_rows(reduce(DataFrame.union, conformed).limit(limit + 1))
    return few if few.num_rows <= limit else None
