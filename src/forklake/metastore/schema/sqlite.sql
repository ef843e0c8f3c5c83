-- The metadata of a lake in a SQLite file. The same tables as in postgresql.sql; here "forklake_" stands for the schema
-- "forklake", and a table of counters for the sequences. Flags are 0 and 1, times text of fixed width in UTC.
--
-- Written by `python -m forklake.metastore.schema` from the description beside it: change that.

CREATE TABLE forklake_sequence (
    name TEXT PRIMARY KEY,
    next_value INTEGER NOT NULL
) WITHOUT ROWID;
INSERT INTO forklake_sequence (name, next_value) VALUES
    ('ducklake_catalog_id_seq', 0),
    ('ducklake_object_id_seq', 0),
    ('ducklake_file_id_seq', 0),
    ('ducklake_snapshot_id_seq', 0),
    ('ducklake_row_uid_seq', 0),
    ('ducklake_column_id_seq', 1048576);

-- Catalogs, heads and ancestry

-- One row per version of a catalog: rename, drop and undrop end a row. The directory is chosen once and never moves;
-- the row of a purged catalog stays, so that its directory is never given to another.
CREATE TABLE forklake_ducklake_catalog (
    catalog_id INTEGER NOT NULL,
    catalog_uuid TEXT NOT NULL,
    catalog_name TEXT NOT NULL,
    parent_catalog_id INTEGER,  -- what it was forked or copied from; kept by detach
    parent_snapshot_id INTEGER,  -- the pin
    data_path TEXT,  -- its own base path, or NULL: the lake's
    path TEXT NOT NULL,  -- its directory
    path_is_relative INTEGER NOT NULL,  -- to the lake's data path
    begin_snapshot INTEGER NOT NULL,  -- of the sequence of snapshots, as end_snapshot is
    end_snapshot INTEGER NOT NULL DEFAULT 9223372036854775807,
    begin_time TEXT NOT NULL,
    end_time TEXT,
    ended_by TEXT,  -- the author of the rename or drop that ended it, if that was said
    ended_message TEXT,  -- why, likewise
    PRIMARY KEY (catalog_id, begin_snapshot)
) WITHOUT ROWID;
CREATE UNIQUE INDEX forklake_catalog_name_idx ON forklake_ducklake_catalog (lower(catalog_name), end_snapshot);
CREATE INDEX forklake_catalog_directory_idx ON forklake_ducklake_catalog (lower(path));
CREATE INDEX forklake_catalog_parent_idx ON forklake_ducklake_catalog (parent_catalog_id, end_snapshot, catalog_id);

-- The newest snapshot of each catalog. A commit is a compare-and-swap on this row; drop and undrop change live. Narrow,
-- no other index, room for updates in place.
CREATE TABLE forklake_ducklake_head (
    catalog_id INTEGER NOT NULL,
    snapshot_id INTEGER NOT NULL,
    live INTEGER NOT NULL DEFAULT 1,  -- false while it is dropped
    own_files INTEGER NOT NULL DEFAULT 0,  -- how many live data and delete files it has rows of its own for
    own_bytes INTEGER NOT NULL DEFAULT 0,  -- how many bytes those have, and its own live definitions and inlined rows
    PRIMARY KEY (catalog_id)
) WITHOUT ROWID;

-- Flattened ancestry of a fork, nearest first. The catalog itself (depth 0, no limit) is implied. A refresh begins an
-- epoch: its snapshots see another chain than those before.
CREATE TABLE forklake_ducklake_segment (
    catalog_id INTEGER NOT NULL,
    since INTEGER NOT NULL DEFAULT 0,  -- the first snapshot of the epoch
    until INTEGER NOT NULL DEFAULT 9223372036854775807,  -- the first snapshot of the next epoch; 9223372036854775807: it is the last
    depth INTEGER NOT NULL,  -- 1 is the nearest
    owner_id INTEGER NOT NULL,  -- the ancestor whose rows it sees
    upto INTEGER NOT NULL,  -- up to and including this snapshot
    versions_from INTEGER NOT NULL DEFAULT 0,  -- its snapshots since this one are versions of the catalog; 9223372036854775807: none
    PRIMARY KEY (catalog_id, since, depth)
) WITHOUT ROWID;
CREATE INDEX forklake_segment_pin_idx ON forklake_ducklake_segment (owner_id, upto);

-- A row of an ancestor that this catalog no longer shows.
CREATE TABLE forklake_ducklake_tombstone (
    catalog_id INTEGER NOT NULL,
    scope_id INTEGER NOT NULL,  -- the table that the row belongs to, or 0
    row_uid INTEGER NOT NULL,  -- the row
    snapshot_id INTEGER NOT NULL,  -- from when on it is hidden
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
    previous_snapshot_id INTEGER,  -- of a fork's first: the pin
    commit_key TEXT,
    PRIMARY KEY (catalog_id, snapshot_id)
) WITHOUT ROWID;
CREATE UNIQUE INDEX forklake_lineage_key_idx ON forklake_ducklake_snapshot_lineage (catalog_id, commit_key) WHERE commit_key IS NOT NULL;

-- What the snapshots of an imported catalog were numbered before: runs of snapshot_count snapshots, from snapshot_id
-- and source_snapshot_id on. Files merged before the import carry the old numbers; their rows name this catalog in
-- numbering_id, also where they were copied to another catalog. Outlives the catalog's snapshots.
CREATE TABLE forklake_ducklake_numbering (
    catalog_id INTEGER NOT NULL,
    snapshot_id INTEGER NOT NULL,
    source_snapshot_id INTEGER NOT NULL,
    snapshot_count INTEGER NOT NULL,
    PRIMARY KEY (catalog_id, snapshot_id)
) WITHOUT ROWID;

-- The schema versions of each table: at which it was made, or its columns or partitioning changed.
CREATE TABLE forklake_ducklake_schema_versions (
    catalog_id INTEGER NOT NULL,
    begin_snapshot INTEGER NOT NULL,
    schema_version INTEGER NOT NULL,
    table_id INTEGER NOT NULL,
    PRIMARY KEY (catalog_id, begin_snapshot, table_id)
) WITHOUT ROWID;

-- From begin_snapshot on the catalog contains another one, the source, up to one of its snapshots. Outlives both
-- snapshots, and the catalog while a fork of it is there.
CREATE TABLE forklake_ducklake_merge (
    catalog_id INTEGER NOT NULL,
    source_id INTEGER NOT NULL,  -- the catalog that it contains
    begin_snapshot INTEGER NOT NULL,
    source_snapshot_id INTEGER NOT NULL,  -- up to and including this snapshot
    kind TEXT NOT NULL,  -- merge, refresh, reset; via: the source of one of those contained it; chain: a fork did
    may_return INTEGER NOT NULL,  -- whether the commit may have brought back what was gone
    PRIMARY KEY (catalog_id, source_id, begin_snapshot)
) WITHOUT ROWID;
CREATE INDEX forklake_merge_source_idx ON forklake_ducklake_merge (source_id, source_snapshot_id);

-- A name of a snapshot, which keeps it from expiry.
CREATE TABLE forklake_ducklake_snapshot_tag (
    catalog_id INTEGER NOT NULL,
    tag_key TEXT NOT NULL,  -- the name in lower case
    tag_name TEXT NOT NULL,  -- the name
    snapshot_id INTEGER NOT NULL,
    created_at TEXT NOT NULL,  -- when it was set
    keep_until TEXT,  -- from then on it does not keep the snapshot; NULL: it always does
    message TEXT,  -- why
    PRIMARY KEY (catalog_id, tag_key)
) WITHOUT ROWID;
CREATE INDEX forklake_snapshot_tag_idx ON forklake_ducklake_snapshot_tag (catalog_id, snapshot_id);

-- Options, lifetimes, quotas and labels

-- Options. catalog_id -1 is the whole lake.
CREATE TABLE forklake_ducklake_metadata (
    catalog_id INTEGER NOT NULL,
    key TEXT NOT NULL,
    value TEXT NOT NULL,
    scope TEXT NOT NULL DEFAULT '',  -- '' (the catalog), 'schema' or 'table'
    scope_id INTEGER NOT NULL DEFAULT -1,  -- the schema or table
    PRIMARY KEY (catalog_id, scope, scope_id, key)
) WITHOUT ROWID;

