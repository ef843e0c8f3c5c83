"""A million forks of one parent: how long they take, and whether anything else gets slower by them."""

from __future__ import annotations

import random
import re
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import psycopg

from benchmarks.databases import Databases, PostgresDatabase
from benchmarks.measure import WARM_UP_STEPS, Samples
from benchmarks.parents import TABLES, make_parent, new_file, table_name
from benchmarks.report import Aim, Figure
from forklake import Catalog, Lake

GROUP = "million forks on postgres"
_CHUNK = 10_000


@dataclass(frozen=True, slots=True)
class Sizes:
    """How much is done."""

    forks: int = 1_000_000
    few: int = 1_000
    files: int = 10_000
    samples: int = 500
    tables: int = TABLES


QUICK = Sizes(forks=20_000, few=200, files=100, samples=50, tables=10)


class FullScanError(Exception):
    """A query that runs all the time reads a whole table."""


def run(databases: Databases, quick: bool) -> list[Figure]:
    """Measure PostgreSQL, the only store that is asked to hold so many."""
    if "postgres" not in databases.kinds:
        return []
    sizes = QUICK if quick else Sizes()
    few, many = databases.new_postgres(), databases.new_postgres()
    _fill(few, sizes.few, sizes)
    first, seconds = _fill(many, sizes.forks, sizes)
    made = f"{sizes.forks:,} forks"
    figures = [
        Figure(GROUP, f"making {made}", seconds, "s", first * sizes.forks / min(_CHUNK, sizes.forks),
               f"at the speed of the first {_CHUNK:,}", Aim("at most", 900, "value"))
    ]  # fmt: skip
    size = many.byte_count() / 2**20
    figures.append(Figure(GROUP, f"metadata of {made}", size, "MiB", sizes.forks * 1024 / 2**20, "1 KiB each"))
    for database in (few, many):
        # What autovacuum does in its own time.
        database.query("VACUUM (ANALYZE)")
    before = _scan_counts(many, sizes)
    figures += _compare(few, many, sizes)
    scanned = full_scans(many, sizes)
    # The server's own count covers what runs inside of lake_fork and lake_commit.
    scanned += [
        f"{name}: {count - before[name]} scans"
        for name, count in _scan_counts(many, sizes).items()
        if count > before[name]
    ]
    if scanned:
        raise FullScanError("these read a whole table:\n\n" + "\n\n".join(scanned))
    figures.append(Figure(GROUP, "hot queries that scan a whole table", 0, "", aim=Aim("at most", 0, "value")))
    return figures


def _fork_name(number: int) -> str:
    return f"agent-{number:07}"


def _fill(database: PostgresDatabase, forks: int, sizes: Sizes) -> tuple[float, float]:
    """Fork, and return the seconds of the first forks and of all."""
    with database.open() as lake:
        parent = make_parent(lake, "parent", sizes.files, sizes.tables)
        started = time.perf_counter()
        first = 0.0
        for start in range(0, forks, _CHUNK):
            parent.fork_many([_fork_name(number) for number in range(start, min(start + _CHUNK, forks))])
            first = first or time.perf_counter() - started
        return first, time.perf_counter() - started


@dataclass(frozen=True, slots=True)
class Operation:
    """Something that is done with a fork: ``act`` is timed, ``prepare`` is not."""

    name: str
    prepare: Callable[[Lake, str], Catalog]
    act: Callable[[Lake, Catalog, str, str], Any]


def _parent(lake: Lake, name: str) -> Catalog:
    return lake.catalog("parent")


OPERATIONS = (
    Operation("attach by name", _parent, lambda lake, _, name, table: lake.catalog(name)),
    Operation("list a page of 100", _parent, lambda lake, _, name, table: lake.catalogs(after=name, limit=100)),
    Operation("list the tables of a fork", Lake.catalog, lambda lake, fork, name, table: fork.tables()),
    Operation(
        "list the files of a table", Lake.catalog, lambda lake, fork, name, table: fork.table(table).storage.files()
    ),
    Operation(
        "fork once more",
        _parent,
        lambda lake, parent, name, table: parent.fork(f"more-{name}"),
    ),
    Operation(
        "append to a fork",
        Lake.catalog,
        lambda lake, fork, name, table: fork.table(table).storage.append_files([new_file("own")]),
    ),
)


