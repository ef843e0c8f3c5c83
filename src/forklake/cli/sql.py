"""`forklake sql`: statements from the command line, a file, or a shell."""

from __future__ import annotations

import atexit
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING

import click

from forklake.cli import output
from forklake.cli.command import Command, complete_catalog, lake_url, named_lake
from forklake.errors import ForklakeError

if TYPE_CHECKING:
    from forklake.session.connection import Connection
    from forklake.session.result import Result

_PROMPTS = ("forklake> ", "      ...> ")


@click.command(cls=Command)
@click.argument("file", type=click.Path(dir_okay=False, allow_dash=True), required=False)
@click.option("-c", "--command", "text", metavar="SQL", help="Run these statements, and leave.")
@click.option("--catalog", shell_complete=complete_catalog, help="Attach this catalog of the lake, and USE it.")
@click.option("--read-only", is_flag=True, help="Attach it for reading only.")
def sql(file: str | None, text: str | None, catalog: str | None, read_only: bool) -> None:
    """Run SQL statements, or open a shell for them.

    They are given with -c, in a file ("-" is standard input), or in the shell that opens without either.
    With --catalog the catalog is attached under its name and in use; others can be attached with ATTACH. The result
    of the last statement is printed. The first statement that fails ends the run with an error; in a shell it goes on.

    With --json: `columns`, `types`, `rows`.

    Examples:
      forklake sql --catalog shop -c "SELECT * FROM orders"
      forklake sql --catalog shop load.sql
      forklake sql -c "ATTACH 'ducklake:lake.db' AS shop (CATALOG 'shop'); FROM shop.snapshots()"
    """
    if file is not None and text is not None:
        raise click.UsageError("Give a file or -c, not both.")
    with _session(catalog, read_only=read_only) as connection:
        if text is None and file is None and sys.stdin.isatty():
            _shell(connection)
            return
        _show(connection.sql(text if text is not None else _read(file)))


def _read(file: str | None) -> str:
    if file in (None, "-"):
        return sys.stdin.read()
    try:
        return Path(str(file)).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise click.UsageError(f"{file!r} cannot be read: {error}") from error


@contextmanager
def _session(catalog: str | None, *, read_only: bool) -> Iterator[Connection]:
    from forklake.session.connection import connect  # noqa: PLC0415 - SQL comes with its parser

    with connect() as connection:
        if catalog is not None:
            options = [f"CATALOG {_text(catalog)}", *(["READ_ONLY"] if read_only else [])]
            name = '"' + catalog.replace('"', '""') + '"'
            url = named_lake().removeprefix("ducklake:")
            connection.sql(f"ATTACH {_text(f'ducklake:{url}')} AS {name} ({', '.join(options)}); USE {name}")
        elif lake_url() is not None and not read_only:
            click.echo("No --catalog is given: nothing is attached.", err=True)
        yield connection


def _text(value: str) -> str:
    return "'" + value.replace("'", "''") + "'"


def _show(result: Result | None) -> None:
    if result is None:
        if output.wants_json():
            output.show({"columns": [], "types": [], "rows": []}, list)
        return
    if output.wants_json():
        rows = [[_plain(value) for value in row] for row in result.fetchall()]
        output.show({"columns": list(result.columns), "types": list(result.types), "rows": rows}, list)
        return
    sheet = output.Sheet(*result.columns, right=[name for name, kind in zip(result.columns, result.types, strict=True)
                                                 if _is_number(kind)])  # fmt: skip
    for line in sheet.lines(["NULL" if value is None else str(value) for value in row] for row in result.fetchall()):
        click.echo(line)


def _is_number(kind: str) -> bool:
    return kind.startswith(("DECIMAL", "FLOAT", "DOUBLE")) or kind.endswith("INT") or kind.endswith("INTEGER")


def _plain(value: object) -> object:
    """Return a value as JSON can say it: what JSON has no word for is text."""
    if value is None or isinstance(value, bool | int | float | str):
        return value
    if isinstance(value, list | tuple):
        return [_plain(one) for one in value]
    if isinstance(value, dict):
        return {str(key): _plain(one) for key, one in value.items()}
    return value.hex() if isinstance(value, bytes) else str(value)


def _shell(connection: Connection) -> None:
    """Read statements until the input ends; each ends with a semicolon."""
    _remember_lines()
    click.echo('Statements end with ";"; ".quit" or Ctrl-D leaves.')
    waiting = ""
    while True:
        try:
            line = input(_PROMPTS[bool(waiting)])
        except EOFError:
            click.echo()
            return
        except KeyboardInterrupt:
            click.echo()
            waiting = ""
            continue
        if not waiting and line.strip() in (".quit", ".exit", "quit", "exit"):
            return
        waiting += line + "\n"
        if waiting.strip() and not waiting.rstrip().endswith(";"):
            continue
        try:
            _show(connection.sql(waiting))
        except ForklakeError as error:
            click.echo(f"Error: {error}", err=True)
            if error.hint:
                click.echo(f"Hint: {error.hint}", err=True)
        except KeyboardInterrupt:
            click.echo("Stopped.", err=True)
        waiting = ""


def _remember_lines() -> None:
    """Let the arrow keys bring back earlier lines, of this run and of those before, as far as this Python can."""
    try:
        import readline  # noqa: PLC0415 - some systems have none
    except ImportError:
        return
    history = Path.home() / ".forklake_history"
    readline.set_history_length(1000)
    with suppress(OSError):
        readline.read_history_file(history)

    def keep() -> None:
        with suppress(OSError):
            readline.write_history_file(history)

    atexit.register(keep)
