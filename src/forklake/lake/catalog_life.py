"""The life of a catalog: its name, snapshots and tags, lifetime and quota."""

from __future__ import annotations

from forklake.catalog import versions
from forklake.catalog.moments import Moment, Time
from forklake.errors import CatalogDroppedError
from forklake.model.ids import CatalogId
from forklake.model.lives import Lifetime, Quota, QuotaUsage, Tag
from forklake.model.records import CatalogInfo, CommitInfo, Snapshot
from forklake.model.version import Version
from forklake.ops.catalogs import lifecycle
from forklake.ops.catalogs.catalog_terms import Duration, read_info
from forklake.ops.catalogs.list_catalogs import check_limit, list_forks
from forklake.ops.catalogs.quotas import quota_of, set_quota
from forklake.ops.catalogs.renew import renew
from forklake.ops.catalogs.tag_snapshots import list_tags, tag_snapshot, untag_snapshot
from forklake.ops.lakes.runtime import Runtime


class Living:
    """What a catalog says of its life, and how that is changed."""

    _runtime: Runtime
    _catalog_id: CatalogId
    _past_version: Version | None
    _last_name: str | None
    _signature: CommitInfo
    """Who acts by this handle and why, where the caller says nothing."""

    def _version(self) -> Version:
        raise NotImplementedError

    def _check_writable(self) -> None:
        raise NotImplementedError

    def _sign(self, author: str | None = None, message: str | None = None, extra_info: str | None = None) -> CommitInfo:
        given, said = self._signature, read_info(author, message, extra_info)
        return CommitInfo(
            given.author if said.author is None else said.author,
            given.message if said.message is None else said.message,
            given.extra_info if said.extra_info is None else said.extra_info,
        )

    def rename(self, name: str, *, author: str | None = None, message: str | None = None) -> None:
        """Rename the catalog.

        Its directory, its forks and all handles on it stay as they are. The author and the message, who renames it and
        why, are kept and logged.

        Raises:
            AlreadyExistsError: Another live catalog has the name.
            NotFoundError: The catalog was dropped.
        """
        self._check_writable()
        lifecycle.rename_catalog(self._runtime.store, self._catalog_id, name, self._sign(author, message))
        self._last_name = name

    def drop(self, *, if_exists: bool = False, author: str | None = None, message: str | None = None) -> None:
        """Drop the catalog.

        Nothing is deleted: forks keep working, and `Lake.undrop_catalog` brings it back.

        Args:
            if_exists: Do nothing if it was dropped already.
            author: Who drops it; `Lake.dropped_catalogs` and the log have it.
            message: Why, likewise.

        Raises:
            NotFoundError: It was dropped already.
        """
        self._check_writable()
        try:
            lifecycle.drop_catalog(self._runtime.store, self._catalog_id, self._sign(author, message))
        except CatalogDroppedError:
            if not if_exists:
                raise

    def forks(self) -> list[CatalogInfo]:
        """Return the live forks of this catalog, oldest first, without their own forks.

        Copies, and forks that were severed since, are included.
        """
        return list_forks(self._runtime, self._catalog_id)

    def snapshots(self, *, limit: int | None = None, author: str | None = None) -> list[Snapshot]:
        """Return the snapshots of the catalog's lineage, oldest first.

        These are its own snapshots, and those of its ancestors up to each fork.

        Args:
            limit: Only the newest ones, at most this many.
            author: Only those that this author committed.
        """
        found = versions.snapshots(self._runtime.store, self._version())
        if author is not None:
            found = [snapshot for snapshot in found if snapshot.author == author]
        return found if limit is None else found[-check_limit(limit) :]

    def tag(
        self,
        name: str,
        *,
        at: Moment | None = None,
        keep_until: Time | Duration | None = None,
        message: str | None = None,
    ) -> Tag:
        """Give one of the catalog's own snapshots a name, and return the tag.

        The name works wherever a version is asked for, in the catalog and in its forks. While it is there, expiry
        spares the snapshot.

        Args:
            name: A name that reads neither as a number nor as a time; case does not matter for A to Z.
            at: A snapshot, a time or another tag; the newest snapshot if not given.
            keep_until: Until when it keeps the snapshot from expiry: a time, or a length of time such as ``30 days``.
                For ever if not given.
            message: Why it is set.

        Raises:
            AlreadyExistsError: A snapshot of the catalog has the name.
            InvalidInputError: The name cannot be used, the snapshot is inherited, or ``keep_until`` lies in the past.
            SnapshotNotFoundError: There is no such snapshot.
        """
        if at is None and self._past_version is not None:
            at = self._past_version.snapshot_id
        return tag_snapshot(self._runtime, self._catalog_id, name, at=at, keep_until=keep_until, message=message)

    def untag(self, name: str) -> None:
        """Take the name of a snapshot away; the snapshot stays.

        Raises:
            NotFoundError: None of the catalog's own snapshots has the name.
        """
        self._check_writable()
        untag_snapshot(self._runtime, self._catalog_id, name)

    def tags(self) -> list[Tag]:
        """Return the tags that name versions of the catalog.

        Its own come first, by name, and then its ancestors', nearest first. Of one name, the nearest counts.
        """
        return list_tags(self._runtime, self._version())

    def renew(
        self,
        ttl: Time | Duration | None,
        *,
        renew_by_commits: Duration | None = None,
        purge_after: Duration | None = None,
    ) -> Lifetime | None:
        """Give the catalog another lifetime, from now on, and return it.

        That works as long as it is not dropped, also past the old end.

        Args:
            ttl: How long it lives from now on, such as ``2h``, or until when; None: it has no lifetime any more.
            renew_by_commits: Each commit moves the end to at least so long after it; as before if not given.
            purge_after: So long after it was dropped, `Lake.reap` purges it; as before if not given.

        Raises:
            InvalidInputError: It is no length of time, or it lies in the past.
            NotFoundError: The catalog was dropped.
        """
        self._check_writable()
        return renew(self._runtime, self._catalog_id, ttl, renew_by_commits=renew_by_commits, purge_after=purge_after)

    def set_quota(
        self,
        *,
        max_bytes: int | None = None,
        max_files: int | None = None,
        max_forks: int | None = None,
        max_depth: int | None = None,
        subtree: bool = False,
        author: str | None = None,
        message: str | None = None,
    ) -> None:
        """Limit what the catalog may hold, in place of the limits that it had.

        Whoever would exceed a limit is refused by a QuotaError, in the transaction that would. None is no limit;
        without any the catalog has no quota.

        Args:
            max_bytes: The bytes of its own live files, definitions and inlined rows; inherited ones do not count.
            max_files: The number of its own live data and delete files.
            max_forks: The number of its live forks.
            max_depth: The levels of forks below it: 1 allows forks, and no forks of them.
            subtree: Its forks, and theirs, count with it, for bytes, files and forks. They then wait for each other's
                commits.
            author: Who sets it, for the log.
            message: Why, likewise.

        Raises:
            InvalidInputError: A limit is no number, or lies below what is used.
        """
        self._check_writable()
        quota = Quota(max_bytes, max_files, max_forks, max_depth, subtree)
        set_quota(self._runtime, self._catalog_id, quota, self._sign(author, message))

    def quota(self) -> QuotaUsage:
        """Return the limits of the catalog, and how much of them is used."""
        return quota_of(self._runtime, self._catalog_id)
