"""Partition values: what a transform makes of a column, as DuckLake computes and writes it, and directories of it.

Buckets are DuckLake's. They are Iceberg's too for integers, dates, timestamps of micros, text and bytes; DuckLake
hashes decimals of up to 18 digits as numbers, and UUIDs, unsigned and wider numbers as their text.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from hashlib import sha256
from typing import Final
from urllib.parse import quote, unquote

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from forklake.errors import InvalidInputError
from forklake.files.moments import INFINITE_DAY, INFINITE_MOMENT, parse_time
from forklake.files.murmur3 import Hashes, hash_bytes, hash_longs
from forklake.files.schema import precision_and_scale
from forklake.files.texts import parse_values, to_texts
from forklake.files.values import stored_array
from forklake.model.field import Field
from forklake.model.ids import ColumnId
from forklake.model.names import fold
from forklake.model.write import PartitionKey

NULL_DIRECTORY: Final = "__HIVE_DEFAULT_PARTITION__"

_BUCKET: Final = re.compile(r"bucket\((\d+)\)")
_PARTS: Final = ("year", "month", "day", "hour")
_TICKS_PER_HOUR: Final = {
    "timestamp": 3_600_000_000,
    "timestamptz": 3_600_000_000,
    "timestamp_s": 3_600_000_000,
    "timestamp_ms": 3_600_000,
    "timestamp_ns": 3_600_000_000_000,
    "time": 3_600_000_000,
}
_HASHED_AS_LONGS: Final = frozenset(
    {"boolean", "int8", "int16", "int32", "int64", "date", "time", "timetz"} | _TICKS_PER_HOUR.keys()
)
_UNPARTITIONED: Final = frozenset({"geometry", "variant", "list", "struct", "map"})
_LONG_DIGITS: Final = 18
_LONGEST_NAME: Final = 255
_KEPT_OF_LONG_NAME: Final = 100
_OFFSET_BITS: Final = 24
_LAST_OFFSET_SECONDS: Final = 16 * 3600 - 1


def partition_values(array: pa.Array, column_type: str, transform: str) -> list[str | None]:
    """Return the partition value of each value, as text; None for NULL.

    Args:
        array: Values as our files store them.
        column_type: The type of the table's column.
        transform: ``identity``, ``year``, ``month``, ``day``, ``hour``, one of these with ``epoch_`` before it, or
            ``bucket(N)``.

    Raises:
        InvalidInputError: There is no such transform, or not of that type.
    """
    codes, texts = partition_codes(array, column_type, transform)
    return [texts[code] for code in codes.tolist()]


def partition_codes(array: pa.Array, column_type: str, transform: str) -> tuple[NDArray[np.intp], list[str | None]]:
    """Return the distinct partition values, and which of them each row has; as `partition_values` otherwise."""
    values = array.storage if isinstance(array, pa.ExtensionArray) else array
    encoded = values if pa.types.is_dictionary(values.type) else values.dictionary_encode()
    # The work is done once per distinct value; None is the last of them.
    found: list[str | None] = [*_transformed(encoded.dictionary, column_type, transform), None]
    indices = encoded.indices.fill_null(len(found) - 1).to_numpy(zero_copy_only=False)
    places: dict[str | None, int] = {}
    codes = np.array([places.setdefault(text, len(places)) for text in found], np.intp)
    return codes[indices], list(places)


def transform_value(column_type: str, transform: str, text: str) -> str | None:
    """Return the partition value of one value that is given as text.

    >>> transform_value("date", "month", "2017-11-16"), transform_value("int32", "bucket(16)", "34")
    ('11', '3')

    Raises:
        InvalidInputError: As `partition_values`, or the text is no value of the type.
    """
    field = Field(None, "", column_type)
    return partition_values(stored_array(field, parse_values(field, [text])), column_type, transform)[0]


def hive_path(keys: Sequence[PartitionKey], values: Sequence[str | None]) -> str:
    """Return the directories of a partition, each with a slash behind it.

    >>> hive_path([PartitionKey("at", "year"), PartitionKey("to", "year"), PartitionKey("a b", "identity")],
    ...           ["2020", None, "x/y"])
    'year=2020/year_to=__HIVE_DEFAULT_PARTITION__/a%20b=x%2Fy/'

    A name that is too long for file systems is cut short: no reader takes values from the directories of our files.
    """
    path, used = "", set[str]()
    for key, value in zip(keys, values, strict=True):
        name = _directory_name(key, used)
        used.add(fold(name))
        directory = f"{quote(name, safe='')}={quote(NULL_DIRECTORY if value is None else value, safe='')}"
        path += f"{directory if len(directory) <= _LONGEST_NAME else _shortened(directory)}/"
    return path


def hive_values(path: str) -> dict[str, str | None]:
    """Return the values that the directories of a path spell, by their keys.

    >>> hive_values("/data/year=2020/a%20b=x%2Fy/c=__HIVE_DEFAULT_PARTITION__/f.parquet")
    {'year': '2020', 'a b': 'x/y', 'c': None}
    """
    pairs = [part.split("=", 1) for part in path.split("/")[:-1] if "=" in part]
    return {unquote(name): None if value == NULL_DIRECTORY else unquote(value) for name, value in pairs}


def path_values(path: str, names: Mapping[ColumnId, str]) -> dict[ColumnId, str | None]:
    """Return the values of columns that the directories of a path spell under these names; NULL where they do not.

    >>> path_values("/t/A=1/b=x%20y/f.parquet", {ColumnId(6): "a", ColumnId(7): "b", ColumnId(8): "c"})
    {6: '1', 7: 'x y', 8: None}
    """
    texts = {name.lower(): text for name, text in hive_values(path).items()}
    return {column_id: texts.get(name.lower()) for column_id, name in names.items()}


def _directory_name(key: PartitionKey, used: set[str]) -> str:
    prefix = key.column if key.transform == "identity" else key.transform.split("(")[0]
    name, number = prefix, 1
    while fold(name) in used:
        name = f"{prefix}_{key.column}" if number == 1 else f"{prefix}_{key.column}_{number}"
        number += 1
    return name


def _shortened(name: str) -> str:
    return f"{name[:_KEPT_OF_LONG_NAME]}-{sha256(name.encode()).hexdigest()}"


def _transformed(values: pa.Array, column_type: str, transform: str) -> list[str | None]:
    """Return the partition values of values without NULLs."""
    if column_type in _UNPARTITIONED:
        raise InvalidInputError(f"Rows cannot be partitioned by a column of type {column_type}; nothing was written.")
    if transform == "identity":
        return list(_texts(values, column_type))
    bucket = _BUCKET.fullmatch(transform)
    if bucket and 0 < int(bucket[1]) < 2**31:
        hashes = _hashes(values, column_type) & np.uint32(0x7FFFFFFF)
        return [str(number) for number in (hashes % np.uint32(int(bucket[1]))).tolist()]
    if transform.removeprefix("epoch_") not in _PARTS:
        raise InvalidInputError(
            f'Unsupported partition function "{transform}" - only identity, year, month, day, hour,'
            " these four with epoch_ before them, and bucket are supported"
        )
    if column_type == "time" and transform == "hour":
        hours = _longs(values, column_type) // _TICKS_PER_HOUR["time"]
        return [str(hour) for hour in hours.tolist()]
    if column_type == "date" or column_type.startswith("timestamp"):
        return _parts(values, column_type, transform)
    raise InvalidInputError(f'Partition function "{transform}" cannot be applied to a column of type {column_type}')


def _parts(values: pa.Array, column_type: str, transform: str) -> list[str | None]:
    ticks = _longs(values, column_type)
    infinite = np.abs(ticks) >= (INFINITE_DAY if column_type == "date" else INFINITE_MOMENT)
    if column_type == "date":
        hours = ticks * 24
    else:
        if column_type == "timestamp_ns" and not transform.startswith("epoch_"):
            # DuckDB cuts nanos off toward 1970 before it takes a part, and rounds down for epochs.
            ticks = np.where(ticks < 0, -(-ticks // 1000), ticks // 1000) * 1000
        hours = ticks // _TICKS_PER_HOUR[column_type]
    days = hours // 24
    months = days.astype("datetime64[D]").astype("datetime64[M]")
    part = {
        "year": lambda: months.astype(np.int64) // 12 + 1970,
        "month": lambda: months.astype(np.int64) % 12 + 1,
        "day": lambda: days - months.astype("datetime64[D]").astype(np.int64) + 1,
        "hour": lambda: hours % 24,
        "epoch_year": lambda: months.astype(np.int64) // 12,
        "epoch_month": lambda: months.astype(np.int64),
        "epoch_day": lambda: days,
        "epoch_hour": lambda: hours,
    }[transform]()
    return [None if is_infinite else str(number) for number, is_infinite in zip(part.tolist(), infinite, strict=True)]


def _hashes(values: pa.Array, column_type: str) -> Hashes:
    decimal = precision_and_scale(column_type)
    if column_type in _HASHED_AS_LONGS or (decimal and decimal[0] <= _LONG_DIGITS):
        numbers = _longs(values, column_type)
        return hash_longs(numbers // 1_000_000 if column_type == "timestamp_s" else numbers)
    if column_type in ("float32", "float64"):
        doubles = values.cast(pa.float64()).to_numpy(zero_copy_only=False)
        return hash_longs(np.where(doubles == 0, 0.0, doubles).view(np.int64))
    if column_type in ("varchar", "json", "blob"):
        return hash_bytes(pc.cast(values, pa.binary()))
    return hash_bytes(pa.array([text.encode() for text in _texts(values, column_type)], pa.binary()))


def _texts(values: pa.Array, column_type: str) -> list[str]:
    if column_type in ("float32", "float64"):
        values = pc.add(values, pa.scalar(0, values.type))  # -0.0 is equal to 0.0, so they share a partition
    elif column_type == "uuid":
        values = pa.ExtensionArray.from_storage(pa.uuid(), values)
    return [text for text in to_texts(Field(None, "", column_type), values) if text is not None]


def _longs(values: pa.Array, column_type: str) -> NDArray[np.int64]:
    """Return values without NULLs as the integers that DuckDB holds them as."""
    if column_type == "timetz":
        return np.array([_timetz_bits(text) for text in values.to_pylist()], np.int64)
    if pa.types.is_decimal(values.type):
        wide = values.cast(pa.decimal128(38, values.type.scale))
        # Of the two words of a decimal, the lower one holds all of up to 18 digits.
        return np.frombuffer(wide.buffers()[1], "<i8")[::2][wide.offset : wide.offset + len(wide)]
    if pa.types.is_boolean(values.type):
        values = values.cast(pa.int8())
    elif pa.types.is_date32(values.type):
        values = values.view(pa.int32())
    elif pa.types.is_temporal(values.type):
        values = values.view(pa.int64())
    numbers: NDArray[np.int64] = values.cast(pa.int64()).to_numpy(zero_copy_only=False)
    return numbers


def _timetz_bits(text: str) -> int:
    """Return how DuckDB holds a time with an offset: micros, and behind them how far the offset is from the last."""
    place = max(text.rfind("+"), text.rfind("-"))
    clock, offset = (text, "") if place < 0 else (text[:place], text[place:])
    parts = [int(part) for part in offset[1:].split(":")] if offset else [0]
    seconds = sum(part * unit for part, unit in zip(parts, (3600, 60, 1), strict=False))
    seconds = -seconds if offset.startswith("-") else seconds
    return parse_time(clock) << _OFFSET_BITS | _LAST_OFFSET_SECONDS - seconds
