"""EXPLAIN tells which files a query reads, which it does not need, and how Spark goes about it."""

from __future__ import annotations

import pytest

from forklake import Connection
from forklake.errors import ForklakeError


def explained(session: Connection, text: str) -> str:
    found = session.sql(f"EXPLAIN {text}")
    assert found is not None
    assert found.columns == ["explain_key", "explain_value"]
    return "\n".join(value for _, value in found.fetchall())


@pytest.fixture
def sales(session: Connection) -> Connection:
    session.sql("CREATE TABLE sales (id INTEGER, amount INTEGER)")
    for start in (0, 100, 200):
        session.sql(f"INSERT INTO sales SELECT {start} + i, i FROM range(50) r(i)")
    return session


def test_files_are_counted_that_are_read_and_that_are_not(sales: Connection) -> None:
    whole = explained(sales, "SELECT sum(amount) FROM sales")
    assert 'Table "sales": Total Files Read: 3 (' in whole
    part = explained(sales, "SELECT amount FROM sales WHERE id BETWEEN 110 AND 120")
    assert 'Table "sales": Total Files Read: 1 (' in part
    assert "Files left out by statistics: 2 (" in part
    assert "== Physical Plan ==" in part
    assert "PushedFilters: [IsNotNull(id)" in part


def test_statements_that_change_something_are_explained_and_not_run(sales: Connection) -> None:
    explained = sales.sql("EXPLAIN DELETE FROM sales WHERE id > 3")
    assert explained is not None
    assert explained.fetchall()
    found = sales.sql("SELECT count(*) FROM sales")
    assert found is not None
    assert found.fetchall() == [(150,)]


def test_analyze_runs_the_query_too(sales: Connection) -> None:
    found = sales.sql("EXPLAIN ANALYZE SELECT sum(amount) FROM sales")
    assert found is not None
    ((key, plan),) = found.fetchall()
    assert key == "analyzed_plan"
    assert "== Physical Plan ==" in plan
    with pytest.raises(ForklakeError, match="Could not convert string 'x"):
        sales.sql("EXPLAIN ANALYZE SELECT CAST('x' || amount AS INTEGER) FROM sales")


def test_a_subquery_of_one_value_reads_the_rows_around_it_once(sales: Connection) -> None:
    text = "SELECT id FROM sales s WHERE amount > (SELECT 0.5 * sum(amount) FROM sales t WHERE t.id = s.amount)"
    assert explained(sales, text).count("Location: ") == 2


def test_rows_are_sorted_into_the_order_of_inserts_unless_the_session_does_not_care(sales: Connection) -> None:
    by_spark = "SELECT id + 1 FROM sales"
    assert "Sort (" in explained(sales, by_spark)
    sales.sql("SET preserve_insertion_order = false")
    assert "Sort (" not in explained(sales, by_spark)
    assert "Sort (" in explained(sales, "FROM sales ORDER BY id")
    found = sales.sql("SELECT id + 0 FROM sales LIMIT 60 OFFSET 10")
    assert found is not None
    assert len({row[0] for row in found.fetchall()}) == 60
    sales.sql("RESET preserve_insertion_order")
    assert "Sort (" in explained(sales, by_spark)
