"""Secrets of type s3 on Spark: tasks bring them along, and nothing else shows or uses them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, cast
from uuid import uuid4

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyspark.sql import SparkSession

import forklake
from forklake import Connection, Settings
from forklake.errors import EngineError, ForklakeError
from tests.object_gate import Gate

NO_LOCAL_READS = Settings(local_read_rows=0, local_read_bytes=0)
ROWS = [{"i": number, "s": f"row {number}", "n": {"x": [number]}} for number in range(50)]


@pytest.fixture(scope="module")
def gate() -> Iterator[Gate]:
    gate = Gate()
    yield gate
    gate.close()


@pytest.fixture
def bucket(gate: Gate) -> str:
    """A bucket that ``ann`` alone may reach, with two Parquet files."""
    name = f"bucket-{uuid4()}"
    store = gate.storage("ann")
    store.create_dir(name)
    gate.owners[name] = {"ann"}
    for part in ("a", "b"):
        pq.write_table(pa.Table.from_pylist(ROWS), f"{name}/in/{part}.parquet", filesystem=store)
    return name


@pytest.fixture(autouse=True)
def hadoop_has_s3(spark: SparkSession) -> Iterator[None]:
    """Let Spark's own reader and writer be able to open such paths, which they must not be asked for."""
    spark.conf.set("fs.s3.impl", "org.apache.hadoop.fs.LocalFileSystem")
    yield
    spark.conf.unset("fs.s3.impl")


def connected(spark: SparkSession, gate: Gate, key: str | None) -> Connection:
    session = forklake.connect(spark, settings=NO_LOCAL_READS)
    session.sql("SET engine = 'spark'")
    if key is not None:
        session.sql(
            f"CREATE SECRET s (TYPE s3, KEY_ID '{key}', SECRET 'hush of {key}', SESSION_TOKEN 'hush too',"
            f" ENDPOINT '{gate.host}', URL_STYLE 'path', USE_SSL false)"
        )
    return session


def rows(session: Connection, text: str) -> list[tuple[object, ...]]:
    found = session.sql(text)
    assert found is not None
    return found.fetchall()


def test_files_are_read_by_tasks_that_bring_the_secret(spark: SparkSession, gate: Gate, bucket: str) -> None:
    place = f"s3://{bucket}/in/*.parquet"
    with connected(spark, gate, "ann") as ann, connected(spark, gate, "bob") as bob, gate.asking() as keys:
        query = f"SELECT i, upper(s), n.x[1] FROM read_parquet('{place}') WHERE i > 47 ORDER BY ALL"
        assert rows(ann, query) == [(i, f"ROW {i}", i) for i in (48, 48, 49, 49)]
        told = rows(ann, f"SELECT filename, count(*) FROM read_parquet('{place}', filename = true) GROUP BY ALL")
        assert sorted(told) == [(f"s3://{bucket}/in/{part}.parquet", 50) for part in "ab"]
        result = ann.sql(f"SELECT sum(i) FROM read_parquet('{place}')")
        assert result is not None
        frame = result.dataframe()
        ann.sql("DROP SECRET s")
        assert [tuple(row) for row in frame.collect()] == [(2450,)]
    assert keys == {"ann"}
    with bob, pytest.raises(ForklakeError) as refused:
        rows(bob, query)
    assert "hush" not in str(refused.value)


DRAWN = """SELECT range AS number, hash(range) % 7 = 0 AS b, ((hash(range) % 200)::INT - 100)::TINYINT AS i8,
    (hash(range) % 60000)::USMALLINT AS u16, hash(range) AS u64, random() AS f, random()::FLOAT AS f4,
    (random() * 1e6)::DECIMAL(12,3) AS price, (random() * 1e9)::DECIMAL(30,10) AS wide, md5(range::VARCHAR) AS s,
    md5(range::VARCHAR)::BLOB AS o, md5(range::VARCHAR)::UUID AS id,
    DATE '1999-01-01' + (hash(range) % 9000)::INT AS d,
    TIMESTAMP '1999-01-01' + to_microseconds((random() * 1e15)::BIGINT) AS moment,
    (TIMESTAMP '1999-01-01' + to_milliseconds((random() * 1e12)::BIGINT))::TIMESTAMP_MS AS ms,
    TIMESTAMPTZ '1999-01-01 00:00:00+00' + to_microseconds((random() * 1e15)::BIGINT) AS tz,
    [range, NULL, range + 1] AS l,
    {'x': range, 'y': {'z': [md5(range::VARCHAR)], 'ms': make_timestamp(range)::TIMESTAMP_MS}} AS n,
    MAP {range::VARCHAR: range} AS m, if(range % 3 = 0, NULL, range) AS nullable FROM range(300)"""


