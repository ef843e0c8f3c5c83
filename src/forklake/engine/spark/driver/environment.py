"""Temporary environment variables, for processes started meanwhile."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def environment(**wanted: str) -> Iterator[None]:
    """Set variables that are not set yet, and restore the environment afterwards."""
    added = [name for name in wanted if name not in os.environ]
    os.environ.update({name: wanted[name] for name in added})
    try:
        yield
    finally:
        for name in added:
            os.environ.pop(name, None)
