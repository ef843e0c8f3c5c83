-- The metadata of a lake in a DuckDB file. The same tables as in postgresql.sql, which holds the comments that matter
-- to both. No secondary indexes: DuckDB checks unique ones against rows that the same transaction has already ended,
-- and scans of a single user's metadata need none. Times are UTC.

CREATE SCHEMA forklake;

CREATE SEQUENCE forklake.ducklake_catalog_id_seq MINVALUE 0 START WITH 0;  -- catalogs
CREATE SEQUENCE forklake.ducklake_object_id_seq MINVALUE 0 START WITH 0;  -- schemas, tables, views, macros, partition and sort specifications
CREATE SEQUENCE forklake.ducklake_file_id_seq MINVALUE 0 START WITH 0;  -- data files, delete files, name mappings
CREATE SEQUENCE forklake.ducklake_snapshot_id_seq MINVALUE 0 START WITH 0;  -- snapshots and changes of the catalog list
CREATE SEQUENCE forklake.ducklake_row_uid_seq MINVALUE 0 START WITH 0;  -- versioned rows

-- Catalogs, heads and ancestry

-- One row per version of a catalog: rename, drop and undrop end a row. The directory is chosen once and never
-- moves; the row of a purged catalog stays, so that its directory is never given to another.
CREATE TABLE forklake.ducklake_catalog (
    catalog_id bigint NOT NULL,
    catalog_uuid uuid NOT NULL,
    catalog_name varchar NOT NULL,
    parent_catalog_id bigint,
    parent_snapshot_id bigint,
    data_path varchar,
    path varchar NOT NULL,
    path_is_relative boolean NOT NULL,
    begin_snapshot bigint NOT NULL,
    end_snapshot bigint NOT NULL DEFAULT 9223372036854775807,
    begin_time timestamp NOT NULL,
    end_time timestamp,
    PRIMARY KEY (catalog_id, begin_snapshot)
);

-- The newest snapshot of each catalog. A commit is a compare-and-swap on this row; drop and undrop change "live".
-- Narrow, no other index, room for updates in place.
CREATE TABLE forklake.ducklake_head (
    catalog_id bigint NOT NULL,
    snapshot_id bigint NOT NULL,
    live boolean NOT NULL DEFAULT true,
    PRIMARY KEY (catalog_id)
);

-- Flattened ancestry of a fork, nearest first: it sees the rows of owner_id up to snapshot "upto". The catalog itself
-- (depth 0, no limit) is implied.
CREATE TABLE forklake.ducklake_segment (
    catalog_id bigint NOT NULL,
    depth smallint NOT NULL,
    owner_id bigint NOT NULL,
    upto bigint NOT NULL,
    PRIMARY KEY (catalog_id, depth)
);

-- A row of an ancestor that this catalog no longer shows, from snapshot_id on. scope_id is the table of the row, or 0.
CREATE TABLE forklake.ducklake_tombstone (
    catalog_id bigint NOT NULL,
    scope_id bigint NOT NULL,
    row_uid bigint NOT NULL,
    snapshot_id bigint NOT NULL,
    PRIMARY KEY (catalog_id, scope_id, row_uid)
);

-- Snapshots

-- One row per commit. Ids come from one sequence for the whole database: unique everywhere, growing within a catalog.
CREATE TABLE forklake.ducklake_snapshot (
    catalog_id bigint NOT NULL,
    snapshot_id bigint NOT NULL,
    snapshot_time timestamp NOT NULL,
    schema_version bigint NOT NULL,
    PRIMARY KEY (catalog_id, snapshot_id)
);

-- What the commit did, in DuckLake's grammar, and what its author said.
CREATE TABLE forklake.ducklake_snapshot_changes (
    catalog_id bigint NOT NULL,
    snapshot_id bigint NOT NULL,
    changes_made varchar NOT NULL,
    author varchar,
    commit_message varchar,
    commit_extra_info varchar,
    PRIMARY KEY (catalog_id, snapshot_id)
);

-- The order of a catalog's own snapshots, and the keys that make commits idempotent. Outlives expired snapshots.
CREATE TABLE forklake.ducklake_snapshot_lineage (
    catalog_id bigint NOT NULL,
    snapshot_id bigint NOT NULL,
    previous_snapshot_id bigint,
    commit_key varchar,
    PRIMARY KEY (catalog_id, snapshot_id)
);

-- The schema versions of each table.
CREATE TABLE forklake.ducklake_schema_versions (
    catalog_id bigint NOT NULL,
    begin_snapshot bigint NOT NULL,
    schema_version bigint NOT NULL,
    table_id bigint NOT NULL,
    PRIMARY KEY (catalog_id, begin_snapshot, table_id)
);

-- Options

