-- The metadata of a lake in PostgreSQL: everything forklake needs, in one file.
--
--     psql -d mydb -v ON_ERROR_STOP=1 -f postgresql.sql
--
-- Tables are DuckLake 1.0's with catalog_id on every row, DuckLake 1.1's ducklake_view_column_tag, and fifteen of
-- our own: ducklake_catalog, ducklake_head, ducklake_segment, ducklake_tombstone, ducklake_snapshot_lineage,
-- ducklake_merge, ducklake_snapshot_tag, ducklake_numbering, ducklake_lifetime, ducklake_quota,
-- ducklake_catalog_label, ducklake_lease, ducklake_due, ducklake_inlined_row, ducklake_inlined_delete.
-- docs/spec/metadata.md tells which rows a catalog sees. A versioned row lives from begin_snapshot until before
-- end_snapshot; 9223372036854775807 means it is live.
--
-- Written by `python -m forklake.metastore.schema` from the description beside it: change that.

BEGIN;

CREATE SCHEMA forklake;

CREATE SEQUENCE forklake.ducklake_catalog_id_seq MINVALUE 0 START WITH 12;  -- catalogs
CREATE SEQUENCE forklake.ducklake_object_id_seq MINVALUE 0 START WITH 19;  -- schemas, tables, views, macros, partition and sort specifications
CREATE SEQUENCE forklake.ducklake_file_id_seq MINVALUE 0 START WITH 11;  -- data files, delete files, name mappings
CREATE SEQUENCE forklake.ducklake_snapshot_id_seq MINVALUE 0 START WITH 47;  -- snapshots and changes of the catalog list
CREATE SEQUENCE forklake.ducklake_row_uid_seq MINVALUE 0 START WITH 115;  -- versioned rows
CREATE SEQUENCE forklake.ducklake_column_id_seq MINVALUE 0 START WITH 1048576;  -- columns that a fork adds

-- Catalogs, heads and ancestry

-- One row per version of a catalog: rename, drop and undrop end a row. The directory is chosen once and never moves;
-- the row of a purged catalog stays, so that its directory is never given to another.
CREATE TABLE forklake.ducklake_catalog (
    catalog_id bigint NOT NULL,
    catalog_uuid uuid NOT NULL,
    catalog_name varchar NOT NULL,
    parent_catalog_id bigint,  -- what it was forked or copied from; kept by detach
    parent_snapshot_id bigint,  -- the pin
    data_path varchar,  -- its own base path, or NULL: the lake's
    path varchar NOT NULL,  -- its directory
    path_is_relative boolean NOT NULL,  -- to the lake's data path
    begin_snapshot bigint NOT NULL,  -- of the sequence of snapshots, as end_snapshot is
    end_snapshot bigint NOT NULL DEFAULT 9223372036854775807,
    begin_time timestamptz NOT NULL,
    end_time timestamptz,
    PRIMARY KEY (catalog_id, begin_snapshot)
);
CREATE UNIQUE INDEX catalog_name_idx ON forklake.ducklake_catalog ((lower(catalog_name COLLATE "C")), end_snapshot);
CREATE INDEX catalog_directory_idx ON forklake.ducklake_catalog ((lower(path COLLATE "C")));
CREATE INDEX catalog_parent_idx ON forklake.ducklake_catalog (parent_catalog_id, end_snapshot, catalog_id);

-- The newest snapshot of each catalog. A commit is a compare-and-swap on this row; drop and undrop change live. Narrow,
-- no other index, room for updates in place.
CREATE TABLE forklake.ducklake_head (
    catalog_id bigint NOT NULL,
    snapshot_id bigint NOT NULL,
    live boolean NOT NULL DEFAULT true,  -- false while it is dropped
    own_files bigint NOT NULL DEFAULT 0,  -- how many live data and delete files it has rows of its own for
    own_bytes bigint NOT NULL DEFAULT 0,  -- how many bytes those have
    PRIMARY KEY (catalog_id)
) WITH (fillfactor = 60);

-- Flattened ancestry of a fork, nearest first. The catalog itself (depth 0, no limit) is implied. A refresh begins an
-- epoch: its snapshots see another chain than those before.
CREATE TABLE forklake.ducklake_segment (
    catalog_id bigint NOT NULL,
    since bigint NOT NULL DEFAULT 0,  -- the first snapshot of the epoch
    until bigint NOT NULL DEFAULT 9223372036854775807,  -- the first snapshot of the next epoch; 9223372036854775807: it is the last
    depth smallint NOT NULL,  -- 1 is the nearest
    owner_id bigint NOT NULL,  -- the ancestor whose rows it sees
    upto bigint NOT NULL,  -- up to and including this snapshot
    versions_from bigint NOT NULL DEFAULT 0,  -- its snapshots since this one are versions of the catalog; 9223372036854775807: none
    PRIMARY KEY (catalog_id, since, depth)
);
CREATE INDEX segment_pin_idx ON forklake.ducklake_segment (owner_id, upto);

-- A row of an ancestor that this catalog no longer shows.
CREATE TABLE forklake.ducklake_tombstone (
    catalog_id bigint NOT NULL,
    scope_id bigint NOT NULL,  -- the table that the row belongs to, or 0
    row_uid bigint NOT NULL,  -- the row
    snapshot_id bigint NOT NULL,  -- from when on it is hidden
    PRIMARY KEY (catalog_id, scope_id, row_uid)
);
CREATE INDEX tombstone_row_idx ON forklake.ducklake_tombstone (row_uid);

-- Snapshots

-- One row per commit. Ids come from one sequence for the whole database: unique everywhere, growing within a catalog.
CREATE TABLE forklake.ducklake_snapshot (
    catalog_id bigint NOT NULL,
    snapshot_id bigint NOT NULL,
    snapshot_time timestamptz NOT NULL,
    schema_version bigint NOT NULL,
    PRIMARY KEY (catalog_id, snapshot_id)
);
CREATE INDEX snapshot_lake_idx ON forklake.ducklake_snapshot (snapshot_id);

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
    previous_snapshot_id bigint,  -- of a fork's first: the pin
    commit_key varchar,
    PRIMARY KEY (catalog_id, snapshot_id)
);
CREATE UNIQUE INDEX lineage_key_idx ON forklake.ducklake_snapshot_lineage (catalog_id, commit_key) WHERE commit_key IS NOT NULL;

-- What the snapshots of an imported catalog were numbered before: runs of snapshot_count snapshots, from snapshot_id
-- and source_snapshot_id on. Files merged before the import carry the old numbers; their rows name this catalog in
-- numbering_id, also where they were copied to another catalog. Outlives the catalog's snapshots.
CREATE TABLE forklake.ducklake_numbering (
    catalog_id bigint NOT NULL,
    snapshot_id bigint NOT NULL,
    source_snapshot_id bigint NOT NULL,
    snapshot_count bigint NOT NULL,
    PRIMARY KEY (catalog_id, snapshot_id)
);

-- The schema versions of each table: at which it was made, or its columns or partitioning changed.
CREATE TABLE forklake.ducklake_schema_versions (
    catalog_id bigint NOT NULL,
    begin_snapshot bigint NOT NULL,
    schema_version bigint NOT NULL,
    table_id bigint NOT NULL,
    PRIMARY KEY (catalog_id, begin_snapshot, table_id)
);

-- From begin_snapshot on the catalog contains another one, the source, up to one of its snapshots. Outlives both
-- snapshots, and the catalog while a fork of it is there.
CREATE TABLE forklake.ducklake_merge (
    catalog_id bigint NOT NULL,
    source_id bigint NOT NULL,  -- the catalog that it contains
    begin_snapshot bigint NOT NULL,
    source_snapshot_id bigint NOT NULL,  -- up to and including this snapshot
    kind varchar NOT NULL,  -- merge, refresh, reset; via: the source of one of those contained it; chain: a fork did
    may_return boolean NOT NULL,  -- whether the commit may have brought back what was gone
    PRIMARY KEY (catalog_id, source_id, begin_snapshot)
);
CREATE INDEX merge_source_idx ON forklake.ducklake_merge (source_id, source_snapshot_id);

-- A name of a snapshot, which keeps it from expiry.
CREATE TABLE forklake.ducklake_snapshot_tag (
    catalog_id bigint NOT NULL,
    tag_key varchar NOT NULL,  -- the name in lower case
    tag_name varchar NOT NULL,  -- the name
    snapshot_id bigint NOT NULL,
    created_at timestamptz NOT NULL,  -- when it was set
    keep_until timestamptz,  -- from then on it does not keep the snapshot; NULL: it always does
    message varchar,  -- why
    PRIMARY KEY (catalog_id, tag_key)
);
CREATE INDEX snapshot_tag_idx ON forklake.ducklake_snapshot_tag (catalog_id, snapshot_id);

-- Options, lifetimes, quotas and labels

-- Options. catalog_id -1 is the whole lake.
CREATE TABLE forklake.ducklake_metadata (
    catalog_id bigint NOT NULL,
    key varchar NOT NULL,
    value varchar NOT NULL,
    scope varchar NOT NULL DEFAULT '',  -- '' (the catalog), 'schema' or 'table'
    scope_id bigint NOT NULL DEFAULT -1,  -- the schema or table
    PRIMARY KEY (catalog_id, scope, scope_id, key)
);

-- When a catalog ends of itself: from then on it refuses commits and forks, and it is dropped by the next reap.
CREATE TABLE forklake.ducklake_lifetime (
    catalog_id bigint NOT NULL,
    expires_at timestamptz NOT NULL,  -- when it ends
    renew_seconds bigint,  -- each commit moves the end to so many seconds after it
    purge_after_seconds bigint,  -- so long after it was dropped it is purged; NULL: never of itself
    PRIMARY KEY (catalog_id)
) WITH (fillfactor = 60);
CREATE INDEX lifetime_end_idx ON forklake.ducklake_lifetime (expires_at);

-- What a catalog may hold. NULL: any number.
CREATE TABLE forklake.ducklake_quota (
    catalog_id bigint NOT NULL,
    max_bytes bigint,  -- of files
    max_files bigint,  -- data and delete files
    max_forks bigint,  -- that live
    max_depth bigint,  -- of forks of forks
    subtree boolean NOT NULL,  -- whether its forks, and theirs, count with it
    PRIMARY KEY (catalog_id)
) WITH (fillfactor = 60);

-- A label of a catalog, for whoever looks for catalogs.
CREATE TABLE forklake.ducklake_catalog_label (
    catalog_id bigint NOT NULL,
    key varchar NOT NULL,
    value varchar NOT NULL,
    PRIMARY KEY (catalog_id, key)
);
CREATE INDEX catalog_label_idx ON forklake.ducklake_catalog_label (key, value);

-- Writers, and what awaits collection

-- A writer that may have written files which no row names yet. Its commit deletes the row, or is refused if it is gone.
CREATE TABLE forklake.ducklake_lease (
    catalog_id bigint NOT NULL,
    lease_id varchar NOT NULL,
    begin_time timestamptz NOT NULL,  -- before its first file
    end_time timestamptz NOT NULL,  -- from then on its files are anybody's to delete
    PRIMARY KEY (catalog_id, lease_id)
);

-- A catalog some of whose rows nothing may need any more, since snapshots or forks that saw them are gone.
CREATE TABLE forklake.ducklake_due (
    catalog_id bigint NOT NULL,
    due_time timestamptz NOT NULL,  -- since when
    PRIMARY KEY (catalog_id)
);
CREATE INDEX due_time_idx ON forklake.ducklake_due (due_time);

-- Schemas, tables, columns

-- A schema: a namespace of tables, views and macros.
CREATE TABLE forklake.ducklake_schema (
    catalog_id bigint NOT NULL,
    row_uid bigint NOT NULL DEFAULT nextval('forklake.ducklake_row_uid_seq'),
    begin_snapshot bigint NOT NULL,
    end_snapshot bigint NOT NULL DEFAULT 9223372036854775807,
    schema_id bigint NOT NULL,
    schema_uuid uuid NOT NULL,
    schema_name varchar NOT NULL,
    path varchar NOT NULL,
    path_is_relative boolean NOT NULL,  -- to the catalog's directory
    PRIMARY KEY (catalog_id, row_uid)
);
CREATE INDEX schema_scan_idx ON forklake.ducklake_schema (catalog_id, schema_id, end_snapshot, begin_snapshot);
CREATE UNIQUE INDEX schema_name_idx ON forklake.ducklake_schema (catalog_id, (lower(schema_name COLLATE "C")), end_snapshot);
CREATE INDEX schema_path_idx ON forklake.ducklake_schema (path) WHERE NOT path_is_relative;
CREATE INDEX schema_id_idx ON forklake.ducklake_schema (schema_id);

-- A table. Its path never changes, whatever it is renamed to.
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
    path_is_relative boolean NOT NULL,  -- to the schema's directory
    PRIMARY KEY (catalog_id, row_uid)
);
CREATE INDEX table_scan_idx ON forklake.ducklake_table (catalog_id, table_id, end_snapshot, begin_snapshot);
CREATE UNIQUE INDEX table_name_idx ON forklake.ducklake_table (catalog_id, schema_id, (lower(table_name COLLATE "C")), end_snapshot);
CREATE INDEX table_path_idx ON forklake.ducklake_table (path) WHERE NOT path_is_relative;
CREATE INDEX table_id_idx ON forklake.ducklake_table (table_id);

-- A column, or a nested field of a column. Ids are never reused within a table.
CREATE TABLE forklake.ducklake_column (
    catalog_id bigint NOT NULL,
    row_uid bigint NOT NULL DEFAULT nextval('forklake.ducklake_row_uid_seq'),
    begin_snapshot bigint NOT NULL,
    end_snapshot bigint NOT NULL DEFAULT 9223372036854775807,
    column_id bigint NOT NULL,  -- counts from 1 within the table
    table_id bigint NOT NULL,
    column_order bigint NOT NULL,
    column_name varchar NOT NULL,
    column_type varchar NOT NULL,
    initial_default varchar,  -- what rows hold that were written before the column was added
    default_value varchar,
    nulls_allowed boolean NOT NULL,
    parent_column bigint,  -- the column that a nested field is part of
    default_value_type varchar,
    default_value_dialect varchar,
    PRIMARY KEY (catalog_id, row_uid)
);
CREATE INDEX column_scan_idx ON forklake.ducklake_column (catalog_id, table_id, end_snapshot, begin_snapshot);
CREATE UNIQUE INDEX column_name_idx ON forklake.ducklake_column (catalog_id, table_id, (coalesce(parent_column, -1)), (lower(column_name COLLATE "C")), end_snapshot);

-- A view: a query under a name.
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
CREATE INDEX view_scan_idx ON forklake.ducklake_view (catalog_id, view_id, end_snapshot, begin_snapshot);
CREATE UNIQUE INDEX view_name_idx ON forklake.ducklake_view (catalog_id, schema_id, (lower(view_name COLLATE "C")), end_snapshot);

-- A macro; its implementations are rows of their own.
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
CREATE INDEX macro_scan_idx ON forklake.ducklake_macro (catalog_id, macro_id, end_snapshot, begin_snapshot);
CREATE UNIQUE INDEX macro_name_idx ON forklake.ducklake_macro (catalog_id, schema_id, (lower(macro_name COLLATE "C")), end_snapshot);

-- One implementation of a macro.
CREATE TABLE forklake.ducklake_macro_impl (
    catalog_id bigint NOT NULL,
    macro_id bigint NOT NULL,
    impl_id bigint NOT NULL,
    dialect varchar NOT NULL,
    sql varchar NOT NULL,
    type varchar NOT NULL,  -- scalar or table
    PRIMARY KEY (catalog_id, macro_id, impl_id)
);

-- One parameter of one implementation of a macro.
CREATE TABLE forklake.ducklake_macro_parameters (
    catalog_id bigint NOT NULL,
    macro_id bigint NOT NULL,
    impl_id bigint NOT NULL,
    column_id bigint NOT NULL,  -- counts the parameters
    parameter_name varchar NOT NULL,
    parameter_type varchar,
    default_value varchar,
    default_value_type varchar,
    PRIMARY KEY (catalog_id, macro_id, impl_id, column_id)
);

-- A tag of a table or view; the key comment is its comment.
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
CREATE INDEX tag_scan_idx ON forklake.ducklake_tag (catalog_id, object_id, end_snapshot, begin_snapshot);

-- A tag of a column.
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
CREATE INDEX column_tag_scan_idx ON forklake.ducklake_column_tag (catalog_id, table_id, end_snapshot, begin_snapshot);

-- A tag of a column of a view, which has a name and no id.
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
CREATE INDEX view_column_tag_scan_idx ON forklake.ducklake_view_column_tag (catalog_id, view_id, end_snapshot, begin_snapshot);

-- How new files of a table are partitioned.
CREATE TABLE forklake.ducklake_partition_info (
    catalog_id bigint NOT NULL,
    row_uid bigint NOT NULL DEFAULT nextval('forklake.ducklake_row_uid_seq'),
    begin_snapshot bigint NOT NULL,
    end_snapshot bigint NOT NULL DEFAULT 9223372036854775807,
    partition_id bigint NOT NULL,
    table_id bigint NOT NULL,
    PRIMARY KEY (catalog_id, row_uid)
);
CREATE INDEX partition_info_scan_idx ON forklake.ducklake_partition_info (catalog_id, table_id, end_snapshot, begin_snapshot);

-- One key of a partitioning.
CREATE TABLE forklake.ducklake_partition_column (
    catalog_id bigint NOT NULL,
    partition_id bigint NOT NULL,
    table_id bigint NOT NULL,
    partition_key_index bigint NOT NULL,
    column_id bigint NOT NULL,
    transform varchar NOT NULL,
    PRIMARY KEY (catalog_id, partition_id, partition_key_index)
);

-- How new files of a table are sorted.
CREATE TABLE forklake.ducklake_sort_info (
    catalog_id bigint NOT NULL,
    row_uid bigint NOT NULL DEFAULT nextval('forklake.ducklake_row_uid_seq'),
    begin_snapshot bigint NOT NULL,
    end_snapshot bigint NOT NULL DEFAULT 9223372036854775807,
    sort_id bigint NOT NULL,
    table_id bigint NOT NULL,
    PRIMARY KEY (catalog_id, row_uid)
);
CREATE INDEX sort_info_scan_idx ON forklake.ducklake_sort_info (catalog_id, table_id, end_snapshot, begin_snapshot);

-- One key of a sort order.
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

-- A Parquet file with rows of a table.
CREATE TABLE forklake.ducklake_data_file (
    catalog_id bigint NOT NULL,
    row_uid bigint NOT NULL DEFAULT nextval('forklake.ducklake_row_uid_seq'),
    begin_snapshot bigint NOT NULL,
    end_snapshot bigint NOT NULL DEFAULT 9223372036854775807,
    data_file_id bigint NOT NULL,
    table_id bigint NOT NULL,
    file_order bigint,
    path varchar NOT NULL,
    path_is_relative boolean NOT NULL,  -- to the table's directory
    file_format varchar NOT NULL,
    record_count bigint NOT NULL,
    file_size_bytes bigint NOT NULL,
    footer_size bigint,
    row_id_start bigint,
    partition_id bigint,
    encryption_key varchar,  -- no view shows it
    mapping_id bigint,  -- how its columns are found, if not by field ids
    partial_max bigint,  -- of a merged file: the newest snapshot that it holds rows of
    read_upto bigint,  -- a copied row of a merged file keeps the bound it was read with
    numbering_id bigint,  -- the imported catalog whose old snapshot numbers it carries; NULL where they are ours
    origin_snapshot_id bigint,  -- the snapshot that first added it, in whichever catalog; NULL: begin_snapshot
    columns_known boolean NOT NULL DEFAULT true,  -- whether its columns are those of the table when it began; else its footer tells
    PRIMARY KEY (catalog_id, row_uid)
);
CREATE INDEX data_file_scan_idx ON forklake.ducklake_data_file (catalog_id, table_id, end_snapshot, begin_snapshot);
CREATE INDEX data_file_id_idx ON forklake.ducklake_data_file (catalog_id, data_file_id);
CREATE INDEX data_file_path_idx ON forklake.ducklake_data_file (path) WHERE NOT path_is_relative;

-- The positions of one data file that are deleted; at most one is live for a data file.
CREATE TABLE forklake.ducklake_delete_file (
    catalog_id bigint NOT NULL,
    row_uid bigint NOT NULL DEFAULT nextval('forklake.ducklake_row_uid_seq'),
    begin_snapshot bigint NOT NULL,
    end_snapshot bigint NOT NULL DEFAULT 9223372036854775807,
    delete_file_id bigint NOT NULL,
    table_id bigint NOT NULL,
    data_file_id bigint NOT NULL,
    path varchar NOT NULL,
    path_is_relative boolean NOT NULL,  -- to the table's directory
    format varchar NOT NULL,
    delete_count bigint NOT NULL,
    file_size_bytes bigint NOT NULL,
    footer_size bigint,
    encryption_key varchar,  -- no view shows it
    partial_max bigint,  -- as of data files, and so are the next two
    read_upto bigint,
    numbering_id bigint,
    PRIMARY KEY (catalog_id, row_uid)
);
CREATE INDEX delete_file_scan_idx ON forklake.ducklake_delete_file (catalog_id, table_id, end_snapshot, begin_snapshot);
CREATE INDEX delete_file_data_idx ON forklake.ducklake_delete_file (catalog_id, data_file_id);
CREATE INDEX delete_file_path_idx ON forklake.ducklake_delete_file (path) WHERE NOT path_is_relative;

-- Statistics of one column in one data file.
CREATE TABLE forklake.ducklake_file_column_stats (
    catalog_id bigint NOT NULL,
    data_file_id bigint NOT NULL,
    table_id bigint NOT NULL,
    column_id bigint NOT NULL,
    column_size_bytes bigint,
    value_count bigint,  -- counts what is not NULL
    null_count bigint,
    min_value varchar,
    max_value varchar,
    contains_nan boolean,
    extra_stats varchar,
    PRIMARY KEY (catalog_id, data_file_id, column_id)
);

-- Statistics of one shredded path of a variant column in one data file.
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

-- The value of one partition key, the same for all rows of a data file.
CREATE TABLE forklake.ducklake_file_partition_value (
    catalog_id bigint NOT NULL,
    data_file_id bigint NOT NULL,
    table_id bigint NOT NULL,
    partition_key_index bigint NOT NULL,
    partition_value varchar,
    PRIMARY KEY (catalog_id, data_file_id, partition_key_index)
);

-- How the columns of files without field ids are found. Many files share a mapping.
CREATE TABLE forklake.ducklake_column_mapping (
    catalog_id bigint NOT NULL,
    mapping_id bigint NOT NULL,
    table_id bigint NOT NULL,
    type varchar NOT NULL,
    PRIMARY KEY (catalog_id, mapping_id)
);

-- One column of a mapping by name.
CREATE TABLE forklake.ducklake_name_mapping (
    catalog_id bigint NOT NULL,
    mapping_id bigint NOT NULL,
    column_id bigint NOT NULL,  -- counts the columns of the mapping
    source_name varchar NOT NULL,
    target_field_id bigint NOT NULL,
    parent_column bigint,
    is_partition boolean NOT NULL,
    PRIMARY KEY (catalog_id, mapping_id, column_id)
);

-- A file that awaits its grace period.
CREATE TABLE forklake.ducklake_files_scheduled_for_deletion (
    catalog_id bigint NOT NULL,
    data_file_id bigint NOT NULL,
    path varchar NOT NULL,  -- absolute
    path_is_relative boolean NOT NULL,
    schedule_start timestamptz NOT NULL,
    PRIMARY KEY (catalog_id, path)
);

-- Statistics: the newest row of the nearest owner counts

-- Totals of a table.
CREATE TABLE forklake.ducklake_table_stats (
    catalog_id bigint NOT NULL,
    table_id bigint NOT NULL,
    begin_snapshot bigint NOT NULL,
    record_count bigint NOT NULL,  -- gross: deleted rows count until their file goes
    next_row_id bigint NOT NULL,
    file_size_bytes bigint NOT NULL,
    next_column_id bigint NOT NULL,
    PRIMARY KEY (catalog_id, table_id, begin_snapshot)
);
CREATE INDEX table_stats_begin_idx ON forklake.ducklake_table_stats (catalog_id, begin_snapshot);

-- What is known of the values of a column over all files; bounds are never narrowed. The columns of a table are written
-- as one set.
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

-- A row of a table that is kept in the metadata.
CREATE TABLE forklake.ducklake_inlined_row (
    catalog_id bigint NOT NULL,
    row_uid bigint NOT NULL DEFAULT nextval('forklake.ducklake_row_uid_seq'),
    begin_snapshot bigint NOT NULL,
    end_snapshot bigint NOT NULL DEFAULT 9223372036854775807,
    table_id bigint NOT NULL,
    row_id bigint NOT NULL,
    schema_version bigint NOT NULL,
    document varchar NOT NULL,  -- its values by column id, in exact text encodings
    origin_snapshot_id bigint,  -- the snapshot that first added it, in whichever catalog; NULL: begin_snapshot
    PRIMARY KEY (catalog_id, row_uid)
);
CREATE INDEX inlined_row_scan_idx ON forklake.ducklake_inlined_row (catalog_id, table_id, end_snapshot, begin_snapshot);

-- A deleted row of a data file, kept in the metadata.
CREATE TABLE forklake.ducklake_inlined_delete (
    catalog_id bigint NOT NULL,
    row_uid bigint NOT NULL DEFAULT nextval('forklake.ducklake_row_uid_seq'),
    begin_snapshot bigint NOT NULL,
    end_snapshot bigint NOT NULL DEFAULT 9223372036854775807,
    table_id bigint NOT NULL,
    data_file_id bigint NOT NULL,
    row_id bigint NOT NULL,  -- its position
    PRIMARY KEY (catalog_id, row_uid)
);
CREATE INDEX inlined_delete_scan_idx ON forklake.ducklake_inlined_delete (catalog_id, table_id, end_snapshot, begin_snapshot);
CREATE INDEX inlined_delete_data_idx ON forklake.ducklake_inlined_delete (catalog_id, data_file_id);

INSERT INTO forklake.ducklake_metadata (catalog_id, key, value) VALUES
    (-1, 'version', '1.0'),
    (-1, 'forklake_version', '3'),
    (-1, 'created_by', 'forklake'),
    (-1, 'encrypted', 'false');

-- What tables and columns mean

