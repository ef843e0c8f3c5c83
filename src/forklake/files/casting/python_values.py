"""Python values as DuckDB's client returns them, from and to internal values.

Internal values are those of `forklake.files.arrow.values`. Where Python's types are not exact, a value is
returned as the text that DuckDB casts it to: infinite dates, years before 1 and after 9999, nanoseconds,
intervals of months, 24 o'clock, offsets with seconds. Geometries are text too.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from typing import Any, Final
from uuid import UUID

from forklake.files.casting.geometries import format_geometry, parse_geometry
from forklake.files.casting.intervals import Interval, parse_interval
from forklake.files.casting.moments import (
    DAY_MICROS,
    format_date,
    format_time,
    format_timestamp,
    parse_date,
    parse_time,
    parse_timestamp,
)
from forklake.model import types
from forklake.model.types import Type

_EPOCH: Final = datetime(1970, 1, 1)  # noqa: DTZ001  timestamps have no zone
_EPOCH_UTC: Final = datetime(1970, 1, 1, tzinfo=UTC)
_EPOCH_DAY: Final = date(1970, 1, 1).toordinal()
_MICROSECOND: Final = timedelta(microseconds=1)
_TWO_PARTS: Final = {"key", "value"}

Convert = Callable[[Any], Any]


def to_python(kind: Type, values: list[Any]) -> list[Any]:
    """Return internal values of a column (`files.arrow.values`) as Python values."""
    convert = _converter_to_python(kind)
    return values if convert is None else [None if value is None else convert(value) for value in values]


def from_python(kind: Type, values: Sequence[Any]) -> list[Any]:
    """Return Python values of a column as internal ones (`files.arrow.values`).

    Raises:
        ValueError: A text is not a value of the type.
    """
    convert = _converter_from_python(kind)
    return list(values) if convert is None else [None if value is None else convert(value) for value in values]


# ---- as a user is given them -----------------------------------------------------------------------------------------


def _converter_to_python(kind: Type) -> Convert | None:
    """Return the function that converts a value to Python; None if none is needed.

    The function is not called for NULL.
    """
    match kind:
        case types.List(element):
            item = _converter_to_python(element.type)
            return None if item is None else lambda values: [None if each is None else item(each) for each in values]
        case types.Struct():
            return _struct_to_python(kind)
        case types.Map():
            return _map_to_python(kind)
    return _SHOWN.get(kind)


def _struct_to_python(kind: types.Struct) -> Convert:
    parts = [_converter_to_python(field.type) or _same for field in kind.fields]
    names = [field.name for field in kind.fields]

    def values_of(row: tuple[Any, ...]) -> list[Any]:
        return [None if value is None else part(value) for part, value in zip(parts, row, strict=True)]

    if not any(names):
        return lambda row: tuple(values_of(row))
    return lambda row: dict(zip(names, values_of(row), strict=True))


def _map_to_python(kind: types.Map) -> Convert:
    key, item = (_converter_to_python(field.type) or _same for field in kind.children)
    is_hashable = not isinstance(kind.key.type, types.Nested)

    def convert(pairs: Sequence[tuple[Any, Any]]) -> dict[Any, Any]:
        shown = [(key(left), None if right is None else item(right)) for left, right in pairs]
        if is_hashable:
            return dict(shown)
        return {"key": [left for left, _ in shown], "value": [right for _, right in shown]}

    return convert


def _same(value: Any) -> Any:
    return value


def _date(days: int) -> date | str:
    try:
        return date.fromordinal(_EPOCH_DAY + days)
    except (ValueError, OverflowError):
        return format_date(days)


def _time(value: int | str) -> time | str:
    text = value if isinstance(value, str) else format_time(value)
    try:
        shown = time.fromisoformat(text)
    except ValueError:
        return text
    # Python reads 24 o'clock as midnight since 3.13.
    return text if text.startswith("24") else shown


def _timetz(text: str) -> time | str:
    shown = _time(text)
    offset = shown.utcoffset() if isinstance(shown, time) else None
    return text if offset is None or offset.seconds % 60 else shown


def _timestamp(micros: int) -> datetime | str:
    try:
        return _EPOCH + timedelta(microseconds=micros)
    except OverflowError:
        return format_timestamp(micros)


def _timestamptz(micros: int) -> datetime | str:
    try:
        return _EPOCH_UTC + timedelta(microseconds=micros)
    except OverflowError:
        return format_timestamp(micros, has_zone=True)


def _timestamp_ns(value: int | str) -> datetime | str:
    text = value if isinstance(value, str) else format_timestamp(value, "ns")
    _, _, fraction = text.partition(".")
    if len(fraction) > 6:
        return text
    try:
        return datetime.fromisoformat(text)
    except ValueError:
        return text


def _interval(text: str) -> timedelta | str:
    months, days, micros = parse_interval(text)
    # Python adds days and hours up, and an interval does not: 25 hours are no day and an hour.
    return timedelta(days, 0, micros) if not months and 0 <= micros < DAY_MICROS else text


_SHOWN: Final[dict[Type, Convert]] = {
    types.INT128: int,
    types.UINT64: int,
    types.UINT128: int,
    types.UUID: UUID,
    types.DATE: _date,
    types.TIME: _time,
    types.TIMETZ: _timetz,
    types.TIMESTAMP: _timestamp,
    types.TIMESTAMP_S: _timestamp,
    types.TIMESTAMP_MS: _timestamp,
    types.TIMESTAMP_NS: _timestamp_ns,
    types.TIMESTAMPTZ: _timestamptz,
    types.INTERVAL: _interval,
    types.GEOMETRY: format_geometry,
}


# ---- as they are held ------------------------------------------------------------------------------------------------


def _converter_from_python(kind: Type) -> Convert | None:
    """Return the function that converts a value from Python; None if none is needed.

    The function is not called for NULL.
    """
    match kind:
        case types.List(element):
            item = _converter_from_python(element.type) or _same
            return lambda values: [None if each is None else item(each) for each in values]
        case types.Struct():
            return _struct_from_python(kind)
        case types.Map():
            return _map_from_python(kind)
        case types.Decimal():
            return Decimal
    return _HELD.get(kind)


def _struct_from_python(kind: types.Struct) -> Convert:
    parts = [(field.name, _converter_from_python(field.type) or _same) for field in kind.fields]

    def convert(row: Mapping[str, Any] | Sequence[Any]) -> tuple[Any, ...]:
        values = [row.get(name) for name, _ in parts] if isinstance(row, Mapping) else row
        return tuple(None if value is None else part(value) for (_, part), value in zip(parts, values, strict=True))

    return convert


def _map_from_python(kind: types.Map) -> Convert:
    key, item = (_converter_from_python(field.type) or _same for field in kind.children)
    is_hashable = not isinstance(kind.key.type, types.Nested)

    def convert(given: Mapping[Any, Any] | Sequence[tuple[Any, Any]]) -> list[tuple[Any, Any]]:
        if not isinstance(given, Mapping):
            pairs = list(given)
        elif not is_hashable and set(given) == _TWO_PARTS:
            pairs = list(zip(given["key"], given["value"], strict=True))
        else:
            pairs = list(given.items())
        return [(key(left), None if right is None else item(right)) for left, right in pairs]

    return convert


def _days(value: date | str) -> int:
    return parse_date(value) if isinstance(value, str) else value.toordinal() - _EPOCH_DAY


def _clock(value: time | str) -> int | str:
    if isinstance(value, str):
        return value if value.startswith("24") else parse_time(value)
    return ((value.hour * 60 + value.minute) * 60 + value.second) * 1_000_000 + value.microsecond


def _clock_with_offset(value: time | str) -> str:
    if isinstance(value, str):
        return value
    offset = value.utcoffset() or timedelta()
    minutes, sign = abs(offset) // timedelta(minutes=1), "-" if offset < timedelta() else "+"
    below = f":{minutes % 60:02}" if minutes % 60 else ""
    return f"{format_time(int(_clock(value)))}{sign}{minutes // 60:02}{below}"


def _micros(value: datetime | date | str, unit: str = "us", *, has_zone: bool = False) -> int:
    if isinstance(value, str):
        return parse_timestamp(value, unit, has_zone=has_zone)
    if not isinstance(value, datetime):
        return (value.toordinal() - _EPOCH_DAY) * DAY_MICROS
    return (value - (_EPOCH if value.tzinfo is None else _EPOCH_UTC)) // _MICROSECOND


def _nanos(value: datetime | str) -> int:
    return parse_timestamp(value, "ns") if isinstance(value, str) else _micros(value) * 1000


def _span(value: timedelta | str | Interval) -> str:
    if isinstance(value, timedelta):
        return str(Interval(0, value.days, value.seconds * 1_000_000 + value.microseconds))
    return str(value)


_HELD: Final[dict[Type, Convert]] = {
    types.UUID: str,
    types.DATE: _days,
    types.TIME: _clock,
    types.TIMETZ: _clock_with_offset,
    types.TIMESTAMP: _micros,
    types.TIMESTAMP_S: _micros,
    types.TIMESTAMP_MS: _micros,
    types.TIMESTAMP_NS: _nanos,
    types.TIMESTAMPTZ: lambda value: _micros(value, has_zone=True),
    types.INTERVAL: _span,
    types.GEOMETRY: lambda value: parse_geometry(value) if isinstance(value, str) else bytes(value),
}
