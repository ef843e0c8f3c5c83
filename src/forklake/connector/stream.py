"""The change feed of a table as a stream, exactly once.

An offset is a snapshot of the catalog's lineage, whether its changes were shown already, and the id of the
table. A batch is what happened after one offset up to another. History is never rewritten, so a batch shows
the same rows when it is read again.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property, wraps
from typing import Any, Final, ParamSpec, TypeVar

import pyarrow as pa
from pyspark.sql.datasource import DataSourceStreamReader, InputPartition
from pyspark.sql.types import StructType

from forklake.catalog import lookup, versions
from forklake.catalog.change_plan import plan_changes
from forklake.catalog.fields import table_fields
from forklake.catalog.state import CatalogState
from forklake.connector.feed import change_tasks, feed_start, is_feed_schema, read_changes
from forklake.connector.source_options import Options, Use, open_existing, parse_options
from forklake.engine.local.change_feed import Span, has_changes
from forklake.errors import ForklakeError, InvalidInputError, NotFoundError
from forklake.lake import Catalog, Lake
from forklake.lake.internals import content_of, runtime_of, version_of
from forklake.model.change_scan import ChangePlan
from forklake.model.ids import SnapshotId, TableId

Offset = dict[str, int | bool]
"""What Spark keeps: ``snapshot_id``, ``is_shown``, ``table_id``."""

_HIDE_TRACE: Final = "SPARK_HIDE_TRACEBACK"
"""What has PySpark leave out the trace of an error of its process."""

_Given = ParamSpec("_Given")
_Found = TypeVar("_Found")


def _say_plainly(plan: Callable[_Given, _Found]) -> Callable[_Given, _Found]:
    """Let an error of ours reach the user as its sentence, without a trace of Python.

    The trace would come first, and the reason last.
    """

    @wraps(plan)
    def plan_or_say(*given: _Given.args, **named: _Given.kwargs) -> _Found:
        try:
            return plan(*given, **named)
        except ForklakeError as error:
            os.environ[_HIDE_TRACE] = "1"  # the process that plans a stream ends with its error
            raise error.with_traceback(None) from None

    return plan_or_say


class ChangeStream(DataSourceStreamReader):
    """A stream of the changes of a table.

    It opens the lake on first use, and is only pickled before.
    """

    def __init__(self, given: Mapping[str, str], schema: StructType) -> None:
        # The options are read on first use: PySpark puts an error of its own in place of one that is raised here.
        self._given = given
        self._schema = schema
        self._lake: Lake | None = None
        self._quiet: Span | None = None

    # ---- where the query is planned --------------------------------------------------------------------------------

    @_say_plainly
    def initialOffset(self) -> Offset:  # noqa: N802
        """Return the offset of a new query: just before the first snapshot it shows.

        Raises:
            InvalidInputError: Options contradict each other, or none says where to begin.
            SnapshotNotFoundError: The catalog has no such snapshot.
        """
        catalog = self._catalog()
        table = self._options.source.table_of(catalog).table_id
        begin = self._options.start
        assert begin is not None
        first = None if begin == "latest" else feed_start(catalog, begin)
        return _offset(catalog.head, table) if first is None else _offset(first, table, is_shown=False)

    @_say_plainly
    def latestOffset(self, start: Offset | None = None, limit: Any = None) -> Offset:  # noqa: N802
        """Return the offset of the newest snapshot.

        It is the start again as long as the table has no changes since.
        """
        catalog = self._catalog()
        head = catalog.head
        if start is None:  # how Spark asks before 4.2
            return _offset(head, self._options.source.table_of(catalog).table_id)
        end = _offset(head, TableId(start["table_id"]))
        span = _span(start, end)
        if span is None or self._quiet == span:
            return start
        plan = self._plan(catalog, span, TableId(start["table_id"]))
        if not has_changes(plan, span, deletions=self._options.changes):
            # Other tables of the catalog change too; a batch for each of their commits would show nothing.
            self._quiet = span
            return start
        return end

    @_say_plainly
    def partitions(self, start: Offset, end: Offset) -> Sequence[InputPartition]:
        """Plan a batch: the changes after the start, up to the end.

        Raises:
            NotFoundError: The table or the snapshot no longer exists.
            InvalidInputError: The columns of the table are no longer those of the query.
        """
        span, table = _span(start, end), TableId(end["table_id"])
        if span is None:
            return []
        catalog = self._catalog()
        plan = self._plan(catalog, span, table)
        fields = table_fields(content_of(catalog), table)
        if not is_feed_schema(self._schema, fields, deletions=self._options.changes):
            raise InvalidInputError(
                f'The columns of table "{self._options.source.table}" changed while the stream ran; nothing was read.',
                hint="Start the query again: it goes on where it was, with the new columns.",
            )
        return change_tasks(plan, span, fields, deletions=self._options.changes)

    def stop(self) -> None:
        """Close all connections."""
        if self._lake is not None:
            self._lake.close()
            self._lake = None

    # ---- where the tasks run ---------------------------------------------------------------------------------------

    def read(self, partition: InputPartition) -> Iterator[pa.RecordBatch]:
        """Return the changed rows of a task."""
        return read_changes(partition, self._schema, deletions=self._options.changes)

    # ----------------------------------------------------------------------------------------------------------------

    @cached_property
    def _options(self) -> Options:
        found = parse_options(self._given, Use.STREAM)
        if found.start is None:
            raise InvalidInputError(
                'A stream of format forklake needs the option "startingVersion" or "startingTimestamp"; nothing was'
                " read.",
                hint='"startingVersion" is a snapshot id, "earliest" or "latest".',
            )
        return found

    def _catalog(self) -> Catalog:
        if self._lake is None:
            self._lake = open_existing(self._options.source.lake)
        return self._lake.catalog(self._options.source.catalog)

    def _plan(self, catalog: Catalog, span: Span, table: TableId) -> ChangePlan:
        runtime = runtime_of(catalog)
        if self._options.source.table_of(catalog).table_id != table:
            raise NotFoundError(
                f'Table "{self._options.source.table}" is not the one that the stream began with, which is gone;'
                " nothing was read.",
                hint="Begin a new stream, with a checkpoint of its own.",
            )
        state = CatalogState(runtime.store, versions.version_at(runtime.store, version_of(catalog), span.last))
        row = lookup.table_by_id(state, table)
        return plan_changes(runtime.store, runtime.lake_path, state, row, span.first, with_first=span.with_first)


def _offset(snapshot: int, table: TableId, *, is_shown: bool = True) -> Offset:
    return {"snapshot_id": int(snapshot), "is_shown": is_shown, "table_id": int(table)}


def _span(start: Offset, end: Offset) -> Span | None:
    """Return the snapshots between two offsets; None if there are none."""
    if start == end:
        return None  # also at a start that nothing has followed yet, which need not be a snapshot
    first, last = SnapshotId(start["snapshot_id"]), SnapshotId(end["snapshot_id"])
    is_shown = bool(start["is_shown"])
    return None if last < first or (last == first and is_shown) else Span(first, last, not is_shown)