-- When a catalog ends of itself: from then on it refuses commits and forks, and it is dropped by the next reap.
CREATE TABLE forklake_ducklake_lifetime (
    catalog_id INTEGER NOT NULL,
    expires_at TEXT NOT NULL,  -- when it ends
    renew_seconds INTEGER,  -- each commit moves the end to so many seconds after it
    purge_after_seconds INTEGER,  -- so long after it was dropped it is purged; NULL: never of itself
    PRIMARY KEY (catalog_id)
) WITHOUT ROWID;
CREATE INDEX forklake_lifetime_end_idx ON forklake_ducklake_lifetime (expires_at);

-- What a catalog may hold. NULL: any number.
CREATE TABLE forklake_ducklake_quota (
    catalog_id INTEGER NOT NULL,
    max_bytes INTEGER,  -- of files
    max_files INTEGER,  -- data and delete files
    max_forks INTEGER,  -- that live
    max_depth INTEGER,  -- of forks of forks
    subtree INTEGER NOT NULL,  -- whether its forks, and theirs, count with it
    PRIMARY KEY (catalog_id)
) WITHOUT ROWID;

-- A label of a catalog, for whoever looks for catalogs.
CREATE TABLE forklake_ducklake_catalog_label (
    catalog_id INTEGER NOT NULL,
    key TEXT NOT NULL,
    value TEXT NOT NULL,
    PRIMARY KEY (catalog_id, key)
) WITHOUT ROWID;
CREATE INDEX forklake_catalog_label_idx ON forklake_ducklake_catalog_label (key, value);

-- Writers, what awaits collection, and locks

-- A writer that may have written files which no row names yet. Its commit deletes the row, or is refused if it is gone.
CREATE TABLE forklake_ducklake_lease (
    catalog_id INTEGER NOT NULL,
    lease_id TEXT NOT NULL,
    begin_time TEXT NOT NULL,  -- before its first file
    end_time TEXT NOT NULL,  -- from then on its files are anybody's to delete
    PRIMARY KEY (catalog_id, lease_id)
) WITHOUT ROWID;

-- A catalog some of whose rows nothing may need any more, since snapshots or forks that saw them are gone.
CREATE TABLE forklake_ducklake_due (
    catalog_id INTEGER NOT NULL,
    due_time TEXT NOT NULL,  -- since when
    PRIMARY KEY (catalog_id)
) WITHOUT ROWID;
CREATE INDEX forklake_due_time_idx ON forklake_ducklake_due (due_time);

-- What transactions lock of a catalog or, under catalog -1, of the lake, in PostgreSQL. A row is made by the first that
-- locks it, has no content, is never changed and stays for good. Who has no UPDATE on it holds nobody up.
CREATE TABLE forklake_ducklake_lock (
    catalog_id INTEGER NOT NULL,
    lock_id INTEGER NOT NULL,  -- 0: what the catalog holds, 1: the door to that, 2: its quota, 3: its turn; of the lake any
    PRIMARY KEY (catalog_id, lock_id)
) WITHOUT ROWID;

-- Schemas, tables, columns

-- A schema: a namespace of tables, views and macros.
CREATE TABLE forklake_ducklake_schema (
    catalog_id INTEGER NOT NULL,
    row_uid INTEGER NOT NULL,
    begin_snapshot INTEGER NOT NULL,
    end_snapshot INTEGER NOT NULL DEFAULT 9223372036854775807,
    schema_id INTEGER NOT NULL,
    schema_uuid TEXT NOT NULL,
    schema_name TEXT NOT NULL,
    path TEXT NOT NULL,
    path_is_relative INTEGER NOT NULL,  -- to the catalog's directory
    PRIMARY KEY (catalog_id, row_uid)
) WITHOUT ROWID;
CREATE INDEX forklake_schema_scan_idx ON forklake_ducklake_schema (catalog_id, schema_id, end_snapshot, begin_snapshot);
CREATE UNIQUE INDEX forklake_schema_name_idx ON forklake_ducklake_schema (catalog_id, lower(schema_name), end_snapshot);
CREATE INDEX forklake_schema_path_idx ON forklake_ducklake_schema (path) WHERE NOT path_is_relative;
CREATE INDEX forklake_schema_id_idx ON forklake_ducklake_schema (schema_id);

-- A table. Its path never changes, whatever it is renamed to.
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
    path_is_relative INTEGER NOT NULL,  -- to the schema's directory
    PRIMARY KEY (catalog_id, row_uid)
) WITHOUT ROWID;
CREATE INDEX forklake_table_scan_idx ON forklake_ducklake_table (catalog_id, table_id, end_snapshot, begin_snapshot);
CREATE UNIQUE INDEX forklake_table_name_idx ON forklake_ducklake_table (catalog_id, schema_id, lower(table_name), end_snapshot);
CREATE INDEX forklake_table_path_idx ON forklake_ducklake_table (path) WHERE NOT path_is_relative;
CREATE INDEX forklake_table_id_idx ON forklake_ducklake_table (table_id);

-- A column, or a nested field of a column. Ids are never reused within a table.
CREATE TABLE forklake_ducklake_column (
    catalog_id INTEGER NOT NULL,
    row_uid INTEGER NOT NULL,
    begin_snapshot INTEGER NOT NULL,
    end_snapshot INTEGER NOT NULL DEFAULT 9223372036854775807,
    column_id INTEGER NOT NULL,  -- counts from 1 within the table
    table_id INTEGER NOT NULL,
    column_order INTEGER NOT NULL,
    column_name TEXT NOT NULL,
    column_type TEXT NOT NULL,
    initial_default TEXT,  -- what rows hold that were written before the column was added
    default_value TEXT,
    nulls_allowed INTEGER NOT NULL,
    parent_column INTEGER,  -- the column that a nested field is part of
    default_value_type TEXT,
    default_value_dialect TEXT,
    trusted INTEGER,  -- whether the default runs with the reach of whoever inserts; else of its catalog
    PRIMARY KEY (catalog_id, row_uid)
) WITHOUT ROWID;
CREATE INDEX forklake_column_scan_idx ON forklake_ducklake_column (catalog_id, table_id, end_snapshot, begin_snapshot);
CREATE UNIQUE INDEX forklake_column_name_idx ON forklake_ducklake_column (catalog_id, table_id, coalesce(parent_column, -1), lower(column_name), end_snapshot);

-- A view: a query under a name.
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
    trusted INTEGER,  -- whether it runs with the reach of whoever reads it; else of its catalog
    PRIMARY KEY (catalog_id, row_uid)
) WITHOUT ROWID;
CREATE INDEX forklake_view_scan_idx ON forklake_ducklake_view (catalog_id, view_id, end_snapshot, begin_snapshot);
CREATE UNIQUE INDEX forklake_view_name_idx ON forklake_ducklake_view (catalog_id, schema_id, lower(view_name), end_snapshot);

-- A macro; its implementations are rows of their own.
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

-- One implementation of a macro.
CREATE TABLE forklake_ducklake_macro_impl (
    catalog_id INTEGER NOT NULL,
    macro_id INTEGER NOT NULL,
    impl_id INTEGER NOT NULL,
    dialect TEXT NOT NULL,
    sql TEXT NOT NULL,
    type TEXT NOT NULL,  -- scalar or table
    trusted INTEGER,  -- whether it runs with the reach of whoever calls it; else of its catalog
    PRIMARY KEY (catalog_id, macro_id, impl_id)
) WITHOUT ROWID;

-- One parameter of one implementation of a macro.
CREATE TABLE forklake_ducklake_macro_parameters (
    catalog_id INTEGER NOT NULL,
    macro_id INTEGER NOT NULL,
    impl_id INTEGER NOT NULL,
    column_id INTEGER NOT NULL,  -- counts the parameters
    parameter_name TEXT NOT NULL,
    parameter_type TEXT,
    default_value TEXT,
    default_value_type TEXT,
    trusted INTEGER,  -- whether the default runs with the reach of whoever calls; else of its catalog
    PRIMARY KEY (catalog_id, macro_id, impl_id, column_id)
) WITHOUT ROWID;

-- A tag of a table or view; the key comment is its comment.
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

-- A tag of a column.
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

-- A tag of a column of a view, which has a name and no id.
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

-- How new files of a table are partitioned.
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

