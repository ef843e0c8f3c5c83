"""Trials: ways to change a catalog that were tried in forks of it, as values."""

from __future__ import annotations

from typing import Any

from forklake.model.fork_merge import MergePlan
from forklake.model.lazy_dataclass import dataclass


@dataclass(frozen=True, slots=True)
class Trial:
    """One way that was tried.

    Attributes:
        name: What the caller calls it.
        catalog_name: The fork that it was tried in.
        score: What the fork scored; None if it has no score, or something failed.
        value: What the attempt returned.
        error: What failed, the attempt or its scoring; None if nothing did.
    """

    name: str
    catalog_name: str
    score: Any = None
    value: Any = None
    error: Exception | None = None


@dataclass(frozen=True, slots=True)
class Trials:
    """What came of all the ways.

    Attributes:
        trials: All of them, the best first; those without a score last, in the order they were given.
        best: The best of them; None if none has a score.
        plan: The merge or reset that brought the best one home; None if nothing was brought home.
    """

    trials: tuple[Trial, ...]
    best: Trial | None
    plan: MergePlan | None
