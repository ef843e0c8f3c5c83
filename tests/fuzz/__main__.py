"""Ask random queries: ``python -m tests.fuzz --queries 20000 --seed 7``."""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
from pathlib import Path

from pyspark.sql import SparkSession

import forklake
from forklake import Connection
from tests.fuzz.answers import Engines, Finding, JavaGoneError
from tests.fuzz.campaign import Campaign, Report
from tests.fuzz.known import unlisted
from tests.java import start_quickly


def session(spark: SparkSession, directory: Path) -> Connection:
    """Return a session with an empty catalog in use."""
    made = forklake.connect(spark)
    made.sql(
        f"ATTACH 'ducklake:{directory}/lake.db' AS lake (CATALOG 'fuzz', DATA_PATH '{directory}/data',"
        " CREATE_IF_NOT_EXISTS true); USE lake"
    )
    return made


def main() -> int:
    """Run a campaign; print what differs as it is found, and the figures."""
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__)
    parser.add_argument("--queries", type=int, default=500)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--seeds", type=int, default=1, help="how many seeds, one after the other")
    parser.add_argument("--errors", action="store_true", help="print refusals too")
    given = parser.parse_args()
    start_quickly()
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    builder = SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false")
    for name, value in SPARK.items():
        builder = builder.config(name, value)
    spark = builder.getOrCreate()
    spark.sparkContext.setLogLevel("OFF")
    reports = [
        _run(spark, seed, given.queries, shows_errors=given.errors)
        for seed in range(given.seed, given.seed + given.seeds)
    ]
    return 1 if any(report.silent for report in reports) else 0


def _run(spark: SparkSession, seed: int, queries: int, *, shows_errors: bool) -> Report:
    """Run the campaign of a seed, in a lake of its own."""

    def note(finding: Finding) -> None:
        if finding.kind != "error":
            mark = "" if unlisted([finding]) else "listed "
            print(f"{mark}{finding}", flush=True)
        elif shows_errors:
            print(finding, flush=True)

    with tempfile.TemporaryDirectory() as directory, session(spark, Path(directory)) as ours:
        campaign = Campaign(Engines.with_tables(ours, seed), seed, note, lambda asked: print(asked, flush=True))
        try:
            report = campaign.run(queries)
        except JavaGoneError as error:
            sys.exit(f"seed {seed}, after {campaign.report}\n{error}")
    print(f"seed {seed}: {report}", flush=True)
    if campaign.engines.contradicted:
        print(f"{campaign.engines.contradicted} on which DuckDB contradicts itself, once without its optimizer")
    if report.uncalled:
        print("not called:", *report.uncalled)
    return report


SPARK = {
    "spark.driver.host": "127.0.0.1",
    "spark.sql.session.timeZone": "UTC",
    "spark.sql.shuffle.partitions": "2",
    # Compiling code for so many expressions takes longer than all else.
    "spark.sql.codegen.wholeStage": "false",
    "spark.sql.codegen.factoryMode": "NO_CODEGEN",
    "spark.ui.showConsoleProgress": "false",
}

if __name__ == "__main__":
    sys.exit(main())
