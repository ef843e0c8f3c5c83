"""Facts of files, such as deleted rows, joined to their rows by file.

Where Spark can be given more about files than their names, `valued_files` needs no join.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict
from functools import lru_cache
from typing import Any, Final

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray
from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as F  # noqa: N812
from pyspark.sql.types import ArrayType, LongType, StringType, StructField, StructType

from forklake.engine.spark.columns.spark_types import spark_type
from forklake.engine.spark.driver.python_workers import map_in_python
from forklake.engine.spark.read.file_index import url_encode
from forklake.engine.spark.read.groups import FileGroup
from forklake.errors import EngineError
from forklake.files.access import storage
from forklake.files.access.keyring import Credential, credential_for
from forklake.files.access.threads import FileThreads
from forklake.files.casting.texts import to_array
from forklake.files.parquet.deletes import bitmap, read_deletes
from forklake.files.parquet.partitions import hive_text, path_values
from forklake.model.field import Field
from forklake.model.scan import ScanDeletes, ScanFile

FILE: Final = "_ducklake_forklake_file"
ROW_ID_START: Final = "_ducklake_forklake_row_id_start"
SNAPSHOT: Final = "_ducklake_forklake_snapshot"
PATH: Final = "_ducklake_forklake_filename"
INDEX: Final = "_ducklake_forklake_file_index"
DATA_FILE: Final = "_ducklake_forklake_data_file"
_DELETED: Final = "_ducklake_forklake_deleted"
_FEW_DELETES: Final = 2_000_000
_READERS: Final = 8
KEPT_ROWS: Final = 2**21
"""Bitmaps of files with more rows are not kept for the next scan."""

_UNDOUBTED: Final = re.compile(r"[A-Za-z0-9_.=-]+")
_PLAIN_PATH: Final = re.compile(r"[A-Za-z0-9_.=/:-]+")
_FEW_FILES: Final = 64
_UNREAD: Final = "_ducklake_forklake_delete_file"


def from_path_column(field: Field) -> str:
    """Return the facts' name for a column with values in directory names."""
    return f"_ducklake_forklake_path_{field.column_id}"


def name_depth(files: Sequence[ScanFile]) -> int:
    """Return how many parts at the end of a path distinguish files: 1 if names do.

    >>> name_depth([ScanFile(1, "/t/a/x", 1, 1, 1, 1), ScanFile(2, "/t/b/x", 1, 1, 1, 1)])
    2
    """
    paths = [_parts(file.path) for file in files]
    deepest = max(map(len, paths))
    return next(
        (depth for depth in range(1, deepest) if len({tuple(path[-depth:]) for path in paths}) == len(paths)), deepest
    )


def file_key(frame: DataFrame, depth: int) -> Column:
    """Return Spark's key for the file of a row, given the `name_depth` of all files."""
    metadata = frame.metadataColumn("_metadata")
    if depth == 1:
        return metadata.getField("file_name")
    # Spark writes a local path with one slash before it or with three.
    path = F.regexp_replace(metadata.getField("file_path"), "^file:/*", "file:/")
    return F.substring_index(path, "/", -depth)


def check_keys(frame: DataFrame, files: Sequence[ScanFile], depth: int) -> None:
    """Check that Spark names files as the facts do, which are joined by name.

    A row without facts would be lost. The check runs only where names can differ: letters and digits are the
    same in every spelling.

    Raises:
        EngineError: They are not; nothing was read.
    """
    keys = {_key(file.path, depth) for file in files}
    if all(_UNDOUBTED.fullmatch(key) for key in keys):
        return
    known = {_tail(re.sub("^file:/*", "file:/", path), depth) for path in frame.inputFiles()}
    if keys != known:
        raise EngineError(f'Spark names a file otherwise than the metadata: "{min(keys ^ known)}"; nothing was read.')


def _tail(path: str, depth: int) -> str:
    return "/".join(path.split("/")[-depth:])


def with_facts(
    frame: DataFrame, spark: SparkSession, table: str, group: FileGroup, from_path: Sequence[Field]
) -> DataFrame:
    """Return rows with the facts of their files.

    If many rows are deleted, tasks of the job read the delete files, not the driver.

    Args:
        frame: The rows, with the key of each row's file as `FILE`: its path if Arrow reads it, else `file_key`.
        spark: The session.
        table: The table's name, for messages.
        group: The files.
        from_path: The columns with values in directory names.
    """
    if not group.is_dirty and not from_path and _are_plain(group):
        return frame.selectExpr("*", *_literal_facts(group))
    return frame.join(F.broadcast(_facts(spark, table, group, from_path)), FILE)


def _are_plain(group: FileGroup) -> bool:
    """Return whether facts can be looked up in literals.

    As long as they are few, that is cheaper than a join.
    """
    return len(group.files) <= _FEW_FILES and all(_PLAIN_PATH.fullmatch(file.path) for file in group.files)


def _literal_facts(group: FileGroup) -> list[str]:
    files = group.files
    depth = None if group.needs_arrow else name_depth(files)
    keys = ", ".join(f"'{_key(file.path, depth)}'" for file in files)
    facts = {
        ROW_ID_START: [_bigint(file.row_id_start) for file in files],
        SNAPSHOT: [_bigint(file.snapshot_id) for file in files],
        PATH: [f"'{file.path}'" for file in files],
        INDEX: [_bigint(place) for place in group.places],
        DATA_FILE: [_bigint(file.data_file_id) for file in files],
    }
    if len(files) == 1:
        return [f"{values[0]} AS {name}" for name, values in facts.items()]
    place = f"CAST(array_position(array({keys}), {FILE}) - 1 AS INT)"
    return [f"get(array({', '.join(values)}), {place}) AS {name}" for name, values in facts.items()]


