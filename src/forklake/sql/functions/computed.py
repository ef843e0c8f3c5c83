"""Functions that DuckDB computes, also for Spark.

Both engines give the same by construction.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from sqlglot import exp

from forklake import duck
from forklake.duck.calls import FUNCTIONS, SCALARS, Constant, DuckCall, is_carried
from forklake.model import types
from forklake.sql.expressions.bound import TEXTS, Bound
from forklake.sql.expressions.casts import cast
from forklake.sql.expressions.literals import spark_type
from forklake.sql.expressions.spark_idioms import variable
from forklake.sql.functions.signature import TWO, Function, Nodes, wrong_type

_SHORT: Final = 200
"""Constants up to this length are part of a call; others are columns."""
_LONG_VECTOR: Final = 65_536
"""The same of constant vectors, which as columns would be sent with every row."""
_CONSTANTS: Final = (types.Varchar, types.Integer, types.Boolean, types.Decimal, types.Float)
_CONSTANT_AFTER_FIRST: Final = frozenset({"list_aggregate", "regexp_extract", "regexp_extract_all", "try_strptime"})
"""Functions whose arguments after the first are constants, however long."""

_DOCUMENTS: Final = {
    **dict.fromkeys((name for name in FUNCTIONS if name.startswith("json_")), 1),
    "json_contains": 2,
    "json_merge_patch": 1_000,
}
"""How many of a function's first arguments are JSON."""


def computed_value(name: str, values: Sequence[Bound], node: exp.Expr) -> Bound:
    """Return a call of a function that DuckDB computes.

    Raises:
        InvalidInputError: DuckDB has no such function for these arguments.
    """
    count = _DOCUMENTS.get(name, 0)
    values = [
        value if place >= count or value.type == types.NULL else json_argument(value)
        for place, value in enumerate(values)
    ]
    arguments = [_argument(value, node) for value in values]
    if name in _CONSTANT_AFTER_FIRST:
        arguments[1:] = [
            one if value.literal is None else Constant(value.literal, value.type)
            for value, one in zip(values[1:], arguments[1:], strict=True)
        ]
    call = DuckCall(name, tuple(arguments))
    kind = duck.results.result_type(call)
    given = [value.sql for value, one in zip(values, arguments, strict=True) if not isinstance(one, Constant)]
    found, one = f"`{call.name}`({', '.join(given or ['TRUE'])})", variable()
    if kind == types.NULL:
        return Bound("NULL", types.NULL)
    # What fails does so only where the value is asked for: workers compute it for all rows.
    chosen = f"if({one}.fault IS NULL, {one}.value, CAST(raise_error({one}.fault) AS {spark_type(kind)}))"
    return Bound(f"transform(array({found}), {one} -> {chosen})[0]", kind)


def json_argument(value: Bound) -> Bound:
    """Return an argument of a function of JSON: other values than texts become JSON."""
    return value if value.type in TEXTS else cast(value, types.JSON)


def _argument(value: Bound, node: exp.Expr) -> Constant | types.Type:
    if value.type == types.NULL:
        return Constant(None)
    is_vector = isinstance(value.type, types.List) and isinstance(value.type.element.type, types.Number)
    is_short = value.literal is not None and len(value.literal) <= (_LONG_VECTOR if is_vector else _SHORT)
    if is_short and value.is_untyped:
        return Constant(value.literal)
    is_number = value.type == types.INT32 and value.keeps_type
    if is_short and (is_vector or isinstance(value.type, _CONSTANTS)) and not is_number:
        return Constant(value.literal, value.type)
    if not is_carried(value.type):
        raise wrong_type(value, node)
    return value.type


def _of(name: str) -> Function:
    return lambda values, node: computed_value(name, values, node)


NODES: Final[Nodes] = {
    exp.CosineDistance: (_of("list_cosine_distance"), TWO),
    exp.EuclideanDistance: (_of("list_distance"), TWO),
    exp.JarowinklerSimilarity: (
        _of("jaro_winkler_similarity"),
        ("this", "expression", "case_insensitive", "integer_scale"),
    ),
    exp.ToBinary: (_of("to_binary"), ("this",)),
}
NAMED: Final[Mapping[str, Function]] = {name: _of(name) for name in SCALARS}
