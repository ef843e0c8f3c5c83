"""Files that queries name.

They name them by ``read_parquet('...')``, ``glob('...')``, or a path in place of a table.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from contextlib import suppress
from itertools import chain
from typing import Any

from forklake.engine.engine import Engine
from forklake.errors import InvalidInputError, NotFoundError
from forklake.files.find_files import match_files
from forklake.files.footer import read_footer
from forklake.files.parquet_facts import FUNCTIONS, footer_facts
from forklake.files.partitions import hive_text, hive_values
from forklake.files.texts import parse_value
from forklake.model import types
from forklake.model.names import fold
from forklake.model.types.read import field_of
from forklake.session.known_rows import Files, Rows, column
from forklake.sql.copy_queries import Directories, file_rows_text
from forklake.sql.parse import parse_type


def file_function(engine: Engine, name: str, arguments: Sequence[Any], named: Mapping[str, Any]) -> Rows | Files | None:
    """Return the rows of a function of files; None if there is no such function.

    Raises:
        InvalidInputError: The arguments do not fit.
        NotFoundError: There is no file to read.
    """
    if name in ("read_parquet", "parquet_scan"):
        return _read_parquet(engine, _patterns(name, arguments), named)
    if named and (name in FUNCTIONS or name == "glob"):
        raise InvalidInputError(f'Binder Error: Invalid named parameter "{next(iter(named))}" for function {name}')
    if name in FUNCTIONS:
        columns, rows = footer_facts(name, _existing_files(_patterns(name, arguments)))
        return Rows(tuple(column(title, parse_type(kind)) for title, kind in columns), rows)
    if name == "glob":
        return Rows((column("file", types.VARCHAR),), [(path,) for path in _match_files(_patterns(name, arguments))])
    return None


def file_relation(engine: Engine, name: str) -> Files | None:
    """Return the rows of a Parquet file that is named as a table; None if it is none."""
    is_file = fold(name).endswith(".parquet") and ("/" in name or _match_files([name]))
    return _read_parquet(engine, [name], {}) if is_file else None


def hive_query(name: str) -> str | None:
    """Return a query for Parquet files in directories ``key=value``.

    They are named as a table. The keys that the files have no columns of are its last columns: BIGINT or DATE if all
    values are, else VARCHAR. None if the name is none of such files.
    """
    paths = _match_files([name]) if fold(name).endswith(".parquet") else []
    found = {path: hive_values(path) for path in paths}
    if not any(found.values()):
        return None
    held = {fold(field.name) for field in read_footer(os.path.abspath(paths[0])).fields}
    keys = [key for key in found[paths[0]] if fold(key) not in held]
    if not keys or any([key for key in values if key in keys] != keys for values in found.values()):
        return None
    texts = {key: [hive_text(types.VARCHAR, values[key]) for values in found.values()] for key in keys}
    kinds = {key: _hive_type(values) for key, values in texts.items()}
    groups: dict[Directories, list[str]] = {}
    for path, values in zip(paths, zip(*texts.values(), strict=True), strict=True):
        groups.setdefault(tuple(zip(keys, values, strict=True)), []).append(path)
    return file_rows_text(groups, kinds)


def _hive_type(texts: Sequence[str | None]) -> str:
    for kind in (types.INT64, types.DATE):
        with suppress(ValueError):
            for text in texts:
                if text is not None:
                    parse_value(kind, text)
            return kind.sql_name
    return types.VARCHAR.sql_name


def _patterns(function: str, arguments: Sequence[Any]) -> list[str]:
    given = arguments[0] if len(arguments) == 1 else None
    patterns = given if isinstance(given, list) else [given]
    if not all(isinstance(pattern, str) for pattern in patterns):
        raise InvalidInputError(f"Binder Error: {function} takes the path of a file, or a list of paths.")
    return [str(pattern) for pattern in patterns]


def _match_files(patterns: Sequence[str]) -> list[str]:
    """Return the files that match patterns, in the order of the patterns.

    The files of one pattern are sorted by path; a pattern may match none.
    """
    for pattern in patterns:
        if "://" in pattern:
            raise InvalidInputError(f'Files are found by local paths only, not by "{pattern}".')
    return list(chain.from_iterable(match_files(pattern) for pattern in patterns))


def _existing_files(patterns: Sequence[str]) -> list[str]:
    paths = _match_files(patterns)
    if not paths:
        raise NotFoundError(f'IO Error: No files found that match the pattern "{", ".join(patterns)}"')
    return paths


def _read_parquet(engine: Engine, patterns: Sequence[str], named: Mapping[str, Any]) -> Files:
    for option, value in named.items():
        if option not in ("hive_partitioning", "union_by_name", "filename") or value:
            raise InvalidInputError(f'read_parquet does not support "{option} = {value}".')
    frame = engine.files_frame(_existing_files(patterns))
    return Files(tuple(field_of(one) for one in engine.columns(frame)), frame)
