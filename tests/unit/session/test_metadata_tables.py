"""The metadata tables of an attached catalog."""

from datetime import UTC, date
from decimal import Decimal
from uuid import UUID

import pytest

from forklake import Catalog, Lake, NewDataFile, NewDeleteFile
from forklake.metastore.plain.layout import TABLES
from forklake.session.listings.metadata_tables import metadata_table, metadata_table_names
from tests.unit.session.attached import Attached


@pytest.fixture
def shop(lake: Lake) -> Catalog:
    shop = lake.create_catalog("shop")
    shop.create_table("orders", {"id": "INTEGER", "price": "DECIMAL(10,2)"})
    shop.table("orders").storage.append_files([NewDataFile("a.parquet", 10, 100), NewDataFile("b.parquet", 5, 50)])
    return shop


def test_there_are_the_28_tables_with_the_columns_and_types_of_ducklake(lake: Lake, shop: Catalog) -> None:
    attached = Attached("x", lake, shop)
    assert metadata_table_names(attached) == sorted(TABLES)
    assert len(TABLES) == 28
    types: dict[tuple[str, str], str] = {}
    for name in TABLES:
        found = metadata_table(attached, name)
        assert found is not None
        assert [column.name for column in found.columns] == list(TABLES[name])
        types |= {(name, column.name): column.type.name for column in found.columns}
    assert types["ducklake_table", "table_uuid"] == "uuid"
    assert types["ducklake_snapshot", "snapshot_time"] == "timestamptz"
    assert types["ducklake_column", "nulls_allowed"] == "boolean"
    assert types["ducklake_data_file", "data_file_id"] == "int64"


def test_there_is_no_table_of_another_name(lake: Lake, shop: Catalog) -> None:
    attached = Attached("x", lake, shop)
    for name in (
        "ducklake_catalog",
        "ducklake_head",
        "ducklake_tombstone",
        "ducklake_inlined_row",
        "ducklake_inlined_data_1_1",
        "ducklake_inlined_data_1",
        "ducklake_inlined_delete_1",
        "sqlite_master",
        "",
    ):
        assert metadata_table(attached, name) is None, name
    assert metadata_table(attached, "DUCKLAKE_Table") is not None


def test_values_are_those_of_python(lake: Lake, shop: Catalog) -> None:
    attached = Attached("x", lake, shop)
    ((table_id, uuid, begin, end, schema_id, name, path, is_relative),) = attached.table("ducklake_table")
    assert uuid == UUID(shop.table("orders").inspect.uuid)
    assert (table_id, begin, end, schema_id, name, path, is_relative) == (1, 1, None, 0, "orders", "orders/", True)
    assert is_relative is True
    assert [row[1].tzinfo for row in attached.table("ducklake_snapshot")] == [UTC] * 3


def test_what_has_ended_shows_with_the_snapshot_that_ended_it(lake: Lake, shop: Catalog) -> None:
    attached = Attached("x", lake, shop)
    first, _ = shop.table("orders").storage.files()
    shop.table("orders").storage.delete_rows([NewDeleteFile(first.data_file_id, "d.parquet", 2, 20)])
    shop.table("orders").storage.remove_files([first.data_file_id])
    shop.table("orders").rename("sales")
    assert [(row[5], row[2], row[3]) for row in attached.table("ducklake_data_file")] == [
        ("a.parquet", 2, 4),
        ("b.parquet", 2, None),
    ]
    assert [(row[5], row[2], row[3]) for row in attached.table("ducklake_delete_file")] == [("d.parquet", 3, 4)]
    assert [(row[5], row[2], row[3]) for row in attached.table("ducklake_table")] == [
        ("orders", 1, 5),
        ("sales", 5, None),
    ]


def test_the_next_ids_are_those_after_what_the_lineage_had_given(lake: Lake, shop: Catalog) -> None:
    shop.views.create("v", "SELECT 1")
    attached = Attached("x", lake, shop)
    assert [(row[0], row[3], row[4]) for row in attached.table("ducklake_snapshot")] == [
        (0, 1, 0),
        (1, 2, 0),
        (2, 2, 2),
        (3, 3, 2),
    ]


def test_a_fork_shows_what_it_inherited_and_how_it_ended_for_it(lake: Lake, shop: Catalog) -> None:
    agent = shop.fork("agent")
    first, _ = agent.table("orders").storage.files()
    agent.table("orders").storage.remove_files([first.data_file_id])
    agent.table("orders").storage.append_files([NewDataFile("c.parquet", 1, 10)])
    shop.table("orders").storage.append_files([NewDataFile("later.parquet", 1, 10)])
    attached = Attached("x", lake, agent)
    ended = agent.snapshots()[-2].snapshot_id
    inherited = f"{lake.data_path}shop/main/orders"
    assert [(row[5], row[6], row[3]) for row in attached.table("ducklake_data_file")] == [
        (f"{inherited}/a.parquet", False, ended),
        (f"{inherited}/b.parquet", False, None),
        ("c.parquet", True, None),
    ]
    facts = {row[0]: row[1] for row in attached.table("ducklake_metadata")}
    assert facts["data_path"] == f"{lake.data_path}agent/"
    assert [row[5] for row in Attached("x", lake, shop).table("ducklake_data_file")] == [
        "a.parquet",
        "b.parquet",
        "later.parquet",
    ]


