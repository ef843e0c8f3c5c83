"""Binding of expressions: nodes of DuckDB's parser to Spark SQL.

Every supported kind of node is listed here or in `functions`, with the parts that it may have. Anything else
is refused, so nothing reaches Spark with another meaning.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Final

from sqlglot import exp

from forklake.engine.text_budget import count_nodes, count_text
from forklake.errors import InvalidInputError
from forklake.model import types
from forklake.model.names import fold
from forklake.model.predicate import Anything, Nothing
from forklake.model.types import Type
from forklake.sql.borne_names import hand_on_names
from forklake.sql.expressions.arithmetic import negate
from forklake.sql.expressions.bound import TEXTS, Bound
from forklake.sql.expressions.coercion import cast, constant, unify, untyped_constant
from forklake.sql.expressions.columns import extract_field
from forklake.sql.expressions.comparisons import (
    between,
    comparison,
    conjunction,
    disjunction,
    distinct,
    like,
    negation,
    null_test,
    one_of,
)
from forklake.sql.expressions.expression_site import Site
from forklake.sql.expressions.intervals import amount_of_unit, interval_of, number_of_units
from forklake.sql.expressions.lambdas import bind_lambda, is_folding, meet_start
from forklake.sql.expressions.literals import ducklake_text
from forklake.sql.expressions.nested import field_of
from forklake.sql.expressions.nested_nodes import (
    bind_bracket,
    bind_list,
    bind_map,
    bind_map_of_lists,
    bind_struct,
    bind_tuple,
    target_shape,
)
from forklake.sql.expressions.nodes import (
    COMPARISONS,
    call_arguments,
    call_node,
    function_name,
    is_aggregate,
    is_subquery,
)
from forklake.sql.expressions.number_literals import number
from forklake.sql.expressions.operator_chains import calculate, concatenate
from forklake.sql.expressions.render import BoundNode, render
from forklake.sql.functions import FUNCTIONS, NAMED, no_match, no_such_function
from forklake.sql.vocabulary import takes

_ARITHMETIC: Final[Mapping[type[exp.Expr], str]] = {
    exp.Add: "+",
    exp.Sub: "-",
    exp.Mul: "*",
    exp.Div: "/",
    exp.IntDiv: "//",
    exp.Mod: "%",
}
_HARMLESS: Final = frozenset({"typed", "safe", "copy"})
"""Parts of nodes that do not change their meaning in DuckDB."""
_LEAST_INTEGER: Final = "-2147483648"
"""DuckDB reads the digits before the sign, and these are too many for an INTEGER."""
_TRUE: Final = Bound("TRUE", types.BOOLEAN, literal="true", when_true=Anything(), when_false=Nothing())
_FALSE: Final = Bound("FALSE", types.BOOLEAN, literal="false", when_true=Nothing(), when_false=Anything())
_NULL: Final = Bound("NULL", types.NULL, when_true=Nothing(), when_false=Nothing())
_UNKNOWN: Final = Bound("CAST(NULL AS BOOLEAN)", types.NULL, when_true=Nothing(), when_false=Nothing())


class ExpressionBinder:
    """Binds expressions at a site.

    The parameters of enclosing lambdas are known besides the columns of the site.
    """

    def __init__(self, site: Site, parameters: Mapping[str, Bound] | None = None) -> None:
        self.site = site
        self.parameters: Mapping[str, Bound] = parameters or {}

    def bind(self, node: exp.Expr) -> Bound:
        """Bind an expression.

        Raises:
            InvalidInputError: It is not supported, or its values do not fit together.
            NotFoundError: There is no such column.
        """
        known = self.site.known_value(self, node)
        found = self._bind(node) if known is None else known
        count_text(found.sql)
        _count_parts(found.type)
        self.site.note(node, found)
        return found

    def _bind(self, node: exp.Expr) -> Bound:
        if is_subquery(node):
            return self.site.subquery(self, node)
        if isinstance(node, exp.Window):
            return self.site.window(self, node)
        if is_aggregate(node):
            return self.site.aggregate(self, node)
        kind = type(node)
        if kind in COMPARISONS:
            first, second = self._operands(node)
            return comparison(first, COMPARISONS[kind], second)
        if kind in _ARITHMETIC:
            return self._calculation(node)
        if kind in _HANDLERS:
            handler, said = _HANDLERS[kind]
            _check_all_is_understood(node, said)
            return handler(self, node)
        found = self._call(node)
        # What is called is no plain number any more, which would take the type of one beside it.
        is_number = found.literal is not None and isinstance(found.type, types.Number)
        return replace(found, keeps_type=True) if is_number else found

    def _call(self, node: exp.Expr) -> Bound:
        """Bind a function call."""
        kind = type(node)
        if kind in FUNCTIONS:
            function, said = FUNCTIONS[kind]
            _check_all_is_understood(node, said)
            return function(self._arguments([part for name in said for part in _as_list(node.args.get(name))]), node)
        if isinstance(node, exp.Func) and fold(function_name(node)) in NAMED:
            return NAMED[fold(function_name(node))](self._arguments(call_arguments(node)), node)
        found = None
        if isinstance(node, exp.Func):
            found = self.site.call(self, (function_name(node),), node)
        if found is None and isinstance(node, exp.Anonymous) and not takes(fold(node.name), len(node.expressions)):
            raise no_match(fold(node.name), self._arguments(node.expressions))
        if found is None:
            raise _refusal(node)
        return found

    def _arguments(self, parts: Sequence[exp.Expr]) -> list[Bound]:
        """Bind the arguments of a function.

        The parameters of a lambda take their types from the list before it.
        """
        bound: list[Bound] = []
        for place, part in enumerate(parts):
            if isinstance(part, exp.Lambda):
                if bound and is_folding(part) and place + 1 < len(parts):
                    bound[0] = meet_start(bound[0], self.bind(parts[place + 1]))
                bound.append(bind_lambda(self, part, bound))
            elif isinstance(part, exp.PropertyEQ | exp.Kwarg):
                bound.append(self.bind(part.expression))
            else:
                bound.append(self.bind(part))
        return bound

    def condition(self, node: exp.Expr) -> Bound:
        """Bind an expression as a condition, cast to BOOLEAN if needed."""
        bound = self.bind(node)
        if bound.type == types.NULL:
            return _UNKNOWN
        return bound if bound.type == types.BOOLEAN else cast(bound, types.BOOLEAN)

    def _calculation(self, node: exp.Expr) -> Bound:
        """Bind arithmetic; a long chain is walked in a loop, not recursively."""
        steps: list[tuple[str, exp.Expr]] = []
        start, known = node, None
        while type(start) in _ARITHMETIC and known is None:
            count_nodes()
            _check_all_is_understood(start, _BOTH)
            steps.append((_ARITHMETIC[type(start)], start.expression))
            start = start.this
            known = self.site.known_value(self, start)
        first = self.bind(start) if known is None else known
        return calculate(first, [(operator, self.bind(operand)) for operator, operand in reversed(steps)])

    def _operands(self, node: exp.Expr) -> tuple[Bound, Bound]:
        _check_all_is_understood(node, ("this", "expression"))
        return self.bind(node.this), self.bind(node.expression)

    def column(self, node: exp.Expr) -> Bound:
        """Bind a column, a lambda's parameter, or a struct field of either."""
        names = _names(node)
        if fold(names[0]) in self.parameters:
            return extract_field(self.parameters[fold(names[0])], names[1:], names[0])
        return self.site.column(names)

    def dot(self, node: exp.Expr) -> Bound:
        """Bind a dotted expression.

        It is a struct field, a function of a schema, or a function called on the value before it.
        """
        called = node.expression
        if isinstance(called, exp.Func):
            return self._dot_call(node.this, called)
        start = node.this
        while isinstance(start, exp.Dot):
            start = start.this
        if isinstance(start, exp.Column | exp.Identifier):
            return self.column(node)
        return field_of(self.bind(node.this), called.name)

    def _dot_call(self, before: exp.Expr, called: exp.Func) -> Bound:
        if _is_name(before):
            found = self.site.call(self, (*_names(before), function_name(called)), called)
            if found is not None:
                return found
        value = exp.column(before.copy()) if isinstance(before, exp.Identifier) else before.copy()
        made = call_node(function_name(called), [value, *(one.copy() for one in call_arguments(called))])
        return self.bind(hand_on_names(made, called))

    def literal(self, node: exp.Expr) -> Bound:
        """Bind a quoted constant or a number."""
        text = str(node.this)
        return untyped_constant(text) if node.args.get("is_string") else number(text)

    def negative(self, node: exp.Expr) -> Bound:
        """Bind a number or interval with the opposite sign.

        Signs before a literal number are part of it.
        """
        inner, is_negative = node.this.unnest(), True
        while isinstance(inner, exp.Neg):
            inner, is_negative = inner.this.unnest(), not is_negative
        if isinstance(inner, exp.Literal) and not inner.is_string:
            found = number(f"{'-' if is_negative else ''}{inner.name}")
            return (
                found
                if found.literal != _LEAST_INTEGER
                else replace(constant(types.INT64, _LEAST_INTEGER), keeps_type=True)
            )
        return negate(self.bind(node.this))

    def cast(self, node: exp.Expr) -> Bound:
        """Bind a cast."""
        return replace(cast(self.bind(node.this), _target(node)), keeps_type=True)

    def try_cast(self, node: exp.Expr) -> Bound:
        """Bind a cast that gives NULL where the value does not fit."""
        value, target = self.bind(node.this), _target(node)
        try:
            return cast(value, target, is_lenient=True)
        except InvalidInputError:
            if value.literal is None:
                raise
            return cast(_NULL, target)

    def interval(self, node: exp.Expr) -> Bound:
        """Bind an interval."""
        unit = node.args.get("unit")
        amount = node.this
        while isinstance(amount, exp.Paren):
            amount = amount.this
        sign = ""
        if isinstance(amount, exp.Neg):
            sign, amount = "-", amount.this
        if not isinstance(amount, exp.Literal):
            name = "second" if unit is None else unit.name
            return interval_of(number_of_units(self.bind(node.this), name), name)
        text = sign + (amount.name if unit is None else amount_of_unit(amount.name, unit.name))
        return constant(types.INTERVAL, ducklake_text(text, types.INTERVAL))

    def conjunction(self, node: exp.Expr) -> Bound:
        """Bind AND."""
        return conjunction([self.condition(part) for part in _chain_parts(node)])

    def disjunction(self, node: exp.Expr) -> Bound:
        """Bind OR."""
        return disjunction([self.condition(part) for part in _chain_parts(node)])

    def negation(self, node: exp.Expr) -> Bound:
        """Bind NOT."""
        return negation(self.condition(node.this))

    def is_(self, node: exp.Expr) -> Bound:
        """Bind IS [NOT] NULL, IS [NOT] TRUE, IS [NOT] FALSE."""
        wanted = node.expression
        if isinstance(wanted, exp.Null):
            return null_test(self.bind(node.this), is_null=True)
        if not isinstance(wanted, exp.Boolean):
            raise _refusal(node)
        value = self.condition(node.this)
        said = value.when_true if wanted.this else value.when_false
        return Bound(f"({value.sql} <=> {'TRUE' if wanted.this else 'FALSE'})", types.BOOLEAN, when_true=said)

    def in_(self, node: exp.Expr) -> Bound:
        """Bind IN with a list of values."""
        members = node.expressions
        if len(members) == 1 and isinstance(members[0], exp.Tuple):
            members = members[0].expressions
        if node.args.get("field") is not None:
            return _negate_if(node, self._contains(node.this, node.args["field"]))
        if not members:
            raise InvalidInputError("IN needs a list of values.")
        return _negate_if(node, one_of(self.bind(node.this), [self.bind(member) for member in members]))

    def _contains(self, part: exp.Expr, whole: exp.Expr) -> Bound:
        """Return whether a list contains an element, or a text another text."""
        within = self.bind(whole)
        kind = exp.Contains if within.type in TEXTS else exp.ArrayContains
        function, _ = FUNCTIONS[kind]
        return function([within, self.bind(part)], kind(this=whole.copy(), expression=part.copy()))

    def between(self, node: exp.Expr) -> Bound:
        """Bind BETWEEN."""
        bounds = (self.bind(node.args["low"]), self.bind(node.args["high"]))
        return _negate_if(node, between(self.bind(node.this), *bounds))

    def like(self, node: exp.Expr) -> Bound:
        """Bind LIKE or ILIKE, with or without an escape character."""
        escape = None
        if isinstance(node, exp.Escape):
            escape = node.expression.name
            node = node.this
            if not isinstance(node, exp.Like | exp.ILike) or len(escape) > 1:
                raise InvalidInputError("Invalid escape string. Escape string must be empty or one character.")
            _check_all_is_understood(node, ("this", "expression", "negate"))
        value, pattern = self.bind(node.this), self.bind(node.expression)
        return _negate_if(node, like(value, pattern, escape, ignores_case=isinstance(node, exp.ILike)))

    def distinct(self, node: exp.Expr) -> Bound:
        """Bind IS DISTINCT FROM."""
        return distinct(self.bind(node.this), self.bind(node.expression))

    def concatenate(self, node: exp.Expr) -> Bound:
        """Bind texts or lists concatenated with ``||``."""
        parts: list[exp.Expr] = []
        start = node
        while isinstance(start, exp.DPipe):
            _check_all_is_understood(start, _BOTH)
            parts.append(start.expression)
            start = start.this
        return concatenate([self.bind(start), *(self.bind(part) for part in reversed(parts))])

    def case(self, node: exp.Expr) -> Bound:
        """Bind CASE."""
        subject = None if node.args.get("this") is None else self.bind(node.this)
        tests, results = [], []
        for branch in node.args.get("ifs", ()):
            test = self.condition(branch.this) if subject is None else comparison(subject, "=", self.bind(branch.this))
            tests.append(test.sql)
            results.append(self.bind(branch.args["true"]))
        default = node.args.get("default")
        results.append(_NULL if default is None else self.bind(default))
        return _case_sql(tests, results)

    def if_(self, node: exp.Expr) -> Bound:
        """Bind if(condition, value, other)."""
        other = node.args.get("false")
        results = [self.bind(node.args["true"]), _NULL if other is None else self.bind(other)]
        return _case_sql([self.condition(node.this).sql], results)


