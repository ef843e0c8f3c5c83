"""Where the metadata of a lake is at home, and what follows if it is elsewhere.

The metadata names the place where it was when the data path was set. Found elsewhere, it was moved, or it is a copy.
docs/decisions/0025-metadata-knows-its-place.md has the reasons.
"""

from __future__ import annotations

import os
import shlex
import warnings
from contextlib import suppress

from forklake.errors import InvalidPathError, MetastoreRefusedError, SharedDataPathWarning
from forklake.metastore.queries import moved_paths
from forklake.metastore.queries import option_rows as options
from forklake.metastore.source import Source
from forklake.metastore.store import Store
from forklake.model.ids import THE_LAKE
from forklake.ops.lakes.relocate import relocate_lake


def settle(store: Store, data_path: str, home: str | None) -> str:
    """Return the base path of an open lake, after a look at where it is at home.

    A file that was moved together with the data below its directory gets the new base path, in one transaction, unless
    nothing can be written there. Of a copy that shares its data path with the original, users are warned.
    """
    if home is None or _is_at_home(store, home):
        return data_path
    if not store.is_embedded or "://" in data_path or os.path.isdir(data_path):
        if _is_copy(store, home):
            _warn_of_copy(store, home, data_path)
        else:
            # Who may not write need not: the next who may does it.
            with suppress(MetastoreRefusedError), store.writing() as session:
                options.write_option(session, THE_LAKE, options.OptionRow(options.HOME, store.home(), "", -1))
        return data_path
    candidate = _moved_path(data_path, home, store.home())
    if candidate is None or not (os.path.isdir(candidate) or not moved_paths.has_files(store, None)):
        return data_path
    try:
        return relocate_lake(store, candidate).data_path
    except MetastoreRefusedError:
        return candidate  # who may not write reads it where it is now


def check_may_delete(store: Store, lake_path: str | None) -> None:
    """Check that files may be deleted for this copy of the metadata.

    Raises:
        MetastoreRefusedError: The metadata is a copy: the original may need them.
        InvalidPathError: The lake was relocated since it was opened.
    """
    check_same_place(store, lake_path)
    _, home = options.lake_place(store)
    if home is not None and _is_copy(store, home):
        raise MetastoreRefusedError(
            f"The metadata ({store.location}) is a copy that uses the files of the original, so none was deleted.",
            hint="Relocate it to files of its own, or to the data path it has if there is no original any more.",
        )


def check_same_place(source: Source, lake_path: str | None) -> None:
    """Check that the lake was not relocated since it was opened.

    Raises:
        InvalidPathError: It was.
    """
    if options.lake_data_path(source) != lake_path:
        raise InvalidPathError(
            "Nothing was deleted: the lake was given another data path since it was opened.", hint="Open it again."
        )


def _is_at_home(store: Store, home: str) -> bool:
    return home == store.home() or _is_same_file(home, store.home())


def _is_copy(store: Store, home: str) -> bool:
    """Return whether the metadata is not at home, and may still be there too."""
    return not _is_at_home(store, home) and (not store.is_embedded or os.path.exists(home))


def _moved_path(data_path: str, home: str, now: str) -> str | None:
    """Return where data is that was moved with its metadata file.

    It is None if the data lay elsewhere.

    >>> _moved_path("/a/data/", "/a/lake.db", "/b/c/lake.db"), _moved_path("/x/", "/a/lake.db", "/b/lake.db")
    ('/b/c/data/', None)
    >>> _moved_path("/a/lake.db.files/", "/a/lake.db", "/b/shop.db")
    '/b/shop.db.files/'
    """
    beside, directory = f"{home}.files/", os.path.join(os.path.dirname(home), "")
    if data_path.startswith(beside):
        return f"{now}.files/{data_path.removeprefix(beside)}"
    if not data_path.startswith(directory):
        return None
    return os.path.join(os.path.dirname(now), data_path.removeprefix(directory))


def _is_same_file(home: str, now: str) -> bool:
    """Return whether two paths lead to one file, through links perhaps."""
    return os.path.exists(home) and os.path.exists(now) and os.path.samefile(home, now)


def _warn_of_copy(store: Store, home: str, data_path: str) -> None:
    which = f'"{store.location}", of "{home}"' if store.is_embedded else store.location
    warnings.warn(
        f'The metadata is a copy ({which}), and both use the data path "{data_path}": each would delete what only the'
        " other knows. Copy the files too and `forklake relocate` this one there, or confirm with `forklake relocate"
        f" --data-path {shlex.quote(data_path)}` that it is the only one.",
        SharedDataPathWarning,
        stacklevel=2,
    )
