"""Queries, and statements about them: CALL, SHOW, DESCRIBE, EXPLAIN."""

from __future__ import annotations

from typing import Final, Literal

from sqlglot import exp

from forklake.errors import InvalidInputError
from forklake.sql.catalog_statements import CatalogStatement
from forklake.sql.parse.keywords import BEGINS_QUERY
from forklake.sql.parse.words import Words
from forklake.sql.statements import Describe, Query, Show

_SHOWN: Final[dict[str, Literal["tables", "schemas", "databases"]]] = {
    "TABLES": "tables",
    "SCHEMAS": "schemas",
    "DATABASES": "databases",
}


def read_query(words: Words) -> Query:
    """Read a query."""
    return Query(words.query())


def read_call(words: Words) -> Query:
    """Read what follows CALL: a function, of which all rows are returned."""
    function = words.relation()
    if not isinstance(function.this, exp.Func):
        raise words.unexpected_token()
    return Query(exp.select("*").from_(function, copy=False), is_call=True)


def read_show(words: Words) -> Show | Describe | CatalogStatement:
    """Read what follows SHOW."""
    if words.take("CATALOGS"):
        return CatalogStatement("show")
    if words.take("ALL"):
        if words.at_end():
            raise InvalidInputError("SHOW ALL is not supported; current_setting(name) tells one setting.")
        words.expect("TABLES")
        return Show("all tables")
    what = words.take_any(*_SHOWN)
    if what is None:
        return read_describe(words)
    return Show(_SHOWN[what], words.path() if words.take("FROM") else ())


def read_describe(words: Words) -> Describe | Show | CatalogStatement:
    """Read what follows DESCRIBE, DESC or SHOW."""
    if words.at_end() or words.at_any("ALL", "TABLES"):
        return Show("all tables") if words.at_end() else read_show(words)
    if words.at_any(*BEGINS_QUERY):
        if words.at("TABLE"):
            words.expect("TABLE")
        else:
            return Describe(words.query())
    return Describe(exp.select("*").from_(words.relation(), copy=False))
