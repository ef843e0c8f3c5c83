"""What calls of DuckDB's functions give: types, and values over columns of Arrow."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
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

_OF_VALUES: Final = (
    duckdb.ConversionException,
    duckdb.InvalidInputException,
    duckdb.OutOfRangeException,
    UnicodeDecodeError,
)
"""How DuckDB says that it cannot compute a value; it may cut a letter of the value in two."""
_NO_VALUE: Final = "Invalid Input Error: An argument has no value of this function."


@lru_cache(maxsize=500)
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
    """Return what a call gives for each row, and what is wrong with the others.

    Values are as Spark shows them. At least one column is given, which tells how many rows there are. Each faulty row
    costs a few more queries.

    Raises:
        EngineError: DuckDB failed for another reason than a value.
    """
    given = pa.table({f"c{place}": column for place, column in enumerate(columns)})
    kind = _shown_type(result_type(call))
    with closing(database().cursor()) as cursor:
        try:
            parts = list(_answers(cursor, call.sql, kind, given))
        except duckdb.Error as error:
            raise EngineError(f'DuckDB could not compute "{call.function}": {_first_line(error)}') from error
    values = pa.concat_arrays([values for values, _ in parts])
    faults = [fault for values, fault in parts for _ in range(len(values))]
    return values, pa.array(faults, pa.string())


def _answers(
    cursor: duckdb.DuckDBPyConnection, sql: str, kind: str, given: pa.Table
) -> Iterator[tuple[pa.Array, str | None]]:
    """Yield the values of rows, in order, and each faulty row by itself.

    DuckDB fails for a batch as a whole, and its TRY gives NULL for rows that have a value, too.
    """
    try:
        values = _ask(cursor, f"CAST({sql} AS {kind})", given)
    except _OF_VALUES as error:
        if given.num_rows == 1:
            fault = _NO_VALUE if isinstance(error, UnicodeDecodeError) else _first_line(error)
            yield _ask(cursor, f"CAST(NULL AS {kind})", given), fault
            return
        middle = given.num_rows // 2
        yield from _answers(cursor, sql, kind, given.slice(0, middle))
        yield from _answers(cursor, sql, kind, given.slice(middle))
    else:
        yield values, None


def _ask(cursor: duckdb.DuckDBPyConnection, sql: str, given: pa.Table) -> pa.Array:
    """Return an expression for each row, in order."""
    cursor.register("given", given.__arrow_c_stream__())  # as a stream it brings no pandas
    try:
        found = cursor.execute(f"SELECT {sql} AS value FROM given").to_arrow_table().column(0).combine_chunks()
    finally:
        cursor.unregister("given")
    return pa.concat_arrays(found.chunks) if isinstance(found, pa.ChunkedArray) else found


def _shown_type(kind: Type) -> str:
    """Return the type, in DuckDB's SQL, of values as Spark shows them."""
    match kind.shown_as:
        case types.List(element):
            return f"{_shown_type(element.type)}[]"
        case types.Map(key, value):
            return f"MAP({_shown_type(key.type)}, {_shown_type(value.type)})"
        case shown:
            return shown.sql_name


def _first_line(error: Exception) -> str:
    return str(error).partition("\n")[0].strip()
