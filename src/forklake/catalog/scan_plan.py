"""Plans scans: which files to open, their columns, and their deleted rows."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

from forklake.catalog.changes.alteration import own_stats
from forklake.catalog.column_history import ColumnHistory
from forklake.catalog.draft import Draft
from forklake.catalog.file_facts import column_stats, columns_of_interest, no_row_matches, prune, without_nan
from forklake.catalog.lookup import table_stats
from forklake.catalog.places import Places, lake_directories
from forklake.catalog.read_files import FileRows
from forklake.catalog.state import Content
from forklake.catalog.table_files import TableFiles, files_in, is_cut, read_bound, table_files
from forklake.catalog.top_files import reached_by_top, top_columns
from forklake.metastore.queries.catalogs import directories_of
from forklake.metastore.queries.snapshots import numberings
from forklake.metastore.source import Question
from forklake.metastore.store import Session, Store
from forklake.metastore.written_tables import INLINED_ROW, NAME_MAPPING
from forklake.model.field import Field
from forklake.model.ids import CatalogId, ColumnId, DataFileId, MappingId, SnapshotId, TableId
from forklake.model.numbering import Numbering
from forklake.model.predicate import Predicate
from forklake.model.rows import DataFileRow, DeleteFileRow, InlinedRow, NameMappingRow, TableRow
from forklake.model.scan import MappedField, ScanDeletes, ScanFile, ScanPlan, ScanRows, StagedIds
from forklake.model.top_rows import TopRows
from forklake.model.version import Version


def plan_scan(
    store: Store | Session,
    lake_path: str | None,
    content: Content,
    table: TableRow,
    predicate: Predicate | None = None,
    top: TopRows | None = None,
) -> ScanPlan:
    """Plan a scan of a table, without files that cannot satisfy the predicate.

    Files that hold none of the top rows are left out, too. Files come in the order they were added, then inlined rows
    by row id, uncommitted ones last. The number of queries does not depend on the number of files.
    """
    return ScanPlanner(store, lake_path, content, table, top=top).plan(predicate)


def count_rows(plan: ScanPlan) -> int | None:
    """Return how many rows a plan reads, or None if only the files can tell."""
    count, unknown = count_known(plan)
    return None if unknown else count


def count_known(plan: ScanPlan) -> tuple[int, tuple[ScanFile, ...]]:
    """Return how many rows metadata knows, and the files whose rows must be counted.

    These are files that are cut, that have a delete file and inlined deletes, or of which the number of deletes is
    unknown.
    """
    count = sum(len(rows.rows) for rows in plan.inlined)
    unknown = []
    for file in plan.files:
        deletes = file.deletes
        if file.is_cut or (
            deletes is not None and (deletes.is_cut or file.inlined_deletes or deletes.delete_count is None)
        ):
            unknown.append(file)
            continue
        count += file.record_count - len(file.inlined_deletes) - (0 if deletes is None else deletes.delete_count or 0)
    return count, tuple(unknown)


class ScanPlanner:
    """Plans scans of one table for one reader.

    With ``by_origin``, rows that carry no snapshot are as old as their file or inlined row is in whichever catalog had
    it first; else, as it is in this lineage. With ``fields``, rows are shown in these columns; else, in those that the
    table has. ``roots`` has the directories of the catalogs of the lineage, if they are known already. ``top`` are the
    rows that are asked for, if not all are.
    """

    def __init__(
        self,
        store: Store | Session,
        lake_path: str | None,
        content: Content,
        table: TableRow,
        *,
        by_origin: bool = False,
        fields: tuple[Field, ...] | None = None,
        roots: Mapping[CatalogId, str] | None = None,
        top: TopRows | None = None,
    ) -> None:
        self._top = top
        self._by_origin = by_origin
        self._shown = fields
        self._roots = roots
        self._store = store
        self._lake_path = lake_path
        self._content = content
        self._table = table
        self._columns = ColumnHistory(store, content, table, fields)

    def plan(self, predicate: Predicate | None) -> ScanPlan:
        """Plan a scan of the table."""
        return self.plan_read(self.read(predicate), predicate)

    def read(
        self,
        predicate: Predicate | None,
        others: Sequence[Question[Any]] = (),
        catalogs: Iterable[CatalogId] = (),
    ) -> FileRows:
        """Read what a plan needs, and the answers to other questions, in one round trip.

        The last answer has the directories of the lineage, and of other catalogs, unless these were known before.
        """
        if self._roots is None:
            others = [*others, directories_of({*self._content.version.owners, *catalogs})]
        columns = columns_of_interest(self.fields, predicate) | top_columns(self._top)
        return self._content.files(self._table.table_id, columns, others)

    def plan_read(self, found: FileRows, predicate: Predicate | None) -> ScanPlan:
        """Plan a scan of the table by what `read` has read for it."""
        roots = lake_directories(self._lake_path, found.answers[-1]) if self._roots is None else self._roots
        return self.plan_rows(files_in(found), found.of(INLINED_ROW), predicate, found, roots)

    @property
    def fields(self) -> tuple[Field, ...]:
        """The columns that rows are shown in.

        They are the current ones of the table, if no others were asked for.
        """
        return self._columns.fields if self._shown is None else self._shown

    def fields_at_begin(self, row: DataFileRow) -> tuple[Field, ...]:
        """Return the columns that the table had when a file began."""
        return self._columns.of_begin(row.origin)

    def files(self, predicate: Predicate) -> list[DataFileRow]:
        """Return the files that may hold a row of the predicate."""
        rows = table_files(self._content, self._table.table_id).data
        mappings = self._mappings(rows)
        fields = {row.data_file_id: self._fields(row, mappings) for row in rows}
        return prune(self._content, self._table.table_id, self.fields, rows, fields, predicate)[0]

    def rules_out(self, inlined: Sequence[InlinedRow], predicate: Predicate) -> bool:
        """Return whether there are inlined rows, and none fulfils the predicate."""
        return no_row_matches(self._group_inlined(inlined), self.fields, predicate)

    def plan_rows(
        self,
        files: TableFiles,
        inlined: Sequence[InlinedRow],
        predicate: Predicate | None = None,
        known: FileRows | None = None,
        roots: Mapping[CatalogId, str] | None = None,
        *,
        all_inlined: bool = False,
    ) -> ScanPlan:
        """Plan a scan of these files and inlined rows, even if no longer visible.

        ``known`` has statistics, and ``roots`` the directories of owners, as far as they were read before.
        With ``all_inlined``, inlined rows are in the plan even if none of them can fulfil the predicate.
        """
        kept: Sequence[DataFileRow] = files.data
        mappings = self._mappings(kept)
        fields = {row.data_file_id: self._fields(row, mappings) for row in kept}
        pruned: Mapping[str, tuple[int, int]] = {}
        groups = self._group_inlined(inlined)
        if predicate is not None:
            kept, pruned = prune(self._content, self._table.table_id, self.fields, kept, fields, predicate, known)
            groups = () if not all_inlined and self.rules_out(inlined, predicate) else groups
        if self._top is not None:
            kept, pruned = self._top_files(self._top, kept, pruned, files, fields, known)
        both: list[DataFileRow | DeleteFileRow] = [
            *kept,
            *(files.deletes[row.data_file_id] for row in kept if row.data_file_id in files.deletes),
        ]
        places = Places(self._store, self._lake_path, self._content, self._table, both, roots=roots or self._roots)
        numbered = numberings(self._store, {row.numbering_id for row in both if row.numbering_id is not None})
        scanned = _FileResolver(self._content.version, files, places, numbered, by_origin=self._by_origin)
        nan_free = without_nan(self._content, self.fields, kept, predicate, known)
        return ScanPlan(
            table=self._table.table_name,
            fields=self.fields,
            files=tuple(
                scanned.file(
                    row,
                    fields[row.data_file_id],
                    None if row.mapping_id is None else mappings[row.mapping_id],
                    nan_free.get(row.data_file_id, frozenset()),
                )
                for row in kept
            ),
            inlined=self._place_staged(groups, len(kept)),
            pruned=pruned,
            top=self._top,
            place=(self._content.version.catalog_id, self._content.version.snapshot_id),
            staged=_staged_ids(self._content, self._table.table_id),
        )

    def _top_files(
        self,
        top: TopRows,
        kept: Sequence[DataFileRow],
        pruned: Mapping[str, tuple[int, int]],
        files: TableFiles,
        fields: Mapping[DataFileId, _Fields],
        known: FileRows | None,
    ) -> tuple[Sequence[DataFileRow], Mapping[str, tuple[int, int]]]:
        """Return the files that may hold one of the top rows.

        Return also how many were left out, with those before.
        """
        stats = column_stats(self._content, kept, top_columns(top), known)
        reached = reached_by_top(top, kept, fields, stats, files, self._content.version)
        if reached is None:
            return kept, pruned
        kept, out = prune(self._content, self._table.table_id, self.fields, kept, fields, reached, known)
        sums = list(zip(*out.values(), strict=True))
        return kept, {**pruned, "order": (sum(sums[0]), sum(sums[1]))} if sums else pruned

    def _fields(self, row: DataFileRow, mappings: _Mappings) -> _Fields:
        """Return the columns of a file that its owner wrote.

        It is None for files of other writers, and for those that began again after their table got other columns: their
        footers have the columns.
        """
        if not row.path_is_relative or not row.columns_known or row.numbering_id is not None:
            return None
        if row.mapping_id is None:
            return self._columns.of_file(row.origin, row.partial_max)
        mapping = mappings.get(row.mapping_id)
        return None if mapping is None else self._columns.of_mapped_file(row.origin, mapping)

    def _mappings(self, files: Sequence[DataFileRow]) -> _Mappings:
        mapped = [row for row in files if row.mapping_id is not None]
        rows: dict[MappingId | None, dict[int, NameMappingRow]] = {}
        for row in self._content.following(NAME_MAPPING, mapped) if mapped else ():
            rows.setdefault(row.mapping_id, {})[row.column_id] = row
        return {mapping: _mapped_fields(list(of_mapping.values()), None) for mapping, of_mapping in rows.items()}

    def _group_inlined(self, found: Sequence[InlinedRow]) -> tuple[ScanRows, ...]:
        """Return the inlined rows, grouped by their columns.

        Those of a transaction are by themselves.
        """
        groups: dict[tuple[int, ...], tuple[tuple[Field, ...], list[_Row], list[str]]] = {}
        for row in sorted(found, key=lambda row: (row.origin is None, row.row_id)):
            values = {ColumnId(int(column)): value for column, value in json.loads(row.document).items()}
            fields = self._columns.of_row(row.origin, values.keys())
            # Rows that were copied begin later than they were written: what they have no value for was not there.
            there = tuple(field for field in fields if field.column_id in values)
            key = (row.origin is None, id(fields), *(field.column_id or 0 for field in there))
            begun = begin_of(row, by_origin=self._by_origin)
            _, rows, names = groups.setdefault(key, (there, [], []))
            rows.append((row.row_id, begun, values))
            names.append(_STAGED if row.origin is None else f"{_INLINED}_{row.table_id}_{row.schema_version}")
        return tuple(ScanRows(fields, tuple(rows), tuple(names)) for fields, rows, names in groups.values())

    def _place_staged(self, groups: tuple[ScanRows, ...], file_count: int) -> tuple[ScanRows, ...]:
        """Return groups of inlined rows, with the places of a transaction's.

        Those come behind the metadata table that DuckLake keeps for rows of the table's present columns, even if it is
        empty.
        """
        now = {field.column_id for field in self._columns.fields}
        kept = [rows for rows in groups if rows.names[0] != _STAGED]
        if self._table.table_id < 0 or any({field.column_id for field in rows.fields} == now for rows in kept):
            return groups
        staged = [rows for rows in groups if rows.names[0] == _STAGED]
        first = file_count + len(kept) + 1
        return (
            *kept,
            *(replace(rows, place=place) for place, rows in enumerate(staged, first)),
        )


_INLINED: Final = "ducklake_inlined_data"
_STAGED: Final = "__ducklake_inlined_transaction_local_data"
_Fields = tuple[Field, ...] | None
_Mappings = Mapping[MappingId | None, tuple[MappedField, ...]]
_Row = tuple[int, SnapshotId | None, Mapping[ColumnId, str | None]]


class _FileResolver:
    """Converts metadata rows of files to files to read."""

    def __init__(
        self,
        version: Version,
        files: TableFiles,
        places: Places,
        numbered: Mapping[CatalogId, Numbering],
        *,
        by_origin: bool,
    ) -> None:
        self._version = version
        self._files = files
        self._places = places
        self._numberings = numbered
        self._by_origin = by_origin

    def file(
        self,
        row: DataFileRow,
        fields: _Fields,
        mapping: tuple[MappedField, ...] | None,
        nan_free: frozenset[ColumnId],
    ) -> ScanFile:
        deleted = self._files.deletes.get(row.data_file_id)
        return ScanFile(
            data_file_id=row.data_file_id,
            path=self._places.path(row),
            file_size_bytes=row.file_size_bytes,
            record_count=row.record_count,
            snapshot_id=begin_of(row, by_origin=self._by_origin),
            read_upto=self._upto(row),
            row_id_start=row.row_id_start,
            is_cut=is_cut(row, self._version),
            fields=fields,
            mapping=mapping if fields is None else None,
            deletes=None if deleted is None else self._deletes(deleted),
            inlined_deletes=self._files.inlined_deletes.get(row.data_file_id, ()),
            encryption_key=row.encryption_key,
            numbering=None if row.numbering_id is None else self._numberings.get(row.numbering_id),
            without_nan=nan_free,
        )

    def _deletes(self, row: DeleteFileRow) -> ScanDeletes:
        return ScanDeletes(
            path=self._places.path(row),
            format=row.format,
            file_size_bytes=row.file_size_bytes,
            read_upto=self._upto(row),
            is_cut=is_cut(row, self._version),
            encryption_key=row.encryption_key,
            delete_count=row.delete_count,
        )

    def _upto(self, row: DataFileRow | DeleteFileRow) -> SnapshotId:
        """Return the snapshot up to which a file is read.

        For a cut file, it is a number in the numbering of the file's rows.
        """
        bound = read_bound(row, self._version)
        if row.numbering_id is None or not is_cut(row, self._version):
            return bound
        return SnapshotId(self._numberings[row.numbering_id].number(bound))


def begin_of(row: DataFileRow | InlinedRow, *, by_origin: bool) -> SnapshotId | None:
    """Return the snapshot of rows that carry none; None if they are staged.

    ``by_origin`` asks for the one that first added them, in whichever catalog.
    """
    if row.origin is None:
        return None
    return row.origin_snapshot_id if by_origin and row.origin_snapshot_id is not None else row.origin.begun


def _staged_ids(content: Content, table_id: TableId) -> StagedIds | None:
    """Return the ids of rows that a draft has added to a table."""
    if not isinstance(content, Draft):
        return None
    end = table_stats(content, table_id).next_row_id
    first = content.first_row_id if table_id < 0 else own_stats(Draft(content.base), table_id).next_row_id
    return StagedIds(first, end) if first < end else None


def _mapped_fields(rows: Sequence[NameMappingRow], parent: int | None) -> tuple[MappedField, ...]:
    return tuple(
        MappedField(row.source_name, row.target_field_id, row.is_partition, _mapped_fields(rows, row.column_id))
        for row in rows
        if row.parent_column == parent
    )
