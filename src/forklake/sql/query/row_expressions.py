"""Expressions over one row outside of a query, as UPDATE, DELETE and MERGE have them."""

from __future__ import annotations

from collections.abc import Sequence

from sqlglot import exp

from forklake.errors import InvalidInputError
from forklake.model import types
from forklake.sql.expressions.bound import Bound
from forklake.sql.expressions.expression import ExpressionBinder
from forklake.sql.expressions.render import shown
from forklake.sql.expressions.site import Site
from forklake.sql.query.bind import environment_of
from forklake.sql.query.macro_calls import expanded
from forklake.sql.query.scope import Scope
from forklake.sql.query.site import QuerySite
from forklake.sql.relation import Names


class _SessionSite(QuerySite):
    """Columns are those of another site; what else there is, is the session's."""

    def __init__(self, names: Names, columns: Site) -> None:
        environment = environment_of(names)
        super().__init__(environment, Scope(environment.reading), "WHERE")
        self._columns = columns

    def column(self, names: Sequence[str]) -> Bound:
        """Return what names stand for."""
        return self._columns.column(names)

    def subquery(self, binder: ExpressionBinder, node: exp.Expr) -> Bound:
        """Return a subquery of no table, and refuse others: here nobody reads what they read."""
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
        columns: What the names of columns stand for.
        names: What a session has: macros, variables and settings count. None in a caller's texts, where none of these
            is known.
    """

    def __init__(self, columns: Site, names: Names | None) -> None:
        self._names = names
        self._binder = ExpressionBinder(columns if names is None else _SessionSite(names, columns))

    def bind(self, node: exp.Expr) -> Bound:
        """Return what an expression is; as `ExpressionBinder.bind`.

        Raises:
            InvalidInputError: It is not understood, or nested too deeply.
        """
        try:
            return self._binder.bind(self.expanded(node))
        except RecursionError as error:
            raise InvalidInputError("The expression is nested too deeply; it was not read.") from error

    def condition(self, node: exp.Expr) -> Bound:
        """Return what an expression is if it is a condition; as `ExpressionBinder.condition`.

        Raises:
            InvalidInputError: It is not understood, nested too deeply, or no condition.
        """
        try:
            whole = self.expanded(node)
            if self._names is None:
                self._check_condition(whole)
            return self._binder.condition(whole)
        except RecursionError as error:
            raise InvalidInputError("The condition is nested too deeply; it was not read.") from error

    def expanded(self, node: exp.Expr) -> exp.Expr:
        """Return an expression with what its macros say in their place."""
        return node if self._names is None else expanded(node, self._names)

    def _check_condition(self, node: exp.Expr) -> None:
        """Refuse a number, which DuckDB takes for a condition: a caller's column name would choose nearly all rows."""
        found = self._binder.bind(node)
        if found.type not in (types.BOOLEAN, types.NULL) and not found.is_untyped:
            kind = found.type.sql_name
            raise InvalidInputError(f"A condition is true or false, not of type {kind}: {shown(node)}")
