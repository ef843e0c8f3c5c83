"""COPY of what Spark computes, and of files into tables."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date
from pathlib import Path
from typing import Any

import duckdb
import pytest
from pyspark.sql import SparkSession

import forklake
from forklake import Connection
from forklake.errors import ForklakeError


@pytest.fixture
def session(spark: SparkSession, tmp_path: Path) -> Iterator[Connection]:
    with forklake.connect(spark=spark) as made:
        made.sql(f"ATTACH 'ducklake:{tmp_path}/lake.db' AS shop (CATALOG 'shop', CREATE_IF_NOT_EXISTS true); USE shop")
        yield made


def _rows(session: Connection, text: str) -> list[Any]:
    result = session.sql(text)
    assert result is not None
    return result.fetchall()


def test_types_are_those_of_duckdb(session: Connection, tmp_path: Path) -> None:
    kinds = {
        "UTINYINT": "1", "BIGINT": "-1", "DECIMAL(20,3)": "1.5", "DOUBLE": "0.5", "BLOB": "'x'", "UUID": "uuid()",
        "DATE": "'2020-01-01'", "TIME": "'12:00:00'", "TIMESTAMP": "'2020-01-01'", "TIMESTAMP_NS": "'2020-01-01'",
        "TIMESTAMP WITH TIME ZONE": "'2020-01-01 00:00:00+00'", "JSON": "'[1]'",
        "INTEGER[]": "[1]", "STRUCT(a INTEGER)": "{'a': 1}", "MAP(VARCHAR, INTEGER)": "MAP {'k': 1}",
    }  # fmt: skip
    chosen = ", ".join(f"{value}::{kind} AS c{place}" for place, (kind, value) in enumerate(kinds.items()))
    session.sql(f"COPY (SELECT {chosen}) TO '{tmp_path}/all.parquet'")
    described = duckdb.connect().execute(f"DESCRIBE FROM '{tmp_path}/all.parquet'").fetchall()
    assert [row[1] for row in described] == list(kinds)


def test_rows_of_a_query_keep_their_order(session: Connection, tmp_path: Path) -> None:
    session.sql(f"COPY (SELECT range AS i FROM range(1000) ORDER BY i DESC) TO '{tmp_path}/r.parquet'")
    found = duckdb.connect().execute(f"FROM '{tmp_path}/r.parquet'").fetchall()
    assert found == [(number,) for number in range(999, -1, -1)]


def test_files_are_copied_into_a_table_by_position(session: Connection, tmp_path: Path) -> None:
    duckdb.connect().execute(
        f"COPY (SELECT range::TINYINT AS x, 'v' || range AS y FROM range(3)) TO '{tmp_path}/a.parquet'"
    )
    session.sql("CREATE TABLE t (i BIGINT, s VARCHAR, n VARCHAR DEFAULT 'none')")
    assert _rows(session, f"COPY t (i, s) FROM '{tmp_path}/a.parquet' (FORMAT parquet)") == [(3,)]
    assert _rows(session, f"COPY t (s, n) FROM '{tmp_path}/?.parquet'") == [(3,)]
    assert sorted(_rows(session, "FROM t"), key=repr) == sorted(
        [
            (0, "v0", "none"),
            (1, "v1", "none"),
            (2, "v2", "none"),
            (None, "0", "v0"),
            (None, "1", "v1"),
            (None, "2", "v2"),
        ],
        key=repr,
    )
    with pytest.raises(ForklakeError, match="2 "):
        session.sql(f"COPY t FROM '{tmp_path}/a.parquet'")
    assert _rows(session, "SELECT count(*) FROM t") == [(6,)]


def test_directories_are_columns_of_files_that_are_named_as_a_table(session: Connection, tmp_path: Path) -> None:
    session.sql("CREATE TABLE t (i INTEGER, y INTEGER, d DATE, s VARCHAR)")
    session.sql("INSERT INTO t VALUES (1, 2020, '2020-01-01', 'a'), (2, 2021, NULL, '7')")
    session.sql(f"COPY t TO '{tmp_path}/parts' (FORMAT parquet, PARTITION_BY (y, d, s))")
    result = session.sql(f"SELECT * FROM '{tmp_path}/parts/**/*.parquet' ORDER BY i")
    assert result is not None
    assert (result.columns, result.types) == (["i", "d", "s", "y"], ["INTEGER", "DATE", "VARCHAR", "BIGINT"])
    assert result.fetchall() == [(1, date(2020, 1, 1), "a", 2020), (2, None, "7", 2021)]


def test_a_directory_of_partitions_comes_back_as_it_was(session: Connection, tmp_path: Path) -> None:
    session.sql("CREATE TABLE t (i INTEGER, s VARCHAR, d DATE)")
    session.sql("INSERT INTO t VALUES (1, 'a b', '2020-01-01'), (2, NULL, '2020-01-02'), (3, 'c', '2020-01-01')")
    session.sql(f"COPY t TO '{tmp_path}/parts' (FORMAT parquet, PARTITION_BY (s, d))")
    session.sql("CREATE TABLE u (i INTEGER, s VARCHAR, d DATE)")
    assert _rows(session, f"COPY u FROM '{tmp_path}/parts' (FORMAT parquet)") == [(3,)]
    assert sorted(_rows(session, "FROM u"), key=repr) == sorted(_rows(session, "FROM t"), key=repr)
