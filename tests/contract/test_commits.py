"""Commits: several changes, one snapshot; what it says, what it sees, and what it leaves behind if it fails."""

from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime

import pytest

from forklake import (
    Catalog,
    ColumnDefinition,
    ColumnStats,
    Commit,
    Lake,
    MacroImplementation,
    MacroParameter,
    MappedColumn,
    NameMapping,
    SortKey,
    Transaction,
)
from forklake.errors import AlreadyExistsError, ForklakeError, InvalidInputError, NotFoundError
from tests.contract.support import data_file, delete_file, each, file_names, last, names, rows, state


@pytest.fixture
def shop(lake: Lake) -> Catalog:
    shop = lake.create_catalog("shop")
    shop.create_table("orders", {"id": "BIGINT", "amount": "DECIMAL(10,2)"})
    shop.table("orders").storage.append_files([data_file("a"), data_file("b")])
    return shop


# ---- one snapshot --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("lake_factory", ["sqlite", "duckdb", "postgres", "partitioned", "pgbouncer"], indirect=True)
def test_changes_to_several_tables_become_one_snapshot(shop: Catalog) -> None:
    shop.create_table("old", {"i": "INTEGER"})
    count = len(shop.snapshots())
    (first, _) = shop.table("orders").storage.files()
    with shop.transaction() as transaction:
        transaction.table("old").drop()
        transaction.schemas.create("sales")
        transaction.create_table("new", {"i": "INTEGER"}, schema="sales")
        transaction.table("new", schema="sales").storage.append_files([data_file("n")])
        transaction.table("orders").storage.delete_rows([delete_file(first.data_file_id, "d")])
        transaction.table("orders").alter.add_column(("note", "VARCHAR"))
    assert transaction.snapshot_id == shop.head
    assert len(shop.snapshots()) == count + 1
    orders, new = shop.table("orders").table_id, shop.table("new", schema="sales").table_id
    assert last(shop).changes_made == (
        f'dropped_table:2,created_schema:"sales",created_table:"sales"."new",'
        f"inserted_into_table:{new},deleted_from_table:{orders},altered_table:{orders}"
    )
    assert [(table.schema_name, table.name) for table in shop.tables()] == [("main", "orders"), ("sales", "new")]
    assert [column.name for column in shop.table("orders").columns] == ["id", "amount", "note"]


def test_each_change_by_itself_is_logged_in_the_words_of_ducklake(shop: Catalog) -> None:
    (first, _) = shop.table("orders").storage.files()
    changes: list[tuple[Callable[[], object], str]] = [
        (lambda: shop.schemas.create('odd "s"'), 'created_schema:"odd ""s"""'),
        (lambda: shop.create_table("a,b", {"i": "INTEGER"}, schema='odd "s"'), 'created_table:"odd ""s"""."a,b"'),
        (lambda: shop.table("orders").storage.append_files([data_file("c")]), "inserted_into_table:1"),
        (
            lambda: shop.table("orders").storage.delete_rows([delete_file(first.data_file_id, "d")]),
            "deleted_from_table:1",
        ),
        (lambda: shop.table("orders").storage.remove_files([first.data_file_id]), "deleted_from_table:1"),
        (lambda: shop.table("orders").alter.add_column(("x", "INTEGER")), "altered_table:1"),
        (lambda: shop.table("orders").alter.rename_column("x", "y"), "altered_table:1"),
        (lambda: shop.table("orders").alter.drop_column("y"), "altered_table:1"),
        (lambda: shop.table("orders").rename("sales"), "altered_table:1"),
        (lambda: shop.table("sales").drop(), "dropped_table:1"),
        (lambda: shop.schemas.drop('odd "s"', cascade=True), "dropped_schema:2,dropped_table:3"),
    ]
    for change, logged in changes:
        before = shop.head
        change()
        assert last(shop).changes_made == logged
        assert shop.head == last(shop).snapshot_id > before


