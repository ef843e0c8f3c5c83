"""What the Tab key offers: names, functions, keywords and commands."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import field
from typing import TYPE_CHECKING, Final

from prompt_toolkit.completion import CompleteEvent, Completer, Completion
from prompt_toolkit.document import Document

from forklake import sql
from forklake.cli.answer import MODES
from forklake.cli.shell.commands import COMMANDS
from forklake.errors import ForklakeError
from forklake.model.keywords import identifier
from forklake.model.lazy_dataclass import dataclass
from forklake.model.names import fold
from forklake.session.functions import FUNCTIONS

if TYPE_CHECKING:
    from forklake.session.connection import Connection

_LISTED_KEYWORDS: Final = """
    ALTER TABLE, AND, AS, ASC, AT, ATTACH, BEGIN, BETWEEN, BY, CALL, CASE, CAST, CHECKPOINT, COLUMN, COMMENT ON,
    COMMIT, COPY, CREATE, CREATE CATALOG, CREATE FORK, CREATE OR REPLACE, CREATE SCHEMA, CREATE TABLE, CREATE VIEW,
    CROSS JOIN, DELETE FROM, DESC, DESCRIBE, DETACH, DISTINCT, DROP, DROP CATALOG, DROP TABLE, ELSE, END, EXCEPT,
    EXISTS, EXPLAIN, FALSE, FROM, FULL JOIN, GROUP BY, GROUP BY ALL, HAVING, IN, INNER JOIN, INSERT INTO, INTERSECT,
    INTERVAL, IS, IS NOT NULL, IS NULL, JOIN, KEYS, LEFT JOIN, LIKE, LIMIT, MERGE FORK, MERGE INTO, NOT, NULL,
    OFFSET, ON, OR, ORDER BY, ORDER BY ALL, OVER, PARTITION BY, PRAGMA, QUALIFY, REFRESH FORK, RIGHT JOIN, ROLLBACK,
    SELECT, SET, SHOW ALL TABLES, SHOW CATALOGS, SHOW DATABASES, SHOW TABLES, STRATEGY, SUMMARIZE, TABLE, THEN,
    TIMESTAMP, TRUE, TRUNCATE, UNION, UNION ALL, UPDATE, USE, USING, VALUES, VERSION, WHEN, WHERE, WITH
