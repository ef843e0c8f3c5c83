"""Merge-on-read scans: the rows of a table as a DataFrame."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Final

from pyspark.errors import PySparkException
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F  # noqa: N812
from pyspark.sql.types import StructField, StructType

from forklake.engine.spark.columns.spark_types import LINEAGE_TYPES, spark_schema
from forklake.engine.spark.driver.failures import reaching_spark, translation
from forklake.engine.spark.read.group_frame import group_frame
from forklake.engine.spark.read.groups import FileGroup, group_files
from forklake.engine.spark.read.inlined_frame import inlined_frame
from forklake.errors import InvalidInputError, NotFoundError
from forklake.model.field import Field
from forklake.model.names import fold
from forklake.model.quoting import quote_spark_name
from forklake.model.scan import LINEAGE_COLUMNS, ScanPlan, StagedIds

ORDERED_ROWS: Final = 1_000_000
"""Up to how many rows a scan is kept in order."""

_ORDER: Final = {"_ducklake_forklake_place": "place", "_ducklake_forklake_place_row": "file_row_number"}
_ONE_TASK_BYTES: Final = 16 * 1024 * 1024
_ONE_TASK_FILES: Final = 64


@reaching_spark()
def scan(
    spark: SparkSession,
    plan: ScanPlan,
    *,
    columns: Sequence[str] | None = None,
    condition: str | None = None,
    lineage: Sequence[str] | Mapping[str, str] = (),
    keep_order: bool = False,
    is_limited: bool = False,
    takes_deleted: bool = False,
    is_filtered: bool = False,
) -> DataFrame:
    """Return the rows of a plan, lazily: the jobs that use the DataFrame read files.

    Only columns that are asked for or in the condition are read, and each scan of files gets the condition
    under the names that its files have. No setting of the session changes the rows.

    Args:
        spark: The session.
        plan: What to read.
        columns: The columns of the table to return, in this order, named as the table names them; None for all.
        condition: Spark SQL over the columns of the table; rows for which it is not true are left out. It may
            name columns of ``lineage`` too.
        lineage: What to return behind the columns, of `LINEAGE_TYPES`. A column of the table of the same name
            wins, as in DuckDB. A mapping gives other names to return lineage under; then no column wins.
        keep_order: Whether rows come in the order of the plan's files and of the rows in them, inlined rows
            last, as in DuckDB's scans; they still do after a projection or a filter. Not promised beyond
            `ORDERED_ROWS` rows.
        is_limited: Whether only the first rows in that order will be taken.
        takes_deleted: Whether to return the rows of files that are deleted, and no others.
        is_filtered: Whether rows get no other filter that Parquet has a use for; positions then cost less.

    Raises:
        NotFoundError: The table lacks one of the columns, or one that the condition names.
        InvalidInputError: The condition is no SQL, there is no such lineage, or a file holds a column as a type
            that cannot become the table's.
        DataFileError: A footer that is needed cannot be read.
    """
    wanted = _choose_columns(plan, columns)
    named = lineage if isinstance(lineage, Mapping) else {name: name for name in lineage}
    shown, wanted = _lineage(plan, wanted, named, wins=not isinstance(lineage, Mapping))
    ids = {field.column_id for field in wanted}
    needed = [field for field in plan.fields if field.column_id in ids or is_mentioned(field.name, condition)]
    extra = {**mentioned_lineage(plan, condition), **{output: name for name, output in shown.items()}}
    only_filter = (condition or "") if is_filtered else None
    found = group_files(plan, needed, takes_deleted=takes_deleted, only_filter=only_filter)
    is_sorted = keep_order and _needs_sort(plan, found, is_limited=is_limited)
    if is_sorted:
        extra |= _ORDER
    frames = [group_frame(spark, plan.table, group, needed, extra) for group in found]
    frames += _inlined_frames(spark, plan, needed, extra)
    rows = _union(frames) if frames else _empty_frame(spark, needed, extra)
    if plan.staged is not None:
        rows = _show_ids(rows, plan.staged, [output for output, name in extra.items() if name == "rowid"])
    try:
        rows = rows if condition is None else rows.where(condition)
        rows = _sort(rows, plan) if is_sorted else rows
        return _select(rows, [*(field.name for field in wanted), *shown.values()])
    except PySparkException as error:
        raise translation(error, f'table "{plan.table}"') from error


def _select(rows: DataFrame, names: Sequence[str]) -> DataFrame:
    # Each column that is selected costs a call to the JVM.
    return rows if rows.columns == names else rows.select(*[F.col(quote_spark_name(name)) for name in names])


def _inlined_frames(
    spark: SparkSession, plan: ScanPlan, needed: Sequence[Field], extra: Mapping[str, str]
) -> list[DataFrame]:
    inlined = [rows for rows in plan.inlined if rows.rows]
    return [
        inlined_frame(spark, rows, place if rows.place is None else rows.place, needed, extra)
        for place, rows in enumerate(inlined, len(plan.files))
    ]


def mentioned_lineage(plan: ScanPlan, text: str | None) -> dict[str, str]:
    """Return the lineage that Spark SQL over a table may name.

    It goes under its own names. A column of the table of the same name is meant instead.
    """
    taken = {fold(field.name) for field in plan.fields}
    return {name: name for name in LINEAGE_COLUMNS if name not in taken and _is_word(name, text)}


# ---- names ---------------------------------------------------------------------------------------------------------


def _choose_columns(plan: ScanPlan, columns: Sequence[str] | None) -> list[Field]:
    if columns is None:
        return list(plan.fields)
    known = {fold(field.name): field for field in plan.fields}
    for name in columns:
        if fold(name) not in known:
            raise NotFoundError(f'Table "{plan.table}" does not have a column with name "{name}"')
    return [known[fold(name)] for name in columns]


def _lineage(
    plan: ScanPlan, wanted: list[Field], named: Mapping[str, str], *, wins: bool
) -> tuple[dict[str, str], list[Field]]:
    """Return the lineage to return, with its output names, and the columns.

    Columns of the table that win over lineage are added to the columns.
    """
    shown, columns = {}, list(wanted)
    known = {fold(field.name): field for field in plan.fields}
    for name, output in named.items():
        if fold(name) not in LINEAGE_TYPES:
            raise InvalidInputError(f'There is no lineage "{name}"; there is {", ".join(LINEAGE_COLUMNS)}.')
        of_table = known.get(fold(name)) if wins else None
        if of_table is None:
            shown[fold(name)] = output
        elif of_table not in columns:
            columns.append(of_table)
    return shown, columns


def is_mentioned(name: str, condition: str | None) -> bool:
    """Return whether a condition may name a column.

    An unneeded column costs no more than reading it.
    """
    return condition is not None and fold(name).replace("`", "``") in fold(condition)


def _is_word(name: str, condition: str | None) -> bool:
    """Return whether a condition may name lineage.

    Unneeded lineage costs more to compute than an unneeded column.
    """
    return condition is not None and re.search(rf"(?<!\w){name}(?!\w)", fold(condition)) is not None


# ---- order -----------------------------------------------------------------------------------------------------------


def _needs_sort(plan: ScanPlan, found: Sequence[FileGroup], *, is_limited: bool) -> bool:
    """Return whether rows would not come in order by themselves.

    Spark reads the largest files of a group first, but each file from beginning to end, and the parts of a
    union one after the other. A limit takes rows of several tasks as they come.
    """
    if sum(file.record_count for file in plan.files) > ORDERED_ROWS:
        return False
    pieces = len(found) + sum(bool(rows.rows) for rows in plan.inlined)
    return any(len(group.files) > 1 for group in found) or (is_limited and pieces > 1)


def _sort(rows: DataFrame, plan: ScanPlan) -> DataFrame:
    byte_count = sum(file.file_size_bytes for file in plan.files)
    if byte_count <= _ONE_TASK_BYTES and len(plan.files) <= _ONE_TASK_FILES:
        # One task sorts on its own, where a sort of many takes a shuffle, and a job before it to sample.
        return rows.coalesce(1).sortWithinPartitions(*_ORDER)
    return rows.sort(*_ORDER)


# ---- frames --------------------------------------------------------------------------------------------------------


def _empty_frame(spark: SparkSession, needed: Sequence[Field], extra: Mapping[str, str]) -> DataFrame:
    lineage = [StructField(output, LINEAGE_TYPES[name]) for output, name in extra.items()]
    return spark.createDataFrame([], StructType([*spark_schema(tuple(needed)).fields, *lineage]))


def _show_ids(rows: DataFrame, staged: StagedIds, columns: Sequence[str]) -> DataFrame:
    for name in columns:
        row_id = F.col(quote_spark_name(name))
        is_staged = (row_id >= F.lit(staged.first)) & (row_id < F.lit(staged.end))
        rows = rows.withColumn(name, F.when(is_staged, row_id + F.lit(staged.shift)).otherwise(row_id))
    return rows


def _union(frames: Sequence[DataFrame]) -> DataFrame:
    """Unite frames by halves.

    A plan as deep as the number of groups would overflow Spark's stack.
    """
    if len(frames) == 1:
        return frames[0]
    middle = len(frames) // 2
    return _union(frames[:middle]).union(_union(frames[middle:]))
