"""What all handles of one open lake share."""

from __future__ import annotations

import os
import threading
from collections import OrderedDict
from typing import Final

from forklake.catalog.versions import Head
from forklake.catalog.view import View
from forklake.errors import ConfigError
from forklake.metastore.store import Store
from forklake.model.ids import CatalogId

_KEPT_VIEWS: Final = 1024


class Context:
    """The store of an open lake, its base path, and the newest views that were read of its catalogs."""

    def __init__(self, store: Store, lake_path: str | None) -> None:
        self._store = store
        self.lake_path = lake_path
        self._process = os.getpid()
        self._views: OrderedDict[CatalogId, View] = OrderedDict()
        self._lock = threading.Lock()

    @property
    def store(self) -> Store:
        """The store, for the process that opened it.

        Raises:
            ConfigError: This is a forked child: connections cannot be shared between processes.
        """
        if os.getpid() != self._process:
            raise ConfigError("The lake was opened by another process.", hint="Open it again in this one.")
        return self._store

    def view(self, head: Head) -> View:
        """Return the view of a head, kept from the last time if nobody committed since."""
        catalog = head.version.catalog_id
        with self._lock:
            kept = self._views.get(catalog)
            if kept is not None and kept.version == head.version:
                self._views.move_to_end(catalog)
                return kept
        view = View(self.store, head.version)
        self.keep(view)
        return view

    def keep(self, view: View) -> None:
        """Keep a view for the next reader of its catalog."""
        with self._lock:
            self._views[view.version.catalog_id] = view
            self._views.move_to_end(view.version.catalog_id)
            while len(self._views) > _KEPT_VIEWS:
                self._views.popitem(last=False)
