"""New lakes for tests, in every database that can hold one."""

import atexit
import shutil
import sqlite3
import tempfile
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from uuid import uuid4

import duckdb

from forklake import Lake, Settings
from forklake.config import Clock
from tests.postgres_lakes import PostgresLakes
from tests.servers import PgBouncer, PostgresServer, database_name

EMBEDDED = ("sqlite", "duckdb")
STORES = (*EMBEDDED, "postgres")

# Retries wait for real where processes race; in other tests nobody is waited for.
IMPATIENT = Settings(clock=Clock(sleep=lambda seconds: None))


@dataclass
class LakeFactory:
    """Makes empty lakes of one kind: sqlite, duckdb, postgres, partitioned, pgbouncer."""

    kind: str
    directory: Path
    server: PostgresServer | None = None
    bouncer: PgBouncer | None = None
    _databases: list[str] = field(default_factory=list)

    def url(self) -> str:
        """Return the URL of a new, empty lake."""
        name = uuid4().hex[:12]
        if self.server is None:
            path = self.directory / f"{name}.{self.kind}"
            shutil.copyfile(_prepared(self.kind), path)
            return f"{self.kind}:{path}"
        url = self._postgres_lakes.take()
        self._databases.append(url)
        return url if self.bouncer is None else self.bouncer.url(database_name(url))

    def open(self, settings: Settings = IMPATIENT) -> Lake:
        """Open a new, empty lake."""
        return Lake(self.url(), data_path=self.directory / "data", settings=settings)

    def close(self) -> None:
        """Give back the databases that were made."""
        for url in self._databases:
            # PgBouncer keeps connections that a database used again would have to cut.
            self._postgres_lakes.give_back(url, may_reuse=self.bouncer is None)

    @property
    def _postgres_lakes(self) -> PostgresLakes:
        assert self.server is not None
        return postgres_lakes(self.server, 3 if self.kind == "partitioned" else None)


@cache
def _prepared(kind: str) -> Path:
    """Return a file with the tables of a lake that nobody has opened yet: making them takes longer than most tests."""
    directory = tempfile.TemporaryDirectory(prefix="forklake-prepared-")
    atexit.register(directory.cleanup)
    path = Path(directory.name) / f"prepared.{kind}"
    Lake(f"{kind}:{path}").close()
    table, condition = "ducklake_metadata", "key IN ('data_path', 'metadata_home')"
    if kind == "duckdb":
        with duckdb.connect(path) as connection:
            connection.execute(f"DELETE FROM forklake.{table} WHERE {condition}")
    else:
        with closing(sqlite3.connect(path)) as file:
            file.execute(f"DELETE FROM forklake_{table} WHERE {condition}")
            file.commit()
            file.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    return path


@cache
def postgres_lakes(server: PostgresServer, partitions: int | None = None) -> PostgresLakes:
    """Return the databases of a server, with partitioned tables or not."""
    return PostgresLakes(server, partitions)


@contextmanager
def lakes(
    kind: str, directory: Path, server: PostgresServer | None = None, bouncer: PgBouncer | None = None
) -> Iterator[LakeFactory]:
    """Give a factory, and take back what it made."""
    factory = LakeFactory(kind, directory, server, bouncer)
    try:
        yield factory
    finally:
        factory.close()
