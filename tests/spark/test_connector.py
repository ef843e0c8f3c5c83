"""Format forklake of Spark: tables read and written by name, with the same rows as through a table's handle."""

import random
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from pyspark.errors import PySparkException
from pyspark.sql import DataFrame, SparkSession

import forklake
from forklake import Catalog, ColumnDefinition, Lake, PartitionField
from forklake.connector.source import LakeSource
from forklake.connector.source_options import Source, Use, parse_options
from forklake.connector.table_reader import ScanTask, TableReader
from forklake.connector.writer import TableWriter, WrittenFiles
from forklake.engine.local.scan_tasks import PART_BYTES, FilePart, tasks
from forklake.errors import (
    AlreadyExistsError,
    ConflictError,
    DataFileError,
    ForklakeError,
    InvalidInputError,
    NotFoundError,
)
from forklake.model.ids import DataFileId, SnapshotId
from forklake.model.scan import ScanFile
from forklake.spark_catalog.data_sources import register_source
from tests.pages import run_examples
from tests.spark.plans import physical_plan

TYPES = {
    "id": "BIGINT",
    "item": "VARCHAR",
    "price": "DECIMAL(10,2)",
    "at": "TIMESTAMP",
    "tz": "TIMESTAMPTZ",
    "ms": "TIMESTAMP_MS",
    "ns": "TIMESTAMP_NS",
    "d": "DATE",
    "t": "TIME",
    "ttz": "TIMETZ",
    "u": "UUID",
    "u8": "UTINYINT",
    "u64": "UBIGINT",
    "h": "HUGEINT",
    "j": "JSON",
    "i": "INTERVAL",
    "f": "DOUBLE",
    "b": "BLOB",
    "l": "INTEGER[]",
    "s": "STRUCT(a INTEGER, b VARCHAR)",
    "m": "MAP(VARCHAR, DOUBLE)",
}
FULL: dict[str, Any] = {
    "item": "a",
    "price": "1.5",
    "at": "2026-01-01 00:00:00.5",
    "tz": "2026-01-01 00:00:00+02",
    "ms": "2026-01-01 00:00:00.123",
    "ns": "2026-01-01 00:00:00.123456789",
    "d": "2026-01-01",
    "t": "12:00:00.5",
    "ttz": "12:00:00+01",
    "u": "550e8400-e29b-41d4-a716-446655440000",
    "u8": 255,
    "u64": 2**64 - 1,
    "h": 10**37,
    "j": '{"a": 1}',
    "i": "1 year 2 days",
    "f": 1.5,
    "b": b"\x00\xff",
    "l": [1, None],
    "s": {"a": 1, "b": "x"},
    "m": {"k": 1.5},
}
EMPTY: dict[str, Any] = dict.fromkeys(FULL)


@dataclass(frozen=True)
class Place:
    """A lake, and format forklake for it."""

    lake: Lake
    url: str
    spark: SparkSession

    def read(self, catalog: str, table: str = "t", **options: Any) -> DataFrame:
        named = {"lake": self.url, "catalog": catalog, "table": table, **options}
        return self.spark.read.format("forklake").options(**named).load()

    def write(self, frame: DataFrame, catalog: str, mode: str = "append", table: str = "t", **options: Any) -> None:
        named = {"lake": self.url, "catalog": catalog, "table": table, **options}
        frame.write.format("forklake").options(**named).mode(mode).save()


@pytest.fixture(scope="module")
def place(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Place]:
    url = f"sqlite:{tmp_path_factory.mktemp('connector') / 'lake.db'}"
    with forklake.open(url, spark=forklake.register(spark)) as lake:
        yield Place(lake, url, spark)


@pytest.fixture(scope="module")
def in_tasks(place: Place) -> Place:
    """The same lake, in a session whose driver nobody answers for: Python in Spark's tasks reads and writes."""
    session = place.spark.newSession()
    register_source(session, LakeSource)
    return replace(place, spark=session)


