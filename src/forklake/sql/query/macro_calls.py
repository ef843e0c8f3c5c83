"""Expansion of macros, with their parameters replaced by arguments."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Final, TypeGuard

from sqlglot import exp

from forklake.errors import InvalidInputError
from forklake.model.definitions import FindMacro, MacroImplementation, MacroParameter
from forklake.model.names import fold
from forklake.model.types.read import stored_type
from forklake.sql.expressions.coercion import constant
from forklake.sql.expressions.nodes import call_arguments, function_name, parts_of_row
from forklake.sql.expressions.render import BoundNode
from forklake.sql.parse import parse_expression, parse_query
from forklake.sql.parse.grammar import TEXT_AS_WRITTEN
from forklake.sql.query.environment import MOST_NESTED

_PLAIN: Final = re.compile(r"-?\d+(\.\d+)?|true|false", re.IGNORECASE | re.ASCII)


def scalar_macro(macros: FindMacro, parts: Sequence[str], arguments: Sequence[exp.Expr]) -> exp.Expr | None:
    """Return the expression that a macro call expands to.

    Return None if there is no such macro.

    Raises:
        InvalidInputError: No overload takes such arguments.
    """
    chosen = _choose_overload(macros, parts, arguments, "scalar")
    if chosen is None:
        return None
    return exp.Paren(this=_substitute(parse_expression(chosen[0].sql), chosen[1]))


def table_macro(macros: FindMacro, parts: Sequence[str], arguments: Sequence[exp.Expr]) -> exp.Expr | None:
    """Return the query that a table macro call expands to.

    Return None if there is no such macro.

    Raises:
        InvalidInputError: No overload takes such arguments.
    """
    chosen = _choose_overload(macros, parts, arguments, "table")
    return None if chosen is None else _substitute(parse_query(chosen[0].sql), chosen[1])


def _choose_overload(
    macros: FindMacro, parts: Sequence[str], arguments: Sequence[exp.Expr], kind: str
) -> tuple[MacroImplementation, dict[str, exp.Expr]] | None:
    overloads = [one for one in macros(tuple(parts)) if one.type == kind]
    for overload in overloads:
        values = _match_arguments(overload, arguments)
        if values is not None:
            return overload, values
    if not overloads:
        return None
    candidates = "".join(
        f"\n\t{parts[-1]}({', '.join(one.name for one in overload.parameters)})" for overload in overloads
    )
    raise InvalidInputError(
        f"Binder Error: Macro {parts[-1]}() does not support the supplied arguments. You might need to add explicit"
        f" type casts.\nCandidate macros:{candidates}"
    )


def _match_arguments(overload: MacroImplementation, arguments: Sequence[exp.Expr]) -> dict[str, exp.Expr] | None:
    """Return the argument of each parameter; None if the arguments do not fit."""
    names = [fold(one.name) for one in overload.parameters]
    values: dict[str, exp.Expr] = {}
    for place, one in enumerate(arguments):
        if isinstance(one, exp.Kwarg | exp.PropertyEQ):
            name, value = fold(one.this.name), one.expression
        elif place < len(names):
            name, value = names[place], one
        else:
            return None
        if name not in names or name in values:
            return None
        values[name] = value
    for parameter in overload.parameters:
        if fold(parameter.name) not in values:
            if parameter.default is None:
                return None
            values[fold(parameter.name)] = _default(parameter)
    return values


def has_plain_default(parameter: MacroParameter) -> bool:
    """Return whether a default is kept as SQL, not as the text of a value."""
    if parameter.default is None or parameter.default_is_expression:
        return parameter.default_is_expression
    # The text of a literal does not tell whether it was quoted; a number is read as a number.
    return parameter.type in (None, "unknown") and _PLAIN.fullmatch(parameter.default) is not None


def _default(parameter: MacroParameter) -> exp.Expr:
    assert parameter.default is not None
    if has_plain_default(parameter):
        return parse_expression(parameter.default)
    if parameter.type in (None, "varchar", "unknown"):
        return exp.Literal.string(parameter.default)
    return BoundNode(bound=constant(stored_type(parameter.type), parameter.default))


def expand_macros(node: exp.Expr, macros: FindMacro, depth: int = 0) -> exp.Expr:
    """Expand the macros in an expression, but not those in its subqueries.

    Raises:
        InvalidInputError: A macro does not take such arguments, or calls itself.
    """
    if depth > MOST_NESTED:
        raise InvalidInputError("Binder Error: Max expression depth limit exceeded: a macro calls itself.")
    if isinstance(node, exp.Literal) or not any(_is_macro(one, macros) for one in parts_of_row(node)):
        return node
    # The tree may be shared or bound again, so calls are replaced in a copy.
    holder = exp.Paren(this=node.copy())
    for call in reversed([one for one in parts_of_row(holder) if _is_macro(one, macros)]):
        whole, parts = _qualified_call(call)
        body = scalar_macro(macros, parts, call_arguments(call))
        if body is not None:
            whole.replace(expand_macros(body, macros, depth + 1))
    found: exp.Expr = holder.this
    return found


def _is_macro(node: exp.Expr, macros: FindMacro) -> TypeGuard[exp.Func]:
    """Return whether a node calls a macro, scalar or table."""
    if not isinstance(node, exp.Func) or isinstance(node, exp.Cast | exp.Case | exp.Array | exp.Struct | exp.Connector):
        return False
    return bool(macros(_qualified_call(node)[1]))


def _qualified_call(call: exp.Func) -> tuple[exp.Expr, tuple[str, ...]]:
    """Return a call with its schema and catalog, and the parts of its name."""
    above = call.parent
    if isinstance(above, exp.Dot) and above.expression is call:
        before = list(above.this.walk())
        if all(isinstance(one, exp.Identifier | exp.Column | exp.Dot) for one in before):
            parts = [part.name for part in above.this.find_all(exp.Identifier, bfs=False)]
            return above, (*parts, function_name(call))
    return call, (function_name(call),)


def _substitute(tree: exp.Expr, values: Mapping[str, exp.Expr]) -> exp.Expr:
    """Replace the parameters in a tree by their arguments.

    A field of a parameter becomes a field of its argument.
    """

    def fill(node: exp.Expr) -> exp.Expr:
        if isinstance(node, exp.Lambda | exp.Comprehension):
            return _substitute_within(node, values)
        for one in node.expressions if isinstance(node, exp.Select) else ():
            if any(fold(column.parts[0].name) in values for column in one.find_all(exp.Column)):
                one.meta.pop(TEXT_AS_WRITTEN, None)  # it is named by the arguments
        if isinstance(node, exp.Dot) and isinstance(node.expression, exp.Func):
            # A function that is called on a parameter: x.lower()
            value = values.get(fold(node.this.name)) if isinstance(node.this, exp.Identifier) else None
            called = _substitute(node.expression, values)
            return node if value is None else exp.Dot(this=exp.Paren(this=value.copy()), expression=called)
        if not isinstance(node, exp.Column) and not _is_value(node):
            return node
        first, *rest = node.parts if isinstance(node, exp.Column) else [node]
        value = values.get(fold(first.name))
        if value is None:
            return node
        found: exp.Expr = value.copy()
        if rest or not isinstance(found, exp.Column | exp.Literal):
            found = exp.Paren(this=found)
        for part in rest:
            found = exp.Dot(this=found, expression=part.copy())
        return found

    return tree.transform(fill)


def _substitute_within(node: exp.Lambda | exp.Comprehension, values: Mapping[str, exp.Expr]) -> exp.Expr:
    """Replace the parameters in a lambda or a list comprehension.

    The names that it gives to elements are not replaced. Such a name is changed where an argument has it, since the
    argument means something else by it.
    """
    made = node.copy()
    listed = made.args.get("iterator")
    given = made.expressions if isinstance(made, exp.Lambda) else [made.args["expression"], made.args.get("position")]
    used = {fold(one.name) for value in values.values() for one in value.find_all(exp.Identifier)}
    inner = dict(values)
    for one in given:
        if one is None:
            continue
        inner.pop(fold(one.name), None)
        if fold(one.name) in used:
            old = one.name
            while fold(one.name) in used:
                one.set("this", f"{one.name}_")
            inner[fold(old)] = exp.Column(this=one.copy())
    for part in list(made.iter_expressions()):
        if not any(part is one for one in given):
            part.replace(_substitute(part, values if part is listed else inner))
    return made


def _is_value(node: exp.Expr) -> bool:
    """Return whether a node is a bare name that stands for a value.

    The parser has columns so in what is called on a value, and in list comprehensions.
    """
    if not isinstance(node, exp.Identifier):
        return False
    if isinstance(node.parent, exp.Comprehension):
        return node.arg_key in ("this", "iterator", "condition")
    if isinstance(node.parent, exp.Binary):
        return not isinstance(node.parent, exp.Dot | exp.PropertyEQ | exp.Kwarg)
    return isinstance(node.parent, exp.Func | exp.Bracket | exp.Paren)
