"""The rows of a diff as a DataFrame: they are those that this process reads, and what both share is not read."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import DataFrame, SparkSession

from forklake import Catalog, Diff, Lake, RowCounts
from forklake.engine.local.row_differences import read_differences
from forklake.lake.internals import runtime_of, version_of
from forklake.ops.diffing.diff_catalogs import plan_differences
from tests.lakes import IMPATIENT


@pytest.fixture
def rows_lake(tmp_path: Path, spark: SparkSession) -> Iterator[Lake]:
    with Lake(f"sqlite:{tmp_path / 'lake.db'}", data_path=tmp_path / "data", spark=spark, settings=IMPATIENT) as lake:
        yield lake


@pytest.fixture
def shop(rows_lake: Lake) -> Catalog:
    """A catalog with a table of two files."""
    shop = rows_lake.create_catalog("shop")
    shop.create_table("t", {"id": "BIGINT", "v": "VARCHAR", "rowid": "INTEGER", "change_type": "STRUCT(a INTEGER)"})
    for first in (0, 100):
        rows = [{"id": first + n, "v": "a", "rowid": 7, "change_type": {"a": n}} for n in range(100)]
        shop.table("t").append(rows)
    return shop


def told(frame: DataFrame) -> list[tuple[Any, ...]]:
    return sorted(tuple(row) for row in frame.collect())


def read_here(before: Catalog, after: Catalog) -> list[tuple[Any, ...]]:
    table = after.table("t").table_id
    plan = plan_differences(runtime_of(before), version_of(before), version_of(after), table)
    found = read_differences(plan.before, plan.after)
    columns = [column.to_pylist() for column in found.columns]
    return sorted((*row[:-1], tuple(row[-1].values())) for row in zip(*columns, strict=True))


def files_read(frame: DataFrame) -> set[str]:
    return {path.rpartition("/")[2] for path in frame.inputFiles()}


def test_rows_are_those_that_this_process_reads(shop: Catalog) -> None:
    agent = shop.fork("agent")
    table = agent.table("t")
    table.delete("id IN (3, 5)")  # positions in the metadata
    table.delete("id BETWEEN 10 AND 49")  # a delete file
    table.update({"v": "'b'"}, "id IN (60, 61)")
    table.update({"v": "'c'"}, "id BETWEEN 70 AND 99")
    table.append([{"id": 200, "v": "new", "rowid": 8, "change_type": {"a": 1}}])
    shop.table("t").delete("id = 4")
    for before, after in ((shop, agent), (agent, shop)):
        diff = before.diff(after)
        rows = told(diff.rows("t"))
        # A struct of Spark is a tuple, too.
        assert [(*row[:-1], tuple(row[-1])) for row in rows] == read_here(before, after)
        kinds = [row[0] for row in rows]
        counts = RowCounts(kinds.count("insert"), kinds.count("delete"), kinds.count("update_postimage"))
        assert counts == diff.count_rows("t")
    assert counts == RowCounts(inserted=42, deleted=2, updated=32)


def test_spark_opens_no_file_that_both_share(shop: Catalog) -> None:
    agent = shop.fork("agent")
    agent.table("t").delete("id = 103")
    agent.table("t").append([{"id": n, "v": "a", "rowid": 7, "change_type": {"a": 1}} for n in range(300, 400)])
    shared, changed = (Path(file.path).name for file in shop.table("t").storage.files())
    diff = shop.diff(agent)
    names = files_read(diff.rows("t"))
    assert shared not in names
    assert changed in names
    assert names == {Path(path).name for path in diff.plan("t").paths}


def test_a_compaction_and_a_flush_move_rows_and_change_none(shop: Catalog) -> None:
    agent = shop.fork("agent")
    agent.table("t").append([{"id": 200, "v": "new", "rowid": 8, "change_type": {"a": 1}}])
    before = shop.diff(agent)
    rows = told(before.rows("t"))
    agent.maintenance.flush_inlined()
    agent.maintenance.merge_adjacent_files()
    after: Diff = shop.diff(agent)
    assert after.table("t").files_removed
    assert told(after.rows("t")) == rows
    assert after.count_rows("t") == RowCounts(inserted=1)
