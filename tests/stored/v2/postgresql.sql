-- The metadata of a lake in PostgreSQL: everything forklake needs, in one file.
--
--     psql -d mydb -v ON_ERROR_STOP=1 -f postgresql.sql
--
-- Tables are DuckLake 1.0's with catalog_id on every row, DuckLake 1.1's ducklake_view_column_tag, and ten of
-- our own: ducklake_catalog, ducklake_head, ducklake_segment, ducklake_tombstone, ducklake_snapshot_lineage,
-- ducklake_numbering, ducklake_lease, ducklake_due, ducklake_inlined_row, ducklake_inlined_delete.
-- docs/spec/metadata.md tells which rows a catalog sees. A versioned row lives from begin_snapshot until before
-- end_snapshot; 9223372036854775807 means it is live.
--
-- Written by `python -m forklake.metastore.schema` from the description beside it: change that.

BEGIN;

CREATE SCHEMA forklake;

CREATE SEQUENCE forklake.ducklake_catalog_id_seq MINVALUE 0 START WITH 12;  -- catalogs
CREATE SEQUENCE forklake.ducklake_object_id_seq MINVALUE 0 START WITH 16;  -- schemas, tables, views, macros, partition and sort specifications
CREATE SEQUENCE forklake.ducklake_file_id_seq MINVALUE 0 START WITH 11;  -- data files, delete files, name mappings
CREATE SEQUENCE forklake.ducklake_snapshot_id_seq MINVALUE 0 START WITH 44;  -- snapshots and changes of the catalog list
CREATE SEQUENCE forklake.ducklake_row_uid_seq MINVALUE 0 START WITH 103;  -- versioned rows

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
    PRIMARY KEY (catalog_id)
) WITH (fillfactor = 60);

-- Flattened ancestry of a fork, nearest first. The catalog itself (depth 0, no limit) is implied.
CREATE TABLE forklake.ducklake_segment (
    catalog_id bigint NOT NULL,
    depth smallint NOT NULL,  -- 1 is the nearest
    owner_id bigint NOT NULL,  -- the ancestor whose rows it sees
    upto bigint NOT NULL,  -- up to and including this snapshot
    PRIMARY KEY (catalog_id, depth)
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

-- Options

-- Options. catalog_id -1 is the whole lake.
CREATE TABLE forklake.ducklake_metadata (
    catalog_id bigint NOT NULL,
    key varchar NOT NULL,
    value varchar NOT NULL,
    scope varchar NOT NULL DEFAULT '',  -- '' (the catalog), 'schema' or 'table'
    scope_id bigint NOT NULL DEFAULT -1,  -- the schema or table
    PRIMARY KEY (catalog_id, scope, scope_id, key)
);

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

INSERT INTO forklake.ducklake_metadata (catalog_id, key, value) VALUES
    (-1, 'version', '1.0'),
    (-1, 'forklake_version', '2'),
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

COMMENT ON TABLE forklake.ducklake_segment IS 'Flattened ancestry of a fork, nearest first. The catalog itself (depth 0, no limit) is implied.';
COMMENT ON COLUMN forklake.ducklake_segment.catalog_id IS 'the catalog that the row belongs to';
COMMENT ON COLUMN forklake.ducklake_segment.depth IS '1 is the nearest';
COMMENT ON COLUMN forklake.ducklake_segment.owner_id IS 'the ancestor whose rows it sees';
COMMENT ON COLUMN forklake.ducklake_segment.upto IS 'up to and including this snapshot';

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

COMMENT ON TABLE forklake.ducklake_metadata IS 'Options. catalog_id -1 is the whole lake.';
COMMENT ON COLUMN forklake.ducklake_metadata.catalog_id IS 'the catalog that the row belongs to';
COMMENT ON COLUMN forklake.ducklake_metadata.key IS 'the name';
COMMENT ON COLUMN forklake.ducklake_metadata.value IS 'the value';
COMMENT ON COLUMN forklake.ducklake_metadata.scope IS ''''' (the catalog), ''schema'' or ''table''';
COMMENT ON COLUMN forklake.ducklake_metadata.scope_id IS 'the schema or table';

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

-- Move the head of a catalog from the snapshot the client planned on, and write the rows of the new one.
--   outcome  committed; known: the commit key did this already; moved, dropped, missing: nothing was written;
--            unleased: nothing was written, the lease is gone
--   p_commit {"entries": [["inserted_into_table", 3], ...], "author", "message", "extra_info", "commit_key", "lease",
--             "schema_version", "new_objects": n, "new_files": n, "rows": {table: [row, ...]},
--             "ends": {table: [row_uid, ...]}, "tombstones": [{"scope_id", "row_uid"}, ...]}
CREATE FUNCTION forklake.lake_commit(
    p_catalog bigint, p_expected bigint, p_commit jsonb,
    OUT outcome text, OUT snapshot bigint, OUT made_at timestamptz, OUT objects bigint[], OUT files bigint[]
) LANGUAGE plpgsql SET enable_seqscan = off AS $$
DECLARE
    v_rows jsonb := p_commit -> 'rows';
    v_ends jsonb := p_commit -> 'ends';
    v_leased boolean := true;
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
    UPDATE forklake.ducklake_head h SET snapshot_id = nextval('forklake.ducklake_snapshot_id_seq')
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
           string_agg((e.entry ->> 0) || ':' || CASE jsonb_typeof(e.entry -> 1)
               WHEN 'number' THEN forklake.real_id((e.entry ->> 1)::bigint, objects)::text ELSE e.entry ->> 1 END,
               ',' ORDER BY e.place),
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
                partial_max, read_upto, numbering_id)
        SELECT p_catalog, snapshot, forklake.real_id(r.data_file_id, files), forklake.real_id(r.table_id, objects),
               r.file_order, r.path, r.path_is_relative, r.file_format, r.record_count, r.file_size_bytes,
               r.footer_size, r.row_id_start, forklake.real_id(r.partition_id, objects), r.encryption_key,
               forklake.real_id(r.mapping_id, files), r.partial_max, r.read_upto, r.numbering_id
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
               (catalog_id, begin_snapshot, table_id, row_id, schema_version, document)
        SELECT p_catalog, snapshot, forklake.real_id(r.table_id, objects), r.row_id, r.schema_version, r.document
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
--   outcome       forked; missing, dropped, no_snapshot, overlap: nothing was written
CREATE FUNCTION forklake.lake_fork(
    p_parent bigint, p_at bigint, p_names varchar[], p_uuids uuid[], p_directories varchar[],
    p_data_path varchar, p_prefix varchar, p_is_relative boolean, p_above varchar[],
    OUT outcome text, OUT pin bigint, OUT catalogs bigint[], OUT snapshots bigint[]
) LANGUAGE plpgsql SET enable_seqscan = off AS $$
DECLARE
    v_name varchar;
    v_live boolean;
    v_owners bigint[];
    v_uptos bigint[];
    v_schema_version bigint;
    v_made_at timestamptz;
BEGIN
    IF p_data_path IS NULL THEN PERFORM forklake.lock_shared(-1); ELSE PERFORM forklake.lock_alone(-1); END IF;
    IF p_at IS NULL THEN PERFORM forklake.lock_shared(p_parent); END IF;

    SELECT h.live, k.catalog_name, coalesce(p_at, h.snapshot_id) INTO v_live, v_name, pin
      FROM forklake.ducklake_head h
      LEFT JOIN forklake.ducklake_catalog k ON k.catalog_id = h.catalog_id AND k.end_snapshot = 9223372036854775807
     WHERE h.catalog_id = p_parent;
    IF NOT FOUND THEN outcome := 'missing'; RETURN; END IF;
    IF NOT v_live THEN outcome := 'dropped'; RETURN; END IF;

    -- The parent's chain from the owner of the pinned snapshot on, nearest first.
    WITH chain AS (
        SELECT 0 AS depth, p_parent AS owner_id, 9223372036854775807 AS upto
        UNION ALL
        SELECT g.depth, g.owner_id, g.upto FROM forklake.ducklake_segment g WHERE g.catalog_id = p_parent)
    SELECT array_agg(c.owner_id ORDER BY c.depth), array_agg(least(c.upto, pin) ORDER BY c.depth) INTO v_owners, v_uptos
      FROM chain c
     WHERE c.depth >= (SELECT min(o.depth) FROM chain o JOIN forklake.ducklake_snapshot s ON s.catalog_id = o.owner_id
                        WHERE s.snapshot_id = pin AND s.snapshot_id <= o.upto);
    IF v_owners IS NULL THEN outcome := 'no_snapshot'; RETURN; END IF;
    -- What is pinned must still be there once nobody can expire it any more.
    IF p_at IS NOT NULL THEN PERFORM forklake.lock_shared(v_owners[1]); END IF;
    SELECT s.schema_version, greatest(clock_timestamp(), s.snapshot_time) INTO v_schema_version, v_made_at
      FROM forklake.ducklake_snapshot s WHERE s.catalog_id = v_owners[1] AND s.snapshot_id = pin;
    IF NOT FOUND THEN outcome := 'no_snapshot'; RETURN; END IF;
    IF EXISTS (SELECT FROM forklake.ducklake_catalog k WHERE lower(k.path COLLATE "C") = ANY (p_above)) THEN
        outcome := 'overlap'; RETURN;
    END IF;

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
    INSERT INTO forklake.ducklake_segment (catalog_id, depth, owner_id, upto)
    SELECT n.catalog, c.depth, c.owner_id, c.upto
      FROM unnest(catalogs) AS n(catalog), unnest(v_owners, v_uptos) WITH ORDINALITY AS c(owner_id, upto, depth);
    INSERT INTO forklake.ducklake_snapshot (catalog_id, snapshot_id, snapshot_time, schema_version)
    SELECT unnest(catalogs), unnest(snapshots), v_made_at, v_schema_version;
    INSERT INTO forklake.ducklake_snapshot_lineage (catalog_id, snapshot_id, previous_snapshot_id)
    SELECT unnest(catalogs), unnest(snapshots), pin;
    INSERT INTO forklake.ducklake_snapshot_changes (catalog_id, snapshot_id, changes_made, commit_message)
    SELECT unnest(catalogs), unnest(snapshots), '', 'Fork of "' || v_name || '" at snapshot ' || pin;
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
-- lies above every end but that of a live row.
CREATE VIEW forklake.lake_link AS
SELECT h.catalog_id, CAST(0 AS smallint) AS depth, h.catalog_id AS owner_id, 9223372036854775806 AS upto
  FROM forklake.ducklake_head h
UNION ALL
SELECT g.catalog_id, g.depth, g.owner_id, g.upto FROM forklake.ducklake_segment g;

