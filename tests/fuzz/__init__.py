"""Random queries that forklake and DuckDB answer; `python -m tests.fuzz` asks as many as one likes."""
