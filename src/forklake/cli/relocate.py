"""`forklake relocate`: give a lake, or a catalog, another base path."""

from __future__ import annotations

from collections.abc import Iterator

import click

from forklake.cli import output
from forklake.cli.command import Command, complete_catalog, existing_lake
from forklake.ops.lakes.relocate import relocate as relocate_now


@click.command(cls=Command)
@click.option("--data-path", required=True, metavar="PATH", help="Where the files are now.")
@click.option("--catalog", metavar="NAME", shell_complete=complete_catalog, help="Only the files of this catalog.")
@click.option("--dry-run", is_flag=True, help="Only say what would be changed.")
def relocate(data_path: str, catalog: str | None, dry_run: bool) -> None:
    """Tell a lake that its files are elsewhere now.

    Move or copy the files first: this changes paths in the metadata only, in one transaction. All that names a file
    below the old place names it below the new one, copies and severed forks included. With --catalog, the files of one
    catalog go below a data path of its own. Stop writers; programs that have the lake open must open it again.

    With --json: `old_path`, `data_path`, `row_counts`, `is_done`.

    Examples:
      forklake relocate --lake lake.db --data-path /mnt/large/data
      forklake relocate --lake postgresql://user@host/db --data-path s3://bucket/lake --dry-run
      forklake relocate --lake lake.db --catalog archive --data-path s3://cold
    """
    found = relocate_now(existing_lake(), data_path, catalog=catalog, dry_run=dry_run)

    def text() -> Iterator[str]:
        yield f"{'Files would be' if dry_run else 'Files are'} below {output.printable(found.data_path)}"
        yield f"They {'are' if dry_run else 'were'} below {output.printable(found.old_path)}"
        count = sum(found.row_counts.values())
        yield f"Absolute paths {'that would change' if dry_run else 'changed'}: {count:,}"

    output.show(found, text)