-- The same of live catalogs, with their names.
CREATE VIEW forklake.lake_chain AS
SELECT k.catalog_id, k.catalog_name, n.depth, n.owner_id, n.upto
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
 WHERE r.snapshot_id <= c.upto;

CREATE VIEW ducklake.ducklake_snapshot_changes AS
SELECT c.catalog_id, c.catalog_name, r.snapshot_id, r.changes_made, r.author, r.commit_message, r.commit_extra_info
  FROM forklake.lake_chain c
  JOIN forklake.ducklake_snapshot_changes r ON r.catalog_id = c.owner_id
 WHERE r.snapshot_id <= c.upto;

CREATE VIEW ducklake.ducklake_schema_versions AS
SELECT c.catalog_id, c.catalog_name, r.begin_snapshot, r.schema_version, r.table_id
  FROM forklake.lake_chain c
  JOIN forklake.ducklake_schema_versions r ON r.catalog_id = c.owner_id
 WHERE r.begin_snapshot <= c.upto;

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
SELECT c.catalog_id, c.catalog_name, r.schema_id, r.schema_uuid, r.begin_snapshot,
       CASE WHEN r.end_snapshot <= c.upto THEN r.end_snapshot
            WHEN c.depth > 0 THEN coalesce(
                (SELECT min(z.snapshot_id) FROM forklake.ducklake_segment n
                   JOIN forklake.ducklake_tombstone z ON z.catalog_id = n.owner_id
                  WHERE n.catalog_id = c.catalog_id AND n.depth < c.depth AND z.snapshot_id <= n.upto
                    AND z.scope_id = 0 AND z.row_uid = r.row_uid),
                (SELECT z.snapshot_id FROM forklake.ducklake_tombstone z
                  WHERE z.catalog_id = c.catalog_id AND z.scope_id = 0 AND z.row_uid = r.row_uid))
       END AS end_snapshot,
       r.schema_name, r.path, r.path_is_relative
  FROM forklake.lake_chain c
  JOIN forklake.ducklake_schema r ON r.catalog_id = c.owner_id
 WHERE r.begin_snapshot <= c.upto;

CREATE VIEW ducklake.ducklake_table AS
SELECT c.catalog_id, c.catalog_name, r.table_id, r.table_uuid, r.begin_snapshot,
       CASE WHEN r.end_snapshot <= c.upto THEN r.end_snapshot
            WHEN c.depth > 0 THEN coalesce(
                (SELECT min(z.snapshot_id) FROM forklake.ducklake_segment n
                   JOIN forklake.ducklake_tombstone z ON z.catalog_id = n.owner_id
                  WHERE n.catalog_id = c.catalog_id AND n.depth < c.depth AND z.snapshot_id <= n.upto
                    AND z.scope_id = 0 AND z.row_uid = r.row_uid),
                (SELECT z.snapshot_id FROM forklake.ducklake_tombstone z
                  WHERE z.catalog_id = c.catalog_id AND z.scope_id = 0 AND z.row_uid = r.row_uid))
       END AS end_snapshot,
       r.schema_id, r.table_name, r.path, r.path_is_relative
  FROM forklake.lake_chain c
  JOIN forklake.ducklake_table r ON r.catalog_id = c.owner_id
 WHERE r.begin_snapshot <= c.upto;

CREATE VIEW ducklake.ducklake_column AS
SELECT c.catalog_id, c.catalog_name, r.column_id, r.begin_snapshot,
       CASE WHEN r.end_snapshot <= c.upto THEN r.end_snapshot
            WHEN c.depth > 0 THEN coalesce(
                (SELECT min(z.snapshot_id) FROM forklake.ducklake_segment n
                   JOIN forklake.ducklake_tombstone z ON z.catalog_id = n.owner_id
                  WHERE n.catalog_id = c.catalog_id AND n.depth < c.depth AND z.snapshot_id <= n.upto
                    AND z.scope_id = r.table_id AND z.row_uid = r.row_uid),
                (SELECT z.snapshot_id FROM forklake.ducklake_tombstone z
                  WHERE z.catalog_id = c.catalog_id AND z.scope_id = r.table_id AND z.row_uid = r.row_uid))
       END AS end_snapshot,
       r.table_id, r.column_order, r.column_name, r.column_type, r.initial_default, r.default_value, r.nulls_allowed,
       r.parent_column, r.default_value_type, r.default_value_dialect
  FROM forklake.lake_chain c
  JOIN forklake.ducklake_column r ON r.catalog_id = c.owner_id
 WHERE r.begin_snapshot <= c.upto;

CREATE VIEW ducklake.ducklake_view AS
SELECT c.catalog_id, c.catalog_name, r.view_id, r.view_uuid, r.begin_snapshot,
       CASE WHEN r.end_snapshot <= c.upto THEN r.end_snapshot
            WHEN c.depth > 0 THEN coalesce(
                (SELECT min(z.snapshot_id) FROM forklake.ducklake_segment n
                   JOIN forklake.ducklake_tombstone z ON z.catalog_id = n.owner_id
                  WHERE n.catalog_id = c.catalog_id AND n.depth < c.depth AND z.snapshot_id <= n.upto
                    AND z.scope_id = 0 AND z.row_uid = r.row_uid),
                (SELECT z.snapshot_id FROM forklake.ducklake_tombstone z
                  WHERE z.catalog_id = c.catalog_id AND z.scope_id = 0 AND z.row_uid = r.row_uid))
       END AS end_snapshot,
       r.schema_id, r.view_name, r.dialect, r.sql, r.column_aliases
  FROM forklake.lake_chain c
  JOIN forklake.ducklake_view r ON r.catalog_id = c.owner_id
 WHERE r.begin_snapshot <= c.upto;

CREATE VIEW ducklake.ducklake_macro AS
SELECT c.catalog_id, c.catalog_name, r.schema_id, r.macro_id, r.macro_name, r.begin_snapshot,
       CASE WHEN r.end_snapshot <= c.upto THEN r.end_snapshot
            WHEN c.depth > 0 THEN coalesce(
                (SELECT min(z.snapshot_id) FROM forklake.ducklake_segment n
                   JOIN forklake.ducklake_tombstone z ON z.catalog_id = n.owner_id
                  WHERE n.catalog_id = c.catalog_id AND n.depth < c.depth AND z.snapshot_id <= n.upto
                    AND z.scope_id = 0 AND z.row_uid = r.row_uid),
                (SELECT z.snapshot_id FROM forklake.ducklake_tombstone z
                  WHERE z.catalog_id = c.catalog_id AND z.scope_id = 0 AND z.row_uid = r.row_uid))
       END AS end_snapshot
  FROM forklake.lake_chain c
  JOIN forklake.ducklake_macro r ON r.catalog_id = c.owner_id
 WHERE r.begin_snapshot <= c.upto;

CREATE VIEW ducklake.ducklake_tag AS
SELECT c.catalog_id, c.catalog_name, r.object_id, r.begin_snapshot,
       CASE WHEN r.end_snapshot <= c.upto THEN r.end_snapshot
            WHEN c.depth > 0 THEN coalesce(
                (SELECT min(z.snapshot_id) FROM forklake.ducklake_segment n
                   JOIN forklake.ducklake_tombstone z ON z.catalog_id = n.owner_id
                  WHERE n.catalog_id = c.catalog_id AND n.depth < c.depth AND z.snapshot_id <= n.upto
                    AND z.scope_id = 0 AND z.row_uid = r.row_uid),
                (SELECT z.snapshot_id FROM forklake.ducklake_tombstone z
                  WHERE z.catalog_id = c.catalog_id AND z.scope_id = 0 AND z.row_uid = r.row_uid))
       END AS end_snapshot,
       r.key, r.value
  FROM forklake.lake_chain c
  JOIN forklake.ducklake_tag r ON r.catalog_id = c.owner_id
 WHERE r.begin_snapshot <= c.upto;

CREATE VIEW ducklake.ducklake_column_tag AS
SELECT c.catalog_id, c.catalog_name, r.table_id, r.column_id, r.begin_snapshot,
       CASE WHEN r.end_snapshot <= c.upto THEN r.end_snapshot
            WHEN c.depth > 0 THEN coalesce(
                (SELECT min(z.snapshot_id) FROM forklake.ducklake_segment n
                   JOIN forklake.ducklake_tombstone z ON z.catalog_id = n.owner_id
                  WHERE n.catalog_id = c.catalog_id AND n.depth < c.depth AND z.snapshot_id <= n.upto
                    AND z.scope_id = r.table_id AND z.row_uid = r.row_uid),
                (SELECT z.snapshot_id FROM forklake.ducklake_tombstone z
                  WHERE z.catalog_id = c.catalog_id AND z.scope_id = r.table_id AND z.row_uid = r.row_uid))
       END AS end_snapshot,
       r.key, r.value
  FROM forklake.lake_chain c
  JOIN forklake.ducklake_column_tag r ON r.catalog_id = c.owner_id
 WHERE r.begin_snapshot <= c.upto;

-- DuckLake 1.1's.
CREATE VIEW ducklake.ducklake_view_column_tag AS
SELECT c.catalog_id, c.catalog_name, r.view_id, r.column_name, r.begin_snapshot,
       CASE WHEN r.end_snapshot <= c.upto THEN r.end_snapshot
            WHEN c.depth > 0 THEN coalesce(
                (SELECT min(z.snapshot_id) FROM forklake.ducklake_segment n
                   JOIN forklake.ducklake_tombstone z ON z.catalog_id = n.owner_id
                  WHERE n.catalog_id = c.catalog_id AND n.depth < c.depth AND z.snapshot_id <= n.upto
                    AND z.scope_id = 0 AND z.row_uid = r.row_uid),
                (SELECT z.snapshot_id FROM forklake.ducklake_tombstone z
                  WHERE z.catalog_id = c.catalog_id AND z.scope_id = 0 AND z.row_uid = r.row_uid))
       END AS end_snapshot,
       r.key, r.value
  FROM forklake.lake_chain c
  JOIN forklake.ducklake_view_column_tag r ON r.catalog_id = c.owner_id
 WHERE r.begin_snapshot <= c.upto;