COMMENT ON TABLE forklake.ducklake_catalog IS 'One row per version of a catalog: rename, drop and undrop end a row. The directory is chosen once and never moves; the row of a purged catalog stays, so that its directory is never given to another.';
COMMENT ON COLUMN forklake.ducklake_catalog.catalog_id IS 'the catalog that the row belongs to';
COMMENT ON COLUMN forklake.ducklake_catalog.catalog_uuid IS 'what identifies it in every database';
COMMENT ON COLUMN forklake.ducklake_catalog.catalog_name IS 'its name';
COMMENT ON COLUMN forklake.ducklake_catalog.parent_catalog_id IS 'what it was forked or copied from; kept by detach';
COMMENT ON COLUMN forklake.ducklake_catalog.parent_snapshot_id IS 'the pin';
COMMENT ON COLUMN forklake.ducklake_catalog.data_path IS 'its own base path, or NULL: the lake''s';
COMMENT ON COLUMN forklake.ducklake_catalog.path IS 'its directory';
COMMENT ON COLUMN forklake.ducklake_catalog.path_is_relative IS 'to the lake''s data path';
COMMENT ON COLUMN forklake.ducklake_catalog.begin_snapshot IS 'of the sequence of snapshots, as end_snapshot is';
COMMENT ON COLUMN forklake.ducklake_catalog.end_snapshot IS 'the first snapshot that lacks the row; 9223372036854775807: it is live';
COMMENT ON COLUMN forklake.ducklake_catalog.begin_time IS 'when it began';
COMMENT ON COLUMN forklake.ducklake_catalog.end_time IS 'when it ended; NULL: not yet';

COMMENT ON TABLE forklake.ducklake_head IS 'The newest snapshot of each catalog. A commit is a compare-and-swap on this row; drop and undrop change live. Narrow, no other index, room for updates in place.';
COMMENT ON COLUMN forklake.ducklake_head.catalog_id IS 'the catalog that the row belongs to';
COMMENT ON COLUMN forklake.ducklake_head.snapshot_id IS 'the snapshot';
COMMENT ON COLUMN forklake.ducklake_head.live IS 'false while it is dropped';
COMMENT ON COLUMN forklake.ducklake_head.own_files IS 'how many live data and delete files it has rows of its own for';
COMMENT ON COLUMN forklake.ducklake_head.own_bytes IS 'how many bytes those have';

COMMENT ON TABLE forklake.ducklake_segment IS 'Flattened ancestry of a fork, nearest first. The catalog itself (depth 0, no limit) is implied. A refresh begins an epoch: its snapshots see another chain than those before.';
COMMENT ON COLUMN forklake.ducklake_segment.catalog_id IS 'the catalog that the row belongs to';
COMMENT ON COLUMN forklake.ducklake_segment.since IS 'the first snapshot of the epoch';
COMMENT ON COLUMN forklake.ducklake_segment.until IS 'the first snapshot of the next epoch; 9223372036854775807: it is the last';
COMMENT ON COLUMN forklake.ducklake_segment.depth IS '1 is the nearest';
COMMENT ON COLUMN forklake.ducklake_segment.owner_id IS 'the ancestor whose rows it sees';
COMMENT ON COLUMN forklake.ducklake_segment.upto IS 'up to and including this snapshot';
COMMENT ON COLUMN forklake.ducklake_segment.versions_from IS 'its snapshots since this one are versions of the catalog; 9223372036854775807: none';

COMMENT ON TABLE forklake.ducklake_tombstone IS 'A row of an ancestor that this catalog no longer shows.';
COMMENT ON COLUMN forklake.ducklake_tombstone.catalog_id IS 'the catalog that the row belongs to';
COMMENT ON COLUMN forklake.ducklake_tombstone.scope_id IS 'the table that the row belongs to, or 0';
COMMENT ON COLUMN forklake.ducklake_tombstone.row_uid IS 'the row';
COMMENT ON COLUMN forklake.ducklake_tombstone.snapshot_id IS 'from when on it is hidden';

COMMENT ON TABLE forklake.ducklake_snapshot IS 'One row per commit. Ids come from one sequence for the whole database: unique everywhere, growing within a catalog.';
COMMENT ON COLUMN forklake.ducklake_snapshot.catalog_id IS 'the catalog that the row belongs to';
COMMENT ON COLUMN forklake.ducklake_snapshot.snapshot_id IS 'the snapshot';
COMMENT ON COLUMN forklake.ducklake_snapshot.snapshot_time IS 'when it was committed';
COMMENT ON COLUMN forklake.ducklake_snapshot.schema_version IS 'which version of the catalog''s schema';

COMMENT ON TABLE forklake.ducklake_snapshot_changes IS 'What the commit did, in DuckLake''s grammar, and what its author said.';
COMMENT ON COLUMN forklake.ducklake_snapshot_changes.catalog_id IS 'the catalog that the row belongs to';
COMMENT ON COLUMN forklake.ducklake_snapshot_changes.snapshot_id IS 'the snapshot';
COMMENT ON COLUMN forklake.ducklake_snapshot_changes.changes_made IS 'what the commit did, in DuckLake''s grammar';
COMMENT ON COLUMN forklake.ducklake_snapshot_changes.author IS 'who committed';
COMMENT ON COLUMN forklake.ducklake_snapshot_changes.commit_message IS 'what the author said';
COMMENT ON COLUMN forklake.ducklake_snapshot_changes.commit_extra_info IS 'what else the author said';

COMMENT ON TABLE forklake.ducklake_snapshot_lineage IS 'The order of a catalog''s own snapshots, and the keys that make commits idempotent. Outlives expired snapshots.';
COMMENT ON COLUMN forklake.ducklake_snapshot_lineage.catalog_id IS 'the catalog that the row belongs to';
COMMENT ON COLUMN forklake.ducklake_snapshot_lineage.snapshot_id IS 'the snapshot';
COMMENT ON COLUMN forklake.ducklake_snapshot_lineage.previous_snapshot_id IS 'of a fork''s first: the pin';
COMMENT ON COLUMN forklake.ducklake_snapshot_lineage.commit_key IS 'what makes the commit happen once';

COMMENT ON TABLE forklake.ducklake_numbering IS 'What the snapshots of an imported catalog were numbered before: runs of snapshot_count snapshots, from snapshot_id and source_snapshot_id on. Files merged before the import carry the old numbers; their rows name this catalog in numbering_id, also where they were copied to another catalog. Outlives the catalog''s snapshots.';
COMMENT ON COLUMN forklake.ducklake_numbering.catalog_id IS 'the catalog that the row belongs to';
COMMENT ON COLUMN forklake.ducklake_numbering.snapshot_id IS 'the snapshot';
COMMENT ON COLUMN forklake.ducklake_numbering.source_snapshot_id IS 'the number that the first one had';
COMMENT ON COLUMN forklake.ducklake_numbering.snapshot_count IS 'how many there are';

COMMENT ON TABLE forklake.ducklake_schema_versions IS 'The schema versions of each table: at which it was made, or its columns or partitioning changed.';
COMMENT ON COLUMN forklake.ducklake_schema_versions.catalog_id IS 'the catalog that the row belongs to';
COMMENT ON COLUMN forklake.ducklake_schema_versions.begin_snapshot IS 'the first snapshot that has the row';
COMMENT ON COLUMN forklake.ducklake_schema_versions.schema_version IS 'which version of the catalog''s schema';
COMMENT ON COLUMN forklake.ducklake_schema_versions.table_id IS 'the table';

COMMENT ON TABLE forklake.ducklake_merge IS 'From begin_snapshot on the catalog contains another one, the source, up to one of its snapshots. Outlives both snapshots, and the catalog while a fork of it is there.';
COMMENT ON COLUMN forklake.ducklake_merge.catalog_id IS 'the catalog that the row belongs to';
COMMENT ON COLUMN forklake.ducklake_merge.source_id IS 'the catalog that it contains';
COMMENT ON COLUMN forklake.ducklake_merge.begin_snapshot IS 'the first snapshot that has the row';
COMMENT ON COLUMN forklake.ducklake_merge.source_snapshot_id IS 'up to and including this snapshot';
COMMENT ON COLUMN forklake.ducklake_merge.kind IS 'merge, refresh, reset; via: the source of one of those contained it; chain: a fork did';
COMMENT ON COLUMN forklake.ducklake_merge.may_return IS 'whether the commit may have brought back what was gone';

COMMENT ON TABLE forklake.ducklake_snapshot_tag IS 'A name of a snapshot, which keeps it from expiry.';
COMMENT ON COLUMN forklake.ducklake_snapshot_tag.catalog_id IS 'the catalog that the row belongs to';
COMMENT ON COLUMN forklake.ducklake_snapshot_tag.tag_key IS 'the name in lower case';
COMMENT ON COLUMN forklake.ducklake_snapshot_tag.tag_name IS 'the name';
COMMENT ON COLUMN forklake.ducklake_snapshot_tag.snapshot_id IS 'the snapshot';
COMMENT ON COLUMN forklake.ducklake_snapshot_tag.created_at IS 'when it was set';
COMMENT ON COLUMN forklake.ducklake_snapshot_tag.keep_until IS 'from then on it does not keep the snapshot; NULL: it always does';
COMMENT ON COLUMN forklake.ducklake_snapshot_tag.message IS 'why';

COMMENT ON TABLE forklake.ducklake_metadata IS 'Options. catalog_id -1 is the whole lake.';
COMMENT ON COLUMN forklake.ducklake_metadata.catalog_id IS 'the catalog that the row belongs to';
COMMENT ON COLUMN forklake.ducklake_metadata.key IS 'the name';
COMMENT ON COLUMN forklake.ducklake_metadata.value IS 'the value';
COMMENT ON COLUMN forklake.ducklake_metadata.scope IS ''''' (the catalog), ''schema'' or ''table''';
COMMENT ON COLUMN forklake.ducklake_metadata.scope_id IS 'the schema or table';

COMMENT ON TABLE forklake.ducklake_lifetime IS 'When a catalog ends of itself: from then on it refuses commits and forks, and it is dropped by the next reap.';
COMMENT ON COLUMN forklake.ducklake_lifetime.catalog_id IS 'the catalog that the row belongs to';
COMMENT ON COLUMN forklake.ducklake_lifetime.expires_at IS 'when it ends';
COMMENT ON COLUMN forklake.ducklake_lifetime.renew_seconds IS 'each commit moves the end to so many seconds after it';
COMMENT ON COLUMN forklake.ducklake_lifetime.purge_after_seconds IS 'so long after it was dropped it is purged; NULL: never of itself';

COMMENT ON TABLE forklake.ducklake_quota IS 'What a catalog may hold. NULL: any number.';
COMMENT ON COLUMN forklake.ducklake_quota.catalog_id IS 'the catalog that the row belongs to';
COMMENT ON COLUMN forklake.ducklake_quota.max_bytes IS 'of files';
COMMENT ON COLUMN forklake.ducklake_quota.max_files IS 'data and delete files';
COMMENT ON COLUMN forklake.ducklake_quota.max_forks IS 'that live';
COMMENT ON COLUMN forklake.ducklake_quota.max_depth IS 'of forks of forks';
COMMENT ON COLUMN forklake.ducklake_quota.subtree IS 'whether its forks, and theirs, count with it';

COMMENT ON TABLE forklake.ducklake_catalog_label IS 'A label of a catalog, for whoever looks for catalogs.';
COMMENT ON COLUMN forklake.ducklake_catalog_label.catalog_id IS 'the catalog that the row belongs to';
COMMENT ON COLUMN forklake.ducklake_catalog_label.key IS 'the name';
COMMENT ON COLUMN forklake.ducklake_catalog_label.value IS 'the value';

COMMENT ON TABLE forklake.ducklake_lease IS 'A writer that may have written files which no row names yet. Its commit deletes the row, or is refused if it is gone.';
COMMENT ON COLUMN forklake.ducklake_lease.catalog_id IS 'the catalog that the row belongs to';
COMMENT ON COLUMN forklake.ducklake_lease.lease_id IS 'the writer';
COMMENT ON COLUMN forklake.ducklake_lease.begin_time IS 'before its first file';
COMMENT ON COLUMN forklake.ducklake_lease.end_time IS 'from then on its files are anybody''s to delete';

COMMENT ON TABLE forklake.ducklake_due IS 'A catalog some of whose rows nothing may need any more, since snapshots or forks that saw them are gone.';
COMMENT ON COLUMN forklake.ducklake_due.catalog_id IS 'the catalog that the row belongs to';
COMMENT ON COLUMN forklake.ducklake_due.due_time IS 'since when';

COMMENT ON TABLE forklake.ducklake_schema IS 'A schema: a namespace of tables, views and macros.';
COMMENT ON COLUMN forklake.ducklake_schema.catalog_id IS 'the catalog that the row belongs to';
COMMENT ON COLUMN forklake.ducklake_schema.row_uid IS 'this version of the row, in all catalogs';
COMMENT ON COLUMN forklake.ducklake_schema.begin_snapshot IS 'the first snapshot that has the row';
COMMENT ON COLUMN forklake.ducklake_schema.end_snapshot IS 'the first snapshot that lacks the row; 9223372036854775807: it is live';
COMMENT ON COLUMN forklake.ducklake_schema.schema_id IS 'the schema';
COMMENT ON COLUMN forklake.ducklake_schema.schema_uuid IS 'what identifies it in every database';
COMMENT ON COLUMN forklake.ducklake_schema.schema_name IS 'its name';
COMMENT ON COLUMN forklake.ducklake_schema.path IS 'where it is';
COMMENT ON COLUMN forklake.ducklake_schema.path_is_relative IS 'to the catalog''s directory';

COMMENT ON TABLE forklake.ducklake_table IS 'A table. Its path never changes, whatever it is renamed to.';
COMMENT ON COLUMN forklake.ducklake_table.catalog_id IS 'the catalog that the row belongs to';
COMMENT ON COLUMN forklake.ducklake_table.row_uid IS 'this version of the row, in all catalogs';
COMMENT ON COLUMN forklake.ducklake_table.begin_snapshot IS 'the first snapshot that has the row';
COMMENT ON COLUMN forklake.ducklake_table.end_snapshot IS 'the first snapshot that lacks the row; 9223372036854775807: it is live';
COMMENT ON COLUMN forklake.ducklake_table.table_id IS 'the table';
COMMENT ON COLUMN forklake.ducklake_table.table_uuid IS 'what identifies it in every database';
COMMENT ON COLUMN forklake.ducklake_table.schema_id IS 'the schema';
COMMENT ON COLUMN forklake.ducklake_table.table_name IS 'its name';
COMMENT ON COLUMN forklake.ducklake_table.path IS 'where it is';
COMMENT ON COLUMN forklake.ducklake_table.path_is_relative IS 'to the schema''s directory';

COMMENT ON TABLE forklake.ducklake_column IS 'A column, or a nested field of a column. Ids are never reused within a table.';
COMMENT ON COLUMN forklake.ducklake_column.catalog_id IS 'the catalog that the row belongs to';
COMMENT ON COLUMN forklake.ducklake_column.row_uid IS 'this version of the row, in all catalogs';
COMMENT ON COLUMN forklake.ducklake_column.begin_snapshot IS 'the first snapshot that has the row';
COMMENT ON COLUMN forklake.ducklake_column.end_snapshot IS 'the first snapshot that lacks the row; 9223372036854775807: it is live';
COMMENT ON COLUMN forklake.ducklake_column.column_id IS 'counts from 1 within the table';
COMMENT ON COLUMN forklake.ducklake_column.table_id IS 'the table';
COMMENT ON COLUMN forklake.ducklake_column.column_order IS 'its place among the columns';
COMMENT ON COLUMN forklake.ducklake_column.column_name IS 'its name';
COMMENT ON COLUMN forklake.ducklake_column.column_type IS 'its type, in DuckLake''s words';
COMMENT ON COLUMN forklake.ducklake_column.initial_default IS 'what rows hold that were written before the column was added';
COMMENT ON COLUMN forklake.ducklake_column.default_value IS 'the default';
COMMENT ON COLUMN forklake.ducklake_column.nulls_allowed IS 'whether values may be NULL';
COMMENT ON COLUMN forklake.ducklake_column.parent_column IS 'the column that a nested field is part of';
COMMENT ON COLUMN forklake.ducklake_column.default_value_type IS 'whether the default is a literal or an expression';
COMMENT ON COLUMN forklake.ducklake_column.default_value_dialect IS 'the dialect of a default that is an expression';

COMMENT ON TABLE forklake.ducklake_view IS 'A view: a query under a name.';
COMMENT ON COLUMN forklake.ducklake_view.catalog_id IS 'the catalog that the row belongs to';
COMMENT ON COLUMN forklake.ducklake_view.row_uid IS 'this version of the row, in all catalogs';
COMMENT ON COLUMN forklake.ducklake_view.begin_snapshot IS 'the first snapshot that has the row';
COMMENT ON COLUMN forklake.ducklake_view.end_snapshot IS 'the first snapshot that lacks the row; 9223372036854775807: it is live';
COMMENT ON COLUMN forklake.ducklake_view.view_id IS 'the view';
COMMENT ON COLUMN forklake.ducklake_view.view_uuid IS 'what identifies it in every database';
COMMENT ON COLUMN forklake.ducklake_view.schema_id IS 'the schema';
COMMENT ON COLUMN forklake.ducklake_view.view_name IS 'its name';
COMMENT ON COLUMN forklake.ducklake_view.dialect IS 'the dialect of the text';
COMMENT ON COLUMN forklake.ducklake_view.sql IS 'the text';
COMMENT ON COLUMN forklake.ducklake_view.column_aliases IS 'the names that it gives to its columns';

COMMENT ON TABLE forklake.ducklake_macro IS 'A macro; its implementations are rows of their own.';
COMMENT ON COLUMN forklake.ducklake_macro.catalog_id IS 'the catalog that the row belongs to';
COMMENT ON COLUMN forklake.ducklake_macro.row_uid IS 'this version of the row, in all catalogs';
COMMENT ON COLUMN forklake.ducklake_macro.begin_snapshot IS 'the first snapshot that has the row';
COMMENT ON COLUMN forklake.ducklake_macro.end_snapshot IS 'the first snapshot that lacks the row; 9223372036854775807: it is live';
COMMENT ON COLUMN forklake.ducklake_macro.schema_id IS 'the schema';
COMMENT ON COLUMN forklake.ducklake_macro.macro_id IS 'the macro';
COMMENT ON COLUMN forklake.ducklake_macro.macro_name IS 'its name';

COMMENT ON TABLE forklake.ducklake_macro_impl IS 'One implementation of a macro.';
COMMENT ON COLUMN forklake.ducklake_macro_impl.catalog_id IS 'the catalog that the row belongs to';
COMMENT ON COLUMN forklake.ducklake_macro_impl.macro_id IS 'the macro';
COMMENT ON COLUMN forklake.ducklake_macro_impl.impl_id IS 'which overload';
COMMENT ON COLUMN forklake.ducklake_macro_impl.dialect IS 'the dialect of the text';
COMMENT ON COLUMN forklake.ducklake_macro_impl.sql IS 'the text';
COMMENT ON COLUMN forklake.ducklake_macro_impl.type IS 'scalar or table';

COMMENT ON TABLE forklake.ducklake_macro_parameters IS 'One parameter of one implementation of a macro.';
COMMENT ON COLUMN forklake.ducklake_macro_parameters.catalog_id IS 'the catalog that the row belongs to';
COMMENT ON COLUMN forklake.ducklake_macro_parameters.macro_id IS 'the macro';
COMMENT ON COLUMN forklake.ducklake_macro_parameters.impl_id IS 'which overload';
COMMENT ON COLUMN forklake.ducklake_macro_parameters.column_id IS 'counts the parameters';
COMMENT ON COLUMN forklake.ducklake_macro_parameters.parameter_name IS 'its name';
COMMENT ON COLUMN forklake.ducklake_macro_parameters.parameter_type IS 'its type';
COMMENT ON COLUMN forklake.ducklake_macro_parameters.default_value IS 'the default';
COMMENT ON COLUMN forklake.ducklake_macro_parameters.default_value_type IS 'whether the default is a literal or an expression';

COMMENT ON TABLE forklake.ducklake_tag IS 'A tag of a table or view; the key comment is its comment.';
COMMENT ON COLUMN forklake.ducklake_tag.catalog_id IS 'the catalog that the row belongs to';
COMMENT ON COLUMN forklake.ducklake_tag.row_uid IS 'this version of the row, in all catalogs';
COMMENT ON COLUMN forklake.ducklake_tag.begin_snapshot IS 'the first snapshot that has the row';
COMMENT ON COLUMN forklake.ducklake_tag.end_snapshot IS 'the first snapshot that lacks the row; 9223372036854775807: it is live';
COMMENT ON COLUMN forklake.ducklake_tag.object_id IS 'the schema, table, view or macro';
COMMENT ON COLUMN forklake.ducklake_tag.key IS 'the name';
COMMENT ON COLUMN forklake.ducklake_tag.value IS 'the value';

COMMENT ON TABLE forklake.ducklake_column_tag IS 'A tag of a column.';
COMMENT ON COLUMN forklake.ducklake_column_tag.catalog_id IS 'the catalog that the row belongs to';
COMMENT ON COLUMN forklake.ducklake_column_tag.row_uid IS 'this version of the row, in all catalogs';
COMMENT ON COLUMN forklake.ducklake_column_tag.begin_snapshot IS 'the first snapshot that has the row';
COMMENT ON COLUMN forklake.ducklake_column_tag.end_snapshot IS 'the first snapshot that lacks the row; 9223372036854775807: it is live';
COMMENT ON COLUMN forklake.ducklake_column_tag.table_id IS 'the table';
COMMENT ON COLUMN forklake.ducklake_column_tag.column_id IS 'the column';
COMMENT ON COLUMN forklake.ducklake_column_tag.key IS 'the name';
COMMENT ON COLUMN forklake.ducklake_column_tag.value IS 'the value';

COMMENT ON TABLE forklake.ducklake_view_column_tag IS 'A tag of a column of a view, which has a name and no id.';
COMMENT ON COLUMN forklake.ducklake_view_column_tag.catalog_id IS 'the catalog that the row belongs to';
COMMENT ON COLUMN forklake.ducklake_view_column_tag.row_uid IS 'this version of the row, in all catalogs';
COMMENT ON COLUMN forklake.ducklake_view_column_tag.begin_snapshot IS 'the first snapshot that has the row';
COMMENT ON COLUMN forklake.ducklake_view_column_tag.end_snapshot IS 'the first snapshot that lacks the row; 9223372036854775807: it is live';
COMMENT ON COLUMN forklake.ducklake_view_column_tag.view_id IS 'the view';
COMMENT ON COLUMN forklake.ducklake_view_column_tag.column_name IS 'its name';
COMMENT ON COLUMN forklake.ducklake_view_column_tag.key IS 'the name';
COMMENT ON COLUMN forklake.ducklake_view_column_tag.value IS 'the value';

COMMENT ON TABLE forklake.ducklake_partition_info IS 'How new files of a table are partitioned.';
COMMENT ON COLUMN forklake.ducklake_partition_info.catalog_id IS 'the catalog that the row belongs to';
COMMENT ON COLUMN forklake.ducklake_partition_info.row_uid IS 'this version of the row, in all catalogs';
COMMENT ON COLUMN forklake.ducklake_partition_info.begin_snapshot IS 'the first snapshot that has the row';
COMMENT ON COLUMN forklake.ducklake_partition_info.end_snapshot IS 'the first snapshot that lacks the row; 9223372036854775807: it is live';
COMMENT ON COLUMN forklake.ducklake_partition_info.partition_id IS 'the partitioning';
COMMENT ON COLUMN forklake.ducklake_partition_info.table_id IS 'the table';

COMMENT ON TABLE forklake.ducklake_partition_column IS 'One key of a partitioning.';
COMMENT ON COLUMN forklake.ducklake_partition_column.catalog_id IS 'the catalog that the row belongs to';
COMMENT ON COLUMN forklake.ducklake_partition_column.partition_id IS 'the partitioning';
COMMENT ON COLUMN forklake.ducklake_partition_column.table_id IS 'the table';
COMMENT ON COLUMN forklake.ducklake_partition_column.partition_key_index IS 'which key, from 0';
COMMENT ON COLUMN forklake.ducklake_partition_column.column_id IS 'the column';
COMMENT ON COLUMN forklake.ducklake_partition_column.transform IS 'what the key makes of the column''s values';

COMMENT ON TABLE forklake.ducklake_sort_info IS 'How new files of a table are sorted.';
COMMENT ON COLUMN forklake.ducklake_sort_info.catalog_id IS 'the catalog that the row belongs to';
COMMENT ON COLUMN forklake.ducklake_sort_info.row_uid IS 'this version of the row, in all catalogs';
COMMENT ON COLUMN forklake.ducklake_sort_info.begin_snapshot IS 'the first snapshot that has the row';
COMMENT ON COLUMN forklake.ducklake_sort_info.end_snapshot IS 'the first snapshot that lacks the row; 9223372036854775807: it is live';
COMMENT ON COLUMN forklake.ducklake_sort_info.sort_id IS 'the sort order';
COMMENT ON COLUMN forklake.ducklake_sort_info.table_id IS 'the table';

COMMENT ON TABLE forklake.ducklake_sort_expression IS 'One key of a sort order.';
COMMENT ON COLUMN forklake.ducklake_sort_expression.catalog_id IS 'the catalog that the row belongs to';
COMMENT ON COLUMN forklake.ducklake_sort_expression.sort_id IS 'the sort order';
COMMENT ON COLUMN forklake.ducklake_sort_expression.table_id IS 'the table';
COMMENT ON COLUMN forklake.ducklake_sort_expression.sort_key_index IS 'which key, from 0';
COMMENT ON COLUMN forklake.ducklake_sort_expression.expression IS 'what is sorted by';
COMMENT ON COLUMN forklake.ducklake_sort_expression.dialect IS 'the dialect of the text';
COMMENT ON COLUMN forklake.ducklake_sort_expression.sort_direction IS 'ASC or DESC';
COMMENT ON COLUMN forklake.ducklake_sort_expression.null_order IS 'whether NULL comes first or last';

