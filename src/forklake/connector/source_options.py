"""Options of reads, streams and writes with format ``forklake``.

Spark passes the names of options in lower case, and does not report unknown ones. So every option is looked
up here, and an option without effect is refused.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from enum import Enum
from typing import Any, Final

from forklake.catalog.moments import read_time
from forklake.catalog.names import qualified_name
from forklake.errors import InvalidInputError, NotFoundError
from forklake.lake import Catalog, Lake, Table
from forklake.model.flags import read_flag
from forklake.model.ids import SnapshotId
from forklake.model.lazy_dataclass import dataclass
from forklake.model.names import nearest
from forklake.ops.lakes.lake_exists import lake_exists

_OF_A_TABLE: Final = "provider"
"""What Spark adds to the options, with others, when it makes a table of its own catalog."""
_START_OF_TIME: Final = datetime(1970, 1, 1, tzinfo=UTC)


class Use(Enum):
    """The uses of options."""

    READ = "read"
    STREAM = "stream"
    WRITE = "write"
    STREAM_WRITE = "written stream"


@dataclass(frozen=True, slots=True)
class Source:
    """A table of a lake, by name.

    ``version``, ``timestamp`` or ``tag`` selects a past state; without them it is the newest.
    """

    lake: str
    catalog: str
    schema: str
    table: str
    version: int | None = None
    timestamp: datetime | None = None
    tag: str | None = None

    @contextmanager
    def open_catalog(self) -> Iterator[Catalog]:
        """Open the catalog for the length of the block, at the selected state.

        Raises:
            NotFoundError: There is no such lake, catalog or snapshot.
            MetastoreError: The database cannot be opened.
        """
        with open_existing(self.lake) as lake:
            yield self.state(lake.catalog(self.catalog))

    def state(self, catalog: Catalog) -> Catalog:
        """Return the catalog at the selected state."""
        if not self.is_past:
            return catalog
        return catalog.at(version=self.version, timestamp=self.timestamp, tag=self.tag)

    @property
    def is_past(self) -> bool:
        """Whether a past state is selected."""
        return self.version is not None or self.timestamp is not None or self.tag is not None

    def table_of(self, catalog: Catalog) -> Table:
        """Return the table.

        Raises:
            NotFoundError: The catalog has none of that name.
        """
        return catalog.table(self.table, schema=self.schema)


@dataclass(frozen=True, slots=True)
class Options:
    """The parsed options.

    ``start`` and ``end`` bound a change feed. Without a start, the rows of the table are read.
    """

    source: Source
    prune: str | None = None
    commit_key: str | None = None
    start: int | datetime | str | None = None
    end: int | datetime | None = None
    changes: bool = False

    @property
    def is_feed(self) -> bool:
        """Whether changes are read, not rows."""
        return self.start is not None or self.end is not None or self.changes

    def at(self, version: SnapshotId | None) -> Options:
        """Return the options for the state of a snapshot, or for changes up to it.

        None leaves them as they are.
        """
        if version is None:
            return self
        if self.is_feed:
            return replace(self, end=version)
        return replace(self, source=replace(self.source, version=version, timestamp=None, tag=None))


def parse_options(given: Mapping[str, str], *uses: Use) -> Options:
    """Parse options.

    Args:
        given: The options, whatever the case of their names.
        uses: The uses of the options; several if Spark does not say yet which one it is.

    Raises:
        InvalidInputError: One of ``lake``, ``catalog`` and ``table`` is missing, an option is not known or is for
            something else, two contradict each other, or a value cannot be understood.
    """
    if _OF_A_TABLE in {name.lower() for name in given}:
        raise InvalidInputError(
            "A table that CREATE TABLE makes with format forklake could not be read: Spark does not keep its options."
            " Nothing was made.",
            hint="CREATE TEMPORARY VIEW ... USING forklake OPTIONS (...) keeps them.",
        )
    said: dict[str, tuple[str, Any]] = {}
    for name, text in given.items():
        option = _option(name, uses)
        if option.says in said:
            raise _contradiction(said[option.says][0], option.name)
        said[option.says] = option.name, option.value(option.name, text)
    values = {key: value for key, (_, value) in said.items()}
    missing = [f'"{name}"' for name in ("lake", "catalog", "table") if not values.get(name)]
    if missing:
        raise InvalidInputError(
            f"Format forklake needs the option {' and '.join(missing)}; nothing was done.",
            hint='.option("lake", url).option("catalog", name).option("table", name)',
        )
    if len({"version", "timestamp", "tag"} & said.keys()) > 1:
        raise InvalidInputError("Cannot specify both VERSION and TIMESTAMP" + (", or a tag" if "tag" in said else ""))
    schema, table = parse_name(values.pop("table"))
    source = Source(
        lake=values.pop("lake"),
        catalog=values.pop("catalog"),
        schema=schema,
        table=table,
        version=values.pop("version", None),
        timestamp=values.pop("timestamp", None),
        tag=values.pop("tag", None),
    )
    found = Options(source, **values)
    if found.is_feed:
        _check_feed(found)
    return found


def _check_feed(found: Options) -> None:
    if found.start is None:
        raise InvalidInputError(
            'Changes need the option "startingVersion" or "startingTimestamp"; nothing was read.',
            hint='"startingVersion" is a snapshot id, "earliest" or "latest".',
        )
    if found.source.is_past:
        raise InvalidInputError(
            'Changes have a start, and no "version" or "timestamp"; nothing was read.',
            hint='Begin them with "startingVersion" or "startingTimestamp".',
        )
    if found.prune is not None:
        raise InvalidInputError('The option "prune" is for rows, not for their changes; nothing was read.')


def _option(name: str, uses: tuple[Use, ...]) -> _Option:
    """Return the option of this name.

    Raises:
        InvalidInputError: There is none, or none for these uses.
    """
    verb = "written" if set(uses) <= {Use.WRITE, Use.STREAM_WRITE} else "read"
    if name.lower() in ("path", "paths"):
        raise InvalidInputError(
            f"Format forklake takes no path; nothing was {verb}.",
            hint='Leave load() and save() empty, and name the table: .option("table", name).',
        )
    usable = [option.name for option in _OPTIONS.values() if option.uses & set(uses)]
    option = _OPTIONS.get(name.lower())
    if option is None:
        near = nearest(name, usable)
        raise InvalidInputError(
            f'Format forklake has no option "{name}"; nothing was {verb}.',
            hint=(f'Did you mean "{near}"? ' if near else "") + f"Options of a {uses[0].value}: {', '.join(usable)}.",
        )
    if not option.uses & set(uses):
        those = " or ".join(f"a {use.value}" for use in Use if use in option.uses)
        raise InvalidInputError(
            f'The option "{option.name}" is for {those}, not for a {uses[0].value}; nothing was {verb}.',
            hint=f"Options of a {uses[0].value}: {', '.join(usable)}.",
        )
    return option


def _contradiction(one: str, other: str) -> InvalidInputError:
    return InvalidInputError(
        f'The options "{one}" and "{other}" cannot both be given; nothing was done.', hint="Give one of them."
    )


def open_existing(url: str) -> Lake:
    """Open an existing lake; none is created.

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


