"""Waiting for what comes about by itself, on machines that are slow or stand still for seconds."""

import time
from collections.abc import Callable

PATIENCE_SECONDS = 120
"""After that, what is waited for is not slow but amiss."""


def wait_until(is_so: Callable[[], object], what: str = "it") -> None:
    """Return as soon as a condition holds.

    Raises:
        AssertionError: It did not for a long time.
    """
    deadline = time.monotonic() + PATIENCE_SECONDS
    while not is_so():
        assert time.monotonic() < deadline, f"{what} did not come about within {PATIENCE_SECONDS} s"
        time.sleep(0.01)
