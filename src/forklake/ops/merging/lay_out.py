"""Lays a planned merge out as a draft of the target."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import field, replace
from typing import Any

from forklake.catalog import lookup
from forklake.catalog.changes.files import leaves_of
from forklake.catalog.changes.inlined import stats_of_rows
from forklake.catalog.combined_stats import FileStats, widen_stats
from forklake.catalog.draft import Draft
from forklake.catalog.fields import field_tree
from forklake.catalog.holdings import HeldFile, version_of
from forklake.metastore.written_tables import (
    COLUMN,
    PARTITION_INFO,
    TABLE,
    TABLE_COLUMN_STATS,
    TABLE_STATS,
)
from forklake.model.change_log import ChangeKind, LoggedChange
from forklake.model.definitions import NewDeleteFile
from forklake.model.ids import ColumnId, DataFileId, DeleteFileId, PartitionId, TableId
from forklake.model.lazy_dataclass import dataclass
from forklake.model.rows import (
    ColumnRow,
    DeleteFileRow,
    InlinedDeleteRow,
    InlinedRow,
    MacroImplRow,
    MacroRow,
    SchemaRow,
    TableColumnStatsRow,
    TableStatsRow,
    ViewRow,
)
from forklake.ops.merging.copier import Copier, FileDetails
from forklake.ops.merging.plan import Planned, TableEdit
from forklake.ops.merging.table_rows import RowsEdit
from forklake.ops.merging.things import (
    COLUMNS,
    PARTITIONING,
    SCHEMAS,
    SORTING,
    TABLES,
    TAGS,
    VIEW_COLUMN_TAGS,
    VIEWS,
    Edit,
    Thing,
    new_columns,
)
from forklake.ops.rows.restate_rows import rows_for_fields

Written = Mapping[DataFileId, tuple[DeleteFileId, NewDeleteFile]]
"""The delete files that were written for a merge, by data file; other deletes are inlined."""


def lay_out(draft: Draft, planned: Planned, written: Written) -> None:
    """Put a merge into a draft of the target's head, on which it was planned."""
    layout = _Layout(draft, planned, written)
    layout.read()
    for edit in planned.edits:
        layout.edit_object(edit)
    for table in planned.tables:
        layout.edit_table(table)


