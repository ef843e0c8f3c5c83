"""What operations need of the SQL parser, which is in a storey above them.

The runtime gives it to them.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from forklake.model.definitions import ColumnDefinition, FindMacro, SortKey
from forklake.model.field import Field
from forklake.model.ids import ColumnId
from forklake.model.types import Type


class Language(Protocol):
    """Parses texts in DuckDB's dialect.

    They are sort keys of tables, defaults of columns, and bodies of views and macros.
    """

    def sort_key(self, text: str) -> SortKey:
        """Parse the one key of a sort order.

        Raises:
            InvalidInputError: The text is no such key.
        """

    def sort_expression(self, text: str, table: str, fields: Sequence[Field], macros: FindMacro) -> str:
        """Return the expression of a sort key over the columns of a table, in Spark SQL.

        It may call macros, which become a part of it.

        Raises:
            NotFoundError: The table has no such column.
            InvalidInputError: It cannot be parsed, or its values have no order.
        """

    def unknown_columns(self, text: str, table: str, fields: Sequence[Field]) -> list[str]:
        """Return the columns that a sort key names and a table does not have.

        Raises:
            InvalidInputError: It cannot be parsed.
        """

    def named_columns(self, text: str, table: str, fields: Sequence[Field]) -> frozenset[ColumnId]:
        """Return the columns that a sort key names, and the fields within them.

        Raises:
            InvalidInputError: It cannot be parsed.
        """

    def rename_column(self, text: str, table: str, fields: Sequence[Field], column: ColumnId, name: str) -> str:
        """Return a sort key in which a column or field has another name.

        All else stays as it is written.

        Raises:
            InvalidInputError: It cannot be parsed, or names the field by a text.
        """

    def without_table(self, text: str, table: str, fields: Sequence[Field]) -> str:
        """Return a sort key in which no column is named with its table.

        Raises:
            InvalidInputError: It cannot be parsed.
        """

    def columns(self, text: str) -> tuple[ColumnDefinition, ...]:
        """Parse a list of columns as in CREATE TABLE.

        For example, ``a INT NOT NULL, b VARCHAR DEFAULT 'x'``.

        Raises:
            InvalidInputError: It is no list of columns.
        """

    def default(self, text: str, kind: Type) -> tuple[str | None, bool]:
        """Parse a default for a column of a type.

        Return its text, and whether it remains an expression.

        Raises:
            InvalidInputError: No row could have it.
        """

    def check_query(self, text: str) -> None:
        """Refuse a text that is not one query, as a view or a table macro needs.

        Raises:
            InvalidInputError: It is not one query.
        """

    def check_expression(self, text: str) -> None:
        """Refuse a text that is not one expression, as a macro needs.

        Raises:
            InvalidInputError: It is not one expression.
        """
