"""The store: sessions on the metadata database, and the calls commit and fork.

A store makes no decisions of its own. It runs SQL, moves a head by compare-and-swap and writes the rows of a
fork; the storeys above decide, once for all databases, what to write and what a catalog sees.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from datetime import datetime
from typing import Any

from forklake.config import Settings
from forklake.errors import MetastoreError, MetastoreUnavailableError
from forklake.metastore.dialect import Dialect
from forklake.model.commit import CommitRequest, CommitResult
from forklake.model.ids import CatalogId, SnapshotId
from forklake.model.lives import Terms
from forklake.model.overview import TableSize
from forklake.model.placement import ForkResult, NewFork, Placement

Values = tuple[Any, ...]
Statement = tuple[str, Mapping[str, Any]]
"""A statement and its parameters."""


class DuplicateKeyError(MetastoreError):
    """A unique index refused a row; the transaction was rolled back."""

    code = "duplicate_key"


class ConnectionLostError(MetastoreUnavailableError):
    """The connection broke during a statement, which may or may not have taken effect."""

    code = "connection_lost"


class Session(ABC):
    """One open transaction."""

    dialect: Dialect

    @abstractmethod
    def query(self, sql: str, /, **params: Any) -> list[Values]:
        """Run one statement and return its rows."""

    def query_all(self, statements: Sequence[Statement]) -> list[list[Values]]:
        """Run statements one after the other, and return the rows of each."""
        return [self.query(sql, **params) for sql, params in statements]

    @abstractmethod
    def execute(self, sql: str, /, **params: Any) -> int:
        """Run one statement and return how many rows it changed."""

    @abstractmethod
    def run(self, statement: str) -> None:
        """Run one statement as it stands, in the dialect of the product."""

    @abstractmethod
    def execute_many(self, sql: str, rows: Sequence[dict[str, Any]]) -> None:
        """Run one statement for each set of parameters."""

    def insert_many(self, table: str, columns: Sequence[str], rows: Sequence[Sequence[Any]]) -> None:
        """Insert many rows into a table, in the fastest way that the database has."""
        if rows:
            values = ", ".join(f":{name}" for name in columns)
            self.execute_many(
                f"INSERT INTO forklake.{table} ({', '.join(columns)}) VALUES ({values})",
                [dict(zip(columns, row, strict=True)) for row in rows],
            )

    @abstractmethod
    def take_ids(self, sequence: str, count: int) -> list[int]:
        """Take the next ids of a sequence.

        Ids of a transaction that is rolled back may be lost.
        """

    @abstractmethod
    def advance_row_uids(self, count: int) -> None:
        """Advance the row uids after an INSERT ... SELECT with the dialect's ``row_uid``."""

    @abstractmethod
    def now(self) -> datetime:
        """Return the time of the database's clock."""

    @abstractmethod
    def time(self, value: Any) -> datetime:
        """Convert the value of a timestamp column to an aware datetime in UTC."""

    @abstractmethod
    def lock_shared(self, catalog: CatalogId) -> None:
        """Keep others from deleting what the catalog holds until the transaction ends."""

    def lock_all_shared(self, catalogs: Sequence[CatalogId]) -> None:
        """Take the lock of `lock_shared` for each of some catalogs, by id."""
        for catalog in sorted(catalogs):
            self.lock_shared(catalog)

    @abstractmethod
    def lock_alone(self, catalog: CatalogId) -> None:
        """Keep others from pinning what the catalog holds until the transaction ends."""

    def lock_all_alone(self, catalogs: Sequence[CatalogId]) -> None:
        """Take the lock of `lock_alone` for each of some catalogs, by id."""
        for catalog in sorted(catalogs):
            self.lock_alone(catalog)

    @abstractmethod
    def lock_quota(self, catalog: CatalogId) -> None:
        """Keep others from spending of the quota of a catalog, and from setting it.

        That holds until the transaction ends.
        """

    @abstractmethod
    def lock_writers(self) -> None:
        """Keep others from committing, forking and taking leases.

        That holds until the transaction ends.
        """

    def begin_upgrade(self) -> list[str]:
        """Return the statements that keep others from writing.

        They hold until the transaction ends, and keep others from upgrading as well. A file has one writer at a time
        and needs none.
        """
        return []

    @abstractmethod
    def upgrade_script(self, version: int, *, trusts: bool = False) -> list[str]:
        """Return the statements that bring the metadata from a version to this release's.

        With ``trusts`` no definition that is stored is marked, if the version has no marks yet.
        """


