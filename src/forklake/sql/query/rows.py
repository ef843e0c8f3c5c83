"""Expressions over one row outside of a query, as UPDATE, DELETE and MERGE have them: macros and variables count."""

from __future__ import annotations

from collections.abc import Sequence

from sqlglot import exp

from forklake.sql.bound import Bound
from forklake.sql.expression import ExpressionBinder
from forklake.sql.query.bind import environment_of
from forklake.sql.query.macros import expanded
from forklake.sql.query.scope import Scope
from forklake.sql.query.site import QuerySite
from forklake.sql.relation import Names
from forklake.sql.site import Site


class RowSite(QuerySite):
    """Columns are those of another site; what else there is, is the session's."""

    def __init__(self, names: Names, columns: Site) -> None:
        environment = environment_of(names)
        super().__init__(environment, Scope(environment.reading), "WHERE")
        self._columns = columns

    def column(self, names: Sequence[str]) -> Bound:
        """Return what names stand for."""
        return self._columns.column(names)


class RowBinder:
    """Binds expressions over one row."""

    def __init__(self, site: RowSite) -> None:
        self._site = site
        self._binder = ExpressionBinder(site)

    def bind(self, node: exp.Expr) -> Bound:
        """Return what an expression is; as `ExpressionBinder.bind`."""
        return self._binder.bind(expanded(node, self._site.environment.names))

    def condition(self, node: exp.Expr) -> Bound:
        """Return what an expression is if it is a condition; as `ExpressionBinder.condition`."""
        return self._binder.condition(expanded(node, self._site.environment.names))
