"""Constants: from what DuckDB accepts to the one text of a value, and from that to a literal of Spark.

A literal of Spark means the same whatever the session's time zone, ANSI mode or parser settings.
"""

from __future__ import annotations

import re
from typing import Final

from forklake.errors import InvalidInputError
from forklake.files.texts import format_value, parse_value
from forklake.model.field import Field
from forklake.sql.bound import INTEGERS, is_decimal, type_name

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
}


def spark_type(column_type: str) -> str:
    """Return the type that Spark shows values of a type as."""
    return column_type.upper() if is_decimal(column_type) else _SPARK_TYPES.get(column_type, "STRING")


def quoted(text: str) -> str:
    """Return text as a literal of Spark, which no setting of its parser reads differently.

    >>> quoted("a b"), quoted("it's")
    ("'a b'", "CAST(X'69742773' AS STRING)")
    """
    return f"'{text}'" if _PLAIN_TEXT.fullmatch(text) else f"CAST(X'{text.encode().hex().upper()}' AS STRING)"


def spark_literal(column_type: str, text: str) -> str:
    """Return a value, in the text that `converted` gives, as a literal of Spark."""
    if column_type in INTEGERS:
        value = int(text)
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


def _spark_date(text: str) -> str:
    """Return a date or timestamp with its year as Spark wants it: signed beyond 9999 and before 1."""
    year, rest = text.split("-", 1)
    if " (BC)" in rest:
        return f"-{int(year) - 1:04d}-{rest.replace(' (BC)', '')}"
    return f"+{text}" if len(year) > 4 else text


def converted(text: str, column_type: str) -> str:
    """Return the text that DuckLake writes for the value that DuckDB reads from quoted text.

    A timestamp with time zone that has no offset is UTC.

    Raises:
        InvalidInputError: It is no value of that type, or one that Spark has not.
    """
    field = Field(None, "", column_type)
    try:
        found = text if column_type == "varchar" else format_value(field, parse_value(field, text))
    except ValueError as error:
        raise InvalidInputError(f"Conversion Error: {error}") from error
    if found in ("infinity", "-infinity"):
        raise InvalidInputError(f'The infinite value "{text}" of type {type_name(column_type)} is none that Spark has.')
    return found