@dataclass
class _Layout:
    draft: Draft
    planned: Planned
    written: Written
    details: FileDetails = field(init=False)
    partitions: dict[TableId, set[PartitionId]] = field(init=False, default_factory=dict)

    def read(self) -> None:
        """Read what is needed of all tables, with as many queries as for one."""
        draft, sides = self.draft, self.planned.sides
        tables = [table.table_id for table in self.planned.tables]
        moving = [file for table in self.planned.tables if table.rows for file in _moving(table.rows)]
        deletes = [file.deletes for file in moving if file.deletes is not None]
        self.details = FileDetails(sides, sides.source, draft, [file.row for file in moving], deletes)
        if not tables:
            return
        draft.base.keep_tables((COLUMN, TABLE_STATS, TABLE_COLUMN_STATS), tables)
        draft.base.keep_tables((PARTITION_INFO,), [table.table_id for table in self.planned.tables if table.edits])
        sides.source.keep_tables((TABLE, COLUMN, TABLE_STATS), tables)
        if any(file.row.partition_id is not None for file in moving):
            for row, _, _ in draft.history(PARTITION_INFO, {"table_id": tables}):
                self.partitions.setdefault(row.table_id, set()).add(row.partition_id)

    def _own_stats(self, table_id: TableId) -> TableStatsRow | None:
        """Return the newest totals that the target itself wrote for a table.

        Nobody's are nearer, so they are those that it shows.
        """
        own = self.draft.version.catalog_id
        found = self.draft.base.latest(TABLE_STATS, table_id)
        return next((row for row in found if row.origin is None or row.origin.owner == own), None)

    def edit_object(self, edit: Edit) -> None:
        self._apply(edit)
        if edit.kind in (TAGS, VIEW_COLUMN_TAGS):
            self._log_tag(edit)
            return
        for change in _log_entries(edit, self._schema_name):
            self.draft.record(change)

    def edit_table(self, table: TableEdit) -> None:
        draft = self.draft
        for edit in table.edits:
            self._apply(edit)
        if table.row is None:
            self._edit_rows(table)
            draft.record(LoggedChange(ChangeKind.DROPPED_TABLE, object_id=table.table_id))
            return
        self._order_columns(table)
        if table.is_new:
            draft.record(
                LoggedChange(
                    ChangeKind.CREATED_TABLE,
                    object_id=table.table_id,
                    schema_name=self._schema_name(table.row.schema_id),
                    name=table.row.table_name,
                    schema_id=table.row.schema_id,
                ),
                reshapes=table.table_id,
            )
        elif table.edits:
            reshapes = any(edit.kind in (COLUMNS, PARTITIONING) for edit in table.edits)
            altered = LoggedChange(ChangeKind.ALTERED_TABLE, object_id=table.table_id)
            if all(edit.kind is SORTING for edit in table.edits):
                draft.log.append(altered)
            else:
                draft.record(altered, reshapes=table.table_id if reshapes else None)
        self._edit_rows(table)
        self._count(table)

    # ---- objects -----------------------------------------------------------------------------------------------------

    def _apply(self, edit: Edit) -> None:
        if edit.before is not None:
            self.draft.end(*self._rows_of(edit.before))
        if edit.after is not None:
            rows = [edit.after.row]
            # What follows a thing is kept by owner and id: the target may have it already.
            rows += [row for row in edit.after.followers if not self._has_follower(edit.after)]
            self.draft.insert(*(replace(row, origin=None) for row in rows))

    def _rows_of(self, thing: Thing) -> list[Any]:
        """Return the row of a thing as the draft has it."""
        where = {name: getattr(thing.row, name) for name in thing.kind.key}
        return self.draft.rows(thing.kind.table, where)

    def _has_follower(self, thing: Thing) -> bool:
        own = self.draft.version.catalog_id
        if thing.row.origin is None:
            return False
        return any(self.draft.base.following(table, [thing.row.owned_by(own)]) for table in thing.kind.followers)

    def _log_tag(self, edit: Edit) -> None:
        thing = edit.after or edit.before
        assert thing is not None
        object_id = getattr(thing.row, "object_id", None) or getattr(thing.row, "view_id", None)
        is_view = bool(self.draft.rows(VIEWS.table, {"view_id": object_id}))
        if is_view:
            self.draft.record(LoggedChange(ChangeKind.ALTERED_VIEW, object_id=object_id))
        elif self.draft.rows(TABLES.table, {"table_id": object_id}):
            self.draft.record(LoggedChange(ChangeKind.ALTERED_TABLE, object_id=object_id))

    def _schema_name(self, schema_id: int) -> str:
        found = self.draft.rows(SCHEMAS.table, {"schema_id": schema_id})
        return found[0].schema_name if found else str(schema_id)

    def _order_columns(self, table: TableEdit) -> None:
        """Put columns that come behind those that are there."""
        if table.is_new:
            return
        new = new_columns(table.edits)
        columns = self.draft.rows(COLUMN, {"table_id": table.table_id})
        added = [row for row in columns if row.origin is None and row in new]
        if not added:
            return
        last = max((row.column_order for row in columns if row not in added), default=0)
        ordered = sorted(added, key=lambda row: (row.column_order, row.column_id))
        self.draft.restate([(row, replace(row, column_order=last + 1 + n)) for n, row in enumerate(ordered)])

    # ---- files and inlined rows --------------------------------------------------------------------------------------

    def _edit_rows(self, table: TableEdit) -> None:
        rows = table.rows
        if not rows:
            return
        draft, table_id = self.draft, table.table_id
        for file in rows.ended:
            draft.end(file.row, *_deletes_of(file))
        deleted = {file.row.data_file_id for file, _ in rows.deleted}
        moving = _moving(rows)
        copier = self._copier(table, moving) if moving else None
        for file in rows.begun:
            assert copier is not None
            draft.insert(
                *copier.file(file.row), *(() if file.row.data_file_id in deleted else copier.deletes(_deletes_of(file)))
            )
        for ours, theirs in rows.redone:
            assert copier is not None
            draft.end(*_deletes_of(ours))
            draft.insert(*copier.deletes(_deletes_of(theirs)))
        for file, positions in rows.deleted:
            self._delete(table_id, file, positions.tolist(), is_new=file in rows.begun)
        draft.end(*rows.ended_rows)
        draft.insert(
            *(
                replace(
                    row,
                    origin=None,
                    schema_version=draft.version.schema_version,
                    origin_snapshot_id=version_of(row),
                )
                for row in self._inlined_rows(table, rows)
            )
        )
        if table.row is not None:
            self._log_rows(table_id, rows)

    def _inlined_rows(self, table: TableEdit, rows: RowsEdit) -> list[InlinedRow]:
        """Return the inlined rows that come, with their structs as the result has them."""
        if table.row is None:
            return rows.begun_rows
        fields, sides = field_tree(lookup.columns(self.draft, table.table_id)), self.planned.sides
        return rows_for_fields(sides.session, sides.source, table.row, rows.begun_rows, fields)

    def _copier(self, table: TableEdit, files: Sequence[HeldFile]) -> Copier:
        sides, of_table = self.planned.sides, {"table_id": table.table_id}
        partitions = self.partitions.get(table.table_id, set())
        if table.is_new:
            partitions |= {row.partition_id for row in sides.source.rows(PARTITION_INFO, of_table)}
        rows = [file.row for file in files]
        deletes = [file.deletes for file in files if file.deletes is not None]
        return Copier(sides, sides.source, self.draft, table.table_id, rows, deletes, partitions, self.details)

    def _delete(self, table_id: TableId, file: HeldFile, positions: list[int], *, is_new: bool) -> None:
        """Make just these positions of a file deleted."""
        file_id = file.row.data_file_id
        draft = self.draft
        if not is_new:
            draft.end(*_deletes_of(file))  # some of those that they name may be there again
        if file_id in self.written:
            number, new = self.written[file_id]
            draft.insert(
                DeleteFileRow(
                    delete_file_id=number,
                    table_id=table_id,
                    data_file_id=file_id,
                    path=new.path,
                    path_is_relative=True,
                    format=new.format,
                    delete_count=new.delete_count,
                    file_size_bytes=new.file_size_bytes,
                    footer_size=new.footer_size,
                    encryption_key=new.encryption_key,
                )
            )
            return
        draft.insert(
            *(InlinedDeleteRow(table_id=table_id, data_file_id=file_id, row_id=position) for position in positions)
        )

    def _log_rows(self, table_id: TableId, rows: RowsEdit) -> None:
        log = self.draft.log
        if rows.begun:
            log.append(LoggedChange(ChangeKind.INSERTED_INTO_TABLE, object_id=table_id))
        if rows.begun_rows:
            log.append(LoggedChange(ChangeKind.INLINED_INSERT, object_id=table_id))
        files = [*rows.ended, *(ours for ours, _ in rows.redone), *(file for file, _ in rows.deleted)]
        if files:
            touched = frozenset(int(file.row.data_file_id) for file in files)
            log.append(LoggedChange(ChangeKind.DELETED_FROM_TABLE, object_id=table_id, data_files=touched))
        if rows.ended_rows:
            log.append(LoggedChange(ChangeKind.INLINED_DELETE, object_id=table_id))

    # ---- statistics --------------------------------------------------------------------------------------------------

    def _count(self, table: TableEdit) -> None:
        """Write the totals of a table and the bounds of its columns.

        Counters never go back.
        """
        draft, table_id, rows = self.draft, table.table_id, table.rows or RowsEdit(table.table_id)
        source = self.planned.sides.source
        theirs = source.latest(TABLE_STATS, table_id)[0]
        if table.is_new:
            stats = replace(theirs, next_row_id=draft.first_row_id, origin=None)
            draft.write_latest(TABLE_COLUMN_STATS, table_id, [*source.latest(TABLE_COLUMN_STATS, table_id)])
        else:
            stats = replace(lookup.table_stats(draft, table_id), origin=None)
            stats = replace(
                stats,
                next_row_id=draft.first_row_id,
                record_count=stats.record_count
                + sum(file.row.record_count for file in rows.begun)
                - sum(file.row.record_count for file in rows.ended)
                + len(rows.begun_rows)
                - len(rows.ended_rows),
                file_size_bytes=stats.file_size_bytes
                + sum(file.row.file_size_bytes for file in rows.begun)
                - sum(file.row.file_size_bytes for file in rows.ended),
            )
            self._widen(table, rows)
        own = self._own_stats(table_id)
        if own is not None:
            stats = replace(stats, next_row_id=own.next_row_id)
        next_columns = [one.next_column_id for one in (stats, theirs, own) if one is not None]
        stats = replace(stats, next_column_id=max(next_columns))
        draft.write_latest(TABLE_STATS, table_id, [stats])

    def _widen(self, table: TableEdit, rows: RowsEdit) -> None:
        draft, table_id = self.draft, table.table_id
        leaves = leaves_of(lookup.columns(draft, table_id)).values()
        known = lookup.column_stats(draft, table_id)
        # What was known of a column before it was dropped is not true of the rows that were written since then.
        come = {row.column_id for row in new_columns(table.edits) if not row.is_nested}
        known |= {column: TableColumnStatsRow(table_id=table_id, column_id=column) for column in come}
        if not (rows.begun or rows.begun_rows):
            if come:
                draft.write_latest(TABLE_COLUMN_STATS, table_id, list(known.values()))
            return
        was_empty = lookup.table_stats(draft, table_id).record_count == 0
        told: list[dict[ColumnId, FileStats]] = [
            {row.column_id: row for row in self.details.column_stats(file.row.data_file_id)} for file in rows.begun
        ]
        documents = [json.loads(row.document) for row in rows.begun_rows]
        texts = [{ColumnId(int(column)): text for column, text in document.items()} for document in documents]
        if texts:
            told.append(_stats_of_documents(lookup.columns(draft, table_id), texts))
        widened = [
            widen_stats(
                leaf,
                known.get(leaf.column_id),
                [of_file.get(leaf.column_id) for of_file in told],
                was_empty=was_empty,
            )
            for leaf in leaves
        ]
        draft.write_latest(TABLE_COLUMN_STATS, table_id, widened)


