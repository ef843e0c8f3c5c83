"""DuckDB's SQL as the language of operations."""

from __future__ import annotations

from collections.abc import Sequence

from forklake.errors import InvalidInputError
from forklake.model.definitions import ColumnDefinition, FindMacro, SortKey
from forklake.model.field import Field
from forklake.model.ids import ColumnId
from forklake.model.types import Type
from forklake.sql.parse import check_stored_text, parse, parse_sort_key
from forklake.sql.rows import sort_key_columns
from forklake.sql.rows.insertion import resolve_default
from forklake.sql.rows.row_texts import sort_expression
from forklake.sql.statements import CreateTable


class DuckDBLanguage:
    """Implements `forklake.ops.lakes.language.Language` by the parser and binder."""

    def sort_key(self, text: str) -> SortKey:
        """Parse one key of a sort order."""
        return parse_sort_key(text)

    def sort_expression(self, text: str, table: str, fields: Sequence[Field], macros: FindMacro) -> str:
        """Return the expression of a sort key in Spark SQL."""
        return sort_expression(text, table, fields, macros)

    def unknown_columns(self, text: str, table: str, fields: Sequence[Field]) -> list[str]:
        """Return the columns that a sort key names and a table does not have."""
        return sort_key_columns.unknown_columns(text, table, fields)

    def named_columns(self, text: str, table: str, fields: Sequence[Field]) -> frozenset[ColumnId]:
        """Return the columns that a sort key names, and the fields within them."""
        return sort_key_columns.named_columns(text, table, fields)

    def rename_column(self, text: str, table: str, fields: Sequence[Field], column: ColumnId, name: str) -> str:
        """Return a sort key in which a column or field has another name."""
        return sort_key_columns.rename_column(text, table, fields, column, name)

    def without_table(self, text: str, table: str, fields: Sequence[Field]) -> str:
        """Return a sort key in which no column is named with its table."""
        return sort_key_columns.without_table(text, table, fields)

    def columns(self, text: str) -> tuple[ColumnDefinition, ...]:
        """Parse a list of columns as in CREATE TABLE."""
        found = parse(f"CREATE TABLE t (\n{text}\n)")
        made = found[0] if len(found) == 1 else None
        if not isinstance(made, CreateTable) or made.query is not None or made.partition_by or made.sort_by:
            raise InvalidInputError(f'"{text}" is no list of columns; nothing was created.')
        return tuple(made.columns)

    def default(self, text: str, kind: Type) -> tuple[str | None, bool]:
        """Return the default that a text means, and whether it stays an expression."""
        return resolve_default(text, kind)

    def check_query(self, text: str) -> None:
        """Refuse a text that is not exactly one query."""
        check_stored_text(text, "a view", is_query=True)

    def check_expression(self, text: str) -> None:
        """Refuse a text that is not exactly one expression."""
        check_stored_text(text, "a macro", is_query=False)
