"""Handles: names with a schema in them, what they are called, forks that are thrown away, the past of a table."""

from pathlib import Path

import pytest

from forklake import Catalog, Lake, MacroImplementation, MacroParameter
from forklake.errors import AlreadyExistsError, InvalidInputError, InvalidNameError, NotFoundError


@pytest.fixture
def shop(lake: Lake) -> Catalog:
    made = lake.create_catalog("shop")
    made.schemas.create("sales")
    made.create_table("sales.orders", {"id": "INTEGER"})
    return made


def test_a_name_may_say_its_schema(shop: Catalog) -> None:
    shop.create_table('"my.schema"."a ""b"""'.replace('"my.schema"', "sales"), {"i": "INTEGER"})
    assert [(table.schema_name, table.name) for table in shop.tables()] == [("sales", 'a "b"'), ("sales", "orders")]
    assert shop.table("SALES.Orders").name == "orders"
    assert shop.table("orders", schema="sales").table_id == shop.table('"sales".orders').table_id
    shop.views.create("sales.recent", "SELECT 1")
    shop.views.rename("sales.recent", "late")
    shop.views.comment("sales.late", "few")
    assert shop.views.get("sales.late").comment == "few"
    shop.views.drop("sales.late")
    shop.macros.create("sales.half", MacroImplementation("x / 2", (MacroParameter("x"),)))
    assert shop.macros.get("half", schema="sales").kind == "scalar"
    shop.macros.drop("sales.half")
    shop.options.set("target_file_size", "1MB", table="sales.orders")
    assert shop.options.get("target_file_size", table="orders", schema="sales") == "1MB"
    assert shop.maintenance.flush_inlined(table="sales.orders") == []
    with shop.transaction() as transaction:
        transaction.table("sales.orders").rename("sold")
    assert shop.table("sales.sold").columns[0].name == "id"


def test_with_a_schema_a_name_is_taken_as_it_is(shop: Catalog) -> None:
    shop.create_table("a.b", {"i": "INTEGER"}, schema="sales")
    shop.create_table('"q"', {"i": "INTEGER"}, schema="main")
    assert shop.table('sales."a.b"').name == "a.b"
    assert shop.table('"""q"""').name == '"q"'
    assert repr(shop.table("a.b", schema="sales")) == "Table('shop.sales.\"a.b\"')"
    with pytest.raises(NotFoundError, match="a"):
        shop.table("a.b")


@pytest.mark.parametrize("name", ["a.b.c", "a.", ".a", '"open', '"a"b', "."])
def test_what_is_no_name_is_refused(shop: Catalog, name: str) -> None:
    with pytest.raises(InvalidNameError, match="is no name of a table, view or macro"):
        shop.table(name)
    with pytest.raises(InvalidNameError):
        shop.create_table(name, {"i": "INTEGER"})


def test_handles_say_what_they_are(lake: Lake, shop: Catalog) -> None:
    orders = shop.table("sales.orders")
    assert (repr(shop), repr(orders)) == ("Catalog('shop')", "Table('shop.sales.orders')")
    shop.rename("store")
    assert (repr(shop), shop.name, repr(lake.catalog("store"))) == ("Catalog('store')", "store", "Catalog('store')")
    orders.rename("sold")
    assert (repr(orders), shop.table("sales.sold").table_id) == ("Table('store.sales.sold')", orders.table_id)
    assert repr(shop.fork("agent")) == "Fork('agent')"
    with shop.transaction() as transaction:
        assert repr(transaction) == f"Transaction('store', base={shop.head})"


def test_a_catalog_renames_and_drops_itself(lake: Lake, shop: Catalog) -> None:
    other = lake.create_catalog("other")
    with pytest.raises(AlreadyExistsError):
        other.rename("shop")
    other.drop()
    with pytest.raises(NotFoundError):
        other.drop()
    assert [info.name for info in lake.catalogs()] == ["shop"]


def test_a_fork_in_a_with_block_is_dropped_in_the_end(lake: Lake, shop: Catalog) -> None:
    with shop.fork("try") as fork:
        fork.table("sales.orders").drop()
        assert [info.name for info in shop.forks()] == ["try"]
    assert shop.forks() == []
    with pytest.raises(ZeroDivisionError), shop.fork("failed"):
        _ = 1 // 0
    with shop.fork("gone") as gone:
        gone.drop()
    kept = shop.fork("kept")
    with shop.fork("kept", if_not_exists=True) as found:
        assert not found.created
    assert [info.catalog_id for info in shop.forks()] == [kept.catalog_id]
    kept.fork("grandchild")
    assert [info.name for info in shop.forks()] == ["kept"]


def test_a_table_has_a_past(shop: Catalog) -> None:
    orders, before = shop.table("sales.orders"), shop.head
    orders.alter.add_column(("item", "VARCHAR"))
    orders.rename("sold")
    then = orders.at(before)
    assert (then.name, [column.name for column in then.columns]) == ("orders", ["id"])
    assert [column.name for column in orders.at(version=shop.head).columns] == ["id", "item"]
    with pytest.raises(InvalidInputError, match="read-only"):
        then.alter.drop_column("id")
    with pytest.raises(NotFoundError):
        orders.at(0)
    with pytest.raises(InvalidInputError, match="no other moment"), shop.transaction() as transaction:
        transaction.table("sales.sold").at(before)


def test_a_table_is_created_with_columns_or_with_rows(shop: Catalog, tmp_path: Path) -> None:
    shop.create_table("t", rows=[{"i": 1}, {"i": 2}])
    assert shop.table("t").count() == 2
    for columns, rows in ((None, None), ({"i": "INTEGER"}, [{"i": 1}])):
        with pytest.raises(InvalidInputError, match='Table "u" is created with columns or with rows'):
            shop.create_table("u", columns, rows=rows)
    assert shop.table("t").delete().row_count == 2
    assert shop.table("t").count() == 0
