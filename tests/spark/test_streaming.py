"""A table as a stream, and streams into tables: exactly once, also when a query is started again."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from pyspark.errors import IllegalArgumentException, StreamingQueryException
from pyspark.sql import DataFrame, SparkSession

import forklake
from forklake import Catalog, Lake
from forklake.errors import EngineError, InvalidInputError


@pytest.fixture(scope="module")
def lake(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Lake]:
    """A lake that format forklake opens by its path."""
    directory = tmp_path_factory.mktemp("streams")
    with forklake.open(str(directory / "lake.db"), spark=forklake.register(spark)) as opened:
        yield opened


@pytest.fixture
def catalog(lake: Lake, request: pytest.FixtureRequest) -> Catalog:
    made = lake.create_catalog(request.node.name)
    made.create_table("t", {"id": "BIGINT", "name": "VARCHAR"})
    return made


def stream(spark: SparkSession, lake: Lake, catalog: Catalog, **options: str) -> DataFrame:
    named = {"lake": f"sqlite:{lake._runtime.store.location}", "catalog": catalog.name, "table": "t", **options}
    return spark.readStream.format("forklake").options(**named).load()


def run(frame: DataFrame, checkpoint: Path, into: Any) -> None:
    """Run a query until it has seen all there is."""
    query = frame.writeStream.foreachBatch(into).option("checkpointLocation", str(checkpoint))
    query.trigger(availableNow=True).start().awaitTermination()


def test_a_stream_shows_each_row_once_although_the_query_is_started_again(
    spark: SparkSession, lake: Lake, catalog: Catalog, tmp_path: Path
) -> None:
    table = catalog.table("t")
    table.append([{"id": 1, "name": "a"}, {"id": 2, "name": "b"}])
    second = catalog.head + 1
    table.append([{"id": 3, "name": "c"}])
    seen: list[tuple[Any, ...]] = []

    def collect(batch: DataFrame, _: int) -> None:
        seen.extend((row.id, row.rowid, row.snapshot_id) for row in batch.collect())

    run(stream(spark, lake, catalog, startingVersion=str(second)), tmp_path / "c", collect)
    assert seen == [(3, 2, second)]
    table.append([{"id": 4, "name": "d"}])
    # Columns that came since are there after a new start; what another table does makes no batch.
    catalog.table("t").alter.add_column(("size", "INTEGER"))
    catalog.create_table("other", {"id": "BIGINT"})
    again = stream(spark, lake, catalog, startingVersion=str(second))
    assert again.columns == ["snapshot_id", "rowid", "id", "name", "size"]
    run(again, tmp_path / "c", collect)
    assert seen == [(3, 2, second), (4, 3, second + 1)]


def test_a_stream_begins_at_a_time(spark: SparkSession, lake: Lake, catalog: Catalog, tmp_path: Path) -> None:
    table = catalog.table("t")
    table.append([{"id": 1, "name": "a"}])
    table.append([{"id": 2, "name": "b"}])
    table.append([{"id": 3, "name": "c"}])
    second = catalog.snapshots()[-2].snapshot_time
    seen: list[int] = []
    frame = stream(spark, lake, catalog, startingTimestamp=second.isoformat())
    run(frame, tmp_path / "c", lambda batch, _: seen.extend(row.id for row in batch.collect()))
    assert sorted(seen) == [2, 3]


def test_a_stream_of_an_empty_table_waits_for_rows(
    spark: SparkSession, lake: Lake, catalog: Catalog, tmp_path: Path
) -> None:
    seen: list[int] = []
    for _ in range(2):
        frame = stream(spark, lake, catalog, startingVersion="earliest")
        run(frame, tmp_path / "c", lambda batch, _: seen.extend(row.id for row in batch.collect()))
        catalog.table("t").append([{"id": 1, "name": "a"}])
    assert seen == [1]


def start(
    frame: DataFrame, lake: Lake, catalog: Catalog, checkpoint: Path, mode: str = "append", /, **options: str
) -> None:
    """Write a stream with the format, until it has seen all there is."""
    named = {"lake": f"sqlite:{lake._runtime.store.location}", "catalog": catalog.name, "table": "copy", **options}
    query = frame.writeStream.format("forklake").options(**named).option("checkpointLocation", str(checkpoint))
    query.outputMode(mode).trigger(availableNow=True).start().awaitTermination()


def test_a_stream_that_is_written_with_the_format_arrives_once_whatever_is_started_again(
    spark: SparkSession, lake: Lake, catalog: Catalog, tmp_path: Path
) -> None:
    catalog.table("t").append([{"id": 1, "name": "a"}, {"id": 2, "name": "b"}])
    rows = stream(spark, lake, catalog, startingVersion="earliest").select("id", "name")
    start(rows, lake, catalog, tmp_path / "c", queryName="copies")
    copy = catalog.table("copy")
    assert sorted(copy.dataframe().collect()) == [(1, "a"), (2, "b")]
    head = catalog.head
    # As after a fault between our commit and Spark's note of it.
    for note in (tmp_path / "c" / "commits").iterdir():
        note.unlink()
    start(rows, lake, catalog, tmp_path / "c")
    assert catalog.head == head
    catalog.table("t").append([{"id": 3, "name": "c"}])
    start(rows, lake, catalog, tmp_path / "c")
    assert sorted(copy.dataframe().collect()) == [(1, "a"), (2, "b"), (3, "c")]


def test_a_stream_is_written_by_its_session_whichever_session_was_used_last(
    spark: SparkSession, lake: Lake, catalog: Catalog, tmp_path: Path
) -> None:
    catalog.table("t").append([{"id": 1, "name": "a"}])
    fresh, last = forklake.register(spark.newSession()), spark.newSession()
    rows = stream(fresh, lake, catalog, startingVersion="earliest").select("id", "name")
    last.createDataFrame([(1,)], "id BIGINT")  # the session that this thread used last
    start(rows, lake, catalog, tmp_path / "c")
    assert catalog.table("copy").dataframe().collect() == [(1, "a")]
    numbers = last.readStream.format("rate").load()
    spark.createDataFrame([(1,)], "id BIGINT")
    with pytest.raises(IllegalArgumentException, match="forklake is not known in this session; nothing was written"):
        start(numbers, lake, catalog, tmp_path / "other")


def test_a_stream_in_complete_mode_replaces_all_rows(
    spark: SparkSession, lake: Lake, catalog: Catalog, tmp_path: Path
) -> None:
    counts = stream(spark, lake, catalog, startingVersion="earliest").groupBy("name").count()
    for expected in ([("a", 1)], [("a", 2)]):
        catalog.table("t").append([{"id": 1, "name": "a"}])
        start(counts, lake, catalog, tmp_path / "c", "complete")
        assert catalog.table("copy").dataframe().collect() == expected


def test_a_stream_that_cannot_be_written_is_refused_when_it_starts(
    spark: SparkSession, lake: Lake, catalog: Catalog, tmp_path: Path
) -> None:
    catalog.table("t").append([{"id": 1, "name": "a"}])
    rows = stream(spark, lake, catalog, startingVersion="earliest").select("id", "name")
    for options, words in (
        ({"catalog": "nope"}, 'Catalog "nope" does not exist'),
        ({"table": "nope.copy"}, 'Schema with name "nope" does not exist'),
        ({"commit_key": "x"}, '"commit_key" is for a write, not for a written stream; nothing was written'),
        ({"mergeSchema": "true"}, "has no option"),
    ):
        with pytest.raises(IllegalArgumentException, match=words):
            start(rows, lake, catalog, tmp_path / "c", **options)
    with pytest.raises(IllegalArgumentException, match="is not written to a table in the mode update"):
        start(rows, lake, catalog, tmp_path / "c", "update")
    assert [table.name for table in catalog.tables()] == ["t"]
    catalog.create_table("copy", {"id": "BIGINT"})
    with pytest.raises(StreamingQueryException, match='does not have a column with name "name"'):
        start(rows, lake, catalog, tmp_path / "c")
    assert catalog.table("copy").count() == 0


def test_a_stream_of_changes_shows_what_the_change_feed_shows(
    spark: SparkSession, lake: Lake, catalog: Catalog, tmp_path: Path
) -> None:
    catalog.options.set("data_inlining_row_limit", 1)
    table = catalog.table("t")
    table.append([{"id": number, "name": f"n{number}"} for number in range(6)])
    table.append([{"id": 6, "name": "inlined"}])
    table.update({"name": "'new'"}, where="id IN (1, 6)")
    table.delete("id = 2")
    table.delete("id = 3")
    table.overwrite([{"id": 9, "name": "last"}, {"id": 10, "name": "last"}])
    seen: list[str] = []

    def collect(batch: DataFrame, _: int) -> None:
        seen.extend(map(str, batch.collect()))

    frame = stream(spark, lake, catalog, startingVersion="earliest", changes="true")
    run(frame, tmp_path / "c", collect)
    expected = table.changes(catalog.snapshots()[0].snapshot_id)
    assert frame.dtypes == expected.dtypes
    assert sorted(seen) == sorted(map(str, expected.collect()))
    assert any("update_preimage" in row for row in seen)


def test_a_batch_that_is_repeated_is_committed_once(spark: SparkSession, lake: Lake, catalog: Catalog) -> None:
    write = forklake.batch_writer(lake, catalog.name, "main.t", query="clicks")
    frame = spark.createDataFrame([(1, "a")], "id bigint, name string")
    write(frame, 0)
    head = catalog.head
    write(frame, 0)
    assert (catalog.head, catalog.table("t").count()) == (head, 1)
    write(frame, 1)
    assert catalog.table("t").count() == 2
    forklake.batch_writer(lake, catalog.name, "t", mode="overwrite", query="totals")(frame, 0)
    assert catalog.table("t").count() == 1


def test_a_query_that_runs_a_batch_again_commits_it_once(
    spark: SparkSession, lake: Lake, catalog: Catalog, tmp_path: Path
) -> None:
    catalog.table("t").append([{"id": 1, "name": "a"}, {"id": 2, "name": "b"}])
    catalog.create_table("copy", {"id": "BIGINT", "name": "VARCHAR"})
    write = forklake.batch_writer(lake, catalog.name, "copy")
    source = stream(spark, lake, catalog, startingVersion="earliest").select("id", "name")

    def fail_after_the_commit(batch: DataFrame, number: int) -> None:
        write(batch, number)
        raise RuntimeError("the driver is gone")

    with pytest.raises(StreamingQueryException, match="the driver is gone"):
        run(source, tmp_path / "c", fail_after_the_commit)
    head = catalog.head
    run(source, tmp_path / "c", write)
    assert (catalog.table("copy").count(), catalog.head) == (2, head)


def test_a_stream_into_a_table_says_what_it_cannot_do(spark: SparkSession, lake: Lake, catalog: Catalog) -> None:
    with pytest.raises(EngineError, match="belongs to no query"):
        forklake.batch_writer(lake, catalog.name, "t")(spark.range(1), 0)
    with pytest.raises(InvalidInputError, match="no mode"):
        forklake.batch_writer(lake, catalog.name, "t", mode="merge")  # type: ignore[arg-type]


def test_a_stream_that_fails_says_why_in_its_first_line_without_a_trace_of_python(
    spark: SparkSession, lake: Lake, catalog: Catalog, tmp_path: Path
) -> None:
    catalog.table("t").append([{"id": 1, "name": "a"}])
    for place, (options, words) in enumerate(
        (
            ({"startingVersion": "999"}, "No snapshot found at version 999"),
            ({}, 'needs the option "startingVersion" or "startingTimestamp"; nothing was read.'),
        )
    ):
        frame = stream(spark, lake, catalog, **options)
        with pytest.raises(StreamingQueryException) as caught:
            run(frame, tmp_path / str(place), lambda batch, number: None)
        said = str(caught.value)
        assert words in said.splitlines()[0]
        assert "Traceback" not in said
        assert "\n  File " not in said


def test_a_stream_ends_when_the_columns_change_under_it(
    spark: SparkSession, lake: Lake, catalog: Catalog, tmp_path: Path
) -> None:
    frame = stream(spark, lake, catalog, startingVersion="earliest")
    catalog.table("t").alter.rename_column("name", "title")
    catalog.table("t").append([{"id": 1, "title": "a"}])
    with pytest.raises(StreamingQueryException, match="changed while the stream ran"):
        run(frame, tmp_path / "c", lambda batch, _: batch.count())


def test_the_earliest_start_is_the_first_that_is_known(
    spark: SparkSession, lake: Lake, catalog: Catalog, tmp_path: Path
) -> None:
    named = {"lake": f"sqlite:{lake._runtime.store.location}", "catalog": catalog.name, "startingVersion": "earliest"}
    seen: list[int] = []

    def collect(batch: DataFrame, _: int) -> None:
        seen.extend(row.id for row in batch.collect())

    def batch(table: str) -> list[int]:
        read = spark.read.format("forklake").options(**named, table=table, changes="true").load()
        return [row.id for row in read.collect()]

    catalog.table("t").append([{"id": 1}])
    catalog.maintenance.expire_snapshots(older_than="0 seconds")
    with pytest.raises(Exception, match="No changes are known yet: all snapshots before the newest one"):
        batch("t")
    run(stream(spark, lake, catalog, startingVersion="earliest"), tmp_path / "c", collect)
    assert seen == []
    catalog.table("t").append([{"id": 2}])
    catalog.create_table("later", rows=[{"id": 3}])
    assert (batch("t"), batch("later")) == ([2], [3])
    run(stream(spark, lake, catalog, startingVersion="earliest"), tmp_path / "c", collect)
    assert seen == [2]
    run(stream(spark, lake, catalog, table="later", startingVersion="earliest"), tmp_path / "later", collect)
    assert seen == [2, 3]
    fork = catalog.fork(f"{catalog.name}_fork")
    fork.table("t").append([{"id": 4}])
    named["catalog"] = fork.name
    assert batch("t") == [2, 4]
    catalog.maintenance.expire_snapshots(older_than="0 seconds")
    fork.maintenance.expire_snapshots(older_than="0 seconds")
    fork.table("t").append([{"id": 5}])
    assert batch("t")[-1] == 5
