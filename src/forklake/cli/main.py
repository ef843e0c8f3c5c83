"""The entry point: global options, and errors as one line with a hint and an exit code of their own."""

from __future__ import annotations

import sys

import click

from forklake import __version__
from forklake.cli.demo import demo
from forklake.cli.init import init
from forklake.errors import ForklakeError


@click.group(context_settings={"help_option_names": ["-h", "--help"], "auto_envvar_prefix": "FORKLAKE"})
@click.version_option(__version__, package_name="forklake")
@click.option(
    "--lake",
    metavar="URL",
    help="The lake: a file, sqlite:path, duckdb:path or postgresql://... (or the variable FORKLAKE_LAKE).",
)
@click.pass_context
def forklake(context: click.Context, lake: str | None) -> None:
    """A lakehouse of many catalogs, any of which can be forked instantly without copying data."""
    context.obj = lake


forklake.add_command(init)
forklake.add_command(demo)


def main() -> None:
    """Run the command line; an error leaves with its own exit code, and says what to do on stderr."""
    try:
        forklake(standalone_mode=False)
    except ForklakeError as error:
        click.echo(f"Error: {error}", err=True)
        if error.hint:
            click.echo(f"Hint: {error.hint}", err=True)
        sys.exit(error.exit_code)
    except click.ClickException as error:
        error.show()
        sys.exit(error.exit_code)
    except click.exceptions.Exit as leave:
        sys.exit(leave.exit_code)
    except (click.Abort, KeyboardInterrupt):
        click.echo("Stopped.", err=True)
        sys.exit(130)
