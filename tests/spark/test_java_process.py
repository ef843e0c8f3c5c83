"""The life of Spark's Java process: silent at its start, spared by what fails in it, and not missed for long when lost.

In processes of their own, as those of the other tests go on with theirs.
"""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

pytestmark = pytest.mark.timeout(600)  # Spark is started up to three times

_LAKE = """
import os, signal, sys, threading, time
import forklake
from forklake.errors import EngineError, ForklakeError

def lake_with_rows(spark=None):
    lake = forklake.open(sys.argv[1] + "/lake.db", data_path=sys.argv[1] + "/data", spark=spark,
                         settings=forklake.Settings(spark={"spark.master": "local[2]", "spark.driver.memory": "1g"}))
    shop = lake.create_catalog("shop", if_not_exists=True)
    shop.create_table("orders", {"id": "BIGINT", "item": "VARCHAR"}, if_not_exists=True)
    shop.table("orders").append([{"id": 1, "item": "a"}, {"id": 2, "item": "b"}])
    return lake, shop

def kill_java():
    from pyspark import SparkContext
    java = SparkContext._gateway.proc
    os.kill(java.pid, signal.SIGKILL)
    java.wait()

def told(deed):
    try:
        print(deed())
    except EngineError as error:
        print("EngineError:", error.message, "|", error.hint)
"""


