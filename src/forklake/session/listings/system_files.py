"""Files that queries name.

They name them by ``read_csv('...')``, ``read_parquet('...')``, ``glob('...')``, or a path in place of a table.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from contextlib import suppress
from itertools import chain
from typing import Any, Final

from forklake import files
from forklake.engine.statement_limits import is_confined_text
from forklake.errors import InvalidInputError, LimitError, NotFoundError
from forklake.files.access import storage
from forklake.files.access.find_files import match_files
from forklake.files.casting.texts import parse_value
from forklake.files.foreign.try_footers import try_footers
from forklake.files.parquet.footer import read_footer
from forklake.files.parquet.partitions import hive_text, hive_values
from forklake.model import types
from forklake.model.lazy_dataclass import dataclass
from forklake.model.names import fold
from forklake.session.local.foreign_rows import ForeignRows, foreign_rows
from forklake.session.names.known_rows import FileScan, Rows, column
from forklake.sql.copy_queries import Directories, file_rows_text
from forklake.sql.parse import parse_type

FOOTER_FUNCTIONS: Final = ("parquet_metadata", "parquet_schema", "parquet_file_metadata", "parquet_kv_metadata")
_OPTIONS: Final = {
    "csv": "all_varchar allow_quoted_nulls auto_detect column_names column_types columns comment compression dateformat"
    " decimal_separator delim delimiter dtypes encoding escape filename force_not_null header hive_partitioning"
    " hive_types ignore_errors max_line_size names new_line normalize_names null_padding nullstr quote sample_size sep"
    " skip strict_mode thousands timestampformat types union_by_name",
    "json": "auto_detect columns compression convert_strings_to_integers dateformat field_appearance_threshold filename"
    " format hive_partitioning hive_types ignore_errors map_inference_threshold maximum_depth maximum_object_size"
    " records sample_size timestampformat union_by_name",
    "parquet": "filename hive_partitioning union_by_name",
    "text": "",
}
"""The options of functions that read files, by kind of file."""
_READERS: Final = {
    **dict.fromkeys(("read_csv", "read_csv_auto"), "csv"),
    **dict.fromkeys(("read_json", "read_json_auto", "read_ndjson", "read_ndjson_auto"), "json"),
    **dict.fromkeys(("read_parquet", "parquet_scan"), "parquet"),
    **dict.fromkeys(("read_text", "read_blob"), "text"),
}
_ENDINGS: Final = {
    **dict.fromkeys((".csv", ".tsv"), "read_csv"),
    **dict.fromkeys((".json", ".jsonl", ".ndjson"), "read_json"),
    ".parquet": "read_parquet",
}
_PACKED: Final = (".gz", ".zst")
_SAMPLE_ROWS: Final = 20_480
"""How many rows DuckDB looks at by itself for the types of columns."""


def reader_of(path: str) -> str | None:
    """Return the function that reads files of such a name; None if there is none.

    >>> reader_of("a/B.CSV.gz"), reader_of("x.ndjson"), reader_of("orders")
    ('read_csv', 'read_json', None)
    """
    name = fold(path)
    for packed in _PACKED:
        name = name.removesuffix(packed)
    return next((reader for ending, reader in _ENDINGS.items() if name.endswith(ending)), None)


def file_function(
    name: str, arguments: Sequence[Any], named: Mapping[str, Any]
) -> Rows | FileScan | ForeignRows | None:
    """Return the rows of a function of files; None if there is no such function.

    Raises:
        InvalidInputError: The arguments do not fit.
        NotFoundError: There is no file to read.
    """
    if name in _READERS:
        return _read(name, _existing_files(_patterns(name, arguments)), named)
    if named and (name in FOOTER_FUNCTIONS or name == "glob"):
        raise InvalidInputError(f'Binder Error: Invalid named parameter "{next(iter(named))}" for function {name}')
    if name in FOOTER_FUNCTIONS:
        paths = _existing_files(_patterns(name, arguments))
        if is_confined_text():
            try_footers(paths)
        columns, rows = files.parquet_facts.footer_facts(name, paths)
        return Rows(tuple(column(title, parse_type(kind)) for title, kind in columns), rows)
    if name == "glob":
        return Rows((column("file", types.VARCHAR),), [(path,) for path in _match_files(_patterns(name, arguments))])
    return None


def file_relation(name: str) -> FileScan | ForeignRows | None:
    """Return the rows of files that are named as a table; None if it is none."""
    reader = reader_of(name)
    if reader is None or not ("/" in name or _match_files([name])):
        return None
    return _read(reader, _existing_files([name]), {})


def _read(name: str, paths: Sequence[str], named: Mapping[str, Any]) -> FileScan | ForeignRows:
    """Return the rows of files.

    Parquet is a scan, unless Spark has no such values; all else is read by this process, when it is needed.
    """
    kind = _READERS[name]
    options = _OPTIONS[kind].split()
    for option in named:
        if option not in options:
            raise InvalidInputError(
                f'Binder Error: Invalid named parameter "{option}" for function {name}; nothing was read.',
                hint=f"Options: {', '.join(options)}." if options else None,
            )
    if kind == "parquet":
        plan = files.foreign_scan.plan_files([_absolute(path) for path in paths])
        if plan is not None:
            return FileScan(plan)
    _check_sample(name, named)
    return foreign_rows(name, paths, named)


def _check_sample(name: str, named: Mapping[str, Any]) -> None:
    """Refuse to look at more rows for types than DuckDB does by itself.

    Nothing ends that when time is over.

    Raises:
        LimitError: They are more, and the session is confined.
    """
    size = named.get("sample_size")
    if is_confined_text() and isinstance(size, int) and not 0 < size <= _SAMPLE_ROWS:
        raise LimitError(
            f"{name} looks at {_SAMPLE_ROWS:,} rows at most for the types of columns in a confined session, and"
            f" sample_size is {size:,}; nothing was read.",
            limit="rows",
            hint="Say the types: columns => {'a': 'BIGINT', ...}.",
        )


def _absolute(path: str) -> str:
    return os.path.abspath(path) if storage.is_local(path) else path


def parquet_query(name: str, arguments: Sequence[Any], named: Mapping[str, Any]) -> str | None:
    """Return a query for Parquet files whose names or directories are columns.

    None if the files are read as they are: the function is another one, or nothing but rows is asked for. Options
    are those of DuckDB: values of directories ``key=value`` are columns, unless ``hive_partitioning`` is false, after
    those of the files; ``filename`` adds the path of the file; with ``union_by_name`` files may have different
    columns.

    Raises:
        InvalidInputError: The arguments do not fit.
        NotFoundError: There is no file to read.
    """
    if _READERS.get(name) != "parquet" or (named.get("hive_partitioning") is False and len(named) == 1):
        return None
    paths = _existing_files(_patterns(name, arguments))
    title = named.get("filename")
    title = "filename" if title is True else title
    groups = _file_groups(
        paths,
        uses_directories=bool(named.get("hive_partitioning", True)),
        must_use=named.get("hive_partitioning") is True,
        title=str(title) if title else None,
        is_united=bool(named.get("union_by_name")),
    )
    if groups is None or named.keys() - set(_OPTIONS["parquet"].split()):
        return None
    return file_rows_text(groups.files, groups.kinds)


@dataclass(frozen=True, slots=True)
class _FileGroups:
    files: Sequence[tuple[Directories, Sequence[str], Sequence[str]]]
    kinds: Mapping[str, str]


def _file_groups(
    paths: Sequence[str], *, uses_directories: bool, must_use: bool, title: str | None, is_united: bool
) -> _FileGroups | None:
    """Return files by the constants that their rows get; None if they get none.

    The keys of their directories are columns: BIGINT or DATE if all values are, else VARCHAR.

    Raises:
        InvalidInputError: Directories have different keys, and it was said that they are columns.
    """
    found = {path: hive_values(path) if uses_directories else {} for path in paths}
    keys = sorted(found[paths[0]])
    other = next((path for path, values in found.items() if values.keys() != found[paths[0]].keys()), None)
    if must_use and other is not None:
        raise InvalidInputError(
            f'Binder Error: Hive partition mismatch between file "{paths[0]}" and "{other}": their directories have'
            " different keys; nothing was read."
        )
    if other is not None:
        keys = []
    if not keys and title is None and not is_united:
        return None
    texts = {key: [hive_text(types.VARCHAR, values[key]) for values in found.values()] for key in keys}
    groups: dict[tuple[Any, ...], list[str]] = {}
    constants: dict[tuple[Any, ...], Directories] = {}
    rows = zip(*texts.values(), strict=True) if keys else ((),) * len(paths)
    for path, values in zip(paths, rows, strict=True):
        own = tuple(zip(keys, values, strict=True))
        said = (*((title, path) for _ in [0] if title is not None), *own)
        columns = parquet_columns(path) if is_united else ()
        groups.setdefault((said, columns), []).append(path)
        constants[said, columns] = said
    kinds = {key: _hive_type(values) for key, values in texts.items()}
    files = [(constants[key], inner, parquet_columns(inner[0]) if keys else ()) for key, inner in groups.items()]
    return _FileGroups(files, kinds)


def parquet_columns(path: str) -> Sequence[str]:
    """Return the names of the columns of a Parquet file."""
    return tuple(field.name for field in read_footer(_absolute(path)).fields)


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
    return list(chain.from_iterable(match_files(pattern) for pattern in patterns))


def _existing_files(patterns: Sequence[str]) -> list[str]:
    paths = _match_files(patterns)
    if not paths:
        raise NotFoundError(f'IO Error: No files found that match the pattern "{", ".join(patterns)}"')
    return paths
