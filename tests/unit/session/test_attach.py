"""ATTACH without the name of a catalog: what is made, what is found, and what has to be named."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import forklake
from forklake import Connection
from forklake.errors import ForklakeError, InvalidInputError, InvalidNameError, NotFoundError

TUTORIAL = "ATTACH 'ducklake:metadata.ducklake' AS my_ducklake"


@pytest.fixture
def bare(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Connection]:
    """A session with nothing attached, in an empty directory."""
    monkeypatch.chdir(tmp_path)
    with forklake.connect() as made:
        yield made


def rows(session: Connection, text: str) -> list[Any]:
    found = session.sql(text)
    assert found is not None
    return found.fetchall()


def test_the_first_line_of_the_tutorials_makes_a_lake_and_finds_it_again(bare: Connection, tmp_path: Path) -> None:
    bare.sql(f"{TUTORIAL}; USE my_ducklake; CREATE TABLE tbl (id INTEGER); INSERT INTO tbl VALUES (1), (2)")
    with forklake.open("metadata.ducklake") as lake:
        assert [one.name for one in lake.catalogs()] == ["my_ducklake"]
        assert lake.data_path == f"{tmp_path}/metadata.ducklake.files/"
    with forklake.connect() as again:
        again.sql("ATTACH 'ducklake:metadata.ducklake' AS other_name")
        assert rows(again, "SELECT count(*) FROM other_name.tbl") == [(2,)]
        again.sql("ATTACH 'ducklake:metadata.ducklake' (READ_ONLY)")
        assert rows(again, "SHOW DATABASES") == [("metadata",), ("other_name",)]


@pytest.mark.parametrize("url", ["sqlite:new.db", "duckdb:new.duckdb", "new.db"])
def test_a_new_file_gets_the_catalog_that_is_named(bare: Connection, url: str) -> None:
    bare.sql(f"ATTACH 'ducklake:{url}' AS lake (CATALOG 'shop', DATA_PATH 'data')")
    assert rows(bare, "SELECT catalog_name FROM ducklake_catalogs('lake')") == [("shop",)]
    assert rows(bare, "SELECT data_path FROM ducklake_settings('lake')") == [(f"{Path.cwd()}/data/shop/",)]


@pytest.mark.parametrize(
    ("type_", "made"), [("META_TYPE 'DuckDB'", "duckdb"), ("META_TYPE 'sqlite'", "sqlite"), ("ENCRYPTED", "sqlite")]
)
def test_the_kind_of_a_new_metadata_file_can_be_named_beside_it(bare: Connection, type_: str, made: str) -> None:
    bare.sql(f"ATTACH 'ducklake:typed.db' AS typed ({type_}); CREATE TABLE typed.t AS SELECT 1 AS i")
    assert rows(bare, "SELECT catalog_type FROM ducklake_settings('typed')") == [(made,)]


def test_the_kind_of_metadata_in_a_secret_is_the_same(bare: Connection) -> None:
    for name, kind in (("kept", "duckdb"), ("wrong", "duckdbxx")):
        parameters = f"METADATA_PATH '{name}.db', METADATA_PARAMETERS MAP {{'TYPE': '{kind}'}}"
        bare.sql(f"CREATE SECRET {name} (TYPE ducklake, {parameters})")
    bare.sql("ATTACH 'ducklake:kept' AS kept")
    assert rows(bare, "SELECT catalog_type FROM ducklake_settings('kept')") == [("duckdb",)]
    with pytest.raises(ForklakeError, match='No metadata database is known by the type "duckdbxx"'):
        bare.sql("ATTACH 'ducklake:wrong' AS wrong")


def test_a_path_that_is_a_name_is_a_secret_unless_there_is_such_a_file(bare: Connection, tmp_path: Path) -> None:
    with pytest.raises(NotFoundError, match='Secret "plain" was not found; nothing was attached'):
        bare.sql("ATTACH 'ducklake:plain' AS one")
    assert not (tmp_path / "plain").exists()
    bare.sql("ATTACH 'ducklake:./plain' AS one; DETACH one; ATTACH 'ducklake:plain' AS two")


def test_a_url_and_a_type_that_differ_are_refused(bare: Connection, tmp_path: Path) -> None:
    with pytest.raises(ForklakeError, match='names a database of type sqlite, not "duckdb"'):
        bare.sql("ATTACH 'ducklake:sqlite:two.db' AS two (META_TYPE 'duckdb')")
    assert not (tmp_path / "two.db").exists()


@pytest.mark.parametrize(
    "options",
    [
        "READ_ONLY",
        "READ_ONLY, CREATE_IF_NOT_EXISTS true",
        "READ_ONLY, CATALOG 'shop', CREATE_IF_NOT_EXISTS",
        "SNAPSHOT_VERSION 1",
        "CREATE_IF_NOT_EXISTS false",
        "CATALOG 'shop', CREATE_IF_NOT_EXISTS false",
        "CATALOG_ID 0",
        "CATALOG_ID 3, CREATE_IF_NOT_EXISTS",
    ],
)
def test_a_file_is_not_made_for_reading_nor_against_the_word_of_the_user(
    bare: Connection, tmp_path: Path, options: str
) -> None:
    with pytest.raises(NotFoundError, match="creating a new DuckLake is explicitly disabled"):
        bare.sql(f"{TUTORIAL} ({options})")
    assert list(tmp_path.iterdir()) == []


def test_a_name_that_no_catalog_can_have_makes_no_file(bare: Connection, tmp_path: Path) -> None:
    with pytest.raises(InvalidNameError):
        bare.sql(f"ATTACH 'ducklake:lake.db' AS {'a' * 300}")
    assert list(tmp_path.iterdir()) == []


def test_a_lake_without_catalogs_is_as_good_as_new(bare: Connection) -> None:
    forklake.open("lake.db").close()
    for options in ("READ_ONLY", "CREATE_IF_NOT_EXISTS false"):
        with pytest.raises(NotFoundError, match="holds no catalog, and none was made"):
            bare.sql(f"ATTACH 'ducklake:lake.db' AS lake ({options})")
    with pytest.raises(NotFoundError, match="Catalog 'shop' does not exist"):
        bare.sql("ATTACH 'ducklake:lake.db' AS lake (READ_ONLY, CATALOG 'shop')")
    bare.sql("ATTACH 'ducklake:lake.db' AS lake (CATALOG 'shop')")
    assert rows(bare, "SELECT catalog_name FROM ducklake_catalogs('lake')") == [("shop",)]
    with pytest.raises(NotFoundError, match="Catalog 'another' does not exist"):
        bare.sql("ATTACH 'ducklake:lake.db' AS other (CATALOG 'another')")


def test_of_several_catalogs_that_are_no_forks_one_has_to_be_named(bare: Connection) -> None:
    bare.sql(f"{TUTORIAL}; CREATE CATALOG lab")
    with pytest.raises(InvalidInputError, match=r"CATALOG is required\. Please provide CATALOG") as caught:
        bare.sql("ATTACH 'ducklake:metadata.ducklake' AS other")
    assert caught.value.hint == "The lake holds several: 'lab', 'my_ducklake'."
    bare.sql("DROP CATALOG lab; ATTACH 'ducklake:metadata.ducklake' AS other")
    assert rows(bare, "SHOW DATABASES") == [("my_ducklake",), ("other",)]


def test_forks_leave_their_root_the_catalog_that_need_not_be_named(bare: Connection) -> None:
    bare.sql(f"{TUTORIAL}; CALL ducklake_fork_catalog('my_ducklake', 'agent'); DETACH my_ducklake")
    bare.sql("ATTACH 'ducklake:metadata.ducklake' AS other; CREATE TABLE other.t (i INTEGER)")
    assert rows(bare, "SELECT catalog_name, snapshot_id FROM ducklake_catalogs('other') ORDER BY 1") == [
        ("agent", 1),
        ("my_ducklake", 2),
    ]
    with pytest.raises(InvalidInputError, match="CATALOG is required"):  # the fork may be meant
        bare.sql("ATTACH 'ducklake:metadata.ducklake' AS agent")
    bare.sql("DROP CATALOG my_ducklake; DETACH other; ATTACH 'ducklake:metadata.ducklake' AS agent")
    assert rows(bare, "SELECT catalog_name FROM ducklake_catalogs('agent')") == [("agent",)]


def test_within_an_open_lake_its_only_catalog_is_found_too(bare: Connection) -> None:
    with forklake.open("lake.db") as lake, lake.connect() as session:
        lake.create_catalog("shop")
        session.sql("ATTACH 'ducklake:' AS it")
        assert rows(session, "SELECT catalog_name FROM ducklake_catalogs('it')") == [("shop",)]


@pytest.mark.parametrize("product", ["duckdb", "sqlite"])
def test_a_ducklake_of_duckdb_is_recognised_and_can_be_imported(bare: Connection, product: str) -> None:
    if product == "sqlite":
        connection = sqlite3.connect("theirs.ducklake")
        connection.execute("CREATE TABLE ducklake_metadata (key, value, scope, scope_id)")
        connection.close()
    else:
        from tests.interop.ducklake import write  # noqa: PLC0415 - DuckDB is loaded when it is needed

        write("ducklake:theirs.ducklake", Path("data"), "CREATE TABLE orders (i INTEGER)")
    before = Path("theirs.ducklake").read_bytes()
    with pytest.raises(ForklakeError, match="is a DuckLake that DuckDB made, not a lake of forklake") as caught:
        bare.sql("ATTACH 'ducklake:theirs.ducklake' AS my_ducklake")
    assert Path("theirs.ducklake").read_bytes() == before
    told = str(caught.value.hint).split("`")[1]
    assert told.startswith("ATTACH 'ducklake:lake.db' AS lake; CALL ducklake_import_catalog('lake', 'name', ")
    if product == "duckdb":
        bare.sql(told)
        assert rows(bare, "SELECT catalog_name FROM ducklake_catalogs('lake')") == [("lake",), ("name",)]
