-- The metadata of a lake in a DuckDB file. The same tables as in postgresql.sql. No secondary indexes: DuckDB checks
-- unique ones against rows that the same transaction has already ended, and scans of a single user's metadata need none.
-- Times are UTC.
--
-- Written by `python -m forklake.metastore.schema` from the description beside it: change that.

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
    begin_time timestamp NOT NULL,
    end_time timestamp,
    PRIMARY KEY (catalog_id, begin_snapshot)
);

-- The newest snapshot of each catalog. A commit is a compare-and-swap on this row; drop and undrop change live. Narrow,
-- no other index, room for updates in place.
CREATE TABLE forklake.ducklake_head (
    catalog_id bigint NOT NULL,
    snapshot_id bigint NOT NULL,
    live boolean NOT NULL DEFAULT true,  -- false while it is dropped
    own_files bigint NOT NULL DEFAULT 0,  -- how many live data and delete files it has rows of its own for
    own_bytes bigint NOT NULL DEFAULT 0,  -- how many bytes those have
    PRIMARY KEY (catalog_id)
);

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

-- A row of an ancestor that this catalog no longer shows.
CREATE TABLE forklake.ducklake_tombstone (
    catalog_id bigint NOT NULL,
    scope_id bigint NOT NULL,  -- the table that the row belongs to, or 0
    row_uid bigint NOT NULL,  -- the row
    snapshot_id bigint NOT NULL,  -- from when on it is hidden
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
    previous_snapshot_id bigint,  -- of a fork's first: the pin
    commit_key varchar,
    PRIMARY KEY (catalog_id, snapshot_id)
);

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

-- A name of a snapshot, which keeps it from expiry.
CREATE TABLE forklake.ducklake_snapshot_tag (
    catalog_id bigint NOT NULL,
    tag_key varchar NOT NULL,  -- the name in lower case
    tag_name varchar NOT NULL,  -- the name
    snapshot_id bigint NOT NULL,
    created_at timestamp NOT NULL,  -- when it was set
    keep_until timestamp,  -- from then on it does not keep the snapshot; NULL: it always does
    message varchar,  -- why
    PRIMARY KEY (catalog_id, tag_key)
);

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
    expires_at timestamp NOT NULL,  -- when it ends
    renew_seconds bigint,  -- each commit moves the end to so many seconds after it
    purge_after_seconds bigint,  -- so long after it was dropped it is purged; NULL: never of itself
    PRIMARY KEY (catalog_id)
);

-- What a catalog may hold. NULL: any number.
CREATE TABLE forklake.ducklake_quota (
    catalog_id bigint NOT NULL,
    max_bytes bigint,  -- of files
    max_files bigint,  -- data and delete files
    max_forks bigint,  -- that live
    max_depth bigint,  -- of forks of forks
    subtree boolean NOT NULL,  -- whether its forks, and theirs, count with it
    PRIMARY KEY (catalog_id)
);

-- A label of a catalog, for whoever looks for catalogs.
CREATE TABLE forklake.ducklake_catalog_label (
    catalog_id bigint NOT NULL,
    key varchar NOT NULL,
    value varchar NOT NULL,
    PRIMARY KEY (catalog_id, key)
);

-- Writers, and what awaits collection

-- A writer that may have written files which no row names yet. Its commit deletes the row, or is refused if it is gone.
CREATE TABLE forklake.ducklake_lease (
    catalog_id bigint NOT NULL,
    lease_id varchar NOT NULL,
    begin_time timestamp NOT NULL,  -- before its first file
    end_time timestamp NOT NULL,  -- from then on its files are anybody's to delete
    PRIMARY KEY (catalog_id, lease_id)
);

-- A catalog some of whose rows nothing may need any more, since snapshots or forks that saw them are gone.
CREATE TABLE forklake.ducklake_due (
    catalog_id bigint NOT NULL,
    due_time timestamp NOT NULL,  -- since when
    PRIMARY KEY (catalog_id)
);

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
    schedule_start timestamp NOT NULL,
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
    origin_snapshot_id bigint,  -- the snapshot that first added it, in whichever catalog; NULL: begin_snapshot
    PRIMARY KEY (catalog_id, row_uid)
);

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

-- For web apps: each catalog as DuckLake's tables would show it, with catalog_id and catalog_name in front.
-- Forks are resolved, dropped catalogs are left out, and all is to be asked for one catalog: WHERE catalog_id = ...
-- A versioned row ends where its owner ended it, or where a nearer catalog of the chain hid it, or never (NULL).

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
CREATE VIEW ducklake_catalog AS
SELECT k.catalog_id, k.catalog_name, k.catalog_uuid, k.parent_catalog_id, k.parent_snapshot_id,
       h.snapshot_id, k.begin_time
  FROM forklake.ducklake_catalog k
  JOIN forklake.ducklake_head h ON h.catalog_id = k.catalog_id
 WHERE k.end_snapshot = 9223372036854775807;

-- The lineage of a catalog. The counters are those of the whole lake, as they are now.
CREATE VIEW ducklake_snapshot AS
SELECT c.catalog_id, c.catalog_name, r.snapshot_id, r.snapshot_time, r.schema_version,
       (SELECT coalesce(max(q.last_value) + 1, 0) FROM duckdb_sequences() q
         WHERE q.schema_name = 'forklake' AND q.sequence_name = 'ducklake_object_id_seq') AS next_catalog_id,
       (SELECT coalesce(max(q.last_value) + 1, 0) FROM duckdb_sequences() q
         WHERE q.schema_name = 'forklake' AND q.sequence_name = 'ducklake_file_id_seq') AS next_file_id
  FROM forklake.lake_chain c
  JOIN forklake.ducklake_snapshot r ON r.catalog_id = c.owner_id
 WHERE r.snapshot_id >= c.versions_from AND r.snapshot_id <= c.upto;

CREATE VIEW ducklake_snapshot_changes AS
SELECT c.catalog_id, c.catalog_name, r.snapshot_id, r.changes_made, r.author, r.commit_message, r.commit_extra_info
  FROM forklake.lake_chain c
  JOIN forklake.ducklake_snapshot_changes r ON r.catalog_id = c.owner_id
 WHERE r.snapshot_id <= c.upto
   AND r.snapshot_id >= c.versions_from;

CREATE VIEW ducklake_schema_versions AS
SELECT c.catalog_id, c.catalog_name, r.begin_snapshot, r.schema_version, r.table_id
  FROM forklake.lake_chain c
  JOIN forklake.ducklake_schema_versions r ON r.catalog_id = c.owner_id
 WHERE r.begin_snapshot <= c.upto
   AND NOT EXISTS (SELECT 1 FROM forklake.ducklake_segment o
                    WHERE o.catalog_id = c.catalog_id AND o.owner_id = c.owner_id AND o.since > c.since);

-- Options of the catalog, and those of the lake that it does not set itself; data_path is the catalog's directory.
CREATE VIEW ducklake_metadata AS
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

CREATE VIEW ducklake_schema AS
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

CREATE VIEW ducklake_table AS
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

CREATE VIEW ducklake_column AS
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

CREATE VIEW ducklake_view AS
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

CREATE VIEW ducklake_macro AS
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

CREATE VIEW ducklake_tag AS
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

CREATE VIEW ducklake_column_tag AS
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
CREATE VIEW ducklake_view_column_tag AS
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