def run(program: str, directory: Path, **environment: str) -> tuple[list[str], str]:
    """Run a program in a new process; return the lines that it printed, and what it said on standard error."""
    done = subprocess.run(
        [sys.executable, "-c", _LAKE + program, str(directory)],
        capture_output=True,
        text=True,
        timeout=580,
        check=False,
        env={**os.environ, "PYSPARK_PYTHON": sys.executable, **environment},
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines(), done.stderr


@pytest.mark.soak
def test_memory_that_runs_out_in_a_task_ends_nobodys_spark(tmp_path: Path) -> None:
    program = """
lake, shop = lake_with_rows()
java = lake.spark.sparkContext._gateway.proc
print(lake.spark.sparkContext.uiWebUrl)
at_work, over, failures, answers = threading.Barrier(11), threading.Event(), [], [0] * 10

def work(number):
    mine = lake.using(lake.spark.newSession()).catalog("shop")
    at_work.wait()
    while True:
        last = over.is_set()
        try:
            assert mine.sql("SELECT sum(id + rowid) FROM orders").fetchall() == [(4,)]
            answers[number] += 1
        except Exception as error:
            failures.append(error)
        if last:
            return

threads = [threading.Thread(target=work, args=(number,)) for number in range(10)]
[thread.start() for thread in threads]
at_work.wait()
# An array that is longer than Java's can be, one that does not fit, and many values that do not fit together.
for expression in ("length(repeat(item, 2147483647))", "size(sequence(id, id + 300000000))",
                   "size(transform(sequence(id, id + 5000), i -> repeat(cast(i as string), 1000000)))"):
    told(lambda: shop.table("orders").append(
        shop.table("orders").dataframe().selectExpr(f"cast({expression} AS bigint) AS id")))
over.set()
[thread.join() for thread in threads]
# A job that is at work in the same moment may fail, in our words, and never answers wrongly; the next ones answer.
others = [repr(error) for error in failures if not isinstance(error, forklake.errors.EngineError)]
print(others, len(failures) < sum(answers), min(answers) > 0, java.poll(), shop.table("orders").count())
"""
    lines, _ = run(program, tmp_path)
    out_of_memory = 'EngineError: Spark ran out of memory on table "orders"; nothing was committed. | '
    assert lines[0] == "None"
    assert [line.startswith(out_of_memory) for line in lines[1:4]] == [True] * 3, lines
    assert lines[4:] == ["[] True True None 2"]


def test_a_session_of_ours_whose_java_is_killed_is_said_to_be_lost_once_and_started_again(tmp_path: Path) -> None:
    program = """
lake, shop = lake_with_rows()
orders = shop.table("orders")
connection, agent = forklake.connect(), lake.using(lake.spark.newSession())
connection.sql(f"ATTACH 'ducklake:{sys.argv[1]}/lake.db' AS shop (CATALOG 'shop')")
connection.sql("USE shop")
query = "SELECT id, upper(item) FROM orders WHERE length(item) = 1 ORDER BY id"
assert connection.sql(query).fetchall() == [(1, "A"), (2, "B")]
lazy, frame = connection.sql(query), orders.dataframe()
kill_java()
connection.sql("CREATE TABLE made (a INTEGER)")
orders.append([{"id": 3, "item": "c"}])
print(connection.sql("SELECT count(*) FROM orders").fetchall())
told(lambda: connection.sql(query).fetchall())
told(lambda: connection.sql(query).fetchall())
told(lambda: lazy.fetchall())
told(lambda: orders.append(frame))
told(lambda: agent.catalog("shop").table("orders").dataframe().count())
told(lambda: orders.dataframe().count())
told(lambda: lake.using(lake.spark.newSession()).catalog("shop").table("orders").dataframe().count())
print(shop.sql("UPDATE orders SET item = upper(item) WHERE length(item) = 1").fetchall())
slow = lake.spark.range(1).mapInArrow(lambda batches: (time.sleep(600) for _ in batches), "id bigint")
tracker = lake.spark.sparkContext.statusTracker()

def kill_at_work():
    while not tracker.getActiveJobsIds():
        time.sleep(0.1)
    kill_java()

threading.Thread(target=kill_at_work).start()
told(lambda: orders.append(slow))
print(orders.count(), orders.delete("length(item) = 1").row_count)
"""
    lines, said = run(program, tmp_path)
    assert lines[0] == "[(3,)]"
    assert lines[1].startswith("EngineError: Spark's Java process is gone; nothing was done. | Run it again: ")
    assert lines[2] == "[(1, 'A'), (2, 'B'), (3, 'C')]"
    gone = "is stopped, or its Java process is gone; nothing was done."
    assert lines[3] == f"EngineError: The Spark session of the query {gone} | Run the query again."
    assert (
        lines[4]
        == f"EngineError: The Spark session of the frame {gone} | Make the frame again, in a session that runs."
    )
    assert lines[5].startswith(f"EngineError: The Spark session that was given {gone} | Make a new SparkSession, ")
    assert lines[6:9] == ["3", "3", "[(3,)]"]
    assert lines[9].startswith("EngineError: Spark's Java process is gone; the job on ")
    assert lines[10] == "3 3"
    assert said == ""


@pytest.mark.soak
def test_a_session_of_the_users_is_not_replaced_but_can_be_made_anew(tmp_path: Path) -> None:
    program = """
from pyspark.sql import SparkSession
build = lambda: SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false").getOrCreate()
given = build()
lake, shop = lake_with_rows(given)
found = forklake.open(sys.argv[1] + "/lake.db").catalog("shop")  # by nobody given: it takes the active one
print("=== queries", file=sys.stderr, flush=True)
for text in (
    "SELECT upper(item) FROM orders ORDER BY id",
    "SELECT item, count(*) FROM orders GROUP BY item",
    "INSERT INTO orders SELECT id + 10, item FROM orders",
    "INSERT INTO orders SELECT i, 'x' FROM range(10000) r(i)",
    "UPDATE orders SET item = upper(item) WHERE id < 20",
    "MERGE INTO orders USING (SELECT 5 AS id) s USING (id) WHEN MATCHED THEN UPDATE SET item = 'm'",
    "DELETE FROM orders WHERE id > 50",
    "SELECT count(*) FROM shop.table_changes('orders', 1, 5)",
):
    shop.sql(text).fetchall()
shop.table("orders").dataframe().count()
shop.table("orders").update({"item": "'u'"}, where="id = 1")
print("=== over", file=sys.stderr, flush=True)
kill_java()
for _ in range(2):
    told(lambda: shop.table("orders").dataframe().count())
    told(lambda: found.sql("SELECT upper(item) FROM orders"))
    print(len(shop.tables()))
again = build()
assert again is not given
told(lambda: found.table("orders").dataframe().where("id < 3").count())
told(lambda: lake.using(again).catalog("shop").table("orders").dataframe().where("id < 3").count())
"""
    lines, said = run(program, tmp_path)
    assert "WARN" not in said.partition("=== queries\n")[2].partition("=== over")[0]
    lost = "EngineError: The Spark session that was given is stopped, or its Java process is gone; nothing was done. | "
    for given, found, tables in (lines[:3], lines[3:6]):
        assert given.startswith(lost)
        assert "Lake.using" in given
        assert found.startswith("EngineError: Spark's Java process is gone")
        assert "SparkSession" in found
        assert tables == "1"
    assert lines[6] == lines[7] != "0"


_STARTS = """
import signal, sys
signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell lets what runs in the background ignore it
from forklake.engine.spark.driver.session import session
print("ready", flush=True)
for _ in sys.stdin:
    try:
        print(session(None, {"spark.master": "local[1]"}).range(3).count(), flush=True)
    except KeyboardInterrupt:
        print("interrupted", flush=True)
"""


def test_an_interrupted_start_leaves_no_java_and_no_words_of_it() -> None:
    with subprocess.Popen(
        [sys.executable, "-c", _STARTS],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        bufsize=1,
        start_new_session=True,
    ) as program:
        assert program.stdin is not None
        assert program.stdout is not None
        assert program.stdout.readline() == "ready\n"
        for cpu_seconds in (0.5, 1.5):  # by the clock, it is another moment on each machine
            program.stdin.write("start\n")
            while not (running := running_with(program.pid)) or sum(running.values()) < cpu_seconds:
                time.sleep(0.02)
            os.killpg(program.pid, signal.SIGINT)  # as a terminal does
            assert program.stdout.readline() == "interrupted\n"
            assert running_with(program.pid) == {}
        program.stdin.write("start\n")
        assert program.stdout.readline() == "3\n"
        assert program.communicate(timeout=60) == ("", "")


def running_with(leader: int) -> dict[str, float]:
    """Return what runs in the session of a process beside itself, with the seconds that it had of a processor.

    That is all that it started, whether it knows of it or not.
    """
    found = {}
    for place in Path("/proc").glob("[0-9]*/stat"):
        try:
            name, _, rest = place.read_text().rpartition(")")
        except OSError:  # it has ended meanwhile
            continue
        state, _, _, session, *numbers = rest.split()
        if int(session) == leader != int(place.parent.name) and state != "Z":
            found[f"{name})"] = (int(numbers[7]) + int(numbers[8])) / os.sysconf("SC_CLK_TCK")
    return found
