"""What goes wrong in a job is told in our words, with the names of file and table."""

import logging
import os
import re
import resource
import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pyarrow as pa
import pytest
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

import forklake
from forklake import connect
from forklake.engine.spark.driver import gateway
from forklake.engine.spark.driver.failures import guard_jobs, guard_scan, guard_table, translation
from forklake.engine.spark.driver.gateway import is_lost
from forklake.engine.spark.read.collect import collect_arrow
from forklake.engine.spark.read.scan import scan
from forklake.errors import DataFileError, EngineError, ForklakeError, InvalidInputError
from tests.disks import full_disk
from tests.spark.plans import deleted, field, plan, scanned, written
from tests.waiting import wait_until

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
    with pytest.raises(DataFileError) as caught, guard_scan(made):
        frame.collect()
    assert caught.value.message == f'Cannot read data file "{path}" of table "t": there is no such file.'
    assert caught.value.hint


@pytest.mark.parametrize("keep", [0, 4, 100, -20])
def test_a_truncated_file_is_named(spark: SparkSession, path: Path, keep: int) -> None:
    made = plan(FIELDS, scanned(path, FIELDS))
    path.write_bytes(path.read_bytes()[:keep])
    with (
        pytest.raises(DataFileError, match=r'f\.parquet" of table "t": it is damaged or no Parquet file'),
        guard_scan(made),
    ):
        scan(spark, made).collect()


def test_damage_inside_a_file_is_told_with_its_name(spark: SparkSession, path: Path) -> None:
    made = plan(FIELDS, scanned(path, FIELDS))
    content = bytearray(path.read_bytes())
    content[4:2000] = b"\xff" * 1996
    path.write_bytes(bytes(content))
    with pytest.raises(DataFileError, match=r'Cannot read data file ".*f\.parquet" of table "t": .'), guard_scan(made):
        scan(spark, made).collect()


def test_a_missing_delete_file_is_named_with_its_data_file(spark: SparkSession, path: Path) -> None:
    made = plan(FIELDS, scanned(path, FIELDS, deletes=deleted(path.parent / "d.parquet", [1])))
    (path.parent / "d.parquet").unlink()
    with (
        pytest.raises(DataFileError, match=r'f\.parquet" of table "t": File ".*d\.parquet" was not read'),
        guard_scan(made),
    ):
        scan(spark, made).collect()


def test_a_column_of_another_type_than_the_metadata_says_is_told(spark: SparkSession, path: Path) -> None:
    wrong = [field(1, "a", "varchar")]
    made = plan(wrong, scanned(path, wrong))
    with pytest.raises(DataFileError, match=r'of table "t": Data type mismatch.*\[a\]'), guard_scan(made):
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
    with pytest.raises(InvalidInputError, match=message), guard_scan(made):
        scan(spark, made).selectExpr(expression).collect()


def test_memory_that_runs_out_says_what_to_set(spark: SparkSession) -> None:
    with pytest.raises(EngineError, match='ran out of memory on table "t"') as caught, guard_table("t"):
        spark.range(1).mapInArrow(task(lambda: fail(MemoryError())), "id bigint").collect()
    assert "spark.driver.memory" in str(caught.value.hint)


def test_a_plan_that_takes_too_much_memory_is_an_error_and_the_session_goes_on(
    spark: SparkSession,
) -> None:
    with connect(spark=spark) as connection:
        # In Spark's own dialect nobody looks how long a text would be.
        too_large = connection.sql("SELECT repeat('ab', 1000000000)", dialect="spark")
        small = connection.sql("SELECT repeat('ab', 2)")
        assert too_large is not None
        assert small is not None
        with pytest.raises(EngineError, match="ran out of memory on the query"):
            too_large.fetchall()
        assert small.fetchall() == [("abab",)]
    with pytest.raises(EngineError, match='ran out of memory on rows for table "t"'):
        collect_arrow(spark.range(1).selectExpr("repeat('ab', 1000000000)"), "t")


