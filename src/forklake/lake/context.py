"""What all handles of one open lake share."""

from __future__ import annotations

import os
import threading
from collections import OrderedDict
from collections.abc import Mapping
from copy import copy
from typing import TYPE_CHECKING, Final

from forklake.catalog.view import View
from forklake.errors import ConfigError
from forklake.metastore.store import Store
from forklake.model.ids import CatalogId
from forklake.model.version import Head

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

_KEPT_VIEWS: Final = 1024


class Context:
    """The store of an open lake, its base path, its Spark, and the newest views that were read of its catalogs."""

    def __init__(self, store: Store, lake_path: str | None, spark: SparkSession | None = None) -> None:
        self._store = store
        self.lake_path = lake_path
        self.given_spark = spark
        self.options: Mapping[str, str] = {}
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

    def spark(self) -> SparkSession:
        """Return the session that jobs run in: the one given, the active one, or one that is started now.

        Raises:
            EngineError: None can be started.
        """
        from forklake.engine.session import session  # noqa: PLC0415 - metadata work does without Spark

        return session(self.given_spark, self.store.settings.spark)

    def using(self, spark: SparkSession | None = None, options: Mapping[str, str] | None = None) -> Context:
        """Return the same open lake for jobs in another session, or with other options; all else is shared."""
        made = copy(self)
        if spark is not None:
            made.given_spark = spark
        if options is not None:
            made.options = options
        return made

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
