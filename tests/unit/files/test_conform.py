"""Tables of users made into tables of ours: columns, structs, defaults, NULLs, and the forms that rows come in."""

import math
import sys
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from types import ModuleType
from typing import Any
from uuid import UUID

import duckdb
import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from forklake.errors import InvalidInputError
from forklake.files.arrow.schema import arrow_schema
from forklake.files.incoming.conform import conform, frame_of
from forklake.model import types
from forklake.model.field import Field
from forklake.model.ids import ColumnId
from forklake.model.types.shapes import list_of, struct_of
from tests.fields import named_field

A = Field(ColumnId(1), "a", types.INT32)
B = Field(ColumnId(2), "b", types.VARCHAR)
S = named_field(
    ColumnId(3),
    "s",
    "struct",
    (
        Field(ColumnId(4), "x", types.INT8),
        named_field(ColumnId(5), "y", "list", (Field(ColumnId(6), "element", types.VARCHAR),)),
    ),
)
M = named_field(
    ColumnId(7),
    "m",
    "map",
    (Field(ColumnId(8), "key", types.VARCHAR), Field(ColumnId(9), "value", types.FLOAT64)),
)


def conformed(value: Any, *fields: Field, by_name: bool = True) -> list[dict[str, Any]]:
    made = conform(frame_of(value, fields), fields, "t", by_name=by_name)
    assert made.schema.equals(arrow_schema(fields), check_metadata=True)
    made.validate(full=True)
    rows: list[dict[str, Any]] = made.to_pylist(maps_as_pydicts="strict")
    return rows


def refusal(value: Any, *fields: Field, by_name: bool = True) -> str:
    with pytest.raises(InvalidInputError) as refused:
        conformed(value, *fields, by_name=by_name)
    return refused.value.message


def test_columns_are_matched_by_folded_name_in_any_order() -> None:
    assert conformed({"B": "x", "A": 1}, A, B) == [{"a": 1, "b": "x"}]


def test_columns_are_matched_by_position_whatever_their_names() -> None:
    assert conformed(pa.table({"b": [1], "q": ["x"]}), A, B, by_name=False) == [{"a": 1, "b": "x"}]


@pytest.mark.parametrize(
    ("table", "by_name", "words"),
    [
        (pa.table({"a": [1], "b": ["x"], "c": [1]}), False, "table t has 2 columns but 3 values were supplied"),
        (pa.table({"a": [1]}), False, "table t has 2 columns but 1 values were supplied"),
        (pa.table({"a": [1], "c": [1]}), True, 'Table "t" does not have a column with name "c"'),
        (pa.table({"a": [1], "A": [1]}), True, 'Duplicate column name "A" in INSERT'),
    ],
)
def test_columns_that_do_not_match_are_refused(table: pa.Table, by_name: bool, words: str) -> None:
    assert refusal(table, A, B, by_name=by_name) == words


def test_a_column_left_out_gets_its_default_or_null() -> None:
    fields = (A, Field(None, "d", types.Decimal(5, 2), default="1.5"), Field(None, "l", types.DATE))
    assert conformed([{"a": 1}, {"a": 2}], *fields) == [
        {"a": 1, "d": Decimal("1.50"), "l": None},
        {"a": 2, "d": Decimal("1.50"), "l": None},
    ]


def test_a_value_given_as_null_does_not_get_the_default() -> None:
    assert conformed({"d": None}, Field(None, "d", types.INT8, default="1")) == [{"d": None}]


def test_null_is_refused_where_it_is_not_allowed() -> None:
    column = Field(None, "c", types.INT8, nulls_allowed=False)
    assert refusal({"c": None}, column) == "NOT NULL constraint failed: t.c"
    assert refusal({"a": 1}, A, column) == "NOT NULL constraint failed: t.c"
    assert conformed({"c": 1}, column) == [{"c": 1}]