def test_a_snapshot_says_who_did_what_and_when(shop: Catalog) -> None:
    with shop.transaction(author="ann", message="first", extra_info='{"job": 1}') as transaction:
        transaction.create_table("t", {"i": "INTEGER"})
    snapshot = last(shop)
    assert (snapshot.author, snapshot.commit_message, snapshot.commit_extra_info) == ("ann", "first", '{"job": 1}')
    assert snapshot.catalog_id == shop.catalog_id
    assert abs((datetime.now(UTC) - snapshot.snapshot_time).total_seconds()) < 60
    with shop.transaction(author="ann") as transaction:
        transaction.table("t").drop()
        transaction.set_commit_message(author="bob", message="gone")
    assert (last(shop).author, last(shop).commit_message, last(shop).commit_extra_info) == ("bob", "gone", None)


@pytest.mark.parametrize("text", ["nul\0", "half \ud800", 7])
def test_what_is_said_of_a_commit_is_text(shop: Catalog, text: str) -> None:
    head = shop.head
    for said in ({"author": text}, {"message": text}, {"extra_info": text}, {"commit_key": text}):
        with pytest.raises(InvalidInputError), shop.transaction(**said) as transaction:
            transaction.create_table("t", {"i": "INTEGER"})
    assert shop.head == head


def test_a_message_can_be_required(lake: Lake, shop: Catalog) -> None:
    head = shop.head
    lake.options.set("require_commit_message", True)
    complaint = "Commit Information for the snapshot is required but has not been provided."
    with pytest.raises(InvalidInputError, match=complaint):
        shop.create_table("t", {"i": "INTEGER"})
    transaction = shop.transaction()
    transaction.create_table("t", {"i": "INTEGER"})
    with pytest.raises(InvalidInputError, match=complaint):
        transaction.commit()
    assert shop.head == head
    transaction.set_commit_message(message="now with words")
    assert transaction.commit() == Commit(shop.head)
    shop.options.set("require_commit_message", False)
    shop.table("t").drop()
    with shop.transaction():
        pass  # nothing changed, nothing to explain


def test_a_transaction_that_changes_nothing_makes_no_snapshot(lake: Lake, shop: Catalog) -> None:
    before = state(lake)
    with shop.transaction() as transaction:
        pass
    assert transaction.snapshot_id is None
    with shop.transaction() as transaction:
        transaction.create_table("t", {"i": "INTEGER"})
        transaction.table("t").storage.append_files([data_file("x")])
        transaction.table("t").drop()
        transaction.schemas.create("s")
        transaction.schemas.drop("s")
        transaction.create_table("orders", {"i": "INTEGER"}, if_not_exists=True)
        transaction.schemas.create("MAIN", if_not_exists=True)
        transaction.views.drop("none", if_exists=True)
        transaction.schemas.drop("none", if_exists=True)
        transaction.table("orders").storage.append_files([])
        transaction.table("orders").storage.delete_rows([])
        transaction.table("orders").storage.remove_files([])
    assert transaction.commit is not None
    assert transaction.snapshot_id is None
    assert state(lake) == before


# ---- reading and rolling back --------------------------------------------------------------------------------------


def test_a_transaction_reads_its_own_writes_and_nobody_else_does(shop: Catalog) -> None:
    (first, second) = shop.table("orders").storage.files()
    with shop.transaction() as transaction:
        transaction.create_table("new", {"i": "INTEGER"})
        transaction.table("new").storage.append_files([data_file("n", 3)])
        transaction.table("orders").storage.append_files([data_file("c", 5)])
        transaction.table("orders").storage.delete_rows([delete_file(first.data_file_id, "d")])
        transaction.table("orders").storage.remove_files([second.data_file_id])
        transaction.table("orders").alter.rename_column("amount", "price")
        assert [table.name for table in transaction.tables()] == ["new", "orders"]
        assert [file.record_count for file in transaction.table("orders").storage.files()] == [10, 5]
        assert transaction.table("orders").storage.files()[0].delete_file is not None
        assert transaction.table("orders").inspect.stats.record_count == 15
        assert transaction.table("new").inspect.stats.record_count == 3
        assert [column.name for column in transaction.table("orders").columns] == ["id", "price"]
        assert names(shop) == ["orders"]
        assert file_names(shop, "orders") == ["a", "b"]
    assert file_names(shop, "orders") == ["a", "c"]
    assert file_names(shop, "new") == ["n"]


