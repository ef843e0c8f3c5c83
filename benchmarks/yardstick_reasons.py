"""Why files of DuckLake's suite fail, by class, and whether that can change."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

CLASSES: Final[Mapping[str, str]] = {
    "history": """Compaction, rewrites and flushes begin what they write at their own snapshot, because forks may be
        pinned to any earlier one. Replaced files stay until their snapshots expire, so counts of files, rows of the
        metadata and cleaned-up files differ. Reachable on Spark; not wanted.""",
    "layout": """Which rows go into which file, and which files are merged together, is decided in another way: files of
        several versions of a table are merged into one, rows that MERGE inserts are inlined like others, and small
        files of PyArrow are larger than DuckDB's. Reachable; fewer merges are not wanted.""",
    "orphans": """A commit deletes no files: what a transaction wrote and dropped again waits for clean-up. Reachable;
        not wanted.""",
    "metadata": "The test writes to the metadata tables with SQL, which only reads them here. Not wanted.",
    "old": "The test opens a database that DuckLake wrote. It is imported, not opened. Not wanted.",
    "one lake": "The test keeps several lakes in one file, or names what opens the metadata. Not wanted.",
    "plans": "The test asks for a scan in the plan; it is answered from metadata, exactly. Not wanted.",
    "duckdb": """The test uses a function, setting or extension of DuckDB's own engine, or looks at how DuckDB lays out
        a Parquet file. Not reachable on Spark, or of no use there.""",
    "numbers": """Ids, names and versions of what is stored come from other sequences, and are noted per table at other
        moments. Reachable at a price; not wanted where the test asks for a given number.""",
    "refused": """DuckLake does what we refuse, or fails where we do it: rows that match twice are updated by chance, a
        table macro has the name of a scalar one, a sort key calls a macro that the transaction made. Reachable; the
        first and the last are not wanted.""",
    "types": "The metadata has no statistics of columns of some types, eleven of 58 here. Reachable.",
    "texts": """Bodies of views and macros are kept as written; the test expects them as DuckDB's parser prints them.
        Reachable.""",
    "statements": "A statement, an option of one, or a text of an error is not done as DuckLake has it. Reachable.",
}
"""What keeps a file from passing, and whether it is reachable on Spark."""

_FILES: Final = {
    "history": """
        add_files/add_files_compaction checkpoint/checkpoint_ducklake compaction/compaction_encrypted
        compaction/compaction_partitioned_non_adjacent
        compaction/compaction_partitioned_table compaction/merge_adjacent_global_option
        compaction/merge_adjacent_max_files compaction/merge_adjacent_options
        compaction/multi_compaction
        compaction/repro_merge_adjacent_zero_output compaction/small_insert_compaction
        data_inlining/inlined_data_flush_cleanup data_inlining/superseded_inlined_table_flush_drop
        geo/ducklake_geometry partitioning/partition_nop_schema_version
        deletion_inlining/test_deletion_from_file_and_inserted_inlining
        deletion_inlining/test_deletion_from_file_and_inserted_inlining_non_sequential
        deletion_inlining/test_deletion_from_inlined_insertion
        deletion_inlining/test_deletion_from_inlined_multiple_snapshots deletion_inlining/test_deletion_inlining
        deletion_inlining/test_deletion_inlining_compaction deletion_inlining/test_deletion_inlining_stats
        deletion_inlining/test_deletion_multiple_tables partitioning/merge_adjacent_null_partition
        rewrite_data_files/last_snapshot_multiple_inserts rewrite_data_files/test_last_snapshot_merge_rewrite
        rewrite_data_files/test_last_snapshot_rewrite rewrite_data_files/test_rewrite_concurrency
        sorted_table/merge_adjacent_sorted_drop_recreate
        sorted_table/merge_adjacent_sorted_expression sorted_table/merge_adjacent_sorted_macro_expression
        sorted_table/merge_adjacent_sorted_macro_expression_transaction
        sorted_table/merge_adjacent_sorted_nested_expression sorted_table/merge_adjacent_sorted_repeated
        sorted_table/merge_adjacent_sorted_reset""",
    "layout": """
        compaction/compaction_alter_table compaction/compaction_schema_version_per_table
        compaction/merge_adjacent_file_size_filter compaction/merge_adjacent_partial_file_info
        compaction/rewrite_deletes_full_file_delete_after_flush rewrite_data_files/test_rewrite_partitioning
        merge/merge_multi_partition_timestamp compaction/mix_large_small_insertions
        compaction/merge_rewrite_partial_file_info""",
    "orphans": """
        cleanup/create_drop_cleanup cleanup/drop_table_cleans_delete_files delete/delete_same_transaction
        delete/multi_deletes""",
    "metadata": """
        comments/comment_preserves_other_tags delete/delete_legacy_missing_mapping_after_rename_add_files
        issues/corrupted_catalog_fault_isolation issues/options_unknown_metadata_key
        quack/server_side_commit_atomicity stats/table_stats_without_column_stats""",
    "old": """
        delete/delete_ignore_extra_columns migration/migration migration/per_table_schema migration/test_compaction
        migration/v01_partitioned""",
    "one lake": """
        attach/different_paths catalog/quoted_identifiers general/data_path_tag general/detach_ducklake
        initialize/read_only_mode metadata/ducklake_settings settings/disabled_filesystems
        transaction/transaction_schema""",
    "plans": "stats/min_max_optimization_deletes stats/min_max_optimization_time_travel",
    "duckdb": """
        data_inlining/data_inlining_types general/ducklake_metadata_logging general/missing_parquet
        issues/issue_852_schema_cache_growth issues/issue_852_stats_cache_growth
        settings/parquet_compression types/all_types""",
    "numbers": """
        alter/expire_snapshot_bug data_inlining/inlining_global_options functions/ducklake_snapshots
        partitioning/basic_partitioning partitioning/partition_nop rewrite_data_files/test_rewrite_db
        schema_evolution/field_ids""",
    "refused": """
        macros/test_macro_multiple_connections macros/test_multi_macro_transaction macros/test_scalar_table_macros
        sorted_table/data_inlining_flush_sorted_macro_expression_transaction update/update_join_duplicates
        data_inlining/data_inlining_update""",
    "types": "default/all_types_column_default_stats",
    "texts": """
        issues/view_tosql_performance macros/test_default_parameter macros/test_macro_tables
        macros/test_multiple_implementations""",
}

