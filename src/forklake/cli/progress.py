"""Progress of long operations, drawn at a terminal."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import Progress, TaskID


@contextmanager
def draw_progress() -> Iterator[Callable[[str, int, int], None] | None]:
    """Yield a function that draws progress at a terminal; None elsewhere."""
    if not sys.stderr.isatty():
        yield None
        return
    with Progress(console=Console(stderr=True), transient=True) as drawn:
        tasks: dict[str, TaskID] = {}

        def tell(step: str, done: int, total: int) -> None:
            if step not in tasks:
                tasks[step] = drawn.add_task(step, total=total)
            drawn.update(tasks[step], completed=done, total=total)

        yield tell


@contextmanager
def draw_count(what: str) -> Iterator[Callable[[int], None]]:
    """Yield a function that shows a growing number at a terminal."""
    if not sys.stderr.isatty():
        yield lambda done: None
        return
    with Console(stderr=True).status("") as status:
        yield lambda done: status.update(f"{done:,} {what}")
