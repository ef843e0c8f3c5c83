"""Values of inlined rows as text, in the format of DuckDB's cast to VARCHAR.

DuckDB's cast from VARCHAR reads them back. forklake keeps the values of inlined rows in this form in every
database. In a DuckDB file DuckLake's inlined rows are typed; in SQLite and PostgreSQL DuckLake keeps most
types as the same text, and the rest in types of the product.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from forklake.model import types
from forklake.model.field import Field
from forklake.model.rows import ColumnRow
from forklake.model.types import Type
from forklake.model.types.read import stored_type


def sql_type(column: ColumnRow, columns: Sequence[ColumnRow]) -> str:
    """Return DuckDB's name of a column's type, nested types included."""
    return _field(column, columns).type.sql_name


def _field(column: ColumnRow, columns: Sequence[ColumnRow]) -> Field:
    inside = sorted(
        (child for child in columns if child.parent_column == column.column_id), key=lambda child: child.column_order
    )
    children = tuple(_field(child, columns) for child in inside)
    return Field(column.column_id, column.column_name, stored_type(column.column_type, children))


def sqlite_type(kind: Type) -> str:
    """Return the type of a column of inlined rows in a SQLite file."""
    if _is_number_in_sqlite(kind) or kind == types.BOOLEAN:
        return "BIGINT"
    return "BLOB" if kind == types.BLOB else "VARCHAR"


def _is_number_in_sqlite(kind: Type) -> bool:
    return isinstance(kind, types.Integer) and not kind.is_wide


def to_sqlite(kind: Type, text: str | None) -> object:
    """Return the value that DuckLake stores in SQLite for a text."""
    if text is None:
        return None
    if _is_number_in_sqlite(kind):
        return int(text)
    if kind == types.BOOLEAN:
        return int(text.lower() in ("true", "t", "1"))
    return blob_bytes(text) if kind == types.BLOB else text


def from_value(kind: Type, value: Any) -> str | None:
    r"""Return the text of a value as SQLite or PostgreSQL stores it.

    >>> from_value(types.BOOLEAN, 1), from_value(types.BLOB, b"a\0"), from_value(types.VARCHAR, b"x")
    ('true', 'a\\x00', 'x')
    """
    if value is None:
        return None
    if isinstance(value, bytes | memoryview):
        return blob_text(bytes(value)) if kind == types.BLOB else bytes(value).decode()
    match kind:
        case types.Boolean():
            return "true" if value in (1, True, "1", "t", "true") else "false"
        case types.Float():
            return {"NaN": "nan", "Infinity": "inf", "-Infinity": "-inf"}.get(str(value), str(value))
        case types.Interval():
            return re.sub(r"\bmon(s?)\b", r"month\1", str(value))
    return str(value)


def blob_text(value: bytes) -> str:
    r"""Write bytes as DuckDB does.

    >>> blob_text(b"a\xaa'")
    'a\\xAA\\x27'
    """
    return "".join(chr(byte) if 32 <= byte <= 126 and byte not in b"\\'\"" else f"\\x{byte:02X}" for byte in value)


def blob_bytes(text: str) -> bytes:
    r"""Read what `blob_text` wrote.

    >>> blob_bytes("a\\xAA")
    b'a\xaa'
    """
    parts = re.split(r"\\x([0-9A-Fa-f]{2})", text)
    return b"".join(
        bytes.fromhex(part) if place % 2 else part.encode("ascii", "replace") for place, part in enumerate(parts)
    )
