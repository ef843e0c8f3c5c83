"""Where and how the rows of a table are written."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial

from forklake.catalog import describe, lookup
from forklake.catalog.fields import table_fields
from forklake.catalog.partition_transforms import read_transform
from forklake.catalog.places import directory_below, lake_directories
from forklake.catalog.state import Content
from forklake.errors import InvalidPathError
from forklake.metastore.queries.catalogs import directories_of
from forklake.metastore.queries.option_rows import OptionRow, options_in_scope
from forklake.metastore.source import Question, ask_all
from forklake.model import types
from forklake.model.definitions import SortKey
from forklake.model.field import Field, plain_column
from forklake.model.ids import CatalogId
from forklake.model.lazy_dataclass import dataclass
from forklake.model.option_rules import byte_count, normalise
from forklake.model.rows import TableRow
from forklake.model.write import PartitionKey, WriteOptions, WriteTarget
from forklake.ops.runtime import Runtime
from forklake.ops.scoped_options import combine_options


@dataclass(frozen=True, slots=True)
class Writing:
    """The target of a write to a table, and what is decided before it."""

    target: WriteTarget
    inlining_row_limit: int
    on_driver: bool


def writing(runtime: Runtime, content: Content, table: TableRow, *, may_alter_later: bool = False) -> Writing:
    """Return how rows of the table are written now.

    New files are always below the catalog's own directory. ``may_alter_later`` means that the transaction may
    still alter the table after the rows are written: files then carry the current names of their columns.
    """
    own = content.version.catalog_id
    found, roots = ask_all(runtime.store, [table_options(content, table), directories_of({own})])
    return writing_with(runtime, content, table, found, roots, may_alter_later=may_alter_later)


def table_options(content: Content, table: TableRow) -> Question[list[OptionRow]]:
    """Ask for the options of a table, its schema, its catalog and the lake."""
    return options_in_scope(content.version.catalog_id, table.schema_id, table.table_id)


def writing_with(
    runtime: Runtime,
    content: Content,
    table: TableRow,
    found: Sequence[OptionRow],
    roots: Mapping[CatalogId, tuple[str, bool]],
    *,
    may_alter_later: bool = False,
) -> Writing:
    """Return what `writing` does, given the options and the path of the catalog."""
    lake_path = runtime.lake_path
    options = combine_options(found, runtime.options, runtime.option_defaults, runtime.option_overrides)
    if options.get("data_path", lake_path) != lake_path:
        raise InvalidPathError(
            f'Nothing was written to "{table.table_name}": the lake was given another data path since it was opened.',
            hint="Open it again.",
        )
    stats = lookup.table_stats(content, table.table_id)
    fields = table_fields(content, table.table_id)
    target = WriteTarget(
        table=table.table_name,
        directory=directory_below(lake_directories(lake_path, roots)[content.version.catalog_id], content, table),
        fields=fields,
        partition_keys=tuple(
            PartitionKey(key.column, read_transform(key.transform))
            for key in describe.partitioning(content, table.table_id)
        ),
        sort_keys=tuple(
            _for_spark(key, runtime, content, table, fields) for key in describe.sorting(content, table.table_id)
        ),
        options=write_options(options),
        bytes_per_row=stats.file_size_bytes / stats.record_count
        if stats.record_count and stats.file_size_bytes
        else None,
        is_encrypted=options.get("encrypted") == "true",
        needs_mapping=may_alter_later,
    )
    return Writing(target, int(options["data_inlining_row_limit"]), options["small_writes"] == "driver")


def _for_spark(key: SortKey, runtime: Runtime, content: Content, table: TableRow, fields: Sequence[Field]) -> SortKey:
    column = plain_column(key.expression, fields)
    if key.dialect == "spark" or (column is not None and not _has_map(column)):
        return key
    macros = partial(describe.macro_overloads, content, table.schema_id)
    found = runtime.language.sort_expression(key.expression, table.table_name, fields, macros)
    return replace(key, expression=found, dialect="spark")


def _has_map(field: Field) -> bool:
    """Return whether a value contains a map, which Spark cannot order by itself."""
    return isinstance(field.type, types.Map) or any(_has_map(child) for child in field.children)


def write_options(options: Mapping[str, str]) -> WriteOptions:
    """Parse the options of writing."""
    level, group_bytes = options.get("parquet_compression_level"), options.get("parquet_row_group_size_bytes")
    return WriteOptions(
        target_file_size=byte_count(options["target_file_size"]),
        parquet_compression=normalise("parquet_compression", options["parquet_compression"]),
        parquet_compression_level=None if level is None else int(level),
        parquet_version=int(normalise("parquet_version", options["parquet_version"]).removeprefix("V")),
        parquet_row_group_size=int(options["parquet_row_group_size"]),
        parquet_row_group_size_bytes=None if group_bytes is None else byte_count(group_bytes),
        per_thread_output=options["per_thread_output"] == "true",
        # The directories would tell what the files keep to themselves.
        hive_file_pattern=options["hive_file_pattern"] == "true" and options.get("encrypted") != "true",
        sort_on_insert=options["sort_on_insert"] == "true",
        write_deletion_vectors=options["write_deletion_vectors"] == "true",
    )
