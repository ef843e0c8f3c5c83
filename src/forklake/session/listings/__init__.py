"""DuckDB's listings, and the metadata tables, as relations."""
