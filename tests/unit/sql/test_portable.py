"""Texts that are stored in a catalog: written without its alias, read with it wherever they are used."""

import pytest

from forklake.sql.portable import Home, make_portable, qualify_names

_MACROS = {"twice": "main", "rows_of": "main"}
HOME = Home("my lake", {"main", "side"}, set(_MACROS), lambda name: "main", _MACROS.get)


@pytest.mark.parametrize(
    ("text", "stored"),
    [
        ("SELECT * FROM lake.t", "SELECT * FROM main.t"),
        ("SELECT * FROM LAKE.side.t JOIN other.t USING (i)", "SELECT * FROM side.t JOIN other.t USING (i)"),
        ("SELECT lake.main.t.i FROM lake.main.t", "SELECT main.t.i FROM main.t"),
        ("FROM lake.rows_of(1), lake.unknown(2)", "FROM main.rows_of(1), lake.unknown(2)"),
        ("SELECT lake.twice(i), lake.upper() FROM t", "SELECT main.twice(i), lake.upper() FROM t"),
        ('SELECT \'lake.t\', "lake"."t".i FROM t AS lake', 'SELECT \'lake.t\', "lake"."t".i FROM t AS lake'),
        ("SELECT (SELECT max(i) FROM lake.t) -- lake.t", "SELECT (SELECT max(i) FROM main.t) -- lake.t"),
    ],
)
def test_a_stored_query_does_not_say_what_its_catalog_is_attached_as(text: str, stored: str) -> None:
    assert make_portable(text, "lake", macros={"twice", "rows_of"}) == stored


def test_a_stored_expression_does_neither() -> None:
    assert make_portable("x + (SELECT max(i) FROM lake.t)", "lake", "scalar") == "x + (SELECT max(i) FROM main.t)"


@pytest.mark.parametrize(
    ("text", "read"),
    [
        ("FROM t", 'FROM "my lake"."main".t'),
        ("FROM side.t, other.t, a.b.c", 'FROM "my lake".side.t, other.t, a.b.c'),
        ("WITH t AS (FROM u) FROM t", 'WITH t AS (FROM "my lake"."main".u) FROM t'),
        ("FROM rows_of(1), range(3)", 'FROM "my lake"."main".rows_of(1), range(3)'),
        ("SELECT twice(i), lower(n), n.upper() FROM t", None),
    ],
)
def test_a_macro_finds_the_tables_and_macros_of_its_own_catalog(text: str, read: str | None) -> None:
    expected = read or 'SELECT "my lake"."main".twice(i), lower(n), n.upper() FROM "my lake"."main".t'
    assert qualify_names(text, HOME, "table") == expected


def test_a_name_with_quotes_stays_one_name() -> None:
    assert (
        qualify_names("FROM t", Home('a"b', {"main"}, (), lambda name: "main", lambda name: None), "table")
        == 'FROM "a""b"."main".t'
    )
