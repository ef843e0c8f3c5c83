"""`forklake sql`: statements from the command line, a file, or a shell."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from forklake import Lake
from forklake.cli import output, shell
from forklake.cli.answer import MODES, Answering
from forklake.cli.command import (
    LAKE_SUFFIXES,
    Command,
    complete_catalog,
    existing_lake,
    lake_url,
    name_lake,
    names_new_lake,
    say_new_lake,
)
from forklake.cli.shell.opening import make_session, missing_catalog_hint, open_session, other_catalogs
from forklake.cli.shell.script import read_script, run_script
from forklake.config import Confinement
from forklake.errors import InvalidInputError, NotFoundError
from forklake.metastore.location import is_store

if TYPE_CHECKING:
    from forklake.session.connection import Connection


NONE: Final = "none"
"""What is said for no limit."""


class Limit(click.ParamType[Any]):
    """A number, or ``none``."""

    name = "limit"

    def __init__(self, number: click.ParamType[Any]) -> None:
        self._number = number

    def get_metavar(self, param: click.Parameter, ctx: click.Context) -> str:
        """Return what stands for it in a list of options."""
        return "NUMBER|none"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return the number, or ``none``."""
        return NONE if value == NONE else self._number.convert(value, param, ctx)


@click.command(cls=Command)
@click.argument("given", nargs=-1, metavar="[LAKE] [FILE|SQL]")
@click.option("-c", "--command", "text", metavar="SQL", help="Run these statements, and leave.")
@click.option("--catalog", shell_complete=complete_catalog, help="Attach this catalog of the lake, and USE it.")
@click.option("--read-only", is_flag=True, help="Attach it for reading only.")
@click.option("--confined", is_flag=True, help="Reach nothing but this catalog: for SQL that nobody has read.")
@click.option(
    "--max-seconds",
    type=Limit(click.FloatRange(min=0, min_open=True)),
    help='With --confined: limit of a statement, 60 if not given; or "none".',
)
@click.option(
    "--max-rows",
    type=Limit(click.IntRange(min=1)),
    help='With --confined: rows that a statement may return, 100000 if not given; or "none".',
)
@click.option(
    "--max-bytes",
    type=Limit(click.IntRange(min=1)),
    help='With --confined: bytes of files that one may read, 1 GiB if not given; or "none".',
)
@click.option(
    "--max-forks",
    type=Limit(click.IntRange(min=0)),
    help='With --confined: live forks that it may have, 100 if not given; or "none".',
)
@click.option("--fork-prefix", metavar="TEXT", help="With --confined: what the names of its forks begin with.")
@click.option("--author", metavar="NAME", help="With --confined: the author of all its commits.")
@click.option("--message", metavar="TEXT", help="With --confined: the message of all its commits.")
@click.option("--may-sign", is_flag=True, help="With --confined: SQL names an author or message that is not given.")
@click.option("--may-maintain", is_flag=True, help="With --confined: it may expire, clean up, compact and set options.")
@click.option("--mode", type=click.Choice(MODES), help="How results are printed; table unless --json is given.")
def sql(
    given: Sequence[str],
    text: str | None,
    catalog: str | None,
    read_only: bool,
    mode: str | None,
    confined: bool,
    **terms: Any,
) -> None:
    """Run SQL statements, or open a shell for them.

    They are given with -c or as the last argument, in a file ("-" is standard input), or in the shell that opens
    without either. LAKE is the lake, as for --lake: a metadata file, or the URL of one. Its only catalog is in use,
    or the only one that is no fork; --catalog or USE chooses another. Every catalog of the lake can be named;
    others can be attached with ATTACH. A file that is not there and ends in .db, .ducklake or .sqlite becomes a new
    lake, with a catalog of the file's name. The results of all statements are printed. The first statement that
    fails ends the run with an error, which names its line; in a shell it goes on.

    With --confined the session is confined to the catalog, and to forks that it makes of it: it finds no other catalog,
    reads and writes no file outside its directories, its settings are locked, and it keeps history.

    With --json: `columns`, `types`, `rows` of each statement, one document after another.

    Examples:
      forklake sql lake.db
      forklake sql --catalog shop -c "SELECT * FROM orders" --mode csv
      forklake sql lake.db load.sql
      forklake sql lake.db "SELECT 1"
      forklake sql lake.db --catalog agent-001 --confined --max-seconds 30 -c "SELECT count(*) FROM orders"
      forklake sql -c "ATTACH 'ducklake:lake.db' AS shop; FROM shop.snapshots()"
    """
    file, text = _take_words(given, text)
    if mode is not None and output.wants_json() and mode != "json":
        raise click.UsageError("Give --json or --mode, not both.")
    if read_only and lake_url() is None:
        raise click.UsageError("--read-only is said of a catalog of the lake: name the lake.")
    confinement = _confinement(terms, is_confined=confined)
    answering = Answering(mode or ("json" if output.wants_json() else "table"))
    with _open_session(given, catalog, read_only=read_only, terms=confinement) as (connection, lake):
        if text is None and file is None and sys.stdin.isatty():
            told = other_catalogs(connection, lake) if catalog is None else None
            if told is not None:
                click.echo(told, err=True)
            shell.loop.run_shell(connection, answering)
            return
        source = None if text is not None or file in (None, "-") else file
        script = text if text is not None else sys.stdin.read() if source is None else read_script(source)
        try:
            run_script(connection, script, answering, source)
        except NotFoundError as error:
            if connection.in_use is None and not connection.attached:
                error.advice = missing_catalog_hint(lake)
            raise
        if connection.is_in_transaction:
            raise InvalidInputError(
                "The transaction was not committed; it was rolled back.", hint="End it with COMMIT."
            )


