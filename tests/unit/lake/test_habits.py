"""What users of PySpark, Delta and pandas are used to: columns from a text or a schema, and keys as text."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from forklake import Catalog, Lake, PartitionField
from forklake.errors import ForklakeError, InvalidInputError, NotFoundError


@pytest.fixture
def shop(tmp_path: Path) -> Iterator[Catalog]:
    with Lake(str(tmp_path / "lake.db")) as lake:
        yield lake.create_catalog("shop")


def test_a_table_is_created_from_a_text_as_in_sql(shop: Catalog) -> None:
    made = shop.create_table("t", "a INT NOT NULL, \"b c\" STRUCT(x INTEGER)[] , d VARCHAR DEFAULT 'x' -- a comment")
    assert [(one.name, one.type, one.nulls_allowed, one.default) for one in made.columns] == [
        ("a", "int32", False, None),
        ("b c", "list", True, None),
        ("d", "varchar", True, "x"),
    ]
    assert made.append([{"a": 1}]).row_count == 1


@pytest.mark.parametrize(
    "text",
    ["", "a", "a INT b INT", "a INT); DROP TABLE t; CREATE TABLE u (b INT", "a INT) PARTITIONED BY (a", "a WORD"],
)
def test_a_text_that_lists_no_columns_is_refused(shop: Catalog, text: str) -> None:
    with pytest.raises(ForklakeError):
        shop.create_table("t", text)
    assert shop.tables() == []


def test_a_table_is_created_from_an_arrow_schema(shop: Catalog) -> None:
    schema = pa.schema([pa.field("a", pa.int64()), ("b", pa.list_(pa.string())), ("c", pa.timestamp("us", "UTC"))])
    made = shop.create_table("t", schema)
    assert [(column.name, column.type) for column in made.columns] == [
        ("a", "int64"),
        ("b", "list"),
        ("c", "timestamptz"),
    ]


def test_a_table_is_created_from_what_pandas_knows_of_columns(shop: Catalog, pandas: Any) -> None:
    pd = pandas
    frame = pd.DataFrame({"a": [1, 2], "at": pd.to_datetime(["2026-01-31", "2026-02-01"]), "x": [0.5, 1.5]})
    frame["many"] = pd.Series([1, None], dtype="Int32")
    expected = [("a", "int64"), ("at", "timestamp"), ("x", "float64"), ("many", "int32")]
    by_dtypes = shop.create_table("by_dtypes", frame.dtypes)
    assert [(column.name, column.type) for column in by_dtypes.columns] == expected
    frame["day"] = [date(2026, 1, 31), None]
    by_frame = shop.create_table("by_frame", frame)
    assert [(column.name, column.type) for column in by_frame.columns] == [*expected, ("day", "date")]
    assert by_frame.rows() == [], "the rows are left out"
    with pytest.raises(InvalidInputError, match='Column "day" has the dtype "object", which can hold anything'):
        shop.create_table("t", frame.dtypes)
    with pytest.raises(InvalidInputError, match='not given as a Series of values, of which "1" is one'):
        shop.create_table("t", frame["a"])
    assert len(shop.tables()) == 2


@pytest.mark.parametrize(
    ("key", "field"),
    [
        ("id", PartitionField("id")),
        ("month(at)", PartitionField("at", "month")),
        ("Year( at )", PartitionField("at", "year")),
        ('day("a.t ""x""")', PartitionField('a.t "x"', "day")),
        ("bucket(16, id)", PartitionField("id", "bucket(16)")),
        ("epoch_hour(at)", PartitionField("at", "epoch_hour")),
        ("year(x)", PartitionField("year(x)")),
    ],
)
def test_a_partition_key_is_a_text_as_in_sql(shop: Catalog, key: str, field: PartitionField) -> None:
    columns = {"id": "BIGINT", "at": "TIMESTAMP", 'a.t "x"': "DATE", "year(x)": "INTEGER"}
    made = shop.create_table("t", columns, partition_by=[key])
    assert made.inspect.partition_by == (field,)
    made.alter.set_partitioning([])
    made.alter.set_partitioning([key])
    assert made.inspect.partition_by == (field,)


@pytest.mark.parametrize("key", ["decade(at)", "month(nope)", "bucket(0, id)", "month(at", "month()"])
def test_a_partition_key_that_is_none_is_refused(shop: Catalog, key: str) -> None:
    with pytest.raises((InvalidInputError, NotFoundError)):
        shop.create_table("t", {"id": "BIGINT", "at": "TIMESTAMP"}, partition_by=[key])


@dataclass
class Order:
    id: int
    item: str | None = None


class Sold(NamedTuple):
    id: int
    item: str | None = None