-- One key of a partitioning.
CREATE TABLE forklake_ducklake_partition_column (
    catalog_id INTEGER NOT NULL,
    partition_id INTEGER NOT NULL,
    table_id INTEGER NOT NULL,
    partition_key_index INTEGER NOT NULL,
    column_id INTEGER NOT NULL,
    transform TEXT NOT NULL,
    PRIMARY KEY (catalog_id, partition_id, partition_key_index)
) WITHOUT ROWID;

-- How new files of a table are sorted.
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

-- One key of a sort order.
CREATE TABLE forklake_ducklake_sort_expression (
    catalog_id INTEGER NOT NULL,
    sort_id INTEGER NOT NULL,
    table_id INTEGER NOT NULL,
    sort_key_index INTEGER NOT NULL,
    expression TEXT NOT NULL,
    dialect TEXT NOT NULL,
    sort_direction TEXT NOT NULL,
    null_order TEXT NOT NULL,
    trusted INTEGER,  -- whether it runs with the reach of whoever writes rows; else of its catalog
    PRIMARY KEY (catalog_id, sort_id, sort_key_index)
) WITHOUT ROWID;

-- Files

-- A Parquet file with rows of a table.
CREATE TABLE forklake_ducklake_data_file (
    catalog_id INTEGER NOT NULL,
    row_uid INTEGER NOT NULL,
    begin_snapshot INTEGER NOT NULL,
    end_snapshot INTEGER NOT NULL DEFAULT 9223372036854775807,
    data_file_id INTEGER NOT NULL,
    table_id INTEGER NOT NULL,
    file_order INTEGER,
    path TEXT NOT NULL,
    path_is_relative INTEGER NOT NULL,  -- to the table's directory
    file_format TEXT NOT NULL,
    record_count INTEGER NOT NULL,
    file_size_bytes INTEGER NOT NULL,
    footer_size INTEGER,
    row_id_start INTEGER,
    partition_id INTEGER,
    encryption_key TEXT,  -- no view shows it
    mapping_id INTEGER,  -- how its columns are found, if not by field ids
    partial_max INTEGER,  -- of a merged file: the newest snapshot that it holds rows of
    read_upto INTEGER,  -- a copied row of a merged file keeps the bound it was read with
    numbering_id INTEGER,  -- the imported catalog whose old snapshot numbers it carries; NULL where they are ours
    origin_snapshot_id INTEGER,  -- the snapshot that first added it, in whichever catalog; NULL: begin_snapshot
    columns_known INTEGER NOT NULL DEFAULT 1,  -- whether its columns are those of the table when it began; else its footer tells
    PRIMARY KEY (catalog_id, row_uid)
) WITHOUT ROWID;
CREATE INDEX forklake_data_file_scan_idx ON forklake_ducklake_data_file (catalog_id, table_id, end_snapshot, begin_snapshot);
CREATE INDEX forklake_data_file_id_idx ON forklake_ducklake_data_file (catalog_id, data_file_id);
CREATE INDEX forklake_data_file_path_idx ON forklake_ducklake_data_file (path) WHERE NOT path_is_relative;

-- The positions of one data file that are deleted; at most one is live for a data file.
CREATE TABLE forklake_ducklake_delete_file (
    catalog_id INTEGER NOT NULL,
    row_uid INTEGER NOT NULL,
    begin_snapshot INTEGER NOT NULL,
    end_snapshot INTEGER NOT NULL DEFAULT 9223372036854775807,
    delete_file_id INTEGER NOT NULL,
    table_id INTEGER NOT NULL,
    data_file_id INTEGER NOT NULL,
    path TEXT NOT NULL,
    path_is_relative INTEGER NOT NULL,  -- to the table's directory
    format TEXT NOT NULL,
    delete_count INTEGER NOT NULL,
    file_size_bytes INTEGER NOT NULL,
    footer_size INTEGER,
    encryption_key TEXT,  -- no view shows it
    partial_max INTEGER,  -- as of data files, and so are the next two
    read_upto INTEGER,
    numbering_id INTEGER,
    PRIMARY KEY (catalog_id, row_uid)
) WITHOUT ROWID;
CREATE INDEX forklake_delete_file_scan_idx ON forklake_ducklake_delete_file (catalog_id, table_id, end_snapshot, begin_snapshot);
CREATE INDEX forklake_delete_file_data_idx ON forklake_ducklake_delete_file (catalog_id, data_file_id);
CREATE INDEX forklake_delete_file_path_idx ON forklake_ducklake_delete_file (path) WHERE NOT path_is_relative;

-- Statistics of one column in one data file.
CREATE TABLE forklake_ducklake_file_column_stats (
    catalog_id INTEGER NOT NULL,
    data_file_id INTEGER NOT NULL,
    table_id INTEGER NOT NULL,
    column_id INTEGER NOT NULL,
    column_size_bytes INTEGER,
    value_count INTEGER,  -- counts what is not NULL
    null_count INTEGER,
    min_value TEXT,
    max_value TEXT,
    contains_nan INTEGER,
    extra_stats TEXT,
    PRIMARY KEY (catalog_id, data_file_id, column_id)
) WITHOUT ROWID;

-- Statistics of one shredded path of a variant column in one data file.
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

-- The value of one partition key, the same for all rows of a data file.
CREATE TABLE forklake_ducklake_file_partition_value (
    catalog_id INTEGER NOT NULL,
    data_file_id INTEGER NOT NULL,
    table_id INTEGER NOT NULL,
    partition_key_index INTEGER NOT NULL,
    partition_value TEXT,
    PRIMARY KEY (catalog_id, data_file_id, partition_key_index)
) WITHOUT ROWID;

-- How the columns of files without field ids are found. Many files share a mapping.
CREATE TABLE forklake_ducklake_column_mapping (
    catalog_id INTEGER NOT NULL,
    mapping_id INTEGER NOT NULL,
    table_id INTEGER NOT NULL,
    type TEXT NOT NULL,
    PRIMARY KEY (catalog_id, mapping_id)
) WITHOUT ROWID;

-- One column of a mapping by name.
CREATE TABLE forklake_ducklake_name_mapping (
    catalog_id INTEGER NOT NULL,
    mapping_id INTEGER NOT NULL,
    column_id INTEGER NOT NULL,  -- counts the columns of the mapping
    source_name TEXT NOT NULL,
    target_field_id INTEGER NOT NULL,
    parent_column INTEGER,
    is_partition INTEGER NOT NULL,
    PRIMARY KEY (catalog_id, mapping_id, column_id)
) WITHOUT ROWID;

-- A file that awaits its grace period.
CREATE TABLE forklake_ducklake_files_scheduled_for_deletion (
    catalog_id INTEGER NOT NULL,
    data_file_id INTEGER NOT NULL,
    path TEXT NOT NULL,  -- absolute
    path_is_relative INTEGER NOT NULL,
    schedule_start TEXT NOT NULL,
    PRIMARY KEY (catalog_id, path)
) WITHOUT ROWID;

-- Statistics: the newest row of the nearest owner counts

-- Totals of a table.
CREATE TABLE forklake_ducklake_table_stats (
    catalog_id INTEGER NOT NULL,
    table_id INTEGER NOT NULL,
    begin_snapshot INTEGER NOT NULL,
    record_count INTEGER NOT NULL,  -- gross: deleted rows count until their file goes
    next_row_id INTEGER NOT NULL,
    file_size_bytes INTEGER NOT NULL,
    next_column_id INTEGER NOT NULL,
    PRIMARY KEY (catalog_id, table_id, begin_snapshot)
) WITHOUT ROWID;
CREATE INDEX forklake_table_stats_begin_idx ON forklake_ducklake_table_stats (catalog_id, begin_snapshot);

-- What is known of the values of a column over all files; bounds are never narrowed. The columns of a table are written
-- as one set.
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

-- A row of a table that is kept in the metadata.
CREATE TABLE forklake_ducklake_inlined_row (
    catalog_id INTEGER NOT NULL,
    row_uid INTEGER NOT NULL,
    begin_snapshot INTEGER NOT NULL,
    end_snapshot INTEGER NOT NULL DEFAULT 9223372036854775807,
    table_id INTEGER NOT NULL,
    row_id INTEGER NOT NULL,
    schema_version INTEGER NOT NULL,
    document TEXT NOT NULL,  -- its values by column id, in exact text encodings
    origin_snapshot_id INTEGER,  -- the snapshot that first added it, in whichever catalog; NULL: begin_snapshot
    PRIMARY KEY (catalog_id, row_uid)
) WITHOUT ROWID;
CREATE INDEX forklake_inlined_row_scan_idx ON forklake_ducklake_inlined_row (catalog_id, table_id, end_snapshot, begin_snapshot);

