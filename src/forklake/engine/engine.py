"""The seam between what is decided and what computes rows: all that the storeys above ask of an engine."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Any, Literal, Protocol, TypeAlias

from forklake.engine.changed_rows import ChangedRows, Inlining
from forklake.errors import EngineError
from forklake.model.definitions import ColumnDefinition, NewDataFile
from forklake.model.expression import Expression
from forklake.model.field import Field
from forklake.model.merge import Merge
from forklake.model.scan import ScanPlan
from forklake.model.write import WriteTarget

if TYPE_CHECKING:
    import pyarrow as pa

    from forklake.files.rewrite_file import Rewriting
    from forklake.model.change_scan import ChangePlan

Frame: TypeAlias = Any
"""Rows that an engine knows how to compute. Only the engine that made one, or whose users hand it in, looks inside."""

MergeSource: TypeAlias = Any
"""The rows that a merge is given, as an engine keeps them while it runs."""

Kind = Literal["all", "insertions", "deletions"]
"""Which changes of rows are asked for."""


class Engine(Protocol):
    """Reads, computes and writes rows; knows neither the metadata database nor who asks.

    Conditions, values and queries come as Spark SQL, which `forklake.sql` writes: typed, with explicit casts, columns
    in backticks. Frames are lazy: what they describe is done when rows are asked for. What a method writes is left for
    the caller to commit or to delete; after a failure nothing is left behind. Every failure is an error of
    `forklake.errors`, in words about tables and values. An engine loads nothing heavy before it is asked for rows.
    May be shared by threads.
    """

    # ---- frames ------------------------------------------------------------------------------------------------------

    def is_frame(self, value: object) -> bool:
        """Return whether a caller's rows are a frame of this engine; loads nothing to tell."""

    def expression(self, value: object) -> Expression | None:
        """Return what an expression of this engine says, such as a caller makes a condition of; None if it is none.

        Raises:
            InvalidInputError: It says something that has no plain form.
        """

    def checked(self, frame: Frame) -> Frame:
        """Return a frame of the caller's if its rows can still be computed.

        Raises:
            EngineError: They cannot: what computes them is stopped or lost.
        """

    def columns(self, frame: Frame) -> tuple[ColumnDefinition, ...]:
        """Return the columns that a table needs to hold a frame, or rows of what `schema` describes.

        Raises:
            InvalidInputError: A column has a type that no column of a table can have.
        """

    def schema(self, fields: tuple[Field, ...]) -> Any:
        """Return columns as the engine itself describes them to its users."""

    def rows_frame(self, fields: Sequence[Field], rows: Sequence[Sequence[Any]]) -> Frame:
        """Return rows in memory as a frame; values are such as `forklake.files.python_values` gives.

        Raises:
            InvalidInputError: A value is none of its column.
        """

    def held_frame(self, rows: Frame | pa.Table, fields: tuple[Field, ...]) -> Frame:
        """Return rows of the caller, with columns that have the names of fields and the types of a table's.

        Args:
            rows: A frame, or rows in memory as `forklake.files.conform` returns them for the fields.
            fields: The columns.
        """

    def files_frame(self, paths: Sequence[str]) -> Frame:
        """Return the rows of Parquet files that belong to no table, with the columns of the first.

        Raises:
            DataFileError: A file is missing, damaged or encrypted.
        """

    def select(self, frame: Frame, names: Sequence[str]) -> Frame:
        """Return some columns of a frame, in this order."""

    def named(self, frame: Frame, names: Sequence[str]) -> Frame:
        """Return a frame with other names of its columns.

        Raises:
            EngineError: The engine was lost since the frame was made.
        """

    def limited(self, frame: Frame, limit: int | None) -> Frame:
        """Return the first rows of a frame, in the order that they come in; all of them if no number is given."""

    def collect(
        self, frame: Frame, *, limit: int | None = None, paths: Sequence[str] = (), what: str = "the query"
    ) -> pa.Table:
        """Compute the rows of a query, or the first of them; moments are in UTC.

        Args:
            frame: The query.
            limit: How many rows at most.
            paths: The files that it reads, as messages shall name them.
            what: What it is, as messages shall name it.

        Raises:
            InvalidInputError: A value cannot be computed.
            DataFileError: A file is missing or damaged.
            EngineError: It failed for another reason.
        """

    def collect_given(self, frame: Frame, limit: int, table: str) -> pa.Table:
        """Compute the first rows of a frame of the caller's, which are about to go into a table; as `collect`."""

    def python_variants(self, pairs: Sequence[tuple[bytes, bytes] | None]) -> list[Any]:
        """Return what variants mean in Python; they are collected as their value and metadata."""

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
        """Return the rows of a plan that a condition holds for.

        Args:
            plan: What to read.
            columns: The columns, and what rows have beside them (`LINEAGE_COLUMNS`); None for all columns of the table.
            condition: Which rows.
            keep_order: Rows come in the order of files, and of the rows in them.
            is_limited: Only the first of them will be taken.

        Raises:
            NotFoundError: There is no such column.
        """

    def count(self, plan: ScanPlan, condition: str | None) -> int:
        """Return how many rows of a plan a condition holds for; fails as `collect` does."""

    def bound(self, plan: ScanPlan, column: str, which: Literal["min", "max"]) -> pa.ChunkedArray:
        """Return the smallest or the largest value of a column, as one value; fails as `collect` does."""

    def changes(self, plan: ChangePlan, kind: Kind) -> Frame:
        """Return how rows changed: ``snapshot_id``, ``rowid``, ``change_type`` if all are asked for, and the columns.

        A row that one snapshot deleted and inserted was updated: ``update_preimage`` and ``update_postimage``.
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
        """Return a query over frames. It is analysed now.

        Args:
            sql: The query.
            frames: What the tables in it are, by name.
            plans: All scans that give it rows, if no others do, so that the engine can tell how many rows there are.
            limit: How many rows at most are taken, in the order that they come in.
            offset: How many rows are left out before.

        Raises:
            InvalidInputError: The engine cannot make sense of the query.
        """

    def explain(self, frame: Frame, plans: Sequence[ScanPlan]) -> str:
        """Return what a query does: the files of each table that it reads and leaves out, then the engine's plan."""

    # ---- writing -----------------------------------------------------------------------------------------------------

    def write(self, rows: Frame | pa.Table, target: WriteTarget, *, by_name: bool = True) -> list[NewDataFile]:
        """Write rows into new files below a table's directory; no rows, no files.

        Args:
            rows: A frame, or rows in memory as `forklake.files.conform` returns them for the table.
            target: The table.
            by_name: Whether columns of a frame are matched by their names, not by their positions.

        Raises:
            InvalidInputError: Columns or values do not fit the table.
            DataFileError: A file cannot be written.
            EngineError: It failed for another reason.
        """

    def rewrite(self, old: Sequence[Rewriting], target: WriteTarget) -> list[NewDataFile]:
        """Write files again in the columns that their table has now, in this order; fails as `write` does."""

    def delete(self, plan: ScanPlan, condition: str, target: WriteTarget, inlining: Inlining) -> ChangedRows:
        """Write what deletes the rows of a plan that a condition holds for; fails as `write` does."""

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
        """Write what gives columns of the rows that a condition holds for other values; fails as `write` does."""

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
        """Write what updates or deletes rows of a plan that a query has found; fails as `write` does.

        Args:
            plan: What was scanned to find them.
            found: Where they are, as `OWN_PLACES` has it, and for an update what each column of the table becomes. A
                row that is deleted may be there several times.
            target: The table.
            inlining: How many rows the metadata takes.
            is_update: Whether they are updated.
            keeps_ids: Whether updated rows carry their ids.

        Raises:
            InvalidInputError: A row is updated twice.
        """

    def merge_source(self, rows: pa.Table, fields: tuple[Field, ...]) -> MergeSource:
        """Return rows in memory, as `forklake.files.conform` returns them for these columns, for a merge."""

    def frame_source(self, frame: Frame) -> MergeSource:
        """Return the rows of a frame for a merge."""

    def measured_source(
        self, frame: Frame, names: Sequence[str], table: str
    ) -> AbstractContextManager[tuple[MergeSource, pa.Table, bool]]:
        """Give the rows of a frame for a merge, values of some columns, and whether these are a range.

        They are all values of the columns if there are few, else the least and the largest, as two rows.
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
        """Write what a merge does to the rows of a plan; fails as `write` does.

        Raises:
            InvalidInputError: A row would be changed twice.
        """

    # ---- sessions and failures ---------------------------------------------------------------------------------------

    def for_session(self) -> Engine:
        """Return an engine for the statements of one SQL session, in which nothing but a query decides its meaning."""

    def losses(self) -> int:
        """Return how often what computes rows was lost in this process; loads nothing."""

    def loss(self, error: Exception, since: int) -> EngineError | None:
        """Return what to say if a statement failed since so many `losses` because the engine was lost; else None."""
