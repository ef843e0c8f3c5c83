"""Statements that change rows: INSERT, UPDATE, DELETE, TRUNCATE, MERGE INTO."""

from __future__ import annotations

from sqlglot import exp

from forklake.errors import InvalidInputError
from forklake.sql.parse.keywords import BEGINS_QUERY
from forklake.sql.parse.words import Words
from forklake.sql.statements import Delete, Insert, NoOperation, Truncate, Update

Assignments = tuple[tuple[str, exp.Expr], ...]


def read_insert(words: Words, with_: exp.With | None = None) -> Insert:
    """Read what follows INSERT.

    Raises:
        InvalidInputError: It cannot be read, or DuckLake does not support it.
    """
    if words.take("OR"):
        raise InvalidInputError("ON CONFLICT clause not yet supported for insertion into DuckLake table")
    words.expect("INTO")
    table = words.path()
    if words.take("AS"):
        words.name()
    by_name = words.take("BY", "NAME")
    if not by_name:
        words.take("BY", "POSITION")
    columns = () if not words.at("(") or _at_query_in_parentheses(words) else words.names_in_parentheses()
    if by_name and columns:
        raise InvalidInputError("INSERT BY NAME cannot be combined with an explicit column list")
    if by_name and words.at("VALUES"):
        raise InvalidInputError("INSERT BY NAME can only be used when inserting from a SELECT statement")
    query = None if not columns and words.take("DEFAULT", "VALUES") else words.query()
    if words.at("ON", "CONFLICT"):
        raise InvalidInputError("ON CONFLICT clause not yet supported for insertion into DuckLake table")
    _refuse_returning(words, "insertion into DuckLake table")
    if with_ is not None and query is not None:
        _put_before(with_, query)
    return Insert(table, query, columns, by_name=by_name)


def _at_query_in_parentheses(words: Words) -> bool:
    return any(words.at("(", word) for word in BEGINS_QUERY)


def _put_before(with_: exp.With, query: exp.Query) -> None:
    """Add the queries of a WITH before the whole statement to its query."""
    own = query.args.get("with_")
    if own is not None:
        with_.set("expressions", [*with_.expressions, *own.expressions])
        with_.set("recursive", with_.args.get("recursive") or own.args.get("recursive"))
    query.set("with_", with_)


def _refuse_returning(words: Words, statement: str) -> None:
    if words.at("RETURNING"):
        raise InvalidInputError(f"RETURNING clause not yet supported for {statement}")


def read_update(words: Words, with_: exp.With | None = None) -> Update | NoOperation:
    """Read what follows UPDATE; UPDATE EXTENSIONS does nothing.

    Raises:
        InvalidInputError: It cannot be read, or DuckLake does not support it.
    """
    table = words.path()
    if words.at_end() and [part.upper() for part in table] == ["EXTENSIONS"]:
        return NoOperation()
    alias = None if words.at("SET") else read_alias(words)
    words.expect("SET")
    assignments = read_assignments(words)
    sources = words.relations() if words.take("FROM") else ()
    where = words.expression() if words.take("WHERE") else None
    _refuse_returning(words, "updates of a DuckLake table")
    return Update(table, alias, assignments, sources, where, with_)


def read_delete(words: Words, with_: exp.With | None = None) -> Delete:
    """Read what follows DELETE.

    Raises:
        InvalidInputError: It cannot be read, or DuckLake does not support it.
    """
    words.expect("FROM")
    table = words.path()
    alias = read_alias(words)
    sources = words.relations() if words.take("USING") else ()
    where = words.expression() if words.take("WHERE") else None
    _refuse_returning(words, "deletion of a DuckLake table")
    return Delete(table, alias, sources, where, with_)


def read_truncate(words: Words) -> Truncate:
    """Read what follows TRUNCATE."""
    words.take("TABLE")
    return Truncate(words.path())


def read_alias(words: Words) -> str | None:
    """Read the alias of a table, if there is one."""
    if words.take("AS"):
        return words.name()
    return words.name() if words.at_name() else None


def read_assignments(words: Words) -> Assignments:
    """Read ``a = 1, (b, c) = (2, 3)``.

    Raises:
        InvalidInputError: It cannot be read, or assigns to something that is no column.
    """
    found = list[tuple[str, exp.Expr]]()

    def read_one() -> None:
        if words.at("("):
            names = words.names_in_parentheses()
            words.expect("=")
            words.take("ROW")
            values = words.in_parentheses(lambda: read_value_or_default(words))
            if len(values) != len(names):
                raise words.wrong(f"Could not perform assignment, expected {len(names)} values, got {len(values)}")
            found.extend(zip(names, values, strict=True))
            return
        path = words.path()
        if len(path) > 1:
            raise InvalidInputError("Parser Error: Qualified column names in UPDATE .. SET not supported")
        words.expect("=")
        found.append((path[0], read_value_or_default(words)))

    words.comma_list(read_one)
    return tuple(found)


def read_value_or_default(words: Words) -> exp.Expr:
    """Read an expression, or the keyword DEFAULT."""
    return exp.var("DEFAULT") if words.take("DEFAULT") else words.expression()
