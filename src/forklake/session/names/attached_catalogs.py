"""Attached catalogs.

A session and its cursors share them.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from dataclasses import field
from typing import Final, Self

from forklake.errors import AlreadyExistsError, InvalidNameError, NotFoundError
from forklake.lake import Catalog, Lake
from forklake.lake.internals import runtime_of
from forklake.model.ids import SnapshotId
from forklake.model.lazy_dataclass import dataclass
from forklake.model.names import fold

_RESERVED: Final = frozenset({"system", "temp"})
_RESERVED_FOR_METADATA: Final = _RESERVED | {"main"}


@dataclass(frozen=True, slots=True, eq=False)
class AttachedCatalog:
    """A catalog under the alias that a session gave it.

    Attaching the same catalog again makes another object, which is not equal to the first.

    Attributes:
        alias: The name.
        url: The URL of the lake, as it was given.
        lake: The open lake; catalogs of one lake share it.
        catalog: The catalog; a handle on the past if it was attached at a snapshot.
        read_only: Whether statements must not change it.
        metadata_catalog: The name of its metadata catalog, which holds the metadata tables.
        metadata_schema: The schema of the metadata tables.
        is_temporary: Whether it holds the temporary tables of a session. A transaction may change it beside another.
        is_only_named: Whether no ATTACH gave it the alias: it is a catalog of a lake in use, under its own name.
        is_private: Whether only the session has it, and nobody else reads what it defines there.
    """

    alias: str
    url: str = field(repr=False)  # it may hold a password
    lake: Lake
    catalog: Catalog
    read_only: bool
    metadata_catalog: str
    metadata_schema: str
    is_temporary: bool = False
    is_only_named: bool = False
    is_private: bool = False


def check_names(alias: str, metadata: str) -> None:
    """Refuse invalid names for a catalog and for its metadata catalog.

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
    """Attached catalogs, and the lakes that are open for them.

    Safe to share between threads.

    Attributes:
        home: The lake that the session was started from, if there is one; its owner closes it.
    """

    home: Lake | None = None
    _by_alias: dict[str, AttachedCatalog] = field(default_factory=dict)
    _named: dict[tuple[str, str, bool], AttachedCatalog] = field(default_factory=dict)
    _lakes: dict[str, Lake] = field(default_factory=dict)
    _committed: dict[AttachedCatalog, SnapshotId] = field(default_factory=dict)
    _lock: threading.RLock = field(default_factory=threading.RLock)
    _users: int = 0
    _keeps_lakes: bool = False

    def lake(self, url: str, open_lake: Callable[[], Lake]) -> Lake:
        """Return the lake of a URL; it is opened now if it is not open yet."""
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
        """Refuse an alias or the name of a metadata catalog if it is taken.

        Raises:
            AlreadyExistsError: One of them is taken. The alias may be, if its catalog is replaced.
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
        """Detach a catalog.

        Its lake is closed if this was the last catalog of it and no other session is open.

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
        """Close a lake if no catalog of it is attached.

        It stays open while other sessions are open, because one of them may be using it, and while catalogs of it
        were named that nobody attached.
        """
        with self._lock:
            if self._keeps_lakes and self._users:
                return
            known = [*self._by_alias.values(), *self._named.values()]
            if self._users <= 1 and url in self._lakes and all(one.url != url for one in known):
                self._lakes.pop(url).close()

    def keep_lakes(self) -> None:
        """Keep lakes open until the last session ends, whatever is detached."""
        self._keeps_lakes = True

    def note(self, committed: Mapping[AttachedCatalog, SnapshotId]) -> None:
        """Remember the snapshots that a session committed, for `last_committed`.

        Catalogs that were detached meanwhile are skipped.
        """
        with self._lock:
            for attached, snapshot in committed.items():
                if self.find(attached.alias) is attached:
                    self._committed[attached] = max(snapshot, self._committed.get(attached, snapshot))

    def last_committed(self, attached: AttachedCatalog) -> SnapshotId | None:
        """Return the newest snapshot that a session committed to an attached catalog.

        None if there is none since it was attached.
        """
        return self._committed.get(attached)

    def find(self, alias: str) -> AttachedCatalog | None:
        """Return the catalog that is attached under an alias; None if there is none."""
        return self._by_alias.get(fold(alias))

    def find_metadata(self, name: str) -> AttachedCatalog | None:
        """Return the catalog whose metadata catalog has this name; None if there is none."""
        with self._lock:
            return next((one for one in self._by_alias.values() if fold(one.metadata_catalog) == fold(name)), None)

    def find_named(self, name: str, url: str, lake: Lake, *, read_only: bool) -> AttachedCatalog | None:
        """Return a catalog of a lake by its own name; None if there is none.

        It is the same object each time, so that a transaction knows it again.
        """
        try:
            catalog = lake.catalog(name)
        except (NotFoundError, InvalidNameError):
            return None
        key = (url, fold(name), read_only)
        with self._lock:
            known = self._named.get(key)
            if known is None or known.catalog.catalog_id != catalog.catalog_id:
                known = self._named[key] = AttachedCatalog(
                    catalog.name,
                    url,
                    lake,
                    catalog,
                    read_only,
                    f"__ducklake_metadata_{catalog.name}",
                    "main",
                    is_only_named=True,
                )
            return known

    @classmethod
    def only(cls, attached: AttachedCatalog) -> Self:
        """Return attachments of nothing but one catalog, whose lake belongs to others."""
        made = cls()
        made._by_alias[fold(attached.alias)] = attached
        return made

    def all(self) -> list[AttachedCatalog]:
        """Return all attached catalogs, in the order in which they were attached."""
        with self._lock:
            return list(self._by_alias.values())

    def enter(self) -> None:
        """Register one more session that uses the attachments."""
        with self._lock:
            self._users += 1

    def leave(self) -> bool:
        """Unregister a session; the last one closes all lakes that were opened here.

        Return whether it was the last one.
        """
        with self._lock:
            self._users -= 1
            if self._users == 0:
                self._by_alias.clear()
                self._named.clear()
            for url in list(self._lakes):
                self.close_unused(url)
            return self._users == 0
