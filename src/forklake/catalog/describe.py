"""Rows turned into what users are shown."""

from __future__ import annotations

import json
from collections.abc import Mapping

from forklake.catalog import lookup
from forklake.catalog.paths import join
from forklake.catalog.view import Content
from forklake.metastore.store import Session, Store
from forklake.metastore.tables import (
    COLUMN_TAG,
    DATA_FILE,
    DELETE_FILE,
    FILE_PARTITION_VALUE,
    INLINED_DELETE,
    INLINED_ROW,
    MACRO_IMPL,
    MACRO_PARAMETERS,
    PARTITION_COLUMN,
    PARTITION_INFO,
    SORT_EXPRESSION,
    SORT_INFO,
    TAG,
    VIEW_COLUMN_TAG,
)
from forklake.model.aliases import parse_aliases
from forklake.model.definitions import MacroImplementation, MacroParameter, PartitionField, SortKey
from forklake.model.ids import CatalogId, ColumnId, DataFileId, SnapshotId, TableId
from forklake.model.records import Column, DataFile, DeleteFile, InlinedRow, Macro, View
from forklake.model.rows import ColumnRow, DataFileRow, DeleteFileRow, MacroRow, Row, TableRow, ViewRow
from forklake.model.version import Version


def columns(content: Content, table_id: TableId) -> tuple[Column, ...]:
    """Return the columns of a table, each with its tags and what is nested in it."""
    tags: dict[ColumnId, dict[str, str]] = {}
    for tag in content.rows(COLUMN_TAG, {"table_id": table_id}):
        tags.setdefault(tag.column_id, {})[tag.key] = tag.value or ""
    return _column_tree(lookup.columns(content, table_id), tags, None)


def _column_tree(
    rows: list[ColumnRow], tags: Mapping[ColumnId, Mapping[str, str]], parent: ColumnId | None
) -> tuple[Column, ...]:
    return tuple(
        Column(
            column_id=row.column_id,
            name=row.column_name,
            type=row.column_type,
            nulls_allowed=row.nulls_allowed,
            default=None if row.default_value == "NULL" else row.default_value,
            default_is_expression=row.default_value_type == "expression",
            children=_column_tree(rows, tags, row.column_id),
            tags=tags.get(row.column_id, {}),
        )
        for row in rows
        if row.parent_column == parent
    )


def object_tags(content: Content, object_id: int) -> dict[str, str]:
    """Return the tags of a table or view."""
    return {tag.key: tag.value or "" for tag in content.rows(TAG, {"object_id": object_id})}


def view(content: Content, row: ViewRow, schema_name: str) -> View:
    """Return what is known of a view."""
    column_tags: dict[str, dict[str, str]] = {}
    for tag in content.rows(VIEW_COLUMN_TAG, {"view_id": row.view_id}):
        column_tags.setdefault(tag.column_name, {})[tag.key] = tag.value or ""
    return View(
        view_id=row.view_id,
        schema_name=schema_name,
        name=row.view_name,
        uuid=row.view_uuid,
        sql=row.sql,
        dialect=row.dialect,
        column_aliases=parse_aliases(row.column_aliases),
        tags=object_tags(content, row.view_id),
        column_tags=column_tags,
    )


def macro(content: Content, row: MacroRow, schema_name: str) -> Macro:
    """Return what is known of a macro."""
    parameters: dict[int, list[MacroParameter]] = {}
    for parameter in content.following(MACRO_PARAMETERS, [row]):
        parameters.setdefault(parameter.impl_id, []).append(
            MacroParameter(
                parameter.parameter_name,
                None if parameter.parameter_type == "unknown" else parameter.parameter_type,
                None if parameter.default_value_type == "unknown" else parameter.default_value,
                parameter.default_value_type == "expression",
            )
        )
    implementations = tuple(
        MacroImplementation(
            impl.sql,
            tuple(parameters.get(impl.impl_id, ())),
            "table" if impl.type == "table" else "scalar",
            impl.dialect,
        )
        for impl in content.following(MACRO_IMPL, [row])
    )
    return Macro(row.macro_id, schema_name, row.macro_name, implementations[0].type, implementations)


def partitioning(content: Content, table_id: TableId) -> tuple[PartitionField, ...]:
    """Return the keys that new files of a table are partitioned by."""
    names = {row.column_id: row.column_name for row in lookup.columns(content, table_id)}
    keys = content.following(PARTITION_COLUMN, content.rows(PARTITION_INFO, {"table_id": table_id}))
    ordered = sorted(keys, key=lambda key: key.partition_key_index)
    return tuple(PartitionField(names[key.column_id], key.transform) for key in ordered)


