"""An agent's turn in SQL: fork, insert ten rows, read one, update it, look at what changed; without Java."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib import resources
from pathlib import Path
from statistics import mean

import duckdb

import forklake
from benchmarks.databases import Databases
from benchmarks.measure import Samples, time_threads
from benchmarks.report import Aim, Figure
from forklake import Lake, Settings

_GROUP = "An agent's turn, in SQL without Java"
_ROWS = 1_010
_TURN = Aim("at most", 1.5, "ratio")
_TABLE = "CREATE TABLE orders (id BIGINT, item VARCHAR, amount DECIMAL(10,2))"
_BASE = ", ".join(f"({number}, 'item {number}', {number}.5)" for number in range(_ROWS))

Ask = Callable[[str], object]


def turns(databases: Databases, quick: bool) -> list[Figure]:
    """Take turns with 1, 10 and 100 forks at once, beside DuckLake with a database for each agent."""
    counts, total = ((1, 4), 8) if quick else ((1, 10, 100), 200)
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
                Figure(_GROUP, f"a turn, {name}, p95", ours.percentile(95), "ms", ours.p50, "p50"),
                Figure(_GROUP, f"turns, {name}", total / took, "/s", total / other, "DuckLake"),
            ]
        return figures + _one_after_the_other(lake, Path(home) / "long", 6 if quick else 40)


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


@contextmanager
def _lake(home: Path) -> Iterator[Lake]:
    settings = Settings(engine="local")
    with forklake.open(str(home / "lake.db"), data_path=home / "data", settings=settings) as lake:
        shop = lake.create_catalog("shop")
        shop.sql(f"{_TABLE}; INSERT INTO orders VALUES {_BASE}")
        yield lake


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


def _change(ask: Ask, number: int) -> None:
    start = 10_000 + 10 * number
    rows = ", ".join(f"({start + place}, 'new', 1)" for place in range(10))
    ask(f"INSERT INTO orders VALUES {rows}")
    assert ask(f"SELECT item, amount + 1 FROM orders WHERE id = {start + 3}")
    ask(f"UPDATE orders SET amount = amount * 2 WHERE id = {start + 3}")


def _round(make: Callable[[int], _Fork | _Database], count: int, total: int) -> tuple[float, Samples]:
    """Let agents take their turns; return the seconds that all took, and the times of single turns."""
    agents = [make(number) for number in range(count)]
    samples = Samples()

    def begin(number: int) -> Callable[[], object]:
        return lambda: [samples.time(agents[number].turn, turn) for turn in range(number, total, count)]

    return time_threads(count, begin), samples
