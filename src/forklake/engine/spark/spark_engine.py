"""The Spark engine. Spark is loaded, and started, when rows are first asked for.

For the storeys above, no other module imports the modules of `forklake.engine.spark`; each is imported when
it is first used.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from typing import TYPE_CHECKING, Any, Literal

from forklake.engine.changed_rows import ChangedRows, Inlining
from forklake.engine.engine import Kind
from forklake.engine.spark import change, columns, driver, read, write
from forklake.engine.statement_limits import charge, charge_files, check_time
from forklake.errors import EngineError
from forklake.model.definitions import ColumnDefinition, NewDataFile
from forklake.model.expression import Expression
from forklake.model.field import Field
from forklake.model.file_merge import FileMerge
from forklake.model.merge import Merge
from forklake.model.quoting import quote_spark_name
from forklake.model.scan import OWN_PLACES, ScanPlan, SharedPlan
from forklake.model.table_read import TableRead
from forklake.model.write import WriteTarget

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import DataFrame, SparkSession
    from pyspark.sql.types import StructType

    from forklake.engine.spark.change.merge_source import Source
    from forklake.files.foreign.adopt_files import Adoption
    from forklake.files.parquet.rewrite_file import Rewriting
    from forklake.model.change_scan import ChangePlan


def _functions(spark: SparkSession, *texts: str | None) -> AbstractContextManager[None]:
    """Let a session know the functions that texts call."""
    return columns.duckdb_functions.duckdb_functions(spark, *texts)


class SparkEngine:
    """Runs jobs in a Spark session.

    It is the given session, the active one, or one that is started when it is needed.
    """

    def __init__(self, given: SparkSession | None, conf: Mapping[str, str]) -> None:
        self._given = given
        self._conf = conf

    def session(self) -> SparkSession:
        """Return the session that jobs run in; start one if there is none.

        Raises:
            EngineError: None can be started, or the given session is stopped.
        """
        return driver.time_limit.watch_jobs(driver.session.session(self._given, self._conf))

    # ---- frames ------------------------------------------------------------------------------------------------------

    def is_frame(self, value: object) -> bool:
        """Return whether a value is a DataFrame of Spark, classic or Connect."""
        return type(value).__module__.startswith("pyspark.sql.") and hasattr(value, "sparkSession")

    def expression(self, value: object) -> Expression | None:
        """Return what a Column says."""
        if type(value).__name__ != "Column" or not type(value).__module__.startswith("pyspark.sql."):
            return None
        return columns.column_expressions.column_expression(value)

    def check_frame(self, frame: DataFrame) -> DataFrame:
        """Return a DataFrame if its session is running."""
        driver.session.check_running(
            frame.sparkSession, "of the frame", hint="Make the frame again, in a session that runs."
        )
        return frame

    def note_reads(self, frame: DataFrame, reads: Collection[TableRead]) -> DataFrame:
        """Return a DataFrame with a note of what it has read."""
        return read.noted_reads.note_reads(frame, reads)

    def noted_reads(self, frame: DataFrame) -> frozenset[TableRead]:
        """Return what a DataFrame has read by its notes."""
        return read.noted_reads.noted_reads(frame)

    def columns(self, frame: Any) -> tuple[ColumnDefinition, ...]:
        """Return the columns of a DataFrame or of a schema."""
        return columns.spark_types.ducklake_columns(frame.schema if self.is_frame(frame) else frame)

    def schema(self, fields: tuple[Field, ...]) -> StructType:
        """Return columns as Spark shows them."""
        return columns.spark_types.spark_schema(fields)

    def rows_frame(self, fields: Sequence[Field], rows: Sequence[Sequence[Any]]) -> DataFrame:
        """Return rows in memory as a DataFrame."""
        return read.rows_frame.rows_frame(self.session(), fields, rows)

    def typed_frame(self, rows: DataFrame | pa.Table, fields: tuple[Field, ...]) -> DataFrame:
        """Return a caller's rows with given column names and the types of a table."""
        return read.rows_frame.typed_frame(self.session(), rows, fields)

    def select(self, frame: DataFrame, names: Sequence[str]) -> DataFrame:
        """Return some columns of a frame."""
        return frame.select(*map(quote_spark_name, names))

    def rename_columns(self, frame: DataFrame, names: Sequence[str]) -> DataFrame:
        """Return a frame with its columns renamed."""
        return read.query.rename_columns(frame, names)

    def limit_rows(self, frame: DataFrame, limit: int | None) -> DataFrame:
        """Return the first rows of a frame."""
        return read.query.limit_rows(frame, limit)

    def collect(
        self, frame: DataFrame, *, limit: int | None = None, paths: Sequence[str] = (), what: str = "the query"
    ) -> pa.Table:
        """Run a query."""
        check_time()
        driver.time_limit.watch_jobs(frame.sparkSession)
        return read.query.collect_rows(read.query.limit_rows(frame, limit), paths, what)

    def sort(self, rows: pa.Table, target: WriteTarget) -> pa.Table:
        """Return rows in the order of a table."""
        sql, given = read.row_positions.positions_query(self.session(), rows, target)
        found = self.collect(self.query(sql, {"given": given}), what=f'the sort order of "{target.table}"')
        return rows.take(found["place"])

    def collect_given(self, frame: DataFrame, limit: int, table: str) -> pa.Table:
        """Run a caller's DataFrame."""
        return read.collect.collect_arrow(frame.limit(limit), table)

    # ---- reading -----------------------------------------------------------------------------------------------------

    def scan(
        self,
        plan: ScanPlan,
        columns: Sequence[str] | None = None,
        condition: str | None = None,
        *,
        keep_order: bool = False,
        is_limited: bool = False,
    ) -> DataFrame:
        """Return the rows of a plan."""
        charge(plan)
        with _functions(self.session(), condition):
            return read.table_rows.table_rows(
                self.session(), plan, columns, condition, keep_order=keep_order, is_limited=is_limited
            )

    def scan_shared(self, plans: Sequence[tuple[SharedPlan, str | None]], columns: Sequence[str]) -> DataFrame:
        """Return the rows of plans, once for each catalog that has them."""
        charge(*(shared.plan for shared, _ in plans))
        with _functions(self.session(), *(condition for _, condition in plans)):
            return read.shared_scan.scan_shared(self.session(), plans, columns)

    def count(self, plan: ScanPlan, condition: str | None) -> int:
        """Count rows of a plan."""
        with driver.failures.guard_scan(plan):
            return self.scan(plan, [], condition).count()

    def extreme_value(self, plan: ScanPlan, column: str, which: Literal["min", "max"]) -> pa.ChunkedArray:
        """Return the smallest or the largest value of a column."""
        with driver.failures.guard_scan(plan):
            return self.scan(plan, [column]).toDF("value").selectExpr(f"{which}(value)").toArrow().column(0)

    def changes(self, plan: ChangePlan, kind: Kind) -> DataFrame:
        """Return the changes of a plan."""
        charge(plan)
        return read.change_feed.changes(self.session(), plan, kind)

    def differences(self, before: ScanPlan, after: ScanPlan) -> DataFrame:
        """Return the rows that differ between two scans."""
        charge(before, after)
        return read.row_differences.differences(self.session(), before, after)

    def query(
        self,
        sql: str,
        frames: Mapping[str, DataFrame],
        plans: Collection[ScanPlan] | None = None,
        *,
        limit: int | None = None,
        offset: int = 0,
    ) -> DataFrame:
        """Return the frame of a query."""
        few = bool(frames) and plans is not None and read.query.are_few(plans)
        frame = read.query.query_frame(self.session(), sql, frames, of_few_rows=few)
        return read.query.limit_rows(frame, limit, offset)

    def explain(self, frame: DataFrame, plans: Sequence[ScanPlan]) -> str:
        """Explain a query."""
        return read.query.explain(frame, plans)

    # ---- writing -----------------------------------------------------------------------------------------------------

    def write(self, rows: DataFrame | pa.Table, target: WriteTarget, *, by_name: bool = True) -> list[NewDataFile]:
        """Write rows into new files."""
        if self.is_frame(rows):
            return write.write_rows.write(rows, target, by_name=by_name)
        return write.write_rows.write_arrow(self.session(), rows, target)

    def adopt(self, paths: Sequence[str], adoption: Adoption) -> list[NewDataFile]:
        """Read the footers of files that others wrote."""
        return read.adopt_in_tasks.adopt_in_tasks(self.session(), paths, adoption)

    def rewrite(self, old: Sequence[Rewriting], target: WriteTarget) -> list[NewDataFile]:
        """Write files again."""
        charge_files((one.file.path, one.file.file_size_bytes) for one in old)
        return write.rewrite_files.rewrite_files(self.session(), old, target)

    def merge_files(self, merges: Sequence[FileMerge], target: WriteTarget) -> list[list[NewDataFile]]:
        """Write the rows of files into new ones."""
        charge(*(one.plan for one in merges))
        return write.merge_files.merge_files(self.session(), merges, target)

    def delete(self, plan: ScanPlan, condition: str, target: WriteTarget, inlining: Inlining) -> ChangedRows:
        """Delete rows of a plan."""
        charge(plan)
        with _functions(self.session(), condition):
            rows = change.change_rows.find_rows(self.session(), plan, condition)
            return change.change_rows.change_rows(rows, plan, target, inlining=inlining)

    def update(
        self,
        plan: ScanPlan,
        condition: str | None,
        values: Sequence[tuple[str, str]],
        target: WriteTarget,
        inlining: Inlining,
        *,
        keeps_ids: bool,
    ) -> ChangedRows:
        """Update rows of a plan."""
        charge(plan)
        texts = [text for _, text in values]
        with _functions(self.session(), condition, *texts):
            used = change.change_rows.values_of(plan.fields, values)
            rows = change.change_rows.find_rows(self.session(), plan, condition, columns=used, naming=texts)
            updated = change.change_rows.new_values(plan.fields, values)
            return change.change_rows.change_rows(
                rows, plan, target, updated=updated, inlining=inlining, is_scan=True, keeps_ids=keeps_ids
            )

    def change_found(
        self,
        plan: ScanPlan,
        found: DataFrame,
        target: WriteTarget,
        inlining: Inlining,
        *,
        is_update: bool,
        keeps_ids: bool,
    ) -> ChangedRows:
        """Change rows that a query has found."""
        columns = [field.name for field in plan.fields] if is_update else []
        return change.change_rows.change_rows(
            found.toDF(*OWN_PLACES, *columns),
            plan,
            target,
            updated=change.change_rows.new_values(plan.fields, ()) if is_update else None,
            inlining=inlining,
            may_repeat=not is_update,
            keeps_ids=keeps_ids,
        )

    def merge_source(self, rows: pa.Table, fields: tuple[Field, ...]) -> Source:
        """Return rows in memory as the source of a merge."""
        return change.merge_source.source_of(self.session(), rows, fields)

    def frame_source(self, frame: DataFrame) -> Source:
        """Return a DataFrame as the source of a merge."""
        return change.merge_source.Source(frame)

    @contextmanager
    def measure_source(
        self, frame: DataFrame, names: Sequence[str], table: str
    ) -> Iterator[tuple[Source, pa.Table, bool]]:
        """Provide a DataFrame as the source of a merge, with values of some columns.

        The DataFrame is run once. The values are all of them, or only the bounds.
        """
        with change.merge_source.measure(frame, names, table) as (source, values):
            yield source, values, not source.is_small

    def merge(
        self,
        plan: ScanPlan,
        source: Source,
        merge: Merge,
        target: WriteTarget,
        inlining: Inlining,
        *,
        keeps_ids: bool,
    ) -> ChangedRows:
        """Merge a source into the rows of a plan."""
        charge(plan)
        with _functions(self.session(), *merge.texts):
            merged = change.merge_rows.merge_rows(self.session(), plan, source, merge)
            return change.change_rows.change_rows(
                merged.rows,
                plan,
                target,
                updated=merged.updated,
                inserted=merged.inserted,
                inlining=inlining,
                may_repeat=merged.may_repeat,
                is_scan=merged.is_scan,
                keeps_ids=keeps_ids,
            )

    # ---- sessions and failures ---------------------------------------------------------------------------------------

    def for_session(self) -> SparkEngine:
        """Return an engine that works in a copy of the session.

        The copy is made when it is needed.
        """
        return _SessionEngine(self.session)

    def losses(self) -> int:
        """Return how often Spark's Java process was lost."""
        return driver.gateway.losses() if "forklake.engine.spark.driver.gateway" in sys.modules else 0

    def loss(self, error: Exception, since: int) -> EngineError | None:
        """Return the error to raise if Spark was lost; else None."""
        if "forklake.engine.spark.driver.failures" not in sys.modules:
            return None
        return driver.failures.loss(error, "the statement failed and nothing was committed", since)


class _SessionEngine(SparkEngine):
    """Works in a copy of a session with fixed settings.

    In that copy nothing but a query decides what it means.
    """

    def __init__(self, given: Callable[[], SparkSession]) -> None:
        super().__init__(None, {})
        self._original = given
        self._copy: SparkSession | None = None

    def session(self) -> SparkSession:
        """Return the copy of the session; it is made again if Spark was restarted."""
        if self._copy is None or not driver.session.is_running(self._copy):
            self._copy = read.query.query_session(self._original())
        return driver.time_limit.watch_jobs(self._copy)
