-- The metadata of a lake in a SQLite file. The same tables as in postgresql.sql, which holds the comments that matter
-- to both; here "forklake_" stands for the schema "forklake", and a table of counters for the sequences.

CREATE TABLE forklake_sequence (
    name TEXT PRIMARY KEY,
    next_value INTEGER NOT NULL
) WITHOUT ROWID;
INSERT INTO forklake_sequence (name, next_value) VALUES
    ('ducklake_catalog_id_seq', 0),
    ('ducklake_object_id_seq', 0),
    ('ducklake_file_id_seq', 0),
    ('ducklake_snapshot_id_seq', 0),
    ('ducklake_row_uid_seq', 0);

-- Catalogs, heads and ancestry

-- One row per version of a catalog: rename, drop and undrop end a row. The directory is chosen once and never
-- moves; the row of a purged catalog stays, so that its directory is never given to another.
CREATE TABLE forklake_ducklake_catalog (
    catalog_id INTEGER NOT NULL,
    catalog_uuid TEXT NOT NULL,
    catalog_name TEXT NOT NULL,
    parent_catalog_id INTEGER,
    parent_snapshot_id INTEGER,
    data_path TEXT,
    path TEXT NOT NULL,
    path_is_relative INTEGER NOT NULL,
    begin_snapshot INTEGER NOT NULL,
    end_snapshot INTEGER NOT NULL DEFAULT 9223372036854775807,
    begin_time TEXT NOT NULL,
    end_time TEXT,
    PRIMARY KEY (catalog_id, begin_snapshot)
) WITHOUT ROWID;
CREATE UNIQUE INDEX forklake_catalog_name_idx ON forklake_ducklake_catalog (lower(catalog_name), end_snapshot);
CREATE INDEX forklake_catalog_directory_idx ON forklake_ducklake_catalog (lower(path));

-- The newest snapshot of each catalog. A commit is a compare-and-swap on this row; drop and undrop change "live".
-- Narrow, no other index, room for updates in place.
CREATE TABLE forklake_ducklake_head (
    catalog_id INTEGER NOT NULL,
    snapshot_id INTEGER NOT NULL,
    live INTEGER NOT NULL DEFAULT 1,
    PRIMARY KEY (catalog_id)
) WITHOUT ROWID;

-- Flattened ancestry of a fork, nearest first: it sees the rows of owner_id up to snapshot "upto". The catalog itself
-- (depth 0, no limit) is implied.
CREATE TABLE forklake_ducklake_segment (
    catalog_id INTEGER NOT NULL,
    depth INTEGER NOT NULL,
    owner_id INTEGER NOT NULL,
    upto INTEGER NOT NULL,
    PRIMARY KEY (catalog_id, depth)
) WITHOUT ROWID;
CREATE INDEX forklake_segment_pin_idx ON forklake_ducklake_segment (owner_id, upto);

-- A row of an ancestor that this catalog no longer shows, from snapshot_id on. scope_id is the table of the row, or 0.
CREATE TABLE forklake_ducklake_tombstone (
    catalog_id INTEGER NOT NULL,
    scope_id INTEGER NOT NULL,
    row_uid INTEGER NOT NULL,
    snapshot_id INTEGER NOT NULL,
    PRIMARY KEY (catalog_id, scope_id, row_uid)
) WITHOUT ROWID;
CREATE INDEX forklake_tombstone_row_idx ON forklake_ducklake_tombstone (row_uid);

-- Snapshots

-- One row per commit. Ids come from one sequence for the whole database: unique everywhere, growing within a catalog.
CREATE TABLE forklake_ducklake_snapshot (
    catalog_id INTEGER NOT NULL,
    snapshot_id INTEGER NOT NULL,
    snapshot_time TEXT NOT NULL,
    schema_version INTEGER NOT NULL,
    PRIMARY KEY (catalog_id, snapshot_id)
) WITHOUT ROWID;
CREATE INDEX forklake_snapshot_lake_idx ON forklake_ducklake_snapshot (snapshot_id);

