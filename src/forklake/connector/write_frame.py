"""Rows of a frame, written into a table that options name."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from forklake.catalog import lookup
from forklake.connector.source_options import Source
from forklake.engine.spark.driver.session import is_remote
from forklake.errors import EngineError
from forklake.lake import Lake
from forklake.lake.internals import content_of, runtime_of
from forklake.ops.lakes.run_again import run_again

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

_QUERY: Final = "sql.streaming.queryId"


def write_frame(
    lake: Lake, source: Source, frame: DataFrame, *, overwrite: bool, commit_key: str | None, makes_table: bool = True
) -> None:
    """Append rows to a table, or replace all of them, in one snapshot.

    The snapshot makes the table if there is none. Nothing is computed or committed if the commit key was committed
    before.

    Args:
        lake: The open lake.
        source: The table.
        frame: The rows; their columns are matched by name.
        overwrite: Whether they replace those of the table.
        commit_key: A name for the commit.
        makes_table: Whether a table that is not there is made.

    Raises:
        NotFoundError: There is no such catalog, schema or table.
        InvalidInputError: Columns or values do not fit; nothing was committed.
        EngineError: The Spark job failed; nothing was committed.
    """
    catalog = lake.catalog(source.catalog)

    def attempt() -> None:
        with catalog.transaction(commit_key=commit_key) as transaction:
            content = content_of(transaction)
            schema = lookup.schema(content, source.schema)
            if makes_table and lookup.find_table(content, schema.schema_id, source.table) is None:
                transaction.create_table(source.table, rows=frame, schema=source.schema)
                return
            table = transaction.table(source.table, schema=source.schema)
            table.overwrite(frame) if overwrite else table.append(frame)

    runtime = runtime_of(lake)
    where = runtime.store, catalog.catalog_id
    run_again(attempt, lambda: where, runtime.settings.retry, runtime.settings.clock)


def batch_key(frame: DataFrame, table: str, batch_id: int, query: str | None = None) -> str:
    """Return the commit key of a batch.

    It is made of the id or the name of its query, and the number of the batch.

    Raises:
        EngineError: The stream has neither an id nor a name.
    """
    return f"stream {query or _query_id(frame, table)} batch {batch_id}"


def _query_id(frame: DataFrame, table: str) -> str:
    spark = frame.sparkSession
    found = None if is_remote(spark) else spark.sparkContext.getLocalProperty(_QUERY)
    if found is None:
        raise EngineError(
            f'The batch for table "{table}" belongs to no query that can be told; nothing was written.',
            hint="Name the stream: batch_writer(..., query=name).",
        )
    return found
