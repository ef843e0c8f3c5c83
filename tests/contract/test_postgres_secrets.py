"""Secrets of type postgres complete the address of a lake, and are shown nowhere."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from psycopg.conninfo import conninfo_to_dict

import forklake
from forklake import Connection, Settings
from forklake.errors import ForklakeError, InvalidInputError, NotFoundError
from forklake.metastore.postgres import initialise
from tests.duck_engine import DuckEngine

PASSWORD = "it's \\ a secret"


@pytest.fixture
def words(postgres_database: str, tmp_path: Path) -> dict[str, Any]:
    initialise(postgres_database, None, Settings())
    with forklake.open(postgres_database, data_path=tmp_path / "data") as lake:
        lake.create_catalog("shop").create_table("orders", {"id": "BIGINT"})
    return conninfo_to_dict(postgres_database)


@pytest.fixture
def session() -> Iterator[Connection]:
    with forklake.connect(settings=Settings(engine=DuckEngine())) as made:
        yield made


def _secret(words: dict[str, Any], name: str = "", *, without: str = "") -> str:
    found = {"dbname": "DATABASE", "host": "HOST", "port": "PORT", "user": "USER"}
    given = [f"{found[word]} '{value}'" for word, value in words.items() if word in found and found[word] != without]
    password = PASSWORD.replace("'", "''")
    return f"CREATE SECRET {name} (TYPE postgres, {', '.join(given)}, PASSWORD '{password}')"


def _tables(session: Connection, alias: str) -> list[Any]:
    found = session.sql(f"SELECT table_name FROM duckdb_tables() WHERE database_name = '{alias}'")
    assert found is not None
    return found.fetchall()


def test_a_secret_says_where_the_lake_is(session: Connection, words: dict[str, Any]) -> None:
    session.sql(_secret(words))
    session.sql("ATTACH 'ducklake:postgres:' AS a (CATALOG 'shop')")
    session.sql(_secret({**words, "dbname": "another"}, "elsewhere"))
    session.sql(f"ATTACH 'ducklake:postgres:dbname={words['dbname']}' AS b (CATALOG 'shop', META_SECRET 'elsewhere')")
    session.sql(_secret(words, "here"))
    session.sql("CREATE SECRET kept (TYPE ducklake, METADATA_PARAMETERS MAP {'TYPE': 'postgres', 'SECRET': 'here'})")
    session.sql("ATTACH 'ducklake:kept' AS c (CATALOG 'shop')")
    assert [_tables(session, alias) for alias in "abc"] == [[("orders",)]] * 3


def test_a_secret_is_shown_nowhere(session: Connection, words: dict[str, Any]) -> None:
    session.sql(_secret(words, "pg"))
    session.sql("ATTACH 'ducklake:postgres:' AS a (CATALOG 'shop', META_SECRET pg)")
    shown = []
    for listing in ("duckdb_secrets()", "duckdb_databases()", "duckdb_settings()", "a.settings()"):
        found = session.sql(f"FROM {listing}")
        shown.append(str(found and found.fetchall()))
    for wrong in (
        "ATTACH 'ducklake:postgres:dbname=nowhere' AS b (CATALOG 'shop', META_SECRET pg)",
        "ATTACH 'ducklake:postgres:' AS b (CATALOG 'nowhere', META_SECRET pg)",
        "ATTACH 'ducklake:postgres:port=1' AS b (CATALOG 'shop', META_SECRET pg)",
    ):
        with pytest.raises(ForklakeError) as error:
            session.sql(wrong)
        shown.append(f"{error.value!r} {error.value}")
    assert "postgres" in shown[0]
    assert [text for text in (*shown, repr(session._state.secrets)) if "it's" in text or "a secret" in text] == []


@pytest.mark.parametrize(
    ("statement", "kind", "words"),
    [
        ("CREATE SECRET (TYPE postgres, PASSWORT 'x')", InvalidInputError, "Unknown parameter 'passwort'"),
        ("CREATE SECRET (TYPE mysql)", InvalidInputError, "Secret type 'mysql' does not exist"),
        ("ATTACH 'ducklake:postgres:' AS a (META_SECRET x)", NotFoundError, "name 'x' and type postgres was not found"),
        ("ATTACH 'ducklake:lake.db' AS a (META_SECRET x)", InvalidInputError, "META_SECRET completes the words"),
        ("CREATE SECRET (TYPE ducklake, METADATA_PARAMETERS 'x')", InvalidInputError, "a map of TYPE and SECRET"),
        ("CREATE SECRET (TYPE ducklake, METADATA_PARAMETERS MAP {'X': 'y'})", InvalidInputError, "a map of TYPE"),
    ],
)
def test_wrong_secrets_are_refused(session: Connection, statement: str, kind: type[ForklakeError], words: str) -> None:
    with pytest.raises(kind, match=words):
        session.sql(statement)
