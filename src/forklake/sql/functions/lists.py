"""Functions of lists.

A lambda among the arguments is a `Bound` with its text in Spark SQL and the type of its result.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from sqlglot import exp

from forklake.errors import InvalidInputError
from forklake.model import types
from forklake.model.types import Type
from forklake.model.types.shapes import list_of, struct_of
from forklake.sql.expressions import lengths
from forklake.sql.expressions.bound import TEXTS, Bound
from forklake.sql.expressions.calls import Call, Key
from forklake.sql.expressions.casts import cast
from forklake.sql.expressions.coercion import unify
from forklake.sql.expressions.literals import spark_type, text_literal
from forklake.sql.expressions.nested import element, exact, keep_zeros, value_slice
from forklake.sql.expressions.render import render
from forklake.sql.expressions.sort_keys import sort_key
from forklake.sql.expressions.spark_idioms import once, refusal, variable
from forklake.sql.functions.computed import computed_value
from forklake.sql.functions.signature import (
    THIS,
    TWO,
    Function,
    Nodes,
    constant_text,
    element_of,
    text,
    whole,
    wrong_type,
)


def _list(value: Bound, node: exp.Expr) -> Bound:
    if value.is_untyped or not isinstance(value.type, types.List):
        raise wrong_type(value, node)
    return value


def _with(values: Sequence[Bound], node: exp.Expr) -> tuple[Bound, Bound]:
    """Cast a list and a value to a common element type."""
    lists, member = values
    inner = element_of(_list(lists, node), node)
    same = unify([inner, member])[1]
    return cast(lists, list_of(same.type)), same


def contains(values: Sequence[Bound], node: exp.Expr) -> Bound:
    """Return whether a list has a value, a map a key, or a text another text."""
    if isinstance(values[0].type, types.Map):
        key = cast(values[1], values[0].type.key.type)
        return Bound(f"map_contains_key({values[0].sql}, {exact(key)})", types.BOOLEAN)
    if values[0].type in TEXTS and values[1].type in TEXTS:
        return Bound(f"contains({values[0].sql}, {values[1].sql})", types.BOOLEAN)
    if types.NULL in (values[1].type, element_of(values[0], node).type):
        return cast(Bound("NULL", types.NULL), types.BOOLEAN)
    lists, member = _with(values, node)

    def body(sql: str) -> str:
        found = f"coalesce(array_contains({sql}, {exact(member)}), FALSE)"
        return f"(CASE WHEN {sql} IS NOT NULL AND {member.sql} IS NOT NULL THEN {found} END)"

    return Bound(once(lists.sql, body), types.BOOLEAN)


def _position(values: Sequence[Bound], node: exp.Expr) -> Bound:
    lists, member = _with(values, node)
    name = variable()
    of_null = f"array_position(transform({lists.sql}, {name} -> {name} IS NULL), TRUE)"
    found = f"if({member.sql} IS NULL, {of_null}, array_position({lists.sql}, {exact(member)}))"
    return Bound(f"CAST(nullif({found}, 0) AS INT)", types.INT32)


def _two_lists(values: Sequence[Bound], node: exp.Expr) -> list[Bound]:
    return unify([_list(value, node) for value in values])


def _has_any(values: Sequence[Bound], node: exp.Expr) -> Bound:
    one, other = _two_lists(values, node)
    return Bound(f"(array_size(array_intersect(array_compact({one.sql}), {other.sql})) > 0)", types.BOOLEAN)


def _has_all(values: Sequence[Bound], node: exp.Expr) -> Bound:
    one, other = _two_lists(values, node)
    name = variable()
    missing = f"filter(array_except({other.sql}, {one.sql}), {name} -> {name} IS NOT NULL)"
    return Bound(f"(array_size({missing}) = 0)", types.BOOLEAN)


def _intersection(values: Sequence[Bound], node: exp.Expr) -> Bound:
    one, other = _two_lists(values, node)
    empty = f"CAST(array() AS {spark_type(other.type)})"
    found = f"array_compact(array_intersect({one.sql}, coalesce({other.sql}, {empty})))"
    return Bound(keep_zeros(found, one), one.type)


def _distinct(values: Sequence[Bound], node: exp.Expr) -> Bound:
    value = _list(values[0], node)
    return Bound(keep_zeros(f"array_compact(array_distinct({value.sql}))", value), value.type)


def _distinct_count(values: Sequence[Bound], node: exp.Expr) -> Bound:
    return Bound(f"CAST(array_size({_distinct(values, node).sql}) AS DECIMAL(20,0))", types.UINT64)


def _sort(values: Sequence[Bound], node: exp.Expr, default: str = "ASC") -> Bound:
    order = constant_text(values[1], node, "order of a sort").upper() if len(values) > 1 else default
    nulls = constant_text(values[2], node, "place of NULL in a sort").upper() if len(values) > 2 else "NULLS LAST"
    if order not in ("ASC", "DESC") or nulls not in ("NULLS FIRST", "NULLS LAST"):
        raise InvalidInputError(f'Invalid Input Error: The order "{order} {nulls}" of a sort is none: {render(node)}')
    return _in_order(values[0], node, is_descending=order == "DESC", nulls_first=nulls == "NULLS FIRST")


def _sort_node(values: Sequence[Bound], node: exp.Expr) -> Bound:
    """Sort a list as a node of the parser says, where the order is no argument."""
    ascending, nulls_first = node.args.get("asc"), node.args.get("nulls_first")
    return _in_order(
        values[0],
        node,
        is_descending=isinstance(ascending, exp.Boolean) and not ascending.this,
        nulls_first=isinstance(nulls_first, exp.Boolean) and bool(nulls_first.this),
    )


def _in_order(value: Bound, node: exp.Expr, *, is_descending: bool, nulls_first: bool) -> Bound:
    lists = _list(value, node).sql
    inner = value.type.children[0].type
    if isinstance(inner, types.Nested):
        name = variable()
        keyed = f"struct({sort_key(Bound(name, inner))} AS k0, {name} AS v0)"
        rows = Call(order=(Key(Bound("", types.INT32), is_descending, nulls_first),)).sort(
            f"transform({lists}, {name} -> {keyed})"
        )
        return Bound(f"transform({rows}, {name} -> {name}.v0)", value.type)
    if nulls_first:
        sql = f"reverse(array_sort({lists}))" if is_descending else f"sort_array({lists}, TRUE)"
    else:
        sql = f"sort_array({lists}, FALSE)" if is_descending else f"array_sort({lists})"
    return Bound(sql, value.type)


def _append(values: Sequence[Bound], node: exp.Expr) -> Bound:
    lists, member = _with(values, node)
    empty = f"CAST(array() AS {spark_type(lists.type)})"
    return Bound(f"concat(coalesce({lists.sql}, {empty}), array({exact(member)}))", lists.type)


def _prepend(values: Sequence[Bound], node: exp.Expr) -> Bound:
    if isinstance(values[0].type, types.List) and not isinstance(values[1].type, types.List):
        values = (values[1], values[0])  # as the parser has them
    lists, member = _with((values[1], values[0]), node)
    empty = f"CAST(array() AS {spark_type(lists.type)})"
    return Bound(f"concat(array({exact(member)}), coalesce({lists.sql}, {empty}))", lists.type)


def _concatenate(values: Sequence[Bound], node: exp.Expr) -> Bound:
    known = [value for value in values if value.type != types.NULL]
    if not known:
        return Bound("NULL", types.NULL)
    same = _two_lists(known, node)
    empty = f"CAST(array() AS {spark_type(same[0].type)})"
    lists = [f"coalesce({value.sql}, {empty})" for value in same]
    return Bound(lengths.concatenate_lists(lists, lambda parts: f"concat({', '.join(parts)})"), same[0].type)


def _flatten(values: Sequence[Bound], node: exp.Expr) -> Bound:
    inner = element_of(values[0], node)
    if not isinstance(inner.type, types.List | types.Null):
        raise wrong_type(values[0], node)
    if inner.type == types.NULL:
        return Bound("array()", list_of(types.NULL))
    return Bound(lengths.flatten_lists(f"array_compact({values[0].sql})"), inner.type)


def _join_texts(values: Sequence[Bound], node: exp.Expr) -> Bound:
    texts = cast(_list(values[0], node), list_of(types.VARCHAR))
    between = Bound("','", types.VARCHAR, literal=",")
    if len(values) > 1:
        # DuckDB takes NULL for the comma, too.
        given = values[1].literal
        said = text(values[1], node) if given is not None else f"coalesce({text(values[1], node)}, ',')"
        between = Bound(said, types.VARCHAR, literal=given)
    joined = lengths.join_texts(texts.sql, between)
    name = variable()
    # DuckDB has NULL for a list of nothing but NULL.
    has_text = f"size({texts.sql}) = 0 OR exists({texts.sql}, {name} -> {name} IS NOT NULL)"
    return Bound(f"(CASE WHEN {has_text} THEN {joined} END)", types.VARCHAR)


def _zip(values: Sequence[Bound], node: exp.Expr) -> Bound:
    """Return a list of rows with the elements at each position.

    Shorter lists are padded with NULL.
    """
    lists = values[:-1] if values[-1].type == types.BOOLEAN else values
    shape = list_of(struct_of([("", element_of(value, node).type) for value in lists]))
    name = variable()
    longest = f"greatest({', '.join(f'size({value.sql})' for value in lists)}, 0)"
    fields = ", ".join(f"'col{place}', try_element_at({value.sql}, {name})" for place, value in enumerate(lists, 1))
    places = f"filter(sequence(0, {longest}), {name} -> {name} > 0)"
    return Bound(f"transform({places}, {name} -> named_struct({fields}))", shape)


def _resize(values: Sequence[Bound], node: exp.Expr) -> Bound:
    value = _list(values[0], node)
    asked = cast(values[1], types.INT64) if values[1].is_untyped else values[1]
    size = lengths.list_size(asked, whole(asked, node))
    inner = element_of(value, node)
    filler = cast(values[2], inner.type).sql if len(values) > 2 else f"CAST(NULL AS {spark_type(inner.type)})"
    known = f"coalesce({size}, 0)"
    return Bound(f"slice(concat({value.sql}, array_repeat({filler}, {known})), 1, {known})", value.type)


def _select(values: Sequence[Bound], node: exp.Expr) -> Bound:
    value, places = _list(values[0], node), _list(values[1], node)
    name = variable()
    chosen = (
        f"transform({places.sql}, {name} -> if({name} > 0, try_element_at({value.sql}, CAST({name} AS INT)), NULL))"
    )
    return Bound(f"if({value.sql} IS NULL, NULL, {chosen})", value.type)


def _slice(values: Sequence[Bound], node: exp.Expr) -> Bound:
    return value_slice(values[0], values[1], values[2] if len(values) > 2 else None)


def _extract(values: Sequence[Bound], node: exp.Expr) -> Bound:
    return element(values[0], values[1])


# ---- lambdas ---------------------------------------------------------------------------------------------------------


def _transform(values: Sequence[Bound], node: exp.Expr) -> Bound:
    lists, body = values
    return Bound(f"transform({_list(lists, node).sql}, {body.sql})", list_of(body.type))


def _filter(values: Sequence[Bound], node: exp.Expr) -> Bound:
    lists, body = values
    if body.type not in (types.BOOLEAN, types.NULL):
        raise InvalidInputError(f"Binder Error: The lambda of a filter must be true or false: {render(node)}")
    return Bound(f"filter({_list(lists, node).sql}, {body.sql})", lists.type)


def _reduce(values: Sequence[Bound], node: exp.Expr) -> Bound:
    lists, body = _list(values[0], node), values[1]
    inner = element_of(lists, node)
    if len(values) > 2:
        start = cast(values[2], inner.type)
        return Bound(f"aggregate({lists.sql}, {exact(start)}, {body.sql})", inner.type)
    rest = once(lists.sql, lambda sql: f"aggregate(slice({sql}, 2, greatest(size({sql}), 1)), {sql}[0], {body.sql})")
    return Bound(rest, inner.type)


# ---- aggregates of one list ------------------------------------------------------------------------------------------


def _list_aggregate(name: str, values: Sequence[Bound], node: exp.Expr) -> Bound:
    """Return an aggregate over the elements of a list."""
    value = _list(values[0], node)
    inner = element_of(value, node)
    item = variable()
    known = f"filter({value.sql}, {item} -> {item} IS NOT NULL)"
    match name:
        case "min" | "max":
            return Bound(f"array_{name}({value.sql})", inner.type)
        case "count":
            return Bound(f"CAST(array_size({known}) AS BIGINT)", types.INT64)
        case "first" | "last":
            return Bound(f"try_element_at({value.sql}, {1 if name == 'first' else -1})", inner.type)
        case "any_value":
            return Bound(f"try_element_at({known}, 1)", inner.type)
        case "string_agg":
            texts = _join_texts(values, node)
            return Bound(f"(CASE WHEN size({known}) > 0 THEN {texts.sql} END)", types.VARCHAR)
        case "sum":
            return _sum(known, inner, node)
        case "avg" | "mean":
            total = f"aggregate({known}, 0D, (t, x) -> t + CAST(x AS DOUBLE))"
            return Bound(f"try_divide({total}, array_size({known}))", types.FLOAT64)
        case "product":
            total = f"aggregate({known}, CAST(NULL AS DOUBLE), (t, x) -> coalesce(t, 1D) * CAST(x AS DOUBLE))"
            return Bound(total, types.FLOAT64)
        case "bool_and":
            return Bound(f"(CASE WHEN size({known}) > 0 THEN forall({known}, {item} -> {item}) END)", types.BOOLEAN)
        case "bool_or":
            return Bound(f"(CASE WHEN size({known}) > 0 THEN exists({known}, {item} -> {item}) END)", types.BOOLEAN)
    return computed_value(
        "list_aggregate", [value, Bound(text_literal(name), types.VARCHAR, literal=name), *values[1:]], node
    )


def _sum(known: str, inner: Bound, node: exp.Expr) -> Bound:
    kind: Type
    match inner.type:
        case types.Float():
            kind = types.FLOAT64
        case types.Decimal(_, scale):
            kind = types.Decimal(38, scale)
        case types.Integer() | types.Boolean() | types.Null():
            kind = types.INT128
        case _:
            raise wrong_type(inner, node)
    spark_kind = spark_type(kind)
    added = f"CAST(coalesce(t, 0) + x AS {spark_kind})"
    return Bound(f"aggregate({known}, CAST(NULL AS {spark_kind}), (t, x) -> {added})", kind)


def _of_list(name: str) -> Function:
    return lambda values, node: _list_aggregate(name, values, node)


def _aggregate(values: Sequence[Bound], node: exp.Expr) -> Bound:
    name = constant_text(values[1], node, "name of an aggregate").lower()
    return _list_aggregate(name, [values[0], *values[2:]], node)


def _length(values: Sequence[Bound], node: exp.Expr) -> Bound:
    size = f"CAST(array_size({_list(values[0], node).sql}) AS BIGINT)"
    if len(values) == 1 or values[1].literal == "1":
        return Bound(size, types.INT64)
    dimension = whole(values[1], node)
    message = "Not implemented Error: array_length for lists with dimensions other than 1 not implemented"
    other = f"WHEN {dimension} IS NOT NULL THEN {refusal(text_literal(message))}"
    return Bound(f"(CASE WHEN {dimension} = 1 THEN {size} {other} END)", types.INT64)


NODES: Final[Nodes] = {
    exp.ArrayContains: (contains, TWO),
    exp.ArrayOverlaps: (_has_any, TWO),
    exp.ArrayContainsAll: (_has_all, TWO),
    exp.ArrayDistinct: (_distinct, ("this", "check_null")),
    exp.ArraySort: (_sort_node, ("this", "nulls_first", "asc")),
    exp.ArraySize: (_length, TWO),
    exp.ArrayAppend: (_append, (*TWO, "null_propagation")),
    exp.ArrayPrepend: (_prepend, (*TWO, "null_propagation")),
    exp.ArrayConcat: (_concatenate, ("this", "expressions", "null_propagation")),
    exp.ArrayReverse: (lambda values, node: Bound(f"reverse({values[0].sql})", values[0].type), THIS),
    exp.ArraySlice: (_slice, ("this", "start", "end", "is_length")),
    exp.Flatten: (_flatten, THIS),
    exp.ArrayToString: (_join_texts, TWO),
    exp.Transform: (_transform, TWO),
    exp.ArrayFilter: (_filter, TWO),
    exp.ArrayMax: (_of_list("max"), THIS),
    exp.ArrayMin: (_of_list("min"), THIS),
}
_AGGREGATES: Final = ("min", "max", "count", "first", "last", "any_value", "string_agg", "sum", "avg", "product")
NAMED: Final[Mapping[str, Function]] = {
    "list_contains": contains,
    "list_position": _position,
    "list_has_any": _has_any,
    "list_has_all": _has_all,
    "list_intersect": _intersection,
    "list_distinct": _distinct,
    "list_unique": _distinct_count,
    "list_sort": _sort,
    "list_reverse_sort": lambda values, node: _sort(values, node, "DESC"),
    "list_append": _append,
    "list_prepend": _prepend,
    "array_push_front": lambda values, node: _prepend((values[1], values[0]), node),
    "list_concat": _concatenate,
    "list_reverse": lambda values, node: Bound(f"reverse({values[0].sql})", values[0].type),
    "list_zip": _zip,
    "list_resize": _resize,
    "list_select": _select,
    "list_slice": _slice,
    "list_extract": _extract,
    "array_length": _length,
    "list_transform": _transform,
    "list_filter": _filter,
    "list_reduce": _reduce,
    "list_aggregate": _aggregate,
    **{f"list_{name}": _of_list(name) for name in (*_AGGREGATES, "bool_and", "bool_or")},
    "flatten": _flatten,
    "array_to_string": _join_texts,
}
