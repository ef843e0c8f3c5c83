"""Tables to write to, without a lake around them."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import duckdb
from pyspark.sql import SparkSession

from forklake.model import types
from forklake.model.definitions import NewDataFile
from forklake.model.field import Field
from forklake.model.ids import ColumnId
from forklake.model.write import WriteTarget
from tests.fields import named_field

Columns = Mapping[str, Any]


def fields_of(columns: Columns) -> tuple[Field, ...]:
    """Number columns as a new table does; a struct is a dict, a list a list of one, a map a tuple of two."""
    numbers = iter(range(1, 1_000))
    return tuple(_field(name, kind, numbers) for name, kind in columns.items())


def _field(name: str, kind: Any, numbers: Iterator[int]) -> Field:
    number = ColumnId(next(numbers))
    match kind:
        case dict():
            return named_field(
                number, name, "struct", tuple(_field(child, part, numbers) for child, part in kind.items())
            )
        case [element]:
            return Field(number, name, types.List(_field("element", element, numbers)))
        case (key, value):
            return Field(number, name, types.Map(_field("key", key, numbers), _field("value", value, numbers)))
    return named_field(number, name, str(kind))


def target_at(directory: Path, columns: Columns, **details: Any) -> WriteTarget:
    return WriteTarget("t", f"{directory}/t/", fields_of(columns), **details)


def rows_of(target: WriteTarget, files: list[NewDataFile], columns: str = "*") -> list[tuple[Any, ...]]:
    """Read files with DuckDB, in the order they were written."""
    paths = [target.directory + file.path for file in files]
    with duckdb.connect() as connection:
        connection.execute("SET TimeZone = 'UTC'")
        query = f"SELECT {columns} FROM read_parquet(?, hive_partitioning = false)"
        return connection.execute(query, [paths]).fetchall()


@contextmanager
def settings(spark: SparkSession, values: Mapping[str, str]) -> Iterator[None]:
    """Change settings of the session for a block."""
    before = {key: spark.conf.get(key, None) for key in values}
    try:
        for key, value in values.items():
            spark.conf.set(key, value)
        yield
    finally:
        for key, old in before.items():
            spark.conf.unset(key) if old is None else spark.conf.set(key, old)