def test_rows_come_in_many_forms(shop: Catalog, tmp_path: Path) -> None:
    orders = shop.create_table("orders", "id BIGINT, item VARCHAR")
    table = pa.table({"id": [1, 2], "item": ["a", None]})
    pq.write_table(table, tmp_path / "rows.parquet")
    (tmp_path / "rows.csv").write_text("id,item\n1,a\n2,b\n")
    for rows in (
        [Order(1, "a"), Order(2)],
        [Sold(1, "a"), Sold(2)],
        [(1, "a"), (2, None)],
        table.to_batches() * 2,
        tmp_path / "rows.parquet",
        str(tmp_path / "rows.csv"),
    ):
        before = orders.count()
        done = orders.append(rows)
        assert orders.count() - before == done.row_count >= 2, rows
    assert shop.create_table("copy", rows=tmp_path / "rows.parquet").columns[1].type == "varchar"
    assert shop.create_table("made", rows=[Order(1)]).columns[0].name == "id"


@pytest.mark.parametrize("limit", [0, 10])
def test_rows_may_bring_new_columns(shop: Catalog, limit: int) -> None:
    shop.options.set("data_inlining_row_limit", limit)
    orders = shop.create_table("orders", "id BIGINT, item VARCHAR")
    orders.append([{"id": 1}])
    before = shop.head
    done = orders.append([{"ID": 2, "price": 1.5, "tags": ["a"]}], merge_schema=True)
    assert (done.row_count, done.snapshot_id) == (1, shop.head)
    assert [(column.name, column.type) for column in orders.columns] == [
        ("id", "int64"),
        ("item", "varchar"),
        ("price", "float64"),
        ("tags", "list"),
    ]
    assert len([one for one in shop.snapshots() if one.snapshot_id > before]) == 1
    with pytest.raises(InvalidInputError, match="does not have a column"):
        orders.append([{"colour": "red"}])
    with pytest.raises(InvalidInputError, match="Could not convert"):
        orders.append([{"id": "many", "colour": "red"}], merge_schema=True)
    with pytest.raises(InvalidInputError, match="by the names of columns"):
        orders.append([{"id": 3}], by_name=False, merge_schema=True)
    assert len(orders.columns) == 4
    assert orders.count() == 2


@pytest.mark.parametrize(
    ("rows", "words"),
    [
        ([(1,)], "Row 1 has 1 values, and the table 2 columns"),
        ([(1, "a"), {"id": 2}], "do not have the same keys"),
        ("rows.xlsx", 'Rows cannot be read from "rows.xlsx"'),
        ("nowhere.parquet", 'There is no file "nowhere.parquet"'),
        ([pa.record_batch({"id": [1]}), pa.record_batch({"x": [1]})], "The record batches are not alike"),
    ],
)
def test_rows_that_cannot_be_read_are_refused(shop: Catalog, rows: Any, words: str) -> None:
    orders = shop.create_table("orders", "id BIGINT, item VARCHAR")
    with pytest.raises(InvalidInputError, match=re.escape(words)):
        orders.append(rows)
    with pytest.raises(InvalidInputError, match="nothing says what its columns are called"):
        shop.create_table("made", rows=[(1, "a")])
    assert orders.count() == 0


def test_a_name_that_is_not_there_hints_at_one_that_is(shop: Catalog) -> None:
    shop.schemas.create("sales")
    orders = shop.create_table("sales.orders", "id BIGINT, item VARCHAR")
    shop.views.create("recent", "SELECT 1")
    for ask, hint in (
        (lambda: shop.table("sales.ordrs"), 'Did you mean "orders"?'),
        (lambda: shop.table("Orders"), 'Did you mean "sales.orders"?'),
        (lambda: shop.table("salse.orders"), 'Did you mean "sales"?'),
        (lambda: shop.views.get("recents"), 'Did you mean "recent"?'),
        (lambda: orders.alter.drop_column("items"), 'Did you mean "item"?'),
        (lambda: shop.table("nothing"), None),
    ):
        with pytest.raises(NotFoundError) as caught:
            ask()
        assert caught.value.hint == hint


def test_snapshots_can_be_those_of_an_author_and_the_newest(shop: Catalog) -> None:
    for number, author in enumerate(["me", "you", "me", "me"]):
        with shop.transaction(author=author) as transaction:
            transaction.create_table(f"t{number}", {"i": "INTEGER"})
    every = shop.snapshots()
    assert shop.snapshots(limit=2) == every[-2:]
    assert [one.author for one in shop.snapshots(author="me")] == ["me"] * 3
    assert shop.snapshots(author="me", limit=1) == every[-1:]
    assert shop.snapshots(author="nobody") == []
    wrong: Any
    for wrong in (0, -1, True, "2"):
        with pytest.raises(InvalidInputError, match="The limit of a page"):
            shop.snapshots(limit=wrong)
