"""Column statistics of a file, from its footer, as DuckLake records them.

They are bounds as text, and counts of NULLs and NaNs. A recorded bound holds for every value of the file;
what a footer does not say is unknown. If one row group has no statistics of a column, nothing is known of
the column.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, Final
from uuid import UUID

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from forklake.files.footer import is_variant, leaf_count, leaf_type
from forklake.files.moments import INFINITE_MOMENT, UNIT_NANOS, format_date, format_time, format_timestamp
from forklake.files.numerals import EXACT, format_decimal, format_double, format_float
from forklake.model import types
from forklake.model.definitions import ColumnStats
from forklake.model.field import Field
from forklake.model.types import Type, Unit

_UNITS: Final[dict[str, Unit]] = {"milliseconds": "ms", "microseconds": "us", "nanoseconds": "ns"}
_EXACT_WRITERS: Final = ("parquet-cpp-arrow", "parquet-mr", "DuckDB")
"""Writers that leave out a long bound; others may cut it short, and PyArrow hides the flag that says so."""

_CUT_FROM: Final = 16
_NAN_SHOWING_WRITERS: Final = ("parquet-mr", "DuckDB")
"""Writers whose bounds tell of a NaN: parquet-mr's are NaN then, DuckDB's are left out."""


Leaf = tuple[str, Field, int]
"""A field that holds values: its dotted name in the table, the field, and its place among a file's columns."""


@dataclass(frozen=True, slots=True)
class StoredLeaf:
    """A column of files that holds values, with all that its schema says of them.

    Attributes:
        name: Its dotted name in the table.
        field: The column of the table.
        place: Its place among the columns of a file.
        held: The type that files hold.
        unit: The unit of times and timestamps in files.
        mask: What makes a stored number unsigned; None for others.
        is_bytes: Whether values are stored as bytes of any length.
    """

    name: str
    field: Field
    place: int
    held: Type
    unit: Unit | None
    mask: int | None
    is_bytes: bool


def stored_leaves(metadata: pq.FileMetaData, leaves: Iterable[Leaf]) -> list[StoredLeaf]:
    """Return columns with what the schema of a file says of them.

    It is the same for all files of the schema.
    """
    return [_stored_leaf(metadata.schema.column(place), name, field, place) for name, field, place in leaves]


def _stored_leaf(leaf: pq.ColumnSchema, name: str, field: Field, place: int) -> StoredLeaf:
    details = json.loads(leaf.logical_type.to_json())
    is_unsigned = details["Type"] == "Int" and not details["isSigned"]
    return StoredLeaf(
        name,
        field,
        place,
        leaf_type(leaf),
        _UNITS.get(details.get("timeUnit", "")),
        (2**32 - 1 if leaf.physical_type == "INT32" else 2**64 - 1) if is_unsigned else None,
        leaf.physical_type == "BYTE_ARRAY",
    )


def column_stats(
    metadata: pq.FileMetaData, fields: Sequence[Field], *, nan_counts: Mapping[str, int] | None = None
) -> dict[str, ColumnStats]:
    """Return statistics of the columns that hold values, by their dotted names.

    Args:
        metadata: The file's footer.
        fields: The columns of the table; those that the file lacks are left out.
        nan_counts: The number of NaNs, by the same names, if the writer counted them: PyArrow's footers do not
            tell.
    """
    return leaf_stats(metadata, stored_leaves(metadata, _leaves(metadata, fields)), nan_counts)


def leaf_stats(
    metadata: pq.FileMetaData, leaves: Iterable[StoredLeaf], nan_counts: Mapping[str, int] | None = None
) -> dict[str, ColumnStats]:
    """Return statistics of some columns by their names; otherwise as `column_stats`."""
    groups = [metadata.row_group(number) for number in range(metadata.num_row_groups)]
    created_by = metadata.created_by or ""
    return {
        leaf.name: _stats(
            [_Chunk.read(group.column(leaf.place)) for group in groups],
            leaf,
            created_by,
            None if nan_counts is None else nan_counts.get(leaf.name, 0),
        )
        for leaf in leaves
    }


def count_nans(batch: pa.RecordBatch, fields: Sequence[Field], counts: dict[str, int]) -> None:
    """Add the NaNs of some rows to the counts, by the names of `column_stats`."""
    for field in fields:
        if _has_floats(field):
            _count(batch.column(field.name), field, field.name, counts)


