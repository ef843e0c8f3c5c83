"""Random MERGE, UPDATE FROM and DELETE USING, of SQL and of Python: each must leave the rows that DuckDB leaves.

Tables have one to five files, with deletes, rows in the metadata, and keys of several types, among them NULL, NaN and
zeros with a sign. FORKLAKE_HISTORIES asks for more than a few; a thousand histories without Spark are a hundred here.
"""

from __future__ import annotations

import math
import os
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from random import Random
from typing import Any

import duckdb
import pyarrow as pa
import pytest
from pyspark.sql import SparkSession

from forklake import Catalog, Lake, MergeDelete, MergeInsert, MergeUpdate
from forklake.catalog import lookup
from forklake.catalog.scan_plan import plan_scan
from tests.lakes import IMPATIENT
from tests.rows.reference_reader import read_plan
from tests.spark.plans import setting

STATEMENTS = max(8, int(os.environ.get("FORKLAKE_HISTORIES", "0")) // 10)
AT_ONCE = 8
BATCHES = [range(first, min(first + AT_ONCE, STATEMENTS)) for first in range(0, STATEMENTS, AT_ONCE)]

NO_CODE = {
    "spark_sql_codegen_wholeStage": "false",
    "spark_sql_codegen_factoryMode": "NO_CODEGEN",
    "spark_sql_adaptive_enabled": "false",
    "spark_sql_shuffle_partitions": "2",
}
"""Compiling code for so few rows would take longer than all else."""

KEYS = {
    "TINYINT": ["-2", "0", "1", "2", "3", "100"],
    "INTEGER": ["-2", "0", "1", "2", "3", "1000"],
    "BIGINT": ["-2", "0", "1", "2", "3", "1000", "5000000000"],
    "UBIGINT": ["0", "1", "2", "3", "1000", "18446744073709551615"],
    "DECIMAL(9,2)": ["-2", "0", "1", "2.00", "2.5", "3"],
    "DOUBLE": ["-2", "0.0", "-0.0", "1", "2", "2.5", "'NaN'", "'inf'"],
    "FLOAT": ["-2", "0.0", "-0.0", "1", "2", "3", "'NaN'", "'-inf'"],
    "VARCHAR": ["''", "'0'", "'1'", "'2'", "'a'", "'A'", "'é'", "'ab'"],
    "DATE": ["'2020-01-01'", "'2020-01-02'", "'1969-12-31'", "'2020-02-29'"],
    "TIMESTAMP": ["'2020-01-01'", "'2020-01-01 00:00:00.000001'", "'1969-12-31 23:59:59'", "'2021-05-05 05:05'"],
}
ALIKE = {
    "TINYINT": ["INTEGER", "BIGINT", "UBIGINT", "DECIMAL(9,2)", "DOUBLE"],
    "INTEGER": ["TINYINT", "BIGINT", "UBIGINT", "DECIMAL(9,2)", "DOUBLE", "FLOAT"],
    "BIGINT": ["TINYINT", "INTEGER", "DECIMAL(9,2)", "DOUBLE"],
    "UBIGINT": ["TINYINT", "INTEGER", "BIGINT"],
    "DECIMAL(9,2)": ["TINYINT", "INTEGER", "DOUBLE"],
    "DOUBLE": ["TINYINT", "INTEGER", "FLOAT", "DECIMAL(9,2)"],
    "FLOAT": ["INTEGER", "DOUBLE"],
    "VARCHAR": [],
    "DATE": ["TIMESTAMP"],
    "TIMESTAMP": ["DATE"],
}
"""The types that a key is compared with, beside its own."""


@dataclass(frozen=True, slots=True)
class Case:
    """A table, a source, and a change of the one by the other."""

    kind: str
    source_kind: str
    chunks: tuple[tuple[str, ...], ...]
    """The rows of the table, as they are added: what is in no file is in the metadata."""
    gone: str
    source: tuple[str, ...]
    statement: str
    clauses: dict[str, Any]
    """The same for Python, and below it which rows match."""
    on: str

    @property
    def source_sql(self) -> str:
        return f"SELECT k::{self.source_kind} AS k, w, b FROM (VALUES {', '.join(self.source)}) v(k, w, b)"


def random_case(seed: int) -> Case:
    random = Random(f"matches {seed}")
    kind = random.choice(list(KEYS))
    source_kind = random.choice([kind, kind, kind, *ALIKE[kind]])
    number = iter(range(1000))

    def rows(keys: list[str], count: int) -> tuple[str, ...]:
        drawn = (random.choice([*keys, *keys, "NULL"]) for _ in range(count))
        return tuple(f"({key}::{kind}, {next(number)}, {random.choice(['NULL', 1, 2])})" for key in drawn)

    chunks = tuple(
        rows(random.sample(KEYS[kind], random.randint(1, 3)), random.choice([1, 2, 5, 9]))
        for _ in range(random.randint(1, 5))
    )
    verb = random.choice(["update", "delete", "merge"])
    shape = random.choice(["plain", "plain", "more", "other", "on none"])
    # A row that several would update is refused here and arbitrary there: then keys of a source are there once.
    keys = random.sample(KEYS[source_kind], random.randint(1, len(KEYS[source_kind])))
    keys += ["NULL"] * random.randint(0, 2)
    if source_kind in ("DOUBLE", "FLOAT") and "0.0" in keys and "-0.0" in keys:
        keys.remove("-0.0")
    if verb == "delete":
        keys += random.choices(keys, k=2)
    source = tuple(f"({key}::{source_kind}, {1000 + place}, {random.choice([1, 2])})" for place, key in enumerate(keys))
    on = {
        "plain": "t.k = s.k",
        "more": "s.k = t.k AND t.g = s.b",
        "other": "(t.k = s.k AND s.b = 1) AND t.v < 900",
        "on none": "t.k = s.k AND s.b = 3",
    }[shape]
    gone = random.choice(["false", "false", "false", "v % 3 = 0", "v < 2", "g = 1"])
    clauses: dict[str, Any]
    if verb == "update":
        statement = f"UPDATE t SET v = t.v + s.w, g = s.b FROM {{s}} WHERE {on}"
        clauses = {"matched": [MergeUpdate({"v": "target.v + source.w", "g": "source.b"})]}
    elif verb == "delete":
        statement = f"DELETE FROM t USING {{s}} WHERE {on}"
        clauses = {"matched": [MergeDelete()]}
    else:
        action = random.choice(["UPDATE SET v = s.w", "DELETE", "UPDATE SET v = t.v + 1, k = t.k"])
        when = random.choice(["", " AND t.v > 3", " AND s.b = 2"])
        statement = f"MERGE INTO t USING {{s}} ON {on} WHEN MATCHED{when} THEN {action}"
        set_ = {"UPDATE SET v = s.w": {"v": "source.w"}, "DELETE": None}.get(action, {"v": "v + 1", "k": "target.k"})
        condition = said_in_python(when.removeprefix(" AND ")) or None
        clauses = {"matched": [MergeDelete(condition) if set_ is None else MergeUpdate(set_, condition)]}
        if random.random() < 0.6 and kind in (source_kind, "DOUBLE"):
            statement += " WHEN NOT MATCHED AND s.w <> 1001 THEN INSERT (k, v) VALUES (s.k, s.w)"
            clauses["not_matched"] = [MergeInsert({"k": "source.k", "v": "w"}, "source.w <> 1001")]
        if random.random() < 0.3:
            statement += " WHEN NOT MATCHED BY SOURCE AND t.v % 2 = 0 THEN DELETE"
            clauses["not_matched_by_source"] = [MergeDelete("v % 2 = 0")]
    return Case(kind, source_kind, chunks, gone, source, statement, clauses, said_in_python(on))


def said_in_python(condition: str) -> str:
    return condition.replace("t.", "target.").replace("s.", "source.")


# ---- three ways to do it ---------------------------------------------------------------------------------------------


def of_duckdb(case: Case) -> tuple[list[Any], pa.Table, list[pa.Table]]:
    """Return the rows that DuckDB leaves, the source, and the table as it is added."""
    with closing(duckdb.connect()) as theirs:
        theirs.execute(f"CREATE TABLE t (k {case.kind}, v INTEGER, g INTEGER)")
        chunks = [
            theirs.execute(f"SELECT k, v, g FROM (VALUES {', '.join(rows)}) r(k, v, g)").to_arrow_table()
            for rows in case.chunks
        ]
        for rows in case.chunks:
            theirs.execute(f"INSERT INTO t VALUES {', '.join(rows)}")
        theirs.execute(f"DELETE FROM t WHERE {case.gone}")
        theirs.execute(f"CREATE TABLE s AS {case.source_sql}")
        source = theirs.execute("FROM s").to_arrow_table()
        theirs.execute(case.statement.format(s="s"))
        return comparable(theirs.execute("FROM t").fetchall()), source, chunks


def made(shop: Catalog, name: str, case: Case, chunks: list[pa.Table], random: Random) -> Catalog:
    """Return a catalog with the table of a case."""
    fork = shop.fork(name)
    fork.create_table("t", {"k": case.kind, "v": "INTEGER", "g": "INTEGER"})
    for chunk in chunks:
        fork.options.set("data_inlining_row_limit", random.choice([0, 0, 100]))
        fork.table("t").append(chunk)
    fork.options.set("data_inlining_row_limit", random.choice([0, 100]))
    if case.gone != "false":
        fork.table("t").delete(case.gone)
    return fork


def rows_of(catalog: Catalog) -> list[tuple[Any, ...]]:
    """Return the rows of the table, read without Spark."""
    content, context = catalog._content(), catalog._runtime
    plan = plan_scan(context.store, context.lake_path, content, lookup.table(content, "t"), None)
    return [tuple(row.values[name] for name in ("k", "v", "g")) for row in read_plan(plan)]


def comparable(rows: list[Any]) -> list[Any]:
    """Return rows in an order of their own; NaN is itself, a zero has no sign, and whole numbers are of one type."""
    plain = [tuple(map(_plain, row)) for row in rows]
    return sorted(plain, key=repr)


def _plain(value: Any) -> Any:
    if isinstance(value, float) and math.isnan(value):
        return "NaN"
    if isinstance(value, Decimal) and value == value.to_integral_value():
        return int(value)  # as which unsigned numbers of the metadata are read
    return 0.0 if value == 0 and isinstance(value, float) else value


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory, spark: SparkSession) -> Iterator[Catalog]:
    directory: Path = tmp_path_factory.mktemp("matches")
    with (
        setting(spark, **NO_CODE),
        Lake(f"sqlite:{directory}/lake.db", data_path=directory / "data", spark=spark, settings=IMPATIENT) as lake,
    ):
        yield lake.create_catalog("shop")