COMMENT ON TABLE forklake.ducklake_data_file IS 'A Parquet file with rows of a table.';
COMMENT ON COLUMN forklake.ducklake_data_file.catalog_id IS 'the catalog that the row belongs to';
COMMENT ON COLUMN forklake.ducklake_data_file.row_uid IS 'this version of the row, in all catalogs';
COMMENT ON COLUMN forklake.ducklake_data_file.begin_snapshot IS 'the first snapshot that has the row';
COMMENT ON COLUMN forklake.ducklake_data_file.end_snapshot IS 'the first snapshot that lacks the row; 9223372036854775807: it is live';
COMMENT ON COLUMN forklake.ducklake_data_file.data_file_id IS 'the data file';
COMMENT ON COLUMN forklake.ducklake_data_file.table_id IS 'the table';
COMMENT ON COLUMN forklake.ducklake_data_file.file_order IS 'its place among the files of the table';
COMMENT ON COLUMN forklake.ducklake_data_file.path IS 'where it is';
COMMENT ON COLUMN forklake.ducklake_data_file.path_is_relative IS 'to the table''s directory';
COMMENT ON COLUMN forklake.ducklake_data_file.file_format IS 'parquet';
COMMENT ON COLUMN forklake.ducklake_data_file.record_count IS 'how many rows there are';
COMMENT ON COLUMN forklake.ducklake_data_file.file_size_bytes IS 'how many bytes there are';
COMMENT ON COLUMN forklake.ducklake_data_file.footer_size IS 'how many of them are the footer';
COMMENT ON COLUMN forklake.ducklake_data_file.row_id_start IS 'the id of its first row';
COMMENT ON COLUMN forklake.ducklake_data_file.partition_id IS 'the partitioning';
COMMENT ON COLUMN forklake.ducklake_data_file.encryption_key IS 'no view shows it';
COMMENT ON COLUMN forklake.ducklake_data_file.mapping_id IS 'how its columns are found, if not by field ids';
COMMENT ON COLUMN forklake.ducklake_data_file.partial_max IS 'of a merged file: the newest snapshot that it holds rows of';
COMMENT ON COLUMN forklake.ducklake_data_file.read_upto IS 'a copied row of a merged file keeps the bound it was read with';
COMMENT ON COLUMN forklake.ducklake_data_file.numbering_id IS 'the imported catalog whose old snapshot numbers it carries; NULL where they are ours';
COMMENT ON COLUMN forklake.ducklake_data_file.origin_snapshot_id IS 'the snapshot that first added it, in whichever catalog; NULL: begin_snapshot';
COMMENT ON COLUMN forklake.ducklake_data_file.columns_known IS 'whether its columns are those of the table when it began; else its footer tells';

COMMENT ON TABLE forklake.ducklake_delete_file IS 'The positions of one data file that are deleted; at most one is live for a data file.';
COMMENT ON COLUMN forklake.ducklake_delete_file.catalog_id IS 'the catalog that the row belongs to';
COMMENT ON COLUMN forklake.ducklake_delete_file.row_uid IS 'this version of the row, in all catalogs';
COMMENT ON COLUMN forklake.ducklake_delete_file.begin_snapshot IS 'the first snapshot that has the row';
COMMENT ON COLUMN forklake.ducklake_delete_file.end_snapshot IS 'the first snapshot that lacks the row; 9223372036854775807: it is live';
COMMENT ON COLUMN forklake.ducklake_delete_file.delete_file_id IS 'the delete file';
COMMENT ON COLUMN forklake.ducklake_delete_file.table_id IS 'the table';
COMMENT ON COLUMN forklake.ducklake_delete_file.data_file_id IS 'the data file';
COMMENT ON COLUMN forklake.ducklake_delete_file.path IS 'where it is';
COMMENT ON COLUMN forklake.ducklake_delete_file.path_is_relative IS 'to the table''s directory';
COMMENT ON COLUMN forklake.ducklake_delete_file.format IS 'of the delete file: parquet or puffin';
COMMENT ON COLUMN forklake.ducklake_delete_file.delete_count IS 'how many rows it takes away';
COMMENT ON COLUMN forklake.ducklake_delete_file.file_size_bytes IS 'how many bytes there are';
COMMENT ON COLUMN forklake.ducklake_delete_file.footer_size IS 'how many of them are the footer';
COMMENT ON COLUMN forklake.ducklake_delete_file.encryption_key IS 'no view shows it';
COMMENT ON COLUMN forklake.ducklake_delete_file.partial_max IS 'as of data files, and so are the next two';
COMMENT ON COLUMN forklake.ducklake_delete_file.read_upto IS 'the snapshot that it is read as of';
COMMENT ON COLUMN forklake.ducklake_delete_file.numbering_id IS 'the imported catalog whose old snapshot numbers it carries';

COMMENT ON TABLE forklake.ducklake_file_column_stats IS 'Statistics of one column in one data file.';
COMMENT ON COLUMN forklake.ducklake_file_column_stats.catalog_id IS 'the catalog that the row belongs to';
COMMENT ON COLUMN forklake.ducklake_file_column_stats.data_file_id IS 'the data file';
COMMENT ON COLUMN forklake.ducklake_file_column_stats.table_id IS 'the table';
COMMENT ON COLUMN forklake.ducklake_file_column_stats.column_id IS 'the column';
COMMENT ON COLUMN forklake.ducklake_file_column_stats.column_size_bytes IS 'how many bytes it takes in the file';
COMMENT ON COLUMN forklake.ducklake_file_column_stats.value_count IS 'counts what is not NULL';
COMMENT ON COLUMN forklake.ducklake_file_column_stats.null_count IS 'how many values are NULL';
COMMENT ON COLUMN forklake.ducklake_file_column_stats.min_value IS 'no value is less, as text';
COMMENT ON COLUMN forklake.ducklake_file_column_stats.max_value IS 'no value is greater, as text';
COMMENT ON COLUMN forklake.ducklake_file_column_stats.contains_nan IS 'whether a value is not a number; NULL: not known';
COMMENT ON COLUMN forklake.ducklake_file_column_stats.extra_stats IS 'statistics that only some types have';

COMMENT ON TABLE forklake.ducklake_file_variant_stats IS 'Statistics of one shredded path of a variant column in one data file.';
COMMENT ON COLUMN forklake.ducklake_file_variant_stats.catalog_id IS 'the catalog that the row belongs to';
COMMENT ON COLUMN forklake.ducklake_file_variant_stats.data_file_id IS 'the data file';
COMMENT ON COLUMN forklake.ducklake_file_variant_stats.table_id IS 'the table';
COMMENT ON COLUMN forklake.ducklake_file_variant_stats.column_id IS 'the column';
COMMENT ON COLUMN forklake.ducklake_file_variant_stats.variant_path IS 'the path within the values';
COMMENT ON COLUMN forklake.ducklake_file_variant_stats.shredded_type IS 'the type of the values under the path';
COMMENT ON COLUMN forklake.ducklake_file_variant_stats.column_size_bytes IS 'how many bytes it takes in the file';
COMMENT ON COLUMN forklake.ducklake_file_variant_stats.value_count IS 'how many values are not NULL';
COMMENT ON COLUMN forklake.ducklake_file_variant_stats.null_count IS 'how many values are NULL';
COMMENT ON COLUMN forklake.ducklake_file_variant_stats.min_value IS 'no value is less, as text';
COMMENT ON COLUMN forklake.ducklake_file_variant_stats.max_value IS 'no value is greater, as text';
COMMENT ON COLUMN forklake.ducklake_file_variant_stats.contains_nan IS 'whether a value is not a number; NULL: not known';
COMMENT ON COLUMN forklake.ducklake_file_variant_stats.extra_stats IS 'statistics that only some types have';

COMMENT ON TABLE forklake.ducklake_file_partition_value IS 'The value of one partition key, the same for all rows of a data file.';
COMMENT ON COLUMN forklake.ducklake_file_partition_value.catalog_id IS 'the catalog that the row belongs to';
COMMENT ON COLUMN forklake.ducklake_file_partition_value.data_file_id IS 'the data file';
COMMENT ON COLUMN forklake.ducklake_file_partition_value.table_id IS 'the table';
COMMENT ON COLUMN forklake.ducklake_file_partition_value.partition_key_index IS 'which key, from 0';
COMMENT ON COLUMN forklake.ducklake_file_partition_value.partition_value IS 'the value as text';

COMMENT ON TABLE forklake.ducklake_column_mapping IS 'How the columns of files without field ids are found. Many files share a mapping.';
COMMENT ON COLUMN forklake.ducklake_column_mapping.catalog_id IS 'the catalog that the row belongs to';
COMMENT ON COLUMN forklake.ducklake_column_mapping.mapping_id IS 'the mapping';
COMMENT ON COLUMN forklake.ducklake_column_mapping.table_id IS 'the table';
COMMENT ON COLUMN forklake.ducklake_column_mapping.type IS 'what kind it is';

COMMENT ON TABLE forklake.ducklake_name_mapping IS 'One column of a mapping by name.';
COMMENT ON COLUMN forklake.ducklake_name_mapping.catalog_id IS 'the catalog that the row belongs to';
COMMENT ON COLUMN forklake.ducklake_name_mapping.mapping_id IS 'the mapping';
COMMENT ON COLUMN forklake.ducklake_name_mapping.column_id IS 'counts the columns of the mapping';
COMMENT ON COLUMN forklake.ducklake_name_mapping.source_name IS 'its name in the file';
COMMENT ON COLUMN forklake.ducklake_name_mapping.target_field_id IS 'the column of the table';
COMMENT ON COLUMN forklake.ducklake_name_mapping.parent_column IS 'the column that it is nested in';
COMMENT ON COLUMN forklake.ducklake_name_mapping.is_partition IS 'whether the value is in the path of the file';

COMMENT ON TABLE forklake.ducklake_files_scheduled_for_deletion IS 'A file that awaits its grace period.';
COMMENT ON COLUMN forklake.ducklake_files_scheduled_for_deletion.catalog_id IS 'the catalog that the row belongs to';
COMMENT ON COLUMN forklake.ducklake_files_scheduled_for_deletion.data_file_id IS 'the data file';
COMMENT ON COLUMN forklake.ducklake_files_scheduled_for_deletion.path IS 'absolute';
COMMENT ON COLUMN forklake.ducklake_files_scheduled_for_deletion.path_is_relative IS 'whether the path goes on from another';
COMMENT ON COLUMN forklake.ducklake_files_scheduled_for_deletion.schedule_start IS 'since when';

COMMENT ON TABLE forklake.ducklake_table_stats IS 'Totals of a table.';
COMMENT ON COLUMN forklake.ducklake_table_stats.catalog_id IS 'the catalog that the row belongs to';
COMMENT ON COLUMN forklake.ducklake_table_stats.table_id IS 'the table';
COMMENT ON COLUMN forklake.ducklake_table_stats.begin_snapshot IS 'the first snapshot that has the row';
COMMENT ON COLUMN forklake.ducklake_table_stats.record_count IS 'gross: deleted rows count until their file goes';
COMMENT ON COLUMN forklake.ducklake_table_stats.next_row_id IS 'the id of the next row that is added';
COMMENT ON COLUMN forklake.ducklake_table_stats.file_size_bytes IS 'how many bytes there are';
COMMENT ON COLUMN forklake.ducklake_table_stats.next_column_id IS 'the id of the next column that is added';

COMMENT ON TABLE forklake.ducklake_table_column_stats IS 'What is known of the values of a column over all files; bounds are never narrowed. The columns of a table are written as one set.';
COMMENT ON COLUMN forklake.ducklake_table_column_stats.catalog_id IS 'the catalog that the row belongs to';
COMMENT ON COLUMN forklake.ducklake_table_column_stats.table_id IS 'the table';
COMMENT ON COLUMN forklake.ducklake_table_column_stats.begin_snapshot IS 'the first snapshot that has the row';
COMMENT ON COLUMN forklake.ducklake_table_column_stats.column_id IS 'the column';
COMMENT ON COLUMN forklake.ducklake_table_column_stats.contains_null IS 'whether a value is NULL; NULL: not known';
COMMENT ON COLUMN forklake.ducklake_table_column_stats.contains_nan IS 'whether a value is not a number; NULL: not known';
COMMENT ON COLUMN forklake.ducklake_table_column_stats.min_value IS 'no value is less, as text';
COMMENT ON COLUMN forklake.ducklake_table_column_stats.max_value IS 'no value is greater, as text';
COMMENT ON COLUMN forklake.ducklake_table_column_stats.extra_stats IS 'statistics that only some types have';

COMMENT ON TABLE forklake.ducklake_inlined_row IS 'A row of a table that is kept in the metadata.';
COMMENT ON COLUMN forklake.ducklake_inlined_row.catalog_id IS 'the catalog that the row belongs to';
COMMENT ON COLUMN forklake.ducklake_inlined_row.row_uid IS 'this version of the row, in all catalogs';
COMMENT ON COLUMN forklake.ducklake_inlined_row.begin_snapshot IS 'the first snapshot that has the row';
COMMENT ON COLUMN forklake.ducklake_inlined_row.end_snapshot IS 'the first snapshot that lacks the row; 9223372036854775807: it is live';
COMMENT ON COLUMN forklake.ducklake_inlined_row.table_id IS 'the table';
COMMENT ON COLUMN forklake.ducklake_inlined_row.row_id IS 'the row';
COMMENT ON COLUMN forklake.ducklake_inlined_row.schema_version IS 'which version of the catalog''s schema';
COMMENT ON COLUMN forklake.ducklake_inlined_row.document IS 'its values by column id, in exact text encodings';
COMMENT ON COLUMN forklake.ducklake_inlined_row.origin_snapshot_id IS 'the snapshot that first added it, in whichever catalog; NULL: begin_snapshot';

COMMENT ON TABLE forklake.ducklake_inlined_delete IS 'A deleted row of a data file, kept in the metadata.';
COMMENT ON COLUMN forklake.ducklake_inlined_delete.catalog_id IS 'the catalog that the row belongs to';
COMMENT ON COLUMN forklake.ducklake_inlined_delete.row_uid IS 'this version of the row, in all catalogs';
COMMENT ON COLUMN forklake.ducklake_inlined_delete.begin_snapshot IS 'the first snapshot that has the row';
COMMENT ON COLUMN forklake.ducklake_inlined_delete.end_snapshot IS 'the first snapshot that lacks the row; 9223372036854775807: it is live';
COMMENT ON COLUMN forklake.ducklake_inlined_delete.table_id IS 'the table';
COMMENT ON COLUMN forklake.ducklake_inlined_delete.data_file_id IS 'the data file';
COMMENT ON COLUMN forklake.ducklake_inlined_delete.row_id IS 'its position';

-- Functions: a commit and a fork are one call, so one round trip. They are plain: what to write is decided by the client.
-- A session keeps the plans of its first calls, when tables may be small or never analyzed: they must use the indexes.

-- Locks shared by everything that pins a catalog's rows (fork) and taken alone by what forgets them (expire, purge).
-- The first half of a key is a table of this lake, so that lakes in other schemas of the database lock apart.
CREATE FUNCTION forklake.lock_shared(catalog bigint) RETURNS void LANGUAGE sql
AS $$ SELECT pg_advisory_xact_lock_shared('forklake.ducklake_catalog'::regclass::oid::integer, catalog::integer) $$;

CREATE FUNCTION forklake.lock_alone(catalog bigint) RETURNS void LANGUAGE sql
AS $$ SELECT pg_advisory_xact_lock('forklake.ducklake_catalog'::regclass::oid::integer, catalog::integer) $$;

-- Ids that the client does not know yet are negative: -1 is the first of the new ids, -2 the second.
CREATE FUNCTION forklake.real_id(id bigint, new_ids bigint[]) RETURNS bigint LANGUAGE sql IMMUTABLE
AS $$ SELECT CASE WHEN id < 0 THEN new_ids[-id] ELSE id END $$;

-- Return why a quota refuses a catalog as it now stands, or NULL: its own, or one of an ancestor that counts its forks.
-- Spenders of such a quota wait for each other here, so that no two of them spend the same rest.
CREATE FUNCTION forklake.exceeded(p_catalog bigint, p_files boolean, p_bytes boolean) RETURNS jsonb
LANGUAGE plpgsql SET enable_seqscan = off AS $$
DECLARE
    v_quota record;
    v_files numeric;
    v_bytes numeric;
BEGIN
    FOR v_quota IN
        SELECT q.catalog_id, q.max_bytes, q.max_files, q.subtree FROM forklake.ducklake_quota q
         WHERE q.catalog_id = ANY (p_catalog || ARRAY(
                   SELECT g.owner_id FROM forklake.ducklake_segment g WHERE g.catalog_id = p_catalog))
           AND (q.subtree OR q.catalog_id = p_catalog)
         ORDER BY q.catalog_id FOR UPDATE
    LOOP
        SELECT sum(h.own_files), sum(h.own_bytes) INTO v_files, v_bytes FROM forklake.ducklake_head h
         WHERE h.live AND h.catalog_id = ANY (v_quota.catalog_id || CASE WHEN v_quota.subtree THEN ARRAY(
                   SELECT g.catalog_id FROM forklake.ducklake_segment g WHERE g.owner_id = v_quota.catalog_id) END);
        IF p_bytes AND v_bytes > v_quota.max_bytes THEN
            RETURN jsonb_build_object('catalog_id', v_quota.catalog_id, 'counted', 'bytes',
                                      'limit', v_quota.max_bytes, 'wanted', v_bytes);
        ELSIF p_files AND v_files > v_quota.max_files THEN
            RETURN jsonb_build_object('catalog_id', v_quota.catalog_id, 'counted', 'files',
                                      'limit', v_quota.max_files, 'wanted', v_files);
        END IF;
    END LOOP;
    RETURN NULL;
END $$;

-- The same for new forks. p_owners is their chain, nearest first.
CREATE FUNCTION forklake.exceeded_by_forks(p_parent bigint, p_owners bigint[], p_count bigint) RETURNS jsonb
LANGUAGE plpgsql SET enable_seqscan = off AS $$
DECLARE
    v_quota record;
    v_level bigint;
    v_forks bigint;
BEGIN
    FOR v_quota IN
        SELECT q.catalog_id, q.max_forks, q.max_depth, q.subtree FROM forklake.ducklake_quota q
         WHERE q.catalog_id = ANY (p_parent || p_owners) ORDER BY q.catalog_id FOR UPDATE
    LOOP
        v_level := coalesce(array_position(p_owners, v_quota.catalog_id), 1);
        IF v_level > v_quota.max_depth THEN
            RETURN jsonb_build_object('catalog_id', v_quota.catalog_id, 'counted', 'depth',
                                      'limit', v_quota.max_depth, 'wanted', v_level);
        END IF;
        CONTINUE WHEN v_quota.max_forks IS NULL;
        IF v_quota.subtree THEN
            SELECT count(*) INTO v_forks FROM (
                SELECT DISTINCT g.catalog_id FROM forklake.ducklake_segment g
                  JOIN forklake.ducklake_head h ON h.catalog_id = g.catalog_id AND h.live
                 WHERE g.owner_id = v_quota.catalog_id LIMIT v_quota.max_forks + 1) f;
        ELSIF v_quota.catalog_id = p_parent THEN
            SELECT count(*) INTO v_forks FROM (
                SELECT FROM forklake.ducklake_catalog k WHERE k.parent_catalog_id = p_parent
                   AND k.end_snapshot = 9223372036854775807 LIMIT v_quota.max_forks + 1) f;
        ELSE
            CONTINUE;
        END IF;
        IF v_forks + p_count > v_quota.max_forks THEN
            RETURN jsonb_build_object('catalog_id', v_quota.catalog_id, 'counted', 'forks',
                                      'limit', v_quota.max_forks, 'wanted', v_forks + p_count);
        END IF;
    END LOOP;
    RETURN NULL;
END $$;

