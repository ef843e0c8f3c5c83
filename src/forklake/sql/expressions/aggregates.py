"""Aggregates and window functions: their result types and their Spark SQL.

`aggregate` takes a node of the parser, its bound arguments and a `Call`, which holds the clauses beside the
arguments (DISTINCT, ORDER BY, FILTER, OVER). All of them go into the SQL text here, because one call in
DuckDB may take several in Spark. `AGGREGATES` and `WINDOWS` list the nodes and names; each entry can also be
called like a scalar function, without any of these clauses.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Final

from sqlglot import exp

from forklake.errors import InvalidInputError
from forklake.model import types
from forklake.model.types import Type
from forklake.model.types.shapes import list_of, map_of
from forklake.sql.expressions import lengths
from forklake.sql.expressions.arithmetic import arithmetic
from forklake.sql.expressions.bound import NAIVE, Bound, decimal_size
from forklake.sql.expressions.calls import Aggregate, Call, Key, constant_count, wrong_aggregate
from forklake.sql.expressions.coercion import cast, unify
from forklake.sql.expressions.distributions import DISTRIBUTIONS
from forklake.sql.expressions.literals import spark_type, text_literal
from forklake.sql.expressions.quantiles import discrete_quantile, quantile
from forklake.sql.expressions.quotients import quotient
from forklake.sql.expressions.render import render
from forklake.sql.expressions.sort_keys import sort_key
from forklake.sql.expressions.window_functions import WINDOW_FUNCTIONS, first
from forklake.sql.functions import LOWERINGS
from forklake.sql.functions.signature import Function
from forklake.sql.vocabulary import BY_NAME, takes
from forklake.sql.vocabulary.declaration import Kind

__all__ = ["AGGREGATES", "ARGUMENTS", "WINDOWS", "Call", "Key", "aggregate", "aggregate_name"]

_SMALL: Final[frozenset[Type]] = frozenset(
    {types.BOOLEAN, types.INT8, types.INT16, types.INT32, types.UINT8, types.UINT16, types.UINT32}
)


# ---- sums ------------------------------------------------------------------------------------------------------------


def _sum_sql(value: Bound, call: Call) -> str:
    """Return the exact sum of exact numbers."""
    if value.type in _SMALL:
        # No table has the rows that would make 64 bits overflow.
        whole = f"CAST({value.sql} AS INT)" if value.type == types.BOOLEAN else value.sql
        return call.of("sum", f"CAST({whole} AS BIGINT)")
    if value.type == types.INT64 and not call.is_distinct:
        # The sums of both halves have 64 bits at most; Spark adds decimals far slower, and overflows as it is set.
        high, low = f"shiftright({value.sql}, 32)", f"({value.sql} & 4294967295L)"
        halves = f"CAST({call.of('sum', high)} AS DECIMAL(28,0)) * 4294967296BD"
        return f"({halves} + CAST({call.of('sum', low)} AS DECIMAL(20,0)))"
    exact = f"CAST({value.sql} AS DECIMAL(20,0))" if value.type == types.INT64 else value.sql
    return call.of("sum", exact)


def _sum(values: Sequence[Bound], call: Call) -> Bound:
    (value,) = values
    if isinstance(value.type, types.Float) or value.type == types.UINT128 or value.is_untyped:
        return Bound(call.of("sum", cast(value, types.FLOAT64).sql), types.FLOAT64)
    if isinstance(value.type, types.Decimal):
        kind = types.Decimal(38, decimal_size(value.type)[1])
        return Bound(f"CAST({call.of('sum', value.wide or value.sql)} AS {kind.sql_name})", kind)
    if not isinstance(value.type, types.Integer) and value.type not in (types.BOOLEAN, types.NULL):
        raise _no_match("sum", values)
    if value.type == types.NULL:
        value = cast(value, types.INT32)
    return Bound(f"CAST({_sum_sql(value, call)} AS DECIMAL(38,0))", types.INT128)


def _average(values: Sequence[Bound], call: Call) -> Bound:
    (value,) = values
    if value.type in NAIVE | {types.DATE, types.TIMESTAMPTZ}:
        raise wrong_aggregate("avg", values)
    if not isinstance(value.type, types.Number) and value.type != types.NULL:
        raise _no_match("avg", values)
    if isinstance(value.type, types.Float) or value.type == types.NULL:
        return Bound(call.of("avg", cast(value, types.FLOAT64).sql), types.FLOAT64)
    count = call.of("count", value.sql)
    if value.type in _SMALL:
        return Bound(f"try_divide(CAST({_sum_sql(value, call)} AS DOUBLE), {count})", types.FLOAT64)
    if not isinstance(value.type, types.Decimal):
        return Bound(quotient(_sum_sql(value, call), count, 0), types.FLOAT64)
    return Bound(quotient(call.of("sum", value.wide or value.sql), count, decimal_size(value.type)[1]), types.FLOAT64)


def _of_doubles(name: str) -> Aggregate:
    def function(values: Sequence[Bound], call: Call) -> Bound:
        for value in values:
            if not isinstance(value.type, types.Number) and value.type not in (types.NULL, types.BOOLEAN):
                raise _no_match(name, values)
        return Bound(call.of(name, *(cast(value, types.FLOAT64).sql for value in values)), types.FLOAT64)

    return function


def _never_null(name: str) -> Aggregate:
    """Return an aggregate of pairs that is NaN where Spark's has no answer.

    It is NULL only where there are no pairs.
    """
    plain = _of_doubles(name)

    def function(values: Sequence[Bound], call: Call) -> Bound:
        found = plain(values, call).sql
        pairs = call.of("count", f"CASE WHEN {values[1].sql} IS NOT NULL THEN {values[0].sql} END")
        return Bound(f"coalesce({found}, CASE WHEN {pairs} > 0 THEN CAST('NaN' AS DOUBLE) END)", types.FLOAT64)

    return function


def _product(values: Sequence[Bound], call: Call) -> Bound:
    rows = call.of("collect_list", cast(values[0], types.FLOAT64).sql)
    multiplied = f"aggregate({rows}, CAST(NULL AS DOUBLE), (total, x) -> coalesce(total, 1D) * x)"
    return Bound(multiplied, types.FLOAT64)


def _geometric_mean(values: Sequence[Bound], call: Call) -> Bound:
    logarithm = LOWERINGS["ln"](values, exp.Null())
    return Bound(f"exp({_average([logarithm], call).sql})", types.FLOAT64)


def _weighted_average(values: Sequence[Bound], call: Call) -> Bound:
    value, weight = values
    total = _sum([arithmetic(value, "*", weight)], call)
    zero = Bound("0", types.INT32, literal="0")
    other = unify([weight, zero])
    counted = replace(
        other[0],
        sql=f"CASE WHEN {value.sql} IS NOT NULL THEN {other[0].sql} ELSE {other[1].sql} END",
        literal=None,
        is_untyped=False,
        wide=None,
    )
    return arithmetic(total, "/", _sum([counted], call))


# ---- counts ----------------------------------------------------------------------------------------------------------


def _count(values: Sequence[Bound], call: Call) -> Bound:
    if call.over is not None and call.is_distinct and values:
        inner = Call(where=call.where, over=call.over).of("collect_set", values[0].sql)
        return Bound(f"CAST(size({inner}) AS BIGINT)", types.INT64)
    return Bound(call.of("count", values[0].sql if values else "*"), types.INT64)


def _count_if(values: Sequence[Bound], call: Call) -> Bound:
    test = cast(values[0], types.BOOLEAN).sql
    counted = f"CASE WHEN {test} THEN 1L WHEN NOT {test} THEN 0L END"
    return Bound(f"CAST({call.of('sum', counted)} AS DECIMAL(38,0))", types.INT128)


def _pair_count(values: Sequence[Bound], call: Call) -> Bound:
    pairs = call.of("count", f"CASE WHEN {values[1].sql} IS NOT NULL THEN {values[0].sql} END")
    return Bound(f"CAST({pairs} AS {spark_type(types.UINT32)})", types.UINT32)


def _approximate_count(values: Sequence[Bound], call: Call) -> Bound:
    return Bound(call.of("approx_count_distinct", values[0].sql), types.INT64)


# ---- one of the values -----------------------------------------------------------------------------------------------


def _extreme(name: str) -> Aggregate:
    def function(values: Sequence[Bound], call: Call) -> Bound:
        value = values[0]
        if not value.type.facts.is_ordered:
            raise wrong_aggregate(name, values)
        if len(values) == 1 and (isinstance(value.type, types.Nested | types.Interval)):
            return _extreme_by(f"{name}_by")([value, value], call)
        if len(values) == 1:
            # DISTINCT does not change the smallest or greatest value.
            inner = Call(where=call.where, over=call.over)
            return Bound(inner.of(name, value.sql), value.type)
        least = constant_count(values[1], name)
        rows = f"sort_array({call.of('collect_list', value.sql)}, {'TRUE' if name == 'min' else 'FALSE'})"
        return Bound(f"slice(nullif({rows}, array()), 1, {least})", list_of(value.type))

    return function


def _extreme_by(name: str) -> Aggregate:
    def function(values: Sequence[Bound], call: Call) -> Bound:
        value, by = values[:2]
        if not by.type.facts.is_ordered:
            raise wrong_aggregate("arg_min" if name == "min_by" else "arg_max", values)
        if len(values) > 2:
            ordered = Call(where=call.where, order=(Key(by, name == "max_by"),), over=call.over)
            rows = f"filter({ordered.collect(value.sql)}, x -> x.k0 IS NOT NULL AND x.v0 IS NOT NULL)"
            found = f"nullif(transform({rows}, x -> x.v0), array())"
            most = constant_count(values[2], name)
            return Bound(f"slice({found}, 1, {most})", list_of(value.type))
        bare, key = Call(where=call.where, over=call.over), sort_key(by)
        shown = f"CASE WHEN {value.sql} IS NOT NULL THEN {key} END"
        if call.where is not None and call.over is not None:
            shown = f"CASE WHEN {call.where.sql} AND {value.sql} IS NOT NULL THEN {key} END"
            bare = Call(over=call.over)
        return Bound(bare.of(name, value.sql, shown), value.type)

    return function


def _same(name: str) -> Aggregate:
    return lambda values, call: Bound(call.of(name, values[0].sql), values[0].type)


def _of_bits(name: str) -> Aggregate:
    def function(values: Sequence[Bound], call: Call) -> Bound:
        (value,) = values
        if isinstance(value.type, types.Integer) and value.type.is_wide:
            raise wrong_aggregate(name, values)
        if not isinstance(value.type, types.Integer) and value.type != types.NULL:
            raise _no_match(name, values)
        return Bound(call.of(name, value.sql), value.type)

    return function


def _of_booleans(name: str) -> Aggregate:
    return lambda values, call: Bound(call.of(name, cast(values[0], types.BOOLEAN).sql), types.BOOLEAN)


# ---- all of the values -----------------------------------------------------------------------------------------------


def _list(values: Sequence[Bound], call: Call) -> Bound:
    (value,) = values
    shape = value.type
    # Spark's own aggregate skips NULLs, and gives an empty list for no rows.
    rows = f"transform({call.collect(value.sql)}, x -> x.v0)"
    counted = Call(where=call.where, over=call.over).of("count", "1")
    return Bound(f"(CASE WHEN {counted} > 0 THEN {rows} END)", list_of(shape))


def _string_agg(values: Sequence[Bound], call: Call) -> Bound:
    value = cast(values[0], types.VARCHAR)
    separator = cast(values[1], types.VARCHAR).sql if len(values) > 1 else text_literal(",")
    if call.order or call.over is not None or call.is_distinct:
        rows = f"filter({call.collect(value.sql)}, x -> x.v0 IS NOT NULL)"
        size = f"aggregate(x, 0L, (t, y) -> t + octet_length(y.v0) + octet_length({separator}))"
        joined = f"array_join(transform({lengths.limit_text_rows(size, 'x')}, y -> y.v0), {separator})"
        return Bound(f"transform(array({rows}), x -> CASE WHEN size(x) > 0 THEN {joined} END)[0]", types.VARCHAR)
    between = f"{call.of('count', value.sql)} * octet_length({separator})"
    size = f"{call.of('sum', f'CAST(octet_length({value.sql}) AS BIGINT)')} + {between}"
    joined = f"array_join({lengths.limit_text_rows(size, call.of('collect_list', value.sql))}, {separator})"
    return Bound(f"(CASE WHEN {call.of('count', value.sql)} > 0 THEN {joined} END)", types.VARCHAR)


def _histogram(values: Sequence[Bound], call: Call) -> Bound:
    (value,) = values
    rows = call.of("collect_list", value.sql)
    counted = "struct(v AS key, CAST(size(filter(x, y -> y = v)) AS DECIMAL(20,0)) AS value)"
    entries = f"transform(array_sort(array_distinct(x)), v -> {counted})"
    found = f"transform(array({rows}), x -> CASE WHEN size(x) > 0 THEN map_from_entries({entries}) END)[0]"
    return Bound(found, map_of(value.type, types.UINT64))


# ---- all of them -----------------------------------------------------------------------------------------------------


def _no_match(name: str, values: Sequence[Bound]) -> InvalidInputError:
    kinds = ", ".join(value.type.sql_name for value in values)
    return InvalidInputError(
        f"Binder Error: No function matches the given name and argument types '{name}({kinds})'."
        " You might need to add explicit type casts."
    )


_ONE: Final = ("this",)
_TWO: Final = ("this", "expression")
_NODES: Final[Mapping[type[exp.Expr], tuple[str, Sequence[str]]]] = {
    exp.Count: ("count", _ONE),
    exp.Sum: ("sum", _ONE),
    exp.Avg: ("avg", _ONE),
    exp.Min: ("min", ("this", "count", "expressions")),
    exp.Max: ("max", ("this", "count", "expressions")),
    exp.AnyValue: ("any_value", _ONE),
    exp.First: ("first", _ONE),
    exp.Last: ("last", _ONE),
    exp.GroupConcat: ("string_agg", ("this", "separator")),
    exp.ArrayAgg: ("list", _ONE),
    exp.LogicalAnd: ("bool_and", _ONE),
    exp.LogicalOr: ("bool_or", _ONE),
    exp.Stddev: ("stddev", _ONE),
    exp.StddevSamp: ("stddev", _ONE),
    exp.StddevPop: ("stddev_pop", _ONE),
    exp.Variance: ("variance", _ONE),
    exp.VariancePop: ("var_pop", _ONE),
    exp.Median: ("median", _ONE),
    exp.PercentileCont: ("quantile_cont", _TWO),
    exp.PercentileDisc: ("quantile_disc", _TWO),
    exp.Quantile: ("quantile_disc", ("this", "quantile")),
    exp.CountIf: ("count_if", _ONE),
    exp.ArgMin: ("arg_min", (*_TWO, "count")),
    exp.ArgMax: ("arg_max", (*_TWO, "count")),
    exp.Mode: ("mode", _ONE),
    exp.ApproxDistinct: ("approx_count_distinct", _ONE),
    exp.BitwiseAndAgg: ("bit_and", _ONE),
    exp.BitwiseOrAgg: ("bit_or", _ONE),
    exp.BitwiseXorAgg: ("bit_xor", _ONE),
    exp.Corr: ("corr", _TWO),
    exp.CovarPop: ("covar_pop", _TWO),
    exp.RegrSlope: ("regr_slope", _TWO),
    exp.RegrIntercept: ("regr_intercept", _TWO),
    exp.RegrR2: ("regr_r2", _TWO),
    exp.RegrAvgx: ("regr_avgx", _TWO),
    exp.RegrAvgy: ("regr_avgy", _TWO),
    exp.CovarSamp: ("covar_samp", _TWO),
    exp.ApproxQuantile: ("approx_quantile", ("this", "quantile")),
    exp.Skewness: ("skewness", _ONE),
    exp.Kurtosis: ("kurtosis", _ONE),
    exp.RegrCount: ("regr_count", _TWO),
    exp.RegrSxx: ("regr_sxx", _TWO),
    exp.RegrSyy: ("regr_syy", _TWO),
    exp.RegrSxy: ("regr_sxy", _TWO),
    exp.RowNumber: ("row_number", ()),
    exp.Rank: ("rank", ()),
    exp.DenseRank: ("dense_rank", ()),
    exp.PercentRank: ("percent_rank", ()),
    exp.CumeDist: ("cume_dist", ()),
    exp.Ntile: ("ntile", _ONE),
    exp.Lag: ("lag", ("this", "offset", "default")),
    exp.Lead: ("lead", ("this", "offset", "default")),
    exp.FirstValue: ("first_value", _ONE),
    exp.LastValue: ("last_value", _ONE),
    exp.NthValue: ("nth_value", ("this", "offset")),
}
_ANY: Final = first(skips_nulls=True)
_LOWERINGS: Final[Mapping[str, Aggregate]] = {
    "count": _count,
    "count_star": _count,
    "sum": _sum,
    "avg": _average,
    "fsum": _of_doubles("sum"),
    "favg": _of_doubles("avg"),
    "product": _product,
    "min": _extreme("min"),
    "max": _extreme("max"),
    "arg_min": _extreme_by("min_by"),
    "arg_max": _extreme_by("max_by"),
    "any_value": _ANY,
    "first": first(),
    "last": first(is_last=True),
    "string_agg": _string_agg,
    "list": _list,
    "bool_and": _of_booleans("bool_and"),
    "bool_or": _of_booleans("bool_or"),
    "stddev": _of_doubles("stddev_samp"),
    "stddev_pop": _of_doubles("stddev_pop"),
    "variance": _of_doubles("var_samp"),
    "var_pop": _of_doubles("var_pop"),
    "corr": _never_null("corr"),
    "covar_pop": _of_doubles("covar_pop"),
    "covar_samp": _of_doubles("covar_samp"),
    **{name: _of_doubles(name) for name in ("regr_intercept", "regr_r2", "regr_avgx", "regr_avgy")},
    "regr_slope": _never_null("regr_slope"),
    **{name: _of_doubles(name) for name in ("regr_sxx", "regr_syy", "regr_sxy")},
    "regr_count": _pair_count,
    "geomean": _geometric_mean,
    "weighted_avg": _weighted_average,
    **DISTRIBUTIONS,
    "median": quantile,
    "quantile_cont": quantile,
    "quantile_disc": discrete_quantile,
    "mode": _same("mode"),
    "histogram": _histogram,
    "count_if": _count_if,
    "approx_count_distinct": _approximate_count,
    **{name: _of_bits(name) for name in ("bit_and", "bit_or", "bit_xor")},
    **WINDOW_FUNCTIONS,
}
"""Aggregates and window functions by the first of their names."""

ARGUMENTS: Final[Mapping[type[exp.Expr], Sequence[str]]] = {kind: said for kind, (_, said) in _NODES.items()}
"""The names of a node's arguments, in order, by node of the parser. Other aggregates have ``expressions``."""


