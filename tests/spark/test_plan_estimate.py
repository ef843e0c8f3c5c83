"""What is little work by its plan, and that it is written as anything else is."""

from collections import Counter
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F  # noqa: N812

from forklake.engine.spark.driver.plan_estimate import is_little_work
from forklake.engine.spark.write import file_layout
from forklake.engine.spark.write.write_rows import write
from forklake.model.definitions import SortKey
from forklake.model.write import PartitionKey
from tests.spark.targets import target_at


def is_little(frame: DataFrame) -> bool:
    return is_little_work(frame, most_bytes=2**20, most_file_bytes=2**18)


def test_rows_in_memory_ranges_and_small_files_are_little_work(spark: SparkSession, tmp_path: Path) -> None:
    pq.write_table(pa.table({"id": list(range(100))}), tmp_path / "few.parquet")
    few = spark.range(1000)
    files = spark.read.parquet(str(tmp_path / "few.parquet"))
    in_memory = spark.createDataFrame(pa.table({"id": [1, 2]}))
    for frame in (few.where("id > 3").selectExpr("id * 2"), files, in_memory, few.union(files).limit(7)):
        assert is_little(frame), frame


def test_what_may_take_long_or_is_large_is_no_little_work(spark: SparkSession, tmp_path: Path) -> None:
    pq.write_table(pa.table({"id": list(range(100_000))}), tmp_path / "many.parquet", compression="none")
    few = spark.range(1000)
    slow = F.udf(lambda value: value, "bigint")
    for frame in (
        spark.range(1_000_000),
        spark.read.parquet(str(tmp_path / "many.parquet")),
        few.join(few.selectExpr("id AS other"), F.expr("id < other")),
        few.groupBy("id").count(),
        few.select(slow("id")),
        few.selectExpr("explode(sequence(0, id))"),
        few.repartition(3),
        spark.sparkContext.parallelize([(1,)]).toDF(["id"]),
    ):
        assert not is_little(frame), frame


@pytest.mark.parametrize("is_sorted", [False, True])
def test_little_work_is_written_by_one_job_into_the_files_of_any_other(
    spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, is_sorted: bool
) -> None:
    keys = (SortKey("n", "DESC", "NULLS_LAST"),) if is_sorted else ()
    rows = spark.range(0, 3000, 1, 3).selectExpr("cast(id % 7 AS int) AS k", "id AS n")
    written = []
    for few_bytes, jobs in ((32 * 2**20, 1), (0, 2)):
        monkeypatch.setattr(file_layout, "_FEW_BYTES", few_bytes)
        target = target_at(
            tmp_path / str(jobs), {"k": "int32", "n": "int64"}, partition_keys=(PartitionKey("k"),), sort_keys=keys
        )
        group = f"writing {jobs} {is_sorted}"
        spark.sparkContext.setJobGroup(group, "")
        try:
            files = write(rows, target)
            found = spark.sparkContext.statusTracker().getJobIdsForGroup(group)
        finally:
            spark.sparkContext.setLocalProperty("spark.jobGroup.id", None)  # type: ignore[arg-type]
        assert len(found) == jobs
        read = {file.partition_values: pq.read_table(target.directory + file.path) for file in files}
        assert len(read) == len(files) == 7, "one file for each value"
        if is_sorted:
            assert all(table["n"].to_pylist() == sorted(table["n"].to_pylist())[::-1] for table in read.values())
        written.append({values: Counter(table["n"].to_pylist()) for values, table in read.items()})
    assert written[0] == written[1] == {(str(k),): Counter(range(k, 3000, 7)) for k in range(7)}
