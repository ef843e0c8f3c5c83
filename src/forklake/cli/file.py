"""`forklake file`: who sees a file."""

from __future__ import annotations

from collections.abc import Iterator

import click

from forklake.cli import output
from forklake.cli.command import Group, open_lake


@click.group(cls=Group)
def file() -> None:
    """Files: data files and delete files of tables."""


@file.command()
@click.argument("which", metavar="PATH|ID")
@click.option(
    "--limit", type=click.IntRange(min=1), default=1000, show_default=True, metavar="N", help="Catalogs for each row."
)
def references(which: str, limit: int) -> None:
    """List who sees a file.

    Every row that names it, with each catalog that sees the row and the first and last of its snapshots
    that do. A row without a catalog is seen by nobody any more. PATH is absolute; an ID is searched for
    among the rows of all catalogs.

    With --json: `references`, each with its row and its catalog.

    Examples:
      forklake file references /data/shop/main/orders/ducklake-0190.parquet
      forklake file references 17 --json
    """
    with open_lake() as lake:
        found = lake.maintenance.file_references(int(which) if which.isdecimal() else which, limit=limit)

    def text() -> Iterator[str]:
        numbers = ("ID", "BEGIN", "END", "FIRST", "LAST")
        sheet = output.Sheet("KIND", "ID", "OWNER", "BEGIN", "END", "SEEN BY", "FIRST", "LAST", right=numbers)
        yield from sheet.lines(
            (
                each.kind,
                each.file_id,
                each.owner_name,
                each.begin_snapshot_id,
                each.end_snapshot_id,
                each.catalog_name,
                each.first_snapshot_id,
                each.last_snapshot_id,
            )
            for each in found
        )

    output.show({"references": found}, text)
