"""Many threads write one table on PostgreSQL, beside as many clients that update one row."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from tempfile import TemporaryDirectory

import pyarrow as pa

from benchmarks.databases import Databases, PostgresDatabase
from benchmarks.measure import WARM_UP_STEPS, Samples, time_threads
from benchmarks.report import Aim, Figure
from forklake import Catalog, Lake, Settings
from tests.servers import postgres_program

_HOT_ROW = "UPDATE hot SET n = n + 1 WHERE id = 1;\n"
_REFERENCE = "pgbench, UPDATE of one row"


def hot(databases: Databases, quick: bool) -> list[Figure]:
    """Measure how long one commit takes while others write the same table, and how many there are a second."""
    if "postgres" not in databases.kinds:
        return []
    threads, steps, seconds = (3, 2, 0.2) if quick else (20, 20, 4.0)
    database = databases.new_postgres()
    figures = []
    with ExitStack() as stack:
        # Stores stand for processes: threads of another store are not in the same line.
        lakes = [stack.enter_context(_open(database)) for _ in range(4)]
        for place, (name, stores, write) in enumerate(_KINDS):
            reference, reference_rate = _pgbench(databases, database, threads, seconds)
            shop = lakes[0].create_catalog(f"shop {place}")
            shop.create_table("t", rows=pa.table({"id": range(threads), "n": [0] * threads}))
            samples = Samples()
            catalogs = [lake.catalog(shop.name) for lake in lakes[:stores]]

            def begin(number: int) -> Callable[[], object]:
                step = write(catalogs[number % stores], number)  # noqa: B023
                for _ in range(WARM_UP_STEPS if number == 0 else 1):
                    step()
                return lambda: [samples.time(step) for _ in range(steps)]  # noqa: B023

            took = time_threads(threads, begin)
            title = f"{name}, {threads} threads"
            aim = Aim("at most", 1000, of="value")
            for percent in (50, 95):
                found = samples.percentile(percent)
                limit = aim if percent == 95 and write is _append else None
                figures.append(
                    Figure("hot", f"{title}, p{percent}", found, "ms", reference.percentile(percent), _REFERENCE, limit)
                )
            figures.append(
                Figure("hot", f"{title}, a second", len(samples.times) / took, "/s", reference_rate, _REFERENCE)
            )
    return figures


def _open(database: PostgresDatabase) -> Lake:
    return Lake(database.url, data_path=database.data_path, settings=Settings(engine="local"))


def _append(shop: Catalog, number: int) -> Callable[[], object]:
    table, row = shop.table("t"), pa.table({"id": [number], "n": [0]})
    return lambda: table.append(row)


def _update(shop: Catalog, number: int) -> Callable[[], object]:
    table = shop.table("t")
    return lambda: table.update({"n": "n + 1"}, where=f"id = {number}")


_KINDS: tuple[tuple[str, int, Callable[[Catalog, int], Callable[[], object]]], ...] = (
    ("appends of a row", 1, _append),
    ("appends of a row by 4 stores", 4, _append),
    ("UPDATE of a row each", 1, _update),
)


def _pgbench(databases: Databases, database: PostgresDatabase, clients: int, seconds: float) -> tuple[Samples, float]:
    """Return the times of clients that update one row, and how many updates a second they did."""
    database.query("CREATE TABLE IF NOT EXISTS hot (id int PRIMARY KEY, n bigint)")
    database.query("INSERT INTO hot VALUES (1, 0) ON CONFLICT DO NOTHING")
    with TemporaryDirectory(dir=databases.directory) as name:
        script = Path(name) / "hot.sql"
        script.write_text(_HOT_ROW)
        limits = (f"--client={clients}", "--jobs=2", f"--time={max(1, round(seconds))}")
        options = ("--no-vacuum", f"--file={script}", *limits, "--log", f"--log-prefix={name}/log")
        subprocess.run([postgres_program("pgbench"), *options, database.url], capture_output=True, check=True)
        lines = [line for log in Path(name).glob("log.*") for line in log.read_text().splitlines()]
    times = [int(line.split()[2]) / 1000 for line in lines]  # the third word has microseconds
    return Samples(times), len(times) / max(1, round(seconds))