def test_no_row_of_a_tenant_shows_in_the_tables_of_another(lake: Lake, shop: Catalog) -> None:
    other = lake.create_catalog("other")
    other.schemas.create("secret_schema")
    other.create_table("secret_table", {"secret_column": "INTEGER"}, partition_by=["secret_column"])
    other.table("secret_table").storage.append_files(
        [NewDataFile("secret.parquet", 1, 10, partition_values=("secret_value",))]
    )
    other.table("secret_table").storage.insert_inlined([{"secret_column": "1"}])
    other.views.create("secret_view", "SELECT 'secret'")
    other.table("secret_table").alter.comment("secret comment")
    other.options.set("target_file_size", "77MB")
    secret = other.table("secret_table").table_id
    shop.fork("agent").table("orders").storage.insert_inlined([{"id": "8"}])
    for name in ("shop", "agent"):
        attached = Attached("x", lake, lake.catalog(name))
        told = {table: repr(attached.table(table)) for table in metadata_table_names(attached)}
        for table, text in told.items():
            assert "secret" not in text, (name, table)
            assert "77MB" not in text, (name, table)
        assert metadata_table(attached, f"ducklake_inlined_data_{secret}_2") is None
        assert all(row[0] != secret for row in attached.table("ducklake_table_stats"))
    assert "secret" in repr(Attached("x", lake, other).table("ducklake_table"))


def test_a_catalog_at_a_snapshot_shows_its_metadata_of_then(lake: Lake, shop: Catalog) -> None:
    first, _ = shop.table("orders").storage.files()
    then = shop.head
    shop.table("orders").storage.remove_files([first.data_file_id])
    shop.create_table("late", {"i": "INTEGER"})
    attached = Attached("x", lake, shop.at(version=then))
    assert [(row[5], row[3]) for row in attached.table("ducklake_data_file")] == [
        ("a.parquet", None),
        ("b.parquet", None),
    ]
    assert [row[5] for row in attached.table("ducklake_table")] == ["orders"]
    assert [row[0] for row in attached.table("ducklake_snapshot")] == [0, 1, 2]
    assert attached.table("ducklake_table_stats") == [(1, 15, 15, 150)]


def test_a_transaction_shows_the_metadata_that_it_began_with(lake: Lake, shop: Catalog) -> None:
    with shop.transaction() as txn:
        txn.create_table("own", {"i": "INTEGER"})
        shop.create_table("others", {"i": "INTEGER"})
        assert [row[5] for row in Attached("x", lake, shop, txn).table("ducklake_table")] == ["orders"]
    assert [row[5] for row in Attached("x", lake, shop).table("ducklake_table")] == ["orders", "others", "own"]


def test_statistics_of_a_table_show_once_it_had_rows(lake: Lake, shop: Catalog) -> None:
    shop.create_table("empty", {"i": "INTEGER"})
    attached = Attached("x", lake, shop)
    assert attached.table("ducklake_table_stats") == [(1, 15, 15, 150)]
    agent = shop.fork("agent")
    agent.create_table("new", {"i": "INTEGER"})
    assert Attached("x", lake, agent).table("ducklake_table_stats") == [(1, 15, 15, 150)]


def test_inlined_rows_are_in_a_table_for_each_schema_version_of_their_table(lake: Lake, shop: Catalog) -> None:
    shop.table("orders").storage.insert_inlined([{"id": "1", "price": "1.50"}, {"id": "2"}])
    shop.table("orders").alter.add_column(("day", "DATE"))
    shop.table("orders").storage.insert_inlined([{"id": "3", "day": "2020-01-02"}])
    shop.table("orders").storage.delete_inlined([15])
    attached = Attached("x", lake, shop)
    assert attached.table("ducklake_inlined_data_tables") == [
        (1, "ducklake_inlined_data_1_1", 1),
        (1, "ducklake_inlined_data_1_2", 2),
    ]
    first = metadata_table(attached, "ducklake_inlined_data_1_1")
    assert first is not None
    assert [(column.name, column.type.name) for column in first.columns] == [
        ("row_id", "int64"),
        ("begin_snapshot", "int64"),
        ("end_snapshot", "int64"),
        ("id", "int32"),
        ("price", "decimal(10,2)"),
    ]
    assert first.rows == [(15, 3, 6, 1, Decimal("1.50")), (16, 3, None, 2, None)]
    assert attached.table("ducklake_inlined_data_1_2") == [(17, 5, None, 3, None, date(2020, 1, 2))]
    assert "ducklake_inlined_data_1_2" in metadata_table_names(attached)


