"""A merge of files with dropped, widened, renamed and added columns is read alike by DuckDB, by Spark and by us."""

from pathlib import Path
from typing import Any

import pyarrow as pa
from pyspark.sql import SparkSession

import forklake
from forklake import Catalog, ColumnDefinition, Lake, Settings
from tests.interop.ducklake import attached, url_of
from tests.merges.row_engine import RowEngine
from tests.sound import check_sound


def append(catalog: Catalog, first: int, count: int = 6) -> None:
    """Append rows; a few are inlined."""
    table = catalog.table("t")
    keys = range(first, first + count)
    given: dict[str, Any] = {"k": pa.array(keys, pa.int64())}
    for column in table.columns[1:]:
        kind = {"int32": pa.int32(), "int64": pa.int64(), "float64": pa.float64()}.get(column.type, pa.string())
        values = [None if key % 5 == 4 else key for key in keys]
        texts = [None if value is None else f"{column.name} {value}" for value in values]
        given[column.name] = pa.array(texts if kind == pa.string() else values, kind)
    table.append(pa.table(given))


def merge_alterations(lake: Lake) -> Catalog:
    """Let two forks and their parent alter the columns of one table, write between, and merge."""
    shop = lake.create_catalog("shop")
    shop.options.set("data_inlining_row_limit", 3)
    shop.create_table("t", {"k": "BIGINT", "gone": "VARCHAR", "wide": "INTEGER", "old": "VARCHAR"})
    append(shop, 0)
    append(shop, 10, 2)
    one, other = shop.fork("one"), shop.fork("other")
    one.table("t").alter.drop_column("gone")
    one.table("t").alter.set_type("wide", "BIGINT")
    append(one, 20)
    append(one, 30, 2)
    one.table("t").update({"wide": "4000000000"}, "k IN (1, 21)")
    other.table("t").alter.rename_column("old", "new")
    other.table("t").alter.add_column(ColumnDefinition("added", "INTEGER", default="7"))
    append(other, 40)
    append(other, 50, 2)
    other.table("t").delete("k IN (2, 41)")
    other.maintenance.merge_adjacent_files()
    append(shop, 60)
    shop.table("t").alter.add_column(("ours", "DOUBLE"))
    append(shop, 70, 2)
    shop.merge(one)
    shop.merge(other)
    append(shop, 80)
    shop.maintenance.flush_inlined()
    one.refresh()
    return shop


def in_order(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return sorted(rows, key=lambda row: int(row["k"]))


def test_merged_files_are_read_alike_by_spark_and_duckdb(spark: SparkSession, tmp_path: Path) -> None:
    url = str(tmp_path / "lake.db")
    with Lake(url, data_path=tmp_path / "data", settings=Settings(engine=RowEngine())) as lake:
        shop = merge_alterations(lake)
        rows = {name: in_order(lake.catalog(name).table("t").arrow().to_pylist()) for name in ("shop", "one")}
        assert [*rows["shop"][0]] == ["k", "wide", "new", "ours", "added"]
        keys = {first + n for first in (0, 20, 40, 60, 80) for n in range(6)}
        keys |= {first + n for first in (10, 30, 50, 70) for n in range(2)}
        assert {row["k"] for row in rows["shop"]} == keys - {2, 41}
        exported = {name: lake.catalog(name).maintenance.export(tmp_path / f"{name}.ducklake").path for name in rows}
        assert shop.table("t").count() == len(rows["shop"])
        check_sound(lake)
    by_key = {row["k"]: row for row in rows["shop"]}
    assert by_key[1] == {"k": 1, "wide": 4_000_000_000, "new": "old 1", "ours": None, "added": 7}
    assert by_key[40] == {"k": 40, "wide": 40, "new": "new 40", "ours": None, "added": 40}
    for name, expected in rows.items():
        with attached(url_of(exported[name]), READ_ONLY=True) as (connection, _):
            assert in_order(connection.execute("FROM t").to_arrow_table().to_pylist()) == expected
    with forklake.open(url, spark=forklake.register(spark)) as lake:
        for name, expected in rows.items():
            frame: Any = lake.catalog(name).table("t").dataframe()
            assert in_order([row.asDict() for row in frame.collect()]) == expected
