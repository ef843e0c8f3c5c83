"""Rows that callers hand over, made to fit a table's columns."""
