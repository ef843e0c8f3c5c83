"""Reads plain DuckLake databases.

They are DuckDB and SQLite files, and schemas of PostgreSQL databases.
"""

from __future__ import annotations

import re
import sqlite3
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from forklake.config import Settings
from forklake.errors import (
    ConfigError,
    MetastoreCorruptError,
    MetastoreRefusedError,
    MetastoreUnavailableError,
    MetastoreVersionError,
)
from forklake.extras import require
from forklake.metastore import plain
from forklake.metastore.location import split_url
from forklake.metastore.plain.layout import READABLE_VERSIONS, TABLES
from forklake.metastore.plain.value_texts import from_value
from forklake.model.lazy_dataclass import dataclass
from forklake.model.quoting import quote_name, quote_text
from forklake.model.types import Type

PlainRow = dict[str, Any]
"""A row by column name: flags are booleans, uuids text, times aware; a column that is not there is None."""


@dataclass(frozen=True, slots=True)
class PlainInlinedRow:
    """A row of an inlined data table.

    Its values are text, by the names that the columns had then.
    """

    row_id: int
    begin_snapshot: int
    end_snapshot: int | None
    values: Mapping[str, str | None]


class PlainSource(ABC):
    """An open plain DuckLake database; all reads see one state."""

    def __init__(self, location: str) -> None:
        self.location = location

    @abstractmethod
    def columns(self) -> Mapping[str, Sequence[str]]:
        """Return the columns of all tables that DuckLake may have created."""

    @abstractmethod
    def select(self, table: str, columns: Mapping[str, str]) -> list[tuple[Any, ...]]:
        """Return columns of a table, given their kinds (see `layout.TABLES`)."""

    @abstractmethod
    def select_texts(self, table: str, numbers: Sequence[str], kinds: Mapping[str, Type]) -> list[tuple[Any, ...]]:
        """Return number columns as they are, then columns of those DuckLake types as text."""

    def rows(self, table: str) -> list[PlainRow]:
        """Return all rows of one of DuckLake's tables.

        There are none if the version has no such table.
        """
        there = self.columns().get(table, ())
        wanted = {name: kind for name, kind in TABLES[table].items() if name in there}
        if table == "ducklake_data_file" and "partial_file_info" in there:
            wanted["partial_file_info"] = "text"
        if not wanted:
            return []
        missing = dict.fromkeys(TABLES[table].keys() - wanted.keys())
        converters = [(name, _CONVERTERS[kind]) for name, kind in wanted.items() if kind in _CONVERTERS]
        found = []
        for values in self.select(table, wanted):
            row: PlainRow = dict(zip(wanted, values, strict=True)) | missing
            for name, convert in converters:
                if row[name] is not None:
                    row[name] = convert(row[name])
            found.append(row)
        return found

    def inlined_rows(self, table: str, kinds: Mapping[str, Type]) -> list[PlainInlinedRow]:
        """Return the rows of an inlined data table, given the types of its columns.

        The types are DuckLake's.
        """
        found = self.select_texts(table, ("row_id", "begin_snapshot", "end_snapshot"), kinds)
        return [
            PlainInlinedRow(values[0], values[1], values[2], dict(zip(kinds, values[3:], strict=True)))
            for values in found
        ]

    def inlined_deletes(self, table_id: int) -> list[tuple[int, int, int]]:
        """Return the inlined deletes of a table.

        Each is (data_file_id, position, begin_snapshot).
        """
        table = f"ducklake_inlined_delete_{table_id}"
        if table not in self.columns():
            return []
        return self.select_texts(table, ("file_id", "row_id", "begin_snapshot"), {})


