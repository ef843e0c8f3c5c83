"""CREATE and DROP of schemas, views and macros; COMMENT ON."""

from __future__ import annotations

from dataclasses import replace
from typing import Final, Literal

from sqlglot import exp

from forklake.errors import InvalidInputError, NotFoundError
from forklake.model import types
from forklake.model.definitions import MacroImplementation, MacroParameter
from forklake.sql.catalog_statements import CatalogStatement
from forklake.sql.parse.create_table import read_create_table
from forklake.sql.parse.fork_statements import read_create_fork
from forklake.sql.parse.session import read_create_secret, read_drop_secret
from forklake.sql.parse.types import read_column_type
from forklake.sql.parse.values import read_default
from forklake.sql.parse.words import Words
from forklake.sql.statements import (
    Comment,
    CreateMacro,
    CreateSchema,
    CreateView,
    Drop,
    NoOperation,
    ObjectKind,
    Statement,
)

_NOT_IN_DUCKLAKE: Final = {"INDEX": "indexes", "SEQUENCE": "sequences", "TYPE": "user-defined types"}
_DROPPED: Final[dict[str, ObjectKind]] = {
    "SCHEMA": "schema",
    "TABLE": "table",
    "VIEW": "view",
    "MACRO": "macro",
    "FUNCTION": "macro",
}
_COMMENTED: Final[dict[str, Literal["table", "view", "column", "macro"]]] = {
    "TABLE": "table",
    "VIEW": "view",
    "COLUMN": "column",
    "MACRO": "macro",
    "FUNCTION": "macro",
}


def read_create(words: Words) -> Statement:
    """Read what follows CREATE.

    Raises:
        InvalidInputError: It cannot be read, or DuckLake does not have this kind of object.
    """
    or_replace = words.take("OR", "REPLACE")
    temporary = words.take_any("TEMPORARY", "TEMP") is not None
    persistent = words.take("PERSISTENT")
    if words.take("SECRET"):
        return read_create_secret(words, or_replace=or_replace, is_persistent=persistent)
    if persistent:
        raise words.unexpected_token()
    made = words.take_any("CATALOG", "FORK")
    if made is not None and (or_replace or temporary):
        raise words.wrong(f"CREATE {made} takes neither OR REPLACE nor TEMPORARY")
    if made == "FORK":
        return read_create_fork(words)
    if made == "CATALOG":
        is_lenient = words.take("IF", "NOT", "EXISTS")
        return CatalogStatement("create", words.name_or_string(), is_lenient)
    if words.take("TABLE"):
        return replace(read_create_table(words, or_replace=or_replace), is_temporary=temporary)
    if words.take("VIEW"):
        return replace(_read_create_view(words, or_replace=or_replace), is_temporary=temporary)
    if not temporary and words.take("SCHEMA"):
        if_not_exists = words.take("IF", "NOT", "EXISTS")
        return CreateSchema(words.path(), if_not_exists=if_not_exists, or_replace=or_replace)
    if words.take_any("MACRO", "FUNCTION"):
        return replace(_read_create_macro(words, or_replace=or_replace), is_temporary=temporary)
    words.take("UNIQUE")
    kind = words.take_any(*_NOT_IN_DUCKLAKE) or ""
    if kind:
        raise InvalidInputError(f"DuckLake does not support {_NOT_IN_DUCKLAKE[kind]}")
    if words.take("RECURSIVE", "VIEW"):
        raise InvalidInputError("Recursive views are not supported; nothing was created.")
    raise words.unexpected_token()


def _read_create_view(words: Words, *, or_replace: bool) -> CreateView:
    if_not_exists = words.take("IF", "NOT", "EXISTS")
    name = words.path()
    columns = words.names_in_parentheses() if words.at("(") else ()
    words.expect("AS")
    text, query = words.source(lambda: read_stored_text(words, "a view", is_query=True))
    assert isinstance(query, exp.Query)
    return CreateView(name, text, query, columns, if_not_exists=if_not_exists, or_replace=or_replace)


