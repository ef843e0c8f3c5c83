"""A catalog as a handle."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

from forklake import session
from forklake.catalog import versions
from forklake.catalog.moments import Moment, Time, one_moment
from forklake.catalog.names import check_text
from forklake.catalog.transaction import Staging
from forklake.catalog.view import Content, View
from forklake.errors import CatalogDroppedError, InvalidInputError, NotFoundError
from forklake.lake.options import Options
from forklake.lake.reader import Reader
from forklake.lake.transaction import Transaction
from forklake.lake.verbs import Verbs
from forklake.model.ids import CatalogId, SnapshotId
from forklake.model.records import CatalogInfo, CommitInfo, ExportedCatalog, Snapshot
from forklake.model.version import Head, Version
from forklake.ops.copy_catalog import copy_catalog
from forklake.ops.detach import detach
from forklake.ops.expire import expire_snapshots
from forklake.ops.export_catalog import export_catalog
from forklake.ops.fork import fork, fork_many
from forklake.ops.list_catalogs import catalog_by_id
from forklake.ops.plain_history import Progress, silent
from forklake.ops.run_again import run_again
from forklake.ops.runtime import Runtime

if TYPE_CHECKING:
    from forklake.session.connection import Connection
    from forklake.session.result import Result

T = TypeVar("T")


class Catalog(Reader, Verbs):
    """One catalog of a lake. May be shared by threads.

    It is found by its id, so a rename does not lose it. Each call sees what others have committed before;
    a handle that `at` returned sees one snapshot and changes nothing.
    """

    def __init__(
        self, runtime: Runtime, catalog_id: CatalogId, pinned: View | None = None, *, created: bool = False
    ) -> None:
        self._runtime = runtime
        self._catalog_id = catalog_id
        self._pinned = pinned
        self._created = created

    def __repr__(self) -> str:
        at = "" if self._pinned is None else f", at={self._pinned.version.snapshot_id}"
        return f"Catalog(catalog_id={self._catalog_id}{at})"

    @property
    def catalog_id(self) -> CatalogId:
        """The id, which never changes."""
        return self._catalog_id

    @property
    def created(self) -> bool:
        """Whether the call that returned this handle made the catalog; False if it was there before."""
        return self._created

    @property
    def name(self) -> str:
        """The name the catalog has now.

        Raises:
            NotFoundError: It was dropped.
        """
        return self._head().name

    @property
    def head(self) -> SnapshotId:
        """The id of the newest snapshot, read anew; of a handle on the past, the id of its snapshot."""
        return self._version().snapshot_id

    @property
    def info(self) -> CatalogInfo:
        """The catalog as a list shows it now.

        Raises:
            NotFoundError: It was dropped.
        """
        return catalog_by_id(self._runtime, self._catalog_id)

    @property
    def parent(self) -> CatalogInfo | None:
        """The catalog that this one was forked from; None if there is none, or it was dropped since."""
        parent = self.info.parent_id
        if parent is None:
            return None
        try:
            return catalog_by_id(self._runtime, parent)
        except NotFoundError:
            return None

    @property
    def is_live(self) -> bool:
        """Whether it is there: not dropped since the handle was made."""
        try:
            self._head()
        except CatalogDroppedError:
            return False
        return True

    @property
    def is_read_only(self) -> bool:
        """Whether this is a handle on the past."""
        return self._pinned is not None

    @property
    def options(self) -> Options:
        """The options of the catalog, its schemas and its tables."""
        return Options(self._runtime, self._catalog_id, self._content, self._check_writable)

    def at(
        self, moment: Moment | None = None, /, *, version: int | None = None, timestamp: Time | None = None
    ) -> Catalog:
        """Return the same catalog as it was: at a snapshot of its lineage, or at a time.

        Args:
            moment: A snapshot id or a time, if neither is given by name.
            version: A snapshot id.
            timestamp: A datetime, a date or a text; without a zone it is UTC.

        Raises:
            SnapshotNotFoundError: The snapshot never was, is expired, or lies outside the lineage.
            InvalidInputError: Not exactly one moment was given, or it is none.
        """
        found = versions.version_of(self._runtime.store, self._version(), one_moment(moment, version, timestamp))
        return Catalog(self._runtime, self._catalog_id, View(self._runtime.store, found))

    def snapshots(self) -> list[Snapshot]:
        """Return the versions of the catalog, oldest first: its own, and its ancestors' up to the fork."""
        return versions.snapshots(self._runtime.store, self._version())

    def sql(self, text: str, parameters: Sequence[Any] | Mapping[str, Any] | None = None) -> Result | None:
        """Run SQL in the catalog, one statement or several, and return the result of the last; None if it has none.

        The catalog is attached under its name and in use. A transaction that the text begins must end in it.

        Raises:
            ForklakeError: A statement is wrong or failed. What ran before it stays.
        """
        return session.connection.run_in_catalog(self, text, parameters)

    def session(self) -> Connection:
        """Return a SQL session in which the catalog is attached under its name and in use.

        It keeps its ``SET``, variables, ``USE`` and transaction from one statement to the next. It has the Spark
        session and the settings of the lake, which stays open when the session is closed. ``ATTACH 'ducklake:'``
        attaches other catalogs of the lake.

        Raises:
            NotFoundError: The catalog was dropped.
        """
        return session.connection.connect_to_catalog(self)

    def transaction(
        self,
        *,
        author: str | None = None,
        message: str | None = None,
        extra_info: str | None = None,
        commit_key: str | None = None,
    ) -> Transaction:
        """Begin a transaction on the catalog as it is now; use it in a ``with`` block.

        ``commit_key`` makes it idempotent: under a key that was committed to this catalog before, changes are
        taken as done and nothing is committed; the transaction's ``snapshot_id`` is that of the first time.
        """
        self._check_writable()
        return self._begin(author, message, extra_info, commit_key)

    def _begin(
        self,
        author: str | None = None,
        message: str | None = None,
        extra_info: str | None = None,
        commit_key: str | None = None,
        *,
        may_alter_later: bool = True,
    ) -> Transaction:
        if commit_key is not None and not commit_key:
            raise InvalidInputError("A commit key must not be empty.")
        info = CommitInfo(
            check_text("author", author), check_text("message", message), check_text("extra info", extra_info)
        )
        key = check_text("commit key", commit_key)
        known = None if key is None else versions.known_commit(self._runtime.store, self._catalog_id, key)
        return Transaction(self._runtime, self._head(), info, key, known, may_alter_later=may_alter_later)

    def fork(
        self,
        name: str,
        *,
        at: Moment | None = None,
        data_path: str | os.PathLike[str] | None = None,
        if_not_exists: bool = False,
        copy: bool = False,
    ) -> Catalog:
        """Return a new catalog that starts as this one is, or was at a snapshot or time.

        ``created`` of what is returned tells whether this call made it.

        By reference it costs one short transaction and a few hundred bytes, whatever the catalog holds; with
        ``copy`` the metadata is written out, and the new catalog has no earlier history. Files are shared in
        both cases; neither catalog sees what the other does later.

        Args:
            name: The name of the new catalog.
            at: A snapshot that the catalog can see, or a time; its head if not given.
            data_path: Where the fork's own files go, if not below the lake's data path.
            if_not_exists: Return the fork of this catalog that has the name already. Of several callers at the same
                moment, one makes it.
            copy: Write the metadata out instead of referring to it.

        Raises:
            AlreadyExistsError: The name is taken by something else.
            SnapshotNotFoundError: The catalog has no such snapshot.
        """
        runtime = self._runtime
        if at is None and self._pinned is not None:
            at = self._pinned.version.snapshot_id
        own_path = None if data_path is None else os.fspath(data_path)
        if not copy:
            made = fork(runtime, self._catalog_id, name, at=at, data_path=own_path, if_not_exists=if_not_exists)
            return Catalog(runtime, made.catalog_id, created=made.created)
        if if_not_exists:
            raise InvalidInputError("A copying fork cannot be asked for with if_not_exists.")
        copied = copy_catalog(runtime, self._catalog_id, name, at=at, data_path=own_path)
        return Catalog(runtime, copied, created=True)

    def fork_many(
        self,
        names: Iterable[str],
        *,
        at: Moment | None = None,
        on_progress: Callable[[int], None] = lambda made: None,
    ) -> list[Catalog]:
        """Return one fork for each name, all of the same snapshot, in far fewer transactions than names.

        Made in batches of 10,000, each all or nothing. ``on_progress`` is told after each how many are made.

        Raises:
            AlreadyExistsError: A name is taken.
            InvalidInputError: A name is given twice.
        """
        if at is None and self._pinned is not None:
            at = self._pinned.version.snapshot_id
        runtime = self._runtime
        made = fork_many(runtime, self._catalog_id, list(names), at=at, on_progress=on_progress)
        return [Catalog(runtime, catalog, created=True) for catalog in made]

    def export(
        self,
        url: str | os.PathLike[str],
        *,
        at: Moment | None = None,
        history: bool = False,
        progress: Progress | None = None,
    ) -> ExportedCatalog:
        """Write the catalog as a plain DuckLake 1.0 database that DuckDB attaches: a DuckDB or a SQLite file.

        The data files stay where they are and are named by absolute path. The file appears complete or not at all.

        Args:
            url: A path ending in ``.ducklake``, ``.duckdb``, ``.db`` or ``.sqlite``, or ``duckdb:path`` or
                ``sqlite:path``.
            at: A snapshot that the catalog can see, or a time; its head if not given.
            history: Write all snapshots of the lineage up to that one, not only that one.
            progress: Told the step, how much of it is done, and how much there is.

        Raises:
            AlreadyExistsError: There is a file of that name.
            SnapshotNotFoundError: The catalog has no such snapshot.
            InvalidInputError: The catalog holds something that DuckLake 1.0 cannot express.
        """
        version = self._version()
        if at is not None:
            version = versions.version_of(self._runtime.store, version, at)
        return export_catalog(
            self._runtime,
            version,
            os.fspath(url),
            history=history,
            progress=progress or silent,
        )

    def detach(self) -> None:
        """Let go of the ancestors: what is inherited becomes the catalog's own, and its earlier history goes.

        A catalog that inherits nothing stays as it is.
        """
        self._check_writable()
        detach(self._runtime, self._catalog_id)

    def expire_snapshots(
        self, *, snapshot_ids: Sequence[int] | None = None, older_than: Time | None = None
    ) -> list[SnapshotId]:
        """Forget own snapshots by id or age, and return which; forks keep what they see.

        Raises:
            SnapshotNotFoundError: A snapshot is not one of the catalog's own.
        """
        self._check_writable()
        chosen = expire_snapshots(
            self._runtime.store, self._catalog_id, snapshot_ids=snapshot_ids, older_than=older_than
        )
        return [snapshot.snapshot_id for snapshot in chosen]

    def _head(self) -> Head:
        return versions.head_by_id(self._runtime.store, self._catalog_id)

    def _version(self) -> Version:
        return self._pinned.version if self._pinned is not None else self._head().version

    def _content(self) -> Content:
        return self._pinned if self._pinned is not None else self._runtime.view(self._head())

    def _check_writable(self) -> None:
        if self._pinned is not None:
            raise InvalidInputError(
                f"The catalog at snapshot {self._pinned.version.snapshot_id} is read-only; nothing was changed.",
                hint="Change the catalog itself, or fork it at that snapshot.",
            )

    def _run(self, verb: Callable[[Staging], T], *, rerun: bool = True) -> T | None:
        """Run a verb as a transaction of its own; after a conflict it is run again on the new head."""
        self._check_writable()

        def attempt() -> T | None:
            with self._begin(may_alter_later=False) as transaction:
                return transaction._run(verb)

        settings = self._runtime.settings
        return run_again(attempt, settings.retry, settings.clock) if rerun else attempt()
