"""Expansion of macros, with their parameters replaced by arguments."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Final, TypeGuard

from sqlglot import exp

from forklake.engine.text_budget import count_nodes
from forklake.errors import InvalidInputError
from forklake.model import types
from forklake.model.definitions import MacroParameter
from forklake.model.names import fold
from forklake.model.types import Type
from forklake.model.types.read import stored_type
from forklake.sql.borne_names import bear_names, borne_names
from forklake.sql.expressions.coercion import constant
from forklake.sql.expressions.nodes import call_arguments, function_name, parts_of_row
from forklake.sql.expressions.render import BoundNode
from forklake.sql.parse import parse_expression, parse_query
from forklake.sql.parse.grammar import TEXT_AS_WRITTEN
from forklake.sql.query.environment import MOST_NESTED
from forklake.sql.relation import FindStoredMacro, Names, StoredMacro

_NODES_OF_CALL: Final = 10
"""How many expressions take as long to bind as a macro to read."""
_PLAIN: Final = re.compile(r"-?\d+(\.\d+)?|true|false", re.IGNORECASE | re.ASCII)


def scalar_macro(macros: FindStoredMacro, parts: Sequence[str], call: exp.Func) -> exp.Expr | None:
    """Return the expression that a macro call expands to.

    Return None if there is no such macro. What the body names is looked up with the names of the macro, or else with
    those that the call bears; its arguments keep theirs.

    Raises:
        InvalidInputError: No overload takes such arguments.
    """
    chosen = _choose_overload(macros, parts, call, "scalar")
    if chosen is None:
        return None
    body = _bear(parse_expression(chosen[0].implementation.sql), _body_names(chosen[0], call))
    return exp.Paren(this=fill_parameters(body, chosen[1]))


def table_macro(macros: FindStoredMacro, parts: Sequence[str], call: exp.Func) -> exp.Expr | None:
    """Return the query that a table macro call expands to.

    Return None if there is no such macro. Names are looked up as by `scalar_macro`.

    Raises:
        InvalidInputError: No overload takes such arguments.
    """
    chosen = _choose_overload(macros, parts, call, "table")
    if chosen is None:
        return None
    return fill_parameters(_bear(parse_query(chosen[0].implementation.sql), _body_names(chosen[0], call)), chosen[1])


def _body_names(macro: StoredMacro, call: exp.Func) -> Names | None:
    return macro.names or borne_names(call)


def _bear(tree: exp.Expr, names: Names | None) -> exp.Expr:
    return tree if names is None else bear_names(tree, names)


def _choose_overload(
    macros: FindStoredMacro, parts: Sequence[str], call: exp.Func, kind: str
) -> tuple[StoredMacro, dict[str, exp.Expr]] | None:
    overloads = [one for one in macros(tuple(parts)) if one.implementation.type == kind]
    for overload in overloads:
        values = _match_arguments(overload, call)
        if values is not None:
            return overload, values
    if not overloads:
        return None
    candidates = "".join(
        f"\n\t{parts[-1]}({', '.join(one.name for one in overload.implementation.parameters)})"
        for overload in overloads
    )
    raise InvalidInputError(
        f"Binder Error: Macro {parts[-1]}() does not support the supplied arguments. You might need to add explicit"
        f" type casts.\nCandidate macros:{candidates}"
    )


def _match_arguments(macro: StoredMacro, call: exp.Func) -> dict[str, exp.Expr] | None:
    """Return the argument of each parameter; None if the arguments do not fit."""
    parameters = macro.implementation.parameters
    names = [fold(one.name) for one in parameters]
    values: dict[str, exp.Expr] = {}
    for place, one in enumerate(call_arguments(call)):
        if isinstance(one, exp.Kwarg | exp.PropertyEQ):
            name, value = fold(one.this.name), one.expression
        elif place < len(names):
            name, value = names[place], one
        else:
            return None
        if name not in names or name in values:
            return None
        values[name] = value
    for parameter in parameters:
        if fold(parameter.name) not in values:
            if parameter.default is None:
                return None
            values[fold(parameter.name)] = _bear(default_value(parameter), _body_names(macro, call))
    return values


def has_plain_default(parameter: MacroParameter) -> bool:
    """Return whether a default is kept as SQL, not as the text of a value."""
    if parameter.default is None or parameter.default_is_expression:
        return parameter.default_is_expression
    # Without its type, the text of a literal does not say whether it was quoted; a number is read as a number.
    kind = kind_of_default(parameter)
    is_number = isinstance(kind, types.Integer | types.Decimal) or kind in (None, types.BOOLEAN)
    return is_number and parameter.type in (None, "unknown") and _PLAIN.fullmatch(parameter.default) is not None


def default_value(parameter: MacroParameter) -> exp.Expr:
    """Return the default of a parameter that has one."""
    assert parameter.default is not None
    if has_plain_default(parameter):
        return parse_expression(parameter.default)
    kind = kind_of_default(parameter)
    if kind is None or kind == types.VARCHAR:
        return exp.Literal.string(parameter.default)
    return BoundNode(bound=constant(kind, parameter.default))


def kind_of_default(parameter: MacroParameter) -> Type | None:
    """Return the type of a default: the parameter's, else its own if known."""
    for name in (parameter.type, parameter.default_type):
        if name is not None and name != "unknown":
            return stored_type(name)
    return None


