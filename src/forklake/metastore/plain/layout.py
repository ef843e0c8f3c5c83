"""The 28 tables of DuckLake 1.0: names and columns, as its extension creates them.

Columns are in DuckLake's order.
"""

from __future__ import annotations

from typing import Final

from forklake.metastore.schema import sections as described
from forklake.metastore.schema.description import Column, Table

VERSION: Final = "1.0"

READABLE_VERSIONS: Final = ("0.3", "0.4-dev1", "0.4", "1.0")
"""What an import reads. 0.4 and 1.0 have the same tables; 0.3 lacks some of them and some columns."""

_KINDS: Final = {"object": "number", "file": "number", "small": "number"}
_KEYED: Final = frozenset(
    {
        "ducklake_data_file",
        "ducklake_delete_file",
        "ducklake_schema",
        "ducklake_snapshot",
        "ducklake_snapshot_changes",
    }
)
"""The tables whose first column is declared as their primary key."""

_REQUIRED: Final = frozenset({("ducklake_metadata", "key"), ("ducklake_metadata", "value")})
"""The columns that are declared as not NULL."""

_INLINED_DATA_TABLES: Final = {"table_id": "number", "table_name": "text", "schema_version": "number"}
"""What DuckLake knows of its tables of inlined rows, which a lake does not have."""


def _kind(table: Table, place: int, column: Column) -> str:
    if table.name in _KEYED and place == 0:
        return "key"
    return "must" if (table.name, column.name) in _REQUIRED else _KINDS.get(column.kind, column.kind)


def _tables() -> dict[str, dict[str, str]]:
    """Return DuckLake's tables, derived from the description of our own.

    Catalog ids and all else that only forklake has are left out.
    """
    found = {"ducklake_inlined_data_tables": _INLINED_DATA_TABLES}
    for table in described.TABLES:
        if table.ducklake == VERSION:
            theirs = [column for column in table.columns if not column.ours]
            found[table.name] = {column.name: _kind(table, place, column) for place, column in enumerate(theirs)}
    return dict(sorted(found.items()))


TABLES: Final = _tables()
"""Each table with its columns and what they hold: number, key, text, must (text that is not NULL), flag, uuid, time."""

_TYPES: Final = {
    "duckdb": {
        "number": "BIGINT",
        "key": "BIGINT PRIMARY KEY",
        "text": "VARCHAR",
        "must": "VARCHAR NOT NULL",
        "flag": "BOOLEAN",
        "uuid": "UUID",
        "time": "TIMESTAMP WITH TIME ZONE",
    },
    # What DuckDB's SQLite extension makes of these types, which DuckLake then reads back.
    "sqlite": {
        "number": "BIGINT",
        "key": "BIGINT PRIMARY KEY",
        "text": "VARCHAR",
        "must": "VARCHAR NOT NULL",
        "flag": "BIGINT",
        "uuid": "VARCHAR",
        "time": "VARCHAR",
    },
}


def create_statement(table: str, product: str) -> str:
    """Return the statement that creates a table."""
    types = _TYPES[product]
    columns = ", ".join(f'"{name}" {types[kind]}' for name, kind in TABLES[table].items())
    return f"CREATE TABLE {table}({columns})"
