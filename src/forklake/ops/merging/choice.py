"""The rule of a merge.

What one side changed is taken, and what both changed is a conflict.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import field, replace
from typing import Any

from forklake.model.fork_merge import Deed, MergeConflict, Strategies
from forklake.model.lazy_dataclass import dataclass

_Place = tuple[str | None, str | None]


@dataclass
class Chooser:
    """Chooses between source and target, and keeps the conflicts.

    Attributes:
        strategies: Who decides conflicts.
        conflicts: All that were found.
    """

    strategies: Strategies
    conflicts: list[MergeConflict] = field(default_factory=list)

    @property
    def has_open(self) -> bool:
        """Whether a conflict is left undecided, or cannot be decided by a strategy."""
        return any(conflict.winner is None for conflict in self.conflicts)

    def takes_source(
        self,
        kind: str,
        at: _Place,
        key: int | str | None,
        bases: Sequence[Any],
        source: Any,
        target: Any,
        *,
        attribute: str | None = None,
    ) -> bool:
        """Return whether a thing, or an attribute of it, becomes as the source has it.

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
                kind,
                *at,
                key,
                _what_was_done(bases, target),
                _what_was_done(bases, source),
                is_ambiguous=not is_agreed,
                attribute=attribute,
            )
        )

    def decide(self, conflict: MergeConflict) -> bool:
        """Keep a conflict; return whether the source decides it."""
        strategy = self.strategies.of(conflict.schema, conflict.table)
        self.conflicts.append(conflict if strategy == "fail" else replace(conflict, winner=strategy))
        return strategy == "theirs"

    def refuse(self, conflict: MergeConflict) -> None:
        """Keep a conflict that no strategy decides."""
        # A strategy may have decided it, before it was seen what comes of that.
        self.conflicts = [one for one in self.conflicts if _subject(one) != _subject(conflict)]
        self.conflicts.append(replace(conflict, is_decidable=False))


def _subject(conflict: MergeConflict) -> tuple[Any, ...]:
    return conflict.kind, conflict.schema, conflict.table, conflict.key, conflict.attribute


def _what_was_done(bases: Sequence[Any], side: Any) -> Deed:
    if side is None:
        return "dropped"
    if all(base == side for base in bases):
        return "kept"
    return "added" if all(base is None for base in bases) else "changed"
