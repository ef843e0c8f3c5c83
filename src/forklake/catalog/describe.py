"""Turns metadata rows into the records that users see."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Final

from forklake.catalog import lookup
from forklake.catalog.places import Places, owner_of
from forklake.catalog.state import Content
from forklake.catalog.stored_defaults import default_of
from forklake.catalog.table_files import partition_values, read_bound, table_files
from forklake.metastore.store import Store
from forklake.metastore.written_tables import (
    COLUMN_TAG,
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
from forklake.model.built_in_names import BUILT_IN_NAMES
from forklake.model.definitions import MacroImplementation, MacroParameter, PartitionField, SortKey
from forklake.model.ids import ColumnId, SchemaId, TableId
from forklake.model.names import fold
from forklake.model.records import Column, DataFile, DeleteFile, InlinedRow, Macro, View
from forklake.model.rows import ColumnRow, DeleteFileRow, MacroRow, TableRow, ViewRow

_KINDS: Final = frozenset({"unknown", "expression", "literal"})
"""Kinds of defaults of macros whose type is not stored."""


def columns(content: Content, table_id: TableId) -> tuple[Column, ...]:
    """Return the columns of a table, each with its tags and nested fields."""
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
            default=default_of(row)[0],
            default_is_expression=default_of(row)[1],
            children=_column_tree(rows, tags, row.column_id),
            tags=tags.get(row.column_id, {}),
            trusted=row.trusted is True or row.default_value_type != "expression",
        )
        for row in rows
        if row.parent_column == parent
    )


def object_tags(content: Content, object_id: int) -> dict[str, str]:
    """Return the tags of a table or view."""
    return {tag.key: tag.value or "" for tag in content.rows(TAG, {"object_id": object_id})}


def view(content: Content, row: ViewRow, schema_name: str) -> View:
    """Return a view as users see it."""
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
        trusted=row.trusted is True,
    )


def macro_overloads(content: Content, schema_id: SchemaId, parts: tuple[str, ...]) -> tuple[MacroImplementation, ...]:
    """Return the overloads of a macro that a text in a schema calls.

    None if there is no such macro. The name may have a schema before it; without one it is of this schema, or else
    of ``main``. One that is marked takes the name of no built-in function.
    """
    is_built_in = len(parts) == 1 and fold(parts[0]) in BUILT_IN_NAMES
    of = parts[0] if len(parts) == 2 else "main"
    schemas = [schema_id] if len(parts) == 1 else []
    named = lookup.find_schema(content, of) if len(parts) <= 2 else None
    for schema in [*schemas, *([] if named is None else [named.schema_id])]:
        row = lookup.find_macro(content, schema, parts[-1])
        if row is not None:
            found = macro(content, row, of).implementations
            return tuple(one for one in found if one.trusted or not is_built_in)
    return ()


def macro(content: Content, row: MacroRow, schema_name: str) -> Macro:
    """Return a macro as users see it."""
    parameters: dict[int, list[MacroParameter]] = {}
    marked: set[int] = set()
    for parameter in content.following(MACRO_PARAMETERS, [row]):
        if parameter.trusted is not True:
            marked.add(parameter.impl_id)
        parameters.setdefault(parameter.impl_id, []).append(
            MacroParameter(
                parameter.parameter_name,
                None if parameter.parameter_type == "unknown" else parameter.parameter_type,
                None if parameter.default_value_type == "unknown" else parameter.default_value,
                parameter.default_value_type == "expression",
                None if parameter.default_value_type in _KINDS else parameter.default_value_type,
            )
        )
    implementations = tuple(
        MacroImplementation(
            impl.sql,
            tuple(parameters.get(impl.impl_id, ())),
            "table" if impl.type == "table" else "scalar",
            impl.dialect,
            trusted=impl.trusted is True and impl.impl_id not in marked,
        )
        for impl in content.following(MACRO_IMPL, [row])
    )
    return Macro(row.macro_id, schema_name, row.macro_name, implementations[0].type, implementations)


def partitioning(content: Content, table_id: TableId) -> tuple[PartitionField, ...]:
    """Return the keys by which new files of a table are partitioned."""
    names = {row.column_id: row.column_name for row in lookup.columns(content, table_id)}
    keys = content.following(PARTITION_COLUMN, content.rows(PARTITION_INFO, {"table_id": table_id}))
    ordered = sorted(keys, key=lambda key: key.partition_key_index)
    return tuple(PartitionField(names[key.column_id], key.transform) for key in ordered)


def sorting(content: Content, table_id: TableId) -> tuple[SortKey, ...]:
    """Return the keys by which new files of a table are sorted."""
    keys = content.following(SORT_EXPRESSION, content.rows(SORT_INFO, {"table_id": table_id}))
    return tuple(
        SortKey(
            key.expression,
            "DESC" if key.sort_direction == "DESC" else "ASC",
            "NULLS_FIRST" if key.null_order == "NULLS_FIRST" else "NULLS_LAST",
            key.dialect,
            trusted=key.trusted is True,
        )
        for key in sorted(keys, key=lambda key: key.sort_key_index)
    )


def inlined_rows(content: Content, table_id: TableId) -> list[InlinedRow]:
    """Return the inlined rows of a table, with its current columns.

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
    """Return the data files of a table with their deletes, in the order of addition."""
    files = table_files(content, table.table_id)
    values = partition_values(content, files.data)
    places = Places(store, lake_path, content, table, (*files.data, *files.deletes.values()))
    version = content.version

    def describe_deletes(row: DeleteFileRow) -> DeleteFile:
        path, upto = places.path(row), read_bound(row, version)
        return DeleteFile(row.delete_file_id, path, row.delete_count, row.file_size_bytes, upto)

    return [
        DataFile(
            data_file_id=row.data_file_id,
            path=places.path(row),
            record_count=row.record_count,
            file_size_bytes=row.file_size_bytes,
            row_id_start=row.row_id_start,
            owner_id=owner_of(row, version.catalog_id),
            read_upto=read_bound(row, version),
            partial_max=row.partial_max,
            delete_file=describe_deletes(files.deletes[row.data_file_id])
            if row.data_file_id in files.deletes
            else None,
            inlined_deletes=files.inlined_deletes.get(row.data_file_id, ()),
            partition_values=values.get(row.data_file_id, ()),
            mapping_id=row.mapping_id,
        )
        for row in files.data
    ]
