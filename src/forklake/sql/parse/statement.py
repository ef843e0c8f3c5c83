"""The parser's entry points: text to statements, queries and expressions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, TypeVar

from sqlglot import exp

from forklake.engine.text_budget import check_statements
from forklake.errors import InvalidInputError
from forklake.model.definitions import SortKey
from forklake.model.types import Type
from forklake.sql.parse import session
from forklake.sql.parse.alter import read_alter
from forklake.sql.parse.copying import read_copy, read_export, read_import
from forklake.sql.parse.create_table import read_sort_key
from forklake.sql.parse.fork_statements import read_refresh
from forklake.sql.parse.keywords import BEGINS_QUERY
from forklake.sql.parse.merge import read_merge
from forklake.sql.parse.objects import read_comment, read_create, read_drop, read_stored_text
from forklake.sql.parse.questions import read_call, read_describe, read_query, read_show
from forklake.sql.parse.row_statements import (
    read_delete,
    read_insert,
    read_truncate,
    read_update,
    read_value_or_default,
)
from forklake.sql.parse.tokens import statements, syntax_error
from forklake.sql.parse.types import read_column_type
from forklake.sql.parse.values import read_options
from forklake.sql.parse.words import Words
from forklake.sql.prepared import Prepare
from forklake.sql.statements import Explain, Statement

Item = TypeVar("Item")

_READERS: Final[dict[str, Callable[[Words], Statement]]] = {
    "ATTACH": session.read_attach,
    "DETACH": session.read_detach,
    "USE": session.read_use,
    "BEGIN": session.read_begin,
    "START": session.read_begin,
    "COMMIT": session.read_commit,
    "END": session.read_commit,
    "ROLLBACK": session.read_rollback,
    "ABORT": session.read_rollback,
    "SET": session.read_set,
    "RESET": session.read_reset,
    "PRAGMA": session.read_pragma,
    "INSTALL": session.read_extension,
    "LOAD": session.read_extension,
    "FORCE": session.read_force,
    "CHECKPOINT": session.read_checkpoint,
    "CREATE": read_create,
    "DROP": read_drop,
    "ALTER": read_alter,
    "COMMENT": read_comment,
    "INSERT": read_insert,
    "UPDATE": read_update,
    "DELETE": read_delete,
    "TRUNCATE": read_truncate,
    "MERGE": read_merge,
    "REFRESH": read_refresh,
    "COPY": read_copy,
    "EXPORT": read_export,
    "IMPORT": read_import,
    "CALL": read_call,
    "SHOW": read_show,
    "DESCRIBE": read_describe,
    "DESC": read_describe,
    "EXECUTE": session.read_execute,
    "DEALLOCATE": session.read_deallocate,
}
_AFTER_WITH: Final[dict[str, Callable[[Words, exp.With], Statement]]] = {
    "INSERT": read_insert,
    "UPDATE": read_update,
    "DELETE": read_delete,
    "MERGE": read_merge,
}
_NOT_SUPPORTED: Final = {
    ("VACUUM",): "CALL x.expire_snapshots(older_than => ...) and CALL x.cleanup_old_files() free what is old.",
    ("OPTIMIZE",): "CALL x.merge_adjacent_files() makes large files of small ones; CHECKPOINT x does all maintenance.",
    ("RESTORE",): "CALL x.reset_to(...) gives a catalog the content of a snapshot; a table is read as it was with"
    " FROM t AT (VERSION => ...).",
    ("DESCRIBE", "HISTORY"): "FROM x.snapshots() lists what was done, FROM x.table_changes(...) the changed rows.",
    ("ANALYZE",): "Statistics are kept by each write.",
    ("GRANT",): "Rights are those of the database and of the storage.",
    ("REVOKE",): "Rights are those of the database and of the storage.",
}
"""Statements of other systems, and what does the same here, for a catalog that is attached as x."""


def parse(text: str) -> list[Statement]:
    """Parse the statements of a text, separated by semicolons.

    A text of spaces and comments has none.

    Raises:
        InvalidInputError: The text cannot be read, or asks for something that is not supported. Then no
            statement is returned, not even those before the error.
        NotFoundError: It names a type that does not exist.
        LimitError: The text is longer than is allowed here, or its time is over.
    """
    found = list[Statement]()
    for tokens, end in statements(text):
        check_statements(len(found) + 1)
        found.append(_whole(Words(text, tokens, end), _read))
    return found


def parse_query(text: str) -> exp.Query:
    """Parse a text that is exactly one query.

    Raises:
        InvalidInputError: It is not.
    """
    return _read_only(text, Words.query)


def parse_expression(text: str) -> exp.Expr:
    """Parse a text that is exactly one expression.

    Raises:
        InvalidInputError: It is not.
    """
    return _read_only(text, Words.expression)


def parse_value(text: str) -> exp.Expr:
    """Parse the value of a column: one expression, or the keyword DEFAULT.

    Raises:
        InvalidInputError: It is neither.
    """
    return _read_only(text, read_value_or_default)


def parse_type(text: str) -> Type:
    """Parse the name of a type.

    Raises:
        InvalidInputError: It cannot be read, or no table has such a type.
        NotFoundError: There is no such type.
    """
    return _read_only(text, read_column_type)


def check_stored_text(text: str, what: str, *, is_query: bool) -> None:
    """Refuse a text that a view or macro cannot store.

    The text must be exactly one query, or exactly one expression.

    Raises:
        InvalidInputError: It is not.
    """
    _read_only(text, lambda words: read_stored_text(words, what, is_query=is_query))


def parse_sort_key(text: str) -> SortKey:
    """Parse one key of a sort order.

    It is an expression, optionally with its direction and the order of NULLs.

    Raises:
        InvalidInputError: It is no such key.
    """
    return _read_only(text, read_sort_key)


def parse_sort_keys(text: str) -> tuple[SortKey, ...]:
    """Parse the keys of a sort order, separated by commas.

    Raises:
        InvalidInputError: The text is no such list.
    """
    return _read_only(text, lambda words: tuple(words.comma_list(lambda: read_sort_key(words))))


def _read_only(text: str, read: Callable[[Words], Item]) -> Item:
    found = [Words(text, tokens, end) for tokens, end in statements(text)]
    if len(found) != 1:
        raise found[1].unexpected_token() if found else syntax_error(text, None)
    return _whole(found[0], read)


def _whole(words: Words, read: Callable[[Words], Item]) -> Item:
    """Read something from all of the words; a rest is an error."""
    try:
        item = read(words)
    except RecursionError as error:
        raise InvalidInputError("Parser Error: the statement is nested too deeply; it was not read.") from error
    words.finish()
    return item


def _read(words: Words) -> Statement:
    for refused, advice in _NOT_SUPPORTED.items():
        if words.at(*refused) and (len(refused) == 1 or _has_more(words, refused)):
            raise InvalidInputError(f"{' '.join(refused)} is not supported; nothing was done.", hint=advice)
    for first, read in _READERS.items():
        if words.take(first):
            return read(words)
    if words.at("WITH"):
        return _read_after_with(words)
    if words.at_any(*BEGINS_QUERY):
        return read_query(words)
    if words.take("EXPLAIN"):
        return _read_explain(words)
    if words.take("PREPARE"):
        return _read_prepare(words)
    raise words.unexpected_token()


def _has_more(words: Words, beginning: tuple[str, ...]) -> bool:
    """Return whether something follows words, so that the last is no name."""
    start = words.mark()
    words.take(*beginning)
    found = not words.at_end()
    words.back(start)
    return found


def _read_after_with(words: Words) -> Statement:
    start = words.mark()
    with_ = words.with_clause()
    for first, read in _AFTER_WITH.items():
        if words.take(first):
            return read(words, with_)
    words.back(start)
    return read_query(words)


def _read_prepare(words: Words) -> Prepare:
    name = words.name()
    words.expect("AS")
    start = words.mark()
    _read(words)
    return Prepare(name, words.text_from(start))


def _read_explain(words: Words) -> Explain:
    analyze = words.take("ANALYZE")
    if words.at("(") and not any(words.at("(", first) for first in BEGINS_QUERY):
        options = read_options(words)
        analyze = bool(options.pop("analyze", False))
        if options:
            raise words.wrong(f'Unsupported option "{next(iter(options))}" for EXPLAIN')
    return Explain(_read(words), analyze=analyze)
