"""Files that queries name.

They name them by ``read_parquet('...')``, ``glob('...')``, or a path in place of a table.
"""

from __future__ import annotations

import glob
import os
from collections.abc import Mapping, Sequence
from itertools import chain
from typing import Any

from forklake.engine.engine import Engine
from forklake.errors import InvalidInputError, NotFoundError
from forklake.model import types
from forklake.model.names import fold
from forklake.model.types.read import field_of
from forklake.session.known_rows import Files, Rows, column


def file_function(engine: Engine, name: str, arguments: Sequence[Any], named: Mapping[str, Any]) -> Rows | Files | None:
    """Return the rows of a function of files; None if there is no such function.

    Raises:
        InvalidInputError: The arguments do not fit.
        NotFoundError: There is no file to read.
    """
    if name in ("read_parquet", "parquet_scan"):
        return _read_parquet(engine, _patterns(name, arguments), named)
    if name == "glob":
        if named:
            raise InvalidInputError(f'Binder Error: Invalid named parameter "{next(iter(named))}" for function glob')
        return Rows((column("file", types.VARCHAR),), [(path,) for path in _match_files(_patterns(name, arguments))])
    return None


def file_relation(engine: Engine, name: str) -> Files | None:
    """Return the rows of a Parquet file that is named as a table; None if it is none."""
    is_file = fold(name).endswith(".parquet") and ("/" in name or _match_files([name]))
    return _read_parquet(engine, [name], {}) if is_file else None


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
    found = (sorted(glob.glob(pattern, recursive=True, include_hidden=True)) for pattern in patterns)
    return [path for path in chain.from_iterable(found) if os.path.isfile(path)]


def _read_parquet(engine: Engine, patterns: Sequence[str], named: Mapping[str, Any]) -> Files:
    for option, value in named.items():
        if option not in ("hive_partitioning", "union_by_name", "filename") or value:
            raise InvalidInputError(f'read_parquet does not support "{option} = {value}".')
    paths = _match_files(patterns)
    if not paths:
        raise NotFoundError(f'IO Error: No files found that match the pattern "{", ".join(patterns)}"')
    frame = engine.files_frame(paths)
    return Files(tuple(field_of(one) for one in engine.columns(frame)), frame)
