"""The conflict matrix: which changes cannot follow which.

The matrix is DuckLake's, with two rules of ours; ``docs/spec/conflicts.md`` shows it as a table. Where no rule
applies, two changes commute or are resolved by planning again on the new head.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from enum import StrEnum
from typing import Final

from forklake.model.change_log import COMPACTIONS, ChangeKind, Conflict, LoggedChange
from forklake.model.lazy_dataclass import dataclass
from forklake.model.names import fold


class Comparison(StrEnum):
    """What two changes must share for a rule to apply."""

    OBJECT = "same object"
    NAME = "same name"
    SCHEMA = "same schema"
    DATA_FILE = "same data file"
    UNMATCHED = "same object, and ours matched no row of it"


@dataclass(frozen=True, slots=True)
class Rule:
    """Any of ``ours`` conflicts with any of ``theirs`` if the comparison holds.

    ``attempt`` and ``outcome`` are the two halves of the message, with placeholders.
    """

    ours: tuple[ChangeKind, ...]
    theirs: tuple[ChangeKind, ...]
    comparison: Comparison
    attempt: str
    outcome: str


_APPENDS: Final = (ChangeKind.INSERTED_INTO_TABLE, ChangeKind.INLINED_INSERT)
# Tables and views share their names; scalar and table macros each have names of their own.
_RELATIONS: Final = (ChangeKind.CREATED_TABLE, ChangeKind.CREATED_VIEW)
_ENTRIES: Final = (*_RELATIONS, ChangeKind.CREATED_SCALAR_MACRO, ChangeKind.CREATED_TABLE_MACRO)

_CREATE: Final = 'create {noun} "{name}" in schema "{schema}"'
_CREATE_IN: Final = _CREATE + ' with index "{schema_index}"'
_INSERT: Final = 'insert into table with index "{index}"'
_INSERT_UNMATCHED: Final = 'insert what matched no row into table with index "{index}"'
_DELETE: Final = 'delete from table with index "{index}"'
_DELETE_FILE: Final = 'delete from file with index "{file}"'
_FLUSH: Final = 'flush inline data with index "{index}"'
_COMPACT: Final = 'compact table with index "{index}"'
_ALTER: Final = 'alter table with index "{index}"'
_ALTER_VIEW: Final = 'alter view with index "{index}"'
_DROP_MACRO: Final = 'drop macro with index "{index}"'

_CREATED: Final = "this {their_noun} has been created by another transaction already"
_CREATED_SCHEMA: Final = "another transaction has created a schema with this name already"
_CREATED_INSIDE: Final = "another transaction has created an entry in this schema"
_DROPPED_SCHEMA: Final = "another transaction has dropped this schema"
_DROPPED: Final = "another transaction has dropped it"
_DROPPED_ALREADY: Final = "another transaction has dropped it already"
_ALTERED: Final = "another transaction has altered it"
_INSERTED: Final = "another transaction has inserted into it"
_DELETED: Final = "another transaction has deleted from it"
_DELETED_INLINED: Final = "another transaction has deleted inlined data from it"
_FLUSHED: Final = "another transaction has flushed it"
_FLUSHED_INLINED: Final = "another transaction has flushed the inlined data"
_COMPACTED: Final = "another transaction has compacted it"

_K = ChangeKind
_C = Comparison

RULES: Final[tuple[Rule, ...]] = (
    Rule((_K.DROPPED_TABLE,), (_K.DROPPED_TABLE,), _C.OBJECT, 'drop table with index "{index}"', _DROPPED_ALREADY),
    Rule((_K.DROPPED_VIEW,), (_K.DROPPED_VIEW,), _C.OBJECT, 'drop view with index "{index}"', _DROPPED_ALREADY),
    Rule((_K.DROPPED_SCALAR_MACRO,), (_K.DROPPED_SCALAR_MACRO,), _C.OBJECT, _DROP_MACRO, _DROPPED_ALREADY),
    Rule((_K.DROPPED_TABLE_MACRO,), (_K.DROPPED_TABLE_MACRO,), _C.OBJECT, _DROP_MACRO, _DROPPED_ALREADY),
    Rule((_K.DROPPED_SCHEMA,), (_K.DROPPED_SCHEMA,), _C.OBJECT, 'drop schema with index "{index}"', _DROPPED_ALREADY),
    Rule((_K.DROPPED_SCHEMA,), _ENTRIES, _C.SCHEMA, 'drop schema with name "{schema}"', _CREATED_INSIDE),
    Rule((_K.CREATED_SCHEMA,), (_K.CREATED_SCHEMA,), _C.NAME, 'create schema with name "{schema}"', _CREATED_SCHEMA),
    Rule(_ENTRIES, (_K.DROPPED_SCHEMA,), _C.SCHEMA, _CREATE_IN, _DROPPED_SCHEMA),
    Rule((_K.CREATED_TABLE_MACRO,), (_K.CREATED_TABLE_MACRO,), _C.NAME, _CREATE, _CREATED),
    Rule((_K.CREATED_SCALAR_MACRO,), (_K.CREATED_SCALAR_MACRO,), _C.NAME, _CREATE, _CREATED),
    Rule(_RELATIONS, _RELATIONS, _C.NAME, _CREATE, _CREATED),
    Rule(_APPENDS, (_K.DROPPED_TABLE,), _C.OBJECT, _INSERT, _DROPPED),
    Rule(_APPENDS, (_K.ALTERED_TABLE,), _C.OBJECT, _INSERT, _ALTERED),
    Rule(_APPENDS, (_K.DELETED_FROM_TABLE,), _C.OBJECT, _INSERT, _DELETED),
    Rule(_APPENDS, (_K.INLINED_DELETE,), _C.OBJECT, _INSERT, _DELETED_INLINED),
    Rule(_APPENDS, _APPENDS, _C.UNMATCHED, _INSERT_UNMATCHED, _INSERTED),
    Rule((_K.DELETED_FROM_TABLE,), (_K.DROPPED_TABLE,), _C.OBJECT, _DELETE, _DROPPED),
    Rule((_K.DELETED_FROM_TABLE,), (_K.ALTERED_TABLE,), _C.OBJECT, _DELETE, _ALTERED),
    Rule((_K.DELETED_FROM_TABLE,), COMPACTIONS, _C.OBJECT, _DELETE, _COMPACTED),
    Rule((_K.DELETED_FROM_TABLE,), _APPENDS, _C.OBJECT, _DELETE, _INSERTED),
    Rule((_K.DELETED_FROM_TABLE,), (_K.DELETED_FROM_TABLE,), _C.DATA_FILE, _DELETE_FILE, _DELETED),
    Rule((_K.DELETED_FROM_TABLE,), (_K.INLINED_DELETE,), _C.DATA_FILE, _DELETE_FILE, _DELETED),
    Rule((_K.INLINED_DELETE,), (_K.DROPPED_TABLE,), _C.OBJECT, _DELETE, _DROPPED),
    Rule((_K.INLINED_DELETE,), (_K.ALTERED_TABLE,), _C.OBJECT, _DELETE, _ALTERED),
    Rule((_K.INLINED_DELETE,), (_K.DELETED_FROM_TABLE,), _C.DATA_FILE, _DELETE_FILE, _DELETED),
    Rule((_K.INLINED_DELETE,), (_K.INLINED_DELETE,), _C.OBJECT, _DELETE, _DELETED),
    Rule((_K.INLINED_DELETE,), (_K.INLINE_FLUSH,), _C.OBJECT, _DELETE, _FLUSHED_INLINED),
    Rule((_K.INLINED_DELETE,), _APPENDS, _C.OBJECT, _DELETE, _INSERTED),
    Rule((_K.INLINE_FLUSH,), (_K.DROPPED_TABLE,), _C.OBJECT, _FLUSH, _DROPPED),
    Rule((_K.INLINE_FLUSH,), (_K.INLINED_DELETE,), _C.OBJECT, _FLUSH, _DELETED),
    Rule((_K.INLINE_FLUSH,), (_K.INLINE_FLUSH,), _C.OBJECT, _FLUSH, _FLUSHED),
    Rule(COMPACTIONS, (_K.DROPPED_TABLE,), _C.OBJECT, _COMPACT, _DROPPED),
    Rule(COMPACTIONS, (_K.DELETED_FROM_TABLE,), _C.OBJECT, _COMPACT, _DELETED),
    Rule(COMPACTIONS, COMPACTIONS, _C.OBJECT, _COMPACT, _COMPACTED),
    Rule((_K.ALTERED_TABLE,), (_K.DROPPED_TABLE,), _C.OBJECT, _ALTER, _DROPPED),
    Rule((_K.ALTERED_TABLE,), (_K.ALTERED_TABLE,), _C.OBJECT, _ALTER, _ALTERED),
    Rule((_K.ALTERED_VIEW,), (_K.DROPPED_VIEW,), _C.OBJECT, _ALTER_VIEW, _DROPPED),
    Rule((_K.ALTERED_VIEW,), (_K.ALTERED_VIEW,), _C.OBJECT, _ALTER_VIEW, _ALTERED),
)
"""Every cell of the matrix, in the order in which DuckLake checks them.

