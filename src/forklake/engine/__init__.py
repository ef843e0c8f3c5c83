"""Rows: reading and writing data files with Spark. Knows nothing of catalogs or commits."""
