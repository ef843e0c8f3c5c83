"""Moments as statements give them."""

from __future__ import annotations

from datetime import UTC, date, datetime
from typing import Any

from forklake.errors import InvalidInputError
from forklake.model.types import moment


def aware_time(value: Any) -> datetime:
    """Return a moment that was given as text or as a time; without a zone it is UTC.

    Raises:
        InvalidInputError: It is none.
    """
    if isinstance(value, datetime):
        return value if value.tzinfo is not None else value.replace(tzinfo=UTC)
    if isinstance(value, date):
        return datetime(value.year, value.month, value.day, tzinfo=UTC)
    nanos = moment("timestamptz", str(value).strip())
    if nanos is None:
        raise InvalidInputError(f'Conversion Error: "{value}" is no timestamp.')
    try:
        return datetime.fromtimestamp(nanos // 1_000_000_000, UTC).replace(microsecond=nanos // 1000 % 1_000_000)
    except (ValueError, OverflowError) as error:
        raise InvalidInputError(f'Conversion Error: "{value}" is out of range.') from error
