"""Random histories of forks that come back on Spark: rows, diffs and feeds are those of full copies."""

import os
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

import forklake
from tests.merges.histories import MergeHistory
from tests.sound import check_sound

HISTORIES = min(20, int(os.environ.get("FORKLAKE_HISTORIES", "20")))


@pytest.mark.soak
@pytest.mark.parametrize("seed", range(HISTORIES))
def test_a_history_of_merges_shows_what_full_copies_would_show(spark: SparkSession, tmp_path: Path, seed: int) -> None:
    with forklake.open(str(tmp_path / "lake.db"), spark=forklake.register(spark)) as lake:
        history = MergeHistory(lake, seed)
        history.run(40)
        history.end()
        check_sound(lake)