def _has_floats(field: Field) -> bool:
    return isinstance(field.type, types.Float) or any(_has_floats(child) for child in field.children)


def _count(values: pa.Array, field: Field, name: str, counts: dict[str, int]) -> None:
    if isinstance(field.type, types.Float):
        counts[name] = counts.get(name, 0) + (pc.sum(pc.is_nan(values)).as_py() or 0)
        return
    if isinstance(field.type, types.Map):
        values = values.cast(pa.list_(pa.struct([values.type.key_field, values.type.item_field])))
    # `flatten` leaves out what is hidden behind a NULL or outside of a slice.
    parts = values.flatten()
    if isinstance(field.type, types.List):
        parts = [parts]
    elif isinstance(field.type, types.Map):
        parts = parts.flatten()
    for child, part in zip(field.children, parts, strict=True):
        if _has_floats(child):
            _count(part, child, f"{name}.{child.name}", counts)


# ---- which column of the file holds a field ------------------------------------------------------------------------


def _leaves(metadata: pq.FileMetaData, fields: Sequence[Field]) -> Iterator[Leaf]:
    """Yield the fields that hold values, with their names and places in the file."""
    place = 0
    wanted = {field.name: field for field in fields}
    for held in metadata.schema.to_arrow_schema():
        if held.name in wanted:
            yield from _leaves_below(wanted[held.name], held, held.name, place)
        place += leaf_count(held.type)


def _leaves_below(field: Field, held: pa.Field, name: str, place: int) -> Iterator[Leaf]:
    kind = held.type.storage_type if isinstance(held.type, pa.BaseExtensionType) else held.type
    if is_variant(kind):
        return
    if not kind.num_fields:
        if not field.children:
            yield name, field, place
        return
    if pa.types.is_struct(kind) and isinstance(field.type, types.Struct):
        parts = [(next((child for child in field.children if child.name == part.name), None), part) for part in kind]
    elif pa.types.is_map(kind) and isinstance(field.type, types.Map):
        parts = list(zip(field.children, (kind.key_field, kind.item_field), strict=True))
    elif hasattr(kind, "value_field") and isinstance(field.type, types.List):
        parts = [(field.children[0], kind.value_field)]
    else:
        return
    for child, part in parts:
        if child is not None:
            yield from _leaves_below(child, part, f"{name}.{child.name}", place)
        place += leaf_count(part.type)


# ---- what is known of it -------------------------------------------------------------------------------------------


@dataclass(slots=True)
class _Chunk:
    """What a footer says of one column in one row group."""

    value_count: int
    null_count: int | None
    byte_count: int
    lowest: Any
    highest: Any
    has_bounds: bool

    @classmethod
    def read(cls, chunk: Any) -> _Chunk:
        known = chunk.statistics
        if known is None:
            return cls(chunk.num_values, None, chunk.total_compressed_size, None, None, has_bounds=False)
        has_bounds = known.has_min_max
        return cls(
            chunk.num_values,
            known.null_count if known.has_null_count else None,
            chunk.total_compressed_size,
            known.min_raw if has_bounds else None,
            known.max_raw if has_bounds else None,
            has_bounds,
        )


def _stats(chunks: Sequence[_Chunk], leaf: StoredLeaf, created_by: str, nan_count: int | None) -> ColumnStats:
    total = sum(chunk.value_count for chunk in chunks)
    null_count: int | None = 0
    for chunk in chunks:
        null_count = None if null_count is None or chunk.null_count is None else null_count + chunk.null_count
    # A group without values has no bounds, and needs none. (DuckDB counts NULLs of structs in lists twice.)
    filled = [chunk for chunk in chunks if chunk.value_count != chunk.null_count or chunk.has_bounds]
    lowest, highest = _raw_bounds(filled, leaf, created_by)
    contains_nan = _contains_nan(leaf.field, filled, (lowest, highest), created_by, nan_count)
    return ColumnStats(
        value_count=None if null_count is None else total - null_count,
        null_count=null_count,
        min_value=_text(leaf, lowest),
        max_value=_text(leaf, highest),
        contains_nan=contains_nan,
        column_size_bytes=sum(chunk.byte_count for chunk in chunks),
    )


