"""Statements about the session: attachments, transactions, settings, secrets."""

from __future__ import annotations

from typing import Final

from sqlglot import exp

from forklake.sql.parse.values import read_options, read_value
from forklake.sql.parse.words import Words
from forklake.sql.prepared import Deallocate, Execute
from forklake.sql.statements import (
    Attach,
    Begin,
    Checkpoint,
    Commit,
    CreateSecret,
    Detach,
    DropSecret,
    NoOperation,
    Pragma,
    ResetSetting,
    ResetVariable,
    Rollback,
    SetSetting,
    SetVariable,
    Statement,
    Use,
)


def read_attach(words: Words) -> Attach:
    """Read what follows ATTACH."""
    or_replace = words.take("OR", "REPLACE")
    words.take("DATABASE")
    if_not_exists = words.take("IF", "NOT", "EXISTS")
    url = words.string()
    alias = words.name_or_string() if words.take("AS") else None
    return Attach(url, alias, read_options(words), if_not_exists=if_not_exists, or_replace=or_replace)


def read_detach(words: Words) -> Detach:
    """Read what follows DETACH."""
    words.take("DATABASE")
    if_exists = words.take("IF", "EXISTS")
    return Detach(words.name_or_string(), if_exists=if_exists)


def read_use(words: Words) -> Use:
    """Read what follows USE."""
    return Use((words.string(),) if words.at_string() else words.hyphenated_path())


def read_begin(words: Words) -> Begin:
    """Read what follows BEGIN or START."""
    words.take_any("TRANSACTION", "WORK")
    return Begin(read_only=words.take("READ") and words.expect_any("ONLY", "WRITE") == "ONLY")


def read_commit(words: Words) -> Commit:
    """Read what follows COMMIT or END."""
    words.take_any("TRANSACTION", "WORK")
    return Commit()


def read_rollback(words: Words) -> Rollback:
    """Read what follows ROLLBACK or ABORT."""
    words.take_any("TRANSACTION", "WORK")
    return Rollback()


_IN_USE: Final = ("schema", "search_path")
"""Settings that say what USE says."""


def read_set(words: Words) -> SetVariable | SetSetting | ResetSetting | Use:
    """Read what follows SET."""
    if words.at("VARIABLE") and not words.at("VARIABLE", "=") and not words.at("VARIABLE", "TO"):
        words.expect("VARIABLE")
        name = words.name()
        words.expect_any("=", "TO")
        return SetVariable(name, words.expression())
    words.take_any("GLOBAL", "SESSION", "LOCAL")
    if words.take("TIME", "ZONE"):
        return SetSetting("timezone", read_value(words))
    name = ".".join(words.path()).lower()
    words.expect_any("=", "TO")
    if words.take("DEFAULT"):
        return ResetSetting(name)
    values = words.comma_list(lambda: read_value(words))
    if name in _IN_USE:
        if len(values) != 1 or "," in str(values[0]):
            raise words.wrong(f"One schema is in use: SET {name} takes one")
        return Use(tuple(part.strip().strip('"') for part in str(values[0]).split(".")))
    return SetSetting(name, values[0] if len(values) == 1 else values)


def read_reset(words: Words) -> ResetVariable | ResetSetting:
    """Read what follows RESET."""
    if words.take("VARIABLE"):
        return ResetVariable(words.name())
    words.take_any("GLOBAL", "SESSION", "LOCAL")
    return ResetSetting(".".join(words.path()).lower())


def read_pragma(words: Words) -> Pragma | SetSetting:
    """Read what follows PRAGMA."""
    name = words.label().lower()
    if words.take("="):
        return SetSetting(name, read_value(words))
    if not words.at("("):
        return Pragma(name)
    return Pragma(name, tuple(words.in_parentheses(lambda: read_value(words), may_be_empty=True)))


def read_create_secret(words: Words, *, or_replace: bool, is_persistent: bool) -> CreateSecret:
    """Read what follows CREATE SECRET."""
    if_not_exists = words.take("IF", "NOT", "EXISTS")
    name = None if words.at("(") or words.at("IN") else words.name_or_string()
    storage = words.name_or_string().lower() if words.take("IN") else None
    if not words.at("("):
        raise words.unexpected_token()
    return CreateSecret(
        name,
        read_options(words),
        or_replace=or_replace,
        if_not_exists=if_not_exists,
        storage="local_file" if is_persistent else storage,
    )


def read_drop_secret(words: Words) -> DropSecret:
    """Read what follows DROP SECRET."""
    if_exists = words.take("IF", "EXISTS")
    name = words.name_or_string()
    if words.take("FROM"):
        words.name_or_string()
    return DropSecret(name, if_exists=if_exists)


def read_execute(words: Words) -> Execute:
    """Read what follows EXECUTE."""
    name = words.name()
    given = words.in_parentheses(lambda: _read_argument(words), may_be_empty=True) if words.at("(") else []
    names = [label for label, _ in given if label is not None]
    if names and len(names) < len(given):
        raise words.wrong("Parameters of EXECUTE are given all by name, or all by position")
    return Execute(name, tuple(value for _, value in given), tuple(names))


def _read_argument(words: Words) -> tuple[str | None, exp.Expr]:
    """Read a value, and its name if it has one."""
    start = words.mark()
    name = words.name() if words.at_name() else None
    if name is not None and words.take_any(":=", "=>") is None:
        words.back(start)
        name = None
    return name, words.expression()


def read_deallocate(words: Words) -> Deallocate:
    """Read what follows DEALLOCATE."""
    words.take("PREPARE")
    return Deallocate(words.name())


def read_extension(words: Words) -> NoOperation:
    """Read what follows INSTALL or LOAD: a name or a path, and its repository."""
    words.name_or_string()
    if words.take("FROM"):
        words.name_or_string()
    if words.take("VERSION"):
        words.name_or_string()
    return NoOperation()


def read_force(words: Words) -> Statement:
    """Read what follows FORCE."""
    return read_extension(words) if words.expect_any("INSTALL", "CHECKPOINT") == "INSTALL" else read_checkpoint(words)


def read_checkpoint(words: Words) -> Checkpoint:
    """Read what follows CHECKPOINT."""
    return Checkpoint(None if words.at_end() else words.name_or_string())