def expand_macros(node: exp.Expr, macros: FindStoredMacro, depth: int = 0) -> exp.Expr:
    """Expand the macros in an expression, but not those in its subqueries.

    A call in the body of another macro means what it meant there.

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
        count_nodes(_NODES_OF_CALL)
        whole, parts = _qualified_call(call)
        body = scalar_macro(find_macro(call, macros), parts, call)
        if body is not None:
            whole.replace(expand_macros(body, macros, depth + 1))
    found: exp.Expr = holder.this
    return found


def find_macro(call: exp.Expr, macros: FindStoredMacro) -> FindStoredMacro:
    """Return what looks up the macro of a call, which may bear names of its own."""
    names = borne_names(call)
    return macros if names is None else names.macro


def _is_macro(node: exp.Expr, macros: FindStoredMacro) -> TypeGuard[exp.Func]:
    """Return whether a node calls a macro, scalar or table."""
    if not isinstance(node, exp.Func) or isinstance(node, exp.Cast | exp.Case | exp.Array | exp.Struct | exp.Connector):
        return False
    return bool(find_macro(node, macros)(_qualified_call(node)[1]))


def _qualified_call(call: exp.Func) -> tuple[exp.Expr, tuple[str, ...]]:
    """Return a call with its schema and catalog, and the parts of its name."""
    above = call.parent
    if isinstance(above, exp.Dot) and above.expression is call:
        before = list(above.this.walk())
        if all(isinstance(one, exp.Identifier | exp.Column | exp.Dot) for one in before):
            parts = [part.name for part in above.this.find_all(exp.Identifier, bfs=False)]
            return above, (*parts, function_name(call))
    return call, (function_name(call),)


def fill_parameters(tree: exp.Expr, values: Mapping[str, exp.Expr]) -> exp.Expr:
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
            _count(value)
            called = fill_parameters(node.expression, values)
            return node if value is None else exp.Dot(this=exp.Paren(this=value.copy()), expression=called)
        if not isinstance(node, exp.Column) and not _is_value(node):
            return node
        first, *rest = node.parts if isinstance(node, exp.Column) else [node]
        value = values.get(fold(first.name))
        if value is None:
            return node
        _count(value)
        found: exp.Expr = value.copy()
        if rest or not isinstance(found, exp.Column | exp.Literal):
            found = exp.Paren(this=found)
        for part in rest:
            found = exp.Dot(this=found, expression=part.copy())
        return found

    return tree.transform(fill)


def _count(value: exp.Expr | None) -> None:
    """Count the nodes of an argument, which is copied to each place of it."""
    if value is not None:
        count_nodes(sum(1 for _ in value.walk()))


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
            part.replace(fill_parameters(part, values if part is listed else inner))
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
