"""Catalogs and forks as handles."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self, TypeVar

from forklake import session
from forklake.catalog import versions
from forklake.catalog.moments import Moment, Time, one_moment
from forklake.catalog.names import check_text
from forklake.catalog.state import CatalogState, Content
from forklake.catalog.transaction import Staging
from forklake.config import Confinement
from forklake.errors import CatalogDroppedError, InvalidInputError
from forklake.lake.catalog_inspection import CatalogInspection
from forklake.lake.catalog_life import Living
from forklake.lake.maintenance import CatalogMaintenance
from forklake.lake.merge_verbs import MergeVerbs
from forklake.lake.notebook import catalog_html
from forklake.lake.options import Options
from forklake.lake.runner import Made
from forklake.lake.transaction import Transaction
from forklake.model.ids import CatalogId, SnapshotId
from forklake.model.progress import Progress, ignore_progress
from forklake.model.records import Commit, CommitInfo
from forklake.model.version import Head, Version
from forklake.ops.catalogs.catalog_terms import Duration, read_terms
from forklake.ops.catalogs.copy_catalog import copy_catalog
from forklake.ops.catalogs.fork import fork, fork_many
from forklake.ops.lakes.run_again import run_again
from forklake.ops.lakes.runtime import Runtime

if TYPE_CHECKING:
    from forklake.session.connection import Connection
    from forklake.session.results.result import Result

T = TypeVar("T")


class Catalog(Living, MergeVerbs):
    """One catalog of a lake. Safe to share between threads.

    The handle keeps the catalog's id, so it survives a rename. Each call sees what others have committed before
    it. A handle that `at` returned sees one snapshot and cannot change anything.
    """

    def __init__(
        self,
        runtime: Runtime,
        catalog_id: CatalogId,
        pinned: CatalogState | None = None,
        *,
        name: str | None = None,
        created: bool = False,
    ) -> None:
        self._runtime = runtime
        self._catalog_id = catalog_id
        self._past_version = None if pinned is None else pinned.version
        self._past_state = pinned
        self._last_name = name
        self._created = created
        self._commit_made: Commit | None = None
        self._signature = CommitInfo()

    def __getstate__(self) -> dict[str, Any]:
        """Leave out what was read, and the right to drop the catalog.

        The process that unpickles a fork did not create it, so it does not drop it.
        """
        return self.__dict__ | {"_past_state": None, "_created": False}

    def __repr__(self) -> str:
        """Return the last known name, without asking the database."""
        at = "" if self._past_version is None else f", at={self._past_version.snapshot_id}"
        return f"{type(self).__name__}({self._known_name()!r}{at})"

    def _repr_html_(self) -> str:
        return catalog_html(self)

    @property
    def catalog_id(self) -> CatalogId:
        """The id, which never changes."""
        return self._catalog_id

    @property
    def created(self) -> bool:
        """Whether the call that returned this handle created the catalog."""
        return self._created

    @property
    def commit(self) -> Commit | None:
        """The commit that created the catalog, if this handle was returned by it.

        None if the catalog existed before. The snapshot is looked up on first access, and is the same after an
        expiry.

        Raises:
            NotFoundError: The catalog was purged.
        """
        if self._created and self._commit_made is None:
            self._commit_made = Commit(versions.creating_snapshot(self._runtime.store, self._catalog_id))
        return self._commit_made

    @property
    def name(self) -> str:
        """The current name of the catalog.

        Raises:
            NotFoundError: It was dropped.
        """
        return self._head().name

    @property
    def head(self) -> SnapshotId:
        """The id of the newest snapshot, read from the database at each access.

        For a handle on the past it is the id of its snapshot.
        """
        return self._version().snapshot_id

    @property
    def inspect(self) -> CatalogInspection:
        """Facts about the catalog: its entry in a list, its parent, whether it exists."""
        return CatalogInspection(self._runtime, self._catalog_id, self._content)

    @property
    def options(self) -> Options:
        """The options of the catalog, its schemas and its tables."""
        return Options(self._runtime, self._catalog_id, self._content, self._check_writable, self._sign)

    @property
    def maintenance(self) -> CatalogMaintenance:
        """Maintenance: expire snapshots, flush inlined rows, sever or export the catalog."""
        return CatalogMaintenance(self, self._catalog_id, self._version, self._check_writable)

    def at(
        self,
        moment: Moment | None = None,
        /,
        *,
        version: int | None = None,
        timestamp: Time | None = None,
        tag: str | None = None,
    ) -> Catalog:
        """Return the same catalog at a snapshot of its lineage, or at a time.

        Args:
            moment: A snapshot id, a time or a tag, if it is not given by name.
            version: A snapshot id.
            timestamp: A datetime, a date or a text; without a zone it is UTC.
            tag: A name of a snapshot: the catalog's own, or else the nearest ancestor's.

        Raises:
            SnapshotNotFoundError: The snapshot never existed, is expired, or lies outside the lineage.
            InvalidInputError: Not exactly one moment was given, or it is none.
        """
        wanted = one_moment(moment, version, timestamp, tag)
        found = versions.version_of(self._runtime.store, self._version(), wanted)
        return Catalog(self._runtime, self._catalog_id, CatalogState(self._runtime.store, found), name=self._last_name)

    def sql(self, text: str, parameters: Sequence[Any] | Mapping[str, Any] | None = None) -> Result | None:
        """Run SQL statements in the catalog, and return the result of the last one.

        None if the last statement has no result. The catalog is attached under its name and in use. A transaction
        that the text begins must end in it.

        Raises:
            ForklakeError: A statement is wrong or failed. What ran before it stays.
        """
        return session.connection.run_in_catalog(self, text, parameters)

    def session(self, *, confined: bool | Confinement = False) -> Connection:
        """Return a SQL session in which the catalog is attached under its name and in use.

        It keeps its ``SET``, variables, ``USE`` and transaction from one statement to the next. It has the Spark
        session and the settings of the lake, which stays open when the session is closed. ``ATTACH 'ducklake:'``
        attaches other catalogs of the lake.

        Args:
            confined: Whether the session reaches this catalog only, and forks that it makes of it: for SQL that nobody
                has read. A `Confinement` says more, such as limits.

        Raises:
            NotFoundError: The catalog was dropped.
        """
        return session.connection.connect_to_catalog(self, confined=confined)

    def transaction(
        self,
        *,
        author: str | None = None,
        message: str | None = None,
        extra_info: str | None = None,
        commit_key: str | None = None,
    ) -> Transaction:
        """Begin a transaction on the current head; use it in a ``with`` block.

        ``commit_key`` makes it idempotent: if the key was committed to this catalog before, all changes are skipped
        and nothing is committed; the transaction's ``snapshot_id`` is that of the first time.
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
        info = self._sign(
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
        ttl: Time | Duration | None = None,
        renew_by_commits: Duration | None = None,
        purge_after: Duration | None = None,
        author: str | None = None,
        labels: Mapping[str, str] | None = None,
    ) -> Fork:
        """Return a new catalog that starts as this one is, or was at a snapshot or time.

        ``created`` of the returned handle says whether this call created it. As a context manager it is a temporary
        workspace: leaving ``with base.fork("try") as fork:`` drops the fork, if this call created it.

        By reference it costs one short transaction and a few hundred bytes, whatever the catalog holds; with
        ``copy`` the metadata is written out, and the new catalog has no earlier history. Files are shared in
        both cases; neither catalog sees what the other does later.

        Args:
            name: The name of the new catalog.
            at: A snapshot that the catalog can see, a time or a tag; its head if not given.
            data_path: Where the fork's own files go, if not below the lake's data path.
            if_not_exists: Return the fork of this catalog that has the name already. Of several callers at the same
                moment, one creates it.
            copy: Write the metadata out instead of referring to it.
            ttl: How long it lives, such as ``2h``, or until when. Past that it refuses commits and forks, and
                `Lake.reap` drops it. A fork that exists already keeps its own.
            renew_by_commits: Each commit to it moves the end to at least so long after it.
            purge_after: So long after it was dropped, `Lake.reap` purges it; never if not given.
            author: Who makes the fork; the author of its first snapshot.
            labels: Texts by name, for whoever looks for catalogs.

        Raises:
            AlreadyExistsError: The name is taken by something else.
            SnapshotNotFoundError: The catalog has no such snapshot.
            CatalogLapsedError: The catalog is past its lifetime.
            QuotaError: A quota allows no more forks.
            InvalidInputError: The lifetime lies in the past, or is none.
        """
        runtime = self._runtime
        if self._past_version is not None:
            at = self._past_version.snapshot_id if at is None else self.at(at).head
        own_path = None if data_path is None else os.fspath(data_path)
        terms = read_terms(runtime.store, self._sign(author).author, labels, ttl, renew_by_commits, purge_after)
        if not copy:
            made = fork(
                runtime, self._catalog_id, name, at=at, data_path=own_path, if_not_exists=if_not_exists, terms=terms
            )
            return Fork(runtime, made.catalog_id, name=name, created=made.created)
        if if_not_exists:
            raise InvalidInputError("A copying fork cannot be asked for with if_not_exists.")
        copied = copy_catalog(runtime, self._catalog_id, name, at=at, data_path=own_path, terms=terms)
        return Fork(runtime, copied, name=name, created=True)

    def fork_many(
        self,
        names: Iterable[str],
        *,
        at: Moment | None = None,
        ttl: Time | Duration | None = None,
        renew_by_commits: Duration | None = None,
        purge_after: Duration | None = None,
        author: str | None = None,
        labels: Mapping[str, str] | None = None,
        progress: Progress | None = None,
    ) -> list[Fork]:
        """Return one fork for each name, all at the same snapshot.

        It takes far fewer transactions than names: forks are created in batches of 10,000, each all or nothing. After
        each batch ``progress`` is told the number of forks created so far. The lifetime, author and labels are those of
        `fork`, for each of them.

        Raises:
            AlreadyExistsError: A name is taken.
            InvalidInputError: A name is given twice, or one text instead of a list of names.
        """
        if isinstance(names, str):
            raise InvalidInputError(f"Forks are made of a list of names, not of {names!r}; no fork was made.")
        if self._past_version is not None:
            at = self._past_version.snapshot_id if at is None else self.at(at).head
        runtime = self._runtime
        wanted = list(names)
        terms = read_terms(runtime.store, self._sign(author).author, labels, ttl, renew_by_commits, purge_after)
        tell = progress or ignore_progress
        made = fork_many(runtime, self._catalog_id, wanted, at=at, terms=terms, progress=tell)
        return [Fork(runtime, catalog, name=name, created=True) for catalog, name in zip(made, wanted, strict=True)]

    def _head(self) -> Head:
        return versions.head_by_id(self._runtime.store, self._catalog_id)

    def _version(self) -> Version:
        return self._past_version or self._head().version

    def _content(self) -> Content:
        if self._past_version is None:
            return self._runtime.state(self._head())
        if self._past_state is None:
            self._past_state = CatalogState(self._runtime.store, self._past_version)
        return self._past_state

    def _past(self, moment: Moment) -> Catalog:
        return self.at(moment)

    def _known_name(self) -> str:
        return self._last_name or f"catalog {self._catalog_id}"

    def _check_writable(self) -> None:
        if self._past_version is not None:
            raise InvalidInputError(
                f"The catalog at snapshot {self._past_version.snapshot_id} is read-only; nothing was changed.",
                hint="Change the catalog itself, or fork it at that snapshot.",
            )

    def _run(self, verb: Callable[[Staging], T], *, rerun: bool = True) -> T | None:
        found, _ = self._run_alone(lambda transaction: transaction._run(verb), rerun=rerun)
        return found

    def _commit(self, verb: Callable[[Staging], int | None], *, rerun: bool = True) -> Commit:
        done, transaction = self._run_alone(lambda transaction: transaction._commit(verb), rerun=rerun)
        return replace(done, snapshot_id=transaction.snapshot_id)

    def _make(
        self,
        verb: Callable[[Staging], tuple[int | None, int]],
        find: Callable[[Content], T],
        gone: Callable[[int], T],
    ) -> Made[T]:
        made, transaction = self._run_alone(lambda transaction: transaction._make(verb, find, gone))
        snapshot = transaction.snapshot_id
        if snapshot is None:
            return made
        return Made(find(transaction._at(snapshot)), made.created, replace(made.commit, snapshot_id=snapshot))

    def _run_alone(self, work: Callable[[Transaction], T], *, rerun: bool = True) -> tuple[T, Transaction]:
        """Run work in a transaction of its own, and return its value and the transaction.

        After a conflict it runs again on the new head, unless ``rerun`` is False.
        """
        self._check_writable()

        def attempt() -> tuple[T, Transaction]:
            with self._begin(may_alter_later=False) as transaction:
                done = work(transaction)
            return done, transaction

        settings = self._runtime.settings
        where = self._runtime.store, self._catalog_id
        return run_again(attempt, lambda: where, settings.retry, settings.clock) if rerun else attempt()


class Fork(Catalog):
    """A catalog that `Catalog.fork` returned.

    As a context manager it drops the catalog at the end of the block, if `Catalog.fork` created it.
    """

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        """Drop the fork if `Catalog.fork` created it and it still exists."""
        if self._created:
            with suppress(CatalogDroppedError):
                self.drop()
