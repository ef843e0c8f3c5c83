"""Preparing a database for a lake."""

from __future__ import annotations

from forklake.config import Settings
from forklake.errors import InvalidInputError
from forklake.metastore.location import open_store, postgres_conninfo


def init_lake(url: str, partitions: int | None = None, settings: Settings | None = None) -> bool:
    """Make the metadata tables, all or none; return False if they were there before.

    Raises:
        InvalidInputError: Partitions were asked for in a database that has none.
        MetastoreError: The database cannot be used, or holds a lake of another version.
    """
    settings = settings or Settings()
    conninfo = postgres_conninfo(url)
    if conninfo is not None:
        from forklake.metastore.postgres import initialise  # noqa: PLC0415 - a driver is loaded when it is needed

        return initialise(conninfo, partitions, settings)
    if partitions is not None:
        raise InvalidInputError("Only PostgreSQL has partitions; nothing was made.")
    store = open_store(url, settings)
    is_new = store.made_tables
    store.close()
    return is_new
