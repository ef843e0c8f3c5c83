"""What Parquet files say of themselves: DuckDB's functions of their footers."""

from __future__ import annotations

from collections.abc import Sequence
from tempfile import TemporaryDirectory
from typing import Any

import duckdb

from forklake.duck.databases import own_database
from forklake.errors import DataFileError
from forklake.files.access import storage
from forklake.files.parquet.footer import read_metadata, read_tail
from forklake.model.quoting import as_pattern


def footer_facts(function: str, paths: Sequence[str]) -> tuple[list[tuple[str, str]], list[tuple[Any, ...]]]:
    """Return the columns and the rows of one of DuckDB's functions of footers.

    A column is its name, and its type as DuckDB names it.

    Raises:
        DataFileError: A file is no Parquet file, is encrypted, or cannot be read.
    """
    for path in paths:
        read_metadata(
            storage.absolute_path(path)
        )  # it refuses columns that are nested so deeply that DuckDB ends the process
    with TemporaryDirectory() as directory, own_database() as database:
        places = [_see(path, f"{directory}/{number}") for number, path in enumerate(paths)]
        seen = dict(zip(places, paths, strict=True))
        try:
            found = database.execute(f"FROM {function}(?)", [[as_pattern(place) for place in places]])
            columns = [(name, str(kind)) for name, kind, *_ in found.description or ()]
            # The first column of each of these functions is the path.
            return columns, [(seen.get(path, path), *values) for path, *values in found.fetchall()]
        except duckdb.Error as error:
            text = str(error)
            for place, path in seen.items():
                text = text.replace(place, path)
            raise DataFileError(f"The footers of the files cannot be read: {text}") from error


def _see(path: str, place: str) -> str:
    """Return a local file with the footer of a file: itself if it is local.

    Else it is one that is as long, and holds nothing but the beginning and the end.
    """
    if storage.is_local(path):
        return storage.local_path(path)
    tail, byte_count = read_tail(path)
    with open(place, "wb") as copy:
        copy.write(tail[-4:])
        copy.truncate(byte_count)
        copy.seek(byte_count - len(tail))
        copy.write(tail)
    return place