def _bigint(value: int | None) -> str:
    return f"CAST({'NULL' if value is None else int(value)} AS BIGINT)"


def _facts(spark: SparkSession, table: str, group: FileGroup, from_path: Sequence[Field]) -> DataFrame:
    """Return the facts of a group, one row for each file."""
    files = group.files
    depth = None if group.needs_arrow else name_depth(files)
    names = [FILE, ROW_ID_START, SNAPSHOT, PATH, INDEX, DATA_FILE]
    arrays: list[Any] = [
        pa.array([_key(file.path, depth) for file in files]),
        pa.array([file.row_id_start for file in files], pa.int64()),
        pa.array([file.snapshot_id for file in files], pa.int64()),
        pa.array([file.path for file in files]),
        pa.array(group.places, pa.int64()),
        pa.array([file.data_file_id for file in files], pa.int64()),
    ]
    fields = [StructField(name, StringType() if name in (FILE, PATH) else LongType()) for name in names]
    values = [path_values(file.path, dict(group.from_path)) for file in files]
    for field in from_path:
        assert field.column_id is not None
        names.append(from_path_column(field))
        fields.append(StructField(names[-1], spark_type(field)))
        texts = [hive_text(field.type, of_file[field.column_id]) for of_file in values]
        arrays.append(to_array(field, texts))
    if not group.is_dirty:
        return spark.createDataFrame(pa.table(arrays, names=names), StructType(fields))
    deleted = StructField(_DELETED, ArrayType(LongType()))
    if are_few(files):
        with FileThreads(min(_READERS, len(files))) as readers:
            bitmaps = list(readers.map(lambda file: _keep_bitmap(table, file), files))
        arrays.append(pa.array(bitmaps, pa.list_(pa.int64())))
        return spark.createDataFrame(pa.table(arrays, names=[*names, _DELETED]), StructType([*fields, deleted]))
    arrays.append(pa.array([_serialize(file) for file in files]))
    unread = StructType([*fields, StructField(_UNREAD, StringType())])
    frame = spark.createDataFrame(pa.table(arrays, names=[*names, _UNREAD]), unread)
    return map_in_python(frame, _with_bitmaps(table), StructType([*fields, deleted]))


def are_few(files: Sequence[ScanFile]) -> bool:
    """Return whether so few rows are deleted that the driver reads them faster.

    Otherwise tasks read them.
    """
    counts = [0 if file.deletes is None else file.deletes.delete_count for file in files]
    return None not in counts and sum(count or 0 for count in counts) <= _FEW_DELETES


def read_bitmap(table: str, file: ScanFile) -> NDArray[np.int64]:
    """Return the deleted rows of a file as a bitmap.

    Raises:
        DataFileError: The delete file cannot be read.
    """
    with storage.naming_table(file.path, table):
        return _bitmap(file.deletes, file.inlined_deletes)


def _keep_bitmap(table: str, file: ScanFile) -> NDArray[np.int64]:
    """Return the deleted rows of a file as a bitmap.

    Delete files never change, so a bitmap that is not large is cached for the next scan with the same credential.
    """
    read = _kept_bitmap if file.record_count <= KEPT_ROWS else _bitmap
    with storage.naming_table(file.path, table):
        return read(file.deletes, file.inlined_deletes, deletes_credential(file))


def deletes_credential(file: ScanFile) -> Credential | None:
    """Return the credential that the delete file of a file is read with."""
    return None if file.deletes is None else credential_for(file.deletes.path)


def _bitmap(
    deletes: ScanDeletes | None, inlined: tuple[int, ...], _credential: Credential | None = None
) -> NDArray[np.int64]:
    positions = np.asarray(inlined, np.int64)
    if deletes is not None:
        positions = np.union1d(read_deletes(deletes), positions)
    return np.asarray(bitmap(positions), np.int64)


_kept_bitmap = lru_cache(maxsize=256)(_bitmap)


def is_kept(position: Column) -> Column:
    """Return whether the row at a position is not deleted, by the facts of its file."""
    word = F.get(F.col(_DELETED), F.call_function("div", position, F.lit(64).cast("bigint")).cast("int"))
    return F.coalesce(F.getbit(word, position % 64), F.lit(0)) == 0


def _parts(path: str) -> list[str]:
    """Return the parts of a path as Spark writes it."""
    shown = f"file:{os.path.normpath(storage.local_path(path))}" if storage.is_local(path) else path
    return url_encode(shown).split("/")


def _key(path: str, depth: int | None) -> str:
    return path if depth is None else "/".join(_parts(path)[-depth:])


def _serialize(file: ScanFile) -> str:
    """Return the deletes of a file as text, which `_positions` reads in the tasks."""
    return json.dumps([file.path, file.deletes and asdict(file.deletes), file.inlined_deletes])


def _with_bitmaps(table: str) -> Callable[[Iterator[pa.RecordBatch]], Iterator[pa.RecordBatch]]:
    def read(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            bitmaps = [bitmap(_positions(table, text)) for text in batch.column(_UNREAD).to_pylist()]
            deleted = pa.array(bitmaps, pa.list_(pa.int64()))
            yield pa.record_batch([*batch.columns[:-1], deleted], [*batch.schema.names[:-1], _DELETED])

    return read


def _positions(table: str, text: str) -> NDArray[np.int64]:
    path, deletes, inlined = json.loads(text)
    if deletes is None:
        return np.asarray(inlined, np.int64)
    with storage.naming_table(path, table):
        return np.union1d(read_deletes(ScanDeletes(**deletes)), np.asarray(inlined, np.int64))