def test_expressions_of_the_clock_are_evaluated_once_for_all_rows() -> None:
    fields = (
        A,
        Field(None, "t", types.TIMESTAMPTZ, default="now()", default_is_expression=True),
        Field(None, "u", types.TIMESTAMP, default="CAST(current_timestamp AS TIMESTAMP)", default_is_expression=True),
        Field(None, "d", types.DATE, default="(current_date)", default_is_expression=True),
    )
    before = datetime.now(UTC)
    first, second = conformed([{"a": 1}, {"a": 2}], *fields)
    assert before <= first["t"] <= datetime.now(UTC)
    assert first["t"] == second["t"] == first["u"].replace(tzinfo=UTC)
    assert first["d"] == first["u"].date()


def test_casts_in_default_expressions_are_made() -> None:
    fields = (
        A,
        Field(None, "d", types.TIMESTAMP, default="CAST(CAST(now() AS DATE) AS TIMESTAMP)", default_is_expression=True),
        Field(None, "e", types.VARCHAR, default="current_date::DATE::VARCHAR", default_is_expression=True),
        Field(None, "u", types.VARCHAR, default="uuid()", default_is_expression=True),
    )
    (row,) = conformed({"a": 1}, *fields)
    assert (row["d"].hour, row["d"].minute, row["d"].second, row["d"].microsecond) == (0, 0, 0, 0)
    assert row["e"] == row["d"].date().isoformat()
    assert str(UUID(row["u"])) == row["u"]


def test_random_defaults_differ_from_row_to_row() -> None:
    fields = (
        A,
        *(
            Field(None, name, types.UUID, default=f"{name}()", default_is_expression=True)
            for name in ("uuid", "gen_random_uuid", "uuidv7")
        ),
        Field(None, "r", types.FLOAT64, default="RANDOM()", default_is_expression=True),
    )
    rows = conformed([{"a": number} for number in range(50)], *fields)
    for name in ("uuid", "gen_random_uuid", "uuidv7", "r"):
        assert len({row[name] for row in rows}) == 50
    assert all(row["uuidv7"].version == 7 and row["uuid"].version == 4 for row in rows)
    assert abs((rows[0]["uuidv7"].int >> 80) / 1000 - datetime.now(UTC).timestamp()) < 60
    assert all(0 <= row["r"] < 1 for row in rows)


def test_other_expressions_are_refused_by_name() -> None:
    column = Field(None, "c", types.INT64, default="nextval('s')", default_is_expression=True)
    assert refusal({"a": 1}, A, column) == (
        'The default of column "c" is the expression "nextval(\'s\')", which is not evaluated here; '
        "give the column a value."
    )
    assert conformed({"c": 7}, column) == [{"c": 7}]
    for text in ("'now'", "uuid() || 'x'", "CAST(now() AS box)", "now(1)"):
        other = Field(None, "c", types.VARCHAR, default=text, default_is_expression=True)
        assert "which is not evaluated here" in refusal({"a": 1}, A, other)


def test_fields_of_structs_are_matched_by_name_at_every_depth() -> None:
    table = pa.table({"s": [{"Y": ["q", None], "X": 1}, None, {"Y": None, "X": None}]})
    assert conformed(table, S) == [{"s": {"x": 1, "y": ["q", None]}}, {"s": None}, {"s": {"x": None, "y": None}}]
    assert conformed(pa.table({"s": [{"y": [1.5]}]}), S) == [{"s": {"x": None, "y": ["1.5"]}}]


def test_unknown_and_double_fields_of_structs_are_refused_with_their_path() -> None:
    deep = Field(None, "l", list_of(struct_of([("x", types.INT8)])))
    assert refusal(pa.table({"s": [{"x": 1, "z": 1}]}), S) == 'Table "t" does not have a column with name "s.z"'
    assert refusal(pa.table({"l": [[{"z": 1}]]}), deep) == 'Table "t" does not have a column with name "l.element.z"'
    twice = pa.StructArray.from_arrays([pa.array([1]), pa.array([2])], names=["x", "X"])
    assert refusal(pa.table({"s": twice}), S) == 'Duplicate column name "s.X" in INSERT'