Guard = Callable[[Session], None]
"""A check in the transaction of a commit, which may take locks; it raises an error to refuse the commit."""


class Store(ABC):
    """A metadata database that holds a lake; threads may share it."""

    dialect: Dialect
    settings: Settings
    made_tables: bool = False
    """Whether opening this embedded store made its tables."""

    @property
    @abstractmethod
    def location(self) -> str:
        """A description of the database, without its password."""

    @property
    @abstractmethod
    def default_data_path(self) -> str | None:
        """The data path if none was set, or None if the user must set one."""

    @property
    @abstractmethod
    def is_embedded(self) -> bool:
        """Whether it is a file of this machine."""

    def keep_private(self) -> None:
        """Let nobody but the owner of the metadata's files read them.

        A server keeps its own files.
        """
        return

    @abstractmethod
    def home(self) -> str:
        """Return what tells this database from copies of it.

        It is the path of a file, or the ids of a server and its database.
        """

    @abstractmethod
    def query(self, sql: str, /, **params: Any) -> list[Values]:
        """Run one read-only statement by itself; it sees one state of the database."""

    @abstractmethod
    def query_all(self, statements: Sequence[Statement]) -> list[list[Values]]:
        """Run read-only statements one after the other, and return the rows of each.

        None sees an older state of the database than the one before it. A server is asked in one round trip. A
        statement may write there, if it does no harm when it runs twice: what it writes is committed with the answers.
        """

    def execute(self, sql: str, /, **params: Any) -> int:
        """Run one writing statement by itself; return how many rows it changed.

        Raises:
            ConnectionLostError: It may or may not have taken effect.
        """
        with self.writing() as session:
            return session.execute(sql, **params)

    @abstractmethod
    def reading(self) -> AbstractContextManager[Session]:
        """Open a transaction whose statements all see one state of the database."""

    @abstractmethod
    def writing(self) -> AbstractContextManager[Session]:
        """Open a transaction that commits at the end, or is rolled back by an exception."""

    @abstractmethod
    def commit(self, commit: CommitRequest, guards: Sequence[Guard] = ()) -> CommitResult:
        """Move a head and write the rows of the new snapshot, all or nothing.

        Guards run first, in the same transaction, unless the commit has happened before. One that raises an error
        refuses the commit.

        Raises:
            ConnectionLostError: The outcome is not known; ask again with the same commit key.
        """

    def is_waited_for(self, catalog: CatalogId) -> bool:
        """Return whether another thread stands in the `line` of a catalog."""
        return False

    def line(self, catalog: CatalogId) -> AbstractContextManager[bool]:
        """Wait in the line of this process's threads for a catalog.

        Yield whether this one is the first. It is within ``lock_timeout_seconds``, or not. Nobody has to be. An
        embedded store has no lines.
        """
        return nullcontext(False)

    def turn(self, catalog: CatalogId) -> AbstractContextManager[bool]:
        """Wait for the turn to commit to a catalog; yield whether it came.

        It is for those that have lost races for its head, the first in the `line` of each process. It comes within
        ``lock_timeout_seconds``, or not. Nobody has to have it: the head decides. An embedded store has one writer at
        a time, and gives none.
        """
        return nullcontext(False)

    @abstractmethod
    def fork(
        self,
        parent: CatalogId,
        at: SnapshotId | None,
        forks: Sequence[NewFork],
        placement: Placement,
        terms: Terms,
    ) -> ForkResult:
        """Write the rows of forks, all or nothing; each gets the terms.

        The cost does not depend on what the parent holds.

        Raises:
            DuplicateKeyError: A live catalog has one of the names.
            ConnectionLostError: The outcome is not known; the catalogs' uuids tell.
        """

    @abstractmethod
    def time(self, value: Any) -> datetime:
        """Convert the value of a timestamp column to an aware datetime in UTC."""

    @abstractmethod
    def byte_count(self) -> int:
        """Return the size of the metadata in bytes, indexes included."""

    @abstractmethod
    def table_sizes(self) -> list[TableSize]:
        """Return the rows and bytes of each metadata table, by name."""

    @abstractmethod
    def close(self) -> None:
        """Give back all connections. Closing twice does no harm."""

    @property
    def step(self) -> Callable[[str], None]:
        """A callback that gets the name of each step of a commit or a fork, for tests."""
        return self.settings.on_step
