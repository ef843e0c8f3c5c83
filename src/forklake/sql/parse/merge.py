"""MERGE INTO, and MERGE FORK."""

from __future__ import annotations

from typing import Literal

from sqlglot import exp

from forklake.errors import InvalidInputError
from forklake.sql.fork_statements import MergeFork
from forklake.sql.parse.fork_statements import read_merge_fork
from forklake.sql.parse.row_statements import read_alias, read_assignments, read_value_or_default
from forklake.sql.parse.words import Words
from forklake.sql.statements import Merge, MergeAction

Side = Literal["matched", "not matched", "not matched by source"]


def read_merge(words: Words, with_: exp.With | None = None) -> Merge | MergeFork:
    """Read what follows MERGE.

    Raises:
        InvalidInputError: It cannot be read, or DuckLake does not support it.
    """
    if with_ is None and words.take("FORK"):
        return read_merge_fork(words)
    words.expect("INTO")
    table = words.path()
    alias = read_alias(words)
    words.expect("USING")
    source = words.relation()
    using = words.names_in_parentheses() if words.take("USING") else ()
    on = None
    if not using:
        words.expect("ON")
        on = words.expression()
    actions = _read_actions(words)
    if words.at("RETURNING"):
        raise InvalidInputError("RETURNING clause not yet supported for MERGE INTO of a DuckLake table")
    return Merge(table, alias, source, on, using, actions, with_)


def _read_actions(words: Words) -> tuple[MergeAction, ...]:
    """Read all actions.

    One without a condition is for the rows that no other of its side is for: DuckDB tries it last, wherever it
    stands, and takes one for each side.
    """
    actions = [_read_action(words)]
    while words.at("WHEN"):
        actions.append(_read_action(words))
    sides = [action.side for action in actions]
    unconditional = [action.side for action in actions if action.when is None]
    for side in unconditional:
        if unconditional.count(side) > 1:
            clause = f"WHEN {side.upper()}"
            raise InvalidInputError(
                f"Parser Error: Unconditional {clause} clause was already defined - only one unconditional {clause}"
                " clause is supported"
            )
    return tuple(sorted(actions, key=lambda action: (sides.index(action.side), action.when is None)))


def _read_action(words: Words) -> MergeAction:
    words.expect("WHEN")
    side = _read_side(words)
    when = words.expression() if words.take("AND") else None
    words.expect("THEN")
    if words.take("UPDATE"):
        return _read_update(words, side, when)
    if words.take("DELETE"):
        return MergeAction(side, "delete", when)
    if words.take("INSERT"):
        return _read_insert(words, side, when)
    if words.take("DO", "NOTHING"):
        return MergeAction(side, "do nothing", when)
    words.expect("ERROR")
    message = None if words.at_end() or words.at_any("WHEN", "RETURNING") else words.expression()
    return MergeAction(side, "error", when, message=message)


def _read_side(words: Words) -> Side:
    if words.take("MATCHED"):
        return "matched"
    words.expect("NOT", "MATCHED")
    if words.take("BY", "SOURCE"):
        return "not matched by source"
    words.take("BY", "TARGET")
    return "not matched"


def _read_update(words: Words, side: Side, when: exp.Expr | None) -> MergeAction:
    if words.take("SET", "*"):
        return MergeAction(side, "update", when, by_name=_read_by_name(words))
    if words.take("SET"):
        return MergeAction(side, "update", when, read_assignments(words))
    return MergeAction(side, "update", when, by_name=_read_by_name(words))


def _read_insert(words: Words, side: Side, when: exp.Expr | None) -> MergeAction:
    if side != "not matched":
        raise words.wrong("INSERT is only possible for rows that are NOT MATCHED [BY TARGET]")
    by_name = _read_by_name(words)
    if words.take("*"):
        return MergeAction(side, "insert", when, by_name=_read_by_name(words) or by_name)
    if words.take("DEFAULT", "VALUES"):
        return MergeAction(side, "insert", when, is_default=True)
    columns = words.names_in_parentheses() if words.at("(") else ()
    by_name = _read_by_name(words) or by_name
    if not words.take("VALUES"):
        if columns:
            raise words.unexpected_token()
        return MergeAction(side, "insert", when, by_name=by_name)
    values = words.in_parentheses(lambda: read_value_or_default(words))
    if columns and len(columns) != len(values):
        raise words.wrong(f"INSERT names {len(columns)} columns and has {len(values)} values")
    if columns:
        return MergeAction(side, "insert", when, tuple(zip(columns, values, strict=True)))
    return MergeAction(side, "insert", when, values=tuple(values))


def _read_by_name(words: Words) -> bool:
    if words.take("BY", "NAME"):
        return True
    words.take("BY", "POSITION")
    return False
