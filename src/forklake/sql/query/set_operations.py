"""UNION, EXCEPT and INTERSECT.

Columns match by position or by name, and take one type.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from sqlglot import exp

from forklake.errors import InvalidInputError
from forklake.model import types
from forklake.model.field import Field
from forklake.model.names import fold
from forklake.model.types.shapes import shape_of
from forklake.sql.expressions.bound import Bound
from forklake.sql.expressions.coercion import cast, constant, unify
from forklake.sql.query.environment import Environment
from forklake.sql.query.values_clause import bound_rows
from forklake.sql.relation import BoundQuery


def bind_set_operation(node: exp.SetOperation, environment: Environment) -> BoundQuery:
    """Bind a set operation, or a whole chain of UNIONs.

    The caller handles ORDER BY and LIMIT after it.

    Raises:
        InvalidInputError: The numbers of columns differ, or columns have no common type.
    """
    inner = replace(environment, depth=environment.deeper())
    sides = [environment.bind(side, inner) for side in _sides(node)]
    aliases = [environment.reading.alias() for _ in sides]
    columns = [_bounds(side, alias) for side, alias in zip(sides, aliases, strict=True)]
    meet = _by_name if node.args.get("by_name") else _by_place
    names, rows = meet(sides, columns)
    for row in rows:
        environment.reading.note_mixture(row)
    same = [unify(list(row), "union") for row in rows]
    is_union = isinstance(node, exp.Union) and not node.args.get("distinct")
    fields = tuple(_field(one, values[0]) for one, values in zip(names, same, strict=True))
    if is_union and not node.args.get("by_name") and all(side.constants is not None for side in sides):
        return bound_rows([row for side in sides for row in _constants(side, fields)], fields)
    texts = []
    for place, (side, alias) in enumerate(zip(sides, aliases, strict=True)):
        shown = ", ".join(f"{values[place].sql} AS c{at}" for at, values in enumerate(same))
        texts.append(f"SELECT {shown} FROM ({side.nested_sql}) AS {alias}")
    name = {exp.Union: "UNION", exp.Except: "EXCEPT", exp.Intersect: "INTERSECT"}[type(node)]
    if len(texts) == 2 or not node.args.get("distinct"):
        words = name if node.args.get("distinct") else f"{name} ALL"
        return BoundQuery(_join_balanced(texts, words), fields)
    shown = ", ".join(f"c{place}" for place in range(len(fields)))
    alias = environment.reading.alias()
    return BoundQuery(f"(SELECT DISTINCT {shown} FROM {_join_balanced(texts, 'UNION ALL')} AS {alias})", fields)


def _constants(side: BoundQuery, fields: Sequence[Field]) -> Iterator[list[Bound]]:
    """Yield constant rows, cast to the types of the result."""
    for row in side.constants or ():
        given = zip(row, side.columns, fields, strict=True)
        yield [
            cast(Bound("NULL", types.NULL) if text is None else constant(own.type, text), wanted.type)
            for text, own, wanted in given
        ]


def _sides(node: exp.SetOperation) -> list[exp.Expr]:
    """Return both sides, or all sides of a chain of equal UNIONs.

    A chain would otherwise be nested as deep as it is long.
    """
    found: list[exp.Expr] = [node.expression]
    side: exp.Expr = node.this
    while isinstance(node, exp.Union) and isinstance(side, exp.Union) and _is_same(side, node):
        found.append(side.expression)
        side = side.this
    return [side, *reversed(found)]


def _is_same(side: exp.Union, node: exp.Union) -> bool:
    flags = ("distinct", "by_name")
    clauses = ("with_", "order", "limit", "offset")
    is_bare = not any(side.args.get(name) for name in clauses)
    return is_bare and all(bool(side.args.get(name)) == bool(node.args.get(name)) for name in flags)


def _join_balanced(texts: Sequence[str], words: str) -> str:
    """Join queries as a balanced tree, so that Spark's plan stays flat."""
    if len(texts) == 1:
        return f"({texts[0]})"
    middle = len(texts) // 2
    return f"({_join_balanced(texts[:middle], words)} {words} {_join_balanced(texts[middle:], words)})"


def _field(name: str, value: Bound) -> Field:
    return Field(None, name, value.type)


def _bounds(query: BoundQuery, alias: str) -> list[Bound]:
    return [Bound(f"{alias}.c{place}", shape_of(one.type)) for place, one in enumerate(query.columns)]


_Rows = tuple[list[str], list[tuple[Bound, ...]]]
"""The names of the result's columns, and for each the matching columns of all sides."""


def _by_place(sides: Sequence[BoundQuery], columns: Sequence[Sequence[Bound]]) -> _Rows:
    if len({len(one) for one in columns}) > 1:
        raise InvalidInputError(
            "Binder Error: Set operations can only apply to expressions with the same number of result columns"
        )
    return [one.name for one in sides[0].columns], list(zip(*columns, strict=True))


def _by_name(sides: Sequence[BoundQuery], columns: Sequence[Sequence[Bound]]) -> _Rows:
    """Match columns by name; a column that a side lacks is NULL there."""
    named: list[dict[str, Bound]] = []
    names: dict[str, str] = {}
    for side, bounds in zip(sides, columns, strict=True):
        found: dict[str, Bound] = {}
        for field, bound in zip(side.columns, bounds, strict=True):
            if fold(field.name) in found:
                raise InvalidInputError(
                    "Binder Error: UNION (ALL) BY NAME operation doesn't support duplicate names in the SELECT list -"
                    f' the name "{field.name}" occurs multiple times'
                )
            found[fold(field.name)] = bound
            names.setdefault(fold(field.name), field.name)
        named.append(found)
    rows = []
    for key in names:
        there = next(one[key] for one in named if key in one)
        nothing = cast(Bound("NULL", types.NULL), there.type)
        rows.append(tuple(one.get(key, nothing) for one in named))
    return list(names.values()), rows
