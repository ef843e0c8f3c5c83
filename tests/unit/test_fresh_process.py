"""What a process loads before its first row: no more than it needs.

Times are not measured here, as machines differ; that is left to `docs/benchmarks.md`.
"""

from __future__ import annotations

import json
import subprocess
import sys
from decimal import Decimal
from pathlib import Path

import pyarrow as pa
import pytest

import forklake

HEAVY = {
    *("IPython", "asyncio", "dateutil", "multiprocessing", "pandas", "polars", "prompt_toolkit", "psycopg", "py4j"),
    *("pyarrow.dataset", "pygments", "pyspark", "pytz", "rich.console"),
}
"""What no small read needs."""

SESSION = """
import forklake
with forklake.open("lake.db") as lake, lake.connect("shop") as session:
    print(len(session.sql({!r}).fetchall()))
"""
TABLE = """
import forklake
with forklake.open("lake.db") as lake:
    print(lake.catalog("shop").table({!r}).arrow().num_rows)
"""
ATTACHED = """
import forklake
session = forklake.connect()
session.sql("ATTACH 'ducklake:lake.db' AS shop (CATALOG 'shop')")
print(len(session.sql({!r}).fetchall()))
"""
COMMAND = """
import sys
from forklake.cli.main import main
sys.argv = ["forklake", "sql", "lake.db", "--mode", "csv", "-c", {!r}]
try:
    main()
except SystemExit as error:
    assert not error.code
"""
METADATA = """
import forklake
with forklake.open("lake.db") as lake:
    print(len(lake.catalog("shop").tables()))
"""

COMPUTE = "pyarrow.compute"
CASES = {
    "all rows": (SESSION.format("SELECT * FROM filed LIMIT 10"), "10", {"duckdb", COMPUTE}),
    "filtered": (SESSION.format("SELECT id + 1 FROM filed WHERE id > 989 ORDER BY id DESC"), "10", {COMPUTE}),
    "grouped": (SESSION.format("SELECT name, count(*), sum(price) FROM filed GROUP BY name"), "3", {COMPUTE}),
    "joined": (SESSION.format("SELECT * FROM filed JOIN inlined USING (id)"), "2", set()),
    "changed": (SESSION.format("SELECT * FROM changed"), "999", {"duckdb"}),
    "inlined": (SESSION.format("SELECT * FROM inlined"), "2", {"duckdb"}),
    "attached": (ATTACHED.format("FROM shop.filed"), "1000", {"duckdb", COMPUTE}),
    "Python": (TABLE.format("filed"), "1000", {"duckdb", "sqlglot", COMPUTE}),
    "Python, inlined": (TABLE.format("inlined"), "2", {"duckdb", "sqlglot"}),
    "metadata": (METADATA, "3", {"duckdb", "pyarrow", "numpy", "rich", "sqlglot"}),
    "command": (COMMAND.format("SELECT count(*) AS n FROM filed"), "n\n1000", {COMPUTE}),
}
"""By name: a program, what it prints, and what else it does not load."""


@pytest.fixture(scope="module")
def directory(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a directory with a lake: a table in a file, one of inlined rows, and one with a deleted row."""
    found = tmp_path_factory.mktemp("fresh")
    with forklake.open(str(found / "lake.db")) as lake:
        shop = lake.create_catalog("shop")
        numbers = range(1000)
        columns = {
            "id": pa.array(numbers, pa.int64()),
            "name": [f"name {number % 3}" for number in numbers],
            "price": pa.array([Decimal(number) / 4 for number in numbers], pa.decimal128(10, 2)),
            "ratio": [number / 8 for number in numbers],
        }
        for name in ("filed", "changed"):
            shop.create_table(name, rows=pa.table(columns))
        with lake.connect("shop") as session:
            session.sql("SET engine = 'local'")
            session.sql("DELETE FROM changed WHERE id = 7")
            session.sql(
                "CREATE TABLE inlined (id BIGINT, name VARCHAR, price DECIMAL(10, 2), ratio DOUBLE, small FLOAT,"
                " day DATE, at TIMESTAMP, since TIMESTAMPTZ, is_new BOOLEAN, code UUID, parts INT[],"
                " place STRUCT(x INT))"
            )
            session.sql(
                "INSERT INTO inlined VALUES (1, 'a', 1.5, 2.5, 0.1, '2024-02-29', '2024-02-29 12:00:00',"
                " '2024-02-29 12:00:00+00', true, '00000000-0000-0000-0000-000000000001', [1, NULL], {'x': 1})"
            )
            session.sql("INSERT INTO inlined (id) VALUES (2)")
    return found


@pytest.mark.parametrize("name", CASES)
def test_a_small_read_loads_no_more_than_it_needs(directory: Path, name: str) -> None:
    program, printed, unneeded = CASES[name]
    tell = "\nimport json, sys\nprint(json.dumps(sorted(sys.modules)), file=sys.stderr)"
    command = [sys.executable, "-c", program + tell]
    done = subprocess.run(command, check=False, cwd=directory, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() == printed
    loaded = set(json.loads(done.stderr.splitlines()[-1]))
    assert (HEAVY | unneeded) & loaded == set()
