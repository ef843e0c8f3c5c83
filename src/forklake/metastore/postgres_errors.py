"""Turns errors of PostgreSQL and its driver into errors of ours.

The class says whether trying again can help.
"""

from __future__ import annotations

import re
from typing import Any, Final

import psycopg
from psycopg import pq
from psycopg.conninfo import make_conninfo

from forklake.config import Settings
from forklake.errors import (
    MetastoreCorruptError,
    MetastoreError,
    MetastoreRefusedError,
    MetastoreUnavailableError,
)
from forklake.metastore import schema
from forklake.metastore.postgres_address import Address, LakeSchemas
from forklake.metastore.postgres_pool import NoRoomError
from forklake.metastore.store import DuplicateKeyError

# A refused connection carries no SQLSTATE, only text: libpq's own, or the server's behind a severity and two spaces.
_ANSWER: Final = re.compile(r"failed: \w+:  (.*)", re.DOTALL)
_PREFIX: Final = re.compile(r"^connection (?:failed|is bad): ")
_OF_OWNER: Final = re.compile(r"must be owner|to set role")
_NO_ROOM: Final = re.compile(
    r"too many (?:clients|connections)|remaining connection slots|no more connections allowed", re.IGNORECASE
)
_NOT_NOW: Final = re.compile(
    r"database system is|shutting down"  # the server's
    r"|server_login_retry|query_wait_timeout|client_login_timeout|server down|cannot connect to server",  # PgBouncer's
    re.IGNORECASE,
)
_NO_DATABASE: Final = re.compile(r'^database ".*" does not exist|^no such database')
_NO_RIGHT: Final = re.compile(r"^permission denied for database")
_OF_OURS: Final = re.compile(r"no password supplied|server does not support SSL|certificate|invalid \w+ value")


def connect_error(address: Address, error: psycopg.Error, timeout_seconds: int) -> MetastoreError:
    """Return why no connection could be made."""
    place = address.location
    if isinstance(error, psycopg.errors.ConnectionTimeout):
        return MetastoreUnavailableError(
            f"PostgreSQL cannot be reached ({place}): no answer within {timeout_seconds} s; nothing was done.",
            hint="Check that the server runs, host and port, or give a longer connect_timeout in the URL.",
        )
    text = str(error)
    answer = _ANSWER.search(text)
    if answer is None:
        reason = _PREFIX.sub("", _first_line(address, text))
        if _OF_OURS.search(reason):
            return _refusal(address, reason)
        return MetastoreUnavailableError(
            f"PostgreSQL cannot be reached ({place}): {reason}; nothing was done.",
            hint="Check that the server runs, and its host and port.",
        )
    reason = _first_line(address, answer[1])
    if _NO_ROOM.search(reason):
        return NoRoomError(
            f"PostgreSQL takes no more connections ({place}): {reason}; nothing was done.",
            hint="Try again, use fewer connections (pool_size), or raise the server's max_connections.",
        )
    if _NOT_NOW.search(reason) or _rejects_everybody(address, timeout_seconds):
        return MetastoreUnavailableError(
            f"PostgreSQL takes no connections now ({place}): {reason}; nothing was done.", hint="Try again in a moment."
        )
    return _refusal(address, reason)


def _rejects_everybody(address: Address, timeout_seconds: int) -> bool:
    """Ask libpq whether the server rejects all connections.

    libpq knows the SQLSTATE: a server that is starting may say so in any language.
    """
    words: dict[str, Any] = {key: value for key, value in address.words.items() if "password" not in key}
    words.setdefault("connect_timeout", timeout_seconds)
    return pq.PGconn.ping(make_conninfo(**words).encode()) == pq.Ping.REJECT


def _refusal(address: Address, reason: str) -> MetastoreRefusedError:
    place = address.location
    if _NO_DATABASE.search(reason):
        return MetastoreRefusedError(
            f"The database does not exist ({place}): {reason}; nothing was done.",
            hint="Name another database in the URL, or create it and run `forklake init`.",
        )
    if _NO_RIGHT.search(reason):
        return MetastoreRefusedError(
            f"The role may not connect to the database ({place}): {reason}; nothing was done.",
            hint="GRANT CONNECT ON DATABASE ... to the role, or name another user in the URL.",
        )
    return MetastoreRefusedError(
        f"PostgreSQL refused the login ({place}): {reason}; nothing was done.",
        hint="Check user, password and database in the URL, and that the server's pg_hba.conf allows the login.",
    )


def statement_error(address: Address, settings: Settings, error: psycopg.Error) -> MetastoreError:
    """Return why a statement failed on a connection that still works.

    The statement changed nothing.
    """
    place, reason, state = address.location, _first_line(address, str(error)), error.sqlstate or ""
    match state:
        case "23505":
            return DuplicateKeyError(address.clean(error))
        case "42P01" | "3F000" | "42883":
            return _no_lake(address)
        case "40P01":
            return MetastoreUnavailableError(
                f"Two changes of the metadata database ({place}) waited for each other, and this one gave way;"
                " nothing was changed.",
                hint="Try again.",
            )
        case "57014":
            return MetastoreUnavailableError(
                f"A statement on the metadata database ({place}) took longer than"
                f" {settings.statement_timeout_seconds:g} s and was cancelled; nothing was changed.",
                hint="Try again, or raise statement_timeout_seconds.",
            )
        case "42501":
            rights = f'Grant the role USAGE on the schema "{address.schemas.base}", and the rights on what is in it.'
            return MetastoreRefusedError(
                f"The metadata database ({place}) does not allow this: {reason}; nothing was changed.",
                hint="Run it as the owner of the metadata tables." if _OF_OWNER.search(reason) else rights,
            )
        case "2BP01":
            return MetastoreRefusedError(
                f"In the metadata database ({place}), something was built on what is to be made again: {reason};"
                " nothing was changed.",
                hint="Drop it, do this, and make it again.",
            )
        case "25006":
            return MetastoreRefusedError(
                f"The metadata database ({place}) is read-only: {reason}; nothing was changed.",
                hint="Name the primary server in the URL, or several hosts with target_session_attrs=read-write.",
            )
        case "53100":
            return MetastoreRefusedError(
                f"The disk of the metadata database ({place}) is full: {reason}; nothing was changed.",
                hint="Free some space there.",
            )
        case "XX001" | "XX002":
            return MetastoreCorruptError(
                f"The metadata database ({place}) is damaged: {reason}; nothing was changed.",
                hint="Restore it from a backup.",
            )
    message = f"The metadata database ({place}) failed: {reason}; nothing was changed."
    # Connections, conflicts of transactions, resources, locks, operators: these pass. The rest is no matter of time.
    # Complaints of the driver have no state: those of the connection pass, those of a value that cannot be sent do not.
    is_driver = not state and isinstance(error, psycopg.OperationalError)
    if is_driver or state[:2] in ("08", "40", "53", "57") or state == "55P03":
        return MetastoreUnavailableError(message, hint="Try again.")
    return MetastoreError(message)


def _no_lake(address: Address) -> MetastoreError:
    if address.schemas == LakeSchemas():
        return schema.not_found("postgresql")
    return schema.not_found_in(address.schemas.views)


def _first_line(address: Address, text: str) -> str:
    lines = text.strip().splitlines()
    return address.clean(lines[0]) if lines else "no reason was given"
