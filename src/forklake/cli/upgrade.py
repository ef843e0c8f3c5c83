"""`forklake upgrade`: bring the metadata of a lake to the version of this release."""

from __future__ import annotations

from collections.abc import Iterator

import click

from forklake.cli import output
from forklake.cli.command import Command, existing_lake
from forklake.ops.upgrade_lake import upgrade_lake


@click.command(cls=Command)
@click.option("--dry-run", is_flag=True, help="Print the SQL that would be run, and run nothing.")
def upgrade(dry_run: bool) -> None:
    """Bring the metadata of a lake to the version of this release.

    All or nothing, in one transaction; data files are not touched. Make a backup first: an older release cannot
    open the lake afterwards. Run it as the owner of the tables on PostgreSQL. Rights on views and functions are
    kept; new tables need rights of their own.

    With --json: `found_version`, `version`, `upgraded`, `statements`.

    Examples:
      forklake upgrade --lake lake.db --dry-run
      forklake upgrade --lake postgresql://owner@host/db
    """
    found = upgrade_lake(existing_lake(), dry_run=dry_run)

    def text() -> Iterator[str]:
        if not found.statements:
            yield f"The lake has metadata of version {found.version}, as this release needs; nothing was changed."
        elif dry_run:
            yield f"-- From version {found.found_version} to version {found.version}"
            yield "BEGIN;"
            yield from (f"{statement};" for statement in found.statements)
            yield "COMMIT;"
        else:
            yield f"The metadata was brought from version {found.found_version} to version {found.version}."

    output.show(
        {
            "found_version": found.found_version,
            "version": found.version,
            "upgraded": found.is_done,
            "statements": found.statements,
        },
        text,
    )
