"""Progress of long operations, drawn at a terminal."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, TaskID, TextColumn, TimeRemainingColumn
from rich.progress import Progress as Bars

from forklake.model.progress import Progress, ignore_progress


@contextmanager
def draw_progress() -> Iterator[Progress]:
    """Yield a function that draws progress at a terminal, and nothing elsewhere."""
    if not sys.stderr.isatty():
        yield ignore_progress
        return
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Bars(*columns, console=Console(stderr=True), transient=True) as drawn:
        tasks: dict[str, TaskID] = {}

        def tell(step: str, done: int, total: int | None) -> None:
            if step not in tasks:
                tasks[step] = drawn.add_task(step, total=total)
            drawn.update(tasks[step], completed=done, total=total)

        yield tell
