"""Kinds of nodes, and their parts, that queries for DuckDB may have.

What is listed here means the same on both engines whatever its values are; `same_values` lists what depends on them.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from sqlglot import exp

from forklake.sql.expressions.nodes import function_name
from forklake.sql.local.same_values import LISTED, describe_node, listed_name
from forklake.sql.vocabulary import BY_NAME

_PARTS: Final[Mapping[type[exp.Expr], frozenset[str]]] = {
    exp.Select: frozenset(
        {
            "with_",
            "expressions",
            "from_",
            "joins",
            "where",
            "group",
            "having",
            "windows",
            "qualify",
            "distinct",
            "order",
            "limit",
            "offset",
        }
    ),
    exp.Subquery: frozenset({"this", "alias"}),
    exp.Union: frozenset({"with_", "this", "expression", "distinct", "order", "limit", "offset"}),
    exp.Except: frozenset({"with_", "this", "expression", "distinct", "order", "limit", "offset"}),
    exp.Intersect: frozenset({"with_", "this", "expression", "distinct", "order", "limit", "offset"}),
    exp.Group: frozenset({"expressions", "all"}),
    exp.Distinct: frozenset({"expressions"}),
    exp.Join: frozenset({"this", "on", "using", "side", "kind"}),
    exp.Limit: frozenset({"expression"}),
    exp.Offset: frozenset({"expression"}),
    exp.Order: frozenset({"this", "expressions"}),
    exp.Ordered: frozenset({"this", "desc", "nulls_first"}),
    exp.TableAlias: frozenset({"this", "columns"}),
    exp.Star: frozenset({"except_"}),
    exp.Values: frozenset({"expressions", "alias"}),
    exp.Tuple: frozenset({"expressions"}),
    exp.StrPosition: frozenset({"this", "substr"}),
    exp.Trim: frozenset({"this", "expression"}),
    exp.Unnest: frozenset({"expressions", "alias"}),
    exp.Min: frozenset({"this"}),
    exp.Max: frozenset({"this"}),
    exp.In: frozenset({"this", "expressions", "query", "negate"}),
    exp.Window: frozenset({"this", "partition_by", "order", "spec", "alias", "over"}),
}
"""The parts that a node may have, where it may not have all that the parser knows."""
_CLAUSES: Final = frozenset(
    {
        exp.Alias,
        exp.CTE,
        exp.DataType,
        exp.DataTypeParam,
        exp.From,
        exp.Having,
        exp.PropertyEQ,
        exp.Qualify,
        exp.Slice,
        exp.Var,
        exp.Where,
        exp.WindowSpec,
        *_PARTS,
    }
)
_OF_VARIANTS: Final = frozenset(
    {
        exp.Array,
        exp.Bracket,
        exp.ColumnDef,
        exp.Columns,
        exp.Dot,
        exp.List,
        exp.Map,
        exp.PropertyEQ,
        exp.Struct,
        exp.ToMap,
        exp.TryCast,
    }
)
_UNITS: Final = frozenset({"year", "quarter", "month", "day", "hour", "minute", "second"})
_SIDES: Final = frozenset({"", "left", "right", "full"})
_KINDS: Final = frozenset({"", "inner", "outer", "cross", "semi", "anti"})


class NotListedError(Exception):
    """Something in a query is not known to be the same on both engines."""

    def __init__(self, what: str) -> None:
        super().__init__(f"{what} is left to Spark")


_PART_WORDS: Final = {
    "joins": "a join of this kind or in this place",
    "sample": "a sample",
    "pivots": "PIVOT or UNPIVOT",
    "method": "an ASOF, NATURAL or POSITIONAL join",
    "limit_options": "LIMIT with a percentage",
    "with_": "WITH in this place",
    "by_name": "BY NAME",
    "on": "DISTINCT ON",
    "rename": "* RENAME",
    "replace": "* REPLACE",
    "ilike": "a pattern behind *",
    "when": "AT (...) here",
    "offset": "WITH ORDINALITY",
}
"""What users wrote for parts of nodes."""


def describe_part(node: exp.Expr, part: str) -> str:
    """Return what a part of a node is called where a message names it."""
    return _PART_WORDS.get(part) or describe_node(node)


def has_variant_parts(node: exp.Expr) -> bool:
    """Return whether a node makes variants, or computes with them.

    Functions are DuckDB's own, so they need not be the same on Spark.
    """
    if type(node) in _OF_VARIANTS:
        return True
    declared = BY_NAME.get(function_name(node).lower()) if isinstance(node, exp.Func) else None
    return declared is not None and declared.kind == "scalar"


def check_listed(node: exp.Expr) -> None:
    """Refuse a node that is not listed, or has a part that is not.

    Raises:
        NotListedError: It is none of those.
    """
    kind = type(node)
    if listed_name(node) is None and kind not in LISTED and kind not in _CLAUSES:
        raise NotListedError(describe_node(node))
    listed = _PARTS.get(kind)
    if listed is not None:
        for part, value in node.args.items():
            if value and part not in listed:
                raise NotListedError(describe_part(node, part))
    match node:
        case exp.Join():
            if (node.side or "").lower() not in _SIDES or (node.kind or "").lower() not in _KINDS:
                raise NotListedError("this JOIN")
        case exp.Limit() | exp.Offset():
            if not isinstance(node.expression, exp.Literal) or not node.expression.name.isdecimal():
                raise NotListedError("this LIMIT")
        case exp.Tuple():
            if not isinstance(node.parent, exp.Values):
                raise NotListedError("a row as a value")
        case exp.Distinct():
            if len(node.expressions) > 1:
                raise NotListedError("DISTINCT of several values")
        case exp.Extract() | exp.TimestampTrunc() | exp.DateTrunc() | exp.DateDiff():
            unit = node.this if isinstance(node, exp.Extract) else node.args.get("unit")
            if unit is None or unit.name.lower() not in _UNITS:
                raise NotListedError(describe_node(node))
        case exp.Window():
            inner = node.this.this if isinstance(node.this, exp.Filter) else node.this
            if isinstance(inner, exp.Avg):
                raise NotListedError("a moving average")
