"""A line with a bar, drawn on standard error."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn


@contextmanager
def draw_line(title: str) -> Iterator[Callable[[str, int, int, str], None]]:
    """Draw a line while the block runs.

    The block is given what changes it: to a title, how many tasks of how many are done (of none: nobody knows), and
    what is said of them.
    """
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        TextColumn("{task.fields[done]}"),
        TimeElapsedColumn(),
    )
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        drawn = bar.add_task(title, total=None, done="")

        def draw(title: str, tasks: int, all_tasks: int, done: str) -> None:
            bar.update(drawn, description=title, completed=tasks, total=all_tasks or None, done=done)

        yield draw
