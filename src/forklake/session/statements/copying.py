"""COPY: rows of a query into files, and files into a table."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, Final

from forklake import files
from forklake.errors import InvalidInputError, NotFoundError
from forklake.files.access import storage
from forklake.files.access.find_files import match_files
from forklake.files.parquet.copy_out import CopyLayout, copy_out
from forklake.files.parquet.partitions import hive_text, hive_values
from forklake.model import types
from forklake.model.field import Field
from forklake.model.flags import read_flag
from forklake.model.names import fold
from forklake.session.listings.system_files import parquet_columns, reader_of
from forklake.session.names.name_resolution import SessionNames
from forklake.session.results.result import Result
from forklake.session.state import SessionState
from forklake.session.statements import changes, queries
from forklake.sql import statements
from forklake.sql.copy_queries import Directories, copied_rows, file_rows, read_rows
from forklake.sql.expressions.columns import missing_column
from forklake.sql.query.bind import bind_query
from forklake.sql.simple_queries import all_of, compute_options

_DIGITS: Final = 18
"""So many digits have the largest numbers of options, which are within 64 bits."""
_COMPRESSIONS: Final = ("uncompressed", "snappy", "gzip", "zstd", "brotli", "lz4", "lz4_raw")
_GEOPARQUET_VERSIONS: Final = ("NONE", "V1", "V2", "BOTH")
_DIRECTORIES: Final = "append filename_pattern format overwrite_or_ignore partition_by write_partition_columns"
_TO: Final = {
    "parquet": f"{_DIRECTORIES} codec compression geoparquet_version overwrite per_thread_output row_group_size"
    " row_groups_per_file",
    "csv": f"{_DIRECTORIES} compression dateformat delim delimiter encoding escape force_quote header null nullstr"
    " prefix quote sep suffix timestampformat",
    "json": f"{_DIRECTORIES} array compression dateformat timestampformat",
}
"""The options of COPY ... TO, by format."""
_FROM: Final = {
    "parquet": "format hive_partitioning",
    "csv": "allow_quoted_nulls auto_detect comment compression dateformat decimal_separator delim delimiter encoding"
    " escape force_not_null format header ignore_errors max_line_size new_line null null_padding nullstr quote"
    " sample_size sep skip strict_mode thousands timestampformat",
    "json": "auto_detect compression dateformat format ignore_errors records timestampformat",
}
"""The options of COPY ... FROM, by format."""
_ENDINGS: Final = {"read_parquet": "parquet", "read_json": "json"}


def copy_to(state: SessionState, statement: statements.CopyTo) -> Result:
    """Run COPY ... TO."""
    path = storage.absolute_path(statement.path)
    state.policy.check_place(path)
    options = _Options(state, statement.options, statement.path, _TO)
    names = SessionNames(state, acting=[])
    query = copied_rows(statement)
    bound = bind_query(query, names)
    if names.acting:
        bound = bind_query(query, SessionNames(state))
    fields = _named_fields(tuple(bound.columns))
    keys = _keys(options, fields)
    layout = _layout(options, keys) if options.form == "parquet" else None
    is_directory = bool(keys) or (layout is not None and layout.groups_per_file is not None)
    state.policy.check_target(path, is_directory=is_directory, may_replace=options.may_replace)
    _check_place(state, path, is_directory=is_directory)
    state.policy.check_end(options.given.get("suffix", ""))
    rows = queries.answer(state, bound).arrow().rename_columns([field.name for field in fields])
    if layout is not None:
        copy_out(rows, fields, path, layout)
    else:
        files.foreign_files.write_foreign(
            rows, fields, path, _foreign_options(options, keys), may_exist=options.may_exist
        )
    return Result.of_count(rows.num_rows, state.setup.engine)


def _foreign_options(options: _Options, keys: Sequence[str]) -> dict[str, Any]:
    """Return the options of a CSV or JSON file, for DuckDB."""
    found = {name: value for name, value in options.given.items() if name not in ("append", "overwrite_or_ignore")}
    if keys:
        found |= {"partition_by": list(keys)}
        if options.flag("append") or options.has("filename_pattern"):
            found["filename_pattern"] = options.pattern
    return {**found, "format": options.form}


def copy_from(state: SessionState, statement: statements.CopyFrom) -> Result:
    """Run COPY ... FROM: the columns of the files are those of the table, in order."""
    state.policy.check_files([statement.path])
    options = _Options(state, statement.options, statement.path, _FROM)
    is_directory = options.form == "parquet" and os.path.isdir(statement.path)
    pattern = f"{statement.path.rstrip('/')}/**/*.parquet" if is_directory else statement.path
    state.policy.check_files([pattern])
    paths = match_files(pattern)
    if not paths:
        raise NotFoundError(f'IO Error: No files found that match the pattern "{statement.path}"; nothing was copied.')
    if options.form != "parquet":
        given = _reader_options(options)
        kinds = _column_types(state, statement, is_text=options.form == "csv")
        query = read_rows(f"read_{options.form}", paths, {**given, "columns": kinds})
        return changes.insert(state, statements.Insert(statement.table, query, statement.columns))
    uses_directories = options.flag("hive_partitioning", default=is_directory)
    groups: dict[Directories, list[str]] = {}
    for path in paths:
        found = hive_values(path) if uses_directories else {}
        values = tuple((name, hive_text(types.VARCHAR, text)) for name, text in found.items())
        groups.setdefault(values, []).append(path)
    files = [(values, inner, parquet_columns(inner[0]) if values else ()) for values, inner in groups.items()]
    return changes.insert(state, statements.Insert(statement.table, file_rows(files), statement.columns))


def _reader_options(options: _Options) -> dict[str, Any]:
    """Return the options of COPY ... FROM as DuckDB's reader of files takes them."""
    named = {"null": "nullstr", "delimiter": "delim"}
    found = {named.get(name, name): value for name, value in options.given.items() if name != "format"}
    if "force_not_null" in found:
        found["force_not_null"] = options.names("force_not_null")
    if options.form == "csv" and "header" in found:
        found["header"] = options.flag("header")
    return found


