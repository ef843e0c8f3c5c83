"""Reads which rows of merged files belong to which snapshots.

This needs DuckDB, even if the metadata is in SQLite.
"""

from __future__ import annotations

import base64

import duckdb

from forklake.errors import DataFileError
from forklake.model.quoting import as_pattern

_SNAPSHOT = "_ducklake_internal_snapshot_id"


def rows_after(path: str, number: int, encryption_key: str | None = None) -> list[int]:
    """Return the positions of rows that were added after a snapshot number.

    The rows are those of a merged data file.
    """
    return _positions(
        f"SELECT file_row_number FROM read_parquet($path, file_row_number = true{{}}) WHERE {_SNAPSHOT} > $number"
        " ORDER BY 1",
        path,
        number,
        encryption_key,
    )


def deletes_upto(path: str, number: int, encryption_key: str | None = None) -> list[int]:
    """Return the positions in a cumulative delete file up to a snapshot number."""
    return _positions(
        f"SELECT pos FROM read_parquet($path{{}}) WHERE {_SNAPSHOT} <= $number ORDER BY 1",
        path,
        number,
        encryption_key,
    )


def _positions(query: str, path: str, number: int, encryption_key: str | None) -> list[int]:
    option = ""
    if encryption_key is not None:
        key = "".join(f"\\x{byte:02X}" for byte in base64.b64decode(encryption_key))
        option = f", encryption_config = {{footer_key_value: '{key}'::BLOB}}"
    try:
        with duckdb.connect() as connection:
            found = connection.execute(query.format(option), {"path": as_pattern(path), "number": number}).fetchall()
    except duckdb.Error as error:
        # Without the query, which holds the key.
        reason = str(error).splitlines()[0]
        raise DataFileError(f'The merged file "{path}" cannot be read: {reason} Nothing was exported.') from (
            error if encryption_key is None else None
        )
    return [int(position) for (position,) in found]
