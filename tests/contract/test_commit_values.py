"""What changes return: one value for every verb, and what makers return carries it."""

from collections.abc import Callable

import pytest

from forklake import (
    Catalog,
    Commit,
    Lake,
    Macro,
    MacroImplementation,
    MacroParameter,
    NewDataFile,
    NewDeleteFile,
    Settings,
    Table,
    Transaction,
    View,
)
from forklake.errors import CommitConflictError
from tests.lakes import LakeFactory


@pytest.fixture
def shop(lake: Lake) -> Catalog:
    return lake.create_catalog("shop")


@pytest.fixture
def orders(shop: Catalog) -> Table:
    return shop.create_table("orders", {"id": "INTEGER", "item": "VARCHAR"})


VERBS: list[tuple[Callable[[Table], Commit], int, int]] = [
    (lambda t: t.alter.add_column(("note", "VARCHAR")), 0, 0),
    (lambda t: t.alter.rename_column("item", "thing"), 0, 0),
    (lambda t: t.alter.set_type("id", "BIGINT"), 0, 0),
    (lambda t: t.alter.set_default("item", "'x'", is_expression=True), 0, 0),
    (lambda t: t.alter.set_not_null("id"), 0, 0),
    (lambda t: t.alter.set_partitioning(["id"]), 0, 0),
    (lambda t: t.alter.set_sorting(["id DESC"]), 0, 0),
    (lambda t: t.alter.set_tag("owner", "me"), 0, 0),
    (lambda t: t.alter.comment("all", column="id"), 0, 0),
    (lambda t: t.alter.drop_column("item"), 0, 0),
    (lambda t: t.rename("sold"), 0, 0),
    (lambda t: t.drop(), 0, 0),
    (lambda t: t.append([{"id": 1}, {"id": 2}]), 2, 1),
    (lambda t: t.overwrite([{"id": 3}]), 1, 1),
    (lambda t: t.storage.append_files([NewDataFile("a", 7, 9), NewDataFile("b", 5, 9)]), 12, 2),
    (lambda t: t.storage.insert_inlined([{"id": "1"}]), 1, 0),
]


@pytest.mark.parametrize(("verb", "rows", "files"), VERBS, ids=[str(number) for number in range(len(VERBS))])
def test_a_change_says_what_it_did(
    shop: Catalog, orders: Table, verb: Callable[[Table], Commit], rows: int, files: int
) -> None:
    assert verb(orders) == Commit(shop.head, rows, files)


@pytest.mark.parametrize(("verb", "rows", "files"), VERBS, ids=[str(number) for number in range(len(VERBS))])
def test_within_a_transaction_there_is_no_snapshot_yet(
    shop: Catalog, orders: Table, verb: Callable[[Table], Commit], rows: int, files: int
) -> None:
    with shop.transaction() as transaction:
        assert verb(transaction.table("orders")) == Commit(None, rows, files)


def test_deletes_count_the_rows_that_were_there(shop: Catalog, orders: Table) -> None:
    orders.storage.append_files([NewDataFile("a", 7, 9), NewDataFile("b", 5, 9)])
    first, second = (file.data_file_id for file in orders.storage.files())
    assert orders.storage.delete_rows([NewDeleteFile(first, "d", 2, 9)]) == Commit(shop.head, 2, 1)
    assert orders.storage.delete_rows([NewDeleteFile(first, "e", 3, 9)]) == Commit(shop.head, 1, 1)
    assert orders.storage.inline_deletes({second: [0, 4]}) == Commit(shop.head, 2, 0)
    assert orders.storage.remove_files([first, second]) == Commit(shop.head, 7, 2)
    head = shop.head
    assert orders.delete() == Commit(None, 0, 0)
    orders.append([{"id": 1}])
    assert orders.delete() == Commit(shop.head, 1, 1)
    assert shop.head > head


def test_a_transaction_says_what_all_of_it_did(shop: Catalog, orders: Table) -> None:
    transaction = shop.transaction()
    transaction.table("orders").append([{"id": 1}, {"id": 2}])
    transaction.table("orders").append([{"id": 3}])
    transaction.sql("INSERT INTO orders VALUES (4, 'x')")
    done = transaction.commit()
    assert done == Commit(shop.head, 4, 3)
    assert transaction.snapshot_id == done.snapshot_id
    assert shop.transaction().commit() == Commit(None, 0, 0)


def test_a_key_that_is_committed_says_the_snapshot_of_the_first_time(shop: Catalog, orders: Table) -> None:
    def load() -> Commit:
        transaction = shop.transaction(commit_key="once")
        transaction.table("orders").append([{"id": 1}])
        return transaction.commit()

    first = load()
    assert (first.row_count, load()) == (1, Commit(first.snapshot_id, 0, 0, is_repeated=True))


