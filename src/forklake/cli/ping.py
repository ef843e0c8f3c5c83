"""`forklake ping`: whether a lake answers, for health checks."""

from __future__ import annotations

import click

from forklake.cli import output
from forklake.cli.command import Command, open_lake


@click.command(cls=Command)
def ping() -> None:
    """Ask a lake whether it answers, for health checks.

    Opens it, asks one cheap question, and tells how long the answer took. The exit code is 0 if it answers,
    8 if the metadata database does not or is of another version, 3 if there is no such file.

    With --json: `product`, `version`, `milliseconds`.

    Examples:
      forklake ping
      forklake ping --lake postgresql://user@host/db --json
    """
    with open_lake() as lake:
        found = lake.ping()
    output.show(found, lambda: [f"{found.product}, metadata of version {found.version}: {found.milliseconds:.1f} ms"])
