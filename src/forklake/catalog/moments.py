"""Moments that users pass: a snapshot id, a time or a tag.

One rule holds everywhere: a time without a zone is UTC.
"""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from typing import Final

from forklake.errors import InvalidInputError
from forklake.model import types
from forklake.model.ids import SnapshotId
from forklake.model.lazy_dataclass import dataclass
from forklake.model.moment import moment

Time = datetime | date | str
"""A datetime, a day (its first moment), or a text such as ``2026-01-31 12:00`` or ``2026-01-31T12:00:00+01:00``."""


@dataclass(frozen=True, slots=True)
class TagName:
    """The name of a snapshot.

    Attributes:
        name: The name.
        unread: What is wrong if there is no such tag, and the text may be meant as something else; None: it is a tag.
    """

    name: str
    unread: str | None = None


Moment = int | Time | TagName
"""A snapshot id, a time, or a tag; a text that is no time is a tag."""

_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)


def read_time(given: Time) -> datetime:
    """Return a time as an aware datetime in UTC; a time without a zone is UTC.

    Raises:
        InvalidInputError: It is no time, or not within the years 1 to 9999.
    """
    if isinstance(given, str):
        found = _from_text(given)
        if found is None:
            raise InvalidInputError(
                f'Conversion Error: "{given}" is no timestamp.',
                hint="Write it as 2026-01-31 12:00:00 or 2026-01-31T12:00:00+01:00; without a zone it is UTC.",
            )
    elif isinstance(given, datetime):
        found = given
    elif isinstance(given, date):
        found = datetime(given.year, given.month, given.day, tzinfo=UTC)
    else:
        raise InvalidInputError(f"A time is a datetime, a date or a text, not {given!r}.")
    if found.tzinfo is None or found.utcoffset() is None:
        return found.replace(tzinfo=UTC)
    try:
        return found.astimezone(UTC)
    except OverflowError:
        raise InvalidInputError(f'Conversion Error: "{given}" is not within the years 1 to 9999.') from None


def read_moment(given: Moment) -> SnapshotId | datetime | TagName:
    """Return a snapshot id, a time or a tag, whichever was given.

    Raises:
        InvalidInputError: It is none of them.
    """
    if isinstance(given, TagName):
        return given
    if isinstance(given, str) and _from_text(given) is None:
        return TagName(given, f'Conversion Error: "{given}" is no timestamp')
    if isinstance(given, datetime | date | str):
        return read_time(given)
    if isinstance(given, bool) or not isinstance(given, int):
        raise InvalidInputError(f"A moment is a snapshot id, a whole number, or a time or a tag, not {given!r}.")
    return SnapshotId(given)


def one_moment(
    moment: Moment | None, version: int | None, timestamp: Time | None, tag: str | None = None
) -> SnapshotId | datetime | TagName:
    """Return the one moment that a caller passes in one of four ways.

    Raises:
        InvalidInputError: None or several were given, or it is no moment.
    """
    given = [one for one in (moment, version, timestamp, tag) if one is not None]
    if len(given) > 1:
        raise InvalidInputError("Cannot specify both VERSION and TIMESTAMP" + ("" if tag is None else ", or a tag"))
    if not given:
        raise InvalidInputError("Say which moment: a snapshot id, a time or a tag.")
    if tag is not None:
        if not isinstance(tag, str):
            raise InvalidInputError(f"A tag is a name, not {tag!r}.")
        return TagName(tag)
    if version is not None and (isinstance(version, bool) or not isinstance(version, int)):
        raise InvalidInputError(f"A snapshot is named by its id, a whole number, not by {version!r}.")
    return read_time(timestamp) if timestamp is not None else read_moment(given[0])


def _from_text(text: str) -> datetime | None:
    """Parse ISO 8601 as Python does, or else any form that DuckDB reads."""
    stripped = text.strip()
    try:
        return datetime.fromisoformat(stripped)
    except ValueError:
        nanos = moment(types.TIMESTAMPTZ, stripped)
    try:
        return None if nanos is None else _EPOCH + timedelta(microseconds=nanos // 1000)
    except OverflowError:
        raise InvalidInputError(f'Conversion Error: "{text}" is not within the years 1 to 9999.') from None
