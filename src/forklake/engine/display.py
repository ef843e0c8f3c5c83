"""A line on a terminal that says what is going on, while it goes on."""

from __future__ import annotations

import os
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Final

from rich.filesize import decimal

from forklake import engine
from forklake.model.lazy_dataclass import dataclass

SWITCH: Final = "FORKLAKE_PROGRESS"
"""The environment variable that turns the display off with ``0``."""

_POLL_SECONDS: Final = 0.2


@dataclass(frozen=True, slots=True)
class JobCounts:
    """How much of some jobs is done."""

    tasks: int = 0
    all_tasks: int = 0
    rows: int = 0
    byte_count: int = 0

    def __str__(self) -> str:
        parts = [f"{self.tasks}/{self.all_tasks} tasks"] if self.all_tasks else []
        parts += [f"{self.rows:,} rows"] if self.rows else []
        parts += [decimal(self.byte_count)] if self.byte_count else []
        return ", ".join(parts)


def is_visible() -> bool:
    """Return whether lines are shown at all."""
    return sys.stderr.isatty() and os.environ.get(SWITCH) != "0"


@dataclass(frozen=True, slots=True)
class _Line:
    """What one block shows, and from which moment on."""

    title: str
    counts: Callable[[], JobCounts]
    not_before: float


@contextmanager
def show_line(title: str, counts: Callable[[], JobCounts] = JobCounts, *, after_seconds: float = 0) -> Iterator[None]:
    """Show a line with a bar while the block runs, if standard error is a terminal.

    It is gone when the block ends. One line is shown at a time: that of the innermost block of this thread. Blocks of
    other threads show none meanwhile.

    Args:
        title: What is going on.
        counts: Tells how much is done.
        after_seconds: A block that is done by then shows nothing.
    """
    lines = _lines.get()
    is_outermost = not lines
    if not is_visible() or (is_outermost and not _showing.acquire(blocking=False)):
        yield
        return
    line = _Line(title, counts, time.monotonic() + after_seconds)
    if not is_outermost:
        lines.append(line)
        try:
            yield
        finally:
            lines.remove(line)
        return
    lines, over = [line], threading.Event()
    token = _lines.set(lines)
    display = threading.Thread(target=_display, args=(lines, over), name="forklake-progress", daemon=True)
    try:
        display.start()
        try:
            yield
        finally:
            over.set()
            display.join()
    finally:
        _lines.reset(token)
        _showing.release()


_showing: Final = threading.Lock()
_lines: Final[ContextVar[list[_Line]]] = ContextVar("lines", default=[])  # noqa: B039 - the default is never changed


def _display(lines: list[_Line], over: threading.Event) -> None:
    """Draw a line until the block ends; a failing display must not fail the block."""
    while (wait := min(line.not_before for line in list(lines)) - time.monotonic()) > 0:
        if over.wait(min(wait, _POLL_SECONDS)):
            return
    with engine.draw_line.draw_line(lines[0].title) as draw:
        while True:
            shown = next((line for line in reversed(lines) if line.not_before <= time.monotonic()), lines[0])
            try:
                done = shown.counts()
            except Exception:  # the session may be gone, or may keep no statistics
                done = JobCounts()
            draw(shown.title, done.tasks, done.all_tasks, str(done))
            if over.wait(_POLL_SECONDS):
                return