def _as_function(function: Aggregate) -> Function:
    return lambda values, node: function(values, Call())


def _by_node_and_name(kind: Kind) -> dict[type[exp.Expr] | str, Function]:
    named = {name: _as_function(_LOWERINGS[one.name]) for name, one in BY_NAME.items() if one.kind == kind}
    nodes = ((node, named[name]) for node, (name, _) in _NODES.items() if name in named)
    return dict([*named.items(), *nodes])


AGGREGATES: Final[Mapping[type[exp.Expr] | str, Function]] = _by_node_and_name("aggregate")
"""Aggregates by node of the parser, and by each of their names in lower case."""
WINDOWS: Final[Mapping[type[exp.Expr] | str, Function]] = _by_node_and_name("window")
"""The same for functions that need OVER."""


def aggregate_name(node: exp.Expr) -> str:
    """Return the name, in lower case, of the aggregate that a node calls."""
    if type(node) in _NODES:
        return _NODES[type(node)][0]
    return node.name.lower() if isinstance(node, exp.Anonymous) else node.key


def aggregate(node: exp.Expr, values: Sequence[Bound], call: Call) -> Bound:
    """Bind the aggregate or window function that a node calls.

    Args:
        node: The call itself, not what the parser wraps around it (Filter, Window, IgnoreNulls, WithinGroup).
        values: The bound arguments; none for ``count(*)``. Those of WITHIN GROUP come before those in
            parentheses.
        call: The clauses beside the arguments.

    Raises:
        InvalidInputError: There is no such aggregate, it does not take such values, or Spark cannot compute it.
    """
    name = aggregate_name(node)
    declared = BY_NAME.get(name)
    if declared is None or declared.kind == "scalar":
        raise InvalidInputError(f'The aggregate "{name}" is not supported: {render(node)}')
    function = _LOWERINGS[declared.name]
    if declared.kind == "window" and call.over is None:
        raise InvalidInputError(f'Binder Error: "{name}" is a window function: it needs OVER')
    if not takes(name, len(values)):
        raise _no_match(name, values)
    try:
        return function(values, call)
    except (IndexError, ValueError) as error:
        raise _no_match(name, values) from error