def _read_create_macro(words: Words, *, or_replace: bool) -> CreateMacro:
    if_not_exists = words.take("IF", "NOT", "EXISTS")
    name = words.path()
    implementations = tuple(words.comma_list(lambda: _read_implementation(words)))
    return CreateMacro(name, implementations, if_not_exists=if_not_exists, or_replace=or_replace)


def _read_implementation(words: Words) -> MacroImplementation:
    parameters = tuple(words.in_parentheses(lambda: _read_parameter(words), may_be_empty=True))
    words.expect("AS")
    is_table = words.take("TABLE")
    text, _ = words.source(lambda: read_stored_text(words, "a macro", is_query=is_table))
    return MacroImplementation(text, parameters, "table" if is_table else "scalar")


def read_stored_text(words: Words, what: str, *, is_query: bool) -> exp.Expr:
    """Read a query or an expression that is stored as text.

    Raises:
        InvalidInputError: It is none, or has parameters such as ``?`` or ``$1``, which would never get a value.
    """
    tree = words.query() if is_query else words.expression()
    if tree.find(exp.Placeholder, exp.Parameter) is not None:
        raise InvalidInputError(f"Binder Error: Parameters within {what} are not supported; it was not made.")
    return tree


def _read_parameter(words: Words) -> MacroParameter:
    name = words.name()
    type_name = None
    if not (words.at(",") or words.at(")") or words.at(":=") or words.at("=")):
        type_name = read_column_type(words).name
    if not (words.take(":=") or words.take("=")):
        return MacroParameter(name, type_name)
    default = read_default(words)
    if default.text is None:
        return MacroParameter(name, type_name, "NULL", default_is_expression=True)
    kind = types.VARCHAR.name if default.is_quoted and type_name is None else None
    return MacroParameter(name, type_name, default.text, default.is_expression, kind)


def read_drop(words: Words) -> Statement:
    """Read what follows DROP.

    Raises:
        InvalidInputError: It cannot be read.
        NotFoundError: No lake has this kind of object.
    """
    words.take_any("PERSISTENT", "TEMPORARY", "TEMP")
    if words.take("SECRET"):
        return read_drop_secret(words)
    if words.take("CATALOG"):
        is_lenient = words.take("IF", "EXISTS")
        return CatalogStatement("drop", words.name_or_string(), is_lenient)
    other = words.take_any(*_NOT_IN_DUCKLAKE)
    if other:
        if words.take("IF", "EXISTS"):
            words.rest()
            return NoOperation()
        raise NotFoundError(f"{other.capitalize()} with name {words.path()[-1]} does not exist!")
    kind = words.take_any(*_DROPPED)
    if kind is None:
        raise words.unexpected_token()
    dropped = _DROPPED[kind]
    if dropped == "macro" and words.take("TABLE"):
        dropped = "table macro"
    if_exists = words.take("IF", "EXISTS")
    name = words.path()
    if words.at(","):
        raise InvalidInputError("Can only drop one object at a time")
    cascade = words.take_any("CASCADE", "RESTRICT") == "CASCADE"
    return Drop(dropped, name, if_exists=if_exists, cascade=cascade)


def read_comment(words: Words) -> Comment:
    """Read what follows COMMENT.

    Raises:
        InvalidInputError: It cannot be read, or is on an object that has no comments.
    """
    words.expect("ON")
    kind = words.take_any(*_COMMENTED)
    if kind is None:
        other = words.take_any("SCHEMA", "DATABASE", "INDEX", "SEQUENCE", "TYPE")
        if other is None:
            raise words.unexpected_token()
        if other == "SCHEMA":
            raise InvalidInputError("Adding comments to schemas is not implemented")
        raise InvalidInputError(f"Adding comments to {other.lower()}s is not implemented")
    if _COMMENTED[kind] == "macro":
        words.take("TABLE")
    name = words.path()
    words.expect("IS")
    return Comment(_COMMENTED[kind], name, None if words.take("NULL") else words.string())
