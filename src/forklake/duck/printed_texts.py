"""Texts of queries and expressions as DuckDB's parser prints them.

Nothing is looked up, and nothing runs.
"""

from __future__ import annotations

import json
import re
from contextlib import closing
from functools import lru_cache
from typing import Any, Final

import duckdb

from forklake.duck.databases import closed_database
from forklake.model.quoting import quote_text

_SELECT: Final = "SELECT "
_LONGEST: Final = 20_000
"""Letters of a text that is printed: what was printed is kept, as often as queries name columns anew."""
_LAMBDA: Final = '"class":"LAMBDA"'
_LAMBDA_WORDS: Final = re.compile(r"\b(lambda|for)\b", re.IGNORECASE)
"""What DuckDB forgets on the way: that a lambda was not written with an arrow."""


def print_query(text: str) -> str:
    """Return a query as DuckDB prints it.

    It stays as it is if DuckDB does not know all that is in it, or would print a lambda in its old form.
    """
    printed = _print(text)
    return text if printed is None else printed


def print_expression(text: str, clause: str = "") -> str | None:
    """Return an expression as DuckDB prints it.

    None where `print_query` would leave it as it is, and for a long one. ``clause`` is the WINDOW clause of the query,
    if the expression names a window.
    """
    asked = f"{_SELECT}{text} {clause}" if clause else _SELECT + text
    printed = _print(asked) if len(asked) <= _LONGEST else None
    return None if printed is None else printed.removeprefix(_SELECT)


def print_macro(text: str, kind: str) -> str:
    """Return the body of a macro as DuckDB prints it.

    ``kind`` is ``scalar`` or ``table``: an expression or a query. It stays as it is where `print_query` says so.
    """
    if kind == "table":
        return print_query(text)
    printed = print_expression(text)
    return text if printed is None else printed


@lru_cache(maxsize=4096)
def _print(text: str) -> str | None:
    with closing(closed_database().cursor()) as cursor:
        try:
            found = cursor.execute(f"SELECT json_serialize_sql({quote_text(text)}::VARCHAR)").fetchone()
            tree = "" if found is None else str(found[0])
            read = json.loads(tree, object_hook=_with_named_type)
            if read.get("error") or (_LAMBDA in tree and _LAMBDA_WORDS.search(text)):
                return None
            whole = quote_text(json.dumps(read))
            printed = cursor.execute(f"SELECT json_deserialize_sql({whole}::JSON)").fetchone()
        except (duckdb.Error, ValueError, RecursionError):  # the tree of a long sum is deep
            return None
    return None if printed is None else str(printed[0])


def _with_named_type(node: dict[str, Any]) -> dict[str, Any]:
    """Return a node of a tree; the type of a cast is a name again.

    DuckDB looks up the names of its own types on the way, and then prints them without the quotes of other names. The
    casts that it puts into intervals, at the place of their values, had no names before.
    """
    if "cast_type" not in node or node["query_location"] == node["child"].get("query_location"):
        return node
    return node | {"cast_type": _named_type(node["cast_type"])}


def _named_type(node: Any) -> Any:
    if isinstance(node, list):
        return [_named_type(one) for one in node]
    if not isinstance(node, dict):
        return node
    kind, more = node.get("id"), node.get("type_info")
    if kind == "DECIMAL" and more is not None:
        return _unbound("DECIMAL", more["width"], more["scale"])
    if isinstance(kind, str) and more is None and "type_info" in node:
        return _unbound(kind)
    return {name: _named_type(one) for name, one in node.items()}


def _unbound(name: str, *modifiers: int) -> dict[str, Any]:
    """Return a type that only has a name, as the parser has it."""
    number = {"id": "INTEGER", "type_info": None}
    parts = {"type": "UNBOUND_TYPE_INFO", "alias": "", "extension_info": None, "catalog": "", "schema": ""}
    values = [{"type": number, "is_null": False, "value": one} for one in modifiers]
    return {"id": "UNBOUND", "type_info": parts | {"name": name, "user_type_modifiers": values}}
