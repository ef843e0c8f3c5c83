"""What the metadata holds of a table goes into files, and nothing else is seen to change."""

from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from forklake import Catalog, ColumnDefinition, FlushedTable, Lake, PartitionField, SortKey
from forklake.errors import IncompleteError, InvalidInputError, NotFoundError, SnapshotNotFoundError
from tests.rows.arrow_hands import ArrowHands

ROW_ID, SNAPSHOT_ID = "_ducklake_internal_row_id", "_ducklake_internal_snapshot_id"


def held(catalog: Catalog, table: str = "t") -> list[tuple[Any, ...]]:
    """Return the rows of a table's files as these hold them, in their order."""
    found: list[tuple[Any, ...]] = []
    for file in catalog.table(table).storage.files():
        read = pq.read_table(file.path)
        found += zip(*(read.column(name).to_pylist() for name in read.column_names), strict=True)
    return found


def inlined(catalog: Catalog, table: str = "t") -> list[tuple[int, dict[str, str | None]]]:
    return [(row.row_id, dict(row.values)) for row in catalog.table(table).storage.inlined_rows()]


def counts(flushed: list[FlushedTable]) -> list[tuple[str, str, int]]:
    return [(each.schema_name, each.table_name, each.row_count) for each in flushed]


def shop_with_rows(lake: Lake) -> Catalog:
    """Return a catalog whose table has the rows 1, a and 3, c of the snapshots 2 and 3; 2, b is deleted."""
    shop = lake.create_catalog("shop")
    shop.create_table("t", {"i": "INTEGER", "v": "VARCHAR"})
    shop.table("t").storage.insert_inlined([{"i": "1", "v": "a"}, {"i": "2", "v": "b"}])
    shop.table("t").storage.insert_inlined([{"i": "3", "v": "c"}])
    shop.table("t").storage.delete_inlined([1])
    return shop


def test_rows_go_into_a_file_with_their_ids_and_snapshots_and_the_past_keeps_them(lake: Lake) -> None:
    shop = shop_with_rows(lake)
    before, stats = shop.head, shop.table("t").inspect.stats
    assert counts(shop.maintenance.flush_inlined()) == [("main", "t", 2)]
    first = shop.snapshots()[2].snapshot_id
    assert held(shop) == [(1, "a", 0, first), (3, "c", 2, first + 1)]
    assert inlined(shop) == []
    assert [row_id for row_id, _ in inlined(shop.at(version=before))] == [0, 2]
    assert shop.at(version=before).table("t").storage.files() == []
    after = shop.table("t").inspect.stats
    assert (after.record_count, after.next_row_id) == (stats.record_count, stats.next_row_id)
    assert after.file_size_bytes == shop.table("t").storage.files()[0].file_size_bytes
    assert shop.snapshots()[-1].changes_made == f"inline_flush:{shop.table('t').table_id}"


def test_a_dry_run_tells_what_would_be_flushed_and_a_flush_what_it_wrote(lake: Lake) -> None:
    shop = shop_with_rows(lake)
    shop.maintenance.flush_inlined()
    (file,) = shop.table("t").storage.files()
    shop.table("t").storage.inline_deletes({file.data_file_id: [0]})
    shop.table("t").storage.insert_inlined([{"i": "4", "v": "d"}])
    before, seen = shop.head, list[tuple[str, int, int]]()
    assert shop.maintenance.flush_inlined(dry_run=True) == [FlushedTable("main", "t", 1, 1)]
    assert shop.head == before
    (done,) = shop.maintenance.flush_inlined(progress=lambda *step: seen.append(step))
    assert (done.row_count, done.delete_count, done.files_created) == (1, 1, 2)
    files = shop.table("t").storage.files()
    deletes = [found.delete_file.file_size_bytes for found in files if found.delete_file is not None]
    assert done.bytes_created == files[1].file_size_bytes + sum(deletes)
    assert seen == [('"main"."t"', 0, 1), ('"main"."t"', 1, 1)]
    assert shop.maintenance.flush_inlined(dry_run=True) == []


