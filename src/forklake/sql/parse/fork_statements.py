"""CREATE FORK, MERGE FORK and REFRESH FORK."""

from __future__ import annotations

from forklake.model.fork_merge import CODES, STRATEGIES, Code, Strategy
from forklake.model.names import fold
from forklake.sql.fork_statements import CreateFork, MergeFork, MergeTerms, RefreshFork
from forklake.sql.parse.values import read_options, read_value
from forklake.sql.parse.words import Words


def read_create_fork(words: Words) -> CreateFork:
    """Read what follows CREATE FORK.

    Raises:
        InvalidInputError: It cannot be read.
    """
    is_lenient = words.take("IF", "NOT", "EXISTS")
    name = words.name_or_string()
    parent = words.name_or_string() if words.take("FROM") else None
    at = _read_moment(words) if words.take("AT") else None
    return CreateFork(name, parent, at, read_options(words), is_lenient)


def read_merge_fork(words: Words) -> MergeFork:
    """Read what follows MERGE FORK.

    Raises:
        InvalidInputError: It cannot be read.
    """
    source = words.name_or_string()
    words.expect("INTO")
    target = words.name_or_string()
    at = _read_moment(words) if words.take("AT") else None
    return MergeFork(source, target, at, _read_terms(words))


def read_refresh(words: Words) -> RefreshFork:
    """Read what follows REFRESH.

    Raises:
        InvalidInputError: It cannot be read.
    """
    words.expect("FORK")
    return RefreshFork(words.name_or_string(), _read_terms(words))


def _read_terms(words: Words) -> MergeTerms:
    """Read STRATEGY, KEYS and CODE, each of which may be missing."""
    strategy = _read_strategies(words) if words.take("STRATEGY") else "fail"
    keys = _read_keys(words) if words.take("KEYS") else {}
    return MergeTerms(strategy, keys, _read_code(words) if words.take("CODE") else "take")


def _read_strategies(words: Words) -> Strategy | dict[str, Strategy]:
    """Read ``theirs``, or ``theirs FOR orders, items, ours FOR customers``."""
    strategy = _read_strategy(words)
    if not words.take("FOR"):
        return strategy
    found: dict[str, Strategy] = {}
    while True:
        table = _read_table(words)
        if table in found:
            raise words.wrong(f'Table "{table}" has a strategy already')
        found[table] = strategy
        if not words.take(","):
            return found
        # After a comma comes another table, or another strategy with tables of its own.
        if any(words.at(one.upper(), "FOR") for one in STRATEGIES):
            strategy = _read_strategy(words)
            words.expect("FOR")


def _read_keys(words: Words) -> dict[str, tuple[str, ...]]:
    """Read ``(orders (id), staging.items (order_id, line))``."""
    found: dict[str, tuple[str, ...]] = {}
    for table, columns in words.in_parentheses(lambda: (_read_table(words), words.names_in_parentheses())):
        if table in found:
            raise words.wrong(f'Table "{table}" has a key already')
        found[table] = columns
    return found


def _read_table(words: Words) -> str:
    """Read ``table`` or ``schema.table``, in the spelling of all names that mean it."""
    return fold(".".join(words.path()))


def _read_strategy(words: Words) -> Strategy:
    said = words.name_or_string()
    found = next((one for one in STRATEGIES if one == said.lower()), None)
    if found is None:
        raise words.wrong(f'A strategy is one of {", ".join(STRATEGIES)}, not "{said}"')
    return found


def _read_code(words: Words) -> Code:
    said = words.name_or_string()
    found = next((one for one in CODES if one == said.lower()), None)
    if found is None:
        raise words.wrong(f'Code is one of {", ".join(CODES)}, not "{said}"')
    return found


def _read_moment(words: Words) -> int | str:
    value = read_value(words)
    if isinstance(value, int | str) and not isinstance(value, bool):
        return value
    raise words.wrong("AT takes the number of a snapshot, or a tag or a time in quotes")
