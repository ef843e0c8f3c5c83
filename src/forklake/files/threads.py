"""Threads that read and write files."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import ParamSpec, TypeVar

from forklake.files.keyring import current_keyring

_P = ParamSpec("_P")
_T = TypeVar("_T")


class FileThreads(ThreadPoolExecutor):
    """A pool of threads that reach files as whoever gives them work does.

    The same credentials count for them.
    """

    def submit(self, fn: Callable[_P, _T], /, *args: _P.args, **kwargs: _P.kwargs) -> Future[_T]:
        """Call a function in a thread."""
        return super().submit(current_keyring().bind(fn), *args, **kwargs)
