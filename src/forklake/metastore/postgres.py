"""A store in PostgreSQL, which many processes share.

A commit or a fork is one call of a stored function, so one round trip. Nothing is kept in a session between
transactions, so PgBouncer may pool transactions in front of the server. Behind a pooler prepared statements
are not used, and time-outs are set in each transaction.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from datetime import datetime
from typing import Any, TypeVar, cast

import psycopg
from psycopg.pq import TransactionStatus

from forklake.config import Settings
from forklake.errors import (
    CommitUnknownError,
    MetastoreError,
    MetastoreRefusedError,
    MetastoreUnavailableError,
    MetastoreVersionError,
)
from forklake.metastore import schema
from forklake.metastore.dialect import Dialect
from forklake.metastore.postgres_address import Address, LakeSchemas
from forklake.metastore.postgres_cancel import interruptible_read, read_all
from forklake.metastore.postgres_connect import (
    Connector,
    connect_plainly,
    is_pooled,
    results_within,
    run_alone,
    run_together,
)
from forklake.metastore.postgres_dialect import dialect_of
from forklake.metastore.postgres_documents import commit_document, read_refusal, terms_document
from forklake.metastore.postgres_errors import statement_error
from forklake.metastore.postgres_pool import Connection, ConnectionPool, PoolClosedError, PoolTimeoutError
from forklake.metastore.postgres_session import PostgresSession, in_utc
from forklake.metastore.procedures import run_guards
from forklake.metastore.queries import heads
from forklake.metastore.schema.write import partitioned_script
from forklake.metastore.store import ConnectionLostError, Guard, Session, Statement, Store, Values
from forklake.metastore.turns import Turns
from forklake.model.commit import CommitRequest, CommitResult, Outcome
from forklake.model.hint import ImportCatalog
from forklake.model.ids import CatalogId, SnapshotId
from forklake.model.lives import Terms
from forklake.model.overview import TableSize
from forklake.model.placement import ForkOutcome, ForkResult, NewFork, Placement

T = TypeVar("T")

_COUNTED_ROWS = 1_000_000
"""Tables with more rows are not counted but estimated."""

_BEGIN_READING = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"
_BEGIN_WRITING = "BEGIN ISOLATION LEVEL READ COMMITTED"
_COMMIT = "SELECT * FROM forklake.lake_commit(:catalog, :expected, :commit)"
_FORK = (
    "SELECT * FROM forklake.lake_fork(:parent, :at, :names, CAST(:uuids AS uuid[]), :directories, :data_path, :prefix,"
    " :is_relative, :above, :terms)"
)


class PostgresStore(Store):
    """A lake in a PostgreSQL database."""

    def __init__(self, conninfo: str, settings: Settings, *, is_upgraded: bool = False) -> None:
        """Connect, and check that the database holds a lake of this version.

        One that is about to be upgraded may be older.

        Raises:
            MetastoreUnavailableError: The server cannot be reached.
            MetastoreRefusedError: It refuses the login, or the role has no rights.
            MetastoreVersionError: The schema file was not run, or another version of it.
        """
        self.settings = settings
        self._address = Address.parse(conninfo)
        self.dialect = dialect_of(self._address.schemas)
        self._pool = ConnectionPool(
            Connector(self._address, settings).connect, settings.pool_size, settings.pool_timeout_seconds
        )
        self._turns = Turns(settings.pool_size - 1, settings.lock_timeout_seconds)
        try:
            try:
                found = self._run(lambda connection: _versions(connection, self.dialect))
            except MetastoreVersionError as error:
                self._check_not_plain(error)
                raise
            check = schema.known_version if is_upgraded else schema.check_version
            check(found, "postgresql")
        except BaseException:
            self.close()
            raise

    def _check_not_plain(self, error: MetastoreVersionError) -> None:
        """Refuse a DuckLake that DuckDB made, by that name."""
        named = None if self._address.schemas == LakeSchemas() else self._address.schemas.views
        where = named or "public"  # DuckDB's default; ours is another
        text = "SELECT 1 FROM pg_tables WHERE schemaname = %s AND tablename = 'ducklake_metadata'"
        if self._run(lambda connection: connection.execute(text, [where]).fetchone()) is not None:
            url = f"postgres:{Address(self._address.words, LakeSchemas()).location}"
            what = f'The schema "{where}" of the metadata database ({self.location})'
            raise schema.plain_ducklake_error(what, ImportCatalog(url, named)) from error

    @property
    def location(self) -> str:
        """The connection string without its password."""
        return self._address.location

    @property
    def is_embedded(self) -> bool:
        """False."""
        return False

    def home(self) -> str:
        """Return the ids of the server and the database, and the schema.

        A dump that is restored elsewhere has others; a replica has the same.
        """
        found = self.query(
            "SELECT c.system_identifier, d.oid::bigint FROM pg_control_system() c, pg_database d"
            " WHERE d.datname = current_database()"
        )
        return "/".join([*map(str, found[0]), self._address.schemas.base])

    @property
    def default_data_path(self) -> str | None:
        """None: a server has no directory of ours beside it."""
        return None

    def query(self, sql: str, /, **params: Any) -> list[Values]:
        """Run one read-only statement; replace a lost connection once."""
        return self.query_all([(sql, params)])[0]

    def query_all(self, statements: Sequence[Statement]) -> list[list[Values]]:
        """Run statements in one transaction; replace a lost connection once."""
        rendered = [self.dialect.render(sql, params) for sql, params in statements]
        try:
            return self._run(lambda connection: read_all(connection, rendered))
        except ConnectionLostError:
            return self._run(lambda connection: read_all(connection, rendered))

    def execute(self, sql: str, /, **params: Any) -> int:
        """Run one writing statement, in one round trip."""
        text, values = self.dialect.render(sql, params)
        return self._run(lambda connection: run_together(connection, [(text, values)], ends=True)[0].rowcount)

    @contextmanager
    def reading(self) -> Iterator[Session]:
        """Open a reading transaction."""
        with self._transaction(_BEGIN_READING) as session, interruptible_read(session.connection):
            yield session

    @contextmanager
    def writing(self) -> Iterator[Session]:
        """Open a writing transaction."""
        with self._transaction(_BEGIN_WRITING) as session:
            yield session

    def commit(self, commit: CommitRequest, guards: Sequence[Guard] = ()) -> CommitResult:
        """Call ``lake_commit``."""
        payload = commit_document(commit)
        params = {"catalog": commit.catalog_id, "expected": commit.expected, "commit": payload}
        self.step("commit: before the call")
        found = self._guarded_commit(commit, guards, params) if guards else self._call(_COMMIT, params)
        ((outcome, snapshot, made_at, objects, files, refusal),) = found
        self.step("commit: done")
        return CommitResult(
            Outcome(outcome), snapshot, made_at and in_utc(made_at), objects or (), files or (), read_refusal(refusal)
        )

    @contextmanager
    def line(self, catalog: CatalogId) -> Iterator[bool]:
        """Wait among the threads of this process."""
        if self.settings.lock_timeout_seconds <= 0:
            yield False
            return
        with self._turns.here(catalog) as came:
            yield came

    def is_waited_for(self, catalog: CatalogId) -> bool:
        """Look into the lines of this process."""
        return self._turns.is_waited_for(catalog)

    @contextmanager
    def turn(self, catalog: CatalogId) -> Iterator[bool]:
        """Wait for the turn with one connection, and not the last of the pool."""
        with ExitStack() as stack:
            came = stack.enter_context(self.line(catalog))
            if came and stack.enter_context(self._turns.lock(catalog)):
                came = self._wait_for_turn(stack, catalog)
            yield came

    def _wait_for_turn(self, stack: ExitStack, catalog: CatalogId) -> bool:
        """Lock the turn of a catalog until the stack is closed.

        Return whether that was possible in time.
        """
        time_out = max(1, round(self.settings.lock_timeout_seconds * 1000))
        # Who is stopped loses the turn with the connection, which is seen at the end.
        text, _ = self.dialect.render(
            f"SET LOCAL lock_timeout = {time_out}; SET LOCAL idle_in_transaction_session_timeout = {time_out};"
            f" SELECT forklake.lock_one({int(catalog)}, 3::smallint)",
            {},
        )
        try:
            connection = self._begin(None)
        except MetastoreError:
            return False  # a turn is never needed
        stack.callback(self._end, connection)
        try:
            connection.execute(text if is_pooled(connection) else f"{_BEGIN_WRITING}; {text}")
        except psycopg.Error:
            return False
        return True

    def _guarded_commit(self, commit: CommitRequest, guards: Sequence[Guard], params: dict[str, Any]) -> list[Values]:
        try:
            with self.writing() as session:
                run_guards(session, commit, guards)
                found = session.query(_COMMIT, **params)
                if commit.epoch and found[0][0] == Outcome.COMMITTED:
                    heads.begin_epoch(session, commit.catalog_id, SnapshotId(found[0][1]), commit.epoch)
                    self.step("commit: epoch begun")
                return found
        except CommitUnknownError as error:
            raise ConnectionLostError(error.message) from error

    def fork(
        self,
        parent: CatalogId,
        at: SnapshotId | None,
        forks: Sequence[NewFork],
        placement: Placement,
        terms: Terms,
    ) -> ForkResult:
        """Call ``lake_fork``."""
        params = {
            "parent": parent,
            "at": at,
            "names": [new.name for new in forks],
            "uuids": [new.uuid for new in forks],
            "directories": [new.directory for new in forks],
            "data_path": placement.data_path,
            "prefix": placement.prefix,
            "is_relative": placement.is_relative,
            "above": list(placement.above),
            "terms": terms_document(terms),
        }
        self.step("fork: before the call")
        ((outcome, pin, catalogs, snapshots, refusal),) = self._call(_FORK, params)
        self.step("fork: done")
        return ForkResult(ForkOutcome(outcome), pin, catalogs or (), snapshots or (), read_refusal(refusal))

    def time(self, value: Any) -> datetime:
        """Read a time column."""
        return in_utc(value)

    def byte_count(self) -> int:
        """Return the bytes of all tables and indexes in the schema."""
        found = self.query(
            "SELECT coalesce(sum(pg_total_relation_size(c.oid)), 0) FROM pg_class c"
            " JOIN pg_namespace n ON n.oid = c.relnamespace WHERE n.nspname = :base AND c.relkind = 'r'",
            base=self._address.schemas.base,
        )
        return int(found[0][0])

    def table_sizes(self) -> list[TableSize]:
        """Return the rows and bytes of each metadata table.

        The rows of small tables are counted; for large ones PostgreSQL's own estimate is used.
        """
        found = self.query(
            "SELECT coalesce(p.relname, c.relname), sum(pg_total_relation_size(c.oid)),"
            " CASE WHEN min(c.reltuples) < 0 THEN -1 ELSE sum(c.reltuples) END"
            " FROM pg_class c LEFT JOIN pg_inherits i ON i.inhrelid = c.oid"
            " LEFT JOIN pg_class p ON p.oid = i.inhparent"
            " JOIN pg_namespace n ON n.oid = c.relnamespace"
            " WHERE n.nspname = :base AND c.relkind = 'r' GROUP BY 1 ORDER BY 1",
            base=self._address.schemas.base,
        )
        sizes = []
        for name, size, estimate in found:
            is_estimate = estimate > _COUNTED_ROWS
            rows = estimate if is_estimate else self.query(f"SELECT count(*) FROM forklake.{name}")[0][0]
            sizes.append(TableSize(str(name), int(rows), is_estimate, int(size)))
        return sizes

    def close(self) -> None:
        """Close the pool."""
        self._pool.close()

    @contextmanager
    def _transaction(self, begin: str) -> Iterator[PostgresSession]:
        with self._connection(begin) as connection:
            yield PostgresSession(connection, self.dialect, self._address.schemas)
            if begin == _BEGIN_READING:
                connection.execute("COMMIT")
            else:
                self._commit(connection)

    def _commit(self, connection: Connection) -> None:
        try:
            connection.execute("COMMIT")
        except psycopg.OperationalError as error:
            if not connection.broken:
                raise
            raise CommitUnknownError(
                f"The connection to the metadata database ({self.location}) was lost while a change was being"
                f" committed: {self.clean(error)}. It happened once or not at all.",
                hint="Look whether it happened before you try again.",
            ) from error

    def _call(self, function: str, params: dict[str, Any]) -> list[Values]:
        text, values = self.dialect.render(function, params)
        return self._run(lambda connection: run_alone(connection, text, values))

    def _run(self, statement: Callable[[Connection], T]) -> T:
        """Run one statement in a transaction of its own.

        That takes one round trip. Behind a pooler there are two if the statement ends the transaction, or else three.
        """
        connection = self._begin(None)
        try:
            result = statement(connection)
            if is_pooled(connection) and connection.pgconn.transaction_status != TransactionStatus.IDLE:
                connection.execute("COMMIT")
            return result
        except psycopg.Error as error:
            raise self._translate_error(connection, error) from error
        finally:
            self._end(connection)

    @contextmanager
    def _connection(self, begin: str | None) -> Iterator[Connection]:
        """Take a connection for the duration of a context.

        It is in a transaction if `begin` has the statement that begins one, and always behind a pooler.
        """
        connection = self._begin(begin)
        try:
            yield connection
        except psycopg.Error as error:
            raise self._translate_error(connection, error) from error
        finally:
            self._end(connection)

    def _end(self, connection: Connection) -> None:
        """Give a connection back, in no transaction."""
        if connection.pgconn.transaction_status != TransactionStatus.IDLE and not connection.broken:
            with suppress(psycopg.Error):  # lost now: the pool sees it
                connection.execute("ROLLBACK")
        self._pool.give_back(connection)

    def _begin(self, begin: str | None) -> Connection:
        """Take a connection and begin a transaction on it.

        A connection that turns out to be dead is replaced once: nothing was done on it yet.
        """
        for is_last in (False, True):
            connection = self._take()
            try:
                if is_pooled(connection):
                    statements = f"{begin or _BEGIN_WRITING}; {self._local_settings}"
                    results_within(connection, statements, self.settings.pool_timeout_seconds)
                elif begin is not None:
                    connection.execute(begin)
                return connection
            except BaseException as error:
                self._pool.give_back(connection)
                if not isinstance(error, psycopg.Error):
                    raise
                told = self._translate_error(connection, error)
                if is_last or not isinstance(told, ConnectionLostError):
                    raise told from error
        raise AssertionError

    @property
    def _local_settings(self) -> str:
        return f"SET LOCAL statement_timeout = {int(self.settings.statement_timeout_seconds * 1000)}"

    def _take(self) -> Connection:
        try:
            return self._pool.take()
        except PoolClosedError:
            raise MetastoreRefusedError(f"The lake ({self.location}) is closed.", hint="Open it again.") from None
        except PoolTimeoutError:
            raise MetastoreUnavailableError(
                f"Others used all {self.settings.pool_size} connections to the metadata database ({self.location})"
                f" for {self.settings.pool_timeout_seconds:g} s; nothing was done.",
                hint="Try again, or raise pool_size.",
            ) from None

    def _translate_error(self, connection: Connection, error: psycopg.Error) -> MetastoreError:
        if not connection.broken:
            return statement_error(self._address, self.settings, error)
        # The idle ones have likely gone with it: one loss is told, not one for each of them.
        self._pool.discard_idle()
        return ConnectionLostError(
            f"The connection to the metadata database ({self.location}) was lost: {self.clean(error)}"
        )

    def clean(self, error: object) -> str:
        """Return an error's text on one line without the password."""
        return self._address.clean(error)


