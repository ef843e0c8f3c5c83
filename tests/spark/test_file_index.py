"""Files are read by name, whatever the name, and without being listed."""

import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import SparkSession

from forklake import Lake
from forklake.engine.spark.read.file_index import SETTING, read_parquet, url_encode
from forklake.engine.spark.read.scan import scan
from forklake.model.scan import ScanFile
from tests.spark.plans import field, physical_plan, plan, scanned, setting, values, written_by_arrow

FIELDS = [field(1, "a", "varchar")]
ROUTES = ["primed", "log", "plain"]
NAMES = [
    "plain.parquet",
    "with space.parquet",
    "100%.parquet",
    "p%20q.parquet",
    "h#x.parquet",
    "{a,b}.parquet",
    "*.parquet",
    "q?.parquet",
    "[z].parquet",
    "é日本🦆.parquet",
    "a'b\"c.parquet",
    "back\\slash.parquet",
    "ab;c,d=e+f&g@h!i~j$k(l)m.parquet",
    "|^`<>.parquet",
    "no-suffix",
]


def odd_files(directory: Path) -> list[ScanFile]:
    return [
        scanned(written_by_arrow(directory / name, {"a": [name]}), FIELDS, number, row_id_start=number)
        for number, name in enumerate(NAMES)
    ]


@pytest.mark.parametrize("route", ROUTES)
def test_odd_paths_are_read_as_they_are_and_no_other_file_with_them(
    spark: SparkSession, tmp_path: Path, route: str
) -> None:
    files = odd_files(tmp_path / "o dd%20{x,y}*é[1]?#")
    with setting(spark, forklake_fileIndex=route):
        everything = scan(spark, plan(FIELDS, *files), lineage=("rowid", "filename"))
        assert values(everything) == sorted(
            ((Path(file.path).name, file.row_id_start, file.path) for file in files), key=repr
        )
        for file in files:
            assert values(scan(spark, plan(FIELDS, file))) == [(Path(file.path).name,)]


@pytest.mark.parametrize("name", ["_hidden.parquet", ".hidden.parquet", "10:30.parquet"])
def test_files_that_hadoop_hides_or_refuses_are_read(spark: SparkSession, tmp_path: Path, name: str) -> None:
    file = scanned(written_by_arrow(tmp_path / name, {"a": ["x", "y"]}), FIELDS, inlined_deletes=(0,))
    assert values(scan(spark, plan(FIELDS, file), lineage=("file_row_number",))) == [("y", 1)]


def test_a_path_is_encoded_as_spark_encodes_it(spark: SparkSession, tmp_path: Path) -> None:
    letters = [chr(code) for code in (*range(33, 127), 0x7F, 0x85, 0xA0, 0xAD, 0xE9, 0x2028, 0x3000, 0x1F986)]
    names = [f"{number}x{letter}y" for number, letter in enumerate(letters) if letter not in "/:"]
    files = [scanned(written_by_arrow(tmp_path / name, {"a": [name]}), FIELDS) for name in names]
    frame = read_parquet(spark, files, scan(spark, plan(FIELDS)).schema)
    shown: dict[str, str] = dict(frame.selectExpr("a", "_metadata.file_name").collect())
    assert shown == {name: url_encode(name) for name in names}


@pytest.mark.parametrize("route", ROUTES)
def test_directories_named_like_partitions_add_no_columns(spark: SparkSession, tmp_path: Path, route: str) -> None:
    files = [
        scanned(written_by_arrow(tmp_path / f"a={name}" / "k=1" / f"{name}.parquet", {"a": [name]}), FIELDS)
        for name in ("x", "y")
    ]
    with setting(spark, forklake_fileIndex=route):
        frame = scan(spark, plan(FIELDS, *files))
        assert (frame.columns, values(frame)) == (["a"], [("x",), ("y",)])


def test_ten_thousand_files_are_planned_without_touching_them(spark: SparkSession) -> None:
    files = [
        ScanFile(number, f"/nowhere/{number}.parquet", 1000, 1, 1, 1, fields=tuple(FIELDS))  # type: ignore[arg-type]
        for number in range(10_000)
    ]
    frame = scan(spark, plan(FIELDS, *files), columns=["a"], condition="a = 'x'")
    assert "PrimedFileIndex(10000 paths)" in physical_plan(frame)


