"""Texts of queries and expressions as DuckDB's parser prints them.

Nothing is looked up, and nothing runs.
"""

from __future__ import annotations

import json
from contextlib import closing
from functools import lru_cache
from typing import Final

import duckdb

from forklake.files.databases import closed_database

_SELECT: Final = "SELECT "
_LAMBDA: Final = '"class":"LAMBDA"'
"""DuckDB forgets on the way how a lambda was written."""


@lru_cache(maxsize=4096)
def print_query(text: str) -> str:
    """Return a query as DuckDB prints it.

    It stays as it is if DuckDB does not know all that is in it, or would print a lambda in its old form.
    """
    with closing(closed_database().cursor()) as cursor:
        try:
            found = cursor.execute("SELECT json_serialize_sql(CAST(? AS VARCHAR))", [text]).fetchone()
            tree = "" if found is None else str(found[0])
            if json.loads(tree).get("error") or _LAMBDA in tree:
                return text
            printed = cursor.execute("SELECT json_deserialize_sql(CAST(? AS JSON))", [tree]).fetchone()
        except (duckdb.Error, ValueError):
            return text
    return text if printed is None else str(printed[0])


def print_macro(text: str, kind: str) -> str:
    """Return the body of a macro as DuckDB prints it.

    ``kind`` is ``scalar`` or ``table``: an expression or a query. It stays as it is where `print_query` says so.
    """
    if kind == "table":
        return print_query(text)
    asked = _SELECT + text
    printed = print_query(asked)
    return text if printed == asked else printed.removeprefix(_SELECT)
