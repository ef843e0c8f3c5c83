"""How the verbs of handles are run."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic, TypeVar

from forklake.catalog.transaction import Staging
from forklake.catalog.view import Content
from forklake.model.records import Commit
from forklake.ops.runtime import Runtime

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Made(Generic[T]):
    """What a verb made or found, whether it made it, and what it did."""

    thing: T
    created: bool
    commit: Commit


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

    @abstractmethod
    def _commit(self, verb: Callable[[Staging], int | None], *, rerun: bool = True) -> Commit:
        """Run a verb that returns how many rows it touched, and return what it did; the rest as for `_run`."""

    @abstractmethod
    def _make(
        self,
        verb: Callable[[Staging], tuple[int | None, int]],
        find: Callable[[Content], T],
        gone: Callable[[int], T],
    ) -> Made[T]:
        """Run a verb that makes something, and return that.

        It is looked for in the snapshot that the verb made, so that whoever renames or drops it at the same moment does
        no harm; under a commit key that was committed before, in the snapshot of the first time.

        Args:
            verb: Returns the id of what it made, or None if that was there already, and how many rows came with it.
            find: Finds the thing in what is seen.
            gone: Gives the thing under a local id, if the transaction of the first time did away with it itself.
        """
