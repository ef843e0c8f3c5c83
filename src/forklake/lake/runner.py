"""How the verbs of handles are run."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import TypeVar

from forklake.catalog.transaction import Staging
from forklake.catalog.view import Content
from forklake.model.records import Commit
from forklake.ops.runtime import Runtime

T = TypeVar("T")


class Runner(ABC):
    """Something that is read and changed: a catalog, or a transaction."""

    _runtime: Runtime

    @property
    def _is_done(self) -> bool:
        """Whether all changes were committed before under the commit key, so that verbs are not run."""
        return False

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

    @abstractmethod
    def _commit(self, verb: Callable[[Staging], int | None], *, rerun: bool = True) -> Commit:
        """Run a verb that returns how many rows it touched, and return what it did; the rest as for `_run`."""


def create(runner: Runner, verb: Callable[[Staging], tuple[int | None, int]]) -> tuple[bool, Commit]:
    """Run a verb that makes something, and return whether it made it, and what it did.

    The verb returns the id of what it made, or None, and how many rows came with it.
    """
    made: int | None = None

    def counted(staging: Staging) -> int:
        nonlocal made
        made, rows = verb(staging)
        return rows

    done = runner._commit(counted)
    return made is not None, done
