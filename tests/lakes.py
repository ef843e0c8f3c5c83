"""New lakes for tests, in every database that can hold one."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from uuid import uuid4

from forklake import Lake, Settings
from forklake.config import Clock
from forklake.metastore.postgres import initialise
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
            return f"{self.kind}:{self.directory / name}.{self.kind}"
        url = self.server.create_database(template=_template(self.server, 3 if self.kind == "partitioned" else None))
        self._databases.append(url)
        return url if self.bouncer is None else self.bouncer.url(database_name(url))

    def open(self, settings: Settings = IMPATIENT) -> Lake:
        """Open a new, empty lake."""
        return Lake(self.url(), data_path=self.directory / "data", settings=settings)

    def close(self) -> None:
        """Drop the databases that were made."""
        for url in self._databases:
            assert self.server is not None
            self.server.drop_database(url)


@cache
def _template(server: PostgresServer, partitions: int | None) -> str:
    url = server.create_database()
    initialise(url, partitions, Settings())
    return url


@contextmanager
def lakes(
    kind: str, directory: Path, server: PostgresServer | None = None, bouncer: PgBouncer | None = None
) -> Iterator[LakeFactory]:
    """Give a factory, and drop what it made."""
    factory = LakeFactory(kind, directory, server, bouncer)
    try:
        yield factory
    finally:
        factory.close()
