"""Which expressions have the same value on both engines.

Functions and types tell.

What is not listed here runs on Spark, whatever the size of its tables: an answer never changes because a table grew.
The differences from DuckDB that `docs/guide/sql.md` lists are the reason for what is left out.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import pairwise
from typing import Final

from sqlglot import exp

from forklake.model import types
from forklake.model.types import Type
from forklake.sql.expressions.bound import Bound
from forklake.sql.expressions.nodes import COMPARISONS, call_arguments, function_name
from forklake.sql.expressions.render import BoundNode

_NARROW: Final = (
    types.INT8,
    types.INT16,
    types.INT32,
    types.INT64,
    types.UINT8,
    types.UINT16,
    types.UINT32,
    types.UINT64,
)
_MOMENTS: Final = (types.DATE, types.TIMESTAMP)
_SCALARS: Final = frozenset(
    {
        *_NARROW,
        *_MOMENTS,
        types.INT128,  # of sums; no column of it is read
        types.FLOAT32,
        types.FLOAT64,
        types.BOOLEAN,
        types.VARCHAR,
        types.BLOB,
        types.TIMESTAMPTZ,
        types.UUID,
        types.NULL,
    }
)
_MOMENT_TEXT: Final = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}([ T][0-9]{2}:[0-9]{2}:[0-9]{2}(\.[0-9]{1,6})?)?")
_NUMBER_TEXT: Final = re.compile(r"-?[0-9]{1,18}(\.[0-9]{1,9})?")
_UUID_TEXT: Final = re.compile(r"[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")
_Operands = Sequence[Bound]
_Test = Callable[[_Operands], bool]


def different_value(values: Sequence[tuple[exp.Expr, Bound]]) -> str | None:
    """Return an expression that may have another value on the other engine.

    None: all of them are the same on both. ``values`` are the expressions of a query with what they were bound to.
    """
    known = {id(node): bound for node, bound in values}
    for node, bound in values:
        if not _is_same(node, bound, known):
            return describe_node(node)
    return None


def describe_node(node: exp.Expr) -> str:
    """Return what a node is called where a message tells of it."""
    if isinstance(node, exp.Cast):
        return "this CAST"
    if isinstance(node, exp.Func) and not isinstance(node, exp.Case):
        return f"{function_name(node).lower()}()"
    return type(node).__name__.upper() if not isinstance(node, exp.Column) else f'column "{node.name}"'


def is_scalar(kind: Type) -> bool:
    """Return whether both engines have the same values of a type, none of them nested."""
    return kind in _SCALARS or isinstance(kind, types.Decimal)


def is_handed_over(kind: Type) -> bool:
    """Return whether DuckDB takes columns of a type, and gives them back as they are."""
    if isinstance(kind, types.Nested):
        return all(is_handed_over(field.type) for field in kind.children)
    return is_scalar(kind) and kind != types.INT128


def _is_same(node: exp.Expr, bound: Bound, known: Mapping[int, Bound]) -> bool:
    kind = type(node)
    if kind in _PASSED_ON:
        return is_scalar(bound.type) or is_handed_over(bound.type)
    if isinstance(node, exp.Interval):
        return isinstance(node.this, exp.Literal)
    if not is_scalar(bound.type) and kind not in _COLLECTING:
        return False
    if isinstance(node, exp.Neg) and bound.literal is not None:
        return True
    if kind in COMPARISONS or kind in _COMPARING:
        return all(_all_known(values, known, _are_alike) for values in _operand_groups(node))
    if isinstance(node, exp.Window | exp.Filter):
        return _is_same_over(node, known)
    test = _TESTS.get(kind)
    if isinstance(node, exp.Anonymous):
        test = _NAMED.get(node.name.lower())
    if test is None:
        return kind in _FREE
    if kind in _ARITHMETIC:
        return _all_known(_chain(node), known, lambda found: test(found) and _keeps_digits(node, found))
    if isinstance(node, exp.Cast):
        return _all_known([node.this], known, lambda found: is_same_cast(found[0], bound.type))
    return _all_known(_arguments(node), known, test)


def _is_same_over(node: exp.Window | exp.Filter, known: Mapping[int, Bound]) -> bool:
    """Return whether an aggregate of a window, or of some rows, is the same.

    Sums of floats are not where windows overlap: the engines add their parts in another order.
    """
    called = node.this
    while isinstance(called, exp.Filter):
        called = called.this
    test = _TESTS.get(type(called))
    if test is None:
        return type(called) in _FREE
    if isinstance(node, exp.Window) and isinstance(called, exp.Sum):
        test = _EXACT_TERMS
    return _all_known(_arguments(called), known, test)


def _all_known(nodes: Iterable[exp.Expr], known: Mapping[int, Bound], test: _Test) -> bool:
    found = [known.get(id(node)) for node in nodes]
    values = [one for one in found if one is not None]
    return len(values) == len(found) and test(values)


# ---- operands --------------------------------------------------------------------------------------------------------


def _operand_groups(node: exp.Expr) -> list[list[exp.Expr]]:
    """Return the operands of a node, in groups that take one type each."""
    match node:
        case exp.Case():
            branches = node.args.get("ifs", ())
            results = [branch.args["true"] for branch in branches]
            results += [node.args["default"]] if node.args.get("default") is not None else []
            tests = [] if node.args.get("this") is None else [[node.this, branch.this] for branch in branches]
            return [results, *tests]
        case exp.If():
            return [[one for one in (node.args["true"], node.args.get("false")) if one is not None]]
        case exp.Between():
            return [[node.this, node.args["low"], node.args["high"]]]
        case exp.In() if node.args.get("query") is not None:
            return [[node.this, *_first_item(node.args["query"])]]
        case exp.In():
            return [[node.this, *node.expressions]]
        case exp.Binary():
            return [[node.this, node.expression]]
    return [_arguments(node)]


def _first_item(query: exp.Expr) -> list[exp.Expr]:
    """Return the column of a subquery.

    Where it is not plain, return the query itself, of which nothing is known.
    """
    while isinstance(query, exp.Subquery):
        query = query.this
    if not isinstance(query, exp.Select) or len(query.expressions) != 1:
        return [query]
    only = query.expressions[0]
    return [only.this if isinstance(only, exp.Alias) else only]


def _arguments(node: exp.Expr) -> list[exp.Expr]:
    if not isinstance(node, exp.Func):
        return [node.this, node.expression] if isinstance(node, exp.Binary) else [node.this]
    found: list[exp.Expr] = []
    for one in call_arguments(node):
        inner = one.this if isinstance(one, exp.Order) else one
        found += inner.expressions if isinstance(inner, exp.Distinct) else [inner]
    return [one for one in found if not isinstance(one, exp.Var | exp.Star)]


def _chain(node: exp.Expr) -> list[exp.Expr]:
    """Return the operands of a chain of calculations.

    Its inner nodes are not bound by themselves.
    """
    found: list[exp.Expr] = []
    while type(node) in _ARITHMETIC:
        found.append(node.expression)
        node = node.this
    return [node, *found]


# ---- tests of types --------------------------------------------------------------------------------------------------


def _are_alike(values: _Operands) -> bool:
    """Return whether values meet in one type in the same way on both engines."""
    typed = [one for one in values if not one.is_untyped and one.type != types.NULL]
    if not all(is_scalar(one.type) for one in typed):
        return False
    if not all(_meet(one.type, other.type) for one, other in pairwise(typed)):
        return False
    return all(_is_plain_text(one, typed[0].type) for one in values if one.is_untyped) if typed else True


def _meet(one: Type, other: Type) -> bool:
    if one == other:
        return True
    match one, other:
        case types.Number(), types.Number():
            is_wide = types.INT128 in (one, other)
            return not is_wide or (isinstance(one, types.Integer) and isinstance(other, types.Integer))
        case types.Date() | types.Timestamp(), types.Date() | types.Timestamp():
            return one in _MOMENTS and other in _MOMENTS
    return False


def _is_plain_text(value: Bound, kind: Type) -> bool:
    """Return whether a constant text is the same value of a type on both engines."""
    text = value.literal or ""
    if kind == types.VARCHAR:
        return True
    if kind in (*_MOMENTS, types.TIMESTAMPTZ):
        return _MOMENT_TEXT.fullmatch(text) is not None
    if kind == types.UUID:
        return _UUID_TEXT.fullmatch(text) is not None
    is_number = isinstance(kind, types.Integer | types.Decimal) or kind == types.FLOAT64
    if isinstance(kind, types.Integer) and "." in text:
        return False
    return is_number and _NUMBER_TEXT.fullmatch(text) is not None


def is_same_cast(value: Bound, target: Type) -> bool:
    """Return whether a value is cast to a type in the same way on both engines."""
    source = value.type
    if source in (target, types.NULL):
        return is_scalar(target)
    if value.literal is not None and source == types.VARCHAR:
        return _is_plain_text(value, target)
    match source, target:
        case types.Integer(), types.Integer():
            return target in _NARROW
        case types.Integer(), types.Decimal() | types.Boolean() | types.Varchar():
            return source in _NARROW
        case types.Integer(), types.Float():
            return source in _NARROW and target == types.FLOAT64
        case types.Boolean(), types.Integer() | types.Varchar():
            return target in _NARROW or target == types.VARCHAR
        case types.Decimal(), types.Decimal():
            return True
        case types.Decimal() | types.Float(), types.Float():
            return target == types.FLOAT64
        case types.Decimal() | types.Uuid(), types.Varchar():
            return True
        case types.Date() | types.Timestamp(), types.Date() | types.Timestamp() | types.Varchar():
            return source in _MOMENTS and (target in _MOMENTS or target == types.VARCHAR)
    return False


def _keeps_digits(node: exp.Expr, values: _Operands) -> bool:
    """Return whether integers of 128 bits stay within the 38 digits of Spark."""
    wide = [one for one in values if one.type == types.INT128]
    if not wide or isinstance(node, exp.Div):
        return True
    others = [one for one in values if one.type != types.INT128]
    return len(wide) == 1 and all(one.literal is not None and one.type == types.INT32 for one in others)


def _of(*kinds: Type, with_decimals: bool = False) -> _Test:
    """Return a test for arguments of some types."""

    def test(values: _Operands) -> bool:
        return all(
            one.type in (*kinds, types.NULL) or (with_decimals and isinstance(one.type, types.Decimal))
            for one in values
        )

    return test


def _calculable(values: _Operands) -> bool:
    return all(
        (isinstance(one.type, types.Number) and one.type != types.UINT128)
        or one.type in (*_MOMENTS, types.INTERVAL, types.NULL)
        for one in values
    )


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
    is_number = isinstance(values[0].type, types.Decimal) or values[0].type in (*_NARROW, types.FLOAT64)
    return is_number and digits is not None and digits.isdecimal() and int(digits) < 10


_EXACT_TERMS: Final = _of(*_NARROW, types.BOOLEAN, with_decimals=True)


def _is_summable(values: _Operands) -> bool:
    return _of(*_NARROW, types.FLOAT64, types.BOOLEAN, with_decimals=True)(values)


_TEXT: Final = _of(types.VARCHAR)
_JOINED: Final = _of(types.VARCHAR, *_NARROW, types.DATE)
_NUMBERS: Final = _of(*_NARROW, types.FLOAT64, with_decimals=True)
_INTEGERS: Final = _of(*_NARROW)
_OF_MOMENT: Final = _of(*_MOMENTS)
_ORDERED: Final = _of(
    *_NARROW, *_MOMENTS, types.FLOAT64, types.VARCHAR, types.BOOLEAN, types.TIMESTAMPTZ, with_decimals=True
)
_WITHOUT_FLOATS: Final = _of(*_NARROW, *_MOMENTS, types.VARCHAR, with_decimals=True)


def _anything(values: _Operands) -> bool:
    return True


# ---- what is listed --------------------------------------------------------------------------------------------------

_ARITHMETIC: Final[Mapping[type[exp.Expr], _Test]] = {
    exp.Add: _calculable,
    exp.Sub: _calculable,
    exp.Mul: _calculable,
    exp.Div: _of(*_NARROW, types.INT128, types.FLOAT64, with_decimals=True),
    exp.IntDiv: _INTEGERS,
    exp.Mod: _INTEGERS,
}
_PASSED_ON: Final = frozenset({exp.Column, exp.Identifier, exp.Paren, exp.Subquery, BoundNode})
_COMPARING: Final = frozenset(
    {
        exp.In,
        exp.Between,
        exp.Case,
        exp.If,
        exp.Coalesce,
        exp.Nullif,
        exp.NullSafeEQ,
        exp.NullSafeNEQ,
    }
)
_FREE: Final = frozenset(
    {
        exp.And,
        exp.Or,
        exp.Not,
        exp.Is,
        exp.Literal,
        exp.Boolean,
        exp.Null,
        exp.Exists,
        exp.Select,
        exp.RowNumber,
        exp.Rank,
        exp.DenseRank,
    }
)
"""Nodes whose operands are conditions, or are checked by themselves."""
_COLLECTING: Final = frozenset({exp.ArrayAgg, exp.Count, exp.CountIf})
_TESTS: Final[Mapping[type[exp.Expr], _Test]] = {
    **_ARITHMETIC,
    exp.Cast: _anything,
    exp.Neg: _NUMBERS,
    exp.Like: _TEXT,
    exp.Escape: _anything,
    exp.DPipe: _JOINED,
    exp.Concat: _JOINED,
    exp.Length: _TEXT,
    exp.Replace: _TEXT,
    exp.StrPosition: _TEXT,
    exp.StartsWith: _TEXT,
    exp.EndsWith: _TEXT,
    exp.Contains: _TEXT,
    exp.Substring: _part_of_text,
    exp.Left: _end_of_text,
    exp.Right: _end_of_text,
    exp.MD5: _TEXT,
    exp.Abs: _NUMBERS,
    exp.Floor: _NUMBERS,
    exp.Ceil: _NUMBERS,
    exp.Round: _has_plain_digits,
    exp.Sign: _NUMBERS,
    exp.Greatest: _WITHOUT_FLOATS,
    exp.Least: _WITHOUT_FLOATS,
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
    exp.Sum: _is_summable,
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
"""Tests of the types of arguments."""
_NAMED: Final[Mapping[str, _Test]] = {
    "ifnull": _are_alike,
    "strlen": _TEXT,
    "prefix": _TEXT,
    "suffix": _TEXT,
}

LISTED: Final = frozenset(
    {*_TESTS, *_PASSED_ON, *_COMPARING, *_FREE, *COMPARISONS, exp.Interval, exp.Window, exp.Filter}
)
"""The kinds of expressions that may have the same value on both engines."""
LISTED_NAMES: Final = frozenset(_NAMED)
"""The same for functions that the parser has no node for."""
