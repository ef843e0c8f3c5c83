"""The parser: text to DuckDB's, DuckLake's and forklake's statements."""

from forklake.sql.parse.statement import (
    check_stored_text,
    parse,
    parse_expression,
    parse_query,
    parse_sort_key,
    parse_sort_keys,
    parse_type,
    parse_value,
)
from forklake.sql.parse.tokens import is_complete, makes_secret, statement_places

__all__ = [
    "check_stored_text",
    "is_complete",
    "makes_secret",
    "parse",
    "parse_expression",
    "parse_query",
    "parse_sort_key",
    "parse_sort_keys",
    "parse_type",
    "parse_value",
    "statement_places",
]
