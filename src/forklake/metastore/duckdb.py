"""A store in a DuckDB file, for one process.

Such a process keeps its metadata beside its analysis.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import duckdb

from forklake.config import Clock, Settings
from forklake.errors import (
    MetastoreCorruptError,
    MetastoreError,
    MetastoreRefusedError,
    MetastoreUnavailableError,
)
from forklake.metastore import schema
from forklake.metastore.dialect import Dialect
from forklake.metastore.duckdb_load import load_rows
from forklake.metastore.embedded import EmbeddedSession, EmbeddedStore
from forklake.metastore.schema.products import DUCKDB
from forklake.metastore.store import DuplicateKeyError, Session, Statement, Values
from forklake.metastore.unwritable_file import unwritable_error
from forklake.model.interruption import interruptible
from forklake.model.overview import TableSize


def _encode(value: Any) -> Any:
    # Times are kept in UTC without a zone: reading TIMESTAMPTZ takes a package that we do not need otherwise.
    return value.astimezone(UTC).replace(tzinfo=None) if isinstance(value, datetime) else value


_UPPER = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"

DIALECT = Dialect(
    name="duckdb",
    schema="forklake.",
    placeholder="${}",
    # DuckDB's lower() knows all of Unicode; names fold A to Z only.
    fold=f"translate({{}}, '{_UPPER}', '{_UPPER.lower()}')",
    bytes="strlen({})",
    members="IN (SELECT unnest({}))",
    unpack=lambda lists: "SELECT " + ", ".join(f"unnest(CAST(:{name} AS {kind}[]))" for name, kind in lists.items()),
    row_uid="nextval('forklake.ducklake_row_uid_seq')",
    pack=list,
    encode=_encode,
)


_FEW = 20
"""So many rows are not worth a file."""


class DuckDBStore(EmbeddedStore):
    """A lake in one DuckDB file; no other process can open the file meanwhile."""

    dialect = DIALECT

    def __init__(self, path: Path, settings: Settings, *, is_upgraded: bool = False) -> None:
        """Open the file, and create the tables if it is new.

        A file that is about to be upgraded must hold a lake, of any version.
        """
        super().__init__(path, settings)
        self._writer = threading.RLock()
        self._closed = False
        try:
            self._database = duckdb.connect(str(self._path), read_only=self._is_unwritable)
        except duckdb.Error as error:
            raise self._translate_error(error) from error
        try:
            if is_upgraded:
                with self.reading() as session:
                    schema.check_is_lake(self, session, _table_names)
            else:
                self.made_tables = schema.prepare_embedded(self, "duckdb", _table_names)
        except BaseException:
            self.close()
            raise

    def query(self, sql: str, /, **params: Any) -> list[Values]:
        """Run one read-only statement by itself."""
        with self._cursor() as cursor, interruptible(cursor.interrupt):
            return _DuckDBSession(cursor, self.settings.clock).query(sql, **params)

    def query_all(self, statements: Sequence[Statement]) -> list[list[Values]]:
        """Run read-only statements one after the other."""
        with self._cursor() as cursor, interruptible(cursor.interrupt):
            return _DuckDBSession(cursor, self.settings.clock).query_all(statements)

    @contextmanager
    def reading(self) -> Iterator[Session]:
        """Open a reading transaction."""
        with self._transaction() as session, interruptible(session.interrupt):
            yield session

    @contextmanager
    def writing(self) -> Iterator[Session]:
        """Open a writing transaction; threads of the process take turns."""
        if self._is_unwritable:
            raise unwritable_error(self._path)
        with self._writer:
            with self._transaction() as session:
                yield session
            if not self._path.stat().st_mode & 0o077:
                self.keep_private()  # a log that was begun is as other files of the process

    def time(self, value: Any) -> datetime:
        """Read a time column."""
        return _utc(value)

    def byte_count(self) -> int:
        """Return the bytes of the file that are in use."""
        found = self.query("SELECT block_size * (total_blocks - free_blocks) FROM pragma_database_size()")
        return int(found[0][0])

    def table_sizes(self) -> list[TableSize]:
        """Count the rows and blocks of each metadata table.

        A block that tables share counts in parts; a block that is not yet written does not count.
        """
        with self.reading() as session:
            names = [
                name
                for (name,) in session.query(
                    "SELECT table_name FROM duckdb_tables() WHERE schema_name = 'forklake' ORDER BY table_name"
                )
            ]
            rows = {name: int(session.query(f"SELECT count(*) FROM forklake.{name}")[0][0]) for name in names}
            block_size = int(session.query("SELECT block_size FROM pragma_database_size()")[0][0])
            used: dict[int, set[str]] = {}
            for name in names:
                for (block,) in session.query(
                    f"SELECT DISTINCT block_id FROM pragma_storage_info('forklake.{name}') WHERE block_id >= 0"
                ):
                    used.setdefault(block, set()).add(name)
        sizes = {name: sum(block_size // len(users) for users in used.values() if name in users) for name in names}
        return [TableSize(name, rows[name], False, sizes[name]) for name in names]

    def close(self) -> None:
        """Close the file."""
        if not self._closed:
            self._closed = True
            self._database.close()

    @contextmanager
    def _transaction(self) -> Iterator[_DuckDBSession]:
        with self._cursor() as cursor:
            cursor.begin()
            try:
                yield _DuckDBSession(cursor, self.settings.clock)
                cursor.commit()
            except BaseException:
                _roll_back(cursor)
                raise

    @contextmanager
    def _cursor(self) -> Iterator[duckdb.DuckDBPyConnection]:
        if self._closed:
            raise MetastoreRefusedError(f'The lake "{self._path}" is closed.', hint="Open it again.")
        try:
            cursor = self._database.cursor()
            try:
                yield cursor
            finally:
                cursor.close()
        except duckdb.Error as error:
            raise self._translate_error(error) from error
        except RuntimeError as error:
            # The driver's word for Ctrl-C.
            if "interrupted" in str(error):
                raise KeyboardInterrupt from error
            raise

    def _translate_error(self, error: duckdb.Error) -> Exception:
        text = str(error)
        if isinstance(error, duckdb.ConstraintException) and "uplicate key" in text:
            return DuplicateKeyError(text)
        if "Could not set lock" in text or "Unique file handle conflict" in text:
            return MetastoreUnavailableError(
                f'Unique file handle conflict: the metadata file "{self._path}" is open in another process.',
                hint="A DuckDB file serves one process at a time. Use SQLite or PostgreSQL for several.",
            )
        if "No space left" in text or "disk is full" in text:
            return MetastoreRefusedError(
                f'The disk of the metadata file "{self._path}" is full; nothing was changed.',
                hint="Free some space there.",
            )
        if (
            "valid DuckDB" in text
            or "Corrupt database" in text
            or isinstance(error, duckdb.SerializationException | duckdb.FatalException)
        ):
            return MetastoreCorruptError(
                f'The metadata file "{self._path}" is damaged or no DuckDB database: {text}',
                hint="Restore it from a backup, or name another file.",
            )
        if "Permission denied" in text or "read-only" in text:
            return MetastoreRefusedError(
                f'The metadata file "{self._path}" cannot be opened for writing; nothing was changed.',
                hint="Make the file and its directory writable.",
            )
        message = f'The metadata file "{self._path}" failed: {text}; nothing was changed.'
        if isinstance(error, duckdb.IOException | duckdb.TransactionException | duckdb.OutOfMemoryException):
            return MetastoreUnavailableError(message, hint="Try again.")
        return MetastoreError(message)


def _roll_back(cursor: duckdb.DuckDBPyConnection) -> None:
    try:
        cursor.rollback()
    except duckdb.TransactionException:
        # The failed statement has already ended the transaction.
        return


def _table_names(session: Session) -> set[str]:
    return {name for (name,) in session.query("SELECT table_name FROM information_schema.tables")}


def _utc(value: datetime) -> datetime:
    return value.replace(tzinfo=UTC)


class _DuckDBSession(EmbeddedSession):
    dialect = DIALECT
    product = DUCKDB

    def __init__(self, cursor: duckdb.DuckDBPyConnection, clock: Clock) -> None:
        super().__init__(clock)
        self._cursor = cursor

    def interrupt(self) -> None:
        self._cursor.interrupt()

    def query(self, sql: str, /, **params: Any) -> list[Values]:
        text, values = DIALECT.render(sql, params)
        return self._cursor.execute(text, values or None).fetchall()

    def execute(self, sql: str, /, **params: Any) -> int:
        found = self.query(sql, **params)
        return int(found[0][0]) if found else 0

    def run(self, statement: str) -> None:
        self._cursor.execute(statement)

    def execute_many(self, sql: str, rows: Sequence[dict[str, Any]]) -> None:
        for row in rows:
            self.execute(sql, **row)

    def insert_many(self, table: str, columns: Sequence[str], rows: Sequence[Sequence[Any]]) -> None:
        if len(rows) < _FEW:
            super().insert_many(table, columns, rows)
            return
        found = self.query(
            "SELECT column_name, data_type FROM duckdb_columns()"
            " WHERE schema_name = 'forklake' AND table_name = :table",
            table=table,
        )
        types: dict[str, str] = dict(found)
        load_rows(
            self._cursor,
            f"forklake.{table}",
            {name: types[name] for name in columns},
            (map(_encode, row) for row in rows),
        )

    def take_ids(self, sequence: str, count: int) -> list[int]:
        if not count:
            return []
        taken = self.query(f"SELECT nextval('forklake.{sequence}') FROM range(:n)", n=count)
        return [int(value) for (value,) in taken]

    def advance_row_uids(self, count: int) -> None:
        """Do nothing: the sequence counts by itself."""

    def time(self, value: Any) -> datetime:
        return _utc(value)
