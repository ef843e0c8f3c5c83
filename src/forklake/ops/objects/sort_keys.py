"""Sort keys of a table: checks those of callers, and renames columns in them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from forklake.catalog import describe
from forklake.catalog.fields import table_fields
from forklake.catalog.state import Content
from forklake.errors import ForklakeError, InvalidInputError, NotFoundError
from forklake.model import types
from forklake.model.definitions import FindMacro, SortKey
from forklake.model.field import Field, plain_column
from forklake.model.ids import ColumnId
from forklake.model.quoting import quote_name
from forklake.model.rows import TableRow
from forklake.ops.lakes.runtime import Runtime

SortKeys = Sequence[SortKey | str]
"""Keys of a sort order, as text in SQL's words or as values."""


def check_keys(
    runtime: Runtime, keys: SortKeys, table: str, fields: Sequence[Field], macros: FindMacro
) -> tuple[SortKey, ...]:
    """Return a caller's sort keys, checked against the columns of the table.

    They do not name the table, which may get another name. Keys in another dialect are not checked.

    Raises:
        InvalidInputError: A key cannot be parsed, names no column of the table, or has no order.
    """
    is_list = isinstance(keys, Sequence) and not isinstance(keys, str)
    if not is_list or not all(isinstance(key, str | SortKey) for key in keys):
        raise InvalidInputError(f"A table is sorted by a list of texts or SortKey, not {keys!r}; nothing was changed.")
    found = tuple(_key(runtime, key, fields) if isinstance(key, str) else key for key in keys)
    missing = [
        name
        for key in found
        if key.dialect == "duckdb" and not _is_sortable(runtime, key, table, fields, macros)
        for name in runtime.language.unknown_columns(key.expression, table, fields) or [key.expression]
    ]
    if missing:
        raise InvalidInputError(
            "Binder Error: Columns in the SET SORTED BY statement were not found in the DuckLake table."
            f" Unmatched columns were: {', '.join(missing)}"
        )
    return tuple(_without_table(runtime, key, table, fields) for key in found)


def _key(runtime: Runtime, text: str, fields: Sequence[Field]) -> SortKey:
    if plain_column(text, fields) is not None or not text.strip():
        return SortKey(text.strip())
    return runtime.language.sort_key(text)


def _is_sortable(runtime: Runtime, key: SortKey, table: str, fields: Sequence[Field], macros: FindMacro) -> bool:
    """Return whether the table has all columns of a key.

    Raises:
        InvalidInputError: It cannot be parsed, or its values have no order.
    """
    column = plain_column(key.expression, fields)
    if (column is not None and not _has_variant(column)) or not key.expression.strip():
        return True  # without an expression it is refused where it is staged
    try:
        runtime.language.sort_expression(key.expression, table, fields, macros)
    except NotFoundError:
        return False
    except ForklakeError as error:
        raise InvalidInputError(
            f'Table "{table}" cannot be sorted by {key.expression}; nothing was changed. {error.message}',
            hint=error.advice,
        ) from error
    return True


def _without_table(runtime: Runtime, key: SortKey, table: str, fields: Sequence[Field]) -> SortKey:
    if key.dialect != "duckdb" or plain_column(key.expression, fields) is not None or not key.expression.strip():
        return key
    return replace(key, expression=runtime.language.without_table(key.expression, table, fields))


def _has_variant(field: Field) -> bool:
    return field.type == types.VARIANT or any(_has_variant(child) for child in field.children)


def columns_of_key(runtime: Runtime, key: SortKey, table: str, fields: Sequence[Field]) -> frozenset[ColumnId]:
    """Return the columns that a sort key names, and the fields within them.

    A key that cannot be read names none: no row can be written by it, nor could it be before.
    """
    column = plain_column(key.expression, fields)
    if column is not None:
        return frozenset() if column.column_id is None else frozenset([column.column_id])
    try:
        return runtime.language.named_columns(key.expression, table, fields)
    except InvalidInputError:
        return frozenset()


def check_not_sorted_by(content: Content, runtime: Runtime, table: TableRow, column: ColumnId, name: str) -> None:
    """Refuse to drop a column or field that files are sorted by.

    Raises:
        InvalidInputError: A sort key names it.
    """
    keys, fields = describe.sorting(content, table.table_id), table_fields(content, table.table_id)
    if any(column in columns_of_key(runtime, key, table.table_name, fields) for key in keys):
        raise InvalidInputError(
            f'Cannot drop column "{name}" - the table is sorted by this column.'
            " Reset or change the sort order on this table in order to drop this column"
        )


def rename_in_keys(
    runtime: Runtime, keys: Sequence[SortKey], table: str, fields: Sequence[Field], column: ColumnId, new: str
) -> tuple[SortKey, ...]:
    """Rename a column or field in sort keys.

    Functions, texts and keys in other dialects stay as they are.

    Raises:
        InvalidInputError: A key names the field by a text.
    """

    def rename(key: SortKey) -> SortKey:
        if key.dialect != "duckdb" or column not in columns_of_key(runtime, key, table, fields):
            return key
        if plain_column(key.expression, fields) is not None:
            return replace(key, expression=quote_name(new))
        return replace(key, expression=runtime.language.rename_column(key.expression, table, fields, column, new))

    return tuple(map(rename, keys))
