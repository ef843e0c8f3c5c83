"""The columns that a table needs to hold what a schema of Arrow or of the engine describes."""

from __future__ import annotations

from typing import Any

import pyarrow as pa

from forklake.engine.engine import Engine
from forklake.files.columns import table_columns
from forklake.model.definitions import ColumnDefinition


def schema_columns(engine: Engine, schema: Any) -> tuple[ColumnDefinition, ...]:
    """Return the columns of a schema of Arrow or of the engine, or of a frame of the engine.

    Raises:
        InvalidInputError: A column has a type that no column of a table can have.
    """
    return table_columns(schema) if isinstance(schema, pa.Schema) else engine.columns(schema)