def test_a_table_whose_rows_are_inlined_has_an_inlined_table_before_the_first(lake: Lake, shop: Catalog) -> None:
    shop.schemas.create("side")
    shop.create_table("notes", {"id": "INTEGER"}, schema="side")
    shop.create_table("shapes", {"g": "GEOMETRY"}, schema="side")
    attached = Attached("x", lake, shop)
    shop.options.set("data_inlining_row_limit", "10", schema="side")
    notes = shop.table("notes", schema="side").table_id
    assert [row[0] for row in attached.table("ducklake_inlined_data_tables")] == [notes]
    (name,) = [row[1] for row in attached.table("ducklake_inlined_data_tables")]
    assert attached.table(name) == []
    shop.options.set("data_inlining_row_limit", "0", table="notes", schema="side")
    assert attached.table("ducklake_inlined_data_tables") == []


def test_a_fork_ends_inherited_inlined_rows_for_itself_alone(lake: Lake, shop: Catalog) -> None:
    shop.table("orders").storage.insert_inlined([{"id": "1"}])
    agent = shop.fork("agent")
    agent.table("orders").storage.delete_inlined([15])
    ended = agent.head
    assert Attached("x", lake, agent).table("ducklake_inlined_data_1_1") == [(15, 3, ended, 1, None)]
    assert Attached("x", lake, shop).table("ducklake_inlined_data_1_1") == [(15, 3, None, 1, None)]


def test_deletes_that_are_kept_in_the_metadata_are_in_a_table_of_their_own(lake: Lake, shop: Catalog) -> None:
    _, second = shop.table("orders").storage.files()
    shop.table("orders").storage.inline_deletes({second.data_file_id: [4, 2]})
    attached = Attached("x", lake, shop)
    file = second.data_file_id
    assert sorted(attached.table("ducklake_inlined_delete_1")) == [(file, 2, 3), (file, 4, 3)]
    found = metadata_table(attached, "ducklake_inlined_delete_1")
    assert found is not None
    assert [column.name for column in found.columns] == ["file_id", "row_id", "begin_snapshot"]
    assert "ducklake_inlined_delete_1" in metadata_table_names(attached)


def test_options_show_with_their_scope(lake: Lake, shop: Catalog) -> None:
    lake.options.set("parquet_version", "1")
    shop.options.set("parquet_compression", "zstd", table="orders")
    shop.options.set("parquet_compression", "gzip")
    assert Attached("x", lake, shop).table("ducklake_metadata") == [
        ("version", "1.0", None, None),
        ("created_by", "forklake", None, None),
        ("data_path", f"{lake.data_path}shop/", None, None),
        ("encrypted", "false", None, None),
        ("parquet_compression", "gzip", None, None),
        ("parquet_version", "V1", None, None),
        ("parquet_compression", "zstd", "table", 1),
    ]


def test_what_was_flushed_is_no_inlined_row_or_delete_any_more(lake: Lake, shop: Catalog) -> None:
    shop.create_table("notes", {"id": "INTEGER"})
    shop.table("notes").storage.insert_inlined([{"id": "1"}])
    attached = Attached("x", lake, shop)
    (notes,) = [row[0] for row in attached.table("ducklake_inlined_data_tables")]
    begun = shop.head
    assert attached.rows("flush_inlined_data", table_name="notes") == [("main", "notes", 1)]
    assert attached.rows("flush_inlined_data") == []
    ((row_id, begin, end, value),) = attached.table(f"ducklake_inlined_data_{notes}_2")
    assert (row_id, begin, end, value) == (0, begun, shop.head, 1)
    (flushed,) = [row for row in attached.table("ducklake_data_file") if row[1] == notes]
    (file,) = shop.table("notes").storage.files()
    shop.table("notes").storage.inline_deletes({file.data_file_id: [0]})
    assert attached.table(f"ducklake_inlined_delete_{notes}") == [(flushed[0], 0, shop.head)]
    attached.rows("flush_inlined_data", table_name="main.notes")
    assert attached.table(f"ducklake_inlined_delete_{notes}") == []


def test_a_table_that_is_gone_leaves_no_totals(lake: Lake, shop: Catalog) -> None:
    attached = Attached("x", lake, shop)
    assert len(attached.table("ducklake_table_stats")) == 1
    shop.drop_table("orders")
    assert len(attached.table("ducklake_table_stats")) == 1
    shop.maintenance.expire_snapshots(versions=[one.snapshot_id for one in shop.snapshots()[:-1]])
    assert [attached.table(name) for name in ("ducklake_table", "ducklake_table_stats")] == [[], []]