CREATE VIEW ducklake.ducklake_partition_info AS
SELECT c.catalog_id, c.catalog_name, r.partition_id, r.table_id, r.begin_snapshot,
       CASE WHEN r.end_snapshot <= c.upto THEN r.end_snapshot
            WHEN c.depth > 0 THEN coalesce(
                (SELECT min(z.snapshot_id) FROM forklake.ducklake_segment n
                   JOIN forklake.ducklake_tombstone z ON z.catalog_id = n.owner_id
                  WHERE n.catalog_id = c.catalog_id AND n.depth < c.depth AND z.snapshot_id <= n.upto
                    AND z.scope_id = r.table_id AND z.row_uid = r.row_uid),
                (SELECT z.snapshot_id FROM forklake.ducklake_tombstone z
                  WHERE z.catalog_id = c.catalog_id AND z.scope_id = r.table_id AND z.row_uid = r.row_uid))
       END AS end_snapshot
  FROM forklake.lake_chain c
  JOIN forklake.ducklake_partition_info r ON r.catalog_id = c.owner_id
 WHERE r.begin_snapshot <= c.upto;

CREATE VIEW ducklake.ducklake_sort_info AS
SELECT c.catalog_id, c.catalog_name, r.sort_id, r.table_id, r.begin_snapshot,
       CASE WHEN r.end_snapshot <= c.upto THEN r.end_snapshot
            WHEN c.depth > 0 THEN coalesce(
                (SELECT min(z.snapshot_id) FROM forklake.ducklake_segment n
                   JOIN forklake.ducklake_tombstone z ON z.catalog_id = n.owner_id
                  WHERE n.catalog_id = c.catalog_id AND n.depth < c.depth AND z.snapshot_id <= n.upto
                    AND z.scope_id = r.table_id AND z.row_uid = r.row_uid),
                (SELECT z.snapshot_id FROM forklake.ducklake_tombstone z
                  WHERE z.catalog_id = c.catalog_id AND z.scope_id = r.table_id AND z.row_uid = r.row_uid))
       END AS end_snapshot
  FROM forklake.lake_chain c
  JOIN forklake.ducklake_sort_info r ON r.catalog_id = c.owner_id
 WHERE r.begin_snapshot <= c.upto;

-- Files that a catalog inherits lie below their owner's directory, so they have an absolute path. Keys of files do not
-- show: who may read the views need not be one who may read the rows.
CREATE VIEW ducklake.ducklake_data_file AS
SELECT c.catalog_id, c.catalog_name, r.data_file_id, r.table_id, r.begin_snapshot,
       CASE WHEN r.end_snapshot <= c.upto THEN r.end_snapshot
            WHEN c.depth > 0 THEN coalesce(
                (SELECT min(z.snapshot_id) FROM forklake.ducklake_segment n
                   JOIN forklake.ducklake_tombstone z ON z.catalog_id = n.owner_id
                  WHERE n.catalog_id = c.catalog_id AND n.depth < c.depth AND z.snapshot_id <= n.upto
                    AND z.scope_id = r.table_id AND z.row_uid = r.row_uid),
                (SELECT z.snapshot_id FROM forklake.ducklake_tombstone z
                  WHERE z.catalog_id = c.catalog_id AND z.scope_id = r.table_id AND z.row_uid = r.row_uid))
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
                   WHERE n.catalog_id = c.catalog_id AND n.depth >= c.depth AND m.depth >= c.depth LIMIT 1) || r.path
       END AS path,
       r.path_is_relative AND c.depth = 0 AS path_is_relative, r.file_format, r.record_count, r.file_size_bytes,
       r.footer_size, r.row_id_start, r.partition_id, r.mapping_id, r.partial_max
  FROM forklake.lake_chain c
  JOIN forklake.ducklake_data_file r ON r.catalog_id = c.owner_id
 WHERE r.begin_snapshot <= c.upto;

CREATE VIEW ducklake.ducklake_delete_file AS
SELECT c.catalog_id, c.catalog_name, r.delete_file_id, r.table_id, r.begin_snapshot,
       CASE WHEN r.end_snapshot <= c.upto THEN r.end_snapshot
            WHEN c.depth > 0 THEN coalesce(
                (SELECT min(z.snapshot_id) FROM forklake.ducklake_segment n
                   JOIN forklake.ducklake_tombstone z ON z.catalog_id = n.owner_id
                  WHERE n.catalog_id = c.catalog_id AND n.depth < c.depth AND z.snapshot_id <= n.upto
                    AND z.scope_id = r.table_id AND z.row_uid = r.row_uid),
                (SELECT z.snapshot_id FROM forklake.ducklake_tombstone z
                  WHERE z.catalog_id = c.catalog_id AND z.scope_id = r.table_id AND z.row_uid = r.row_uid))
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
                   WHERE n.catalog_id = c.catalog_id AND n.depth >= c.depth AND m.depth >= c.depth LIMIT 1) || r.path
       END AS path,
       r.path_is_relative AND c.depth = 0 AS path_is_relative, r.format, r.delete_count, r.file_size_bytes,
       r.footer_size, r.partial_max
  FROM forklake.lake_chain c
  JOIN forklake.ducklake_delete_file r ON r.catalog_id = c.owner_id
 WHERE r.begin_snapshot <= c.upto;

-- Ours: the rows and deleted rows that are kept in the metadata, of all tables.
CREATE VIEW ducklake.ducklake_inlined_row AS
SELECT c.catalog_id, c.catalog_name, r.table_id, r.row_id, r.schema_version, r.begin_snapshot,
       CASE WHEN r.end_snapshot <= c.upto THEN r.end_snapshot
            WHEN c.depth > 0 THEN coalesce(
                (SELECT min(z.snapshot_id) FROM forklake.ducklake_segment n
                   JOIN forklake.ducklake_tombstone z ON z.catalog_id = n.owner_id
                  WHERE n.catalog_id = c.catalog_id AND n.depth < c.depth AND z.snapshot_id <= n.upto
                    AND z.scope_id = r.table_id AND z.row_uid = r.row_uid),
                (SELECT z.snapshot_id FROM forklake.ducklake_tombstone z
                  WHERE z.catalog_id = c.catalog_id AND z.scope_id = r.table_id AND z.row_uid = r.row_uid))
       END AS end_snapshot,
       r.document
  FROM forklake.lake_chain c
  JOIN forklake.ducklake_inlined_row r ON r.catalog_id = c.owner_id
 WHERE r.begin_snapshot <= c.upto;

CREATE VIEW ducklake.ducklake_inlined_delete AS
SELECT c.catalog_id, c.catalog_name, r.table_id, r.data_file_id, r.row_id, r.begin_snapshot,
       CASE WHEN r.end_snapshot <= c.upto THEN r.end_snapshot
            WHEN c.depth > 0 THEN coalesce(
                (SELECT min(z.snapshot_id) FROM forklake.ducklake_segment n
                   JOIN forklake.ducklake_tombstone z ON z.catalog_id = n.owner_id
                  WHERE n.catalog_id = c.catalog_id AND n.depth < c.depth AND z.snapshot_id <= n.upto
                    AND z.scope_id = r.table_id AND z.row_uid = r.row_uid),
                (SELECT z.snapshot_id FROM forklake.ducklake_tombstone z
                  WHERE z.catalog_id = c.catalog_id AND z.scope_id = r.table_id AND z.row_uid = r.row_uid))
       END AS end_snapshot
  FROM forklake.lake_chain c
  JOIN forklake.ducklake_inlined_delete r ON r.catalog_id = c.owner_id
 WHERE r.begin_snapshot <= c.upto;

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
 WHERE f.begin_snapshot <= c.upto;

CREATE VIEW ducklake.ducklake_macro_parameters AS
SELECT c.catalog_id, c.catalog_name, f.macro_id, r.impl_id, r.column_id, r.parameter_name, r.parameter_type,
       r.default_value, r.default_value_type
  FROM forklake.lake_chain c
  JOIN forklake.ducklake_macro f ON f.catalog_id = c.owner_id
  JOIN forklake.ducklake_macro_parameters r ON r.catalog_id = f.catalog_id AND r.macro_id = f.macro_id
 WHERE f.begin_snapshot <= c.upto;

CREATE VIEW ducklake.ducklake_partition_column AS
SELECT c.catalog_id, c.catalog_name, f.partition_id, f.table_id, r.partition_key_index, r.column_id, r.transform
  FROM forklake.lake_chain c
  JOIN forklake.ducklake_partition_info f ON f.catalog_id = c.owner_id
  JOIN forklake.ducklake_partition_column r ON r.catalog_id = f.catalog_id AND r.partition_id = f.partition_id
 WHERE f.begin_snapshot <= c.upto;

CREATE VIEW ducklake.ducklake_sort_expression AS
SELECT c.catalog_id, c.catalog_name, f.sort_id, f.table_id, r.sort_key_index, r.expression, r.dialect, r.sort_direction,
       r.null_order
  FROM forklake.lake_chain c
  JOIN forklake.ducklake_sort_info f ON f.catalog_id = c.owner_id
  JOIN forklake.ducklake_sort_expression r ON r.catalog_id = f.catalog_id AND r.sort_id = f.sort_id
 WHERE f.begin_snapshot <= c.upto;

CREATE VIEW ducklake.ducklake_file_column_stats AS
SELECT c.catalog_id, c.catalog_name, f.data_file_id, f.table_id, r.column_id, r.column_size_bytes, r.value_count,
       r.null_count, r.min_value, r.max_value, r.contains_nan, r.extra_stats
  FROM forklake.lake_chain c
  JOIN forklake.ducklake_data_file f ON f.catalog_id = c.owner_id
  JOIN forklake.ducklake_file_column_stats r ON r.catalog_id = f.catalog_id AND r.data_file_id = f.data_file_id
 WHERE f.begin_snapshot <= c.upto;

CREATE VIEW ducklake.ducklake_file_variant_stats AS
SELECT c.catalog_id, c.catalog_name, f.data_file_id, f.table_id, r.column_id, r.variant_path, r.shredded_type,
       r.column_size_bytes, r.value_count, r.null_count, r.min_value, r.max_value, r.contains_nan, r.extra_stats
  FROM forklake.lake_chain c
  JOIN forklake.ducklake_data_file f ON f.catalog_id = c.owner_id
  JOIN forklake.ducklake_file_variant_stats r ON r.catalog_id = f.catalog_id AND r.data_file_id = f.data_file_id
 WHERE f.begin_snapshot <= c.upto;

CREATE VIEW ducklake.ducklake_file_partition_value AS
SELECT c.catalog_id, c.catalog_name, f.data_file_id, f.table_id, r.partition_key_index, r.partition_value
  FROM forklake.lake_chain c
  JOIN forklake.ducklake_data_file f ON f.catalog_id = c.owner_id
  JOIN forklake.ducklake_file_partition_value r ON r.catalog_id = f.catalog_id AND r.data_file_id = f.data_file_id
 WHERE f.begin_snapshot <= c.upto;

