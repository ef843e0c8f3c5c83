"""The change feed of a table as a Python data source.

A batch read shows all changes at once, a stream shows them batch by batch.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime

import pyarrow as pa
from pyspark.sql.datasource import DataSourceReader, InputPartition
from pyspark.sql.types import LongType, StringType, StructField, StructType

from forklake.catalog import lookup, versions
from forklake.catalog.change_plan import plan_changes
from forklake.catalog.fields import table_fields
from forklake.catalog.state import CatalogState
from forklake.connector.arrow_batches import arrow_schema_of, batch_of
from forklake.connector.source_options import Options
from forklake.engine.local.change_feed import FeedTask, Span, feed_rows, feed_tasks
from forklake.engine.local.file_rows import Selection
from forklake.engine.local.table_columns import refuse_variants
from forklake.engine.spark.columns.spark_types import spark_schema
from forklake.engine.spark.read.change_feed import CHANGE, ROW_ID, SNAPSHOT
from forklake.errors import InvalidInputError, SnapshotNotFoundError
from forklake.lake import Catalog
from forklake.lake.internals import runtime_of, version_of
from forklake.model.change_scan import ChangePlan
from forklake.model.field import Field
from forklake.model.ids import SnapshotId
from forklake.model.names import fold


class ChangeTask(InputPartition):
    """One task of reading changes; it is fully resolved and needs no metadata."""

    def __init__(self, task: FeedTask, selection: Selection) -> None:
        self.task = task
        self.selection = selection


class ChangeReader(DataSourceReader):
    """Reads the changes of a table between two snapshots."""

    def __init__(self, options: Options, schema: StructType) -> None:
        self._options = options
        self._schema = schema

    def partitions(self) -> Sequence[InputPartition]:
        """Plan the change feed, as tasks.

        Raises:
            NotFoundError: There is no such table or snapshot.
            InvalidInputError: The start comes after the end, or the given schema is not that of the feed.
        """
        with self._options.source.open_catalog() as catalog:
            plan, span, fields = plan_feed(catalog, self._options, self._schema)
        return change_tasks(plan, span, fields, deletions=self._options.changes)

    def read(self, partition: InputPartition) -> Iterator[pa.RecordBatch]:
        """Return the changed rows of a task."""
        return read_changes(partition, self._schema, deletions=self._options.changes)


def plan_feed(newest: Catalog, options: Options, schema: StructType) -> tuple[ChangePlan, Span, tuple[Field, ...]]:
    """Return the changes of a table that options ask for.

    With them go the snapshots between, and the columns of the table.

    Raises:
        NotFoundError: There is no such table or snapshot.
        InvalidInputError: The start is none, or comes after the end, or the given schema is not that of the feed.
    """
    if options.start is None or options.start == "latest":
        raise InvalidInputError(
            'The "latest" snapshot is where a stream can begin; nothing was read.',
            hint='Give "startingVersion" the id of a snapshot, or "earliest".',
        )
    catalog = at_end(newest, options)
    first, last = feed_start(newest, options.start), catalog.head
    if first is None:
        raise SnapshotNotFoundError(
            f"No changes are known yet: all snapshots before the newest one, {last}, have expired; nothing was read.",
            hint="Read the table as it is.",
        )
    if first > last:
        raise InvalidInputError(f"The changes cannot start at snapshot {first}, after their end {last}.")
    runtime = runtime_of(catalog)
    state = CatalogState(runtime.store, version_of(catalog))
    row = lookup.table_by_id(state, options.source.table_of(catalog).table_id)
    plan = plan_changes(runtime.store, runtime.lake_path, state, row, first)
    fields = table_fields(state, row.table_id)
    if not is_feed_schema(schema, fields, deletions=options.changes):
        raise InvalidInputError(
            f'The schema is not that of the changes of table "{row.table_name}"; nothing was read.',
            hint="Leave it out, and select columns afterwards.",
        )
    return plan, Span(first, last, with_first=True), fields


def at_end(catalog: Catalog, options: Options) -> Catalog:
    """Return the catalog at the end of the requested changes.

    Raises:
        SnapshotNotFoundError: The catalog has no such snapshot.
    """
    return catalog if options.end is None else catalog.at(options.end)


def feed_start(catalog: Catalog, start: int | datetime | str) -> SnapshotId | None:
    """Return the first snapshot of a feed.

    The start is a snapshot, a time, or ``earliest``: the first of which the changes are known. None if they are of
    no snapshot yet, since all before the newest have expired.

    Raises:
        SnapshotNotFoundError: The catalog has no such snapshot.
    """
    store, head = runtime_of(catalog).store, version_of(catalog)
    if isinstance(start, str):
        return versions.first_known_change(store, head)
    return versions.first_snapshot(store, head, start)


def feed_schema(columns: StructType, *, deletions: bool) -> StructType:
    """Return the columns of a change feed.

    They are the snapshot and the row id, with deletions the type of the change, and the columns of the table.

    Raises:
        InvalidInputError: The table has a column with one of these names.
    """
    marks = [StructField(SNAPSHOT, LongType()), StructField(ROW_ID, LongType())]
    if deletions:
        marks.append(StructField(CHANGE, StringType()))
    for mark in marks:
        if any(fold(name) == mark.name for name in columns.names):
            raise InvalidInputError(
                f'The changes of a table with a column "{mark.name}" cannot be read this way; nothing was read.',
                hint="Table.changes reads them.",
            )
    return StructType([*marks, *columns.fields])


def is_feed_schema(schema: StructType, fields: tuple[Field, ...], *, deletions: bool) -> bool:
    """Return whether a schema is that of the change feed of a table."""
    marks = [SNAPSHOT, ROW_ID, CHANGE] if deletions else [SNAPSHOT, ROW_ID]
    return schema.names[: len(marks)] == marks and schema.fields[len(marks) :] == spark_schema(fields).fields


def change_tasks(
    plan: ChangePlan, span: Span, fields: tuple[Field, ...], *, deletions: bool
) -> Sequence[InputPartition]:
    """Return the tasks of a change plan.

    Raises:
        InvalidInputError: A column has a type that a data source cannot read.
    """
    refuse_variants(fields, plan.table)
    selection = Selection(plan.table, plan.fields, fields)
    return [ChangeTask(task, selection) for task in feed_tasks(plan, span, deletions=deletions)]


def read_changes(partition: InputPartition, schema: StructType, *, deletions: bool) -> Iterator[pa.RecordBatch]:
    """Yield the changed rows of a task."""
    if not isinstance(partition, ChangeTask):
        return  # a plan without files: Spark makes up a task of its own
    arrow = arrow_schema_of(schema)
    for rows, kinds in feed_rows(partition.task, partition.selection):
        if len(rows):
            marks = [rows.snapshots, rows.row_ids, *([kinds] if deletions else [])]
            yield batch_of([*marks, *rows.columns], len(rows), arrow)
