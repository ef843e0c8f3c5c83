"""DuckDB's lists of what there is, and files by their names, as a session without Spark answers."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import duckdb
import pytest

import forklake
from forklake.errors import InvalidInputError, InvalidPathError, NotFoundError
from forklake.sql.vocabulary import BY_NAME


@pytest.fixture
def connection(tmp_path: Path) -> Iterator[forklake.Connection]:
    with forklake.connect() as connection:
        connection.sql(
            f"ATTACH 'ducklake:sqlite:{tmp_path}/lake.db' AS shop (CATALOG 'shop', DATA_PATH '{tmp_path}/data/',"
            " CREATE_IF_NOT_EXISTS true, METADATA_CATALOG 'shop_meta'); USE shop"
        )
        connection.sql("CREATE TABLE t (i INTEGER NOT NULL, d DECIMAL(10,2)); COMMENT ON TABLE t IS 'all of them'")
        connection.sql("CREATE VIEW v AS SELECT i + 1 AS next FROM t; CREATE MACRO plus(a, b := 2) AS a + b")
        yield connection


def rows(connection: forklake.Connection, text: str) -> list[tuple[Any, ...]]:
    result = connection.sql(text)
    assert result is not None
    return result.fetchall()


def test_lists_show_tables_views_and_their_columns(connection: forklake.Connection) -> None:
    listed = [row for row in rows(connection, "FROM duckdb_tables()") if row[0] == "shop"]
    assert [(row[4], row[6], row[12]) for row in listed] == [("t", "all of them", 2)]
    columns = rows(connection, "SELECT table_name, column_name, column_index, data_type FROM duckdb_columns()")
    assert columns == [("t", "i", 1, "INTEGER"), ("t", "d", 2, "DECIMAL(10,2)"), ("v", "next", 1, "INTEGER")]
    relations = rows(connection, "SELECT table_catalog, table_name, table_type FROM information_schema.tables")
    assert {row for row in relations if row[0] == "shop"} == {("shop", "t", "BASE TABLE"), ("shop", "v", "VIEW")}


def test_a_view_that_can_no_longer_be_bound_has_no_columns(connection: forklake.Connection) -> None:
    connection.sql("DROP TABLE t")
    assert rows(connection, "SELECT column_name FROM duckdb_columns()") == []
    assert rows(connection, "SELECT view_name FROM duckdb_views()") == [("v",)]


def test_lists_see_what_the_transaction_did(connection: forklake.Connection) -> None:
    connection.sql("BEGIN; CREATE TABLE u (x INTEGER)")
    listed = rows(connection, "SELECT database_name, table_name FROM duckdb_tables()")
    assert ("shop", "u") in listed
    connection.sql("ROLLBACK")
    assert ("shop", "u") not in rows(connection, "SELECT database_name, table_name FROM duckdb_tables()")


def test_metadata_tables_are_listed_under_a_name_that_was_given(connection: forklake.Connection) -> None:
    listed = rows(connection, "SELECT database_name, table_name FROM duckdb_tables()")
    assert ("shop_meta", "ducklake_snapshot") in listed
    assert rows(connection, "SELECT database_name FROM duckdb_databases()") == [("shop",), ("shop_meta",)]


def test_macros_settings_and_secrets_are_listed_without_values_of_secrets(connection: forklake.Connection) -> None:
    connection.sql("CREATE SECRET s (TYPE ducklake, METADATA_PATH 'postgresql://user:word@host/db')")
    connection.sql("SET ducklake_max_retry_count = 7")
    macros = "SELECT function_name, parameters, function_type FROM duckdb_functions() WHERE NOT internal"
    assert rows(connection, macros) == [("plus", ["a", "b"], "macro")]
    assert ("ducklake_max_retry_count", "7") in rows(connection, "SELECT name, value FROM duckdb_settings()")
    (secret,) = rows(connection, "FROM duckdb_secrets()")
    assert secret[0] == "s"
    assert "word" not in repr(secret)


@pytest.mark.parametrize(
    "listing",
    [
        *("duckdb_constraints()", "duckdb_functions()", "duckdb_indexes()", "duckdb_sequences()", "duckdb_types()"),
        *("pragma_table_info('t')", "pragma_version()"),
    ],
)
def test_a_listing_has_the_columns_of_duckdbs(connection: forklake.Connection, listing: str) -> None:
    with duckdb.connect() as theirs:
        theirs.execute("CREATE TABLE t (i INTEGER)")
        found = theirs.execute(f"DESCRIBE FROM {listing}").fetchall()
    assert [row[:2] for row in rows(connection, f"DESCRIBE FROM {listing}")] == [row[:2] for row in found]


def test_constraints_are_the_columns_that_may_not_be_null(connection: forklake.Connection) -> None:
    connection.sql("CREATE TABLE u (a INTEGER, b INTEGER NOT NULL, c VARCHAR NOT NULL)")
    found = rows(connection, "SELECT * EXCLUDE (database_oid, schema_oid, table_oid) FROM duckdb_constraints()")
    with duckdb.connect() as theirs:
        theirs.execute("CREATE TABLE u (a INTEGER, b INTEGER NOT NULL, c VARCHAR NOT NULL)")
        query = "SELECT * EXCLUDE (database_oid, schema_oid, table_oid) FROM duckdb_constraints()"
        expected = [("shop", *row[1:]) for row in theirs.execute(query).fetchall()]
    assert [row for row in found if row[2] == "u"] == expected


def test_functions_are_listed_by_all_of_their_names_and_signatures(connection: forklake.Connection) -> None:
    asked = "SELECT function_name, alias_of, function_type, parameters, return_type FROM duckdb_functions()"
    assert rows(connection, f"{asked} WHERE function_name = 'substr'") == [
        ("substr", "substring", "scalar", ["text", "start", "length"], "VARCHAR")
    ]
    assert rows(connection, f"{asked} WHERE function_name = 'var_pop'")[0][2] == "aggregate"
    refused = [name for name, one in BY_NAME.items() if one.is_refused]
    listed = {row[0] for row in rows(connection, asked)}
    assert refused
    assert not listed & set(refused)
    assert set(BY_NAME) - set(refused) <= listed


def test_every_type_that_is_listed_can_be_cast_to(connection: forklake.Connection) -> None:
    nested = {"list", "map", "struct", "null"}
    for name, kind in rows(connection, "SELECT type_name, logical_type FROM duckdb_types()"):
        if name not in nested:
            assert [row[1] for row in rows(connection, f"DESCRIBE SELECT NULL::{name}")] == [kind], name


@pytest.mark.parametrize("form", ["PRAGMA table_info('shop.main.t')", "FROM pragma_table_info('t')"])
def test_a_table_is_told_by_a_pragma_and_a_function(connection: forklake.Connection, form: str) -> None:
    assert rows(connection, form) == [
        (0, "i", "INTEGER", True, None, False),
        (1, "d", "DECIMAL(10,2)", False, None, False),
    ]


@pytest.mark.parametrize("arguments", ["", "1", "'t', 't'", "name := 't'"])
def test_table_info_needs_the_name_of_one_table(connection: forklake.Connection, arguments: str) -> None:
    with pytest.raises(InvalidInputError, match="needs the name of a table"):
        connection.sql(f"FROM pragma_table_info({arguments})")


def test_glob_finds_files_in_their_order(connection: forklake.Connection, tmp_path: Path) -> None:
    for name in ("b.txt", "a.txt", "inner/c.txt", "inner/.hidden"):
        (tmp_path / "found" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "found" / name).touch()
    root = tmp_path / "found"
    assert rows(connection, f"FROM glob('{root}/*.txt')") == [(f"{root}/a.txt",), (f"{root}/b.txt",)]
    assert rows(connection, f"SELECT count(*) FROM glob('{root}/**')") == [(4,)]
    assert rows(connection, f"SELECT path FROM glob(['{root}/**/c*', '{root}/n*']) t(path)") == [
        (f"{root}/inner/c.txt",)
    ]


def test_what_is_no_path_or_no_file_is_refused(connection: forklake.Connection) -> None:
    with pytest.raises(InvalidInputError, match="takes the path"):
        connection.sql("FROM glob(1)")
    with pytest.raises(InvalidPathError, match="No storage is known"):
        connection.sql("FROM glob('nowhere://bucket/*')")
    with pytest.raises(NotFoundError, match="No files found"):
        connection.sql("FROM '/nowhere/x.parquet'")
    with pytest.raises(NotFoundError, match=r'No files found that match the pattern "nothing\.csv"'):
        connection.sql("FROM 'nothing.csv'")
    with pytest.raises(NotFoundError, match="No files found"):
        connection.sql("FROM read_parquet('/nowhere/x.parquet', filename = true)")


def test_an_option_that_is_set_for_the_catalog_counts_before_what_attach_gave(tmp_path: Path) -> None:
    with forklake.connect() as session:
        session.sql(
            f"ATTACH 'ducklake:sqlite:{tmp_path}/lake.db' AS shop (CATALOG 'shop', DATA_PATH '{tmp_path}/data/',"
            " CREATE_IF_NOT_EXISTS true, DATA_INLINING_ROW_LIMIT 0); USE shop; CREATE TABLE t (i INTEGER)"
        )
        other = session.cursor()
        session.sql("CALL shop.set_option('data_inlining_row_limit', 5)")
        session.sql("INSERT INTO t VALUES (1)")
        other.sql("INSERT INTO shop.t VALUES (2)")
        assert rows(session, "SELECT count(*) FROM ducklake_list_files('shop', 't')") == [(0,)]
        session.sql("CALL shop.set_option('data_inlining_row_limit', 0, table_name => 't')")
        session.sql("INSERT INTO t VALUES (3)")
        assert rows(session, "SELECT count(*) FROM ducklake_list_files('shop', 't')") == [(1,)]


def test_a_session_says_how_large_its_files_are_whatever_is_set(connection: forklake.Connection) -> None:
    for wrong in ("not-a-size", "0"):
        with pytest.raises(InvalidInputError, match='"ducklake_target_file_size" cannot be'):
            connection.sql(f"SET ducklake_target_file_size = '{wrong}'")
    connection.sql("CALL shop.set_option('target_file_size', '1GB', table_name => 't')")
    for number in range(2):
        connection.sql(f"INSERT INTO t VALUES ({number}, 1)")
    connection.sql("SET ducklake_target_file_size = '100B'; CALL ducklake_merge_adjacent_files('shop')")
    assert len(rows(connection, "FROM ducklake_list_files('shop', 't')")) == 2
    connection.sql("RESET ducklake_target_file_size; CALL ducklake_merge_adjacent_files('shop')")
    assert len(rows(connection, "FROM ducklake_list_files('shop', 't')")) == 1


def test_copy_makes_directories_of_a_lake_and_no_others(connection: forklake.Connection, tmp_path: Path) -> None:
    inside, outside = f"{tmp_path}/data/shop/main/t/other.parquet", f"{tmp_path}/nowhere/other.parquet"
    connection.sql(f"COPY (SELECT 1 AS i, 2 AS d) TO '{inside}'")
    assert Path(inside).exists()
    with pytest.raises(NotFoundError, match="No such file or directory; nothing was copied"):
        connection.sql(f"COPY (SELECT 1 AS i) TO '{outside}'")