def test_a_bad_value_within_a_nested_one_is_named_with_its_path() -> None:
    assert refusal(pa.table({"s": [{"x": 300}]}), S) == (
        "Type INT64 with value 300 can't be cast because the value is out of range for the destination type INT8 "
        '(column "s.x")'
    )
    assert refusal(pa.table({"s": [1]}), S) == (
        'Unimplemented type for cast (BIGINT -> STRUCT(x TINYINT, y VARCHAR[])) (column "s")'
    )


def test_what_a_null_hides_is_not_looked_at() -> None:
    hidden = pa.ListArray.from_arrays([0, 1, 2], pa.array([300, 1]), mask=pa.array([True, False]))
    tiny = Field(None, "l", types.List(Field(None, "element", types.INT8)))
    assert conformed(pa.table({"l": hidden}), tiny) == [{"l": None}, {"l": [1]}]
    assert conformed(pa.table({"l": hidden}).slice(1), tiny) == [{"l": [1]}]
    view = pa.ListViewArray.from_arrays([0, 1], [1, 1], pa.array([300, 1]), mask=pa.array([True, False]))
    assert conformed(pa.table({"l": view}), tiny) == [{"l": None}, {"l": [1]}]


def test_lists_of_every_kind_are_lists() -> None:
    column = Field(None, "l", types.List(Field(None, "element", types.INT8)))
    values = [[1, 2], None, [3, None], [4, 5]]
    for kind in (pa.list_(pa.int64()), pa.large_list(pa.int64()), pa.list_(pa.int64(), 2), pa.list_view(pa.int64())):
        table = pa.table({"l": pa.array(values, kind)})
        assert conformed(table, column) == [{"l": value} for value in values]
        assert conformed(table.slice(2), column) == [{"l": value} for value in values[2:]]


def test_maps_have_unique_keys_that_are_not_null() -> None:
    twice = pa.array([[("k", 1)], [("a", 1), ("a", 2)]], pa.map_(pa.string(), pa.int64()))
    assert refusal(pa.table({"m": twice}), M) == 'Map keys must be unique. (column "m")'
    assert conformed(pa.table({"m": twice}).slice(0, 1), M) == [{"m": {"k": 1.0}}]
    by_uuid = Field(None, "m", types.Map(Field(None, "key", types.UUID), Field(None, "value", types.INT8)))
    key = UUID(int=1)
    same = pa.array([[(str(key), 1), (str(key).upper().replace("-", ""), 2)]], pa.map_(pa.string(), pa.int8()))
    assert refusal(pa.table({"m": same}), by_uuid) == 'Map keys must be unique. (column "m")'


def test_null_is_no_key_of_a_map() -> None:
    assert refusal({"m": {None: 1}}, M) == 'Map keys can not be NULL. (column "m")'


def test_nested_values_become_text_and_text_becomes_nested_values() -> None:
    text = "{'x': 1, 'y': [a, 'b, c', NULL]}"
    nested = {"x": 1, "y": ["a", "b, c", None]}
    assert conformed(pa.table({"b": [nested]}), B) == [{"b": text}]
    assert conformed({"s": text}, S) == [{"s": nested}]


def test_python_rows_are_read_with_the_types_that_python_has() -> None:
    fields = tuple(
        named_field(None, name, kind)
        for name, kind in {
            "u": "uuid",
            "h": "int128",
            "d": "decimal(10,2)",
            "t": "time",
            "w": "timestamptz",
            "i": "interval",
            "n": "float64",
            "z": "blob",
        }.items()
    )
    row = {
        "u": UUID(int=10),
        "h": 2**100,
        "d": Decimal("1.5"),
        "t": time(1, 2, 3),
        "w": datetime(2020, 1, 1, tzinfo=UTC),
        "i": timedelta(days=1, seconds=1),
        "n": math.inf,
        "z": b"\x00",
    }
    assert conformed([row], *fields) == [row | {"i": "24:00:01"}]


