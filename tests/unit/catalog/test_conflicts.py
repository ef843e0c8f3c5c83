"""The conflict matrix: every cell, the texts, and the page that specifies it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from itertools import product
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from forklake.catalog.conflicts import RULES, Comparison, conflicts
from forklake.model.change_log import ChangeKind, LoggedChange, parse, render

PAGE = (Path(__file__).parents[3] / "docs" / "spec" / "conflicts.md").read_text(encoding="utf-8")
CODES = {
    "O": Comparison.OBJECT,
    "N": Comparison.NAME,
    "S": Comparison.SCHEMA,
    "F": Comparison.DATA_FILE,
    "U": Comparison.UNMATCHED,
}
NO_CONFLICT = "-"
APPENDS = (ChangeKind.INSERTED_INTO_TABLE, ChangeKind.INLINED_INSERT)
DELETES = (ChangeKind.DELETED_FROM_TABLE, ChangeKind.INLINED_DELETE)

Cell = tuple[ChangeKind, ChangeKind]


def kinds_in(text: str) -> list[ChangeKind]:
    return [ChangeKind(keyword) for keyword in re.findall("`([a-z_]+)`", text)]


def matrix_tables() -> Iterator[list[list[str]]]:
    """Yield each matrix of the page as rows of cells, the header first."""
    for block in re.findall(r"^\| ours \\ theirs .*\n(?:\|.*\n)+", PAGE, flags=re.MULTILINE):
        header, _, *rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in block.splitlines()]
        assert all(len(row) == len(header) for row in rows)
        yield [header, *rows]


def matrix_of_the_page() -> dict[Cell, Comparison]:
    cells: dict[Cell, Comparison] = {}
    for header, *rows in matrix_tables():
        for row in rows:
            for column, code in zip(header[1:], row[1:], strict=True):
                if code != NO_CONFLICT:
                    cells |= dict.fromkeys(product(kinds_in(row[0]), kinds_in(column)), CODES[code])
    return cells


def matrix_of_the_code() -> dict[Cell, Comparison]:
    return {cell: rule.comparison for rule in RULES for cell in product(rule.ours, rule.theirs)}


def our_change(kind: ChangeKind, number: int = 1) -> LoggedChange:
    """Return a change as its own transaction knows it; one number shares everything, two share nothing."""
    return LoggedChange(
        kind,
        object_id=number,
        schema_name=f"schema_{number}",
        name=f"name_{number}",
        schema_id=number,
        data_files=frozenset({number}) if kind in DELETES else frozenset(),
        unmatched=kind in APPENDS,
    )


def their_change(kind: ChangeKind, number: int = 1) -> LoggedChange:
    """Return a change as it is read from the log."""
    if kind is ChangeKind.CREATED_SCHEMA:
        return LoggedChange(kind, schema_name=f"schema_{number}")
    if kind.startswith("created_"):
        return LoggedChange(kind, schema_name=f"schema_{number}", name=f"name_{number}")
    files = frozenset({number}) if kind in DELETES else frozenset[int]()
    return LoggedChange(kind, object_id=number, data_files=files)


def messages(ours: list[LoggedChange], theirs: list[LoggedChange]) -> list[str]:
    return [conflict.message for conflict in conflicts(ours, theirs)]


def insert(table: int = 1) -> LoggedChange:
    return LoggedChange(ChangeKind.INSERTED_INTO_TABLE, object_id=table)


def delete(*files: int, table: int = 1) -> LoggedChange:
    return LoggedChange(ChangeKind.DELETED_FROM_TABLE, object_id=table, data_files=frozenset(files))


def create(kind: ChangeKind, name: str = "t", schema: str = "main", schema_id: int | None = 0) -> LoggedChange:
    return LoggedChange(kind, schema_name=schema, name=name, schema_id=schema_id)


def test_the_page_and_the_code_have_the_same_matrix() -> None:
    assert matrix_of_the_page() == matrix_of_the_code()


def test_the_page_has_one_row_and_one_column_for_every_kind_of_change() -> None:
    rows = [kind for _, *rows in matrix_tables() for row in rows for kind in kinds_in(row[0])]
    columns = [kind for header, *_ in matrix_tables() for kind in kinds_in(" ".join(header))]
    assert sorted(rows) == sorted(ChangeKind)
    assert sorted(columns) == sorted(ChangeKind)


def test_the_page_has_every_text() -> None:
    texts = {text for rule in RULES for text in (rule.attempt, rule.outcome)}
    cells = set(re.findall(r"\| `([^`]+ [^`]+)` \|$", PAGE, flags=re.MULTILINE))
    assert texts == cells


def test_no_two_rules_speak_of_one_cell() -> None:
    cells = [cell for rule in RULES for cell in product(rule.ours, rule.theirs)]
    assert len(cells) == len(set(cells))


@pytest.mark.parametrize(("ours", "theirs"), list(product(ChangeKind, ChangeKind)))
def test_changes_of_the_same_thing_conflict_exactly_where_the_matrix_says(ours: ChangeKind, theirs: ChangeKind) -> None:
    found = conflicts([our_change(ours)], [their_change(theirs)])
    assert len(found) == ((ours, theirs) in matrix_of_the_page())
    for conflict in found:
        assert (conflict.ours, conflict.theirs) == (our_change(ours), their_change(theirs))


@pytest.mark.parametrize(("ours", "theirs"), list(product(ChangeKind, ChangeKind)))
def test_changes_of_different_things_never_conflict(ours: ChangeKind, theirs: ChangeKind) -> None:
    assert conflicts([our_change(ours, 1)], [their_change(theirs, 2)]) == ()


K = ChangeKind
UNMATCHED = 'insert what matched no row into table with index "1"'


@pytest.mark.parametrize(
    ("ours", "theirs", "attempt", "outcome"),
    [
        (K.DROPPED_TABLE, K.DROPPED_TABLE, 'drop table with index "1"', "dropped it already"),
        (K.DROPPED_VIEW, K.DROPPED_VIEW, 'drop view with index "1"', "dropped it already"),
        (K.DROPPED_SCALAR_MACRO, K.DROPPED_SCALAR_MACRO, 'drop macro with index "1"', "dropped it already"),
        (K.DROPPED_TABLE_MACRO, K.DROPPED_TABLE_MACRO, 'drop macro with index "1"', "dropped it already"),
        (K.DROPPED_SCHEMA, K.DROPPED_SCHEMA, 'drop schema with index "1"', "dropped it already"),
        (K.DROPPED_SCHEMA, K.CREATED_TABLE, 'drop schema with name "schema_1"', "created an entry in this schema"),
        (K.DROPPED_SCHEMA, K.CREATED_VIEW, 'drop schema with name "schema_1"', "created an entry in this schema"),
        (
            K.DROPPED_SCHEMA,
            K.CREATED_TABLE_MACRO,
            'drop schema with name "schema_1"',
            "created an entry in this schema",
        ),
        (
            K.CREATED_SCHEMA,
            K.CREATED_SCHEMA,
            'create schema with name "schema_1"',
            "created a schema with this name already",
        ),
        (
            K.CREATED_TABLE,
            K.DROPPED_SCHEMA,
            'create table "name_1" in schema "schema_1" with index "1"',
            "dropped this schema",
        ),
        (
            K.CREATED_SCALAR_MACRO,
            K.DROPPED_SCHEMA,
            'create scalar "name_1" in schema "schema_1" with index "1"',
            "dropped this schema",
        ),
        (K.INSERTED_INTO_TABLE, K.DROPPED_TABLE, 'insert into table with index "1"', "dropped it"),
        (K.INSERTED_INTO_TABLE, K.ALTERED_TABLE, 'insert into table with index "1"', "altered it"),
        (K.INSERTED_INTO_TABLE, K.DELETED_FROM_TABLE, 'insert into table with index "1"', "deleted from it"),
        (K.INSERTED_INTO_TABLE, K.INLINED_DELETE, 'insert into table with index "1"', "deleted inlined data from it"),
        (K.INLINED_INSERT, K.INLINED_DELETE, 'insert into table with index "1"', "deleted inlined data from it"),
        (K.INSERTED_INTO_TABLE, K.INLINED_INSERT, UNMATCHED, "inserted into it"),
        (K.INLINED_INSERT, K.INSERTED_INTO_TABLE, UNMATCHED, "inserted into it"),
        (K.DELETED_FROM_TABLE, K.DROPPED_TABLE, 'delete from table with index "1"', "dropped it"),
        (K.DELETED_FROM_TABLE, K.ALTERED_TABLE, 'delete from table with index "1"', "altered it"),
        (K.DELETED_FROM_TABLE, K.MERGE_ADJACENT, 'delete from table with index "1"', "compacted it"),
        (K.DELETED_FROM_TABLE, K.REWRITE_DELETE, 'delete from table with index "1"', "compacted it"),
        (K.DELETED_FROM_TABLE, K.INLINED_INSERT, 'delete from table with index "1"', "inserted into it"),
        (K.DELETED_FROM_TABLE, K.DELETED_FROM_TABLE, 'delete from file with index "1"', "deleted from it"),
        (K.INLINED_DELETE, K.DROPPED_TABLE, 'delete from table with index "1"', "dropped it"),
        (K.INLINED_DELETE, K.ALTERED_TABLE, 'delete from table with index "1"', "altered it"),
        (K.INLINED_DELETE, K.INLINED_DELETE, 'delete from table with index "1"', "deleted from it"),
        (K.INLINED_DELETE, K.INLINE_FLUSH, 'delete from table with index "1"', "flushed the inlined data"),
        (K.INLINED_DELETE, K.INSERTED_INTO_TABLE, 'delete from table with index "1"', "inserted into it"),
        (K.INLINE_FLUSH, K.DROPPED_TABLE, 'flush inline data with index "1"', "dropped it"),
        (K.INLINE_FLUSH, K.INLINED_DELETE, 'flush inline data with index "1"', "deleted from it"),
        (K.INLINE_FLUSH, K.INLINE_FLUSH, 'flush inline data with index "1"', "flushed it"),
        (K.MERGE_ADJACENT, K.DROPPED_TABLE, 'compact table with index "1"', "dropped it"),
        (K.REWRITE_DELETE, K.DELETED_FROM_TABLE, 'compact table with index "1"', "deleted from it"),
        (K.REWRITE_DELETE, K.MERGE_ADJACENT, 'compact table with index "1"', "compacted it"),
        (K.ALTERED_TABLE, K.DROPPED_TABLE, 'alter table with index "1"', "dropped it"),
        (K.ALTERED_TABLE, K.ALTERED_TABLE, 'alter table with index "1"', "altered it"),
        (K.ALTERED_VIEW, K.DROPPED_VIEW, 'alter view with index "1"', "dropped it"),
        (K.ALTERED_VIEW, K.ALTERED_VIEW, 'alter view with index "1"', "altered it"),
    ],
)
def test_a_conflict_says_what_both_did_in_ducklakes_words(
    ours: ChangeKind, theirs: ChangeKind, attempt: str, outcome: str
) -> None:
    assert messages([our_change(ours)], [their_change(theirs)]) == [
        f"Transaction conflict - attempting to {attempt} - but another transaction has {outcome}"
    ]


@pytest.mark.parametrize(
    ("ours", "theirs", "noun", "their_noun"),
    [
        (K.CREATED_TABLE, K.CREATED_TABLE, "table", "table"),
        (K.CREATED_TABLE, K.CREATED_VIEW, "table", "view"),
        (K.CREATED_VIEW, K.CREATED_TABLE, "view", "table"),
        (K.CREATED_VIEW, K.CREATED_VIEW, "view", "view"),
        (K.CREATED_SCALAR_MACRO, K.CREATED_SCALAR_MACRO, "scalar", "scalar_macro"),
        (K.CREATED_TABLE_MACRO, K.CREATED_TABLE_MACRO, "table", "table_macro"),
    ],
)
def test_creating_a_name_twice_says_what_was_created(
    ours: ChangeKind, theirs: ChangeKind, noun: str, their_noun: str
) -> None:
    assert messages([create(ours)], [create(theirs, schema_id=None)]) == [
        f'Transaction conflict - attempting to create {noun} "t" in schema "main"'
        f" - but this {their_noun} has been created by another transaction already"
    ]


def test_two_appends_to_one_table_never_conflict() -> None:
    appends = [insert(), LoggedChange(ChangeKind.INLINED_INSERT, object_id=1)]
    assert conflicts(appends, appends) == ()


@pytest.mark.parametrize("kind", APPENDS)
def test_what_matched_no_row_cannot_follow_rows_that_were_added_to_the_table(kind: ChangeKind) -> None:
    unmatched = LoggedChange(kind, object_id=1, unmatched=True)
    for added in APPENDS:
        assert len(conflicts([unmatched], [LoggedChange(added, object_id=1)])) == 1
        assert conflicts([unmatched], [LoggedChange(added, object_id=2)]) == ()
        # What they relied on is known to them, not to us.
        assert conflicts([LoggedChange(kind, object_id=1)], [replace(unmatched, kind=added)]) == ()
    for moved in (ChangeKind.INLINE_FLUSH, ChangeKind.MERGE_ADJACENT, ChangeKind.REWRITE_DELETE):
        assert conflicts([unmatched], [LoggedChange(moved, object_id=1)]) == ()


def test_the_log_does_not_tell_that_nothing_matched() -> None:
    unmatched = LoggedChange(ChangeKind.INSERTED_INTO_TABLE, object_id=1, unmatched=True)
    assert render([unmatched, insert()]) == "inserted_into_table:1"


def test_nothing_conflicts_with_nothing() -> None:
    assert conflicts([], [insert()]) == ()
    assert conflicts([insert()], []) == ()


def test_an_update_is_checked_as_the_delete_and_as_the_insert() -> None:
    assert messages([insert(), delete(1)], [insert(), delete(2)]) == [
        'Transaction conflict - attempting to insert into table with index "1"'
        " - but another transaction has deleted from it",
        'Transaction conflict - attempting to delete from table with index "1"'
        " - but another transaction has inserted into it",
    ]


def test_deletes_from_different_data_files_of_one_table_do_not_conflict() -> None:
    assert conflicts([delete(1, 2)], [delete(3), delete(4)]) == ()


def test_deletes_from_common_data_files_name_each_of_them() -> None:
    assert messages([delete(9, 10, 11)], [delete(10, 9, 7), delete(10)]) == [
        f'Transaction conflict - attempting to delete from file with index "{file}"'
        " - but another transaction has deleted from it"
        for file in (9, 10)
    ]


@pytest.mark.parametrize(("ours", "theirs"), [(delete(), delete(1)), (delete(1), delete()), (delete(), delete())])
def test_a_delete_from_unknown_data_files_conflicts_with_every_delete_from_the_table(
    ours: LoggedChange, theirs: LoggedChange
) -> None:
    assert messages([ours], [theirs]) == [
        'Transaction conflict - attempting to delete from table with index "1"'
        " - but another transaction has deleted from it"
    ]
    assert conflicts([ours], [delete(table=2)]) == ()


def test_names_are_compared_without_the_case_of_ascii_letters_and_shown_as_we_wrote_them() -> None:
    found = conflicts([create(K.CREATED_TABLE, "Ärger", "MAIN")], parse('created_table:"main"."ÄRGER"'))
    assert [conflict.message for conflict in found] == [
        'Transaction conflict - attempting to create table "Ärger" in schema "MAIN"'
        " - but this table has been created by another transaction already"
    ]
    assert conflicts([create(K.CREATED_TABLE, "Ärger")], parse('created_table:"main"."ärger"')) == ()


def test_one_name_in_two_schemas_does_not_conflict() -> None:
    assert conflicts([create(K.CREATED_TABLE, "t", "a")], parse('created_table:"b"."t"')) == ()


def test_names_that_join_to_one_text_do_not_conflict() -> None:
    assert conflicts([create(K.CREATED_TABLE, "b.c", "a")], parse('created_table:"a.b"."c"')) == ()


def test_a_schema_dropped_by_us_is_matched_by_its_name_without_case() -> None:
    ours = LoggedChange(K.DROPPED_SCHEMA, object_id=5, schema_name="Staging")
    assert messages([ours], list(parse('created_view:"STAGING"."v"'))) == [
        'Transaction conflict - attempting to drop schema with name "Staging"'
        " - but another transaction has created an entry in this schema"
    ]


def test_a_dropped_schema_is_no_obstacle_to_the_schema_that_took_its_name() -> None:
    dropped = parse("dropped_schema:3")
    assert len(conflicts([create(K.CREATED_TABLE, schema_id=3)], dropped)) == 1
    assert conflicts([create(K.CREATED_TABLE, schema_id=4)], dropped) == ()


def test_a_table_created_in_our_own_new_schema_conflicts_with_no_dropped_one() -> None:
    assert conflicts([create(K.CREATED_TABLE, schema_id=-1)], parse("dropped_schema:1,dropped_schema:0")) == ()


def test_tables_views_and_macros_with_one_id_are_different_things() -> None:
    theirs = parse("dropped_table:1,dropped_scalar_macro:1,dropped_table_macro:1,dropped_schema:1")
    assert conflicts([LoggedChange(K.DROPPED_VIEW, object_id=1)], theirs) == ()


def test_all_conflicts_are_listed_in_the_order_of_our_changes_and_none_twice() -> None:
    ours = [insert(2), delete(1, table=1), insert(1), LoggedChange(ChangeKind.INLINED_INSERT, object_id=1)]
    theirs = [*parse("altered_table:1,merge_adjacent:1,rewrite_delete:1"), *parse("altered_table:1,dropped_table:2")]
    assert [message.removeprefix("Transaction conflict - attempting to ") for message in messages(ours, theirs)] == [
        'insert into table with index "2" - but another transaction has dropped it',
        'delete from table with index "1" - but another transaction has altered it',
        'delete from table with index "1" - but another transaction has compacted it',
        'insert into table with index "1" - but another transaction has altered it',
    ]


def test_braces_in_names_are_shown_as_they_are() -> None:
    found = messages([create(K.CREATED_TABLE, "{0}{schema}")], [create(K.CREATED_VIEW, "{0}{schema}")])
    assert found == [
        'Transaction conflict - attempting to create table "{0}{schema}" in schema "main"'
        " - but this view has been created by another transaction already"
    ]


changes = st.lists(st.builds(our_change, st.sampled_from(ChangeKind), st.integers(0, 2)), max_size=5)
logs = st.lists(st.builds(their_change, st.sampled_from(ChangeKind), st.integers(0, 2)), max_size=5)


@given(changes, logs)
def test_conflicts_of_many_changes_are_those_of_each_pair(ours: list[LoggedChange], theirs: list[LoggedChange]) -> None:
    together = messages(ours, theirs)
    one_by_one = [message for mine, other in product(ours, theirs) for message in messages([mine], [other])]
    assert sorted(together) == sorted(set(one_by_one))
