"""`python -m benchmarks`: run benchmarks and show their figures."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import click
from rich.console import Console

from benchmarks import (
    adopt,
    agents,
    branches,
    cluster,
    commit,
    compact,
    dml,
    fork,
    fsck,
    garbage,
    hot,
    merge,
    million,
    size,
    small,
    spark,
    sql,
    tpch,
    trips,
    turns,
)
from benchmarks.databases import Databases, running
from benchmarks.report import Figure, least_disturbed, machine, show, to_json, to_markdown

WIDTH = 150
"""Of a table in a file."""

BENCHMARKS: dict[str, Callable[[Databases, bool], list[Figure]]] = {
    "fork": fork.run,
    "million": million.run,
    "commit": commit.run,
    "hot": hot.hot,
    "adopt": adopt.adopt,
    "small": small.small,
    "fsck": fsck.fsck,
    "safety": garbage.safety,
    "purge": garbage.purge,
    "scan": spark.scan,
    "append": spark.append,
    "plan": spark.plan,
    "prune": spark.prune,
    "floats": spark.floats,
    "depth": spark.depth,
    **dml.BENCHMARKS,
    "compact": compact.compact,
    "merge": merge.merge,
    "merge-rows": merge.merge_rows,
    "refresh": merge.refresh,
    "reap": merge.reap,
    "branches": branches.branches,
    "size": size.size,
    "cluster": cluster.cluster,
    "agents": agents.agents,
    "trips": trips.trips,
    "turns": turns.turns,
    "turns-on-spark": turns.turns_on_spark,
    "sql": sql.sql,
    "tpch": tpch.tpch,
    "tpch-large": tpch.tpch_large,
}

LONG = ("size", "cluster", "tpch-large")
"""What is run only if it is asked for by name."""


@click.command(context_settings={"help_option_names": ["-h", "--help"]})
@click.argument("names", nargs=-1, type=click.Choice([*BENCHMARKS]), metavar=f"[{'|'.join(BENCHMARKS)}]...")
@click.option("--quick", is_flag=True, help="Small sizes: shows that it works, measures nothing.")
@click.option("--store", type=click.Choice(["sqlite", "postgres", "both"]), default="both", show_default=True)
@click.option("--json", "json_file", type=click.Path(path_type=Path), help="Also write the figures as JSON.")
@click.option("--markdown", "markdown_file", type=click.Path(path_type=Path), help="Also write them as Markdown.")
@click.option("--runs", type=click.IntRange(min=1), default=1, help="Run each so often and keep the least disturbed.")
def main(
    names: tuple[str, ...], quick: bool, store: str, json_file: Path | None, markdown_file: Path | None, runs: int
) -> None:
    """Print our figures beside their references, measured in the same run."""
    figures: list[Figure] = []
    about = machine()
    console = Console()
    if not console.is_terminal:
        console.width = WIDTH
    for name in names or (name for name in BENCHMARKS if name not in LONG):
        found = []
        for _ in range(runs):
            with running(store) as databases:
                found.append(BENCHMARKS[name](databases, quick))
                about |= databases.versions()
            show(found[-1], console)
        figures += least_disturbed(found)
    if json_file is not None:
        json_file.write_text(to_json(figures, about) + "\n")
    if markdown_file is not None:
        markdown_file.write_text(to_markdown(figures, about, runs))


if __name__ == "__main__":
    main()