-- A deleted row of a data file, kept in the metadata.
CREATE TABLE forklake_ducklake_inlined_delete (
    catalog_id INTEGER NOT NULL,
    row_uid INTEGER NOT NULL,
    begin_snapshot INTEGER NOT NULL,
    end_snapshot INTEGER NOT NULL DEFAULT 9223372036854775807,
    table_id INTEGER NOT NULL,
    data_file_id INTEGER NOT NULL,
    row_id INTEGER NOT NULL,  -- its position
    PRIMARY KEY (catalog_id, row_uid)
) WITHOUT ROWID;
CREATE INDEX forklake_inlined_delete_scan_idx ON forklake_ducklake_inlined_delete (catalog_id, table_id, end_snapshot, begin_snapshot);
CREATE INDEX forklake_inlined_delete_data_idx ON forklake_ducklake_inlined_delete (catalog_id, data_file_id);

INSERT INTO forklake_ducklake_metadata (catalog_id, key, value) VALUES
    (-1, 'version', '1.0'),
    (-1, 'forklake_version', '4'),
    (-1, 'created_by', 'forklake'),
    (-1, 'encrypted', 'false');

-- For web apps: each catalog as DuckLake's tables would show it, with catalog_id and catalog_name in front.
-- Forks are resolved, dropped catalogs are left out, and all is to be asked for one catalog: WHERE catalog_id = ...
-- A versioned row ends where its owner ended it, or where a nearer catalog of the chain hid it, or never (NULL).

-- Whose rows each catalog sees, nearest first (depth 0: itself), and up to which snapshot; the limit for its own rows
-- lies above every end but that of a live row. A refresh begins another epoch (since, until), of which inherited rows
-- begin at begins. Snapshots from versions_from on are versions. A union of the two tables would be made anew for every
-- question.
CREATE VIEW forklake_lake_link AS
SELECT h.catalog_id, coalesce(g.depth, 0) AS depth, coalesce(g.owner_id, h.catalog_id) AS owner_id,
       coalesce(g.upto, 9223372036854775806) AS upto, coalesce(g.since, 0) AS since, coalesce(g.until, 9223372036854775807) AS until,
       coalesce(g.versions_from, 0) AS versions_from,
       CASE WHEN (SELECT f.versions_from FROM forklake_ducklake_segment f
                   WHERE f.catalog_id = g.catalog_id AND f.since = g.since AND f.depth = 1) = 9223372036854775807
            THEN g.since ELSE 0 END AS begins
  FROM forklake_ducklake_head h
  CROSS JOIN (SELECT 0 AS inherited UNION ALL SELECT 1) w
  LEFT JOIN forklake_ducklake_segment g ON g.catalog_id = h.catalog_id AND w.inherited
 WHERE g.catalog_id IS NOT NULL OR NOT w.inherited;

-- The same of live catalogs, with their names.
CREATE VIEW forklake_lake_chain AS
SELECT k.catalog_id, k.catalog_name, n.depth, n.owner_id, n.upto, n.since, n.until, n.versions_from, n.begins
  FROM forklake_ducklake_catalog k
  CROSS JOIN forklake_lake_link n ON n.catalog_id = k.catalog_id
 WHERE k.end_snapshot = 9223372036854775807;

-- The directory of every catalog there ever was.
CREATE VIEW forklake_lake_directory AS
SELECT k.catalog_id, CASE WHEN k.path_is_relative THEN o.value || k.path ELSE k.path END AS directory, k.end_snapshot
  FROM forklake_ducklake_catalog k
  CROSS JOIN forklake_ducklake_metadata o ON o.catalog_id = -1 AND o.scope = '' AND o.scope_id = -1
 WHERE o.key = 'data_path';

-- The live catalogs, with the snapshot that a fork started from, and the newest of their own.
CREATE VIEW ducklake_catalog AS
SELECT k.catalog_id, k.catalog_name, k.catalog_uuid, k.parent_catalog_id, k.parent_snapshot_id,
       h.snapshot_id, k.begin_time
  FROM forklake_ducklake_catalog k
  CROSS JOIN forklake_ducklake_head h ON h.catalog_id = k.catalog_id
 WHERE k.end_snapshot = 9223372036854775807;

-- The lineage of a catalog. The counters are those of the whole lake, as they are now.
CREATE VIEW ducklake_snapshot AS
SELECT c.catalog_id, c.catalog_name, r.snapshot_id, r.snapshot_time, r.schema_version,
       (SELECT q.next_value FROM forklake_sequence q WHERE q.name = 'ducklake_object_id_seq') AS next_catalog_id,
       (SELECT q.next_value FROM forklake_sequence q WHERE q.name = 'ducklake_file_id_seq') AS next_file_id
  FROM forklake_lake_chain c
  CROSS JOIN forklake_ducklake_snapshot r ON r.catalog_id = c.owner_id
 WHERE r.snapshot_id >= c.versions_from AND r.snapshot_id <= c.upto;

CREATE VIEW ducklake_snapshot_changes AS
SELECT c.catalog_id, c.catalog_name, r.snapshot_id, r.changes_made, r.author, r.commit_message, r.commit_extra_info
  FROM forklake_lake_chain c
  CROSS JOIN forklake_ducklake_snapshot_changes r ON r.catalog_id = c.owner_id
 WHERE r.snapshot_id <= c.upto
   AND r.snapshot_id >= c.versions_from;

CREATE VIEW ducklake_schema_versions AS
SELECT c.catalog_id, c.catalog_name, r.begin_snapshot, r.schema_version, r.table_id
  FROM forklake_lake_chain c
  CROSS JOIN forklake_ducklake_schema_versions r ON r.catalog_id = c.owner_id
 WHERE r.begin_snapshot <= c.upto
   AND NOT EXISTS (SELECT 1 FROM forklake_ducklake_segment o
                    WHERE o.catalog_id = c.catalog_id AND o.owner_id = c.owner_id AND o.since > c.since);

-- Options of the catalog, and those of the lake that it does not set itself; data_path is the catalog's directory.
CREATE VIEW ducklake_metadata AS
SELECT k.catalog_id, k.catalog_name, o.key, o.value, nullif(o.scope, '') AS scope,
       CASE WHEN o.scope <> '' THEN o.scope_id END AS scope_id
  FROM forklake_ducklake_catalog k
  CROSS JOIN forklake_ducklake_metadata o ON o.catalog_id = k.catalog_id
 WHERE k.end_snapshot = 9223372036854775807
UNION ALL
SELECT k.catalog_id, k.catalog_name, o.key, o.value, NULL, NULL
  FROM forklake_ducklake_catalog k
  CROSS JOIN forklake_ducklake_metadata o ON o.catalog_id = -1 AND o.scope = ''
 WHERE k.end_snapshot = 9223372036854775807 AND o.key NOT IN ('forklake_version', 'data_path', 'metadata_home')
   AND NOT EXISTS (SELECT 1 FROM forklake_ducklake_metadata p
                    WHERE p.catalog_id = k.catalog_id AND p.scope = '' AND p.scope_id = -1 AND p.key = o.key)
UNION ALL
SELECT k.catalog_id, k.catalog_name, 'data_path', p.directory, NULL, NULL
  FROM forklake_ducklake_catalog k
  CROSS JOIN forklake_lake_directory p ON p.catalog_id = k.catalog_id AND p.end_snapshot = 9223372036854775807
 WHERE k.end_snapshot = 9223372036854775807;

