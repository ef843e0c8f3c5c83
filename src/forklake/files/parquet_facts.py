"""What Parquet files say of themselves: DuckDB's functions of their footers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import duckdb

from forklake.errors import DataFileError


def footer_facts(function: str, paths: Sequence[str]) -> tuple[list[tuple[str, str]], list[tuple[Any, ...]]]:
    """Return the columns and the rows of one of DuckDB's functions of footers.

    A column is its name, and its type as DuckDB names it.

    Raises:
        DataFileError: A file is no Parquet file, or is encrypted.
    """
    with duckdb.connect() as database:
        try:
            found = database.execute(f"FROM {function}(?)", [list(paths)])
            columns = [(name, str(kind)) for name, kind, *_ in found.description or ()]
            return columns, found.fetchall()
        except duckdb.Error as error:
            raise DataFileError(f"The footers of the files cannot be read: {error}") from error
