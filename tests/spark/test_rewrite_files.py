"""Files that Spark wrote, and that its tasks write again in other types."""

from dataclasses import replace
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyspark.sql import SparkSession

from forklake.engine.spark.write import merge_files, rewrite_files
from forklake.engine.spark.write.write_rows import write
from forklake.errors import DataFileError, InvalidInputError
from forklake.files.parquet.rewrite_file import Rewriting
from forklake.model.file_merge import FileMerge
from forklake.model.ids import DataFileId, SnapshotId
from forklake.model.scan import ScanFile, ScanPlan
from forklake.model.write import WriteTarget
from tests.spark.targets import fields_of, target_at

OLD = {"id": "int64", "d": "decimal(8,2)", "l": ["float32"], "s": {"flag": "boolean"}, "at": "timestamp_ms"}
NEW = {"id": "decimal(22,3)", "d": "float64", "l": ["float64"], "s": {"flag": "int32"}, "at": "timestamp"}
ROWS = (
    "SELECT id, CAST(id / 4 AS DECIMAL(8,2)) AS d, array(CAST(0.1 AS FLOAT), NULL) AS l,"
    " named_struct('flag', id % 2 = 0) AS s, TIMESTAMP '2020-01-01 00:00:00.123' AS at FROM range(0, 10, 1, 3)"
)


def written(spark: SparkSession, target: WriteTarget, query: str) -> list[Rewriting]:
    files = write(spark.sql(query), target)
    return [
        Rewriting(
            ScanFile(
                DataFileId(number),
                target.directory + file.path,
                file.file_size_bytes,
                file.record_count,
                SnapshotId(1),
                SnapshotId(1),
                fields=target.fields,
            ),
            target.fields,
            is_partitioned=False,
        )
        for number, file in enumerate(files)
    ]


def test_tasks_write_files_again_one_for_one_in_the_new_types(spark: SparkSession, tmp_path: Path) -> None:
    target = target_at(tmp_path, OLD)
    old = written(spark, replace(target, options=replace(target.options, per_thread_output=True)), ROWS)
    assert len(old) == 3
    new = rewrite_files.rewrite_files(spark, old, replace(target, fields=fields_of(NEW)))
    for before, after in zip(old, new, strict=True):
        was, rows = pq.read_table(before.file.path), pq.read_table(target.directory + after.path)
        assert after.record_count == rows.num_rows == was.num_rows
        assert [int(value) for value in rows["id"].to_pylist()] == was["id"].to_pylist()
        assert rows["d"].to_pylist() == [number / 4 for number in was["id"].to_pylist()]
        assert rows["l"].to_pylist() == [[0.10000000149011612, None]] * rows.num_rows
        assert rows["s"].to_pylist() == [{"flag": int(one["flag"])} for one in was["s"].to_pylist()]
        assert [value.microsecond for value in rows["at"].to_pylist()] == [123_000] * rows.num_rows
        assert after.column_stats["d"].max_value == str(max(rows["d"].to_pylist()))
        assert after.mapping is not None


def test_a_value_that_does_not_fit_leaves_no_new_file(spark: SparkSession, tmp_path: Path) -> None:
    target = target_at(tmp_path, {"at": "timestamp"})
    old = written(spark, target, "SELECT TIMESTAMP '9999-01-01 00:00:00' AS at")
    with pytest.raises(InvalidInputError, match='column "at"'):
        rewrite_files.rewrite_files(spark, old, replace(target, fields=fields_of({"at": "timestamp_ns"})))
    assert [str(path) for path in tmp_path.rglob("*.parquet")] == [one.file.path for one in old]


@pytest.mark.parametrize("verb", ["rewrite", "merge"])
def test_a_task_that_runs_on_when_the_write_is_over_writes_nothing(
    spark: SparkSession, tmp_path: Path, verb: str
) -> None:
    target = target_at(tmp_path, {"id": "int64"})
    old = written(spark, target, "SELECT 1L AS id")
    merge = FileMerge(ScanPlan("t", target.fields, tuple(one.file for one in old)))
    over = f"{target.directory}write-1/"
    late = rewrite_files._task(old, target, over) if verb == "rewrite" else merge_files._task([merge], target, over)
    with pytest.raises(DataFileError, match="was not written"):
        list(late([pa.record_batch({"number": [0]})]))
    assert [str(path) for path in tmp_path.rglob("*.parquet")] == [one.file.path for one in old]
    assert not Path(over).exists()
    Path(over).mkdir()
    assert len(list(late([pa.record_batch({"number": [0]})]))) == len(list(Path(over).iterdir())) == 1