def test_a_table_that_fails_does_not_stop_the_others(lake: Lake) -> None:
    shop = shop_with_rows(lake)
    for name in ("a", "z"):
        shop.create_table(name, {"i": "INTEGER"}).storage.insert_inlined([{"i": "1"}])
    directory = Path(lake.data_path or "") / "shop" / "main"
    directory.mkdir(parents=True, exist_ok=True)
    (directory / "t").write_text("no directory")
    with pytest.raises(IncompleteError, match=r'1 table was not flushed; the others were: "main"\."t": ') as failed:
        shop.maintenance.flush_inlined()
    assert counts(list(failed.value.done)) == [("main", "a", 1), ("main", "z", 1)]
    assert [len(inlined(shop, name)) for name in ("a", "t", "z")] == [0, 2, 0]
    (directory / "t").unlink()
    assert counts(shop.maintenance.flush_inlined()) == [("main", "t", 2)]


def test_nothing_to_flush_makes_no_snapshot(lake: Lake) -> None:
    shop = shop_with_rows(lake)
    shop.create_table("empty", {"i": "INTEGER"})
    before = shop.head
    assert shop.maintenance.flush_inlined(table="empty") == []
    assert shop.table("empty").storage.flush_inlined().row_count == 0
    assert shop.head == before
    assert shop.table("t").storage.flush_inlined().row_count == 2
    assert shop.maintenance.flush_inlined() == []
    assert shop.head == before + 1


def test_all_tables_are_flushed_by_one_snapshot_but_those_that_are_not_to_be_compacted(lake: Lake) -> None:
    shop = shop_with_rows(lake)
    shop.schemas.create("s")
    for schema, name in (("s", "u"), ("main", "quiet")):
        shop.create_table(name, {"i": "INTEGER"}, schema=schema)
        shop.table(name, schema=schema).storage.insert_inlined([{"i": "1"}])
    shop.options.set("auto_compact", "false", table="quiet")
    before = shop.head
    assert counts(shop.maintenance.flush_inlined(schema="s")) == [("s", "u", 1)]
    shop.table("u", schema="s").storage.insert_inlined([{"i": "2"}])
    assert counts(shop.maintenance.flush_inlined()) == [("main", "t", 2), ("s", "u", 1)]
    assert shop.head == before + 3
    assert counts(shop.maintenance.flush_inlined(table="quiet")) == [("main", "quiet", 1)]


def test_what_is_not_there_is_not_flushed(lake: Lake) -> None:
    shop = shop_with_rows(lake)
    with pytest.raises(NotFoundError, match='"nothing"'):
        shop.maintenance.flush_inlined(table="nothing")
    with pytest.raises(NotFoundError, match='"nowhere"'):
        shop.maintenance.flush_inlined(schema="nowhere")


def test_files_are_sorted_and_partitioned_as_the_table_is(lake: Lake) -> None:
    shop = lake.create_catalog("shop")
    shop.create_table(
        "t", {"k": "VARCHAR", "i": "INTEGER"}, partition_by=[PartitionField("k")], sort_by=[SortKey("i", "DESC")]
    )
    shop.options.set("sort_on_insert", "false")
    shop.table("t").storage.insert_inlined(
        [{"k": k, "i": str(i)} for k, i in (("a", 1), ("b", 2), ("a", 3), (None, 4), ("b", 5))]
    )
    shop.maintenance.flush_inlined()
    by_partition = {
        file.partition_values: pq.read_table(file.path).column("i").to_pylist()
        for file in shop.table("t").storage.files()
    }
    assert by_partition == {("a",): [3, 1], ("b",): [5, 2], (None,): [4]}


