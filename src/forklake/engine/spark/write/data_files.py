"""Data files as the metadata records them, read from their footers."""

from __future__ import annotations

from typing import Final

import pyarrow as pa
import pyarrow.parquet as pq

from forklake.files.access import storage
from forklake.files.access.threads import FileThreads
from forklake.files.arrow.array_transforms import partition_values
from forklake.files.arrow.schema import arrow_type
from forklake.files.parquet.footer import read_metadata
from forklake.files.parquet.open_file import table_columns
from forklake.files.parquet.statistics import column_stats
from forklake.model.definitions import NameMapping, NewDataFile
from forklake.model.field import Field, has_unnumbered_parts
from forklake.model.name_mapping import name_mapping
from forklake.model.names import fold
from forklake.model.write import WriteTarget

_READERS: Final = 16


def describe_files(target: WriteTarget, directory: str) -> list[NewDataFile]:
    """Return the files with rows below a directory, as the metadata records them.

    Several files are read at a time; files without rows are left out.

    Raises:
        DataFileError: A file cannot be read.
    """
    paths = [path for path in storage.list_files(directory) if _is_data(path.removeprefix(directory))]
    mapping = _mapping(target)
    with FileThreads(min(_READERS, max(1, len(paths)))) as readers:
        found = readers.map(lambda path: _describe(target, path, mapping), paths)
        return [file for file in found if file.record_count]


def _is_data(path: str) -> bool:
    """Return whether a file is data.

    Others are checksums, and what cancelled tasks left behind.
    """
    *above, name = path.split("/")
    return name.endswith(".parquet") and not name.startswith((".", "_")) and "_temporary" not in above


def _describe(target: WriteTarget, path: str, mapping: NameMapping | None) -> NewDataFile:
    metadata, file_size_bytes, footer_size = read_metadata(path)
    return NewDataFile(
        path=path.removeprefix(target.directory),
        record_count=metadata.num_rows,
        file_size_bytes=file_size_bytes,
        footer_size=footer_size,
        column_stats=target.kept_stats(column_stats(metadata, table_columns(target.fields))),
        partition_values=_partition_values(path, target) if metadata.num_rows else (),
        mapping=mapping,
    )


def _partition_values(path: str, target: WriteTarget) -> tuple[str | None, ...]:
    """Return the values of the partition that a file belongs to.

    All rows of a file have the same, so its first row is read.
    """
    if not target.partition_keys:
        return ()
    fields = {fold(field.name): field for field in target.fields}
    columns = {fold(key.column): fields[fold(key.column)].name for key in target.partition_keys}
    with storage.open_input(path) as file, storage.explain_errors(path, "read"):
        row = next(pq.ParquetFile(file).iter_batches(1, row_groups=[0], columns=list(columns.values())))
    return tuple(
        partition_values(_storage_array(row.column(field.name), field), field.type, key.transform)[0]
        for key, field in ((key, fields[fold(key.column)]) for key in target.partition_keys)
    )


def _storage_array(values: pa.Array, field: Field) -> pa.Array:
    """Return values as our PyArrow writer stores them.

    Spark's writer has timestamps of one unit only.
    """
    return values.cast(arrow_type(field)) if pa.types.is_timestamp(values.type) else values


def _mapping(target: WriteTarget) -> NameMapping | None:
    """Return the name mapping that a file needs, if any.

    Spark's writer gives no field ids to the parts of lists and maps.
    """
    if not target.needs_mapping and not has_unnumbered_parts(target.fields):
        return None
    return name_mapping(target.fields)