-- What the commit did, in DuckLake's grammar, and what its author said.
CREATE TABLE forklake_ducklake_snapshot_changes (
    catalog_id INTEGER NOT NULL,
    snapshot_id INTEGER NOT NULL,
    changes_made TEXT NOT NULL,
    author TEXT,
    commit_message TEXT,
    commit_extra_info TEXT,
    PRIMARY KEY (catalog_id, snapshot_id)
) WITHOUT ROWID;

-- The order of a catalog's own snapshots, and the keys that make commits idempotent. Outlives expired snapshots.
CREATE TABLE forklake_ducklake_snapshot_lineage (
    catalog_id INTEGER NOT NULL,
    snapshot_id INTEGER NOT NULL,
    previous_snapshot_id INTEGER,
    commit_key TEXT,
    PRIMARY KEY (catalog_id, snapshot_id)
) WITHOUT ROWID;
CREATE UNIQUE INDEX forklake_lineage_key_idx ON forklake_ducklake_snapshot_lineage (catalog_id, commit_key) WHERE commit_key IS NOT NULL;

-- The schema versions of each table.
CREATE TABLE forklake_ducklake_schema_versions (
    catalog_id INTEGER NOT NULL,
    begin_snapshot INTEGER NOT NULL,
    schema_version INTEGER NOT NULL,
    table_id INTEGER NOT NULL,
    PRIMARY KEY (catalog_id, begin_snapshot, table_id)
) WITHOUT ROWID;

-- Options

-- Options. catalog_id -1 is the whole lake; scope is '' (the catalog), 'schema' or 'table', scope_id the object.
CREATE TABLE forklake_ducklake_metadata (
    catalog_id INTEGER NOT NULL,
    key TEXT NOT NULL,
    value TEXT NOT NULL,
    scope TEXT NOT NULL DEFAULT '',
    scope_id INTEGER NOT NULL DEFAULT -1,
    PRIMARY KEY (catalog_id, scope, scope_id, key)
) WITHOUT ROWID;

-- Schemas, tables, columns

CREATE TABLE forklake_ducklake_schema (
    catalog_id INTEGER NOT NULL,
    row_uid INTEGER NOT NULL,
    begin_snapshot INTEGER NOT NULL,
    end_snapshot INTEGER NOT NULL DEFAULT 9223372036854775807,
    schema_id INTEGER NOT NULL,
    schema_uuid TEXT NOT NULL,
    schema_name TEXT NOT NULL,
    path TEXT NOT NULL,
    path_is_relative INTEGER NOT NULL,
    PRIMARY KEY (catalog_id, row_uid)
) WITHOUT ROWID;
CREATE INDEX forklake_schema_scan_idx ON forklake_ducklake_schema (catalog_id, schema_id, end_snapshot, begin_snapshot);
CREATE UNIQUE INDEX forklake_schema_name_idx ON forklake_ducklake_schema (catalog_id, lower(schema_name), end_snapshot);

CREATE TABLE forklake_ducklake_table (
    catalog_id INTEGER NOT NULL,
    row_uid INTEGER NOT NULL,
    begin_snapshot INTEGER NOT NULL,
    end_snapshot INTEGER NOT NULL DEFAULT 9223372036854775807,
    table_id INTEGER NOT NULL,
    table_uuid TEXT NOT NULL,
    schema_id INTEGER NOT NULL,
    table_name TEXT NOT NULL,
    path TEXT NOT NULL,
    path_is_relative INTEGER NOT NULL,
    PRIMARY KEY (catalog_id, row_uid)
) WITHOUT ROWID;
CREATE INDEX forklake_table_scan_idx ON forklake_ducklake_table (catalog_id, table_id, end_snapshot, begin_snapshot);
CREATE UNIQUE INDEX forklake_table_name_idx ON forklake_ducklake_table (catalog_id, schema_id, lower(table_name), end_snapshot);

