"""Columns of Spark, classic and Connect, read as plain expressions."""

from __future__ import annotations

import re
from datetime import UTC, date, datetime, timedelta
from typing import Any, Final

from pyspark.sql.types import DateType, TimestampNTZType, TimestampType

from forklake.errors import InvalidInputError
from forklake.model.expression import Constant, Expression, FunctionCall, NamedColumn

_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_WORDS: Final = {
    "Alias": "an alias",
    "CaseWhen": "a case",
    "CaseWhenOtherwise": "a case",
    "Cast": "a cast",
    "CastExpression": "a cast",
    "ColumnAlias": "an alias",
    "ColumnReference": "a column of a frame",
    "ExpressionColumnNode": "a column of a frame",
    "SQLExpression": "a text of Spark SQL",
    "SortOrder": "an order",
    "SqlExpression": "a text of Spark SQL",
    "UnresolvedFunction": "a function of distinct values",
    "Window": "a window",
    "WindowExpression": "a window",
}
"""What the classes of Spark are that have no plain form."""
_PART: Final = re.compile(r"`((?:[^`]|``)*)`|([^.`]+)")


def column_expression(column: Any) -> Expression:
    """Return what a Column says.

    Raises:
        InvalidInputError: It says something that has no plain form: a cast, a case, a window, a text of SQL.
    """
    # A Column has every attribute that it is asked for: they are fields of structs.
    is_of_connect = type(column).__module__.startswith("pyspark.sql.connect.")
    return _of_connect(column, column._expr) if is_of_connect else _of_java(column, column._jc.node())


def _of_java(column: Any, node: Any) -> Expression:
    match node.getClass().getSimpleName():
        case "UnresolvedAttribute":
            return NamedColumn(tuple(_items(node.nameParts())))
        case "Literal":
            return Constant(_java_value(column, node.value()))
        case "UnresolvedFunction" if not node.isDistinct():
            return FunctionCall(node.functionName(), tuple(_of_java(column, one) for one in _items(node.arguments())))
        case other:
            raise _refusal(column, other)


def _items(sequence: Any) -> list[Any]:
    """Return the items of a sequence of Scala."""
    return [sequence.apply(place) for place in range(sequence.size())]


def _java_value(column: Any, value: Any) -> Any:
    if not hasattr(value, "getClass"):
        return value
    match value.getClass().getName():
        case "java.sql.Date" | "java.time.LocalDate":
            return date.fromisoformat(value.toString())
        case "java.sql.Timestamp":
            return _instant(_micros(value.toInstant()))
        case "java.time.Instant":
            return _instant(_micros(value))
        case "java.time.LocalDateTime":
            return datetime.fromisoformat(value.toString())
        case other:
            raise _refusal(column, other)


def _micros(instant: Any) -> int:
    """Return the microseconds since 1970 of an instant of Java."""
    return int(instant.getEpochSecond()) * 1_000_000 + int(instant.getNano()) // 1_000


def _instant(micros: int) -> datetime:
    """Return an instant as the local clock shows it.

    Spark makes an instant of a datetime without time zone, by the local clock of this process, so the clock shows
    what the caller wrote.

    Raises:
        InvalidInputError: No datetime of Python can be so early or so late.
    """
    try:
        return (_EPOCH + timedelta(microseconds=micros)).astimezone()
    except (ValueError, OverflowError) as error:
        raise InvalidInputError(
            "A Column has a time in it that is before the year 1 or after 9999, in UTC or by the local clock; nothing"
            " was done.",
            hint="Write it as SQL text, as DuckDB does.",
        ) from error


def _of_connect(column: Any, node: Any) -> Expression:
    match type(node).__name__:
        case "ColumnReference" if node._plan_id is None:
            found = _PART.findall(node._unparsed_identifier)
            return NamedColumn(tuple(quoted.replace("``", "`") or plain for quoted, plain in found))
        case "LiteralExpression":
            return Constant(_connect_value(node._value, node._dataType))
        case "UnresolvedFunction" if not node._is_distinct:
            return FunctionCall(node._name, tuple(_of_connect(column, one) for one in node._args))
        case other:
            raise _refusal(column, other)


def _connect_value(value: Any, kind: Any) -> Any:
    if value is None or not isinstance(kind, DateType | TimestampType | TimestampNTZType):
        return value
    if isinstance(kind, DateType):
        return kind.fromInternal(value)
    if isinstance(kind, TimestampType):
        return _instant(value)
    return (_EPOCH + timedelta(microseconds=value)).replace(tzinfo=None)


def _refusal(column: Any, what: str) -> InvalidInputError:
    return InvalidInputError(
        f"{column} cannot be read as a condition or a value: there is {_WORDS.get(what, what)} in it; nothing was"
        " done.",
        hint='Name columns by F.col("id"), and write what has no plain form as SQL text, as DuckDB does.',
    )
