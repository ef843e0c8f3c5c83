"""PostgreSQL: the shared store. A commit and a fork are one call of a function, so one round trip.

Nothing is kept in a session between transactions, so PgBouncer may pool transactions in front of the
server. Behind a pooler prepared statements are not used, and time-outs are set in each transaction.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, replace
from datetime import UTC, datetime
from functools import lru_cache
from typing import Any, TypeVar, cast

import psycopg
import psycopg_pool
from psycopg.conninfo import make_conninfo
from psycopg.types.json import Jsonb
from psycopg.types.numeric import Int8Dumper
from psycopg.types.string import TextLoader

from forklake.config import Settings
from forklake.errors import (
    CommitUnknownError,
    MetastoreError,
    MetastoreUnavailableError,
    MetastoreVersionError,
)
from forklake.metastore import schema
from forklake.metastore.dialect import Dialect
from forklake.metastore.postgres_address import Address, LakeSchemas
from forklake.metastore.store import ConnectionLostError, DuplicateKeyError, Session, Store, Values
from forklake.metastore.tables import BY_NAME
from forklake.model.commit import Commit, CommitResult, Outcome
from forklake.model.ids import CatalogId, SnapshotId
from forklake.model.overview import TableSize
from forklake.model.placement import ForkOutcome, ForkResult, NewFork, Placement
from forklake.model.rows import Row

T = TypeVar("T")
Connection = psycopg.Connection[Values]

DIALECT = Dialect(
    name="postgresql",
    schema="forklake.",
    placeholder="%({})s",
    fold='lower(({}) COLLATE "C")',
    members="= ANY({})",
    unpack=lambda lists: (
        "SELECT * FROM unnest(" + ", ".join(f"CAST(:{name} AS {kind}[])" for name, kind in lists.items()) + ")"
    ),
    row_uid="nextval('forklake.ducklake_row_uid_seq')",
    pack=list,
)


@lru_cache
def _dialect(schemas: LakeSchemas) -> Dialect:
    """Return the dialect for the lake in these schemas."""
    if schemas == LakeSchemas():
        return DIALECT
    prefix = schemas.prefix.replace("%", "%%")  # the driver's sign for a parameter
    in_literal = prefix.replace("'", "''")
    return replace(DIALECT, schema=prefix, row_uid=f"nextval('{in_literal}ducklake_row_uid_seq')")


_COUNTED_ROWS = 1_000_000
"""Tables with more rows are not counted but estimated."""

_COMMIT = "SELECT * FROM forklake.lake_commit(:catalog, :expected, :commit)"
_FORK = (
    "SELECT * FROM forklake.lake_fork(:parent, :at, :names, CAST(:uuids AS uuid[]), :directories, :data_path, :prefix,"
    " :is_relative, :above)"
)


class PostgresStore(Store):
    """A lake in a PostgreSQL database."""

    def __init__(self, conninfo: str, settings: Settings) -> None:
        """Connect, and check that the database holds a lake of this version.

        Raises:
            MetastoreUnavailableError: The server cannot be reached or refuses the login.
            MetastoreVersionError: The schema file was not run, or another version of it.
        """
        self.settings = settings
        self._address = Address.parse(conninfo)
        self.dialect = _dialect(self._address.schemas)
        self._pool = _open_pool(self)
        try:
            found = self._run(lambda connection: _versions(connection, self.dialect))
            schema.check_version(found, "postgresql")
        except BaseException:
            self.close()
            raise

    @property
    def location(self) -> str:
        """The connection string without its password."""
        return self._address.location

    @property
    def default_data_path(self) -> str | None:
        """None: a server has no directory of ours beside it."""
        return None

    def query(self, sql: str, /, **params: Any) -> list[Values]:
        """Run one reading statement; a connection that was lost meanwhile is replaced once."""
        text, values = self.dialect.render(sql, params)
        try:
            return self._run(lambda connection: connection.execute(text, values).fetchall())
        except ConnectionLostError:
            return self._run(lambda connection: connection.execute(text, values).fetchall())

    @contextmanager
    def reading(self) -> Iterator[Session]:
        """Open a reading transaction."""
        with self._transaction("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY") as session:
            yield session

    @contextmanager
    def writing(self) -> Iterator[Session]:
        """Open a writing transaction."""
        with self._transaction("BEGIN ISOLATION LEVEL READ COMMITTED") as session:
            yield session

    def commit(self, commit: Commit) -> CommitResult:
        """Call ``lake_commit``."""
        payload = Jsonb(_payload(commit), dumps=_dumps)
        params = {"catalog": commit.catalog_id, "expected": commit.expected, "commit": payload}
        self.step("commit: before the call")
        ((outcome, snapshot, made_at, objects, files),) = self._call(_COMMIT, params)
        self.step("commit: done")
        return CommitResult(Outcome(outcome), snapshot, made_at and _utc(made_at), objects or (), files or ())

    def fork(
        self, parent: CatalogId, at: SnapshotId | None, forks: Sequence[NewFork], placement: Placement
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
        }
        self.step("fork: before the call")
        ((outcome, pin, catalogs, snapshots),) = self._call(_FORK, params)
        self.step("fork: done")
        return ForkResult(ForkOutcome(outcome), pin, catalogs or (), snapshots or ())

    def time(self, value: Any) -> datetime:
        """Read a time column."""
        return _utc(value)

    def byte_count(self) -> int:
        """Return the bytes of all tables and indexes in the schema."""
        found = self.query(
            "SELECT coalesce(sum(pg_total_relation_size(c.oid)), 0) FROM pg_class c"
            " JOIN pg_namespace n ON n.oid = c.relnamespace WHERE n.nspname = :base AND c.relkind = 'r'",
            base=self._address.schemas.base,
        )
        return int(found[0][0])

    def table_sizes(self) -> list[TableSize]:
        """Count the rows of small tables; of large ones PostgreSQL knows how many, roughly."""
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
    def _transaction(self, begin: str) -> Iterator[Session]:
        with self._connection() as connection:
            connection.execute(begin)
            try:
                if _is_pooled(connection):
                    connection.execute(self._local_settings)
                yield _PostgresSession(connection, self.dialect)
                self._end(connection)
            except BaseException:
                if not connection.broken:
                    connection.execute("ROLLBACK")
                raise

    def _end(self, connection: Connection) -> None:
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
        return self._run(lambda connection: connection.execute(text, values).fetchall())

    def _run(self, statement: Callable[[Connection], T]) -> T:
        """Run one statement in a transaction of its own: one round trip, or four behind a pooler."""
        with self._connection() as connection:
            if not _is_pooled(connection):
                return statement(connection)
            with connection.transaction():
                connection.execute(self._local_settings)
                return statement(connection)

    @property
    def _local_settings(self) -> str:
        return f"SET LOCAL statement_timeout = {int(self.settings.statement_timeout_seconds * 1000)}"

    @contextmanager
    def _connection(self) -> Iterator[Connection]:
        try:
            with self._pool.connection(timeout=self.settings.connect_timeout_seconds) as connection:
                try:
                    yield connection
                except psycopg.Error as error:
                    if connection.broken:
                        # The idle ones have likely gone with it: one loss is told, not one for each of them.
                        self._pool.check()
                        raise ConnectionLostError(
                            f"The connection to the metadata database ({self.location}) was lost: {self.clean(error)}"
                        ) from error
                    raise
        except (psycopg_pool.PoolTimeout, psycopg_pool.PoolClosed) as error:
            raise self._unreachable(error) from error
        except psycopg.Error as error:
            raise self._translated(error) from error

    def clean(self, error: object) -> str:
        """Return an error's text on one line without the password."""
        return self._address.clean(error)

    def _unreachable(self, error: Exception) -> MetastoreError:
        if isinstance(error, psycopg_pool.PoolClosed):
            return MetastoreUnavailableError(f"The lake ({self.location}) is closed.", hint="Open it again.")
        return MetastoreUnavailableError(
            f"The metadata database ({self.location}) has no free connection"
            f" after {self.settings.connect_timeout_seconds:g} s: {self.clean(error)}",
            hint="Check that the server runs and allows more connections.",
        )

    def _not_found(self) -> MetastoreError:
        schemas = self._address.schemas
        is_default = schemas == LakeSchemas()
        return schema.not_found("postgresql") if is_default else schema.not_found_in(schemas.views)

    def _translated(self, error: psycopg.Error) -> Exception:
        if isinstance(error, psycopg.errors.UniqueViolation):
            return DuplicateKeyError(self.clean(error))
        if isinstance(
            error, psycopg.errors.UndefinedTable | psycopg.errors.InvalidSchemaName | psycopg.errors.UndefinedFunction
        ):
            return self._not_found()
        if isinstance(error, psycopg.errors.DeadlockDetected):
            return MetastoreUnavailableError(
                f"Two changes of the metadata database ({self.location}) waited for each other, and this one gave way;"
                " nothing was changed.",
                hint="Try again.",
            )
        if isinstance(error, psycopg.errors.QueryCanceled):
            return MetastoreUnavailableError(
                f"A statement on the metadata database ({self.location}) took longer than"
                f" {self.settings.statement_timeout_seconds:g} s and was cancelled; nothing was changed.",
                hint="Try again, or raise statement_timeout_seconds.",
            )
        if isinstance(error, psycopg.errors.InsufficientPrivilege):
            return MetastoreUnavailableError(
                f"The metadata database ({self.location}) does not allow this: {self.clean(error)};"
                " nothing was changed.",
                hint=f'Grant the role the rights on schema "{self._address.schemas.base}".',
            )
        return MetastoreUnavailableError(
            f"The metadata database ({self.location}) failed: {self.clean(error)}; nothing was changed."
        )