def test_a_transaction_sees_the_catalog_as_it_was_when_it_began(shop: Catalog) -> None:
    transaction = shop.transaction()
    shop.create_table("later", {"i": "INTEGER"})
    shop.table("orders").storage.append_files([data_file("c")])
    shop.table("orders").alter.rename_column("amount", "price")
    assert [table.name for table in transaction.tables()] == ["orders"]
    assert [file.record_count for file in transaction.table("orders").storage.files()] == [10, 10]
    assert [column.name for column in transaction.table("orders").columns] == ["id", "amount"]
    assert transaction.base < shop.head
    transaction.rollback()


@pytest.mark.parametrize("how", ["rollback", "exception"])
def test_what_is_rolled_back_never_was(lake: Lake, shop: Catalog, how: str) -> None:
    before = state(lake)
    if how == "rollback":
        transaction = shop.transaction()
        transaction.table("orders").drop()
        transaction.rollback()
    else:
        transaction = shop.transaction()
        transaction.table("orders").drop()
        with pytest.raises(ZeroDivisionError), transaction:
            raise ZeroDivisionError
    assert state(lake) == before
    assert names(shop) == ["orders"]
    for again in (transaction.commit, transaction.rollback, transaction.tables):
        with pytest.raises(InvalidInputError, match="The transaction has ended"):
            again()


def test_a_refused_change_leaves_the_transaction_usable(shop: Catalog) -> None:
    (first, _) = shop.table("orders").storage.files()
    refused: tuple[Callable[[Transaction], object], ...] = (
        lambda t: t.create_table("ORDERS", {"i": "INTEGER"}),
        lambda t: t.create_table("t", {"i": "INTEGER", "j": "NO SUCH TYPE"}),
        lambda t: t.create_table("t", []),
        lambda t: t.create_table("t", ["i"]),
        lambda t: t.create_table("t", {"i": "INTEGER"}, schema="none"),
        lambda t: t.table("none").drop(),
        lambda t: t.table("orders").rename("new"),
        lambda t: t.table("orders").alter.add_column(("ID", "INTEGER")),
        lambda t: t.table("orders").alter.drop_column("none"),
        lambda t: t.schemas.drop("main"),
        lambda t: t.table("orders").storage.append_files([data_file("fine"), data_file("bad", -1)]),
        lambda t: t.table("orders").storage.delete_rows([delete_file(first.data_file_id, "d"), delete_file(999, "e")]),
        lambda t: t.table("orders").storage.delete_rows([delete_file(first.data_file_id, "all", 10)]),
        lambda t: t.table("orders").storage.remove_files([first.data_file_id, first.data_file_id]),
        lambda t: t.table("orders").storage.remove_files([999]),
    )
    with shop.transaction() as transaction:
        transaction.create_table("new", {"i": "INTEGER"})
        for change in refused:
            with pytest.raises(ForklakeError):
                change(transaction)
        transaction.table("new").storage.append_files([data_file("n")])
    assert last(shop).changes_made.startswith('created_table:"main"."new",inserted_into_table:')
    assert names(shop) == ["new", "orders"]
    assert file_names(shop, "orders") == ["a", "b"]
    assert [file.delete_file for file in shop.table("orders").storage.files()] == [None, None]


def test_a_change_that_breaks_midway_leaves_no_half_of_it_to_commit(shop: Catalog) -> None:
    broken = replace(data_file("bad"), column_stats=None)  # type: ignore[arg-type]
    with shop.transaction() as transaction:
        transaction.create_table("new", {"i": "INTEGER"})
        with pytest.raises(AttributeError):
            transaction.table("orders").storage.append_files([data_file("fine"), broken])
    assert names(shop) == ["new", "orders"]
    assert file_names(shop, "orders") == ["a", "b"]


