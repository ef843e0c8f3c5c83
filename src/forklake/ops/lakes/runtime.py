"""The runtime of an open lake: its store, settings, clock and engine."""

from __future__ import annotations

import os
import pickle
import threading
from collections import OrderedDict
from collections.abc import Callable, Mapping
from copy import copy
from dataclasses import fields
from typing import TYPE_CHECKING, Final

from forklake.catalog.state import CatalogState
from forklake.config import ENGINE_CHOICES, EngineChoice, Settings
from forklake.engine.engine import Engine
from forklake.engine.spark.spark_engine import SparkEngine
from forklake.errors import ConfigError, EngineError, InvalidInputError
from forklake.extras import is_installed
from forklake.metastore.store import Store
from forklake.model.ids import CatalogId
from forklake.model.lazy_dataclass import dataclass
from forklake.model.version import Head
from forklake.ops.lakes.language import Language
from forklake.ops.lakes.lazy_store import OpenLake, open_now

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

_KEPT_STATES: Final = 1024


@dataclass(frozen=True, slots=True)
class Setup:
    """The settings and the engine that lakes are opened with.

    A SQL session has one before it has a lake, and opens each lake with it.

    Attributes:
        settings: Retries, clock, time-outs, and how the engine is set up.
        engine: The engine that reads and writes rows.
    """

    settings: Settings
    engine: Engine

    @property
    def choice(self) -> EngineChoice:
        """Which engine runs the statements of SQL sessions, unless they say otherwise."""
        given = self.settings.engine
        return given if isinstance(given, str) else _engine_of_process()

    @property
    def is_spark(self) -> bool:
        """Whether the engine is Spark, and none that was put in its place."""
        return self.settings.engine is None or isinstance(self.settings.engine, str)

    def spark(self) -> SparkSession:
        """Return the Spark session of the jobs; start it if there is none.

        Raises:
            EngineError: Spark cannot be started, or another engine is used.
        """
        if not isinstance(self.engine, SparkEngine):
            raise EngineError(f"Rows are read and written by {type(self.engine).__name__}, not by Spark.")
        return self.engine.session()


def leaves_large_to_engine(settings: Settings) -> bool:
    """Return whether there is an engine for what is large.

    It is one that was given, or PySpark. Without it, this process does what it can, of any size.
    """
    return not (settings.engine is None or isinstance(settings.engine, str)) or is_installed("spark")


def _engine_of_process() -> EngineChoice:
    """Return the engine that the environment names, or else ``auto``."""
    given = os.environ.get("FORKLAKE_ENGINE") or "auto"
    for name in ENGINE_CHOICES:
        if given == name:
            return name
    raise ConfigError(f"FORKLAKE_ENGINE is one of {', '.join(ENGINE_CHOICES)}, not {given!r}.")


def setup_of(settings: Settings | None = None, spark: SparkSession | None = None) -> Setup:
    """Return a setup with the engine of the settings, or else Spark.

    Raises:
        ConfigError: Both a Spark session and another engine were given, or there is no engine of that name.
    """
    settings = settings or Settings()
    if isinstance(settings.engine, str) and settings.engine not in ENGINE_CHOICES:
        raise ConfigError(f"The engine is one of {', '.join(ENGINE_CHOICES)}, not {settings.engine!r}.")
    if settings.engine is None or isinstance(settings.engine, str):
        # What decides between the engines is in the storeys above: SQL knows what means the same on both.
        return Setup(settings, SparkEngine(spark, settings.spark))
    if spark is not None:
        raise ConfigError("Both a Spark session and another engine were given; nothing was opened.")
    return Setup(settings, settings.engine)


