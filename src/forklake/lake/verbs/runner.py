"""How a verb is run, and how it finds what it names."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable

from forklake.catalog import lookup
from forklake.catalog.transaction import Staging
from forklake.lake.context import Context
from forklake.model.ids import TableId


class Runner(ABC):
    """Something that changes can be given to.

    Attributes:
        goes_on: Whether other changes may follow before the commit. Files must then say what their columns are called:
            by the time they are committed, the table may call them otherwise.
    """

    goes_on: bool = False
    _context: Context

    @abstractmethod
    def _run(self, verb: Callable[[Staging], object], *, rerun: bool = True) -> None:
        """Run a verb; ``rerun`` says that it may be run again on a newer head."""


def table_id(staging: Staging, name: str, schema: str) -> TableId:
    """Return the id of a table by its name.

    Raises:
        NotFoundError: There is none.
    """
    return lookup.table(staging.draft, name, schema).table_id
