"""An agent's turn in SQL: insert ten rows into a fork, read one, update it, look at what changed; on both engines."""

from __future__ import annotations

import os
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from importlib import resources
from itertools import count as count_up
from pathlib import Path
from statistics import mean
from typing import Protocol

import duckdb
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F  # noqa: N812

import forklake
from benchmarks.databases import Databases
from benchmarks.measure import Samples, rate, time_threads
from benchmarks.report import Aim, Figure
from forklake import Lake, Settings
from forklake.config import EngineChoice

_GROUP = "An agent's turn, in SQL without Java"
_ON_SPARK = "An agent's turn, on Spark alone"
_ROWS = 1_010
_SECONDS = 10
_TURN = Aim("at most", 1.5, "ratio")
_TAIL = Aim("at most", 5, "ratio")
_TURNS = Aim("at least", 100, "value")
_TABLE = "CREATE TABLE orders (id BIGINT, item VARCHAR, amount DECIMAL(10,2))"
_BASE = ", ".join(f"({number}, 'item {number}', {number}.5)" for number in range(_ROWS))

Ask = Callable[[str], object]


def turns(databases: Databases, quick: bool) -> list[Figure]:
    """Take turns with 1 to 100 forks at once, beside DuckLake with a database for each agent."""
    counts, total = ((1, 4), 8) if quick else ((1, 10, 20, 100), 400)
    figures: list[Figure] = []
    with tempfile.TemporaryDirectory(prefix="forklake-bench-") as home, _lake(Path(home)) as lake:
        _round(lambda number: _Fork(lake, f"warm-{number}"), 1, 4)
        for count in counts:
            took, ours = _round(lambda number, count=count: _Fork(lake, f"of-{count}-{number}"), count, total)  # type: ignore[misc]
            other, theirs = _round(
                lambda number, count=count: _Database(Path(home) / f"theirs-{count}-{number}"),  # type: ignore[misc]
                count,
                total,
            )
            name = f"{count} agents"
            figures += [
                Figure(_GROUP, f"a turn, {name}, p50", ours.p50, "ms", theirs.p50, "DuckLake", _TURN),
                Figure(_GROUP, f"a turn, {name}, p95", ours.percentile(95), "ms", ours.p50, "p50", _TAIL),
                Figure(_GROUP, f"turns, {name}", total / took, "/s", total / other, "DuckLake"),
            ]
        figures += _in_processes(Path(home), 2 if quick else 100, 0.5 if quick else _SECONDS)
        return figures + _one_after_the_other(lake, Path(home) / "long", 6 if quick else 40)


def turns_on_spark(databases: Databases, quick: bool) -> list[Figure]:
    """Take the same turns on Spark alone, with 1 to 20 forks at once, beside Spark with directories of files."""
    counts, total = ((1, 2), 4) if quick else ((1, 10, 20), 60)
    figures: list[Figure] = []
    with tempfile.TemporaryDirectory(prefix="forklake-bench-") as home, _lake(Path(home), "spark") as lake:
        spark = lake.spark
        rows = spark.createDataFrame(lake.catalog("shop").table("orders").pandas())
        _round(lambda number: _Fork(lake, f"warm-{number}"), 1, 4)
        _round(lambda number: _Directory(spark, rows, Path(home) / f"warm-{number}"), 1, 4)
        for count in counts:
            took, ours = _round(lambda number, count=count: _Fork(lake, f"of-{count}-{number}"), count, total)  # type: ignore[misc]
            other, theirs = _round(
                lambda number, count=count: _Directory(spark, rows, Path(home) / f"theirs-{count}-{number}"),  # type: ignore[misc]
                count,
                total,
            )
            name = f"{count} agents"
            figures += [
                Figure(_ON_SPARK, f"a turn, {name}, p50", ours.p50, "ms", theirs.p50, "Spark, files copied"),
                Figure(_ON_SPARK, f"a turn, {name}, p95", ours.percentile(95), "ms", ours.p50, "p50", _TAIL),
                Figure(_ON_SPARK, f"turns, {name}", total / took, "/s", total / other, "Spark, files copied"),
            ]
    return figures


