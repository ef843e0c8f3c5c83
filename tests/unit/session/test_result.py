"""What a statement answered, as users are given it; DuckDB says what they expect."""

import datetime as dt
import pickle
import subprocess
import sys
from decimal import Decimal
from typing import Any
from uuid import UUID

import duckdb
import pyarrow as pa
import pytest

from forklake.engine.spark.spark_engine import SparkEngine
from forklake.errors import InvalidInputError
from forklake.files.casting.python_values import from_python, to_python
from forklake.files.casting.texts import parse_values
from forklake.model import types
from forklake.model.field import Field
from forklake.session.results.result import Result
from forklake.session.results.result_table import cell_text
from tests.fields import named_field


def column(name: str, type_: str, *children: Field) -> Field:
    return named_field(None, name, type_, children)


def listed(type_: str, *children: Field) -> Field:
    return column("c", "list", column("element", type_, *children))


def mapped(key: Field, value: Field) -> Field:
    return column("c", "map", key, value)


KEY, VALUE = column("key", "varchar"), column("value", "int32")
ROW = column("c", "struct", column("a", "int32"), column("my b", "varchar"))

ALIKE: list[tuple[Field, str]] = [
    (column("c", "boolean"), "true"),
    (column("c", "int8"), "-128"),
    (column("c", "int16"), "-32768"),
    (column("c", "int32"), "7"),
    (column("c", "int64"), "-9223372036854775808"),
    (column("c", "int128"), "-99999999999999999999999999999999999999"),
    (column("c", "uint8"), "255"),
    (column("c", "uint16"), "65535"),
    (column("c", "uint32"), "4294967295"),
    (column("c", "uint64"), "18446744073709551615"),
    (column("c", "uint128"), "99999999999999999999999999999999999999"),
    (column("c", "float32"), "1.1"),
    (column("c", "float64"), "-1e+300"),
    (column("c", "decimal(18,3)"), "12.500"),
    (column("c", "varchar"), "it's [a] {text}"),
    (column("c", "json"), '{"a": [1, null]}'),
    (column("c", "blob"), "a\\x00\\xFF"),
    (column("c", "uuid"), "550e8400-e29b-41d4-a716-446655440000"),
    (column("c", "date"), "2024-02-29"),
    (column("c", "date"), "10000-01-01"),
    (column("c", "date"), "0045-01-01 (BC)"),
    (column("c", "time"), "01:02:03.5"),
    (column("c", "timetz"), "01:02:03-02:30"),
    (column("c", "timestamp"), "2024-02-29 12:34:56.789"),
    (column("c", "timestamp"), "10000-01-01 00:00:00"),
    (column("c", "timestamp"), "0044-01-01 (BC) 00:00:00"),
    (column("c", "timestamp_s"), "2024-02-29 12:34:56"),
    (column("c", "timestamp_ms"), "2024-02-29 12:34:56.789"),
    (column("c", "timestamp_ns"), "2024-02-29 12:34:56.789012"),
    (column("c", "timestamptz"), "2024-02-29 12:34:56.789+00"),
    (column("c", "interval"), "3 days 04:05:06.7"),
    (listed("int32"), "[1, NULL, 3]"),
    (listed("date"), "[2024-02-29, NULL]"),
    (listed("list", column("element", "uuid")), "[[550e8400-e29b-41d4-a716-446655440000], NULL, []]"),
    (ROW, "{'a': 1, 'my b': 'x, y'}"),
    (mapped(KEY, VALUE), "{k=1, a b=NULL}"),
    (mapped(column("key", "date"), listed("time")), "{2024-02-29=['01:02:03']}"),
    (mapped(column("key", "list", column("element", "int32")), VALUE), "{[1, 2]=3}"),
]
ONLY_TEXT: list[tuple[Field, str]] = [
    (column("c", "date"), "infinity"),
    (column("c", "timestamp"), "-infinity"),
    (column("c", "timestamptz"), "infinity"),
    (column("c", "timestamptz"), "10000-01-01 00:00:00+00"),
    (column("c", "timestamp_ns"), "2024-02-29 12:34:56.789012345"),
    (column("c", "timetz"), "01:02:03+02:30:15"),
    (column("c", "interval"), "1 year 2 months"),
    (column("c", "interval"), "-01:00:00"),
    (column("c", "interval"), "25:00:00"),
    (column("c", "interval"), "1 day -02:00:00"),
]


def told(field: Field, text: str) -> Any:
    """Return the one value of a result that is written as a text."""
    ((value,),) = Result.of_texts([field], [(text,)]).fetchall()
    return value


