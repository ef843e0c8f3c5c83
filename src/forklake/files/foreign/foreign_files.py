"""Files that DuckDB reads and writes in this process: CSV, JSON and others."""

from __future__ import annotations

import os
import re
import shutil
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import lru_cache
from typing import Any, Final
from uuid import uuid4

import duckdb
import pyarrow as pa

from forklake import files
from forklake.duck import json_depth
from forklake.duck.databases import own_database
from forklake.errors import AlreadyExistsError, InvalidInputError
from forklake.files.access import storage
from forklake.files.arrow.geometry_arrays import mark_geometries
from forklake.files.arrow.wide_integers import duckdb_table
from forklake.model import types
from forklake.model.field import Field
from forklake.model.interruption import end_in_time
from forklake.model.quoting import as_pattern

_BATCH_ROWS: Final = 2**14
_COPIED: Final = 2**20
_OF_DUCKDB: Final = re.compile("[A-Za-z ]+ Error: ")
"""How errors of DuckDB begin, which Arrow passes on as its own while it reads rows."""
_ENDING: Final = re.compile(r"(\.[A-Za-z0-9]{1,10}){0,2}$")
"""By their endings DuckDB knows which files are compressed."""


def describe_foreign(function: str, paths: Sequence[str], options: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Return the names and DuckDB's types of the columns of files.

    Their beginnings are read. Arguments and errors are those of `read_foreign`.
    """
    with _open_foreign(function, paths, options) as (connection, query, _):
        return [(str(name), str(kind)) for name, kind, *_ in connection.execute(f"DESCRIBE {query}").fetchall()]


def read_foreign(
    function: str,
    paths: Sequence[str],
    options: Mapping[str, Any],
    *,
    limit: int | None = None,
    count: Callable[[int], None] = lambda byte_count: None,
) -> pa.Table:
    """Return the rows of files.

    Args:
        function: DuckDB's function that reads them.
        paths: The files, local or URLs; what is remote is fetched first.
        options: Named arguments of the function.
        limit: The most rows to return; what lies behind them is not read, and may be wrong.
        count: Is given the bytes of rows as they are read, and may end the reading by an error.

    Raises:
        InvalidInputError: DuckDB cannot read them like that.
        DataFileError: A file cannot be fetched.
    """
    ending = "" if limit is None else f" LIMIT {limit}"
    with _open_foreign(function, paths, options) as (connection, query, fetched):
        reader = connection.execute(query + ending).to_arrow_reader(_BATCH_ROWS)
        batches = []
        for batch in reader:
            count(batch.nbytes)
            batches.append(batch)
        rows = pa.Table.from_batches(batches, reader.schema)
    for number, name in enumerate(rows.column_names):
        if name == options.get("filename", "filename") or (options.get("filename") is True and name == "filename"):
            values = [fetched.get(one, one) for one in rows.column(number).to_pylist()]
            rows = rows.set_column(number, name, pa.array(values, rows.schema.field(number).type))
    return rows


@contextmanager
def _open_foreign(
    function: str, paths: Sequence[str], options: Mapping[str, Any]
) -> Iterator[tuple[duckdb.DuckDBPyConnection, str, Mapping[str, str]]]:
    """Provide a database, the query that reads files, and what was fetched."""
    with tempfile.TemporaryDirectory() as directory, own_database() as connection:
        fetched = {_fetch(path, f"{directory}/{number}"): path for number, path in enumerate(paths)}
        named = "".join(f", {name} = {_literal(value)}" for name, value in options.items())
        query = f"SELECT * FROM {function}({_literal([as_pattern(place) for place in fetched])}{named})"
        if function in _JSON_READERS:
            for place, path in fetched.items():
                _check_depth(place, path, options)
        with _explain({**fetched, **{as_pattern(place): path for place, path in fetched.items()}}):
            yield connection, query, fetched


def _check_depth(place: str, path: str, options: Mapping[str, Any]) -> None:
    """Refuse a file of JSON that is nested too deeply.

    DuckDB goes down into it before it knows its columns.

    Raises:
        InvalidInputError: It is.
        DataFileError: It cannot be read.
    """
    told = str(options.get("compression") or "auto_detect").lower()
    by_name = next((kind for end, kind in _PACKINGS.items() if place.lower().endswith(end)), None)
    packing = by_name if told.startswith("auto") else told if told in _PACKINGS.values() else None
    with storage.explain_errors(path, "read"):
        found = os.stat(place)
        _check_depth_of(place, path, packing, (found.st_ino, found.st_size, found.st_mtime_ns))


@lru_cache(maxsize=1_000)
def _check_depth_of(place: str, path: str, packing: str | None, written: tuple[int, int, int]) -> None:
    """Do what `_check_depth` does, once for a file as it was written.

    A query describes a file before it reads it.
    """
    with pa.input_stream(place, compression=packing) as opened:
        json_depth.check_parts(_parts(opened), path)


def _parts(opened: pa.NativeFile) -> Iterator[bytes]:
    while part := opened.read(_SLICE):
        end_in_time()
        yield part


_SLICE: Final = 2**18
_JSON_READERS: Final = frozenset({"read_json", "read_json_auto", "read_ndjson", "read_ndjson_auto"})
_PACKINGS: Final = {".gz": "gzip", ".zst": "zstd"}
_PACKED: Final = (".gz", ".zst")
"""How names of packed files end."""


def write_foreign(
    rows: pa.Table, fields: Sequence[Field], path: str, options: Mapping[str, Any], *, may_exist: bool
) -> None:
    """Write rows to a CSV or JSON file, or to a directory of partitions.

    A single file is there whole or not at all, and replaces one that was there. If a directory cannot be
    written, the files that were written are removed.

    Args:
        rows: The rows.
        fields: Their columns.
        path: The file or directory, absolute or a URL.
        options: Options of DuckDB's COPY.
        may_exist: Whether a directory may have files already.

    Raises:
        AlreadyExistsError: The directory has files already.
        InvalidInputError: DuckDB cannot write such rows, or does not take the options.
        DataFileError: A file cannot be written.
    """
    is_directory = "partition_by" in options
    if is_directory and not may_exist and storage.list_files(path):
        raise AlreadyExistsError(
            f'Directory "{path}" is not empty! Enable OVERWRITE_OR_IGNORE option to force writing; nothing was written.'
        )
    shown = ", ".join(f"CAST({_value(field)} AS {field.type.sql_name}) AS {_name(field.name)}" for field in fields)
    said = ", ".join(f"{name} {_option(name, value)}" for name, value in options.items())
    with tempfile.TemporaryDirectory() as directory, own_database() as connection:
        # By the end of the name DuckDB knows whether the file is packed.
        packed = "" if is_directory else next((end for end in _PACKED if path.lower().endswith(end)), "")
        made = os.path.join(directory, f"made{packed}")
        connection.register("rows_to_copy", mark_geometries(duckdb_table(rows, fields), fields))
        with _explain({made: path}):
            connection.execute(f"COPY (SELECT {shown} FROM rows_to_copy) TO {_literal(made)} ({said})")
        written: list[str] = []
        try:
            for file in _files_of(made) if is_directory else [made]:
                end_in_time()
                target = f"{path.rstrip('/')}/{os.path.relpath(file, made)}" if is_directory else path
                written.append(target)
                _put(file, target)
        except BaseException:
            if is_directory:
                storage.delete(written)
            raise


@contextmanager
def _explain(places: Mapping[str, str]) -> Iterator[None]:
    """Raise errors of DuckDB as our own, with the paths that the caller knows."""
    try:
        yield
    except (duckdb.Error, pa.ArrowException, OSError) as error:
        text = str(error)
        if isinstance(error, OSError) and not _OF_DUCKDB.match(text):
            raise
        for place, path in places.items():
            text = text.replace(place, path)
        raise InvalidInputError(text.partition("\n\nLINE ")[0]) from error


def _fetch(path: str, directory: str) -> str:
    """Return the local path of a file.

    One of an object store is copied into a new directory.
    Directories above it that may be values of columns keep their names, and so does the ending of the file. Other names
    there may be longer than those of files, and a file may have the name of a directory.
    """
    if storage.is_local(path):
        return storage.local_path(path)
    *above, name = path.split("/")
    ending = _ENDING.search(name)
    target = "/".join([directory, *(one for one in above if "=" in one), f"file{ending[0] if ending else ''}"])
    with storage.explain_errors(path, "read"):
        os.makedirs(os.path.dirname(target))
    with storage.open_input(path) as source, storage.explain_errors(path, "read"), open(target, "wb") as sink:
        shutil.copyfileobj(source, sink, _COPIED)
    return target


def _put(file: str, path: str) -> None:
    place = f"{path}.{uuid4().hex}.tmp" if storage.is_local(path) else path
    try:
        with (
            storage.open_output(place) as sink,
            storage.explain_errors(path, "written"),
            open(file, "rb") as source,
        ):
            shutil.copyfileobj(source, sink, _COPIED)
        if place != path:
            with storage.explain_errors(path, "written"):
                os.replace(storage.local_path(place), storage.local_path(path))
    except BaseException:
        storage.delete([place])
        raise


def _files_of(directory: str) -> list[str]:
    return sorted(os.path.join(place, name) for place, _, names in os.walk(directory) for name in names)


def _value(field: Field) -> str:
    name = _name(field.name)
    return files.variants.variant_of(name) if field.type == types.VARIANT else name


def _name(text: str) -> str:
    return '"' + text.replace('"', '""') + '"'


def _option(name: str, value: Any) -> str:
    if name in ("partition_by", "force_quote") and isinstance(value, list):
        return f"({', '.join(_name(str(one)) for one in value)})"
    return _literal(value)


def _literal(value: Any) -> str:
    """Return a Python value as DuckDB writes it.

    >>> _literal([1, True, "it's", {"a": None}])
    "[1, true, 'it''s', {'a': NULL}]"
    """
    if value is None:
        return "NULL"
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, list | tuple):
        return f"[{', '.join(_literal(one) for one in value)}]"
    if isinstance(value, dict):
        return "{" + ", ".join(f"{_literal(str(key))}: {_literal(one)}" for key, one in value.items()) + "}"
    if isinstance(value, int):
        return str(value)
    return "'" + str(value).replace("'", "''") + "'"
