"""Values for the parameters of a statement: ``?``, ``$1`` and ``$name``."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import fields, is_dataclass, replace
from decimal import Decimal
from typing import Any, TypeVar

from sqlglot import exp

from forklake.errors import InvalidInputError
from forklake.model.names import fold
from forklake.sql.parse.grammar import POSITION_IN_TEXT
from forklake.sql.query.constants import bound_value

Values = Sequence[Any] | Mapping[str, Any]
Part = TypeVar("Part")


class Parameters:
    """The parameter values for one text or several.

    Every value must be used, and none may be missing. None means no values: a text with parameters is then
    refused.
    """

    def __init__(self, given: Values | None) -> None:
        given = () if given is None else given
        if not isinstance(given, Sequence | Mapping) or isinstance(given, str | bytes):
            raise InvalidInputError("Invalid Input Error: Parameters are a list of values, or values by their names.")
        self._given = given
        self._by_name = {fold(str(name)): value for name, value in given.items()} if isinstance(given, Mapping) else {}
        self._numbers: dict[int, int] = {}
        self._next = 0
        self._used: set[Any] = set()

    def fill(self, part: Part) -> Part:
        """Return a statement or an expression with its parameters replaced by values.

        The ``?`` of a text take the values in order. The first ``?`` of a text takes the value after the last one
        that the text before took.

        Raises:
            InvalidInputError: There is no value for a parameter.
        """
        found = [node for tree in _trees(part) for node in tree.find_all(exp.Placeholder, exp.Parameter)]
        if not found:
            return part
        in_order = [node for node in found if isinstance(node, exp.Placeholder) and not node.args.get("this")]
        positions = sorted({node.meta[POSITION_IN_TEXT] for node in in_order})
        self._numbers = {position: self._next + number for number, position in enumerate(positions)}
        self._next += len(positions)
        filled: Part = self._fill(part)
        return filled

    def check_all_used(self) -> None:
        """Refuse values that no statement used.

        Raises:
            InvalidInputError: There are unused values.
        """
        if len(self._used) < len(self._given):
            raise InvalidInputError(
                f"Invalid Input Error: Values were not provided for the right parameters: {len(self._given)} were"
                f" given, {len(self._used)} are used. Nothing was run."
            )

    def _fill(self, part: Any) -> Any:
        if isinstance(part, exp.Expr):
            return self._tree(part)
        if isinstance(part, tuple):
            return tuple(self._fill(one) for one in part)
        if is_dataclass(part) and not isinstance(part, type):
            changed = {}
            for one in fields(part):
                before = getattr(part, one.name)
                after = self._fill(before)
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
            if node.args.get("this"):
                return literal(self._value(str(node.this)))
            return literal(self._positional(self._numbers[node.meta[POSITION_IN_TEXT]]))
        if isinstance(node, exp.Parameter):
            return literal(self._value(node.name))
        return node

    def _value(self, name: str) -> Any:
        if isinstance(self._given, Mapping):
            if fold(name) not in self._by_name:
                raise InvalidInputError(f'Invalid Input Error: There is no value for the parameter "${name}".')
            self._used.add(fold(name))
            return self._by_name[fold(name)]
        if not name.isdecimal():
            raise InvalidInputError(f'Invalid Input Error: The parameter "${name}" has a name: give values by name.')
        return self._positional(int(name) - 1)

    def _positional(self, number: int) -> Any:
        if isinstance(self._given, Mapping):
            return self._value(str(number + 1))
        if not 0 <= number < len(self._given):
            raise InvalidInputError(
                f"Invalid Input Error: There is no value for parameter {number + 1}; {len(self._given)} were given."
            )
        self._used.add(number)
        return self._given[number]


@contextmanager
def checked_parameters(parameters: Values | None) -> Iterator[Parameters]:
    """Provide the values of parameters, and refuse unused ones after the block.

    Raises:
        InvalidInputError: There is a value that no parameter uses.
    """
    values = Parameters(parameters)
    yield values
    values.check_all_used()


def _trees(part: Any) -> Iterator[exp.Expr]:
    """Yield the expressions and queries of a statement."""
    if isinstance(part, exp.Expr):
        yield part
    elif isinstance(part, tuple):
        for one in part:
            yield from _trees(one)
    elif is_dataclass(part):
        for field in fields(part):
            yield from _trees(getattr(part, field.name))


def literal(value: Any) -> exp.Expr:
    """Return a Python value as a literal in a tree.

    Text is untyped, as a quoted literal is, and takes the type of the value beside it.

    Raises:
        InvalidInputError: There is no such constant.
    """
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
            return exp.Array(expressions=[literal(one) for one in value])
        case dict():
            pairs = [(exp.to_identifier(str(name), quoted=True), literal(one)) for name, one in value.items()]
            return exp.Struct(expressions=[exp.PropertyEQ(this=name, expression=one) for name, one in pairs])
    bound = bound_value(value)
    kind = exp.DataType.build(bound.type.sql_name, dialect="duckdb")
    return exp.Cast(this=exp.Literal.string(bound.literal), to=kind)
