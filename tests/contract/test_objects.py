"""Views, macros, comments and tags."""

from typing import Any

import pytest

from forklake import Catalog, Commit, Lake, MacroImplementation, MacroParameter
from forklake.errors import AlreadyExistsError, CommitConflictError, InvalidInputError, NotFoundError
from tests.contract.support import last, names

ADD = MacroImplementation("a + b", (MacroParameter("a"), MacroParameter("b", "INTEGER", "1")))
ADD_THREE = MacroImplementation("a + b + c", (MacroParameter("a"), MacroParameter("b"), MacroParameter("c")))
NUMBERS = MacroImplementation("SELECT * FROM range(n)", (MacroParameter("n"),), type="table")


@pytest.fixture
def shop(lake: Lake) -> Catalog:
    shop = lake.create_catalog("shop")
    shop.create_table("orders", {"id": "INTEGER"})
    shop.views.create("recent", "SELECT * FROM orders", column_aliases=["number"])
    shop.macros.create("add", [ADD, ADD_THREE])
    return shop


def views(catalog: Catalog) -> list[str]:
    return [view.name for view in catalog.views.list()]


def test_a_view_is_a_query_under_a_name(shop: Catalog) -> None:
    view = shop.views.get("RECENT")
    assert (view.name, view.sql, view.dialect) == ("recent", "SELECT * FROM orders", "duckdb")
    assert view.column_aliases == ("number",)
    assert shop.snapshots()[-2].changes_made == 'created_view:"main"."recent"'


def test_a_table_is_dropped_by_name_if_it_is_there(shop: Catalog) -> None:
    head = shop.head
    for name in ("nothing", "nowhere.nothing"):
        assert shop.drop_table(name, if_exists=True) == Commit()
        with pytest.raises(NotFoundError):
            shop.drop_table(name)
    with pytest.raises(NotFoundError, match=r'"main\.recent" is a view, not a table; nothing was dropped'):
        shop.drop_table("recent", if_exists=True)
    assert shop.head == head
    assert shop.drop_table("main.ORDERS", if_exists=True) == Commit(shop.head)
    assert names(shop) == []


def test_tables_and_views_share_their_names(shop: Catalog) -> None:
    with pytest.raises(AlreadyExistsError, match='Table with name "Orders" already exists!'):
        shop.views.create("Orders", "SELECT 1")
    with pytest.raises(AlreadyExistsError, match='View with name "RECENT" already exists!'):
        shop.create_table("RECENT", {"i": "INT"})
    with pytest.raises(
        AlreadyExistsError, match=r"Cannot rename table orders to recent, since recent already exists\."
    ):
        shop.table("orders").rename("recent")
    with pytest.raises(AlreadyExistsError, match='Could not rename view "recent" to "orders"'):
        shop.views.rename("recent", "orders")
    with pytest.raises(
        InvalidInputError, match="Existing object orders is of type Table, trying to replace with type View"
    ):
        shop.views.create("orders", "SELECT 1", or_replace=True)
    with pytest.raises(
        InvalidInputError, match="Existing object recent is of type View, trying to replace with type Table"
    ):
        shop.create_table("recent", {"i": "INT"}, or_replace=True)


def test_a_view_is_replaced_renamed_and_dropped(shop: Catalog) -> None:
    shop.views.create("recent", "SELECT 2", or_replace=True)
    shop.views.create("recent", "SELECT 3", if_not_exists=True)
    assert shop.views.get("recent").sql == "SELECT 2"
    shop.views.rename("recent", "latest")
    assert views(shop) == ["latest"]
    assert last(shop).changes_made == f"altered_view:{shop.views.get('latest').view_id}"
    view_id = shop.views.get("latest").view_id
    shop.views.drop("latest")
    assert (views(shop), last(shop).changes_made) == ([], f"dropped_view:{view_id}")
    shop.views.drop("latest", if_exists=True)
    with pytest.raises(NotFoundError, match='View with name "latest" does not exist'):
        shop.views.drop("latest")


def test_a_table_is_replaced_by_one_with_an_id_of_its_own(shop: Catalog) -> None:
    before = shop.table("orders").table_id
    shop.create_table("orders", {"other": "DATE"}, or_replace=True)
    assert [column.name for column in shop.table("orders").columns] == ["other"]
    assert shop.table("orders").table_id != before
    assert last(shop).changes_made == f'dropped_table:{before},created_table:"main"."orders"'


