"""The columns of a table that is made from an Arrow table."""

from __future__ import annotations

import pyarrow as pa

from forklake.files.type_names import type_of
from forklake.model.definitions import ColumnDefinition
from forklake.model.types.read import definition_of


def table_columns(schema: pa.Schema) -> tuple[ColumnDefinition, ...]:
    """Return the columns that a table needs to hold the rows of an Arrow table.

    Raises:
        InvalidInputError: A column has a type that no column of a table can have.
    """
    return tuple(definition_of(field.name, type_of(field.name, field.type)) for field in schema)
