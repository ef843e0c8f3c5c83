"""What SET says holds, or is refused. No Spark."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from forklake import Connection, Lake
from forklake.errors import InvalidInputError, NotFoundError
from forklake.session.settings import IGNORED, SETTINGS


@pytest.fixture
def session(lake: Lake) -> Iterator[Connection]:
    with lake.create_catalog("shop").session() as session:
        session.sql("CREATE TABLE t (i INTEGER)")
        yield session


def rows(session: Connection, text: str) -> list[Any]:
    found = session.sql(text)
    assert found is not None
    return found.fetchall()


def setting(session: Connection, name: str) -> Any:
    return rows(session, f"SELECT current_setting('{name}')")[0][0]


def stored(session: Connection, lake: Lake) -> tuple[int, int]:
    """Insert a row, and return how many rows the metadata holds and how many files there are."""
    session.sql("INSERT INTO t VALUES (1)")
    table = lake.catalog("shop").table("t")
    return len(table.storage.inlined_rows()), len(table.storage.files())


def test_the_default_limit_of_inlining_counts_where_nothing_else_is_set(session: Connection, lake: Lake) -> None:
    assert stored(session, lake) == (0, 1)
    session.sql("SET ducklake_default_data_inlining_row_limit = 5")
    assert stored(session, lake) == (1, 1)
    session.sql("BEGIN")
    assert stored(session, lake) == (1, 1)
    session.sql("COMMIT")
    assert len(lake.catalog("shop").table("t").storage.inlined_rows()) == 2
    # Another session, and Python, have not been told.
    with lake.catalog("shop").session() as other:
        assert stored(other, lake) == (2, 2)
    lake.catalog("shop").table("t").append([{"i": 1}])
    assert len(lake.catalog("shop").table("t").storage.files()) == 3
    # What is set for the catalog, the lake or the table counts for more.
    lake.options.set("data_inlining_row_limit", 0)
    assert stored(session, lake) == (2, 4)
    lake.options.reset("data_inlining_row_limit")
    session.sql("CALL shop.set_option('data_inlining_row_limit', 0, table_name => 't')")
    assert stored(session, lake) == (2, 5)
    lake.catalog("shop").options.reset("data_inlining_row_limit", table="t")
    assert stored(session, lake) == (3, 5)
    session.sql("RESET ducklake_default_data_inlining_row_limit")
    assert stored(session, lake) == (3, 6)


@pytest.mark.parametrize("zone", ["UTC", "utc", "Etc/UTC", "GMT", "Zulu", "+00:00"])
def test_the_time_zone_may_be_called_utc(session: Connection, zone: str) -> None:
    session.sql(f"SET TimeZone = '{zone}'")
    assert setting(session, "TimeZone") == zone
    session.sql("RESET TimeZone")
    assert setting(session, "timezone") == "UTC"


@pytest.mark.parametrize("zone", ["America/Los_Angeles", "Europe/London", "+01:00", "nowhere"])
def test_another_time_zone_is_refused_with_what_to_do(session: Connection, zone: str) -> None:
    with pytest.raises(InvalidInputError, match=r"in UTC\. It was left as it is") as refused:
        session.sql(f"SET TimeZone = '{zone}'")
    assert "AT TIME ZONE" in str(refused.value.advice)
    assert setting(session, "TimeZone") == "UTC"


def test_settings_of_another_engine_are_taken_and_have_no_value(session: Connection) -> None:
    for name in sorted(IGNORED):
        session.sql(f"SET {name} = 1; RESET {name}; SET GLOBAL {name} = 2")
        assert setting(session, name) is None
    session.sql("PRAGMA threads = 4")
    assert rows(session, "SELECT name FROM duckdb_settings()") == [(name,) for name in sorted(SETTINGS)]


@pytest.mark.parametrize(
    "statement",
    ["SET preserve_insertion_order = 'sometimes'", "SET ducklake_default_data_inlining_row_limit = -1"],
)
def test_a_value_that_makes_no_sense_is_refused(session: Connection, statement: str) -> None:
    with pytest.raises(InvalidInputError, match="left as it is"):
        session.sql(statement)
    with pytest.raises(NotFoundError, match="unrecognized configuration parameter"):
        session.sql("SET ducklake_max_retry_counts = 1")
