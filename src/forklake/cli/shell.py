"""The interactive shell of `forklake sql`.

It reads statements and prints their results until the input ends.
"""

from __future__ import annotations

import atexit
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

from forklake import sql
from forklake.cli.answer import show_answers
from forklake.cli.command import tell
from forklake.errors import ForklakeError

if TYPE_CHECKING:
    from forklake.session.connection import Connection

_PROMPTS: Final = ("forklake> ", "      ...> ")
_LEAVE: Final = frozenset({".quit", ".exit", ".q", "quit", "exit", "\\q", "quit;", "exit;"})
_ASK: Final = frozenset({".help", ".h", "\\?", "\\h", "help", "help;"})
_HELP: Final = """\
Statements end with ";", and may go over several lines. Ctrl-C forgets what is typed, or stops what runs.
  SHOW TABLES; DESCRIBE t; SHOW DATABASES;      what there is
  ATTACH 'ducklake:URL' AS name (CATALOG 'x');  another catalog
  .help   this text
  .quit   leave, as Ctrl-D does"""


def run_shell(connection: Connection) -> None:
    """Read statements and print their results.

    An error is printed, and the shell continues.
    """
    _remember_lines()
    click.echo('Statements end with ";". ".help" tells more, ".quit" or Ctrl-D leaves.')
    waiting = ""
    while True:
        try:
            line = input(_PROMPTS[bool(waiting)])
        except EOFError:
            click.echo()
            break
        except KeyboardInterrupt:
            click.echo()
            waiting = ""
            continue
        if not waiting and line.strip().lower() in _LEAVE:
            break
        if not waiting and (line.lstrip().startswith((".", "\\")) or line.strip().lower() in _ASK):
            _answer_command(line.strip())
            continue
        waiting += line + "\n"
        if not waiting.strip():
            waiting = ""
        elif sql.parse.is_complete(waiting):
            _run(connection, waiting)
            waiting = ""
    if connection.is_in_transaction:
        click.echo("The transaction was not committed; it was rolled back.", err=True)


def _run(connection: Connection, text: str) -> None:
    try:
        show_answers(connection.results(text))
    except ForklakeError as error:
        tell(error)
    except KeyboardInterrupt:
        click.echo("Stopped.", err=True)


def _answer_command(command: str) -> None:
    if command.lower() in _ASK:
        click.echo(_HELP)
    else:
        click.echo(f'There is no command "{command.split(maxsplit=1)[0]}"; ".help" lists those that are.', err=True)


def _remember_lines() -> None:
    """Keep a history of lines for the arrow keys, in a file in the home directory.

    Nothing happens if this Python has no readline.
    """
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
