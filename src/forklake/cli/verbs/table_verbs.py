"""Verbs about schemas, tables, rows and files."""

from __future__ import annotations

from typing import Final

from forklake.cli.verbs.verb import (
    COMMAND,
    FILE_WRITER,
    FORM,
    HANDLE,
    RESULT,
    STATEMENT,
    Chapter,
    Lacks,
    Verb,
)

CHAPTERS: Final = (
    Chapter(
        "Schemas",
        (
            Verb("create a schema", ("Schemas.create",), ("CREATE SCHEMA staging",), STATEMENT),
            Verb("drop a schema", ("Schemas.drop",), ("DROP SCHEMA staging CASCADE",), STATEMENT),
            Verb("list schemas", ("Schemas.list",), ("SHOW SCHEMAS", "FROM duckdb_schemas()"), STATEMENT),
        ),
    ),
    Chapter(
        "Tables",
        (
            Verb(
                "create a table, with rows or without",
                ("Catalog.create_table",),
                ("CREATE TABLE orders (id BIGINT)", "CREATE TABLE copied AS FROM orders"),
                STATEMENT,
            ),
            Verb(
                "list tables",
                ("Catalog.tables",),
                ("SHOW TABLES", "SHOW ALL TABLES", "FROM duckdb_tables()"),
                ("table list",),
            ),
            Verb(
                "open a table",
                ("Catalog.table", "Table.name", "Table.schema_name", "Table.table_id", "Inspection.uuid"),
                HANDLE,
                COMMAND,
            ),
            Verb(
                "show the columns of a table",
                ("Table.columns", "Inspection.spark_schema"),
                ("DESCRIBE orders", "PRAGMA table_info('orders')", "FROM duckdb_columns()"),
                ("table show",),
            ),
            Verb(
                "show the totals and the layout of a table",
                ("Inspection.stats", "Inspection.partition_by", "Inspection.sort_by"),
                ("FROM ducklake_table_info('shop')",),
                ("table list", "table show"),
            ),
            Verb(
                "list the snapshots that changed a table",
                ("Inspection.history", "CatalogInspection.table_history"),
                ("FROM ducklake_table_history('shop', 'orders')",),
                ("table history",),
            ),
            Verb("rename a table", ("Table.rename",), ("ALTER TABLE orders RENAME TO sales",), STATEMENT),
            Verb(
                "drop a table",
                (
                    "Table.drop",
                    "Catalog.drop_table",
                ),
                ("DROP TABLE orders",),
                STATEMENT,
            ),
            Verb("add a column", ("Alter.add_column",), ("ALTER TABLE orders ADD COLUMN note VARCHAR",), STATEMENT),
            Verb("drop a column", ("Alter.drop_column",), ("ALTER TABLE orders DROP COLUMN note",), STATEMENT),
            Verb("rename a column", ("Alter.rename_column",), ("ALTER TABLE orders RENAME note TO remark",), STATEMENT),
            Verb(
                "widen the type of a column",
                ("Alter.set_type",),
                ("ALTER TABLE orders ALTER id TYPE HUGEINT",),
                STATEMENT,
            ),
            Verb(
                "set a default",
                ("Alter.set_default",),
                ("ALTER TABLE orders ALTER note SET DEFAULT 'none'",),
                STATEMENT,
            ),
            Verb(
                "forbid and allow NULL",
                ("Alter.set_not_null", "Alter.drop_not_null"),
                ("ALTER TABLE orders ALTER id SET NOT NULL", "ALTER TABLE orders ALTER id DROP NOT NULL"),
                STATEMENT,
            ),
            Verb(
                "partition a table",
                ("Alter.set_partitioning",),
                ("ALTER TABLE orders SET PARTITIONED BY (year(sold))",),
                STATEMENT,
            ),
            Verb("sort a table", ("Alter.set_sorting",), ("ALTER TABLE orders SET SORTED BY (id DESC)",), STATEMENT),
            Verb(
                "comment on a table or a column",
                ("Alter.comment", "Inspection.comment"),
                ("COMMENT ON TABLE orders IS 'all'", "COMMENT ON COLUMN orders.id IS 'number'"),
                STATEMENT,
            ),
            Verb(
                "tag a table or a column",
                ("Alter.set_tag", "Inspection.tags"),
                Lacks("DuckLake has no statement for tags but COMMENT"),
                Lacks("`table show --json` has the tags; they are set in Python"),
            ),
        ),
    ),
    Chapter(
        "Rows",
        (
            Verb(
                "read rows",
                ("Table.rows", "Table.head"),
                ("SELECT id FROM orders WHERE id > 1 LIMIT 10",),
                ("sql",),
            ),
            Verb(
                "read rows into another library",
                ("Table.dataframe", "Table.arrow", "Table.pandas", "Table.polars"),
                FORM,
                RESULT,
            ),
            Verb("count rows", ("Table.count",), ("SELECT count(*) FROM orders",), STATEMENT),
            Verb(
                "tell the least and the greatest value",
                ("Inspection.min", "Inspection.max"),
                ("SELECT min(id), max(id) FROM orders",),
                STATEMENT,
            ),
            Verb("tell what a scan would read", ("Inspection.plan",), ("EXPLAIN FROM orders WHERE id > 1",), STATEMENT),
            Verb(
                "run a statement again with other values",
                Lacks("`sql(..., parameters)` takes the values"),
                ("PREPARE p AS SELECT $1", "EXECUTE p(1)", "DEALLOCATE p"),
                STATEMENT,
            ),
            Verb("add rows", ("Table.append",), ("INSERT INTO orders VALUES (1)",), STATEMENT),
            Verb(
                "copy rows to and from Parquet files",
                Lacks("`table.append(path)`, and what frames of Spark, Arrow and pandas write"),
                ("COPY orders TO 'orders.parquet'", "COPY orders FROM 'orders.parquet'"),
                STATEMENT,
            ),
            Verb(
                "replace rows",
                ("Table.overwrite",),
                Lacks("DELETE or TRUNCATE and INSERT, in one transaction"),
                Lacks("`forklake sql` runs a transaction"),
            ),
            Verb("delete rows", ("Table.delete",), ("DELETE FROM orders WHERE id = 1", "TRUNCATE orders"), STATEMENT),
            Verb("update rows", ("Table.update",), ("UPDATE orders SET id = id + 1 WHERE id > 1",), STATEMENT),
            Verb(
                "merge rows",
                ("Table.merge",),
                ("MERGE INTO orders USING fresh USING (id) WHEN MATCHED THEN UPDATE WHEN NOT MATCHED THEN INSERT",),
                STATEMENT,
            ),
            Verb(
                "show how rows changed",
                ("Table.changes",),
                (
                    "FROM ducklake_table_changes('shop', 'main', 'orders', 3, 17)",
                    "FROM ducklake_table_insertions('shop', 'main', 'orders', 3, 17)",
                    "FROM ducklake_table_deletions('shop', 'main', 'orders', 3, 17)",
                ),
                ("table changes",),
            ),
        ),
    ),
    Chapter(
        "Files and inlined rows",
        (
            Verb(
                "list the files of a table",
                ("Storage.files", "Storage.inlined_rows"),
                ("FROM ducklake_list_files('shop', 'orders')",),
                ("table files",),
            ),
            Verb(
                "flush inlined rows into files",
                ("CatalogMaintenance.flush_inlined", "Storage.flush_inlined"),
                ("CALL ducklake_flush_inlined_data('shop')",),
                ("table flush", "maintain flush"),
            ),
            Verb(
                "merge small files",
                ("CatalogMaintenance.merge_adjacent_files",),
                ("CALL ducklake_merge_adjacent_files('shop')",),
                ("maintain compact",),
            ),
            Verb(
                "rewrite files without their deleted rows",
                ("CatalogMaintenance.rewrite_data_files",),
                ("CALL ducklake_rewrite_data_files('shop')",),
                ("maintain rewrite",),
            ),
            Verb(
                "do all maintenance that is due",
                ("CatalogMaintenance.checkpoint",),
                ("CHECKPOINT shop", "CALL ducklake_checkpoint('shop', dry_run => true)"),
                ("maintain checkpoint",),
            ),
            Verb(
                "add files that others wrote",
                ("Storage.add_files",),
                ("CALL ducklake_add_data_files('shop', 'orders', 'a.parquet')",),
                ("table add-files",),
            ),
            Verb(
                "register files and rows that the caller wrote",
                (
                    "Storage.append_files",
                    "Storage.remove_files",
                    "Storage.delete_rows",
                    "Storage.insert_inlined",
                    "Storage.delete_inlined",
                    "Storage.inline_deletes",
                ),
                FILE_WRITER,
                FILE_WRITER,
            ),
            Verb(
                "do the maintenance that catalogs of the lake need",
                ("LakeMaintenance.needs", "LakeMaintenance.run"),
                Lacks("a session sees the catalogs that it has attached"),
                ("maintain all",),
            ),
            Verb(
                "delete files that nothing names",
                ("CatalogMaintenance.delete_orphaned_files",),
                (
                    "CALL ducklake_delete_orphaned_files('shop')",
                    "CALL ducklake_cleanup_orphaned_files('shop', dry_run => true)",
                ),
                ("maintain orphans",),
            ),
            Verb(
                "delete files that nothing names, of all catalogs",
                ("LakeMaintenance.delete_orphaned_files",),
                Lacks("a session sees the catalogs that it has attached"),
                ("maintain orphans",),
            ),
        ),
    ),
)
