"""Reads types from text: as users write them, and as the metadata names them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Final

from forklake.model.definitions import ColumnDefinition
from forklake.model.field import Field
from forklake.model.types.kinds import (
    FACTS,
    MAX_PRECISION,
    NESTED,
    NULL,
    Decimal,
    Geometry,
    List,
    Map,
    Struct,
    Type,
    Unknown,
)
from forklake.model.types.shapes import list_of, map_of

_NAMES: Final = {name: kind for kind, facts in FACTS.items() if kind != NULL for name in (facts.name, *facts.aliases)}
_SQL_NAMES: Final = _NAMES | {name: kind for kind, facts in FACTS.items() for name in facts.sql_aliases}
_NESTED_NAMES: Final = frozenset(facts.name for facts in NESTED.values())
_DECIMAL: Final = re.compile(r"(decimal|numeric|dec)(?:\s*\(\s*(\d+)\s*(?:,\s*(\d+)\s*)?\))?")
_SHAPES: Final = frozenset(
    {
        "point",
        "linestring",
        "polygon",
        "multipoint",
        "multilinestring",
        "multipolygon",
        "linestring_z",
        "geometrycollection",
    }
)
"""Names of columns for shapes of one kind, in old lakes."""
_CALL: Final = re.compile(r"(struct|row|map|list|union|enum)\s*\((.*)\)", re.IGNORECASE | re.DOTALL)
_FIELD: Final = re.compile(r'\s*(?:"((?:[^"]|"")+)"|([A-Za-z_]\w*))\s+(.+)', re.DOTALL)


def read_type(text: str) -> Type:
    """Return the type that a user names in Python.

    ``int8`` is DuckLake's name of eight bits.

    >>> read_type("STRUCT(a INTEGER, b VARCHAR[])").children[1].type.sql_name
    'VARCHAR[]'

    Raises:
        ValueError: There is no such type, or DuckLake does not have it.
    """
    text = text.strip()
    if text.endswith("[]"):
        return list_of(read_type(text[:-2]))
    call = _CALL.fullmatch(text)
    kind = call[1].lower() if call else ""
    if text.endswith("]") or kind in ("union", "enum"):
        raise ValueError(f"Failed to convert DuckDB type to DuckLake - unsupported type {text}")
    if is_nested(text):
        raise ValueError(f'Type "{text}" needs the types of its parts, as in VARCHAR[] or STRUCT(a INTEGER).')
    if call is None:
        return read_scalar(text)
    parts = [part for part in _split(call[2]) if part.strip()]
    if kind in ("struct", "row"):
        return Struct(tuple(_read_field(part, text) for part in parts))
    count = 2 if kind == "map" else 1
    if len(parts) != count:
        raise ValueError(f'Type "{text}" needs {count} types in parentheses.')
    return list_of(read_type(parts[0])) if count == 1 else map_of(*map(read_type, parts))


@lru_cache(maxsize=1024)
def read_scalar(text: str, *, is_sql: bool = False) -> Type:
    """Return the scalar type that a text names.

    In SQL, ``int8`` has eight bytes.

    >>> read_scalar("BIGINT"), read_scalar("Decimal(10, 2)"), read_scalar("INT8") == read_scalar("INT8", is_sql=True)
    (Integer(bits=64, is_signed=True), Decimal(precision=10, scale=2), False)

    Raises:
        ValueError: There is no such type.
    """
    name = " ".join(text.lower().split())
    found = (_SQL_NAMES if is_sql else _NAMES).get(name)
    if found is not None:
        return found
    match = _DECIMAL.fullmatch(name)
    if match and (is_sql or match[1] != "dec"):
        precision, scale = int(match[2] or 18), int(match[3] or (0 if match[2] else 3))
        if 1 <= precision <= MAX_PRECISION and scale <= precision:
            return Decimal(precision, scale)
    raise ValueError(f'Type "{text}" does not exist.')


def is_nested(name: str) -> bool:
    """Return whether a name is that of structs, lists or maps.

    >>> is_nested("STRUCT"), is_nested("varchar")
    (True, False)
    """
    return name.lower() in _NESTED_NAMES


def type_name(text: str) -> str:
    """Return DuckLake's name of a type; for a nested one, without its fields.

    >>> type_name("BIGINT"), type_name("Struct")
    ('int64', 'struct')

    Raises:
        ValueError: There is no such type.
    """
    return text.lower() if is_nested(text) else read_scalar(text).name


def nested_type(name: str, children: tuple[Field, ...]) -> Type | None:
    """Return the nested type of that name with such fields; None if there is none.

    >>> nested_type("LIST", (Field(None, "element", read_scalar("int")),)).sql_name
    'INTEGER[]'
    """
    match name.lower(), children:
        case "struct", _:
            return Struct(children)
        case "list", (element,):
            return List(element)
        case "map", (key, value):
            return Map(key, value)
    return None


def stored_type(name: str, children: tuple[Field, ...] = ()) -> Type:
    """Return the type that a row of the metadata names, given the fields below it.

    Whatever else the metadata says is `Unknown`.

    >>> stored_type("point"), stored_type("moon phase")
    (Geometry(kind='point'), Unknown(text='moon phase'))
    """
    nested = nested_type(name, children) if children else None
    return _stored_without_fields(name) if nested is None else nested


@lru_cache(maxsize=1024)
def _stored_without_fields(name: str) -> Type:
    nested = nested_type(name, ())
    if nested is not None:
        return nested
    if name in _SHAPES:
        return Geometry(name)
    try:
        return read_scalar(name)
    except ValueError:
        return Unknown(name)


def field_of(column: ColumnDefinition) -> Field:
    """Return a column that is to be made as a field of no table.

    Raises:
        ValueError: There is no such type.
    """
    children = tuple(field_of(child) for child in column.children)
    return Field(None, column.name, nested_type(column.type, children) or read_scalar(column.type))


def definition_of(name: str, kind: Type) -> ColumnDefinition:
    """Return the column that is to be made, of that name and type."""
    return ColumnDefinition(
        name, kind.name, children=tuple(definition_of(child.name, child.type) for child in kind.children)
    )


def _read_field(text: str, whole: str) -> Field:
    match = _FIELD.fullmatch(text)
    if match is None:
        raise ValueError(f'Type "{whole}" has a field without a name or type: "{text.strip()}".')
    return Field(None, match[1].replace('""', '"') if match[1] else match[2], read_type(match[3]))


def _split(text: str) -> Iterator[str]:
    """Split at commas that are in no parentheses and no quotes."""
    depth, quoted, start = 0, False, 0
    for place, letter in enumerate(text):
        if letter == '"':
            quoted = not quoted
        elif not quoted:
            depth += (letter == "(") - (letter == ")")
            if letter == "," and depth == 0:
                yield text[start:place]
                start = place + 1
    yield text[start:]
