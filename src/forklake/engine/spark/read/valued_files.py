"""Rows of files, with the facts of each file as columns.

There is no join, and deleted rows are left out where they are read.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from typing import Final

from py4j.protocol import Py4JError
from pyspark.errors import PySparkException
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.types import BinaryType, DataType, LongType, StringType, StructField, StructType

from forklake.engine.spark.read import delete_join as file_facts
from forklake.engine.spark.read.file_index import READ_OPTIONS, is_primed
from forklake.engine.spark.read.groups import FileGroup
from forklake.engine.spark.read.primed_files import Bitmap, FileValues, Value, read_located
from forklake.files.access.keyring import Credential
from forklake.files.access.threads import FileThreads
from forklake.model.names import fold
from forklake.model.scan import ScanDeletes, ScanFile

_DELETED: Final = "_ducklake_forklake_deleted"
_OPTIONS: Final = {key: value for key, value in READ_OPTIONS.items() if key != "recursiveFileLookup"}
_MOST_BITS: Final = 2**28
"""Bitmaps of more rows than this are not sent along with the tasks."""

_MOST_KEPT: Final = 1024
_FEW_INLINED: Final = 10_000
_READERS: Final = 8
_kept: dict[tuple[ScanDeletes | None, tuple[int, ...], Credential | None], Bitmap] = {}
"""Bitmaps by what they are of and what they were read with, those used last at the end."""

_keeping: Final = threading.Lock()
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
    spark: SparkSession, table: str, group: FileGroup, schema: StructType, asked: set[str], position: str | None
) -> DataFrame | None:
    """Return a group's rows, with the facts for lineage; which rows, the group says.

    None: the facts have to be joined.

    Args:
        spark: The session.
        table: The table's name, for messages.
        group: The files; Spark's own reader can read them.
        schema: Their columns.
        asked: The lineage that is asked for.
        position: The name of the column to return the positions of rows in; None if columns alone are asked for.

    Raises:
        DataFileError: A delete file cannot be read.
    """
    if not is_primed(spark) or (group.is_dirty and not _is_small(group.files)):
        return None
    facts = dict(_FACTS[name] for name in _FACTS if name in asked)
    if group.is_dirty:
        facts[_DELETED] = BinaryType()
    if {fold(name) for name in schema.names} & facts.keys():
        return None
    values = FileValues(
        StructType([StructField(name, kind) for name, kind in facts.items()]),
        _values(table, group, list(facts)),
        _DELETED if group.is_dirty else None,
        group.takes_deleted,
    )
    options = _OPTIONS if facts else READ_OPTIONS
    try:
        return read_located(
            spark, group.files, schema, options, group.without_nan, values, position, group.share, group.only_filter
        )
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


def _bitmaps(table: str, files: Sequence[ScanFile]) -> list[Bitmap]:
    """Return the deleted rows of each file.

    Delete files never change, so bitmaps that are not large are kept for the next scan.
    """
    keys = [(file.deletes, file.inlined_deletes, file_facts.deletes_credential(file)) for file in files]
    with _keeping:
        known = {key: _kept.pop(key) for key in set(keys) if key in _kept}
        _kept.update(known)  # what was used last is dropped last
    missing = {key: file for key, file in zip(keys, files, strict=True) if key not in known}
    if missing:
        with FileThreads(min(_READERS, len(missing))) as readers:
            found = readers.map(lambda file: Bitmap.of(file_facts.read_bitmap(table, file)), missing.values())
            known |= zip(missing, found, strict=True)
        with _keeping:
            _kept.update((key, known[key]) for key, file in missing.items() if _is_worth_keeping(file))
            for key in list(_kept)[:-_MOST_KEPT]:
                del _kept[key]
    return [known[key] for key in keys]


def _is_worth_keeping(file: ScanFile) -> bool:
    return file.record_count <= file_facts.KEPT_ROWS and len(file.inlined_deletes) <= _FEW_INLINED
