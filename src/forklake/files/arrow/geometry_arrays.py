"""Geometries in Arrow: binary with a name that DuckDB knows them by."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import pyarrow as pa

from forklake.files.arrow.nesting import type_of_parts, types_of_parts
from forklake.model import types
from forklake.model.field import Field

_EXTENSION: Final = {b"ARROW:extension:name": b"geoarrow.wkb", b"ARROW:extension:metadata": b"{}"}


def mark_geometries(rows: pa.Table, fields: Sequence[Field]) -> pa.Table:
    """Return rows whose geometries, nested ones too, are named so."""
    if not any(map(_is_one, fields)):
        return rows
    schema = pa.schema([_mark(*pair) for pair in zip(rows.schema, fields, strict=True)])
    return pa.Table.from_arrays(rows.columns, schema=schema)


def holds_geometry(column: pa.Field) -> bool:
    """Return whether a column of Arrow is named as a geometry, or a part of it is."""
    own = (column.metadata or {}).get(b"ARROW:extension:name")
    return own == _EXTENSION[b"ARROW:extension:name"] or any(map(holds_geometry, types_of_parts(column.type)))


def _is_one(field: Field) -> bool:
    return field.type == types.GEOMETRY or any(map(_is_one, field.children))


def _mark(column: pa.Field, field: Field) -> pa.Field:
    if field.type == types.GEOMETRY:
        return column.with_metadata({**(column.metadata or {}), **_EXTENSION})
    if not _is_one(field):
        return column
    parts = [_mark(*pair) for pair in zip(types_of_parts(column.type), field.children, strict=True)]
    return column.with_type(type_of_parts(column.type, parts))