@pytest.mark.parametrize(("field", "text"), ALIKE)
def test_values_are_those_of_the_python_client_of_duckdb(field: Field, text: str) -> None:
    type_name = Result.of_rows([field], []).types[0]
    with duckdb.connect() as connection:
        connection.execute("SET TimeZone = 'UTC'")
        asked = connection.execute(f"SELECT x, typeof(x) FROM (SELECT CAST(? AS {type_name}) AS x)", [text])
        ((expected, kind),) = asked.fetchall()
    found = told(field, text)
    assert (found, type(found), type_name) == (expected, type(expected), kind)
    assert cell_text(field, found) == text


@pytest.mark.parametrize(("field", "text"), ONLY_TEXT)
def test_what_python_cannot_say_is_the_text_of_duckdb(field: Field, text: str) -> None:
    type_name = Result.of_rows([field], []).types[0]
    with duckdb.connect() as connection:
        connection.execute("SET TimeZone = 'UTC'")
        expected = connection.execute(f"SELECT CAST(CAST(? AS {type_name}) AS VARCHAR)", [text]).fetchall()
    assert expected == [(told(field, text),)]


@pytest.mark.parametrize(("field", "text"), ALIKE + ONLY_TEXT)
def test_values_come_back_as_they_were_held(field: Field, text: str) -> None:
    held = parse_values(field, [text, None])
    shown = to_python(field.type, held)
    assert to_python(field.type, from_python(field.type, shown)) == shown


def test_types_have_the_names_of_duckdb() -> None:
    odd = column("c", "struct", *(column(name, "int32") for name in ("B", "my b", "select", "key", "é", "1a", 'a"b')))
    fields = [listed("decimal(4,1)"), mapped(KEY, VALUE), odd, column("c", "timestamptz"), column("c", "timetz")]
    (types,) = duckdb.execute("SELECT " + ", ".join(f"typeof(NULL::{name})" for name in typed(fields))).fetchall()
    assert typed(fields) == list(types)
    assert typed([column("c", "struct", column("", "int32"), column("", "varchar"))]) == ["STRUCT(INTEGER, VARCHAR)"]


def typed(fields: list[Field]) -> list[str]:
    return Result.of_rows(fields, []).types


def test_rows_without_names_are_tuples() -> None:
    field = column("c", "struct", column("", "int32"), column("", "date"))
    assert to_python(field.type, [(1, 0), None]) == [(1, dt.date(1970, 1, 1)), None]


FOUR = [(1,), (2,), (3,), (4,)]


def numbers() -> Result:
    return Result.of_rows([column("a", "int32")], FOUR)


def test_fetching_goes_on_where_it_ended() -> None:
    result = numbers()
    assert (result.fetchone(), result.fetchmany(2), result.fetchall()) == ((1,), [(2,), (3,)], [(4,)])
    assert (result.fetchall(), result.fetchone(), result.fetchmany(3), [*result]) == ([], None, [], [])
    result = numbers()
    assert (next(iter(result)), [*result], result.fetchall()) == ((1,), [(2,), (3,), (4,)], [])
    assert (numbers().fetchmany(), numbers().fetchmany(0), numbers().fetchall()) == ([(1,)], [], FOUR)


def test_fetching_is_that_of_a_cursor_of_duckdb() -> None:
    with duckdb.connect() as connection:
        cursor = connection.execute("SELECT unnest([1, 2, 3, 4])")
        result = numbers()
        for ask in ("fetchone", "fetchmany", "fetchall", "fetchall", "fetchone", "fetchmany"):
            assert getattr(result, ask)() == getattr(cursor, ask)(), ask


def test_a_negative_number_of_rows_is_refused() -> None:
    with pytest.raises(InvalidInputError, match="fetchmany takes a number of rows, not -1"):
        numbers().fetchmany(-1)


def test_all_forms_are_of_all_rows_whatever_was_fetched() -> None:
    result = numbers()
    shown = repr(result)
    result.fetchmany(3)
    assert (result.rows(), len(result), result.arrow().num_rows) == (FOUR, 4, 4)
    assert (repr(result), len(result.texts()[0])) == (shown, 4)
    assert result.fetchall() == [(4,)]


def test_the_first_rows_are_a_result_of_their_own() -> None:
    result = numbers()
    result.fetchone()
    head = result.head(2)
    assert (head.rows(), head.columns, head.head(1).rows(), result.head().rows()) == (FOUR[:2], ["a"], FOUR[:1], FOUR)
    assert (head.fetchall(), result.fetchone()) == (FOUR[:2], (2,))
    with pytest.raises(InvalidInputError, match="head takes a number of rows, not -1; nothing was read"):
        result.head(-1)


def test_a_result_is_a_stream_of_arrow_with_names_that_do_not_repeat() -> None:
    result = Result.of_rows([column("a", "int32"), column("A", "varchar")], [(1, "x"), (2, None)])
    table = pa.table(result)
    assert table.to_pydict() == {"a": [1, 2], "A_1": ["x", None]}
    with duckdb.connect() as connection:
        connection.register("result", result)
        assert connection.sql("SELECT sum(a), max(A_1) FROM result").fetchall() == [(3, "x")]


