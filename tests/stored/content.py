"""What the stored lakes hold, and what their catalogs show."""

from pathlib import Path
from typing import Any

import pyarrow as pa

from forklake import Catalog, ColumnDefinition, Lake, MacroImplementation, MacroParameter
from forklake.files.parquet.deletes import write_delete_file
from tests.interop.ducklake import attached, url_of


def fill(lake: Lake, outside: Path) -> None:
    """Make catalogs of every kind: forks, copies, severed, renamed, dropped, purged, encrypted and imported ones.

    Files of the imported one lie in ``outside``.
    """
    shop = lake.create_catalog("shop")
    _fill_shop(lake)
    agent = shop.fork("agent")
    agent.table("orders").append([{"id": 7, "item": "fig"}])
    agent.table("orders").storage.delete_inlined([agent.table("orders").storage.inlined_rows()[0].row_id])
    agent.table("gone").drop()
    agent.fork("deep").create_table("notes", {"text": "VARCHAR"}).append([{"text": "a note"}])
    shop.fork("copied", copy=True).table("orders").append(pa.table({"id": [20] * 3, "item": ["kiwi", None, "k"]}))
    severed = shop.fork("severed")
    severed.table("orders").append(pa.table({"id": [30] * 3, "item": ["lime", "l", None]}))
    severed.maintenance.sever()
    shop.fork("before").rename("after")
    shop.fork("dropped").drop()
    shop.fork("purged").drop()
    lake.purge("purged")
    secret = lake.create_catalog("secret", encrypted=True)
    secret.create_table("keys", {"id": "BIGINT"})
    secret.table("keys").append(pa.table({"id": [1, 2]}))
    lake.create_catalog("slow", data_path=outside / "slow")
    lake.catalog("slow").create_table("t", {"id": "BIGINT"})
    lake.catalog("slow").table("t").append(pa.table({"id": [5]}))
    lake.import_catalog("imported", _plain_database(outside))
    lake.catalog("imported").table("t").append(pa.table({"id": [3], "name": ["c"]}))
    lake.options.set("parquet_compression", "zstd")
    shop.table("orders").append([{"id": 8, "item": "after the forks"}])


def _fill_shop(lake: Lake) -> None:
    shop = lake.catalog("shop")
    shop.schemas.create("more")
    orders = shop.create_table("orders", {"id": "BIGINT", "item": "VARCHAR"}, partition_by=["id"])
    orders.append(pa.table({"id": [1, 1, 2, 3], "item": ["apple", None, "pear", "it's"]}))
    file = max(orders.storage.files(), key=lambda each: each.record_count)
    gone = write_delete_file(f"{Path(file.path).parents[1]}/", file.data_file_id, file.path, [0])
    orders.storage.delete_rows([gone])
    shop.options.set("data_inlining_row_limit", 2)
    orders.append([{"id": 4, "item": "plum"}, {"id": 5, "item": "fig"}])
    shop.create_table("gone", {"x": "INTEGER"})
    wide = shop.create_table(
        "wide", {"d": "DECIMAL(10,2)", "l": "INTEGER[]", "s": "STRUCT(a INTEGER, b DATE)"}, schema="more"
    )
    wide.append([{"d": 1, "l": [1, None], "s": {"a": 1, "b": None}}])
    wide.alter.add_column(("added", "BIGINT"))
    orders.alter.comment("what was ordered")
    orders.alter.set_tag("team", "sales", column="item")
    shop.views.create("names", "SELECT item FROM orders")
    shop.macros.create("twice", MacroImplementation("x * 2", (MacroParameter("x"),)))
    shop.macros.create(
        "more_than", MacroImplementation("x + y", (MacroParameter("x"), MacroParameter("y", default="1")))
    )
    log = shop.create_table("log", [ColumnDefinition("at", "BIGINT", default="40 + 2", default_is_expression=True)])
    log.alter.set_sorting(["at % 10"])


def _plain_database(outside: Path) -> Path:
    """Write a database of DuckLake itself."""
    path = outside / "plain.ducklake"
    with attached(url_of(path), DATA_PATH=f"{outside}/plain/", DATA_INLINING_ROW_LIMIT=0) as (connection, _):
        connection.execute("CREATE TABLE t (id BIGINT, name VARCHAR)")
        connection.execute("INSERT INTO t VALUES (1, 'a'), (2, 'b')")
    return path


def shown(lake: Lake) -> dict[str, Any]:
    """Return what each catalog shows, now and in the middle of its history, in a form that JSON keeps."""
    return {info.name: _shown(lake.catalog(info.name)) for info in lake.catalogs()}


def _shown(catalog: Catalog) -> dict[str, Any]:
    snapshots = catalog.snapshots()
    return {
        "snapshots": [[each.snapshot_id, repr(each.changes_made), each.commit_message] for each in snapshots],
        "views": [[view.name, view.sql] for view in catalog.views.list()],
        "macros": [repr(macro) for macro in catalog.macros.list()],
        "columns": {table.name: [repr(column) for column in table.columns] for table in catalog.tables()},
        "rows": {
            str(each.snapshot_id): {
                f"{table.schema_name}.{table.name}": sorted(repr(row) for row in table.rows())
                for table in catalog.at(version=each.snapshot_id).tables()
            }
            for each in dict.fromkeys((snapshots[len(snapshots) // 2], snapshots[-1]))
        },
    }
