"""What is declared of functions is what DuckDB has, and calls are checked against it."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Iterator

import duckdb
import pytest

from forklake.cli.vocabulary_page import page
from forklake.errors import InvalidInputError
from forklake.model import types
from forklake.sql.function_names import function_names
from forklake.sql.functions import LOWERINGS
from forklake.sql.vocabulary import BY_NAME, THEMES, Declaration, Nulls, Parameter, takes
from tests.pages import ROOT
from tests.unit.sql.test_query_binding import bound

_KINDS = ("scalar", "aggregate", "macro")
_DECLARED = [one for theme in THEMES.values() for one in theme]
_BOUNDED = sorted(name for name, one in BY_NAME.items() if one.most is not None)
_SYNTAX = {"coalesce", "ifnull", "if"}
"""Functions of DuckDB's grammar, which its list does not have."""
_FEWER = {"add", "cardinality", "decode", "histogram", "quantile_disc", "subtract", "timezone", "to_json"}
"""Functions that DuckDB can call with more or fewer arguments than forklake."""
_SAMPLES = {
    "ANY": "1",
    "BIGINT": "1::BIGINT",
    "BIGINT[]": "[1::BIGINT]",
    "BLOB": "'a'::BLOB",
    "BOOLEAN": "true",
    "BOOLEAN[]": "[true]",
    "DOUBLE": "1::DOUBLE",
    "DOUBLE[]": "[1::DOUBLE]",
    "INTEGER": "1",
    "INTERVAL": "INTERVAL 1 DAY",
    "JSON": """'{"a": [1]}'::JSON""",
    "K": "'a'",
    "K[]": "['a']",
    "MAP(K, V)": "MAP {'a': 1}",
    "MOMENT": "TIMESTAMP '2020-01-01'",
    "NUMBER": "1",
    "STRUCT": "{'a': 1}",
    "STRUCT(K, V)[]": "[{'k': 'a', 'v': 1}]",
    "T": "1",
    "T[]": "[1]",
    "T[][]": "[[1]]",
    "TIMESTAMP": "TIMESTAMP '2020-01-01'",
    "UINTEGER": "1::UINTEGER",
    "UUID": "'019b76da-a800-7000-8000-000000000000'::UUID",
    "V[]": "[1]",
    "VARCHAR": "'a'",
    "VARIANT": "1::VARIANT",
}
_NAMED_SAMPLES = {
    "field": "'a'",
    "path": "'$.a'",
    "part": "'day'",
    "zone": "'UTC'",
    "function": "lambda x: x",
    "test": "lambda x: x > 0",
    "name": "'sum'",
    "order": "'ASC'",
    "nulls": "'NULLS FIRST'",
    "options": "'i'",
    "share": "0.5",
    "count": "1",
    "dimension": "1",
}
_FOLLOWS = {"ANY", "INTEGER", "NUMBER", "STRUCT"}
"""Results whose types follow from those of the arguments."""
_ONE_SAMPLES = {
    ("strptime", "text"): "'2020'",
    ("strptime", "format"): "'%Y'",
    ("strptime", "formats"): "['%Y']",
    ("list_reduce", "function"): "lambda x, y: x + y",
    ("if", "test"): "true",
    ("count_if", "test"): "true",
    ("bool_and", "test"): "true",
    ("bool_or", "test"): "true",
    ("contains", "part"): "'a'",
    ("strpos", "part"): "'a'",
    ("unhex", "text"): "'61'",
    ("from_base64", "text"): "'YQ=='",
    ("json", "text"): "'1'",
    ("json_valid", "text"): "'1'",
    ("json_transform", "structure"): """'{"a": ["INTEGER"]}'""",
    ("json_transform_strict", "structure"): """'{"a": ["INTEGER"]}'""",
    ("decode", "value"): "'a'::BLOB",
    ("list_bool_and", "list"): "[true]",
    ("list_bool_or", "list"): "[true]",
    ("struct_insert", "name"): "b := 1",
    ("struct_update", "name"): "b := 1",
    ("json_object", "key_or_value"): "'a'",
    ("list_position", "list"): "[1, NULL]",
    ("range", "stop"): "3::BIGINT",
    ("if", "other"): "2",
    ("struct_pack", "name"): "a := 1",
    ("list_zip", "list"): "[1]",
    ("list_slice", "list"): "[1]",
    ("format", "format"): "'x'",
    ("printf", "format"): "'x'",
}


def _argument(function: Declaration, parameter: Parameter) -> str:
    of_one = _ONE_SAMPLES.get((function.name.removeprefix("try_"), parameter.name))
    return of_one or _NAMED_SAMPLES.get(parameter.name) or _SAMPLES[parameter.type]


def _arguments(function: Declaration, *, are_all: bool = False) -> Iterator[list[str]]:
    """Return arguments for a call of each signature, with those that may be left out, or without."""
    for parameters in function.signatures:
        given = [one for one in parameters if are_all or not one.is_optional]
        again = given[-1:] if are_all and given and given[-1].is_repeated else []
        yield [_argument(function, one) for one in (*given, *again)]


def _call(name: str, arguments: list[str]) -> str:
    return f"{arguments[0]} ^@ {arguments[1]}" if name == "^@" else f"{name}({', '.join(arguments)})"


def test_every_function_is_declared_once_and_has_a_meaning_in_spark() -> None:
    names = [name for one in _DECLARED for name in one.names]
    assert len(names) == len(set(names))
    assert set(LOWERINGS) == {one.name for one in _DECLARED if one.kind == "scalar"}
    assert all(one.meaning.endswith(".") and len(one.meaning) < 100 for one in _DECLARED)


