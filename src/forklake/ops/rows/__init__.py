"""Rows of tables: read, appended and changed."""