class _PostgresSession(Session):
    def __init__(self, connection: Connection, dialect: Dialect) -> None:
        self._connection = connection
        self.dialect = dialect

    def query(self, sql: str, /, **params: Any) -> list[Values]:
        text, values = self.dialect.render(sql, params)
        return self._connection.execute(text, values).fetchall()

    def execute(self, sql: str, /, **params: Any) -> int:
        text, values = self.dialect.render(sql, params)
        return self._connection.execute(text, values).rowcount

    def run(self, statement: str) -> None:
        self._connection.execute(statement)

    def execute_many(self, sql: str, rows: Sequence[dict[str, Any]]) -> None:
        if rows:
            text, _ = self.dialect.render(sql, rows[0])
            with self._connection.cursor() as cursor:
                cursor.executemany(text, [self.dialect.render(sql, row)[1] for row in rows])

    def insert_many(self, table: str, columns: Sequence[str], rows: Sequence[Sequence[Any]]) -> None:
        statement, _ = self.dialect.render(f"COPY forklake.{table} ({', '.join(columns)}) FROM STDIN", {})
        with self._connection.cursor() as cursor, cursor.copy(statement.encode(), {}) as copy:
            for row in rows:
                copy.write_row(row)

    def take_ids(self, sequence: str, count: int) -> list[int]:
        name = self.dialect.schema.replace("'", "''") + sequence
        taken = self.query(f"SELECT nextval('{name}') FROM generate_series(1, CAST(:n AS integer))", n=count)
        return [int(value) for (value,) in taken]

    def numbered(self, count: int) -> None:
        """Nothing to do: the sequence counts by itself."""

    def now(self) -> datetime:
        return _utc(self.query("SELECT clock_timestamp()")[0][0])

    def time(self, value: Any) -> datetime:
        return _utc(value)

    def lock_shared(self, catalog: CatalogId) -> None:
        self.query("SELECT forklake.lock_shared(:c)", c=catalog)

    def lock_alone(self, catalog: CatalogId) -> None:
        self.query("SELECT forklake.lock_alone(:c)", c=catalog)


