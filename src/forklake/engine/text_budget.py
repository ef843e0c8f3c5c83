"""What reading and binding one text may take: letters, statements, nodes.

A statement grows while it is bound: each use of a view, a macro, an alias or a table of WITH is bound again. The budget
ends one that grows without bound, long before it takes hours.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Final

from forklake.engine.statement_limits import check_time, is_confined_text
from forklake.errors import LimitError

MOST_GROUPING_SETS: Final = 4096
"""As in Spark."""
_MOST_NODES: Final = 4_000_000
"""What a statement of a session without limits may bind: about a minute."""
_MOST_CONFINED_NODES: Final = 1_000_000
_MOST_CONFINED_LETTERS: Final = 16 << 20
_MOST_BYTES_OF_LETTER: Final = 4
_MOST_CONFINED_STATEMENTS: Final = 10_000
_NODES_OF_ONE: Final = 8
"""How many nodes each one that was written may become beyond the budget, so that long texts are not refused."""
_LETTERS_OF_NODE: Final = 512
_STEPS_BETWEEN_LOOKS: Final = 256


class Steps:
    """The steps of long work, which ends with the time that it may take."""

    __slots__ = ("_left",)

    def __init__(self) -> None:
        self._left = _STEPS_BETWEEN_LOOKS

    def take(self, count: int = 1) -> None:
        """Take a step, or several; now and then, look whether time is over.

        Raises:
            LimitError: It is.
        """
        self._left -= count
        if self._left < 0:
            self._left = _STEPS_BETWEEN_LOOKS
            check_time()


class _Budget:
    """The nodes that are left to one statement."""

    __slots__ = ("_is_whole", "_left", "_limit", "_steps", "_written")

    def __init__(self, limit: int, written: Callable[[], int]) -> None:
        self._limit = self._left = limit
        self._written = written
        self._is_whole = False
        self._steps = Steps()

    def count(self, nodes: int) -> None:
        """Count nodes."""
        self._left -= nodes
        self._steps.take(nodes)
        if self._left < 0:
            self.check()

    def check(self) -> None:
        """End a statement that has no nodes left.

        Raises:
            LimitError: It has none.
        """
        if self._left < 0 and not self._is_whole:
            # What was written is counted only if it matters.
            self._is_whole = True
            self._left += self._written() * _NODES_OF_ONE
        if self._left < 0:
            raise LimitError(
                f"The statement becomes more than {self._limit:,} nodes when its views, macros, aliases and queries are"
                " put in their places; it was not run.",
                limit="nodes",
                hint="Name each view, macro or alias fewer times, or keep what they give in a table first.",
            )


_budget: Final[ContextVar[_Budget | None]] = ContextVar("forklake_budget", default=None)


@contextmanager
def budget_nodes(written: Callable[[], int]) -> Iterator[None]:
    """Limit the nodes that are bound in the block.

    A block within another one has no budget of its own.

    Args:
        written: Returns how many nodes were written, which are not held against the statement.

    Raises:
        LimitError: They are more than is allowed, or the time is over.
    """
    if _budget.get() is not None:
        yield
        return
    found = _Budget(_MOST_CONFINED_NODES if is_confined_text() else _MOST_NODES, written)
    token = _budget.set(found)
    try:
        yield
    except LimitError:
        raise
    except Exception as error:
        # Who tries whether something can be bound takes any error for a no.
        try:
            found.check()
        except LimitError as limit:
            raise limit from error
        raise
    else:
        found.check()
    finally:
        _budget.reset(token)


def count_nodes(count: int = 1) -> None:
    """Count nodes that are bound here, or work that takes as long.

    Raises:
        LimitError: They are more than is allowed, or the time is over.
    """
    found = _budget.get()
    if found is not None:
        found.count(count)


def count_text(sql: str) -> None:
    """Count what an expression became; long texts count as several nodes.

    They are kept.

    Raises:
        LimitError: They are more than is allowed, or the time is over.
    """
    count_nodes(1 + len(sql) // _LETTERS_OF_NODE)


def check_letters(text: str) -> None:
    """Refuse a text that is too long to be read here.

    Raises:
        LimitError: It is.
    """
    if len(text) > _MOST_CONFINED_LETTERS and is_confined_text():
        raise _too_many_letters_error(f"{len(text):,}")


def check_size(byte_count: int) -> None:
    """Refuse a file whose text is too long to be read here, whatever its letters are.

    Raises:
        LimitError: It is.
    """
    least = byte_count // _MOST_BYTES_OF_LETTER
    if least > _MOST_CONFINED_LETTERS and is_confined_text():
        raise _too_many_letters_error(f"at least {least:,}")


def _too_many_letters_error(count: str) -> LimitError:
    return LimitError(
        f"The text has {count} letters, and a confined session reads {_MOST_CONFINED_LETTERS:,} at once; it was not"
        " read.",
        limit="letters",
        hint="Give large values as parameters, or rows as a file or a registered frame.",
    )


def check_statements(count: int) -> None:
    """Refuse a text of too many statements.

    Raises:
        LimitError: There are more than are allowed here.
    """
    if count > _MOST_CONFINED_STATEMENTS and is_confined_text():
        raise LimitError(
            f"The text has more than the {_MOST_CONFINED_STATEMENTS:,} statements that a confined session reads at"
            " once; none was run.",
            limit="statements",
            hint="Give the statements in several texts.",
        )


def check_grouping_sets(count: int) -> None:
    """Refuse a query with too many grouping sets.

    Raises:
        LimitError: There are more than `MOST_GROUPING_SETS`.
    """
    if count > MOST_GROUPING_SETS:
        raise LimitError(
            f"The query groups by {count:,} grouping sets, and {MOST_GROUPING_SETS:,} are the most; it was not run.",
            limit="grouping sets",
            hint="Name the sets that are needed by GROUPING SETS.",
        )
