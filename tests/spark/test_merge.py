"""Merging a source into a table."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa
import pytest
from pyspark.sql import SparkSession

from forklake import Catalog, ColumnDefinition, Lake, MergeDelete, MergeInsert, MergeUpdate, Table
from forklake.catalog import lookup
from forklake.catalog.fields import table_fields
from forklake.catalog.scan_plan import plan_scan
from forklake.errors import InvalidInputError, NotFoundError
from forklake.files.incoming.conform import conform, frame_of
from forklake.ops.rows.append import frame_fields
from forklake.ops.rows.merge_predicate import match_predicate
from forklake.sql.rows.row_statements import bind_merge_with
from forklake.sql.rows.row_texts import MergeClauses, merge_statement
from tests.lakes import IMPATIENT

ON = "target.id = source.id"


@pytest.fixture
def rows_lake(tmp_path: Path, spark: SparkSession) -> Iterator[Lake]:
    with Lake(f"sqlite:{tmp_path / 'lake.db'}", data_path=tmp_path / "data", spark=spark, settings=IMPATIENT) as lake:
        yield lake


@pytest.fixture
def shop(rows_lake: Lake) -> Catalog:
    """A catalog with a table of two files: the ids 0 to 2, and 3 to 5."""
    shop = rows_lake.create_catalog("shop")
    columns = [
        ColumnDefinition("id", "BIGINT"),
        ColumnDefinition("item", "VARCHAR"),
        ColumnDefinition("state", "VARCHAR", default="new", nulls_allowed=False),
    ]
    shop.create_table("orders", columns)
    for first in (0, 3):
        shop.table("orders").append([{"id": n, "item": f"item {n}"} for n in range(first, first + 3)])
    return shop


def seen(table: Table, *columns: str) -> list[tuple[Any, ...]]:
    return sorted((tuple(row) for row in table.dataframe(list(columns) or None).collect()), key=repr)


def test_the_first_thing_whose_condition_holds_is_done_with_a_row(shop: Catalog, spark: SparkSession) -> None:
    orders = shop.table("orders")
    source = spark.range(1, 9).selectExpr("id", "concat('from ', id) AS note", "id % 3 AS kind")
    changed = orders.merge(
        source,
        ON,
        matched=[
            MergeDelete(when="source.kind = 0"),
            MergeUpdate({"item": "source.note || ' to ' || target.item"}, when="source.kind = 1"),
            MergeUpdate({"state": "'seen'"}),
        ],
        not_matched=[MergeInsert({"id": "source.id", "item": "source.note"}, when="source.id <> 7"), MergeInsert()],
        not_matched_by_source=[MergeUpdate({"state": "'gone'"}, when="target.id = 0"), MergeDelete()],
    )
    assert changed.row_count == 9
    found = seen(orders, "id", "item", "state", "rowid")
    assert found[:5] == [
        (0, "item 0", "gone", 0),
        (1, "from 1 to item 1", "new", 1),
        (2, "item 2", "seen", 2),
        (4, "from 4 to item 4", "new", 4),
        (5, "item 5", "seen", 5),
    ]
    assert [row[:3] for row in found[5:]] == [(6, "from 6", "new"), (7, None, "new"), (8, "from 8", "new")]
    assert len({row[3] for row in found}) == 8


def test_a_source_is_any_frame(shop: Catalog, spark: SparkSession) -> None:
    orders = shop.table("orders")
    sources: list[Any] = [
        [{"ID": 0, "Item": "rows"}],
        pd.DataFrame({"id": [1], "item": ["pandas"]}),
        pa.table({"item": ["arrow"], "id": pa.array([2], pa.int8())}),
        spark.createDataFrame([("spark", 3)], "item string, id int"),
    ]
    for source in sources:
        assert orders.merge(source, on=["id"]).row_count == 1
    assert seen(orders, "id", "item")[:4] == [(0, "rows"), (1, "pandas"), (2, "arrow"), (3, "spark")]
    own = orders.dataframe(where="id > 3").selectExpr("id + 1 AS id", "item")
    assert orders.merge(own, on=["ID"]).row_count == 2
    assert seen(orders, "id", "item", "state")[4:] == [(4, "item 4", "new"), (5, "item 4", "new"), (6, "item 5", "new")]


def test_a_row_is_updated_by_one_row_of_the_source_only(shop: Catalog, tmp_path: Path) -> None:
    orders, head, files = shop.table("orders"), shop.head, set(tmp_path.rglob("*.parquet"))
    twice = [{"id": 1, "item": "a"}, {"id": 1, "item": "b"}, {"id": 4, "item": "c"}]
    with pytest.raises(InvalidInputError, match="The same row was updated multiple times"):
        orders.merge(twice, on=["id"])
    assert (shop.head, set(tmp_path.rglob("*.parquet"))) == (head, files)
    # Deleted twice is deleted, and rows that nothing matches are as many as the source has.
    assert orders.merge(twice, ON, matched=[MergeDelete()]).row_count == 2
    assert orders.merge([{"id": 77}, {"id": 77}, {"id": None}], on=["id"]).row_count == 3
    assert [row for (row,) in seen(orders, "id")] == [0, 2, 3, 5, 77, 77, None]


def test_a_row_that_matches_and_stays_is_not_inserted(
    shop: Catalog, spark: SparkSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    shop.create_table("t", {"id": "BIGINT", "source": "STRUCT(id BIGINT)", "target": "VARCHAR"})
    table = shop.table("t")
    table.append([{"id": n, "source": {"id": 10 + n}, "target": "old"} for n in range(4)])
    given = [{"id": n, "source": {"id": 0}, "target": "new"} for n in (1, 2, 11)]
    for source in (
        given,
        spark.createDataFrame([(1, (0,), "new"), (2, (0,), "new"), (11, (0,), "new")], table.inspect.spark_schema),
    ):
        monkeypatch.setattr("forklake.ops.rows.change_table._LARGE_ROWS", 1)
        ours = shop.fork(f"fork-{type(source).__name__}").table("t")
        changed = ours.merge(
            source,
            ON,
            matched=[MergeUpdate({"target": "source.target"}, when="target.id = 2")],
            not_matched=[MergeInsert(when="source.id > 10")],
        )
        assert changed.row_count == 2
        found = seen(ours, "id", "target", "rowid")
        assert [row[:2] for row in found] == [(0, "old"), (1, "old"), (11, "new"), (2, "new"), (3, "old")]
        assert {row[0]: row[2] for row in found if row[0] < 10} == {n: n for n in range(4)}


def test_few_merged_rows_stay_in_the_metadata(shop: Catalog, tmp_path: Path) -> None:
    shop.options.set("data_inlining_row_limit", "3")
    orders, files = shop.table("orders"), set(tmp_path.rglob("*.parquet"))
    assert (
        orders.merge(
            [{"id": 1, "item": "one"}, {"id": 10, "item": "ten"}, {"id": 11, "item": None}], on=["id"]
        ).row_count
        == 3
    )
    assert orders.merge([{"id": 10}, {"id": 10}, {"id": 4}], ON, matched=[MergeDelete()]).row_count == 2
    assert set(tmp_path.rglob("*.parquet")) == files
    assert [(row.row_id, row.values["item"]) for row in orders.storage.inlined_rows()] == [(1, "one"), (7, None)]
    assert [row for (row,) in seen(orders, "id")] == [0, 1, 11, 2, 3, 5]


@pytest.mark.parametrize(
    ("source", "on", "clauses", "message"),
    [
        ([{"id": 1}], ON, {}, "A merge needs something to do"),
        ([{"id": 1}], " ", {"matched": [MergeDelete()]}, "A merge needs a condition or keys that say which rows match"),
        ([{"id": 1}], "target.id = source.key", {"matched": [MergeDelete()]}, 'column "key" not found'),
        (
            [{"id": 1}],
            ON,
            {"matched": [MergeUpdate({"colour": "1"})]},
            'update column colour not found in table "orders"',
        ),
        ([{"id": 1}], ON, {"not_matched": [MergeInsert({"id": "target.id"})]}, '"target" not found'),
        ([{"id": 1}], ON, {"not_matched_by_source": [MergeUpdate()]}, "must say what to set"),
        ([{"id": 1}], ON, {"matched": [MergeUpdate({"state": "NULL"})]}, "NOT NULL constraint failed: orders.state"),
        ([{"id": 9, "state": None}], ON, {"not_matched": [MergeInsert()]}, "NOT NULL constraint failed: orders.state"),
        ([{"id": "x"}], ON, {"matched": [MergeDelete()]}, "Could not convert|annot"),
        (7, ON, {"matched": [MergeDelete()]}, "Rows cannot be read from"),
    ],
)
def test_what_does_not_fit_is_refused_and_leaves_nothing(
    shop: Catalog, tmp_path: Path, source: Any, on: str, clauses: dict[str, Any], message: str
) -> None:
    head, files = shop.head, set(tmp_path.rglob("*.parquet"))
    with pytest.raises((InvalidInputError, NotFoundError), match=message):
        shop.table("orders").merge(source, on, **clauses)
    assert (shop.head, set(tmp_path.rglob("*.parquet"))) == (head, files)


def test_partitioned_and_sorted_tables_are_merged_into(rows_lake: Lake, spark: SparkSession) -> None:
    shop = rows_lake.create_catalog("shop")
    columns = {"target": "BIGINT", "source": "VARCHAR", "tags": "VARCHAR[]", "key": "UUID"}
    shop.create_table("source", columns, partition_by=["source"], sort_by=["target"])
    table = shop.table("source")
    table.append([{"target": n, "source": "ab"[n % 2], "tags": [str(n)]} for n in range(6)])
    given = spark.range(4, 8).selectExpr("id AS target", "'c' AS source", "array('x', NULL) AS tags", "uuid() AS key")
    assert table.merge(given, on=["target"]).row_count == 4
    assert seen(table, "target", "source", "tags") == [
        *((n, "ab"[n % 2], [str(n)]) for n in range(4)),
        *((n, "c", ["x", None]) for n in range(4, 8)),
    ]
    assert {file.partition_values for file in table.storage.files()} == {("a",), ("b",), ("c",)}
    assert table.dataframe(where="key IS NOT NULL").count() == 4


def test_files_without_a_key_of_the_source_are_not_read(shop: Catalog) -> None:
    content, runtime = shop._content(), shop._runtime
    row = lookup.table(content, "orders")
    fields = table_fields(content, row.table_id)

    def files(source: Any, on: str = ON, **clauses: Any) -> int:
        rows = frame_of(source)
        given = frame_fields(runtime.engine, rows)
        wanted = MergeClauses(**clauses or {"matched": (MergeDelete(),)})
        merge = bind_merge_with(given, merge_statement(on, wanted, fields, given, None), "orders", fields)
        predicate = match_predicate(merge, conform(rows, merge.source, "source", by_name=False), merge.source, fields)
        return len(plan_scan(runtime.store, runtime.lake_path, content, row, predicate).files)

    assert files([{"id": 4}, {"id": 5}]) == 1
    assert files([{"id": 4}], "source.ID = (target.Id) AND (source.id > 0)") == 1
    assert files([{"id": n} for n in range(3, 1000)]) == 1
    assert files([{"id": 1}, {"id": 4}]) == 2
    assert files([{"id": 77}, {"id": None}]) == 0
    assert files(pa.table({"id": pa.array([None], pa.int64())})) == 0
    assert files([{"id": None}]) == 2  # of no type that could be compared
    assert files([{"id": 4}], f"{ON} OR target.item = 'item 0'") == 2
    assert files([{"id": 4}], "target.id = source.id + 1") == 2
    assert files([{"id": 4.0}]) == 2
    assert files([{"id": 4}], matched=(MergeDelete(),), not_matched_by_source=(MergeDelete(),)) == 2


def test_files_that_cannot_match_need_not_even_be_there(
    shop: Catalog, spark: SparkSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    orders = shop.table("orders")
    Path(orders.storage.files()[0].path).unlink()
    assert orders.merge([{"id": 4, "item": "memory"}, {"id": 50, "item": "far"}], on=["id"]).row_count == 2
    # Of a large table, Spark looks at the keys of a source first.
    monkeypatch.setattr("forklake.ops.rows.change_table._LARGE_ROWS", 1)
    source = spark.createDataFrame([(3, "spark"), (60, "farther"), (None, "none")], "id int, item string")
    assert orders.merge(source, on=["id"]).row_count == 3
    found = orders.dataframe(["id", "item"], where="id > 2").collect()
    assert sorted(map(tuple, found)) == [(3, "spark"), (4, "memory"), (5, "item 5"), (50, "far"), (60, "farther")]