-- Move the head of a catalog from the snapshot the client planned on, and write the rows of the new one.
--   outcome  committed; known: the commit key did this already; moved, dropped, missing: nothing was written;
--            unleased, lapsed, over_quota: nothing was written; the lease is gone, the lifetime is over, or a quota
--            refuses the files, as refusal says
--   p_commit {"entries": [["inserted_into_table", 3], ...], "author", "message", "extra_info", "commit_key", "lease",
--             "schema_version", "new_objects": n, "new_files": n, "rows": {table: [row, ...]},
--             "ends": {table: [row_uid, ...]}, "tombstones": [{"scope_id", "row_uid"}, ...],
--             "own_files", "own_bytes": by how much the catalog's own live files grow}
CREATE FUNCTION forklake.lake_commit(
    p_catalog bigint, p_expected bigint, p_commit jsonb,
    OUT outcome text, OUT snapshot bigint, OUT made_at timestamptz, OUT objects bigint[], OUT files bigint[],
    OUT refusal jsonb
) LANGUAGE plpgsql SET enable_seqscan = off AS $$
DECLARE
    v_rows jsonb := p_commit -> 'rows';
    v_ends jsonb := p_commit -> 'ends';
    v_leased boolean := true;
    v_files bigint := p_commit ->> 'own_files';
    v_bytes bigint := p_commit ->> 'own_bytes';
    v_end timestamptz;
    v_renew bigint;
BEGIN
    outcome := 'known';
    SELECT l.snapshot_id, s.snapshot_time INTO snapshot, made_at
      FROM forklake.ducklake_snapshot_lineage l
      LEFT JOIN forklake.ducklake_snapshot s ON s.catalog_id = l.catalog_id AND s.snapshot_id = l.snapshot_id
     WHERE l.catalog_id = p_catalog AND l.commit_key = p_commit ->> 'commit_key';
    IF FOUND THEN RETURN; END IF;

    -- Locked, so that nobody takes the lease away from here on. A commit that is tried again after it moved keeps it.
    IF p_commit ->> 'lease' IS NOT NULL THEN
        PERFORM FROM forklake.ducklake_lease e
          WHERE e.catalog_id = p_catalog AND e.lease_id = p_commit ->> 'lease' FOR UPDATE;
        v_leased := FOUND;
    END IF;

    -- The id is taken after the row is locked, so ids grow in the order of the commits of a catalog.
    UPDATE forklake.ducklake_head h SET snapshot_id = nextval('forklake.ducklake_snapshot_id_seq'),
           own_files = h.own_files + v_files, own_bytes = h.own_bytes + v_bytes
     WHERE h.catalog_id = p_catalog AND h.snapshot_id = p_expected AND h.live AND v_leased
     RETURNING h.snapshot_id INTO snapshot;
    IF NOT FOUND THEN
        SELECT l.snapshot_id, s.snapshot_time INTO snapshot, made_at
          FROM forklake.ducklake_snapshot_lineage l
          LEFT JOIN forklake.ducklake_snapshot s ON s.catalog_id = l.catalog_id AND s.snapshot_id = l.snapshot_id
         WHERE l.catalog_id = p_catalog AND l.commit_key = p_commit ->> 'commit_key';
        IF FOUND THEN RETURN; END IF;
        SELECT CASE WHEN NOT h.live THEN 'dropped' WHEN v_leased THEN 'moved' ELSE 'unleased' END INTO outcome
          FROM forklake.ducklake_head h WHERE h.catalog_id = p_catalog;
        outcome := coalesce(outcome, 'missing');
        RETURN;
    END IF;

    -- Read once the head is locked, which renewals, reaps and changes of a quota lock as well: what they did counts.
    SELECT e.expires_at, e.renew_seconds INTO v_end, v_renew
      FROM forklake.ducklake_lifetime e WHERE e.catalog_id = p_catalog;
    IF v_end <= clock_timestamp() THEN
        outcome := 'lapsed';
    ELSIF v_files > 0 OR v_bytes > 0 THEN
        refusal := forklake.exceeded(p_catalog, v_files > 0, v_bytes > 0);
        IF refusal IS NOT NULL THEN outcome := 'over_quota'; END IF;
    END IF;
    IF outcome <> 'known' THEN
        UPDATE forklake.ducklake_head h SET snapshot_id = p_expected,
               own_files = h.own_files - v_files, own_bytes = h.own_bytes - v_bytes WHERE h.catalog_id = p_catalog;
        snapshot := NULL;
        RETURN;
    END IF;
    IF v_renew IS NOT NULL THEN
        UPDATE forklake.ducklake_lifetime e
           SET expires_at = greatest(e.expires_at, clock_timestamp() + make_interval(secs => v_renew))
         WHERE e.catalog_id = p_catalog;
    END IF;

    outcome := 'committed';
    DELETE FROM forklake.ducklake_lease e WHERE e.catalog_id = p_catalog AND e.lease_id = p_commit ->> 'lease';
    SELECT greatest(clock_timestamp(), s.snapshot_time) INTO STRICT made_at
      FROM forklake.ducklake_snapshot s WHERE s.catalog_id = p_catalog AND s.snapshot_id = p_expected;
    objects := ARRAY(SELECT nextval('forklake.ducklake_object_id_seq')
                       FROM generate_series(1, (p_commit ->> 'new_objects')::integer));
    files := ARRAY(SELECT nextval('forklake.ducklake_file_id_seq')
                     FROM generate_series(1, (p_commit ->> 'new_files')::integer));

    INSERT INTO forklake.ducklake_snapshot (catalog_id, snapshot_id, snapshot_time, schema_version)
    VALUES (p_catalog, snapshot, made_at, (p_commit ->> 'schema_version')::bigint);
    INSERT INTO forklake.ducklake_snapshot_lineage (catalog_id, snapshot_id, previous_snapshot_id, commit_key)
    VALUES (p_catalog, snapshot, p_expected, p_commit ->> 'commit_key');
    INSERT INTO forklake.ducklake_snapshot_changes
           (catalog_id, snapshot_id, changes_made, author, commit_message, commit_extra_info)
    SELECT p_catalog, snapshot,
           coalesce(string_agg((e.entry ->> 0) || ':' || CASE jsonb_typeof(e.entry -> 1)
               WHEN 'number' THEN forklake.real_id((e.entry ->> 1)::bigint, objects)::text ELSE e.entry ->> 1 END,
               ',' ORDER BY e.place), ''),
           p_commit ->> 'author', p_commit ->> 'message', p_commit ->> 'extra_info'
      FROM jsonb_array_elements(p_commit -> 'entries') WITH ORDINALITY AS e(entry, place);

    IF v_ends <> '{}' THEN
        UPDATE forklake.ducklake_schema r SET end_snapshot = snapshot FROM jsonb_array_elements_text(v_ends -> 'ducklake_schema') u(uid)
         WHERE r.catalog_id = p_catalog AND r.row_uid = u.uid::bigint;
        UPDATE forklake.ducklake_table r SET end_snapshot = snapshot FROM jsonb_array_elements_text(v_ends -> 'ducklake_table') u(uid)
         WHERE r.catalog_id = p_catalog AND r.row_uid = u.uid::bigint;
        UPDATE forklake.ducklake_column r SET end_snapshot = snapshot FROM jsonb_array_elements_text(v_ends -> 'ducklake_column') u(uid)
         WHERE r.catalog_id = p_catalog AND r.row_uid = u.uid::bigint;
        UPDATE forklake.ducklake_view r SET end_snapshot = snapshot FROM jsonb_array_elements_text(v_ends -> 'ducklake_view') u(uid)
         WHERE r.catalog_id = p_catalog AND r.row_uid = u.uid::bigint;
        UPDATE forklake.ducklake_macro r SET end_snapshot = snapshot FROM jsonb_array_elements_text(v_ends -> 'ducklake_macro') u(uid)
         WHERE r.catalog_id = p_catalog AND r.row_uid = u.uid::bigint;
        UPDATE forklake.ducklake_tag r SET end_snapshot = snapshot FROM jsonb_array_elements_text(v_ends -> 'ducklake_tag') u(uid)
         WHERE r.catalog_id = p_catalog AND r.row_uid = u.uid::bigint;
        UPDATE forklake.ducklake_column_tag r SET end_snapshot = snapshot FROM jsonb_array_elements_text(v_ends -> 'ducklake_column_tag') u(uid)
         WHERE r.catalog_id = p_catalog AND r.row_uid = u.uid::bigint;
        UPDATE forklake.ducklake_view_column_tag r SET end_snapshot = snapshot FROM jsonb_array_elements_text(v_ends -> 'ducklake_view_column_tag') u(uid)
         WHERE r.catalog_id = p_catalog AND r.row_uid = u.uid::bigint;
        UPDATE forklake.ducklake_partition_info r SET end_snapshot = snapshot FROM jsonb_array_elements_text(v_ends -> 'ducklake_partition_info') u(uid)
         WHERE r.catalog_id = p_catalog AND r.row_uid = u.uid::bigint;
        UPDATE forklake.ducklake_sort_info r SET end_snapshot = snapshot FROM jsonb_array_elements_text(v_ends -> 'ducklake_sort_info') u(uid)
         WHERE r.catalog_id = p_catalog AND r.row_uid = u.uid::bigint;
        UPDATE forklake.ducklake_data_file r SET end_snapshot = snapshot FROM jsonb_array_elements_text(v_ends -> 'ducklake_data_file') u(uid)
         WHERE r.catalog_id = p_catalog AND r.row_uid = u.uid::bigint;
        UPDATE forklake.ducklake_delete_file r SET end_snapshot = snapshot FROM jsonb_array_elements_text(v_ends -> 'ducklake_delete_file') u(uid)
         WHERE r.catalog_id = p_catalog AND r.row_uid = u.uid::bigint;
        UPDATE forklake.ducklake_inlined_row r SET end_snapshot = snapshot FROM jsonb_array_elements_text(v_ends -> 'ducklake_inlined_row') u(uid)
         WHERE r.catalog_id = p_catalog AND r.row_uid = u.uid::bigint;
        UPDATE forklake.ducklake_inlined_delete r SET end_snapshot = snapshot FROM jsonb_array_elements_text(v_ends -> 'ducklake_inlined_delete') u(uid)
         WHERE r.catalog_id = p_catalog AND r.row_uid = u.uid::bigint;
    END IF;
    INSERT INTO forklake.ducklake_tombstone (catalog_id, scope_id, row_uid, snapshot_id)
    SELECT p_catalog, (t.tombstone ->> 'scope_id')::bigint, (t.tombstone ->> 'row_uid')::bigint, snapshot
      FROM jsonb_array_elements(p_commit -> 'tombstones') AS t(tombstone);

    IF v_rows ? 'ducklake_schema_versions' THEN
        INSERT INTO forklake.ducklake_schema_versions
               (catalog_id, begin_snapshot, schema_version, table_id)
        SELECT p_catalog, snapshot, r.schema_version, forklake.real_id(r.table_id, objects)
          FROM jsonb_populate_recordset(NULL::forklake.ducklake_schema_versions, v_rows -> 'ducklake_schema_versions') r;
    END IF;
    IF v_rows ? 'ducklake_merge' THEN
        INSERT INTO forklake.ducklake_merge
               (catalog_id, begin_snapshot, source_id, source_snapshot_id, kind, may_return)
        SELECT p_catalog, snapshot, r.source_id, r.source_snapshot_id, r.kind, r.may_return
          FROM jsonb_populate_recordset(NULL::forklake.ducklake_merge, v_rows -> 'ducklake_merge') r;
    END IF;
    IF v_rows ? 'ducklake_schema' THEN
        INSERT INTO forklake.ducklake_schema
               (catalog_id, begin_snapshot, schema_id, schema_uuid, schema_name, path, path_is_relative)
        SELECT p_catalog, snapshot, forklake.real_id(r.schema_id, objects), r.schema_uuid, r.schema_name, r.path,
               r.path_is_relative
          FROM jsonb_populate_recordset(NULL::forklake.ducklake_schema, v_rows -> 'ducklake_schema') r;
    END IF;
    IF v_rows ? 'ducklake_table' THEN
        INSERT INTO forklake.ducklake_table
               (catalog_id, begin_snapshot, table_id, table_uuid, schema_id, table_name, path, path_is_relative)
        SELECT p_catalog, snapshot, forklake.real_id(r.table_id, objects), r.table_uuid, forklake.real_id(r.schema_id,
               objects), r.table_name, r.path, r.path_is_relative
          FROM jsonb_populate_recordset(NULL::forklake.ducklake_table, v_rows -> 'ducklake_table') r;
    END IF;
    IF v_rows ? 'ducklake_column' THEN
        INSERT INTO forklake.ducklake_column
               (catalog_id, begin_snapshot, column_id, table_id, column_order, column_name, column_type,
                initial_default, default_value, nulls_allowed, parent_column, default_value_type, default_value_dialect)
        SELECT p_catalog, snapshot, r.column_id, forklake.real_id(r.table_id, objects), r.column_order, r.column_name,
               r.column_type, r.initial_default, r.default_value, r.nulls_allowed, r.parent_column,
               r.default_value_type, r.default_value_dialect
          FROM jsonb_populate_recordset(NULL::forklake.ducklake_column, v_rows -> 'ducklake_column') r;
    END IF;
    IF v_rows ? 'ducklake_view' THEN
        INSERT INTO forklake.ducklake_view
               (catalog_id, begin_snapshot, view_id, view_uuid, schema_id, view_name, dialect, sql, column_aliases)
        SELECT p_catalog, snapshot, forklake.real_id(r.view_id, objects), r.view_uuid, forklake.real_id(r.schema_id,
               objects), r.view_name, r.dialect, r.sql, r.column_aliases
          FROM jsonb_populate_recordset(NULL::forklake.ducklake_view, v_rows -> 'ducklake_view') r;
    END IF;
    IF v_rows ? 'ducklake_macro' THEN
        INSERT INTO forklake.ducklake_macro
               (catalog_id, begin_snapshot, schema_id, macro_id, macro_name)
        SELECT p_catalog, snapshot, forklake.real_id(r.schema_id, objects), forklake.real_id(r.macro_id, objects),
               r.macro_name
          FROM jsonb_populate_recordset(NULL::forklake.ducklake_macro, v_rows -> 'ducklake_macro') r;
    END IF;
    IF v_rows ? 'ducklake_macro_impl' THEN
        INSERT INTO forklake.ducklake_macro_impl
               (catalog_id, macro_id, impl_id, dialect, sql, type)
        SELECT p_catalog, forklake.real_id(r.macro_id, objects), r.impl_id, r.dialect, r.sql, r.type
          FROM jsonb_populate_recordset(NULL::forklake.ducklake_macro_impl, v_rows -> 'ducklake_macro_impl') r;
    END IF;
    IF v_rows ? 'ducklake_macro_parameters' THEN
        INSERT INTO forklake.ducklake_macro_parameters
               (catalog_id, macro_id, impl_id, column_id, parameter_name, parameter_type, default_value,
                default_value_type)
        SELECT p_catalog, forklake.real_id(r.macro_id, objects), r.impl_id, r.column_id, r.parameter_name,
               r.parameter_type, r.default_value, r.default_value_type
          FROM jsonb_populate_recordset(NULL::forklake.ducklake_macro_parameters, v_rows -> 'ducklake_macro_parameters') r;
    END IF;
    IF v_rows ? 'ducklake_tag' THEN
        INSERT INTO forklake.ducklake_tag
               (catalog_id, begin_snapshot, object_id, key, value)
        SELECT p_catalog, snapshot, forklake.real_id(r.object_id, objects), r.key, r.value
          FROM jsonb_populate_recordset(NULL::forklake.ducklake_tag, v_rows -> 'ducklake_tag') r;
    END IF;
    IF v_rows ? 'ducklake_column_tag' THEN
        INSERT INTO forklake.ducklake_column_tag
               (catalog_id, begin_snapshot, table_id, column_id, key, value)
        SELECT p_catalog, snapshot, forklake.real_id(r.table_id, objects), r.column_id, r.key, r.value
          FROM jsonb_populate_recordset(NULL::forklake.ducklake_column_tag, v_rows -> 'ducklake_column_tag') r;
    END IF;
    IF v_rows ? 'ducklake_view_column_tag' THEN
        INSERT INTO forklake.ducklake_view_column_tag
               (catalog_id, begin_snapshot, view_id, column_name, key, value)
        SELECT p_catalog, snapshot, forklake.real_id(r.view_id, objects), r.column_name, r.key, r.value
          FROM jsonb_populate_recordset(NULL::forklake.ducklake_view_column_tag, v_rows -> 'ducklake_view_column_tag') r;
    END IF;
    IF v_rows ? 'ducklake_partition_info' THEN
        INSERT INTO forklake.ducklake_partition_info
               (catalog_id, begin_snapshot, partition_id, table_id)
        SELECT p_catalog, snapshot, forklake.real_id(r.partition_id, objects), forklake.real_id(r.table_id, objects)
          FROM jsonb_populate_recordset(NULL::forklake.ducklake_partition_info, v_rows -> 'ducklake_partition_info') r;
    END IF;
    IF v_rows ? 'ducklake_partition_column' THEN
        INSERT INTO forklake.ducklake_partition_column
               (catalog_id, partition_id, table_id, partition_key_index, column_id, transform)
        SELECT p_catalog, forklake.real_id(r.partition_id, objects), forklake.real_id(r.table_id, objects),
               r.partition_key_index, r.column_id, r.transform
          FROM jsonb_populate_recordset(NULL::forklake.ducklake_partition_column, v_rows -> 'ducklake_partition_column') r;
    END IF;
    IF v_rows ? 'ducklake_sort_info' THEN
        INSERT INTO forklake.ducklake_sort_info
               (catalog_id, begin_snapshot, sort_id, table_id)
        SELECT p_catalog, snapshot, forklake.real_id(r.sort_id, objects), forklake.real_id(r.table_id, objects)
          FROM jsonb_populate_recordset(NULL::forklake.ducklake_sort_info, v_rows -> 'ducklake_sort_info') r;
    END IF;
    IF v_rows ? 'ducklake_sort_expression' THEN
        INSERT INTO forklake.ducklake_sort_expression
               (catalog_id, sort_id, table_id, sort_key_index, expression, dialect, sort_direction, null_order)
        SELECT p_catalog, forklake.real_id(r.sort_id, objects), forklake.real_id(r.table_id, objects), r.sort_key_index,
               r.expression, r.dialect, r.sort_direction, r.null_order
          FROM jsonb_populate_recordset(NULL::forklake.ducklake_sort_expression, v_rows -> 'ducklake_sort_expression') r;
    END IF;
    IF v_rows ? 'ducklake_data_file' THEN
        INSERT INTO forklake.ducklake_data_file
               (catalog_id, begin_snapshot, data_file_id, table_id, file_order, path, path_is_relative, file_format,
                record_count, file_size_bytes, footer_size, row_id_start, partition_id, encryption_key, mapping_id,
                partial_max, read_upto, numbering_id, origin_snapshot_id, columns_known)
        SELECT p_catalog, snapshot, forklake.real_id(r.data_file_id, files), forklake.real_id(r.table_id, objects),
               r.file_order, r.path, r.path_is_relative, r.file_format, r.record_count, r.file_size_bytes,
               r.footer_size, r.row_id_start, forklake.real_id(r.partition_id, objects), r.encryption_key,
               forklake.real_id(r.mapping_id, files), r.partial_max, r.read_upto, r.numbering_id, r.origin_snapshot_id,
               r.columns_known
          FROM jsonb_populate_recordset(NULL::forklake.ducklake_data_file, v_rows -> 'ducklake_data_file') r;
    END IF;
    IF v_rows ? 'ducklake_delete_file' THEN
        INSERT INTO forklake.ducklake_delete_file
               (catalog_id, begin_snapshot, delete_file_id, table_id, data_file_id, path, path_is_relative, format,
                delete_count, file_size_bytes, footer_size, encryption_key, partial_max, read_upto, numbering_id)
        SELECT p_catalog, snapshot, forklake.real_id(r.delete_file_id, files), forklake.real_id(r.table_id, objects),
               forklake.real_id(r.data_file_id, files), r.path, r.path_is_relative, r.format, r.delete_count,
               r.file_size_bytes, r.footer_size, r.encryption_key, r.partial_max, r.read_upto, r.numbering_id
          FROM jsonb_populate_recordset(NULL::forklake.ducklake_delete_file, v_rows -> 'ducklake_delete_file') r;
    END IF;
    IF v_rows ? 'ducklake_file_column_stats' THEN
        INSERT INTO forklake.ducklake_file_column_stats
               (catalog_id, data_file_id, table_id, column_id, column_size_bytes, value_count, null_count, min_value,
                max_value, contains_nan, extra_stats)
        SELECT p_catalog, forklake.real_id(r.data_file_id, files), forklake.real_id(r.table_id, objects), r.column_id,
               r.column_size_bytes, r.value_count, r.null_count, r.min_value, r.max_value, r.contains_nan, r.extra_stats
          FROM jsonb_populate_recordset(NULL::forklake.ducklake_file_column_stats, v_rows -> 'ducklake_file_column_stats') r;
    END IF;
    IF v_rows ? 'ducklake_file_variant_stats' THEN
        INSERT INTO forklake.ducklake_file_variant_stats
               (catalog_id, data_file_id, table_id, column_id, variant_path, shredded_type, column_size_bytes,
                value_count, null_count, min_value, max_value, contains_nan, extra_stats)
        SELECT p_catalog, forklake.real_id(r.data_file_id, files), forklake.real_id(r.table_id, objects), r.column_id,
               r.variant_path, r.shredded_type, r.column_size_bytes, r.value_count, r.null_count, r.min_value,
               r.max_value, r.contains_nan, r.extra_stats
          FROM jsonb_populate_recordset(NULL::forklake.ducklake_file_variant_stats, v_rows -> 'ducklake_file_variant_stats') r;
    END IF;
    IF v_rows ? 'ducklake_file_partition_value' THEN
        INSERT INTO forklake.ducklake_file_partition_value
               (catalog_id, data_file_id, table_id, partition_key_index, partition_value)
        SELECT p_catalog, forklake.real_id(r.data_file_id, files), forklake.real_id(r.table_id, objects),
               r.partition_key_index, r.partition_value
          FROM jsonb_populate_recordset(NULL::forklake.ducklake_file_partition_value, v_rows -> 'ducklake_file_partition_value') r;
    END IF;
    IF v_rows ? 'ducklake_column_mapping' THEN
        INSERT INTO forklake.ducklake_column_mapping
               (catalog_id, mapping_id, table_id, type)
        SELECT p_catalog, forklake.real_id(r.mapping_id, files), forklake.real_id(r.table_id, objects), r.type
          FROM jsonb_populate_recordset(NULL::forklake.ducklake_column_mapping, v_rows -> 'ducklake_column_mapping') r;
    END IF;
    IF v_rows ? 'ducklake_name_mapping' THEN
        INSERT INTO forklake.ducklake_name_mapping
               (catalog_id, mapping_id, column_id, source_name, target_field_id, parent_column, is_partition)
        SELECT p_catalog, forklake.real_id(r.mapping_id, files), r.column_id, r.source_name, r.target_field_id,
               r.parent_column, r.is_partition
          FROM jsonb_populate_recordset(NULL::forklake.ducklake_name_mapping, v_rows -> 'ducklake_name_mapping') r;
    END IF;
    IF v_rows ? 'ducklake_table_stats' THEN
        INSERT INTO forklake.ducklake_table_stats
               (catalog_id, begin_snapshot, table_id, record_count, next_row_id, file_size_bytes, next_column_id)
        SELECT p_catalog, snapshot, forklake.real_id(r.table_id, objects), r.record_count, r.next_row_id,
               r.file_size_bytes, r.next_column_id
          FROM jsonb_populate_recordset(NULL::forklake.ducklake_table_stats, v_rows -> 'ducklake_table_stats') r;
    END IF;
    IF v_rows ? 'ducklake_table_column_stats' THEN
        INSERT INTO forklake.ducklake_table_column_stats
               (catalog_id, begin_snapshot, table_id, column_id, contains_null, contains_nan, min_value, max_value,
                extra_stats)
        SELECT p_catalog, snapshot, forklake.real_id(r.table_id, objects), r.column_id, r.contains_null, r.contains_nan,
               r.min_value, r.max_value, r.extra_stats
          FROM jsonb_populate_recordset(NULL::forklake.ducklake_table_column_stats, v_rows -> 'ducklake_table_column_stats') r;
    END IF;
    IF v_rows ? 'ducklake_inlined_row' THEN
        INSERT INTO forklake.ducklake_inlined_row
               (catalog_id, begin_snapshot, table_id, row_id, schema_version, document, origin_snapshot_id)
        SELECT p_catalog, snapshot, forklake.real_id(r.table_id, objects), r.row_id, r.schema_version, r.document,
               r.origin_snapshot_id
          FROM jsonb_populate_recordset(NULL::forklake.ducklake_inlined_row, v_rows -> 'ducklake_inlined_row') r;
    END IF;
    IF v_rows ? 'ducklake_inlined_delete' THEN
        INSERT INTO forklake.ducklake_inlined_delete
               (catalog_id, begin_snapshot, table_id, data_file_id, row_id)
        SELECT p_catalog, snapshot, forklake.real_id(r.table_id, objects), forklake.real_id(r.data_file_id, files),
               r.row_id
          FROM jsonb_populate_recordset(NULL::forklake.ducklake_inlined_delete, v_rows -> 'ducklake_inlined_delete') r;
    END IF;
END $$;

-- Fork a catalog: for each name a catalog row, a head, a snapshot, the ancestry and the options; no other row.
--   p_at          the snapshot to pin, or NULL for the parent's head
--   p_directories what the client proposes below p_prefix; a place that was ever used gives way to the uuid
--   p_above       places that must not be a catalog's directory, since the new ones would lie below them
--   p_terms       {"author", "labels": {key: value, ...}, "lifetime": {"seconds", "until", "renew_seconds",
--                 "purge_after_seconds"}}, for each of them
--   outcome       forked; missing, dropped, lapsed, no_snapshot, overlap, over_quota: nothing was written
CREATE FUNCTION forklake.lake_fork(
    p_parent bigint, p_at bigint, p_names varchar[], p_uuids uuid[], p_directories varchar[],
    p_data_path varchar, p_prefix varchar, p_is_relative boolean, p_above varchar[], p_terms jsonb,
    OUT outcome text, OUT pin bigint, OUT catalogs bigint[], OUT snapshots bigint[], OUT refusal jsonb
) LANGUAGE plpgsql SET enable_seqscan = off AS $$
DECLARE
    v_name varchar;
    v_live boolean;
    v_owners bigint[];
    v_uptos bigint[];
    v_firsts bigint[];
    v_depth smallint;
    v_since bigint;
    v_schema_version bigint;
    v_made_at timestamptz;
    v_lifetime jsonb := nullif(p_terms -> 'lifetime', 'null');
BEGIN
    IF p_data_path IS NULL THEN PERFORM forklake.lock_shared(-1); ELSE PERFORM forklake.lock_alone(-1); END IF;
    IF p_at IS NULL THEN PERFORM forklake.lock_shared(p_parent); END IF;

    SELECT h.live, k.catalog_name, coalesce(p_at, h.snapshot_id) INTO v_live, v_name, pin
      FROM forklake.ducklake_head h
      LEFT JOIN forklake.ducklake_catalog k ON k.catalog_id = h.catalog_id AND k.end_snapshot = 9223372036854775807
     WHERE h.catalog_id = p_parent;
    IF NOT FOUND THEN outcome := 'missing'; RETURN; END IF;
    IF NOT v_live THEN outcome := 'dropped'; RETURN; END IF;
    IF EXISTS (SELECT FROM forklake.ducklake_lifetime e
                WHERE e.catalog_id = p_parent AND e.expires_at <= clock_timestamp()) THEN
        outcome := 'lapsed'; RETURN;
    END IF;

    -- The epoch of the pinned snapshot, and the depth of its owner: the parent, or an ancestor by the first epoch.
    SELECT o.depth, o.since INTO v_depth, v_since
      FROM (SELECT 0 AS depth, p_parent AS owner_id, 0 AS first, 9223372036854775807 AS upto,
                   coalesce((SELECT g.since FROM forklake.ducklake_segment g WHERE g.catalog_id = p_parent
                             AND g.since <= pin AND g.until > pin AND g.depth = 1), 0) AS since
            UNION ALL
            SELECT g.depth, g.owner_id, g.versions_from, g.upto, g.since FROM forklake.ducklake_segment g
             WHERE g.catalog_id = p_parent AND g.versions_from < 9223372036854775807) o
      JOIN forklake.ducklake_snapshot s ON s.catalog_id = o.owner_id
     WHERE s.snapshot_id = pin AND s.snapshot_id BETWEEN o.first AND o.upto
     ORDER BY o.depth LIMIT 1;
    IF NOT FOUND THEN outcome := 'no_snapshot'; RETURN; END IF;
    -- The parent's chain from that owner on, nearest first.
    WITH chain AS (
        SELECT 0 AS depth, p_parent AS owner_id, pin AS upto, v_since AS versions_from
        UNION ALL
        SELECT g.depth, g.owner_id, least(g.upto, pin), g.versions_from
          FROM forklake.ducklake_segment g WHERE g.catalog_id = p_parent AND g.since = v_since)
    SELECT array_agg(c.owner_id ORDER BY c.depth), array_agg(c.upto ORDER BY c.depth),
           array_agg(c.versions_from ORDER BY c.depth)
      INTO v_owners, v_uptos, v_firsts FROM chain c WHERE c.depth >= v_depth;
    -- What is pinned must still be there once nobody can expire it any more.
    IF p_at IS NOT NULL THEN PERFORM forklake.lock_shared(v_owners[1]); END IF;
    SELECT s.schema_version, greatest(clock_timestamp(), s.snapshot_time) INTO v_schema_version, v_made_at
      FROM forklake.ducklake_snapshot s WHERE s.catalog_id = v_owners[1] AND s.snapshot_id = pin;
    IF NOT FOUND THEN outcome := 'no_snapshot'; RETURN; END IF;
    IF EXISTS (SELECT FROM forklake.ducklake_catalog k WHERE lower(k.path COLLATE "C") = ANY (p_above)) THEN
        outcome := 'overlap'; RETURN;
    END IF;
    refusal := forklake.exceeded_by_forks(p_parent, v_owners, cardinality(p_names));
    IF refusal IS NOT NULL THEN outcome := 'over_quota'; RETURN; END IF;

    outcome := 'forked';
    catalogs := ARRAY(SELECT nextval('forklake.ducklake_catalog_id_seq') FROM generate_series(1, cardinality(p_names)));
    snapshots := ARRAY(SELECT nextval('forklake.ducklake_snapshot_id_seq') FROM generate_series(1, cardinality(p_names)));
    INSERT INTO forklake.ducklake_catalog
           (catalog_id, catalog_uuid, catalog_name, parent_catalog_id, parent_snapshot_id,
            data_path, path, path_is_relative, begin_snapshot, begin_time)
    SELECT n.catalog, n.uuid, n.name, p_parent, pin, p_data_path,
           -- Nothing may lie at or below the place: '0' is the character after '/'.
           p_prefix || CASE WHEN EXISTS (
               SELECT FROM forklake.ducklake_catalog k
                WHERE lower(k.path COLLATE "C") >= lower((p_prefix || n.directory) COLLATE "C")
                  AND lower(k.path COLLATE "C") < lower((p_prefix || rtrim(n.directory, '/') || '0') COLLATE "C")
           ) THEN n.uuid::text || '/' ELSE n.directory END,
           p_is_relative, n.snapshot, v_made_at
      FROM unnest(catalogs, snapshots, p_names, p_uuids, p_directories) AS n(catalog, snapshot, name, uuid, directory)
     -- In one order: lists that share names wait for each other, not in a ring.
     ORDER BY lower(n.name COLLATE "C");
    -- Since the check somebody may have had a name, and with it the directory, and have dropped it again.
    UPDATE forklake.ducklake_catalog k SET path = p_prefix || k.catalog_uuid::text || '/'
       -- Not EXISTS, which may be planned as a join that reads all catalogs.
     WHERE k.catalog_id = ANY (catalogs) AND 0 < (
               SELECT count(*) FROM forklake.ducklake_catalog o
                WHERE lower(o.path COLLATE "C") = lower(k.path COLLATE "C") AND o.catalog_id <> k.catalog_id);
    INSERT INTO forklake.ducklake_head (catalog_id, snapshot_id) SELECT unnest(catalogs), unnest(snapshots);
    INSERT INTO forklake.ducklake_segment (catalog_id, since, depth, owner_id, upto, versions_from)
    SELECT n.catalog, n.snapshot, c.depth, c.owner_id, c.upto, c.versions_from
      FROM unnest(catalogs, snapshots) AS n(catalog, snapshot),
           unnest(v_owners, v_uptos, v_firsts) WITH ORDINALITY AS c(owner_id, upto, versions_from, depth);
    INSERT INTO forklake.ducklake_snapshot (catalog_id, snapshot_id, snapshot_time, schema_version)
    SELECT unnest(catalogs), unnest(snapshots), v_made_at, v_schema_version;
    INSERT INTO forklake.ducklake_snapshot_lineage (catalog_id, snapshot_id, previous_snapshot_id)
    SELECT unnest(catalogs), unnest(snapshots), pin;
    INSERT INTO forklake.ducklake_snapshot_changes (catalog_id, snapshot_id, changes_made, author, commit_message)
    SELECT unnest(catalogs), unnest(snapshots), '', p_terms ->> 'author', 'Fork of "' || v_name || '" at snapshot ' || pin;
    IF v_lifetime IS NOT NULL THEN
        INSERT INTO forklake.ducklake_lifetime (catalog_id, expires_at, renew_seconds, purge_after_seconds)
        SELECT n.catalog, coalesce((v_lifetime ->> 'until')::timestamptz,
                                   clock_timestamp() + make_interval(secs => (v_lifetime ->> 'seconds')::float8)),
               (v_lifetime ->> 'renew_seconds')::bigint, (v_lifetime ->> 'purge_after_seconds')::bigint
          FROM unnest(catalogs) AS n(catalog);
    END IF;
    INSERT INTO forklake.ducklake_catalog_label (catalog_id, key, value)
    SELECT n.catalog, l.key, l.value FROM unnest(catalogs) AS n(catalog), jsonb_each_text(p_terms -> 'labels') AS l;
    -- Options as they are now, without those of objects that the pin does not hold.
    INSERT INTO forklake.ducklake_metadata (catalog_id, key, value, scope, scope_id)
    SELECT n.catalog, o.key, o.value, o.scope, o.scope_id
      FROM forklake.ducklake_metadata o, unnest(catalogs) AS n(catalog)
     WHERE o.catalog_id = p_parent AND (o.scope = '' OR EXISTS (
               SELECT FROM unnest(v_owners, v_uptos) AS c(owner_id, upto), LATERAL (
                   SELECT t.row_uid FROM forklake.ducklake_table t
                    WHERE o.scope = 'table' AND t.catalog_id = c.owner_id AND t.table_id = o.scope_id
                      AND t.begin_snapshot <= c.upto AND t.end_snapshot > c.upto
                   UNION ALL
                   SELECT s.row_uid FROM forklake.ducklake_schema s
                    WHERE o.scope = 'schema' AND s.catalog_id = c.owner_id AND s.schema_id = o.scope_id
                      AND s.begin_snapshot <= c.upto AND s.end_snapshot > c.upto) AS held
                WHERE NOT EXISTS (
                   SELECT FROM unnest(v_owners, v_uptos) AS b(owner_id, upto)
                     JOIN forklake.ducklake_tombstone z ON z.catalog_id = b.owner_id
                    WHERE z.scope_id = 0 AND z.row_uid = held.row_uid AND z.snapshot_id <= b.upto)));
END $$;

-- For web apps: each catalog as DuckLake's tables would show it, with catalog_id and catalog_name in front.
-- Forks are resolved, dropped catalogs are left out, and all is to be asked for one catalog: WHERE catalog_id = ...
-- A versioned row ends where its owner ended it, or where a nearer catalog of the chain hid it, or never (NULL).

CREATE SCHEMA ducklake;

-- Whose rows each catalog sees, nearest first (depth 0: itself), and up to which snapshot; the limit for its own rows
-- lies above every end but that of a live row. A refresh begins another epoch (since, until), of which inherited rows
-- begin at begins. Snapshots from versions_from on are versions.
CREATE VIEW forklake.lake_link AS
SELECT h.catalog_id, CAST(0 AS smallint) AS depth, h.catalog_id AS owner_id, 9223372036854775806 AS upto,
       CAST(0 AS bigint) AS since, 9223372036854775807 AS until, CAST(0 AS bigint) AS versions_from, CAST(0 AS bigint) AS begins
  FROM forklake.ducklake_head h
UNION ALL
SELECT g.catalog_id, g.depth, g.owner_id, g.upto, g.since, g.until, g.versions_from,
       CASE WHEN (SELECT f.versions_from FROM forklake.ducklake_segment f
                   WHERE f.catalog_id = g.catalog_id AND f.since = g.since AND f.depth = 1) = 9223372036854775807
            THEN g.since ELSE 0 END AS begins
  FROM forklake.ducklake_segment g;

-- The same of live catalogs, with their names.
CREATE VIEW forklake.lake_chain AS
SELECT k.catalog_id, k.catalog_name, n.depth, n.owner_id, n.upto, n.since, n.until, n.versions_from, n.begins
  FROM forklake.ducklake_catalog k
  JOIN forklake.lake_link n ON n.catalog_id = k.catalog_id
 WHERE k.end_snapshot = 9223372036854775807;

-- The directory of every catalog there ever was.
CREATE VIEW forklake.lake_directory AS
SELECT k.catalog_id, CASE WHEN k.path_is_relative THEN o.value || k.path ELSE k.path END AS directory, k.end_snapshot
  FROM forklake.ducklake_catalog k
  JOIN forklake.ducklake_metadata o ON o.catalog_id = -1 AND o.scope = '' AND o.scope_id = -1
 WHERE o.key = 'data_path';

-- The live catalogs, with the snapshot that a fork started from, and the newest of their own.
CREATE VIEW ducklake.ducklake_catalog AS
SELECT k.catalog_id, k.catalog_name, k.catalog_uuid, k.parent_catalog_id, k.parent_snapshot_id,
       h.snapshot_id, k.begin_time
  FROM forklake.ducklake_catalog k
  JOIN forklake.ducklake_head h ON h.catalog_id = k.catalog_id
 WHERE k.end_snapshot = 9223372036854775807;

-- The lineage of a catalog. The counters are those of the whole lake, as they are now.
CREATE VIEW ducklake.ducklake_snapshot AS
SELECT c.catalog_id, c.catalog_name, r.snapshot_id, r.snapshot_time, r.schema_version,
       (SELECT CASE WHEN q.is_called THEN q.last_value + 1 ELSE q.last_value END
          FROM forklake.ducklake_object_id_seq q) AS next_catalog_id,
       (SELECT CASE WHEN q.is_called THEN q.last_value + 1 ELSE q.last_value END
          FROM forklake.ducklake_file_id_seq q) AS next_file_id
  FROM forklake.lake_chain c
  JOIN forklake.ducklake_snapshot r ON r.catalog_id = c.owner_id
 WHERE r.snapshot_id >= c.versions_from AND r.snapshot_id <= c.upto;

CREATE VIEW ducklake.ducklake_snapshot_changes AS
SELECT c.catalog_id, c.catalog_name, r.snapshot_id, r.changes_made, r.author, r.commit_message, r.commit_extra_info
  FROM forklake.lake_chain c
  JOIN forklake.ducklake_snapshot_changes r ON r.catalog_id = c.owner_id
 WHERE r.snapshot_id <= c.upto
   AND r.snapshot_id >= c.versions_from;

CREATE VIEW ducklake.ducklake_schema_versions AS
SELECT c.catalog_id, c.catalog_name, r.begin_snapshot, r.schema_version, r.table_id
  FROM forklake.lake_chain c
  JOIN forklake.ducklake_schema_versions r ON r.catalog_id = c.owner_id
 WHERE r.begin_snapshot <= c.upto
   AND NOT EXISTS (SELECT 1 FROM forklake.ducklake_segment o
                    WHERE o.catalog_id = c.catalog_id AND o.owner_id = c.owner_id AND o.since > c.since);

-- Options of the catalog, and those of the lake that it does not set itself; data_path is the catalog's directory.
CREATE VIEW ducklake.ducklake_metadata AS
SELECT k.catalog_id, k.catalog_name, o.key, o.value, nullif(o.scope, '') AS scope,
       CASE WHEN o.scope <> '' THEN o.scope_id END AS scope_id
  FROM forklake.ducklake_catalog k
  JOIN forklake.ducklake_metadata o ON o.catalog_id = k.catalog_id
 WHERE k.end_snapshot = 9223372036854775807
UNION ALL
SELECT k.catalog_id, k.catalog_name, o.key, o.value, NULL, NULL
  FROM forklake.ducklake_catalog k
  JOIN forklake.ducklake_metadata o ON o.catalog_id = -1 AND o.scope = ''
 WHERE k.end_snapshot = 9223372036854775807 AND o.key NOT IN ('forklake_version', 'data_path', 'metadata_home')
   AND NOT EXISTS (SELECT 1 FROM forklake.ducklake_metadata p
                    WHERE p.catalog_id = k.catalog_id AND p.scope = '' AND p.scope_id = -1 AND p.key = o.key)
UNION ALL
SELECT k.catalog_id, k.catalog_name, 'data_path', p.directory, NULL, NULL
  FROM forklake.ducklake_catalog k
  JOIN forklake.lake_directory p ON p.catalog_id = k.catalog_id AND p.end_snapshot = 9223372036854775807
 WHERE k.end_snapshot = 9223372036854775807;

CREATE VIEW ducklake.ducklake_schema AS
SELECT c.catalog_id, c.catalog_name, r.schema_id, r.schema_uuid,
       CASE WHEN r.begin_snapshot < c.begins THEN c.begins ELSE r.begin_snapshot END AS begin_snapshot,
       CASE WHEN r.end_snapshot <= c.upto THEN r.end_snapshot
            WHEN c.depth > 0 THEN coalesce(
                (SELECT min(z.snapshot_id) FROM forklake.ducklake_segment n
                   JOIN forklake.ducklake_tombstone z ON z.catalog_id = n.owner_id
                  WHERE n.catalog_id = c.catalog_id AND n.since = c.since AND n.depth < c.depth
                    AND z.snapshot_id <= n.upto AND z.scope_id = 0 AND z.row_uid = r.row_uid),
                (SELECT z.snapshot_id FROM forklake.ducklake_tombstone z
                  WHERE z.catalog_id = c.catalog_id AND z.scope_id = 0 AND z.row_uid = r.row_uid
                    AND z.snapshot_id < c.until),
                nullif(c.until, 9223372036854775807))
       END AS end_snapshot,
       r.schema_name, r.path, r.path_is_relative
  FROM forklake.lake_chain c
  JOIN forklake.ducklake_schema r ON r.catalog_id = c.owner_id
 WHERE r.begin_snapshot <= c.upto AND (r.end_snapshot > c.upto OR c.begins = 0);

CREATE VIEW ducklake.ducklake_table AS
SELECT c.catalog_id, c.catalog_name, r.table_id, r.table_uuid,
       CASE WHEN r.begin_snapshot < c.begins THEN c.begins ELSE r.begin_snapshot END AS begin_snapshot,
       CASE WHEN r.end_snapshot <= c.upto THEN r.end_snapshot
            WHEN c.depth > 0 THEN coalesce(
                (SELECT min(z.snapshot_id) FROM forklake.ducklake_segment n
                   JOIN forklake.ducklake_tombstone z ON z.catalog_id = n.owner_id
                  WHERE n.catalog_id = c.catalog_id AND n.since = c.since AND n.depth < c.depth
                    AND z.snapshot_id <= n.upto AND z.scope_id = 0 AND z.row_uid = r.row_uid),
                (SELECT z.snapshot_id FROM forklake.ducklake_tombstone z
                  WHERE z.catalog_id = c.catalog_id AND z.scope_id = 0 AND z.row_uid = r.row_uid
                    AND z.snapshot_id < c.until),
                nullif(c.until, 9223372036854775807))
       END AS end_snapshot,
       r.schema_id, r.table_name, r.path, r.path_is_relative
  FROM forklake.lake_chain c
  JOIN forklake.ducklake_table r ON r.catalog_id = c.owner_id
 WHERE r.begin_snapshot <= c.upto AND (r.end_snapshot > c.upto OR c.begins = 0);

CREATE VIEW ducklake.ducklake_column AS
SELECT c.catalog_id, c.catalog_name, r.column_id,
       CASE WHEN r.begin_snapshot < c.begins THEN c.begins ELSE r.begin_snapshot END AS begin_snapshot,
       CASE WHEN r.end_snapshot <= c.upto THEN r.end_snapshot
            WHEN c.depth > 0 THEN coalesce(
                (SELECT min(z.snapshot_id) FROM forklake.ducklake_segment n
                   JOIN forklake.ducklake_tombstone z ON z.catalog_id = n.owner_id
                  WHERE n.catalog_id = c.catalog_id AND n.since = c.since AND n.depth < c.depth
                    AND z.snapshot_id <= n.upto AND z.scope_id = r.table_id AND z.row_uid = r.row_uid),
                (SELECT z.snapshot_id FROM forklake.ducklake_tombstone z
                  WHERE z.catalog_id = c.catalog_id AND z.scope_id = r.table_id AND z.row_uid = r.row_uid
                    AND z.snapshot_id < c.until),
                nullif(c.until, 9223372036854775807))
       END AS end_snapshot,
       r.table_id, r.column_order, r.column_name, r.column_type, r.initial_default, r.default_value, r.nulls_allowed,
       r.parent_column, r.default_value_type, r.default_value_dialect
  FROM forklake.lake_chain c
  JOIN forklake.ducklake_column r ON r.catalog_id = c.owner_id
 WHERE r.begin_snapshot <= c.upto AND (r.end_snapshot > c.upto OR c.begins = 0);

CREATE VIEW ducklake.ducklake_view AS
SELECT c.catalog_id, c.catalog_name, r.view_id, r.view_uuid,
       CASE WHEN r.begin_snapshot < c.begins THEN c.begins ELSE r.begin_snapshot END AS begin_snapshot,
       CASE WHEN r.end_snapshot <= c.upto THEN r.end_snapshot
            WHEN c.depth > 0 THEN coalesce(
                (SELECT min(z.snapshot_id) FROM forklake.ducklake_segment n
                   JOIN forklake.ducklake_tombstone z ON z.catalog_id = n.owner_id
                  WHERE n.catalog_id = c.catalog_id AND n.since = c.since AND n.depth < c.depth
                    AND z.snapshot_id <= n.upto AND z.scope_id = 0 AND z.row_uid = r.row_uid),
                (SELECT z.snapshot_id FROM forklake.ducklake_tombstone z
                  WHERE z.catalog_id = c.catalog_id AND z.scope_id = 0 AND z.row_uid = r.row_uid
                    AND z.snapshot_id < c.until),
                nullif(c.until, 9223372036854775807))
       END AS end_snapshot,
       r.schema_id, r.view_name, r.dialect, r.sql, r.column_aliases
  FROM forklake.lake_chain c
  JOIN forklake.ducklake_view r ON r.catalog_id = c.owner_id
 WHERE r.begin_snapshot <= c.upto AND (r.end_snapshot > c.upto OR c.begins = 0);

CREATE VIEW ducklake.ducklake_macro AS
SELECT c.catalog_id, c.catalog_name, r.schema_id, r.macro_id, r.macro_name,
       CASE WHEN r.begin_snapshot < c.begins THEN c.begins ELSE r.begin_snapshot END AS begin_snapshot,
       CASE WHEN r.end_snapshot <= c.upto THEN r.end_snapshot
            WHEN c.depth > 0 THEN coalesce(
                (SELECT min(z.snapshot_id) FROM forklake.ducklake_segment n
                   JOIN forklake.ducklake_tombstone z ON z.catalog_id = n.owner_id
                  WHERE n.catalog_id = c.catalog_id AND n.since = c.since AND n.depth < c.depth
                    AND z.snapshot_id <= n.upto AND z.scope_id = 0 AND z.row_uid = r.row_uid),
                (SELECT z.snapshot_id FROM forklake.ducklake_tombstone z
                  WHERE z.catalog_id = c.catalog_id AND z.scope_id = 0 AND z.row_uid = r.row_uid
                    AND z.snapshot_id < c.until),
                nullif(c.until, 9223372036854775807))
       END AS end_snapshot
  FROM forklake.lake_chain c
  JOIN forklake.ducklake_macro r ON r.catalog_id = c.owner_id
 WHERE r.begin_snapshot <= c.upto AND (r.end_snapshot > c.upto OR c.begins = 0);

CREATE VIEW ducklake.ducklake_tag AS
SELECT c.catalog_id, c.catalog_name, r.object_id,
       CASE WHEN r.begin_snapshot < c.begins THEN c.begins ELSE r.begin_snapshot END AS begin_snapshot,
       CASE WHEN r.end_snapshot <= c.upto THEN r.end_snapshot
            WHEN c.depth > 0 THEN coalesce(
                (SELECT min(z.snapshot_id) FROM forklake.ducklake_segment n
                   JOIN forklake.ducklake_tombstone z ON z.catalog_id = n.owner_id
                  WHERE n.catalog_id = c.catalog_id AND n.since = c.since AND n.depth < c.depth
                    AND z.snapshot_id <= n.upto AND z.scope_id = 0 AND z.row_uid = r.row_uid),
                (SELECT z.snapshot_id FROM forklake.ducklake_tombstone z
                  WHERE z.catalog_id = c.catalog_id AND z.scope_id = 0 AND z.row_uid = r.row_uid
                    AND z.snapshot_id < c.until),
                nullif(c.until, 9223372036854775807))
       END AS end_snapshot,
       r.key, r.value
  FROM forklake.lake_chain c
  JOIN forklake.ducklake_tag r ON r.catalog_id = c.owner_id
 WHERE r.begin_snapshot <= c.upto AND (r.end_snapshot > c.upto OR c.begins = 0);

CREATE VIEW ducklake.ducklake_column_tag AS
SELECT c.catalog_id, c.catalog_name, r.table_id, r.column_id,
       CASE WHEN r.begin_snapshot < c.begins THEN c.begins ELSE r.begin_snapshot END AS begin_snapshot,
       CASE WHEN r.end_snapshot <= c.upto THEN r.end_snapshot
            WHEN c.depth > 0 THEN coalesce(
                (SELECT min(z.snapshot_id) FROM forklake.ducklake_segment n
                   JOIN forklake.ducklake_tombstone z ON z.catalog_id = n.owner_id
                  WHERE n.catalog_id = c.catalog_id AND n.since = c.since AND n.depth < c.depth
                    AND z.snapshot_id <= n.upto AND z.scope_id = r.table_id AND z.row_uid = r.row_uid),
                (SELECT z.snapshot_id FROM forklake.ducklake_tombstone z
                  WHERE z.catalog_id = c.catalog_id AND z.scope_id = r.table_id AND z.row_uid = r.row_uid
                    AND z.snapshot_id < c.until),
                nullif(c.until, 9223372036854775807))
       END AS end_snapshot,
       r.key, r.value
  FROM forklake.lake_chain c
  JOIN forklake.ducklake_column_tag r ON r.catalog_id = c.owner_id
 WHERE r.begin_snapshot <= c.upto AND (r.end_snapshot > c.upto OR c.begins = 0);

-- DuckLake 1.1's.
CREATE VIEW ducklake.ducklake_view_column_tag AS
SELECT c.catalog_id, c.catalog_name, r.view_id, r.column_name,
       CASE WHEN r.begin_snapshot < c.begins THEN c.begins ELSE r.begin_snapshot END AS begin_snapshot,
       CASE WHEN r.end_snapshot <= c.upto THEN r.end_snapshot
            WHEN c.depth > 0 THEN coalesce(
                (SELECT min(z.snapshot_id) FROM forklake.ducklake_segment n
                   JOIN forklake.ducklake_tombstone z ON z.catalog_id = n.owner_id
                  WHERE n.catalog_id = c.catalog_id AND n.since = c.since AND n.depth < c.depth
                    AND z.snapshot_id <= n.upto AND z.scope_id = 0 AND z.row_uid = r.row_uid),
                (SELECT z.snapshot_id FROM forklake.ducklake_tombstone z
                  WHERE z.catalog_id = c.catalog_id AND z.scope_id = 0 AND z.row_uid = r.row_uid
                    AND z.snapshot_id < c.until),
                nullif(c.until, 9223372036854775807))
       END AS end_snapshot,
       r.key, r.value
  FROM forklake.lake_chain c
  JOIN forklake.ducklake_view_column_tag r ON r.catalog_id = c.owner_id
 WHERE r.begin_snapshot <= c.upto AND (r.end_snapshot > c.upto OR c.begins = 0);

CREATE VIEW ducklake.ducklake_partition_info AS
SELECT c.catalog_id, c.catalog_name, r.partition_id, r.table_id,
       CASE WHEN r.begin_snapshot < c.begins THEN c.begins ELSE r.begin_snapshot END AS begin_snapshot,
       CASE WHEN r.end_snapshot <= c.upto THEN r.end_snapshot
            WHEN c.depth > 0 THEN coalesce(
                (SELECT min(z.snapshot_id) FROM forklake.ducklake_segment n
                   JOIN forklake.ducklake_tombstone z ON z.catalog_id = n.owner_id
                  WHERE n.catalog_id = c.catalog_id AND n.since = c.since AND n.depth < c.depth
                    AND z.snapshot_id <= n.upto AND z.scope_id = r.table_id AND z.row_uid = r.row_uid),
                (SELECT z.snapshot_id FROM forklake.ducklake_tombstone z
                  WHERE z.catalog_id = c.catalog_id AND z.scope_id = r.table_id AND z.row_uid = r.row_uid
                    AND z.snapshot_id < c.until),
                nullif(c.until, 9223372036854775807))
       END AS end_snapshot
  FROM forklake.lake_chain c
  JOIN forklake.ducklake_partition_info r ON r.catalog_id = c.owner_id
 WHERE r.begin_snapshot <= c.upto AND (r.end_snapshot > c.upto OR c.begins = 0);

CREATE VIEW ducklake.ducklake_sort_info AS
SELECT c.catalog_id, c.catalog_name, r.sort_id, r.table_id,
       CASE WHEN r.begin_snapshot < c.begins THEN c.begins ELSE r.begin_snapshot END AS begin_snapshot,
       CASE WHEN r.end_snapshot <= c.upto THEN r.end_snapshot
            WHEN c.depth > 0 THEN coalesce(
                (SELECT min(z.snapshot_id) FROM forklake.ducklake_segment n
                   JOIN forklake.ducklake_tombstone z ON z.catalog_id = n.owner_id
                  WHERE n.catalog_id = c.catalog_id AND n.since = c.since AND n.depth < c.depth
                    AND z.snapshot_id <= n.upto AND z.scope_id = r.table_id AND z.row_uid = r.row_uid),
                (SELECT z.snapshot_id FROM forklake.ducklake_tombstone z
                  WHERE z.catalog_id = c.catalog_id AND z.scope_id = r.table_id AND z.row_uid = r.row_uid
                    AND z.snapshot_id < c.until),
                nullif(c.until, 9223372036854775807))
       END AS end_snapshot
  FROM forklake.lake_chain c
  JOIN forklake.ducklake_sort_info r ON r.catalog_id = c.owner_id
 WHERE r.begin_snapshot <= c.upto AND (r.end_snapshot > c.upto OR c.begins = 0);

-- Files that a catalog inherits lie below their owner's directory, so they have an absolute path. Keys of files do not
-- show: who may read the views need not be one who may read the rows.
CREATE VIEW ducklake.ducklake_data_file AS
SELECT c.catalog_id, c.catalog_name, r.data_file_id, r.table_id,
       CASE WHEN r.begin_snapshot < c.begins THEN c.begins ELSE r.begin_snapshot END AS begin_snapshot,
       CASE WHEN r.end_snapshot <= c.upto THEN r.end_snapshot
            WHEN c.depth > 0 THEN coalesce(
                (SELECT min(z.snapshot_id) FROM forklake.ducklake_segment n
                   JOIN forklake.ducklake_tombstone z ON z.catalog_id = n.owner_id
                  WHERE n.catalog_id = c.catalog_id AND n.since = c.since AND n.depth < c.depth
                    AND z.snapshot_id <= n.upto AND z.scope_id = r.table_id AND z.row_uid = r.row_uid),
                (SELECT z.snapshot_id FROM forklake.ducklake_tombstone z
                  WHERE z.catalog_id = c.catalog_id AND z.scope_id = r.table_id AND z.row_uid = r.row_uid
                    AND z.snapshot_id < c.until),
                nullif(c.until, 9223372036854775807))
       END AS end_snapshot,
       r.file_order,
       CASE WHEN c.depth = 0 OR NOT r.path_is_relative THEN r.path
            ELSE (SELECT CASE WHEN t.path_is_relative AND s.path_is_relative THEN p.directory || s.path || t.path
                              WHEN t.path_is_relative THEN s.path || t.path ELSE t.path END
                    FROM forklake.ducklake_segment n
                    JOIN forklake.ducklake_table t ON t.catalog_id = n.owner_id AND t.table_id = r.table_id
                    JOIN forklake.ducklake_segment m ON m.catalog_id = n.catalog_id
                    JOIN forklake.ducklake_schema s ON s.catalog_id = m.owner_id AND s.schema_id = t.schema_id
                    JOIN forklake.lake_directory p ON p.catalog_id = c.owner_id
                   WHERE n.catalog_id = c.catalog_id AND n.since = c.since AND n.depth >= c.depth
                     AND m.since = c.since AND m.depth >= c.depth LIMIT 1) || r.path
       END AS path,
       r.path_is_relative AND c.depth = 0 AS path_is_relative, r.file_format, r.record_count, r.file_size_bytes,
       r.footer_size, r.row_id_start, r.partition_id, r.mapping_id, r.partial_max
  FROM forklake.lake_chain c
  JOIN forklake.ducklake_data_file r ON r.catalog_id = c.owner_id
 WHERE r.begin_snapshot <= c.upto AND (r.end_snapshot > c.upto OR c.begins = 0);

CREATE VIEW ducklake.ducklake_delete_file AS
SELECT c.catalog_id, c.catalog_name, r.delete_file_id, r.table_id,
       CASE WHEN r.begin_snapshot < c.begins THEN c.begins ELSE r.begin_snapshot END AS begin_snapshot,
       CASE WHEN r.end_snapshot <= c.upto THEN r.end_snapshot
            WHEN c.depth > 0 THEN coalesce(
                (SELECT min(z.snapshot_id) FROM forklake.ducklake_segment n
                   JOIN forklake.ducklake_tombstone z ON z.catalog_id = n.owner_id
                  WHERE n.catalog_id = c.catalog_id AND n.since = c.since AND n.depth < c.depth
                    AND z.snapshot_id <= n.upto AND z.scope_id = r.table_id AND z.row_uid = r.row_uid),
                (SELECT z.snapshot_id FROM forklake.ducklake_tombstone z
                  WHERE z.catalog_id = c.catalog_id AND z.scope_id = r.table_id AND z.row_uid = r.row_uid
                    AND z.snapshot_id < c.until),
                nullif(c.until, 9223372036854775807))
       END AS end_snapshot,
       r.data_file_id,
       CASE WHEN c.depth = 0 OR NOT r.path_is_relative THEN r.path
            ELSE (SELECT CASE WHEN t.path_is_relative AND s.path_is_relative THEN p.directory || s.path || t.path
                              WHEN t.path_is_relative THEN s.path || t.path ELSE t.path END
                    FROM forklake.ducklake_segment n
                    JOIN forklake.ducklake_table t ON t.catalog_id = n.owner_id AND t.table_id = r.table_id
                    JOIN forklake.ducklake_segment m ON m.catalog_id = n.catalog_id
                    JOIN forklake.ducklake_schema s ON s.catalog_id = m.owner_id AND s.schema_id = t.schema_id
                    JOIN forklake.lake_directory p ON p.catalog_id = c.owner_id
                   WHERE n.catalog_id = c.catalog_id AND n.since = c.since AND n.depth >= c.depth
                     AND m.since = c.since AND m.depth >= c.depth LIMIT 1) || r.path
       END AS path,
       r.path_is_relative AND c.depth = 0 AS path_is_relative, r.format, r.delete_count, r.file_size_bytes,
       r.footer_size, r.partial_max
  FROM forklake.lake_chain c
  JOIN forklake.ducklake_delete_file r ON r.catalog_id = c.owner_id
 WHERE r.begin_snapshot <= c.upto AND (r.end_snapshot > c.upto OR c.begins = 0);

-- Ours: the rows and deleted rows that are kept in the metadata, of all tables.
CREATE VIEW ducklake.ducklake_inlined_row AS
SELECT c.catalog_id, c.catalog_name, r.table_id, r.row_id, r.schema_version,
       CASE WHEN r.begin_snapshot < c.begins THEN c.begins ELSE r.begin_snapshot END AS begin_snapshot,
       CASE WHEN r.end_snapshot <= c.upto THEN r.end_snapshot
            WHEN c.depth > 0 THEN coalesce(
                (SELECT min(z.snapshot_id) FROM forklake.ducklake_segment n
                   JOIN forklake.ducklake_tombstone z ON z.catalog_id = n.owner_id
                  WHERE n.catalog_id = c.catalog_id AND n.since = c.since AND n.depth < c.depth
                    AND z.snapshot_id <= n.upto AND z.scope_id = r.table_id AND z.row_uid = r.row_uid),
                (SELECT z.snapshot_id FROM forklake.ducklake_tombstone z
                  WHERE z.catalog_id = c.catalog_id AND z.scope_id = r.table_id AND z.row_uid = r.row_uid
                    AND z.snapshot_id < c.until),
                nullif(c.until, 9223372036854775807))
       END AS end_snapshot,
       r.document
  FROM forklake.lake_chain c
  JOIN forklake.ducklake_inlined_row r ON r.catalog_id = c.owner_id
 WHERE r.begin_snapshot <= c.upto AND (r.end_snapshot > c.upto OR c.begins = 0);

CREATE VIEW ducklake.ducklake_inlined_delete AS
SELECT c.catalog_id, c.catalog_name, r.table_id, r.data_file_id, r.row_id,
       CASE WHEN r.begin_snapshot < c.begins THEN c.begins ELSE r.begin_snapshot END AS begin_snapshot,
       CASE WHEN r.end_snapshot <= c.upto THEN r.end_snapshot
            WHEN c.depth > 0 THEN coalesce(
                (SELECT min(z.snapshot_id) FROM forklake.ducklake_segment n
                   JOIN forklake.ducklake_tombstone z ON z.catalog_id = n.owner_id
                  WHERE n.catalog_id = c.catalog_id AND n.since = c.since AND n.depth < c.depth
                    AND z.snapshot_id <= n.upto AND z.scope_id = r.table_id AND z.row_uid = r.row_uid),
                (SELECT z.snapshot_id FROM forklake.ducklake_tombstone z
                  WHERE z.catalog_id = c.catalog_id AND z.scope_id = r.table_id AND z.row_uid = r.row_uid
                    AND z.snapshot_id < c.until),
                nullif(c.until, 9223372036854775807))
       END AS end_snapshot
  FROM forklake.lake_chain c
  JOIN forklake.ducklake_inlined_delete r ON r.catalog_id = c.owner_id
 WHERE r.begin_snapshot <= c.upto AND (r.end_snapshot > c.upto OR c.begins = 0);

-- Empty: there is no table of inlined rows per table. They are in ducklake_inlined_row.
CREATE VIEW ducklake.ducklake_inlined_data_tables AS
SELECT r.catalog_id, r.catalog_name, r.table_id, r.table_name, r.begin_snapshot AS schema_version
  FROM ducklake.ducklake_table r
 WHERE false;

-- What belongs to a row has no interval of its own: it shows as long as the row does, the row's past included.
CREATE VIEW ducklake.ducklake_macro_impl AS
SELECT c.catalog_id, c.catalog_name, f.macro_id, r.impl_id, r.dialect, r.sql, r.type
  FROM forklake.lake_chain c
  JOIN forklake.ducklake_macro f ON f.catalog_id = c.owner_id
  JOIN forklake.ducklake_macro_impl r ON r.catalog_id = f.catalog_id AND r.macro_id = f.macro_id
 WHERE f.begin_snapshot <= c.upto
   AND NOT EXISTS (SELECT 1 FROM forklake.ducklake_segment o
                    WHERE o.catalog_id = c.catalog_id AND o.owner_id = c.owner_id AND o.since > c.since);

CREATE VIEW ducklake.ducklake_macro_parameters AS
SELECT c.catalog_id, c.catalog_name, f.macro_id, r.impl_id, r.column_id, r.parameter_name, r.parameter_type,
       r.default_value, r.default_value_type
  FROM forklake.lake_chain c
  JOIN forklake.ducklake_macro f ON f.catalog_id = c.owner_id
  JOIN forklake.ducklake_macro_parameters r ON r.catalog_id = f.catalog_id AND r.macro_id = f.macro_id
 WHERE f.begin_snapshot <= c.upto
   AND NOT EXISTS (SELECT 1 FROM forklake.ducklake_segment o
                    WHERE o.catalog_id = c.catalog_id AND o.owner_id = c.owner_id AND o.since > c.since);

CREATE VIEW ducklake.ducklake_partition_column AS
SELECT c.catalog_id, c.catalog_name, f.partition_id, f.table_id, r.partition_key_index, r.column_id, r.transform
  FROM forklake.lake_chain c
  JOIN forklake.ducklake_partition_info f ON f.catalog_id = c.owner_id
  JOIN forklake.ducklake_partition_column r ON r.catalog_id = f.catalog_id AND r.partition_id = f.partition_id
 WHERE f.begin_snapshot <= c.upto
   AND NOT EXISTS (SELECT 1 FROM forklake.ducklake_segment o
                    WHERE o.catalog_id = c.catalog_id AND o.owner_id = c.owner_id AND o.since > c.since);

CREATE VIEW ducklake.ducklake_sort_expression AS
SELECT c.catalog_id, c.catalog_name, f.sort_id, f.table_id, r.sort_key_index, r.expression, r.dialect, r.sort_direction,
       r.null_order
  FROM forklake.lake_chain c
  JOIN forklake.ducklake_sort_info f ON f.catalog_id = c.owner_id
  JOIN forklake.ducklake_sort_expression r ON r.catalog_id = f.catalog_id AND r.sort_id = f.sort_id
 WHERE f.begin_snapshot <= c.upto
   AND NOT EXISTS (SELECT 1 FROM forklake.ducklake_segment o
                    WHERE o.catalog_id = c.catalog_id AND o.owner_id = c.owner_id AND o.since > c.since);

CREATE VIEW ducklake.ducklake_file_column_stats AS
SELECT c.catalog_id, c.catalog_name, f.data_file_id, f.table_id, r.column_id, r.column_size_bytes, r.value_count,
       r.null_count, r.min_value, r.max_value, r.contains_nan, r.extra_stats
  FROM forklake.lake_chain c
  JOIN forklake.ducklake_data_file f ON f.catalog_id = c.owner_id
  JOIN forklake.ducklake_file_column_stats r ON r.catalog_id = f.catalog_id AND r.data_file_id = f.data_file_id
 WHERE f.begin_snapshot <= c.upto
   AND NOT EXISTS (SELECT 1 FROM forklake.ducklake_segment o
                    WHERE o.catalog_id = c.catalog_id AND o.owner_id = c.owner_id AND o.since > c.since);

CREATE VIEW ducklake.ducklake_file_variant_stats AS
SELECT c.catalog_id, c.catalog_name, f.data_file_id, f.table_id, r.column_id, r.variant_path, r.shredded_type,
       r.column_size_bytes, r.value_count, r.null_count, r.min_value, r.max_value, r.contains_nan, r.extra_stats
  FROM forklake.lake_chain c
  JOIN forklake.ducklake_data_file f ON f.catalog_id = c.owner_id
  JOIN forklake.ducklake_file_variant_stats r ON r.catalog_id = f.catalog_id AND r.data_file_id = f.data_file_id
 WHERE f.begin_snapshot <= c.upto
   AND NOT EXISTS (SELECT 1 FROM forklake.ducklake_segment o
                    WHERE o.catalog_id = c.catalog_id AND o.owner_id = c.owner_id AND o.since > c.since);

CREATE VIEW ducklake.ducklake_file_partition_value AS
SELECT c.catalog_id, c.catalog_name, f.data_file_id, f.table_id, r.partition_key_index, r.partition_value
  FROM forklake.lake_chain c
  JOIN forklake.ducklake_data_file f ON f.catalog_id = c.owner_id
  JOIN forklake.ducklake_file_partition_value r ON r.catalog_id = f.catalog_id AND r.data_file_id = f.data_file_id
 WHERE f.begin_snapshot <= c.upto
   AND NOT EXISTS (SELECT 1 FROM forklake.ducklake_segment o
                    WHERE o.catalog_id = c.catalog_id AND o.owner_id = c.owner_id AND o.since > c.since);

-- Many files share a mapping, and a fork that uses an inherited one has a copy of it: each shows once.
CREATE VIEW ducklake.ducklake_column_mapping AS
SELECT DISTINCT c.catalog_id, c.catalog_name, r.mapping_id, r.table_id, r.type
  FROM forklake.lake_chain c
  JOIN forklake.ducklake_data_file f ON f.catalog_id = c.owner_id
  JOIN forklake.ducklake_column_mapping r ON r.catalog_id = f.catalog_id AND r.mapping_id = f.mapping_id
 WHERE f.begin_snapshot <= c.upto
   AND NOT EXISTS (SELECT 1 FROM forklake.ducklake_segment o
                    WHERE o.catalog_id = c.catalog_id AND o.owner_id = c.owner_id AND o.since > c.since);

CREATE VIEW ducklake.ducklake_name_mapping AS
SELECT DISTINCT c.catalog_id, c.catalog_name, r.mapping_id, r.column_id, r.source_name, r.target_field_id,
       r.parent_column, r.is_partition
  FROM forklake.lake_chain c
  JOIN forklake.ducklake_data_file f ON f.catalog_id = c.owner_id
  JOIN forklake.ducklake_name_mapping r ON r.catalog_id = f.catalog_id AND r.mapping_id = f.mapping_id
 WHERE f.begin_snapshot <= c.upto
   AND NOT EXISTS (SELECT 1 FROM forklake.ducklake_segment o
                    WHERE o.catalog_id = c.catalog_id AND o.owner_id = c.owner_id AND o.since > c.since);

-- Statistics of the tables that there are: the newest of the nearest catalog that wrote any.
CREATE VIEW ducklake.ducklake_table_stats AS
SELECT t.catalog_id, t.catalog_name, t.table_id, r.record_count, r.next_row_id, r.file_size_bytes
  FROM ducklake.ducklake_table t
 CROSS JOIN LATERAL (
       SELECT n.owner_id, m.begin_snapshot
         FROM forklake.lake_link n
        CROSS JOIN LATERAL (
              SELECT max(x.begin_snapshot) AS begin_snapshot FROM forklake.ducklake_table_stats x
               WHERE x.catalog_id = n.owner_id AND x.table_id = t.table_id AND x.begin_snapshot <= n.upto) m
        WHERE n.catalog_id = t.catalog_id AND n.until = 9223372036854775807 AND m.begin_snapshot IS NOT NULL
        ORDER BY n.depth LIMIT 1) newest
  JOIN forklake.ducklake_table_stats r
    ON r.catalog_id = newest.owner_id AND r.table_id = t.table_id AND r.begin_snapshot = newest.begin_snapshot
 WHERE t.end_snapshot IS NULL;

CREATE VIEW ducklake.ducklake_table_column_stats AS
SELECT t.catalog_id, t.catalog_name, t.table_id, r.column_id, r.contains_null, r.contains_nan, r.min_value, r.max_value,
       r.extra_stats
  FROM ducklake.ducklake_table t
 CROSS JOIN LATERAL (
       SELECT n.owner_id, m.begin_snapshot
         FROM forklake.lake_link n
        CROSS JOIN LATERAL (
              SELECT max(x.begin_snapshot) AS begin_snapshot FROM forklake.ducklake_table_column_stats x
               WHERE x.catalog_id = n.owner_id AND x.table_id = t.table_id AND x.begin_snapshot <= n.upto) m
        WHERE n.catalog_id = t.catalog_id AND n.until = 9223372036854775807 AND m.begin_snapshot IS NOT NULL
        ORDER BY n.depth LIMIT 1) newest
  JOIN forklake.ducklake_table_column_stats r
    ON r.catalog_id = newest.owner_id AND r.table_id = t.table_id AND r.begin_snapshot = newest.begin_snapshot
 WHERE t.end_snapshot IS NULL;

CREATE VIEW ducklake.ducklake_files_scheduled_for_deletion AS
SELECT k.catalog_id, k.catalog_name, r.data_file_id, r.path, r.path_is_relative, r.schedule_start
  FROM forklake.ducklake_catalog k
  JOIN forklake.ducklake_files_scheduled_for_deletion r ON r.catalog_id = k.catalog_id
 WHERE k.end_snapshot = 9223372036854775807;

INSERT INTO forklake.ducklake_catalog VALUES (0, 'cb70c0af-6f15-4654-90f4-911a907426b0', 'shop', NULL, NULL, NULL, 'shop/', true, 0, 9223372036854775807, '2026-11-19 21:02:15.596833+00:00', NULL);
INSERT INTO forklake.ducklake_catalog VALUES (1, '681583a8-49d3-4927-b7ac-b74a32368c4d', 'agent', 0, 16, NULL, 'agent/', true, 17, 9223372036854775807, '2026-11-19 21:02:15.708490+00:00', NULL);
INSERT INTO forklake.ducklake_catalog VALUES (2, '7f184f44-648a-4628-a8bf-70d4970ed5ac', 'deep', 1, 20, NULL, 'deep/', true, 21, 9223372036854775807, '2026-11-19 21:02:15.733176+00:00', NULL);
INSERT INTO forklake.ducklake_catalog VALUES (3, '0f5897be-3b19-46ac-a4fe-f2be77d7640e', 'copied', 0, 16, NULL, 'copied/', true, 24, 9223372036854775807, '2026-11-19 21:02:15.743064+00:00', NULL);
INSERT INTO forklake.ducklake_catalog VALUES (4, '293ee298-aa52-43e7-8105-a61d4b97609c', 'severed', 0, 16, NULL, 'severed/', true, 26, 9223372036854775807, '2026-11-19 21:02:15.784339+00:00', NULL);
INSERT INTO forklake.ducklake_catalog VALUES (5, '0d9b1162-ac33-4756-af3d-8ee82dc80e86', 'before', 0, 16, NULL, 'before/', true, 29, 30, '2026-11-19 21:02:15.862708+00:00', '2026-11-19 21:02:15.863800+00:00');
INSERT INTO forklake.ducklake_catalog VALUES (5, '0d9b1162-ac33-4756-af3d-8ee82dc80e86', 'after', 0, 16, NULL, 'before/', true, 30, 9223372036854775807, '2026-11-19 21:02:15.863800+00:00', NULL);
INSERT INTO forklake.ducklake_catalog VALUES (6, '2bebc99e-c986-42f4-94f4-ab73aadd8710', 'dropped', 0, 16, NULL, 'dropped/', true, 31, 32, '2026-11-19 21:02:15.864724+00:00', '2026-11-19 21:02:15.865759+00:00');
INSERT INTO forklake.ducklake_catalog VALUES (7, 'cebf02ce-feb5-4f6b-82a8-43407248e523', 'purged', 0, 16, NULL, 'purged/', true, 33, 34, '2026-11-19 21:02:15.866244+00:00', '2026-11-19 21:02:15.867146+00:00');
INSERT INTO forklake.ducklake_catalog VALUES (8, 'b7dcfe0b-f4fc-4324-9528-d8e44a6bed07', 'secret', NULL, NULL, NULL, 'secret/', true, 35, 9223372036854775807, '2026-11-19 21:02:15.901666+00:00', NULL);
INSERT INTO forklake.ducklake_catalog VALUES (9, '0c8b8ee7-f82a-45b2-8a46-a9e22bba60a6', 'slow', NULL, NULL, '@HOME@/outside/slow/', '@HOME@/outside/slow/slow/', false, 38, 9223372036854775807, '2026-11-19 21:02:15.918964+00:00', NULL);
INSERT INTO forklake.ducklake_catalog VALUES (10, 'a2f3bca7-a707-4fc1-bdd8-29e0885d6369', 'imported', NULL, NULL, NULL, 'imported/', true, 41, 9223372036854775807, '2026-11-19 21:02:16.104785+00:00', NULL);
INSERT INTO forklake.ducklake_head VALUES (0, 45, true, 4, 2389);
INSERT INTO forklake.ducklake_head VALUES (1, 20, true, 0, 0);
INSERT INTO forklake.ducklake_head VALUES (2, 23, true, 0, 0);
INSERT INTO forklake.ducklake_head VALUES (3, 25, true, 5, 2853);
INSERT INTO forklake.ducklake_head VALUES (4, 28, true, 5, 2853);
INSERT INTO forklake.ducklake_head VALUES (5, 29, true, 0, 0);
INSERT INTO forklake.ducklake_head VALUES (6, 31, false, 0, 0);
INSERT INTO forklake.ducklake_head VALUES (8, 37, true, 1, 487);
INSERT INTO forklake.ducklake_head VALUES (9, 40, true, 1, 295);
INSERT INTO forklake.ducklake_head VALUES (10, 44, true, 2, 772);
INSERT INTO forklake.ducklake_segment VALUES (1, 17, 9223372036854775807, 1, 0, 16, 0);
INSERT INTO forklake.ducklake_segment VALUES (2, 21, 9223372036854775807, 1, 1, 20, 17);
INSERT INTO forklake.ducklake_segment VALUES (2, 21, 9223372036854775807, 2, 0, 16, 0);
INSERT INTO forklake.ducklake_segment VALUES (5, 29, 9223372036854775807, 1, 0, 16, 0);
INSERT INTO forklake.ducklake_segment VALUES (6, 31, 9223372036854775807, 1, 0, 16, 0);
INSERT INTO forklake.ducklake_tombstone VALUES (1, 0, 12, 20);
INSERT INTO forklake.ducklake_tombstone VALUES (1, 2, 10, 19);
INSERT INTO forklake.ducklake_tombstone VALUES (1, 4, 13, 20);
INSERT INTO forklake.ducklake_snapshot VALUES (0, 0, '2026-11-19 21:02:15.596833+00:00', 0);
INSERT INTO forklake.ducklake_snapshot VALUES (0, 1, '2026-11-19 21:02:15.607515+00:00', 1);
INSERT INTO forklake.ducklake_snapshot VALUES (0, 2, '2026-11-19 21:02:15.616333+00:00', 2);
INSERT INTO forklake.ducklake_snapshot VALUES (0, 3, '2026-11-19 21:02:15.638294+00:00', 2);
INSERT INTO forklake.ducklake_snapshot VALUES (0, 4, '2026-11-19 21:02:15.651521+00:00', 2);
INSERT INTO forklake.ducklake_snapshot VALUES (0, 5, '2026-11-19 21:02:15.658803+00:00', 2);
INSERT INTO forklake.ducklake_snapshot VALUES (0, 6, '2026-11-19 21:02:15.661137+00:00', 3);
INSERT INTO forklake.ducklake_snapshot VALUES (0, 7, '2026-11-19 21:02:15.663186+00:00', 4);
INSERT INTO forklake.ducklake_snapshot VALUES (0, 8, '2026-11-19 21:02:15.675806+00:00', 4);
INSERT INTO forklake.ducklake_snapshot VALUES (0, 9, '2026-11-19 21:02:15.676727+00:00', 5);
INSERT INTO forklake.ducklake_snapshot VALUES (0, 10, '2026-11-19 21:02:15.679040+00:00', 6);
INSERT INTO forklake.ducklake_snapshot VALUES (0, 11, '2026-11-19 21:02:15.682655+00:00', 7);
INSERT INTO forklake.ducklake_snapshot VALUES (0, 12, '2026-11-19 21:02:15.689871+00:00', 8);
INSERT INTO forklake.ducklake_snapshot VALUES (0, 13, '2026-11-19 21:02:15.693241+00:00', 9);
INSERT INTO forklake.ducklake_snapshot VALUES (0, 14, '2026-11-19 21:02:15.696574+00:00', 10);
INSERT INTO forklake.ducklake_snapshot VALUES (0, 15, '2026-11-19 21:02:15.699201+00:00', 11);
INSERT INTO forklake.ducklake_snapshot VALUES (0, 16, '2026-11-19 21:02:15.706123+00:00', 12);
INSERT INTO forklake.ducklake_snapshot VALUES (0, 45, '2026-11-19 21:02:16.149615+00:00', 12);
INSERT INTO forklake.ducklake_snapshot VALUES (1, 17, '2026-11-19 21:02:15.708490+00:00', 12);
INSERT INTO forklake.ducklake_snapshot VALUES (1, 18, '2026-11-19 21:02:15.722902+00:00', 12);
INSERT INTO forklake.ducklake_snapshot VALUES (1, 19, '2026-11-19 21:02:15.725511+00:00', 12);
INSERT INTO forklake.ducklake_snapshot VALUES (1, 20, '2026-11-19 21:02:15.732543+00:00', 13);
INSERT INTO forklake.ducklake_snapshot VALUES (2, 21, '2026-11-19 21:02:15.733176+00:00', 13);
INSERT INTO forklake.ducklake_snapshot VALUES (2, 22, '2026-11-19 21:02:15.736275+00:00', 14);
INSERT INTO forklake.ducklake_snapshot VALUES (2, 23, '2026-11-19 21:02:15.741108+00:00', 14);
INSERT INTO forklake.ducklake_snapshot VALUES (3, 24, '2026-11-19 21:02:15.743064+00:00', 12);
INSERT INTO forklake.ducklake_snapshot VALUES (3, 25, '2026-11-19 21:02:15.783469+00:00', 12);
INSERT INTO forklake.ducklake_snapshot VALUES (4, 28, '2026-11-19 21:02:15.797230+00:00', 12);
INSERT INTO forklake.ducklake_snapshot VALUES (5, 29, '2026-11-19 21:02:15.862708+00:00', 12);
INSERT INTO forklake.ducklake_snapshot VALUES (6, 31, '2026-11-19 21:02:15.864724+00:00', 12);
INSERT INTO forklake.ducklake_snapshot VALUES (8, 35, '2026-11-19 21:02:15.901666+00:00', 0);
INSERT INTO forklake.ducklake_snapshot VALUES (8, 36, '2026-11-19 21:02:15.905346+00:00', 1);
INSERT INTO forklake.ducklake_snapshot VALUES (8, 37, '2026-11-19 21:02:15.917745+00:00', 1);
INSERT INTO forklake.ducklake_snapshot VALUES (9, 38, '2026-11-19 21:02:15.918964+00:00', 0);
INSERT INTO forklake.ducklake_snapshot VALUES (9, 39, '2026-11-19 21:02:15.924856+00:00', 1);
INSERT INTO forklake.ducklake_snapshot VALUES (9, 40, '2026-11-19 21:02:15.933678+00:00', 1);
INSERT INTO forklake.ducklake_snapshot VALUES (10, 41, '2026-11-19 21:02:15.934807+00:00', 0);
INSERT INTO forklake.ducklake_snapshot VALUES (10, 42, '2026-11-19 21:02:15.965175+00:00', 1);
INSERT INTO forklake.ducklake_snapshot VALUES (10, 43, '2026-11-19 21:02:15.985407+00:00', 1);
INSERT INTO forklake.ducklake_snapshot VALUES (10, 44, '2026-11-19 21:02:16.141699+00:00', 1);
INSERT INTO forklake.ducklake_snapshot_changes VALUES (0, 0, 'created_schema:"main"', NULL, NULL, NULL);
INSERT INTO forklake.ducklake_snapshot_changes VALUES (0, 1, 'created_schema:"more"', NULL, NULL, NULL);
INSERT INTO forklake.ducklake_snapshot_changes VALUES (0, 2, 'created_table:"main"."orders"', NULL, NULL, NULL);
INSERT INTO forklake.ducklake_snapshot_changes VALUES (0, 3, 'inserted_into_table:2', NULL, NULL, NULL);
INSERT INTO forklake.ducklake_snapshot_changes VALUES (0, 4, 'deleted_from_table:2', NULL, NULL, NULL);
INSERT INTO forklake.ducklake_snapshot_changes VALUES (0, 5, 'inlined_insert:2', NULL, NULL, NULL);
INSERT INTO forklake.ducklake_snapshot_changes VALUES (0, 6, 'created_table:"main"."gone"', NULL, NULL, NULL);
INSERT INTO forklake.ducklake_snapshot_changes VALUES (0, 7, 'created_table:"more"."wide"', NULL, NULL, NULL);
INSERT INTO forklake.ducklake_snapshot_changes VALUES (0, 8, 'inlined_insert:5', NULL, NULL, NULL);
INSERT INTO forklake.ducklake_snapshot_changes VALUES (0, 9, 'altered_table:5', NULL, NULL, NULL);
INSERT INTO forklake.ducklake_snapshot_changes VALUES (0, 10, 'altered_table:2', NULL, NULL, NULL);
INSERT INTO forklake.ducklake_snapshot_changes VALUES (0, 11, 'altered_table:2', NULL, NULL, NULL);
INSERT INTO forklake.ducklake_snapshot_changes VALUES (0, 12, 'created_view:"main"."names"', NULL, NULL, NULL);
INSERT INTO forklake.ducklake_snapshot_changes VALUES (0, 13, 'created_scalar_macro:"main"."twice"', NULL, NULL, NULL);
INSERT INTO forklake.ducklake_snapshot_changes VALUES (0, 14, 'created_scalar_macro:"main"."more_than"', NULL, NULL, NULL);
INSERT INTO forklake.ducklake_snapshot_changes VALUES (0, 15, 'created_table:"main"."log"', NULL, NULL, NULL);
INSERT INTO forklake.ducklake_snapshot_changes VALUES (0, 16, 'altered_table:9', NULL, NULL, NULL);
INSERT INTO forklake.ducklake_snapshot_changes VALUES (0, 45, 'inlined_insert:2', NULL, NULL, NULL);
INSERT INTO forklake.ducklake_snapshot_changes VALUES (1, 17, '', NULL, 'Fork of "shop" at snapshot 16', NULL);
INSERT INTO forklake.ducklake_snapshot_changes VALUES (1, 18, 'inlined_insert:2', NULL, NULL, NULL);
INSERT INTO forklake.ducklake_snapshot_changes VALUES (1, 19, 'inlined_delete:2', NULL, NULL, NULL);
INSERT INTO forklake.ducklake_snapshot_changes VALUES (1, 20, 'dropped_table:4', NULL, NULL, NULL);
INSERT INTO forklake.ducklake_snapshot_changes VALUES (2, 21, '', NULL, 'Fork of "agent" at snapshot 20', NULL);
INSERT INTO forklake.ducklake_snapshot_changes VALUES (2, 22, 'created_table:"main"."notes"', NULL, NULL, NULL);
INSERT INTO forklake.ducklake_snapshot_changes VALUES (2, 23, 'inlined_insert:11', NULL, NULL, NULL);
INSERT INTO forklake.ducklake_snapshot_changes VALUES (3, 24, '', NULL, 'Copy of "shop" at snapshot 16', NULL);
INSERT INTO forklake.ducklake_snapshot_changes VALUES (3, 25, 'inserted_into_table:2', NULL, NULL, NULL);
INSERT INTO forklake.ducklake_snapshot_changes VALUES (4, 28, '', NULL, 'Severed from its ancestors', NULL);
INSERT INTO forklake.ducklake_snapshot_changes VALUES (5, 29, '', NULL, 'Fork of "shop" at snapshot 16', NULL);
INSERT INTO forklake.ducklake_snapshot_changes VALUES (6, 31, '', NULL, 'Fork of "shop" at snapshot 16', NULL);
INSERT INTO forklake.ducklake_snapshot_changes VALUES (8, 35, 'created_schema:"main"', NULL, NULL, NULL);
INSERT INTO forklake.ducklake_snapshot_changes VALUES (8, 36, 'created_table:"main"."keys"', NULL, NULL, NULL);
INSERT INTO forklake.ducklake_snapshot_changes VALUES (8, 37, 'inserted_into_table:13', NULL, NULL, NULL);
INSERT INTO forklake.ducklake_snapshot_changes VALUES (9, 38, 'created_schema:"main"', NULL, NULL, NULL);
INSERT INTO forklake.ducklake_snapshot_changes VALUES (9, 39, 'created_table:"main"."t"', NULL, NULL, NULL);
INSERT INTO forklake.ducklake_snapshot_changes VALUES (9, 40, 'inserted_into_table:15', NULL, NULL, NULL);
INSERT INTO forklake.ducklake_snapshot_changes VALUES (10, 41, 'created_schema:"main"', NULL, NULL, NULL);
INSERT INTO forklake.ducklake_snapshot_changes VALUES (10, 42, 'created_table:"main"."t"', NULL, NULL, NULL);
INSERT INTO forklake.ducklake_snapshot_changes VALUES (10, 43, 'inserted_into_table:17', NULL, NULL, NULL);
INSERT INTO forklake.ducklake_snapshot_changes VALUES (10, 44, 'inserted_into_table:17', NULL, NULL, NULL);
INSERT INTO forklake.ducklake_snapshot_lineage VALUES (0, 0, NULL, NULL);
INSERT INTO forklake.ducklake_snapshot_lineage VALUES (0, 1, 0, 'Rrq7uN7mtnoz4ThH');
INSERT INTO forklake.ducklake_snapshot_lineage VALUES (0, 2, 1, 'Tdo5ENL4dszL-Z74');
INSERT INTO forklake.ducklake_snapshot_lineage VALUES (0, 3, 2, 'nRALFeSIdz9WqPRr');
INSERT INTO forklake.ducklake_snapshot_lineage VALUES (0, 4, 3, 'tjy2kkZJFTCvmnej');
INSERT INTO forklake.ducklake_snapshot_lineage VALUES (0, 5, 4, 'C-9-9KhcBgkNmjxB');
INSERT INTO forklake.ducklake_snapshot_lineage VALUES (0, 6, 5, '3DwOIL3_qKGS09k9');
INSERT INTO forklake.ducklake_snapshot_lineage VALUES (0, 7, 6, 'Zo7sfBXZC6LX-3sH');
INSERT INTO forklake.ducklake_snapshot_lineage VALUES (0, 8, 7, 'jrb_6r_BHUnPFJtP');
INSERT INTO forklake.ducklake_snapshot_lineage VALUES (0, 9, 8, 'yDFTaOAfRv7QIbQM');
INSERT INTO forklake.ducklake_snapshot_lineage VALUES (0, 10, 9, 'EzzcK7C9MHs99oAd');
INSERT INTO forklake.ducklake_snapshot_lineage VALUES (0, 11, 10, 'Igv-kbaquvruPPKH');
INSERT INTO forklake.ducklake_snapshot_lineage VALUES (0, 12, 11, 'pAwnEU4vPDsYi_dU');
INSERT INTO forklake.ducklake_snapshot_lineage VALUES (0, 13, 12, '2gTFynMlZIu6qTE8');
INSERT INTO forklake.ducklake_snapshot_lineage VALUES (0, 14, 13, 'Uq1F2VQO0kpOxTdb');
INSERT INTO forklake.ducklake_snapshot_lineage VALUES (0, 15, 14, '6iC9nXejP1OtfJA1');
INSERT INTO forklake.ducklake_snapshot_lineage VALUES (0, 16, 15, '77G-62-_dnOxS_I0');
INSERT INTO forklake.ducklake_snapshot_lineage VALUES (0, 45, 16, '9mJNYHU8z_9J5wlm');
INSERT INTO forklake.ducklake_snapshot_lineage VALUES (1, 17, 16, NULL);
INSERT INTO forklake.ducklake_snapshot_lineage VALUES (1, 18, 17, 'AfOeQ0aALxoejf2B');
INSERT INTO forklake.ducklake_snapshot_lineage VALUES (1, 19, 18, 'bbPAxyoxIC6P0-yC');
INSERT INTO forklake.ducklake_snapshot_lineage VALUES (1, 20, 19, 'C3BflpX4tCTvMuuI');
INSERT INTO forklake.ducklake_snapshot_lineage VALUES (2, 21, 20, NULL);
INSERT INTO forklake.ducklake_snapshot_lineage VALUES (2, 22, 21, 'H3o9CNSbdiqva83f');
INSERT INTO forklake.ducklake_snapshot_lineage VALUES (2, 23, 22, 'CS6NKKxlnKCr1wSe');
INSERT INTO forklake.ducklake_snapshot_lineage VALUES (3, 24, 16, NULL);
INSERT INTO forklake.ducklake_snapshot_lineage VALUES (3, 25, 24, '614RsJs7VVvP_YWJ');
INSERT INTO forklake.ducklake_snapshot_lineage VALUES (4, 26, 16, NULL);
INSERT INTO forklake.ducklake_snapshot_lineage VALUES (4, 27, 26, 'l_Wd438HqGLx6H4A');
INSERT INTO forklake.ducklake_snapshot_lineage VALUES (4, 28, 27, NULL);
INSERT INTO forklake.ducklake_snapshot_lineage VALUES (5, 29, 16, NULL);
INSERT INTO forklake.ducklake_snapshot_lineage VALUES (6, 31, 16, NULL);
INSERT INTO forklake.ducklake_snapshot_lineage VALUES (8, 35, NULL, NULL);
INSERT INTO forklake.ducklake_snapshot_lineage VALUES (8, 36, 35, 'qz54e1sRz9hf66uG');
INSERT INTO forklake.ducklake_snapshot_lineage VALUES (8, 37, 36, 'LDg-lzWIcucEsyad');
INSERT INTO forklake.ducklake_snapshot_lineage VALUES (9, 38, NULL, NULL);
INSERT INTO forklake.ducklake_snapshot_lineage VALUES (9, 39, 38, 'mSN5_YHPQqpE09DF');
INSERT INTO forklake.ducklake_snapshot_lineage VALUES (9, 40, 39, 'G3IzJONu8BZDsLm5');
INSERT INTO forklake.ducklake_snapshot_lineage VALUES (10, 41, NULL, NULL);
INSERT INTO forklake.ducklake_snapshot_lineage VALUES (10, 42, 41, NULL);
INSERT INTO forklake.ducklake_snapshot_lineage VALUES (10, 43, 42, NULL);
INSERT INTO forklake.ducklake_snapshot_lineage VALUES (10, 44, 43, 'BLasVOFq0HhX9OIH');
INSERT INTO forklake.ducklake_numbering VALUES (10, 41, 0, 3);
INSERT INTO forklake.ducklake_schema_versions VALUES (0, 2, 2, 2);
INSERT INTO forklake.ducklake_schema_versions VALUES (0, 6, 3, 4);
INSERT INTO forklake.ducklake_schema_versions VALUES (0, 7, 4, 5);
INSERT INTO forklake.ducklake_schema_versions VALUES (0, 9, 5, 5);
INSERT INTO forklake.ducklake_schema_versions VALUES (0, 15, 11, 9);
INSERT INTO forklake.ducklake_schema_versions VALUES (2, 22, 14, 11);
INSERT INTO forklake.ducklake_schema_versions VALUES (3, 24, 2, 2);
INSERT INTO forklake.ducklake_schema_versions VALUES (3, 24, 3, 4);
INSERT INTO forklake.ducklake_schema_versions VALUES (3, 24, 5, 5);
INSERT INTO forklake.ducklake_schema_versions VALUES (3, 24, 11, 9);
INSERT INTO forklake.ducklake_schema_versions VALUES (4, 28, 2, 2);
INSERT INTO forklake.ducklake_schema_versions VALUES (4, 28, 3, 4);
INSERT INTO forklake.ducklake_schema_versions VALUES (4, 28, 5, 5);
INSERT INTO forklake.ducklake_schema_versions VALUES (4, 28, 11, 9);
INSERT INTO forklake.ducklake_schema_versions VALUES (8, 36, 1, 13);
INSERT INTO forklake.ducklake_schema_versions VALUES (9, 39, 1, 15);
INSERT INTO forklake.ducklake_schema_versions VALUES (10, 42, 1, 17);
INSERT INTO forklake.ducklake_merge VALUES (3, 0, 24, 16, 'chain', false);
INSERT INTO forklake.ducklake_merge VALUES (4, 0, 26, 16, 'chain', false);
DELETE FROM forklake.ducklake_metadata;
INSERT INTO forklake.ducklake_metadata VALUES (-1, 'created_by', 'forklake', '', -1);
INSERT INTO forklake.ducklake_metadata VALUES (-1, 'data_path', '@HOME@/data/', '', -1);
INSERT INTO forklake.ducklake_metadata VALUES (-1, 'encrypted', 'false', '', -1);
INSERT INTO forklake.ducklake_metadata VALUES (-1, 'forklake_version', '3', '', -1);
INSERT INTO forklake.ducklake_metadata VALUES (-1, 'parquet_compression', 'zstd', '', -1);
INSERT INTO forklake.ducklake_metadata VALUES (-1, 'version', '1.0', '', -1);
INSERT INTO forklake.ducklake_metadata VALUES (0, 'data_inlining_row_limit', '2', '', -1);
INSERT INTO forklake.ducklake_metadata VALUES (1, 'data_inlining_row_limit', '2', '', -1);
INSERT INTO forklake.ducklake_metadata VALUES (2, 'data_inlining_row_limit', '2', '', -1);
INSERT INTO forklake.ducklake_metadata VALUES (3, 'data_inlining_row_limit', '2', '', -1);
INSERT INTO forklake.ducklake_metadata VALUES (4, 'data_inlining_row_limit', '2', '', -1);
INSERT INTO forklake.ducklake_metadata VALUES (5, 'data_inlining_row_limit', '2', '', -1);
INSERT INTO forklake.ducklake_metadata VALUES (6, 'data_inlining_row_limit', '2', '', -1);
INSERT INTO forklake.ducklake_metadata VALUES (8, 'encrypted', 'true', '', -1);
INSERT INTO forklake.ducklake_due VALUES (0, '2026-11-19 21:02:15.868610+00:00');
INSERT INTO forklake.ducklake_due VALUES (10, '2026-11-19 21:02:16.117258+00:00');
INSERT INTO forklake.ducklake_schema VALUES (0, 0, 0, 9223372036854775807, 0, 'b7087a9e-f2e4-4802-97cf-c036ff6fbdf5', 'main', 'main/', true);
INSERT INTO forklake.ducklake_schema VALUES (0, 1, 1, 9223372036854775807, 1, 'd1a96895-5a72-4ebd-a96e-6c8c169b3600', 'more', 'more/', true);
INSERT INTO forklake.ducklake_schema VALUES (3, 35, 24, 9223372036854775807, 0, 'b7087a9e-f2e4-4802-97cf-c036ff6fbdf5', 'main', 'main/', true);
INSERT INTO forklake.ducklake_schema VALUES (3, 36, 24, 9223372036854775807, 1, 'd1a96895-5a72-4ebd-a96e-6c8c169b3600', 'more', 'more/', true);
INSERT INTO forklake.ducklake_schema VALUES (4, 68, 28, 9223372036854775807, 0, 'b7087a9e-f2e4-4802-97cf-c036ff6fbdf5', 'main', 'main/', true);
INSERT INTO forklake.ducklake_schema VALUES (4, 69, 28, 9223372036854775807, 1, 'd1a96895-5a72-4ebd-a96e-6c8c169b3600', 'more', 'more/', true);
INSERT INTO forklake.ducklake_schema VALUES (8, 99, 35, 9223372036854775807, 12, 'd270f183-4965-4144-937d-2e836ad02551', 'main', 'main/', true);
INSERT INTO forklake.ducklake_schema VALUES (9, 103, 38, 9223372036854775807, 14, 'ae374e92-3df3-473f-a2db-cf6c2966d76a', 'main', 'main/', true);
INSERT INTO forklake.ducklake_schema VALUES (10, 107, 41, 9223372036854775807, 16, '7c83c6e7-f520-4b67-8dae-b33f799e1dcd', 'main', 'main/', true);
INSERT INTO forklake.ducklake_table VALUES (0, 2, 2, 9223372036854775807, 2, 'f8f09f5c-4eb7-49f0-be08-8e74065dfc86', 0, 'orders', 'orders/', true);
INSERT INTO forklake.ducklake_table VALUES (0, 12, 6, 9223372036854775807, 4, '7018b03f-b070-4608-8da6-6c04aaf40f98', 0, 'gone', 'gone/', true);
INSERT INTO forklake.ducklake_table VALUES (0, 14, 7, 9223372036854775807, 5, '4a9bf091-0954-43e6-959b-966195c53899', 1, 'wide', 'wide/', true);
INSERT INTO forklake.ducklake_table VALUES (0, 28, 15, 9223372036854775807, 9, '96166fa9-eac4-4124-97e1-b4e11da4c045', 0, 'log', 'log/', true);
INSERT INTO forklake.ducklake_table VALUES (2, 32, 22, 9223372036854775807, 11, '483a0390-c6b3-46df-aee6-446a678a509e', 0, 'notes', 'notes/', true);
INSERT INTO forklake.ducklake_table VALUES (3, 37, 24, 9223372036854775807, 4, '7018b03f-b070-4608-8da6-6c04aaf40f98', 0, 'gone', 'gone/', true);
INSERT INTO forklake.ducklake_table VALUES (3, 38, 24, 9223372036854775807, 9, '96166fa9-eac4-4124-97e1-b4e11da4c045', 0, 'log', 'log/', true);
INSERT INTO forklake.ducklake_table VALUES (3, 39, 24, 9223372036854775807, 2, 'f8f09f5c-4eb7-49f0-be08-8e74065dfc86', 0, 'orders', 'orders/', true);
INSERT INTO forklake.ducklake_table VALUES (3, 40, 24, 9223372036854775807, 5, '4a9bf091-0954-43e6-959b-966195c53899', 1, 'wide', 'wide/', true);
INSERT INTO forklake.ducklake_table VALUES (4, 70, 28, 9223372036854775807, 4, '7018b03f-b070-4608-8da6-6c04aaf40f98', 0, 'gone', 'gone/', true);
INSERT INTO forklake.ducklake_table VALUES (4, 71, 28, 9223372036854775807, 9, '96166fa9-eac4-4124-97e1-b4e11da4c045', 0, 'log', 'log/', true);
INSERT INTO forklake.ducklake_table VALUES (4, 72, 28, 9223372036854775807, 2, 'f8f09f5c-4eb7-49f0-be08-8e74065dfc86', 0, 'orders', 'orders/', true);
INSERT INTO forklake.ducklake_table VALUES (4, 73, 28, 9223372036854775807, 5, '4a9bf091-0954-43e6-959b-966195c53899', 1, 'wide', 'wide/', true);
INSERT INTO forklake.ducklake_table VALUES (8, 100, 36, 9223372036854775807, 13, 'b250327c-9e09-4c67-b934-aa1cbccc9920', 12, 'keys', 'keys/', true);
INSERT INTO forklake.ducklake_table VALUES (9, 104, 39, 9223372036854775807, 15, '6679f412-10ae-4ba8-803a-f5319c6df9dd', 14, 't', 't/', true);
INSERT INTO forklake.ducklake_table VALUES (10, 108, 42, 9223372036854775807, 17, '01a1f59e-039e-7c25-85de-2aa0b6c961f1', 16, 't', 't/', true);
INSERT INTO forklake.ducklake_column VALUES (0, 3, 2, 9223372036854775807, 1, 2, 1, 'id', 'int64', NULL, 'NULL', true, NULL, 'literal', 'duckdb');
INSERT INTO forklake.ducklake_column VALUES (0, 4, 2, 9223372036854775807, 2, 2, 2, 'item', 'varchar', NULL, 'NULL', true, NULL, 'literal', 'duckdb');
INSERT INTO forklake.ducklake_column VALUES (0, 13, 6, 9223372036854775807, 1, 4, 1, 'x', 'int32', NULL, 'NULL', true, NULL, 'literal', 'duckdb');
INSERT INTO forklake.ducklake_column VALUES (0, 15, 7, 9223372036854775807, 1, 5, 1, 'd', 'decimal(10,2)', NULL, 'NULL', true, NULL, 'literal', 'duckdb');
INSERT INTO forklake.ducklake_column VALUES (0, 16, 7, 9223372036854775807, 2, 5, 2, 'l', 'list', NULL, 'NULL', true, NULL, 'literal', 'duckdb');
INSERT INTO forklake.ducklake_column VALUES (0, 17, 7, 9223372036854775807, 3, 5, 3, 'element', 'int32', NULL, 'NULL', true, 2, 'literal', 'duckdb');
INSERT INTO forklake.ducklake_column VALUES (0, 18, 7, 9223372036854775807, 4, 5, 4, 's', 'struct', NULL, 'NULL', true, NULL, 'literal', 'duckdb');
INSERT INTO forklake.ducklake_column VALUES (0, 19, 7, 9223372036854775807, 5, 5, 5, 'a', 'int32', NULL, 'NULL', true, 4, 'literal', 'duckdb');
INSERT INTO forklake.ducklake_column VALUES (0, 20, 7, 9223372036854775807, 6, 5, 6, 'b', 'date', NULL, 'NULL', true, 4, 'literal', 'duckdb');
INSERT INTO forklake.ducklake_column VALUES (0, 22, 9, 9223372036854775807, 7, 5, 7, 'added', 'int64', NULL, 'NULL', true, NULL, 'literal', 'duckdb');
INSERT INTO forklake.ducklake_column VALUES (0, 29, 15, 9223372036854775807, 1, 9, 1, 'at', 'int64', NULL, '40 + 2', true, NULL, 'expression', 'duckdb');
INSERT INTO forklake.ducklake_column VALUES (2, 33, 22, 9223372036854775807, 1, 11, 1, 'text', 'varchar', NULL, 'NULL', true, NULL, 'literal', 'duckdb');
INSERT INTO forklake.ducklake_column VALUES (3, 44, 24, 9223372036854775807, 1, 2, 1, 'id', 'int64', NULL, 'NULL', true, NULL, 'literal', 'duckdb');
INSERT INTO forklake.ducklake_column VALUES (3, 45, 24, 9223372036854775807, 2, 2, 2, 'item', 'varchar', NULL, 'NULL', true, NULL, 'literal', 'duckdb');
INSERT INTO forklake.ducklake_column VALUES (3, 46, 24, 9223372036854775807, 1, 4, 1, 'x', 'int32', NULL, 'NULL', true, NULL, 'literal', 'duckdb');
INSERT INTO forklake.ducklake_column VALUES (3, 47, 24, 9223372036854775807, 7, 5, 7, 'added', 'int64', NULL, 'NULL', true, NULL, 'literal', 'duckdb');
INSERT INTO forklake.ducklake_column VALUES (3, 48, 24, 9223372036854775807, 1, 5, 1, 'd', 'decimal(10,2)', NULL, 'NULL', true, NULL, 'literal', 'duckdb');
INSERT INTO forklake.ducklake_column VALUES (3, 49, 24, 9223372036854775807, 2, 5, 2, 'l', 'list', NULL, 'NULL', true, NULL, 'literal', 'duckdb');
INSERT INTO forklake.ducklake_column VALUES (3, 50, 24, 9223372036854775807, 4, 5, 4, 's', 'struct', NULL, 'NULL', true, NULL, 'literal', 'duckdb');
INSERT INTO forklake.ducklake_column VALUES (3, 51, 24, 9223372036854775807, 3, 5, 3, 'element', 'int32', NULL, 'NULL', true, 2, 'literal', 'duckdb');
INSERT INTO forklake.ducklake_column VALUES (3, 52, 24, 9223372036854775807, 5, 5, 5, 'a', 'int32', NULL, 'NULL', true, 4, 'literal', 'duckdb');
INSERT INTO forklake.ducklake_column VALUES (3, 53, 24, 9223372036854775807, 6, 5, 6, 'b', 'date', NULL, 'NULL', true, 4, 'literal', 'duckdb');
INSERT INTO forklake.ducklake_column VALUES (3, 54, 24, 9223372036854775807, 1, 9, 1, 'at', 'int64', NULL, '40 + 2', true, NULL, 'expression', 'duckdb');
INSERT INTO forklake.ducklake_column VALUES (4, 77, 28, 9223372036854775807, 1, 2, 1, 'id', 'int64', NULL, 'NULL', true, NULL, 'literal', 'duckdb');
INSERT INTO forklake.ducklake_column VALUES (4, 78, 28, 9223372036854775807, 2, 2, 2, 'item', 'varchar', NULL, 'NULL', true, NULL, 'literal', 'duckdb');
INSERT INTO forklake.ducklake_column VALUES (4, 79, 28, 9223372036854775807, 1, 4, 1, 'x', 'int32', NULL, 'NULL', true, NULL, 'literal', 'duckdb');
INSERT INTO forklake.ducklake_column VALUES (4, 80, 28, 9223372036854775807, 7, 5, 7, 'added', 'int64', NULL, 'NULL', true, NULL, 'literal', 'duckdb');
INSERT INTO forklake.ducklake_column VALUES (4, 81, 28, 9223372036854775807, 1, 5, 1, 'd', 'decimal(10,2)', NULL, 'NULL', true, NULL, 'literal', 'duckdb');
INSERT INTO forklake.ducklake_column VALUES (4, 82, 28, 9223372036854775807, 2, 5, 2, 'l', 'list', NULL, 'NULL', true, NULL, 'literal', 'duckdb');
INSERT INTO forklake.ducklake_column VALUES (4, 83, 28, 9223372036854775807, 4, 5, 4, 's', 'struct', NULL, 'NULL', true, NULL, 'literal', 'duckdb');
INSERT INTO forklake.ducklake_column VALUES (4, 84, 28, 9223372036854775807, 3, 5, 3, 'element', 'int32', NULL, 'NULL', true, 2, 'literal', 'duckdb');
INSERT INTO forklake.ducklake_column VALUES (4, 85, 28, 9223372036854775807, 5, 5, 5, 'a', 'int32', NULL, 'NULL', true, 4, 'literal', 'duckdb');
INSERT INTO forklake.ducklake_column VALUES (4, 86, 28, 9223372036854775807, 6, 5, 6, 'b', 'date', NULL, 'NULL', true, 4, 'literal', 'duckdb');
INSERT INTO forklake.ducklake_column VALUES (4, 87, 28, 9223372036854775807, 1, 9, 1, 'at', 'int64', NULL, '40 + 2', true, NULL, 'expression', 'duckdb');
INSERT INTO forklake.ducklake_column VALUES (8, 101, 36, 9223372036854775807, 1, 13, 1, 'id', 'int64', NULL, 'NULL', true, NULL, 'literal', 'duckdb');
INSERT INTO forklake.ducklake_column VALUES (9, 105, 39, 9223372036854775807, 1, 15, 1, 'id', 'int64', NULL, 'NULL', true, NULL, 'literal', 'duckdb');
INSERT INTO forklake.ducklake_column VALUES (10, 109, 42, 9223372036854775807, 1, 17, 1, 'id', 'int64', NULL, 'NULL', true, NULL, 'literal', 'duckdb');
INSERT INTO forklake.ducklake_column VALUES (10, 110, 42, 9223372036854775807, 2, 17, 2, 'name', 'varchar', NULL, 'NULL', true, NULL, 'literal', 'duckdb');
INSERT INTO forklake.ducklake_view VALUES (0, 25, 12, 9223372036854775807, 6, '3ac84957-a446-40e4-8eb2-c486bca22b2b', 0, 'names', 'duckdb', 'SELECT item FROM orders', NULL);
INSERT INTO forklake.ducklake_view VALUES (3, 41, 24, 9223372036854775807, 6, '3ac84957-a446-40e4-8eb2-c486bca22b2b', 0, 'names', 'duckdb', 'SELECT item FROM orders', NULL);
INSERT INTO forklake.ducklake_view VALUES (4, 74, 28, 9223372036854775807, 6, '3ac84957-a446-40e4-8eb2-c486bca22b2b', 0, 'names', 'duckdb', 'SELECT item FROM orders', NULL);
INSERT INTO forklake.ducklake_macro VALUES (0, 26, 13, 9223372036854775807, 0, 7, 'twice');
INSERT INTO forklake.ducklake_macro VALUES (0, 27, 14, 9223372036854775807, 0, 8, 'more_than');
INSERT INTO forklake.ducklake_macro VALUES (3, 42, 24, 9223372036854775807, 0, 8, 'more_than');
INSERT INTO forklake.ducklake_macro VALUES (3, 43, 24, 9223372036854775807, 0, 7, 'twice');
INSERT INTO forklake.ducklake_macro VALUES (4, 75, 28, 9223372036854775807, 0, 8, 'more_than');
INSERT INTO forklake.ducklake_macro VALUES (4, 76, 28, 9223372036854775807, 0, 7, 'twice');
INSERT INTO forklake.ducklake_macro_impl VALUES (0, 7, 0, 'duckdb', 'x * 2', 'scalar');
INSERT INTO forklake.ducklake_macro_impl VALUES (0, 8, 0, 'duckdb', 'x + y', 'scalar');
INSERT INTO forklake.ducklake_macro_impl VALUES (3, 7, 0, 'duckdb', 'x * 2', 'scalar');
INSERT INTO forklake.ducklake_macro_impl VALUES (3, 8, 0, 'duckdb', 'x + y', 'scalar');
INSERT INTO forklake.ducklake_macro_impl VALUES (4, 7, 0, 'duckdb', 'x * 2', 'scalar');
INSERT INTO forklake.ducklake_macro_impl VALUES (4, 8, 0, 'duckdb', 'x + y', 'scalar');
INSERT INTO forklake.ducklake_macro_parameters VALUES (0, 7, 0, 0, 'x', 'unknown', NULL, 'unknown');
INSERT INTO forklake.ducklake_macro_parameters VALUES (0, 8, 0, 0, 'x', 'unknown', NULL, 'unknown');
INSERT INTO forklake.ducklake_macro_parameters VALUES (0, 8, 0, 1, 'y', 'unknown', '1', 'literal');
INSERT INTO forklake.ducklake_macro_parameters VALUES (3, 7, 0, 0, 'x', 'unknown', NULL, 'unknown');
INSERT INTO forklake.ducklake_macro_parameters VALUES (3, 8, 0, 0, 'x', 'unknown', NULL, 'unknown');
INSERT INTO forklake.ducklake_macro_parameters VALUES (3, 8, 0, 1, 'y', 'unknown', '1', 'literal');
INSERT INTO forklake.ducklake_macro_parameters VALUES (4, 7, 0, 0, 'x', 'unknown', NULL, 'unknown');
INSERT INTO forklake.ducklake_macro_parameters VALUES (4, 8, 0, 0, 'x', 'unknown', NULL, 'unknown');
INSERT INTO forklake.ducklake_macro_parameters VALUES (4, 8, 0, 1, 'y', 'unknown', '1', 'literal');
INSERT INTO forklake.ducklake_tag VALUES (0, 23, 10, 9223372036854775807, 2, 'comment', 'what was ordered');
INSERT INTO forklake.ducklake_tag VALUES (3, 55, 24, 9223372036854775807, 2, 'comment', 'what was ordered');
INSERT INTO forklake.ducklake_tag VALUES (4, 88, 28, 9223372036854775807, 2, 'comment', 'what was ordered');
INSERT INTO forklake.ducklake_column_tag VALUES (0, 24, 11, 9223372036854775807, 2, 2, 'team', 'sales');
INSERT INTO forklake.ducklake_column_tag VALUES (3, 56, 24, 9223372036854775807, 2, 2, 'team', 'sales');
INSERT INTO forklake.ducklake_column_tag VALUES (4, 89, 28, 9223372036854775807, 2, 2, 'team', 'sales');
INSERT INTO forklake.ducklake_partition_info VALUES (0, 5, 2, 9223372036854775807, 3, 2);
INSERT INTO forklake.ducklake_partition_info VALUES (3, 57, 24, 9223372036854775807, 3, 2);
INSERT INTO forklake.ducklake_partition_info VALUES (4, 90, 28, 9223372036854775807, 3, 2);
INSERT INTO forklake.ducklake_partition_column VALUES (0, 3, 2, 0, 1, 'identity');
INSERT INTO forklake.ducklake_partition_column VALUES (3, 3, 2, 0, 1, 'identity');
INSERT INTO forklake.ducklake_partition_column VALUES (4, 3, 2, 0, 1, 'identity');
INSERT INTO forklake.ducklake_sort_info VALUES (0, 30, 16, 9223372036854775807, 10, 9);
INSERT INTO forklake.ducklake_sort_info VALUES (3, 58, 24, 9223372036854775807, 10, 9);
INSERT INTO forklake.ducklake_sort_info VALUES (4, 91, 28, 9223372036854775807, 10, 9);
INSERT INTO forklake.ducklake_sort_expression VALUES (0, 10, 9, 0, 'at % 10', 'duckdb', 'ASC', 'NULLS_LAST');
INSERT INTO forklake.ducklake_sort_expression VALUES (3, 10, 9, 0, 'at % 10', 'duckdb', 'ASC', 'NULLS_LAST');
INSERT INTO forklake.ducklake_sort_expression VALUES (4, 10, 9, 0, 'at % 10', 'duckdb', 'ASC', 'NULLS_LAST');
INSERT INTO forklake.ducklake_data_file VALUES (0, 6, 3, 9223372036854775807, 0, 2, NULL, 'id=1/ducklake-01a1f59e-024e-7ef6-936b-efdbf6f75902.parquet', true, 'parquet', 2, 470, 289, 0, 3, NULL, NULL, NULL, NULL, NULL, NULL, true);
INSERT INTO forklake.ducklake_data_file VALUES (0, 7, 3, 9223372036854775807, 1, 2, NULL, 'id=2/ducklake-01a1f59e-0250-7f40-803c-501fbf80e1a7.parquet', true, 'parquet', 1, 465, 287, 2, 3, NULL, NULL, NULL, NULL, NULL, NULL, true);
INSERT INTO forklake.ducklake_data_file VALUES (0, 8, 3, 9223372036854775807, 2, 2, NULL, 'id=3/ducklake-01a1f59e-0251-7e32-b8f5-6c0f3ad44c91.parquet', true, 'parquet', 1, 465, 287, 3, 3, NULL, NULL, NULL, NULL, NULL, NULL, true);
INSERT INTO forklake.ducklake_data_file VALUES (3, 59, 24, 9223372036854775807, 0, 2, NULL, '@HOME@/data/shop/main/orders/id=1/ducklake-01a1f59e-024e-7ef6-936b-efdbf6f75902.parquet', false, 'parquet', 2, 470, 289, 0, 3, NULL, NULL, NULL, NULL, NULL, 3, true);
INSERT INTO forklake.ducklake_data_file VALUES (3, 60, 24, 9223372036854775807, 1, 2, NULL, '@HOME@/data/shop/main/orders/id=2/ducklake-01a1f59e-0250-7f40-803c-501fbf80e1a7.parquet', false, 'parquet', 1, 465, 287, 2, 3, NULL, NULL, NULL, NULL, NULL, 3, true);
INSERT INTO forklake.ducklake_data_file VALUES (3, 61, 24, 9223372036854775807, 2, 2, NULL, '@HOME@/data/shop/main/orders/id=3/ducklake-01a1f59e-0251-7e32-b8f5-6c0f3ad44c91.parquet', false, 'parquet', 1, 465, 287, 3, 3, NULL, NULL, NULL, NULL, NULL, 3, true);
INSERT INTO forklake.ducklake_data_file VALUES (3, 66, 25, 9223372036854775807, 4, 2, NULL, 'id=20/ducklake-01a1f59e-02e0-74db-807e-bebb72bdfa89.parquet', true, 'parquet', 3, 464, 284, 206158430208, 3, NULL, NULL, NULL, NULL, NULL, NULL, true);
INSERT INTO forklake.ducklake_data_file VALUES (4, 67, 27, 9223372036854775807, 5, 2, NULL, 'id=30/ducklake-01a1f59e-02ed-7c03-985d-7118b52b470b.parquet', true, 'parquet', 3, 464, 284, 274877906944, 3, NULL, NULL, NULL, NULL, NULL, NULL, true);
INSERT INTO forklake.ducklake_data_file VALUES (4, 92, 28, 9223372036854775807, 0, 2, NULL, '@HOME@/data/shop/main/orders/id=1/ducklake-01a1f59e-024e-7ef6-936b-efdbf6f75902.parquet', false, 'parquet', 2, 470, 289, 0, 3, NULL, NULL, NULL, NULL, NULL, 3, true);
INSERT INTO forklake.ducklake_data_file VALUES (4, 93, 28, 9223372036854775807, 1, 2, NULL, '@HOME@/data/shop/main/orders/id=2/ducklake-01a1f59e-0250-7f40-803c-501fbf80e1a7.parquet', false, 'parquet', 1, 465, 287, 2, 3, NULL, NULL, NULL, NULL, NULL, 3, true);
INSERT INTO forklake.ducklake_data_file VALUES (4, 94, 28, 9223372036854775807, 2, 2, NULL, '@HOME@/data/shop/main/orders/id=3/ducklake-01a1f59e-0251-7e32-b8f5-6c0f3ad44c91.parquet', false, 'parquet', 1, 465, 287, 3, 3, NULL, NULL, NULL, NULL, NULL, 3, true);
INSERT INTO forklake.ducklake_data_file VALUES (8, 102, 37, 9223372036854775807, 6, 13, NULL, 'ducklake-01a1f59e-0368-7b33-8bd0-c7069fa96834.parquet', true, 'parquet', 2, 487, 241, 0, NULL, '/Gs9yQUdXkfoUCGAdB3CCg==', NULL, NULL, NULL, NULL, NULL, true);
INSERT INTO forklake.ducklake_data_file VALUES (9, 106, 40, 9223372036854775807, 7, 15, NULL, 'ducklake-01a1f59e-0378-7976-8b00-501034550d05.parquet', true, 'parquet', 1, 295, 186, 0, NULL, NULL, NULL, NULL, NULL, NULL, NULL, true);
INSERT INTO forklake.ducklake_data_file VALUES (10, 111, 43, 9223372036854775807, 8, 17, NULL, '@HOME@/outside/plain/main/t/ducklake-01a1f59e-03c7-7f84-85f0-0fcd67c08058.parquet', false, 'parquet', 2, 324, 236, 0, NULL, NULL, NULL, NULL, NULL, 10, NULL, true);
INSERT INTO forklake.ducklake_data_file VALUES (10, 112, 44, 9223372036854775807, 9, 17, NULL, 'ducklake-01a1f59e-0448-7a6f-a204-f7b607571c54.parquet', true, 'parquet', 1, 448, 279, 2, NULL, NULL, NULL, NULL, NULL, NULL, NULL, true);
INSERT INTO forklake.ducklake_delete_file VALUES (0, 9, 4, 9223372036854775807, 3, 2, 0, 'ducklake-b9e924aa-f58b-4131-abc1-682ecb503dd0-delete.parquet', true, 'parquet', 1, 989, 507, NULL, NULL, NULL, NULL);
INSERT INTO forklake.ducklake_delete_file VALUES (3, 62, 24, 9223372036854775807, 3, 2, 0, '@HOME@/data/shop/main/orders/ducklake-b9e924aa-f58b-4131-abc1-682ecb503dd0-delete.parquet', false, 'parquet', 1, 989, 507, NULL, NULL, NULL, NULL);
INSERT INTO forklake.ducklake_delete_file VALUES (4, 95, 28, 9223372036854775807, 3, 2, 0, '@HOME@/data/shop/main/orders/ducklake-b9e924aa-f58b-4131-abc1-682ecb503dd0-delete.parquet', false, 'parquet', 1, 989, 507, NULL, NULL, NULL, NULL);
INSERT INTO forklake.ducklake_file_column_stats VALUES (0, 0, 2, 1, 97, 2, 0, '1', '1', NULL, NULL);
INSERT INTO forklake.ducklake_file_column_stats VALUES (0, 0, 2, 2, 72, 1, 1, 'apple', 'apple', NULL, NULL);
INSERT INTO forklake.ducklake_file_column_stats VALUES (0, 1, 2, 1, 97, 1, 0, '2', '2', NULL, NULL);
INSERT INTO forklake.ducklake_file_column_stats VALUES (0, 1, 2, 2, 69, 1, 0, 'pear', 'pear', NULL, NULL);
INSERT INTO forklake.ducklake_file_column_stats VALUES (0, 2, 2, 1, 97, 1, 0, '3', '3', NULL, NULL);
INSERT INTO forklake.ducklake_file_column_stats VALUES (0, 2, 2, 2, 69, 1, 0, 'it''s', 'it''s', NULL, NULL);
INSERT INTO forklake.ducklake_file_column_stats VALUES (3, 0, 2, 1, 97, 2, 0, '1', '1', NULL, NULL);
INSERT INTO forklake.ducklake_file_column_stats VALUES (3, 0, 2, 2, 72, 1, 1, 'apple', 'apple', NULL, NULL);
INSERT INTO forklake.ducklake_file_column_stats VALUES (3, 1, 2, 1, 97, 1, 0, '2', '2', NULL, NULL);
INSERT INTO forklake.ducklake_file_column_stats VALUES (3, 1, 2, 2, 69, 1, 0, 'pear', 'pear', NULL, NULL);
INSERT INTO forklake.ducklake_file_column_stats VALUES (3, 2, 2, 1, 97, 1, 0, '3', '3', NULL, NULL);
INSERT INTO forklake.ducklake_file_column_stats VALUES (3, 2, 2, 2, 69, 1, 0, 'it''s', 'it''s', NULL, NULL);
INSERT INTO forklake.ducklake_file_column_stats VALUES (3, 4, 2, 1, 97, 3, 0, '20', '20', NULL, NULL);
INSERT INTO forklake.ducklake_file_column_stats VALUES (3, 4, 2, 2, 71, 2, 1, 'k', 'kiwi', NULL, NULL);
INSERT INTO forklake.ducklake_file_column_stats VALUES (4, 0, 2, 1, 97, 2, 0, '1', '1', NULL, NULL);
INSERT INTO forklake.ducklake_file_column_stats VALUES (4, 0, 2, 2, 72, 1, 1, 'apple', 'apple', NULL, NULL);
INSERT INTO forklake.ducklake_file_column_stats VALUES (4, 1, 2, 1, 97, 1, 0, '2', '2', NULL, NULL);
INSERT INTO forklake.ducklake_file_column_stats VALUES (4, 1, 2, 2, 69, 1, 0, 'pear', 'pear', NULL, NULL);
INSERT INTO forklake.ducklake_file_column_stats VALUES (4, 2, 2, 1, 97, 1, 0, '3', '3', NULL, NULL);
INSERT INTO forklake.ducklake_file_column_stats VALUES (4, 2, 2, 2, 69, 1, 0, 'it''s', 'it''s', NULL, NULL);
INSERT INTO forklake.ducklake_file_column_stats VALUES (4, 5, 2, 1, 97, 3, 0, '30', '30', NULL, NULL);
INSERT INTO forklake.ducklake_file_column_stats VALUES (4, 5, 2, 2, 71, 2, 1, 'l', 'lime', NULL, NULL);
INSERT INTO forklake.ducklake_file_column_stats VALUES (8, 6, 13, 1, 234, 2, 0, '1', '2', NULL, NULL);
INSERT INTO forklake.ducklake_file_column_stats VALUES (9, 7, 15, 1, 97, 1, 0, '5', '5', NULL, NULL);
INSERT INTO forklake.ducklake_file_column_stats VALUES (10, 8, 17, 1, 41, 2, 0, '1', '2', NULL, NULL);
INSERT INTO forklake.ducklake_file_column_stats VALUES (10, 8, 17, 2, 35, 2, 0, 'a', 'b', NULL, NULL);
INSERT INTO forklake.ducklake_file_column_stats VALUES (10, 9, 17, 1, 97, 1, 0, '3', '3', NULL, NULL);
INSERT INTO forklake.ducklake_file_column_stats VALUES (10, 9, 17, 2, 60, 1, 0, 'c', 'c', NULL, NULL);
INSERT INTO forklake.ducklake_file_partition_value VALUES (0, 0, 2, 0, '1');
INSERT INTO forklake.ducklake_file_partition_value VALUES (0, 1, 2, 0, '2');
INSERT INTO forklake.ducklake_file_partition_value VALUES (0, 2, 2, 0, '3');
INSERT INTO forklake.ducklake_file_partition_value VALUES (3, 0, 2, 0, '1');
INSERT INTO forklake.ducklake_file_partition_value VALUES (3, 1, 2, 0, '2');
INSERT INTO forklake.ducklake_file_partition_value VALUES (3, 2, 2, 0, '3');
INSERT INTO forklake.ducklake_file_partition_value VALUES (3, 4, 2, 0, '20');
INSERT INTO forklake.ducklake_file_partition_value VALUES (4, 0, 2, 0, '1');
INSERT INTO forklake.ducklake_file_partition_value VALUES (4, 1, 2, 0, '2');
INSERT INTO forklake.ducklake_file_partition_value VALUES (4, 2, 2, 0, '3');
INSERT INTO forklake.ducklake_file_partition_value VALUES (4, 5, 2, 0, '30');
INSERT INTO forklake.ducklake_table_stats VALUES (0, 2, 2, 0, 0, 0, 3);
INSERT INTO forklake.ducklake_table_stats VALUES (0, 2, 3, 4, 4, 1400, 3);
INSERT INTO forklake.ducklake_table_stats VALUES (0, 2, 4, 4, 4, 1400, 3);
INSERT INTO forklake.ducklake_table_stats VALUES (0, 2, 5, 6, 6, 1400, 3);
INSERT INTO forklake.ducklake_table_stats VALUES (0, 2, 45, 7, 7, 1400, 3);
INSERT INTO forklake.ducklake_table_stats VALUES (0, 4, 6, 0, 0, 0, 2);
INSERT INTO forklake.ducklake_table_stats VALUES (0, 5, 7, 0, 0, 0, 7);
INSERT INTO forklake.ducklake_table_stats VALUES (0, 5, 8, 1, 1, 0, 7);
INSERT INTO forklake.ducklake_table_stats VALUES (0, 5, 9, 1, 1, 0, 8);
INSERT INTO forklake.ducklake_table_stats VALUES (0, 9, 15, 0, 0, 0, 2);
INSERT INTO forklake.ducklake_table_stats VALUES (1, 2, 18, 7, 68719476737, 1400, 3);
INSERT INTO forklake.ducklake_table_stats VALUES (1, 2, 19, 6, 68719476737, 1400, 3);
INSERT INTO forklake.ducklake_table_stats VALUES (2, 11, 22, 0, 137438953472, 0, 2);
INSERT INTO forklake.ducklake_table_stats VALUES (2, 11, 23, 1, 137438953473, 0, 2);
INSERT INTO forklake.ducklake_table_stats VALUES (3, 2, 24, 6, 206158430208, 1400, 3);
INSERT INTO forklake.ducklake_table_stats VALUES (3, 2, 25, 9, 206158430211, 1864, 3);
INSERT INTO forklake.ducklake_table_stats VALUES (3, 4, 24, 0, 206158430208, 0, 2);
INSERT INTO forklake.ducklake_table_stats VALUES (3, 5, 24, 1, 206158430208, 0, 8);
INSERT INTO forklake.ducklake_table_stats VALUES (3, 9, 24, 0, 206158430208, 0, 2);
INSERT INTO forklake.ducklake_table_stats VALUES (4, 2, 27, 9, 274877906947, 1864, 3);
INSERT INTO forklake.ducklake_table_stats VALUES (4, 4, 28, 0, 274877906944, 0, 2);
INSERT INTO forklake.ducklake_table_stats VALUES (4, 5, 28, 1, 274877906944, 0, 8);
INSERT INTO forklake.ducklake_table_stats VALUES (4, 9, 28, 0, 274877906944, 0, 2);
INSERT INTO forklake.ducklake_table_stats VALUES (8, 13, 36, 0, 0, 0, 2);
INSERT INTO forklake.ducklake_table_stats VALUES (8, 13, 37, 2, 2, 487, 2);
INSERT INTO forklake.ducklake_table_stats VALUES (9, 15, 39, 0, 0, 0, 2);
INSERT INTO forklake.ducklake_table_stats VALUES (9, 15, 40, 1, 1, 295, 2);
INSERT INTO forklake.ducklake_table_stats VALUES (10, 17, 42, 0, 2, 0, 3);
INSERT INTO forklake.ducklake_table_stats VALUES (10, 17, 43, 2, 2, 324, 3);
INSERT INTO forklake.ducklake_table_stats VALUES (10, 17, 44, 3, 3, 772, 3);
INSERT INTO forklake.ducklake_table_column_stats VALUES (0, 2, 3, 1, false, NULL, '1', '3', NULL);
INSERT INTO forklake.ducklake_table_column_stats VALUES (0, 2, 3, 2, true, NULL, 'apple', 'pear', NULL);
INSERT INTO forklake.ducklake_table_column_stats VALUES (0, 2, 5, 1, false, NULL, '1', '5', NULL);
INSERT INTO forklake.ducklake_table_column_stats VALUES (0, 2, 5, 2, true, NULL, 'apple', 'plum', NULL);
INSERT INTO forklake.ducklake_table_column_stats VALUES (0, 2, 45, 1, false, NULL, '1', '8', NULL);
INSERT INTO forklake.ducklake_table_column_stats VALUES (0, 2, 45, 2, true, NULL, 'after the forks', 'plum', NULL);
INSERT INTO forklake.ducklake_table_column_stats VALUES (0, 5, 8, 1, false, NULL, '1.00', '1.00', NULL);
INSERT INTO forklake.ducklake_table_column_stats VALUES (0, 5, 8, 3, true, NULL, '1', '1', NULL);
INSERT INTO forklake.ducklake_table_column_stats VALUES (0, 5, 8, 5, false, NULL, '1', '1', NULL);
INSERT INTO forklake.ducklake_table_column_stats VALUES (0, 5, 8, 6, true, NULL, NULL, NULL, NULL);
INSERT INTO forklake.ducklake_table_column_stats VALUES (1, 2, 18, 1, false, NULL, '1', '7', NULL);
INSERT INTO forklake.ducklake_table_column_stats VALUES (1, 2, 18, 2, true, NULL, 'apple', 'plum', NULL);
INSERT INTO forklake.ducklake_table_column_stats VALUES (2, 11, 23, 1, false, NULL, 'a note', 'a note', NULL);
INSERT INTO forklake.ducklake_table_column_stats VALUES (3, 2, 24, 1, false, NULL, '1', '5', NULL);
INSERT INTO forklake.ducklake_table_column_stats VALUES (3, 2, 24, 2, true, NULL, 'apple', 'plum', NULL);
INSERT INTO forklake.ducklake_table_column_stats VALUES (3, 2, 25, 1, false, NULL, '1', '20', NULL);
INSERT INTO forklake.ducklake_table_column_stats VALUES (3, 2, 25, 2, true, NULL, 'apple', 'plum', NULL);
INSERT INTO forklake.ducklake_table_column_stats VALUES (3, 5, 24, 1, false, NULL, '1.00', '1.00', NULL);
INSERT INTO forklake.ducklake_table_column_stats VALUES (3, 5, 24, 3, true, NULL, '1', '1', NULL);
INSERT INTO forklake.ducklake_table_column_stats VALUES (3, 5, 24, 5, false, NULL, '1', '1', NULL);
INSERT INTO forklake.ducklake_table_column_stats VALUES (3, 5, 24, 6, true, NULL, NULL, NULL, NULL);
INSERT INTO forklake.ducklake_table_column_stats VALUES (4, 2, 27, 1, false, NULL, '1', '30', NULL);
INSERT INTO forklake.ducklake_table_column_stats VALUES (4, 2, 27, 2, true, NULL, 'apple', 'plum', NULL);
INSERT INTO forklake.ducklake_table_column_stats VALUES (4, 5, 28, 1, false, NULL, '1.00', '1.00', NULL);
INSERT INTO forklake.ducklake_table_column_stats VALUES (4, 5, 28, 3, true, NULL, '1', '1', NULL);
INSERT INTO forklake.ducklake_table_column_stats VALUES (4, 5, 28, 5, false, NULL, '1', '1', NULL);
INSERT INTO forklake.ducklake_table_column_stats VALUES (4, 5, 28, 6, true, NULL, NULL, NULL, NULL);
INSERT INTO forklake.ducklake_table_column_stats VALUES (8, 13, 37, 1, false, NULL, '1', '2', NULL);
INSERT INTO forklake.ducklake_table_column_stats VALUES (9, 15, 40, 1, false, NULL, '5', '5', NULL);
INSERT INTO forklake.ducklake_table_column_stats VALUES (10, 17, 43, 1, false, NULL, '1', '2', NULL);
INSERT INTO forklake.ducklake_table_column_stats VALUES (10, 17, 43, 2, false, NULL, 'a', 'b', NULL);
INSERT INTO forklake.ducklake_table_column_stats VALUES (10, 17, 44, 1, false, NULL, '1', '3', NULL);
INSERT INTO forklake.ducklake_table_column_stats VALUES (10, 17, 44, 2, false, NULL, 'a', 'c', NULL);
INSERT INTO forklake.ducklake_inlined_row VALUES (0, 10, 5, 9223372036854775807, 2, 4, 2, '{"1": "4", "2": "plum"}', NULL);
INSERT INTO forklake.ducklake_inlined_row VALUES (0, 11, 5, 9223372036854775807, 2, 5, 2, '{"1": "5", "2": "fig"}', NULL);
INSERT INTO forklake.ducklake_inlined_row VALUES (0, 21, 8, 9223372036854775807, 5, 0, 4, '{"1": "1.00", "2": "[1, NULL]", "4": "{''a'': 1, ''b'': NULL}"}', NULL);
INSERT INTO forklake.ducklake_inlined_row VALUES (0, 113, 45, 9223372036854775807, 2, 6, 12, '{"1": "8", "2": "after the forks"}', NULL);
INSERT INTO forklake.ducklake_inlined_row VALUES (1, 31, 18, 9223372036854775807, 2, 68719476736, 12, '{"1": "7", "2": "fig"}', NULL);
INSERT INTO forklake.ducklake_inlined_row VALUES (2, 34, 23, 9223372036854775807, 11, 137438953472, 14, '{"1": "a note"}', NULL);
INSERT INTO forklake.ducklake_inlined_row VALUES (3, 63, 24, 9223372036854775807, 2, 4, 2, '{"1": "4", "2": "plum"}', 5);
INSERT INTO forklake.ducklake_inlined_row VALUES (3, 64, 24, 9223372036854775807, 2, 5, 2, '{"1": "5", "2": "fig"}', 5);
INSERT INTO forklake.ducklake_inlined_row VALUES (3, 65, 24, 9223372036854775807, 5, 0, 5, '{"1": "1.00", "2": "[1, NULL]", "4": "{''a'': 1, ''b'': NULL}"}', 8);
INSERT INTO forklake.ducklake_inlined_row VALUES (4, 96, 28, 9223372036854775807, 2, 4, 2, '{"1": "4", "2": "plum"}', 5);
INSERT INTO forklake.ducklake_inlined_row VALUES (4, 97, 28, 9223372036854775807, 2, 5, 2, '{"1": "5", "2": "fig"}', 5);
INSERT INTO forklake.ducklake_inlined_row VALUES (4, 98, 28, 9223372036854775807, 5, 0, 5, '{"1": "1.00", "2": "[1, NULL]", "4": "{''a'': 1, ''b'': NULL}"}', 8);
COMMIT;