CREATE VIEW ducklake_partition_info AS
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

CREATE VIEW ducklake_sort_info AS
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
CREATE VIEW ducklake_data_file AS
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

CREATE VIEW ducklake_delete_file AS
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
CREATE VIEW ducklake_inlined_row AS
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

CREATE VIEW ducklake_inlined_delete AS
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
CREATE VIEW ducklake_inlined_data_tables AS
SELECT r.catalog_id, r.catalog_name, r.table_id, r.table_name, r.begin_snapshot AS schema_version
  FROM ducklake_table r
 WHERE false;

-- What belongs to a row has no interval of its own: it shows as long as the row does, the row's past included.
CREATE VIEW ducklake_macro_impl AS
SELECT c.catalog_id, c.catalog_name, f.macro_id, r.impl_id, r.dialect, r.sql, r.type
  FROM forklake.lake_chain c
  JOIN forklake.ducklake_macro f ON f.catalog_id = c.owner_id
  JOIN forklake.ducklake_macro_impl r ON r.catalog_id = f.catalog_id AND r.macro_id = f.macro_id
 WHERE f.begin_snapshot <= c.upto
   AND NOT EXISTS (SELECT 1 FROM forklake.ducklake_segment o
                    WHERE o.catalog_id = c.catalog_id AND o.owner_id = c.owner_id AND o.since > c.since);

CREATE VIEW ducklake_macro_parameters AS
SELECT c.catalog_id, c.catalog_name, f.macro_id, r.impl_id, r.column_id, r.parameter_name, r.parameter_type,
       r.default_value, r.default_value_type
  FROM forklake.lake_chain c
  JOIN forklake.ducklake_macro f ON f.catalog_id = c.owner_id
  JOIN forklake.ducklake_macro_parameters r ON r.catalog_id = f.catalog_id AND r.macro_id = f.macro_id
 WHERE f.begin_snapshot <= c.upto
   AND NOT EXISTS (SELECT 1 FROM forklake.ducklake_segment o
                    WHERE o.catalog_id = c.catalog_id AND o.owner_id = c.owner_id AND o.since > c.since);

CREATE VIEW ducklake_partition_column AS
SELECT c.catalog_id, c.catalog_name, f.partition_id, f.table_id, r.partition_key_index, r.column_id, r.transform
  FROM forklake.lake_chain c
  JOIN forklake.ducklake_partition_info f ON f.catalog_id = c.owner_id
  JOIN forklake.ducklake_partition_column r ON r.catalog_id = f.catalog_id AND r.partition_id = f.partition_id
 WHERE f.begin_snapshot <= c.upto
   AND NOT EXISTS (SELECT 1 FROM forklake.ducklake_segment o
                    WHERE o.catalog_id = c.catalog_id AND o.owner_id = c.owner_id AND o.since > c.since);

CREATE VIEW ducklake_sort_expression AS
SELECT c.catalog_id, c.catalog_name, f.sort_id, f.table_id, r.sort_key_index, r.expression, r.dialect, r.sort_direction,
       r.null_order
  FROM forklake.lake_chain c
  JOIN forklake.ducklake_sort_info f ON f.catalog_id = c.owner_id
  JOIN forklake.ducklake_sort_expression r ON r.catalog_id = f.catalog_id AND r.sort_id = f.sort_id
 WHERE f.begin_snapshot <= c.upto
   AND NOT EXISTS (SELECT 1 FROM forklake.ducklake_segment o
                    WHERE o.catalog_id = c.catalog_id AND o.owner_id = c.owner_id AND o.since > c.since);

CREATE VIEW ducklake_file_column_stats AS
SELECT c.catalog_id, c.catalog_name, f.data_file_id, f.table_id, r.column_id, r.column_size_bytes, r.value_count,
       r.null_count, r.min_value, r.max_value, r.contains_nan, r.extra_stats
  FROM forklake.lake_chain c
  JOIN forklake.ducklake_data_file f ON f.catalog_id = c.owner_id
  JOIN forklake.ducklake_file_column_stats r ON r.catalog_id = f.catalog_id AND r.data_file_id = f.data_file_id
 WHERE f.begin_snapshot <= c.upto
   AND NOT EXISTS (SELECT 1 FROM forklake.ducklake_segment o
                    WHERE o.catalog_id = c.catalog_id AND o.owner_id = c.owner_id AND o.since > c.since);

CREATE VIEW ducklake_file_variant_stats AS
SELECT c.catalog_id, c.catalog_name, f.data_file_id, f.table_id, r.column_id, r.variant_path, r.shredded_type,
       r.column_size_bytes, r.value_count, r.null_count, r.min_value, r.max_value, r.contains_nan, r.extra_stats
  FROM forklake.lake_chain c
  JOIN forklake.ducklake_data_file f ON f.catalog_id = c.owner_id
  JOIN forklake.ducklake_file_variant_stats r ON r.catalog_id = f.catalog_id AND r.data_file_id = f.data_file_id
 WHERE f.begin_snapshot <= c.upto
   AND NOT EXISTS (SELECT 1 FROM forklake.ducklake_segment o
                    WHERE o.catalog_id = c.catalog_id AND o.owner_id = c.owner_id AND o.since > c.since);

CREATE VIEW ducklake_file_partition_value AS
SELECT c.catalog_id, c.catalog_name, f.data_file_id, f.table_id, r.partition_key_index, r.partition_value
  FROM forklake.lake_chain c
  JOIN forklake.ducklake_data_file f ON f.catalog_id = c.owner_id
  JOIN forklake.ducklake_file_partition_value r ON r.catalog_id = f.catalog_id AND r.data_file_id = f.data_file_id
 WHERE f.begin_snapshot <= c.upto
   AND NOT EXISTS (SELECT 1 FROM forklake.ducklake_segment o
                    WHERE o.catalog_id = c.catalog_id AND o.owner_id = c.owner_id AND o.since > c.since);

-- Many files share a mapping, and a fork that uses an inherited one has a copy of it: each shows once.
CREATE VIEW ducklake_column_mapping AS
SELECT DISTINCT c.catalog_id, c.catalog_name, r.mapping_id, r.table_id, r.type
  FROM forklake.lake_chain c
  JOIN forklake.ducklake_data_file f ON f.catalog_id = c.owner_id
  JOIN forklake.ducklake_column_mapping r ON r.catalog_id = f.catalog_id AND r.mapping_id = f.mapping_id
 WHERE f.begin_snapshot <= c.upto
   AND NOT EXISTS (SELECT 1 FROM forklake.ducklake_segment o
                    WHERE o.catalog_id = c.catalog_id AND o.owner_id = c.owner_id AND o.since > c.since);

CREATE VIEW ducklake_name_mapping AS
SELECT DISTINCT c.catalog_id, c.catalog_name, r.mapping_id, r.column_id, r.source_name, r.target_field_id,
       r.parent_column, r.is_partition
  FROM forklake.lake_chain c
  JOIN forklake.ducklake_data_file f ON f.catalog_id = c.owner_id
  JOIN forklake.ducklake_name_mapping r ON r.catalog_id = f.catalog_id AND r.mapping_id = f.mapping_id
 WHERE f.begin_snapshot <= c.upto
   AND NOT EXISTS (SELECT 1 FROM forklake.ducklake_segment o
                    WHERE o.catalog_id = c.catalog_id AND o.owner_id = c.owner_id AND o.since > c.since);

