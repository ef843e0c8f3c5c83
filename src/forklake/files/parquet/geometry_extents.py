"""Statistics of geometries in rows that are written."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any, Final

import numpy as np
import pyarrow as pa

from forklake.files.casting.geometries import Geometry, from_wkb
from forklake.files.parquet.leaf_values import leaf_values
from forklake.model import types
from forklake.model.field import Field
from forklake.model.geometry_stats import Bounds, GeometryStats, type_name, unite

_PLAIN_POINT: Final = np.dtype([("order", "u1"), ("code", "<u4"), ("x", "<f8"), ("y", "<f8")])
"""A point without further axes in little-endian WKB: most geometries that there are."""


def gather_extents(batch: pa.RecordBatch, fields: Sequence[Field], found: dict[str, GeometryStats]) -> None:
    """Widen statistics of geometries by those of some rows.

    They are kept by the names of `column_stats`.
    """
    for name, values in leaf_values(batch, fields, types.Geometry):
        found[name] = unite([found.get(name, GeometryStats()), _extent(values.drop_null())])


def _extent(values: pa.Array) -> GeometryStats:
    octets: list[bytes] = values.to_pylist()
    if all(len(one) == _PLAIN_POINT.itemsize for one in octets):
        points = np.frombuffer(b"".join(octets), _PLAIN_POINT)
        if (points["order"] == 1).all() and (points["code"] == 1).all():
            if not len(points):
                return GeometryStats()
            plain = frozenset({type_name(1, has_z=False, has_m=False)})
            return GeometryStats((_bounds(points["x"]), _bounds(points["y"]), None, None), plain)
    return unite(map(_extent_of, octets))


def _bounds(numbers: Any) -> Bounds:
    known = numbers[~np.isnan(numbers)]
    return (float(known.min()), float(known.max())) if len(known) else None


def _extent_of(octets: bytes) -> GeometryStats:
    geometry = from_wkb(octets)
    axes = (True, True, geometry.has_z, geometry.has_m)
    columns = list(zip(*_vertices(geometry), strict=True)) or [()] * sum(axes)
    numbers = iter(columns)
    x, y, z, m = (_plain_bounds(next(numbers)) if there else None for there in axes)
    return GeometryStats(
        (x, y, z, m), frozenset({type_name(geometry.kind, has_z=geometry.has_z, has_m=geometry.has_m)})
    )


def _plain_bounds(numbers: Sequence[float]) -> Bounds:
    known = [number for number in numbers if not math.isnan(number)]
    return (min(known), max(known)) if known else None


def _vertices(geometry: Geometry) -> Iterator[tuple[float, ...]]:
    """Yield the vertices of a geometry, those of its rings and parts included."""
    for part in geometry.parts:
        if isinstance(part, Geometry):
            yield from _vertices(part)
        elif isinstance(part, list):
            yield from part
        else:
            yield part
