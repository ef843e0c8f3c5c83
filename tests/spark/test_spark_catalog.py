"""Catalogs of a lake in a Spark session: statements, snapshots, sessions and what is refused."""

import os
import random
import re
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from datetime import timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

import duckdb
import pytest
from pyspark.errors import AnalysisException, IllegalArgumentException, PySparkException
from pyspark.sql import SparkSession
from pyspark.sql import functions as F  # noqa: N812

import forklake
from forklake import Catalog, Lake, SparkCatalog
from forklake.errors import AlreadyExistsError, EngineError, ForklakeError, InvalidInputError, NotFoundError
from forklake.spark_catalog import bridge, classes
from tests.lakes import lakes
from tests.pages import DOCS, run_examples
from tests.servers import PostgresServer

GUIDE = DOCS / "guide" / "spark.md"
OURS = (
    "ALTER TABLE shop.main.orders ADD CONSTRAINT",
    "ALTER TABLE shop.main.orders DROP PARTITION",
    "ALTER TABLE shop.main.orders REPLACE COLUMNS",
    "ALTER TABLE shop.main.orders DEFAULT COLLATION",
    "MERGE",
    "ANALYZE",
    "MSCK",
    "LOAD",
    "SHOW",
    "CALL",
    "CREATE VIEW",
    "CREATE INDEX",
)
"""Commands that Spark would refuse in words of its own."""
VIEWS = re.compile(r"(CREATE|CREATE OR REPLACE|ALTER|DROP) VIEW|SHOW VIEWS|SELECT .* shop\.stock\.kinds")
"""What Spark can do with views of a catalog since 4.2."""

STARTED_WITH_SETTINGS = """
import sys
from pyspark.sql import SparkSession
import forklake
lake = sys.argv[1]
past = {"lake": lake, "catalog": "shop", "at": "1"}
given = {f"spark.forklake.catalog.past.{key}": value for key, value in past.items()}
spark = SparkSession.builder.config(map=given | {"spark.sql.catalog.early": "forklake.LakeCatalog"}).getOrCreate()
def refused(act):
    try:
        act()
    except Exception as error:
        print(str(error).replace("\\n", " "))
refused(lambda: spark.sql("SHOW SCHEMAS IN early"))
refused(lambda: forklake.attach(spark, lake, catalog="shop", as_="early"))
found = forklake.attach_configured(spark)
refused(lambda: spark.sql("SHOW SCHEMAS IN early"))
print(sorted(found), *(spark.table(f"{name}.main.orders").collect() for name in found))
"""
"""A program whose session is started with catalogs among its settings."""


@pytest.fixture
def session(spark: SparkSession) -> SparkSession:
    """Give a session of its own, without views and catalogs of other tests."""
    return spark.newSession()


@pytest.fixture
def lake(tmp_path: Path, session: SparkSession) -> Iterator[Lake]:
    with forklake.open(str(tmp_path / "lake.db"), data_path=tmp_path / "data", spark=session) as opened:
        yield opened


@pytest.fixture
def shop(lake: Lake, session: SparkSession) -> Iterator[Catalog]:
    made = lake.create_catalog("shop")
    made.options.set("data_inlining_row_limit", 10)
    with lake.attach(session, catalog="shop"):
        yield made


def rows(session: SparkSession, text: str) -> list[tuple[Any, ...]]:
    return [tuple(row) for row in session.sql(text).collect()]


# ---- the guide -------------------------------------------------------------------------------------------------------


