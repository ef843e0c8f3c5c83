"""Expressions over one row, in UPDATE, DELETE and MERGE."""

from __future__ import annotations

from collections.abc import Sequence

from sqlglot import exp

from forklake.errors import InvalidInputError
from forklake.model import types
from forklake.sql.expressions.bound import Bound
from forklake.sql.expressions.expression import ExpressionBinder
from forklake.sql.expressions.expression_site import Site
from forklake.sql.expressions.render import render
from forklake.sql.query.bind import environment_of
from forklake.sql.query.macro_calls import expand_macros
from forklake.sql.query.scope import Scope
from forklake.sql.query.site import QuerySite
from forklake.sql.relation import Names


class _SessionSite(QuerySite):
    """A site with the columns of another site and the names of a session."""

    def __init__(self, names: Names, columns: Site) -> None:
        environment = environment_of(names)
        super().__init__(environment, Scope(environment.reading), "WHERE")
        self._columns = columns

    def column(self, names: Sequence[str]) -> Bound:
        """Return the column of a dotted name."""
        return self._columns.column(names)

    def subquery(self, binder: ExpressionBinder, node: exp.Expr) -> Bound:
        """Bind a subquery without tables, and refuse others: nothing would read them."""
        found = super().subquery(binder, node)
        if self.environment.reading.scans():
            raise InvalidInputError(
                "Binder Error: MERGE has subqueries in its source only; nothing was changed.",
                hint="MERGE INTO ... USING (SELECT ...) AS ...",
            )
        return found


class RowBinder:
    """Binds expressions over one row.

    Args:
        columns: Resolves the names of columns.
        names: The names of a session: macros, variables and settings. None for texts of Python callers, where
            these are not available.
    """

    def __init__(self, columns: Site, names: Names | None) -> None:
        self._names = names
        self._binder = ExpressionBinder(columns if names is None else _SessionSite(names, columns))

    def bind(self, node: exp.Expr) -> Bound:
        """Bind an expression, as `ExpressionBinder.bind` does.

        Raises:
            InvalidInputError: It is not supported, or nested too deeply.
        """
        try:
            return self._binder.bind(self.expand_macros(node))
        except RecursionError as error:
            raise InvalidInputError("The expression is nested too deeply; it was not read.") from error

    def condition(self, node: exp.Expr) -> Bound:
        """Bind a condition, as `ExpressionBinder.condition` does.

        Raises:
            InvalidInputError: It is not supported, nested too deeply, or no condition.
        """
        try:
            whole = self.expand_macros(node)
            if self._names is None:
                self._check_condition(whole)
            return self._binder.condition(whole)
        except RecursionError as error:
            raise InvalidInputError("The condition is nested too deeply; it was not read.") from error

    def expand_macros(self, node: exp.Expr) -> exp.Expr:
        """Expand the macros in an expression."""
        return node if self._names is None else expand_macros(node, self._names.macro)

    def _check_condition(self, node: exp.Expr) -> None:
        """Refuse a condition that is not boolean.

        DuckDB accepts numbers: just a column's name in a caller's text would select nearly all rows.
        """
        found = self._binder.bind(node)
        if found.type not in (types.BOOLEAN, types.NULL) and not found.is_untyped:
            kind = found.type.sql_name
            raise InvalidInputError(f"A condition is true or false, not of type {kind}: {render(node)}")
