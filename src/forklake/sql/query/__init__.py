"""Binding of queries: trees of DuckDB's SQL to Spark SQL."""