def parse_name(text: str) -> tuple[str, str]:
    """Return the schema and name of a table, from ``table`` or ``schema.table``.

    Names with dots are quoted.

    >>> parse_name(" orders"), parse_name('sales."a.b"')
    (('main', 'orders'), ('sales', 'a.b'))

    Raises:
        InvalidInputError: It is no name.
    """
    if not text.strip():
        raise InvalidInputError(f'"{text}" is no name of a table.', hint="Say which table is meant.")
    return qualified_name(text.strip())


# ---- values --------------------------------------------------------------------------------------------------------


def _text(name: str, text: str) -> str:
    return text


def _whole_number(name: str, text: str) -> int:
    try:
        return int(text)
    except ValueError:
        raise InvalidInputError(f'The option "{name}" is a whole number, not "{text}"; nothing was done.') from None


def _start(name: str, text: str) -> int | str:
    return text.lower() if text.lower() in ("earliest", "latest") else _whole_number(name, text)


def _switch(name: str, text: str) -> bool:
    found = read_flag(text)
    if found is None:
        raise InvalidInputError(f'The option "{name}" is true or false, not "{text}"; nothing was done.')
    return found


def _moment(name: str, text: str) -> datetime:
    try:
        return read_time(text)
    except InvalidInputError as error:
        raise InvalidInputError(
            f'The option "{name}" is a time, not "{text}"; nothing was done.', hint=error.hint
        ) from None


def _milliseconds(name: str, text: str) -> datetime:
    try:
        return _START_OF_TIME + timedelta(milliseconds=_whole_number(name, text))
    except OverflowError:
        raise InvalidInputError(
            f'The option "{name}" is a time in milliseconds since 1970, not "{text}"; nothing was done.'
        ) from None


# ---- names ---------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Option:
    """One spelling of an option.

    It has the field of `Options` or `Source` that it sets, its uses, and a parser of its text.
    """

    name: str
    says: str
    uses: frozenset[Use]
    value: Callable[[str, str], Any] = _text


def _all_options() -> Iterator[_Option]:
    everywhere, rows, writes = frozenset(Use), frozenset({Use.READ}), frozenset({Use.WRITE})
    feeds, streams = frozenset({Use.READ, Use.STREAM}), frozenset({Use.STREAM})
    for name in ("lake", "catalog", "table"):
        yield _Option(name, name, everywhere)
    yield _Option("version", "version", rows, _whole_number)
    yield _Option("versionAsOf", "version", rows, _whole_number)  # Delta's
    yield _Option("snapshot-id", "version", rows, _whole_number)  # Iceberg's
    yield _Option("timestamp", "timestamp", rows, _moment)
    yield _Option("timestampAsOf", "timestamp", rows, _moment)  # Delta's
    yield _Option("as-of-timestamp", "timestamp", rows, _milliseconds)  # Iceberg's
    yield _Option("tag", "tag", rows)  # Iceberg's too
    yield _Option("prune", "prune", rows)
    yield _Option("startingVersion", "start", feeds, _start)
    yield _Option("startingTimestamp", "start", feeds, _moment)
    yield _Option("stream-from-timestamp", "start", streams, _milliseconds)  # Iceberg's
    yield _Option("endingVersion", "end", rows, _whole_number)
    yield _Option("endingTimestamp", "end", rows, _moment)
    yield _Option("changes", "changes", feeds, _switch)
    yield _Option("readChangeFeed", "changes", feeds, _switch)  # Delta's
    yield _Option("readChangeData", "changes", feeds, _switch)  # Delta's, older
    yield _Option("commit_key", "commit_key", writes)


_OPTIONS: Final = {option.name.lower(): option for option in _all_options()}
