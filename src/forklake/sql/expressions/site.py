"""Where an expression stands: what its names mean there, and what may be asked beside values of one row."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from sqlglot import exp

from forklake.errors import InvalidInputError
from forklake.sql.expressions.bound import Bound

if TYPE_CHECKING:
    from forklake.sql.expressions.expression import ExpressionBinder


class Site:
    """A condition on the rows of one table, or a value that is computed from them; subclasses allow more."""

    def column(self, names: Sequence[str]) -> Bound:
        """Return what names with dots between them stand for.

        Raises:
            NotFoundError: There is no such column.
            InvalidInputError: There are several, or it cannot be used here.
        """
        raise InvalidInputError(f'Binder Error: "{".".join(names)}" cannot be used here: there are no columns.')

    def known(self, binder: ExpressionBinder, node: exp.Expr) -> Bound | None:
        """Return what a whole expression stands for, if it has been computed before, such as a key of a grouping."""
        return None

    def resolved(self, bound: Bound) -> Bound:
        """Return what something that is bound already stands for here."""
        return bound

    def subquery(self, binder: ExpressionBinder, node: exp.Expr) -> Bound:
        """Return what a scalar subquery, EXISTS, IN, ANY or ALL with a query is."""
        raise InvalidInputError("A condition cannot contain a subquery.")

    def window(self, binder: ExpressionBinder, node: exp.Window) -> Bound:
        """Return a function over a window."""
        raise InvalidInputError("Binder Error: WHERE clause cannot contain window functions!")

    def aggregate(self, binder: ExpressionBinder, node: exp.Expr) -> Bound:
        """Return an aggregate."""
        raise InvalidInputError("Binder Error: WHERE clause cannot contain aggregates!")

    def call(self, binder: ExpressionBinder, parts: Sequence[str], arguments: Sequence[exp.Expr]) -> Bound | None:
        """Return what a function that is not DuckDB's gives, such as one of the session; None if there is none."""
        return None
