"""Lakes as handles."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from types import TracebackType
from typing import TYPE_CHECKING, Self

from forklake import session, spark_catalog, sql
from forklake.catalog import versions
from forklake.catalog.moments import Moment, Time, one_moment
from forklake.catalog.state import CatalogState
from forklake.config import Confinement, Settings
from forklake.ducklake.import_catalog import import_catalog
from forklake.lake.catalog import Catalog
from forklake.lake.lake_maintenance import LakeMaintenance
from forklake.lake.many_catalogs import ManyCatalogs
from forklake.lake.notebook import lake_html
from forklake.lake.options import Options, lake_options
from forklake.model.ids import SnapshotId
from forklake.model.lives import PurgedCatalog
from forklake.model.overview import ForkTree, LakeStats, Ping
from forklake.model.progress import Progress, ignore_progress
from forklake.model.records import CatalogInfo, DroppedCatalog, Snapshot
from forklake.ops.catalogs import lifecycle
from forklake.ops.catalogs.catalog_terms import Duration, read_info, read_lifetime, read_terms
from forklake.ops.catalogs.create_catalog import create_catalog
from forklake.ops.catalogs.fork_tree import fork_tree
from forklake.ops.catalogs.list_catalogs import check_limit, check_moment, list_catalogs, list_dropped
from forklake.ops.catalogs.purge_catalogs import purge
from forklake.ops.lakes.lake_stats import Period, lake_stats
from forklake.ops.lakes.language import Language
from forklake.ops.lakes.ping_lake import ping_lake
from forklake.ops.lakes.runtime import Runtime, Setup, open_runtime, setup_of

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from forklake.session.connection import Connection
    from forklake.spark_catalog.attached_catalog import SparkCatalog


class Lake(ManyCatalogs):
    """An open lake: one metadata database with its catalogs.

    Safe to share between threads, but not between processes.
    """

    def __init__(
        self,
        url: str,
        *,
        data_path: str | os.PathLike[str] | None = None,
        spark: SparkSession | None = None,
        settings: Settings | None = None,
    ) -> None:
        self._runtime = open_runtime(setup_of(settings, spark), url, data_path, _load_language)

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
        """Close all connections of the lake.

        Closing twice does no harm. A Spark session is left running.
        """
        self._runtime.close()

    def ping(self) -> Ping:
        """Ask the metadata database one cheap question, for a health check.

        Raises:
            MetastoreError: It does not answer, or was upgraded by a newer release meanwhile.
        """
        return ping_lake(self._runtime.store)

    @property
    def data_path(self) -> str | None:
        """The path below which files go, unless a catalog has its own."""
        return self._runtime.lake_path

    @property
    def spark(self) -> SparkSession:
        """The Spark session that reads and writes rows.

        It is started now if there is none.

        Raises:
            EngineError: Spark cannot be started, or the lake has another engine.
        """
        return self._runtime.setup.spark()

    def using(self, spark: SparkSession) -> Lake:
        """Return this lake with another Spark session, for example one per agent.

        ``lake.using(spark.newSession())`` costs nothing: connections and caches are shared. Closing either lake
        closes both.
        """
        return lake_of(self._runtime.using(spark))

    def connect(
        self, catalogs: Iterable[Catalog | str] | Catalog | str = (), *, confined: bool | Confinement = False
    ) -> Connection:
        """Return a SQL session on the lake, with nothing attached but the given catalogs.

        ``ATTACH 'ducklake:' (CATALOG 'shop')`` attaches a catalog of the lake by its name; lakes of other URLs can
        be attached, too. The session uses the Spark session and the settings of the lake. Closing it leaves the
        lake open.

        Args:
            catalogs: A catalog, or several, to attach under their names, by name or as handles; the first is in use.
            confined: Whether the session reaches only these catalogs, and forks that it makes of them: for SQL that
                nobody has read. Without catalogs, it is confined to what it attaches before ``SET lock_configuration =
                true``. A `Confinement` says more, such as limits.

        Raises:
            NotFoundError: There is no such catalog.
            InvalidInputError: A catalog is of another lake, or its name cannot be attached under.
        """
        named = [catalogs] if isinstance(catalogs, Catalog | str) else catalogs
        return session.connection.connect_to_lake(self, named, confined=confined)

    def attach(
        self,
        spark: SparkSession | None = None,
        *,
        catalog: Catalog | str,
        as_: str | None = None,
        at: Moment | None = None,
        read_only: bool = False,
    ) -> SparkCatalog:
        """Make a catalog of the lake a catalog of a Spark session.

        ``lake.attach(spark, catalog="shop")`` lets ``spark.sql("SELECT * FROM shop.main.orders")``, ``spark.table``,
        ``writeTo`` and all else that names tables work on its tables, beside the other tables of the session. The
        session reaches no other catalog of the lake. ``detach()`` of what is returned ends it.

        Args:
            spark: The session; the lake's if not given.
            catalog: The catalog or fork, by name or as a handle; a handle on the past is attached at its snapshot.
            as_: The name of the catalog in the session; its own if not given.
            at: A snapshot of its lineage, a time or a tag that it is attached at, read-only; its head if not given.
            read_only: Whether all changes are refused.

        Raises:
            NotFoundError: There is no such catalog or snapshot.
            AlreadyExistsError: The session has a catalog of that name.
            InvalidInputError: The name cannot be one of Spark's, or the catalog is of another lake.
            EngineError: Spark cannot be started, is of a release that is not known, or is reached by Spark Connect.
        """
        return spark_catalog.attach.attach(self, spark, as_, catalog, at, read_only=read_only)

    @property
    def options(self) -> Options:
        """The options of the lake, for all catalogs that do not set their own."""
        return lake_options(self._runtime)

    @property
    def maintenance(self) -> LakeMaintenance:
        """Maintenance of all catalogs together."""
        return LakeMaintenance(self._runtime)

    def create_catalog(
        self,
        name: str,
        *,
        data_path: str | os.PathLike[str] | None = None,
        at_base: bool = False,
        encrypted: bool = False,
        if_not_exists: bool = False,
        ttl: Time | Duration | None = None,
        renew_by_commits: Duration | None = None,
        purge_after: Duration | None = None,
        author: str | None = None,
        labels: Mapping[str, str] | None = None,
    ) -> Catalog:
        """Create a catalog with an empty schema ``main``, and return it.

        ``created`` of the returned handle says whether this call created it.

        Args:
            name: Any text that is not the name of a live catalog; case does not matter for A to Z.
            data_path: The base path of its directory, if not the lake's.
            at_base: Put it at the base path itself, where it must be the only one.
            encrypted: Give each of its files a key of its own, which is kept in the metadata; its forks' too.
            if_not_exists: Return the catalog that has the name already. Of several callers at the same moment, one
                creates it.
            ttl: How long it lives, such as ``2h``, or until when; see `Catalog.fork`.
            renew_by_commits: Each commit to it moves the end to at least so long after it.
            purge_after: So long after it was dropped, `reap` purges it; never if not given.
            author: The author of its first snapshot.
            labels: Texts by name, for whoever looks for catalogs.

        Raises:
            AlreadyExistsError: A live catalog has the name.
            InvalidPathError: The path overlaps another catalog's directory.
            InvalidInputError: The lifetime lies in the past, or is none.
        """
        runtime = self._runtime
        own_path = None if data_path is None else os.fspath(data_path)
        terms = read_terms(runtime.store, author, labels, ttl, renew_by_commits, purge_after)
        made = create_catalog(
            runtime,
            name,
            own_path,
            at_base=at_base,
            encrypted=encrypted,
            if_not_exists=if_not_exists,
            terms=terms,
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
        """Import a DuckLake database as a new catalog, with its whole history.

        Versions 0.3 to 1.0 are supported. All or nothing. The files stay where they are, are named by absolute
        path, and never belong to the catalog.

        Args:
            name: The name of the new catalog.
            url: A DuckDB or SQLite file, or ``postgresql://...`` or ``postgres:<libpq words>``.
            data_path: Where the catalog's own new files go, if not below the lake's data path.
            source_data_path: Where the files of the database are, if not at its own data path. If that one is relative,
                it is taken from the current directory.
            metadata_schema: The schema of a PostgreSQL database; ``public`` if not given.
            progress: Called with the step, how much of it is done, and how much there is.

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
            progress=progress or ignore_progress,
        )
        return Catalog(runtime, made, name=name, created=True)

    def catalog(self, name: str) -> Catalog:
        """Open a catalog by its name.

        Raises:
            NotFoundError: No live catalog has the name.
        """
        head = versions.head_by_name(self._runtime.store, name)
        self._runtime.state(head)
        return Catalog(self._runtime, head.version.catalog_id, name=head.name)

    def catalogs(
        self,
        *,
        prefix: str = "",
        after: str | None = None,
        limit: int | None = None,
        at: Moment | None = None,
        labels: Mapping[str, str] | None = None,
    ) -> list[CatalogInfo]:
        """Return the catalogs sorted by name: all of them, or with ``limit`` a page.

        ``after`` is the last name of the previous page. A page costs the same however many catalogs there are; a
        list of a million takes hundreds of megabytes. With ``at``, a snapshot of any catalog or a time, these are
        the catalogs of that moment: under the names they had, each with its newest snapshot then. With ``labels``,
        these are the catalogs that have all of them.
        """
        return list_catalogs(self._runtime, prefix=prefix, after=after, limit=limit, at=at, labels=labels)

    def dropped_catalogs(self, *, prefix: str = "", limit: int | None = None) -> list[DroppedCatalog]:
        """Return the dropped catalogs that can be brought back, by id: all, or the first.

        Each says when it was dropped, by whom and why, if that was said. Purged ones are gone. Names may occur several
        times: a name is free again once its catalog is dropped.
        """
        return list_dropped(self._runtime, prefix=prefix, limit=limit)

    def undrop_catalog(
        self,
        name_or_id: str | int,
        *,
        ttl: Time | Duration | None = None,
        author: str | None = None,
        message: str | None = None,
    ) -> Catalog:
        """Bring a dropped catalog back, by its id or its name.

        A name is enough if only one catalog was dropped under it. A lifetime that has passed is forgotten: it lives
        until it is dropped, unless ``ttl`` gives it another. The author and the message, who does it and why, are
        logged.

        Raises:
            NotFoundError: No such catalog is dropped, or it was purged.
            AlreadyExistsError: A live catalog has its name.
        """
        catalog = lifecycle.dropped_catalog(self._runtime.store, name_or_id)
        lifetime = None if ttl is None else read_lifetime(self._runtime.store, ttl, None, None)
        info = read_info(author, message)
        name = lifecycle.undrop_catalog(self._runtime.store, catalog, lifetime, info)
        return Catalog(self._runtime, catalog, name=name)

    def purge(self, name_or_id: str | int, *, author: str | None = None, message: str | None = None) -> PurgedCatalog:
        """Give up a dropped catalog for good: its snapshots, options and ancestry.

        Forks keep what they see: ``held_by`` of what is returned names those that go on showing rows of it. Its files
        that nobody needs are deleted later, by `LakeMaintenance.cleanup_old_files`. The author and the message, who
        does it and why, are logged.

        Raises:
            NotFoundError: No such catalog is dropped.
        """
        return purge(
            self._runtime, lifecycle.dropped_catalog(self._runtime.store, name_or_id), read_info(author, message)
        )

    def snapshots(self, *, after: int | None = None, limit: int | None = None) -> list[Snapshot]:
        """Return the snapshots of all catalogs by id: all, or with ``limit`` a page.

        ``after`` is the last id of the previous page.
        """
        return versions.lake_snapshots(
            self._runtime.store,
            None if after is None else SnapshotId(after),
            None if limit is None else check_limit(limit),
        )

    def fork_tree(self, name: str | None = None, *, depth: int = 100, width: int = 5, limit: int = 100) -> ForkTree:
        """Return the tree of forks of a catalog, or of the lake, cut to a readable size.

        Args:
            name: The catalog to start at; all catalogs without a parent if not given.
            depth: The number of levels below the first.
            width: The number of forks of each catalog, oldest first; the others are counted.
            limit: The number of catalogs in all, upper levels first.

        Raises:
            NotFoundError: No live catalog has the name.
        """
        root = None if name is None else self.catalog(name).catalog_id
        return fork_tree(self._runtime.store, root, depth=depth, width=width, limit=limit)

    def stats(self, *, by: Period = "day", periods: int = 7) -> LakeStats:
        """Return the size of the lake and its recent growth.

        It counts catalogs, snapshots, files, rows and bytes, what was created in the last periods, and what each verb
        of maintenance would act on now.
        """
        return lake_stats(self._runtime.store, by=by, periods=periods)

    def metadata_bytes(self) -> int:
        """Return the bytes that the metadata of all catalogs takes, indexes included."""
        return self._runtime.store.byte_count()

    def at(
        self, moment: Moment | None = None, /, *, version: int | None = None, timestamp: Time | None = None
    ) -> LakeAt:
        """Return the whole lake at a moment: each catalog at its newest own snapshot.

        The answer is repeatable only for moments before the oldest commit still in flight.

        Raises:
            InvalidInputError: Not exactly one moment was given, or it is none.
        """
        return LakeAt(self._runtime, one_moment(moment, version, timestamp))


