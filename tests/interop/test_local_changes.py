"""Stock DuckDB with DuckLake, and Spark, read what the in-process engine wrote, in files or inlined."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyspark.sql import SparkSession

import forklake
from forklake import Connection, Settings
from tests.interop.ducklake import attached, write

_TABLE = "CREATE TABLE t (id BIGINT, n INTEGER, s VARCHAR, d DECIMAL(10,2), f DOUBLE, day DATE)"
_ROWS = (
    "INSERT INTO t VALUES (1, 5, 'a', 1.50, 0.5, '2024-01-31'), (2, NULL, 'B', 2.25, 'nan', NULL),"
    " (3, 7, '', NULL, -0.0, '1999-12-31'), (4, 5, NULL, -3.00, '-inf', '2024-02-29')"
)
_NEW = ("insert", "update_postimage")


@pytest.mark.parametrize("limit", [0, 4])
@pytest.mark.parametrize("layout", ["", "ALTER TABLE t SET PARTITIONED BY (n)", "ALTER TABLE t SET SORTED BY (s DESC)"])
def test_ducklake_reads_random_changes_that_this_process_wrote(limit: int, layout: str, tmp_path: Path) -> None:
    chance = random.Random(f"{limit} {layout}")
    oracle = duckdb.connect()
    with forklake.open(
        str(tmp_path / "lake.db"), data_path=tmp_path / "data", settings=Settings(engine="local")
    ) as lake:
        shop = lake.create_catalog("shop")
        with shop.session() as session:
            session.sql(f"CALL ducklake_set_option('shop', 'data_inlining_row_limit', {limit})")
            for statement in (_TABLE, layout, _ROWS):
                if statement:
                    session.sql(statement)
                if statement != layout:
                    oracle.execute(statement)
            for _ in range(15):
                number, other = chance.randrange(8), chance.randrange(8)
                change = chance.choice(
                    [
                        f"INSERT INTO t SELECT id + {number}, n, s, d, f, day FROM t WHERE id <= {other}",
                        f"UPDATE t SET n = n + {number}, s = 'u' || id WHERE id = {other}",
                        f"UPDATE t SET d = d * 1.5 WHERE n > {other}",
                        f"DELETE FROM t WHERE id = {number}",
                        f"MERGE INTO t USING (SELECT DISTINCT id + {number} AS id FROM t WHERE id < 9) u USING (id)"
                        f" WHEN MATCHED AND n > {other} THEN DELETE WHEN MATCHED THEN UPDATE SET n = {other}, s = 'm'"
                        " WHEN NOT MATCHED THEN INSERT (id, day) VALUES (u.id, '2020-02-02')",
                    ]
                )
                session.sql(change)
                oracle.execute(change)
            feed = replay(session, shop.head)
        shop.maintenance.export(tmp_path / "plain.ducklake", history=True)
    asked = "SELECT * FROM t ORDER BY ALL"
    with attached(f"ducklake:{tmp_path}/plain.ducklake") as (theirs, name):
        assert repr(theirs.execute(asked).fetchall()) == repr(oracle.execute(asked).fetchall())
        # Over several snapshots it tells earlier deletes again, for it takes off only those before the first one; and
        # those that were inlined always.
        for snapshot in sorted({row[0] for row in feed}) if limit == 0 else ():
            changes = f"FROM ducklake_table_changes('{name}', 'main', 't', {snapshot}, {snapshot})"
            told = sorted(map(repr, theirs.execute(changes).fetchall()))
            assert told == sorted(repr(row) for row in feed if row[0] == snapshot)
    oracle.close()


def test_spark_and_this_process_tell_the_same_changes_of_random_forks(spark: SparkSession, tmp_path: Path) -> None:
    chance = random.Random(5)
    with forklake.open(str(tmp_path / "lake.db"), data_path=tmp_path / "data", spark=spark) as lake:
        shop = lake.create_catalog("shop")
        with shop.session() as session:
            session.sql(f"SET engine = 'local'; {_TABLE}; {_ROWS}")
        agent = shop.fork("agent")
        for step in range(12):
            one = chance.choice([shop, agent])
            one.options.set("data_inlining_row_limit", str(chance.choice([0, 3])))
            number = chance.randrange(9)
            with one.session() as session:
                session.sql("SET engine = 'local'")
                session.sql(
                    chance.choice(
                        [
                            f"INSERT INTO t SELECT id + {number}, n, 'i', d, f, day FROM t WHERE id <= 3",
                            f"UPDATE t SET n = {step} WHERE id = {number}",
                            f"DELETE FROM t WHERE id = {number} AND n > 2",
                        ]
                    )
                )
            if step == 7:
                shop.merge(agent, strategy="theirs")
        with shop.session() as session:
            for name, other in (("shop", "agent"), ("agent", "shop")):
                last = lake.catalog(name).head
                for kind, shown in (("changes", ""), ("insertions", "rowid, "), ("deletions", "snapshot_id, ")):
                    asked = f"SELECT {shown}* FROM ducklake_table_{kind}('{name}', 'main', 't', 2, {last})"
                    compare(session, asked)
                compare(session, f"FROM ducklake_diff('{name}', '{other}', table_name => 't')")


def test_spark_and_this_process_tell_the_rows_of_a_file_that_was_adopted_again_apart(
    spark: SparkSession, tmp_path: Path
) -> None:
    file = tmp_path / "again.parquet"
    pq.write_table(pa.table({"id": pa.array([1, 2, 3, 4], pa.int64())}), file)
    with forklake.open(str(tmp_path / "lake.db"), data_path=tmp_path / "data", spark=spark) as lake:
        shop = lake.create_catalog("shop")
        with shop.session() as session:
            session.sql("SET engine = 'local'; CREATE TABLE t (id BIGINT)")
            for limit, source in ((0, shop), (3, shop), (0, shop.fork("one")), (0, shop.fork("two"))):
                shop.options.set("data_inlining_row_limit", limit)
                source.table("t").storage.add_files(file)
                if source is not shop:
                    shop.merge(source)
                for condition in ("id = 1", "id = 2", "true"):
                    session.sql(f"DELETE FROM t WHERE {condition}")
            before = shop.fork("before")
            for catalog in (before, shop):
                catalog.table("t").storage.add_files(file)
            session.sql("DELETE FROM t WHERE id = 2")
            replay(session, shop.head)
            compare(session, f"FROM ducklake_table_changes('shop', 'main', 't', 0, {shop.head})")
            compare(session, "FROM ducklake_diff('before', 'shop', table_name => 't')")


@pytest.mark.parametrize("engine", ["local", "spark"])
def test_of_a_file_that_ducklake_added_twice_the_rows_that_are_meant_change(
    engine: str, spark: SparkSession, tmp_path: Path
) -> None:
    file, plain = tmp_path / "twice.parquet", tmp_path / "plain.ducklake"
    pq.write_table(pa.table({"id": pa.array([1, 2, 3, 4], pa.int64())}), file)
    add = f"CALL ducklake_add_data_files('{{lake}}', 't', '{file}')"
    write(f"ducklake:{plain}", tmp_path / "theirs", "CREATE TABLE t (id BIGINT)", add, add)
    with forklake.open(str(tmp_path / "lake.db"), data_path=tmp_path / "data", spark=spark) as lake:
        shop = lake.import_catalog("shop", plain)
        with shop.session() as session:
            session.sql(f"SET engine = '{engine}'")
            there = {row_id: row_id % 4 + 1 for row_id in range(8)}

            def expect(statement: str) -> None:
                session.sql(statement)
                assert dict(rows(session, "SELECT rowid, id FROM t")) == there, statement

            del there[1]
            expect("DELETE FROM t WHERE rowid = 1")
            there.update({2: 30, 6: 30})
            expect("UPDATE t SET id = 30 WHERE id = 3")
            shop.options.set("data_inlining_row_limit", 10)
            del there[3], there[7]
            expect("DELETE FROM t WHERE id = 4")
            there.update({0: 9, 4: 9})
            expect("MERGE INTO t USING (SELECT 1 AS n) ON t.id = n WHEN MATCHED THEN UPDATE SET id = 9")
            there.clear()
            expect("DELETE FROM t WHERE id > 0")
            replay(session, shop.head)


def replay(session: Connection, last: int) -> list[Any]:
    """Check that changes, applied one snapshot after the other, give the rows of each, and return them."""
    feed = rows(session, f"FROM ducklake_table_changes('shop', 'main', 't', 0, {last}) ORDER BY snapshot_id")
    there: dict[int, str] = {}
    for snapshot in sorted({row[0] for row in feed}):
        changes = [row for row in feed if row[0] == snapshot]
        for _, row_id, kind, *values in changes:
            if kind in ("delete", "update_preimage"):
                assert there.pop(row_id) == repr(values)
        there |= {row[1]: repr(list(row[3:])) for row in changes if row[2] in _NEW}
        seen = rows(session, f"SELECT rowid, * FROM t AT (VERSION => {snapshot}) WHERE id IS NOT NULL")
        assert {row[0]: repr(list(row[1:])) for row in seen} == there
    return feed


def compare(session: Connection, asked: str) -> None:
    found = []
    for engine in ("local", "spark"):
        session.sql(f"SET engine = '{engine}'")
        found.append(sorted(map(repr, rows(session, asked))))
    assert found[0] == found[1], asked
    assert found[0], asked


def rows(session: Connection, text: str) -> list[Any]:
    found = session.sql(text)
    assert found is not None
    return found.fetchall()
