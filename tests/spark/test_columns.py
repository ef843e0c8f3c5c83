"""Columns of Spark as conditions and values, in the verbs of a table."""

from collections.abc import Iterator
from datetime import UTC, date, datetime
from functools import reduce
from operator import or_
from pathlib import Path

import pytest
from pyspark.sql import SparkSession
from pyspark.sql import functions as F  # noqa: N812 - what everybody calls it

from forklake import Lake, MergeDelete, MergeInsert, MergeUpdate, Table
from forklake.errors import InvalidInputError
from forklake.model.expression import Constant, FunctionCall, NamedColumn
from forklake.ops.lakes.runtime import setup_of
from tests.lakes import IMPATIENT


@pytest.fixture
def orders(tmp_path: Path, spark: SparkSession) -> Iterator[Table]:
    with Lake(f"sqlite:{tmp_path / 'lake.db'}", data_path=tmp_path / "data", spark=spark, settings=IMPATIENT) as lake:
        shop = lake.create_catalog("shop")
        made = shop.create_table("orders", {"id": "INTEGER", "item": "VARCHAR", "day": "DATE"})
        made.append([{"id": n, "item": f"item {n}", "day": date(2026, 1, n)} for n in range(1, 6)])
        yield made


def ids(table: Table) -> list[int]:
    return sorted(row[0] for row in table.rows(["id"]))


def test_columns_are_conditions_and_values_in_every_verb(orders: Table) -> None:
    assert {row.id for row in orders.dataframe("id", F.col("day") >= date(2026, 1, 4)).collect()} == {4, 5}
    assert orders.rows(["id"], (F.col("id") > 1) & F.col("item").isin("item 1", "item 2")) == [(2,)]
    assert orders.count(~F.col("item").startswith("item")) == 0
    assert orders.inspect.plan(F.col("id") > 100).file_count == 0, "files are left out by statistics"
    assert orders.delete(F.col("id").isin([])).row_count == 0
    assert orders.count(~F.col("id").isin([])) == 5
    assert orders.count(reduce(or_, [F.col("id") == n for n in range(4, 1100)])) == 2
    assert orders.delete(F.col("id").between(4, 5)).row_count == 2
    assert orders.update({"item": F.upper("item"), "id": F.col("id") * 10}, where=F.col("id") == 3).row_count == 1
    assert orders.rows(["id", "item"], "id = 30") == [(30, "ITEM 3")]
    new = [{"id": 1, "item": "one", "day": None}, {"id": 7, "item": "seven", "day": None}]
    orders.merge(
        new,
        F.col("target.id") == F.col("source.id"),
        matched=[MergeUpdate({"item": F.lower("source.item")}, when=F.col("target.id") < 5)],
        not_matched=[MergeInsert({"id": F.col("source.id") + 1})],
        not_matched_by_source=[MergeDelete(when=F.col("target.id") == 30)],
    )
    assert ids(orders) == [1, 2, 8]
    orders.overwrite([{"id": 9, "item": None, "day": None}], F.col("item").isNull())
    assert ids(orders) == [1, 2, 9]


def test_what_a_column_says_is_read_as_values(orders: Table, spark: SparkSession) -> None:
    engine = setup_of(spark=spark).engine
    assert engine.expression("id > 1") is None
    assert engine.expression(3) is None
    assert engine.expression(F.col("s.`x.y`")) == NamedColumn(("s", "x.y"))
    assert engine.expression(F.lit(date(2026, 1, 31))) == Constant(date(2026, 1, 31))
    moment = datetime(2026, 1, 31, 12, 0, 0, 250_000, tzinfo=UTC)
    assert engine.expression(F.lit(moment)) == Constant(moment)
    compared = FunctionCall("=", (NamedColumn(("id",)), Constant(3)))
    assert engine.expression(F.col("id") == 3) == compared
    for refused, word in (
        (F.col("id").cast("string") == "3", "a cast"),
        (F.expr("id > 1"), "a text of Spark SQL"),
        (F.when(F.col("id") > 1, 2), "a case"),
        (F.col("id").desc(), "an order"),
        (orders.dataframe()["id"] == 3, "a column of a frame"),
    ):
        with pytest.raises(InvalidInputError, match=f"as a condition or a value: there is {word} in it; nothing was"):
            engine.expression(refused)
    with pytest.raises(InvalidInputError, match='The function "rlike" of a Column is not read; nothing was done'):
        orders.delete(F.col("item").rlike("a"))
    assert orders.count() == 5


@pytest.mark.usefixtures("local_clock")
def test_a_datetime_is_a_time_of_the_local_clock_beside_a_timestamp(tmp_path: Path, spark: SparkSession) -> None:
    midnight, before = datetime.fromisoformat("2024-01-01"), datetime.fromisoformat("2023-12-31 23:00")
    with Lake(f"sqlite:{tmp_path / 'lake.db'}", data_path=tmp_path / "data", spark=spark, settings=IMPATIENT) as lake:
        shop = lake.create_catalog("shop")
        made = shop.create_table("t", {"id": "INTEGER", "ts": "TIMESTAMP", "tz": "TIMESTAMPTZ", "day": "DATE"})
        made.append(
            [
                {"id": 1, "ts": midnight, "tz": midnight.replace(tzinfo=UTC), "day": midnight.date()},
                {"id": 2, "ts": before, "tz": before.replace(tzinfo=UTC), "day": before.date()},
            ]
        )
        for name, found in (("ts", 1), ("tz", 2), ("day", 1)):
            for said in (
                F.col(name) == midnight,
                F.col(name).isin([midnight]),
                F.col(name).between(midnight, midnight),
            ):
                assert made.rows(["id"], said) == [(found,)]
                assert [tuple(row) for row in made.dataframe("id", said).collect()] == [(found,)]
        assert made.inspect.plan(F.col("ts") > midnight.replace(minute=30)).file_count == 0
        assert made.update({"ts": F.lit(midnight), "tz": F.lit(midnight)}, where=F.col("ts") == before).row_count == 1
        assert made.rows(["ts", "tz"], "id = 2") == [(midnight, before.replace(tzinfo=UTC))]
        assert made.delete((F.col("ts") == midnight) & (F.col("tz") == midnight)).row_count == 1
        assert ids(made) == [1]
        with pytest.raises(InvalidInputError, match="before the year 1 or after 9999"):
            made.delete(F.col("ts") > datetime.fromisoformat("0001-01-01"))
