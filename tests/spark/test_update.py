"""Updating rows: they keep their ids, whatever they become and wherever they go."""

from collections.abc import Iterator, Mapping
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import SparkSession

from forklake import Catalog, ColumnDefinition, Lake, MergeUpdate, PartitionField, Table
from forklake.errors import InvalidInputError, NotFoundError
from tests.lakes import IMPATIENT


@pytest.fixture
def rows_lake(tmp_path: Path, spark: SparkSession) -> Iterator[Lake]:
    with Lake(f"sqlite:{tmp_path / 'lake.db'}", data_path=tmp_path / "data", spark=spark, settings=IMPATIENT) as lake:
        yield lake


@pytest.fixture
def shop(rows_lake: Lake) -> Catalog:
    """A catalog with a table of one file: the ids 0 to 5."""
    shop = rows_lake.create_catalog("shop")
    columns = [
        ColumnDefinition("id", "TINYINT", nulls_allowed=False),
        ColumnDefinition("item", "VARCHAR"),
        ColumnDefinition("price", "DECIMAL(5,2)", default="9.50"),
    ]
    shop.create_table("orders", columns)
    shop.table("orders").append([{"id": n, "item": f"item {n}", "price": n} for n in range(6)])
    return shop


def seen(table: Table, *columns: str) -> list[tuple[Any, ...]]:
    return sorted((tuple(row) for row in table.dataframe(list(columns) or None).collect()), key=repr)


def test_values_stand_for_themselves_and_frames_can_be_limited(shop: Catalog) -> None:
    orders = shop.table("orders")
    assert orders.update({"price": Decimal("1.25"), "item": None}, "id < 2").row_count == 2
    assert seen(orders, "id", "item", "price")[:2] == [(0, None, Decimal("1.25")), (1, None, Decimal("1.25"))]
    assert orders.dataframe("id", limit=4).columns == ["id"]
    assert orders.dataframe("id", limit=4).count() == 4
    with pytest.raises(InvalidInputError, match="A limit is a number of rows"):
        orders.dataframe(limit=-1)
    made = shop.create_table("like", orders.dataframe().schema)
    assert [column.name for column in made.columns] == ["id", "item", "price"]


def test_updated_rows_keep_their_ids_and_the_others_stay_where_they_are(shop: Catalog) -> None:
    orders = shop.table("orders")
    assert orders.update({"price": "price * 2", "item": "upper(item) || ' was ' || price"}, "id >= 4").row_count == 2
    assert seen(orders, "id", "item", "price", "rowid", "snapshot_id")[3:] == [
        (3, "item 3", Decimal(3), 3, 2),
        (4, "ITEM 4 was 4.00", Decimal(8), 4, 3),
        (5, "ITEM 5 was 5.00", Decimal(10), 5, 3),
    ]
    old, new = orders.storage.files()
    assert (old.record_count, new.record_count) == (6, 2)
    assert orders.update({"item": "NULL"}).row_count == 6
    assert seen(orders, "rowid", "item") == [(n, None) for n in range(6)]
    assert sum(file.record_count for file in orders.storage.files()) == 6
    orders.append([{"id": 100}])
    assert len({row for (row,) in seen(orders, "rowid")}) == 7


def test_an_update_of_no_row_makes_no_snapshot(shop: Catalog, tmp_path: Path) -> None:
    head, files = shop.head, set(tmp_path.rglob("*.parquet"))
    assert shop.table("orders").update({"item": "'x'"}, "id = 77").row_count == 0
    assert shop.table("orders").update({"item": "'x'"}, "item = 'item 30'").row_count == 0
    assert (shop.head, set(tmp_path.rglob("*.parquet"))) == (head, files)


def test_parameters_are_values_of_all_texts_of_a_verb(shop: Catalog) -> None:
    orders = shop.table("orders")
    assert orders.update({"item": "? || item", "price": "?"}, "id = ?", parameters=["it's ", 7, 1]).row_count == 1
    (row,) = orders.dataframe(["id", "price"], "item LIKE $name", parameters={"name": "it's%"}).collect()
    assert tuple(map(int, row)) == (1, 7)
    clauses: Any = {"matched": [MergeUpdate({"item": "?"}, when="source.id > ?")], "parameters": [0, 0, "merged"]}
    assert orders.merge([{"id": 1}, {"id": 0}], "target.id = source.id + ?", **clauses).row_count == 1
    assert orders.count("item = ?", parameters=["merged"]) == 1
    assert orders.inspect.plan("id > ?", parameters=[50]).file_count == 0
    orders.overwrite([{"id": 1, "item": "again"}], "item = ?", parameters=["merged"])
    assert orders.count("item = 'again'") == 1
    assert orders.delete("id IN ($1, $2)", parameters=[1, 2]).row_count == 2


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({}, "An update must set a column"),
        ({"colour": "1"}, 'Referenced update column colour not found in table "orders"'),
        ({"item": "1", "ITEM": "2"}, 'Multiple assignments to same column "item"'),
        ({"item": object()}, "which is neither SQL text nor a value"),
        ({"item": "colour"}, 'column "colour" not found'),
        ({"id": "item"}, "Could not convert string 'item 0' to INT8"),
        ({"id": "if(id = 3, NULL, id)"}, "NOT NULL constraint failed: orders.id"),
        ({"id": "id + 125"}, "Overflow in addition of INT8"),
        ({"price": "id * 1000"}, r"Could not cast value 1000 to DECIMAL\(5,2\)"),
    ],
)
def test_what_does_not_fit_is_refused_and_leaves_nothing(
    shop: Catalog, tmp_path: Path, values: Mapping[str, Any], message: str
) -> None:
    head, files = shop.head, set(tmp_path.rglob("*.parquet"))
    with pytest.raises((InvalidInputError, NotFoundError), match=message):
        shop.table("orders").update(values)
    assert (shop.head, set(tmp_path.rglob("*.parquet"))) == (head, files)


