"""unnest() in the SELECT list.

It gives one row for each element of a list, and one column for each field of a struct.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Final

from sqlglot import exp

from forklake.errors import ForklakeError, InvalidInputError
from forklake.model import types
from forklake.model.field import Field
from forklake.model.lazy_dataclass import dataclass
from forklake.model.types import Type
from forklake.model.types.shapes import list_of, struct_of
from forklake.sql.expressions.bound import Bound
from forklake.sql.expressions.coercion import cast
from forklake.sql.expressions.expression import ExpressionBinder
from forklake.sql.expressions.literals import spark_type
from forklake.sql.expressions.nested import field_of
from forklake.sql.expressions.nodes import parts_of_row
from forklake.sql.expressions.render import BoundNode, render
from forklake.sql.expressions.spark_idioms import variable

_ALL_DEPTHS: Final = 1000


@dataclass(frozen=True, slots=True)
class UnnestedColumn:
    """A result column with the elements of a list, one per row."""

    values: Bound

    @property
    def element(self) -> Type:
        """The type of the elements."""
        return self.values.type.children[0].type


def bind_item(binder: ExpressionBinder, node: exp.Expr) -> Bound | UnnestedColumn:
    """Bind a column of the result.

    With unnest() in it, it is the list of the values computed from each element.

    Raises:
        InvalidInputError: It is not supported, or the argument of unnest() is no list.
    """
    calls = [one for one in parts_of_row(node) if isinstance(one, exp.Explode)]
    if not calls:
        return binder.bind(node)
    if any(isinstance(one, exp.Explode) for call in calls for one in parts_of_row(call.this)):
        raise InvalidInputError(
            "Binder Error: Nested UNNEST calls are not supported - use UNNEST(x, recursive := true) to unnest multiple"
            " levels"
        )
    lists = [_list(binder, call) for call in calls]
    if node.unnest() is calls[0]:
        return UnnestedColumn(lists[0])
    name = variable()
    zipped = zip_lists(lists)
    parameters = {f"{name}_{place}": part for place, part in enumerate(_parts(Bound(name, zipped.element)))}
    tree = exp.Paren(this=node.copy())
    for place, call in enumerate([one for one in parts_of_row(tree) if isinstance(one, exp.Explode)]):
        call.replace(exp.column(f"{name}_{place}"))
    body = ExpressionBinder(binder.site, {**binder.parameters, **parameters}).bind(tree.this)
    return UnnestedColumn(Bound(f"transform({zipped.values.sql}, {name} -> {body.sql})", list_of(body.type)))


def _list(binder: ExpressionBinder, call: exp.Explode) -> Bound:
    value = binder.bind(call.this)
    if value.type == types.NULL:
        return cast(value, list_of(types.INT32))
    if not isinstance(value.type, types.List) or value.is_untyped:
        raise _no_list(value)
    return value


def _no_list(value: Bound) -> InvalidInputError:
    return InvalidInputError(
        f"Binder Error: UNNEST() can only be applied to lists, structs and NULL, not {value.type.sql_name}"
    )


def zip_lists(lists: Sequence[Bound]) -> UnnestedColumn:
    """Zip lists to one list of structs.

    It is as long as the longest list; shorter lists are padded with NULL.
    """
    shape = list_of(struct_of([(f"e{place}", one.type.children[0].type) for place, one in enumerate(lists)]))
    known = [f"coalesce({one.sql}, CAST(array() AS {spark_type(one.type)}))" for one in lists]
    return UnnestedColumn(Bound(f"CAST(arrays_zip({', '.join(known)}) AS {spark_type(shape)})", shape))


def _parts(value: Bound) -> list[Bound]:
    return [field_of(value, child.name) for child in value.type.children]


# ---- columns that are more than one ----------------------------------------------------------------------------------


def unnested_columns(binder: ExpressionBinder, node: exp.Expr) -> list[tuple[str, exp.Expr]] | None:
    """Return the columns of an unnest() of a struct, or of several levels.

    Return None if it is a single column.

    Raises:
        InvalidInputError: It has an unknown parameter.
    """
    call = node.unnest()
    if not isinstance(call, exp.Explode):
        return None
    depth = _depth(call)
    try:
        value = binder.bind(call.this)
    except ForklakeError:
        # Aggregates are not known yet; any other error comes again when the item is bound.
        return None
    if isinstance(value.type, types.Struct):
        return list(_fields(value, BoundNode(bound=value), depth))
    if not isinstance(value.type, types.List) or depth == 1:
        return None
    element = value.type.element.type
    while isinstance(element, types.List) and depth > 1:
        name = variable()
        value = Bound(f"flatten(filter({value.sql}, {name} -> {name} IS NOT NULL))", element)
        element, depth = element.element.type, depth - 1
    elements = exp.Explode(this=BoundNode(bound=value))
    if not isinstance(element, types.Struct) or depth == 1:
        return [("unnest", elements)]
    return list(_fields(Bound("", element), elements, depth - 1))


def _fields(value: Bound, node: exp.Expr, depth: int) -> Iterator[tuple[str, exp.Expr]]:
    """Yield the fields of a struct, and of the structs in it, down to a depth."""
    for child in value.type.children:
        inner = exp.Dot(this=exp.Paren(this=node.copy()), expression=exp.to_identifier(child.name, quoted=True))
        if isinstance(child.type, types.Struct) and depth > 1:
            yield from _fields(Bound("", child.type), inner, depth - 1)
        else:
            yield child.name, inner


def _depth(call: exp.Explode) -> int:
    depth = 1
    for one in call.expressions:
        said = one.this.name.lower() if isinstance(one, exp.Kwarg) else ""
        if said == "recursive" and isinstance(one.expression, exp.Boolean):
            depth = _ALL_DEPTHS if one.expression.this else depth
        elif said == "max_depth" and isinstance(one.expression, exp.Literal) and one.expression.name.isdecimal():
            depth = int(one.expression.name)
        else:
            raise InvalidInputError(f"Binder Error: UNNEST - unsupported parameter: {render(one)}")
    return max(depth, 1)


def elements_in_from(value: Bound, *, with_places: bool) -> tuple[str, tuple[Field, ...]]:
    """Return the query for the elements of a list in FROM.

    ``with_places`` adds the position of each.

    Raises:
        InvalidInputError: It is no list.
    """
    if value.type == types.NULL:
        value = cast(value, list_of(types.INT32))
    if not isinstance(value.type, types.List) or value.is_untyped:
        raise _no_list(value)
    column = replace(value.type.children[0], name="unnest", column_id=None)
    if not with_places:
        return f"SELECT explode({value.sql}) AS c0", (column,)
    item, place = variable(), variable()
    pair = f"named_struct('c0', {item}, 'c1', CAST({place} + 1 AS BIGINT))"
    rows = f"transform({value.sql}, ({item}, {place}) -> {pair})"
    return f"SELECT inline({rows})", (column, Field(None, "ordinality", types.INT64))