-- Nested fields are columns with a parent_column; ids are never reused within a table.
CREATE TABLE forklake_ducklake_column (
    catalog_id INTEGER NOT NULL,
    row_uid INTEGER NOT NULL,
    begin_snapshot INTEGER NOT NULL,
    end_snapshot INTEGER NOT NULL DEFAULT 9223372036854775807,
    column_id INTEGER NOT NULL,
    table_id INTEGER NOT NULL,
    column_order INTEGER NOT NULL,
    column_name TEXT NOT NULL,
    column_type TEXT NOT NULL,
    initial_default TEXT,
    default_value TEXT,
    nulls_allowed INTEGER NOT NULL,
    parent_column INTEGER,
    default_value_type TEXT,
    default_value_dialect TEXT,
    PRIMARY KEY (catalog_id, row_uid)
) WITHOUT ROWID;
CREATE INDEX forklake_column_scan_idx ON forklake_ducklake_column (catalog_id, table_id, end_snapshot, begin_snapshot);
CREATE UNIQUE INDEX forklake_column_name_idx ON forklake_ducklake_column (catalog_id, table_id, coalesce(parent_column, -1), lower(column_name), end_snapshot);

CREATE TABLE forklake_ducklake_view (
    catalog_id INTEGER NOT NULL,
    row_uid INTEGER NOT NULL,
    begin_snapshot INTEGER NOT NULL,
    end_snapshot INTEGER NOT NULL DEFAULT 9223372036854775807,
    view_id INTEGER NOT NULL,
    view_uuid TEXT NOT NULL,
    schema_id INTEGER NOT NULL,
    view_name TEXT NOT NULL,
    dialect TEXT NOT NULL,
    sql TEXT NOT NULL,
    column_aliases TEXT,
    PRIMARY KEY (catalog_id, row_uid)
) WITHOUT ROWID;
CREATE INDEX forklake_view_scan_idx ON forklake_ducklake_view (catalog_id, view_id, end_snapshot, begin_snapshot);
CREATE UNIQUE INDEX forklake_view_name_idx ON forklake_ducklake_view (catalog_id, schema_id, lower(view_name), end_snapshot);

CREATE TABLE forklake_ducklake_macro (
    catalog_id INTEGER NOT NULL,
    row_uid INTEGER NOT NULL,
    begin_snapshot INTEGER NOT NULL,
    end_snapshot INTEGER NOT NULL DEFAULT 9223372036854775807,
    schema_id INTEGER NOT NULL,
    macro_id INTEGER NOT NULL,
    macro_name TEXT NOT NULL,
    PRIMARY KEY (catalog_id, row_uid)
) WITHOUT ROWID;
CREATE INDEX forklake_macro_scan_idx ON forklake_ducklake_macro (catalog_id, macro_id, end_snapshot, begin_snapshot);
CREATE UNIQUE INDEX forklake_macro_name_idx ON forklake_ducklake_macro (catalog_id, schema_id, lower(macro_name), end_snapshot);

CREATE TABLE forklake_ducklake_macro_impl (
    catalog_id INTEGER NOT NULL,
    macro_id INTEGER NOT NULL,
    impl_id INTEGER NOT NULL,
    dialect TEXT NOT NULL,
    sql TEXT NOT NULL,
    type TEXT NOT NULL,
    PRIMARY KEY (catalog_id, macro_id, impl_id)
) WITHOUT ROWID;

CREATE TABLE forklake_ducklake_macro_parameters (
    catalog_id INTEGER NOT NULL,
    macro_id INTEGER NOT NULL,
    impl_id INTEGER NOT NULL,
    column_id INTEGER NOT NULL,
    parameter_name TEXT NOT NULL,
    parameter_type TEXT,
    default_value TEXT,
    default_value_type TEXT,
    PRIMARY KEY (catalog_id, macro_id, impl_id, column_id)
) WITHOUT ROWID;