def _open_session(
    given: Sequence[str], catalog: str | None, *, read_only: bool, terms: Confinement | None
) -> AbstractContextManager[tuple[Connection, Lake | None]]:
    url = lake_url()
    if url is not None and url in given and names_new_lake(url) and not read_only and terms is None:
        return make_session(url, catalog, say_new_lake if sys.stdin.isatty() else None)
    named = existing_lake() if catalog is not None or url is not None else None
    return open_session(named, catalog, read_only=read_only, terms=terms)


def _confinement(terms: Mapping[str, Any], *, is_confined: bool) -> Confinement | None:
    """Return the terms of a confined session; None if it is not to be confined.

    Raises:
        UsageError: There is no lake, or terms are given for a session that is not confined.
    """
    given = {name: value for name, value in terms.items() if value is not None and value is not False}
    if is_confined and lake_url() is None:
        raise click.UsageError("--confined is said of a catalog of the lake: name the lake.")
    if not is_confined and given:
        option = f"--{next(iter(given)).replace('_', '-')}"
        raise click.UsageError(f"{option} is said of a confined session: say --confined, too.")
    wanted: dict[str, Any] = {name: None if value == NONE else value for name, value in given.items()}
    return Confinement(**wanted) if is_confined else None


def _take_words(given: Sequence[str], text: str | None) -> tuple[str | None, str | None]:
    """Take the lake from the arguments; return the file and the statements.

    Raises:
        UsageError: There is a file beside statements, or something that is none of these.
    """
    file = _take_lake(given)
    if file is not None and text is not None:
        raise click.UsageError("Give a file or -c, not both.")
    return (None, file) if file is not None and _is_statement(file) else (file, text)


def _is_statement(word: str) -> bool:
    """Return whether an argument is statements, and not the name of a file."""
    return any(letter.isspace() or letter == ";" for letter in word.strip()) and not Path(word).is_file()


def _take_lake(given: Sequence[str]) -> str | None:
    """Take the lake from the arguments, and return the other one.

    That is a file with statements; None if there is none.

    Raises:
        UsageError: There are too many, it is neither, or there is no directory for a new lake.
    """
    lakes = [word for word in given if is_store(word) or names_new_lake(word)]
    files = [word for word in given if word not in lakes]
    if len(lakes) > 1 or len(files) > 1:
        raise click.UsageError("Give one lake and one file at most.")
    if lakes:
        name_lake(lakes[0])
    if files and files[0] != "-" and not _is_statement(files[0]) and not Path(files[0]).is_file():
        directory = Path(files[0]).absolute().parent
        if Path(files[0]).suffix in LAKE_SUFFIXES and not directory.is_dir():
            raise click.UsageError(f"The directory {str(directory)!r} does not exist; no lake was made in it.")
        raise click.UsageError(
            f"{files[0]!r} is neither a file with statements nor a lake; `forklake sql NAME.db` makes a lake."
        )
    return files[0] if files else None
