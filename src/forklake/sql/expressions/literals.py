"""Constants: from text that DuckDB accepts to DuckLake's text and Spark's literal.

A Spark literal means the same whatever the session's time zone, ANSI mode or parser settings.
"""

from __future__ import annotations

import re
from decimal import Decimal
from typing import Any, Final

from forklake.errors import InvalidInputError
from forklake.files.casting.texts import format_value, parse_value
from forklake.model import types
from forklake.model.interruption import in_time
from forklake.model.quoting import quote_spark_name
from forklake.model.types import Type

_PLAIN_TEXT: Final = re.compile(r"[\w !#%&()*+,./:;<=>?@\[\]^{|}~-]*", re.ASCII)
_SPARK_TYPES: Final[dict[Type, str]] = {
    types.BOOLEAN: "BOOLEAN",
    types.INT8: "TINYINT",
    types.INT16: "SMALLINT",
    types.INT32: "INT",
    types.INT64: "BIGINT",
    types.FLOAT32: "FLOAT",
    types.FLOAT64: "DOUBLE",
    types.VARCHAR: "STRING",
    types.BLOB: "BINARY",
    types.DATE: "DATE",
    types.TIMESTAMP: "TIMESTAMP_NTZ",
    types.TIMESTAMPTZ: "TIMESTAMP_LTZ",
    types.VARIANT: "VARIANT",
    types.NULL: "VOID",
}
"""What Spark calls the types that it has."""
INFINITIES: Final = ("infinity", "-infinity")
"""The texts of infinite moments."""
_LAST: Final = "INTERVAL '106751991 04:00:54.775807' DAY TO SECOND"
"""The microseconds of 63 bits."""
_TOO_LONG: Final = f"raise_error('Out of Range Error: Spark holds {types.MAX_PRECISION} digits"
_MARKS: Final[dict[Type, str]] = {types.INT8: "Y", types.INT16: "S", types.INT32: "", types.INT64: "L"}
"""What follows the digits of an integer of a type that Spark has."""


def spark_type(kind: Type) -> str:
    """Return the Spark type that holds the values of a type.

    >>> from forklake.model.types.shapes import list_of
    >>> spark_type(list_of(types.UINT8))
    'ARRAY<SMALLINT>'
    """
    match kind.shown_as:
        case types.List(element):
            return f"ARRAY<{spark_type(element.type)}>"
        case types.Map(key, value):
            return f"MAP<{spark_type(key.type)}, {spark_type(value.type)}>"
        case types.Struct(fields):
            parts = zip(spark_names(kind), fields, strict=True)
            return (
                f"STRUCT<{', '.join(f'{quote_spark_name(name)}: {spark_type(field.type)}' for name, field in parts)}>"
            )
        case types.Decimal() as decimal:
            return decimal.sql_name
        case shown:
            return _SPARK_TYPES.get(shown, "STRING")


def spark_names(kind: Type) -> list[str]:
    """Return the names of a struct's fields in Spark.

    The fields of a row have no names and are named by their position.
    """
    return [field.name or f"col{place}" for place, field in enumerate(kind.children, 1)]


def text_literal(text: str) -> str:
    """Return text as a Spark literal, the same under every parser setting.

    Raises:
        InvalidInputError: It cannot be written as UTF-8.

    >>> text_literal("a b"), text_literal("it's")
    ("'a b'", "CAST(X'69742773' AS STRING)")
    """
    if _PLAIN_TEXT.fullmatch(text):
        return f"'{text}'"
    try:
        return f"CAST(X'{text.encode().hex().upper()}' AS STRING)"
    except UnicodeEncodeError as error:
        raise InvalidInputError(f"Invalid Input Error: {text!a} is no text: it has half a character in it.") from error


def spark_literal(kind: Type, text: str) -> str:
    """Return a value, in the text that `ducklake_text` gives, as a Spark literal."""
    match kind:
        case types.Nested():
            return _nested_literal(kind, parse_value(kind, text))
        case types.Integer():
            return _integer_literal(kind, int(text))
        case types.Decimal():
            return decimal_literal(text)
        case types.Boolean():
            return text.upper()
        case types.Float():
            return f"CAST('{text}' AS {spark_type(kind)})"
        case types.Date() | types.Timestamp() if text in INFINITIES:
            return infinite_literal(kind, text)
        case types.Date():
            return f"DATE '{_spark_date(text)}'"
        case types.TIMESTAMP | types.TIMESTAMP_S | types.TIMESTAMP_MS:
            return f"TIMESTAMP_NTZ '{_spark_date(text)}'"
        case types.TIMESTAMPTZ:
            return f"TIMESTAMP_LTZ '{_spark_date(text.removesuffix('+00'))}+00:00'"
        case types.Blob():
            return f"X'{parse_value(kind, text).hex().upper()}'"
    return text_literal(text)


