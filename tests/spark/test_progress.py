"""What our jobs show while they run, and that they end with what started them."""

import os
import pty
import re
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from py4j.protocol import Py4JJavaError
from pyspark import InheritableThread
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession
from pyspark.sql import functions as F  # noqa: N812

from forklake.engine.progress import progress
from forklake.engine.write import write
from tests.spark.targets import target_at

SLOW = """
import os, time
from forklake.engine.session import session
from forklake.engine.progress import progress
from pyspark.sql import functions as F

spark = session(None, {"spark.master": "local[2]"})
slow = F.udf(lambda number: time.sleep(0.7) or number, "long")
for title, switch in (('Writing "orders"', "1"), ("hidden", "0")):
    os.environ["FORKLAKE_PROGRESS"] = switch
    with progress(spark, title):
        spark.range(0, 6, 1, 6).select(slow("id")).write.format("noop").mode("overwrite").save()
"""


def run_in_terminal(code: str) -> str:
    """Run Python with standard error on a terminal, and return all that it wrote there."""
    terminal, theirs = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-c", code],
        stderr=theirs,
        stdout=subprocess.DEVNULL,
        env={**os.environ, "TERM": "xterm"},
    )
    os.close(theirs)
    written = b""
    try:
        while part := os.read(terminal, 65536):
            written += part
    except OSError:  # the other side is closed
        pass
    finally:
        os.close(terminal)
        assert process.wait(timeout=120) == 0
    return written.decode()


def test_a_terminal_shows_the_tasks_that_are_done_unless_it_is_turned_off() -> None:
    shown = run_in_terminal(SLOW)

    assert 'Writing "orders"' in shown
    assert re.search(r"[1-5]/6 tasks", shown)
    assert "Stage" not in shown  # Spark's own bar
    assert "hidden" not in shown


def test_nothing_is_shown_without_a_terminal(spark: SparkSession, capfd: pytest.CaptureFixture[str]) -> None:
    with progress(spark, "Writing"):
        time.sleep(1.5)
        spark.range(10).count()

    assert "Writing" not in capfd.readouterr().err


def run_slowly(spark: SparkSession, marks: Path) -> Callable[[], Any]:
    def slow(number):  # type: ignore[no-untyped-def]  # Spark warns of annotations that it does not know
        time.sleep(0.5)
        (marks / str(number)).touch()

    frame = spark.range(0, 40, 1, 40).select(F.udf(slow, "long")("id"))
    return lambda: frame.write.format("noop").mode("overwrite").save()


@pytest.mark.parametrize("seconds", [0, 3], ids=["planned", "running"])
def test_jobs_are_cancelled_with_the_block_and_others_are_not(
    spark: SparkSession, tmp_path: Path, seconds: int
) -> None:
    started: list[threading.Thread] = []
    ended: list[str] = []

    def elsewhere() -> None:
        time.sleep(1)
        ended.append(str(spark.range(100).count()))

    def cancelled(job: Callable[[], Any]) -> None:
        with pytest.raises((PySparkException, Py4JJavaError), match=r"(?i)cancelled"):
            job()

    def fail_meanwhile() -> None:
        with progress(spark, "Writing"):
            runner = threading.Thread(target=elsewhere)
            started.append(runner)
            runner.start()
            job = run_slowly(spark, tmp_path)
            thread = InheritableThread(  # its jobs are the block's
                target=cancelled, args=(job,)
            )
            started.append(thread)
            thread.start()
            time.sleep(seconds)
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        fail_meanwhile()
    for thread in started:
        thread.join()

    count = len(list(tmp_path.iterdir()))
    time.sleep(1)
    assert len(list(tmp_path.iterdir())) == count < 40
    assert ended == ["100"]


def test_an_interrupted_write_leaves_no_file(tmp_path: Path) -> None:
    code = f"""
import os, signal, threading, time
from pathlib import Path
from forklake.engine.session import session
from forklake.engine.write import write
from pyspark.sql import functions as F
from tests.spark.targets import target_at

spark = session(None, {{"spark.master": "local[2]"}})
slow = F.udf(lambda number: time.sleep(0.01) or number, "long")
frame = spark.range(0, 6_000, 1, 2).select(slow("id").alias("id"))
threading.Timer(5, os.kill, (os.getpid(), signal.SIGINT)).start()
began = time.monotonic()
try:
    write(frame, target_at(Path({str(tmp_path)!r}), {{"id": "int64"}}))
except KeyboardInterrupt:
    print("interrupted", time.monotonic() - began < 15, flush=True)
"""
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        check=False,
        cwd=Path(__file__).parents[2],
        text=True,
        timeout=120,
    )

    assert done.stdout == "interrupted True\n", done.stderr
    time.sleep(0.5)
    assert [path for path in tmp_path.rglob("*") if path.is_file()] == []


def test_a_job_of_a_write_has_no_tag_left(spark: SparkSession, tmp_path: Path) -> None:
    before = spark.getTags() | set(spark.sparkContext.getJobTags())
    group = spark.sparkContext.getLocalProperty("spark.jobGroup.id")

    write(spark.range(3), target_at(tmp_path, {"id": "int64"}))

    assert spark.getTags() | set(spark.sparkContext.getJobTags()) == before
    assert spark.sparkContext.getLocalProperty("spark.jobGroup.id") == group
