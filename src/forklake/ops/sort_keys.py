"""Sort keys of a table: checks those of callers, and renames columns in them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from forklake.errors import ForklakeError, InvalidInputError, NotFoundError
from forklake.model import types
from forklake.model.definitions import FindMacro, SortKey
from forklake.model.field import Field, plain_column
from forklake.model.names import fold
from forklake.model.quoting import quote_name, unquote_name
from forklake.ops.runtime import Runtime

SortKeys = Sequence[SortKey | str]
"""Keys of a sort order, as text in SQL's words or as values."""

_WORDS: Final = re.compile(r"""'(?:[^']|'')*'|"(?:[^"]|"")*"|[^\W\d]\w*""")
"""What an expression is made of, as far as names go: quoted text, quoted names, and words."""


def check_keys(
    runtime: Runtime, keys: SortKeys, table: str, fields: Sequence[Field], macros: FindMacro
) -> tuple[SortKey, ...]:
    """Return a caller's sort keys, checked against the columns of the table.

    Keys in another dialect are not checked.

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
    return found


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


def _has_variant(field: Field) -> bool:
    return field.type == types.VARIANT or any(_has_variant(child) for child in field.children)


def rename_in_keys(keys: Sequence[SortKey], old: str, new: str) -> tuple[SortKey, ...]:
    """Rename a column in sort keys.

    Functions, quoted text and keys in other dialects stay as they are.

    >>> print(rename_in_keys([SortKey("a + length('a')")], "A", "b c")[0].expression)
    "b c" + length('a')
    """
    quoted = quote_name(new)

    def word(match: re.Match[str]) -> str:
        text = match.group()
        name = unquote_name(text)
        is_call = match.string[match.end() :].lstrip().startswith("(")
        return quoted if text[0] != "'" and not is_call and fold(name) == fold(old) else text

    return tuple(
        replace(key, expression=_WORDS.sub(word, key.expression)) if key.dialect == "duckdb" else key for key in keys
    )
