"""`forklake demo`: rows, forks that change them, and the costs."""

from __future__ import annotations

import statistics
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

import click
from rich.console import Console
from rich.progress import track
from rich.table import Table as Sheet

import forklake
from forklake import Catalog, Lake
from forklake.cli import output
from forklake.cli.command import Command, lake_url
from forklake.model.lazy_dataclass import dataclass

T = TypeVar("T")

_COLUMNS = {"id": "BIGINT", "region": "VARCHAR", "amount": "DECIMAL(10,2)", "placed_at": "TIMESTAMP"}
_ORDERS = (
    "id",
    "element_at(array('north', 'south', 'east', 'west'), cast(id % 4 as int) + 1) AS region",
    "cast(id % 1000 as decimal(10,2)) / 10 AS amount",
    "timestamp_ntz '2026-01-01' + make_dt_interval(0, 0, 0, id) AS placed_at",
)


@dataclass(frozen=True, slots=True)
class _Agent:
    catalog: Catalog
    changes: dict[str, int]
    """How many rows changed in which way, as the change feed tells it."""
    seconds: dict[str, float]


@click.command(cls=Command)
@click.option("--rows", default=1_000_000, show_default=True, type=click.IntRange(1), help="Rows of the table.")
@click.option("--agents", default=10, show_default=True, type=click.IntRange(1, 1000), help="Forks that add rows.")
@click.option("--forks", default=1000, show_default=True, type=click.IntRange(0, 1_000_000), help="Forks more.")
def demo(rows: int, agents: int, forks: int) -> None:
    """Show a lake at work: rows on Spark, and forks of them.

    Makes a table with generated rows, forks its catalog for a few agents that each add, update and delete rows in their
    own copy, and shows what everybody sees, what the change feed says, and what it cost. One of them is compared with
    the catalog it came from, and merged into it. Then it makes many forks more.
    Works in a temporary embedded lake unless --lake names one.

    With --json: `figures`, by what they measure, and `catalogs`, with what each sees.

    Examples:
      forklake demo
      forklake demo --lake postgresql://user@host/db --agents 100 --forks 10000
    """
    lake = lake_url()
    console = Console(quiet=output.wants_json())
    with tempfile.TemporaryDirectory(prefix="forklake-demo-") as directory:
        place = Path(directory)
        with forklake.open(lake or str(place / "lake.db"), data_path=None if lake else place / "data") as opened:
            _show(console, opened, rows, agents, forks)


def _show(console: Console, lake: Lake, rows: int, agent_count: int, fork_count: int) -> None:
    with console.status("Starting Spark"):
        spark, spark_seconds = _measure(lambda: lake.spark)
    shop = lake.create_catalog(_free_name(lake, "shop"))
    shop.create_table("orders", _COLUMNS)
    with console.status(f"Writing {rows:,} rows"):
        _, load_seconds = _measure(lambda: shop.table("orders").append(spark.range(rows).selectExpr(*_ORDERS)))
    files = shop.table("orders").storage.files()
    console.print(
        f"[bold]{shop.name}[/].orders: {rows:,} rows in {len(files)} Parquet files,"
        f" {output.size(sum(file.file_size_bytes for file in files))}, written in {load_seconds:.1f} s"
    )
    agents = [
        _work(shop, f"{shop.name}-agent-{number:02}", rows, number)
        for number in track(range(agent_count), "Agents at work", console=console, transient=True)
    ]
    seen = [_read_totals(shop), *(_read_totals(agent.catalog) for agent in agents)]
    console.print(_sheet(shop, agents, seen))
    figures = {
        "start Spark": f"{spark_seconds:.1f} s",
        "write": f"{rows / load_seconds:,.0f} rows/s",
        **{f"{what}, median": _milliseconds(statistics.median(agent.seconds[what] for agent in agents))
           for what in agents[0].seconds},
        **_bring_home(console, shop, agents[-1].catalog),
        **_many_forks(console, lake, shop, fork_count),
    }  # fmt: skip
    sheet = Sheet(title="What it cost", title_justify="left")
    sheet.add_column("what")
    sheet.add_column("figure", justify="right")
    for what, figure in figures.items():
        sheet.add_row(what, figure)
    console.print(sheet)
    names = [shop.name, *(agent.catalog.name for agent in agents)]
    changes: list[dict[str, int]] = [{}, *(agent.changes for agent in agents)]
    shown = [
        {"catalog": name, "rows": count, "amount": amount, "changes": changed}
        for name, (count, amount), changed in zip(names, seen, changes, strict=True)
    ]
    output.show({"figures": figures, "catalogs": shown}, tuple)