@contextmanager
def open_plain(url: str, settings: Settings, metadata_schema: str | None = None) -> Iterator[PlainSource]:
    """Open a plain DuckLake database for reading.

    Raises:
        ConfigError: The URL names no database, or a file that does not exist.
        MetastoreVersionError: It holds no DuckLake catalog, or one of a version that cannot be read.
        MetastoreUnavailableError: It is locked, or its server is away.
        MetastoreRefusedError: It cannot be opened or read.
    """
    kind, rest = split_url(url)
    if kind == "postgres":
        with require("postgres"):
            from forklake.metastore.plain.postgres_source import open_postgres  # noqa: PLC0415 - it brings a driver

        opened = open_postgres(rest, settings, metadata_schema or "public")
    elif metadata_schema is not None:
        raise ConfigError("Only a PostgreSQL database has a metadata schema.", hint="Leave it out for a file.")
    else:
        path = Path(rest)
        if not path.is_file():
            raise ConfigError(f'There is no file "{path}" to import.')
        kind = _kind_of(path) if kind == "file" else kind
        opened = plain.duckdb_source.open_duckdb(path) if kind == "duckdb" else _open_sqlite(path)
    with opened as source:
        _check(source)
        yield source


def _check(source: PlainSource) -> None:
    there = source.columns()
    if any(name.endswith("ducklake_head") for name in there):
        raise MetastoreVersionError(
            f'"{source.location}" is a lake of forklake, not a plain DuckLake database; nothing was imported.',
            hint="Export the catalog from that lake first.",
        )
    if "ducklake_metadata" not in there:
        raise MetastoreVersionError(f'"{source.location}" holds no DuckLake catalog; nothing was imported.')
    found = [row["value"] for row in source.rows("ducklake_metadata") if row["key"] == "version"]
    version = found[0] if found else "none"
    if version not in READABLE_VERSIONS:
        raise MetastoreVersionError(
            f'"{source.location}" is of DuckLake version {version}; versions 0.3 to 1.0 can be imported.'
            " Nothing was imported.",
            hint="Let DuckDB migrate it: ATTACH ... (AUTOMATIC_MIGRATION TRUE).",
        )


def _kind_of(path: Path) -> str:
    with path.open("rb") as file:
        start = file.read(16)
    if start[8:12] == b"DUCK":
        return "duckdb"
    if start == b"SQLite format 3\0":
        return "sqlite"
    raise MetastoreCorruptError(f'The file "{path}" is neither a SQLite nor a DuckDB database; nothing was imported.')


def _time(value: Any) -> datetime:
    time = value if isinstance(value, datetime) else datetime.fromisoformat(str(value))
    return time.astimezone(UTC) if time.tzinfo else time.replace(tzinfo=UTC)


_CONVERTERS: dict[str, Callable[[Any], Any]] = {"flag": bool, "uuid": str, "time": _time}
OURS = re.compile(r"(forklake_)?ducklake_\w+")
"""What tables of DuckLake and of forklake are called."""


class _SQLiteSource(PlainSource):
    def __init__(self, path: Path, connection: sqlite3.Connection) -> None:
        super().__init__(str(path))
        self._connection = connection
        self._columns: dict[str, list[str]] = {}

    def columns(self) -> Mapping[str, Sequence[str]]:
        if not self._columns:
            names = self._connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall()
            for (name,) in names:
                if OURS.fullmatch(name):
                    found = self._connection.execute(f"SELECT name FROM pragma_table_info({quote_text(name)})")
                    self._columns[name] = [column for (column,) in found]
        return self._columns

    def select(self, table: str, columns: Mapping[str, str]) -> list[tuple[Any, ...]]:
        return self._connection.execute(
            f"SELECT {', '.join(map(quote_name, columns))} FROM {quote_name(table)}"
        ).fetchall()

    def select_texts(self, table: str, numbers: Sequence[str], kinds: Mapping[str, Type]) -> list[tuple[Any, ...]]:
        found = self.select(table, dict.fromkeys((*numbers, *kinds), ""))
        return [(*row[: len(numbers)], *map(from_value, kinds.values(), row[len(numbers) :])) for row in found]


@contextmanager
def _open_sqlite(path: Path) -> Iterator[PlainSource]:
    try:
        connection = sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True, isolation_level=None)
        try:
            connection.execute("BEGIN")
            yield _SQLiteSource(path, connection)
        finally:
            connection.close()
    except sqlite3.Error as error:
        is_locked = getattr(error, "sqlite_errorcode", None) in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED)
        kind = MetastoreUnavailableError if is_locked else MetastoreRefusedError
        raise kind(f'"{path}" cannot be read: {error}. Nothing was imported.') from error
