"""Rows that replace those of a table, and were made of it, rest on the snapshot that they were read at."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F  # noqa: N812

import forklake
from forklake import Catalog, Lake, Transaction
from forklake.errors import CommitConflictError, ConflictError
from tests.lakes import IMPATIENT

FRESH = [(1, "a"), (2, "b")]
KEPT = [(1, "of another"), (2, "b"), (3, "of another")]


@pytest.fixture
def lake(spark: SparkSession, tmp_path: Path) -> Iterator[Lake]:
    with forklake.open(f"{tmp_path}/lake.db", data_path=f"{tmp_path}/data", spark=spark, settings=IMPATIENT) as opened:
        yield opened


@pytest.fixture
def shop(lake: Lake) -> Catalog:
    shop = lake.create_catalog("shop")
    shop.create_table("t", {"id": "INTEGER", "v": "VARCHAR"})
    shop.table("t").append([{"id": number, "v": text} for number, text in FRESH])
    shop.create_table("other", {"id": "INTEGER"})
    return shop


def others_change(shop: Catalog) -> None:
    shop.table("t").append([{"id": 3, "v": "of another"}])
    shop.table("t").update({"v": "'of another'"}, "id = 1")


def rows(reader: Catalog | Transaction) -> list[tuple[int, str]]:
    return sorted(reader.table("t").rows())


def louder(frame: DataFrame) -> DataFrame:
    return frame.select("id", F.concat("v", F.lit("!")).alias("v"))


def query(shop: Catalog, text: str) -> DataFrame:
    found = shop.sql(text)
    assert found is not None
    return found.dataframe()


FRAMES: dict[str, Callable[[Catalog], DataFrame]] = {
    "read": lambda shop: louder(shop.table("t").dataframe()),
    "joined": lambda shop: louder(shop.table("t").dataframe().join(shop.table("other").dataframe(), "id", "left")),
    "united": lambda shop: shop.table("t").dataframe().union(shop.table("t").dataframe()),
    "in a subquery": lambda shop: (
        shop.table("other")
        .dataframe()
        .sparkSession.createDataFrame([(1, "x")], "id int, v string")
        .where(F.col("id").isin([1]) & shop.table("t").dataframe().exists())
    ),
    "cached": lambda shop: shop.table("t").dataframe().cache(),
    "of SQL": lambda shop: louder(query(shop, "SELECT * FROM t ORDER BY id")),
}
VERBS: dict[str, Callable[[Catalog | Transaction, DataFrame], object]] = {
    "overwrite": lambda shop, frame: shop.table("t").overwrite(frame),
    "overwrite where": lambda shop, frame: shop.table("t").overwrite(frame.where("id = 1"), "id = 1"),
    "merge": lambda shop, frame: shop.table("t").merge(frame.dropDuplicates(["id"]), on="id"),
    "create or replace": lambda shop, frame: shop.create_table("t", rows=frame, or_replace=True),
    "SQL merge": lambda shop, frame: shop.sql(
        "MERGE INTO t USING (SELECT DISTINCT ON (id) * FROM frame) f ON t.id = f.id"
        " WHEN MATCHED THEN UPDATE SET v = f.v WHEN NOT MATCHED THEN INSERT"
    ),
    "SQL update": lambda shop, frame: shop.sql("UPDATE t SET v = f.v FROM frame f WHERE t.id = f.id"),
    "SQL create or replace": lambda shop, frame: shop.sql("CREATE OR REPLACE TABLE t AS FROM frame"),
}


@pytest.mark.parametrize("verb", VERBS.values(), ids=VERBS)
def test_what_others_did_since_a_frame_read_the_table_is_not_lost(shop: Catalog, verb: Callable[..., object]) -> None:
    frame = FRAMES["read"](shop)
    others_change(shop)
    with pytest.raises(ConflictError, match='The rows were made of table "t" as it was at snapshot'):
        verb(shop, frame)
    assert rows(shop) == KEPT
    verb(shop, FRAMES["read"](shop))
    assert "of another!" in dict(rows(shop)).values()


@pytest.mark.parametrize("make", FRAMES.values(), ids=FRAMES)
def test_whatever_is_made_of_a_table_has_read_it(shop: Catalog, make: Callable[[Catalog], DataFrame]) -> None:
    frame = make(shop)
    others_change(shop)
    with pytest.raises(ConflictError, match="nothing was written"):
        shop.table("t").overwrite(frame)
    assert rows(shop) == KEPT


def test_a_frame_that_is_older_than_a_transaction_is_refused_in_it(shop: Catalog) -> None:
    frame = FRAMES["read"](shop)
    others_change(shop)
    with shop.transaction() as work:
        with pytest.raises(ConflictError, match="another transaction has inserted into it"):
            work.table("t").overwrite(frame)
        assert rows(work) == KEPT
        work.table("t").overwrite(louder(work.table("t").dataframe()))
        own = work.table("t").dataframe()
        work.table("t").append([{"id": 9, "v": "own"}])
        work.table("t").overwrite(louder(own))
    assert rows(shop) == [(number, f"{text}!!") for number, text in KEPT]


def test_a_transaction_conflicts_with_what_came_after_its_frames(shop: Catalog) -> None:
    work = shop.transaction()
    work.table("t").overwrite(louder(work.table("t").dataframe()))
    others_change(shop)
    with pytest.raises(CommitConflictError):
        work.commit()
    assert rows(shop) == KEPT


def test_rows_of_a_moment_that_is_named_replace_what_is_there(shop: Catalog) -> None:
    then = shop.head
    others_change(shop)
    shop.table("t").overwrite(shop.at(then).table("t").dataframe())
    assert rows(shop) == FRESH


def test_what_others_did_elsewhere_is_no_conflict(shop: Catalog) -> None:
    frame = FRAMES["read"](shop)
    other = shop.table("other").dataframe()
    shop.table("other").append([{"id": 1}])
    fork = shop.fork("fork")
    fork.table("t").append([{"id": 4, "v": "elsewhere"}])
    shop.table("t").overwrite(frame)
    assert rows(shop) == [(1, "a!"), (2, "b!")]
    fork.table("t").overwrite(frame)  # as far as the frame knows, another table
    assert rows(fork) == [(1, "a!"), (2, "b!")]
    shop.table("t").append(other.selectExpr("id", "'x' AS v"))


def test_a_snapshot_that_expired_since_is_a_conflict(shop: Catalog) -> None:
    frame = FRAMES["read"](shop)
    others_change(shop)
    shop.maintenance.expire_snapshots(older_than="0 seconds")
    with pytest.raises(ConflictError, match="what happened to it since is not known any more"):
        shop.table("t").overwrite(frame)
    assert rows(shop) == KEPT


def test_frames_of_attached_catalogs_and_of_the_format_have_read_the_table(
    spark: SparkSession, tmp_path: Path, lake: Lake, shop: Catalog
) -> None:
    forklake.register(spark)
    options = {"lake": f"{tmp_path}/lake.db", "catalog": "shop", "table": "t"}
    with lake.attach(spark, catalog="shop", as_="shop_of_frames"):
        frames = [spark.table("shop_of_frames.main.t"), spark.read.format("forklake").options(**options).load()]
        then = shop.head
        others_change(shop)
        for frame in frames:
            with pytest.raises(ConflictError, match="The rows were made of"):
                shop.table("t").overwrite(frame)
            with pytest.raises(Exception, match=r"The rows were made of|Transaction conflict"):
                frame.write.format("forklake").options(**options).mode("overwrite").save()
        assert rows(shop) == KEPT
        shop.table("t").overwrite(spark.read.option("versionAsOf", then).table("shop_of_frames.main.t"))
        assert rows(shop) == FRESH
