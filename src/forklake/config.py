"""Settings that callers may change, each with its default."""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import field
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Final, Literal

from forklake.errors import ConfigError
from forklake.model.lazy_dataclass import dataclass

if TYPE_CHECKING:
    from forklake.engine.engine import Engine
else:
    Engine = object  # whoever asks for the types of a setting is told one; the protocol is a storey above

EngineChoice = Literal["auto", "spark", "local"]
"""Which engine runs the statements of a SQL session."""
ENGINE_CHOICES: Final[tuple[EngineChoice, ...]] = ("auto", "spark", "local")

# Defaults have names, so that settings can be pickled.


def _now() -> datetime:
    return datetime.now(UTC)


def _jitter() -> float:
    return random.uniform(0.5, 1.0)


def _pass_by(step: str) -> None:
    """Do nothing at a step."""


@dataclass(frozen=True, slots=True)
class Clock:
    """The clock of the program; tests replace it with their own."""

    now: Callable[[], datetime] = _now
    sleep: Callable[[float], None] = time.sleep
    jitter: Callable[[], float] = _jitter


@dataclass(frozen=True, slots=True)
class RetryPolicy:
    """How often, and after which waits, a commit that lost a race is tried again.

    The wait before retry ``i`` is ``wait_seconds * jitter * backoff ** i``, as DuckLake's
    ``ducklake_max_retry_count``, ``ducklake_retry_wait_ms`` and ``ducklake_retry_backoff``.
    """

    max_retry_count: int = 10
    wait_seconds: float = 0.1
    backoff: float = 1.5

    def waits(self, clock: Clock) -> Iterator[float]:
        """Yield the seconds to wait before each retry."""
        for attempt in range(self.max_retry_count):
            yield self.wait_seconds * clock.jitter() * self.backoff**attempt


@dataclass(frozen=True, slots=True)
class Settings:
    """The settings that a lake was opened with."""

    retry: RetryPolicy = RetryPolicy()
    clock: Clock = Clock()
    statement_timeout_seconds: float = 60.0
    connect_timeout_seconds: float = 2.0
    """How long a server may take to answer a login; what the URL says (``connect_timeout``) counts for more."""
    pool_size: int = 4
    """How many connections to a server the lake has at most, for all threads together."""
    pool_timeout_seconds: float = 10.0
    """How long a thread waits where others use them all, and how long for a server behind a pooler."""
    lock_timeout_seconds: float = 3.0
    """How long a commit that has lost three races waits for its turn, before it goes on by retries; 0: it takes none.

    On a server, where a turn also ends after so long without a word from whoever has it.
    """
    spark: Mapping[str, str] = field(default_factory=dict)
    """Configuration of the Spark session that is started if there is none: ``{"spark.master": "local[4]"}``."""
    local_read_bytes: int = 16 * 2**20
    """Up to how many bytes of files a statement is run by this process; 0: Spark runs them all."""
    local_read_rows: int = 100_000
    """Up to how many rows a statement is run by this process; 0: Spark runs them all."""
    engine: Engine | EngineChoice | None = None
    """Which engine runs statements: ``auto`` (this process runs small ones, Spark all others), ``spark`` or ``local``.

    Or what reads and writes rows instead of Spark: see `forklake.engine.engine`.
    """
    lease_seconds: float = 24 * 60 * 60.0
    """How long a writer may take from its first file to its commit without being disturbed.

    Until then no search for orphaned files touches what it writes, not even one that spares no young files. A
    transaction that goes on writing gets the time anew. A writer that takes longer still commits, unless a search came
    in between: then its commit is refused. What a crash leaves behind waits so long for a search that may delete it.
    """
    on_step: Callable[[str], None] = _pass_by
    """Told the name of each step of a commit, a fork, an append, of maintenance, so that tests can stop there."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Confinement:
    """The terms of a confined SQL session, such as `Catalog.session` makes.

    Raises:
        ConfigError: A limit is negative or no number, a directory is no path, or an author or message is no text.
    """

    may_fork: bool = True
    """Whether the session may fork the catalogs that it was given; such forks become its own."""
    fork_prefix: str = ""
    """What the names of its forks begin with.

    If it ends in a letter or digit, a name is the prefix itself or goes on with ``-``, ``_``, ``.`` or ``/``: ``run-7``
    allows ``run-7-a`` and not ``run-71``.
    """
    max_forks: int | None = 100
    """How many live forks there may be: those that the session made, and with a ``fork_prefix`` all of such a name.

    Catalogs that it was given do not count. None is any number.
    """
    may_maintain: bool = False
    """Whether it may shorten history and rewrite files, and set options of catalogs that it was given.

    That is: expire snapshots, clean up, flush, compact, ``CHECKPOINT``, and options of the age of snapshots and files.
    """
    author: str | None = None
    """The author of all commits of the session, and of its forks: its SQL names no other."""
    message: str | None = None
    """The message of all commits of the session: its SQL names no other."""
    may_sign: bool = False
    """Whether its SQL may name an author, or a message, where none is given here."""
    directories: tuple[str, ...] = ()
    """Directories, beside those of its catalogs, whose files it may read and write."""
    max_seconds: float | None = 60.0
    """How long the statements of one text may take together, and the computing of their rows. None is any time."""
    max_rows: int | None = 100_000
    """How many rows a result may return. None is any number."""
    max_bytes: int | None = 2**30
    """How many bytes of files one statement may read, and how many its rows may take. None is any number."""

    def __post_init__(self) -> None:
        for name in ("max_seconds", "max_rows", "max_bytes", "max_forks"):
            value = getattr(self, name)
            kinds = (int, float) if name == "max_seconds" else (int,)
            if value is not None and (isinstance(value, bool) or not isinstance(value, kinds) or not value >= 0):
                raise ConfigError(f"{name} of a confinement is a number from 0 on, not {value!r}.")
        for name in ("author", "message", "fork_prefix"):
            text: object = getattr(self, name)
            if not isinstance(text, str) and (text is not None or name == "fork_prefix"):
                raise ConfigError(f"{name} of a confinement is a text, not {text!r}.")
        for name in ("may_fork", "may_maintain", "may_sign"):
            if not isinstance(getattr(self, name), bool):
                raise ConfigError(f"{name} of a confinement is True or False, not {getattr(self, name)!r}.")
        given: object = self.directories
        if not isinstance(given, tuple | list) or not all(isinstance(one, str) and one for one in given):
            raise ConfigError(f"The directories of a confinement are a tuple of paths, not {self.directories!r}.")

    @property
    def has_limits(self) -> bool:
        """Whether time, rows or bytes are limited."""
        return not self.max_seconds is self.max_rows is self.max_bytes is None


UNLIMITED: Final = Confinement(max_seconds=None, max_rows=None, max_bytes=None)
"""The terms of a confined session whose statements have no limits."""
