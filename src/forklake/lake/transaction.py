"""Transactions as handles."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from types import TracebackType
from typing import TYPE_CHECKING, Any, NoReturn, Self, TypeVar

from forklake import session
from forklake.catalog import versions
from forklake.catalog.limits import check_not_lapsed
from forklake.catalog.moments import Moment
from forklake.catalog.names import check_text
from forklake.catalog.state import CatalogState, Content
from forklake.catalog.transaction import Staging
from forklake.config import RetryPolicy
from forklake.errors import InvalidInputError, NotFoundError
from forklake.lake.maintenance import Maintenance
from forklake.lake.reader import Reader
from forklake.lake.runner import Made
from forklake.model.ids import SnapshotId
from forklake.model.records import Commit, CommitInfo
from forklake.model.version import Head
from forklake.ops.lakes.runtime import Runtime

if TYPE_CHECKING:
    from forklake.session.results.result import Result

T = TypeVar("T")


class Transaction(Reader):
    """Several changes that become one snapshot, or none.

    It sees the catalog as it was when it began, and its own changes. Leaving the ``with`` block commits;
    an exception discards all changes. A change that is refused leaves the transaction as it was before it.
    Belongs to one thread at a time.
    """

    def __init__(
        self,
        runtime: Runtime,
        head: Head,
        info: CommitInfo,
        commit_key: str | None,
        known: SnapshotId | None,
        *,
        may_alter_later: bool = True,
    ) -> None:
        self._runtime = runtime
        self._known = known
        self._head = head
        self._info = info
        self._commit_key = commit_key
        self._staging: Staging | None = Staging(
            runtime.store,
            runtime.state(head),
            may_alter_later=may_alter_later,
            # What the head says is old by the time that a user goes on.
            files_wait=may_alter_later or head.files_wait,
        )
        self._row_count = 0
        self._after: CatalogState | None = None
        self.snapshot_id: SnapshotId | None = None
        """The snapshot that the commit made; None before, or if nothing changed."""

    def __repr__(self) -> str:
        return f"Transaction({self._head.name!r}, base={self._head.version.snapshot_id})"

    def __reduce__(self) -> NoReturn:
        raise InvalidInputError(
            "A transaction, and what was taken from it, cannot be pickled: its changes belong to this process.",
            hint="Commit it, and pickle the catalog or its tables.",
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        if self._staging is None:
            return
        try:
            if kind is None:
                self.commit()
        finally:
            if self._staging is not None:
                self.rollback()

    @property
    def is_open(self) -> bool:
        """Whether it is neither committed nor rolled back."""
        return self._staging is not None

    @property
    def has_changes(self) -> bool:
        """Whether anything was changed so far."""
        return self._open().has_changes

    @property
    def base(self) -> SnapshotId:
        """The snapshot that the transaction started from."""
        return self._head.version.snapshot_id

    @property
    def maintenance(self) -> Maintenance:
        """Maintenance within the transaction: flush inlined rows."""
        return Maintenance(self)

    def set_commit_message(
        self, author: str | None = None, message: str | None = None, extra_info: str | None = None
    ) -> None:
        """Set the author, message and extra information of the commit."""
        self._info = CommitInfo(
            check_text("author", author), check_text("message", message), check_text("extra info", extra_info)
        )

    def sql(self, text: str, parameters: Sequence[Any] | Mapping[str, Any] | None = None) -> Result | None:
        """Run SQL statements in the transaction, and return the result of the last one.

        None if the last statement has no result. The catalog is attached under its name and in use.

        Raises:
            ForklakeError: A statement is wrong or failed; those before it stay part of the transaction.
        """
        return session.connection.run_in_transaction(self, text, parameters)

    def commit(self, *, retry: RetryPolicy | None = None) -> Commit:
        """Commit all changes, and return the commit.

        It has no snapshot if nothing changed. Under a commit key that was committed before, nothing is touched: it is
        ``is_repeated``, and has the snapshot of the first time.

        Args:
            retry: The retry policy after lost races; that of the lake if not given.

        Raises:
            CommitConflictError: A concurrent commit touched the same things; nothing was written.
            CommitContentionError: Other commits were faster on every attempt; nothing was written.
            CommitUnknownError: The connection was lost; it happened once or not at all.
            InvalidInputError: The catalog requires a commit message, and the transaction is still open; or a file that
                was added waits for deletion, and it has ended.
        """
        staging = self._open()
        if self._known is not None:
            staging.undo()  # nothing was written, but a lease may be there
            self._staging, self.snapshot_id = None, self._known
            return Commit(self._known, is_repeated=True)
        if self._head.requires_message:
            staging.check_message(self._info)
        done = Commit(None, self._row_count, staging.file_count)
        try:
            committed = staging.commit(self._info, self._commit_key, retry=retry)
        finally:
            self._staging = None  # a commit that was refused has removed the files
        if committed is not None:
            self.snapshot_id = committed.snapshot_id
            if committed.state is not None:
                self._after = committed.state
                self._runtime.keep(committed.state)
        return replace(done, snapshot_id=self.snapshot_id)

    def rollback(self) -> None:
        """Discard all changes, and remove the files that were written for them."""
        staging, self._staging = self._open(), None
        staging.undo()

    def _open(self) -> Staging:
        if self._staging is None:
            raise InvalidInputError("The transaction has ended.", hint="Begin a new one.")
        return self._staging

    def _past(self, moment: Moment) -> Reader:
        raise InvalidInputError(
            "A transaction sees the catalog as it was when it began, and no other moment.",
            hint="Ask the catalog for its past.",
        )

    def _known_name(self) -> str:
        return self._head.name

    def _content(self) -> Content:
        return self._open().draft

    def _commit(self, verb: Callable[[Staging], int | None], *, rerun: bool = True) -> Commit:
        staging = self._open()
        if self._known is not None:
            return Commit()
        check_not_lapsed(self._runtime.store, self._head)
        before = staging.file_count
        rows = staging.run(verb) or 0
        self._row_count += rows
        return Commit(None, rows, staging.file_count - before)

    def _run(self, verb: Callable[[Staging], T], *, rerun: bool = True) -> T | None:
        staging = self._open()
        # Under a key that is committed already, all of this was done the first time.
        if self._known is not None:
            return None
        check_not_lapsed(self._runtime.store, self._head)
        return staging.run(verb)

    def _make(
        self,
        verb: Callable[[Staging], tuple[int | None, int]],
        find: Callable[[Content], T],
        gone: Callable[[int], T],
    ) -> Made[T]:
        staging = self._open()
        if self._known is not None:
            # If the snapshot of the key is expired, nobody knows what it made: then what has the name now is meant.
            for content in (self._at(self._known), staging.draft):
                with suppress(NotFoundError):
                    return Made(find(content), created=False, commit=Commit())
            return Made(gone(staging.new_object()), created=False, commit=Commit())
        new_id: int | None = None

        def run_verb(staging: Staging) -> int:
            nonlocal new_id
            new_id, rows = verb(staging)
            return rows

        done = self._commit(run_verb)
        return Made(find(staging.draft), created=new_id is not None, commit=done)

    def _at(self, snapshot: SnapshotId) -> CatalogState:
        """Return the catalog at one of its own snapshots, which may have expired since."""
        if self._after is not None and self._after.version.snapshot_id == snapshot:
            return self._after
        return CatalogState(
            self._runtime.store, versions.own_version(self._runtime.store, self._head.version, snapshot)
        )
