"""Sessions: what is attached, in use and in a transaction. None of this starts Spark."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

import forklake
from forklake import Clock, Connection, RetryPolicy, Settings
from forklake.errors import (
    AlreadyExistsError,
    CommitConflictError,
    CommitContentionError,
    ConfigError,
    ForklakeError,
    InvalidInputError,
    InvalidPathError,
    NotFoundError,
)

ATTACH = "ATTACH 'ducklake:lake.db' AS lake (DATA_PATH 'data', CATALOG 'shop', CREATE_IF_NOT_EXISTS true)"


@pytest.fixture
def bare(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Connection]:
    """A session with nothing attached, in an empty directory."""
    monkeypatch.chdir(tmp_path)
    with forklake.connect() as made:
        yield made


@pytest.fixture
def session(bare: Connection) -> Connection:
    """A session with the catalog ``shop`` of a new lake, attached as ``lake`` and in use."""
    bare.sql(f"{ATTACH}; USE lake")
    return bare


def rows(session: Connection, text: str, parameters: Any = None) -> list[Any]:
    found = session.sql(text, parameters)
    assert found is not None
    return found.fetchall()


# ---- ATTACH ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ("(CATALOG 'x')", "Catalog 'x' does not exist"),
        ("(CATALOG_ID 77)", "Catalog with id 77 does not exist"),
        ("(CATALOG 'shop', COLOUR 'red')", "Unsupported option colour"),
        ("(CATALOG 'shop', META_BUSY_TIMEOUT 5)", "Unsupported option meta_busy_timeout"),
        ("(CATALOG 'shop', CATALOG_ID 0)", "Cannot specify both CATALOG and CATALOG_ID"),
        ("(CATALOG 'shop', READ_ONLY, READ_ONLY false)", 'Duplicate option "read_only"'),
        ("(CATALOG 'shop', READ_ONLY 'perhaps')", "true or false"),
        ("(CATALOG 'shop', SNAPSHOT_VERSION 99)", "No snapshot found at version 99"),
        ("(CATALOG 'shop', SNAPSHOT_VERSION 0, SNAPSHOT_TIME '2024-01-01')", "both VERSION and TIMESTAMP"),
        ("(CATALOG 'shop', SNAPSHOT_TIME 'noon')", "noon"),
        ("(CATALOG 'shop', DATA_PATH 'elsewhere')", "does not match existing data path"),
        ("(CATALOG 'shop', ENCRYPTED)", "not encrypted"),
        ("(CATALOG 'shop', DATA_INLINING_ROW_LIMIT 'abc')", "whole number from 0 on"),
        ("(CATALOG 'shop', DATA_INLINING_ROW_LIMIT -5)", "whole number from 0 on"),
    ],
)
def test_attach_says_what_is_wrong_and_attaches_nothing(session: Connection, options: str, message: str) -> None:
    with pytest.raises(ForklakeError, match=message):
        session.sql(f"ATTACH 'ducklake:lake.db' AS other {options}")
    assert rows(session, "SHOW DATABASES") == [("lake",)]
    session.sql("CREATE TABLE still_there (i INTEGER)")


@pytest.mark.parametrize(
    ("url", "message"),
    [
        ("ducklake:mysql:db=lake", 'No metadata database is known by "mysql:"'),
        ("ducklake::memory:", "A lake cannot be kept in memory"),
        ("ducklake:sqlite::memory:", "A lake cannot be kept in memory"),
        ("ducklake:s3://bucket/lake.db", 'No metadata database is known by "s3:"'),
    ],
)
def test_attach_makes_no_file_for_a_database_that_it_does_not_know(
    bare: Connection, tmp_path: Path, url: str, message: str
) -> None:
    for alias in ("", " AS lake"):
        with pytest.raises(ConfigError, match=message):
            bare.sql(f"ATTACH '{url}'{alias} (CATALOG 'shop', CREATE_IF_NOT_EXISTS true)")
    assert list(tmp_path.iterdir()) == []


def test_a_catalog_is_attached_by_id_twice_and_under_any_name(session: Connection) -> None:
    session.sql("""ATTACH 'ducklake:lake.db' AS "my; ""lake" (CATALOG_ID 0); CREATE TABLE "my; ""lake"."a b" (i INT)""")
    assert rows(session, "SHOW TABLES") == [("a b",)]
    with pytest.raises(AlreadyExistsError, match='"lake" already exists'):
        session.sql(ATTACH)
    session.sql(ATTACH.replace("ATTACH", "ATTACH IF NOT EXISTS"))
    session.sql(ATTACH.replace("ATTACH", "ATTACH OR REPLACE"))


def test_a_data_path_can_be_overridden(session: Connection) -> None:
    session.sql("ATTACH 'ducklake:lake.db' AS other (CATALOG 'shop', DATA_PATH 'else', OVERRIDE_DATA_PATH true)")
    with pytest.raises(InvalidPathError, match="OVERRIDE_DATA_PATH"):
        session.sql("ATTACH 'ducklake:lake.db' AS third (CATALOG 'shop', DATA_PATH 'else')")


def test_what_is_in_use_is_not_detached(session: Connection) -> None:
    with pytest.raises(InvalidInputError, match="Cannot detach database"):
        session.sql("DETACH lake")
    with pytest.raises(NotFoundError, match="database not found"):
        session.sql("DETACH nothing")
    session.sql("DETACH IF EXISTS nothing; USE memory; DETACH lake")
    assert rows(session, "SHOW DATABASES") == []
    with pytest.raises(NotFoundError, match=r'No catalog \+ schema named "lake.main" found'):
        session.sql("USE lake.main")


def test_secrets_keep_options_and_are_not_shown(bare: Connection) -> None:
    bare.sql("CREATE SECRET s (TYPE ducklake, METADATA_PATH 'lake.db', DATA_PATH 'data', CATALOG 'shop')")
    bare.sql("ATTACH 'ducklake:s' AS a (CREATE_IF_NOT_EXISTS true)")
    bare.sql("CREATE SECRET (TYPE ducklake, METADATA_PATH 'lake.db', CATALOG 'shop'); ATTACH 'ducklake:' AS b")
    bare.sql("CREATE TABLE a.t (i INTEGER)")
    assert rows(bare, "SHOW TABLES FROM b") == [("t",)]
    assert "lake.db" not in repr(bare._state.secrets)
    with pytest.raises(AlreadyExistsError):
        bare.sql("CREATE SECRET s (TYPE ducklake, METADATA_PATH 'x')")
    with pytest.raises(InvalidInputError, match="colour"):
        bare.sql("CREATE SECRET t (TYPE ducklake, COLOUR 'red')")
    bare.sql("DROP SECRET s; DROP SECRET IF EXISTS s")
    with pytest.raises(NotFoundError, match="non-existent secret"):
        bare.sql("DROP SECRET s")


# ---- names -----------------------------------------------------------------------------------------------------------


def test_a_name_that_is_a_schema_and_a_catalog_is_refused(session: Connection) -> None:
    session.sql("CALL ducklake_create_catalog('lake', 'side'); ATTACH 'ducklake:lake.db' AS side (CATALOG 'side')")
    session.sql(
        "CREATE TABLE side.t (of_catalog INTEGER); CREATE SCHEMA side; CREATE TABLE lake.side.t (of_schema INTEGER)"
    )
    with pytest.raises(
        InvalidInputError, match=r'Ambiguous reference to catalog or schema "side" .* like "lake\.side"'
    ):
        session.sql("DESCRIBE side.t")
    assert [row[0] for row in rows(session, "DESCRIBE lake.side.t")] == ["of_schema"]
    assert [row[0] for row in rows(session, "DESCRIBE side.main.t")] == ["of_catalog"]
    session.sql("USE side")
    assert [row[0] for row in rows(session, "DESCRIBE t")] == ["of_catalog"]
    assert [row[0] for row in rows(session, "DESCRIBE side.t")] == ["of_catalog"]


def test_showing_what_a_statement_did_does_nothing_again(session: Connection) -> None:
    inserted = session.sql("CREATE TABLE t (i INTEGER); INSERT INTO t VALUES (1), (2)")
    assert inserted is not None
    before = rows(session, "FROM lake.current_snapshot()")
    shown = {repr(inserted), repr(inserted), str(inserted.rows()), str(inserted.fetchall()), inserted._repr_html_()}
    assert (len(shown), len(inserted)) == (3, 1)
    assert rows(session, "FROM lake.current_snapshot()") == before
    assert rows(session, "SELECT count(*) FROM t") == [(2,)]


def test_unknown_names_tell_the_nearest_known(session: Connection) -> None:
    session.sql("CREATE TABLE orders (id INTEGER)")
    with pytest.raises(NotFoundError, match='Did you mean "orders"'):
        session.sql("FROM ordrs")
    with pytest.raises(NotFoundError, match='Did you mean "lake"'):
        session.sql("FROM lke.main.orders")
    with pytest.raises(NotFoundError, match="ducklake_max_retry_count"):
        session.sql("SET ducklake_max_retry_cont = 1")


# ---- transactions ----------------------------------------------------------------------------------------------------


def test_a_transaction_that_is_begun_for_reading_changes_nothing(session: Connection) -> None:
    session.sql("BEGIN TRANSACTION READ ONLY")
    with pytest.raises(
        InvalidInputError, match='Cannot write to database "lake" - transaction is launched in read-only'
    ):
        session.sql("CREATE TABLE a (i INTEGER)")
    session.sql("COMMIT; BEGIN READ WRITE; CREATE TABLE b (i INTEGER); COMMIT")
    assert rows(session, "SHOW TABLES") == [("b",)]


def test_a_transaction_is_one_snapshot_or_none(session: Connection) -> None:
    session.sql("BEGIN; CREATE TABLE a (i INTEGER); CREATE TABLE b (i INTEGER); COMMIT")
    assert rows(session, "SELECT snapshot_id FROM lake.snapshots()") == [(0,), (1,)]
    session.sql("START TRANSACTION; DROP TABLE a; ABORT")
    assert rows(session, "SHOW TABLES") == [("a",), ("b",)]


def test_a_statement_that_fails_leaves_the_transaction_as_it_was(session: Connection) -> None:
    session.sql("BEGIN; CREATE TABLE a (i INTEGER)")
    for wrong in ("CREATE TABLE a (i INTEGER)", "FROM nothing", "SELEC 1", "BEGIN", "DROP TABLE b"):
        with pytest.raises(ForklakeError):
            session.sql(wrong)
    session.sql("CREATE TABLE b (i INTEGER); COMMIT")
    assert rows(session, "SHOW TABLES") == [("a",), ("b",)]
    assert len(rows(session, "FROM lake.snapshots()")) == 2


@pytest.mark.parametrize("statement", ["COMMIT", "ROLLBACK", "END", "ABORT"])
def test_ending_what_was_not_begun_is_refused(session: Connection, statement: str) -> None:
    with pytest.raises(InvalidInputError, match="no transaction is active"):
        session.sql(statement)


def test_sessions_have_transactions_and_schemas_of_their_own(session: Connection) -> None:
    session.sql("CREATE SCHEMA s")
    other = session.cursor()
    other.sql("USE lake.s; BEGIN; CREATE TABLE t (i INTEGER)")
    assert rows(session, "SHOW TABLES FROM lake") == []
    session.sql("CREATE TABLE main_table (i INTEGER)")
    other.sql("COMMIT")
    assert rows(session, "SHOW TABLES FROM lake.s") == [("t",)]
    other.sql("BEGIN; DROP TABLE t")
    other.close()
    other.close()
    assert rows(session, "SHOW TABLES FROM lake.s") == [("t",)]
    with pytest.raises(InvalidInputError, match="already closed"):
        other.sql("SHOW TABLES")


def test_a_conflict_at_commit_ends_the_transaction(session: Connection) -> None:
    session.sql("CREATE TABLE t (i INTEGER); BEGIN; ALTER TABLE t ADD COLUMN mine INTEGER")
    other = session.cursor()
    other.sql("ALTER TABLE t ADD COLUMN theirs INTEGER")
    other.close()
    with pytest.raises(ForklakeError, match="Transaction conflict"):
        session.sql("COMMIT")
    session.sql("ALTER TABLE t ADD COLUMN mine INTEGER")
    assert [row[0] for row in rows(session, "DESCRIBE t")] == ["i", "theirs", "mine"]


@pytest.mark.parametrize("before", ["DESCRIBE", "EXPLAIN", "CREATE VIEW v AS"])
def test_looking_at_a_call_does_nothing(session: Connection, before: str) -> None:
    with pytest.raises(InvalidInputError, match="nothing was done"):
        session.sql(f"{before} FROM ducklake_fork_catalog('lake', 'fork')")
    assert rows(session, "SELECT catalog_name FROM lake.catalogs()") == [("shop",)]


# ---- Python ----------------------------------------------------------------------------------------------------------


def test_a_catalog_and_a_transaction_run_sql(tmp_path: Path) -> None:
    with forklake.open(str(tmp_path / "lake.db")) as lake:
        shop = lake.create_catalog("my shop")
        shop.sql("CREATE TABLE t (i INTEGER); CREATE TABLE main.u (i INTEGER)")
        with shop.transaction() as transaction:
            transaction.sql('DROP TABLE "my shop".main.u')
            assert [table.name for table in shop.tables()] == ["t", "u"]
            with pytest.raises(InvalidInputError, match="ends where it was begun"):
                transaction.sql("COMMIT")
        assert [table.name for table in shop.tables()] == ["t"]
        with pytest.raises(InvalidInputError, match="rolled back"):
            shop.sql("BEGIN; DROP TABLE t")
        with pytest.raises(InvalidInputError, match="read-only mode"):
            shop.at(version=0).sql("CREATE TABLE t (i INTEGER)")
        assert [table.name for table in shop.tables()] == ["t"]


def overtaken(path: Path, times: int, retry: RetryPolicy) -> tuple[Settings, list[float]]:
    """Return settings with which somebody else changes table ``t`` while rows are inserted, and what was slept."""
    slept: list[float] = []
    left = list(range(times))

    def overtake(step: str) -> None:
        if step == "append: files written" and left:
            with forklake.open(str(path)) as lake:
                lake.catalog("shop").sql(f"ALTER TABLE t ADD COLUMN c{left.pop()} INTEGER")

    return Settings(retry, Clock(sleep=slept.append, jitter=lambda: 1.0), on_step=overtake), slept


def test_sql_of_a_catalog_is_tried_again_as_its_lake_says(tmp_path: Path) -> None:
    path = tmp_path / "lake.db"
    settings, slept = overtaken(path, 2, RetryPolicy(2, wait_seconds=8.0, backoff=2.0))
    with forklake.open(str(path), settings=settings) as lake:
        shop = lake.create_catalog("shop")
        shop.sql("CREATE TABLE t (i INTEGER); INSERT INTO t (i) VALUES (1)")
        # The commit waits before it looks what came between, and the statement before it is run again.
        assert slept == [8.0, 8.0, 8.0, 16.0]
        assert shop.table("t").count() == 1
        shown = shop.sql("SELECT current_setting('ducklake_retry_wait_ms'), current_setting('ducklake_retry_backoff')")
        assert shown is not None
        assert shown.fetchall() == [(8000, 2.0)]
    settings, slept = overtaken(path, 1, RetryPolicy(0))
    with forklake.open(str(path), settings=settings) as lake:
        with pytest.raises(CommitContentionError, match="retry count of 0"):
            lake.catalog("shop").sql("ALTER TABLE t DROP COLUMN c0; INSERT INTO t (i) VALUES (2)")
        with lake.catalog("shop").transaction() as transaction:
            transaction.sql("INSERT INTO t (i) VALUES (3)")
        assert slept == []


def test_a_session_has_settings_for_itself_and_for_the_lakes_that_it_opens(tmp_path: Path) -> None:
    path = tmp_path / "lake.db"
    settings, slept = overtaken(path, 3, RetryPolicy(1, wait_seconds=8.0))
    attach = f"ATTACH 'ducklake:{path}' AS shop (CATALOG 'shop', CREATE_IF_NOT_EXISTS true)"
    with forklake.connect(settings=settings) as connection:
        connection.sql(f"{attach}; USE shop; CREATE TABLE t (i INTEGER)")
        with connection.cursor() as cursor:
            with pytest.raises(CommitConflictError):
                cursor.sql("INSERT INTO t (i) VALUES (1)")
            assert slept == [8.0] * 3
            cursor.sql("SET ducklake_retry_wait_ms = 500; INSERT INTO t (i) VALUES (1)")
            assert slept == [8.0] * 3 + [0.5] * 2
        assert rows(connection, "SELECT count(*) FROM t") == [(1,)]


def test_parameters_are_values(session: Connection) -> None:
    assert rows(session, "SELECT ?, ?", ["it's; --", None]) == [("it's; --", None)]
    assert rows(session, "SELECT $b AS b, $a AS a", {"a": 1, "b": [1, 2]}) == [([1, 2], 1)]
    assert rows(session, "SELECT $2, $1", [1, 2]) == [(2, 1)]
    assert str(rows(session, "SELECT ?, ?, typeof(?)", [-0.0, 1.5, 0.1])) == "[(-0.0, 1.5, 'DOUBLE')]"
    for text, given in (("SELECT ?", []), ("SELECT $name", {"other": 1}), ("SELECT ?", [1, 2])):
        with pytest.raises(InvalidInputError):
            session.sql(text, given)


def test_syntax_errors_show_the_place(session: Connection) -> None:
    with pytest.raises(InvalidInputError, match=r"(?s)syntax error at or near.*LINE 2.*\^"):
        session.sql("SHOW TABLES;\nSELECT * FORM t")


def test_work_on_metadata_starts_no_spark(session: Connection) -> None:
    session.sql(
        "CREATE TABLE t (i INTEGER, s VARCHAR); INSERT INTO t VALUES (1, 'x'); ALTER TABLE t ADD COLUMN j INTEGER;"
        "COMMENT ON TABLE t IS 'c'; CREATE VIEW v AS FROM t; CALL lake.set_option('target_file_size', '10MB')"
    )
    assert rows(session, "SELECT count(*) FROM t") == [(1,)]
    assert rows(session, "FROM lake.current_snapshot()") == [(5,)]
    if "pyspark" not in sys.modules:
        session.sql("FROM lake.snapshots()")
        assert "pyspark" not in sys.modules


# ---- what would break a table, or the session, later -----------------------------------------------------------------


@pytest.mark.parametrize(
    ("statement", "message"),
    [
        ("CREATE TABLE u (a INT) SORTED BY (nope)", "Unmatched columns were: nope"),
        ("CREATE TABLE u SORTED BY (abs(nope)) AS SELECT 1 AS a", "Unmatched columns were: nope$"),
        ("ALTER TABLE t SET SORTED BY (a, nope DESC)", "Unmatched columns were: nope"),
        ("ALTER TABLE t ADD COLUMN b INT DEFAULT 'x'", "Could not convert string 'x' to INT32"),
        ("CREATE TABLE u (a DECIMAL(50, 2))", r"DECIMAL\(50,2\) is no type"),
        ("SELECT COLUMNS('(') FROM t", 'Failed to compile regex "\\(": missing \\): '),
        ("SELECT COLUMNS('(a+)+$') FROM (SELECT 1 AS aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaab)", "No matching"),
        ("SELECT COLUMNS(c -> c = 1) FROM t", "Could not convert string 'a' to INT32"),
        ("SELECT COLUMNS(c -> c IN (SELECT 'a')) FROM t", "not supported as a test of names"),
        ("SELECT COLUMNS(c -> repeat(c, 9) > c) FROM t", "not supported as a test of names"),
        ("SELECT * ILIKE 'z' FROM t", "No matching columns found"),
        ("SELECT COLUMNS([]) FROM t", "not supported in COLUMNS"),
        ("SELECT COLUMNS(['a', 'b']) FROM t", 'Column "b" was selected but was not found in the FROM clause'),
        ("SELECT COLUMNS('a') AS 'x\\y' FROM t", "Invalid backslash code in COLUMNS"),
    ],
)
def test_definitions_that_no_row_fits_are_refused(session: Connection, statement: str, message: str) -> None:
    session.sql("CREATE TABLE t (a INT)")
    with pytest.raises(ForklakeError, match=message):
        session.sql(statement)
    assert rows(session, "SHOW TABLES") == [("t",)]


def test_a_view_on_nothing_does_not_hide_the_others(session: Connection) -> None:
    session.sql("CREATE TABLE t (a INT); CREATE VIEW v AS SELECT a FROM t; DROP TABLE t; CREATE TABLE u (b INT)")
    assert [row[2:4] for row in rows(session, "SHOW ALL TABLES")] == [("u", ["b"]), ("v", [])]


def test_an_attached_catalog_that_was_dropped_leaves_the_others_as_they_are(session: Connection) -> None:
    session.sql("CALL ducklake_fork_catalog('lake', 'fork'); ATTACH 'ducklake:lake.db' AS fork (CATALOG 'fork')")
    session.sql("CALL lake.drop_catalog('fork')")
    assert len(rows(session, "FROM lake.snapshots()")) == 1
    with pytest.raises(NotFoundError, match="dropped"):
        session.sql("FROM fork.snapshots()")
    session.sql("CALL lake.undrop_catalog('fork')")
    assert len(rows(session, "FROM fork.snapshots()")) == 2


def test_parameters_are_a_list_or_have_names(session: Connection) -> None:
    for given in (5, "ab"):
        with pytest.raises(InvalidInputError, match="Parameters are a list of values"):
            session.sql("SELECT ?", given)  # type: ignore[arg-type]


def test_names_with_dots_are_no_paths(session: Connection) -> None:
    session.sql('CREATE TABLE t (a STRUCT(b INTEGER, c INTEGER), "a.b" INTEGER, d INTEGER)')
    session.sql('ALTER TABLE t DROP COLUMN a.b; ALTER TABLE t RENAME "a.b" TO whole')
    assert [row[:2] for row in rows(session, "DESCRIBE t")] == [
        ("a", "STRUCT(c INTEGER)"),
        ("whole", "INTEGER"),
        ("d", "INTEGER"),
    ]
    with pytest.raises(NotFoundError, match=r'column with name "a\.c"'):
        session.sql('ALTER TABLE t DROP COLUMN "a.c"')


def test_metadata_is_not_written(session: Connection) -> None:
    for statement in ("INSERT INTO {}.ducklake_table VALUES (1)", "DROP TABLE {}.ducklake_table"):
        with pytest.raises(InvalidInputError, match="holds metadata"):
            session.sql(statement.format("__ducklake_metadata_lake"))


def test_a_call_without_text_or_values_is_refused(session: Connection) -> None:
    with pytest.raises(InvalidInputError, match="given as text"):
        session.sql(5)  # type: ignore[arg-type]
    with pytest.raises(InvalidInputError, match="no value for parameter 1"):
        session.sql("SELECT ?")


def test_what_is_in_use_can_be_asked(session: Connection) -> None:
    session.sql("CREATE SCHEMA s; USE lake.s")
    assert rows(session, "SELECT current_database(), current_catalog(), current_schema()") == [("lake", "lake", "s")]
    found = session.sql("SELECT ducklake_fork_catalog('lake', 'fork')")
    assert found is not None
    assert (found.types, found.fetchall()) == (["BIGINT"], [(1,)])


def test_intervals_of_several_units_are_read_whole(session: Connection) -> None:
    texts = ("32 days 03:04:05", "1 month 2 days", "90 minutes", "-1 day")
    found = rows(session, f"SELECT {', '.join(f'CAST(INTERVAL {chr(39)}{one}{chr(39)} AS VARCHAR)' for one in texts)}")
    assert found == [("32 days 03:04:05", "1 month 2 days", "01:30:00", "-1 day")]


@pytest.mark.parametrize("default", ["other_column", "nosuch(1)", "a + 1"])
def test_a_default_that_no_row_could_have_is_refused(session: Connection, default: str) -> None:
    with pytest.raises(ForklakeError):
        session.sql(f"CREATE TABLE t (a INTEGER, b INTEGER DEFAULT ({default}))")
    assert rows(session, "SHOW TABLES") == []
    session.sql("CREATE TABLE t (a INTEGER, b TIMESTAMPTZ DEFAULT now())")


@pytest.mark.parametrize(
    ("text", "parameters"),
    [
        ("SELECT * FROM t AT (TIMESTAMP => '99999-01-01')", None),
        ("SELECT * FROM t AT (VERSION => -'a')", None),
        ("FROM lake.table_insertions('t', 0, INTERVAL '900000 years')", None),
        ("SELECT * FROM t LIMIT -'a'", None),
        ("SELECT * FROM t LIMIT 'a'%", None),
        ("SELECT '\ud800'", None),
        ("SELECT ?", ["\ud800"]),
    ],
)
def test_values_that_are_none_are_refused_in_our_words(session: Connection, text: str, parameters: Any) -> None:
    session.sql("CREATE TABLE t(i INTEGER)")
    with pytest.raises(ForklakeError):
        session.sql(text, parameters)


def test_a_limit_of_null_is_none_and_a_number_that_is_none_is_a_float(session: Connection) -> None:
    assert rows(session, "SELECT 1 AS i LIMIT -NULL") == [(1,)]
    assert str(rows(session, "SELECT ?", [Decimal("NaN")])) == "[(nan,)]"


@pytest.mark.parametrize(
    "query",
    [
        "SELECT * FROM t VERSION AS OF 3",
        "SELECT * FROM t FOR SYSTEM_TIME AS OF '2020-01-01'",
        "SELECT * FROM t WITH (NOLOCK)",
        "SELECT * FROM ONLY t",
        "(SELECT i FROM t) USING SAMPLE 1",
        "SELECT i FROM t LIMIT 1 BY i",
        "SELECT i FROM t ORDER BY i WITH FILL",
        "SELECT i, count(*) FROM t GROUP BY i WITH TOTALS",
    ],
)
def test_what_is_not_understood_is_not_passed_over(session: Connection, query: str) -> None:
    session.sql("CREATE TABLE t(i INTEGER)")
    with pytest.raises(InvalidInputError, match="is not supported"):
        session.sql(query)