-- Many files share a mapping, and a fork that uses an inherited one has a copy of it: each shows once.
CREATE VIEW ducklake.ducklake_column_mapping AS
SELECT DISTINCT c.catalog_id, c.catalog_name, r.mapping_id, r.table_id, r.type
  FROM forklake.lake_chain c
  JOIN forklake.ducklake_data_file f ON f.catalog_id = c.owner_id
  JOIN forklake.ducklake_column_mapping r ON r.catalog_id = f.catalog_id AND r.mapping_id = f.mapping_id
 WHERE f.begin_snapshot <= c.upto;

CREATE VIEW ducklake.ducklake_name_mapping AS
SELECT DISTINCT c.catalog_id, c.catalog_name, r.mapping_id, r.column_id, r.source_name, r.target_field_id,
       r.parent_column, r.is_partition
  FROM forklake.lake_chain c
  JOIN forklake.ducklake_data_file f ON f.catalog_id = c.owner_id
  JOIN forklake.ducklake_name_mapping r ON r.catalog_id = f.catalog_id AND r.mapping_id = f.mapping_id
 WHERE f.begin_snapshot <= c.upto;

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
        WHERE n.catalog_id = t.catalog_id AND m.begin_snapshot IS NOT NULL
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
        WHERE n.catalog_id = t.catalog_id AND m.begin_snapshot IS NOT NULL
        ORDER BY n.depth LIMIT 1) newest
  JOIN forklake.ducklake_table_column_stats r
    ON r.catalog_id = newest.owner_id AND r.table_id = t.table_id AND r.begin_snapshot = newest.begin_snapshot
 WHERE t.end_snapshot IS NULL;

CREATE VIEW ducklake.ducklake_files_scheduled_for_deletion AS
SELECT k.catalog_id, k.catalog_name, r.data_file_id, r.path, r.path_is_relative, r.schedule_start
  FROM forklake.ducklake_catalog k
  JOIN forklake.ducklake_files_scheduled_for_deletion r ON r.catalog_id = k.catalog_id
 WHERE k.end_snapshot = 9223372036854775807;

