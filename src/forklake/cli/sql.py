"""`forklake sql`: statements from the command line, a file, or a shell."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

import forklake
from forklake.cli import output
from forklake.cli.answer import show_answer, show_answers
from forklake.cli.command import Command, complete_catalog, existing_lake, lake_url
from forklake.cli.shell import run_shell
from forklake.errors import ForklakeError, InvalidInputError, NotFoundError
from forklake.model.hint import ListCatalogs
from forklake.model.quoting import quote_name, quote_text
from forklake.ops.lake_exists import lake_exists

if TYPE_CHECKING:
    from forklake.session.connection import Connection

_LISTED: Final = 5
"""How many catalogs are named to somebody who named none."""


@click.command(cls=Command)
@click.argument("file", type=click.Path(dir_okay=False, allow_dash=True), required=False)
@click.option("-c", "--command", "text", metavar="SQL", help="Run these statements, and leave.")
@click.option("--catalog", shell_complete=complete_catalog, help="Attach this catalog of the lake, and USE it.")
@click.option("--read-only", is_flag=True, help="Attach it for reading only.")
def sql(file: str | None, text: str | None, catalog: str | None, read_only: bool) -> None:
    """Run SQL statements, or open a shell for them.

    They are given with -c, in a file ("-" is standard input), or in the shell that opens without either.
    With --catalog the catalog is attached under its name and in use; others can be attached with ATTACH. The results
    of all statements are printed. The first statement that fails ends the run with an error; in a shell it goes on.

    With --json: `columns`, `types`, `rows` of the last statement.

    Examples:
      forklake sql --catalog shop -c "SELECT * FROM orders"
      forklake sql --catalog shop load.sql
      forklake sql -c "ATTACH 'ducklake:lake.db' AS shop (CATALOG 'shop'); FROM shop.snapshots()"
    """
    if file is not None and text is not None:
        raise click.UsageError("Give a file or -c, not both.")
    if read_only and catalog is None:
        raise click.UsageError("--read-only is said of the catalog that --catalog names.")
    with _session(catalog, read_only=read_only) as connection:
        if text is None and file is None and sys.stdin.isatty():
            if catalog is None:
                click.echo(_missing_catalog_hint(), err=True)
            run_shell(connection)
            return
        try:
            _run(connection, text if text is not None else _read(file))
        except NotFoundError as error:
            if not connection.attached:
                error.advice = _missing_catalog_hint()
            raise


def _run(connection: Connection, text: str) -> None:
    """Run statements and print their results; with --json, only the last one."""
    if output.wants_json():
        show_answer(connection.sql(text))
    else:
        show_answers(connection.results(text))
    if connection.is_in_transaction:
        raise InvalidInputError("The transaction was not committed; it was rolled back.", hint="End it with COMMIT.")


def _missing_catalog_hint() -> str:
    """Return the advice for a session without a catalog."""
    url, names = lake_url(), list[str]()
    try:
        if url is not None and lake_exists(url):
            with forklake.open(url) as lake:
                names = [info.name for info in lake.catalogs(limit=_LISTED + 1)]
    except ForklakeError:
        names = []  # what is wrong with the lake is told when it is used
    more = ", ..." if len(names) > _LISTED else ""
    which = f" of the lake ({', '.join(names[:_LISTED])}{more})" if names else ""
    return f"Nothing is attached: --catalog names a catalog{which}, or say ATTACH."


def _read(file: str | None) -> str:
    if file in (None, "-"):
        return sys.stdin.read()
    try:
        return Path(str(file)).read_text(encoding="utf-8")
    except OSError as error:
        raise click.UsageError(f"{file!r} cannot be read: {error.strerror}.") from error
    except UnicodeDecodeError as error:
        raise click.UsageError(f"{file!r} is no text in UTF-8; nothing was run.") from error


@contextmanager
def _session(catalog: str | None, *, read_only: bool) -> Iterator[Connection]:
    with forklake.connect() as connection:
        if catalog is not None:
            options = [f"CATALOG {quote_text(catalog)}", *(["READ_ONLY"] if read_only else [])]
            name = quote_name(catalog)
            url = existing_lake().removeprefix("ducklake:")
            try:
                connection.sql(f"ATTACH {quote_text(f'ducklake:{url}')} AS {name} ({', '.join(options)}); USE {name}")
            except NotFoundError as error:
                raise NotFoundError(error.message, hint=error.advice or ListCatalogs()) from error
        yield connection
