"""A lake with a bit of everything, for tests that compare what two ways of reading show of it."""

from typing import Any

from forklake import (
    Catalog,
    ColumnStats,
    Lake,
    MacroImplementation,
    MacroParameter,
    MappedColumn,
    NameMapping,
    NewDataFile,
    PartitionField,
    VariantStats,
)
from tests.contract.support import delete_file

MAPPING = NameMapping((MappedColumn("ID", "id"), MappedColumn("S", "s", children=(MappedColumn("A", "a"),))))
STATS = {"id": ColumnStats(value_count=10, null_count=0, min_value="1", max_value="10")}
SHAPE = VariantStats("v", "$.a", "int64", ColumnStats(value_count=3))


def event_file(name: str, value: str, **more: Any) -> NewDataFile:
    return NewDataFile(f"{name}.parquet", 100, 1000, column_stats=STATS, partition_values=(value,), **more)


def furnish(catalog: Catalog) -> None:
    """Fill a new catalog with things of every kind."""
    columns = {"id": "INTEGER", "s": "STRUCT(a INTEGER)", "v": "VARIANT"}
    with catalog.transaction() as txn:
        txn.create_table("events", columns, partition_by=["id"], sort_by=["id"])
        txn.schemas.create("side")
        txn.create_table("notes", {"id": "INTEGER", "text": "VARCHAR"}, schema="side")
        txn.views.create("recent", "SELECT * FROM events", column_aliases=("id",))
        txn.macros.create("twice", MacroImplementation("x * 2", (MacroParameter("x", default="1"),)))
    files = [event_file("a", "1", mapping=MAPPING, variant_stats=(SHAPE,)), event_file("b", "2"), event_file("c", "3")]
    catalog.table("events").storage.append_files(files)
    first, second, _ = catalog.table("events").storage.files()
    with catalog.transaction() as txn:
        txn.table("events").storage.delete_rows([delete_file(first.data_file_id, "d")])
        txn.table("events").storage.inline_deletes({second.data_file_id: [1, 2]})
        txn.table("notes", schema="side").storage.insert_inlined([{"id": "1", "text": "a"}, {"id": "2"}])
        txn.table("events").alter.comment("what happened")
        txn.table("events").alter.comment("a number", column="id")
        txn.views.comment("recent", "newest first")
        txn.views.comment("recent", "a number", column="id")


def upset(catalog: Catalog, name: str) -> None:
    """Change, end or replace something of every kind, inherited things first of all."""
    table = catalog.tables("main")[0]
    (field,) = next(column for column in table.columns if column.name == "s").children
    files = table.storage.files()
    deleted = files[0].delete_file.delete_count if files[0].delete_file else 0
    notes = catalog.table("notes", schema="side").storage.inlined_rows()
    events = f"events_{name}"
    with catalog.transaction() as txn:
        txn.table(table.name).rename(events)
        txn.table(events).alter.add_column((f"extra_{name}", "VARCHAR"))
        txn.table(events).alter.rename_column(f"s.{field.name}", f"a_{name}")
        new_files = [event_file(f"{name}-a", "4", mapping=files[0].mapping_id), event_file(f"{name}-b", "5")]
        txn.table(events).storage.append_files(new_files)
        txn.table(events).storage.delete_rows([delete_file(files[0].data_file_id, f"{name}-d", deleted + 1)])
        txn.table(events).storage.remove_files([files[1].data_file_id])
        txn.table("notes", schema="side").storage.delete_inlined([notes[0].row_id])
        txn.table("notes", schema="side").storage.insert_inlined([{"id": "3", "text": name}])
    last = catalog.table(events).storage.files()[-1].data_file_id
    with catalog.transaction() as txn:
        txn.table(events).storage.inline_deletes({last: [3]})
        txn.table(events).alter.set_partitioning([PartitionField("id", "bucket(4)")])
        txn.table(events).alter.set_sorting(["id", "s"])
        txn.table(events).storage.append_files([event_file(f"{name}-c", "0")])
        txn.create_table(f"new_{name}", {"i": "INTEGER"}, schema="side")
        txn.table(events).alter.comment(name)
        txn.table(events).alter.comment(name, column="id")
        txn.macros.create("twice", MacroImplementation(f"x + {len(name)}", (MacroParameter("x"),)), or_replace=True)
        txn.views.create("recent", f"SELECT '{name}'", column_aliases=("id",), or_replace=True)
        txn.views.comment("recent", name, column="id")


def vary(lake: Lake) -> None:
    """Make forks: at depth, of the past, copied, severed, of dropped parents; each changes what it inherits."""
    lake.create_catalog("other").create_table("t", {"i": "INTEGER"})
    shop = lake.create_catalog("shop")
    furnish(shop)
    early = shop.head
    upset(shop, "shop")
    one = shop.fork("one")
    upset(shop, "later")
    upset(one, "one")
    two = one.fork("two")
    upset(two, "two")
    between = two.fork("between")
    upset(two.fork("three"), "three")
    upset(two, "late")
    lake.create_catalog("elsewhere", data_path=f"{lake.data_path}/../elsewhere").fork("near")
    past = shop.fork("past", at=early, data_path=f"{lake.data_path}/../past")
    upset(past, "past")
    upset(past.fork("of the past"), "deep")
    upset(two.fork("copy", copy=True), "copy")
    upset(between, "between")
    before = between.fork("before")
    between.maintenance.sever()
    upset(between, "alone")
    upset(between.fork("after"), "after")
    upset(before, "before")
    before.schemas.drop("side", cascade=True)
    before.table("events_before").drop()
    lake.catalog("one").drop()
    lake.catalog("two").rename("second")
    shop.maintenance.expire_snapshots(versions=[early, early - 1])