CREATE TABLE forklake_ducklake_tag (
    catalog_id INTEGER NOT NULL,
    row_uid INTEGER NOT NULL,
    begin_snapshot INTEGER NOT NULL,
    end_snapshot INTEGER NOT NULL DEFAULT 9223372036854775807,
    object_id INTEGER NOT NULL,
    key TEXT NOT NULL,
    value TEXT,
    PRIMARY KEY (catalog_id, row_uid)
) WITHOUT ROWID;
CREATE INDEX forklake_tag_scan_idx ON forklake_ducklake_tag (catalog_id, object_id, end_snapshot, begin_snapshot);

CREATE TABLE forklake_ducklake_column_tag (
    catalog_id INTEGER NOT NULL,
    row_uid INTEGER NOT NULL,
    begin_snapshot INTEGER NOT NULL,
    end_snapshot INTEGER NOT NULL DEFAULT 9223372036854775807,
    table_id INTEGER NOT NULL,
    column_id INTEGER NOT NULL,
    key TEXT NOT NULL,
    value TEXT,
    PRIMARY KEY (catalog_id, row_uid)
) WITHOUT ROWID;
CREATE INDEX forklake_column_tag_scan_idx ON forklake_ducklake_column_tag (catalog_id, table_id, end_snapshot, begin_snapshot);

CREATE TABLE forklake_ducklake_view_column_tag (
    catalog_id INTEGER NOT NULL,
    row_uid INTEGER NOT NULL,
    begin_snapshot INTEGER NOT NULL,
    end_snapshot INTEGER NOT NULL DEFAULT 9223372036854775807,
    view_id INTEGER NOT NULL,
    column_name TEXT NOT NULL,
    key TEXT NOT NULL,
    value TEXT,
    PRIMARY KEY (catalog_id, row_uid)
) WITHOUT ROWID;
CREATE INDEX forklake_view_column_tag_scan_idx ON forklake_ducklake_view_column_tag (catalog_id, view_id, end_snapshot, begin_snapshot);

CREATE TABLE forklake_ducklake_partition_info (
    catalog_id INTEGER NOT NULL,
    row_uid INTEGER NOT NULL,
    begin_snapshot INTEGER NOT NULL,
    end_snapshot INTEGER NOT NULL DEFAULT 9223372036854775807,
    partition_id INTEGER NOT NULL,
    table_id INTEGER NOT NULL,
    PRIMARY KEY (catalog_id, row_uid)
) WITHOUT ROWID;
CREATE INDEX forklake_partition_info_scan_idx ON forklake_ducklake_partition_info (catalog_id, table_id, end_snapshot, begin_snapshot);

CREATE TABLE forklake_ducklake_partition_column (
    catalog_id INTEGER NOT NULL,
    partition_id INTEGER NOT NULL,
    table_id INTEGER NOT NULL,
    partition_key_index INTEGER NOT NULL,
    column_id INTEGER NOT NULL,
    transform TEXT NOT NULL,
    PRIMARY KEY (catalog_id, partition_id, partition_key_index)
) WITHOUT ROWID;

CREATE TABLE forklake_ducklake_sort_info (
    catalog_id INTEGER NOT NULL,
    row_uid INTEGER NOT NULL,
    begin_snapshot INTEGER NOT NULL,
    end_snapshot INTEGER NOT NULL DEFAULT 9223372036854775807,
    sort_id INTEGER NOT NULL,
    table_id INTEGER NOT NULL,
    PRIMARY KEY (catalog_id, row_uid)
) WITHOUT ROWID;
CREATE INDEX forklake_sort_info_scan_idx ON forklake_ducklake_sort_info (catalog_id, table_id, end_snapshot, begin_snapshot);

CREATE TABLE forklake_ducklake_sort_expression (
    catalog_id INTEGER NOT NULL,
    sort_id INTEGER NOT NULL,
    table_id INTEGER NOT NULL,
    sort_key_index INTEGER NOT NULL,
    expression TEXT NOT NULL,
    dialect TEXT NOT NULL,
    sort_direction TEXT NOT NULL,
    null_order TEXT NOT NULL,
    PRIMARY KEY (catalog_id, sort_id, sort_key_index)
) WITHOUT ROWID;

-- Files

