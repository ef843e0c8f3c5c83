"""Searches a column for NULL: in metadata, and where that is not enough, in rows."""

from __future__ import annotations

from forklake.catalog import nulls
from forklake.catalog.scan_plan import plan_scan
from forklake.catalog.transaction import Staging
from forklake.errors import InvalidInputError
from forklake.model.ids import DataFileId
from forklake.model.predicate import IsNull
from forklake.model.quoting import quote_spark_name
from forklake.model.rows import ColumnRow, TableRow
from forklake.ops.lakes.runtime import Runtime


def search_nulls(
    staging: Staging, runtime: Runtime, table: TableRow, column: ColumnRow
) -> frozenset[DataFileId] | None:
    """Check that no row has NULL in a column; return the files that were read for it.

    It is None if statistics prove it.

    Raises:
        InvalidInputError: A row has NULL there.
        EngineError: The rows could not be read.
    """
    draft = staging.draft
    if nulls.may_be_null(draft, column) is False:
        return None
    doubtful = nulls.files_with_nulls(runtime.store, draft, table, column)
    if nulls.is_null_in_metadata(draft, column) or (doubtful and _is_null_in_files(runtime, staging, table, column)):
        raise InvalidInputError(f"Cannot SET NOT NULL on column {column.column_name} - the column has NULL values")
    return doubtful


def _is_null_in_files(runtime: Runtime, staging: Staging, table: TableRow, column: ColumnRow) -> bool:
    plan = plan_scan(runtime.store, runtime.lake_path, staging.draft, table, IsNull(column.column_id, is_null=True))
    return runtime.engine.count(plan, f"{quote_spark_name(column.column_name)} IS NULL") > 0
