"""The columns of a Parquet file, with DuckDB's types and their places in it."""

from __future__ import annotations

import json

import pyarrow as pa
import pyarrow.parquet as pq

from forklake.files.parquet.footer import FIELD_ID_KEY, is_variant, leaf_count, leaf_type
from forklake.model import types
from forklake.model.lazy_dataclass import dataclass
from forklake.model.types import Type


@dataclass(frozen=True, slots=True)
class HeldColumn:
    """A column of a file, or a part of one.

    Attributes:
        kind: The type; its name for types that no table has, and for nested ones: ``STRUCT``, ``LIST``, ``MAP``.
        place: The number of the first column with values in it.
        field_id: The field id in the file, if it has one.
        is_required: Whether the file cannot hold NULL there.
    """

    name: str
    kind: Type | str
    place: int
    field_id: int | None
    is_required: bool
    children: tuple[HeldColumn, ...] = ()

    @property
    def type_name(self) -> str:
        """The name of the type in messages."""
        return self.kind if isinstance(self.kind, str) else self.kind.sql_name


def held_columns(metadata: pq.FileMetaData) -> tuple[HeldColumn, ...]:
    """Return the columns of a file."""
    found, place = [], 0
    for field in metadata.schema.to_arrow_schema():
        found.append(_column(metadata, field, place))
        place += leaf_count(field.type)
    return tuple(found)


def _column(metadata: pq.FileMetaData, field: pa.Field, place: int) -> HeldColumn:
    kind = field.type.storage_type if isinstance(field.type, pa.BaseExtensionType) else field.type
    given = int((field.metadata or {}).get(FIELD_ID_KEY, -1))
    own = (place, given if given >= 0 else None, not field.nullable)
    if is_variant(kind):
        return HeldColumn(field.name, types.VARIANT, *own)
    if not kind.num_fields:
        return HeldColumn(field.name, _leaf(metadata.schema.column(place)), *own)
    if pa.types.is_map(kind):
        family, parts = "MAP", [kind.key_field, kind.item_field]
    elif pa.types.is_struct(kind):
        family, parts = "STRUCT", list(kind)
    else:
        family, parts = "LIST", [kind.value_field]
    children = []
    for part in parts:
        children.append(_column(metadata, part, place))
        place += leaf_count(part.type)
    return HeldColumn(field.name, family, *own, tuple(children))


def _leaf(leaf: pq.ColumnSchema) -> Type | str:
    """Return the type that DuckDB gives a column, or the name of one no table has.

    It knows times in microseconds and milliseconds only, whatever zone they claim, and no floats of two bytes.
    """
    details = json.loads(leaf.logical_type.to_json())
    kind = leaf_type(leaf)
    if details["Type"] == "Time":
        return "TIME_NS" if details["timeUnit"] == "nanoseconds" else types.TIME
    if details["Type"] == "Float16":
        return "FLOAT16"
    if kind == types.TIMESTAMPTZ and details.get("is_from_converted_type"):
        return types.TIMESTAMP
    return kind
