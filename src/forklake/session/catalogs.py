"""The catalogs that are attached: shared by all sessions that were made from one another."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass, field

from forklake.errors import AlreadyExistsError, NotFoundError
from forklake.lake import Catalog, Lake
from forklake.model.names import fold


@dataclass(frozen=True, slots=True)
class AttachedCatalog:
    """A catalog under the name that a session gave it.

    Attributes:
        alias: The name.
        url: The lake's, as it was given.
        lake: The open lake; catalogs of one lake share it.
        catalog: The catalog; a handle on the past if it was attached at a snapshot.
        read_only: Whether statements may change it.
        metadata_catalog: The name under which its metadata tables are found.
        metadata_schema: The schema that they are in.
    """

    alias: str
    url: str = field(repr=False)  # it may hold a password
    lake: Lake
    catalog: Catalog
    read_only: bool
    metadata_catalog: str
    metadata_schema: str


@dataclass(slots=True)
class Attachments:
    """What is attached, and the lakes that are open for it. May be shared by threads."""

    _by_alias: dict[str, AttachedCatalog] = field(default_factory=dict)
    _lakes: dict[str, Lake] = field(default_factory=dict)
    _lock: threading.RLock = field(default_factory=threading.RLock)
    _users: int = 0

    def lake(self, url: str, open_lake: Callable[[], Lake]) -> Lake:
        """Return the lake of a URL: the one that is open, else the one that is opened now."""
        with self._lock:
            found = self._lakes.get(url)
            if found is None:
                found = self._lakes[url] = open_lake()
            return found

    def add(self, attached: AttachedCatalog, *, or_replace: bool = False) -> None:
        """Attach a catalog.

        Raises:
            AlreadyExistsError: The name is taken.
        """
        with self._lock:
            if not or_replace and fold(attached.alias) in self._by_alias:
                raise AlreadyExistsError(
                    f'Binder Error: Failed to attach database: database with name "{attached.alias}" already exists'
                )
            self._by_alias[fold(attached.alias)] = attached

    def remove(self, alias: str) -> None:
        """Detach a catalog; its lake is closed with the last catalog of it.

        Raises:
            NotFoundError: Nothing is attached under the name.
        """
        with self._lock:
            if fold(alias) not in self._by_alias:
                raise NotFoundError(f'Binder Error: Failed to detach database with name "{alias}": database not found')
            gone = self._by_alias.pop(fold(alias))
            self.close_unused(gone.url)

    def close_unused(self, url: str) -> None:
        """Close a lake of which no catalog is attached."""
        with self._lock:
            if url in self._lakes and all(other.url != url for other in self._by_alias.values()):
                self._lakes.pop(url).close()

    def find(self, alias: str) -> AttachedCatalog | None:
        """Return what is attached under a name."""
        return self._by_alias.get(fold(alias))

    def find_metadata(self, name: str) -> AttachedCatalog | None:
        """Return the catalog whose metadata tables are found under a name."""
        with self._lock:
            return next((one for one in self._by_alias.values() if fold(one.metadata_catalog) == fold(name)), None)

    def all(self) -> list[AttachedCatalog]:
        """Return all that are attached, in the order in which they were."""
        with self._lock:
            return list(self._by_alias.values())

    def enter(self) -> None:
        """Count a session that uses the attachments."""
        with self._lock:
            self._users += 1

    def leave(self) -> None:
        """Count a session less; the last one closes all lakes that were opened here."""
        with self._lock:
            self._users -= 1
            if self._users > 0:
                return
            for lake in self._lakes.values():
                lake.close()
            self._lakes.clear()
            self._by_alias.clear()
