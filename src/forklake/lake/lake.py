"""A lake as a handle."""

from __future__ import annotations

import os
from types import TracebackType
from typing import TYPE_CHECKING, Self

from forklake import session
from forklake.catalog import versions
from forklake.catalog.moments import Moment, Time, one_moment
from forklake.catalog.view import View
from forklake.config import Settings
from forklake.lake.catalog import Catalog
from forklake.lake.language import load_language
from forklake.lake.notebook import lake_html
from forklake.lake.options import Options, lake_options
from forklake.model.ids import SnapshotId
from forklake.model.overview import ForkTree, LakeStats
from forklake.model.records import CatalogInfo, Snapshot
from forklake.ops import lifecycle
from forklake.ops.create_catalog import create_catalog
from forklake.ops.fork_tree import fork_tree
from forklake.ops.import_catalog import import_catalog
from forklake.ops.lake_stats import Period, lake_stats
from forklake.ops.list_catalogs import check_limit, check_moment, list_catalogs
from forklake.ops.plain_history import Progress, silent
from forklake.ops.runtime import Runtime, Setup, open_runtime, setup_of

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from forklake.session.connection import Connection


class Lake:
    """An open lake: one metadata database with its catalogs. May be shared by threads, not by processes."""

    def __init__(
        self,
        url: str,
        *,
        data_path: str | os.PathLike[str] | None = None,
        spark: SparkSession | None = None,
        settings: Settings | None = None,
    ) -> None:
        self._runtime = open_runtime(setup_of(settings, spark), url, data_path, load_language)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"Lake({self._runtime.location!r})"

    def _repr_html_(self) -> str:
        return lake_html(self)

    def close(self) -> None:
        """Give back all connections. Closing twice does no harm. A Spark session is left running."""
        self._runtime.close()

    @property
    def data_path(self) -> str | None:
        """The path below which files go, if a catalog does not say otherwise."""
        return self._runtime.lake_path

    @property
    def spark(self) -> SparkSession:
        """The Spark session that reads and writes rows; it is started now if there is none.

        Raises:
            EngineError: Spark cannot be started, or the lake has another engine.
        """
        return self._runtime.setup.spark()

    def using(self, spark: SparkSession) -> Lake:
        """Return this lake for jobs in another session, such as one of many agents has: ``lake.using(s.newSession())``.

        Connections and what is known of catalogs are shared, so it costs nothing; closing either closes both.
        """
        return lake_of(self._runtime.using(spark))

    def connect(self) -> Connection:
        """Return a SQL session on the lake with nothing attached: ``ATTACH 'ducklake:' (CATALOG 'shop')`` comes first.

        It has the Spark session and the settings of the lake, which stays open when the session is closed. The name of
        each catalog is enough to attach it; lakes of other URLs can be attached beside it.
        """
        return session.connection.connect_to_lake(self)

    @property
    def options(self) -> Options:
        """The options of all catalogs that do not say otherwise."""
        return lake_options(self._runtime)

    def create_catalog(
        self,
        name: str,
        *,
        data_path: str | os.PathLike[str] | None = None,
        at_base: bool = False,
        encrypted: bool = False,
        if_not_exists: bool = False,
    ) -> Catalog:
        """Create a catalog with an empty schema ``main``; ``created`` of what is returned tells whether this did.

        Args:
            name: Any text that no live catalog is called; case does not matter for A to Z.
            data_path: The base path of its directory, if not the lake's.
            at_base: Put it at the base path itself, where it must be the only one.
            encrypted: Give each of its files a key of its own, which is kept in the metadata; its forks' too.
            if_not_exists: Return the catalog that has the name already. Of several callers at the same moment, one
                creates it.

        Raises:
            AlreadyExistsError: A live catalog has the name.
            InvalidPathError: The place overlaps another catalog's directory.
        """
        runtime = self._runtime
        own_path = None if data_path is None else os.fspath(data_path)
        made = create_catalog(
            runtime,
            name,
            own_path,
            at_base=at_base,
            encrypted=encrypted,
            if_not_exists=if_not_exists,
        )
        return Catalog(runtime, made.catalog_id, name=name, created=made.created)

    def import_catalog(
        self,
        name: str,
        url: str | os.PathLike[str],
        *,
        data_path: str | os.PathLike[str] | None = None,
        source_data_path: str | os.PathLike[str] | None = None,
        metadata_schema: str | None = None,
        progress: Progress | None = None,
    ) -> Catalog:
        """Import a DuckLake database of version 0.3 to 1.0 as a new catalog, with its whole history.

        All or nothing. Its files stay where they are, are named by absolute path, and never belong to the catalog.

        Args:
            name: The name of the new catalog.
            url: A DuckDB or SQLite file, or ``postgresql://...`` or ``postgres:<libpq words>``.
            data_path: Where the catalog's own new files go, if not below the lake's data path.
            source_data_path: Where the files of the database lie, if not where it says; a relative path that it
                says is taken from the current directory.
            metadata_schema: The schema of a PostgreSQL database; ``public`` if not given.
            progress: Told the step, how much of it is done, and how much there is.

        Raises:
            AlreadyExistsError: A live catalog has the name.
            MetastoreVersionError: There is no DuckLake database, or one of another version.
            InvalidInputError: It holds something that cannot be kept.
        """
        runtime = self._runtime
        made = import_catalog(
            runtime,
            name,
            os.fspath(url),
            data_path=None if data_path is None else os.fspath(data_path),
            source_data_path=None if source_data_path is None else os.fspath(source_data_path),
            metadata_schema=metadata_schema,
            progress=progress or silent,
        )
        return Catalog(runtime, made, name=name, created=True)

    def catalog(self, name: str) -> Catalog:
        """Open a catalog by its name.

        Raises:
            NotFoundError: No live catalog has the name.
        """
        head = versions.head_by_name(self._runtime.store, name)
        self._runtime.view(head)
        return Catalog(self._runtime, head.version.catalog_id, name=head.name)

    def catalogs(
        self,
        *,
        prefix: str = "",
        after: str | None = None,
        limit: int | None = None,
        at: Moment | None = None,
    ) -> list[CatalogInfo]:
        """Return the catalogs by name: all that there are, or with ``limit`` a page of them.

        ``after`` is the last name of the page before. A page costs the same however many catalogs there are; all
        of a million take hundreds of megabytes. With ``at``, a snapshot of any catalog or a time: the
        catalogs that existed then, under the names they had, each with its newest snapshot of that moment.
        """
        return list_catalogs(self._runtime, prefix=prefix, after=after, limit=limit, at=at)

    def undrop_catalog(self, name_or_id: str | int) -> Catalog:
        """Bring a dropped catalog back, by its id or by a name that only one was dropped under.

        Raises:
            NotFoundError: No such catalog is dropped, or it was purged.
            AlreadyExistsError: A live catalog has its name.
        """
        catalog = lifecycle.dropped_catalog(self._runtime.store, name_or_id)
        lifecycle.undrop_catalog(self._runtime.store, catalog)
        return Catalog(self._runtime, catalog)

    def purge(self, name_or_id: str | int) -> None:
        """Give up a dropped catalog for good: its snapshots, options and ancestry. Forks keep what they see.

        Raises:
            NotFoundError: No such catalog is dropped.
        """
        lifecycle.purge(self._runtime.store, lifecycle.dropped_catalog(self._runtime.store, name_or_id))

    def snapshots(self, *, after: int | None = None, limit: int | None = None) -> list[Snapshot]:
        """Return the snapshots of all catalogs, by id: all that there are, or with ``limit`` a page of them.

        ``after`` is the last id of the page before.
        """
        return versions.lake_snapshots(
            self._runtime.store,
            None if after is None else SnapshotId(after),
            None if limit is None else check_limit(limit),
        )

    def fork_tree(self, name: str | None = None, *, depth: int = 100, width: int = 5, limit: int = 100) -> ForkTree:
        """Return the tree of forks of a catalog, or of the lake, cut to what can be read.

        Args:
            name: The catalog to start at; all that have no parent if not given.
            depth: How many levels below the first.
            width: How many forks of each catalog, the oldest first; the others are counted.
            limit: How many catalogs in all, the upper levels first.

        Raises:
            NotFoundError: No live catalog has the name.
        """
        root = None if name is None else self.catalog(name).catalog_id
        return fork_tree(self._runtime.store, root, depth=depth, width=width, limit=limit)

    def stats(self, *, by: Period = "day", periods: int = 7) -> LakeStats:
        """Return how many catalogs, snapshots, rows and bytes there are, and what was made in the last periods."""
        return lake_stats(self._runtime.store, by=by, periods=periods)

    def metadata_bytes(self) -> int:
        """Return the bytes that the metadata of all catalogs takes, indexes included."""
        return self._runtime.store.byte_count()

    def at(
        self, moment: Moment | None = None, /, *, version: int | None = None, timestamp: Time | None = None
    ) -> LakeAt:
        """Return the whole lake as it was: each catalog at its newest own snapshot of that moment.

        Repeatable only below the oldest commit that is still in flight.

        Raises:
            InvalidInputError: Not exactly one moment was given, or it is none.
        """
        return LakeAt(self._runtime, one_moment(moment, version, timestamp))


