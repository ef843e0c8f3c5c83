"""The text of the change log: DuckLake's grammar and order, both ways."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from forklake.model.change_log import ChangeKind, LoggedChange, entries, parse, render
from forklake.model.names import fold

CREATED_ENTRIES = [
    ChangeKind.CREATED_TABLE,
    ChangeKind.CREATED_VIEW,
    ChangeKind.CREATED_SCALAR_MACRO,
    ChangeKind.CREATED_TABLE_MACRO,
]
WITH_AN_ID = [kind for kind in ChangeKind if not kind.startswith("created_")]

NASTY = "\",.:\\'\n\x00 aÄß😀"
names = st.one_of(st.text(alphabet=NASTY, max_size=8), st.text(max_size=8))
object_ids = st.integers(min_value=0, max_value=2**63 - 1)
logged_changes = st.one_of(
    st.builds(LoggedChange, kind=st.just(ChangeKind.CREATED_SCHEMA), schema_name=names),
    st.builds(LoggedChange, kind=st.sampled_from(CREATED_ENTRIES), schema_name=names, name=names),
    st.builds(LoggedChange, kind=st.sampled_from(WITH_AN_ID), object_id=object_ids),
)


def one_of_each_kind() -> list[LoggedChange]:
    return [
        LoggedChange(kind, schema_name="s", name="n")
        if kind in CREATED_ENTRIES
        else LoggedChange(kind, schema_name="s", object_id=7)
        for kind in ChangeKind
    ]


def test_entries_come_in_the_order_in_which_ducklake_writes_them() -> None:
    assert render(reversed(one_of_each_kind())).split(",") == [
        "dropped_schema:7",
        "dropped_table:7",
        "dropped_view:7",
        'created_schema:"s"',
        'created_view:"s"."n"',
        'created_table:"s"."n"',
        'created_scalar_macro:"s"."n"',
        'created_table_macro:"s"."n"',
        "dropped_scalar_macro:7",
        "dropped_table_macro:7",
        "inserted_into_table:7",
        "deleted_from_table:7",
        "altered_table:7",
        "altered_view:7",
        "inlined_insert:7",
        "inlined_delete:7",
        "inline_flush:7",
        "merge_adjacent:7",
        "rewrite_delete:7",
    ]


def test_created_tables_and_views_keep_the_order_in_which_they_were_given() -> None:
    changes = [
        LoggedChange(kind, schema_name="s", name=name)
        for kind, name in [
            (ChangeKind.CREATED_VIEW, "a"),
            (ChangeKind.CREATED_TABLE, "c"),
            (ChangeKind.CREATED_VIEW, "b"),
        ]
    ]
    assert render(changes) == 'created_view:"s"."a",created_table:"s"."c",created_view:"s"."b"'


def test_an_entry_is_written_once_whatever_else_is_known_of_it() -> None:
    changes = [
        LoggedChange(ChangeKind.DELETED_FROM_TABLE, object_id=2, data_files=frozenset({4})),
        LoggedChange(ChangeKind.DELETED_FROM_TABLE, object_id=1),
        LoggedChange(ChangeKind.DELETED_FROM_TABLE, object_id=2, data_files=frozenset({5})),
    ]
    assert render(changes) == "deleted_from_table:2,deleted_from_table:1"


def test_local_ids_stay_numbers_until_the_store_replaces_them() -> None:
    changes = [
        LoggedChange(ChangeKind.INSERTED_INTO_TABLE, object_id=-1),
        LoggedChange(ChangeKind.CREATED_TABLE, object_id=-1, schema_name="main", name="t", schema_id=0),
    ]
    assert entries(changes) == (("created_table", '"main"."t"'), ("inserted_into_table", -1))


def test_quotes_in_names_are_doubled() -> None:
    change = LoggedChange(ChangeKind.CREATED_TABLE, schema_name='a"b', name='","')
    assert render([change]) == 'created_table:"a""b".""","""'
    assert parse(render([change])) == (change,)


def test_nothing_changed_is_an_empty_text() -> None:
    assert render([]) == ""
    assert entries([]) == ()
    assert parse("") == ()
    assert parse(None) == ()


@given(st.lists(logged_changes, max_size=8))
def test_what_was_written_is_read_back(changes: list[LoggedChange]) -> None:
    read = parse(render(changes))
    assert set(read) == set(changes)
    assert len(read) == len(set(changes))
    assert render(read) == render(changes)


@given(st.lists(logged_changes, max_size=4), st.lists(logged_changes, max_size=4))
def test_logs_joined_by_a_comma_are_read_one_after_the_other(
    first: list[LoggedChange], second: list[LoggedChange]
) -> None:
    joined = ",".join(filter(None, [render(first), render(second)]))
    assert parse(joined) == parse(render(first)) + parse(render(second))


@given(st.one_of(st.text(), st.text(alphabet='",.:a1'), st.text(alphabet='",.:1').map("created_table:".__add__)))
def test_any_text_is_read_or_refused_with_ducklakes_words(text: str) -> None:
    try:
        changes = parse(text)
    except ValueError as error:
        refusal = str(error)
    else:
        assert set(parse(render(changes))) == set(changes)
        return
    assert refusal.startswith("Unsupported change type")


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("flushed_inlined:3", ChangeKind.INLINE_FLUSH),
        ("inline_flush:3", ChangeKind.INLINE_FLUSH),
        ("compacted_table:3", ChangeKind.MERGE_ADJACENT),
        ("Inserted_Into_TABLE:3", ChangeKind.INSERTED_INTO_TABLE),
        ("altered_view:3,", ChangeKind.ALTERED_VIEW),
    ],
)
def test_what_ducklake_reads_is_read(text: str, kind: ChangeKind) -> None:
    assert parse(text) == (LoggedChange(kind, object_id=3),)


@pytest.mark.parametrize(
    "text",
    [
        "forked:1",
        "dropped_table",
        "dropped_table:",
        "dropped_table:x",
        "dropped_table:-1",
        "dropped_table:1 ",
        "dropped_table:٣",
        'dropped_table:"1"',
        "dropped_table:" + "9" * 5000,
        ",dropped_table:1",
        "dropped_table:1,,dropped_table:2",
        "created_schema:s",
        'created_schema:"s',
        'created_schema:"s"."t"',
        'created_schema:"s""',
        'created_table:"s"',
        'created_table:"s".t',
        'created_table:"s"."t".',
        'created_table:"s"."t"x',
        "created_table:" + "a" * 100_000 + '"',
    ],
)
def test_garbage_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"^Unsupported change type "):
        parse(text)


def test_an_unknown_keyword_is_named() -> None:
    with pytest.raises(ValueError, match=r"^Unsupported change type forked_catalog$"):
        parse("inserted_into_table:1,forked_catalog:2")


@pytest.mark.parametrize("kind", list(ChangeKind))
def test_a_change_that_could_not_be_logged_cannot_be_made(kind: ChangeKind) -> None:
    with pytest.raises(ValueError, match=f"^{kind} without the "):
        LoggedChange(kind)


def test_names_fold_ascii_letters_only() -> None:
    assert fold("ABC xyz_09") == "abc xyz_09"
    assert fold("ÄẞİØ") == "ÄẞİØ"
    assert fold("\u212a") == "\u212a"  # the Kelvin sign, which lower() would make a k


@given(st.text())
def test_folding_changes_ascii_capitals_and_nothing_else(name: str) -> None:
    folded = fold(name)
    assert len(folded) == len(name)
    assert all(new == (old.lower() if old.isascii() else old) for old, new in zip(name, folded, strict=True))
    assert fold(folded) == folded
