"""How handles run verbs."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Generic, TypeVar

from forklake.catalog.state import Content
from forklake.catalog.transaction import Staging
from forklake.model.lazy_dataclass import dataclass
from forklake.model.records import Commit
from forklake.ops.lakes.runtime import Runtime

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Made(Generic[T]):
    """What a verb created or found, whether it created it, and the commit."""

    thing: T
    created: bool
    commit: Commit


class Runner(ABC):
    """A catalog or a transaction, which is read and changed."""

    _runtime: Runtime

    @abstractmethod
    def _content(self) -> Content:
        """Return the content of the catalog that a verb sees now."""

    @abstractmethod
    def _known_name(self) -> str:
        """Return the last known name of the catalog, without asking the database."""

    @abstractmethod
    def _run(self, verb: Callable[[Staging], T], *, rerun: bool = True) -> T | None:
        """Run a verb, and return its value.

        With ``rerun`` it may run again on a newer head. None if the verb was not run because the commit key of the
        transaction was committed before.
        """

    @abstractmethod
    def _commit(self, verb: Callable[[Staging], int | None], *, rerun: bool = True) -> Commit:
        """Run a verb that returns the number of rows it touched, and return the commit.

        Otherwise as `_run`.
        """

    @abstractmethod
    def _make(
        self,
        verb: Callable[[Staging], tuple[int | None, int]],
        find: Callable[[Content], T],
        gone: Callable[[int], T],
    ) -> Made[T]:
        """Run a verb that creates something, and return it.

        It is looked up in the snapshot of the verb, so concurrent renames and drops do no harm. Under a commit key that
        was committed before, it is looked up in the snapshot of the first time.

        Args:
            verb: Returns the id of the new object, or None if it existed before, and the number of rows in it.
            find: Finds the object in a content of the catalog.
            gone: Gives the object under a local id, if the transaction of the first time dropped it again.
        """
