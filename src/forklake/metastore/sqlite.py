"""A store in an SQLite file, the embedded default.

The file is in WAL mode: many processes read while one writes.
"""

from __future__ import annotations

import json
import sqlite3
import threading
from collections import Counter, deque
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

from forklake.config import Clock, Settings
from forklake.errors import (
    MetastoreCorruptError,
    MetastoreError,
    MetastoreRefusedError,
    MetastoreUnavailableError,
)
from forklake.metastore import schema
from forklake.metastore.dialect import Dialect
from forklake.metastore.embedded import EmbeddedSession, EmbeddedStore
from forklake.metastore.schema.products import SQLITE
from forklake.metastore.schema.sections import TABLES
from forklake.metastore.store import DuplicateKeyError, Session, Statement, Values
from forklake.metastore.unwritable_file import FileState, log_error, unwritable_error
from forklake.model.interruption import interruptible
from forklake.model.overview import TableSize

_TIMES: Final = frozenset(column.name for table in TABLES for column in table.columns if column.kind == "time")
"""The columns with times, which are kept as text."""


def _encode(value: Any) -> Any:
    return format_time(value) if isinstance(value, datetime) else value


def format_time(value: datetime) -> str:
    """Format a time as text of fixed width; text order is time order."""
    # Not strftime: it writes years before 1000 with fewer digits.
    return value.astimezone(UTC).replace(tzinfo=None).isoformat(sep=" ", timespec="microseconds") + "+00"


def parse_time(value: str) -> datetime:
    """Parse what `format_time` returned."""
    return datetime.fromisoformat(value).replace(tzinfo=UTC)


def _unpack(lists: Mapping[str, str]) -> str:
    first, *others = lists
    # Not a join of several json_each: SQLite has no index on them, so that would take the square of the length.
    values = [f"{first}.value", *(f"json_extract(:{name}, '$[' || {first}.key || ']')" for name in others)]
    return f"SELECT {', '.join(values)} FROM json_each(:{first}) {first}"


DIALECT = Dialect(
    name="sqlite",
    schema="forklake_",
    placeholder=":{}",
    fold="lower({})",
    bytes="length(CAST({} AS BLOB))",
    members="IN (SELECT value FROM json_each({}))",
    unpack=_unpack,
    row_uid="(SELECT next_value FROM forklake.sequence WHERE name = 'ducklake_row_uid_seq') - 1 + row_number() OVER ()",
    pack=json.dumps,
    encode=_encode,
)


