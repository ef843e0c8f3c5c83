"""Reading through Spark Connect: another process, as one process has one kind of session only."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

PROGRAM = """
import sys
from pathlib import Path
from pyspark.sql import SparkSession
from forklake.engine.failures import guarded
from forklake.engine.scan import scan
from forklake.engine.session import is_remote, session
from forklake.errors import ForklakeError
from forklake.model.scan import ScanRows
from tests.spark.plans import SNAPSHOT, deleted, field, plan, scanned, values, written

spark = SparkSession.builder.remote("local[2]").getOrCreate()
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
        with guarded(made):
            scan(spark, made, condition=condition).collect()
    except ForklakeError as error:
        print(error.code)
"""


def test_a_scan_through_spark_connect_reads_the_same_rows(tmp_path: Path) -> None:
    pytest.importorskip("grpc", reason="Spark Connect needs grpcio")
    environment = {
        **os.environ,
        "PYSPARK_PYTHON": sys.executable,
        "SPARK_LOCAL_IP": "127.0.0.1",
        "PYTHONPATH": os.pathsep.join([os.getcwd(), os.environ.get("PYTHONPATH", "")]),
    }
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, str(tmp_path)],
        capture_output=True,
        text=True,
        timeout=280,
        check=False,
        env=environment,
    )
    assert done.returncode == 0, done.stderr[-4000:]
    rows = [(1, "d", 11), (1, "d", 21), (2, "d", 12), (2, "d", 22), (2, "d", 32), (5, "d", 9)]
    assert done.stdout.splitlines() == [str(rows), "data_file", "not_found"]