-- read_upto: a copied row of a merged file keeps the bound it was read with.
CREATE TABLE forklake_ducklake_data_file (
    catalog_id INTEGER NOT NULL,
    row_uid INTEGER NOT NULL,
    begin_snapshot INTEGER NOT NULL,
    end_snapshot INTEGER NOT NULL DEFAULT 9223372036854775807,
    data_file_id INTEGER NOT NULL,
    table_id INTEGER NOT NULL,
    file_order INTEGER,
    path TEXT NOT NULL,
    path_is_relative INTEGER NOT NULL,
    file_format TEXT NOT NULL,
    record_count INTEGER NOT NULL,
    file_size_bytes INTEGER NOT NULL,
    footer_size INTEGER,
    row_id_start INTEGER,
    partition_id INTEGER,
    encryption_key TEXT,
    mapping_id INTEGER,
    partial_max INTEGER,
    read_upto INTEGER,
    PRIMARY KEY (catalog_id, row_uid)
) WITHOUT ROWID;
CREATE INDEX forklake_data_file_scan_idx ON forklake_ducklake_data_file (catalog_id, table_id, end_snapshot, begin_snapshot);
CREATE INDEX forklake_data_file_id_idx ON forklake_ducklake_data_file (catalog_id, data_file_id);

CREATE TABLE forklake_ducklake_delete_file (
    catalog_id INTEGER NOT NULL,
    row_uid INTEGER NOT NULL,
    begin_snapshot INTEGER NOT NULL,
    end_snapshot INTEGER NOT NULL DEFAULT 9223372036854775807,
    delete_file_id INTEGER NOT NULL,
    table_id INTEGER NOT NULL,
    data_file_id INTEGER NOT NULL,
    path TEXT NOT NULL,
    path_is_relative INTEGER NOT NULL,
    format TEXT NOT NULL,
    delete_count INTEGER NOT NULL,
    file_size_bytes INTEGER NOT NULL,
    footer_size INTEGER,
    encryption_key TEXT,
    partial_max INTEGER,
    read_upto INTEGER,
    PRIMARY KEY (catalog_id, row_uid)
) WITHOUT ROWID;
CREATE INDEX forklake_delete_file_scan_idx ON forklake_ducklake_delete_file (catalog_id, table_id, end_snapshot, begin_snapshot);
CREATE INDEX forklake_delete_file_data_idx ON forklake_ducklake_delete_file (catalog_id, data_file_id);

CREATE TABLE forklake_ducklake_file_column_stats (
    catalog_id INTEGER NOT NULL,
    data_file_id INTEGER NOT NULL,
    table_id INTEGER NOT NULL,
    column_id INTEGER NOT NULL,
    column_size_bytes INTEGER,
    value_count INTEGER,
    null_count INTEGER,
    min_value TEXT,
    max_value TEXT,
    contains_nan INTEGER,
    extra_stats TEXT,
    PRIMARY KEY (catalog_id, data_file_id, column_id)
) WITHOUT ROWID;

CREATE TABLE forklake_ducklake_file_variant_stats (
    catalog_id INTEGER NOT NULL,
    data_file_id INTEGER NOT NULL,
    table_id INTEGER NOT NULL,
    column_id INTEGER NOT NULL,
    variant_path TEXT NOT NULL,
    shredded_type TEXT,
    column_size_bytes INTEGER,
    value_count INTEGER,
    null_count INTEGER,
    min_value TEXT,
    max_value TEXT,
    contains_nan INTEGER,
    extra_stats TEXT,
    PRIMARY KEY (catalog_id, data_file_id, column_id, variant_path)
) WITHOUT ROWID;

CREATE TABLE forklake_ducklake_file_partition_value (
    catalog_id INTEGER NOT NULL,
    data_file_id INTEGER NOT NULL,
    table_id INTEGER NOT NULL,
    partition_key_index INTEGER NOT NULL,
    partition_value TEXT,
    PRIMARY KEY (catalog_id, data_file_id, partition_key_index)
) WITHOUT ROWID;