def calls_of(action: Callable[[], object]) -> int:
    """Return how many functions are called: what something costs, on whatever machine."""
    count = 0

    def note(frame: object, event: str, argument: object) -> None:
        nonlocal count
        count += event in ("call", "c_call")

    sys.setprofile(note)
    try:
        action()
    finally:
        sys.setprofile(None)
    return count


def test_planning_looks_at_columns_that_files_share_once(spark: SparkSession) -> None:
    wide = tuple(field(number, f"c{number}", "int32") for number in range(500))
    files = [ScanFile(number, f"/nowhere/{number}", 9, 1, 1, 1, fields=wide) for number in range(5000)]  # type: ignore[arg-type]
    called = calls_of(lambda: scan(spark, plan(wide, *files), columns=["c1"]))
    print("CALLED", called)
    assert called < 100 * len(files)  # a look at each column of each file takes 500 times as many as there are files


def test_a_file_whose_size_the_metadata_lacks_is_not_passed_over(spark: SparkSession, tmp_path: Path) -> None:
    path = written_by_arrow(tmp_path / "f.parquet", {"a": ["x"]})
    file = ScanFile(1, str(path), 0, 1, 1, 1, fields=tuple(FIELDS))  # type: ignore[arg-type]
    assert values(scan(spark, plan(FIELDS, file))) == [("x",)]


def test_another_route_is_taken_where_the_first_fails(
    spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = written_by_arrow(tmp_path / "f.parquet", {"a": ["x"]})
    made = plan(FIELDS, scanned(path, FIELDS))
    # A release of Spark without the class that the first route uses.
    monkeypatch.setattr("forklake.engine.spark.read.primed_files._SOURCE", "class Nothing {}")
    monkeypatch.setattr("forklake.engine.spark.driver.compiled_java._compiled", {})
    assert spark.conf.get(SETTING, None) is None
    frame = scan(spark, made)
    assert "MetadataLogFileIndex" in physical_plan(frame)
    assert values(frame) == [("x",)]
    dirty = scanned(written_by_arrow(tmp_path / "g.parquet", {"a": ["x", "y"]}), FIELDS, inlined_deletes=(0,))
    assert values(scan(spark, plan(FIELDS, dirty), lineage=("file_row_number",))) == [("y", 1)]
    # And no place for a log.
    monkeypatch.setattr("forklake.engine.spark.read.file_index._logs", [os.fspath(tmp_path / "missing")])
    frame = scan(spark, made)
    assert "InMemoryFileIndex" in physical_plan(frame)
    assert values(frame) == [("x",)]


@pytest.mark.parametrize("is_dirty", [False, True])
def test_a_scan_of_some_columns_is_as_large_to_spark_as_one_of_its_own(
    spark: SparkSession, tmp_path: Path, is_dirty: bool
) -> None:
    def byte_count(frame: Any) -> int:
        return int(frame._jdf.queryExecution().optimizedPlan().stats().sizeInBytes())

    with Lake(f"sqlite:{tmp_path / 'lake.db'}", data_path=tmp_path / "data", spark=spark) as lake:
        texts = ", ".join(f"concat('text {number} of ', id) AS text{number}" for number in range(6))
        rows = spark.range(20_000).selectExpr("id", "cast(id AS int) AS n", f"struct({texts}) AS texts", "id AS last")
        orders = lake.create_catalog("shop").create_table("orders", rows=rows)
        if is_dirty:
            orders.delete("id % 10 = 3")
        files = spark.read.parquet(*(file.path for file in orders.storage.files()))
        for columns in (["id"], ["n", "last"], ["texts"], ["id", "n", "texts", "last"]):
            ours, theirs = byte_count(orders.dataframe(columns)), byte_count(files.select(*columns))
            assert 0.8 < ours / theirs < 1.25, (columns, ours, theirs)