def initialise(conninfo: str, partitions: int | None, settings: Settings) -> bool:
    """Run the schema file in one transaction; return False if there is a lake already.

    Raises:
        MetastoreVersionError: The schemas hold something else, or a lake of another version.
        MetastoreUnavailableError: The server cannot be reached.
        MetastoreRefusedError: It refuses the login, or the role may not create schemas.
    """
    text = schema.script("postgresql") if partitions is None else partitioned_script(partitions)
    address = Address.parse(conninfo)
    with connect_plainly(address, settings) as connection:
        try:
            return _initialise(connection, address.schemas, text)
        except psycopg.errors.InsufficientPrivilege as error:
            raise MetastoreRefusedError(
                f"The metadata tables were not made ({address.location}): {address.clean(error)}",
                hint="GRANT CREATE ON DATABASE ... to the role, or run `forklake init` as one that may create schemas.",
            ) from error
        except psycopg.Error as error:
            raise statement_error(address, settings, error) from error


def _initialise(connection: Connection, schemas: LakeSchemas, text: str) -> bool:
    found = connection.execute("SELECT 1 FROM pg_namespace WHERE nspname = %s", [schemas.base]).fetchone()
    if found is not None:
        try:
            versions = _versions(connection, dialect_of(schemas))
        except psycopg.errors.UndefinedTable as error:
            raise _schema_taken_error(schemas.base) from error
        schema.check_version(versions, "postgresql")
        return False
    try:
        connection.execute(schemas.place(text).encode())
    except psycopg.errors.DuplicateSchema as error:
        raise _schema_taken_error(schemas.views) from error
    return True


def _schema_taken_error(name: str) -> MetastoreVersionError:
    return MetastoreVersionError(
        f'The database has a schema "{name}" that holds no lake; nothing was changed.',
        hint="Drop or rename that schema, name another metadata_schema, or use another database.",
    )


def _versions(connection: Connection, dialect: Dialect) -> dict[str, str]:
    text, values = dialect.render(schema.VERSION_QUERY, {})
    return dict(cast("list[tuple[str, str]]", connection.execute(text, values).fetchall()))
