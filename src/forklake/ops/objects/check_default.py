"""Checks the default of a column, and recognises literals."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from forklake import files
from forklake.catalog.names import check_text
from forklake.errors import ForklakeError, InvalidInputError
from forklake.model.definitions import ColumnDefinition
from forklake.model.types.read import field_of, is_nested
from forklake.ops.lakes.runtime import Runtime

_AS_EXPRESSION: Final = "A default is a value as text; an expression is given with default_is_expression=True."


def check_default(runtime: Runtime, column: ColumnDefinition) -> ColumnDefinition:
    """Return a column definition with its default as it is stored.

    An expression that is only a literal with a type is stored as a literal. Defaults of nested columns are not
    checked.

    Raises:
        InvalidInputError: No row could have the default: it is no value of the type, or cannot be computed.
    """
    if column.default is None or column.children or is_nested(column.type):
        return column
    check_text(f'default of column "{column.name}"', column.default)
    try:
        field = field_of(column)
    except ValueError:
        return column  # there is no such type, which is said where the column is made
    try:
        if column.default_is_expression:
            default, is_expression = runtime.language.default(column.default, field.type)
            return replace(column, default=default, default_is_expression=is_expression)
        files.texts.parse_values(field, [column.default])
    except ForklakeError as error:
        raise InvalidInputError(
            f'Column "{column.name}" cannot have the default {column.default}; nothing was changed. {error.message}',
            hint=error.advice or (None if column.default_is_expression else _AS_EXPRESSION),
        ) from error
    return column
