"""The clauses of a query, as sites of expressions."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from sqlglot import exp

from forklake.errors import ForklakeError, InvalidInputError
from forklake.model import types
from forklake.model.names import fold
from forklake.sql.borne_names import names_of
from forklake.sql.expressions.bound import Bound, outer_value
from forklake.sql.expressions.coercion import constant
from forklake.sql.expressions.columns import extract_field
from forklake.sql.expressions.expression import ExpressionBinder
from forklake.sql.expressions.expression_site import Site
from forklake.sql.expressions.nodes import call_arguments
from forklake.sql.query.column_statistics import bind_statistics
from forklake.sql.query.constants import constant_node, python_value
from forklake.sql.query.environment import Environment
from forklake.sql.query.scope import Scope
from forklake.sql.query.subqueries import bind_subquery
from forklake.sql.query.windows import bind_window


class QuerySite(Site):
    """A clause of a query.

    Names refer to columns of its tables, then to aliases of its result, then to columns of outer queries.

    Args:
        clause: Its name in messages.
        aliases: The expressions of the result's aliases, by name in lower case.
        windows: The definitions of WINDOW, by name in lower case; None where window functions are not allowed.
    """

    def __init__(
        self,
        environment: Environment,
        scope: Scope,
        clause: str,
        aliases: Mapping[str, exp.Expr] | None = None,
        windows: Mapping[str, exp.Window] | None = None,
    ) -> None:
        self.environment = environment
        self.scope = scope
        self.clause = clause
        self.aliases = dict(aliases or {})
        self._windows = windows

    def column(self, names: Sequence[str]) -> Bound:
        """Return the value of a dotted name."""
        found = self.scope.bind(names)
        if found is not None:
            return found
        alias = self.aliases.get(fold(names[0]))
        if alias is not None:
            return extract_field(self._bind_alias(fold(names[0]), alias), names[1:], names[0])
        if self.scope.outer is not None:
            try:
                return outer_value(self.scope.outer.resolve(names))
            except ForklakeError:
                # The innermost query has the best error, unless an outer column exists but cannot be used.
                if self.scope.outer.knows(names):
                    raise
        raise self.scope.missing(names)

    def note(self, node: exp.Expr, bound: Bound) -> None:
        """Record the value of an expression of the query."""
        self.environment.reading.note(node, bound)

    def _bind_alias(self, name: str, node: exp.Expr) -> Bound:
        """Bind the expression of an alias, which cannot refer to itself."""
        del self.aliases[name]
        try:
            return ExpressionBinder(self).bind(node)
        finally:
            self.aliases[name] = node

    def subquery(self, binder: ExpressionBinder, node: exp.Expr) -> Bound:
        """Bind a subquery, which may use the names in scope here."""
        is_condition = self.clause in ("WHERE", "JOIN", "HAVING", "QUALIFY")
        return bind_subquery(binder, node, self.environment, self.scope, is_condition=is_condition)

    def window(self, binder: ExpressionBinder, node: exp.Window) -> Bound:
        """Bind a window function, if it is allowed here."""
        if self._windows is None:
            raise InvalidInputError(f"Binder Error: {self.clause} clause cannot contain window functions!")
        return bind_window(binder, node, self._windows)

    def aggregate(self, binder: ExpressionBinder, node: exp.Expr) -> Bound:
        """Refuse an aggregate: this clause is evaluated row by row."""
        if self.clause == "aggregate":
            raise InvalidInputError("Binder Error: aggregate function calls cannot be nested")
        raise InvalidInputError(f"Binder Error: {self.clause} clause cannot contain aggregates!")

    def call(self, binder: ExpressionBinder, parts: Sequence[str], node: exp.Func) -> Bound | None:
        """Return the value of a variable, a setting, or a function of the session."""
        names, arguments = names_of(node, self.environment.names), call_arguments(node)
        reads: Mapping[str, Callable[[str], Any]] = {"getvariable": names.variable, "current_setting": names.setting}
        read = reads.get(fold(parts[-1])) if len(parts) == 1 and len(arguments) == 1 else None
        if read is not None:
            return binder.bind(constant_node(read(str(python_value(arguments[0], names)))))
        if [fold(part) for part in parts] == ["stats"] and len(arguments) == 1:
            return bind_statistics(binder, self.scope, arguments[0])
        values, named = [], {}
        try:
            for one in arguments:
                if isinstance(one, exp.Kwarg | exp.PropertyEQ):
                    named[one.this.name.lower()] = python_value(one.expression, names)
                else:
                    values.append(python_value(one, names))
        except ForklakeError:
            return None
        found = self.environment.reading.call_once(arguments, lambda: names.scalar(tuple(parts), values, named))
        if found is NotImplemented:
            return None
        if isinstance(found, int) and not isinstance(found, bool):
            return constant(types.INT64, str(found))  # an id, however small
        return binder.bind(constant_node(found))