@contextmanager
def short_files(spark: SparkSession) -> Iterator[None]:
    """Let Java write no file longer than some pages, as a quota would."""
    process = gateway.process()
    assert process is not None
    java = process.pid
    before = resource.prlimit(java, resource.RLIMIT_FSIZE)
    resource.prlimit(java, resource.RLIMIT_FSIZE, (100_000, before[1]))
    try:
        yield
    finally:
        resource.prlimit(java, resource.RLIMIT_FSIZE, before)


@pytest.mark.parametrize("columns", [{"a": "VARCHAR"}, {"a": "VARCHAR", "u": "UUID"}])  # Spark's writer, and ours
def test_a_write_to_a_full_disk_says_so(spark: SparkSession, tmp_path: Path, columns: dict[str, str]) -> None:
    with (
        full_disk(tmp_path / "small"),
        forklake.open(str(tmp_path / "lake.db"), data_path=tmp_path / "small", spark=spark) as lake,
    ):
        shop = lake.create_catalog("shop")
        shop.create_table("t", columns)
        with pytest.raises(DataFileError, match="was not written: no space is left on the device") as caught:
            shop.table("t").append(spark.range(100_000).selectExpr("uuid() AS a"))
        assert caught.value.hint == "Free some space, and run the statement again."
        assert not [path for path in (tmp_path / "small").rglob("*") if path.is_file()]


def test_a_file_that_may_not_grow_is_told_for_tables_and_for_what_spark_writes_meanwhile(
    spark: SparkSession, tmp_path: Path
) -> None:
    rows = spark.range(20_000).selectExpr("uuid() AS a")
    with forklake.open(str(tmp_path / "lake.db"), spark=spark) as lake, short_files(spark):
        shop = lake.create_catalog("shop")
        shop.create_table("t", {"a": "VARCHAR"})
        too_large = r'A file of table "t" was not written: the file is larger than is allowed; nothing was committed\.'
        with pytest.raises(DataFileError, match=too_large):
            shop.table("t").append(rows)
        in_vain = pytest.raises(EngineError, match="temporary files for the query: the file is larger")
        with in_vain as caught, guard_jobs("the query"):
            rows.repartition(2).selectExpr("count(DISTINCT a)").collect()
    assert "spark.local.dir" in str(caught.value.hint)


def test_a_directory_that_is_a_file_is_told(spark: SparkSession, tmp_path: Path) -> None:
    with forklake.open(str(tmp_path / "lake.db"), data_path=tmp_path / "data", spark=spark) as lake:
        shop = lake.create_catalog("shop")
        shop.create_table("t", {"a": "VARCHAR"})
        (tmp_path / "data").touch()
        with pytest.raises(DataFileError, match="was not written: a part of the path is a file, not a directory"):
            shop.table("t").append(spark.range(10).selectExpr("uuid() AS a"))


DENIED = """An error occurred while calling o1.collectToPython.
: org.apache.spark.SparkException: [FAILED_READ_FILE.NO_HINT] Encountered error while reading file {path}.
\tat org.apache.spark.sql.errors.QueryExecutionErrors$.cannotReadFilesError(QueryExecutionErrors.scala:850)
Caused by: java.io.FileNotFoundException: /data/f.parquet (Permission denied)
\tat java.base/java.io.FileInputStream.open0(Native Method)
"""


def test_a_file_that_may_not_be_read_is_not_called_missing() -> None:
    told = translation(PySparkException(DENIED.format(path="file:///data/f.parquet")), 'table "t"', ["/data/f.parquet"])
    assert str(told) == 'Cannot read data file "/data/f.parquet" of table "t": permission is denied.'


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        (': java.io.IOException: Cannot run program "python3": error=13, Permission denied', EngineError),
        (
            ": org.apache.spark.SparkNumberFormatException: [CAST_INVALID_INPUT] The value 'Permission denied' of the"
            ' type "STRING" cannot be cast to "INT". SQLSTATE: 22018',
            InvalidInputError,
        ),
        ("Caused by: java.io.FileNotFoundException: /x/f.parquet (Too many open files)", DataFileError),
    ],
)
def test_only_what_the_file_system_refused_is_told_of_a_file(text: str, kind: type[Exception]) -> None:
    told = translation(PySparkException(f"An error occurred while calling o1.save.\n{text}\n\tat x"), 'table "t"')
    assert type(told) is kind
    assert "not written" not in str(told)


