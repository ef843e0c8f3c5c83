"""Verbs of table handles run in this process where the table is small; DuckDB itself gives the same rows."""

from __future__ import annotations

import random
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import duckdb
import pytest

import forklake
from forklake import Catalog, MergeDelete, MergeInsert, MergeUpdate, Settings
from forklake.errors import EngineError, InvalidInputError, NotFoundError

_TABLE = "CREATE TABLE t (id BIGINT, n INTEGER, s VARCHAR, d DECIMAL(10,2), f DOUBLE, day DATE)"
_ROWS = (
    "INSERT INTO t VALUES (1, 5, 'a', 1.50, 0.5, '2024-01-31'), (2, NULL, 'B', 2.25, 'nan', NULL),"
    " (3, 7, '', NULL, -0.0, '1999-12-31'), (4, 5, NULL, -3.00, '-inf', '2024-02-29'), (5, 0, 'x', 0, 1, NULL)"
)


@pytest.fixture
def shop(tmp_path: Path) -> Iterator[Catalog]:
    settings = Settings(engine="local")
    with forklake.open(str(tmp_path / "lake.db"), data_path=tmp_path / "data", settings=settings) as lake:
        made = lake.create_catalog("shop")
        made.sql(_TABLE)
        made.sql(_ROWS)
        yield made


@pytest.fixture
def oracle() -> Iterator[duckdb.DuckDBPyConnection]:
    with duckdb.connect() as made:
        made.execute(_TABLE)
        made.execute(_ROWS)
        yield made


def one(oracle: duckdb.DuckDBPyConnection, text: str) -> int:
    found = oracle.execute(text).fetchone()
    assert found is not None
    return int(found[0])


@pytest.mark.slow
def test_random_verbs_leave_and_count_what_duckdb_has(shop: Catalog, oracle: duckdb.DuckDBPyConnection) -> None:
    chance, table = random.Random(11), shop.table("t")
    for step in range(60):
        if step % 8 == 0:
            shop.options.set("data_inlining_row_limit", str(chance.choice([0, 2, 1000])))
        number, other = chance.randrange(9), chance.randrange(9)
        where = chance.choice(
            [f"id = {number}", f"n > {other} OR d IS NULL", f"f < {other}", f"day > '2000-01-0{number + 1}'", "s = 'x'"]
        )
        assert table.count(where) == one(oracle, f"SELECT count(*) FROM t WHERE {where}"), where
        found = table.rows(where=where)
        assert sorted(map(repr, found)) == sorted(map(repr, oracle.execute(f"FROM t WHERE {where}").fetchall())), where
        match chance.randrange(5):
            case 0:
                done = table.update({"n": f"n + {number}", "d": other, "s": "?"}, where, parameters=["new"])
                changed = one(oracle, f"UPDATE t SET n = n + {number}, d = {other}, s = 'new' WHERE {where}")
            case 1:
                done, changed = table.delete(where), one(oracle, f"DELETE FROM t WHERE {where}")
            case 2:
                done = table.overwrite([{"id": number, "n": other}], where)
                oracle.execute(f"DELETE FROM t WHERE {where}")
                changed = one(oracle, f"INSERT INTO t (id, n) VALUES ({number}, {other})")
            case 3:
                source = [{"id": number, "n": 50}, {"id": other + 9, "n": None}]
                done = table.merge(
                    source,
                    "target.id = source.id",
                    matched=[MergeDelete("target.n > 40"), MergeUpdate({"n": "source.n", "d": "target.d + 1"})],
                    not_matched=[MergeInsert({"id": "source.id", "s": "?"}, "source.n IS NULL")],
                    not_matched_by_source=[MergeUpdate({"f": 2.5}, "id = ?")],
                    parameters=["m", other],
                )
                changed = one(
                    oracle,
                    f"MERGE INTO t USING (VALUES ({number}, 50), ({other + 9}, NULL)) u(id, n) ON t.id = u.id"
                    " WHEN MATCHED AND t.n > 40 THEN DELETE WHEN MATCHED THEN UPDATE SET n = u.n, d = t.d + 1"
                    " WHEN NOT MATCHED AND u.n IS NULL THEN INSERT (id, s) VALUES (u.id, 'm')"
                    f" WHEN NOT MATCHED BY SOURCE AND id = {other} THEN UPDATE SET f = 2.5",
                )
            case _:
                done = table.append([(number, None, "x", None, 0.5, None), (other, *[None] * 5)])
                changed = one(oracle, f"INSERT INTO t (id, s, f) VALUES ({number}, 'x', 0.5), ({other}, NULL, NULL)")
        assert done.row_count == changed, (where, step)
        known, given = (sorted(map(repr, rows)) for rows in (oracle.execute("FROM t").fetchall(), table.rows()))
        assert given == known, (where, step)


