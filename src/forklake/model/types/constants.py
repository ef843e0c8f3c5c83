"""The types that DuckDB gives to constants."""

from __future__ import annotations

import decimal
import uuid
from datetime import date, datetime, time, timedelta

from forklake.model.types.kinds import (
    BLOB,
    BOOLEAN,
    DATE,
    FLOAT64,
    INT32,
    INT64,
    INT128,
    INTERVAL,
    NULL,
    TIME,
    TIMESTAMP,
    TIMESTAMPTZ,
    UINT128,
    UUID,
    VARCHAR,
    Decimal,
    Integer,
    Type,
)
from forklake.model.types.shapes import list_of


def integer_of(value: int) -> Integer:
    """Return the type of a whole number as it is written.

    >>> [integer_of(value).name for value in (-1, 2**31, 2**63, 2**127)]
    ['int32', 'int64', 'int128', 'uint128']
    """
    return next((kind for kind in (INT32, INT64, INT128, UINT128) if kind.low <= value <= kind.high), INT128)


def type_of(value: object) -> Type | None:
    """Return the type of a value of Python as a constant; None if it can be none.

    >>> [type_of(value).sql_name for value in (1, 2**40, "x", [1], None, decimal.Decimal("1.50"))]
    ['INTEGER', 'BIGINT', 'VARCHAR', 'INTEGER[]', '"NULL"', 'DECIMAL(3,2)']
    """
    match value:
        case None:
            return NULL
        case bool():
            return BOOLEAN
        case int():
            return integer_of(value)
        case decimal.Decimal():
            _, digits, exponent = value.as_tuple()
            scale = max(0, -exponent) if isinstance(exponent, int) else 0
            return Decimal(max(len(digits), scale, 1), scale)
        case float():
            return FLOAT64
        case str():
            return VARCHAR
        case bytes():
            return BLOB
        case datetime():
            return TIMESTAMP if value.tzinfo is None else TIMESTAMPTZ
        case date():
            return DATE
        case time():
            return TIME
        case timedelta():
            return INTERVAL
        case uuid.UUID():
            return UUID
        case list() | tuple():
            element = type_of(value[0]) if value else INT32
            return None if element is None else list_of(element)
    return None
