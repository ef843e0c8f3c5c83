"""Partition transforms: what a partition key makes of the values of its column.

A transform has three faces. This module computes the partition value of one value that is given as text, for pruning;
`forklake.files.arrow.array_transforms` those of an Arrow array, for writing; the engine those of a column of Spark, so
that rows can be laid out before they are written. docs/spec/files.md has the rules, and one test holds the three
together.
"""

from __future__ import annotations

import math
import re
import struct
from collections.abc import Callable
from decimal import Decimal
from enum import StrEnum
from typing import Final, Self

from forklake.model import types
from forklake.model.calendar import date_of
from forklake.model.lazy_dataclass import dataclass
from forklake.model.moment import NANOS_PER_DAY, moment
from forklake.model.murmur3 import WITHOUT_SIGN, murmur3
from forklake.model.types import Type

MAX_BUCKETS: Final = 2**31 - 1

_TEXT: Final = re.compile(r"(\w+)(?:\(([+-]?\d+)\))?", re.ASCII)
_NANOS_PER_HOUR: Final = 3_600_000_000_000
_NANOS_PER_UNIT: Final[dict[Type, int]] = {
    types.DATE: NANOS_PER_DAY,
    types.TIMESTAMP_S: 1_000_000_000,
    types.TIMESTAMP_MS: 1_000_000,
    types.TIMESTAMP: 1_000,
    types.TIMESTAMPTZ: 1_000,
    types.TIMESTAMP_NS: 1,
    types.TIME: 1_000,
}
_BOOLEANS: Final = {"0": 0, "false": 0, "1": 1, "true": 1}
_WIDEST_INTEGER_DECIMAL: Final = 18


class Function(StrEnum):
    """The functions of transforms, by their names in the metadata."""

    IDENTITY = "identity"
    YEAR = "year"
    MONTH = "month"
    DAY = "day"
    HOUR = "hour"
    EPOCH_YEAR = "epoch_year"
    EPOCH_MONTH = "epoch_month"
    EPOCH_DAY = "epoch_day"
    EPOCH_HOUR = "epoch_hour"
    BUCKET = "bucket"


_FUNCTIONS: Final = {function.value: function for function in Function}
_ORDERED: Final = frozenset(
    {Function.YEAR, Function.EPOCH_YEAR, Function.EPOCH_MONTH, Function.EPOCH_DAY, Function.EPOCH_HOUR}
)
_EPOCHS: Final = frozenset(function for function in Function if function.startswith("epoch_"))


