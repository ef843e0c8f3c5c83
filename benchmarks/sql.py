"""SQL sessions, beside what they stand on: a raw commit, Spark itself, and DuckDB for the answers."""

from __future__ import annotations

import math
from collections.abc import Sequence
from decimal import Decimal
from importlib import resources
from typing import Any

import duckdb

import forklake
from benchmarks.databases import Database, Databases
from benchmarks.fork import INSERT
from benchmarks.measure import Samples
from benchmarks.report import Aim, Figure
from benchmarks.spark import new_lake, turn_about
from forklake import Catalog, Connection

_METADATA = Aim("at most", 15)
_SELECT = Aim("at most", 1.5)
_TPCH = Aim("at most", 1.0)
_ALONE = {10: Aim("at most", 1.1), 11: Aim("at most", 1.1)}
_SNAPSHOTS = 20
_TABLES = ("region", "nation", "supplier", "customer", "part", "partsupp", "orders", "lineitem")


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
            "current_snapshot()": lambda: _rows(session, "FROM shop.current_snapshot()"),
            f"snapshots(), {_SNAPSHOTS} of them": lambda: _rows(session, "FROM still.snapshots()"),
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


def _rows(session: Connection, text: str) -> list[tuple[Any, ...]]:
    found = session.sql(text)
    assert found is not None
    return found.fetchall()


def _small_select(session: Connection, shop: Catalog, rounds: int) -> list[Figure]:
    session.sql("CREATE TABLE small AS SELECT i AS id, 'name ' || i AS name FROM range(1000) r(i)")
    (file,) = shop.table("small").storage.files()
    spark = shop._runtime.setup.spark()

    def ours() -> None:
        assert len(_rows(session, "SELECT id, name FROM small")) == 1000

    def raw() -> None:
        assert len(spark.read.parquet(file.path).collect()) == 1000

    found, reference = turn_about(rounds, ours, raw)
    name = "SELECT of 1,000 rows, p50"
    return [Figure("SQL on Spark", name, found.p50, "ms", reference.p50, "spark.read.parquet().collect()", _SELECT)]


# ---- TPC-H -----------------------------------------------------------------------------------------------------------


def tpch(databases: Databases, quick: bool) -> list[Figure]:
    """The 22 queries of TPC-H, beside Spark on the same files; answers are those of DuckDB."""
    scale = 0.01 if quick else 1
    oracle = _oracle(scale)
    queries = [text for _, text in oracle.execute("FROM tpch_queries() ORDER BY query_nr").fetchall()]
    with new_lake() as (lake, spark, directory):
        shop = lake.create_catalog("shop")
        for table in _TABLES:
            path = directory / f"{table}.parquet"
            oracle.execute(f"COPY {table} TO '{path}'")
            shop.create_table(table, rows=spark.read.parquet(str(path)))
            spark.read.parquet(*(file.path for file in shop.table(table).storage.files())).createOrReplaceTempView(
                table
            )
        with forklake.connect(spark) as session:
            _attach(session, str(directory / "lake.db"))
            ours, reference = Samples(), Samples()
            for number, text in enumerate(queries, 1):
                _one_query(
                    session, spark, oracle, number, text, ours, reference, 1 if quick else 5 if number in _ALONE else 2
                )
    name = f"22 queries at scale {scale:g}, sum of the best of each"
    theirs = "Spark on the same files"
    return [
        Figure("TPC-H", name, sum(ours.times), "ms", sum(reference.times), theirs, _TPCH),
        *(
            Figure(
                "TPC-H", f"query {number} alone", ours.times[number - 1], "ms", reference.times[number - 1], theirs, aim
            )
            for number, aim in _ALONE.items()
        ),
    ]


def _one_query(
    session: Connection, spark: Any, oracle: Any, number: int, text: str, ours: Samples, raw: Samples, rounds: int
) -> None:
    _check(number, _rows(session, text), oracle.execute(text).fetchall())
    timed = turn_about(rounds, lambda: _rows(session, text), lambda: spark.sql(text.rstrip().rstrip(";")).toArrow())
    ours.times.append(min(timed[0].times))
    raw.times.append(min(timed[1].times))
    print(f"Q{number}: {ours.times[-1]:.0f} ms, Spark {raw.times[-1]:.0f} ms", flush=True)


def _oracle(scale: float) -> Any:
    package = resources.files("duckdb_extension_tpch")
    connection = duckdb.connect()
    connection.execute(f"LOAD '{package / 'extensions' / f'v{duckdb.__version__}' / 'tpch.duckdb_extension'}'")
    connection.execute(f"CALL dbgen(sf = {scale})")
    return connection


def _check(number: int, found: Sequence[Sequence[Any]], expected: Sequence[Sequence[Any]]) -> None:
    assert len(found) == len(expected), f"query {number}: {len(found)} rows, DuckDB has {len(expected)}"
    for row, other in zip(found, expected, strict=True):
        assert all(map(_same, row, other)), f"query {number}: {row}, DuckDB has {other}"


def _same(one: Any, other: Any) -> bool:
    if isinstance(one, float | Decimal) and isinstance(other, float | Decimal):
        return math.isclose(float(one), float(other), rel_tol=1e-9)
    return bool(one == other)
