"""The entry point: the program and its commands."""

from __future__ import annotations

import logging
import warnings
from typing import Final, TextIO

import click

from forklake import __version__
from forklake.cli import output
from forklake.cli.command import Root

_COMMANDS: Final = (
    *("init", "stats", "ping", "fsck", "upgrade", "relocate"),
    *("catalog", "table", "snapshot", "file", "maintain", "sql", "option", "demo", "completion"),
)


@click.group(
    cls=Root, modules=_COMMANDS, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100}
)
@click.version_option(__version__, prog_name="forklake")
def forklake() -> None:
    """A lakehouse of many catalogs that fork instantly, without copying data.

    --lake and --json may stand before or after a command.
    """


def _show_warning(
    message: Warning | str,
    category: type[Warning],
    filename: str,
    lineno: int,
    file: TextIO | None = None,
    line: str | None = None,
) -> None:
    """Tell a warning as errors are told, without the line of code that it is from."""
    click.echo(f"Warning: {output.printable(str(message))}", err=True)


def main() -> None:
    """Run the command line."""
    warnings.showwarning = _show_warning
    # py4j logs a call that Ctrl-C breaks off with its stack, to the root; what went wrong is told in our words.
    logging.getLogger().addHandler(logging.NullHandler())
    forklake(prog_name="forklake")
