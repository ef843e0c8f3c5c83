"""Whether a column may hold NULL, according to metadata."""

from __future__ import annotations

import json

from forklake.catalog import lookup
from forklake.catalog.scan_plan import ScanPlanner
from forklake.catalog.state import Content
from forklake.metastore.store import Session, Store
from forklake.metastore.written_tables import INLINED_ROW
from forklake.model.ids import DataFileId
from forklake.model.predicate import IsNull
from forklake.model.rows import ColumnRow, TableRow


def may_be_null(content: Content, column: ColumnRow) -> bool | None:
    """Return whether statistics say that a column may hold NULL; None if unknown.

    They count deleted rows too: after True, there may be no row left with NULL.
    """
    if not lookup.table_stats(content, column.table_id).record_count:
        return False
    stats = lookup.column_stats(content, column.table_id).get(column.column_id)
    return None if stats is None else stats.contains_null


def files_with_nulls(
    store: Store | Session, content: Content, table: TableRow, column: ColumnRow
) -> frozenset[DataFileId]:
    """Return the files whose statistics do not prove that a column has no NULL."""
    kept = ScanPlanner(store, None, content, table).files(IsNull(column.column_id, is_null=True))
    return frozenset(row.data_file_id for row in kept)


def is_null_in_metadata(content: Content, column: ColumnRow) -> bool:
    """Return whether an inlined row has NULL in a top-level column of the table."""
    rows = content.rows(INLINED_ROW, {"table_id": column.table_id})
    key = str(column.column_id)
    return any(json.loads(row.document).get(key, column.initial_default) is None for row in rows)
