"""COPY, EXPORT and IMPORT: rows into files, and files into tables."""

from __future__ import annotations

from typing import Any

from forklake.sql.catalog_statements import CopyDatabase, ExportDatabase, ImportDatabase
from forklake.sql.parse.values import read_options
from forklake.sql.parse.words import Words
from forklake.sql.statements import CopyFrom, CopyTo


def read_copy(words: Words) -> CopyTo | CopyFrom | CopyDatabase:
    """Read what follows COPY."""
    if words.take("FROM", "DATABASE"):
        return _read_databases(words)
    if words.take("("):
        query = words.query()
        words.expect(")")
        words.expect("TO")
        return CopyTo(query, (), words.string(), _read_options(words))
    table = words.path()
    columns = words.names_in_parentheses() if words.at("(") else ()
    if words.expect_any("TO", "FROM") == "TO":
        return CopyTo(table, columns, words.string(), _read_options(words))
    return CopyFrom(table, columns, words.string(), _read_options(words))


def _read_databases(words: Words) -> CopyDatabase:
    source = words.name()
    words.expect("TO")
    target = words.name()
    if not words.take("("):
        return CopyDatabase(source, target)
    half = words.expect_any("SCHEMA", "DATA")
    words.expect(")")
    return CopyDatabase(source, target, half == "SCHEMA", half == "DATA")


def read_export(words: Words) -> ExportDatabase:
    """Read what follows EXPORT."""
    words.expect("DATABASE")
    database = None if words.at_string() else words.name()
    if database is not None:
        words.expect("TO")
    return ExportDatabase(words.string(), read_options(words), database)


def read_import(words: Words) -> ImportDatabase:
    """Read what follows IMPORT."""
    words.expect("DATABASE")
    return ImportDatabase(words.string())


def _read_options(words: Words) -> dict[str, Any]:
    words.take("WITH")
    return read_options(words)
