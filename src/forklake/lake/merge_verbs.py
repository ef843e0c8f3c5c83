"""Verbs that compare two catalogs, and bring one of them to the other."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Sequence

from forklake import ops
from forklake.catalog import versions
from forklake.catalog.moments import Moment, read_moment
from forklake.errors import InvalidInputError
from forklake.lake.diff import Diff
from forklake.lake.reader import Reader
from forklake.model.fork_merge import Code, MergePlan, Strategy
from forklake.model.ids import CatalogId, SnapshotId
from forklake.model.progress import Progress, ignore_progress
from forklake.model.records import CommitInfo
from forklake.model.version import Version
from forklake.ops.catalogs.list_catalogs import parent_of
from forklake.ops.lakes.runtime import Runtime
from forklake.ops.merging.merge_terms import read_code, read_keys, read_strategies


class MergeVerbs(Reader):
    """What a catalog does with others of its tree."""

    _runtime: Runtime
    _catalog_id: CatalogId
    _past_version: Version | None

    @abstractmethod
    def _version(self) -> Version:
        """Return the version that the handle shows."""

    @abstractmethod
    def _sign(self, author: str | None = None, message: str | None = None, extra_info: str | None = None) -> CommitInfo:
        """Return who does something and why."""

    @abstractmethod
    def _check_writable(self) -> None:
        """Refuse to change the past."""

    def diff(
        self,
        other: MergeVerbs | None = None,
        *,
        at: Moment | None = None,
        since: Moment | None = None,
        since_base: bool = False,
    ) -> Diff:
        """Return what leads from this catalog to another one, or from its past to it.

        Two versions are compared as they are: what came and went between them is not told. It costs as much as
        differs; rows are read when they are asked for. A handle on the past is compared at its snapshot.

        * ``shop.diff(agent)`` leads from shop to agent: what each of them has that the other has not.
        * ``shop.diff(agent, since_base=True)`` is what agent changed since the newest snapshot that both contain,
          whatever shop did: what a merge would bring, as git's three dots.
        * ``agent.diff()`` is the same for a fork and its parent.
        * ``shop.diff(since=17)`` leads from snapshot 17 of this catalog to this catalog.

        Args:
            other: A catalog of the same lake; it need not share a past with this one.
            at: A snapshot, time or tag of the other catalog; its head if not given.
            since: A snapshot, time or tag of this catalog, instead of another catalog.
            since_base: Whether it leads from what both contain, not from this catalog.

        Raises:
            SnapshotNotFoundError: There is no such version.
            MergeBaseError: Both have no one newest snapshot in common that is retained.
            CatalogDroppedError: One of the two was dropped.
            InvalidInputError: They are of two lakes, or it has no parent and nothing to compare it with was named.
        """
        if since is not None:
            if other is not None or at is not None or since_base:
                raise InvalidInputError("A diff is since a moment, or to another catalog; nothing was compared.")
            own = self._version()
            return Diff(self._runtime, versions.version_of(self._runtime.store, own, since), own)
        if other is None:
            if at is not None:
                raise InvalidInputError(
                    "The moment is one of another catalog, and none was named; nothing was compared."
                )
            own, parent = self._version(), parent_of(self._runtime, self._catalog_id)
            if parent is None:
                raise InvalidInputError(
                    "The catalog has no parent to compare it with; nothing was compared.",
                    hint="Name another catalog, or a moment of its past.",
                )
            above = versions.head_by_id(self._runtime.store, parent.catalog_id).version
            return Diff(self._runtime, ops.diff_catalogs.base_of(self._runtime, above, own), own)
        self._check_lake(other)
        after = other._version() if at is None else versions.version_of(self._runtime.store, other._version(), at)
        before = self._version()
        if since_base:
            before = ops.diff_catalogs.base_of(self._runtime, before, after)
        return Diff(self._runtime, before, after)

    def merge(
        self,
        source: MergeVerbs,
        *,
        at: Moment | None = None,
        strategy: Strategy | Mapping[str, Strategy] = "fail",
        keys: Mapping[str, str | Sequence[str]] | None = None,
        code: Code = "take",
        dry_run: bool = False,
        author: str | None = None,
        message: str | None = None,
        extra_info: str | None = None,
        commit_key: str | None = None,
        progress: Progress | None = None,
    ) -> MergePlan:
        """Bring what another catalog of the tree changed into this one.

        It is one commit, or it is refused and nothing changes. What has a name is compared one by one, and rows by
        their ids: what one side changed is taken, and what both changed is a conflict. Rows that both sides added are
        all there. Merging again brings what is new since.

        Args:
            source: The catalog to merge: a fork of this one, its parent, or any other that shares a past with it.
            at: One of its own snapshots, by id, time or tag; its head, or the snapshot of the handle, if not given.
            strategy: Who decides conflicts: nobody (``fail``), this catalog (``ours``) or the source (``theirs``); or
                one of them by table, for tables named ``table`` or ``schema.table``. What does not conflict is merged
                as ever.
            keys: Columns by table, such as ``{"orders": ["id"]}``. Rows that both sides inserted with the same values
                there are a conflict of kind ``key``; without it they are two rows. ``ours`` and ``theirs`` keep one of
                them. NULL is no key.
            code: Whether texts of views, macros, defaults and sort keys are merged, or nothing if there are any.
            dry_run: Only return what would be done, with all conflicts; ``is_possible`` of it says whether it would be.
            author: Who merges.
            message: Why; by default it says what was merged.
            extra_info: Anything else to keep with the snapshot.
            commit_key: What makes the merge happen once, however often it is tried: later plans are ``is_repeated``.
            progress: Called with the step, how many tables are done, and how many there are.

        Raises:
            MergeConflictError: Both changed the same things, and no strategy decides; it lists all of them.
            MergeBaseError: The two have no snapshot in common that is retained.
            SnapshotNotFoundError: The snapshot is not one of the source's own, or is expired.
            CatalogDroppedError: One of the two was dropped.
            InvalidInputError: They are of two lakes, it is one catalog or none, or there is no such strategy or key.
        """
        self._check_writable()
        self._check_lake(source)
        if at is None and source._past_version is not None:
            at = source._past_version.snapshot_id
        request = ops.merge_catalogs.MergeRequest(
            self._catalog_id,
            source._catalog_id,
            at=None if at is None else source._snapshot_at(at),
            strategies=read_strategies(strategy),
            keys=read_keys(keys),
            code=read_code(code),
            info=self._sign(author, message, extra_info),
            commit_key=commit_key,
        )
        return self._bring(request, dry_run=dry_run, progress=progress)

    def refresh(
        self,
        *,
        strategy: Strategy | Mapping[str, Strategy] = "fail",
        keys: Mapping[str, str | Sequence[str]] | None = None,
        code: Code = "take",
        dry_run: bool = False,
        author: str | None = None,
        message: str | None = None,
        extra_info: str | None = None,
        commit_key: str | None = None,
        progress: Progress | None = None,
    ) -> MergePlan:
        """Bring a fork to the head of its parent, with its own changes on top.

        It is one commit, or it is refused and nothing changes.

        The content is that of merging the parent into the fork. The parent's head becomes the pin: what has come into
        the parent from the fork is the fork's own no more. Earlier snapshots of the fork stay as they are, and so do
        forks of it. A transaction that began before is refused. See docs/spec/merge.md.

        Args:
            strategy: Who decides conflicts: nobody (``fail``), the fork (``ours``) or the parent (``theirs``); or one
                of them by table, as for `merge`.
            keys: Columns by table. Rows that fork and parent inserted with the same values there are a conflict of kind
                ``key``, as for `merge`.
            code: Whether texts of views, macros, defaults and sort keys are merged, or nothing if there are any.
            dry_run: Only return what would be done, with all conflicts; ``is_possible`` of it says whether it would be.
            author: Who refreshes.
            message: Why; by default it says from what.
            extra_info: Anything else to keep with the snapshot.
            commit_key: What makes the refresh happen once, however often it is tried: later plans are ``is_repeated``.
            progress: Called with the step, how many tables are done, and how many there are.

        Raises:
            MergeConflictError: Both changed the same things, and no strategy decides; it lists all of them.
            MergeBaseError: The two have no snapshot in common that is retained.
            InvalidInputError: The catalog has no parent that is live, or there is no such strategy or key.
        """
        self._check_writable()
        request = ops.merge_catalogs.MergeRequest(
            self._catalog_id,
            kind="refresh",
            strategies=read_strategies(strategy),
            keys=read_keys(keys),
            code=read_code(code),
            info=self._sign(author, message, extra_info),
            commit_key=commit_key,
        )
        return self._bring(request, dry_run=dry_run, progress=progress)

    def reset_to(
        self,
        source: MergeVerbs | Moment,
        *,
        at: Moment | None = None,
        dry_run: bool = False,
        author: str | None = None,
        message: str | None = None,
        extra_info: str | None = None,
        commit_key: str | None = None,
        progress: Progress | None = None,
    ) -> MergePlan:
        """Give the catalog the content of another one, or of its own past.

        It is one commit, which costs as much as differs; earlier snapshots stay as they are, so a reset can itself be
        taken back. What is merged later from the other catalog is what is new there since.

        Args:
            source: A catalog, or a snapshot, time or tag of this one.
            at: A snapshot, time or tag of the other catalog; its head if not given.
            dry_run: Only return what would be done.
            author: Who resets.
            message: Why; by default it says to what.
            extra_info: Anything else to keep with the snapshot.
            commit_key: What makes the reset happen once, however often it is tried: later plans are ``is_repeated``.
            progress: Called with the step, how many tables are done, and how many there are.

        Raises:
            SnapshotNotFoundError: There is no such version.
            CatalogDroppedError: One of the two was dropped.
            MergeBaseError: The other catalog is of another tree.
        """
        self._check_writable()
        other, moment = (source, at) if isinstance(source, MergeVerbs) else (self, read_moment(source))
        if other is not source and at is not None:
            raise InvalidInputError("The moment of a reset was given twice; nothing was reset.")
        self._check_lake(other)
        store = self._runtime.store
        version = other._past_version
        if moment is not None or version is None:
            head = other._version()  # of a handle on the past, what it shows
            version = head if moment is None else versions.version_of(store, head, moment)
        request = ops.merge_catalogs.MergeRequest(
            self._catalog_id,
            other._catalog_id,
            at=version.snapshot_id,
            kind="reset",
            info=self._sign(author, message, extra_info),
            commit_key=commit_key,
        )
        return self._bring(request, dry_run=dry_run, progress=progress)

    def _bring(
        self, request: ops.merge_catalogs.MergeRequest, *, dry_run: bool, progress: Progress | None
    ) -> MergePlan:
        return ops.merge_catalogs.merge_catalogs(
            self._runtime, request, dry_run=dry_run, progress=progress or ignore_progress
        )

    def _snapshot_at(self, moment: Moment) -> SnapshotId:
        """Return the snapshot of a moment.

        An id is taken as it is, whatever catalog has it.
        """
        found = read_moment(moment)
        if isinstance(found, int) and self._past_version is None:
            return found
        return versions.version_of(self._runtime.store, self._version(), found).snapshot_id

    def _check_lake(self, other: MergeVerbs) -> None:
        """Refuse what is no catalog, and one of another lake.

        Ids mean something else there.
        """
        if not isinstance(other, MergeVerbs):
            raise InvalidInputError(
                f"The other catalog is given as a handle, not as {other!r}; nothing was done.",
                hint=f"lake.catalog({other!r})" if isinstance(other, str) else None,
            )
        if other._runtime.key != self._runtime.key:
            raise InvalidInputError(
                "The two catalogs are of different lakes, and have no past in common; nothing was done.",
                hint="Copy rows from one to the other with INSERT ... SELECT.",
            )
