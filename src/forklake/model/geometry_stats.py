"""Statistics of geometries: the box that holds them, and of which types they are."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable
from decimal import ROUND_CEILING, ROUND_FLOOR, Decimal
from typing import Final

from forklake.model.lazy_dataclass import dataclass

AXES: Final = ("x", "y", "z", "m")
_SHAPES: Final = (
    *("point", "linestring", "polygon", "multipoint", "multilinestring", "multipolygon"),
    "geometrycollection",
)
_TYPES: Final = tuple(shape + axes for axes in ("", "_z", "_m", "_zm") for shape in _SHAPES)
"""All types, in the order in which DuckDB names them."""
_STEP: Final = Decimal("0.000001")
"""How exactly DuckLake writes a bound."""

Bounds = tuple[float, float] | None
"""The least and the greatest number of an axis; None if no geometry has one."""


@dataclass(frozen=True, slots=True)
class GeometryStats:
    """What is known of the geometries of a column.

    Attributes:
        bounds: For each of `AXES`, the bounds of all vertices.
        types: The types of the geometries, as `type_name` names them.
    """

    bounds: tuple[Bounds, Bounds, Bounds, Bounds] = (None, None, None, None)
    types: frozenset[str] = frozenset()

    @property
    def ordered_types(self) -> list[str]:
        """The types in DuckDB's order; those that it does not know are left out."""
        return [name for name in _TYPES if name in self.types]

    def to_text(self) -> str | None:
        """Return the statistics as DuckLake stores them in ``extra_stats``.

        It has six digits after the point: bounds are rounded outward where they have more. None if a bound is
        infinite, which the text has no word for.
        """
        if not all(math.isfinite(bound) for bounds in self.bounds if bounds is not None for bound in bounds):
            return None
        numbers = []
        for axis, bounds in zip(AXES, self.bounds, strict=True):
            low, high = (
                ("null", "null") if bounds is None else (_round_outward(bounds[0], -1), _round_outward(bounds[1], 1))
            )
            numbers += [f'"{axis}min": {low}', f'"{axis}max": {high}']
        return f'{{"bbox": {{{", ".join(numbers)}}}, "types": {json.dumps(sorted(self.types))}}}'


def type_name(kind: int, *, has_z: bool, has_m: bool) -> str:
    """Return the name of a type by its number in WKB.

    >>> type_name(2, has_z=True, has_m=False)
    'linestring_z'
    """
    axes = "z" * has_z + "m" * has_m
    return _SHAPES[kind - 1] + (f"_{axes}" if axes else "")


def read_geometry_stats(text: str | None) -> GeometryStats | None:
    """Read ``extra_stats`` of a geometry column; None if they say nothing."""
    if text is None:
        return None
    try:
        document = json.loads(text)
        box = document["bbox"]
        x, y, z, m = (_read_bounds(box.get(f"{axis}min"), box.get(f"{axis}max")) for axis in AXES)
        return GeometryStats((x, y, z, m), frozenset(map(str, document["types"])))
    except (ValueError, TypeError, KeyError, AttributeError):
        return None


def _read_bounds(low: object, high: object) -> Bounds:
    if low is None or high is None:
        return None
    return float(str(low)), float(str(high))


def unite(given: Iterable[GeometryStats]) -> GeometryStats:
    """Return the statistics of all geometries together."""
    several = list(given)
    x, y, z, m = (_outermost(one.bounds[axis] for one in several) for axis in range(len(AXES)))
    return GeometryStats((x, y, z, m), frozenset().union(*(one.types for one in several)))


def unite_texts(given: Iterable[str | None]) -> str | None:
    """Return ``extra_stats`` of all together; None if one of them says nothing."""
    several = [read_geometry_stats(one) for one in given]
    known = [one for one in several if one is not None]
    return unite(known).to_text() if known and len(known) == len(several) else None


def _outermost(given: Iterable[Bounds]) -> Bounds:
    known = [one for one in given if one is not None]
    return (min(low for low, _ in known), max(high for _, high in known)) if known else None


def _round_outward(bound: float, outward: int) -> str:
    text = f"{bound:.6f}"
    if float(text) * outward >= bound * outward:
        return text
    exact = Decimal(bound).quantize(_STEP, ROUND_CEILING if outward > 0 else ROUND_FLOOR)
    return f"{exact:f}"