Those of rows that matched none, and of rows of one file that are deleted in two ways, are ours.
"""

# DuckLake calls a macro one thing when it creates it and another when somebody else did.
_NOUNS: Final = {
    ChangeKind.CREATED_TABLE: "table",
    ChangeKind.CREATED_VIEW: "view",
    ChangeKind.CREATED_SCALAR_MACRO: "scalar",
    ChangeKind.CREATED_TABLE_MACRO: "table",
}
_THEIR_NOUNS: Final = {
    ChangeKind.CREATED_TABLE: "table",
    ChangeKind.CREATED_VIEW: "view",
    ChangeKind.CREATED_SCALAR_MACRO: "scalar_macro",
    ChangeKind.CREATED_TABLE_MACRO: "table_macro",
}

_Key = int | str | tuple[str, str] | None


def conflicts(ours: Sequence[LoggedChange], theirs: Sequence[LoggedChange]) -> tuple[Conflict, ...]:
    """Return every reason why our changes cannot follow theirs; empty if they can.

    Ordered by our changes, then by the rules, then by their changes. No message comes twice: of
    pairs with the same message, the first is kept. What one side does not know (an id or a name that
    is None) matches nothing, but deletes whose data files are not known conflict with every other
    delete from the table. The cost grows with the lists and the conflicts found, not with their product.
    """
    known: dict[tuple[Comparison, ChangeKind, _Key], list[LoggedChange]] = defaultdict(list)
    for other in theirs:
        for comparison in Comparison:
            known[comparison, other.kind, _their_key(comparison, other)].append(other)
    found: dict[str, Conflict] = {}
    for mine in ours:
        for rule in RULES:
            key = _our_key(rule.comparison, mine)
            if mine.kind not in rule.ours or key is None:
                continue
            for kind in rule.theirs:
                for other in known.get((rule.comparison, kind, key), ()):
                    for message in _messages(rule, mine, other):
                        found.setdefault(message, Conflict(mine, other, message))
    return tuple(found.values())


def _our_key(comparison: Comparison, change: LoggedChange) -> _Key:
    if comparison is Comparison.SCHEMA:
        return _fold_name(change.schema_name) if change.kind is ChangeKind.DROPPED_SCHEMA else change.schema_id
    if comparison is Comparison.UNMATCHED and not change.unmatched:
        return None
    return _key(comparison, change)


def _their_key(comparison: Comparison, change: LoggedChange) -> _Key:
    if comparison is Comparison.SCHEMA:
        return change.object_id if change.kind is ChangeKind.DROPPED_SCHEMA else _fold_name(change.schema_name)
    return _key(comparison, change)


def _key(comparison: Comparison, change: LoggedChange) -> _Key:
    if comparison is not Comparison.NAME:
        return change.object_id
    if change.kind is ChangeKind.CREATED_SCHEMA:
        return _fold_name(change.schema_name)
    if change.schema_name is None or change.name is None:
        return None
    return fold(change.schema_name), fold(change.name)


def _fold_name(name: str | None) -> str | None:
    return None if name is None else fold(name)


def _messages(rule: Rule, mine: LoggedChange, other: LoggedChange) -> Iterator[str]:
    if rule.comparison is not Comparison.DATA_FILE:
        yield _message(rule.attempt, rule.outcome, mine, other)
    elif (mine.data_files or _is_inlined(mine)) and (other.data_files or _is_inlined(other)):
        for file in sorted(mine.data_files & other.data_files):
            yield _message(rule.attempt, rule.outcome, mine, other, file)
    else:
        yield _message(_DELETE, rule.outcome, mine, other)


def _is_inlined(change: LoggedChange) -> bool:
    """Return whether a delete is kept in the metadata.

    Its files are all known: those of inlined rows may be none.
    """
    return change.kind is ChangeKind.INLINED_DELETE


def _message(attempt: str, outcome: str, mine: LoggedChange, other: LoggedChange, file: int | None = None) -> str:
    what = attempt.format(
        noun=_NOUNS.get(mine.kind),
        name=mine.name,
        schema=mine.schema_name,
        schema_index=mine.schema_id,
        index=mine.object_id,
        file=file,
    )
    why = outcome.format(their_noun=_THEIR_NOUNS.get(other.kind))
    return f"Transaction conflict - attempting to {what} - but {why}"