def test_a_dropped_table_takes_along_what_was_staged_for_it(lake: Lake, shop: Catalog) -> None:
    before = {table.name: table.row_count for table in lake.stats().tables}
    mapping = NameMapping((MappedColumn("number", "id"),))
    with shop.transaction() as transaction:
        transaction.table("orders").storage.append_files([replace(data_file("c"), mapping=mapping)])
        transaction.table("orders").drop()
    after = {table.name: table.row_count for table in lake.stats().tables}
    grown = {name for name, count in after.items() if count != before[name]}
    assert grown == {"ducklake_snapshot", "ducklake_snapshot_changes", "ducklake_snapshot_lineage"}


@pytest.mark.parametrize("text", ["a\0b", "a\ud800"])
def test_text_that_some_database_cannot_store_is_refused_by_all(shop: Catalog, text: str) -> None:
    head = shop.head
    for change in each(
        lambda: shop.views.create("v", "SELECT 1", dialect=text),
        lambda: shop.macros.create("m", [MacroImplementation("1", dialect=text)]),
        lambda: shop.macros.create("m", [MacroImplementation("x", (MacroParameter("x", text),))]),
        lambda: shop.create_table("t", {"i": "INTEGER"}, sort_by=[SortKey("i", dialect=text)]),
        lambda: shop.table("orders").storage.append_files([replace(data_file("c"), encryption_key=text)]),
        lambda: shop.table("orders").storage.append_files(
            [replace(data_file("c"), column_stats={"id": ColumnStats(extra_stats=text)})]
        ),
    ):
        with pytest.raises(InvalidInputError, match="must be text without NUL"):
            change()
    assert shop.head == head


# ---- names and columns ---------------------------------------------------------------------------------------------


def struct(name: str, *fields: str) -> ColumnDefinition:
    return ColumnDefinition(name, "STRUCT", children=tuple(ColumnDefinition(field, "INTEGER") for field in fields))


def test_fields_of_one_name_live_in_different_structs(shop: Catalog) -> None:
    shop.create_table("t", [struct("a", "x", "y"), struct("b", "x"), ("x", "INTEGER")])
    columns = shop.table("t").columns
    assert [(c.name, [f.name for f in c.children]) for c in columns] == [("a", ["x", "y"]), ("b", ["x"]), ("x", [])]
    ids = [c.column_id for c in columns] + [f.column_id for c in columns for f in c.children]
    assert sorted(ids) == [1, 2, 3, 4, 5, 6]
    for change in each(
        lambda: shop.create_table("u", [struct("a", "x", "X")]),
        lambda: shop.create_table("u", [struct("a", "x"), ("A", "INTEGER")]),
        lambda: shop.table("t").alter.add_column(("X", "INTEGER"), parent="b"),
        lambda: shop.table("t").alter.rename_column("a.y", "X"),
        lambda: shop.table("t").alter.rename_column("x", "A"),
    ):
        with pytest.raises(AlreadyExistsError, match=r"Column with name .* already exists"):
            change()
    shop.table("t").alter.add_column(("y", "INTEGER"), parent="b")
    shop.table("t").alter.rename_column("a.x", "z")
    shop.table("t").alter.drop_column("b.x")
    columns = shop.table("t").columns
    assert [(c.name, [f.name for f in c.children]) for c in columns] == [("a", ["z", "y"]), ("b", ["y"]), ("x", [])]


def test_a_field_is_found_however_long_the_way_to_it(shop: Catalog) -> None:
    shop.create_table("t", [struct("a" * 200, "b" * 200, "c")])
    shop.table("t").alter.rename_column(f"{'a' * 200}.{'b' * 200}", "short")
    assert [field.name for field in shop.table("t").columns[0].children] == ["short", "c"]


