"""Reading a plain DuckLake database in a DuckDB file."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import duckdb

from forklake.errors import MetastoreRefusedError, MetastoreUnavailableError
from forklake.metastore.plain.reader import PlainSource
from forklake.model.quoting import quote_name
from forklake.model.types import Type

_AS_TEXT = ("uuid", "time")


class DuckDBSource(PlainSource):
    """A DuckDB file, opened for reading."""

    def __init__(self, path: Path, connection: duckdb.DuckDBPyConnection) -> None:
        super().__init__(str(path))
        self._connection = connection
        self._columns: dict[str, list[str]] = {}
        # Times become text, so that reading them takes no further package.
        connection.execute("SET TimeZone = 'UTC'")
        connection.begin()

    def columns(self) -> Mapping[str, Sequence[str]]:
        """Return the columns of all tables."""
        if not self._columns:
            found = self._connection.execute(
                "SELECT table_name, column_name FROM duckdb_columns() WHERE NOT internal"
                " AND table_name LIKE 'ducklake\\_%' ESCAPE '\\' ORDER BY table_name, column_index"
            )
            for table, column in found.fetchall():
                self._columns.setdefault(table, []).append(column)
        return self._columns

    def select(self, table: str, columns: Mapping[str, str]) -> list[tuple[Any, ...]]:
        """Return some columns of a table."""
        return self._fetch(
            table,
            [
                f"CAST({quote_name(name)} AS VARCHAR)" if kind in _AS_TEXT else quote_name(name)
                for name, kind in columns.items()
            ],
        )

    def select_texts(self, table: str, numbers: Sequence[str], kinds: Mapping[str, Type]) -> list[tuple[Any, ...]]:
        """Return number columns as they are, then others as text."""
        return self._fetch(
            table, [*map(quote_name, numbers), *(f"CAST({quote_name(name)} AS VARCHAR)" for name in kinds)]
        )

    def _fetch(self, table: str, columns: Sequence[str]) -> list[tuple[Any, ...]]:
        return self._connection.execute(f"SELECT {', '.join(columns)} FROM {quote_name(table)}").fetchall()


@contextmanager
def open_duckdb(path: Path) -> Iterator[PlainSource]:
    """Open a DuckDB file for reading.

    Raises:
        MetastoreUnavailableError: Another process has it open.
        MetastoreRefusedError: It cannot be read.
    """
    try:
        connection = duckdb.connect(str(path), read_only=True)
        try:
            yield DuckDBSource(path, connection)
        finally:
            connection.close()
    except duckdb.Error as error:
        message = f'"{path}" cannot be read: {error}. Nothing was imported.'
        if "lock" not in str(error) and "Unique file handle" not in str(error):
            raise MetastoreRefusedError(message) from error
        raise MetastoreUnavailableError(
            message, hint="A DuckDB file is open in one process at a time: detach it there first."
        ) from error