def initialise(conninfo: str, partitions: int | None, settings: Settings) -> bool:
    """Run the schema file, in one transaction; return False if the schemas hold a lake already.

    Raises:
        MetastoreVersionError: The schemas hold something else, or a lake of another version.
    """
    text = schema.script("postgresql") if partitions is None else schema.partitioned_script(partitions)
    address = Address.parse(conninfo)
    schemas = address.schemas
    try:
        with psycopg.connect(
            **{"connect_timeout": _whole_seconds(settings.connect_timeout_seconds), **address.words}, autocommit=True
        ) as connection:
            found = connection.execute("SELECT 1 FROM pg_namespace WHERE nspname = %s", [schemas.base]).fetchone()
            if found is None:
                connection.execute(schemas.place(text).encode())
                return True
            try:
                versions = _versions(connection, _dialect(schemas))
            except psycopg.errors.UndefinedTable as error:
                raise _schema_taken(schemas.base) from error
            schema.check_version(versions, "postgresql")
            return False
    except psycopg.errors.DuplicateSchema as error:
        raise _schema_taken(schemas.views) from error
    except psycopg.Error as error:
        raise MetastoreUnavailableError(
            f"The metadata database was not initialised: {address.clean(error)}",
            hint="Check host, port, user, password and database, and that the user may create schemas in it.",
        ) from error


