"""What calls of DuckDB's functions give: their types, and their values over columns of Arrow."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import closing
from functools import lru_cache
from typing import Final

import duckdb
import pyarrow as pa

from forklake.errors import EngineError, InvalidInputError
from forklake.files.closed_database import database
from forklake.files.duckdb_calls import DuckCall
from forklake.model import types
from forklake.model.types import Type
from forklake.model.types.read import read_type

_OF_VALUES: Final = (duckdb.ConversionException, duckdb.InvalidInputException, duckdb.OutOfRangeException)
"""How DuckDB says that it cannot compute a value."""
_MESSAGES: Final = 8
"""How many rows of a batch are told apart in what is said of them."""


@lru_cache(maxsize=4096)
def result_type(call: DuckCall) -> Type:
    """Return the type of what a call gives.

    Raises:
        InvalidInputError: There is no such function for these arguments; in DuckDB's words.
    """
    given = ", ".join(f"CAST(NULL AS {kind.sql_name}) AS c{place}" for place, kind in enumerate(call.columns))
    source = f" FROM (SELECT {given})" if given else ""
    with closing(database().cursor()) as cursor:
        try:
            row = cursor.execute(f"DESCRIBE SELECT {call.sql} AS value{source}").fetchone()
        except duckdb.Error as error:
            raise InvalidInputError(_first_line(error)) from error
    assert row is not None
    try:
        return types.NULL if row[1] in ('"NULL"', "NULL") else read_type(row[1])
    except ValueError as error:
        raise InvalidInputError(f'"{call.function}" gives a value of type {row[1]}, which is not supported.') from error


def compute(call: DuckCall, columns: Sequence[pa.Array]) -> tuple[pa.Array, pa.Array]:
    """Return what a call gives for each row, and what is wrong with rows that have no value.

    Values are as Spark shows them. At least one column is given, which tells how many rows there are.

    Raises:
        EngineError: DuckDB failed for another reason than a value.
    """
    given = pa.table({f"c{place}": column for place, column in enumerate(columns)})
    shown = f"CAST({call.sql} AS {_shown(result_type(call))})"
    with closing(database().cursor()) as cursor:
        try:
            values = _ask(cursor, shown, given)
            return values, pa.nulls(len(values), pa.string())
        except _OF_VALUES:
            return _with_faults(cursor, shown, given)
        except duckdb.Error as error:
            raise EngineError(f'DuckDB could not compute "{call.function}": {_first_line(error)}') from error


def _with_faults(cursor: duckdb.DuckDBPyConnection, sql: str, given: pa.Table) -> tuple[pa.Array, pa.Array]:
    """Return the values of rows that have one, and the faults of the others.

    Only of the first faulty rows each is said what is wrong with it; of the others, what is wrong with one of those.
    """
    tried = _ask(cursor, f"TRY(struct_pack(value := {sql}))", given)
    faults: list[str | None] = [None] * len(tried)
    known: list[str] = []
    for row, is_faulty in enumerate(tried.is_null().to_pylist()):
        if is_faulty and len(known) < _MESSAGES:
            known.append(_fault(cursor, sql, given.slice(row, 1)))
        faults[row] = known[-1] if is_faulty else None
    return tried.field("value"), pa.array(faults, pa.string())


def _fault(cursor: duckdb.DuckDBPyConnection, sql: str, row: pa.Table) -> str:
    try:
        _ask(cursor, sql, row)
    except duckdb.Error as error:
        return _first_line(error)
    return "Invalid Input Error: there is no value."


def _ask(cursor: duckdb.DuckDBPyConnection, sql: str, given: pa.Table) -> pa.Array:
    """Return an expression for each row, in order."""
    cursor.register("given", given.__arrow_c_stream__())  # as a stream it brings no pandas
    try:
        found = cursor.execute(f"SELECT {sql} AS value FROM given").to_arrow_table().column(0).combine_chunks()
    finally:
        cursor.unregister("given")
    return pa.concat_arrays(found.chunks) if isinstance(found, pa.ChunkedArray) else found


def _shown(kind: Type) -> str:
    """Return the type, in DuckDB's SQL, of values as Spark shows them."""
    match kind.shown_as:
        case types.List(element):
            return f"{_shown(element.type)}[]"
        case types.Map(key, value):
            return f"MAP({_shown(key.type)}, {_shown(value.type)})"
        case shown:
            return shown.sql_name


def _first_line(error: Exception) -> str:
    return str(error).partition("\n")[0].strip()
