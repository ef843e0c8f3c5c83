"""Queries of Spark as views could say them: names of tables, and candidates in DuckDB's SQL."""

import pytest

from forklake.errors import InvalidInputError
from forklake.sql.spark_view import spark_view


def test_tables_are_named_with_their_schema_and_without_the_catalog() -> None:
    text = (
        "SELECT id, items.`the price` FROM Shop.main.orders o JOIN shop.items USING (id) WHERE id IN (SELECT id FROM t)"
    )
    view = spark_view(text, "shop", "shop", "stock")
    assert sorted(view.tables.values()) == [("main", "items"), ("main", "orders"), ("stock", "t")]
    as_written, translated = view.sayings
    assert as_written.of_tables.startswith(
        'SELECT id, items.`the price` FROM "main"."orders" o JOIN "main"."items" USING'
    )
    assert as_written.of_tables.endswith('(SELECT id FROM "stock"."t")')
    assert '"the price"' in translated.of_tables
    assert '"main"."items" AS "items"' in translated.of_tables
    assert "stand_in" not in translated.of_tables
    for name in view.tables:
        assert name in view.of_stand_ins
        assert all(name in saying.of_stand_ins for saying in view.sayings)


def test_tables_of_with_are_no_tables_of_the_catalog() -> None:
    view = spark_view(
        "WITH w AS (SELECT id FROM shop.main.t) SELECT id FROM w UNION SELECT id FROM w", "shop", "x", "y"
    )
    assert list(view.tables.values()) == [("main", "t")]


def test_what_the_dialects_order_otherwise_is_said_in_the_translation() -> None:
    _, translated = spark_view("SELECT a FROM shop.t ORDER BY a", "shop", "shop", "main").sayings
    assert translated.of_tables.endswith("ORDER BY a NULLS FIRST")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("SELECT a FROM other.main.t", '"other.main.t"'),
        ("SELECT a FROM t", '"t"'),
        ("SELECT a FROM shop.main.t VERSION AS OF 3", "names no version"),
        ("SELECT a FROM shop.main.t TIMESTAMP AS OF '2026-01-01'", "names no version"),
        ("DROP TABLE t", "Only one query"),
        ("SELECT a FROM", "Parser Error"),
    ],
)
def test_what_is_no_query_of_the_catalog_is_refused(text: str, message: str) -> None:
    with pytest.raises(InvalidInputError, match=message):
        spark_view(text, "shop", "spark_catalog", "default")