@pytest.fixture(params=["the driver", "tasks"])
def each(request: pytest.FixtureRequest, place: Place, in_tasks: Place) -> Place:
    return place if request.param == "the driver" else in_tasks


@pytest.fixture(scope="module")
def shop(place: Place) -> Catalog:
    """A catalog with a table of all types that has seen deletes, inlined rows and other columns."""
    made = place.lake.create_catalog("shop")
    made.create_table("t", TYPES)
    table = made.table("t")
    table.append([{"id": 1, **FULL}, {"id": 2, **EMPTY}, {"id": 3, **FULL}])
    table.append([{"id": 4, **EMPTY}, {"id": 5, **FULL}])
    table.delete("id = 3")
    made.options.set("data_inlining_row_limit", 1)
    table.append([{"id": 6, **FULL}])
    made.options.set("data_inlining_row_limit", 0)
    made.table("t").alter.add_column(ColumnDefinition("size", "INTEGER", default="7"))
    made.table("t").alter.add_column(("c", "DOUBLE"), parent="s")
    made.table("t").alter.rename_column("item", "thing")
    made.table("t").alter.drop_column("d")
    return made


def shown(frame: DataFrame) -> list[str]:
    return sorted(map(str, frame.collect()))


def source(options: dict[str, str]) -> Source:
    return parse_options(options, Use.READ).source


def named(place: Place, catalog: str = "shop", table: str = "t") -> dict[str, str]:
    return {"lake": place.url, "catalog": catalog, "table": table}


