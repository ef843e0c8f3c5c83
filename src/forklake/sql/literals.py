"""Constants: from what DuckDB accepts to the one text of a value, and from that to a literal of Spark.

A literal of Spark means the same whatever the session's time zone, ANSI mode or parser settings.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any, Final

from forklake.errors import InvalidInputError
from forklake.files.texts import format_value, parse_value
from forklake.model.field import Field
from forklake.sql.bound import INTEGERS, NULL, is_decimal, type_name

_PLAIN_TEXT: Final = re.compile(r"[\w !#%&()*+,./:;<=>?@\[\]^{|}~-]*", re.ASCII)
_SPARK_TYPES: Final = {
    "boolean": "BOOLEAN",
    "int8": "TINYINT",
    "int16": "SMALLINT",
    "int32": "INT",
    "int64": "BIGINT",
    "uint8": "SMALLINT",
    "uint16": "INT",
    "uint32": "BIGINT",
    "uint64": "DECIMAL(20,0)",
    "int128": "DECIMAL(38,0)",
    "uint128": "DECIMAL(38,0)",
    "float32": "FLOAT",
    "float64": "DOUBLE",
    "date": "DATE",
    "timestamp": "TIMESTAMP_NTZ",
    "timestamp_s": "TIMESTAMP_NTZ",
    "timestamp_ms": "TIMESTAMP_NTZ",
    "timestamptz": "TIMESTAMP_LTZ",
    "blob": "BINARY",
    "geometry": "BINARY",
    NULL: "VOID",
}


_MARKS: Final = {"int8": "Y", "int16": "S", "int32": "", "int64": "L", "uint8": "S", "uint16": "", "uint32": "L"}
"""What follows the digits of an integer of a type that Spark has as an integer."""


def spark_type(shape: str | Field) -> str:
    """Return the type that Spark shows values of a type as.

    >>> spark_type(Field(None, "", "list", (Field(None, "element", "uint8"),)))
    'ARRAY<SMALLINT>'
    """
    column_type = shape if isinstance(shape, str) else shape.type
    children = () if isinstance(shape, str) else shape.children
    match column_type:
        case "list":
            return f"ARRAY<{spark_type(children[0])}>"
        case "map":
            return f"MAP<{spark_type(children[0])}, {spark_type(children[1])}>"
        case "struct":
            assert isinstance(shape, Field)
            parts = zip(spark_names(shape), children, strict=True)
            return f"STRUCT<{', '.join(f'{identifier(name)}: {spark_type(child)}' for name, child in parts)}>"
    return column_type.upper() if is_decimal(column_type) else _SPARK_TYPES.get(column_type, "STRING")


def spark_names(shape: Field) -> list[str]:
    """Return what Spark calls the fields of a struct: those of a row, which have no names, have their place."""
    return [child.name or f"col{place}" for place, child in enumerate(shape.children, 1)]


def identifier(name: str) -> str:
    """Return a name as Spark reads it, whatever is in it."""
    return f"`{name.replace('`', '``')}`"


def quoted(text: str) -> str:
    """Return text as a literal of Spark, which no setting of its parser reads differently.

    Raises:
        InvalidInputError: It cannot be written as UTF-8.

    >>> quoted("a b"), quoted("it's")
    ("'a b'", "CAST(X'69742773' AS STRING)")
    """
    if _PLAIN_TEXT.fullmatch(text):
        return f"'{text}'"
    try:
        return f"CAST(X'{text.encode().hex().upper()}' AS STRING)"
    except UnicodeEncodeError as error:
        raise InvalidInputError(f"Invalid Input Error: {text!a} is no text: it has half a character in it.") from error


def spark_literal(shape: str | Field, text: str) -> str:
    """Return a value, in the text that `converted` gives, as a literal of Spark."""
    if isinstance(shape, Field) and shape.children:
        return _nested_literal(shape, parse_value(shape, text))
    column_type = shape if isinstance(shape, str) else shape.type
    if column_type in INTEGERS:
        value = int(text)
        mark = _MARKS.get(column_type)
        if mark is not None:
            return f"{value}{mark}"
        return str(value) if -(2**31) <= value < 2**31 else f"{value}L" if -(2**63) <= value < 2**63 else f"{value}BD"
    if is_decimal(column_type):
        return f"{text}BD"
    match column_type:
        case "boolean":
            return text.upper()
        case "float32" | "float64":
            return f"CAST('{text}' AS {spark_type(column_type)})"
        case "date":
            return f"DATE '{_spark_date(text)}'"
        case "timestamp" | "timestamp_s" | "timestamp_ms":
            return f"TIMESTAMP_NTZ '{_spark_date(text)}'"
        case "timestamptz":
            return f"TIMESTAMP_LTZ '{_spark_date(text.removesuffix('+00'))}+00:00'"
        case "blob":
            return f"X'{parse_value(Field(None, '', 'blob'), text).hex().upper()}'"
    return quoted(text)


def _nested_literal(shape: Field, value: Any) -> str:
    """Return a value of `forklake.files.values`; its parts have the very types that Spark shows them as."""
    if value is None:
        return f"CAST(NULL AS {spark_type(shape)})"
    match shape.type:
        case "list":
            parts = [_nested_literal(shape.children[0], part) for part in value]
            return f"array({', '.join(parts)})" if parts else f"CAST(array() AS {spark_type(shape)})"
        case "struct":
            fields = zip(spark_names(shape), shape.children, value, strict=True)
            named = (f"{quoted(name)}, {_nested_literal(child, part)}" for name, child, part in fields)
            return f"named_struct({', '.join(named)})"
        case "map":
            keys, items = ([_nested_literal(child, pair[place]) for pair in value] for place, child in _sides(shape))
            if not keys:
                return f"CAST(map() AS {spark_type(shape)})"
            return f"map({', '.join(part for pair in zip(keys, items, strict=True) for part in pair)})"
    literal = spark_literal(shape.type, format_value(shape, value))
    is_wide = (shape.type in INTEGERS and shape.type not in _MARKS) or is_decimal(shape.type)
    return f"CAST({literal} AS {spark_type(shape)})" if is_wide else literal


def _sides(shape: Field) -> Iterable[tuple[int, Field]]:
    return enumerate(shape.children)


def _spark_date(text: str) -> str:
    """Return a date or timestamp with its year as Spark wants it: signed beyond 9999 and before 1."""
    year, rest = text.split("-", 1)
    if " (BC)" in rest:
        return f"-{int(year) - 1:04d}-{rest.replace(' (BC)', '')}"
    return f"+{text}" if len(year) > 4 else text


def converted(text: str, shape: str | Field) -> str:
    """Return the text that DuckLake writes for the value that DuckDB reads from quoted text.

    A timestamp with time zone that has no offset is UTC.

    Raises:
        InvalidInputError: It is no value of that type, or one that Spark has not.
    """
    field = Field(None, "", shape) if isinstance(shape, str) else shape
    try:
        found = text if field.type == "varchar" else format_value(field, parse_value(field, text))
    except ValueError as error:
        raise InvalidInputError(f"Conversion Error: {error}") from error
    if found in ("infinity", "-infinity"):
        raise InvalidInputError(f'The infinite value "{text}" of type {type_name(field)} is none that Spark has.')
    return found
