"""Counts, minima and maxima that the metadata knows, sizes, and texts that it cannot hold; no Spark is started."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import duckdb
import pytest

from forklake import Connection, Lake


@pytest.fixture
def session(lake: Lake) -> Iterator[Connection]:
    with lake.create_catalog("shop").session() as made:
        made.sql("CALL ducklake_set_option('shop', 'data_inlining_row_limit', 2)")
        made.sql("CREATE TABLE t (i INTEGER, d DECIMAL(8, 2), ts TIMESTAMP, b BOOLEAN, s VARCHAR, g DOUBLE)")
        made.sql("INSERT INTO t VALUES (3, 1.5, '2020-01-02', true, 'x', 0.5), (9, 2, '2021-01-01', false, 'y', 2.5),"
                 " (NULL, NULL, NULL, NULL, NULL, NULL)")  # fmt: skip
        made.sql("INSERT INTO t VALUES (-4, -0.25, '1999-12-31 23:59:59.5', true, 'z', 1)")
        yield made


def _rows(session: Connection, text: str) -> list[Any]:
    found = session.sql(text)
    assert found is not None
    return found.fetchall()


def test_totals_of_columns_are_answered_from_metadata(session: Connection) -> None:
    totals = "min(i), max(t.i), count(*), min(d), max(ts), min(ts), min(b), max(b), max(g)"
    given = _rows(session, "FROM t")
    with duckdb.connect() as database:
        database.execute("CREATE TABLE t (i INTEGER, d DECIMAL(8, 2), ts TIMESTAMP, b BOOLEAN, s VARCHAR, g DOUBLE)")
        database.executemany("INSERT INTO t VALUES (?, ?, ?, ?, ?, ?)", given)
        expected = database.execute(f"SELECT {totals} FROM t")
        found = session.sql(f"SELECT {totals} FROM t")
        assert found is not None
        assert found.fetchall() == expected.fetchall()
        assert found.types == [str(kind) for _, kind, *_ in expected.description]
        assert found.columns == [name for name, *_ in expected.description]


def test_plans_say_whether_metadata_answers(session: Connection) -> None:
    ((key, plan),) = _rows(session, "EXPLAIN ANALYZE SELECT min(i), count(*) FROM t")
    assert (key, plan) == ("analyzed_plan", "Answered from metadata: no file is read.")
    ((key, plan),) = _rows(session, "EXPLAIN SELECT i FROM t")
    assert key == "physical_plan"
    assert "TABLE_SCAN of ~4 rows" in plan


def test_the_size_of_each_catalog_is_told(session: Connection, lake: Lake) -> None:
    ((name, size, *others),) = _rows(session, "PRAGMA database_size")
    byte_count = lake.catalog("shop").table("t").inspect.stats.file_size_bytes
    ((expected,),) = duckdb.sql(f"SELECT format_bytes({byte_count})").fetchall()
    assert (name, size, others[0]) == ("shop", expected, 0)
    assert _rows(session, "SELECT database_size FROM pragma_database_size()") == [(size,)]


def test_texts_with_nul_are_not_inlined_but_written(session: Connection) -> None:
    session.execute("INSERT INTO t (i, s) VALUES (7, ?)", ["go\0se"])
    assert ("go\0se",) in _rows(session, "SELECT s FROM t")
    assert _rows(session, "SELECT count(*) FROM ducklake_list_files('shop', 't')") == [(2,)]