def test_the_examples_of_the_guide_run(spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert run_examples(Path(__file__).parents[2] / "docs" / "guide" / "connector.md") > 15


# ---- reading ---------------------------------------------------------------------------------------------------------


def test_a_table_reads_the_same_as_through_its_handle(each: Place, shop: Catalog) -> None:
    table = shop.table("t")
    frame = each.read("shop")
    assert frame.schema == table.inspect.spark_schema
    assert shown(frame) == shown(table.dataframe())
    some = frame.where("id >= 4 AND thing IS NOT NULL AND u = '550e8400-e29b-41d4-a716-446655440000'")
    assert [row.id for row in some.select("id").orderBy("id").collect()] == [5, 6]


def test_a_read_is_a_plan_of_spark_as_that_of_the_handle(place: Place, in_tasks: Place, shop: Catalog) -> None:
    condition, names = "id BETWEEN 2 AND 5 AND size = 7", ["id", "size"]
    ours, direct = place.read("shop"), shop.table("t").dataframe()
    plans = [physical_plan(frame.where(condition).select(*names)) for frame in (ours, direct)]
    scans = [re.findall(r"FileScan.*?ReadSchema: \S+", re.sub(r"#\d+L?", "", plan)) for plan in plans]
    assert scans[0] == scans[1]
    assert scans[0]
    assert "GreaterThanOrEqual(id,2)" in scans[0][0]
    assert "Python" not in plans[0]
    assert "Python" in physical_plan(in_tasks.read("shop"))


@pytest.mark.parametrize("seed", range(3))
def test_random_queries_find_the_same_rows_as_over_a_frame_of_spark(place: Place, seed: int) -> None:
    drawn = random.Random(seed)
    catalog = place.lake.create_catalog(f"random {seed}")
    catalog.create_table("t", {"id": "BIGINT", "a": "INTEGER", "b": "VARCHAR"})
    rows = [{"id": n, "a": drawn.choice([None, 1, 2, 3]), "b": drawn.choice("xyz")} for n in range(60)]
    for first in range(0, 60, 20):
        catalog.table("t").append(rows[first : first + 20])
    catalog.table("t").delete("id % 7 = 3")
    kept = [row for row in rows if row["id"] % 7 != 3]  # type: ignore[operator]
    place.read(catalog.name).createOrReplaceTempView("ours")
    place.spark.createDataFrame(
        [(row["id"], row["a"], row["b"]) for row in kept], "id bigint, a int, b string"
    ).cache().createOrReplaceTempView("plain")
    conditions = ["l.id > 20", "l.a = 2", "l.b <> 'x'", "l.a IS NULL", "l.id % 3 = 1 OR l.b = 'y'", "rand(1) >= 0"]
    shapes = [
        "SELECT * FROM {t} l WHERE {c} AND {d}",
        "SELECT l.b, count(*), sum(l.a), min(l.id) FROM {t} l WHERE {c} GROUP BY l.b",
        "SELECT l.id, r.b FROM {t} l JOIN {t} r ON l.id = r.id + 1 WHERE {c} AND {d}",
        "SELECT l.id FROM {t} l LEFT ANTI JOIN (SELECT * FROM {t} l WHERE {d}) r ON l.a = r.a WHERE {c}",
        "SELECT l.id, l.a FROM {t} l WHERE {c} AND l.id > (SELECT avg(id) FROM {t})",
        "WITH w AS (SELECT a, id FROM {t} l WHERE {c}) SELECT x.a, count(*) FROM w x JOIN w y USING (a) GROUP BY x.a",
        "SELECT 1 FROM {t} l WHERE {c} UNION ALL SELECT count(*) FROM {t} l WHERE {d}",
        "SELECT l.id, row_number() OVER (PARTITION BY l.b ORDER BY l.id) FROM {t} l WHERE {c} ORDER BY l.id LIMIT 9",
    ]
    for shape in shapes:
        words = {"c": drawn.choice(conditions), "d": drawn.choice(conditions)}
        found, expected = (shown(place.spark.sql(shape.format(t=t, **words))) for t in ("ours", "plain"))
        assert found == expected, (shape, words)
    for view in ("ours", "plain"):
        place.spark.catalog.dropTempView(view)


def test_another_session_knows_the_format_once_it_is_registered_there(place: Place, shop: Catalog) -> None:
    other = place.spark.newSession()
    reader = other.read.format("forklake").options(**named(place))
    with pytest.raises(PySparkException, match="forklake"):
        reader.load()
    assert forklake.register(other) is other
    forklake.register(other)
    assert reader.load().count() == shop.table("t").count()


def test_a_fork_and_the_past_are_read_by_option(place: Place, shop: Catalog) -> None:
    snapshots = shop.snapshots()
    first = next(one for one in snapshots if "inserted_into_table" in (one.changes_made or ""))
    assert place.read("shop", version=first.snapshot_id).count() == 3
    assert place.read("shop", "main.t", timestamp=first.snapshot_time.isoformat()).count() == 3
    frame = place.read("shop")
    shop.fork("agent").table("t").delete("id = 1")
    shop.table("t").append([{"id": 7}])
    assert (place.read("agent").count(), frame.count(), place.read("shop").count()) == (4, 5, 6)
    shop.table("t").delete("id = 7")


def test_the_past_is_read_in_the_spelling_of_delta_and_of_iceberg(place: Place, shop: Catalog) -> None:
    first = next(one for one in shop.snapshots() if "inserted_into_table" in (one.changes_made or ""))
    milliseconds = int(first.snapshot_time.timestamp() * 1000) + 1
    for options in (
        {"versionAsOf": first.snapshot_id},
        {"snapshot-id": first.snapshot_id},
        {"timestampAsOf": first.snapshot_time.isoformat()},
        {"as-of-timestamp": milliseconds},
    ):
        frame = place.read("shop", **options)
        assert "item" in frame.columns, options
    assert place.read("shop", versionAsOf=first.snapshot_id).count() == 3


def test_an_option_that_spark_hands_over_without_effect_is_refused(place: Place, shop: Catalog) -> None:
    with pytest.raises(PySparkException, match=r'(?i)has no option "versionasoff"'):
        place.read("shop", versionAsOff=1)
    with pytest.raises(PySparkException, match="takes no path"):
        place.spark.read.format("forklake").options(**named(place)).load("t")
    words = ", ".join(f"{name} '{value}'" for name, value in named(place).items())
    with pytest.raises(PySparkException, match="CREATE TABLE"):
        place.spark.sql(f"CREATE TABLE kept USING forklake OPTIONS ({words})")
    # A schema that is given spares Spark the question for one: the reader itself is asked then.
    reader = place.spark.read.format("forklake").options(**named(place)).schema("id bigint")
    with pytest.raises(PySparkException, match='"commit_key" is for a write'):
        reader.option("commit_key", "x").load().collect()


def test_changes_are_read_as_the_change_feed_shows_them(each: Place) -> None:
    catalog = each.lake.create_catalog(name := f"feed of {each.spark.conf.get('spark.forklake.source', 'tasks')}")
    catalog.create_table("t", {"id": "BIGINT", "change_type": "VARCHAR"})
    table = catalog.table("t")
    table.append([{"id": 1}, {"id": 2}, {"id": 3}])
    first = catalog.head
    table.delete("id = 2")
    catalog.table("t").alter.rename_column("change_type", "kind")
    table.update({"kind": "'new'"}, where="id = 1")
    middle = catalog.snapshots()[-1]
    frame = each.read(name, readChangeFeed=True, startingVersion=first)
    table.append([{"id": 4}])
    expected = table.changes(first, middle.snapshot_id)
    assert frame.dtypes == expected.dtypes
    assert shown(frame) == shown(expected)
    assert "update_preimage" in str(shown(frame))
    added = each.read(name, startingTimestamp="2026-01-01", endingVersion=first)
    assert added.columns == ["snapshot_id", "rowid", "id", "change_type"]
    assert sorted(row.id for row in added.collect()) == [1, 2, 3]
    with pytest.raises(PySparkException, match='with a column "change_type" cannot be read this way'):
        each.read(name, changes=True, startingVersion="earliest", endingVersion=first)
    with pytest.raises(PySparkException, match="is where a stream can begin"):
        each.read(name, startingVersion="latest").collect()
    with pytest.raises(PySparkException, match="cannot start at snapshot"):
        each.read(name, startingVersion=middle.snapshot_id, endingVersion=first).collect()


def test_a_schema_chooses_columns(place: Place, shop: Catalog) -> None:
    reader = place.spark.read.format("forklake").options(**named(place))
    assert reader.schema("size int, id bigint").load().where("id < 3").orderBy("id").collect() == [(7, 1), (7, 2)]
    for schema, words in (("nope int", 'does not have a column with name "nope"'), ("id string", "is bigint, not")):
        with pytest.raises(PySparkException, match=words):
            reader.schema(schema).load().collect()


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"lake": ""}, 'needs the option "lake"'),
        ({"lake": "/nowhere/lake.db"}, 'Lake "/nowhere/lake.db" does not exist'),
        ({"catalog": "nope"}, 'Catalog "nope" does not exist'),
        ({"table": "nope"}, 'Table with name "nope" does not exist'),
        ({"table": "a.b.c"}, "is no name of a table"),
        ({"version": "1", "timestamp": "2026-01-01"}, "Cannot specify both VERSION and TIMESTAMP"),
        ({"version": "one"}, "is a whole number"),
        ({"version": "123456"}, "No snapshot found at version 123456"),
        ({"timestamp": "noon"}, "is a time, not"),
    ],
)
def test_options_that_cannot_be_used_are_refused(
    place: Place, shop: Catalog, options: dict[str, str], words: str
) -> None:
    def use() -> None:
        found = source(named(place) | options)
        with found.open_catalog() as catalog:
            found.table_of(catalog)

    with pytest.raises((InvalidInputError, NotFoundError), match=words):
        use()


