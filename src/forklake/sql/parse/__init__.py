"""DuckDB's statements, DuckLake's and our own, read from text."""

from forklake.sql.parse.statement import parse, parse_expression, parse_query

__all__ = ["parse", "parse_expression", "parse_query"]
