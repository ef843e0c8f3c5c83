"""Transactions that write rows and alter their table, in SQL on Spark: what comes out is what DuckDB has."""

import os
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

import forklake
from tests.lakes import IMPATIENT
from tests.rows.altering import History, SqlMeans

HISTORIES = max(2, int(os.environ.get("FORKLAKE_HISTORIES", "0")) // 100)


@pytest.mark.parametrize("seed", range(HISTORIES))
def test_rows_of_a_transaction_that_alters_their_table_are_those_of_duckdb(
    spark: SparkSession, tmp_path: Path, seed: int
) -> None:
    with forklake.open(str(tmp_path / "lake.db"), data_path=tmp_path / "data", spark=spark, settings=IMPATIENT) as lake:
        history = History(lake, seed, SqlMeans())
        try:
            history.run(count=5)
        except Exception as error:
            text = "\n".join(history.told)
            pytest.fail(f"seed {seed}: {type(error).__name__}: {error}\n{text}", pytrace=False)