def test_few_updated_rows_stay_in_the_metadata_with_their_ids(shop: Catalog, tmp_path: Path) -> None:
    shop.options.set("data_inlining_row_limit", "2")
    orders, files = shop.table("orders"), set(tmp_path.rglob("*.parquet"))
    orders.append([{"id": 10, "item": "in"}, {"id": 11, "item": "in"}])
    assert orders.update({"item": "'new'"}, "id IN (1, 10)").row_count == 2
    assert orders.update({"item": "item || '!'"}, "id IN (1, 11)").row_count == 2
    assert set(tmp_path.rglob("*.parquet")) == files
    assert [(row.row_id, row.values["item"]) for row in orders.storage.inlined_rows()] == [
        (1, "new!"),
        (6, "new"),
        (7, "in!"),
    ]
    assert orders.storage.files()[0].inlined_deletes == (1,)
    assert seen(orders, "id", "rowid", "item")[:2] == [(0, 0, "item 0"), (1, 1, "new!")]
    assert orders.count() == 8
    assert orders.update({"item": "'many'"}, "id IN (1, 2, 11)").row_count == 3
    assert [row.row_id for row in orders.storage.inlined_rows()] == [6]
    orders.append([{"id": 12}])
    *old, new = sorted(row for (row,) in seen(orders, "rowid"))
    assert old == list(range(8))
    assert new > 7


def test_a_row_moves_to_the_partition_it_now_belongs_to(rows_lake: Lake) -> None:
    shop = rows_lake.create_catalog("shop")
    keys: list[str | PartitionField] = ["region", PartitionField("day", "year")]
    shop.create_table("sales", {"id": "BIGINT", "region": "VARCHAR", "day": "DATE"}, partition_by=keys, sort_by=["id"])
    sales = shop.table("sales")
    sales.append([{"id": n, "region": "ns"[n % 2], "day": "2026-01-01"} for n in range(6)])
    assert sales.update({"region": "'w'", "day": "day + INTERVAL 1 YEAR"}, "region = 'n' AND id > 0").row_count == 2
    files = {file.partition_values: file.record_count for file in sales.storage.files()}
    assert files == {("n", "2026"): 3, ("s", "2026"): 3, ("w", "2027"): 2}
    assert sales.inspect.plan("region = 'w'").file_count == 1
    assert seen(sales, "id", "region", "rowid") == [
        (0, "n", 0), (1, "s", 3), (2, "w", 1), (3, "s", 4), (4, "w", 2), (5, "s", 5)
    ]  # fmt: skip


def test_columns_of_any_name_and_type_are_updated(rows_lake: Lake, spark: SparkSession) -> None:
    shop = rows_lake.create_catalog("shop")
    names = ["target", "source", "rowid", "filename", "_metadata", "a`b", 'q"x', "d.o t", "snapshot_id"]
    nested = {"tags": "VARCHAR[]", "sizes": "MAP(VARCHAR, INTEGER)", "key": "UUID", "s": "STRUCT(a INTEGER, b TIME)"}
    shop.create_table("target", {**dict.fromkeys(names, "INTEGER"), **nested})
    table = shop.table("target")
    given = {"tags": "[a, b]", "sizes": "{x=1}", "key": "00000000-0000-0000-0000-000000000001", "s": None}
    table.append([{**dict.fromkeys(names, n), **given} for n in range(3)])
    quoted = {name: '"' + name.replace('"', '""') + '"' for name in names}
    changed = {name: f"{quoted[name]} + {place}" for place, name in enumerate(names)}
    assert (
        table.update({**changed, "tags": "'[c]'", "s": "'{a: 1, b: 10:30:00}'"}, f"{quoted['a`b']} = 2").row_count == 1
    )
    found = table.dataframe(where="target = 2").first()
    assert found is not None
    assert tuple(found)[: len(names)] == tuple(2 + place for place in range(len(names)))
    assert (found["tags"], found["sizes"], found["key"]) == (["c"], {"x": 1}, given["key"])
    assert tuple(found["s"]) == (1, "10:30:00")


def test_rows_of_the_same_transaction_are_updated_and_columns_renamed_after(shop: Catalog) -> None:
    with shop.transaction() as transaction:
        orders = transaction.table("orders")
        orders.append([{"id": n, "item": "own"} for n in range(10, 13)])
        assert orders.update({"item": "item || '!'"}, "id IN (0, 10)").row_count == 2
        assert orders.update({"item": "item || '?'"}, "id IN (0, 11)").row_count == 2
        transaction.table("orders").alter.rename_column("item", "thing")
        transaction.table("orders").alter.add_column(ColumnDefinition("item", "INTEGER", default="7"))
    found = seen(shop.table("orders"), "id", "thing", "item", "rowid")
    assert found[0] == (0, "item 0!?", 7, 0)
    assert [row for row in found if row[0] >= 10] == [(10, "own!", 7, 6), (11, "own?", 7, 7), (12, "own", 7, 8)]
