"""Statements that cannot be done: the words that say so, and that all is as before. None of this starts Spark."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import forklake
from forklake import Connection
from forklake.engine.spark.spark_engine import SparkEngine
from forklake.errors import (
    AlreadyExistsError,
    CatalogDroppedError,
    CommitContentionError,
    ForklakeError,
    InternalError,
    InvalidInputError,
    InvalidNameError,
    NotFoundError,
)
from forklake.session.safety.error_boundary import guard

ATTACH = "ATTACH 'ducklake:lake.db' AS lake (DATA_PATH 'data', CATALOG 'shop', CREATE_IF_NOT_EXISTS true)"


@pytest.fixture
def session(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Connection]:
    """A session with the catalog ``shop``, attached as ``lake`` and in use, with some tables."""
    monkeypatch.chdir(tmp_path)
    with forklake.connect() as made:
        made.sql(f"{ATTACH}; USE lake; CREATE TABLE orders (i INTEGER, j INTEGER); CREATE VIEW v AS SELECT 1 AS one")
        made.sql("CREATE SCHEMA side; CREATE TABLE side.t (i INTEGER); CREATE MACRO twice(x) AS 2 * x")
        made.sql("CREATE TABLE side.far (i INTEGER); CREATE SCHEMA apart; CREATE VIEW apart.far AS SELECT 1")
        yield made


def rows(session: Connection, text: str) -> list[Any]:
    found = session.sql(text)
    assert found is not None
    return found.fetchall()


# ---- what is not there -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("statement", "words"),
    [
        ("FROM ordres", 'Catalog Error: Table with name ordres does not exist!\nDid you mean "orders"?'),
        ("INSERT INTO ordres VALUES (1)", 'Table with name ordres does not exist!\nDid you mean "orders"?'),
        ("DROP TABLE ordres", 'Table with name ordres does not exist!\nDid you mean "orders"?'),
        ("ALTER TABLE ordres DROP COLUMN i", 'Table with name ordres does not exist!\nDid you mean "orders"?'),
        ("COMMENT ON TABLE ordres IS 'x'", 'Table with name ordres does not exist!\nDid you mean "orders"?'),
        ("COMMENT ON COLUMN ordres.i IS 'x'", 'Table with name ordres does not exist!\nDid you mean "orders"?'),
        ("FROM lake.table_info('ordres')", 'Table with name ordres does not exist!\nDid you mean "orders"?'),
        ("DELETE FROM t", 'Table with name t does not exist!\nDid you mean "side.t"?'),
        ("DROP VIEW w", "Catalog Error: View with name w does not exist!"),
        ("DROP MACRO twise", 'Macro Function with name twise does not exist!\nDid you mean "twice"?'),
        ("FROM sid.t", 'with name "sid.t" does not exist because schema "sid" does not exist.\nDid you mean "side"?'),
        ("FROM nowhere.T", 'because schema "nowhere" does not exist.\nDid you mean "side.t"?'),
        ("FROM far", 'Table with name far does not exist!\nDid you mean "apart.far or side.far"?'),
        ("UPDATE sid.t SET i = 1", 'with name "sid.t" does not exist because schema "sid" does not exist.'),
        ("CREATE TABLE sid.u (i INTEGER)", 'Schema "sid" not found in DuckLakeCatalog "lake"\nDid you mean "side"?'),
        ("CREATE TABLE sid.u AS SELECT 1", 'Schema "sid" not found in DuckLakeCatalog "lake"'),
        ("CREATE VIEW sid.u AS SELECT 1", 'Schema "sid" not found in DuckLakeCatalog "lake"'),
        ("DROP SCHEMA sid", 'Schema "sid" not found in DuckLakeCatalog "lake"\nDid you mean "side"?'),
        ("FROM lak.main.orders", 'Catalog "lak" does not exist!\nDid you mean "lake"?'),
        ("USE lak.main", 'SET schema: No catalog + schema named "lak.main" found.'),
        ("ALTER TABLE orders DROP COLUMN k", 'Table "orders" does not have a column with name "k"'),
        ("ALTER TABLE orders ALTER k TYPE BIGINT", 'Table "orders" does not have a column with name "k"'),
        ("ALTER TABLE orders DROP COLUMN i.k", 'Cannot alter table "orders": column i.k does not exist'),
        ("ALTER TABLE orders RENAME k TO l", "Failed to rename column - column k does not exist"),
        ("ALTER TABLE orders ALTER k SET NOT NULL", "Failed to alter column - column k does not exist"),
        ("ALTER TABLE orders SET PARTITIONED BY (i, k)", 'Unexpected partition key - column "k" does not exist'),
    ],
)
def test_what_is_not_there_is_named_with_what_is_near(session: Connection, statement: str, words: str) -> None:
    before = rows(session, "SELECT count(*) FROM lake.snapshots()")
    with pytest.raises(NotFoundError, match=re.escape(words)):
        session.sql(statement)
    assert rows(session, "SELECT count(*) FROM lake.snapshots()") == before


@pytest.mark.parametrize(
    ("statement", "words"),
    [
        ("ALTER TABLE v ADD COLUMN i INTEGER", "Cannot use ALTER TABLE on entry v - it is not a table"),
        ("ALTER VIEW orders RENAME TO o", "Cannot use ALTER VIEW on entry orders - it is not a view"),
        ("DROP TABLE v", "Existing object v is of type View, trying to drop type Table"),
        ("ALTER TABLE orders ALTER i SET DEFAULT j", "DEFAULT value cannot contain column names"),
        ("ALTER TABLE orders ALTER i SET DEFAULT no_such()", "Function with name no_such does not exist"),
        ("ALTER TABLE orders ALTER i SET DEFAULT 'abc'", "Could not convert string 'abc' to INT32"),
        ("CREATE TABLE u (i INTEGER DEFAULT 'abc')", "Could not convert string 'abc' to INT32"),
        (
            "ALTER TABLE orders ADD COLUMN k INTEGER DEFAULT random()",
            "We cannot add a column with a non-literal default",
        ),
        (
            "SELECT ducklake_fork_catalog('lake', 'f', at => 'bad')",
            '"at" is the number of a snapshot, a time or an age',
        ),
        ("SELECT ducklake_fork_catalog('lake', 'f', at => 1.5)", '"at" is the number of a snapshot, a time or an age'),
    ],
)
def test_what_cannot_be_done_is_refused_in_duckdbs_words(session: Connection, statement: str, words: str) -> None:
    with pytest.raises(InvalidInputError, match=re.escape(words)):
        session.sql(statement)


# ---- names that are reserved or taken --------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["row_id", "Begin_Snapshot", "end_snapshot"])
def test_columns_of_inlined_rows_have_names_of_their_own_where_rows_are_inlined(session: Connection, name: str) -> None:
    session.sql(f"CREATE TABLE free ({name} INTEGER); ALTER TABLE orders ADD COLUMN {name} INTEGER")
    for narrow in ("", ", schema => 'main'", ", table_name => 'free'"):
        with pytest.raises(InvalidNameError, match=f'Cannot enable data inlining .* rename or drop column "{name}"'):
            session.sql(f"CALL lake.set_option('data_inlining_row_limit', 10{narrow})")
    session.sql("CALL lake.set_option('data_inlining_row_limit', 10, schema => 'side')")
    session.sql("CALL lake.set_option('data_inlining_row_limit', 0, schema => 'main')")
    session.sql("CALL lake.set_option('data_inlining_row_limit', 10); INSERT INTO free VALUES (1)")
    assert rows(session, "SELECT count(*) FROM ducklake_list_files('lake', 'free')") == [(1,)]
    session.sql(
        "DROP TABLE free; DROP TABLE orders; CALL lake.set_option('data_inlining_row_limit', 9, schema => 'main')"
    )
    session.sql(f"CREATE TABLE within (s STRUCT({name} INTEGER)); CALL lake.set_option('data_inlining_row_limit', 8)")
    for statement in (
        f"CREATE TABLE u ({name} INTEGER)",
        f"CREATE TABLE u AS SELECT 1 AS {name}",
        f"ALTER TABLE side.t ADD COLUMN {name} INTEGER",
        f"ALTER TABLE side.t RENAME i TO {name}",
    ):
        with pytest.raises(InvalidNameError, match=f'Column name "{name}" is reserved by DuckLake for internal use'):
            session.sql(statement)


def test_names_of_inlined_rows_are_free_and_taken_as_the_session_sets_its_limit(session: Connection) -> None:
    session.sql("CREATE TABLE free (row_id INTEGER); SET ducklake_default_data_inlining_row_limit = 10")
    for statement in ("CREATE TABLE u (row_id INTEGER)", "ALTER TABLE orders ADD COLUMN row_id INTEGER"):
        with pytest.raises(InvalidNameError, match="reserved by DuckLake for internal use when data inlining is"):
            session.sql(statement)
    session.sql("RESET ducklake_default_data_inlining_row_limit; CREATE TABLE u (row_id INTEGER)")


@pytest.mark.parametrize("name", ["rowid", "snapshot_id", "filename", "file_row_number", "file_index"])
def test_columns_can_have_the_names_of_virtual_ones(session: Connection, name: str) -> None:
    session.sql("CALL lake.set_option('data_inlining_row_limit', 10)")
    session.sql(f"CREATE TABLE u ({name} INTEGER); ALTER TABLE orders ADD COLUMN {name} INTEGER")
    session.sql(f"ALTER TABLE side.t RENAME i TO {name}")


@pytest.mark.parametrize("name", ["system", "Temp"])
def test_some_names_are_reserved_for_databases(session: Connection, name: str) -> None:
    with pytest.raises(InvalidNameError, match=f'"{name}" cannot be used because it is a reserved name') as refused:
        session.sql(f"ATTACH 'ducklake:new.db' AS {name} (CATALOG '{name}', CREATE_IF_NOT_EXISTS true)")
    assert f"ATTACH '...' AS my_{name.lower()} (CATALOG '{name}')" in str(refused.value.hint)
    assert not Path("new.db").exists()
    session.sql(f"CALL lake.create_catalog('{name}'); ATTACH 'ducklake:lake.db' AS mine (CATALOG '{name}')")
    session.sql("CREATE TABLE mine.t (i INTEGER)")
    with forklake.open("lake.db") as lake:
        found = lake.catalog(name).sql(f"SELECT count(*) FROM {name}.t")
        assert found is not None
        assert found.fetchall() == [(0,)]


def test_metadata_is_not_called_main(session: Connection) -> None:
    with pytest.raises(InvalidNameError, match='"main" cannot be used because it is a reserved name'):
        session.sql("ATTACH 'ducklake:lake.db' AS x (CATALOG 'shop', METADATA_CATALOG 'main')")


@pytest.mark.parametrize(
    ("alias", "metadata", "clash"),
    [
        ("LAKE", "m", "LAKE"),
        ("x", "lake", "lake"),
        ("x", "x", "x"),
        ("__ducklake_metadata_lake", "m", "__ducklake_metadata_lake"),
    ],
)
def test_catalogs_and_their_metadata_share_their_names(
    session: Connection, alias: str, metadata: str, clash: str
) -> None:
    with pytest.raises(AlreadyExistsError, match=f'database with name "{clash}" already exists'):
        session.sql(f"ATTACH 'ducklake:lake.db' AS {alias} (CATALOG 'shop', METADATA_CATALOG '{metadata}')")
    assert rows(session, "SHOW DATABASES") == [("lake",)]


def test_a_database_has_a_name(session: Connection) -> None:
    with pytest.raises(InvalidNameError, match="zero-length delimited identifier"):
        session.sql("ATTACH 'ducklake:lake.db' AS \"\" (CATALOG 'shop')")


# ---- catalogs that are dropped ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "statement",
    [
        "FROM orders",
        "INSERT INTO desk.orders VALUES (1, 2)",
        "CREATE TABLE u (i INTEGER)",
        "SHOW TABLES",
        "FROM desk.snapshots()",
        "FROM __ducklake_metadata_desk.ducklake_table",
        "CALL ducklake_fork_catalog('desk', 'another')",
    ],
)
def test_a_statement_in_a_dropped_catalog_names_it_and_says_what_to_do(session: Connection, statement: str) -> None:
    session.sql("CALL ducklake_fork_catalog('lake', 'agent')")
    session.sql(
        "ATTACH 'ducklake:lake.db' AS desk (CATALOG 'agent'); USE desk; CALL ducklake_drop_catalog('lake', 'agent')"
    )
    with pytest.raises(CatalogDroppedError, match='Catalog "agent", attached as "desk", was dropped') as refusal:
        session.sql(statement)
    assert refusal.value.hint == "DETACH desk, or bring it back with ducklake_undrop_catalog."


def test_a_dropped_catalog_hinders_nothing_else(session: Connection) -> None:
    session.sql("CALL ducklake_fork_catalog('lake', 'agent'); ATTACH 'ducklake:lake.db' AS desk (CATALOG 'agent')")
    session.sql("USE desk; CALL ducklake_drop_catalog('lake', 'agent')")
    assert rows(session, "SELECT count(*) FROM lake.orders") == [(0,)]
    assert {name for name, *_ in rows(session, "FROM duckdb_tables()")} == {"lake"}
    assert {name for name, _ in rows(session, "SHOW SCHEMAS")} == {"lake"}
    session.sql("DETACH desk")
    assert rows(session, "SHOW DATABASES") == [("lake",)]
    session.sql("USE lake; CREATE TABLE u (i INTEGER)")


def test_a_transaction_whose_catalog_is_dropped_by_another_cannot_commit(session: Connection) -> None:
    session.sql("CALL ducklake_fork_catalog('lake', 'agent'); ATTACH 'ducklake:lake.db' AS desk (CATALOG 'agent')")
    session.sql("BEGIN; CREATE TABLE desk.u (i INTEGER)")
    with session.cursor() as other:
        other.sql("CALL ducklake_drop_catalog('lake', 'agent')")
    with pytest.raises(CatalogDroppedError, match='Catalog "agent", attached as "desk", was dropped'):
        session.sql("COMMIT")
    session.sql("CALL ducklake_undrop_catalog('lake', 'agent'); CREATE TABLE desk.u (i INTEGER)")


# ---- races -----------------------------------------------------------------------------------------------------------


def test_the_retry_settings_count_for_the_commit_of_a_transaction(session: Connection) -> None:
    with session.cursor() as other:
        for retries in (0, 1):
            other.sql(f"SET ducklake_max_retry_count = {retries}; SET ducklake_retry_wait_ms = 0")
            other.sql("BEGIN; CREATE TABLE mine (i INTEGER)")
            session.sql(f"CREATE TABLE theirs_{retries} (i INTEGER)")
            if retries == 0:
                with pytest.raises(CommitContentionError, match="Exceeded the maximum retry count of 0"):
                    other.sql("COMMIT")
            else:
                other.sql("COMMIT")


def test_statements_that_are_left_when_a_session_is_closed_are_not_run(session: Connection) -> None:
    results = session.results("SELECT 1; SELECT 2")
    assert next(results) is not None
    session.close()
    with pytest.raises(InvalidInputError, match="Connection already closed"):
        next(results)


def test_closing_in_any_order_does_no_harm(session: Connection) -> None:
    other = session.cursor()
    session.close()
    other.sql("INSERT INTO orders VALUES (1, 2)")
    assert rows(other, "SELECT count(*) FROM orders") == [(1,)]
    other.close()
    other.close()
    for closed in (session, other):
        with pytest.raises(ForklakeError, match="Connection already closed"):
            closed.sql("SELECT 1")


# ---- what nobody foresaw ---------------------------------------------------------------------------------------------


def test_a_statement_that_is_nested_too_deeply_is_refused(session: Connection) -> None:
    with pytest.raises(InvalidInputError, match="nested too deeply"):
        session.sql("SELECT " + "(" * 5000 + "1" + ")" * 5000)
    assert rows(session, "SELECT 1") == [(1,)]


def test_a_comment_on_a_column_names_its_table(session: Connection) -> None:
    with pytest.raises(InvalidInputError, match="names a table too"):
        session.sql("COMMENT ON COLUMN i IS 'x'")


def test_a_mistake_of_our_own_is_an_error_as_others_are() -> None:
    with (
        pytest.raises(InternalError, match=r"INTERNAL Error: .* \(KeyError: 'odd'\)") as refusal,
        guard(SparkEngine(None, {})),
    ):
        raise KeyError("odd")
    assert isinstance(refusal.value.__cause__, KeyError)


@pytest.mark.parametrize(
    "text",
    [
        "SELECT ducklake_create_catalog('lake', 'made'), nosuch",
        "SELECT nosuch FROM ducklake_create_catalog('lake', 'made')",
        "SELECT ducklake_fork_catalog('lake', 'made') UNION ALL SELECT nosuch",
        "FROM ducklake_fork_catalog('lake', 'made') WHERE created > 'x'::nosuch",
        "SELECT catalog_name FROM ducklake_drop_catalog('lake', 'other') ORDER BY nosuch",
        "SELECT nosuch FROM ducklake_set_option('lake', 'parquet_version', '2')",
        "SELECT ducklake_create_catalog('lake', 'made'), ducklake_purge_catalog('lake', 'gone')",
    ],
)
def test_a_function_does_nothing_in_a_statement_that_is_refused(session: Connection, text: str) -> None:
    session.sql("CALL ducklake_create_catalog('lake', 'other')")
    listed = "SELECT catalog_name FROM ducklake_catalogs('lake')"
    options = "SELECT option_name, value FROM ducklake_options('lake')"
    before = rows(session, listed), rows(session, options)
    with pytest.raises(ForklakeError):
        session.sql(text)
    assert (rows(session, listed), rows(session, options)) == before


@pytest.mark.parametrize(
    "called",
    [
        "ducklake_purge_catalog('lake', 'gone')",
        "lake.purge_catalog('gone')",
        "ducklake_sever_catalog('lake', 'fork')",
        "ducklake_import_catalog('lake', 'made', 'nosuch.ducklake')",
    ],
)
@pytest.mark.parametrize(
    "statement",
    [
        "SELECT {}",
        "SELECT {} WHERE false",
        "SELECT CASE WHEN false THEN {} END",
        "SELECT {} LIMIT 0",
        "SELECT {} FROM range(0)",
        "CREATE TABLE t AS SELECT {} AS i",
    ],
)
def test_what_cannot_be_undone_is_not_called_in_an_expression(session: Connection, statement: str, called: str) -> None:
    session.sql("CALL ducklake_fork_catalog('lake', 'fork')")
    session.sql("CALL ducklake_create_catalog('lake', 'gone'); CALL ducklake_drop_catalog('lake', 'gone')")
    with pytest.raises(InvalidInputError, match="is a table function but it was used as a scalar function"):
        session.sql(statement.format(called))
    assert rows(session, "SELECT fork_count, dropped_count FROM ducklake_lake_stats('lake')") == [(1, 1)]
    session.sql("CALL ducklake_undrop_catalog('lake', 'gone')")


@pytest.mark.parametrize("kind", ["INTEGER[]", "STRUCT(a INTEGER)", "MAP(INTEGER, INTEGER)"])
def test_text_of_a_column_is_not_cast_to_nested_types(session: Connection, kind: str) -> None:
    session.sql("CREATE TABLE texts (s VARCHAR)")
    with pytest.raises(InvalidInputError, match=re.escape("Unimplemented type for cast (VARCHAR -> ")):
        session.sql(f"SELECT s::{kind} FROM texts")


# ---- what chance has said --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("statement", "words"),
    [
        ("COPY orders TO '\ud800'", "\\ud800"),
        (
            "COPY orders TO 'x' (FORMAT parquet, ROW_GROUPS_PER_FILE 9223372036854775808)",
            "ROW_GROUPS_PER_FILE has at most",
        ),
        ("COPY orders TO 'x.parquet' (ROW_GROUP_SIZE 1000000000000000000)", "ROW_GROUP_SIZE has at most 18 digits"),
        ("SELECT i FROM orders ORDER BY i LIMIT 1e400", "LIMIT must be a number"),
        ("SELECT i FROM orders LIMIT .1e308", "Max value for LIMIT is 4611686018427387904"),
        ("SELECT i FROM orders LIMIT 1 OFFSET 1e300", "Max value for OFFSET is 4611686018427387904"),
        ("ATTACH 'ducklake:lake.db' AS shop (CATALOG 9223372036854775808)", "9223372036854775808"),
        ("SELECT i FROM orders OFFSET 2147483648 * 'infinity'", "Could not convert string 'infinity' to INT64"),
        ("SELECT i FROM orders LIMIT '1' + '2'", "types '+(VARCHAR, VARCHAR)'"),
        ("FROM ducklake_snapshots(3 * 'lake')", "This cannot be computed: 3 * 'lake'"),
        ("FROM (PIVOT orders USING sum(i) GROUP BY j) ORDER BY j", "this PIVOT has no ON"),
        ("PIVOT orders", "this PIVOT has no ON"),
        ("SELECT list( ORDER BY i) FROM orders", "list"),
        ("SELECT MAP {TRY_CAST(NULL AS INTEGER): true}", "Map keys can not be NULL."),
        ("SELECT MAP {NULL: true}", "Map keys can not be NULL."),
        ("SELECT MAP {'k', 1}", "a map has keys with values, not: 'k'"),
        ("SELECT {'k': 'agent'} < ('a', true)", "Cannot combine types of STRUCT(k VARCHAR) and "),
        ("SELECT trunc( . 1.2345, 2)", 'syntax error at or near "0.1.2345"'),
        (f"ATTACH 'ducklake:{'a' * 300}.db' AS long", "aaaa"),
        ("ATTACH 'ducklake:x\ud800.db' AS half", "\\ud800"),
        ("EXPORT DATABASE '\udc80'", "\\udc80"),
        ('SELECT 1 AS "\ud800"', "\\ud800"),
        ("OPTIMIZE orders", "merge_adjacent_files"),
        ("VACUUM", "cleanup_old_files"),
        ("RESTORE TABLE orders TO VERSION AS OF 1", "reset_to"),
        ("DESCRIBE HISTORY orders", "x.snapshots()"),
    ],
)
def test_what_chance_has_said_is_refused_by_name(session: Connection, statement: str, words: str) -> None:
    with pytest.raises(ForklakeError, match=re.escape(words)) as raised:
        rows(session, statement)
    assert not isinstance(raised.value, InternalError)
    assert rows(session, "SELECT count(*) FROM orders") == [(0,)]


@pytest.mark.parametrize(("default", "value"), [("0.0", 0), ("1e2", 100), ("'7.0'", 7), ("-0e0", 0)])
def test_an_integer_takes_a_default_that_is_written_with_a_point(session: Connection, default: str, value: int) -> None:
    session.sql(f"CREATE TABLE given (i INTEGER, j INTEGER DEFAULT {default}); INSERT INTO given (i) VALUES (1)")
    session.sql(f"ALTER TABLE given ADD COLUMN k BIGINT DEFAULT {default}; INSERT INTO given (i) VALUES (2)")
    assert rows(session, "FROM given") == [(1, value, value), (2, value, value)]


def test_a_table_that_was_dropped_is_named_with_the_snapshot_that_dropped_it(session: Connection) -> None:
    session.sql("ATTACH 'ducklake:lake.db' AS two (CATALOG 'other', CREATE_IF_NOT_EXISTS true)")
    session.sql("CREATE TABLE two.gone (i INTEGER)")
    session.sql("BEGIN; CALL two.set_commit_message('mallory', 'tidy up'); DROP TABLE two.gone; COMMIT")
    session.sql("DROP TABLE side.t")
    ((last,),) = rows(session, "SELECT max(snapshot_id) FROM two.snapshots()")
    for text in (
        "FROM two.gone",
        "SELECT count(*) FROM orders JOIN two.gone USING (i)",
        "INSERT INTO two.gone VALUES (1)",
        "DELETE FROM two.gone",
        "ALTER TABLE two.gone ADD COLUMN j INTEGER",
        "DROP TABLE two.gone",
        "FROM ducklake_list_files('two', 'gone')",
        f"FROM ducklake_table_changes('two', 'main', 'gone', {last}, {last})",
    ):
        with pytest.raises(NotFoundError, match="gone does not exist") as caught:
            rows(session, text)
        assert caught.value.hint is not None, text
        assert f"Snapshot {last} dropped it" in caught.value.hint
        assert 'mallory: "tidy up"' in caught.value.hint
        assert f"`FROM two.main.gone AT (VERSION => {last - 1})` is what it held" in caught.value.hint
    assert rows(session, f"FROM two.main.gone AT (VERSION => {last - 1})") == []
    with pytest.raises(NotFoundError, match="t does not exist") as caught:
        session.sql("FROM side.t")
    assert "`FROM lake.side.t AT (VERSION =>" in str(caught.value.hint)
    with pytest.raises(NotFoundError) as caught:
        session.sql("FROM never")
    assert "dropped" not in str(caught.value)
