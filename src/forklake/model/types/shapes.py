"""Nested types that belong to no table.

Their fields have names and types, but no ids and no defaults.
"""

from __future__ import annotations

from collections.abc import Iterable

from forklake.model.field import Field
from forklake.model.types.kinds import List, Map, Struct, Type


def list_of(element: Type) -> List:
    """Return the type of lists.

    >>> from forklake.model.types import INT32
    >>> list_of(list_of(INT32)).sql_name
    'INTEGER[][]'
    """
    return List(Field(None, "element", element))


def map_of(key: Type, value: Type) -> Map:
    """Return the type of maps."""
    return Map(Field(None, "key", key), Field(None, "value", value))


def entries_of(key: Type, value: Type) -> List:
    """Return the type of the entries of maps: a list of structs."""
    return list_of(struct_of((("key", key), ("value", value))))


def struct_of(fields: Iterable[tuple[str, Type]]) -> Struct:
    """Return the type of structs with such fields."""
    return Struct(tuple(Field(None, name, kind) for name, kind in fields))


def shape_of(kind: Type) -> Type:
    """Return a type with its names and types only: without ids and defaults.

    Two types have one shape if values of one are values of the other: how lists and maps call their parts is nobody's
    choice.
    """
    match kind:
        case List(element):
            return list_of(shape_of(element.type))
        case Map(key, value):
            return map_of(shape_of(key.type), shape_of(value.type))
        case Struct(fields):
            return struct_of((field.name, shape_of(field.type)) for field in fields)
    return kind