def _target(node: exp.Expr) -> Type:
    return target_shape(node.args["to"])


def _case_sql(tests: Sequence[str], results: Sequence[Bound]) -> Bound:
    """Return a CASE expression; its results take one type."""
    values = unify(results)
    branches = " ".join(f"WHEN {test} THEN {value.sql}" for test, value in zip(tests, values, strict=False))
    return Bound(f"(CASE {branches} ELSE {values[-1].sql} END)", values[0].type)


def _chain_parts(node: exp.Expr) -> list[exp.Expr]:
    """Return the parts of a chain of ANDs or ORs of any length."""
    parts: list[exp.Expr] = []
    rest = [node]
    while rest:
        part = rest.pop()
        if type(part) is type(node):
            rest += [part.expression, part.this]
        else:
            parts.append(part)
    return parts


def _negate_if(node: exp.Expr, bound: Bound) -> Bound:
    return negation(bound) if node.args.get("negate") else bound


def _is_name(node: exp.Expr) -> bool:
    """Return whether a node is a dotted name, which nothing is called in."""
    while isinstance(node, exp.Dot) and isinstance(node.expression, exp.Identifier):
        node = node.this
    return isinstance(node, exp.Column | exp.Identifier)


def _names(node: exp.Expr) -> list[str]:
    """Return the parts of a dotted column name."""
    if isinstance(node, exp.Dot) and isinstance(node.expression, exp.Identifier):
        return [*_names(node.this), node.expression.name]
    if isinstance(node, exp.Column) and isinstance(node.this, exp.Identifier):
        return [part.name for part in node.parts]
    if isinstance(node, exp.Identifier):
        return [node.name]
    raise _refusal(node)


