"""Schemas, tables, views and macros: made, altered and described."""
