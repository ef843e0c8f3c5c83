"""The address of a lake in PostgreSQL: server, database and schemas."""

from __future__ import annotations

import re
from dataclasses import field
from typing import Any, Final
from urllib.parse import parse_qsl, quote, urlencode

import psycopg
from psycopg.conninfo import conninfo_to_dict, make_conninfo

from forklake.errors import ConfigError
from forklake.model.lazy_dataclass import dataclass
from forklake.model.quoting import quote_name

PARAMETER: Final = "metadata_schema"
"""What names the schema in a connection string; libpq does not know it."""

_DEFAULT_NAMES: Final = ("", "public", "main", "ducklake")
_BASE: Final = "forklake"
_LONGEST_NAME: Final = 63 - len(f"{_BASE}_")
_WORD: Final = re.compile(rf"(?:^|\s){PARAMETER}\s*=\s*('(?:[^'\\]|\\.)*'|(?:[^\s\\]|\\.)*)")
_UNKNOWN: Final = re.compile(r'invalid (?:URI query parameter:|connection option) "([^"]*)"')
_IN_SCRIPT: Final = re.compile(r"('?)\b(forklake|ducklake)\.|\bSCHEMA (forklake|ducklake)\b")


@dataclass(frozen=True, slots=True)
class LakeSchemas:
    """The two schemas of a lake.

    One has the base tables and functions, the other the views that web apps read. A database holds any number of
    lakes, each in a pair of its own; they share nothing.
    """

    base: str = _BASE
    views: str = "ducklake"

    @classmethod
    def of_name(cls, name: str) -> LakeSchemas:
        """Return the schemas of the lake whose views are in schema `name`.

        ``public`` and ``main`` are the default lake.

        Raises:
            ConfigError: PostgreSQL does not allow the name.
        """
        if name.lower() in _DEFAULT_NAMES:
            return cls()
        if len(name.encode()) > _LONGEST_NAME or "\0" in name or "$$" in name or name.lower().startswith("pg_"):
            raise ConfigError(
                f'The metadata schema cannot be named "{name}".',
                hint=f'Use at most {_LONGEST_NAME} bytes, without "$$" and not beginning with "pg_".',
            )
        return cls(f"{_BASE}_{name}", name)

    @property
    def prefix(self) -> str:
        """The prefix of base table names."""
        return _BASE + "." if self == LakeSchemas() else f"{quote_name(self.base)}."

    def place(self, script: str) -> str:
        """Return the schema file, which names the default schemas, for these schemas."""
        if self == LakeSchemas():
            return script
        names = {"forklake": quote_name(self.base), "ducklake": quote_name(self.views)}

        def replace(match: re.Match[str]) -> str:
            quote_mark, qualifier, schema = match.groups()
            if schema:
                return f"SCHEMA {names[schema]}"
            name = names[qualifier]
            return f"{quote_mark}{name.replace(chr(39), chr(39) * 2) if quote_mark else name}."

        return _IN_SCRIPT.sub(replace, script)


@dataclass(frozen=True, slots=True)
class Address:
    """A parsed connection string. Its ``repr`` and its texts never show the password."""

    words: dict[str, Any] = field(repr=False)
    schemas: LakeSchemas

    @classmethod
    def parse(cls, conninfo: str) -> Address:
        """Parse a URL or libpq's words, either with a ``metadata_schema`` in it.

        Raises:
            ConfigError: It is neither.
        """
        rest, name = _split(conninfo)
        try:
            words = dict(conninfo_to_dict(rest))
        except psycopg.ProgrammingError as error:
            if unknown := _UNKNOWN.fullmatch(str(error).strip()):
                raise ConfigError(
                    f'A connection to PostgreSQL has no parameter "{unknown[1]}"; nothing was opened.',
                    hint=f"There are those of libpq, and {PARAMETER}.",
                ) from None
            # The driver's message repeats the string, password and all.
            raise ConfigError(
                "The PostgreSQL connection string cannot be understood.",
                hint='Write "postgresql://user@host/database" or "postgres:host=... dbname=...".',
            ) from None
        for key in ("port", "connect_timeout"):
            if not re.fullmatch(r"[\d,\s-]*", str(words.get(key) or "")):
                raise ConfigError(f'The PostgreSQL connection string has a {key} that is no number: "{words[key]}".')
        return cls(words, LakeSchemas.of_name(name or ""))

    @property
    def location(self) -> str:
        """The connection string without its password."""
        text = make_conninfo(**{key: value for key, value in self.words.items() if "password" not in key})
        return text if self.schemas == LakeSchemas() else f"{text} {PARAMETER}={_word(self.schemas.views)}".lstrip()

    def clean(self, error: object) -> str:
        """Return an error's text on one line without the password."""
        text, password = " ".join(str(error).split()), str(self.words.get("password") or "")
        return text.replace(password, "***") if password else text


def is_url(conninfo: str) -> bool:
    """Return whether a connection string is a URL, and not libpq's words."""
    return conninfo.startswith(("postgresql://", "postgres://"))


def with_metadata_schema(conninfo: str, name: str) -> str:
    """Return the connection string with the schema added.

    Raises:
        ConfigError: It names another one.
    """
    rest, found = _split(conninfo)
    if found is not None and LakeSchemas.of_name(found) != LakeSchemas.of_name(name):
        raise ConfigError(f'The lake\'s URL names the metadata schema "{found}", and "{name}" was asked for.')
    if LakeSchemas.of_name(name) == LakeSchemas():
        return rest
    if is_url(rest):
        return f"{rest}{'&' if '?' in rest else '?'}{PARAMETER}={quote(name, safe='')}"
    return f"{rest} {PARAMETER}={_word(name)}"


def _split(conninfo: str) -> tuple[str, str | None]:
    """Separate the schema from a connection string; the other words are for libpq."""
    if not is_url(conninfo):
        found = _WORD.search(conninfo)
        if found is None:
            return conninfo, None
        value = re.sub(r"\\(.)", r"\1", found[1].removeprefix("'").removesuffix("'"))
        return conninfo[: found.start()] + conninfo[found.end() :], value
    start, mark, query = conninfo.partition("?")
    if f"{PARAMETER}=" not in query:
        return conninfo, None
    parameters = parse_qsl(query, keep_blank_values=True)
    name = next((value for key, value in parameters if key == PARAMETER), None)
    others = urlencode([pair for pair in parameters if pair[0] != PARAMETER], quote_via=quote)
    return start + (mark + others if others else ""), name


def _word(value: str) -> str:
    return "'" + re.sub(r"([\\'])", r"\\\1", value) + "'"
