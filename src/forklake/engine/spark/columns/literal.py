"""Spark literals that mean the same in every session."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pyarrow as pa
from pyspark.sql import Column
from pyspark.sql import functions as F  # noqa: N812
from pyspark.sql.types import DataType

from forklake.engine.spark.columns.spark_types import spark_type
from forklake.files.casting.texts import to_array
from forklake.model import types
from forklake.model.field import Field


def default_literal(field: Field) -> Column:
    """Return the value that rows older than a column have in it.

    Raises:
        InvalidInputError: The text of the default is not a value of the column's type.
    """
    if field.initial_default is None:
        return F.lit(None).cast(spark_type(field))
    return literal(field, to_array(field, [field.initial_default])[0])


def literal(field: Field, value: pa.Scalar[Any]) -> Column:
    """Return a value of a column as a literal.

    The value is an Arrow scalar of the column's `display_type`.
    """
    kind = spark_type(field)
    if not value.is_valid:
        return F.lit(None).cast(kind)
    match field.type:
        case types.Struct():
            return F.struct(*[literal(child, value[child.name]).alias(child.name) for child in field.children])
        case types.List():
            return F.array(*[literal(field.children[0], item) for item in value]).cast(kind)
        case types.Map():
            entries = value.values  # a struct of key and value for each
            keys, items = (
                F.array(*[literal(part, item) for item in entries.field(place)])
                for place, part in enumerate(field.children)
            )
            return F.map_from_arrays(keys, items).cast(kind)
        case types.DATE:
            return F.date_from_unix_date(F.lit(value.value))
        case types.TIMESTAMPTZ:
            return F.timestamp_micros(F.lit(value.value).cast("bigint"))
        case types.TIMESTAMP | types.TIMESTAMP_S | types.TIMESTAMP_MS:
            return F.lit(str(value.cast(pa.string()))).cast(kind)
    if field.type in (types.INT128, types.UINT128):
        return _integer(field, value.as_py(), kind)
    return F.lit(value.as_py()).cast(kind)


def _integer(field: Field, value: Decimal, kind: DataType) -> Column:
    if abs(value) < 10**types.MAX_PRECISION:
        return F.lit(value).cast(kind)
    message = f'Value {value} of column "{field.name}" has more than the 38 digits that Spark holds; nothing was done.'
    return F.raise_error(F.lit(f"Out of Range Error: {message}")).cast(kind)
