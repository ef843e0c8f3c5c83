"""Defaults whose text looks like something else: they stay what was written, here and in stock DuckLake."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

import forklake
from forklake import Catalog, ColumnDefinition, Connection, Settings
from forklake.model.definitions import MacroImplementation, MacroParameter


@pytest.fixture
def shop(tmp_path: Path) -> Iterator[Catalog]:
    with forklake.open(str(tmp_path / "lake.db"), settings=Settings(engine="local")) as lake:
        yield lake.create_catalog("shop")


@pytest.fixture
def session(shop: Catalog) -> Iterator[Connection]:
    with shop.session() as made:
        yield made


def test_the_text_null_is_a_default_wherever_one_is_said(shop: Catalog, session: Connection) -> None:
    session.sql("CREATE TABLE made (i INTEGER, x VARCHAR DEFAULT 'NULL', y VARCHAR DEFAULT NULL)")
    session.sql("CREATE TABLE added (i INTEGER); INSERT INTO added VALUES (0)")
    session.sql("ALTER TABLE added ADD COLUMN x VARCHAR DEFAULT 'NULL'; ALTER TABLE added ADD COLUMN y VARCHAR")
    session.sql("CREATE TABLE changed (i INTEGER, x VARCHAR, y VARCHAR DEFAULT 'NULL')")
    session.sql("ALTER TABLE changed ALTER x SET DEFAULT 'NULL'; ALTER TABLE changed ALTER y DROP DEFAULT")
    shop.create_table("python", [ColumnDefinition("i", "INTEGER"), ColumnDefinition("x", "VARCHAR", default="NULL")])
    shop.table("python").alter.add_column(ColumnDefinition("y", "VARCHAR"))
    for name in ("made", "added", "changed", "python"):
        session.sql(f"INSERT INTO {name} (i) VALUES (1)")
        shop.table(name).append([{"i": 2}])
        expected = [(1, "NULL", None), (2, "NULL", None)]
        assert sorted(shop.table(name).rows(where="i > 0")) == expected, name
        assert [column.default for column in shop.table(name).columns] == [None, "NULL", None], name
    assert shop.table("added").rows(where="i = 0") == [(0, "NULL", None)]
    fork = shop.fork("trial")
    fork.table("made").append([{"i": 3}])
    assert fork.table("made").rows(where="i = 3") == [(3, "NULL", None)]


def test_a_quoted_number_is_a_text_as_the_default_of_a_macro(shop: Catalog, session: Connection) -> None:
    for name, default, expected in (
        ("minus", "'-1'", "-1"),
        ("number", "-1", -1),
        ("word", "'true'", "true"),
        ("truth", "true", True),
        ("point", "'1.5'", "1.5"),
        ("text", "'x'", "x"),
    ):
        session.sql(f"CREATE MACRO {name}(a := {default}) AS a")
        found = session.sql(f"SELECT {name}()")
        assert found is not None
        assert found.fetchall() == [(expected,)], name
    shop.macros.create("old", MacroImplementation("x", (MacroParameter("x", default="-1"),)))
    shop.macros.create("new", MacroImplementation("x", (MacroParameter("x", default="-1", default_type="varchar"),)))
    found = session.sql("SELECT old(), new()")
    assert found is not None
    assert found.fetchall() == [(-1, "-1")]
    found = shop.fork("trial").sql("SELECT minus()")
    assert found is not None
    assert found.fetchall() == [("-1",)]
