"""Decides whether a file can hold a row that satisfies a predicate.

All functions are pure and on the safe side: unknown values may match. docs/spec/scans.md has the rules.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Callable, Mapping, Sequence
from dataclasses import field
from typing import Any, Final

from forklake.model import predicate as said
from forklake.model import types
from forklake.model.ids import ColumnId
from forklake.model.lazy_dataclass import dataclass
from forklake.model.predicate import Operator, Predicate
from forklake.model.rows import FileColumnStatsRow
from forklake.model.transforms import Function, Transform
from forklake.model.types import Type
from forklake.model.types.order import order_key

_EXACT: Final = 2.0**53
"""Up to here integers are floats of 64 bits."""
_FLOAT_STEP: Final = 2.0**-23
_ZONE_NANOS: Final = 16 * 3_600_000_000_000
"""How far the clock of a writer may be from UTC: DuckDB takes parts of a timestamptz in its session's time zone."""


@dataclass(frozen=True, slots=True)
class PartitionValue:
    """What a partition key says about all rows of a file.

    The transform of the column has this value, as text. ``held`` is the type that it was computed from, if it is known.
    """

    column_id: ColumnId
    transform: Transform
    value: str | None
    held: Type | None = None


@dataclass(frozen=True, slots=True)
class Constant:
    """The value of a column in all rows of a file that is older than the column.

    A field of a struct has it only where the struct is not NULL.
    """

    value: str | None
    is_nested: bool = False


@dataclass(frozen=True, slots=True)
class FileFacts:
    """Everything that is known of the values of one file."""

    stats: Mapping[ColumnId, FileColumnStatsRow] = field(default_factory=dict)
    partition: Sequence[PartitionValue] = ()
    constants: Mapping[ColumnId, Constant] = field(default_factory=dict)


class Pruner:
    """A predicate, compiled to be tested on many files."""

    def __init__(self, predicate: Predicate) -> None:
        self.columns = frozenset(_columns(predicate))
        """The columns that the predicate is about."""
        self._test = _compile(predicate)

    def rules_out(self, facts: FileFacts) -> bool:
        """Return whether metadata proves that no row of a file satisfies the predicate."""
        return not self._test(facts)


_Test = Callable[[FileFacts], bool]


def _columns(predicate: Predicate) -> set[ColumnId]:
    match predicate:
        case said.Comparison(column_id=column) | said.OneOf(column_id=column) | said.IsNull(column_id=column):
            return {column}
        case said.AllOf(parts) | said.AnyOf(parts):
            return {column for part in parts for column in _columns(part)}
    return set()


def _compile(predicate: Predicate) -> _Test:
    match predicate:
        case said.AllOf(parts):
            tests = [_compile(part) for part in parts]
            return lambda facts: all(test(facts) for test in tests)
        case said.AnyOf(parts):
            tests = [_compile(part) for part in parts]
            return lambda facts: any(test(facts) for test in tests)
        case said.Comparison(column, column_type, operator, value):
            return _ComparisonTest(column, column_type, operator, value)
        case said.OneOf(column, column_type, values):
            equal = [_ComparisonTest(column, column_type, "=", value) for value in values]
            return lambda facts: any(test(facts) for test in equal)
        case said.IsNull(column, is_null):
            return lambda facts: _may_be_null(facts, column) if is_null else _may_be_there(facts, column)
        case said.Nothing():
            return lambda facts: False
    return lambda facts: True


# ---- NULL or not -----------------------------------------------------------------------------------------------------


def _may_be_null(facts: FileFacts, column: ColumnId) -> bool:
    if any(key.column_id == column and key.value is not None for key in facts.partition):
        return False
    stats, constant = facts.stats.get(column), facts.constants.get(column)
    if stats is not None:
        return stats.null_count != 0
    return constant is None or constant.value is None or constant.is_nested


def _may_be_there(facts: FileFacts, column: ColumnId) -> bool:
    """Return whether the column may hold a value that is not NULL.

    Date parts of infinite dates are NULL, so a NULL partition value of such a transform proves nothing.
    """
    for key in facts.partition:
        is_null = key.value is None and not key.transform.is_part
        if key.column_id == column and is_null:
            return False
    stats, constant = facts.stats.get(column), facts.constants.get(column)
    if stats is not None:
        return stats.value_count != 0
    return constant is None or constant.value is not None


# ---- comparisons -----------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Span:
    """The range of a column's values, or of a literal; a None bound is unknown."""

    low: Any
    high: Any
    has_nan: bool = False


_UNKNOWN: Final = _Span(None, None, has_nan=True)