def test_the_examples_of_the_guide_run(spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert run_examples(GUIDE) > 10


def test_every_statement_of_the_guide_runs_and_changes_make_one_commit(
    session: SparkSession, shop: Catalog, tmp_path: Path
) -> None:
    page = GUIDE.read_text(encoding="utf-8")
    blocks = re.findall(r"^```sql\n(.*?)^```", page, flags=re.DOTALL | re.MULTILINE)
    statements = [line.rstrip(";") for block in blocks for line in block.splitlines()]
    if session.version.startswith("4.1"):
        statements = [
            line
            for line in statements
            if not re.match(r"(CREATE|CREATE OR REPLACE|ALTER|DROP) VIEW|SHOW VIEWS|.* shop.stock.kinds", line)
        ]
    assert len(statements) > 50
    session.sql("CREATE TABLE shop.main.orders (id BIGINT, item STRING, amount DECIMAL(10, 2))")
    session.sql("INSERT INTO shop.main.orders VALUES (1, 'apple', 1.50), (2, 'pear', 2.50)")
    changes = ("CREATE SCHEMA", "CREATE TABLE", "CREATE OR", "ALTER", "COMMENT", "INSERT", "UPDATE", "DELETE", "MERGE")
    for statement in statements:
        before = len(shop.snapshots())
        session.sql(statement).collect()
        made = len(shop.snapshots()) - before
        if statement.startswith((*changes, "TRUNCATE", "DROP")) and "EXISTS" not in statement:
            assert made == 1, statement
    assert shop.schemas.list() == ["main"]


def test_what_the_guide_says_is_refused_is_refused_and_changes_nothing(session: SparkSession, shop: Catalog) -> None:
    table = GUIDE.read_text(encoding="utf-8").partition("## What is refused")[2].partition("## Forks")[0]
    refused = re.findall(r"^\| `([^`]+)`(?:, `([^`]+)`)? \|", table, flags=re.MULTILINE)
    refused = [statement for found in refused for statement in found if statement]
    assert len(refused) > 8
    session.sql("CREATE TABLE shop.main.orders (id BIGINT, item STRING, amount DECIMAL(10, 2))")
    session.sql("INSERT INTO shop.main.orders VALUES (1, 'pear', 2.5)")
    instead = re.findall(r"\| `((?:INSERT|CALL|ALTER)[^`.]*\.[^`]*)`[^|]*\|$", table, flags=re.MULTILINE)
    for statement in instead:
        if "..." not in statement:
            session.sql(statement)
    assert len(instead) > 6
    before = shop.head
    for statement in refused:
        with pytest.raises(PySparkException) as found:
            session.sql(statement).collect()
        assert "Py4J" not in str(found.value), statement
        assert "Traceback" not in str(found.value), statement
        if statement.startswith(OURS):
            assert "\nHint: " in str(found.value), statement
    assert shop.head == before
    streams: list[Callable[[], object]] = [
        lambda: session.readStream.table("shop.main.orders"),
        lambda: session.readStream.format("rate").load().writeStream.toTable("shop.main.orders"),
        lambda: session.readStream.format("rate").load().writeStream.toTable("shop.main.unknown"),
    ]
    for stream in streams:
        with pytest.raises(IllegalArgumentException, match="forklake"):
            stream()
    assert shop.head == before


# ---- reads -----------------------------------------------------------------------------------------------------------


def make_varied_table(shop: Catalog) -> forklake.Table:
    """Make a table with files, deletes, inlined rows, partitions, evolved and nested columns, and odd names."""
    table = shop.create_table(
        "Odd Name",
        {"Id": "BIGINT", "k": "INTEGER", "when": "TIMESTAMP", "v": "VARCHAR", "s": "STRUCT(a INTEGER, b VARCHAR[])"},
        partition_by=["month(when)"],
    )
    made = [
        {
            "Id": number,
            "k": number % 7,
            "when": f"2026-{number % 5 + 1:02}-03 10:00:00",
            "v": None if number % 11 == 0 else f"v{number % 13}",
            "s": {"a": number, "b": [str(number), None]},
        }
        for number in range(60)
    ]
    table.append(made[:40])
    table.delete("Id % 9 = 4")
    table.alter.add_column(forklake.ColumnDefinition("extra", "DECIMAL(9,2)", default="1.25"))
    table.alter.rename_column("k", "kind")
    table.append(
        [{**{n: row[n] for n in ("Id", "when", "v", "s")}, "kind": row["k"], "extra": "7.5"} for row in made[40:]]
    )
    table.append([{"Id": 1000, "kind": 3, "v": "inlined"}])
    table.update({"v": "v || '!'"}, where="kind = 2")
    table.alter.comment("what it is", column="kind")
    return table


def test_random_queries_on_attached_tables_equal_the_same_on_raw_rows(session: SparkSession, shop: Catalog) -> None:
    table = make_varied_table(shop)
    shop.create_table("empty", {"Id": "BIGINT", "kind": "INTEGER", "v": "VARCHAR"})
    session.createDataFrame(table.dataframe().collect(), table.inspect.spark_schema).createTempView("raw")
    session.createDataFrame([], "Id BIGINT, kind INT, v STRING").createTempView("raw_empty")
    chance = random.Random(16)
    conditions = ["x.Id % 3 = 1", "x.v LIKE 'v1%'", "x.kind IN (1, 2, 5)", "x.s.a > 20", "x.extra < 5", "x.v IS NULL"]
    shapes = [
        "SELECT x.Id, x.v, x.extra FROM {t} x WHERE {c}",
        "SELECT x.kind, count(*), sum(x.extra), max(x.v) FROM {t} x WHERE {c} GROUP BY x.kind",
        "SELECT x.Id, y.Id, y.s FROM {t} x JOIN {t} y ON x.kind = y.kind AND x.Id < y.Id WHERE {c}",
        "SELECT x.Id FROM {t} x LEFT JOIN {e} e ON x.Id = e.Id WHERE {c} AND e.v IS NULL",
        "SELECT x.Id FROM {t} x WHERE {c} AND x.Id IN (SELECT max(y.Id) FROM {t} y GROUP BY y.kind)",
        "WITH w AS (SELECT * FROM {t} x WHERE {c}) SELECT kind, count(*) OVER (PARTITION BY kind) FROM w",
        "SELECT x.Id, p.item FROM {t} x LATERAL VIEW explode(x.s.b) p AS item WHERE {c}",
    ]
    for _ in range(12):
        shape, condition = chance.choice(shapes), " AND ".join(chance.sample(conditions, chance.randint(1, 2)))
        ours = shape.format(t="shop.main.`odd name`", e="shop.EMPTY", c=condition)
        raw = shape.format(t="raw", e="raw_empty", c=condition)
        assert sorted(map(str, rows(session, ours))) == sorted(map(str, rows(session, raw))), ours


def test_a_read_is_the_plan_of_the_tables_frame(session: SparkSession, shop: Catalog) -> None:
    table = shop.create_table("orders", {"id": "BIGINT", "item": "VARCHAR"})
    table.append(session.range(100).selectExpr("id", "'x' AS item"))

    def plan(frame: Any) -> str:
        found = frame.where("id > 3")._jdf.queryExecution().optimizedPlan().canonicalized().toString()
        return re.sub(r"#\d+|@\w+", "", found)

    assert plan(session.table("shop.main.orders")) == plan(table.dataframe())


def test_time_travel_reaches_snapshots_times_and_tags_of_the_lineage_only(
    session: SparkSession, shop: Catalog, lake: Lake
) -> None:
    table = shop.create_table("orders", {"id": "BIGINT"})
    table.append([{"id": 1}])
    first = shop.head
    shop.tag("one")
    time = shop.snapshots()[-1].snapshot_time
    table.append([{"id": 2}])
    other = lake.create_catalog("other")
    other.create_table("orders", {"id": "BIGINT"}).append([{"id": 99}])
    count = "SELECT count(*) FROM shop.main.orders"
    micros = int(time.timestamp() * 1_000_000) + 1
    assert rows(session, f"{count} VERSION AS OF {first}") == [(1,)]
    assert rows(session, f"{count} VERSION AS OF 'one'") == [(1,)]
    assert rows(session, f"{count} TIMESTAMP AS OF timestamp_micros({micros})") == [(1,)]
    assert session.read.option("versionAsOf", first).table("shop.main.orders").count() == 1
    assert rows(session, count) == [(2,)]
    for wrong in (f"VERSION AS OF {other.head}", "VERSION AS OF 'none'", "TIMESTAMP AS OF '1990-01-01'"):
        with pytest.raises(IllegalArgumentException, match="No snapshot"):
            session.sql(f"{count} {wrong}")
    for call, message in {
        "fork('f', tag => '2026-01-01')": 'tag "2026-01-01"',
        "fork('f', timestamp => 'one')": "no timestamp",
        f"fork('f', snapshot_id => {first}, tag => 'one')": "not at several",
        "frok('f')": 'no procedure "system.frok"',
    }.items():
        with pytest.raises(IllegalArgumentException, match=message):
            session.sql(f"CALL shop.system.{call}")
    assert rows(session, "CALL shop.system.fork('f', tag => 'one')")[0][0] == "f"
    assert lake.catalog("f").table("orders").count() == 1
    with pytest.raises(AnalysisException, match="SINGLE_PART_NAMESPACE"):
        session.sql("SELECT * FROM other.main.orders")
    with pytest.raises(AnalysisException, match="TABLE_OR_VIEW_NOT_FOUND"):
        session.sql("SELECT * FROM shop.other.main.orders")
    reader = session.read.option("catalog", "other").option("lake", "lake.db")
    if session.version >= "4.3":
        with pytest.raises(IllegalArgumentException, match="no option"):
            reader.table("shop.main.orders")
    else:  # such options do not reach a catalog
        assert sorted(row.id for row in reader.table("shop.main.orders").collect()) == [1, 2]


def test_a_fork_is_merged_and_dropped_by_procedures_of_the_attachment_that_made_it(
    session: SparkSession, shop: Catalog, lake: Lake, caplog: pytest.LogCaptureFixture
) -> None:
    shop.create_table("orders", {"id": "BIGINT"}).append([{"id": 1}])
    lake.create_catalog("other")
    shop.fork("theirs")
    session.sql("CALL shop.system.fork('trial')")
    lake.catalog("trial").table("orders").append([{"id": 2}])
    for dry_run in ("true", "false"):
        (merged,) = rows(session, f"CALL shop.system.merge('trial', dry_run => {dry_run})")
        assert (merged[1], merged[4], merged[7]) == ("rows", "orders", 1)
    assert rows(session, "SELECT count(*) FROM shop.main.orders") == [(2,)]
    for call in ("merge('other')", "merge('theirs')", "drop_fork('theirs')", "drop_fork('none')"):
        with pytest.raises(IllegalArgumentException, match="was made by this attachment"):
            session.sql(f"CALL shop.system.{call}")
    with pytest.raises(IllegalArgumentException, match="A strategy is one of"):
        session.sql("CALL shop.system.merge('trial', strategy => 'mine')")
    session.sql("CALL shop.system.merge('trial', author => 'ada', message => 'checked')")
    session.sql("CALL shop.system.drop_fork('trial', author => 'ada', message => 'done')")
    (dropped,) = lake.dropped_catalogs()
    assert (dropped.name, dropped.author, dropped.message) == ("trial", "ada", "done")
    with caplog.at_level("INFO", "forklake"):
        session.sql("CALL shop.system.set_option('parquet_compression', 'zstd', author => 'ada', message => 'smaller')")
    assert any("ada" in said and "smaller" in said for said in caplog.messages)
    assert [one.name for one in lake.catalogs()] == ["other", "shop", "theirs"]


def test_calls_of_what_there_is_not_say_what_there_is_and_do_nothing(
    session: SparkSession, shop: Catalog, lake: Lake
) -> None:
    before = shop.head
    none = r'There is no procedure "{}" in catalog "shop"; nothing was done\.\nHint: {}There are, in its schema sys'
    for call, message in {
        "shop.system.nope()": none.format(r"system\.nope", ""),
        "shop.system.snapshot()": none.format(r"system\.snapshot", r"Did you mean shop\.system\.snapshots\? "),
        "shop.snapshots()": none.format("snapshots", r"Did you mean shop\.system\.snapshots\? "),
        "shop.main.tags()": none.format(r"main\.tags", r"Did you mean shop\.system\.tags\? "),
        "shoop.system.tags()": "shoop|Catalog spark_catalog does not support procedures",
        "shop.system.fork()": "`name` is required",
        "shop.system.fork(nme => 'f')": r"following\? .`name`",
        "shop.system.fork('f', name => 'g')": "`name`",
        "shop.system.fork('f', 1, NULL, NULL, NULL, 6)": r"`fork` requires .* 6",
        "shop.system.fork(array('f'))": '"STRING"',
        "shop.system.fork(name => NULL)": 'The parameter "name" of procedure "fork" is NULL; nothing was done',
        "shop.system.snapshots('many')": "'many'",
        "shop.system.table_changes('other.main.orders', 1)": "no name of a table",
    }.items():
        with pytest.raises(PySparkException, match=f"(?i){message}") as found:
            session.sql(f"CALL {call}")
        assert not re.search(r"Py4J|Traceback|\tat ", str(found.value)), call
    with pytest.raises(IllegalArgumentException, match=r'no procedure "system\.nope"'):
        session.sql("DESCRIBE PROCEDURE shop.system.nope").collect()
    assert rows(session, "DESCRIBE PROCEDURE shop.system.tag")[1] == (
        "Description: tag(name STRING, [snapshot_id BIGINT], [message STRING])",
    )
    assert rows(session, "SHOW PROCEDURES IN shop") == rows(session, "SHOW PROCEDURES IN shop.system") != []
    assert (shop.head, len(lake.catalogs())) == (before, 1)


def test_procedures_take_expressions_full_names_and_times_of_the_session(
    session: SparkSession, shop: Catalog, lake: Lake
) -> None:
    shop.create_table("orders", {"id": "BIGINT"}).append([{"id": 1}])
    at = shop.snapshots()[0].snapshot_time
    session.conf.set("spark.sql.session.timeZone", "Asia/Tokyo")
    session.sql("CALL shop.system.fork(concat('now', 1), timestamp => now() - INTERVAL 0 SECONDS)")
    assert lake.catalog("now1").table("orders").count() == 1
    wall = (at + timedelta(hours=9, seconds=-1)).strftime("%Y-%m-%d %H:%M:%S")
    for time in (f"'{wall}'", f"TIMESTAMP '{wall}'", f"'{(at - timedelta(seconds=1)).isoformat()}'"):
        assert rows(session, f"CALL shop.system.expire_snapshots(older_than => {time}, dry_run => true)") == [], time
    session.sql("CALL shop.system.fork('brief', ttl => now() + INTERVAL 1 HOUR)")
    lifetime = lake.catalog("brief").inspect.lifetime
    assert lifetime is not None
    assert timedelta(minutes=50) < lifetime.expires_at - at < timedelta(minutes=70)
    changes = "CALL shop.system.table_changes('SHOP.main.orders', start_snapshot => int(substring('10', 1, 1)))"
    assert len(rows(session, changes)) == 1


def test_views_and_cached_tables_see_later_rows_and_frames_do_not(session: SparkSession, shop: Catalog) -> None:
    shop.create_table("orders", {"id": "BIGINT"}).append([{"id": 1}])
    session.sql("CREATE TEMPORARY VIEW seen AS SELECT * FROM shop.main.orders")
    session.sql("CACHE TABLE shop.main.orders")
    frame = session.table("shop.main.orders")
    session.sql("INSERT INTO shop.main.orders VALUES (2)")
    shop.table("orders").append([{"id": 3}])
    assert frame.count() == 1
    assert session.table("seen").count() == session.table("shop.main.orders").count() == 3


def test_views_of_the_lake_are_read_at_the_statements_snapshot_and_lead_nowhere_else(
    session: SparkSession, shop: Catalog, lake: Lake
) -> None:
    shop.create_table("orders", {"id": "BIGINT", "amount": "BIGINT"}).append(
        [{"id": n, "amount": n % 3} for n in range(9)]
    )
    shop.sql("CREATE VIEW main.sums (kind, n) AS SELECT amount, count(*) FROM orders GROUP BY ALL")
    lake.create_catalog("other").create_table("secret", {"id": "BIGINT"}).append([{"id": 1}])
    shop.views.create("leak", "SELECT * FROM other.main.secret")
    first = shop.head
    both = "SELECT sum(n) - (SELECT count(*) FROM shop.main.orders) FROM shop.main.sums"
    assert rows(session, both) == [(0,)]
    session.sql("INSERT INTO shop.main.orders VALUES (9, 0)")
    assert rows(session, both) == [(0,)]
    assert rows(session, f"SELECT sum(n) FROM shop.main.sums VERSION AS OF {first}") == [(9,)]
    assert [row.tableName for row in session.sql("SHOW TABLES IN shop.main").collect()] == ["leak", "orders", "sums"]
    with pytest.raises(IllegalArgumentException, match='"other" does not exist'):
        session.sql("SELECT * FROM shop.main.leak")
    for text in ("DELETE FROM shop.main.sums", "ALTER TABLE shop.main.sums ADD COLUMNS (x INT)"):
        with pytest.raises(PySparkException, match="is a view"):
            session.sql(text)
    session.sql("CREATE VIEW spark_catalog.default.of_lake AS SELECT kind FROM shop.main.sums")  # stored in no lake
    try:
        assert session.table("spark_catalog.default.of_lake").count() == 3
    finally:
        session.sql("DROP VIEW spark_catalog.default.of_lake")


# ---- one snapshot per statement --------------------------------------------------------------------------------------


def test_tables_of_one_statement_are_read_at_one_snapshot(
    session: SparkSession, shop: Catalog, monkeypatch: pytest.MonkeyPatch
) -> None:
    accounts = [shop.create_table(name, {"id": "BIGINT", "amount": "BIGINT"}) for name in ("a", "b")]
    for account in accounts:
        account.append([{"id": 1, "amount": 100}])
    answer = bridge._QUESTIONS["resolve"]

    def move() -> None:
        with shop.transaction() as transaction:
            transaction.table("a").update({"amount": "amount - 1"})
            transaction.table("b").update({"amount": "amount + 1"})

    def resolve_and_move(*given: Any) -> Any:
        found = answer(*given)
        move()
        return found

    monkeypatch.setitem(bridge._QUESTIONS, "resolve", resolve_and_move)
    session.sql("CREATE TEMPORARY VIEW sums AS SELECT sum(amount) AS n FROM shop.main.b")
    for text in (
        "SELECT a.amount + b.amount FROM shop.main.a JOIN shop.main.b ON a.id = b.id",
        "SELECT (SELECT amount FROM shop.main.a) + (SELECT n FROM sums)",
        "WITH x AS (SELECT amount FROM shop.main.b) SELECT a.amount + x.amount FROM shop.main.a, x",
    ):
        assert rows(session, text) == [(200,)], text
    assert rows(session, "SELECT amount FROM shop.main.a")[0][0] < 100


def test_the_sum_never_wavers_while_a_writer_moves_money(session: SparkSession, shop: Catalog) -> None:
    for name in ("a", "b"):
        shop.create_table(name, {"amount": "BIGINT"}).append([{"amount": 100}])
    stop = threading.Event()
    moved = 0

    def write() -> None:
        nonlocal moved
        while not stop.is_set():
            with shop.transaction() as transaction:
                transaction.table("a").overwrite([{"amount": 99 - moved}])
                transaction.table("b").overwrite([{"amount": 101 + moved}])
            moved += 1

    writer = threading.Thread(target=write)
    writer.start()
    try:
        seen = [
            rows(session, "SELECT a.amount + b.amount, a.amount FROM shop.main.a CROSS JOIN shop.main.b")[0]
            for _ in range(8)
        ]
    finally:
        stop.set()
        writer.join()
    assert {total for total, _ in seen} == {200}
    assert moved > 0


def test_a_change_whose_base_moved_conflicts_and_changes_nothing(
    session: SparkSession, shop: Catalog, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = shop.create_table("orders", {"id": "BIGINT"})
    table.append(session.range(50).coalesce(1))
    answer = bridge._QUESTIONS["target"]

    def answer_and_delete(*given: Any) -> Any:
        found = answer(*given)
        table.delete("id = 3")
        return found

    monkeypatch.setitem(bridge._QUESTIONS, "target", answer_and_delete)
    for text in ("DELETE FROM shop.main.orders WHERE id < 5", "UPDATE shop.main.orders SET id = 7 WHERE id = 3"):
        table.append([{"id": 3}])
        with pytest.raises(IllegalArgumentException, match="conflict"):
            session.sql(text)
        assert table.count() == 49


def test_rows_of_elsewhere_are_added_after_a_conflict_and_rows_of_the_catalog_are_not(
    session: SparkSession, shop: Catalog, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = shop.create_table("orders", {"id": "BIGINT"})
    table.append([{"id": 1}, {"id": 2}])
    answer = bridge._QUESTIONS["target"]

    def answer_and_delete(*given: Any) -> Any:
        found = answer(*given)
        table.delete("id < 3")
        return found

    monkeypatch.setitem(bridge._QUESTIONS, "target", answer_and_delete)
    session.sql("INSERT INTO shop.main.orders VALUES (3), (4)")
    assert sorted(table.rows()) == [(3,), (4,)]
    table.append([{"id": 1}])
    with pytest.raises(IllegalArgumentException, match="conflict"):
        session.sql("INSERT INTO shop.main.orders SELECT id + 10 FROM shop.main.orders")
    monkeypatch.setitem(
        bridge._QUESTIONS, "target", lambda *given: (answer(*given), table.alter.rename_column("id", "number"))[0]
    )
    with pytest.raises(IllegalArgumentException, match="altered meanwhile"):
        session.sql("INSERT INTO shop.main.orders VALUES (5)")
    assert sorted(table.rows()) == [(3,), (4,)]


def test_rows_that_replace_those_they_were_made_of_conflict_with_later_ones(
    session: SparkSession, shop: Catalog
) -> None:
    table = shop.create_table("orders", {"id": "BIGINT"})
    table.append([{"id": 1}])
    frame = session.table("shop.main.orders").where("id > 0")
    shop.table("orders").append([{"id": 2}])
    writer = frame.writeTo("shop.main.orders")
    replacements: list[Callable[[], object]] = [
        writer.createOrReplace,
        lambda: writer.overwrite(F.lit(True)),
        lambda: writer.overwrite(F.col("id") > 0),
        lambda: frame.write.mode("overwrite").insertInto("shop.main.orders"),
    ]
    for replace in replacements:
        with pytest.raises(IllegalArgumentException, match="conflict"):
            replace()
    assert sorted(shop.table("orders").rows()) == [(1,), (2,)]
    session.range(3).writeTo("shop.main.orders").createOrReplace()
    assert shop.table("orders").count() == 3


# ---- changes ---------------------------------------------------------------------------------------------------------


def test_a_change_may_read_its_own_table_anywhere(session: SparkSession, shop: Catalog) -> None:
    session.sql("CREATE TABLE shop.main.t AS SELECT 1 AS a")
    session.sql("INSERT INTO shop.main.t SELECT a + 1 FROM shop.main.t WHERE a IN (SELECT a FROM shop.main.t)")
    session.sql("FROM shop.main.t INSERT INTO shop.main.t SELECT 10 WHERE a = 1 INSERT INTO shop.main.t SELECT a + 20")
    assert sorted(rows(session, "SELECT a FROM shop.main.t")) == [(1,), (2,), (10,), (21,), (22,)]
    session.sql(
        "INSERT OVERWRITE shop.main.t SELECT max(a) FROM shop.main.t WHERE a < (SELECT max(a) FROM shop.main.t)"
    )
    assert rows(session, "SELECT a FROM shop.main.t") == [(21,)]


def test_assignments_are_checked_and_reach_fields_of_missing_structs(session: SparkSession, shop: Catalog) -> None:
    session.sql("CREATE TABLE shop.main.t (id INT NOT NULL, s STRUCT<a: INT, b: STRUCT<c: STRING, D: INT>>)")
    session.sql(
        "INSERT INTO shop.main.t VALUES (1, NULL), (2, named_struct('a', 1, 'b', named_struct('c', 'x', 'D', 5)))"
    )
    session.sql("UPDATE shop.main.t SET s.b.c = 'new', s.a = 9")
    assert sorted(rows(session, "SELECT id, s.a, s.b.c, s.b.d FROM shop.main.t")) == [
        (1, 9, "new", None),
        (2, 9, "new", 5),
    ]
    before = shop.head
    for text in ("id = 1, id = 2", "s.b.c = 'x', s.b.C = 'y'", "s.b = NULL, s.b.c = 'x'"):
        with pytest.raises(IllegalArgumentException, match="more than once"):
            session.sql(f"UPDATE shop.main.t SET {text}")
    with pytest.raises(IllegalArgumentException, match=r"NOT NULL constraint failed: t\.id"):
        session.sql("UPDATE shop.main.t SET id = NULL")
    assert shop.head == before


def test_random_changes_leave_the_rows_that_duckdb_has(session: SparkSession, shop: Catalog) -> None:
    chance = random.Random(5)
    oracle = duckdb.connect()
    for run in (session.sql, oracle.sql):
        where, kind = ("shop.main.t", "STRING") if run == session.sql else ("t", "VARCHAR")
        run(f"CREATE TABLE {where} (id BIGINT, n INT, v {kind})")
    session.sql("ALTER TABLE shop.main.t ALTER COLUMN n SET DEFAULT 4")
    oracle.sql("ALTER TABLE t ALTER COLUMN n SET DEFAULT 4")

    def values(count: int) -> str:
        start = chance.randint(0, 30)
        return ", ".join(f"({start + one}, {chance.randint(0, 9)}, 'v{chance.randint(0, 5)}')" for one in range(count))

    shapes: list[Callable[[], str]] = [
        lambda: f"INSERT INTO {{t}} VALUES {values(chance.choice([3, 15]))}",
        lambda: f"INSERT INTO {{t}} (id, v) VALUES ({chance.randint(0, 40)}, 'short')",
        lambda: f"UPDATE {{t}} SET n = n + 1, v = concat(v, '+') WHERE id % {chance.randint(2, 5)} = 0",
        lambda: f"UPDATE {{t}} SET n = (SELECT max(o.n) FROM {{t}} o) WHERE id > {chance.randint(10, 30)}",
        lambda: f"DELETE FROM {{t}} WHERE n = {chance.randint(0, 9)} OR v IN (SELECT min(v) FROM {{t}})",
        lambda: "DELETE FROM {t} WHERE EXISTS (SELECT 1 FROM {t} o WHERE o.id = {t}.id + 7 AND o.n > 5)",
        lambda: (
            f"MERGE INTO {{t}} AS t USING (SELECT * FROM (VALUES {values(6)}) AS x(id, n, v)) AS s ON t.id = s.id"
            " AND t.n > 2 WHEN MATCHED AND s.n > 6 THEN DELETE WHEN MATCHED THEN UPDATE SET v = s.v, n = s.n + t.n"
            " WHEN NOT MATCHED THEN INSERT (id, v) VALUES (s.id, s.v)"
            f" WHEN NOT MATCHED BY SOURCE AND t.id > {chance.randint(25, 40)} THEN UPDATE SET v = 'left'"
        ),
        lambda: "INSERT INTO {t} SELECT id + 50, n, v FROM {t} WHERE n < 3",
    ]
    for _ in range(14):
        text = chance.choice(shapes)()
        try:
            oracle.sql(text.format(t="t"))
        except duckdb.Error:
            continue
        session.sql(text.format(t="shop.main.t"))
        want = sorted(oracle.sql("SELECT id, n, v FROM t").fetchall(), key=str)
        assert sorted(rows(session, "SELECT id, n, v FROM shop.main.t"), key=str) == want, text
    assert len(want) > 5


def test_frames_replace_conditions_and_partitions_in_one_commit(session: SparkSession, shop: Catalog) -> None:
    session.sql("CREATE TABLE shop.main.t (id BIGINT, at TIMESTAMP_NTZ, k STRING) PARTITIONED BY (months(at), k)")
    made = session.range(12).selectExpr("id", "make_timestamp_ntz(2026, id % 3 + 1, 5, 0, 0, 0) AS at", "'a' AS k")
    made.writeTo("shop.main.t").append()
    before = len(shop.snapshots())
    made.where("id = 4").withColumn("id", F.lit(100).cast("bigint")).writeTo("shop.main.t").overwritePartitions()
    assert len(shop.snapshots()) == before + 1
    assert {row[0] for row in rows(session, "SELECT id FROM shop.main.t")} == {0, 3, 6, 9, 2, 5, 8, 11, 100}
    made.where("id = 1").writeTo("shop.main.t").overwrite((F.col("id") > 5) & (F.col("id") < 50))
    assert {row[0] for row in rows(session, "SELECT id FROM shop.main.t")} == {0, 3, 2, 5, 100, 1}
    session.conf.set("spark.sql.sources.partitionOverwriteMode", "dynamic")
    session.sql("INSERT OVERWRITE shop.main.t SELECT 7, TIMESTAMP_NTZ '2026-01-09 00:00:00', 'a'")
    assert {row[0] for row in rows(session, "SELECT id FROM shop.main.t")} == {2, 5, 100, 1, 7}
    assert [column.name for column in session.catalog.listColumns("shop.main.t")] == ["id", "at", "k"]
    assert session.catalog.getTable("shop.main.t").namespace == ["main"]
    assert shop.table("t").inspect.partition_by == (
        forklake.PartitionField("at", "epoch_month"),
        forklake.PartitionField("k"),
    )


def test_options_of_writes_are_refused_and_change_nothing(session: SparkSession, shop: Catalog) -> None:
    session.sql("CREATE TABLE shop.main.t (id BIGINT, k STRING) PARTITIONED BY (k)")
    made = session.range(3).selectExpr("id", "'a' AS k")
    made.writeTo("shop.main.t").append()
    before = shop.head
    saved = made.where("id = 1").write.mode("overwrite")
    added = made.where("id = 1").writeTo("shop.main.t").option("mergeSchema", "true")
    writes: list[tuple[str, Callable[[], object]]] = [
        ("replaceWhere", lambda: saved.option("replaceWhere", "id = 1").saveAsTable("shop.main.t")),
        ("replaceWhere", lambda: saved.option("replaceWhere", "id = 1").saveAsTable("shop.main.new")),
        ("mergeSchema", added.append),
        ("mergeSchema", lambda: added.overwrite(F.col("id") == 1)),
        ("mergeSchema", added.overwritePartitions),
        ("mergeSchema", added.createOrReplace),
        (
            "partitionOverwriteMode",
            lambda: made.write.option("partitionOverwriteMode", "dynamic").insertInto("shop.main.t", overwrite=True),
        ),
    ]
    for option, write in writes:
        with pytest.raises(IllegalArgumentException, match=f'no option "{option}"; nothing was .*\nHint: '):
            write()
    assert shop.head == before


def test_options_of_reads_are_refused_by_name(session: SparkSession, shop: Catalog) -> None:
    session.sql("CREATE TABLE shop.main.t (id BIGINT)")
    session.range(3).writeTo("shop.main.t").append()
    session.sql("DELETE FROM shop.main.t WHERE id = 1")
    reader = session.read.option("versionAsOf", str(shop.head))
    assert reader.table("shop.main.t").count() == 2
    reads: dict[str, Callable[[], object]] = {
        "readChangeFeed": lambda: session.read.option("readChangeFeed", "true").table("shop.main.t"),
        "split-size": lambda: reader.option("split-size", "5").table("shop.main.t"),
        "snapshot-id": lambda: session.sql("SELECT * FROM shop.main.t WITH (`snapshot-id` = 1)"),
    }
    for option, read in reads.items():
        with pytest.raises(IllegalArgumentException, match=f'no option "{option}"; nothing was read.\nHint: '):
            read()
    assert session.table("shop.main.t").count() == 2


def test_lengths_of_texts_are_not_kept_and_that_is_said(session: SparkSession, shop: Catalog) -> None:
    for column, kind, statement in (
        ("kind", r"VARCHAR\(10\)", "CREATE TABLE shop.main.t (id BIGINT, kind VARCHAR(10))"),
        ("c", r"CHAR\(3\)", "ALTER TABLE shop.main.t ADD COLUMN c CHAR(3)"),
        ("l", r"VARCHAR\(5\)", "CREATE TABLE shop.main.u (id BIGINT, l ARRAY<STRUCT<x: VARCHAR(5)>>)"),
    ):
        with pytest.warns(UserWarning, match=f'The length of {kind} of column "{column}" is not kept'):
            session.sql(statement)
    session.sql("INSERT INTO shop.main.t VALUES (1, 'longer than ten', 'abcd')")
    assert rows(session, "SELECT kind, c FROM shop.main.t") == [("longer than ten", "abcd")]


def test_workers_run_this_python_whichever_the_path_has(
    session: SparkSession, lake: Lake, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("PYSPARK_PYTHON", raising=False)
    monkeypatch.setattr(session.sparkContext, "pythonExec", "python3")  # as PySpark leaves it
    shop = lake.create_catalog("shop")
    with lake.attach(session, catalog="shop"):
        assert session.sparkContext.pythonExec == sys.executable
        session.sql("CREATE TABLE shop.main.t (id BIGINT, k STRING)")
        session.range(0, 240_000, numPartitions=2).selectExpr("id", "'old' AS k").writeTo("shop.main.t").append()
        for change in (
            "DELETE FROM shop.main.t WHERE id % 2 = 1",
            "UPDATE shop.main.t SET k = 'new' WHERE id % 4 = 0",
            "MERGE INTO shop.main.t USING (SELECT id * 6 AS id FROM range(40000)) s ON t.id = s.id"
            " WHEN MATCHED THEN UPDATE SET k = 'new'",
        ):
            monkeypatch.setattr(session.sparkContext, "pythonExec", "python3")  # another attachment need not mend it
            session.sql(change)
        assert (shop.table("t").count(), shop.table("t").count("k = 'new'")) == (120_000, 80_000)


def test_definitions_reach_the_lake(session: SparkSession, shop: Catalog) -> None:
    session.sql(
        "CREATE TABLE shop.main.t (id BIGINT NOT NULL COMMENT 'key', d DECIMAL(5,2) DEFAULT 1.5, at TIMESTAMP DEFAULT"
        " current_timestamp()) COMMENT 'all' TBLPROPERTIES ('team' = 'x', 'sorted_by' = 'id DESC, d')"
    )
    table = shop.table("t")
    assert [(column.name, column.type, column.nulls_allowed, column.comment) for column in table.columns] == [
        ("id", "int64", False, "key"),
        ("d", "decimal(5,2)", True, None),
        ("at", "timestamptz", True, None),
    ]
    assert table.inspect.tags == {"comment": "all", "team": "x"}
    assert [key.direction for key in table.inspect.sort_by] == ["DESC", "ASC"]
    session.sql("INSERT INTO shop.main.t (id) VALUES (1)")
    (found,) = table.rows()
    assert found[:2] == (1, Decimal("1.50"))
    assert found[2] is not None
    with pytest.raises(PySparkException, match="NULL"):
        session.sql("INSERT INTO shop.main.t (id) VALUES (NULL)")
    with pytest.raises(AnalysisException, match="ARITY"):
        session.sql("INSERT INTO shop.main.t VALUES (1)")
    with pytest.raises(AnalysisException, match="safely cast"):
        session.sql("INSERT INTO shop.main.t (id) VALUES ('x')")
    with pytest.raises(AnalysisException, match="ALREADY_EXISTS"):
        session.sql("CREATE TABLE shop.main.T AS SELECT 1 AS id")
    with pytest.raises(AnalysisException, match="SCHEMA_NOT_FOUND"):
        session.sql("CREATE TABLE shop.none.t (id INT)")
    shop.sql("CREATE TABLE main.drawn (\"the 'id'\" UUID DEFAULT uuid(), n INTEGER)")
    with pytest.raises(AnalysisException, match="Spark cannot give"):
        session.sql("INSERT INTO shop.main.drawn (n) VALUES (1)")
    for column, message in {
        "v STRING COLLATE UTF8_LCASE": "collation",
        "n BIGINT DEFAULT unix_timestamp()": "default",
    }.items():
        with pytest.raises(IllegalArgumentException, match=message):
            session.sql(f"CREATE TABLE shop.main.refused ({column})")
    session.conf.set("spark.sql.caseSensitive", True)
    with pytest.raises(IllegalArgumentException, match='"A" already exists'):
        session.sql("CREATE TABLE shop.main.refused (a INT, A INT)")


# ---- attachments -----------------------------------------------------------------------------------------------------


def test_attachments_that_are_read_only_or_past_refuse_changes(
    session: SparkSession, shop: Catalog, lake: Lake
) -> None:
    table = shop.create_table("orders", {"id": "BIGINT"})
    table.append([{"id": 1}])
    first = shop.head
    table.append([{"id": 2}])
    before = shop.head
    with (
        lake.attach(session, catalog="shop", as_="fixed", read_only=True),
        lake.attach(session, catalog=shop, as_="past", at=first),
        lake.attach(session, catalog=shop.at(first), as_="also"),
    ):
        for name, count in (("fixed", 2), ("past", 1), ("also", 1)):
            assert session.table(f"{name}.main.orders").count() == count
            for text in (
                "INSERT INTO {0}.main.orders VALUES (3)",
                "DELETE FROM {0}.main.orders",
                "TRUNCATE TABLE {0}.main.orders",
                "CREATE TABLE {0}.main.other (id INT)",
                "CREATE OR REPLACE TABLE {0}.main.orders AS SELECT 1 AS id",
                "DROP TABLE {0}.main.orders",
                "ALTER TABLE {0}.main.orders ADD COLUMNS (x INT)",
                "CREATE SCHEMA {0}.other",
                "CALL {0}.system.tag('x')",
            ):
                with pytest.raises(PySparkException, match="is attached"):
                    session.sql(text.format(name))
        assert rows(session, "CALL past.system.fork('of past')")[0][0] == "of past"
    assert shop.head == before
    assert lake.catalog("of past").table("orders").count() == 1


def test_names_that_spark_has_or_cannot_have_are_refused(
    session: SparkSession, shop: Catalog, lake: Lake, tmp_path: Path
) -> None:
    session.conf.set("spark.sql.catalog.elsewhere", "org.example.Catalog")
    for name in ("shop", "spark_catalog", "system", "elsewhere"):
        with pytest.raises(AlreadyExistsError, match=f'"{name}" already'):
            lake.attach(session, catalog="shop", as_=name)
    for name in ("a-b", "", "a.b", "1a"):
        with pytest.raises(InvalidInputError, match="cannot be the name"):
            lake.attach(session, catalog="shop", as_=name)
    with pytest.raises(NotFoundError):
        lake.attach(session, catalog="none")
    with forklake.open(str(tmp_path / "two.db")) as second, pytest.raises(InvalidInputError, match="another lake"):
        second.attach(session, catalog=shop, as_="two")


def test_a_setting_alone_attaches_nothing_and_says_what_does(session: SparkSession, shop: Catalog, lake: Lake) -> None:
    session.conf.set("spark.sql.catalog.early", classes.catalog_class(session))
    with pytest.raises(AlreadyExistsError, match="a setting alone attaches no catalog") as found:
        lake.attach(session, catalog="shop", as_="early")
    assert found.value.hint == "Leave out the setting: attach() sets it."
    with pytest.raises(IllegalArgumentException, match=r"Hint: Leave out the setting spark\.sql\.catalog\.early"):
        session.sql("SHOW SCHEMAS IN early")
    session.conf.unset("spark.sql.catalog.early")


def test_settings_at_the_start_name_lakes_and_the_class_of_catalogs_cannot_be_found_by_them(tmp_path: Path) -> None:
    with forklake.open(str(tmp_path / "lake.db"), data_path=tmp_path / "data") as lake:
        lake.create_catalog("shop").sql("CREATE TABLE main.orders AS SELECT 1 AS id")
    (tmp_path / "spark-defaults.conf").write_text(
        f"spark.master local[1]\nspark.ui.enabled false\nspark.forklake.catalog.shop.lake {tmp_path}/lake.db\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", STARTED_WITH_SETTINGS, str(tmp_path / "lake.db")],
        capture_output=True,
        text=True,
        timeout=280,
        check=False,
        env={**os.environ, "SPARK_CONF_DIR": str(tmp_path)},
    )
    assert done.returncode == 0, done.stderr
    *said, found = done.stdout.splitlines()
    assert re.search("(?i)cannot find (the|catalog) plugin class", said[0])
    assert "a setting alone attaches no catalog" in said[1]
    assert "attached by nobody; nothing was done" in said[2]
    assert found == "['past', 'shop'] [Row(id=1)] [Row(id=1)]"


def test_other_releases_and_connect_are_refused_in_words(
    session: SparkSession, shop: Catalog, lake: Lake, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(classes, "VERSIONS", ("3.9",))
    with pytest.raises(EngineError, match=r"Spark 3\.9, not to Spark 4"):
        lake.attach(session, catalog="shop", as_="other")

    class Client:
        """A session without a Java process in reach, as Spark Connect has it."""

    with pytest.raises(EngineError, match="Spark Connect"):
        lake.attach(Client(), catalog="shop", as_="other")  # type: ignore[arg-type]


def test_sessions_and_lakes_are_apart_and_detached_catalogs_are_gone(
    spark: SparkSession, session: SparkSession, shop: Catalog, tmp_path: Path
) -> None:
    shop.create_table("orders", {"id": "BIGINT"}).append([{"id": 1}])
    with forklake.open(str(tmp_path / "two.db")) as second:
        second.create_catalog("shop").create_table("orders", {"id": "BIGINT"}).append([{"id": 2}])
    other = spark.newSession()
    with pytest.raises(AnalysisException):
        other.sql("SELECT * FROM shop.main.orders")
    attached: SparkCatalog = forklake.attach(other, str(tmp_path / "two.db"), catalog="shop")
    assert rows(session, "SELECT id FROM shop.main.orders") == [(1,)]
    assert rows(other, "SELECT id FROM shop.main.orders") == [(2,)]
    frame = other.table("shop.main.orders")
    other.sql("USE shop.main")
    attached.detach()
    attached.detach()
    assert other.catalog.currentCatalog() == "spark_catalog"
    assert "shop" not in [found.name for found in other.catalog.listCatalogs()]
    with pytest.raises(AnalysisException):
        other.sql("SELECT * FROM shop.main.orders")
    assert frame.collect() == [(2,)]
    with forklake.attach(other, str(tmp_path / "two.db"), catalog="shop", as_="shop"):
        other.sql("INSERT INTO shop.main.orders VALUES (3)")
        assert rows(other, "SELECT count(*) FROM shop.main.orders") == [(2,)]
    assert rows(session, "SELECT id FROM shop.main.orders") == [(1,)]


def test_no_session_reaches_the_attachment_of_another(
    spark: SparkSession, session: SparkSession, shop: Catalog, lake: Lake
) -> None:
    table = shop.create_table("secret", {"id": "BIGINT"})
    table.append([{"id": 1}])
    assert rows(session, "SELECT id FROM shop.main.secret") == [(1,)]
    other = spark.newSession()
    lake.create_catalog("other")
    with lake.attach(other, catalog="other"):
        other.conf.set("spark.sql.catalog.x", "forklake.LakeCatalog")
        key = f"{table.table_id}.{shop.head}"
        for guess in ("shop", "1", "1/shop", ""):
            other.conf.set("spark.sql.catalog.x.bridge", guess)
            for text in ("SELECT * FROM x.main.secret", f"SELECT * FROM __forklake_plan('{guess}/{key}')"):
                with pytest.raises(PySparkException):
                    other.sql(text)
    token = session.conf.get("spark.sql.catalog.shop.bridge")
    assert token is not None
    assert len(token) == 32
    assert other.conf.get("spark.sql.catalog.other.bridge", None) != token


def test_a_lake_that_is_closed_or_dropped_is_told_in_words(session: SparkSession, lake: Lake) -> None:
    gone = lake.create_catalog("gone")
    gone.create_table("orders", {"id": "BIGINT"})
    with lake.attach(session, catalog="gone"):
        gone.drop()
        with pytest.raises(IllegalArgumentException, match="dropped"):
            session.sql("SELECT * FROM gone.main.orders")
        lake.close()
        with pytest.raises(IllegalArgumentException, match="closed"):
            session.sql("SELECT * FROM gone.main.orders")


def test_threads_share_an_attachment_to_a_lake_in_postgresql(
    session: SparkSession, postgres_server: PostgresServer, tmp_path: Path
) -> None:
    failures: list[BaseException] = []

    def work(number: int) -> None:
        try:
            for turn in range(3):
                session.sql(f"INSERT INTO shop.main.orders VALUES ({number * 10 + turn})")
                found = session.sql(f"SELECT count(*) FROM shop.main.orders WHERE id DIV 10 = {number}").collect()
                assert found[0][0] == turn + 1
        except BaseException as error:
            failures.append(error)

    with (
        lakes("postgres", tmp_path, postgres_server) as made,
        forklake.open(made.url(), data_path=tmp_path / "data", spark=session) as lake,
    ):
        shop = lake.create_catalog("shop")
        with lake.attach(session, catalog="shop"):
            session.sql("CREATE TABLE shop.main.orders (id BIGINT)")
            first = shop.head
            threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
            assert not failures
            source = "(SELECT explode(sequence(0, 99)) AS id)"
            session.sql(
                f"MERGE INTO shop.main.orders t USING {source} s ON t.id = s.id WHEN MATCHED AND s.id >= 30 THEN DELETE"
                " WHEN NOT MATCHED AND s.id > 97 THEN INSERT *"
            )
            assert rows(session, f"SELECT count(*) FROM shop.main.orders VERSION AS OF {first}") == [(0,)]
        assert shop.table("orders").count() == 11


def test_attaching_registers_the_format_that_tables_say_they_have(
    session: SparkSession, shop: Catalog, tmp_path: Path
) -> None:
    shop.create_table("orders", {"id": "BIGINT"})
    session.sql("INSERT INTO shop.main.orders VALUES (1)")
    here = {"lake": str(tmp_path / "lake.db"), "catalog": "shop"}
    assert session.read.format("forklake").options(**here, table="orders").load().count() == 1
    feed = session.readStream.format("forklake").options(**here, table="orders", startingVersion="earliest").load()
    assert (feed.isStreaming, "id" in feed.columns) == (True, True)


def test_a_stream_reads_and_writes_attached_tables_in_its_batches(
    session: SparkSession, shop: Catalog, tmp_path: Path
) -> None:
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "a.csv").write_text("1\n2\n")
    shop.create_table("orders", {"id": "BIGINT"})

    def write(batch: Any, number: int) -> None:
        known = batch.sparkSession.table("shop.main.orders")
        batch.join(known, "id", "left_anti").writeTo("shop.main.orders").append()

    query = (
        session.readStream.schema("id BIGINT")
        .csv(str(tmp_path / "in"))
        .writeStream.foreachBatch(write)
        .option("checkpointLocation", str(tmp_path / "checkpoint"))
        .trigger(availableNow=True)
        .start()
    )
    query.awaitTermination()
    assert sorted(shop.table("orders").rows()) == [(1,), (2,)]


def test_settings_of_a_session_name_the_catalogs_that_one_call_attaches(
    session: SparkSession, lake: Lake, shop: Catalog
) -> None:
    url = f"sqlite:{lake._runtime.store.location}"
    shop.create_table("orders", {"id": "BIGINT"})
    at = shop.head
    shop.table("orders").append([{"id": 99}])
    shop.fork("agent").table("orders").delete("true")
    prefix = "spark.forklake.catalog."
    given = {"agent.lake": url, "old.lake": url, "old.catalog": "shop", "old.at": str(at), "old.read_only": "true"}
    for name, value in given.items():
        session.conf.set(prefix + name, value)
    found = forklake.attach_configured(session)
    assert sorted(found) == ["agent", "old"]
    counts = [session.table(f"{name}.main.orders").where("id = 99").count() for name in ("agent", "old")]
    assert (counts, session.table("agent.main.orders").count()) == ([0, 0], 0)
    for one in found.values():
        one.detach()
    for name, value, words in (
        ("old.latest", "true", 'There is no setting "spark.forklake.catalog.old.latest"; nothing was attached'),
        ("lake", url, 'There is no setting "spark.forklake.catalog.lake"; nothing was attached'),
        ("other.catalog", "shop", 'The setting "spark.forklake.catalog.other.lake" is missing'),
        ("zoo.lake", "/nowhere/lake.db", 'Lake "/nowhere/lake.db" of the setting'),
        ("zoo.lake", url, 'Catalog "zoo" does not exist'),
        ("old.read_only", "perhaps", 'is true or false, not "perhaps"'),
    ):
        before = session.conf.get(prefix + name, None)
        session.conf.set(prefix + name, value)
        with pytest.raises(ForklakeError, match=words):
            forklake.attach_configured(session)
        assert not {"agent", "old", "zoo"} & {one.name for one in session.catalog.listCatalogs()}
        session.conf.unset(prefix + name) if before is None else session.conf.set(prefix + name, before)
