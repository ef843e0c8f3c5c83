"""Column statistics of a file, from its footer, as DuckLake records them.

They are bounds as text, and counts of NULLs and NaNs. A recorded bound holds for every value of the file;
what a footer does not say is unknown. If one row group has no statistics of a column, nothing is known of
the column.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from decimal import Decimal
from functools import partial
from typing import Any, Final
from uuid import UUID

import pyarrow as pa
import pyarrow.parquet as pq

from forklake.files.arrow import compute as pc
from forklake.files.casting.moments import INFINITE_MOMENT, UNIT_NANOS, format_date, format_time, format_timestamp
from forklake.files.casting.numerals import EXACT, format_decimal, format_double
from forklake.files.casting.single_floats import format_float
from forklake.files.parquet.footer import is_variant, leaf_count, leaf_type
from forklake.files.parquet.leaf_values import leaf_values
from forklake.files.parquet.stored_extents import stored_extent
from forklake.model import types
from forklake.model.definitions import ColumnStats
from forklake.model.field import Field
from forklake.model.geometry_stats import GeometryStats
from forklake.model.lazy_dataclass import dataclass
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
        comparable: Makes of a stored value one that sorts like the column's type; None if it does itself.
        is_bytes: Whether values are stored as bytes of any length.
        text: Writes a stored bound as text of the table's type; None if there is none.
        is_planar: Whether it holds geometries by a type of their own, whose boxes hold all vertices. (What is
            stored of those on a sphere goes around it.)
    """

    name: str
    field: Field
    place: int
    comparable: Callable[[Any], Any] | None
    is_bytes: bool
    text: Callable[[Any], str | None]
    is_planar: bool = False


def stored_leaves(metadata: pq.FileMetaData, leaves: Iterable[Leaf]) -> list[StoredLeaf]:
    """Return columns with what the schema of a file says of them.

    It is the same for all files of the schema.
    """
    return [_stored_leaf(metadata.schema.column(place), name, field, place) for name, field, place in leaves]


def _stored_leaf(leaf: pq.ColumnSchema, name: str, field: Field, place: int) -> StoredLeaf:
    details = json.loads(leaf.logical_type.to_json())
    held = leaf_type(leaf)
    return StoredLeaf(
        name,
        field,
        place,
        _comparable(leaf, held),
        leaf.physical_type == "BYTE_ARRAY",
        _text(field.type, held, _UNITS.get(details.get("timeUnit", ""))),
        details["Type"] == "Geometry",
    )


def column_stats(
    metadata: pq.FileMetaData,
    fields: Sequence[Field],
    *,
    nan_counts: Mapping[str, int] | None = None,
    extents: Mapping[str, GeometryStats] | None = None,
) -> dict[str, ColumnStats]:
    """Return statistics of the columns that hold values, by their dotted names.

    Args:
        metadata: The file's footer.
        fields: The columns of the table; those that the file lacks are left out.
        nan_counts: The number of NaNs, by the same names, if the writer counted them: PyArrow's footers do not
            tell.
        extents: What the writer knows of geometries, by the same names, if it looked; else it is what the footer
            tells.
    """
    return leaf_stats(metadata, stored_leaves(metadata, _leaves(metadata, fields)), nan_counts, extents)


def leaf_stats(
    metadata: pq.FileMetaData,
    leaves: Iterable[StoredLeaf],
    nan_counts: Mapping[str, int] | None = None,
    extents: Mapping[str, GeometryStats] | None = None,
) -> dict[str, ColumnStats]:
    """Return statistics of some columns by their names; otherwise as `column_stats`."""
    groups = [metadata.row_group(number) for number in range(metadata.num_row_groups)]
    created_by = metadata.created_by or ""
    found = {}
    for leaf in leaves:
        chunks = [group.column(leaf.place) for group in groups]
        nan_count = None if nan_counts is None else nan_counts.get(leaf.name, 0)
        found[leaf.name] = _stats(chunks, leaf, created_by, nan_count, _extra_stats(chunks, leaf, extents))
    return found


def count_nans(batch: pa.RecordBatch, fields: Sequence[Field], counts: dict[str, int]) -> None:
    """Add the NaNs of some rows to the counts, by the names of `column_stats`."""
    for name, values in leaf_values(batch, fields, types.Float):
        counts[name] = counts.get(name, 0) + (pc.sum(pc.is_nan(values)).as_py() or 0)


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


def _extra_stats(chunks: Sequence[Any], leaf: StoredLeaf, extents: Mapping[str, GeometryStats] | None) -> str | None:
    if not isinstance(leaf.field.type, types.Geometry):
        return None
    if extents is not None:
        return extents.get(leaf.name, GeometryStats()).to_text()
    found = stored_extent(chunks) if leaf.is_planar else None
    return None if found is None else found.to_text()


