"""`forklake sql`: statements from the command line, a file, or a shell."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

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
)
from forklake.cli.shell.opening import make_session, missing_catalog_hint, open_session, other_catalogs
from forklake.cli.shell.script import read_script, run_script
from forklake.config import Confinement
from forklake.errors import InvalidInputError, NotFoundError
from forklake.metastore.location import is_store

if TYPE_CHECKING:
    from forklake.session.connection import Connection


@click.command(cls=Command)
@click.argument("given", nargs=-1, metavar="[LAKE] [FILE]")
@click.option("-c", "--command", "text", metavar="SQL", help="Run these statements, and leave.")
@click.option("--catalog", shell_complete=complete_catalog, help="Attach this catalog of the lake, and USE it.")
@click.option("--read-only", is_flag=True, help="Attach it for reading only.")
@click.option("--confined", is_flag=True, help="Reach nothing but this catalog: for SQL that nobody has read.")
@click.option(
    "--max-seconds", type=click.FloatRange(min=0, min_open=True), help="With --confined: limit of a statement."
)
@click.option("--max-rows", type=click.IntRange(min=1), help="With --confined: rows that a statement may return.")
@click.option("--max-bytes", type=click.IntRange(min=1), help="With --confined: bytes of files that one may read.")
@click.option("--mode", type=click.Choice(MODES), help="How results are printed; table unless --json is given.")
def sql(
    given: Sequence[str],
    text: str | None,
    catalog: str | None,
    read_only: bool,
    mode: str | None,
    confined: bool,
    **limits: float | None,
) -> None:
    """Run SQL statements, or open a shell for them.

    They are given with -c, in a file ("-" is standard input), or in the shell that opens without either. LAKE is the
    lake, as for --lake: a metadata file, or the URL of one. Its only catalog is in use, or the only one that is no
    fork; --catalog or USE chooses another. Every catalog of the lake can be named; others can be attached with ATTACH.
    A file that is not there and ends in .db, .ducklake or .sqlite becomes a new lake, with a catalog of the file's
    name. The results of all statements are printed. The first statement that fails ends the run with an error, which
    names its line; in a shell it goes on.

    With --confined the session is confined to the catalog, and to forks that it makes of it: it finds no other catalog,
    reads and writes no file outside its directories, and its settings are locked.

    With --json: `columns`, `types`, `rows` of each statement, one document after another.

    Examples:
      forklake sql lake.db
      forklake sql --catalog shop -c "SELECT * FROM orders" --mode csv
      forklake sql lake.db load.sql
      forklake sql lake.db --catalog agent-001 --confined --max-seconds 30 -c "SELECT count(*) FROM orders"
      forklake sql -c "ATTACH 'ducklake:lake.db' AS shop; FROM shop.snapshots()"
    """
    file = _take_lake(given)
    if file is not None and text is not None:
        raise click.UsageError("Give a file or -c, not both.")
    if mode is not None and output.wants_json() and mode != "json":
        raise click.UsageError("Give --json or --mode, not both.")
    if read_only and lake_url() is None:
        raise click.UsageError("--read-only is said of a catalog of the lake: name the lake.")
    terms = _terms(limits, is_confined=confined)
    answering = Answering(mode or ("json" if output.wants_json() else "table"))
    with _open_session(given, catalog, read_only=read_only, terms=terms) as (connection, lake):
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
        return make_session(url, catalog, partial(click.echo, err=True) if sys.stdin.isatty() else None)
    named = existing_lake() if catalog is not None or url is not None else None
    return open_session(named, catalog, read_only=read_only, terms=terms)


def _terms(limits: Mapping[str, float | None], *, is_confined: bool) -> Confinement | None:
    """Return the terms of a confined session; None if it is not to be confined.

    Raises:
        UsageError: There is no lake, or limits are given for a session that is not confined.
    """
    if is_confined and lake_url() is None:
        raise click.UsageError("--confined is said of a catalog of the lake: name the lake.")
    if not is_confined and any(limit is not None for limit in limits.values()):
        raise click.UsageError("Limits are those of a confined session: say --confined, too.")
    return Confinement(**limits) if is_confined else None  # type: ignore[arg-type]


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
    if files and files[0] != "-" and not Path(files[0]).is_file():
        directory = Path(files[0]).absolute().parent
        if Path(files[0]).suffix in LAKE_SUFFIXES and not directory.is_dir():
            raise click.UsageError(f"The directory {str(directory)!r} does not exist; no lake was made in it.")
        raise click.UsageError(
            f"{files[0]!r} is neither a file with statements nor a lake; `forklake sql NAME.db` makes a lake."
        )
    return files[0] if files else None
