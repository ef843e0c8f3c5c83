"""Statements that come together: their results, and where one of them failed."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

from forklake import sql
from forklake.cli.answer import Answering
from forklake.errors import ForklakeError

if TYPE_CHECKING:
    from forklake.session.connection import Connection
    from forklake.session.results.result import Result

_SHOWN_LETTERS: Final = 60


def run_script(connection: Connection, text: str, answering: Answering, source: str | None = None) -> None:
    """Run statements, and print the result of each.

    All are parsed before the first one runs.

    Args:
        connection: The session.
        text: The statements.
        answering: How results are printed.
        source: Where the text is from, if it has a name.

    Raises:
        ForklakeError: A statement is wrong or failed; a note names it and its line, if there are several.
    """
    done = 0

    def results() -> Iterator[Result | None]:
        nonlocal done
        for result in connection.results(text):
            yield result
            done += 1  # it is only computed when it is printed

    try:
        answering.show_all(results())
    except ForklakeError as error:
        place = _place(text, done, source)
        if place is not None:
            error.add_note(place)
        raise


def _place(text: str, number: int, source: str | None) -> str | None:
    """Return where a statement is.

    None if it is the only one, in a text without a name.
    """
    try:
        places = sql.parse.statement_places(text)
        sql.parse.parse(text)
    except ForklakeError:  # the error has the line
        return None if source is None else f"In {source}; none of its statements was run."
    if source is None and len(places) < 2:
        return None
    line, statement = places[min(number, len(places) - 1)]
    first = statement.partition("(" if sql.parse.makes_secret(statement) else "\n")[0]
    shown = first if first == statement and len(first) <= _SHOWN_LETTERS else f"{first[:_SHOWN_LETTERS].rstrip()} ..."
    where = f"of {source}, line {line}" if source is not None else f"on line {line}"
    return f"In statement {number + 1} {where}: {shown}"


def read_script(path: str) -> str:
    """Return the text of a file.

    Raises:
        UsageError: It cannot be read.
    """
    try:
        return Path(path).read_text(encoding="utf-8")
    except OSError as error:
        raise click.UsageError(f"{path!r} cannot be read: {error.strerror}.") from error
    except UnicodeDecodeError as error:
        raise click.UsageError(f"{path!r} is no text in UTF-8; nothing was run.") from error
