"""How often statements of one row wait for a metadata database on PostgreSQL; it does not depend on the machine."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from importlib import resources
from pathlib import Path

import duckdb

from benchmarks.databases import Databases
from benchmarks.report import Aim, Figure
from forklake import Lake, Settings
from tests.passage import RoundTrips, counted_round_trips
from tests.statements import STATEMENTS, TABLE

_GROUP = "Round trips of statements on PostgreSQL"
_READ, _WRITE = Aim("at most", 2, "value"), Aim("at most", 3, "value")
_REPEATS = 5
"""What is prepared is so after a few statements of a kind."""


def trips(databases: Databases, quick: bool) -> list[Figure]:
    """Count round trips in a fork, beside those of DuckLake in a database of its own."""
    if "postgres" not in databases.kinds:
        return []
    ours, theirs = _count_ours(databases), _count_theirs(databases)
    return [
        Figure(_GROUP, kind, ours[kind], "", theirs[kind], "DuckLake", _READ if kind == "SELECT" else _WRITE)
        for kind in STATEMENTS
    ]


def _count_ours(databases: Databases) -> dict[str, int]:
    database, settings = databases.new_postgres(), Settings(engine="local")
    with (
        tempfile.TemporaryDirectory(prefix="forklake-bench-") as home,
        counted_round_trips(database.url, Path(home)) as passage,
        Lake(passage.url, data_path=Path(home) / "data", settings=settings) as lake,
    ):
        shop = lake.create_catalog("shop")
        for statement in TABLE:
            shop.sql(statement)
        session = shop.fork("agent").session()
        return _count(passage, lambda text: None if (found := session.sql(text)) is None else found.fetchall())


def _count_theirs(databases: Databases) -> dict[str, int]:
    database = databases.new_postgres()  # DuckLake's tables lie in another schema than the lake's
    with (
        tempfile.TemporaryDirectory(prefix="forklake-bench-") as home,
        counted_round_trips(database.url, Path(home)) as passage,
        duckdb.connect() as connection,
    ):
        for name in ("postgres_scanner", "ducklake"):
            package = resources.files(f"duckdb_extension_{name}") / "extensions" / f"v{duckdb.__version__}"
            connection.execute(f"LOAD '{package / f'{name}.duckdb_extension'}'")
        connection.execute(f"ATTACH 'ducklake:{passage.url}' AS shop (DATA_PATH '{home}/data'); USE shop")
        for statement in TABLE:
            connection.execute(statement)
        counts = _count(passage, lambda text: connection.execute(text).fetchall())
        connection.execute("USE memory; DETACH shop")
        return counts


def _count(passage: RoundTrips, ask: Callable[[str], object]) -> dict[str, int]:
    counts = {}
    for place, (kind, text) in enumerate(STATEMENTS.items()):
        for number in range(_REPEATS * place, _REPEATS * (place + 1)):
            before = passage.count
            ask(text.format(number))
        counts[kind] = passage.count - before
    return counts
