"""Writes plain DuckLake databases: a DuckDB or a SQLite file.

The file appears complete or not at all.
"""

from __future__ import annotations

import os
import sqlite3
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from uuid import uuid4

from forklake.errors import AlreadyExistsError, ConfigError, MetastoreRefusedError
from forklake.metastore import plain
from forklake.metastore.location import split_url
from forklake.metastore.plain.layout import TABLES, create_statement
from forklake.metastore.plain.value_texts import sqlite_type, to_sqlite
from forklake.model.quoting import quote_name
from forklake.model.rows import ColumnRow

_BY_SUFFIX = {".ducklake": "duckdb", ".duckdb": "duckdb", ".db": "duckdb", ".sqlite": "sqlite", ".sqlite3": "sqlite"}


class PlainTarget(ABC):
    """A plain DuckLake database to write."""

    @abstractmethod
    def write(self, table: str, rows: Sequence[Mapping[str, Any]]) -> None:
        """Write rows of one of DuckLake's tables."""

    @abstractmethod
    def write_inlined_rows(
        self,
        table: str,
        columns: Sequence[ColumnRow],
        rows: Sequence[tuple[int, int, int | None, Mapping[int, str | None]]],
    ) -> None:
        """Create an inlined data table with those columns, and write its rows.

        A row is (row id, begin, end, values by column id).
        """

    @abstractmethod
    def write_inlined_deletes(self, table_id: int, rows: Sequence[tuple[int, int, int]]) -> None:
        """Create the table of inlined deletes of a table, and write its rows.

        A row is (data file, position, begin).
        """

    @abstractmethod
    def can_inline(self, columns: Sequence[ColumnRow]) -> bool:
        """Return whether DuckLake would keep rows with these columns in this database."""


def target_path(url: str) -> tuple[str, Path]:
    """Return the kind of file that a URL or path names, and its path.

    Raises:
        ConfigError: It does not say whether DuckDB or SQLite is meant, or names no file.
    """
    kind, rest = split_url(url)
    if kind == "postgres":
        raise ConfigError("A catalog is exported to a DuckDB or SQLite file, not to PostgreSQL.")
    path = Path(rest)
    found = _BY_SUFFIX.get(path.suffix.lower(), "") if kind == "file" else kind
    if not found:
        raise ConfigError(
            f'"{rest}" does not say whether a DuckDB or a SQLite file is meant; nothing was exported.',
            hint='Name it "x.ducklake", "x.duckdb", "x.db" or "x.sqlite", or write duckdb:path or sqlite:path.',
        )
    if not path.absolute().parent.is_dir():
        raise ConfigError(f'The directory of "{path}" does not exist; nothing was exported.', hint="Make it first.")
    return found, path.absolute()


@contextmanager
def new_plain(kind: str, path: Path) -> Iterator[PlainTarget]:
    """Write a new file; it gets its name once everything is written.

    An existing file is never replaced.

    Raises:
        AlreadyExistsError: There is a file of that name.
        MetastoreRefusedError: The file cannot be written.
    """
    if path.exists():
        raise _exists(path)
    hidden = path.with_name(f".{path.name}.{uuid4().hex}")
    try:
        opened = plain.duckdb_target.write_duckdb(hidden) if kind == "duckdb" else _write_sqlite(hidden)
        with opened as target:
            yield target
        _name(hidden, path)
    except OSError as error:
        raise MetastoreRefusedError(f'"{path}" cannot be written: {error.strerror}.') from error
    finally:
        for left in (hidden, Path(f"{hidden}.wal"), Path(f"{hidden}-journal")):
            left.unlink(missing_ok=True)


def _name(hidden: Path, path: Path) -> None:
    try:
        os.link(hidden, path)
    except FileExistsError as error:
        raise _exists(path) from error
    except OSError:
        # A file system without hard links: there remains a moment between the look and the renaming.
        if path.exists():
            raise _exists(path) from None
        hidden.rename(path)


def _exists(path: Path) -> AlreadyExistsError:
    return AlreadyExistsError(
        f'The file "{path}" exists; nothing was exported.', hint="Choose another name, or remove it first."
    )


class _SQLiteTarget(PlainTarget):
    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection

    def write(self, table: str, rows: Sequence[Mapping[str, Any]]) -> None:
        columns = TABLES[table]
        self._insert(table, list(columns), [[_sqlite_value(row.get(name)) for name in columns] for row in rows])

    def write_inlined_rows(
        self,
        table: str,
        columns: Sequence[ColumnRow],
        rows: Sequence[tuple[int, int, int | None, Mapping[int, str | None]]],
    ) -> None:
        top = top_columns(columns)
        made = "".join(f", {quote_name(column.column_name)} {sqlite_type(column.type)}" for column in top)
        self._connection.execute(
            f"CREATE TABLE {table}(row_id BIGINT, begin_snapshot BIGINT, end_snapshot BIGINT{made})"
        )
        names = ["row_id", "begin_snapshot", "end_snapshot", *(column.column_name for column in top)]
        self._insert(
            table,
            names,
            [[*row[:3], *(to_sqlite(column.type, row[3].get(column.column_id)) for column in top)] for row in rows],
        )

    def write_inlined_deletes(self, table_id: int, rows: Sequence[tuple[int, int, int]]) -> None:
        table = f"ducklake_inlined_delete_{table_id}"
        self._connection.execute(f"CREATE TABLE {table}(file_id BIGINT, row_id BIGINT, begin_snapshot BIGINT)")
        self._insert(table, ["file_id", "row_id", "begin_snapshot"], rows)

    def can_inline(self, columns: Sequence[ColumnRow]) -> bool:
        return can_inline(columns)

    def _insert(self, table: str, columns: Sequence[str], rows: Sequence[Sequence[Any]]) -> None:
        names = ", ".join(map(quote_name, columns))
        marks = ", ".join("?" * len(columns))
        self._connection.executemany(f"INSERT INTO {table} ({names}) VALUES ({marks})", rows)


def _sqlite_value(value: Any) -> Any:
    if isinstance(value, datetime):
        return value.astimezone(UTC).strftime("%Y-%m-%d %H:%M:%S.%f+00")
    return value


@contextmanager
def _write_sqlite(path: Path) -> Iterator[PlainTarget]:
    try:
        connection = sqlite3.connect(path, isolation_level=None)
        try:
            connection.execute("BEGIN")
            for table in TABLES:
                connection.execute(create_statement(table, "sqlite"))
            yield _SQLiteTarget(connection)
            connection.execute("COMMIT")
        finally:
            connection.close()
    except sqlite3.Error as error:
        raise MetastoreRefusedError(f"The SQLite file cannot be written: {error}. Nothing was exported.") from error


def top_columns(columns: Sequence[ColumnRow]) -> list[ColumnRow]:
    """Return the top-level columns, in order."""
    return sorted(
        (column for column in columns if column.parent_column is None),
        key=lambda column: (column.column_order, column.column_id),
    )


def can_inline(columns: Sequence[ColumnRow]) -> bool:
    """Return whether rows with these columns can be inlined.

    They cannot if a column has a type that metadata cannot hold, or the name of a column that DuckLake adds.
    """
    reserved = {"row_id", "begin_snapshot", "end_snapshot"}
    return not any(
        not column.type.facts.is_kept_as_text
        or (column.parent_column is None and column.column_name.lower() in reserved)
        for column in columns
    )
