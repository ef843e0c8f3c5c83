"""The rule of a merge.

What one side changed is taken, and what both changed is a conflict.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from forklake.model.fork_merge import Deed, MergeConflict, Strategies

_Place = tuple[str | None, str | None]


@dataclass
class Chooser:
    """Chooses between source and target, and keeps the conflicts.

    Attributes:
        strategies: Who decides conflicts.
        conflicts: All that were found.
        has_open: Whether one of them is left undecided, or cannot be decided by a strategy.
    """

    strategies: Strategies
    conflicts: list[MergeConflict] = field(default_factory=list)
    has_open: bool = False

    def takes_source(
        self, kind: str, at: _Place, key: int | str | None, bases: Sequence[Any], source: Any, target: Any
    ) -> bool:
        """Return whether a thing becomes as the source has it.

        None stands for a thing that a side does not have.
        """
        if source == target:
            return False
        is_agreed = all(base == bases[0] for base in bases)
        if is_agreed and source == bases[0]:
            return False
        if is_agreed and target == bases[0]:
            return True
        return self.decide(
            MergeConflict(
                kind, *at, key, _what_was_done(bases, target), _what_was_done(bases, source), is_ambiguous=not is_agreed
            )
        )

    def decide(self, conflict: MergeConflict) -> bool:
        """Keep a conflict; return whether the source decides it."""
        self.conflicts.append(conflict)
        strategy = self.strategies.of(conflict.schema, conflict.table)
        self.has_open |= strategy == "fail"
        return strategy == "theirs"

    def refuse(self, conflict: MergeConflict) -> None:
        """Keep a conflict that no strategy decides."""
        self.conflicts.append(conflict)
        self.has_open = True


def _what_was_done(bases: Sequence[Any], side: Any) -> Deed:
    if side is None:
        return "dropped"
    if all(base == side for base in bases):
        return "kept"
    return "added" if all(base is None for base in bases) else "changed"
