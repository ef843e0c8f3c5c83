"""Geometries: WKB, which files hold, and WKT, which DuckDB reads and writes."""

from __future__ import annotations

import math
import re
import struct
from collections.abc import Callable
from itertools import repeat
from typing import Any, Final, NamedTuple

from forklake.files.casting.numerals import format_double, parse_float
from forklake.model.interruption import in_time

_NAMES: Final = (
    *("POINT", "LINESTRING", "POLYGON", "MULTIPOINT", "MULTILINESTRING", "MULTIPOLYGON"),
    "GEOMETRYCOLLECTION",
)
_POINT, _LINE, _POLYGON, _MULTIPOINT, _COLLECTION = 1, 2, 3, 4, 7
_DEEPEST: Final = 100  # collections within collections; no real geometry comes near
_SRID: Final = re.compile(r"\s*SRID\s*=\s*[0-9]+\s*;", re.IGNORECASE)
_SPACES: Final = re.compile(r"\s*")
_WORD: Final = re.compile(r"[A-Za-z]+")
_NUMBER: Final = re.compile(r"-?(?:[0-9._]+(?:[eE][+-]?[0-9]+)?|nan|inf(?:inity)?)", re.IGNORECASE)


class Geometry(NamedTuple):
    """A geometry; its parts are vertices, rings of vertices, or geometries.

    A vertex has one number for each axis.
    """

    kind: int
    has_z: bool
    has_m: bool
    parts: list[Any]

    @property
    def axes(self) -> int:
        return 2 + self.has_z + self.has_m


def parse_geometry(text: str) -> bytes:
    """Return the WKB of a geometry in WKT; a leading SRID is ignored, as in DuckDB.

    Raises:
        ValueError: The text is no geometry; with DuckDB's message.
    """
    prefix = _SRID.match(text)
    scanner = _Scanner(text, prefix.end() if prefix else 0)
    geometry = scanner.geometry(0)
    scanner.skip()
    if scanner.place < len(text):
        raise scanner.error("Expected end of input")
    return to_wkb(geometry)


def format_geometry(octets: bytes) -> str:
    """Write the WKT of a geometry in WKB.

    Raises:
        ValueError: The bytes are no WKB.
    """
    return _text(from_wkb(octets))


def canonical_wkb(octets: bytes) -> bytes:
    """Return a geometry as DuckDB's files hold it.

    It is little-endian, with ISO's type numbers and no SRID.

    Raises:
        ValueError: The bytes are no WKB.
    """
    return to_wkb(from_wkb(octets))


def from_wkb(octets: bytes) -> Geometry:
    """Read WKB of either byte order, ISO's or PostGIS's.

    Raises:
        ValueError: The bytes are no WKB.
    """
    try:
        geometry, end = _read(octets, 0, 0)
    except (struct.error, IndexError, ValueError) as error:
        raise ValueError(f"Could not convert {len(octets)} bytes to GEOMETRY: they are no WKB") from error
    if end != len(octets):
        raise ValueError(f"Could not convert {len(octets)} bytes to GEOMETRY: the WKB ends after {end}")
    return geometry


def to_wkb(geometry: Geometry) -> bytes:
    """Write little-endian ISO WKB."""
    code = geometry.kind + 1000 * geometry.has_z + 2000 * geometry.has_m
    start = struct.pack("<BI", 1, code)
    if geometry.kind == _POINT:
        return start + _vertices(geometry.parts or [(math.nan,) * geometry.axes])
    count = struct.pack("<I", len(geometry.parts))
    if geometry.kind == _LINE:
        return start + count + _vertices(geometry.parts)
    if geometry.kind == _POLYGON:
        rings = (struct.pack("<I", len(ring)) + _vertices(ring) for ring in in_time(geometry.parts))
        return start + count + b"".join(rings)
    return start + count + b"".join(map(to_wkb, in_time(geometry.parts)))


def _vertices(vertices: list[tuple[float, ...]]) -> bytes:
    return b"".join(struct.pack(f"<{len(vertex)}d", *vertex) for vertex in in_time(vertices))


def _read(octets: bytes, place: int, depth: int) -> tuple[Geometry, int]:
    if octets[place] > 1 or depth > _DEEPEST:
        raise ValueError("no byte order, or too deep")
    order = "<" if octets[place] else ">"
    (code,) = struct.unpack_from(f"{order}I", octets, place + 1)
    place += 9 if code & 0x20000000 else 5  # PostGIS marks an SRID, Z and M by the highest bits
    flags, kind = divmod(code & 0x0FFFFFFF, 1000)
    has_z, has_m = bool(flags & 1 or code & 0x80000000), bool(flags & 2 or code & 0x40000000)
    if flags > 3 or not _POINT <= kind <= _COLLECTION:
        raise ValueError("no such type")
    axes = 2 + has_z + has_m

    def vertices(place: int, count: int) -> tuple[list[tuple[float, ...]], int]:
        numbers = struct.unpack_from(f"{order}{count * axes}d", octets, place)
        return [numbers[at : at + axes] for at in in_time(range(0, len(numbers), axes))], place + count * axes * 8

    if kind == _POINT:
        (vertex,), place = vertices(place, 1)
        parts: list[Any] = [] if all(map(math.isnan, vertex)) else [vertex]
        return Geometry(kind, has_z, has_m, parts), place
    (count,) = struct.unpack_from(f"{order}I", octets, place)
    place += 4
    if kind == _LINE:
        parts, place = vertices(place, count)
        return Geometry(kind, has_z, has_m, parts), place
    parts = []
    for _ in in_time(range(count)):
        if kind == _POLYGON:
            (length,) = struct.unpack_from(f"{order}I", octets, place)
            part: Any
            part, place = vertices(place + 4, length)
        else:
            part, place = _read(octets, place, depth + 1)
            if (part.has_z, part.has_m) != (has_z, has_m) or (kind < _COLLECTION and part.kind != kind - 3):
                raise ValueError("a part of another type")
        parts.append(part)
    return Geometry(kind, has_z, has_m, parts), place


