"""How far a long operation has come."""

from __future__ import annotations

from collections.abc import Callable

Progress = Callable[[str, int, int | None], None]
"""Told the step, how much of it is done, and how much there is; None if nobody knows."""


def ignore_progress(step: str, done: int, total: int | None) -> None:
    """Ignore the progress."""
