"""Calls of catalog functions without the name of a catalog: those whose arguments can mean two things are refused."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import forklake
from forklake import Connection
from forklake.errors import InvalidInputError

ATTACH = "ATTACH 'ducklake:lake.db' AS shop (DATA_PATH 'data', CATALOG 'shop', CREATE_IF_NOT_EXISTS true)"


@pytest.fixture
def session(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Connection]:
    """A session with the catalog ``shop``, which is in use, and its fork ``agent``."""
    monkeypatch.chdir(tmp_path)
    with forklake.connect() as made:
        made.sql(f"{ATTACH}; CREATE TABLE shop.orders (id INTEGER); CREATE TABLE shop.goods (id INTEGER)")
        made.sql("CALL ducklake_fork_catalog('shop', 'agent'); ATTACH 'ducklake:lake.db' AS agent (CATALOG 'agent')")
        made.sql("USE shop")
        yield made


def rows(session: Connection, text: str) -> list[Any]:
    found = session.sql(text)
    assert found is not None
    return found.fetchall()


def catalogs(session: Connection) -> dict[str, str]:
    """Return the catalogs of the lake and where their files are."""
    return {row[1]: row[7] for row in rows(session, "FROM shop.catalogs()")}


@pytest.mark.parametrize("call", ["fork_catalog('shop', 'f4')", "create_catalog('shop', 'f4')"])
@pytest.mark.parametrize("before", ["", "shop.", "agent."])
@pytest.mark.parametrize("frame", ["CALL {}", "FROM {}", "SELECT {}"])
def test_a_path_that_may_be_a_name_is_refused(session: Connection, call: str, before: str, frame: str) -> None:
    with pytest.raises(InvalidInputError, match="can mean two things") as refused:
        session.sql(frame.format(before + call))
    assert f"ducklake_{call}" in str(refused.value.hint)
    assert sorted(catalogs(session)) == ["agent", "shop"]


def test_the_forms_that_mean_one_thing_work(session: Connection) -> None:
    session.sql("CALL fork_catalog('f1'); CALL shop.fork_catalog('f2'); CALL ducklake_fork_catalog('shop', 'f3')")
    session.sql("CALL agent.fork_catalog('f4'); CALL fork_catalog('f5', data_path => 'away/f5')")
    session.sql(
        "CALL ducklake_fork_catalog('shop', 'f6', 'away/f6'); CALL create_catalog('new', data_path => 'away/new')"
    )
    listed = catalogs(session)
    assert sorted(listed) == ["agent", "f1", "f2", "f3", "f4", "f5", "f6", "new", "shop"]
    away = {name for name, path in listed.items() if "away" in path}
    assert away == {"f5", "f6", "new"}


def test_a_catalog_is_no_table_to_tell_of(session: Connection) -> None:
    with pytest.raises(InvalidInputError, match="\"table_info\\('shop'\\)\" can mean two things"):
        session.sql("FROM table_info('shop')")
    assert len(rows(session, "FROM ducklake_table_info('shop')")) == 2
    assert len(rows(session, "FROM table_info('orders')")) == 1


@pytest.mark.parametrize("name", ["delete_orphaned_files", "cleanup_orphaned_files"])
def test_orphaned_files_are_deleted_in_every_form(session: Connection, tmp_path: Path, name: str) -> None:
    stray = tmp_path / "data/shop/main/stray.parquet"
    stray.parent.mkdir(parents=True, exist_ok=True)
    for call in (
        f"CALL ducklake_{name}('shop', cleanup_all => true)",
        f"FROM ducklake_{name}('shop', cleanup_all => true)",
        f"SELECT path FROM shop.{name}(cleanup_all => true)",
        f"CALL shop.{name}(older_than => now() + INTERVAL 1 DAY)",
        f"CALL {name}(cleanup_all => true)",
    ):
        stray.write_bytes(b"stray")
        assert rows(session, f"FROM shop.{name}()") == [], "it is young"
        assert rows(session, f"FROM shop.{name}(cleanup_all => true, dry_run => true)") == [(str(stray),)]
        assert rows(session, call) == [(str(stray),)], call
        assert not stray.exists()


@pytest.mark.parametrize("option", ["READ_ONLY", "SNAPSHOT_VERSION 1"])
def test_orphaned_files_are_not_deleted_where_nothing_may_change(
    session: Connection, tmp_path: Path, option: str
) -> None:
    stray = tmp_path / "data/shop/stray.parquet"
    stray.parent.mkdir(parents=True, exist_ok=True)
    stray.write_bytes(b"stray")
    session.sql(f"ATTACH 'ducklake:lake.db' AS past (CATALOG 'shop', {option})")
    with pytest.raises(InvalidInputError, match='Cannot call "ducklake_delete_orphaned_files" on database "past"'):
        session.sql("CALL past.delete_orphaned_files(cleanup_all => true)")
    assert stray.exists()