def test_under_a_key_that_is_committed_makers_return_what_was_made(shop: Catalog) -> None:
    def work() -> tuple[tuple[Table, View, Macro], Commit]:
        transaction = shop.transaction(commit_key="once")
        table = transaction.create_table("t", {"i": "INTEGER"})
        view = transaction.views.create("v", "SELECT 1")
        macro = transaction.macros.create("m", MacroImplementation("x", (MacroParameter("x"),)))
        return (table, view, macro), transaction.commit()

    made, done = work()
    assert ([one.created for one in made], done.snapshot_id) == ([True] * 3, shop.head)
    table, view, macro = shop.table("t"), shop.views.get("v"), shop.macros.get("m")
    table.rename("renamed")
    shop.create_table("t", {"other": "VARCHAR"})
    shop.views.drop("v")
    shop.macros.drop("m")
    (again_table, again_view, again_macro), again = work()
    assert (again_table.table_id, again_table.name) == (table.table_id, "t")
    assert (again_view, again_macro) == (view, macro)
    assert [one.created for one in (again_table, again_view, again_macro)] == [False] * 3
    assert again == Commit(done.snapshot_id, is_repeated=True)

    # When its snapshot is expired, nobody knows what was made: that is found which has the name now.
    shop.maintenance.expire_snapshots(versions=[done.snapshot_id or 0])
    (now_table, now_view, now_macro), again = work()
    assert (now_table.table_id, now_table.created) == (shop.table("t").table_id, False)
    assert (now_view.view_id < 0, now_macro.macro_id < 0) == (True, True)
    assert again == Commit(done.snapshot_id, is_repeated=True)


def test_under_a_key_that_is_committed_what_the_first_transaction_dropped_is_nothing(shop: Catalog) -> None:
    def work() -> Table:
        with shop.transaction(commit_key="once") as transaction:
            table = transaction.create_table("t", {"i": "INTEGER"})
            view = transaction.views.create("v", "SELECT 1")
            transaction.create_table("kept", {"i": "INTEGER"})
            table.drop()
            transaction.views.drop(view.name)
        return table

    assert work().created
    again = work()
    assert (again.name, again.created, again.table_id < 0) == ("t", False, True)
    assert [table.name for table in shop.tables()] == ["kept"]


def test_what_was_made_is_returned_whatever_others_do_with_its_name(lake_factory: LakeFactory) -> None:
    others: list[Callable[[], object]] = []

    def step(name: str) -> None:
        if name == "commit: done" and others:
            others.pop()()

    with lake_factory.open(settings=Settings(on_step=step)) as lake:
        shop = lake.create_catalog("shop")
        others.append(lambda: shop.create_table("t", {"theirs": "INTEGER"}))
        others.append(lambda: shop.table("t").rename("elsewhere"))
        made = shop.create_table("t", {"ours": "INTEGER"})
        assert not others, "they came between"
        assert [column.name for column in made.columns] == ["ours"]
        assert shop.table("elsewhere").table_id == made.table_id != shop.table("t").table_id
        assert made.commit == Commit(shop.snapshots()[1].snapshot_id)


def test_what_is_run_again_counts_once(shop: Catalog, orders: Table) -> None:
    one, other = shop.transaction(), shop.transaction()
    for transaction in (one, other):
        transaction.table("orders").alter.rename_column("item", "thing")
    one.commit()
    with pytest.raises(CommitConflictError):
        other.commit()
    assert orders.append([{"id": 1}]).row_count == 1


@pytest.mark.parametrize("within", [False, True])
def test_makers_return_what_they_made(shop: Catalog, within: bool) -> None:
    transaction = shop.transaction() if within else None
    target: Catalog | Transaction = transaction or shop

    def expected(rows: int = 0, files: int = 0) -> Commit:
        return Commit(None if within else shop.head, rows, files)

    table = target.create_table("t", {"i": "INTEGER"})
    assert (table.name, table.created, table.commit) == ("t", True, expected())
    again = target.create_table("t", {"i": "INTEGER"}, if_not_exists=True)
    assert (again.table_id, again.created, again.commit) == (table.table_id, False, Commit())
    filled = target.create_table("filled", rows=[{"i": 1}, {"i": 2}])
    assert (filled.created, filled.commit) == (True, expected(2, 1))
    assert (target.table("t").created, target.table("t").commit) == (False, None)
    view = target.views.create("v", "SELECT 1")
    assert (view.name, view.created, view.commit) == ("v", True, expected())
    assert not target.views.create("v", "SELECT 2", if_not_exists=True).created
    assert view == target.views.get("v")
    macro = target.macros.create("m", MacroImplementation("x", (MacroParameter("x"),)))
    assert (macro.kind, macro.created, macro.commit) == ("scalar", True, expected())
    assert target.schemas.create("s") == expected()
    if transaction is not None:
        transaction.rollback()


def test_a_catalog_carries_the_commit_that_made_it(lake: Lake, shop: Catalog) -> None:
    assert (shop.created, shop.commit) == (True, Commit(shop.head))
    first = shop.head
    shop.create_table("t", {"i": "INTEGER"})
    fork = shop.fork("agent")
    assert (fork.created, fork.commit) == (True, Commit(fork.head))
    for there in (lake.create_catalog("shop", if_not_exists=True), shop.fork("agent", if_not_exists=True)):
        assert (there.created, there.commit) == (False, None)
    assert lake.catalog("shop").commit is None
    assert shop.commit == Commit(first)
    assert fork.maintenance.sever() == Commit(fork.head)
    assert fork.maintenance.sever() == Commit(None)
