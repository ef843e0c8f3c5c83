"""COPY: rows of a query into Parquet files, and Parquet files into a table."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Mapping
from typing import Any, Final

from forklake.errors import InvalidInputError, NotFoundError
from forklake.files import storage
from forklake.files.copy_out import CopyLayout, copy_out
from forklake.files.find_files import match_files
from forklake.files.partitions import hive_text, hive_values
from forklake.model import types
from forklake.model.field import Field
from forklake.model.flags import read_flag
from forklake.model.names import fold
from forklake.session import changes, queries
from forklake.session.name_resolution import SessionNames
from forklake.session.result import Result
from forklake.session.state import SessionState
from forklake.sql import statements
from forklake.sql.copy_queries import Directories, copied_rows, file_rows
from forklake.sql.made_queries import compute_options
from forklake.sql.query.bind import bind_query

_COMPRESSIONS: Final = ("uncompressed", "snappy", "gzip", "zstd", "brotli", "lz4", "lz4_raw")
_TO: Final = frozenset(
    {
        "format",
        "compression",
        "codec",
        "row_group_size",
        "partition_by",
        "overwrite",
        "overwrite_or_ignore",
        "append",
        "filename_pattern",
        "write_partition_columns",
        "per_thread_output",
    }
)
_FROM: Final = frozenset({"format", "hive_partitioning"})


def copy_to(state: SessionState, statement: statements.CopyTo) -> Result:
    """Run COPY ... TO."""
    options = _Options(state, statement.options, statement.path, _TO)
    names = SessionNames(state, acting=[])
    query = copied_rows(statement)
    bound = bind_query(query, names)
    if names.acting:
        bound = bind_query(query, SessionNames(state))
    fields = _named_fields(tuple(bound.columns))
    layout = _layout(options, fields)
    path = _absolute(statement.path)
    _check_place(state, path, layout)
    rows = queries.answer(state, bound).arrow().rename_columns([field.name for field in fields])
    copy_out(rows, fields, path, layout)
    return Result.of_count(rows.num_rows, state.setup.engine)


def copy_from(state: SessionState, statement: statements.CopyFrom) -> Result:
    """Run COPY ... FROM: the columns of the files are those of the table, in order."""
    options = _Options(state, statement.options, statement.path, _FROM)
    is_directory = os.path.isdir(statement.path)
    paths = match_files(f"{statement.path.rstrip('/')}/**/*.parquet" if is_directory else statement.path)
    if not paths:
        raise NotFoundError(f'IO Error: No files found that match the pattern "{statement.path}"; nothing was copied.')
    uses_directories = options.flag("hive_partitioning", default=is_directory)
    groups: dict[Directories, list[str]] = {}
    for path in paths:
        found = hive_values(path) if uses_directories else {}
        values = tuple((name, hive_text(types.VARCHAR, text)) for name, text in found.items())
        groups.setdefault(values, []).append(path)
    return changes.insert(state, statements.Insert(statement.table, file_rows(groups), statement.columns))


class _Options:
    """The options of a COPY."""

    def __init__(self, state: SessionState, given: Mapping[str, Any], path: str, known: frozenset[str]) -> None:
        self._given = compute_options(given, SessionNames(state))
        for name in self._given:
            if name not in known:
                raise InvalidInputError(
                    f'Not implemented Error: Unrecognized option for PARQUET: "{name}"; nothing was copied.',
                    hint=f"Options: {', '.join(sorted(known))}.",
                )
        form = str(self._given.get("format", "parquet" if fold(path).endswith(".parquet") else "")).lower()
        if form != "parquet" and not (form == "" and "partition_by" not in self._given and os.path.isdir(path)):
            raise InvalidInputError(
                f"COPY {f'with FORMAT {form}' if form else 'without FORMAT parquet'} is not supported; nothing was"
                " copied.",
                hint="Only Parquet files are copied: COPY ... (FORMAT parquet).",
            )

    def has(self, name: str) -> bool:
        return name in self._given

    def flag(self, name: str, *, default: bool = False) -> bool:
        found = read_flag(self._given.get(name, default))
        if found is None:
            raise InvalidInputError(f'The option {name.upper()} is true or false, not "{self._given[name]}".')
        return found

    def number(self, name: str, default: int) -> int:
        value = self._given.get(name, default)
        if not str(value).isdecimal() or int(value) < 1:
            raise InvalidInputError(f'The option {name.upper()} is a positive number, not "{value}".')
        return int(value)

    def text(self, name: str, default: str) -> str:
        return str(self._given.get(name, default))

    def names(self, name: str) -> list[str]:
        value = self._given.get(name, [])
        return [str(one) for one in (value if isinstance(value, list) else [value])]


def _layout(options: _Options, fields: tuple[Field, ...]) -> CopyLayout:
    compression = options.text("compression", options.text("codec", "snappy")).lower()
    if compression not in _COMPRESSIONS:
        raise InvalidInputError(
            f'Binder Error: COMPRESSION is one of {", ".join(_COMPRESSIONS)}, not "{compression}"; nothing was copied.'
        )
    if options.flag("per_thread_output"):
        raise InvalidInputError("COPY with PER_THREAD_OUTPUT is not supported; nothing was copied.")
    keys = [_key(name, fields) for name in options.names("partition_by")]
    if len(set(keys)) < len(keys):
        raise InvalidInputError("A column is named twice in PARTITION_BY; nothing was copied.")
    if options.has("partition_by") and not keys:
        raise InvalidInputError("PARTITION_BY names no column; nothing was copied.")
    if keys and options.flag("overwrite"):
        raise InvalidInputError(
            "COPY with PARTITION_BY and OVERWRITE would delete all files of the directory, and is not supported;"
            " nothing was copied.",
            hint="OVERWRITE_OR_IGNORE replaces files of the same name, APPEND adds others.",
        )
    appends = options.flag("append")
    pattern = options.text("filename_pattern", "data_{uuid}" if appends else "data_{i}")
    if "/" in pattern or not pattern:
        raise InvalidInputError("FILENAME_PATTERN is the name of a file, without directories; nothing was copied.")
    return CopyLayout(
        partition_by=tuple(keys),
        compression=compression,
        row_group_size=options.number("row_group_size", 122_880),
        may_exist=appends or options.flag("overwrite_or_ignore"),
        pattern=pattern.removesuffix(".parquet"),
        keeps_columns=options.flag("write_partition_columns"),
    )


def _key(name: str, fields: tuple[Field, ...]) -> str:
    found = next((field for field in fields if fold(field.name) == fold(name)), None)
    if found is None:
        raise InvalidInputError(
            f'Binder Error: Column "{name}" not found in the query: it is in PARTITION_BY; nothing was copied.'
        )
    if found.children:
        raise InvalidInputError(f'Rows cannot be partitioned by "{name}" of type {found.type.sql_name}.')
    return found.name


def _named_fields(fields: tuple[Field, ...]) -> tuple[Field, ...]:
    """Return the columns of a query, which must have different names in a file.

    Raises:
        InvalidInputError: Two have the same name.
    """
    (name, count), *_ = Counter(fold(field.name) for field in fields).most_common(1)
    if count > 1:
        raise InvalidInputError(f'Two columns of the query have the name "{name}"; nothing was copied.')
    return fields


def _absolute(path: str) -> str:
    return os.path.abspath(storage.local_path(path)) if storage.is_local(path) else path


def _check_place(state: SessionState, path: str, layout: CopyLayout) -> None:
    """Refuse to write over files of an attached lake.

    Raises:
        InvalidInputError: It is one.
    """
    is_ours = os.path.basename(path).startswith("ducklake-")
    for attached in state.attachments.all():
        base = attached.lake.data_path
        if base is not None and path.startswith(base) and is_ours and storage.exists(path):
            raise InvalidInputError(f'"{path}" is a file of an attached lake, which COPY does not replace.')
    if not layout.partition_by and storage.is_local(path) and os.path.isdir(path):
        raise InvalidInputError(f'IO Error: Cannot open file "{path}": it is a directory; nothing was copied.')