class SQLiteStore(EmbeddedStore):
    """A lake in one SQLite file."""

    dialect = DIALECT

    def __init__(self, path: Path, settings: Settings, *, is_upgraded: bool = False) -> None:
        """Open the file, and create the tables if it is new.

        A file that is about to be upgraded must hold a lake, of any version.
        """
        super().__init__(path, settings)
        self._idle: deque[sqlite3.Connection] = deque()
        self._lock = threading.Lock()
        self._closed = False
        self._file: tuple[int, int] | None = None
        self._state: FileState | None = None
        try:
            if is_upgraded:
                with self.reading() as session:
                    schema.check_is_lake(self, session, _table_names)
            else:
                self.made_tables = schema.prepare_embedded(self, "sqlite", _table_names)
            self._file = _identity(path)
            with _counting:
                _open_here[self._file] += 1
        except BaseException:
            self.close()
            raise

    def query(self, sql: str, /, **params: Any) -> list[Values]:
        """Run one read-only statement by itself."""
        with self._connection() as connection, interruptible(connection.interrupt):
            return _SQLiteSession(connection, self.settings.clock).query(sql, **params)

    def query_all(self, statements: Sequence[Statement]) -> list[list[Values]]:
        """Run read-only statements one after the other."""
        with self._connection() as connection, interruptible(connection.interrupt):
            return _SQLiteSession(connection, self.settings.clock).query_all(statements)

    @contextmanager
    def reading(self) -> Iterator[Session]:
        """Open a reading transaction."""
        with self._transaction("BEGIN") as session, interruptible(session.interrupt):
            yield session

    @contextmanager
    def writing(self) -> Iterator[Session]:
        """Open the one write transaction that SQLite allows at a time."""
        if self._is_unwritable:
            raise unwritable_error(self._path)
        with self._transaction("BEGIN IMMEDIATE") as session:
            yield session

    def time(self, value: Any) -> datetime:
        """Read a time column."""
        return parse_time(value)

    def byte_count(self) -> int:
        """Return the bytes of the file that are in use."""
        found = self.query("SELECT c.page_count * s.page_size FROM pragma_page_count() c, pragma_page_size() s")
        return int(found[0][0])

    def table_sizes(self) -> list[TableSize]:
        """Count rows and pages; pages only if this build of SQLite reports them."""
        with self.reading() as session:
            names = [name.removeprefix(DIALECT.schema) for name in sorted(_table_names(session)) if _is_ours(name)]
            try:
                pages = session.query(
                    "SELECT m.tbl_name, sum(d.pgsize) FROM dbstat d JOIN sqlite_master m ON m.name = d.name"
                    " WHERE d.aggregate = TRUE GROUP BY m.tbl_name"
                )
            except sqlite3.OperationalError:
                pages = []
            sizes = {name.removeprefix(DIALECT.schema): int(size) for name, size in pages}
            rows = {name: int(session.query(f"SELECT count(*) FROM forklake.{name}")[0][0]) for name in names}
        return [TableSize(name, rows[name], False, sizes.get(name)) for name in names]

    def close(self) -> None:
        """Close all connections."""
        with self._lock:
            self._closed = True
            while self._idle:
                self._idle.pop().close()
            if self._file is not None:
                with _counting:
                    _open_here[self._file] -= 1
                self._file = None

    @contextmanager
    def _transaction(self, begin: str) -> Iterator[_SQLiteSession]:
        with self._connection() as connection:
            connection.execute(begin)
            try:
                yield _SQLiteSession(connection, self.settings.clock)
                connection.execute("COMMIT")
            except BaseException:
                if connection.in_transaction:
                    connection.execute("ROLLBACK")
                raise

    @contextmanager
    def _connection(self) -> Iterator[sqlite3.Connection]:
        try:
            state = FileState.of(self._path) if self._is_unwritable else None
            with self._lock:
                if self._closed:
                    raise MetastoreRefusedError(f'The lake "{self._path}" is closed.', hint="Open it again.")
                if state != self._state:
                    while self._idle:
                        self._idle.pop().close()
                    self._state = state
                connection = self._idle.pop() if self._idle else None
            connection = connection or self._connect(state)
            try:
                yield connection
                self._check_unchanged(state)
            finally:
                with self._lock:
                    keep = not self._closed and len(self._idle) < self.settings.pool_size and state == self._state
                    if keep:
                        self._idle.append(connection)
                if not keep:
                    connection.close()
        except sqlite3.Error as error:
            self._check_unchanged(state)
            raise self._translate_error(error) from error

    def _check_unchanged(self, state: FileState | None) -> None:
        """Refuse what was read while somebody wrote to a file without a log.

        Raises:
            MetastoreUnavailableError: Somebody did.
        """
        if state is not None and state.is_quiet and FileState.of(self._path) != state:
            raise MetastoreUnavailableError(
                f'The metadata file "{self._path}" was changed by another program while it was read; nothing was read.',
                hint="Try again.",
            )

    def _connect(self, state: FileState | None) -> sqlite3.Connection:
        connection = sqlite3.connect(
            self._path if state is None else state.address(self._path),
            uri=state is not None,
            timeout=self.settings.statement_timeout_seconds,
            isolation_level=None,
            check_same_thread=False,
            cached_statements=512,
        )
        try:
            connection.execute("PRAGMA synchronous = FULL")
            if state is None:
                self._use_wal(connection)
        except BaseException:
            connection.close()
            raise
        return connection

    def _use_wal(self, connection: sqlite3.Connection) -> None:
        # Two processes that open a new file at once: the switch to WAL does not wait for the other one.
        for wait in (0.01, 0.05, 0.1, 0.5, 1.0, None):
            try:
                if not _is_of_another_program(connection):
                    connection.execute("PRAGMA journal_mode = WAL")
            except sqlite3.OperationalError as error:
                if wait is None or "locked" not in str(error):
                    raise
                self.settings.clock.sleep(wait)
            else:
                return

    def _translate_error(self, error: sqlite3.Error) -> Exception:
        text, kind = str(error), (getattr(error, "sqlite_errorname", None) or "").split("_")[1:2]
        match kind:
            case ["CONSTRAINT"] if "UNIQUE" in text:
                return DuplicateKeyError(text)
            case ["NOTADB" | "CORRUPT" | "FORMAT"]:
                return MetastoreCorruptError(
                    f'The metadata file "{self._path}" is damaged or no SQLite database: {text}.',
                    hint="Restore it from a backup, or name another file.",
                )
            case ["READONLY" | "PERM" | "AUTH"] if not self._is_unwritable:
                return MetastoreRefusedError(
                    f'The metadata file "{self._path}" is read-only; nothing was changed.',
                    hint="Make the file and its directory writable. Readers lock it there, too.",
                )
            case ["FULL"]:
                return MetastoreRefusedError(
                    f'The disk of the metadata file "{self._path}" is full; nothing was changed.',
                    hint="Free some space there.",
                )
            case ["CANTOPEN" | "READONLY"] if self._is_unwritable:
                return log_error(self._path)
            case ["CANTOPEN"]:
                return MetastoreRefusedError(
                    f'The metadata file "{self._path}" cannot be opened or created.',
                    hint="Check that its directory exists and is writable.",
                )
            case ["BUSY" | "LOCKED"]:
                return MetastoreUnavailableError(
                    f'The metadata file "{self._path}" was locked by another writer for too long; nothing was changed.',
                    hint="Try again.",
                )
            case ["IOERR" | "NOMEM" | "INTERRUPT" | "PROTOCOL"]:
                return MetastoreUnavailableError(
                    f'The metadata file "{self._path}" failed: {text}; nothing was changed.', hint="Try again."
                )
        return MetastoreError(f'The metadata file "{self._path}" failed: {text}; nothing was changed.')


