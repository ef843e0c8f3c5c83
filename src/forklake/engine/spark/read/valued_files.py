"""Rows of files, with the facts of each file as columns.

There is no join, and deleted rows are left out where they are read.
"""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Final

from py4j.protocol import Py4JError
from pyspark.errors import PySparkException
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.types import BinaryType, DataType, LongType, StringType, StructField, StructType

from forklake.engine.spark.read import delete_join as file_facts
from forklake.engine.spark.read.file_index import READ_OPTIONS, is_primed
from forklake.engine.spark.read.groups import FileGroup
from forklake.engine.spark.read.primed_files import Value, is_batched, is_unset, position_column, read_primed
from forklake.model.names import fold
from forklake.model.scan import ScanFile

_DELETED: Final = "_forklake_deleted"
_OPTIONS: Final = {key: value for key, value in READ_OPTIONS.items() if key != "recursiveFileLookup"}
_MOST_BITS: Final = 2**28
"""Bitmaps of more rows than this are not sent along with the tasks."""

_READERS: Final = 8
_FACTS: Final[dict[str, tuple[str, DataType]]] = {
    "rowid": (file_facts.ROW_ID_START, LongType()),
    "own_rowid": (file_facts.ROW_ID_START, LongType()),
    "snapshot_id": (file_facts.SNAPSHOT, LongType()),
    "filename": (file_facts.PATH, StringType()),
    "data_file": (file_facts.DATA_FILE, LongType()),
    "file_index": (file_facts.INDEX, LongType()),
    "place": (file_facts.INDEX, LongType()),
}


def valued_frame(
    spark: SparkSession, table: str, group: FileGroup, schema: StructType, asked: set[str], position: str
) -> DataFrame | None:
    """Return a group's rows that are not deleted, with the facts for lineage.

    None: the facts have to be joined.

    Args:
        spark: The session.
        table: The table's name, for messages.
        group: The files; Spark's own reader can read them.
        schema: Their columns.
        asked: The lineage that is asked for.
        position: The name of the column to return the positions of rows in.

    Raises:
        DataFileError: A delete file cannot be read.
    """
    if not is_primed(spark) or (group.is_dirty and not _is_small(group.files)):
        return None
    facts = dict(_FACTS[name] for name in _FACTS if name in asked)
    if group.is_dirty:
        facts[_DELETED] = BinaryType()
    values = _values(table, group, list(facts))
    value_schema = StructType([StructField(name, kind) for name, kind in facts.items()])
    try:
        index = position_column(spark)
        if {fold(name) for name in schema.names} & {index, *value_schema.names}:
            return None
        located = StructType([*schema.fields, StructField(index, LongType())])
        if group.is_dirty and not is_batched(spark, StructType([*located.fields, *value_schema.fields])):
            return None
        options = _OPTIONS if facts else READ_OPTIONS
        rows = read_primed(spark, group.files, located, options, value_schema, values, group.without_nan)
        if group.is_dirty:
            rows = rows.where(is_unset(spark, _DELETED, index))
        return rows.withColumnRenamed(index, position)
    except (Py4JError, PySparkException, TypeError, AttributeError):
        return None  # internals of Spark, which another release may have changed


def _is_small(files: Sequence[ScanFile]) -> bool:
    return file_facts.are_few(files) and sum(file.record_count for file in files) <= _MOST_BITS


def _values(table: str, group: FileGroup, names: Sequence[str]) -> list[list[Value]]:
    files = group.files
    columns: list[Sequence[Value]] = []
    for name in names:
        match name:
            case file_facts.ROW_ID_START:
                columns.append([file.row_id_start for file in files])
            case file_facts.SNAPSHOT:
                columns.append([file.snapshot_id for file in files])
            case file_facts.PATH:
                columns.append([file.path for file in files])
            case file_facts.DATA_FILE:
                columns.append([int(file.data_file_id) for file in files])
            case file_facts.INDEX:
                columns.append(list(group.places))
            case _:
                columns.append(_bitmaps(table, files))
    return [list(row) for row in zip(*columns, strict=True)]


def _bitmaps(table: str, files: Sequence[ScanFile]) -> list[bytes]:
    """Return the deleted rows of each file as Java reads them fastest.

    These are words of 32 bits, the high byte first.
    """
    with ThreadPoolExecutor(min(_READERS, len(files))) as readers:
        found = list(readers.map(lambda file: file_facts.bitmap_of(table, file), files))
    return [words.astype("<i8").view("<u4").astype(">u4").tobytes() for words in found]
