"""Rows of several files written into one, by PyArrow in this process."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Final

import pyarrow as pa

from forklake.engine.local.exactness import is_exact
from forklake.engine.local.file_rows import Rows, Selection, file_rows
from forklake.files.access import storage
from forklake.files.arrow.schema import arrow_schema
from forklake.files.arrow.wide_integers import is_wide, text_columns
from forklake.files.parquet.footer import known_footer, resolve_fields
from forklake.files.parquet.parquet_writer import write_files
from forklake.files.parquet.row_order import sort_rows
from forklake.model import types
from forklake.model.definitions import NewDataFile
from forklake.model.field import Field, plain_column
from forklake.model.file_merge import CARRIED_LINEAGE, FileMerge
from forklake.model.types import Type
from forklake.model.write import WriteTarget

MOST_SORTED_BYTES: Final = 64 * 2**20
"""Up to how many bytes of files are sorted in memory."""

_NO_LIMIT: Final = 2**62
_HELD_ALIKE: Final = (types.Boolean, types.Integer, types.Float, types.Decimal, types.Varchar, types.Blob, types.Date)
_HELD_AS_OURS: Final[frozenset[Type]] = frozenset(
    {types.JSON, types.UUID, types.INTERVAL, types.TIME, types.TIMETZ, types.TIMESTAMP_NS}
)
_HELD_OTHERWISE: Final[frozenset[Type]] = frozenset({types.INT128, types.UINT128})


def merges_here(merge: FileMerge, target: WriteTarget) -> bool:
    """Return whether `merge_files` writes exactly the rows that a scan reads.

    It does not for variants within other types, for files of other writers with types that each holds in its own way,
    and for sort keys that are expressions or nested. Nor does it sort more than `MOST_SORTED_BYTES`.

    Raises:
        DataFileError: A footer that is needed to decide cannot be read.
    """
    if target.sort_keys and not _sorts_here(merge, target):
        return False
    if not all(_is_held_alike(target.fields, held) for held in _columns_beyond_plan(merge)):
        return False
    return is_exact(merge.plan, target.fields)


def is_left(merge: FileMerge, target: WriteTarget) -> bool:
    """Return whether nobody can merge the files.

    Spark does not have the integers that one of them holds as text.

    Raises:
        DataFileError: As `merges_here`.
    """
    has_text = any(file.fields is None for file in merge.plan.files) and any(map(is_wide, target.fields))
    return has_text and bool(_text_columns(merge, target)) and not merges_here(merge, target)


def merge_files(merge: FileMerge, target: WriteTarget) -> list[NewDataFile]:
    """Write the rows of files into new ones; each row carries its id and its snapshot.

    The rows are sorted as the table is, or else in the order of the files and of the rows in them. Sorted rows are in
    memory all at once, and so are those with variants; others are not. No rows, no files.

    Args:
        merge: The files; `merges_here`.
        target: The table. Paths in the result are below its directory; its partition keys are not asked.

    Raises:
        DataFileError: A file cannot be read or written.
        InvalidInputError: A value does not fit its column.
            After any exception, interrupts included, no new file is left, as far as the storage allows.
    """
    schema = arrow_schema((*target.fields, *CARRIED_LINEAGE))
    as_text = _text_columns(merge, target)
    written: list[NewDataFile] = []
    plain = merge_target(merge, target)
    # What is in order already need not be sorted again for each row group.
    unsorted = replace(plain, options=replace(plain.options, sort_on_insert=False))
    try:
        for batches in _parts(merge, target, schema):
            written += write_files(batches, unsorted, schema, as_text=as_text)
    except BaseException:
        storage.delete(plain.directory + file.path for file in written)
        raise
    return [replace(file, path=merge.directory + file.path) for file in written]


def merge_target(merge: FileMerge, target: WriteTarget) -> WriteTarget:
    """Return where and how the files of a merge are written.

    There are as many as it says, in no partition.
    """
    options = replace(target.options, target_file_size=_NO_LIMIT, per_thread_output=False, sort_on_insert=True)
    return replace(
        target,
        directory=target.directory + merge.directory,
        partition_keys=(),
        options=options,
        needs_mapping=False,
        file_count=merge.file_count,
    )


def _parts(merge: FileMerge, target: WriteTarget, schema: pa.Schema) -> Iterator[Iterator[pa.RecordBatch]]:
    """Yield the rows of each new file."""
    batches = _batches(merge, target, schema)
    if not target.sort_keys:
        yield batches
        return
    rows = sort_rows(pa.Table.from_batches(batches, schema), target.sort_keys)
    edges = [rows.num_rows * part // merge.file_count for part in range(merge.file_count + 1)]
    for begin, end in pairwise(edges):
        yield iter(rows.slice(begin, end - begin).to_batches())


def _batches(merge: FileMerge, target: WriteTarget, schema: pa.Schema) -> Iterator[pa.RecordBatch]:
    selection = Selection(target.table, merge.plan.fields, target.fields, as_stored=True)
    for file in merge.plan.files:
        for rows in file_rows(file, selection):
            if len(rows):
                yield _batch(rows, schema)


def _batch(rows: Rows, schema: pa.Schema) -> pa.RecordBatch:
    return pa.record_batch([*rows.columns, rows.row_ids, rows.snapshots], schema=schema)


def _sorts_here(merge: FileMerge, target: WriteTarget) -> bool:
    columns: Sequence[Field | None] = [plain_column(key.expression, target.fields) for key in target.sort_keys]
    is_simple = all(column is not None and not column.children for column in columns)
    return is_simple and merge.byte_count <= MOST_SORTED_BYTES


def _columns_beyond_plan(merge: FileMerge) -> Iterator[tuple[Field, ...]]:
    """Yield what the files hold whose columns the plan does not know."""
    for file in merge.plan.files:
        if file.fields is None:
            footer = known_footer(file)
            yield resolve_fields(footer, merge.plan.fields, file.mapping)


def _text_columns(merge: FileMerge, target: WriteTarget) -> frozenset[str]:
    """Return the columns of which a file holds integers of 128 bits as text."""
    return frozenset(name for held in _columns_beyond_plan(merge) for name in text_columns(target.fields, held))


def _is_held_alike(fields: Sequence[Field], held: Sequence[Field]) -> bool:
    """Return whether a file holds columns as all writers of Parquet do."""
    known = {one.column_id: one for one in held}
    return all(_is_alike(field, known.get(field.column_id)) for field in fields)


def _is_alike(field: Field, held: Field | None) -> bool:
    if isinstance(field.type, types.Struct):
        return _is_held_alike(field.children, () if held is None else held.children)
    if field.children:
        below: Sequence[Field | None] = [None] * len(field.children) if held is None else held.children
        return all(_is_alike(*pair) for pair in zip(field.children, below, strict=False))
    if field.type in _HELD_OTHERWISE:
        return held is None or not isinstance(held.type, types.Float)  # as which DuckDB writes them
    if isinstance(field.type, _HELD_ALIKE) or field.type in (types.TIMESTAMP, types.TIMESTAMPTZ):
        return True
    return field.type in _HELD_AS_OURS and (held is None or held.type == field.type.stored_as)
