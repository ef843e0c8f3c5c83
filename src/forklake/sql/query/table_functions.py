"""Functions that give tables: ranges and unnested lists, macros, and those of the session."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from sqlglot import exp

from forklake.errors import InvalidInputError, NotFoundError
from forklake.model import types
from forklake.model.field import Field
from forklake.sql.expressions.expression import ExpressionBinder
from forklake.sql.expressions.nodes import call_arguments, function_name
from forklake.sql.query.constants import python_value
from forklake.sql.query.environment import Environment
from forklake.sql.query.macro_calls import table_macro
from forklake.sql.query.scope import Scope
from forklake.sql.query.site import QuerySite
from forklake.sql.query.unnesting import elements_in_from
from forklake.sql.relation import BoundQuery, Relation

_SMALL_RANGE: Final = 100_000
"""Ranges up to this many rows are made by one task."""


@dataclass(frozen=True, slots=True)
class Generated:
    """A table that a query makes; a lateral one depends on the tables before it."""

    query: BoundQuery
    is_lateral: bool = False


def bind_table_function(node: exp.Table, environment: Environment, beside: Scope) -> Relation | Generated:
    """Return what a function in a FROM clause gives.

    Raises:
        NotFoundError: There is no such function.
        InvalidInputError: Its arguments are no constants, or do not fit.
    """
    called = node.this
    if isinstance(called, exp.GenerateSeries):
        return _range(called, environment, beside)
    if isinstance(called, exp.Explode):
        return bind_unnest(exp.Unnest(expressions=[called.this.copy()]), environment, beside)
    parts = (*(part.name for part in node.parts[:-1]), function_name(called))
    arguments = call_arguments(called)
    macro = table_macro(environment.names, parts, arguments)
    if macro is not None:
        return Generated(environment.bind(macro, replace(environment, outer=None, depth=environment.deeper())))
    values, named = _split(arguments, environment)
    found = environment.reading.called(arguments, lambda: environment.names.function(parts, values, named))
    if found is None:
        name = ".".join(parts)
        raise NotFoundError(f"Catalog Error: Table Function with name {name} does not exist!")
    return found


def _split(arguments: Sequence[exp.Expr], environment: Environment) -> tuple[list[Any], dict[str, Any]]:
    values, named = [], {}
    for one in arguments:
        # DuckDB takes a name for an argument with all three: =>, := and =.
        if isinstance(one, exp.Kwarg | exp.PropertyEQ | exp.EQ):
            named[one.this.name.lower()] = python_value(one.expression, environment.names)
        else:
            values.append(python_value(one, environment.names))
    return values, named


def _range(node: exp.GenerateSeries, environment: Environment, beside: Scope) -> Generated:
    """Return the numbers of ``range``, or of ``generate_series``, which has the end too; or the moments."""
    is_exclusive = bool(node.args.get("is_end_exclusive"))
    name = "range" if is_exclusive else "generate_series"
    parts = [node.args.get("start"), node.args.get("end"), node.args.get("step")]
    try:
        values = [python_value(one, environment.names) for one in parts if one is not None]
    except InvalidInputError:
        return _listed(node, name, environment, beside)
    column = (Field(None, name, types.INT64),)
    if None in values:
        return Generated(BoundQuery("SELECT id AS c0 FROM range(0, 0, 1, 1)", column))
    if not all(isinstance(one, int) for one in values):
        return _listed(node, name, environment, beside)
    start, end, step = [0, *values, 1] if len(values) == 1 else [*values, 1][:3]
    if step == 0:
        raise InvalidInputError("Binder Error: interval cannot be 0!")
    if not is_exclusive:
        end += 1 if step > 0 else -1
    tasks = ", 1" if abs(end - start) // abs(step) <= _SMALL_RANGE else ""
    return Generated(BoundQuery(f"SELECT id AS c0 FROM range({start}L, {end}L, {step}L{tasks})", column))


def _listed(node: exp.GenerateSeries, name: str, environment: Environment, beside: Scope) -> Generated:
    """Return a range of moments, or one that depends on the tables before it."""
    found = bind_unnest(exp.Unnest(expressions=[node.copy()]), environment, beside)
    (column,) = found.query.columns
    return replace(found, query=replace(found.query, columns=(replace(column, name=name),)))


def bind_unnest(node: exp.Unnest, environment: Environment, beside: Scope) -> Generated:
    """Return the elements of a list as rows.

    Raises:
        InvalidInputError: It is no list.
    """
    if len(node.expressions) != 1:
        raise InvalidInputError("Binder Error: UNNEST requires a single list as input")
    around = Scope(beside.reading, beside.tables, beside.merged, beside.outer)
    value = ExpressionBinder(QuerySite(environment, around, "FROM")).bind(node.expressions[0])
    offset = node.args.get("offset")
    text, columns = elements_in_from(value, with_places=bool(offset))
    if isinstance(offset, exp.Identifier):
        # The parser takes the last name of an alias for that of the places.
        columns = (columns[0], replace(columns[1], name=offset.name))
    return Generated(BoundQuery(text, columns), bool(around.touched))
