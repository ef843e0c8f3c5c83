"""What a confined session may use, by kind.

What is in none of these lists is refused, so whatever is new is refused until somebody has thought about it.
"""

from __future__ import annotations

from typing import Final

from forklake.sql import statements
from forklake.sql.catalog_statements import CatalogStatement, ExportDatabase, ImportDatabase
from forklake.sql.fork_statements import CreateFork, MergeFork, RefreshFork
from forklake.sql.prepared import Deallocate, Execute, Prepare

PREPARING: Final[frozenset[type]] = frozenset(
    {
        statements.Attach,
        statements.CreateSecret,
        statements.Detach,
        statements.DropSecret,
        statements.NoOperation,
        statements.ResetSetting,
        statements.SetSetting,
        statements.Use,
    }
)
"""Statements of a session that will be confined and is not yet."""

STATEMENTS: Final[frozenset[type]] = frozenset(
    {
        # The session. Attaching, settings and files are decided one by one.
        statements.Attach,
        statements.Detach,
        statements.Use,
        statements.Begin,
        statements.Commit,
        statements.Rollback,
        statements.SetVariable,
        statements.ResetVariable,
        statements.SetSetting,
        statements.ResetSetting,
        statements.Pragma,
        statements.NoOperation,
        Prepare,
        Execute,  # what it stands for is asked for next
        Deallocate,
        # Objects and rows of attached catalogs.
        statements.CreateSchema,
        statements.CreateTable,
        statements.CreateView,
        statements.CreateMacro,
        statements.Drop,
        statements.AlterTable,
        statements.AlterView,
        statements.Comment,
        statements.Insert,
        statements.CopyTo,
        statements.CopyFrom,
        ExportDatabase,
        ImportDatabase,  # what its files say is asked for next
        statements.Update,
        statements.Delete,
        statements.Truncate,
        statements.Merge,
        CreateFork,
        MergeFork,
        RefreshFork,
        statements.Checkpoint,
        CatalogStatement,  # it is a call of a function
        # Questions.
        statements.Query,
        statements.Show,
        statements.Describe,
        statements.Explain,
    }
)
"""Statements of a confined session."""

PRAGMAS: Final = frozenset(
    {
        "database_size",
        "disable_verification",
        "enable_verification",
        "show_databases",
        "show_schemas",
        "show_tables",
        "show_tables_expanded",
        "table_info",
        "threads",
        "verify_parallelism",
        "version",
    }
)

FUNCTIONS: Final = frozenset(
    {
        # They work on the catalog that they are called for.
        "add_data_files",
        "check_catalog",
        "current_snapshot",
        "last_committed_snapshot",
        "list_files",
        "options",
        "reset_option",  # which ones, is decided one by one
        "set_commit_message",
        "set_option",
        "settings",
        "snapshots",
        "table_changes",
        "table_deletions",
        "table_history",
        "table_info",
        "table_insertions",
        "tag",
        "tags",
        "untag",
        # They name other catalogs, which are found among those that the session has.
        "across",
        "catalogs",
        "diff",
        "fork_catalog",
        "merge_catalog",
        "quota",
        "refresh_catalog",
        "reset_catalog",
        # They change the life of a catalog, which must be a fork of the session.
        "drop_catalog",
        "rename_catalog",
        "renew",
        "undrop_catalog",
    }
)
"""Catalog functions, without ``ducklake_``. Not among them is what works on a whole lake, or ends what others gave."""

MAINTENANCE: Final = frozenset(
    {
        "checkpoint",
        "cleanup_old_files",
        "cleanup_orphaned_files",
        "delete_orphaned_files",
        "expire_snapshots",
        "flush_inlined_data",
        "merge_adjacent_files",
        "rewrite_data_files",
    }
)
"""Catalog functions that shorten history or rewrite files: for sessions that may maintain."""

AGES: Final = frozenset({"delete_older_than", "expire_older_than"})
"""Options that say how much of the past is kept: for sessions that may maintain."""

FILE_FUNCTIONS: Final = frozenset(
    {
        "glob",
        "parquet_file_metadata",
        "parquet_kv_metadata",
        "parquet_metadata",
        "parquet_scan",
        "parquet_schema",
        "read_blob",
        "read_csv",
        "read_csv_auto",
        "read_json",
        "read_json_auto",
        "read_ndjson",
        "read_ndjson_auto",
        "read_parquet",
        "read_text",
    }
)
"""Functions whose first argument is a path, a pattern, or a list of them."""

LISTINGS: Final = frozenset(
    {
        "duckdb_columns",
        "duckdb_constraints",
        "duckdb_databases",
        "duckdb_extensions",
        "duckdb_functions",
        "duckdb_indexes",
        "duckdb_schemas",
        "duckdb_secrets",
        "duckdb_sequences",
        "duckdb_settings",
        "duckdb_tables",
        "duckdb_types",
        "duckdb_views",
        "pragma_database_size",
        "pragma_table_info",
        "pragma_version",
    }
)

ATTACH_OPTIONS: Final = frozenset(
    {
        "catalog",
        "catalog_id",
        "data_inlining_row_limit",
        "metadata_catalog",
        "read_only",
        "read_write",
        "snapshot_time",
        "snapshot_version",
        "tag",
        "type",
    }
)
"""Options of ATTACH that say how a catalog is read, and make and open nothing."""

CONCEALED: Final = frozenset({"encryption_key", "data_file_encryption_key", "delete_file_encryption_key"})
"""Columns that are NULL in a confined session."""


def statement_words(name: str) -> str:
    """Return the name of a statement as it is written.

    >>> statement_words("CreateSecret")
    'CREATE SECRET'
    """
    return "".join(f" {letter}" if letter.isupper() else letter.upper() for letter in name).strip()
