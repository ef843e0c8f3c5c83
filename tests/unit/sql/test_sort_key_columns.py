"""Which columns and fields of a table a sort key names, and how they get other names in it."""

import pytest

from forklake.errors import InvalidInputError
from forklake.model import types
from forklake.model.field import Field
from forklake.model.ids import ColumnId
from forklake.model.types.shapes import list_of
from forklake.sql.rows.sort_key_columns import named_columns, rename_column, unknown_columns, without_table

INNER = (Field(ColumnId(11), "a", types.INT32), Field(ColumnId(12), 'b"c', types.INT32))
S = Field(ColumnId(1), "s", types.Struct(INNER))
ELEMENT = Field(ColumnId(21), "element", types.Struct((Field(ColumnId(22), "a", types.INT32),)))
COLUMNS = (
    S,
    Field(ColumnId(2), "a", types.INT32),
    Field(ColumnId(3), "lower", types.VARCHAR),
    Field(ColumnId(4), "year", types.DATE),
    Field(ColumnId(5), 'd"e', list_of(types.INT32)),
    Field(ColumnId(6), "l", types.List(ELEMENT)),
)


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("s.a", {1, 11}),
        ("T.s.A", {1, 11}),
        ("(s).a", {1, 11}),
        ("s['a'] + 1", {1, 11}),
        ("struct_extract(t.s, 'b\"c')", {1, 12}),
        ("l[1].a", {6, 22}),
        ("A + s['x']", {2, 1}),
        ("lower('a')", set()),
        ("lower(lower)", {3}),
        ("lower.lower()", {3}),
        ("extract(year FROM a::DATE)", {2}),
        ("CAST(a AS STRUCT(year INTEGER, lower DATE)).year", {2}),
        ('"d""e"', {5}),
        ('"a d" + 1', set()),
        ('list_transform("d""e", lambda a: a + s.a)', {5, 1, 11}),
        ("list_transform(l, lambda s: s.a)", {6}),
        ('[a FOR a IN "d""e" IF a > year]', {5, 4}),
        ('[year * a FOR year, a IN "d""e" IF a > 1]', {5}),
        ("struct_pack(a := year)", {4}),
    ],
)
def test_a_key_names_columns_and_fields(text: str, named: set[int]) -> None:
    assert named_columns(text, "t", COLUMNS) == named


@pytest.mark.parametrize(
    ("text", "column", "renamed"),
    [
        ("a + s.a -- a", 2, '"x y" + s.a -- a'),
        ("a + s.a", 11, 'a + s."x y"'),
        ("t.s.a", 1, 't."x y".a'),
        ("a || 'a' || \"a\"", 2, '"x y" || \'a\' || "x y"'),
        ("lower(LOWER)", 3, 'lower("x y")'),
        ('list_transform("d""e", lambda a: a)', 5, 'list_transform("x y", lambda a: a)'),
        ("[e * a FOR e, a IN l]", 2, "[e * a FOR e, a IN l]"),
        ("lower", 2, "lower"),
    ],
)
def test_a_renamed_column_has_its_new_name_in_a_key_and_all_else_stays(text: str, column: int, renamed: str) -> None:
    assert rename_column(text, "t", COLUMNS, ColumnId(column), "x y") == renamed


def test_a_field_that_a_key_names_by_a_text_is_not_renamed() -> None:
    with pytest.raises(InvalidInputError, match=r'Cannot rename column "a" - the table is sorted by s\[\'a\'\], which'):
        rename_column("s['a']", "t", COLUMNS, ColumnId(11), "b")
    assert rename_column("s['a']", "t", COLUMNS, ColumnId(1), "b") == "\"b\"['a']"


def test_a_key_need_not_name_its_table() -> None:
    assert without_table('t.a + "T" . s.a + a', "t", COLUMNS) == "a + s.a + a"
    assert without_table("s.s.a + s.a", "s", COLUMNS) == "s.s.a + a"  # else a field would become a column


def test_unknown_columns_are_told_once_in_the_order_of_the_text() -> None:
    assert unknown_columns("n + t.m + n + s.x + nope(a) + b.lower()", "t", COLUMNS) == ["n", "m", "b"]
