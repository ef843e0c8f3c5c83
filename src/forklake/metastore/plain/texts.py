"""Values of inlined rows as text: what DuckDB's cast to VARCHAR gives, which its cast back reads.

Rows of forklake keep their values so, whatever the database. In a DuckDB file inlined rows are typed; in SQLite and
PostgreSQL DuckLake keeps most types as the same text, and the rest as the product has them.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, Final

from forklake.model.quoting import quote_name
from forklake.model.rows import ColumnRow
from forklake.model.types import sql_name

_NUMBERS_IN_SQLITE: Final = frozenset({"int8", "int16", "int32", "int64", "uint8", "uint16", "uint32"})


def sql_type(column: ColumnRow, columns: Sequence[ColumnRow]) -> str:
    """Return DuckDB's name of a column's type, with what is nested in it."""
    children = sorted(
        (child for child in columns if child.parent_column == column.column_id), key=lambda child: child.column_order
    )
    if column.column_type == "list":
        return f"{sql_type(children[0], columns)}[]"
    if column.column_type == "struct":
        return (
            f"STRUCT({', '.join(f'{quote_name(child.column_name)} {sql_type(child, columns)}' for child in children)})"
        )
    if column.column_type == "map":
        return f"MAP({', '.join(sql_type(child, columns) for child in children)})"
    return sql_name(column.column_type)


def sqlite_type(column_type: str) -> str:
    """Return the type of a column of inlined rows in a SQLite file."""
    if column_type in _NUMBERS_IN_SQLITE or column_type == "boolean":
        return "BIGINT"
    return "BLOB" if column_type == "blob" else "VARCHAR"


def to_sqlite(column_type: str, text: str | None) -> object:
    """Return the value that DuckLake keeps in SQLite for a text."""
    if text is None:
        return None
    if column_type in _NUMBERS_IN_SQLITE:
        return int(text)
    if column_type == "boolean":
        return int(text.lower() in ("true", "t", "1"))
    return blob_bytes(text) if column_type == "blob" else text


def from_value(column_type: str, value: Any) -> str | None:
    r"""Return the text of a value as SQLite or PostgreSQL keeps it.

    >>> from_value("boolean", 1), from_value("blob", b"a\0"), from_value("varchar", b"x"), from_value("int32", 7)
    ('true', 'a\\x00', 'x', '7')
    """
    if value is None:
        return None
    if isinstance(value, bytes | memoryview):
        return blob_text(bytes(value)) if column_type == "blob" else bytes(value).decode()
    if column_type == "boolean":
        return "true" if value in (1, True, "1", "t", "true") else "false"
    if column_type.startswith("float"):
        return {"NaN": "nan", "Infinity": "inf", "-Infinity": "-inf"}.get(str(value), str(value))
    if column_type == "interval":
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
