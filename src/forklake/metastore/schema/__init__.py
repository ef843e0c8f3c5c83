"""The SQL files that make the metadata tables, and the check that a database holds what they make."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from importlib import resources
from typing import TYPE_CHECKING, Final

from forklake.errors import InvalidInputError, MetastoreVersionError

if TYPE_CHECKING:
    from forklake.metastore.store import Session, Store

VERSION: Final = "1.0"
FORKLAKE_VERSION: Final = "1"

PARTITIONED: Final = (
    "ducklake_snapshot",
    "ducklake_snapshot_changes",
    "ducklake_snapshot_lineage",
    "ducklake_table",
    "ducklake_column",
    "ducklake_data_file",
    "ducklake_delete_file",
    "ducklake_file_column_stats",
    "ducklake_file_variant_stats",
    "ducklake_file_partition_value",
    "ducklake_table_stats",
    "ducklake_table_column_stats",
    "ducklake_inlined_row",
    "ducklake_inlined_delete",
)
"""The tables that grow with the data, which ``init --partitions`` splits by catalog."""

MAX_PARTITIONS: Final = 1024


def script(product: str) -> str:
    """Return the SQL file of a database product, as it is shipped."""
    return resources.files(__package__).joinpath(f"{product}.sql").read_text(encoding="utf-8")


def statements(text: str) -> Iterator[str]:
    """Split a script that has no functions into its statements."""
    for statement in re.sub(r"--[^\n]*", "", text).split(";"):
        if statement.strip():
            yield statement.strip()


def partitioned_script(partitions: int) -> str:
    """Return the PostgreSQL file with the large tables split by hash of their catalog.

    Raises:
        InvalidInputError: The number of partitions makes no sense.
    """
    if not 1 <= partitions <= MAX_PARTITIONS:
        raise InvalidInputError(f"The number of partitions must be between 1 and {MAX_PARTITIONS}, not {partitions}.")
    text = script("postgresql")
    for name in PARTITIONED:
        made = "".join(
            f"\nCREATE TABLE forklake.{name}_{part} PARTITION OF forklake.{name}"
            f" FOR VALUES WITH (MODULUS {partitions}, REMAINDER {part});"
            for part in range(partitions)
        )
        pattern = rf"(CREATE TABLE forklake\.{name} \(\n.*?\n\));"
        text, count = re.subn(pattern, rf"\1 PARTITION BY HASH (catalog_id);{made}", text, count=1, flags=re.DOTALL)
        assert count == 1, name
    return text


def view_statement(name: str) -> str:
    """Return the statement of the PostgreSQL file that makes a view for web apps."""
    found = re.search(rf"CREATE VIEW ducklake\.{name} AS\n.*?;", script("postgresql"), flags=re.DOTALL)
    assert found is not None, name
    return found[0]


def check_version(found: dict[str, str], product: str) -> None:
    """Check the version rows of a database that has the tables.

    Raises:
        MetastoreVersionError: They are not what this program was made for.
    """
    if "version" not in found:
        raise not_found(product)
    for key, expected in (("version", VERSION), ("forklake_version", FORKLAKE_VERSION)):
        actual = found.get(key, "none")
        if actual != expected:
            raise MetastoreVersionError(
                f"Unsupported DuckLake version: {actual}. Expected {expected}."
                f' The "{key}" of the metadata database was written by another release; nothing was changed.',
                hint="Use the release of forklake that made it.",
            )


def not_found(product: str) -> MetastoreVersionError:
    """Return the error for a database without the tables."""
    return MetastoreVersionError(
        f"DuckLake metadata not found. Run schema/{product}.sql against the database first.",
        hint="`forklake init --lake URL` does it.",
    )


def not_found_in(name: str) -> MetastoreVersionError:
    """Return the error for a schema of a database that was asked for by name and holds no lake."""
    return MetastoreVersionError(
        f'DuckLake metadata not found in the metadata schema "{name}".',
        hint=f"`forklake init --lake URL` makes it, with metadata_schema={name} in the URL.",
    )


VERSION_QUERY: Final = (
    "SELECT key, value FROM forklake.ducklake_metadata"
    " WHERE catalog_id = -1 AND scope = '' AND key IN ('version', 'forklake_version')"
)


def prepare_embedded(store: Store, product: str, tables: Callable[[Session], set[str]]) -> bool:
    """Make the tables in a new file and return True, or check the version of an old one.

    Processes that open a new file at the same time wait for the one that makes the tables.

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
        if not any(name.endswith("ducklake_head") for name in tables(session)):
            raise MetastoreVersionError(
                f'The file "{store.location}" holds other tables and no lake; nothing was changed.',
                hint="Name a new file. A plain DuckLake catalog is no lake: import it into one.",
            )
        check_version(dict(session.query(VERSION_QUERY)), product)
    return is_new
