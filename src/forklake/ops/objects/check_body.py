"""Checks the text of a view or a macro."""

from __future__ import annotations

from forklake.catalog.names import is_storable
from forklake.errors import InvalidInputError
from forklake.ops.lakes.runtime import Runtime


def check_body(runtime: Runtime, what: str, text: str, dialect: str, *, is_query: bool) -> None:
    """Refuse a text in DuckDB's dialect that can never be parsed.

    An empty text is refused where it is staged. A text in another dialect is not checked.

    Raises:
        InvalidInputError: It is no query, or no expression, or several.
    """
    if not isinstance(text, str):
        raise InvalidInputError(f"{what} was not created: its text is {text!r}, which is no text.")
    if dialect != "duckdb" or not text.strip() or not is_storable(text):
        return
    try:
        if is_query:
            runtime.language.check_query(text)
        else:
            runtime.language.check_expression(text)
    except InvalidInputError as error:
        kind = "query" if is_query else "expression"
        raise InvalidInputError(
            f"{what} was not created: its text is no {kind}. {error.message}", hint=error.advice
        ) from error
