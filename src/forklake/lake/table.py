"""Tables as handles."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from forklake import lake, session
from forklake.catalog import describe, lookup
from forklake.catalog.moments import Moment, Time, one_moment
from forklake.catalog.state import Content
from forklake.catalog.titles import format_title
from forklake.errors import NotFoundError, SnapshotNotFoundError
from forklake.lake.alter import Alter
from forklake.lake.engine_columns import Condition
from forklake.lake.inspection import Inspection
from forklake.lake.notebook import table_html
from forklake.lake.storage import Storage
from forklake.model.ids import TableId
from forklake.model.merge import MergeDelete, MergeInsert, MergeUpdate
from forklake.model.names import join_name
from forklake.model.records import Column, Commit
from forklake.model.rows import TableRow
from forklake.ops.objects.define_table import drop_table, rename_table

if TYPE_CHECKING:
    import pandas as pd
    import polars as pl
    import pyarrow as pa
    from pyspark.sql import DataFrame

    from forklake.engine.spark.read.change_feed import Kind
    from forklake.lake.reader import Reader
    from forklake.session.results.result import Result
    from forklake.sql.parameters import Values


class Table:
    """One table of a catalog.

    The handle keeps the table's id, so it survives a rename. Each call sees the catalog, snapshot or
    transaction that the handle was taken from.
    """

    def __init__(
        self,
        reader: Reader,
        row: TableRow,
        schema_name: str,
        *,
        created: bool = False,
        commit: Commit | None = None,
    ) -> None:
        self._reader = reader
        self._row = row
        self._schema_name = schema_name
        self._created = created
        self._commit_made = commit

    def __repr__(self) -> str:
        return f"Table({self._full_name()!r})"

    def _full_name(self) -> str:
        """Return the name with its catalog and schema, without asking the database."""
        return join_name(self._reader._known_name(), self.schema_name, self.name)

    def _repr_html_(self) -> str:
        return table_html(self)

    @property
    def name(self) -> str:
        """The name of the table when the handle was created."""
        return self._row.table_name

    @property
    def schema_name(self) -> str:
        """The name of its schema when the handle was created."""
        return self._schema_name

    @property
    def table_id(self) -> TableId:
        """The id, which is the same in the catalog and in all its forks.

        It is negative until the transaction that created the table is committed.
        """
        return self._row.table_id

    @property
    def created(self) -> bool:
        """Whether the call that returned this handle created the table."""
        return self._created

    @property
    def commit(self) -> Commit | None:
        """The commit that created the table, if this handle was returned by it."""
        return self._commit_made

    @property
    def columns(self) -> tuple[Column, ...]:
        """The columns, each with its nested fields.

        Raises:
            NotFoundError: The table was dropped.
        """
        return describe.columns(self._content(), self.table_id)

    @property
    def alter(self) -> Alter:
        """Schema changes of the table: columns, layout, comments and tags."""
        return Alter(self)

    @property
    def inspect(self) -> Inspection:
        """Facts about the table: totals, layout, tags, history and scan plans."""
        return Inspection(self)

    @property
    def storage(self) -> Storage:
        """The files and inlined rows, for callers that have files of their own."""
        return Storage(self)

    def at(
        self,
        moment: Moment | None = None,
        /,
        *,
        version: int | None = None,
        timestamp: Time | None = None,
        tag: str | None = None,
    ) -> Table:
        """Return the same table at a snapshot of the catalog's lineage, or at a time.

        See `Catalog.at`.

        Raises:
            SnapshotNotFoundError: The catalog has no such snapshot.
            NotFoundError: The table did not exist at that moment.
            InvalidInputError: Not exactly one moment was given, or it is none; or this is a table of a transaction.
        """
        past = self._reader._past(one_moment(moment, version, timestamp, tag))
        content = past._content()
        row = self._find_row(content)
        return Table(past, row, lookup.schema_by_id(content, row.schema_id).schema_name)

    def rename(self, name: str) -> Commit:
        """Rename the table; its files stay where they are.

        Raises:
            AlreadyExistsError: There is a table or view of that name.
            NotFoundError: The table was dropped.
        """
        done = self._reader._commit(lambda staging: rename_table(staging, self._find_row(staging.draft), name))
        self._row = replace(self._row, table_name=name)
        return done

    def drop(self) -> Commit:
        """Drop the table; time travel and forks still see it.

        Raises:
            NotFoundError: It was dropped already.
        """
        return self._reader._commit(lambda staging: drop_table(staging, self._find_row(staging.draft)))

    def dataframe(
        self,
        columns: str | Sequence[str] | None = None,
        where: Condition | None = None,
        *,
        parameters: Values | None = None,
        limit: int | None = None,
    ) -> DataFrame:
        """Return the rows as a Spark DataFrame, in no particular order.

        It is computed when it is used.

        It shows one state of the table, whatever is committed later. Files that cannot hold a row of the condition
        are left out before Spark sees them; no directory is listed.

        Args:
            columns: What to show, one name or several in order; all columns if not given. Beside columns, ``rowid``,
                ``snapshot_id``, ``filename``, ``file_row_number`` and ``file_index`` can be asked for.
            where: A condition as DuckDB writes it, or a Column of Spark: ``F.col("id") > 3``. Times without a zone are
                UTC.
            parameters: Values for ``?`` and ``$1`` in it, in order, or for ``$name`` by name; all must be used.
            limit: At most so many rows, whichever are found first.

        Raises:
            NotFoundError: There is no such column, or the table was dropped.
            InvalidInputError: The condition cannot be understood.
            EngineError: Spark cannot be started.
        """
        return lake.row_verbs.dataframe(self, columns, where, parameters, limit)

    def arrow(
        self, columns: Sequence[str] | None = None, where: Condition | None = None, parameters: Values | None = None
    ) -> pa.Table:
        """Return the rows as an Arrow table, with the types of data files.

        The arguments are those of `dataframe`. A small table is read without Spark: up to
        `Settings.local_read_bytes` and `Settings.local_read_rows`, not counting what statistics rule out. Which
        conditions take Spark, docs/spec/engines.md tells. The rows are the same either way, in the order of the
        files and of the rows in them.

        Raises:
            NotFoundError: There is no such column, or the table was dropped.
            InvalidInputError: The condition cannot be understood.
            DataFileError: A file is missing or damaged.
            EngineError: Spark is needed and cannot be started, or its job failed.
        """
        return self._result(columns, where, parameters).arrow()

    def pandas(
        self, columns: Sequence[str] | None = None, where: Condition | None = None, parameters: Values | None = None
    ) -> pd.DataFrame:
        """Return the rows as a pandas DataFrame; otherwise as `arrow`."""
        return self._result(columns, where, parameters).pandas()

    def polars(
        self, columns: Sequence[str] | None = None, where: Condition | None = None, parameters: Values | None = None
    ) -> pl.DataFrame:
        """Return the rows as a Polars DataFrame; otherwise as `arrow`.

        Raises:
            ConfigError: Polars is not installed.
        """
        return self._result(columns, where, parameters).polars()

    def rows(
        self, columns: Sequence[str] | None = None, where: Condition | None = None, parameters: Values | None = None
    ) -> list[tuple[Any, ...]]:
        """Return the rows as tuples of Python values; otherwise as `arrow`.

        The values are the same as those of SQL results.
        """
        return self._result(columns, where, parameters).rows()

    def head(
        self,
        n: int = 10,
        columns: Sequence[str] | None = None,
        where: Condition | None = None,
        parameters: Values | None = None,
    ) -> Result:
        """Return the first rows as a `Result`, which prints as a table.

        Otherwise as `arrow`. Only what these rows need is read: of a large table, the row groups that hold them.

        Raises:
            InvalidInputError: The number is negative, or none.
        """
        return lake.read_rows.read_rows(self, columns, where, parameters, session.result.check_count(n))

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        """Export the rows as an Arrow stream; otherwise as `arrow`.

        Polars, DuckDB, pandas and PyArrow can read it.
        """
        return self._result(None, None, None).__arrow_c_stream__(requested_schema)

    def append(self, frame: Any, *, by_name: bool = True, merge_schema: bool = False) -> Commit:
        """Add rows, all or nothing, as one snapshot or as part of the transaction.

        Args:
            frame: A DataFrame of Spark or pandas, an Arrow table, reader or list of batches, the path of a Parquet or
                CSV file, or rows as a list of mappings, dataclasses or tuples, which have a value for each column.
            by_name: Match columns by name, and fill missing ones with their defaults; else match by position.
            merge_schema: First add the columns of the frame that the table does not have.

        Raises:
            InvalidInputError: Columns or values do not fit; nothing was added.
            EngineError: The Spark job failed; nothing was added.
        """
        return lake.row_verbs.append(self, frame, by_name=by_name, merge_schema=merge_schema)

    def overwrite(
        self, frame: Any, where: Condition | None = None, *, parameters: Values | None = None, by_name: bool = True
    ) -> Commit:
        """Replace all rows, or the rows of a condition, in one snapshot.

        A frame of Spark may be made of the rows of this table. What others changed since it was read is not lost.

        Args:
            frame: As for `append`.
            where: A condition for the rows to replace; all if not given.
            parameters: Values for the parameters of ``where``, as for `dataframe`.
            by_name: As for `append`.

        Raises:
            ConflictError: The frame was made of rows of this table, and others changed it since; nothing was changed.
            InvalidInputError: Columns or values do not fit, or the condition is not understood; nothing was changed.
            EngineError: The Spark job failed; nothing was changed.
        """
        return lake.row_verbs.overwrite(self, frame, where, parameters, by_name=by_name)

    def delete(self, where: Condition | None = None, *, parameters: Values | None = None) -> Commit:
        """Delete the rows that a condition holds for, or all rows.

        ``row_count`` of the commit is the number of deleted rows.

        Data files stay as they are; a delete file beside them says which rows are gone. Others that deleted rows of the
        same file meanwhile are a conflict; outside of a transaction it is then done again on the new state. To delete
        all rows nothing is read, and Spark is not started.

        Args:
            where: A condition as DuckDB writes it, or a Column of Spark.
            parameters: Values for its parameters, as for `dataframe`.

        Raises:
            InvalidInputError: The condition is not understood; nothing was changed.
            EngineError: The Spark job failed; nothing was changed.
        """
        return lake.row_changes.delete(self, where, parameters)

    def update(
        self, set: Mapping[str, Any], where: Condition | None = None, *, parameters: Values | None = None
    ) -> Commit:
        """Change values of the rows that a condition holds for; they keep their row ids.

        Args:
            set: Columns, and what they become. Texts are expressions as DuckDB writes them, over the row as it was, and
                so are Columns of Spark. All other values (numbers, dates, None, lists ...) stand for themselves; a
                text as a value is a parameter: ``{"item": "?"}``.
            where: Which rows; all if not given.
            parameters: Values for the parameters of both: each ``?`` takes the next one, in ``set`` in the order of the
                mapping, then in ``where``.

        Raises:
            InvalidInputError: An expression is not understood, or a value does not fit; nothing was changed.
            EngineError: The Spark job failed; nothing was changed.
        """
        return lake.row_changes.update(self, set, where, parameters)

    def merge(
        self,
        source: Any,
        on: Condition | Sequence[str],
        *,
        matched: Sequence[MergeUpdate | MergeDelete] = (),
        not_matched: Sequence[MergeInsert] = (),
        not_matched_by_source: Sequence[MergeUpdate | MergeDelete] = (),
        parameters: Values | None = None,
    ) -> Commit:
        """Merge the rows of a source into the table: update, delete and insert rows.

        With keys alone, ``merge(source, on="id")``, it is an upsert: rows with a key of the source are updated, and
        the other rows of the source are inserted. Columns that the source does not have stay as they are, or get
        their defaults.

        For each row, the first clause of a list whose condition holds is applied. Inserted rows conflict with rows
        that other commits add to the table at the same time: outside of a transaction the merge then runs again,
        within one it raises. So a key that several callers merge at once is inserted once.

        Args:
            source: A DataFrame of Spark or pandas, an Arrow table or reader, or rows as a list of mappings.
            on: A condition over ``target.column`` and ``source.column``, or the name of a key column, or a list of key
                columns. No two rows of the source may have the same key if the table has it.
            matched: Clauses for rows of the table that match.
            not_matched: Clauses for rows of the source that match none.
            not_matched_by_source: Clauses for rows of the table that match none.
            parameters: Values for the parameters of all of it: each ``?`` takes the next one, in ``on``, then in the
                clauses, list by list, each time in ``when`` and then in the values.

        Raises:
            ConflictError: The source was made of rows of this table, and others changed it since; nothing was changed.
            InvalidInputError: A row of the table would be changed by several rows of the source, something is not
                understood, or a value does not fit; nothing was changed.
            EngineError: The Spark job failed; nothing was changed.
        """
        clauses = lake.row_changes.MergeClauses(matched, not_matched, not_matched_by_source)
        return lake.row_changes.merge(self, source, on, clauses, parameters)

    def changes(self, start: Moment, end: Moment | None = None, *, kind: Kind = "all") -> DataFrame:
        """Return the change feed between two snapshots as a Spark DataFrame.

        Both snapshots are included. The columns are ``snapshot_id``, ``rowid``, ``change_type`` (``insert``,
        ``delete``, ``update_preimage``, ``update_postimage``) and those of the table at the end. A fork shows
        inherited changes, too, and none for the fork itself; rewriting files changes no rows.

        Args:
            start: A snapshot, or a time: then the first snapshot at or after it.
            end: A snapshot, or a time: then the last snapshot not after it; the newest if not given.
            kind: ``insertions`` or ``deletions`` for the rows that were added or deleted alone, updated ones in both,
                without ``change_type``.

        Raises:
            SnapshotNotFoundError: The catalog has no such snapshot.
            InvalidInputError: The start comes after the end.
        """
        return lake.row_verbs.changes(self, start, end, kind)

    def count(self, where: Condition | None = None, *, parameters: Values | None = None) -> int:
        """Return the number of rows.

        It comes from metadata where that is exact. Else the rows are counted, by this process if the table is small.
        """
        return lake.row_verbs.count(self, where, parameters)

    def _result(self, columns: Sequence[str] | None, where: str | None, parameters: Values | None) -> Result:
        return lake.read_rows.read_rows(self, columns, where, parameters)

    def _content(self) -> Content:
        content = self._reader._content()
        self._find_row(content)
        return content

    def _find_row(self, content: Content) -> TableRow:
        """Return the row of the table in a state or draft.

        Raises:
            NotFoundError: It is not there; the message has the name that this handle knows.
            SnapshotNotFoundError: The state was expired meanwhile.
        """
        try:
            return lookup.table_by_id(content, self.table_id)
        except SnapshotNotFoundError:
            raise
        except NotFoundError as error:
            title = format_title("table", self.schema_name, self.name)
            raise NotFoundError(f"{error.message} ({title})", hint=error.advice) from None
