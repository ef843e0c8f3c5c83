"""`forklake demo`: forks at work, with figures."""

from __future__ import annotations

import statistics
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import click
from rich.console import Console
from rich.progress import track
from rich.table import Table as Sheet
from rich.tree import Tree

import forklake
from forklake import Catalog, ColumnStats, Lake, NewDataFile
from forklake.cli import output
from forklake.cli.command import Command, lake_url

_TABLES = 20
_COLUMNS = {f"column_{number}": "BIGINT" for number in range(10)}
_FILES_PER_TABLE = 50


@click.command(cls=Command)
@click.option("--forks", default=1000, show_default=True, type=click.IntRange(1, 1_000_000), help="How many forks.")
def demo(forks: int) -> None:
    """Show forks at work, with figures.

    Makes a catalog with tables, forks it many times, and shows tree, latencies and bytes per fork.
    Works in a temporary embedded lake unless --lake names one.

    With --json: `figures`, by what they measure.

    Examples:
      forklake demo
      forklake demo --lake postgresql://user@host/db --forks 10000
    """
    lake = lake_url()
    console = Console(quiet=output.wants_json())
    with tempfile.TemporaryDirectory(prefix="forklake-demo-") as directory:
        place = Path(directory)
        with forklake.open(lake or str(place / "lake.db"), data_path=None if lake else place / "data") as opened:
            _show(console, opened, forks)


def _show(console: Console, lake: Lake, forks: int) -> None:
    shop = lake.create_catalog(_free_name(lake, "shop"))
    name = shop.name
    console.print(f"[bold]{name}[/]: {_TABLES} tables, {_TABLES * _FILES_PER_TABLE:,} data files in the metadata")
    for number in track(range(_TABLES), "Filling the catalog", console=console, transient=True):
        _fill(shop, f"table_{number:02}")

    before = lake.metadata_bytes()
    latencies: list[float] = []
    made: list[Catalog] = []
    for number in track(range(forks), "Forking", console=console, transient=True):
        start = time.perf_counter()
        made.append(shop.fork(f"{name}-agent-{number:04}"))
        latencies.append(time.perf_counter() - start)
    after = lake.metadata_bytes()

    agent = made[0]
    agent.drop_table("table_00")
    agent.rename_table("table_01", "renamed_by_agent")
    what_if = agent.fork(f"{name}-what-if")
    audit = shop.fork(f"{name}-audit", at=shop.snapshots()[1].snapshot_id)

    console.print(_tree(shop, made, what_if, audit))
    sheet = Sheet(title=f"{forks:,} forks of one catalog", title_justify="left")
    sheet.add_column("what")
    sheet.add_column("figure", justify="right")
    figures = _figures(lake, shop, agent, latencies, before, after)
    for what, figure in figures:
        sheet.add_row(what, figure)
    console.print(sheet)
    output.show({"figures": dict(figures)}, tuple)


def _fill(shop: Catalog, table: str) -> None:
    stats = {name: ColumnStats(value_count=1000, null_count=0, min_value="0", max_value="999") for name in _COLUMNS}
    files = [
        NewDataFile(f"part-{part:04}.parquet", 1000, 64_000, column_stats=stats) for part in range(_FILES_PER_TABLE)
    ]
    with shop.transaction(message=f"Load {table}") as txn:
        txn.create_table(table, _COLUMNS)
        txn.append_files(table, files)


def _figures(
    lake: Lake, shop: Catalog, agent: Catalog, latencies: list[float], before: int, after: int
) -> list[tuple[str, str]]:
    ordered = sorted(latencies)
    return [
        ("fork, median", _milliseconds(statistics.median(ordered))),
        ("fork, 99 of 100 within", _milliseconds(ordered[int(len(ordered) * 0.99)])),
        ("forks a second, one process", f"{len(latencies) / sum(latencies):,.0f}"),
        ("metadata bytes per fork", f"{(after - before) / len(latencies):,.0f}"),
        ("metadata bytes before the first fork", f"{before:,}"),
        ("open a fork by its name", _milliseconds(_timed(lambda: lake.catalog(agent.name)))),
        ("list the tables of a fork", _milliseconds(_timed(agent.tables))),
        ("list the files of a table of a fork", _milliseconds(_timed(agent.table("table_02").files))),
        ("tables of the catalog / of the agent that dropped one", f"{len(shop.tables())} / {len(agent.tables())}"),
    ]


def _tree(shop: Catalog, made: list[Catalog], what_if: Catalog, audit: Catalog) -> Tree:
    tree = Tree(f"[bold]{shop.name}[/]  head {shop.head}, {len(shop.tables())} tables")
    first = tree.add(f"{made[0].name}  head {made[0].head}, {len(made[0].tables())} tables: one dropped, one renamed")
    first.add(f"{what_if.name}  head {what_if.head}, a fork of a fork: {len(what_if.tables())} tables")
    for agent in made[1:3]:
        tree.add(f"{agent.name}  head {agent.head}, {len(agent.tables())} tables")
    if len(made) > 3:
        tree.add(f"[dim]... and {len(made) - 3:,} more forks[/]")
    tree.add(f"{audit.name}  head {audit.head}, a fork in the past: {len(audit.tables())} table")
    return tree


def _free_name(lake: Lake, name: str) -> str:
    taken = {catalog.name for catalog in lake.catalogs(prefix=name)}
    return next(free for number in range(len(taken) + 1) if (free := f"{name}{number or ''}") not in taken)


def _timed(action: Callable[[], object]) -> float:
    start = time.perf_counter()
    action()
    return time.perf_counter() - start


def _milliseconds(seconds: float) -> str:
    return f"{seconds * 1000:.2f} ms"
