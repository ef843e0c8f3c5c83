"""PySpark logs each error of SQL with its Java stack, and Py4J each call that is not answered, with a Python one.

Whoever is told of the error in our words shall not see that.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path
from typing import Final

import py4j
from py4j.clientserver import FinalizerWorker
from pyspark.logger import PySparkLogger

_LOGGERS: Final = ("SQLQueryContextLogger", "DataFrameQueryContextLogger")
_PY4J: Final = str(Path(py4j.__file__).parent)
_is_quiet: Final = ContextVar("is_quiet", default=False)


@contextmanager
def quiet() -> Iterator[None]:
    """Keep PySpark from logging errors of this block; those of other threads and of the caller are logged as ever."""
    token = _is_quiet.set(True)
    try:
        yield
    finally:
        _is_quiet.reset(token)


class _Filter(logging.Filter):
    def filter(self, record: logging.LogRecord) -> bool:
        return not _is_quiet.get()


class _Py4JFilter(_Filter):
    """Py4J logs as nobody in particular, and also for a thread that tells Java what Python has forgotten."""

    def filter(self, record: logging.LogRecord) -> bool:
        if not record.pathname.startswith(_PY4J):
            return True
        return super().filter(record) and not isinstance(threading.current_thread(), FinalizerWorker)


for _name in _LOGGERS:
    PySparkLogger.getLogger(_name).addFilter(_Filter())
logging.getLogger().addFilter(_Py4JFilter())
