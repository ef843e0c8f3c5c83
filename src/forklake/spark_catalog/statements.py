"""One snapshot for all tables of a statement."""

from __future__ import annotations

import threading
from collections import OrderedDict
from typing import Final

from forklake.catalog import versions
from forklake.catalog.state import Content
from forklake.errors import EngineError
from forklake.lake import Catalog
from forklake.lake.internals import content_of, is_past, runtime_of
from forklake.model.version import Head

_KEPT: Final = 4096


class Statements:
    """What each statement sees of an attached catalog.

    The first table that is looked up decides it; tables that are looked up later for the same statement, and the
    transaction that the statement commits, have the same snapshot. Threads may share it.
    """

    def __init__(self, catalog: Catalog) -> None:
        self._catalog = catalog
        self._heads: OrderedDict[int, Head] = OrderedDict()
        self._lock = threading.Lock()

    def content(self, number: int) -> Content:
        """Return the content that a statement sees.

        Raises:
            NotFoundError: The catalog was dropped.
        """
        if is_past(self._catalog):
            return content_of(self._catalog)
        runtime = runtime_of(self._catalog)
        with self._lock:
            head = self._heads.get(number)
        if head is None:
            head = versions.head_by_id(runtime.store, self._catalog.catalog_id)
            with self._lock:
                head = self._heads.setdefault(number, head)  # another thread may have looked meanwhile
                while len(self._heads) > _KEPT:
                    self._heads.popitem(last=False)
        return runtime.state(head)

    def head(self, number: int) -> Head:
        """Return the head that a statement saw when it was analysed.

        Raises:
            EngineError: Too many statements were analysed since.
        """
        with self._lock:
            head = self._heads.get(number)
        if head is None:
            raise EngineError(
                "The statement was analysed too long ago; nothing was changed.", hint="Run it again, at once."
            )
        return head
