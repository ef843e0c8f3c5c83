"""Opening a lake: its store, and the path below which its files lie."""

from __future__ import annotations

import os

from forklake.catalog.paths import normalise_base
from forklake.config import Settings
from forklake.errors import InvalidPathError
from forklake.metastore.location import open_store
from forklake.metastore.store import Session, Store
from forklake.model.ids import THE_LAKE


def open_lake(url: str, data_path: str | os.PathLike[str] | None, settings: Settings) -> tuple[Store, str | None]:
    """Open the store of a lake and return it with the lake's base path, which is kept from the first time on.

    Raises:
        InvalidPathError: Another path was given than the lake has.
        MetastoreError: The store cannot be opened.
    """
    store = open_store(url, settings)
    try:
        return store, base_path(store, data_path)[0]
    except BaseException:
        store.close()
        raise


def base_path(store: Store, data_path: str | os.PathLike[str] | None) -> tuple[str | None, bool]:
    """Return the lake's base path, and whether it was set by this call.

    Raises:
        InvalidPathError: Another path was given than the lake has; nothing was changed.
    """
    wanted = None if data_path is None else normalise_base(data_path)
    found = store.query(_STORED, lake=THE_LAKE)
    if not found:
        chosen = wanted or store.default_data_path
        if chosen is None:
            return None, False
        with store.writing() as session:
            session.lock_alone(THE_LAKE)
            found = session.query(_STORED, lake=THE_LAKE)
            if not found:
                _keep(session, normalise_base(chosen))
                return normalise_base(chosen), True
    stored = str(found[0][0])
    if wanted is not None and wanted != stored:
        raise InvalidPathError(
            f'DATA_PATH parameter "{wanted}" does not match existing data path in the catalog "{stored}".',
            hint="Open the lake without a data path, or with the one it has.",
        )
    return stored, False


def _keep(session: Session, path: str) -> None:
    session.execute(
        "INSERT INTO forklake.ducklake_metadata (catalog_id, key, value) VALUES (:lake, 'data_path', :path)",
        lake=THE_LAKE,
        path=path,
    )


_STORED = "SELECT value FROM forklake.ducklake_metadata WHERE catalog_id = :lake AND scope = '' AND key = 'data_path'"
