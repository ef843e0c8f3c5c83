"""Reads what callers say of a merge: strategies for conflicts, and keys."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from forklake.errors import InvalidInputError
from forklake.model.fork_merge import CODES, STRATEGIES, Code, RowKeys, Strategies, Strategy
from forklake.model.names import fold


def read_strategies(given: object) -> Strategies:
    """Read a strategy, or strategies by table.

    Raises:
        InvalidInputError: It is none.
    """
    by_table = dict(given) if isinstance(given, Mapping) else {}
    default = "fail" if isinstance(given, Mapping) else given
    for strategy in (default, *by_table.values()):
        if strategy not in STRATEGIES:
            raise InvalidInputError(
                f"A strategy is one of {', '.join(map(repr, STRATEGIES))}, not {strategy!r}; nothing was done."
            )
    return Strategies(default, {fold(str(table)): strategy for table, strategy in by_table.items()})  # type: ignore[arg-type]


def read_code(given: object) -> Code:
    """Read what a merge does with stored texts that are bound.

    Raises:
        InvalidInputError: It is nothing of this.
    """
    found = next((one for one in CODES if one == str(given).lower()), None)
    if found is None:
        raise InvalidInputError(f"Code is one of {', '.join(map(repr, CODES))}, not {given!r}; nothing was done.")
    return found


def read_strategy_texts(given: Sequence[str]) -> Strategy | dict[str, Strategy]:
    """Read ``theirs``, or ``table=theirs`` for each of some tables.

    Raises:
        InvalidInputError: One of them is neither, or both forms are used.
    """
    by_table: dict[str, Strategy] = {}
    for text in given:
        table, is_of_table, strategy = (part.strip() for part in text.rpartition("="))
        found = next((one for one in STRATEGIES if one == strategy.lower()), None)
        if found is None or (is_of_table and not table):
            raise InvalidInputError(
                f"A strategy is one of {', '.join(STRATEGIES)}, or table=strategy, not {text!r}; nothing was done."
            )
        if not is_of_table and len(given) == 1:
            return found
        if not is_of_table or fold(table) in by_table:
            raise InvalidInputError("A strategy is given once for all, or once for each table; nothing was done.")
        by_table[fold(table)] = found
    return by_table or "fail"


def read_keys(given: object) -> RowKeys:
    """Read the columns of keys by table: several, or the name of one.

    Raises:
        InvalidInputError: They are none.
    """
    if given is None:
        return RowKeys()
    found: dict[str, tuple[str, ...]] = {}
    for table, columns in given.items() if isinstance(given, Mapping) else [(given, None)]:
        names = (columns,) if isinstance(columns, str) else columns
        is_list = isinstance(names, Sequence) and bool(names) and all(isinstance(name, str) for name in names)
        if not isinstance(table, str) or not is_list:
            raise InvalidInputError(
                f"Keys are columns by table, not {given!r}; nothing was done.", hint='{"orders": ["id"]}'
            )
        found[fold(table)] = tuple(names or ())
    return RowKeys(found)


def read_key_texts(given: Sequence[str]) -> dict[str, list[str]]:
    """Read ``table=column,column`` for each of some tables.

    Raises:
        InvalidInputError: One of them is none, or a table has two.
    """
    found: dict[str, list[str]] = {}
    for text in given:
        table, _, columns = text.partition("=")
        names = [name.strip() for name in columns.split(",")]
        if not table.strip() or not all(names) or fold(table.strip()) in found:
            raise InvalidInputError(f"A key is table=column,column, once for a table, not {text!r}; nothing was done.")
        found[fold(table.strip())] = names
    return found
