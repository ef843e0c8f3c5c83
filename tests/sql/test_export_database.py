"""EXPORT and IMPORT DATABASE: what we export DuckDB imports, and the other way round."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import duckdb
import pytest

import forklake
from forklake.errors import AlreadyExistsError, ForklakeError, InvalidInputError, NotFoundError

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

_MADE = """
    CREATE SCHEMA s;
    CREATE TABLE t (a INTEGER NOT NULL, b VARCHAR DEFAULT 'it''s', c DECIMAL(10,2) DEFAULT (1 + 1),
                    d STRUCT(x INTEGER, y INTEGER[]));
    INSERT INTO t VALUES (1, 'a"b', 2.5, {'x': 1, 'y': [1, NULL]}), (2, NULL, NULL, NULL);
    INSERT INTO t VALUES (3, 'ü,', 0, {'x': NULL, 'y': []});
    CREATE TABLE s."od d" ("we ird" TIMESTAMP, "select" MAP(VARCHAR, INTEGER));
    INSERT INTO s."od d" VALUES (TIMESTAMP '2024-02-29 12:00:00.5', MAP {'k': 1}), (NULL, NULL);
    CREATE TABLE "A-b" (i BIGINT); CREATE TABLE a_b (i DATE DEFAULT DATE '2020-01-01'); CREATE TABLE "UPPER" (e BLOB);
    INSERT INTO "A-b" VALUES (5);
    INSERT INTO "UPPER" VALUES ('\\x00a'::BLOB);
    CREATE MACRO m(x, y := 3) AS x + y;
    CREATE MACRO s.named(n, prefix := 'it''s ') AS prefix || n;
    CREATE MACRO numbers(n) AS TABLE SELECT * FROM range(n) AS r(i);
    CREATE VIEW a_first AS SELECT 1 AS i;
    CREATE VIEW z_last AS SELECT m(a) AS k, b FROM t WHERE a > 1;
    CREATE VIEW s.w(x, y) AS FROM z_last;
    CREATE OR REPLACE VIEW a_first AS SELECT x, s.named(x) AS n FROM s.w;