"""
_KEYWORDS: Final = tuple(word.strip() for word in _LISTED_KEYWORDS.split(","))
_PART: Final = r'(?:"(?:[^"]|"")*"|[^\W\d]\w*)'
_PATH: Final = re.compile(rf"((?:{_PART}\.)*)([^\W\d]\w*)?$")
_OPEN_PATH: Final = re.compile(rf'((?:{_PART}\.)*)("[^"]*)$')
"""The same, with a quote that is not closed."""
_AFTER_RELATION: Final = re.compile(r"\b(?:from|join|into|update|table|describe|truncate|using)\s+\S*$", re.IGNORECASE)
_AFTER_USE: Final = re.compile(r"\buse\s+\S*$", re.IGNORECASE)
_ALIASED: Final = re.compile(rf"\b(?:from|join|into|update)\s+((?:{_PART}\.)*{_PART})(?:\s+(?:as\s+)?({_PART}))?", re.I)
_MOST_CATALOGS: Final = 1_000


@dataclass(slots=True)
class Names:
    """The names that statements of a session can use now.

    Attributes:
        catalogs: Catalogs: attached ones, and those of the lake in use.
        relations: Tables and views, each by catalog, schema and name, with its columns.
    """

    catalogs: list[str] = field(default_factory=list)
    relations: dict[tuple[str, str, str], list[str]] = field(default_factory=dict)


class SessionCompleter(Completer):
    """Completes with names of a session.

    They are read when they are first needed after a statement, by another session on the same attachments: so
    completing is no part of an open transaction.
    """

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._names: Names | None = None

    def forget(self) -> None:
        """Read names again when they are needed: a statement may have changed them."""
        self._names = None

    def get_completions(self, document: Document, complete_event: CompleteEvent) -> Iterator[Completion]:
        """Yield what may follow, names before functions before keywords."""
        text = document.text_before_cursor
        if text.lstrip().startswith("."):
            yield from _command_completions(text.lstrip())
            return
        found = (_OPEN_PATH if text.count('"') % 2 else _PATH).search(text)
        before, word = (found[1], found[2] or "") if found is not None else ("", "")
        if not before and not word and not (_AFTER_RELATION.search(text) or _AFTER_USE.search(text)):
            return
        seen = set[str]()
        for name, kind in self._candidates(text, document.text, before):
            if fold(name.strip('"')).startswith(fold(word.strip('"'))) and name not in seen:
                seen.add(name)
                yield Completion(name, start_position=-len(word), display_meta=kind)

    def _candidates(self, text: str, whole: str, before: str) -> Iterator[tuple[str, str]]:
        names = self._current_names()
        in_use = self._connection.in_use or ("", "main")
        if before:
            yield from _below(names, in_use, _parts(before), whole)
            return
        if _AFTER_USE.search(text):
            yield from ((identifier(one), "catalog") for one in names.catalogs)
            yield from ((one, "schema") for one in _schemas(names, in_use[0]))
            return
        for catalog, schema, name in names.relations:
            if (catalog, schema) == in_use:
                yield identifier(name), "table"
        yield from ((one, "schema") for one in _schemas(names, in_use[0]))
        yield from ((identifier(one), "catalog") for one in names.catalogs)
        if _AFTER_RELATION.search(text):
            return
        for columns in _named_columns(names, in_use, whole):
            yield from ((identifier(one), "column") for one in columns)
        yield from ((one, "function") for one in sql.function_names.function_names())
        yield from ((f"ducklake_{one}", "function") for one in FUNCTIONS)
        yield from ((one, "") for one in _KEYWORDS)

    def _current_names(self) -> Names:
        if self._names is None:
            self._names = _read_names(self._connection)
        return self._names


def _read_names(connection: Connection) -> Names:
    """Return the names of a session; errors of the lake are ignored here."""
    names = Names(list(connection.attached))
    with connection.cursor() as asking:
        try:
            listed = asking.sql("SHOW ALL TABLES")
            assert listed is not None
            names.relations = {(row[0], row[1], row[2]): row[3] for row in listed.rows()}
            found = asking.sql("SHOW CATALOGS")
            assert found is not None
            names.catalogs += [row[0] for row in found.rows()[:_MOST_CATALOGS] if row[0] not in names.catalogs]
        except ForklakeError:
            return names
    return names


def _parts(before: str) -> list[str]:
    return [part[1:-1].replace('""', '"') if part[0] == '"' else part for part in re.findall(_PART, before)]


def _below(names: Names, in_use: tuple[str, str], parts: list[str], whole: str) -> Iterator[tuple[str, str]]:
    """Yield what may follow a name and a dot."""
    wanted = [fold(part) for part in parts]
    for (catalog, schema, name), columns in names.relations.items():
        path = [fold(catalog), fold(schema), fold(name)]
        if path[:-1] == wanted or (len(wanted) == 1 and wanted[0] in (path[0], path[1]) and catalog):
            is_there = path[:-1] == wanted or (path[0] == wanted[0] and path[1] == "main") or catalog == in_use[0]
            if is_there:
                yield identifier(name), "table"
        if len(wanted) == 1 and path[0] == wanted[0]:
            yield identifier(schema), "schema"
        if wanted in ([path[2]], path[1:], path) and (catalog == in_use[0] or len(wanted) == 3):
            yield from ((identifier(one), "column") for one in columns)
    if len(wanted) == 1:
        for path_text, alias in _ALIASED.findall(whole):
            if alias and fold(_parts(alias)[0]) == wanted[0]:
                yield from ((identifier(one), "column") for one in _columns(names, in_use, _parts(path_text)))


def _named_columns(names: Names, in_use: tuple[str, str], whole: str) -> Iterator[list[str]]:
    """Yield the columns of the relations that a statement names.

    If it names none, they are those of all in use.
    """
    named = [_columns(names, in_use, _parts(path)) for path, _ in _ALIASED.findall(whole)]
    if any(named):
        yield from named
        return
    yield from (columns for (catalog, schema, _), columns in names.relations.items() if (catalog, schema) == in_use)


def _columns(names: Names, in_use: tuple[str, str], parts: list[str]) -> list[str]:
    wanted = [fold(part) for part in parts]
    for path, columns in names.relations.items():
        catalog, schema, name = map(fold, path)
        readings = [[catalog, schema, name], [catalog, name] if schema == "main" else []]
        if catalog == fold(in_use[0]):
            readings += [[schema, name], [name] if schema == fold(in_use[1]) else []]
        if wanted in readings:
            return columns
    return []


def _schemas(names: Names, catalog: str) -> Iterable[str]:
    return dict.fromkeys(identifier(schema) for where, schema, _ in names.relations if where == catalog)


def _command_completions(text: str) -> Iterator[Completion]:
    word, space, rest = text.partition(" ")
    if not space:
        for name in (*COMMANDS, ".quit"):
            if name.startswith(word):
                yield Completion(name, start_position=-len(word))
    elif word == ".mode":
        yield from (Completion(mode, start_position=-len(rest)) for mode in MODES if mode.startswith(rest))
