"""What users of PySpark, Delta and pandas are used to: columns from a text or a schema, and keys as text."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
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
