"""The schema files are written from the description of the tables, and all others that know the columns agree."""

import shutil
import sqlite3
import typing
from collections.abc import Callable
from dataclasses import fields, replace
from pathlib import Path
from types import NoneType
from typing import Any

import duckdb
import pytest

from forklake import Lake
from forklake.metastore import schema
from forklake.metastore.plain import layout
from forklake.metastore.schema import description
from forklake.metastore.schema.__main__ import main
from forklake.metastore.schema.description import Kind, Table
from forklake.metastore.schema.meanings import MEANINGS, meaning
from forklake.metastore.schema.products import DUCKDB, PRODUCTS, SQLITE, Product
from forklake.metastore.schema.sections import TABLES
from forklake.metastore.schema.write import is_committed, write
from forklake.metastore.written_tables import BY_NAME, MetadataTable
from forklake.metastore.written_tables import TABLES as METADATA_TABLES

DIRECTORY = Path(schema.__file__).parent


@pytest.mark.parametrize("product", PRODUCTS, ids=lambda product: product.name)
def test_a_schema_file_is_what_the_description_makes(product: Product) -> None:
    assert schema.script(product.name) == write(product), "run `make schema`"


def test_the_check_names_the_file_that_differs(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for product in PRODUCTS:
        shutil.copy(DIRECTORY / f"{product.name}.sql", tmp_path)
    assert main(["--check"], tmp_path) == 0
    (tmp_path / "duckdb.sql").write_text(schema.script("duckdb").replace("varchar", "text", 1), encoding="utf-8")
    assert main(["--check"], tmp_path) == 1
    assert "duckdb.sql" in capsys.readouterr().err
    assert main([], tmp_path) == 0
    assert main(["--check"], tmp_path) == 0


# ---- what a database makes of a file ---------------------------------------------------------------------------------

Shape = dict[str, list[tuple[str, str, bool, bool]]]
"""The columns of each table: name, type, whether it is nullable, whether it is in the key."""


def described(product: Product) -> Shape:
    return {
        table.name: [
            (
                column.name,
                product.types[column.kind].upper(),
                column.is_nullable,
                column.name in ("catalog_id", *table.key),
            )
            for column in table.stored_columns
        ]
        for table in TABLES
    }


def made_by_sqlite(text: str) -> Shape:
    connection = sqlite3.connect(":memory:")
    connection.executescript(text)
    tables = connection.execute("SELECT name FROM sqlite_schema WHERE type = 'table' AND name LIKE '%ducklake%'")
    shape = {
        name.removeprefix("forklake_"): [
            (column, kind, not is_required, bool(key))
            for _, column, kind, is_required, _, key in connection.execute(f"PRAGMA table_info({name})")
        ]
        for (name,) in tables.fetchall()
    }
    connection.close()
    return shape


def made_by_duckdb(text: str) -> Shape:
    with duckdb.connect() as connection:
        connection.execute(text)
        keys = dict(
            connection.execute(
                "SELECT table_name, constraint_column_names FROM duckdb_constraints()"
                " WHERE constraint_type = 'PRIMARY KEY' AND schema_name = 'forklake'"
            ).fetchall()
        )
        shape: Shape = {}
        for table, column, kind, is_nullable in connection.execute(
            "SELECT c.table_name, c.column_name, c.data_type, c.is_nullable FROM duckdb_columns() c"
            " JOIN duckdb_tables() t ON t.table_oid = c.table_oid WHERE c.schema_name = 'forklake'"
            " ORDER BY c.column_index"
        ).fetchall():
            shape.setdefault(table, []).append((column, kind, is_nullable, column in keys[table]))
        return shape


@pytest.mark.parametrize(
    ("product", "made"), [(SQLITE, made_by_sqlite), (DUCKDB, made_by_duckdb)], ids=["sqlite", "duckdb"]
)
def test_a_database_has_the_tables_that_are_described(product: Product, made: Callable[[str], Shape]) -> None:
    assert made(schema.script(product.name)) == described(product)


def test_duckdb_says_what_every_table_and_column_means() -> None:
    with duckdb.connect() as connection:
        connection.execute(schema.script("duckdb"))
        columns = connection.execute(
            "SELECT c.table_name, c.column_name, c.comment FROM duckdb_columns() c JOIN duckdb_tables() t"
            " ON t.table_oid = c.table_oid WHERE c.schema_name = 'forklake'"
        ).fetchall()
        tables = connection.execute("SELECT table_name, comment FROM duckdb_tables()").fetchall()
    assert {(table, column): text for table, column, text in columns} == {
        (table.name, column.name): meaning(column) for table in TABLES for column in table.stored_columns
    }
    assert dict(tables) == {table.name: table.about for table in TABLES}


def test_what_a_name_means_everywhere_is_told_once() -> None:
    plain = {column.name for table in TABLES for column in table.stored_columns if not column.note}
    assert plain == set(MEANINGS)


def test_a_sqlite_file_keeps_the_notes_on_its_columns(tmp_path: Path) -> None:
    Lake(str(tmp_path / "lake.db")).close()
    connection = sqlite3.connect(tmp_path / "lake.db")
    found = dict(connection.execute("SELECT name, sql FROM sqlite_schema WHERE type = 'table'").fetchall())
    connection.close()
    for table in TABLES:
        for column in table.stored_columns:
            assert not column.note or f"-- {column.note}\n" in found[f"forklake_{table.name}"]


# ---- others that know the columns ------------------------------------------------------------------------------------

TYPES: dict[Kind, type] = {
    "number": int,
    "small": int,
    "object": int,
    "file": int,
    "text": str,
    "flag": bool,
    "uuid": str,
}


@pytest.mark.parametrize("table", METADATA_TABLES, ids=lambda table: table.name)
def test_the_row_class_of_a_table_has_its_columns(table: MetadataTable[Any]) -> None:
    hints = typing.get_type_hints(table.row)
    actual = []
    for field in fields(table.row):
        if field.name != "origin":
            *kinds, last = typing.get_args(hints[field.name]) or (hints[field.name],)
            kind = kinds[0] if kinds else last
            actual.append((field.name, getattr(kind, "__supertype__", kind), last is NoneType))
    assert actual == [(column.name, TYPES[column.kind], column.is_nullable) for column in table.described.row_columns]


def test_each_table_that_commits_write_has_a_row_class() -> None:
    assert {table.name for table in TABLES if is_committed(table)} == BY_NAME.keys()


def test_plain_tables_are_the_28_of_ducklake() -> None:
    assert len(layout.TABLES) == 28
    assert list(layout.TABLES["ducklake_snapshot"].items()) == [
        ("snapshot_id", "key"),
        ("snapshot_time", "time"),
        ("schema_version", "number"),
        ("next_catalog_id", "number"),
        ("next_file_id", "number"),
    ]
    assert list(layout.TABLES["ducklake_table_stats"]) == ["table_id", "record_count", "next_row_id", "file_size_bytes"]


def test_a_line_that_describes_nothing_is_an_error() -> None:
    with pytest.raises(AssertionError, match="table_id objct"):
        description.columns("table_id objct")


def test_a_new_column_is_in_every_file_and_in_the_commit(monkeypatch: pytest.MonkeyPatch) -> None:
    tag = next(table for table in TABLES if table.name == "ducklake_tag")
    wider = Table(
        tag.name,
        tag.about,
        tag.visibility,
        (*tag.columns, *description.columns("weight number?")),
        tag.key,
        tag.indexes,
    )
    tables = tuple(wider if table is tag else table for table in TABLES)
    for module in ("write", "web_views"):
        monkeypatch.setattr(f"forklake.metastore.schema.{module}.TABLES", tables)
    monkeypatch.setattr("forklake.metastore.schema.write.SECTIONS", (("All", tables),))
    texts = {product.name: write(product) for product in PRODUCTS}
    assert ["weight" in text for text in texts.values()] == [True, True, True]
    assert "(catalog_id, begin_snapshot, object_id, key, value, weight)" in texts["postgresql"]
    assert "r.key, r.value, r.weight\n" in texts["sqlite"]


def test_another_database_is_another_product() -> None:
    names = dict.fromkeys(SQLITE.types, "BLOB")
    other = replace(SQLITE, name="other", types=names, base="base_", views="shown_", index="i_", table_end="")
    connection = sqlite3.connect(":memory:")
    connection.executescript(write(other))
    made = {name for (name,) in connection.execute("SELECT name FROM sqlite_schema")}
    connection.close()
    assert {f"base_{table.name}" for table in TABLES} <= made
    assert {f"shown_{name}" for name in layout.TABLES} <= made
    assert {f"i_{index.name}" for table in TABLES for index in table.indexes} <= made
    assert not any(name.startswith(("forklake", "ducklake")) for name in made)