class _ComparisonTest:
    """A comparison of a column with a value."""

    def __init__(self, column: ColumnId, column_type: Type, operator: Operator, value: str) -> None:
        self._column, self._type, self._operator, self._value = column, column_type, operator, value
        self._is_float = isinstance(column_type, types.Float)
        self._is_nan = self._is_float and value.lower().lstrip("+-") == "nan"
        self._literal = _UNKNOWN if self._is_nan else self._span(value, value)
        self._buckets: dict[tuple[Transform, Type | None], frozenset[str]] = {}

    def __call__(self, facts: FileFacts) -> bool:
        if not all(self._may_match_key(key) for key in facts.partition if key.column_id == self._column):
            return False
        stats = facts.stats.get(self._column)
        if stats is not None:
            if stats.value_count == 0:
                return False
            has_nan = self._is_float and stats.contains_nan is not False
            return self._may_match(self._span(stats.min_value, stats.max_value, has_nan=has_nan))
        constant = facts.constants.get(self._column)
        if constant is None:
            return True
        return constant.value is not None and self._may_match_value(constant.value)

    def _may_match_value(self, text: str) -> bool:
        """Return whether a known value may satisfy the comparison."""
        is_nan = self._is_float and text.lower().lstrip("+-") == "nan"
        return self._may_match(_UNKNOWN if is_nan else self._span(text, text))

    def _may_match(self, span: _Span) -> bool:
        if self._is_nan:
            # NaN equals itself and is greater than all else.
            return span.has_nan or self._operator in ("<", "<=", "<>")
        literal = self._literal
        match self._operator:
            case "=":
                return _reaches(span.low, literal.high) and _reaches(literal.low, span.high)
            case "<":
                return _reaches(span.low, literal.high, strictly=True)
            case "<=":
                return _reaches(span.low, literal.high)
            case ">":
                return span.has_nan or _reaches(literal.low, span.high, strictly=True)
            case ">=":
                return span.has_nan or _reaches(literal.low, span.high)
        only = span.low
        return span.has_nan or only is None or not only == span.high == literal.low == literal.high

    def _span(self, low: str | None, high: str | None, *, has_nan: bool = False) -> _Span:
        if not self._type.facts.has_bounds:
            return _UNKNOWN
        keys = [None if text is None else order_key(self._type, text) for text in (low, high)]
        if self._is_float:
            return _Span(_float_edge(keys[0], min), _float_edge(keys[1], max), has_nan)
        return _Span(keys[0], keys[1], has_nan)

    def _may_match_key(self, key: PartitionValue) -> bool:
        if key.transform.is_identity:
            return key.value is not None and self._may_match_value(key.value)
        if key.transform.is_bucket:
            return key.value is not None and (self._operator != "=" or self._may_be_in_bucket(key, key.value))
        if key.value is None:
            # A moment without end has no parts, and lies there too.
            return self._operator != "=" or key.transform.of_text(self._type, self._value) is None
        return self._may_have_part(key.transform, key.value)

    def _may_be_in_bucket(self, key: PartitionValue, bucket: str) -> bool:
        kind = key.transform, key.held
        if kind not in self._buckets:
            found = {key.transform.of_text(one, self._value) for one in self._hashed_as(key.held)}
            self._buckets[kind] = frozenset() if None in found else frozenset(text for text in found if text)
        return not self._buckets[kind] or bucket in self._buckets[kind]

    def _hashed_as(self, held: Type | None) -> set[Type]:
        """Return the types that a value in a bucket may have been hashed as."""
        if not isinstance(self._type, types.Integer):
            return {self._type}
        # DuckLake hashes the text of unsigned and huge integers, and a column may have been another before.
        return {held} if isinstance(held, types.Integer) else {self._type, types.INT8, types.UINT8}

    def _may_have_part(self, transform: Transform, text: str) -> bool:
        nanos = transform.moment(self._type, self._value)
        if nanos is None or not text.lstrip("-").isdecimal():
            return True
        part, is_zoned = int(text), self._type == types.TIMESTAMPTZ
        around = (nanos - _ZONE_NANOS, nanos, nanos + _ZONE_NANOS) if is_zoned else (nanos,)
        parts = [transform.of_moment(near) for near in around]
        if is_zoned and transform.function is Function.HOUR:
            return True
        match self._operator:
            case "=":
                return parts[0] <= part <= parts[-1] if transform.keeps_order else part in parts
            case "<" | "<=":
                return not transform.keeps_order or part <= parts[-1]
            case ">" | ">=":
                return not transform.keeps_order or part >= parts[0]
        return True


def _reaches(low: Any, high: Any, *, strictly: bool = False) -> bool:
    """Return whether one value may be below another; None is unknown."""
    if low is None or high is None:
        return True
    return bool(low < high if strictly else low <= high)


def _float_edge(value: float | None, outer: Callable[[float, float], float]) -> float | None:
    """Return a bound that holds for the value as a 32-bit and as a 64-bit float.

    Files from before a widening have 32-bit values.
    """
    if value is None or math.isnan(value):
        return None
    try:
        (narrow,) = struct.unpack("<f", struct.pack("<f", value))
    except OverflowError:
        return value
    if abs(value) < _EXACT:
        return outer(value, narrow)
    # A larger integer is rounded once where its file is read, and was rounded twice here.
    return outer(outer(value, narrow), outer(narrow * (1 - _FLOAT_STEP), narrow * (1 + _FLOAT_STEP)))
