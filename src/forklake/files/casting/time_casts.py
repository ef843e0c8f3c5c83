"""Casts to dates, times and timestamps (docs/spec/casts.md)."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
import pyarrow as pa

from forklake.files.arrow.schema import arrow_type
from forklake.files.casting.moments import (
    DAY_MICROS,
    INFINITE_DAY,
    INFINITE_MOMENT,
    UNIT_NANOS,
    format_date,
    format_time,
)
from forklake.model import types
from forklake.model.field import Field

_NO_INFINITE_TIME: Final = "Type INT64 with value infinity can't be cast to the destination type INT64"


def to_date(array: pa.Array) -> pa.Array:
    """Return the dates of timestamps, in UTC."""
    micros, infinite = _micros(array)
    days = np.where(infinite, np.sign(micros) * INFINITE_DAY, micros // DAY_MICROS)
    return pa.array(days.astype(np.int32), mask=np.asarray(array.is_null())).view(pa.date32())


def to_time(array: pa.Array) -> pa.Array:
    """Return times, and the times of day of timestamps, in microseconds.

    Raises:
        ValueError: A timestamp is infinite; with DuckDB's message.
    """
    if pa.types.is_time(array.type):
        ticks = array.view(pa.int32() if array.type.bit_width == 32 else pa.int64()).cast(pa.int64())
        micros = np.asarray(ticks.fill_null(0)) * UNIT_NANOS[array.type.unit] // 1000
    else:
        moments, infinite = _micros(array)
        if infinite.any():
            raise ValueError(_NO_INFINITE_TIME)
        micros = moments % DAY_MICROS
    return pa.array(micros, mask=np.asarray(array.is_null())).view(pa.time64("us"))


def to_timetz(array: pa.Array) -> pa.Array:
    """Return times, and the times of day of timestamps, as text with UTC's offset.

    Raises:
        ValueError: A timestamp is infinite; with DuckDB's message.
    """
    times = to_time(array).view(pa.int64()).to_pylist()
    return pa.array([None if micros is None else format_time(micros) + "+00" for micros in times], pa.string())


def to_timestamp(target: Field, array: pa.Array) -> pa.Array:
    """Return dates and timestamps as timestamps of the target's unit.

    Without a zone they are taken as UTC.

    Raises:
        ValueError: A value is out of range; with DuckDB's message.
    """
    assert isinstance(target.type, types.Timestamp)
    unit = target.type.unit
    if pa.types.is_date(array.type):
        micros, infinite = _midnights(array, unit)
    elif unit == "ns" and array.type.unit == "ns":
        return array.view(pa.int64()).view(arrow_type(target))
    else:
        micros, infinite = _micros(array)
    ticks = _ticks(micros, infinite, unit, stored=arrow_type(target).unit)
    return pa.array(ticks, mask=np.asarray(array.is_null())).view(arrow_type(target))


def _micros(array: pa.Array) -> tuple[Any, Any]:
    """Return timestamps in microseconds, 0 for NULL, and which of them are infinite."""
    ticks, unit = np.asarray(array.view(pa.int64()).fill_null(0)), array.type.unit
    infinite = np.abs(ticks) == INFINITE_MOMENT
    if unit == "ns":
        cut = np.sign(ticks) * (np.abs(ticks) // 1000)
        return np.where(infinite, ticks, cut), infinite
    factor = UNIT_NANOS[unit] // 1000
    if (~infinite & _beyond(ticks, factor)).any():
        raise ValueError(f"Could not convert Timestamp({unit.upper()}) to Timestamp(US)")
    return np.where(infinite, ticks, np.where(infinite, 0, ticks) * factor), infinite


def _midnights(array: pa.Array, unit: str) -> tuple[Any, Any]:
    days = np.asarray(array.view(pa.int32()).fill_null(0)).astype(np.int64)
    infinite = np.abs(days) >= INFINITE_DAY
    limit = INFINITE_MOMENT // (1000 if unit == "ns" else 1)
    # The lowest day of a timestamp is 290309-12-22 (BC); a later one begins at a moment that fits.
    beyond = ~infinite & ((days > limit // DAY_MICROS) | (days < -(limit // DAY_MICROS)))
    if beyond.any():
        day = format_date(int(days[beyond][0]))
        raise ValueError(f"Type INT32 with value {day} can't be cast to the destination type INT64")
    return np.where(infinite, np.sign(days) * INFINITE_MOMENT, np.where(infinite, 0, days) * DAY_MICROS), infinite


def _ticks(micros: Any, infinite: Any, unit: str, stored: str) -> Any:
    """Return microseconds rounded to a unit, in the unit that files store."""
    if unit == "ns":
        if (~infinite & _beyond(micros, 1000)).any():
            raise ValueError("Could not convert Timestamp(US) to Timestamp(NS)")
        return np.where(infinite, micros, np.where(infinite, 0, micros) * 1000)
    size = UNIT_NANOS[unit] // 1000
    if size == 1:
        return micros
    finite = np.where(infinite, 0, micros)
    units = np.sign(finite) * ((np.abs(finite) + size // 2) // size)
    factor = size // (UNIT_NANOS[stored] // 1000)
    if _beyond(units, factor).any():
        raise ValueError(f"Could not convert Timestamp(US) to Timestamp({unit.upper()})")
    return np.where(infinite, micros, units * factor)


def _beyond(ticks: Any, factor: int) -> Any:
    """Return which ticks leave the range of finite moments when multiplied."""
    limit = (INFINITE_MOMENT - 1) // factor
    return (ticks > limit) | (ticks < -limit)
