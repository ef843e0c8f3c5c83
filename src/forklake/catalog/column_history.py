"""Column history: the columns of a table when a file or an inlined row began."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import cached_property

from forklake.catalog import lookup
from forklake.catalog.fields import field_tree, stored_tree
from forklake.catalog.state import Content
from forklake.metastore.queries import catalogs
from forklake.metastore.store import Session, Store
from forklake.metastore.written_tables import COLUMN
from forklake.model.field import Field
from forklake.model.ids import INFINITY, ColumnId, SnapshotId
from forklake.model.lazy_dataclass import dataclass
from forklake.model.rows import ColumnRow, Origin, TableRow
from forklake.model.scan import MappedField
from forklake.model.types.read import stored_type

_Dated = tuple[ColumnRow, SnapshotId, SnapshotId]


@dataclass
class _Columns:
    """The columns of a table during one interval."""

    rows: Sequence[ColumnRow]

    @cached_property
    def fields(self) -> tuple[Field, ...]:
        return field_tree(self.rows)

    @cached_property
    def stored_fields(self) -> tuple[Field, ...]:
        return stored_tree(self.rows)

    @cached_property
    def by_id(self) -> Mapping[ColumnId, ColumnRow]:
        return {row.column_id: row for row in self.rows}


class ColumnHistory:
    """The columns of one table along its lineage.

    It queries the database only for something that is not younger than all columns, and builds each set of
    columns once. With ``shown``, rows are shown in these columns; the table may have dropped some of them by now, and
    have them again at a later version.
    """

    def __init__(
        self, store: Store | Session, content: Content, table: TableRow, shown: Sequence[Field] | None = None
    ) -> None:
        self._store = store
        self._content = content
        self._table = table
        self._now = _Columns(lookup.columns(content, table.table_id))
        # A table that is gone has no columns now; all that it had are history, as columns are that were dropped.
        has_all = shown is None or self._now.by_id.keys() >= set(_ids(shown))
        newest = max((_begin_of(row.origin) for row in self._now.rows), default=INFINITY)
        self._newest = newest if has_all else SnapshotId(INFINITY)
        self._shown = self._now.fields if shown is None else tuple(shown)
        self._with_shown: dict[tuple[int, ...], tuple[Field, ...]] = {}
        self._sets: dict[int, _Columns] = {}
        self._first: dict[int, _Columns] = {}
        self._altered: dict[SnapshotId, bool] = {}

    @property
    def fields(self) -> tuple[Field, ...]:
        """The current columns."""
        return self._now.fields

    def of_row(self, origin: Origin | None, held: Collection[ColumnId]) -> tuple[Field, ...]:
        """Return the columns that the table had when an inlined row began.

        Catalogs that were severed by early versions have forgotten the columns of their older rows. Such a row has
        values of columns (``held``) that were not there yet; return the columns that came next. A row that a merge
        brought may have values of columns that were dropped by then and came back; return those that are shown, too.
        """
        begun = _begin_of(origin)
        # The text of a struct has all fields that it had then, those too that were dropped since.
        is_nested = any(row.parent_column is not None for row in self._now.rows)
        if begun == INFINITY or (begun > self._newest and not is_nested):
            return self._now.fields
        known = self._at(begun)
        if known.by_id.keys() >= set(held):
            return known.fields
        fields = (self._first_known(begun) if self._is_forgotten(begun, origin) else known).fields
        there = {field.column_id for field in fields}
        more = tuple(field for field in self._shown if field.column_id in held and field.column_id not in there)
        key = (id(fields), *(field.column_id or 0 for field in more))
        return self._with_shown.setdefault(key, (*fields, *more)) if more else fields

    def of_begin(self, origin: Origin | None) -> tuple[Field, ...]:
        """Return the columns that the table had when a file began."""
        begun = _begin_of(origin)
        if begun == INFINITY:
            return self._now.fields
        return (self._first_known(begun) if self._is_forgotten(begun, origin) else self._at(begun)).fields

    def of_file(self, origin: Origin | None, newest: SnapshotId | None = None) -> tuple[Field, ...] | None:
        """Return the columns of a file that its owner wrote, as the file holds them.

        ``newest`` is the last snapshot of the rows in the file, if they are older than the file. The result is None if
        only the footer of the file has the columns. Columns that were dropped since may be missing. If one commit
        writes a file and changes existing columns, nothing says which came first; a file of older rows may have been
        written before a change that was committed before it; and a severed catalog has forgotten its earlier columns.
        In these cases the footer decides.
        """
        if newest is not None and self._may_be_older(newest, _begin_of(origin)):
            return None
        columns = self._of_file(origin)
        return None if columns is None else columns.stored_fields

    def of_mapped_file(self, origin: Origin | None, mapping: Sequence[MappedField]) -> tuple[Field, ...] | None:
        """Return the columns of a file that its owner wrote with a name mapping.

        The result is None if only the footer of the file has them.
        """
        columns = self._of_file(origin)
        return None if columns is None else _mapped_fields(mapping, columns.by_id)

    def _of_file(self, origin: Origin | None) -> _Columns | None:
        begun = _begin_of(origin)
        if begun == INFINITY:
            is_new = self._table.origin is None
            return self._now if is_new or self._newest < INFINITY else None
        if begun > self._newest:
            return self._now
        is_told = not self._is_forgotten(begun, origin) and not self._is_altered(begun)
        return self._at(begun) if is_told else None

    def _may_be_older(self, newest: SnapshotId, begun: SnapshotId) -> bool:
        """Return whether columns began after the rows of a file and before the file."""
        if begun > self._newest:
            return newest < self._newest < INFINITY
        return any(newest < begin <= begun for begin in self._begins)

    def _at(self, begun: SnapshotId) -> _Columns:
        place = bisect_right(self._edges, begun)
        if place not in self._sets:
            rows = [row for row, begin, end in self._history if begin <= begun < end]
            self._sets[place] = _Columns(sorted(rows, key=_order))
        return self._sets[place]

    def _first_known(self, begun: SnapshotId) -> _Columns:
        place = bisect_right(self._edges, begun)
        if place not in self._first:
            rows = {row.column_id: row for row in self._at(begun).rows}
            for row, begin, _ in sorted(self._history, key=lambda dated: dated[1]):
                if begin > begun:
                    rows.setdefault(row.column_id, row)
            self._first[place] = _Columns(sorted(rows.values(), key=_order))
        return self._first[place]

    def _is_forgotten(self, begun: SnapshotId, origin: Origin | None) -> bool:
        """Return whether a copy or sever may have rewritten the columns of that time."""
        is_last = origin is not None and origin.owner == self._content.version.owners[-1]
        return is_last and self._had_ancestors and begun < self._last_begin

    def _is_altered(self, begun: SnapshotId) -> bool:
        """Return whether a commit changed existing columns of the table.

        A column may have its old name again, with another name in between.
        """
        if begun not in self._begins:
            return False
        if begun not in self._altered:
            self._altered[begun] = any(begin < begun <= end for _, begin, end in self._history)
        return self._altered[begun]

    @cached_property
    def _history(self) -> Sequence[_Dated]:
        return self._content.history(COLUMN, {"table_id": self._table.table_id})

    @cached_property
    def _edges(self) -> Sequence[SnapshotId]:
        return sorted({edge for _, begin, end in self._history for edge in (begin, end)})

    @cached_property
    def _begins(self) -> frozenset[SnapshotId]:
        return frozenset(begin for _, begin, _ in self._history)

    @cached_property
    def _last_begin(self) -> SnapshotId:
        return max(self._begins, default=SnapshotId(0))

    @cached_property
    def _had_ancestors(self) -> bool:
        """Whether the last owner of the chain is no root.

        Such a catalog was copied or severed, and forgot its ancestors.
        """
        version = self._content.version
        if len(version.segments) == 1:
            return not version.is_root
        return catalogs.parent_of(self._store, version.owners[-1]) is not None


def _order(row: ColumnRow) -> tuple[int, int]:
    return row.column_order, row.column_id


def _ids(fields: Sequence[Field]) -> Iterator[ColumnId]:
    for field in fields:
        if field.column_id is not None:
            yield field.column_id
        yield from _ids(field.children)


def _begin_of(origin: Origin | None) -> SnapshotId:
    return INFINITY if origin is None else origin.begun


def _mapped_fields(mapping: Sequence[MappedField], rows: Mapping[ColumnId, ColumnRow]) -> tuple[Field, ...] | None:
    """Return the fields of a mapping, with the types of their columns.

    It is None if a field is not in the file or not known.
    """
    found = []
    for mapped in mapping:
        row = rows.get(mapped.column_id)
        children = _mapped_fields(mapped.children, rows)
        if row is None or mapped.is_partition or children is None:
            return None
        found.append(Field(row.column_id, mapped.source_name, stored_type(row.column_type, children).stored_as))
    return tuple(found)