@pytest.mark.parametrize("seeds", BATCHES, ids=lambda seeds: f"{seeds[0]}-{seeds[-1]}")
def test_rows_that_a_source_decides_about_are_as_in_duckdb(
    shop: Catalog, spark: SparkSession, seeds: range, monkeypatch: pytest.MonkeyPatch
) -> None:
    for seed in seeds:
        case, random = random_case(seed), Random(seed)
        expected, source, chunks = of_duckdb(case)
        # Small tables are looked at as large ones are, now and then.
        monkeypatch.setattr("forklake.ops.rows.change_table._MANY_FILES", random.choice([1, 1, 10]))
        ours = made(shop, f"case-{seed}", case, chunks, random)
        way = random.choice(["table", "values", "python", "python on spark"])
        if way == "table":
            ours.create_table("s", {"k": case.source_kind, "w": "INTEGER", "b": "INTEGER"})
            ours.table("s").append(source)
            ours.sql(case.statement.format(s="s"))
        elif way == "values":
            ours.sql(case.statement.format(s=f"({case.source_sql}) AS s"))
        else:
            is_of_spark = way == "python on spark" and case.source_kind != "UBIGINT"  # Spark has none
            frame = spark.createDataFrame(source) if is_of_spark else source
            ours.table("t").merge(frame, case.on, **case.clauses)
        assert comparable(rows_of(ours)) == expected, (seed, way, case)
