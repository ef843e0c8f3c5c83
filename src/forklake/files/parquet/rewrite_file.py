"""A data file rewritten to the current columns of its table."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Final

import pyarrow as pa
import pyarrow.parquet as pq

from forklake.files.access import storage
from forklake.files.access.keys import decrypting
from forklake.files.arrow.array_transforms import partition_codes
from forklake.files.arrow.schema import arrow_schema
from forklake.files.arrow.wide_integers import text_columns
from forklake.files.incoming.evolution import evolved_column
from forklake.files.parquet.footer import damage_error, known_footer, resolve_fields
from forklake.files.parquet.open_file import OpenFile
from forklake.model import types
from forklake.model.definitions import NewDataFile
from forklake.model.field import Field
from forklake.model.lazy_dataclass import dataclass
from forklake.model.name_mapping import name_mapping
from forklake.model.names import fold
from forklake.model.scan import (
    ROW_ID_COLUMN,
    ROW_ID_FIELD_ID,
    SNAPSHOT_ID_COLUMN,
    SNAPSHOT_ID_FIELD_ID,
    ScanFile,
)
from forklake.model.write import PartitionKey, WriteTarget

_BATCH_ROWS: Final = 65_536
_LINEAGE: Final = {
    ROW_ID_COLUMN: Field(ROW_ID_FIELD_ID, ROW_ID_COLUMN, types.INT64),
    SNAPSHOT_ID_COLUMN: Field(SNAPSHOT_ID_FIELD_ID, SNAPSHOT_ID_COLUMN, types.INT64),
}


@dataclass(frozen=True, slots=True)
class Rewriting:
    """A file to rewrite.

    Attributes:
        file: The file, as a scan before the change reads it.
        before: The columns that its table had then.
        is_partitioned: Whether it belongs to a partition of the table.
    """

    file: ScanFile
    before: tuple[Field, ...]
    is_partitioned: bool


def rewrite_file(old: Rewriting, target: WriteTarget) -> NewDataFile:
    """Write all rows of a file into one new file, in the same order.

    Deleted rows and row lineage are included. The new file lies beside the old one, or in the target's directory if
    that is private.

    Rows of one partition may belong to several under another type; then the new file belongs to none.

    Raises:
        DataFileError: The file cannot be read, or the new one cannot be written.
        InvalidInputError: A value does not fit its column's new type.
            After any exception the new file is deleted, as far as the storage allows.
    """
    place = target.directory if target.is_private else posixpath.dirname(old.file.path)
    path = posixpath.join(place, storage.new_file_name()).removeprefix(target.directory)
    held = old.file.fields
    if held is None:
        held = resolve_fields(known_footer(old.file), old.before, old.file.mapping)
    with storage.open_input(old.file.path) as source:
        parquet = _open_parquet(source, old.file)
        lineage = [field for name, field in _LINEAGE.items() if name in parquet.schema_arrow.names]
        # Rows keep their places, whatever the table is sorted by.
        plain = replace(target, options=replace(target.options, sort_on_insert=False), bytes_per_row=None)
        schema = arrow_schema((*target.fields, *lineage))
        new = OpenFile(plain, schema, path, (), text_columns(target.fields, held))
        partitions = _Partitions(target.partition_keys if old.is_partitioned else (), target.fields)
        try:
            for batch in _batches(parquet, old.file):
                rows = _evolve(batch, held, (*target.fields, *lineage), schema, target.table)
                partitions.add(rows)
                begin = 0
                while begin < rows.num_rows:
                    begin += new.write(rows.slice(begin))
            return replace(new.close(name_mapping(target.fields)), partition_values=partitions.shared_values)
        except BaseException:
            new.abandon()
            storage.delete([target.directory + path])
            raise


def _open_parquet(source: pa.NativeFile, file: ScanFile) -> pq.ParquetFile:
    try:
        return pq.ParquetFile(source, decryption_properties=decrypting(file.path, file.encryption_key))
    except (OSError, ValueError, pa.ArrowException) as error:
        raise damage_error(file.path, file.encryption_key, error) from error


def _batches(parquet: pq.ParquetFile, file: ScanFile) -> Iterator[pa.RecordBatch]:
    batches = parquet.iter_batches(_BATCH_ROWS)
    while True:
        try:
            batch = next(batches, None)
        except (OSError, ValueError, pa.ArrowException) as error:
            raise damage_error(file.path, file.encryption_key, error) from error
        if batch is None:
            return
        yield batch


def _evolve(
    batch: pa.RecordBatch, held: Sequence[Field], fields: Sequence[Field], schema: pa.Schema, table: str
) -> pa.RecordBatch:
    names = batch.schema.names
    present: Mapping[Field, pa.Array] = {
        field: batch.column(field.name) for field in (*held, *_LINEAGE.values()) if field.name in names
    }
    columns = [evolved_column(field, present, batch.num_rows, table) for field in fields]
    return pa.record_batch(columns, schema=schema)


class _Partitions:
    """The values that some rows have for partition keys."""

    def __init__(self, keys: Sequence[PartitionKey], fields: Sequence[Field]) -> None:
        by_name = {fold(field.name): field for field in fields}
        self._keys = [(by_name[fold(key.column)], key.transform) for key in keys]
        self._found: list[set[str | None]] = [set() for _ in keys]

    def add(self, rows: pa.RecordBatch) -> None:
        for found, (field, transform) in zip(self._found, self._keys, strict=True):
            codes, texts = partition_codes(rows.column(field.name), field.type, transform)
            found |= {texts[code] for code in set(codes.tolist())}

    @property
    def shared_values(self) -> tuple[str | None, ...]:
        """The values that all rows share; empty unless they share one for each key."""
        if any(len(found) != 1 for found in self._found):
            return ()
        return tuple(next(iter(found)) for found in self._found)
