"""Name mappings: how the columns of files without field ids are found."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from forklake.catalog import lookup
from forklake.catalog.draft import Draft
from forklake.catalog.names import check_name
from forklake.catalog.state import Content
from forklake.errors import InvalidInputError, NotFoundError
from forklake.metastore.written_tables import COLUMN_MAPPING, DATA_FILE, NAME_MAPPING
from forklake.model.definitions import MappedColumn, NameMapping
from forklake.model.ids import ColumnId, MappingId, TableId
from forklake.model.names import fold
from forklake.model.rows import ColumnMappingRow, ColumnRow, DataFileRow, NameMappingRow, TableRow


def insert(draft: Draft, table: TableRow, mapping_id: MappingId, mapping: NameMapping) -> None:
    """Add the rows of a new mapping."""
    if not mapping.columns:
        raise InvalidInputError(f'A name mapping for table "{table.table_name}" must map a column.')
    rows = lookup.columns(draft, table.table_id)
    draft.insert(ColumnMappingRow(mapping_id=mapping_id, table_id=table.table_id, type="map_by_name"))
    _insert_columns(draft, table, mapping_id, mapping.columns, rows, next_id=0, parent=None, parent_column=None)


def _insert_columns(
    draft: Draft,
    table: TableRow,
    mapping_id: MappingId,
    columns: tuple[MappedColumn, ...],
    rows: list[ColumnRow],
    *,
    next_id: int,
    parent: int | None,
    parent_column: ColumnId | None,
) -> int:
    for column in columns:
        check_name("column", column.source_name)
        target = next(
            (r for r in rows if r.parent_column == parent_column and fold(r.column_name) == fold(column.target)), None
        )
        if target is None:
            raise NotFoundError(f'Table "{table.table_name}" does not have a column with name "{column.target}"')
        own_id = next_id
        draft.insert(
            NameMappingRow(
                mapping_id=mapping_id,
                column_id=own_id,
                source_name=column.source_name,
                target_field_id=target.column_id,
                parent_column=parent,
                is_partition=column.is_partition,
            )
        )
        next_id = _insert_columns(
            draft,
            table,
            mapping_id,
            column.children,
            rows,
            next_id=own_id + 1,
            parent=own_id,
            parent_column=target.column_id,
        )
    return next_id


def known_mappings(content: Content, table: TableRow) -> dict[NameMapping, MappingId]:
    """Return the mappings that files of a table use, with the table's columns of now.

    A mapping of a column that is gone is left out.
    """
    users: dict[MappingId, DataFileRow] = {}
    for file in content.rows(DATA_FILE, {"table_id": table.table_id}):
        if file.mapping_id is not None:
            users.setdefault(file.mapping_id, file)
    names = {row.column_id: row.column_name for row in lookup.columns(content, table.table_id)}
    found: dict[NameMapping, MappingId] = {}
    for mapping_id, user in users.items():
        rows = content.following(NAME_MAPPING, [user])
        columns = _definition(rows, None, names)
        if columns:
            found.setdefault(NameMapping(columns), mapping_id)
    return found


def _definition(
    rows: Sequence[NameMappingRow], parent: int | None, names: Mapping[ColumnId, str]
) -> tuple[MappedColumn, ...] | None:
    columns: list[MappedColumn] = []
    for row in sorted(rows, key=lambda row: row.column_id):
        if row.parent_column == parent:
            below = _definition(rows, row.column_id, names)
            if below is None or row.target_field_id not in names:
                return None
            columns.append(MappedColumn(row.source_name, names[row.target_field_id], row.is_partition, below))
    return tuple(columns)


def adopt(draft: Draft, table: TableRow, mapping_id: MappingId) -> None:
    """Reuse a mapping that a file of the table uses; copy it if it is inherited.

    Rows that follow a file are looked up under the file's owner, so a mapping of an ancestor does not serve our
    files.
    """
    users = [file for file in draft.rows(DATA_FILE, {"table_id": table.table_id}) if file.mapping_id == mapping_id]
    if not users:
        raise NotFoundError(f'No file of table "{table.table_name}" uses a mapping with index "{mapping_id}"!')
    if any(file.origin is None or file.origin.owner == draft.version.catalog_id for file in users):
        return
    if _is_written(draft, users[0]):
        return  # for a file that is gone again
    for row in (*draft.following(COLUMN_MAPPING, users[:1]), *draft.following(NAME_MAPPING, users[:1])):
        draft.insert(replace(row, origin=None))


def _is_written(draft: Draft, user: DataFileRow) -> bool:
    """Return whether the mapping of an inherited file was already copied as our own."""
    assert user.origin is not None
    own = replace(user, origin=replace(user.origin, owner=draft.version.catalog_id))
    return bool(draft.following(COLUMN_MAPPING, [own, replace(user, origin=None)]))


def forget_unused(draft: Draft, table_id: TableId, mapping_ids: Iterable[MappingId | None]) -> None:
    """Discard mappings of this transaction that no file uses any more.

    Files of ancestors do not count: they have their own.
    """
    candidates = {mapping for mapping in mapping_ids if mapping is not None}
    if not candidates:
        return
    own = draft.version.catalog_id
    files = draft.rows(DATA_FILE, {"table_id": table_id})
    unused = candidates - {file.mapping_id for file in files if file.origin is None or file.origin.owner == own}
    draft.forget(COLUMN_MAPPING, "mapping_id", {*unused})
    draft.forget(NAME_MAPPING, "mapping_id", {*unused})


def by_definition(mappings: tuple[tuple[MappingId, NameMapping], ...]) -> Mapping[NameMapping, MappingId]:
    """Return the local id of each new mapping."""
    return {mapping: mapping_id for mapping_id, mapping in mappings}
