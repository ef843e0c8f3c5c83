"""Spark Connect reads and changes rows: in another process, as one process has one kind of session only."""

import os
import subprocess
import sys

import pytest

pytestmark = pytest.mark.timeout(600)  # one server for all

PROGRAM = """
import sys
from pathlib import Path
from pyspark.sql import SparkSession
from forklake.engine.spark.driver.failures import guard_scan
from forklake.engine.spark.read.scan import scan
from forklake.engine.spark.driver.session import is_remote, session
from forklake.errors import ForklakeError
from forklake.model.scan import ScanRows
from tests.spark.plans import SNAPSHOT, deleted, field, plan, scanned, values, written

spark = SparkSession.builder.remote("local[2]").config("spark.sql.shuffle.partitions", "2").getOrCreate()
assert session(None, {"forklake.x": "y"}) is spark and is_remote(spark)
directory = Path(sys.argv[1])
query = "SELECT range::TINYINT AS i, '550e8400-e29b-41d4-a716-446655440000'::UUID AS u FROM range(3)"
held = [field(1, "i", "int8"), field(2, "u", "uuid")]
table = [field(1, "j", "int64"), field(2, "u", "uuid"), field(3, "n", "varchar", default="d")]
files = [scanned(written(directory / f"{n} %.parquet", query), held, n, row_id_start=10 * n) for n in (1, 2)]
gone = deleted(directory / "d.parquet", [1])
files.append(scanned(written(directory / "3.parquet", query), held, 3, row_id_start=30, deletes=gone))
made = plan(table, *files, inlined=[ScanRows(tuple(held), ((9, SNAPSHOT, {1: "5"}),))])
print(values(scan(spark, made, columns=["j", "n"], condition="`j` > 0", lineage=("rowid",))))
for condition in (None, "`nope` = 1"):
    Path(files[0].path).unlink(missing_ok=True)
    try:
        with guard_scan(made):
            scan(spark, made, condition=condition).collect()
    except ForklakeError as error:
        print(error.code)
"""


STATEMENTS = """
import forklake

connection = forklake.connect(spark=spark)
connection.sql(f"ATTACH 'ducklake:{sys.argv[1]}/lake.db' AS shop"
               f" (CATALOG 'shop', DATA_PATH '{sys.argv[1]}/data', CREATE_IF_NOT_EXISTS true)")
for text in (
    "USE shop",
    "CREATE TABLE orders (id BIGINT, item VARCHAR, tags VARCHAR[])",
    "INSERT INTO orders VALUES (1, 'few', ['x']), (2, 'few', NULL)",
    "INSERT INTO orders SELECT i, 'many', [] FROM range(10, 2010) t(i)",
    "SELECT item, count(*), sum(id) FROM orders GROUP BY ALL ORDER BY ALL",
    "UPDATE orders SET item = 'updated' WHERE id % 100 = 7",
    "DELETE FROM orders WHERE id > 1000",
    "MERGE INTO orders USING (SELECT i AS id FROM range(995, 1005) t(i)) s USING (id)"
    " WHEN MATCHED THEN UPDATE SET item = 'merged' WHEN NOT MATCHED THEN INSERT (id, item) VALUES (id, 'new')",
    "SELECT item, count(*), min(id), count(DISTINCT rowid) FROM orders GROUP BY ALL ORDER BY ALL",
    "SELECT change_type, count(*) FROM shop.table_changes('orders', 4, 6) GROUP BY ALL ORDER BY ALL",
    "EXPLAIN SELECT * FROM orders WHERE id < 5",
    "SELECT tags FROM orders WHERE id < 3 ORDER BY id",
    "UPDATE orders SET item = url_decode('ne%77') WHERE jaccard(item, 'new') > 0.9",
    "SELECT item, count(*) FROM orders WHERE damerau_levenshtein(item, 'nex') < 2 GROUP BY ALL",
):
    result = connection.sql(text)
    if result is not None:
        rows = result.fetchall()
        print("Files left out by statistics" in rows[0][1] if text.startswith("EXPLAIN") else rows)
"""
ANSWERS = [
    [(2,)],
    [(2000,)],
    [("few", 2, 3), ("many", 2000, 2019000)],
    [(20,)],
    [(1009,)],
    [(10,)],
    [("few", 2, 1, 2), ("many", 976, 10, 976), ("merged", 6, 995, 6), ("new", 4, 1001, 4), ("updated", 9, 107, 9)],
    [("delete", 1009), ("insert", 4), ("update_postimage", 26), ("update_preimage", 26)],
    True,
    [(["x"],), (None,)],
    [(4,)],
    [("new", 4)],
]


@pytest.fixture(scope="module")
def printed(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """What all programs print, in one process: to start a server takes longer than each."""
    pytest.importorskip("grpc", reason="Spark Connect needs grpcio")
    environment = {
        **os.environ,
        "PYSPARK_PYTHON": sys.executable,
        "SPARK_LOCAL_IP": "127.0.0.1",
    }
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM + STATEMENTS, str(tmp_path_factory.mktemp("connect"))],
        capture_output=True,
        text=True,
        timeout=580,
        check=False,
        env=environment,
    )
    assert done.returncode == 0, done.stderr[-4000:]
    return done.stdout.splitlines()


def test_a_scan_through_spark_connect_reads_the_same_rows(printed: list[str]) -> None:
    rows = [(1, "d", 11), (1, "d", 21), (2, "d", 12), (2, "d", 22), (2, "d", 32), (5, "d", 9)]
    assert printed[:3] == [str(rows), "data_file", "not_found"]


def test_sql_through_spark_connect_reads_and_changes_rows(printed: list[str]) -> None:
    assert printed[3 : 3 + len(ANSWERS)] == [str(answer) for answer in ANSWERS]
