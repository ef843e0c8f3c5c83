"""A transaction: changes staged on one state and committed as one snapshot.

The transaction reads its own writes.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable
from contextlib import suppress
from typing import TypeVar

from forklake.catalog import lookup
from forklake.catalog.changes import apply
from forklake.catalog.commit import FinishedCommit, Plan, changes_since, commit, draft_of
from forklake.catalog.conflicts import conflicts
from forklake.catalog.draft import Draft
from forklake.catalog.lease import Lease, ask_lease, take_lease
from forklake.catalog.state import CatalogState
from forklake.config import RetryPolicy
from forklake.errors import CommitConflictError, CommitUnknownError, ConflictError, ForklakeError, InvalidInputError
from forklake.files.access.keyring import current_keyring
from forklake.metastore.schema.catalog_tables import COLUMN_IDS
from forklake.metastore.source import Question
from forklake.metastore.store import Guard, Store
from forklake.model.change import Change, touched_files
from forklake.model.definitions import ColumnDefinition
from forklake.model.hint import GiveMessage
from forklake.model.ids import LAST_COLUMN_ID, ColumnId, SnapshotId, TableId
from forklake.model.records import CommitInfo
from forklake.model.rows import TableRow
from forklake.model.trust import distrust

T = TypeVar("T")


class Staging:
    """Changes that are not committed yet; for one thread at a time.

    Attributes:
        may_alter_later: Whether other changes may follow a verb before the commit. Files that a verb writes must
            then carry the names of their columns: the table's columns may be renamed before the commit.
        files_wait: Whether files of the catalog may wait for deletion, so that names which callers choose have to be
            looked up among them.
    """

    def __init__(self, store: Store, base: CatalogState, *, may_alter_later: bool, files_wait: bool = True) -> None:
        self.may_alter_later = may_alter_later
        self.files_wait = files_wait
        self._store = store
        self._base = base
        self._changes: list[Change] = []
        self._objects = 0
        self._files = 0
        self._draft: Draft | None = Draft(base)
        self._undo: list[Callable[[], object]] = []
        self._lease: Lease | None = None
        self._guards: list[Guard] = []
        self._distrusts = False

    def distrust(self) -> None:
        """Mark all definitions that are staged from now on.

        Who stages them may have less reach than who uses them.
        """
        self._distrusts = True

    @property
    def draft(self) -> Draft:
        """What the transaction sees: the state it began on, with its changes."""
        if self._draft is None:
            self._draft = draft_of(self._base, self._changes)
        return self._draft

    @property
    def has_changes(self) -> bool:
        """Whether there is anything to commit."""
        return bool(self._changes)

    @property
    def file_count(self) -> int:
        """How many files the changes add or remove."""
        return sum(touched_files(change) for change in self._changes)

    def new_object(self) -> int:
        """Return a local id for a new object; the commit replaces it."""
        self._objects += 1
        return -self._objects

    def new_file(self) -> int:
        """Return a local id for a new file; the commit replaces it."""
        self._files += 1
        return -self._files

    def new_columns(self, column: ColumnDefinition) -> tuple[ColumnId, ...]:
        """Return ids for a column that is added to a table, and for what is nested in it.

        There are none for a root: it goes on counting in the table. All other catalogs share one sequence, so that no
        two of them give an id to different columns.

        Raises:
            InvalidInputError: The ids are used up.
        """
        if self._base.version.is_root:
            return ()
        with self._store.writing() as session:
            ids = session.take_ids(COLUMN_IDS.name, column.field_count)
        if ids[-1] > LAST_COLUMN_ID:
            raise InvalidInputError(f'Column "{column.name}" was not added: the lake has no ids for columns left.')
        return tuple(map(ColumnId, ids))

    def ask_lease(self, table: TableRow) -> list[Question[None]]:
        """Return the question that takes the lease along with others, if there is one.

        It is for what will most likely write a file of a table: whether the lease was taken or not, `take_lease` is
        called before. An embedded store is not asked: to wait for it costs nothing, and to write in vain does.
        """
        if self._lease is not None or self._store.is_embedded:
            return []
        return [ask_lease(self._store, self._base.version.catalog_id, table, self._keep_lease)]

    def take_lease(self) -> None:
        """Announce that a file may be written now; every verb does before it writes one.

        The first call takes a lease: until the commit, no search takes the files for orphans. Later calls renew it
        where less than half of its time is left. If the changes are not committed, it ends after the files were
        removed.

        Raises:
            LeaseLostError: The lease ran out and was taken away; what was written before may be gone.
            MetastoreError: The lease cannot be taken.
        """
        if self._lease is not None:
            self._lease.renew()
            return
        self._keep_lease(take_lease(self._store, self._base.version.catalog_id))

    def use_lease(self, lease: Lease) -> None:
        """Commit under a lease that the caller has taken.

        The caller ends it if there is no commit.
        """
        self._lease = lease

    def _keep_lease(self, lease: Lease) -> None:
        self._lease = lease
        self.on_undo(self._end_lease)

    def _end_lease(self) -> None:
        lease, self._lease = self._lease, None
        if lease is not None:
            lease.end()

    def on_undo(self, undo: Callable[[], object]) -> None:
        """Register how files are removed if the changes are certainly not committed.

        They are written under a lease, and removed with the credentials that count now.
        """
        assert self._lease is not None, "files are written without a lease"
        self._undo.append(current_keyring().bind(undo))

    def guard(self, guard: Guard) -> None:
        """Register a check for the transaction of the commit; see `Store.commit`."""
        self._guards.append(guard)

    def undo(self, *, since: int = 0) -> None:
        """Run the actions registered with `on_undo`, the last one first.

        An action that fails does not stop the others.
        """
        while len(self._undo) > since:
            with suppress(Exception):
                self._undo.pop()()

    def stage(self, change: Change) -> None:
        """Add a change; a refused change has no effect, and the transaction continues.

        Raises:
            ForklakeError: The change makes no sense on what the transaction sees.
        """
        change = distrust(change) if self._distrusts else change
        try:
            apply(self.draft, change)
        except BaseException:
            # Whatever it was: what is half applied must not be committed. Laid out again when it is asked for.
            self._draft = None
            raise
        self._changes.append(change)

    def run(self, verb: Callable[[Staging], T]) -> T:
        """Run a verb that stages several changes, and return its result.

        If one of them is refused, none of them has an effect.

        Raises:
            ForklakeError: A change makes no sense on what the transaction sees.
        """
        before, undone, guarded = len(self._changes), len(self._undo), len(self._guards)
        try:
            return verb(self)
        except BaseException:
            self.undo(since=undone)
            del self._guards[guarded:]
            if len(self._changes) > before:
                del self._changes[before:]
                self._draft = None
            raise
        finally:
            if self._draft is not None:
                self._draft.keep_files(None)

    def check_unchanged(self, table: TableId, since: SnapshotId) -> None:
        """Refuse what was staged for a table if others changed the same before.

        What others did after a snapshot, up to the base, counts.

        The rules are those of a transaction that began at the earlier snapshot.

        Raises:
            ConflictError: Others changed the same.
        """
        base = self._base.version
        ours = [change for change in self.draft.log if change.object_id == table]
        if since >= base.snapshot_id or not ours:
            return
        try:
            with self._store.reading() as session:
                theirs = changes_since(session, base, since)
        except CommitConflictError as error:
            reasons = ["what happened to it since is not known any more"]
            cause: CommitConflictError | None = error
        else:
            reasons = [each.message.rpartition(" - but ")[2] for each in conflicts(ours, theirs)]
            cause = None
        if reasons:
            name = lookup.table_by_id(self._base, table).table_name
            raise ConflictError(
                f'The rows were made of table "{name}" as it was at snapshot {since}, and'
                f" {', '.join(dict.fromkeys(reasons))}; nothing was written.",
                hint="Read the table again, and make the rows of that. Rows that are read at a snapshot that is named"
                " replace whatever is there.",
            ) from cause

    def check_message(self, info: CommitInfo) -> None:
        """Refuse a commit without a message; the transaction stays as it is.

        Raises:
            InvalidInputError: There are changes, and no message.
        """
        if self.draft.log and not info.message:
            raise InvalidInputError(
                "Commit Information for the snapshot is required but has not been provided."
                " The option require_commit_message is set; nothing was committed.",
                hint=GiveMessage(),
            )

    def commit(
        self, info: CommitInfo, commit_key: str | None, *, retry: RetryPolicy | None = None
    ) -> FinishedCommit | None:
        """Commit all changes as one snapshot; see `forklake.catalog.commit.commit`.

        After a lost race, it tries again as ``retry`` says, or else as the settings of the store say.

        If it is refused for good, or nothing changed, the actions registered with `on_undo` run; they do not if the
        outcome is unknown.
        """
        settings = self._store.settings
        plan = Plan(
            base=self._base,
            changes=tuple(self._changes),
            info=info,
            commit_key=commit_key or secrets.token_urlsafe(12),
            new_objects=self._objects,
            new_files=self._files,
            lease_id=None if self._lease is None else self._lease.lease_id,
            guards=tuple(self._guards),
        )
        try:
            finished = commit(self._store, plan, self.draft, retry or settings.retry, settings.clock)
        except CommitUnknownError:
            raise
        except ForklakeError:
            # Anything else, an interrupt say, may come after the database has committed.
            self.undo()
            raise
        if finished is None:
            self.undo()
        elif finished.state is None:
            # Committed before, by another: this time's lease is still there. Or by this one: then it is gone.
            with suppress(ForklakeError):
                self._end_lease()
        return finished
