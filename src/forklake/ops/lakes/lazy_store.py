"""The store and the base path of a lake, opened on first use."""

from __future__ import annotations

import os
import threading

from forklake.config import Settings
from forklake.errors import ConfigError, MetastoreRefusedError, NotFoundError
from forklake.metastore.location import lake_key
from forklake.metastore.queries.catalogs import CatalogMark, is_known, newest_mark
from forklake.metastore.store import Store
from forklake.ops.lakes.lake_exists import lake_exists
from forklake.ops.lakes.open_lake import open_lake


class OpenLake:
    """An open lake, or an unpickled one that is opened again on first use.

    Threads may share it.

    Attributes:
        key: The key that identifies the lake, see `lake_key`; the lake can be opened by it. It may hold a
            password.
        location: A description of the metadata database, without a password.
    """

    def __init__(
        self,
        key: str,
        location: str,
        settings: Settings,
        found: tuple[Store, str | None] | None,
        mark: CatalogMark | None = None,
    ) -> None:
        """Take a lake that was opened, or else what opens it.

        ``mark`` is the newest catalog of the lake that was pickled; None if it had none.
        """
        self.key = key
        self.location = location
        self._settings = settings
        self._found = found
        self._mark = mark
        self._is_closed = False
        self._process = os.getpid()
        self._lock = threading.Lock()

    def __reduce__(self) -> tuple[type[OpenLake], tuple[str, str, Settings, None, CatalogMark | None]]:
        """Leave connections behind; the unpickled value opens the lake again.

        It takes the newest catalog along, by which the lake is recognised: ids alone would find whatever has them
        in another lake at the same place.
        """
        is_unused = self._found is None and not self._is_closed
        mark = self._mark if is_unused else newest_mark(self.store)
        return OpenLake, (self.key, self.location, self._settings, None, mark)

    @property
    def store(self) -> Store:
        """The store, for the process that opened it.

        Raises:
            ConfigError: This is a forked child: connections cannot be shared between processes.
            MetastoreRefusedError: The lake was closed.
            NotFoundError: The lake that was pickled is not there.
        """
        return self._open()[0]

    @property
    def lake_path(self) -> str | None:
        """The base path of the lake."""
        return self._open()[1]

    def close(self) -> None:
        """Close all connections. Closing twice does no harm."""
        with self._lock:
            self._is_closed = True
            if self._found is not None:
                self._found[0].close()

    def _open(self) -> tuple[Store, str | None]:
        if os.getpid() != self._process:
            raise ConfigError("The lake was opened by another process.", hint="Open it again in this one.")
        if self._found is None:
            with self._lock:
                if self._is_closed:
                    raise MetastoreRefusedError(f'The lake "{self.location}" is closed.', hint="Open it again.")
                self._found = self._found or self._open_again()
        return self._found

    def _open_again(self) -> tuple[Store, str | None]:
        # A lake in a file that is not there would be made anew.
        if not lake_exists(self.key):
            raise NotFoundError(
                f'There is no lake at "{self.location}" for this process, where a pickled handle looks for it.',
                hint="A file must be at the same path, on the same machine or a shared disk; a server can be anywhere.",
            )
        found = open_lake(self.key, None, self._settings)
        try:
            self._check_same(found[0])
        except BaseException:
            found[0].close()
            raise
        return found

    def _check_same(self, store: Store) -> None:
        if self._mark is not None and not is_known(store, self._mark):
            raise NotFoundError(
                f'Another lake is at "{self.location}" than the one that a handle was pickled from, or an older copy'
                " of that; nothing was done.",
                hint="Open the lake that is there, and take the handle from it.",
            )


def open_now(url: str, data_path: str | os.PathLike[str] | None, settings: Settings) -> OpenLake:
    """Open a lake now; raise the errors of `open_lake`."""
    found = open_lake(url, data_path, settings)
    return OpenLake(lake_key(url), found[0].location, settings, found)
