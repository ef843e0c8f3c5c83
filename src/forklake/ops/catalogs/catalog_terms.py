"""Reads what a new catalog gets beside its content: author, labels, lifetime."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from datetime import timedelta
from math import ceil
from typing import Final

from forklake.catalog.moments import Time, read_time
from forklake.catalog.names import MAX_TEXT_BYTES, check_text
from forklake.errors import InvalidInputError
from forklake.metastore.store import Store
from forklake.model.lives import NewLifetime, Terms
from forklake.model.names import byte_length
from forklake.model.records import CommitInfo
from forklake.ops.lakes.relative_times import age_of, seconds_of

NO_TERMS: Final = Terms()
_UNDONE: Final = "nothing was done"

Duration = timedelta | str
"""A length of time: a timedelta, or a text such as ``2h`` or ``30 days``."""


def read_terms(
    store: Store,
    author: str | None = None,
    labels: Mapping[str, str] | None = None,
    ttl: Time | Duration | None = None,
    renew_by_commits: Duration | None = None,
    purge_after: Duration | None = None,
) -> Terms:
    """Return the terms of a new catalog, if they make sense.

    Raises:
        InvalidInputError: A label is no text, a length of time is none, or the lifetime lies in the past.
    """
    lifetime = None
    if ttl is not None:
        lifetime = read_lifetime(store, ttl, renew_by_commits, purge_after)
    elif renew_by_commits is not None or purge_after is not None:
        raise InvalidInputError(
            f"A catalog without a lifetime is neither renewed nor purged; {_UNDONE}.",
            hint='Give it a lifetime, too, as ttl="2h".',
        )
    return Terms(check_text("author", author), read_labels(labels), lifetime)


def read_info(author: str | None = None, message: str | None = None, extra_info: str | None = None) -> CommitInfo:
    """Return who does something and why, if these are texts.

    Raises:
        InvalidInputError: One is not a text.
    """
    return CommitInfo(
        check_text("author", author), check_text("message", message), check_text("extra info", extra_info)
    )


def read_lifetime(
    store: Store, ttl: Time | Duration, renew_by_commits: Duration | None, purge_after: Duration | None
) -> NewLifetime:
    """Return a lifetime: a length of time, or until a time that is still to come.

    Raises:
        InvalidInputError: It is neither, or it lies in the past.
    """
    renew = None if renew_by_commits is None else ceil(seconds_of(renew_by_commits, "What commits add", _UNDONE))
    purge = None if purge_after is None else ceil(seconds_of(purge_after, "The time until a purge", _UNDONE))
    if isinstance(ttl, timedelta) or (isinstance(ttl, str) and age_of(ttl) is not None):
        return NewLifetime(seconds_of(ttl, "A lifetime", _UNDONE), None, renew, purge)
    until = None
    with suppress(InvalidInputError):
        until = read_time(ttl)
    if until is None:
        raise InvalidInputError(
            f"A lifetime is a length of time, or a time, not {ttl!r}; {_UNDONE}.",
            hint="Say '2h', or 2026-01-31T12:00:00Z.",
        )
    with store.reading() as session:
        now = session.now()
    if until <= now:
        raise InvalidInputError(f"A lifetime ends after now, not at {until.isoformat(sep=' ')}; {_UNDONE}.")
    return NewLifetime(None, until, renew, purge)


def read_labels(labels: Mapping[str, str] | None) -> dict[str, str]:
    """Return labels, if they make sense.

    Raises:
        InvalidInputError: They are no texts by name.
    """
    given: object = labels
    if given is not None and not isinstance(given, Mapping):
        raise InvalidInputError(f"Labels are texts by name, not {given!r}; {_UNDONE}.", hint='labels={"team": "web"}')
    for key, value in (labels or {}).items():
        for text in (key, value):
            if not isinstance(text, str):
                raise InvalidInputError(f"A label is a text under a name, not {key!r}: {value!r}; {_UNDONE}.")
            check_text(f'label "{key[:40]}"', text)
        if not key:
            raise InvalidInputError(f"The name of a label is not empty; {_UNDONE}.")
    size = sum(byte_length(text) for pair in (labels or {}).items() for text in pair)
    if size > MAX_TEXT_BYTES:
        raise InvalidInputError(
            f"The labels of a catalog have {size:,} bytes together, and at most {MAX_TEXT_BYTES:,} are allowed;"
            f" {_UNDONE}."
        )
    return dict(labels or {})