def test_a_result_without_rows_is_a_result() -> None:
    empty = Result.of_rows([column("a", "int32")], [])
    assert (bool(empty), len(empty)) == (True, 0)


def test_the_rows_of_a_result_are_its_own() -> None:
    result = numbers()
    result.rows().append((5,))
    result.fetchall().append((6,))
    assert result.rows() == FOUR


def test_a_count_is_told_as_duckdb_tells_it() -> None:
    result = Result.of_count(3, SparkEngine(None, {}))
    assert (result.columns, result.types, result.fetchall()) == (["Count"], ["BIGINT"], [(3,)])


def test_a_text_that_means_nothing_is_refused() -> None:
    with pytest.raises(InvalidInputError, match="Could not convert string 'x' to INT32"):
        Result.of_texts([column("a", "int32")], [("x",)])


def test_a_frame_of_pandas_that_is_made_of_a_result_has_its_names(pandas: Any) -> None:
    result = Result.of_rows([Field(None, "count_star()", types.INT64), Field(None, "b", types.VARCHAR)], [(1, "x")])
    made = pandas.DataFrame(result)
    assert (list(made.columns), made.values.tolist()) == (["count_star()", "b"], [[1, "x"]])
    again = Result.of_rows([Field(None, "a", types.INT64)], [(1,), (2,)])
    first, second = again
    assert (first, repr(second), isinstance(first, tuple)) == ((1,), "(2,)", True)
    assert type(pickle.loads(pickle.dumps(first))) is tuple


@pytest.mark.usefixtures("pandas")
def test_names_that_repeat_are_kept_by_arrow_and_numbered_by_pandas() -> None:
    fields = [column("a", "int32"), column("a", "varchar"), column("A", "date")]
    result = Result.of_rows(fields, [(1, "x", dt.date(2024, 1, 1)), (None, None, None)])
    assert result.columns == result.arrow().column_names == ["a", "a", "A"]
    with duckdb.connect() as connection:
        expected = connection.execute("SELECT 1 AS a, 2 AS a, 3 AS A").df().columns
    assert list(result.pandas().columns) == list(expected) == ["a", "a_1", "A_2"]


@pytest.mark.usefixtures("pandas")
def test_a_number_behind_a_name_makes_no_name_that_is_there() -> None:
    result = Result.of_rows([column(name, "int32") for name in ("a", "a_1", "a")], [(1, 2, 3)])
    assert list(result.pandas().columns) == ["a", "a_1", "a_2"]


def test_arrow_has_the_types_of_data_files() -> None:
    fields = [column("u", "uint8"), column("t", "time"), column("h", "int128"), column("i", "interval"), ROW]
    row = (255, dt.time(1, 2), 5, dt.timedelta(1), {"a": 1, "my b": "x"})
    table = Result.of_rows(fields, [row, (None,) * 5]).arrow()
    assert [str(kind) for kind in table.schema.types] == [
        "uint8",
        "time64[us]",
        "decimal128(38, 0)",
        "string",
        "struct<a: int32, my b: string>",
    ]
    assert table.to_pylist()[0] == {"u": 255, "t": dt.time(1, 2), "h": Decimal(5), "i": "1 day", "c": row[4]}


def test_a_result_looks_like_a_table() -> None:
    rows = [(number, f"[b]{number}[/b]") for number in range(25)]
    shown = repr(Result.of_rows([column("id", "int32"), column("[red]x", "varchar")], rows))
    lines = shown.splitlines()
    assert lines[1:3] == ["│      id │ [red]x    │", "│ INTEGER │ VARCHAR   │"]
    assert lines[4] == "│       0 │ [b]0[/b]  │"
    assert lines[-3:] == ["│      19 │ [b]19[/b] │", "└─────────┴───────────┘", "The first 20 rows; there are more."]


def test_a_notebook_shows_text_and_no_markup() -> None:
    shown = Result.of_rows([column("<a>", "varchar")], [("<b>&",), (None,)])._repr_html_()
    assert "&lt;a&gt;" in shown
    assert "<td>&lt;b&gt;&amp;</td>" in shown
    assert "<td>NULL</td>" in shown


def test_showing_prints_the_rows(capsys: pytest.CaptureFixture[str]) -> None:
    Result.of_rows([column("a", "uuid")], [(UUID(int=1),)]).show()
    assert "00000000-0000-0000-0000-000000000001" in capsys.readouterr().out


def test_a_result_of_metadata_needs_neither_pandas_nor_spark() -> None:
    program = (
        "import sys; from forklake.session.results.result import Result; from forklake.model.field import Field\n"
        "from forklake.model.types import INT32\n"
        "r = Result.of_rows([Field(None, 'a', INT32)], [(1,)]); r.columns, r.types, r.fetchall()\n"
        "print([name for name in ('pyspark', 'pandas') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
