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

from forklake.engine.spark.driver.progress import progress
from forklake.engine.spark.write.write_rows import write
from tests.spark.targets import target_at
from tests.waiting import PATIENCE_SECONDS, wait_until

SLOW = """
import os, sys, time
from forklake.engine.spark.driver.session import session
from forklake.engine.spark.driver.progress import progress
from pyspark.sql import functions as F

spark = session(None, {"spark.master": "local[2]"})
seen = sys.argv[1]

@F.udf("long")
def slow(number):
    while number > 2 and not os.path.exists(seen):
        time.sleep(0.1)
    time.sleep(0.7)
    return number

for title, switch in (('Writing "orders"', "1"), ("hidden", "0")):
    os.environ["FORKLAKE_PROGRESS"] = switch
    with progress(spark, title):
        spark.range(0, 6, 1, 6).select(slow("id")).write.format("noop").mode("overwrite").save()
"""


def run_in_terminal(code: str, awaited: re.Pattern[str], seen: Path) -> str:
    """Run Python with standard error on a terminal, and return all that it wrote there.

    As soon as that has what is awaited, there is a file, whose path is the code's argument.
    """
    terminal, theirs = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-c", code, str(seen)],
        stderr=theirs,
        stdout=subprocess.DEVNULL,
        env={**os.environ, "TERM": "xterm"},
    )
    os.close(theirs)
    written = b""
    try:
        while part := os.read(terminal, 65536):
            written += part
            if awaited.search(written.decode(errors="replace")):
                seen.touch()
    except OSError:  # the other side is closed
        pass
    finally:
        os.close(terminal)
        assert process.wait(timeout=PATIENCE_SECONDS) == 0
    return written.decode()


def test_a_terminal_shows_the_tasks_that_are_done_unless_it_is_turned_off(tmp_path: Path) -> None:
    shown = run_in_terminal(SLOW, re.compile(r"[1-5]/6 tasks"), tmp_path / "seen")

    assert 'Writing "orders"' in shown
    assert (tmp_path / "seen").exists()
    assert "Stage" not in shown  # Spark's own bar
    assert "hidden" not in shown


def test_nothing_is_shown_without_a_terminal(spark: SparkSession, capfd: pytest.CaptureFixture[str]) -> None:
    with progress(spark, "Writing"):
        time.sleep(1.5)
        spark.range(10).count()

    assert "Writing" not in capfd.readouterr().err


TASKS = 1000  # more than any machine has done by the time that they are cancelled


def run_slowly(spark: SparkSession, marks: Path) -> Callable[[], Any]:
    def slow(number):  # type: ignore[no-untyped-def]  # Spark warns of annotations that it does not know
        time.sleep(0.5)
        (marks / str(number)).touch()

    frame = spark.range(0, TASKS, 1, TASKS).select(F.udf(slow, "long")("id"))
    return lambda: frame.write.format("noop").mode("overwrite").save()


@pytest.mark.parametrize("moment", ["planned", "submitted", "running"])
def test_jobs_are_cancelled_with_the_block_and_others_are_not(spark: SparkSession, tmp_path: Path, moment: str) -> None:
    started: list[threading.Thread] = []
    ended: list[str] = []
    over = threading.Event()

    def elsewhere() -> None:
        assert over.wait(PATIENCE_SECONDS)
        ended.append(str(spark.range(100).count()))

    def cancelled(job: Callable[[], Any]) -> None:
        with pytest.raises((PySparkException, Py4JJavaError), match=r"(?i)cancelled"):
            job()

    def is_there() -> bool:
        tracker = spark.sparkContext._jsc.sc().statusTracker()
        match moment:
            case "planned":
                return True
            case "submitted":
                return any(list(tracker.getJobIdsForTag(tag)) for tag in spark.sparkContext.getJobTags())
            case _:
                return any(tmp_path.iterdir())

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
            wait_until(is_there)
            over.set()
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        fail_meanwhile()
    count = len(list(tmp_path.iterdir()))
    for thread in started:
        thread.join()

    time.sleep(1)
    assert len(list(tmp_path.iterdir())) == count < TASKS
    assert ended == ["100"]


@pytest.mark.soak
def test_an_interrupted_write_leaves_no_file(tmp_path: Path) -> None:
    # The rows take more than any patience; the interrupt comes when some of them are written.
    code = f"""
import os, signal, threading, time
from pathlib import Path
from forklake.engine.spark.driver.session import session
from forklake.engine.spark.write.write_rows import write
from pyspark.sql import functions as F
from tests.spark.targets import target_at
from tests.waiting import wait_until

spark = session(None, {{"spark.master": "local[2]"}})
begun, data = Path({str(tmp_path)!r}) / "begun", Path({str(tmp_path)!r}) / "data"

@F.udf("long")
def slow(number):
    time.sleep(0.01)
    if number % 100_000 > 300:
        begun.touch()
    return number

def interrupt():
    wait_until(begun.exists)
    os.kill(os.getpid(), signal.SIGINT)

frame = spark.range(0, 200_000, 1, 2).select(slow("id").alias("id"))
threading.Thread(target=interrupt).start()
try:
    write(frame, target_at(data, {{"id": "int64"}}))
except KeyboardInterrupt:
    print("interrupted", flush=True)
"""
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        check=False,
        text=True,
        timeout=2 * PATIENCE_SECONDS,
    )

    assert done.stdout == "interrupted\n", done.stderr
    assert (tmp_path / "begun").exists()
    time.sleep(0.5)
    assert [path for path in (tmp_path / "data").rglob("*") if path.is_file()] == []


def test_a_job_of_a_write_has_no_tag_left(spark: SparkSession, tmp_path: Path) -> None:
    before = spark.getTags() | set(spark.sparkContext.getJobTags())
    group = spark.sparkContext.getLocalProperty("spark.jobGroup.id")

    write(spark.range(3), target_at(tmp_path, {"id": "int64"}))

    assert spark.getTags() | set(spark.sparkContext.getJobTags()) == before
    assert spark.sparkContext.getLocalProperty("spark.jobGroup.id") == group
