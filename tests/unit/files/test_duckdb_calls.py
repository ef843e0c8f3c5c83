"""Calls that DuckDB computes are named by what they say, and tell each faulty row."""

from __future__ import annotations

import duckdb
import pyarrow as pa
import pytest

from forklake.duck.calls import FUNCTIONS, Constant, DuckCall, calls_in, is_carried
from forklake.duck.results import compute, result_type
from forklake.errors import InvalidInputError
from forklake.model import types
from forklake.model.types.shapes import list_of, map_of

_CALLS = [
    DuckCall("jaccard", (types.VARCHAR, types.VARCHAR)),
    DuckCall("to_base", (types.INT64, Constant("2", types.INT32))),
    DuckCall("jaro_similarity", (types.VARCHAR, Constant("`Ä %'\"\n\\ß🦆"))),
    DuckCall("list_where", (list_of(list_of(types.Decimal(4, 1))), list_of(types.BOOLEAN))),
    DuckCall("json_value", (types.JSON, Constant(None))),
]


@pytest.mark.parametrize("call", _CALLS, ids=lambda call: call.function)
def test_the_name_of_a_call_says_all_of_it(call: DuckCall) -> None:
    assert call.name == call.name.lower()  # Spark does not tell capital letters apart
    assert calls_in(f"SELECT `{call.name}`(a, b), '`x`' FROM `t`") == {call.name: call}


def test_a_name_that_says_no_call_of_a_listed_function_is_none() -> None:
    forged = DuckCall("read_text", (types.VARCHAR,)).name
    injected = DuckCall("jaccard(c0) UNION SELECT 1 --", (types.VARCHAR,)).name
    wrong = ("~duckdb jaccard", "~duckdb []", '~duckdb ["jaccard", 1]', '~duckdb ["jaccard", "nothing"]')
    assert calls_in(" ".join(f"`{name}`" for name in (forged, injected, *wrong))) == {}


def test_what_is_listed_is_a_function_of_its_arguments_alone() -> None:
    query = (
        "SELECT lower(function_name), function_type, stability FROM duckdb_functions() WHERE database_name = 'system'"
    )
    known: dict[str, set[tuple[str, str | None]]] = {}
    for name, kind, stability in duckdb.connect().execute(query).fetchall():
        known.setdefault(name, set()).add((kind, stability))
    assert {name for name in FUNCTIONS if not known[name] <= {("scalar", "CONSISTENT"), ("macro", None)}} == set()


def test_types_are_those_of_duckdb_and_others_are_refused_in_its_words() -> None:
    vector = list_of(types.FLOAT32)
    assert result_type(DuckCall("list_distance", (vector, vector))) == types.FLOAT32
    assert result_type(DuckCall("list_distance", (vector, list_of(types.INT32)))) == types.FLOAT32
    with pytest.raises(
        InvalidInputError, match=r"^Binder Error: No function matches .* 'jaccard\(VARCHAR, DATE\[\]\)'"
    ):
        result_type(DuckCall("jaccard", (types.VARCHAR, list_of(types.DATE))))


def test_values_that_no_worker_is_given_are_not_carried() -> None:
    assert is_carried(list_of(list_of(types.TIMESTAMPTZ)))
    kinds = (types.INTERVAL, types.TIME, types.TIMESTAMP_NS, map_of(types.VARCHAR, types.INT32), types.VARIANT)
    assert not any(is_carried(kind) for kind in kinds)


def test_a_faulty_row_is_told_beside_the_values_of_the_others() -> None:
    texts = pa.array(["01100001", "x", None, "2", *(["z"] * 20)])
    values, faults = compute(DuckCall("from_binary", (types.VARCHAR,)), [texts])
    assert values.to_pylist()[:4] == [b"a", None, None, None]
    told = faults.to_pylist()
    assert told[0] is None
    assert told[2] is None
    assert told[1] == "Invalid Input Error: Invalid input for binary digit: x"
    assert told[3] == "Invalid Input Error: Invalid input for binary digit: 2"
    assert all(one is not None for one in told[4:])


def test_functions_that_fail_for_a_batch_as_a_whole_tell_the_faulty_row() -> None:
    vector = list_of(types.FLOAT64)
    rows = pa.array([[1.0, 2.0], None, [1.0], [0.0, 2.0]], pa.list_(pa.float64()))
    values, faults = compute(DuckCall("list_distance", (vector, Constant("[1, 2]", vector))), [rows])
    assert values.to_pylist() == [0.0, None, None, 1.0]
    assert [one is not None for one in faults.to_pylist()] == [False, False, True, False]


def test_a_fault_whose_words_are_no_text_is_told_all_the_same() -> None:
    _, faults = compute(DuckCall("from_binary", (types.VARCHAR,)), [pa.array(["ä"])])
    assert faults.to_pylist() == ["Invalid Input Error: An argument has no value of this function."]


def test_no_rows_have_no_values() -> None:
    values, faults = compute(DuckCall("strip_accents", (types.VARCHAR,)), [pa.array([], pa.string())])
    assert (values.type, len(values), len(faults)) == (pa.string(), 0, 0)
