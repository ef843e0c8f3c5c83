"""A transaction: changes staged on one view, read back as its own writes, committed as one snapshot."""

from __future__ import annotations

import secrets
from collections.abc import Callable
from contextlib import suppress
from typing import TypeVar

from forklake.catalog.changes import apply
from forklake.catalog.commit import Committed, Plan, commit, draft_of
from forklake.catalog.view import Draft, View
from forklake.config import RetryPolicy
from forklake.errors import CommitUnknownError, ForklakeError, InvalidInputError
from forklake.metastore.store import Store
from forklake.model.change import Change, touched_files
from forklake.model.hint import GiveMessage
from forklake.model.records import CommitInfo

T = TypeVar("T")


class Staging:
    """Changes that are not committed yet. Belongs to one thread at a time.

    Attributes:
        may_alter_later: Whether other changes may follow a verb before the commit. What a verb writes must then say
            what its columns are called: by the time it is committed, the table may call them otherwise.
    """

    def __init__(self, store: Store, base: View, *, may_alter_later: bool) -> None:
        self.may_alter_later = may_alter_later
        self._store = store
        self._base = base
        self._changes: list[Change] = []
        self._objects = 0
        self._files = 0
        self._draft: Draft | None = Draft(base)
        self._undo: list[Callable[[], object]] = []

    @property
    def draft(self) -> Draft:
        """What the transaction sees: the view it began on, and its changes."""
        if self._draft is None:
            self._draft = draft_of(self._base, self._changes)
        return self._draft

    @property
    def has_changes(self) -> bool:
        """Whether there is anything to commit."""
        return bool(self._changes)

    @property
    def file_count(self) -> int:
        """How many files the changes add or take away."""
        return sum(touched_files(change) for change in self._changes)

    def new_object(self) -> int:
        """Return a local id for something that the commit will number."""
        self._objects += 1
        return -self._objects

    def new_file(self) -> int:
        """Return a local id for a file that the commit will number."""
        self._files += 1
        return -self._files

    def when_undone(self, undo: Callable[[], object]) -> None:
        """Have something done if it is certain that the changes are not committed: removing files, say."""
        self._undo.append(undo)

    def undo(self, *, since: int = 0) -> None:
        """Do what was asked for in case that nothing is committed, the last first; one that fails stops no other."""
        while len(self._undo) > since:
            with suppress(Exception):
                self._undo.pop()()

    def stage(self, change: Change) -> None:
        """Add a change; one that is refused leaves no trace, and the transaction goes on.

        Raises:
            ForklakeError: The change makes no sense on what the transaction sees.
        """
        try:
            apply(self.draft, change)
        except BaseException:
            # Whatever it was: what is half applied must not be committed. Laid out again when it is asked for.
            self._draft = None
            raise
        self._changes.append(change)

    def run(self, verb: Callable[[Staging], T]) -> T:
        """Run what stages several changes, and return what it returns; if one is refused, none leaves a trace.

        Raises:
            ForklakeError: A change makes no sense on what the transaction sees.
        """
        before, undone = len(self._changes), len(self._undo)
        try:
            return verb(self)
        except BaseException:
            self.undo(since=undone)
            if len(self._changes) > before:
                del self._changes[before:]
                self._draft = None
            raise

    def commit(
        self,
        info: CommitInfo,
        commit_key: str | None,
        *,
        requires_message: bool,
        retry: RetryPolicy | None = None,
    ) -> Committed | None:
        """Commit all changes as one snapshot; see `forklake.catalog.commit.commit`.

        A race that is lost is run again as ``retry`` says, or else the settings of the store.

        If it is refused for good, what `when_undone` was told is done; not if the outcome is unknown.
        """
        if requires_message and self.draft.log and not info.message:
            raise InvalidInputError(
                "Commit Information for the snapshot is required but has not been provided."
                " The option require_commit_message is set; nothing was committed.",
                hint=GiveMessage(),
            )
        settings = self._store.settings
        plan = Plan(
            base=self._base,
            changes=tuple(self._changes),
            info=info,
            commit_key=commit_key or secrets.token_urlsafe(12),
            new_objects=self._objects,
            new_files=self._files,
        )
        try:
            return commit(self._store, plan, self.draft, retry or settings.retry, settings.clock)
        except CommitUnknownError:
            raise
        except ForklakeError:
            # Anything else, an interrupt say, may come after the database has committed.
            self.undo()
            raise
