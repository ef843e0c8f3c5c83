"""The columns that a table needs for a schema of Arrow, pandas or the engine."""

from __future__ import annotations

from typing import Any

import pyarrow as pa

from forklake.engine.engine import Engine
from forklake.files.arrow.type_names import table_columns
from forklake.files.incoming.frames import pandas_schema
from forklake.model.definitions import ColumnDefinition


def schema_columns(engine: Engine, schema: Any) -> tuple[ColumnDefinition, ...]:
    """Return the columns of a schema of Arrow, pandas or the engine, or of its frame.

    A schema of pandas is a DataFrame, whose rows are inspected and left out, or its ``dtypes``.

    Raises:
        InvalidInputError: A column has a type that no column of a table can have, or that is not definite.
    """
    found = schema if isinstance(schema, pa.Schema) else pandas_schema(schema)
    return engine.columns(schema) if found is None else table_columns(found)
