"""What calls of DuckDB's functions give: types, and values over columns of Arrow."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Any, Final

import duckdb
import pyarrow as pa

from forklake.duck.calls import DuckCall
from forklake.duck.databases import closed_cursor
from forklake.errors import EngineError, InvalidInputError
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
_FEW: Final = 16
"""Rows that are asked for one by one if they fail together."""
_NO_VALUE: Final = "Invalid Input Error: An argument has no value of this function."


@lru_cache(maxsize=500)
def result_type(call: DuckCall) -> Type:
    """Return the type of what a call gives.

    Raises:
        InvalidInputError: There is no such function for these arguments; in DuckDB's words.
    """
    given = ", ".join(f"CAST(NULL AS {kind.sql_name}) AS c{place}" for place, kind in enumerate(call.columns))
    source = f" FROM (SELECT {given})" if given else ""
    with closed_cursor(call.sql) as cursor:
        try:
            row = cursor.execute(f"DESCRIBE SELECT {call.sql} AS value{source}").fetchone()
        except duckdb.Error as error:
            raise InvalidInputError(_first_line(error)) from error
    assert row is not None
    try:
        return types.NULL if row[1] in ('"NULL"', "NULL") else read_type(row[1])
    except ValueError as error:
        raise InvalidInputError(f'"{call.function}" gives a value of type {row[1]}, which is not supported.') from error


def single_value(text: str, *given: Any) -> Any:
    """Return the value that a query without tables gives.

    Raises:
        InvalidInputError: DuckDB refuses it; in DuckDB's words.
    """
    with closed_cursor() as cursor:
        try:
            row = cursor.execute(text, given).fetchone()
        except duckdb.Error as error:
            raise InvalidInputError(_first_line(error)) from error
    assert row is not None
    return row[0]


def compute(call: DuckCall, columns: Sequence[pa.Array]) -> tuple[pa.Array, pa.Array]:
    """Return what a call gives for each row, and what is wrong with the others.

    Values are as Spark shows them. At least one column is given, which tells how many rows there are. Each faulty row
    costs about two more queries.

    Raises:
        EngineError: DuckDB failed for another reason than a value.
    """
    given = pa.table({f"c{place}": column for place, column in enumerate(columns)})
    value = f"CAST({call.sql} AS {_shown_type(result_type(call))})"
    with closed_cursor(call.sql) as cursor:
        try:
            return _values_of_all(cursor, value, given) or _values_and_faults(cursor, value, given)
        except duckdb.Error as error:
            raise EngineError(f'DuckDB could not compute "{call.function}": {_first_line(error)}') from error


def _values_of_all(cursor: duckdb.DuckDBPyConnection, value: str, given: pa.Table) -> tuple[pa.Array, pa.Array] | None:
    """Return the values of rows, and no faults; None if a row is faulty."""
    cursor.register("given", given.__arrow_c_stream__())  # as a stream it brings no pandas
    try:
        values = _values(cursor.execute(f"SELECT {value} AS value FROM given"))
    except _OF_VALUES:
        return None
    return values, pa.nulls(given.num_rows, pa.string())


def _values_and_faults(cursor: duckdb.DuckDBPyConnection, value: str, given: pa.Table) -> tuple[pa.Array, pa.Array]:
    """Return the values of rows of which some have none.

    DuckDB fails for a query as a whole, and its TRY gives NULL for rows that have a value, too.
    """
    cursor.register("given", given.__arrow_c_stream__())
    cursor.execute("CREATE TEMP TABLE kept AS FROM given")
    # The rows are taken out before they are computed: functions of vectors look at the elements of all that are there.
    some = "WITH given AS MATERIALIZED (FROM kept WHERE rowid BETWEEN ? AND ?)"
    cursor.execute(f"PREPARE asked AS {some} SELECT {value} AS value FROM given")
    # Without rows, for the type.
    parts = [(_values(cursor.execute("EXECUTE asked(1, 0)")), None), *_parts(cursor, 0, given.num_rows - 1)]
    kind = parts[0][0].type
    faults = [fault for values, fault in parts for _ in range(1 if values is None else len(values))]
    found = [pa.nulls(1, kind) if values is None else values for values, _ in parts]
    return pa.concat_arrays(found), pa.array(faults, pa.string())


def _parts(cursor: duckdb.DuckDBPyConnection, first: int, last: int) -> Iterator[tuple[pa.Array | None, str | None]]:
    """Yield the values of runs of rows, and what is wrong with each faulty row.

    They come in order.
    """
    try:
        values = _values(cursor.execute(f"EXECUTE asked({first}, {last})"))
    except _OF_VALUES as error:
        if first == last:
            yield None, _NO_VALUE if isinstance(error, UnicodeDecodeError) else _first_line(error)
            return
        # Where one row is faulty others often are, so few rows are asked for one by one.
        step = 1 if last - first < _FEW else (last - first + 1) // 2
        for begin in range(first, last + 1, step):
            yield from _parts(cursor, begin, min(begin + step - 1, last))
    else:
        yield values, None


def _values(found: duckdb.DuckDBPyConnection) -> pa.Array:
    """Return the only column of a result."""
    column = found.to_arrow_table().column(0).combine_chunks()
    return pa.concat_arrays(column.chunks) if isinstance(column, pa.ChunkedArray) else column


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