def _as_list(value: object) -> list[exp.Expr]:
    values = value if isinstance(value, list) else [value]
    return [one for one in values if isinstance(one, exp.Expr) and not isinstance(one, exp.Var)]


def _check_all_is_understood(node: exp.Expr, said: Sequence[str]) -> None:
    for name, value in node.args.items():
        if value and name not in said and name not in _HARMLESS:
            raise _refusal(node)


def _parameter(binder: ExpressionBinder, node: exp.Expr) -> Bound:
    raise InvalidInputError("An expression here cannot contain parameters: write the values.")


def _refusal(node: exp.Expr) -> InvalidInputError:
    if not isinstance(node, exp.Func):
        return InvalidInputError(f"This is not supported: {render(node)}")
    name = function_name(node).lower()
    message = f'The function "{name}" is not supported: {render(node)}'
    return no_such_function(name) if isinstance(node, exp.Anonymous) else InvalidInputError(message)


_Handler = Callable[[ExpressionBinder, exp.Expr], Bound]
_BOTH: Final = ("this", "expression")
_HANDLERS: Final[Mapping[type[exp.Expr], tuple[_Handler, Sequence[str]]]] = {
    exp.Column: (ExpressionBinder.column, ("this", "table", "db", "catalog")),
    exp.Identifier: (ExpressionBinder.column, ("this", "quoted")),
    exp.Dot: (ExpressionBinder.dot, _BOTH),
    BoundNode: (lambda binder, node: binder.site.resolve(node.args["bound"]), ("bound",)),
    exp.Placeholder: (_parameter, ("this",)),
    exp.Parameter: (_parameter, ("this",)),
    exp.Literal: (ExpressionBinder.literal, ("this", "is_string")),
    exp.Boolean: (lambda binder, node: _TRUE if node.this else _FALSE, ("this",)),
    exp.Null: (lambda binder, node: _NULL, ()),
    exp.Paren: (lambda binder, node: binder.bind(node.this), ("this",)),
    exp.Neg: (ExpressionBinder.negative, ("this",)),
    exp.Cast: (ExpressionBinder.cast, ("this", "to")),
    exp.TryCast: (ExpressionBinder.try_cast, ("this", "to")),
    exp.Interval: (ExpressionBinder.interval, ("this", "unit")),
    exp.And: (ExpressionBinder.conjunction, _BOTH),
    exp.Or: (ExpressionBinder.disjunction, _BOTH),
    exp.Not: (ExpressionBinder.negation, ("this",)),
    exp.Is: (ExpressionBinder.is_, _BOTH),
    exp.In: (ExpressionBinder.in_, ("this", "expressions", "negate", "field")),
    exp.Between: (ExpressionBinder.between, ("this", "low", "high", "negate")),
    exp.Like: (ExpressionBinder.like, (*_BOTH, "negate")),
    exp.ILike: (ExpressionBinder.like, (*_BOTH, "negate")),
    exp.Escape: (ExpressionBinder.like, _BOTH),
    exp.NullSafeNEQ: (ExpressionBinder.distinct, _BOTH),
    exp.NullSafeEQ: (lambda binder, node: negation(binder.distinct(node)), _BOTH),
    exp.DPipe: (ExpressionBinder.concatenate, _BOTH),
    exp.Case: (ExpressionBinder.case, ("this", "ifs", "default")),
    exp.If: (ExpressionBinder.if_, ("this", "true", "false")),
    exp.Array: (bind_list, ("expressions", "value_constructor")),
    exp.Struct: (bind_struct, ("expressions",)),
    exp.Tuple: (bind_tuple, ("expressions",)),
    exp.ToMap: (bind_map, ("this",)),
    exp.Map: (bind_map_of_lists, ("keys", "values")),
    exp.Bracket: (bind_bracket, ("this", "expressions", "offset")),
}


def _count_parts(kind: Type) -> None:
    """Count the types within a type.

    One that holds another twice, which does so too, becomes large soon.
    """
    for one in kind.children:
        count_nodes()
        _count_parts(one.type)
