"""UNION, EXCEPT and INTERSECT: columns of both sides meet by place or by name, and take one type."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from sqlglot import exp

from forklake.errors import InvalidInputError
from forklake.model.field import Field
from forklake.model.names import fold
from forklake.sql.bound import NULL, Bound, shape_of, shaped
from forklake.sql.coercion import cast, unified
from forklake.sql.query.environment import Environment
from forklake.sql.relation import BoundQuery


def bind_set_operation(node: exp.SetOperation, environment: Environment) -> BoundQuery:
    """Return both queries as one; ORDER BY and LIMIT after it are left to the caller.

    Raises:
        InvalidInputError: They have different counts of columns, or columns that do not fit together.
    """
    inner = replace(environment, depth=environment.deeper())
    sides = [environment.bind(side, inner) for side in (node.this, node.expression)]
    name = {exp.Union: "UNION", exp.Except: "EXCEPT", exp.Intersect: "INTERSECT"}[type(node)]
    words = name if node.args.get("distinct") else f"{name} ALL"
    aliases = [environment.reading.alias() for _ in sides]
    columns = [_bounds(side, alias) for side, alias in zip(sides, aliases, strict=True)]
    if node.args.get("by_name"):
        names, pairs = _by_name(sides, columns)
    else:
        names, pairs = _by_place(sides, columns, words)
    same = [unified(list(pair)) for pair in pairs]
    texts = []
    for place, (side, alias) in enumerate(zip(sides, aliases, strict=True)):
        shown = ", ".join(f"{values[place].sql} AS c{at}" for at, values in enumerate(same))
        texts.append(f"SELECT {shown} FROM ({side.nested_sql}) AS {alias}")
    fields = tuple(_field(one, values[0]) for one, values in zip(names, same, strict=True))
    return BoundQuery(f"(({texts[0]}) {words} ({texts[1]}))", fields)


def _field(name: str, value: Bound) -> Field:
    return replace(shape_of(value), name=name)


def _bounds(query: BoundQuery, alias: str) -> list[Bound]:
    return [
        shaped(f"{alias}.c{place}", Field(None, "", one.type, one.children)) for place, one in enumerate(query.columns)
    ]


def _by_place(
    sides: Sequence[BoundQuery], columns: Sequence[Sequence[Bound]], words: str
) -> tuple[list[str], list[tuple[Bound, Bound]]]:
    first, second = columns
    if len(first) != len(second):
        raise InvalidInputError(
            "Binder Error: Set operations can only apply to expressions with the same number of result columns"
        )
    return [one.name for one in sides[0].columns], list(zip(first, second, strict=True))


def _by_name(
    sides: Sequence[BoundQuery], columns: Sequence[Sequence[Bound]]
) -> tuple[list[str], list[tuple[Bound, Bound]]]:
    """Return columns that have one name together; what the other side lacks is NULL there."""
    named: list[dict[str, tuple[str, Bound]]] = []
    for side, bounds in zip(sides, columns, strict=True):
        found: dict[str, tuple[str, Bound]] = {}
        for field, bound in zip(side.columns, bounds, strict=True):
            if fold(field.name) in found:
                raise InvalidInputError(
                    "Binder Error: UNION (ALL) BY NAME operation doesn't support duplicate names in the SELECT list -"
                    f' the name "{field.name}" occurs multiple times'
                )
            found[fold(field.name)] = (field.name, bound)
        named.append(found)
    first, second = named
    names, pairs = [], []
    for key, (name, there) in {**first, **second, **first}.items():
        nothing = (name, cast(Bound("NULL", NULL), shape_of(there)))
        names.append(name)
        pairs.append((first.get(key, nothing)[1], second.get(key, nothing)[1]))
    return names, pairs
