"""Queries in Spark's own words over tables of the lake."""

from __future__ import annotations

from typing import Any

import pytest

from forklake import Connection
from forklake.errors import InvalidInputError, NotFoundError


def rows(session: Connection, text: str) -> list[Any]:
    found = session.sql(text, dialect="spark")
    assert found is not None
    return found.fetchall()


def test_lake_tables_are_named_in_spark_sql_and_common_tables_come_first(session: Connection) -> None:
    session.sql("CREATE TABLE `x` (i INTEGER)".replace("`", '"') + "; INSERT INTO x VALUES (1), (2), (3)")
    session.sql(
        'CREATE SCHEMA s; CREATE TABLE s."my t" (i INTEGER, n VARCHAR); INSERT INTO s."my t" VALUES (2, \'two\')'
    )
    session.sql("CREATE VIEW doubled AS SELECT 2 * i AS i FROM x")

    joined = "SELECT x.i, t.n FROM x LEFT JOIN lake.s.`my t` t ON x.i = t.i ORDER BY x.i"
    assert rows(session, joined) == [(1, None), (2, "two"), (3, None)]
    shadowed = "WITH x AS (SELECT 9 AS i) SELECT i FROM x UNION ALL SELECT max(i) FROM lake.main.x ORDER BY 1"
    assert rows(session, shadowed) == [(3,), (9,)]
    assert rows(session, "SELECT size(collect_list(i)) AS n FROM doubled WHERE i NOT IN (SELECT i FROM x)") == [(2,)]
    found = session.sql("SELECT i AS `I`, current_date() > DATE'2020-01-01' AS later FROM x LIMIT 1", dialect="spark")
    assert found is not None
    assert (found.columns, found.types) == (["I", "later"], ["INTEGER", "BOOLEAN"])


def test_what_is_no_query_of_spark_is_refused(session: Connection) -> None:
    with pytest.raises(NotFoundError, match="nothing does not exist"):
        session.sql("SELECT * FROM nothing", dialect="spark")
    for text in ("DROP TABLE x", "SELECT 1; SELECT 2", "SELEC 1", ""):
        with pytest.raises(InvalidInputError):
            session.sql(text, dialect="spark")
    with pytest.raises(InvalidInputError, match="no dialect"):
        session.sql("SELECT 1", dialect="oracle")  # type: ignore[arg-type]
