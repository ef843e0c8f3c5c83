"""Writing a plain DuckLake database into a DuckDB file."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import duckdb

from forklake.errors import MetastoreRefusedError
from forklake.metastore.duckdb_load import load_rows
from forklake.metastore.plain.layout import TABLES, create_statement
from forklake.metastore.plain.value_texts import sql_type
from forklake.metastore.plain.writer import PlainTarget, can_inline, top_columns
from forklake.model.quoting import quote_name
from forklake.model.rows import ColumnRow

_TYPES = {"flag": "BOOLEAN", "uuid": "UUID", "time": "TIMESTAMPTZ", "text": "VARCHAR", "must": "VARCHAR"}


class DuckDBTarget(PlainTarget):
    """A DuckDB file that one transaction writes."""

    def __init__(self, connection: duckdb.DuckDBPyConnection) -> None:
        self._connection = connection

    def write(self, table: str, rows: Sequence[Mapping[str, Any]]) -> None:
        """Write rows of one of DuckLake's tables."""
        columns = {name: _TYPES.get(kind, "BIGINT") for name, kind in TABLES[table].items()}
        load_rows(self._connection, table, columns, ([row.get(name) for name in columns] for row in rows))

    def write_inlined_rows(
        self,
        table: str,
        columns: Sequence[ColumnRow],
        rows: Sequence[tuple[int, int, int | None, Mapping[int, str | None]]],
    ) -> None:
        """Create an inlined data table with typed columns, and fill it."""
        top = top_columns(columns)
        types = dict.fromkeys(("row_id", "begin_snapshot", "end_snapshot"), "BIGINT")
        types |= {column.column_name: sql_type(column, columns) for column in top}
        made = ", ".join(f"{quote_name(name)} {kind}" for name, kind in types.items())
        self._connection.execute(f"CREATE TABLE {table}({made})")
        load_rows(
            self._connection,
            table,
            types,
            ([*row[:3], *(row[3].get(column.column_id) for column in top)] for row in rows),
        )

    def write_inlined_deletes(self, table_id: int, rows: Sequence[tuple[int, int, int]]) -> None:
        """Create the table of inlined deletes of a table, and fill it."""
        table = f"ducklake_inlined_delete_{table_id}"
        columns = dict.fromkeys(("file_id", "row_id", "begin_snapshot"), "BIGINT")
        self._connection.execute(f"CREATE TABLE {table}(file_id BIGINT, row_id BIGINT, begin_snapshot BIGINT)")
        load_rows(self._connection, table, columns, rows)

    def can_inline(self, columns: Sequence[ColumnRow]) -> bool:
        """Return whether DuckLake would keep rows with these columns in a DuckDB file."""
        return can_inline(columns)


@contextmanager
def write_duckdb(path: Path) -> Iterator[PlainTarget]:
    """Write a new DuckDB file, in one transaction.

    Raises:
        MetastoreRefusedError: It cannot be written.
    """
    try:
        connection = duckdb.connect(str(path))
        try:
            connection.execute("SET TimeZone = 'UTC'")
            connection.begin()
            for table in TABLES:
                connection.execute(create_statement(table, "duckdb"))
            yield DuckDBTarget(connection)
            connection.commit()
        finally:
            connection.close()
    except duckdb.Error as error:
        raise MetastoreRefusedError(f"The DuckDB file cannot be written: {error}. Nothing was exported.") from error
