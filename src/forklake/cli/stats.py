"""`forklake stats`: what a lake holds, and how it grows."""

from __future__ import annotations

from collections.abc import Iterator
from typing import cast

import click

from forklake import LakeStats
from forklake.cli import output
from forklake.cli.command import Command, open_lake
from forklake.cli.openmetrics import openmetrics
from forklake.ops.lakes.lake_stats import MAX_PERIODS, Period


@click.command(cls=Command)
@click.option("--by", type=click.Choice(["day", "hour"]), default="day", show_default=True, help="Periods of growth.")
@click.option(
    "--periods", type=click.IntRange(1, MAX_PERIODS), default=7, show_default=True, help="How many, up to now."
)
@click.option("--openmetrics", "as_metrics", is_flag=True, help="Print the text format that Prometheus reads.")
def stats(by: str, periods: int, as_metrics: bool) -> None:
    """Show what a lake holds, and what maintenance has to do.

    Catalogs, snapshots, files, rows and bytes of each metadata table, and what was made lately. Rows
    are counted; a ~ marks those of large PostgreSQL tables, which are estimated. Periods are days or
    hours of UTC. Bytes of files are those that the metadata has: no file is looked at. Orphaned files are not
    counted, because only `forklake maintain orphans --all --dry-run` lists directories.

    With --json: the counts, `tables`, `growth` and `needs`, which has how many catalogs each verb of maintenance
    would act on, and files for `cleanup`. With --openmetrics: gauges and counters, for a scraper or the
    text file collector of a Prometheus exporter.

    Examples:
      forklake stats
      forklake stats --by hour --periods 24 --json
      forklake stats --openmetrics > /var/lib/node_exporter/forklake.prom
    """
    if as_metrics and output.wants_json():
        raise click.UsageError("--openmetrics and --json do not go together.")
    with open_lake() as lake:
        found = lake.stats(by=cast("Period", by), periods=periods)

    def text() -> Iterator[str]:
        forks = f"{output.quantity(found.root_count, 'root')}, {output.quantity(found.fork_count, 'fork')}"
        yield from output.facts(
            ("Catalogs", f"{found.catalog_count:,} ({forks})"),
            ("Dropped", f"{found.dropped_count:,}, and {found.purged_count:,} purged"),
            ("Snapshots", f"{found.snapshot_count:,}"),
            ("Metadata", output.size(found.byte_count)),
            ("Files", f"{found.file_count:,}, {output.size(found.file_byte_count)}"),
            ("Live bytes", f"{output.size(found.live_byte_count)} that live catalogs show now"),
            ("Shared bytes", f"{output.size(found.shared_byte_count)} that forks see, too"),
            ("Would free", f"{output.size(found.freed_byte_count)} if the dropped catalogs were purged"),
        )
        yield ""
        sheet = output.Sheet("METADATA TABLE", "ROWS", "SIZE", right=("ROWS", "SIZE"))
        filled = [each for each in found.tables if each.row_count]
        yield from sheet.lines(
            (each.name, f"{'~' if each.is_estimate else ''}{each.row_count:,}", output.size(each.byte_count))
            for each in filled
        )
        empty = len(found.tables) - len(filled)
        if empty:
            yield f"{output.quantity(empty, 'other table')} without rows"
        yield ""
        grown = output.Sheet("FROM", "CATALOGS MADE", "SNAPSHOTS MADE", right=("CATALOGS MADE", "SNAPSHOTS MADE"))
        yield from grown.lines(
            (each.start, f"{each.catalogs_made:,}", f"{each.snapshots_made:,}") for each in found.growth
        )
        yield ""
        yield from output.Sheet("MAINTENANCE", "WOULD ACT ON").lines(_work(found))

    counted = output.plain(found) | {"needs": found.needs.counts}
    output.show(counted, lambda: openmetrics(found) if as_metrics else text())


def _work(found: LakeStats) -> Iterator[tuple[str, str]]:
    """Yield each verb of maintenance with what it would act on now."""
    needs = found.needs
    for verb, count in needs.counts.items():
        if verb != "cleanup":
            yield verb, output.quantity(count, "catalog")
    waiting = f"of {needs.scheduled_count:,} that wait; {output.quantity(needs.due_count, 'catalog')} to collect"
    yield "cleanup", f"{output.quantity(needs.waited_count, 'file')} {waiting}"
    yield "purge", output.quantity(found.dropped_count, "dropped catalog")