def test_dictionaries_of_python_are_maps_where_the_column_is_one() -> None:
    deep = Field(None, "l", types.List(M))
    assert conformed([{"m": {"k": 1, "l": None}}, {"m": {}}, {"m": None}], M) == [
        {"m": {"k": 1.0, "l": None}},
        {"m": {}},
        {"m": None},
    ]
    assert conformed({"l": [{"k": 1}, {"z": 2}]}, deep) == [{"l": [{"k": 1.0}, {"z": 2.0}]}]
    numbered = Field(None, "m", types.Map(Field(None, "key", types.INT32), Field(None, "value", types.VARCHAR)))
    assert conformed({"m": {1: "a"}}, numbered) == [{"m": {1: "a"}}]


def test_a_date_among_datetimes_of_python_does_not_cut_them() -> None:
    column = Field(None, "c", types.TIMESTAMP)
    moments: list[dict[str, Any]] = [{"c": date(2020, 1, 1)}, {"c": datetime(2020, 1, 1, 5)}]  # noqa: DTZ001
    assert conformed(moments, column)[1] == moments[1]


def test_rows_with_other_keys_are_refused() -> None:
    assert refusal([{"a": 1, "b": "x"}, {"a": 1}], A, B) == (
        'Row 2 and row 1 do not have the same keys: "b" is in one of them only; nothing was written.'
    )
    assert refusal([{"a": 1}, 5], A) == 'Row 2 is a "int", not a mapping; nothing was written.'
    assert refusal([{1: 1}], A) == 'The key "1" of row 1 is no text; nothing was written.'
    assert refusal("abc", A) == 'Rows cannot be read from "abc"; nothing was written.'
    assert refusal(7, A) == 'Rows cannot be read from a "int"; nothing was written.'
    assert refusal([{"a": 1}, {"a": "x"}], A).startswith('The values of column "a" have no common type')


def test_no_rows_are_no_rows() -> None:
    assert conformed([], A, B) == []
    assert conformed(pd.DataFrame({"a": []}), A, B) == []
    assert conformed(pa.table({"a": pa.chunked_array([], pa.int64())}), A) == []


def test_record_batches_readers_and_streams_are_read() -> None:
    batch = pa.record_batch({"a": [1, 2]})
    rows = [{"a": 1}, {"a": 2}]
    assert conformed(batch, A) == rows
    assert conformed(pa.RecordBatchReader.from_batches(batch.schema, [batch]), A) == rows

    class Stream:
        def __arrow_c_stream__(self, requested_schema: object = None) -> object:
            return pa.table(batch).__arrow_c_stream__(requested_schema)

    assert conformed(Stream(), A) == rows


def test_nan_of_pandas_is_missing_as_it_is_to_duckdb() -> None:
    frame = pd.DataFrame(
        {"f": [1.5, np.nan], "a": [1.0, np.nan], "b": ["x", np.nan], "o": pd.Series([1, None], dtype="Int64")}
    )
    fields = (Field(None, "f", types.FLOAT64), A, B, Field(None, "o", types.INT8))
    first, second = conformed(frame, *fields)
    assert first == {"f": 1.5, "a": 1, "b": "x", "o": 1}
    assert second == {"f": None, "a": None, "b": None, "o": None}
    assert duckdb.sql("SELECT f FROM frame").fetchall() == [(1.5,), (None,)]
    numbers = pd.DataFrame({"f": pd.Series(pa.array([math.nan, None]), dtype=pd.ArrowDtype(pa.float64()))})
    number, missing = conformed(numbers, fields[0])
    assert math.isnan(number["f"])
    assert missing == {"f": None}


def test_what_python_has_for_json_becomes_its_text() -> None:
    field = Field(None, "j", types.JSON)
    values = [{"a": [1, None, "ü"]}, ["x"], 1, 1.5, True, '{"b": 1}', None]
    texts = ['{"a": [1, null, "ü"]}', '["x"]', "1", "1.5", "true", '{"b": 1}', None]
    assert [row["j"] for row in conformed([{"j": value} for value in values], field)] == texts
    assert 'Malformed JSON: "x"' in refusal([{"j": "x"}], field)
    for odd in ({"a": math.nan}, {"a": object()}):
        assert "cannot be written as JSON" in refusal([{"j": odd}], field)


