"""DuckDB's SQL as the operations ask for it."""

from __future__ import annotations

from collections.abc import Sequence

from forklake.errors import InvalidInputError
from forklake.model.definitions import ColumnDefinition, SortKey
from forklake.model.field import Field
from forklake.model.types import Type
from forklake.sql.parse import check_kept, parse, parse_sort_key
from forklake.sql.rows.insertion import settled_default
from forklake.sql.rows.row_texts import sort_expression
from forklake.sql.statements import CreateTable


class DuckDBLanguage:
    """What `forklake.ops.language.Language` promises, by the parser and binder of statements."""

    def sort_key(self, text: str) -> SortKey:
        """Return the one key of a sort order that a text is."""
        return parse_sort_key(text)

    def sort_expression(self, text: str, table: str, fields: Sequence[Field]) -> str:
        """Return the expression of a sort key in Spark's words."""
        return sort_expression(text, table, fields)

    def columns(self, text: str) -> tuple[ColumnDefinition, ...]:
        """Return the columns that a text lists as CREATE TABLE does."""
        found = parse(f"CREATE TABLE t (\n{text}\n)")
        made = found[0] if len(found) == 1 else None
        if not isinstance(made, CreateTable) or made.query is not None or made.partition_by or made.sort_by:
            raise InvalidInputError(f'"{text}" is no list of columns; nothing was created.')
        return tuple(made.columns)

    def default(self, text: str, kind: Type) -> tuple[str | None, bool]:
        """Return the default that an expression is, and whether it stays one."""
        return settled_default(text, kind)

    def check_query(self, text: str) -> None:
        """Refuse what is not one query."""
        check_kept(text, "a view", is_query=True)

    def check_expression(self, text: str) -> None:
        """Refuse what is not one expression."""
        check_kept(text, "a macro", is_query=False)