def sorting(content: Content, table_id: TableId) -> tuple[SortKey, ...]:
    """Return the keys that new files of a table are sorted by."""
    keys = content.following(SORT_EXPRESSION, content.rows(SORT_INFO, {"table_id": table_id}))
    return tuple(
        SortKey(
            key.expression,
            "DESC" if key.sort_direction == "DESC" else "ASC",
            "NULLS_FIRST" if key.null_order == "NULLS_FIRST" else "NULLS_LAST",
            key.dialect,
        )
        for key in sorted(keys, key=lambda key: key.sort_key_index)
    )


def inlined_rows(content: Content, table_id: TableId) -> list[InlinedRow]:
    """Return the rows of a table that are kept in the metadata, by the columns that it has now.

    A column that is younger than a row has its initial default there.
    """
    top = [row for row in lookup.columns(content, table_id) if row.parent_column is None]
    found = sorted(content.rows(INLINED_ROW, {"table_id": table_id}), key=lambda row: row.row_id)
    rows = []
    for row in found:
        values = json.loads(row.document)
        shown = {column.column_name: values.get(str(column.column_id), column.initial_default) for column in top}
        rows.append(InlinedRow(row.row_id, shown))
    return rows


def data_files(store: Store, lake_path: str | None, content: Content, table: TableRow) -> list[DataFile]:
    """Return the data files of a table in the order they were added, each with what is deleted of it."""
    # Local ids count downwards, and come after all that is committed.
    of_table = {"table_id": table.table_id}
    rows = sorted(content.rows(DATA_FILE, of_table), key=lambda row: (row.data_file_id < 0, abs(row.data_file_id)))
    deletes = {row.data_file_id: row for row in content.rows(DELETE_FILE, of_table)}
    inlined: dict[DataFileId, list[int]] = {}
    for deleted in content.rows(INLINED_DELETE, of_table):
        inlined.setdefault(deleted.data_file_id, []).append(deleted.row_id)
    values = _partition_values(content, [row for row in rows if row.partition_id is not None])
    schema = lookup.schema_by_id(content, table.schema_id)
    below = ((schema.path, schema.path_is_relative), (table.path, table.path_is_relative))
    version = content.version
    owners = {_owner(row, version.catalog_id) for row in (*rows, *deletes.values())}
    roots = catalog_directories(store, lake_path, owners)

    def place(row: DataFileRow | DeleteFileRow) -> str:
        root = roots[_owner(row, version.catalog_id)]
        return join((root, False), *below, (row.path, row.path_is_relative))

    def shown(row: DeleteFileRow) -> DeleteFile:
        return DeleteFile(row.delete_file_id, place(row), row.delete_count, row.file_size_bytes, _bound(row, version))

    return [
        DataFile(
            data_file_id=row.data_file_id,
            path=place(row),
            record_count=row.record_count,
            file_size_bytes=row.file_size_bytes,
            row_id_start=row.row_id_start,
            owner_id=_owner(row, version.catalog_id),
            read_upto=_bound(row, version),
            partial_max=row.partial_max,
            delete_file=shown(deletes[row.data_file_id]) if row.data_file_id in deletes else None,
            inlined_deletes=tuple(sorted(inlined.get(row.data_file_id, ()))),
            partition_values=values.get(row.data_file_id, ()),
            mapping_id=row.mapping_id,
        )
        for row in rows
    ]


def _partition_values(content: Content, files: list[DataFileRow]) -> dict[DataFileId, tuple[str | None, ...]]:
    values: dict[DataFileId, dict[int, str | None]] = {}
    for row in content.following(FILE_PARTITION_VALUE, files) if files else ():
        values.setdefault(row.data_file_id, {})[row.partition_key_index] = row.partition_value
    return {file: tuple(keys[index] for index in sorted(keys)) for file, keys in values.items()}


def catalog_directories(
    store: Store | Session, lake_path: str | None, catalogs: set[CatalogId]
) -> Mapping[CatalogId, str]:
    """Return the directory of each catalog, dropped and purged ones too."""
    if not catalogs:
        return {}
    found = store.query(
        "SELECT catalog_id, path, path_is_relative FROM forklake.ducklake_catalog WHERE catalog_id IN (:ids...)",
        ids=sorted(catalogs),
    )
    return {CatalogId(catalog): join((lake_path or "", False), (path, bool(rel))) for catalog, path, rel in found}


def _owner(row: Row, own: CatalogId) -> CatalogId:
    return own if row.origin is None else row.origin.owner


def _bound(row: DataFileRow | DeleteFileRow, version: Version) -> SnapshotId:
    bound = version.snapshot_id if row.origin is None else row.origin.bound
    return bound if row.read_upto is None else min(bound, row.read_upto)
