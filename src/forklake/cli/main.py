"""The entry point: the program and its commands."""

from __future__ import annotations

import logging

import click

from forklake import __version__
from forklake.cli.catalog import catalog
from forklake.cli.command import Root
from forklake.cli.completion import completion
from forklake.cli.demo import demo
from forklake.cli.init import init
from forklake.cli.maintain import maintain
from forklake.cli.option import option
from forklake.cli.ping import ping
from forklake.cli.snapshot import snapshot
from forklake.cli.sql import sql
from forklake.cli.stats import stats
from forklake.cli.table import table
from forklake.cli.upgrade import upgrade


@click.group(cls=Root, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(__version__, prog_name="forklake")
def forklake() -> None:
    """A lakehouse of many catalogs that fork instantly, without copying data.

    --lake and --json may stand before or after a command.
    """


for command in (init, catalog, table, snapshot, maintain, sql, option, stats, ping, upgrade, demo, completion):
    forklake.add_command(command)


def main() -> None:
    """Run the command line."""
    # py4j logs a call that Ctrl-C breaks off with its stack, to the root; what went wrong is told in our words.
    logging.getLogger().addHandler(logging.NullHandler())
    forklake(prog_name="forklake")
