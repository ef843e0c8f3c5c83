"""Binding of the parser's nodes for lists, structs, maps and their parts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlglot import exp
from sqlglot.optimizer.annotate_types import annotate_types

from forklake.errors import InvalidInputError
from forklake.model import types
from forklake.model.types import Type
from forklake.model.types.read import read_scalar
from forklake.model.types.shapes import list_of, map_of, struct_of
from forklake.sql.expressions.arithmetic import arithmetic
from forklake.sql.expressions.bound import Bound
from forklake.sql.expressions.coercion import constant
from forklake.sql.expressions.nested import (
    element,
    list_value,
    map_of_lists,
    map_value,
    row_value,
    struct_value,
    value_slice,
)
from forklake.sql.expressions.render import render
from forklake.sql.parse.grammar import PLACE_AS_WRITTEN
from forklake.sql.parse.types import unsupported_type

if TYPE_CHECKING:
    from forklake.sql.expressions.expression import ExpressionBinder


def bind_list(binder: ExpressionBinder, node: exp.Expr) -> Bound:
    """Bind ``[a, b]``, or a list comprehension."""
    parts = node.expressions
    if len(parts) == 1 and isinstance(parts[0], exp.Comprehension):
        return binder.bind(_rewrite_comprehension(parts[0]))
    return list_value([binder.bind(part) for part in parts])


def _rewrite_comprehension(node: exp.Comprehension) -> exp.Expr:
    """Rewrite ``[f(x, i) FOR x, i IN l IF c(x, i)]`` to functions with lambdas."""
    found: exp.Expr = node.args["iterator"].copy()
    condition, position = node.args.get("condition"), node.args.get("position")
    if condition is not None and position is not None:
        # Elements have their places before some are left out.
        parts = {"kept": condition, "value": node.this}
        pairs = [exp.PropertyEQ(this=exp.to_identifier(name), expression=one.copy()) for name, one in parts.items()]
        found = _transform(found, exp.Struct(expressions=pairs), node.expression, position)
        one = exp.to_identifier("one")
        test = exp.Lambda(this=exp.column("kept", table=one.copy()), expressions=[one.copy()])
        return _transform(exp.ArrayFilter(this=found, expression=test), exp.column("value", table=one.copy()), one)
    if condition is not None:
        test = exp.Lambda(this=condition.copy(), expressions=[node.expression.copy()])
        found = exp.ArrayFilter(this=found, expression=test)
    return _transform(found, node.this, node.expression, *([] if position is None else [position]))


def _transform(listed: exp.Expr, body: exp.Expr, *names: exp.Expr) -> exp.Expr:
    return exp.Transform(
        this=listed, expression=exp.Lambda(this=body.copy(), expressions=[name.copy() for name in names])
    )


def bind_struct(binder: ExpressionBinder, node: exp.Expr) -> Bound:
    """Bind ``{'a': x}``."""
    names, values = [], []
    for part in node.expressions:
        if not isinstance(part, exp.PropertyEQ):
            raise InvalidInputError("Binder Error: Need named argument for struct pack, e.g. STRUCT_PACK(a := b)")
        names.append(part.this.name)
        values.append(binder.bind(part.expression))
    return struct_value(names, values)


def bind_tuple(binder: ExpressionBinder, node: exp.Expr) -> Bound:
    """Bind ``(a, b)``.

    Raises:
        InvalidInputError: There is nothing in it.
    """
    if not node.expressions:
        raise InvalidInputError('Parser Error: syntax error at or near ")": parentheses with nothing in them')
    return row_value([binder.bind(part) for part in node.expressions])


def bind_map(binder: ExpressionBinder, node: exp.Expr) -> Bound:
    """Bind ``MAP {k: v}``.

    The parser moves brackets that follow the map into it.
    """
    inner = node.this
    if isinstance(inner, exp.Bracket):
        return _element(binder, bind_map(binder, exp.ToMap(this=inner.this.copy())), inner)
    pairs = inner.expressions
    for part in pairs:
        if not isinstance(part, exp.PropertyEQ):
            raise InvalidInputError(f"Parser Error: a map has keys with values, not: {render(part)}")
    keys = [part.this if not isinstance(part.this, exp.Identifier) else exp.Literal.string(part.name) for part in pairs]
    return map_value([binder.bind(key) for key in keys], [binder.bind(part.expression) for part in pairs])


def bind_map_of_lists(binder: ExpressionBinder, node: exp.Expr) -> Bound:
    """Bind ``map([keys], [values])``."""
    sides = [node.args.get(name) for name in ("keys", "values")]
    keys, values = (list_value([]) if side is None else binder.bind(side) for side in sides)
    return map_of_lists(keys, values)


def bind_bracket(binder: ExpressionBinder, node: exp.Expr) -> Bound:
    """Bind ``v[k]`` and ``v[a:b]``."""
    return _element(binder, binder.bind(node.this), node)


def _element(binder: ExpressionBinder, value: Bound, node: exp.Expr) -> Bound:
    if len(node.expressions) != 1:
        raise InvalidInputError(f"This is not supported: {render(node)}")
    (key,) = node.expressions
    if isinstance(key, exp.Slice):
        if key.args.get("step") is not None:
            raise InvalidInputError(f"Slices with steps are not supported: {render(node)}")
        begin, end = (None if part is None else binder.bind(part) for part in (key.this, key.args.get("expression")))
        return value_slice(value, begin, end)
    return element(value, binder.bind(key) if node.meta.get(PLACE_AS_WRITTEN) else _place(binder, key))


def _place(binder: ExpressionBinder, key: exp.Expr) -> Bound:
    """Return a position as it was written.

    The parser subtracts one from whatever it recognizes as an integer.
    """
    bound = binder.bind(key)
    if bound.literal is not None and bound.type in (types.INT32, types.INT64):
        return constant(bound.type, str(int(bound.literal) + 1))
    annotated = annotate_types(key.copy(), dialect="duckdb")
    if annotated.type is not None and annotated.type.this in exp.DataType.INTEGER_TYPES:
        return arithmetic(bound, "+", constant(types.INT32, "1"))
    return bound


def target_shape(node: exp.Expr) -> Type:
    """Return the type that a cast names, with everything nested in it.

    Raises:
        InvalidInputError: There is no such type.
    """
    kind = node.this
    if kind in (exp.DataType.Type.LIST, exp.DataType.Type.ARRAY) and node.expressions:
        if node.args.get("values"):
            raise InvalidInputError(f"Arrays of a fixed size are not supported: {render(node)}")
        return list_of(target_shape(node.expressions[0]))
    if kind == exp.DataType.Type.MAP and len(node.expressions) == 2:
        return map_of(*map(target_shape, node.expressions))
    if kind == exp.DataType.Type.STRUCT and node.expressions:
        return struct_of((part.name, target_shape(part.args["kind"])) for part in node.expressions)
    text = render(node)
    if kind in (exp.DataType.Type.ENUM, exp.DataType.Type.UNION):
        raise unsupported_type(text)
    try:
        return read_scalar(text, is_sql=True)
    except ValueError as error:
        raise InvalidInputError(f'Catalog Error: Type with name "{text}" does not exist!') from error