def test_a_server_of_spark_connect_that_is_gone_is_said_to_be_unreachable() -> None:
    text = "<_MultiThreadedRendezvous of RPC that terminated with: status = StatusCode.UNAVAILABLE>"
    told = translation(PySparkException(text), "the query")
    assert type(told) is EngineError
    assert told.message == (
        "The Spark Connect server cannot be reached; the job on the query failed and nothing was committed."
    )


def test_java_that_is_there_is_not_said_to_be_gone(spark: SparkSession) -> None:
    with pytest.raises(EngineError, match="an object store hung up"), guard_jobs("rows"):
        raise ConnectionResetError("an object store hung up")
    before = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (len(os.listdir("/proc/self/fd")) - 1, before[1]))
    try:
        assert not is_lost()
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, before)
    assert spark.range(3).count() == 3


def test_a_worker_that_dies_fails_the_job_in_our_words(spark: SparkSession) -> None:
    with (
        pytest.raises(EngineError, match=r'died while it worked on rows for table "t"'),
        guard_jobs('rows for table "t"'),
    ):
        spark.range(1).mapInArrow(task(lambda: os._exit(9)), "id bigint").collect()


def test_a_failure_of_another_thread_is_told_by_its_cause() -> None:
    text = (
        ": org.apache.spark.SparkException: Exception thrown in awaitResult: \n\tat x\nCaused by: java.Odd: no luck\n"
    )
    told = translation(PySparkException(f"An error occurred while calling o1.getResult.\n{text}\tat y"), "the query")
    assert told.message == "A job on the query failed, and nothing was committed: no luck"


def test_any_other_failure_names_the_table(spark: SparkSession) -> None:
    with pytest.raises(EngineError, match=r'A job on table "t" failed, and nothing was committed'), guard_table("t"):
        spark.range(1).mapInArrow(task(lambda: fail(KeyError("lost"))), "id bigint").collect()


def test_errors_that_are_ours_already_stay_as_they_are() -> None:
    with pytest.raises(InvalidInputError, match=r"^mine$"), guard_table("t"):
        raise InvalidInputError("mine")


def test_an_interrupt_ends_the_job(spark: SparkSession) -> None:
    main = threading.main_thread().ident
    assert main is not None
    tracker = spark.sparkContext.statusTracker()

    def interrupt() -> None:
        wait_until(tracker.getActiveJobsIds)
        signal.pthread_kill(main, signal.SIGINT)

    threading.Thread(target=interrupt).start()
    with pytest.raises(KeyboardInterrupt), guard_table("t"):
        spark.range(2, numPartitions=2).mapInArrow(task(lambda: time.sleep(600)), "id bigint").collect()
    wait_until(lambda: not tracker.getActiveJobsIds(), "the end of the job")
    assert spark.range(3).count() == 3


def test_jobs_are_logged_by_their_tags(spark: SparkSession, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.DEBUG, "forklake.job"):
        with guard_jobs('table "secret"'):
            spark.range(3).count()
        with pytest.raises(ForklakeError), guard_jobs('table "secret"'):
            spark.sql("SELECT raise_error('a value')").collect()
    told = [re.sub(r"forklake-[0-9a-f-]{36}|\d+\.\d{3}", "_", message) for message in caplog.messages]
    assert told[:2] == ["Jobs _ begin", "Jobs _ ended after _ s"]
    assert re.fullmatch(r"Jobs _ failed after _ s: \w+", told[-1])
    assert "secret" not in caplog.text
    assert "a value" not in caplog.text
