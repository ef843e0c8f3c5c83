"""Spellings of the original multi-tenant DuckLake that DuckDB refuses, or has in other words."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import forklake
from forklake import Connection

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

_SESSION = Path(__file__).parent / "original" / "session.sql"


def rows(session: Connection, text: str) -> list[Any]:
    found = session.sql(text)
    assert found is not None
    return found.fetchall()


def test_the_session_of_the_original_runs_as_it_is_printed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, spark: SparkSession
) -> None:
    monkeypatch.chdir(tmp_path)
    with forklake.connect(spark) as session:
        assert rows(session, _SESSION.read_text()) == [(1, "hello")]


def test_the_past_is_named_without_parentheses(session: Connection) -> None:
    session.sql("CREATE TABLE t (i INTEGER); INSERT INTO t VALUES (1)")
    ((before, when),) = rows(session, "SELECT snapshot_id, snapshot_time FROM lake.snapshots() ORDER BY 1 DESC LIMIT 1")
    session.sql("INSERT INTO t VALUES (2)")

    assert rows(session, f"SELECT count(*) FROM t AT SNAPSHOT {before}") == [(1,)]
    assert rows(session, f"SELECT count(*) FROM t AT TIMESTAMP '{when}'") == [(1,)]
    assert rows(session, "SELECT count(*) FROM t") == [(2,)]


def test_tables_are_partitioned_where_they_are_made(session: Connection) -> None:
    session.sql("CREATE TABLE t (d DATE, c VARCHAR) PARTITION BY (year(d), month(d), identity(c))")
    session.sql("INSERT INTO t VALUES ('2024-05-06', 'x')")

    values = "SELECT partition_value FROM __ducklake_metadata_lake.ducklake_file_partition_value ORDER BY 1"
    assert rows(session, values) == [("2024",), ("5",), ("x",)]


def test_arguments_are_named_with_a_colon_too(session: Connection) -> None:
    ((fork, name, created),) = rows(session, "FROM ducklake_fork_catalog('shop', 'copy', if_not_exists := true)")
    assert (name, created) == ("copy", True)
    assert rows(session, "FROM ducklake_fork_catalog('shop', 'copy', if_not_exists => true)") == [(fork, "copy", False)]


def test_functions_take_tables_in_one_text_and_ages_as_times(session: Connection) -> None:
    session.sql("CREATE TABLE t (i INTEGER); INSERT INTO t VALUES (1), (2)")

    assert rows(session, "SELECT table_name FROM ducklake_table_info('lake', 't')") == [("t",)]
    with_schema = "SELECT i FROM ducklake_table_changes('lake', 'main', 't', 0, 2) ORDER BY i"
    in_one_text = "SELECT i FROM ducklake_table_changes('lake', 'main.t', 0, 2) ORDER BY i"
    of_alias = "SELECT i FROM lake.table_insertions('t', 0, 2) ORDER BY i"
    assert rows(session, with_schema) == rows(session, in_one_text) == rows(session, of_alias) == [(1,), (2,)]
    assert rows(session, "SELECT count(*) FROM ducklake_expire_snapshots('lake', INTERVAL 1 DAY)") == [(0,)]