def _raw_bounds(chunks: Sequence[_Chunk], leaf: StoredLeaf, created_by: str) -> tuple[Any, Any]:
    """Return the smallest and the largest value as stored.

    Each is None if unknown, and NaN if a bound is NaN.
    """
    if not chunks or not all(chunk.has_bounds for chunk in chunks):
        return None, None
    lows = [_comparable(leaf, chunk.lowest) for chunk in chunks]
    highs = [_comparable(leaf, chunk.highest) for chunk in chunks]
    lowest = math.nan if any(low != low for low in lows) else min(lows)  # noqa: PLR0124 - only NaN differs from itself
    highest = math.nan if any(high != high for high in highs) else max(highs)  # noqa: PLR0124
    if leaf.is_bytes and not created_by.startswith(_EXACT_WRITERS):
        lowest, highest = (None if isinstance(it, bytes) and len(it) >= _CUT_FROM else it for it in (lowest, highest))
    return lowest, highest


def _comparable(leaf: StoredLeaf, raw: Any) -> Any:
    """Return a stored value as one that sorts like the column's type."""
    if leaf.mask is not None:
        return raw & leaf.mask
    if isinstance(raw, bytes) and isinstance(leaf.held, types.Decimal):
        return int.from_bytes(raw, "big", signed=True)
    return raw


def _contains_nan(
    field: Field, chunks: Sequence[_Chunk], bounds: tuple[Any, Any], created_by: str, nan_count: int | None
) -> bool | None:
    if not isinstance(field.type, types.Float):
        return None
    if any(isinstance(bound, float) and math.isnan(bound) for bound in bounds):
        return True
    if nan_count is not None:
        return nan_count > 0
    if not chunks:
        return False
    return False if bounds[1] is not None and created_by.startswith(_NAN_SHOWING_WRITERS) else None


# ---- bounds as text ------------------------------------------------------------------------------------------------


def _text(leaf: StoredLeaf, raw: Any) -> str | None:
    """Return a bound as text of the table's type.

    None: DuckLake has no bound for the type, or the file holds another type.
    """
    if raw is None or (isinstance(raw, float) and math.isnan(raw)):
        return None
    kind = leaf.field.type
    match kind, leaf.held:
        case types.Boolean(), types.Boolean():
            return str(int(raw))
        case types.Integer(bits), types.Integer() if bits < 128:
            return str(raw)
        case types.Float(), types.Float():
            return _float(kind, raw)
        case types.Decimal(), types.Decimal() as held:
            return _decimal(kind, held, raw)
        case types.Varchar() | types.Json(), types.Varchar() | types.Json():
            return _string(raw)
        case types.Blob(), types.Blob():
            return str(raw.hex().upper())
        case types.Uuid(), types.Uuid():
            return str(UUID(bytes=raw))
        case types.Date(), types.Date():
            return format_date(raw)
        case types.TIME, types.TIME:
            moment = _moment("us", leaf, raw)
            return None if moment is None else format_time(moment)
        case types.Timestamp(unit, is_zoned), types.Timestamp(_, held_zoned) if is_zoned == held_zoned:
            target: Unit = "ns" if unit == "ns" else "us"
            moment = _moment(target, leaf, raw)
            return None if moment is None else format_timestamp(moment, target, has_zone=is_zoned)
    return None


def _string(raw: bytes) -> str | None:
    try:
        text = raw.decode("utf-8")
    except UnicodeDecodeError:
        return None
    return None if "\0" in text else text


def _float(kind: types.Float, raw: float) -> str:
    # Footers call zero -0.0 as a least value, whatever its sign; the two are equal.
    value = raw + 0.0 if raw else 0.0
    return format_float(value) if kind.bits == 32 else format_double(value)


def _decimal(kind: types.Decimal, held: types.Decimal, raw: int) -> str | None:
    if held.scale > kind.scale:
        return None
    return format_decimal(Decimal(raw).scaleb(-held.scale, EXACT), kind.precision, kind.scale)


def _moment(target: Unit, leaf: StoredLeaf, raw: Any) -> int | None:
    """Return a time or timestamp in another unit than the file's.

    None: it is not a whole number of that unit.
    """
    unit = leaf.unit
    if unit is None or not isinstance(raw, int):
        return None
    if abs(raw) == INFINITE_MOMENT:
        return raw
    moment, rest = divmod(raw * UNIT_NANOS[unit], UNIT_NANOS[target])
    return None if rest else moment