CREATE VIEW ducklake_schema AS
SELECT c.catalog_id, c.catalog_name, r.schema_id, r.schema_uuid,
       CASE WHEN r.begin_snapshot < c.begins THEN c.begins ELSE r.begin_snapshot END AS begin_snapshot,
       CASE WHEN r.end_snapshot <= c.upto THEN r.end_snapshot
            WHEN c.depth > 0 THEN coalesce(
                (SELECT min(z.snapshot_id) FROM forklake_ducklake_segment n
                   CROSS JOIN forklake_ducklake_tombstone z ON z.catalog_id = n.owner_id
                  WHERE n.catalog_id = c.catalog_id AND n.since = c.since AND n.depth < c.depth
                    AND z.snapshot_id <= n.upto AND z.scope_id = 0 AND z.row_uid = r.row_uid),
                (SELECT z.snapshot_id FROM forklake_ducklake_tombstone z
                  WHERE z.catalog_id = c.catalog_id AND z.scope_id = 0 AND z.row_uid = r.row_uid
                    AND z.snapshot_id < c.until),
                nullif(c.until, 9223372036854775807))
       END AS end_snapshot,
       r.schema_name, r.path, r.path_is_relative
  FROM forklake_lake_chain c
  CROSS JOIN forklake_ducklake_schema r ON r.catalog_id = c.owner_id
 WHERE r.begin_snapshot <= c.upto AND (r.end_snapshot > c.upto OR c.begins = 0);

CREATE VIEW ducklake_table AS
SELECT c.catalog_id, c.catalog_name, r.table_id, r.table_uuid,
       CASE WHEN r.begin_snapshot < c.begins THEN c.begins ELSE r.begin_snapshot END AS begin_snapshot,
       CASE WHEN r.end_snapshot <= c.upto THEN r.end_snapshot
            WHEN c.depth > 0 THEN coalesce(
                (SELECT min(z.snapshot_id) FROM forklake_ducklake_segment n
                   CROSS JOIN forklake_ducklake_tombstone z ON z.catalog_id = n.owner_id
                  WHERE n.catalog_id = c.catalog_id AND n.since = c.since AND n.depth < c.depth
                    AND z.snapshot_id <= n.upto AND z.scope_id = 0 AND z.row_uid = r.row_uid),
                (SELECT z.snapshot_id FROM forklake_ducklake_tombstone z
                  WHERE z.catalog_id = c.catalog_id AND z.scope_id = 0 AND z.row_uid = r.row_uid
                    AND z.snapshot_id < c.until),
                nullif(c.until, 9223372036854775807))
       END AS end_snapshot,
       r.schema_id, r.table_name, r.path, r.path_is_relative
  FROM forklake_lake_chain c
  CROSS JOIN forklake_ducklake_table r ON r.catalog_id = c.owner_id
 WHERE r.begin_snapshot <= c.upto AND (r.end_snapshot > c.upto OR c.begins = 0);

CREATE VIEW ducklake_column AS
SELECT c.catalog_id, c.catalog_name, r.column_id,
       CASE WHEN r.begin_snapshot < c.begins THEN c.begins ELSE r.begin_snapshot END AS begin_snapshot,
       CASE WHEN r.end_snapshot <= c.upto THEN r.end_snapshot
            WHEN c.depth > 0 THEN coalesce(
                (SELECT min(z.snapshot_id) FROM forklake_ducklake_segment n
                   CROSS JOIN forklake_ducklake_tombstone z ON z.catalog_id = n.owner_id
                  WHERE n.catalog_id = c.catalog_id AND n.since = c.since AND n.depth < c.depth
                    AND z.snapshot_id <= n.upto AND z.scope_id = r.table_id AND z.row_uid = r.row_uid),
                (SELECT z.snapshot_id FROM forklake_ducklake_tombstone z
                  WHERE z.catalog_id = c.catalog_id AND z.scope_id = r.table_id AND z.row_uid = r.row_uid
                    AND z.snapshot_id < c.until),
                nullif(c.until, 9223372036854775807))
       END AS end_snapshot,
       r.table_id, r.column_order, r.column_name, r.column_type, r.initial_default, r.default_value, r.nulls_allowed,
       r.parent_column, r.default_value_type, r.default_value_dialect
  FROM forklake_lake_chain c
  CROSS JOIN forklake_ducklake_column r ON r.catalog_id = c.owner_id
 WHERE r.begin_snapshot <= c.upto AND (r.end_snapshot > c.upto OR c.begins = 0);

CREATE VIEW ducklake_view AS
SELECT c.catalog_id, c.catalog_name, r.view_id, r.view_uuid,
       CASE WHEN r.begin_snapshot < c.begins THEN c.begins ELSE r.begin_snapshot END AS begin_snapshot,
       CASE WHEN r.end_snapshot <= c.upto THEN r.end_snapshot
            WHEN c.depth > 0 THEN coalesce(
                (SELECT min(z.snapshot_id) FROM forklake_ducklake_segment n
                   CROSS JOIN forklake_ducklake_tombstone z ON z.catalog_id = n.owner_id
                  WHERE n.catalog_id = c.catalog_id AND n.since = c.since AND n.depth < c.depth
                    AND z.snapshot_id <= n.upto AND z.scope_id = 0 AND z.row_uid = r.row_uid),
                (SELECT z.snapshot_id FROM forklake_ducklake_tombstone z
                  WHERE z.catalog_id = c.catalog_id AND z.scope_id = 0 AND z.row_uid = r.row_uid
                    AND z.snapshot_id < c.until),
                nullif(c.until, 9223372036854775807))
       END AS end_snapshot,
       r.schema_id, r.view_name, r.dialect, r.sql, r.column_aliases
  FROM forklake_lake_chain c
  CROSS JOIN forklake_ducklake_view r ON r.catalog_id = c.owner_id
 WHERE r.begin_snapshot <= c.upto AND (r.end_snapshot > c.upto OR c.begins = 0);

CREATE VIEW ducklake_macro AS
SELECT c.catalog_id, c.catalog_name, r.schema_id, r.macro_id, r.macro_name,
       CASE WHEN r.begin_snapshot < c.begins THEN c.begins ELSE r.begin_snapshot END AS begin_snapshot,
       CASE WHEN r.end_snapshot <= c.upto THEN r.end_snapshot
            WHEN c.depth > 0 THEN coalesce(
                (SELECT min(z.snapshot_id) FROM forklake_ducklake_segment n
                   CROSS JOIN forklake_ducklake_tombstone z ON z.catalog_id = n.owner_id
                  WHERE n.catalog_id = c.catalog_id AND n.since = c.since AND n.depth < c.depth
                    AND z.snapshot_id <= n.upto AND z.scope_id = 0 AND z.row_uid = r.row_uid),
                (SELECT z.snapshot_id FROM forklake_ducklake_tombstone z
                  WHERE z.catalog_id = c.catalog_id AND z.scope_id = 0 AND z.row_uid = r.row_uid
                    AND z.snapshot_id < c.until),
                nullif(c.until, 9223372036854775807))
       END AS end_snapshot
  FROM forklake_lake_chain c
  CROSS JOIN forklake_ducklake_macro r ON r.catalog_id = c.owner_id
 WHERE r.begin_snapshot <= c.upto AND (r.end_snapshot > c.upto OR c.begins = 0);

CREATE VIEW ducklake_tag AS
SELECT c.catalog_id, c.catalog_name, r.object_id,
       CASE WHEN r.begin_snapshot < c.begins THEN c.begins ELSE r.begin_snapshot END AS begin_snapshot,
       CASE WHEN r.end_snapshot <= c.upto THEN r.end_snapshot
            WHEN c.depth > 0 THEN coalesce(
                (SELECT min(z.snapshot_id) FROM forklake_ducklake_segment n
                   CROSS JOIN forklake_ducklake_tombstone z ON z.catalog_id = n.owner_id
                  WHERE n.catalog_id = c.catalog_id AND n.since = c.since AND n.depth < c.depth
                    AND z.snapshot_id <= n.upto AND z.scope_id = 0 AND z.row_uid = r.row_uid),
                (SELECT z.snapshot_id FROM forklake_ducklake_tombstone z
                  WHERE z.catalog_id = c.catalog_id AND z.scope_id = 0 AND z.row_uid = r.row_uid
                    AND z.snapshot_id < c.until),
                nullif(c.until, 9223372036854775807))
       END AS end_snapshot,
       r.key, r.value
  FROM forklake_lake_chain c
  CROSS JOIN forklake_ducklake_tag r ON r.catalog_id = c.owner_id
 WHERE r.begin_snapshot <= c.upto AND (r.end_snapshot > c.upto OR c.begins = 0);

