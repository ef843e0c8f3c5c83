"""The metadata tables: their description, their SQL files, and a version check.

`catalog_tables`, `object_tables` and `file_tables` describe the tables and `views` the views for web apps,
once for all databases; `products` has the differences between these. ``python -m forklake.metastore.schema``
writes the files.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from importlib import resources
from typing import TYPE_CHECKING, Final

from forklake.errors import MetastoreVersionError
from forklake.metastore.schema.catalog_tables import FACTS
from forklake.metastore.schema.steps import OLDEST, VERSION
from forklake.model.hint import ImportCatalog, UpgradeLake

if TYPE_CHECKING:
    from forklake.metastore.store import Session, Store


def script(product: str) -> str:
    """Return the SQL file of a database product, as it is shipped."""
    return resources.files(__package__).joinpath(f"{product}.sql").read_text(encoding="utf-8")


def statements(text: str) -> Iterator[str]:
    """Split a script that has no functions into its statements.

    Each ends with its line. Comments within a statement are kept, which is where SQLite shows them.
    """
    lines: list[str] = []
    for line in text.splitlines():
        code = line.partition("--")[0].rstrip()
        if code or lines:
            lines.append(line.rstrip())
        if code.endswith(";"):
            lines[-1] = code.removesuffix(";")
            yield "\n".join(lines)
            lines.clear()


def check_version(found: dict[str, str], product: str) -> None:
    """Check the version rows of a database that has the tables.

    Raises:
        MetastoreVersionError: They are not what this program was made for.
    """
    version = known_version(found, product)
    if version < VERSION:
        raise MetastoreVersionError(
            f"The lake has metadata of version {version}, and this release needs version {VERSION};"
            " nothing was changed.",
            hint=UpgradeLake(),
        )


def known_version(found: dict[str, str], product: str) -> int:
    """Return the version of the metadata, from the version rows of a database.

    Raises:
        MetastoreVersionError: This program neither works with that version nor upgrades it.
    """
    if "version" not in found:
        raise not_found(product)
    for key in ("version", "forklake_version"):
        expected, actual = FACTS[key], found.get(key, "none")
        is_old = key == "forklake_version" and actual.isdecimal() and OLDEST <= int(actual) < VERSION
        if actual == expected or is_old:
            continue
        if key == "forklake_version" and actual.isdecimal() and int(actual) > VERSION:
            raise MetastoreVersionError(
                f"The lake has metadata of version {actual}, and this release knows versions up to {VERSION};"
                " nothing was changed.",
                hint="Use a newer release of forklake.",
            )
        raise MetastoreVersionError(
            f"Unsupported DuckLake version: {actual}. Expected {expected}."
            f' The "{key}" of the metadata database was written by another release; nothing was changed.',
            hint="Use the release of forklake that made it.",
        )
    return int(found["forklake_version"])


def not_found(product: str) -> MetastoreVersionError:
    """Return the error for a database without the tables."""
    return MetastoreVersionError(
        f"DuckLake metadata not found. Run schema/{product}.sql against the database first.",
        hint="`forklake init --lake URL` does it.",
    )


def not_found_in(name: str) -> MetastoreVersionError:
    """Return the error for a schema that was named by a caller but holds no lake."""
    return MetastoreVersionError(
        f'DuckLake metadata not found in the metadata schema "{name}".',
        hint=f"`forklake init --lake URL` makes it, with metadata_schema={name} in the URL.",
    )


def plain_ducklake_error(what: str, advice: ImportCatalog) -> MetastoreVersionError:
    """Return the error for a DuckLake that is no lake: DuckDB made it."""
    return MetastoreVersionError(
        f"{what} is a DuckLake that DuckDB made, not a lake of forklake; nothing was changed.", hint=advice
    )


VERSION_QUERY: Final = (
    "SELECT key, value FROM forklake.ducklake_metadata"
    " WHERE catalog_id = -1 AND scope = '' AND key IN ('version', 'forklake_version')"
)


def read_version(store: Store) -> int:
    """Return the version of an open store's metadata.

    Raises:
        MetastoreVersionError: It is not the one of this program.
    """
    found: dict[str, str] = dict(store.query(VERSION_QUERY))
    check_version(found, store.dialect.name)
    return int(found["forklake_version"])


def prepare_embedded(store: Store, product: str, tables: Callable[[Session], set[str]]) -> bool:
    """Create the tables in a new file and return True, or check an old file's version.

    If several processes open a new file at the same time, one creates the tables and the others wait.

    Raises:
        MetastoreVersionError: The file holds something else.
    """
    with store.reading() as session:
        is_new = not tables(session)
    if is_new:
        with store.writing() as session:
            is_new = not tables(session)
            if is_new:
                for statement in statements(script(product)):
                    session.run(statement)
    with store.reading() as session:
        check_is_lake(store, session, tables)
        check_version(dict(session.query(VERSION_QUERY)), product)
    return is_new


def check_is_lake(store: Store, session: Session, tables: Callable[[Session], set[str]]) -> None:
    """Check that a file has the tables of a lake, of any version.

    Raises:
        MetastoreVersionError: It holds something else.
    """
    found = tables(session)
    if any(name.endswith("ducklake_head") for name in found):
        return
    if "ducklake_metadata" in found:
        raise plain_ducklake_error(f'The file "{store.location}"', ImportCatalog(store.location))
    raise MetastoreVersionError(
        f'The file "{store.location}" holds other tables and no lake; nothing was changed.', hint="Name a new file."
    )
