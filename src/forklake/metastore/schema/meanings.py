"""What columns mean that have no note of their own.

They mean the same under one name in every table.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from forklake.metastore.schema.description import Column

MEANINGS: Final[Mapping[str, str]] = {
    "author": "who committed",
    "begin_snapshot": "the first snapshot that has the row",
    "begin_time": "when it began",
    "catalog_id": "the catalog that the row belongs to",
    "catalog_name": "its name",
    "catalog_uuid": "what identifies it in every database",
    "changes_made": "what the commit did, in DuckLake's grammar",
    "column_aliases": "the names that it gives to its columns",
    "column_id": "the column",
    "column_name": "its name",
    "column_order": "its place among the columns",
    "column_size_bytes": "how many bytes it takes in the file",
    "column_type": "its type, in DuckLake's words",
    "commit_extra_info": "what else the author said",
    "commit_key": "what makes the commit happen once",
    "commit_message": "what the author said",
    "contains_nan": "whether a value is not a number; NULL: not known",
    "contains_null": "whether a value is NULL; NULL: not known",
    "data_file_id": "the data file",
    "default_value": "the default",
    "default_value_dialect": "the dialect of a default that is an expression",
    "default_value_type": "whether the default is a literal or an expression",
    "delete_count": "how many rows it takes away",
    "delete_file_id": "the delete file",
    "dialect": "the dialect of the text",
    "end_snapshot": "the first snapshot that lacks the row; 9223372036854775807: it is live",
    "end_time": "when it ended; NULL: not yet",
    "expression": "what is sorted by",
    "extra_stats": "statistics that only some types have",
    "file_format": "parquet",
    "file_order": "its place among the files of the table",
    "file_size_bytes": "how many bytes there are",
    "footer_size": "how many of them are the footer",
    "format": "of the delete file: parquet or puffin",
    "impl_id": "which overload",
    "is_partition": "whether the value is in the path of the file",
    "key": "the name",
    "lease_id": "the writer",
    "macro_id": "the macro",
    "macro_name": "its name",
    "mapping_id": "the mapping",
    "max_value": "no value is greater, as text",
    "min_value": "no value is less, as text",
    "next_column_id": "the id of the next column that is added",
    "next_row_id": "the id of the next row that is added",
    "null_count": "how many values are NULL",
    "null_order": "whether NULL comes first or last",
    "nulls_allowed": "whether values may be NULL",
    "numbering_id": "the imported catalog whose old snapshot numbers it carries",
    "object_id": "the schema, table, view or macro",
    "parameter_name": "its name",
    "parameter_type": "its type",
    "parent_column": "the column that it is nested in",
    "partition_id": "the partitioning",
    "partition_key_index": "which key, from 0",
    "partition_value": "the value as text",
    "path": "where it is",
    "path_is_relative": "whether the path goes on from another",
    "read_upto": "the snapshot that it is read as of",
    "record_count": "how many rows there are",
    "row_id": "the row",
    "row_id_start": "the id of its first row",
    "row_uid": "this version of the row, in all catalogs",
    "schedule_start": "since when",
    "schema_id": "the schema",
    "schema_name": "its name",
    "schema_uuid": "what identifies it in every database",
    "schema_version": "which version of the catalog's schema",
    "shredded_type": "the type of the values under the path",
    "snapshot_count": "how many there are",
    "snapshot_id": "the snapshot",
    "snapshot_time": "when it was committed",
    "sort_direction": "ASC or DESC",
    "sort_id": "the sort order",
    "sort_key_index": "which key, from 0",
    "source_name": "its name in the file",
    "source_snapshot_id": "the number that the first one had",
    "sql": "the text",
    "table_id": "the table",
    "table_name": "its name",
    "table_uuid": "what identifies it in every database",
    "target_field_id": "the column of the table",
    "transform": "what the key makes of the column's values",
    "type": "what kind it is",
    "value": "the value",
    "value_count": "how many values are not NULL",
    "variant_path": "the path within the values",
    "view_id": "the view",
    "view_name": "its name",
    "view_uuid": "what identifies it in every database",
}


def meaning(column: Column) -> str:
    """Return what a column means: its own note, or what its name means everywhere.

    A test sees that every column has a meaning.

    >>> meaning(Column("depth", "small", note="1 is the nearest")), meaning(Column("table_id", "object"))
    ('1 is the nearest', 'the table')
    """
    return column.note or MEANINGS.get(column.name, "")
