"""Rows turned into what users are shown."""

from __future__ import annotations

from collections.abc import Mapping

from forklake.catalog import lookup
from forklake.catalog.paths import join
from forklake.catalog.view import Content
from forklake.metastore.store import Store
from forklake.metastore.tables import DATA_FILE, DELETE_FILE
from forklake.model.ids import CatalogId, ColumnId, SnapshotId
from forklake.model.records import Column, DataFile, DeleteFile
from forklake.model.rows import ColumnRow, DataFileRow, DeleteFileRow, Row, TableRow
from forklake.model.version import Version


def column_tree(rows: list[ColumnRow], parent: ColumnId | None = None) -> tuple[Column, ...]:
    """Return the columns below a parent, each with what is nested in it."""
    return tuple(
        Column(
            column_id=row.column_id,
            name=row.column_name,
            type=row.column_type,
            nulls_allowed=row.nulls_allowed,
            default=None if row.default_value == "NULL" else row.default_value,
            children=column_tree(rows, row.column_id),
        )
        for row in rows
        if row.parent_column == parent
    )


def data_files(store: Store, lake_path: str | None, content: Content, table: TableRow) -> list[DataFile]:
    """Return the data files of a table in the order they were added, each with its delete file."""
    # Local ids count downwards, and come after all that is committed.
    rows = sorted(
        content.rows(DATA_FILE, {"table_id": table.table_id}),
        key=lambda row: (row.data_file_id < 0, abs(row.data_file_id)),
    )
    deletes = {row.data_file_id: row for row in content.rows(DELETE_FILE, {"table_id": table.table_id})}
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
        )
        for row in rows
    ]


def catalog_directories(store: Store, lake_path: str | None, catalogs: set[CatalogId]) -> Mapping[CatalogId, str]:
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
