"""Reading a plain DuckLake database in a PostgreSQL database."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import psycopg
from psycopg.conninfo import conninfo_to_dict

from forklake.config import Settings
from forklake.errors import ConfigError, MetastoreRefusedError
from forklake.metastore.plain.reader import OURS, PlainSource
from forklake.metastore.plain.value_texts import from_value
from forklake.metastore.postgres_address import Address, LakeSchemas
from forklake.metastore.postgres_connect import connect_plainly
from forklake.metastore.postgres_errors import statement_error
from forklake.model.quoting import quote_name
from forklake.model.types import Type


class PostgresSource(PlainSource):
    """A schema of a PostgreSQL database."""

    def __init__(self, location: str, connection: psycopg.Connection[Any], schema: str) -> None:
        super().__init__(location)
        self._connection = connection
        self._schema = schema
        self._types: dict[str, dict[str, str]] = {}

    def columns(self) -> Mapping[str, Sequence[str]]:
        """Return the columns of all tables."""
        if not self._types:
            found = self._connection.execute(
                "SELECT table_name, column_name, data_type FROM information_schema.columns"
                " WHERE table_schema = %s ORDER BY table_name, ordinal_position",
                [self._schema],
            )
            for table, column, kind in found:
                if OURS.fullmatch(table):
                    self._types.setdefault(table, {})[column] = kind
        return {table: list(columns) for table, columns in self._types.items()}

    def select(self, table: str, columns: Mapping[str, str]) -> list[tuple[Any, ...]]:
        """Return some columns of a table."""
        return self._fetch(table, [quote_name(name) for name in columns])

    def select_texts(self, table: str, numbers: Sequence[str], kinds: Mapping[str, Type]) -> list[tuple[Any, ...]]:
        """Return number columns as they are, then others as text."""
        self.columns()
        kept = [
            quote_name(name) if self._types[table].get(name) == "bytea" else f"CAST({quote_name(name)} AS text)"
            for name in kinds
        ]
        found = self._fetch(table, [*map(quote_name, numbers), *kept])
        return [(*row[: len(numbers)], *map(from_value, kinds.values(), row[len(numbers) :])) for row in found]

    def _fetch(self, table: str, columns: Sequence[str]) -> list[tuple[Any, ...]]:
        text = f"SELECT {', '.join(columns)} FROM {quote_name(self._schema)}.{quote_name(table)}"
        return list(self._connection.execute(text.encode()).fetchall())


@contextmanager
def open_postgres(conninfo: str, settings: Settings, schema: str) -> Iterator[PlainSource]:
    """Open a schema of a database in one read transaction."""
    try:
        address = Address(dict(conninfo_to_dict(conninfo)), LakeSchemas())
    except psycopg.ProgrammingError:
        # The driver's message repeats the string, password and all.
        raise ConfigError("The PostgreSQL connection string cannot be understood; nothing was imported.") from None
    with connect_plainly(address, settings) as connection:
        try:
            connection.execute("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")
            connection.execute("SET LOCAL TimeZone = 'UTC'")
            yield PostgresSource(f"{address.location} schema={schema}", connection, schema)
            connection.execute("ROLLBACK")
        except psycopg.errors.InsufficientPrivilege as error:
            raise MetastoreRefusedError(
                f"The DuckLake database ({address.location}) may not be read: {address.clean(error)}."
                " Nothing was imported.",
                hint=f'Grant the role USAGE on the schema "{schema}" and SELECT on its tables.',
            ) from error
        except psycopg.Error as error:
            raise statement_error(address, settings, error) from error
