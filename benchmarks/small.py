"""Reading small tables: what the first row costs a new process, and what all rows cost one that is warm."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from importlib import resources
from pathlib import Path

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq

import forklake
from benchmarks.databases import Databases
from benchmarks.report import Aim, Figure
from benchmarks.spark import turn_about

_ROWS = 1000
_FIRST = Aim("at most", 3)
_WARM = Aim("at most", 3)
_GROUP = "Small reads"
_ALL = "SELECT * FROM shop.t LIMIT 1"
_SOME = "SELECT id + 1 AS next FROM shop.t WHERE id = 7"
_CPU_SECONDS = """
import os, time
from pathlib import Path

def spent(process):
    '''Return the CPU seconds of the processes that a process has started, as they are now.'''
    found = 0.0
    for task in Path(f"/proc/{process}/task").glob("*/children"):
        for child in task.read_text().split():
            fields = Path(f"/proc/{child}/stat").read_text().rpartition(")")[2].split()
            found += (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK") + spent(child)
    return found

print(time.process_time() + spent(os.getpid()))
"""


def small(databases: Databases, quick: bool) -> list[Figure]:
    """The first row of a new process beside DuckDB's, and all rows of a small table beside PyArrow's."""
    rounds = 1 if quick else 5
    with tempfile.TemporaryDirectory(prefix="forklake-bench-") as home:
        directory = Path(home)
        url = str(directory / "lake.db")
        with forklake.open(url, data_path=directory / "data") as lake:
            shop = lake.create_catalog("shop")
            shop.create_table("t", {"id": "BIGINT", "name": "VARCHAR", "price": "DECIMAL(10,2)"})
            table = shop.table("t")
            names = [f"name {number}" for number in range(_ROWS)]
            table.append(pa.table({"id": range(_ROWS), "name": names, "price": range(_ROWS)}))
            plain = directory / "plain.duckdb"
            shop.maintenance.export(plain)
            figures = _first_row(url, plain, rounds)
            (file,) = table.storage.files()
            ours, reference = turn_about(10 * rounds, table.rows, lambda: pq.read_table(file.path).to_pylist())
            assert len(table.rows()) == _ROWS
    name = f"{_ROWS:,} rows as values of Python, p50"
    warm = Figure(_GROUP, name, ours.p50, "ms", reference.p50, "pq.read_table().to_pylist()", _WARM)
    return [*figures, warm]


def _first_row(url: str, plain: Path, rounds: int) -> list[Figure]:
    package = resources.files("duckdb_extension_ducklake")
    extension = package / "extensions" / f"v{duckdb.__version__}" / "ducklake.duckdb_extension"
    read = f"""
import forklake
with forklake.open({url!r}, settings=forklake.Settings(local_read_rows={{rows}})) as lake:
    assert lake.catalog("shop").table("t").head(1).rows()
"""
    session = f"""
import forklake
with forklake.connect() as session:
    session.sql("ATTACH 'ducklake:{url}' AS shop (CATALOG 'shop')")
    assert session.sql({{query!r}}).fetchall()
"""
    command = f"""
import sys
from forklake.cli.main import main
sys.argv = ["forklake", "sql", {url!r}, "-c", "SELECT * FROM t LIMIT 1"]
try:
    main()
except SystemExit as error:
    assert not error.code
"""
    stock = f"""
import duckdb
connection = duckdb.connect()
connection.execute("LOAD '{extension}'")
connection.execute("ATTACH 'ducklake:{plain}' AS shop (READ_ONLY)")
assert connection.execute("SELECT * FROM shop.t LIMIT 1").fetchall()
"""
    reference = _least(stock, rounds)
    which = "DuckDB with DuckLake"
    here, by_sql = _least(read.format(rows=100_000), rounds), _least(session.format(query=_ALL), rounds)
    computed, by_command = _least(session.format(query=_SOME), rounds), _least(command, rounds)
    by_spark = _least(read.format(rows=0), 1)
    return [
        Figure(_GROUP, "CPU of a new process for its first row", here, "s", reference, which, _FIRST),
        Figure(_GROUP, "the same in SQL", by_sql, "s", reference, which, _FIRST),
        Figure(_GROUP, "the same in SQL that DuckDB computes", computed, "s", reference, which, _FIRST),
        Figure(_GROUP, "the same by `forklake sql -c`", by_command, "s", reference, which, _FIRST),
        Figure(_GROUP, "the same by Spark (local_read_rows=0)", by_spark, "s", reference, which),
    ]


def _least(program: str, rounds: int) -> float:
    """Return the CPU seconds of the best of several runs of a program, its child processes included.

    Modules are compiled before, as they are where a package is installed.
    """
    command = [sys.executable, "-c", f"{program}\n{_CPU_SECONDS}"]
    with tempfile.TemporaryDirectory(prefix="forklake-bench-") as compiled:
        environment = {**os.environ, "PYTHONPYCACHEPREFIX": compiled}
        environment.pop("PYTHONDONTWRITEBYTECODE", None)
        runs = [
            subprocess.run(command, check=True, capture_output=True, text=True, env=environment).stdout
            for _ in range(rounds + 1)
        ]
    return min(float(said.splitlines()[-1]) for said in runs[1:])
