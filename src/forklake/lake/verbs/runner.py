"""How a verb is run, and how it finds what it names."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import TypeVar

from forklake.catalog import lookup
from forklake.catalog.transaction import Staging
from forklake.model.rows import TableRow
from forklake.ops.runtime import Runtime

T = TypeVar("T")


class Runner(ABC):
    """Something that changes can be given to."""

    _runtime: Runtime

    @abstractmethod
    def _run(self, verb: Callable[[Staging], T], *, rerun: bool = True) -> T | None:
        """Run a verb, and return what it returns; ``rerun`` says that it may be run again on a newer head.

        None if it was not run, because all of it was committed before under the commit key of the transaction.
        """


def found_table(staging: Staging, name: str, schema: str) -> TableRow:
    """Return a table by its name, as a transaction sees it.

    Raises:
        NotFoundError: There is none.
    """
    return lookup.table(staging.draft, name, schema)
