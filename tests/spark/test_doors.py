"""Every way to rows leads to the Spark session that the lake or the SQL session was given."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

import forklake
from forklake import Catalog, Connection, Lake, Settings

TUNED = "spark.sql.shuffle.partitions"


@pytest.fixture
def given(spark: SparkSession) -> SparkSession:
    """A session that is not the active one, told by a setting."""
    made = spark.newSession()
    made.conf.set(TUNED, "3")
    return made


@pytest.fixture
def lake(given: SparkSession, tmp_path: Path) -> Iterator[Lake]:
    with forklake.open(str(tmp_path / "lake.db"), spark=given) as lake:
        shop = lake.create_catalog("shop")
        shop.create_table("t", rows=[{"i": 1}, {"i": 2}])
        yield lake


def check(connection: Connection | Catalog, given: SparkSession) -> None:
    """Look where the rows of a session come from: known ones in the session itself, queries in a copy of it."""
    known, query = connection.sql("SELECT 1 AS one"), connection.sql("SELECT sum(i) FROM t GROUP BY i % 2 ORDER BY 1")
    assert known is not None
    assert known.dataframe().sparkSession is given
    assert query is not None
    frame = query.dataframe()
    assert frame.sparkSession is not given
    assert frame.sparkSession.conf.get("spark.sql.ansi.enabled") == "true"
    assert query.fetchall() == [(1,), (2,)]


def test_sessions_of_a_lake_run_in_its_spark(lake: Lake, given: SparkSession, spark: SparkSession) -> None:
    shop = lake.catalog("shop")
    assert lake.spark is given
    assert shop.table("t").dataframe().sparkSession is given
    check(shop, given)
    with shop.session() as session:
        check(session, given)
    with lake.connect() as session:
        session.sql("ATTACH 'ducklake:' (CATALOG 'shop'); USE shop")
        check(session, given)
    with shop.transaction() as transaction:
        found = transaction.sql("SELECT 1 AS one")
        assert found is not None
        assert found.dataframe().sparkSession is given
    other = lake.using(spark)
    with other.catalog("shop").session() as session:
        check(session, spark)


def test_a_lake_that_a_session_attaches_has_the_spark_of_the_session(
    given: SparkSession, lake: Lake, tmp_path: Path
) -> None:
    with forklake.connect(given) as session:
        session.sql(f"ATTACH 'ducklake:{tmp_path / 'lake.db'}' AS shop (CATALOG 'shop'); USE shop")
        check(session, given)
        (attached,) = session._state.attachments.all()
        assert attached.lake is not lake
        assert attached.lake.spark is given


@pytest.mark.parametrize("door", ["Catalog.sql", "Catalog.session", "Lake.connect", "forklake.connect"])
def test_what_settings_say_of_spark_reaches_it_by_every_door(given: SparkSession, tmp_path: Path, door: str) -> None:
    # Of a session that is there, only settings of our own are changed.
    settings = Settings(spark={"forklake.door": door})
    path = tmp_path / "lake.db"
    attach = f"ATTACH 'ducklake:{path}' AS shop (CATALOG 'shop', CREATE_IF_NOT_EXISTS true)"
    with ExitStack() as stack:
        session: Connection | Catalog
        if door == "forklake.connect":
            session = stack.enter_context(forklake.connect(given, settings=settings))
            session.sql(attach)
        else:
            lake = stack.enter_context(forklake.open(str(path), spark=given, settings=settings))
            session = shop = lake.create_catalog("shop")
            if door != "Catalog.sql":
                session = stack.enter_context(shop.session() if door == "Catalog.session" else lake.connect())
        assert given.conf.get("forklake.door", None) is None
        found = session.sql("SELECT 1 AS one")
        assert found is not None
        assert found.dataframe().count() == 1
        assert given.conf.get("forklake.door") == door
