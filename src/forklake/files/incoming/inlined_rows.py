"""Inlined rows: text in the metadata, values in the types that files hold."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import pyarrow as pa

from forklake.files.arrow.schema import arrow_schema
from forklake.files.casting.texts import to_array, to_texts
from forklake.files.incoming.evolution import evolved_column
from forklake.model import types
from forklake.model.field import Field
from forklake.model.scan import ScanRows

_TRUTH: Final = {"false": "0", "true": "1"}


def held_array(field: Field, texts: Sequence[str | None]) -> pa.Array:
    """Return the values of a column of inlined rows as an array of its `display_type`.

    Raises:
        InvalidInputError: A text is not a value of the column's type.
    """
    # A row that an early version copied or merged may have the text of a boolean in a column that had become a number.
    if isinstance(field.type, types.Number) and not _TRUTH.keys().isdisjoint(texts):
        texts = [None if text is None else _TRUTH.get(text, text) for text in texts]
    return to_array(field, texts)


def stored_rows(rows: ScanRows, fields: Sequence[Field], table: str) -> pa.Table:
    """Return inlined rows with a table's current columns; see `evolved_column`.

    Raises:
        InvalidInputError: A text is not a value of its column's type.
    """
    held = {
        field: held_array(field, [values.get(field.column_id) for _, _, values in rows.rows])
        for field in rows.fields
        if field.column_id is not None
    }
    columns = [evolved_column(field, held, len(rows.rows), table) for field in fields]
    return pa.table(columns, schema=arrow_schema(fields))


def retyped_texts(old: Field, new: Field, texts: Sequence[str | None], table: str) -> list[str | None]:
    """Return the texts of a column's values after a change of its type.

    Raises:
        InvalidInputError: A value of the old type does not fit the new one.
    """
    return to_texts(new.type, evolved_column(new, {old: held_array(old, texts)}, len(texts), table))
