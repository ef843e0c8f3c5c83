"""The 28 tables of DuckLake 1.0: names, columns and their order, as its own extension makes them."""

from __future__ import annotations

from typing import Final

VERSION: Final = "1.0"

READABLE_VERSIONS: Final = ("0.3", "0.4-dev1", "0.4", "1.0")
"""What an import reads. 0.4 and 1.0 have the same tables; 0.3 lacks some of them and some columns."""

_LAYOUT: Final = """
ducklake_column: column_id begin_snapshot end_snapshot table_id column_order column_name:text column_type:text
  initial_default:text default_value:text nulls_allowed:flag parent_column default_value_type:text
  default_value_dialect:text
ducklake_column_mapping: mapping_id table_id type:text
ducklake_column_tag: table_id column_id begin_snapshot end_snapshot key:text value:text
ducklake_data_file: data_file_id:key table_id begin_snapshot end_snapshot file_order path:text path_is_relative:flag
  file_format:text record_count file_size_bytes footer_size row_id_start partition_id encryption_key:text mapping_id
  partial_max
ducklake_delete_file: delete_file_id:key table_id begin_snapshot end_snapshot data_file_id path:text
  path_is_relative:flag format:text delete_count file_size_bytes footer_size encryption_key:text partial_max
ducklake_file_column_stats: data_file_id table_id column_id column_size_bytes value_count null_count min_value:text
  max_value:text contains_nan:flag extra_stats:text
ducklake_file_partition_value: data_file_id table_id partition_key_index partition_value:text
ducklake_file_variant_stats: data_file_id table_id column_id variant_path:text shredded_type:text column_size_bytes
  value_count null_count min_value:text max_value:text contains_nan:flag extra_stats:text
ducklake_files_scheduled_for_deletion: data_file_id path:text path_is_relative:flag schedule_start:time
ducklake_inlined_data_tables: table_id table_name:text schema_version
ducklake_macro: schema_id macro_id macro_name:text begin_snapshot end_snapshot
ducklake_macro_impl: macro_id impl_id dialect:text sql:text type:text
ducklake_macro_parameters: macro_id impl_id column_id parameter_name:text parameter_type:text default_value:text
  default_value_type:text
ducklake_metadata: key:must value:must scope:text scope_id
ducklake_name_mapping: mapping_id column_id source_name:text target_field_id parent_column is_partition:flag
ducklake_partition_column: partition_id table_id partition_key_index column_id transform:text
ducklake_partition_info: partition_id table_id begin_snapshot end_snapshot
ducklake_schema: schema_id:key schema_uuid:uuid begin_snapshot end_snapshot schema_name:text path:text
  path_is_relative:flag
ducklake_schema_versions: begin_snapshot schema_version table_id
ducklake_snapshot: snapshot_id:key snapshot_time:time schema_version next_catalog_id next_file_id
ducklake_snapshot_changes: snapshot_id:key changes_made:text author:text commit_message:text commit_extra_info:text
ducklake_sort_expression: sort_id table_id sort_key_index expression:text dialect:text sort_direction:text
  null_order:text
ducklake_sort_info: sort_id table_id begin_snapshot end_snapshot
ducklake_table: table_id table_uuid:uuid begin_snapshot end_snapshot schema_id table_name:text path:text
  path_is_relative:flag
ducklake_table_column_stats: table_id column_id contains_null:flag contains_nan:flag min_value:text max_value:text
  extra_stats:text
ducklake_table_stats: table_id record_count next_row_id file_size_bytes
ducklake_tag: object_id begin_snapshot end_snapshot key:text value:text
ducklake_view: view_id view_uuid:uuid begin_snapshot end_snapshot schema_id view_name:text dialect:text sql:text
  column_aliases:text
"""


def _parsed() -> dict[str, dict[str, str]]:
    tables: dict[str, dict[str, str]] = {}
    name = ""
    for line in _LAYOUT.strip().splitlines():
        columns = line.strip()
        if not line.startswith(" "):
            name, columns = line.split(": ", 1)
            tables[name] = {}
        for column in columns.split():
            column_name, _, kind = column.partition(":")
            tables[name][column_name] = kind or "number"
    return tables


TABLES: Final = _parsed()
"""Each table with its columns and what they hold: number, key, text, must (text that is not NULL), flag, uuid, time."""

_TYPES: Final = {
    "duckdb": {
        "number": "BIGINT",
        "key": "BIGINT PRIMARY KEY",
        "text": "VARCHAR",
        "must": "VARCHAR NOT NULL",
        "flag": "BOOLEAN",
        "uuid": "UUID",
        "time": "TIMESTAMP WITH TIME ZONE",
    },
    # What DuckDB's SQLite extension makes of these types, which DuckLake then reads back.
    "sqlite": {
        "number": "BIGINT",
        "key": "BIGINT PRIMARY KEY",
        "text": "VARCHAR",
        "must": "VARCHAR NOT NULL",
        "flag": "BIGINT",
        "uuid": "VARCHAR",
        "time": "VARCHAR",
    },
}


def create_statement(table: str, product: str) -> str:
    """Return the statement that makes a table."""
    types = _TYPES[product]
    columns = ", ".join(f'"{name}" {types[kind]}' for name, kind in TABLES[table].items())
    return f"CREATE TABLE {table}({columns})"
