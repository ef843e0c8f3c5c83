"""The shell: it reads statements at a terminal, and prints their results."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Final

import click
from prompt_toolkit import PromptSession
from prompt_toolkit.application import get_app
from prompt_toolkit.filters import Condition
from prompt_toolkit.history import FileHistory, History, InMemoryHistory
from prompt_toolkit.lexers import PygmentsLexer
from prompt_toolkit.output import ColorDepth, create_output
from pygments.lexers.sql import SqlLexer

from forklake import sql
from forklake.cli.answer import Answering
from forklake.cli.command import tell
from forklake.cli.shell.commands import command_of, run_command
from forklake.cli.shell.completer import SessionCompleter
from forklake.cli.shell.script import run_script
from forklake.errors import ForklakeError

if TYPE_CHECKING:
    from forklake.session.connection import Connection

_HISTORY: Final = ".forklake_history"


def run_shell(connection: Connection, answering: Answering) -> None:
    """Read statements and print their results, until the input ends.

    An error is printed, and the shell continues. Ctrl-C stops the statement that runs, and the session stays.
    """
    completer = SessionCompleter(connection)
    prompts = _prompts(completer)
    click.echo('Statements end with ";". ".help" tells more, ".quit" or Ctrl-D leaves.')
    while True:
        prompt = prompt_of(connection)
        try:
            text = prompts.prompt(prompt, prompt_continuation=f"{'...> ':>{len(prompt)}}")
        except KeyboardInterrupt:
            continue
        except EOFError:
            break
        if not text.strip():
            continue
        if not _run(text, connection, answering):
            break
        completer.forget()
    if connection.is_in_transaction:
        click.echo("The transaction was not committed; it was rolled back.", err=True)


def prompt_of(connection: Connection) -> str:
    """Return the prompt: what is in use, and an open transaction.

    A schema is told if it is another than main.
    """
    used = connection.in_use
    name = "forklake" if used is None else used[0] if used[1] == "main" else ".".join(used)
    shown = "".join(letter for letter in name if letter.isprintable())
    return f"{shown}{' (transaction)' if connection.is_in_transaction else ''}> "


def _run(text: str, connection: Connection, answering: Answering) -> bool:
    """Run a command or statements; return whether the shell goes on."""
    command = command_of(text)
    try:
        if command is not None:
            return run_command(command, connection, answering)
        run_script(connection, text, answering)
    except ForklakeError as error:
        tell(error)
    except KeyboardInterrupt:
        click.echo("\nStopped.", err=True)
    return True


def _prompts(completer: SessionCompleter) -> PromptSession[str]:
    no_colour = bool(os.environ.get("NO_COLOR"))
    return PromptSession(
        history=_history(),
        lexer=None if no_colour else PygmentsLexer(SqlLexer),
        color_depth=ColorDepth.DEPTH_1_BIT if no_colour else None,
        completer=completer,
        complete_while_typing=False,
        multiline=Condition(lambda: not _is_whole(get_app().current_buffer.text)),
        enable_open_in_editor=True,
        # The prompt is for whoever types, also if results go to a file.
        output=create_output(always_prefer_tty=True),
    )


def _is_whole(text: str) -> bool:
    """Return whether the Enter key runs a text, or adds a line to it."""
    return not text.strip() or command_of(text) is not None or sql.parse.is_complete(text)


def _history() -> History:
    """Return what was typed before, from a file that only its owner reads."""
    path = Path.home() / _HISTORY
    try:
        path.touch(mode=0o600)
        with path.open("ab"):
            return _DiscreetHistory(str(path))
    except OSError:
        return InMemoryHistory()


class _DiscreetHistory(FileHistory):
    """A file of what was typed; secrets are only remembered until the shell ends."""

    def store_string(self, string: str) -> None:
        if not sql.parse.makes_secret(string):
            super().store_string(string)
