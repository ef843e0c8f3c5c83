"""Inlined rows, which the metadata holds, in the columns of the table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Final

import pyarrow as pa
from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as F  # noqa: N812
from pyspark.sql.types import LongType, StringType, StructField, StructType

from forklake.engine.spark.columns.projection import project
from forklake.engine.spark.columns.spark_types import LINEAGE_TYPES, spark_type
from forklake.files.arrow.wide_integers import NARROW_TYPE, as_text, long_columns, type_with
from forklake.files.incoming.inlined_rows import held_array
from forklake.model import types
from forklake.model.field import Field
from forklake.model.ids import ColumnId
from forklake.model.scan import ScanRows

_ROW_ID: Final = "_ducklake_forklake_row_id"
_SNAPSHOT: Final = "_ducklake_forklake_snapshot"
_NAME: Final = "_ducklake_forklake_name"
_NUMBER: Final = "_ducklake_forklake_row_number"
_PLACE: Final = "_ducklake_forklake_row_place"
_LINEAGE: Final = {
    "rowid": _ROW_ID,
    "own_rowid": _ROW_ID,
    "snapshot_id": _SNAPSHOT,
    "filename": _NAME,
    "file_row_number": _NUMBER,
    "file_index": _PLACE,
    "place": _PLACE,
}


def inlined_frame(
    spark: SparkSession, rows: ScanRows, place: int, needed: Sequence[Field], extra: Mapping[str, str]
) -> DataFrame:
    """Return the needed columns of the table, then lineage.

    ``extra`` maps the names to return lineage under to the names of lineage. Texts become values of the types
    that the columns had when the rows were written. Then the rows are read like those of a file at ``place``,
    behind all others: it is named like the metadata table in which DuckLake would keep them, and its row
    numbers are `ScanRows.numbers`.

    Raises:
        InvalidInputError: A text is not a value of its column's type.
    """
    ids = {field.column_id for field in needed}
    held = {field.column_id: field for field in rows.fields if field.column_id is not None and field.column_id in ids}
    given = {key: held_array(field, [values.get(key) for _, _, values in rows.rows]) for key, field in held.items()}
    long = long_columns(given)
    # As in a file, integers with more digits than Spark has are text until a row needs them.
    arrays = [one.cast(type_with(one.type, pa.string() if key in long else NARROW_TYPE)) for key, one in given.items()]
    held = {key: as_text(field) if key in long else field for key, field in held.items()}
    arrays.append(pa.array([row_id for row_id, _, _ in rows.rows], pa.int64()))
    arrays.append(pa.array([snapshot for _, snapshot, _ in rows.rows], pa.int64()))
    arrays.append(pa.array(rows.numbers, pa.int64()))
    arrays.append(pa.array(rows.names or [None] * len(rows.rows), pa.string()))
    arrays.append(pa.array(rows.places or [place] * len(rows.rows), pa.int64()))
    names = [*(_name(key) for key in held), _ROW_ID, _SNAPSHOT, _NUMBER, _NAME, _PLACE]
    kinds = [*map(spark_type, held.values()), LongType(), LongType(), LongType(), StringType(), LongType()]
    schema = StructType([StructField(name, kind) for name, kind in zip(names, kinds, strict=True)])
    frame = spark.createDataFrame(pa.table(arrays, names=names), schema)
    if long:
        # Of rows in memory Spark computes what is selected before it filters; a row that is left out must not fail.
        frame = frame.coalesce(1)
    physical = [_display_field(field) for field in held.values()]
    columns = [project(field, physical, lambda found: F.col(_name(found.column_id))) for field in needed]
    return frame.select(*columns, *[_lineage(name).alias(output) for output, name in extra.items()])


def _name(column_id: ColumnId | None) -> str:
    return f"_ducklake_forklake_{column_id}"


def _lineage(name: str) -> Column:
    return (F.col(_LINEAGE[name]) if name in _LINEAGE else F.lit(None)).cast(LINEAGE_TYPES[name])


def _display_field(field: Field) -> Field:
    """Return a column as a file would hold it in its display type."""
    if field.type.shown_as == types.VARCHAR:
        return replace(field, type=types.VARCHAR)
    return field.with_children(tuple(map(_display_field, field.children)))
