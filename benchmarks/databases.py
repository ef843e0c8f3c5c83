"""The databases that are measured, and what a plain insert costs in them."""

from __future__ import annotations

import os
import sqlite3
from abc import ABC, abstractmethod
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from uuid import uuid4

import psycopg

from forklake import Lake, Settings
from forklake.metastore.postgres import initialise
from tests.servers import PostgresServer, running_postgres

STORES = ("postgres", "sqlite")


def postgres_settings() -> dict[str, str]:
    """Return settings of a server that keeps what it is given: commits reach the disk."""
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") // 2**20
    return {
        "listen_addresses": "",
        "max_connections": "200",
        "fsync": "on",
        "synchronous_commit": "on",
        "full_page_writes": "on",
        "shared_buffers": f"{min(4096, memory // 4)}MB",
        "effective_cache_size": f"{memory // 2}MB",
        "max_wal_size": "8GB",
        "checkpoint_timeout": "15min",
        "random_page_cost": "1.1",
    }


class Inserter(ABC):
    """Inserts one row and commits, through the driver that the store uses too: the reference."""

    @abstractmethod
    def insert(self) -> None:
        """Insert one row and commit."""

    @abstractmethod
    def close(self) -> None:
        """Close the connection."""


class PostgresInserter(Inserter):
    """One statement in a transaction of its own."""

    def __init__(self, url: str) -> None:
        self._connection = psycopg.connect(url, autocommit=True, prepare_threshold=2)

    def insert(self) -> None:
        self._connection.execute("INSERT INTO benchmark_row (name) VALUES (%s)", ("a row of the benchmark",))

    def close(self) -> None:
        self._connection.close()


class SQLiteInserter(Inserter):
    """The same in the same file, as durable."""

    def __init__(self, path: Path) -> None:
        self._connection = sqlite3.connect(path, timeout=60, isolation_level=None)
        self._connection.execute("PRAGMA synchronous = FULL")

    def insert(self) -> None:
        self._connection.execute("BEGIN IMMEDIATE")
        self._connection.execute("INSERT INTO benchmark_row (name) VALUES (?)", ("a row of the benchmark",))
        self._connection.execute("COMMIT")

    def close(self) -> None:
        self._connection.close()


@dataclass(frozen=True)
class Database(ABC):
    """A database with an empty lake and a table for plain inserts. Can be given to another process."""

    url: str
    data_path: str

    @property
    @abstractmethod
    def kind(self) -> str:
        """The product."""

    def open(self) -> Lake:
        """Open the lake."""
        return Lake(self.url, data_path=self.data_path)

    @abstractmethod
    def inserter(self) -> Inserter:
        """Open a connection for plain inserts."""

    @abstractmethod
    def byte_count(self) -> int:
        """Return the size of the metadata."""

    @abstractmethod
    def settle(self) -> None:
        """Do what the database does in its own time after much was written."""


@dataclass(frozen=True)
class PostgresDatabase(Database):
    """A database of a PostgreSQL server."""

    @property
    def kind(self) -> str:
        return "postgres"

    def inserter(self) -> Inserter:
        return PostgresInserter(self.url)

    def byte_count(self) -> int:
        ((count,),) = self.query(
            "SELECT sum(pg_total_relation_size(oid)) FROM pg_class"
            " WHERE relnamespace = 'forklake'::regnamespace AND relkind = 'r'"
        )
        return int(count)

    def settle(self) -> None:
        self.query("VACUUM (ANALYZE)")

    def query(self, statement: str) -> list[tuple[Any, ...]]:
        """Run a statement by itself."""
        with psycopg.connect(self.url, autocommit=True) as connection:
            cursor = connection.execute(statement.encode())
            return cursor.fetchall() if cursor.description else []


@dataclass(frozen=True)
class SQLiteDatabase(Database):
    """A SQLite file."""

    @property
    def kind(self) -> str:
        return "sqlite"

    @property
    def path(self) -> Path:
        return Path(self.url.removeprefix("sqlite:"))

    def inserter(self) -> Inserter:
        return SQLiteInserter(self.path)

    def settle(self) -> None:
        """Do nothing: there is no such thing."""

    def byte_count(self) -> int:
        connection = sqlite3.connect(self.path)
        try:
            ((pages,),) = connection.execute("PRAGMA page_count").fetchall()
            ((page_size,),) = connection.execute("PRAGMA page_size").fetchall()
        finally:
            connection.close()
        return int(pages * page_size)


@dataclass
class Databases:
    """Makes databases, and drops them at the end."""

    directory: Path
    kinds: tuple[str, ...]
    """The products that were asked for."""
    server: PostgresServer | None
    _made: list[str] = field(default_factory=list)

    def new(self, kind: str) -> Database:
        """Make a database with an empty lake."""
        data_path = str(self.directory / "data")
        if kind == "sqlite":
            path = self.directory / f"{uuid4().hex[:12]}.sqlite"
            Lake(f"sqlite:{path}", data_path=data_path).close()
            connection = sqlite3.connect(path)
            connection.execute("CREATE TABLE benchmark_row (id INTEGER PRIMARY KEY, name TEXT)")
            connection.close()
            return SQLiteDatabase(f"sqlite:{path}", data_path)
        return self.new_postgres()

    def new_postgres(self) -> PostgresDatabase:
        """Make a PostgreSQL database with an empty lake."""
        assert self.server is not None
        url = self.server.create_database()
        self._made.append(url)
        initialise(url, None, Settings())
        database = PostgresDatabase(url, str(self.directory / "data"))
        database.query("CREATE TABLE benchmark_row (id bigserial PRIMARY KEY, name text)")
        return database

    def versions(self) -> dict[str, str]:
        """Return the versions of the databases."""
        found = {"sqlite": sqlite3.sqlite_version}
        if self.server is not None:
            with psycopg.connect(self.server.maintenance_url) as connection:
                found["postgres"] = str(connection.info.parameter_status("server_version"))
        return {kind: found[kind] for kind in self.kinds}

    def close(self) -> None:
        """Drop what was made on the server."""
        for url in self._made:
            assert self.server is not None
            self.server.drop_database(url)
        self._made.clear()


@contextmanager
def running(stores: str) -> Iterator[Databases]:
    """Start what the stores need: ``postgres``, ``sqlite`` or ``both``."""
    kinds = STORES if stores == "both" else (stores,)
    with TemporaryDirectory(prefix="forklake-benchmark-") as name:
        if "postgres" not in kinds:
            yield Databases(Path(name), kinds, None)
            return
        with running_postgres(postgres_settings()) as server:
            databases = Databases(Path(name), kinds, server)
            try:
                yield databases
            finally:
                databases.close()
