"""Statistics of geometries as the footer of a Parquet file has them."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any, Final

from forklake.model.geometry_stats import Bounds, GeometryStats, type_name, unite

_SHAPES: Final = 7
"""As many types WKB has on each choice of axes."""


def stored_extent(chunks: Iterable[Any]) -> GeometryStats | None:
    """Return what a footer says of a column, which has a chunk in each row group.

    None if it does not tell of all geometries: a group without a box may have vertices, as DuckDB writes none
    where a number is infinite.
    """
    found = []
    for chunk in chunks:
        extent = _extent(chunk.geo_statistics)
        if extent is not None:
            found.append(extent)
        elif not _has_only_null(chunk):
            return None
    return unite(found)


def _extent(told: Any) -> GeometryStats | None:
    """Return the statistics of a group; None if they are not whole.

    A box may reach around the back of the earth, its least x then above its greatest.
    """
    if told is None or not told.geospatial_types:
        return None
    names, has_z, has_m = set[str](), False, False
    for code in told.geospatial_types:
        axes, kind = divmod(code, 1000)
        if not 1 <= kind <= _SHAPES or not 0 <= axes <= 3:
            return None
        names.add(type_name(kind, has_z=bool(axes & 1), has_m=bool(axes & 2)))
        has_z, has_m = has_z or bool(axes & 1), has_m or bool(axes & 2)
    bounds = (
        _bounds(told.xmin, told.xmax),
        _bounds(told.ymin, told.ymax),
        _bounds(told.zmin, told.zmax) if has_z else None,
        _bounds(told.mmin, told.mmax) if has_m else None,
    )
    is_told = [one is not None for one in bounds]
    return GeometryStats(bounds, frozenset(names)) if is_told == [True, True, has_z, has_m] else None


def _bounds(low: float | None, high: float | None) -> Bounds:
    if low is None or high is None or not (math.isfinite(low) and math.isfinite(high) and low <= high):
        return None
    return low, high


def _has_only_null(chunk: Any) -> bool:
    known = chunk.statistics
    return known is not None and known.has_null_count and known.null_count == chunk.num_values
