"""What operations ask of SQL: they lie below its parser and are given it through the runtime."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from forklake.model.definitions import ColumnDefinition, SortKey
from forklake.model.field import Field
from forklake.model.types import Type


class Language(Protocol):
    """Texts in DuckDB's words: what tables are sorted by, defaults of columns, bodies of views and macros."""

    def sort_key(self, text: str) -> SortKey:
        """Return the one key of a sort order that a text is.

        Raises:
            InvalidInputError: It is none.
        """

    def sort_expression(self, text: str, table: str, fields: Sequence[Field]) -> str:
        """Return the expression of a sort key over the columns of a table in Spark's words.

        Raises:
            NotFoundError: The table has no such column.
            InvalidInputError: It cannot be read, or what it gives has no order.
        """

    def columns(self, text: str) -> tuple[ColumnDefinition, ...]:
        """Return the columns that a text lists as CREATE TABLE does: ``a INT NOT NULL, b VARCHAR DEFAULT 'x'``.

        Raises:
            InvalidInputError: It is no list of columns.
        """

    def default(self, text: str, kind: Type) -> tuple[str | None, bool]:
        """Return the default that an expression is for a column of a type, and whether it stays an expression.

        Raises:
            InvalidInputError: No row could ever have it.
        """

    def check_query(self, text: str) -> None:
        """Refuse a text that is not the one query that a view or a table macro can keep.

        Raises:
            InvalidInputError: It is not.
        """

    def check_expression(self, text: str) -> None:
        """Refuse a text that is not the one expression that a macro can keep.

        Raises:
            InvalidInputError: It is not.
        """
