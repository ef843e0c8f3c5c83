"""MERGE FORK and REFRESH FORK."""

from __future__ import annotations

from forklake.model.fork_merge import STRATEGIES, Strategy
from forklake.sql.fork_statements import MergeFork, RefreshFork
from forklake.sql.parse.values import read_value
from forklake.sql.parse.words import Words


def read_merge_fork(words: Words) -> MergeFork:
    """Read what follows MERGE FORK.

    Raises:
        InvalidInputError: It cannot be read.
    """
    source = words.name_or_string()
    words.expect("INTO")
    target = words.name_or_string()
    at = _read_moment(words) if words.take("AT") else None
    return MergeFork(source, target, at, _read_strategy(words))


def read_refresh(words: Words) -> RefreshFork:
    """Read what follows REFRESH.

    Raises:
        InvalidInputError: It cannot be read.
    """
    words.expect("FORK")
    return RefreshFork(words.name_or_string(), _read_strategy(words))


def _read_strategy(words: Words) -> Strategy:
    if not words.take("STRATEGY"):
        return "fail"
    said = words.name_or_string()
    found = next((one for one in STRATEGIES if one == said.lower()), None)
    if found is None:
        raise words.wrong(f'A strategy is one of {", ".join(STRATEGIES)}, not "{said}"')
    return found


def _read_moment(words: Words) -> int | str:
    value = read_value(words)
    if isinstance(value, int | str) and not isinstance(value, bool):
        return value
    raise words.wrong("AT takes the number of a snapshot, or a tag or a time in quotes")
