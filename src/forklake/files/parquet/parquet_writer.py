"""Arrow data written to data files of a table, on the driver or in Spark tasks."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from forklake.errors import InvalidInputError
from forklake.files.access import storage
from forklake.files.arrow.array_transforms import partition_codes
from forklake.files.arrow.wide_integers import long_columns
from forklake.files.parquet.open_file import OpenFile
from forklake.files.parquet.partitions import hive_path
from forklake.model.definitions import NewDataFile
from forklake.model.interruption import end_in_time
from forklake.model.name_mapping import name_mapping
from forklake.model.names import fold
from forklake.model.write import WriteTarget

_MOST_OPEN_FILES: Final = 64
_MOST_BUFFERED_BYTES: Final = 256 << 20

Partition = tuple[str | None, ...]


def write_files(
    batches: Iterable[pa.RecordBatch],
    target: WriteTarget,
    schema: pa.Schema,
    *,
    as_text: frozenset[str] = frozenset(),
) -> list[NewDataFile]:
    """Write rows into new files of a table's directory; no rows, no files.

    Rows of different partitions go into different files. At most 64 files are open at a time, and about 256 MB
    wait to be written; beyond that the file that was idle for longest is closed, so rows that come sorted by
    partition make the fewest files. A file ends with the row group that reaches the target's size. If the table
    is sorted by columns, rows are sorted within each row group; for whole files to be sorted, rows must come in
    that order.

    A column with integers of 128 bits is text in a file in which one has more than 38 digits, and a decimal in all
    others. When the first such integer comes, a file that was begun without ends.

    Args:
        batches: The rows, of the schema's types; taken one after the other.
        target: The table. Paths in the result are below its directory.
        schema: The columns of the files, with field ids: `forklake.files.arrow.schema.arrow_schema`, and row lineage
            if any.
        as_text: The columns that may have such integers, where that is known before.

    Raises:
        InvalidInputError: Rows do not have the schema's columns, or cannot be partitioned by their types.
        DataFileError: A file cannot be written.
            After any exception, interrupts included, no file is left, as far as the storage allows.
    """
    files = _Files(target, schema, as_text)
    try:
        for batch in batches:
            for values, part in _split(_conform(batch, schema, target), target):
                files.write(values, part)
        return files.close()
    except BaseException:
        files.abandon()
        raise


class _Files:
    """The files of one write: the open ones by partition, and the finished ones.

    The file that was idle for longest comes first.
    """

    def __init__(self, target: WriteTarget, schema: pa.Schema, as_text: frozenset[str]) -> None:
        self._target = target
        self._schema = schema
        self._mapping = name_mapping(target.fields) if target.needs_mapping else None
        self._uses_directories = target.options.hive_file_pattern and not target.is_encrypted
        self._open: dict[Partition, OpenFile] = {}
        self._done: list[NewDataFile] = []
        self._paths: list[str] = []
        self._as_text = as_text

    def write(self, values: Partition, batch: pa.RecordBatch) -> None:
        as_text = self._as_text | long_columns(dict(zip(batch.schema.names, batch.columns, strict=True)))
        begin = 0
        while begin < batch.num_rows:
            end_in_time()
            file = self._open.get(values)
            if file is not None and not as_text <= file.text_columns:
                self._close(values)
            file = self._open.pop(values, None) or self._open_file(values, as_text)
            self._open[values] = file
            begin += file.write(batch.slice(begin))
            if file.is_full:
                self._close(values)
        while len(self._open) > 1 and sum(it.waiting_bytes for it in self._open.values()) > _MOST_BUFFERED_BYTES:
            self._close(next(iter(self._open)))

    def close(self) -> list[NewDataFile]:
        for values in list(self._open):
            self._close(values)
        return self._done

    def abandon(self) -> None:
        for file in self._open.values():
            file.abandon()
        storage.delete(self._target.directory + path for path in self._paths)

    def _open_file(self, values: Partition, as_text: frozenset[str]) -> OpenFile:
        if len(self._open) >= _MOST_OPEN_FILES:
            self._close(next(iter(self._open)))
        directory = hive_path(self._target.partition_keys, values) if self._uses_directories else ""
        path = directory + storage.new_file_name()
        self._paths.append(path)
        return OpenFile(self._target, self._schema, path, values, as_text)

    def _close(self, values: Partition) -> None:
        end_in_time()
        self._done.append(self._open[values].close(self._mapping))
        del self._open[values]


def _conform(batch: pa.RecordBatch, schema: pa.Schema, target: WriteTarget) -> pa.RecordBatch:
    if batch.schema.equals(schema):
        return batch
    try:
        return batch.select(schema.names).cast(schema)
    except (KeyError, ValueError, TypeError, pa.ArrowException) as error:
        raise InvalidInputError(
            f'Rows for table "{target.table}" do not fit its columns, and were not written: {error}'
        ) from error


def _split(batch: pa.RecordBatch, target: WriteTarget) -> Iterator[tuple[Partition, pa.RecordBatch]]:
    """Yield the rows of each partition, in the order of the batch."""
    if batch.num_rows == 0:
        return
    if not target.partition_keys:
        yield (), batch
        return
    groups, partitions = _groups(batch, target)
    if len(partitions) == 1:
        yield partitions[0], batch
        return
    order = np.argsort(groups, kind="stable")
    # Rows that come sorted are only cut, not copied.
    rows = batch if bool((np.diff(groups) >= 0).all()) else batch.take(pa.array(order))
    ends = np.cumsum(np.bincount(groups, minlength=len(partitions))).tolist()
    for values, begin, end in zip(partitions, [0, *ends], ends, strict=False):
        if begin < end:
            yield values, rows.slice(begin, end - begin)


def _groups(batch: pa.RecordBatch, target: WriteTarget) -> tuple[NDArray[np.intp], list[Partition]]:
    """Return the partition of each row, by number, and the partitions.

    Partitions come in the order of their first rows.
    """
    fields = {fold(field.name): field for field in target.fields}
    combined = np.zeros(batch.num_rows, np.intp)
    choices: list[list[str | None]] = []
    columns = []
    for key in target.partition_keys:
        field = fields[fold(key.column)]
        codes, texts = partition_codes(batch.column(field.name), field.type, key.transform)
        # Numbered anew each time, so that the product of many keys stays small.
        _, combined = np.unique(combined * len(texts) + codes, return_inverse=True)
        columns.append(codes)
        choices.append(texts)
    _, firsts, groups = np.unique(combined, return_index=True, return_inverse=True)
    by_appearance = np.argsort(firsts)
    ranks = np.empty_like(by_appearance)
    ranks[by_appearance] = np.arange(len(by_appearance))
    partitions = [
        tuple(texts[codes[first]] for texts, codes in zip(choices, columns, strict=True))
        for first in firsts[by_appearance].tolist()
    ]
    return ranks[groups.reshape(-1)], partitions
