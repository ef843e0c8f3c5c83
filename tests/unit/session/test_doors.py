"""Every way to a SQL session leads to the settings, the clock and the lake that it was asked of. No Spark."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

import forklake
from forklake import Clock, ColumnDefinition, Connection, Lake, RetryPolicy, Settings
from forklake.errors import CommitConflictError, InvalidInputError, NotFoundError
from forklake.lake.internals import runtime_of


def rows(connection: Connection, text: str) -> list[Any]:
    found = connection.sql(text)
    assert found is not None
    return found.fetchall()


class Overtaken:
    """A lake with table ``t`` of catalog ``shop``, which somebody else alters whenever rows of it are written."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.slept: list[float] = []
        self.left = 0
        self.settings = Settings(
            RetryPolicy(1, wait_seconds=4.0), Clock(sleep=self.slept.append, jitter=lambda: 1.0), on_step=self._overtake
        )

    def _overtake(self, step: str) -> None:
        if step == "append: files written" and self.left:
            self.left -= 1
            with forklake.open(str(self.path)) as lake:
                shop = lake.catalog("shop")
                shop.table("t").alter.add_column(ColumnDefinition(f"c{shop.head}", "int32"))


@pytest.fixture
def overtaken(tmp_path: Path) -> Overtaken:
    with forklake.open(str(tmp_path / "lake.db")) as lake:
        lake.create_catalog("shop").create_table("t", {"i": "INTEGER"})
    return Overtaken(tmp_path / "lake.db")


@pytest.mark.parametrize("door", ["Catalog.session", "Lake.connect", "forklake.connect"])
def test_a_session_has_the_settings_of_its_door(overtaken: Overtaken, door: str) -> None:
    attach = f"ATTACH 'ducklake:{overtaken.path}' AS shop (CATALOG 'shop'); USE shop"
    with ExitStack() as stack:
        if door == "forklake.connect":
            connection = stack.enter_context(forklake.connect(settings=overtaken.settings))
            connection.sql(attach)
        else:
            lake = stack.enter_context(forklake.open(str(overtaken.path), settings=overtaken.settings))
            connection = stack.enter_context(
                lake.catalog("shop").session() if door == "Catalog.session" else lake.connect()
            )
            connection.sql(attach if door == "Lake.connect" else "SELECT 1")
        assert rows(connection, "SELECT current_setting('ducklake_retry_wait_ms')") == [(4000,)]
        overtaken.left = 2
        with pytest.raises(CommitConflictError):
            connection.sql("INSERT INTO t (i) VALUES (1)")
        # The commit waits before it looks what came between; the statement waits before it is run again.
        assert overtaken.slept == [4.0, 4.0, 4.0]
        overtaken.left = 1
        connection.sql("SET ducklake_retry_wait_ms = 500; INSERT INTO t (i) VALUES (1)")
        assert overtaken.slept == [4.0, 4.0, 4.0, 0.5, 0.5]
        # What ATTACH opened has the settings of the session, and one that was open is not opened again.
        (attached,) = connection._state.attachments.all()
        assert runtime_of(attached.lake).settings is overtaken.settings
        assert runtime_of(attached.catalog).setup is connection._state.setup


def test_verbs_of_python_wait_by_the_same_clock(overtaken: Overtaken) -> None:
    with forklake.open(str(overtaken.path), settings=overtaken.settings) as lake:
        overtaken.left = 1
        lake.catalog("shop").table("t").append([{"i": 1}])
        assert overtaken.slept == [4.0, 4.0]
        assert lake.catalog("shop").table("t").count() == 1


@pytest.fixture
def lake(tmp_path: Path) -> Iterator[Lake]:
    with forklake.open(str(tmp_path / "lake.db")) as lake:
        lake.create_catalog("shop").create_table("t", {"i": "INTEGER"})
        lake.catalog("shop").fork("agent")
        yield lake


def test_a_session_of_a_catalog_keeps_what_it_is_told(lake: Lake) -> None:
    shop = lake.catalog("shop")
    with shop.session() as session:
        session.sql("SET VARIABLE x = 7; SET ducklake_max_retry_count = 3; CREATE SCHEMA s; USE s")
        session.sql("CREATE TABLE u AS SELECT getvariable('x') AS v")
        assert rows(session, "SELECT current_setting('ducklake_max_retry_count'), getvariable('x')") == [(3, 7)]
        session.sql("BEGIN; DROP TABLE u")
        assert session.is_in_transaction
        assert [table.name for table in shop.tables("s")] == ["u"]
        session.sql("ROLLBACK")
        session.sql("BEGIN; DROP TABLE u")
    # Closing it rolls back, and leaves the lake open.
    assert [table.name for table in shop.tables("s")] == ["u"]
    found = shop.sql("SELECT current_setting('ducklake_max_retry_count')")
    assert found is not None
    assert found.fetchall() == [(10,)]
    with pytest.raises(InvalidInputError, match="already closed"):
        session.sql("SELECT 1")


def test_a_session_of_the_past_changes_nothing(lake: Lake) -> None:
    shop = lake.catalog("shop")
    with shop.at(version=0).session() as session:
        assert rows(session, "SHOW TABLES") == []
        with pytest.raises(InvalidInputError, match="read-only mode"):
            session.sql("CREATE TABLE u (i INTEGER)")


def test_a_session_of_a_lake_attaches_its_catalogs_by_name(lake: Lake, monkeypatch: pytest.MonkeyPatch) -> None:
    with lake.connect() as session:
        assert session.attached == []
        with pytest.raises(NotFoundError):
            session.sql("FROM t")
        session.sql("ATTACH 'ducklake:' (CATALOG 'shop'); ATTACH 'ducklake:' AS fork (CATALOG 'agent', READ_ONLY)")
        # A relative path of the lake would mean another file here; the lake that is open does not.
        monkeypatch.chdir("/")
        session.sql("ATTACH 'ducklake:' (CATALOG 'new', CREATE_IF_NOT_EXISTS true); CREATE TABLE new.u (i INTEGER)")
        assert session.attached == ["shop", "fork", "new"]
        assert rows(session, "SELECT count(*) FROM fork.t") == [(0,)]
        with pytest.raises(InvalidInputError, match="read-only mode"):
            session.sql("DROP TABLE fork.t")
        session.sql("DETACH shop")
        assert [one.lake for one in session._state.attachments.all()] == [lake, lake]
        for wrong in ("(CATALOG_ID 1)", "(CATALOG 'shop', METADATA_SCHEMA 'x')", "AS y"):
            with pytest.raises(InvalidInputError):
                session.sql(f"ATTACH 'ducklake:' {wrong}")
    assert [info.name for info in lake.catalogs()] == ["agent", "new", "shop"]


def test_a_session_of_its_own_has_no_lake_to_attach_by_name() -> None:
    with forklake.connect() as session, pytest.raises(NotFoundError, match="Default secret was not found"):
        session.sql("ATTACH 'ducklake:' AS shop (CATALOG 'shop')")
