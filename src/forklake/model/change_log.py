"""The vocabulary of the change log, which records what each snapshot did.

A snapshot's ``changes_made`` is a list of entries ``keyword:value``, separated by commas. The value
is an object id, or the quoted name of something created: ``created_table:"main"."t",inserted_into_table:1``.
Grammar, keywords and order are DuckLake's, whose readers refuse a keyword they do not know.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from enum import StrEnum
from typing import Final

from forklake.model.lazy_dataclass import dataclass
from forklake.model.names import fold
from forklake.model.quoting import quote_name


class ChangeKind(StrEnum):
    """A keyword of the change log."""

    CREATED_SCHEMA = "created_schema"
    CREATED_TABLE = "created_table"
    CREATED_VIEW = "created_view"
    CREATED_SCALAR_MACRO = "created_scalar_macro"
    CREATED_TABLE_MACRO = "created_table_macro"
    DROPPED_SCHEMA = "dropped_schema"
    DROPPED_TABLE = "dropped_table"
    DROPPED_VIEW = "dropped_view"
    DROPPED_SCALAR_MACRO = "dropped_scalar_macro"
    DROPPED_TABLE_MACRO = "dropped_table_macro"
    INSERTED_INTO_TABLE = "inserted_into_table"
    DELETED_FROM_TABLE = "deleted_from_table"
    ALTERED_TABLE = "altered_table"
    ALTERED_VIEW = "altered_view"
    INLINED_INSERT = "inlined_insert"
    INLINED_DELETE = "inlined_delete"
    INLINE_FLUSH = "inline_flush"
    MERGE_ADJACENT = "merge_adjacent"
    REWRITE_DELETE = "rewrite_delete"


COMPACTIONS: Final = (ChangeKind.MERGE_ADJACENT, ChangeKind.REWRITE_DELETE)
"""Changes that only moved rows from files to files. A snapshot has either these or others."""


@dataclass(frozen=True, slots=True)
class LoggedChange:
    """One change as the log records it, with details that only its transaction knows.

    A change must be complete enough to be logged, or making it fails (ValueError): something created
    has its names, everything else the id of its object. An id below zero is local to a transaction;
    the store replaces it at commit.

    Attributes:
        kind: The keyword.
        object_id: The schema, table, view or macro; the log has none for things created.
        schema_name: The schema of something created (for ``created_schema``, the schema itself). The
            log has none for a dropped schema; the transaction that drops one fills it in.
        name: The table, view or macro created.
        schema_id: The schema of a table, view or macro created; not in the log.
        data_files: The data files whose rows a ``deleted_from_table`` or ``inlined_delete`` touched; not in the text
            but read from the rows. Empty means that they are not known, or of inlined rows, that there are none.
        unmatched: Whether rows were added because no row of the table matched; not in the log, known only to the
            transaction that adds them.
    """

    kind: ChangeKind
    object_id: int | None = None
    schema_name: str | None = None
    name: str | None = None
    schema_id: int | None = None
    data_files: frozenset[int] = frozenset()
    unmatched: bool = False

    def __post_init__(self) -> None:
        _value(self)


@dataclass(frozen=True, slots=True)
class Conflict:
    """Why one of our changes cannot follow one of theirs, in DuckLake's words."""

    ours: LoggedChange
    theirs: LoggedChange
    message: str


_EMISSION: Final[tuple[tuple[ChangeKind, ...], ...]] = (
    (ChangeKind.DROPPED_SCHEMA,),
    (ChangeKind.DROPPED_TABLE,),
    (ChangeKind.DROPPED_VIEW,),
    (ChangeKind.CREATED_SCHEMA,),
    (ChangeKind.CREATED_TABLE, ChangeKind.CREATED_VIEW),
    (ChangeKind.CREATED_SCALAR_MACRO,),
    (ChangeKind.CREATED_TABLE_MACRO,),
    (ChangeKind.DROPPED_SCALAR_MACRO,),
    (ChangeKind.DROPPED_TABLE_MACRO,),
    (ChangeKind.INSERTED_INTO_TABLE,),
    (ChangeKind.DELETED_FROM_TABLE,),
    (ChangeKind.ALTERED_TABLE,),
    (ChangeKind.ALTERED_VIEW,),
    (ChangeKind.INLINED_INSERT,),
    (ChangeKind.INLINED_DELETE,),
    (ChangeKind.INLINE_FLUSH,),
    (ChangeKind.MERGE_ADJACENT,),
    (ChangeKind.REWRITE_DELETE,),
)
_RANK: Final = {kind: rank for rank, kinds in enumerate(_EMISSION) for kind in kinds}

