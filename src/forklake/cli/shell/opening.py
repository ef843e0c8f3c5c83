"""Sessions on a lake that is named, with a catalog in use."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

import forklake
from forklake import Lake
from forklake.cli import output
from forklake.config import Confinement
from forklake.errors import InvalidInputError, NotFoundError
from forklake.model.hint import ListCatalogs
from forklake.model.quoting import quote_name, quote_text

if TYPE_CHECKING:
    from forklake.session.connection import Connection

_LISTED: Final = 5
"""How many catalogs are named to somebody who named none."""


@contextmanager
def open_session(
    url: str | None, catalog: str | None = None, *, read_only: bool = False, terms: Confinement | None = None
) -> Iterator[tuple[Connection, Lake | None]]:
    """Open a lake and a session on it, in which a catalog is attached and in use.

    It is the one that is named, or the only one; if there are several, none is. Without a URL it is a session with
    nothing attached. With terms, it is confined to the catalog.

    Raises:
        NotFoundError: There is no such catalog.
        InvalidInputError: Reading only, or confinement, is asked for, and no catalog is chosen.
    """
    if url is None:
        with forklake.connect() as connection:
            yield connection, None
        return
    with forklake.open(url) as lake, lake.connect(confined=terms or False) as connection:
        if catalog is None:
            found = lake.catalogs(limit=2)
            catalog = found[0].name if len(found) == 1 else None
        if catalog is not None:
            options = [f"CATALOG {quote_text(catalog)}", *(["READ_ONLY"] if read_only else [])]
            name = quote_name(catalog)
            try:
                connection.sql(f"ATTACH 'ducklake:' AS {name} ({', '.join(options)}); USE {name}")
            except NotFoundError as error:
                raise NotFoundError(error.message, hint=error.advice or ListCatalogs()) from error
            if terms is not None:
                connection.sql("SET lock_configuration = true")
        elif read_only or terms is not None:
            wanted = "Reading only" if read_only else "Confinement"
            raise InvalidInputError(f"{wanted} is said of a catalog, and none was chosen.", hint="Name it.")
        yield connection, lake


@contextmanager
def make_session(path: str, catalog: str | None = None) -> Iterator[tuple[Connection, None]]:
    """Make a lake with a catalog, and open a session on it.

    It is what ATTACH makes of a new file. The catalog has the name of the file unless it is given. The session alone
    holds the lake.
    """
    with forklake.connect() as connection:
        name = quote_name(catalog or Path(path).stem)
        connection.sql(f"ATTACH {quote_text(f'ducklake:{path}')} AS {name}; USE {name}")
        if sys.stdin.isatty():
            file = output.printable(path)
            click.echo(f"{file} is a new lake; its files go below {file}.files.", err=True)
        yield connection, None


def missing_catalog_hint(lake: Lake | None) -> str:
    """Return the advice for a session without a catalog."""
    names = [] if lake is None else [info.name for info in lake.catalogs(limit=_LISTED + 1)]
    if not names:
        return f"No catalog is in use{'' if lake is None else ', and the lake has none'}: say ATTACH."
    listed = ", ".join(output.printable(name) for name in names[:_LISTED])
    more = ", ..." if len(names) > _LISTED else ""
    return f"No catalog is in use: say USE, or name one with --catalog. The lake has {listed}{more}."
