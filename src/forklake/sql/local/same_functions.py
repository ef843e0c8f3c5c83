"""Functions whose values are the same on both engines, by types of arguments."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Final

from sqlglot import exp

from forklake.duck.calls import SCALARS
from forklake.model import types
from forklake.model.types import Type
from forklake.sql.expressions.bound import Bound
from forklake.sql.functions.java_patterns import is_plain_pattern
from forklake.sql.local.same_types import MOMENTS, NARROW, WIDE, are_alike, is_unsigned

_Operands = Sequence[Bound]
Test = Callable[[Sequence[Bound]], bool]
"""Whether a function of these arguments is the same on both engines."""

# ---- tests of types --------------------------------------------------------------------------------------------------


def _of(*kinds: Type, with_decimals: bool = False) -> Test:
    """Return a test for arguments of some types."""

    def test(values: _Operands) -> bool:
        return all(
            one.type in (*kinds, types.NULL) or (with_decimals and isinstance(one.type, types.Decimal))
            for one in values
        )

    return test


def _calculable(values: _Operands) -> bool:
    if any(one.type in WIDE for one in values):
        return _is_whole(values)
    return all(
        isinstance(one.type, types.Number) or one.type in (*MOMENTS, types.INTERVAL, types.NULL) for one in values
    )


def _is_whole(values: _Operands) -> bool:
    """Return whether integers meet in one type in the same way on both engines."""
    if any(one.type == types.UINT128 for one in values):
        return all(is_unsigned(one) for one in values)
    return all(isinstance(one.type, types.Integer | types.Null) for one in values)


def _part_of_text(values: _Operands) -> bool:
    """Return whether a part of a text begins and ends at constant places within it."""
    counts = [one.literal for one in values[1:]]
    return values[0].type == types.VARCHAR and all(
        one is not None and one.isdecimal() and int(one) >= least for one, least in zip(counts, (1, 0), strict=False)
    )


def _end_of_text(values: _Operands) -> bool:
    count = values[1].literal
    return values[0].type == types.VARCHAR and count is not None and count.isdecimal()


def _has_plain_digits(values: _Operands) -> bool:
    digits = values[1].literal if len(values) > 1 else "0"
    is_number = isinstance(values[0].type, types.Decimal) or values[0].type in (*NARROW, types.FLOAT64)
    return is_number and digits is not None and digits.isdecimal() and int(digits) < 10


EXACT_TERMS: Final = _of(*NARROW, types.INT128, types.BOOLEAN, with_decimals=True)
_SUMMABLE: Final = _of(*NARROW, types.INT128, types.FLOAT64, types.BOOLEAN, with_decimals=True)
_TEXT: Final = _of(types.VARCHAR)
_JOINED: Final = _of(types.VARCHAR, *NARROW, types.DATE)
_NUMBERS: Final = _of(*NARROW, types.FLOAT64, with_decimals=True)
_INTEGERS: Final = _of(*NARROW)
_OF_MOMENT: Final = _of(*MOMENTS)
_ORDERED: Final = _of(
    *NARROW, *WIDE, *MOMENTS, types.FLOAT64, types.VARCHAR, types.BOOLEAN, types.TIMESTAMPTZ, with_decimals=True
)
_WITHOUT_FLOATS: Final = _of(*NARROW, *WIDE, *MOMENTS, types.VARCHAR, with_decimals=True)
_SIGNED: Final = _of(*NARROW, types.INT128, types.FLOAT64, with_decimals=True)


def _anything(values: _Operands) -> bool:
    return True


def _each(*tests: Test) -> Test:
    """Return a test of arguments by one test each; the last is for all that follow."""

    def test(values: _Operands) -> bool:
        return all(tests[min(place, len(tests) - 1)]([one]) for place, one in enumerate(values))

    return test


def _is_constant(values: _Operands) -> bool:
    return all(one.literal is not None and one.type in (types.VARCHAR, types.INT32) for one in values)


def _is_small_count(values: _Operands) -> bool:
    """Return whether constants make no text that is too long for Spark."""
    return all(one.literal is not None and one.literal.isdecimal() and int(one.literal) <= 1000 for one in values)


def _has_constants_behind(values: _Operands) -> bool:
    """Return whether all but the first are constants.

    Of a NULL in a column DuckDB says this or that, by the rows beside it.
    """
    return all(one.literal is not None for one in values[1:])


def _is_plain_regex(values: _Operands) -> bool:
    """Return whether patterns mean the same to Java and to RE2.

    Those that are no constants are always RE2's.
    """
    return all(one.literal is None or is_plain_pattern(one.literal) for one in values)


def _is_group(values: _Operands) -> bool:
    """Return whether arguments are constants, or names of groups."""
    return all(isinstance(one.type, types.List) or _is_constant([one]) for one in values)


def _is_plain_replacement(values: _Operands) -> bool:
    """Return whether a pattern and its replacement are plain, with "g" at most."""
    value, pattern, *others = values
    return (
        _TEXT([value])
        and _is_plain_regex([pattern])
        and _is_constant(others)
        and [one.literal for one in others[1:]] in ([], ["g"])
    )


def _is_exact_list(values: _Operands) -> bool:
    """Return whether lists hold values that have one order, which floats have not."""
    return all(
        isinstance(one.type, types.List) and _WITHOUT_FLOATS([Bound("", one.type.element.type)]) for one in values
    )


def _has_its_element(values: _Operands) -> bool:
    """Return whether a list comes with values of the type of its elements."""
    first, *others = values
    return (
        _is_exact_list([first])
        and isinstance(first.type, types.List)
        and all(one.type == first.type.element.type and not one.is_untyped for one in others)
    )


def _are_same_lists(values: _Operands) -> bool:
    return _is_exact_list(values) and len({one.type for one in values}) == 1


def _are_elements(values: _Operands) -> bool:
    """Return whether values become a list, each as it is."""
    kinds = {one.type for one in values}
    return _WITHOUT_FLOATS(values) and len(kinds) == 1 and not any(one.is_untyped for one in values)


def _are_ordered(values: _Operands) -> bool:
    return _WITHOUT_FLOATS(values) and (not any(one.type in WIDE for one in values) or are_alike(values))


def _is_list(values: _Operands) -> bool:
    return len(values) == 1 and isinstance(values[0].type, types.List)


def _is_struct(values: _Operands) -> bool:
    return isinstance(values[0].type, types.Struct)


def _has_length(values: _Operands) -> bool:
    return _is_list(values) or _TEXT(values)


def _has_place(values: _Operands) -> bool:
    """Return whether a list comes with numbers of its elements."""
    return isinstance(values[0].type, types.List) and _INTEGERS(values[1:])


# ---- what is listed --------------------------------------------------------------------------------------------------

ARITHMETIC: Final[Mapping[type[exp.Expr], Test]] = {
    exp.Add: _calculable,
    exp.Sub: _calculable,
    exp.Mul: _calculable,
    exp.Div: _of(*NARROW, types.INT128, types.FLOAT64, with_decimals=True),
    exp.IntDiv: _is_whole,
    exp.Mod: _is_whole,
}
BY_NODE: Final[Mapping[type[exp.Expr], Test]] = {
    **ARITHMETIC,
    exp.Cast: _anything,
    exp.TryCast: _anything,
    exp.Array: _are_elements,
    exp.Struct: _anything,
    exp.Dot: _is_struct,
    exp.Explode: _is_list,
    exp.Bracket: _has_place,
    exp.ILike: _TEXT,
    exp.SimilarTo: _each(_TEXT, _is_plain_regex),
    exp.BitwiseAnd: _INTEGERS,
    exp.BitwiseOr: _INTEGERS,
    exp.BitwiseXor: _INTEGERS,
    exp.CurrentTimestamp: _anything,
    exp.CurrentDate: _anything,
    exp.BitwiseAndAgg: _INTEGERS,
    exp.BitwiseOrAgg: _INTEGERS,
    exp.BitwiseXorAgg: _INTEGERS,
    exp.Neg: _SIGNED,
    exp.Like: _TEXT,
    exp.Escape: _anything,
    exp.DPipe: _JOINED,
    exp.Concat: _JOINED,
    exp.Length: _has_length,
    exp.Replace: _TEXT,
    exp.StrPosition: _TEXT,
    exp.StartsWith: _TEXT,
    exp.EndsWith: _TEXT,
    exp.Contains: _TEXT,
    exp.Substring: _part_of_text,
    exp.Left: _end_of_text,
    exp.Right: _end_of_text,
    exp.MD5: _TEXT,
    exp.Abs: _SIGNED,
    exp.Floor: _NUMBERS,
    exp.Ceil: _NUMBERS,
    exp.Round: _has_plain_digits,
    exp.Sign: _NUMBERS,
    exp.Greatest: _are_ordered,
    exp.Least: _are_ordered,
    exp.Year: _OF_MOMENT,
    exp.Quarter: _OF_MOMENT,
    exp.Month: _OF_MOMENT,
    exp.Day: _OF_MOMENT,
    exp.Hour: _OF_MOMENT,
    exp.Minute: _OF_MOMENT,
    exp.Second: _OF_MOMENT,
    exp.Extract: _OF_MOMENT,
    exp.TimestampTrunc: _OF_MOMENT,
    exp.DateTrunc: _OF_MOMENT,
    exp.DateDiff: _OF_MOMENT,
    exp.Count: _anything,
    exp.CountIf: _of(types.BOOLEAN),
    exp.Sum: _SUMMABLE,
    exp.Avg: _NUMBERS,
    exp.Min: _ORDERED,
    exp.Max: _ORDERED,
    exp.AnyValue: _ORDERED,
    exp.LogicalAnd: _of(types.BOOLEAN),
    exp.LogicalOr: _of(types.BOOLEAN),
    exp.GroupConcat: _TEXT,
    exp.ArrayAgg: _ORDERED,
    exp.Lag: _ORDERED,
    exp.Lead: _ORDERED,
    exp.FirstValue: _ORDERED,
    exp.LastValue: _ORDERED,
}
"""By node of the parser."""
_NAMED: Final[Mapping[Test, str]] = {
    are_alike: "ifnull",
    _TEXT: (
        "ascii bit_length encode ends_with lower ltrim ord rtrim sha1 sha256 starts_with string_split strlen translate"
        " trim upper"
    ),
    _each(_TEXT, _is_small_count, _TEXT): "lpad rpad",
    _each(_TEXT, _is_small_count): "repeat",
    _each(_TEXT, _TEXT, _INTEGERS): "split_part",
    _of(types.BLOB): "base64 md5",
    _each(_of(types.VARCHAR, types.BLOB, *NARROW)): "hex",
    _each(_TEXT, _JOINED): "concat_ws",
    _INTEGERS: "bin bit_count factorial gcd lcm mod xor",
    _of(types.FLOAT64): "isfinite isinf isnan sqrt",
    _OF_MOMENT: (
        "century dayname dayofweek dayofyear decade epoch epoch_ms epoch_ns epoch_us era isodow isoyear last_day"
        " microsecond millennium millisecond monthname week yearweek"
    ),
    _each(_TEXT, _is_plain_regex): "regexp_full_match regexp_matches",
    _each(_TEXT, _is_plain_regex, _is_group): "regexp_extract",
    _is_plain_replacement: "regexp_replace",
    _each(_OF_MOMENT, _TEXT): "strftime",
    _each(_TEXT, _anything): "strptime try_strptime",
    _each(_is_constant, _OF_MOMENT): "date_part",
    _each(_of(types.INT32, types.INT64)): "make_date",
    _anything: "now today pi random uuid uuidv7 typeof",
    _is_exact_list: "array_length flatten list_count list_max list_min list_reverse",
    _has_its_element: "list_append list_contains list_position",
    _are_same_lists: "list_concat list_has_all list_has_any",
    _has_place: "list_extract list_slice",
    _NUMBERS: "even mad trunc",
}
"""Names of functions, apart by spaces; each is the first of its names."""
NAMED: Final[Mapping[str, Test]] = {
    **{name: test for test, names in _NAMED.items() for name in names.split()},
    # DuckDB computes them for both; how one orders equal elements differs by the rows beside them, and one reads past
    # the end of lists without elements.
    **dict.fromkeys(SCALARS - {"list_grade_up", "list_where"}, _anything),
    # Other values become JSON as Spark writes it.
    **dict.fromkeys((name for name in SCALARS if name.startswith("json_")), _TEXT),
    **dict.fromkeys((name for name in SCALARS if name.startswith("parse_")), _has_constants_behind),
}
"""By the first of its names."""
