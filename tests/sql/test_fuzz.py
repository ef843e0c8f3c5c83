"""Random queries of every kind must be answered as DuckDB answers them; `make fuzz-sql` asks more of them.

What this process can answer must be answered by it as by Spark.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.fuzz.__main__ import SPARK, session
from tests.fuzz.answers import Engines
from tests.fuzz.campaign import Campaign
from tests.fuzz.queries import JOIN_KINDS
from tests.spark.plans import setting

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.timeout(900)  # hundreds of queries on Spark

QUERIES = 500
SEED = 1


def test_random_queries_are_answered_as_in_duckdb(
    tmp_path: Path, spark: SparkSession, capsys: pytest.CaptureFixture[str]
) -> None:
    changed = {name.replace(".", "_"): value for name, value in SPARK.items() if name.startswith("spark.sql.")}
    with setting(spark, **changed), session(spark, tmp_path) as ours:
        engines = Engines.with_tables(ours, SEED)
        report = Campaign(engines, SEED).run(QUERIES)
    with capsys.disabled():
        print(f"\n{report}\nthis process answered {engines.answered} too")
    assert not report.silent, "\n".join(map(str, report.silent))
    assert len(report.errors) < 0.05 * report.asked, "\n".join(map(str, report.errors))
    assert engines.answered > 0.1 * report.asked
    assert not report.uncalled
    assert report.joins == set(JOIN_KINDS)
    assert all(report.casts.values())