@dataclass(frozen=True, slots=True)
class Transform:
    """A partition transform: a function and, of ``bucket(N)``, the count.

    Its ``str`` is the text in the metadata.

    >>> str(Transform.parse("Bucket( 16 )")), Transform.parse("epoch_day").function
    ('bucket(16)', <Function.EPOCH_DAY: 'epoch_day'>)
    """

    function: Function
    bucket_count: int | None = None

    @classmethod
    def parse(cls, text: str) -> Self:
        """Return the transform that a text names, blanks and case aside.

        Raises:
            ValueError: There is no such transform.
        """
        name = text.replace(" ", "").lower()
        match = _TEXT.fullmatch(name)
        function = _FUNCTIONS.get(match[1]) if match else None
        count = match[2] if match else None
        if function is not None and (function is Function.BUCKET) == (count is not None):
            return cls(function) if count is None else cls.bucket(int(count))
        raise ValueError(
            f"Unsupported partition function {name} - only year, month, day, hour, epoch_year, epoch_month,"
            " epoch_day, epoch_hour, and bucket are supported"
        )

    @classmethod
    def bucket(cls, count: int) -> Self:
        """Return the transform ``bucket(count)``.

        Raises:
            ValueError: There cannot be so many buckets.
        """
        if count < 1:
            raise ValueError("Bucket count must be positive")
        if count > MAX_BUCKETS:
            raise ValueError(f"Bucket count cannot exceed {MAX_BUCKETS}")
        return cls(Function.BUCKET, count)

    def __str__(self) -> str:
        return self.function if self.bucket_count is None else f"{self.function}({self.bucket_count})"

    @property
    def is_identity(self) -> bool:
        """Whether it leaves values as they are."""
        return self.function is Function.IDENTITY

    @property
    def is_bucket(self) -> bool:
        """Whether it is ``bucket(N)``."""
        return self.function is Function.BUCKET

    @property
    def is_part(self) -> bool:
        """Whether it takes a part of dates and timestamps, or counts them since 1970."""
        return not (self.is_identity or self.is_bucket)

    @property
    def is_epoch(self) -> bool:
        """Whether it counts years, months, days or hours since 1970."""
        return self.function in _EPOCHS

    @property
    def keeps_order(self) -> bool:
        """Whether of two dates the later one never has the lesser part."""
        return self.function in _ORDERED

    def accepts(self, column_type: Type) -> bool:
        """Return whether it can be applied to columns of a type.

        >>> [Transform.parse("hour").accepts(kind) for kind in (types.DATE, types.TIME, types.INT32)]
        [True, True, False]
        """
        if self.is_part:
            is_hour_of_day = self.function is Function.HOUR and column_type == types.TIME
            return is_hour_of_day or isinstance(column_type, types.Date | types.Timestamp)
        return column_type.facts.is_kept_as_text and not isinstance(column_type, types.Nested)

    def of_text(self, column_type: Type, text: str) -> str | None:
        """Return the partition value of a value, both as text.

        None if it is not known.

        A ``timestamptz`` is taken at UTC; writers with another time zone give other years, months, days and hours.

        >>> Transform.parse("month").of_text(types.DATE, "2017-11-16")
        '11'
        >>> Transform.bucket(1000).of_text(types.INT64, "34")
        '379'
        """
        if self.is_identity:
            return text
        if not self.accepts(column_type):
            return None
        try:
            number = self._bucket(column_type, text) if self.is_bucket else self._part(column_type, text)
        except (ValueError, ArithmeticError, struct.error):
            return None
        return None if number is None else str(number)

    def of_moment(self, nanos: int) -> int:
        """Return the part of a moment, which is given as nanoseconds since 1970.

        >>> Transform.parse("epoch_month").of_moment(32 * NANOS_PER_DAY), Transform.parse("hour").of_moment(-1)
        (1, 23)
        """
        return _PARTS[self.function](nanos)

    def moment(self, column_type: Type, text: str) -> int | None:
        """Return the moment of a value, of which `of_moment` takes a part.

        None if it is not known.
        """
        nanos = moment(column_type, text) if self.is_part and self.accepts(column_type) else None
        if column_type == types.TIME and nanos == NANOS_PER_DAY:
            return None  # 24:00:00 has an hour of its own
        if nanos is None or column_type != types.TIMESTAMP_NS or self.is_epoch:
            return nanos
        # DuckDB cuts nanos off toward 1970 before it takes a part.
        return -(-nanos // 1000) * 1000 if nanos < 0 else nanos // 1000 * 1000

    def _part(self, column_type: Type, text: str) -> int | None:
        nanos = self.moment(column_type, text)
        return None if nanos is None else self.of_moment(nanos)

    def _bucket(self, column_type: Type, text: str) -> int | None:
        hashed = _hashed_bytes(column_type, text)
        if hashed is None or self.bucket_count is None:
            return None
        return (murmur3(hashed) & WITHOUT_SIGN) % self.bucket_count


IDENTITY: Final = Transform(Function.IDENTITY)


def _date(nanos: int) -> tuple[int, int, int]:
    return date_of(nanos // NANOS_PER_DAY)


def _epoch_month(nanos: int) -> int:
    year, month, _ = _date(nanos)
    return (year - 1970) * 12 + month - 1


_PARTS: Final[dict[Function, Callable[[int], int]]] = {
    Function.YEAR: lambda nanos: _date(nanos)[0],
    Function.MONTH: lambda nanos: _date(nanos)[1],
    Function.DAY: lambda nanos: _date(nanos)[2],
    Function.HOUR: lambda nanos: nanos // _NANOS_PER_HOUR % 24,
    Function.EPOCH_YEAR: lambda nanos: _date(nanos)[0] - 1970,
    Function.EPOCH_MONTH: _epoch_month,
    Function.EPOCH_DAY: lambda nanos: nanos // NANOS_PER_DAY,
    Function.EPOCH_HOUR: lambda nanos: nanos // _NANOS_PER_HOUR,
}


def _hashed_bytes(column_type: Type, text: str) -> bytes | None:
    """Return the bytes of a value that DuckLake hashes."""
    match column_type:
        case types.Integer() if column_type.is_native:
            return struct.pack("<q", int(text))
        case types.Integer() | types.Varchar() | types.Json() | types.Uuid():
            return text.encode()
        case types.Boolean():
            return struct.pack("<q", _BOOLEANS[text.lower()]) if text.lower() in _BOOLEANS else None
        case types.Float(bits):
            return _hashed_float(bits, float(text))
        case types.Decimal(precision, scale):
            value_text = f"{Decimal(text):.{scale}f}"
            if precision > _WIDEST_INTEGER_DECIMAL or Decimal(value_text) != Decimal(text):
                return None
            return struct.pack("<q", int(value_text.replace(".", "")))
    nanos, unit = moment(column_type, text), _NANOS_PER_UNIT.get(column_type)
    return None if nanos is None or unit is None else struct.pack("<q", nanos // unit)


def _hashed_float(bits: int, value: float) -> bytes | None:
    if bits == 32:
        (value,) = struct.unpack("<f", struct.pack("<f", value))
    if math.isnan(value):
        return None  # there are many NaNs, and DuckLake hashes their bits
    return struct.pack("<d", 0.0 if value == 0 else value)
