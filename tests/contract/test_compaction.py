"""Files of a table are replaced by fewer, or by files without deleted rows, and nothing else is seen to change."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from forklake import Catalog, ColumnDefinition, CompactedFiles, Lake, PartitionField, Settings, SortKey, Transaction
from forklake.errors import CommitConflictError, DataFileError, IncompleteError, InvalidInputError, NotFoundError
from tests.contract.support import last
from tests.lakes import IMPATIENT, LakeFactory

ROW_ID, SNAPSHOT_ID = "_ducklake_internal_row_id", "_ducklake_internal_snapshot_id"
Act = Callable[[Transaction], object]

ON_SQLITE = pytest.mark.parametrize("lake_factory", ["sqlite"], indirect=True)
"""For what does not depend on the database."""


def rows(first: int, count: int = 10) -> pa.Table:
    return pa.table({"i": pa.array(range(first, first + count), pa.int32()), "v": [f"v{n}" for n in range(count)]})


@pytest.fixture
def shop(lake: Lake) -> Catalog:
    return stocked(lake)


def stocked(lake: Lake) -> Catalog:
    """Return a catalog whose table has the rows 0 to 39, in four files."""
    shop = lake.create_catalog("shop")
    shop.create_table("t", {"i": "INTEGER", "v": "VARCHAR"})
    for first in range(0, 40, 10):
        shop.table("t").append(rows(first))
    return shop


def shown(catalog: Catalog, name: str = "t") -> list[tuple[Any, ...]]:
    """Return the rows of a table with their ids and snapshots."""
    table = catalog.table(name)
    read = table.arrow(["rowid", "snapshot_id", *(column.name for column in table.columns)])
    return sorted(zip(*(read.column(at).to_pylist() for at in range(read.num_columns)), strict=True), key=repr)


def files_on_disk(catalog: Catalog) -> set[str]:
    path = Path(catalog.table("t").storage.files()[0].path).parent
    return {str(found) for found in path.glob("**/*") if found.is_file()}


def file_ids(catalog: Catalog | Transaction) -> list[int]:
    return [file.data_file_id for file in catalog.table("t").storage.files()]


def test_small_files_become_one_that_begins_now_and_the_past_keeps_them(shop: Catalog) -> None:
    before, past, stats = shown(shop), shop.head, shop.table("t").inspect.stats
    sources = shop.table("t").storage.files()
    assert shop.maintenance.merge_adjacent_files(dry_run=True)[0].files_processed == 4
    assert shop.head == past
    (done,) = shop.maintenance.merge_adjacent_files()
    (file,) = shop.table("t").storage.files()
    byte_count = sum(source.file_size_bytes for source in sources)
    assert done == CompactedFiles("main", "t", 4, 1, byte_count, file.file_size_bytes, shop.head)
    assert last(shop).changes_made == f"merge_adjacent:{shop.table('t').table_id}"
    assert shown(shop) == before == shown(shop.at(version=past))
    assert shop.at(version=past).table("t").storage.files() == sources
    after = shop.table("t").inspect.stats
    assert (after.record_count, after.next_row_id) == (stats.record_count, stats.next_row_id)
    assert after.file_size_bytes == file.file_size_bytes
    assert file.partial_max == past
    held = pq.read_table(file.path)
    assert held.column_names == ["i", "v", ROW_ID, SNAPSHOT_ID]
    assert held.column(ROW_ID).to_pylist() == list(range(40))
    assert len(set(held.column(SNAPSHOT_ID).to_pylist())) == 4
    assert shop.maintenance.merge_adjacent_files() == []
    assert shop.head == done.snapshot_id


def test_a_fork_writes_its_own_and_the_parent_keeps_its_files(shop: Catalog) -> None:
    fork = shop.fork("fork")
    fork.table("t").append(rows(40))
    before, sources = shown(fork), shop.table("t").storage.files()
    assert [done.files_processed for done in fork.maintenance.merge_adjacent_files()] == [5]
    (file,) = fork.table("t").storage.files()
    assert file.owner_id == fork.catalog_id
    assert shown(fork) == before
    assert shop.table("t").storage.files() == sources
    later = shop.fork("later")
    assert later.table("t").storage.files() == sources
    shop.maintenance.merge_adjacent_files()
    assert later.table("t").storage.files() == sources
    assert shown(later) == shown(shop)
    assert shown(fork) == before


def test_files_lose_their_deleted_rows_from_a_threshold_on(shop: Catalog) -> None:
    table = shop.table("t")
    first, second, third, _ = file_ids(shop)
    table.storage.inline_deletes({first: range(10), second: [0], third: range(5)})
    before, past = shown(shop), shop.head
    assert [done.files_processed for done in shop.maintenance.rewrite_data_files(dry_run=True)] == [1]
    (gone,) = shop.maintenance.rewrite_data_files("t")
    assert (gone.files_processed, gone.files_created, gone.bytes_after) == (1, 0, 0)
    assert last(shop).changes_made == f"rewrite_delete:{table.table_id}"
    assert table.inspect.stats.record_count == 30
    shop.options.set("rewrite_delete_threshold", 0.5, table="t")
    (half,) = shop.maintenance.rewrite_data_files()
    assert (half.files_processed, half.files_created) == (1, 1)
    assert table.inspect.stats.record_count == 25
    (all_others,) = shop.maintenance.rewrite_data_files(delete_threshold=0)
    assert (all_others.files_processed, all_others.files_created) == (1, 1)
    assert table.inspect.stats.record_count == 24
    assert shown(shop) == before == shown(shop.at(version=past))
    assert [file.inlined_deletes for file in table.storage.files()] == [()] * 3


@ON_SQLITE
def test_partitions_stay_apart_and_sorted_files_follow_each_other(lake: Lake) -> None:
    shop = lake.create_catalog("shop")
    shop.create_table(
        "t", {"k": "VARCHAR", "i": "INTEGER"}, partition_by=[PartitionField("k")], sort_by=[SortKey("i", "DESC")]
    )
    for first in range(4):
        shop.table("t").append(
            pa.table({"k": ["a", "b", None] * 4, "i": pa.array(range(first, first + 48, 4), pa.int32())})
        )
    before = shown(shop)
    shop.options.set("sort_on_insert", "false")
    done = shop.maintenance.merge_adjacent_files()
    assert [(one.files_processed, one.files_created) for one in done] == [(4, 1)] * 3
    assert shown(shop) == before
    files = shop.table("t").storage.files()
    assert sorted(file.partition_values for file in files if file.partition_values[0]) == [("a",), ("b",)]
    assert "/k=a/" in next(file.path for file in files if file.partition_values == ("a",))
    for file in files:
        values = pq.read_table(file.path).column("i").to_pylist()
        assert values == sorted(values, reverse=True)
    condition = "k = 'a'"
    assert shop.table("t").inspect.plan(condition).file_count == 1


@ON_SQLITE
def test_ranges_of_a_sorted_tables_files_do_not_overlap(lake: Lake) -> None:
    shop = lake.create_catalog("shop")
    shop.create_table("t", {"i": "INTEGER"}, sort_by=[SortKey("i")])
    for first in range(8):
        shop.table("t").append(pa.table({"i": pa.array(range(first, 800, 8), pa.int32())}))
    size = shop.table("t").storage.files()[0].file_size_bytes
    shop.options.set("target_file_size", str(size * 4))
    (done,) = shop.maintenance.merge_adjacent_files()
    assert (done.files_processed, done.files_created) == (8, 2)
    held = [pq.read_table(file.path).column("i").to_pylist() for file in shop.table("t").storage.files()]
    assert held == [list(range(400)), list(range(400, 800))]


@ON_SQLITE
def test_files_of_an_earlier_partitioning_keep_it(shop: Catalog) -> None:
    table = shop.table("t")
    table.alter.set_partitioning(["v"])
    table.append(pa.table({"i": pa.array([1], pa.int32()), "v": ["x"]}))
    table.append(pa.table({"i": pa.array([2], pa.int32()), "v": ["x"]}))
    table.alter.set_partitioning(["i"])
    before = shown(shop)
    done = shop.maintenance.merge_adjacent_files()
    assert [one.files_processed for one in done] == [4, 2]
    assert shown(shop) == before
    assert [file.partition_values for file in table.storage.files()] == [(), ("x",)]
    assert table.inspect.plan("v = 'y'").pruned[0].reason == "partition"


@ON_SQLITE
def test_columns_that_changed_are_written_as_they_are_now(shop: Catalog) -> None:
    table = shop.table("t")
    table.alter.add_column(ColumnDefinition("d", "int32"))
    table.append(pa.table({"i": pa.array([100], pa.int32()), "v": ["a"], "d": pa.array([1], pa.int32())}))
    before = shown(shop)
    assert [one.files_processed for one in shop.maintenance.merge_adjacent_files()] == [5]
    assert shown(shop) == before
    table.alter.rename_column("i", "id")
    table.alter.set_type("id", "BIGINT")
    table.alter.drop_column("v")
    table.append(pa.table({"id": [200], "d": pa.array([1], pa.int32())}))
    before = shown(shop)
    assert shop.maintenance.merge_adjacent_files() == []  # one file of either kind
    table.append(pa.table({"id": [201], "d": pa.array([1], pa.int32())}))
    shop.maintenance.merge_adjacent_files()
    assert [row for row in shown(shop) if row[2] != 201] == before


@ON_SQLITE
def test_fields_that_were_dropped_are_left_behind(lake: Lake) -> None:
    shop = lake.create_catalog("shop")
    shop.create_table("t", {"s": "STRUCT(x INTEGER, y VARCHAR)"})
    for number in range(2):
        shop.table("t").append([{"s": {"x": number, "y": "a"}}, {"s": None}])
    shop.table("t").alter.drop_column("s.x")
    before = shown(shop)
    assert [one.files_processed for one in shop.maintenance.merge_adjacent_files()] == [2]
    assert shown(shop) == before


@ON_SQLITE
def test_flushed_and_updated_rows_keep_their_ids_and_snapshots(lake: Lake) -> None:
    shop = lake.create_catalog("shop")
    shop.create_table("t", {"i": "INTEGER", "v": "VARCHAR"})
    shop.table("t").storage.insert_inlined([{"i": "1", "v": "a"}, {"i": "2", "v": "b"}])
    shop.table("t").storage.insert_inlined([{"i": "3", "v": "c"}])
    shop.maintenance.flush_inlined()
    shop.table("t").append(rows(10))
    before = shown(shop)
    shop.maintenance.merge_adjacent_files()
    assert shown(shop) == before
    assert len({snapshot for _, snapshot, *_ in before}) == 3


@ON_SQLITE
def test_what_is_named_is_compacted_and_what_is_quiet_is_not(shop: Catalog) -> None:
    shop.schemas.create("s")
    for schema, name in (("s", "u"), ("main", "quiet")):
        shop.create_table(name, {"i": "INTEGER", "v": "VARCHAR"}, schema=schema)
        for first in (0, 10):
            shop.table(name, schema=schema).append(rows(first))
    shop.options.set("auto_compact", "false", table="quiet")
    told: list[tuple[str, int, int]] = []
    found = shop.maintenance.merge_adjacent_files(dry_run=True, progress=lambda *step: told.append(step))
    assert [(one.schema_name, one.table_name) for one in found] == [("main", "t"), ("s", "u")]
    assert told == [('"main"."t"', 0, 2), ('"s"."u"', 1, 2), ('"s"."u"', 2, 2)]
    assert [one.table_name for one in shop.maintenance.merge_adjacent_files(schema="s")] == ["u"]
    assert [one.table_name for one in shop.maintenance.merge_adjacent_files("main.quiet")] == ["quiet"]
    with pytest.raises(NotFoundError, match='"nothing"'):
        shop.maintenance.merge_adjacent_files("nothing")
    with pytest.raises(NotFoundError, match='"nowhere"'):
        shop.maintenance.rewrite_data_files(schema="nowhere")
    with pytest.raises(InvalidInputError, match="read-only"):
        shop.at(version=shop.head).maintenance.merge_adjacent_files()


@ON_SQLITE
def test_one_tables_failure_does_not_stop_the_others(shop: Catalog) -> None:
    for name in ("a", "z"):
        shop.create_table(name, {"i": "INTEGER", "v": "VARCHAR"})
        for first in (0, 10):
            shop.table(name).append(rows(first))
    Path(shop.table("t").storage.files()[1].path).unlink()
    left = files_on_disk(shop)
    with pytest.raises(IncompleteError, match=r'1 table was not compacted; the others were: "main"\."t": ') as failed:
        shop.maintenance.merge_adjacent_files()
    assert [one.table_name for one in failed.value.done] == ["a", "z"]
    assert [title for title, _ in failed.value.failures] == ['"main"."t"']
    assert isinstance(failed.value.failures[0][1], DataFileError)
    assert [len(shop.table(name).storage.files()) for name in ("a", "t", "z")] == [1, 4, 1]
    assert files_on_disk(shop) == left
    with pytest.raises(DataFileError):
        shop.maintenance.merge_adjacent_files("t")


# ---- transactions ----------------------------------------------------------------------------------------------------


def test_a_transaction_makes_changes_or_compacts(shop: Catalog) -> None:
    words = "Transactions can either make changes OR perform compaction - not both"
    left = files_on_disk(shop)
    with shop.transaction() as transaction:
        transaction.table("t").storage.insert_inlined([{"i": "1"}])
        with pytest.raises(InvalidInputError, match=words):
            transaction.maintenance.merge_adjacent_files("t")
        assert files_on_disk(shop) == left
    with shop.transaction() as transaction:
        assert len(transaction.maintenance.merge_adjacent_files()) == 1
        with pytest.raises(InvalidInputError, match=words):
            transaction.table("t").storage.insert_inlined([{"i": "1"}])
        assert len(file_ids(transaction)) == 1
        assert transaction.maintenance.merge_adjacent_files() == []
    assert len(file_ids(shop)) == 1


@ON_SQLITE
def test_a_compaction_that_is_rolled_back_leaves_no_file(shop: Catalog) -> None:
    left = files_on_disk(shop)
    transaction = shop.transaction()
    transaction.maintenance.merge_adjacent_files()
    assert len(files_on_disk(shop)) == len(left) + 1
    transaction.rollback()
    assert files_on_disk(shop) == left


def merge(transaction: Transaction) -> None:
    transaction.maintenance.merge_adjacent_files("t")


def append(transaction: Transaction) -> None:
    transaction.table("t").append(rows(100))


def insert_inlined(transaction: Transaction) -> None:
    transaction.table("t").storage.insert_inlined([{"i": "5", "v": "x"}])


def delete(transaction: Transaction) -> None:
    transaction.table("t").storage.remove_files([transaction.table("t").storage.files()[0].data_file_id])


def delete_inlined(transaction: Transaction) -> None:
    transaction.table("t").storage.inline_deletes({transaction.table("t").storage.files()[0].data_file_id: [3]})


def delete_elsewhere(transaction: Transaction) -> None:
    """Delete a row of a file that is too large to be merged."""
    largest = max(transaction.table("t").storage.files(), key=lambda file: file.file_size_bytes)
    transaction.table("t").storage.inline_deletes({largest.data_file_id: [3]})


def rename_column(transaction: Transaction) -> None:
    transaction.table("t").alter.rename_column("i", "id")


def add_column(transaction: Transaction) -> None:
    transaction.table("t").alter.add_column(ColumnDefinition("d", "int32", default="7"))


def retype(transaction: Transaction) -> None:
    transaction.table("t").alter.set_type("i", "BIGINT")


def drop_column(transaction: Transaction) -> None:
    transaction.table("t").alter.drop_column("v")


def partition(transaction: Transaction) -> None:
    transaction.table("t").alter.set_partitioning(["v"])


def drop(transaction: Transaction) -> None:
    transaction.table("t").drop()


def meet(catalog: Catalog, first: Act, second: Act) -> None:
    """Let both act on the same base; the first is committed first."""
    with catalog.transaction() as one:
        other = catalog.transaction()
        first(one)
        second(other)
    other.commit()


_COMPACT = 'Transaction conflict - attempting to compact table with index "1" - but another transaction has '


@pytest.mark.parametrize("is_first", [True, False])
@pytest.mark.parametrize("theirs", [append, rename_column])
def test_a_compaction_and_what_touches_no_source_follow_each_other(shop: Catalog, theirs: Act, is_first: bool) -> None:
    check_both_are_done(shop, theirs, is_first=is_first)


@ON_SQLITE
@pytest.mark.parametrize("is_first", [True, False])
@pytest.mark.parametrize("theirs", [insert_inlined, add_column, retype, drop_column, partition])
def test_a_compaction_and_any_alteration_follow_each_other(shop: Catalog, theirs: Act, is_first: bool) -> None:
    check_both_are_done(shop, theirs, is_first=is_first)


def check_both_are_done(shop: Catalog, theirs: Act, *, is_first: bool) -> None:
    alone = shop.fork("alone")
    with alone.transaction() as transaction:
        theirs(transaction)
    meet(shop, *((theirs, merge) if is_first else (merge, theirs)))
    assert len([file for file in shop.table("t").storage.files() if file.partial_max is not None]) == 1
    assert values(shop) == values(alone)
    shop.maintenance.merge_adjacent_files()
    assert values(shop) == values(alone)


def values(catalog: Catalog) -> list[tuple[Any, ...]]:
    """Return the rows of the table without their ids and snapshots."""
    return sorted((row[2:] for row in shown(catalog)), key=repr)


@pytest.mark.parametrize(
    ("theirs", "message"),
    [
        (delete, _COMPACT + "deleted from it"),
        (drop, _COMPACT + "dropped it"),
        (merge, _COMPACT + "compacted it"),
        (delete_inlined, "Rows of data file 0 were deleted from .* since it was read"),
    ],
)
def test_a_compaction_whose_sources_are_gone_is_refused_and_leaves_no_file(
    shop: Catalog, theirs: Act, message: str
) -> None:
    assert shop.table("t").table_id == 1
    left = files_on_disk(shop)
    twin = shop.fork("twin")
    with pytest.raises(CommitConflictError, match=message):
        meet(shop, theirs, merge)
    assert last(shop).changes_made is not None
    assert files_on_disk(twin) - left == (
        {file.path for file in shop.table("t").storage.files()} if theirs is merge else set()
    )


@pytest.mark.parametrize(
    ("ours", "message"),
    [
        (delete, 'delete from table with index "1" - but another transaction has compacted it'),
        (delete_inlined, 'has changed what this one relies on: Data file with index "0" does not exist'),
        (drop, None),
    ],
)
def test_who_comes_after_a_compaction(shop: Catalog, ours: Act, message: str | None) -> None:
    if message is None:
        meet(shop, merge, ours)
        return
    with pytest.raises(CommitConflictError, match=message):
        meet(shop, merge, ours)


def test_a_delete_elsewhere_does_no_harm_to_a_compaction(shop: Catalog) -> None:
    shop.table("t").append(rows(1000, 5000))
    size = max(file.file_size_bytes for file in shop.table("t").storage.files())
    shop.options.set("target_file_size", str(size))
    before = shown(shop)
    meet(shop, delete_elsewhere, merge)
    meet(shop, merge, lambda transaction: None)
    assert [len(file.inlined_deletes) for file in shop.table("t").storage.files()] == [1, 0]
    assert len(shown(shop)) == len(before) - 1


@pytest.mark.parametrize(
    "compact",
    [
        lambda shop: shop.maintenance.merge_adjacent_files("t"),
        lambda shop: shop.sql("CALL shop.merge_adjacent_files()"),
        lambda shop: shop.sql("CHECKPOINT"),
    ],
    ids=["python", "sql", "checkpoint"],
)
def test_outside_of_a_transaction_a_compaction_is_not_run_again(
    lake_factory: LakeFactory, compact: Callable[[Catalog], object]
) -> None:
    """A delete comes between the reading and the commit."""
    steps: list[str] = []

    def interfere(step: str) -> None:
        steps.append(step)
        if step == "compact: files written":
            stock.table("t").storage.remove_files([file_ids(stock)[0]])

    with lake_factory.open(Settings(clock=IMPATIENT.clock, on_step=interfere)) as lake:
        stock = stocked(lake)
        left = files_on_disk(stock)
        with pytest.raises(CommitConflictError, match="deleted from it"):
            compact(stock)
        assert steps.count("compact: files written") == 1
        assert files_on_disk(stock) == left


def test_a_dry_run_of_a_checkpoint_tells_what_each_step_would_do(lake: Lake) -> None:
    shop = stocked(lake)
    shop.options.set("expire_older_than", "0 seconds")
    shop.options.set("delete_older_than", "0 seconds")
    shop.options.set("rewrite_delete_threshold", "0.5")
    shop.options.set("data_inlining_row_limit", "5")
    table = shop.table("t").storage
    table.inline_deletes({table.files()[0].data_file_id: range(6)})
    shop.table("t").append([{"i": 40, "v": "x"}])
    stray = Path(table.files()[0].path).with_name("stray.parquet")
    stray.write_bytes(b"not a file of ours")
    before, head, past = shown(shop), shop.head, [one.snapshot_id for one in shop.snapshots()]
    planned = {step.name: step.count for step in shop.maintenance.checkpoint(dry_run=True)}
    assert planned == {
        "flush_inlined_data": 1,
        "expire_snapshots": len(past) - 1,
        "merge_adjacent_files": 3,
        "rewrite_data_files": 1,
        "cleanup_old_files": 0,
        "delete_orphaned_files": 1,
    }
    with lake.connect(["shop"]) as session:
        told = session.execute("SELECT step_name, count FROM ducklake_checkpoint('shop', dry_run => true)")
        assert told.fetchall() == list(planned.items())
        assert session.execute("CALL shop.merge_adjacent_files(dry_run => true)").fetchall() == [("main", "t", 3, 1)]
        assert session.execute("CALL shop.rewrite_data_files(dry_run => true)").fetchall() == [("main", "t", 1, 1)]
        assert session.execute("CALL shop.flush_inlined_data(dry_run => true)").fetchall() == [("main", "t", 1)]
        assert (shop.head, shown(shop), stray.exists()) == (head, before, True)
        assert [one.snapshot_id for one in shop.snapshots()] == past
        done = dict(session.execute("CALL shop.checkpoint()").fetchall())
    # The flush leaves a file to the merge, and the merge some to clean-up.
    assert done["delete_orphaned_files"] == 1
    assert done["merge_adjacent_files"] == 4
    assert ([row[2:] for row in shown(shop)], stray.exists()) == ([row[2:] for row in before], False)
