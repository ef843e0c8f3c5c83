"""Transactions in PostgreSQL, which end where their store ends them."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

from forklake.metastore.dialect import Dialect
from forklake.metastore.postgres_address import LakeSchemas
from forklake.metastore.postgres_connect import run_together
from forklake.metastore.postgres_pool import Connection
from forklake.metastore.postgres_upgrade import WRITTEN_FIRST, upgrade_lock, upgrade_statements
from forklake.metastore.store import Session, Statement, Values
from forklake.model.ids import CatalogId
from forklake.model.quoting import quote_text


class PostgresSession(Session):
    """A transaction that has begun on a connection."""

    def __init__(self, connection: Connection, dialect: Dialect, schemas: LakeSchemas) -> None:
        self.connection = self._connection = connection
        self.dialect = dialect
        self._schemas = schemas

    def query(self, sql: str, /, **params: Any) -> list[Values]:
        text, values = self.dialect.render(sql, params)
        return self._connection.execute(text, values).fetchall()

    def query_all(self, statements: Sequence[Statement]) -> list[list[Values]]:
        rendered = [self.dialect.render(sql, params) for sql, params in statements]
        return [cursor.fetchall() for cursor in run_together(self._connection, rendered, ends=False)]

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
        # A statement without values is sent as it is, so nothing in it is doubled.
        with self._connection.cursor() as cursor, cursor.copy(statement.replace("%%", "%").encode()) as copy:
            for row in rows:
                copy.write_row(row)

    def take_ids(self, sequence: str, count: int) -> list[int]:
        name = quote_text(self.dialect.schema + sequence)
        taken = self.query(f"SELECT nextval({name}) FROM generate_series(1, CAST(:n AS integer))", n=count)
        return [int(value) for (value,) in taken]

    def advance_row_uids(self, count: int) -> None:
        """Do nothing: the sequence counts by itself."""

    def now(self) -> datetime:
        return in_utc(self.query("SELECT clock_timestamp()")[0][0])

    def time(self, value: Any) -> datetime:
        return in_utc(value)

    def lock_shared(self, catalog: CatalogId) -> None:
        self.query("SELECT forklake.lock_shared(:c)", c=catalog)

    def lock_alone(self, catalog: CatalogId) -> None:
        self.query("SELECT forklake.lock_alone(:c)", c=catalog)

    def lock_all_shared(self, catalogs: Sequence[CatalogId]) -> None:
        self._lock_all("lock_shared", catalogs)

    def lock_all_alone(self, catalogs: Sequence[CatalogId]) -> None:
        self._lock_all("lock_alone", catalogs)

    def _lock_all(self, lock: str, catalogs: Sequence[CatalogId]) -> None:
        self.query(
            f"SELECT forklake.{lock}(u.catalog_id)"
            " FROM unnest(CAST(:ids AS bigint[])) WITH ORDINALITY u(catalog_id, place) ORDER BY u.place",
            ids=sorted(catalogs),
        )

    def lock_quota(self, catalog: CatalogId) -> None:
        self.query("SELECT forklake.lock_one(:c, 2::smallint)", c=catalog)

    def lock_writers(self) -> None:
        self.run(
            self._schemas.place(f"LOCK TABLE {WRITTEN_FIRST}, forklake.ducklake_lease IN SHARE ROW EXCLUSIVE MODE")
        )

    def begin_upgrade(self) -> list[str]:
        return upgrade_lock(self, self._schemas)

    def upgrade_script(self, version: int, *, trusts: bool = False) -> list[str]:
        return upgrade_statements(self, self._schemas, version, trusts=trusts)


def in_utc(value: datetime) -> datetime:
    """Return a time of the database in UTC."""
    return value.astimezone(UTC)