def _work(shop: Catalog, name: str, rows: int, number: int) -> _Agent:
    """Fork the catalog, change rows in the fork, and read its change feed."""
    seconds: dict[str, float] = {}
    agent, seconds["fork with all its rows"] = _measure(lambda: shop.fork(name))
    orders = agent.table("orders")
    new = [{"id": rows + place, "region": name, "amount": 1, "placed_at": None} for place in range(1000 * (number + 1))]
    _, seconds["append to a fork"] = _measure(lambda: orders.append(new))
    raised, removed = f"id BETWEEN {100 * number} AND {100 * number + 49}", f"id % 100000 = {number}"
    _, seconds["update in a fork"] = _measure(lambda: orders.update({"amount": "amount + 1000"}, raised))
    _, seconds["delete in a fork"] = _measure(lambda: orders.delete(removed))
    since = agent.snapshots()[-3].snapshot_id
    feed, seconds["change feed of a fork"] = _measure(
        lambda: orders.changes(since).groupBy("change_type").count().collect()
    )
    return _Agent(agent, {row[0]: row[1] for row in feed}, seconds)


def _read_totals(catalog: Catalog) -> tuple[int, str]:
    (row,) = catalog.table("orders").dataframe(["amount"]).selectExpr("count(*)", "sum(amount)").collect()
    return int(row[0]), f"{row[1]:,.0f}"


def _sheet(shop: Catalog, agents: list[_Agent], seen: list[tuple[int, str]]) -> Sheet:
    sheet = Sheet(title="What each of them sees, and what its change feed says", title_justify="left")
    sheet.add_column("catalog")
    for heading in ("rows", "sum(amount)", "added", "updated", "deleted"):
        sheet.add_column(heading, justify="right")
    count, amount = seen[0]
    sheet.add_row(f"[bold]{shop.name}[/]", f"{count:,}", amount, "", "", "")
    for agent, (count, amount) in zip(agents, seen[1:], strict=True):
        told = [f"{agent.changes.get(kind, 0):,}" for kind in ("insert", "update_postimage", "delete")]
        sheet.add_row(agent.catalog.name, f"{count:,}", amount, *told)
    return sheet


def _bring_home(console: Console, shop: Catalog, agent: Catalog) -> dict[str, str]:
    """Compare a fork with its parent, and merge it."""
    diff, diff_seconds = _measure(lambda: shop.diff(agent))
    counts = diff.count_rows("orders")
    console.print(
        f"[bold]{agent.name}[/] differs from {shop.name} in {counts.inserted:,} rows that are new, {counts.updated:,}"
        f" that are updated and {counts.deleted:,} that are gone"
    )
    plan, merge_seconds = _measure(lambda: shop.merge(agent))
    count, amount = _read_totals(shop)
    console.print(
        f"[bold]{shop.name}[/] after the merge, as snapshot {plan.snapshot_id}: {count:,} rows, sum(amount) {amount}"
    )
    return {
        "compare a fork with its parent": _milliseconds(diff_seconds),
        "merge a fork": _milliseconds(merge_seconds),
    }


def _many_forks(console: Console, lake: Lake, shop: Catalog, count: int) -> dict[str, str]:
    if count == 0:
        return {}
    before = lake.metadata_bytes()
    seconds = []
    for number in track(range(count), "Forking", console=console, transient=True):
        start = time.perf_counter()
        shop.fork(f"{shop.name}-fork-{number:04}")
        seconds.append(time.perf_counter() - start)
    return {
        f"{count:,} forks more, median": _milliseconds(statistics.median(seconds)),
        "metadata bytes of each": f"{(lake.metadata_bytes() - before) / count:,.0f}",
    }


def _free_name(lake: Lake, name: str) -> str:
    taken = {catalog.name for catalog in lake.catalogs(prefix=name)}
    return next(free for number in range(len(taken) + 1) if (free := f"{name}{number or ''}") not in taken)


def _measure(action: Callable[[], T]) -> tuple[T, float]:
    start = time.perf_counter()
    result = action()
    return result, time.perf_counter() - start


def _milliseconds(seconds: float) -> str:
    return f"{seconds * 1000:.2f} ms"
