"""Files of tables that are kept sorted."""

from itertools import pairwise
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from forklake.engine.spark.write.write_rows import write
from forklake.errors import ForklakeError
from forklake.model.definitions import SortKey
from forklake.model.write import WriteOptions
from tests.spark.targets import rows_of, settings, target_at

COLUMNS = {"id": "int64", "Name": "varchar"}


@pytest.mark.parametrize("adaptive", ["true", "false"])
def test_files_follow_each_other(spark: SparkSession, tmp_path: Path, adaptive: str) -> None:
    target = target_at(tmp_path, COLUMNS, sort_keys=(SortKey('"name"', "DESC"),))
    frame = spark.range(0, 300_000, 1, 6).selectExpr("id", "lpad(id * 7919 % 300007, 40, 'x') AS name")
    with settings(spark, {"spark.sql.adaptive.enabled": adaptive}):
        files = write(frame, target)

    assert 1 <= len(files) <= 2
    ranges = []
    for file in files:
        names = [name for (name,) in rows_of(target, [file], "Name")]
        assert names == sorted(names, reverse=True)
        ranges.append((names[-1], names[0]))
    ranges.sort()
    assert all(before[1] <= after[0] for before, after in pairwise(ranges))
    assert sum(file.record_count for file in files) == 300_000


def test_rows_are_sorted_by_an_expression(spark: SparkSession, tmp_path: Path) -> None:
    target = target_at(tmp_path, COLUMNS, sort_keys=(SortKey("`id` % 10", dialect="spark"), SortKey("id")))

    files = write(spark.range(0, 100, 1, 4).selectExpr("id", "'x' AS name"), target)

    rows = [
        identity
        for file in sorted(files, key=lambda it: rows_of(target, [it], "min(id % 10)"))
        for (identity,) in rows_of(target, [file], "id")
    ]
    assert rows == sorted(range(100), key=lambda number: (number % 10, number))


def test_rows_keep_their_order_if_sorting_is_off(spark: SparkSession, tmp_path: Path) -> None:
    options = WriteOptions(sort_on_insert=False)
    target = target_at(tmp_path, COLUMNS, sort_keys=(SortKey("id", "DESC"),), options=options)

    (file,) = write(spark.range(0, 100, 1, 1).selectExpr("id", "'x' AS name"), target)

    assert rows_of(target, [file], "id") == [(number,) for number in range(100)]


def test_a_key_that_is_no_expression_is_refused(spark: SparkSession, tmp_path: Path) -> None:
    target = target_at(tmp_path, COLUMNS, sort_keys=(SortKey("nothing + 1", dialect="spark"),))

    with pytest.raises(ForklakeError, match='"nothing"'):
        write(spark.range(3).selectExpr("id", "'x' AS name"), target)

    assert not (tmp_path / "t").exists()
