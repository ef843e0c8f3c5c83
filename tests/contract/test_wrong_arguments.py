"""Arguments of the wrong kind: said in words, before anything is read or changed."""

from collections.abc import Callable
from typing import Any

import pytest

from forklake import (
    Catalog,
    ColumnDefinition,
    Lake,
    MacroImplementation,
    MacroParameter,
    MergeDelete,
    MergeInsert,
    MergeUpdate,
    Table,
)
from forklake.errors import InvalidInputError


class Column:
    """What a condition on a DataFrame of Spark is like: no text, no list, neither true nor false."""

    def __bool__(self) -> bool:
        raise ValueError("Cannot convert column into bool")

    def __iter__(self) -> Any:
        raise TypeError("Column is not iterable")


COLUMN = Column()
NO_CONDITION = "A condition is SQL text or a Column of Spark, not"
NO_TEXT = (True, 4, 1.5, b"id = 4", ["id = 4"], {"id": 4}, COLUMN)
SOURCE = [{"id": 1}]
ON = "target.id = source.id"
Deed = Callable[[Table, Any], object]


@pytest.fixture
def table(lake: Lake) -> Table:
    shop: Catalog = lake.create_catalog("shop")
    shop.create_table("t", {"id": "BIGINT", "v": "VARCHAR"})
    shop.table("t").append([{"id": 1, "v": "a"}])
    return shop.table("t")


@pytest.mark.parametrize("lake_factory", ["sqlite"], indirect=True)
@pytest.mark.parametrize(
    ("deed", "wrong", "words"),
    [
        (lambda t, it: t.delete(it), NO_TEXT, NO_CONDITION),
        (lambda t, it: t.update({"v": "'x'"}, where=it), NO_TEXT, NO_CONDITION),
        (lambda t, it: t.overwrite(SOURCE, where=it), NO_TEXT, NO_CONDITION),
        (lambda t, it: t.dataframe(where=it), NO_TEXT, NO_CONDITION),
        (lambda t, it: t.count(it), NO_TEXT, NO_CONDITION),
        (lambda t, it: t.inspect.plan(it), NO_TEXT, NO_CONDITION),
        (
            lambda t, it: t.merge(SOURCE, it, matched=[MergeDelete()]),
            (None, True, 4),
            "Columns are a list of their names",
        ),
        (
            lambda t, it: t.merge(SOURCE, ON, matched=[MergeDelete(when=it)]),
            NO_TEXT,
            NO_CONDITION,
        ),
        (lambda t, it: t.update({"v": it}), (COLUMN, object()), "which is neither SQL text nor a value"),
        (lambda t, it: t.update(it), (None, True, 4, "v", ["v"], COLUMN), "a mapping of their names to SQL"),
        (lambda t, it: t.update({it: "1"}), (None, True, 4, b"v", COLUMN), "A column is named by text"),
        (lambda t, it: t.merge(SOURCE, ON, matched=[MergeUpdate(it)]), (4, "v", ["v"], COLUMN), "a mapping of their"),
        (
            lambda t, it: t.merge(SOURCE, ON, matched=it),
            (None, 4, "x", ["x"], MergeDelete(), [MergeInsert()], COLUMN),
            'with rows that are "matched" is a list of MergeUpdate and MergeDelete, not',
        ),
        (
            lambda t, it: t.merge(SOURCE, ON, not_matched=it),
            (None, 4, "x", [None], MergeInsert(), [MergeDelete()], COLUMN),
            'with rows that are "not_matched" is a list of MergeInsert, not',
        ),
        (
            lambda t, it: t.merge(SOURCE, ON, not_matched_by_source=it),
            (None, 4, "x", [None], [MergeInsert()], COLUMN),
            'with rows that are "not_matched_by_source" is a list of MergeUpdate and MergeDelete, not',
        ),
        (lambda t, it: t.merge(SOURCE, it), (None, True, 4, COLUMN), "Columns are a list of their names"),
        (lambda t, it: t.merge(SOURCE, [it]), (None, True, 4, COLUMN), "A column is named by text"),
        (lambda t, it: t.dataframe(it), (True, 4, COLUMN), "Columns are a list of their names"),
        (lambda t, it: t.dataframe([it]), (None, True, 4, COLUMN), "A column is named by text"),
        (lambda t, it: t.inspect.min(it), (None, True, 4, COLUMN), "A column is named by text"),
    ],
)
def test_what_is_of_the_wrong_kind_is_refused_in_words(
    table: Table, deed: Deed, wrong: tuple[Any, ...], words: str
) -> None:
    before = table.inspect.history()
    for given in wrong:
        with pytest.raises(InvalidInputError) as caught:
            deed(table, given)
        assert words in str(caught.value)
    assert table.inspect.history() == before


PARAMETER = MacroParameter("x")


@pytest.mark.parametrize("lake_factory", ["sqlite"], indirect=True)
@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ("1", "an overload is a MacroImplementation with SQL text, not '1'"),
        (None, "an overload is a MacroImplementation with SQL text, not None"),
        (["x + 1"], "an overload is a MacroImplementation with SQL text, not 'x + 1'"),
        (MacroImplementation(1), "an overload is a MacroImplementation with SQL text, not MacroImplementation"),  # type: ignore[arg-type]
        (MacroImplementation("x", "x"), "parameters are a tuple of MacroParameter, not 'x'"),  # type: ignore[arg-type]
        (MacroImplementation("x", ("x",)), "parameters are a tuple of MacroParameter, not ('x',)"),  # type: ignore[arg-type]
        (MacroImplementation("x", PARAMETER), "parameters are a tuple of MacroParameter, not MacroParameter("),  # type: ignore[arg-type]
    ],
)
def test_a_macro_of_something_else_is_refused_in_words(lake: Lake, wrong: Any, words: str) -> None:
    shop = lake.create_catalog("shop")
    with pytest.raises(InvalidInputError) as caught:
        shop.macros.create("m", wrong)
    assert f'Macro "m" was not created: {words}' in str(caught.value)
    assert shop.macros.list() == []


@pytest.mark.parametrize("lake_factory", ["sqlite"], indirect=True)
@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        (1, "Columns are SQL text, or names with their types, not 1"),
        ({"a": 1}, 'The type of column "a" is text, as in SQL, not 1'),
        ([("a", None)], 'The type of column "a" is text, as in SQL, not None'),
        ([ColumnDefinition("a", 1)], 'The type of column "a" is text, as in SQL, not 1'),  # type: ignore[arg-type]
    ],
)
def test_columns_of_something_else_are_refused_in_words(lake: Lake, wrong: Any, words: str) -> None:
    shop = lake.create_catalog("shop")
    with pytest.raises(InvalidInputError) as caught:
        shop.create_table("t", wrong)
    assert words in str(caught.value)
    assert shop.tables() == []
