"""Columns of old rows in the types that files hold now."""

import pyarrow as pa
import pytest

from forklake.errors import InvalidInputError
from forklake.files.incoming.evolution import evolved_column
from forklake.model import types
from forklake.model.field import Field
from forklake.model.ids import ColumnId


def test_values_that_a_file_holds_as_the_column_is_stored_are_not_read_one_by_one() -> None:
    column = Field(ColumnId(1), "j", types.JSON)
    values = pa.array(['{"a": 1}', None])
    assert evolved_column(column, {Field(ColumnId(1), "j", types.VARCHAR): values}, 2, "t") is values
    with pytest.raises(InvalidInputError):
        evolved_column(column, {column: pa.array(["no json {"])}, 1, "t")


def test_a_field_of_a_struct_that_was_dropped_is_left_out() -> None:
    y = Field(ColumnId(3), "y", types.VARCHAR)
    column = Field(ColumnId(1), "s", types.Struct((y,)))
    values = pa.array([{"x": 1, "y": "a"}, None])
    assert evolved_column(column, {column: values}, 2, "t").to_pylist() == [{"y": "a"}, None]
