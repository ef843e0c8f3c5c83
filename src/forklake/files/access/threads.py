"""Threads that read and write files."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from contextvars import copy_context
from typing import ParamSpec, TypeVar

_P = ParamSpec("_P")
_T = TypeVar("_T")


class FileThreads(ThreadPoolExecutor):
    """A pool of threads that work as part of whatever gives them work.

    The same credentials count for them, and they spend the same allowance.
    """

    def submit(self, fn: Callable[_P, _T], /, *args: _P.args, **kwargs: _P.kwargs) -> Future[_T]:
        """Call a function in a thread."""
        context = copy_context()
        return super().submit(lambda: context.run(fn, *args, **kwargs))
