"""Conversion of rows in the forms that Python users have to Arrow tables."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import fields as dataclass_fields
from dataclasses import is_dataclass
from datetime import date, datetime
from decimal import Decimal
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from pyarrow import csv

from forklake.errors import InvalidInputError
from forklake.files.arrow.nesting import assemble
from forklake.files.arrow.type_names import check_levels
from forklake.model import types
from forklake.model.field import Field
from forklake.model.names import fold

if TYPE_CHECKING:
    import pandas as pd


def frame_of(value: Any, fields: Sequence[Field] = ()) -> pa.Table:
    """Return rows as an Arrow table.

    ``value`` is a pandas DataFrame (its index is left out); an Arrow table, record batch, list or reader of
    them; anything that exports an Arrow stream; the path of a Parquet or CSV file; a sequence of mappings,
    dataclasses or named tuples (each a row), or of plain tuples with a value for each of ``fields``; or one
    mapping (one row). All rows have the same keys: a key that is missing in some rows is refused rather than
    guessed to be NULL; a key that is missing in all rows is an omitted column. ``fields`` are the columns of
    the table that the rows are meant for, where they are known: then a dictionary in a map column is read as a
    map, not as a struct.

    Raises:
        InvalidInputError: The value has none of these forms, or the values of a column have no common type, or are
            nested too deeply.
    """
    found = _frame(value, fields)
    check_levels(found.schema)
    return found


def _frame(value: Any, fields: Sequence[Field]) -> pa.Table:
    if isinstance(value, pa.Table):
        return value
    if isinstance(value, pa.RecordBatch):
        return pa.Table.from_batches([value])
    if isinstance(value, pa.RecordBatchReader):
        return value.read_all()
    if _is_of_pandas(value, "DataFrame"):
        return _pandas_frame(value)
    if isinstance(value, str | os.PathLike):
        return _file_frame(os.fspath(value))
    if isinstance(value, Mapping):
        return _row_frame([value], fields)
    if isinstance(value, Sequence) and value and all(isinstance(one, pa.RecordBatch) for one in value):
        return _batches(value)
    if isinstance(value, Sequence) and not isinstance(value, (str, bytes, bytearray)):
        return _row_frame(value, fields)
    if hasattr(value, "__arrow_c_stream__"):
        return pa.RecordBatchReader.from_stream(value).read_all()
    raise InvalidInputError(
        f'Rows cannot be read from a "{type(value).__name__}"; nothing was written.',
        hint="Hand in a DataFrame, an Arrow table or record batches, the path of a file, or dictionaries, one for each"
        " row.",
    )


def pandas_schema(value: Any) -> pa.Schema | None:
    """Return the Arrow schema of a DataFrame of pandas, or of its ``dtypes``.

    None if the value is neither.

    Raises:
        InvalidInputError: A column can hold anything (``object``), and there are no values that would tell.
    """
    if _is_of_pandas(value, "DataFrame"):
        return _pandas_frame(value).schema
    if not _is_of_pandas(value, "Series"):
        return None
    pandas, fields = sys.modules["pandas"], []
    for name, dtype in value.items():
        if not isinstance(dtype, np.dtype | pandas.api.extensions.ExtensionDtype):
            raise InvalidInputError(
                f'Columns are not given as a Series of values, of which "{dtype}" is one.',
                hint="Hand in the DataFrame, or its dtypes.",
            )
        if dtype == np.dtype(object):
            raise InvalidInputError(
                f'Column "{name}" has the dtype "object", which can hold anything.',
                hint="Hand in the DataFrame itself, whose values tell, or names and types.",
            )
        fields += _pandas_frame(pandas.DataFrame({name: pandas.Series(dtype=dtype)})).schema
    return pa.schema(fields)


def _is_of_pandas(value: Any, name: str) -> bool:
    """Return whether a value is of a class of pandas, without importing pandas.

    It can be only if pandas is imported already; the import is slow.
    """
    # A thread may be importing it just now, Arrow's first conversion perhaps: then nobody holds such a value yet.
    kind = getattr(sys.modules.get("pandas"), name, None)
    return kind is not None and isinstance(value, kind)


def _batches(batches: Sequence[pa.RecordBatch]) -> pa.Table:
    try:
        return pa.Table.from_batches(batches)
    except pa.ArrowInvalid as error:
        raise InvalidInputError(f"The record batches are not alike; nothing was written. {error}") from error


def _file_frame(path: str) -> pa.Table:
    """Return the rows of a Parquet or CSV file, by the extension of its name."""
    ending = os.path.splitext(path)[1].lower()
    if ending not in (".parquet", ".csv"):
        raise InvalidInputError(
            f'Rows cannot be read from "{path}"; nothing was written.',
            hint="Files whose names end in .parquet and .csv are read.",
        )
    if not os.path.exists(path):
        raise InvalidInputError(f'There is no file "{path}"; nothing was written.')
    try:
        return pq.read_table(path) if ending == ".parquet" else csv.read_csv(path)
    except (OSError, pa.ArrowException) as error:
        raise InvalidInputError(f'The file "{path}" cannot be read; nothing was written. {error}') from error


def _pandas_frame(frame: pd.DataFrame) -> pa.Table:
    if other := [name for name in frame.columns if not isinstance(name, str)]:
        raise InvalidInputError(f'The name "{other[0]}" of a column of the DataFrame is no text; nothing was written.')
    made = [
        _convert(name, lambda series=frame.iloc[:, position]: _pandas_array(series))
        for position, name in enumerate(frame.columns)
    ]
    return pa.table(made, names=list(frame.columns))


def _pandas_array(series: pd.Series[Any]) -> pa.Array:
    """Return a column of pandas, with timestamps in microseconds if they fit.

    Timestamps of pandas have nanoseconds by default, even if no value needs them. NaN is NULL, as pandas means it.
    """
    if series.dtype == object and _has_nanoseconds(series):
        return _in_nanoseconds(list(series))
    made = pa.Array.from_pandas(series)
    if not pa.types.is_timestamp(made.type) or made.type.unit != "ns":
        return made
    try:
        return made.cast(pa.timestamp("us", made.type.tz))
    except pa.ArrowInvalid:
        return made  # a value has nanoseconds


def _row_frame(rows: Sequence[Any], fields: Sequence[Field]) -> pa.Table:
    names: list[Any] | None = None
    rows = [_mapping(row, number, fields) for number, row in enumerate(rows, 1)]
    for number, row in enumerate(rows, 1):
        if not isinstance(row, Mapping):
            raise InvalidInputError(f'Row {number} is a "{type(row).__name__}", not a mapping; nothing was written.')
        names = list(row) if names is None else names
        if odd := next((name for name in row if not isinstance(name, str)), None):
            raise InvalidInputError(f'The key "{odd}" of row {number} is no text; nothing was written.')
        if different := sorted(set(names) ^ set(row)):
            raise InvalidInputError(
                f'Row {number} and row 1 do not have the same keys: "{different[0]}" is in one of them only; '
                "nothing was written.",
                hint="Give every row the same keys, with None for NULL.",
            )
    known = {fold(field.name): field for field in fields}
    arrays = [
        _convert(name, lambda name=name: _infer([row[name] for row in rows], known.get(fold(name))))
        for name in names or ()
    ]
    return pa.table(arrays, names=names or [])


def _mapping(row: Any, number: int, fields: Sequence[Field]) -> Any:
    """Return a dataclass or tuple as a mapping; any other row as it is."""
    if is_dataclass(row) and not isinstance(row, type):
        return {one.name: getattr(row, one.name) for one in dataclass_fields(row)}
    if not isinstance(row, tuple):
        return row
    if hasattr(row, "_asdict"):
        return row._asdict()
    if not fields:
        raise InvalidInputError(
            f"Row {number} is a tuple, and nothing says what its columns are called; nothing was written.",
            hint="Hand in dictionaries, or create the table first.",
        )
    if len(row) != len(fields):
        raise InvalidInputError(
            f"Row {number} has {len(row)} values, and the table {len(fields)} columns; nothing was written."
        )
    return {field.name: value for field, value in zip(fields, row, strict=True)}


def _convert(name: str, convert: Any) -> pa.Array:
    try:
        made = convert()
    except InvalidInputError as error:
        raise InvalidInputError(f'{error.message} (column "{name}")') from error
    except (pa.ArrowException, OverflowError, TypeError, ValueError) as error:
        raise InvalidInputError(f'The values of column "{name}" have no common type: {error}') from error
    return made.combine_chunks() if isinstance(made, pa.ChunkedArray) else made


def _infer(values: list[Any], field: Field | None) -> pa.Array:
    """Return Python values as an array of a type that holds all of them."""
    is_null = [value is None for value in values]
    given = [value for value in values if value is not None]
    kind = field.type if field is not None and given else None
    if kind == types.JSON:
        return pa.array([value if value is None or isinstance(value, str) else _json_text(value) for value in values])
    if isinstance(kind, types.Map) and field and all(isinstance(value, Mapping) for value in given):
        pairs = [pair for value in given for pair in value.items()]
        if any(key is None for key, _ in pairs):
            raise InvalidInputError("Map keys can not be NULL.")
        parts = [_infer([pair[side] for pair in pairs], field.children[side]) for side in (0, 1)]
        lengths = [0 if value is None else len(value) for value in values]
        return assemble(pa.map_(parts[0].type, parts[1].type), parts, lengths, is_null)
    if isinstance(kind, types.List) and field and all(isinstance(value, (list, tuple, np.ndarray)) for value in given):
        part = _infer([item for value in given for item in value], field.children[0])
        lengths = [0 if value is None else len(value) for value in values]
        return assemble(pa.list_(part.type), [part], lengths, is_null)
    if isinstance(kind, types.Struct) and field and all(isinstance(value, Mapping) for value in given):
        known = {fold(child.name): child for child in field.children}
        names = list(dict.fromkeys(name for value in given for name in value))
        parts = [_infer([(value or {}).get(name) for value in values], known.get(fold(name))) for name in names]
        fields = [pa.field(name, part.type) for name, part in zip(names, parts, strict=True)]
        return assemble(pa.struct(fields), parts, None, is_null)
    _check_values(given)
    alike = _of_one_kind(values, given)
    is_fine = kind in (None, types.TIMESTAMP_NS, types.VARCHAR) and _has_nanoseconds(given)
    return _in_nanoseconds(alike) if is_fine else pa.array(alike)


def _check_values(values: Sequence[Any]) -> None:
    """Refuse values within values that Arrow would go down into too deeply.

    Raises:
        InvalidInputError: There are such.
    """
    for _ in range(types.MAX_LEVELS + 1):
        values = [
            part
            for value in values
            if isinstance(value, (list, tuple, Mapping))
            for part in (value.values() if isinstance(value, Mapping) else value)
        ]
        if not values:
            return
    raise InvalidInputError(f"A value is nested more than {types.MAX_LEVELS} levels deep.")


def _json_text(value: Any) -> str:
    """Return what Python has for JSON as its text; texts are JSON already.

    Raises:
        InvalidInputError: JSON has no such value.
    """
    try:
        return json.dumps(value, ensure_ascii=False, allow_nan=False)
    except (RecursionError, TypeError, ValueError) as error:
        raise InvalidInputError(f"A value cannot be written as JSON: {error}.") from error


def _has_nanoseconds(values: Iterable[Any]) -> bool:
    return any(_is_of_pandas(value, "Timestamp") and value.nanosecond for value in values)


def _in_nanoseconds(values: list[Any]) -> pa.Array:
    """Return timestamps in nanoseconds.

    By default, Arrow cuts those of Python to microseconds.
    """
    made = pa.array(values, from_pandas=True)
    return pa.array(values, pa.timestamp("ns", made.type.tz), from_pandas=True)


def _of_one_kind(values: list[Any], given: list[Any]) -> list[Any]:
    """Return values converted to one type where Arrow would refuse or cut a mix."""
    kinds = {type(value) for value in given}
    if kinds == {date, datetime}:
        return [_midnight(value) if type(value) is date else value for value in values]
    if kinds <= {int, Decimal} and any(isinstance(value, int) and not -(2**63) <= value < 2**63 for value in given):
        return [None if value is None else Decimal(value) for value in values]
    return values


def _midnight(day: date) -> datetime:
    return datetime(day.year, day.month, day.day)  # noqa: DTZ001  a date has no zone; UTC is assumed later, as for it