def _stats_of_documents(
    columns: Sequence[ColumnRow], texts: Sequence[Mapping[ColumnId, str | None]]
) -> dict[ColumnId, FileStats]:
    """Return the statistics of inlined rows.

    Nothing is told of a column that some of them are older than, if such rows show its first default.
    """
    by_id = {row.column_id: row for row in columns}
    found: dict[ColumnId, FileStats] = {**stats_of_rows(columns, texts)}
    for column in [*found]:
        root = by_id[column]
        while root.parent_column is not None:
            root = by_id[root.parent_column]
        if root.initial_default is not None and any(root.column_id not in text for text in texts):
            del found[column]
    return found


def _moving(rows: RowsEdit) -> list[HeldFile]:
    """Return the files of the source of which the target gets rows."""
    return [*rows.begun, *(theirs for _, theirs in rows.redone)]


def _deletes_of(file: HeldFile) -> list[DeleteFileRow | InlinedDeleteRow]:
    return [*file.positions, *([] if file.deletes is None else [file.deletes])]


def _log_entries(edit: Edit, schema_name: Any) -> list[LoggedChange]:
    """Return how DuckLake's log tells that a schema, view or macro changed."""
    before, after = (None if thing is None else thing.row for thing in (edit.before, edit.after))
    row = after or before
    if isinstance(row, SchemaRow):
        made = LoggedChange(ChangeKind.CREATED_SCHEMA, object_id=row.schema_id, schema_name=row.schema_name)
        gone = LoggedChange(ChangeKind.DROPPED_SCHEMA, object_id=row.schema_id, schema_name=row.schema_name)
        return [made] if before is None else [gone] if after is None else [gone, made]
    if isinstance(row, ViewRow):
        if after is None:
            return [LoggedChange(ChangeKind.DROPPED_VIEW, object_id=row.view_id)]
        if before is not None:
            return [LoggedChange(ChangeKind.ALTERED_VIEW, object_id=row.view_id)]
        return [
            LoggedChange(
                ChangeKind.CREATED_VIEW,
                object_id=row.view_id,
                schema_name=schema_name(row.schema_id),
                name=row.view_name,
                schema_id=row.schema_id,
            )
        ]
    assert isinstance(row, MacroRow)
    thing = edit.after or edit.before
    assert thing is not None
    is_table = any(isinstance(one, MacroImplRow) and one.type == "table" for one in thing.followers)
    gone = LoggedChange(
        ChangeKind.DROPPED_TABLE_MACRO if is_table else ChangeKind.DROPPED_SCALAR_MACRO, object_id=row.macro_id
    )
    made = LoggedChange(
        ChangeKind.CREATED_TABLE_MACRO if is_table else ChangeKind.CREATED_SCALAR_MACRO,
        object_id=row.macro_id,
        schema_name=schema_name(row.schema_id),
        name=row.macro_name,
        schema_id=row.schema_id,
    )
    return [made] if before is None else [gone] if after is None else [gone, made]
