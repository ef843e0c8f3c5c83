"""Where and how the rows of a table are written."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, Final

from forklake.catalog import describe, lookup
from forklake.catalog.fields import table_fields
from forklake.catalog.partition_transforms import read_transform
from forklake.catalog.places import directory_below, lake_directories
from forklake.catalog.read_files import FileRows
from forklake.catalog.scan_plan import ScanPlanner
from forklake.catalog.state import Content
from forklake.catalog.transaction import Staging
from forklake.engine.statement_limits import is_confined_text
from forklake.errors import InvalidInputError, InvalidPathError
from forklake.metastore.queries.catalogs import directories_of
from forklake.metastore.queries.option_rows import OptionRow, options_in_scope
from forklake.metastore.source import Question, ask_all
from forklake.metastore.store import Store
from forklake.model import types
from forklake.model.definitions import SortKey
from forklake.model.field import Field, plain_column
from forklake.model.ids import CatalogId
from forklake.model.lazy_dataclass import dataclass
from forklake.model.option_rules import byte_count, normalise
from forklake.model.predicate import Predicate
from forklake.model.rows import TableRow, TableStatsRow
from forklake.model.write import LEAST_CUT_BYTES, PartitionKey, WriteOptions, WriteTarget
from forklake.ops.lakes.runtime import Runtime
from forklake.ops.lakes.scoped_options import combine_options

_MOST_CONFINED_ROWS: Final = 10_000
"""How many rows of one statement of a confined session are inlined at most, whatever the option says."""


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
    found, roots = ask_all(runtime.store, [_table_options(content, table), directories_of({own})])
    return _writing_with(runtime, content, table, found, roots, may_alter_later=may_alter_later)


class WriteQuestions:
    """What a statement asks before it writes rows of a table.

    That is how they are written, and the lease. It is asked with the first read of the statement that takes it along,
    or else by itself.
    """

    def __init__(self, staging: Staging, runtime: Runtime, table: TableRow) -> None:
        self._staging = staging
        self._runtime = runtime
        self._table = table
        self._how: Writing | None = None

    def goes_with(self, store: Store) -> bool:
        """Return whether a read of a store is to take it along.

        Not in an embedded store: to ask by itself costs nothing there, and the files of the lake may be moved while
        rows are computed.
        """
        return self._how is None and self._runtime.store is store and not store.is_embedded

    def read_with(self, planner: ScanPlanner, predicate: Predicate | None) -> FileRows:
        """Read what the plan of a scan needs, and ask, in one round trip."""
        found = planner.read(predicate, self._questions(), [self._owner])
        *_, options, roots = found.answers
        self._hear(options, roots)
        return found

    def writing(self) -> Writing:
        """Return how rows of the table are written; ask if nothing has taken it along."""
        if self._how is None:
            *_, options, roots = ask_all(self._runtime.store, [*self._questions(), directories_of({self._owner})])
            return self._hear(options, roots)
        return self._how

    @property
    def _owner(self) -> CatalogId:
        return self._staging.draft.version.catalog_id

    def _questions(self) -> list[Question[Any]]:
        runtime = self._runtime
        said = (runtime.option_defaults, runtime.options, runtime.option_overrides)
        may_inline = any(options.get("data_inlining_row_limit", "0") != "0" for options in said)
        lease = [] if may_inline else self._staging.ask_lease(self._table)
        # The lease waits while the files of the lake are moved; what is asked after it knows where they are now.
        return [*lease, _table_options(self._staging.draft, self._table)]

    def _hear(self, options: Sequence[OptionRow], roots: Mapping[CatalogId, tuple[str, bool]]) -> Writing:
        staging = self._staging
        self._how = _writing_with(
            self._runtime, staging.draft, self._table, options, roots, may_alter_later=staging.may_alter_later
        )
        return self._how


def _table_options(content: Content, table: TableRow) -> Question[list[OptionRow]]:
    """Ask for the options of a table, its schema, its catalog and the lake."""
    return options_in_scope(content.version.catalog_id, table.schema_id, table.table_id)


def _writing_with(
    runtime: Runtime,
    content: Content,
    table: TableRow,
    found: Sequence[OptionRow],
    roots: Mapping[CatalogId, tuple[str, bool]],
    *,
    may_alter_later: bool,
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
        bytes_per_row=_bytes_per_row(stats),
        is_encrypted=options.get("encrypted") == "true",
        needs_mapping=may_alter_later,
    )
    return Writing(target, _inlined_rows(options), options["small_writes"] == "driver")


def _inlined_rows(options: Mapping[str, str]) -> int:
    """Return how many rows of one insert are inlined at most."""
    said = int(options["data_inlining_row_limit"])
    # A stranger may set the option of his own fork, and the metadata database is everybody's.
    return min(said, _MOST_CONFINED_ROWS) if is_confined_text() else said


def _bytes_per_row(stats: TableStatsRow) -> float | None:
    """Return the average size of a row.

    None while files are so small that their footers would count as rows.
    """
    if not stats.record_count or stats.file_size_bytes < LEAST_CUT_BYTES:
        return None
    return stats.file_size_bytes / stats.record_count


def _for_spark(key: SortKey, runtime: Runtime, content: Content, table: TableRow, fields: Sequence[Field]) -> SortKey:
    column = plain_column(key.expression, fields)
    if column is not None and not _has_map(column):
        return key
    if key.dialect == "spark":
        _check_trusted(key, table)
        return key
    macros = partial(describe.macro_overloads, content, table.schema_id)
    found = runtime.language.sort_expression(key.expression, table.table_name, fields, macros)
    return replace(key, expression=found, dialect="spark")


def _check_trusted(key: SortKey, table: TableRow) -> None:
    """Refuse Spark SQL of strangers, which may call any Java.

    Raises:
        InvalidInputError: The key is marked.
    """
    if not key.trusted:
        raise InvalidInputError(
            f'Table "{table.table_name}" is sorted by "{key.expression}" in Spark\'s SQL, which another program stored;'
            " nothing was written.",
            hint="Read it, and set the sort order of the table again.",
        )


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
        write_bounds=options["write_bounds"] == "true",
        write_deletion_vectors=options["write_deletion_vectors"] == "true",
    )
