"""Descriptions of metadata tables: tables, columns, indexes, sequences.

The columns of a table are written as lines of text, in DuckLake's order::

    table_id      object      the id, of the sequence of objects
    comment       text?       a question mark: it may be NULL
    scope_id      number=-1   the default value
    + read_upto   number?     ours: DuckLake has no such column
    - next_id     number      DuckLake's: its tables and our views show it, our table does not have it
"""

from __future__ import annotations

import re
from enum import Enum, auto
from typing import Final, Literal

from forklake.model.lazy_dataclass import dataclass

Kind = Literal["number", "small", "object", "file", "text", "flag", "uuid", "time"]
"""What a column holds. Objects and files are numbers of the sequence of that name."""

LIVE: Final = 9223372036854775807
"""Where a live row ends: never."""

_LINE = re.compile(
    r"(?P<mark>[+-] )?(?P<name>\w+) +(?P<kind>number|small|object|file|text|flag|uuid|time)(?P<null>\?)?"
    r"(?:=(?P<default>\S+))?(?: +(?P<note>\S.*))?"
)


class Visibility(Enum):
    """How a catalog sees the rows of a table; docs/spec/metadata.md has the rules."""

    INTERVAL = auto()
    LATEST = auto()
    FOLLOWS = auto()
    LINEAGE = auto()
    OWN = auto()
    LAKE = auto()


@dataclass(frozen=True, slots=True)
class Column:
    """One column of a metadata table.

    If it is not ``stored``, only DuckLake has it; if it is ``ours``, only forklake has it.
    """

    name: str
    kind: Kind
    is_nullable: bool = False
    default: str | None = None
    note: str = ""
    ours: bool = False
    stored: bool = True


@dataclass(frozen=True, slots=True)
class Index:
    """An index on columns and expressions.

    It has all rows, or those for which ``where`` holds.
    """

    name: str
    columns: tuple[str, ...]
    is_unique: bool = False
    where: str | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Table:
    """One metadata table.

    ``catalog_id``, which is first in every table and every key, is not listed.

    Attributes:
        name: Its name.
        about: The meaning of a row.
        visibility: How a catalog sees its rows. An interval table also has ``row_uid``, which is its key.
        columns: The columns in DuckLake's order.
        key: The primary key after ``catalog_id``.
        indexes: All others.
        scope: The column with the table that a row belongs to; None puts its tombstones into scope 0.
        follows: The interval table whose rows these belong to, and the column that joins them beside the owner.
        grows: Whether it grows with the data; ``init --partitions`` splits it by catalog.
        is_updated: Whether rows are changed in place, so that pages should have room.
        ducklake: The first version of DuckLake that has it, or None if it is ours.
    """

    name: str
    about: str
    visibility: Visibility
    columns: tuple[Column, ...]
    key: tuple[str, ...]
    indexes: tuple[Index, ...] = ()
    scope: str | None = None
    follows: tuple[Table, str] | None = None
    grows: bool = False
    is_updated: bool = False
    ducklake: str | None = "1.0"

    @property
    def stored_columns(self) -> tuple[Column, ...]:
        """The columns of our table in their order.

        First come the owner, the uid and the interval of a row, then the rest.
        """
        listed = [column for column in self.columns if column.stored]
        if self.visibility is not Visibility.INTERVAL:
            return (_CATALOG, *listed)
        interval = [column for column in listed if column.name in ("begin_snapshot", "end_snapshot")]
        return (_CATALOG, _ROW_UID, *interval, *(column for column in listed if column not in interval))

    @property
    def row_columns(self) -> tuple[Column, ...]:
        """The columns of a row as a value: without owner, uid and interval."""
        return tuple(column for column in self.stored_columns if column.name not in _OF_EVERY_ROW)


_CATALOG: Final = Column("catalog_id", "number")
_ROW_UID: Final = Column("row_uid", "number")
_OF_EVERY_ROW: Final = ("catalog_id", "row_uid", "begin_snapshot", "end_snapshot")


@dataclass(frozen=True, slots=True)
class Sequence:
    """A sequence of ids."""

    name: str
    about: str
    first: int = 0


def columns(text: str) -> tuple[Column, ...]:
    """Parse the columns of a table.

    >>> [upto] = columns("+ upto  number?  as of when")
    >>> upto.kind, upto.is_nullable, upto.ours, upto.note
    ('number', True, True, 'as of when')
    """
    found = []
    for line in text.strip().splitlines():
        match = _LINE.fullmatch(line.strip())
        assert match is not None, line
        default = str(LIVE) if match["default"] == "infinity" else match["default"]
        found.append(
            Column(
                match["name"],
                match["kind"],  # type: ignore[arg-type] # one of them, says the pattern
                is_nullable=match["null"] is not None,
                default=default,
                note=match["note"] or "",
                ours=match["mark"] == "+ ",
                stored=match["mark"] != "- ",
            )
        )
    return tuple(found)


def interval(
    name: str,
    about: str,
    text: str,
    *,
    by: str,
    scope: str | None = None,
    unique: str | None = None,
    index: tuple[str, str] | None = None,
    has_path: bool = False,
    grows: bool = False,
    ducklake: str | None = "1.0",
) -> Table:
    """Describe a table of versioned rows, which are looked up ``by`` a column.

    Live rows come first. ``unique`` is the key that live rows of one catalog never share, ``index`` the name and
    column of an additional index. If the rows have a path, those with an absolute one are found by it, in all catalogs,
    and schemas and tables, whose rows tell where files lie, by their ids.
    """
    short = name.removeprefix("ducklake_")
    indexes = [Index(f"{short}_scan_idx", ("catalog_id", by, "end_snapshot", "begin_snapshot"))]
    if unique is not None:
        indexes.append(
            Index(f"{short}_name_idx", ("catalog_id", *_list(unique), "end_snapshot"), is_unique=True),
        )
    if index is not None:
        indexes.append(Index(index[0], ("catalog_id", index[1])))
    if has_path:
        indexes.append(Index(f"{short}_path_idx", ("path",), where="NOT path_is_relative"))
        if scope is None:
            indexes.append(Index(f"{short}_id_idx", (by,)))
    return Table(
        name,
        about,
        Visibility.INTERVAL,
        columns(text),
        ("row_uid",),
        tuple(indexes),
        scope=scope,
        grows=grows,
        ducklake=ducklake,
    )


def following(name: str, about: str, text: str, *, of: Table, by: str, key: str, grows: bool = False) -> Table:
    """Describe a table whose rows belong to rows of an interval table.

    A catalog sees them together with those.
    """
    return Table(name, about, Visibility.FOLLOWS, columns(text), _list(key), follows=(of, by), grows=grows)


def table(
    name: str,
    about: str,
    visibility: Visibility,
    text: str,
    *,
    key: str = "",
    indexes: tuple[Index, ...] = (),
    grows: bool = False,
    is_updated: bool = False,
    ducklake: str | None = "1.0",
) -> Table:
    """Describe any other table."""
    return Table(
        name,
        about,
        visibility,
        columns(text),
        _list(key),
        indexes,
        grows=grows,
        is_updated=is_updated,
        ducklake=ducklake,
    )


def _list(text: str) -> tuple[str, ...]:
    """Split at commas that are not in parentheses.

    >>> _list("table_id, coalesce(parent_column, -1), fold(column_name)")
    ('table_id', 'coalesce(parent_column, -1)', 'fold(column_name)')
    """
    return tuple(part.strip() for part in re.split(r",(?![^()]*\))", text) if part.strip())