def test_an_error_of_ours_reaches_the_user_of_spark(place: Place, shop: Catalog) -> None:
    with pytest.raises(PySparkException, match='Catalog "nope" does not exist'):
        place.read("nope")


# ---- files and tasks -------------------------------------------------------------------------------------------------


def test_a_condition_leaves_out_files_and_no_other_rows(place: Place) -> None:
    catalog = place.lake.create_catalog("pruned")
    catalog.create_table("t", {"id": "BIGINT", "name": "VARCHAR"}, partition_by=[PartitionField("id")])
    catalog.table("t").append([{"id": number // 2, "name": f"n{number}"} for number in range(8)])
    reader = TableReader(
        source(named(place, "pruned")), catalog.table("t").inspect.spark_schema, "id > 2 AND name = 'n7'"
    )
    (task,) = reader.partitions()
    assert isinstance(task, ScanTask)
    assert len(task.pieces) == 1
    assert shown(place.read("pruned", prune="id > 2 AND name = 'n7'")) == shown(
        catalog.table("t").dataframe(where="id = 3")
    )
    assert place.read("pruned", prune="id > 7").collect() == []
    with pytest.raises(NotFoundError):
        TableReader(source(named(place, "pruned")), catalog.table("t").inspect.spark_schema, "nope = 1").partitions()


def test_frames_of_one_load_do_not_change_each_other(place: Place, shop: Catalog) -> None:
    setting = "spark.sql.python.filterPushdown.enabled"
    before = place.spark.conf.get(setting, None)
    place.spark.conf.set(setting, "true")
    try:
        frame = place.read("shop")
        assert frame.where("id = 4").count() == 1
        assert frame.count() == shop.table("t").count()
    finally:
        place.spark.conf.unset(setting) if before is None else place.spark.conf.set(setting, before)


def test_large_files_are_divided_and_small_ones_read_together() -> None:
    def file(size: int) -> ScanFile:
        return ScanFile(DataFileId(1), "/f", size, 1, SnapshotId(1), SnapshotId(1))

    found = tasks([file(10), file(2 * PART_BYTES + 1), file(20), file(PART_BYTES)])
    counts = [[(piece.number, piece.count) for piece in task if isinstance(piece, FilePart)] for task in found]
    assert counts == [[(0, 3)], [(1, 3)], [(2, 3)], [(0, 1), (0, 1)], [(0, 1)]]


def test_parts_of_a_file_hold_all_its_rows_once(place: Place) -> None:
    catalog = place.lake.create_catalog("parted")
    catalog.create_table("t", {"id": "BIGINT"})
    catalog.options.set("parquet_row_group_size", 1000)
    catalog.table("t").append(place.spark.range(0, 5000, 1, 1))
    catalog.table("t").delete("id % 2 = 1")
    (task,) = TableReader(source(named(place, "parted")), catalog.table("t").inspect.spark_schema).partitions()
    assert isinstance(task, ScanTask)
    (piece,) = task.pieces
    assert isinstance(piece, FilePart)
    reader = TableReader(source(named(place, "parted")), catalog.table("t").inspect.spark_schema)
    pieces = [ScanTask((FilePart(piece.file, number, 3),), task.selection) for number in range(3)]
    parts = [[row for batch in reader.read(part) for row in batch.column(0).to_pylist()] for part in pieces]
    assert all(parts)
    assert [row for part in parts for row in part] == list(range(0, 5000, 2))


# ---- writing ---------------------------------------------------------------------------------------------------------


def test_rows_are_added_and_replaced_in_one_snapshot_each(each: Place, shop: Catalog) -> None:
    catalog = shop.fork(name := f"writes of {each.spark.conf.get('spark.forklake.source', 'tasks')}")
    table = catalog.table("t")
    before = catalog.head
    each.write(table.dataframe().repartition(2), name)
    assert (table.count(), len([one for one in catalog.snapshots() if one.snapshot_id > before])) == (10, 1)
    assert shown(each.read(name)) == sorted(shown(shop.table("t").dataframe()) * 2)
    each.write(each.spark.sql("SELECT 9L AS id, 'x' AS THING"), name, "overwrite")
    assert table.dataframe(["id", "thing", "size"]).collect() == [(9, "x", 7)]
    assert not list(Path(each.lake.data_path or "").rglob("write-*"))
    assert _lease_count(catalog) == 0


def test_a_table_of_sparks_own_catalog_is_not_made_and_nothing_is_written(place: Place, shop: Catalog) -> None:
    before = shop.fork("of spark").head
    writer = place.spark.sql("SELECT 9L AS id, 'x' AS thing").write.format("forklake")
    with pytest.raises(PySparkException, match=r"Spark does not keep its options\. Nothing was written"):
        writer.options(lake=place.url, catalog="of spark", table="t").mode("append").saveAsTable("of_spark")
    assert place.lake.catalog("of spark").head == before
    assert not place.spark.catalog.tableExists("of_spark")


@pytest.mark.parametrize("mode", ["append", "overwrite"])
def test_a_table_that_is_not_there_is_made_in_one_snapshot(place: Place, shop: Catalog, mode: str) -> None:
    catalog = shop.fork(f"makes {mode}")
    before = catalog.head
    frame = place.spark.sql("SELECT id, named_struct('a', id) AS s, CAST(id AS DECIMAL(9, 2)) AS d FROM range(6)")
    place.write(frame.repartition(2), catalog.name, mode, "made")
    made = catalog.table("made")
    assert len([one for one in catalog.snapshots() if one.snapshot_id > before]) == 1
    assert [(column.name, column.type) for column in made.columns] == [
        ("id", "int64"),
        ("s", "struct"),
        ("d", "decimal(9,2)"),
    ]
    assert shown(place.read(catalog.name, "made")) == shown(frame)
    with pytest.raises(PySparkException, match='Schema with name "none" does not exist'):
        place.write(frame, catalog.name, mode, "none.made")
    assert _lease_count(catalog) == 0


def test_a_table_that_was_made_meanwhile_stays_and_no_file_is_left(place: Place, shop: Catalog) -> None:
    catalog = shop.fork("made twice")
    frame = place.spark.sql("SELECT 1L AS id")
    one, other = (
        TableWriter(source(named(place, catalog.name, "twice")), frame.schema, overwrite=False, commit_key=None)
        for _ in range(2)
    )
    messages = [[writer.write(iter(pa.table({"id": [1]}).to_batches()))] for writer in (one, other)]
    one.commit([*messages[0]])
    with pytest.raises(AlreadyExistsError, match="twice"):
        other.commit([*messages[1]])
    assert catalog.table("twice").count() == 1
    assert len(list(Path(place.lake.data_path or "").rglob("twice/**/*.parquet"))) == 1
    assert _lease_count(catalog) == 0


def test_files_of_tasks_are_under_a_lease_until_they_are_committed(place: Place, shop: Catalog) -> None:
    catalog = shop.fork("leased")
    frame = place.spark.range(3)
    writer = TableWriter(source(named(place, "leased")), frame.schema, False, None)
    written: list[Any] = [writer.write(iter(frame.toArrow().to_batches()))]
    assert _lease_count(catalog) == 1
    assert catalog.maintenance.delete_orphaned_files(cleanup_all=True).files == ()
    before = catalog.table("t").count()
    writer.commit(written)
    assert catalog.table("t").count() == before + 3
    assert _lease_count(catalog) == 0


def test_tasks_whose_lease_was_taken_away_are_not_committed(place: Place, shop: Catalog) -> None:
    catalog = shop.fork("lost")
    frame, before = place.spark.range(3), catalog.table("t").count()
    writer = TableWriter(source(named(place, "lost")), frame.schema, False, None)
    written: list[Any] = [writer.write(iter(frame.toArrow().to_batches()))]
    with place.lake._runtime.store.writing() as session:
        session.execute("UPDATE forklake.ducklake_lease SET end_time = :now", now=session.now())
    assert len(catalog.maintenance.delete_orphaned_files(cleanup_all=True).files) == 1
    with pytest.raises(ForklakeError):
        writer.commit(written)
    assert catalog.table("t").count() == before
    assert not list(_parquet(catalog))


def test_a_commit_key_makes_a_write_idempotent(place: Place, shop: Catalog) -> None:
    catalog = shop.fork("keyed")
    before = catalog.table("t").count()
    for _ in range(2):
        place.write(place.spark.range(3), "keyed", commit_key="load 1")
    assert catalog.table("t").count() == before + 3
    assert len(catalog.table("t").storage.files()) == len(set(_parquet(catalog))) + len(shop.table("t").storage.files())


def test_a_write_that_fails_leaves_nothing_behind(place: Place, shop: Catalog) -> None:
    catalog = shop.fork("failing")
    head = catalog.head
    for query, words in (
        ("SELECT 1 AS nope", 'does not have a column with name "nope"'),
        # One task: another that still runs when the write is given up may leave a file, which no table knows of.
        (
            "SELECT CASE WHEN id < 3 THEN '1' ELSE 'many' END AS id FROM range(0, 4, 1, 1)",
            "Could not convert string 'many'",
        ),
    ):
        with pytest.raises(PySparkException, match=words):
            place.write(place.spark.sql(query), "failing")
    for option, words in (
        ("version", "is for a read, not for a write"),
        ("mergeSchema", '(?i)no option "mergeschema"'),
    ):
        with pytest.raises(PySparkException, match=words):
            place.write(place.spark.range(1), "failing", **{option: str(head)})
    assert catalog.head == head
    assert not list(_parquet(catalog))
    assert _lease_count(catalog) == 0


def test_a_write_is_refused_if_the_table_was_altered_meanwhile(place: Place, shop: Catalog) -> None:
    catalog = shop.fork("altered")
    frame = place.spark.range(1)
    writer = TableWriter(source(named(place, "altered")), frame.schema, False, None)
    written: list[Any] = [writer.write(iter(frame.toArrow().to_batches()))]
    assert isinstance(written[0], WrittenFiles)
    assert written[0].files
    catalog.table("t").alter.drop_column("size")
    with pytest.raises(ConflictError, match="was altered while rows for it were written"):
        writer.commit(written)
    assert not list(_parquet(catalog))
    assert _lease_count(catalog) == 0


def test_abort_removes_files_only_if_no_commit_was_tried(place: Place, shop: Catalog) -> None:
    catalog = shop.fork("aborted")
    frame = place.spark.range(1)
    writer = TableWriter(source(named(place, "aborted")), frame.schema, False, None)
    written: list[Any] = [writer.write(iter(frame.toArrow().to_batches()))]
    writer.abort(written)
    assert list(_parquet(catalog))
    assert _lease_count(catalog) == 1
    writer.abort([*written, None])
    assert not list(_parquet(catalog))
    assert _lease_count(catalog) == 0


def test_a_task_that_runs_on_when_the_write_is_over_writes_nothing(place: Place, shop: Catalog) -> None:
    catalog = shop.fork("late")
    frame = place.spark.range(1)
    for is_committed in (False, True):
        writer = TableWriter(source(named(place, "late")), frame.schema, False, None)
        written: list[Any] = [writer.write(iter(frame.toArrow().to_batches()))]
        writer.commit(written) if is_committed else writer.abort([*written, None])
        left = _parquet(catalog)
        with pytest.raises(DataFileError, match="was not written"):
            writer.write(iter(frame.toArrow().to_batches()))
        assert _parquet(catalog) == left
        assert not list(Path(catalog.inspect.info.data_path).rglob("write-*"))


def _lease_count(catalog: Catalog) -> int:
    found = catalog._runtime.store.query(
        "SELECT 1 FROM forklake.ducklake_lease WHERE catalog_id = :c", c=catalog.catalog_id
    )
    return len(found)


def _parquet(catalog: Catalog) -> list[Path]:
    return list(Path(catalog.inspect.info.data_path).rglob("*.parquet"))
