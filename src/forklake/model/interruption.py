"""Reads and steps that are interrupted when the time of their statement is over.

Whoever limits the time says how it is watched; whoever reads says how the read is cancelled, and whoever works in steps
asks between them. Neither knows the other.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager
from contextvars import ContextVar
from typing import Final, TypeVar

_STEPS_BETWEEN_LOOKS: Final = 256

_Step = TypeVar("_Step")

Watch = Callable[[Callable[[], None]], AbstractContextManager[None]]
"""Given what cancels a read, the context of that read."""

_watch: Final[ContextVar[Watch | None]] = ContextVar("forklake_watch", default=None)
_check: Final[ContextVar[Callable[[], None] | None]] = ContextVar("forklake_check", default=None)


@contextmanager
def watch_reads(watch: Watch, check: Callable[[], None]) -> Iterator[None]:
    """Have the reads of the block watched.

    Between its steps, ``check`` raises an error if the time is over.
    """
    tokens = _watch.set(watch), _check.set(check)
    try:
        yield
    finally:
        _watch.reset(tokens[0])
        _check.reset(tokens[1])


def end_in_time() -> None:
    """End the work that is done here, between two of its steps, if its time is over."""
    check = _check.get()
    if check is not None:
        check()


def in_time(steps: Iterable[_Step]) -> Iterator[_Step]:
    """Yield the steps of long work; now and then, end it if its time is over."""
    for count, step in enumerate(steps, 1):
        if count % _STEPS_BETWEEN_LOOKS == 0:
            end_in_time()
        yield step


def is_watched() -> bool:
    """Return whether reads are watched here."""
    return _watch.get() is not None


@contextmanager
def interruptible(cancel: Callable[[], None]) -> Iterator[None]:
    """Let a read be cancelled when its time is over.

    ``cancel`` is called in another thread, as often as it takes, and never after the block.
    """
    watch = _watch.get()
    if watch is None:
        yield
    else:
        with watch(cancel):
            yield