-- Statistics of the tables that there are: the newest of the nearest catalog that wrote any.
CREATE VIEW ducklake_table_stats AS
SELECT t.catalog_id, t.catalog_name, t.table_id, r.record_count, r.next_row_id, r.file_size_bytes
  FROM ducklake_table t
  JOIN forklake.lake_link c ON c.catalog_id = t.catalog_id AND c.until = 9223372036854775807
  JOIN forklake.ducklake_table_stats r ON r.catalog_id = c.owner_id AND r.table_id = t.table_id
 WHERE t.end_snapshot IS NULL
   AND c.depth = (SELECT min(n.depth) FROM forklake.lake_link n
                    JOIN forklake.ducklake_table_stats x ON x.catalog_id = n.owner_id
                   WHERE n.catalog_id = t.catalog_id AND n.until = 9223372036854775807 AND x.table_id = t.table_id
                     AND x.begin_snapshot <= n.upto)
   AND r.begin_snapshot = (SELECT max(x.begin_snapshot) FROM forklake.ducklake_table_stats x
                            WHERE x.catalog_id = c.owner_id AND x.table_id = t.table_id
                              AND x.begin_snapshot <= c.upto);

CREATE VIEW ducklake_table_column_stats AS
SELECT t.catalog_id, t.catalog_name, t.table_id, r.column_id, r.contains_null, r.contains_nan, r.min_value, r.max_value,
       r.extra_stats
  FROM ducklake_table t
  JOIN forklake.lake_link c ON c.catalog_id = t.catalog_id AND c.until = 9223372036854775807
  JOIN forklake.ducklake_table_column_stats r ON r.catalog_id = c.owner_id AND r.table_id = t.table_id
 WHERE t.end_snapshot IS NULL
   AND c.depth = (SELECT min(n.depth) FROM forklake.lake_link n
                    JOIN forklake.ducklake_table_column_stats x ON x.catalog_id = n.owner_id
                   WHERE n.catalog_id = t.catalog_id AND n.until = 9223372036854775807 AND x.table_id = t.table_id
                     AND x.begin_snapshot <= n.upto)
   AND r.begin_snapshot = (SELECT max(x.begin_snapshot) FROM forklake.ducklake_table_column_stats x
                            WHERE x.catalog_id = c.owner_id AND x.table_id = t.table_id
                              AND x.begin_snapshot <= c.upto);

CREATE VIEW ducklake_files_scheduled_for_deletion AS
SELECT k.catalog_id, k.catalog_name, r.data_file_id, r.path, r.path_is_relative, r.schedule_start
  FROM forklake.ducklake_catalog k
  JOIN forklake.ducklake_files_scheduled_for_deletion r ON r.catalog_id = k.catalog_id
 WHERE k.end_snapshot = 9223372036854775807;