-- Options. catalog_id -1 is the whole lake; scope is '' (the catalog), 'schema' or 'table', scope_id the object.
CREATE TABLE forklake.ducklake_metadata (
    catalog_id bigint NOT NULL,
    key varchar NOT NULL,
    value varchar NOT NULL,
    scope varchar NOT NULL DEFAULT '',
    scope_id bigint NOT NULL DEFAULT -1,
    PRIMARY KEY (catalog_id, scope, scope_id, key)
);

-- Schemas, tables, columns

CREATE TABLE forklake.ducklake_schema (
    catalog_id bigint NOT NULL,
    row_uid bigint NOT NULL DEFAULT nextval('forklake.ducklake_row_uid_seq'),
    begin_snapshot bigint NOT NULL,
    end_snapshot bigint NOT NULL DEFAULT 9223372036854775807,
    schema_id bigint NOT NULL,
    schema_uuid uuid NOT NULL,
    schema_name varchar NOT NULL,
    path varchar NOT NULL,
    path_is_relative boolean NOT NULL,
    PRIMARY KEY (catalog_id, row_uid)
);

CREATE TABLE forklake.ducklake_table (
    catalog_id bigint NOT NULL,
    row_uid bigint NOT NULL DEFAULT nextval('forklake.ducklake_row_uid_seq'),
    begin_snapshot bigint NOT NULL,
    end_snapshot bigint NOT NULL DEFAULT 9223372036854775807,
    table_id bigint NOT NULL,
    table_uuid uuid NOT NULL,
    schema_id bigint NOT NULL,
    table_name varchar NOT NULL,
    path varchar NOT NULL,
    path_is_relative boolean NOT NULL,
    PRIMARY KEY (catalog_id, row_uid)
);

-- Nested fields are columns with a parent_column; ids are never reused within a table.
CREATE TABLE forklake.ducklake_column (
    catalog_id bigint NOT NULL,
    row_uid bigint NOT NULL DEFAULT nextval('forklake.ducklake_row_uid_seq'),
    begin_snapshot bigint NOT NULL,
    end_snapshot bigint NOT NULL DEFAULT 9223372036854775807,
    column_id bigint NOT NULL,
    table_id bigint NOT NULL,
    column_order bigint NOT NULL,
    column_name varchar NOT NULL,
    column_type varchar NOT NULL,
    initial_default varchar,
    default_value varchar,
    nulls_allowed boolean NOT NULL,
    parent_column bigint,
    default_value_type varchar,
    default_value_dialect varchar,
    PRIMARY KEY (catalog_id, row_uid)
);

CREATE TABLE forklake.ducklake_view (
    catalog_id bigint NOT NULL,
    row_uid bigint NOT NULL DEFAULT nextval('forklake.ducklake_row_uid_seq'),
    begin_snapshot bigint NOT NULL,
    end_snapshot bigint NOT NULL DEFAULT 9223372036854775807,
    view_id bigint NOT NULL,
    view_uuid uuid NOT NULL,
    schema_id bigint NOT NULL,
    view_name varchar NOT NULL,
    dialect varchar NOT NULL,
    sql varchar NOT NULL,
    column_aliases varchar,
    PRIMARY KEY (catalog_id, row_uid)
);

CREATE TABLE forklake.ducklake_macro (
    catalog_id bigint NOT NULL,
    row_uid bigint NOT NULL DEFAULT nextval('forklake.ducklake_row_uid_seq'),
    begin_snapshot bigint NOT NULL,
    end_snapshot bigint NOT NULL DEFAULT 9223372036854775807,
    schema_id bigint NOT NULL,
    macro_id bigint NOT NULL,
    macro_name varchar NOT NULL,
    PRIMARY KEY (catalog_id, row_uid)
);

CREATE TABLE forklake.ducklake_macro_impl (
    catalog_id bigint NOT NULL,
    macro_id bigint NOT NULL,
    impl_id bigint NOT NULL,
    dialect varchar NOT NULL,
    sql varchar NOT NULL,
    type varchar NOT NULL,
    PRIMARY KEY (catalog_id, macro_id, impl_id)
);

CREATE TABLE forklake.ducklake_macro_parameters (
    catalog_id bigint NOT NULL,
    macro_id bigint NOT NULL,
    impl_id bigint NOT NULL,
    column_id bigint NOT NULL,
    parameter_name varchar NOT NULL,
    parameter_type varchar,
    default_value varchar,
    default_value_type varchar,
    PRIMARY KEY (catalog_id, macro_id, impl_id, column_id)
);

CREATE TABLE forklake.ducklake_tag (
    catalog_id bigint NOT NULL,
    row_uid bigint NOT NULL DEFAULT nextval('forklake.ducklake_row_uid_seq'),
    begin_snapshot bigint NOT NULL,
    end_snapshot bigint NOT NULL DEFAULT 9223372036854775807,
    object_id bigint NOT NULL,
    key varchar NOT NULL,
    value varchar,
    PRIMARY KEY (catalog_id, row_uid)
);