CREATE VIEW ducklake_column_tag AS
SELECT c.catalog_id, c.catalog_name, r.table_id, r.column_id,
       CASE WHEN r.begin_snapshot < c.begins THEN c.begins ELSE r.begin_snapshot END AS begin_snapshot,
       CASE WHEN r.end_snapshot <= c.upto THEN r.end_snapshot
            WHEN c.depth > 0 THEN coalesce(
                (SELECT min(z.snapshot_id) FROM forklake_ducklake_segment n
                   CROSS JOIN forklake_ducklake_tombstone z ON z.catalog_id = n.owner_id
                  WHERE n.catalog_id = c.catalog_id AND n.since = c.since AND n.depth < c.depth
                    AND z.snapshot_id <= n.upto AND z.scope_id = r.table_id AND z.row_uid = r.row_uid),
                (SELECT z.snapshot_id FROM forklake_ducklake_tombstone z
                  WHERE z.catalog_id = c.catalog_id AND z.scope_id = r.table_id AND z.row_uid = r.row_uid
                    AND z.snapshot_id < c.until),
                nullif(c.until, 9223372036854775807))
       END AS end_snapshot,
       r.key, r.value
  FROM forklake_lake_chain c
  CROSS JOIN forklake_ducklake_column_tag r ON r.catalog_id = c.owner_id
 WHERE r.begin_snapshot <= c.upto AND (r.end_snapshot > c.upto OR c.begins = 0);

-- DuckLake 1.1's.
CREATE VIEW ducklake_view_column_tag AS
SELECT c.catalog_id, c.catalog_name, r.view_id, r.column_name,
       CASE WHEN r.begin_snapshot < c.begins THEN c.begins ELSE r.begin_snapshot END AS begin_snapshot,
       CASE WHEN r.end_snapshot <= c.upto THEN r.end_snapshot
            WHEN c.depth > 0 THEN coalesce(
                (SELECT min(z.snapshot_id) FROM forklake_ducklake_segment n
                   CROSS JOIN forklake_ducklake_tombstone z ON z.catalog_id = n.owner_id
                  WHERE n.catalog_id = c.catalog_id AND n.since = c.since AND n.depth < c.depth
                    AND z.snapshot_id <= n.upto AND z.scope_id = 0 AND z.row_uid = r.row_uid),
                (SELECT z.snapshot_id FROM forklake_ducklake_tombstone z
                  WHERE z.catalog_id = c.catalog_id AND z.scope_id = 0 AND z.row_uid = r.row_uid
                    AND z.snapshot_id < c.until),
                nullif(c.until, 9223372036854775807))
       END AS end_snapshot,
       r.key, r.value
  FROM forklake_lake_chain c
  CROSS JOIN forklake_ducklake_view_column_tag r ON r.catalog_id = c.owner_id
 WHERE r.begin_snapshot <= c.upto AND (r.end_snapshot > c.upto OR c.begins = 0);

CREATE VIEW ducklake_partition_info AS
SELECT c.catalog_id, c.catalog_name, r.partition_id, r.table_id,
       CASE WHEN r.begin_snapshot < c.begins THEN c.begins ELSE r.begin_snapshot END AS begin_snapshot,
       CASE WHEN r.end_snapshot <= c.upto THEN r.end_snapshot
            WHEN c.depth > 0 THEN coalesce(
                (SELECT min(z.snapshot_id) FROM forklake_ducklake_segment n
                   CROSS JOIN forklake_ducklake_tombstone z ON z.catalog_id = n.owner_id
                  WHERE n.catalog_id = c.catalog_id AND n.since = c.since AND n.depth < c.depth
                    AND z.snapshot_id <= n.upto AND z.scope_id = r.table_id AND z.row_uid = r.row_uid),
                (SELECT z.snapshot_id FROM forklake_ducklake_tombstone z
                  WHERE z.catalog_id = c.catalog_id AND z.scope_id = r.table_id AND z.row_uid = r.row_uid
                    AND z.snapshot_id < c.until),
                nullif(c.until, 9223372036854775807))
       END AS end_snapshot
  FROM forklake_lake_chain c
  CROSS JOIN forklake_ducklake_partition_info r ON r.catalog_id = c.owner_id
 WHERE r.begin_snapshot <= c.upto AND (r.end_snapshot > c.upto OR c.begins = 0);

CREATE VIEW ducklake_sort_info AS
SELECT c.catalog_id, c.catalog_name, r.sort_id, r.table_id,
       CASE WHEN r.begin_snapshot < c.begins THEN c.begins ELSE r.begin_snapshot END AS begin_snapshot,
       CASE WHEN r.end_snapshot <= c.upto THEN r.end_snapshot
            WHEN c.depth > 0 THEN coalesce(
                (SELECT min(z.snapshot_id) FROM forklake_ducklake_segment n
                   CROSS JOIN forklake_ducklake_tombstone z ON z.catalog_id = n.owner_id
                  WHERE n.catalog_id = c.catalog_id AND n.since = c.since AND n.depth < c.depth
                    AND z.snapshot_id <= n.upto AND z.scope_id = r.table_id AND z.row_uid = r.row_uid),
                (SELECT z.snapshot_id FROM forklake_ducklake_tombstone z
                  WHERE z.catalog_id = c.catalog_id AND z.scope_id = r.table_id AND z.row_uid = r.row_uid
                    AND z.snapshot_id < c.until),
                nullif(c.until, 9223372036854775807))
       END AS end_snapshot
  FROM forklake_lake_chain c
  CROSS JOIN forklake_ducklake_sort_info r ON r.catalog_id = c.owner_id
 WHERE r.begin_snapshot <= c.upto AND (r.end_snapshot > c.upto OR c.begins = 0);

-- Files that a catalog inherits lie below their owner's directory, so they have an absolute path. Keys of files do not
-- show: who may read the views need not be one who may read the rows.
CREATE VIEW ducklake_data_file AS
SELECT c.catalog_id, c.catalog_name, r.data_file_id, r.table_id,
       CASE WHEN r.begin_snapshot < c.begins THEN c.begins ELSE r.begin_snapshot END AS begin_snapshot,
       CASE WHEN r.end_snapshot <= c.upto THEN r.end_snapshot
            WHEN c.depth > 0 THEN coalesce(
                (SELECT min(z.snapshot_id) FROM forklake_ducklake_segment n
                   CROSS JOIN forklake_ducklake_tombstone z ON z.catalog_id = n.owner_id
                  WHERE n.catalog_id = c.catalog_id AND n.since = c.since AND n.depth < c.depth
                    AND z.snapshot_id <= n.upto AND z.scope_id = r.table_id AND z.row_uid = r.row_uid),
                (SELECT z.snapshot_id FROM forklake_ducklake_tombstone z
                  WHERE z.catalog_id = c.catalog_id AND z.scope_id = r.table_id AND z.row_uid = r.row_uid
                    AND z.snapshot_id < c.until),
                nullif(c.until, 9223372036854775807))
       END AS end_snapshot,
       r.file_order,
       CASE WHEN c.depth = 0 OR NOT r.path_is_relative THEN r.path
            ELSE (SELECT CASE WHEN t.path_is_relative AND s.path_is_relative THEN p.directory || s.path || t.path
                              WHEN t.path_is_relative THEN s.path || t.path ELSE t.path END
                    FROM forklake_ducklake_segment n
                    CROSS JOIN forklake_ducklake_table t ON t.catalog_id = n.owner_id AND t.table_id = r.table_id
                    CROSS JOIN forklake_ducklake_segment m ON m.catalog_id = n.catalog_id
                    CROSS JOIN forklake_ducklake_schema s ON s.catalog_id = m.owner_id AND s.schema_id = t.schema_id
                    CROSS JOIN forklake_lake_directory p ON p.catalog_id = c.owner_id
                   WHERE n.catalog_id = c.catalog_id AND n.since = c.since AND n.depth >= c.depth
                     AND m.since = c.since AND m.depth >= c.depth LIMIT 1) || r.path
       END AS path,
       r.path_is_relative AND c.depth = 0 AS path_is_relative, r.file_format, r.record_count, r.file_size_bytes,
       r.footer_size, r.row_id_start, r.partition_id, r.mapping_id, r.partial_max
  FROM forklake_lake_chain c
  CROSS JOIN forklake_ducklake_data_file r ON r.catalog_id = c.owner_id
 WHERE r.begin_snapshot <= c.upto AND (r.end_snapshot > c.upto OR c.begins = 0);

