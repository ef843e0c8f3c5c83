"""Directories of partitions, as DuckLake names them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from hashlib import sha256
from typing import Final
from urllib.parse import quote, unquote

from forklake.model.ids import ColumnId
from forklake.model.names import fold
from forklake.model.types import VARCHAR, Type
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
    path = ""
    for name, value in zip(directory_names(keys), values, strict=True):
        directory = f"{quote(name, safe='')}={quote(NULL_DIRECTORY if value is None else value, safe='')}"
        path += f"{directory if len(directory) <= _LONGEST_NAME else _shorten(directory)}/"
    return path


def directory_names(keys: Sequence[PartitionKey]) -> list[str]:
    """Return the keys of the directories of a partitioning, which all differ."""
    names: list[str] = []
    used = set[str]()
    for key in keys:
        names.append(_directory_name(key, used))
        used.add(fold(names[-1]))
    return names


def hive_values(path: str) -> dict[str, str]:
    """Return the texts that the directories of a path spell, by their keys.

    Of two with the same key the outer one counts, as in DuckDB.

    >>> hive_values("/data/year=2020/year=2021/a%20b=x%2Fy/c=__HIVE_DEFAULT_PARTITION__/d=e=f/f.parquet")
    {'year': '2020', 'a b': 'x/y', 'c': '__HIVE_DEFAULT_PARTITION__'}
    """
    pairs = [part.split("=") for part in path.split("/")[:-1] if part.count("=") == 1]
    found: dict[str, str] = {}
    for name, value in pairs:
        found.setdefault(unquote(name), unquote(value))
    return found


def hive_text(kind: Type, text: str | None) -> str | None:
    """Return the text of a value in a directory; None if it stands for NULL.

    >>> from forklake.model import types
    >>> hive_text(types.INT32, "7"), hive_text(types.INT32, ""), hive_text(types.VARCHAR, "null")
    ('7', None, None)
    """
    if text is None or text == NULL_DIRECTORY or text.upper() == "NULL":
        return None
    return text if text or kind == VARCHAR else None


def path_values(path: str, names: Mapping[ColumnId, str]) -> dict[ColumnId, str | None]:
    """Return the texts of columns that the directories of a path spell.

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
