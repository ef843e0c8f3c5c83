"""Branches of eight TPC-H tables: made and deleted one by one, by four workers, and in a chain.

This is the protocol of OlapBranchBench. The published figures are of services over a network, in seconds; ours are of a
local process with a local database, so the ratio says more about distance than about the systems.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import Final

from benchmarks.databases import Database, Databases
from benchmarks.measure import Samples
from benchmarks.parents import new_file
from benchmarks.report import Figure
from forklake import Catalog

_TABLES: Final = ("customer", "lineitem", "nation", "orders", "part", "partsupp", "region", "supplier")
_WORKERS: Final = 4
_PUBLISHED: Final = {
    "serial": {"Bauplan": 0.083, "Snowflake": 8.4, "Databricks": 25.0},
    "4 workers": {"Bauplan": 0.195, "Snowflake": 8.4, "Databricks": 34.0},
    "chained": {"Bauplan": 0.091, "Snowflake": 10.1},
}
"""Seconds for a branch."""


def branches(databases: Databases, quick: bool) -> list[Figure]:
    """Make and delete branches in the three ways."""
    count = 8 if quick else 200
    return [figure for kind in databases.kinds for figure in _branches(databases.new(kind), count)]


def _branches(database: Database, count: int) -> list[Figure]:
    with database.open() as lake:
        root = lake.create_catalog("tpch")
        for name in _TABLES:
            columns = {f"c{number}": "BIGINT" for number in range(10)}
            root.create_table(name, columns).storage.append_files([new_file(f"{name}-{at}", at) for at in range(10)])
        database.settle()
        measured = {
            "serial": _serial(root, count),
            "4 workers": _parallel(root, count),
            "chained": _chained(root, min(count, 64)),
        }
    figures = []
    for way, (made, deleted) in measured.items():
        group = f"branches on {database.kind}"
        seconds = made.p50 / 1000
        figures.append(Figure(group, f"delete, {way}, p50", deleted.p50 / 1000, "s"))
        figures += [
            Figure(group, f"create, {way}, p50", seconds, "s", published, f"{system}, as published")
            for system, published in _PUBLISHED[way].items()
        ]
    return figures


def _serial(root: Catalog, count: int) -> tuple[Samples, Samples]:
    made, deleted = Samples(), Samples()
    forks = [made.time(root.fork, f"serial-{number}") for number in range(count)]
    for fork in forks:
        deleted.time(fork.drop)
    return made, deleted


def _parallel(root: Catalog, count: int) -> tuple[Samples, Samples]:
    made, deleted = Samples(), Samples()
    with ThreadPoolExecutor(_WORKERS) as workers:
        forks = list(workers.map(lambda number: made.time(root.fork, f"parallel-{number}"), range(count)))
        list(workers.map(lambda fork: deleted.time(fork.drop), forks))
    return made, deleted


def _chained(root: Catalog, count: int) -> tuple[Samples, Samples]:
    made, deleted = Samples(), Samples()
    chain: list[Catalog] = [root]
    for number in range(count):
        chain.append(made.time(chain[-1].fork, f"chained-{number}"))
        chain[-1].table(_TABLES[0]).storage.append_files([new_file("own")])
    for fork in reversed(chain[1:]):
        deleted.time(fork.drop)
    return made, deleted