def _column_types(state: SessionState, statement: statements.CopyFrom, *, is_text: bool) -> dict[str, str]:
    """Return the columns that a file is copied to, with the names of their types.

    What a file of texts has for a variant is a text.
    """
    columns = bind_query(all_of(statement.table), SessionNames(state)).columns
    found = {fold(field.name): field for field in columns}
    for name in statement.columns:
        if fold(name) not in found:
            raise missing_column(name, [field.name for field in columns])
    chosen = [found[fold(name)] for name in statement.columns] or columns
    return {
        field.name: (types.VARCHAR if is_text and field.type == types.VARIANT else field.type).sql_name
        for field in chosen
    }


class _Options:
    """The options of a COPY, and the format of its files."""

    def __init__(self, state: SessionState, given: Mapping[str, Any], path: str, known: Mapping[str, str]) -> None:
        self.given = self._given = compute_options(given, SessionNames(state))
        named = self._given.get("format")
        self.form = str(named).lower() if named is not None else _form_of(path)
        check_format(self.form)
        options = known[self.form].split()
        for name in self._given:
            if name not in options:
                raise InvalidInputError(
                    f'Not implemented Error: Unrecognized option for {self.form.upper()}: "{name}"; nothing was'
                    " copied.",
                    hint=f"Options: {', '.join(sorted(options))}.",
                )

    def has(self, name: str) -> bool:
        return name in self._given

    @property
    def may_exist(self) -> bool:
        """Whether files may be written into a directory that has some."""
        return self.flag("append") or self.flag("overwrite_or_ignore")

    @property
    def pattern(self) -> str:
        """The name of files in directories.

        Raises:
            InvalidInputError: It leads into another directory.
        """
        found = self.text("filename_pattern", "data_{uuid}" if self.flag("append") else "data_{i}")
        if "/" in found or "\\" in found or not found:
            raise InvalidInputError("FILENAME_PATTERN is the name of a file, without directories; nothing was copied.")
        return found

    @property
    def may_replace(self) -> bool:
        """Whether files of a directory might be replaced."""
        return self.may_exist and "{uuid}" not in self.pattern

    def flag(self, name: str, *, default: bool = False) -> bool:
        found = read_flag(self._given.get(name, default))
        if found is None:
            raise InvalidInputError(f'The option {name.upper()} is true or false, not "{self._given[name]}".')
        return found

    def number(self, name: str, default: int) -> int:
        value = self._given.get(name, default)
        text = str(value)
        if not text.isdecimal() or not text.strip("0"):
            raise InvalidInputError(f'The option {name.upper()} is a positive number, not "{value}".')
        if len(text) > _DIGITS:
            raise InvalidInputError(
                f'The option {name.upper()} has at most {_DIGITS} digits, not {len(text)}: "{value}".'
            )
        return int(text)

    def text(self, name: str, default: str) -> str:
        return str(self._given.get(name, default))

    def names(self, name: str) -> list[str]:
        value = self._given.get(name, [])
        return [str(one) for one in (value if isinstance(value, list) else [value])]


def check_format(form: str) -> None:
    """Refuse a format that files are not written and read in.

    Raises:
        InvalidInputError: It is one.
    """
    if form not in _TO:
        raise InvalidInputError(
            f"Catalog Error: Copy Function with name {form} does not exist! Nothing was copied.",
            hint=f"FORMAT is one of {', '.join(sorted(_TO))}.",
        )