def _schema_taken(name: str) -> MetastoreVersionError:
    return MetastoreVersionError(
        f'The database has a schema "{name}" that holds no lake; nothing was changed.',
        hint="Drop or rename that schema, name another metadata_schema, or use another database.",
    )


def _versions(connection: Connection, dialect: Dialect) -> dict[str, str]:
    text, values = dialect.render(schema.VERSION_QUERY, {})
    return dict(cast("list[tuple[str, str]]", connection.execute(text, values).fetchall()))


def _open_pool(store: PostgresStore) -> psycopg_pool.ConnectionPool[Connection]:
    settings = store.settings
    base = dict(store._address.words)
    timeout = int(settings.statement_timeout_seconds * 1000)
    kwargs: dict[str, Any] = {
        "autocommit": True,
        # What the URL says counts.
        "connect_timeout": base.pop("connect_timeout", None) or _whole_seconds(settings.connect_timeout_seconds),
        "application_name": base.pop("application_name", None) or "forklake",
    }
    options = (
        f"{base.pop('options', None) or ''} -c statement_timeout={timeout} -c plan_cache_mode=force_generic_plan"
        # Starting workers or compiling takes longer than any of our statements; and a plan is kept while tables grow.
        " -c max_parallel_workers_per_gather=0 -c jit=off -c enable_seqscan=off"
        " -c timezone=UTC -c default_transaction_isolation=read\\ committed"
    ).strip()
    try:
        # The first connection tells whether the server can be reached, and a pooler from a server.
        with psycopg.connect(**base, **kwargs, options=options):
            kwargs["options"] = options
    except psycopg.OperationalError as error:
        if "unsupported startup parameter" not in str(error):
            raise MetastoreUnavailableError(
                f"The metadata database ({store.location}) cannot be used: {store.clean(error)}",
                hint="Check host, port, user, password and database.",
            ) from error
    return psycopg_pool.ConnectionPool(
        make_conninfo(**base),
        connection_class=cast("type[Connection]", psycopg.Connection),
        kwargs=kwargs,
        min_size=0,
        max_size=settings.pool_size,
        num_workers=1,
        configure=_configure,
        timeout=settings.connect_timeout_seconds,
        name="forklake",
        open=True,
    )


def _configure(connection: Connection) -> None:
    connection.adapters.register_loader("uuid", TextLoader)
    connection.adapters.register_dumper(int, Int8Dumper)
    connection.prepare_threshold = None
    connection.isolation_level = psycopg.IsolationLevel.READ_COMMITTED
    row = connection.execute("SELECT pg_backend_pid()").fetchone()
    assert row is not None
    # A pooler shows a process id of its own, and may hand each transaction to another server connection.
    if row[0] == connection.info.backend_pid:
        connection.prepare_threshold = 2


def _is_pooled(connection: Connection) -> bool:
    return connection.prepare_threshold is None


def _payload(commit: Commit) -> dict[str, Any]:
    return {
        "entries": commit.entries,
        "author": commit.info.author,
        "message": commit.info.message,
        "extra_info": commit.info.extra_info,
        "commit_key": commit.commit_key,
        "schema_version": commit.schema_version,
        "new_objects": commit.new_objects,
        "new_files": commit.new_files,
        "rows": {name: [_values(row, BY_NAME[name].columns) for row in rows] for name, rows in commit.rows.items()},
        "ends": dict(commit.ends),
        "tombstones": [asdict(tombstone) for tombstone in commit.tombstones],
    }


def _values(row: Row, columns: Sequence[str]) -> dict[str, Any]:
    return {name: value for name in columns if (value := getattr(row, name)) is not None}


_dumps = json.JSONEncoder(separators=(",", ":"), check_circular=False).encode


def _utc(value: datetime) -> datetime:
    return value.astimezone(UTC)


def _whole_seconds(seconds: float) -> int:
    return max(1, round(seconds))