CREATE VIEW ducklake_delete_file AS
SELECT c.catalog_id, c.catalog_name, r.delete_file_id, r.table_id,
       CASE WHEN r.begin_snapshot < c.begins THEN c.begins ELSE r.begin_snapshot END AS begin_snapshot,
       CASE WHEN r.end_snapshot <= c.upto THEN r.end_snapshot
            WHEN c.depth > 0 THEN coalesce(
                (SELECT min(z.snapshot_id) FROM forklake_ducklake_segment n
                   CROSS JOIN forklake_ducklake_tombstone z ON z.catalog_id = n.owner_id
                  WHERE n.catalog_id = c.catalog_id AND n.since = c.since AND n.depth < c.depth
                    AND z.snapshot_id <= n.upto AND z.scope_id = r.table_id AND z.row_uid = r.row_uid),
                (SELECT z.snapshot_id FROM forklake_ducklake_tombstone z
                  WHERE z.catalog_id = c.catalog_id AND z.scope_id = r.table_id AND z.row_uid = r.row_uid
                    AND z.snapshot_id < c.until),
                nullif(c.until, 9223372036854775807))
       END AS end_snapshot,
       r.data_file_id,
       CASE WHEN c.depth = 0 OR NOT r.path_is_relative THEN r.path
            ELSE (SELECT CASE WHEN t.path_is_relative AND s.path_is_relative THEN p.directory || s.path || t.path
                              WHEN t.path_is_relative THEN s.path || t.path ELSE t.path END
                    FROM forklake_ducklake_segment n
                    CROSS JOIN forklake_ducklake_table t ON t.catalog_id = n.owner_id AND t.table_id = r.table_id
                    CROSS JOIN forklake_ducklake_segment m ON m.catalog_id = n.catalog_id
                    CROSS JOIN forklake_ducklake_schema s ON s.catalog_id = m.owner_id AND s.schema_id = t.schema_id
                    CROSS JOIN forklake_lake_directory p ON p.catalog_id = c.owner_id
                   WHERE n.catalog_id = c.catalog_id AND n.since = c.since AND n.depth >= c.depth
                     AND m.since = c.since AND m.depth >= c.depth LIMIT 1) || r.path
       END AS path,
       r.path_is_relative AND c.depth = 0 AS path_is_relative, r.format, r.delete_count, r.file_size_bytes,
       r.footer_size, r.partial_max
  FROM forklake_lake_chain c
  CROSS JOIN forklake_ducklake_delete_file r ON r.catalog_id = c.owner_id
 WHERE r.begin_snapshot <= c.upto AND (r.end_snapshot > c.upto OR c.begins = 0);

-- Ours: the rows and deleted rows that are kept in the metadata, of all tables.
CREATE VIEW ducklake_inlined_row AS
SELECT c.catalog_id, c.catalog_name, r.table_id, r.row_id, r.schema_version,
       CASE WHEN r.begin_snapshot < c.begins THEN c.begins ELSE r.begin_snapshot END AS begin_snapshot,
       CASE WHEN r.end_snapshot <= c.upto THEN r.end_snapshot
            WHEN c.depth > 0 THEN coalesce(
                (SELECT min(z.snapshot_id) FROM forklake_ducklake_segment n
                   CROSS JOIN forklake_ducklake_tombstone z ON z.catalog_id = n.owner_id
                  WHERE n.catalog_id = c.catalog_id AND n.since = c.since AND n.depth < c.depth
                    AND z.snapshot_id <= n.upto AND z.scope_id = r.table_id AND z.row_uid = r.row_uid),
                (SELECT z.snapshot_id FROM forklake_ducklake_tombstone z
                  WHERE z.catalog_id = c.catalog_id AND z.scope_id = r.table_id AND z.row_uid = r.row_uid
                    AND z.snapshot_id < c.until),
                nullif(c.until, 9223372036854775807))
       END AS end_snapshot,
       r.document
  FROM forklake_lake_chain c
  CROSS JOIN forklake_ducklake_inlined_row r ON r.catalog_id = c.owner_id
 WHERE r.begin_snapshot <= c.upto AND (r.end_snapshot > c.upto OR c.begins = 0);

CREATE VIEW ducklake_inlined_delete AS
SELECT c.catalog_id, c.catalog_name, r.table_id, r.data_file_id, r.row_id,
       CASE WHEN r.begin_snapshot < c.begins THEN c.begins ELSE r.begin_snapshot END AS begin_snapshot,
       CASE WHEN r.end_snapshot <= c.upto THEN r.end_snapshot
            WHEN c.depth > 0 THEN coalesce(
                (SELECT min(z.snapshot_id) FROM forklake_ducklake_segment n
                   CROSS JOIN forklake_ducklake_tombstone z ON z.catalog_id = n.owner_id
                  WHERE n.catalog_id = c.catalog_id AND n.since = c.since AND n.depth < c.depth
                    AND z.snapshot_id <= n.upto AND z.scope_id = r.table_id AND z.row_uid = r.row_uid),
                (SELECT z.snapshot_id FROM forklake_ducklake_tombstone z
                  WHERE z.catalog_id = c.catalog_id AND z.scope_id = r.table_id AND z.row_uid = r.row_uid
                    AND z.snapshot_id < c.until),
                nullif(c.until, 9223372036854775807))
       END AS end_snapshot
  FROM forklake_lake_chain c
  CROSS JOIN forklake_ducklake_inlined_delete r ON r.catalog_id = c.owner_id
 WHERE r.begin_snapshot <= c.upto AND (r.end_snapshot > c.upto OR c.begins = 0);

-- Empty: there is no table of inlined rows per table. They are in ducklake_inlined_row.
CREATE VIEW ducklake_inlined_data_tables AS
SELECT r.catalog_id, r.catalog_name, r.table_id, r.table_name, r.begin_snapshot AS schema_version
  FROM ducklake_table r
 WHERE 0;

-- What belongs to a row has no interval of its own: it shows as long as the row does, the row's past included.
CREATE VIEW ducklake_macro_impl AS
SELECT c.catalog_id, c.catalog_name, f.macro_id, r.impl_id, r.dialect, r.sql, r.type
  FROM forklake_lake_chain c
  CROSS JOIN forklake_ducklake_macro f ON f.catalog_id = c.owner_id
  CROSS JOIN forklake_ducklake_macro_impl r ON r.catalog_id = f.catalog_id AND r.macro_id = f.macro_id
 WHERE f.begin_snapshot <= c.upto
   AND NOT EXISTS (SELECT 1 FROM forklake_ducklake_segment o
                    WHERE o.catalog_id = c.catalog_id AND o.owner_id = c.owner_id AND o.since > c.since);

CREATE VIEW ducklake_macro_parameters AS
SELECT c.catalog_id, c.catalog_name, f.macro_id, r.impl_id, r.column_id, r.parameter_name, r.parameter_type,
       r.default_value, r.default_value_type
  FROM forklake_lake_chain c
  CROSS JOIN forklake_ducklake_macro f ON f.catalog_id = c.owner_id
  CROSS JOIN forklake_ducklake_macro_parameters r ON r.catalog_id = f.catalog_id AND r.macro_id = f.macro_id
 WHERE f.begin_snapshot <= c.upto
   AND NOT EXISTS (SELECT 1 FROM forklake_ducklake_segment o
                    WHERE o.catalog_id = c.catalog_id AND o.owner_id = c.owner_id AND o.since > c.since);

CREATE VIEW ducklake_partition_column AS
SELECT c.catalog_id, c.catalog_name, f.partition_id, f.table_id, r.partition_key_index, r.column_id, r.transform
  FROM forklake_lake_chain c
  CROSS JOIN forklake_ducklake_partition_info f ON f.catalog_id = c.owner_id
  CROSS JOIN forklake_ducklake_partition_column r ON r.catalog_id = f.catalog_id AND r.partition_id = f.partition_id
 WHERE f.begin_snapshot <= c.upto
   AND NOT EXISTS (SELECT 1 FROM forklake_ducklake_segment o
                    WHERE o.catalog_id = c.catalog_id AND o.owner_id = c.owner_id AND o.since > c.since);

