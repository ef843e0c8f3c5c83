"""Tries several ways to change a catalog, and keeps the best."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from decimal import Decimal
from math import isnan
from typing import Any, Final, Literal, get_args
from uuid import uuid4

from forklake.errors import InvalidInputError
from forklake.lake.catalog import Catalog, Fork
from forklake.model.fork_merge import MergePlan
from forklake.model.trials import Trial, Trials
from forklake.ops.catalogs.catalog_terms import Duration

Attempt = Callable[[Catalog], object] | str
"""What to do in a fork: a function that gets it, or SQL."""
Keep = Literal["merge", "reset", "fork", "none"]
Better = Literal["highest", "lowest"]

_NOTHING: Final = "nothing was tried"


def try_many(
    parent: Catalog,
    attempts: Mapping[str, Attempt],
    score: Callable[[Catalog], object] | str,
    *,
    keep: Keep,
    better: Better,
    workers: int,
    ttl: Duration,
    message: str | None,
) -> Trials:
    """Try each attempt in a fork of its own; see `Lake.try_many`."""
    _check(attempts, score, keep, better, workers)
    token = uuid4().hex[:8]
    names = {name: f"{parent.name}-try-{token}-{name}" for name in attempts}
    forks = dict(zip(attempts, parent.fork_many(names.values(), ttl=ttl, labels={"trial": token}), strict=True))
    with ThreadPoolExecutor(workers, thread_name_prefix="forklake-try") as pool:
        tried = list(pool.map(lambda name: _try(name, forks[name], attempts[name], score), attempts))
    scored = _rank([trial for trial in tried if trial.score is not None], better, token)
    best = scored[0] if scored else None
    plan = None if best is None else _bring_home(parent, forks[best.name], best, keep, message)
    for name, fork in forks.items():
        if not (keep == "fork" and best is not None and name == best.name):
            fork.drop(if_exists=True)
    return Trials((*scored, *(trial for trial in tried if trial.score is None)), best, plan)


def _rank(scored: Sequence[Trial], better: Better, token: str) -> list[Trial]:
    """Return trials by their scores, the best first.

    Those that are as good keep their order.

    Raises:
        InvalidInputError: Two scores cannot be compared.
    """
    try:
        return sorted(scored, key=lambda trial: trial.score, reverse=better == "highest")
    except (TypeError, ValueError) as error:
        told = ", ".join(f"{trial.score!r} of {trial.name!r}" for trial in scored)
        raise InvalidInputError(
            f"The scores of the attempts cannot be compared: {told}. Nothing was kept.",
            hint=f'The forks stay until their lifetime ends; they have the label "trial" with the value "{token}".',
        ) from error


def _try(name: str, fork: Fork, attempt: Attempt, score: Callable[[Catalog], object] | str) -> Trial:
    trial = Trial(name, fork._known_name())
    # Whatever an attempt raises is its result: the others go on.
    try:
        value = fork.sql(attempt) if isinstance(attempt, str) else attempt(fork)
        trial = replace(trial, value=value)
        found = _first_value(fork, score) if isinstance(score, str) else score(fork)
        return replace(trial, score=None if _is_nan(found) else found)
    except Exception as error:
        return replace(trial, error=error)


def _is_nan(score: object) -> bool:
    return isinstance(score, float | Decimal) and isnan(score)


def _first_value(fork: Fork, query: str) -> Any:
    """Return the one value of a query.

    Raises:
        InvalidInputError: It has no rows, or is no query.
    """
    found = fork.sql(query)
    row = None if found is None else found.fetchone()
    if row is None:
        raise InvalidInputError(f"A score is the first value of a query; there was none: {query}")
    return row[0]


def _bring_home(parent: Catalog, fork: Fork, best: Trial, keep: Keep, message: str | None) -> MergePlan | None:
    said = message or f'The best of several trials: "{best.name}", with score {best.score}'
    match keep:
        case "merge":
            return parent.merge(fork, message=said)
        case "reset":
            return parent.reset_to(fork, message=said)
        case _:
            return None


def _check(attempts: Mapping[str, Attempt], score: object, keep: str, better: str, workers: int) -> None:
    if not isinstance(attempts, Mapping) or not attempts:
        raise InvalidInputError(f"Attempts are functions or SQL by name, at least one; {_NOTHING}.")
    for name, attempt in attempts.items():
        if not isinstance(name, str) or not (isinstance(attempt, str) or callable(attempt)):
            raise InvalidInputError(f"Attempt {name!r} is neither a function nor SQL under a name; {_NOTHING}.")
    if not isinstance(score, str) and not callable(score):
        raise InvalidInputError(f"A score is a query or a function, not {score!r}; {_NOTHING}.")
    for what, given, known in (("keep", keep, get_args(Keep)), ("better", better, get_args(Better))):
        if given not in known:
            raise InvalidInputError(f"{what} is one of {', '.join(known)}, not {given!r}; {_NOTHING}.")
    if isinstance(workers, bool) or not isinstance(workers, int) or workers < 1:
        raise InvalidInputError(f"The number of workers is a whole number above 0, not {workers!r}; {_NOTHING}.")
