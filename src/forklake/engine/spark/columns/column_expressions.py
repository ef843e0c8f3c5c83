"""Columns of Spark, classic and Connect, read as plain expressions."""

from __future__ import annotations

import re
from collections.abc import Callable
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
_CHAINS: Final = frozenset({"and", "or"})
_PART: Final = re.compile(r"`((?:[^`]|``)*)`|([^.`]+)")


def column_expression(column: Any) -> Expression:
    """Return what a Column says.

    Raises:
        InvalidInputError: It says something that has no plain form: a cast, a case, a window, a text of SQL. Or it is
            nested too deeply; a chain of ``&`` or ``|`` may have any length.
    """
    # A Column has every attribute that it is asked for: they are fields of structs.
    is_of_connect = type(column).__module__.startswith("pyspark.sql.connect.")
    try:
        return _of_connect(column, column._expr) if is_of_connect else _of_java(column, column._jc.node())
    except RecursionError as error:
        raise InvalidInputError("A Column is nested too deeply; nothing was done.") from error


def _of_java(column: Any, node: Any) -> Expression:
    match node.getClass().getSimpleName():
        case "UnresolvedAttribute":
            return NamedColumn(tuple(_items(node.nameParts())))
        case "Literal":
            return Constant(_java_value(column, node.value()))
        case "UnresolvedFunction" if not node.isDistinct():
            return _call(column, node, _of_java, _java_call)
        case other:
            raise _refusal(column, other)


def _call(
    column: Any,
    node: Any,
    read: Callable[[Any, Any], Expression],
    parts_of: Callable[[Any], tuple[str, list[Any]] | None],
) -> Expression:
    """Return a call with its arguments.

    A chain of ANDs or ORs is walked in a loop: callers join thousands of conditions.
    """
    name, arguments = parts_of(node) or ("", [])
    if name not in _CHAINS:
        return FunctionCall(name, tuple(read(column, one) for one in arguments))
    found: list[Expression] = []
    rest = arguments[::-1]
    while rest:
        part = rest.pop()
        inner = parts_of(part)
        if inner is not None and inner[0] == name:
            rest += inner[1][::-1]
        else:
            found.append(read(column, part))
    return FunctionCall(name, tuple(found))


def _java_call(node: Any) -> tuple[str, list[Any]] | None:
    """Return the name and the arguments of a call; None if it is something else."""
    if node.getClass().getSimpleName() != "UnresolvedFunction" or node.isDistinct():
        return None
    return node.functionName(), _items(node.arguments())


def _connect_call(node: Any) -> tuple[str, list[Any]] | None:
    if type(node).__name__ != "UnresolvedFunction" or node._is_distinct:
        return None
    return node._name, list(node._args)


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
            return _call(column, node, _of_connect, _connect_call)
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
