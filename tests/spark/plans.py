"""Plans made by hand, from files that DuckDB or PyArrow wrote."""

import re
from collections.abc import Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
from pyspark.sql import DataFrame, SparkSession

from forklake.model.field import Field
from forklake.model.ids import ColumnId, DataFileId, SnapshotId
from forklake.model.scan import ScanDeletes, ScanFile, ScanPlan, ScanRows
from tests.fields import named_field

SNAPSHOT = SnapshotId(7)


def field(column_id: int | None, name: str, type_: str, *children: Field, default: str | None = None) -> Field:
    number = None if column_id is None else ColumnId(column_id)
    return named_field(number, name, type_, children, initial_default=default)


def written(path: Path, query: str) -> Path:
    """Write the rows of a query of DuckDB's."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with duckdb.connect() as connection:
        connection.execute("SET TimeZone = 'UTC'")
        connection.execute(f"COPY ({query}) TO '{str(path).replace(chr(39), chr(39) * 2)}' (FORMAT parquet)")
    return path


def written_by_arrow(path: Path, columns: dict[str, Any], **options: Any) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    pq.write_table(pa.table(columns), path, **options)
    return path


def deleted(path: Path, positions: Sequence[int], snapshots: Sequence[int] | None = None) -> ScanDeletes:
    """Write a delete file; with snapshots, it is to be read as of `SNAPSHOT`."""
    columns: dict[str, Any] = {"file_path": ["x"] * len(positions), "pos": pa.array(positions, pa.int64())}
    if snapshots is not None:
        columns["_ducklake_internal_snapshot_id"] = pa.array(snapshots, pa.int64())
    written_by_arrow(path, columns)
    return ScanDeletes(str(path), "parquet", path.stat().st_size, SNAPSHOT, is_cut=snapshots is not None)


def scanned(path: Path, fields: Sequence[Field] | None, number: int = 1, **more: Any) -> ScanFile:
    given = {"row_id_start": 0, "record_count": 1, "read_upto": SNAPSHOT, "snapshot_id": SnapshotId(5), **more}
    held = None if fields is None else tuple(fields)
    return ScanFile(DataFileId(number), str(path), path.stat().st_size, fields=held, **given)


def plan(fields: Sequence[Field], *files: ScanFile, inlined: Sequence[ScanRows] = ()) -> ScanPlan:
    return ScanPlan("t", tuple(fields), files, tuple(inlined))


def values(frame: DataFrame) -> list[tuple[Any, ...]]:
    """Return the rows in order, nested ones as plain tuples."""
    return sorted((_plain(tuple(row)) for row in frame.collect()), key=repr)


def _plain(value: Any) -> Any:
    if isinstance(value, tuple):
        return tuple(map(_plain, value))
    if isinstance(value, list):
        return [_plain(item) for item in value]
    if isinstance(value, dict):
        return {_plain(key): _plain(item) for key, item in value.items()}
    return bytes(value) if isinstance(value, bytearray) else value


def physical_plan(frame: DataFrame) -> str:
    return str(frame._jdf.queryExecution().executedPlan().toString())


def pushed(frame: DataFrame) -> list[str]:
    """Return what each scan of files is given to filter by."""
    return re.findall(r"PushedFilters: \[(.*?)\], ReadSchema", physical_plan(frame))


def read_columns(frame: DataFrame) -> list[str]:
    return re.findall(r"ReadSchema: struct<(.*?)>\n", physical_plan(frame) + "\n")


@contextmanager
def setting(spark: SparkSession, **settings: str) -> Any:
    """Change settings of the session for a while; underscores stand for dots."""
    names = {key.replace("_", "."): value for key, value in settings.items()}
    before = {key: spark.conf.get(key, None) for key in names}
    try:
        for key, value in names.items():
            spark.conf.set(key, value)
        yield
    finally:
        for key, old in before.items():
            spark.conf.unset(key) if old is None else spark.conf.set(key, old)
