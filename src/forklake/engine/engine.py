"""The protocol of engines: all that the storeys above ask of one.

Code above it decides what to do; code below it computes rows.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Any, Literal, Protocol, TypeAlias

from forklake.engine.changed_rows import ChangedRows, Inlining
from forklake.errors import EngineError
from forklake.model.definitions import ColumnDefinition, NewDataFile
from forklake.model.expression import Expression
from forklake.model.field import Field
from forklake.model.file_merge import FileMerge
from forklake.model.merge import Merge
from forklake.model.scan import ScanPlan, SharedPlan
from forklake.model.table_read import TableRead
from forklake.model.write import WriteTarget

if TYPE_CHECKING:
    import pyarrow as pa

    from forklake.files.foreign.adopt_files import Adoption
    from forklake.files.parquet.rewrite_file import Rewriting
    from forklake.model.change_scan import ChangePlan

Frame: TypeAlias = Any
"""Rows that an engine knows how to compute. Only the engine that made one, or whose users hand it in, looks inside."""

MergeSource: TypeAlias = Any
"""The rows that a merge is given, as an engine keeps them while it runs."""

Kind = Literal["all", "insertions", "deletions"]
"""Which changes of rows are asked for."""


class Engine(Protocol):
    """Reads, computes and writes rows.

    An engine knows neither the metadata database nor its callers. Conditions, values and queries come as Spark
    SQL, which `forklake.sql` writes: typed, with explicit casts, columns in backticks. Frames are lazy: they
    are computed when rows are asked for. Whatever a method writes is left for the caller to commit or to
    delete; after a failure nothing is left behind. Every failure is an error of `forklake.errors` and speaks of
    tables and values. An engine loads nothing heavy before it is asked for rows. Threads may share an engine.
    """

    # ---- frames ------------------------------------------------------------------------------------------------------

    def is_frame(self, value: object) -> bool:
        """Return whether a value is a frame of this engine; loads nothing."""

    def expression(self, value: object) -> Expression | None:
        """Read an expression of this engine, such as a caller gives as a condition.

        None if the value is no such expression.

        Raises:
            InvalidInputError: It says something that has no plain form.
        """

    def check_frame(self, frame: Frame) -> Frame:
        """Return a caller's frame if its rows can still be computed.

        Raises:
            EngineError: They cannot: what computes them is stopped or lost.
        """

    def note_reads(self, frame: Frame, reads: Collection[TableRead]) -> Frame:
        """Return a frame with a note of what it has read.

        Whatever its users make of it keeps the note.
        """

    def noted_reads(self, frame: Frame) -> frozenset[TableRead]:
        """Return what a frame, and all that it was made of, has read by its notes."""

    def columns(self, frame: Frame) -> tuple[ColumnDefinition, ...]:
        """Return the columns that a table needs to hold a frame.

        A description of columns, as `schema` returns it, is accepted too.

        Raises:
            InvalidInputError: A column has a type that no column of a table can have.
        """

    def schema(self, fields: tuple[Field, ...]) -> Any:
        """Return columns in the engine's own form, as its users know it."""

    def rows_frame(self, fields: Sequence[Field], rows: Sequence[Sequence[Any]]) -> Frame:
        """Return rows in memory as a frame.

        Values are those that `forklake.files.casting.python_values` produces.

        Raises:
            InvalidInputError: A value does not belong to its column's type.
        """

    def typed_frame(self, rows: Frame | pa.Table, fields: tuple[Field, ...]) -> Frame:
        """Return a caller's rows with given column names and the types of a table.

        Args:
            rows: A frame, or rows in memory as `forklake.files.incoming.conform` returns them for the fields.
            fields: The columns.
        """

    def select(self, frame: Frame, names: Sequence[str]) -> Frame:
        """Return some columns of a frame, in this order."""

    def rename_columns(self, frame: Frame, names: Sequence[str]) -> Frame:
        """Return a frame with its columns renamed.

        Raises:
            EngineError: The engine was lost since the frame was made.
        """

    def limit_rows(self, frame: Frame, limit: int | None) -> Frame:
        """Return the first rows of a frame, in the order they come.

        Without a limit, return all of them.
        """

    def collect(
        self, frame: Frame, *, limit: int | None = None, paths: Sequence[str] = (), what: str = "the query"
    ) -> pa.Table:
        """Compute the rows of a query, or the first of them; times are in UTC.

        Args:
            frame: The query.
            limit: The maximum number of rows.
            paths: The files that the query reads, as messages should name them.
            what: What messages should call the query.

        Raises:
            InvalidInputError: A value cannot be computed.
            DataFileError: A file is missing or damaged.
            EngineError: The query failed for another reason.
        """

    def sort(self, rows: pa.Table, target: WriteTarget) -> pa.Table:
        """Return rows in memory in the order of a table.

        They are rows as `forklake.files.incoming.conform` returns them for it. Those that are equal in all keys keep
        their order.

        Raises:
            InvalidInputError: The value of a key cannot be computed.
            EngineError: The job failed.
        """

    def collect_given(self, frame: Frame, limit: int, table: str) -> pa.Table:
        """Compute the first rows of a caller's frame, which will go into a table.

        Fails as `collect` does.
        """

    # ---- reading -----------------------------------------------------------------------------------------------------

    def scan(
        self,
        plan: ScanPlan,
        columns: Sequence[str] | None = None,
        condition: str | None = None,
        *,
        keep_order: bool = False,
        is_limited: bool = False,
    ) -> Frame:
        """Return the rows of a plan that satisfy a condition.

        Args:
            plan: What to read.
            columns: The columns, lineage (`LINEAGE_COLUMNS`) included; None for all columns of the table.
            condition: Which rows to return.
            keep_order: Whether rows come in the order of files, and of the rows in them.
            is_limited: Whether only the first of them will be taken.

        Raises:
            NotFoundError: There is no such column.
        """

    def scan_shared(self, plans: Sequence[tuple[SharedPlan, str | None]], columns: Sequence[str]) -> Frame:
        """Return the rows of plans, once for each catalog that has them.

        The rows satisfy the condition of their plan. The first column, `HOLDER_COLUMN`, is the name of the catalog;
        then come the given columns, lineage included.
        A column that a plan lacks is NULL in its rows. What several catalogs hold is read once.

        Args:
            plans: What to read, each with its condition; at least one.
            columns: The columns; those of the same name have the same type in all plans.
        """

    def count(self, plan: ScanPlan, condition: str | None) -> int:
        """Return how many rows of a plan satisfy a condition.

        Fails as `collect` does.
        """

    def extreme_value(self, plan: ScanPlan, column: str, which: Literal["min", "max"]) -> pa.ChunkedArray:
        """Return the smallest or the largest value of a column, as one value.

        Fails as `collect` does.
        """

    def changes(self, plan: ChangePlan, kind: Kind) -> Frame:
        """Return how the rows of a table changed.

        The columns are ``snapshot_id``, ``rowid``, ``change_type`` if all kinds are asked for, and the columns of
        the table. A row that one snapshot both deleted and inserted was updated: ``update_preimage`` and
        ``update_postimage``.
        """

    def differences(self, before: ScanPlan, after: ScanPlan) -> Frame:
        """Return the rows that differ between two scans of the same columns.

        The columns are ``change_type``, ``rowid`` and those of the plans. A row of the second scan alone is an
        ``insert``, one of the first alone a ``delete``. One of both with two snapshots was updated: it comes as
        ``update_preimage`` and ``update_postimage``. One with the same snapshot only moved, and does not come.
        """

    def query(
        self,
        sql: str,
        frames: Mapping[str, Frame],
        plans: Collection[ScanPlan] | None = None,
        *,
        limit: int | None = None,
        offset: int = 0,
    ) -> Frame:
        """Return the frame of a query over other frames; it is analysed now.

        Args:
            sql: The query.
            frames: The tables of the query, by name.
            plans: All scans that the query reads, if it reads nothing else: they tell the engine how many rows
                there are.
            limit: The maximum number of rows, in the order they come.
            offset: How many rows to skip first.

        Raises:
            InvalidInputError: The engine does not understand the query.
        """

    def explain(self, frame: Frame, plans: Sequence[ScanPlan]) -> str:
        """Explain a query: the files read and skipped per table, then the engine's plan."""

    # ---- writing -----------------------------------------------------------------------------------------------------

    def write(self, rows: Frame | pa.Table, target: WriteTarget, *, by_name: bool = True) -> list[NewDataFile]:
        """Write rows into new files below a table's directory; no rows, no files.

        Args:
            rows: A frame, or rows in memory as `forklake.files.incoming.conform` returns them for the table.
            target: The table.
            by_name: Whether columns of a frame are matched by name, not by position.

        Raises:
            InvalidInputError: Columns or values do not fit the table.
            DataFileError: A file cannot be written.
            EngineError: The write failed for another reason.
        """

    def adopt(self, paths: Sequence[str], adoption: Adoption) -> list[NewDataFile]:
        """Return files that others wrote as new data files of a table, in order.

        Raises:
            InvalidInputError: A file does not fit the table.
            DataFileError: A file is missing, damaged, encrypted or no Parquet file.
            EngineError: The files could not be read for another reason.
        """

    def rewrite(self, old: Sequence[Rewriting], target: WriteTarget) -> list[NewDataFile]:
        """Write files again, in this order, in the columns that their table has now.

        Fails as `write` does.
        """

    def merge_files(self, merges: Sequence[FileMerge], target: WriteTarget) -> list[list[NewDataFile]]:
        """Write the rows of files into new ones; return those of each merge, in order.

        Each row carries its id and its snapshot (`CARRIED_LINEAGE`). Rows are sorted as the target says, else they
        keep their order. The files belong to no partition; their statistics are of the table's columns only.

        Fails as `write` does.
        """

    def delete(self, plan: ScanPlan, condition: str, target: WriteTarget, inlining: Inlining) -> ChangedRows:
        """Delete rows of a plan that satisfy a condition; write files as needed.

        Fails as `write` does.
        """

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
        """Update rows of a plan that satisfy a condition; write files as needed.

        ``values`` names columns and what they become. Fails as `write` does.
        """

    def change_found(
        self,
        plan: ScanPlan,
        found: Frame,
        target: WriteTarget,
        inlining: Inlining,
        *,
        is_update: bool,
        keeps_ids: bool,
    ) -> ChangedRows:
        """Update or delete rows of a plan that a query found; write files as needed.

        Fails as `write` does.

        Args:
            plan: What was scanned to find the rows.
            found: Where the rows are, in the columns of `OWN_PLACES`, and for an update the new value of each
                column of the table. A row to delete may occur several times.
            target: The table.
            inlining: How many rows the metadata takes.
            is_update: Whether the rows are updated, not deleted.
            keeps_ids: Whether updated rows carry their ids.

        Raises:
            InvalidInputError: A row is updated twice.
        """

    def merge_source(self, rows: pa.Table, fields: tuple[Field, ...]) -> MergeSource:
        """Return rows in memory as the source of a merge.

        The rows are as `forklake.files.incoming.conform` returns them for these columns.
        """

    def frame_source(self, frame: Frame) -> MergeSource:
        """Return the rows of a frame as the source of a merge."""

    def measure_source(
        self, frame: Frame, names: Sequence[str], table: str
    ) -> AbstractContextManager[tuple[MergeSource, pa.Table, bool]]:
        """Provide a frame as the source of a merge, with values of some columns.

        Besides the source there are the values, and whether they are a range: all values of the columns if there
        are few, else the smallest and the largest, as two rows.
        """

    def merge(
        self,
        plan: ScanPlan,
        source: MergeSource,
        merge: Merge,
        target: WriteTarget,
        inlining: Inlining,
        *,
        keeps_ids: bool,
    ) -> ChangedRows:
        """Merge a source into the rows of a plan; write files as needed.

        Fails as `write` does.

        Raises:
            InvalidInputError: A row would be changed twice.
        """

    # ---- sessions and failures ---------------------------------------------------------------------------------------

    def for_session(self) -> Engine:
        """Return an engine for the statements of one SQL session.

        In it, nothing but the query itself decides what the query means.
        """

    def losses(self) -> int:
        """Return how often this process lost what computes rows; loads nothing."""

    def loss(self, error: Exception, since: int) -> EngineError | None:
        """Return the error to raise if a statement failed because the engine was lost.

        ``since`` is the number of `losses` when the statement began. None: the engine was not lost since then.
        """
