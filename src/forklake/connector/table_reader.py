"""Table reads as a Python data source.

The driver chooses the files, the tasks read them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import pyarrow as pa
from pyspark.sql.datasource import DataSourceReader, InputPartition
from pyspark.sql.types import StructType

from forklake.catalog import lookup
from forklake.catalog.fields import table_fields
from forklake.catalog.scan_plan import plan_scan
from forklake.connector.arrow_batches import arrow_schema_of, batch_of
from forklake.connector.source_options import Source
from forklake.engine.local.file_rows import Selection
from forklake.engine.local.scan_tasks import Piece, piece_rows, tasks
from forklake.engine.local.table_columns import refuse_variants
from forklake.engine.spark.columns.spark_types import spark_type
from forklake.errors import InvalidInputError, NotFoundError
from forklake.lake import Catalog
from forklake.lake.internals import content_of, runtime_of
from forklake.model.field import Field
from forklake.model.names import fold
from forklake.model.scan import ScanPlan
from forklake.sql.rows.row_texts import condition


class ScanTask(InputPartition):
    """One task of a scan; it is fully resolved and needs no metadata."""

    def __init__(self, pieces: tuple[Piece, ...], selection: Selection) -> None:
        self.pieces = pieces
        self.selection = selection


class TableReader(DataSourceReader):
    """Reads the rows of a table, at one snapshot.

    Filters of Spark are not pushed down: all frames of one ``load`` share the plan of the first one, so files
    that one frame does not need would be missing in the others.
    """

    def __init__(self, source: Source, schema: StructType, prune: str | None = None) -> None:
        self._source = source
        self._schema = schema
        self._prune = prune

    def partitions(self) -> Sequence[InputPartition]:
        """Plan the scan, as tasks.

        Raises:
            NotFoundError: There is no such table or column.
            InvalidInputError: A column has another type than in the given schema, or the pruning condition is not
                understood.
        """
        with self._source.open_catalog() as catalog:
            plan, wanted = plan_rows(catalog, self._source, self._schema, self._prune)
        selection = Selection(plan.table, plan.fields, wanted)
        refuse_variants(selection.wanted, selection.table)
        return [ScanTask(pieces, selection) for pieces in tasks(plan.files, plan.inlined)]

    def read(self, partition: InputPartition) -> Iterator[pa.RecordBatch]:
        """Yield the rows of a task."""
        if not isinstance(partition, ScanTask):
            return  # a plan without files: Spark makes up a task of its own
        schema = arrow_schema_of(self._schema)
        for rows in piece_rows(partition.pieces, partition.selection):
            if len(rows):
                yield batch_of(rows.columns, len(rows), schema)


def plan_rows(
    catalog: Catalog, source: Source, schema: StructType, prune: str | None
) -> tuple[ScanPlan, tuple[Field, ...]]:
    """Return what is read of a table, and the columns that a schema of Spark names.

    Raises:
        NotFoundError: There is no such table or column.
        InvalidInputError: A column has another type than in the given schema, or the pruning condition is not
            understood.
    """
    table = source.table_of(catalog)
    content, runtime = content_of(table), runtime_of(catalog)
    row = lookup.table_by_id(content, table.table_id)
    predicate = None
    if prune is not None:
        predicate = condition(prune, row.table_name, table_fields(content, row.table_id)).predicate
    plan = plan_scan(runtime.store, runtime.lake_path, content, row, predicate)
    return plan, wanted_fields(plan.table, plan.fields, schema)


def wanted_fields(table: str, fields: Sequence[Field], schema: StructType) -> tuple[Field, ...]:
    """Return the columns of a table that a schema of Spark names, in its order.

    Raises:
        NotFoundError: There is no such column.
        InvalidInputError: A column has another type.
    """
    known = {fold(field.name): field for field in fields}
    found = []
    for column in schema.fields:
        field = known.get(fold(column.name))
        if field is None:
            raise NotFoundError(f'Table "{table}" does not have a column with name "{column.name}"')
        if spark_type(field) != column.dataType:
            raise InvalidInputError(
                f'Column "{field.name}" of table "{table}" is {spark_type(field).simpleString()}, not'
                f" {column.dataType.simpleString()} as the schema says; nothing was read.",
                hint="Read the column as it is, and cast it afterwards.",
            )
        found.append(field)
    return tuple(found)
