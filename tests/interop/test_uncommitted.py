"""Rows that a transaction has not committed have the row ids and snapshots that stock DuckLake shows for them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import SparkSession

import forklake
from tests.interop.ducklake import attached

_SHOWN = "SELECT rowid, snapshot_id, i FROM t ORDER BY rowid"
_PLACES = "SELECT rowid, file_row_number, file_index, i FROM t ORDER BY rowid"
_STEPS = (
    "CREATE TABLE t (i INTEGER)",
    "BEGIN",
    "INSERT INTO t VALUES (0)",
    "SELECT i, file_index FROM t",
    "ROLLBACK",
    "INSERT INTO t VALUES (1), (2), (3)",
    "BEGIN",
    _SHOWN,
    "INSERT INTO t VALUES (4), (5)",
    _SHOWN,
    _PLACES,
    "INSERT INTO t VALUES (6)",
    "SELECT i FROM t WHERE rowid = 1000000000000000001",
    "SELECT i FROM t WHERE snapshot_id IS NULL ORDER BY i",
    "UPDATE t SET i = i + 100 WHERE i IN (1, 5)",
    _SHOWN,
    "DELETE FROM t WHERE rowid = 1000000000000000002",
    "UPDATE t SET i = rowid % 1000 WHERE rowid = 1000000000000000000",
    _SHOWN,
    "UPDATE t SET i = file_row_number + coalesce(snapshot_id, 50) WHERE rowid = 1",
    _SHOWN,
    "ROLLBACK",
    "BEGIN",
    "CREATE TABLE u AS SELECT 7 AS i",
    "SELECT rowid, snapshot_id, i FROM u",
    "SELECT file_index FROM u",
    "COMMIT",
    "SELECT rowid, i FROM u",
    "BEGIN",
    "INSERT INTO t VALUES (8)",
    "ALTER TABLE t ADD COLUMN j INTEGER DEFAULT 5",
    "SELECT rowid, snapshot_id, i, j FROM t ORDER BY rowid",
    "ROLLBACK",
    "INSERT INTO t VALUES (9)",
    _SHOWN,
)


@pytest.mark.parametrize("engine", ["local", "spark"])
@pytest.mark.parametrize("limit", [0, 10])
def test_uncommitted_rows_are_shown_as_ducklake_shows_them(
    engine: str, limit: int, tmp_path: Path, spark: SparkSession
) -> None:
    with attached(
        f"ducklake:{tmp_path}/theirs.ducklake", DATA_PATH=f"{tmp_path}/theirs/", DATA_INLINING_ROW_LIMIT=limit
    ) as (theirs, _):
        expected = [_answer(theirs.execute(step).fetchall(), step) for step in _STEPS]
    with forklake.connect(spark=spark) as session:
        session.sql(
            f"ATTACH 'ducklake:{tmp_path}/ours.db' AS ours (DATA_INLINING_ROW_LIMIT {limit}); USE ours;"
            f" SET engine = '{engine}'"
        )
        found = [_answer(session.execute(step).fetchall(), step) for step in _STEPS]
    assert dict(zip(_STEPS, found, strict=True)) == dict(zip(_STEPS, expected, strict=True))
    assert found == expected


def test_a_fork_shows_uncommitted_rows_in_the_same_way_beside_ids_of_other_catalogs(tmp_path: Path) -> None:
    with forklake.open(str(tmp_path / "lake.db"), data_path=tmp_path / "data") as lake:
        shop = lake.create_catalog("shop")
        shop.sql("CREATE TABLE t (i INTEGER); INSERT INTO t VALUES (1)")
        first, second = shop.fork("first"), shop.fork("second")
        second.sql("INSERT INTO t VALUES (2)")
        first.merge(second)
        with first.session() as session:
            merged_id = session.execute("SELECT rowid FROM t WHERE i = 2").fetchall()[0][0]
            session.sql("BEGIN; INSERT INTO t VALUES (3), (4)")
            found = session.execute("SELECT i, rowid FROM t ORDER BY i").fetchall()
        assert found == [(1, 0), (2, merged_id), (3, 10**18), (4, 10**18 + 1)]


def _answer(rows: list[Any], step: str) -> list[Any]:
    """Return the rows of a query; other statements answer in other ways."""
    return rows if step.startswith("SELECT") else []