def test_a_replacement_that_is_refused_replaces_nothing(shop: Catalog) -> None:
    before = shop.head
    with shop.transaction() as txn:
        with pytest.raises(AlreadyExistsError, match='Column with name "A" already exists'):
            txn.create_table("orders", [("a", "INT"), ("A", "INT")], or_replace=True)
        with pytest.raises(InvalidInputError, match="must have implementations"):
            txn.macros.create("add", [], or_replace=True)
        with pytest.raises(NotFoundError, match='does not have a column with name "nothing"'):
            txn.create_table("new", {"a": "INT"}, partition_by=["nothing"])
        assert ([table.name for table in txn.tables()], len(txn.macros.list())) == (["orders"], 1)
    assert shop.head == before


def test_a_macro_has_overloads_with_defaults(shop: Catalog) -> None:
    macro = shop.macros.get("ADD")
    assert (macro.kind, macro.implementations) == ("scalar", (ADD, ADD_THREE))
    shop.macros.create("numbers", NUMBERS)
    assert shop.macros.get("numbers").implementations == (NUMBERS,)
    assert last(shop).changes_made == 'created_table_macro:"main"."numbers"'
    macro_id = shop.macros.get("numbers").macro_id
    shop.macros.drop("numbers")
    assert last(shop).changes_made == f"dropped_table_macro:{macro_id}"
    shop.macros.create("orders", ADD)
    assert names(shop) == ["orders"]


@pytest.mark.parametrize(
    ("implementations", "message"),
    [
        ([], "must have implementations"),
        ([ADD, NUMBERS], "all scalar or all table"),
        ([MacroImplementation("")], "must have a body"),
        ([MacroImplementation("a", (MacroParameter("a"), MacroParameter("A")))], 'two parameters "A"'),
        ([MacroImplementation("a", (MacroParameter("a", default="1"), MacroParameter("b")))], "needs a default"),
    ],
)
def test_a_macro_that_makes_no_sense_is_refused(
    shop: Catalog, implementations: list[MacroImplementation], message: str
) -> None:
    with pytest.raises(InvalidInputError, match=message):
        shop.macros.create("wrong", implementations)
    with pytest.raises(AlreadyExistsError, match='Macro Function with name "add" already exists!'):
        shop.macros.create("add", ADD)
    assert [macro.name for macro in shop.macros.list()] == ["add"]


def test_comments_and_tags_are_set_and_taken_away(shop: Catalog) -> None:
    shop.table("orders").alter.comment("all of them")
    shop.table("orders").alter.comment("their number", column="id")
    shop.views.comment("recent", "of late")
    shop.views.comment("recent", "a number", column="number")
    shop.table("orders").alter.set_tag("owner", "sales")
    assert shop.table("orders").inspect.tags == {"comment": "all of them", "owner": "sales"}
    assert shop.table("orders").columns[0].comment == "their number"
    assert (shop.views.get("recent").comment, shop.views.get("recent").column_tags) == (
        "of late",
        {"number": {"comment": "a number"}},
    )
    shop.table("orders").alter.comment(None)
    shop.table("orders").alter.comment(None, column="id")
    assert (shop.table("orders").inspect.tags, shop.table("orders").columns[0].comment) == ({"owner": "sales"}, None)
    with pytest.raises(NotFoundError, match='View "recent" does not have a column with name "nothing"'):
        shop.views.comment("recent", "x", column="nothing")
    with pytest.raises(NotFoundError, match='Table with name "nothing" does not exist'):
        shop.table("nothing").alter.comment("x")


def test_a_fork_inherits_them_all_and_changes_them_for_itself(shop: Catalog) -> None:
    shop.table("orders").alter.comment("all of them")
    pin = shop.head
    fork = shop.fork("fork").fork("deeper")
    fork.table("orders").alter.comment("mine")
    fork.views.drop("recent")
    fork.macros.drop("add")
    fork.macros.create("add", NUMBERS)
    assert (shop.table("orders").inspect.comment, views(shop), shop.macros.get("add").kind) == (
        "all of them",
        ["recent"],
        "scalar",
    )
    assert (fork.table("orders").inspect.comment, views(fork), fork.macros.get("add").kind) == ("mine", [], "table")
    past = fork.at(version=pin)
    assert (past.table("orders").inspect.comment, views(past), past.macros.get("add").implementations) == (
        "all of them",
        ["recent"],
        (ADD, ADD_THREE),
    )


@pytest.mark.parametrize("how", ["copy", "sever"])
def test_written_out_they_stay_the_same(shop: Catalog, how: str) -> None:
    shop.views.comment("recent", "a number", column="number")
    alone = shop.fork("alone", copy=how == "copy")
    alone.maintenance.sever()
    shop.macros.drop("add")
    shop.views.drop("recent")
    assert alone.views.get("recent").column_tags == {"number": {"comment": "a number"}}
    assert alone.macros.get("add").implementations == (ADD, ADD_THREE)