CREATE VIEW ducklake_sort_expression AS
SELECT c.catalog_id, c.catalog_name, f.sort_id, f.table_id, r.sort_key_index, r.expression, r.dialect, r.sort_direction,
       r.null_order
  FROM forklake_lake_chain c
  CROSS JOIN forklake_ducklake_sort_info f ON f.catalog_id = c.owner_id
  CROSS JOIN forklake_ducklake_sort_expression r ON r.catalog_id = f.catalog_id AND r.sort_id = f.sort_id
 WHERE f.begin_snapshot <= c.upto
   AND NOT EXISTS (SELECT 1 FROM forklake_ducklake_segment o
                    WHERE o.catalog_id = c.catalog_id AND o.owner_id = c.owner_id AND o.since > c.since);

CREATE VIEW ducklake_file_column_stats AS
SELECT c.catalog_id, c.catalog_name, f.data_file_id, f.table_id, r.column_id, r.column_size_bytes, r.value_count,
       r.null_count, r.min_value, r.max_value, r.contains_nan, r.extra_stats
  FROM forklake_lake_chain c
  CROSS JOIN forklake_ducklake_data_file f ON f.catalog_id = c.owner_id
  CROSS JOIN forklake_ducklake_file_column_stats r ON r.catalog_id = f.catalog_id AND r.data_file_id = f.data_file_id
 WHERE f.begin_snapshot <= c.upto
   AND NOT EXISTS (SELECT 1 FROM forklake_ducklake_segment o
                    WHERE o.catalog_id = c.catalog_id AND o.owner_id = c.owner_id AND o.since > c.since);

CREATE VIEW ducklake_file_variant_stats AS
SELECT c.catalog_id, c.catalog_name, f.data_file_id, f.table_id, r.column_id, r.variant_path, r.shredded_type,
       r.column_size_bytes, r.value_count, r.null_count, r.min_value, r.max_value, r.contains_nan, r.extra_stats
  FROM forklake_lake_chain c
  CROSS JOIN forklake_ducklake_data_file f ON f.catalog_id = c.owner_id
  CROSS JOIN forklake_ducklake_file_variant_stats r ON r.catalog_id = f.catalog_id AND r.data_file_id = f.data_file_id
 WHERE f.begin_snapshot <= c.upto
   AND NOT EXISTS (SELECT 1 FROM forklake_ducklake_segment o
                    WHERE o.catalog_id = c.catalog_id AND o.owner_id = c.owner_id AND o.since > c.since);

CREATE VIEW ducklake_file_partition_value AS
SELECT c.catalog_id, c.catalog_name, f.data_file_id, f.table_id, r.partition_key_index, r.partition_value
  FROM forklake_lake_chain c
  CROSS JOIN forklake_ducklake_data_file f ON f.catalog_id = c.owner_id
  CROSS JOIN forklake_ducklake_file_partition_value r ON r.catalog_id = f.catalog_id AND r.data_file_id = f.data_file_id
 WHERE f.begin_snapshot <= c.upto
   AND NOT EXISTS (SELECT 1 FROM forklake_ducklake_segment o
                    WHERE o.catalog_id = c.catalog_id AND o.owner_id = c.owner_id AND o.since > c.since);

-- Many files share a mapping, and a fork that uses an inherited one has a copy of it: each shows once.
CREATE VIEW ducklake_column_mapping AS
SELECT DISTINCT c.catalog_id, c.catalog_name, r.mapping_id, r.table_id, r.type
  FROM forklake_lake_chain c
  CROSS JOIN forklake_ducklake_data_file f ON f.catalog_id = c.owner_id
  CROSS JOIN forklake_ducklake_column_mapping r ON r.catalog_id = f.catalog_id AND r.mapping_id = f.mapping_id
 WHERE f.begin_snapshot <= c.upto
   AND NOT EXISTS (SELECT 1 FROM forklake_ducklake_segment o
                    WHERE o.catalog_id = c.catalog_id AND o.owner_id = c.owner_id AND o.since > c.since);

CREATE VIEW ducklake_name_mapping AS
SELECT DISTINCT c.catalog_id, c.catalog_name, r.mapping_id, r.column_id, r.source_name, r.target_field_id,
       r.parent_column, r.is_partition
  FROM forklake_lake_chain c
  CROSS JOIN forklake_ducklake_data_file f ON f.catalog_id = c.owner_id
  CROSS JOIN forklake_ducklake_name_mapping r ON r.catalog_id = f.catalog_id AND r.mapping_id = f.mapping_id
 WHERE f.begin_snapshot <= c.upto
   AND NOT EXISTS (SELECT 1 FROM forklake_ducklake_segment o
                    WHERE o.catalog_id = c.catalog_id AND o.owner_id = c.owner_id AND o.since > c.since);

-- Statistics of the tables that there are: the newest of the nearest catalog that wrote any.
CREATE VIEW ducklake_table_stats AS
SELECT t.catalog_id, t.catalog_name, t.table_id, r.record_count, r.next_row_id, r.file_size_bytes
  FROM ducklake_table t
  CROSS JOIN forklake_lake_link c ON c.catalog_id = t.catalog_id AND c.until = 9223372036854775807
  CROSS JOIN forklake_ducklake_table_stats r ON r.catalog_id = c.owner_id AND r.table_id = t.table_id
 WHERE t.end_snapshot IS NULL
   AND c.depth = (SELECT min(n.depth) FROM forklake_lake_link n
                    CROSS JOIN forklake_ducklake_table_stats x ON x.catalog_id = n.owner_id
                   WHERE n.catalog_id = t.catalog_id AND n.until = 9223372036854775807 AND x.table_id = t.table_id
                     AND x.begin_snapshot <= n.upto)
   AND r.begin_snapshot = (SELECT max(x.begin_snapshot) FROM forklake_ducklake_table_stats x
                            WHERE x.catalog_id = c.owner_id AND x.table_id = t.table_id
                              AND x.begin_snapshot <= c.upto);

CREATE VIEW ducklake_table_column_stats AS
SELECT t.catalog_id, t.catalog_name, t.table_id, r.column_id, r.contains_null, r.contains_nan, r.min_value, r.max_value,
       r.extra_stats
  FROM ducklake_table t
  CROSS JOIN forklake_lake_link c ON c.catalog_id = t.catalog_id AND c.until = 9223372036854775807
  CROSS JOIN forklake_ducklake_table_column_stats r ON r.catalog_id = c.owner_id AND r.table_id = t.table_id
 WHERE t.end_snapshot IS NULL
   AND c.depth = (SELECT min(n.depth) FROM forklake_lake_link n
                    CROSS JOIN forklake_ducklake_table_column_stats x ON x.catalog_id = n.owner_id
                   WHERE n.catalog_id = t.catalog_id AND n.until = 9223372036854775807 AND x.table_id = t.table_id
                     AND x.begin_snapshot <= n.upto)
   AND r.begin_snapshot = (SELECT max(x.begin_snapshot) FROM forklake_ducklake_table_column_stats x
                            WHERE x.catalog_id = c.owner_id AND x.table_id = t.table_id
                              AND x.begin_snapshot <= c.upto);

CREATE VIEW ducklake_files_scheduled_for_deletion AS
SELECT k.catalog_id, k.catalog_name, r.data_file_id, r.path, r.path_is_relative, r.schedule_start
  FROM forklake_ducklake_catalog k
  CROSS JOIN forklake_ducklake_files_scheduled_for_deletion r ON r.catalog_id = k.catalog_id
 WHERE k.end_snapshot = 9223372036854775807;

-- What each live catalog holds itself, for bills and quotas: nothing that it inherits counts. Files are data and delete
-- files; bytes are theirs, and those of definitions and inlined rows. Records are the rows of its data files, deleted
-- ones too, until their file goes.
CREATE VIEW ducklake_catalog_size AS
SELECT k.catalog_id, k.catalog_name, k.parent_catalog_id, h.own_files AS own_file_count, h.own_bytes AS own_byte_count,
       (SELECT coalesce(sum(r.record_count), 0) FROM forklake_ducklake_data_file r
         WHERE r.catalog_id = k.catalog_id AND r.end_snapshot = 9223372036854775807) AS own_record_count,
       (SELECT count(*) FROM forklake_ducklake_inlined_row r
         WHERE r.catalog_id = k.catalog_id AND r.end_snapshot = 9223372036854775807) AS inlined_row_count
  FROM forklake_ducklake_catalog k
  CROSS JOIN forklake_ducklake_head h ON h.catalog_id = k.catalog_id
 WHERE k.end_snapshot = 9223372036854775807;
