"""DuckDB's statements, DuckLake's and our own, read from text."""

from forklake.sql.parse.completeness import is_complete
from forklake.sql.parse.statement import check_kept, parse, parse_expression, parse_query, parse_sort_key, parse_value

__all__ = ["check_kept", "is_complete", "parse", "parse_expression", "parse_query", "parse_sort_key", "parse_value"]
