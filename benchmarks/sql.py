"""SQL sessions, beside what they stand on: a raw commit, and Spark itself."""

from __future__ import annotations

from typing import Any

import forklake
from benchmarks.databases import Database, Databases
from benchmarks.fork import INSERT
from benchmarks.report import Aim, Figure
from benchmarks.spark import new_lake, turn_about
from forklake import Catalog, Connection

_METADATA = Aim("at most", 15)
_SELECT = Aim("at most", 1.5)
_SNAPSHOTS = 20


def sql(databases: Databases, quick: bool) -> list[Figure]:
    """Statements on metadata beside a raw commit, and a small SELECT beside Spark's own."""
    figures = []
    for kind in databases.kinds:
        figures += _metadata(databases.new(kind), 5 if quick else 200)
    with new_lake() as (lake, spark, directory):
        shop = lake.create_catalog("shop")
        with forklake.connect(spark) as session:
            _attach(session, str(directory / "lake.db"))
            return figures + _small_select(session, shop, 3 if quick else 30)


def _attach(session: Connection, url: str) -> None:
    session.sql(f"ATTACH 'ducklake:{url}' AS shop (CATALOG 'shop', DATA_INLINING_ROW_LIMIT 10); USE shop")


def _metadata(database: Database, rounds: int) -> list[Figure]:
    with database.open() as lake:
        lake.create_catalog("shop").create_table("t", {"id": "BIGINT", "name": "VARCHAR"})
        still = lake.create_catalog("still")
        for number in range(_SNAPSHOTS - 1):
            still.create_table(f"t{number}", {"id": "BIGINT"})
    numbers = iter(range(10**9))
    with forklake.connect() as session:
        _attach(session, database.url)
        session.sql(f"ATTACH 'ducklake:{database.url}' AS still (CATALOG 'still')")
        statements = {
            "CREATE TABLE": lambda: session.sql(f"CREATE TABLE made{next(numbers)} (id BIGINT, name VARCHAR)"),
            "ALTER TABLE": lambda: session.sql(f"ALTER TABLE t ALTER id SET DEFAULT {next(numbers)}"),
            "current_snapshot()": lambda: fetched(session, "FROM shop.current_snapshot()"),
            f"snapshots(), {_SNAPSHOTS} of them": lambda: fetched(session, "FROM still.snapshots()"),
            "INSERT of one row, inlined": lambda: session.sql("INSERT INTO t VALUES (1, 'one')"),
        }
        inserter = database.inserter()
        samples = turn_about(rounds, *statements.values(), inserter.insert)
        inserter.close()
    group = f"SQL on metadata, {database.kind}"
    return [
        Figure(group, f"{name}, p50", found.p50, "ms", samples[-1].p50, INSERT, _METADATA)
        for name, found in zip(statements, samples, strict=False)
    ]


def fetched(session: Connection, text: str) -> list[tuple[Any, ...]]:
    """Return the rows of a query."""
    found = session.sql(text)
    assert found is not None
    return found.fetchall()


def _small_select(session: Connection, shop: Catalog, rounds: int) -> list[Figure]:
    session.sql("CREATE TABLE small AS SELECT i AS id, 'name ' || i AS name FROM range(1000) r(i)")
    (file,) = shop.table("small").storage.files()
    spark = shop._runtime.setup.spark()

    def ours() -> None:
        assert len(fetched(session, "SELECT id, name FROM small")) == 1000

    def raw() -> None:
        assert len(spark.read.parquet(file.path).collect()) == 1000

    found, reference = turn_about(rounds, ours, raw)
    name = "SELECT of 1,000 rows, p50"
    return [Figure("SQL on Spark", name, found.p50, "ms", reference.p50, "spark.read.parquet().collect()", _SELECT)]
