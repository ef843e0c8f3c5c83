"""The resources that this machine has for Spark."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from typing import Final

from pyspark.find_spark_home import _find_spark_home

_LIMITS: Final = ("/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes")
_MIB: Final = 1024 * 1024
_LEAST_MIB, _MOST_MIB = 1024, 30 * 1024


def memory_bytes(limits: Iterable[str] = _LIMITS) -> int:
    """Return how much memory this process may use.

    It is the machine's memory, or the limit of the container.
    """
    least = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    for path in limits:
        with suppress(OSError, ValueError):  # no such limit, or one that is called "max"
            least = min(least, int(Path(path).read_text()))
    return least


def driver_memory(byte_count: int) -> str:
    """Return the memory of Spark's driver: a quarter of the machine's, like Java.

    It is not less than Spark's own default, which need not be used up, and not so much that Java's references,
    and with them all objects, grow.

    >>> [driver_memory(gib * 2**30) for gib in (2, 16, 1024)]
    ['1024m', '4096m', '30720m']
    """
    return f"{min(max(byte_count // _MIB // 4, _LEAST_MIB), _MOST_MIB)}m"


def names_in_defaults_file(key: str) -> bool:
    """Return whether Spark's own file ``spark-defaults.conf`` has a setting."""
    directory = os.environ.get("SPARK_CONF_DIR") or Path(_find_spark_home(), "conf")
    with suppress(OSError, ValueError):  # there is none, or it is no text
        lines = Path(directory, "spark-defaults.conf").read_text(encoding="utf-8").splitlines()
        return any(re.match(rf"\s*{re.escape(key)}[\s=:]", line) for line in lines)
    return False
