"""Exports a catalog as a plain DuckLake 1.0 database that names the same files."""

from __future__ import annotations

from forklake.catalog import versions
from forklake.ducklake.export_numbers import numbers_of_history, numbers_of_state
from forklake.ducklake.exported_rows import ORDER, ExportedRows
from forklake.ducklake.lineage_rows import LineageRows
from forklake.errors import InvalidInputError
from forklake.metastore import written_tables as metadata
from forklake.metastore.plain.writer import PlainTarget, new_plain, target_path
from forklake.model.progress import Progress, ignore_progress
from forklake.model.records import ExportedCatalog
from forklake.model.version import Version
from forklake.ops.lakes.runtime import Runtime


def export_catalog(
    runtime: Runtime,
    version: Version,
    url: str,
    *,
    history: bool = False,
    created_by: str = "forklake",
    progress: Progress = ignore_progress,
) -> ExportedCatalog:
    """Write a version of a catalog as a plain DuckLake 1.0 database.

    The database is a DuckDB or an SQLite file. It appears complete or not at all, and an existing file is never
    replaced. Data files stay where they are and are named by absolute path. With ``history`` all snapshots of the
    lineage up to the version are written, else one.

    Raises:
        AlreadyExistsError: There is a file of that name.
        ConfigError: The name does not say which kind of file is meant.
        InvalidInputError: The catalog holds something that DuckLake 1.0 cannot express.
    """
    store, lake_path = runtime.store, runtime.lake_path
    product, path = target_path(url)
    with new_plain(product, path) as target:
        progress("Reading", 0, 1)
        with store.reading() as session:
            # Found again in the transaction that reads it: it may have been expired meanwhile.
            lineage = LineageRows(session, lake_path, versions.version_at(session, version, version.snapshot_id))
            numbers = numbers_of_history(lineage) if history else numbers_of_state(lineage)
            rows = ExportedRows(lineage, numbers, history=history)
            tables = {}
            for place, name in enumerate(ORDER):
                progress("Reading", place, len(ORDER))
                tables[name] = list(rows.table(name))
            tables["ducklake_column"] += rows.last_columns(tables["ducklake_file_column_stats"])
            facts = rows.facts(f"{path}.files/", created_by)
        for place, (name, written) in enumerate(tables.items()):
            progress("Writing", place, len(tables))
            target.write(name, written)
        target.write("ducklake_metadata", facts)
        _write_inlined(target, rows)
        progress("Writing", len(tables), len(tables))
    return ExportedCatalog(
        path=path,
        product=product,
        snapshot_id=numbers.newest,
        table_count=len(lineage.visible(metadata.TABLE)),
        file_count=len(lineage.visible(metadata.DATA_FILE)),
    )


def _write_inlined(target: PlainTarget, rows: ExportedRows) -> None:
    registered = []
    for inlined in rows.inlined:
        if not target.can_inline(inlined.columns):
            if inlined.rows:
                raise InvalidInputError(
                    f"The table with index {inlined.table_id} has inlined rows with columns that DuckLake cannot keep"
                    " in its metadata: a variant, a geometry, or the name row_id, begin_snapshot or end_snapshot."
                    " Nothing was exported."
                )
            continue
        target.write_inlined_rows(inlined.name, inlined.columns, inlined.rows)
        registered.append(
            {"table_id": inlined.table_id, "table_name": inlined.name, "schema_version": inlined.schema_version}
        )
    target.write("ducklake_inlined_data_tables", registered)
    for table_id, deletes in rows.inlined_deletes().items():
        target.write_inlined_deletes(table_id, deletes)