def _is_of_another_program(connection: sqlite3.Connection) -> bool:
    # Such a file is refused soon, and must stay as it is until then.
    found = connection.execute(
        "SELECT count(*), count(*) FILTER (WHERE name = 'forklake_ducklake_head') FROM sqlite_master"
    ).fetchone()
    return bool(found[0] and not found[1])


def _table_names(session: Session) -> set[str]:
    return {name for (name,) in session.query("SELECT name FROM sqlite_master WHERE type = 'table'")}


def _is_ours(name: str) -> bool:
    return name.startswith(f"{DIALECT.schema}ducklake_")


class _SQLiteSession(EmbeddedSession):
    dialect = DIALECT
    product = SQLITE

    def __init__(self, connection: sqlite3.Connection, clock: Clock) -> None:
        super().__init__(clock)
        self._connection = connection

    def interrupt(self) -> None:
        self._connection.interrupt()

    def query(self, sql: str, /, **params: Any) -> list[Values]:
        text, values = DIALECT.render(sql, params)
        return self._connection.execute(text, values).fetchall()

    def execute(self, sql: str, /, **params: Any) -> int:
        text, values = DIALECT.render(sql, params)
        return self._connection.execute(text, values).rowcount

    def run(self, statement: str) -> None:
        self._connection.execute(statement)

    def execute_many(self, sql: str, rows: Sequence[dict[str, Any]]) -> None:
        if rows:
            text, _ = DIALECT.render(sql, rows[0])
            self._connection.executemany(text, [DIALECT.render(sql, row)[1] for row in rows])

    def insert_many(self, table: str, columns: Sequence[str], rows: Sequence[Sequence[Any]]) -> None:
        text, _ = DIALECT.render(f"INSERT INTO forklake.{table} ({', '.join(columns)})", {})
        values = ", ".join("?" * len(columns))
        if not _TIMES.isdisjoint(columns):
            rows = [[_encode(value) for value in row] for row in rows]
        self._connection.executemany(f"{text} VALUES ({values})", rows)

    def take_ids(self, sequence: str, count: int) -> list[int]:
        if not count:
            return []
        taken = self.query(
            "UPDATE forklake.sequence SET next_value = next_value + :n WHERE name = :name RETURNING next_value",
            n=count,
            name=sequence,
        )
        last = int(taken[0][0])
        return list(range(last - count, last))

    def advance_row_uids(self, count: int) -> None:
        self.take_ids("ducklake_row_uid_seq", count)

    def time(self, value: Any) -> datetime:
        return parse_time(value)


_open_here: Counter[tuple[int, int]] = Counter()
_counting = threading.Lock()


def _identity(path: Path) -> tuple[int, int]:
    found = path.stat()
    return found.st_dev, found.st_ino


def is_sqlite_file(path: Path) -> bool:
    """Return whether the file starts as SQLite files do.

    A file that this process has open is not opened again: closing it would release SQLite's locks on it.
    """
    with _counting:
        if _open_here[_identity(path)]:
            return True
    with path.open("rb") as file:
        return file.read(16) == b"SQLite format 3\0"
