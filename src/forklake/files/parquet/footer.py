"""Footers of Parquet files: their columns, and which table columns these are."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Any, Final

import pyarrow as pa
import pyarrow.parquet as pq

from forklake.errors import DataFileError
from forklake.files.access import storage
from forklake.files.access.keyring import Credential, credential_for
from forklake.files.access.keys import decrypting
from forklake.files.access.threads import FileThreads
from forklake.model import types
from forklake.model.field import Field
from forklake.model.ids import ColumnId, DataFileId
from forklake.model.lazy_dataclass import dataclass
from forklake.model.names import fold
from forklake.model.scan import ROW_ID_COLUMN, SNAPSHOT_ID_COLUMN, MappedField, ScanFile
from forklake.model.types import Type

FIELD_ID_KEY: Final = b"PARQUET:field_id"
TRAILER_SIZE: Final = 8
"""Bytes behind the footer: its size, and the magic."""
_TAIL_SIZE: Final = 1 << 16
"""What is read of a file at first: most footers are shorter."""
_MAGICS: Final = (b"PAR1", b"PARE")

_CACHED_FOOTERS: Final = 4096
_READERS: Final = 16
_PHYSICAL: Final[dict[str, Type]] = {
    "BOOLEAN": types.BOOLEAN,
    "INT32": types.INT32,
    "INT64": types.INT64,
    "INT96": types.TIMESTAMP,
    "FLOAT": types.FLOAT32,
    "DOUBLE": types.FLOAT64,
    "BYTE_ARRAY": types.BLOB,
    "FIXED_LEN_BYTE_ARRAY": types.BLOB,
}
_LOGICAL: Final[dict[str, Type]] = {
    "STRING": types.VARCHAR,
    "ENUM": types.VARCHAR,
    "JSON": types.JSON,
    "DATE": types.DATE,
    "UUID": types.UUID,
    "INTERVAL": types.INTERVAL,
    "FLOAT16": types.FLOAT32,
    "GEOMETRY": types.GEOMETRY,
    "GEOGRAPHY": types.GEOMETRY,
}
_TIMESTAMPS: Final[dict[str, Type]] = {
    "milliseconds": types.TIMESTAMP_MS,
    "microseconds": types.TIMESTAMP,
    "nanoseconds": types.TIMESTAMP_NS,
}
_VARIANT_PARTS: Final = frozenset({"metadata", "value", "typed_value"})


@dataclass(frozen=True, slots=True)
class Footer:
    """A Parquet file as its footer describes it.

    Attributes:
        fields: The columns with the names and types that they have in the file, without row lineage; a
            ``column_id`` is the field id in the file, None where it has none.
        has_row_ids: Whether each row carries its id in ``_ducklake_internal_row_id``.
        has_snapshot_ids: Whether each row carries its snapshot in ``_ducklake_internal_snapshot_id``.
        needs_arrow: Whether Spark cannot read a column as its type: times in other units than microseconds,
            timestamptz in nanoseconds, floats of two bytes, columns of the null type.
    """

    path: str
    row_count: int
    file_size_bytes: int
    footer_size: int
    fields: tuple[Field, ...]
    has_row_ids: bool = False
    has_snapshot_ids: bool = False
    needs_arrow: bool = False


def read_footer(path: str, encryption_key: str | None = None) -> Footer:
    """Return the footer of a file as it is now.

    Args:
        path: Absolute path or URL.
        encryption_key: In base64, as the metadata keeps it.

    Raises:
        DataFileError: The file is missing, is no Parquet file, or the key does not fit.
    """
    return footer_of(path, *read_metadata(path, encryption_key))


def known_footer(file: ScanFile) -> Footer:
    """Return the footer of a data file; recently used footers are cached.

    Data files never change, so a footer is read once per process while it is in use. A file that was adopted may be
    replaced by another one, which is adopted anew: it has another id then.

    Raises:
        DataFileError: As `read_footer`.
    """
    if file.data_file_id < 0:
        return read_footer(file.path, file.encryption_key)  # other transactions give such an id to others
    return _kept_footer(
        file.path, file.encryption_key, file.data_file_id, file.file_size_bytes, credential_for(file.path)
    )


def known_footers(files: Sequence[ScanFile]) -> list[Footer]:
    """Return the footers of many data files, read at the same time, in order.

    Raises:
        DataFileError: As `read_footer`.
    """
    if len(files) < 2:
        return list(map(known_footer, files))
    with FileThreads(max_workers=min(_READERS, len(files))) as threads:
        return list(threads.map(known_footer, files))


def read_metadata(path: str, encryption_key: str | None = None) -> tuple[pq.FileMetaData, int, int]:
    """Return PyArrow's form of a footer, and the bytes of the file and its footer.

    Raises:
        DataFileError: As `read_footer`.
    """
    properties = decrypting(path, encryption_key)
    tail, byte_count = read_tail(path)
    footer_size = int.from_bytes(tail[-TRAILER_SIZE:-4], "little")
    # What `ParquetFile` does beside, for reading columns by their names, takes as long again.
    reader = pq.ParquetReader()
    try:
        reader.open(pa.BufferReader(tail), decryption_properties=properties)
    except (OSError, ValueError, pa.ArrowException) as error:
        raise damage_error(path, encryption_key, error) from error
    return reader.metadata, byte_count, footer_size


def read_tail(path: str) -> tuple[bytes, int]:
    """Return the end of a file, with all of its footer, and how many bytes it has.

    Raises:
        DataFileError: It is missing or cannot be read.
    """
    tail, byte_count = storage.read_end(path, _TAIL_SIZE)
    footer_size = int.from_bytes(tail[-TRAILER_SIZE:-4], "little")
    if tail[-4:] in _MAGICS and footer_size + TRAILER_SIZE > len(tail):
        return storage.read_end(path, footer_size + TRAILER_SIZE)
    return tail, byte_count


def resolve_fields(
    footer: Footer, table_fields: Sequence[Field], mapping: Sequence[MappedField] | None = None
) -> tuple[Field, ...]:
    """Return the columns of a file with the ids of the table's columns.

    A column that is none of the table's has the id None. Columns are found by the mapping if there is one, else
    by field ids if the file has any, else by position.
    """
    if mapping is not None:
        return _by_name(footer.fields, table_fields, mapping)
    if any(field.column_id is not None for field in _all(footer.fields)):
        return _by_id(footer.fields, table_fields)
    return _by_position(footer.fields, table_fields)


def footer_of(path: str, metadata: pq.FileMetaData, byte_count: int, footer_size: int) -> Footer:
    """Return the footer of a file, given what `read_metadata` returns.

    Raises:
        DataFileError: A column cannot be read.
    """
    try:
        schema = metadata.schema.to_arrow_schema()
        leaves = [metadata.schema.column(place) for place in range(len(metadata.schema))]
        names = {field.name for field in schema}
        rest = iter(leaves)
        fields = [_field(field, rest) for field in schema]
    except (pa.ArrowException, ValueError, OSError) as error:
        raise DataFileError(f'File "{path}" has columns that cannot be read: {error}') from error
    geometries = _geometries(metadata)
    return Footer(
        path=path,
        row_count=metadata.num_rows,
        file_size_bytes=byte_count,
        footer_size=footer_size,
        fields=tuple(
            replace(field, type=types.GEOMETRY) if field.name in geometries and field.type == types.BLOB else field
            for field in fields
            if field.name not in (ROW_ID_COLUMN, SNAPSHOT_ID_COLUMN)
        ),
        has_row_ids=ROW_ID_COLUMN in names,
        has_snapshot_ids=SNAPSHOT_ID_COLUMN in names,
        needs_arrow=any(map(_is_odd, leaves)),
    )


@lru_cache(maxsize=_CACHED_FOOTERS)
def _kept_footer(
    path: str, encryption_key: str | None, _file: DataFileId, _byte_count: int, _credential: Credential | None
) -> Footer:
    """Return a footer; what was read with one credential is not kept for another."""
    return read_footer(path, encryption_key)


def damage_error(path: str, encryption_key: str | None, error: Exception) -> DataFileError:
    """Return the error for an existing file that PyArrow cannot read."""
    text = str(error).splitlines()[0] if str(error) else type(error).__name__
    if encryption_key is None and ("encrypt" in text.lower() or "decrypt" in text.lower()):
        return DataFileError(f'File "{path}" is encrypted, and the metadata has no key for it.')
    if encryption_key is not None:
        return DataFileError(
            f'File "{path}" cannot be decrypted with the key that the metadata has: {text}',
            hint="Files that DuckDB itself encrypted cannot be read here: it leaves out a part of the standard.",
        )
    return DataFileError(f'File "{path}" is damaged or no Parquet file: {text}')


def _geometries(metadata: pq.FileMetaData) -> frozenset[str]:
    """Return the columns that are geometries by GeoParquet's metadata.

    The schema shows them as blobs.
    """
    try:
        geo = json.loads((metadata.metadata or {}).get(b"geo", b"{}"))
        return frozenset(geo.get("columns", {}))
    except (ValueError, AttributeError):
        return frozenset()


# ---- what the file holds -------------------------------------------------------------------------------------------


def _field(field: pa.Field, leaves: Iterator[Any]) -> Field:
    """Return a column of a file.

    The leaves of Arrow's schema come in the order of Parquet's, which knows their types exactly.
    """
    kind = field.type.storage_type if isinstance(field.type, pa.BaseExtensionType) else field.type
    given = int((field.metadata or {}).get(FIELD_ID_KEY, -1))
    column_id = ColumnId(given) if given >= 0 else None
    return Field(column_id, field.name, _type(kind, leaves), nulls_allowed=field.nullable)


def _type(kind: pa.DataType, leaves: Iterator[Any]) -> Type:
    if is_variant(kind):
        for _ in range(leaf_count(kind)):
            next(leaves)
        return types.VARIANT
    if pa.types.is_struct(kind):
        return types.Struct(tuple(_field(part, leaves) for part in kind))
    if pa.types.is_map(kind):
        return types.Map(_field(kind.key_field, leaves), _field(kind.item_field, leaves))
    if hasattr(kind, "value_field"):
        return types.List(_field(kind.value_field, leaves))
    return leaf_type(next(leaves))


def is_variant(kind: pa.DataType) -> bool:
    """Return whether a group of Parquet columns is a variant.

    PyArrow hides the annotation, but only a variant requires its metadata.
    """
    if not pa.types.is_struct(kind) or not {field.name for field in kind} <= _VARIANT_PARTS:
        return False
    place = kind.get_field_index("metadata")
    return place >= 0 and not kind.field(place).nullable and pa.types.is_binary(kind.field(place).type)


def leaf_count(kind: pa.DataType) -> int:
    """Return how many columns of a Parquet file a column of a type takes."""
    kind = kind.storage_type if isinstance(kind, pa.BaseExtensionType) else kind
    return sum(leaf_count(kind.field(place).type) for place in range(kind.num_fields)) if kind.num_fields else 1


def leaf_type(leaf: pq.ColumnSchema) -> Type:
    """Return the type that a file holds values as."""
    logical = leaf.logical_type.type
    details: Mapping[str, Any] = json.loads(leaf.logical_type.to_json())
    adjusted = details.get("isAdjustedToUTC", False)
    if logical == "INT":
        return types.Integer(details["bitWidth"], details["isSigned"])
    if logical == "DECIMAL":
        return types.Decimal(leaf.precision, leaf.scale)
    if logical == "TIME":
        return types.TIMETZ if adjusted else types.TIME
    if logical == "TIMESTAMP":
        return types.TIMESTAMPTZ if adjusted else _TIMESTAMPS[details["timeUnit"]]
    if leaf.converted_type == "INTERVAL":
        return types.INTERVAL
    return _LOGICAL.get(logical) or _PHYSICAL[leaf.physical_type]


def _is_odd(leaf: pq.ColumnSchema) -> bool:
    details: Mapping[str, Any] = json.loads(leaf.logical_type.to_json())
    unit = details.get("timeUnit")
    return (
        (details["Type"] == "Time" and unit != "microseconds")
        or (details["Type"] == "Timestamp" and details["isAdjustedToUTC"] and unit == "nanoseconds")
        or details["Type"] in ("Float16", "Null")
    )


# ---- which columns of the table they are ---------------------------------------------------------------------------


def _all(fields: Sequence[Field]) -> Iterator[Field]:
    for field in fields:
        yield field
        yield from _all(field.children)


def _by_name(
    fields: Sequence[Field], table_fields: Sequence[Field], mapping: Sequence[MappedField]
) -> tuple[Field, ...]:
    exact = {part.source_name: part for part in mapping if not part.is_partition}
    folded = {fold(name): part for name, part in exact.items()}
    known = {field.column_id: field for field in table_fields}
    found = []
    for field in fields:
        part = exact.get(field.name) or folded.get(fold(field.name))
        if part is None:
            found.append(_unknown(field))
            continue
        target = known.get(part.column_id)
        below = target.children if target else ()
        if isinstance(field.type, types.List | types.Map):
            # What is in a list or map has one place each; its name differs between writers.
            children = _in_order(field.children, below, part.children)
        else:
            children = _by_name(field.children, below, part.children)
        found.append(replace(field.with_children(children), column_id=part.column_id))
    return tuple(found)


def _in_order(
    fields: Sequence[Field], table_fields: Sequence[Field], mapping: Sequence[MappedField]
) -> tuple[Field, ...]:
    if len(mapping) != len(fields):
        return _by_position(fields, table_fields)
    renamed = [replace(part, source_name=field.name) for field, part in zip(fields, mapping, strict=True)]
    return _by_name(fields, table_fields, renamed)


def _by_id(fields: Sequence[Field], table_fields: Sequence[Field]) -> tuple[Field, ...]:
    """Keep the field ids that the table knows.

    Parts of lists and maps may have none; they are found by position.
    """
    known = {field.column_id: field for field in table_fields}
    found = []
    for field in fields:
        target = known.get(field.column_id) if field.column_id is not None else None
        if target is None:
            found.append(_unknown(field))
        elif isinstance(field.type, types.List | types.Map) and all(part.column_id is None for part in field.children):
            pairs = zip(field.children, target.children, strict=False)
            numbered = [replace(part, column_id=below.column_id) for part, below in pairs]
            found.append(field.with_children(_by_id(numbered, target.children)))
        else:
            found.append(field.with_children(_by_id(field.children, target.children)))
    return tuple(found)


def _by_position(fields: Sequence[Field], table_fields: Sequence[Field]) -> tuple[Field, ...]:
    found = []
    for place, field in enumerate(fields):
        if place < len(table_fields):
            target = table_fields[place]
            children = _by_position(field.children, target.children)
            found.append(replace(field.with_children(children), column_id=target.column_id))
        else:
            found.append(_unknown(field))
    return tuple(found)


def _unknown(field: Field) -> Field:
    return replace(field.with_children(tuple(_unknown(child) for child in field.children)), column_id=None)