"""
_ASKED = (
    "FROM t ORDER BY a",
    'FROM s."od d" ORDER BY 1',
    'FROM "A-b"',
    "FROM a_b",
    'FROM "UPPER"',
    "SELECT m(1), m(1, 1), s.named(1)",
    "FROM numbers(2)",
    "FROM s.w ORDER BY x",
    "FROM a_first ORDER BY x",
    "DESCRIBE t",
)


@pytest.fixture
def session(spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[forklake.Connection]:
    monkeypatch.chdir(tmp_path)
    with forklake.connect(spark) as made:
        made.sql("ATTACH 'ducklake:a.db' AS a; ATTACH 'ducklake:b.db' AS b; USE a")
        yield made


def _answers(session: Any) -> list[Any]:
    return [(asked, session.sql(asked).fetchall()) for asked in _ASKED]


@pytest.mark.parametrize("form", ["csv", "parquet"])
def test_exports_are_imported_on_both_sides(session: forklake.Connection, form: str) -> None:
    session.sql(_MADE)
    theirs = duckdb.connect()
    theirs.execute(_MADE)
    expected = _answers(theirs)
    assert _answers(session) == expected
    session.sql(f"EXPORT DATABASE 'ours' (FORMAT {form})")
    Path("ours").rename("moved")
    other = duckdb.connect()
    other.execute("IMPORT DATABASE 'moved'")
    assert _answers(other) == expected
    # Their own export has views by name, not by need, so it is without the one that needs a later one.
    theirs.execute(f"DROP VIEW a_first; EXPORT DATABASE 'theirs' (FORMAT {form})")
    assert _tables(Path("theirs")) == _tables(Path("moved"))
    session.sql("USE b; IMPORT DATABASE 'theirs/'; CREATE VIEW a_first AS SELECT x, s.named(x) AS n FROM s.w")
    assert _answers(session) == expected
    session.sql("USE memory; IMPORT DATABASE 'moved'")
    assert _answers(session) == expected


def _tables(directory: Path) -> list[str]:
    """Return which file each table is loaded from, and how."""
    lines = (directory / "load.sql").read_text().splitlines()
    return sorted(line.replace("theirs/", "").replace("ours/", "").replace("header 1", "header true") for line in lines)


def test_an_import_is_whole_or_not_at_all(session: forklake.Connection) -> None:
    session.sql("CREATE TABLE t AS SELECT 1 AS i; CREATE VIEW v AS FROM t; EXPORT DATABASE 'out' (FORMAT parquet)")
    with pytest.raises(AlreadyExistsError, match='Table with name "t" already exists'):
        session.sql("IMPORT DATABASE 'out'")
    load = Path("out/load.sql")
    good = load.read_text()
    load.write_text(f"{good}COPY t FROM 'nowhere.parquet' (FORMAT 'parquet');\n")
    session.sql("USE b")
    for text, error, words in (
        (load.read_text(), NotFoundError, "No files found"),
        (f"{good} DROP TABLE t", InvalidInputError, r"load.sql\" holds another statement than exports have \(Drop\)"),
        (
            "COPY a.main.t FROM 't.parquet' (FORMAT 'parquet')",
            InvalidInputError,
            "an import is made in the catalog in use",
        ),
    ):
        load.write_text(text)
        with pytest.raises(error, match=words):
            session.sql("IMPORT DATABASE 'out'")
        assert _rows(session, "SHOW TABLES") == []
    load.write_bytes(b"\xff")
    with pytest.raises(InvalidInputError, match="no text in UTF-8; nothing was imported"):
        session.sql("IMPORT DATABASE 'out'")
    load.unlink()
    with pytest.raises(NotFoundError, match=r'Cannot open file ".*out/load\.sql": No such file'):
        session.sql("IMPORT DATABASE 'out'")


def _rows(session: forklake.Connection, query: str) -> list[Any]:
    found = session.sql(query)
    assert found is not None
    return found.fetchall()


@pytest.mark.parametrize(
    ("statement", "error", "words"),
    [
        ("EXPORT DATABASE nowhere TO 'out'", NotFoundError, 'Catalog "nowhere" does not exist'),
        ("EXPORT DATABASE 'out' (FORMAT foo)", InvalidInputError, "Copy Function with name foo does not exist"),
        ("EXPORT DATABASE 'out' (foo bar)", InvalidInputError, 'Unrecognized option for CSV: "foo"'),
        ("EXPORT DATABASE 'out' (PARTITION_BY i)", InvalidInputError, "takes no PARTITION_BY"),
        ("EXPORT DATABASE 'no/such/out'", InvalidInputError, 'Failed to create directory ".*no/such/out"'),
        ("EXPORT DATABASE 'a.db'", InvalidInputError, "path exists but is not a directory"),
        ("EXPORT DATABASE", InvalidInputError, "syntax error"),
        ("EXPORT DATABASE ''", InvalidInputError, "The directory of an EXPORT or IMPORT is named"),
        ("IMPORT DATABASE ' '", InvalidInputError, "The directory of an EXPORT or IMPORT is named"),
        ("EXPORT DATABASE 'a\0b'", ForklakeError, "path"),
        ("EXPORT TABLE t", InvalidInputError, "syntax error"),
        ("IMPORT DATABASE 'nowhere'", NotFoundError, 'Cannot open file ".*nowhere/schema.sql"'),
    ],
)
def test_wrong_exports_are_refused_and_leave_no_file(
    session: forklake.Connection, statement: str, error: type[ForklakeError], words: str
) -> None:
    session.sql("CREATE TABLE t AS SELECT 1 AS i")
    with pytest.raises(error, match=words):
        session.sql(statement)
    assert not Path("out").exists() or list(Path("out").iterdir()) == []