@pytest.mark.parametrize("name", _BOUNDED)
def test_a_function_refuses_more_arguments_than_it_takes(name: str) -> None:
    given = ", ".join(["a"] * ((BY_NAME[name].most or 0) + 1))
    over = " OVER ()" if BY_NAME[name].kind == "window" else ""
    with pytest.raises(InvalidInputError):
        bound(f"SELECT {name}({given}){over} FROM t")


def test_the_refusal_says_what_was_given() -> None:
    with pytest.raises(InvalidInputError, match=r"argument types 'upper\(STRING_LITERAL, INTEGER_LITERAL\)'"):
        bound("SELECT upper('a', 1)")
    with pytest.raises(InvalidInputError, match=r"argument types 'count\(INTEGER, DOUBLE\)'"):
        bound("SELECT count(a, r) FROM t")
    with pytest.raises(InvalidInputError, match=r"argument types 'year\(DATE, DATE\)'"):
        bound("SELECT year(c, c) FROM u")
    with pytest.raises(InvalidInputError, match=r"argument types 'make_timestamp\(INTEGER_LITERAL, INTEGER_LITERAL\)'"):
        bound("SELECT make_timestamp(2020, 1)")


def test_an_unknown_function_is_refused_with_the_nearest_name() -> None:
    with pytest.raises(InvalidInputError, match=r'name uper does not exist!\nDid you mean "upper"\?'):
        bound("SELECT uper('a')")


@pytest.mark.parametrize("name", ["array_size", "date_from_parts", "ucase2", "to_array", "regexp_like", "nvl", "sha2"])
def test_names_of_other_dialects_are_not_functions(name: str) -> None:
    with pytest.raises(InvalidInputError, match=f"Function with name {name} does not exist"):
        bound(f"SELECT {name}(a) FROM t")


def test_aggregates_within_a_group_are_called_by_their_names_of_the_standard() -> None:
    for name in ("percentile_cont", "percentile_disc"):
        assert bound(f"SELECT {name}(0.5) WITHIN GROUP (ORDER BY r) FROM t").columns[0].type == types.FLOAT64


def test_the_counts_are_duckdbs() -> None:
    found: dict[str, set[int]] = {}
    many: set[str] = set()
    query = "SELECT function_name, len(parameters), varargs FROM duckdb_functions()"
    for given, count, varargs in duckdb.connect().execute(f"{query} WHERE function_type IN {_KINDS}").fetchall():
        name = given.lower()
        found.setdefault(name, set()).add(count)
        if varargs is not None:
            many.add(name)
    assert BY_NAME.keys() - found.keys() == _SYNTAX
    # DuckDB lists the longest call of these two only.
    for name, one in BY_NAME.items():
        if name in _SYNTAX | {"lag", "lead"} or one.name in _FEWER:
            continue
        assert one.most == (None if name in many else max(found[name])), name
        if name not in many:
            assert all(one.takes(count) == (count in found[name]) for count in range(one.most or 1)), name


def test_a_name_that_is_not_listed_may_take_any_count() -> None:
    assert takes("a_macro_of_somebody", 7)


@pytest.fixture(scope="module")
def theirs() -> duckdb.DuckDBPyConnection:
    return duckdb.connect()


@pytest.mark.parametrize("one", [one for one in _DECLARED if one.kind == "scalar"], ids=lambda one: one.name)
def test_null_arguments_mean_what_is_declared(one: Declaration, theirs: duckdb.DuckDBPyConnection) -> None:
    given_null = []
    for arguments in _arguments(one, are_all=one.nulls is not Nulls.GIVE_NULL):
        for place, argument in enumerate(arguments):
            changed = [*arguments[:place], f"nullif({argument}, {argument})", *arguments[place + 1 :]]
            with contextlib.suppress(duckdb.Error):  # not every argument may be NULL
                ((value,),) = theirs.execute(f"SELECT {_call(one.name, changed)}").fetchall()
                given_null.append(value is None)
    if one.nulls is Nulls.GIVE_NULL:
        assert all(given_null)
    else:
        assert not given_null or not all(given_null)


@pytest.mark.parametrize("one", [one for one in _DECLARED if not one.is_refused], ids=lambda one: one.name)
def test_results_have_the_type_that_is_declared(one: Declaration, theirs: duckdb.DuckDBPyConnection) -> None:
    over = " OVER ()" if one.kind == "window" else ""
    for arguments in _arguments(one):
        call = f"{_call(one.name, arguments)}{over}"
        if call in ("map()", "error('a')"):  # of no type
            continue
        ((kind,),) = theirs.execute(f"SELECT typeof({call})").fetchall()
        assert bound(f"SELECT {call}").columns[0].type.sql_name == kind
        if re.fullmatch(r"[A-Z]{2,}(\[\])?", one.result) and one.result.removesuffix("[]") not in _FOLLOWS:
            assert kind.replace("TIMESTAMP WITH TIME ZONE", "TIMESTAMPTZ") == one.result


def test_completion_knows_the_declared_names_only() -> None:
    assert {"upper", "ucase", "quantile_cont", "row_number"} <= set(function_names())
    assert not {"hash", "^@", "date_from_parts"} & set(function_names())


def test_the_page_of_functions_is_that_of_the_registry() -> None:
    assert (ROOT / "docs" / "reference" / "functions.md").read_text(encoding="utf-8") == page()