INSERT INTO forklake.ducklake_catalog VALUES (0, '921a8472-bfe5-40ea-b85a-6f0a4ac3279e', 'shop', NULL, NULL, NULL, 'shop/', true, 0, 9223372036854775807, '2026-11-16 19:06:08.183737+00:00', NULL);
INSERT INTO forklake.ducklake_catalog VALUES (1, '531080ce-89bf-455f-937b-936695c76b6c', 'agent', 0, 13, NULL, 'agent/', true, 14, 9223372036854775807, '2026-11-16 19:06:08.376959+00:00', NULL);
INSERT INTO forklake.ducklake_catalog VALUES (2, '35ff8bbf-7211-46c5-adfe-3b1e0eb2f357', 'deep', 1, 17, NULL, 'deep/', true, 18, 9223372036854775807, '2026-11-16 19:06:08.446906+00:00', NULL);
INSERT INTO forklake.ducklake_catalog VALUES (3, 'dda43e14-f7e6-47a9-9cee-bbcf74605968', 'copied', 0, 13, NULL, 'copied/', true, 21, 9223372036854775807, '2026-11-16 19:06:08.465650+00:00', NULL);
INSERT INTO forklake.ducklake_catalog VALUES (4, '6bc5f00f-9f08-4108-9be5-e894030ae935', 'severed', 0, 13, NULL, 'severed/', true, 23, 9223372036854775807, '2026-11-16 19:06:08.503625+00:00', NULL);
INSERT INTO forklake.ducklake_catalog VALUES (5, 'bd734f10-7c40-4b67-a45b-ecef67c4e3c2', 'before', 0, 13, NULL, 'before/', true, 26, 27, '2026-11-16 19:06:08.574368+00:00', '2026-11-16 19:06:08.577467+00:00');
INSERT INTO forklake.ducklake_catalog VALUES (5, 'bd734f10-7c40-4b67-a45b-ecef67c4e3c2', 'after', 0, 13, NULL, 'before/', true, 27, 9223372036854775807, '2026-11-16 19:06:08.577467+00:00', NULL);
INSERT INTO forklake.ducklake_catalog VALUES (6, '27c12452-4fa8-4bc3-8b1b-237d8040fff6', 'dropped', 0, 13, NULL, 'dropped/', true, 28, 29, '2026-11-16 19:06:08.582045+00:00', '2026-11-16 19:06:08.583114+00:00');
INSERT INTO forklake.ducklake_catalog VALUES (7, '9fb08ea4-b5ab-49ba-a89e-5dc417d094d6', 'purged', 0, 13, NULL, 'purged/', true, 30, 31, '2026-11-16 19:06:08.584596+00:00', '2026-11-16 19:06:08.586200+00:00');
INSERT INTO forklake.ducklake_catalog VALUES (8, '977e70cd-1c61-4def-a39a-c9b23df28ae3', 'secret', NULL, NULL, NULL, 'secret/', true, 32, 9223372036854775807, '2026-11-16 19:06:08.610733+00:00', NULL);
INSERT INTO forklake.ducklake_catalog VALUES (9, 'e97cbef1-299e-4488-a2dd-0d5f20f5870f', 'slow', NULL, NULL, '@HOME@/outside/slow/', '@HOME@/outside/slow/slow/', false, 35, 9223372036854775807, '2026-11-16 19:06:08.624221+00:00', NULL);
INSERT INTO forklake.ducklake_catalog VALUES (10, '181a6a80-d58e-41f8-9481-81a4ea38172c', 'imported', NULL, NULL, NULL, 'imported/', true, 38, 9223372036854775807, '2026-11-16 19:06:08.863591+00:00', NULL);
INSERT INTO forklake.ducklake_head VALUES (0, 42, true);
INSERT INTO forklake.ducklake_head VALUES (1, 17, true);
INSERT INTO forklake.ducklake_head VALUES (2, 20, true);
INSERT INTO forklake.ducklake_head VALUES (3, 22, true);
INSERT INTO forklake.ducklake_head VALUES (4, 25, true);
INSERT INTO forklake.ducklake_head VALUES (5, 26, true);
INSERT INTO forklake.ducklake_head VALUES (6, 28, false);
INSERT INTO forklake.ducklake_head VALUES (8, 34, true);
INSERT INTO forklake.ducklake_head VALUES (9, 37, true);
INSERT INTO forklake.ducklake_head VALUES (10, 41, true);
INSERT INTO forklake.ducklake_segment VALUES (1, 1, 0, 13);
INSERT INTO forklake.ducklake_segment VALUES (2, 1, 1, 17);
INSERT INTO forklake.ducklake_segment VALUES (2, 2, 0, 13);
INSERT INTO forklake.ducklake_segment VALUES (5, 1, 0, 13);
INSERT INTO forklake.ducklake_segment VALUES (6, 1, 0, 13);
INSERT INTO forklake.ducklake_tombstone VALUES (1, 0, 12, 17);
INSERT INTO forklake.ducklake_tombstone VALUES (1, 2, 10, 16);
INSERT INTO forklake.ducklake_tombstone VALUES (1, 4, 13, 17);
INSERT INTO forklake.ducklake_snapshot VALUES (0, 0, '2026-11-16 19:06:08.183737+00:00', 0);
INSERT INTO forklake.ducklake_snapshot VALUES (0, 1, '2026-11-16 19:06:08.199351+00:00', 1);
INSERT INTO forklake.ducklake_snapshot VALUES (0, 2, '2026-11-16 19:06:08.209642+00:00', 2);
INSERT INTO forklake.ducklake_snapshot VALUES (0, 3, '2026-11-16 19:06:08.264828+00:00', 2);
INSERT INTO forklake.ducklake_snapshot VALUES (0, 4, '2026-11-16 19:06:08.312987+00:00', 2);
INSERT INTO forklake.ducklake_snapshot VALUES (0, 5, '2026-11-16 19:06:08.323552+00:00', 2);
INSERT INTO forklake.ducklake_snapshot VALUES (0, 6, '2026-11-16 19:06:08.327605+00:00', 3);
INSERT INTO forklake.ducklake_snapshot VALUES (0, 7, '2026-11-16 19:06:08.335872+00:00', 4);
INSERT INTO forklake.ducklake_snapshot VALUES (0, 8, '2026-11-16 19:06:08.355874+00:00', 4);
INSERT INTO forklake.ducklake_snapshot VALUES (0, 9, '2026-11-16 19:06:08.356757+00:00', 5);
INSERT INTO forklake.ducklake_snapshot VALUES (0, 10, '2026-11-16 19:06:08.360075+00:00', 6);
INSERT INTO forklake.ducklake_snapshot VALUES (0, 11, '2026-11-16 19:06:08.363912+00:00', 7);
INSERT INTO forklake.ducklake_snapshot VALUES (0, 12, '2026-11-16 19:06:08.366509+00:00', 8);
INSERT INTO forklake.ducklake_snapshot VALUES (0, 13, '2026-11-16 19:06:08.373159+00:00', 9);
INSERT INTO forklake.ducklake_snapshot VALUES (0, 42, '2026-11-16 19:06:08.886320+00:00', 9);
INSERT INTO forklake.ducklake_snapshot VALUES (1, 14, '2026-11-16 19:06:08.376959+00:00', 9);
INSERT INTO forklake.ducklake_snapshot VALUES (1, 15, '2026-11-16 19:06:08.424087+00:00', 9);
INSERT INTO forklake.ducklake_snapshot VALUES (1, 16, '2026-11-16 19:06:08.431466+00:00', 9);
INSERT INTO forklake.ducklake_snapshot VALUES (1, 17, '2026-11-16 19:06:08.446081+00:00', 10);
INSERT INTO forklake.ducklake_snapshot VALUES (2, 18, '2026-11-16 19:06:08.446906+00:00', 10);
INSERT INTO forklake.ducklake_snapshot VALUES (2, 19, '2026-11-16 19:06:08.452844+00:00', 11);
INSERT INTO forklake.ducklake_snapshot VALUES (2, 20, '2026-11-16 19:06:08.463745+00:00', 11);
INSERT INTO forklake.ducklake_snapshot VALUES (3, 21, '2026-11-16 19:06:08.465650+00:00', 9);
INSERT INTO forklake.ducklake_snapshot VALUES (3, 22, '2026-11-16 19:06:08.502912+00:00', 9);
INSERT INTO forklake.ducklake_snapshot VALUES (4, 25, '2026-11-16 19:06:08.513228+00:00', 9);
INSERT INTO forklake.ducklake_snapshot VALUES (5, 26, '2026-11-16 19:06:08.574368+00:00', 9);
INSERT INTO forklake.ducklake_snapshot VALUES (6, 28, '2026-11-16 19:06:08.582045+00:00', 9);
INSERT INTO forklake.ducklake_snapshot VALUES (8, 32, '2026-11-16 19:06:08.610733+00:00', 0);
INSERT INTO forklake.ducklake_snapshot VALUES (8, 33, '2026-11-16 19:06:08.614238+00:00', 1);
INSERT INTO forklake.ducklake_snapshot VALUES (8, 34, '2026-11-16 19:06:08.623272+00:00', 1);
INSERT INTO forklake.ducklake_snapshot VALUES (9, 35, '2026-11-16 19:06:08.624221+00:00', 0);
INSERT INTO forklake.ducklake_snapshot VALUES (9, 36, '2026-11-16 19:06:08.627441+00:00', 1);
INSERT INTO forklake.ducklake_snapshot VALUES (9, 37, '2026-11-16 19:06:08.633605+00:00', 1);
INSERT INTO forklake.ducklake_snapshot VALUES (10, 38, '2026-11-16 19:06:08.634712+00:00', 0);
INSERT INTO forklake.ducklake_snapshot VALUES (10, 39, '2026-11-16 19:06:08.686491+00:00', 1);
INSERT INTO forklake.ducklake_snapshot VALUES (10, 40, '2026-11-16 19:06:08.726052+00:00', 1);
INSERT INTO forklake.ducklake_snapshot VALUES (10, 41, '2026-11-16 19:06:08.881706+00:00', 1);
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
INSERT INTO forklake.ducklake_snapshot_changes VALUES (0, 42, 'inlined_insert:2', NULL, NULL, NULL);
INSERT INTO forklake.ducklake_snapshot_changes VALUES (1, 14, '', NULL, 'Fork of "shop" at snapshot 13', NULL);
INSERT INTO forklake.ducklake_snapshot_changes VALUES (1, 15, 'inlined_insert:2', NULL, NULL, NULL);
INSERT INTO forklake.ducklake_snapshot_changes VALUES (1, 16, 'inlined_delete:2', NULL, NULL, NULL);
INSERT INTO forklake.ducklake_snapshot_changes VALUES (1, 17, 'dropped_table:4', NULL, NULL, NULL);
INSERT INTO forklake.ducklake_snapshot_changes VALUES (2, 18, '', NULL, 'Fork of "agent" at snapshot 17', NULL);
INSERT INTO forklake.ducklake_snapshot_changes VALUES (2, 19, 'created_table:"main"."notes"', NULL, NULL, NULL);
INSERT INTO forklake.ducklake_snapshot_changes VALUES (2, 20, 'inlined_insert:8', NULL, NULL, NULL);
INSERT INTO forklake.ducklake_snapshot_changes VALUES (3, 21, '', NULL, 'Copy of "shop" at snapshot 13', NULL);
INSERT INTO forklake.ducklake_snapshot_changes VALUES (3, 22, 'inserted_into_table:2', NULL, NULL, NULL);
INSERT INTO forklake.ducklake_snapshot_changes VALUES (4, 25, '', NULL, 'Severed from its ancestors', NULL);
INSERT INTO forklake.ducklake_snapshot_changes VALUES (5, 26, '', NULL, 'Fork of "shop" at snapshot 13', NULL);
INSERT INTO forklake.ducklake_snapshot_changes VALUES (6, 28, '', NULL, 'Fork of "shop" at snapshot 13', NULL);
INSERT INTO forklake.ducklake_snapshot_changes VALUES (8, 32, 'created_schema:"main"', NULL, NULL, NULL);
INSERT INTO forklake.ducklake_snapshot_changes VALUES (8, 33, 'created_table:"main"."keys"', NULL, NULL, NULL);
INSERT INTO forklake.ducklake_snapshot_changes VALUES (8, 34, 'inserted_into_table:10', NULL, NULL, NULL);
INSERT INTO forklake.ducklake_snapshot_changes VALUES (9, 35, 'created_schema:"main"', NULL, NULL, NULL);
INSERT INTO forklake.ducklake_snapshot_changes VALUES (9, 36, 'created_table:"main"."t"', NULL, NULL, NULL);
INSERT INTO forklake.ducklake_snapshot_changes VALUES (9, 37, 'inserted_into_table:12', NULL, NULL, NULL);
INSERT INTO forklake.ducklake_snapshot_changes VALUES (10, 38, 'created_schema:"main"', NULL, NULL, NULL);
INSERT INTO forklake.ducklake_snapshot_changes VALUES (10, 39, 'created_table:"main"."t"', NULL, NULL, NULL);
INSERT INTO forklake.ducklake_snapshot_changes VALUES (10, 40, 'inserted_into_table:14', NULL, NULL, NULL);
INSERT INTO forklake.ducklake_snapshot_changes VALUES (10, 41, 'inserted_into_table:14', NULL, NULL, NULL);
INSERT INTO forklake.ducklake_snapshot_lineage VALUES (0, 0, NULL, NULL);
INSERT INTO forklake.ducklake_snapshot_lineage VALUES (0, 1, 0, 'ge6GZRcb-yARyi08');
INSERT INTO forklake.ducklake_snapshot_lineage VALUES (0, 2, 1, 'gOVCoGlc_UOrfBb9');
INSERT INTO forklake.ducklake_snapshot_lineage VALUES (0, 3, 2, 'YBDsnmwCWpckqamd');
INSERT INTO forklake.ducklake_snapshot_lineage VALUES (0, 4, 3, 'c3RAaGgiS-MlJtVz');
INSERT INTO forklake.ducklake_snapshot_lineage VALUES (0, 5, 4, 'psjng4i7HwyJRton');
INSERT INTO forklake.ducklake_snapshot_lineage VALUES (0, 6, 5, 'O7bQtQWYP9Gfmtgq');
INSERT INTO forklake.ducklake_snapshot_lineage VALUES (0, 7, 6, 'SpVSuo_s6dBoLWvh');
INSERT INTO forklake.ducklake_snapshot_lineage VALUES (0, 8, 7, '2ZEz2DlAzmcfNN5h');
INSERT INTO forklake.ducklake_snapshot_lineage VALUES (0, 9, 8, 'OkudfyAL2gFbf3_H');
INSERT INTO forklake.ducklake_snapshot_lineage VALUES (0, 10, 9, '5hN0EteS6XHKgpzF');
INSERT INTO forklake.ducklake_snapshot_lineage VALUES (0, 11, 10, 'bT4L3vJ1g0nn6PMO');
INSERT INTO forklake.ducklake_snapshot_lineage VALUES (0, 12, 11, 'sTGNcEwPeUuUz1H3');
INSERT INTO forklake.ducklake_snapshot_lineage VALUES (0, 13, 12, 'LTQurT7VEcc3Bjuo');
INSERT INTO forklake.ducklake_snapshot_lineage VALUES (0, 42, 13, 'pp0Chmjt1_q6T2b6');
INSERT INTO forklake.ducklake_snapshot_lineage VALUES (1, 14, 13, NULL);
INSERT INTO forklake.ducklake_snapshot_lineage VALUES (1, 15, 14, 'CUjWZrns2rE5Thud');
INSERT INTO forklake.ducklake_snapshot_lineage VALUES (1, 16, 15, 'Szqi4Z1y4x_jvWO3');
INSERT INTO forklake.ducklake_snapshot_lineage VALUES (1, 17, 16, 'f1JLXZf8ia_xQn2j');
INSERT INTO forklake.ducklake_snapshot_lineage VALUES (2, 18, 17, NULL);
INSERT INTO forklake.ducklake_snapshot_lineage VALUES (2, 19, 18, 'kwWVH0QcXGCmfzos');
INSERT INTO forklake.ducklake_snapshot_lineage VALUES (2, 20, 19, 'PvHZAtLWkViD9qVD');
INSERT INTO forklake.ducklake_snapshot_lineage VALUES (3, 21, 13, NULL);
INSERT INTO forklake.ducklake_snapshot_lineage VALUES (3, 22, 21, '5E_UCeK4UIag9e8O');
INSERT INTO forklake.ducklake_snapshot_lineage VALUES (4, 23, 13, NULL);
INSERT INTO forklake.ducklake_snapshot_lineage VALUES (4, 24, 23, 'r9SPEV9BT_rUHt5x');
INSERT INTO forklake.ducklake_snapshot_lineage VALUES (4, 25, 24, NULL);
INSERT INTO forklake.ducklake_snapshot_lineage VALUES (5, 26, 13, NULL);
INSERT INTO forklake.ducklake_snapshot_lineage VALUES (6, 28, 13, NULL);
INSERT INTO forklake.ducklake_snapshot_lineage VALUES (8, 32, NULL, NULL);
INSERT INTO forklake.ducklake_snapshot_lineage VALUES (8, 33, 32, '2ZIqK5LhuCdWZC46');
INSERT INTO forklake.ducklake_snapshot_lineage VALUES (8, 34, 33, 'NnwZTqmUlJR-y2sc');
INSERT INTO forklake.ducklake_snapshot_lineage VALUES (9, 35, NULL, NULL);
INSERT INTO forklake.ducklake_snapshot_lineage VALUES (9, 36, 35, 'Q7z6kt-5vSJiCADt');
INSERT INTO forklake.ducklake_snapshot_lineage VALUES (9, 37, 36, 'XOmSOU1iXN1PfT5h');
INSERT INTO forklake.ducklake_snapshot_lineage VALUES (10, 38, NULL, NULL);
INSERT INTO forklake.ducklake_snapshot_lineage VALUES (10, 39, 38, NULL);
INSERT INTO forklake.ducklake_snapshot_lineage VALUES (10, 40, 39, NULL);
INSERT INTO forklake.ducklake_snapshot_lineage VALUES (10, 41, 40, 'MQqWuL_9h-HQDRg_');
INSERT INTO forklake.ducklake_numbering VALUES (10, 38, 0, 3);
INSERT INTO forklake.ducklake_schema_versions VALUES (0, 2, 2, 2);
INSERT INTO forklake.ducklake_schema_versions VALUES (0, 6, 3, 4);
INSERT INTO forklake.ducklake_schema_versions VALUES (0, 7, 4, 5);
INSERT INTO forklake.ducklake_schema_versions VALUES (0, 9, 5, 5);
INSERT INTO forklake.ducklake_schema_versions VALUES (2, 19, 11, 8);
INSERT INTO forklake.ducklake_schema_versions VALUES (3, 21, 2, 2);
INSERT INTO forklake.ducklake_schema_versions VALUES (3, 21, 3, 4);
INSERT INTO forklake.ducklake_schema_versions VALUES (3, 21, 5, 5);
INSERT INTO forklake.ducklake_schema_versions VALUES (4, 25, 2, 2);
INSERT INTO forklake.ducklake_schema_versions VALUES (4, 25, 3, 4);
INSERT INTO forklake.ducklake_schema_versions VALUES (4, 25, 5, 5);
INSERT INTO forklake.ducklake_schema_versions VALUES (8, 33, 1, 10);
INSERT INTO forklake.ducklake_schema_versions VALUES (9, 36, 1, 12);
INSERT INTO forklake.ducklake_schema_versions VALUES (10, 39, 1, 14);
DELETE FROM forklake.ducklake_metadata;
INSERT INTO forklake.ducklake_metadata VALUES (-1, 'created_by', 'forklake', '', -1);
INSERT INTO forklake.ducklake_metadata VALUES (-1, 'data_path', '@HOME@/data/', '', -1);
INSERT INTO forklake.ducklake_metadata VALUES (-1, 'encrypted', 'false', '', -1);
INSERT INTO forklake.ducklake_metadata VALUES (-1, 'forklake_version', '2', '', -1);
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
INSERT INTO forklake.ducklake_due VALUES (0, '2026-11-16 19:06:08.591030+00:00');
INSERT INTO forklake.ducklake_schema VALUES (0, 0, 0, 9223372036854775807, 0, 'c3c71649-68f1-4b1f-b358-5ca9fd13f51a', 'main', 'main/', true);
INSERT INTO forklake.ducklake_schema VALUES (0, 1, 1, 9223372036854775807, 1, '6e9960cd-515d-40e3-8224-e35e44990a17', 'more', 'more/', true);
INSERT INTO forklake.ducklake_schema VALUES (3, 31, 21, 9223372036854775807, 0, 'c3c71649-68f1-4b1f-b358-5ca9fd13f51a', 'main', 'main/', true);
INSERT INTO forklake.ducklake_schema VALUES (3, 32, 21, 9223372036854775807, 1, '6e9960cd-515d-40e3-8224-e35e44990a17', 'more', 'more/', true);
INSERT INTO forklake.ducklake_schema VALUES (4, 60, 25, 9223372036854775807, 0, 'c3c71649-68f1-4b1f-b358-5ca9fd13f51a', 'main', 'main/', true);
INSERT INTO forklake.ducklake_schema VALUES (4, 61, 25, 9223372036854775807, 1, '6e9960cd-515d-40e3-8224-e35e44990a17', 'more', 'more/', true);
INSERT INTO forklake.ducklake_schema VALUES (8, 87, 32, 9223372036854775807, 9, '1a099a4f-c32f-49a2-a249-5979383c0e0f', 'main', 'main/', true);
INSERT INTO forklake.ducklake_schema VALUES (9, 91, 35, 9223372036854775807, 11, 'c3dd8add-348b-4ec9-ae1c-36d75c14ae09', 'main', 'main/', true);
INSERT INTO forklake.ducklake_schema VALUES (10, 95, 38, 9223372036854775807, 13, 'd96b977d-7845-41d4-a5b4-1d964c0a6104', 'main', 'main/', true);
INSERT INTO forklake.ducklake_table VALUES (0, 2, 2, 9223372036854775807, 2, '16b2b17b-3348-4162-a2cc-164a32436a0c', 0, 'orders', 'orders/', true);
INSERT INTO forklake.ducklake_table VALUES (0, 12, 6, 9223372036854775807, 4, '11a60181-0908-47fc-a9fa-2b30b86ebf11', 0, 'gone', 'gone/', true);
INSERT INTO forklake.ducklake_table VALUES (0, 14, 7, 9223372036854775807, 5, 'b59948e9-834a-425d-bd1f-90383f3b92e3', 1, 'wide', 'wide/', true);
INSERT INTO forklake.ducklake_table VALUES (2, 28, 19, 9223372036854775807, 8, '99b8479b-7c2c-4c23-a2e3-e46b935ffd4e', 0, 'notes', 'notes/', true);
INSERT INTO forklake.ducklake_table VALUES (3, 33, 21, 9223372036854775807, 4, '11a60181-0908-47fc-a9fa-2b30b86ebf11', 0, 'gone', 'gone/', true);
INSERT INTO forklake.ducklake_table VALUES (3, 34, 21, 9223372036854775807, 2, '16b2b17b-3348-4162-a2cc-164a32436a0c', 0, 'orders', 'orders/', true);
INSERT INTO forklake.ducklake_table VALUES (3, 35, 21, 9223372036854775807, 5, 'b59948e9-834a-425d-bd1f-90383f3b92e3', 1, 'wide', 'wide/', true);
INSERT INTO forklake.ducklake_table VALUES (4, 62, 25, 9223372036854775807, 4, '11a60181-0908-47fc-a9fa-2b30b86ebf11', 0, 'gone', 'gone/', true);
INSERT INTO forklake.ducklake_table VALUES (4, 63, 25, 9223372036854775807, 2, '16b2b17b-3348-4162-a2cc-164a32436a0c', 0, 'orders', 'orders/', true);
INSERT INTO forklake.ducklake_table VALUES (4, 64, 25, 9223372036854775807, 5, 'b59948e9-834a-425d-bd1f-90383f3b92e3', 1, 'wide', 'wide/', true);
INSERT INTO forklake.ducklake_table VALUES (8, 88, 33, 9223372036854775807, 10, '24587ec6-40fd-4dbf-9e75-f47598a8fde5', 9, 'keys', 'keys/', true);
INSERT INTO forklake.ducklake_table VALUES (9, 92, 36, 9223372036854775807, 12, '0c6e0fc5-91e9-4dde-b9cf-57a1cd0097ee', 11, 't', 't/', true);
INSERT INTO forklake.ducklake_table VALUES (10, 96, 39, 9223372036854775807, 14, '01a1e5c0-9faf-7f0f-92ca-474ff052acb0', 13, 't', 't/', true);
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
INSERT INTO forklake.ducklake_column VALUES (2, 29, 19, 9223372036854775807, 1, 8, 1, 'text', 'varchar', NULL, 'NULL', true, NULL, 'literal', 'duckdb');
INSERT INTO forklake.ducklake_column VALUES (3, 38, 21, 9223372036854775807, 1, 2, 1, 'id', 'int64', NULL, 'NULL', true, NULL, 'literal', 'duckdb');
INSERT INTO forklake.ducklake_column VALUES (3, 39, 21, 9223372036854775807, 2, 2, 2, 'item', 'varchar', NULL, 'NULL', true, NULL, 'literal', 'duckdb');
INSERT INTO forklake.ducklake_column VALUES (3, 40, 21, 9223372036854775807, 1, 4, 1, 'x', 'int32', NULL, 'NULL', true, NULL, 'literal', 'duckdb');
INSERT INTO forklake.ducklake_column VALUES (3, 41, 21, 9223372036854775807, 7, 5, 7, 'added', 'int64', NULL, 'NULL', true, NULL, 'literal', 'duckdb');
INSERT INTO forklake.ducklake_column VALUES (3, 42, 21, 9223372036854775807, 1, 5, 1, 'd', 'decimal(10,2)', NULL, 'NULL', true, NULL, 'literal', 'duckdb');
INSERT INTO forklake.ducklake_column VALUES (3, 43, 21, 9223372036854775807, 2, 5, 2, 'l', 'list', NULL, 'NULL', true, NULL, 'literal', 'duckdb');
INSERT INTO forklake.ducklake_column VALUES (3, 44, 21, 9223372036854775807, 4, 5, 4, 's', 'struct', NULL, 'NULL', true, NULL, 'literal', 'duckdb');
INSERT INTO forklake.ducklake_column VALUES (3, 45, 21, 9223372036854775807, 3, 5, 3, 'element', 'int32', NULL, 'NULL', true, 2, 'literal', 'duckdb');
INSERT INTO forklake.ducklake_column VALUES (3, 46, 21, 9223372036854775807, 5, 5, 5, 'a', 'int32', NULL, 'NULL', true, 4, 'literal', 'duckdb');
INSERT INTO forklake.ducklake_column VALUES (3, 47, 21, 9223372036854775807, 6, 5, 6, 'b', 'date', NULL, 'NULL', true, 4, 'literal', 'duckdb');
INSERT INTO forklake.ducklake_column VALUES (4, 67, 25, 9223372036854775807, 1, 2, 1, 'id', 'int64', NULL, 'NULL', true, NULL, 'literal', 'duckdb');
INSERT INTO forklake.ducklake_column VALUES (4, 68, 25, 9223372036854775807, 2, 2, 2, 'item', 'varchar', NULL, 'NULL', true, NULL, 'literal', 'duckdb');
INSERT INTO forklake.ducklake_column VALUES (4, 69, 25, 9223372036854775807, 1, 4, 1, 'x', 'int32', NULL, 'NULL', true, NULL, 'literal', 'duckdb');
INSERT INTO forklake.ducklake_column VALUES (4, 70, 25, 9223372036854775807, 7, 5, 7, 'added', 'int64', NULL, 'NULL', true, NULL, 'literal', 'duckdb');
INSERT INTO forklake.ducklake_column VALUES (4, 71, 25, 9223372036854775807, 1, 5, 1, 'd', 'decimal(10,2)', NULL, 'NULL', true, NULL, 'literal', 'duckdb');
INSERT INTO forklake.ducklake_column VALUES (4, 72, 25, 9223372036854775807, 2, 5, 2, 'l', 'list', NULL, 'NULL', true, NULL, 'literal', 'duckdb');
INSERT INTO forklake.ducklake_column VALUES (4, 73, 25, 9223372036854775807, 4, 5, 4, 's', 'struct', NULL, 'NULL', true, NULL, 'literal', 'duckdb');
INSERT INTO forklake.ducklake_column VALUES (4, 74, 25, 9223372036854775807, 3, 5, 3, 'element', 'int32', NULL, 'NULL', true, 2, 'literal', 'duckdb');
INSERT INTO forklake.ducklake_column VALUES (4, 75, 25, 9223372036854775807, 5, 5, 5, 'a', 'int32', NULL, 'NULL', true, 4, 'literal', 'duckdb');
INSERT INTO forklake.ducklake_column VALUES (4, 76, 25, 9223372036854775807, 6, 5, 6, 'b', 'date', NULL, 'NULL', true, 4, 'literal', 'duckdb');
INSERT INTO forklake.ducklake_column VALUES (8, 89, 33, 9223372036854775807, 1, 10, 1, 'id', 'int64', NULL, 'NULL', true, NULL, 'literal', 'duckdb');
INSERT INTO forklake.ducklake_column VALUES (9, 93, 36, 9223372036854775807, 1, 12, 1, 'id', 'int64', NULL, 'NULL', true, NULL, 'literal', 'duckdb');
INSERT INTO forklake.ducklake_column VALUES (10, 97, 39, 9223372036854775807, 1, 14, 1, 'id', 'int64', NULL, 'NULL', true, NULL, 'literal', 'duckdb');
INSERT INTO forklake.ducklake_column VALUES (10, 98, 39, 9223372036854775807, 2, 14, 2, 'name', 'varchar', NULL, 'NULL', true, NULL, 'literal', 'duckdb');
INSERT INTO forklake.ducklake_view VALUES (0, 25, 12, 9223372036854775807, 6, '4e24455a-cca4-4cb5-a5f7-c203221d7c71', 0, 'names', 'duckdb', 'SELECT item FROM orders', NULL);
INSERT INTO forklake.ducklake_view VALUES (3, 36, 21, 9223372036854775807, 6, '4e24455a-cca4-4cb5-a5f7-c203221d7c71', 0, 'names', 'duckdb', 'SELECT item FROM orders', NULL);
INSERT INTO forklake.ducklake_view VALUES (4, 65, 25, 9223372036854775807, 6, '4e24455a-cca4-4cb5-a5f7-c203221d7c71', 0, 'names', 'duckdb', 'SELECT item FROM orders', NULL);
INSERT INTO forklake.ducklake_macro VALUES (0, 26, 13, 9223372036854775807, 0, 7, 'twice');
INSERT INTO forklake.ducklake_macro VALUES (3, 37, 21, 9223372036854775807, 0, 7, 'twice');
INSERT INTO forklake.ducklake_macro VALUES (4, 66, 25, 9223372036854775807, 0, 7, 'twice');
INSERT INTO forklake.ducklake_macro_impl VALUES (0, 7, 0, 'duckdb', 'x * 2', 'scalar');
INSERT INTO forklake.ducklake_macro_impl VALUES (3, 7, 0, 'duckdb', 'x * 2', 'scalar');
INSERT INTO forklake.ducklake_macro_impl VALUES (4, 7, 0, 'duckdb', 'x * 2', 'scalar');
INSERT INTO forklake.ducklake_macro_parameters VALUES (0, 7, 0, 0, 'x', 'unknown', NULL, 'unknown');
INSERT INTO forklake.ducklake_macro_parameters VALUES (3, 7, 0, 0, 'x', 'unknown', NULL, 'unknown');
INSERT INTO forklake.ducklake_macro_parameters VALUES (4, 7, 0, 0, 'x', 'unknown', NULL, 'unknown');
INSERT INTO forklake.ducklake_tag VALUES (0, 23, 10, 9223372036854775807, 2, 'comment', 'what was ordered');
INSERT INTO forklake.ducklake_tag VALUES (3, 48, 21, 9223372036854775807, 2, 'comment', 'what was ordered');
INSERT INTO forklake.ducklake_tag VALUES (4, 77, 25, 9223372036854775807, 2, 'comment', 'what was ordered');
INSERT INTO forklake.ducklake_column_tag VALUES (0, 24, 11, 9223372036854775807, 2, 2, 'team', 'sales');
INSERT INTO forklake.ducklake_column_tag VALUES (3, 49, 21, 9223372036854775807, 2, 2, 'team', 'sales');
INSERT INTO forklake.ducklake_column_tag VALUES (4, 78, 25, 9223372036854775807, 2, 2, 'team', 'sales');
INSERT INTO forklake.ducklake_partition_info VALUES (0, 5, 2, 9223372036854775807, 3, 2);
INSERT INTO forklake.ducklake_partition_info VALUES (3, 50, 21, 9223372036854775807, 3, 2);
INSERT INTO forklake.ducklake_partition_info VALUES (4, 79, 25, 9223372036854775807, 3, 2);
INSERT INTO forklake.ducklake_partition_column VALUES (0, 3, 2, 0, 1, 'identity');
INSERT INTO forklake.ducklake_partition_column VALUES (3, 3, 2, 0, 1, 'identity');
INSERT INTO forklake.ducklake_partition_column VALUES (4, 3, 2, 0, 1, 'identity');
INSERT INTO forklake.ducklake_data_file VALUES (0, 6, 3, 9223372036854775807, 0, 2, NULL, 'id=1/ducklake-01a1e5c0-9df1-7a4f-a225-0c884e7ac52c.parquet', true, 'parquet', 2, 470, 289, 0, 3, NULL, NULL, NULL, NULL, NULL);
INSERT INTO forklake.ducklake_data_file VALUES (0, 7, 3, 9223372036854775807, 1, 2, NULL, 'id=2/ducklake-01a1e5c0-9df2-785b-b5ac-d44de7926fa8.parquet', true, 'parquet', 1, 465, 287, 2, 3, NULL, NULL, NULL, NULL, NULL);
INSERT INTO forklake.ducklake_data_file VALUES (0, 8, 3, 9223372036854775807, 2, 2, NULL, 'id=3/ducklake-01a1e5c0-9df2-7672-b049-f336aa05f5f8.parquet', true, 'parquet', 1, 465, 287, 3, 3, NULL, NULL, NULL, NULL, NULL);
INSERT INTO forklake.ducklake_data_file VALUES (3, 51, 21, 9223372036854775807, 0, 2, NULL, '@HOME@/data/shop/main/orders/id=1/ducklake-01a1e5c0-9df1-7a4f-a225-0c884e7ac52c.parquet', false, 'parquet', 2, 470, 289, 0, 3, NULL, NULL, NULL, NULL, NULL);
INSERT INTO forklake.ducklake_data_file VALUES (3, 52, 21, 9223372036854775807, 1, 2, NULL, '@HOME@/data/shop/main/orders/id=2/ducklake-01a1e5c0-9df2-785b-b5ac-d44de7926fa8.parquet', false, 'parquet', 1, 465, 287, 2, 3, NULL, NULL, NULL, NULL, NULL);
INSERT INTO forklake.ducklake_data_file VALUES (3, 53, 21, 9223372036854775807, 2, 2, NULL, '@HOME@/data/shop/main/orders/id=3/ducklake-01a1e5c0-9df2-7672-b049-f336aa05f5f8.parquet', false, 'parquet', 1, 465, 287, 3, 3, NULL, NULL, NULL, NULL, NULL);
INSERT INTO forklake.ducklake_data_file VALUES (3, 58, 22, 9223372036854775807, 4, 2, NULL, 'id=20/ducklake-01a1e5c0-9ef4-788d-a0bd-86662cea3809.parquet', true, 'parquet', 3, 464, 284, 206158430208, 3, NULL, NULL, NULL, NULL, NULL);
INSERT INTO forklake.ducklake_data_file VALUES (4, 59, 24, 9223372036854775807, 5, 2, NULL, 'id=30/ducklake-01a1e5c0-9efc-76c8-9cd2-4c85f4461614.parquet', true, 'parquet', 3, 464, 284, 274877906944, 3, NULL, NULL, NULL, NULL, NULL);
INSERT INTO forklake.ducklake_data_file VALUES (4, 80, 25, 9223372036854775807, 0, 2, NULL, '@HOME@/data/shop/main/orders/id=1/ducklake-01a1e5c0-9df1-7a4f-a225-0c884e7ac52c.parquet', false, 'parquet', 2, 470, 289, 0, 3, NULL, NULL, NULL, NULL, NULL);
INSERT INTO forklake.ducklake_data_file VALUES (4, 81, 25, 9223372036854775807, 1, 2, NULL, '@HOME@/data/shop/main/orders/id=2/ducklake-01a1e5c0-9df2-785b-b5ac-d44de7926fa8.parquet', false, 'parquet', 1, 465, 287, 2, 3, NULL, NULL, NULL, NULL, NULL);
INSERT INTO forklake.ducklake_data_file VALUES (4, 82, 25, 9223372036854775807, 2, 2, NULL, '@HOME@/data/shop/main/orders/id=3/ducklake-01a1e5c0-9df2-7672-b049-f336aa05f5f8.parquet', false, 'parquet', 1, 465, 287, 3, 3, NULL, NULL, NULL, NULL, NULL);
INSERT INTO forklake.ducklake_data_file VALUES (8, 90, 34, 9223372036854775807, 6, 10, NULL, 'ducklake-01a1e5c0-9f6d-7fe9-904f-17b76578bb3f.parquet', true, 'parquet', 2, 487, 241, 0, NULL, '+eYJf+cQJs3IOLZFldJLMg==', NULL, NULL, NULL, NULL);
INSERT INTO forklake.ducklake_data_file VALUES (9, 94, 37, 9223372036854775807, 7, 12, NULL, 'ducklake-01a1e5c0-9f77-7b38-a5c1-07c6fbc98e8d.parquet', true, 'parquet', 1, 295, 186, 0, NULL, NULL, NULL, NULL, NULL, NULL);
INSERT INTO forklake.ducklake_data_file VALUES (10, 99, 40, 9223372036854775807, 8, 14, NULL, '@HOME@/outside/plain/main/t/ducklake-01a1e5c0-9ff2-77a8-a9fa-cb1bf60776fe.parquet', false, 'parquet', 2, 324, 236, 0, NULL, NULL, NULL, NULL, NULL, 10);
INSERT INTO forklake.ducklake_data_file VALUES (10, 100, 41, 9223372036854775807, 9, 14, NULL, 'ducklake-01a1e5c0-a06d-7f70-834e-292e5eaad722.parquet', true, 'parquet', 1, 448, 279, 2, NULL, NULL, NULL, NULL, NULL, NULL);
INSERT INTO forklake.ducklake_delete_file VALUES (0, 9, 4, 9223372036854775807, 3, 2, 0, 'ducklake-d70a345c-1917-44f7-9639-3cb50f11f635-delete.parquet', true, 'parquet', 1, 989, 507, NULL, NULL, NULL, NULL);
INSERT INTO forklake.ducklake_delete_file VALUES (3, 54, 21, 9223372036854775807, 3, 2, 0, '@HOME@/data/shop/main/orders/ducklake-d70a345c-1917-44f7-9639-3cb50f11f635-delete.parquet', false, 'parquet', 1, 989, 507, NULL, NULL, NULL, NULL);
INSERT INTO forklake.ducklake_delete_file VALUES (4, 83, 25, 9223372036854775807, 3, 2, 0, '@HOME@/data/shop/main/orders/ducklake-d70a345c-1917-44f7-9639-3cb50f11f635-delete.parquet', false, 'parquet', 1, 989, 507, NULL, NULL, NULL, NULL);
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
INSERT INTO forklake.ducklake_file_column_stats VALUES (8, 6, 10, 1, 234, 2, 0, '1', '2', NULL, NULL);
INSERT INTO forklake.ducklake_file_column_stats VALUES (9, 7, 12, 1, 97, 1, 0, '5', '5', NULL, NULL);
INSERT INTO forklake.ducklake_file_column_stats VALUES (10, 8, 14, 1, 41, 2, 0, '1', '2', NULL, NULL);
INSERT INTO forklake.ducklake_file_column_stats VALUES (10, 8, 14, 2, 35, 2, 0, 'a', 'b', NULL, NULL);
INSERT INTO forklake.ducklake_file_column_stats VALUES (10, 9, 14, 1, 97, 1, 0, '3', '3', NULL, NULL);
INSERT INTO forklake.ducklake_file_column_stats VALUES (10, 9, 14, 2, 60, 1, 0, 'c', 'c', NULL, NULL);
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
INSERT INTO forklake.ducklake_table_stats VALUES (0, 2, 42, 7, 7, 1400, 3);
INSERT INTO forklake.ducklake_table_stats VALUES (0, 4, 6, 0, 0, 0, 2);
INSERT INTO forklake.ducklake_table_stats VALUES (0, 5, 7, 0, 0, 0, 7);
INSERT INTO forklake.ducklake_table_stats VALUES (0, 5, 8, 1, 1, 0, 7);
INSERT INTO forklake.ducklake_table_stats VALUES (0, 5, 9, 1, 1, 0, 8);
INSERT INTO forklake.ducklake_table_stats VALUES (1, 2, 15, 7, 68719476737, 1400, 3);
INSERT INTO forklake.ducklake_table_stats VALUES (1, 2, 16, 6, 68719476737, 1400, 3);
INSERT INTO forklake.ducklake_table_stats VALUES (2, 8, 19, 0, 137438953472, 0, 2);
INSERT INTO forklake.ducklake_table_stats VALUES (2, 8, 20, 1, 137438953473, 0, 2);
INSERT INTO forklake.ducklake_table_stats VALUES (3, 2, 21, 6, 206158430208, 1400, 3);
INSERT INTO forklake.ducklake_table_stats VALUES (3, 2, 22, 9, 206158430211, 1864, 3);
INSERT INTO forklake.ducklake_table_stats VALUES (3, 4, 21, 0, 206158430208, 0, 2);
INSERT INTO forklake.ducklake_table_stats VALUES (3, 5, 21, 1, 206158430208, 0, 8);
INSERT INTO forklake.ducklake_table_stats VALUES (4, 2, 24, 9, 274877906947, 1864, 3);
INSERT INTO forklake.ducklake_table_stats VALUES (4, 4, 25, 0, 274877906944, 0, 2);
INSERT INTO forklake.ducklake_table_stats VALUES (4, 5, 25, 1, 274877906944, 0, 8);
INSERT INTO forklake.ducklake_table_stats VALUES (8, 10, 33, 0, 0, 0, 2);
INSERT INTO forklake.ducklake_table_stats VALUES (8, 10, 34, 2, 2, 487, 2);
INSERT INTO forklake.ducklake_table_stats VALUES (9, 12, 36, 0, 0, 0, 2);
INSERT INTO forklake.ducklake_table_stats VALUES (9, 12, 37, 1, 1, 295, 2);
INSERT INTO forklake.ducklake_table_stats VALUES (10, 14, 39, 0, 2, 0, 3);
INSERT INTO forklake.ducklake_table_stats VALUES (10, 14, 40, 2, 2, 324, 3);
INSERT INTO forklake.ducklake_table_stats VALUES (10, 14, 41, 3, 3, 772, 3);
INSERT INTO forklake.ducklake_table_column_stats VALUES (0, 2, 3, 1, false, NULL, '1', '3', NULL);
INSERT INTO forklake.ducklake_table_column_stats VALUES (0, 2, 3, 2, true, NULL, 'apple', 'pear', NULL);
INSERT INTO forklake.ducklake_table_column_stats VALUES (0, 2, 5, 1, false, NULL, '1', '5', NULL);
INSERT INTO forklake.ducklake_table_column_stats VALUES (0, 2, 5, 2, true, NULL, 'apple', 'plum', NULL);
INSERT INTO forklake.ducklake_table_column_stats VALUES (0, 2, 42, 1, false, NULL, '1', '8', NULL);
INSERT INTO forklake.ducklake_table_column_stats VALUES (0, 2, 42, 2, true, NULL, 'after the forks', 'plum', NULL);
INSERT INTO forklake.ducklake_table_column_stats VALUES (0, 5, 8, 1, false, NULL, '1.00', '1.00', NULL);
INSERT INTO forklake.ducklake_table_column_stats VALUES (0, 5, 8, 3, NULL, NULL, NULL, NULL, NULL);
INSERT INTO forklake.ducklake_table_column_stats VALUES (0, 5, 8, 5, NULL, NULL, NULL, NULL, NULL);
INSERT INTO forklake.ducklake_table_column_stats VALUES (0, 5, 8, 6, NULL, NULL, NULL, NULL, NULL);
INSERT INTO forklake.ducklake_table_column_stats VALUES (1, 2, 15, 1, false, NULL, '1', '7', NULL);
INSERT INTO forklake.ducklake_table_column_stats VALUES (1, 2, 15, 2, true, NULL, 'apple', 'plum', NULL);
INSERT INTO forklake.ducklake_table_column_stats VALUES (2, 8, 20, 1, false, NULL, 'a note', 'a note', NULL);
INSERT INTO forklake.ducklake_table_column_stats VALUES (3, 2, 21, 1, false, NULL, '1', '5', NULL);
INSERT INTO forklake.ducklake_table_column_stats VALUES (3, 2, 21, 2, true, NULL, 'apple', 'plum', NULL);
INSERT INTO forklake.ducklake_table_column_stats VALUES (3, 2, 22, 1, false, NULL, '1', '20', NULL);
INSERT INTO forklake.ducklake_table_column_stats VALUES (3, 2, 22, 2, true, NULL, 'apple', 'plum', NULL);
INSERT INTO forklake.ducklake_table_column_stats VALUES (3, 5, 21, 1, false, NULL, '1.00', '1.00', NULL);
INSERT INTO forklake.ducklake_table_column_stats VALUES (3, 5, 21, 3, NULL, NULL, NULL, NULL, NULL);
INSERT INTO forklake.ducklake_table_column_stats VALUES (3, 5, 21, 5, NULL, NULL, NULL, NULL, NULL);
INSERT INTO forklake.ducklake_table_column_stats VALUES (3, 5, 21, 6, NULL, NULL, NULL, NULL, NULL);
INSERT INTO forklake.ducklake_table_column_stats VALUES (4, 2, 24, 1, false, NULL, '1', '30', NULL);
INSERT INTO forklake.ducklake_table_column_stats VALUES (4, 2, 24, 2, true, NULL, 'apple', 'plum', NULL);
INSERT INTO forklake.ducklake_table_column_stats VALUES (4, 5, 25, 1, false, NULL, '1.00', '1.00', NULL);
INSERT INTO forklake.ducklake_table_column_stats VALUES (4, 5, 25, 3, NULL, NULL, NULL, NULL, NULL);
INSERT INTO forklake.ducklake_table_column_stats VALUES (4, 5, 25, 5, NULL, NULL, NULL, NULL, NULL);
INSERT INTO forklake.ducklake_table_column_stats VALUES (4, 5, 25, 6, NULL, NULL, NULL, NULL, NULL);
INSERT INTO forklake.ducklake_table_column_stats VALUES (8, 10, 34, 1, false, NULL, '1', '2', NULL);
INSERT INTO forklake.ducklake_table_column_stats VALUES (9, 12, 37, 1, false, NULL, '5', '5', NULL);
INSERT INTO forklake.ducklake_table_column_stats VALUES (10, 14, 40, 1, false, NULL, '1', '2', NULL);
INSERT INTO forklake.ducklake_table_column_stats VALUES (10, 14, 40, 2, false, NULL, 'a', 'b', NULL);
INSERT INTO forklake.ducklake_table_column_stats VALUES (10, 14, 41, 1, false, NULL, '1', '3', NULL);
INSERT INTO forklake.ducklake_table_column_stats VALUES (10, 14, 41, 2, false, NULL, 'a', 'c', NULL);
INSERT INTO forklake.ducklake_inlined_row VALUES (0, 10, 5, 9223372036854775807, 2, 4, 2, '{"1": "4", "2": "plum"}');
INSERT INTO forklake.ducklake_inlined_row VALUES (0, 11, 5, 9223372036854775807, 2, 5, 2, '{"1": "5", "2": "fig"}');
INSERT INTO forklake.ducklake_inlined_row VALUES (0, 21, 8, 9223372036854775807, 5, 0, 4, '{"1": "1.00", "2": "[1, NULL]", "4": "{''a'': 1, ''b'': NULL}"}');
INSERT INTO forklake.ducklake_inlined_row VALUES (0, 101, 42, 9223372036854775807, 2, 6, 9, '{"1": "8", "2": "after the forks"}');
INSERT INTO forklake.ducklake_inlined_row VALUES (1, 27, 15, 9223372036854775807, 2, 68719476736, 9, '{"1": "7", "2": "fig"}');
INSERT INTO forklake.ducklake_inlined_row VALUES (2, 30, 20, 9223372036854775807, 8, 137438953472, 11, '{"1": "a note"}');
INSERT INTO forklake.ducklake_inlined_row VALUES (3, 55, 21, 9223372036854775807, 2, 4, 2, '{"1": "4", "2": "plum"}');
INSERT INTO forklake.ducklake_inlined_row VALUES (3, 56, 21, 9223372036854775807, 2, 5, 2, '{"1": "5", "2": "fig"}');
INSERT INTO forklake.ducklake_inlined_row VALUES (3, 57, 21, 9223372036854775807, 5, 0, 4, '{"1": "1.00", "2": "[1, NULL]", "4": "{''a'': 1, ''b'': NULL}"}');
INSERT INTO forklake.ducklake_inlined_row VALUES (4, 84, 25, 9223372036854775807, 2, 4, 2, '{"1": "4", "2": "plum"}');
INSERT INTO forklake.ducklake_inlined_row VALUES (4, 85, 25, 9223372036854775807, 2, 5, 2, '{"1": "5", "2": "fig"}');
INSERT INTO forklake.ducklake_inlined_row VALUES (4, 86, 25, 9223372036854775807, 5, 0, 4, '{"1": "1.00", "2": "[1, NULL]", "4": "{''a'': 1, ''b'': NULL}"}');
COMMIT;
