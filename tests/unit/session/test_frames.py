"""Frames of the caller that queries name like tables, and the names that DuckDB gives to a session's methods."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import duckdb
import pyarrow as pa
import pytest

import forklake
from forklake.errors import InvalidInputError, NotFoundError
from forklake.extras import is_installed
from forklake.ops.lakes.runtime import setup_of
from forklake.session.connection import Connection
from forklake.session.names.frames import frame_of_caller
from forklake.session.results.result import Result

seen_by_all = pa.table({"id": [1, 2]})


@pytest.fixture
def connection(tmp_path: Any) -> Any:
    with forklake.connect() as connection:
        connection.sql(f"ATTACH 'ducklake:{tmp_path}/lake.db' AS shop (CATALOG 'shop', CREATE_IF_NOT_EXISTS true)")
        connection.sql("USE shop")
        connection.sql("CREATE TABLE orders (id INTEGER, item VARCHAR)")
        yield connection


def columns_of(found: Result | None) -> list[tuple[Any, ...]]:
    assert found is not None
    return [row[:2] for row in found.rows()]


def test_a_registered_frame_is_named_like_a_table_and_comes_before_one(connection: Connection, pandas: Any) -> None:
    connection.register("new rows", pandas.DataFrame({"id": [1], "at": [pandas.Timestamp("2026-01-01")]}))
    assert columns_of(connection.sql('DESCRIBE SELECT * FROM "NEW ROWS"')) == [("id", "BIGINT"), ("at", "TIMESTAMP")]
    connection.register("orders", pa.table({"other": [1.5]}))
    assert columns_of(connection.sql("DESCRIBE SELECT * FROM orders")) == [("other", "DOUBLE")]
    assert columns_of(connection.sql("DESCRIBE SELECT * FROM main.orders")) == [("id", "INTEGER"), ("item", "VARCHAR")]
    connection.unregister("ORDERS")
    assert columns_of(connection.sql("DESCRIBE SELECT * FROM orders")) == [("id", "INTEGER"), ("item", "VARCHAR")]
    with pytest.raises(NotFoundError, match='No frame is registered as "orders"'):
        connection.unregister("orders")
    with pytest.raises(NotFoundError, match="does not exist"):
        connection.cursor().sql('FROM "new rows"')


def test_a_variable_that_holds_a_frame_is_named_like_a_table(connection: Connection, pandas: Any) -> None:
    mine = pandas.DataFrame({"id": [1]})
    orders = pandas.DataFrame({"hidden": [1]})
    numbers = [1, 2, 3]
    assert columns_of(connection.sql("DESCRIBE SELECT * FROM mine")) == [("id", "BIGINT")]
    assert columns_of(connection.sql("DESCRIBE SELECT * FROM MINE")) == [("id", "BIGINT")]
    assert columns_of(connection.sql("DESCRIBE SELECT * FROM seen_by_all")) == [("id", "BIGINT")]
    assert columns_of(connection.sql("DESCRIBE SELECT * FROM orders")) == [("id", "INTEGER"), ("item", "VARCHAR")]
    for name in ("numbers", "nobody", "shop.mine", "mine AT (VERSION => 0)"):
        with pytest.raises(NotFoundError, match="does not exist"):
            connection.sql(f"FROM {name}")
    connection.sql("SET python_enable_replacements = false")
    with pytest.raises(NotFoundError, match="Table with name mine does not exist"):
        connection.sql("FROM mine")
    assert len(mine) + len(orders) + len(numbers) == 5


class _Stream:
    """A stream of Arrow that another session commits before."""

    __module__ = "pyarrow.stream"

    def __init__(self, rows: pa.Table, before: Callable[[], object] | None = None) -> None:
        self._reader = rows.to_reader()
        self._before = before

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        if self._before is not None:
            self._before()
        return self._reader.__arrow_c_stream__(requested_schema)


def test_a_stream_that_is_named_twice_has_its_rows_twice(connection: Connection) -> None:
    stream = _Stream(pa.table({"id": [1, 2]}))
    found = connection.sql("SELECT count(*) FROM stream AS a JOIN stream AS b USING (id)")
    assert found is not None
    assert found.rows() == [(2,)]
    assert stream._before is None


def test_a_statement_that_runs_again_has_the_rows_of_a_stream_again(connection: Connection) -> None:
    connection.sql("INSERT INTO orders VALUES (1, 'old'), (2, 'other')")
    other = connection.cursor()
    stream = _Stream(pa.table({"id": [1], "item": ["new"]}), lambda: other.sql("DELETE FROM shop.orders WHERE id = 2"))
    connection.sql(
        "MERGE INTO orders USING stream ON orders.id = stream.id WHEN MATCHED THEN UPDATE SET item = stream.item"
    )
    assert connection.execute("FROM orders").fetchall() == [(1, "new")]
    assert isinstance(stream, _Stream)


def test_what_is_stored_names_no_frame(connection: Connection) -> None:
    mine = pa.table({"id": [1]})
    connection.register("registered", mine)
    for name in ("mine", "registered"):
        with pytest.raises(NotFoundError, match=f"Table with name {name} does not exist"):
            connection.sql(f"CREATE VIEW v AS SELECT * FROM {name}")


def test_what_is_no_frame_cannot_be_registered(connection: Connection) -> None:
    for name, value in (("a", 5), ("a", "text"), ("a", None), ("", seen_by_all), (5, seen_by_all)):
        with pytest.raises(InvalidInputError):
            connection.register(name, value)  # type: ignore[arg-type]


def test_only_variables_where_forklake_was_called_are_seen() -> None:
    engine = setup_of().engine

    def inner() -> Any:
        return frame_of_caller(engine, "mine")

    mine = pa.table({"a": [1]})
    assert inner() is None  # not those of whoever called the caller
    found = frame_of_caller(engine, "mine")
    assert found is not None
    assert found.columns[0].name == mine.column_names[0]


def test_execute_gives_the_session_and_its_fetches_are_of_the_last_statement(connection: Connection) -> None:
    assert connection.execute("VALUES (1, 'x'), (2, 'y')") is connection
    assert connection.description is not None
    assert [one[1] for one in connection.description] == ["INTEGER", "VARCHAR"]
    assert (connection.fetchone(), connection.fetchmany(5), connection.fetchall()) == ((1, "x"), [(2, "y")], [])
    if is_installed("pandas"):
        assert connection.df().shape == connection.fetchdf().shape == (2, 2)
    assert connection.arrow().num_rows == 2
    assert connection.execute("SELECT ?", [7]).fetchall() == [(7,)]
    assert connection.execute("-- nothing").description is None
    with pytest.raises(InvalidInputError, match="No open result set"):
        connection.fetchall()


def test_statements_without_rows_have_the_results_of_duckdb(connection: Connection) -> None:
    theirs = duckdb.connect()
    for statement in (
        "CREATE SCHEMA r",
        "CREATE TABLE r.t (a INTEGER)",
        "CREATE TABLE r.u AS SELECT 1 AS i UNION ALL SELECT 2",
        "CREATE TABLE IF NOT EXISTS r.u AS SELECT 1 AS i",
        "INSERT INTO r.t VALUES (1), (2)",
        "UPDATE r.t SET a = 3",
        "DELETE FROM r.t",
        "ALTER TABLE r.t ADD COLUMN b INTEGER",
        "CREATE VIEW r.v AS SELECT 1 AS i",
        "ALTER VIEW r.v RENAME TO w",
        "COMMENT ON VIEW r.w IS 'x'",
        "CREATE MACRO r.m() AS 1",
        "SET VARIABLE x = 1",
        "RESET VARIABLE x",
        "SET threads = 1",
        "RESET threads",
        "BEGIN",
        "ROLLBACK",
        "BEGIN; SELECT 1; COMMIT",
        "PREPARE p AS SELECT 1 AS i",
        "EXECUTE p",
        "DEALLOCATE p",
        "USE r",
        "DROP MACRO r.m",
        "DROP VIEW r.w",
        "DROP TABLE IF EXISTS r.nothing",
        "CREATE TEMP TABLE z (i INTEGER)",
        "EXPORT DATABASE 'exported'",
        "DROP SCHEMA r CASCADE",
    ):
        told = [
            (
                statement,
                made.fetchall(),
                [(name, str(kind)) for name, kind, *_ in made.description or ()],
                made.rowcount,
            )
            for made in (connection.execute(statement), theirs.execute(statement))
        ]
        assert told[0] == told[1]


def test_executemany_is_all_or_nothing(connection: Connection) -> None:
    connection.execute("CREATE SCHEMA before_it")
    snapshots = "SELECT count(*) FROM shop.snapshots()"
    before = connection.execute(snapshots).fetchall()[0][0]
    with pytest.raises(NotFoundError):
        connection.executemany("DROP SCHEMA IF EXISTS before_it; SELECT ? FROM nothing", [[1], [2]])
    assert not connection.is_in_transaction
    assert connection.execute(snapshots).fetchall() == [(before,)]
    both = "CREATE SCHEMA IF NOT EXISTS one; CREATE SCHEMA IF NOT EXISTS two; SELECT $n"
    connection.executemany(both, [{"n": 1}, {"n": 2}])
    assert connection.execute(snapshots).fetchall() == [(before + 1,)]
    connection.executemany("SELECT ?", [])
    assert connection.execute(snapshots).fetchall() == [(before + 1,)]
