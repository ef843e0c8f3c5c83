"""Verbs about lakes, catalogs, forks and snapshots."""

from __future__ import annotations

from typing import Final

from forklake.cli.verbs.verb import COMMAND, MANY, OF_SPARK, STATEMENT, Chapter, Lacks, Verb

CHAPTERS: Final = (
    Chapter(
        "Lakes",
        (
            Verb("open a lake", ("forklake.open",), ("ATTACH 'ducklake:lake.db' AS shop (CATALOG 'shop')",), ("init",)),
            Verb(
                "bring the metadata of a lake to this release",
                ("forklake.upgrade",),
                Lacks("a lake of an older version cannot be attached"),
                ("upgrade",),
            ),
            Verb(
                "tell a lake that its files were moved",
                ("forklake.relocate",),
                Lacks("done where nobody has the lake attached"),
                ("relocate",),
            ),
            Verb("ask whether a lake answers", ("Lake.ping",), Lacks("any statement asks it"), ("ping",)),
            Verb("close a lake", ("Lake.close",), ("DETACH shop",), COMMAND),
            Verb("tell where files go", ("Lake.data_path",), ("FROM ducklake_settings('shop')",), ("catalog show",)),
            Verb(
                "tell what a lake holds",
                ("Lake.stats", "Lake.metadata_bytes"),
                ("FROM ducklake_lake_stats('shop')",),
                ("stats",),
            ),
            Verb(
                "see the whole lake as it was",
                ("Lake.at", "LakeAt.catalogs", "LakeAt.catalog"),
                (
                    "FROM ducklake_catalogs('shop', at => 17)",
                    "ATTACH 'ducklake:' (CATALOG 'shop', SNAPSHOT_VERSION 17)",
                ),
                ("catalog list",),
            ),
            Verb("choose a Spark session", ("Lake.spark", "Lake.using"), OF_SPARK, OF_SPARK),
            Verb(
                "read and write by Spark's format", ("forklake.register", "forklake.batch_writer"), OF_SPARK, OF_SPARK
            ),
            Verb(
                "make a catalog one of Spark's",
                (
                    "Lake.attach",
                    "forklake.attach",
                    "forklake.attach_configured",
                    "SparkCatalog.name",
                    "SparkCatalog.spark",
                    "SparkCatalog.detach",
                ),
                OF_SPARK,
                OF_SPARK,
            ),
            Verb("show forks at work", Lacks("a demonstration"), Lacks("a demonstration"), ("demo",)),
            Verb("complete words in a shell", Lacks("about shells"), Lacks("about shells"), ("completion",)),
        ),
    ),
    Chapter(
        "Catalogs",
        (
            Verb(
                "create a catalog",
                ("Lake.create_catalog",),
                ("CREATE CATALOG other", "CALL ducklake_create_catalog('shop', 'other')"),
                ("catalog create",),
            ),
            Verb(
                "list catalogs",
                ("Lake.catalogs",),
                ("FROM ducklake_catalogs('shop', prefix => 'agent-')",),
                ("catalog list",),
            ),
            Verb(
                "list dropped catalogs",
                ("Lake.dropped_catalogs",),
                Lacks("a session sees the catalogs that there are; a name or an id brings another back"),
                ("catalog list",),
            ),
            Verb(
                "open a catalog",
                ("Lake.catalog", "Catalog.catalog_id", "Catalog.name"),
                (
                    "ATTACH 'ducklake:' AS other (CATALOG 'other')",
                    "USE shop",
                    "FROM duckdb_databases()",
                    "SHOW DATABASES",
                ),
                COMMAND,
            ),
            Verb(
                "copy definitions and rows to another catalog",
                Lacks("`catalog.fork(name)` needs no copy; `fork(name, copy=True)` makes one that stands on its own"),
                ("COPY FROM DATABASE shop TO other",),
                STATEMENT,
            ),
            Verb(
                "write definitions and rows to files, and read them",
                Lacks("`catalog.sql` runs the statement"),
                ("EXPORT DATABASE shop TO 'exported' (FORMAT parquet)", "IMPORT DATABASE 'exported'"),
                STATEMENT,
            ),
            Verb(
                "show one catalog",
                (
                    "CatalogInspection.info",
                    "CatalogInspection.parent",
                    "CatalogInspection.bytes",
                    "CatalogInspection.is_live",
                    "CatalogInspection.author",
                    "CatalogInspection.labels",
                    "CatalogInspection.lifetime",
                ),
                ("FROM ducklake_catalogs('shop', prefix => 'shop')",),
                ("catalog show",),
            ),
            Verb(
                "rename a catalog",
                ("Catalog.rename",),
                ("CALL ducklake_rename_catalog('shop', 'a', 'b')",),
                ("catalog rename",),
            ),
            Verb(
                "drop a catalog", ("Catalog.drop",), ("CALL ducklake_drop_catalog('shop', 'agent')",), ("catalog drop",)
            ),
            Verb(
                "drop many catalogs",
                ("Lake.drop_catalogs",),
                ("CALL ducklake_drop_catalogs('shop', parent => 'shop', prefix => 'try-', keep => ['try-7'])",),
                ("catalog drop",),
            ),
            Verb(
                "bring a dropped catalog back",
                ("Lake.undrop_catalog",),
                ("CALL ducklake_undrop_catalog('shop', 'agent')",),
                ("catalog undrop",),
            ),
            Verb(
                "give up a dropped catalog for good",
                ("Lake.purge",),
                ("CALL ducklake_purge_catalog('shop', 'agent')",),
                ("catalog purge",),
            ),
            Verb(
                "tell who sees a file",
                ("LakeMaintenance.file_references",),
                Lacks("a session sees the catalogs that it has attached"),
                ("file references",),
            ),
            Verb(
                "give up many catalogs for good",
                ("LakeMaintenance.purge_catalogs",),
                ("CALL ducklake_purge_catalogs('shop', 'agent-', drop => true)",),
                ("catalog purge",),
            ),
            Verb(
                "write a catalog as a plain DuckLake database",
                ("CatalogMaintenance.export",),
                ("CALL ducklake_export_catalog('shop', 'shop.ducklake')",),
                ("catalog export",),
            ),
            Verb(
                "import a plain DuckLake database",
                ("Lake.import_catalog",),
                ("CALL ducklake_import_catalog('shop', 'other', 'other.ducklake')",),
                ("catalog import",),
            ),
            Verb(
                "tell what a call made",
                ("Catalog.created", "Catalog.commit", "Table.created", "Table.commit"),
                Lacks("a column `created` of what `ducklake_create_catalog` and `ducklake_fork_catalog` give"),
                Lacks("a field `created` of what `catalog create` and `catalog fork` print with `--json`"),
            ),
        ),
    ),
    Chapter(
        "Forks",
        (
            Verb(
                "fork a catalog",
                ("Catalog.fork",),
                ("CREATE FORK agent FROM shop", "CALL ducklake_fork_catalog('shop', 'agent')"),
                ("catalog fork",),
            ),
            Verb("fork a catalog many times", ("Catalog.fork_many",), MANY, ("catalog fork",)),
            Verb(
                "list the forks of a catalog",
                ("Catalog.forks",),
                ("FROM ducklake_catalogs('shop')",),
                ("catalog tree",),
            ),
            Verb(
                "draw the tree of forks",
                ("Lake.fork_tree",),
                ("FROM ducklake_fork_tree('shop')",),
                ("catalog tree",),
            ),
            Verb(
                "give a fork more time to live",
                ("Catalog.renew",),
                ("CALL ducklake_renew('shop', 'agent', INTERVAL 2 HOUR)",),
                ("catalog renew",),
            ),
            Verb(
                "drop what is past its lifetime",
                ("Lake.reap",),
                ("CALL ducklake_reap('shop')",),
                ("catalog reap",),
            ),
            Verb(
                "limit what a catalog and its forks hold",
                ("Catalog.set_quota", "Catalog.quota"),
                ("CALL ducklake_set_quota('shop', max_forks => 100)", "FROM ducklake_quota('shop')"),
                ("catalog quota",),
            ),
            Verb(
                "compare a fork with its parent, or any two versions",
                ("Catalog.diff",),
                (
                    "FROM ducklake_diff('shop', 'agent')",
                    "FROM ducklake_diff('shop', 'agent', since_base => true, table_name => 'orders')",
                ),
                ("catalog diff",),
            ),
            Verb(
                "merge a fork, or another catalog of its tree",
                ("Catalog.merge",),
                (
                    "MERGE FORK agent INTO shop STRATEGY theirs",
                    "CALL ducklake_merge_catalog('shop', 'agent', dry_run => true)",
                ),
                ("catalog merge",),
            ),
            Verb(
                "bring a fork to the head of its parent",
                ("Catalog.refresh",),
                (
                    "REFRESH FORK agent STRATEGY ours",
                    "CALL ducklake_refresh_catalog('agent', dry_run => true)",
                ),
                ("catalog refresh",),
            ),
            Verb(
                "give a catalog the content of another, or of its past",
                ("Catalog.reset_to",),
                ("CALL ducklake_reset_catalog('shop', at => 17)",),
                ("catalog reset",),
            ),
            Verb(
                "cut a fork off from its ancestors",
                ("CatalogMaintenance.sever",),
                ("CALL ducklake_sever_catalog('shop', 'agent')",),
                ("catalog sever",),
            ),
        ),
    ),
    Chapter(
        "Snapshots and transactions",
        (
            Verb(
                "list the snapshots of a catalog",
                ("Catalog.snapshots",),
                ("FROM ducklake_snapshots('shop')",),
                ("snapshot list",),
            ),
            Verb(
                "list the snapshots of all catalogs",
                ("Lake.snapshots",),
                Lacks("a session sees the catalogs that it has attached"),
                ("snapshot list",),
            ),
            Verb(
                "tell the newest snapshot",
                ("Catalog.head",),
                ("FROM ducklake_current_snapshot('shop')", "FROM ducklake_last_committed_snapshot('shop')"),
                ("catalog show",),
            ),
            Verb(
                "see a catalog as it was",
                ("Catalog.at", "Table.at"),
                ("FROM orders AT (VERSION => 17)",),
                ("table list", "table show", "table files", "table history", "catalog export", "catalog fork"),
            ),
            Verb(
                "read a table of many catalogs at once",
                ("Lake.across",),
                ("FROM ducklake_across('shop', 'orders', prefix => 'agent-')",),
                STATEMENT,
            ),
            Verb(
                "try several changes in forks, and keep the best",
                ("Lake.try_many",),
                Lacks("it runs functions of the caller"),
                Lacks("it runs functions of the caller"),
            ),
            Verb(
                "name a version, and keep it from expiry",
                ("Catalog.tag", "Catalog.untag", "Catalog.tags"),
                (
                    "CALL ducklake_tag('shop', 'v1')",
                    "CALL ducklake_untag('shop', 'v1')",
                    "FROM ducklake_tags('shop')",
                    "FROM orders AT (TAG => 'v1')",
                    "ATTACH 'ducklake:' (CATALOG 'shop', TAG 'v1')",
                ),
                ("catalog tag", "catalog untag", "catalog tags"),
            ),
            Verb(
                "expire snapshots",
                ("CatalogMaintenance.expire_snapshots",),
                ("CALL ducklake_expire_snapshots('shop', older_than => now() - INTERVAL 7 DAY)",),
                ("snapshot expire", "maintain expire"),
            ),
            Verb(
                "delete files that nothing needs",
                ("CatalogMaintenance.cleanup_old_files",),
                ("CALL ducklake_cleanup_old_files('shop', older_than => now() - INTERVAL 7 DAY)",),
                ("maintain cleanup",),
            ),
            Verb(
                "the same in all catalogs, purged ones too",
                ("LakeMaintenance.cleanup_old_files",),
                Lacks("a session sees the catalogs that it has attached"),
                ("maintain cleanup",),
            ),
            Verb(
                "check that metadata and files fit together",
                ("CatalogMaintenance.check",),
                ("FROM ducklake_check_catalog('shop')",),
                ("fsck",),
            ),
            Verb(
                "check a whole lake",
                ("LakeMaintenance.check",),
                Lacks("a session sees the catalogs that it has attached"),
                ("fsck",),
            ),
            Verb(
                "change several things in one snapshot",
                (
                    "Catalog.transaction",
                    "Transaction.commit",
                    "Transaction.rollback",
                    "Transaction.set_commit_message",
                    "Transaction.base",
                    "Transaction.is_open",
                    "Transaction.has_changes",
                ),
                ("BEGIN", "COMMIT", "ROLLBACK", "CALL ducklake_set_commit_message('shop', 'me', 'why')"),
                STATEMENT,
            ),
        ),
    ),
)
