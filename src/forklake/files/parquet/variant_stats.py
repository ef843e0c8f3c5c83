"""Statistics of shredded variants, from the footer of a file."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final

import pyarrow as pa
import pyarrow.parquet as pq

from forklake.files.parquet.footer import is_variant, leaf_count, leaf_type
from forklake.files.parquet.statistics import leaf_stats, stored_leaves
from forklake.model import types
from forklake.model.definitions import ColumnStats, VariantStats
from forklake.model.field import Field
from forklake.model.variant_stats import path_text, stats_text

_NULL: Final = b"\x00"


def variant_stats(metadata: pq.FileMetaData, fields: Sequence[Field]) -> tuple[VariantStats, ...]:
    """Return the statistics of the paths of variants.

    They are those that hold values of one type, and are shredded in every row.
    """
    names = {field.name for field in fields if field.type == types.VARIANT}
    found: list[VariantStats] = []
    place = 0
    for held in metadata.schema.to_arrow_schema():
        if held.name in names and is_variant(held.type):
            found += _paths(metadata, held.name, held.type, place, ())
        place += leaf_count(held.type)
    return tuple(found)


def variant_column_stats(
    metadata: pq.FileMetaData, name: str, null_count: int, stats: Sequence[VariantStats]
) -> ColumnStats:
    """Return the statistics of a variant column as a whole."""
    groups = [metadata.row_group(number) for number in range(metadata.num_row_groups)]
    chunks = [group.column(place) for group in groups for place in range(group.num_columns)]
    return ColumnStats(
        value_count=metadata.num_rows - null_count,
        null_count=null_count,
        column_size_bytes=sum(
            chunk.total_compressed_size for chunk in chunks if chunk.path_in_schema.startswith(f"{name}.")
        ),
        extra_stats=stats_text([one for one in stats if one.column == name]),
    )


def _paths(
    metadata: pq.FileMetaData, column: str, kind: pa.DataType, place: int, path: tuple[str | None, ...]
) -> Iterator[VariantStats]:
    """Yield the paths below a group of a value and what is shredded of it."""
    places: dict[str, int] = {}
    for part in kind:
        places[part.name] = place
        place += leaf_count(part.type)
    if "typed_value" not in places:
        return
    typed, first = kind.field("typed_value").type, places["typed_value"]
    if pa.types.is_struct(typed):
        for part in typed:
            yield from _paths(metadata, column, part.type, first, (*path, part.name))
            first += leaf_count(part.type)
    elif pa.types.is_list(typed):
        yield from _paths(metadata, column, typed.value_type, first, (*path, None))
    elif "value" not in places or _is_empty(metadata, places["value"]):
        held = leaf_type(metadata.schema.column(first))
        leaves = stored_leaves(metadata, [(column, Field(None, column, held), first)])
        stats = leaf_stats(metadata, leaves)[column]
        yield VariantStats(column, path_text(path), str(held), stats)


def _is_empty(metadata: pq.FileMetaData, place: int) -> bool:
    """Return whether a column of values that are not shredded has none but null."""
    return all(_has_only_null(metadata.row_group(group).column(place)) for group in range(metadata.num_row_groups))


def _has_only_null(chunk: Any) -> bool:
    known = chunk.statistics
    if known is None or not known.has_null_count:
        return False
    if known.null_count == chunk.num_values:
        return True
    return bool(known.has_min_max and known.min_raw == known.max_raw == _NULL)
