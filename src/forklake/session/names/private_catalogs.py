"""Catalogs that only a session sees: `memory`, and temporary tables.

Each is an ordinary catalog of a lake of its own in a temporary directory, so that every statement works on it.
"""

from __future__ import annotations

import tempfile
import threading
from typing import Final

from forklake.lake import Catalog
from forklake.lake.internals import runtime_of
from forklake.lake.lake import open_lake
from forklake.ops.lakes.runtime import Setup
from forklake.session.names.attached_catalogs import AttachedCatalog

MEMORY: Final = "memory"
TEMPORARY: Final = "temp"
_INLINED_ROWS: Final = 2_000
"""Tables of so few rows are kept in the metadata, and make no files."""


class PrivateCatalog:
    """A catalog that is made when it is first needed, and is gone when it is closed.

    Safe to share between threads.
    """

    def __init__(self, alias: str) -> None:
        self._alias = alias
        self._lock = threading.Lock()
        self._directory: tempfile.TemporaryDirectory[str] | None = None
        self._attached: AttachedCatalog | None = None

    @property
    def catalog(self) -> AttachedCatalog | None:
        """The catalog, if it was made."""
        return self._attached

    def make(self, setup: Setup) -> AttachedCatalog:
        """Return the catalog; it is made now if it was not made yet."""
        with self._lock:
            if self._attached is None:
                self._directory = tempfile.TemporaryDirectory(prefix="forklake-", ignore_cleanup_errors=True)
                url = f"sqlite:{self._directory.name}/{self._alias}.db"
                lake = open_lake(url, setup, f"{self._directory.name}/data")
                made = lake.create_catalog(self._alias)
                options = {"data_inlining_row_limit": str(_INLINED_ROWS)}
                self._attached = AttachedCatalog(
                    self._alias,
                    runtime_of(lake).key,
                    lake,
                    Catalog(runtime_of(made).with_options(options), made.catalog_id),
                    read_only=False,
                    metadata_catalog=f"__ducklake_metadata_{self._alias}",
                    metadata_schema="main",
                    is_temporary=self._alias == TEMPORARY,
                    is_private=True,
                )
            return self._attached

    def close(self) -> None:
        """Delete the catalog with all its rows. Closing twice does no harm."""
        with self._lock:
            if self._attached is not None and self._directory is not None:
                self._attached.lake.close()
                self._directory.cleanup()
            self._attached = self._directory = None