def _in_processes(home: Path, count: int, seconds: float) -> list[Figure]:
    """Spread agents over as many processes as there are cores, as a service of agents does."""
    processes = min(os.cpu_count() or 1, count)
    ours = rate(partial(_forks, home, count // processes), processes, seconds)
    theirs = rate(partial(_databases, home, count // processes), processes, seconds)
    told = f"turns, {count} agents in {processes} processes"
    return [Figure(_GROUP, told, ours, "/s", theirs, "DuckLake", _TURNS)]


def _one_after_the_other(lake: Lake, home: Path, count: int) -> list[Figure]:
    """Let agents take many turns each; every turn leaves files behind."""
    agents: dict[str, _Fork | _Database] = {
        "since": _Fork(lake, "long"),
        "whole": _Fork(lake, "whole", is_whole=True),
        "theirs": _Database(home),
    }
    times: dict[str, list[float]] = {name: [] for name in agents}
    for turn in range(count):
        for name, agent in agents.items():
            started = time.process_time()
            agent.turn(turn)
            times[name].append((time.process_time() - started) * 1000)
    figures = []
    for first, last in ((0, 2), (count // 4, count)):
        cpu = {name: mean(found[first:last]) for name, found in times.items()}
        told = f"CPU of a turn, turns {first + 1} to {last} of a fork"
        figures += [
            Figure(_GROUP, told, cpu["since"], "ms", cpu["theirs"], "DuckLake", _TURN),
            Figure(_GROUP, f"{told}, looking at all turns", cpu["whole"], "ms", cpu["theirs"], "DuckLake, at one"),
        ]
    return figures


def _open(home: Path, engine: EngineChoice = "local") -> Lake:
    return forklake.open(str(home / "lake.db"), data_path=home / "data", settings=Settings(engine=engine))


@contextmanager
def _lake(home: Path, engine: EngineChoice = "local") -> Iterator[Lake]:
    with _open(home, engine) as lake:
        shop = lake.create_catalog("shop")
        shop.sql(f"{_TABLE}; INSERT INTO orders VALUES {_BASE}")
        yield lake


class _Agent(Protocol):
    def turn(self, number: int) -> None: ...


class _Fork:
    """An agent with a fork of its own."""

    def __init__(self, lake: Lake, name: str, *, is_whole: bool = False) -> None:
        self._agent = lake.catalog("shop").fork(name)
        self._session = self._agent.session()
        self._is_whole = is_whole

    def turn(self, number: int) -> None:
        before = self._agent.head
        _change(lambda text: [] if (found := self._session.sql(text)) is None else found.fetchall(), number)
        # What the turn changed, or what all turns did: files and rows that the parent does not have.
        found = self._agent.diff() if self._is_whole else self._agent.diff(since=before)
        assert len(found.result("orders").fetchall()) == 10 * (number + 1 if self._is_whole else 1)


class _Database:
    """An agent with a DuckLake of its own, which it was given before."""

    def __init__(self, home: Path) -> None:
        home.mkdir()
        self._connection = duckdb.connect()
        package = resources.files("duckdb_extension_ducklake") / "extensions" / f"v{duckdb.__version__}"
        self._connection.execute(f"LOAD '{package / 'ducklake.duckdb_extension'}'")
        self._connection.execute("SET threads = 1")
        self._connection.execute(f"ATTACH 'ducklake:{home}/lake.ducklake' AS shop (DATA_PATH '{home}/data'); USE shop")
        self._connection.execute(f"{_TABLE}; INSERT INTO orders VALUES {_BASE}")

    def turn(self, number: int) -> None:
        _change(lambda text: self._connection.execute(text).fetchall(), number)
        asked = "SELECT max(snapshot_id) FROM shop.snapshots()"
        ((last,),) = self._connection.execute(asked).fetchall()
        feed = f"FROM ducklake_table_changes('shop', 'main', 'orders', {last - 1}, {last})"
        assert len(self._connection.execute(feed).fetchall()) >= 10


class _Directory:
    """An agent with a copy of the files, which Spark alone reads and writes."""

    def __init__(self, spark: SparkSession, rows: DataFrame, home: Path) -> None:
        self._spark = spark.newSession()
        self._home = home
        self._version = 0
        rows.coalesce(1).write.parquet(self._place)

    def turn(self, number: int) -> None:
        start = 10_000 + 10 * number
        before = self._read()
        new = self._spark.range(start, start + 10).selectExpr(
            "id", "'new' AS item", "CAST(1 AS DECIMAL(10,2)) AS amount"
        )
        new.coalesce(1).write.mode("append").parquet(self._place)
        now = self._read()
        assert now.where(F.col("id") == start + 3).selectExpr("item", "amount + 1").collect()
        amount = F.when(F.col("id") == start + 3, F.col("amount") * 2).otherwise(F.col("amount")).cast("decimal(10,2)")
        self._version += 1
        now.withColumn("amount", amount).coalesce(1).write.parquet(self._place)
        assert len(self._read().exceptAll(before).collect()) == 10

    @property
    def _place(self) -> str:
        return str(self._home / str(self._version))

    def _read(self) -> DataFrame:
        return self._spark.read.schema("id BIGINT, item STRING, amount DECIMAL(10,2)").parquet(self._place)


class _Turns:
    """Agents of a process, which take turns one after the other."""

    def __init__(self, agents: list[_Agent], close: Callable[[], None]) -> None:
        self._agents = agents
        self._taken = count_up()
        self.close = close

    def step(self, number: int) -> bool:
        """Let the next agent take its next turn."""
        turn, place = divmod(next(self._taken), len(self._agents))
        self._agents[place].turn(turn)
        return True


def _forks(home: Path, count: int, index: int) -> _Turns:
    lake = _open(home)
    return _Turns([_Fork(lake, f"process-{index}-{number}") for number in range(count)], lake.close)


def _databases(home: Path, count: int, index: int) -> _Turns:
    return _Turns([_Database(home / f"process-{index}-{number}") for number in range(count)], lambda: None)


def _change(ask: Ask, number: int) -> None:
    start = 10_000 + 10 * number
    rows = ", ".join(f"({start + place}, 'new', 1)" for place in range(10))
    ask(f"INSERT INTO orders VALUES {rows}")
    assert ask(f"SELECT item, amount + 1 FROM orders WHERE id = {start + 3}")
    ask(f"UPDATE orders SET amount = amount * 2 WHERE id = {start + 3}")


def _round(make: Callable[[int], _Agent], count: int, total: int) -> tuple[float, Samples]:
    """Let agents take their turns; return the seconds that all took, and the times of single turns."""
    agents = [make(number) for number in range(count)]
    samples = Samples()

    def begin(number: int) -> Callable[[], object]:
        return lambda: [samples.time(agents[number].turn, turn) for turn in range(number, total, count)]

    return time_threads(count, begin), samples