INSERT INTO forklake.ducklake_catalog VALUES (0, '6ecb1e68-5eac-43bf-bb35-6401ae38aa29', 'shop', NULL, NULL, NULL, 'shop/', true, 0, 9223372036854775807, '2026-11-19 21:02:09.225417+00:00', NULL);
INSERT INTO forklake.ducklake_catalog VALUES (1, 'e0cb72b2-1008-4e5f-963e-8873d8c188a6', 'agent', 0, 16, NULL, 'agent/', true, 17, 9223372036854775807, '2026-11-19 21:02:10.239628+00:00', NULL);
INSERT INTO forklake.ducklake_catalog VALUES (2, 'b934e823-53a2-4e49-8b0a-e227a5dca3b2', 'deep', 1, 20, NULL, 'deep/', true, 21, 9223372036854775807, '2026-11-19 21:02:10.530430+00:00', NULL);
INSERT INTO forklake.ducklake_catalog VALUES (3, 'eee56b4d-9b71-4aff-8ca8-51e0c177a470', 'copied', 0, 16, NULL, 'copied/', true, 24, 9223372036854775807, '2026-11-19 21:02:10.714941+00:00', NULL);
INSERT INTO forklake.ducklake_catalog VALUES (4, '538ca0e3-a983-4295-b8c0-5425b49d0084', 'severed', 0, 16, NULL, 'severed/', true, 26, 9223372036854775807, '2026-11-19 21:02:11.209385+00:00', NULL);
INSERT INTO forklake.ducklake_catalog VALUES (5, 'dadb61d3-81ca-4520-91eb-28f2d41dacbe', 'before', 0, 16, NULL, 'before/', true, 29, 30, '2026-11-19 21:02:12.080757+00:00', '2026-11-19 21:02:12.103823+00:00');
INSERT INTO forklake.ducklake_catalog VALUES (5, 'dadb61d3-81ca-4520-91eb-28f2d41dacbe', 'after', 0, 16, NULL, 'before/', true, 30, 9223372036854775807, '2026-11-19 21:02:12.103823+00:00', NULL);
INSERT INTO forklake.ducklake_catalog VALUES (6, '0b537540-a638-4941-be45-c7501eb487a5', 'dropped', 0, 16, NULL, 'dropped/', true, 31, 32, '2026-11-19 21:02:12.120805+00:00', '2026-11-19 21:02:12.137830+00:00');
INSERT INTO forklake.ducklake_catalog VALUES (7, '7b3eb4b0-2f84-4ee8-85fb-bdbd73ce0b92', 'purged', 0, 16, NULL, 'purged/', true, 33, 34, '2026-11-19 21:02:12.145482+00:00', '2026-11-19 21:02:12.168014+00:00');
INSERT INTO forklake.ducklake_catalog VALUES (8, '1f506c2f-3178-4576-bf36-32b475bcdf73', 'secret', NULL, NULL, NULL, 'secret/', true, 35, 9223372036854775807, '2026-11-19 21:02:12.459941+00:00', NULL);
INSERT INTO forklake.ducklake_catalog VALUES (9, '9c48f010-fcf7-42a8-bf92-cd158acd9252', 'slow', NULL, NULL, '@HOME@/outside/slow/', '@HOME@/outside/slow/slow/', false, 38, 9223372036854775807, '2026-11-19 21:02:12.567417+00:00', NULL);
INSERT INTO forklake.ducklake_catalog VALUES (10, '5f9715bb-293b-4266-a324-016850e7efa6', 'imported', NULL, NULL, NULL, 'imported/', true, 41, 9223372036854775807, '2026-11-19 21:02:12.873784+00:00', NULL);
INSERT INTO forklake.ducklake_head VALUES (0, 45, true, 4, 2367);
INSERT INTO forklake.ducklake_head VALUES (1, 20, true, 0, 0);
INSERT INTO forklake.ducklake_head VALUES (2, 23, true, 0, 0);
INSERT INTO forklake.ducklake_head VALUES (3, 25, true, 5, 2831);
INSERT INTO forklake.ducklake_head VALUES (4, 28, true, 5, 2831);
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
INSERT INTO forklake.ducklake_snapshot VALUES (0, 0, '2026-11-19 21:02:09.225417+00:00', 0);
INSERT INTO forklake.ducklake_snapshot VALUES (0, 1, '2026-11-19 21:02:09.280898+00:00', 1);
INSERT INTO forklake.ducklake_snapshot VALUES (0, 2, '2026-11-19 21:02:09.551919+00:00', 2);
INSERT INTO forklake.ducklake_snapshot VALUES (0, 3, '2026-11-19 21:02:09.605049+00:00', 2);
INSERT INTO forklake.ducklake_snapshot VALUES (0, 4, '2026-11-19 21:02:09.664945+00:00', 2);
INSERT INTO forklake.ducklake_snapshot VALUES (0, 5, '2026-11-19 21:02:09.692832+00:00', 2);
INSERT INTO forklake.ducklake_snapshot VALUES (0, 6, '2026-11-19 21:02:09.729426+00:00', 3);
INSERT INTO forklake.ducklake_snapshot VALUES (0, 7, '2026-11-19 21:02:09.802343+00:00', 4);
INSERT INTO forklake.ducklake_snapshot VALUES (0, 8, '2026-11-19 21:02:09.887622+00:00', 4);
INSERT INTO forklake.ducklake_snapshot VALUES (0, 9, '2026-11-19 21:02:09.908887+00:00', 5);
INSERT INTO forklake.ducklake_snapshot VALUES (0, 10, '2026-11-19 21:02:09.941411+00:00', 6);
INSERT INTO forklake.ducklake_snapshot VALUES (0, 11, '2026-11-19 21:02:09.966548+00:00', 7);
INSERT INTO forklake.ducklake_snapshot VALUES (0, 12, '2026-11-19 21:02:10.003329+00:00', 8);
INSERT INTO forklake.ducklake_snapshot VALUES (0, 13, '2026-11-19 21:02:10.053872+00:00', 9);
INSERT INTO forklake.ducklake_snapshot VALUES (0, 14, '2026-11-19 21:02:10.109908+00:00', 10);
INSERT INTO forklake.ducklake_snapshot VALUES (0, 15, '2026-11-19 21:02:10.164784+00:00', 11);
INSERT INTO forklake.ducklake_snapshot VALUES (0, 16, '2026-11-19 21:02:10.218772+00:00', 12);
INSERT INTO forklake.ducklake_snapshot VALUES (0, 45, '2026-11-19 21:02:13.229421+00:00', 12);
INSERT INTO forklake.ducklake_snapshot VALUES (1, 17, '2026-11-19 21:02:10.239628+00:00', 12);
INSERT INTO forklake.ducklake_snapshot VALUES (1, 18, '2026-11-19 21:02:10.337448+00:00', 12);
INSERT INTO forklake.ducklake_snapshot VALUES (1, 19, '2026-11-19 21:02:10.407051+00:00', 12);
INSERT INTO forklake.ducklake_snapshot VALUES (1, 20, '2026-11-19 21:02:10.503905+00:00', 13);
INSERT INTO forklake.ducklake_snapshot VALUES (2, 21, '2026-11-19 21:02:10.530430+00:00', 13);
INSERT INTO forklake.ducklake_snapshot VALUES (2, 22, '2026-11-19 21:02:10.591279+00:00', 14);
INSERT INTO forklake.ducklake_snapshot VALUES (2, 23, '2026-11-19 21:02:10.678296+00:00', 14);
INSERT INTO forklake.ducklake_snapshot VALUES (3, 24, '2026-11-19 21:02:10.714941+00:00', 12);
INSERT INTO forklake.ducklake_snapshot VALUES (3, 25, '2026-11-19 21:02:11.153659+00:00', 12);
INSERT INTO forklake.ducklake_snapshot VALUES (4, 28, '2026-11-19 21:02:11.369617+00:00', 12);
INSERT INTO forklake.ducklake_snapshot VALUES (5, 29, '2026-11-19 21:02:12.080757+00:00', 12);
INSERT INTO forklake.ducklake_snapshot VALUES (6, 31, '2026-11-19 21:02:12.120805+00:00', 12);
INSERT INTO forklake.ducklake_snapshot VALUES (8, 35, '2026-11-19 21:02:12.459941+00:00', 0);
INSERT INTO forklake.ducklake_snapshot VALUES (8, 36, '2026-11-19 21:02:12.483579+00:00', 1);
INSERT INTO forklake.ducklake_snapshot VALUES (8, 37, '2026-11-19 21:02:12.548373+00:00', 1);
INSERT INTO forklake.ducklake_snapshot VALUES (9, 38, '2026-11-19 21:02:12.567417+00:00', 0);
INSERT INTO forklake.ducklake_snapshot VALUES (9, 39, '2026-11-19 21:02:12.599702+00:00', 1);
INSERT INTO forklake.ducklake_snapshot VALUES (9, 40, '2026-11-19 21:02:12.659240+00:00', 1);
INSERT INTO forklake.ducklake_snapshot VALUES (10, 41, '2026-11-19 21:02:12.670414+00:00', 0);
INSERT INTO forklake.ducklake_snapshot VALUES (10, 42, '2026-11-19 21:02:12.692816+00:00', 1);
INSERT INTO forklake.ducklake_snapshot VALUES (10, 43, '2026-11-19 21:02:12.713233+00:00', 1);
INSERT INTO forklake.ducklake_snapshot VALUES (10, 44, '2026-11-19 21:02:13.165374+00:00', 1);
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
INSERT INTO forklake.ducklake_snapshot_lineage VALUES (0, 1, 0, 'YJqKi-l5LgExUhVO');
INSERT INTO forklake.ducklake_snapshot_lineage VALUES (0, 2, 1, 'UAayF4JW4F6s4a2g');
INSERT INTO forklake.ducklake_snapshot_lineage VALUES (0, 3, 2, 'A8PB6K6__T_Axv2A');
INSERT INTO forklake.ducklake_snapshot_lineage VALUES (0, 4, 3, 'nArTLEpM_aQm3ovn');
INSERT INTO forklake.ducklake_snapshot_lineage VALUES (0, 5, 4, 'OhrEMqu503MKr92Q');
INSERT INTO forklake.ducklake_snapshot_lineage VALUES (0, 6, 5, 'NtgsfectuzVf7q2R');
INSERT INTO forklake.ducklake_snapshot_lineage VALUES (0, 7, 6, 'QI5nRp75ak-I2_xP');
INSERT INTO forklake.ducklake_snapshot_lineage VALUES (0, 8, 7, 'qWejpXLVGTSGbYk5');
INSERT INTO forklake.ducklake_snapshot_lineage VALUES (0, 9, 8, '51LmlcRxSEUQhnmN');
INSERT INTO forklake.ducklake_snapshot_lineage VALUES (0, 10, 9, 'pwHvek4xkzygjSzp');
INSERT INTO forklake.ducklake_snapshot_lineage VALUES (0, 11, 10, '0Vf47JlVzVSKvs6p');
INSERT INTO forklake.ducklake_snapshot_lineage VALUES (0, 12, 11, 'rwgYiMibovyOLnOw');
INSERT INTO forklake.ducklake_snapshot_lineage VALUES (0, 13, 12, 'vs21PUWeUIWUYB0h');
INSERT INTO forklake.ducklake_snapshot_lineage VALUES (0, 14, 13, '6sRa0ZtF0SV9L9q9');
INSERT INTO forklake.ducklake_snapshot_lineage VALUES (0, 15, 14, '4JMJg6hq2y8APle4');
INSERT INTO forklake.ducklake_snapshot_lineage VALUES (0, 16, 15, 'ImjNflK2sIFnytMt');
INSERT INTO forklake.ducklake_snapshot_lineage VALUES (0, 45, 16, 'Dc2qfpnPCwHANhF0');
INSERT INTO forklake.ducklake_snapshot_lineage VALUES (1, 17, 16, NULL);
INSERT INTO forklake.ducklake_snapshot_lineage VALUES (1, 18, 17, 'WXbXuZVbyoWV6dvQ');
INSERT INTO forklake.ducklake_snapshot_lineage VALUES (1, 19, 18, 'kB63MIc-7vJPsp8W');
INSERT INTO forklake.ducklake_snapshot_lineage VALUES (1, 20, 19, 'odPRCOleM3bUOELW');
INSERT INTO forklake.ducklake_snapshot_lineage VALUES (2, 21, 20, NULL);
INSERT INTO forklake.ducklake_snapshot_lineage VALUES (2, 22, 21, 'ZEZ0OVQpgHXBhIg0');
INSERT INTO forklake.ducklake_snapshot_lineage VALUES (2, 23, 22, '_aPcdi_GVOTvVZCC');
INSERT INTO forklake.ducklake_snapshot_lineage VALUES (3, 24, 16, NULL);
INSERT INTO forklake.ducklake_snapshot_lineage VALUES (3, 25, 24, '5WR6NXhVAGB2u3tr');
INSERT INTO forklake.ducklake_snapshot_lineage VALUES (4, 26, 16, NULL);
INSERT INTO forklake.ducklake_snapshot_lineage VALUES (4, 27, 26, 'XrUVf02YavwFMxcx');
INSERT INTO forklake.ducklake_snapshot_lineage VALUES (4, 28, 27, NULL);
INSERT INTO forklake.ducklake_snapshot_lineage VALUES (5, 29, 16, NULL);
INSERT INTO forklake.ducklake_snapshot_lineage VALUES (6, 31, 16, NULL);
INSERT INTO forklake.ducklake_snapshot_lineage VALUES (8, 35, NULL, NULL);
INSERT INTO forklake.ducklake_snapshot_lineage VALUES (8, 36, 35, 'OrRd1BuTopO8GHJo');
INSERT INTO forklake.ducklake_snapshot_lineage VALUES (8, 37, 36, 't6CN0akczRFO7YYu');
INSERT INTO forklake.ducklake_snapshot_lineage VALUES (9, 38, NULL, NULL);
INSERT INTO forklake.ducklake_snapshot_lineage VALUES (9, 39, 38, 'Vlmss7WVJSh3lbqG');
INSERT INTO forklake.ducklake_snapshot_lineage VALUES (9, 40, 39, 'A_C9I8yJ9CXkyATe');
INSERT INTO forklake.ducklake_snapshot_lineage VALUES (10, 41, NULL, NULL);
INSERT INTO forklake.ducklake_snapshot_lineage VALUES (10, 42, 41, NULL);
INSERT INTO forklake.ducklake_snapshot_lineage VALUES (10, 43, 42, NULL);
INSERT INTO forklake.ducklake_snapshot_lineage VALUES (10, 44, 43, 'B8uqtTdWjSdl4P6E');
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
INSERT INTO forklake.ducklake_due VALUES (0, '2026-11-19 21:02:12.177867+00:00');
INSERT INTO forklake.ducklake_due VALUES (10, '2026-11-19 21:02:12.946940+00:00');
INSERT INTO forklake.ducklake_schema VALUES (0, 0, 0, 9223372036854775807, 0, 'c2e3118a-d512-44dc-91bb-61d4faace575', 'main', 'main/', true);
INSERT INTO forklake.ducklake_schema VALUES (0, 1, 1, 9223372036854775807, 1, '6cd3bc38-32dd-481b-8783-03493f2eb5b5', 'more', 'more/', true);
INSERT INTO forklake.ducklake_schema VALUES (3, 35, 24, 9223372036854775807, 0, 'c2e3118a-d512-44dc-91bb-61d4faace575', 'main', 'main/', true);
INSERT INTO forklake.ducklake_schema VALUES (3, 36, 24, 9223372036854775807, 1, '6cd3bc38-32dd-481b-8783-03493f2eb5b5', 'more', 'more/', true);
INSERT INTO forklake.ducklake_schema VALUES (4, 68, 28, 9223372036854775807, 0, 'c2e3118a-d512-44dc-91bb-61d4faace575', 'main', 'main/', true);
INSERT INTO forklake.ducklake_schema VALUES (4, 69, 28, 9223372036854775807, 1, '6cd3bc38-32dd-481b-8783-03493f2eb5b5', 'more', 'more/', true);
INSERT INTO forklake.ducklake_schema VALUES (8, 99, 35, 9223372036854775807, 12, '08171613-bd6a-413a-a159-ffd0f24e0a59', 'main', 'main/', true);
INSERT INTO forklake.ducklake_schema VALUES (9, 103, 38, 9223372036854775807, 14, '7ca91c55-f738-4c6f-ba35-dcd21600bda1', 'main', 'main/', true);
INSERT INTO forklake.ducklake_schema VALUES (10, 107, 41, 9223372036854775807, 16, 'e0a041f3-054a-4db1-9b6a-40b0703d2649', 'main', 'main/', true);
INSERT INTO forklake.ducklake_table VALUES (0, 2, 2, 9223372036854775807, 2, 'f003c614-dbfc-44ee-b329-faae1e9ab1fe', 0, 'orders', 'orders/', true);
INSERT INTO forklake.ducklake_table VALUES (0, 12, 6, 9223372036854775807, 4, 'ba2e3979-5547-4ba5-ac60-672c2865ed2c', 0, 'gone', 'gone/', true);
INSERT INTO forklake.ducklake_table VALUES (0, 14, 7, 9223372036854775807, 5, '1fd0edf3-60d2-4035-9dab-e439bd605344', 1, 'wide', 'wide/', true);
INSERT INTO forklake.ducklake_table VALUES (0, 28, 15, 9223372036854775807, 9, '6f1154fb-46f2-4cf7-8944-aad501513caf', 0, 'log', 'log/', true);
INSERT INTO forklake.ducklake_table VALUES (2, 32, 22, 9223372036854775807, 11, '8a7e0b8b-50c1-4356-9628-92c0ef31a542', 0, 'notes', 'notes/', true);
INSERT INTO forklake.ducklake_table VALUES (3, 37, 24, 9223372036854775807, 2, 'f003c614-dbfc-44ee-b329-faae1e9ab1fe', 0, 'orders', 'orders/', true);
INSERT INTO forklake.ducklake_table VALUES (3, 38, 24, 9223372036854775807, 4, 'ba2e3979-5547-4ba5-ac60-672c2865ed2c', 0, 'gone', 'gone/', true);
INSERT INTO forklake.ducklake_table VALUES (3, 39, 24, 9223372036854775807, 5, '1fd0edf3-60d2-4035-9dab-e439bd605344', 1, 'wide', 'wide/', true);
INSERT INTO forklake.ducklake_table VALUES (3, 40, 24, 9223372036854775807, 9, '6f1154fb-46f2-4cf7-8944-aad501513caf', 0, 'log', 'log/', true);
INSERT INTO forklake.ducklake_table VALUES (4, 70, 28, 9223372036854775807, 2, 'f003c614-dbfc-44ee-b329-faae1e9ab1fe', 0, 'orders', 'orders/', true);
INSERT INTO forklake.ducklake_table VALUES (4, 71, 28, 9223372036854775807, 4, 'ba2e3979-5547-4ba5-ac60-672c2865ed2c', 0, 'gone', 'gone/', true);
INSERT INTO forklake.ducklake_table VALUES (4, 72, 28, 9223372036854775807, 5, '1fd0edf3-60d2-4035-9dab-e439bd605344', 1, 'wide', 'wide/', true);
INSERT INTO forklake.ducklake_table VALUES (4, 73, 28, 9223372036854775807, 9, '6f1154fb-46f2-4cf7-8944-aad501513caf', 0, 'log', 'log/', true);
INSERT INTO forklake.ducklake_table VALUES (8, 100, 36, 9223372036854775807, 13, '4a7ba1ab-099d-479b-89af-4e9db6a6d73b', 12, 'keys', 'keys/', true);
INSERT INTO forklake.ducklake_table VALUES (9, 104, 39, 9223372036854775807, 15, 'a66af7bf-7401-4f74-9635-6f5186666f1e', 14, 't', 't/', true);
INSERT INTO forklake.ducklake_table VALUES (10, 108, 42, 9223372036854775807, 17, '01a1f59d-f6d9-7087-8872-1652fad609ad', 16, 't', 't/', true);
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
INSERT INTO forklake.ducklake_column VALUES (3, 47, 24, 9223372036854775807, 1, 5, 1, 'd', 'decimal(10,2)', NULL, 'NULL', true, NULL, 'literal', 'duckdb');
INSERT INTO forklake.ducklake_column VALUES (3, 48, 24, 9223372036854775807, 2, 5, 2, 'l', 'list', NULL, 'NULL', true, NULL, 'literal', 'duckdb');
INSERT INTO forklake.ducklake_column VALUES (3, 49, 24, 9223372036854775807, 3, 5, 3, 'element', 'int32', NULL, 'NULL', true, 2, 'literal', 'duckdb');
INSERT INTO forklake.ducklake_column VALUES (3, 50, 24, 9223372036854775807, 4, 5, 4, 's', 'struct', NULL, 'NULL', true, NULL, 'literal', 'duckdb');
INSERT INTO forklake.ducklake_column VALUES (3, 51, 24, 9223372036854775807, 5, 5, 5, 'a', 'int32', NULL, 'NULL', true, 4, 'literal', 'duckdb');
INSERT INTO forklake.ducklake_column VALUES (3, 52, 24, 9223372036854775807, 6, 5, 6, 'b', 'date', NULL, 'NULL', true, 4, 'literal', 'duckdb');
INSERT INTO forklake.ducklake_column VALUES (3, 53, 24, 9223372036854775807, 7, 5, 7, 'added', 'int64', NULL, 'NULL', true, NULL, 'literal', 'duckdb');
INSERT INTO forklake.ducklake_column VALUES (3, 54, 24, 9223372036854775807, 1, 9, 1, 'at', 'int64', NULL, '40 + 2', true, NULL, 'expression', 'duckdb');
INSERT INTO forklake.ducklake_column VALUES (4, 77, 28, 9223372036854775807, 1, 2, 1, 'id', 'int64', NULL, 'NULL', true, NULL, 'literal', 'duckdb');
INSERT INTO forklake.ducklake_column VALUES (4, 78, 28, 9223372036854775807, 2, 2, 2, 'item', 'varchar', NULL, 'NULL', true, NULL, 'literal', 'duckdb');
INSERT INTO forklake.ducklake_column VALUES (4, 79, 28, 9223372036854775807, 1, 4, 1, 'x', 'int32', NULL, 'NULL', true, NULL, 'literal', 'duckdb');
INSERT INTO forklake.ducklake_column VALUES (4, 80, 28, 9223372036854775807, 1, 5, 1, 'd', 'decimal(10,2)', NULL, 'NULL', true, NULL, 'literal', 'duckdb');
INSERT INTO forklake.ducklake_column VALUES (4, 81, 28, 9223372036854775807, 2, 5, 2, 'l', 'list', NULL, 'NULL', true, NULL, 'literal', 'duckdb');
INSERT INTO forklake.ducklake_column VALUES (4, 82, 28, 9223372036854775807, 3, 5, 3, 'element', 'int32', NULL, 'NULL', true, 2, 'literal', 'duckdb');
INSERT INTO forklake.ducklake_column VALUES (4, 83, 28, 9223372036854775807, 4, 5, 4, 's', 'struct', NULL, 'NULL', true, NULL, 'literal', 'duckdb');
INSERT INTO forklake.ducklake_column VALUES (4, 84, 28, 9223372036854775807, 5, 5, 5, 'a', 'int32', NULL, 'NULL', true, 4, 'literal', 'duckdb');
INSERT INTO forklake.ducklake_column VALUES (4, 85, 28, 9223372036854775807, 6, 5, 6, 'b', 'date', NULL, 'NULL', true, 4, 'literal', 'duckdb');
INSERT INTO forklake.ducklake_column VALUES (4, 86, 28, 9223372036854775807, 7, 5, 7, 'added', 'int64', NULL, 'NULL', true, NULL, 'literal', 'duckdb');
INSERT INTO forklake.ducklake_column VALUES (4, 87, 28, 9223372036854775807, 1, 9, 1, 'at', 'int64', NULL, '40 + 2', true, NULL, 'expression', 'duckdb');
INSERT INTO forklake.ducklake_column VALUES (8, 101, 36, 9223372036854775807, 1, 13, 1, 'id', 'int64', NULL, 'NULL', true, NULL, 'literal', 'duckdb');
INSERT INTO forklake.ducklake_column VALUES (9, 105, 39, 9223372036854775807, 1, 15, 1, 'id', 'int64', NULL, 'NULL', true, NULL, 'literal', 'duckdb');
INSERT INTO forklake.ducklake_column VALUES (10, 109, 42, 9223372036854775807, 1, 17, 1, 'id', 'int64', NULL, 'NULL', true, NULL, 'literal', 'duckdb');
INSERT INTO forklake.ducklake_column VALUES (10, 110, 42, 9223372036854775807, 2, 17, 2, 'name', 'varchar', NULL, 'NULL', true, NULL, 'literal', 'duckdb');
INSERT INTO forklake.ducklake_view VALUES (0, 25, 12, 9223372036854775807, 6, '96292c8f-f4b1-4dc5-9ef3-b36b7c1f2fe7', 0, 'names', 'duckdb', 'SELECT item FROM orders', NULL);
INSERT INTO forklake.ducklake_view VALUES (3, 41, 24, 9223372036854775807, 6, '96292c8f-f4b1-4dc5-9ef3-b36b7c1f2fe7', 0, 'names', 'duckdb', 'SELECT item FROM orders', NULL);
INSERT INTO forklake.ducklake_view VALUES (4, 74, 28, 9223372036854775807, 6, '96292c8f-f4b1-4dc5-9ef3-b36b7c1f2fe7', 0, 'names', 'duckdb', 'SELECT item FROM orders', NULL);
INSERT INTO forklake.ducklake_macro VALUES (0, 26, 13, 9223372036854775807, 0, 7, 'twice');
INSERT INTO forklake.ducklake_macro VALUES (0, 27, 14, 9223372036854775807, 0, 8, 'more_than');
INSERT INTO forklake.ducklake_macro VALUES (3, 42, 24, 9223372036854775807, 0, 7, 'twice');
INSERT INTO forklake.ducklake_macro VALUES (3, 43, 24, 9223372036854775807, 0, 8, 'more_than');
INSERT INTO forklake.ducklake_macro VALUES (4, 75, 28, 9223372036854775807, 0, 7, 'twice');
INSERT INTO forklake.ducklake_macro VALUES (4, 76, 28, 9223372036854775807, 0, 8, 'more_than');
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
INSERT INTO forklake.ducklake_data_file VALUES (0, 6, 3, 9223372036854775807, 0, 2, NULL, 'id=1/ducklake-01a1f59d-eab5-7ea9-8327-dcf3dda0b783.parquet', true, 'parquet', 2, 470, 289, 0, 3, NULL, NULL, NULL, NULL, NULL, NULL, true);
INSERT INTO forklake.ducklake_data_file VALUES (0, 7, 3, 9223372036854775807, 1, 2, NULL, 'id=2/ducklake-01a1f59d-eab7-7b5a-91d6-c1ad90b7d93e.parquet', true, 'parquet', 1, 465, 287, 2, 3, NULL, NULL, NULL, NULL, NULL, NULL, true);
INSERT INTO forklake.ducklake_data_file VALUES (0, 8, 3, 9223372036854775807, 2, 2, NULL, 'id=3/ducklake-01a1f59d-eab8-75c9-812d-b9f40bc9f38e.parquet', true, 'parquet', 1, 465, 287, 3, 3, NULL, NULL, NULL, NULL, NULL, NULL, true);
INSERT INTO forklake.ducklake_data_file VALUES (3, 59, 24, 9223372036854775807, 2, 2, NULL, '@HOME@/data/shop/main/orders/id=3/ducklake-01a1f59d-eab8-75c9-812d-b9f40bc9f38e.parquet', false, 'parquet', 1, 465, 287, 3, 3, NULL, NULL, NULL, NULL, NULL, 3, true);
INSERT INTO forklake.ducklake_data_file VALUES (3, 60, 24, 9223372036854775807, 1, 2, NULL, '@HOME@/data/shop/main/orders/id=2/ducklake-01a1f59d-eab7-7b5a-91d6-c1ad90b7d93e.parquet', false, 'parquet', 1, 465, 287, 2, 3, NULL, NULL, NULL, NULL, NULL, 3, true);
INSERT INTO forklake.ducklake_data_file VALUES (3, 61, 24, 9223372036854775807, 0, 2, NULL, '@HOME@/data/shop/main/orders/id=1/ducklake-01a1f59d-eab5-7ea9-8327-dcf3dda0b783.parquet', false, 'parquet', 2, 470, 289, 0, 3, NULL, NULL, NULL, NULL, NULL, 3, true);
INSERT INTO forklake.ducklake_data_file VALUES (3, 66, 25, 9223372036854775807, 4, 2, NULL, 'id=20/ducklake-01a1f59d-f0be-769d-86cb-71e866bb8511.parquet', true, 'parquet', 3, 464, 284, 206158430208, 3, NULL, NULL, NULL, NULL, NULL, NULL, true);
INSERT INTO forklake.ducklake_data_file VALUES (4, 67, 27, 9223372036854775807, 5, 2, NULL, 'id=30/ducklake-01a1f59d-f175-70bd-91c3-64d987954281.parquet', true, 'parquet', 3, 464, 284, 274877906944, 3, NULL, NULL, NULL, NULL, NULL, NULL, true);
INSERT INTO forklake.ducklake_data_file VALUES (4, 92, 28, 9223372036854775807, 2, 2, NULL, '@HOME@/data/shop/main/orders/id=3/ducklake-01a1f59d-eab8-75c9-812d-b9f40bc9f38e.parquet', false, 'parquet', 1, 465, 287, 3, 3, NULL, NULL, NULL, NULL, NULL, 3, true);
INSERT INTO forklake.ducklake_data_file VALUES (4, 93, 28, 9223372036854775807, 1, 2, NULL, '@HOME@/data/shop/main/orders/id=2/ducklake-01a1f59d-eab7-7b5a-91d6-c1ad90b7d93e.parquet', false, 'parquet', 1, 465, 287, 2, 3, NULL, NULL, NULL, NULL, NULL, 3, true);
INSERT INTO forklake.ducklake_data_file VALUES (4, 94, 28, 9223372036854775807, 0, 2, NULL, '@HOME@/data/shop/main/orders/id=1/ducklake-01a1f59d-eab5-7ea9-8327-dcf3dda0b783.parquet', false, 'parquet', 2, 470, 289, 0, 3, NULL, NULL, NULL, NULL, NULL, 3, true);
INSERT INTO forklake.ducklake_data_file VALUES (8, 102, 37, 9223372036854775807, 6, 13, NULL, 'ducklake-01a1f59d-f639-74d0-9e30-06e05ae214a7.parquet', true, 'parquet', 2, 487, 241, 0, NULL, 'c3289bsQiJkV82JlzxL/Aw==', NULL, NULL, NULL, NULL, NULL, true);
INSERT INTO forklake.ducklake_data_file VALUES (9, 106, 40, 9223372036854775807, 7, 15, NULL, 'ducklake-01a1f59d-f6a7-79e3-94ef-78ee3d41c3d3.parquet', true, 'parquet', 1, 295, 186, 0, NULL, NULL, NULL, NULL, NULL, NULL, NULL, true);
INSERT INTO forklake.ducklake_data_file VALUES (10, 111, 43, 9223372036854775807, 8, 17, NULL, '@HOME@/outside/plain/main/t/ducklake-01a1f59d-f6ff-7107-8459-0aaffec760d9.parquet', false, 'parquet', 2, 324, 236, 0, NULL, NULL, NULL, NULL, NULL, 10, NULL, true);
INSERT INTO forklake.ducklake_data_file VALUES (10, 112, 44, 9223372036854775807, 9, 17, NULL, 'ducklake-01a1f59d-f896-7637-910f-3fdcaadd2e94.parquet', true, 'parquet', 1, 448, 279, 2, NULL, NULL, NULL, NULL, NULL, NULL, NULL, true);
INSERT INTO forklake.ducklake_delete_file VALUES (0, 9, 4, 9223372036854775807, 3, 2, 0, 'ducklake-027e5536-f424-41d9-a450-8892e6377995-delete.parquet', true, 'parquet', 1, 967, 499, NULL, NULL, NULL, NULL);
INSERT INTO forklake.ducklake_delete_file VALUES (3, 62, 24, 9223372036854775807, 3, 2, 0, '@HOME@/data/shop/main/orders/ducklake-027e5536-f424-41d9-a450-8892e6377995-delete.parquet', false, 'parquet', 1, 967, 499, NULL, NULL, NULL, NULL);
INSERT INTO forklake.ducklake_delete_file VALUES (4, 95, 28, 9223372036854775807, 3, 2, 0, '@HOME@/data/shop/main/orders/ducklake-027e5536-f424-41d9-a450-8892e6377995-delete.parquet', false, 'parquet', 1, 967, 499, NULL, NULL, NULL, NULL);
INSERT INTO forklake.ducklake_file_column_stats VALUES (0, 0, 2, 2, 72, 1, 1, 'apple', 'apple', NULL, NULL);
INSERT INTO forklake.ducklake_file_column_stats VALUES (0, 0, 2, 1, 97, 2, 0, '1', '1', NULL, NULL);
INSERT INTO forklake.ducklake_file_column_stats VALUES (0, 1, 2, 1, 97, 1, 0, '2', '2', NULL, NULL);
INSERT INTO forklake.ducklake_file_column_stats VALUES (0, 1, 2, 2, 69, 1, 0, 'pear', 'pear', NULL, NULL);
INSERT INTO forklake.ducklake_file_column_stats VALUES (0, 2, 2, 1, 97, 1, 0, '3', '3', NULL, NULL);
INSERT INTO forklake.ducklake_file_column_stats VALUES (0, 2, 2, 2, 69, 1, 0, 'it''s', 'it''s', NULL, NULL);
INSERT INTO forklake.ducklake_file_column_stats VALUES (3, 0, 2, 2, 72, 1, 1, 'apple', 'apple', NULL, NULL);
INSERT INTO forklake.ducklake_file_column_stats VALUES (3, 0, 2, 1, 97, 2, 0, '1', '1', NULL, NULL);
INSERT INTO forklake.ducklake_file_column_stats VALUES (3, 1, 2, 2, 69, 1, 0, 'pear', 'pear', NULL, NULL);
INSERT INTO forklake.ducklake_file_column_stats VALUES (3, 1, 2, 1, 97, 1, 0, '2', '2', NULL, NULL);
INSERT INTO forklake.ducklake_file_column_stats VALUES (3, 2, 2, 2, 69, 1, 0, 'it''s', 'it''s', NULL, NULL);
INSERT INTO forklake.ducklake_file_column_stats VALUES (3, 2, 2, 1, 97, 1, 0, '3', '3', NULL, NULL);
INSERT INTO forklake.ducklake_file_column_stats VALUES (3, 4, 2, 1, 97, 3, 0, '20', '20', NULL, NULL);
INSERT INTO forklake.ducklake_file_column_stats VALUES (3, 4, 2, 2, 71, 2, 1, 'k', 'kiwi', NULL, NULL);
INSERT INTO forklake.ducklake_file_column_stats VALUES (4, 0, 2, 1, 97, 2, 0, '1', '1', NULL, NULL);
INSERT INTO forklake.ducklake_file_column_stats VALUES (4, 0, 2, 2, 72, 1, 1, 'apple', 'apple', NULL, NULL);
INSERT INTO forklake.ducklake_file_column_stats VALUES (4, 1, 2, 1, 97, 1, 0, '2', '2', NULL, NULL);
INSERT INTO forklake.ducklake_file_column_stats VALUES (4, 1, 2, 2, 69, 1, 0, 'pear', 'pear', NULL, NULL);
INSERT INTO forklake.ducklake_file_column_stats VALUES (4, 2, 2, 2, 69, 1, 0, 'it''s', 'it''s', NULL, NULL);
INSERT INTO forklake.ducklake_file_column_stats VALUES (4, 2, 2, 1, 97, 1, 0, '3', '3', NULL, NULL);
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
INSERT INTO forklake.ducklake_table_stats VALUES (0, 2, 45, 7, 7, 1400, 3);
INSERT INTO forklake.ducklake_table_stats VALUES (0, 2, 2, 0, 0, 0, 3);
INSERT INTO forklake.ducklake_table_stats VALUES (0, 2, 4, 4, 4, 1400, 3);
INSERT INTO forklake.ducklake_table_stats VALUES (0, 2, 5, 6, 6, 1400, 3);
INSERT INTO forklake.ducklake_table_stats VALUES (0, 2, 3, 4, 4, 1400, 3);
INSERT INTO forklake.ducklake_table_stats VALUES (0, 4, 6, 0, 0, 0, 2);
INSERT INTO forklake.ducklake_table_stats VALUES (0, 5, 7, 0, 0, 0, 7);
INSERT INTO forklake.ducklake_table_stats VALUES (0, 5, 8, 1, 1, 0, 7);
INSERT INTO forklake.ducklake_table_stats VALUES (0, 5, 9, 1, 1, 0, 8);
INSERT INTO forklake.ducklake_table_stats VALUES (0, 9, 15, 0, 0, 0, 2);
INSERT INTO forklake.ducklake_table_stats VALUES (1, 2, 19, 6, 68719476737, 1400, 3);
INSERT INTO forklake.ducklake_table_stats VALUES (1, 2, 18, 7, 68719476737, 1400, 3);
INSERT INTO forklake.ducklake_table_stats VALUES (2, 11, 22, 0, 137438953472, 0, 2);
INSERT INTO forklake.ducklake_table_stats VALUES (2, 11, 23, 1, 137438953473, 0, 2);
INSERT INTO forklake.ducklake_table_stats VALUES (3, 2, 25, 9, 206158430211, 1864, 3);
INSERT INTO forklake.ducklake_table_stats VALUES (3, 2, 24, 6, 206158430208, 1400, 3);
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
INSERT INTO forklake.ducklake_table_column_stats VALUES (0, 2, 45, 2, true, NULL, 'after the forks', 'plum', NULL);
INSERT INTO forklake.ducklake_table_column_stats VALUES (0, 2, 5, 1, false, NULL, '1', '5', NULL);
INSERT INTO forklake.ducklake_table_column_stats VALUES (0, 2, 5, 2, true, NULL, 'apple', 'plum', NULL);
INSERT INTO forklake.ducklake_table_column_stats VALUES (0, 2, 3, 2, true, NULL, 'apple', 'pear', NULL);
INSERT INTO forklake.ducklake_table_column_stats VALUES (0, 2, 45, 1, false, NULL, '1', '8', NULL);
INSERT INTO forklake.ducklake_table_column_stats VALUES (0, 2, 3, 1, false, NULL, '1', '3', NULL);
INSERT INTO forklake.ducklake_table_column_stats VALUES (0, 5, 8, 1, false, NULL, '1.00', '1.00', NULL);
INSERT INTO forklake.ducklake_table_column_stats VALUES (0, 5, 8, 3, true, NULL, '1', '1', NULL);
INSERT INTO forklake.ducklake_table_column_stats VALUES (0, 5, 8, 5, false, NULL, '1', '1', NULL);
INSERT INTO forklake.ducklake_table_column_stats VALUES (0, 5, 8, 6, true, NULL, NULL, NULL, NULL);
INSERT INTO forklake.ducklake_table_column_stats VALUES (1, 2, 18, 2, true, NULL, 'apple', 'plum', NULL);
INSERT INTO forklake.ducklake_table_column_stats VALUES (1, 2, 18, 1, false, NULL, '1', '7', NULL);
INSERT INTO forklake.ducklake_table_column_stats VALUES (2, 11, 23, 1, false, NULL, 'a note', 'a note', NULL);
INSERT INTO forklake.ducklake_table_column_stats VALUES (3, 2, 25, 1, false, NULL, '1', '20', NULL);
INSERT INTO forklake.ducklake_table_column_stats VALUES (3, 2, 24, 2, true, NULL, 'apple', 'plum', NULL);
INSERT INTO forklake.ducklake_table_column_stats VALUES (3, 2, 25, 2, true, NULL, 'apple', 'plum', NULL);
INSERT INTO forklake.ducklake_table_column_stats VALUES (3, 2, 24, 1, false, NULL, '1', '5', NULL);
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
