"""What Python callers say about rows, bound as SQL's statements are."""

from datetime import date
from typing import Any

import pytest

from forklake.errors import ForklakeError, InvalidInputError, NotFoundError
from forklake.model import types
from forklake.model.field import Field
from forklake.model.ids import ColumnId
from forklake.model.merge import Merge, MergeDelete, MergeInsert, MergeUpdate
from forklake.model.predicate import Comparison
from forklake.sql.rows.row_statements import bind_merge_with, bind_update
from forklake.sql.rows.row_texts import (
    MergeClauses,
    condition,
    delete_statement,
    merge_statement,
    read_where,
    update_statement,
)
from tests.fields import named_field

FIELDS = (
    Field(ColumnId(1), "id", types.INT64),
    Field(ColumnId(2), "Item", types.VARCHAR),
    Field(ColumnId(3), "day", types.DATE),
    named_field(ColumnId(4), "s", "struct", (Field(ColumnId(5), "id", types.INT64),)),
)
SOURCE = (
    Field(None, "ID", types.INT32),
    Field(None, "note", types.VARCHAR),
    Field(None, "day", types.DATE),
    Field(None, "s", types.Struct((Field(None, "id", types.INT64),))),
)
DELETE = MergeClauses((MergeDelete(),))


def merged(on: str, clauses: MergeClauses = DELETE, parameters: Any = None) -> Merge:
    return bind_merge_with(SOURCE, merge_statement(on, clauses, FIELDS, SOURCE, parameters), "t", FIELDS)


# ---- parameters ------------------------------------------------------------------------------------------------------


def test_a_condition_takes_values_for_its_parameters() -> None:
    expected = Comparison(ColumnId(1), types.INT64, "=", "4")
    assert condition("id = ?", "t", FIELDS, [4]).predicate == expected
    assert condition("id = $1", "t", FIELDS, [4]).predicate == expected
    assert condition("id = $key", "t", FIELDS, {"KEY": 4}).predicate == expected
    assert condition("day = ?", "t", FIELDS, [date(2020, 1, 2)]).predicate == Comparison(
        ColumnId(3), types.DATE, "=", "2020-01-02"
    )
    injected = condition("Item = ?", "t", FIELDS, ["x' OR '1' = '1"]).predicate
    assert injected == Comparison(ColumnId(2), types.VARCHAR, "=", "x' OR '1' = '1")


def test_a_value_that_is_no_text_stands_for_itself() -> None:
    given = update_statement({"id": 7, "Item": None, "day": date(2020, 1, 2), "s": {"id": -1}}, None, None)
    bound = bind_update(given, "t", FIELDS)
    assert [value for _, value in bound.values][:2] == [
        value for _, value in bind_update(update_statement({"id": "7", "Item": "NULL"}, None, None), "t", FIELDS).values
    ]
    assert [value.sql("duckdb") for _, value in given.assignments][2:] == ["CAST('2020-01-02' AS DATE)", "{'id': -1}"]
    clauses = MergeClauses((MergeUpdate({"id": 3}),), (MergeInsert({"id": 4}),))
    written = MergeClauses((MergeUpdate({"id": "3"}),), (MergeInsert({"id": "4"}),))
    assert merged("target.id = source.id", clauses) == merged("target.id = source.id", written)
    with pytest.raises(InvalidInputError, match=r'Column "id" is set to .* which is neither SQL text nor a value'):
        update_statement({"id": object()}, None, None)


def test_an_update_takes_values_first_for_what_it_sets_and_then_for_its_condition() -> None:
    given = update_statement({"Item": "? || ?", "id": "? + id"}, "id < ?", ["a", "b", 3, 4])
    assert [(name, value.sql()) for name, value in given.assignments] == [("Item", "'a' || 'b'"), ("id", "3 + id")]
    assert given.where is not None
    assert given.where.sql() == "id < 4"
    named = update_statement({"Item": "$item"}, "Item <> $item", {"item": "x"})
    bound = bind_update(named, "t", FIELDS)
    assert bound.values == (("Item", "'x'"),)


def test_a_merge_takes_values_in_the_order_in_which_sql_would_say_it() -> None:
    clauses = MergeClauses(
        matched=[MergeDelete(when="source.note = ?"), MergeUpdate({"Item": "?", "id": "?"}, when="target.id > ?")],
        not_matched=[MergeInsert({"id": "?"})],
        not_matched_by_source=[MergeUpdate({"id": "?"})],
    )
    merge = merged("target.id = source.id AND source.note <> ?", clauses, ["1", "2", 3, "4", 5, 6, 7])
    assert "'1'" in merge.on
    assert ["'2'" in str(merge.clauses[0].condition), "3" in str(merge.clauses[1].condition)] == [True, True]
    assert [[value for _, value in clause.values] for clause in merge.clauses] == [
        [],
        ["'4'", "5L"],
        ["6L"],
        ["7L"],
    ]


@pytest.mark.parametrize(
    ("text", "given", "message"),
    [
        ("id = ?", None, "There is no value for parameter 1; 0 were given"),
        ("id = ?", [], "There is no value for parameter 1; 0 were given"),
        ("id = 1", [1], "1 were given, 0 are used"),
        ("id = $a", {"b": 1}, 'no value for the parameter "\\$a"'),
        ("id = $a", [1], 'The parameter "\\$a" has a name'),
        ("id = ?", 5, "Parameters are a list of values"),
        ("id = ?", "5", "Parameters are a list of values"),
    ],
)
def test_parameters_that_do_not_fit_are_refused_as_in_sql(text: str, given: Any, message: str) -> None:
    for read in (
        lambda: read_where(text, given),
        lambda: condition(text, "t", FIELDS, given),
        lambda: delete_statement(text, given),
        lambda: update_statement({"id": "1"}, text, given),
        lambda: update_statement({"Item": text}, None, given),
        lambda: merged(text.replace("id", "target.id"), DELETE, given),
    ):
        with pytest.raises(InvalidInputError, match=message):
            read()


