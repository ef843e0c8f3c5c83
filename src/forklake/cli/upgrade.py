"""`forklake upgrade`: bring the metadata of a lake to the version of this release."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict

import click

from forklake.cli import output
from forklake.cli.command import Command, existing_lake
from forklake.model.overview import Upgrade
from forklake.ops.lakes.upgrade_lake import upgrade_lake


@click.command(cls=Command)
@click.option("--trust-definitions", is_flag=True, help="Let stored definitions reach what whoever uses them reaches.")
@click.option("--dry-run", is_flag=True, help="Print the SQL that would be run, and run nothing.")
def upgrade(trust_definitions: bool, dry_run: bool) -> None:
    """Bring the metadata of a lake to the version of this release.

    All or nothing, in one transaction; data files are not touched. Make a backup first: an older release cannot
    open the lake afterwards. Run it as the owner of the tables on PostgreSQL. Rights on views and functions are
    kept; new tables need rights of their own.

    Views, macros, defaults and sort keys that older releases stored are listed. They are marked, and reach nothing but
    their own catalog from then on; with --trust-definitions none is.

    With --json: `found_version`, `version`, `upgraded`, `statements`, `definitions`, `trusted`.

    Examples:
      forklake upgrade --lake lake.db --dry-run
      forklake upgrade --lake postgresql://owner@host/db
    """
    found = upgrade_lake(existing_lake(), trust_definitions=trust_definitions, dry_run=dry_run)

    def text() -> Iterator[str]:
        if not found.statements:
            yield f"The lake has metadata of version {found.version}, as this release needs; nothing was changed."
        elif dry_run:
            yield f"-- From version {found.found_version} to version {found.version}"
            yield from (f"-- {line}" for line in _definitions(found))
            yield "BEGIN;"
            yield from (f"{statement};" for statement in found.statements)
            yield "COMMIT;"
        else:
            yield f"The metadata was brought from version {found.found_version} to version {found.version}."
            yield from _definitions(found)

    output.show(
        {
            "found_version": found.found_version,
            "version": found.version,
            "upgraded": found.is_done,
            "statements": found.statements,
            "definitions": [asdict(one) for one in found.definitions],
            "trusted": found.trusts_definitions,
        },
        text,
    )


def _definitions(found: Upgrade) -> Iterator[str]:
    if not found.definitions:
        return
    yield (
        "Stored definitions, which run with the reach of whoever uses them:"
        if found.trusts_definitions
        else "Stored definitions, which reach nothing but their own catalog until they are stored again:"
    )
    for one in found.definitions:
        yield f"  {one.kind} {one.name} of catalog {one.catalog}: {' '.join(one.text.split())}"
