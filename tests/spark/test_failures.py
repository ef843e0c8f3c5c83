"""What goes wrong in a job is told in our words, with the names of file and table."""

import os
import signal
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pyarrow as pa
import pytest
from pyspark.sql import SparkSession

from forklake import connect
from forklake.engine.collect import collect_arrow
from forklake.engine.failures import guarded, running, translated
from forklake.engine.scan import scan
from forklake.errors import DataFileError, EngineError, InvalidInputError
from tests.spark.plans import deleted, field, plan, scanned, written

FIELDS = [field(1, "a", "int32"), field(2, "b", "varchar")]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return written(tmp_path / "d ir%" / "f.parquet", "SELECT range::INTEGER AS a, 'x' || range AS b FROM range(1000)")


def fail(error: Exception) -> pa.RecordBatch:
    raise error


def task(each: Callable[[], pa.RecordBatch]) -> Callable[[Iterator[pa.RecordBatch]], Iterator[pa.RecordBatch]]:
    return lambda batches: (each() for _ in batches)


def test_a_missing_file_is_named(spark: SparkSession, path: Path) -> None:
    made = plan(FIELDS, scanned(path, FIELDS))
    frame = scan(spark, made)
    path.unlink()
    with pytest.raises(DataFileError) as caught, guarded(made):
        frame.collect()
    assert caught.value.message == f'Cannot read data file "{path}" of table "t": there is no such file.'
    assert caught.value.hint


@pytest.mark.parametrize("keep", [0, 4, 100, -20])
def test_a_truncated_file_is_named(spark: SparkSession, path: Path, keep: int) -> None:
    made = plan(FIELDS, scanned(path, FIELDS))
    path.write_bytes(path.read_bytes()[:keep])
    with (
        pytest.raises(DataFileError, match=r'f\.parquet" of table "t": it is damaged or no Parquet file'),
        guarded(made),
    ):
        scan(spark, made).collect()


def test_damage_inside_a_file_is_told_with_its_name(spark: SparkSession, path: Path) -> None:
    made = plan(FIELDS, scanned(path, FIELDS))
    content = bytearray(path.read_bytes())
    content[4:2000] = b"\xff" * 1996
    path.write_bytes(bytes(content))
    with pytest.raises(DataFileError, match=r'Cannot read data file ".*f\.parquet" of table "t": .'), guarded(made):
        scan(spark, made).collect()


def test_a_missing_delete_file_is_named_with_its_data_file(spark: SparkSession, path: Path) -> None:
    made = plan(FIELDS, scanned(path, FIELDS, deletes=deleted(path.parent / "d.parquet", [1])))
    (path.parent / "d.parquet").unlink()
    with (
        pytest.raises(DataFileError, match=r'f\.parquet" of table "t": File ".*d\.parquet" was not read'),
        guarded(made),
    ):
        scan(spark, made).collect()


def test_a_column_of_another_type_than_the_metadata_says_is_told(spark: SparkSession, path: Path) -> None:
    wrong = [field(1, "a", "varchar")]
    made = plan(wrong, scanned(path, wrong))
    with pytest.raises(DataFileError, match=r'of table "t": Data type mismatch.*\[a\]'), guarded(made):
        scan(spark, made).collect()


@pytest.mark.parametrize(
    ("expression", "message"),
    [
        ("raise_error('no such luck')", "^no such luck$"),
        ("assert_true(a < 5, 'too large')", "^too large$"),
        ("cast(b AS int)", "cannot be cast|malformed"),
        ("a / 0", "Division by zero"),
    ],
)
def test_an_expression_that_cannot_be_computed_is_an_input_error(
    spark: SparkSession, path: Path, expression: str, message: str
) -> None:
    made = plan(FIELDS, scanned(path, FIELDS))
    with pytest.raises(InvalidInputError, match=message), guarded(made):
        scan(spark, made).selectExpr(expression).collect()


def test_memory_that_runs_out_says_what_to_set(spark: SparkSession) -> None:
    with pytest.raises(EngineError, match='ran out of memory on table "t"') as caught, translated("t"):
        spark.range(1).mapInArrow(task(lambda: fail(MemoryError())), "id bigint").collect()
    assert "spark.driver.memory" in str(caught.value.hint)


def test_a_plan_that_takes_too_much_memory_is_an_error_and_the_session_goes_on(
    spark: SparkSession,
) -> None:
    with connect(spark=spark) as connection:
        too_large, small = (connection.sql(f"SELECT repeat('ab', {count})") for count in (1_000_000_000, 2))
        assert too_large is not None
        assert small is not None
        with pytest.raises(EngineError, match="ran out of memory on the query"):
            too_large.fetchall()
        assert small.fetchall() == [("abab",)]
    with pytest.raises(EngineError, match='ran out of memory on rows for table "t"'):
        collect_arrow(spark.range(1).selectExpr("repeat('ab', 1000000000)"), "t")


def test_a_worker_that_dies_fails_the_job_in_our_words(spark: SparkSession) -> None:
    with pytest.raises(EngineError, match=r'died while it worked on rows for table "t"'), running('rows for table "t"'):
        spark.range(1).mapInArrow(task(lambda: os._exit(9)), "id bigint").collect()


def test_any_other_failure_names_the_table(spark: SparkSession) -> None:
    with pytest.raises(EngineError, match=r'A job on table "t" failed, and nothing was committed'), translated("t"):
        spark.range(1).mapInArrow(task(lambda: fail(KeyError("lost"))), "id bigint").collect()


def test_errors_that_are_ours_already_stay_as_they_are() -> None:
    with pytest.raises(InvalidInputError, match=r"^mine$"), translated("t"):
        raise InvalidInputError("mine")


def test_an_interrupt_ends_the_job(spark: SparkSession) -> None:
    main = threading.main_thread().ident
    assert main is not None
    threading.Timer(3, signal.pthread_kill, (main, signal.SIGINT)).start()
    began = time.monotonic()
    with pytest.raises(KeyboardInterrupt), translated("t"):
        spark.range(2, numPartitions=2).mapInArrow(task(lambda: time.sleep(60)), "id bigint").collect()
    tracker = spark.sparkContext.statusTracker()
    while tracker.getActiveJobsIds() and time.monotonic() - began < 30:
        time.sleep(0.1)
    assert time.monotonic() - began < 30
    assert spark.range(3).count() == 3
