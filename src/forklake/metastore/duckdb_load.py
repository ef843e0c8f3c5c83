"""Bulk loading into DuckDB, whose prepared statements take a millisecond a row."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterable, Mapping
from typing import Any

import duckdb

from forklake.model.quoting import quote_name


def load_rows(
    connection: duckdb.DuckDBPyConnection, table: str, columns: Mapping[str, str], rows: Iterable[Iterable[Any]]
) -> None:
    """Insert rows into the named columns; cast each value from text to its type.

    The rows go through a temporary file of JSON lines, about a hundred times as fast as a statement for each.
    """
    with tempfile.NamedTemporaryFile("w", suffix=".ndjson", encoding="utf-8") as file:
        wrote = False
        for row in rows:
            wrote = True
            file.write(json.dumps(list(row), default=str))
            file.write("\n")
        if not wrote:
            return
        file.flush()
        names = ", ".join(quote_name(name) for name in columns)
        values = ", ".join(f"CAST(j ->> {place} AS {kind})" for place, kind in enumerate(columns.values()))
        connection.execute(
            f"INSERT INTO {table} ({names}) SELECT {values} FROM read_ndjson_objects(?) AS q(j)", [file.name]
        )