def test_rows_of_a_condition_keep_the_order_of_the_table_and_show_their_ids(shop: Catalog) -> None:
    table = shop.table("t")
    assert table.rows(["id", "rowid"], where="n IS NOT NULL") == [(1, 0), (3, 2), (4, 3), (5, 4)]
    assert table.head(2, ["s"], where="id > ?", parameters=[2]).rows() == [("",), (None,)]
    assert table.arrow(["id"], where="rowid = 1").to_pydict() == {"id": [2]}


def test_an_upsert_keeps_row_ids_and_what_the_source_lacks(shop: Catalog) -> None:
    table = shop.table("t")
    assert table.merge([{"id": 3, "n": 30}, {"id": 8, "n": 80}], on="id").row_count == 2
    assert table.rows(["id", "n", "s"], where="n >= 30") == [(3, 30, ""), (8, 80, None)]
    assert table.rows(["rowid"], where="id = 3") == [(2,)]
    with pytest.raises(InvalidInputError, match="updated multiple times"):
        table.merge([{"id": 3, "n": 1}, {"id": 3, "n": 2}], on="id")
    assert table.count("n >= 30") == 2


def test_a_transaction_changes_what_it_changed_before(shop: Catalog) -> None:
    with shop.transaction() as transaction:
        transaction.table("t").update({"n": "n + 1"}, "id = 1")
        transaction.table("t").update({"n": "n * 10"}, "id = 1")
        assert transaction.table("t").count("n = 60") == 1
        assert shop.table("t").count("n = 60") == 0
    assert shop.table("t").rows(["n"], where="id = 1") == [(60,)]


def test_a_verb_runs_again_on_the_new_head_after_a_conflict(shop: Catalog) -> None:
    def count_up() -> None:
        for _ in range(5):
            shop.table("t").update({"n": "n + 1"}, "id = 1")

    with ThreadPoolExecutor(3) as threads:
        for done in [threads.submit(count_up) for _ in range(3)]:
            done.result()
    assert shop.table("t").rows(["n"], where="id = 1") == [(20,)]


def test_what_this_process_does_not_compute_is_refused_if_spark_is_not_used(shop: Catalog) -> None:
    table = shop.table("t")
    for verb in (
        lambda: table.count("reverse(s) = 'A'"),
        lambda: table.delete("reverse(s) = 'A'"),
        lambda: table.update({"s": "reverse(s)"}),
        lambda: table.rows(where="reverse(s) = 'A'"),
        lambda: table.merge([{"id": 1}], "target.id = source.id", matched=[MergeDelete("reverse(s) = 'A'")]),
        lambda: table.overwrite([{"id": 1}], "reverse(s) = 'A'"),
    ):
        with pytest.raises(EngineError, match=r"needs Spark \(reverse\(\) is left to Spark\), and the engine"):
            verb()
    assert table.count() == 5


def test_bad_conditions_are_refused_as_ever(shop: Catalog) -> None:
    table = shop.table("t")
    with pytest.raises(NotFoundError, match="nix"):
        table.delete("nix = 1")
    with pytest.raises(InvalidInputError, match="true or false"):
        table.count("n")
    with pytest.raises(InvalidInputError):
        table.delete("id IN (SELECT id FROM t)")
    with pytest.raises(InvalidInputError, match="Overflow"):
        table.update({"id": "id + 9223372036854775807"}, "id = 1")
    assert table.count() == 5


def test_deleting_and_counting_all_rows_reads_only_what_metadata_does_not_know(shop: Catalog) -> None:
    table = shop.table("t")
    shop.options.set("data_inlining_row_limit", "0")
    table.append([{"id": number} for number in range(20)])
    table.delete("id = 7")  # a delete file
    shop.options.set("data_inlining_row_limit", "10")
    table.delete("id = 9")  # and an inlined delete of the same file
    assert table.count() == 23
    assert table.delete().row_count == 23
    assert table.count() == 0


def test_no_java_and_no_spark_is_loaded(tmp_path: Path) -> None:
    script = f"""
import sys, forklake
with forklake.open("{tmp_path}/lake.db", data_path="{tmp_path}/data") as lake:
    shop = lake.create_catalog("shop")
    t = shop.create_table("t", {{"i": "INTEGER"}})
    t.append([{{"i": 1}}, {{"i": 2}}, {{"i": 3}}])
    t.update({{"i": "i + 1"}}, "i > 1")
    t.delete("i = 3")
    t.merge([{{"i": 4}}], on="i")
    assert (t.count("i > 1"), t.rows(where="i < 9"), t.delete().row_count) == (1, [(1,), (4,)], 2)
assert not {{"pyspark", "py4j"}} & set(sys.modules)
"""
    subprocess.run([sys.executable, "-c", script], check=True, timeout=120)
