"""A table as a stream: its change feed, batch by batch, exactly once.

An offset is a snapshot of the catalog's lineage, whether that is shown already, and the id of the table. A batch is
what happened after one offset up to another; as history is never rewritten, a batch that is read again shows the same
rows.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import pyarrow as pa
from pyspark.sql.datasource import DataSourceStreamReader, InputPartition
from pyspark.sql.types import LongType, StringType, StructField, StructType

from forklake.catalog import lookup, versions
from forklake.catalog.change_plan import plan_changes
from forklake.catalog.fields import table_fields
from forklake.catalog.view import View
from forklake.connector.arrow_batches import arrow_schema_of, batch_of
from forklake.connector.change_rows import FeedTask, Span, feed_rows, feed_tasks, has_changes
from forklake.connector.file_rows import Shown
from forklake.connector.options import Source, open_existing, switch, whole_number
from forklake.connector.shown_columns import check_shown
from forklake.engine.changes import CHANGE, ROW_ID, SNAPSHOT
from forklake.engine.types import spark_schema
from forklake.errors import InvalidInputError, NotFoundError
from forklake.lake import Catalog, Lake
from forklake.model.change_scan import ChangePlan
from forklake.model.field import Field
from forklake.model.ids import SnapshotId, TableId
from forklake.model.names import fold

STARTING_VERSION = "startingVersion"
CHANGES = "changes"

Offset = dict[str, int | bool]
"""What Spark keeps: ``snapshot_id``, ``is_shown``, ``table_id``."""


class ChangeTask(InputPartition):
    """What one task reads: everything is resolved, so it needs no metadata."""

    def __init__(self, task: FeedTask, shown: Shown) -> None:
        self.task = task
        self.shown = shown


def stream_schema(columns: StructType, options: Mapping[str, str]) -> StructType:
    """Return the columns of a stream of changes: where each row is from, what happened to it, and the row itself.

    Raises:
        InvalidInputError: The table has a column that is called like one of those.
    """
    marks = [StructField(SNAPSHOT, LongType()), StructField(ROW_ID, LongType())]
    if switch(options, CHANGES):
        marks.append(StructField(CHANGE, StringType()))
    for mark in marks:
        if any(fold(name) == mark.name for name in columns.names):
            raise InvalidInputError(f'A table with a column "{mark.name}" cannot be streamed; nothing was read.')
    return StructType([*marks, *columns.fields])


class ChangeStream(DataSourceStreamReader):
    """Follows the changes of a table. It opens the lake on first need, and is only pickled before."""

    def __init__(self, source: Source, schema: StructType, options: Mapping[str, str]) -> None:
        if source.version is not None or source.timestamp is not None:
            raise InvalidInputError(
                f'A stream begins at the option "{STARTING_VERSION}", it has no "version" or "timestamp".'
            )
        if STARTING_VERSION not in options:
            raise InvalidInputError(
                f'A stream of format forklake needs the option "{STARTING_VERSION}"; nothing was read.',
                hint='It is a snapshot id, "earliest" or "latest".',
            )
        self._source = source
        self._schema = schema
        self._start = options[STARTING_VERSION]
        self._with_deletions = switch(options, CHANGES)
        self._lake: Lake | None = None
        self._quiet: Span | None = None

    # ---- where the query is planned --------------------------------------------------------------------------------

    def initialOffset(self) -> Offset:  # noqa: N802
        """Return where a new query begins: just before the first snapshot that it shows.

        Raises:
            SnapshotNotFoundError: The catalog has no such snapshot.
        """
        catalog = self._catalog()
        table = self._source.table_of(catalog).table_id
        if self._start == "earliest":
            return _offset(0, table, is_shown=False)
        if self._start == "latest":
            return _offset(catalog.head, table)
        wanted = whole_number(STARTING_VERSION, self._start)
        first = versions.first_snapshot(catalog._context.store, catalog._version(), wanted)
        return _offset(first, table, is_shown=False)

    def latestOffset(self, start: Offset | None = None, limit: Any = None) -> Offset:  # noqa: N802
        """Return the newest snapshot, or the start again as long as nothing happened to the table since."""
        catalog = self._catalog()
        head = catalog.head
        if start is None:  # how Spark asks before 4.2
            return _offset(head, self._source.table_of(catalog).table_id)
        end = _offset(head, TableId(start["table_id"]))
        span = _span(start, end)
        if span is None or self._quiet == span:
            return start
        plan = self._planned(catalog, span, TableId(start["table_id"]))
        if not has_changes(plan, span, deletions=self._with_deletions):
            # Other tables of the catalog change too; a batch for each of their commits would show nothing.
            self._quiet = span
            return start
        return end

    def partitions(self, start: Offset, end: Offset) -> Sequence[InputPartition]:
        """Plan a batch: what happened after the start, up to the end.

        Raises:
            NotFoundError: The table or the snapshot is gone.
            InvalidInputError: The columns of the table are no longer those of the query.
        """
        span, table = _span(start, end), TableId(end["table_id"])
        if span is None:
            return []
        catalog = self._catalog()
        plan = self._planned(catalog, span, table)
        shown = Shown(plan.inserted.table, plan.inserted.fields, self._wanted(catalog, table))
        return [ChangeTask(task, shown) for task in feed_tasks(plan, span, deletions=self._with_deletions)]

    def stop(self) -> None:
        """Give back all connections."""
        if self._lake is not None:
            self._lake.close()
            self._lake = None

    # ---- where the tasks run ---------------------------------------------------------------------------------------

    def read(self, partition: InputPartition) -> Iterator[pa.RecordBatch]:
        """Yield the changed rows of a task."""
        assert isinstance(partition, ChangeTask)
        schema = arrow_schema_of(self._schema)
        for rows, kinds in feed_rows(partition.task, partition.shown):
            if len(rows):
                marks = [rows.snapshots, rows.row_ids, *([kinds] if self._with_deletions else [])]
                yield batch_of([*marks, *rows.columns], len(rows), schema)

    # ----------------------------------------------------------------------------------------------------------------

    def _catalog(self) -> Catalog:
        if self._lake is None:
            self._lake = open_existing(self._source.lake)
        return self._lake.catalog(self._source.catalog)

    def _planned(self, catalog: Catalog, span: Span, table: TableId) -> ChangePlan:
        context = catalog._context
        if self._source.table_of(catalog).table_id != table:
            raise NotFoundError(
                f'Table "{self._source.table}" is not the one that the stream began with, which is gone; nothing was'
                " read.",
                hint="Begin a new stream, with a checkpoint of its own.",
            )
        view = View(context.store, versions.version_at(context.store, catalog._version(), span.last))
        row = lookup.table_by_id(view, table)
        return plan_changes(context.store, context.lake_path, view, row, span.first)

    def _wanted(self, catalog: Catalog, table: TableId) -> tuple[Field, ...]:
        """Return the columns as the table has them now: a query keeps those that it began with."""
        fields = table_fields(catalog._content(), table)
        marks = len(self._schema.fields) - len(fields)
        if spark_schema(fields).fields != self._schema.fields[marks:] or marks != (3 if self._with_deletions else 2):
            raise InvalidInputError(
                f'The columns of table "{self._source.table}" changed while the stream ran; nothing was read.',
                hint="Start the query again: it goes on where it was, with the new columns.",
            )
        check_shown(fields, self._source.table)
        return fields


def _offset(snapshot: int, table: TableId, *, is_shown: bool = True) -> Offset:
    return {"snapshot_id": int(snapshot), "is_shown": is_shown, "table_id": int(table)}


def _span(start: Offset, end: Offset) -> Span | None:
    """Return what lies between two offsets; None if that is nothing."""
    first, last = SnapshotId(start["snapshot_id"]), SnapshotId(end["snapshot_id"])
    is_shown = bool(start["is_shown"])
    return None if last < first or (last == first and is_shown) else Span(first, last, not is_shown)
