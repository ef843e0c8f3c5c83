"""Directories of partitions, as DuckLake names them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from hashlib import sha256
from typing import Final
from urllib.parse import quote, unquote

from forklake.model.ids import ColumnId
from forklake.model.names import fold
from forklake.model.write import PartitionKey

NULL_DIRECTORY: Final = "__HIVE_DEFAULT_PARTITION__"

_LONGEST_NAME: Final = 255
_KEPT_OF_LONG_NAME: Final = 100


def hive_path(keys: Sequence[PartitionKey], values: Sequence[str | None]) -> str:
    """Return the directories of a partition, each with a slash behind it.

    >>> from forklake.model.transforms import Transform
    >>> year = Transform.parse("year")
    >>> hive_path([PartitionKey("at", year), PartitionKey("to", year), PartitionKey("a b")], ["2020", None, "x/y"])
    'year=2020/year_to=__HIVE_DEFAULT_PARTITION__/a%20b=x%2Fy/'

    A name that is too long for file systems is cut short: no reader takes values from the directories of our files.
    """
    path, used = "", set[str]()
    for key, value in zip(keys, values, strict=True):
        name = _directory_name(key, used)
        used.add(fold(name))
        directory = f"{quote(name, safe='')}={quote(NULL_DIRECTORY if value is None else value, safe='')}"
        path += f"{directory if len(directory) <= _LONGEST_NAME else _shorten(directory)}/"
    return path


def hive_values(path: str) -> dict[str, str | None]:
    """Return the values that the directories of a path spell, by their keys.

    >>> hive_values("/data/year=2020/a%20b=x%2Fy/c=__HIVE_DEFAULT_PARTITION__/f.parquet")
    {'year': '2020', 'a b': 'x/y', 'c': None}
    """
    pairs = [part.split("=", 1) for part in path.split("/")[:-1] if "=" in part]
    return {unquote(name): None if value == NULL_DIRECTORY else unquote(value) for name, value in pairs}


def path_values(path: str, names: Mapping[ColumnId, str]) -> dict[ColumnId, str | None]:
    """Return the values of columns that the directories of a path spell.

    A column whose name is in no directory is NULL.

    >>> path_values("/t/A=1/b=x%20y/f.parquet", {ColumnId(6): "a", ColumnId(7): "b", ColumnId(8): "c"})
    {6: '1', 7: 'x y', 8: None}
    """
    texts = {name.lower(): text for name, text in hive_values(path).items()}
    return {column_id: texts.get(name.lower()) for column_id, name in names.items()}


def _directory_name(key: PartitionKey, used: set[str]) -> str:
    prefix = key.column if key.transform.is_identity else str(key.transform.function)
    name, number = prefix, 1
    while fold(name) in used:
        name = f"{prefix}_{key.column}" if number == 1 else f"{prefix}_{key.column}_{number}"
        number += 1
    return name


def _shorten(name: str) -> str:
    return f"{name[:_KEPT_OF_LONG_NAME]}-{sha256(name.encode()).hexdigest()}"
