"""Checks that the body of a macro needs nothing but what its own names lead to."""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from typing import Final

from sqlglot import exp

from forklake.errors import ForklakeError, InvalidInputError
from forklake.model.definitions import MacroImplementation
from forklake.model.names import fold
from forklake.sql.parse import parse_expression, parse_query
from forklake.sql.query.bind import bind_query
from forklake.sql.query.macro_calls import default_value, fill_parameters
from forklake.sql.relation import Names

_STANDING_IN: Final = ("NULL", "1", "'day'", "[1]")
"""What is given for a parameter, in this order: some functions take no NULL, and which fits is not known."""
_MOST_TRIES: Final = 64


def check_macro(macro: MacroImplementation, names: Names) -> None:
    """Bind a macro alone, with NULL for its parameters, or else with other constants.

    Whatever it is called with, it then names no column, table of WITH or window of the statement around it.

    Raises:
        ForklakeError: It names something that there is not, may not be reached, or is not of its own.
    """
    for parameter in macro.parameters:
        if parameter.default is not None:
            bind_query(exp.Select(expressions=[default_value(parameter)]), names)
    parameters = [fold(one.name) for one in macro.parameters]
    refusal: ForklakeError | None = None
    for given in itertools.islice(itertools.product(_STANDING_IN, repeat=len(parameters)), _MOST_TRIES):
        values = {name: parse_expression(text) for name, text in zip(parameters, given, strict=True)}
        try:
            bind_query(_query(macro, values), names)
        except InvalidInputError as error:
            refusal = refusal or error
        else:
            return
    if refusal is not None:
        raise refusal


def _query(macro: MacroImplementation, values: Mapping[str, exp.Expr]) -> exp.Query:
    if macro.type == "scalar":
        return exp.Select(expressions=[exp.Paren(this=fill_parameters(parse_expression(macro.sql), values))])
    found = fill_parameters(parse_query(macro.sql), values)
    assert isinstance(found, exp.Query)
    return found
