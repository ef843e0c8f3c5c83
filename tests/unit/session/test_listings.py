"""DuckDB's lists of databases, schemas, tables, views and columns."""

from typing import Any

import duckdb
import pytest

from forklake import Catalog, ColumnDefinition, Lake
from forklake.session.functions import LISTINGS
from forklake.session.names.known_rows import Rows
from tests.unit.session.attached import Attached, call


@pytest.fixture
def shop(lake: Lake) -> Catalog:
    shop = lake.create_catalog("shop")
    columns: list[ColumnDefinition | tuple[str, str]] = [
        ColumnDefinition("id", "int32", nulls_allowed=False),
        ColumnDefinition("name", "varchar", default="it's"),
        ColumnDefinition("price", "decimal(10,2)"),
        ("place", "STRUCT(x DOUBLE, y DOUBLE)"),
    ]
    shop.create_table("orders", columns)
    shop.table("orders").alter.comment("what was bought")
    shop.table("orders").alter.comment("a number", column="id")
    shop.table("orders").alter.set_tag("owner", "ann")
    shop.schemas.create("side")
    shop.views.create("select", "SELECT id FROM orders", column_aliases=("my id",), schema="side")
    shop.views.comment("select", "numbers", schema="side")
    return shop


def listed(name: str, *attached: Attached) -> list[dict[str, Any]]:
    found = call(name, list(attached), [], {})
    assert isinstance(found, Rows)
    return [dict(zip((column.name for column in found.columns), row, strict=True)) for row in found.rows]


def test_lists_have_the_columns_and_types_of_duckdb(lake: Lake, shop: Catalog) -> None:
    with duckdb.connect() as connection:
        for name in LISTINGS:
            described = connection.execute(f"SELECT column_name, column_type FROM (DESCRIBE FROM {name}())").fetchall()
            found = call(name, [Attached("x", lake, shop)], [], {})
            assert [(column.name, column.type.sql_name) for column in found.columns] == described, name


def test_tables_are_listed_with_what_is_said_about_them(lake: Lake, shop: Catalog) -> None:
    shop.table("orders").storage.insert_inlined([{"id": "1"}, {"id": "2"}])
    (table,) = listed("duckdb_tables", Attached("x", lake, shop))
    assert (table["database_name"], table["schema_name"], table["table_name"]) == ("x", "main", "orders")
    assert (table["comment"], table["tags"]) == ("what was bought", {"owner": "ann"})
    assert (table["estimated_size"], table["column_count"]) == (2, 4)
    assert table["sql"] == (
        "CREATE TABLE orders(id INTEGER NOT NULL, \"name\" VARCHAR DEFAULT('it''s'), price DECIMAL(10,2),"
        " place STRUCT(x DOUBLE, y DOUBLE));"
    )


def test_columns_are_listed_as_duckdb_lists_them(lake: Lake, shop: Catalog) -> None:
    found = listed("duckdb_columns", Attached("x", lake, shop))
    with duckdb.connect() as connection:
        connection.execute(listed("duckdb_tables", Attached("x", lake, shop))[0]["sql"])
        names = ("column_name", "column_index", "is_nullable", "data_type", "data_type_id", "numeric_precision",
                 "numeric_precision_radix", "numeric_scale")  # fmt: skip
        theirs = connection.execute(
            f"SELECT {', '.join(names)} FROM duckdb_columns() WHERE table_name = 'orders' ORDER BY column_index"
        ).fetchall()
    assert [tuple(column[name] for name in names) for column in found] == theirs
    assert [column["comment"] for column in found] == ["a number", None, None, None]
    assert [column["column_default"] for column in found] == ["NULL", "'it''s'", "NULL", None]


def test_views_and_schemas_are_listed(lake: Lake, shop: Catalog) -> None:
    x = Attached("x", lake, shop)
    (view,) = listed("duckdb_views", x)
    assert (view["schema_name"], view["view_name"], view["comment"]) == ("side", "select", "numbers")
    assert view["sql"] == 'CREATE VIEW "select" ("my id") AS SELECT id FROM orders;'
    assert [schema["schema_name"] for schema in listed("duckdb_schemas", x)] == ["main", "side"]


def test_every_attached_catalog_is_listed_and_no_other(lake: Lake, shop: Catalog) -> None:
    lake.create_catalog("other").create_table("secret", {"i": "INTEGER"})
    x, y = Attached("x", lake, shop), Attached("y", lake, shop.fork("agent"), read_only=True)
    assert [table["database_name"] for table in listed("duckdb_tables", x, y)] == ["x", "y"]
    databases = listed("duckdb_databases", x, y)
    assert [(database["database_name"], database["readonly"]) for database in databases] == [("x", False), ("y", True)]
    assert databases[1]["tags"] == {"data_path": f"{lake.data_path}agent/"}
    assert listed("duckdb_tables") == []


def test_lists_show_what_the_transaction_sees(lake: Lake, shop: Catalog) -> None:
    with shop.transaction() as txn:
        txn.create_table("own", {"i": "INTEGER"})
        txn.table("own").storage.insert_inlined([{"i": "1"}])
        shop.create_table("others", {"i": "INTEGER"})
        found = listed("duckdb_tables", Attached("x", lake, shop, txn))
        assert [(table["table_name"], table["estimated_size"]) for table in found] == [("orders", 0), ("own", 1)]
