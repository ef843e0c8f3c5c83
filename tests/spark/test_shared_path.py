"""Words for what goes wrong where executors are other machines; what needs a cluster is in `test_cluster`."""

import os
from pathlib import Path

import pytest
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

from forklake.engine.spark.driver.environment import environment
from forklake.engine.spark.driver.failures import translation
from forklake.engine.spark.driver.shared_path import check_shared, check_written
from forklake.errors import EngineError


def test_a_directory_that_was_written_elsewhere_is_an_error(tmp_path: Path) -> None:
    check_written(f"{tmp_path}/")
    check_written("s3://bucket/anywhere/")
    with pytest.raises(EngineError, match=r'Spark wrote to the directory ".*/none/" on another machine'):
        check_written(f"{tmp_path}/none/")


def test_a_session_on_this_machine_is_not_asked_what_it_sees(tmp_path: Path, spark: SparkSession) -> None:
    check_shared(spark, f"{tmp_path}/none/")
    assert list(tmp_path.iterdir()) == []


def test_a_module_that_executors_lack_is_named() -> None:
    error = PySparkException("Job aborted: Traceback\nModuleNotFoundError: No module named 'forklake'\n")
    found = translation(error, 'table "t"')
    assert found.message == (
        'Executors have no Python module "forklake"; the job on table "t" failed and nothing was committed.'
    )
    assert "PYSPARK_PYTHON" in str(found.hint)


def test_the_python_of_executors_is_set_only_if_the_caller_has_not(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("PYSPARK_PYTHON", raising=False)
    with environment(PYSPARK_PYTHON="/other/python"):
        assert os.environ["PYSPARK_PYTHON"] == "/other/python"
    assert "PYSPARK_PYTHON" not in os.environ
    monkeypatch.setenv("PYSPARK_PYTHON", "/own/python")
    with environment(PYSPARK_PYTHON="/other/python"):
        assert os.environ["PYSPARK_PYTHON"] == "/own/python"
