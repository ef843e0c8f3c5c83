"""Reading a table: what is read is planned from metadata, rows come from this process or Spark, some from neither."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Literal

from forklake.catalog.exact_bounds import exact_bounds
from forklake.catalog.scan_plan import count_rows as exact_count
from forklake.catalog.scan_plan import plan_scan
from forklake.catalog.view import Content
from forklake.config import Settings
from forklake.errors import NotFoundError
from forklake.metastore.store import Store
from forklake.model.field import Field
from forklake.model.names import fold
from forklake.model.predicate import Condition
from forklake.model.rows import TableRow
from forklake.model.scan import LINEAGE_COLUMNS, OWN_ROW_ID, PLACE_LINEAGE, ScanPlan

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession
    from pyspark.sql.types import StructType


def plan_table(
    store: Store, lake_path: str | None, content: Content, table: TableRow, condition: Condition | None
) -> ScanPlan:
    """Return what a scan of the table reads; files that cannot hold a row of the condition are left out."""
    return plan_scan(store, lake_path, content, table, None if condition is None else condition.predicate)


def spark_schema(fields: tuple[Field, ...]) -> StructType:
    """Return the columns of a table as Spark shows them."""
    from forklake.engine.types import spark_schema as schema  # noqa: PLC0415 - Spark comes with the first row

    return schema(fields)


def shown_fields(plan: ScanPlan, columns: Sequence[str] | None) -> tuple[Field, ...]:
    """Return the columns that a scan shows, and what rows have beside them, which has no id; None for all columns.

    Raises:
        NotFoundError: There is no such column.
    """
    if columns is None:
        return plan.fields
    known = {name: Field(None, name, kind) for name, kind in LINEAGE_COLUMNS.items()}
    known |= {fold(field.name): field for field in plan.fields}
    for name in columns:
        if fold(name) not in known:
            raise NotFoundError(f'Table "{plan.table}" does not have a column with name "{name}"')
    return tuple(known[fold(name)] for name in columns)


def is_read_here(plan: ScanPlan, fields: Sequence[Field], settings: Settings, limit: int | None = None) -> bool:
    """Return whether this process reads the rows of a plan itself: they are few, and the same as Spark's.

    Raises:
        DataFileError: A footer that is needed to tell cannot be read.
    """
    from forklake.engine.local.exactness import is_exact  # noqa: PLC0415 - brings PyArrow
    from forklake.engine.local.read_size import is_small  # noqa: PLC0415

    return is_small(plan, settings.local_read_bytes, settings.local_read_rows, limit) and is_exact(plan, fields)


def read_table(
    spark: SparkSession,
    plan: ScanPlan,
    columns: Sequence[str] | None,
    condition: Condition | None,
    *,
    keep_order: bool = False,
    is_limited: bool = False,
) -> DataFrame:
    """Return the rows of a plan that the condition holds for.

    Args:
        spark: The session.
        plan: What to read.
        columns: The columns, and what rows have beside them; None for all columns of the table.
        condition: Which rows.
        keep_order: The rows shall come in the order of files, and of the rows in them.
        is_limited: Only the first of them will be taken.

    Raises:
        NotFoundError: There is no such column.
    """
    from forklake.engine.scan import scan  # noqa: PLC0415

    text = None if condition is None else condition.spark_sql
    own = {fold(field.name) for field in plan.fields}
    beside = {fold(name) for name in columns or ()} - own
    lineage = {name: name for name in LINEAGE_COLUMNS if name in beside}
    lineage |= {name: own for name, own in PLACE_LINEAGE.items() if own in beside}
    if not lineage:
        return scan(spark, plan, columns=columns, condition=text, keep_order=keep_order, is_limited=is_limited)
    assert columns is not None
    of_table = [name for name in columns if fold(name) in own or fold(name) not in (*lineage, *lineage.values())]
    found = scan(
        spark,
        plan,
        columns=of_table,
        condition=text,
        lineage=lineage,
        keep_order=keep_order,
        is_limited=is_limited,
    )
    if "rowid" in beside and OWN_ROW_ID in beside:
        found = found.withColumn("rowid", found[OWN_ROW_ID])
    named = {fold(name): name for name in found.columns}
    return found.select(*(f"`{named[fold(name)].replace('`', '``')}`" for name in columns))


def count_rows(spark: Callable[[], SparkSession], plan: ScanPlan, condition: Condition | None) -> int:
    """Return how many rows a plan has: from metadata where that is exact, else counted by Spark."""
    known = exact_count(plan) if condition is None else None
    if known is not None:
        return known
    from forklake.engine.failures import guarded  # noqa: PLC0415

    with guarded(plan):
        return read_table(spark(), plan, [], condition).count()


def bound(
    store: Store,
    lake_path: str | None,
    content: Content,
    table: TableRow,
    column: str,
    which: Literal["min", "max"],
    spark: Callable[[], SparkSession],
) -> Any:
    """Return the smallest or largest value of a column: from metadata where that is exact, else by Spark.

    Raises:
        NotFoundError: There is no such column.
    """
    plan = plan_scan(store, lake_path, content, table, None)
    field = next((field for field in plan.fields if fold(field.name) == fold(column)), None)
    if field is None:
        raise NotFoundError(f'Table "{table.table_name}" does not have a column with name "{column}"')
    known = exact_bounds(content, table, plan, field)
    from forklake.files.texts import display_type, to_array  # noqa: PLC0415 - brings PyArrow

    if known is not None:
        return to_array(field, [known[0 if which == "min" else 1]])[0].as_py()
    from forklake.engine.failures import guarded  # noqa: PLC0415

    with guarded(plan):
        found = read_table(spark(), plan, [field.name], None).toDF("value").selectExpr(f"{which}(value)").toArrow()
    # The same value of the same type as from metadata, whatever the zone of the session.
    return found.column(0).cast(display_type(field))[0].as_py()
