"""Opens a lake: its store, and the base path of its files."""

from __future__ import annotations

import os

from forklake.catalog.paths import normalise_base
from forklake.config import Settings
from forklake.errors import InvalidPathError
from forklake.metastore.location import open_store
from forklake.metastore.queries import option_rows as options
from forklake.metastore.store import Store
from forklake.model.ids import THE_LAKE
from forklake.ops.lakes.metadata_home import settle


def open_lake(url: str, data_path: str | os.PathLike[str] | None, settings: Settings) -> tuple[Store, str | None]:
    """Open the store of a lake; return it with the lake's base path.

    The path is stored on the first call, and changes only if the lake is moved.

    Raises:
        InvalidPathError: The given path is not the lake's.
        MetastoreError: The store cannot be opened.
    """
    store = open_store(url, settings)
    try:
        return store, base_path(store, data_path)[0]
    except BaseException:
        store.close()
        raise


def base_path(store: Store, data_path: str | os.PathLike[str] | None) -> tuple[str | None, bool]:
    """Return the lake's base path, and whether this call set it.

    Raises:
        InvalidPathError: The given path is not the lake's; nothing was changed.
    """
    wanted = None if data_path is None else normalise_base(data_path)
    stored, home = options.lake_place(store)
    if stored is not None:
        stored = settle(store, stored, home)
    else:
        chosen = wanted or store.default_data_path
        if chosen is None:
            return None, False
        place = options.OptionRow(options.HOME, store.home(), "", -1)
        with store.writing() as session:
            session.lock_alone(THE_LAKE)
            stored = options.lake_data_path(session)
            if stored is None:
                path = options.OptionRow("data_path", normalise_base(chosen), "", -1)
                options.write_options(session, THE_LAKE, [path, place])
                return path.value, True
    if wanted is not None and wanted != stored:
        raise InvalidPathError(
            f'DATA_PATH parameter "{wanted}" does not match existing data path in the catalog "{stored}".',
            hint="Open the lake without a data path, or with the one it has.",
        )
    return stored, False
