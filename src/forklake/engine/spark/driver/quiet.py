"""Fewer log messages: none for errors that we translate.

PySpark logs each SQL error with its Java stack, and Py4J each call without an answer with a Python stack.
Users get our own error instead, so both would only repeat it.
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
    """Keep PySpark from logging the errors of this block.

    Errors of other threads and of the caller are logged as before.
    """
    token = _is_quiet.set(True)
    try:
        yield
    finally:
        _is_quiet.reset(token)


class _Filter(logging.Filter):
    def filter(self, record: logging.LogRecord) -> bool:
        return not _is_quiet.get()


class _Py4JFilter(_Filter):
    """Silences Py4J, which logs under no name of its own.

    It also logs for a thread that tells Java which objects Python has dropped.
    """

    def filter(self, record: logging.LogRecord) -> bool:
        if not record.pathname.startswith(_PY4J):
            return True
        return super().filter(record) and not isinstance(threading.current_thread(), FinalizerWorker)


for _name in _LOGGERS:
    PySparkLogger.getLogger(_name).addFilter(_Filter())
logging.getLogger().addFilter(_Py4JFilter())