def test_parameters_without_a_condition_are_not_lost() -> None:
    assert read_where(None) is None
    with pytest.raises(InvalidInputError, match="1 were given, 0 are used"):
        read_where(None, [1])


# ---- statements ------------------------------------------------------------------------------------------------------


def test_values_are_of_the_columns_types_and_may_be_the_default() -> None:
    fields = (*FIELDS, Field(ColumnId(6), "d", types.INT32, default="7"), Field(ColumnId(7), "n", types.INT32))
    given = update_statement({"ITEM": "id", "day": "'2020-01-02'", "d": "DEFAULT", "n": "default"}, None, None)
    assert bind_update(given, "t", fields).values == (
        ("Item", "CAST(`id` AS STRING)"),
        ("day", "DATE '2020-01-02'"),
        ("d", "7"),
        ("n", "CAST(NULL AS INT)"),
    )


@pytest.mark.parametrize(
    ("on", "keys"),
    [
        ("target.id = source.id", (("id", "c0"),)),
        ("source.ID = (target.Id) AND (source.note = 'x' AND note = item)", (("id", "c0"), ("Item", "c1"))),
        ("target.day = source.day AND target.s.id = source.s.id AND target.s = source.s", (("day", "c2"), ("s", "c3"))),
        ("target.id = source.id OR target.day = source.day", ()),
        ("NOT target.id = source.id", ()),
        ("target.id IS NOT DISTINCT FROM source.id", ()),
        ("target.id = source.id + 1 AND target.id = target.id AND source.id = source.id", ()),
        ("target.id::INTEGER = source.id", ()),
    ],
)
def test_keys_of_a_merge_are_the_columns_that_must_be_equal(on: str, keys: Any) -> None:
    assert merged(on).keys == keys


def test_an_upsert_matches_by_its_keys_and_takes_the_columns_that_both_have() -> None:
    merge = bind_merge_with(SOURCE, merge_statement(["ID", "day"], MergeClauses(), FIELDS, SOURCE, None), "t", FIELDS)
    assert merge.keys == (("id", "c0"), ("day", "c2"))
    assert [(clause.side, clause.operation) for clause in merge.clauses] == [
        ("matched", "update"),
        ("not matched", "insert"),
    ]
    assert [name for name, _ in merge.clauses[0].values] == ["id", "day", "s"]
    assert [field.name for field in merge.source] == ["c0", "c1", "c2", "c3"]


@pytest.mark.parametrize(
    ("on", "clauses", "error", "message"),
    [
        (" ", {"matched": [MergeDelete()]}, InvalidInputError, "needs a condition or keys that say which rows match"),
        ("target.id", {"matched": [MergeDelete()]}, InvalidInputError, "A condition is true or false, not of type BIG"),
        ("target.id = source.id", {}, InvalidInputError, "^A merge needs something to do"),
        (
            '"not a key"',
            {},
            InvalidInputError,
            '^The table has no column "not a key" that could be a key. A merge needs some',
        ),
        ("target.id = source.nope", {"matched": [MergeDelete()]}, NotFoundError, 'column "nope" not found'),
        ("id = 1", {"matched": [MergeDelete()]}, InvalidInputError, 'Ambiguous reference to column name "id"'),
        (
            "target.id = source.id",
            {"matched": [MergeUpdate({"id": "1", "ID": "2"})]},
            InvalidInputError,
            'Multiple assignments to same column "id"',
        ),
        (
            "target.id = source.id",
            {"not_matched": [MergeInsert({"id": "target.id"})]},
            NotFoundError,
            '"target" not found!\nCandidate tables: "source"',
        ),
        (
            "target.id = source.id",
            {"not_matched_by_source": [MergeUpdate({"id": "source.id"})]},
            NotFoundError,
            '"source" not found!\nCandidate tables: "target"',
        ),
        ("target.id = source.id", {"matched": [MergeUpdate({})]}, InvalidInputError, "An update must set a column"),
        ("target.id = (SELECT 1)", {"matched": [MergeDelete()]}, InvalidInputError, "cannot contain a subquery"),
    ],
)
def test_what_is_wrong_with_a_merge_is_said(
    on: str, clauses: dict[str, Any], error: type[ForklakeError], message: str
) -> None:
    with pytest.raises(error, match=message):
        merged(on, MergeClauses(**clauses))


def test_columns_of_a_source_have_names_of_their_own() -> None:
    with pytest.raises(InvalidInputError, match="Two columns of the source of a merge have the same name"):
        merge_statement("target.id = 1", DELETE, FIELDS, (*SOURCE, Field(None, "NOTE", types.VARCHAR)), None)


def test_a_key_that_one_side_lacks_is_named() -> None:
    for key, message in (("note", 'Table "t" has none'), ("item", "The source has none")):
        with pytest.raises(NotFoundError, match=message):
            bind_merge_with(SOURCE, merge_statement([key], MergeClauses(), FIELDS, SOURCE, None), "t", FIELDS)
    with pytest.raises(InvalidInputError, match="needs a condition or keys"):
        merge_statement([], MergeClauses(), FIELDS, SOURCE, None)
