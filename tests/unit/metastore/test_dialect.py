"""SQL is written once; each database gets it in its own words."""

from datetime import UTC, datetime, timedelta, timezone

import pytest

from forklake.metastore import duckdb, postgres_dialect, sqlite
from forklake.metastore.dialect import Dialect

ALL = [sqlite.DIALECT, duckdb.DIALECT, postgres_dialect.DIALECT]


def test_one_statement_in_three_dialects() -> None:
    sql = "SELECT a FROM forklake.t WHERE fold(name) = fold(:name) AND id IN (:ids...) AND x = :x"
    params = {"name": "N", "ids": [1, 2], "x": 3}
    assert sqlite.DIALECT.render(sql, params) == (
        "SELECT a FROM forklake_t WHERE lower(name) = lower(:name)"
        " AND id IN (SELECT value FROM json_each(:ids)) AND x = :x",
        {"name": "N", "ids": "[1, 2]", "x": 3},
    )
    text, values = postgres_dialect.DIALECT.render(sql, params)
    assert text == (
        'SELECT a FROM forklake.t WHERE lower((name) COLLATE "C") = lower((%(name)s) COLLATE "C")'
        " AND id = ANY(%(ids)s) AND x = %(x)s"
    )
    assert values == {"name": "N", "ids": [1, 2], "x": 3}
    text, values = duckdb.DIALECT.render(sql, params)
    assert text.startswith("SELECT a FROM forklake.t WHERE translate(name, 'ABC")
    assert text.endswith("AND id IN (SELECT unnest($ids)) AND x = $x")


@pytest.mark.parametrize("dialect", ALL, ids=lambda dialect: dialect.name)
def test_what_is_not_asked_for_is_not_handed_over(dialect: Dialect) -> None:
    _, values = dialect.render("SELECT :a", {"a": 1, "b": 2})
    assert values == {"a": 1}


@pytest.mark.parametrize("dialect", ALL, ids=lambda dialect: dialect.name)
def test_text_in_quotes_stays_as_it_is(dialect: Dialect) -> None:
    text, values = dialect.render("SELECT ':a forklake. fold(x)', x::bigint", {})
    assert text == "SELECT ':a forklake. fold(x)', x::bigint"
    assert values == {}


def test_a_parameter_that_is_missing_is_an_error() -> None:
    with pytest.raises(KeyError):
        sqlite.DIALECT.render("SELECT :a", {})


def test_times_in_sqlite_are_text_that_sorts_as_time() -> None:
    east = datetime(2024, 1, 1, 1, 30, tzinfo=timezone(timedelta(hours=2)))
    west = datetime(2023, 12, 31, 23, 30, 0, 5, tzinfo=UTC)
    written = [sqlite.format_time(east), sqlite.format_time(west)]
    assert written == ["2023-12-31 23:30:00.000000+00", "2023-12-31 23:30:00.000005+00"]
    assert [sqlite.parse_time(text) for text in written] == [east, west]
    assert sqlite.format_time(datetime(999, 1, 1, tzinfo=UTC)) < written[0]
