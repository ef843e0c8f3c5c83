"""Lists, structs and maps of constants are constants: their text is DuckDB's, and needs no Spark."""

import duckdb
import pytest

from forklake.model import types
from forklake.model.types.shapes import list_of
from forklake.sql.expressions.bound import Bound
from forklake.sql.expressions.coercion import cast, constant, untyped_constant
from forklake.sql.expressions.nested import concatenation, list_value, map_value, struct_value

ONE, TWO = constant(types.INT32, "1"), constant(types.INT32, "2")
HALF = constant(types.Decimal(2, 1), "2.5")
NOTHING = Bound("NULL", types.NULL)
CONSTANTS = {
    "[1, 2]": list_value([ONE, TWO]),
    "[1, 2.5]": list_value([ONE, HALF]),
    "[1, NULL]": list_value([ONE, NOTHING]),
    "['a', 'b, c', 'it''s', '', 'NULL']": list_value([untyped_constant(t) for t in ("a", "b, c", "it's", "", "NULL")]),
    "{'x': 1, 'Y z': [2.5]}": struct_value(["x", "Y z"], [ONE, list_value([HALF])]),
    "MAP {'k': 1, 'l': 2}": map_value([untyped_constant("k"), untyped_constant("l")], [ONE, TWO]),
    "[{'x': 1}, {'x': 2.5}]": list_value([struct_value(["x"], [ONE]), struct_value(["x"], [HALF])]),
    "[1, 2]::BIGINT[]": cast(list_value([ONE, TWO]), list_of(types.INT64)),
    "[1, 2]::VARCHAR": cast(list_value([ONE, TWO]), types.VARCHAR),
    "'a' || 'b'": concatenation(untyped_constant("a"), untyped_constant("b")),
}


@pytest.mark.parametrize("text", CONSTANTS)
def test_a_constant_has_the_text_and_the_type_that_duckdb_gives(text: str) -> None:
    value = CONSTANTS[text]
    meant = duckdb.execute(f"SELECT ({text})::VARCHAR, typeof({text})").fetchall()[0]
    assert (value.literal, value.type.sql_name) == meant


def test_a_list_with_something_that_is_no_constant_is_none() -> None:
    assert list_value([ONE, Bound("`a`", types.INT32)]).literal is None
