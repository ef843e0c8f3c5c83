"""Streaming writes: each batch of a stream becomes one commit, exactly once.

Spark may repeat a batch; a repeated batch is not committed again.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, Literal, get_args

from forklake.connector.register import register
from forklake.connector.source import LakeSource
from forklake.connector.source_options import open_existing, parse_name
from forklake.engine.spark.driver.session import is_remote
from forklake.errors import EngineError, InvalidInputError
from forklake.lake import Lake
from forklake.lake.internals import runtime_of
from forklake.model.quoting import quote_name
from forklake.ops.run_again import run_again

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

Mode = Literal["append", "overwrite"]

_QUERY: Final = "sql.streaming.queryId"


class BatchWriter:
    """A function for ``foreachBatch`` that writes batches into a table.

    If it has the URL of a lake it can be pickled; the lake is then opened on first use.
    """

    def __init__(self, lake: Lake | str, catalog: str, table: str, mode: Mode, query: str | None) -> None:
        if mode not in get_args(Mode):
            raise InvalidInputError(f'"{mode}" is no mode of writing batches; there is append and overwrite.')
        self._given = lake
        self._opened: Lake | None = None
        self._catalog = catalog
        self._schema, self._table = parse_name(table)
        self._mode = mode
        self._query = query

    def __getstate__(self) -> dict[str, Any]:
        if isinstance(self._given, Lake):
            raise _pickling_error()
        return {**self.__dict__, "_opened": None}

    def __call__(self, frame: DataFrame, batch_id: int) -> None:
        """Commit the rows of a batch.

        A batch that was committed before is neither computed nor committed again.

        Raises:
            InvalidInputError: Columns or values do not fit; nothing was committed.
            EngineError: The Spark job failed, or the stream has no id; nothing was committed.
        """
        key = f"stream {self._query or _query_id(frame, self._table)} batch {batch_id}"
        if is_remote(frame.sparkSession):
            self._save(frame, key)
            return
        lake = self._lake()
        catalog = lake.catalog(self._catalog)

        def attempt() -> None:
            with catalog.transaction(commit_key=key) as transaction:
                table = transaction.table(self._table, schema=self._schema)
                table.append(frame) if self._mode == "append" else table.overwrite(frame)

        settings = runtime_of(lake).settings
        run_again(attempt, settings.retry, settings.clock)

    def _save(self, frame: DataFrame, key: str) -> None:
        """Write through the data source, as Spark Connect needs it.

        With Spark Connect, only the session of a batch can compute its rows.
        """
        if isinstance(self._given, Lake):
            raise _pickling_error()
        options = {"lake": self._given, "catalog": self._catalog, "commit_key": key}
        name = ".".join(quote_name(part) for part in (self._schema, self._table))
        register(frame.sparkSession)
        frame.write.format(LakeSource.name()).options(**options, table=name).mode(self._mode).save()

    def _lake(self) -> Lake:
        if isinstance(self._given, Lake):
            return self._given
        if self._opened is None:
            self._opened = open_existing(self._given)
        return self._opened


def _query_id(frame: DataFrame, table: str) -> str:
    spark = frame.sparkSession
    found = None if is_remote(spark) else spark.sparkContext.getLocalProperty(_QUERY)
    if found is None:
        raise EngineError(
            f'The batch for table "{table}" belongs to no query that can be told; nothing was written.',
            hint="Name the stream: batch_writer(..., query=name).",
        )
    return found


def _pickling_error() -> EngineError:
    return EngineError("An open lake cannot go to another process.", hint="Give the URL of the lake instead.")