def _text(geometry: Geometry) -> str:
    axes = "Z" * geometry.has_z + "M" * geometry.has_m
    return " ".join(filter(None, (_NAMES[geometry.kind - 1], axes, _body(geometry))))


def _body(geometry: Geometry) -> str:
    if not geometry.parts:
        return "EMPTY"
    if geometry.kind <= _LINE:
        return _run(geometry.parts)
    if geometry.kind == _POLYGON:
        return f"({', '.join(_run(ring) for ring in in_time(geometry.parts))})"
    if geometry.kind == _COLLECTION:
        return f"({', '.join(map(_text, in_time(geometry.parts)))})"
    bodies = [_body(part) for part in in_time(geometry.parts)]
    if geometry.kind == _MULTIPOINT:
        bodies = [body.strip("()") for body in bodies]
    return f"({', '.join(bodies)})"


def _run(vertices: list[tuple[float, ...]]) -> str:
    texts = (" ".join(format_double(number).removesuffix(".0") for number in vertex) for vertex in in_time(vertices))
    return f"({', '.join(texts)})"


class _Scanner:
    """Reads WKT from left to right."""

    def __init__(self, text: str, place: int) -> None:
        self.text = text
        self.place = place

    def error(self, words: str) -> ValueError:
        return ValueError(f"Failed to parse geometry: {words} at offset {self.place}")

    def skip(self) -> None:
        spaces = _SPACES.match(self.text, self.place)
        assert spaces is not None
        self.place = spaces.end()

    def geometry(self, depth: int, dimensions: tuple[bool, bool] | None = None) -> Geometry:
        self.skip()
        start, word = self.place, self._word()
        name = next((name for name in reversed(_NAMES) if word in (name, name + "Z", name + "M", name + "ZM")), None)
        if name is None or depth > _DEEPEST:
            self.place = start
            raise self.error("Unknown geometry type")
        axes = word.removeprefix(name)
        if not axes:
            place = self.place
            axes = self._word()
            if axes not in ("Z", "M", "ZM"):
                self.place, axes = place, ""
        has_z, has_m = "Z" in axes, "M" in axes
        shell = Geometry(_NAMES.index(name) + 1, has_z, has_m, [])
        self.skip()
        if dimensions not in (None, (has_z, has_m)):
            raise self.error("Geometry has inconsistent Z/M dimensions")
        return shell._replace(parts=self._parts(shell, depth))

    def _parts(self, shell: Geometry, depth: int) -> list[Any]:
        def member() -> Geometry:
            inner = shell._replace(kind=shell.kind - 3)
            if inner.kind == _POINT and not self._is_next("(") and not self._is_empty():
                return inner._replace(parts=[self._vertex(shell.axes)])
            return inner._replace(parts=self._parts(inner, depth + 1))

        if self._is_empty(take=True):
            return []
        if shell.kind <= _LINE:
            return self._sequence(lambda: self._vertex(shell.axes), is_single=shell.kind == _POINT)
        if shell.kind == _POLYGON:
            return self._sequence(lambda: self._sequence(lambda: self._vertex(shell.axes)))
        if shell.kind == _COLLECTION:
            return self._sequence(lambda: self.geometry(depth + 1, (shell.has_z, shell.has_m)))
        return self._sequence(member)

    def _sequence(self, part: Callable[[], Any], *, is_single: bool = False) -> list[Any]:
        self._expect("(")
        parts = [part()]
        for _ in in_time(repeat(None)):
            if is_single or not self._is_next(","):
                break
            self._expect(",")
            parts.append(part())
        self._expect(")")
        return parts

    def _vertex(self, axes: int) -> tuple[float, ...]:
        return tuple(self._number() for _ in range(axes))

    def _number(self) -> float:
        self.skip()
        match = _NUMBER.match(self.text, self.place)
        number = parse_float(match[0]) if match else None
        if match is None or number is None:
            raise self.error("Expected number")
        self.place = match.end()
        return number

    def _word(self) -> str:
        self.skip()
        match = _WORD.match(self.text, self.place)
        self.place = match.end() if match else self.place
        return match[0].upper() if match else ""

    def _is_next(self, sign: str) -> bool:
        self.skip()
        return self.text.startswith(sign, self.place)

    def _is_empty(self, *, take: bool = False) -> bool:
        place, is_empty = self.place, self._word() == "EMPTY"
        if not (take and is_empty):
            self.place = place
        return is_empty

    def _expect(self, sign: str) -> None:
        if not self._is_next(sign):
            found = f"'{self.text[self.place]}'" if self.place < len(self.text) else "end of input"
            raise self.error(f"Expected '{sign}' but got {found}")
        self.place += 1