def test_lists_and_maps_have_their_fixed_parts(shop: Catalog) -> None:
    element = ColumnDefinition("element", "INTEGER")
    pair = (ColumnDefinition("key", "VARCHAR"), ColumnDefinition("value", "INTEGER"))
    shop.create_table(
        "t", [ColumnDefinition("l", "LIST", children=(element,)), ColumnDefinition("m", "MAP", children=pair)]
    )
    assert [[part.name for part in column.children] for column in shop.table("t").columns] == [
        ["element"],
        ["key", "value"],
    ]
    for wrong in (
        ColumnDefinition("l", "LIST"),
        ColumnDefinition("l", "LIST", children=pair),
        ColumnDefinition("i", "INTEGER", children=(element,)),
        ColumnDefinition("s", "STRUCT"),
    ):
        with pytest.raises(InvalidInputError, match=f'Column "{wrong.name}" of type'):
            shop.create_table("u", [wrong])
    with pytest.raises(InvalidInputError, match='Cannot rename "element"'):
        shop.table("t").alter.rename_column("l.element", "x")


def test_the_id_of_a_column_is_never_given_again(shop: Catalog) -> None:
    shop.table("orders").alter.add_column(("x", "INTEGER"))
    first = shop.table("orders").columns[-1].column_id
    shop.table("orders").alter.drop_column("x")
    shop.maintenance.expire_snapshots(versions=[s.snapshot_id for s in shop.snapshots()[:-1]])
    shop.table("orders").alter.add_column(("x", "INTEGER"))
    again = shop.table("orders").columns[-1].column_id
    assert (first, again) == (3, 4)
    with shop.transaction() as transaction:
        transaction.table("orders").alter.drop_column("x")
        transaction.table("orders").alter.add_column(("x", "INTEGER"))
    assert shop.table("orders").columns[-1].column_id == 5


def test_the_last_column_stays(shop: Catalog) -> None:
    shop.table("orders").alter.drop_column("amount")
    with pytest.raises(InvalidInputError, match="Cannot drop column: table only has one column remaining!"):
        shop.table("orders").alter.drop_column("id")


def test_a_name_is_free_again_once_its_bearer_is_gone(shop: Catalog) -> None:
    with shop.transaction() as transaction:
        transaction.table("orders").rename("old")
        transaction.create_table("orders", {"i": "INTEGER"})
        transaction.table("old").drop()
        transaction.table("orders").rename("old")
    assert names(shop) == ["old"]
    assert last(shop).changes_made == 'dropped_table:1,created_table:"main"."old"'
    shop.create_table("orders", {"i": "INTEGER"})
    with pytest.raises(AlreadyExistsError, match="Cannot rename table orders to OLD, since OLD already exists"):
        shop.table("orders").rename("OLD")


def test_a_schema_with_tables_is_dropped_only_with_them(shop: Catalog) -> None:
    shop.schemas.create("sales")
    shop.create_table("t", {"i": "INTEGER"}, schema="sales")
    with pytest.raises(InvalidInputError, match='Cannot drop schema "sales" because there are entries that depend'):
        shop.schemas.drop("sales")
    shop.schemas.drop("sales", cascade=True)
    assert shop.schemas.list() == ["main"]
    with pytest.raises(NotFoundError, match='Schema with name "sales" does not exist'):
        shop.table("t", schema="sales")


# ---- schema versions -----------------------------------------------------------------------------------------------


def test_schema_versions_count_changes_of_shape_only(lake: Lake, shop: Catalog) -> None:
    (first, _) = shop.table("orders").storage.files()
    assert [s.schema_version for s in shop.snapshots()] == [0, 1, 1]
    shop.table("orders").storage.delete_rows([delete_file(first.data_file_id, "d")])
    shop.table("orders").storage.remove_files([first.data_file_id])
    assert last(shop).schema_version == 1
    shop.table("orders").alter.add_column(("x", "INTEGER"))
    added = shop.head
    assert last(shop).schema_version == 2
    with shop.transaction() as transaction:
        transaction.create_table("t", {"i": "INTEGER"})
        transaction.table("orders").alter.drop_column("x")
        transaction.table("orders").storage.append_files([data_file("c")])
    assert last(shop).schema_version == 3
    found = rows(
        lake,
        "SELECT table_id, schema_version, begin_snapshot FROM forklake.ducklake_schema_versions"
        " ORDER BY table_id, schema_version",
    )
    assert found == [(1, 1, 1), (1, 2, added), (1, 3, shop.head), (2, 3, shop.head)]
