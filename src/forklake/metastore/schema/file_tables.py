"""The metadata tables of files, file statistics, inlined rows and inlined deletes."""

from __future__ import annotations

from typing import Final

from forklake.metastore.schema.description import Index, Table, Visibility, following, interval, table

DATA_FILE: Final = interval(
    "ducklake_data_file",
    "A Parquet file with rows of a table.",
    """
    data_file_id      file
    table_id          object
    begin_snapshot    number
    end_snapshot      number=infinity
    file_order        number?
    path              text
    path_is_relative  flag     to the table's directory
    file_format       text
    record_count      number
    file_size_bytes   number
    footer_size       number?
    row_id_start      number?
    partition_id      object?
    encryption_key    text?    no view shows it
    mapping_id        file?    how its columns are found, if not by field ids
    partial_max       number?  of a merged file: the newest snapshot that it holds rows of
    + read_upto       number?  a copied row of a merged file keeps the bound it was read with
    + numbering_id    number?  the imported catalog whose old snapshot numbers it carries; NULL where they are ours
    + origin_snapshot_id  number?    the snapshot that first added it, in whichever catalog; NULL: begin_snapshot
    + columns_known       flag=true  whether its columns are those of the table when it began; else its footer tells
    """,
    by="table_id",
    scope="table_id",
    index=("data_file_id_idx", "data_file_id"),
    has_path=True,
    grows=True,
)

DELETE_FILE: Final = interval(
    "ducklake_delete_file",
    "The positions of one data file that are deleted; at most one is live for a data file.",
    """
    delete_file_id    file
    table_id          object
    begin_snapshot    number
    end_snapshot      number=infinity
    data_file_id      file
    path              text
    path_is_relative  flag     to the table's directory
    format            text
    delete_count      number
    file_size_bytes   number
    footer_size       number?
    encryption_key    text?    no view shows it
    partial_max       number?  as of data files, and so are the next two
    + read_upto       number?
    + numbering_id    number?
    """,
    by="table_id",
    scope="table_id",
    index=("delete_file_data_idx", "data_file_id"),
    has_path=True,
    grows=True,
)

FILE_COLUMN_STATS: Final = following(
    "ducklake_file_column_stats",
    "Statistics of one column in one data file.",
    """
    data_file_id       file
    table_id           object
    column_id          number
    column_size_bytes  number?
    value_count        number?  counts what is not NULL
    null_count         number?
    min_value          text?
    max_value          text?
    contains_nan       flag?
    extra_stats        text?
    """,
    of=DATA_FILE,
    by="data_file_id",
    key="data_file_id, column_id",
    grows=True,
)

FILE_VARIANT_STATS: Final = following(
    "ducklake_file_variant_stats",
    "Statistics of one shredded path of a variant column in one data file.",
    """
    data_file_id       file
    table_id           object
    column_id          number
    variant_path       text
    shredded_type      text?
    column_size_bytes  number?
    value_count        number?
    null_count         number?
    min_value          text?
    max_value          text?
    contains_nan       flag?
    extra_stats        text?
    """,
    of=DATA_FILE,
    by="data_file_id",
    key="data_file_id, column_id, variant_path",
    grows=True,
)

FILE_PARTITION_VALUE: Final = following(
    "ducklake_file_partition_value",
    "The value of one partition key, the same for all rows of a data file.",
    """
    data_file_id         file
    table_id             object
    partition_key_index  number
    partition_value      text?
    """,
    of=DATA_FILE,
    by="data_file_id",
    key="data_file_id, partition_key_index",
    grows=True,
)

COLUMN_MAPPING: Final = following(
    "ducklake_column_mapping",
    "How the columns of files without field ids are found. Many files share a mapping.",
    """
    mapping_id  file
    table_id    object
    type        text
    """,
    of=DATA_FILE,
    by="mapping_id",
    key="mapping_id",
)

NAME_MAPPING: Final = following(
    "ducklake_name_mapping",
    "One column of a mapping by name.",
    """
    mapping_id       file
    column_id        number   counts the columns of the mapping
    source_name      text
    target_field_id  number
    parent_column    number?
    is_partition     flag
    """,
    of=DATA_FILE,
    by="mapping_id",
    key="mapping_id, column_id",
)

FILES_SCHEDULED_FOR_DELETION: Final = table(
    "ducklake_files_scheduled_for_deletion",
    "A file that awaits its grace period.",
    Visibility.OWN,
    """
    data_file_id      file
    path              text  absolute
    path_is_relative  flag
    schedule_start    time
    """,
    key="path",
)

TABLE_STATS: Final = table(
    "ducklake_table_stats",
    "Totals of a table.",
    Visibility.LATEST,
    """
    table_id          object
    + begin_snapshot  number
    record_count      number  gross: deleted rows count until their file goes
    next_row_id       number
    file_size_bytes   number
    + next_column_id  number
    """,
    key="table_id, begin_snapshot",
    indexes=(Index("table_stats_begin_idx", ("catalog_id", "begin_snapshot")),),
    grows=True,
)

TABLE_COLUMN_STATS: Final = table(
    "ducklake_table_column_stats",
    "What is known of the values of a column over all files; bounds are never narrowed. The columns of a table are"
    " written as one set.",
    Visibility.LATEST,
    """
    table_id          object
    + begin_snapshot  number
    column_id         number
    contains_null     flag?
    contains_nan      flag?
    min_value         text?
    max_value         text?
    extra_stats       text?
    """,
    key="table_id, begin_snapshot, column_id",
    grows=True,
)

INLINED_ROW: Final = interval(
    "ducklake_inlined_row",
    "A row of a table that is kept in the metadata.",
    """
    table_id        object
    row_id          number
    schema_version  number
    begin_snapshot  number
    end_snapshot    number=infinity
    document        text  its values by column id, in exact text encodings
    + origin_snapshot_id  number?  the snapshot that first added it, in whichever catalog; NULL: begin_snapshot
    """,
    by="table_id",
    scope="table_id",
    grows=True,
    ducklake=None,
)

INLINED_DELETE: Final = interval(
    "ducklake_inlined_delete",
    "A deleted row of a data file, kept in the metadata.",
    """
    table_id        object
    data_file_id    file
    row_id          number  its position
    begin_snapshot  number
    end_snapshot    number=infinity
    """,
    by="table_id",
    scope="table_id",
    index=("inlined_delete_data_idx", "data_file_id"),
    grows=True,
    ducklake=None,
)

SECTIONS: Final[tuple[tuple[str, tuple[Table, ...]], ...]] = (
    (
        "Files",
        (
            DATA_FILE,
            DELETE_FILE,
            FILE_COLUMN_STATS,
            FILE_VARIANT_STATS,
            FILE_PARTITION_VALUE,
            COLUMN_MAPPING,
            NAME_MAPPING,
            FILES_SCHEDULED_FOR_DELETION,
        ),
    ),
    ("Statistics: the newest row of the nearest owner counts", (TABLE_STATS, TABLE_COLUMN_STATS)),
    ("Inlined rows: one shared table for all tables of all catalogs", (INLINED_ROW, INLINED_DELETE)),
)
