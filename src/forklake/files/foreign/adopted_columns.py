"""Matches the columns of a file that others wrote to the columns of a table.

Errors have DuckLake's words (docs/spec/adoption.md).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field
from typing import Any, Final

from forklake.errors import InvalidInputError
from forklake.files.casting.texts import parse_value
from forklake.files.parquet.held_columns import HeldColumn
from forklake.files.parquet.partitions import hive_text
from forklake.files.parquet.statistics import Leaf, StoredLeaf
from forklake.model import types
from forklake.model.definitions import MappedColumn, NameMapping
from forklake.model.field import Field
from forklake.model.lazy_dataclass import dataclass
from forklake.model.names import fold
from forklake.model.promotions import is_rounded
from forklake.model.scan import ROW_ID_COLUMN, SNAPSHOT_ID_COLUMN
from forklake.model.types import Type

_SIGNED: Final = (
    types.INT64,
    types.UINT32,
    types.INT32,
    types.UINT16,
    types.INT16,
    types.UINT8,
    types.INT8,
)
_UNSIGNED: Final = (types.UINT64, types.UINT32, types.UINT16, types.UINT8)
_ACCEPTED: Final[dict[Type, tuple[Type, ...]]] = {
    **{kind: _SIGNED[place:] for place, kind in enumerate(_SIGNED) if kind.is_signed},
    **{kind: _UNSIGNED[place:] for place, kind in enumerate(_UNSIGNED)},
    types.FLOAT64: (types.FLOAT64, types.FLOAT32),
    **dict.fromkeys(
        (types.TIMESTAMP, types.TIMESTAMP_NS),
        (types.TIMESTAMP_NS, types.TIMESTAMP, types.TIMESTAMP_MS, types.TIMESTAMP_S),
    ),
    **dict.fromkeys((types.TIMESTAMP_S, types.TIMESTAMP_MS), (types.TIMESTAMP, types.TIMESTAMP_MS, types.TIMESTAMP_S)),
}
"""What files may hold instead of a type, in the order in which messages list it."""

_FAMILIES: Final[dict[type[Type], str]] = {types.Struct: "STRUCT", types.List: "LIST", types.Map: "MAP"}


@dataclass(frozen=True, slots=True)
class AdoptionRules:
    """The table that files are matched to, and what callers allow."""

    table: str
    fields: tuple[Field, ...]
    allow_missing: bool = False
    ignore_extra_columns: bool = False


@dataclass(slots=True)
class ColumnMatch:
    """How the columns of a file are those of a table.

    Attributes:
        mapped: The mapping, in the order of the table's columns.
        leaves: The columns that hold values.
        stored: The same with what the schema of the file says of them, for statistics.
        held: The columns of the file by the ids of the table's columns, top-level ones only.
        missing: The columns of the table that are neither in the file nor in its path.
        from_path: The values of the columns that the path spells, as `forklake.files.arrow.values` has them.
        rounded: The columns, by name, whose values are rounded when they are read: bounds of the file are not theirs.
    """

    mapped: list[MappedColumn] = field(default_factory=list)
    leaves: list[Leaf] = field(default_factory=list)
    stored: list[StoredLeaf] = field(default_factory=list)
    held: dict[int, HeldColumn] = field(default_factory=dict)
    missing: list[Field] = field(default_factory=list)
    from_path: dict[int, tuple[Field, Any]] = field(default_factory=dict)
    rounded: set[str] = field(default_factory=set)

    @property
    def mapping(self) -> NameMapping:
        """The name mapping of the file."""
        return NameMapping(tuple(self.mapped))


def match_columns(
    path: str, columns: Sequence[HeldColumn], rules: AdoptionRules, directories: Mapping[str, str]
) -> ColumnMatch:
    """Match the columns of a file to those of a table, by name.

    Args:
        path: The file, for messages.
        columns: What it holds.
        rules: The table.
        directories: The texts that the directories above it spell, by their keys.

    Raises:
        InvalidInputError: The file does not fit the table.
    """
    matcher = _Matcher(path, rules)
    matcher.check_field_ids(columns)
    match = ColumnMatch()
    own = [column for column in columns if column.name not in (ROW_ID_COLUMN, SNAPSHOT_ID_COLUMN)]
    if len(own) < len(columns):
        raise matcher.lineage_error(next(column for column in columns if column not in own))
    mapped: dict[int, MappedColumn] = {}

    def take_from_path(one: Field, text: str) -> None:
        match.from_path[_id(one)] = one, matcher.value(one, text)
        mapped[_id(one)] = MappedColumn(one.name, one.name, is_partition=True)

    for column, one in matcher.pairs(own, rules.fields, ""):
        if column.name in directories:
            take_from_path(one, directories[column.name])
        else:
            match.held[_id(one)] = column
            mapped[_id(one)] = matcher.map_column(column, one, "", one.name, match)
    for one in rules.fields:
        if _id(one) not in mapped and one.name in directories:
            take_from_path(one, directories[one.name])
        elif _id(one) not in mapped:
            matcher.check_may_miss(one, "")
            match.missing.append(one)
    match.mapped += [mapped[_id(one)] for one in rules.fields if _id(one) in mapped]
    if not match.mapped:
        raise InvalidInputError(f'File "{path}" has none of the columns of table "{rules.table}"; nothing was added.')
    return match


class _Matcher:
    """Matches columns level by level."""

    def __init__(self, path: str, rules: AdoptionRules) -> None:
        self._path = path
        self._rules = rules

    def check_field_ids(self, columns: Sequence[HeldColumn]) -> None:
        """Refuse a file that was written for columns which the table has no more."""
        live = set(_all_ids(self._rules.fields))
        self._check_ids(columns, live, "")

    def _check_ids(self, columns: Sequence[HeldColumn], live: set[int], above: str) -> None:
        for column in columns:
            name = above + column.name
            is_own = column.name in (ROW_ID_COLUMN, SNAPSHOT_ID_COLUMN)
            if column.field_id is not None and column.field_id not in live and not is_own:
                raise InvalidInputError(
                    f'Parquet field ID mismatch for column "{name}" in file "{self._path}": field ID {column.field_id}'
                    f' is not a live field in table "{self._rules.table}"'
                )
            self._check_ids(column.children, live, f"{name}.")

    def lineage_error(self, column: HeldColumn) -> InvalidInputError:
        """Return the error for a file whose rows have ids already."""
        return InvalidInputError(
            f'Column "{column.name}" exists in file "{self._path}" but was not found in table "{self._rules.table}":'
            " its rows have ids and snapshots already, which may be those of other rows. Nothing was added.",
            hint="Copy the rows into a file of their own, or append them.",
        )

    def pairs(
        self, columns: Sequence[HeldColumn], fields: Sequence[Field], above: str
    ) -> Iterator[tuple[HeldColumn, Field]]:
        """Yield the columns of one level, each with the table's column of its name.

        Raises:
            InvalidInputError: The table lacks a column.
        """
        wanted = {fold(one.name): one for one in fields}
        for column in columns:
            one = wanted.pop(fold(column.name), None)
            if one is not None:
                yield column, one
            elif not self._rules.ignore_extra_columns:
                raise InvalidInputError(
                    f'Column "{above}{column.name}" exists in file "{self._path}" but was not found in table'
                    f' "{self._rules.table}"\n* Set ignore_extra_columns => true to add the file anyway'
                )

    def check_may_miss(self, one: Field, above: str) -> None:
        """Refuse a file that lacks a column.

        Raises:
            InvalidInputError: The caller does not allow it.
        """
        if not self._rules.allow_missing:
            raise InvalidInputError(
                f'Column "{above}{one.name}" exists in table "{self._rules.table}" but was not found in file'
                f' "{self._path}"\n* Set allow_missing => true to allow missing fields and columns'
            )

    def map_column(
        self, column: HeldColumn, one: Field, above: str, name: str, match: ColumnMatch, source: str | None = None
    ) -> MappedColumn:
        """Return the mapping of a column with all that is in it, and add its leaves.

        Args:
            column: What the file holds.
            one: The column of the table.
            above: The names that lead to it in the file, for messages.
            name: The names that lead to it in the table, for statistics.
            match: Where columns with values are added.
            source: What the mapping calls it, if that is not its name in the file.
        """
        shown = source or column.name
        problem = _type_problem(one.type, column)
        if problem is not None:
            raise InvalidInputError(
                f'Failed to map column "{above}{shown}" from file "{self._path}" to the column in table'
                f' "{self._rules.table}"\n* {problem}'
            )
        below = f"{above}{shown}."
        children: list[MappedColumn] = []
        if isinstance(one.type, types.Struct):
            mapped = {
                _id(child): self.map_column(held, child, below, f"{name}.{child.name}", match)
                for held, child in self.pairs(column.children, one.children, below)
            }
            for child in one.children:
                if _id(child) in mapped:
                    children.append(mapped[_id(child)])
                else:
                    self.check_may_miss(child, below)
        elif one.children:
            names = ("list",) if isinstance(one.type, types.List) else ("key", "value")
            parts = zip(column.children, one.children, names, strict=True)
            children += [
                self.map_column(held, child, below, f"{name}.{child.name}", match, part) for held, child, part in parts
            ]
        else:
            match.leaves.append((name, one, column.place))
            if isinstance(column.kind, Type) and is_rounded(column.kind, one.type):
                match.rounded.add(name)
        return MappedColumn(shown, one.name, children=tuple(children))

    def value(self, one: Field, text: str) -> Any:
        """Return the value of a column that a directory spells.

        Raises:
            InvalidInputError: It is no value of the column's type.
        """
        if one.children:
            raise InvalidInputError(f'Type "{one.type.sql_name}" is not supported for hive partitioning')
        meant = hive_text(one.type, text)
        try:
            return None if meant is None else parse_value(one.type, meant)
        except ValueError as error:
            raise InvalidInputError(
                f"Unable to cast '{text}' (from hive partition column '{one.name.upper()}') to: '{one.type.sql_name}'"
                f' (file "{self._path}")'
            ) from error


def _id(one: Field) -> int:
    """Return the id of a column, which each column of a table has."""
    assert one.column_id is not None
    return one.column_id


def _all_ids(fields: Sequence[Field]) -> list[int]:
    found: list[int] = []
    for one in fields:
        if one.column_id is not None:
            found.append(one.column_id)
        found += _all_ids(one.children)
    return found


def _type_problem(kind: Type, column: HeldColumn) -> str | None:
    """Return why values of a column of a file are not of a type; None if they are."""
    held = column.kind
    match kind:
        case types.Json():
            return None if held == kind else f'Expected type "JSON" but found type "{column.type_name}"'
        case types.Geometry():
            if isinstance(held, types.Geometry):
                return None
            return (
                f'Expected type "GEOMETRY" but found type "{column.type_name}". Is this a GeoParquet v1.*.* file?'
                " DuckLake only supports GEOMETRY types stored in native Parquet(V3) format, not GeoParquet(v1.*.*)"
            )
        case types.Nested():
            if held == _FAMILIES[type(kind)]:
                return None
            return f'Expected type "{kind.sql_name}" but found type "{column.type_name}"'
        case types.Decimal():
            return _decimal_problem(kind, column)
    accepted = _ACCEPTED.get(kind, (kind,))
    # These have no type of their own in files, so whatever a file has is another.
    if held in accepted and kind not in (types.INT128, types.UINT128, types.TIMETZ, types.VARIANT):
        return None
    names = ", ".join(one.sql_name for one in accepted)
    return f"Expected {f'one of {names}' if len(accepted) > 1 else names}, found type {column.type_name}"


def _decimal_problem(kind: types.Decimal, column: HeldColumn) -> str | None:
    held = column.kind
    if not isinstance(held, types.Decimal):
        return f'Expected type "DECIMAL" but found type "{column.type_name}"'
    is_wider = held.precision - held.scale > kind.precision - kind.scale
    if held.scale > kind.scale or held.precision > kind.precision or is_wider:
        return (
            f"Incompatible decimal precision/scale - found precision {held.precision}, scale {held.scale} - but table"
            f" is defined with precision {kind.precision}, scale {kind.scale}"
        )
    return None
