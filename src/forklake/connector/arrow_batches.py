"""Record batches for Spark's Python data sources."""

from __future__ import annotations

from collections.abc import Sequence
from inspect import signature
from typing import Any, Final

import pyarrow as pa
from pyspark.sql.pandas.types import to_arrow_schema
from pyspark.sql.types import StructType

from forklake.files.arrow.wide_integers import short_column

# Newer versions of PySpark want to be told the zone of timestamps.
_ZONE: Final[dict[str, Any]] = {"timezone": "UTC"} if "timezone" in signature(to_arrow_schema).parameters else {}


def arrow_schema_of(schema: StructType) -> pa.Schema:
    """Return the Arrow schema that batches need for a Spark schema."""
    return to_arrow_schema(schema, **_ZONE)


def batch_of(columns: Sequence[pa.Array], count: int, schema: pa.Schema) -> pa.RecordBatch:
    """Return columns as a batch of exactly this schema.

    Spark compares the names and flags of nested fields, too.
    """
    if not columns:
        return pa.RecordBatch.from_struct_array(pa.array([{}] * count, pa.struct([])))
    pairs = zip(columns, schema, strict=True)
    short = ((short_column(column, field.name), field.type) for column, field in pairs)
    made = [column if column.type == kind else column.cast(kind) for column, kind in short]
    return pa.record_batch(made, schema=schema)