CREATE TABLE forklake.ducklake_column_tag (
    catalog_id bigint NOT NULL,
    row_uid bigint NOT NULL DEFAULT nextval('forklake.ducklake_row_uid_seq'),
    begin_snapshot bigint NOT NULL,
    end_snapshot bigint NOT NULL DEFAULT 9223372036854775807,
    table_id bigint NOT NULL,
    column_id bigint NOT NULL,
    key varchar NOT NULL,
    value varchar,
    PRIMARY KEY (catalog_id, row_uid)
);

CREATE TABLE forklake.ducklake_view_column_tag (
    catalog_id bigint NOT NULL,
    row_uid bigint NOT NULL DEFAULT nextval('forklake.ducklake_row_uid_seq'),
    begin_snapshot bigint NOT NULL,
    end_snapshot bigint NOT NULL DEFAULT 9223372036854775807,
    view_id bigint NOT NULL,
    column_name varchar NOT NULL,
    key varchar NOT NULL,
    value varchar,
    PRIMARY KEY (catalog_id, row_uid)
);

CREATE TABLE forklake.ducklake_partition_info (
    catalog_id bigint NOT NULL,
    row_uid bigint NOT NULL DEFAULT nextval('forklake.ducklake_row_uid_seq'),
    begin_snapshot bigint NOT NULL,
    end_snapshot bigint NOT NULL DEFAULT 9223372036854775807,
    partition_id bigint NOT NULL,
    table_id bigint NOT NULL,
    PRIMARY KEY (catalog_id, row_uid)
);

CREATE TABLE forklake.ducklake_partition_column (
    catalog_id bigint NOT NULL,
    partition_id bigint NOT NULL,
    table_id bigint NOT NULL,
    partition_key_index bigint NOT NULL,
    column_id bigint NOT NULL,
    transform varchar NOT NULL,
    PRIMARY KEY (catalog_id, partition_id, partition_key_index)
);

CREATE TABLE forklake.ducklake_sort_info (
    catalog_id bigint NOT NULL,
    row_uid bigint NOT NULL DEFAULT nextval('forklake.ducklake_row_uid_seq'),
    begin_snapshot bigint NOT NULL,
    end_snapshot bigint NOT NULL DEFAULT 9223372036854775807,
    sort_id bigint NOT NULL,
    table_id bigint NOT NULL,
    PRIMARY KEY (catalog_id, row_uid)
);

CREATE TABLE forklake.ducklake_sort_expression (
    catalog_id bigint NOT NULL,
    sort_id bigint NOT NULL,
    table_id bigint NOT NULL,
    sort_key_index bigint NOT NULL,
    expression varchar NOT NULL,
    dialect varchar NOT NULL,
    sort_direction varchar NOT NULL,
    null_order varchar NOT NULL,
    PRIMARY KEY (catalog_id, sort_id, sort_key_index)
);

-- Files

-- read_upto: a copied row of a merged file keeps the bound it was read with.
CREATE TABLE forklake.ducklake_data_file (
    catalog_id bigint NOT NULL,
    row_uid bigint NOT NULL DEFAULT nextval('forklake.ducklake_row_uid_seq'),
    begin_snapshot bigint NOT NULL,
    end_snapshot bigint NOT NULL DEFAULT 9223372036854775807,
    data_file_id bigint NOT NULL,
    table_id bigint NOT NULL,
    file_order bigint,
    path varchar NOT NULL,
    path_is_relative boolean NOT NULL,
    file_format varchar NOT NULL,
    record_count bigint NOT NULL,
    file_size_bytes bigint NOT NULL,
    footer_size bigint,
    row_id_start bigint,
    partition_id bigint,
    encryption_key varchar,
    mapping_id bigint,
    partial_max bigint,
    read_upto bigint,
    PRIMARY KEY (catalog_id, row_uid)
);

CREATE TABLE forklake.ducklake_delete_file (
    catalog_id bigint NOT NULL,
    row_uid bigint NOT NULL DEFAULT nextval('forklake.ducklake_row_uid_seq'),
    begin_snapshot bigint NOT NULL,
    end_snapshot bigint NOT NULL DEFAULT 9223372036854775807,
    delete_file_id bigint NOT NULL,
    table_id bigint NOT NULL,
    data_file_id bigint NOT NULL,
    path varchar NOT NULL,
    path_is_relative boolean NOT NULL,
    format varchar NOT NULL,
    delete_count bigint NOT NULL,
    file_size_bytes bigint NOT NULL,
    footer_size bigint,
    encryption_key varchar,
    partial_max bigint,
    read_upto bigint,
    PRIMARY KEY (catalog_id, row_uid)
);