NOTES: Final[Mapping[str, str]] = {
    "add_files/add_removed_files": "the file has row ids of its own, which may be those of other rows",
    "alter/expire_snapshot_bug": "a rename is logged as altered_table, DuckLake's as created_table",
    "attach/different_paths": "OVERRIDE_DATA_PATH takes the lake's own path; DuckLake takes the one that is given",
    "checkpoint/checkpoint_updates_interleaved": "CHECKPOINT inside a transaction with changes is refused; DuckLake's,"
    " in a transaction of its own, makes the COMMIT fail",
    "data_inlining/inlining_global_options": "ids of files begin with another number",
    "default/default_values": "DEFAULT 'NULL' is the text that it says, as in DuckDB; DuckLake reads it as NULL",
    "functions/ducklake_snapshots": "what is altered of a table that the same transaction makes is not logged apart",
    "general/data_path_tag": "OVERRIDE_DATA_PATH takes the lake's own path; DuckLake takes the one that is given",
    "compaction/merge_adjacent_file_size_filter": "two merged files of ten rows have more than 1000 bytes here",
    "compaction/merge_rewrite_partial_file_info": "files of ten rows have more than 1 kB here",
    "compaction/mix_large_small_insertions": "files of one row have 1 kB here, so that two reach the size of 2 kB",
    "compaction/rewrite_deletes_full_file_delete_after_flush": "inlined rows that are all deleted are not flushed",
    "merge/merge_multi_partition_timestamp": "rows that MERGE inserts are inlined like others",
    "partitioning/basic_partitioning": "ids of files count up at other moments",
    "partitioning/bucket_partitioning": "there are no buckets of structs and lists",
    "partitioning/partition_nop": "RESET PARTITIONED BY ends the row of the partitioning; DuckLake adds an empty one",
    "rewrite_data_files/test_rewrite_db": "maintenance commits each table by itself, DuckLake all in one snapshot",
    "schema_evolution/field_ids": "the root of a Parquet schema has another name than DuckDB gives to it",
    "settings/disabled_filesystems": "a lake cannot be kept in memory",
    "settings/max_retry_count": "RESET resets the session; inserts that meet one retry do not fail",
    "settings/parquet_compression": "Spark has no DELTA_LENGTH_BYTE_ARRAY",
    "sorted_table/insert_sorted_sort_on_insert_option": "with the option off, DuckLake still sorts files where inlining"
    " is on",
    "transaction/transaction_conflict_inlining": "the second of two flushes is refused at its commit, not at its call",
}
"""Why single files fail, where the class leaves it open."""


def group_failures(lines: Mapping[str, str]) -> list[str]:
    """Return the lines of failed files, each class below what is said of it.

    Args:
        lines: The lines by path of the file, without its ending. A file of no class is one of statements.
    """
    classes = {path: name for name, paths in _FILES.items() for path in paths.split()}
    found: list[str] = []
    for name, reason in CLASSES.items():
        own = [
            line + (f" ({NOTES[path]})" if path in NOTES else "")
            for path, line in lines.items()
            if classes.get(path, "statements") == name
        ]
        if own:
            found += [f"### {name.capitalize()}", "", " ".join(reason.split()), "", *own, ""]
    return found[:-1]