def is_option_of_reading(form: str, name: str) -> bool:
    """Return whether COPY ... FROM has an option for files of a format."""
    return name in _FROM[form].split()


def _form_of(path: str) -> str:
    """Return the format of files at a path, which a directory has by its files."""
    if os.path.isdir(path):
        return "parquet"
    return _ENDINGS.get(reader_of(path) or "", "csv")


def _keys(options: _Options, fields: tuple[Field, ...]) -> tuple[str, ...]:
    """Return the columns of PARTITION_BY."""
    keys = [_key(name, fields) for name in options.names("partition_by")]
    if len(set(keys)) < len(keys):
        raise InvalidInputError("A column is named twice in PARTITION_BY; nothing was copied.")
    if options.has("partition_by") and not keys:
        raise InvalidInputError("PARTITION_BY names no column; nothing was copied.")
    return tuple(keys)


def _layout(options: _Options, keys: tuple[str, ...]) -> CopyLayout:
    compression = options.text("compression", options.text("codec", "snappy")).lower()
    if compression not in _COMPRESSIONS:
        raise InvalidInputError(
            f'Binder Error: COMPRESSION is one of {", ".join(_COMPRESSIONS)}, not "{compression}"; nothing was copied.'
        )
    if keys and options.has("row_groups_per_file"):
        raise InvalidInputError(
            "Not implemented Error: Can't combine file rotation (e.g., ROW_GROUPS_PER_FILE) and PARTITION_BY for COPY;"
            " nothing was copied."
        )
    if options.flag("per_thread_output"):
        raise InvalidInputError("COPY with PER_THREAD_OUTPUT is not supported; nothing was copied.")
    if keys and options.flag("overwrite"):
        raise InvalidInputError(
            "COPY with PARTITION_BY and OVERWRITE would delete all files of the directory, and is not supported;"
            " nothing was copied.",
            hint="OVERWRITE_OR_IGNORE replaces files of the same name, APPEND adds others.",
        )
    return CopyLayout(
        partition_by=keys,
        compression=compression,
        row_group_size=options.number("row_group_size", 122_880),
        groups_per_file=options.number("row_groups_per_file", 1) if options.has("row_groups_per_file") else None,
        may_exist=options.may_exist,
        pattern=options.pattern.removesuffix(".parquet"),
        keeps_columns=options.flag("write_partition_columns"),
        geoparquet_version=_geoparquet_version(options),
    )


def _geoparquet_version(options: _Options) -> str | None:
    if not options.has("geoparquet_version"):
        return None
    given = options.given["geoparquet_version"]
    if given is None:
        raise InvalidInputError(
            'Binder Error: NULL is not supported as a valid option for COPY option "geoparquet_version"; nothing was'
            " copied."
        )
    if not isinstance(given, str):
        raise InvalidInputError(
            'Invalid Input Error: Copy option "geoparquet_version" expected an argument of type VARCHAR; nothing was'
            " copied."
        )
    if given.upper() not in _GEOPARQUET_VERSIONS:
        raise InvalidInputError(
            f"Binder Error: Expected geoparquet_version 'NONE', 'V1', 'V2' or 'BOTH', not \"{given}\"; nothing was"
            " copied."
        )
    return given.upper()


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


def _check_place(state: SessionState, path: str, *, is_directory: bool) -> None:
    """Refuse to write over files of an attached lake, or into no directory.

    Directories of a lake are made when they are first needed: below its data path, that is now.

    Raises:
        InvalidInputError: It is a file of a lake, or a directory where a file is to be written.
        NotFoundError: The directory above it does not exist.
    """
    is_ours = os.path.basename(path).startswith("ducklake-")
    bases = [attached.lake.data_path for attached in state.attachments.all()]
    is_within = any(base is not None and path.startswith(base) for base in bases)
    if is_within and is_ours and storage.exists(path):
        raise InvalidInputError(f'"{path}" is a file of an attached lake, which COPY does not replace.')
    if not is_directory and storage.is_local(path) and os.path.isdir(path):
        raise InvalidInputError(f'IO Error: Cannot open file "{path}": it is a directory; nothing was copied.')
    above = os.path.dirname(storage.local_path(path).rstrip("/"))
    if storage.is_local(path) and is_within:
        storage.make_directory(above)
    elif storage.is_local(path) and not os.path.exists(above):
        what = "Failed to create directory" if is_directory else "Cannot open file"
        raise NotFoundError(
            f'IO Error: {what} "{path}": No such file or directory; nothing was copied.',
            hint="Make the directory above it first.",
        )
