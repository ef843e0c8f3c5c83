"""Credentials of object stores that a SQL session was given.

They count where its statements run: for the thread, for pools of threads that it gives work to, and for tasks of Spark
that bring them along.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import field
from functools import partial
from typing import Any, Final, Literal

from forklake.model.lazy_dataclass import dataclass

_S3: Final = re.compile(r"s3[an]?://", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Credential:
    """How requests to S3, or to a store that speaks its protocol, are sent and signed.

    Attributes:
        scopes: Which paths it is for: what they begin with.
        key_id: The access key; None if requests are not signed.
        secret: What belongs to the access key.
        session_token: The same, of keys that last a while.
        region: Where the bucket is; None if that is not known.
        endpoint: The host of the store; None for Amazon's.
        url_style: Whether a bucket is named in the host or in the path.
        use_ssl: Whether requests are encrypted.
        is_found: Whether the process looks for keys that are not given.
    """

    scopes: tuple[str, ...]
    key_id: str | None = None
    secret: str | None = field(default=None, repr=False)
    session_token: str | None = field(default=None, repr=False)
    region: str | None = None
    endpoint: str | None = None
    url_style: Literal["vhost", "path"] = "vhost"
    use_ssl: bool = True
    is_found: bool = False


@dataclass(frozen=True, slots=True)
class Keyring:
    """The credentials of one session, in the order of their names."""

    credentials: tuple[Credential, ...] = ()

    def credential_for(self, path: str) -> Credential | None:
        """Return the credential that a path is reached with; None: the environment's."""
        if not self.credentials or not _S3.match(path):
            return None
        found = closest_scope(path, (one.scopes for one in self.credentials))
        return None if found is None else self.credentials[found]

    @contextmanager
    def use(self) -> Iterator[None]:
        """Let these credentials count for the block, in this thread."""
        token = _current.set(self)
        try:
            yield
        finally:
            _current.reset(token)

    def run(self, function: Callable[..., Any], /, *args: Any, **named: Any) -> Any:
        """Call a function for which these credentials count."""
        with self.use():
            return function(*args, **named)

    def bind(self, function: Callable[..., Any]) -> Callable[..., Any]:
        """Return a function for which these credentials will count."""
        return partial(self.run, function)


def closest_scope(path: str, scopes: Iterable[tuple[str, ...]]) -> int | None:
    """Return which of several lists of scopes a path belongs to; None if to none.

    It is the one with the longest prefix of the path, the first of equals. A list without scopes takes every path that
    no other takes.

    >>> closest_scope("s3a://b/x/y", [("s3://",), ("s3://b/", "gs://"), ("S3://b/",), ("s3://c/",)])
    1
    >>> closest_scope("s3://b", [()]), closest_scope("s3://b", [("s3://b/",)])
    (0, None)
    """
    place, best, longest = _plain(path), None, -1
    for number, prefixes in enumerate(scopes):
        lengths = [len(prefix) for prefix in map(_plain, prefixes or ("",)) if place.startswith(prefix)]
        if lengths and max(lengths) > longest:
            best, longest = number, max(lengths)
    return best


def _plain(path: str) -> str:
    return _S3.sub("s3://", path, count=1) if _S3.match(path) else path


_current: Final[ContextVar[Keyring]] = ContextVar("forklake_keyring", default=Keyring())  # noqa: B039 - it is frozen


def current_keyring() -> Keyring:
    """Return the credentials that count here."""
    return _current.get()


def credential_for(path: str) -> Credential | None:
    """Return the credential that a path is reached with here; None: the environment's."""
    return _current.get().credential_for(path)