CREATE TABLE forklake.ducklake_file_column_stats (
    catalog_id bigint NOT NULL,
    data_file_id bigint NOT NULL,
    table_id bigint NOT NULL,
    column_id bigint NOT NULL,
    column_size_bytes bigint,
    value_count bigint,
    null_count bigint,
    min_value varchar,
    max_value varchar,
    contains_nan boolean,
    extra_stats varchar,
    PRIMARY KEY (catalog_id, data_file_id, column_id)
);

CREATE TABLE forklake.ducklake_file_variant_stats (
    catalog_id bigint NOT NULL,
    data_file_id bigint NOT NULL,
    table_id bigint NOT NULL,
    column_id bigint NOT NULL,
    variant_path varchar NOT NULL,
    shredded_type varchar,
    column_size_bytes bigint,
    value_count bigint,
    null_count bigint,
    min_value varchar,
    max_value varchar,
    contains_nan boolean,
    extra_stats varchar,
    PRIMARY KEY (catalog_id, data_file_id, column_id, variant_path)
);

CREATE TABLE forklake.ducklake_file_partition_value (
    catalog_id bigint NOT NULL,
    data_file_id bigint NOT NULL,
    table_id bigint NOT NULL,
    partition_key_index bigint NOT NULL,
    partition_value varchar,
    PRIMARY KEY (catalog_id, data_file_id, partition_key_index)
);

CREATE TABLE forklake.ducklake_column_mapping (
    catalog_id bigint NOT NULL,
    mapping_id bigint NOT NULL,
    table_id bigint NOT NULL,
    type varchar NOT NULL,
    PRIMARY KEY (catalog_id, mapping_id)
);

CREATE TABLE forklake.ducklake_name_mapping (
    catalog_id bigint NOT NULL,
    mapping_id bigint NOT NULL,
    column_id bigint NOT NULL,
    source_name varchar NOT NULL,
    target_field_id bigint NOT NULL,
    parent_column bigint,
    is_partition boolean NOT NULL,
    PRIMARY KEY (catalog_id, mapping_id, column_id)
);

-- path is absolute; one row per file that awaits its grace period.
CREATE TABLE forklake.ducklake_files_scheduled_for_deletion (
    catalog_id bigint NOT NULL,
    data_file_id bigint NOT NULL,
    path varchar NOT NULL,
    path_is_relative boolean NOT NULL,
    schedule_start timestamp NOT NULL,
    PRIMARY KEY (catalog_id, path)
);

-- Statistics: the newest row of the nearest owner counts

CREATE TABLE forklake.ducklake_table_stats (
    catalog_id bigint NOT NULL,
    table_id bigint NOT NULL,
    begin_snapshot bigint NOT NULL,
    record_count bigint NOT NULL,
    next_row_id bigint NOT NULL,
    file_size_bytes bigint NOT NULL,
    next_column_id bigint NOT NULL,
    PRIMARY KEY (catalog_id, table_id, begin_snapshot)
);

-- The columns of a table are written as one set.
CREATE TABLE forklake.ducklake_table_column_stats (
    catalog_id bigint NOT NULL,
    table_id bigint NOT NULL,
    begin_snapshot bigint NOT NULL,
    column_id bigint NOT NULL,
    contains_null boolean,
    contains_nan boolean,
    min_value varchar,
    max_value varchar,
    extra_stats varchar,
    PRIMARY KEY (catalog_id, table_id, begin_snapshot, column_id)
);

-- Inlined rows: one shared table for all tables of all catalogs

-- document holds the values by column id, in exact text encodings.
CREATE TABLE forklake.ducklake_inlined_row (
    catalog_id bigint NOT NULL,
    row_uid bigint NOT NULL DEFAULT nextval('forklake.ducklake_row_uid_seq'),
    begin_snapshot bigint NOT NULL,
    end_snapshot bigint NOT NULL DEFAULT 9223372036854775807,
    table_id bigint NOT NULL,
    row_id bigint NOT NULL,
    schema_version bigint NOT NULL,
    document varchar NOT NULL,
    PRIMARY KEY (catalog_id, row_uid)
);

CREATE TABLE forklake.ducklake_inlined_delete (
    catalog_id bigint NOT NULL,
    row_uid bigint NOT NULL DEFAULT nextval('forklake.ducklake_row_uid_seq'),
    begin_snapshot bigint NOT NULL,
    end_snapshot bigint NOT NULL DEFAULT 9223372036854775807,
    table_id bigint NOT NULL,
    data_file_id bigint NOT NULL,
    row_id bigint NOT NULL,
    PRIMARY KEY (catalog_id, row_uid)
);

INSERT INTO forklake.ducklake_metadata (catalog_id, key, value) VALUES
    (-1, 'version', '1.0'),
    (-1, 'forklake_version', '1'),
    (-1, 'created_by', 'forklake'),
    (-1, 'encrypted', 'false');
