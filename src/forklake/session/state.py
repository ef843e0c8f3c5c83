"""What one session knows: attachments, secrets, settings, what is in use, and its transaction."""

from __future__ import annotations

from dataclasses import dataclass, field

from forklake.engine.engine import Engine
from forklake.errors import CatalogDroppedError, ForklakeError, InvalidInputError
from forklake.lake import Catalog, Lake, Transaction
from forklake.lake.internals import runtime_of
from forklake.model.ids import SnapshotId
from forklake.ops.runtime import Runtime, Setup, setup_of
from forklake.session.attached_catalogs import AttachedCatalog, Attachments
from forklake.session.frames import Frames
from forklake.session.secrets import Secrets
from forklake.session.settings import SessionSettings
from forklake.session.work import Work


@dataclass(frozen=True, slots=True)
class Seen:
    """An attached catalog as a statement of one session sees it.

    Attributes:
        schema: The schema that names without one are looked for in.
        has_changes: Whether the session's transaction has changed the catalog.
        last_committed: The snapshot that was committed last to it, by this session or one on the same attachments.
        work: The session's transaction.
    """

    attached: AttachedCatalog
    schema: str
    has_changes: bool
    last_committed: SnapshotId | None
    work: Work

    def writer(self, kind: str) -> Transaction:
        """Return what a statement of some kind changes the catalog with.

        Raises:
            InvalidInputError: It is read-only, or the transaction has changed another one.
        """
        return self.work.writer(self.attached, kind)

    @property
    def reader(self) -> Catalog | Transaction:
        """What the statement reads: the catalog within the session's transaction, which sees it from then on."""
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
        """Whether it may be changed."""
        return self.attached.read_only


@dataclass(slots=True)
class State:
    """A session's own, and what it shares with the sessions that it was made from.

    Attributes:
        setup: What lakes are opened with; its retries and its clock are the session's as well.
        engine: What statements of this session run on; made of that of the setup.
        in_use: The catalog and schema that USE named last; see `current`.
        frames: The frames of the caller that this session's queries may name.
        may_begin: Whether BEGIN, COMMIT and ROLLBACK may be said; not where somebody else's transaction is at work.
    """

    attachments: Attachments = field(default_factory=Attachments)
    secrets: Secrets = field(default_factory=Secrets)
    setup: Setup = field(default_factory=setup_of)
    in_use: tuple[AttachedCatalog, str] | None = None
    work: Work = field(default_factory=lambda: Work(is_explicit=False))
    may_begin: bool = True
    frames: Frames = field(default_factory=Frames)
    settings: SessionSettings = field(init=False)
    engine: Engine = field(init=False)

    def __post_init__(self) -> None:
        self.engine = self.setup.engine.for_session()
        self.settings = SessionSettings(self.setup.settings.retry)

    @property
    def current(self) -> tuple[AttachedCatalog, str] | None:
        """The catalog and schema in use: what has the name now, if a session attached another catalog under it.

        None if there is none, also where another session detached it.
        """
        if self.in_use is None:
            return None
        attached = self.attachments.find(self.in_use[0].alias)
        if attached is None or attached is self.in_use[0]:
            return None if attached is None else self.in_use
        return attached, "main"

    def runtime(self, writer: Transaction) -> Runtime:
        """Return the open lake as statements of this session change it: on its own engine, with what it has SET."""
        return runtime_of(writer).for_session(self.engine, self.settings.option_defaults)

    def reader(self, attached: AttachedCatalog) -> Catalog | Transaction:
        """Return what statements read of a catalog now."""
        return self.work.reader(attached)

    def seen(self, attached: AttachedCatalog) -> Seen:
        """Return a catalog as a statement sees it."""
        current = self.current
        schema = current[1] if current is not None and current[0] is attached else "main"
        return Seen(
            attached, schema, self.work.has_changes(attached), self.attachments.last_committed(attached), self.work
        )

    def all_seen(self) -> list[Seen]:
        """Return all attached catalogs as a statement sees them, the one in use first."""
        first = None if self.current is None else self.current[0]
        return [self.seen(one) for one in sorted(self.attachments.all(), key=lambda one: one is not first)]

    def live_seen(self) -> list[Seen]:
        """Return the same without those whose catalog was dropped."""
        return [seen for seen in self.all_seen() if self.is_live(seen.attached)]

    def is_live(self, attached: AttachedCatalog) -> bool:
        """Return whether an attached catalog is there: anybody may have dropped it since."""
        try:
            self.reader(attached)
        except CatalogDroppedError:
            return False
        return True

    # ---- transactions ------------------------------------------------------------------------------------------------

    def begin(self, *, read_only: bool = False) -> None:
        """Begin a transaction; one that is read-only changes nothing.

        Raises:
            InvalidInputError: There is one.
        """
        self._check_may_begin()
        if self.work.is_explicit:
            raise InvalidInputError("TransactionContext Error: cannot start a transaction within a transaction")
        self.work = Work(is_explicit=True, is_read_only=read_only)

    def commit(self) -> None:
        """Commit the transaction.

        Raises:
            InvalidInputError: There is none, or the catalog asks for a commit message.
            CommitConflictError: Somebody else changed the same things; nothing was committed.
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
            self.work = Work(is_explicit=False)

    def finish(self) -> None:
        """Commit what the work has changed, and remember the snapshot."""
        self.attachments.note(self.work.commit(self.settings.retry))

    def rollback(self) -> None:
        """Forget what the transaction changed.

        Raises:
            InvalidInputError: There is none.
        """
        self._check_may_begin()
        if not self.work.is_explicit:
            raise InvalidInputError("TransactionContext Error: cannot rollback - no transaction is active")
        self.work.rollback()
        self.work = Work(is_explicit=False)

    def _check_may_begin(self) -> None:
        if not self.may_begin:
            raise InvalidInputError(
                "TransactionContext Error: a transaction is at work already; it ends where it was begun."
            )
