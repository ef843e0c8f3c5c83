"""Names of columns that mean something to us or to Spark while rows are computed."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

import forklake
from forklake import Catalog, Lake, PartitionField, Settings, Table

SOURCES = Path(forklake.__file__).parent
NAME = re.compile(r'"(_\w*forklake_[\w{}]+)"')
OF_SPARK = ("_metadata", "__file_source_metadata_col", "_c0")
OF_OURS = ("_forklake_deleted", "_forklake_file", "__forklake_position__", "__forklake_row_id__")


def helper_names() -> list[str]:
    """Return the names that rows have within our own plans, but for those that no table can have."""
    files = [path for part in ("engine", "spark_catalog", "model") for path in (SOURCES / part).rglob("*.py")]
    found = {name.replace("{}", "0") for path in files for name in NAME.findall(path.read_text())}
    assert "_ducklake_forklake_deleted" in found
    return sorted(name for name in found if not name.startswith("_ducklake_"))


@pytest.fixture
def shop(tmp_path: Path, spark: SparkSession) -> Iterator[Catalog]:
    url = f"sqlite:{tmp_path / 'lake.db'}"
    with Lake(url, data_path=tmp_path / "data", spark=spark, settings=Settings(engine="spark")) as lake:
        yield lake.create_catalog("shop")


@pytest.fixture(params=["files", "partitions", "a name of Spark's"])
def table(request: pytest.FixtureRequest, shop: Catalog, spark: SparkSession) -> Table:
    more = ["_tmp_metadata_row_index"] if request.param == "a name of Spark's" else []
    names = ["id", *more, *OF_SPARK, *dict.fromkeys([*OF_OURS, *helper_names()])]
    rows = spark.range(0, 8, 1, 2).selectExpr(*(f"id + {place} AS `{name}`" for place, name in enumerate(names)))
    shop.options.set("small_writes", "spark")
    keys = [PartitionField("id", "bucket(2)")] if request.param == "partitions" else []
    shop.create_table("orders", rows=rows, partition_by=keys)
    return shop.table("orders")


def seen(table: Table) -> list[list[int]]:
    """Return the first value of each row, and by how much the others are more: that is their place."""
    return [[row[0], *(value - row[0] for value in row[1:])] for row in sorted(table.dataframe().collect())]


def test_a_column_may_have_any_name_that_is_not_reserved(table: Table, shop: Catalog) -> None:
    names = [column.name for column in table.columns]
    places = list(range(1, len(names)))
    assert seen(table) == [[number, *places] for number in range(8)]
    row_ids = {row.id: row.rowid for row in table.dataframe(["id", "rowid"]).collect()}
    assert table.delete("id % 4 = 1").row_count == 2
    assert seen(table) == [[number, *places] for number in (0, 2, 3, 4, 6, 7)]
    assert table.update({name: f'"{name}" + 100' for name in names}, "id = 3").row_count == 1
    moved = table.dataframe(where="id = 7").selectExpr(*(f"`{name}` + 10 AS `{name}`" for name in names))
    assert table.merge(moved, ["id"]).row_count == 1
    expected = [[number, *places] for number in (0, 2, 4, 6, 7, 17, 103)]
    assert seen(table) == expected
    lineage = table.dataframe(["id", "rowid", "snapshot_id", "file_row_number", "filename"]).collect()
    assert {row.id % 100: row.rowid for row in lineage if row.id != 17}.items() <= row_ids.items()
    changed = table.changes(shop.head).collect()
    assert [(row.change_type, *(row[name] for name in names)) for row in changed] == [
        ("insert", *range(17, 18 + places[-1]))
    ]
    shop.maintenance.rewrite_data_files("orders", delete_threshold=0.01)
    assert seen(table) == expected
