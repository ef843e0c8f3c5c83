"""The test servers themselves: what other tests take for granted of them."""

from collections.abc import Iterator
from contextlib import ExitStack

import psycopg
import pytest

from tests.servers import PgBouncer, PostgresServer, database_name


def fetch(url: str, query: str) -> object:
    with psycopg.connect(url) as connection:
        row = connection.execute(query.encode()).fetchone()
    assert row is not None
    return row[0]


def execute(url: str, statement: str) -> None:
    with psycopg.connect(url) as connection:
        connection.execute(statement.encode())


@pytest.fixture
def template(postgres_server: PostgresServer) -> Iterator[str]:
    url = postgres_server.create_database()
    execute(url, "CREATE TABLE seed AS SELECT 42 AS answer")
    yield url
    postgres_server.drop_database(url)


def test_the_server_is_postgresql(postgres_server: PostgresServer) -> None:
    assert str(fetch(postgres_server.maintenance_url, "SELECT version()")).startswith("PostgreSQL ")


def test_a_url_names_its_database(postgres_database: str) -> None:
    assert fetch(postgres_database, "SELECT current_database()") == database_name(postgres_database)


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ("postgresql:///postgres", "postgresql:///a%20b%2Fc"),
        ("postgresql://me:pw@db.test:6000/postgres", "postgresql://me:pw@db.test:6000/a%20b%2Fc"),
        ("postgresql://me@/postgres?host=%2Ftmp%2Fx", "postgresql://me@/a%20b%2Fc?host=%2Ftmp%2Fx"),
    ],
)
def test_url_replaces_only_the_database(given: str, expected: str) -> None:
    url = PostgresServer(given).url("a b/c")
    assert url == expected
    assert database_name(url) == "a b/c"


def test_a_copy_of_a_template_leaves_the_template_alone(postgres_server: PostgresServer, template: str) -> None:
    copy = postgres_server.create_database(template)
    try:
        execute(copy, "UPDATE seed SET answer = 1")
        assert fetch(copy, "SELECT answer FROM seed") == 1
        assert fetch(template, "SELECT answer FROM seed") == 42
    finally:
        postgres_server.drop_database(copy)


def test_a_database_in_use_can_be_dropped(postgres_server: PostgresServer) -> None:
    url = postgres_server.create_database()
    with psycopg.connect(url):
        postgres_server.drop_database(url)
    with pytest.raises(psycopg.OperationalError, match="does not exist"):
        psycopg.connect(url)


def test_the_server_takes_many_connections(postgres_database: str) -> None:
    with ExitStack() as stack:
        for _ in range(100):
            stack.enter_context(psycopg.connect(postgres_database))


def test_pgbouncer_reaches_the_same_database(pgbouncer: PgBouncer, postgres_database: str) -> None:
    execute(postgres_database, "CREATE TABLE seed AS SELECT 42 AS answer")
    assert fetch(pgbouncer.url(database_name(postgres_database)), "SELECT answer FROM seed") == 42


def test_pgbouncer_gives_a_session_up_at_the_end_of_a_transaction(pgbouncer: PgBouncer, postgres_database: str) -> None:
    url = pgbouncer.url(database_name(postgres_database))
    backend = "SELECT pg_backend_pid()"
    with psycopg.connect(url) as first, psycopg.connect(url) as second:
        one = first.execute(backend).fetchone()
        first.commit()
        assert second.execute(backend).fetchone() == one
        assert first.execute(backend).fetchone() != one
