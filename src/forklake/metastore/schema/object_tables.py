"""The metadata tables of schemas, tables, columns, views, macros and tags.

The partitioning and sort order of files are here too.
"""

from __future__ import annotations

from typing import Final

from forklake.metastore.schema.description import Table, following, interval

SCHEMA: Final = interval(
    "ducklake_schema",
    "A schema: a namespace of tables, views and macros.",
    """
    schema_id         object
    schema_uuid       uuid
    begin_snapshot    number
    end_snapshot      number=infinity
    schema_name       text
    path              text
    path_is_relative  flag  to the catalog's directory
    """,
    by="schema_id",
    unique="fold(schema_name)",
    has_path=True,
)

TABLE: Final = interval(
    "ducklake_table",
    "A table. Its path never changes, whatever it is renamed to.",
    """
    table_id          object
    table_uuid        uuid
    begin_snapshot    number
    end_snapshot      number=infinity
    schema_id         object
    table_name        text
    path              text
    path_is_relative  flag  to the schema's directory
    """,
    by="table_id",
    unique="schema_id, fold(table_name)",
    has_path=True,
    grows=True,
)

COLUMN: Final = interval(
    "ducklake_column",
    "A column, or a nested field of a column. Ids are never reused within a table.",
    """
    column_id              number  counts from 1 within the table
    begin_snapshot         number
    end_snapshot           number=infinity
    table_id               object
    column_order           number
    column_name            text
    column_type            text
    initial_default        text?   what rows hold that were written before the column was added
    default_value          text?
    nulls_allowed          flag
    parent_column          number? the column that a nested field is part of
    default_value_type     text?
    default_value_dialect  text?
    + trusted              flag?   whether the default runs with the reach of whoever inserts; else of its catalog
    """,
    by="table_id",
    scope="table_id",
    unique="table_id, coalesce(parent_column, -1), fold(column_name)",
    grows=True,
)

VIEW: Final = interval(
    "ducklake_view",
    "A view: a query under a name.",
    """
    view_id         object
    view_uuid       uuid
    begin_snapshot  number
    end_snapshot    number=infinity
    schema_id       object
    view_name       text
    dialect         text
    sql             text
    column_aliases  text?
    + trusted       flag?  whether it runs with the reach of whoever reads it; else of its catalog
    """,
    by="view_id",
    unique="schema_id, fold(view_name)",
)

MACRO: Final = interval(
    "ducklake_macro",
    "A macro; its implementations are rows of their own.",
    """
    schema_id       object
    macro_id        object
    macro_name      text
    begin_snapshot  number
    end_snapshot    number=infinity
    """,
    by="macro_id",
    unique="schema_id, fold(macro_name)",
)

MACRO_IMPL: Final = following(
    "ducklake_macro_impl",
    "One implementation of a macro.",
    """
    macro_id  object
    impl_id   number
    dialect   text
    sql       text
    type      text  scalar or table
    + trusted flag?  whether it runs with the reach of whoever calls it; else of its catalog
    """,
    of=MACRO,
    by="macro_id",
    key="macro_id, impl_id",
)

MACRO_PARAMETERS: Final = following(
    "ducklake_macro_parameters",
    "One parameter of one implementation of a macro.",
    """
    macro_id            object
    impl_id             number
    column_id           number  counts the parameters
    parameter_name      text
    parameter_type      text?
    default_value       text?
    default_value_type  text?
    + trusted           flag?  whether the default runs with the reach of whoever calls; else of its catalog
    """,
    of=MACRO,
    by="macro_id",
    key="macro_id, impl_id, column_id",
)

TAG: Final = interval(
    "ducklake_tag",
    "A tag of a table or view; the key comment is its comment.",
    """
    object_id       object
    begin_snapshot  number
    end_snapshot    number=infinity
    key             text
    value           text?
    """,
    by="object_id",
)

COLUMN_TAG: Final = interval(
    "ducklake_column_tag",
    "A tag of a column.",
    """
    table_id        object
    column_id       number
    begin_snapshot  number
    end_snapshot    number=infinity
    key             text
    value           text?
    """,
    by="table_id",
    scope="table_id",
)

VIEW_COLUMN_TAG: Final = interval(
    "ducklake_view_column_tag",
    "A tag of a column of a view, which has a name and no id.",
    """
    view_id         object
    column_name     text
    begin_snapshot  number
    end_snapshot    number=infinity
    key             text
    value           text?
    """,
    by="view_id",
    ducklake="1.1",
)

PARTITION_INFO: Final = interval(
    "ducklake_partition_info",
    "How new files of a table are partitioned.",
    """
    partition_id    object
    table_id        object
    begin_snapshot  number
    end_snapshot    number=infinity
    """,
    by="table_id",
    scope="table_id",
)

PARTITION_COLUMN: Final = following(
    "ducklake_partition_column",
    "One key of a partitioning.",
    """
    partition_id         object
    table_id             object
    partition_key_index  number
    column_id            number
    transform            text
    """,
    of=PARTITION_INFO,
    by="partition_id",
    key="partition_id, partition_key_index",
)

SORT_INFO: Final = interval(
    "ducklake_sort_info",
    "How new files of a table are sorted.",
    """
    sort_id         object
    table_id        object
    begin_snapshot  number
    end_snapshot    number=infinity
    """,
    by="table_id",
    scope="table_id",
)

SORT_EXPRESSION: Final = following(
    "ducklake_sort_expression",
    "One key of a sort order.",
    """
    sort_id         object
    table_id        object
    sort_key_index  number
    expression      text
    dialect         text
    sort_direction  text
    null_order      text
    + trusted       flag?  whether it runs with the reach of whoever writes rows; else of its catalog
    """,
    of=SORT_INFO,
    by="sort_id",
    key="sort_id, sort_key_index",
)

SECTIONS: Final[tuple[tuple[str, tuple[Table, ...]], ...]] = (
    (
        "Schemas, tables, columns",
        (
            SCHEMA,
            TABLE,
            COLUMN,
            VIEW,
            MACRO,
            MACRO_IMPL,
            MACRO_PARAMETERS,
            TAG,
            COLUMN_TAG,
            VIEW_COLUMN_TAG,
            PARTITION_INFO,
            PARTITION_COLUMN,
            SORT_INFO,
            SORT_EXPRESSION,
        ),
    ),
)
