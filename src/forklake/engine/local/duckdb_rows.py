"""Queries that DuckDB computes in this process, over rows that it is given.

It reaches nothing else: no file, no network, no extension, and no setting can be changed.
"""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import closing
from typing import Final

import duckdb
import pyarrow as pa

from forklake.duck.databases import closed_database, learn_macros
from forklake.duck.json_depth import TOO_DEEP
from forklake.engine.statement_limits import check_time, current_allowance, interrupt_in_time
from forklake.errors import EngineError, InvalidInputError
from forklake.files.arrow.schema import VARIANT_TYPE
from forklake.files.arrow.variant_arrays import plain_variants
from forklake.model.quoting import quote_name

_FEW_ROWS: Final = 2_000
_KEPT: Final = "_forklake_kept"
_VARIANT: Final = "VARIANT"
_KINDS: Final = {"PARQUET_VARIANT": _VARIANT}
_PATIENCE_SECONDS: Final = 0.05
_KNOWN_FAILURES: Final = ("Conversion Error: ", "Out of Range Error: ", f"Invalid Input Error: {TOO_DEEP}")
"""How messages begin that tell of a value, in the words that Spark's are translated to as well."""


def compute_rows(text: str, tables: Mapping[str, pa.Table], kinds: Sequence[str]) -> pa.Table | str:
    """Return the rows of a query, or the reason why Spark has to compute them.

    Args:
        text: The query.
        tables: The tables that it names.
        kinds: DuckDB's names of the types that its columns are known to have.

    Raises:
        InvalidInputError: A value cannot be computed.
        LimitError: The time of the statement is over, or its rows are more than it may hold.
    """
    learn_macros(text)
    allowance = current_allowance()
    limited = allowance if allowance is not None and allowance.has_byte_limit else None
    with closing(closed_database().cursor()) as cursor:
        try:
            with interrupt_in_time(cursor.interrupt):
                for name, rows in tables.items():
                    _hand_over(cursor, name, rows)
                asked = _encode_variants(text, kinds)
                if limited is not None:
                    # A value that many rows show costs DuckDB nothing before they are written down, and then no more
                    # memory than it has. Arrow would take all that there is.
                    _execute(cursor, f"CREATE TEMP TABLE {_KEPT} AS {asked}")
                    asked = f"FROM {_KEPT}"
                _execute(cursor, asked)
                found = [_KINDS.get(str(column[1]), str(column[1])) for column in cursor.description or ()]
                if found != list(kinds):
                    return f"its columns have the types {', '.join(found)} in DuckDB"
                rows = cursor.to_arrow_table()
                if limited is not None:
                    limited.check_rows(rows.nbytes)
                return _plain(rows, kinds)
        except duckdb.InterruptException as error:
            check_time()
            raise EngineError("The query was interrupted.") from error
        except duckdb.Error as error:
            if limited is not None and isinstance(error, duckdb.OutOfMemoryException):
                limited.check_rows(None)
            # What a query raises by error() begins with words of its own.
            message = str(error).partition("\n")[0].replace("Invalid Input Error: Out of", "Out of", 1)
            if message.startswith(_KNOWN_FAILURES):
                raise InvalidInputError(message) from error
            return f"DuckDB says: {message}"
        except UnicodeDecodeError:
            return "DuckDB says what is no text"


def _plain(rows: pa.Table, kinds: Sequence[str]) -> pa.Table:
    """Return rows with variants as Arrow has them."""
    for place, kind in enumerate(kinds):
        if kind == _VARIANT:
            chunks = [plain_variants(chunk) for chunk in rows.column(place).chunks]
            rows = rows.set_column(place, rows.field(place).name, pa.chunked_array(chunks, VARIANT_TYPE))
    return rows


def _execute(cursor: duckdb.DuckDBPyConnection, text: str) -> None:
    """Run a query. Ctrl-C, which Python tells the main thread alone, ends it soon.

    DuckDB itself looks for signals between long steps only, but between chunks of rows whether it is to stop.
    """
    if threading.current_thread() is not threading.main_thread():
        cursor.execute(text)
        return
    with ThreadPoolExecutor(1, "forklake-query") as worker:
        running = worker.submit(cursor.execute, text)
        try:
            running.result()
        except KeyboardInterrupt:
            while not running.done():  # a query that begins just now forgets that it was to stop
                cursor.interrupt()
                wait([running], _PATIENCE_SECONDS)
            raise


def _encode_variants(text: str, kinds: Sequence[str]) -> str:
    """Return a query whose variants have the encoding of Parquet.

    Arrow can hold it.
    """
    if _VARIANT not in kinds:
        return text
    names = [f"c{place}" for place in range(len(kinds))]
    pairs = zip(names, kinds, strict=True)
    shown = ", ".join(f"variant_to_parquet_variant({name})" if kind == _VARIANT else name for name, kind in pairs)
    return f"SELECT {shown} FROM ({text}) AS computed({', '.join(names)})"


def _hand_over(cursor: duckdb.DuckDBPyConnection, name: str, rows: pa.Table) -> None:
    """Give a connection rows under a name.

    DuckDB has Arrow filter what it reads of many rows, and to Arrow no NaN is greater than any number: where there are
    floats, DuckDB gets rows of its own. So it does of few rows, as a stream, which is as fast, and brings no pandas.
    """
    is_taken = any(kind == VARIANT_TYPE or _has_floats(kind) for kind in rows.schema.types)
    if rows.num_rows > _FEW_ROWS and not is_taken:
        cursor.register(name, rows)
        return
    cursor.register("given", rows.__arrow_c_stream__())
    variants = [quote_name(field.name) for field in rows.schema if field.type == VARIANT_TYPE]
    decoded = ", ".join(f"variant_bytes_to_variant({one}.metadata || {one}.value) AS {one}" for one in variants)
    shown = f"SELECT * REPLACE ({decoded}) FROM given" if variants else "FROM given"
    cursor.execute(f'CREATE TEMP TABLE "{name}" AS {shown}')
    cursor.unregister("given")


def _has_floats(kind: pa.DataType) -> bool:
    if pa.types.is_floating(kind):
        return True
    return any(_has_floats(kind.field(place).type) for place in range(kind.num_fields))