def test_rows_are_read_while_a_thread_imports_pandas(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pandas", ModuleType("pandas"))  # as it is while its import has just begun
    assert frame_of([{"a": 1}]).to_pylist() == [{"a": 1}]


def test_nan_of_arrow_is_never_missing() -> None:
    assert "Type DOUBLE with value nan can't be cast" in refusal(pa.table({"a": [1.0, math.nan]}), A)


@pytest.mark.parametrize("zone", [None, "UTC"])
def test_nanoseconds_of_pandas_are_kept_where_there_are_any(zone: str | None) -> None:
    column = Field(ColumnId(1), "a", types.TIMESTAMP_NS)
    texts = ["2024-02-29 12:34:56.123456789", None]
    exact, whole = (
        pd.Series(pd.to_datetime(part)).dt.tz_localize(zone) for part in (texts, ["2024-02-29 12:34", None])
    )
    frames: dict[str, Any] = {
        "nanoseconds": pd.DataFrame({"a": exact}),
        "objects": pd.DataFrame({"a": exact.astype(object)}),
        "rows": [{"a": exact[0]}, {"a": None}],
        "Arrow": pa.table({"a": pa.Array.from_pandas(exact)}),
    }
    for name, frame in frames.items():
        made = conform(frame_of(frame, [column]), [column], "t", by_name=True)
        assert made.column("a").cast(pa.int64()).to_pylist() == [1_709_210_096_123_456_789, None], name
        assert frame_of(frame).schema.field("a").type == pa.timestamp("ns", zone), name
    assert frame_of(pd.DataFrame({"a": whole})).schema.field("a").type == pa.timestamp("us", zone)


def test_moments_that_nanoseconds_do_not_reach_are_refused_beside_some() -> None:
    rows = [{"a": pd.Timestamp("2024-02-29 12:34:56.123456789")}, {"a": datetime(9999, 1, 1)}]  # noqa: DTZ001
    assert "out of bounds for nanosecond" in refusal(rows, Field(ColumnId(1), "a", types.TIMESTAMP_NS))
    assert len(conformed(rows, Field(ColumnId(1), "a", types.TIMESTAMP))) == 2


def test_everyday_columns_of_pandas_are_read() -> None:
    frame = pd.DataFrame(
        {
            "a": pd.Categorical(["1", "2"]),
            "b": pd.to_datetime(["2020-01-01 01:02:03.123456789", None]),
            "c": [date(2020, 1, 1), None],
            "d": pd.to_datetime(["2020-01-01 00:00+02:00", None]),
            "e": [[1, 2], None],
        },
        index=[5, 6],
    )
    fields = (
        A,
        Field(None, "b", types.TIMESTAMP),
        Field(None, "c", types.DATE),
        Field(None, "d", types.TIMESTAMPTZ),
        Field(None, "e", types.List(Field(None, "element", types.INT8))),
    )
    first, second = conformed(frame, *fields)
    assert first == {
        "a": 1,
        "b": datetime(2020, 1, 1, 1, 2, 3, 123456),  # noqa: DTZ001
        "c": date(2020, 1, 1),
        "d": datetime(2019, 12, 31, 22, tzinfo=UTC),
        "e": [1, 2],
    }
    assert second == {"a": 2, "b": None, "c": None, "d": None, "e": None}
    assert refusal(pd.DataFrame({0: [1]}), A) == (
        'The name "0" of a column of the DataFrame is no text; nothing was written.'
    )


def test_columns_that_fit_are_not_copied() -> None:
    table = pa.table({"a": pa.array([1, 2], pa.int32()), "b": ["x", "y"]})
    made = conform(table, (A, B), "t", by_name=True)
    for name in ("a", "b"):
        assert made[name].chunk(0).buffers()[-1].address == table[name].chunk(0).buffers()[-1].address


def test_chunks_stay_chunks() -> None:
    table = pa.concat_tables([pa.table({"a": [1]}), pa.table({"a": [2]})])
    assert conform(table, (A,), "t", by_name=True)["a"].num_chunks == 2
