"""Rows in the metadata whose columns change before they are committed are those that DuckLake has."""

from pathlib import Path
from typing import Any

import pytest

import forklake
from tests.interop.ducklake import attached, write

NESTED = [
    "CREATE TABLE t (s STRUCT(i INTEGER, j STRUCT(a INTEGER, b VARCHAR)), l STRUCT(x INTEGER)[], n INTEGER)",
    "INSERT INTO t VALUES ({'i': 1, 'j': {'a': 2, 'b': 'x'}}, [{'x': 1}], 1)",
    "BEGIN",
    "INSERT INTO t VALUES ({'i': 10, 'j': {'a': 20, 'b': 'it''s'}}, [{'x': 2}, NULL], 2), (NULL, NULL, 3)",
    "ALTER TABLE t ADD COLUMN s.k INTEGER DEFAULT 42",
    "ALTER TABLE t DROP COLUMN s.i",
    "ALTER TABLE t RENAME COLUMN s.j.a TO z",
    "INSERT INTO t VALUES ({'j': {'z': 200, 'b': 'y'}, 'k': 7}, [], 4)",
    "COMMIT",
]
ADDED = [
    "CREATE TABLE t (a INTEGER)",
    "BEGIN",
    "INSERT INTO t VALUES (10), (20)",
    "ALTER TABLE t ADD COLUMN b INTEGER DEFAULT 99",
    "ALTER TABLE t ADD COLUMN c VARCHAR DEFAULT 'm'",
    "ALTER TABLE t ADD COLUMN d DOUBLE DEFAULT 2.5",
    "ALTER TABLE t ADD COLUMN e DATE DEFAULT '2024-06-15'",
    "ALTER TABLE t ADD COLUMN f DECIMAL(4,1) DEFAULT 9.5",
    "ALTER TABLE t ADD COLUMN g BLOB DEFAULT 'abc'",
    "ALTER TABLE t ADD COLUMN h INTEGER",
    "INSERT INTO t VALUES (40, 200, 'a', 1.5, '2020-01-01', 1, 'x', 1)",
    "COMMIT",
    "INSERT INTO t VALUES (50, 20, 'z', 3, '2030-01-01', 20, 'x', 1)",
]


def ours(folder: Path, statements: list[str], *questions: str) -> list[list[tuple[Any, ...]]]:
    with forklake.connect() as session:
        session.sql(
            f"ATTACH 'ducklake:{folder}/ours.db' AS lake (DATA_PATH '{folder}/ours/', DATA_INLINING_ROW_LIMIT 10,"
            " METADATA_CATALOG 'meta'); USE lake; SET engine = 'local'"
        )
        for statement in statements:
            session.sql(statement)
        return [session.execute(question).fetchall() for question in questions]


def theirs(folder: Path, statements: list[str], *questions: str) -> list[list[tuple[Any, ...]]]:
    url = f"ducklake:{folder}/theirs.ducklake"
    write(url, folder / "theirs", *statements)
    with attached(url, METADATA_CATALOG="meta") as (connection, alias):
        connection.execute(f"USE {alias}")
        return [connection.execute(question).fetchall() for question in questions]


def test_fields_of_structs_change_in_rows_that_are_not_committed(tmp_path: Path) -> None:
    question = "SELECT * FROM t ORDER BY n"
    # DuckLake changes no struct in the transaction that wrote it.
    one_by_one = [statement for statement in NESTED if statement not in ("BEGIN", "COMMIT")]
    assert ours(tmp_path, NESTED, question) == theirs(tmp_path, one_by_one, question)


def test_such_rows_stay_in_the_metadata(tmp_path: Path) -> None:
    assert ours(tmp_path, NESTED, "FROM ducklake_list_files('lake', 't')") == [[]]


@pytest.mark.parametrize("column", ["b", "c", "d", "e", "f", "h"])
def test_the_default_of_an_added_column_is_in_its_bounds(tmp_path: Path, column: str) -> None:
    question = (
        "SELECT contains_null, min_value, max_value FROM meta.ducklake_table_column_stats"
        f" JOIN meta.ducklake_column USING (table_id, column_id) WHERE column_name = '{column}'"
    )
    found, expected = ours(tmp_path, ADDED, question), theirs(tmp_path, ADDED, question)
    if column == "h":  # of rows that were there before the column nothing is told
        assert found == [[(None, None, None)]]
    else:
        assert found == expected
