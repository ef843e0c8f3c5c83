"""The Python that workers run: another version is told before a job is given to it."""

import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

import pyarrow as pa
import pytest
from pyspark.sql import SparkSession

from forklake import Lake
from forklake.engine.spark.driver.failures import translation
from forklake.engine.spark.driver.python_workers import check_workers, map_in_python
from forklake.errors import EngineError
from tests.lakes import IMPATIENT


@pytest.fixture
def other_python(tmp_path: Path) -> Path:
    """A Python of version 3.5, as far as one asks it for its version."""
    script = tmp_path / "python3.5"
    script.write_text("#!/bin/sh\necho 3.5\n", encoding="utf-8")
    script.chmod(0o755)
    return script


def same(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    yield from batches


def test_a_session_with_this_python_is_good(spark: SparkSession) -> None:
    assert map_in_python(spark.range(3), same, "id long").count() == 3


def test_workers_of_another_python_are_told_of_before_the_job(
    tmp_path: Path, spark: SparkSession, other_python: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(spark.sparkContext, "pythonExec", str(other_python))
    with pytest.raises(
        EngineError, match=r'run Python 3\.5 \(".*"\), and this process runs Python 3\.\d+; nothing was'
    ):
        map_in_python(spark.range(3), same, "id long")
    # Jobs that need no Python go on; one that does writes nothing.
    with Lake(f"sqlite:{tmp_path / 'lake.db'}", data_path=tmp_path / "data", spark=spark, settings=IMPATIENT) as lake:
        shop = lake.create_catalog("shop")
        plain = shop.create_table("plain", {"id": "BIGINT"})
        assert plain.append(spark.range(3)).row_count == 3
        wide = shop.create_table("wide", {"id": "UBIGINT"})
        with pytest.raises(EngineError, match="The workers of Spark run Python"):
            wide.append(spark.range(3))
        assert wide.count() == 0
    monkeypatch.setattr(spark.sparkContext, "pythonExec", "no-such-python")
    with pytest.raises(EngineError, match='There is no "no-such-python" for the workers of Spark'):
        check_workers(spark)


def test_workers_on_this_machine_run_this_python_where_none_was_named(
    spark: SparkSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    context = spark.sparkContext
    monkeypatch.delenv("PYSPARK_PYTHON", raising=False)
    monkeypatch.setattr(context, "pythonExec", "python3")  # as PySpark leaves it: whichever the PATH has
    check_workers(spark)
    assert context.pythonExec == sys.executable
    monkeypatch.setattr(context, "pythonExec", "python3")
    monkeypatch.setenv("PYSPARK_PYTHON", "python3")
    check_workers(spark)
    assert context.pythonExec == "python3"


def test_workers_elsewhere_tell_it_themselves() -> None:
    text = (
        "[PYTHON_VERSION_MISMATCH] Python in worker has different version: 3.10 than that in driver: 3.11, PySpark"
        " cannot run with different minor versions."
    )
    error = translation(RuntimeError(text), 'table "orders"')
    assert isinstance(error, EngineError)
    assert error.message.startswith("Executors run Python 3.10, and this process runs Python 3.11; the job on table")
