"""Whether DuckDB itself understands a query; nothing is computed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import duckdb

from forklake.duck.databases import closed_cursor
from forklake.model.quoting import quote_name


def refusal(query: str, tables: Mapping[str, Sequence[tuple[str, str]]]) -> str | None:
    """Return why DuckDB does not understand a query; None if it does.

    ``tables`` are all that it may name, each with its columns and their types as DuckDB writes them. Nothing can be
    said of tables whose types DuckDB knows from extensions only.

    >>> columns = [("n", "INTEGER")]
    >>> refusal("SELECT n IS NOT DISTINCT FROM 2 FROM t", {"t": columns}) is None
    True
    >>> print(refusal("FROM t LEFT SEMI JOIN t u USING (n)", {"t": columns}))
    Parser Error: syntax error at or near "SEMI"
    """
    with closed_cursor() as cursor:
        for name, columns in tables.items():
            made = ", ".join(f"{quote_name(column)} {kind}" for column, kind in columns)
            try:
                cursor.execute(f"CREATE OR REPLACE TEMP TABLE {quote_name(name)} ({made})")
            except duckdb.Error:
                return None
        try:
            cursor.execute(f"DESCRIBE {query}")
        except duckdb.Error as error:
            return str(error).splitlines()[0]
    return None
