"""Sites of expressions: which names and which kinds of expressions they allow."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from sqlglot import exp

from forklake.errors import InvalidInputError
from forklake.sql.expressions.bound import Bound

if TYPE_CHECKING:
    from forklake.sql.expressions.expression import ExpressionBinder


class Site:
    """The site of an expression, which resolves its names.

    This one allows only expressions without columns; subclasses allow more.
    """

    def column(self, names: Sequence[str]) -> Bound:
        """Return the value of a dotted name.

        Raises:
            NotFoundError: There is no such column.
            InvalidInputError: The name is ambiguous, or cannot be used here.
        """
        raise InvalidInputError(f'Binder Error: "{".".join(names)}" cannot be used here: there are no columns.')

    def known_value(self, binder: ExpressionBinder, node: exp.Expr) -> Bound | None:
        """Return the value of an expression that is computed already, or None.

        Keys of a grouping are such expressions.
        """
        return None

    def note(self, node: exp.Expr, bound: Bound) -> None:
        """Take notice of what an expression was bound to."""

    def resolve(self, bound: Bound) -> Bound:
        """Return the value of an expression that is bound already."""
        return bound

    def subquery(self, binder: ExpressionBinder, node: exp.Expr) -> Bound:
        """Bind a scalar subquery, or EXISTS, IN, ANY or ALL with a query."""
        raise InvalidInputError("A condition cannot contain a subquery.")

    def window(self, binder: ExpressionBinder, node: exp.Window) -> Bound:
        """Bind a window function."""
        raise InvalidInputError("Binder Error: WHERE clause cannot contain window functions!")

    def aggregate(self, binder: ExpressionBinder, node: exp.Expr) -> Bound:
        """Bind an aggregate."""
        raise InvalidInputError("Binder Error: WHERE clause cannot contain aggregates!")

    def call(self, binder: ExpressionBinder, parts: Sequence[str], node: exp.Func) -> Bound | None:
        """Return the value of a function that is not DuckDB's; None if there is none.

        Functions of the session are such functions.
        """
        return None
