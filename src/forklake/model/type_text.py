"""Types as users write them, nested ones too, turned into columns, and written again.

SQL parsers read ``int8`` as DuckDB does, eight bytes; here it is DuckLake's name for eight bits, as in the metadata.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from forklake.model.definitions import ColumnDefinition
from forklake.model.field import Field
from forklake.model.keywords import identifier
from forklake.model.types import canonical, sql_name

_CALL: Final = re.compile(r"(struct|row|map|list|union|enum)\s*\((.*)\)", re.IGNORECASE | re.DOTALL)
_FIELD: Final = re.compile(r'\s*(?:"((?:[^"]|"")+)"|([A-Za-z_]\w*))\s+(.+)', re.DOTALL)


def column_definition(name: str, text: str) -> ColumnDefinition:
    """Return the column of that name and type.

    >>> column_definition("c", "STRUCT(a INTEGER, b VARCHAR[])").children[1].children[0].type
    'VARCHAR'

    Raises:
        ValueError: There is no such type, or DuckLake does not have it.
    """
    text = text.strip()
    if text.endswith("[]"):
        return ColumnDefinition(name, "list", children=(column_definition("element", text[:-2]),))
    call = _CALL.fullmatch(text)
    kind = call[1].lower() if call else ""
    if text.endswith("]") or kind in ("union", "enum"):
        raise ValueError(f"Failed to convert DuckDB type to DuckLake - unsupported type {text}")
    if call is None:
        canonical(text)
        return ColumnDefinition(name, text)
    parts = [part for part in _split(call[2]) if part.strip()]
    if kind in ("struct", "row"):
        return ColumnDefinition(name, "struct", children=tuple(_field(part, text) for part in parts))
    names = ("key", "value") if kind == "map" else ("element",)
    if len(parts) != len(names):
        raise ValueError(f'Type "{text}" needs {len(names)} types in parentheses.')
    return ColumnDefinition(name, kind, children=tuple(map(column_definition, names, parts)))


def field_of(column: ColumnDefinition) -> Field:
    """Return a column that is to be made as a field of no table."""
    kind = column.type if column.children else canonical(column.type)
    return Field(None, column.name, kind, tuple(field_of(child) for child in column.children))


def type_text(field: Field) -> str:
    """Return a field's type as DuckDB writes it.

    >>> type_text(Field(None, "c", "list", (Field(None, "element", "int32"),)))
    'INTEGER[]'
    """
    parts = field.children
    match field.type:
        case "list":
            return f"{type_text(parts[0])}[]"
        case "map":
            return f"MAP({type_text(parts[0])}, {type_text(parts[1])})"
        case "struct":
            return f"STRUCT({', '.join(f'{_identifier(part.name)}{type_text(part)}' for part in parts)})"
    return sql_name(field.type)


def _identifier(name: str) -> str:
    """Return the name of a struct's field before its type; fields of a row have none."""
    return name and f"{identifier(name)} "


def _field(text: str, whole: str) -> ColumnDefinition:
    match = _FIELD.fullmatch(text)
    if match is None:
        raise ValueError(f'Type "{whole}" has a field without a name or type: "{text.strip()}".')
    return column_definition(match[1].replace('""', '"') if match[1] else match[2], match[3])


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
