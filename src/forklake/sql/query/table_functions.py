"""Functions that give tables: ranges and unnested lists, macros, and those of the session."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from sqlglot import exp

from forklake.errors import InvalidInputError, NotFoundError
from forklake.model.field import Field
from forklake.sql.expression import ExpressionBinder
from forklake.sql.nodes import call_arguments, function_name
from forklake.sql.query.constants import python_value
from forklake.sql.query.environment import Environment
from forklake.sql.query.macros import table_macro
from forklake.sql.query.scope import Scope
from forklake.sql.query.site import QuerySite
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
        return _range(called, environment)
    if isinstance(called, exp.Explode):
        return bind_unnest(exp.Unnest(expressions=[called.this.copy()]), environment, beside)
    parts = (*(part.name for part in node.parts[:-1]), function_name(called))
    arguments = call_arguments(called)
    macro = table_macro(environment.names, parts, arguments)
    if macro is not None:
        return Generated(environment.bind(macro, replace(environment, outer=None, depth=environment.deeper())))
    values, named = _split(arguments, environment)
    found = environment.names.function(parts, values, named)
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


def _range(node: exp.GenerateSeries, environment: Environment) -> Generated:
    """Return the numbers of ``range``, or of ``generate_series``, which has the end too."""
    is_exclusive = bool(node.args.get("is_end_exclusive"))
    name = "range" if is_exclusive else "generate_series"
    parts = [node.args.get("start"), node.args.get("end"), node.args.get("step")]
    values = [python_value(one, environment.names) for one in parts if one is not None]
    column = (Field(None, name, "int64"),)
    if None in values:
        return Generated(BoundQuery("SELECT id AS c0 FROM range(0, 0, 1, 1)", column))
    if not all(isinstance(one, int) for one in values):
        raise InvalidInputError(f"The arguments of {name} must be whole numbers: {node.sql('duckdb')}")
    start, end, step = [0, *values, 1] if len(values) == 1 else [*values, 1][:3]
    if step == 0:
        raise InvalidInputError("Binder Error: interval cannot be 0!")
    if not is_exclusive:
        end += 1 if step > 0 else -1
    tasks = ", 1" if abs(end - start) // abs(step) <= _SMALL_RANGE else ""
    return Generated(BoundQuery(f"SELECT id AS c0 FROM range({start}L, {end}L, {step}L{tasks})", column))


def bind_unnest(node: exp.Unnest, environment: Environment, beside: Scope) -> Generated:
    """Return the elements of a list as rows.

    Raises:
        InvalidInputError: It is no list.
    """
    if len(node.expressions) != 1 or node.args.get("offset"):
        raise InvalidInputError(f"UNNEST of several lists is not supported: {node.sql('duckdb')}")
    around = Scope(beside.reading, beside.tables, beside.merged, beside.outer)
    value = ExpressionBinder(QuerySite(environment, around, "FROM")).bind(node.expressions[0])
    if value.type != "list" or value.field is None:
        raise InvalidInputError("Binder Error: UNNEST() can only be applied to lists, structs and NULL")
    element = value.field.children[0]
    column = (Field(None, "unnest", element.type, element.children),)
    return Generated(BoundQuery(f"SELECT explode({value.sql}) AS c0", column), bool(around.touched))
