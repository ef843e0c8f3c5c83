"""Statements about the session, read from text."""

from typing import Any

import pytest
from sqlglot import exp

from forklake.errors import InvalidInputError
from forklake.sql.parse import parse
from forklake.sql.statements import (
    Attach,
    Begin,
    Checkpoint,
    Commit,
    CreateSecret,
    Detach,
    DropSecret,
    NoOperation,
    Pragma,
    ResetSetting,
    ResetVariable,
    Rollback,
    SetSetting,
    SetVariable,
    Statement,
    Use,
)


def one(text: str) -> Statement:
    (statement,) = parse(text)
    return statement


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("ATTACH 'ducklake:a.db'", Attach("ducklake:a.db")),
        ("attach database 'x' as \"my lake\"", Attach("x", "my lake")),
        ("ATTACH IF NOT EXISTS 'x' AS y", Attach("x", "y", if_not_exists=True)),
        ("ATTACH OR REPLACE 'x' AS y (READ_ONLY)", Attach("x", "y", {"read_only": True}, or_replace=True)),
        ("DETACH x", Detach("x")),
        ("DETACH DATABASE IF EXISTS x", Detach("x", if_exists=True)),
        ("USE lake", Use(("lake",))),
        ('USE lake."my ""schema"', Use(("lake", 'my "schema'))),
        ("SET x = 5", SetSetting("x", 5)),
        ("SET GLOBAL Some_Setting TO 'a;b'", SetSetting("some_setting", "a;b")),
        ("SET SESSION x = -1.5", SetSetting("x", -1.5)),
        ("SET x = true", SetSetting("x", True)),
        ("SET x = word", SetSetting("x", "word")),
        ("SET search_path = 'a.b'", Use(("a", "b"))),
        ("SET x = ['a', 'b']", SetSetting("x", ["a", "b"])),
        ("SET TIME ZONE 'UTC'", SetSetting("timezone", "UTC")),
        ("SET x = DEFAULT", ResetSetting("x")),
        ("RESET x", ResetSetting("x")),
        ("RESET VARIABLE x", ResetVariable("x")),
        ("PRAGMA show_tables", Pragma("show_tables")),
        ("PRAGMA table_info('t', 3)", Pragma("table_info", ("t", 3))),
        ("PRAGMA threads = 3", SetSetting("threads", 3)),
        ("DROP SECRET IF EXISTS s", DropSecret("s", if_exists=True)),
        ("DROP PERSISTENT SECRET s FROM local_file", DropSecret("s")),
        ("CHECKPOINT", Checkpoint(None)),
        ("CHECKPOINT lake", Checkpoint("lake")),
        ("FORCE CHECKPOINT lake", Checkpoint("lake")),
    ],
)
def test_statement_about_the_session_is_understood(text: str, expected: Statement) -> None:
    assert one(text) == expected


@pytest.mark.parametrize(
    ("spelling", "kind"),
    [
        ("BEGIN", Begin),
        ("BEGIN TRANSACTION", Begin),
        ("BEGIN WORK", Begin),
        ("START TRANSACTION READ ONLY", Begin),
        ("COMMIT", Commit),
        ("COMMIT TRANSACTION", Commit),
        ("END", Commit),
        ("END WORK", Commit),
        ("ROLLBACK", Rollback),
        ("ABORT TRANSACTION", Rollback),
        ("INSTALL ducklake", NoOperation),
        ("INSTALL spatial FROM community", NoOperation),
        ("FORCE INSTALL 'x' FROM 'https://y'", NoOperation),
        ("LOAD ducklake", NoOperation),
        ("LOAD '/a path/x.duckdb_extension'", NoOperation),
        ("UPDATE EXTENSIONS", NoOperation),
    ],
)
def test_statement_has_all_of_its_spellings(spelling: str, kind: type) -> None:
    assert isinstance(one(spelling), kind)


@pytest.mark.parametrize(
    ("written", "value"),
    [
        ("'it''s; ok'", "it's; ok"),
        ("= 'x'", "x"),
        ("10", 10),
        ("-3", -3),
        ("1.5", 1.5),
        ("true", True),
        ("FALSE", False),
        ("NULL", None),
        ("word", "word"),
        ('"Quoted"', "Quoted"),
        ("TIMESTAMPTZ '2025-01-01 00:00:00+00'", "2025-01-01 00:00:00+00"),
        ("TIMESTAMP WITH TIME ZONE '2025-01-01'", "2025-01-01"),
        ("'2025-01-01'::TIMESTAMP", "2025-01-01"),
        ("['a', 'b']", ["a", "b"]),
        ("MAP {'TYPE': 'postgres', 'n': 3}", {"TYPE": "postgres", "n": 3}),
        ("", True),
    ],
)
def test_option_has_the_value_that_was_written(written: str, value: Any) -> None:
    statement = one(f"ATTACH 'x' AS y (FIRST 1, Some_Option {written}, last 2)")
    assert isinstance(statement, Attach)
    assert statement.options == {"first": 1, "some_option": value, "last": 2}


@pytest.mark.parametrize("written", ["getvariable('t')", "now() - INTERVAL 1 DAY", "INTERVAL '1 week'"])
def test_option_that_must_be_computed_is_an_expression(written: str) -> None:
    statement = one(f"ATTACH 'x' AS y (SNAPSHOT_TIME {written}, READ_ONLY)")
    assert isinstance(statement, Attach)
    assert isinstance(statement.options["snapshot_time"], exp.Expr)
    assert statement.options["read_only"] is True


def test_secret_may_have_no_name() -> None:
    options = {"type": "ducklake", "metadata_path": "a.db", "data_path": "x/"}
    written = "(TYPE ducklake, METADATA_PATH 'a.db', DATA_PATH 'x/')"
    assert one(f"CREATE SECRET {written}") == CreateSecret(None, options)
    assert one(f'CREATE OR REPLACE SECRET "my s" {written}') == CreateSecret("my s", options, or_replace=True)
    assert one(f"CREATE PERSISTENT SECRET IF NOT EXISTS s IN memory {written}") == CreateSecret(
        "s", options, if_not_exists=True, storage="local_file"
    )
    assert one(f"CREATE TEMP SECRET IN memory {written}") == CreateSecret(None, options, storage="memory")


def test_variable_is_set_to_an_expression() -> None:
    statement = one("SET VARIABLE x = (SELECT max(a) FROM t) + 1")
    assert isinstance(statement, SetVariable)
    assert statement.name == "x"
    assert isinstance(statement.value, exp.Add)


@pytest.mark.parametrize(
    "text", ["ATTACH", "ATTACH x", "ATTACH 'x' y", "DETACH", "USE", "USE select", "SET x", "SET x 3", "RESET",
             "CREATE SECRET s", "COMMIT now", "LOAD", "FORCE x", "ATTACH 'x' AS y (A -, B)", "ATTACH 'x' AS y ()",
             "ATTACH 'x' AS y (READ_ONLY"],
)  # fmt: skip
def test_statement_that_is_cut_short_is_a_syntax_error(text: str) -> None:
    with pytest.raises(InvalidInputError, match="Parser Error: syntax error at"):
        parse(text)
