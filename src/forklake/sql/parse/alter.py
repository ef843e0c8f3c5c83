"""ALTER TABLE and ALTER VIEW."""

from __future__ import annotations

from dataclasses import replace

from forklake.errors import InvalidInputError
from forklake.model.types.read import definition_of
from forklake.sql.parse.create_table import read_partition_keys, read_sort_keys
from forklake.sql.parse.types import read_column_type
from forklake.sql.parse.values import read_default
from forklake.sql.parse.words import Words
from forklake.sql.statements import (
    AddColumn,
    AlterTable,
    AlterView,
    ChangeType,
    DropColumn,
    RenameColumn,
    RenameTable,
    SetDefault,
    SetNullsAllowed,
    SetPartitioning,
    SetSorting,
    TableAction,
)


def read_alter(words: Words) -> AlterTable | AlterView:
    """Read what follows ALTER.

    Raises:
        InvalidInputError: It cannot be read, or DuckLake cannot do it.
    """
    if words.take("VIEW"):
        if_exists = words.take("IF", "EXISTS")
        name = words.path()
        words.expect("RENAME", "TO")
        return AlterView(name, words.name(), if_exists=if_exists)
    if words.at("SCHEMA"):
        raise InvalidInputError("Altering schemas is not yet supported")
    for other in ("DATABASE", "SEQUENCE", "INDEX", "TYPE", "MACRO", "FUNCTION"):
        if words.at(other):
            raise InvalidInputError(f"ALTER {other} is not supported; nothing was changed.")
    words.expect("TABLE")
    if_exists = words.take("IF", "EXISTS")
    name = words.path()
    action = _read_action(words)
    if words.at(","):
        raise InvalidInputError("Only one ALTER command per statement is supported")
    return AlterTable(name, action, if_exists=if_exists)


def _read_action(words: Words) -> TableAction:
    if words.take("ADD"):
        return _read_add(words)
    if words.take("DROP"):
        return _read_drop(words)
    if words.take("RENAME"):
        return _read_rename(words)
    if words.take("ALTER"):
        words.take("COLUMN")
        return _read_change(words)
    if words.take("SET"):
        return _read_set(words)
    words.expect("RESET")
    if words.take("PARTITIONED", "BY"):
        return SetPartitioning(())
    words.expect("SORTED", "BY")
    return SetSorting(())


def _read_add(words: Words) -> AddColumn:
    if words.at_any("CONSTRAINT", "PRIMARY", "UNIQUE", "CHECK", "FOREIGN") or words.at("PRIMARY", "KEY"):
        raise InvalidInputError("Adding indexes or constraints is not supported in DuckLake")
    words.take("COLUMN")
    if_not_exists = words.take("IF", "NOT", "EXISTS")
    *inside, name = words.path()
    column = definition_of(name, read_column_type(words))
    while not words.at_end() and not words.at(","):
        if words.take("DEFAULT"):
            default = read_default(words)
            column = replace(column, default=default.text, default_is_expression=default.is_expression)
        elif words.at_any("NOT", "UNIQUE", "CHECK", "REFERENCES") or words.at("PRIMARY", "KEY"):
            raise InvalidInputError("Adding columns with constraints not yet supported")
        elif not words.take("NULL"):
            raise words.unexpected_token()
    return AddColumn(column, tuple(inside), if_not_exists=if_not_exists)


def _read_drop(words: Words) -> DropColumn:
    if words.at("CONSTRAINT"):
        raise InvalidInputError("No support for that ALTER TABLE option yet!")
    words.take("COLUMN")
    if_exists = words.take("IF", "EXISTS")
    column = words.path()
    cascade = words.take_any("CASCADE", "RESTRICT") == "CASCADE"
    return DropColumn(column, if_exists=if_exists, cascade=cascade)


def _read_rename(words: Words) -> RenameColumn | RenameTable:
    if words.take("TO"):
        return RenameTable(words.name())
    words.take("COLUMN")
    column = words.path()
    words.expect("TO")
    return RenameColumn(column, words.name())


def _read_change(words: Words) -> TableAction:
    path = words.path()
    if words.take("SET", "NOT", "NULL"):
        return SetNullsAllowed(path, allowed=False)
    if words.take("DROP", "NOT", "NULL"):
        return SetNullsAllowed(path, allowed=True)
    if words.take("DROP", "DEFAULT"):
        return SetDefault(path, None)
    if words.take("SET", "DEFAULT"):
        default = read_default(words)
        return SetDefault(path, default.text, is_expression=default.is_expression)
    if not (words.take("SET", "DATA", "TYPE") or words.take("SET", "TYPE")):
        words.expect("TYPE")
    return ChangeType(path, read_column_type(words), words.expression() if words.take("USING") else None)


def _read_set(words: Words) -> SetPartitioning | SetSorting:
    if words.take("SORTED", "BY"):
        return SetSorting(read_sort_keys(words))
    if words.at("SCHEMA"):
        raise InvalidInputError("A table cannot be moved to another schema; nothing was changed.")
    words.expect("PARTITIONED", "BY")
    return SetPartitioning(read_partition_keys(words))
