"""`forklake demo` shows what it says."""

import json

from pyspark.sql import SparkSession

from tests.cli.terminal import run


def test_the_demo_shows_what_each_agent_sees_and_changed(spark: SparkSession) -> None:
    shown = json.loads(run("demo", "--rows", "2000", "--agents", "2", "--forks", "3", "--json").out)
    assert [catalog["rows"] for catalog in shown["catalogs"]] == [2000, 2999, 3999]
    assert shown["catalogs"][1]["changes"] == {
        "insert": 1000,
        "update_preimage": 50,
        "update_postimage": 50,
        "delete": 1,
    }
    assert "3 forks more, median" in shown["figures"]