def test_a_schema_that_holds_something_is_dropped_with_cascade_only(shop: Catalog) -> None:
    shop.schemas.create("s")
    shop.views.create("v", "SELECT 1", schema="s")
    shop.macros.create("m", ADD, schema="s")
    with pytest.raises(
        InvalidInputError, match='Cannot drop schema "s" because there are entries that depend on it: view'
    ):
        shop.schemas.drop("s")
    shop.schemas.drop("s", cascade=True)
    assert (shop.schemas.list(), [view.name for view in shop.views.list()], len(shop.macros.list())) == (
        ["main"],
        ["recent"],
        1,
    )


def test_two_transactions_that_make_the_same_view_conflict(shop: Catalog) -> None:
    one, other = shop.transaction(), shop.transaction()
    one.views.create("v", "SELECT 1")
    other.views.create("V", "SELECT 2")
    one.commit()
    with pytest.raises(CommitConflictError, match='attempting to create view "V" in schema "main"'):
        other.commit()


def test_made_and_dropped_in_one_transaction_they_leave_nothing(shop: Catalog) -> None:
    before = shop.head
    with shop.transaction() as txn:
        txn.views.create("v", "SELECT 1")
        txn.views.comment("v", "x")
        txn.macros.create("m", ADD)
        assert (txn.views.get("v").comment, txn.macros.get("m").implementations) == ("x", (ADD,))
        txn.views.drop("v")
        txn.macros.drop("m")
    assert (txn.snapshot_id, shop.head) == (None, before)


@pytest.mark.parametrize("lake_factory", ["sqlite"], indirect=True)
@pytest.mark.parametrize(
    "text",
    [
        "SELEC x",
        "SELECT",
        "SELECT 1; SELECT 2",
        "DELETE FROM orders",
        "INSERT INTO orders VALUES (1)",
        "CREATE TABLE t (i INTEGER)",
        "WITH gone AS (SELECT 1) DELETE FROM orders",
        "1 + 1",
        "-- nothing",
        "SELECT ?",
        "SELECT $1",
        "SELECT 'x",
    ],
)
def test_a_view_or_table_macro_of_what_is_no_query_is_refused(shop: Catalog, text: str) -> None:
    head = shop.head
    with pytest.raises(InvalidInputError, match=r'^View "v" was not created: its text is no query. '):
        shop.views.create("v", text)
    with pytest.raises(InvalidInputError, match=r'^View "recent" was not created'):
        shop.views.create("recent", text, or_replace=True)
    with pytest.raises(InvalidInputError, match=r'^Macro "m" was not created: its text is no query. '):
        shop.macros.create("m", MacroImplementation(text, type="table"))
    assert shop.head == head
    shop.views.create("v", text, dialect="other")  # which only its own reader knows


@pytest.mark.parametrize("lake_factory", ["sqlite"], indirect=True)
def test_a_view_of_what_is_no_text_is_refused(shop: Catalog) -> None:
    nothing: Any = None
    with pytest.raises(InvalidInputError, match='View "v" was not created: its text is None, which is no text'):
        shop.views.create("v", nothing)


@pytest.mark.parametrize("lake_factory", ["sqlite"], indirect=True)
@pytest.mark.parametrize("text", ["a +", "a, b", "SELECT a", "a; b", "a = ?", "'a"])
def test_a_macro_of_what_is_no_expression_is_refused(shop: Catalog, text: str) -> None:
    with pytest.raises(InvalidInputError, match=r'^Macro "m" was not created: its text is no expression. '):
        shop.macros.create("m", MacroImplementation(text, (MacroParameter("a"), MacroParameter("b"))))
    with pytest.raises(InvalidInputError, match=r'^Macro "m" was not created: its text is no expression. '):
        shop.macros.create("m", MacroImplementation("a", (MacroParameter("a", None, text, True),)))


@pytest.mark.parametrize("lake_factory", ["sqlite"], indirect=True)
def test_views_and_macros_may_name_what_is_made_later(shop: Catalog) -> None:
    shop.views.create("v", "FROM (VALUES (1)) t(i) JOIN not_yet USING (i);")
    shop.macros.create("m", MacroImplementation("(SELECT max(i) FROM not_yet) + x", (MacroParameter("x"),)))
    assert shop.views.get("v").sql.startswith("FROM")
