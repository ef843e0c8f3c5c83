"""Format ``forklake`` where the driver runs: what its Java half asks.

Rows are read by the plan of a table's DataFrame and written by the table's handle. Without Java to be reached, and for
streams that are read, `forklake.connector.source` is the format.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Final, cast

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.types import StructType

from forklake.catalog import lookup
from forklake.connector.feed import plan_feed
from forklake.connector.source import LakeSource
from forklake.connector.source_options import Options, Use, open_existing, parse_options
from forklake.connector.table_reader import plan_rows
from forklake.connector.write_frame import batch_key, write_frame
from forklake.errors import InvalidInputError
from forklake.lake.internals import content_of, runtime_of
from forklake.model.ids import SnapshotId
from forklake.spark_catalog.attached import YES, Answer, Words, frame_of, plan_of, say
from forklake.spark_catalog.bridge import answer_or_error
from forklake.spark_catalog.data_sources import install_java_half, register_source

_SOURCE: Final = Path(__file__).with_name("java") / "DefaultSource.java"
_OF_SPARK: Final = frozenset({"checkpointlocation", "queryname"})
"""What Spark passes on to a stream that is written, beside the options of the format."""


def install(spark: SparkSession) -> None:
    """Register the format in a session, and let this process answer for it.

    Raises:
        EngineError: Spark does not compile the Java half.
    """
    register_source(spark, LakeSource)
    install_java_half(spark, _SOURCE, SourceBridge(spark))


class SourceBridge:
    """Answers what Java asks about tables that options name."""

    class Java:
        """What Java takes it for."""

        implements: Final = ["java.util.function.BiFunction"]

    def __init__(self, spark: SparkSession) -> None:
        self._spark = spark

    def apply(self, text: str, given: object) -> Answer:
        """Answer a question."""
        words = json.loads(text)
        ask = _QUESTIONS[words["question"]]
        return answer_or_error("format forklake", lambda: ask(self._spark, words, given))


def columns(spark: SparkSession, words: Words, given: Any) -> Answer:
    """Return the columns of a table, or of its changes.

    With them goes the snapshot that they are of, and a note of what is read, unless its moment was named.
    """
    source = LakeSource(words["options"])
    found = source.schema()
    return say(
        {"columns": found.json(), "version": source.seen, "rows": None if source.read is None else str(source.read)}
    )


def rows(spark: SparkSession, words: Words, given: Any) -> Answer:
    """Return the plan of a table's rows, or of its changes: that of their DataFrame."""
    seen: int | None = words["version"]
    options = parse_options(words["options"], Use.READ).at(None if seen is None else SnapshotId(seen))
    return plan_of(_frame(spark, options, StructType.fromJson(json.loads(words["columns"]))))


def _frame(spark: SparkSession, options: Options, schema: StructType) -> DataFrame:
    with options.source.open_catalog() as catalog:
        engine = runtime_of(catalog).using(spark).engine
        if options.is_feed:
            plan, _, _ = plan_feed(catalog, options, schema)
            return cast("DataFrame", engine.changes(plan, "all" if options.changes else "insertions"))
        scan, wanted = plan_rows(catalog, options.source, schema, options.prune)
        return cast("DataFrame", engine.scan(scan, [field.name for field in wanted]))


def write(spark: SparkSession, words: Words, given: Any) -> Answer:
    """Append rows to a table, or replace all of them."""
    options = parse_options(words["options"], Use.WRITE)
    frame = frame_of(spark, given)
    with open_existing(options.source.lake) as lake:
        of_frame = lake.using(frame.sparkSession)
        write_frame(of_frame, options.source, frame, overwrite=words["all"], commit_key=options.commit_key)
    return YES


def stream(spark: SparkSession, words: Words, given: Any) -> Answer:
    """Check that a stream can be written.

    Raises:
        InvalidInputError: The options, or how the stream is written, are not understood.
        NotFoundError: There is no such lake, catalog or schema.
    """
    options = _stream_options(words)
    if words["mode"] not in _MODES:
        raise InvalidInputError(
            f"A stream is not written to a table in the mode {words['mode'].lower()}; nothing was written.",
            hint='outputMode("append") adds rows, "complete" replaces all; foreachBatch can merge them.',
        )
    if words["partitioned"]:
        raise InvalidInputError(
            "The table says how its rows are partitioned, not partitionBy(); nothing was written.",
            hint="Leave it out.",
        )
    with options.source.open_catalog() as catalog:
        lookup.schema(content_of(catalog), options.source.schema)
    return YES


def batch(spark: SparkSession, words: Words, given: Any) -> Answer:
    """Write a batch of a stream, as one commit.

    A batch that Spark repeats is not committed again.
    """
    source = _stream_options(words).source
    frame = frame_of(spark, given)
    with open_existing(source.lake) as lake:
        write_frame(
            lake.using(frame.sparkSession),
            source,
            frame,
            overwrite=_MODES[words["mode"]],
            commit_key=batch_key(frame, source.table, words["batch"]),
        )
    return YES


def _stream_options(words: Words) -> Options:
    given = {name: text for name, text in words["options"].items() if name.lower() not in _OF_SPARK}
    return parse_options(given, Use.STREAM_WRITE)


_MODES: Final = {"Append": False, "Complete": True}
"""Whether a batch replaces all rows."""

_QUESTIONS: Final[Mapping[str, Callable[[SparkSession, Words, Any], Answer]]] = {
    "columns": columns,
    "rows": rows,
    "write": write,
    "stream": stream,
    "batch": batch,
}
