"""What a text may become is limited, in sessions without limits too; what is written in full is not."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import forklake
from forklake import Catalog, Settings
from forklake.engine import text_budget
from forklake.errors import LimitError


@pytest.fixture
def catalog(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Catalog]:
    monkeypatch.setattr(text_budget, "_MOST_NODES", 3_000)
    with forklake.open(str(tmp_path / "lake.db"), settings=Settings(engine="local")) as lake:
        catalog = lake.create_catalog("c")
        catalog.sql("CREATE TABLE t (i INTEGER); INSERT INTO t VALUES (1), (2)")
        yield catalog


def rows(catalog: Catalog, text: str) -> list[Any]:
    found = catalog.sql(text)
    assert found is not None
    return found.rows()


def test_views_that_double_are_refused_when_they_are_made(catalog: Catalog) -> None:
    catalog.sql("CREATE VIEW v0 AS FROM t")
    for i in range(1, 4):
        catalog.sql(f"CREATE VIEW v{i} AS FROM v{i - 1} UNION ALL FROM v{i - 1}")
    assert rows(catalog, "SELECT count(*) FROM v2") == [(8,)]
    with pytest.raises(LimitError, match="more than 3,000 nodes") as error:
        catalog.sql("CREATE VIEW v4 AS FROM v3 UNION ALL FROM v3")
    assert error.value.limit == "nodes"
    with pytest.raises(LimitError, match="nodes"):
        catalog.sql("DESCRIBE SELECT * FROM v3 a, v3 b, v3 c")


def test_macros_and_structs_that_double_are_refused(catalog: Catalog) -> None:
    catalog.sql("CREATE MACRO m0(x) AS x + x")
    for i in range(1, 20):
        catalog.sql(f"CREATE MACRO m{i}(x) AS m{i - 1}(m{i - 1}(x))")
    with pytest.raises(LimitError, match="nodes"):
        catalog.sql("SELECT m19(1)")
    doubled = ", ".join(f"c{i} AS (SELECT {{'a': s, 'b': s}} AS s FROM c{i - 1})" for i in range(1, 20))
    with pytest.raises(LimitError, match="nodes"):
        catalog.sql(f"WITH c0 AS (SELECT 1 AS s), {doubled} SELECT s FROM c19")


@pytest.mark.slow
def test_what_is_written_in_full_is_not_refused(catalog: Catalog) -> None:
    numbers = range(4_000)
    values = ", ".join(f"({i}, 'x{i}')" for i in numbers)
    listed = ", ".join(map(str, numbers))
    named = ", ".join(f"i + {i} AS c{i}" for i in range(1_500))
    for text, expected in (
        (f"SELECT count(*) FROM (VALUES {values})", 4_000),
        (f"SELECT count(*) FROM t WHERE i IN ({listed})", 2),
        (f"SELECT count(*) FROM (SELECT {named} FROM t)", 2),
    ):
        assert rows(catalog, text) == [(expected,)]
    catalog.sql(f"CREATE TABLE wide ({', '.join(f'c{i} INTEGER' for i in range(1_500))}); SELECT * FROM wide")


@pytest.mark.slow
def test_an_error_that_a_limit_caused_is_the_limit(catalog: Catalog) -> None:
    # Whether a value is a key of the groups is tried by binding it.
    long = " + ".join(["i"] * 2_900)
    with pytest.raises(LimitError, match="nodes"):
        catalog.sql(f"SELECT {', '.join([long] * 2)} FROM (FROM t UNION ALL FROM t) GROUP BY i + 1, i + 2")


@pytest.mark.parametrize(
    "grouping",
    ["CUBE (a, b, c, d, e, f, g, h, a + 1, b + 1, c + 1, d + 1, e + 1)", "a, " + ", ".join(["ROLLUP (a, b)"] * 9)],
)
def test_too_many_grouping_sets_are_not_made(catalog: Catalog, grouping: str) -> None:
    columns = ", ".join(f"i AS {letter}" for letter in "abcdefgh")
    with pytest.raises(LimitError, match="4,096 are the most") as error:
        catalog.sql(f"SELECT count(*) FROM (SELECT {columns} FROM t) GROUP BY {grouping}")
    assert error.value.limit == "grouping sets"
