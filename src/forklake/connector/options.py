"""What the options of a read or a write say: which table of which lake, and how."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Final

from forklake.errors import InvalidInputError, NotFoundError
from forklake.lake import Catalog, Lake, Table
from forklake.ops.lake_exists import lake_exists

_REQUIRED: Final = ("lake", "catalog", "table")
_PART: Final = r'"(?:[^"]|"")+"|[^".]+'
_NAME: Final = re.compile(rf"(?:(?P<schema>{_PART})\.)?(?P<table>{_PART})")
_SWITCH: Final = {"true": True, "false": False}


@dataclass(frozen=True, slots=True)
class Source:
    """A table of a lake, by name; ``version`` or ``timestamp`` is the state that is meant, if not the newest."""

    lake: str
    catalog: str
    schema: str
    table: str
    version: int | None = None
    timestamp: datetime | None = None

    @contextmanager
    def opened(self) -> Iterator[Catalog]:
        """Open the catalog, at the state that is meant, for the length of the block.

        Raises:
            NotFoundError: There is no such lake, catalog or snapshot.
            MetastoreError: The database cannot be opened.
        """
        with open_existing(self.lake) as lake:
            yield self.state(lake.catalog(self.catalog))

    def state(self, catalog: Catalog) -> Catalog:
        """Return the catalog at the state that is meant."""
        if self.version is None and self.timestamp is None:
            return catalog
        return catalog.at(version=self.version, timestamp=self.timestamp)

    def table_of(self, catalog: Catalog) -> Table:
        """Return the table.

        Raises:
            NotFoundError: The catalog has none of that name.
        """
        return catalog.table(self.table, schema=self.schema)


def open_existing(url: str) -> Lake:
    """Open a lake that is there; none is made.

    Raises:
        NotFoundError: There is none.
        ConfigError: The URL names no database that forklake knows.
    """
    if not lake_exists(url):
        raise NotFoundError(
            f'Lake "{url}" does not exist; nothing was done.',
            hint="A relative path is taken from where Spark was started; an absolute one means the same everywhere.",
        )
    return Lake(url)


def parse_source(options: Mapping[str, str]) -> Source:
    """Return the table that options name.

    Raises:
        InvalidInputError: One of ``lake``, ``catalog`` and ``table`` is missing, both ``version`` and ``timestamp``
            are there, or a value cannot be understood.
    """
    missing = [f'"{name}"' for name in _REQUIRED if not options.get(name)]
    if missing:
        raise InvalidInputError(
            f"Format forklake needs the option {' and '.join(missing)}; nothing was done.",
            hint='.option("lake", url).option("catalog", name).option("table", name)',
        )
    version, timestamp = options.get("version"), options.get("timestamp")
    if version is not None and timestamp is not None:
        raise InvalidInputError("Cannot specify both VERSION and TIMESTAMP")
    schema, table = parse_name(options["table"])
    return Source(
        lake=options["lake"],
        catalog=options["catalog"],
        schema=schema,
        table=table,
        version=None if version is None else whole_number("version", version),
        timestamp=None if timestamp is None else _moment(timestamp),
    )


def parse_name(text: str) -> tuple[str, str]:
    """Return the schema and the name of a table, as ``table`` or ``schema.table``; names with dots are quoted.

    >>> parse_name("orders"), parse_name('sales."a.b"')
    (('main', 'orders'), ('sales', 'a.b'))

    Raises:
        InvalidInputError: It is no name.
    """
    match = _NAME.fullmatch(text.strip())
    if match is None:
        raise InvalidInputError(
            f'"{text}" is no name of a table.', hint='Names are written table or schema."my.table".'
        )
    return _unquoted(match["schema"] or "main"), _unquoted(match["table"])


def whole_number(name: str, text: str) -> int:
    """Return the number that an option says.

    Raises:
        InvalidInputError: It says no whole number.
    """
    try:
        return int(text)
    except ValueError:
        raise InvalidInputError(f'The option "{name}" is a whole number, not "{text}"; nothing was done.') from None


def switch(options: Mapping[str, str], name: str) -> bool:
    """Return whether an option is on; one that is not there is off.

    Raises:
        InvalidInputError: It is neither true nor false.
    """
    text = options.get(name, "false")
    if text.lower() not in _SWITCH:
        raise InvalidInputError(f'The option "{name}" is true or false, not "{text}"; nothing was done.')
    return _SWITCH[text.lower()]


def _unquoted(name: str) -> str:
    return name[1:-1].replace('""', '"') if name.startswith('"') else name


def _moment(text: str) -> datetime:
    try:
        found = datetime.fromisoformat(text)
    except ValueError:
        raise InvalidInputError(
            f'The option "timestamp" is a time as ISO 8601 writes it, not "{text}"; nothing was read.',
            hint="2026-11-15T12:00:00+01:00; without a zone it is UTC.",
        ) from None
    return found if found.tzinfo is not None else found.replace(tzinfo=UTC)
