"""Prepares a database for a lake."""

from __future__ import annotations

import os

from forklake.catalog.paths import normalise_base
from forklake.config import Settings
from forklake.errors import InvalidInputError
from forklake.extras import require
from forklake.metastore.location import open_store, postgres_conninfo
from forklake.model.lazy_dataclass import dataclass
from forklake.ops.lakes.open_lake import base_path


@dataclass(frozen=True, slots=True)
class InitialisedLake:
    """A lake that is ready to use, and what initialising it did."""

    made_tables: bool
    set_data_path: bool
    data_path: str | None

    @property
    def changed(self) -> bool:
        """Whether anything was changed."""
        return self.made_tables or self.set_data_path


def init_lake(
    url: str,
    partitions: int | None = None,
    data_path: str | os.PathLike[str] | None = None,
    settings: Settings | None = None,
) -> InitialisedLake:
    """Create missing metadata tables, all or none, and store the data path.

    A data path that is already stored is kept.

    Raises:
        InvalidInputError: Partitions were asked for in a database that has none; nothing was made.
        InvalidPathError: The data path makes no sense, or is not the one that the lake has; nothing was changed.
        MetastoreError: The database cannot be used, or holds a lake of another version.
    """
    settings = settings or Settings()
    conninfo = postgres_conninfo(url)
    if conninfo is None and partitions is not None:
        raise InvalidInputError("Only PostgreSQL has partitions; nothing was made.")
    if data_path is not None:
        normalise_base(data_path)
    is_new = False
    if conninfo is not None:
        with require("postgres"):
            from forklake.metastore.postgres import initialise  # noqa: PLC0415 - a driver is loaded when it is needed

        is_new = initialise(conninfo, partitions, settings)
    store = open_store(url, settings)
    try:
        path, is_path_new = base_path(store, data_path)
    finally:
        store.close()
    return InitialisedLake(is_new or store.made_tables, is_path_new, path)