_CREATED_ENTRIES: Final = frozenset(
    {
        ChangeKind.CREATED_TABLE,
        ChangeKind.CREATED_VIEW,
        ChangeKind.CREATED_SCALAR_MACRO,
        ChangeKind.CREATED_TABLE_MACRO,
    }
)

_KEYWORDS: Final[dict[str, ChangeKind]] = {
    **{kind.value: kind for kind in ChangeKind},
    "flushed_inlined": ChangeKind.INLINE_FLUSH,
    "compacted_table": ChangeKind.MERGE_ADJACENT,
}

# Possessive repeats: a text with an unbalanced quote is refused in one pass.
_ENTRY: Final = re.compile(r'(?P<keyword>[^:]*+):(?P<value>(?:[^",]++|"[^"]*+")*+)(?:,|\Z)')
_QUOTED: Final = r'"((?:[^"]++|"")*+)"'
_SCHEMA: Final = re.compile(_QUOTED)
_SCHEMA_AND_NAME: Final = re.compile(rf"{_QUOTED}\.{_QUOTED}")
_OBJECT_ID: Final = re.compile("[0-9]{1,20}")


def entries(changes: Iterable[LoggedChange]) -> tuple[tuple[str, str | int], ...]:
    """Return the log's entries as (keyword, quoted name or object id).

    They are in DuckLake's order. No entry comes twice, and entries of one rank keep the order in which they were
    given. The store still has to replace ids below zero.
    """
    ordered = sorted(changes, key=lambda change: _RANK[change.kind])
    return tuple(dict.fromkeys((change.kind.value, _value(change)) for change in ordered))


def render(changes: Iterable[LoggedChange]) -> str:
    """Return the text of ``changes_made``; it is empty if nothing changed.

    >>> inserted = LoggedChange(ChangeKind.INSERTED_INTO_TABLE, object_id=1)
    >>> created = LoggedChange(ChangeKind.CREATED_TABLE, schema_name="main", name='the "big" one')
    >>> render([inserted, created])
    'created_table:"main"."the ""big"" one",inserted_into_table:1'
    """
    return ",".join(f"{keyword}:{value}" for keyword, value in entries(changes))


def parse(text: str | None) -> tuple[LoggedChange, ...]:
    """Return the changes that a ``changes_made`` lists, in its order.

    Reads what DuckLake reads: keywords in any case, its older names for a flush and a compaction,
    one comma too many at the end.

    Raises:
        ValueError: The text has an entry of a kind or a form that the grammar does not know.
    """
    changes = []
    position = 0
    while text and position < len(text):
        entry = _ENTRY.match(text, position)
        if entry is None:
            raise ValueError(f"Unsupported change type {text[position:]}")
        changes.append(_logged_change(entry["keyword"], entry["value"]))
        position = entry.end()
    return tuple(changes)


def _value(change: LoggedChange) -> str | int:
    if change.kind is ChangeKind.CREATED_SCHEMA:
        if change.schema_name is None:
            raise ValueError(f"{change.kind} without the name of the schema")
        return quote_name(change.schema_name)
    if change.kind in _CREATED_ENTRIES:
        if change.schema_name is None or change.name is None:
            raise ValueError(f"{change.kind} without the names of its schema and of itself")
        return f"{quote_name(change.schema_name)}.{quote_name(change.name)}"
    if change.object_id is None:
        raise ValueError(f"{change.kind} without the id of its object")
    return change.object_id


def _logged_change(keyword: str, value: str) -> LoggedChange:
    kind = _KEYWORDS.get(fold(keyword))
    if kind is None:
        raise ValueError(f"Unsupported change type {keyword}")
    if kind is ChangeKind.CREATED_SCHEMA:
        if names := _SCHEMA.fullmatch(value):
            return LoggedChange(kind, schema_name=_unquote(names[1]))
    elif kind in _CREATED_ENTRIES:
        if names := _SCHEMA_AND_NAME.fullmatch(value):
            return LoggedChange(kind, schema_name=_unquote(names[1]), name=_unquote(names[2]))
    elif _OBJECT_ID.fullmatch(value):
        return LoggedChange(kind, object_id=int(value))
    raise ValueError(f"Unsupported change type {keyword}:{value}")


def _unquote(text: str) -> str:
    return text.replace('""', '"')
