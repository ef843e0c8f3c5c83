-- The metadata of a lake in a DuckDB file. The same tables as in postgresql.sql. No secondary indexes: DuckDB checks
-- unique ones against rows that the same transaction has already ended, and scans of a single user's metadata need none.
-- Times are UTC.
--
-- Written by `python -m forklake.metastore.schema` from the description beside it: change that.

CREATE SCHEMA forklake;

CREATE SEQUENCE forklake.ducklake_catalog_id_seq MINVALUE 0 START WITH 0;  -- catalogs
CREATE SEQUENCE forklake.ducklake_object_id_seq MINVALUE 0 START WITH 0;  -- schemas, tables, views, macros, partition and sort specifications
CREATE SEQUENCE forklake.ducklake_file_id_seq MINVALUE 0 START WITH 0;  -- data files, delete files, name mappings
CREATE SEQUENCE forklake.ducklake_snapshot_id_seq MINVALUE 0 START WITH 0;  -- snapshots and changes of the catalog list
CREATE SEQUENCE forklake.ducklake_row_uid_seq MINVALUE 0 START WITH 0;  -- versioned rows
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
    ended_by varchar,  -- the author of the rename or drop that ended it, if that was said
    ended_message varchar,  -- why, likewise
    PRIMARY KEY (catalog_id, begin_snapshot)
);

-- The newest snapshot of each catalog. A commit is a compare-and-swap on this row; drop and undrop change live. Narrow,
-- no other index, room for updates in place.
CREATE TABLE forklake.ducklake_head (
    catalog_id bigint NOT NULL,
    snapshot_id bigint NOT NULL,
    live boolean NOT NULL DEFAULT true,  -- false while it is dropped
    own_files bigint NOT NULL DEFAULT 0,  -- how many live data and delete files it has rows of its own for
    own_bytes bigint NOT NULL DEFAULT 0,  -- how many bytes those have, and its own live definitions and inlined rows
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

-- Writers, what awaits collection, and locks

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

-- What transactions lock of a catalog or, under catalog -1, of the lake, in PostgreSQL. A row is made by the first that
-- locks it, has no content, is never changed and stays for good. Who has no UPDATE on it holds nobody up.
CREATE TABLE forklake.ducklake_lock (
    catalog_id bigint NOT NULL,
    lock_id smallint NOT NULL,  -- 0: what the catalog holds, 1: the door to that, 2: its quota, 3: its turn; of the lake any
    PRIMARY KEY (catalog_id, lock_id)
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
    trusted boolean,  -- whether the default runs with the reach of whoever inserts; else of its catalog
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
    trusted boolean,  -- whether it runs with the reach of whoever reads it; else of its catalog
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
    trusted boolean,  -- whether it runs with the reach of whoever calls it; else of its catalog
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
    trusted boolean,  -- whether the default runs with the reach of whoever calls; else of its catalog
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
    trusted boolean,  -- whether it runs with the reach of whoever writes rows; else of its catalog
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
    (-1, 'forklake_version', '4'),
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
COMMENT ON COLUMN forklake.ducklake_catalog.ended_by IS 'the author of the rename or drop that ended it, if that was said';
COMMENT ON COLUMN forklake.ducklake_catalog.ended_message IS 'why, likewise';

COMMENT ON TABLE forklake.ducklake_head IS 'The newest snapshot of each catalog. A commit is a compare-and-swap on this row; drop and undrop change live. Narrow, no other index, room for updates in place.';
COMMENT ON COLUMN forklake.ducklake_head.catalog_id IS 'the catalog that the row belongs to';
COMMENT ON COLUMN forklake.ducklake_head.snapshot_id IS 'the snapshot';
COMMENT ON COLUMN forklake.ducklake_head.live IS 'false while it is dropped';
COMMENT ON COLUMN forklake.ducklake_head.own_files IS 'how many live data and delete files it has rows of its own for';
COMMENT ON COLUMN forklake.ducklake_head.own_bytes IS 'how many bytes those have, and its own live definitions and inlined rows';

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

COMMENT ON TABLE forklake.ducklake_lock IS 'What transactions lock of a catalog or, under catalog -1, of the lake, in PostgreSQL. A row is made by the first that locks it, has no content, is never changed and stays for good. Who has no UPDATE on it holds nobody up.';
COMMENT ON COLUMN forklake.ducklake_lock.catalog_id IS 'the catalog that the row belongs to';
COMMENT ON COLUMN forklake.ducklake_lock.lock_id IS '0: what the catalog holds, 1: the door to that, 2: its quota, 3: its turn; of the lake any';

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
COMMENT ON COLUMN forklake.ducklake_column.trusted IS 'whether the default runs with the reach of whoever inserts; else of its catalog';

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
COMMENT ON COLUMN forklake.ducklake_view.trusted IS 'whether it runs with the reach of whoever reads it; else of its catalog';

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
COMMENT ON COLUMN forklake.ducklake_macro_impl.trusted IS 'whether it runs with the reach of whoever calls it; else of its catalog';

COMMENT ON TABLE forklake.ducklake_macro_parameters IS 'One parameter of one implementation of a macro.';
COMMENT ON COLUMN forklake.ducklake_macro_parameters.catalog_id IS 'the catalog that the row belongs to';
COMMENT ON COLUMN forklake.ducklake_macro_parameters.macro_id IS 'the macro';
COMMENT ON COLUMN forklake.ducklake_macro_parameters.impl_id IS 'which overload';
COMMENT ON COLUMN forklake.ducklake_macro_parameters.column_id IS 'counts the parameters';
COMMENT ON COLUMN forklake.ducklake_macro_parameters.parameter_name IS 'its name';
COMMENT ON COLUMN forklake.ducklake_macro_parameters.parameter_type IS 'its type';
COMMENT ON COLUMN forklake.ducklake_macro_parameters.default_value IS 'the default';
COMMENT ON COLUMN forklake.ducklake_macro_parameters.default_value_type IS 'whether the default is a literal or an expression';
COMMENT ON COLUMN forklake.ducklake_macro_parameters.trusted IS 'whether the default runs with the reach of whoever calls; else of its catalog';

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
COMMENT ON COLUMN forklake.ducklake_sort_expression.trusted IS 'whether it runs with the reach of whoever writes rows; else of its catalog';

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

-- What each live catalog holds itself, for bills and quotas: nothing that it inherits counts. Files are data and delete
-- files; bytes are theirs, and those of definitions and inlined rows. Records are the rows of its data files, deleted
-- ones too, until their file goes.
CREATE VIEW ducklake_catalog_size AS
SELECT k.catalog_id, k.catalog_name, k.parent_catalog_id, h.own_files AS own_file_count, h.own_bytes AS own_byte_count,
       (SELECT coalesce(sum(r.record_count), 0) FROM forklake.ducklake_data_file r
         WHERE r.catalog_id = k.catalog_id AND r.end_snapshot = 9223372036854775807) AS own_record_count,
       (SELECT count(*) FROM forklake.ducklake_inlined_row r
         WHERE r.catalog_id = k.catalog_id AND r.end_snapshot = 9223372036854775807) AS inlined_row_count
  FROM forklake.ducklake_catalog k
  JOIN forklake.ducklake_head h ON h.catalog_id = k.catalog_id
 WHERE k.end_snapshot = 9223372036854775807;
