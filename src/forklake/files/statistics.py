"""Column statistics of a file, from its footer, as DuckLake records them.

They are bounds as text, and counts of NULLs and NaNs. A recorded bound holds for every value of the file;
what a footer does not say is unknown. If one row group has no statistics of a column, nothing is known of
the column.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
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

_UNITS: Final = {"milliseconds": "ms", "microseconds": "us", "nanoseconds": "ns"}
_EXACT_WRITERS: Final = ("parquet-cpp-arrow", "parquet-mr", "DuckDB")
"""Writers that leave out a long bound; others may cut it short, and PyArrow hides the flag that says so."""

_CUT_FROM: Final = 16
_NAN_SHOWING_WRITERS: Final = ("parquet-mr", "DuckDB")
"""Writers whose bounds tell of a NaN: parquet-mr's are NaN then, DuckDB's are left out."""


Leaf = tuple[str, Field, int]
"""A field that holds values: its dotted name in the table, the field, and its place among a file's columns."""


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
    return leaf_stats(metadata, _leaves(metadata, fields), nan_counts)


def leaf_stats(
    metadata: pq.FileMetaData, leaves: Iterable[Leaf], nan_counts: Mapping[str, int] | None = None
) -> dict[str, ColumnStats]:
    """Return statistics of some columns by their names; otherwise as `column_stats`."""
    return {
        name: _stats(metadata, place, field, None if nan_counts is None else nan_counts.get(name, 0))
        for name, field, place in leaves
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


def _stats(metadata: pq.FileMetaData, place: int, field: Field, nan_count: int | None) -> ColumnStats:
    chunks = [metadata.row_group(group).column(place) for group in range(metadata.num_row_groups)]
    leaf = metadata.schema.column(place)
    total = sum(chunk.num_values for chunk in chunks)
    null_counts = [_null_count(chunk) for chunk in chunks]
    null_count = None if None in null_counts else sum(count for count in null_counts if count is not None)
    # A group without values has no bounds, and needs none. (DuckDB counts NULLs of structs in lists twice.)
    filled = [
        chunk
        for chunk, nulls in zip(chunks, null_counts, strict=True)
        if chunk.num_values != nulls or chunk.statistics.has_min_max
    ]
    lowest, highest = _raw_bounds(filled, leaf, metadata.created_by or "")
    contains_nan = _contains_nan(field, filled, (lowest, highest), metadata.created_by or "", nan_count)
    return ColumnStats(
        value_count=None if null_count is None else total - null_count,
        null_count=null_count,
        min_value=_text(field.type, leaf, lowest),
        max_value=_text(field.type, leaf, highest),
        contains_nan=contains_nan,
        column_size_bytes=sum(chunk.total_compressed_size for chunk in chunks),
    )


def _null_count(chunk: Any) -> int | None:
    known = chunk.statistics
    return known.null_count if known is not None and known.has_null_count else None


def _raw_bounds(chunks: Sequence[Any], leaf: Any, created_by: str) -> tuple[Any, Any]:
    """Return the smallest and the largest value as stored.

    Each is None if unknown, and NaN if a bound is NaN.
    """
    if not chunks or not all(chunk.is_stats_set and chunk.statistics.has_min_max for chunk in chunks):
        return None, None
    lows = [_comparable(leaf, chunk.statistics.min_raw) for chunk in chunks]
    highs = [_comparable(leaf, chunk.statistics.max_raw) for chunk in chunks]
    lowest = math.nan if any(low != low for low in lows) else min(lows)  # noqa: PLR0124 - only NaN differs from itself
    highest = math.nan if any(high != high for high in highs) else max(highs)  # noqa: PLR0124
    if leaf.physical_type == "BYTE_ARRAY" and not created_by.startswith(_EXACT_WRITERS):
        lowest, highest = (None if isinstance(it, bytes) and len(it) >= _CUT_FROM else it for it in (lowest, highest))
    return lowest, highest


def _comparable(leaf: Any, raw: Any) -> Any:
    """Return a stored value as one that sorts like the column's type."""
    details = json.loads(leaf.logical_type.to_json())
    if details["Type"] == "Int" and not details["isSigned"]:
        return raw & (2**32 - 1 if leaf.physical_type == "INT32" else 2**64 - 1)
    if details["Type"] == "Decimal" and isinstance(raw, bytes):
        return int.from_bytes(raw, "big", signed=True)
    return raw


def _contains_nan(
    field: Field, chunks: Sequence[Any], bounds: tuple[Any, Any], created_by: str, nan_count: int | None
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


def _text(kind: Type, leaf: Any, raw: Any) -> str | None:
    """Return a bound as text of the table's type.

    None: DuckLake has no bound for the type, or the file holds another type.
    """
    if raw is None or (isinstance(raw, float) and math.isnan(raw)):
        return None
    match kind, leaf_type(leaf):
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


def _moment(target: Unit, leaf: Any, raw: Any) -> int | None:
    """Return a time or timestamp in another unit than the file's.

    None: it is not a whole number of that unit.
    """
    unit = _UNITS.get(json.loads(leaf.logical_type.to_json()).get("timeUnit", ""))
    if unit is None or not isinstance(raw, int):
        return None
    if abs(raw) == INFINITE_MOMENT:
        return raw
    moment, rest = divmod(raw * UNIT_NANOS[unit], UNIT_NANOS[target])
    return None if rest else moment