CREATE TABLE forklake_ducklake_column_mapping (
    catalog_id INTEGER NOT NULL,
    mapping_id INTEGER NOT NULL,
    table_id INTEGER NOT NULL,
    type TEXT NOT NULL,
    PRIMARY KEY (catalog_id, mapping_id)
) WITHOUT ROWID;

CREATE TABLE forklake_ducklake_name_mapping (
    catalog_id INTEGER NOT NULL,
    mapping_id INTEGER NOT NULL,
    column_id INTEGER NOT NULL,
    source_name TEXT NOT NULL,
    target_field_id INTEGER NOT NULL,
    parent_column INTEGER,
    is_partition INTEGER NOT NULL,
    PRIMARY KEY (catalog_id, mapping_id, column_id)
) WITHOUT ROWID;

-- path is absolute; one row per file that awaits its grace period.
CREATE TABLE forklake_ducklake_files_scheduled_for_deletion (
    catalog_id INTEGER NOT NULL,
    data_file_id INTEGER NOT NULL,
    path TEXT NOT NULL,
    path_is_relative INTEGER NOT NULL,
    schedule_start TEXT NOT NULL,
    PRIMARY KEY (catalog_id, path)
) WITHOUT ROWID;

-- Statistics: the newest row of the nearest owner counts

CREATE TABLE forklake_ducklake_table_stats (
    catalog_id INTEGER NOT NULL,
    table_id INTEGER NOT NULL,
    begin_snapshot INTEGER NOT NULL,
    record_count INTEGER NOT NULL,
    next_row_id INTEGER NOT NULL,
    file_size_bytes INTEGER NOT NULL,
    next_column_id INTEGER NOT NULL,
    PRIMARY KEY (catalog_id, table_id, begin_snapshot)
) WITHOUT ROWID;

-- The columns of a table are written as one set.
CREATE TABLE forklake_ducklake_table_column_stats (
    catalog_id INTEGER NOT NULL,
    table_id INTEGER NOT NULL,
    begin_snapshot INTEGER NOT NULL,
    column_id INTEGER NOT NULL,
    contains_null INTEGER,
    contains_nan INTEGER,
    min_value TEXT,
    max_value TEXT,
    extra_stats TEXT,
    PRIMARY KEY (catalog_id, table_id, begin_snapshot, column_id)
) WITHOUT ROWID;

-- Inlined rows: one shared table for all tables of all catalogs

-- document holds the values by column id, in exact text encodings.
CREATE TABLE forklake_ducklake_inlined_row (
    catalog_id INTEGER NOT NULL,
    row_uid INTEGER NOT NULL,
    begin_snapshot INTEGER NOT NULL,
    end_snapshot INTEGER NOT NULL DEFAULT 9223372036854775807,
    table_id INTEGER NOT NULL,
    row_id INTEGER NOT NULL,
    schema_version INTEGER NOT NULL,
    document TEXT NOT NULL,
    PRIMARY KEY (catalog_id, row_uid)
) WITHOUT ROWID;
CREATE INDEX forklake_inlined_row_scan_idx ON forklake_ducklake_inlined_row (catalog_id, table_id, end_snapshot, begin_snapshot);

CREATE TABLE forklake_ducklake_inlined_delete (
    catalog_id INTEGER NOT NULL,
    row_uid INTEGER NOT NULL,
    begin_snapshot INTEGER NOT NULL,
    end_snapshot INTEGER NOT NULL DEFAULT 9223372036854775807,
    table_id INTEGER NOT NULL,
    data_file_id INTEGER NOT NULL,
    row_id INTEGER NOT NULL,
    PRIMARY KEY (catalog_id, row_uid)
) WITHOUT ROWID;
CREATE INDEX forklake_inlined_delete_scan_idx ON forklake_ducklake_inlined_delete (catalog_id, table_id, end_snapshot, begin_snapshot);

INSERT INTO forklake_ducklake_metadata (catalog_id, key, value) VALUES
    (-1, 'version', '1.0'),
    (-1, 'forklake_version', '1'),
    (-1, 'created_by', 'forklake'),
    (-1, 'encrypted', 'false');
