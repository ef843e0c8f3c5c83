"""Which session jobs run in, and how one is started: in processes of their own, as a session cannot be undone."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from forklake.engine.spark.driver.machine import driver_memory, memory_bytes, names_in_defaults_file
from forklake.engine.spark.driver.session import session

pytestmark = pytest.mark.timeout(600)  # Spark is started up to three times


def run(program: str, **environment: str) -> str:
    """Run a program in a new process; return what it printed."""
    done = subprocess.run(
        [sys.executable, "-c", program],
        capture_output=True,
        text=True,
        timeout=580,
        check=False,
        env={**os.environ, **environment},
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_the_given_session_is_used_and_keeps_its_settings(spark: SparkSession) -> None:
    other = spark.newSession()
    found = session(other, {"spark.sql.shuffle.partitions": "77", "forklake.anything": "x"})
    assert found is other
    assert (other.conf.get("spark.sql.shuffle.partitions"), other.conf.get("forklake.anything")) == ("2", "x")


def test_without_one_the_active_session_is_used(spark: SparkSession) -> None:
    for each in (spark.newSession(), spark):
        each.createDataFrame([(1,)], "a INT")  # makes it the active one
        assert session(None, {}) is each


def test_threads_that_ask_at_once_get_one_lean_session() -> None:
    program = """
import os, sys, threading
from forklake.engine.spark.driver.session import session
found = []
ask = lambda: found.append(session(None, {"spark.master": "local[1]", "spark.sql.shuffle.partitions": "3"}))
threads = [threading.Thread(target=ask) for _ in range(4)]
[thread.start() for thread in threads]; [thread.join() for thread in threads]
spark = found[0]
python = spark.range(1).mapInArrow(lambda _: __import__("pyarrow").table(
    {"p": [__import__("sys").executable]}).to_batches().__iter__(), "p string").collect()[0][0]
print(len(set(map(id, found))), spark.conf.get("spark.master"), spark.conf.get("spark.sql.shuffle.partitions"),
      spark.sparkContext.uiWebUrl, spark.conf.get("spark.driver.host"), python == sys.executable,
      "PYSPARK_PYTHON" in os.environ, "SPARK_LOCAL_IP" in os.environ)
spark.stop()
again = session(None, {"spark.master": "local[1]"})
print(again.range(5).count(), again.conf.get("spark.sql.shuffle.partitions"))
"""
    clean = {key: value for key, value in os.environ.items() if key not in ("PYSPARK_PYTHON", "SPARK_LOCAL_IP")}
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, timeout=580, check=False, env=clean
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines() == ["1 local[1] 3 None 127.0.0.1 True False False", "5 8"]


@pytest.mark.parametrize(
    ("conf", "message"),
    [
        ({"spark.master": "nonsense://x"}, 'Could not start Spark on "nonsense://x": '),
        (
            {"spark.master": "local[1]", "spark.scheduler.allocation.file": "file:/nowhere/pools.xml"},
            'Could not start Spark on "local[1]": java.io.FileNotFoundException: File file:/nowhere/pools.xml',
        ),
        ({"spark.driver.memory": "lots"}, 'Could not start Spark on "local[*]": Invalid maximum heap size: -Xmxlots'),
    ],
)
def test_a_session_that_cannot_start_says_why(conf: dict[str, str], message: str) -> None:
    program = f"""
from forklake.engine.spark.driver.session import session
from forklake.errors import EngineError
try:
    session(None, {conf!r})
except EngineError as error:
    print(error)
"""
    assert message in run(program)


def test_options_for_java_are_added_to_ours() -> None:
    program = """
from forklake.engine.spark.driver.session import session
spark = session(None, {"spark.master": "local[1]", "spark.driver.extraJavaOptions": "-XX:+UseSerialGC -Dx=y"})
java = spark._jvm.java.lang
print(java.System.getProperty("x"), "log4j2" in java.System.getProperty("log4j2.configurationFile"))
"""
    assert run(program) == "y True\n"


@pytest.mark.parametrize(("gib", "memory"), [(2, "1024m"), (16, "4096m"), (1024, "30720m")])
def test_the_driver_has_a_quarter_of_the_memory(tmp_path: Path, gib: int, memory: str) -> None:
    limit = tmp_path / "memory.max"
    limit.write_text("max\n")
    whole = memory_bytes([str(limit)])
    limit.write_text(f"{2**30}\n")
    assert memory_bytes([str(limit), str(tmp_path / "none")]) == min(2**30, whole)
    assert driver_memory(gib * 2**30) == memory


def test_without_java_the_error_says_what_to_install(tmp_path: Path) -> None:
    program = """
from forklake.engine.spark.driver.session import session
from forklake.errors import EngineError
try:
    session(None, {})
except EngineError as error:
    print(error, error.hint)
"""
    said = run(program, JAVA_HOME=str(tmp_path))
    assert str(tmp_path) in said
    assert "openjdk-17" in said


def test_a_setting_of_sparks_own_file_is_known(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SPARK_CONF_DIR", str(tmp_path))
    assert not names_in_defaults_file("spark.driver.memory")
    (tmp_path / "spark-defaults.conf").write_text("# spark.driver.memory 1g\nspark.driver.memoryOverhead 1g\n")
    assert not names_in_defaults_file("spark.driver.memory")
    (tmp_path / "spark-defaults.conf").write_text("spark.ui.enabled=false\n  spark.driver.memory   3g\n")
    assert names_in_defaults_file("spark.driver.memory")


def test_a_context_of_the_callers_is_used_as_it_is_and_stays_theirs() -> None:
    program = """
from pyspark import SparkConf, SparkContext
from forklake.engine.spark.driver import session as sessions
context = SparkContext(conf=SparkConf().setMaster("local[1]").set("spark.ui.enabled", "false"))
made = sessions.session(None, {"spark.sql.shuffle.partitions": "3"})
print(made.sparkContext is context, context in sessions._own, made.conf.get("spark.sql.shuffle.partitions"))
"""
    assert run(program).split() == ["True", "False", "200"]
