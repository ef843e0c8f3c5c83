"""Queries in DuckDB's words turned into Spark SQL."""