def _compare(few: PostgresDatabase, many: PostgresDatabase, sizes: Sizes) -> list[Figure]:
    figures = []
    for operation in OPERATIONS:
        among_few, among_many = _time(operation, few, many, sizes)
        reference = f"among {sizes.few:,} forks"
        figures.append(
            Figure(GROUP, f"{operation.name}, p50", among_many.p50, "ms", among_few.p50, reference, Aim("at most", 1.5))
        )
        figures.append(Figure(GROUP, f"{operation.name}, p99", among_many.p99, "ms", among_few.p99, reference))
    return figures


def _time(operation: Operation, few: PostgresDatabase, many: PostgresDatabase, sizes: Sizes) -> tuple[Samples, Samples]:
    """Do it with random forks of both lakes, turn about; each fork once, so that no answer is kept from before."""
    generator = random.Random(operation.name)
    samples = Samples(), Samples()
    with few.open() as few_lake, many.open() as many_lake:
        chosen = [generator.sample(range(forks), sizes.samples) for forks in (sizes.few, sizes.forks)]
        for turn, numbers in enumerate(zip(*chosen, strict=True)):
            for lake, number, kept in zip((few_lake, many_lake), numbers, samples, strict=True):
                name, table = _fork_name(number), table_name(number % sizes.tables)
                catalog = operation.prepare(lake, name)
                (kept if turn >= WARM_UP_STEPS else Samples()).time(operation.act, lake, catalog, name, table)
    return samples


def _scan_counts(database: PostgresDatabase, sizes: Sizes) -> dict[str, int]:
    """Return how often each large table was read as a whole."""
    return dict(
        database.query(
            "SELECT s.relname, s.seq_scan FROM pg_stat_user_tables s JOIN pg_class k ON k.oid = s.relid"
            f" WHERE s.schemaname = 'forklake' AND k.reltuples >= {sizes.few}"
        )
    )


def full_scans(database: PostgresDatabase, sizes: Sizes) -> list[str]:
    """Return the plans of the statements that the operations send, where they read a whole large table."""
    large = _scan_counts(database, sizes).keys()
    found = []
    with psycopg.connect(database.url, autocommit=True) as connection:
        for text, values in _statements(database, sizes):
            numbered = _numbered(text)
            # Both the plan for these parameters and the one for all: the server uses the one or the other.
            plans = (
                connection.execute(f"EXPLAIN (COSTS OFF) {text}".encode(), values),
                connection.execute(f"EXPLAIN (COSTS OFF, GENERIC_PLAN) {numbered}".encode()),
            )
            for plan in plans:
                lines = "\n".join(line for (line,) in plan)
                if any(scanned in large for scanned in re.findall(r"Seq Scan on (\w+)", lines)):
                    found.append(f"{text}\n{lines}")
    return found


def _statements(database: PostgresDatabase, sizes: Sizes) -> list[tuple[str, dict[str, Any]]]:
    """Return the very SQL that the operations send, each text once."""
    sent: dict[str, dict[str, Any]] = {}
    with database.open() as lake:
        store = lake._runtime.store
        query = store.query

        def recording(sql: str, /, **params: Any) -> list[tuple[Any, ...]]:
            text, values = store.dialect.render(sql, params)
            sent.setdefault(text, values)
            return query(sql, **params)

        store.query = recording  # type: ignore[method-assign]
        for place, operation in enumerate(OPERATIONS):
            name = _fork_name(sizes.forks // 2 + place)
            operation.act(lake, operation.prepare(lake, name), name, table_name(0))
    return list(sent.items())


def _numbered(text: str) -> str:
    """Return a statement with $1, $2 for its named parameters."""
    names: dict[str, int] = {}
    return re.sub(r"%\((\w+)\)s", lambda match: f"${names.setdefault(match[1], len(names) + 1)}", text)
