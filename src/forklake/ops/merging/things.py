"""Compares what has names.

Those are schemas, tables, columns, views, macros, tags, partitioning and sorting.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

from forklake.metastore.schema.catalog_tables import COLUMN_IDS
from forklake.metastore.written_tables import (
    COLUMN,
    COLUMN_TAG,
    IDENTITIES,
    MACRO,
    MACRO_IMPL,
    MACRO_PARAMETERS,
    PARTITION_COLUMN,
    PARTITION_INFO,
    SCHEMA,
    SORT_EXPRESSION,
    SORT_INFO,
    TABLE,
    TAG,
    VIEW,
    VIEW_COLUMN_TAG,
    MetadataTable,
)
from forklake.model.fork_merge import Deed, MergeConflict
from forklake.model.ids import ColumnId
from forklake.model.lazy_dataclass import dataclass
from forklake.model.rows import ColumnRow, Row
from forklake.ops.merging.choice import Chooser
from forklake.ops.merging.sides import Side, Sides, by_key

Key = tuple[Any, ...]


@dataclass(frozen=True, slots=True)
class Kind:
    """One kind of thing, and how two of them are compared.

    Attributes:
        table: The metadata table.
        conflict: The kind of a conflict about it.
        compared: The columns that count; all but the key if not given.
        followers: What belongs to it, in other metadata tables.
        renamed: Whether its own id may differ where it is the same: what follows it counts.
    """

    table: MetadataTable[Any]
    conflict: str
    compared: tuple[str, ...] | None = None
    followers: tuple[MetadataTable[Any], ...] = ()
    renamed: bool = False

    @property
    def key(self) -> tuple[str, ...]:
        """The columns that say which thing it is."""
        return IDENTITIES[self.table]


SCHEMAS: Final = Kind(SCHEMA, "schema", ("schema_name",))
TABLES: Final = Kind(TABLE, "name", ("schema_id", "table_name"))
VIEWS: Final = Kind(VIEW, "view")
MACROS: Final = Kind(MACRO, "macro", followers=(MACRO_IMPL, MACRO_PARAMETERS))
COLUMNS: Final = Kind(
    COLUMN, "column", tuple(name for name in COLUMN.columns if name not in (*IDENTITIES[COLUMN], "column_order"))
)
"""Their places do not count: no statement moves a column. A reset puts those that come back behind the others."""

TAGS: Final = Kind(TAG, "tag")
COLUMN_TAGS: Final = Kind(COLUMN_TAG, "tag")
VIEW_COLUMN_TAGS: Final = Kind(VIEW_COLUMN_TAG, "tag")
PARTITIONING: Final = Kind(PARTITION_INFO, "layout", followers=(PARTITION_COLUMN,), renamed=True)
SORTING: Final = Kind(SORT_INFO, "layout", followers=(SORT_EXPRESSION,), renamed=True)

OF_TABLES: Final = (COLUMNS, COLUMN_TAGS, PARTITIONING, SORTING)
OTHERS: Final = (SCHEMAS, VIEWS, MACROS, TAGS, VIEW_COLUMN_TAGS)

ATTRIBUTES: Final[Mapping[str, tuple[str, ...]]] = {
    "name": ("column_name",),
    "type": ("column_type",),
    "default": ("default_value", "default_value_type", "default_value_dialect", "trusted"),
    "nullability": ("nulls_allowed",),
    "parent": ("parent_column",),
}
"""What of a column can be changed alone."""


@dataclass(frozen=True, slots=True)
class Thing:
    """A row with what belongs to it."""

    kind: Kind
    row: Row
    followers: tuple[Row, ...] = ()

    @property
    def value(self) -> Any:
        """What is compared."""
        names = self.kind.compared or tuple(name for name in self.kind.table.columns if name not in self.kind.key)
        own = () if self.kind.renamed else tuple(getattr(self.row, name) for name in names)
        return own, tuple(sorted(map(repr, map(self._of_follower, self.followers))))

    def _of_follower(self, row: Row) -> tuple[Any, ...]:
        table = next(table for table in self.kind.followers if isinstance(row, table.row))
        assert table.follows is not None
        return tuple(getattr(row, name) for name in table.columns if name != table.follows[1])


def things(side: Side, kind: Kind, where: Mapping[str, Any] | None = None) -> dict[Key, Thing]:
    """Return the things of a kind that a side has, by their keys."""
    rows = side.rows(kind.table, where)
    followers: dict[Any, list[Row]] = {}
    for table in kind.followers if rows else ():
        assert table.follows is not None
        for row in side.following(table, rows):
            followers.setdefault(getattr(row, table.follows[1]), []).append(row)
    joined = kind.followers[0].follows[1] if kind.followers and kind.followers[0].follows else None
    return {
        key: Thing(kind, row, tuple(followers.get(getattr(row, joined), ())) if joined else ())
        for key, row in by_key(rows, kind.key).items()
    }


@dataclass(frozen=True, slots=True)
class Edit:
    """A thing that the target gets in another form, gets newly, or loses."""

    kind: Kind
    before: Thing | None
    after: Thing | None


class ObjectMerge:
    """Compares the things that the source changed with those of the target."""

    def __init__(self, sides: Sides, chooser: Chooser) -> None:
        self._sides, self._chooser = sides, chooser

    def changes_of(self, kinds: Sequence[Kind]) -> dict[Kind, set[Key]]:
        """Return the keys of things that the source has otherwise than a base, by kind."""
        source = self._sides.source
        tables = self._sides.may_change(source, [kind.table for kind in kinds])
        found = self._sides.changed_by(source, [kind.table for kind in kinds if kind.table in tables])
        return {kind: set(by_key(found.get(kind.table, ()), kind.key)) for kind in kinds}

    def merge(self, kind: Kind, keys: Iterable[Key], table: tuple[str, str] | None = None) -> list[Edit]:
        """Return what becomes of things of one kind.

        ``table`` names the schema and the table that they belong to, if they do.
        """
        edits = []
        for key, sides in self.all_of(kind, keys).items():
            *bases, source, target = sides
            named = next(thing for thing in (target, source, *bases) if thing is not None)
            place = table or self._place(kind, named)
            if self._takes_source(kind, place, _title(kind, key, named), bases, source, target):
                edits.append(Edit(kind, target, source))
        return edits

    def merge_columns(self, place: tuple[str, str], keys: Iterable[Key]) -> list[Edit]:
        """Return what becomes of columns, attribute by attribute.

        Both sides have the table. A side that dropped a nested column says nothing of its parts: where the other side's
        column stays, so do the parts.
        """
        edits = []
        kept: set[int] = set()
        for (table, column), (*bases, source, target) in self.all_of(COLUMNS, keys).items():
            is_added = all(base is None for base in bases)
            if source is not None and target is not None and is_added and not self._is_one_column(table, column):
                self._chooser.refuse(MergeConflict("column_id", *place, _name_of(target), "added", "added"))
                continue
            if source is None or target is None or (any(base is None for base in bases) and not is_added):
                named = next(thing for thing in (target, source, *bases) if thing is not None)
                if self._takes_source(COLUMNS, place, _name_of(named), bases, source, target):
                    edits.append(Edit(COLUMNS, target, source))
                elif source is None:
                    kept.add(column)
                continue
            merged = self._merged_column(place, bases, source, target)
            if merged != target.row:
                edits.append(Edit(COLUMNS, target, Thing(COLUMNS, merged)))
        lost = [edit for edit in edits if edit.after is None and _parents(edit.before, self._sides.target) & kept]
        made = [*(edit for edit in edits if edit not in lost), *self._missing_parts(edits)]
        return [] if made and self._refuse_lone_parts(place, made) else made

    def _refuse_lone_parts(self, place: tuple[str, str], edits: Sequence[Edit]) -> bool:
        """Keep a conflict for each part that would be left without its column.

        One side has dropped the column, and the other has added the part to it, or changed it.
        """
        of_table = {"table_id": _column_of(edits[0]).table_id}
        result = columns_after(self._sides.target.rows(COLUMN, of_table), edits)
        of_source = {row.column_id for row in self._sides.source.rows(COLUMN, of_table)}
        lone = [row for row in result.values() if row.parent_column is not None and row.parent_column not in result]
        for row in lone:
            deeds: tuple[Deed, Deed] = ("dropped", "changed") if row.column_id in of_source else ("changed", "dropped")
            self._chooser.refuse(MergeConflict("column", *place, row.column_name, *deeds))
        return bool(lone)

    def _missing_parts(self, edits: Sequence[Edit]) -> list[Edit]:
        """Return the parts of columns that come.

        They are those that the target lacks and no edit brings.
        """
        come = {row.column_id: row for row in new_columns(edits)}
        nested = {column: row for column, row in come.items() if row.is_nested}
        if not nested:
            return []
        of_table = {"table_id": next(iter(nested.values())).table_id}
        there = {row.column_id for row in self._sides.target.rows(COLUMN, of_table)}
        return [
            Edit(COLUMNS, None, thing)
            for (_, column), thing in things(self._sides.source, COLUMNS, of_table).items()
            if column not in there and column not in come and _parents(thing, self._sides.source) & nested.keys()
        ]

    def _is_one_column(self, table: int, column: int) -> bool:
        """Return whether a column that no base has is the same on both sides.

        It is if it came back with its table, if its id is of the sequence, which gives none twice, or if it was there
        before a base, and came back on both sides.
        """
        of_table = {"table_id": table}
        had_table = any(base.rows(TABLE, of_table) for base in self._sides.bases)
        if not had_table or column >= COLUMN_IDS.first:
            return True
        return any(
            row.column_id == column for base in self._sides.bases for row, _, _ in base.history(COLUMN, of_table)
        )

    def _merged_column(
        self, place: tuple[str, str], bases: Sequence[Thing | None], source: Thing, target: Thing
    ) -> ColumnRow:
        assert isinstance(target.row, ColumnRow)
        merged = target.row
        for attribute, names in ATTRIBUTES.items():
            values = [
                None if thing is None else tuple(getattr(thing.row, name) for name in names)
                for thing in (*bases, source, target)
            ]
            if self._chooser.takes_source(
                "column", place, _name_of(target), values[:-2], values[-2], values[-1], attribute=attribute
            ):
                merged = replace(merged, **{name: getattr(source.row, name) for name in names})
        return merged

    def _takes_source(
        self,
        kind: Kind,
        place: tuple[str | None, str | None],
        title: int | str | None,
        bases: Sequence[Thing | None],
        source: Thing | None,
        target: Thing | None,
    ) -> bool:
        values = [None if thing is None else thing.value for thing in (*bases, source, target)]
        return self._chooser.takes_source(kind.conflict, place, title, values[:-2], values[-2], values[-1])

    def all_of(self, kind: Kind, keys: Iterable[Key]) -> dict[Key, list[Thing | None]]:
        """Return things as the bases, the source and the target have them, in this order."""
        wanted = set(keys)
        if not wanted:
            return {}
        where = {kind.key[0]: sorted({key[0] for key in wanted})}
        found = [things(side, kind, where) for side in self._sides.all]
        return {key: [of_side.get(key) for of_side in found] for key in sorted(wanted, key=repr)}

    def schema_name(self, schema_id: int) -> str:
        """Return the name of a schema that one of the sides has."""
        for side in reversed(self._sides.all):
            for row in side.rows(SCHEMA):
                if row.schema_id == schema_id:
                    return row.schema_name
        return str(schema_id)

    def _place(self, kind: Kind, thing: Thing) -> tuple[str | None, str | None]:
        if kind is SCHEMAS:
            return None, None
        row = self.object_of_tag(thing.row) if kind.conflict == "tag" else thing.row
        schema = getattr(row, "schema_id", None)
        names = (getattr(row, f"{what}_name", None) for what in ("table", "view", "macro"))
        name = next((name for name in names if name is not None), None)
        return (None if schema is None else self.schema_name(schema)), name

    def object_of_tag(self, tag: Row) -> Row:
        """Return the table or view that has a tag, or the tag itself if no side has it."""
        number = getattr(tag, "view_id", None) or getattr(tag, "object_id", None)
        for side in (self._sides.target, self._sides.source, *self._sides.bases):
            found: list[Row] = [*side.rows(TABLE, {"table_id": number}), *side.rows(VIEW, {"view_id": number})]
            if found:
                return found[0]
        return tag


def columns_after(columns: Iterable[ColumnRow], edits: Iterable[Edit]) -> dict[ColumnId, ColumnRow]:
    """Return what edits make of the columns of a table, by their ids."""
    result = {row.column_id: row for row in columns}
    for edit in edits:
        if edit.kind is COLUMNS:
            row = _column_of(edit)
            result.pop(row.column_id, None)
            if edit.after is not None:
                result[row.column_id] = row
    return result


def new_columns(edits: Iterable[Edit]) -> list[ColumnRow]:
    """Return the columns that the target gets, or gets again."""
    return [_column_of(edit) for edit in edits if edit.kind is COLUMNS and edit.before is None and edit.after]


def _column_of(edit: Edit) -> ColumnRow:
    thing = edit.after or edit.before
    assert thing is not None
    assert isinstance(thing.row, ColumnRow)
    return thing.row


def _parents(thing: Thing | None, side: Side) -> set[int]:
    """Return the columns that a part of a nested column is in."""
    assert thing is not None
    assert isinstance(thing.row, ColumnRow)
    rows = {row.column_id: row for row in side.rows(COLUMN, {"table_id": thing.row.table_id})}
    found, parent = set[int](), thing.row.parent_column
    while parent is not None:
        found.add(parent)
        parent = rows[parent].parent_column
    return found


def _title(kind: Kind, key: Key, thing: Thing) -> int | str | None:
    if kind is SCHEMAS:
        return str(getattr(thing.row, "schema_name", key[0]))
    return str(key[-1]) if kind.conflict == "tag" else None


def _name_of(thing: Thing) -> str:
    return str(getattr(thing.row, "column_name", ""))
