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
        txn.create_schema("side")
        txn.create_table("notes", {"id": "INTEGER", "text": "VARCHAR"}, schema="side")
        txn.create_view("recent", "SELECT * FROM events", column_aliases=("id",))
        txn.create_macro("twice", MacroImplementation("x * 2", (MacroParameter("x", default="1"),)))
    files = [event_file("a", "1", mapping=MAPPING, variant_stats=(SHAPE,)), event_file("b", "2"), event_file("c", "3")]
    catalog.append_files("events", files)
    first, second, _ = catalog.table("events").files()
    with catalog.transaction() as txn:
        txn.delete_rows("events", [delete_file(first.data_file_id, "d")])
        txn.inline_deletes("events", {second.data_file_id: [1, 2]})
        txn.insert_inlined("notes", [{"id": "1", "text": "a"}, {"id": "2"}], schema="side")
        txn.comment_on_table("events", "what happened")
        txn.comment_on_table("events", "a number", column="id")
        txn.comment_on_view("recent", "newest first")
        txn.comment_on_view("recent", "a number", column="id")


def upset(catalog: Catalog, name: str) -> None:
    """Change, end or replace something of every kind, inherited things first of all."""
    table = catalog.tables("main")[0]
    (field,) = next(column for column in table.columns if column.name == "s").children
    files = table.files()
    deleted = files[0].delete_file.delete_count if files[0].delete_file else 0
    notes = catalog.table("notes", schema="side").inlined_rows()
    events = f"events_{name}"
    with catalog.transaction() as txn:
        txn.rename_table(table.name, events)
        txn.add_column(events, (f"extra_{name}", "VARCHAR"))
        txn.rename_column(events, f"s.{field.name}", f"a_{name}")
        new_files = [event_file(f"{name}-a", "4", mapping=files[0].mapping_id), event_file(f"{name}-b", "5")]
        txn.append_files(events, new_files)
        txn.delete_rows(events, [delete_file(files[0].data_file_id, f"{name}-d", deleted + 1)])
        txn.remove_files(events, [files[1].data_file_id])
        txn.delete_inlined("notes", [notes[0].row_id], schema="side")
        txn.insert_inlined("notes", [{"id": "3", "text": name}], schema="side")
    last = catalog.table(events).files()[-1].data_file_id
    with catalog.transaction() as txn:
        txn.inline_deletes(events, {last: [3]})
        txn.set_partitioning(events, [PartitionField("id", "bucket(4)")])
        txn.set_sorting(events, ["id", "s"])
        txn.append_files(events, [event_file(f"{name}-c", "0")])
        txn.create_table(f"new_{name}", {"i": "INTEGER"}, schema="side")
        txn.comment_on_table(events, name)
        txn.comment_on_table(events, name, column="id")
        txn.create_macro("twice", MacroImplementation(f"x + {len(name)}", (MacroParameter("x"),)), or_replace=True)
        txn.create_view("recent", f"SELECT '{name}'", column_aliases=("id",), or_replace=True)
        txn.comment_on_view("recent", name, column="id")


def vary(lake: Lake) -> None:
    """Make forks: at depth, of the past, copied, detached, of dropped parents; each changes what it inherits."""
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
    between.detach()
    upset(between, "alone")
    upset(between.fork("after"), "after")
    upset(before, "before")
    before.drop_schema("side", cascade=True)
    before.drop_table("events_before")
    lake.drop_catalog("one")
    lake.rename_catalog("two", "second")
    shop.expire_snapshots(snapshot_ids=[early, early - 1])
