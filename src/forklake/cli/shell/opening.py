"""Sessions on a lake that is named, with a catalog in use."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Final

import forklake
from forklake import Lake
from forklake.cli import output
from forklake.config import Confinement
from forklake.errors import InvalidInputError, NotFoundError
from forklake.lake.internals import runtime_of
from forklake.model.hint import ListCatalogs
from forklake.model.quoting import quote_name, quote_text
from forklake.ops.catalogs.list_catalogs import main_catalog

if TYPE_CHECKING:
    from forklake.session.connection import Connection

_LISTED: Final = 5
"""How many catalogs are named to somebody who named none."""


@contextmanager
def open_session(
    url: str | None, catalog: str | None = None, *, read_only: bool = False, terms: Confinement | None = None
) -> Iterator[tuple[Connection, Lake | None]]:
    """Open a lake and a session on it, in which a catalog is attached and in use.

    It is the one that is named, or the one that is meant where none is named (`main_catalog`); if that is none, none
    is. Without a URL it is a session with nothing attached. With terms, it is confined to the catalog, which is
    named or the only one.

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
            main = main_catalog(runtime_of(lake))
            is_meant = main is not None and (terms is None or len(lake.catalogs(limit=2)) == 1)
            catalog = main.name if main is not None and is_meant else None
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
def make_session(
    path: str, catalog: str | None = None, tell: Callable[[str], object] | None = None
) -> Iterator[tuple[Connection, None]]:
    """Make a lake with a catalog, and open a session on it.

    It is what ATTACH makes of a new file. The catalog has the name of the file unless it is given. The session alone
    holds the lake. ``tell`` is given its path.
    """
    with forklake.connect() as connection:
        name = quote_name(catalog or Path(path).stem)
        connection.sql(f"ATTACH {quote_text(f'ducklake:{path}')} AS {name}; USE {name}")
        if tell is not None:
            tell(path)
        yield connection, None


def missing_catalog_hint(lake: Lake | None) -> str:
    """Return the advice for a session in which no catalog is in use."""
    if lake is None:
        return "Say ATTACH."
    listed = _listed_catalogs(lake)
    if not listed:
        return "The lake has none: say ATTACH."
    return f"Say USE, or name one with --catalog. The lake has {listed}."


def other_catalogs(connection: Connection, lake: Lake | None) -> str | None:
    """Return a line about other catalogs, for whoever named none.

    None if there are none.
    """
    if connection.in_use is None:
        return f"No catalog is in use. {missing_catalog_hint(lake)}"
    listed = None if lake is None else _listed_catalogs(lake, connection.in_use[0])
    return listed and f"The lake also has {listed}; USE chooses."


def _listed_catalogs(lake: Lake, but: str | None = None) -> str:
    """Return the first names of catalogs, without one."""
    names = [info.name for info in lake.catalogs(limit=_LISTED + 2) if info.name != but]
    return ", ".join([output.printable(name) for name in names[:_LISTED]] + ["..."] * (len(names) > _LISTED))
