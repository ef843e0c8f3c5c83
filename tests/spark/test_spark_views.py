"""Views of a lake that Spark makes: what is stored, what it means, and what is refused."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from pyspark.errors import AnalysisException, IllegalArgumentException, PySparkException
from pyspark.sql import SparkSession

import forklake
from forklake import Catalog, Lake

HAS_VIEWS = "CREATE VIEW needs Spark 4.2"


@pytest.fixture
def session(spark: SparkSession) -> SparkSession:
    """Give a session of its own, without views and catalogs of other tests."""
    return spark.newSession()


@pytest.fixture
def lake(tmp_path: Path, session: SparkSession) -> Iterator[Lake]:
    with forklake.open(str(tmp_path / "lake.db"), data_path=tmp_path / "data", spark=session) as opened:
        yield opened


@pytest.fixture
def shop(lake: Lake, session: SparkSession) -> Iterator[Catalog]:
    made = lake.create_catalog("shop")
    made.sql(
        """CREATE TABLE main.orders (id BIGINT, item VARCHAR, n INTEGER, x DOUBLE, at TIMESTAMPTZ, xs INTEGER[]);
        INSERT INTO main.orders VALUES (1, 'pear', 3, 0.5, '2026-01-05 10:00:00+00', [10, 20]), (2, NULL, NULL, 1.5,
        '2026-02-05 10:00:00+00', []), (3, 'plum', -4, NULL, NULL, NULL), (4, 'pear', 3, 2.5, NULL, [30]);
        CREATE TABLE main.items (item VARCHAR, price DECIMAL(8, 2)); INSERT INTO main.items VALUES ('pear', 1.25);
        CREATE SCHEMA stock"""
    )
    with lake.attach(session, catalog="shop"):
        yield made


@pytest.fixture
def views(session: SparkSession) -> None:
    """Skip what Spark can do with views since 4.2."""
    if session.version.startswith("4.1"):
        pytest.skip(HAS_VIEWS)


def rows(session: SparkSession, text: str) -> list[tuple[Any, ...]]:
    return [tuple(row) for row in session.sql(text).collect()]


ALIKE = (
    "SELECT id, item FROM shop.main.orders WHERE n > 1 AND item = 'pear' OR x IS NULL",
    "SELECT o.id, i.price FROM shop.main.orders o LEFT JOIN shop.main.items i USING (item)",
    "SELECT item, count(*) AS c, count(DISTINCT n) AS d FROM shop.main.orders GROUP BY item HAVING max(x) > 0",
    "SELECT DISTINCT item FROM shop.main.orders UNION ALL SELECT item FROM shop.main.items",
    "WITH w AS (SELECT id, n FROM shop.main.orders) SELECT id FROM w WHERE n IN (SELECT n FROM w WHERE n > 0)",
    "SELECT CASE WHEN n > 1 THEN 'many' ELSE coalesce(item, 'none') END AS k, n / 2 AS half FROM shop.main.orders",
    "SELECT `id` AS `the id` FROM shop.main.orders WHERE item LIKE 'p%'",
    "SELECT id, item FROM shop.main.orders ORDER BY item, id DESC LIMIT 3",
    "SELECT id, explode(xs) AS e FROM shop.main.orders",
)
"""Queries that Spark and DuckDB understand alike, or that can be translated."""

DIFFERENT = {
    "SELECT xs[1] AS e FROM shop.main.orders": "not the same",  # the second one to Spark, the first to DuckDB
    "SELECT sum(n) AS s FROM shop.main.orders": "BIGINT here",
    "SELECT id, rand() AS r FROM shop.main.orders": "not the same",
    "SELECT id FROM shop.main.orders WHERE item LIKE 'p\\\\_%'": "not the same",
    "SELECT id FROM shop.main.orders VERSION AS OF 3": "names no version",
    "SELECT h FROM shop.main.wide": "HUGEINT",
    "SELECT id FROM range(3)": "DuckDB",
    "SELECT a FROM spark_catalog.default.elsewhere": "of that catalog only",
    "SELECT shop.main.orders.id FROM shop.main.orders": "alias",
}
"""Queries that DuckDB does not understand, or understands otherwise."""


@pytest.mark.usefixtures("views")
def test_a_view_that_spark_makes_has_the_same_rows_for_spark_and_for_duckdb(
    session: SparkSession, shop: Catalog
) -> None:
    for number, text in enumerate(ALIKE):
        before = len(shop.snapshots())
        session.sql(f"CREATE VIEW shop.main.v{number} AS {text}")
        assert len(shop.snapshots()) == before + 1, text
        want = sorted(map(str, rows(session, text)))
        assert sorted(map(str, rows(session, f"SELECT * FROM shop.main.v{number}"))) == want, text
        found = shop.sql(f"FROM v{number}")
        assert found is not None
        assert sorted(map(str, found.fetchall())) == want, text
        assert "shop" not in shop.views.get(f"v{number}").sql, text
        assert shop.views.get(f"v{number}").dialect == "duckdb"


@pytest.mark.usefixtures("views")
def test_a_query_that_duckdb_would_understand_otherwise_makes_no_view(session: SparkSession, shop: Catalog) -> None:
    shop.sql("CREATE TABLE main.wide (h HUGEINT)")
    session.sql("CREATE TABLE spark_catalog.default.elsewhere (a INT) USING parquet")
    try:
        before = shop.head
        for text, reason in DIFFERENT.items():
            with pytest.raises(IllegalArgumentException, match=reason):
                session.sql(f"CREATE VIEW shop.main.wrong AS {text}")
        session.conf.set("spark.sql.ansi.enabled", False)  # then the same words mean something else
        with pytest.raises(IllegalArgumentException, match="not the same"):
            session.sql("CREATE VIEW shop.main.wrong AS SELECT n / 2 AS half FROM shop.main.orders")
        assert shop.head == before
    finally:
        session.sql("DROP TABLE spark_catalog.default.elsewhere")


@pytest.mark.usefixtures("views")
def test_views_are_replaced_altered_renamed_and_dropped(session: SparkSession, shop: Catalog) -> None:
    session.sql("CREATE VIEW shop.main.v AS SELECT id FROM shop.main.orders")
    session.sql("CREATE VIEW IF NOT EXISTS shop.main.v AS SELECT item FROM shop.main.orders")
    assert session.table("shop.main.v").columns == ["id"]
    session.sql(
        "CREATE OR REPLACE VIEW shop.main.v (a COMMENT 'the key', b) COMMENT 'all' TBLPROPERTIES ('team' = 'north') AS"
        " SELECT id, n FROM shop.main.orders"
    )
    made = shop.views.get("v")
    assert (made.column_aliases, made.tags) == (("a", "b"), {"comment": "all", "team": "north"})
    assert made.column_tags == {"a": {"comment": "the key"}}
    session.sql("ALTER VIEW shop.main.v SET TBLPROPERTIES ('team' = 'south', 'size' = 'big')")
    session.sql("ALTER VIEW shop.main.v UNSET TBLPROPERTIES ('size')")
    found = shop.views.get("v")
    assert (found.view_id, found.column_aliases, found.column_tags) == (
        made.view_id,
        made.column_aliases,
        made.column_tags,
    )
    assert found.tags == {"comment": "all", "team": "south"}
    session.sql("ALTER VIEW shop.main.v AS SELECT item FROM shop.main.orders")
    assert shop.views.get("v").tags == found.tags
    session.sql("ALTER VIEW shop.main.v RENAME TO shop.main.w")
    assert rows(session, "SHOW VIEWS IN shop.main") == [("main", "w", False)]
    assert [row[1] for row in rows(session, "SHOW TABLES IN shop.main")] == ["items", "orders", "w"]
    assert session.catalog.getTable("shop.main.w").tableType == "VIEW"
    session.sql("USE shop.stock")
    session.sql("CREATE VIEW over AS SELECT item FROM shop.w WHERE item > 'pf'")
    session.sql("CREATE VIEW main.twice AS SELECT item FROM over")
    assert rows(session, "SELECT * FROM shop.main.twice") == [("plum",)]
    assert rows(session, f"SELECT count(*) FROM shop.main.w VERSION AS OF {shop.head}") == [(4,)]
    for view in ("main.w", "stock.over", "main.twice"):
        session.sql(f"DROP VIEW shop.{view}")
    session.sql("DROP VIEW IF EXISTS shop.main.w")
    assert shop.views.list() == []
    session.sql("USE spark_catalog.default")


@pytest.mark.usefixtures("views")
def test_tables_and_views_are_not_taken_for_each_other(session: SparkSession, shop: Catalog, lake: Lake) -> None:
    session.sql("CREATE VIEW shop.main.v AS SELECT id FROM shop.main.orders")
    shop.views.create("broken", "SELECT gone FROM nothing")
    before = shop.head
    for text in (
        "CREATE VIEW shop.main.v AS SELECT n FROM shop.main.orders",
        "CREATE VIEW shop.main.orders AS SELECT item FROM shop.main.items",
        "CREATE OR REPLACE VIEW shop.main.orders AS SELECT item FROM shop.main.items",
        "CREATE TABLE shop.main.v (id INT)",
        "CREATE VIEW shop.none.v AS SELECT id FROM shop.main.orders",
        "ALTER VIEW shop.main.orders AS SELECT item FROM shop.main.items",
        "ALTER VIEW shop.main.none AS SELECT item FROM shop.main.items",
        "ALTER VIEW shop.main.v RENAME TO shop.main.orders",
        "DROP VIEW shop.main.orders",
        "DROP VIEW shop.main.none",
        "DROP TABLE shop.main.v",
        "TRUNCATE TABLE shop.main.v",
    ):
        with pytest.raises(AnalysisException):
            session.sql(text)
    for text in ("INSERT INTO shop.main.v VALUES (1)", "UPDATE shop.main.v SET id = 1"):
        with pytest.raises(IllegalArgumentException, match="is a view"):
            session.sql(text)
    for text, message in {
        "ALTER VIEW shop.main.v RENAME TO shop.stock.v": "stays in its schema",
        "CREATE VIEW shop.main.w WITH SCHEMA BINDING AS SELECT id FROM shop.main.orders": "SCHEMA BINDING",
    }.items():
        with pytest.raises(IllegalArgumentException, match=message):
            session.sql(text)
    with lake.attach(session, catalog="shop", as_="fixed", read_only=True):
        for text in ("CREATE VIEW fixed.main.w AS SELECT id FROM fixed.main.orders", "DROP VIEW fixed.main.v"):
            with pytest.raises(IllegalArgumentException, match="read-only"):
                session.sql(text)
    assert shop.head == before
    session.sql("DROP VIEW shop.main.broken")
    assert [view.name for view in shop.views.list()] == ["v"]


def test_spark_without_views_of_catalogs_says_what_can_make_them(session: SparkSession, shop: Catalog) -> None:
    if not session.version.startswith("4.1"):
        pytest.skip("Spark makes views of catalogs since 4.2")
    shop.views.create("v", "SELECT id FROM orders")
    assert rows(session, "SELECT count(*) FROM shop.main.v") == [(4,)]
    for text in (
        "CREATE VIEW shop.main.w AS SELECT id FROM shop.main.orders",
        "ALTER VIEW shop.main.v AS SELECT id FROM shop.main.orders",
        "DROP VIEW shop.main.v",
        "SHOW VIEWS IN shop.main",
    ):
        with pytest.raises(PySparkException, match=r"Spark 4\.2 can"):
            session.sql(text)