def test_rows_get_the_columns_that_the_table_has_now(lake: Lake) -> None:
    shop = lake.create_catalog("shop")
    point = ColumnDefinition("p", "struct", children=(ColumnDefinition("x", "int32"), ColumnDefinition("y", "int32")))
    shop.create_table("t", [ColumnDefinition("i", "int32"), ColumnDefinition("gone", "varchar"), point])
    shop.table("t").storage.insert_inlined([{"i": "1", "gone": "g", "p": "{'x': 1, 'y': 2}"}, {"i": "2"}])
    shop.table("t").alter.drop_column("gone")
    shop.table("t").alter.rename_column("i", "id")
    shop.table("t").alter.set_type("id", "BIGINT")
    shop.table("t").alter.rename_column("p.x", "z")
    shop.table("t").alter.add_column(ColumnDefinition("d", "varchar", default="new"))
    shop.table("t").storage.insert_inlined([{"id": "3", "d": None}])
    shop.maintenance.flush_inlined()
    read = pq.read_table(shop.table("t").storage.files()[0].path)
    assert read.column_names[:3] == ["id", "p", "d"]
    assert read.column("id").to_pylist() == [1, 2, 3]
    assert read.column("p").to_pylist() == [{"z": 1, "y": 2}, None, None]
    assert read.column("d").to_pylist() == ["new", "new", None]


def test_a_fork_flushes_for_itself_and_so_does_its_parent(lake: Lake) -> None:
    shop = shop_with_rows(lake)
    one, other = shop.fork("one"), shop.fork("other")
    assert counts(one.maintenance.flush_inlined()) == [("main", "t", 2)]
    assert [row[:3] for row in held(one)] == [(1, "a", 0), (3, "c", 2)]
    assert inlined(one) == []
    assert (len(inlined(shop)), len(inlined(other))) == (2, 2)
    shop.maintenance.flush_inlined()
    assert inlined(shop) == []
    assert (len(inlined(other)), held(other)) == (2, [])
    later = shop.fork("later")
    assert (held(later), inlined(later)) == (held(shop), [])
    one.table("t").storage.insert_inlined([{"i": "4", "v": "d"}])
    assert one.table("t").storage.flush_inlined().row_count == 1
    assert [file.owner_id for file in one.table("t").storage.files()] == [one.catalog_id] * 2


def test_a_transaction_flushes_what_was_committed_and_may_add_rows(lake: Lake) -> None:
    shop = shop_with_rows(lake)
    with shop.transaction() as transaction:
        transaction.table("t").storage.insert_inlined([{"i": "4", "v": "d"}])
        assert counts(transaction.maintenance.flush_inlined()) == [("main", "t", 2)]
        assert transaction.table("t").storage.flush_inlined().row_count == 0
        assert [row.row_id for row in transaction.table("t").storage.inlined_rows()] == [3]
    assert [row_id for row_id, _ in inlined(shop)] == [3]
    table = shop.table("t").table_id
    assert shop.snapshots()[-1].changes_made == f"inlined_insert:{table},inline_flush:{table}"


def test_a_transaction_that_is_rolled_back_leaves_no_file(lake: Lake) -> None:
    shop = shop_with_rows(lake)
    with pytest.raises(ZeroDivisionError), shop.transaction() as transaction:  # noqa: PT012 - it is rolled back there
        transaction.maintenance.flush_inlined()
        (path,) = (file.path for file in transaction.table("t").storage.files())
        raise ZeroDivisionError
    assert len(inlined(shop)) == 2
    with pytest.raises(FileNotFoundError):
        pq.read_table(path)


def test_flushed_rows_are_not_deleted_by_the_same_transaction(lake: Lake) -> None:
    shop = shop_with_rows(lake)
    with shop.transaction() as transaction:
        transaction.table("t").storage.delete_inlined([0])
        with pytest.raises(InvalidInputError, match="cannot be flushed"):
            transaction.maintenance.flush_inlined()
    with shop.transaction() as transaction:
        transaction.maintenance.flush_inlined()
        (file,) = transaction.table("t").storage.files()
        with pytest.raises(InvalidInputError, match="flushed"):
            transaction.table("t").storage.remove_files([file.data_file_id])


