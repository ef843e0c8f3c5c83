"""Values for the parameters of a statement: ``?``, ``$1`` and ``$name``."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import fields, is_dataclass, replace
from decimal import Decimal
from typing import Any

from sqlglot import exp

from forklake.errors import InvalidInputError
from forklake.model.names import fold
from forklake.sql.bound import type_name
from forklake.sql.query.constants import bound_value
from forklake.sql.statements import Statement


class Parameters:
    """The values that were given with a text; all must be used, and none may be missing."""

    def __init__(self, given: Sequence[Any] | Mapping[str, Any]) -> None:
        if not isinstance(given, Sequence | Mapping) or isinstance(given, str | bytes):
            raise InvalidInputError("Invalid Input Error: Parameters are a list of values, or values by their names.")
        self._given = given
        self._by_name = {fold(str(name)): value for name, value in given.items()} if isinstance(given, Mapping) else {}
        self._next = 0
        self._used: set[Any] = set()

    def fill(self, statement: Statement) -> Statement:
        """Return a statement with values where it has parameters.

        Raises:
            InvalidInputError: There is no value for a parameter.
        """
        filled: Statement = self._filled(statement)
        return filled

    def check_all_used(self) -> None:
        """Refuse values that no statement asked for.

        Raises:
            InvalidInputError: There are some.
        """
        if len(self._used) < len(self._given):
            raise InvalidInputError(
                f"Invalid Input Error: Values were not provided for the right parameters: {len(self._given)} were"
                f" given, {len(self._used)} are used. Nothing was run."
            )

    def _filled(self, part: Any) -> Any:
        if isinstance(part, exp.Expr):
            return self._tree(part)
        if isinstance(part, tuple):
            return tuple(self._filled(one) for one in part)
        if is_dataclass(part) and not isinstance(part, type):
            changed = {}
            for one in fields(part):
                before = getattr(part, one.name)
                after = self._filled(before)
                if after is not before:
                    changed[one.name] = after
            return replace(part, **changed) if changed else part
        return part

    def _tree(self, tree: exp.Expr) -> exp.Expr:
        if tree.find(exp.Placeholder, exp.Parameter) is None:
            return tree
        return tree.copy().transform(self._node, copy=False)

    def _node(self, node: exp.Expr) -> exp.Expr:
        if isinstance(node, exp.Placeholder):
            return _literal(self._value(str(node.this) if node.args.get("this") else None))
        if isinstance(node, exp.Parameter):
            return _literal(self._value(node.name))
        return node

    def _value(self, name: str | None) -> Any:
        key: Any = name
        if isinstance(self._given, Mapping):
            if name is None or fold(name) not in self._by_name:
                raise InvalidInputError(f'Invalid Input Error: There is no value for the parameter "${name or 1}".')
            key = fold(name)
            self._used.add(key)
            return self._by_name[key]
        if name is None:
            key, self._next = self._next, self._next + 1
        elif name.isdecimal():
            key = int(name) - 1
        else:
            raise InvalidInputError(f'Invalid Input Error: The parameter "${name}" has a name: give values by name.')
        if not 0 <= key < len(self._given):
            raise InvalidInputError(
                f"Invalid Input Error: There is no value for parameter {key + 1}; {len(self._given)} were given."
            )
        self._used.add(key)
        return self._given[key]


def _literal(value: Any) -> exp.Expr:
    """Return a value as one would write it: texts take the type of what they meet, as texts in quotes do."""
    match value:
        case None:
            return exp.Null()
        case bool():
            return exp.Boolean(this=value)
        case int() | Decimal() if math.isfinite(value):
            number = exp.Literal.number(abs(value))
            return exp.Neg(this=number) if value < 0 else number
        case str():
            return exp.Literal.string(value)
        case list() | tuple():
            return exp.Array(expressions=[_literal(one) for one in value])
        case dict():
            pairs = [(exp.to_identifier(str(name), quoted=True), _literal(one)) for name, one in value.items()]
            return exp.Struct(expressions=[exp.PropertyEQ(this=name, expression=one) for name, one in pairs])
    bound = bound_value(value)
    kind = exp.DataType.build(type_name(bound.type), dialect="duckdb")
    return exp.Cast(this=exp.Literal.string(bound.literal), to=kind)