def infinite_literal(kind: Type, text: str) -> str:
    """Return an infinite date or timestamp as a Spark constant."""
    sign = "-" if text.startswith("-") else ""
    match kind:
        case types.DATE:
            return f"date_from_unix_date({sign}{2**31 - 1})"
        case types.TIMESTAMPTZ:
            return f"timestamp_micros({sign}{2**63 - 1})"
        case types.TIMESTAMP_NS | types.VARCHAR:
            return f"'{text}'"
    return f"(TIMESTAMP_NTZ '1970-01-01 00:00:00' {sign or '+'} {_LAST})"


def _integer_literal(kind: types.Integer, value: int) -> str:
    if kind.shown_as in _MARKS:
        return f"{value}{_MARKS[kind.shown_as]}"
    if -(2**31) <= value < 2**31:
        return str(value)
    if not kind.least_shown <= value <= kind.most_shown:
        return decimal_literal(str(value))
    return f"{value}L" if -(2**63) <= value < 2**63 else decimal_literal(str(value))


def is_too_long(sql: str) -> bool:
    """Return whether an expression has a constant with more digits than Spark holds.

    No text of a user is taken for one: it has no quotes in it.
    """
    return _TOO_LONG in sql


def decimal_literal(text: str) -> str:
    """Return an exact number as a Spark decimal with the digits that it has.

    Spark takes an integer for less than a literal beyond BIGINT, and for greater than one below it, also where the
    integer is NULL. So such a number is a cast.

    >>> decimal_literal("1.50"), decimal_literal("9223372036854775808.5")
    ('1.50BD', "CAST('9223372036854775808.5' AS DECIMAL(20,1))")
    """
    value = Decimal(text)
    _, digits, exponent = value.as_tuple()
    assert isinstance(exponent, int)
    if len(digits) > types.MAX_PRECISION:
        return f"CAST({_TOO_LONG}, and {text} has more; nothing was done.') AS DECIMAL(38,0))"
    if -(2**63) <= value < 2**63:
        return f"{text}BD"
    return f"CAST('{text}' AS DECIMAL({len(digits)},{-exponent}))"


def _nested_literal(kind: Type, value: Any) -> str:
    """Return a nested value (`forklake.files.arrow.values`) as a Spark literal.

    Its parts have exactly the Spark types of their types.
    """
    if value is None:
        return f"CAST(NULL AS {spark_type(kind)})"
    match kind:
        case types.List(element):
            parts = [_nested_literal(element.type, part) for part in in_time(value)]
            return f"array({', '.join(parts)})" if parts else f"CAST(array() AS {spark_type(kind)})"
        case types.Struct(fields):
            pairs = zip(spark_names(kind), fields, value, strict=True)
            named = (f"{text_literal(name)}, {_nested_literal(field.type, part)}" for name, field, part in pairs)
            return f"named_struct({', '.join(named)})"
        case types.Map(key, item):
            if not value:
                return f"CAST(map() AS {spark_type(kind)})"
            parts = [
                f"{_nested_literal(key.type, one)}, {_nested_literal(item.type, other)}"
                for one, other in in_time(value)
            ]
            return f"map({', '.join(parts)})"
    literal = spark_literal(kind, format_value(kind, value))
    is_wide = isinstance(kind.shown_as, types.Decimal)
    return f"CAST({literal} AS {spark_type(kind)})" if is_wide else literal


def _spark_date(text: str) -> str:
    """Return a date or timestamp with its year as Spark reads it.

    Years beyond 9999 and before 1 have a sign.
    """
    year, rest = text.split("-", 1)
    if " (BC)" in rest:
        return f"-{int(year) - 1:04d}-{rest.replace(' (BC)', '')}"
    return f"+{text}" if len(year) > 4 else text


def ducklake_text(text: str, kind: Type) -> str:
    """Convert quoted text, as DuckDB reads it, to DuckLake's text of the value.

    A timestamp with time zone that has no offset is UTC.

    Raises:
        InvalidInputError: It is no value of the type.
    """
    try:
        return text if kind == types.VARCHAR else format_value(kind, parse_value(kind, text))
    except ValueError as error:
        raise InvalidInputError(f"Conversion Error: {error}") from error