def test_a_flush_meets_a_concurrent_alter_and_is_refused(lake: Lake) -> None:
    shop = shop_with_rows(lake)
    transaction = shop.transaction()
    transaction.maintenance.flush_inlined()
    shop.table("t").alter.rename_column("v", "w")
    with pytest.raises(Exception, match="altered"):
        transaction.commit()
    assert len(inlined(shop)) == 2


def test_a_flush_and_a_concurrent_insert_do_not_disturb_each_other(lake: Lake) -> None:
    shop = shop_with_rows(lake)
    transaction = shop.transaction()
    transaction.maintenance.flush_inlined()
    shop.table("t").storage.insert_inlined([{"i": "9", "v": "z"}])
    transaction.commit()
    assert [row_id for row_id, _ in inlined(shop)] == [3]
    assert [row[2] for row in held(shop)] == [0, 2]


def test_deletes_go_into_a_file_with_their_snapshots_and_stay_told_where_they_were(lake: Lake) -> None:
    shop = lake.create_catalog("shop")
    shop.create_table("t", {"i": "INTEGER"})
    shop.table("t").append([{"i": number} for number in range(10)])
    (file,) = shop.table("t").storage.files()
    for positions in ([1], [5, 2]):
        shop.table("t").storage.inline_deletes({file.data_file_id: positions})
    first, second = (snapshot.snapshot_id for snapshot in shop.snapshots()[-2:])
    shop.maintenance.flush_inlined()
    shop.table("t").storage.inline_deletes({file.data_file_id: [7]})
    third = shop.head
    told = feed(shop, first)
    assert [(snapshot, row_id, kind) for snapshot, row_id, kind, _ in told] == [
        (first, 1, "delete"),
        (second, 2, "delete"),
        (second, 5, "delete"),
        (third, 7, "delete"),
    ]
    shop.maintenance.flush_inlined()
    held = shop.table("t").storage.files()[0].delete_file
    assert held is not None
    read = pq.read_table(held.path)
    assert read.column("pos").to_pylist() == [1, 2, 5, 7]
    assert read.column(SNAPSHOT_ID).to_pylist() == [first, second, second, third]
    assert feed(shop, first) == told


def test_a_flush_tells_no_deletes_when_what_was_before_it_is_gone(lake: Lake) -> None:
    shop = lake.create_catalog("shop")
    shop.create_table("t", {"i": "INTEGER"})
    shop.table("t").append([{"i": number} for number in range(10)])
    (file,) = shop.table("t").storage.files()
    shop.table("t").storage.inline_deletes({file.data_file_id: [1]})
    shop.maintenance.flush_inlined()
    first = shop.head
    shop.table("t").append([{"i": 10}])
    shop.maintenance.expire_snapshots(versions=[one.snapshot_id for one in shop.snapshots()[:-2]])
    with pytest.raises(SnapshotNotFoundError, match="has expired"):
        feed(shop, first)
    assert [row[1:3] for row in feed(shop, shop.head)] == [(10, "insert")]


def test_many_rows_are_flushed_in_order(lake: Lake) -> None:
    shop = lake.create_catalog("shop")
    shop.create_table("t", {"i": "INTEGER"})
    shop.table("t").storage.insert_inlined([{"i": str(number)} for number in range(21_000)])
    assert shop.table("t").storage.flush_inlined().row_count == 21_000
    assert [row[:2] for row in held(shop)] == [(number, number) for number in range(21_000)]


def feed(catalog: Catalog, first: int) -> list[tuple[Any, ...]]:
    """Return the changes from a snapshot on."""
    return sorted(ArrowHands(0).feed(catalog.table("t"), first, catalog.head), key=repr)