@pytest.mark.parametrize("engine", ["local", "spark"])
def test_files_show_the_rows_and_types_that_duckdb_shows(
    spark: SparkSession, gate: Gate, bucket: str, tmp_path: Path, engine: str
) -> None:
    local = str(tmp_path / "drawn.parquet")
    with duckdb.connect() as stock, connected(spark, gate, "ann") as ann, gate.asking() as keys:
        stock.execute(f"SET TimeZone = 'UTC'; SELECT setseed(0.4); COPY ({DRAWN}) TO '{local}' (ROW_GROUP_SIZE 100)")
        with gate.storage("ann").open_output_stream(f"{bucket}/drawn.parquet") as there:
            there.write(Path(local).read_bytes())
        ann.sql(f"SET engine = '{engine}'")
        found = ann.sql(f"FROM 's3://{bucket}/drawn.parquet' ORDER BY number")
        assert found is not None
        expected = stock.sql(f"FROM '{local}' ORDER BY number")
        assert list(zip(found.columns, found.types, strict=True)) == [
            (name, str(kind)) for name, kind in zip(expected.columns, expected.types, strict=True)
        ]
        assert found.fetchall() == expected.fetchall()
    assert keys == {"ann"}


def test_data_of_a_lake_is_written_changed_merged_and_read_on_spark_with_the_secret(
    spark: SparkSession, gate: Gate, bucket: str, tmp_path: Path
) -> None:
    with connected(spark, gate, "ann") as ann, gate.asking() as keys:
        ann.sql(f"ATTACH 'ducklake:{tmp_path}/lake.db' AS lake (DATA_PATH 's3://{bucket}/lake'); USE lake")
        ann.sql("CALL ducklake_set_option('lake', 'small_writes', 'spark')")
        ann.sql("CREATE TABLE t (i BIGINT, s VARCHAR)")
        for first in (0, 100, 200):
            ann.sql(f"INSERT INTO t SELECT {first} + range, 'x' || range FROM range(100)")
        ann.sql("UPDATE t SET s = upper(s) WHERE i < 10; DELETE FROM t WHERE i % 10 = 9")
        ann.sql(
            "MERGE INTO t USING (SELECT range AS i FROM range(297, 303)) n USING (i) WHEN MATCHED THEN DELETE"
            " WHEN NOT MATCHED THEN INSERT (i, s) VALUES (n.i, 'new')"
        )
        expected = [(272, 9, 4)]  # 270, of which two match; 299 was deleted before
        found = "SELECT count(*), count(*) FILTER (s LIKE 'X%'), count(*) FILTER (s = 'new') FROM t"
        assert rows(ann, found) == expected
        ((last,),) = rows(ann, "SELECT max(snapshot_id) FROM ducklake_snapshots('lake')")
        feed = f"SELECT count(*) FROM ducklake_table_changes('lake', 'main', 't', 0, {last})"
        assert rows(ann, feed) == [(300 + 10 * 2 + 30 + 2 + 4,)]
        ann.sql("CREATE TABLE u (i BIGINT, s VARCHAR, n STRUCT(x BIGINT[]))")
        ann.sql(f"CALL ducklake_add_data_files('lake', 'u', 's3://{bucket}/in/*.parquet')")
        assert rows(ann, "SELECT sum(n.x[1]) FROM u") == [(2450,)]
        ann.sql("CALL ducklake_rewrite_data_files('lake', delete_threshold => 0)")
        ann.sql("CALL ducklake_merge_adjacent_files('lake')")
        assert rows(ann, found) == expected
        ann.sql("CALL ducklake_set_option('lake', 'small_writes', 'driver')")
        ann.sql("CREATE TABLE w (v VARIANT); SET engine = 'local'; INSERT INTO w SELECT 1::VARIANT")
        variants = ann.sql("SELECT v FROM w")
        assert variants is not None
        assert variants.rows() == [(1,)]
        ann.sql("SET engine = 'auto'")
        with pytest.raises(EngineError, match=r'Column "v" of table "w" is a variant.* the secret for "s3://'):
            variants.dataframe()
    assert keys == {"ann"}


def test_secrets_stand_in_no_plan_and_on_no_page_of_spark(spark: SparkSession, gate: Gate, bucket: str) -> None:
    with connected(spark, gate, "ann") as ann:
        query = f"SELECT sum(i) FROM read_parquet('s3://{bucket}/in/*.parquet')"
        told = repr(rows(ann, f"EXPLAIN {query}"))
        assert rows(ann, query) == [(2450,)]
        result = ann.sql(query)
        assert result is not None
        frame: Any = result.dataframe()
        told += frame._jdf.queryExecution().toString() + frame._jdf.queryExecution().debug().toString()
        java = cast("Any", spark)._jsparkSession
        runs = java.sharedState().statusStore().executionsList()
        shown = [f"{run.description()} {run.details()} {run.physicalPlanDescription()}" for run in _all(runs)]
        assert any("MapInArrow" in text for text in shown)
        told += repr(shown) + repr(spark.sparkContext.getConf().getAll()) + repr(spark.conf.getAll)
        for secret in ("hush", "ann"):
            assert secret not in told


def _all(found: Any) -> list[Any]:
    return [found.apply(place) for place in range(found.size())]
