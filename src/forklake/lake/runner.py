"""How the verbs of handles are run."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import TypeVar

from forklake.catalog.transaction import Staging
from forklake.catalog.view import Content
from forklake.ops.runtime import Runtime

T = TypeVar("T")


class Runner(ABC):
    """Something that is read and changed: a catalog, or a transaction."""

    _runtime: Runtime

    @abstractmethod
    def _content(self) -> Content:
        """Return what is seen, at this statement."""

    @abstractmethod
    def _known_name(self) -> str:
        """Return the name of the catalog as far as it is known without asking for it."""

    @abstractmethod
    def _run(self, verb: Callable[[Staging], T], *, rerun: bool = True) -> T | None:
        """Run a verb, and return what it returns; ``rerun`` says that it may be run again on a newer head.

        None if it was not run, because all of it was committed before under the commit key of the transaction.
        """