def _stats(
    chunks: Iterable[Any], leaf: StoredLeaf, created_by: str, nan_count: int | None, extra_stats: str | None
) -> ColumnStats:
    """Return what a footer says of one column, which has a chunk in each row group."""
    total = byte_count = 0
    null_count: int | None = 0
    lows: list[Any] = []
    highs: list[Any] = []
    is_bounded = True
    for chunk in chunks:
        values, known = chunk.num_values, chunk.statistics
        total += values
        byte_count += chunk.total_compressed_size
        nulls = known.null_count if known is not None and known.has_null_count else None
        null_count = None if null_count is None or nulls is None else null_count + nulls
        if known is not None and known.has_min_max:
            lows.append(known.min_raw)
            highs.append(known.max_raw)
        elif values != nulls:
            # A group without values has no bounds, and needs none. (DuckDB counts NULLs of structs in lists twice.)
            is_bounded = False
    lowest, highest = _outermost(lows, highs, leaf, created_by) if lows and is_bounded else (None, None)
    contains_nan = None
    if isinstance(leaf.field.type, types.Float):
        contains_nan = _contains_nan((lowest, highest), created_by, nan_count, is_empty=not lows and is_bounded)
    return ColumnStats(
        None if null_count is None else total - null_count,
        null_count,
        None if lowest is None else leaf.text(lowest),
        None if highest is None else leaf.text(highest),
        contains_nan,
        byte_count,
        extra_stats,
    )


def _outermost(lows: Sequence[Any], highs: Sequence[Any], leaf: StoredLeaf, created_by: str) -> tuple[Any, Any]:
    """Return the smallest and the largest value as stored.

    Each is None if unknown, and NaN if a bound is NaN.
    """
    if leaf.comparable is not None:
        lows, highs = [*map(leaf.comparable, lows)], [*map(leaf.comparable, highs)]
    if len(lows) == 1:
        lowest, highest = lows[0], highs[0]
    else:
        lowest = math.nan if any(low != low for low in lows) else min(lows)  # noqa: PLR0124 - only NaN differs from itself
        highest = math.nan if any(high != high for high in highs) else max(highs)  # noqa: PLR0124
    if leaf.is_bytes and not created_by.startswith(_EXACT_WRITERS):
        lowest, highest = (None if isinstance(it, bytes) and len(it) >= _CUT_FROM else it for it in (lowest, highest))
    return lowest, highest


def _comparable(leaf: pq.ColumnSchema, held: Type) -> Callable[[Any], Any] | None:
    if isinstance(held, types.Integer) and not held.is_signed:
        mask = 2**32 - 1 if leaf.physical_type == "INT32" else 2**64 - 1
        return lambda raw: raw & mask
    if isinstance(held, types.Decimal) and leaf.physical_type not in ("INT32", "INT64"):
        return partial(int.from_bytes, byteorder="big", signed=True)
    return None


def _contains_nan(bounds: tuple[Any, Any], created_by: str, nan_count: int | None, *, is_empty: bool) -> bool | None:
    if any(isinstance(bound, float) and math.isnan(bound) for bound in bounds):
        return True
    if nan_count is not None:
        return nan_count > 0
    if is_empty:
        return False
    return False if bounds[1] is not None and created_by.startswith(_NAN_SHOWING_WRITERS) else None


# ---- bounds as text ------------------------------------------------------------------------------------------------


def _text(kind: Type, held: Type, unit: Unit | None) -> Callable[[Any], str | None]:
    """Return what writes stored bounds as text of the table's type.

    It returns None for what is no bound: NaN, types for which DuckLake has none, or if the file holds another type.
    """
    match kind, held:
        case types.Boolean(), types.Boolean():
            return lambda raw: str(int(raw))
        case types.Integer(bits), types.Integer() if bits < 128:
            return str
        case types.Float(), types.Float():
            return partial(_float, format_float if kind.bits == 32 else format_double)
        case types.Decimal(), types.Decimal():
            return partial(_decimal, kind, held)
        case types.Varchar() | types.Json(), types.Varchar() | types.Json():
            return _string
        case types.Blob(), types.Blob():
            return lambda raw: str(raw.hex().upper())
        case types.Uuid(), types.Uuid():
            return lambda raw: str(UUID(bytes=raw))
        case types.Date(), types.Date():
            return format_date
        case types.TIME, types.TIME:
            return partial(_moment, "us", unit, format_time)
        case types.Timestamp(of, is_zoned), types.Timestamp(_, held_zoned) if is_zoned == held_zoned:
            target: Unit = "ns" if of == "ns" else "us"
            return partial(_moment, target, unit, partial(format_timestamp, unit=target, has_zone=is_zoned))
    return lambda _: None


def _string(raw: bytes) -> str | None:
    try:
        text = raw.decode("utf-8")
    except UnicodeDecodeError:
        return None
    return None if "\0" in text else text


def _float(text: Callable[[float], str], raw: float) -> str | None:
    if math.isnan(raw):
        return None
    # Footers call zero -0.0 as a least value, whatever its sign; the two are equal.
    return text(raw + 0.0 if raw else 0.0)


def _decimal(kind: types.Decimal, held: types.Decimal, raw: int) -> str | None:
    if held.scale > kind.scale:
        return None
    return format_decimal(Decimal(raw).scaleb(-held.scale, EXACT), kind.precision, kind.scale)


def _moment(target: Unit, unit: Unit | None, text: Callable[[int], str], raw: Any) -> str | None:
    """Return a time or timestamp that is stored in another unit.

    None: it is not a whole number of the target's.
    """
    if unit is None or not isinstance(raw, int):
        return None
    if abs(raw) == INFINITE_MOMENT:
        return text(raw)
    moment, rest = divmod(raw * UNIT_NANOS[unit], UNIT_NANOS[target])
    return None if rest else text(moment)
