"""The state of one session.

It holds attachments, secrets, settings, the catalog and schema in use, and the open transaction.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import field
from typing import Literal

from forklake.engine.engine import Engine
from forklake.engine.statement_limits import check_time
from forklake.errors import CatalogDroppedError, ForklakeError, InvalidInputError
from forklake.lake import Catalog, Lake, Transaction
from forklake.lake.internals import content_of, runtime_of
from forklake.model.ids import SnapshotId
from forklake.model.lazy_dataclass import dataclass
from forklake.model.names import fold
from forklake.ops.lakes.engine_rule import EngineRule
from forklake.ops.lakes.runtime import Runtime, Setup, setup_of
from forklake.session.names.attached_catalogs import AttachedCatalog, Attachments
from forklake.session.names.existence import find_in_path
from forklake.session.names.frames import Frames
from forklake.session.names.private_catalogs import MEMORY, TEMPORARY, PrivateCatalog
from forklake.session.safety.confinement import Policy
from forklake.session.safety.secrets import Secrets
from forklake.session.session_transaction import Work
from forklake.session.settings import SessionSettings
from forklake.sql.prepared import Prepare


@dataclass(frozen=True, slots=True)
class SessionAttachment:
    """An attached catalog as a statement of one session sees it.

    Attributes:
        schema: The schema of names that do not include one.
        has_changes: Whether the session's transaction has changed the catalog.
        last_committed: The newest snapshot that this session, or another on the same attachments, committed.
        work: The session's transaction.
        option_overrides: Options that the session has set, which count before all that are set.
    """

    attached: AttachedCatalog
    schema: str
    has_changes: bool
    last_committed: SnapshotId | None
    work: Work
    option_overrides: Mapping[str, str]

    def writer(self, kind: str) -> Transaction:
        """Return the transaction that a statement of this kind changes the catalog with.

        Raises:
            InvalidInputError: It is read-only, or the transaction has changed another one.
        """
        return self.work.writer(self.attached, kind)

    def maintainer(self, kind: str) -> Catalog | Transaction:
        """Return the handle that a maintenance statement changes the catalog with.

        Raises:
            InvalidInputError: It is read-only, or the transaction has changed another one.
        """
        writer = self.work.writer(self.attached, kind)
        return writer if self.work.is_explicit else self.catalog

    def note_commits(self, snapshots: Iterable[SnapshotId | None]) -> None:
        """Remember snapshots that were committed outside of the transaction."""
        self.work.note(self.attached, snapshots)

    @property
    def is_in_transaction(self) -> bool:
        """Whether the session has begun a transaction."""
        return self.work.is_explicit

    @property
    def reader(self) -> Catalog | Transaction:
        """The catalog as the session's transaction sees it.

        Reading it makes it part of the transaction, which sees this state of it from then on.
        """
        return self.work.reader(self.attached)

    @property
    def alias(self) -> str:
        """The name that the catalog was attached under."""
        return self.attached.alias

    @property
    def lake(self) -> Lake:
        """The lake."""
        return self.attached.lake

    @property
    def catalog(self) -> Catalog:
        """The catalog outside the transaction."""
        return self.attached.catalog

    @property
    def read_only(self) -> bool:
        """Whether it must not be changed."""
        return self.attached.read_only

    @property
    def is_temporary(self) -> bool:
        """Whether it holds what is temporary in this session."""
        return self.attached.is_temporary


@dataclass(slots=True)
class SessionState:
    """What one session owns, and what it shares with its cursors.

    Attributes:
        setup: The settings and engine that lakes are opened with; the session uses its retries and clock, too.
        engine: The engine of this session's statements, made from that of the setup.
        in_use: The catalog and schema that USE named last; see `current`.
        frames: The frames of the caller that this session's queries may name.
        temporary: The temporary tables of the session.
        memory: The database ``memory``, which the session shares with its cursors.
        prepared: The statements that PREPARE named, by name in lower case.
        policy: What the session and its cursors may reach.
        may_begin: Whether BEGIN, COMMIT and ROLLBACK are allowed: not within a transaction of a handle.
        only: The catalog of the marked definitions that it is for, see `within`.
    """

    attachments: Attachments = field(default_factory=Attachments)
    secrets: Secrets = field(default_factory=Secrets)
    setup: Setup = field(default_factory=setup_of)
    in_use: tuple[AttachedCatalog, str] | None = None
    work: Work = field(default_factory=lambda: Work(is_explicit=False))
    may_begin: bool = True
    frames: Frames = field(default_factory=Frames)
    temporary: PrivateCatalog = field(default_factory=lambda: PrivateCatalog(TEMPORARY))
    memory: PrivateCatalog = field(default_factory=lambda: PrivateCatalog(MEMORY))
    prepared: dict[str, Prepare] = field(default_factory=dict)
    policy: Policy = field(kw_only=True)
    only: AttachedCatalog | None = field(default=None, init=False)
    settings: SessionSettings = field(init=False)
    engine: Engine = field(init=False)

    def __post_init__(self) -> None:
        if self.work.policy is None:
            self.work.policy = self.policy
        self.engine = self.setup.engine.for_session()
        self.settings = SessionSettings(self.policy, self.setup.settings.retry, self.setup.choice)

    def for_cursor(self) -> SessionState:
        """Return the state of another session that shares what this one may reach."""
        shared = self.attachments, self.secrets, self.setup
        return SessionState(*shared, in_use=self.current, memory=self.memory, policy=self.policy)

    def within(self, attached: AttachedCatalog) -> SessionState:
        """Return the state under which a marked definition of a catalog runs.

        It reaches that catalog, as a confined session that was given nothing else, and no variable, frame, temporary
        table, secret or setting about reach of this session. It shares this one's transaction and engine.
        """
        attachments = Attachments.only(attached)
        policy = Policy(attachments, subject="a definition that is marked reaches nothing but its own catalog")
        policy.confine()
        made = SessionState(attachments, setup=self.setup, work=self.work, may_begin=False, policy=policy)
        made.only, made.engine = attached, self.engine
        made.settings.values.update(self.settings.values)
        return made

    def is_within(self, attached: AttachedCatalog) -> bool:
        """Return whether this is the state of marked definitions of a catalog."""
        return self.only is not None and self.only is attached

    @property
    def rule(self) -> EngineRule:
        """Which engine runs the session's statements."""
        return EngineRule(self.setup, self.settings.get("engine"))

    @property
    def current(self) -> tuple[AttachedCatalog, str] | None:
        """The catalog and schema in use; None if there are none.

        If another session has attached a different catalog under the same alias, it is that one. None, too, if
        another session has detached it.
        """
        if self.in_use is None:
            return None
        if self.in_use[0] is self.memory.catalog:
            return self.in_use
        attached = self.attachments.find(self.in_use[0].alias)
        if attached is None and self.policy.is_confined:
            return None
        if attached is self.in_use[0] or (attached is None and self.in_use[0].is_only_named):
            return self.in_use
        if attached is None:
            return None
        return attached, "main"

    def find_catalog(self, alias: str) -> AttachedCatalog | None:
        """Return the catalog of an alias, or one of the lake in use by its name.

        ``memory`` and ``temp`` are aliases, whose catalogs are made when they are first named. None if there is none.
        """
        found = self.attachments.find(alias)
        if found is not None or self.only is not None:
            return found
        if fold(alias) == MEMORY:
            return self.memory.make(self.setup)
        if fold(alias) == TEMPORARY:
            return self.temporary.make(self.setup)
        return self.named_catalog(alias)

    def named_catalog(self, name: str) -> AttachedCatalog | None:
        """Return a catalog of the lake in use by its own name, attached or not.

        This is the one place where a session reaches catalogs that it was not given; a confined one finds none. The
        lake is that of the catalog in use, else that of the session, else the only one that is attached. A catalog that
        is found through one that is attached for reading is read-only, too.
        """
        if self.policy.is_confined:
            return None
        current, home = self.current, self.attachments.home
        through = self.attachments.all() if current is None else [current[0]]
        if current is None and home is not None:
            url, lake, is_read_only = runtime_of(home).key, home, False
        elif len({one.url for one in through}) == 1:
            url, lake, is_read_only = through[0].url, through[0].lake, all(one.read_only for one in through)
        else:
            return None
        return self.work.find(name, url) or self.attachments.find_named(name, url, lake, read_only=is_read_only)

    def has_temporary(self, kind: Literal["relation", "macro"], name: str) -> bool:
        """Return whether there is a temporary relation or macro of a name."""
        found = self.temporary.catalog
        return found is not None and find_in_path(kind, content_of(self.reader(found)), "main", name) is not None

    def runtime(self, writer: Transaction) -> Runtime:
        """Return the runtime for changes by this session.

        It has the session's engine, and the options that SET changed.
        """
        settings = self.settings
        return runtime_of(writer).for_session(self.engine, settings.option_defaults, settings.option_overrides)

    def reader(self, attached: AttachedCatalog) -> Catalog | Transaction:
        """Return the handle that statements read a catalog with."""
        return self.work.reader(attached)

    def session_attachment(self, attached: AttachedCatalog) -> SessionAttachment:
        """Return an attached catalog as a statement sees it."""
        current = self.current
        schema = current[1] if current is not None and current[0] is attached else "main"
        return SessionAttachment(
            attached,
            schema,
            self.work.has_changes(attached),
            self.attachments.last_committed(attached),
            self.work,
            self.settings.option_overrides,
        )

    def session_attachments(self) -> list[SessionAttachment]:
        """Return all attached catalogs as a statement sees them; the one in use is first.

        It is among them even if it was not attached, but only named.
        """
        first = [] if self.current is None else [self.current[0]]
        others = (one for one in self.attachments.all() if one not in first)
        return [self.session_attachment(one) for one in (*first, *others)]

    def attachments_with(self, alias: str, find: Callable[[str], AttachedCatalog | None]) -> list[SessionAttachment]:
        """Return the same, and at their end the catalog of an alias.

        ``find`` is asked for it if it is not among them.
        """
        known = self.session_attachments()
        found = None if any(fold(one.alias) == fold(alias) for one in known) else find(alias)
        return known if found is None else [*known, self.session_attachment(found)]

    def live_attachments(self) -> list[SessionAttachment]:
        """Return the same, without catalogs that were dropped."""
        return [seen for seen in self.session_attachments() if self.is_live(seen.attached)]

    def relation_attachments(self) -> list[SessionAttachment]:
        """Return the catalogs whose relations and macros are listed.

        They are the live ones, ``memory`` and ``temp``.
        """
        private = (one.catalog for one in (self.memory, self.temporary))
        return self.live_attachments() + [self.session_attachment(one) for one in private if one is not None]

    def is_live(self, attached: AttachedCatalog) -> bool:
        """Return whether an attached catalog still exists; others may have dropped it."""
        try:
            self.reader(attached)
        except CatalogDroppedError:
            return False
        return True

    # ---- transactions ------------------------------------------------------------------------------------------------

    def begin(self, *, read_only: bool = False) -> None:
        """Run BEGIN; a read-only transaction refuses changes.

        Raises:
            InvalidInputError: A transaction is open already.
        """
        self._check_may_begin()
        if self.work.is_explicit:
            raise InvalidInputError("TransactionContext Error: cannot start a transaction within a transaction")
        self.work = Work(self.policy, is_explicit=True, is_read_only=read_only)

    def commit(self) -> None:
        """Run COMMIT.

        Raises:
            InvalidInputError: No transaction is open, or the catalog requires a commit message.
            CommitConflictError: Another commit changed the same things; nothing was committed.
        """
        self._check_may_begin()
        if not self.work.is_explicit:
            raise InvalidInputError("TransactionContext Error: cannot commit - no transaction is active")
        try:
            self.finish()
        except ForklakeError:
            self.work.rollback()
            raise
        finally:
            self.work = Work(self.policy, is_explicit=False)

    def finish(self) -> None:
        """Commit the changes of the transaction, and remember the snapshot."""
        check_time()
        self.attachments.note(self.work.commit(self.settings.retry))

    def rollback(self) -> None:
        """Run ROLLBACK: discard the changes of the transaction.

        Raises:
            InvalidInputError: No transaction is open.
        """
        self._check_may_begin()
        if not self.work.is_explicit:
            raise InvalidInputError("TransactionContext Error: cannot rollback - no transaction is active")
        self.work.rollback()
        self.work = Work(self.policy, is_explicit=False)

    def _check_may_begin(self) -> None:
        if not self.may_begin:
            raise InvalidInputError(
                "TransactionContext Error: a transaction is at work already; it ends where it was begun."
            )
