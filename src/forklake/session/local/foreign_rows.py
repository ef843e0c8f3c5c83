"""Rows of CSV, JSON and other files, read when a query needs them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field
from typing import Any

import pyarrow as pa

from forklake import files
from forklake.engine.statement_limits import UnpackedBytes, charge_files, current_allowance
from forklake.files.access import storage
from forklake.files.arrow.wide_integers import table_of_duckdb
from forklake.files.incoming.conform import conform
from forklake.model.field import Field
from forklake.model.lazy_dataclass import dataclass
from forklake.session.names.known_rows import column
from forklake.sql.parse import parse_type


@dataclass(slots=True, eq=False)
class ForeignRows:
    """Rows of files that DuckDB reads.

    Attributes:
        columns: The columns, as DuckDB finds them in the beginnings of the files.
        function: DuckDB's function that reads them.
        paths: The files.
        options: Named arguments of the function.
    """

    columns: tuple[Field, ...]
    function: str
    paths: Sequence[str]
    options: Mapping[str, Any]
    _all: pa.Table | None = field(default=None, init=False, repr=False)

    def read(self, limit: int | None = None) -> pa.Table:
        """Return the rows, conformed to the columns; all of them are read once.

        Args:
            limit: The most rows to return; nothing behind them is read.

        Raises:
            InvalidInputError: The files cannot be read like that.
            DataFileError: A file is missing, or cannot be fetched.
            LimitError: They are more bytes than are allowed, or time is over.
        """
        if self._all is not None:
            return self._all.slice(0, limit)
        sizes = storage.sizes(self.paths) if current_allowance() is not None else {}
        if limit is None:
            charge_files(sizes.items())
        unpacked = UnpackedBytes(self.paths[0], 0 if limit is not None else sum(sizes.values()))
        found = files.foreign_files.read_foreign(
            self.function, self.paths, self.options, limit=limit, count=unpacked.add
        )
        rows = conform(table_of_duckdb(found, self.columns), self.columns, "file", by_name=False)
        if limit is None:
            self._all = rows
        return rows


def foreign_rows(function: str, paths: Sequence[str], options: Mapping[str, Any]) -> ForeignRows:
    """Return the rows of files, which are not read yet but for their beginnings.

    Raises:
        InvalidInputError: The files cannot be read like that.
        DataFileError: A file is missing, or cannot be fetched.
    """
    described = files.foreign_files.describe_foreign(function, paths, options)
    return ForeignRows(tuple(column(name, parse_type(kind)) for name, kind in described), function, paths, options)
