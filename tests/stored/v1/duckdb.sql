-- The metadata of a lake in a DuckDB file. The same tables as in postgresql.sql. No secondary indexes: DuckDB checks
-- unique ones against rows that the same transaction has already ended, and scans of a single user's metadata need none.
-- Times are UTC.
--
-- Written by `python -m forklake.metastore.schema` from the description beside it: change that.

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
    PRIMARY KEY (catalog_id)
);

-- Flattened ancestry of a fork, nearest first. The catalog itself (depth 0, no limit) is implied.
CREATE TABLE forklake.ducklake_segment (
    catalog_id bigint NOT NULL,
    depth smallint NOT NULL,  -- 1 is the nearest
    owner_id bigint NOT NULL,  -- the ancestor whose rows it sees
    upto bigint NOT NULL,  -- up to and including this snapshot
    PRIMARY KEY (catalog_id, depth)
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
    (-1, 'forklake_version', '1'),
    (-1, 'created_by', 'forklake'),
    (-1, 'encrypted', 'false');

-- For web apps: each catalog as DuckLake's tables would show it, with catalog_id and catalog_name in front.
-- Forks are resolved, dropped catalogs are left out, and all is to be asked for one catalog: WHERE catalog_id = ...
-- A versioned row ends where its owner ended it, or where a nearer catalog of the chain hid it, or never (NULL).

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
 WHERE r.snapshot_id <= c.upto;

CREATE VIEW ducklake_snapshot_changes AS
SELECT c.catalog_id, c.catalog_name, r.snapshot_id, r.changes_made, r.author, r.commit_message, r.commit_extra_info
  FROM forklake.lake_chain c
  JOIN forklake.ducklake_snapshot_changes r ON r.catalog_id = c.owner_id
 WHERE r.snapshot_id <= c.upto;

CREATE VIEW ducklake_schema_versions AS
SELECT c.catalog_id, c.catalog_name, r.begin_snapshot, r.schema_version, r.table_id
  FROM forklake.lake_chain c
  JOIN forklake.ducklake_schema_versions r ON r.catalog_id = c.owner_id
 WHERE r.begin_snapshot <= c.upto;

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
 WHERE k.end_snapshot = 9223372036854775807 AND o.key NOT IN ('forklake_version', 'data_path')
   AND NOT EXISTS (SELECT 1 FROM forklake.ducklake_metadata p
                    WHERE p.catalog_id = k.catalog_id AND p.scope = '' AND p.scope_id = -1 AND p.key = o.key)
UNION ALL
SELECT k.catalog_id, k.catalog_name, 'data_path', p.directory, NULL, NULL
  FROM forklake.ducklake_catalog k
  JOIN forklake.lake_directory p ON p.catalog_id = k.catalog_id AND p.end_snapshot = 9223372036854775807
 WHERE k.end_snapshot = 9223372036854775807;

CREATE VIEW ducklake_schema AS
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

CREATE VIEW ducklake_table AS
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

CREATE VIEW ducklake_column AS
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

CREATE VIEW ducklake_view AS
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

CREATE VIEW ducklake_macro AS
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

CREATE VIEW ducklake_tag AS
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

CREATE VIEW ducklake_column_tag AS
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
CREATE VIEW ducklake_view_column_tag AS
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

CREATE VIEW ducklake_partition_info AS
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

CREATE VIEW ducklake_sort_info AS
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
CREATE VIEW ducklake_data_file AS
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

CREATE VIEW ducklake_delete_file AS
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
CREATE VIEW ducklake_inlined_row AS
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

CREATE VIEW ducklake_inlined_delete AS
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
 WHERE f.begin_snapshot <= c.upto;

CREATE VIEW ducklake_macro_parameters AS
SELECT c.catalog_id, c.catalog_name, f.macro_id, r.impl_id, r.column_id, r.parameter_name, r.parameter_type,
       r.default_value, r.default_value_type
  FROM forklake.lake_chain c
  JOIN forklake.ducklake_macro f ON f.catalog_id = c.owner_id
  JOIN forklake.ducklake_macro_parameters r ON r.catalog_id = f.catalog_id AND r.macro_id = f.macro_id
 WHERE f.begin_snapshot <= c.upto;

CREATE VIEW ducklake_partition_column AS
SELECT c.catalog_id, c.catalog_name, f.partition_id, f.table_id, r.partition_key_index, r.column_id, r.transform
  FROM forklake.lake_chain c
  JOIN forklake.ducklake_partition_info f ON f.catalog_id = c.owner_id
  JOIN forklake.ducklake_partition_column r ON r.catalog_id = f.catalog_id AND r.partition_id = f.partition_id
 WHERE f.begin_snapshot <= c.upto;

CREATE VIEW ducklake_sort_expression AS
SELECT c.catalog_id, c.catalog_name, f.sort_id, f.table_id, r.sort_key_index, r.expression, r.dialect, r.sort_direction,
       r.null_order
  FROM forklake.lake_chain c
  JOIN forklake.ducklake_sort_info f ON f.catalog_id = c.owner_id
  JOIN forklake.ducklake_sort_expression r ON r.catalog_id = f.catalog_id AND r.sort_id = f.sort_id
 WHERE f.begin_snapshot <= c.upto;

CREATE VIEW ducklake_file_column_stats AS
SELECT c.catalog_id, c.catalog_name, f.data_file_id, f.table_id, r.column_id, r.column_size_bytes, r.value_count,
       r.null_count, r.min_value, r.max_value, r.contains_nan, r.extra_stats
  FROM forklake.lake_chain c
  JOIN forklake.ducklake_data_file f ON f.catalog_id = c.owner_id
  JOIN forklake.ducklake_file_column_stats r ON r.catalog_id = f.catalog_id AND r.data_file_id = f.data_file_id
 WHERE f.begin_snapshot <= c.upto;

CREATE VIEW ducklake_file_variant_stats AS
SELECT c.catalog_id, c.catalog_name, f.data_file_id, f.table_id, r.column_id, r.variant_path, r.shredded_type,
       r.column_size_bytes, r.value_count, r.null_count, r.min_value, r.max_value, r.contains_nan, r.extra_stats
  FROM forklake.lake_chain c
  JOIN forklake.ducklake_data_file f ON f.catalog_id = c.owner_id
  JOIN forklake.ducklake_file_variant_stats r ON r.catalog_id = f.catalog_id AND r.data_file_id = f.data_file_id
 WHERE f.begin_snapshot <= c.upto;

CREATE VIEW ducklake_file_partition_value AS
SELECT c.catalog_id, c.catalog_name, f.data_file_id, f.table_id, r.partition_key_index, r.partition_value
  FROM forklake.lake_chain c
  JOIN forklake.ducklake_data_file f ON f.catalog_id = c.owner_id
  JOIN forklake.ducklake_file_partition_value r ON r.catalog_id = f.catalog_id AND r.data_file_id = f.data_file_id
 WHERE f.begin_snapshot <= c.upto;

-- Many files share a mapping, and a fork that uses an inherited one has a copy of it: each shows once.
CREATE VIEW ducklake_column_mapping AS
SELECT DISTINCT c.catalog_id, c.catalog_name, r.mapping_id, r.table_id, r.type
  FROM forklake.lake_chain c
  JOIN forklake.ducklake_data_file f ON f.catalog_id = c.owner_id
  JOIN forklake.ducklake_column_mapping r ON r.catalog_id = f.catalog_id AND r.mapping_id = f.mapping_id
 WHERE f.begin_snapshot <= c.upto;

CREATE VIEW ducklake_name_mapping AS
SELECT DISTINCT c.catalog_id, c.catalog_name, r.mapping_id, r.column_id, r.source_name, r.target_field_id,
       r.parent_column, r.is_partition
  FROM forklake.lake_chain c
  JOIN forklake.ducklake_data_file f ON f.catalog_id = c.owner_id
  JOIN forklake.ducklake_name_mapping r ON r.catalog_id = f.catalog_id AND r.mapping_id = f.mapping_id
 WHERE f.begin_snapshot <= c.upto;

-- Statistics of the tables that there are: the newest of the nearest catalog that wrote any.
CREATE VIEW ducklake_table_stats AS
SELECT t.catalog_id, t.catalog_name, t.table_id, r.record_count, r.next_row_id, r.file_size_bytes
  FROM ducklake_table t
  JOIN forklake.lake_link c ON c.catalog_id = t.catalog_id
  JOIN forklake.ducklake_table_stats r ON r.catalog_id = c.owner_id AND r.table_id = t.table_id
 WHERE t.end_snapshot IS NULL
   AND c.depth = (SELECT min(n.depth) FROM forklake.lake_link n
                    JOIN forklake.ducklake_table_stats x ON x.catalog_id = n.owner_id
                   WHERE n.catalog_id = t.catalog_id AND x.table_id = t.table_id AND x.begin_snapshot <= n.upto)
   AND r.begin_snapshot = (SELECT max(x.begin_snapshot) FROM forklake.ducklake_table_stats x
                            WHERE x.catalog_id = c.owner_id AND x.table_id = t.table_id
                              AND x.begin_snapshot <= c.upto);

CREATE VIEW ducklake_table_column_stats AS
SELECT t.catalog_id, t.catalog_name, t.table_id, r.column_id, r.contains_null, r.contains_nan, r.min_value, r.max_value,
       r.extra_stats
  FROM ducklake_table t
  JOIN forklake.lake_link c ON c.catalog_id = t.catalog_id
  JOIN forklake.ducklake_table_column_stats r ON r.catalog_id = c.owner_id AND r.table_id = t.table_id
 WHERE t.end_snapshot IS NULL
   AND c.depth = (SELECT min(n.depth) FROM forklake.lake_link n
                    JOIN forklake.ducklake_table_column_stats x ON x.catalog_id = n.owner_id
                   WHERE n.catalog_id = t.catalog_id AND x.table_id = t.table_id AND x.begin_snapshot <= n.upto)
   AND r.begin_snapshot = (SELECT max(x.begin_snapshot) FROM forklake.ducklake_table_column_stats x
                            WHERE x.catalog_id = c.owner_id AND x.table_id = t.table_id
                              AND x.begin_snapshot <= c.upto);

CREATE VIEW ducklake_files_scheduled_for_deletion AS
SELECT k.catalog_id, k.catalog_name, r.data_file_id, r.path, r.path_is_relative, r.schedule_start
  FROM forklake.ducklake_catalog k
  JOIN forklake.ducklake_files_scheduled_for_deletion r ON r.catalog_id = k.catalog_id
 WHERE k.end_snapshot = 9223372036854775807;

INSERT INTO forklake.ducklake_catalog VALUES (0, '2084121a-ae67-4b65-b9bc-78687f746807', 'shop', NULL, NULL, NULL, 'shop/', true, 0, 9223372036854775807, '2026-11-16 16:13:07.838822+00:00', NULL);
INSERT INTO forklake.ducklake_catalog VALUES (1, '88f9cbf7-1527-4507-a561-18b6e0cae12c', 'agent', 0, 13, NULL, 'agent/', true, 14, 9223372036854775807, '2026-11-16 16:13:08.718036+00:00', NULL);
INSERT INTO forklake.ducklake_catalog VALUES (2, '6083f53d-a95b-4f39-a05d-4c7af5cb5a2f', 'deep', 1, 17, NULL, 'deep/', true, 18, 9223372036854775807, '2026-11-16 16:13:09.343988+00:00', NULL);
INSERT INTO forklake.ducklake_catalog VALUES (3, 'eb9d969e-b8b3-44a1-a809-b8fd3d0a2f30', 'copied', 0, 13, NULL, 'copied/', true, 21, 9223372036854775807, '2026-11-16 16:13:09.794250+00:00', NULL);
INSERT INTO forklake.ducklake_catalog VALUES (4, '4507d46c-fd51-4369-9b84-f697f9ea1539', 'severed', 0, 13, NULL, 'severed/', true, 23, 9223372036854775807, '2026-11-16 16:13:10.333506+00:00', NULL);
INSERT INTO forklake.ducklake_catalog VALUES (5, 'b4340d97-7f20-4c94-a1f4-89a3a63a2a61', 'before', 0, 13, NULL, 'before/', true, 26, 27, '2026-11-16 16:13:10.712141+00:00', '2026-11-16 16:13:10.743231+00:00');
INSERT INTO forklake.ducklake_catalog VALUES (5, 'b4340d97-7f20-4c94-a1f4-89a3a63a2a61', 'after', 0, 13, NULL, 'before/', true, 27, 9223372036854775807, '2026-11-16 16:13:10.743231+00:00', NULL);
INSERT INTO forklake.ducklake_catalog VALUES (6, '3d3c5780-7f54-4e2c-87ce-5715a7dabebe', 'dropped', 0, 13, NULL, 'dropped/', true, 28, 29, '2026-11-16 16:13:10.772435+00:00', '2026-11-16 16:13:10.807698+00:00');
INSERT INTO forklake.ducklake_catalog VALUES (7, 'f371f70f-c13e-4857-9db4-6af52da06380', 'purged', 0, 13, NULL, 'purged/', true, 30, 31, '2026-11-16 16:13:10.837196+00:00', '2026-11-16 16:13:10.895844+00:00');
INSERT INTO forklake.ducklake_catalog VALUES (8, '2e44facd-f80d-4035-882e-55fd5f6ddfae', 'secret', NULL, NULL, NULL, 'secret/', true, 32, 9223372036854775807, '2026-11-16 16:13:10.927758+00:00', NULL);
INSERT INTO forklake.ducklake_catalog VALUES (9, 'b2973263-4802-4a3b-b1da-ecb04c8c48ea', 'slow', NULL, NULL, '@HOME@/outside/slow/', '@HOME@/outside/slow/slow/', false, 35, 9223372036854775807, '2026-11-16 16:13:11.364205+00:00', NULL);
INSERT INTO forklake.ducklake_catalog VALUES (10, '5e196a44-c529-41c8-a2fa-41a35a29a9d0', 'imported', NULL, NULL, NULL, 'imported/', true, 38, 9223372036854775807, '2026-11-16 16:13:12.439367+00:00', NULL);
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
INSERT INTO forklake.ducklake_snapshot VALUES (0, 0, '2026-11-16 16:13:07.838822+00:00', 0);
INSERT INTO forklake.ducklake_snapshot VALUES (0, 1, '2026-11-16 16:13:07.864328+00:00', 1);
INSERT INTO forklake.ducklake_snapshot VALUES (0, 2, '2026-11-16 16:13:07.898901+00:00', 2);
INSERT INTO forklake.ducklake_snapshot VALUES (0, 3, '2026-11-16 16:13:07.962033+00:00', 2);
INSERT INTO forklake.ducklake_snapshot VALUES (0, 4, '2026-11-16 16:13:08.056086+00:00', 2);
INSERT INTO forklake.ducklake_snapshot VALUES (0, 5, '2026-11-16 16:13:08.105781+00:00', 2);
INSERT INTO forklake.ducklake_snapshot VALUES (0, 6, '2026-11-16 16:13:08.126471+00:00', 3);
INSERT INTO forklake.ducklake_snapshot VALUES (0, 7, '2026-11-16 16:13:08.178776+00:00', 4);
INSERT INTO forklake.ducklake_snapshot VALUES (0, 8, '2026-11-16 16:13:08.219819+00:00', 4);
INSERT INTO forklake.ducklake_snapshot VALUES (0, 9, '2026-11-16 16:13:08.266746+00:00', 5);
INSERT INTO forklake.ducklake_snapshot VALUES (0, 10, '2026-11-16 16:13:08.324245+00:00', 6);
INSERT INTO forklake.ducklake_snapshot VALUES (0, 11, '2026-11-16 16:13:08.501842+00:00', 7);
INSERT INTO forklake.ducklake_snapshot VALUES (0, 12, '2026-11-16 16:13:08.593046+00:00', 8);
INSERT INTO forklake.ducklake_snapshot VALUES (0, 13, '2026-11-16 16:13:08.647025+00:00', 9);
INSERT INTO forklake.ducklake_snapshot VALUES (0, 42, '2026-11-16 16:13:12.728170+00:00', 9);
INSERT INTO forklake.ducklake_snapshot VALUES (1, 14, '2026-11-16 16:13:08.718036+00:00', 9);
INSERT INTO forklake.ducklake_snapshot VALUES (1, 15, '2026-11-16 16:13:08.942485+00:00', 9);
INSERT INTO forklake.ducklake_snapshot VALUES (1, 16, '2026-11-16 16:13:09.082211+00:00', 9);
INSERT INTO forklake.ducklake_snapshot VALUES (1, 17, '2026-11-16 16:13:09.305633+00:00', 10);
INSERT INTO forklake.ducklake_snapshot VALUES (2, 18, '2026-11-16 16:13:09.343988+00:00', 10);
INSERT INTO forklake.ducklake_snapshot VALUES (2, 19, '2026-11-16 16:13:09.609457+00:00', 11);
INSERT INTO forklake.ducklake_snapshot VALUES (2, 20, '2026-11-16 16:13:09.767082+00:00', 11);
INSERT INTO forklake.ducklake_snapshot VALUES (3, 21, '2026-11-16 16:13:09.794250+00:00', 9);
INSERT INTO forklake.ducklake_snapshot VALUES (3, 22, '2026-11-16 16:13:10.308925+00:00', 9);
INSERT INTO forklake.ducklake_snapshot VALUES (4, 25, '2026-11-16 16:13:10.451726+00:00', 9);
INSERT INTO forklake.ducklake_snapshot VALUES (5, 26, '2026-11-16 16:13:10.712141+00:00', 9);
INSERT INTO forklake.ducklake_snapshot VALUES (6, 28, '2026-11-16 16:13:10.772435+00:00', 9);
INSERT INTO forklake.ducklake_snapshot VALUES (8, 32, '2026-11-16 16:13:10.927758+00:00', 0);
INSERT INTO forklake.ducklake_snapshot VALUES (8, 33, '2026-11-16 16:13:11.091489+00:00', 1);
INSERT INTO forklake.ducklake_snapshot VALUES (8, 34, '2026-11-16 16:13:11.312042+00:00', 1);
INSERT INTO forklake.ducklake_snapshot VALUES (9, 35, '2026-11-16 16:13:11.364205+00:00', 0);
INSERT INTO forklake.ducklake_snapshot VALUES (9, 36, '2026-11-16 16:13:11.469524+00:00', 1);
INSERT INTO forklake.ducklake_snapshot VALUES (9, 37, '2026-11-16 16:13:11.992235+00:00', 1);
INSERT INTO forklake.ducklake_snapshot VALUES (10, 38, '2026-11-16 16:13:12.018150+00:00', 0);
INSERT INTO forklake.ducklake_snapshot VALUES (10, 39, '2026-11-16 16:13:12.092103+00:00', 1);
INSERT INTO forklake.ducklake_snapshot VALUES (10, 40, '2026-11-16 16:13:12.137813+00:00', 1);
INSERT INTO forklake.ducklake_snapshot VALUES (10, 41, '2026-11-16 16:13:12.622718+00:00', 1);
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
INSERT INTO forklake.ducklake_snapshot_lineage VALUES (0, 1, 0, 'd3E36F3jJJVCUBnz');
INSERT INTO forklake.ducklake_snapshot_lineage VALUES (0, 2, 1, 'e3PIORmohTMcIRpA');
INSERT INTO forklake.ducklake_snapshot_lineage VALUES (0, 3, 2, '2huMXYngErkxNZQq');
INSERT INTO forklake.ducklake_snapshot_lineage VALUES (0, 4, 3, '2HOVdaLIxFfgy3IH');
INSERT INTO forklake.ducklake_snapshot_lineage VALUES (0, 5, 4, 'tI8-tvLGe64887mr');
INSERT INTO forklake.ducklake_snapshot_lineage VALUES (0, 6, 5, 'bUeP9Zu7EhZZojg-');
INSERT INTO forklake.ducklake_snapshot_lineage VALUES (0, 7, 6, 'AFerCdoRYGIMM4xT');
INSERT INTO forklake.ducklake_snapshot_lineage VALUES (0, 8, 7, 'XwL6BiXqYYIdDINZ');
INSERT INTO forklake.ducklake_snapshot_lineage VALUES (0, 9, 8, 'on7nGk2UQKNEMXkp');
INSERT INTO forklake.ducklake_snapshot_lineage VALUES (0, 10, 9, 'rHcKWHXrNUQ5ILnR');
INSERT INTO forklake.ducklake_snapshot_lineage VALUES (0, 11, 10, 'TCIXoP2t3cW0zmt4');
INSERT INTO forklake.ducklake_snapshot_lineage VALUES (0, 12, 11, 'Q-v8Cq0pqrNAq5rY');
INSERT INTO forklake.ducklake_snapshot_lineage VALUES (0, 13, 12, 'N7v7K8o8d4BThMVO');
INSERT INTO forklake.ducklake_snapshot_lineage VALUES (0, 42, 13, 'h_fFhIv8BWDMun9I');
INSERT INTO forklake.ducklake_snapshot_lineage VALUES (1, 14, 13, NULL);
INSERT INTO forklake.ducklake_snapshot_lineage VALUES (1, 15, 14, 'u9_Fq9OiuhNZZ5nD');
INSERT INTO forklake.ducklake_snapshot_lineage VALUES (1, 16, 15, '3IzcHqpTpVS1_Twz');
INSERT INTO forklake.ducklake_snapshot_lineage VALUES (1, 17, 16, '3xRV9-OLX5eEJuBY');
INSERT INTO forklake.ducklake_snapshot_lineage VALUES (2, 18, 17, NULL);
INSERT INTO forklake.ducklake_snapshot_lineage VALUES (2, 19, 18, 'df0boHjVzSoLEmZY');
INSERT INTO forklake.ducklake_snapshot_lineage VALUES (2, 20, 19, 'POxpI38FboqeqjDI');
INSERT INTO forklake.ducklake_snapshot_lineage VALUES (3, 21, 13, NULL);
INSERT INTO forklake.ducklake_snapshot_lineage VALUES (3, 22, 21, '5iO_U2iW4bIhpKoH');
INSERT INTO forklake.ducklake_snapshot_lineage VALUES (4, 23, 13, NULL);
INSERT INTO forklake.ducklake_snapshot_lineage VALUES (4, 24, 23, 'NTwyVCiMKwv6Fz9Q');
INSERT INTO forklake.ducklake_snapshot_lineage VALUES (4, 25, 24, NULL);
INSERT INTO forklake.ducklake_snapshot_lineage VALUES (5, 26, 13, NULL);
INSERT INTO forklake.ducklake_snapshot_lineage VALUES (6, 28, 13, NULL);
INSERT INTO forklake.ducklake_snapshot_lineage VALUES (8, 32, NULL, NULL);
INSERT INTO forklake.ducklake_snapshot_lineage VALUES (8, 33, 32, 'itpWoEoh_f3XJ-i9');
INSERT INTO forklake.ducklake_snapshot_lineage VALUES (8, 34, 33, 'ZB_DUv5cBlelhWo6');
INSERT INTO forklake.ducklake_snapshot_lineage VALUES (9, 35, NULL, NULL);
INSERT INTO forklake.ducklake_snapshot_lineage VALUES (9, 36, 35, 'w9AU2NfvfVujAMm_');
INSERT INTO forklake.ducklake_snapshot_lineage VALUES (9, 37, 36, '6FaJNqLXm0kzcH1x');
INSERT INTO forklake.ducklake_snapshot_lineage VALUES (10, 38, NULL, NULL);
INSERT INTO forklake.ducklake_snapshot_lineage VALUES (10, 39, 38, NULL);
INSERT INTO forklake.ducklake_snapshot_lineage VALUES (10, 40, 39, NULL);
INSERT INTO forklake.ducklake_snapshot_lineage VALUES (10, 41, 40, 'zYMe5rdGJGCpy--n');
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
INSERT INTO forklake.ducklake_metadata VALUES (-1, 'forklake_version', '1', '', -1);
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
INSERT INTO forklake.ducklake_schema VALUES (0, 0, 0, 9223372036854775807, 0, '658dbc19-306e-449e-8123-eb8bcea352ad', 'main', 'main/', true);
INSERT INTO forklake.ducklake_schema VALUES (0, 1, 1, 9223372036854775807, 1, '1e4c6562-58c3-423a-9ae6-bfede4dd2ee1', 'more', 'more/', true);
INSERT INTO forklake.ducklake_schema VALUES (3, 31, 21, 9223372036854775807, 0, '658dbc19-306e-449e-8123-eb8bcea352ad', 'main', 'main/', true);
INSERT INTO forklake.ducklake_schema VALUES (3, 32, 21, 9223372036854775807, 1, '1e4c6562-58c3-423a-9ae6-bfede4dd2ee1', 'more', 'more/', true);
INSERT INTO forklake.ducklake_schema VALUES (4, 60, 25, 9223372036854775807, 0, '658dbc19-306e-449e-8123-eb8bcea352ad', 'main', 'main/', true);
INSERT INTO forklake.ducklake_schema VALUES (4, 61, 25, 9223372036854775807, 1, '1e4c6562-58c3-423a-9ae6-bfede4dd2ee1', 'more', 'more/', true);
INSERT INTO forklake.ducklake_schema VALUES (8, 87, 32, 9223372036854775807, 9, '756395c4-3c4e-4771-9f94-4661552bf4c4', 'main', 'main/', true);
INSERT INTO forklake.ducklake_schema VALUES (9, 91, 35, 9223372036854775807, 11, '2fdd034a-54c7-4353-b962-760b0f9dc25c', 'main', 'main/', true);
INSERT INTO forklake.ducklake_schema VALUES (10, 95, 38, 9223372036854775807, 13, 'c3912216-2aee-4add-9a03-956c0363795e', 'main', 'main/', true);
INSERT INTO forklake.ducklake_table VALUES (0, 2, 2, 9223372036854775807, 2, 'a5befb7a-ffc5-4a79-8deb-4490da856d9d', 0, 'orders', 'orders/', true);
INSERT INTO forklake.ducklake_table VALUES (0, 12, 6, 9223372036854775807, 4, 'f57fbf10-05d7-4164-b069-d6fd00d5d6bf', 0, 'gone', 'gone/', true);
INSERT INTO forklake.ducklake_table VALUES (0, 14, 7, 9223372036854775807, 5, 'ce9f5cd5-ce79-4904-98b2-89235cd581ba', 1, 'wide', 'wide/', true);
INSERT INTO forklake.ducklake_table VALUES (2, 28, 19, 9223372036854775807, 8, 'a759db5b-0077-452d-8554-540eb375762b', 0, 'notes', 'notes/', true);
INSERT INTO forklake.ducklake_table VALUES (3, 33, 21, 9223372036854775807, 2, 'a5befb7a-ffc5-4a79-8deb-4490da856d9d', 0, 'orders', 'orders/', true);
INSERT INTO forklake.ducklake_table VALUES (3, 34, 21, 9223372036854775807, 4, 'f57fbf10-05d7-4164-b069-d6fd00d5d6bf', 0, 'gone', 'gone/', true);
INSERT INTO forklake.ducklake_table VALUES (3, 35, 21, 9223372036854775807, 5, 'ce9f5cd5-ce79-4904-98b2-89235cd581ba', 1, 'wide', 'wide/', true);
INSERT INTO forklake.ducklake_table VALUES (4, 62, 25, 9223372036854775807, 2, 'a5befb7a-ffc5-4a79-8deb-4490da856d9d', 0, 'orders', 'orders/', true);
INSERT INTO forklake.ducklake_table VALUES (4, 63, 25, 9223372036854775807, 4, 'f57fbf10-05d7-4164-b069-d6fd00d5d6bf', 0, 'gone', 'gone/', true);
INSERT INTO forklake.ducklake_table VALUES (4, 64, 25, 9223372036854775807, 5, 'ce9f5cd5-ce79-4904-98b2-89235cd581ba', 1, 'wide', 'wide/', true);
INSERT INTO forklake.ducklake_table VALUES (8, 88, 33, 9223372036854775807, 10, '7d031f1e-1660-490e-80f1-c07cd568205a', 9, 'keys', 'keys/', true);
INSERT INTO forklake.ducklake_table VALUES (9, 92, 36, 9223372036854775807, 12, 'f664958c-f4fd-44c4-be3f-4a2f3e78f6f7', 11, 't', 't/', true);
INSERT INTO forklake.ducklake_table VALUES (10, 96, 39, 9223372036854775807, 14, '01a1e522-4a2a-788a-b2ef-cf3145cfe6b0', 13, 't', 't/', true);
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
INSERT INTO forklake.ducklake_column VALUES (3, 41, 21, 9223372036854775807, 1, 5, 1, 'd', 'decimal(10,2)', NULL, 'NULL', true, NULL, 'literal', 'duckdb');
INSERT INTO forklake.ducklake_column VALUES (3, 42, 21, 9223372036854775807, 2, 5, 2, 'l', 'list', NULL, 'NULL', true, NULL, 'literal', 'duckdb');
INSERT INTO forklake.ducklake_column VALUES (3, 43, 21, 9223372036854775807, 3, 5, 3, 'element', 'int32', NULL, 'NULL', true, 2, 'literal', 'duckdb');
INSERT INTO forklake.ducklake_column VALUES (3, 44, 21, 9223372036854775807, 4, 5, 4, 's', 'struct', NULL, 'NULL', true, NULL, 'literal', 'duckdb');
INSERT INTO forklake.ducklake_column VALUES (3, 45, 21, 9223372036854775807, 5, 5, 5, 'a', 'int32', NULL, 'NULL', true, 4, 'literal', 'duckdb');
INSERT INTO forklake.ducklake_column VALUES (3, 46, 21, 9223372036854775807, 6, 5, 6, 'b', 'date', NULL, 'NULL', true, 4, 'literal', 'duckdb');
INSERT INTO forklake.ducklake_column VALUES (3, 47, 21, 9223372036854775807, 7, 5, 7, 'added', 'int64', NULL, 'NULL', true, NULL, 'literal', 'duckdb');
INSERT INTO forklake.ducklake_column VALUES (4, 67, 25, 9223372036854775807, 1, 2, 1, 'id', 'int64', NULL, 'NULL', true, NULL, 'literal', 'duckdb');
INSERT INTO forklake.ducklake_column VALUES (4, 68, 25, 9223372036854775807, 2, 2, 2, 'item', 'varchar', NULL, 'NULL', true, NULL, 'literal', 'duckdb');
INSERT INTO forklake.ducklake_column VALUES (4, 69, 25, 9223372036854775807, 1, 4, 1, 'x', 'int32', NULL, 'NULL', true, NULL, 'literal', 'duckdb');
INSERT INTO forklake.ducklake_column VALUES (4, 70, 25, 9223372036854775807, 1, 5, 1, 'd', 'decimal(10,2)', NULL, 'NULL', true, NULL, 'literal', 'duckdb');
INSERT INTO forklake.ducklake_column VALUES (4, 71, 25, 9223372036854775807, 2, 5, 2, 'l', 'list', NULL, 'NULL', true, NULL, 'literal', 'duckdb');
INSERT INTO forklake.ducklake_column VALUES (4, 72, 25, 9223372036854775807, 3, 5, 3, 'element', 'int32', NULL, 'NULL', true, 2, 'literal', 'duckdb');
INSERT INTO forklake.ducklake_column VALUES (4, 73, 25, 9223372036854775807, 4, 5, 4, 's', 'struct', NULL, 'NULL', true, NULL, 'literal', 'duckdb');
INSERT INTO forklake.ducklake_column VALUES (4, 74, 25, 9223372036854775807, 5, 5, 5, 'a', 'int32', NULL, 'NULL', true, 4, 'literal', 'duckdb');
INSERT INTO forklake.ducklake_column VALUES (4, 75, 25, 9223372036854775807, 6, 5, 6, 'b', 'date', NULL, 'NULL', true, 4, 'literal', 'duckdb');
INSERT INTO forklake.ducklake_column VALUES (4, 76, 25, 9223372036854775807, 7, 5, 7, 'added', 'int64', NULL, 'NULL', true, NULL, 'literal', 'duckdb');
INSERT INTO forklake.ducklake_column VALUES (8, 89, 33, 9223372036854775807, 1, 10, 1, 'id', 'int64', NULL, 'NULL', true, NULL, 'literal', 'duckdb');
INSERT INTO forklake.ducklake_column VALUES (9, 93, 36, 9223372036854775807, 1, 12, 1, 'id', 'int64', NULL, 'NULL', true, NULL, 'literal', 'duckdb');
INSERT INTO forklake.ducklake_column VALUES (10, 97, 39, 9223372036854775807, 1, 14, 1, 'id', 'int64', NULL, 'NULL', true, NULL, 'literal', 'duckdb');
INSERT INTO forklake.ducklake_column VALUES (10, 98, 39, 9223372036854775807, 2, 14, 2, 'name', 'varchar', NULL, 'NULL', true, NULL, 'literal', 'duckdb');
INSERT INTO forklake.ducklake_view VALUES (0, 25, 12, 9223372036854775807, 6, 'bdf1849d-82f6-4f38-8180-c6b71caa2c09', 0, 'names', 'duckdb', 'SELECT item FROM orders', NULL);
INSERT INTO forklake.ducklake_view VALUES (3, 36, 21, 9223372036854775807, 6, 'bdf1849d-82f6-4f38-8180-c6b71caa2c09', 0, 'names', 'duckdb', 'SELECT item FROM orders', NULL);
INSERT INTO forklake.ducklake_view VALUES (4, 65, 25, 9223372036854775807, 6, 'bdf1849d-82f6-4f38-8180-c6b71caa2c09', 0, 'names', 'duckdb', 'SELECT item FROM orders', NULL);
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
INSERT INTO forklake.ducklake_data_file VALUES (0, 6, 3, 9223372036854775807, 0, 2, NULL, 'id=1/ducklake-01a1e522-39e7-750b-9083-ee1b00db4f2c.parquet', true, 'parquet', 2, 470, 289, 0, 3, NULL, NULL, NULL, NULL, NULL);
INSERT INTO forklake.ducklake_data_file VALUES (0, 7, 3, 9223372036854775807, 1, 2, NULL, 'id=2/ducklake-01a1e522-39e8-7aa9-94b9-6b8936bc09db.parquet', true, 'parquet', 1, 465, 287, 2, 3, NULL, NULL, NULL, NULL, NULL);
INSERT INTO forklake.ducklake_data_file VALUES (0, 8, 3, 9223372036854775807, 2, 2, NULL, 'id=3/ducklake-01a1e522-39e9-7199-b830-8be35e2d0891.parquet', true, 'parquet', 1, 465, 287, 3, 3, NULL, NULL, NULL, NULL, NULL);
INSERT INTO forklake.ducklake_data_file VALUES (3, 51, 21, 9223372036854775807, 2, 2, NULL, '@HOME@/data/shop/main/orders/id=3/ducklake-01a1e522-39e9-7199-b830-8be35e2d0891.parquet', false, 'parquet', 1, 465, 287, 3, 3, NULL, NULL, NULL, NULL, NULL);
INSERT INTO forklake.ducklake_data_file VALUES (3, 52, 21, 9223372036854775807, 1, 2, NULL, '@HOME@/data/shop/main/orders/id=2/ducklake-01a1e522-39e8-7aa9-94b9-6b8936bc09db.parquet', false, 'parquet', 1, 465, 287, 2, 3, NULL, NULL, NULL, NULL, NULL);
INSERT INTO forklake.ducklake_data_file VALUES (3, 53, 21, 9223372036854775807, 0, 2, NULL, '@HOME@/data/shop/main/orders/id=1/ducklake-01a1e522-39e7-750b-9083-ee1b00db4f2c.parquet', false, 'parquet', 2, 470, 289, 0, 3, NULL, NULL, NULL, NULL, NULL);
INSERT INTO forklake.ducklake_data_file VALUES (3, 58, 22, 9223372036854775807, 4, 2, NULL, 'id=20/ducklake-01a1e522-4315-7cf8-8e18-a05a52a3428b.parquet', true, 'parquet', 3, 464, 284, 206158430208, 3, NULL, NULL, NULL, NULL, NULL);
INSERT INTO forklake.ducklake_data_file VALUES (4, 59, 24, 9223372036854775807, 5, 2, NULL, 'id=30/ducklake-01a1e522-437b-7e91-8f32-59d0b391ca70.parquet', true, 'parquet', 3, 464, 284, 274877906944, 3, NULL, NULL, NULL, NULL, NULL);
INSERT INTO forklake.ducklake_data_file VALUES (4, 80, 25, 9223372036854775807, 2, 2, NULL, '@HOME@/data/shop/main/orders/id=3/ducklake-01a1e522-39e9-7199-b830-8be35e2d0891.parquet', false, 'parquet', 1, 465, 287, 3, 3, NULL, NULL, NULL, NULL, NULL);
INSERT INTO forklake.ducklake_data_file VALUES (4, 81, 25, 9223372036854775807, 1, 2, NULL, '@HOME@/data/shop/main/orders/id=2/ducklake-01a1e522-39e8-7aa9-94b9-6b8936bc09db.parquet', false, 'parquet', 1, 465, 287, 2, 3, NULL, NULL, NULL, NULL, NULL);
INSERT INTO forklake.ducklake_data_file VALUES (4, 82, 25, 9223372036854775807, 0, 2, NULL, '@HOME@/data/shop/main/orders/id=1/ducklake-01a1e522-39e7-750b-9083-ee1b00db4f2c.parquet', false, 'parquet', 2, 470, 289, 0, 3, NULL, NULL, NULL, NULL, NULL);
INSERT INTO forklake.ducklake_data_file VALUES (8, 90, 34, 9223372036854775807, 6, 10, NULL, 'ducklake-01a1e522-46dc-7815-9d94-f3eae1d7a7ef.parquet', true, 'parquet', 2, 487, 241, 0, NULL, 'CvX2SfQg4N4kGCUp6cANSg==', NULL, NULL, NULL, NULL);
INSERT INTO forklake.ducklake_data_file VALUES (9, 94, 37, 9223372036854775807, 7, 12, NULL, 'ducklake-01a1e522-49ad-706c-80df-421169949ac3.parquet', true, 'parquet', 1, 295, 186, 0, NULL, NULL, NULL, NULL, NULL, NULL);
INSERT INTO forklake.ducklake_data_file VALUES (10, 99, 40, 9223372036854775807, 8, 14, NULL, '@HOME@/outside/plain/main/t/ducklake-01a1e522-4a76-72cb-925e-dcae11084680.parquet', false, 'parquet', 2, 324, 236, 0, NULL, NULL, NULL, NULL, NULL, 10);
INSERT INTO forklake.ducklake_data_file VALUES (10, 100, 41, 9223372036854775807, 9, 14, NULL, 'ducklake-01a1e522-4c1b-7ab8-862d-6ec7ed01cf3c.parquet', true, 'parquet', 1, 448, 279, 2, NULL, NULL, NULL, NULL, NULL, NULL);
INSERT INTO forklake.ducklake_delete_file VALUES (0, 9, 4, 9223372036854775807, 3, 2, 0, 'ducklake-0145f146-aac6-41a9-9fc2-c494b270647e-delete.parquet', true, 'parquet', 1, 967, 499, NULL, NULL, NULL, NULL);
INSERT INTO forklake.ducklake_delete_file VALUES (3, 54, 21, 9223372036854775807, 3, 2, 0, '@HOME@/data/shop/main/orders/ducklake-0145f146-aac6-41a9-9fc2-c494b270647e-delete.parquet', false, 'parquet', 1, 967, 499, NULL, NULL, NULL, NULL);
INSERT INTO forklake.ducklake_delete_file VALUES (4, 83, 25, 9223372036854775807, 3, 2, 0, '@HOME@/data/shop/main/orders/ducklake-0145f146-aac6-41a9-9fc2-c494b270647e-delete.parquet', false, 'parquet', 1, 967, 499, NULL, NULL, NULL, NULL);
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
INSERT INTO forklake.ducklake_table_stats VALUES (0, 2, 42, 7, 7, 1400, 3);
INSERT INTO forklake.ducklake_table_stats VALUES (0, 2, 4, 4, 4, 1400, 3);
INSERT INTO forklake.ducklake_table_stats VALUES (0, 2, 5, 6, 6, 1400, 3);
INSERT INTO forklake.ducklake_table_stats VALUES (0, 2, 3, 4, 4, 1400, 3);
INSERT INTO forklake.ducklake_table_stats VALUES (0, 2, 2, 0, 0, 0, 3);
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
INSERT INTO forklake.ducklake_table_stats VALUES (9, 12, 37, 1, 1, 295, 2);
INSERT INTO forklake.ducklake_table_stats VALUES (9, 12, 36, 0, 0, 0, 2);
INSERT INTO forklake.ducklake_table_stats VALUES (10, 14, 39, 0, 2, 0, 3);
INSERT INTO forklake.ducklake_table_stats VALUES (10, 14, 40, 2, 2, 324, 3);
INSERT INTO forklake.ducklake_table_stats VALUES (10, 14, 41, 3, 3, 772, 3);
INSERT INTO forklake.ducklake_table_column_stats VALUES (0, 2, 42, 2, true, NULL, 'after the forks', 'plum', NULL);
INSERT INTO forklake.ducklake_table_column_stats VALUES (0, 2, 5, 1, false, NULL, '1', '5', NULL);
INSERT INTO forklake.ducklake_table_column_stats VALUES (0, 2, 5, 2, true, NULL, 'apple', 'plum', NULL);
INSERT INTO forklake.ducklake_table_column_stats VALUES (0, 2, 3, 2, true, NULL, 'apple', 'pear', NULL);
INSERT INTO forklake.ducklake_table_column_stats VALUES (0, 2, 42, 1, false, NULL, '1', '8', NULL);
INSERT INTO forklake.ducklake_table_column_stats VALUES (0, 2, 3, 1, false, NULL, '1', '3', NULL);
INSERT INTO forklake.ducklake_table_column_stats VALUES (0, 5, 8, 1, false, NULL, '1.00', '1.00', NULL);
INSERT INTO forklake.ducklake_table_column_stats VALUES (0, 5, 8, 3, NULL, NULL, NULL, NULL, NULL);
INSERT INTO forklake.ducklake_table_column_stats VALUES (0, 5, 8, 5, NULL, NULL, NULL, NULL, NULL);
INSERT INTO forklake.ducklake_table_column_stats VALUES (0, 5, 8, 6, NULL, NULL, NULL, NULL, NULL);
INSERT INTO forklake.ducklake_table_column_stats VALUES (1, 2, 15, 2, true, NULL, 'apple', 'plum', NULL);
INSERT INTO forklake.ducklake_table_column_stats VALUES (1, 2, 15, 1, false, NULL, '1', '7', NULL);
INSERT INTO forklake.ducklake_table_column_stats VALUES (2, 8, 20, 1, false, NULL, 'a note', 'a note', NULL);
INSERT INTO forklake.ducklake_table_column_stats VALUES (3, 2, 22, 1, false, NULL, '1', '20', NULL);
INSERT INTO forklake.ducklake_table_column_stats VALUES (3, 2, 21, 2, true, NULL, 'apple', 'plum', NULL);
INSERT INTO forklake.ducklake_table_column_stats VALUES (3, 2, 22, 2, true, NULL, 'apple', 'plum', NULL);
INSERT INTO forklake.ducklake_table_column_stats VALUES (3, 2, 21, 1, false, NULL, '1', '5', NULL);
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
