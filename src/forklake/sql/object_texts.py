"""Statements that make tables, views and macros, as DuckDB writes them."""

from __future__ import annotations

from collections.abc import Sequence

from forklake.model import types
from forklake.model.definitions import MacroImplementation, MacroParameter
from forklake.model.field import Field
from forklake.model.keywords import identifier
from forklake.model.names import fold
from forklake.model.quoting import quote_text
from forklake.model.types.read import stored_type
from forklake.sql.query.macro_calls import has_plain_default, kind_of_default


def full_name(schema: str, name: str) -> str:
    """Return the name of an object, without the schema ``main``.

    >>> full_name("main", "my table"), full_name("s", "t")
    ('"my table"', 's.t')
    """
    return identifier(name) if fold(schema) == "main" else f"{identifier(schema)}.{identifier(name)}"


def schema_text(name: str) -> str:
    """Return the statement that makes a schema.

    >>> schema_text("my schema")
    'CREATE SCHEMA IF NOT EXISTS "my schema";'
    """
    return f"CREATE SCHEMA IF NOT EXISTS {identifier(name)};"


def default_text(field: Field) -> str | None:
    """Return the default of a column as SQL; None for a column that is nested."""
    if field.children:
        return None
    if field.default is None or field.default_is_expression:
        return field.default or "NULL"
    return field.default if isinstance(field.type, types.Number) else quote_text(field.default)


def table_text(name: str, fields: Sequence[Field]) -> str:
    """Return the statement that makes a table.

    Args:
        name: The name as it is written.
        fields: The columns.
    """
    parts = [
        f"{identifier(field.name)} {field.type.sql_name}"
        + (f" DEFAULT({default_text(field)})" if field.default is not None else "")
        + ("" if field.nulls_allowed else " NOT NULL")
        for field in fields
    ]
    return f"CREATE TABLE {name}({', '.join(parts)});"


def view_text(name: str, sql: str, aliases: Sequence[str]) -> str:
    """Return the statement that makes a view.

    Args:
        name: The name as it is written.
        sql: The query.
        aliases: The names of its columns, if they are not those of the query.
    """
    named = f" ({', '.join(identifier(alias) for alias in aliases)})" if aliases else ""
    return f"CREATE VIEW {name}{named} AS {sql.rstrip('; ')};"


def macro_text(name: str, overloads: Sequence[MacroImplementation]) -> str:
    """Return the statement that makes a macro.

    Args:
        name: The name as it is written.
        overloads: What it stands for.
    """
    return f"CREATE MACRO {name} {', '.join(map(_overload, overloads))};"


def _overload(overload: MacroImplementation) -> str:
    taken = ", ".join(map(_parameter, overload.parameters))
    return f"({taken}) AS {'TABLE ' if overload.type == 'table' else ''}({overload.sql.rstrip('; ')})"


def _parameter(parameter: MacroParameter) -> str:
    name = identifier(parameter.name)
    if parameter.default is not None:
        return f"{name} := {_parameter_default(parameter)}"
    return name if parameter.type in (None, "unknown") else f"{name} {stored_type(parameter.type).sql_name}"


def _parameter_default(parameter: MacroParameter) -> str:
    assert parameter.default is not None
    if has_plain_default(parameter):
        return parameter.default
    text, kind = quote_text(parameter.default), kind_of_default(parameter)
    return text if kind is None or kind == types.VARCHAR else f"{text}::{kind.sql_name}"
