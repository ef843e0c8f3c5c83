"""Defaults of columns as DuckLake stores them: no default is the literal NULL."""

from __future__ import annotations

from typing import Final

from forklake.model.rows import ColumnRow

_NOTHING: Final = "NULL"
_TEXT: Final = "'NULL'"
"""The text NULL, as an expression; as a literal it would be no default, to DuckLake too."""


def stored_default(text: str | None, *, is_expression: bool) -> tuple[str, str]:
    """Return the value and the kind of a stored default; None is no default."""
    if text is None:
        return _NOTHING, "literal"
    if is_expression:
        return text, "expression"
    return (_TEXT, "expression") if text == _NOTHING else (text, "literal")


def default_of(row: ColumnRow) -> tuple[str | None, bool]:
    """Return the default of a column, and whether it is an expression."""
    if row.default_value == _NOTHING:
        return None, row.default_value_type == "expression"
    is_expression = row.default_value_type == "expression"
    return (_NOTHING, False) if is_expression and row.default_value == _TEXT else (row.default_value, is_expression)