def lake_of(runtime: Runtime) -> Lake:
    """Return the lake that a runtime is of, as a handle."""
    made = object.__new__(Lake)
    made._runtime = runtime
    return made


def open_lake(url: str, setup: Setup, data_path: str | None = None) -> Lake:
    """Open a lake for a session, with what the session was begun with; fails as `forklake.open` does."""
    return lake_of(open_runtime(setup, url, data_path, load_language))


class LakeAt:
    """A lake at one moment, for reading."""

    def __init__(self, runtime: Runtime, moment: Moment) -> None:
        self._runtime = runtime
        self._moment = check_moment(moment)

    def __repr__(self) -> str:
        return f"LakeAt({self._runtime.location!r}, {str(self._moment)!r})"

    def catalogs(self, *, prefix: str = "", after: str | None = None, limit: int | None = None) -> list[CatalogInfo]:
        """Return the catalogs that existed then, under the names they had: all, or with ``limit`` a page of them."""
        return list_catalogs(self._runtime, prefix=prefix, after=after, limit=limit, at=self._moment)

    def catalog(self, name: str) -> Catalog:
        """Return the catalog that had the name then, read-only, even if it was renamed or dropped since.

        Raises:
            NotFoundError: None had it.
        """
        store = self._runtime.store
        version = versions.version_by_name(store, name, self._moment)
        return Catalog(self._runtime, version.catalog_id, View(store, version), name=name)