class Runtime:
    """An open lake at work; its handles, sessions and operations share it.

    Threads may share it, processes may not. After unpickling, it opens the lake again with the same settings, and
    with the Spark session that is active there.

    Attributes:
        setup: The settings and the engine that the lake was opened with.
        options: Write options of an attachment; they override those of the catalog.
        option_defaults: A session's write options for where neither the catalog nor the lake sets any.
        option_overrides: A session's write options that override those of schemas and tables too.
    """

    def __init__(self, setup: Setup, opened: OpenLake, language: Callable[[], Language]) -> None:
        self.setup = setup
        self.options: dict[str, str] = {}
        self.option_defaults: Mapping[str, str] = {}
        self.option_overrides: Mapping[str, str] = {}
        self.engine = setup.engine
        """What reads and writes rows: the setup's, or the one of a SQL session."""
        self._opened = opened
        self._language = language
        self._states: OrderedDict[CatalogId, CatalogState] = OrderedDict()
        self._lock = threading.Lock()

    def __reduce__(self) -> tuple[Callable[..., Runtime], tuple[Settings, OpenLake, Callable[[], Language]]]:
        """Leave caches and the engine behind.

        Raises:
            InvalidInputError: A setting cannot be pickled.
        """
        _check_pickled(self.settings)
        return _unpickle, (self.settings, self._opened, self._language)

    def __copy__(self) -> Runtime:
        """Share the open lake and all else; only what is pickled is opened again."""
        made = object.__new__(type(self))
        made.__dict__.update(self.__dict__)
        return made

    @property
    def key(self) -> str:
        """The key that identifies the lake, see `lake_key`."""
        return self._opened.key

    @property
    def store(self) -> Store:
        """The store, for the process that opened it.

        Raises:
            ConfigError: This is a forked child: connections cannot be shared between processes.
        """
        return self._opened.store

    @property
    def lake_path(self) -> str | None:
        """The base path of the lake."""
        return self._opened.lake_path

    @property
    def location(self) -> str:
        """Where the metadata is, without a password."""
        return self._opened.location

    @property
    def settings(self) -> Settings:
        """The settings that the lake was opened with."""
        return self.setup.settings

    @property
    def language(self) -> Language:
        """The parser of SQL texts.

        It is loaded on first use: most metadata work does without it.
        """
        return self._language()

    def close(self) -> None:
        """Close all connections. Closing twice does no harm."""
        self._opened.close()

    def using(self, spark: SparkSession) -> Runtime:
        """Return the same open lake for jobs in another Spark session; all else is shared."""
        made = copy(self)
        made.setup = Setup(self.settings, SparkEngine(spark, self.settings.spark))
        made.engine = made.setup.engine
        return made

    def for_session(
        self, engine: Engine, option_defaults: Mapping[str, str], option_overrides: Mapping[str, str]
    ) -> Runtime:
        """Return the same open lake for a SQL session with an engine of its own."""
        made = copy(self)
        made.engine, made.option_defaults, made.option_overrides = engine, option_defaults, option_overrides
        return made

    def with_options(self, options: Mapping[str, str]) -> Runtime:
        """Return the same open lake with the write options of an attachment."""
        made = copy(self)
        made.options = dict(options)
        return made

    def with_overrides(self, overrides: Mapping[str, str]) -> Runtime:
        """Return the same open lake with write options that override all others."""
        made = copy(self)
        made.option_overrides = overrides
        return made

    def forget_option(self, key: str) -> None:
        """Let the catalog's own option count again, for all that uses this attachment."""
        self.options.pop(key, None)

    def state(self, head: Head) -> CatalogState:
        """Return the state of a catalog at its head, cached until the next commit."""
        catalog = head.version.catalog_id
        with self._lock:
            kept = self._states.get(catalog)
            if kept is not None and kept.version == head.version:
                self._states.move_to_end(catalog)
                return kept
        state = CatalogState(self.store, head.version)
        self.keep(state)
        return state

    def keep(self, state: CatalogState) -> None:
        """Cache a state for the next reader of its catalog."""
        with self._lock:
            self._states[state.version.catalog_id] = state
            self._states.move_to_end(state.version.catalog_id)
            while len(self._states) > _KEPT_STATES:
                self._states.popitem(last=False)


def open_runtime(
    setup: Setup, url: str, data_path: str | os.PathLike[str] | None, language: Callable[[], Language]
) -> Runtime:
    """Open a lake; see `forklake.open`.

    Raises:
        MetastoreError: The store cannot be opened.
        InvalidPathError: The lake has another data path.
    """
    return Runtime(setup, open_now(url, data_path, setup.settings), language)


def _check_pickled(settings: Settings) -> None:
    """Name the setting that cannot be pickled; its value may be secret."""
    for setting in fields(settings):
        try:
            pickle.dumps(getattr(settings, setting.name))
        except (pickle.PicklingError, AttributeError, TypeError):
            raise InvalidInputError(
                f'A handle cannot be pickled while the setting "{setting.name}" cannot be pickled.',
                hint="A function in the settings is one that a module defines by name, no lambda.",
            ) from None


def _unpickle(settings: Settings, opened: OpenLake, language: Callable[[], Language]) -> Runtime:
    return Runtime(setup_of(settings), opened, language)
