"""Lakes that a newer DuckLake wrote may have types that we do not know."""

import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest

import forklake
from forklake.errors import InvalidInputError


@pytest.fixture
def table(tmp_path: Path) -> Iterator[forklake.Table]:
    path = tmp_path / "lake.db"
    with forklake.open(str(path)) as lake:
        made = lake.create_catalog("shop").create_table("t", {"a": "INTEGER", "b": "VARCHAR", "c": "VARCHAR"})
        made.append([{"a": 1, "b": "x", "c": "y"}])
    with sqlite3.connect(path) as connection:
        connection.execute("UPDATE forklake_ducklake_column SET column_type = 'moon phase' WHERE column_name = 'b'")
        connection.execute("UPDATE forklake_ducklake_column SET column_type = 'point' WHERE column_name = 'c'")
    connection.close()
    with forklake.open(str(path)) as lake:
        yield lake.catalog("shop").table("t")


def test_a_column_of_an_unknown_type_is_listed(table: forklake.Table) -> None:
    assert [(column.name, column.type) for column in table.columns] == [
        ("a", "int32"),
        ("b", "moon phase"),
        ("c", "point"),
    ]


def test_the_columns_beside_it_are_read(table: forklake.Table) -> None:
    assert table.arrow(["a"]).to_pylist() == [{"a": 1}]


@pytest.mark.parametrize(("column", "shown"), [("b", "MOON PHASE"), ("c", "POINT")])
def test_its_type_cannot_be_changed(table: forklake.Table, column: str, shown: str) -> None:
    refused = (
        f"Cannot change type of column {column} from {shown} to BIGINT - only widening type promotions are allowed"
    )
    with pytest.raises(InvalidInputError, match=refused):
        table.alter.set_type(column, "BIGINT")