def lake_of(runtime: Runtime) -> Lake:
    """Return a lake handle for a runtime."""
    made = object.__new__(Lake)
    made._runtime = runtime
    return made


def open_lake(url: str, setup: Setup, data_path: str | None = None) -> Lake:
    """Open a lake with the setup of a session.

    It raises what `forklake.open` raises.
    """
    return lake_of(open_runtime(setup, url, data_path, _load_language))


class LakeAt:
    """A lake at one moment, read-only."""

    def __init__(self, runtime: Runtime, moment: Moment) -> None:
        self._runtime = runtime
        self._moment = check_moment(moment)

    def __repr__(self) -> str:
        return f"LakeAt({self._runtime.location!r}, {str(self._moment)!r})"

    def catalogs(self, *, prefix: str = "", after: str | None = None, limit: int | None = None) -> list[CatalogInfo]:
        """Return the catalogs of that moment: all, or with ``limit`` a page.

        They have the names of that moment.
        """
        return list_catalogs(self._runtime, prefix=prefix, after=after, limit=limit, at=self._moment)

    def catalog(self, name: str) -> Catalog:
        """Return the catalog of this name at that moment, read-only.

        It may have been renamed or dropped since.

        Raises:
            NotFoundError: No catalog had the name then.
        """
        store = self._runtime.store
        version = versions.version_by_name(store, name, self._moment)
        return Catalog(self._runtime, version.catalog_id, CatalogState(store, version), name=name)


def _load_language() -> Language:
    """Load the parser, and return what reads SQL for the operations."""
    return sql.language.DuckDBLanguage()
