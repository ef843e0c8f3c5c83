"""The statistics of tables beside what their files and inlined rows add up to."""

from typing import Any

from forklake import Catalog, Table
from forklake.catalog import lookup, versions
from forklake.metastore.written_tables import DATA_FILE, INLINED_ROW


def wrong_totals(catalog: Catalog) -> list[str]:
    """Return what the statistics of a catalog's tables tell wrongly at its head.

    Rows and bytes must be those of all files that are shown, deleted rows included; a bound may be too wide, but must
    hold every number that is read.
    """
    runtime = catalog._runtime
    content = runtime.state(versions.head_by_id(runtime.store, catalog.catalog_id))
    found = []
    for table in catalog.tables():
        of_table = {"table_id": table.table_id}
        files, inlined = content.rows(DATA_FILE, of_table), content.rows(INLINED_ROW, of_table)
        stats = lookup.table_stats(content, table.table_id)
        told = stats.record_count, stats.file_size_bytes
        there = sum(file.record_count for file in files) + len(inlined), sum(file.file_size_bytes for file in files)
        if told != there:
            found.append(f"{catalog.name}.{table.name}: statistics tell {told} rows and bytes, there are {there}")
        found += [f"{catalog.name}.{table.name}: {one}" for one in _wrong_bounds(content, table)]
    return found


def _wrong_bounds(content: Any, table: Table) -> list[str]:
    known, rows = lookup.column_stats(content, table.table_id), table.arrow()
    found = []
    for column in lookup.columns(content, table.table_id):
        stats = known.get(column.column_id)
        if stats is None or column.parent_column is not None:
            continue
        values = rows.column(column.column_name).to_pylist()
        numbers = [value for value in values if isinstance(value, int)]
        if None in values and stats.contains_null is False:
            found.append(f"{column.column_name} has NULL, and statistics tell that it has none")
        if numbers and stats.min_value is not None and stats.max_value is not None:
            low, high = float(stats.min_value), float(stats.max_value)
            if not low <= min(numbers) <= max(numbers) <= high:
                found.append(f"{column.column_name} is in {min(numbers)} to {max(numbers)}, not in {low} to {high}")
    return found
