"""Statements about the catalogs of a lake, and the queries that they stand for."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

from sqlglot import exp

from forklake.model.lazy_dataclass import dataclass


@dataclass(frozen=True, slots=True)
class CatalogStatement:
    """SHOW CATALOGS, CREATE CATALOG and DROP CATALOG, with IF [NOT] EXISTS."""

    verb: Literal["show", "create", "drop"]
    name: str = ""
    is_lenient: bool = False


@dataclass(frozen=True, slots=True)
class CopyDatabase:
    """COPY FROM DATABASE source TO target: all of it, or only one half."""

    source: str
    target: str
    has_definitions: bool = True
    has_rows: bool = True


@dataclass(frozen=True, slots=True)
class ExportDatabase:
    """EXPORT DATABASE [name TO] 'directory'; options as in ``Attach``."""

    path: str
    options: Mapping[str, Any]
    database: str | None = None


@dataclass(frozen=True, slots=True)
class ImportDatabase:
    """IMPORT DATABASE 'directory'."""

    path: str


def catalog_query(statement: CatalogStatement, alias: str) -> exp.Select:
    """Return the call of a catalog function that a statement stands for."""
    arguments: list[exp.Expr] = [exp.Literal.string(alias)]
    if statement.verb == "show":
        call = exp.Anonymous(this="ducklake_catalogs", expressions=arguments)
        shown = exp.select("catalog_name", "parent_catalog_id", "snapshot_id", "begin_time")
        return shown.from_(exp.Table(this=call))
    arguments.append(exp.Literal.string(statement.name))
    if statement.is_lenient:
        option = "if_not_exists" if statement.verb == "create" else "if_exists"
        arguments.append(exp.Kwarg(this=exp.var(option), expression=exp.true()))
    call = exp.Anonymous(this=f"ducklake_{statement.verb}_catalog", expressions=arguments)
    return exp.select("*").from_(exp.Table(this=call))
