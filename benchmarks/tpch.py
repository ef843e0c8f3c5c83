"""The queries of TPC-H, beside Spark on the same files; answers are those of DuckDB."""

from __future__ import annotations

import math
import multiprocessing
import pickle
from collections.abc import Callable, Sequence
from decimal import Decimal
from importlib import resources
from pathlib import Path
from typing import Any

import duckdb
from pyspark.sql import SparkSession

from benchmarks.databases import Databases
from benchmarks.measure import Samples
from benchmarks.memory import peaks
from benchmarks.report import Aim, Figure
from benchmarks.spark import new_lake, turn_about
from benchmarks.sql import fetched
from forklake import Catalog, Connection

_GROUP = "TPC-H"
_ALONE = {10: Aim("at most", 1.1), 11: Aim("at most", 1.1)}
_TABLES = ("region", "nation", "supplier", "customer", "part", "partsupp", "orders", "lineitem")
_KEYS = {"orders": "o_orderkey", "lineitem": "l_orderkey"}
_CHANGES = {"orders": {"o_totalprice": "o_totalprice + 1"}, "lineitem": {"l_quantity": "l_quantity + 1"}}
_LAST_KEY = 6_000_000
"""Of the orders at scale 1."""
_REFERENCE = "Spark on the same files"

Answers = list[tuple[str, list[tuple[Any, ...]]]]
"""The text of each query, and its rows."""


def tpch(databases: Databases, quick: bool) -> list[Figure]:
    """The 22 queries at scale 1."""
    scale = 0.01 if quick else 1
    with new_lake() as (lake, spark, directory):
        answers = _answers(scale, directory, {})
        shop = lake.create_catalog("shop")
        for table in _TABLES:
            shop.create_table(table, rows=spark.read.parquet(str(directory / f"{table}.parquet")))
        ours, raw = _all_queries(spark, shop, answers, lambda number: 1 if quick else 5 if number in _ALONE else 2)
    name = f"22 queries at scale {scale:g}, sum of the best of each"
    return [
        Figure(_GROUP, name, sum(ours), "ms", sum(raw), _REFERENCE, Aim("at most", 1.0)),
        *(
            Figure(_GROUP, f"query {number} alone", ours[number - 1], "ms", raw[number - 1], _REFERENCE, aim)
            for number, aim in _ALONE.items()
        ),
    ]


def tpch_large(databases: Databases, quick: bool) -> list[Figure]:
    """The same at scale 10, of tables that were loaded by many appends, updated and compacted."""
    scale, appends = (0.01, 3) if quick else (10, 20)
    with new_lake() as (lake, spark, directory):
        answers = _answers(scale, directory, {table: _assignments(table) for table in _CHANGES})
        shop = lake.create_catalog("shop")
        step = int(_LAST_KEY * scale) // appends + 1
        for table in _TABLES:
            rows = spark.read.parquet(str(directory / f"{table}.parquet"))
            shop.create_table(table, rows=rows.limit(0))
            key = _KEYS.get(table)
            for start in range(0, step * appends, step) if key else (0,):
                part = rows.where(f"{key} >= {start} AND {key} < {start + step}") if key else rows
                shop.table(table).append(part)
        for table, values in _CHANGES.items():
            assert shop.table(table).update(values, _condition(table)).row_count
        shop.maintenance.rewrite_data_files(delete_threshold=0.001)
        shop.maintenance.merge_adjacent_files()
        before = peaks(spark)
        ours, raw = _all_queries(spark, shop, answers, lambda _: 1)
        after = peaks(spark)
    name = f"22 queries at scale {scale:g}, loaded by {appends} appends, updated, compacted"
    return [
        Figure(_GROUP, name, sum(ours), "ms", sum(raw), _REFERENCE, Aim("at most", 1.1)),
        *(
            Figure(_GROUP, f"peak memory, {process}, scale {scale:g}", after[process], "MiB", peak, "before them")
            for process, peak in before.items()
            if process in after
        ),
    ]


def _condition(table: str) -> str:
    return f"{_KEYS[table]} % 100 = 7"


def _assignments(table: str) -> str:
    return ", ".join(f"{name} = {value}" for name, value in _CHANGES[table].items())


def _answers(scale: float, directory: Path, changes: dict[str, str]) -> Answers:
    """Write the tables as files, and return DuckDB's answers after changes; in a process of its own, for its memory."""
    found = directory / "answers"
    child = multiprocessing.get_context("spawn").Process(target=_ask_duckdb, args=(scale, directory, changes, found))
    child.start()
    child.join()
    assert child.exitcode == 0, "DuckDB could not make the tables; its error is above"
    return list(pickle.loads(found.read_bytes()))


def _ask_duckdb(scale: float, directory: Path, changes: dict[str, str], found: Path) -> None:
    package = resources.files("duckdb_extension_tpch")
    with duckdb.connect(str(directory / "tpch.duckdb"), config={"memory_limit": "6GB"}) as connection:
        connection.execute(f"LOAD '{package / 'extensions' / f'v{duckdb.__version__}' / 'tpch.duckdb_extension'}'")
        connection.execute(f"CALL dbgen(sf = {scale})")
        for table in _TABLES:
            connection.execute(f"COPY {table} TO '{directory / f'{table}.parquet'}'")
        for table, assignments in changes.items():
            connection.execute(f"UPDATE {table} SET {assignments} WHERE {_condition(table)}")
        texts = connection.execute("SELECT query FROM tpch_queries() ORDER BY query_nr").fetchall()
        found.write_bytes(pickle.dumps([(text, connection.execute(text).fetchall()) for (text,) in texts]))


def _all_queries(
    spark: SparkSession, shop: Catalog, answers: Answers, rounds: Callable[[int], int]
) -> tuple[list[float], list[float]]:
    """Run all queries both ways; return the best time of each, in milliseconds."""
    for table in _TABLES:
        paths = [file.path for file in shop.table(table).storage.files()]
        raw = spark.read.schema(shop.table(table).inspect.spark_schema).parquet(*paths)
        raw.createOrReplaceTempView(table)
    ours, reference = Samples(), Samples()
    with shop.session() as session:
        for number, (text, expected) in enumerate(answers, 1):
            _check(number, fetched(session, text), expected)
            mine, theirs = _both(session, spark, text, rounds(number))
            ours.times.append(mine)
            reference.times.append(theirs)
            print(f"Q{number}: {mine:.0f} ms, Spark {theirs:.0f} ms", flush=True)
    return ours.times, reference.times


def _both(session: Connection, spark: SparkSession, text: str, rounds: int) -> tuple[float, float]:
    mine, theirs = turn_about(
        rounds, lambda: fetched(session, text), lambda: spark.sql(text.rstrip().rstrip(";")).toArrow()
    )
    return min(mine.times), min(theirs.times)


def _check(number: int, found: Sequence[Sequence[Any]], expected: Sequence[Sequence[Any]]) -> None:
    assert len(found) == len(expected), f"query {number}: {len(found)} rows, DuckDB has {len(expected)}"
    for row, other in zip(found, expected, strict=True):
        assert all(map(_same, row, other)), f"query {number}: {row}, DuckDB has {other}"


def _same(one: Any, other: Any) -> bool:
    if isinstance(one, float | Decimal) and isinstance(other, float | Decimal):
        return math.isclose(float(one), float(other), rel_tol=1e-9)
    return bool(one == other)
