"""What work on an open lake is done with: its store, its settings, its clock and its Spark."""

from __future__ import annotations

import os
import threading
from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from forklake.catalog.view import View
from forklake.config import Settings
from forklake.errors import ConfigError
from forklake.metastore.location import lake_key
from forklake.metastore.store import Store
from forklake.model.field import Field
from forklake.model.ids import CatalogId
from forklake.model.version import Head
from forklake.ops.open_lake import open_lake

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

_KEPT_VIEWS: Final = 1024

SortExpression = Callable[[str, str, Sequence[Field]], str]
"""Turns what a table is sorted by, in DuckDB's words over the columns of the table, into Spark's."""


@dataclass(frozen=True, slots=True)
class Setup:
    """What lakes are opened with. A SQL session has one before it has a lake, and opens each lake with it.

    Attributes:
        settings: Retries, clock, time-outs, and the configuration of Spark.
        given_spark: The Spark session of the caller, if there is one.
    """

    settings: Settings = field(default_factory=Settings)
    given_spark: SparkSession | None = None

    def spark(self) -> SparkSession:
        """Return the session that jobs run in: the one given, the active one, or one that is started now.

        Raises:
            EngineError: None can be started.
        """
        from forklake.engine.session import session  # noqa: PLC0415 - metadata work does without Spark

        return session(self.given_spark, self.settings.spark)


class Runtime:
    """An open lake at work. All handles, sessions and operations of the lake get theirs from here.

    May be shared by threads, not by processes.

    Attributes:
        setup: What the lake was opened with.
        key: What tells the lake from others, see `lake_key`.
        lake_path: The base path of the lake.
        sort_expression: Compiles sort keys: the operations lie below the parser.
        options: What a session says about writing; it counts for more than what the catalog says.
        option_defaults: What a session says about writing where neither the catalog nor the lake says anything.
    """

    def __init__(
        self, setup: Setup, key: str, store: Store, lake_path: str | None, sort_expression: SortExpression
    ) -> None:
        self.setup = setup
        self.key = key
        self.lake_path = lake_path
        self.sort_expression = sort_expression
        self.options: Mapping[str, str] = {}
        self.option_defaults: Mapping[str, str] = {}
        self.spark: Callable[[], SparkSession] = setup.spark
        """Gives the session that jobs run in. It is called when a job needs it: metadata work starts none."""
        self._store = store
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

    @property
    def location(self) -> str:
        """Where the metadata is, without a password."""
        return self._store.location

    @property
    def settings(self) -> Settings:
        """The settings that the lake was opened with."""
        return self.setup.settings

    def close(self) -> None:
        """Give back all connections. Closing twice does no harm."""
        self._store.close()

    def using(self, spark: SparkSession) -> Runtime:
        """Return the same open lake for jobs in another session; all else is shared."""
        made = copy(self)
        made.setup = Setup(self.settings, spark)
        made.spark = made.setup.spark
        return made

    def for_session(self, spark: Callable[[], SparkSession], option_defaults: Mapping[str, str]) -> Runtime:
        """Return the same open lake for the statements of a SQL session; its Spark is made when it is needed."""
        made = copy(self)
        made.spark, made.option_defaults = spark, option_defaults
        return made

    def with_options(self, options: Mapping[str, str]) -> Runtime:
        """Return the same open lake with what a session says about writing."""
        made = copy(self)
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


def open_runtime(
    setup: Setup, url: str, data_path: str | os.PathLike[str] | None, sort_expression: SortExpression
) -> Runtime:
    """Open a lake; see `forklake.open`.

    Raises:
        MetastoreError: The store cannot be opened.
        InvalidPathError: The lake has another data path.
    """
    store, lake_path = open_lake(url, data_path, setup.settings)
    return Runtime(setup, lake_key(url), store, lake_path, sort_expression)
