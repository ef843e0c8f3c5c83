"""The catalogs that are attached: shared by all sessions that were made from one another."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Final

from forklake.errors import AlreadyExistsError, InvalidNameError, NotFoundError
from forklake.lake import Catalog, Lake
from forklake.lake.internals import runtime_of
from forklake.model.ids import SnapshotId
from forklake.model.names import fold

_RESERVED: Final = frozenset({"system", "temp"})
_RESERVED_FOR_METADATA: Final = _RESERVED | {"main"}


@dataclass(frozen=True, slots=True, eq=False)
class AttachedCatalog:
    """A catalog under the name that a session gave it; what is attached again, is another one.

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


def check_names(alias: str, metadata: str) -> None:
    """Refuse names of a catalog and of its metadata that an ATTACH cannot give.

    Raises:
        InvalidNameError: One of them is empty, or reserved.
    """
    for name, reserved in ((alias, _RESERVED), (metadata, _RESERVED_FOR_METADATA)):
        if not name:
            raise InvalidNameError('Parser Error: zero-length delimited identifier at or near """"')
        if fold(name) in reserved:
            raise InvalidNameError(
                f'Binder Error: Attached database name "{name}" cannot be used because it is a reserved name',
                hint="Attach it under another one, which need not be that of the catalog:"
                f" ATTACH '...' AS my_{fold(name)} (CATALOG '{name}')",
            )


@dataclass(slots=True)
class Attachments:
    """What is attached, and the lakes that are open for it. May be shared by threads.

    Attributes:
        home: The lake that the session is of, if somebody else opened it, who closes it.
    """

    home: Lake | None = None
    _by_alias: dict[str, AttachedCatalog] = field(default_factory=dict)
    _lakes: dict[str, Lake] = field(default_factory=dict)
    _committed: dict[AttachedCatalog, SnapshotId] = field(default_factory=dict)
    _lock: threading.RLock = field(default_factory=threading.RLock)
    _users: int = 0

    def lake(self, url: str, open_lake: Callable[[], Lake]) -> Lake:
        """Return the lake of a URL: the one that is open, else the one that is opened now."""
        if self.home is not None and runtime_of(self.home).key == url:
            return self.home
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
            self.check_free(attached.alias, attached.metadata_catalog, or_replace=or_replace)
            replaced = self._by_alias.get(fold(attached.alias))
            self._by_alias[fold(attached.alias)] = attached
            if replaced is not None:
                self._committed.pop(replaced, None)

    def check_free(self, alias: str, metadata: str, *, or_replace: bool = False) -> None:
        """Refuse a name that is taken, for a catalog or for its metadata.

        Raises:
            AlreadyExistsError: It is taken; that of the catalog itself may be if it is replaced.
        """
        with self._lock:
            others = [one for key, one in self._by_alias.items() if not (or_replace and key == fold(alias))]
            taken = {fold(name) for one in others for name in (one.alias, one.metadata_catalog)}
        clash = next((name for name in (alias, metadata) if fold(name) in taken), None)
        if clash is None and fold(alias) == fold(metadata):
            clash = alias
        if clash is not None:
            raise AlreadyExistsError(
                f'Binder Error: Failed to attach database: database with name "{clash}" already exists'
            )

    def remove(self, alias: str) -> None:
        """Detach a catalog; its lake is closed with the last catalog of it, as soon as no other session is open.

        Raises:
            NotFoundError: Nothing is attached under the name.
        """
        with self._lock:
            if fold(alias) not in self._by_alias:
                raise NotFoundError(f'Binder Error: Failed to detach database with name "{alias}": database not found')
            gone = self._by_alias.pop(fold(alias))
            self._committed.pop(gone, None)
            self.close_unused(gone.url)

    def close_unused(self, url: str) -> None:
        """Close a lake of which no catalog is attached; not while another session may be in the middle of its work."""
        with self._lock:
            if self._users <= 1 and url in self._lakes and all(one.url != url for one in self._by_alias.values()):
                self._lakes.pop(url).close()

    def note(self, committed: Mapping[AttachedCatalog, SnapshotId]) -> None:
        """Note the snapshots that a session has committed to catalogs; those that were detached meanwhile are not."""
        with self._lock:
            for attached, snapshot in committed.items():
                if self.find(attached.alias) is attached:
                    self._committed[attached] = max(snapshot, self._committed.get(attached, snapshot))

    def last_committed(self, attached: AttachedCatalog) -> SnapshotId | None:
        """Return the newest snapshot that a session here committed to a catalog since it was attached."""
        return self._committed.get(attached)

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
            if self._users == 0:
                self._by_alias.clear()
            for url in list(self._lakes):
                self.close_unused(url)
